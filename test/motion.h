// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"
#include "twang/picture.h"
#include <stdlib.h>
#include <string.h>

/// @file
/// Motion made up in memory: a trace of bodies of given shapes whose poses, bending, forces and series the caller sets, and its
/// skin. Exits if there is no memory or a shape is wrong.

#define MOTION_BODIES 8
#define MOTION_SERIES 4

typedef struct Motion
{
    twTrace trace;
    twTraceBody bodies[MOTION_BODIES];
    twModeSet* sets[MOTION_BODIES];
    int64_t body_first[MOTION_BODIES];
    twTraceSeries series[MOTION_SERIES];
    float* values;  ///< (frames x floats)
    const float** frames;
    int* arrow_count;
    const twTraceArrow** arrows;
} Motion;

static inline void* motion_must(void* pointer)
{
    if (!pointer) abort();
    return pointer;
}

/// Start motion of so many frames.
static inline Motion motion(double rate_hz, int64_t frames)
{
    Motion m = {.trace = {.frame_rate_hz = rate_hz, .frame_count = frames, .title = "", .sound = ""}};
    m.arrow_count = motion_must(calloc((size_t)frames, sizeof *m.arrow_count));
    m.arrows = motion_must(calloc((size_t)frames, sizeof *m.arrows));
    m.frames = motion_must(calloc((size_t)frames, sizeof *m.frames));
    return m;
}

/// Add a body of these triangles.
static inline void motion_mesh(Motion* m, const char* material, const twVec3* vertices, int vertex_count,
                               const twTriangle* faces, int face_count)
{
    twVec3* own = motion_must(malloc((size_t)vertex_count * sizeof *own));
    twTriangle* own_faces = motion_must(malloc((size_t)face_count * sizeof *own_faces));
    twModeSet* set = motion_must(calloc(1, sizeof *set));
    memcpy(own, vertices, (size_t)vertex_count * sizeof *own);
    memcpy(own_faces, faces, (size_t)face_count * sizeof *own_faces);
    *set = (twModeSet){.vertex_count = vertex_count, .face_count = face_count, .vertices = own, .faces = own_faces};
    const int k = m->trace.body_count++;
    m->sets[k] = set;
    m->bodies[k] = (twTraceBody){.name = "body", .material = material, .set = set};
}

/// Add a body of a procedural shape.
static inline void motion_shape(Motion* m, const char* material, const char* text, double edge)
{
    twError err = {0};
    twShape* shape = NULL;
    twMesh* mesh = NULL;
    if (tw_shape_parse(&shape, text, &err) != TW_OK || tw_shape_surface(&mesh, shape, edge, &err) != TW_OK)
    {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    motion_mesh(m, material, mesh->vertices, mesh->vertex_count, mesh->faces, mesh->face_count);
    tw_mesh_destroy(mesh);
    tw_shape_destroy(shape);
}

/// Let the last body bend by one mode, of this displacement per amplitude at its vertices.
static inline void motion_bends(Motion* m, twVec3 (*shape)(twVec3 at))
{
    twModeSet* set = m->sets[m->trace.body_count - 1];
    float* rows = motion_must(calloc(3 * (size_t)set->vertex_count, sizeof *rows));
    for (int i = 0; i < set->vertex_count; i++)
    {
        const twVec3 u = shape(set->vertices[i]);
        rows[3 * i] = (float)u.x, rows[3 * i + 1] = (float)u.y, rows[3 * i + 2] = (float)u.z;
    }
    set->mode_count = 1;
    set->shape = rows;
}

static inline void motion_series(Motion* m, const char* name, const char* unit)
{
    m->series[m->trace.series_count++] = (twTraceSeries){name, unit};
}

/// When all bodies and series are there: everything lies still at the origin. Do not move *m from here on.
static inline void motion_ready(Motion* m)
{
    twTrace* t = &m->trace;
    for (int k = 0; k < t->body_count; k++)
    {
        m->body_first[k] = t->series_first;
        t->series_first += 7 + m->sets[k]->mode_count;
    }
    const size_t floats = (size_t)(t->series_first + t->series_count);
    m->values = motion_must(calloc((size_t)t->frame_count * floats + 1, sizeof *m->values));
    for (int64_t f = 0; f < t->frame_count; f++)
    {
        m->frames[f] = m->values + (size_t)f * floats;
        for (int k = 0; k < t->body_count; k++) m->values[(size_t)f * floats + (size_t)m->body_first[k] + 3] = 1;
    }
    t->bodies = m->bodies;
    t->body_first = m->body_first;
    t->series = m->series;
    t->frames = m->frames;
    t->arrow_count = m->arrow_count;
    t->arrows = m->arrows;
}

static inline void motion_pose(Motion* m, int64_t frame, int body, twVec3 at, twQuat turn)
{
    float* out = m->values + (m->frames[frame] - m->values) + m->body_first[body];
    const double all[7] = {at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z};
    for (int k = 0; k < 7; k++) out[k] = (float)all[k];
}

/// The amplitude of a body that bends.
static inline void motion_bend(Motion* m, int64_t frame, int body, double amplitude)
{
    m->values[(m->frames[frame] - m->values) + m->body_first[body] + 7] = (float)amplitude;
}

static inline void motion_value(Motion* m, int64_t frame, int series, double value)
{
    m->values[(m->frames[frame] - m->values) + m->trace.series_first + series] = (float)value;
}

static inline twSkin* motion_skin(const Motion* m)
{
    twError err = {0};
    twSkin* skin = NULL;
    twSkinDef def = tw_skin_def();
    if (tw_skin_create(&skin, &m->trace, &def, &err) != TW_OK)
    {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return skin;
}

static inline void motion_free(Motion* m)
{
    for (int k = 0; k < m->trace.body_count; k++)
    {
        free((void*)(uintptr_t)m->sets[k]->vertices);
        free((void*)(uintptr_t)m->sets[k]->faces);
        free((void*)(uintptr_t)m->sets[k]->shape);
        free(m->sets[k]);
    }
    free(m->values);
    free(m->frames);
    free(m->arrow_count);
    free(m->arrows);
}
