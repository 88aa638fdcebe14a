// SPDX-License-Identifier: MIT
// Polygons by ear clipping (Meisters, Amer. Math. Monthly 82, 1975): cut off a corner that is convex and holds no other
// corner, until three are left. The plane is that of Newell's normal, sum of x_i cross x_(i+1). Polygons that cross
// themselves or have very many corners become fans.
#include "mesh/soup.h"

enum
{
    MAX_EARS = 400  // the time grows with the cube of the corners
};

static twVec3 newell(const twVec3* x, const int* corners, int count)
{
    twVec3 sum = {0, 0, 0}, origin = x[corners[0]];
    for (int i = 1; i + 1 < count; i++)
        sum =
            tw_vec3_add(sum, tw_vec3_cross(tw_vec3_sub(x[corners[i]], origin), tw_vec3_sub(x[corners[i + 1]], origin)));
    return sum;
}

// twice the area of a triangle, as seen along the normal
static double turn(twVec3 a, twVec3 b, twVec3 c, twVec3 normal)
{
    return tw_vec3_dot(tw_vec3_cross(tw_vec3_sub(b, a), tw_vec3_sub(c, a)), normal);
}

static bool is_ear(const twVec3* x, const int* ring, int count, int i, twVec3 normal)
{
    int before = ring[(i + count - 1) % count], tip = ring[i], after = ring[(i + 1) % count];
    twVec3 a = x[before], b = x[tip], c = x[after];
    if (!(turn(a, b, c, normal) > 0)) return false;
    for (int k = 0; k < count; k++)
    {
        if (ring[k] == before || ring[k] == tip || ring[k] == after) continue;
        twVec3 p = x[ring[k]];
        if (turn(a, b, p, normal) >= 0 && turn(b, c, p, normal) >= 0 && turn(c, a, p, normal) >= 0) return false;
    }
    return true;
}

void tw_polygon_split(twTriangle* out, const twVec3* vertices, const int* corners, int count, int* scratch)
{
    twVec3 normal = newell(vertices, corners, count);
    int left = count, made = 0;
    for (int i = 0; i < count; i++) scratch[i] = corners[i];
    while (left > 3 && count <= MAX_EARS)
    {
        int ear = 0;
        while (ear < left && !is_ear(vertices, scratch, left, ear, normal)) ear++;
        if (ear == left) break;
        out[made++] = (twTriangle){{scratch[(ear + left - 1) % left], scratch[ear], scratch[(ear + 1) % left]}};
        left--;
        for (int i = ear; i < left; i++) scratch[i] = scratch[i + 1];
    }
    for (int i = 1; i + 1 < left; i++) out[made++] = (twTriangle){{scratch[0], scratch[i], scratch[i + 1]}};
}
