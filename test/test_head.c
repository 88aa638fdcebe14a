// SPDX-License-Identifier: MIT
// Heads made up for the purpose, whose responses are known in every direction: two ears half a head apart, each with the
// delay of its way (a plane wave at two points), softer on the far side.
#include "acoustics/hull.h"
#include "ear.h"

enum
{
    TAPS = 128,
    MAX_DIRECTIONS = 800
};
static const double RATE = 48000, RADIUS = 0.0875;
static twVec3 directions[MAX_DIRECTIONS];
static double responses[MAX_DIRECTIONS * 2 * TAPS];

// delay of an ear behind the head's centre [samples], and its gain
static double delay_of(twVec3 e, int side) { return -RADIUS / SPEED * RATE * (side == 0 ? e.y : -e.y); }
static double gain_of(twVec3 e, int side) { return 1 + 0.5 * (side == 0 ? e.y : -e.y); }

// A soft pulse, centre at some sample: a Gaussian of 2.4 samples, nearly nothing left at half the rate. Its gain at 0 is 1.
static void fill_response(double* out, double centre, double gain)
{
    for (int k = 0; k < TAPS; k++)
    {
        double x = (k - centre) / 1.2;
        out[k] = gain * exp(-0.5 * x * x) / (1.2 * sqrt(2 * TW_PI));
    }
}

// rings of directions between two elevations
static twHeadDef make_def(int rings, int per_ring, double lowest, double highest)
{
    twHeadDef def = tw_head_def();
    def.taps = TAPS;
    def.directions = directions;
    def.responses = responses;
    for (int i = 0; i < rings; i++)
        for (int k = 0; k < per_ring; k++)
        {
            double elevation = rings > 1 ? lowest + (highest - lowest) * i / (rings - 1) : lowest;
            double azimuth = 2 * TW_PI * k / per_ring;
            twVec3 e = tw_vec3(cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation));
            int n = def.direction_count++;
            directions[n] = tw_vec3_scale(e, 1.4);
            for (int side = 0; side < 2; side++)
                fill_response(responses + (2 * n + side) * TAPS, 40 + delay_of(e, side), gain_of(e, side));
        }
    return def;
}

static twHeadDef round_def(void) { return make_def(13, 48, -0.7, 1.5); }

static twHead* create_head(twHeadDef def)
{
    twHead* head;
    twError err;
    if (tw_head_create(&head, &def, &err) != TW_OK) printf("%s\n", err.text);
    return head;
}

// what a head does to a tone from somewhere, delays included
static void transfer(const twHead* head, twVec3 place, double freq_hz, double complex out[2])
{
    static double work[2 * 1024];
    double delays[2];
    int hint = 0, taps = tw_head_taps(head);
    tw_head_at(head, place, work, delays, &hint);
    for (int side = 0; side < 2; side++)
    {
        out[side] = 0;
        for (int k = 0; k < taps; k++)
            out[side] += work[side * taps + k] * cexp(-I * 2 * TW_PI * freq_hz / RATE * (k + delays[side]));
    }
}

// ---- triangles ----

static int triangles_cover_all_directions(void)
{
    static Facet facets[2 * MAX_DIRECTIONS];
    static int work[7 * MAX_DIRECTIONS];
    static twVec3 unit[MAX_DIRECTIONS];
    twRng rng = tw_rng(3);
    for (int pass = 0; pass < 2; pass++)
    {
        // a grid, many of its points on common planes; then any directions
        int count = pass == 0 ? make_def(13, 48, -1.2, 1.2).direction_count : 300;
        for (int i = 0; i < count; i++)
        {
            twVec3 any = tw_vec3(tw_rng_normal(&rng), tw_rng_normal(&rng), tw_rng_normal(&rng));
            unit[i] = tw_vec3_normalize(pass == 0 ? directions[i] : any);
        }
        int facet_count = hull_span(facets, work, unit, count), at = 0;
        ENSURE(facet_count == 2 * count - 4);  // Euler: all directions are corners
        for (int i = 0; i < 1000; i++)
        {
            twVec3 e = tw_vec3(tw_rng_normal(&rng), tw_rng_normal(&rng), tw_rng_normal(&rng)), sum = {0, 0, 0};
            double weights[3];
            e = tw_vec3_normalize(e);
            at = hull_find(facets, facet_count, unit, e, at, weights);
            for (int k = 0; k < 3; k++)
            {
                ENSURE(weights[k] >= 0 && weights[k] <= 1);
                sum = tw_vec3_add_scaled(sum, unit[facets[at].corner[k]], weights[k]);
            }
            ENSURE_NEAR(tw_vec3_norm(tw_vec3_cross(sum, e)), 0, 1e-6);
            ENSURE(tw_vec3_dot(sum, e) > 0);
        }
    }
    return 0;
}

// ---- responses ----

static int responses_are_exact_where_they_were_measured(void)
{
    twHeadDef def = round_def();
    def.calibrate = false;
    twHead* head = create_head(def);
    for (int i = 0; i < def.direction_count; i += 17)
        for (double f = 200; f < 16000; f *= 3)
        {
            double complex heard[2];
            transfer(head, directions[i], f, heard);
            twVec3 e = tw_vec3_normalize(directions[i]);
            double blur = exp(-0.5 * pow(2 * TW_PI * f / RATE * 1.2, 2));
            for (int side = 0; side < 2; side++)
            {
                double complex exact = blur * gain_of(e, side) * cexp(-I * 2 * TW_PI * f / RATE * delay_of(e, side));
                ENSURE_NEAR(cabs(heard[side] - exact), 0, 2e-2 * blur + 1e-4);
            }
        }
    tw_head_destroy(head);
    return 0;
}

// a mean of responses with delays d apart has the gain cos(pi f d): -8 dB at 10 kHz and 3 samples
static int responses_between_directions_do_not_comb(void)
{
    twHead* head = create_head(make_def(9, 24, -0.6, 1.5));
    twRng rng = tw_rng(4);
    double worst_db = 0, worst_delay = 0;
    for (int i = 0; i < 200; i++)
    {
        double a = tw_rng_between(&rng, 0, 2 * TW_PI), z = tw_rng_between(&rng, -0.5, 0.99);
        twVec3 e = tw_vec3(sqrt(1 - z * z) * cos(a), sqrt(1 - z * z) * sin(a), z);
        double complex at_10k[2], low[2];
        transfer(head, e, 10000, at_10k);
        transfer(head, e, 500, low);
        for (int side = 0; side < 2; side++)
        {
            double blur = exp(-0.5 * pow(2 * TW_PI * 10000 / RATE * 1.2, 2));
            worst_db = fmax(worst_db, fabs(decibels(cabs(at_10k[side]) / blur / gain_of(e, side))));
            double late = -carg(low[side] * cexp(I * 2 * TW_PI * 500 / RATE * delay_of(e, side)));
            worst_delay = fmax(worst_delay, fabs(late / (2 * TW_PI * 500) * RATE));
        }
    }
    // straight lines between directions 15 degrees apart are that far from the sphere
    ENSURE(worst_db < 0.5);
    ENSURE(worst_delay < 0.25);
    tw_head_destroy(head);
    return 0;
}

static int sound_from_the_front_keeps_its_level_and_its_time(void)
{
    twHeadDef def = round_def();
    for (int i = 0; i < def.direction_count * 2 * TAPS; i++) responses[i] *= 0.037;
    twHead* head = create_head(def);
    for (double f = 200; f < 801; f *= 2)
    {
        double complex p[2];
        transfer(head, tw_vec3(2, 0, 0), f, p);
        for (int side = 0; side < 2; side++) ENSURE_NEAR(cabs(p[side] - 1), 0, 0.02);
    }
    tw_head_destroy(head);
    return 0;
}

// every response through the same resonance: taken out again
static int equalizing_takes_out_what_all_directions_share(void)
{
    twHeadDef def = round_def();
    for (int i = 0; i < 2 * def.direction_count; i++)
    {
        double* x = responses + i * TAPS;
        for (int k = 2; k < TAPS; k++) x[k] += 1.2 * x[k - 1] - 0.72 * x[k - 2];
    }
    double complex raw[2], flat[2], side[2];
    twHead* head = create_head(def);
    transfer(head, tw_vec3(1, 0, 0), 6000, raw);
    tw_head_destroy(head);
    def.equalize = true;
    head = create_head(def);
    transfer(head, tw_vec3(1, 0, 0), 6000, flat);
    transfer(head, tw_vec3(0, 1, 0), 6000, side);
    tw_head_destroy(head);
    ENSURE(decibels(cabs(raw[0])) > 4);
    ENSURE_NEAR(decibels(cabs(flat[0])), 0, 1);
    // but not what differs between ears: 1.5 to 0.5
    ENSURE_NEAR(decibels(cabs(side[0]) / cabs(side[1])), 20 * log10(3), 0.3);
    return 0;
}

static int centre_of_the_head_has_the_mean_of_all_directions(void)
{
    twHead* head = create_head(round_def());
    int taps = tw_head_taps(head), hint = 0;
    static double at[2048], near[2048];
    double delays[2], close[2];
    tw_head_at(head, tw_vec3(0, 0, 0), at, delays, &hint);
    ENSURE_NEAR(delays[0], delays[1], 0.01);
    // from all sides it comes to the same
    for (int i = 0; i < 6; i++)
    {
        twVec3 e = tw_vec3(i == 0 ? 1 : i == 1 ? -1 : 0, i == 2 ? 1 : i == 3 ? -1 : 0, i == 4 ? 1 : i == 5 ? -1 : 0);
        tw_head_at(head, tw_vec3_scale(e, 1e-4), near, close, &hint);
        for (int k = 0; k < 2 * taps; k++) ENSURE_NEAR(near[k], at[k], 1e-4);
        ENSURE_NEAR(close[0], delays[0], 1e-2);
    }
    tw_head_destroy(head);
    return 0;
}

static int gaps_are_filled(void)
{
    // a ring about the head, the front alone, the half above
    for (int pass = 0; pass < 3; pass++)
    {
        twHeadDef def = pass == 0 ? make_def(1, 24, 0, 0) : pass == 1 ? make_def(1, 1, 0, 0) : make_def(6, 24, 0, 1.5);
        twHead* head = create_head(def);
        ENSURE(head);
        for (int i = 0; i < 50; i++)
        {
            double complex p[2];
            transfer(head, tw_vec3(sin(i), cos(2 * i), sin(3 * i + 1.0)), 1000, p);
            for (int side = 0; side < 2; side++) ENSURE(cabs(p[side]) > 0.2 && cabs(p[side]) < 2);
        }
        tw_head_destroy(head);
    }
    return 0;
}

// ---- ears ----

enum
{
    FRAMES = 131072
};
static float heard[2 * FRAMES];

static int ears_hear_delays_and_levels_of_the_head(void)
{
    twHead* head = create_head(round_def());
    twEarDef def = tw_ear_def();
    def.kind = TW_EAR_BINAURAL;
    def.head = head;
    for (int i = 0; i < 8; i++)
    {
        double a = 2 * TW_PI * i / 8, r = 1.7, f = 1000;
        def.turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), 0.3 * i);
        twVec3 e = tw_vec3(cos(a), sin(a), 0);
        twEar* ear = create_ear(def);
        Way source = {.place = tw_vec3_scale(tw_quat_rotate(def.turn, e), r)};
        hear_tone(ear, 2, RATE, f, &source, NULL, 0, heard, 4000);
        tw_ear_destroy(ear);
        for (int side = 0; side < 2; side++)
        {
            double complex p = ear_tone(heard, 2, side, 2000, 4000, f, RATE);
            double delay = delay_of(e, side) + r / SPEED * RATE;
            double complex exact = gain_of(e, side) / r * cexp(-I * 2 * TW_PI * f / RATE * delay);
            ENSURE_NEAR(cabs(p / exact - 1), 0, 0.02);
        }
    }
    tw_head_destroy(head);
    return 0;
}

static int rest_sounds_as_motion_too_small_to_hear(void)
{
    enum
    {
        BLOCKS = 40
    };
    static float moved[BLOCKS * BLOCK * 2];
    twEarDef def = tw_ear_def();
    twHead* head = create_head(round_def());
    def.kind = TW_EAR_BINAURAL;
    def.head = head;
    hear_trembling(def, 0, heard, BLOCKS);
    hear_trembling(def, 1e-10, moved, BLOCKS);
    double most = 0;
    for (int i = 0; i < 2 * BLOCKS * BLOCK; i++)
    {
        ENSURE_NEAR(heard[i], moved[i], 1e-6);
        most = fmax(most, fabs((double)heard[i]));
    }
    ENSURE(most > 0.5);
    tw_head_destroy(head);
    return 0;
}

static int sources_that_circle_or_pass_through_the_head_do_not_click(void)
{
    twHead* head = create_head(round_def());
    twEarDef def = tw_ear_def();
    def.kind = TW_EAR_BINAURAL;
    def.head = head;
    def.air_absorption = true;
    const Way ways[3] = {{.radius = 1, .turns_hz = 0.5},                            // about the head
                         {{-1.4, 0, 0}, {1, 0, 0}, 0, 0},                           // through its centre
                         {{0, 0.02, 0}, {0, 0, 0}, .radius = 0.1, .turns_hz = 2}};  // within
    for (int i = 0; i < 3; i++)
    {
        twEar* ear = create_ear(def);
        hear_tone(ear, 2, RATE, 3000, &ways[i], NULL, 0, heard, FRAMES);
        tw_ear_destroy(ear);
        for (int side = 0; side < 2; side++)
        {
            double clicks = clicks_db(heard, 2, side, FRAMES, 3000, 300, RATE);
            if (clicks > -60) printf("way %d, ear %d: %g dB\n", i, side, clicks);
            ENSURE(clicks < -60);
        }
    }
    tw_head_destroy(head);
    return 0;
}

// ---- trouble ----

static int head_fails(twHeadDef def, const char* text)
{
    twHead* head;
    twError err = {0};
    if (tw_head_create(&head, &def, &err) != TW_BAD_INPUT || head) return 0;
    if (!strstr(err.text, text)) printf("message: %s\n", err.text);
    return strstr(err.text, text) != NULL;
}

static int bad_heads_are_named(void)
{
    twHeadDef good = round_def(), def;
#define WITH(field, value, text) (def = good, def.field = value, head_fails(def, text))
    ENSURE(WITH(rate_hz, NAN, "rate"));
    ENSURE(WITH(direction_count, 0, "0 directions"));
    ENSURE(WITH(taps, 0, "0 taps"));
    const double late[4] = {0, 0, 0, NAN};
    ENSURE((def = make_def(1, 2, 0, 0), def.delays = late, head_fails(def, "delay nan of direction 1")));
    round_def();
    directions[3] = tw_vec3(0, 0, 0);
    ENSURE(head_fails(good, "direction 3 has no length"));
    round_def();
    responses[5 * TAPS + 7] = INFINITY;
    ENSURE(head_fails(good, "right response of direction 2 is not finite"));
    round_def();
    memset(responses + 8 * TAPS, 0, TAPS * sizeof *responses);
    ENSURE(head_fails(good, "left response of direction 4 is silent"));
#undef WITH
    // at another rate than the ear
    twHead* head = create_head(round_def());
    twEarDef edef = tw_ear_def();
    edef.kind = TW_EAR_BINAURAL;
    edef.head = head;
    edef.rate_hz = 44100;
    twEar* ear;
    twError err;
    ENSURE(tw_ear_create(&ear, &edef, &err) == TW_BAD_INPUT && strstr(err.text, "48000 Hz"));
    tw_head_destroy(head);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(triangles_cover_all_directions)
    RUN(responses_are_exact_where_they_were_measured)
    RUN(responses_between_directions_do_not_comb)
    RUN(sound_from_the_front_keeps_its_level_and_its_time)
    RUN(equalizing_takes_out_what_all_directions_share)
    RUN(centre_of_the_head_has_the_mean_of_all_directions)
    RUN(gaps_are_filled)
    RUN(ears_hear_delays_and_levels_of_the_head)
    RUN(rest_sounds_as_motion_too_small_to_hear)
    RUN(sources_that_circle_or_pass_through_the_head_do_not_click)
    RUN(bad_heads_are_named)
)
