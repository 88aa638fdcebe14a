// SPDX-License-Identifier: MIT
// A slinky bent over: a coil that stands on one step, goes up, over and down, and stands on its other end on a lower step.
//
// Turns n of the coil are p apart along its axis, which leans by a against z toward x:
//
//   p = pitch + S E'(t) + H E'(2 t - 1),  a = pi E,   E = t - sin(2 pi t)/(2 pi),   t = 0 .. 1 along the turns that do not lie
//
// and below 0 and above 1 on each other (E' by n; E is 0 and 1 there). Turns lean as they are spread: S > pi R leaves room
// between them on the inner side. They also rock about x by a'/(2 pi), so that a wire leans alike all round; so leaning both
// bends and twists it, and takes about half as much energy. S and H follow from where the end is, as the axis is linear in them. The radius shrinks so
// that a turn keeps its length, R^2 + (p/2 pi)^2. Points are as far from each other as those of the coil with all turns closed,
// so that this can be its shape at rest and nothing is stretched.

#include "rod_path.h"
#include <math.h>

#define FINE 512  // pieces of a turn

typedef struct Arch
{
    const RodPath* path;
    double spread, fall;  // S, H [m]
} Arch;

static double eased(double t)
{
    const double u = fmin(fmax(t, 0), 1);
    return u - sin(2 * TW_PI * u) / (2 * TW_PI);
}

static double slope(double t) { return t > 0 && t < 1 ? 1 - cos(2 * TW_PI * t) : 0; }

static double loose(const RodPath* p) { return p->turns - p->stack[0] - p->stack[1]; }

// by the turn: of S, of H
static void rates(const RodPath* p, double turn, double rate[2])
{
    const double t = (turn - p->stack[0]) / loose(p);
    rate[0] = slope(t) / loose(p);
    rate[1] = 2 * slope(2 * t - 1) / loose(p);
}

// p
static double spacing(const Arch* a, double turn)
{
    double rate[2];
    rates(a->path, turn, rate);
    return a->path->pitch + a->spread * rate[0] + a->fall * rate[1];
}

static double lean(const RodPath* p, double turn) { return TW_PI * eased((turn - p->stack[0]) / loose(p)); }

// S and H from where the end of the axis is to be
static Arch arch(const RodPath* p)
{
    const int fine = (int)ceil(FINE * p->turns);
    const double dn = p->turns / fine;
    double x[3] = {0}, z[3] = {0};  // of S, H, pitch
    for (int i = 0; i < fine; i++)
    {
        double by[3] = {[2] = 1};
        const double n = (i + 0.5) * dn, a = lean(p, n);
        rates(p, n, by);
        for (int k = 0; k < 3; k++)
        {
            x[k] += by[k] * sin(a) * dn;
            z[k] += by[k] * cos(a) * dn;
        }
    }
    const double right = p->span - p->pitch * x[2], up = -p->drop - p->pitch * z[2];
    const double det = x[0] * z[1] - x[1] * z[0];
    return (Arch){.path = p, .spread = (right * z[1] - x[1] * up) / det, .fall = (x[0] * up - right * z[0]) / det};
}

const char* rod_arch_fault(const RodPath* p)
{
    if (!(loose(p) >= 1)) return "'stacked' leaves no turn for the arch";
    const Arch a = arch(p);
    if (!(a.fall >= -1e-9 * p->span))
        return "the end of an arch is not above its start: 'drop' is too small for what is stacked there";
    return a.spread > TW_PI * p->radius ? NULL
                                        : "the turns of this arch would cut into each other; it needs a wider 'span'";
}

static twVec3 axis(const RodPath* p, double turn)
{
    const double a = lean(p, turn);
    return tw_vec3(sin(a), 0, cos(a));
}

// where the wire is, about a place of the axis
static twVec3 wire(const Arch* arch, double turn, twVec3 centre)
{
    const RodPath* p = arch->path;
    const double a = lean(p, turn), around = 2 * TW_PI * turn, pitch = spacing(arch, turn);
    const double less = (pitch * pitch - p->pitch * p->pitch) / (4 * TW_PI * TW_PI);
    const double r = sqrt(fmax(p->radius * p->radius - less, 0));
    double rate[2];
    rates(p, turn, rate);
    const twVec3 across = tw_vec3(r * cos(around) * cos(a), r * sin(around), -r * cos(around) * sin(a));
    return tw_vec3_add(tw_vec3_add_scaled(centre, axis(p, turn), 0.5 * rate[0] * r * sin(around)), across);
}

void rod_arch(const RodPath* p, twVec3* points, twVec3* axes, int count)
{
    const Arch a = arch(p);
    const double dn = 1.0 / FINE, closed = 2 * TW_PI * p->turns / (count - 1);
    twVec3 centre = tw_vec3(0, 0, 0);
    const twVec3 start = wire(&a, 0, centre);
    RodWalk walk = {.step = hypot(2 * p->radius * sin(0.5 * closed), p->pitch * closed / (2 * TW_PI)),
                    .point = start,
                    .last = start};
    if (points) points[0] = start;
    if (axes) axes[0] = axis(p, 0);
    // it would go on, if need be, as it ends; points farther apart than a turn is wide are left where it is
    for (int i = 0, next = 1; next < count; i++)
    {
        const bool lost = i > FINE * (2 * p->turns + 2);
        centre = tw_vec3_add_scaled(centre, axis(p, (i + 0.5) * dn), spacing(&a, (i + 0.5) * dn) * dn);
        const twVec3 to = wire(&a, (i + 1) * dn, centre);
        for (; next < count && (rod_walk(&walk, to) || lost); next++)
        {
            if (points) points[next] = walk.point;
            if (axes) axes[next] = axis(p, (i + 1) * dn);
        }
    }
}
