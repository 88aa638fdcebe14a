// SPDX-License-Identifier: MIT
// Tests of rods far from straight: an elastica under its own weight against its differential equation, a helical spring, the
// modes of a ring, Michell's instability, waves that arrive along a stretched wire, a thin strip that
// flaps and a blade that swings.
#include "rod_modes.h"
#include "test.h"
#include "twang/rod.h"

static twSection round_section(double r)
{
    double area = TW_PI * r * r, moment = area * r * r / 4;
    return (twSection){.area = area, .moment = {moment, moment}, .torsion = 2 * moment, .shear = {0.9, 0.9}};
}

// ---- elastica ----

// clamped level at s = 0, free at s = 1: theta'' = -load (1 - s) cos(theta), theta(0) = 0, theta'(1) = 0; the end's place
static double shoot(double load, double curvature, double* x, double* y)
{
    double theta = 0, kappa = curvature, h = 1e-4;
    *x = *y = 0;
    for (int i = 0; i < 10000; i++)
    {
        // Runge-Kutta 4 on (theta, kappa, x, y)
        double s = i * h, k[4][4], t = theta, c = kappa, at = s;
        for (int j = 0; j < 4; j++)
        {
            k[j][0] = c, k[j][1] = -load * (1 - at) * cos(t), k[j][2] = cos(t), k[j][3] = sin(t);
            double step = j < 2 ? h / 2 : h;
            t = theta + step * k[j][0], c = kappa + step * k[j][1], at = s + step;
        }
        double w[4];
        for (int j = 0; j < 4; j++) w[j] = h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
        theta += w[0], kappa += w[1], *x += w[2], *y += w[3];
    }
    return kappa;
}

static void elastica(double load, double* x, double* y)
{
    // the curvature at the free end rises through 0 with that at the clamp, which is at most load/2
    double low = 0, high = load / 2;
    for (int i = 0; i < 60; i++)
    {
        double middle = 0.5 * (low + high);
        if (shoot(load, middle, x, y) > 0)
            high = middle;
        else
            low = middle;
    }
}

static int heavy_cantilever_hangs_as_the_elastica(void)
{
    enum
    {
        N = 41
    };
    twVec3 points[N];
    for (int i = 0; i < N; i++) points[i] = tw_vec3(i / (N - 1.), 0, 0);
    twSection section = round_section(0.004);
    double load = 12, young = 9.81 * 1000 * section.area / (load * section.moment[0]);
    twRodSupport clamp = {.kind = TW_ROD_CLAMPED, .point = 0};
    twRodDef def = tw_rod_def();
    def.point_count = N, def.points = points, def.section_count = 1, def.sections = &section;
    def.young = young, def.density = 1000, def.gravity = tw_vec3(0, 9.81, 0);
    def.support_count = 1, def.supports = &clamp;
    def.alpha = 8, def.rate_hz = 400;
    twRod* rod = NULL;
    ENSURE(tw_rod_create(&rod, &def, NULL) == TW_OK);
    for (int k = 0; k < 4000; k++) tw_rod_step(rod);
    double x, y;
    elastica(load, &x, &y);
    ENSURE(y > 0.6);
    ENSURE_NEAR(rod->q[0][N - 1], x, 1e-3);
    ENSURE_NEAR(rod->q[1][N - 1], y, 1e-3);
    tw_rod_destroy(rod);
    return 0;
}

// ---- helical spring ----

static int helix_pulls_as_a_coil_spring(void)
{
    // k = G J/(2 pi R^3 turns) for a flat coil whose ends do not turn; the pitch here changes it by 0.1 %
    enum
    {
        TURNS = 8,
        PER_TURN = 40,
        N = TURNS * PER_TURN + 1
    };
    static twVec3 points[N];
    double radius = 0.05, pitch = 0.01;
    for (int i = 0; i < N; i++)
    {
        double a = 2 * TW_PI * i / PER_TURN;
        points[i] = tw_vec3(radius * cos(a), radius * sin(a), pitch * a / (2 * TW_PI));
    }
    twSection section = round_section(0.001);
    twRodSupport ends[2] = {{.kind = TW_ROD_CLAMPED, .point = 0}, {.kind = TW_ROD_CLAMPED, .point = N - 1}};
    twRodDef def = tw_rod_def();
    def.point_count = N, def.points = points, def.section_count = 1, def.sections = &section;
    def.support_count = 2, def.supports = ends;
    def.alpha = 60, def.rate_hz = 1000;
    twRod* rod = NULL;
    ENSURE(tw_rod_create(&rod, &def, NULL) == TW_OK);
    double pulled = 0.002;
    for (int k = 0; k < 2500; k++)
    {
        double s = fmin(1, k / 500.);
        if (k <= 500) tw_rod_move(rod, 1, tw_vec3(radius, 0, pitch * TURNS + pulled * s), tw_quat_identity());
        tw_rod_step(rod);
    }
    twRodEnergy e = tw_rod_energy(rod);
    double stiffness = 2 * (e.bending + e.twisting + e.stretching) / (pulled * pulled);
    double shear = def.young / (2 * (1 + def.poisson)), length = 2 * TW_PI * radius;
    double expected = shear * section.torsion / (length * radius * radius * TURNS);
    ENSURE_NEAR(stiffness / expected, 1, 0.02);
    ENSURE(e.twisting > 0.9 * (e.bending + e.twisting));
    tw_rod_destroy(rod);
    return 0;
}

// ---- rings ----

// a ring of round wire; straight: bent from a straight rod, closed with two turns of twist; ratio: E I/(G J)
static twRod* ring(int n, bool straight, double ratio)
{
    twVec3 points[128], directions[128];
    double turns[128];
    for (int i = 0; i < n; i++)
    {
        double a = 2 * TW_PI * i / n;
        points[i] = tw_vec3(0.1 * cos(a), 0.1 * sin(a), 0);
        directions[i] = tw_vec3(0, 0, 1);
        turns[i] = straight ? 4 * TW_PI * i / n : 0;
    }
    twSection section = round_section(0.001);
    twRodDef def = tw_rod_def();
    section.torsion = section.moment[0] * 2 * (1 + def.poisson) / ratio;
    def.point_count = n, def.points = points, def.directions = directions, def.closed = true, def.twists = turns;
    def.section_count = 1, def.sections = &section;
    def.rest_straight = straight;
    if (straight) def.alpha = 2e4;
    twRod* rod = NULL;
    if (tw_rod_create(&rod, &def, NULL) != TW_OK) return NULL;
    return rod;
}

static int ring_rings_in_and_out_of_its_plane_as_love_says(void)
{
    twRod* rod = ring(60, false, 1.29);
    ENSURE(rod);
    static double square[60 * 4];
    int count = rod_modes(rod, square, 0, NULL);
    twSection s = round_section(0.001);
    double c = 2.05e11 * s.moment[0] / (7850 * s.area * 1e-4), ratio = 1.29;
    for (int n = 2; n <= 5; n++)
    {
        double n2 = n * n, top = n2 * (n2 - 1) * (n2 - 1);
        double in = sqrt(c * top / (n2 + 1)), out = sqrt(c * top / (n2 + ratio));
        double near_in = 0, near_out = 0;
        for (int i = 0; i < count; i++)
        {
            double w = sqrt(fmax(square[i], 0));
            if (fabs(w - in) < fabs(near_in - in)) near_in = w;
            if (fabs(w - out) < fabs(near_out - out)) near_out = w;
        }
        ENSURE_NEAR(near_in / in, 1, 5e-3);
        ENSURE_NEAR(near_out / out, 1, 5e-3);
        // each twice, and distinct from one another
        ENSURE(in / out - 1 > (n == 5 ? 4e-3 : 6e-3));
    }
    // without motion of the whole there is nothing below the first
    ENSURE(square[5] < 1e-3 * square[6] && square[6] > 0);
    tw_rod_destroy(rod);
    return 0;
}

static int twisted_ring_buckles_at_michells_twist(void)
{
    // a ring of straight round rod buckles at a twist of 2 pi sqrt(3) E I/(G J): two turns are too many below 2/sqrt(3)
    for (int k = 0; k < 2; k++)
    {
        double ratio = 2 / sqrt(3) * (k ? 0.97 : 1.03);
        twRod* rod = ring(60, true, ratio);
        ENSURE(rod);
        // the wire finds the tension that its bending needs
        for (int i = 0; i < 400; i++) tw_rod_step(rod);
        for (int i = 0; i < 60; i++) ENSURE(fabs(rod->q[2][i]) < 1e-9);
        static double square[60 * 4];
        ENSURE(rod_modes(rod, square, 0, NULL) == 240);
        // seven motions without energy: the rigid ones, and the turn of all edges about themselves
        double unit = square[8];
        if (k)
            ENSURE(square[0] < -1e-3 * unit);
        else
            ENSURE(square[0] > -1e-4 * unit);
        tw_rod_destroy(rod);
    }
    return 0;
}

// ---- waves along a wire ----

// centre of gravity in time of what x holds around angular frequency w near a time (reassigned spectrogram), found by going there
static double arrival(const double* x, int n, double rate, double w, double guess, double width)
{
    double t = guess;
    for (int round = 0; round < 30; round++)
    {
        double re = 0, im = 0, tre = 0, tim = 0;
        for (int i = 0; i < n; i++)
        {
            double s = i / rate - t, g = exp(-0.5 * s * s / (width * width)) * x[i];
            if (fabs(s) > 6 * width) continue;
            double c = cos(w * i / rate), sn = sin(w * i / rate);
            re += g * c, im -= g * sn, tre += g * s * c, tim -= g * s * sn;
        }
        t += (tre * re + tim * im) / (re * re + im * im);
    }
    return t;
}

static int waves_along_a_stretched_wire_arrive_on_time(void)
{
    // 20 m of steel stretched to 20.1 m: w^2 = (T/m) k^2 + (E I lambda/m) k^4
    enum
    {
        N = 1500,
        STEPS = 2600
    };
    static twVec3 points[N];
    static double near[STEPS], far[STEPS];
    for (int i = 0; i < N; i++) points[i] = tw_vec3(20.1 * i / (N - 1), 0, 0);
    twSection section = round_section(0.00635);
    twRodSupport ends[2] = {{.kind = TW_ROD_CLAMPED, .point = 0}, {.kind = TW_ROD_CLAMPED, .point = N - 1}};
    twRodPulse blow = {.point = 375, .force = {0, 0, 100}, .duration = 2e-5};
    twRodDef def = tw_rod_def();
    def.point_count = N, def.points = points, def.section_count = 1, def.sections = &section;
    def.stretch = 1.005, def.rate_hz = 88200;
    def.support_count = 2, def.supports = ends, def.pulse_count = 1, def.pulses = &blow;
    twRod* rod = NULL;
    ENSURE(tw_rod_create(&rod, &def, NULL) == TW_OK);
    const int a = 525, b = 1200;
    for (int k = 0; k < STEPS; k++)
    {
        tw_rod_step(rod);
        near[k] = rod->v[2][a], far[k] = rod->v[2][b];
    }
    tw_rod_destroy(rod);
    double tension = 2.05e11 * section.area * 0.005, mass = 7850 * section.area / 1.005;
    double stiff = 2.05e11 * section.moment[0] * 1.005;
    static const double pitch[4] = {1000, 5000, 10000, 15000};
    for (int i = 0; i < 4; i++)
    {
        double w = 2 * TW_PI * pitch[i], p = tension / mass, q = stiff / mass;
        double k2 = (sqrt(p * p + 4 * q * w * w) - p) / (2 * q), k = sqrt(k2);
        double speed = (p * k + 2 * q * k * k2) / w, gap = 20.1 * (b - a) / (N - 1), lead = 20.1 * (a - 375) / (N - 1);
        double width = i == 0 ? 1.5e-3 : 5e-4;
        double first = arrival(near, STEPS, 88200, w, lead / speed, width);
        double second = arrival(far, STEPS, 88200, w, (lead + gap) / speed, width);
        ENSURE_NEAR((second - first) * speed / gap, 1, 0.01);
    }
    return 0;
}

// ---- a thin strip that flaps: what the iteration leaves ----

enum
{
    STRIP = 60,
    STRIP_FRAMES = 800
};

// of a thin strip, a wide and b thick
static twSection strip_section(double a, double b)
{
    return (twSection){.area = a * b,
                       .moment = {a * b * b * b / 12, b * a * a * a / 12},
                       .torsion = a * b * b * b / 3,
                       .shear = {0.8, 0.8}};
}

// velocities at times 1/44100 s apart (STRIP_FRAMES x STRIP x 3), of a steel strip after a blow
static twRodStats flap(int steps_per_frame, double tolerance, double* velocities)
{
    twVec3 points[STRIP];
    for (int i = 0; i < STRIP; i++) points[i] = tw_vec3(0.64 * i / (STRIP - 1), 0, 0);
    const twSection section = strip_section(0.025, 0.0008);
    twRodPulse blow = {.point = STRIP / 5, .force = {0, 20, 4}, .duration = 4e-4};
    twRodDef def = tw_rod_def();
    def.point_count = STRIP, def.points = points, def.section_count = 1, def.sections = &section;
    def.alpha = 1, def.beta = 1e-9, def.rate_hz = 44100 * steps_per_frame;
    def.pulse_count = 1, def.pulses = &blow;
    if (tolerance > 0) def.tolerance = tolerance;
    twRod* rod = NULL;
    tw_rod_create(&rod, &def, NULL);
    for (int f = 0; f < STRIP_FRAMES; f++)
    {
        for (int k = 0; k < steps_per_frame; k++) tw_rod_step(rod);
        for (int i = 0; i < STRIP; i++)
            for (int c = 0; c < 3; c++) velocities[(f * STRIP + i) * 3 + c] = rod->v[c][i];
    }
    twRodStats stats = tw_rod_stats(rod);
    tw_rod_destroy(rod);
    return stats;
}

static double distance(const double* a, const double* b)
{
    double sum = 0;
    for (int i = 0; i < STRIP_FRAMES * STRIP * 3; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static double strips[3][STRIP_FRAMES * STRIP * 3];

static int what_the_iteration_leaves_is_a_tenth_of_the_error_of_the_step_at_most(void)
{
    flap(4, 1e-7, strips[0]);
    flap(1, 1e-7, strips[1]);
    flap(1, 0, strips[2]);
    double of_step = distance(strips[1], strips[0]), of_iteration = distance(strips[2], strips[1]);
    ENSURE(of_step > 0);
    ENSURE(of_iteration < of_step / 10);
    return 0;
}

static int factor_of_a_flapping_strip_lasts(void)
{
    twRodStats tight = flap(1, 1e-7, strips[0]), usual = flap(1, 0, strips[0]);
    ENSURE(tight.refactorisations == 1 && usual.refactorisations == 1);
    ENSURE(tight.halvings == 0 && usual.halvings == 0);
    ENSURE(usual.iterations < STRIP_FRAMES * 3 / 2);
    return 0;
}

// ---- a blade that swings far: what its steps begin with ----

enum
{
    BLADE = 12,
    SWINGS = 2400  // steps
};

// of steel, clamped at one end
static twRod* blade(double tolerance, const twRodPulse* blow)
{
    twVec3 points[BLADE];
    for (int i = 0; i < BLADE; i++) points[i] = tw_vec3(0.09 * i / (BLADE - 1), 0, 0);
    const twSection section = strip_section(0.008, 0.001);
    twRodSupport clamp = {.kind = TW_ROD_CLAMPED, .point = 0};
    twRodDef def = tw_rod_def();
    def.point_count = BLADE, def.points = points, def.section_count = 1, def.sections = &section;
    def.alpha = 3, def.beta = 3e-7, def.rate_hz = 24000, def.tolerance = tolerance;
    def.support_count = 1, def.supports = &clamp, def.pulse_count = blow ? 1 : 0, def.pulses = blow;
    twRod* rod = NULL;
    tw_rod_create(&rod, &def, NULL);
    return rod;
}

static twVec3 end_of(const twRod* rod)
{
    return tw_vec3(rod->q[0][BLADE - 1], rod->q[1][BLADE - 1], rod->q[2][BLADE - 1]);
}

// A tenth of a second after a blow that bends it far. free: the lengths of its edges may be anything in the guess; blind: what third
// iterations did is forgotten. @return iterations per step
static double swing(double tolerance, bool free, bool blind, twVec3* end)
{
    twRod* rod = blade(tolerance, &(twRodPulse){.point = BLADE - 1, .force = {0, 3, 0.5}, .duration = 4e-3});
    for (int k = 0; k < SWINGS; k++)
    {
        tw_rod_step(rod);
        if (free) rod->guess_steps = 0;
        if (blind) rod->rate_seen[1] = 1;
    }
    *end = end_of(rod);
    const double iterations = (double)tw_rod_stats(rod).iterations / SWINGS;
    tw_rod_destroy(rod);
    return iterations;
}

static int guess_that_keeps_lengths_saves_an_iteration_and_changes_nothing(void)
{
    twVec3 with, without;
    const double fewer = swing(1e-3, false, true, &with), more = swing(1e-3, true, true, &without);
    ENSURE(more > 2.7 && fewer < more - 0.7);
    swing(1e-6, false, true, &with), swing(1e-6, true, true, &without);
    ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(with, without)), 0, 1e-8);
    return 0;
}

static int what_third_iterations_did_lately_spares_some_within_the_tolerance(void)
{
    twVec3 exact, seen, blind;
    swing(1e-6, true, true, &exact);
    const double fewer = swing(1e-3, true, false, &seen), more = swing(1e-3, true, true, &blind);
    ENSURE(fewer < more - 0.2);
    // of centimetres
    ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(seen, exact)), 0, 2e-7);
    ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(blind, exact)), 0, 2e-7);
    return 0;
}

// its end drawn aside by a spring that takes its swing, for as long as that takes, then let go within 14 steps
static twRod* pluck(double tolerance)
{
    enum
    {
        HELD = 24000,
        OPENED = 14
    };
    twRod* rod = blade(tolerance, NULL);
    for (int k = 0; k < HELD + OPENED; k++)
    {
        const double grip = fmin(1, (double)(HELD + OPENED - k) / OPENED);
        const twMat3 one = tw_mat3_identity(), spring = tw_mat3_scale(one, grip * 7e4),
                     damper = tw_mat3_scale(one, grip * 20);
        const twVec3 ahead = tw_vec3_sub(tw_vec3(0.085, 0.017, 0), end_of(rod));
        tw_rod_push_spring(rod, BLADE - 1, tw_vec3_scale(ahead, grip * 7e4), &spring, &damper);
        tw_rod_step(rod);
    }
    return rod;
}

static int blade_that_is_let_go_gets_new_factors_but_whole_steps(void)
{
    twRod* rod = pluck(1e-3);
    const twRodStats held = tw_rod_stats(rod);
    for (int k = 0; k < 2 * SWINGS; k++) tw_rod_step(rod);
    const twRodStats swung = tw_rod_stats(rod);
    ENSURE(swung.halvings == held.halvings && swung.stops == 0);
    ENSURE(swung.refactorisations > held.refactorisations + 10);
    tw_rod_destroy(rod);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(what_the_iteration_leaves_is_a_tenth_of_the_error_of_the_step_at_most)
    RUN(factor_of_a_flapping_strip_lasts)
    RUN(guess_that_keeps_lengths_saves_an_iteration_and_changes_nothing)
    RUN(what_third_iterations_did_lately_spares_some_within_the_tolerance)
    RUN(blade_that_is_let_go_gets_new_factors_but_whole_steps)
    RUN(heavy_cantilever_hangs_as_the_elastica)
    RUN(helix_pulls_as_a_coil_spring)
    RUN(ring_rings_in_and_out_of_its_plane_as_love_says)
    RUN(twisted_ring_buckles_at_michells_twist)
    RUN(waves_along_a_stretched_wire_arrive_on_time)
)
