// SPDX-License-Identifier: MIT
// The sound of modes at places: closed forms of spheres, rotation, places near, far and inside.

#include "sphere.h"
#include "test.h"

// ---- a sphere of triangles with two modes: pulsating, and moving along a direction ----

enum
{
    RINGS = 48,
    SIDES = 96,
    VERTICES = RINGS * SIDES + 2,
    FACES = 2 * RINGS * SIDES,
    MODES = 2
};
static twVec3 vertices[VERTICES];
static twTriangle faces[FACES];
static float shape[MODES * VERTICES * 3];
static double freq[MODES];

static twModeSet sphere_def(double radius, twVec3 centre, twVec3 along, double freq_hz)
{
    for (int i = 0; i < VERTICES; i++)
    {
        bool pole = i >= RINGS * SIDES;
        double u = TW_PI * (i / SIDES + 1) / (RINGS + 1), v = 2 * TW_PI * (i % SIDES) / SIDES;
        twVec3 n =
            pole ? (twVec3){0, 0, i == RINGS * SIDES ? 1 : -1} : (twVec3){sin(u) * cos(v), sin(u) * sin(v), cos(u)};
        vertices[i] = tw_vec3_add(centre, tw_vec3_scale(n, radius));
        const float rows[MODES][3] = {{(float)n.x, (float)n.y, (float)n.z},
                                      {(float)along.x, (float)along.y, (float)along.z}};
        for (int k = 0; k < MODES; k++) memcpy(shape + 3 * (k * VERTICES + i), rows[k], sizeof rows[k]);
    }
    int count = 0;
    for (int j = 0; j < SIDES; j++)
    {
        int next = (j + 1) % SIDES, last = (RINGS - 1) * SIDES;
        faces[count++] = (twTriangle){{RINGS * SIDES, j, next}};
        faces[count++] = (twTriangle){{RINGS * SIDES + 1, last + next, last + j}};
        for (int i = 0; i + 1 < RINGS; i++)
        {
            int a = i * SIDES + j, b = i * SIDES + next;
            faces[count++] = (twTriangle){{a, a + SIDES, b}};
            faces[count++] = (twTriangle){{b, a + SIDES, b + SIDES}};
        }
    }
    for (int k = 0; k < MODES; k++) freq[k] = freq_hz;
    return (twModeSet){.mode_count = MODES,
                       .vertex_count = VERTICES,
                       .face_count = FACES,
                       .freq_hz = freq,
                       .shape = shape,
                       .vertices = vertices,
                       .faces = faces};
}

static int estimate_of_a_sphere_is_its_closed_form(void)
{
    const twVec3 centre = {0.3, -0.2, 0.1}, along = {2.0 / 3, -1.0 / 3, 2.0 / 3};
    const double a = 0.05, numbers[] = {1e-4, 0.01, 0.5, 1, 3, 8}, distances[] = {1.02, 1.5, 4, 100};
    for (int i = 0; i < 6; i++)
    {
        double k = numbers[i] / a;
        twModeSet def = sphere_def(a, centre, along, k * c0 / (2 * TW_PI));
        twTransfer* t;
        ENSURE(tw_transfer_estimate(&t, &def, c0, rho0, NULL) == TW_OK);
        ENSURE_NEAR(t->radius, a, 0.02 * a);
        for (int j = 0; j < 4; j++)
        {
            double r = distances[j] * a;
            const twVec3 e = {0.48, -0.6, 0.64};
            twVec3 place = tw_vec3_add(centre, tw_vec3_scale(e, r));
            // the triangles' area is 0.2 % small
            ENSURE(near_complex(pressure(t, 0, place), pulsating(k, a, r), 0.01));
            ENSURE(near_complex(pressure(t, 1, place), oscillating(k, a, r, tw_vec3_dot(e, along)), 0.01));
        }
        tw_transfer_destroy(t);
    }
    return 0;
}

// ---- moments given ----

enum
{
    HIGH = 12,
    MANY = (HIGH + 1) * (HIGH + 1)
};
static float moments[2 * MANY], no_error[1];
static const int high_order[1] = {HIGH};
static const int64_t from_start[1] = {0};

static twTransfer random_transfer(double* freq_hz, double kR)
{
    twTransfer t = {1, MANY, {0.1, 0.2, -0.3}, 0.1, c0, rho0, freq_hz, high_order, from_start, moments, no_error};
    twRng rng = tw_rng(7);
    for (int i = 0; i < 2 * MANY; i++) moments[i] = (float)tw_rng_between(&rng, -1, 1);
    *freq_hz = kR * c0 / (2 * TW_PI * t.radius);
    return t;
}

static int moments_are_the_harmonics_of_the_pressure_on_the_sphere(void)
{
    double f = 0;
    twTransfer t = random_transfer(&f, 2);
    enum
    {
        LATITUDES = 200,
        LONGITUDES = 64
    };
    double complex found[4] = {0};
    static const int which[4] = {0, 3, 40, MANY - 2};
    for (int i = 0; i < LATITUDES; i++)
        for (int j = 0; j < LONGITUDES; j++)
        {
            double u = TW_PI * (i + 0.5) / LATITUDES, v = 2 * TW_PI * j / LONGITUDES;
            twVec3 e = {sin(u) * cos(v), sin(u) * sin(v), cos(u)};
            double area = sin(u) * (TW_PI / LATITUDES) * (2 * TW_PI / LONGITUDES), y[MANY];
            tw_harmonics_double(y, HIGH, e);
            double complex p = pressure(&t, 0, tw_vec3_add(t.centre, tw_vec3_scale(e, t.radius)));
            for (int n = 0; n < 4; n++) found[n] += area * y[which[n]] * p;
        }
    for (int n = 0; n < 4; n++) ENSURE(cabs(found[n] - value_of(moments + 2 * which[n])) < 2e-3);
    return 0;
}

// the field obeys (laplace + k^2) p = 0, tested with differences in all directions
static int field_obeys_the_wave_equation(void)
{
    double f = 0;
    twTransfer t = random_transfer(&f, 3);
    double k = 2 * TW_PI * f / c0, h = 0.01;
    const twVec3 place = {0.25, 0.35, -0.5};
    double complex middle = pressure(&t, 0, place), sum = -6 * middle;
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2)
        {
            twVec3 step = {axis == 0 ? side * h : 0, axis == 1 ? side * h : 0, axis == 2 ? side * h : 0};
            sum += pressure(&t, 0, tw_vec3_add(place, step));
        }
    ENSURE(cabs(sum / (h * h) + k * k * middle) < 0.02 * k * k * cabs(middle));
    return 0;
}

static int weights_stay_in_range_at_any_frequency_and_distance(void)
{
    static const double numbers[] = {1e-9, 1e-3, 1, 50, 300}, distances[] = {0, 1e-12, 0.05, 0.1, 1, 1e3, 1e9};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 7; j++)
        {
            double f = 0;
            twTransfer t = random_transfer(&f, numbers[i]);
            double complex p = pressure(&t, 0, (twVec3){0.1, 0.2, -0.3 + distances[j]});
            ENSURE(isfinite(creal(p)) && isfinite(cimag(p)));
            // on the sphere at most the sum of all moments
            ENSURE(cabs(p) < 200);
        }
    return 0;
}

static int inside_is_as_on_the_sphere_and_the_centre_has_no_direction(void)
{
    double f = 0;
    twTransfer t = random_transfer(&f, 1);
    const twVec3 e = {0.6, 0, 0.8};
    double complex on = pressure(&t, 0, tw_vec3_add(t.centre, tw_vec3_scale(e, 0.1)));
    ENSURE(near_complex(pressure(&t, 0, tw_vec3_add(t.centre, tw_vec3_scale(e, 0.06))), on, 1e-6));
    // at the centre the mean over the sphere; beside it nearly the same on all sides
    double complex mean = value_of(moments) * sqrt(1 / (4 * TW_PI));
    ENSURE(near_complex(pressure(&t, 0, t.centre), mean, 1e-6));
    ENSURE(cabs(pressure(&t, 0, tw_vec3_add(t.centre, tw_vec3_scale(e, 1e-6))) - mean) < 1e-3);
    ENSURE(cabs(pressure(&t, 0, tw_vec3_sub(t.centre, tw_vec3_scale(e, 1e-6))) - mean) < 1e-3);
    // a place that is none is silent trouble, not NaN
    ENSURE(isfinite(creal(pressure(&t, 0, (twVec3){NAN, 0, 0}))));
    return 0;
}

// turning the body and the listener together changes nothing
static int turning_body_and_place_together_changes_nothing(void)
{
    const twVec3 along = {0.6, 0, 0.8}, none = {0, 0, 0};
    twModeSet def = sphere_def(0.05, none, along, 3000);
    twTransfer *before, *after;
    // not a sphere: squeezed along x
    for (int i = 0; i < VERTICES; i++) vertices[i].x *= 0.4;
    ENSURE(tw_transfer_estimate(&before, &def, c0, rho0, NULL) == TW_OK);
    // x -> y, y -> -x
    def = sphere_def(0.05, none, along, 3000);
    for (int i = 0; i < VERTICES; i++)
    {
        twVec3 v = vertices[i];
        vertices[i] = (twVec3){-v.y, 0.4 * v.x, v.z};
        for (int k = 0; k < MODES; k++)
        {
            float* s = shape + 3 * (k * VERTICES + i);
            float x = s[0];
            s[0] = -s[1];
            s[1] = x;
        }
    }
    ENSURE(tw_transfer_estimate(&after, &def, c0, rho0, NULL) == TW_OK);
    for (int k = 0; k < MODES; k++)
    {
        double complex p = pressure(before, k, (twVec3){0.1, 0.05, 0.07});
        ENSURE(near_complex(pressure(after, k, (twVec3){-0.05, 0.1, 0.07}), p, 1e-5));
    }
    tw_transfer_destroy(before);
    tw_transfer_destroy(after);
    return 0;
}

// what leaves the sphere arrives far away
static int power_is_the_integral_of_far_intensity(void)
{
    double f = 0, far = 1e4, sum = 0;
    twTransfer t = random_transfer(&f, 4);
    enum
    {
        LATITUDES = 60,
        LONGITUDES = 40
    };
    for (int i = 0; i < LATITUDES; i++)
        for (int j = 0; j < LONGITUDES; j++)
        {
            double u = TW_PI * (i + 0.5) / LATITUDES, v = 2 * TW_PI * j / LONGITUDES;
            twVec3 e = {sin(u) * cos(v), sin(u) * sin(v), cos(u)};
            double area = far * far * sin(u) * (TW_PI / LATITUDES) * (2 * TW_PI / LONGITUDES);
            double p = cabs(pressure(&t, 0, tw_vec3_add(t.centre, tw_vec3_scale(e, far))));
            sum += area * p * p / (2 * rho0 * c0);
        }
    ENSURE_NEAR(tw_transfer_power(&t, 0) / sum, 1, 2e-3);
    return 0;
}

// A mode of mass 1 kg that rings at velocity v has the energy v^2/2; what a sphere radiates at unit velocity is known, and power
// over twice the energy is the decay.
static int decay_is_the_power_over_twice_the_energy(void)
{
    const double a = 0.05, numbers[] = {0.1, 1, 3};
    for (int i = 0; i < 3; i++)
    {
        double x = numbers[i], x4 = pow(x, 4), area = 2 * TW_PI * a * a * rho0 * c0;
        twModeSet def = sphere_def(a, (twVec3){0, 0, 0}, (twVec3){0, 0, 1}, x / a * c0 / (2 * TW_PI));
        twTransfer* t;
        ENSURE(tw_transfer_estimate(&t, &def, c0, rho0, NULL) == TW_OK);
        const double power[] = {area * x * x / (1 + x * x), area / 3 * x4 / (4 + x4)}, energy = 0.5;
        for (int k = 0; k < 2; k++) ENSURE_NEAR(tw_transfer_decay(t, k) / (power[k] / (2 * energy)), 1, 0.02);
        tw_transfer_destroy(t);
    }
    return 0;
}

// what is baked: the estimate of a sphere, which is exact, on a larger sphere, with a gain
static twTransfer* larger_sphere(const twModeSet* def, double gain)
{
    twTransfer *t, *larger;
    if (tw_transfer_estimate(&t, def, c0, rho0, NULL) != TW_OK) abort();
    twTransfer none = *t;
    const int orders[] = {-1, -1};
    none.order = orders;
    none.radius *= 1.3;
    if (tw_transfer_complete(&larger, &none, def, 1e5, NULL) != TW_OK) abort();
    float* scaled = calloc((size_t)larger->moment_count, 2 * sizeof *scaled);
    for (int64_t i = 0; i < 2 * larger->moment_count; i++) scaled[i] = (float)gain * larger->moments[i];
    twTransfer copy = *larger, *out;
    copy.moments = scaled;
    if (tw_transfer_create(&out, &copy, NULL) != TW_OK) abort();
    free(scaled);
    tw_transfer_destroy(larger);
    tw_transfer_destroy(t);
    return out;
}

static int modes_that_are_not_baked_are_as_loud_as_their_neighbours_say(void)
{
    const twVec3 along = {2.0 / 3, -1.0 / 3, 2.0 / 3}, e = {0.48, -0.6, 0.64};
    const double a = 0.05, r = 0.2, k = 1 / a;
    twModeSet def = sphere_def(a, (twVec3){0, 0, 0}, along, k * c0 / (2 * TW_PI));
    for (double gain = 1; gain < 3; gain++)
    {
        twTransfer *baked = larger_sphere(&def, gain), *t;
        // the second is missing; of a piston's power the first has gain^2 k^2 a^2/(1 + k^2 a^2), which is gain^2/2, and so has the second
        const int orders[] = {baked->order[0], -1};
        twTransfer half = *baked;
        half.order = orders;
        ENSURE(tw_transfer_complete(&t, &half, &def, 1e5, NULL) == TW_OK && t->order[1] >= 0);
        ENSURE(near_complex(pressure(t, 0, tw_vec3_scale(e, r)), gain * pulsating(k, a, r), 0.01));
        ENSURE_NEAR(tw_transfer_power(t, 1) / tw_mode_piston(&def, 1, c0, rho0), 0.5 * gain * gain, 0.01 * gain * gain);
        // directions are those of the estimate: (k a)^4/(4 + (k a)^4) = 1/5 of a piston's power
        ENSURE(near_complex(pressure(t, 1, tw_vec3_scale(e, r)),
                            gain * sqrt(2.5) * oscillating(k, a, r, tw_vec3_dot(e, along)), 0.01));
        tw_transfer_destroy(t);
        // one that is further away than half an octave says nothing
        twModeSet far = def;
        const double apart[] = {def.freq_hz[0] / 1.5, def.freq_hz[1]};
        far.freq_hz = half.freq_hz = apart;
        ENSURE(tw_transfer_complete(&t, &half, &far, 1e5, NULL) == TW_OK);
        ENSURE_NEAR(tw_transfer_power(t, 1) / tw_mode_piston(&def, 1, c0, rho0), 0.2, 0.01);
        half.freq_hz = baked->freq_hz;
        tw_transfer_destroy(t);
        // above the limit nothing is
        ENSURE(tw_transfer_complete(&t, &half, &def, 20, NULL) == TW_OK && t->order[1] == -1);
        tw_transfer_destroy(t);
        tw_transfer_destroy(baked);
    }
    return 0;
}

static int loudness_counts_shape_pitch_and_decay(void)
{
    double decay[] = {0, 0}, loudness[4];
    twModeSet def = sphere_def(0.05, (twVec3){0, 0, 0}, (twVec3){0, 0, 1}, 1000);
    def.decay = decay;
    twTransfer* t;
    ENSURE(tw_transfer_estimate(&t, &def, c0, rho0, NULL) == TW_OK);
    loudness[0] = tw_transfer_loudness(t, &def, 0);
    // the shape's mean square is 1, and 1 kHz is not weighted
    ENSURE_NEAR(loudness[0] / tw_transfer_power(t, 0), 1, 1e-3);
    decay[0] = 50;
    loudness[1] = tw_transfer_loudness(t, &def, 0);
    ENSURE_NEAR(loudness[1] / loudness[0], 0.01, 1e-6);
    for (int i = 0; i < 3 * VERTICES; i++) shape[i] *= 2;
    loudness[2] = tw_transfer_loudness(t, &def, 0);
    ENSURE_NEAR(loudness[2] / loudness[1], 4, 1e-6);
    // 100 Hz: 19.1 dB less by the standard; the power stays that of the transfer at 1 kHz
    freq[0] = 100;
    loudness[3] = tw_transfer_loudness(t, &def, 0);
    ENSURE_NEAR(10 * log10(loudness[3] / loudness[2]), -19.1, 0.1);
    tw_transfer_destroy(t);
    return 0;
}

static int wrong_air_and_flat_surfaces_are_refused(void)
{
    twError err;
    twTransfer* t;
    twModeSet def = sphere_def(0.05, (twVec3){0, 0, 0}, (twVec3){0, 0, 1}, 100);
    ENSURE(tw_transfer_estimate(&t, &def, 0, rho0, &err) == TW_BAD_INPUT && strstr(err.text, "speed") && !t);
    ENSURE(tw_transfer_estimate(&t, &def, c0, NAN, &err) == TW_BAD_INPUT && !t);
    def.face_count = 0;
    ENSURE(tw_transfer_estimate(&t, &def, c0, rho0, &err) == TW_BAD_INPUT && strstr(err.text, "area") && !t);
    return 0;
}

static int ball_holds_all_points_closely(void)
{
    const twVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {1, 2, 3}, {0.5, 1, 1}};
    twVec3 centre;
    double radius = tw_points_ball(corners, 5, &centre), smallest = 0.5 * sqrt(14);
    ENSURE(radius >= smallest && radius < 1.02 * smallest);
    for (int i = 0; i < 5; i++)
    {
        twVec3 d = tw_vec3_sub(corners[i], centre);
        ENSURE(sqrt(tw_vec3_dot(d, d)) <= radius * (1 + 1e-12));
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(estimate_of_a_sphere_is_its_closed_form)
    RUN(moments_are_the_harmonics_of_the_pressure_on_the_sphere)
    RUN(field_obeys_the_wave_equation)
    RUN(weights_stay_in_range_at_any_frequency_and_distance)
    RUN(inside_is_as_on_the_sphere_and_the_centre_has_no_direction)
    RUN(turning_body_and_place_together_changes_nothing)
    RUN(power_is_the_integral_of_far_intensity)
    RUN(decay_is_the_power_over_twice_the_energy)
    RUN(modes_that_are_not_baked_are_as_loud_as_their_neighbours_say)
    RUN(loudness_counts_shape_pitch_and_decay)
    RUN(wrong_air_and_flat_surfaces_are_refused)
    RUN(ball_holds_all_points_closely)
)
