// SPDX-License-Identifier: MIT
// The law of one contact over one step of length h. c = -u_N is the rate of compression, w = (c0 + c1)/2, s and Dphi those of
// contact/hunt.h, S = s(w):
//
//   impact:  x1 = x0 + h (S Dphi + drift)                p_N = h S DV(x0, x1)        gain = h DV (S Dphi + drift - S w) <= 0
//   rest:    x1 = x0 + h (min(w, c1) + drift)                p_N = h (S V'(x1) + r m)   gain <= V'(x1) (x1-x0) - p_N w  <= 0
//
// because F(v) <= v makes Dphi <= w, (1 - S) w <= 0, and V is convex; m is what w and (x1-x0)/h have in common. Where contacts slow down the rest
// rule is implicit, and r damps: a resting contact calms down at any step and stiffness. Bristles are driven by the midpoint velocity and implicit in z,
// B = h k_t + damping; smooth ones go by the trapezoidal rule, B = h k_t/2 + damping:
//
//   y = -h k_t z0 - h B (u0_T + u1_T)/2;   p_T = y, or y limit/|y| if |y| > limit = friction p_N;   z1 = z0 - (p_T + h k_t z0)/B
//   gain = k_t (z1^2 - z0^2)/2 + p_T.(u0_T + u1_T)/2 <= -damping (z1-z0)^2/h + p_T.(p_T - y)/(h B) <= 0;   smooth: =
//
// Of the mean rate w only a part w' bends bristles, the rest is plastic, by the law of contact/bristle.h. With zs the bend that pushes
// (lambda 1; smooth: 1/2) and g = mu(v) p_N/(h k_t) that of steady sliding,
//
//   zs = z0 + lambda h w,   r (1 + lambda h alpha(r/g) |w|/g) = |zs|,   w' = (r zs/|zs| - z0)/(lambda h)
//
// and all of the above goes by u' = 2 w' - u0 instead of u1. What slips, w - w', has the direction of zs, and p_T.zs <= 0 (where damping would
// push along it, that part is left out), so it takes energy at any step. mu falls with the speed v at the start; the cone is that of
// mu_s, and bristles that were bent more than it allows begin at its edge.
//
// At rest a bristle that sticks follows d, z1 = z0 + h d, with d between the mean velocity and that at the end, on the side where
// z1.(d - (u0 + u1)/2) <= 0, which is what the gain has more then; one that slides gives back what it would gain.
//
// The solids under a contact at rest have a loss factor eta. A spring G in series with a dashpot beside the contact's takes it, by Maxwell: with s
// the stretch of that spring, m = (s0 + s1)/2 and e = sqrt(G) s, which goes on to the next step whatever G is there,
//
//   s1 = s0 + h (w - w_b m),   p_B = h G m,   (e1^2 - e0^2)/2 - p_B w = -h w_b G m^2 <= 0;   G = 2 eta/(1 - eta) V'', w_b^2 = V'' W
//
// has the loss eta where a contact alone swings, w_b, and less elsewhere. It never pulls: where p_B < -p_N it is let go, e1 = 0, and both push
// no more. Then w > 0, or all of this falls anyway, p_N < h G |m| makes p_N w - e0^2/2 < G (h w (|s0| - h w/2) - s0^2/2) <= 0.
//
// Bonds, with z1 = z0 + h w, each row for itself (so that the sum is what two bodies and the bond gain):
//
//   p = -h k (z0 + (1 + theta)/2 h w) - h c w,   k (z1^2 - z0^2)/2 + p w = -(theta/2 h k + c) h w^2 <= 0;   limited (k = 0): p w <= 0
//
// Rows with a largest force F together (theta = 1, one k and c) go by the potential U of Huber, k |z|^2/2 up to |z| = F/k and linear beyond,
// whose gradient is clip(k z), the vector shortened to the length F:
//
//   p = -h clip(k z1 + c w),   U(z1) - U(z0) + p.w <= -h (clip(k z1 + c w) - clip(k z1)).w <= 0
//
// because U is convex and clip is monotone.
//
// A row alone, with kappa = h^2 k W and gamma = h c W, takes (z, h u) to (z1, h u1) by a matrix of determinant
// (1 - gamma/2)/(1 + (kappa + gamma)/2), and for theta = 1 of trace (2 - kappa/2)/(1 + (kappa + gamma)/2). gamma = 2 leaves the
// eigenvalues 0 and (4 - kappa)/(4 + kappa): gone in two steps at kappa = 4, -3/7 a step at 10, and -1, velocities that
// alternate for ever, as kappa grows: that is what steps allow. Whatever else holds the bodies makes W less and errors slower to
// go, |eigenvalue|^2 = (1 - r)/(1 + 6 r) at r W, but never grow.
#include "law.h"
#include "twang/math.h"
#define HUNT_SMIN 1e-4  // of 1 + mu v: below, a release is so sudden that it cannot be told from a jump
#include "contact/bristle.h"
#include "contact/hunt.h"
#include <string.h>

#define DAMPEST 2.0             // gamma
#define CLIPPED_ROUNDS 30       // of Newton's method for one bond alone
#define YIELD_ROUNDS 60         // of Newton's method for the bend of a bristle that yields
#define YIELD_MISS 1e-15        // of the bend, that is enough
#define LEAST_DISSIPATION 1e-9  // below, 1 + mu v is 1 [s/m]
#define CALM_BRISTLES 0.5       // damping of bristles that steps do not resolve, of critical

// rate of compression and its slope in c1
static double law_rate(const LawStep* step, double c0, double c1, double s, double s_rise, double* slope)
{
    double mu = step->impact.dissipation, mean = 0.5 * (c0 + c1), rise = 0.5;
    const bool slows = c1 < c0 && !step->follows;
    *slope = slows ? 1 : 0.5;
    if (step->rest) return (slows ? c1 : mean) + step->drift;
    if (mu > LEAST_DISSIPATION) mean = hunt_mean_rate(mu, c0, c1, &rise);
    *slope = 0.5 * s_rise * mean + s * rise;
    return s * mean + step->drift;
}

// DV and its slope in x1, which hunt_gradient() knows only roughly where the quotient cancels
static double law_gradient(const LawStep* step, double x1, double* slope)
{
    HuntStep hunt = hunt_step(&step->impact, step->h, step->x0, -step->u0[0], true);
    double v1, rise, mean = hunt_gradient(&hunt, x1, &v1, slope), d = x1 - step->x0;
    if (x1 > 0 && step->x0 > 0 && fabs(d) > 1e-3 * x1) *slope = (hunt_elastic(&step->impact, x1, &rise) - mean) / d;
    return mean;
}

// normal impulse, its slope in c1 to d
static double law_normal(LawEnd* end, const LawStep* step, double c1, double* d)
{
    const twImpactLaw* law = &step->impact;
    double c0 = -step->u0[0], s_rise, s = hunt_damping(law->dissipation, 0.5 * (c0 + c1), &s_rise);
    double rate_rise, rate = law_rate(step, c0, c1, s, s_rise, &rate_rise), force, force_rise;
    end->x1 = step->x0 + step->h * rate;
    force = step->rest ? hunt_elastic(law, end->x1, &force_rise) : law_gradient(step, end->x1, &force_rise);
    *d = step->h * (0.5 * s_rise * force + s * force_rise * step->h * rate_rise);
    force *= s;
    if (!(step->rest && end->x1 > 0)) return step->h * force;

    // the damper sees the smaller one of both rates
    double w = 0.5 * (c0 + c1),
           slip = rate > 0 ? rate
                  : w < 0  ? w
                           : 0,
           slip_rise = rate > 0 ? rate_rise
                       : w < 0  ? 0.5
                                : 0;
    *d += step->h * step->rest_damping * slip_rise;
    return step->h * (force + step->rest_damping * slip);
}

// impulse of the branch, its slope in c1 to d
static double law_branch_push(LawEnd* end, const LawStep* step, double c1, double* d)
{
    const double g = step->branch_stiffness, h = step->h, w = 0.5 * (c1 - step->u0[0]);
    if (!(g > 0)) return 0;
    const double root = sqrt(g), s0 = step->branch0 / root, share = 1 / (1 + 0.5 * h * step->branch_rate);
    const double mean = share * (s0 + 0.5 * h * w);
    end->branch1 = root * (2 * mean - s0);
    *d += 0.25 * h * h * g * share;
    return h * g * mean;
}

// stiffness of bristles in the rule of the step: impulse per stretch from its start [N s/m]
static double law_bristle_rise(const LawStep* step) { return (step->smooth ? 0.5 : 1) * step->h * step->kt; }

// bristle at the end if all bends it, and its slope in u1. Calm: where the mean velocity stretches it more than that at the
// end the latter counts, and it does not swing through 0, so that what alternates from step to step dies out.
static double law_bristle(const LawStep* step, bool calm, double z0, double u0, double u1, double* rise)
{
    double mean = 0.5 * (u0 + u1), h = step->h;
    *rise = 0.5 * h;
    if (!calm) return z0 + h * mean;
    double low = z0 + h * (u1 < mean ? u1 : mean), high = z0 + h * (u1 < mean ? mean : u1);
    if (low <= 0 && high >= 0)
        *rise = 0;
    else if ((low > 0) == (u1 < mean))
        *rise = h;
    return low > 0 ? low : high < 0 ? high : 0;
}

// The bend x = r/g where x (1 + rate alpha(x)) = s. plastic: alpha there; rise: 1 over the slope of the left side
static double law_yield(double s, double rate, double breakaway, double* rise, double* plastic)
{
    double low = fmin(breakaway, s), high = s, x = s / (1 + rate), slope;
    for (int i = 0; i < YIELD_ROUNDS; i++)
    {
        *plastic = bristle_share(x, breakaway, &slope);
        *rise = 1 / (1 + rate * (*plastic + x * slope));
        const double miss = x * (1 + rate * *plastic) - s, next = x - miss * *rise;
        if (fabs(miss) <= YIELD_MISS * s) break;
        if (miss > 0)
            high = x;
        else
            low = x;
        x = next > low && next < high ? next : 0.5 * (low + high);
    }
    return x;
}

// bristles at the start, no more bent than the cone allows
static void law_flow_start(const LawStep* step, double normal, LawFlow* flow)
{
    const double most = step->cone * normal / (step->h * step->kt);
    const double bend = sqrt(step->z0[0] * step->z0[0] + step->z0[1] * step->z0[1]);
    const bool over = flow->slips = !step->fixed_limit && bend > most;
    for (int i = 0; i < 2; i++)
    {
        flow->z0[i] = over ? step->z0[i] * (most / bend) : step->z0[i];
        flow->z0_by_normal[i] = over && normal > 0 ? flow->z0[i] / normal : 0;
    }
}

LawFlow law_flow(const LawStep* step, const double u1[3], double normal)
{
    const double h = step->h, part = step->smooth ? 0.5 : 1, g = step->friction * normal / (h * step->kt);
    LawFlow flow = {.u = {u1[1], u1[2]}, .by_u = {{1, 0}, {0, 1}}};
    double w[2], zs[2];
    law_flow_start(step, normal, &flow);
    for (int i = 0; i < 2; i++)
    {
        w[i] = 0.5 * (step->u0[1 + i] + u1[1 + i]);
        zs[i] = flow.z0[i] + part * h * w[i];
    }
    const double bend = sqrt(zs[0] * zs[0] + zs[1] * zs[1]), speed = sqrt(w[0] * w[0] + w[1] * w[1]);
    if (step->fixed_limit || !(g > 0) || !(bend > step->breakaway * g) || !(w[0] * zs[0] + w[1] * zs[1] > 0))
        return flow;
    double rise, plastic;
    const double x = law_yield(bend / g, part * h * speed / g, step->breakaway, &rise, &plastic), keep = x * g / bend;
    flow.slips = true;
    flow.bend = bend;
    flow.bend_by_u = 0.5 * part * h;
    for (int i = 0; i < 2; i++)
    {
        const double e = zs[i] / bend, scale = 2 / (part * h);
        flow.along[i] = e;
        flow.u[i] = scale * (keep * zs[i] - flow.z0[i]) - step->u0[1 + i];
        flow.by_normal[i] = scale * (e * x * (1 - rise) * g / normal - flow.z0_by_normal[i]);
        for (int j = 0; j < 2; j++)
        {
            const double by_bend = e * rise * zs[j] / bend + keep * ((i == j) - e * zs[j] / bend);
            flow.by_u[i][j] = by_bend - e * rise * x * plastic * w[j] / speed;
            flow.by_normal[i] += scale * by_bend * flow.z0_by_normal[j];
        }
    }
    return flow;
}

LawStick law_stick(const LawStep* step, const LawFlow* flow)
{
    const double h = step->h, kt = h * step->kt, rise = law_bristle_rise(step);
    LawStick stick;
    for (int i = 0; i < 2; i++)
    {
        const double z0 = flow->z0[i], u0 = step->u0[1 + i];
        double slope;
        stick.z1[i] = law_bristle(step, step->calm && !flow->slips, z0, u0, flow->u[i], &slope);
        stick.y[i] = -kt * z0 - rise * (stick.z1[i] - z0) - 0.5 * h * step->damping * (flow->u[i] + u0);
        stick.slope[i] = rise * slope + 0.5 * h * step->damping;
        stick.by_z0[i] = slope > 0 ? kt : kt - rise;
    }
    stick.along = fmax(stick.y[0] * flow->along[0] + stick.y[1] * flow->along[1], 0);
    for (int i = 0; i < 2; i++) stick.y[i] -= stick.along * flow->along[i];
    return stick;
}

// Of -dy/du1, with the normal rate first, what goes along e; and e turns: y -= e (y.e)
static void law_oppose(const LawFlow* flow, const LawStick* stick, double normal_rise, double d[2][3])
{
    const double *e = flow->along, *y = stick->y;
    for (int q = 0; q < 3; q++)
    {
        const double along = e[0] * d[0][q] + e[1] * d[1][q];
        const double way[2] = {q ? flow->bend_by_u * (q == 1) : -flow->z0_by_normal[0] * normal_rise,
                               q ? flow->bend_by_u * (q == 2) : -flow->z0_by_normal[1] * normal_rise};
        const double stretch = e[0] * way[0] + e[1] * way[1];
        const double turn[2] = {(way[0] - e[0] * stretch) / flow->bend, (way[1] - e[1] * stretch) / flow->bend};
        const double across = y[0] * turn[0] + y[1] * turn[1];
        for (int i = 0; i < 2; i++) d[i][q] += stick->along * turn[i] + e[i] * (across - along);
    }
}

// -dy/du1 of what bristles push
static void law_stick_slope(const LawFlow* flow, const LawStick* stick, double normal_rise, double d[2][3])
{
    for (int i = 0; i < 2; i++)
    {
        d[i][0] = -normal_rise * (stick->slope[i] * flow->by_normal[i] + stick->by_z0[i] * flow->z0_by_normal[i]);
        for (int j = 0; j < 2; j++) d[i][1 + j] = stick->slope[i] * flow->by_u[i][j];
    }
    if (stick->along > 0) law_oppose(flow, stick, normal_rise, d);
}

// tangential impulse: bristles, elastic and then plastic, inside the cone
static void law_cone(LawEnd* end, const LawStep* step, const LawFlow* flow, double normal_rise)
{
    const double kt = step->h * step->kt, b = law_bristle_rise(step) + step->damping;
    const LawStick stick = law_stick(step, flow);
    const double* y = stick.y;
    double d[2][3];
    law_stick_slope(flow, &stick, normal_rise, d);
    memcpy(end->z1, stick.z1, sizeof end->z1);
    const double size = sqrt(y[0] * y[0] + y[1] * y[1]),
                 limit = step->fixed_limit ? step->limit : step->cone * end->p[0];
    const bool clips = size > limit;
    const double part = clips ? limit / size : 1, grows = clips && !step->fixed_limit ? step->cone * normal_rise : 0;
    end->slides = clips || flow->slips;
    for (int i = 0; i < 2; i++)
    {
        const double e = clips ? y[i] / size : 0;
        end->p[1 + i] = part * y[i];
        if (clips || stick.along > 0) end->z1[i] = b > 0 ? flow->z0[i] - (end->p[1 + i] + kt * flow->z0[i]) / b : 0;
        for (int q = 0; q < 3; q++)
            end->d[1 + i][q] = part * (d[i][q] - e * (y[0] * d[0][q] + y[1] * d[1][q]) / (clips ? size : 1));
        end->d[1 + i][0] += e * grows;
    }
}

// and viscous friction beside it
static void law_tangent(LawEnd* end, const LawStep* step, const double u1[3], double normal_rise)
{
    const LawFlow flow = law_flow(step, u1, end->p[0]);
    law_cone(end, step, &flow, normal_rise);
    memcpy(end->z0, flow.z0, sizeof end->z0);
    if (step->calm && end->slides) law_shrink(step, end, law_gain(step, end, u1));
    for (int i = 1; i < 3; i++)
    {
        end->p[i] -= 0.5 * step->h * step->viscosity * (step->u0[i] + u1[i]);
        end->d[i][i] += 0.5 * step->h * step->viscosity;
    }
}

// open at the start, and not reached even at the rate S w >= S Dphi
static bool stays_open(const LawStep* step, double c1)
{
    double w = 0.5 * (c1 - step->u0[0]);
    return step->x0 <= 0 && !(w > 0 && step->x0 + step->h * w * (1 + step->impact.dissipation * w) > 0);
}

// a row's impulse is p0 - d u1, within most
static double bond_row(const LawStep* step, int r, double* d)
{
    const BondStep* b = step->bond;
    *d = 0.5 * step->h * (0.5 * (1 + b->theta[r]) * step->h * b->k[r] + b->c[r]);
    return -step->h * b->k[r] * b->z0[r] - *d * step->u0[r];
}

static bool over(const BondStep* bond, int r, double p) { return bond->most[r] > 0 && fabs(p) > bond->most[r]; }

// p shortened to a length; of its slope what is along p goes
static void bond_clip(LawEnd* end, double radius)
{
    double size = sqrt(end->p[0] * end->p[0] + end->p[1] * end->p[1] + end->p[2] * end->p[2]);
    if (!(radius > 0 && size > radius)) return;
    const double part = radius / size, d[3] = {end->d[0][0], end->d[1][1], end->d[2][2]};
    const double e[3] = {end->p[0] / size, end->p[1] / size, end->p[2] / size};
    for (int i = 0; i < 3; i++)
    {
        end->p[i] = radius * e[i];
        for (int j = 0; j < 3; j++) end->d[i][j] = part * ((i == j) - e[i] * e[j]) * d[j];
    }
    end->slides = true;
}

static void bond_end(LawEnd* end, const LawStep* step, const double u1[3])
{
    end->holds = true;
    for (int r = 0; r < 3; r++)
    {
        double d, p = bond_row(step, r, &d);
        p -= d * u1[r];
        bool limited = over(step->bond, r, p);
        end->p[r] = limited ? copysign(step->bond->most[r], p) : p;
        end->d[r][r] = limited ? 0 : d;
    }
    bond_clip(end, step->bond->radius);
}

// in pieces that compilers turn into a few stores, not into a slow loop
static void clear(LawEnd* end)
{
    memset(end->p, 0, sizeof end->p);
    memset(end->d, 0, sizeof end->d);
    memset(end->z1, 0, sizeof end->z1);
    end->x1 = end->branch1 = 0;
    end->slides = end->holds = false;
}

void law_begin(LawStep* step, const SolveLaw* law, const SolveMemory* memory, double gap, double across)
{
    step->impact = law->impact;
    step->x0 = memory->compression > 0 ? memory->compression : gap > 0 ? -gap : 0;
    const twFrictionLaw* friction = &law->friction;
    step->kt = friction->stiffness;
    if (step->frictionless) return;
    const double speed = sqrt(step->u0[1] * step->u0[1] + step->u0[2] * step->u0[2]);
    step->friction = friction_coefficient(friction, speed);
    step->cone = friction->static_friction;
    step->breakaway = step->friction > 0 ? friction->breakaway * friction->dynamic_friction / step->friction : 1;
    step->viscosity = friction->viscosity;
    const double critical = across > 0 ? 2 * sqrt(step->kt / across) : 0, x = step->x0 > 0 ? step->x0 : 0;
    step->own_damping = friction->damping + 0.5 * law->loss_factor * critical +
                        step->kt * law->impact.dissipation * x / law->impact.exponent;
    step->damping = fmax(friction->damping, CALM_BRISTLES * critical);
    if (memory->compression > 0) memcpy(step->z0, memory->bristle, sizeof step->z0);
}

void law_branch(LawStep* step, const SolveLaw* law, const SolveMemory* memory, double own)
{
    double slope;
    hunt_elastic(&step->impact, step->x0, &slope);
    step->branch_stiffness = 2 * law->loss_factor / (1 - law->loss_factor) * slope;
    step->branch_rate = sqrt(slope * own);
    step->branch0 = memory->branch;
}

void law_smooth(LawStep* step)
{
    step->smooth = true;
    step->calm = false;
    step->damping = step->own_damping;
}

void law_remember(SolveMemory* memory, const LawStep* step, const LawEnd* end, const double u1[3], bool closed)
{
    *memory = (SolveMemory){.compression = closed && end->x1 > 0 ? end->x1 : 0,
                            .impulse = {end->p[0], end->p[1], end->p[2]},
                            .before = {memory->impulse[0], memory->impulse[1], memory->impulse[2]},
                            .spread = {memory->spread[0], memory->spread[1], memory->spread[2]},
                            .stored = step->bond ? law_bond_energy(step, u1) : 0,
                            .branch = closed ? end->branch1 : 0,
                            .closed_steps = closed ? memory->closed_steps + 1 : 0,
                            .impact = closed && memory->impact,
                            .slides = closed && end->slides};
    for (int q = 0; q < 2; q++) memory->bristle[q] = closed && !step->bond ? end->z1[q] : 0;
}

void law_push(LawEnd* end, const LawStep* step, const double u1[3])
{
    clear(end);
    if (!step->fixed_limit && stays_open(step, -u1[0])) return;
    double d, p = law_normal(end, step, -u1[0], &d);
    p += law_branch_push(end, step, -u1[0], &d);
    end->p[0] = p > 0 ? p : 0;
    end->d[0][0] = p > 0 ? d : 0;
    if (!(p > 0)) end->branch1 = 0;
}

void law_end(LawEnd* end, const LawStep* step, const double u1[3])
{
    clear(end);
    if (step->bond)
    {
        bond_end(end, step, u1);
        return;
    }
    law_push(end, step, u1);
    if (!(end->p[0] > 0 || (step->fixed_limit && step->limit > 0))) return;
    if (!step->frictionless) law_tangent(end, step, u1, end->d[0][0]);
}

static double bristle_energy(const LawStep* step, const double z[2])
{
    return 0.5 * step->kt * (z[0] * z[0] + z[1] * z[1]);
}

double law_energy(const LawStep* step, double x, const double z[2])
{
    return hunt_potential(&step->impact, x) + bristle_energy(step, z);
}

double law_gain(const LawStep* step, const LawEnd* end, const double u1[3])
{
    double gain = step->bond ? law_bond_energy(step, u1) - law_bond_energy(step, NULL)
                             : law_energy(step, end->x1, end->z1) - law_energy(step, step->x0, step->z0) +
                                   0.5 * (end->branch1 * end->branch1 - step->branch0 * step->branch0);
    for (int q = 0; q < 3; q++) gain += 0.5 * end->p[q] * (step->u0[q] + u1[q]);
    return gain;
}

LawSpent law_spent(const LawStep* step, const LawEnd* end, const double u1[3])
{
    LawSpent spent = {.normal = 0};
    double s_rise, w = -0.5 * (step->u0[0] + u1[0]), s = hunt_damping(step->impact.dissipation, w, &s_rise);
    LawEnd branch = {.x1 = 0};
    double slope = 0, stored = hunt_potential(&step->impact, step->x0) - hunt_potential(&step->impact, end->x1) +
                               0.5 * (step->branch0 * step->branch0 - end->branch1 * end->branch1);
    // of the rest rule the part (S - 1) V'; of the other all but the drift
    if (step->rest)
        spent.normal = step->h * (s - 1) * w * hunt_elastic(&step->impact, end->x1, &s_rise);
    else if (end->p[0] > 0)
        spent.normal =
            stored + end->p[0] * w + (end->p[0] - law_branch_push(&branch, step, -u1[0], &slope)) * step->drift / s;
    for (int q = 0; q < 2; q++)
    {
        double rate = (end->z1[q] - end->z0[q]) / step->h, mean = 0.5 * (step->u0[1 + q] + u1[1 + q]);
        if (end->p[1 + q] == 0) continue;
        spent.bristle += step->h * fmin(step->own_damping, step->damping) * rate * rate;
        if (end->slides) spent.slip += end->p[1 + q] * (rate - mean);
        spent.slip += step->h * step->viscosity * mean * rate;
        spent.slip += 0.5 * step->kt * (step->z0[q] * step->z0[q] - end->z0[q] * end->z0[q]);
    }
    return spent;
}

double law_shrink(const LawStep* step, LawEnd* end, double excess)
{
    if (!(excess > 0)) return 0;
    // bristles first: they matter less
    double bristles = bristle_energy(step, end->z1),
           keep = bristles > excess ? sqrt((bristles - excess) / bristles) : 0;
    end->z1[0] *= keep;
    end->z1[1] *= keep;
    excess -= bristles;
    if (excess <= 0) return 0;
    double spring = hunt_potential(&step->impact, end->x1), power = step->impact.exponent + 1;
    if (spring > 0) end->x1 = spring > excess ? end->x1 * pow((spring - excess) / spring, 1 / power) : 0;
    return excess > spring ? excess - spring : 0;
}

// ---- bonds ----

BondStep law_bond(const SolveBond* bond, const double offset[3], double h, const double own[3])
{
    BondStep step = {.radius = bond->max_force * h, .drives = bond->drives};
    for (int r = 0; r < 3; r++)
    {
        const bool motor = bond->limit[r] > 0 || bond->drives;
        const double w = bond->mobility > 0 ? bond->mobility : own[r];
        double k = motor ? 0 : bond->stiffness[r], c = bond->damping[r];
        if (bond->stiff[r] && w > 0)
        {
            double stiffest = LAW_STIFFEST / (h * h * w), dampest = DAMPEST / (h * w);
            if (!motor) k = k > 0 && k < stiffest ? k : stiffest;
            // critical, if steps allow that
            c = motor ? dampest : fmin(2 * sqrt(k / w), dampest);
        }
        step.k[r] = k;
        step.c[r] = c;
        step.theta[r] = bond->theta[r];
        step.most[r] = bond->limit[r] * h;
        step.z0[r] = offset[r];
    }
    return step;
}

double law_bond_potential(const double k[3], double max_force, const double z[3])
{
    double sum = 0, square = 0, stiffness = fmax(k[0], fmax(k[1], k[2]));
    for (int r = 0; r < 3; r++)
    {
        sum += 0.5 * k[r] * z[r] * z[r];
        square += k[r] * z[r] * k[r] * z[r];
    }
    const double force = sqrt(square);
    if (!(max_force > 0 && force > max_force)) return sum;
    return max_force * (force - 0.5 * max_force) / stiffness;
}

double law_bond_within(const double k[3], double max_force, const double z[3], double energy)
{
    const double stored = law_bond_potential(k, max_force, z), stiffness = fmax(k[0], fmax(k[1], k[2]));
    if (!(stored > energy)) return 1;
    if (!(energy > 0)) return 0;
    if (!(max_force > 0)) return sqrt(energy / stored);
    const double corner = 0.5 * max_force * max_force / stiffness,
                 force =
                     energy > corner ? stiffness * energy / max_force + 0.5 * max_force : sqrt(2 * stiffness * energy);
    double square = 0;
    for (int r = 0; r < 3; r++) square += k[r] * z[r] * k[r] * z[r];
    return force / sqrt(square);
}

double law_bond_energy(const LawStep* step, const double u1[3])
{
    const BondStep* b = step->bond;
    double z[3];
    for (int r = 0; r < 3; r++) z[r] = b->z0[r] + (u1 ? 0.5 * step->h * (step->u0[r] + u1[r]) : 0);
    return law_bond_potential(b->k, b->radius / step->h, z);
}

// (I + D W) p = p0 - D b; rows in limited keep their p
static bool bond_solve(const LawStep* step, const double w[3][3], const double b[3], const bool limited[3], double p[3])
{
    double a[9];
    int pivot[3];
    for (int r = 0; r < 3; r++)
    {
        double d, start = bond_row(step, r, &d);
        for (int q = 0; q < 3; q++) a[3 * r + q] = (r == q) + (limited[r] ? 0 : d * w[r][q]);
        if (!limited[r]) p[r] = start - d * b[r];
    }
    if (!tw_lu_factor(a, pivot, 3)) return false;
    tw_lu_solve(a, pivot, 3, p);
    return true;
}

// the same with all rows limited together: Newton's method for p = law(W p + b)
static void bond_solve_clipped(const LawStep* step, const double w[3][3], const double b[3], double p[3])
{
    for (int i = 0; i < 3; i++) p[i] = 0;
    for (int round = 0; round < CLIPPED_ROUNDS; round++)
    {
        double u[3], a[9], r[3], change = 0;
        int pivot[3];
        LawEnd end = {.x1 = 0};
        for (int i = 0; i < 3; i++) u[i] = b[i] + w[i][0] * p[0] + w[i][1] * p[1] + w[i][2] * p[2];
        bond_end(&end, step, u);
        for (int i = 0; i < 3; i++)
        {
            r[i] = end.p[i] - p[i];
            for (int j = 0; j < 3; j++)
                a[3 * i + j] = (i == j) + end.d[i][0] * w[0][j] + end.d[i][1] * w[1][j] + end.d[i][2] * w[2][j];
        }
        if (!tw_lu_factor(a, pivot, 3)) return;
        tw_lu_solve(a, pivot, 3, r);
        for (int i = 0; i < 3; i++)
        {
            p[i] += r[i];
            change = fmax(change, fabs(r[i]));
        }
        if (change <= 1e-14 * step->bond->radius) return;
    }
}

void law_bond_alone(const LawStep* step, const double w[3][3], const double b[3], double p[3])
{
    bool limited[3] = {false}, again = true;
    if (step->bond->radius > 0)
    {
        bond_solve_clipped(step, w, b, p);
        return;
    }
    while (again)
    {
        again = false;
        if (!bond_solve(step, w, b, limited, p)) memset(p, 0, 3 * sizeof *p);
        for (int r = 0; r < 3; r++)
            if (!limited[r] && over(step->bond, r, p[r]))
            {
                p[r] = copysign(step->bond->most[r], p[r]);
                limited[r] = again = true;
            }
    }
}
