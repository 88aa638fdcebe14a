// SPDX-License-Identifier: MIT
// Cutting an outline into panels. At a corner that turns by tau the solutions behave as r^b with b = pi/(pi + |tau|) on
// the side where it sticks out, and a panel of length h there costs an error of about |tau|/pi h^(2b) (the energy within
// h). So panels shrink towards a corner, each GRADING times the one before, until that is below the tolerance. Where an
// arc ends only the curvature jumps: h^2. Then panels are halved until none is long compared to its distance to
// corners of other edges, whose singularities it must resolve too.
#include "panel.h"
#include "twang/math.h"
#include <stdlib.h>

static const double GRADING = 0.2;

enum
{
    DEEPEST = 20  // gradings, and halvings, of an edge
};

static double edge_length(const Edge* edge)
{
    return edge->radius > 0 ? edge->radius * edge->sweep : cabs(edge->end - edge->start);
}

// direction at an end of an edge
static Point edge_tangent(const Edge* edge, bool at_end)
{
    if (edge->radius > 0) return I * cexp(I * (edge->from + (at_end ? edge->sweep : 0)));
    return (edge->end - edge->start) / cabs(edge->end - edge->start);
}

// how many times panels of `edge` shrink towards the corner between edges `before` and `after`; size^2 = 1
static int gradings(const Edge* before, const Edge* after, const Edge* edge, double tolerance)
{
    double tau = fabs(carg(edge_tangent(after, false) / edge_tangent(before, true))) / TW_PI;
    double length = edge_length(edge), allowed = tolerance / (length * length), smallest = 1;
    if (tau > 1e-6) smallest = fmin(1, pow(allowed / tau, 0.5 * (1 + tau)));
    if (before->radius != after->radius) smallest = fmin(smallest, sqrt(allowed));
    return (int)fmin(DEEPEST, ceil(fmax(0, log(2 * smallest) / log(GRADING))));
}

// ---- halving ----

typedef struct Cutter
{
    const Outline* outline;
    double clearance;
    int count;
    Panel* out;  // NULL: only count
} Cutter;

static Panel make_panel(const Outline* outline, int index, double t0, double t1)
{
    const Edge* edge = &outline->edges[index];
    double half = 0.5 * (t1 - t0), mid = 0.5 * (t0 + t1);
    Panel panel = {.edge = index, .first = t0 == 0 ? -1 : -mid / half, .last = t1 == 1 ? 1 : (1 - mid) / half};
    if (edge->radius > 0)
    {
        panel.centre = edge->centre;
        panel.radius = edge->radius;
        panel.mid = edge->from + edge->sweep * mid;
        panel.turn = edge->sweep * half;
        return panel;
    }
    panel.centre = edge->start + (edge->end - edge->start) * mid;
    panel.half = (edge->end - edge->start) * half;
    return panel;
}

static Point panel_point(const Panel* panel, double t)
{
    return panel->centre +
           (panel->radius > 0 ? panel->radius * cexp(I * (panel->mid + panel->turn * t)) : panel->half * t);
}

// from the chord of a panel to the nearest corner of other edges
static double distance_to_corners(const Outline* outline, const Panel* panel)
{
    Point a = panel_point(panel, -1), chord = panel_point(panel, 1) - a;
    double nearest = HUGE_VAL, square = creal(chord * conj(chord));
    for (int i = 0; i < outline->count; i++)
    {
        if (i == panel->edge || i == (panel->edge + 1) % outline->count) continue;  // its own ends
        Point to = outline->edges[i].start - a;
        double along = fmin(fmax(creal(to * conj(chord)) / square, 0), 1);
        nearest = fmin(nearest, cabs(to - along * chord));
    }
    return nearest;
}

static void cut(Cutter* cutter, int edge, double t0, double t1, int depth)
{
    Panel panel = make_panel(cutter->outline, edge, t0, t1);
    double length = 2 * (panel.radius > 0 ? panel.radius * panel.turn : cabs(panel.half));
    if (depth < DEEPEST && length > cutter->clearance * distance_to_corners(cutter->outline, &panel))
    {
        cut(cutter, edge, t0, 0.5 * (t0 + t1), depth + 1);
        cut(cutter, edge, 0.5 * (t0 + t1), t1, depth + 1);
        return;
    }
    if (cutter->out) cutter->out[cutter->count] = panel;
    cutter->count++;
}

static void cut_edge(Cutter* cutter, int index, double tolerance)
{
    const Outline* o = cutter->outline;
    const Edge* edge = &o->edges[index];
    int first = gradings(&o->edges[(index + o->count - 1) % o->count], edge, edge, tolerance);
    int last = gradings(edge, &o->edges[(index + 1) % o->count], edge, tolerance);
    if (first + last == 0)
    {
        cut(cutter, index, 0, 1, 0);
        return;
    }
    // from the first corner to the middle, and on to the second corner
    double t = 0;
    for (int level = first; level >= 0; level--)
    {
        double next = 0.5 * pow(GRADING, level);
        cut(cutter, index, t, next, 0);
        t = next;
    }
    for (int level = 1; level <= last + 1; level++)
    {
        double next = level > last ? 1 : 1 - 0.5 * pow(GRADING, level);
        cut(cutter, index, t, next, 0);
        t = next;
    }
}

static int cut_all(const Outline* outline, Fineness fineness, Panel* out)
{
    Cutter cutter = {outline, fineness.clearance, 0, out};
    for (int i = 0; i < outline->count; i++) cut_edge(&cutter, i, fineness.tolerance);
    return cutter.count;
}

int panels_count(const Outline* outline, Fineness fineness) { return cut_all(outline, fineness, NULL); }

// ---- nodes ----

static void place_nodes(Panels* p, int index)
{
    const Panel* panel = &p->panels[index];
    double log_weight[GAUSS_MAX];
    gauss_log_weights(&p->gauss, panel->first, panel->last, log_weight);
    for (int i = 0; i < p->gauss.order; i++)
    {
        int node = index * p->gauss.order + i;
        double t = p->gauss.node[i];
        bool arc = panel->radius > 0;
        p->z[node] = panel_point(panel, t);
        p->tangent[node] = arc ? I * cexp(I * (panel->mid + panel->turn * t)) : panel->half / cabs(panel->half);
        double half_length = arc ? panel->radius * panel->turn : cabs(panel->half);
        p->ds[node] = p->gauss.weight[i] * half_length;
        p->log_ds[node] = log_weight[i] * half_length;
    }
}

Panels* panels_create(const Outline* outline, Fineness fineness)
{
    size_t count = (size_t)panels_count(outline, fineness), nodes = count * (size_t)fineness.order;
    Panels* p = malloc(sizeof *p + nodes * (2 * sizeof(Point) + 2 * sizeof(double)) + count * sizeof(Panel));
    if (!p) return NULL;
    *p = (Panels){.gauss = gauss_rule(fineness.order), .count = (int)count, .nodes = (int)nodes};
    p->z = (Point*)(p + 1);
    p->tangent = p->z + nodes;
    p->panels = (Panel*)(p->tangent + nodes);
    p->ds = (double*)(p->panels + count);
    p->log_ds = p->ds + nodes;
    cut_all(outline, fineness, p->panels);
    for (int i = 0; i < p->count; i++) place_nodes(p, i);
    return p;
}
