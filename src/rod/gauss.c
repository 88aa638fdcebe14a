// SPDX-License-Identifier: MIT
// One step of the two-stage Gauss method with a frozen factor.
//
// For M q'' + C q' + g(q) = f with C = alpha M + beta H, H = g': the damping by stiffness is beta dg/dt, whose values at the
// stages follow from those of g there and at the start. With A the stage matrix, c its row sums, Q_i = q + c_i h v + Z_i,
//
//     (1 + alpha h A) M Z + (h^2 A^2 + beta h A) g(Q) = beta h c g(q) + h^2 A^2 f - alpha h^2 (A c) M v
//     q += h v + b^T A^-1 Z,  v += b^T A^-2 Z/h,  stage velocities v + A^-1 Z/h, accelerations A^-2 Z/h^2.
//
// A has the eigenvalues lambda = 1/4 +- sqrt(1/16 - s^2), s as below, about sqrt(3)/6. With l, r the left and right eigenvectors of one of them, l.r = 1, a
// simplified Newton step on both stages at once is one complex solve:
//
//     u = ((1 + alpha h lambda) M + (h^2 lambda^2 + beta h lambda) H)^-1 (l . residual),   Z_i -= 2 Re(r_i u)
//
// and with a loss factor (branch.c) h^2 lambda^2 (1 + sum g_j/(1 + w_j h lambda)) H, for bends and for other strains by their own g_j.
// (Hairer and Wanner 1996, IV.8). The matrix is that of an earlier configuration, turned along with the rod: it is made anew
// only when the iteration gets slow (couple.c).
#include "rod.h"
#include <complex.h>
#include <math.h>
#include <string.h>

static void invert2(const double a[2][2], double out[2][2])
{
    double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    out[0][0] = a[1][1] / det, out[0][1] = -a[0][1] / det;
    out[1][0] = -a[1][0] / det, out[1][1] = a[0][0] / det;
}

static void multiply2(const double a[2][2], const double b[2][2], double out[2][2])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j];
}

// (p + q A)^-1 x
static void solve2(double p, double q, const double a[2][2], const double x[2], double out[2])
{
    double m[2][2] = {{p + q * a[0][0], q * a[0][1]}, {q * a[1][0], p + q * a[1][1]}}, inverse[2][2];
    invert2((const double(*)[2])m, inverse);
    for (int i = 0; i < 2; i++) out[i] = inverse[i][0] * x[0] + inverse[i][1] * x[1];
}

static void set_eigenvectors(RodScheme* s, const double a[2][2], double complex lambda)
{
    double complex left[2] = {a[1][0], lambda - a[0][0]}, right[2] = {a[0][1], lambda - a[0][0]};
    double complex scale = left[0] * right[0] + left[1] * right[1];
    for (int k = 0; k < 2; k++)
    {
        right[k] /= scale;
        s->left_re[k] = creal(left[k]), s->left_im[k] = cimag(left[k]);
        s->right_re[k] = creal(right[k]), s->right_im[k] = cimag(right[k]);
    }
}

// Where the stages are: 1/2 -+ s. Any s makes a scheme that is symmetric, symplectic and keeps the energy of linear motion;
// a tone at w turns by 2 atan((w h/2)/(1 - (s w h)^2)) in a step, which Gauss's s^2 = 1/12 makes flat by (w h)^4/720. With
//
//     s^2 = 1/12 + 0.3 (w0 h)^2/720,   w0 = 2 pi 10 kHz,
//
// it is off by (w h)^2 (0.3 (w0 h)^2 - (w h)^2)/720: still of 4th order, and for two thirds of that at w0. Where w0 is beyond half the
// rate there is nothing to mend.
double tw_rod_stage_offset(double h)
{
    const double turn = 2 * TW_PI * 10000 * h;
    return turn < TW_PI ? sqrt(1. / 12 + 0.3 * turn * turn / 720) : ROD_GAUSS_OFFSET;
}

static void make_scheme(twRod* rod, double h)
{
    RodScheme* s = &rod->scheme;
    const double offset = tw_rod_stage_offset(h), a[2][2] = {{0.25, 0.25 - offset}, {0.25 + offset, 0.25}},
                 c[2] = {0.5 - offset, 0.5 + offset};
    double complex lambda = 0.25 + csqrt(1. / 16 - offset * offset);
    double complex mass = 1 + rod->alpha * h * lambda, force = h * h * lambda * lambda, damp = h * lambda;
    const double complex branched = tw_rod_branch_stiffness(rod, 0, h * lambda),
                         others = tw_rod_branch_stiffness(rod, 1, h * lambda);
    double complex stiff = force * branched + rod->beta * damp;
    *s = (RodScheme){.h = h, .offset = offset, .still = creal(1 / others)};
    s->others_re = creal(others / branched), s->others_im = cimag(others / branched);
    if (rod->branches.any)
    {
        tw_rod_gauss_branches(rod, a);
        tw_rod_mix_branches(rod);
    }
    set_eigenvectors(s, a, lambda);
    s->mass_re = creal(mass), s->mass_im = cimag(mass);
    s->stiff_re = creal(stiff), s->stiff_im = cimag(stiff);
    s->force_re = creal(force), s->force_im = cimag(force);
    s->damp_re = creal(damp), s->damp_im = cimag(damp);
    double ac[2] = {h * h * (a[0][0] * c[0] + a[0][1] * c[1]), h * h * (a[1][0] * c[0] + a[1][1] * c[1])},
           ones[2] = {rod->beta * h, rod->beta * h};
    solve2(1, rod->alpha * h, a, ac, s->fall);
    for (int k = 0; k < 2; k++) s->drag[k] = rod->alpha * s->fall[k];
    solve2(rod->beta * h, h * h, a, ones, s->memory);
    // what z makes
    double inverse[2][2], square[2][2], inverse_square[2][2];
    invert2(a, inverse);
    multiply2(a, a, square);
    for (int j = 0; j < 2; j++)
    {
        const double column[2] = {h * h * square[0][j], h * h * square[1][j]};
        double pushed[2];
        solve2(1, rod->alpha * h, a, column, pushed);
        for (int k = 0; k < 2; k++) s->push[k][j] = pushed[k];
    }
    multiply2((const double(*)[2])inverse, (const double(*)[2])inverse, inverse_square);
    for (int k = 0; k < 4; k++)
    {
        s->row_mass[k / 2][k % 2] = (k % 3 == 0) + rod->alpha * h * a[k / 2][k % 2];
        s->row_force[k / 2][k % 2] = h * h * square[k / 2][k % 2];
        s->row_stiff[k / 2][k % 2] = s->row_force[k / 2][k % 2] + rod->beta * h * a[k / 2][k % 2];
    }
    double complex in = 0, out = 0;
    for (int k = 0; k < 2; k++)
    {
        s->hold[k] = s->row_force[k][0] + s->row_force[k][1];
        s->place[k] = 0.5 * (inverse[0][k] + inverse[1][k]);
        s->speed[k] = 0.5 * (inverse_square[0][k] + inverse_square[1][k]) / h;
        for (int j = 0; j < 2; j++)
        {
            s->stage_speed[k][j] = inverse[k][j] / h;
            s->stage_acc[k][j] = inverse_square[k][j] / (h * h);
        }
        in += s->hold[k] * (s->left_re[k] + I * s->left_im[k]);
        out += 2 * s->place[k] * (s->right_re[k] + I * s->right_im[k]);
    }
    s->respond_re = creal(in * out), s->respond_im = cimag(in * out);
    // accelerations of the last step go on in a straight line
    double d = c[1] - c[0], line[2][2] = {{1 - 1 / d, 1 / d}, {-1 / d, 1 + 1 / d}}, product[2][2];
    multiply2((const double(*)[2])square, (const double(*)[2])line, product);
    multiply2((const double(*)[2])product, (const double(*)[2])inverse_square, s->extrapolate);
}

// Weights of the four stage accelerations around an instant, the last two of a piece of length a and the first two of one of
// length b: for the acceleration there (0 .. 3) and the jerk (4 .. 7). Stages are less accurate than ends of steps; so these are the
// derivatives of the quintic through places and velocities at both ends and at the instant itself,
//
//     p(t) = q + v t + c2 t^2 + ... + c5 t^5,   p(b) = q + b v + u,  p'(b) = v + w,   and so at -a,
//
// with u, w from the stage accelerations by the scheme's own sums.
static void sound_weights(double a, double b, double weight[8])
{
    const double s = tw_rod_stage_offset(a) / 2, r = tw_rod_stage_offset(b) / 2;
    const double data[4][4] = {{0, 0, b * b * (0.25 + r), b * b * (0.25 - r)},
                               {0, 0, b / 2, b / 2},
                               {a * a * (0.25 - s), a * a * (0.25 + s), 0, 0},
                               {-a / 2, -a / 2, 0, 0}};
    double m[16];
    int pivot[4];
    for (int k = 0; k < 4; k++)
    {
        m[k] = pow(b, k + 2);
        m[4 + k] = (k + 2) * pow(b, k + 1);
        m[8 + k] = pow(-a, k + 2);
        m[12 + k] = (k + 2) * pow(-a, k + 1);
    }
    // in units of b, so that the columns are alike
    for (int k = 0; k < 16; k++) m[k] /= pow(b, k % 4 + 2);
    if (!tw_lu_factor(m, pivot, 4)) return;
    for (int i = 0; i < 4; i++)
    {
        double c[4] = {data[0][i], data[1][i], data[2][i], data[3][i]};
        tw_lu_solve(m, pivot, 4, c);
        weight[i] = 2 * c[0] / (b * b);
        weight[4 + i] = 6 * c[1] / (b * b * b);
    }
}

static void wrap_stages(twRod* rod)
{
    for (int k = 0; rod->closed && k < 2; k++)
    {
        tw_rod_wrap(rod, rod->z[k], rod->dofs);
        tw_rod_wrap(rod, rod->stage[k], rod->dofs);
    }
}

// Long rows: whether to solve in float. An iteration then costs about 0.7 of one in double, but may take more;
// every so often the other way is tried for a while.
static void choose_precision(twRod* rod)
{
    enum
    {
        TRIAL = 16,
        PERIOD = 512
    };
    RodBand* band = rod->band;
    if (!band->short_down[0]) return;
    double* mean = &rod->mean_iterations[band->use_short];
    *mean = *mean > 0 ? *mean + 0.1 * (rod->last_iterations - *mean) : rod->last_iterations;
    int phase = rod->precision_steps++ % PERIOD;
    bool better = 0.7 * rod->mean_iterations[1] < rod->mean_iterations[0];
    // the first trial starts in double
    if (phase == 0)
        band->use_short = false;
    else if (phase == TRIAL)
        band->use_short = true;
    else if (phase == 2 * TRIAL)
        band->use_short = better;
    if (phase % TRIAL == 0 && phase <= 2 * TRIAL) tw_rod_forget_rates(rod);
}

// Where steps take more than two iterations: whether the guess is to keep the lengths of edges. It is tried for a while,
// and left every so often to see what steps take without.
static void choose_guess(twRod* rod)
{
    enum
    {
        TRIAL = 16,
        PERIOD = 512
    };
    const double many = 2.2, gain = 0.2;  // iterations
    const bool before = rod->by_lengths;
    // others' forces take iterations that say nothing of the guess
    if (rod->closed || rod->piece.pushed) return;
    double* mean = rod->guess_iterations;
    mean[before] = mean[before] > 0 ? mean[before] + 0.1 * (rod->last_iterations - mean[before]) : rod->last_iterations;
    const int phase = ++rod->guess_steps;
    if (phase == TRIAL && mean[0] > many)
        rod->by_lengths = true;
    else if (phase == 2 * TRIAL)
        rod->by_lengths = mean[1] < mean[0] - gain;
    else if (phase == TRIAL || phase == PERIOD)
        rod->by_lengths = false, rod->guess_steps = 0, mean[0] = mean[1] = 0;
    if (rod->by_lengths != before) tw_rod_forget_rates(rod);
}

// While others push: whether the guess is to be a line at all. Forces that begin and end at once make accelerations jump, and
// stretching doubles what is wrong; then places that just go on are nearer. size, off: of z, and of z less the line.
static void choose_line(twRod* rod, double size, double off)
{
    const bool before = rod->by_line;
    double* mean = rod->guess_off;
    mean[0] += 0.1 * (size - mean[0]);
    mean[1] += 0.1 * (off - mean[1]);
    rod->by_line = !rod->piece.pushed || rod->bow.rubs || mean[1] < mean[0];
    if (rod->by_line != before) tw_rod_forget_rates(rod);
}

static double iterate(twRod* rod)
{
    const RodKernel* kernel = rod->kernel;
    tw_rod_gradients(rod);
    kernel->residual(rod);
    if (rod->piece.pushed) kernel->push(rod);
    tw_rod_apply_loads(rod);
    kernel->solve(rod->band, rod->y);
    double change = kernel->update(rod);
    wrap_stages(rod);
    return change;
}

// A rod without supports: its momentum is a sum that the iteration need not find. The equations of the stages, summed over the nodes,
//     sum m z = push sum f - drag sum m v + fall g sum m,
// say how far all z are still to be shifted.
static void balance(const twRod* rod, double shift[2][3])
{
    const RodScheme* s = &rod->scheme;
    double force[2][3] = {{0}};
    memset(shift, 0, 6 * sizeof(double));
    if (rod->support_count > 0) return;
    for (int k = 0; rod->piece.pushed && k < 6; k++) force[k / 3][k % 3] = rod->piece.force[k % 3];
    for (int i = 0; i < rod->load_count; i++)
    {
        if (rod->loads[i].elastic) return;
        for (int k = 0; k < 6; k++) force[k / 3][k % 3] += ((const double*)&rod->loads[i].force[k / 3])[k % 3];
    }
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 3; c++)
        {
            double sum = s->push[k][0] * force[0][c] + s->push[k][1] * force[1][c] - s->drag[k] * rod->sum_v[c];
            shift[k][c] = (sum - rod->sum_z[k][c]) / rod->total_mass + s->fall[k] * ((const double*)&rod->gravity)[c];
        }
}

static void guess(twRod* rod)
{
    rod->kernel->turn(rod, rod->fresh);
    const bool guessed = rod->has_guess && rod->by_line;
    rod->kernel->guess(rod, !guessed ? ROD_GUESS_NONE : rod->by_lengths ? ROD_GUESS_LENGTHS : ROD_GUESS_LINE);
}

static void respond(twRod* rod, double* const* force, double* const* way) { rod->kernel->respond(rod, force, way); }

static void finish(twRod* rod, const double shift[2][3])
{
    const double h = rod->scheme.h;
    choose_precision(rod);
    choose_guess(rod);
    rod->has_guess = true;
    double* weight = rod->sound_weight;
    if (rod->acc_h > 0 && (rod->sound_before != rod->acc_h || rod->sound_after != h))
    {
        sound_weights(rod->acc_h, h, weight);
        rod->sound_before = rod->acc_h, rod->sound_after = h;
    }
    else if (!(rod->acc_h > 0))
        weight[2] = 0.5 + 0.25 / rod->scheme.offset, weight[3] = 0.5 - 0.25 / rod->scheme.offset,
        weight[7] = 0.5 / (rod->scheme.offset * h), weight[6] = -weight[7];
    double off, size = rod->kernel->finish(rod, rod->piece.first ? weight : NULL, shift, &off);
    if (rod->acc_h == h) choose_line(rod, size, off);
    // without damping nothing takes away what the iteration leaves; in steps cut to pieces, or where energy rose, it is not small.
    // Branches are to take more in every step than the iteration leaves: with a third of the tolerance rings thrown at 3 m/s still gained
    // energy in some, with a thirtieth in none
    const bool easy = rod->level == 0 && !rod->lively && (rod->alpha > 0 || rod->beta > 0 || rod->branches.any);
    const double share = !easy ? 1. / 300 : rod->branches.any ? 1. / 30 : 1;
    rod->enough = fmax(rod->finest, share * rod->tolerance * size / (1 + rod->fastest * h));
    rod->acc_h = h;
}

const RodMethod tw_rod_method_gauss = {make_scheme, guess, iterate, respond, balance, finish};
