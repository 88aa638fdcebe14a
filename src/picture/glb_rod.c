// SPDX-License-Identifier: MIT
// A rod in glTF: a tube in the shape of its first frame, every vertex of which follows one of the nodes at the rod's points.
// The format places skinned meshes by their joints alone, so the tube is a node of the scene and its vertices have y up;
// the joints are below the root, where z is up. With C from z up to y up and x = R u + p the first place of a joint,
//     u = R^T (C^-1 X - p)
// takes a vertex X of the tube to the joint's axes: the inverse bind matrix.
#include "picture/glb.h"
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_JOINTS = 65536  // that 16 bits can name
};

// (x, y, z) -> (x, z, -y)
static void stand_up(float* rows, int count)
{
    for (int i = 0; i < count; i++)
    {
        const float y = rows[3 * i + 1];
        rows[3 * i + 1] = rows[3 * i + 2];
        rows[3 * i + 2] = -y;
    }
}

// the surface in the first frame
static twStatus write_surface(Glb* glb, int p, GlbMesh* mesh, twError* err)
{
    const twSkinPart* part = &glb->skin->parts[p];
    const size_t numbers = 3 * (size_t)part->vertex_count;
    float* rows = malloc(2 * numbers * sizeof *rows);
    if (!rows) return glb_no_memory(glb, err);
    tw_skin_vertices(glb->skin, p, 0, rows, rows + numbers);
    stand_up(rows, 2 * part->vertex_count);
    glb_view(glb, GLB_VERTICES);
    twStatus status = glb_floats(glb, &mesh->position, rows, part->vertex_count, 3, err);
    if (status == TW_OK) glb_bound(glb, mesh->position);
    glb_view(glb, GLB_VERTICES);
    if (status == TW_OK) status = glb_floats(glb, &mesh->normal, rows + numbers, part->vertex_count, 3, err);
    if (status == TW_OK) status = glb_faces(glb, mesh, part->faces, part->face_count, part->vertex_count, err);
    free(rows);
    return status;
}

// which joint a vertex follows: one, with all the weight
static twStatus write_bonds(Glb* glb, int p, GlbMesh* mesh, twError* err)
{
    const twSkinPart* part = &glb->skin->parts[p];
    int* rows = calloc(4 * (size_t)part->vertex_count, sizeof *rows);
    if (!rows) return glb_no_memory(glb, err);
    for (int i = 0; i < part->vertex_count; i++) rows[4 * i] = part->joint[i];
    glb_view(glb, GLB_VERTICES);
    twStatus status = glb_integers(glb, &mesh->joints, GLB_SHORT, rows, part->vertex_count, 4, err);
    for (int i = 0; i < part->vertex_count; i++) rows[4 * i] = 255;
    glb_view(glb, GLB_VERTICES);
    if (status == TW_OK) status = glb_integers(glb, &mesh->weights, GLB_BYTE, rows, part->vertex_count, 4, err);
    if (status == TW_OK) glb->accessors[mesh->weights].normalized = true;
    free(rows);
    return status;
}

// column by column
static void inverse_bind(const twSkinJoint* joint, float out[16])
{
    const twQuat back = tw_quat(joint->turn[0], -joint->turn[1], -joint->turn[2], -joint->turn[3]);
    const twVec3 p = tw_vec3(joint->position[0], joint->position[1], joint->position[2]);
    const twVec3 column[4] = {tw_quat_rotate(back, tw_vec3(1, 0, 0)), tw_quat_rotate(back, tw_vec3(0, 0, 1)),
                              tw_quat_rotate(back, tw_vec3(0, -1, 0)), tw_vec3_scale(tw_quat_rotate(back, p), -1)};
    for (int k = 0; k < 4; k++)
    {
        out[4 * k] = (float)column[k].x;
        out[4 * k + 1] = (float)column[k].y;
        out[4 * k + 2] = (float)column[k].z;
        out[4 * k + 3] = k == 3;
    }
}

static twStatus write_binds(Glb* glb, const twSkinJoint* joints, int count, GlbSkin* skin, twError* err)
{
    float* rows = malloc(16 * (size_t)count * sizeof *rows);
    if (!rows) return glb_no_memory(glb, err);
    for (int i = 0; i < count; i++) inverse_bind(&joints[i], rows + 16 * i);
    glb_view(glb, 0);
    twStatus status = glb_floats(glb, &skin->inverse_bind, rows, count, 16, err);
    free(rows);
    return status;
}

// the nodes at the rod's points, and the skin that they make
static twStatus add_joints(Glb* glb, int p, const twSkinJoint* places, twError* err)
{
    const twSkinPart* part = &glb->skin->parts[p];
    char name[TW_TRACE_NAME + 16];
    snprintf(name, sizeof name, "%s points", part->name);
    const int group = glb->node_count;
    glb_node(glb, name, GLB_ROOT);
    GlbSkin* skin = &glb->skins[glb->skin_count++];
    *skin = (GlbSkin){.name = part->name, .first_joint = glb->node_count, .joint_count = part->joint_count};
    for (int i = 0; i < part->joint_count; i++)
    {
        snprintf(name, sizeof name, "%s %d", part->name, i);
        glb_node(glb, name, group);
    }
    twStatus status = write_binds(glb, places, part->joint_count, skin, err);
    if (status == TW_OK) status = glb_moves(glb, skin->first_joint, part->joint_count, places, err);
    return status;
}

// the joints in all frames (frames x joints). @return whether they move, in *moving
static twStatus follow(Glb* glb, int p, twSkinJoint* places, bool* moving, twError* err)
{
    const int64_t frames = glb->skin->trace->frame_count, joints = glb->skin->parts[p].joint_count;
    twStatus status = TW_OK;
    for (int64_t f = 0; f < frames && status == TW_OK; f++)
    {
        tw_skin_joints(glb->skin, p, f, places + f * joints);
        *moving = *moving || memcmp(places, places + f * joints, (size_t)joints * sizeof *places) != 0;
        if (f % 64 == 0) status = glb_ask(glb, p, (double)f / (double)frames, err);
    }
    return status;
}

twStatus glb_rod(Glb* glb, int p, twError* err)
{
    const twSkinPart* part = &glb->skin->parts[p];
    if (part->joint_count > MAX_JOINTS)
        return tw_fail(err, TW_BAD_INPUT, "cannot write %s: rod '%s' has %d points, glTF can tell %d apart", glb->path,
                       part->name, part->joint_count, MAX_JOINTS);
    const size_t frames = (size_t)glb->skin->trace->frame_count, joints = (size_t)part->joint_count;
    bool moving = false;
    twSkinJoint* places = frames < SIZE_MAX / sizeof *places / joints ? malloc(frames * joints * sizeof *places) : NULL;
    if (!places) return glb_no_memory(glb, err);
    GlbNode* node = glb_node(glb, part->name, -1);
    GlbMesh* mesh = &glb->meshes[glb->mesh_count];
    *mesh = (GlbMesh){.name = part->name, .joints = -1, .weights = -1};
    mesh->material = glb_material(glb, part->material);
    node->mesh = glb->mesh_count++;

    twStatus status = follow(glb, p, places, &moving, err);
    if (status == TW_OK) status = write_surface(glb, p, mesh, err);
    if (moving) node->skin = glb->skin_count;
    if (moving && status == TW_OK) status = write_bonds(glb, p, mesh, err);
    if (moving && status == TW_OK) status = add_joints(glb, p, places, err);
    free(places);
    return status;
}
