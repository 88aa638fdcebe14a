// SPDX-License-Identifier: MIT
// The surfaces of a trace, and where they are in a frame.
//
// Everything is where the trace has it, unless a factor exaggerates vibration: a body's bending, and how far a rod's points are
// from where they were in the first frame, or, if it is free, from where they would be had it travelled as a whole.

#include "skin.h"
#include <stdlib.h>
#include <string.h>

// what the surfaces need beyond the parts
typedef struct Skin
{
    twSkin shown;       // first: twSkin* is Skin*
    twSkinPart* parts;  // (parts)
    SkinBody* bodies;   // (bodies)
    double* seams;      // (rods)
    SkinFit** fits;     // (rods) of (frames); NULL: the rod is held, or shown at true scale
} Skin;

static Skin* inside(const twSkin* skin) { return (Skin*)(uintptr_t)skin; }

static SkinRod rod_at(const Skin* skin, int rod, int64_t frame)
{
    const twTrace* trace = skin->shown.trace;
    return (SkinRod){.rod = &trace->rods[rod],
                     .x0 = tw_trace_positions(trace, 0, rod),
                     .x = tw_trace_positions(trace, frame, rod),
                     .d1 = tw_trace_directors(trace, frame, rod),
                     .fit = skin->fits[rod] ? &skin->fits[rod][frame] : NULL,
                     .exaggeration = skin->shown.exaggeration,
                     .seam = skin->seams[rod]};
}

twSkinDef tw_skin_def(void) { return (twSkinDef){.exaggeration = 1, .sides = 16}; }

static double lesser(double a, double b) { return a < b ? a : b; }
static double greater(double a, double b) { return a > b ? a : b; }

// ---- how far things go ----

typedef struct Box
{
    twVec3 low, high;
} Box;

static Box no_box(void) { return (Box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static void grow(Box* box, twVec3 x, double by)
{
    box->low = tw_vec3(lesser(box->low.x, x.x - by), lesser(box->low.y, x.y - by), lesser(box->low.z, x.z - by));
    box->high = tw_vec3(greater(box->high.x, x.x + by), greater(box->high.y, x.y + by), greater(box->high.z, x.z + by));
}

static twVec3 placed(const float* pose, twVec3 x)
{
    const twQuat turn = tw_quat(pose[3], pose[4], pose[5], pose[6]);
    return tw_vec3_add(skin_vec3(pose), tw_quat_rotate(turn, x));
}

static Box rest_box(const twModeSet* set)
{
    Box box = no_box();
    for (int i = 0; i < set->vertex_count; i++) grow(&box, set->vertices[i], 0);
    return box;
}

static void grow_by_body(Box* box, const twTrace* trace, int64_t frame, int body, const Box* rest, double bending)
{
    const float* pose = tw_trace_pose(trace, frame, body);
    for (int c = 0; c < 8; c++)
    {
        const twVec3 corner = tw_vec3(c & 1 ? rest->high.x : rest->low.x, c & 2 ? rest->high.y : rest->low.y,
                                      c & 4 ? rest->high.z : rest->low.z);
        grow(box, placed(pose, corner), bending);
    }
}

static double thickness(const twTraceRod* rod)
{
    double most = 0;
    for (int i = 0; i < rod->section_count; i++)
        most = greater(most, greater(rod->sections[i].half_size[0], rod->sections[i].half_size[1]));
    return most;
}

static void grow_by_rod(Box* box, const SkinRod* rod, double by)
{
    for (int i = 0; i < rod->rod->point_count; i++) grow(box, skin_rod_point(rod, i), by);
}

// displacement of a vertex of a mode set, in its own axes
static twVec3 bending_at(const twModeSet* set, const float* amplitude, int vertex)
{
    twVec3 sum = {0, 0, 0};
    for (int k = 0; k < set->mode_count; k++)
        if (amplitude[k] != 0) sum = tw_vec3_add_scaled(sum, tw_mode_set_shape(set, k, vertex), (double)amplitude[k]);
    return sum;
}

int64_t skin_most_bent(const twTrace* trace, int body, int64_t from, int64_t to)
{
    int64_t best = from;
    double most = 0;
    const int modes = trace->bodies[body].set->mode_count;
    for (int64_t f = from; f < to; f++)
    {
        const float* q = tw_trace_amplitudes(trace, f, body);
        double sum = 0;
        for (int k = 0; k < modes; k++) sum += (double)q[k] * (double)q[k];
        if (sum > most) most = sum, best = f;
    }
    return best;
}

// the largest bending of a body, exact in the frame that has most of it
static double body_motion(const twTrace* trace, int body)
{
    const twModeSet* set = trace->bodies[body].set;
    if (set->mode_count == 0) return 0;
    const float* q = tw_trace_amplitudes(trace, skin_most_bent(trace, body, 0, trace->frame_count), body);
    double most = 0;
    for (int v = 0; v < set->vertex_count; v++) most = greater(most, tw_vec3_norm(bending_at(set, q, v)));
    return most;
}

// the box around everything in all frames
static twStatus measure(Skin* skin, twError* err)
{
    const twTrace* trace = skin->shown.trace;
    const double factor = skin->shown.exaggeration;
    Box* rests = tw_arena_alloc(skin->shown.arena, (size_t)trace->body_count + 1, sizeof *rests);
    double* bending = tw_arena_alloc(skin->shown.arena, (size_t)trace->body_count + 1, sizeof *bending);
    if (!rests || !bending) return tw_fail(err, TW_NO_MEMORY, "no memory for the surfaces of a trace");
    for (int i = 0; i < trace->body_count; i++)
    {
        rests[i] = rest_box(trace->bodies[i].set);
        bending[i] = factor * body_motion(trace, i);
    }
    Box box = no_box();
    for (int64_t f = 0; f < trace->frame_count; f++)
    {
        for (int i = 0; i < trace->body_count; i++) grow_by_body(&box, trace, f, i, &rests[i], bending[i]);
        for (int i = 0; i < trace->rod_count; i++)
        {
            const SkinRod rod = rod_at(skin, i, f);
            grow_by_rod(&box, &rod, thickness(rod.rod));
        }
    }
    skin->shown.low = box.low;
    skin->shown.high = box.high;
    return TW_OK;
}

// ---- making them ----

// how free rods travel
static twStatus make_fits(Skin* skin, twError* err)
{
    const twTrace* trace = skin->shown.trace;
    skin->seams = tw_arena_alloc(skin->shown.arena, (size_t)trace->rod_count + 1, sizeof *skin->seams);
    skin->fits = tw_arena_alloc(skin->shown.arena, (size_t)trace->rod_count + 1, sizeof *skin->fits);
    if (!skin->seams || !skin->fits) return tw_fail(err, TW_NO_MEMORY, "no memory for the surfaces of a trace");
    for (int i = 0; i < trace->rod_count; i++)
    {
        const float* x0 = tw_trace_positions(trace, 0, i);
        skin->seams[i] = skin_rod_seam(trace, i);
        skin->fits[i] = NULL;
        if (skin->shown.exaggeration == 1 || !skin_is_free(trace, i)) continue;
        SkinFit* fits = tw_arena_alloc(skin->shown.arena, (size_t)trace->frame_count, sizeof *fits);
        if (!fits) return tw_fail(err, TW_NO_MEMORY, "no memory for the surfaces of a trace");
        for (int64_t f = 0; f < trace->frame_count; f++)
            fits[f] = skin_fit(x0, tw_trace_positions(trace, f, i), trace->rods[i].point_count);
        skin->fits[i] = fits;
    }
    return TW_OK;
}

static twStatus make_parts(Skin* skin, int sides, twError* err)
{
    const twTrace* trace = skin->shown.trace;
    const size_t count = (size_t)trace->body_count + (size_t)trace->rod_count;
    skin->parts = tw_arena_alloc(skin->shown.arena, count, sizeof *skin->parts);
    skin->bodies = tw_arena_alloc(skin->shown.arena, (size_t)trace->body_count + 1, sizeof *skin->bodies);
    if (!skin->parts || !skin->bodies) return tw_fail(err, TW_NO_MEMORY, "no memory for the surfaces of a trace");
    twStatus status = TW_OK;
    for (int i = 0; i < trace->body_count && status == TW_OK; i++)
    {
        const twTraceBody* body = &trace->bodies[i];
        skin->parts[i] = (twSkinPart){.name = body->name, .material = body->material, .body = i, .rod = -1};
        status = skin_body(&skin->parts[i], &skin->bodies[i], body, skin->shown.arena, err);
        if (status == TW_OK) status = skin_warp(&skin->bodies[i], trace, i, skin->shown.arena, err);
    }
    for (int i = 0; i < trace->rod_count && status == TW_OK; i++)
    {
        const twTraceRod* rod = &trace->rods[i];
        twSkinPart* part = &skin->parts[trace->body_count + i];
        *part = (twSkinPart){.name = rod->name, .material = rod->material, .body = -1, .rod = i};
        status = skin_rod(part, rod, skin->seams[i], sides, skin->shown.arena, err);
    }
    skin->shown.parts = skin->parts;
    skin->shown.part_count = (int)count;
    return status;
}

static twStatus check(const twTrace* trace, const twSkinDef* def, twError* err)
{
    if (trace->rod_count + trace->body_count == 0 || trace->frame_count == 0)
        return tw_fail(err, TW_BAD_INPUT, "the trace has %d rods and bodies in %lld frames: nothing to be seen",
                       trace->rod_count + trace->body_count, (long long)trace->frame_count);
    if (!(def->exaggeration > 0 && def->exaggeration <= TW_MAX_EXAGGERATION))
        return tw_fail(err, TW_BAD_INPUT, "exaggeration %g; it must be above 0 and up to %g, 1 for true scale",
                       def->exaggeration, TW_MAX_EXAGGERATION);
    if (def->sides < 3 || def->sides > 256)
        return tw_fail(err, TW_BAD_INPUT, "%d sides; it must be 3 to 256", def->sides);
    return TW_OK;
}

twStatus tw_skin_create(twSkin** out, const twTrace* trace, const twSkinDef* def, twError* err)
{
    *out = NULL;
    twStatus status = check(trace, def, err);
    if (status != TW_OK) return status;
    Skin* skin = calloc(1, sizeof *skin);
    twArena* arena = skin ? tw_arena_create(1 << 16) : NULL;
    if (!arena)
    {
        free(skin);
        return tw_fail(err, TW_NO_MEMORY, "no memory for the surfaces of a trace");
    }
    skin->shown.trace = trace;
    skin->shown.arena = arena;
    skin->shown.exaggeration = def->exaggeration;
    status = make_fits(skin, err);
    if (status == TW_OK) status = make_parts(skin, def->sides, err);
    if (status == TW_OK) status = measure(skin, err);
    if (status == TW_OK)
        *out = &skin->shown;
    else
        tw_skin_destroy(&skin->shown);
    return status;
}

void tw_skin_destroy(twSkin* skin)
{
    if (!skin) return;
    tw_arena_destroy(skin->arena);
    free(inside(skin));
}

// ---- a frame ----

void tw_skin_joints(const twSkin* skin, int part, int64_t frame, twSkinJoint* out)
{
    const twSkinPart* p = &skin->parts[part];
    if (p->body >= 0)
    {
        memcpy(out, tw_trace_pose(skin->trace, frame, p->body), sizeof *out);
        return;
    }
    const SkinRod rod = rod_at(inside(skin), p->rod, frame);
    for (int i = 0; i < p->joint_count; i++) skin_rod_joint(&rod, i, &out[i]);
}

void tw_skin_weights(const twSkin* skin, int part, int64_t frame, float* out)
{
    const twSkinPart* p = &skin->parts[part];
    if (p->mode_count == 0) return;
    const float* q = tw_trace_amplitudes(skin->trace, frame, p->body);
    for (int k = 0; k < p->mode_count; k++) out[k] = (float)(skin->exaggeration * (double)q[k]);
}

static twMat3 matrix_of(const float* turn) { return tw_mat3_from_quat(tw_quat(turn[0], turn[1], turn[2], turn[3])); }

static void turn_to(float* out, const twMat3* m, const float* v, const float* shift)
{
    float r[3];
    for (int k = 0; k < 3; k++)
        r[k] = (float)(m->m[k][0] * v[0] + m->m[k][1] * v[1] + m->m[k][2] * v[2]) + (shift ? shift[k] : 0);
    memcpy(out, r, sizeof r);
}

// the bent body in its own axes: mode by mode, so that shapes are read in order
static bool bend(const twSkin* skin, const twSkinPart* p, int64_t frame, float* positions)
{
    bool bent = false;
    memcpy(positions, p->rest, 3 * (size_t)p->vertex_count * sizeof *positions);
    if (p->mode_count == 0) return false;
    const SkinBody* body = &inside(skin)->bodies[p->body];
    const twModeSet* set = skin->trace->bodies[p->body].set;
    const float* q = tw_trace_amplitudes(skin->trace, frame, p->body);
    for (int k = 0; k < p->mode_count; k++)
    {
        const float weight = (float)(skin->exaggeration * (double)q[k]);
        const float* shape = set->shape + 3 * (size_t)k * (size_t)set->vertex_count;
        if (weight == 0) continue;
        bent = true;
        for (int i = 0; i < p->vertex_count; i++)
            for (int c = 0; c < 3; c++) positions[3 * i + c] += weight * shape[3 * p->source[i] + c];
    }
    if (bent && body->turn) skin_warp_vertices(p, body, set, q, skin->exaggeration, positions);
    return bent;
}

static void body_vertices(const twSkin* skin, int part, int64_t frame, float* positions, float* normals)
{
    const twSkinPart* p = &skin->parts[part];
    const float* pose = tw_trace_pose(skin->trace, frame, p->body);
    const twMat3 turn = matrix_of(pose + 3);
    const bool bent = bend(skin, p, frame, positions);
    if (normals && bent)
        skin_body_normals(p, &inside(skin)->bodies[p->body], positions, normals);
    else if (normals)
        memcpy(normals, p->rest_normal, 3 * (size_t)p->vertex_count * sizeof *normals);
    for (int i = 0; i < p->vertex_count; i++)
    {
        turn_to(positions + 3 * i, &turn, positions + 3 * i, pose);
        if (normals) turn_to(normals + 3 * i, &turn, normals + 3 * i, NULL);
    }
}

// vertices come ring by ring, so one joint serves many of them
static void rod_vertices(const twSkin* skin, int part, int64_t frame, float* positions, float* normals)
{
    const twSkinPart* p = &skin->parts[part];
    const SkinRod rod = rod_at(inside(skin), p->rod, frame);
    twSkinJoint joint = {{0}, {1, 0, 0, 0}};
    twMat3 turn = {0};
    for (int i = 0, at = -1; i < p->vertex_count; i++)
    {
        if (p->joint[i] != at)
        {
            at = p->joint[i];
            skin_rod_joint(&rod, at, &joint);
            turn = matrix_of(joint.turn);
        }
        turn_to(positions + 3 * i, &turn, p->rest + 3 * i, joint.position);
        if (normals) turn_to(normals + 3 * i, &turn, p->rest_normal + 3 * i, NULL);
    }
}

void tw_skin_vertices(const twSkin* skin, int part, int64_t frame, float* positions, float* normals)
{
    TW_ASSERT(part >= 0 && part < skin->part_count && frame >= 0 && frame < skin->trace->frame_count);
    if (skin->parts[part].body >= 0)
        body_vertices(skin, part, frame, positions, normals);
    else
        rod_vertices(skin, part, frame, positions, normals);
}
