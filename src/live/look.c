// SPDX-License-Identifier: MIT
// What is drawn and heard of a body: all that needs memory, made by the thread that commands.
#include "dynamics/body_shape.h"
#include "live/live.h"
#include <stdlib.h>
#include <string.h>

// of a rigid body its surface, if it has one
static twStatus look_rigid_cover(twCover** out, const ContactShape* shape, twError* err)
{
    if (shape->vertex_count == 0 || shape->face_count == 0) return TW_OK;
    twMesh* mesh = NULL;
    twStatus status = tw_mesh_create(&mesh, shape->vertex_count, shape->face_count, err);
    if (status != TW_OK) return status;
    for (int v = 0; v < shape->vertex_count; v++) mesh->vertices[v] = tw_vec3_add(shape->vertices[v], shape->centre);
    memcpy(mesh->faces, shape->faces, (size_t)shape->face_count * sizeof *mesh->faces);
    twCoverDef def = tw_cover_def();
    def.mesh = mesh;
    status = tw_cover_create(out, &def, err);
    tw_mesh_destroy(mesh);
    return status;
}

static twStatus look_make_cover(LiveLook* look, const twLiveBodyDef* def, int modes, twError* err)
{
    twStatus status = TW_OK;
    twCoverDef cover = tw_cover_def();
    cover.set = def->modes;
    cover.mode_count = modes;
    cover.warp = def->warp;
    if (!def->cover)
        status = def->modes ? tw_cover_create(&look->own_cover, &cover, err)
                            : look_rigid_cover(&look->own_cover, def->body.shape->contact, err);
    look->cover = def->cover ? def->cover : look->own_cover;
    if (status != TW_OK || !look->cover) return status;
    if (tw_cover_modes(look->cover) > modes)
        return tw_fail(err, TW_BAD_INPUT, "body %s: its cover has %d modes, and %d move", look->def.name,
                       tw_cover_modes(look->cover), modes);
    look->scratch = malloc(tw_cover_scratch(look->cover) * sizeof *look->scratch);
    look->picked = malloc(3 * ((size_t)tw_cover_vertices(look->cover) + 1) * sizeof *look->picked);
    return look->scratch && look->picked ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for covers");
}

// what the world will read when the command comes
static bool look_copy(LiveLook* look, const twLiveBodyDef* def)
{
    const char* name = def->body.name ? def->body.name : "";
    const size_t modes = (size_t)tw_body_shape_modes(def->body.shape), length = strlen(name) + 1;
    look->numbers = malloc(2 * modes * sizeof *look->numbers + length);
    if (!look->numbers) return false;
    look->def = def->body;
    look->def.name = memcpy(look->numbers + 2 * modes, name, length);
    if (def->body.amplitude && modes > 0)
        look->def.amplitude = memcpy(look->numbers, def->body.amplitude, modes * sizeof *look->numbers);
    if (def->body.rate && modes > 0)
        look->def.rate = memcpy(look->numbers + modes, def->body.rate, modes * sizeof *look->numbers);
    return true;
}

twStatus live_look_create(LiveLook** out, const twLiveBodyDef* def, const LiveSound* sound, twError* err)
{
    *out = NULL;
    if (!def->body.shape) return tw_fail(err, TW_BAD_INPUT, "a body without a shape");
    LiveLook* look = calloc(1, sizeof *look);
    if (!look) return tw_fail(err, TW_NO_MEMORY, "no memory for a body");
    if (!look_copy(look, def))
    {
        free(look);
        return tw_fail(err, TW_NO_MEMORY, "no memory for a body");
    }
    twStatus status = look_make_cover(look, def, live_look_modes(look), err);
    if (status == TW_OK && sound && def->modes && !def->mute)
        status = emitter_create(&look->emitter, def, live_sound_emitter(sound), err);
    if (status == TW_OK)
        *out = look;
    else
        live_look_destroy(look);
    return status;
}

int live_look_modes(const LiveLook* look) { return look->def.rigid ? 0 : tw_body_shape_modes(look->def.shape); }

void live_look_destroy(LiveLook* look)
{
    if (!look) return;
    tw_cover_destroy(look->own_cover);
    emitter_destroy(look->emitter);
    free(look->numbers);
    free(look->scratch);
    free(look->picked);
    free(look);
}

// ---- rods ----

twStatus live_rod_create(LiveRod** out, const twWorldRodDef* def, const twWorld* world, twError* err)
{
    *out = NULL;
    twNewRod* made = NULL;
    const twStatus status = world ? tw_new_rod_create(&made, world, def, err) : TW_OK;
    if (status != TW_OK) return status;
    const size_t sections = (size_t)def->rod.section_count * sizeof(twSection);
    LiveRod* rod = malloc(sizeof *rod + sections);
    if (!rod)
    {
        tw_new_rod_destroy(made);
        return tw_fail(err, TW_NO_MEMORY, "no memory for a rod");
    }
    *rod = (LiveRod){.made = made,
                     .closed = def->rod.closed,
                     .point_count = def->rod.point_count,
                     .section_count = def->rod.section_count};
    memcpy(rod->section, def->rod.sections, sections);
    *out = rod;
    return TW_OK;
}

void live_rod_destroy(LiveRod* rod)
{
    if (rod) tw_new_rod_destroy(rod->made);
    free(rod);
}
