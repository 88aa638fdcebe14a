// SPDX-License-Identifier: MIT
// The backdrop: a studio whose floor runs into the wall.

#include "picture/stage.h"

// sRGB, 0 to 255
static const double wall_low[3] = {226, 228, 231}, wall_high[3] = {150, 160, 174}, ground[3] = {206, 203, 199};

// a fixed pattern within half a step, so that the slow gradient shows no bands
static double dither(int x, int y)
{
    const double a = 0.06711056 * x + 0.00583715 * y, b = 52.9829189 * (a - floor(a));
    return b - floor(b) - 0.5;
}

static double smooth(double low, double high, double x)
{
    const double t = fmax(0, fmin(1, (x - low) / (high - low)));
    return t * t * (3 - 2 * t);
}

// how much of the floor is left at a point: all near the things, nothing far away
static double nearness(const twSkin* skin, twVec3 point)
{
    const twVec3 middle = tw_vec3_scale(tw_vec3_add(skin->low, skin->high), 0.5);
    const double size = 0.5 * tw_vec3_norm(tw_vec3_sub(skin->high, skin->low));
    return 1 - smooth(0.6, 5, tw_vec3_norm(tw_vec3_sub(point, middle)) / fmax(size, 1e-12));
}

// share of the floor in what is seen along d
static double share_of_floor(const twSkin* skin, const Camera* camera, const Floor* floor, twVec3 d)
{
    const double towards = -tw_vec3_dot(floor->normal, d);
    if (!floor->seen || towards <= 1e-9) return 0;
    const double height = tw_vec3_dot(floor->normal, tw_vec3_sub(camera->eye, floor->point));
    return nearness(skin, tw_vec3_add_scaled(camera->eye, d, height / towards));
}

void stage_backdrop(uint8_t* rgb, int width, int height, const twSkin* skin, const Camera* camera, const Floor* floor)
{
    const double t = tan(camera->view_angle / 2);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
        {
            const double sx = (2 * (x + 0.5) / width - 1), sy = 1 - 2 * (y + 0.5) / height;
            twVec3 d = tw_vec3_scale(camera->right, sx * t * camera->aspect);
            d = tw_vec3_sub(tw_vec3_add_scaled(d, camera->up, sy * t), camera->back);
            const double near = share_of_floor(skin, camera, floor, d), high = smooth(-0.2, 1.3, sy);
            const double edge = 1 - 0.07 * (sx * sx + sy * sy);
            for (int k = 0; k < 3; k++)
            {
                const double wall = wall_low[k] + (wall_high[k] - wall_low[k]) * high;
                const double c = (wall + (ground[k] - wall) * near) * edge + dither(x, y);
                rgb[((size_t)y * (size_t)width + (size_t)x) * 3 + (size_t)k] = (uint8_t)fmax(0, fmin(255, c + 0.5));
            }
        }
}
