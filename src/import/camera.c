// SPDX-License-Identifier: MIT
// The camera of a file (glTF 2.0, 3.10): it looks along -z of its node. What it looks at is as far away as the middle of the
// bodies.
#include "import/import.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAREST 0.01  // that it looks at [m]

// the middle of the box around all bodies
static twVec3 find_middle(const twImport* import)
{
    twVec3 low = tw_vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = tw_vec3_scale(low, -1);
    for (int i = 0; i < import->body_count; i++)
    {
        const twImportBody* body = &import->bodies[i];
        const twMesh* mesh = import->shapes[body->shape];
        for (int v = 0; v < mesh->vertex_count && !body->flat; v++)
        {
            const twVec3 p = tw_vec3_add(body->motion.position, tw_quat_rotate(body->motion.turn, mesh->vertices[v]));
            low = tw_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = tw_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
    }
    return tw_vec3_scale(tw_vec3_add(low, high), 0.5);
}

// angle from top to bottom, 0: the file does not say
static double angle_of(const twGlb* glb, int node)
{
    int64_t index;
    twGlbList cameras;
    double angle = 0;
    if (!tw_glb_whole(glb, node, "camera", 0, &index) || !tw_glb_list(glb, "cameras", &cameras)) return 0;
    if (index < cameras.count)
    {
        const int lens = tw_json_get(&glb->json, cameras.at[index], "perspective");
        const int fov = tw_json_get(&glb->json, lens, "yfov");
        if (tw_json_is(&glb->json, fov, TW_JSON_NUMBER)) angle = glb->json.nodes[fov].number;
    }
    free(cameras.at);
    return angle > 0 && angle < 3 ? angle : 0;
}

static int find_node(const ImportReader* reader)
{
    const twImportTree* tree = reader->import->tree;
    const char* wanted = reader->def->camera;
    for (int i = 0; i < tree->order_count; i++)
    {
        const ImportNode* node = &tree->nodes[tree->order[i]];
        if (tw_json_get(&reader->glb->json, node->json, "camera") >= 0 && (!wanted || strcmp(wanted, node->name) == 0))
            return tree->order[i];
    }
    return -1;
}

twStatus import_camera(ImportReader* reader, twError* err)
{
    twImport* import = reader->import;
    const int node = find_node(reader);
    if (node < 0 && reader->def->camera)
        return tw_fail(err, TW_BAD_INPUT, "%s: there is no camera '%.60s'", reader->glb->path, reader->def->camera);
    if (node < 0) return TW_OK;
    const ImportFrame frame = import_frame(import->tree, node, 0);
    // -z of the file
    const twVec3 ahead =
        tw_vec3_normalize(tw_vec3_scale(tw_mat3_mul_vec(frame.a, import_axes(import->tree, tw_vec3(0, 0, 1))), -1));
    if (!(tw_vec3_norm(ahead) > 0)) return TW_OK;
    const double away = tw_vec3_dot(ahead, tw_vec3_sub(find_middle(import), frame.p));
    import->camera = import->tree->nodes[node].name;
    import->eye = frame.p;
    import->target = tw_vec3_add_scaled(frame.p, ahead, away > NEAREST && away < 1e6 ? away : 1);
    import->view_angle = angle_of(reader->glb, import->tree->nodes[node].json);
    if (import_moves(import->tree, node))
        import_note(reader->import, "the camera '%.60s' does not move", import->camera);
    return TW_OK;
}
