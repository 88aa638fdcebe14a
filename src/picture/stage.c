// SPDX-License-Identifier: MIT
// The stage: what is drawn, and the loop from a frame of the trace to pixels.

#include "picture/stage.h"

#include "picture/arrow.h"

#include <stdlib.h>
#include <string.h>

struct Stage
{
    const twSkin* skin;
    Gl* gl;
    int width, height;
    bool has_arrows;
    Arrows arrows;
    float *positions, *normals;  // of the largest part
    double pixel;                // [m]
    Floor floor;
    uint8_t *backdrop, *rgba, *cover, *scratch;
    int cover_size[2];
    FloorSpot* spots;
    twArena* arena;
};

// ---- making ----

// half the thickness of a rod where it is thinnest; 0 for bodies
static float thinnest(const twTrace* trace, const twSkinPart* part)
{
    if (part->rod < 0) return 0;
    const twTraceRod* rod = &trace->rods[part->rod];
    double least = INFINITY;
    for (int i = 0; i < rod->section_count; i++)
        least = fmin(least, fmin(rod->sections[i].half_size[0], rod->sections[i].half_size[1]));
    return (float)fmax(least, 1e-12);
}

// Triangles up to this size are lit at their vertices [pixels]. What is reflected changes over a surface the quicker the
// smoother it is, and is all that is seen of a metal.
static double fine_size(const twLook* look) { return (look->metallic > 0.5f ? 12 : 30) * (double)look->roughness; }

// root of the mean area of a face
static double face_size(const twSkinPart* part)
{
    double sum = 0;
    for (int k = 0; k < part->face_count; k++)
    {
        twVec3 corner[3];
        for (int j = 0; j < 3; j++)
        {
            const float* p = part->rest + 3 * (size_t)part->faces[k].v[j];
            corner[j] = tw_vec3(p[0], p[1], p[2]);
        }
        const twVec3 a = tw_vec3_sub(corner[1], corner[0]), b = tw_vec3_sub(corner[2], corner[0]);
        sum += 0.5 * tw_vec3_norm(tw_vec3_cross(a, b));
    }
    return part->face_count > 0 ? sqrt(sum / part->face_count) : 0;
}

// width of a pixel amid all that is there
static double pixel_size(const twSkin* skin, const Camera* camera, const StageDef* def)
{
    const twVec3 middle = tw_vec3_scale(tw_vec3_add(skin->low, skin->high), 0.5);
    return camera_axes(camera, middle).z * 2 * tan(camera->view_angle / 2) / def->height;
}

static GlPart part_of(const twSkin* skin, int index, double pixel)
{
    const twSkinPart* part = &skin->parts[index];
    const twLook look = tw_look(part->material);
    return (GlPart){.vertex_count = part->vertex_count,
                    .face_count = part->face_count,
                    .faces = part->faces,
                    .look = look,
                    .radius = thinnest(skin->trace, part),
                    .casts_shadow = true,
                    .fine = part->rod < 0 && face_size(part) < fine_size(&look) * pixel};
}

static bool has_forces(const twTrace* trace)
{
    for (int64_t f = 0; f < trace->frame_count; f++)
        if (trace->arrow_count[f] > 0) return true;
    return false;
}

static bool take_memory(Stage* stage, const StageDef* def)
{
    size_t most = 1;
    for (int k = 0; k < stage->skin->part_count; k++)
        if ((size_t)stage->skin->parts[k].vertex_count > most) most = (size_t)stage->skin->parts[k].vertex_count;
    stage->positions = tw_arena_alloc(stage->arena, most * 3, sizeof(float));
    stage->normals = tw_arena_alloc(stage->arena, most * 3, sizeof(float));
    stage->rgba = tw_arena_alloc(stage->arena, (size_t)def->width * (size_t)def->height, 4);
    stage->backdrop = tw_arena_alloc(stage->arena, (size_t)def->width * (size_t)def->height, 3);
    stage->has_arrows = def->arrows && has_forces(stage->skin->trace);
    if (stage->has_arrows && !arrows_create(&stage->arrows, stage->arena, stage->skin)) return false;
    return stage->positions && stage->normals && stage->rgba && stage->backdrop;
}

static twStatus start(Stage* stage, const StageDef* def, twError* err)
{
    const int count = stage->skin->part_count;
    GlPart* parts = tw_arena_alloc(stage->arena, (size_t)count + 1, sizeof *parts);
    if (!take_memory(stage, def) || !parts) return tw_fail(err, TW_NO_MEMORY, "no memory to draw pictures");
    const Camera camera =
        camera_with_arrows(stage->skin, (double)def->width / def->height, stage->has_arrows ? &stage->arrows : NULL);
    GlDef gl = {.width = def->width,
                .height = def->height,
                .samples = def->samples,
                .part_count = count + stage->has_arrows,
                .parts = parts};
    stage->floor = floor_of(stage->skin, &camera);
    stage_view(&gl.view, &stage->floor, stage->skin, &camera, def->width, def->height);
    stage_backdrop(stage->backdrop, def->width, def->height, stage->skin, &camera, &stage->floor);
    stage->pixel = pixel_size(stage->skin, &camera, def);
    for (int k = 0; k < count; k++) parts[k] = part_of(stage->skin, k, stage->pixel);
    if (stage->has_arrows)
        parts[count] = (GlPart){.vertex_count = stage->arrows.vertex_count,
                                .face_count = stage->arrows.face_count,
                                .faces = stage->arrows.faces,
                                .look = arrows_look(),
                                .in_front = true};
    twStatus status = gl_create(&stage->gl, &gl, err);
    if (status != TW_OK) return status;
    gl_cover_size(stage->gl, stage->cover_size);
    const size_t texels = (size_t)stage->cover_size[0] * (size_t)stage->cover_size[1];
    stage->cover = tw_arena_alloc(stage->arena, texels, 1);
    stage->scratch = tw_arena_alloc(stage->arena, texels, 1);
    stage->spots = tw_arena_alloc(stage->arena, (size_t)def->width * (size_t)def->height, sizeof *stage->spots);
    if (!stage->cover || !stage->scratch || !stage->spots)
        return tw_fail(err, TW_NO_MEMORY, "no memory to draw pictures");
    floor_spots(stage->spots, def->width, def->height, &stage->floor, stage->cover_size);
    return TW_OK;
}

twStatus stage_create(Stage** out, const twSkin* skin, const StageDef* def, twError* err)
{
    *out = NULL;
    twArena* arena = tw_arena_create((size_t)1 << 20);
    Stage* stage = arena ? tw_arena_alloc(arena, 1, sizeof *stage) : NULL;
    if (!stage)
    {
        tw_arena_destroy(arena);
        return tw_fail(err, TW_NO_MEMORY, "no memory to draw pictures");
    }
    *stage = (Stage){.skin = skin, .width = def->width, .height = def->height, .arena = arena};
    twStatus status = start(stage, def, err);
    if (status == TW_OK)
        *out = stage;
    else
        stage_destroy(stage);
    return status;
}

void stage_destroy(Stage* stage)
{
    if (!stage) return;
    gl_destroy(stage->gl);
    tw_arena_destroy(stage->arena);
}

const Gl* stage_gl(const Stage* stage) { return stage->gl; }

// ---- drawing ----

// Wires are thickened along their normals. At an edge of a section there are two vertices at one place: give both the
// direction that moves either side by as much, else the sides part and the wire is seen as two.
static void join_edges(const twSkinPart* part, float* normals)
{
    for (int i = 0; i + 1 < part->vertex_count; i++)
    {
        const float* rest = part->rest + 3 * (size_t)i;
        if (part->joint[i] != part->joint[i + 1] || memcmp(rest, rest + 3, 3 * sizeof *rest) != 0) continue;
        float *a = normals + 3 * (size_t)i, *b = a + 3;
        const float cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2], scale = 1 / fmaxf(1 + cosine, 0.3f);
        for (int k = 0; k < 3; k++) a[k] = b[k] = scale * (a[k] + b[k]);
        i++;
    }
}

// also a little thicker ones: what is far away is thinner
static bool is_wire(const Stage* stage, const twSkinPart* part)
{
    return part->rod >= 0 && thinnest(stage->skin->trace, part) < 2 * stage->pixel;
}

void stage_draw(Stage* stage, int64_t frame, int64_t forces)
{
    const twSkin* skin = stage->skin;
    for (int k = 0; k < skin->part_count; k++)
    {
        tw_skin_vertices(skin, k, frame, stage->positions, stage->normals);
        if (is_wire(stage, &skin->parts[k])) join_edges(&skin->parts[k], stage->normals);
        gl_vertices(stage->gl, k, stage->positions, stage->normals, skin->parts[k].face_count);
    }
    if (stage->has_arrows)
    {
        const int faces = arrows_set(&stage->arrows, skin->trace, forces);
        gl_vertices(stage->gl, skin->part_count, stage->arrows.positions, stage->arrows.normals, faces);
    }
    gl_draw(stage->gl);
}

void stage_wait(Stage* stage) { gl_wait(stage->gl); }

twStatus stage_read(Stage* stage, twError* err) { return gl_read(stage->gl, stage->rgba, stage->cover, err); }

void stage_show(const Stage* stage, Image* image)
{
    stage_blur(stage->cover, stage->cover_size, stage->scratch);
    stage_compose(image, stage->height, stage->rgba, stage->backdrop, stage->spots, stage->cover, stage->cover_size[0],
                  stage->floor.shadow);
}
