// SPDX-License-Identifier: MIT
// What is baked, with how many panels, in which order (docs/transfer.md).
//
// Panels of mean edge e cover an area S with S/(0.433 e^2) triangles. Numbers of panels come in steps of sqrt(2), so that modes share
// a mesh. Far below coincidence most of a mode's flux cancels, and what is left is a difference that few panels get wrong: modes that
// radiate weakly by their estimate have the most. The estimate errs to the weak side for short waves, which is the safe one here.
//
// Waves shorter than a panel are not seen by it, and power comes out up to a hundred times too large: such modes are estimated.
//
// A budget takes the modes of each octave in turn, those first that would be loudest if they radiated as a piston does: no octave is
// without a computed mode that tells how well its others radiate, and no guess of radiation says which are computed.

#include "transfer_plan.h"
#include "panels.h"
#include "twang/acoustics.h"
#include <math.h>
#include <stdlib.h>

#define TRIANGLE 0.4330127018922193  // area of one of edge 1
#define CANCELLED 0.25               // radiation efficiency below which there are the most panels
#define SHARED 3e-3                  // relative distance of pitches that share equations: 0.03 dB of power at most

// operations of one core at TW_BAKE_RATE, measured: near pairs of a panel; a pair of panels in the matrix, and in the iterations of
// a motion, which take the longer the more waves fit on the body; a harmonic at a point of a panel, of which those have more where
// harmonics turn by more over them (bem/moments.c)
#define COST_PANEL 10000
#define COST_PAIR 4
#define COST_ITERATE 20
#define COST_WAVE 0.05   // more iterations for each 1 of k R
#define COST_STEP 0.8    // of which a usual motion takes 25
#define COST_FACTOR 0.1  // for each pair and panel: LU, where iterations do not converge
#define COST_HARMONIC 4
#define SMOOTH_POINTS 3
#define ROUGH_POINTS 7
#define SMOOTH_TURN 1.5  // [rad]

void transfer_plan_free(TransferPlan* plan) { free(plan->groups); }

// ---- panels ----

static double set_area(const twModeSet* set)
{
    double area = 0;
    for (int f = 0; f < set->face_count; f++)
    {
        const int* v = set->faces[f].v;
        twVec3 a = tw_vec3_sub(set->vertices[v[1]], set->vertices[v[0]]);
        twVec3 b = tw_vec3_sub(set->vertices[v[2]], set->vertices[v[0]]);
        area += 0.5 * tw_vec3_norm(tw_vec3_cross(a, b));
    }
    return area;
}

static int wave_panels(const twTransferBakeDef* d, double area, double freq_hz)
{
    double edge = d->sound_speed / freq_hz / d->panels_per_wave, wanted = area / (TRIANGLE * edge * edge);
    double panels = d->min_panels;
    for (int step = 1; panels < wanted && panels < d->max_panels; step++) panels = d->min_panels * pow(2, 0.5 * step);
    return panels < d->max_panels ? (int)panels : d->max_panels;
}

// ---- groups ----

// kr: radius of the body's sphere in waves; area: of the body over the radius squared
static double plan_cost(const TransferGroup* g, double kr, double area)
{
    double n = g->panels, harmonics = 0.5 * (g->order + 1) * (g->order + 2),
           iterate = COST_ITERATE * (1 + COST_WAVE * kr), turn = sqrt(area / (TRIANGLE * n)) * (g->order + 1),
           points = turn < SMOOTH_TURN ? SMOOTH_POINTS : ROUGH_POINTS;
    return n * (COST_PANEL + COST_PAIR * n + g->count * (iterate * n + COST_HARMONIC * points * harmonics));
}

double transfer_plan_took(double panels, double iterations, int factors)
{
    return panels * (COST_PANEL + panels * (COST_PAIR + COST_STEP * iterations + COST_FACTOR * panels * factors));
}

static void fill_group(TransferGroup* g, const twTransferBakeDef* d, const twTransfer* estimate, double area,
                       double radius)
{
    double sum = 0;
    for (int k = g->first; k < g->first + g->count; k++)
    {
        double freq_hz = d->set->freq_hz[k];
        double piston = tw_mode_piston(d->set, k, d->sound_speed, d->air_density);
        bool cancels = tw_transfer_power(estimate, k) < CANCELLED * piston;
        int panels = cancels ? d->max_panels : wave_panels(d, area, freq_hz);
        if (panels > g->panels) g->panels = panels;
        sum += freq_hz;
        g->loudness += tw_mode_loudness(d->set, k, piston);
    }
    g->freq_hz = sum / g->count;
    const double kr = 2 * TW_PI * g->freq_hz / d->sound_speed * radius, order = ceil(kr) + d->more_orders;
    g->order = order < TW_MAX_BEM_ORDER ? (int)order : TW_MAX_BEM_ORDER;
    g->cost = plan_cost(g, kr, area / (radius * radius));
}

static void find_groups(TransferPlan* plan, const twTransferBakeDef* d, const twTransfer* estimate)
{
    twVec3 centre;
    const double area = set_area(d->set), radius = panel_sphere(d->set, &centre);
    for (int k = 0; k < d->set->mode_count;)
    {
        TransferGroup g = {.first = k};
        double lowest = d->set->freq_hz[k];
        while (k < d->set->mode_count && d->set->freq_hz[k] <= d->max_freq_hz &&
               d->set->freq_hz[k] <= lowest * (1 + SHARED))
            g.count++, k++;
        if (g.count == 0) break;
        fill_group(&g, d, estimate, area, radius);
        plan->groups[plan->count++] = g;
        plan->wanted += g.count;
    }
}

static int plan_octave(const TransferGroup* g) { return (int)floor(log2(g->freq_hz)); }

static int compare_loudness(const TransferGroup* x, const TransferGroup* y)
{
    if (x->loudness != y->loudness) return x->loudness > y->loudness ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

// octave by octave, the loudest first
static int compare_in_octaves(const void* a, const void* b)
{
    const TransferGroup *x = a, *y = b;
    const int i = plan_octave(x), j = plan_octave(y);
    return i != j ? (i > j) - (i < j) : compare_loudness(x, y);
}

// the octaves in turn
static int compare_turns(const void* a, const void* b)
{
    const TransferGroup *x = a, *y = b;
    return x->turn != y->turn ? (x->turn > y->turn) - (x->turn < y->turn) : compare_loudness(x, y);
}

static void sort_groups(TransferPlan* plan)
{
    TransferGroup* g = plan->groups;
    qsort(g, (size_t)plan->count, sizeof *g, compare_in_octaves);
    for (int i = 1; i < plan->count; i++)
        g[i].turn = plan_octave(&g[i]) == plan_octave(&g[i - 1]) ? g[i - 1].turn + 1 : 0;
    qsort(g, (size_t)plan->count, sizeof *g, compare_turns);
}

static void cut_groups(TransferPlan* plan, const twTransferBakeDef* d)
{
    const double area = set_area(d->set);
    double spent = 0;
    for (int i = 0; i < plan->count; i++)
    {
        TransferGroup* g = &plan->groups[i];
        g->left = g->freq_hz * sqrt(area / (TRIANGLE * g->panels)) > d->sound_speed;
        if (g->left) continue;
        spent += g->cost;
        g->left = d->budget > 0 && spent > d->budget * TW_BAKE_RATE;
        if (!g->left && g->panels > plan->most_panels) plan->most_panels = g->panels;
    }
}

twStatus transfer_plan_make(TransferPlan* plan, const twTransferBakeDef* d, twError* err)
{
    *plan = (TransferPlan){.groups = calloc((size_t)d->set->mode_count + 1, sizeof *plan->groups)};
    if (!plan->groups) return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", d->set->mode_count);
    twTransfer* estimate;
    twStatus status = tw_transfer_estimate(&estimate, d->set, d->sound_speed, d->air_density, err);
    if (status != TW_OK) return status;
    find_groups(plan, d, estimate);
    sort_groups(plan);
    cut_groups(plan, d);
    tw_transfer_destroy(estimate);
    return TW_OK;
}
