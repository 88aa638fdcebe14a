// SPDX-License-Identifier: MIT
// What of a live world is heard: struck and plucked bodies ring at their pitches and as loud as they move, nothing clicks, nothing is heard of
// what rests, and it does not matter in what pieces sound is asked for.
#define _XOPEN_SOURCE 700
#include "live.h"
#include "sound.h"

#define LIVE_RATE 48000.0

enum
{
    SECOND = 48000
};

// a bar of steel, 250 Hz and up
static const Beam bar = {
    .size = {0.25, 0.03, 0.003}, .density = 7800, .young = 2e11, .cells = 10, .modes = 5, .decay = 3};

static void sounding(LiveCase* g, const Beam* beam)
{
    live_case(g);
    live_beam(g, beam, tw_vec3(0, 0, 0));
    g->def.world.gravity = tw_vec3(0, 0, 0);
    g->def.sound_rate_hz = LIVE_RATE;
    g->def.ear = tw_ear_def();
    g->def.ear.position = tw_vec3(0, 0, 1);
    live_start(g);
}

static bool strike(LiveCase* g, int vertex, twVec3 impulse)
{
    const twSurfacePoint point = tw_surface_vertex(vertex);
    return tw_live_strike(g->live, 0, &point, impulse);
}

static void hold(LiveCase* g, int vertex, double ease)
{
    const twGrabDef grab = live_hold(0, vertex, ease);
    if (!tw_live_grab(g->live, 0, &grab)) abort();
}

// simulate and hear, 10 ms after 10 ms
static void play(LiveCase* g, float* out, int frames, int piece)
{
    for (int n = 0; n < frames; n += 480)
    {
        tw_live_advance(g->live, 0.01);
        for (int k = 0; k < 480; k += piece) tw_live_sound(g->live, out + n + k, 480 - k < piece ? 480 - k : piece);
    }
}

static double loudest(const float* x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = isfinite(x[i]) ? fmax(most, fabs((double)x[i])) : HUGE_VAL;
    return most;
}

// amplitude of a tone, with a window
static double tone(const float* x, int n, double freq_hz)
{
    double re = 0, im = 0, sum = 0;
    for (int i = 0; i < n; i++)
    {
        const double w = 0.5 - 0.5 * cos(2 * TW_PI * i / n), a = 2 * TW_PI * freq_hz * i / LIVE_RATE;
        re += w * cos(a) * (double)x[i];
        im += w * sin(a) * (double)x[i];
        sum += w;
    }
    return 2 * hypot(re, im) / sum;
}

static float out[2 * SECOND], other[2 * SECOND];

static int struck_bar_rings_at_its_pitches_after_silence(void)
{
    // held at one end, so that it does not turn
    LiveCase g;
    Beam held = bar;
    held.clamped = true;
    sounding(&g, &held);
    play(&g, out, SECOND / 10 * 2, 480);
    ENSURE(loudest(out, SECOND / 5) == 0);
    ENSURE(strike(&g, live_vertex(&g, 0, tw_vec3(1, 0, 0.0015)), tw_vec3(0, 0, -0.01)));
    play(&g, out, SECOND, 480);
    const double most = loudest(out, SECOND);
    ENSURE(most > 1e-5 && most < 1e3);
    for (int j = 1; j < 4; j++)
    {
        const double f = beam_frequency(&held, j) / (2 * TW_PI), at = tone(out + 4800, SECOND / 2, f);
        ENSURE(at > 30 * tone(out + 4800, SECOND / 2, f * 1.03));
        ENSURE(at > 30 * tone(out + 4800, SECOND / 2, f * 0.97));
    }
    live_free(&g);
    return 0;
}

static int pieces_that_sound_is_asked_for_in_do_not_matter(void)
{
    for (int kind = 0; kind < 2; kind++)
    {
        float* to = kind ? other : out;
        LiveCase g;
        sounding(&g, &bar);
        const int end = live_vertex(&g, 0, tw_vec3(0.125, 0.015, 0.0015));
        ENSURE(strike(&g, end, tw_vec3(0, 0, -0.01)));
        hold(&g, 0, 0.05);
        play(&g, to, SECOND / 2, kind ? 7 : 480);
        live_free(&g);
    }
    ENSURE(loudest(out, SECOND / 2) > 0);
    for (int n = 0; n < SECOND / 2; n++) ENSURE(out[n] == other[n]);
    return 0;
}

static int twice_the_blow_is_twice_the_sound(void)
{
    for (int kind = 0; kind < 2; kind++)
    {
        float* to = kind ? other : out;
        LiveCase g;
        sounding(&g, &bar);
        const int end = live_vertex(&g, 0, tw_vec3(0.125, 0, 0.0015));
        ENSURE(strike(&g, end, tw_vec3(0, 0, -1e-3 * (kind + 1))));
        play(&g, to, SECOND / 20, 480);
        live_free(&g);
    }
    // it turns while it rings, twice as fast too
    const double most = loudest(out, SECOND / 20);
    for (int n = 0; n < SECOND / 20; n++) ENSURE_NEAR((double)other[n], 2 * (double)out[n], 0.02 * most);
    return 0;
}

// the same blow in a trace: a half sine of 1 ms in pieces
static float* ordinary(const Bell* bell, double impulse, int64_t* frames)
{
    twError err = {0};
    Blow blows[BELL_BLOWS];
    for (int i = 0; i < BELL_BLOWS; i++)
    {
        const double a = TW_PI * i / BELL_BLOWS, b = TW_PI * (i + 1) / BELL_BLOWS, piece = 1e-3 / BELL_BLOWS;
        blows[i] = (Blow){0.01 + i * piece, 0.01 + (i + 1) * piece, 0.5 * impulse * (cos(a) - cos(b)) / piece, 0};
    }
    const char* path = in_folder("bell.twtrace");
    if (bell_trace(path, bell, 1, blows, BELL_BLOWS, still, &err) != TW_OK) return NULL;
    const twSoundEar ear = mono_at(tw_vec3(0, 0, 1));
    const twSoundDef def = sound_def(path, &ear);
    return sound_of(&def, frames, NULL, &err);
}

static int blow_is_as_loud_as_in_the_ordinary_sound_of_a_trace(void)
{
    Bell bell;
    bell_make(&bell, 1000);
    int64_t frames;
    float* other_way = ordinary(&bell, 0.02, &frames);
    ENSURE(other_way && frames > 22050);
    LiveCase g;
    live_case(&g);
    twBodyShapeDef def = tw_body_shape_def();
    def.modes = &bell.set;
    def.max_freq_hz = 1e5;
    live_body(&g, stage_shape_of(g.shapes, &def), &bell.set, tw_vec3(0, 0, 0));
    g.def.world.gravity = tw_vec3(0, 0, 0);
    g.def.sound_rate_hz = RATE;
    g.def.ear = tw_ear_def();
    g.def.ear.position = tw_vec3(0, 0, 1);
    live_start(&g);
    ENSURE(strike(&g, 0, tw_vec3(-0.02, 0, 0)));
    for (int n = 0; n < 100; n++)
    {
        tw_live_advance(g.live, 0.01);
        tw_live_sound(g.live, out + 441 * n, 441);
    }
    // where both have begun, by a window that begins at the first sound
    int begin[2] = {0, 0};
    while (fabsf(out[begin[0]]) < 1e-4F * (float)loudest(out, 44100)) begin[0]++;
    while (fabsf(other_way[begin[1]]) < 1e-4F * (float)loudest(other_way, 44100)) begin[1]++;
    for (int j = 0; j < 2; j++)
    {
        const double f = bell_freq[j] * LIVE_RATE / RATE;  // tone() counts in samples of the other rate
        const double a = tone(out + begin[0], 16384, f), b = tone(other_way + begin[1], 16384, f);
        // what pieces make of a sine, twice: by their means, and by holding them
        const double x = TW_PI * bell_freq[j] * 1e-3 / BELL_BLOWS, pieces = sin(x) / x * sin(x) / x;
        ENSURE_NEAR(a / b * pieces, 1, 0.02);
    }
    free(other_way);
    live_free(&g);
    return 0;
}

// a rigid bell that falls on one of its corners; loudness of its two lower modes
static void fall_on_a_corner(double step, double loud[2])
{
    Bell bell;
    bell_make(&bell, 1);
    LiveCase g;
    live_case(&g);
    g.material.young = 1e11;
    twBodyShapeDef def = tw_body_shape_def();
    def.modes = &bell.set;
    def.max_modes = 0;
    live_body(&g, stage_shape_of(g.shapes, &def), &bell.set, tw_vec3(0, 0, 0.1 + 0.0201));
    g.bodies[0].body.motion.velocity.z = -1;
    live_floor(&g);
    g.def.world.gravity = tw_vec3(0, 0, 0);
    g.def.world.max_step = step;
    g.def.sound_rate_hz = RATE;
    g.def.ear.position = tw_vec3(0, 0, 2);
    live_start(&g);
    for (int n = 0; n < 50; n++)
    {
        tw_live_advance(g.live, 0.01);
        tw_live_sound(g.live, out + 441 * n, 441);
    }
    for (int j = 0; j < 2; j++) loud[j] = tone(out + 441 * 5, 16384, bell_freq[j] * LIVE_RATE / RATE);
    live_free(&g);
}

static int impact_shorter_than_a_step_is_as_loud_as_in_steps_that_resolve_it(void)
{
    double coarse[2], fine[2];
    fall_on_a_corner(1e-3, coarse);
    fall_on_a_corner(2.5e-5, fine);
    // it lasts 0.41 ms: in the faster mode the form of its force counts, which is no half sine
    ENSURE_NEAR(coarse[0] / fine[0], 1, 0.05);
    ENSURE_NEAR(coarse[1] / fine[1], 1, 0.2);
    return 0;
}

static int what_is_eased_into_a_grab_does_not_click(void)
{
    // a body in flight is caught gently and let go again: against the same caught at once
    double level[2];
    for (int kind = 0; kind < 2; kind++)
    {
        LiveCase g;
        sounding(&g, &bar);
        const twBodyMotion motion = {.velocity = {0, 0, 0.2}, .turn = {1, 0, 0, 0}};
        tw_live_throw(g.live, 0, &motion);
        play(&g, out, SECOND / 10 * 2, 480);
        ENSURE(loudest(out, SECOND / 5) < 1e-9);
        hold(&g, live_vertex(&g, 0, tw_vec3(0.125, 0.015, 0.0015)), kind ? 0 : 0.2);
        play(&g, out, SECOND / 2, 480);
        level[kind] = loudest(out, SECOND / 2);
        // the grab holds: let go, nothing jumps
        tw_live_release(g.live, 0);
        live_free(&g);
    }
    ENSURE(level[0] < 0.05 * level[1]);
    return 0;
}

static int at_rest_there_is_silence(void)
{
    // on the floor, after it has fallen
    LiveCase g;
    live_case(&g);
    Beam block = bar;
    block.decay = 60;
    live_beam(&g, &block, tw_vec3(0, 0, 0.05));
    live_floor(&g);
    g.def.sound_rate_hz = LIVE_RATE;
    g.def.ear = tw_ear_def();
    g.def.ear.position = tw_vec3(0, 0, 1);
    live_start(&g);
    play(&g, out, SECOND, 480);
    const double fell = loudest(out, SECOND);
    for (int i = 0; i < 2; i++) play(&g, out, SECOND, 480);
    ENSURE(fell > 1e-4);
    ENSURE(loudest(out, SECOND) < 1e-4 * fell);
    live_free(&g);
    return 0;
}

static int late_simulation_is_heard_late_and_finite(void)
{
    LiveCase g;
    sounding(&g, &bar);
    const int end = live_vertex(&g, 0, tw_vec3(0.125, 0.015, 0.0015));
    strike(&g, end, tw_vec3(0, 0, -0.01));
    // nothing is simulated for a while, then much at once
    tw_live_sound(g.live, out, SECOND / 5);
    ENSURE(loudest(out, SECOND / 5) == 0);
    tw_live_advance(g.live, 0.05);
    tw_live_sound(g.live, out, SECOND / 5);
    ENSURE(loudest(out, SECOND / 5) > 1e-5 && loudest(out, SECOND / 5) < 1e3);
    tw_live_advance(g.live, 3);
    tw_live_sound(g.live, out, SECOND);
    ENSURE(loudest(out, SECOND) < 1e3);
    live_free(&g);
    return 0;
}

static twLiveStats stats_now(LiveCase* g)
{
    // they are handed out with a view
    tw_live_advance(g->live, g->def.world.max_step);
    return live_view(g)->stats;
}

static int blocks_without_their_steps_are_counted_late(void)
{
    LiveCase g;
    sounding(&g, &bar);
    play(&g, out, SECOND / 2, 480);
    ENSURE(stats_now(&g).late == 0);
    tw_live_sound(g.live, out, SECOND / 5);
    ENSURE(stats_now(&g).late > 0 && stats_now(&g).lost_hits == 0);
    live_free(&g);
    return 0;
}

static int blows_that_are_too_old_to_be_heard_are_counted_lost(void)
{
    LiveCase g;
    sounding(&g, &bar);
    const int end = live_vertex(&g, 0, tw_vec3(0.125, 0.015, 0.0015));
    // heard while there is someone to hear
    for (int i = 0; i < 3; i++)
    {
        ENSURE(strike(&g, end, tw_vec3(0, 0, -0.01)));
        play(&g, out, SECOND / 10, 480);
    }
    ENSURE(stats_now(&g).lost_hits == 0);
    // then nobody asks for a second
    for (int i = 0; i < 5; i++)
    {
        ENSURE(strike(&g, end, tw_vec3(0, 0, -0.01)));
        tw_live_advance(g.live, 0.01);
    }
    tw_live_advance(g.live, 1);
    tw_live_sound(g.live, out, SECOND / 10);
    ENSURE(stats_now(&g).lost_hits == 5);
    live_free(&g);
    return 0;
}

// largest third difference: small of what rings smoothly, as large as the sound itself of what jumps
static double roughest(const float* x, int n)
{
    double most = 0;
    for (int i = 3; i < n; i++)
        most = fmax(most, fabs((double)x[i] - 3 * (double)x[i - 1] + 3 * (double)x[i - 2] - (double)x[i - 3]));
    return most;
}

// it is struck after a second, and heard for another half, by an ear that goes from one place to another in a time, or was there all along
static void listen_to(float* to, twVec3 from, twVec3 at, double begin, double seconds)
{
    LiveCase g;
    sounding(&g, &bar);
    tw_live_destroy(g.live);
    g.def.ear.position = from;
    live_start(&g);
    for (int n = 0; n < 3 * SECOND / 2; n += 480)
    {
        if (n == (int)(begin * SECOND)) tw_live_listen(g.live, at, tw_quat_identity(), seconds);
        if (n == SECOND) strike(&g, live_vertex(&g, 0, tw_vec3(0.125, 0, 0.0015)), tw_vec3(0, 0, -0.01));
        play(&g, to + n, 480, 480);
    }
    live_free(&g);
}

// by how many samples a sound is later than another, by their correlation
static int later_by(const float* late, const float* early, int n, int most)
{
    double best = -HUGE_VAL;
    int lag = 0;
    for (int k = 0; k < most; k++)
    {
        double sum = 0;
        for (int i = 0; i < n - most; i++) sum += (double)late[i + k] * (double)early[i];
        if (sum > best) best = sum, lag = k;
    }
    return lag;
}

static int listener_who_went_elsewhere_hears_what_one_there_hears(void)
{
    const twVec3 near = {0, 0, 1}, far = {0, 0, 2};
    const int count = 3 * SECOND / 2;
    listen_to(out, near, far, 0, 0.05);
    listen_to(other, far, far, 0, 0);
    const double most = loudest(other, count);
    for (int n = 0; n < count; n++) ENSURE_NEAR((double)out[n], (double)other[n], 1e-3 * most);
    // and that is later by the way of sound, and half as loud
    listen_to(out, near, near, 0, 0);
    ENSURE_NEAR(later_by(other + SECOND, out + SECOND, SECOND / 4, 190), LIVE_RATE / 343.2, 1.5);
    ENSURE_NEAR(loudest(out, count) / most, 2, 0.1);
    return 0;
}

static int listener_on_the_way_hears_no_click(void)
{
    const twVec3 near = {0, 0, 1}, far = {0, 0, 2};
    const int from = SECOND + SECOND / 10, count = SECOND / 5;
    listen_to(out, near, near, 0, 0);
    const double smooth = roughest(out + from, count);
    listen_to(other, near, far, 1.1, 0.2);
    ENSURE(roughest(other + from, count) < 1.1 * smooth);
    // told to be there at once, it goes as fast as it may
    listen_to(other, near, far, 1.1, 0);
    ENSURE(roughest(other + from, count) < 1.5 * smooth);
    // what jumps from the one sound to the other would be rough
    listen_to(other, far, far, 0, 0);
    memcpy(out + from + 2420, other + from + 2420, SECOND / 5 * sizeof *out);
    ENSURE(roughest(out + from, count) > 3 * smooth);
    return 0;
}

static int listener_who_comes_nearer_hears_higher_pitch(void)
{
    listen_to(out, tw_vec3(0, 0, 5), tw_vec3(0, 0, 1), 1, 0.4);
    const double f = beam_frequency(&bar, 0) / (2 * TW_PI), higher = f * (1 + 10 / 343.2);
    // after it has set out, and before it is there
    const float* at = out + SECOND + SECOND / 10;
    ENSURE(tone(at, SECOND / 4, higher) > 3 * tone(at, SECOND / 4, f));
    return 0;
}

static int body_that_is_removed_while_it_rings_ends_without_a_click(void)
{
    LiveCase g;
    sounding(&g, &bar);
    ENSURE(strike(&g, live_vertex(&g, 0, tw_vec3(0.125, 0, 0.0015)), tw_vec3(0, 0, -0.01)));
    play(&g, out, SECOND / 4, 480);
    ENSURE(tw_live_remove(g.live, 0));
    play(&g, out + SECOND / 4, SECOND / 4, 480);
    const double before = roughest(out + SECOND / 10, SECOND / 10), after = roughest(out + SECOND / 5, SECOND / 5);
    ENSURE(loudest(out + SECOND / 8, SECOND / 8) > 1e-3);
    ENSURE(after < 3 * before);
    ENSURE(loudest(out + SECOND / 4 + SECOND / 10, SECOND / 8) < 1e-2 * loudest(out + SECOND / 8, SECOND / 8));
    live_free(&g);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(struck_bar_rings_at_its_pitches_after_silence)
    RUN(pieces_that_sound_is_asked_for_in_do_not_matter)
    RUN(twice_the_blow_is_twice_the_sound)
    RUN(blow_is_as_loud_as_in_the_ordinary_sound_of_a_trace)
    RUN(impact_shorter_than_a_step_is_as_loud_as_in_steps_that_resolve_it)
    RUN(what_is_eased_into_a_grab_does_not_click)
    RUN(at_rest_there_is_silence)
    RUN(late_simulation_is_heard_late_and_finite)
    RUN(blocks_without_their_steps_are_counted_late)
    RUN(blows_that_are_too_old_to_be_heard_are_counted_lost)
    RUN(listener_who_went_elsewhere_hears_what_one_there_hears)
    RUN(listener_on_the_way_hears_no_click)
    RUN(listener_who_comes_nearer_hears_higher_pitch)
    RUN(body_that_is_removed_while_it_rings_ends_without_a_click)
)
