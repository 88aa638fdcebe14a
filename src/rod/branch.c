// SPDX-License-Identifier: MIT
// Damping by a loss factor: Maxwell's branches on the strains.
//
// Beside each spring of a strain e (two bends, twist, stretch, tilts) are springs g_j in series with dashpots, whose own strain is y_j:
//
//     stress = S (e - ebar + sum g_j (e - y_j)),   y_j' = w_j (e - y_j)
//     energy = 1/2 (e - ebar) S (e - ebar) + 1/2 sum g_j (e - y_j) S (e - y_j),  which falls by  sum g_j w_j (e - y_j) S (e - y_j)
//
// Strains know nothing of where the rod is and how it turns, so that rigid motion is not damped. The loss factor is
//
//     sum g_j x/(1 + x^2)/(1 + sum g_j x^2/(1 + x^2)),   x = w/w_j:
//
// with four branches of their own it follows a wanted curve, for bends and for the other strains, and springs without branches are softened so that the modulus is the given one at 1 kHz.
//
// The y_j are solved along with the stages: e - y_j there is (1 + w_j h A)^-1 (e - y_j at the start), of the stages' own e. These matrices
// have the eigenvectors of A, so that for an eigenvalue l of A the stiffness counts 1 + sum g_j/(1 + w_j h l) times in the factor and the step
// stays one complex solve (gauss.c); what Gauss's scheme says of quadratic energies it says of these too.
#define _XOPEN_SOURCE 700
#include "couple.h"
#include "element.h"
#include "rod.h"
#include <complex.h>
#include <math.h>
#include <string.h>

#define LOWEST 50.      // where the loss is to be the wanted one [Hz]
#define HIGHEST 15000.  // and not beyond 0.35 of the rate, where steps know no tone
#define NAMED 1000.     // of the modulus [Hz]

// ---- the wanted loss ----

// What a long round rod radiates in bending, over w times its energy, x = k a (cylinder.c): (pi/2) x^2 for small x, 1/x for large.
// Below coincidence it is less, but there (x = 2 c/c_L, 0.13 for metals) it is nothing beside the material's.
static double radiation_loss(const twRodDef* def, double freq_hz)
{
    if (!(def->air_radius > 0)) return 0;
    const double x = 2 * TW_PI * freq_hz * def->air_radius / def->air_speed;
    const double real = j0(x) - j1(x) / x, imag = y0(x) - y1(x) / x;
    const double moved = TW_PI * def->air_radius * def->air_radius / def->sections[0].area;
    return def->air_density / def->density * moved * (2 / TW_PI) / (x * x * (real * real + imag * imag));
}

// A tone w of loss factor eta turns by t(w h) in a step and decays by t'(w h) eta w h/2: what is heard of eta.
static double heard_share(const twRodDef* def, double freq_hz)
{
    const double h = 1 / def->rate_hz, x = 2 * TW_PI * freq_hz * h;
    const double s = def->integrator == TW_ROD_GAUSS4 ? tw_rod_stage_offset(h) : 0, down = 1 - s * s * x * x;
    const double slope = (1 + s * s * x * x) / (down * down + 0.25 * x * x);
    return slope * x / (2 * atan2(0.5 * x, down));
}

// Wanted of the strains of a kind, 0: bends, over what is heard of it.
static double wanted_loss(const twRodDef* def, int kind, double freq_hz)
{
    double wanted = def->loss_factor + 2 * TW_PI * freq_hz * def->beta;
    if (kind == 0) wanted += radiation_loss(def, freq_hz) + tw_relaxation_loss(def->heat, freq_hz);
    return wanted / heard_share(def, freq_hz);
}

// ---- the fit ----

enum
{
    FIT_PITCHES = 64,
    FIT_ROUNDS = 200,
    FIT_SIZE = 2 * ROD_BRANCHES  // logarithms of poles [Hz], then of weights
};

typedef struct Fit
{
    double freq[FIT_PITCHES], loss[FIT_PITCHES];  // wanted, at even steps of pitch
    bool worst;                                   // the largest errors count
} Fit;

// The logarithm of the loss over the wanted one, and its slopes.
static double fit_error(const Fit* fit, int k, const double p[FIT_SIZE], double slope[FIT_SIZE])
{
    double part[ROD_BRANCHES][2], loss = 0, stiff = 1;
    for (int j = 0; j < ROD_BRANCHES; j++)
    {
        const double x = fit->freq[k] / exp(p[j]), g = exp(p[ROD_BRANCHES + j]) / (1 + x * x);
        part[j][0] = g * x, part[j][1] = g * x * x;
        loss += part[j][0], stiff += part[j][1];
        slope[j] = (x * x - 1) / (1 + x * x);  // of ln part[0]
    }
    for (int j = 0; j < ROD_BRANCHES; j++)
    {
        const double down = slope[j], a = part[j][0] / loss, b = part[j][1] / stiff;
        slope[j] = a * down - b * (down - 1);
        slope[ROD_BRANCHES + j] = a - b;
    }
    return log(loss / stiff / fit->loss[k]);
}

// Sum of powers of the errors, 2 or 8, of which the largest ones make the latter; normal equations of its root if a is given.
static double fit_sum(const Fit* fit, const double p[FIT_SIZE], double a[FIT_SIZE * FIT_SIZE], double b[FIT_SIZE])
{
    double sum = 0;
    for (int i = 0; a && i < FIT_SIZE * FIT_SIZE; i++) a[i] = 0;
    for (int i = 0; a && i < FIT_SIZE; i++) b[i] = 0;
    for (int k = 0; k < FIT_PITCHES; k++)
    {
        double slope[FIT_SIZE];
        const double e = fit_error(fit, k, p, slope), square = e * e;
        const double weight = fit->worst ? square * square * square : 1;
        sum += weight * square;
        for (int i = 0; a && i < FIT_SIZE; i++)
        {
            b[i] -= weight * e * slope[i];
            for (int j = 0; j < FIT_SIZE; j++)
                a[FIT_SIZE * i + j] += (fit->worst ? 7 : 1) * weight * slope[i] * slope[j];
        }
    }
    return sum;
}

// Levenberg and Marquardt's steps. damp: how much more than the diagonal. @return whether one was found that is better
static bool fit_step(const Fit* fit, double p[FIT_SIZE], double* sum, double* damp)
{
    double a[FIT_SIZE * FIT_SIZE], b[FIT_SIZE];
    fit_sum(fit, p, a, b);
    for (int trial = 0; trial < 12; trial++, *damp *= 4)
    {
        double c[FIT_SIZE * FIT_SIZE], x[FIT_SIZE], next[FIT_SIZE];
        memcpy(c, a, sizeof c);
        memcpy(x, b, sizeof x);
        for (int i = 0; i < FIT_SIZE; i++) c[(FIT_SIZE + 1) * i] *= 1 + *damp;
        if (!tw_cholesky_factor(c, FIT_SIZE)) continue;
        tw_cholesky_solve(c, FIT_SIZE, x);
        for (int i = 0; i < FIT_SIZE; i++) next[i] = p[i] + fmax(-1, fmin(1, x[i]));
        const double now = fit_sum(fit, next, NULL, NULL);
        if (!(now < *sum)) continue;
        const bool better = now < (1 - 1e-4) * *sum;
        memcpy(p, next, sizeof next);
        *sum = now, *damp *= 0.1;
        return better;
    }
    return false;
}

// Branches whose loss is the wanted one from LOWEST to HIGHEST, from poles at even steps on.
static void fit_branches(const twRodDef* def, int kind, RodBranches* branches)
{
    const double top = fmin(HIGHEST, 0.35 * def->rate_hz), ratio = fmax(top / LOWEST, 2);
    double p[FIT_SIZE];
    Fit fit = {.worst = false};
    for (int k = 0; k < FIT_PITCHES; k++)
    {
        fit.freq[k] = LOWEST * pow(ratio, (double)k / (FIT_PITCHES - 1));
        fit.loss[k] = wanted_loss(def, kind, fit.freq[k]);
    }
    for (int j = 0; j < ROD_BRANCHES; j++)
    {
        const double f = LOWEST * pow(ratio, (j + 0.5) / ROD_BRANCHES);
        p[j] = log(f), p[ROD_BRANCHES + j] = log(1.5 * wanted_loss(def, kind, f));
    }
    for (int stage = 0; stage < 2; stage++)
    {
        fit.worst = stage == 1;
        double sum = fit_sum(&fit, p, NULL, NULL), damp = 1e-2;
        for (int round = 0; round < FIT_ROUNDS && fit_step(&fit, p, &sum, &damp); round++) continue;
    }
    for (int j = 0; j < ROD_BRANCHES; j++)
        branches->pole[kind][j] = exp(p[j]), branches->weight[kind][j] = exp(p[ROD_BRANCHES + j]);
}

// how much stiffer than springs without branches it is where the modulus is named
static double stiffer(const RodBranches* branches, int kind)
{
    double sum = 1;
    for (int j = 0; j < ROD_BRANCHES; j++)
    {
        const double x = NAMED / branches->pole[kind][j];
        sum += branches->weight[kind][j] * x * x / (1 + x * x);
    }
    return sum;
}

twRodDef tw_rod_build_branches(twRod* rod, const twRodDef* def)
{
    twRodDef still = *def;
    if (!rod->branches.any) return still;
    for (int kind = 0; kind < 2; kind++) fit_branches(def, kind, &rod->branches);
    const double more = stiffer(&rod->branches, 1);
    still.young = def->young / more;
    still.stretch = 1 + (def->stretch - 1) * more;
    still.beta = 0;
    return still;
}

void tw_rod_soften_bends(twRod* rod)
{
    const double share = stiffer(&rod->branches, 1) / stiffer(&rod->branches, 0);
    for (int i = 0; i < rod->n; i++) rod->b11[i] *= share, rod->b22[i] *= share, rod->b12[i] *= share;
}

// ---- a step ----

void tw_rod_gauss_branches(twRod* rod, const double a[2][2])
{
    RodScheme* s = &rod->scheme;
    for (int kind = 0; kind < 2; kind++)
        for (int j = 0; j < ROD_BRANCHES; j++)
        {
            const double wh = 2 * TW_PI * rod->branches.pole[kind][j] * s->h;
            const double m[2][2] = {{1 + wh * a[0][0], wh * a[0][1]}, {wh * a[1][0], 1 + wh * a[1][1]}};
            const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
            s->lag[kind][j][0][0] = m[1][1] / det, s->lag[kind][j][0][1] = -m[0][1] / det;
            s->lag[kind][j][1][0] = -m[1][0] / det, s->lag[kind][j][1][1] = m[0][0] / det;
            for (int k = 0; k < 2; k++)
                s->follow[kind][j][k] = 0.5 * wh * (s->lag[kind][j][0][k] + s->lag[kind][j][1][k]);
            // each stage stands for half of the step
            for (int k = 0; k < 4; k++)
                s->lose[kind][j][k / 2][k % 2] =
                    sqrt(wh * rod->branches.weight[kind][j]) * s->lag[kind][j][k / 2][k % 2];
        }
}

// stages are the end of the step and its start, whose means count
void tw_rod_newmark_branches(twRod* rod)
{
    RodScheme* s = &rod->scheme;
    for (int kind = 0; kind < 2; kind++)
        for (int j = 0; j < ROD_BRANCHES; j++)
        {
            const double half = TW_PI * rod->branches.pole[kind][j] * s->h;
            s->lag[kind][j][0][0] = 1 / (1 + half), s->lag[kind][j][0][1] = -half / (1 + half);
            s->lag[kind][j][1][0] = 0, s->lag[kind][j][1][1] = 1;
            for (int k = 0; k < 2; k++) s->follow[kind][j][k] = half / (1 + half);
            // the mean of both stages stands for the step
            for (int k = 0; k < 2; k++)
                s->lose[kind][j][0][k] = sqrt(half * rod->branches.weight[kind][j]) / (1 + half);
        }
}

double complex tw_rod_branch_stiffness(const twRod* rod, int kind, double complex lambda_h)
{
    double complex sum = 1;
    for (int j = 0; rod->branches.any && j < ROD_BRANCHES; j++)
        sum += rod->branches.weight[kind][j] / (1 + 2 * TW_PI * rod->branches.pole[kind][j] * lambda_h);
    return sum;
}

void tw_rod_mix_branches(twRod* rod)
{
    RodScheme* s = &rod->scheme;
    for (int kind = 0; kind < 2; kind++)
        for (int k = 0; k < 4; k++)
        {
            const int stage = k / 2, other = k % 2;
            s->mix[kind][stage][other] = 0;
            for (int j = 0; j < ROD_BRANCHES; j++)
            {
                const double part = rod->branches.weight[kind][j] * s->lag[kind][j][stage][other];
                s->mix[kind][stage][other] += part;
                s->held[kind][stage][j] = (other > 0 ? s->held[kind][stage][j] : 0) + part;
            }
        }
}

void tw_rod_gradients(twRod* rod)
{
    const int stages = rod->integrator == TW_ROD_GAUSS4 ? 2 : 1;
    if (rod->branches.any)
        rod->kernel->pair(rod);
    else
        for (int k = 0; k < stages; k++) rod->kernel->force(rod, rod->stage[k], rod->g[k], k);
}

// ---- energies, in plain numbers ----

// strains of node and edge i, of a trial configuration whose tilts are in q
static void strains_at(const twRod* rod, int stage, double* const* q, int i, double e[ROD_STRAINS])
{
    const RodTrial* trial = &rod->trial[stage];
    const RodFrame before = rod_frame_at(trial->t, trial->d1, trial->d2, i - 1),
                   after = rod_frame_at(trial->t, trial->d1, trial->d2, i);
    const RodElement a = rod_element(&before, &after);
    e[ROD_BEND] = a.k1, e[ROD_BEND + 1] = a.k2, e[ROD_TWIST] = a.tau;
    e[ROD_STRETCH] = rod->strain[stage][i];
    for (int c = ROD_SHEAR; c < rod->dofs; c++) e[c] = q[c][i];
}

// what springs hold at strains x, of which the edge before has x_before; ends that are none have no stiffness
static void add_springs(const twRod* rod, int i, const double x[ROD_STRAINS], double before, const double weight[2],
                        twRodEnergy* out)
{
    const double half = 0.5 * weight[1], change = x[ROD_STRETCH] - before;
    out->bending +=
        0.5 * weight[0] * (rod->b11[i] * x[0] * x[0] + rod->b22[i] * x[1] * x[1] + 2 * rod->b12[i] * x[0] * x[1]);
    out->twisting += half * rod->twist_b[i] * x[ROD_TWIST] * x[ROD_TWIST];
    if (i >= rod->ne) return;
    out->stretching += half * (rod->axial[i] * rod->rest_length[i] * x[ROD_STRETCH] * x[ROD_STRETCH] -
                               rod->axial_node[i] * change * change);
    if (rod->shear)
        out->shearing +=
            half * (rod->tilt11[i] * x[4] * x[4] + rod->tilt22[i] * x[5] * x[5] + 2 * rod->tilt12[i] * x[4] * x[5]);
}

void tw_rod_relax(twRod* rod)
{
    rod->kernel->force(rod, rod->q, rod->mz[0], 0);
    for (int i = 0; i < rod->n; i++)
    {
        double e[ROD_STRAINS];
        strains_at(rod, 0, rod->q, i, e);
        for (int j = 0; j < ROD_BRANCHES; j++)
            for (int c = 0; c < rod->dofs; c++) rod_branch_strain(&rod->branches, c, i)[8 * j] = e[c];
    }
}

void tw_rod_add_branches(const twRod* rod, double* const* q, twRodEnergy* out)
{
    const int last = rod->ne - 1;
    double before[ROD_BRANCHES] = {0};
    for (int j = 0; rod->closed && j < ROD_BRANCHES; j++)
        before[j] = rod->strain[0][last] - rod_branch_strain(&rod->branches, ROD_STRETCH, last)[8 * j];
    for (int i = 0; i < rod->n; i++)
    {
        double e[ROD_STRAINS], x[ROD_STRAINS];
        strains_at(rod, 0, q, i, e);
        for (int j = 0; j < ROD_BRANCHES; j++)
        {
            const double weight[2] = {rod->branches.weight[0][j], rod->branches.weight[1][j]};
            for (int c = 0; c < rod->dofs; c++) x[c] = e[c] - rod_branch_strain(&rod->branches, c, i)[8 * j];
            add_springs(rod, i, x, before[j], weight, out);
            before[j] = x[ROD_STRETCH];
        }
    }
}
