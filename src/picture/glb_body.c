// SPDX-License-Identifier: MIT
// A body in glTF: a node that moves, and a mesh of which mode k is a morph target. Importers that clamp weights to 0..1 show
// it right too, since with A_k the largest |q_k| of all frames
//     base = rest - sum A_k phi_k,   target k = 2 A_k phi_k,   weight k = 1/2 + q_k / (2 A_k).
// A vertex normal is s / |s|, s = sum of w f over its faces with unit normals f = m / |m|, m = p x q for edges p and q, and
// the angles w at rest. To first order in q it turns by
//     s' = sum of w (m' - f (f . m')) / |m|,   m' = p' x q + p x q',
// so that N = s/|s| + sum q_k s'_k / |s| is along it; what stands in the file is divided by the length of the base's N.
#include "picture/glb.h"
#include <stdlib.h>
#include <string.h>

#define SHORTEST 1e-3  // of the base's N: below, the normal does not turn

typedef struct Bend
{
    const twSkinPart* part;
    const twModeSet* set;
    double* size;      // A (modes)
    double* motion;    // A max|phi| (modes) [m]
    int* order;        // modes by motion (modes)
    int kept;          // of these
    float* weight;     // (frames x kept)
    float* angle;      // w (faces x 3)
    double* length;    // |s| (vertices)
    double* position;  // of the base (vertices x 3)
    double* normal;    // (vertices x 3)
    double* shape;     // A phi of one mode (vertices x 3)
    double* turn;      // A s'/|s| of one mode (vertices x 3)
    float* row;        // what is written (vertices x 3)
} Bend;

static twVec3 row_of(const double* rows, int i) { return tw_vec3(rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]); }

static twVec3 rest_of(const twSkinPart* part, int i)
{
    return tw_vec3(part->rest[3 * i], part->rest[3 * i + 1], part->rest[3 * i + 2]);
}

static void add_to(double* rows, int i, twVec3 v, double s)
{
    rows[3 * i] += s * v.x;
    rows[3 * i + 1] += s * v.y;
    rows[3 * i + 2] += s * v.z;
}

// ---- which modes ----

static double largest_shape(const twModeSet* set, int mode)
{
    double most = 0;
    for (int v = 0; v < set->vertex_count; v++) most = fmax(most, tw_vec3_norm(tw_mode_set_shape(set, mode, v)));
    return most;
}

// largest amplitude and motion of every mode
static twStatus measure(Glb* glb, int p, Bend* bend, twError* err)
{
    const twSkinPart* part = bend->part;
    float* q = tw_arena_alloc(glb->arena, (size_t)part->mode_count, sizeof *q);
    if (!q) return glb_no_memory(glb, err);
    for (int64_t f = 0; f < glb->skin->trace->frame_count; f++)
    {
        tw_skin_weights(glb->skin, p, f, q);
        for (int k = 0; k < part->mode_count; k++) bend->size[k] = fmax(bend->size[k], fabs((double)q[k]));
    }
    for (int k = 0; k < part->mode_count; k++)
        if (bend->size[k] > 0) bend->motion[k] = bend->size[k] * largest_shape(bend->set, k);
    return TW_OK;
}

typedef struct Rank
{
    double motion;
    int mode;
} Rank;

static int more_motion(const void* a, const void* b)
{
    const Rank *x = a, *y = b;
    if (x->motion != y->motion) return x->motion < y->motion ? 1 : -1;
    return (x->mode > y->mode) - (x->mode < y->mode);
}

static int lower_mode(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

// keep those that move most until the others together do not matter. @return how far those move it [m]
static double choose(Bend* bend, Rank* rank, const twGlbDef* def)
{
    const int modes = bend->part->mode_count;
    double rest = 0;
    for (int k = 0; k < modes; k++) rank[k] = (Rank){bend->motion[k], k};
    qsort(rank, (size_t)modes, sizeof *rank, more_motion);
    int kept = modes;
    while (kept > 0)
    {
        const double more = rest + rank[kept - 1].motion;
        if (kept <= def->max_targets && more > def->tolerance * rank[0].motion) break;
        rest = more;
        kept--;
    }
    for (int i = 0; i < kept; i++) bend->order[i] = rank[i].mode;
    qsort(bend->order, (size_t)kept, sizeof *bend->order, lower_mode);
    bend->kept = kept;
    return rest;
}

// ---- how the surface bends ----

static double corner_angle(const twSkinPart* part, const int* v, int i)
{
    const twVec3 at = rest_of(part, v[i]);
    const twVec3 a = tw_vec3_normalize(tw_vec3_sub(rest_of(part, v[(i + 1) % 3]), at));
    const twVec3 b = tw_vec3_normalize(tw_vec3_sub(rest_of(part, v[(i + 2) % 3]), at));
    return acos(fmax(-1, fmin(1, tw_vec3_dot(a, b))));
}

static twVec3 cross_of(const twSkinPart* part, const int* v)
{
    const twVec3 a = rest_of(part, v[0]);
    return tw_vec3_cross(tw_vec3_sub(rest_of(part, v[1]), a), tw_vec3_sub(rest_of(part, v[2]), a));
}

// the angles w and the lengths |s|
static void weigh(Bend* bend)
{
    const twSkinPart* part = bend->part;
    memset(bend->turn, 0, 3 * (size_t)part->vertex_count * sizeof *bend->turn);
    for (int f = 0; f < part->face_count; f++)
    {
        const int* v = part->faces[f].v;
        const twVec3 normal = tw_vec3_normalize(cross_of(part, v));
        for (int i = 0; i < 3; i++)
        {
            bend->angle[3 * f + i] = (float)corner_angle(part, v, i);
            add_to(bend->turn, v[i], normal, bend->angle[3 * f + i]);
        }
    }
    for (int i = 0; i < part->vertex_count; i++) bend->length[i] = tw_vec3_norm(row_of(bend->turn, i));
}

// what a mode does at its largest: A phi and A s'/|s|
static void bend_by(Bend* bend, int mode)
{
    const twSkinPart* part = bend->part;
    const size_t numbers = 3 * (size_t)part->vertex_count;
    memset(bend->shape, 0, numbers * sizeof *bend->shape);
    memset(bend->turn, 0, numbers * sizeof *bend->turn);
    for (int i = 0; i < part->vertex_count; i++)
        add_to(bend->shape, i, tw_mode_set_shape(bend->set, mode, part->source[i]), bend->size[mode]);

    for (int f = 0; f < part->face_count; f++)
    {
        const int* v = part->faces[f].v;
        const twVec3 m = cross_of(part, v), a = rest_of(part, v[0]), moved = row_of(bend->shape, v[0]);
        const double size = tw_vec3_norm(m);
        if (!(size > 0)) continue;
        const twVec3 p = tw_vec3_sub(rest_of(part, v[1]), a), q = tw_vec3_sub(rest_of(part, v[2]), a);
        const twVec3 dp = tw_vec3_sub(row_of(bend->shape, v[1]), moved);
        const twVec3 dq = tw_vec3_sub(row_of(bend->shape, v[2]), moved);
        const twVec3 dm = tw_vec3_add(tw_vec3_cross(dp, q), tw_vec3_cross(p, dq)), n = tw_vec3_scale(m, 1 / size);
        const twVec3 df = tw_vec3_scale(tw_vec3_add_scaled(dm, n, -tw_vec3_dot(n, dm)), 1 / size);
        for (int i = 0; i < 3; i++) add_to(bend->turn, v[i], df, bend->angle[3 * f + i]);
    }
    for (int i = 0; i < part->vertex_count; i++)
    {
        const double scale = bend->length[i] > 0 ? 1 / bend->length[i] : 0;
        for (int k = 0; k < 3; k++) bend->turn[3 * i + k] *= scale;
    }
}

// position and N of the base
static void bend_base(Bend* bend)
{
    const int numbers = 3 * bend->part->vertex_count;
    for (int i = 0; i < numbers; i++)
    {
        bend->position[i] = bend->part->rest[i];
        bend->normal[i] = bend->part->rest_normal[i];
    }
    if (bend->kept > 0) weigh(bend);
    for (int k = 0; k < bend->kept; k++)
    {
        bend_by(bend, bend->order[k]);
        for (int i = 0; i < numbers; i++)
        {
            bend->position[i] -= bend->shape[i];
            bend->normal[i] -= bend->turn[i];
        }
    }

    // where N all but vanishes, the normal stays as it is
    for (int i = 0; i < bend->part->vertex_count; i++)
    {
        const double length = tw_vec3_norm(row_of(bend->normal, i));
        bend->length[i] = length > SHORTEST ? bend->length[i] * length : 0;
        for (int k = 0; k < 3; k++)
            bend->normal[3 * i + k] =
                length > SHORTEST ? bend->normal[3 * i + k] / length : (double)bend->part->rest_normal[3 * i + k];
    }
}

// ---- into the tables ----

static twStatus write_rows(Glb* glb, Bend* bend, const double* rows, double scale, int* accessor, twError* err)
{
    const int count = bend->part->vertex_count;
    for (int i = 0; i < 3 * count; i++) bend->row[i] = (float)(scale * rows[i]);
    glb_view(glb, GLB_VERTICES);
    return glb_floats(glb, accessor, bend->row, count, 3, err);
}

static twStatus write_mesh(Glb* glb, int p, Bend* bend, GlbMesh* mesh, twError* err)
{
    int accessor;
    bend_base(bend);
    twStatus status = write_rows(glb, bend, bend->position, 1, &mesh->position, err);
    if (status == TW_OK) glb_bound(glb, mesh->position);
    if (status == TW_OK) status = write_rows(glb, bend, bend->normal, 1, &mesh->normal, err);
    if (status == TW_OK)
        status = glb_faces(glb, mesh, bend->part->faces, bend->part->face_count, bend->part->vertex_count, err);
    mesh->targets = glb->accessor_count;
    for (int k = 0; k < bend->kept && status == TW_OK; k++)
    {
        bend_by(bend, bend->order[k]);
        status = write_rows(glb, bend, bend->shape, 2, &accessor, err);
        if (status == TW_OK) glb_bound(glb, accessor);
        if (status == TW_OK) status = write_rows(glb, bend, bend->turn, 2, &accessor, err);
        if (status == TW_OK) status = glb_ask(glb, p, (k + 1.0) / (bend->kept + 1), err);
    }
    return status;
}

// weights of the targets in all frames
static twStatus weigh_frames(Glb* glb, int p, Bend* bend, bool* moving, twError* err)
{
    const int kept = bend->kept;
    const int64_t frames = glb->skin->trace->frame_count;
    float* q = tw_arena_alloc(glb->arena, (size_t)bend->part->mode_count, sizeof *q);
    bend->weight = tw_arena_alloc(glb->arena, (size_t)frames * (size_t)kept, sizeof *bend->weight);
    if (!q || !bend->weight) return glb_no_memory(glb, err);
    for (int64_t f = 0; f < frames; f++)
    {
        tw_skin_weights(glb->skin, p, f, q);
        for (int k = 0; k < kept; k++)
        {
            const float w = (float)(0.5 + q[bend->order[k]] / (2 * bend->size[bend->order[k]]));
            bend->weight[f * kept + k] = w;
            *moving = *moving || w != bend->weight[k];
        }
    }
    return TW_OK;
}

static twStatus move_body(Glb* glb, int p, int node, const Bend* bend, bool bending, twError* err)
{
    const int64_t frames = glb->skin->trace->frame_count;
    twSkinJoint* places = malloc((size_t)frames * sizeof *places);
    if (!places) return glb_no_memory(glb, err);
    for (int64_t f = 0; f < frames; f++) tw_skin_joints(glb->skin, p, f, &places[f]);
    twStatus status = glb_moves(glb, node, 1, places, err);
    free(places);
    if (status == TW_OK && bending)
        status = glb_track(glb, node, GLB_WEIGHTS, bend->weight, frames * bend->kept, 1, err);
    return status;
}

static twStatus alloc_modes(Glb* glb, Bend* bend, Rank** rank, twError* err)
{
    const size_t modes = (size_t)bend->part->mode_count;
    bend->size = tw_arena_alloc(glb->arena, modes, sizeof *bend->size);
    bend->motion = tw_arena_alloc(glb->arena, modes, sizeof *bend->motion);
    bend->order = tw_arena_alloc(glb->arena, modes, sizeof *bend->order);
    *rank = tw_arena_alloc(glb->arena, modes, sizeof **rank);
    return bend->size && bend->motion && bend->order && *rank ? TW_OK : glb_no_memory(glb, err);
}

static twStatus alloc_surface(Glb* glb, Bend* bend, twError* err)
{
    const size_t vertices = (size_t)bend->part->vertex_count;
    bend->angle = tw_arena_alloc(glb->arena, 3 * (size_t)bend->part->face_count, sizeof *bend->angle);
    bend->length = tw_arena_alloc(glb->arena, vertices, sizeof *bend->length);
    bend->position = tw_arena_alloc(glb->arena, 3 * vertices, sizeof *bend->position);
    bend->normal = tw_arena_alloc(glb->arena, 3 * vertices, sizeof *bend->normal);
    bend->shape = tw_arena_alloc(glb->arena, 3 * vertices, sizeof *bend->shape);
    bend->turn = tw_arena_alloc(glb->arena, 3 * vertices, sizeof *bend->turn);
    bend->row = tw_arena_alloc(glb->arena, 3 * vertices, sizeof *bend->row);
    const bool all = bend->angle && bend->length && bend->position && bend->normal && bend->shape && bend->turn;
    return all && bend->row ? TW_OK : glb_no_memory(glb, err);
}

twStatus glb_body(Glb* glb, int p, twError* err)
{
    const twSkinPart* part = &glb->skin->parts[p];
    Bend bend = {.part = part, .set = glb->skin->trace->bodies[part->body].set};
    const int index = glb->node_count;
    GlbNode* node = glb_node(glb, part->name, GLB_ROOT);
    GlbMesh* mesh = &glb->meshes[glb->mesh_count];
    *mesh = (GlbMesh){.name = part->name, .joints = -1, .weights = -1, .set = bend.set};
    mesh->material = glb_material(glb, part->material);
    node->mesh = glb->mesh_count++;

    // the modes that count
    Rank* rank;
    bool bending = false;
    twStatus status = alloc_modes(glb, &bend, &rank, err);
    if (status == TW_OK) status = measure(glb, p, &bend, err);
    if (status == TW_OK) mesh->left_out = choose(&bend, rank, glb->def);
    if (status == TW_OK) status = weigh_frames(glb, p, &bend, &bending, err);
    mesh->target_count = bend.kept;
    mesh->modes = bend.order;
    mesh->start = bend.weight;

    // the surface, for which much memory is needed but not kept
    const size_t mark = tw_arena_mark(glb->arena);
    if (status == TW_OK) status = alloc_surface(glb, &bend, err);
    if (status == TW_OK) status = write_mesh(glb, p, &bend, mesh, err);
    tw_arena_reset(glb->arena, mark);

    if (status == TW_OK) status = move_body(glb, p, index, &bend, bending, err);
    if (status == TW_OK && glb->def->modal_data && part->mode_count > 0) status = glb_model(glb, part, node, err);
    return status;
}
