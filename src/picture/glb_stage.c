// SPDX-License-Identifier: MIT
// What a glTF file has beside things: the camera of the film, a main light from above beside it and a weaker one from the
// other side, and the floor if there is one.
#include "picture/camera.h"
#include "picture/glb.h"

#define ASPECT (16.0 / 9)
#define MAIN_LIGHT 3.0  // what viewers that take lux as they come show well
#define SIDE_LIGHT 1.0
#define FLOOR 20.0  // half its side, in diagonals of what there is
#define FAR 100.0   // how much farther than the things the camera sees

static void add_camera(Glb* glb, const Camera* camera)
{
    GlbNode* node = glb_node(glb, "camera", GLB_ROOT);
    glb_place(&node->place, camera->eye, tw_quat_from_axes(camera->right, camera->up, camera->back));
    node->camera = glb->camera_count++;
    glb->view_angle = camera->view_angle;
    glb->aspect = camera->aspect;
    glb->near_plane = camera->near_plane;
    glb->far_plane = FAR * camera->far_plane;
}

// a light from a direction, given by shares of the camera's axes; it shines along -z of its node
static void add_light(Glb* glb, const char* name, const Camera* camera, twVec3 share, double strength)
{
    twVec3 from = tw_vec3_scale(camera->right, share.x);
    from = tw_vec3_add_scaled(from, camera->up, share.y);
    const twVec3 z = tw_vec3_normalize(tw_vec3_add_scaled(from, camera->back, share.z));
    const twVec3 x = tw_vec3_normalize(tw_vec3_cross(camera->up, z)), y = tw_vec3_cross(z, x);
    GlbNode* node = glb_node(glb, name, GLB_ROOT);
    glb_place(&node->place, camera->eye, tw_quat_from_axes(x, y, z));
    node->light = glb->light_count;
    glb->light[glb->light_count++] = strength;
}

static twStatus add_ground(Glb* glb, twError* err)
{
    const twSkin* skin = glb->skin;
    const twVec3 normal = tw_vec3_normalize(skin->trace->ground_normal);
    const twVec3 x =
        tw_vec3_normalize(tw_vec3_cross(fabs(normal.x) < 0.7 ? tw_vec3(1, 0, 0) : tw_vec3(0, 1, 0), normal));
    const twVec3 y = tw_vec3_cross(normal, x), middle = tw_vec3_scale(tw_vec3_add(skin->low, skin->high), 0.5);
    const double height = tw_vec3_dot(tw_vec3_sub(middle, skin->trace->ground_point), normal);
    const twVec3 centre = tw_vec3_add_scaled(middle, normal, -height);
    const double side = FLOOR * tw_vec3_norm(tw_vec3_sub(skin->high, skin->low));
    float position[12], up[12];
    for (int i = 0; i < 4; i++)
    {
        twVec3 p = tw_vec3_add_scaled(centre, x, i == 0 || i == 3 ? -side : side);
        p = tw_vec3_add_scaled(p, y, i < 2 ? -side : side);
        const double row[6] = {p.x, p.y, p.z, normal.x, normal.y, normal.z};
        for (int k = 0; k < 3; k++) position[3 * i + k] = (float)row[k], up[3 * i + k] = (float)row[3 + k];
    }

    GlbMesh* mesh = &glb->meshes[glb->mesh_count];
    *mesh = (GlbMesh){.name = "ground", .joints = -1, .weights = -1, .material = glb->material_count};
    glb->materials[glb->material_count++] = (GlbMaterial){"ground", {{0.3f, 0.3f, 0.32f}, 0, 0.9f}};
    glb_node(glb, "ground", GLB_ROOT)->mesh = glb->mesh_count++;
    const twTriangle faces[2] = {{{0, 1, 2}}, {{0, 2, 3}}};
    glb_view(glb, GLB_VERTICES);
    twStatus status = glb_floats(glb, &mesh->position, position, 4, 3, err);
    if (status == TW_OK) glb_bound(glb, mesh->position);
    glb_view(glb, GLB_VERTICES);
    if (status == TW_OK) status = glb_floats(glb, &mesh->normal, up, 4, 3, err);
    return status == TW_OK ? glb_faces(glb, mesh, faces, 2, 4, err) : status;
}

twStatus glb_stage(Glb* glb, twError* err)
{
    const Camera camera = camera_of(glb->skin, ASPECT);
    add_camera(glb, &camera);
    add_light(glb, "main light", &camera, tw_vec3(0.5, 1, 0.8), MAIN_LIGHT);
    add_light(glb, "side light", &camera, tw_vec3(-1, 0.3, 0.6), SIDE_LIGHT);
    return glb->skin->trace->ground ? add_ground(glb, err) : TW_OK;
}
