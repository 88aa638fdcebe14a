// SPDX-License-Identifier: MIT
// Laplace's equation by boundary elements. With G = log|x - y|/2pi and n the outward normal, let K be the double layer,
// (K f)(y) = int f(x) dG/dn_x ds. One matrix, 1/2 + K, does everything:
//
// Outside, for an outline that moves with unit velocity along axis a, the potential has d phi/dn = n_a. Green's identity
// outside for phi and inside for x_a, subtracted, leaves (1/2 + K)(phi - x_a) = -x_a, so that with
//
//   (1/2 + K) psi_a = x_a :   D_ab = S delta_ab - int phi_a n_b ds = int psi_a n_b ds
//
// Inside, u = g on the outline is the double layer of s with (1/2 + K) s = g, and its energy int |grad u|^2 dS is
// E[g] = int s w ds, w = d/dt (int G dg/dt ds), a principal value. Then (axes centred and principal):
//
//   torsion   stress function u - q, q = a x^2 + (1-a) y^2 with a = Iyy/(Ixx + Iyy) (then E = 0 for an ellipse and E is
//             small for thin sections):  J = 4 Ixx Iyy/(Ixx + Iyy) - E[q]
//   shear     along x at Poisson's ratio 0: tau_x = -x^2/2 + du/dy, tau_y = -du/dx (times force/Ixx) are in
//             equilibrium; no stress crosses the outline if du/ds = x^2/2 dy/ds on it. Equal energies define k:
//             Ixx^2/(k S) = int |tau|^2 dS = int x^4/4 dS - int x^2 u n_y ds + E[u]
//
// Integrals over a panel have the pole 1/(y - x), as complex numbers:  K is -Im, w is Re of  dx/(y - x) / 2pi. Straight
// panels integrate it exactly against polynomials; on the panel's own arc it is 1/2 (cot(u/2) - i) dtheta with u the
// angle from x to y, and the pole of the cotangent is integrated exactly.
// Sources: Kress, Linear Integral Equations (layers); Newman, Marine Hydrodynamics 4.13 (added mass); Cowper 1966, whose
// coefficient this is at Poisson's ratio 0.
#include "boundary.h"
#include "panel.h"
#include "twang/math.h"
#include <stdlib.h>

enum
{
    MOVE_X,
    MOVE_Y,
    TWIST,
    SHEAR_X,
    SHEAR_Y,
    SIDES  // right-hand sides
};

typedef struct System
{
    const Panels* p;
    double xx, yy, area;
    double* matrix;        // 1/2 + K (nodes x nodes)
    double* side[SIDES];   // right-hand sides, then solutions (nodes)
    double* data[SIDES];   // boundary values (nodes)
    double* slope[SIDES];  // their derivative along the outline (nodes)
    double* w[SIDES];      // of E (nodes)
    int* pivot;
} System;

// ---- the pole, integrated ----

// on the arc of the target: 1/2 (cot(u/2) - i) dtheta
static void arc_pole(const Panels* p, const Panel* panel, Point target, int own_node, Point* out)
{
    double angle = remainder(carg((target - panel->centre) * cexp(-I * panel->mid)), 2 * TW_PI),
           z = angle / panel->turn;
    if (own_node >= 0)
        gauss_pole_inside(&p->gauss, p->gauss.node[own_node], out);
    else
        gauss_pole(&p->gauss, z, out);
    for (int i = 0; i < p->gauss.order; i++)
    {
        double u = angle - panel->turn * p->gauss.node[i], dtheta = p->gauss.weight[i] * panel->turn;
        double rest = i == own_node || fabs(u) < 1e-4 ? -u / 12 : 0.5 / tan(0.5 * u) - 1 / u;
        out[i] = point(creal(out[i]) + rest * dtheta, -0.5 * dtheta);
    }
}

// weights of the integral of f(x) dx/(y - x) over a panel for f at its nodes; own_node: of the target, -1 if elsewhere
static void pole_weights(const Panels* p, const Panel* panel, Point target, int target_edge, int own_node, Point* out)
{
    if (panel->radius > 0 && target_edge == panel->edge)
    {
        arc_pole(p, panel, target, own_node, out);
        return;
    }
    if (panel->radius > 0)
    {
        const long first = (panel - p->panels) * p->gauss.order;
        for (int i = 0; i < p->gauss.order; i++)
            out[i] = p->tangent[first + i] * p->ds[first + i] / (target - p->z[first + i]);
        return;
    }
    if (own_node >= 0)
        gauss_pole_inside(&p->gauss, p->gauss.node[own_node], out);
    else
        gauss_pole(&p->gauss, (target - panel->centre) / panel->half, out);
}

// ---- boundary values ----

// their derivatives along the outline at a point with a unit tangent
static void slopes_at(const System* s, Point z, Point tangent, double* out)
{
    double x = creal(z), y = cimag(z), tx = creal(tangent), ty = cimag(tangent), a = s->yy / (s->xx + s->yy);
    out[MOVE_X] = tx;
    out[MOVE_Y] = ty;
    out[TWIST] = 2 * (a * x * tx + (1 - a) * y * ty);
    out[SHEAR_X] = 0.5 * x * x * ty;
    out[SHEAR_Y] = -0.5 * y * y * tx;  // axes turned by -90 degrees: x' = y, y' = -x
}

// integral of a slope from the start of a panel to each node and to its end, by its interpolating polynomial:
// (2k+1) int P_k = P_{k+1} - P_{k-1}
static void integrate_slope(const Gauss* g, const double* slope, double half_length, double* to_node, double* to_end)
{
    double c[GAUSS_MAX] = {0}, p[GAUSS_MAX + 1];
    for (int k = 0; k < g->order; k++)
        for (int i = 0; i < g->order; i++) c[k] += 0.5 * g->pole[i][k] * slope[i] * half_length;
    for (int i = 0; i < g->order; i++)
    {
        double t = g->node[i];
        p[0] = 1, p[1] = t;
        for (int k = 1; k < g->order; k++) p[k + 1] = ((2 * k + 1) * t * p[k] - k * p[k - 1]) / (k + 1);
        to_node[i] = c[0] * (t + 1);
        for (int k = 1; k < g->order; k++) to_node[i] += c[k] * (p[k + 1] - p[k - 1]) / (2 * k + 1);
    }
    *to_end = 2 * c[0];
}

// A constant changes no result, but the errors: the mean becomes 0.
static void take_mean(const Panels* p, double* data, double* copy)
{
    double sum = 0, length = 0;
    for (int i = 0; i < p->nodes; i++)
    {
        sum += data[i] * p->ds[i];
        length += p->ds[i];
    }
    for (int i = 0; i < p->nodes; i++) copy[i] = data[i] -= sum / length;
}

static void fill_values(System* s)
{
    const Panels* p = s->p;
    double start[SIDES] = {0};
    for (int node = 0; node < p->nodes; node++)
    {
        double slope[SIDES];
        slopes_at(s, p->z[node], p->tangent[node], slope);
        for (int k = 0; k < SIDES; k++) s->slope[k][node] = slope[k];
    }
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < SIDES; k++)
        {
            const Panel* panel = &p->panels[i];
            double half = panel->radius > 0 ? panel->radius * panel->turn : cabs(panel->half), end;
            double* data = s->data[k] + i * p->gauss.order;
            integrate_slope(&p->gauss, s->slope[k] + i * p->gauss.order, half, data, &end);
            for (int j = 0; j < p->gauss.order; j++) data[j] += start[k];
            start[k] += end;
        }
    for (int k = 0; k < SIDES; k++) take_mean(p, s->data[k], s->side[k]);
}

// ---- the system ----

static void fill_row(System* s, int row)
{
    const Panels* p = s->p;
    int order = p->gauss.order, own = row / order;
    double* a = s->matrix + (long)row * p->nodes;
    double w[SIDES] = {0};
    for (int i = 0; i < p->count; i++)
    {
        Point pole[GAUSS_MAX];
        pole_weights(p, &p->panels[i], p->z[row], p->panels[own].edge, i == own ? row % order : -1, pole);
        for (int j = 0; j < order; j++)
        {
            int node = i * order + j;
            double along = creal(p->tangent[row] * conj(p->tangent[node]) * pole[j]) / (2 * TW_PI);
            a[node] = -cimag(pole[j]) / (2 * TW_PI);
            for (int k = TWIST; k < SIDES; k++) w[k] += along * s->slope[k][node];
        }
    }
    a[row] += 0.5;
    for (int k = TWIST; k < SIDES; k++) s->w[k][row] = w[k];
}

static bool solve(System* s)
{
    for (int row = 0; row < s->p->nodes; row++) fill_row(s, row);
    if (!tw_lu_factor(s->matrix, s->pivot, s->p->nodes)) return false;
    for (int k = 0; k < SIDES; k++) tw_lu_solve(s->matrix, s->pivot, s->p->nodes, s->side[k]);
    return true;
}

// ---- results ----

static double energy(const System* s, int side)
{
    // where edges end w has logarithms
    double sum = 0;
    for (int i = 0; i < s->p->nodes; i++) sum += s->p->log_ds[i] * s->side[side][i] * s->w[side][i];
    return sum;
}

// int psi_a n_b ds, n = (ty, -tx)
static double dipole(const System* s, int a, int b)
{
    double sum = 0;
    for (int i = 0; i < s->p->nodes; i++)
    {
        Point t = s->p->tangent[i];
        sum += s->p->ds[i] * s->side[a][i] * (b == MOVE_X ? cimag(t) : -creal(t));
    }
    return sum;
}

// k of shear along x; for y the axes are turned by -90 degrees
static double shear(const System* s, int side)
{
    double fourth = 0, mixed = 0, moment = side == SHEAR_X ? s->xx : s->yy;
    for (int i = 0; i < s->p->nodes; i++)
    {
        Point turn = side == SHEAR_X ? 1 : -I, z = s->p->z[i] * turn, t = s->p->tangent[i] * turn;
        double x = creal(z), x2 = x * x;
        fourth += s->p->ds[i] * x2 * x2 * x * cimag(t) / 5;
        mixed += s->p->ds[i] * x2 * s->data[side][i] * -creal(t);
    }
    return moment * moment / (s->area * (fourth / 4 - mixed + energy(s, side)));
}

static Flow results(const System* s)
{
    Flow flow;
    flow.torsion = 4 * s->xx * s->yy / (s->xx + s->yy) - energy(s, TWIST);
    flow.shear[0] = shear(s, SHEAR_X);
    flow.shear[1] = shear(s, SHEAR_Y);
    flow.dipole[0] = dipole(s, MOVE_X, MOVE_X);
    flow.dipole[1] = dipole(s, MOVE_Y, MOVE_Y);
    flow.dipole[2] = 0.5 * (dipole(s, MOVE_X, MOVE_Y) + dipole(s, MOVE_Y, MOVE_X));
    return flow;
}

static twStatus solve_on(Flow* out, const Outline* outline, const Panels* panels, twError* err)
{
    size_t n = (size_t)panels->nodes;
    double* block = malloc(n * (n + 4 * SIDES) * sizeof *block + n * sizeof(int));
    if (!block) return tw_fail(err, TW_NO_MEMORY, "section: no memory for a system of %zu unknowns", n);
    Moments m = outline_moments(outline);
    System s = {.p = panels, .xx = m.xx, .yy = m.yy, .area = m.area, .matrix = block};
    for (int k = 0; k < SIDES; k++)
    {
        double* vectors = block + n * n + 4 * n * (size_t)k;
        s.side[k] = vectors;
        s.data[k] = vectors + n;
        s.slope[k] = vectors + 2 * n;
        s.w[k] = vectors + 3 * n;
    }
    s.pivot = (int*)(block + n * (n + 4 * SIDES));
    fill_values(&s);
    bool solved = solve(&s);
    if (solved) *out = results(&s);
    free(block);
    return solved ? TW_OK : tw_fail(err, TW_BAD_INPUT, "section: the outline is too thin to be solved");
}

// the finest that takes some ten milliseconds, else some hundred
static Fineness choose_fineness(const Outline* outline)
{
    static const Fineness list[] = {{8, 1e-7, 2}, {6, 1e-6, 2}, {6, 1e-5, 3}, {4, 1e-4, 3}, {4, 1e-3, 4}};
    for (int most = 640; most <= 1280; most *= 2)
        for (size_t i = 0; i < sizeof list / sizeof *list; i++)
            if (panels_count(outline, list[i]) * list[i].order <= most) return list[i];
    return (Fineness){3, 1, HUGE_VAL};
}

twStatus boundary_solve(Flow* out, const Outline* outline, twError* err)
{
    Panels* panels = panels_create(outline, choose_fineness(outline));
    if (!panels) return tw_fail(err, TW_NO_MEMORY, "section: no memory for panels");
    twStatus status = solve_on(out, outline, panels, err);
    free(panels);
    return status;
}
