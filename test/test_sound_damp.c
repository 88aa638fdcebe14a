// SPDX-License-Identifier: MIT
// What damps the sound of a trace, what clicks, and what is silent.
#define _XOPEN_SOURCE 700
#include "sound.h"
#include "sound/click.h"
#include "test.h"

// a bell in a trace, and how it is heard; the bell may be changed before it is recorded
typedef struct Heard
{
    Bell bell;
    char path[1024];
    twSoundEar ear;
    twSoundBody body;
    twSoundDef def;
    int64_t frames;
} Heard;

static bool record(Heard* h, const char* name, double seconds, const Blow* blows, int count, twVec3 velocity,
                   twVec3 place)
{
    twError err = {0};
    snprintf(h->path, sizeof h->path, "%s", in_folder(name));
    h->ear = mono_at(place);
    h->body = tw_sound_body();
    h->def = sound_def(h->path, &h->ear);
    h->def.bodies = &h->body;
    if (bell_trace(h->path, &h->bell, seconds, blows, count, velocity, &err) == TW_OK) return true;
    printf("%s\n", err.text);
    return false;
}

// free() it; NULL on failure
static float* listen(Heard* h)
{
    twError err = {0};
    float* p = sound_of(&h->def, &h->frames, NULL, &err);
    if (!p) printf("%s\n", err.text);
    return p;
}

static bool is_silent(Heard* h)
{
    float* p = listen(h);
    bool silent = p && h->frames > 0;
    for (int64_t n = 0; silent && n < h->frames; n++) silent = p[n] == 0;
    free(p);
    return silent;
}

// decay of the louder half of a ringing tone, from the peaks of two windows [1/s]
static double decay_of(const float* p, int64_t from, int64_t until)
{
    double a = 0, b = 0;
    const int64_t window = 2000;
    for (int64_t n = 0; n < window; n++)
    {
        a += (double)p[from + n] * (double)p[from + n];
        b += (double)p[until - window + n] * (double)p[until - window + n];
    }
    return 0.5 * log(a / b) / ((double)(until - window - from) / RATE);
}

// decay of the first mode, pressed or not, of the sound as it is wished
static double heard_decay(Heard* h)
{
    float* p = listen(h);
    const double decay = p && h->frames > 20000 ? decay_of(p, 4000, 20000) : NAN;
    free(p);
    return decay;
}

static int contacts_damp_by_their_force_and_the_squared_shape(void)
{
    Heard h = {0};
    bell_make(&h.bell, 1);
    h.bell.moments[2] = h.bell.moments[4] = 0;  // hear the first mode alone
    const double press = 0.7;
    const Blow blows[] = {{0.01, 0.0102, 20, 0}, {0.05, 0.9, press, 2}};
    ENSURE(record(&h, "damped.twtrace", 0.8, blows, 2, still, tw_vec3(0, 0, 1)));
    ENSURE_NEAR(heard_decay(&h), bell_decay[0], 0.02 * bell_decay[0]);
    // the shape is along the normal: G = force shape^2, the amplitude decays by half of gamma G more
    const double expected = bell_decay[0] + 0.5 * 0.3 * press * 100;
    h.def.contact_damping = true;
    h.body.contact_damping = 0.3;
    ENSURE_NEAR(heard_decay(&h), expected, 0.01 * expected);
    // the whole matrix: modes are far apart, so the first decays alike
    h.def.full_damping = true;
    ENSURE_NEAR(heard_decay(&h), expected, 0.03 * expected);
    return 0;
}

// a body that was silent while something pressed it, and is struck: its first milliseconds decay as all others
static int a_body_at_rest_is_damped_from_the_first_sample(void)
{
    Heard h = {0};
    bell_make(&h.bell, 1);
    h.bell.moments[2] = h.bell.moments[4] = 0;
    const Blow blows[] = {{0, 10, 10, 2}, {0.1, 0.1001, 1, 0}};
    ENSURE(record(&h, "woken.twtrace", 0.2, blows, 2, still, tw_vec3(0, 0, 1)));
    h.def.contact_damping = true;
    h.body.contact_damping = 0.3;
    const double w = 2 * TW_PI * bell_freq[0], decay = bell_decay[0] + 0.5 * 0.3 * 10 * 100;
    for (int full = 0; full < 2; full++)
    {
        h.def.full_damping = full;
        float* p = listen(&h);
        ENSURE(p);
        const double start = 0.10005 + 0.9 / SPEED, size = 0.1 * -1e-4 * 10;
        for (int64_t n = (int64_t)(RATE * start) + 60; n < (int64_t)(RATE * start) + 500; n++)
        {
            const double t = (double)n / RATE - start, expected = size * exp(-decay * t) * cos(w * t);
            ENSURE_NEAR((double)p[n], expected, 0.08 * fabs(size));
        }
        free(p);
    }
    return 0;
}

// however hard contacts press, the whole matrix takes energy only
static int extreme_damping_is_silence(void)
{
    Heard h = {0};
    bell_make(&h.bell, 1);
    const Blow blows[] = {{0.01, 0.0102, 20, 0}, {0.05, 0.9, 7, 2}};
    ENSURE(record(&h, "extreme.twtrace", 0.2, blows, 2, still, tw_vec3(0, 0, 1)));
    h.def.contact_damping = true;
    for (int i = 0; i < 6; i++)
    {
        const double gammas[] = {1e3, 1e9, 1e30};
        h.body.contact_damping = gammas[i / 2];
        h.def.full_damping = i % 2;
        float* p = listen(&h);
        ENSURE(p);
        double loudest = 0;
        for (int64_t n = 0; n < h.frames; n++) loudest = fmax(loudest, fabs((double)p[n]));
        ENSURE(loudest > 1e-3 && loudest < 0.1);
        ENSURE(fabs((double)p[h.frames - 1000]) < 1e-6);
        free(p);
    }
    return 0;
}

// a rigid sphere that a pulse accelerates: p = rho a^3/2 cos (y'/(c r) + y/r^2), y the acceleration through two poles
static int a_ball_that_is_struck_clicks_as_a_sphere_does(void)
{
    Heard heard = {0};
    bell_make(&heard.bell, 2);
    heard.bell.set.mode_count = 0;
    heard.bell.set.transfer = NULL;
    heard.bell.set.mass.volume = 4 * TW_PI / 3 * 1e-3;  // of a sphere of 0.1 m
    const Blow blow = {0.01, 0.0104, 60, 0};
    ENSURE(record(&heard, "click.twtrace", 0.1, &blow, 1, tw_vec3(-0.001, 0, 0), tw_vec3(-0.8, 0, 0)));
    heard.def.clicks = true;
    float* p = listen(&heard);
    ENSURE(p);
    // acceleration a between two times; fine steps of the two poles, c/a = 3432
    const double accel = 60.0 / 2, pole = SPEED / 0.1, r = 0.8, h = 1e-7;
    double y = 0, v = 0, worst = 0, peak = 0;
    int64_t step = 0;
    for (int64_t n = 0; n < 1200; n++)
    {
        const double arrival = (double)n / RATE - (r - 0.1) / SPEED;
        for (; (double)step * h < arrival; step++)
        {
            const double t = (double)step * h, a = t >= blow.from && t < blow.until ? accel : 0;
            v += h * (2 * pole * pole * (a - y) - 2 * pole * v);
            y += h * v;
        }
        const double expected = 1.204 * 1e-3 / 2 * (v / (SPEED * r) + y / (r * r));
        worst = fmax(worst, fabs((double)p[n] - expected));
        peak = fmax(peak, fabs(expected));
    }
    free(p);
    ENSURE(peak > 1e-3);
    ENSURE(worst < 0.01 * peak);
    return 0;
}

// the three alphas, 2 k/(1 + k), add up to 2; a disc has 8/3 a^3
static int ellipsoids_take_air_along(void)
{
    const double halves[][3] = {{0.1, 0.1, 0.1}, {1, 1, 1e-2},   {1, 1, 1e-3},
                                {1e-3, 1e-3, 1}, {1, 0.5, 0.25}, {1, 0.01, 0.001}};
    for (int i = 0; i < 6; i++)
    {
        double sum = 0;
        for (int d = 0; d < 3; d++)
        {
            const double added = click_added(halves[i], d);
            ENSURE(added > 0);
            sum += 2 * added / (1 + added);
        }
        ENSURE_NEAR(sum, 2, 1e-12);
    }
    ENSURE_NEAR(click_added(halves[0], 1), 0.5, 1e-12);
    ENSURE_NEAR(4 * TW_PI / 3 * 1e-3 * click_added(halves[2], 2), 8.0 / 3, 1e-3);
    return 0;
}

static int held_bodies_do_not_click(void)
{
    Heard h = {0};
    bell_make(&h.bell, 2);
    h.bell.moments[0] = h.bell.moments[2] = h.bell.moments[4] = 0;
    const Blow blow = {0.01, 0.0104, 60, 0};
    ENSURE(record(&h, "held.twtrace", 0.1, &blow, 1, still, tw_vec3(-0.8, 0, 0)));
    h.def.clicks = true;
    ENSURE(!is_silent(&h));
    h.body.held = true;
    ENSURE(is_silent(&h));
    return 0;
}

static int forces_that_were_always_there_make_no_sound(void)
{
    Heard h = {0};
    bell_make(&h.bell, 2);
    const Blow blow = {0, 10, 60, 0};
    ENSURE(record(&h, "rest.twtrace", 0.3, &blow, 1, still, tw_vec3(-0.8, 0, 0)));
    h.def.clicks = h.def.contact_damping = true;
    h.def.highpass_hz = 10;
    ENSURE(is_silent(&h));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(contacts_damp_by_their_force_and_the_squared_shape)
    RUN(a_body_at_rest_is_damped_from_the_first_sample)
    RUN(extreme_damping_is_silence)
    RUN(a_ball_that_is_struck_clicks_as_a_sphere_does)
    RUN(ellipsoids_take_air_along)
    RUN(held_bodies_do_not_click)
    RUN(forces_that_were_always_there_make_no_sound)
)
