// SPDX-License-Identifier: MIT
// The tables and bytes of a glTF file. Numbers are little-endian, every view begins at a multiple of 4 bytes.
#include "picture/glb.h"
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES 0x7fffffffu  // what readers with signed lengths can hold

// ---- the tables ----

// how many modes of a part may become targets
static size_t most_targets(const Glb* glb, const twSkinPart* part)
{
    const int most = glb->def->max_targets;
    return (size_t)(part->mode_count < most ? part->mode_count : most);
}

twStatus glb_open(Glb* glb, twError* err)
{
    // a part has a mesh of at most 7 columns and 2 per target, a model of 5 and perhaps a node above its joints
    const twSkin* skin = glb->skin;
    const size_t parts = (size_t)skin->part_count;
    size_t joints = 0, targets = 0;
    for (int p = 0; p < skin->part_count; p++)
    {
        joints += (size_t)skin->parts[p].joint_count;
        targets += most_targets(glb, &skin->parts[p]);
    }
    const size_t nodes = joints + 2 * parts + 8, tracks = 2 * joints + parts;
    const size_t views = 2 * targets + 16 * parts + 8, accessors = views + tracks;

    glb->times = -1;
    glb->arena = tw_arena_create(1 << 16);
    if (!glb->arena) return glb_no_memory(glb, err);
    glb->views = tw_arena_alloc(glb->arena, views, sizeof *glb->views);
    glb->accessors = tw_arena_alloc(glb->arena, accessors, sizeof *glb->accessors);
    glb->nodes = tw_arena_alloc(glb->arena, nodes, sizeof *glb->nodes);
    glb->materials = tw_arena_alloc(glb->arena, parts + 1, sizeof *glb->materials);
    glb->meshes = tw_arena_alloc(glb->arena, parts + 1, sizeof *glb->meshes);
    glb->skins = tw_arena_alloc(glb->arena, parts, sizeof *glb->skins);
    glb->tracks = tw_arena_alloc(glb->arena, tracks, sizeof *glb->tracks);
    glb->models = tw_arena_alloc(glb->arena, parts, sizeof *glb->models);
    glb->acoustics = tw_arena_alloc(glb->arena, parts, sizeof *glb->acoustics);
    const bool all = glb->views && glb->accessors && glb->nodes && glb->materials && glb->meshes && glb->skins &&
                     glb->tracks && glb->models && glb->acoustics;
    return all ? TW_OK : glb_no_memory(glb, err);
}

void glb_close(Glb* glb)
{
    free(glb->bytes);
    tw_arena_destroy(glb->arena);
}

twStatus glb_no_memory(const Glb* glb, twError* err)
{
    return tw_fail(err, TW_NO_MEMORY, "cannot write %s: no memory for its %.0f MB and more", glb->path,
                   (double)glb->byte_count / 1e6);
}

twStatus glb_ask(const Glb* glb, int part, double within, twError* err)
{
    const twGlbDef* def = glb->def;
    const double done = (part + within) / (glb->skin->part_count + 1);
    if (!def->keep_going || def->keep_going(done, def->context)) return TW_OK;
    return tw_fail(err, TW_INTERRUPTED, "%s is not written: interrupted", glb->path);
}

// ---- bytes ----

// room for more bytes at the end. @return where, or NULL with a message
static unsigned char* reserve(Glb* glb, size_t more, twStatus* status, twError* err)
{
    if (more > MAX_BYTES - 8 || glb->byte_count > MAX_BYTES - 8 - more)
    {
        *status =
            tw_fail(err, TW_BAD_INPUT,
                    "cannot write %s: it would hold more than 2 GB, the most of a glTF file; record fewer frames or "
                    "a smaller mesh, or leave out modes",
                    glb->path);
        return NULL;
    }
    const size_t wanted = glb->byte_count + more;
    if (wanted > glb->byte_capacity)
    {
        const size_t capacity = wanted + wanted / 2 + 4096;
        char* larger = realloc(glb->bytes, capacity);
        if (!larger)
        {
            *status = glb_no_memory(glb, err);
            return NULL;
        }
        glb->bytes = larger;
        glb->byte_capacity = capacity;
    }
    unsigned char* at = (unsigned char*)glb->bytes + glb->byte_count;
    glb->byte_count = wanted;
    *status = TW_OK;
    return at;
}

void glb_view(Glb* glb, int target)
{
    // one that nothing went into is used again
    if (glb->view_count > 0 && glb->views[glb->view_count - 1].bytes == 0) glb->view_count--;
    glb->views[glb->view_count++] = (GlbView){.first = glb->byte_count, .target = target};
}

// note what was appended since first, and fill up to 4 bytes
static twStatus note(Glb* glb, int* accessor, size_t first, GlbAccessor what, twError* err)
{
    GlbView* view = &glb->views[glb->view_count - 1];
    what.view = glb->view_count - 1;
    what.first = first - view->first;
    view->bytes = glb->byte_count - view->first;
    *accessor = glb->accessor_count;
    glb->accessors[glb->accessor_count++] = what;

    twStatus status = TW_OK;
    const size_t fill = -glb->byte_count & 3;
    unsigned char* at = fill ? reserve(glb, fill, &status, err) : NULL;
    if (at) memset(at, 0, fill);
    return status;
}

static void put(unsigned char* at, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * i);
}

twStatus glb_floats(Glb* glb, int* accessor, const float* values, int64_t count, int parts, twError* err)
{
    const size_t first = glb->byte_count, total = (size_t)count * (size_t)parts;
    twStatus status;
    unsigned char* at = reserve(glb, 4 * total, &status, err);
    if (!at) return status;
    for (size_t i = 0; i < total; i++)
    {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put(at + 4 * i, bits, 4);
    }
    return note(glb, accessor, first, (GlbAccessor){.count = count, .type = GLB_FLOAT, .parts = parts}, err);
}

twStatus glb_integers(Glb* glb, int* accessor, int type, const int* values, int64_t count, int parts, twError* err)
{
    const int bytes = type == GLB_INT ? 4 : type == GLB_SHORT ? 2 : 1;
    const size_t first = glb->byte_count, total = (size_t)count * (size_t)parts;
    twStatus status;
    unsigned char* at = reserve(glb, (size_t)bytes * total, &status, err);
    if (!at) return status;
    for (size_t i = 0; i < total; i++) put(at + (size_t)bytes * i, (uint32_t)values[i], bytes);
    return note(glb, accessor, first, (GlbAccessor){.count = count, .type = type, .parts = parts}, err);
}

void glb_bound(Glb* glb, int accessor)
{
    GlbAccessor* a = &glb->accessors[accessor];
    const char* data = glb->bytes + glb->views[a->view].first + a->first;
    for (int64_t i = 0; i < a->count * a->parts; i++)
    {
        const int k = (int)(i % a->parts);
        const unsigned char* b = (const unsigned char*)data + 4 * i;
        const uint32_t bits = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (i < a->parts || value < a->low[k]) a->low[k] = value;
        if (i < a->parts || value > a->high[k]) a->high[k] = value;
    }
    a->bounded = true;
}

// ---- nodes, meshes, tracks ----

GlbNode* glb_node(Glb* glb, const char* name, int parent)
{
    GlbNode* node = &glb->nodes[glb->node_count++];
    *node = (GlbNode){.parent = parent, .mesh = -1, .skin = -1, .camera = -1, .light = -1, .model = -1};
    node->place.turn[0] = 1;
    snprintf(node->name, sizeof node->name, "%s", name);
    if (parent >= 0) glb->nodes[parent].has_children = true;
    return node;
}

int glb_material(Glb* glb, const char* name)
{
    for (int i = 0; i < glb->material_count; i++)
        if (strcmp(glb->materials[i].name, name) == 0) return i;
    glb->materials[glb->material_count] = (GlbMaterial){name, tw_look(name)};
    return glb->material_count++;
}

twStatus glb_faces(Glb* glb, GlbMesh* mesh, const twTriangle* faces, int face_count, int vertex_count, twError* err)
{
    // the largest index of each size is not allowed: it would restart the primitive
    const int type = vertex_count < 65536 ? GLB_SHORT : GLB_INT;
    glb_view(glb, GLB_INDICES);
    return glb_integers(glb, &mesh->indices, type, &faces[0].v[0], 3 * (int64_t)face_count, 1, err);
}

// the times of the frames, once for all tracks
static twStatus add_times(Glb* glb, twError* err)
{
    const int64_t count = glb->skin->trace->frame_count;
    float* times = tw_arena_alloc(glb->arena, (size_t)count, sizeof *times);
    if (!times) return glb_no_memory(glb, err);
    for (int64_t i = 0; i < count; i++)
    {
        times[i] = (float)((double)i / glb->skin->trace->frame_rate_hz);
        if (i > 0 && !(times[i] > times[i - 1]))
            return tw_fail(err, TW_BAD_INPUT,
                           "cannot write %s: at %g frames per second, float has no time for frame %lld", glb->path,
                           glb->skin->trace->frame_rate_hz, (long long)i);
    }
    glb_view(glb, 0);
    twStatus status = glb_floats(glb, &glb->times, times, count, 1, err);
    if (status == TW_OK) glb_bound(glb, glb->times);
    return status;
}

twStatus glb_track(Glb* glb, int node, GlbPath path, const float* values, int64_t count, int parts, twError* err)
{
    twStatus status = TW_OK;
    if (glb->times < 0)
    {
        status = add_times(glb, err);
        glb_view(glb, 0);
    }
    int accessor = -1;
    if (status == TW_OK) status = glb_floats(glb, &accessor, values, count, parts, err);
    if (status == TW_OK) glb->tracks[glb->track_count++] = (GlbTrack){node, accessor, path};
    return status;
}

// one node: positions and turns (frames x 3, x 4); quaternions in the order of glTF, each on the side of the one before
static void gather(const Glb* glb, const twSkinJoint* places, int count, float* position, float* turn)
{
    for (int64_t f = 0; f < glb->skin->trace->frame_count; f++)
    {
        const twSkinJoint* at = &places[f * count];
        const float q[4] = {at->turn[1], at->turn[2], at->turn[3], at->turn[0]};
        float side = 0;
        memcpy(position + 3 * f, at->position, 3 * sizeof *position);
        for (int k = 0; k < 4 && f > 0; k++) side += q[k] * turn[4 * (f - 1) + k];
        for (int k = 0; k < 4; k++) turn[4 * f + k] = side < 0 ? -q[k] : q[k];
    }
}

// whether a row differs from the first
static bool changes(const float* values, int64_t count, int parts)
{
    for (int64_t i = parts; i < count * parts; i++)
        if (values[i] != values[i % parts]) return true;
    return false;
}

twStatus glb_moves(Glb* glb, int first, int count, const twSkinJoint* places, twError* err)
{
    const int64_t frames = glb->skin->trace->frame_count;
    float* scratch = malloc(7 * (size_t)frames * sizeof *scratch);
    if (!scratch) return glb_no_memory(glb, err);
    float *position = scratch, *turn = scratch + 3 * frames;
    glb_view(glb, 0);
    twStatus status = TW_OK;
    for (int i = 0; i < count && status == TW_OK; i++)
    {
        gather(glb, places + i, count, position, turn);
        glb->nodes[first + i].place = places[i];
        if (changes(position, frames, 3)) status = glb_track(glb, first + i, GLB_TRANSLATION, position, frames, 3, err);
        if (status == TW_OK && changes(turn, frames, 4))
            status = glb_track(glb, first + i, GLB_ROTATION, turn, frames, 4, err);
    }
    free(scratch);
    return status;
}

// ---- turns ----

void glb_place(twSkinJoint* out, twVec3 position, twQuat turn)
{
    *out = (twSkinJoint){{(float)position.x, (float)position.y, (float)position.z},
                         {(float)turn.w, (float)turn.x, (float)turn.y, (float)turn.z}};
}
