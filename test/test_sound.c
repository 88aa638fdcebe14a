// SPDX-License-Identifier: MIT
// From a trace to pressure at an ear, against closed forms.
#define _XOPEN_SOURCE 700
#include "sound.h"
#include "sound/click.h"
#include "test.h"

// modal velocity times shape, summed over the modes, at a time after a force of a size has begun
static double step_response(double force, double time)
{
    double sum = 0;
    for (int k = 0; k < BELL_MODES && time > 0; k++)
    {
        const double w0 = 2 * TW_PI * bell_freq[k], w = sqrt(w0 * w0 - bell_decay[k] * bell_decay[k]);
        sum += 10.0 * (k + 1) * -force / w * exp(-bell_decay[k] * time) * sin(w * time);
    }
    return sum;
}

static double blow_response(const Blow* blow, double time)
{
    return step_response(blow->force, time - blow->from) - step_response(blow->force, time - blow->until);
}

// ---- claims ----

static int pressure_is_that_of_the_modes_after_the_way(void)
{
    twError err = {0};
    Bell bell;
    bell_make(&bell, 1);
    const Blow blows[] = {{0.0113, 0.01157, 20, 0}, {0.1, 0.13331, 2, 4}};
    const char* path = in_folder("bell.twtrace");
    ENSURE(bell_trace(path, &bell, 0.5, blows, 2, still, &err) == TW_OK);
    const twSoundEar ear = mono_at(tw_vec3(0.3, 1.1, -0.2));
    const twSoundDef def = sound_def(path, &ear);
    int64_t frames;
    float* p = sound_of(&def, &frames, NULL, &err);
    ENSURE(p);
    ENSURE(frames == (int64_t)(0.5 * RATE));
    const double r = tw_vec3_norm(ear.def.position), delay = (r - BELL_RADIUS) / SPEED;
    double worst = 0, peak = 0;
    for (int64_t n = 0; n < frames - 900; n++)
    {
        double expected = 0;
        for (int i = 0; i < 2; i++) expected += BELL_RADIUS / r * blow_response(&blows[i], (double)n / RATE - delay);
        peak = fmax(peak, fabs(expected));
        // where a force begins or ends there is more than any rate holds
        bool edge = false;
        for (int i = 0; i < 2; i++)
            edge |= fabs((double)n - RATE * (blows[i].from + delay)) < 60 ||
                    fabs((double)n - RATE * (blows[i].until + delay)) < 60;
        if (!edge) worst = fmax(worst, fabs((double)p[n] - expected));
    }
    free(p);
    ENSURE(peak > 0.01 && worst < 3e-5 * peak);
    return 0;
}

static int any_number_of_threads_gives_the_same_bits(void)
{
    twError err = {0};
    Bell bell;
    bell_make(&bell, 0.5);
    const Blow blows[] = {{0.02, 0.0203, 30, 0}, {0.05, 0.0501, 10, 2}, {0.07, 0.2, 5, 5}};
    const char* path = in_folder("threads.twtrace");
    ENSURE(bell_trace(path, &bell, 0.4, blows, 3, tw_vec3(1, 0, 0), &err) == TW_OK);
    twSoundEar ear = mono_at(tw_vec3(0, 1, 0));
    ear.def.kind = TW_EAR_AMBIX;
    ear.def.ground = true;
    ear.def.ground_point = tw_vec3(0, 0, -0.5);
    twSoundDef def = sound_def(path, &ear);
    def.clicks = def.contact_damping = true;
    int64_t frames, others;
    float* one = sound_of(&def, &frames, NULL, &err);
    for (int threads = 2; threads <= 5; threads++)
    {
        def.threads = threads;
        float* many = sound_of(&def, &others, NULL, &err);
        ENSURE(one && many && frames == others);
        ENSURE(memcmp(one, many, (size_t)frames * 4 * sizeof *one) == 0);
        free(many);
    }
    free(one);
    return 0;
}

static int sound_goes_on_after_the_trace_if_wanted(void)
{
    twError err = {0};
    Bell bell;
    bell_make(&bell, 1);
    const Blow blow = {0.01, 0.0102, 20, 0};
    const char* path = in_folder("tail.twtrace");
    ENSURE(bell_trace(path, &bell, 0.1, &blow, 1, still, &err) == TW_OK);
    const twSoundEar ear = mono_at(tw_vec3(0, 0, 1));
    twSoundDef def = sound_def(path, &ear);
    def.tail = 0.2;
    int64_t frames;
    float* p = sound_of(&def, &frames, NULL, &err);
    ENSURE(p && frames == (int64_t)llround(0.3 * RATE));
    const double delay = 0.9 / SPEED;
    for (int64_t n = 9000; n < 12000; n++)
        ENSURE_NEAR((double)p[n], 0.1 * blow_response(&blow, (double)n / RATE - delay), 1e-5);
    free(p);
    return 0;
}

// the end fades out from 1 on, also where frames are so short that the end is close when it is read
static int the_end_fades_without_a_step(void)
{
    twError err = {0};
    Bell bell;
    bell_make(&bell, 1);
    bell.moments[2] = bell.moments[4] = 0;
    const Blow blow = {0.001, 0.0012, 20, 0};
    const twSoundEar ear = mono_at(tw_vec3(0, 0, 1));
    char path[1024];
    snprintf(path, sizeof path, "%s", in_folder("end.twtrace"));
    for (int i = 0; i < 24; i++)
    {
        const double seconds = 0.1 + 0.0005 * i;
        ENSURE(bell_trace_at(path, &bell, 2000, seconds, &blow, 1, still, 0, &err) == TW_OK);
        twSoundDef def = sound_def(path, &ear);
        int64_t frames, more;
        float* faded = sound_of(&def, &frames, NULL, &err);
        def.tail = 0.05;
        float* whole = sound_of(&def, &more, NULL, &err);
        ENSURE(faded && whole && frames < more);
        for (int64_t n = 1; n <= frames; n++)
        {
            const double along = fmin((double)(n - 1) / (0.02 * RATE), 1);
            const double expected = (double)whole[frames - n] * (0.5 - 0.5 * cos(TW_PI * along));
            ENSURE_NEAR((double)faded[frames - n], expected, 1e-7);
        }
        free(faded);
        free(whole);
    }
    return 0;
}

// A mode of decay 4/s is 60 dB below its peak after ln(1000)/4 = 1.727 s; then come 50 ms of quiet and 20 ms
// that fade, each to a batch of 512 samples.
static int a_bell_rings_on_until_it_is_quiet(void)
{
    twError err = {0};
    Bell bell;
    bell_make(&bell, 1);
    bell.moments[2] = bell.moments[4] = 0;
    const Blow blow = {0.001, 0.0012, 20, 0};
    const twSoundEar ear = mono_at(tw_vec3(0, 0, 1));
    const double quiet = 0.0012 + 0.9 / SPEED + log(1000) / 4 + 0.05 + 0.02;
    static const struct
    {
        double trace, ring;  // [s]
        bool faded;
    } cases[] = {{0.1, 10, true}, {0.1, 0.5, true}, {0.1, 0, true}, {3, 10, false}};
    for (int i = 0; i < 4; i++)
    {
        const char* path = in_folder("ring.twtrace");
        ENSURE(bell_trace(path, &bell, cases[i].trace, &blow, 1, still, &err) == TW_OK);
        twSoundDef def = sound_def(path, &ear);
        def.ring = cases[i].ring;
        int64_t frames;
        twSoundReport report;
        float* p = sound_of(&def, &frames, &report, &err);
        ENSURE(p && report.faded == cases[i].faded && p[0] == 0 && p[frames - 1] == 0);
        const double seconds = (double)frames / RATE;
        ENSURE_NEAR(report.rang, seconds - cases[i].trace, 1e-9);
        if (i == 0)
            ENSURE(seconds > quiet - 0.002 && seconds < quiet + 2 * 512 / RATE);
        else
            ENSURE_NEAR(seconds, cases[i].trace + (i < 3 ? cases[i].ring : 0), 0.5 / RATE);
        free(p);
    }
    return 0;
}

// the fundamental at a listener that a body flies towards rises by 1/(1 - M)
static int a_body_in_flight_is_heard_shifted(void)
{
    twError err = {0};
    Bell bell;
    bell_make(&bell, 1);
    bell.moments[2] = bell.moments[4] = 0;
    const Blow blow = {0.001, 0.0012, 50, 0};
    const char* path = in_folder("flight.twtrace");
    ENSURE(bell_trace(path, &bell, 0.5, &blow, 1, tw_vec3(20, 0, 0), &err) == TW_OK);
    const twSoundEar ear = mono_at(tw_vec3(60, 0, 0));
    const twSoundDef def = sound_def(path, &ear);
    int64_t frames;
    float* p = sound_of(&def, &frames, NULL, &err);
    ENSURE(p);
    double first = 0, last = 0;
    int crossings = 0;
    for (int64_t n = 12000; n < frames - 400; n++)
        if (p[n - 1] < 0 && p[n] >= 0)
        {
            const double at = (double)n - (double)p[n] / ((double)p[n] - (double)p[n - 1]);
            if (crossings++ == 0) first = at;
            last = at;
        }
    free(p);
    ENSURE(crossings > 50);
    const double w = sqrt(1 - pow(bell_decay[0] / (2 * TW_PI * bell_freq[0]), 2)) * bell_freq[0];
    ENSURE_NEAR((crossings - 1) * RATE / (last - first), w / (1 - 20 / SPEED), 0.02);
    return 0;
}

// a mode that radiates as a dipole along x, of a body that spins about z: A cos(spin t) times its tone, and nothing else
static int a_body_that_spins_sends_its_sound_around(void)
{
    twError err = {0};
    Bell bell;
    bell_make(&bell, 1);
    float moments[8] = {[6] = 1};  // Y_11
    const int order[BELL_MODES] = {1, -1, -1};
    const double freq[BELL_MODES] = {2000, 3000, 4000}, decay[BELL_MODES] = {0, 9, 30}, spin = 98;
    bell.transfer.order = order, bell.transfer.moments = moments, bell.transfer.moment_count = 4;
    bell.set.freq_hz = bell.transfer.freq_hz = freq, bell.set.decay = decay;
    const Blow blow = {0.01, 0.0101, 20, 4};
    const char* path = in_folder("spin.twtrace");
    ENSURE(bell_trace_at(path, &bell, 1000, 0.5, &blow, 1, still, spin, &err) == TW_OK);
    const twSoundEar ear = mono_at(tw_vec3(3, 0, 0));
    const twSoundDef def = sound_def(path, &ear);
    int64_t frames;
    float* p = sound_of(&def, &frames, NULL, &err);
    ENSURE(p);
    // least squares of the cosine and sine of the tone
    double whole = 0, cc = 0, cs = 0, ss = 0, cp = 0, sp = 0;
    for (int64_t n = 3000; n < 18000; n++)
    {
        const double t = (double)n / RATE, level = cos(spin * (t - 2.9 / SPEED)), heard = (double)p[n];
        const double c = level * cos(2 * TW_PI * freq[0] * t), s = level * sin(2 * TW_PI * freq[0] * t);
        whole += heard * heard;
        cc += c * c, cs += c * s, ss += s * s, cp += c * heard, sp += s * heard;
    }
    free(p);
    const double a = (cp * ss - sp * cs) / (cc * ss - cs * cs), b = (sp * cc - cp * cs) / (cc * ss - cs * cs);
    const double left = whole - a * cp - b * sp;
    ENSURE(whole > 0 && 10 * log10(fmax(left, 1e-30) / whole) < -45);
    return 0;
}

static int a_trace_cut_short_sounds_up_to_the_cut(void)
{
    twError err = {0};
    Bell bell;
    bell_make(&bell, 1);
    const Blow blow = {0.01, 0.0102, 20, 0};
    char path[1024], cut[1024];
    snprintf(path, sizeof path, "%s", in_folder("whole.twtrace"));
    snprintf(cut, sizeof cut, "%s", in_folder("cut.twtrace"));
    ENSURE(bell_trace(path, &bell, 1, &blow, 1, still, &err) == TW_OK);
    char* bytes;
    size_t count;
    ENSURE(tw_file_read(&bytes, &count, path, (size_t)1 << 30, &err) == TW_OK);
    FILE* file = fopen(cut, "wb");
    ENSURE(file && fwrite(bytes, 1, count - count / 10, file) == count - count / 10 && fclose(file) == 0);
    free(bytes);
    const twSoundEar ear = mono_at(tw_vec3(0, 0, 1));
    twSoundDef def = sound_def(path, &ear);
    int64_t all, some;
    float* whole = sound_of(&def, &all, NULL, &err);
    twSoundReport report;
    def.path = cut;
    float* part = sound_of(&def, &some, &report, &err);
    ENSURE(whole && part && some > all / 3 && some < all);
    ENSURE(!report.complete && strlen(report.lost) > 10);
    for (int64_t n = 0; n < some - 1000; n++) ENSURE(part[n] == whole[n]);
    free(whole);
    free(part);
    return 0;
}

static int wrong_wishes_are_refused(void)
{
    twError err = {0};
    Bell bell;
    bell_make(&bell, 1);
    const char* path = in_folder("wishes.twtrace");
    ENSURE(bell_trace(path, &bell, 0.1, NULL, 0, still, &err) == TW_OK);
    const twSoundEar ear = mono_at(tw_vec3(0, 0, 1));
    const twSoundDef good = sound_def(path, &ear);
    twSound* sound;
    twSoundDef d = good;
    d.path = in_folder("none.twtrace");
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT && !sound);
    d = good, d.ear_count = 0;
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT);
    d = good, d.rate_hz = NAN;
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT);
    d = good, d.threads = 0;
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT);
    d = good, d.ring = NAN;
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT && strstr(err.text, "ring"));
    d = good, d.tail = -1;
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT);
    d = good, d.highpass_hz = 30000;
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT);
    twTransfer other = bell.transfer;
    other.mode_count = 1;
    twSoundBody body = tw_sound_body();
    body.transfer = &other;
    d = good, d.bodies = &body;
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT && strstr(err.text, "bell"));
    body = tw_sound_body(), body.gain = NAN;
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT && strstr(err.text, "gain"));
    body = tw_sound_body(), body.contact_damping = INFINITY;
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT && strstr(err.text, "contact damping"));
    bell.set.transfer = NULL, bell.set.face_count = 0;
    ENSURE(bell_trace(path, &bell, 0.1, NULL, 0, still, &err) == TW_OK);
    d = good;
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT && strstr(err.text, "bell: "));
    bell_make(&bell, 1), d.bodies = &body;
    ENSURE(bell_trace(path, &bell, 0.1, NULL, 0, still, &err) == TW_OK);
    const double growing[BELL_MODES] = {1, -1, 1};
    body = tw_sound_body(), body.decay = growing;
    ENSURE(tw_sound_open(&sound, &d, &err) == TW_BAD_INPUT && strstr(err.text, "mode 1"));
    return 0;
}

// ---- contacts that flicker ----

#define STEP 1e-4

// which two of four legs carry, and for how many steps more
typedef struct Flicker
{
    twRng rng;
    int pair, left;
} Flicker;

// 20 N on a table: two legs carry it, then the two others, each time for up to 2 ms
static twStatus flicker_step(Flicker* f, twTraceWriter* writer, int step, twError* err)
{
    const bool turn = f->left-- == 0;
    const double load = 10 + 1e-4 * tw_rng_uniform(&f->rng);
    twStatus status = TW_OK;
    if (turn) f->pair = 1 - f->pair;
    if (turn) f->left = (int)(20 * tw_rng_uniform(&f->rng));
    for (int leg = 0; leg < 4 && status == TW_OK; leg++)
    {
        const twContactForce force = {.id = (uint64_t)leg + 1,
                                      .time = step * STEP,
                                      .body = {0, TW_NOWHERE},
                                      .vertex = {{leg, -1, -1}, {-1, -1, -1}},
                                      .weight = {{1, 0, 0}, {0, 0, 0}},
                                      .point = bell_corners[leg],
                                      .normal = {0, 0, 1},
                                      .force = {0, 0, leg / 2 == f->pair ? load : 0}};
        if (turn || leg / 2 == f->pair) status = tw_trace_append_forces(writer, &force, 1, err);
    }
    return status;
}

static twStatus flicker_trace(const char* path, const Bell* bell, bool hard, twError* err)
{
    const twTraceBody body = {.name = "table", .material = "steel", .set = &bell->set};
    const twTraceNumber number = {TW_TRACE_HARD, hard};
    const twTracePose pose = {.turn = tw_quat_identity()};
    const twTraceFrame frame = {.bodies = &pose};
    Flicker flicker = {.rng = tw_rng(5)};
    twTraceDef def = tw_trace_def();
    def.frame_rate_hz = 100;
    def.body_count = 1;
    def.bodies = &body;
    twTraceWriter* writer;
    twStatus status = tw_trace_create(&writer, path, &def, err);
    if (status == TW_OK) status = tw_trace_put_numbers(writer, &number, 1, err);
    for (int step = 0; step <= 5000 && status == TW_OK; step++)
    {
        status = flicker_step(&flicker, writer, step, err);
        if (status == TW_OK && step % 100 == 0) status = tw_trace_append(writer, &frame, err);
    }
    if (status == TW_OK) return tw_trace_commit(&writer, err);
    tw_trace_abort(&writer);
    return status;
}

static double root_mean_square(const float* p, int64_t count)
{
    double sum = 0;
    for (int64_t n = 0; n < count; n++) sum += (double)p[n] * (double)p[n];
    return sqrt(sum / (double)count);
}

// modes that bend two legs up and two down hear every turn, though the table as a whole is at rest
static int redistributed_contacts_that_flicker_are_calm(void)
{
    twError err = {0};
    Bell bell;
    bell_make(&bell, 1);
    for (int k = 0; k < BELL_MODES; k++)
        for (int leg = 0; leg < 4; leg++) bell.shape[3 * (6 * k + leg) + 2] = leg < 2 ? 5 : -5;
    const twSoundEar ear = mono_at(tw_vec3(0, 0.5, 0));
    float* heard[2][3];  // hard or not; off, on, as the trace says
    int64_t frames = 0;
    for (int hard = 0; hard < 2; hard++)
        for (int way = 0; way < 3; way++)
        {
            const char* path = in_folder(hard ? "hard.twtrace" : "law.twtrace");
            twSoundDef def = sound_def(path, &ear);
            def.redistribution = way == 0 ? TW_REDISTRIBUTE_OFF : way == 1 ? TW_REDISTRIBUTE_ON : TW_REDISTRIBUTE_AUTO;
            ENSURE(flicker_trace(path, &bell, hard, &err) == TW_OK);
            twSoundReport report;
            heard[hard][way] = sound_of(&def, &frames, &report, &err);
            ENSURE(heard[hard][way] && report.redistributed == (way == 1 || (way == 2 && hard)));
        }
    const size_t bytes = (size_t)frames * sizeof(float);
    ENSURE(memcmp(heard[0][2], heard[0][0], bytes) == 0 && memcmp(heard[1][2], heard[1][1], bytes) == 0);
    const double before = root_mean_square(heard[1][0], frames), after = root_mean_square(heard[1][2], frames);
    ENSURE(before > 1e-3 && after < 0.003 * before);
    for (int i = 0; i < 6; i++) free(heard[i / 3][i % 3]);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(pressure_is_that_of_the_modes_after_the_way)
    RUN(any_number_of_threads_gives_the_same_bits)
    RUN(sound_goes_on_after_the_trace_if_wanted)
    RUN(the_end_fades_without_a_step)
    RUN(a_bell_rings_on_until_it_is_quiet)
    RUN(a_body_in_flight_is_heard_shifted)
    RUN(a_body_that_spins_sends_its_sound_around)
    RUN(a_trace_cut_short_sounds_up_to_the_cut)
    RUN(redistributed_contacts_that_flicker_are_calm)
    RUN(wrong_wishes_are_refused)
)
