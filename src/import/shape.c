// SPDX-License-Identifier: MIT
// Bodies: one for every node of the scene with a mesh. Meshes that are alike to the bit, in the file or by reference, are
// one; so are shapes, a mesh with the scale of its nodes in it, up to the noise of floats.
#include "import/import.h"
#include "import/sheet.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_SCALE 1e-5  // of scales that are one

enum
{
    MAX_SIZE = 1 << 25,  // vertices and faces of all shapes
    MAX_LOOKS = 256      // shapes of one mesh that are compared
};

// a mesh of the file as nodes refer to it
typedef struct Source
{
    int64_t mesh;
    int weights;  // JSON of the node that has morph weights of its own; -1: none
    twMesh* made;
    twHash hash;
    const char *material, *others;
} Source;

typedef struct Shape
{
    int source;
    twMat3 stretch;
    bool flat;
    twVec3 normal;
} Shape;

typedef struct Maker
{
    ImportReader* reader;
    twGlbGather gather;
    int source_count, shape_count;
    Source* sources;   // (nodes)
    Shape* shapes;     // (nodes)
    int* first_shape;  // (sources) the last shape made of each; -1: none
    int* other_shape;  // (shapes) the one before of the same source
    twTable known;     // (mesh, weights) -> source
    twTable hashes;    // of meshes -> source
    int64_t size;
} Maker;

// ---- materials ----

static const char* material_name(ImportReader* reader, int material)
{
    const twJsonTree* json = &reader->glb->json;
    if (material < 0 || material >= reader->materials.count) return "";
    const int at = reader->materials.at[material];
    // what was written by hand counts more than the name
    const int told = tw_json_get(json, tw_json_get(json, at, "extras"), "twang_material");
    const char* name = import_text(reader, tw_json_is(json, told, TW_JSON_TEXT) ? told : tw_json_get(json, at, "name"));
    return name ? name : "";
}

static double face_area(const twMesh* mesh, int face)
{
    const int* v = mesh->faces[face].v;
    const twVec3 a = tw_vec3_sub(mesh->vertices[v[1]], mesh->vertices[v[0]]);
    return 0.5 * tw_vec3_norm(tw_vec3_cross(a, tw_vec3_sub(mesh->vertices[v[2]], mesh->vertices[v[0]])));
}

// the material that most of a surface is of, and the others
static twStatus find_materials(Maker* maker, Source* source, int first, twError* err)
{
    const int regions = (int)maker->gather.regions.count;
    double* area = calloc((size_t)regions + 1, sizeof *area);
    char others[256] = "";
    int most = 0;
    if (!area) return import_no_memory(maker->reader, err);
    for (int f = 0; f < source->made->face_count; f++)
        area[source->made->regions ? source->made->regions[f] : first] += face_area(source->made, f);
    for (int r = 1; r < regions; r++)
        if (area[r] > area[most]) most = r;
    free(area);
    source->material = regions > 0 ? material_name(maker->reader, maker->gather.materials[most]) : "";
    for (int r = 0; r < regions; r++)
    {
        const char* name = material_name(maker->reader, maker->gather.materials[r]);
        const size_t used = strlen(others);
        if (r != most && strcmp(name, source->material) != 0)
            snprintf(others + used, sizeof others - used, "%s%s", used ? ", " : "", name[0] ? name : "no material");
    }
    source->others = tw_arena_copy_text(maker->reader->import->arena, others);
    return source->others ? TW_OK : import_no_memory(maker->reader, err);
}

// ---- meshes ----

// turned from the file's axes to ours, in metres
static void turn_mesh(const ImportReader* reader, twMesh* mesh)
{
    for (int v = 0; v < mesh->vertex_count; v++)
        mesh->vertices[v] = tw_vec3_scale(import_axes(reader->import->tree, mesh->vertices[v]), reader->def->unit);
}

static twHash hash_mesh(const twMesh* mesh)
{
    const twHash hash = tw_hash(mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices, (twHash){1, 0});
    return tw_hash(mesh->faces, (size_t)mesh->face_count * sizeof *mesh->faces, hash);
}

static twStatus make_source(Maker* maker, Source* source, twError* err)
{
    const twPlacement here = {tw_mat3_identity(), {0, 0, 0}};
    twGlbGather* gather = &maker->gather;
    tw_table_clear(&gather->regions);
    twStatus status = tw_glb_add_mesh(gather, source->mesh, source->weights, here, err);
    source->material = source->others = "";
    if (status != TW_OK) return status;
    // lines and points are no bodies
    if (gather->soup.polygon_count == 0)
    {
        gather->soup.vertex_count = 0;
        return TW_OK;
    }
    const int first = gather->soup.polygons[0].region;
    status = tw_soup_finish(&source->made, &gather->soup, 1, err);
    if (status == TW_OK) status = find_materials(maker, source, first, err);
    if (status != TW_OK) return status;
    turn_mesh(maker->reader, source->made);
    source->hash = hash_mesh(source->made);
    return TW_OK;
}

// number of the source of a node's mesh, made if it is new
static twStatus find_source(Maker* maker, const ImportNode* node, int64_t mesh, int* out, twError* err)
{
    const twJsonTree* json = &maker->reader->glb->json;
    const int weights = tw_json_length(json, tw_json_get(json, node->json, "weights")) > 0 ? node->json : -1;
    if (mesh >= maker->reader->glb->meshes.count)
        return tw_fail(err, TW_BAD_INPUT, "%s: node '%s': mesh %lld does not exist; there are %d",
                       maker->reader->glb->path, node->name, (long long)mesh, maker->reader->glb->meshes.count);
    const int known = maker->source_count;
    const int* slot = tw_table_put(&maker->known, (int)mesh, weights, 0, known);
    if (!slot) return import_no_memory(maker->reader, err);
    *out = *slot;
    if (*slot != known) return TW_OK;
    Source* source = &maker->sources[maker->source_count++];
    *source = (Source){.mesh = mesh, .weights = weights};
    maker->first_shape[known] = -1;
    return make_source(maker, source, err);
}

// the first source with the same surface
static twStatus find_twin(Maker* maker, int source, int* out, twError* err)
{
    const Source* s = &maker->sources[source];
    const int* slot = tw_table_put(&maker->hashes, (int)(s->hash.high & INT_MAX), (int)(s->hash.low & INT_MAX),
                                   (int)(s->hash.low >> 33), source);
    if (!slot) return import_no_memory(maker->reader, err);
    const Source* first = &maker->sources[*slot];
    *out = first->hash.high == s->hash.high && first->hash.low == s->hash.low ? *slot : source;
    return TW_OK;
}

// ---- shapes ----

static bool same_stretch(twMat3 a, twMat3 b)
{
    double size = 0, apart = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
        {
            size = fmax(size, fabs(a.m[i][k]));
            apart = fmax(apart, fabs(a.m[i][k] - b.m[i][k]));
        }
    return apart <= SAME_SCALE * size;
}

static twStatus stretch_mesh(twMesh** out, const twMesh* mesh, twMat3 stretch, twError* err)
{
    const bool mirrored = tw_mat3_det(stretch) < 0;
    const twStatus status = tw_mesh_create(out, mesh->vertex_count, mesh->face_count, err);
    if (status != TW_OK) return status;
    for (int v = 0; v < mesh->vertex_count; v++) (*out)->vertices[v] = tw_mat3_mul_vec(stretch, mesh->vertices[v]);
    for (int f = 0; f < mesh->face_count; f++)
    {
        // a mirrored mesh shows its inside unless its triangles are turned
        const int* v = mesh->faces[f].v;
        (*out)->faces[f] = (twTriangle){{v[0], v[mirrored ? 2 : 1], v[mirrored ? 1 : 2]}};
    }
    return TW_OK;
}

static twStatus make_shape(Maker* maker, int source, twMat3 stretch, twError* err)
{
    const twMesh* mesh = maker->sources[source].made;
    Shape* shape = &maker->shapes[maker->shape_count];
    twMesh** made = &maker->reader->import->shapes[maker->shape_count];
    *shape = (Shape){.source = source, .stretch = stretch};
    maker->size += mesh->vertex_count + mesh->face_count;
    if (maker->size > MAX_SIZE)
        return tw_fail(err, TW_BAD_INPUT, "%s: all shapes together have more than %d vertices and triangles",
                       maker->reader->glb->path, MAX_SIZE);
    twStatus status = stretch_mesh(made, mesh, stretch, err);
    if (status != TW_OK) return status;
    maker->reader->import->shape_count = ++maker->shape_count;
    return sheet_thicken(made, &shape->flat, &shape->normal, err);
}

// number of a shape, made if it is new
static twStatus find_shape(Maker* maker, int source, twMat3 stretch, int* out, twError* err)
{
    const twStatus status = find_twin(maker, source, &source, err);
    if (status != TW_OK) return status;
    int looks = 0;
    for (int i = maker->first_shape[source]; i >= 0 && looks < MAX_LOOKS; i = maker->other_shape[i], looks++)
        if (same_stretch(maker->shapes[i].stretch, stretch))
        {
            *out = i;
            return TW_OK;
        }
    *out = maker->shape_count;
    maker->other_shape[*out] = maker->first_shape[source];
    maker->first_shape[source] = *out;
    return make_shape(maker, source, stretch, err);
}

// ---- bodies ----

static twStatus add_body(Maker* maker, int index, int source, twError* err)
{
    ImportReader* reader = maker->reader;
    twImport* import = reader->import;
    const ImportNode* node = &import->tree->nodes[index];
    twImportBody* body = &import->bodies[import->body_count];
    ImportHook* hook = &import->tree->hooks[import->body_count];
    *body = (twImportBody){.name = node->name,
                           .material = maker->sources[source].material,
                           .others = maker->sources[source].others,
                           .motion = {.turn = tw_quat_identity()}};
    *hook = (ImportHook){.node = index};
    body->skinned = tw_json_get(&reader->glb->json, node->json, "skin") >= 0;
    hook->still = body->skinned || !import_moves(import->tree, index);
    body->moves = !hook->still;
    twMat3 stretch = tw_mat3_identity();
    ImportFrame frame = {.a = stretch};
    if (!body->skinned) frame = import_frame(import->tree, index, 0);
    if (!import_split(frame.a, &body->motion.turn, &stretch) || !tw_mat3_inverse(&hook->unscale, stretch))
    {
        import_note(reader->import, "'%.60s' has a scale of 0 and is left out", node->name);
        return TW_OK;
    }
    body->motion.position = frame.p;
    twStatus status = find_shape(maker, source, stretch, &body->shape, err);
    if (status != TW_OK) return status;
    const Shape* shape = &maker->shapes[body->shape];
    body->flat = shape->flat;
    body->normal = tw_quat_rotate(body->motion.turn, shape->normal);
    if (body->skinned)
        import_note(reader->import, "'%.60s' is skinned: it is as it was bound to its bones", node->name);
    status = import_properties(reader, node->json, reader->glb->meshes.at[maker->sources[source].mesh], body, err);
    const int number = import->body_count++;
    if (body->moves) body->motion = tw_import_motion(import, number, 0);
    return status;
}

static twStatus take_node(Maker* maker, int index, twError* err)
{
    ImportReader* reader = maker->reader;
    const twGlb* glb = reader->glb;
    const ImportNode* node = &reader->import->tree->nodes[index];
    int64_t mesh;
    int source = 0;
    const int extensions = tw_json_get(&glb->json, node->json, "extensions");
    if (tw_json_get(&glb->json, extensions, "EXT_mesh_gpu_instancing") >= 0)
        return tw_fail(err, TW_BAD_INPUT, "%s: node '%s' has copies (EXT_mesh_gpu_instancing); export them as nodes",
                       glb->path, node->name);
    if (!tw_glb_whole(glb, node->json, "mesh", -1, &mesh))
        return tw_fail(err, TW_BAD_INPUT, "%s: node '%s': its mesh must be a number", glb->path, node->name);
    if (mesh < 0) return TW_OK;
    if (reader->import->body_count >= TW_MAX_BODIES)
        return tw_fail(err, TW_BAD_INPUT, "%s: it has more than %d nodes with meshes", glb->path, TW_MAX_BODIES);
    const twStatus status = find_source(maker, node, mesh, &source, err);
    if (status != TW_OK) return status;
    if (maker->sources[source].made) return add_body(maker, index, source, err);
    import_note(reader->import, "'%.60s' has no faces and is left out", node->name);
    return TW_OK;
}

static twStatus make_bodies(Maker* maker, twError* err)
{
    ImportReader* reader = maker->reader;
    twImport* import = reader->import;
    twImportTree* tree = import->tree;
    const size_t count = (size_t)tree->order_count + 1;
    maker->sources = calloc(count, sizeof *maker->sources);
    maker->shapes = calloc(count, sizeof *maker->shapes);
    maker->first_shape = calloc(count, sizeof *maker->first_shape);
    maker->other_shape = calloc(count, sizeof *maker->other_shape);
    import->bodies = import_alloc(reader, count, sizeof *import->bodies);
    import->shapes = import_alloc(reader, count, sizeof *import->shapes);
    tree->hooks = import_alloc(reader, count, sizeof *tree->hooks);
    if (!tw_glb_gather(&maker->gather, reader->glb) || !maker->sources || !maker->shapes || !maker->first_shape ||
        !maker->other_shape || !import->bodies || !import->shapes || !tree->hooks)
        return import_no_memory(reader, err);
    twStatus status = TW_OK;
    for (int i = 0; i < tree->order_count && status == TW_OK; i++) status = take_node(maker, tree->order[i], err);
    return status;
}

twStatus import_bodies(ImportReader* reader, twError* err)
{
    Maker maker = {.reader = reader};
    const twStatus status = make_bodies(&maker, err);
    for (int i = 0; i < maker.source_count; i++) tw_mesh_destroy(maker.sources[i].made);
    tw_glb_gather_clear(&maker.gather);
    tw_table_clear(&maker.known);
    tw_table_clear(&maker.hashes);
    free(maker.sources);
    free(maker.shapes);
    free(maker.first_shape);
    free(maker.other_shape);
    return status;
}
