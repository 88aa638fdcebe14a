// SPDX-License-Identifier: MIT
// Forces of a trace on one body, redistributed as they come.
#include "sound/spread.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

// what was given last, by leg
typedef struct Given
{
    float force[8][3];
    double time;
    int calls, changes[8];
} Given;

static twStatus give(void* context, const twTraceTouch* touch, double time, const float force[3], twError* err)
{
    Given* g = context;
    const int leg = (int)touch->id - 1;
    if (time < g->time) return tw_fail(err, TW_BAD_INPUT, "out of order");
    g->time = time;
    g->calls++;
    g->changes[leg]++;
    memcpy(g->force[leg], force, 3 * sizeof(float));
    return TW_OK;
}

// a table's leg on the ground: the table is body 0 of the trace, and the second body of its touches
static twTraceTouch leg_of(int leg)
{
    return (twTraceTouch){.id = (uint64_t)leg + 1,
                          .body = {TW_NOWHERE, 0},
                          .vertex = {{-1, -1, -1}, {leg, -1, -1}},
                          .weight = {{0}, {1}},
                          .point = {leg % 3 ? 100.5f : 99.5f, leg < 2 ? -0.5f : 0.5f, 0},
                          .normal = {0, 0, -1}};
}

typedef struct Table
{
    RigidContacts* rigid;
    Spread* spread;
    Given given;
} Table;

static bool make(Table* t)
{
    *t = (Table){.given.time = -1};
    return rigid_create(&t->rigid, 1, NULL) == TW_OK && spread_create(&t->spread, 0, t->rigid, NULL) == TW_OK;
}

static int destroy(Table* t)
{
    spread_destroy(t->spread);
    rigid_destroy(t->rigid);
    return 0;
}

// below 0: it is as it was
static bool push(Table* t, double time, const double legs[4])
{
    for (int k = 0; k < 4; k++)
    {
        const twTraceTouch touch = leg_of(k);
        const float force[3] = {0, 0, (float)-legs[k]};  // on the ground
        if (legs[k] >= 0 && spread_take(t->spread, &touch, time, force, give, &t->given, NULL) != TW_OK) return false;
    }
    return true;
}

static bool flush(Table* t, double until) { return spread_flush(t->spread, until, give, &t->given, NULL) == TW_OK; }

// ---- claims ----

static int a_table_that_flickers_stands_still(void)
{
    Table t;
    ENSURE(make(&t));
    for (int step = 0; step < 50; step++)
    {
        const double even[] = {10, 0, 10, 0}, odd[] = {0, 10, 0, 10}, first[] = {10, -1, 10, -1};
        ENSURE(push(&t, step * 1e-3, step == 0 ? first : step % 2 ? odd : even));
        if (step == 2) t.given.calls = 0;
    }
    ENSURE(flush(&t, 1));

    // at the start two legs are all that is known: these go on to carry, and nothing changes
    for (int k = 0; k < 4; k++)
    {
        ENSURE_NEAR(t.given.force[k][2], k % 2 ? 0 : -10, 1e-5);
        ENSURE_NEAR(hypot((double)t.given.force[k][0], (double)t.given.force[k][1]), 0, 1e-6);
    }
    ENSURE(t.given.calls == 0 && spread_stats(t.spread).kept == 0);
    return destroy(&t);
}

static int forces_of_a_time_are_taken_together(void)
{
    Table t;
    const double all[] = {12, 0, 8, 0};
    ENSURE(make(&t));
    ENSURE(push(&t, 0.5, all) && t.given.calls == 0);
    ENSURE(flush(&t, 0.5) && t.given.calls == 0);
    ENSURE(flush(&t, 0.500001) && t.given.time == 0.5);

    // the least squares are linear over the square: 5 + g . r with sum (g . r) r = 12 r_0 + 8 r_2 = 4 r_0, so that g = 4 r_0
    double sum = 0;
    for (int k = 0; k < 4; k++) sum -= (double)t.given.force[k][2];
    ENSURE_NEAR(sum, 20, 1e-5);
    ENSURE_NEAR(-(double)t.given.force[0][2], 7, 1e-5);
    ENSURE_NEAR(-(double)t.given.force[1][2], 5, 1e-5);
    return destroy(&t);
}

static int what_lifts_off_is_silent(void)
{
    Table t;
    const double all[] = {5, 5, 5, 5}, none[] = {0, 0, 0, 0};
    ENSURE(make(&t) && push(&t, 0, all) && push(&t, 1, none) && flush(&t, 2));
    for (int k = 0; k < 4; k++) ENSURE(t.given.force[k][2] == 0 && t.given.changes[k] == 2);
    ENSURE(t.given.time == 1);
    return destroy(&t);
}

static double sum_of(const Table* t)
{
    double sum = 0;
    for (int k = 0; k < 4; k++) sum -= (double)t->given.force[k][2];
    return sum;
}

// a leg that is gone gets a share for some steps, then less and less
static int a_contact_that_ended_gets_nothing_in_the_end(void)
{
    Table t;
    ENSURE(make(&t));
    const double four[] = {5, 5, 5, 5}, two[] = {10, 0, 10, 0}, on[] = {10, -1, 10, -1};
    ENSURE(push(&t, 0, four) && push(&t, 1, two));
    for (int step = 2; step < 6; step++) ENSURE(push(&t, step, on));
    ENSURE_NEAR(t.given.force[1][2], -5, 1e-5);
    for (int step = 6; step < 50; step++) ENSURE(push(&t, step, on));
    ENSURE(flush(&t, 100));
    ENSURE(t.given.force[1][2] == 0 && t.given.force[3][2] == 0);
    ENSURE_NEAR(t.given.force[0][2], -10, 1e-5);
    ENSURE_NEAR(t.given.force[2][2], -10, 1e-5);
    ENSURE(t.given.time > 15 && t.given.time < 40);
    return destroy(&t);
}

// no change is much larger than the steepest of exp(-t^2/2 T^2), T = 30 ms: e^(-1/2)/T; at first it falls more slowly
static int a_share_ends_without_a_jump(void)
{
    Table t;
    const double dt = 1e-4, four[] = {5, 5, 5, 5}, two[] = {10, 0, 10, 0}, on[] = {10, -1, 10, -1};
    ENSURE(make(&t) && push(&t, 0, four) && flush(&t, 0.5 * dt) && push(&t, dt, two));
    double last = 5, largest = 0;
    for (int step = 2; step < 2000; step++)
    {
        ENSURE(push(&t, step * dt, on) && flush(&t, (step + 0.5) * dt));
        const double share = -(double)t.given.force[1][2], change = last - share;
        ENSURE(change >= -1e-6);
        ENSURE_NEAR(sum_of(&t), 20, 1e-5);
        largest = fmax(largest, change);
        last = share;
    }
    ENSURE(last == 0 && largest < 1.1 * 5 * exp(-0.5) * dt / 0.03);
    return destroy(&t);
}

// it went 60 ms ago and carries a little still: a blow is no matter of it
static int what_is_about_to_end_gets_nothing_of_a_blow(void)
{
    Table t;
    const double dt = 1e-4, four[] = {5, 5, 5, 5}, two[] = {10, 0, 10, 0}, on[] = {10, -1, 10, -1};
    ENSURE(make(&t) && push(&t, 0, four) && push(&t, dt, two));
    for (int step = 2; step < 600; step++) ENSURE(push(&t, step * dt, on));
    ENSURE(flush(&t, 599.5 * dt));
    const float share = -t.given.force[1][2];
    const double blow[] = {1000, -1, 1000, -1};
    ENSURE(share > 0.01f && share < 2 && push(&t, 600 * dt, blow) && flush(&t, 1));
    ENSURE(-t.given.force[1][2] <= share && fabs(sum_of(&t) - 2000) < 1e-3);
    return destroy(&t);
}

// a hand presses it onto the ground: that is no matter of choice
static int what_presses_a_body_between_two_others_stays(void)
{
    Table t;
    const double all[] = {60, 0, 60, 0};
    twTraceTouch hand = leg_of(4);
    ENSURE(rigid_create(&t.rigid, 2, NULL) == TW_OK && spread_create(&t.spread, 0, t.rigid, NULL) == TW_OK);
    t.given = (Given){.time = -1};
    hand.body[0] = 1;
    hand.point[0] = 100;
    hand.normal[2] = 1;
    ENSURE(spread_take(t.spread, &hand, 0, (const float[]){0, 0, 100}, give, &t.given, NULL) == TW_OK);
    ENSURE(push(&t, 0, all) && flush(&t, 1));
    ENSURE_NEAR(t.given.force[4][2], 100, 1e-5);
    for (int k = 0; k < 4; k++) ENSURE_NEAR(t.given.force[k][2], -30, 1e-5);
    return destroy(&t);
}

static int what_touches_no_more_is_forgotten(void)
{
    Table t;
    ENSURE(make(&t));
    rigid_destroy(t.rigid);
    ENSURE(rigid_create(&t.rigid, 101, NULL) == TW_OK);
    spread_destroy(t.spread);
    ENSURE(spread_create(&t.spread, 0, t.rigid, NULL) == TW_OK);
    for (int other = 1; other <= 100; other++)
    {
        twTraceTouch touch = leg_of(other % 4);
        touch.body[0] = other;
        for (int end = 0; end < 2; end++)
        {
            const float force[3] = {0, 0, end ? 0 : -5};
            const double time = other + 0.5 * end;
            ENSURE(spread_take(t.spread, &touch, time, force, give, &t.given, NULL) == TW_OK);
            ENSURE(flush(&t, time + 0.1));
            ENSURE(t.given.force[other % 4][2] == force[2]);
            ENSURE(spread_contacts(t.spread) == (end ? 0 : 1));
        }
    }
    return destroy(&t);
}

static int a_touch_that_moves_is_given_again(void)
{
    Table t;
    const double all[] = {5, 5, 5, 5};
    ENSURE(make(&t) && push(&t, 0, all) && push(&t, 1, all) && flush(&t, 2) && t.given.calls == 4);
    twTraceTouch moved = leg_of(2);
    moved.weight[1][0] = 0.5f;
    ENSURE(spread_take(t.spread, &moved, 3, (const float[]){0, 0, -5}, give, &t.given, NULL) == TW_OK);
    ENSURE(flush(&t, 4) && t.given.calls == 5 && t.given.changes[2] == 2);
    return destroy(&t);
}

// clang-format off
TEST_MAIN(
    RUN(a_table_that_flickers_stands_still)
    RUN(forces_of_a_time_are_taken_together)
    RUN(what_lifts_off_is_silent)
    RUN(a_contact_that_ended_gets_nothing_in_the_end)
    RUN(a_share_ends_without_a_jump)
    RUN(what_is_about_to_end_gets_nothing_of_a_blow)
    RUN(what_presses_a_body_between_two_others_stays)
    RUN(what_touches_no_more_is_forgotten)
    RUN(a_touch_that_moves_is_given_again)
)
