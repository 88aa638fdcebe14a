// SPDX-License-Identifier: MIT
// Sound of modes without boundary elements: each mode moves a sphere of the same area S = 4 pi a^2. Its surface element dS
// at x with outward normal n and normal velocity v counts at the direction e of (x - C)/R + n, so that both sides of a
// plate go to two halves of the sphere, and a sphere is itself:
//
//   v_nm = 1/a^2 sum v Y_nm(e) dS,     p = i w rho a sum v_nm / (k a h_n'/h_n) h_n(k r)/h_n(k a) Y_nm,
//   x h_n'/h_n = n - s_(n+1),   s_n = x h_n/h_(n-1)

#include "acoustics/hankel.h"
#include "twang/acoustics.h"
#include <stdlib.h>

enum
{
    MOST = 8,  // highest order
    VALUES = (MOST + 1) * (MOST + 1)
};

// the surface in terms of directions
typedef struct Sphere
{
    twVec3 centre;
    double radius, area;
    double* harmonics;  // (faces x VALUES)
    twVec3* normals;    // (faces) outward, as long as the area
} Sphere;

static void sphere_free(Sphere* s)
{
    free(s->harmonics);
    free(s->normals);
}

static twVec3 face_normal(const twModeSet* set, int face, twVec3* middle)
{
    const int* v = set->faces[face].v;
    twVec3 a = set->vertices[v[0]], b = set->vertices[v[1]], c = set->vertices[v[2]];
    *middle = tw_vec3_scale(tw_vec3_add(a, tw_vec3_add(b, c)), 1.0 / 3);
    return tw_vec3_scale(tw_vec3_cross(tw_vec3_sub(b, a), tw_vec3_sub(c, a)), 0.5);
}

static twVec3 unit_or_up(twVec3 v)
{
    double length = sqrt(tw_vec3_dot(v, v));
    return length > 0 ? tw_vec3_scale(v, 1 / length) : (twVec3){0, 0, 1};
}

static twStatus sphere_make(Sphere* s, const twModeSet* set, twError* err)
{
    s->radius = tw_points_ball(set->vertices, set->vertex_count, &s->centre);
    size_t faces = (size_t)set->face_count + 1;
    s->harmonics = malloc(faces * VALUES * sizeof *s->harmonics);
    s->normals = malloc(faces * sizeof *s->normals);
    if (!s->harmonics || !s->normals) return tw_fail(err, TW_NO_MEMORY, "no memory for %d faces", set->face_count);
    for (int i = 0; i < set->face_count; i++)
    {
        twVec3 middle, normal = s->normals[i] = face_normal(set, i, &middle);
        s->area += sqrt(tw_vec3_dot(normal, normal));
        twVec3 out = tw_vec3_scale(tw_vec3_sub(middle, s->centre), 1 / s->radius);
        tw_harmonics_double(s->harmonics + (size_t)i * VALUES, MOST, unit_or_up(tw_vec3_add(out, unit_or_up(normal))));
    }
    if (s->area > 0 && s->radius > 0) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "a surface of %d faces without area radiates nothing", set->face_count);
}

// harmonics of the normal velocity of a mode, times a^2
static void project(double out[VALUES], const Sphere* s, const twModeSet* set, int mode)
{
    const float* shape = set->shape + 3 * (size_t)mode * (size_t)set->vertex_count;
    for (int i = 0; i < VALUES; i++) out[i] = 0;
    for (int i = 0; i < set->face_count; i++)
    {
        double flux = 0;
        for (int j = 0; j < 3; j++)
        {
            const float* v = shape + 3 * (size_t)set->faces[i].v[j];
            flux += (s->normals[i].x * v[0] + s->normals[i].y * v[1] + s->normals[i].z * v[2]) / 3;
        }
        const double* y = s->harmonics + (size_t)i * VALUES;
        for (int j = 0; j < VALUES; j++) out[j] += flux * y[j];
    }
}

// what the velocity v_n of a sphere of radius a at w = k c gives on the sphere of radius R, for n = 0..order: complex pairs
static void radiate(double* out, int order, double k, double a, double R, double c, double rho)
{
    double at_a[2 * (MOST + 2)], at_R[2 * (MOST + 2)];
    hankel_steps(at_a, order + 1, k * a);
    hankel_steps(at_R, order + 1, k * R);
    hankel_ratios(out, order, at_R, at_a, a / R);
    double turn = k * (R - a), co = cos(turn) * a / R, si = sin(turn) * a / R;
    for (int n = 0; n <= order; n++)
    {
        // i w rho a/(n - s)
        double x = n - at_a[2 * n + 2], y = -at_a[2 * n + 3], scale = k * c * rho * a / (x * x + y * y);
        double p = scale * y, q = scale * x;
        double g = out[2 * n] * co - out[2 * n + 1] * si, h = out[2 * n] * si + out[2 * n + 1] * co;
        out[2 * n] = p * g - q * h;
        out[2 * n + 1] = p * h + q * g;
    }
}

// short waves count near by, and for modes without longer ones
static int order_for(double ka) { return ka + 4 < MOST ? (int)ceil(ka + 4) : MOST; }

// the moments of one mode
static void fill_mode(float* moments, int order, const Sphere* s, const twModeSet* set, int mode, const twTransfer* t)
{
    double velocity[VALUES], gain[2 * (MOST + 2)], a = sqrt(s->area / (4 * TW_PI));
    project(velocity, s, set, mode);
    radiate(gain, order, 2 * TW_PI * set->freq_hz[mode] / t->sound_speed, a, s->radius, t->sound_speed, t->air_density);
    for (int n = 0; n <= order; n++)
        for (int i = n * n; i < (n + 1) * (n + 1); i++)
        {
            moments[2 * i] = (float)(gain[2 * n] * velocity[i] / (a * a));
            moments[2 * i + 1] = (float)(gain[2 * n + 1] * velocity[i] / (a * a));
        }
}

twStatus tw_transfer_estimate(twTransfer** out, const twModeSet* set, double sound_speed, double air_density,
                              twError* err)
{
    *out = NULL;
    if (!(sound_speed > 0 && isfinite(sound_speed) && air_density > 0 && isfinite(air_density)))
        return tw_fail(err, TW_BAD_INPUT, "sound speed %g m/s and air density %g kg/m^3 must be positive", sound_speed,
                       air_density);
    Sphere sphere = {0};
    size_t modes = (size_t)set->mode_count + 1;
    float *moments = calloc(modes * VALUES, 2 * sizeof *moments), *error = calloc(modes, sizeof *error);
    int* order = calloc(modes, sizeof *order);
    int64_t* first = calloc(modes, sizeof *first);
    twStatus status = TW_OK;
    if (!moments || !error || !order || !first)
        status = tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", set->mode_count);
    if (status == TW_OK) status = sphere_make(&sphere, set, err);
    if (status == TW_OK)
    {
        twTransfer t = {set->mode_count, 0,     sphere.centre, sphere.radius, sound_speed, air_density,
                        set->freq_hz,    order, first,         moments,       error};
        for (int k = 0; k < set->mode_count; k++)
        {
            order[k] = order_for(2 * TW_PI * set->freq_hz[k] / sound_speed * sqrt(sphere.area / (4 * TW_PI)));
            first[k] = t.moment_count;
            t.moment_count += (order[k] + 1) * (order[k] + 1);
            fill_mode(moments + 2 * first[k], order[k], &sphere, set, k, &t);
        }
        status = tw_transfer_create(out, &t, err);
    }
    sphere_free(&sphere);
    free(moments);
    free(error);
    free(order);
    free(first);
    return status;
}
