// SPDX-License-Identifier: MIT
// What rods radiate, heard by listeners, against closed forms: short and long cylinders, dipoles of sections, ends, swelling sides.
#include "listener.h"

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

// ---- trouble ----

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
    RUN(short_cylinder_is_a_dipole_within_a_fifth_of_a_decibel)
    RUN(long_cylinder_has_hankels_field)
    RUN(dipoles_follow_section_and_directors)
    RUN(outline_that_is_turned_gives_the_same_dipoles)
    RUN(closed_rod_has_no_ends_and_no_seam)
    RUN(ends_radiate_lengthwise_motion)
    RUN(sides_swell_when_a_rod_shortens)
    RUN(bad_radiators_are_named)
    RUN(places_inside_a_rod_are_told_by_its_true_extent)
)
