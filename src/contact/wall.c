// SPDX-License-Identifier: MIT
// A point mass on a rigid wall, stepped by six schemes (Papetti et al. 2009, section 3.2, and DG / QI of hunt.h).
// g is gravity toward the wall, f the contact force against compression:  m x'' = m g - f(x, x').
//
//   AM1     v1 = v + h/2 (a0 + a1), x1 = x + h/2 (v + v1), a1 from f(x1, v1): implicit                         (20)
//   Verlet  x1 = x + h v + h^2/2 a0, vh = v + h/2 a0, v1 = vh + h/2 a(x1, vh); a(x1, vh) is the next a0        (21)
//   Heun    vp = v + h a0, x1 = x + h/2 (v + vp), v1 = v + h/2 (a0 + a(x1, vp)); a(x1, vp) is the next a0      (22)
//   RK4     classic                                                                                            (23)

#include "hunt.h"
#include "twang/contact.h"
#include <string.h>

static const char* const method_names[] = {"am1", "verlet", "heun", "rk4", "dg", "qi"};

const char* tw_impact_method_name(twImpactMethod method)
{
    TW_ASSERT(method >= TW_AM1 && method <= TW_QI);
    return method_names[method];
}

bool tw_impact_method_parse(const char* name, twImpactMethod* out)
{
    for (int i = TW_AM1; i <= TW_QI; i++)
    {
        if (strcmp(name, method_names[i]) != 0) continue;
        *out = (twImpactMethod)i;
        return true;
    }
    return false;
}

twWallDef tw_wall_def(void)
{
    return (twWallDef){.law = {.stiffness = 1e7, .exponent = 1.1, .dissipation = 0.1},
                       .mass = 1e-2,
                       .velocity = 0.3,
                       .rate_hz = 44100,
                       .method = TW_QI};
}

twStatus tw_wall_def_check(const twWallDef* def, twError* err)
{
    twStatus status = tw_impact_law_check(&def->law, err);
    if (status != TW_OK) return status;
    if (!(def->mass > 0 && def->mass <= 1e12))
        return tw_fail(err, TW_BAD_INPUT, "mass %g must be in (0, 1e12] kg", def->mass);
    if (!(fabs(def->velocity) <= 1e6))
        return tw_fail(err, TW_BAD_INPUT, "velocity %g must be within 1e6 m/s", def->velocity);
    if (!(fabs(def->gravity) <= 1e6))
        return tw_fail(err, TW_BAD_INPUT, "gravity %g must be within 1e6 m/s^2", def->gravity);
    if (!(def->rate_hz > 0 && def->rate_hz <= 1e9))
        return tw_fail(err, TW_BAD_INPUT, "rate %g must be in (0, 1e9] Hz", def->rate_hz);
    return TW_OK;
}

twWall tw_wall(const twWallDef* def) { return (twWall){.def = *def, .v = def->velocity}; }

double tw_wall_energy(const twWall* wall)
{
    const twWallDef* def = &wall->def;
    return 0.5 * def->mass * wall->v * wall->v + hunt_potential(&def->law, wall->xc) -
           def->mass * def->gravity * wall->x;
}

// ---- energy-consistent schemes ----

typedef struct WallSolve
{
    HuntStep step;
    double v_free;    // velocity without contact
    double mobility;  // velocity per mean force: h / m
} WallSolve;

static double wall_gap(double v1, double* slope, const void* context)
{
    const WallSolve* solve = context;
    HuntEnd end = hunt_end(&solve->step, v1);
    *slope = 1 + solve->mobility * end.slope;
    return v1 - solve->v_free + solve->mobility * end.force;
}

#define WALL_TOLERANCE 1e-15  // of the speeds involved
#define WALL_MAX_ITERATIONS 200

static void step_consistent(twWall* wall, double h)
{
    const twWallDef* def = &wall->def;
    if (!wall->closed) wall->xc = fmin(wall->x, 0);
    WallSolve solve = {hunt_step(&def->law, h, wall->xc, wall->v, def->method == TW_QI), wall->v + h * def->gravity,
                       h / def->mass};
    HuntEnd end = hunt_end(&solve.step, solve.v_free);
    double v1 = solve.v_free;
    wall->iterations = 0;
    if (end.force > 0)
    {
        double low = solve.v_free - solve.mobility * end.force, scale = fabs(wall->v) + fabs(solve.v_free);
        double guess = fmax(low, solve.v_free - solve.mobility * wall->f);
        twRoot root =
            tw_root_find(wall_gap, &solve, low, solve.v_free, guess, WALL_TOLERANCE * scale, WALL_MAX_ITERATIONS);
        v1 = root.x;
        wall->iterations = root.iterations;
        wall->unconverged += !root.converged;
        end = hunt_end(&solve.step, v1);
    }
    // the law's force, unless the contact is so hard that the velocities know it better
    double change = solve.v_free - v1, speed = fabs(solve.v_free) + fabs(v1);
    bool agrees = fabs(solve.mobility * end.force - change) <= 2 * WALL_TOLERANCE * speed;
    wall->f = agrees ? end.force : change / solve.mobility;
    double round_off = 1.2e-16 * def->mass * (wall->v * wall->v + v1 * v1);
    wall->xc = hunt_passive_end(&solve.step, &end, wall->f, v1, round_off);
    wall->x += 0.5 * h * (wall->v + v1);
    wall->v = v1;
}

// ---- the source's schemes ----

static double acceleration(const twWall* wall, double x, double v)
{
    return wall->def.gravity - tw_impact_force(&wall->def.law, x, v) / wall->def.mass;
}

typedef struct Am1Solve
{
    const twImpactLaw* law;
    double x0, v0, h;
    double v_free;    // velocity without the new force
    double mobility;  // velocity per new force: h / 2m
} Am1Solve;

static double am1_gap(double v1, double* slope, const void* context)
{
    const Am1Solve* s = context;
    double x1 = s->x0 + 0.5 * s->h * (s->v0 + v1), rise, elastic = hunt_elastic(s->law, x1, &rise);
    double damp = 1 + s->law->dissipation * v1;
    *slope = 1 + s->mobility * (rise * 0.5 * s->h * damp + elastic * s->law->dissipation);
    return v1 - s->v_free + s->mobility * elastic * damp;
}

static void step_am1(twWall* wall, double h)
{
    const twWallDef* def = &wall->def;
    double half = 0.5 * h / def->mass, slope;
    Am1Solve solve = {&def->law, wall->x, wall->v, h, wall->v + h * def->gravity - half * wall->f, half};
    double v1 = solve.v_free, gap = am1_gap(v1, &slope, &solve);
    wall->iterations = 0;
    if (gap != 0)
    {
        double low = fmin(v1, v1 - gap), high = fmax(v1, v1 - gap), scale = fabs(wall->v) + fabs(v1);
        twRoot root = tw_root_find(am1_gap, &solve, low, high, v1, WALL_TOLERANCE * scale, WALL_MAX_ITERATIONS);
        v1 = root.x;
        wall->iterations = root.iterations;
        wall->unconverged += !root.converged;
    }
    wall->x += 0.5 * h * (wall->v + v1);
    wall->v = v1;
    wall->f = tw_impact_force(&def->law, wall->x, v1);
}

static void step_verlet(twWall* wall, double h)
{
    double m = wall->def.mass, g = wall->def.gravity, a0 = g - wall->f / m;
    double half = wall->v + 0.5 * h * a0;
    wall->x += h * wall->v + 0.5 * h * h * a0;
    wall->f = tw_impact_force(&wall->def.law, wall->x, half);
    wall->v = half + 0.5 * h * (g - wall->f / m);
}

static void step_heun(twWall* wall, double h)
{
    double m = wall->def.mass, g = wall->def.gravity, a0 = g - wall->f / m;
    double predicted = wall->v + h * a0;
    wall->x += 0.5 * h * (wall->v + predicted);
    wall->f = tw_impact_force(&wall->def.law, wall->x, predicted);
    wall->v += 0.5 * h * (a0 + g - wall->f / m);
}

static void step_rk4(twWall* wall, double h)
{
    double x = wall->x, v = wall->v;
    double l1 = h * v, k1 = h * acceleration(wall, x, v);
    double l2 = h * (v + 0.5 * k1), k2 = h * acceleration(wall, x + 0.5 * l1, v + 0.5 * k1);
    double l3 = h * (v + 0.5 * k2), k3 = h * acceleration(wall, x + 0.5 * l2, v + 0.5 * k2);
    double l4 = h * (v + k3), k4 = h * acceleration(wall, x + l3, v + k3);
    wall->x += (l1 + 2 * l2 + 2 * l3 + l4) / 6;
    wall->v += (k1 + 2 * k2 + 2 * k3 + k4) / 6;
    wall->f = tw_impact_force(&wall->def.law, wall->x, wall->v);
}

// ---- one step ----

// the source's v_in is the velocity of the last open sample
static void wall_correct(twWall* wall, bool was_closed, double v_in)
{
    if (!was_closed && wall->closed)
    {
        wall->x_max = hunt_x_max(&wall->def.law, wall->def.mass, v_in);
        wall->v_out = hunt_release_fit(wall->def.law.dissipation, v_in);
    }
    if (wall->closed)
    {
        wall->x = fmin(wall->x, wall->x_max);
        wall->xc = fmin(wall->xc, wall->x_max);
    }
    if (was_closed && !wall->closed) wall->v = wall->v_out;
}

void tw_wall_step(twWall* wall)
{
    double h = 1 / wall->def.rate_hz, v_before = wall->v;
    bool was_closed = wall->closed;
    switch (wall->def.method)
    {
    case TW_AM1:
        step_am1(wall, h);
        break;
    case TW_VERLET:
        step_verlet(wall, h);
        break;
    case TW_HEUN:
        step_heun(wall, h);
        break;
    case TW_RK4:
        step_rk4(wall, h);
        break;
    case TW_DG:
    case TW_QI:
        step_consistent(wall, h);
        break;
    }
    if (wall->def.method < TW_DG) wall->xc = wall->x;
    wall->closed = wall->xc > 0;
    if (wall->def.correct) wall_correct(wall, was_closed, fmax(v_before, 0));
}
