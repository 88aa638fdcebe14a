// SPDX-License-Identifier: MIT
// The camera of a picture, found from what is there.
//
// With the axes of the view fixed, a sphere of radius r around the point (x, y, z), z along back, is inside the left and
// right edges seen from the eye (a, b, c) if
//     |x - a| + r s <= t (c - z),   t = tangent of half the angle, s = sqrt(1 + t^2),
// so  a + t c >= A = max(x + t z + r s),   t c - a >= B = max(-x + t z + r s):   a = (A - B) / 2, c >= (A + B) / 2t,
// and likewise for b from top and bottom. The larger c serves both; the other direction then has room to spare, and is
// centred by the narrower angle for which c is just right, found between a few that are tried at once. Maxima over all that
// is seen are enough.

#include "picture/camera.h"

#include "picture/skin.h"

#include <string.h>

#define LEVELS 8  // angles tried
#define VIEW_ANGLE (30 * TW_PI / 180)
#define MARGIN 0.06     // of the half width and half height, left free
#define MAX_PLACES 3e6  // points of rods looked at over all frames
#define POSES 4096      // most poses of a body looked at
#define SHAPES 24       // most bent shapes of a body looked at
#define DIRECTIONS 96   // in which the outermost points of a body are taken

// what has been seen: the maxima of the two directions, and depths
typedef struct Fit
{
    twVec3 right, up, back;
    double tangent[2][LEVELS], slope[2][LEVELS];  // t, s = sqrt(1 + t^2)
    double most[2][LEVELS][2];                    // A, B
    double low, high;                             // along back
} Fit;

static void fit_sphere(Fit* fit, twVec3 p, double r)
{
    const double place[2] = {tw_vec3_dot(p, fit->right), tw_vec3_dot(p, fit->up)};
    const double z = tw_vec3_dot(p, fit->back);
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < LEVELS; l++)
        {
            const double pad = fit->tangent[k][l] * z + r * fit->slope[k][l];
            double* most = fit->most[k][l];
            if (place[k] + pad > most[0]) most[0] = place[k] + pad;
            if (pad - place[k] > most[1]) most[1] = pad - place[k];
        }
    if (z - r < fit->low) fit->low = z - r;
    if (z + r > fit->high) fit->high = z + r;
}

// ---- what is there ----

static twVec3 vertex(const float* positions, int i)
{
    return tw_vec3(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
}

// the k-th of count directions spread evenly (golden section spiral)
static twVec3 direction(int k, int count)
{
    const double z = 1 - (2 * k + 1.0) / count, turn = k * TW_PI * (3 - sqrt(5)), r = sqrt(1 - z * z);
    return tw_vec3(r * cos(turn), r * sin(turn), z);
}

// outermost points of a body at rest, in its own axes
static void outermost(const twSkinPart* part, twVec3 out[DIRECTIONS])
{
    for (int k = 0; k < DIRECTIONS; k++)
    {
        const twVec3 u = direction(k, DIRECTIONS);
        double most = -INFINITY;
        for (int i = 0; i < part->vertex_count; i++)
        {
            const twVec3 p = vertex(part->rest, i);
            if (!(tw_vec3_dot(p, u) > most)) continue;
            most = tw_vec3_dot(p, u);
            out[k] = p;
        }
    }
}

// a step through the frames so that about this many are taken
static int64_t stride(int64_t frames, double wanted)
{
    return frames > wanted ? (int64_t)ceil((double)frames / wanted) : 1;
}

static twVec3 placed(const twSkinJoint* joint, twVec3 p)
{
    const twQuat turn = tw_quat(joint->turn[0], joint->turn[1], joint->turn[2], joint->turn[3]);
    return tw_vec3_add(vertex(joint->position, 0), tw_quat_rotate(turn, p));
}

// a bent shape, and the same bent the other way: what vibrates has been there too, or will be
static void fit_shape(Fit* fit, const twSkin* skin, int index, int64_t frame, float* scratch)
{
    const twSkinPart* part = &skin->parts[index];
    twSkinJoint joint;
    tw_skin_joints(skin, index, frame, &joint);
    tw_skin_vertices(skin, index, frame, scratch, NULL);
    for (int i = 0; i < part->vertex_count; i++)
    {
        const twVec3 p = vertex(scratch, i);
        fit_sphere(fit, p, 0);
        if (part->mode_count == 0) continue;
        const twVec3 rest = placed(&joint, vertex(part->rest, i));
        fit_sphere(fit, tw_vec3_sub(tw_vec3_scale(rest, 2), p), 0);
    }
}

static void fit_body(Fit* fit, const twSkin* skin, int index, float* scratch)
{
    const twSkinPart* part = &skin->parts[index];
    const int64_t frames = skin->trace->frame_count;
    twVec3 hull[DIRECTIONS] = {0};
    outermost(part, hull);
    for (int64_t f = 0; f < frames; f += stride(frames, POSES))
    {
        twSkinJoint joint;
        tw_skin_joints(skin, index, f, &joint);
        for (int k = 0; k < DIRECTIONS; k++) fit_sphere(fit, placed(&joint, hull[k]), 0);
    }

    // bent shapes, of each part of the time the most bent, and what lies between the directions
    for (int64_t k = 0; k < SHAPES; k++)
    {
        const int64_t from = frames * k / SHAPES, to = frames * (k + 1) / SHAPES;
        if (from < to) fit_shape(fit, skin, index, skin_most_bent(skin->trace, part->body, from, to), scratch);
    }
}

static void fit_rod(Fit* fit, const twSkin* skin, int index, twSkinJoint* joints)
{
    const twSkinPart* part = &skin->parts[index];
    double radius = 0;
    for (int i = 0; i < part->vertex_count; i++) radius = fmax(radius, tw_vec3_norm(vertex(part->rest, i)));
    const int64_t frames = skin->trace->frame_count, step = stride(frames, MAX_PLACES / part->joint_count);
    for (int64_t f = 0; f < frames; f += step)
    {
        tw_skin_joints(skin, index, f, joints);
        for (int i = 0; i < part->joint_count; i++) fit_sphere(fit, vertex(joints[i].position, 0), radius);
    }
}

static void fit_box(Fit* fit, const twSkin* skin)
{
    for (int k = 0; k < 8; k++)
        fit_sphere(fit,
                   tw_vec3(k & 1 ? skin->high.x : skin->low.x, k & 2 ? skin->high.y : skin->low.y,
                           k & 4 ? skin->high.z : skin->low.z),
                   0);
}

// everything at all times; the box around it if there is no memory to look closer
static void fit_skin(Fit* fit, const twSkin* skin)
{
    size_t bytes = 64;
    for (int k = 0; k < skin->part_count; k++)
    {
        const twSkinPart* part = &skin->parts[k];
        size_t own = part->rod >= 0 ? (size_t)part->joint_count * sizeof(twSkinJoint)
                                    : (size_t)part->vertex_count * 3 * sizeof(float);
        if (own > bytes) bytes = own;
    }
    twArena* arena = tw_arena_create(bytes);
    void* scratch = arena ? tw_arena_alloc(arena, 1, bytes) : NULL;
    if (!scratch) fit_box(fit, skin);
    for (int k = 0; k < skin->part_count && scratch; k++)
    {
        if (skin->parts[k].rod >= 0)
            fit_rod(fit, skin, k, scratch);
        else
            fit_body(fit, skin, k, scratch);
    }
    tw_arena_destroy(arena);
}

static void fit_arrows(Fit* fit, const twTrace* trace, const Arrows* arrows)
{
    for (int64_t f = 0; f < trace->frame_count; f++)
        for (int k = 0; k < trace->arrow_count[f]; k++)
        {
            twVec3 tip;
            const double radius = arrows_head(arrows, &trace->arrows[f][k], &tip);
            if (radius > 0) fit_sphere(fit, tip, radius);
        }
}

// ---- from where ----

// long things are seen almost square to their length, flat ones from higher up
static twVec3 pleasant(const twSkin* skin)
{
    const twVec3 size = tw_vec3_sub(skin->high, skin->low);
    const bool along_y = size.y > 1.5 * size.x;
    const double most = fmax(size.x, size.y), least = fmin(size.x, size.y);
    const double round = most > 0 ? least / most : 1;  // 0: long, 1: as deep as wide
    const double flat = most > 0 ? fmax(0, fmin(1, (least - size.z) / most)) : 0;
    const double aside = (18 + 17 * round) * TW_PI / 180, above = (16 + 20 * flat) * TW_PI / 180;
    const double away = cos(aside) * cos(above), across = sin(aside) * cos(above);
    return along_y ? tw_vec3(away, across, sin(above)) : tw_vec3(across, -away, sin(above));
}

// the axes of a view along -back, z up
static void set_axes(Camera* camera, twVec3 back)
{
    camera->back = back;
    const bool steep = fabs(back.z) > 0.999;
    camera->right = tw_vec3_normalize(tw_vec3_cross(steep ? tw_vec3(0, 1, 0) : tw_vec3(0, 0, 1), back));
    camera->up = tw_vec3_cross(back, camera->right);
}

static Fit start_fit(const Camera* camera, double share)
{
    Fit fit = {.right = camera->right, .up = camera->up, .back = camera->back, .low = INFINITY, .high = -INFINITY};
    double t = share * tan(camera->view_angle / 2);
    for (int l = 0; l < LEVELS; l++, t *= 0.65)
    {
        fit.tangent[0][l] = t * camera->aspect;
        fit.tangent[1][l] = t;
        for (int k = 0; k < 2; k++)
        {
            fit.slope[k][l] = sqrt(1 + fit.tangent[k][l] * fit.tangent[k][l]);
            fit.most[k][l][0] = fit.most[k][l][1] = -INFINITY;
        }
    }
    return fit;
}

static double distance_for(const Fit* fit, int k, int level)
{
    return 0.5 * (fit->most[k][level][0] + fit->most[k][level][1]) / fit->tangent[k][level];
}

static double place_for(const Fit* fit, int k, int level)
{
    return 0.5 * (fit->most[k][level][0] - fit->most[k][level][1]);
}

// the middle of what is seen from this far away
static double centre(const Fit* fit, int k, double away)
{
    int level = 0;
    while (level < LEVELS - 1 && distance_for(fit, k, level + 1) <= away) level++;
    if (level == LEVELS - 1) return place_for(fit, k, level);
    const double a = distance_for(fit, k, level), b = distance_for(fit, k, level + 1);
    const double share = fmax(0, fmin(1, (away - a) / (b - a)));
    return place_for(fit, k, level) * (1 - share) + place_for(fit, k, level + 1) * share;
}

static twVec3 find_eye(const Camera* camera, const Fit* fit)
{
    double away = fit->high + 1e-6 + 1e-6 * fabs(fit->high);  // a single point has no size
    for (int k = 0; k < 2; k++) away = fmax(away, distance_for(fit, k, 0));
    twVec3 eye = tw_vec3_scale(camera->right, centre(fit, 0, away));
    eye = tw_vec3_add_scaled(eye, camera->up, centre(fit, 1, away));
    return tw_vec3_add_scaled(eye, camera->back, away);
}

Camera camera_of(const twSkin* skin, double aspect) { return camera_with_arrows(skin, aspect, NULL); }

Camera camera_with_arrows(const twSkin* skin, double aspect, const Arrows* arrows)
{
    const twTraceCamera* wish = &skin->trace->camera;
    Camera camera = {.aspect = aspect, .view_angle = wish->given ? wish->view_angle : VIEW_ANGLE};
    set_axes(&camera, wish->given ? tw_vec3_normalize(tw_vec3_sub(wish->eye, wish->target)) : pleasant(skin));
    Fit fit = start_fit(&camera, 1 - MARGIN);
    fit_skin(&fit, skin);
    if (arrows) fit_arrows(&fit, skin->trace, arrows);
    camera.eye = wish->given ? wish->eye : find_eye(&camera, &fit);

    // what is behind the eye of a given camera is not seen
    const double eye = tw_vec3_dot(camera.eye, camera.back);
    camera.far_plane = fmax(eye - fit.low, 1e-6) * 1.1;
    camera.near_plane = fmax((eye - fit.high) * 0.8, 1e-3 * camera.far_plane);
    return camera;
}

// ---- matrices ----

twVec3 camera_axes(const Camera* camera, twVec3 point)
{
    const twVec3 d = tw_vec3_sub(point, camera->eye);
    return tw_vec3(tw_vec3_dot(d, camera->right), tw_vec3_dot(d, camera->up), -tw_vec3_dot(d, camera->back));
}

void camera_view_matrix(const Camera* camera, float out[16])
{
    const twVec3 axis[3] = {camera->right, camera->up, camera->back};
    memset(out, 0, 16 * sizeof *out);
    for (int k = 0; k < 3; k++)
    {
        out[k] = (float)axis[k].x;
        out[4 + k] = (float)axis[k].y;
        out[8 + k] = (float)axis[k].z;
        out[12 + k] = (float)-tw_vec3_dot(axis[k], camera->eye);
    }
    out[15] = 1;
}

void camera_depth_matrix(const Camera* camera, float out[16])
{
    const double n = camera->near_plane, f = camera->far_plane, t = tan(camera->view_angle / 2);
    memset(out, 0, 16 * sizeof *out);
    out[0] = (float)(1 / (t * camera->aspect));
    out[5] = (float)(1 / t);
    out[10] = (float)((f + n) / (n - f));
    out[11] = -1;
    out[14] = (float)(2 * f * n / (n - f));
}
