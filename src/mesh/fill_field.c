// SPDX-License-Identifier: MIT
// The field that is filled where it is positive. With w the generalised winding number, d the distance to the surface
// and a the lattice edge,
//   F(x) = sign(w - 1/2) min(d, 2 |w - 1/2| a),
// which near a closed surface is the signed distance and across a hole goes smoothly through zero where w = 1/2
// (Jacobson, Kavan, Sorkine-Hornung 2013: robust inside-outside segmentation). Parts of the surface inside another part
// (w from 1 to 2) are no boundary: the sign does not change there.
#include "fill.h"

static const double ON_SURFACE = 1e-6;  // of the lattice edge: closer is on the surface
static const double BESIDE = 1e-3;      // of the lattice edge: how far off the surface to ask on which side it is

twStatus fill_field_create(FillField* field, const FillFrame* frame, twError* err)
{
    *field = (FillField){.mesh = frame->mesh, .orientation = frame->volume < 0 ? -1 : 1, .closed = frame->closed};
    field->cell = 1e-3;
    return tw_winding_create(&field->winding, frame->mesh, err);
}

FillProbe fill_field_probe(const FillField* field, twVec3 point)
{
    FillProbe probe;
    probe.distance = fill_field_distance(field, point, NULL);
    probe.level = fill_field_level(field, point);
    return probe;
}

double fill_field_level(const FillField* field, twVec3 point)
{
    return field->orientation * tw_winding_at(field->winding, point) - 0.5;
}

double fill_field_distance(const FillField* field, twVec3 point, twVec3* nearest)
{
    twVec3 foot;
    int face;
    double distance = tw_winding_nearest(field->winding, point, &foot, &face);
    if (nearest) *nearest = foot;
    return distance;
}

// corner k of a small, tilted cube around a point of the surface: no corner lies in a plane that matters
static twVec3 beside(const FillField* field, twVec3 point, int k)
{
    double r = BESIDE * field->cell;
    return tw_vec3_add(point, tw_vec3(k & 1 ? r : -1.13 * r, k & 2 ? 0.91 * r : -r, k & 4 ? 1.07 * r : -0.87 * r));
}

// levels around a point of the surface. @return 0 if there are both signs, else the last level
static double level_around(const FillField* field, twVec3 point)
{
    double first = 0, level = 0;
    for (int k = 0; k < 8; k++)
    {
        // opposite corners first: a boundary shows at once
        level = fill_field_probe(field, beside(field, point, k & 1 ? 7 - k / 2 : k / 2)).level;
        if (k == 0) first = level;
        if (first * level <= 0) return 0;
    }
    return level;
}

bool fill_field_on_boundary(const FillField* field, twVec3 point) { return level_around(field, point) == 0; }

double fill_field_combine(const FillField* field, twVec3 point, FillProbe probe)
{
    double least = 0;
    if (probe.distance < ON_SURFACE * field->cell)
    {
        // on the surface the winding number says nothing
        probe.level = level_around(field, point);
        if (probe.level == 0) return 0;
        least = BESIDE * field->cell;
    }
    double value = fmax(least, fmin(probe.distance, 2 * fabs(probe.level) * field->cell));
    return probe.level > 0 ? value : -value;
}

double fill_field_value(const FillField* field, twVec3 point)
{
    return fill_field_combine(field, point, fill_field_probe(field, point));
}

// ---- cuts ----

// an end of the part of an edge where the sign changes
typedef struct End
{
    double t, value;
} End;

// the surface as seen from a point
typedef struct Foot
{
    double distance, height;  // height: distance to the plane of the nearest face, positive inside
    twVec3 normal;
} Foot;

static Foot foot_of(const FillField* field, twVec3 point)
{
    twVec3 nearest;
    int face;
    Foot foot = {.distance = tw_winding_nearest(field->winding, point, &nearest, &face)};
    if (face < 0) return foot;
    const int* v = field->mesh->faces[face].v;
    twVec3 a = field->mesh->vertices[v[0]], ab = tw_vec3_sub(field->mesh->vertices[v[1]], a);
    twVec3 ac = tw_vec3_sub(field->mesh->vertices[v[2]], a);
    foot.normal = tw_vec3_scale(tw_vec3_normalize(tw_vec3_cross(ab, ac)), field->orientation);
    foot.height = -tw_vec3_dot(tw_vec3_sub(point, nearest), foot.normal);
    return foot;
}

twVec3 fill_field_normal(const FillField* field, twVec3 point) { return foot_of(field, point).normal; }

// The value between two ends. Winding numbers cost most, so the sign is taken from an end if the empty balls around both
// points overlap: then nothing is between them. If the surface is simple, the side of a face on which a point lies
// straight above it will do.
static double value_between(const FillField* field, twVec3 point, const Foot* foot, const End* in, const End* out,
                            double t, double length)
{
    double distance = foot->distance;
    if (!field->closed) return fill_field_combine(field, point, (FillProbe){distance, fill_field_level(field, point)});
    if (distance + in->value > 1.001 * (t - in->t) * length) return distance;
    if (distance - out->value > 1.001 * (out->t - t) * length) return -distance;
    if (field->simple && fabs(foot->height) > 0.99 * distance) return copysign(distance, foot->height);
    return fill_field_combine(field, point, (FillProbe){distance, fill_field_level(field, point)});
}

// Is a point of the surface where an edge leaves the solid? A face that looks along the edge takes 1 from the winding
// number, so one look beyond it tells both sides.
static bool is_exit(const FillField* field, twVec3 point, twVec3 way, twVec3 normal)
{
    if (!field->closed || tw_vec3_dot(normal, way) < 0.05 * tw_vec3_norm(way)) return false;
    if (field->simple) return true;
    double beyond = BESIDE * field->cell / tw_vec3_norm(way);
    double level = fill_field_level(field, tw_vec3_add_scaled(point, way, beyond));
    return level < 0 && level + 1 > 0;
}

// Illinois: the false position, halving the value of an end that stays; bisection if that creeps
double fill_field_cut(const FillField* field, twVec3 inside, twVec3 outside, double value_in, double value_out,
                      twVec3* normal)
{
    enum
    {
        MAX_STEPS = 40
    };
    const double tolerance = 1e-8 * field->cell;
    twVec3 way = tw_vec3_sub(outside, inside);
    double length = tw_vec3_norm(way), t = 0.5;
    End a = {0, value_in}, b = {1, value_out};
    double at_a = value_in, at_b = value_out;
    int side = 0;
    for (int i = 0; i < MAX_STEPS && b.t - a.t > 1e-8; i++)
    {
        t = i % 6 == 5 ? 0.5 * (a.t + b.t) : (a.t * at_b - b.t * at_a) / (at_b - at_a);
        if (!(t > a.t && t < b.t)) t = 0.5 * (a.t + b.t);
        twVec3 point = tw_vec3_add_scaled(inside, way, t);

        // mostly the first try is on the surface already
        Foot foot = foot_of(field, point);
        *normal = foot.normal;
        if (foot.distance <= tolerance && is_exit(field, point, way, foot.normal)) return t;
        double value = value_between(field, point, &foot, &a, &b, t, length);
        if (fabs(value) <= tolerance) return t;
        bool in = value > 0;
        *(in ? &a : &b) = (End){t, value};
        *(in ? &at_a : &at_b) = value;
        if (side == (in ? 1 : -1)) *(in ? &at_b : &at_a) *= 0.5;
        side = in ? 1 : -1;
    }
    t = 0.5 * (a.t + b.t);
    *normal = foot_of(field, tw_vec3_add_scaled(inside, way, t)).normal;
    return t;
}
