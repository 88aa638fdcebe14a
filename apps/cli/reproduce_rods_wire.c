// SPDX-License-Identifier: MIT
// Dispersion of the guy wire, from its motion.
//
// Theory: w^2 = (T/m) k^2 + (EI lambda/m) k^4, arrival = length/(dw/dk). Measured: the struck wire's velocity at two places
// A and B, beyond the strike, so that before the far end answers everything runs from A to B and V_B/V_A = exp(-i k (B-A)).
// The delay of the group between them is the change of that phase with frequency, taken over a few hertz.

#include "reproduce_rods.h"
#include "twang/math.h"
#include <stdlib.h>

#define PLACE_A 2.0  // [m]
#define PLACE_B 10.0
#define SPREAD_HZ 6.0  // phases are compared this far to either side

typedef struct Traces
{
    double *a, *b;  // velocity across the wire (count)
    double distance;
    double rate_hz;
    int count;
} Traces;

// V_B/V_A at f, from the time before the gate closes (smoothly) [s]
static double phase_between(const Traces* t, double hz, double closing, double closed)
{
    double sum[2][2] = {{0}};
    for (int i = 0; i < t->count && i < closed * t->rate_hz; i++)
    {
        const double at = i / t->rate_hz, x = fmax(0, (at - closing) / (closed - closing)),
                     gate = 0.5 + 0.5 * cos(TW_PI * x), angle = 2 * TW_PI * hz * at;
        sum[0][0] += gate * t->a[i] * cos(angle), sum[0][1] -= gate * t->a[i] * sin(angle);
        sum[1][0] += gate * t->b[i] * cos(angle), sum[1][1] -= gate * t->b[i] * sin(angle);
    }
    return atan2(sum[1][1], sum[1][0]) - atan2(sum[0][1], sum[0][0]);
}

// arrival over length, if the group is about as slow as expected
static double arrival(const Traces* t, double hz, double length, double expected)
{
    // the end's answer comes after (2 length - B), at 3 times the way to B
    const double per_metre = expected / length, closing = 1.7 * PLACE_B * per_metre, closed = 2.5 * PLACE_B * per_metre;
    const double turn =
        phase_between(t, hz - SPREAD_HZ, closing, closed) - phase_between(t, hz + SPREAD_HZ, closing, closed);
    double delay = remainder(turn, 2 * TW_PI) / (2 * TW_PI * 2 * SPREAD_HZ);
    if (delay < 0) delay += 1 / (2 * SPREAD_HZ);
    return delay / t->distance * length;
}

static twStatus record(Traces* t, const twRodDef* def, double length, twError* err)
{
    twRod* rod;
    twStatus status = tw_rod_create(&rod, def, err);
    if (status != TW_OK) return status;
    const int a = (int)lround(PLACE_A / length * (def->point_count - 1)),
              b = (int)lround(PLACE_B / length * (def->point_count - 1));
    const twRodView view = tw_rod_view(rod);
    t->rate_hz = def->rate_hz;
    t->distance = view.position[0][b] - view.position[0][a];
    for (int i = 0; i < t->count && status == TW_OK; i++)
    {
        // the state before step i is that of time i/rate
        t->a[i] = view.velocity[2][a];
        t->b[i] = view.velocity[2][b];
        tw_rod_step(rod);
        if (i % 64 == 0 && cli_interrupted()) status = tw_fail(err, TW_INTERRUPTED, "interrupted");
    }
    tw_rod_destroy(rod);
    return status;
}

static const double hz[] = {1000, 5000, 10000, 15000}, theory_ms[] = {35.748, 14.846, 10.231, 8.274},
                    plain_late[] = {0.58, 6.84, 22.1, 50.6};  // of lumped mass and trapezoid [%]

static twStatus measure(CliReport* report, const twRodDef* def, bool plain, twError* err)
{
    const double length = def->points[def->point_count - 1].x - def->points[0].x;
    Traces t = {.count = (int)(2.6 * PLACE_B / length * 1e-3 * theory_ms[0] * def->rate_hz)};
    t.a = malloc(2 * (size_t)t.count * sizeof *t.a);
    if (!t.a) return tw_fail(err, TW_NO_MEMORY, "no memory for the guy wire");
    t.b = t.a + t.count;
    twStatus status = record(&t, def, length, err);
    for (int i = 0; i < 4 && status == TW_OK; i++)
    {
        const double ms = 1e3 * arrival(&t, hz[i], length, 1e-3 * theory_ms[i]),
                     theirs = theory_ms[i] * (plain ? 1 + plain_late[i] / 100 : 1);
        cli_report_row(report, theirs, ms, 0.01 * theirs, "%s: %g kHz [ms]",
                       plain ? "lumped, trapezoid" : "theory; defaults", hz[i] / 1000);
    }
    free(t.a);
    return status;
}

// the two constants of the theory, from the scene
static void constants(CliReport* report, const twRodDef* def)
{
    const twSection* s = def->sections;
    const double strain = def->stretch - 1;
    cli_report_row(report, 1.298438e5, def->young * s->area * strain, 1, "tension [N]");
    cli_report_row(report, 0.989466, def->density * s->area / def->stretch, 1e-6, "mass [kg/m]");
    cli_report_row(report, 261.7813, def->young * s->moment[0], 1e-4, "bending stiffness [N m^2]");
}

twStatus rods_dispersion(CliReport* report, twError* err)
{
    twScene* scene;
    twStatus status = built_in_scene(&scene, "guy-wire", err);
    if (status != TW_OK) return status;
    cli_report_heading(report, "Guy wire: arrival over 20.1 m, 1500 points, 88.2 kHz");
    twRodDef def = scene->rods[0].def;
    constants(report, &def);
    status = measure(report, &def, false, err);
    def.integrator = TW_ROD_TRAPEZOID;
    def.mass = TW_ROD_LUMPED;
    if (status == TW_OK) status = measure(report, &def, true, err);
    tw_scene_destroy(scene);
    return status;
}
