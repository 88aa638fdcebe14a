// SPDX-License-Identifier: MIT
// The tables of a glTF file as JSON (glTF 2.0, https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html; extensions
// KHR_lights_punctual and the draft KHR_audio_rigid_bodies).
#include "picture/glb.h"

#define AUDIO "KHR_audio_rigid_bodies"
#define LIGHTS "KHR_lights_punctual"

static void write_floats(twJson* json, const char* key, const float* values, int count)
{
    double copy[4];
    for (int i = 0; i < count; i++) copy[i] = values[i];
    tw_json_numbers(json, key, copy, (size_t)count);
}

// ---- bytes ----

static void write_accessor(twJson* json, const GlbAccessor* a)
{
    const char* kind = a->parts == 1 ? "SCALAR" : a->parts == 3 ? "VEC3" : a->parts == 4 ? "VEC4" : "MAT4";
    tw_json_object(json, NULL);
    tw_json_integer(json, "bufferView", a->view);
    if (a->first > 0) tw_json_integer(json, "byteOffset", (int64_t)a->first);
    tw_json_integer(json, "componentType", a->type);
    if (a->normalized) tw_json_bool(json, "normalized", true);
    tw_json_integer(json, "count", a->count);
    tw_json_text(json, "type", kind);
    if (a->bounded) write_floats(json, "min", a->low, a->parts);
    if (a->bounded) write_floats(json, "max", a->high, a->parts);
    tw_json_end(json);
}

static void write_bytes(twJson* json, const Glb* glb)
{
    tw_json_array(json, "accessors");
    for (int i = 0; i < glb->accessor_count; i++) write_accessor(json, &glb->accessors[i]);
    tw_json_end(json);
    tw_json_array(json, "bufferViews");
    for (int i = 0; i < glb->view_count; i++)
    {
        const GlbView* view = &glb->views[i];
        tw_json_object(json, NULL);
        tw_json_integer(json, "buffer", 0);
        tw_json_integer(json, "byteOffset", (int64_t)view->first);
        tw_json_integer(json, "byteLength", (int64_t)view->bytes);
        if (view->target) tw_json_integer(json, "target", view->target);
        tw_json_end(json);
    }
    tw_json_end(json);
    tw_json_array(json, "buffers");
    tw_json_object(json, NULL);
    tw_json_integer(json, "byteLength", (int64_t)glb->byte_count);
    tw_json_end(json);
    tw_json_end(json);
}

// ---- meshes ----

static void write_attributes(twJson* json, const GlbMesh* mesh)
{
    tw_json_object(json, "attributes");
    tw_json_integer(json, "POSITION", mesh->position);
    tw_json_integer(json, "NORMAL", mesh->normal);
    if (mesh->joints >= 0) tw_json_integer(json, "JOINTS_0", mesh->joints);
    if (mesh->weights >= 0) tw_json_integer(json, "WEIGHTS_0", mesh->weights);
    tw_json_end(json);
}

static void write_targets(twJson* json, const GlbMesh* mesh)
{
    tw_json_array(json, "targets");
    for (int k = 0; k < mesh->target_count; k++)
    {
        tw_json_object(json, NULL);
        tw_json_integer(json, "POSITION", mesh->targets + 2 * k);
        tw_json_integer(json, "NORMAL", mesh->targets + 2 * k + 1);
        tw_json_end(json);
    }
    tw_json_end(json);
}

// the weights of the first frame, for those who do not animate, and names
static void write_weights(twJson* json, const GlbMesh* mesh)
{
    tw_json_array(json, "weights");
    for (int k = 0; k < mesh->target_count; k++) tw_json_number(json, NULL, mesh->start[k]);
    tw_json_end(json);
    tw_json_object(json, "extras");
    tw_json_array(json, "targetNames");
    for (int k = 0; k < mesh->target_count; k++)
    {
        char name[64];
        snprintf(name, sizeof name, "mode %d", mesh->modes[k]);
        tw_json_text(json, NULL, name);
    }
    tw_json_end(json);
    tw_json_array(json, "frequencies");
    for (int k = 0; k < mesh->target_count; k++) tw_json_number(json, NULL, mesh->set->freq_hz[mesh->modes[k]]);
    tw_json_end(json);
    tw_json_number(json, "leftOut", mesh->left_out);
    tw_json_end(json);
}

static void write_meshes(twJson* json, const Glb* glb)
{
    tw_json_array(json, "meshes");
    for (int i = 0; i < glb->mesh_count; i++)
    {
        const GlbMesh* mesh = &glb->meshes[i];
        tw_json_object(json, NULL);
        tw_json_text(json, "name", mesh->name);
        tw_json_array(json, "primitives");
        tw_json_object(json, NULL);
        write_attributes(json, mesh);
        tw_json_integer(json, "indices", mesh->indices);
        tw_json_integer(json, "material", mesh->material);
        if (mesh->target_count > 0) write_targets(json, mesh);
        tw_json_end(json);
        tw_json_end(json);
        if (mesh->target_count > 0) write_weights(json, mesh);
        tw_json_end(json);
    }
    tw_json_end(json);
}

static void write_materials(twJson* json, const Glb* glb)
{
    tw_json_array(json, "materials");
    for (int i = 0; i < glb->material_count; i++)
    {
        const twLook* look = &glb->materials[i].look;
        const float colour[4] = {look->colour[0], look->colour[1], look->colour[2], 1};
        tw_json_object(json, NULL);
        tw_json_text(json, "name", glb->materials[i].name);
        tw_json_object(json, "pbrMetallicRoughness");
        write_floats(json, "baseColorFactor", colour, 4);
        tw_json_number(json, "metallicFactor", look->metallic);
        tw_json_number(json, "roughnessFactor", look->roughness);
        tw_json_end(json);
        tw_json_end(json);
    }
    tw_json_end(json);
}

static void write_skins(twJson* json, const Glb* glb)
{
    if (glb->skin_count == 0) return;
    tw_json_array(json, "skins");
    for (int i = 0; i < glb->skin_count; i++)
    {
        const GlbSkin* skin = &glb->skins[i];
        tw_json_object(json, NULL);
        tw_json_text(json, "name", skin->name);
        tw_json_integer(json, "inverseBindMatrices", skin->inverse_bind);
        tw_json_array(json, "joints");
        for (int k = 0; k < skin->joint_count; k++) tw_json_integer(json, NULL, skin->first_joint + k);
        tw_json_end(json);
        tw_json_end(json);
    }
    tw_json_end(json);
}

// ---- nodes ----

// the nodes below one, or those of the scene
static void write_children(twJson* json, const Glb* glb, const char* key, int parent)
{
    tw_json_array(json, key);
    for (int i = 0; i < glb->node_count; i++)
        if (glb->nodes[i].parent == parent) tw_json_integer(json, NULL, i);
    tw_json_end(json);
}

static void write_place(twJson* json, const twSkinJoint* place)
{
    const float *p = place->position, *q = place->turn, turn[4] = {q[1], q[2], q[3], q[0]};
    if (p[0] != 0 || p[1] != 0 || p[2] != 0) write_floats(json, "translation", p, 3);
    if (q[0] != 1) write_floats(json, "rotation", turn, 4);
}

static void write_reference(twJson* json, const char* extension, const char* key, int index)
{
    tw_json_object(json, extension);
    tw_json_integer(json, key, index);
    tw_json_end(json);
}

static void write_nodes(twJson* json, const Glb* glb)
{
    tw_json_array(json, "nodes");
    for (int i = 0; i < glb->node_count; i++)
    {
        const GlbNode* node = &glb->nodes[i];
        tw_json_object(json, NULL);
        tw_json_text(json, "name", node->name);
        write_place(json, &node->place);
        if (node->mesh >= 0) tw_json_integer(json, "mesh", node->mesh);
        if (node->skin >= 0) tw_json_integer(json, "skin", node->skin);
        if (node->camera >= 0) tw_json_integer(json, "camera", node->camera);
        if (node->has_children) write_children(json, glb, "children", i);
        if (node->light >= 0 || node->model >= 0) tw_json_object(json, "extensions");
        if (node->light >= 0) write_reference(json, LIGHTS, "light", node->light);
        if (node->model >= 0) write_reference(json, AUDIO, "modalModel", node->model);
        if (node->light >= 0 || node->model >= 0) tw_json_end(json);
        tw_json_end(json);
    }
    tw_json_end(json);
}

static void write_camera(twJson* json, const Glb* glb)
{
    tw_json_array(json, "cameras");
    tw_json_object(json, NULL);
    tw_json_text(json, "type", "perspective");
    tw_json_object(json, "perspective");
    tw_json_number(json, "aspectRatio", glb->aspect);
    tw_json_number(json, "yfov", glb->view_angle);
    tw_json_number(json, "znear", glb->near_plane);
    tw_json_number(json, "zfar", glb->far_plane);
    tw_json_end(json);
    tw_json_end(json);
    tw_json_end(json);
}

// ---- motion ----

static void write_animation(twJson* json, const Glb* glb)
{
    static const char* const paths[] = {"translation", "rotation", "weights"};
    if (glb->track_count == 0) return;
    tw_json_array(json, "animations");
    tw_json_object(json, NULL);
    tw_json_text(json, "name", "motion");
    tw_json_array(json, "channels");
    for (int i = 0; i < glb->track_count; i++)
    {
        tw_json_object(json, NULL);
        tw_json_integer(json, "sampler", i);
        tw_json_object(json, "target");
        tw_json_integer(json, "node", glb->tracks[i].node);
        tw_json_text(json, "path", paths[glb->tracks[i].path]);
        tw_json_end(json);
        tw_json_end(json);
    }
    tw_json_end(json);
    tw_json_array(json, "samplers");
    for (int i = 0; i < glb->track_count; i++)
    {
        tw_json_object(json, NULL);
        tw_json_integer(json, "input", glb->times);
        tw_json_integer(json, "output", glb->tracks[i].accessor);
        tw_json_end(json);
    }
    tw_json_end(json);
    tw_json_end(json);
    tw_json_end(json);
}

// ---- extensions ----

static void write_lights(twJson* json, const Glb* glb)
{
    tw_json_object(json, LIGHTS);
    tw_json_array(json, "lights");
    for (int i = 0; i < glb->light_count; i++)
    {
        tw_json_object(json, NULL);
        tw_json_text(json, "type", "directional");
        tw_json_number(json, "intensity", glb->light[i]);
        tw_json_end(json);
    }
    tw_json_end(json);
    tw_json_end(json);
}

static void write_mass(twJson* json, const GlbModel* model)
{
    const twMassProperties* mass = &model->set->mass;
    const twQuat turn = model->axes;
    const double centre[3] = {mass->centre.x, mass->centre.y, mass->centre.z};
    const double orientation[4] = {turn.x, turn.y, turn.z, turn.w};
    tw_json_object(json, "massProperties");
    tw_json_number(json, "mass", mass->mass);
    tw_json_numbers(json, "centerOfMass", centre, 3);
    tw_json_numbers(json, "inertiaDiagonal", model->moments, 3);
    tw_json_numbers(json, "inertiaOrientation", orientation, 4);
    tw_json_end(json);
}

static void write_models(twJson* json, const Glb* glb)
{
    tw_json_array(json, "modalModels");
    for (int i = 0; i < glb->model_count; i++)
    {
        const GlbModel* model = &glb->models[i];
        tw_json_object(json, NULL);
        tw_json_text(json, "name", model->name);
        tw_json_integer(json, "frequencies", model->frequencies);
        tw_json_integer(json, "decayRates", model->decays);
        tw_json_integer(json, "positions", model->positions);
        tw_json_integer(json, "shapes", model->shapes);
        tw_json_integer(json, "indices", model->indices);
        if (model->material >= 0) tw_json_integer(json, "material", model->material);
        if (model->set->mass.mass > 0) write_mass(json, model);
        tw_json_end(json);
    }
    tw_json_end(json);
}

static void write_acoustics(twJson* json, const Glb* glb)
{
    if (glb->acoustic_count == 0) return;
    tw_json_array(json, "acousticMaterials");
    for (int i = 0; i < glb->acoustic_count; i++)
    {
        const GlbAcoustic* material = &glb->acoustics[i];
        tw_json_object(json, NULL);
        tw_json_text(json, "name", material->name);
        tw_json_number(json, "density", material->density);
        tw_json_number(json, "youngsModulus", material->young);
        tw_json_number(json, "poissonRatio", material->poisson);
        if (material->has_damping) tw_json_number(json, "alpha", material->alpha);
        if (material->has_damping) tw_json_number(json, "beta", material->beta);
        tw_json_end(json);
    }
    tw_json_end(json);
}

static void write_extensions(twJson* json, const Glb* glb)
{
    tw_json_array(json, "extensionsUsed");
    if (glb->model_count > 0) tw_json_text(json, NULL, AUDIO);
    tw_json_text(json, NULL, LIGHTS);
    tw_json_end(json);
    tw_json_object(json, "extensions");
    if (glb->model_count > 0)
    {
        tw_json_object(json, AUDIO);
        write_models(json, glb);
        write_acoustics(json, glb);
        tw_json_end(json);
    }
    write_lights(json, glb);
    tw_json_end(json);
}

// ---- all ----

static void write_asset(twJson* json, const Glb* glb)
{
    const twTrace* trace = glb->skin->trace;
    tw_json_object(json, "asset");
    tw_json_text(json, "version", "2.0");
    tw_json_text(json, "generator", "Twang " TW_VERSION);
    tw_json_object(json, "extras");
    if (trace->title[0]) tw_json_text(json, "title", trace->title);
    if (trace->sound[0]) tw_json_text(json, "sound", trace->sound);
    tw_json_number(json, "exaggeration", glb->skin->exaggeration);
    tw_json_number(json, "frameRate", trace->frame_rate_hz);
    tw_json_end(json);
    tw_json_end(json);
}

void glb_json(const Glb* glb, FILE* stream)
{
    twJson writer = tw_json(stream), *json = &writer;
    tw_json_object(json, NULL);
    write_asset(json, glb);
    write_extensions(json, glb);
    tw_json_integer(json, "scene", 0);
    tw_json_array(json, "scenes");
    tw_json_object(json, NULL);
    write_children(json, glb, "nodes", -1);
    tw_json_end(json);
    tw_json_end(json);
    write_nodes(json, glb);
    write_meshes(json, glb);
    write_materials(json, glb);
    write_skins(json, glb);
    write_camera(json, glb);
    write_animation(json, glb);
    write_bytes(json, glb);
    tw_json_end(json);
}
