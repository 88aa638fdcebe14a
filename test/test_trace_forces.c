// SPDX-License-Identifier: MIT
// Forces of contacts, samples and numbers in traces.
#define _XOPEN_SOURCE 700
#include "test.h"

#include "trace_sample.h"

static twTrace* recorded(const char* name)
{
    twTrace* trace = NULL;
    if (record(in_folder(name), FRAMES) == TW_OK) tw_trace_load(&trace, in_folder(name), NULL);
    return trace;
}

static int forces_come_back_at_their_touches(void)
{
    twTrace* trace = recorded("a.twtrace");
    ENSURE(trace && trace->complete && trace->touch_count == 3 && trace->force_count == 6);
    ENSURE(trace->force_block_count == 2 && trace->force_blocks[0].count == 3 && trace->force_blocks[1].count == 3);
    const uint32_t expected[] = {0, 1, 0, 2, 1, 2};  // 7 touches anew when it has slipped
    for (int i = 0; i < 6; i++)
    {
        const twContactForce* given = i < 3 ? &forces_early[i] : &forces_late[i - 3];
        const twTraceForce* f = &trace->force_blocks[i / 3].forces[i % 3];
        const twTraceTouch* touch = &trace->touches[f->touch];
        ENSURE(f->time == given->time && f->touch == expected[i] && touch->id == given->id);
        ENSURE(f->force[1] == (float)given->force.y && f->force[2] == (float)given->force.z);
        ENSURE(touch->body[0] == given->body[0] && touch->body[1] == given->body[1]);
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++)
            {
                ENSURE(touch->vertex[side][k] == given->vertex[side][k]);
                ENSURE(touch->weight[side][k] == given->weight[side][k]);
            }
        ENSURE(touch->point[2] == (float)given->point.z && touch->normal[1] == (float)given->normal.y);
    }
    tw_trace_destroy(trace);
    return 0;
}

static int forces_on_a_body_are_turned_to_its_side(void)
{
    twTrace* trace = recorded("b.twtrace");
    twTraceForce *on_leaf, *on_bell, *on_none;
    int64_t leaf_count, bell_count, none;
    ENSURE(trace && tw_trace_forces_on(&on_leaf, &leaf_count, trace, 1, NULL) == TW_OK && leaf_count == 6);
    ENSURE(tw_trace_forces_on(&on_bell, &bell_count, trace, 0, NULL) == TW_OK && bell_count == 6);
    ENSURE(tw_trace_forces_on(&on_none, &none, trace, 5, NULL) == TW_OK && none == 0);
    for (int i = 0; i < 6; i++)
    {
        ENSURE(on_leaf[i].time == on_bell[i].time && on_leaf[i].touch == on_bell[i].touch);
        for (int k = 0; k < 3; k++) ENSURE(on_leaf[i].force[k] == -on_bell[i].force[k]);
    }
    ENSURE(on_leaf[0].force[1] == 3);
    free(on_leaf);
    free(on_bell);
    free(on_none);
    tw_trace_destroy(trace);
    return 0;
}

// by hand: contact 7 pushes 5 N from 1 to 3 ms, 1 N to 4 ms, 2 N to 6 ms; contact 9 2 N from 1 to 5 ms
static int a_pair_sums_the_impulses_of_its_contacts(void)
{
    twTrace* trace = recorded("c.twtrace");
    twTracePair* pairs;
    int count;
    ENSURE(trace && tw_trace_pairs(&pairs, &count, trace, NULL) == TW_OK && count == 1);
    ENSURE(pairs[0].body[0] == 0 && pairs[0].body[1] == 1 && pairs[0].contacts == 2 && pairs[0].largest == 5);
    ENSURE_NEAR(pairs[0].impulse, 5 * 0.002 + 1 * 0.001 + 2 * 0.002 + 2 * 0.004, 1e-15);
    ENSURE(pairs[0].first == 0.001 && pairs[0].last == 0.001);
    free(pairs);
    tw_trace_destroy(trace);
    return 0;
}

// ---- many contacts ----

static const twTraceBody three[] = {{.name = "a", .material = "", .set = &bell},
                                    {.name = "b", .material = "", .set = &bell},
                                    {.name = "c", .material = "", .set = &bell}};

static twTraceWriter* open_three(const char* name)
{
    twTraceDef def = tw_trace_def();
    def.body_count = 3;
    def.bodies = three;
    twTraceWriter* writer = NULL;
    tw_trace_create(&writer, in_folder(name), &def, NULL);
    return writer;
}

static twTrace* close_three(twTraceWriter* writer, const char* name)
{
    twTrace* trace = NULL;
    if (tw_trace_commit(&writer, NULL) == TW_OK) tw_trace_load(&trace, in_folder(name), NULL);
    return trace;
}

// body a's first corner on b or c
static twContactForce push(uint64_t id, double time, int other, double force)
{
    return (twContactForce){.id = id,
                            .time = time,
                            .body = {0, other},
                            .vertex = {{0, -1, -1}, {0, 1, 2}},
                            .weight = {{1}, {0.2f, 0.3f, 0.5f}},
                            .normal = {0, 0, 1},
                            .force = {0, 0, force}};
}

// against a table that is searched: what every contact does now
#define IDS 300
static int contacts_that_come_and_go_at_random_are_kept_apart(void)
{
    static double since[IDS], force[IDS], impulse[3], largest[3];
    static int64_t contacts[3];
    static bool pushed[IDS];
    twRng rng = tw_rng(3);
    twTraceWriter* writer = open_three("many.twtrace");
    double time = 0;
    int64_t kept = 0;
    ENSURE(writer);
    for (int call = 0; call < 200; call++)
    {
        twContactForce forces[40];
        for (int i = 0; i < 40; i++)
        {
            const int id = (int)(tw_rng_next(&rng) % IDS), other = 1 + id % 2;
            const double now = tw_rng_next(&rng) % 3 == 0 ? 0 : 1 + (double)(tw_rng_next(&rng) % 100);
            time += tw_rng_uniform(&rng) * 1e-4;
            forces[i] = push((uint64_t)id << 40 | (uint64_t)id, time, other, now);
            impulse[other] += force[id] * (time - since[id]);
            contacts[other] += now > 0 && !pushed[id];
            kept += now > 0 || force[id] > 0;
            pushed[id] = pushed[id] || now > 0;
            largest[other] = fmax(largest[other], now);
            since[id] = time;
            force[id] = now;
        }
        ENSURE(tw_trace_append_forces(writer, forces, 40, NULL) == TW_OK);
    }
    for (int id = 0; id < IDS; id++) impulse[1 + id % 2] += force[id] * (time - since[id]);
    ENSURE(tw_trace_counts(writer).forces == kept);
    twTrace* trace = close_three(writer, "many.twtrace");
    twTracePair* pairs;
    int count;
    ENSURE(trace && trace->force_count == kept && tw_trace_pairs(&pairs, &count, trace, NULL) == TW_OK && count == 2);
    for (int k = 0; k < 2; k++)
    {
        ENSURE(pairs[k].body[1] == k + 1 && pairs[k].contacts == contacts[k + 1] && pairs[k].largest == largest[k + 1]);
        ENSURE_NEAR(pairs[k].impulse, impulse[k + 1], 1e-9 * impulse[k + 1]);
    }

    // a touch is of the contact that it says
    for (int b = 0; b < trace->force_block_count; b++)
        for (int64_t i = 0; i < trace->force_blocks[b].count; i++)
        {
            const twTraceTouch* touch = &trace->touches[trace->force_blocks[b].forces[i].touch];
            ENSURE(touch->id >> 40 == (touch->id & 0xffff) && touch->body[1] == 1 + (int)((touch->id & 0xffff) % 2));
        }
    free(pairs);
    tw_trace_destroy(trace);
    return 0;
}

// a touch is written when a contact has moved by 1e-4 of a body, by 1e-3 in the world or turned by 1e-3, not before
static int touches_are_written_when_contacts_have_moved(void)
{
    twTraceWriter* writer = open_three("moves.twtrace");
    ENSURE(writer);
    const double size = sqrt(3);  // the box about the bell
    twContactForce f = push(1, 0, 1, 1);
    int64_t expected = 1;
    ENSURE(tw_trace_append_forces(writer, &f, 1, NULL) == TW_OK && tw_trace_counts(writer).touches == expected);
    for (int step = 0; step < 6; step++)
    {
        // vertices 0 and 1 are 1 m apart; weights of 0.9 and then 1.1 of 1e-4 of the size away from where it was written last
        const double by = size * (step % 2 ? 1.1e-4 : 0.9e-4) * (step / 2 == 0), up = step / 2 == 1 ? 1e-3 : 0;
        twContactForce g = f;
        g.time = 0.001 * (step + 1);
        g.force.z = 2 + step;
        g.weight[1][0] = (float)(0.2 - by);
        g.weight[1][1] = (float)(0.3 + by);
        g.point.x += up * size * (step % 2 ? 1.1 : 0.9);
        if (step / 2 == 2) g.normal = (twVec3){0, step % 2 ? 1.1e-3 : 0.9e-3, 1};
        expected += step % 2;
        ENSURE(tw_trace_append_forces(writer, &g, 1, NULL) == TW_OK);
        ENSURE(tw_trace_counts(writer).touches == expected);
        if (step % 2) f = g;
        if (step == 1) f.weight[1][0] = 0.2f, f.weight[1][1] = 0.3f, f.time = g.time, expected++;
        if (step == 1) ENSURE(tw_trace_append_forces(writer, &f, 1, NULL) == TW_OK);
    }

    // the same place by other vertices is the same place
    twContactForce same = f;
    same.vertex[0][0] = -1;
    same.vertex[0][1] = 0;
    same.weight[0][1] = 1;
    ENSURE(tw_trace_append_forces(writer, &same, 1, NULL) == TW_OK && tw_trace_counts(writer).touches == expected);
    ENSURE(tw_trace_counts(writer).forces == 9);

    // 0 of what does not push is left out
    const twContactForce ends[] = {push(1, 1, 1, 0), push(1, 2, 1, 0), push(2, 2, 1, 0)};
    ENSURE(tw_trace_append_forces(writer, ends, 3, NULL) == TW_OK && tw_trace_counts(writer).forces == 10);
    twTrace* trace = close_three(writer, "moves.twtrace");
    ENSURE(trace && trace->touch_count == expected && trace->force_count == 10);
    tw_trace_destroy(trace);
    return 0;
}

static bool force_refused(twTraceWriter* writer, const twContactForce* force, const char* text)
{
    twError err = {0};
    const twContactForce both[] = {push(5, force->time, 1, 1), *force};
    const bool right = tw_trace_append_forces(writer, both, 2, &err) == TW_BAD_INPUT && strstr(err.text, text);
    if (!right) printf("%s, expected: %s\n", err.text, text);
    return right;
}

static int forces_that_do_not_fit_are_refused_by_number(void)
{
    twTraceWriter* writer = open_three("bad.twtrace");
    ENSURE(writer);
    twContactForce f = push(1, 1, 1, 1);
    ENSURE(tw_trace_append_forces(writer, &f, 1, NULL) == TW_OK);
    f.body[1] = 3;
    ENSURE(force_refused(writer, &f, "force 1: it is at body 3 of 3"));
    f.body[1] = 0;
    ENSURE(force_refused(writer, &f, "force 1: body 0 touches itself"));
    f = push(1, 1, 1, 1);
    f.vertex[1][2] = 4;
    ENSURE(force_refused(writer, &f, "force 1: it is at vertex 4 of 4 of body 1"));
    f = push(1, 1, 1, NAN);
    ENSURE(force_refused(writer, &f, "force 1 is not finite"));
    f = push(1, 1, 1, 1e39);
    ENSURE(force_refused(writer, &f, "force 1 is not finite"));
    f = push(1, 1, 1, 1);
    f.normal.z = 0.5;
    ENSURE(force_refused(writer, &f, "force 1: its normal is of length 0.5"));
    f = push(1, 0.5, 1, 1);
    ENSURE(force_refused(writer, &f, "force 0 is of 0.5 s, after one of 1 s"));

    // none of them was kept, and a body may touch the world
    f = push(1, 2, TW_NOWHERE, 1);
    memset(f.vertex[1], -1, sizeof f.vertex[1]);
    ENSURE(tw_trace_append_forces(writer, &f, 1, NULL) == TW_OK && tw_trace_counts(writer).forces == 2);
    tw_trace_abort(&writer);
    return 0;
}

// ---- samples and numbers ----

static int samples_come_back_by_track(void)
{
    twTrace* trace = recorded("d.twtrace");
    float out[SAMPLES];
    ENSURE(trace && trace->sample_rate_hz == 8000 && trace->track_count == 2 && trace->sample_count == SAMPLES);
    ENSURE_TEXT(trace->tracks[1].name, "crown");
    ENSURE_TEXT(trace->tracks[0].unit, "m/s");
    ENSURE(trace->sample_block_count == 2 && trace->sample_blocks[1].first == 3 && trace->sample_blocks[1].frames == 2);
    for (int k = 0; k < 2; k++)
        for (int first = 0; first <= SAMPLES; first++)
            for (int count = 0; first + count <= SAMPLES; count++)
            {
                tw_trace_track(trace, k, first, count, out);
                for (int i = 0; i < count; i++) ENSURE(out[i] == samples[first + i][k]);
            }
    tw_trace_destroy(trace);
    return 0;
}

static int of_numbers_of_one_name_the_last_counts(void)
{
    twTrace* trace = recorded("e.twtrace");
    ENSURE(trace && trace->number_count == 2);
    ENSURE_TEXT(trace->numbers[0].name, "steps");
    ENSURE(trace->numbers[0].value == 250 && trace->numbers[1].value == 3);
    tw_trace_destroy(trace);
    return 0;
}

static int samples_and_numbers_that_cannot_be_kept_are_refused(void)
{
    twError err;
    twTraceWriter* writer;
    twTraceDef def = sample_def();
    ENSURE(tw_trace_create(&writer, in_folder("f.twtrace"), &def, NULL) == TW_OK);
    ENSURE(tw_trace_append_samples(writer, (float[]){1, 2, 3, NAN}, 2, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "track 1, sample 1 is not finite"));
    ENSURE(tw_trace_put_numbers(writer, &(twTraceNumber){"a", INFINITY}, 1, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "number a is infinite"));
    ENSURE(tw_trace_put_numbers(writer, &(twTraceNumber){"a\n", 1}, 1, &err) == TW_BAD_INPUT);
    ENSURE(tw_trace_put_numbers(writer, &(twTraceNumber){"", 1}, 1, &err) == TW_BAD_INPUT);
    ENSURE(tw_trace_put_numbers(writer, &(twTraceNumber){"none", NAN}, 1, &err) == TW_OK);
    tw_trace_abort(&writer);
    def.sample_rate_hz = 0;
    ENSURE(tw_trace_create(&writer, in_folder("f.twtrace"), &def, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "0 samples per second of 2 tracks"));
    def.sample_rate_hz = 8000;
    def.tracks = &(twTraceTrack){"\t", ""};
    def.track_count = 1;
    ENSURE(tw_trace_create(&writer, in_folder("f.twtrace"), &def, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "track 0: name or unit"));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(forces_come_back_at_their_touches)
    RUN(forces_on_a_body_are_turned_to_its_side)
    RUN(a_pair_sums_the_impulses_of_its_contacts)
    RUN(contacts_that_come_and_go_at_random_are_kept_apart)
    RUN(touches_are_written_when_contacts_have_moved)
    RUN(forces_that_do_not_fit_are_refused_by_number)
    RUN(samples_come_back_by_track)
    RUN(of_numbers_of_one_name_the_last_counts)
    RUN(samples_and_numbers_that_cannot_be_kept_are_refused)
)
