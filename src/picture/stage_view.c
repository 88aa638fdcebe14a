// SPDX-License-Identifier: MIT
// Light, shadow map and floor of a stage.
//
// A pixel looks along d = s_x right + s_y up - back and meets the floor n.(p - o) = 0 at p = e + d (n.(o - e)) / (n.d).
// The shadow map is an affine function of p, so (u, v, 1) w is linear in (s_x, s_y, 1), which is linear in the pixel:
// one 3 x 3 matrix leads from pixels to the map.

#include "picture/stage.h"

#include <string.h>

#define MAP_TEXELS (1024.0 * 1024.0)
#define MAP_SIDE 2048
#define MAP_EDGE 40  // texels left free around everything, for the blur

// from the left of the camera, a little before it, and above
static twVec3 key_light(const Camera* camera)
{
    const twVec3 z = tw_vec3(0, 0, 1);
    const twVec3 before = tw_vec3_normalize(tw_vec3_cross(camera->right, z));  // level, towards the eye
    twVec3 to = tw_vec3_scale(camera->right, -0.55);
    to = tw_vec3_add_scaled(to, before, 0.45);
    return tw_vec3_normalize(tw_vec3_add_scaled(to, z, 0.95));
}

static twVec3 corner(const twSkin* skin, int k)
{
    return tw_vec3(k & 1 ? skin->high.x : skin->low.x, k & 2 ? skin->high.y : skin->low.y,
                   k & 4 ? skin->high.z : skin->low.z);
}

// the part of the longest side of the box that is square to the light
static twVec3 long_axis(const twSkin* skin, twVec3 light)
{
    const twVec3 size = tw_vec3_sub(skin->high, skin->low);
    twVec3 axis = tw_vec3(0, 0, 1);
    if (size.x >= size.z) axis = tw_vec3(1, 0, 0);
    if (size.y > size.x && size.y >= size.z) axis = tw_vec3(0, 1, 0);
    return tw_vec3_normalize(tw_vec3_add_scaled(axis, light, -tw_vec3_dot(axis, light)));
}

// ---- shadow map ----

typedef struct Map
{
    twVec3 axis[3];          // u, v, to the light
    double low[3], high[3];  // of the box along the axes
} Map;

static Map box_seen_from(const twSkin* skin, twVec3 light)
{
    Map map = {.axis = {long_axis(skin, light), {0, 0, 0}, light}};
    map.axis[1] = tw_vec3_cross(light, map.axis[0]);
    for (int j = 0; j < 3; j++)
    {
        map.low[j] = INFINITY;
        map.high[j] = -INFINITY;
        for (int k = 0; k < 8; k++)
        {
            const double at = tw_vec3_dot(map.axis[j], corner(skin, k));
            map.low[j] = fmin(map.low[j], at);
            map.high[j] = fmax(map.high[j], at);
        }
    }
    return map;
}

// square texels, as many as wanted, whole blocks of 16 each way
static void set_map(GlView* view, const Map* map)
{
    const double size[2] = {map->high[0] - map->low[0], map->high[1] - map->low[1]};
    const double depth = fmax(map->high[2] - map->low[2], 1e-6 * fmax(size[0], size[1])) * 1.2;
    const double free_side = MAP_SIDE - 2 * MAP_EDGE;
    double texel = fmax(fmax(size[0], size[1]) / free_side, sqrt(size[0] * size[1] / MAP_TEXELS));
    texel = fmax(texel, 1e-12);
    memset(view->shadow, 0, sizeof view->shadow);
    view->shadow_texel = (float)texel;
    for (int j = 0; j < 2; j++)
    {
        view->shadow_size[j] = ((int)ceil(size[j] / texel) + 2 * MAP_EDGE + 15) / 16 * 16;
        const double scale = 2 / (view->shadow_size[j] * texel), middle = 0.5 * (map->low[j] + map->high[j]);
        const double part[4] = {map->axis[j].x, map->axis[j].y, map->axis[j].z, -middle};
        for (int k = 0; k < 4; k++) view->shadow[4 * k + j] = (float)(scale * part[k]);
    }
    const double middle = 0.5 * (map->low[2] + map->high[2]);
    const double part[4] = {map->axis[2].x, map->axis[2].y, map->axis[2].z, -middle};
    for (int k = 0; k < 4; k++) view->shadow[4 * k + 2] = (float)(-2 / depth * part[k]);
    view->shadow[15] = 1;
}

// ---- floor ----

Floor floor_of(const twSkin* skin, const Camera* camera)
{
    const twTrace* trace = skin->trace;
    Floor floor = {.seen = true, .point = trace->ground_point, .normal = trace->ground_normal, .shadow = 0.5};
    if (!trace->ground)
    {
        // nothing stands on it: some way down, and the shadow fainter
        const twVec3 size = tw_vec3_sub(skin->high, skin->low);
        const double gap = 0.05 * tw_vec3_norm(size);
        floor.point = tw_vec3(0, 0, skin->low.z - gap);
        floor.normal = tw_vec3(0, 0, 1);
        floor.shadow = 0.35;
    }
    floor.seen = tw_vec3_dot(floor.normal, tw_vec3_sub(camera->eye, floor.point)) > 0;
    return floor;
}

// (u, v, 1) w of the map, times what keeps w positive where the floor is seen, for a direction
static twVec3 map_of_direction(const GlView* view, const Camera* camera, const Floor* floor, twVec3 d)
{
    const twVec3 e = camera->eye;
    const double height = tw_vec3_dot(floor->normal, tw_vec3_sub(e, floor->point));
    const double w = -tw_vec3_dot(floor->normal, d);
    double uv[2];
    for (int j = 0; j < 2; j++)
    {
        const float* m = view->shadow + j;
        const double at_eye = m[0] * e.x + m[4] * e.y + m[8] * e.z + m[12];
        const double along = m[0] * d.x + m[4] * d.y + m[8] * d.z;
        uv[j] = 0.5 * ((at_eye + 1) * w + along * height);
    }
    return tw_vec3(uv[0], uv[1], w);
}

// rows of pixels run down
static void set_floor(Floor* floor, const GlView* view, const Camera* camera, int width, int height)
{
    const double t = tan(camera->view_angle / 2);
    const twVec3 right = tw_vec3_scale(camera->right, t * camera->aspect), up = tw_vec3_scale(camera->up, t);
    twVec3 first = tw_vec3_add(tw_vec3_sub(up, right), tw_vec3_scale(camera->back, -1));  // of the corner at pixel 0, 0
    const twVec3 column[3] = {
        map_of_direction(view, camera, floor, tw_vec3_scale(right, 2.0 / width)),
        map_of_direction(view, camera, floor, tw_vec3_scale(up, -2.0 / height)),
        map_of_direction(view, camera, floor, first),
    };
    for (int k = 0; k < 3; k++)
    {
        floor->to_map[3 * k] = column[k].x;
        floor->to_map[3 * k + 1] = column[k].y;
        floor->to_map[3 * k + 2] = column[k].z;
    }
}

// ---- view ----

static void multiply(float out[16], const float a[16], const float b[16])
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
        {
            double sum = 0;
            for (int k = 0; k < 4; k++) sum += (double)a[4 * k + i] * b[4 * j + k];
            out[4 * j + i] = (float)sum;
        }
}

static void put(float out[3], twVec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

void stage_view(GlView* view, Floor* floor, const twSkin* skin, const Camera* camera, int width, int height)
{
    float eye[16], depth[16];
    camera_view_matrix(camera, eye);
    camera_depth_matrix(camera, depth);
    multiply(view->clip, depth, eye);
    put(view->eye, camera->eye);
    const twVec3 light = key_light(camera);
    put(view->light, light);
    view->pixel = (float)(2 * tan(camera->view_angle / 2) / height);
    const Map map = box_seen_from(skin, light);
    set_map(view, &map);
    set_floor(floor, view, camera, width, height);
}
