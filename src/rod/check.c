// SPDX-License-Identifier: MIT
// What a rod may be made of.
#include "rod.h"
#include <math.h>

static bool finite3(twVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

_Static_assert(TW_MIN_CLOSED_ROD_POINTS == BAND_MIN_NODES + 2, "a closed rod is a band and its border of two nodes");

static twStatus check_numbers(const twRodDef* def, twError* err)
{
    int least = def->closed ? TW_MIN_CLOSED_ROD_POINTS : 2;
    if (def->point_count < least || def->point_count > TW_MAX_ROD_POINTS)
        return tw_fail(err, TW_BAD_INPUT, "%d points: %s rod needs %d to %d", def->point_count,
                       def->closed ? "a closed" : "a", least, TW_MAX_ROD_POINTS);
    if (!def->points) return tw_fail(err, TW_BAD_INPUT, "no points: a rod needs the places of its points");
    if (!(def->young > 0 && isfinite(def->young)))
        return tw_fail(err, TW_BAD_INPUT, "Young's modulus %g Pa: it must be positive", def->young);
    if (!(def->poisson > -1 && def->poisson < 0.5))
        return tw_fail(err, TW_BAD_INPUT, "Poisson's ratio %g is outside (-1, 0.5)", def->poisson);
    if (!(def->density > 0 && isfinite(def->density)))
        return tw_fail(err, TW_BAD_INPUT, "density %g kg/m^3: it must be positive", def->density);
    if (!(def->alpha >= 0 && isfinite(def->alpha) && def->beta >= 0 && isfinite(def->beta)))
        return tw_fail(err, TW_BAD_INPUT, "damping alpha %g, beta %g: neither may be negative", def->alpha, def->beta);
    if (!(def->loss_factor >= 0 && def->loss_factor < 1))
        return tw_fail(err, TW_BAD_INPUT, "loss factor %g is outside 0 to 1", def->loss_factor);
    const bool aired = def->loss_factor > 0 && def->air_radius != 0;
    if (aired && !(def->air_radius > 0 && def->air_density > 0 && def->air_speed > 0 &&
                   isfinite(def->air_radius + def->air_density + 1 / def->air_speed)))
        return tw_fail(err, TW_BAD_INPUT, "air of %g kg/m^3 and %g m/s about a radius of %g m: all must be positive",
                       def->air_density, def->air_speed, def->air_radius);
    if (!(def->heat.strength >= 0 && def->heat.strength < 1 && def->heat.time >= 0 && isfinite(def->heat.time)))
        return tw_fail(err, TW_BAD_INPUT, "thermoelastic loss of strength %g and time %g s: below 1, and not negative",
                       def->heat.strength, def->heat.time);
    if (!finite3(def->gravity)) return tw_fail(err, TW_BAD_INPUT, "gravity is not finite");
    if (!(def->rate_hz >= 1 && def->rate_hz <= 1e9))
        return tw_fail(err, TW_BAD_INPUT, "rate %g Hz is outside 1 to 1e9", def->rate_hz);
    if (!(def->tolerance >= 1e-12 && def->tolerance <= 0.1))
        return tw_fail(err, TW_BAD_INPUT, "tolerance %g is outside 1e-12 to 0.1", def->tolerance);
    if (!(def->stretch > 0 && isfinite(def->stretch)))
        return tw_fail(err, TW_BAD_INPUT, "stretch %g: it must be positive, 1 for none", def->stretch);
    return TW_OK;
}

// tangents of neighbouring edges must not point against each other, and no edge may vanish
static twStatus check_shape(const twRodDef* def, const twVec3* points, const char* what, twError* err)
{
    int n = def->point_count, ne = def->closed ? n : n - 1;
    double size = 0;
    for (int i = 0; i < n; i++)
    {
        if (!finite3(points[i])) return tw_fail(err, TW_BAD_INPUT, "%s %d is not finite", what, i);
        double far = tw_vec3_max(points[i]);
        size = far > size ? far : size;
    }
    const double least = 1e-9;  // in terms of the coordinates: below, strain drowns in round-off
    twVec3 before = {0, 0, 0};
    for (int j = 0; j < ne + (def->closed ? 1 : 0); j++)
    {
        int a = j % n, b = (j + 1) % n;
        twVec3 e = tw_vec3_sub(points[b], points[a]);
        double length = tw_vec3_norm(e);
        if (!(length > least * size) || !isfinite(length))
            return tw_fail(err, TW_BAD_INPUT,
                           "%ss %d and %d: the edge between them is %g m long, it must be over %g m (%g of the largest "
                           "coordinate, %g m: what is less is lost in rounding); make it longer or put it nearer to 0",
                           what, a, b, length, least * size, least, size);
        twVec3 t = tw_vec3_scale(e, 1 / length);
        if (j > 0 && !(1 + tw_vec3_dot(t, before) > 1e-6))
            return tw_fail(err, TW_BAD_INPUT,
                           "%s %d: the rod folds back on itself there; a turn must be below 180 degrees", what, a);
        before = t;
    }
    return TW_OK;
}

static twStatus check_lists(const twRodDef* def, twError* err)
{
    int n = def->point_count, ne = def->closed ? n : n - 1;
    for (int i = 0; i < n; i++)
        if (def->velocities && !finite3(def->velocities[i]))
            return tw_fail(err, TW_BAD_INPUT, "velocity of point %d is not finite", i);
    for (int j = 0; j < ne; j++)
    {
        if ((def->spins && !isfinite(def->spins[j])) || (def->twists && !isfinite(def->twists[j])))
            return tw_fail(err, TW_BAD_INPUT, "spin or twist of edge %d is not finite", j);
        for (int k = 0; k < 2; k++)
        {
            const twVec3* list = k ? def->rest_directions : def->directions;
            const twVec3* points = k && def->rest_points ? def->rest_points : def->points;
            if (!list) continue;
            twVec3 t = tw_vec3_normalize(tw_vec3_sub(points[(j + 1) % n], points[j])), d = tw_vec3_normalize(list[j]);
            if (!finite3(list[j]) || !(tw_vec3_norm(tw_vec3_cross(d, t)) > 1e-6))
                return tw_fail(err, TW_BAD_INPUT,
                               "%sdirection of edge %d is zero or along the edge; it must point sideways",
                               k ? "rest " : "", j);
        }
    }
    return TW_OK;
}

static twStatus check_sections(const twRodDef* def, twError* err)
{
    if (!def->sections || (def->section_count != 1 && def->section_count != def->point_count))
        return tw_fail(err, TW_BAD_INPUT, "%d sections: give one, or one per point (%d)",
                       def->sections ? def->section_count : 0, def->point_count);
    for (int i = 0; i < def->section_count; i++)
    {
        const twSection* s = &def->sections[i];
        const double v[6] = {s->area, s->moment[0], s->moment[1], s->torsion, s->shear[0], s->shear[1]};
        static const char* const names[6] = {"area", "moment[0]", "moment[1]", "torsion", "shear[0]", "shear[1]"};
        for (int k = 0; k < (def->shear ? 6 : 4); k++)
            if (!(v[k] > 0 && isfinite(v[k])))
                return tw_fail(err, TW_BAD_INPUT, "section %d: %s is %g, it must be positive", i, names[k], v[k]);
        if (!isfinite(s->angle)) return tw_fail(err, TW_BAD_INPUT, "section %d: its angle is not finite", i);
    }
    return TW_OK;
}

static twStatus check_actions(const twRodDef* def, twError* err)
{
    if (def->support_count < 0 || (def->support_count > 0 && !def->supports))
        return tw_fail(err, TW_BAD_INPUT, "%d supports, but no list of them", def->support_count);
    if (def->pulse_count < 0 || (def->pulse_count > 0 && !def->pulses))
        return tw_fail(err, TW_BAD_INPUT, "%d pulses, but no list of them", def->pulse_count);
    int n = def->point_count;
    for (int i = 0; i < def->support_count; i++)
    {
        const twRodSupport* s = &def->supports[i];
        if (s->point < 0 || s->point >= n)
            return tw_fail(err, TW_BAD_INPUT, "support %d: point %d is outside 0 to %d", i, s->point, n - 1);
        bool fine = finite3(s->stiffness) && s->stiffness.x >= 0 && s->stiffness.y >= 0 && s->stiffness.z >= 0 &&
                    s->damping >= 0 && isfinite(s->damping);
        if (s->kind == TW_ROD_SPRING && !fine)
            return tw_fail(err, TW_BAD_INPUT, "support %d: a stiffness or damping is negative or not finite", i);
    }
    for (int i = 0; i < def->pulse_count; i++)
    {
        const twRodPulse* p = &def->pulses[i];
        if (p->point < 0 || p->point >= n)
            return tw_fail(err, TW_BAD_INPUT, "pulse %d: point %d is outside 0 to %d", i, p->point, n - 1);
        if (!finite3(p->force) || !isfinite(p->start) || !(p->duration > 0 && isfinite(p->duration)))
            return tw_fail(err, TW_BAD_INPUT, "pulse %d: force and start must be finite, the duration positive", i);
    }
    return TW_OK;
}

twStatus tw_rod_check(const twRodDef* def, twError* err)
{
    twStatus status = check_numbers(def, err);
    if (status == TW_OK) status = check_shape(def, def->points, "point", err);
    if (status == TW_OK && def->rest_points) status = check_shape(def, def->rest_points, "rest point", err);
    if (status == TW_OK) status = check_lists(def, err);
    if (status == TW_OK) status = check_sections(def, err);
    if (status == TW_OK) status = check_actions(def, err);
    return status;
}
