// SPDX-License-Identifier: MIT
// What listeners hear, against closed forms: dipoles near and far, delays, Doppler shifts, images, ends, round cylinders.
// Tones are fitted to the rendered samples; phases count, so that delays are checked to a small part of a sample.
#include "acoustics/kernel.h"
#include "test.h"
#include "twang/acoustics.h"
#include <complex.h>
#include <stdlib.h>

static const double RATE = 44100, SPEED = 343.2, DENSITY = 1.204;

// ---- helpers ----

static twListener* create(twListenerDef def)
{
    twListener* listener;
    twError err;
    if (tw_listener_create(&listener, &def, &err) != TW_OK) printf("%s\n", err.text);
    return listener;
}

static twListener* create_at(double x, double y, double z)
{
    twListenerDef def = tw_listener_def();
    def.position = tw_vec3(x, y, z);
    return create(def);
}

// one source whose arrays are its own fields
typedef struct Source
{
    double position[3], dipole[3], rate[3], volume;
} Source;

static twSources view(const Source* s)
{
    return (twSources){1,
                       {&s->position[0], &s->position[1], &s->position[2]},
                       {&s->dipole[0], &s->dipole[1], &s->dipole[2]},
                       {&s->rate[0], &s->rate[1], &s->rate[2]},
                       &s->volume};
}

// complex amplitude of exp(i w t) in samples first .. last - 1, by least squares
static double complex fit_tone(const double* p, int first, int last, double freq_hz)
{
    double cc = 0, ss = 0, cs = 0, pc = 0, ps = 0;
    for (int n = first; n < last; n++)
    {
        double c = cos(2 * TW_PI * freq_hz * n / RATE), s = sin(2 * TW_PI * freq_hz * n / RATE);
        cc += c * c, ss += s * s, cs += c * s, pc += p[n] * c, ps += p[n] * s;
    }
    double det = cc * ss - cs * cs, a = (pc * ss - ps * cs) / det, b = (ps * cc - pc * cs) / det;
    return a - I * b;
}

// Samples of a listener to a source at the origin with a dipole of acceleration cos(w t) along (1, 0, 0), or a volume.
enum
{
    LONG = 20000
};
static double heard[LONG];

static double complex tone_at(twListener* l, double freq_hz, double dipole, double volume, int track)
{
    double w = 2 * TW_PI * freq_hz;
    int latency = tw_listener_latency(l), steps = LONG;
    for (int n = 0; n < steps + latency; n++)
    {
        Source s = {.dipole = {dipole * cos(w * n / RATE)},
                    .rate = {-dipole * w * sin(w * n / RATE)},
                    .volume = volume * cos(w * n / RATE)};
        twSources sources = view(&s);
        tw_listener_add(l, track, &sources);
        double p = tw_listener_step(l);
        if (n >= latency) heard[n - latency] = p;
    }
    return fit_tone(heard, LONG - 5000, LONG, freq_hz);
}

static double decibels(double ratio) { return 20 * log10(fabs(ratio)); }

// ---- dipoles and monopoles at rest ----

static int dipole_is_the_closed_form_near_and_far(void)
{
    const double freqs[] = {50, 100, 440, 1000, 5000, 10000, 15000, 19800}, distances[] = {0.02, 0.34, 3.3, 37};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++)
        {
            double r = distances[j], w = 2 * TW_PI * freqs[i], cosine = 0.6;
            twListener* l = create_at(cosine * r, 0.8 * r, 0);
            double complex p = tone_at(l, freqs[i], 1e-3, 0, 0);
            tw_listener_destroy(l);
            double complex exact =
                DENSITY / (4 * TW_PI) * 1e-3 * cosine * (I * w / (SPEED * r) + 1 / (r * r)) * cexp(-I * w * r / SPEED);
            // level within 0.04 dB (at 0.45 of the rate, else 0.01), delay within 0.005 samples at 1 kHz and up
            double tolerance = freqs[i] > 17000 ? 4e-3 : 1e-3;
            ENSURE_NEAR(cabs(p / exact), 1, tolerance);
            ENSURE_NEAR(carg(p / exact), 0, tolerance);
        }
    return 0;
}

static int volume_is_the_closed_form(void)
{
    for (double f = 50; f < 19000; f *= 2.7)
    {
        double r = 1.234, w = 2 * TW_PI * f;
        twListener* l = create_at(0, r, 0);
        double complex p = tone_at(l, f, 0, 1e-4, 0),
                       exact = DENSITY * 1e-4 / (4 * TW_PI * r) * cexp(-I * w * r / SPEED);
        tw_listener_destroy(l);
        ENSURE_NEAR(cabs(p / exact - 1), 0, 1e-3);
    }
    return 0;
}

// the far part alone misses more than 5 dB at 100 Hz and 0.34 m
static int near_term_counts_at_low_frequencies(void)
{
    double w = 2 * TW_PI * 100, r = 0.34, far = DENSITY * 1e-3 * w / (4 * TW_PI * SPEED * r);
    twListener* l = create_at(r, 0, 0);
    double p = cabs(tone_at(l, 100, 1e-3, 0, 0));
    tw_listener_destroy(l);
    ENSURE_NEAR(decibels(far / p), -10 * log10(1 + pow(SPEED / (w * r), 2)), 0.01);
    ENSURE(decibels(far / p) < -5);
    return 0;
}

static int level_and_delay_follow_distance(void)
{
    // distances a little apart: the fraction of the delay takes all values
    for (double r = 0.5; r < 90; r *= 1.37)
    {
        twListener* l = create_at(0, 0, r);
        double complex p = tone_at(l, 3000, 0, 1, 0), scale = DENSITY / (4 * TW_PI);
        tw_listener_destroy(l);
        ENSURE_NEAR(cabs(p / scale) * r, 1, 1e-3);
        double turns = carg(p * cexp(I * 2 * TW_PI * 3000 * r / SPEED)) / (2 * TW_PI);
        ENSURE_NEAR(turns * RATE / 3000, 0, 2e-3);  // samples
    }
    return 0;
}

// ---- motion ----

// A volume source and an ear that both move along lines: exact pressure at time t.
static double exact_moving(twVec3 source, twVec3 v, twVec3 ear, twVec3 u, double w, double t)
{
    // emission at tau: |ear(t) - source(tau)| = c (t - tau), by halving
    twVec3 e = tw_vec3_add_scaled(ear, u, t);
    double low = t - 10, high = t;
    for (int i = 0; i < 80; i++)
    {
        double tau = 0.5 * (low + high);
        if (tw_vec3_norm(tw_vec3_sub(e, tw_vec3_add_scaled(source, v, tau))) > SPEED * (t - tau))
            high = tau;
        else
            low = tau;
    }
    twVec3 d = tw_vec3_sub(e, tw_vec3_add_scaled(source, v, low));
    double r = tw_vec3_norm(d), mach = tw_vec3_dot(d, v) / (r * SPEED);
    return DENSITY / (4 * TW_PI * r * (1 - mach)) * cos(w * low);
}

static double worst_of_moving(twVec3 source, twVec3 v, twVec3 ear, twVec3 u, double freq_hz)
{
    double w = 2 * TW_PI * freq_hz, worst = 0, peak = 0;
    twListener* l = create_at(ear.x, ear.y, ear.z);
    int latency = tw_listener_latency(l), steps = 12000;
    for (int n = 0; n < steps; n++)
    {
        double t = n / RATE;
        twVec3 x = tw_vec3_add_scaled(source, v, t);
        Source s = {.position = {x.x, x.y, x.z}, .volume = cos(w * t)};
        twSources sources = view(&s);
        tw_listener_move(l, tw_vec3_add_scaled(ear, u, t));
        tw_listener_add(l, 0, &sources);
        double p = tw_listener_step(l);
        if (n < 4000) continue;
        double exact = exact_moving(source, v, ear, u, w, (n - latency) / RATE);
        worst = fmax(worst, fabs(p - exact));
        peak = fmax(peak, fabs(exact));
    }
    tw_listener_destroy(l);
    return worst / peak;
}

static int moving_sources_shift_in_pitch_and_level_as_doppler_says(void)
{
    ENSURE(worst_of_moving(tw_vec3(-6, 1, 0), tw_vec3(40, 0, 0), tw_vec3(0, 0, 0), tw_vec3(0, 0, 0), 2000) < 1e-3);
    ENSURE(worst_of_moving(tw_vec3(-4, 0.1, 0), tw_vec3(-30, 0, 0), tw_vec3(0, 0, 0), tw_vec3(0, 0, 0), 10000) < 1e-3);
    return 0;
}

static int moving_listeners_shift_in_pitch_but_not_in_level(void)
{
    ENSURE(worst_of_moving(tw_vec3(0, 0, 0), tw_vec3(0, 0, 0), tw_vec3(-6, 1, 0), tw_vec3(40, 0, 0), 2000) < 1e-3);
    ENSURE(worst_of_moving(tw_vec3(1, 0, 0), tw_vec3(0, 10, 0), tw_vec3(9, 1, 2), tw_vec3(-30, 0, 10), 7000) < 1e-3);
    return 0;
}

// ---- ground ----

static int ground_is_an_image(void)
{
    twListenerDef def = tw_listener_def();
    def.position = tw_vec3(2, 1, 1.5);
    twListener* direct = create(def);
    def.position.z = -2.5;
    twListener* image = create(def);
    def.position.z = 1.5;
    def.ground = true;
    def.ground_point = tw_vec3(7, 7, -0.5);
    def.ground_normal = tw_vec3(0, 0, 3);
    def.reflection = 0.7;
    twListener* both = create(def);
    for (int n = 0; n < 3000; n++)
    {
        Source s = {.dipole = {sin(n * 0.3), 1, cos(n * 0.1)}, .rate = {1e4 * cos(n * 0.7), 1, 1e4}, .volume = sin(n)};
        twSources sources = view(&s);
        double shift = 1e-4 * n;
        tw_listener_move(direct, tw_vec3(2, 1, 1.5 + shift));
        tw_listener_move(image, tw_vec3(2, 1, -2.5 - shift));
        tw_listener_move(both, tw_vec3(2, 1, 1.5 + shift));
        tw_listener_add(direct, 0, &sources);
        tw_listener_add(image, 0, &sources);
        tw_listener_add(both, 0, &sources);
        double a = tw_listener_step(direct), b = tw_listener_step(image), c = tw_listener_step(both);
        ENSURE_NEAR(c, a + 0.7 * b, 1e-9);
    }
    tw_listener_destroy(direct);
    tw_listener_destroy(image);
    tw_listener_destroy(both);
    return 0;
}

// ---- round cylinders ----

// J1' and Y1' by the series of Abramowitz and Stegun 9.1.10 and 9.1.11, differentiated: good up to about x = 12
static double complex hankel_slope(double x)
{
    double j0 = 0, j1 = 0, y0 = 0, y1 = 0, half = x / 2, gamma = 0.57721566490153286061;
    double term0 = 1, term1 = half, harmonic = 0;
    for (int k = 0; k < 60; k++)
    {
        double next = harmonic + 1.0 / (k + 1);
        j0 += term0;
        j1 += term1;
        y0 += term0 * harmonic;
        y1 += term1 * (harmonic + next);
        term0 *= -half * half / ((k + 1.0) * (k + 1.0));
        term1 *= -half * half / ((k + 1.0) * (k + 2.0));
        harmonic = next;
    }
    y0 = 2 / TW_PI * ((log(half) + gamma) * j0 - y0);
    y1 = 2 / TW_PI * (log(half) + gamma) * j1 - 1 / (TW_PI * half) - y1 / TW_PI;
    return j0 - j1 / x + I * (y0 - y1 / x);
}

static int round_cylinder_has_hankels_factor(void)
{
    const double radius[] = {0, 6.35e-3, 25e-3};
    for (int i = 1; i < 3; i++)
        for (double f = 60; f < 19800; f *= 1.9)
        {
            twListenerDef def = tw_listener_def();
            def.position = tw_vec3(2, 0, 0);
            def.track_count = 3;
            def.radius = radius;
            twListener *compact = create(def), *exact = create(def);
            double complex ratio = tone_at(exact, f, 1, 0, i) / tone_at(compact, f, 1, 0, 0);
            tw_listener_destroy(compact);
            tw_listener_destroy(exact);
            double ka = 2 * TW_PI * f * radius[i] / SPEED;
            double complex factor = conj(2 * I / (TW_PI * ka * ka * hankel_slope(ka)));
            ENSURE_NEAR(cabs(ratio - factor), 0, 2e-3);
        }
    return 0;
}

static int compact_thick_rod_is_too_loud_by_the_published_amount(void)
{
    const double freqs[] = {5000, 10000, 15000}, louder_db[] = {0.3, 4.8, 9.5};
    for (int i = 0; i < 3; i++)
    {
        double ka = 2 * TW_PI * freqs[i] * 6.35e-3 / 340;
        ENSURE_NEAR(-decibels(cabs(2 * I / (TW_PI * ka * ka * hankel_slope(ka)))), louder_db[i], 0.1);
    }
    return 0;
}

// ---- rods ----

// a straight rod of equal edges along z
enum
{
    MOST = 4001
};
typedef struct Rod
{
    int points;
    double length[MOST], position[3][MOST], acceleration[3][MOST], jerk[3][MOST], d1[3][MOST], d2[3][MOST];
} Rod;

static Rod rod;  // too large for a stack

static void make_rod(int points, double length)
{
    memset(&rod, 0, sizeof rod);
    rod.points = points;
    for (int i = 0; i < points; i++)
    {
        rod.length[i] = length / (points - 1);
        rod.position[2][i] = rod.length[i] * i - length / 2;
        rod.d1[0][i] = rod.d2[1][i] = 1;
    }
}

static twRadiatorMotion motion(void)
{
    twRadiatorMotion m;
    for (int k = 0; k < 3; k++)
    {
        m.position[k] = rod.position[k];
        m.acceleration[k] = rod.acceleration[k];
        m.jerk[k] = rod.jerk[k];
        m.director1[k] = rod.d1[k];
        m.director2[k] = rod.d2[k];
    }
    return m;
}

static twRadiator* make_radiator(twSectionDef outline, twRadiatorDef def)
{
    twSection section;
    twRadiator* radiator = NULL;
    twError err;
    tw_section_compute(&section, &outline, NULL);
    def.point_count = rod.points;
    def.section_count = 1;
    def.sections = &section;
    def.lengths = rod.length;
    if (tw_radiator_create(&radiator, &def, &err) != TW_OK) printf("%s\n", err.text);
    return radiator;
}

// hear the rod, all points moving with acceleration shape(i) cos(w t) along an axis
static double complex hear_rod(twListener* l, twRadiator* radiator, int axis, const double* shape, double freq_hz,
                               int steps)
{
    double w = 2 * TW_PI * freq_hz;
    int latency = tw_listener_latency(l);
    for (int n = 0; n < steps + latency; n++)
    {
        double c = cos(w * n / RATE), s = -w * sin(w * n / RATE);
        for (int i = 0; i < rod.points; i++)
        {
            rod.acceleration[axis][i] = shape[i] * c;
            rod.jerk[axis][i] = shape[i] * s;
        }
        twRadiatorMotion m = motion();
        twSources sources = tw_radiator_update(radiator, &m);
        tw_listener_add(l, 0, &sources);
        double p = tw_listener_step(l);
        if (n >= latency) heard[n - latency] = p;
    }
    return fit_tone(heard, steps - steps / 2, steps, freq_hz);
}

static double ones[MOST];

static int short_cylinder_is_a_dipole_within_a_fifth_of_a_decibel(void)
{
    // 10 mm long and 2 mm thick; at 5 kHz that is a seventh of a wavelength
    double radius = 1e-3, length = 10e-3, r = 0.5;
    make_rod(11, length);
    twRadiator* radiator = make_radiator(tw_section_circle(radius), tw_radiator_def());
    for (double f = 50; f <= 5000; f *= 10)
    {
        twListener* l = create_at(0.8 * r, 0, 0.6 * r);
        double w = 2 * TW_PI * f, strength = 2 * TW_PI * radius * radius * length * 0.8;
        double complex p = hear_rod(l, radiator, 0, ones, f, 6000);
        double complex exact = DENSITY / (4 * TW_PI) * strength * (I * w / (SPEED * r) + 1 / (r * r));
        tw_listener_destroy(l);
        ENSURE_NEAR(decibels(cabs(p) / cabs(exact)), 0, 0.2);
    }
    tw_radiator_destroy(radiator);
    return 0;
}

// A long rod that moves alike everywhere (fading towards its ends) is the plane problem, whose exact field is
// p = i rho c v H1(k r)/H1'(ka) cos(theta): all of dipoles, delays and the cylinder's filter at once.
static int long_cylinder_has_hankels_field(void)
{
    double radius = 6.35e-3, f = 4000, r = 0.4, k = 2 * TW_PI * f / SPEED;
    static double shape[MOST];
    make_rod(1601, 24);
    for (int i = 0; i < rod.points; i++) shape[i] = pow(sin(TW_PI * i / (rod.points - 1)), 2);
    twRadiator* radiator = make_radiator(tw_section_circle(radius), tw_radiator_def());
    twListenerDef def = tw_listener_def();
    def.position = tw_vec3(r, 0, 0);
    def.radius = &radius;
    twListener* l = create(def);
    double complex p = hear_rod(l, radiator, 0, shape, f, 3000);
    tw_listener_destroy(l);
    tw_radiator_destroy(radiator);

    // v exp(-i w t) with acceleration 1: v = i/w; H1 far out by its asymptotic series (Abramowitz and Stegun 9.2.5)
    double x = k * r, w = k * SPEED, p1 = 1 + 15 / (128 * x * x), q1 = 3 / (8 * x) - 105 / (1024 * x * x * x);
    double complex h1 = sqrt(2 / (TW_PI * x)) * cexp(I * (x - 0.75 * TW_PI)) * (p1 + I * q1);
    double complex exact = conj(I * DENSITY * SPEED * (I / w) * h1 / hankel_slope(k * radius));
    ENSURE_NEAR(decibels(cabs(p / exact)), 0, 0.1);
    ENSURE_NEAR(carg(p / exact), 0, 0.01);
    return 0;
}

static int dipoles_follow_section_and_directors(void)
{
    make_rod(3, 0.2);
    twSection s;
    twSectionDef box = tw_section_rectangle(20e-3, 5e-3);
    tw_section_compute(&s, &box, NULL);
    twRadiator* radiator = make_radiator(box, tw_radiator_def());
    double c = cos(0.3), n = sin(0.3);
    for (int i = 0; i < 2; i++)
    {
        rod.d1[0][i] = c, rod.d1[1][i] = n;
        rod.d2[0][i] = -n, rod.d2[1][i] = c;
    }
    for (int i = 0; i < 3; i++) rod.acceleration[0][i] = 1, rod.jerk[1][i] = 2, rod.acceleration[2][i] = 5;
    twRadiatorMotion m = motion();
    twSources out = tw_radiator_update(radiator, &m);
    // the middle point has a whole edge, the ends half of one
    double xx = c * c * s.dipole[0] + n * n * s.dipole[1], xy = c * n * (s.dipole[0] - s.dipole[1]);
    double yy = n * n * s.dipole[0] + c * c * s.dipole[1];
    for (int i = 0; i < 3; i++)
    {
        double length = i == 1 ? 0.1 : 0.05;
        ENSURE_NEAR(out.dipole[0][i], xx * length, 1e-15);
        ENSURE_NEAR(out.dipole[1][i], xy * length, 1e-15);
        ENSURE_NEAR(out.dipole[2][i], 0, 1e-15);
        ENSURE_NEAR(out.dipole_rate[1][i], 2 * yy * length, 1e-15);
    }
    tw_radiator_destroy(radiator);

    // the uniform dipole knows no direction
    twRadiatorDef uniform = tw_radiator_def();
    uniform.uniform = true;
    radiator = make_radiator(box, uniform);
    out = tw_radiator_update(radiator, &m);
    ENSURE_NEAR(out.dipole[0][1], 0.05 * (s.dipole[0] + s.dipole[1]), 1e-15);
    ENSURE_NEAR(out.dipole[1][1], 0, 1e-15);
    tw_radiator_destroy(radiator);
    return 0;
}

static int outline_that_is_turned_gives_the_same_dipoles(void)
{
    // a box given as a polygon turned by 0.4, with directors turned back
    double p[8], w = 10e-3, h = 4e-3, x[] = {-w, w, w, -w}, y[] = {-h, -h, h, h};
    for (int i = 0; i < 4; i++)
    {
        p[2 * i] = cos(0.4) * x[i] - sin(0.4) * y[i];
        p[2 * i + 1] = sin(0.4) * x[i] + cos(0.4) * y[i];
    }
    make_rod(2, 1);
    rod.acceleration[0][0] = 1, rod.acceleration[1][0] = 0.3;
    twRadiatorMotion m = motion();
    twRadiator* plain = make_radiator(tw_section_rectangle(2 * w, 2 * h), tw_radiator_def());
    twSources a = tw_radiator_update(plain, &m);
    twRadiator* turned = make_radiator(tw_section_polygon(p, 4), tw_radiator_def());
    rod.d1[0][0] = cos(0.4), rod.d1[1][0] = -sin(0.4);
    rod.d2[0][0] = sin(0.4), rod.d2[1][0] = cos(0.4);
    twSources b = tw_radiator_update(turned, &m);
    for (int k = 0; k < 2; k++) ENSURE_NEAR(b.dipole[k][0], a.dipole[k][0], 1e-6 * a.dipole[0][0]);
    tw_radiator_destroy(plain);
    tw_radiator_destroy(turned);
    return 0;
}

static int closed_rod_has_no_ends_and_no_seam(void)
{
    enum
    {
        N = 12
    };
    make_rod(N, 1);
    for (int i = 0; i < N; i++)
    {
        double angle = 2 * TW_PI * i / N, edge = angle + TW_PI / N;
        rod.position[0][i] = cos(angle), rod.position[1][i] = sin(angle), rod.position[2][i] = 0;
        rod.d1[0][i] = cos(edge), rod.d1[1][i] = sin(edge);
        rod.d2[0][i] = 0, rod.d2[1][i] = 0, rod.d2[2][i] = 1;
        rod.acceleration[2][i] = 1;
    }
    twRadiatorDef def = tw_radiator_def();
    def.closed = true;
    twRadiator* radiator = make_radiator(tw_section_circle(1e-3), def);
    twRadiatorMotion m = motion();
    twSources out = tw_radiator_update(radiator, &m);
    ENSURE(out.volume == NULL);
    for (int i = 0; i < N; i++) ENSURE_NEAR(out.dipole[2][i], 2 * TW_PI * 1e-6 * rod.length[i], 1e-18);
    tw_radiator_destroy(radiator);
    return 0;
}

// lengthwise: two pistons of opposite sign; at low frequency, far off on the axis, the dipole S L a
static int ends_radiate_lengthwise_motion(void)
{
    double radius = 3e-3, area = TW_PI * radius * radius, length = 0.3;
    make_rod(31, length);
    twRadiator* radiator = make_radiator(tw_section_circle(radius), tw_radiator_def());
    for (double f = 40; f < 10000; f *= 3)
    {
        double r = 2, w = 2 * TW_PI * f, k = w / SPEED, r1 = r - length / 2, r2 = r + length / 2;
        twListener* l = create_at(0, 0, r);
        double complex p = hear_rod(l, radiator, 2, ones, f, 6000);
        double complex exact = DENSITY * area / (4 * TW_PI) * (cexp(-I * k * r1) / r1 - cexp(-I * k * r2) / r2);
        double complex compact = DENSITY / (4 * TW_PI) * area * length * (I * k / r + 1 / (r * r)) * cexp(-I * k * r);
        tw_listener_destroy(l);
        ENSURE_NEAR(cabs(p / exact - 1), 0, 2e-3);
        if (f < 100) ENSURE_NEAR(cabs(p / compact - 1), 0, 0.02);
    }
    tw_radiator_destroy(radiator);
    return 0;
}

static int sides_swell_when_a_rod_shortens(void)
{
    double radius = 3e-3, area = TW_PI * radius * radius, nu = 0.3, total = 0;
    make_rod(31, 0.3);
    for (int i = 0; i < rod.points; i++) rod.acceleration[2][i] = rod.position[2][i];
    twRadiatorDef def = tw_radiator_def();
    def.poisson = nu;
    twRadiator* radiator = make_radiator(tw_section_circle(radius), def);
    twRadiatorMotion m = motion();
    twSources out = tw_radiator_update(radiator, &m);
    for (int i = 0; i < rod.points; i++) total += out.volume[i];
    // all together the change of the rod's volume, (1 - 2 nu) S times the stretch
    ENSURE_NEAR(total, (1 - 2 * nu) * area * 0.3, 1e-15);
    ENSURE_NEAR(out.volume[15], -2 * nu * area * 0.01, 1e-15);
    tw_radiator_destroy(radiator);
    return 0;
}

// ---- switches ----

static int instant_sound_has_the_level_but_no_delay(void)
{
    twListenerDef def = tw_listener_def();
    def.position = tw_vec3(0, 5, 0);
    def.instant = true;
    twListener* l = create(def);
    double complex p = tone_at(l, 1000, 0, 1, 0);
    ENSURE_NEAR(cabs(p - DENSITY / (4 * TW_PI * 5)), 0, 1e-5);
    tw_listener_destroy(l);
    return 0;
}

static int signal_is_heard_as_it_is(void)
{
    twListener* l = create_at(0, 0, 0);
    int latency = tw_listener_latency(l);
    double worst = 0;
    for (int n = 0; n < 2000; n++)
    {
        tw_listener_add_signal(l, sin(0.5 * n) + cos(2 * n));
        double p = tw_listener_step(l), t = n - latency;
        if (n > 300) worst = fmax(worst, fabs(p - sin(0.5 * t) - cos(2 * t)));
    }
    ENSURE(worst < 2e-3);
    tw_listener_destroy(l);
    return 0;
}

static int lowpass_is_butterworths(void)
{
    for (double f = 1000; f < 12000; f *= 1.7)
    {
        twListenerDef def = tw_listener_def();
        def.position = tw_vec3(0, 1, 0);
        twListener* plain = create(def);
        def.lowpass_hz = 6000;
        twListener* low = create(def);
        double gain = cabs(tone_at(low, f, 0, 1, 0) / tone_at(plain, f, 0, 1, 0));
        double ratio = tan(TW_PI * f / RATE) / tan(TW_PI * 6000 / RATE);
        ENSURE_NEAR(gain, 1 / sqrt(1 + pow(ratio, 12)), 1e-4);
        tw_listener_destroy(plain);
        tw_listener_destroy(low);
    }
    return 0;
}

// ---- trouble ----

static int sources_too_near_too_far_or_not_finite_are_counted(void)
{
    const double places[][2] = {{0, 1}, {200, 1}, {1, NAN}, {NAN, 1}, {1, INFINITY}};
    for (int i = 0; i < 5; i++)
    {
        twListenerDef def = tw_listener_def();
        def.lowpass_hz = 15000;
        twListener* l = create(def);
        double last = 0, largest = 0;
        for (int n = 0; n < 1000; n++)
        {
            Source s = {.position = {places[i][0]}, .dipole = {n == 0 ? places[i][1] : 0}};
            twSources sources = view(&s);
            if (n < 100) tw_listener_add(l, 0, &sources);
            last = tw_listener_step(l);
            ENSURE(isfinite(last));
            largest = fmax(largest, fabs(last));
        }
        twListenerStats stats = tw_listener_stats(l);
        ENSURE(stats.too_near == (i == 0 ? 100 : 0) && stats.too_far == (i == 1 ? 100 : 0));
        ENSURE(stats.bad_values == (i == 2 || i == 4 ? 1 : i == 3 ? 100 : 0));
        // at the ear the direction is none, so that a dipole is not heard
        ENSURE(largest == 0);
        tw_listener_destroy(l);
    }
    return 0;
}

static int sound_ends_when_it_has_arrived(void)
{
    twListener* l = create_at(0, 0, 50);
    double last = 1;
    for (int n = 0; n < 9000; n++)
    {
        Source s = {.volume = n < 500 ? cos(n) : 0};
        twSources sources = view(&s);
        tw_listener_add(l, 0, &sources);
        last = tw_listener_step(l);
        double arrival = 50 / SPEED * RATE;
        // nothing before its time but the bump and the filter's ringing, and nothing after
        if (n - tw_listener_latency(l) < arrival - 110 || n - tw_listener_latency(l) > arrival + 610) ENSURE(last == 0);
    }
    tw_listener_destroy(l);
    return 0;
}

static int jumping_listener_has_no_velocity(void)
{
    twListener *l = create_at(0, 0, 1), *still = create_at(0, 0, 1);
    for (int n = 0; n < 400; n++)
    {
        Source s = {.volume = cos(0.2 * n)};
        twSources sources = view(&s);
        tw_listener_move(l, tw_vec3(0, 0, n < 200 ? 1 : -1));
        tw_listener_add(l, 0, &sources);
        tw_listener_add(still, 0, &sources);
        ENSURE_NEAR(tw_listener_step(l), tw_listener_step(still), 1e-12);
    }
    tw_listener_move(l, tw_vec3(NAN, 0, 0));
    ENSURE(tw_listener_stats(l).bad_values == 1);
    tw_listener_destroy(l);
    tw_listener_destroy(still);
    return 0;
}

static int all_instruction_sets_write_the_same_bits(void)
{
    enum
    {
        N = 131,
        SIZE = 4096
    };
    static double field[10][N], rings[3][WRITE_COPIES * (SIZE + 72)], table[WRITE_PHASES * 2 * WRITE_TAPS];
    const char* names[] = {"generic", "avx2", "avx512"};
    twRng rng = tw_rng(1);
    for (int k = 0; k < 10; k++)
        for (int i = 0; i < N; i++) field[k][i] = tw_rng_between(&rng, -1, 1);
    for (int i = 0; i < WRITE_PHASES * 2 * WRITE_TAPS; i++) table[i] = tw_rng_uniform(&rng);
    twSources s = {
        N, {field[0], field[1], field[2]}, {field[3], field[4], field[5]}, {field[6], field[7], field[8]}, field[9]};
    Ear ear = {{3, 2, 1}, {1, 2, 3}, 1e-6, 100, 343, 44100, 1, 1, true, false};
    for (int v = 0; v < 3; v++)
    {
        const Kernel* kernel = acoustics_kernel(names[v]);
        if (!kernel) continue;
        ENSURE_TEXT(kernel->name, names[v]);
        for (int pass = 0; pass < 4; pass++)
        {
            twListenerStats stats = {0};
            ear.moves = pass & 1;
            s.volume = pass & 2 ? field[9] : NULL;
            kernel->write(&ear, &(Ring){rings[v], SIZE + 72, SIZE - 1, 4000 + pass, table}, &s, &stats);
        }
        ENSURE(memcmp(rings[v], rings[0], sizeof rings[0]) == 0);
    }
    ENSURE(acoustics_kernel("abacus") == NULL);
    return 0;
}

static int listener_fails(twListenerDef def, const char* text)
{
    twListener* l;
    twError err = {0};
    if (tw_listener_create(&l, &def, &err) != TW_BAD_INPUT || l) return 0;
    if (!strstr(err.text, text)) printf("message: %s\n", err.text);
    return strstr(err.text, text) != NULL;
}

static int bad_listeners_are_named(void)
{
    twListenerDef good = tw_listener_def(), def;
#define WITH(field, value, text) (def = good, def.field = value, listener_fails(def, text))
    ENSURE(WITH(rate_hz, 0, "rate 0"));
    ENSURE(WITH(sound_speed, NAN, "speed of sound"));
    ENSURE(WITH(air_density, -1, "density of air -1"));
    ENSURE(WITH(position.y, INFINITY, "position (0, inf, 0)"));
    ENSURE(WITH(nearest, 200, "distances from 200 to 100"));
    ENSURE(WITH(farthest, 1e9, "distances"));
    ENSURE(WITH(lowpass_hz, 22050, "low-pass at 22050"));
    ENSURE(WITH(track_count, 0, "0 tracks"));
    double fat[] = {2};
    ENSURE(WITH(radius, fat, "too fat"));
    double negative[] = {-1};
    ENSURE(WITH(radius, negative, "radius -1 of track 0"));
    good.ground = true;
    ENSURE(WITH(ground_normal, tw_vec3(0, 0, 0), "normal other than 0"));
    ENSURE(WITH(reflection, 1.5, "reflection 1.5"));
    ENSURE(WITH(position, tw_vec3(0, 0, -1), "below the ground"));
#undef WITH
    return 0;
}

static int bad_radiators_are_named(void)
{
    twSection section;
    twSectionDef circle = tw_section_circle(5e-3);
    tw_section_compute(&section, &circle, NULL);
    make_rod(5, 1);
    twRadiatorDef def = tw_radiator_def();
    twRadiator* r;
    twError err;
    def.sections = &section;
    def.section_count = 1;
    def.lengths = rod.length;
    def.point_count = 1;
    ENSURE(tw_radiator_create(&r, &def, &err) == TW_BAD_INPUT && strstr(err.text, "1 points"));
    def.point_count = 5;
    def.section_count = 3;
    ENSURE(tw_radiator_create(&r, &def, &err) == TW_BAD_INPUT && strstr(err.text, "3 sections"));
    def.section_count = 1;
    rod.length[2] = 0;
    ENSURE(tw_radiator_create(&r, &def, &err) == TW_BAD_INPUT && strstr(err.text, "length 0 of edge 2"));
    rod.length[2] = 0.25;
    def.poisson = 0.6;
    ENSURE(tw_radiator_create(&r, &def, &err) == TW_BAD_INPUT && strstr(err.text, "Poisson's ratio 0.6"));
    def.poisson = 0;
    ENSURE(tw_radiator_create(&r, &def, &err) == TW_OK);

    tw_radiator_destroy(r);
    return 0;
}

// along z from -0.5 to 0.5, d1 along x
static int places_inside_a_rod_are_told_by_its_true_extent(void)
{
    const struct
    {
        twSectionDef section;
        twVec3 place;
        bool inside;
    } cases[] = {
        {tw_section_circle(5e-3), {0, 0.1, 0}, false},
        {tw_section_circle(5e-3), {0, 4e-3, 0.3}, true},
        {tw_section_circle(5e-3), {4e-3, 4e-3, 0.3}, false},
        {tw_section_circle(5e-3), {0, 0, 0.501}, false},
        {tw_section_rectangle(0.1, 2e-3), {0.045, 0, 0.3}, true},
        {tw_section_rectangle(0.1, 2e-3), {0, 0.045, 0.3}, false},
        {tw_section_rectangle(2e-3, 0.1), {0, 0.045, 0.3}, true},
        {tw_section_rectangle(0.1, 2e-3), {0.051, 0, 0.3}, false},
        {tw_section_rectangle(0.1, 2e-3), {0.02, 0, -0.501}, false},
    };
    make_rod(5, 1);
    const twRadiatorMotion m = motion();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        twSection section;
        twRadiator* r;
        twError err = {0};
        twRadiatorDef def = tw_radiator_def();
        tw_section_compute(&section, &cases[i].section, NULL);
        def.sections = &section, def.section_count = 1, def.lengths = rod.length, def.point_count = 5;
        ENSURE(tw_radiator_create(&r, &def, &err) == TW_OK);
        const twStatus status = tw_radiator_check_place(r, &m, cases[i].place, &err);
        if (status != (cases[i].inside ? TW_BAD_INPUT : TW_OK)) printf("case %zu: %s\n", i, err.text);
        ENSURE(status == (cases[i].inside ? TW_BAD_INPUT : TW_OK));
        ENSURE(!cases[i].inside || (strstr(err.text, "inside the rod") && strstr(err.text, "edge 3")));
        tw_radiator_destroy(r);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    for (int i = 0; i < MOST; i++) ones[i] = 1;
    RUN(dipole_is_the_closed_form_near_and_far)
    RUN(volume_is_the_closed_form)
    RUN(near_term_counts_at_low_frequencies)
    RUN(level_and_delay_follow_distance)
    RUN(moving_sources_shift_in_pitch_and_level_as_doppler_says)
    RUN(moving_listeners_shift_in_pitch_but_not_in_level)
    RUN(ground_is_an_image)
    RUN(round_cylinder_has_hankels_factor)
    RUN(compact_thick_rod_is_too_loud_by_the_published_amount)
    RUN(short_cylinder_is_a_dipole_within_a_fifth_of_a_decibel)
    RUN(long_cylinder_has_hankels_field)
    RUN(dipoles_follow_section_and_directors)
    RUN(outline_that_is_turned_gives_the_same_dipoles)
    RUN(closed_rod_has_no_ends_and_no_seam)
    RUN(ends_radiate_lengthwise_motion)
    RUN(sides_swell_when_a_rod_shortens)
    RUN(instant_sound_has_the_level_but_no_delay)
    RUN(signal_is_heard_as_it_is)
    RUN(lowpass_is_butterworths)
    RUN(sources_too_near_too_far_or_not_finite_are_counted)
    RUN(sound_ends_when_it_has_arrived)
    RUN(jumping_listener_has_no_velocity)
    RUN(all_instruction_sets_write_the_same_bits)
    RUN(bad_listeners_are_named)
    RUN(bad_radiators_are_named)
    RUN(places_inside_a_rod_are_told_by_its_true_extent)
)
