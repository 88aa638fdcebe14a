// SPDX-License-Identifier: MIT
// Recordings that are interrupted go on from their last checkpoint and end with the same bytes.
#define _XOPEN_SOURCE 700
#include "test.h"

#include "trace_sample.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

// a longer recording: frames with forces of a contact that moves, samples and numbers; a checkpoint behind every third
#define LONG 11
#define EVERY 3

static twTraceDef long_def(void)
{
    twTraceDef def = sample_def();
    def.resumable = true;
    return def;
}

static twStatus record_step(twTraceWriter* writer, int step)
{
    Sample sample;
    twContactForce forces[4];
    for (int i = 0; i < 4; i++)
    {
        // of ten contacts two push at any time; each slips as it goes
        forces[i] = forces_early[0];
        forces[i].id = (uint64_t)(step % 5 * 2 + i % 2);
        forces[i].time = step + 0.1 * i;
        forces[i].weight[0][0] = 0.2f + 0.03f * (float)(step / 2);
        forces[i].weight[0][1] = 0.8f - 0.03f * (float)(step / 2);
        forces[i].force.x = step % 4 == 3 && i > 1 ? 0 : 1 + step;
        forces[i].force.y = forces[i].force.z = 0;
    }
    const float both[] = {(float)step, (float)-step};
    const twTraceNumber number = {"steps", step};
    twStatus status = tw_trace_append(writer, fill_sample(&sample, step), NULL);
    if (status == TW_OK) status = tw_trace_append_forces(writer, forces, 4, NULL);
    if (status == TW_OK) status = tw_trace_append_samples(writer, both, 1, NULL);
    if (status == TW_OK && step % 4 == 0) status = tw_trace_put_numbers(writer, &number, 1, NULL);
    return status;
}

static twStatus record_from(twTraceWriter* writer, int first, int end)
{
    twStatus status = TW_OK;
    for (int step = first; step < end && status == TW_OK; step++) status = record_step(writer, step);
    return status;
}

// with checkpoints, each of which waits for the disk
static twStatus record_safely(twTraceWriter* writer, int first, int end)
{
    twStatus status = TW_OK;
    for (int step = first; step < end && status == TW_OK; step++)
    {
        status = record_step(writer, step);
        if (status == TW_OK && step % EVERY == EVERY - 1)
            status = tw_trace_checkpoint(writer, &step, sizeof step, NULL);
    }
    return status;
}

// a file as a whole; free() it
static char* whole(const char* name, size_t* count)
{
    char* bytes = NULL;
    *count = 0;
    tw_file_read(&bytes, count, in_folder(name), 1 << 24, NULL);
    return bytes;
}

// a new one: some disks take their time to cut one that is there
static bool put_file(const char* name, const char* bytes, size_t count)
{
    remove(in_folder(name));
    FILE* file = fopen(in_folder(name), "wb");
    return file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0;
}

static bool is_there(const char* name) { return access(in_folder(name), F_OK) == 0; }

// go on with NAME.part until the end. @return the step it went on from, or -1
static int go_on(const char* name)
{
    twTraceWriter* writer;
    void* state;
    size_t bytes;
    int step = -1;
    const twTraceDef def = long_def();
    if (tw_trace_resume(&writer, in_folder(name), &def, &state, &bytes, NULL) != TW_OK) return -1;
    if (bytes == sizeof step) memcpy(&step, state, sizeof step);
    free(state);
    if (tw_trace_counts(writer).frames != step + 1) return -1;
    if (record_from(writer, step + 1, LONG) != TW_OK || tw_trace_commit(&writer, NULL) != TW_OK) return -1;
    return step;
}

// without interruption or checkpoints; then no part and no state are left
static char* expected_bytes(size_t* count)
{
    twTraceWriter* writer;
    const twTraceDef def = long_def();
    if (tw_trace_create(&writer, in_folder("e.twtrace"), &def, NULL) != TW_OK) return NULL;
    if (record_from(writer, 0, LONG) != TW_OK || tw_trace_commit(&writer, NULL) != TW_OK) return NULL;
    return is_there("e.twtrace.part") || is_there("e.twtrace.state") ? NULL : whole("e.twtrace", count);
}

// what an interruption behind some steps leaves
typedef struct Left
{
    char *part, *state;
    size_t part_bytes, state_bytes;
} Left;

static Left interrupt(int steps)
{
    Left left = {0};
    twTraceWriter* writer;
    const twTraceDef def = long_def();
    remove(in_folder("r.twtrace"));
    if (tw_trace_create(&writer, in_folder("r.twtrace"), &def, NULL) != TW_OK) return left;
    record_safely(writer, 0, steps);
    tw_trace_leave(&writer);
    left.part = whole("r.twtrace.part", &left.part_bytes);
    left.state = whole("r.twtrace.state", &left.state_bytes);
    return left;
}

static void free_left(const Left* left)
{
    free(left->part);
    free(left->state);
}

// ---- going on ----

static int checkpoints_leave_nothing_in_the_trace(void)
{
    size_t count, with_count;
    char* expected = expected_bytes(&count);
    twTraceWriter* writer;
    const twTraceDef def = long_def();
    ENSURE(expected && tw_trace_create(&writer, in_folder("q.twtrace"), &def, NULL) == TW_OK);
    ENSURE(is_there("q.twtrace.part") && !is_there("q.twtrace"));
    ENSURE(record_safely(writer, 0, LONG) == TW_OK && is_there("q.twtrace.state"));
    ENSURE(tw_trace_commit(&writer, NULL) == TW_OK);
    char* with = whole("q.twtrace", &with_count);
    ENSURE(with && with_count == count && memcmp(with, expected, count) == 0);
    free(with);
    free(expected);
    return 0;
}

static int interrupted_behind_any_step_it_ends_with_the_same_bytes(void)
{
    size_t count, resumed_count;
    char* expected = expected_bytes(&count);
    ENSURE(expected);
    for (int steps = EVERY; steps <= LONG; steps++)
    {
        const Left left = interrupt(steps);
        ENSURE(left.part && left.state && !is_there("r.twtrace"));
        ENSURE(go_on("r.twtrace") == steps / EVERY * EVERY - 1);
        char* resumed = whole("r.twtrace", &resumed_count);
        ENSURE(resumed && resumed_count == count && memcmp(resumed, expected, count) == 0);
        ENSURE(!is_there("r.twtrace.part") && !is_there("r.twtrace.state"));
        ENSURE(remove(in_folder("r.twtrace")) == 0);
        free(resumed);
        free_left(&left);
    }
    free(expected);
    return 0;
}

// the program ends without a word, with whatever it still had in its buffers
static int killed_behind_any_step_it_ends_with_the_same_bytes(void)
{
    size_t count, resumed_count;
    char* expected = expected_bytes(&count);
    const twTraceDef def = long_def();
    ENSURE(expected);
    for (int steps = EVERY; steps <= LONG; steps += 2)
    {
        remove(in_folder("k.twtrace"));
        fflush(stdout);
        const pid_t child = fork();
        ENSURE(child >= 0);
        if (child == 0)
        {
            twTraceWriter* writer;
            if (tw_trace_create(&writer, in_folder("k.twtrace"), &def, NULL) == TW_OK) record_safely(writer, 0, steps);
            raise(SIGKILL);
        }
        int how;
        ENSURE(waitpid(child, &how, 0) == child && WIFSIGNALED(how));
        ENSURE(go_on("k.twtrace") == steps / EVERY * EVERY - 1);
        char* resumed = whole("k.twtrace", &resumed_count);
        ENSURE(resumed && resumed_count == count && memcmp(resumed, expected, count) == 0);
        free(resumed);
    }
    free(expected);
    return 0;
}

// killed at any byte behind the checkpoint, or with anything there: as a full disk or a lost block leaves it
static int whatever_is_behind_the_checkpoint_does_not_matter(void)
{
    size_t count;
    const Left left = interrupt(EVERY + 2), next = interrupt(EVERY + 1), at = interrupt(EVERY);
    const twTraceDef def = long_def();
    ENSURE(left.part && at.part && at.part_bytes < left.part_bytes);
    ENSURE(at.state_bytes == left.state_bytes && memcmp(at.state, left.state, at.state_bytes) == 0);
    twRng rng = tw_rng(9);
    for (size_t n = at.part_bytes; n <= left.part_bytes; n++)
    {
        twTraceWriter* writer;
        void* state;
        size_t bytes;
        for (size_t i = at.part_bytes; n % 2 && i < n; i++) left.part[i] = (char)tw_rng_next(&rng);
        ENSURE(put_file("r.twtrace.part", left.part, n));
        ENSURE(tw_trace_resume(&writer, in_folder("r.twtrace"), &def, &state, &bytes, NULL) == TW_OK);
        ENSURE(bytes == sizeof(int) && tw_trace_counts(writer).frames == EVERY);
        free(state);

        // nothing changes until something is written; then what is behind the checkpoint is gone
        char* same = whole("r.twtrace.part", &count);
        ENSURE(same && count == n && memcmp(same, left.part, n) == 0);
        ENSURE(record_step(writer, EVERY) == TW_OK);
        tw_trace_leave(&writer);
        char* cut = whole("r.twtrace.part", &count);
        ENSURE(cut && count == next.part_bytes && memcmp(cut, next.part, count) == 0);
        free(same);
        free(cut);
    }
    free_left(&left);
    free_left(&next);
    free_left(&at);
    return 0;
}

// interrupted again and again, also before the next checkpoint
static int it_can_be_interrupted_many_times(void)
{
    size_t count, resumed_count;
    char* expected = expected_bytes(&count);
    const Left left = interrupt(EVERY);
    const twTraceDef def = long_def();
    ENSURE(expected && left.part);
    int next = EVERY;
    for (int times = 0; next < LONG - 2; times++)
    {
        twTraceWriter* writer;
        void* state;
        size_t bytes;
        int step;
        ENSURE(tw_trace_resume(&writer, in_folder("r.twtrace"), &def, &state, &bytes, NULL) == TW_OK);
        memcpy(&step, state, sizeof step);
        free(state);
        ENSURE(bytes == sizeof step && step == next / EVERY * EVERY - 1);
        next = step + 1 + 2 + times % 4;
        ENSURE(record_safely(writer, step + 1, next < LONG ? next : LONG) == TW_OK);
        tw_trace_leave(&writer);
        ENSURE(!writer && is_there("r.twtrace.part"));
    }
    ENSURE(go_on("r.twtrace") > 0);
    char* resumed = whole("r.twtrace", &resumed_count);
    ENSURE(resumed && resumed_count == count && memcmp(resumed, expected, count) == 0);
    free(resumed);
    free(expected);
    free_left(&left);
    return 0;
}

// ---- not going on ----

// whether NAME.part cannot be gone on with, in such words, and is left as it is
static bool refused(const twTraceDef* def, const char* text)
{
    twTraceWriter* writer;
    void* state = &writer;
    size_t bytes = 1, before_count, after_count;
    twError err = {0};
    char* before = whole("r.twtrace.part", &before_count);
    const twStatus status = tw_trace_resume(&writer, in_folder("r.twtrace"), def, &state, &bytes, &err);
    char* after = whole("r.twtrace.part", &after_count);
    const bool same = before ? after && before_count == after_count && memcmp(before, after, after_count) == 0 : !after;
    const bool right = status == TW_BAD_INPUT && !writer && !state && bytes == 0 && same && strstr(err.text, text) &&
                       strstr(err.text, "r.twtrace");
    if (!right) printf("%s, expected: %s\n", err.text, text);
    free(before);
    free(after);
    return right;
}

static int what_cannot_be_gone_on_with_is_refused_with_words(void)
{
    const twTraceDef def = long_def();
    ENSURE(refused(&def, "r.twtrace.part is not there"));
    const Left none = interrupt(EVERY - 1), left = interrupt(2 * EVERY + 1), early = interrupt(EVERY);
    ENSURE(none.part && !none.state && left.part && early.part && early.part_bytes < left.part_bytes);
    ENSURE(remove(in_folder("r.twtrace.state")) == 0 && refused(&def, "has no checkpoint"));

    // a state that is cut or damaged anywhere
    for (size_t n = 0; n < left.state_bytes; n += 5)
    {
        ENSURE(put_file("r.twtrace.part", left.part, left.part_bytes));
        ENSURE(put_file("r.twtrace.state", left.state, n) && refused(&def, "damaged or no checkpoint"));
        left.state[n] ^= 4;
        ENSURE(put_file("r.twtrace.state", left.state, left.state_bytes) && refused(&def, "damaged or no checkpoint"));
        left.state[n] ^= 4;
    }

    // a part that lost what the state knows, at any length and at any byte
    ENSURE(put_file("r.twtrace.state", left.state, left.state_bytes));
    size_t known;
    memcpy(&known, left.state + 32, 8);
    ENSURE(known > early.part_bytes && known < left.part_bytes);
    for (size_t n = 0; n < known; n += 97)
    {
        ENSURE(put_file("r.twtrace.part", left.part, n) && refused(&def, "cut short"));
        left.part[n] ^= 8;
        ENSURE(put_file("r.twtrace.part", left.part, left.part_bytes) && refused(&def, "damaged"));
        left.part[n] ^= 8;
    }

    // a state older than the part is fine, as long as it is of that part
    ENSURE(put_file("r.twtrace.part", left.part, left.part_bytes));
    ENSURE(put_file("r.twtrace.state", early.state, early.state_bytes) && go_on("r.twtrace") == EVERY - 1);
    free_left(&none);
    free_left(&left);
    free_left(&early);
    return 0;
}

static int another_def_is_refused_saying_what_differs(void)
{
    const Left left = interrupt(EVERY);
    ENSURE(left.part);
    twTraceDef def = long_def();
    def.frame_rate_hz = 25;
    ENSURE(refused(&def, "frame rate or sample rate"));
    def = long_def();
    def.sample_rate_hz = 44100;
    ENSURE(refused(&def, "frame rate or sample rate"));
    def = long_def();
    def.title = "Another";
    ENSURE(refused(&def, "title, sound, camera or ground"));
    def = long_def();
    def.rod_count = 1;
    ENSURE(refused(&def, "other rods"));
    def = long_def();
    twTraceRod other[2] = {rods[0], rods[1]};
    twTraceSection thicker = wire;
    thicker.radius *= 2;
    other[1].sections = &thicker;
    def.rods = other;
    ENSURE(refused(&def, "sections of rods"));
    other[1].sections = &wire;
    const double slanted[] = {-1, -1, 1, -1, 1, 1, -0.5, 1};
    other[0].corners = slanted;
    ENSURE(refused(&def, "outlines of rods"));
    def = long_def();
    def.body_count = 1;
    ENSURE(refused(&def, "other bodies"));
    def = long_def();
    twModeSet higher = bell;
    const double freqs_higher[MODES] = {10, 20.5};
    higher.freq_hz = freqs_higher;
    const twTraceBody other_bodies[] = {bodies[0], {.name = "leaf", .set = &leaf, .held = true}},
                      tuned[] = {{.name = "bell", .material = "bronze", .set = &higher, .contact_damping = 0.25f},
                                 bodies[1]};
    def.bodies = tuned;
    ENSURE(refused(&def, "another shape or other modes of body 0"));
    def.bodies = other_bodies;
    def.series_count = 2;
    ENSURE(refused(&def, "other series"));
    def = long_def();
    def.track_count = 1;
    ENSURE(refused(&def, "other tracks"));
    ENSURE(go_on("r.twtrace") == EVERY - 1);
    free_left(&left);
    return 0;
}

// under a right checksum, as a hostile writer would make it
static int a_state_that_lies_does_no_harm(void)
{
    const Left left = interrupt(2 * EVERY);
    const twTraceDef def = long_def();
    const size_t contacts = (left.state_bytes - 136 - sizeof(int)) / 96, size = left.state_bytes;
    char* bytes = malloc(size);
    ENSURE(left.part && bytes && contacts > 1 && size == 136 + contacts * 96 + sizeof(int));
    twRng rng = tw_rng(4);
    int read = 0;
    for (int t = 0; t < 2000; t++)
    {
        memcpy(bytes, left.state, size);
        for (int hits = 1 + (int)(tw_rng_next(&rng) % 2); hits > 0; hits--)
            bytes[16 + tw_rng_next(&rng) % (size - 16)] = (char)tw_rng_next(&rng);
        const uint64_t says = u64_at(bytes, 120), known = says < contacts ? says : contacts;
        put_u64(bytes, 16, 0);
        put_u64(bytes, 24, 0);
        twHash hash = tw_hash(bytes, 136, (twHash){0, 0});
        hash = tw_hash(bytes + 136, known * 96, hash);
        hash = tw_hash(bytes + 136 + known * 96, size - 136 - known * 96, hash);
        put_u64(bytes, 16, hash.high);
        put_u64(bytes, 24, hash.low);
        ENSURE(put_file("r.twtrace.part", left.part, left.part_bytes));
        ENSURE(put_file("r.twtrace.state", bytes, size));
        twTraceWriter* writer;
        void* state;
        size_t count;
        if (tw_trace_resume(&writer, in_folder("r.twtrace"), &def, &state, &count, NULL) != TW_OK) continue;
        read++;
        free(state);
        record_from(writer, 2 * EVERY, 2 * EVERY + 2);
        tw_trace_leave(&writer);
    }
    ENSURE(read > 20 && read < 2000);
    free(bytes);
    free_left(&left);
    return 0;
}

// ---- nothing is lost ----

static int an_unfinished_part_can_be_read(void)
{
    const Left left = interrupt(EVERY + 1);
    twTrace* trace;
    ENSURE(left.part && tw_trace_load(&trace, in_folder("r.twtrace.part"), NULL) == TW_OK);
    ENSURE(!trace->complete && trace->lost_bytes == 0 && trace->frame_count == EVERY + 1);
    ENSURE(trace->sample_count == EVERY + 1 && trace->force_count == 4 * (EVERY + 1) && trace->number_count == 1);
    tw_trace_destroy(trace);
    free_left(&left);
    return 0;
}

static int a_full_disk_leaves_the_part_and_its_checkpoint(void)
{
    size_t count, resumed_count;
    char* expected = expected_bytes(&count);
    ENSURE(expected);
    struct rlimit old, tight;
    remove(in_folder("r.twtrace"));
    ENSURE(getrlimit(RLIMIT_FSIZE, &old) == 0);
    tight = old;
    tight.rlim_cur = 20000;
    twTraceWriter* writer;
    const twTraceDef def = long_def();
    ENSURE(tw_trace_create(&writer, in_folder("r.twtrace"), &def, NULL) == TW_OK);
    ENSURE(record_safely(writer, 0, EVERY) == TW_OK);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    twError err = {0};
    twStatus status = TW_OK;
    Sample s;
    fill_sample(&s, EVERY);
    for (int i = 0; i < 200 && status == TW_OK; i++) status = tw_trace_append(writer, &s.frame, &err);
    const twStatus again = tw_trace_checkpoint(writer, "x", 1, NULL), committed = tw_trace_commit(&writer, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    ENSURE(status == TW_IO_ERROR && strstr(err.text, "r.twtrace") && again == TW_IO_ERROR);
    ENSURE(committed == TW_IO_ERROR && !writer && is_there("r.twtrace.part") && !is_there("r.twtrace"));
    twTrace* trace;
    ENSURE(tw_trace_load(&trace, in_folder("r.twtrace.part"), NULL) == TW_OK && trace->frame_count > EVERY);
    tw_trace_destroy(trace);
    ENSURE(go_on("r.twtrace") == EVERY - 1);
    char* resumed = whole("r.twtrace", &resumed_count);
    ENSURE(resumed && resumed_count == count && memcmp(resumed, expected, count) == 0);
    free(resumed);
    free(expected);
    return 0;
}

static int an_aborted_recording_leaves_nothing_and_a_new_one_forgets_the_old(void)
{
    const Left left = interrupt(EVERY);
    twTraceWriter* writer;
    const twTraceDef def = long_def();
    ENSURE(left.state && is_there("r.twtrace.state"));
    ENSURE(tw_trace_create(&writer, in_folder("r.twtrace"), &def, NULL) == TW_OK && !is_there("r.twtrace.state"));
    ENSURE(tw_trace_checkpoint(writer, NULL, 0, NULL) == TW_OK && is_there("r.twtrace.state"));
    tw_trace_abort(&writer);
    ENSURE(!is_there("r.twtrace.part") && !is_there("r.twtrace.state") && !is_there("r.twtrace"));
    free_left(&left);
    return 0;
}

// by the counts of what was recorded: frames at 24 Hz, one sample at 8 kHz a step, forces up to 0.3 s behind each
static int a_checkpoint_tells_what_it_is(void)
{
    twTraceState s;
    twError err = {0};
    const Left left = interrupt(2 * EVERY + 1);
    ENSURE(left.state && tw_trace_state(&s, in_folder("r.twtrace.state"), &err) == TW_OK);
    ENSURE(s.counts.frames == 2 * EVERY && s.counts.samples == 2 * EVERY && s.bytes == sizeof(int));
    ENSURE(s.part_bytes < left.part_bytes);
    ENSURE_NEAR(s.time, 2 * EVERY - 1 + 0.1 * 3, 1e-12);
    ENSURE(remove(in_folder("r.twtrace.part")) == 0);
    ENSURE(tw_trace_state(&s, in_folder("r.twtrace.state"), &err) == TW_OK && s.counts.frames == 2 * EVERY);
    ENSURE(isnan(s.time));
    ENSURE(put_file("r.twtrace.state", left.state, left.state_bytes - 1));
    ENSURE(tw_trace_state(&s, in_folder("r.twtrace.state"), &err) == TW_BAD_INPUT && strstr(err.text, "damaged"));
    free_left(&left);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(checkpoints_leave_nothing_in_the_trace)
    RUN(interrupted_behind_any_step_it_ends_with_the_same_bytes)
    RUN(killed_behind_any_step_it_ends_with_the_same_bytes)
    RUN(what_cannot_be_gone_on_with_is_refused_with_words)
    RUN(whatever_is_behind_the_checkpoint_does_not_matter)
    RUN(it_can_be_interrupted_many_times)
    RUN(another_def_is_refused_saying_what_differs)
    RUN(a_state_that_lies_does_no_harm)
    RUN(an_unfinished_part_can_be_read)
    RUN(a_checkpoint_tells_what_it_is)
    RUN(a_full_disk_leaves_the_part_and_its_checkpoint)
    RUN(an_aborted_recording_leaves_nothing_and_a_new_one_forgets_the_old)
)
