// SPDX-License-Identifier: MIT
// Mode sets small enough for a page: fewer modes, a coarser surface, sound of low order, and numbers rounded so that they pack well.

#include "reduce.h"
#include "twang/acoustics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOUND_SPEED 343.2  // [m/s]
#define AIR_DENSITY 1.204  // [kg/m^3]
#define ORDER 6            // of the sound of a mode at most
#define BITS 11            // of a rounded number, as half floats have

static float rounded(float value)
{
    int exponent;
    const float part = frexpf(value, &exponent);
    return ldexpf(roundf(ldexpf(part, BITS)), exponent - BITS);
}

// ---- sound ----

static twStatus cut_transfer(twTransfer** out, const twTransfer* full, int modes, twError* err)
{
    const size_t count = (size_t)modes;
    int* order = calloc(count + 1, sizeof *order);
    int64_t* first = calloc(count + 1, sizeof *first);
    float* moments = calloc(count * (ORDER + 1) * (ORDER + 1) * 2 + 1, sizeof *moments);
    twStatus status = TW_NO_MEMORY;
    int64_t used = 0;
    for (int k = 0; order && first && moments && k < modes; k++)
    {
        order[k] = full->order[k] < ORDER ? full->order[k] : ORDER;
        first[k] = used;
        const int64_t own = (int64_t)(order[k] + 1) * (order[k] + 1);
        for (int64_t i = 0; i < 2 * own; i++) moments[2 * used + i] = rounded(full->moments[2 * full->first[k] + i]);
        used += own;
    }
    twTransfer def = *full;
    def.mode_count = modes;
    def.moment_count = used;
    def.order = order;
    def.first = first;
    def.moments = moments;
    if (order && first && moments) status = tw_transfer_create(out, &def, err);
    free(order);
    free(first);
    free(moments);
    return status;
}

// ---- surface ----

static twStatus coarse_surface(twMesh** out, const twModeSet* set, int faces, twError* err)
{
    twMesh own = {.vertex_count = set->vertex_count, .face_count = set->face_count};
    own.vertices = malloc((size_t)set->vertex_count * sizeof *own.vertices);
    own.faces = malloc((size_t)set->face_count * sizeof *own.faces);
    twStatus status = TW_NO_MEMORY;
    if (own.vertices && own.faces)
    {
        memcpy(own.vertices, set->vertices, (size_t)set->vertex_count * sizeof *own.vertices);
        memcpy(own.faces, set->faces, (size_t)set->face_count * sizeof *own.faces);
        status = tw_mesh_coarsen(out, &own, faces, NULL, err);
    }
    free(own.vertices);
    free(own.faces);
    return status;
}

static twStatus save_part(const twModeSet* set, const twTransfer* transfer, int modes, const char* path, twError* err)
{
    const size_t count = (size_t)modes * (size_t)set->vertex_count * 3;
    float* shape = malloc((count + 1) * sizeof *shape);
    if (!shape) return tw_fail(err, TW_NO_MEMORY, "no memory to write %s", path);
    for (size_t i = 0; i < count; i++) shape[i] = rounded(set->shape[i]);
    twModeSet def = *set, *part = NULL;
    def.mode_count = modes;
    def.shape = shape;
    def.transfer = transfer;
    twStatus status = tw_mode_set_create(&part, &def, err);
    if (status == TW_OK) status = tw_mode_set_save(part, path, err);
    tw_mode_set_destroy(part);
    free(shape);
    return status;
}

twStatus reduce_modes(const char* from, const char* to, int faces, int modes, twError* err)
{
    twModeSet *full = NULL, *small = NULL;
    twTransfer *sound = NULL, *low = NULL;
    twMesh* mesh = NULL;
    twStatus status = tw_mode_set_load(&full, from, err);
    if (status == TW_OK && modes > full->mode_count) modes = full->mode_count;
    if (status == TW_OK) status = tw_transfer_estimate(&sound, full, SOUND_SPEED, AIR_DENSITY, err);
    if (status == TW_OK) status = cut_transfer(&low, sound, modes, err);
    if (status == TW_OK) status = coarse_surface(&mesh, full, faces, err);
    if (status == TW_OK) status = tw_mode_set_embed(&small, full, mesh, NULL, err);
    if (status == TW_OK) status = save_part(small, low, modes, to, err);
    tw_mesh_destroy(mesh);
    tw_transfer_destroy(low);
    tw_transfer_destroy(sound);
    tw_mode_set_destroy(small);
    tw_mode_set_destroy(full);
    return status;
}
