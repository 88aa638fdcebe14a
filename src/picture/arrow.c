// SPDX-License-Identifier: MIT
// Arrows of forces: each begins where its force acts, and is as long as the root of its share of the strongest, so that
// weak ones are seen too.

#include "picture/arrow.h"

#include <stdlib.h>

#define SIDES 12
#define RINGS 6  // foot of the shaft, its head, the flat back of the cone (2), its slope (2)
#define VERTICES ((RINGS + 1) * SIDES)
#define FACES (7 * SIDES)

#define LENGTH 0.35  // of the strongest, of the size of the box
#define SHAFT 0.02   // radius, of the length of the longest
#define CONE 0.055
#define HEAD 0.22  // of the cone, of the length of the longest, but no more than 60 % of the arrow

static double force_of(const twTraceArrow* arrow)
{
    return tw_vec3_norm(tw_vec3(arrow->force[0], arrow->force[1], arrow->force[2]));
}

double arrows_strongest(const twTrace* trace, int64_t frame)
{
    double most = 0;
    for (int k = 0; k < trace->arrow_count[frame]; k++) most = fmax(most, force_of(&trace->arrows[frame][k]));
    return most;
}

// ---- one arrow ----

// rings 0-1 shaft, 2 the shaft's closed foot, 3-4 back of the cone, 5-6 slope of the cone
static void set_faces(twTriangle* faces, int first)
{
    static const int band[3][2] = {{0, 1}, {3, 4}, {5, 6}};
    for (int b = 0; b < 3; b++)
        for (int i = 0; i < SIDES; i++)
        {
            const int j = (i + 1) % SIDES, low = first + band[b][0] * SIDES, high = first + band[b][1] * SIDES;
            *faces++ = (twTriangle){{low + i, low + j, high + j}};
            *faces++ = (twTriangle){{low + i, high + j, high + i}};
        }
    // a fan over the foot; the last two of it are empty
    for (int i = 0; i < SIDES; i++)
    {
        const int foot = first + 2 * SIDES, a = i < SIDES - 2 ? i + 2 : 0, b = i < SIDES - 2 ? i + 1 : 0;
        *faces++ = (twTriangle){{foot, foot + a, foot + b}};
    }
}

typedef struct Frame
{
    twVec3 x, y, z;
} Frame;

static Frame frame_along(twVec3 z)
{
    const twVec3 other = fabs(z.z) < 0.9 ? tw_vec3(0, 0, 1) : tw_vec3(1, 0, 0);
    const twVec3 x = tw_vec3_normalize(tw_vec3_cross(other, z));
    return (Frame){x, tw_vec3_cross(z, x), z};
}

static void set_ring(float* position, float* normal, const Frame* f, twVec3 centre, double radius, double out,
                     double up)
{
    for (int i = 0; i < SIDES; i++)
    {
        const double angle = 2 * TW_PI * i / SIDES;
        const twVec3 r = tw_vec3_add_scaled(tw_vec3_scale(f->x, cos(angle)), f->y, sin(angle));
        const twVec3 p = tw_vec3_add_scaled(centre, r, radius);
        const twVec3 n = tw_vec3_add_scaled(tw_vec3_scale(r, out), f->z, up);
        const double all[2][3] = {{p.x, p.y, p.z}, {n.x, n.y, n.z}};
        for (int k = 0; k < 3; k++)
        {
            position[3 * i + k] = (float)all[0][k];
            normal[3 * i + k] = (float)all[1][k];
        }
    }
}

static double length_of(const Arrows* arrows, const twTraceArrow* arrow)
{
    return arrows->longest * sqrt(force_of(arrow) / arrows->strongest);
}

static bool is_drawn(const Arrows* arrows, const twTraceArrow* arrow)
{
    return force_of(arrow) > 1e-4 * arrows->strongest;
}

double arrows_head(const Arrows* arrows, const twTraceArrow* arrow, twVec3* tip)
{
    if (!is_drawn(arrows, arrow)) return 0;
    const twVec3 force = tw_vec3(arrow->force[0], arrow->force[1], arrow->force[2]);
    const twVec3 foot = tw_vec3(arrow->at[0], arrow->at[1], arrow->at[2]);
    *tip = tw_vec3_add_scaled(foot, tw_vec3_normalize(force), length_of(arrows, arrow));
    return CONE * arrows->longest;
}

static void set_arrow(const Arrows* arrows, int index, const twTraceArrow* arrow)
{
    const twVec3 force = tw_vec3(arrow->force[0], arrow->force[1], arrow->force[2]);
    const double whole = arrows->longest, length = length_of(arrows, arrow);
    const Frame f = frame_along(tw_vec3_normalize(force));
    const twVec3 foot = tw_vec3(arrow->at[0], arrow->at[1], arrow->at[2]);
    const double head = fmin(HEAD * whole, 0.6 * length), thin = fmin(1, head / (HEAD * whole));
    const double cone = CONE * whole * thin, shaft = SHAFT * whole * thin, slope = atan2(cone, head);
    const twVec3 tip = tw_vec3_add_scaled(foot, f.z, length), neck = tw_vec3_add_scaled(tip, f.z, -head);
    struct
    {
        twVec3 centre;
        double radius, out, up;
    } rings[RINGS + 1] = {{foot, shaft, 1, 0},
                          {neck, shaft, 1, 0},
                          {foot, shaft, 0, -1},
                          {neck, shaft, 0, -1},
                          {neck, cone, 0, -1},
                          {neck, cone, cos(slope), sin(slope)},
                          {tip, 0, cos(slope), sin(slope)}};
    for (int k = 0; k <= RINGS; k++)
    {
        const size_t at = ((size_t)index * VERTICES + (size_t)k * SIDES) * 3;
        set_ring(arrows->positions + at, arrows->normals + at, &f, rings[k].centre, rings[k].radius, rings[k].out,
                 rings[k].up);
    }
}

// ---- all ----

bool arrows_create(Arrows* out, twArena* arena, const twSkin* skin)
{
    *out = (Arrows){.vertex_count = ARROW_MAX * VERTICES, .face_count = ARROW_MAX * FACES, .faces_each = FACES};
    twTriangle* faces = tw_arena_alloc(arena, (size_t)out->face_count, sizeof *faces);
    out->positions = tw_arena_alloc(arena, (size_t)out->vertex_count * 3, sizeof(float));
    out->normals = tw_arena_alloc(arena, (size_t)out->vertex_count * 3, sizeof(float));
    if (!faces || !out->positions || !out->normals) return false;
    for (int k = 0; k < ARROW_MAX; k++) set_faces(faces + (size_t)k * FACES, k * VERTICES);
    out->faces = faces;
    out->longest = LENGTH * tw_vec3_norm(tw_vec3_sub(skin->high, skin->low));
    out->strongest = 0;
    for (int64_t f = 0; f < skin->trace->frame_count; f++)
        out->strongest = fmax(out->strongest, arrows_strongest(skin->trace, f));
    return true;
}

static int stronger_first(const void* a, const void* b)
{
    const double fa = force_of(a), fb = force_of(b);
    return fa < fb ? 1 : fa > fb ? -1 : 0;
}

int arrows_set(Arrows* arrows, const twTrace* trace, int64_t frame)
{
    const twTraceArrow* all = trace->arrows[frame];
    int count = trace->arrow_count[frame], drawn = 0;
    twTraceArrow* sorted = NULL;
    if (count > ARROW_MAX && (sorted = malloc((size_t)count * sizeof *sorted)))
    {
        for (int k = 0; k < count; k++) sorted[k] = all[k];
        qsort(sorted, (size_t)count, sizeof *sorted, stronger_first);
        all = sorted;
    }
    for (int k = 0; k < count && drawn < ARROW_MAX; k++)
        if (is_drawn(arrows, &all[k])) set_arrow(arrows, drawn++, &all[k]);
    free(sorted);
    return drawn * arrows->faces_each;
}

twLook arrows_look(void) { return (twLook){{0.9f, 0.08f, 0.02f}, 0, 0.6f}; }
