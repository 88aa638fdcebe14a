// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"

#include "scratch.h"
#include "twang/picture.h"
#include <stdlib.h>

/// @file
/// A free bar that bends as Euler and Bernoulli say, flies and turns: where its points are is known at any time.
///
/// Along x from 0 to 1 m, 1 kg. Mode k has the shape
///     Y = cosh bx + cos bx - s (sinh bx + sin bx),   s = (cosh b - cos b) / (sinh b - sin b),   cosh b cos b = 1,
/// and a point at height z above the middle moves by (-z Y', 0, Y). The integral of Y^2 is 1: it is mass-normalised.

enum
{
    BAR_MODES = 3,
    BAR_CELLS = 40,  // along it
    BAR_FRAMES = 61,
};
#define BAR_WIDTH 0.1
#define BAR_HEIGHT 0.04
#define BAR_RATE 60.0

static const double bar_root[BAR_MODES] = {4.730040744862704, 7.853204624095838, 10.99560783800167};
static const double bar_freq[BAR_MODES] = {1.5, 4.1347, 8.1057}, bar_decay[BAR_MODES] = {0.5, 1, 2};
static const double bar_size[BAR_MODES] = {0.03, -0.01, 0.005};  // [kg^1/2 m]

static inline twVec3 bar_shape(int mode, twVec3 at)
{
    const double b = bar_root[mode], x = b * at.x;
    const double s = (cosh(b) - cos(b)) / (sinh(b) - sin(b));
    const double y = cosh(x) + cos(x) - s * (sinh(x) + sin(x));
    const double slope = b * (sinh(x) - sin(x) - s * (cosh(x) + cos(x)));
    return tw_vec3(-at.z * slope, 0, y);
}

/// Struck at time 0.
static inline double bar_amplitude(int mode, double t)
{
    return bar_size[mode] * exp(-bar_decay[mode] * t) * sin(2 * TW_PI * bar_freq[mode] * t);
}

static inline twTracePose bar_pose(double t)
{
    return (twTracePose){.position = tw_vec3(0.3 * t, 0.1, 1 + 0.5 * t - t * t),
                         .turn = tw_quat_from_axis_angle(tw_vec3(1.0 / 3, 2.0 / 3, 2.0 / 3), 2 * t)};
}

/// Where the point is that is at `at` when nothing has happened.
static inline twVec3 bar_place(twVec3 at, double t, double factor)
{
    twVec3 p = at;
    for (int k = 0; k < BAR_MODES; k++) p = tw_vec3_add_scaled(p, bar_shape(k, at), factor * bar_amplitude(k, t));
    const twTracePose pose = bar_pose(t);
    return tw_vec3_add(pose.position, tw_quat_rotate(pose.turn, p));
}

// a box of rings of four vertices; faces counter-clockwise from outside
static inline int bar_faces(twTriangle* out)
{
    int n = 0;
    for (int i = 0; i < BAR_CELLS; i++)
        for (int k = 0; k < 4; k++)
        {
            const int a = 4 * i + k, b = 4 * i + (k + 1) % 4;
            out[n++] = (twTriangle){{a, b, b + 4}};
            out[n++] = (twTriangle){{a, b + 4, a + 4}};
        }
    const int e = 4 * BAR_CELLS;
    const twTriangle ends[4] = {{{0, 2, 1}}, {{0, 3, 2}}, {{e, e + 1, e + 2}}, {{e, e + 2, e + 3}}};
    for (int i = 0; i < 4; i++) out[n++] = ends[i];
    return n;
}

/// What is recorded of the bar.
typedef struct BarCase
{
    double factor[BAR_MODES];  ///< of the amplitudes
    double exaggeration;
    bool rigid;             ///< it has no modes
    bool still;             ///< it stays where and how it is at time 0, above a floor
    twDamping damping;      ///< said to be where the decay comes from
    const twMat3* inertia;  ///< said to be its own; NULL: that of the bar
} BarCase;
static const BarCase bar_case = {.factor = {1, 1, 1}, .exaggeration = 1, .damping = {.kind = TW_DAMPING_MODES}};

static inline twModeSet* bar_set(const BarCase* want)
{
    static twVec3 vertices[4 * (BAR_CELLS + 1)];
    static twTriangle faces[8 * BAR_CELLS + 4];
    static float shape[BAR_MODES][4 * (BAR_CELLS + 1)][3];
    const double y[4] = {0.5, -0.5, -0.5, 0.5}, z[4] = {0.5, 0.5, -0.5, -0.5};
    const int count = 4 * (BAR_CELLS + 1);
    for (int v = 0; v < count; v++)
    {
        vertices[v] = tw_vec3((double)(v / 4) / BAR_CELLS, BAR_WIDTH * y[v % 4], BAR_HEIGHT * z[v % 4]);
        for (int k = 0; k < BAR_MODES; k++)
        {
            const twVec3 u = bar_shape(k, vertices[v]);
            shape[k][v][0] = (float)u.x, shape[k][v][1] = (float)u.y, shape[k][v][2] = (float)u.z;
        }
    }
    const int face_count = bar_faces(faces);
    twMesh mesh = {.vertex_count = count, .face_count = face_count, .vertices = vertices, .faces = faces};
    const twModeMaterial stuff = {.name = "soft steel",
                                  .density = 1 / (BAR_WIDTH * BAR_HEIGHT),
                                  .young = 1e5,
                                  .poisson = 0.3,
                                  .alpha = 1,
                                  .volume = BAR_WIDTH * BAR_HEIGHT};
    twModeSet def = {.mode_count = want->rigid ? 0 : BAR_MODES,
                     .vertex_count = count,
                     .face_count = face_count,
                     .rigid_modes = 6,
                     .freq_hz = bar_freq,
                     .decay = bar_decay,
                     .shape = &shape[0][0][0],
                     .vertices = vertices,
                     .faces = faces,
                     .mass = tw_mesh_mass(&mesh, stuff.density),
                     .damping = want->damping,
                     .material_count = 1,
                     .materials = &stuff};
    if (want->inertia) def.mass.inertia = *want->inertia;
    twModeSet* set = NULL;
    tw_mode_set_create(&set, &def, NULL);
    return set;
}

/// A trace and its surfaces.
typedef struct Recorded
{
    twModeSet* set;
    twTrace* trace;
    twSkin* skin;
} Recorded;

static inline void forget(Recorded* r)
{
    tw_skin_destroy(r->skin);
    tw_trace_destroy(r->trace);
    tw_mode_set_destroy(r->set);
    *r = (Recorded){0};
}

/// Load what was written and make the surfaces. @return whether all went well
static inline bool reload(Recorded* r, const char* path, double exaggeration)
{
    twSkinDef def = tw_skin_def();
    def.exaggeration = exaggeration;
    return tw_trace_load(&r->trace, path, NULL) == TW_OK && tw_skin_create(&r->skin, r->trace, &def, NULL) == TW_OK;
}

static inline bool record_bar(Recorded* r, const BarCase* want)
{
    *r = (Recorded){.set = bar_set(want)};
    const twTraceBody body = {.name = "bar", .material = "soft steel", .set = r->set};
    twTraceDef def = tw_trace_def();
    def.title = "a bar";
    def.sound = "bar.wav";
    def.body_count = 1;
    def.bodies = &body;
    def.ground = want->still;
    def.ground_normal = tw_vec3(0, 0, 1);
    twTraceWriter* writer;
    if (!r->set || tw_trace_create(&writer, in_folder("bar.twtrace"), &def, NULL) != TW_OK) return false;
    bool fine = true;
    for (int f = 0; f < BAR_FRAMES && fine; f++)
    {
        const double t = want->still ? 0 : f / BAR_RATE;
        double q[BAR_MODES];
        for (int k = 0; k < BAR_MODES; k++) q[k] = want->factor[k] * bar_amplitude(k, t);
        twTracePose pose = bar_pose(t);

        // q and -q are the same turn; every other one is given that way
        if (f % 2) pose.turn = tw_quat(-pose.turn.w, -pose.turn.x, -pose.turn.y, -pose.turn.z);
        pose.amplitude = want->rigid ? NULL : q;
        fine = tw_trace_append(writer, &(twTraceFrame){.bodies = &pose}, NULL) == TW_OK;
    }
    return tw_trace_commit(&writer, NULL) == TW_OK && fine && reload(r, in_folder("bar.twtrace"), want->exaggeration);
}
