// SPDX-License-Identifier: MIT
// Shells of revolution about z, of constant thickness along the normal, cut at the rim along the normal: bowl and bell.
// Both are a disc (s the distance from its centre, 0 to 1) bent along a meridian r(s), z(s). r is odd and z even in s, so
// that the surface is smooth at the centre.
#include "mesh/shape.h"

// ---- bowl: radius of the rim, thickness, depth; of the outer surface. Stands on z = 0, open upwards ----
//
// A cap of a sphere of radius S = (a^2 + d^2) / 2d, up to the angle A = atan(a / (S - d)) from its lowest point.

enum
{
    RIM,
    WALL,
    DEPTH
};

static double cap_radius(const double* p) { return 0.5 * (p[RIM] * p[RIM] / p[DEPTH] + p[DEPTH]); }

static double cap_angle(const double* p) { return atan2(p[RIM], cap_radius(p) - p[DEPTH]); }

static void complete_bowl(double* p)
{
    if (isnan(p[DEPTH])) p[DEPTH] = p[RIM];
}

static const char* check_bowl(const double* p)
{
    if (!(p[DEPTH] <= p[RIM])) return "DEPTH must be at most RADIUS, which makes half a sphere";
    if (!(p[WALL] < 0.5 * cap_radius(p))) return "THICKNESS must be less than half of the sphere's radius";
    if (!(cap_radius(p) < 1e5 * p[WALL])) return "so flat a bowl is a disc; make DEPTH greater, or take disc:";
    return NULL;
}

static double bowl_thickness(const double* p) { return p[WALL]; }

static twVec3 place_bowl(int part, double u, double v, double w, const void* context)
{
    const twPlan* plan = context;
    const twVec3 q = tw_disc_point(&plan->disc, part, u, v);
    const double s = sqrt(q.x * q.x + q.y * q.y), sphere = cap_radius(plan->length), angle = cap_angle(plan->length);
    const double r = sphere - w * plan->length[WALL], bent = s > 0 ? r * sin(angle * s) / s : r * angle;
    return tw_vec3(bent * q.x, bent * q.y, sphere - r * cos(angle * s));
}

static void lay_bowl(twPlan* plan)
{
    tw_plan_disc(plan, plan->length[RIM], cap_radius(plan->length) * cap_angle(plan->length));
    plan->blocks.map = place_bowl;
    tw_disc_add(&plan->disc, &plan->blocks, tw_plan_cells(plan, plan->length[WALL]), 0);
}

const twShapeKind tw_shape_bowl = {
    .name = "bowl",
    .syntax = "bowl:RADIUSxTHICKNESS[xDEPTH]",
    .example = "bowl:0.08x0.003",
    .needed = 2,
    .count = 3,
    .length = {{"radius", 0.08}, {"thickness", 0.003}, {"depth", NAN}},
    .complete = complete_bowl,
    .check = check_bowl,
    .thickness = bowl_thickness,
    .lay = lay_bowl,
};

// ---- bell: radius of the mouth, height, thickness; of the outer surface. Mouth at z = 0, open downwards ----
//
// r = radius (1.3 s - s^3 + 0.7 s^5),  z = height (1 - 1.3 s^2 + 0.45 s^4 - 0.15 s^6): shoulder, waist and flare.

enum
{
    MOUTH,
    HEIGHT,
    THICKNESS
};

typedef struct Meridian
{
    double r, z, dr, dz, ddr, ddz;  // and derivatives by s
} Meridian;

static Meridian meridian(const double* p, double s)
{
    const double q = s * s, a = p[MOUTH], h = p[HEIGHT];
    return (Meridian){
        .r = a * s * (1.3 - q + 0.7 * q * q),
        .z = h * (1 - 1.3 * q + 0.45 * q * q - 0.15 * q * q * q),
        .dr = a * (1.3 - 3 * q + 3.5 * q * q),
        .dz = h * s * (-2.6 + 1.8 * q - 0.9 * q * q),
        .ddr = a * s * (-6 + 14 * q),
        .ddz = h * (-2.6 + 5.4 * q - 4.5 * q * q),
    };
}

static const char* check_bell(const double* p)
{
    // the inner surface must not fold: thickness times each principal curvature stays below 1
    for (int k = 0; k <= 200; k++)
    {
        const Meridian m = meridian(p, k / 200.0);
        const double speed = hypot(m.dr, m.dz), along = (m.dz * m.ddr - m.dr * m.ddz) / (speed * speed * speed);
        const double around = k > 0 ? -m.dz / (speed * m.r) : along;
        if (p[THICKNESS] * fmax(along, around) < 0.5) continue;
        return "THICKNESS must be less than half of the least radius of curvature: make it smaller, or RADIUS and HEIGHT "
               "larger or more alike";
    }
    return NULL;
}

static double bell_thickness(const double* p) { return p[THICKNESS]; }

static twVec3 place_bell(int part, double u, double v, double w, const void* context)
{
    const twPlan* plan = context;
    const twVec3 q = tw_disc_point(&plan->disc, part, u, v);
    const double s = sqrt(q.x * q.x + q.y * q.y);
    const Meridian m = meridian(plan->length, s);

    // inwards along the normal (dz, -dr)
    const double in = (1 - w) * plan->length[THICKNESS] / hypot(m.dr, m.dz);
    const double r = m.r + in * m.dz, bent = s > 0 ? r / s : 0;
    return tw_vec3(bent * q.x, bent * q.y, m.z - in * m.dr);
}

static void lay_bell(twPlan* plan)
{
    // as long as where it is stretched most
    double fastest = 0;
    for (int k = 0; k < 64; k++)
    {
        const Meridian m = meridian(plan->length, (k + 0.5) / 64);
        fastest = fmax(fastest, hypot(m.dr, m.dz));
    }
    tw_plan_disc(plan, plan->length[MOUTH], fastest);
    plan->blocks.map = place_bell;
    tw_disc_add(&plan->disc, &plan->blocks, tw_plan_cells(plan, plan->length[THICKNESS]), 0);
}

const twShapeKind tw_shape_bell = {
    .name = "bell",
    .syntax = "bell:RADIUSxHEIGHTxTHICKNESS",
    .example = "bell:0.06x0.08x0.004",
    .needed = 3,
    .count = 3,
    .length = {{"radius", 0.06}, {"height", 0.08}, {"thickness", 0.004}},
    .check = check_bell,
    .thickness = bell_thickness,
    .lay = lay_bell,
};
