// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bem.h"
#include <complex.h>
#include <stdlib.h>

/// @file
/// Boundary elements of shapes, and fields known beforehand: those of point sources inside.

typedef double complex Complex;

static const double bem_speed = 343, bem_density = 1.204;

/// A shape of tw_shape_parse() with edges of about the given length. The mesh goes to *mesh unless NULL.
static inline twBem* bem_shape(const char* text, double edge, twMesh** mesh)
{
    twShape* shape;
    twMesh* surface;
    twBem* bem;
    twError err;
    twBemDef def = tw_bem_def();
    if (tw_shape_parse(&shape, text, &err) != TW_OK || tw_shape_surface(&surface, shape, edge, &err) != TW_OK) abort();
    def.surface = surface;
    if (tw_bem_create(&bem, &def, &err) != TW_OK) abort();
    tw_shape_destroy(shape);
    if (mesh)
        *mesh = surface;
    else
        tw_mesh_destroy(surface);
    return bem;
}

static inline int bem_count(const twBem* bem)
{
    int count;
    tw_bem_panels(bem, &count);
    return count;
}

/// Frequency at which k times the radius of the sphere is kr.
static inline double bem_freq(const twBem* bem, double kr)
{
    return kr * bem_speed / (2 * TW_PI * tw_bem_sphere(bem, NULL));
}

/// i-th of count directions spread evenly.
static inline twVec3 bem_direction(int i, int count)
{
    double z = 1 - 2 * (i + 0.5) / count, phi = 2.399963229728653 * i, s = sqrt(1 - z * z);
    return tw_vec3(s * cos(phi), s * sin(phi), z);
}

/// One motion and what came of it.
typedef struct BemRun
{
    double freq_hz;
    int order;
    double *velocity, *pressure, *moments;
    twBemReport report;
} BemRun;

static inline BemRun bem_run(const twBem* bem, double kr)
{
    BemRun run = {.freq_hz = bem_freq(bem, kr)};
    size_t count = (size_t)bem_count(bem);
    run.order = tw_bem_order(bem, run.freq_hz);
    run.velocity = calloc(count, 2 * sizeof(double));
    run.pressure = calloc(count, 2 * sizeof(double));
    run.moments = calloc((size_t)(run.order + 1) * (size_t)(run.order + 1), 2 * sizeof(double));
    if (!run.velocity || !run.pressure || !run.moments) abort();
    return run;
}

static inline bool bem_run_solve(const twBem* bem, BemRun* run)
{
    return tw_bem_solve(bem, run->freq_hz, run->velocity, run->order, run->moments, run->pressure, &run->report,
                        NULL) == TW_OK;
}

static inline void bem_run_free(BemRun* run)
{
    free(run->velocity);
    free(run->pressure);
    free(run->moments);
}

static inline Complex bem_at(const double* pairs, int i) { return pairs[2 * i] + I * pairs[2 * i + 1]; }

/// Pressure at one place by moments, or straight from the surface.
static inline Complex bem_field(const twBem* bem, const BemRun* run, twVec3 place)
{
    double out[2];
    tw_bem_field(bem, run->freq_hz, run->order, run->moments, 1, &place, out);
    return bem_at(out, 0);
}
static inline Complex bem_pressure(const twBem* bem, const BemRun* run, twVec3 place)
{
    double out[2];
    tw_bem_pressure(bem, run->freq_hz, run->velocity, run->pressure, 1, &place, out);
    return bem_at(out, 0);
}

/// Level and phase between two pressures.
static inline double bem_db(Complex a, Complex b) { return fabs(20 * log10(cabs(a) / cabs(b))); }
static inline double bem_degrees(Complex a, Complex b) { return fabs(carg(a / b)) * 180 / TW_PI; }

/// Share of directions at times the sphere's radius where the field by moments is within 0.5 dB of that from the surface.
static inline double bem_fit(const twBem* bem, const BemRun* run, double times)
{
    enum
    {
        COUNT = 100
    };
    twVec3 centre;
    double radius = tw_bem_sphere(bem, &centre);
    int good = 0;
    for (int i = 0; i < COUNT; i++)
    {
        twVec3 place = tw_vec3_add_scaled(centre, bem_direction(i, COUNT), times * radius);
        good += bem_db(bem_field(bem, run, place), bem_pressure(bem, run, place)) < 0.5;
    }
    return good / (double)COUNT;
}

// ---- point sources inside ----

/// p = strength G + dipole.grad G,   G = e^{ikr}/(4 pi r)
typedef struct BemSource
{
    twVec3 at, dipole;
    double strength;
} BemSource;

/// Pressure of sources at x; *slope (may be NULL) is its derivative along n.
static inline Complex bem_sources(const BemSource* sources, int count, double k, twVec3 x, twVec3 n, Complex* slope)
{
    Complex p = 0, dp = 0;
    for (int i = 0; i < count; i++)
    {
        twVec3 d = tw_vec3_sub(x, sources[i].at);
        double r = tw_vec3_norm(d), along = tw_vec3_dot(sources[i].dipole, d) / r, normal = tw_vec3_dot(n, d) / r;
        double re = cos(k * r) / (4 * TW_PI * r), im = sin(k * r) / (4 * TW_PI * r);
        // G' = (ik - 1/r) G, H = (3/r^2 - k^2 - 3ik/r) G, by parts, for speed
        double gr = -re / r - k * im, gi = k * re - im / r;
        double a = 3 / (r * r) - k * k, b = -3 * k / r, hr = a * re - b * im, hi = a * im + b * re;
        double s = sources[i].strength, both = tw_vec3_dot(n, sources[i].dipole) / r;
        p += (s * re + along * gr) + I * (s * im + along * gi);
        dp += (s * normal * gr + along * normal * hr + both * gr) +
              I * (s * normal * gi + along * normal * hi + both * gi);
    }
    if (slope) *slope = dp;
    return p;
}

/// Mean velocities of the panels in the field of sources: each is cut into cuts^2 pieces.
static inline void bem_drive(const twBem* bem, BemRun* run, const twMesh* mesh, int cuts, const BemSource* sources,
                             int count)
{
    double w = 2 * TW_PI * run->freq_hz, k = w / bem_speed;
    const twBemPanel* panels = tw_bem_panels(bem, NULL);
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int* v = mesh->faces[f].v;
        twVec3 a = mesh->vertices[v[0]], b = tw_vec3_sub(mesh->vertices[v[1]], a);
        twVec3 c = tw_vec3_sub(mesh->vertices[v[2]], a);
        Complex sum = 0, slope;
        for (int i = 0; i < cuts; i++)
            for (int j = 0; j < 2 * (cuts - i) - 1; j++)
            {
                // middle of a small triangle, every other one upside down
                double third = (1 + j % 2) / 3.0, s = (i + third) / cuts, t = (j / 2 + third) / cuts;
                twVec3 at = tw_vec3_add_scaled(tw_vec3_add_scaled(a, b, s), c, t);
                bem_sources(sources, count, k, at, panels[f].normal, &slope);
                sum += slope;
            }
        Complex mean = sum / (cuts * cuts) / (I * w * bem_density);
        run->velocity[2 * f] = creal(mean);
        run->velocity[2 * f + 1] = cimag(mean);
    }
}

/// Relative error of the field of sources over a sphere at times the radius, by moments.
static inline double bem_error(const twBem* bem, const BemRun* run, double times, const BemSource* sources, int count)
{
    enum
    {
        COUNT = 50
    };
    twVec3 centre, none = {0, 0, 0};
    double radius = tw_bem_sphere(bem, &centre), k = 2 * TW_PI * run->freq_hz / bem_speed, sum = 0, all = 0;
    for (int i = 0; i < COUNT; i++)
    {
        twVec3 place = tw_vec3_add_scaled(centre, bem_direction(i, COUNT), times * radius);
        Complex exact = bem_sources(sources, count, k, place, none, NULL);
        double off = cabs(bem_field(bem, run, place) - exact);
        sum += off * off;
        all += cabs(exact) * cabs(exact);
    }
    return sqrt(sum / all);
}
