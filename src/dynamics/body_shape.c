// SPDX-License-Identifier: MIT
// Mass, modes and surface of a body, checked once for all worlds it will be in.
#include "dynamics/body_shape.h"
#include "dynamics/gyro.h"
#include "dynamics/shake.h"
#include <float.h>
#include <stdlib.h>

#define CONTACT_SHARE 0.1  // of a body's size: how sharp it is where it touches, if nothing says so
#define ROUND 1e-9         // of the inertia: axes that differ by less are alike

twBodyShapeDef tw_body_shape_def(void)
{
    return (twBodyShapeDef){.density = 7850, .max_modes = -1, .max_freq_hz = 5000, .field = tw_field_def()};
}

static twStatus check(const twBodyShapeDef* def, twError* err)
{
    if (!def->mesh && !def->modes && !(def->ball_radius > 0))
        return tw_fail(err, TW_BAD_INPUT, "a shape needs a mesh, modes or the radius of a ball");
    if (!(def->density > 0 && def->density <= 1e9))
        return tw_fail(err, TW_BAD_INPUT, "a density of %g kg/m^3; it must be above 0", def->density);
    if (!(def->mass >= 0 && def->mass <= 1e15))
        return tw_fail(err, TW_BAD_INPUT, "a mass of %g kg; it must be above 0", def->mass);
    if (def->mass > 0 && def->modes)
        return tw_fail(err, TW_BAD_INPUT, "the mass of a body with modes is that of its modes; it cannot be given");
    if (!(def->ball_radius >= 0 && def->ball_radius <= 1e6) || (def->ball_radius > 0 && def->modes))
        return tw_fail(err, TW_BAD_INPUT, "a ball of radius %g m; it must be above 0, and rigid", def->ball_radius);
    if (!(def->contact_radius >= 0))
        return tw_fail(err, TW_BAD_INPUT, "a contact radius of %g m; it must be above 0", def->contact_radius);
    if (!(def->max_freq_hz > 0))
        return tw_fail(err, TW_BAD_INPUT, "modes up to %g Hz; it must be above 0", def->max_freq_hz);
    return TW_OK;
}

// mass of a ball, or of what the surface encloses
static twMassProperties measure(const twBodyShapeDef* def)
{
    if (def->modes) return def->modes->mass;
    twMassProperties mass = def->mesh ? tw_mesh_mass(def->mesh, def->density) : (twMassProperties){0};
    double r = def->ball_radius;
    if (r > 0)
    {
        mass.volume = 4.0 / 3 * TW_PI * r * r * r;
        mass.mass = def->density * mass.volume;
        mass.inertia = tw_mat3_scale(tw_mat3_identity(), 0.4 * mass.mass * r * r);
    }
    if (def->mass > 0)
    {
        mass.inertia = tw_mat3_scale(mass.inertia, def->mass / mass.mass);
        mass.mass = def->mass;
    }
    return mass;
}

static bool is_round(twMat3 a)
{
    double mean = (a.m[0][0] + a.m[1][1] + a.m[2][2]) / 3, off = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) off = fmax(off, fabs(a.m[i][k] - (i == k ? mean : 0)));
    return off <= ROUND * mean;
}

static twStatus set_mass(twBodyShape* shape, const twBodyShapeDef* def, twError* err)
{
    shape->mass = measure(def);
    const twMassProperties* m = &shape->mass;
    if (!(m->mass > 0 && m->mass <= DBL_MAX))
        return tw_fail(err, TW_BAD_INPUT, "a mass of %g kg; it must be above 0: is the surface inside out, or flat?",
                       m->mass);
    shape->round = is_round(m->inertia);
    double size = m->inertia.m[0][0] + m->inertia.m[1][1] + m->inertia.m[2][2];
    twMat3 scaled = tw_mat3_scale(m->inertia, 1 / size);
    if (!(size > 0) || !(tw_mat3_det(scaled) > 0) || !tw_mat3_inverse(&shape->inverse_inertia, scaled))
        return tw_fail(err, TW_BAD_INPUT, "the body has no inertia about some axis: is it flat?");
    shape->inverse_inertia = tw_mat3_scale(shape->inverse_inertia, 1 / size);
    return TW_OK;
}

static int count_modes(const twBodyShapeDef* def)
{
    if (!def->modes) return 0;
    int count = 0;
    while (count < def->modes->mode_count && def->modes->freq_hz[count] <= def->max_freq_hz) count++;
    return def->max_modes >= 0 && count > def->max_modes ? def->max_modes : count;
}

static bool make_gyro(twBodyShape* shape, const twModeSet* modes)
{
    const size_t n = (size_t)shape->mode_count;
    shape->gyro = malloc((3 * n * n + (size_t)modes->vertex_count) * sizeof *shape->gyro);
    if (shape->gyro) gyro_make(shape->gyro, modes, shape->mode_count);
    return shape->gyro != NULL;
}

static bool make_shake(twBodyShape* shape, const twModeSet* modes)
{
    const size_t n = (size_t)shape->mode_count;
    shape->shake = malloc((SHAKE_MOMENTS * n + (size_t)modes->vertex_count) * sizeof *shape->shake);
    if (shape->shake) shake_make(shape->shake, modes, shape->mode_count);
    return shape->shake != NULL;
}

static bool make_radiation(twBodyShape* shape, const double* radiation)
{
    shape->radiation = calloc((size_t)shape->mode_count, sizeof *shape->radiation);
    for (int j = 0; shape->radiation && j < shape->mode_count; j++)
        if (radiation[j] > 0) shape->radiation[j] = fmin(radiation[j] / shape->decay[j], 1);
    return shape->radiation != NULL;
}

static twStatus build(twBodyShape* shape, const twBodyShapeDef* def, twError* err)
{
    twStatus status = check(def, err);
    if (status == TW_OK) status = set_mass(shape, def, err);
    if (status != TW_OK) return status;
    shape->mode_count = count_modes(def);
    if (def->modes)
    {
        shape->freq_hz = def->modes->freq_hz;
        shape->decay = def->modes->decay;
        shape->rigid_modes = def->modes->rigid_modes;
    }
    ContactShapeDef contact = tw_contact_shape_def();
    contact.mesh = def->mesh;
    contact.modes = shape->mode_count > 0 || !def->mesh ? def->modes : NULL;
    contact.mode_count = shape->mode_count;
    contact.centre = shape->mass.centre;
    contact.field = def->field;
    contact.ball = def->ball_radius;
    status = tw_contact_shape_create(&shape->contact, &contact, err);
    if (status != TW_OK) return status;
    if (shape->mode_count > 0 && def->radiation && !make_radiation(shape, def->radiation))
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", shape->mode_count);
    if (shape->mode_count > 1 && !make_gyro(shape, def->modes))
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", shape->mode_count);
    if (shape->mode_count > 0 && shape->rigid_modes < 6 && !make_shake(shape, def->modes))
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", shape->mode_count);
    shape->contact_radius = def->contact_radius > 0 ? def->contact_radius
                            : def->ball_radius > 0  ? def->ball_radius
                                                    : CONTACT_SHARE * shape->contact->radius;
    return TW_OK;
}

twStatus tw_body_shape_create(twBodyShape** out, const twBodyShapeDef* def, twError* err)
{
    *out = NULL;
    twBodyShape* shape = calloc(1, sizeof *shape);
    if (!shape) return tw_fail(err, TW_NO_MEMORY, "no memory for the shape of a body");
    twStatus status = build(shape, def, err);
    if (status == TW_OK)
        *out = shape;
    else
        tw_body_shape_destroy(shape);
    return status;
}

void tw_body_shape_destroy(twBodyShape* shape)
{
    if (!shape) return;
    tw_contact_shape_destroy(shape->contact);
    free(shape->radiation);
    free(shape->gyro);
    free(shape->shake);
    free(shape);
}

twMassProperties tw_body_shape_mass(const twBodyShape* shape) { return shape->mass; }

int tw_body_shape_modes(const twBodyShape* shape) { return shape->mode_count; }

int tw_body_shape_nearest(const twBodyShape* shape, twVec3 point)
{
    const ContactShape* contact = shape->contact;
    twVec3 at = tw_vec3_sub(point, contact->centre);
    double best = HUGE_VAL;
    int vertex = 0;
    for (int v = 0; v < contact->vertex_count; v++)
    {
        twVec3 d = tw_vec3_sub(contact->vertices[v], at);
        if (!(tw_vec3_dot(d, d) < best)) continue;
        best = tw_vec3_dot(d, d);
        vertex = v;
    }
    return vertex;
}
