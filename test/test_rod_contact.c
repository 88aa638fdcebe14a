// SPDX-License-Identifier: MIT
// Rods of a world that hit and carry each other and bodies. Expected values: conservation laws, closed forms, beams.
#include "test.h"
#include "weave.h"

static Stage* weightless(void)
{
    Stage* s = stage();
    s->def.gravity = tw_vec3(0, 0, 0);
    return s;
}

static const twRodSupport both_ends[] = {{.kind = TW_ROD_CLAMPED, .point = 0}, {.kind = TW_ROD_CLAMPED, .point = 1}};

// A round rod along y of two points that does not move.
static int held_rod(Stage* s, double x, double z, double radius)
{
    const int rod = stage_line(s, tw_vec3(x, -0.02, z), tw_vec3(x, 0.02, z), 2, tw_section_circle(radius));
    s->rods[rod].rod.supports = both_ends;
    s->rods[rod].rod.support_count = 2;
    return rod;
}

// ---- momentum ----

// of both rods, about the origin
static twVec3 whole_momentum(const Stage* s, twVec3* turning)
{
    twVec3 sum = {0, 0, 0}, l;
    *turning = sum;
    for (int i = 0; i < s->def.rod_count; i++)
    {
        sum = tw_vec3_add(sum, rod_momentum(s, i, &l));
        *turning = tw_vec3_add(*turning, l);
    }
    return sum;
}

// two rods, crossed out of their middles
static Stage* collision(double rate, double mu, bool flat)
{
    Stage* s = weightless();
    s->def.rod_rate_hz = rate;
    s->materials[0].stick = s->materials[0].slide = mu;
    const int a = stage_line(s, tw_vec3(-0.05, 0, 0), tw_vec3(0.05, 0.01, 0), 7, tw_section_circle(0.002));
    const int b = stage_line(s, tw_vec3(0.03, -0.04, 0.008), tw_vec3(0.04, 0.05, 0.006), 6,
                             flat ? tw_section_rectangle(0.004, 0.002) : tw_section_circle(0.001));
    stage_throw(s, a, tw_vec3(0.3, 0, 1));
    stage_throw(s, b, tw_vec3(0, 0.5, -1.5));
    s->rods[a].rod.tolerance = s->rods[b].rod.tolerance = 1e-9;
    must(stage_start(s), &s->err);
    return s;
}

// Turning the axis of a spin takes no torque (docs/rod.md): with friction angular momentum drifts when they fly on. What is left without
// it is of the rods' tolerance.
static int rods_keep_momentum_and_lose_energy_when_they_collide(void)
{
    const double rates[] = {22050, 44100, 88200};
    for (int i = 0; i < 9; i++)
    {
        const int kind = i / 3;
        Stage* s = collision(rates[i % 3], kind == 2 ? 0.4 : 0, kind > 0);
        twVec3 l0, l1, unused;
        const twVec3 p0 = whole_momentum(s, &l0), first = rod_momentum(s, 0, &unused);
        const double size = tw_vec3_norm(first) + tw_vec3_norm(rod_momentum(s, 1, &unused)), reach = 0.03;
        double energy = stage_energy(s);
        const double start = energy;
        for (int step = 1; step <= 30; step++)
        {
            tw_world_advance(s->world, step * 1e-4);
            const twVec3 p1 = whole_momentum(s, &l1);
            ENSURE(away(p1, p0) < 1e-14 * size);
            ENSURE(away(l1, l0) < (kind < 2 ? 3e-6 : 5e-4) * size * reach);
            const double now = stage_energy(s);
            ENSURE(now < energy + 1e-5 * start);
            energy = now;
        }
        ENSURE(away(rod_momentum(s, 0, &unused), first) > 0.3 * size && energy < 0.99 * start);
        ENSURE(is_sound(s));
        stage_free(s);
    }
    return 0;
}

// ---- rods as balls ----

// two short rods, crossed, that meet centre to centre at 1 m/s
static int short_rods_rebound_like_balls(void)
{
    const double restitutions[] = {1, 0.8, 0.5}, rates[] = {44100, 176400}, off[] = {0.005, 0.001};
    for (int i = 0; i < 6; i++)
    {
        const double restitution = restitutions[i % 3];
        Stage* s = weightless();
        s->def.rod_rate_hz = rates[i / 3];
        stage_pair(s, 0, 0)->impact =
            (twImpactLaw){1e7, 1.5, restitution < 1 ? tw_impact_dissipation(restitution, 1) : 0};
        const int a = stage_line(s, tw_vec3(-0.006, 0, 0), tw_vec3(0.006, 0, 0), 3, tw_section_circle(0.003));
        const int b = stage_line(s, tw_vec3(0, -0.009, 0.0061), tw_vec3(0, 0.009, 0.0061), 3, tw_section_circle(0.003));
        stage_throw(s, a, tw_vec3(0, 0, 0.7));
        stage_throw(s, b, tw_vec3(0, 0, -0.3));
        must(stage_start(s), &s->err);
        tw_world_advance(s->world, 3e-3);
        twVec3 l;
        const double apart = rod_momentum(s, b, &l).z / rod_mass(s, b) - rod_momentum(s, a, &l).z / rod_mass(s, a);
        ENSURE_NEAR(apart, restitution, off[i / 3]);
        // of 2 and 3 parts of mass
        const double lost = 0.5 * (1 - restitution * restitution) * rod_mass(s, a) * 0.6;
        ENSURE_NEAR(tw_world_energy(s->world).start - stage_energy(s), lost,
                    2 * off[i / 3] * tw_world_energy(s->world).start);
        ENSURE(is_sound(s));
        stage_free(s);
    }
    return 0;
}

// ---- a struck beam ----

enum
{
    BEAM_POINTS = 97,
    BEAM_MODES = 4,
    BEAM_STEPS = 200
};

/// A rod falls onto another that is held, near its end.
typedef struct Struck
{
    Stage* s;
    double length, mass, h;
    double w[BEAM_MODES];     ///< of Euler's free beam [rad/s]
    double blow[BEAM_STEPS];  ///< impulse of each step [N s]
} Struck;

static Struck strike(double at)
{
    Struck b = {.s = weightless(), .length = 0.3, .h = 1.0 / 88200};
    Stage* s = b.s;
    const double radius = 0.002;
    s->def.rod_rate_hz = 1 / b.h;
    const int rod = stage_line(s, tw_vec3(0, 0, 2.02 * radius), tw_vec3(b.length, 0, 2.02 * radius), BEAM_POINTS,
                               tw_section_circle(radius));
    held_rod(s, at * b.length, 0, radius);
    stage_throw(s, rod, tw_vec3(0, 0, -0.5));
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->impact = (twImpactLaw){1e8, 1.5, 0.2};
    pair->friction.static_friction = pair->friction.dynamic_friction = 0;
    must(stage_start(s), &s->err);
    b.mass = rod_mass(s, rod);
    const double stiff = s->rods[rod].rod.young * s->rod_sections[rod].moment[0];
    for (int k = 0; k < BEAM_MODES; k++)
        b.w[k] = pow(beam_root(false, k) / b.length, 2) * sqrt(stiff * b.length / b.mass);
    twVec3 turning;
    for (int n = 0; n < BEAM_STEPS; n++)
    {
        const double before = rod_momentum(s, rod, &turning).z;
        tw_world_advance(s->world, (n + 0.5) * b.h);
        b.blow[n] = rod_momentum(s, rod, &turning).z - before;
    }
    return b;
}

// out = M (x less its mean and slope)
static void weigh(twRod* rod, const double* x, double* out)
{
    const int n = rod->n;
    double mean = 0, slope = 0, square = 0;
    for (int i = 0; i < n; i++)
    {
        const double from = i - 0.5 * (n - 1), share = rod->row_mass[i] / rod->total_mass;
        mean += share * x[i];
        slope += share * from * x[i];
        square += share * from * from;
    }
    double **in = rod->mz[1], **weighed = rod->mz[0];
    for (int c = 0; c < 4; c++) memset(in[c], 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) in[2][i] = x[i] - mean - slope / square * (i - 0.5 * (n - 1));
    tw_rod_mass_of(rod, in, weighed);
    memcpy(out, weighed[2], (size_t)n * sizeof(double));
}

static double mode_energy(const Struck* b, int k)
{
    twRod* rod = tw_world_rod(b->s->world, 0);
    double u[BEAM_POINTS], v[BEAM_POINTS], q[2] = {0, 0}, slope;
    weigh(rod, rod->q[2], u);
    weigh(rod, rod->v[2], v);
    for (int i = 0; i < BEAM_POINTS; i++)
    {
        const double shape = beam_shape(false, k, (double)i / (BEAM_POINTS - 1), &slope);
        q[0] += shape * u[i] / b->mass;
        q[1] += shape * v[i] / b->mass;
    }
    return 0.5 * b->mass * (q[1] * q[1] + b->w[k] * b->w[k] * q[0] * q[0]);
}

// a mode of shape phi gets |phi F|^2/(2 m), F the blow's transform at its frequency
static double blow_energy(const Struck* b, int k, double at)
{
    const double half = 0.5 * b->w[k] * b->h;
    double re = 0, im = 0, slope;
    for (int n = 0; n < BEAM_STEPS; n++)
    {
        re += b->blow[n] * sin(half) / half * cos(2 * half * (n + 0.5));
        im += b->blow[n] * sin(half) / half * sin(2 * half * (n + 0.5));
    }
    return 0.5 * pow(beam_shape(false, k, at, &slope), 2) * (re * re + im * im) / b->mass;
}

static int modes_of_a_rod_get_from_a_blow_what_those_of_a_beam_do(void)
{
    const double places[] = {1.0 / 24, 1.0 / 6}, off[] = {0.002, 0.003, 0.01, 0.015};
    for (int i = 0; i < 2; i++)
    {
        const Struck b = strike(places[i]);
        ENSURE(fabs(b.blow[BEAM_STEPS - 1]) < 1e-12 * b.mass);
        for (int k = 0; k < BEAM_MODES; k++) ENSURE_NEAR(mode_energy(&b, k) / blow_energy(&b, k, places[i]), 1, off[k]);
        stage_free(b.s);
    }
    return 0;
}

// the rod rings while it touches: the blow is a long one of several humps, none of them a step long
static int force_of_a_long_blow_does_not_jump(void)
{
    const Struck b = strike(1.0 / 24);
    double most = 0;
    for (int n = 1; n + 1 < BEAM_STEPS; n++) most = fmax(most, b.blow[n]);
    for (int n = 1; n + 1 < BEAM_STEPS; n++) ENSURE(b.blow[n] < 1.1 * fmax(b.blow[n - 1], b.blow[n + 1]) + 1e-9 * most);
    stage_free(b.s);
    return 0;
}

// ---- rest ----

// A rod on two supports, which it overhangs. Loads and moments of its points are exact, but bends that are 2nd differences over edges l
// make the sag larger by that of a parabola q l^2/(12 EI) x^2/2.
static int rod_on_two_supports_sags_as_a_beam_does(void)
{
    enum
    {
        N = 33,
        OVER = 4
    };
    const double edge = 0.01, span = edge * (N - 1 - 2 * OVER), over = OVER * edge, radius = 0.001, gravity = 9.81;
    for (int bodies = 0; bodies < 2; bodies++)
    {
        Stage* s = stage();
        s->materials[0].stick = s->materials[0].slide = 0;
        s->def.gravity = tw_vec3(0, 0, -gravity);
        const int rod =
            stage_line(s, tw_vec3(0, 0, radius), tw_vec3(edge * (N - 1), 0, radius), N, tw_section_circle(radius));
        s->rods[rod].rod.alpha = 800;
        s->rods[rod].rod.beta = 1e-5;
        for (int side = 0; side < 2; side++)
        {
            const double x = side ? over + span : over;
            if (!bodies)
                held_rod(s, x, -radius, radius);
            else
                s->bodies[stage_body(s, stage_ball(s, 0.002, 1000), x, 0, -0.002)].kind = TW_BODY_FIXED;
        }
        must(stage_start(s), &s->err);
        const double stiff = s->rods[rod].rod.young * s->rod_sections[rod].moment[0];
        const double load = s->rods[rod].rod.density * s->rod_sections[rod].area * gravity / stiff;
        const double beam = (5 * pow(span, 4) / 384 - over * over * span * span / 16) * load;
        const double sag = beam + edge * edge / 12 * span * span / 8 * load;
        tw_world_advance(s->world, 0.06);
        ENSURE_NEAR((rod_point(s, rod, OVER).z - rod_point(s, rod, N / 2).z) / sag, 1, 2e-4);
        ENSURE(fabs(tw_rod_view(tw_world_rod(s->world, rod)).velocity[2][N / 2]) < 1e-7);
        ENSURE(is_sound(s));
        stage_free(s);
    }
    return 0;
}

// ---- convergence ----

// a rod that falls a little askew; momentum it gets, share of energy it keeps, mean time of the force
static void fall(double rate, double out[3])
{
    Stage* s = weightless();
    s->def.rod_rate_hz = rate;
    stage_floor(s, 1, 1);
    stage_pair(s, 0, 0)->impact = (twImpactLaw){1e7, 1.5, 0.3};
    const int rod = stage_line(s, tw_vec3(-0.05, 0, 0.0071), tw_vec3(0.05, 0, 0.0030), 9, tw_section_circle(0.003));
    stage_throw(s, rod, tw_vec3(0, 0, -1));
    must(stage_start(s), &s->err);
    twVec3 l;
    double moment = 0;
    out[0] = 0;
    for (int n = 0; n < 0.0015 * rate; n++)
    {
        const double before = rod_momentum(s, rod, &l).z;
        tw_world_advance(s->world, (n + 0.5) / rate);
        const double blow = rod_momentum(s, rod, &l).z - before;
        out[0] += blow;
        moment += blow * (n + 0.5) / rate;
    }
    out[1] = stage_energy(s) / tw_world_energy(s->world).start;
    out[2] = moment / out[0];
    stage_free(s);
}

// of 1st order: a contact closes anywhere in a step
static int blows_converge_with_the_rate(void)
{
    double fine[3], x[3], off[4][3];
    fall(44100 * 16, fine);
    for (int i = 0; i < 4; i++)
    {
        fall(22050 << i, x);
        for (int k = 0; k < 3; k++) off[i][k] = fabs(x[k] / fine[k] - 1);
    }
    for (int k = 0; k < 3; k++) ENSURE(off[1][k] < 2e-3 && off[3][k] < 5e-4 && off[3][k] < 0.4 * off[1][k]);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(rods_keep_momentum_and_lose_energy_when_they_collide)
    RUN(short_rods_rebound_like_balls)
    RUN(modes_of_a_rod_get_from_a_blow_what_those_of_a_beam_do)
    RUN(force_of_a_long_blow_does_not_jump)
    RUN(rod_on_two_supports_sags_as_a_beam_does)
    RUN(blows_converge_with_the_rate)
)
