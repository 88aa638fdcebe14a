// SPDX-License-Identifier: MIT
// The modes of a body as data, in the draft extension KHR_audio_rigid_bodies, as far as it has an exact counterpart: damped
// frequencies sqrt(w0^2 - c^2) / 2 pi, decay rates c, mass-normalised shapes at the vertices of the surface, mode by mode,
// the mass and its moments. Elastic constants and Rayleigh damping are those of a body of one material whose decay rates
// come from them. An overdamped mode has no frequency and is left out.
#include "picture/glb.h"
#include <stdlib.h>
#include <string.h>

// ---- material ----

static bool rayleigh(const twModeSet* set, double* alpha, double* beta)
{
    const twModeMaterial* own = &set->materials[0];
    const bool by_set = set->damping.kind == TW_DAMPING_RAYLEIGH;
    *alpha = by_set ? set->damping.alpha : own->alpha;
    *beta = by_set ? set->damping.beta : own->beta;
    return by_set || (set->damping.kind == TW_DAMPING_MATERIALS && own->loss_factor == 0);
}

static int add_acoustic(Glb* glb, const twModeSet* set)
{
    if (set->material_count != 1) return -1;
    const twModeMaterial* from = &set->materials[0];
    GlbAcoustic new = {.name = from->name, .density = from->density, .young = from->young, .poisson = from->poisson};
    new.has_damping = rayleigh(set, &new.alpha, &new.beta);
    for (int i = 0; i < glb->acoustic_count; i++)
    {
        const GlbAcoustic* old = &glb->acoustics[i];
        const bool same = strcmp(old->name, new.name) == 0 && old->density == new.density && old->young == new.young &&
                          old->poisson == new.poisson && old->has_damping == new.has_damping &&
                          old->alpha == new.alpha && old->beta == new.beta;
        if (same) return i;
    }
    glb->acoustics[glb->acoustic_count] = new;
    return glb->acoustic_count++;
}

// ---- numbers ----

// frequencies and decay rates of the modes that swing. @return how many; modes names them
static int swinging(const twModeSet* set, float* frequency, float* decay, int* modes)
{
    int count = 0;
    for (int k = 0; k < set->mode_count; k++)
    {
        const double c = set->decay[k] / (2 * TW_PI), f = set->freq_hz[k];
        const float damped = f > c ? (float)sqrt((f - c) * (f + c)) : 0;
        if (!(damped > 0)) continue;
        modes[count] = k;
        frequency[count] = damped;
        decay[count++] = (float)set->decay[k];
    }
    return count;
}

static twStatus write_places(Glb* glb, GlbModel* model, twError* err)
{
    const twModeSet* set = model->set;
    float* rows = malloc(3 * (size_t)set->vertex_count * sizeof *rows);
    if (!rows) return glb_no_memory(glb, err);
    for (int v = 0; v < set->vertex_count; v++)
    {
        rows[3 * v] = (float)set->vertices[v].x;
        rows[3 * v + 1] = (float)set->vertices[v].y;
        rows[3 * v + 2] = (float)set->vertices[v].z;
    }
    glb_view(glb, 0);
    twStatus status = glb_floats(glb, &model->positions, rows, set->vertex_count, 3, err);
    if (status == TW_OK) glb_bound(glb, model->positions);
    free(rows);
    return status;
}

static twStatus write_shapes(Glb* glb, GlbModel* model, const int* modes, int count, twError* err)
{
    const size_t block = 3 * (size_t)model->set->vertex_count;
    const float* shape = model->set->shape;
    float* rows = malloc((size_t)count * block * sizeof *rows);
    if (!rows) return glb_no_memory(glb, err);
    for (int k = 0; k < count; k++)
        memcpy(rows + (size_t)k * block, shape + (size_t)modes[k] * block, block * sizeof *rows);
    glb_view(glb, 0);
    twStatus status = glb_floats(glb, &model->shapes, rows, (int64_t)count * model->set->vertex_count, 3, err);
    free(rows);
    return status;
}

static twStatus write_model(Glb* glb, GlbModel* model, const float* frequency, const float* decay, const int* modes,
                            int count, twError* err)
{
    const twModeSet* set = model->set;
    glb_view(glb, 0);
    twStatus status = glb_floats(glb, &model->frequencies, frequency, count, 1, err);
    if (status == TW_OK) status = glb_floats(glb, &model->decays, decay, count, 1, err);
    if (status == TW_OK) status = write_places(glb, model, err);
    if (status == TW_OK) status = write_shapes(glb, model, modes, count, err);
    glb_view(glb, 0);
    if (status == TW_OK)
        status = glb_integers(glb, &model->indices, GLB_INT, &set->faces[0].v[0], 3 * (int64_t)set->face_count, 1, err);
    return status;
}

twStatus glb_model(Glb* glb, const twSkinPart* part, GlbNode* node, twError* err)
{
    const twModeSet* set = glb->skin->trace->bodies[part->body].set;
    const size_t modes = (size_t)set->mode_count;
    float* numbers = malloc(2 * modes * sizeof *numbers);
    int* kept = malloc(modes * sizeof *kept);
    twStatus status = numbers && kept ? TW_OK : glb_no_memory(glb, err);
    const int count = status == TW_OK ? swinging(set, numbers, numbers + modes, kept) : 0;
    if (count > 0)
    {
        GlbModel* model = &glb->models[glb->model_count];
        *model = (GlbModel){.name = part->name, .set = set, .material = add_acoustic(glb, set)};
        const twMat3 axes = tw_mat3_principal(set->mass.inertia, model->moments);
        model->axes = tw_quat_from_axes(tw_mat3_row(axes, 0), tw_mat3_row(axes, 1), tw_mat3_row(axes, 2));
        node->model = glb->model_count++;
        status = write_model(glb, model, numbers, numbers + modes, kept, count, err);
    }
    free(numbers);
    free(kept);
    return status;
}
