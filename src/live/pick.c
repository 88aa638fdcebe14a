// SPDX-License-Identifier: MIT
// Picking. A ray e + s d meets the triangle a, b, c where  s d = (1 - v - w) a + v b + w c - e  (Moeller and Trumbore 1997):
// with p = d x (c - a), t = e - a, q = t x (b - a) and D = p . (b - a),  v = p . t/D,  w = q . d/D,  s = q . (c - a)/D.
// Faces are asked in the body's axes, if the ray meets the box of them all.
#include "live/pick.h"

static twVec3 point_at(const float* positions, int v)
{
    const float* x = positions + 3 * (size_t)v;
    return tw_vec3((double)x[0], (double)x[1], (double)x[2]);
}

// ---- rays ----

// the part [from, to] of a ray that is in a slab
static void cut(double eye, double way, double low, double high, double* from, double* to)
{
    if (way == 0)
    {
        if (eye < low || eye > high) *to = -INFINITY;
        return;
    }
    double a = (low - eye) / way, b = (high - eye) / way;
    *from = fmax(*from, fmin(a, b));
    *to = fmin(*to, fmax(a, b));
}

static bool meets_box(const float* positions, int vertices, twVec3 eye, twVec3 direction, double limit)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int v = 0; v < vertices; v++)
        for (int d = 0; d < 3; d++)
        {
            const float x = positions[3 * (size_t)v + (size_t)d];
            low[d] = x < low[d] ? x : low[d];
            high[d] = x > high[d] ? x : high[d];
        }
    const double e[3] = {eye.x, eye.y, eye.z}, way[3] = {direction.x, direction.y, direction.z};
    double from = 0, to = limit;
    for (int d = 0; d < 3; d++) cut(e[d], way[d], (double)low[d], (double)high[d], &from, &to);
    // a little more, because flat surfaces have flat boxes
    return from <= to + 1e-9 * fabs(to);
}

static bool meet_face(const twVec3 x[3], twVec3 eye, twVec3 direction, PickHit* hit)
{
    twVec3 ab = tw_vec3_sub(x[1], x[0]), ac = tw_vec3_sub(x[2], x[0]), p = tw_vec3_cross(direction, ac);
    double determinant = tw_vec3_dot(p, ab);
    if (determinant == 0) return false;
    twVec3 t = tw_vec3_sub(eye, x[0]), q = tw_vec3_cross(t, ab);
    double v = tw_vec3_dot(p, t) / determinant, w = tw_vec3_dot(q, direction) / determinant;
    double s = tw_vec3_dot(q, ac) / determinant;
    // edges belong to both faces, however rounding goes
    const double edge = -1e-12;
    if (!(v >= edge && w >= edge && v + w <= 1 - edge && s >= 0 && s < hit->distance)) return false;
    v = fmax(v, 0), w = fmax(w, 0);
    double over = fmax(v + w, 1);
    hit->weight[1] = v / over, hit->weight[2] = w / over;
    hit->weight[0] = fmax(1 - hit->weight[1] - hit->weight[2], 0);
    hit->distance = s;
    return true;
}

PickHit pick_ray(const float* positions, int vertices, const twTriangle* faces, int count, twVec3 eye, twVec3 direction,
                 double limit)
{
    PickHit hit = {.face = -1, .distance = limit};
    if (!meets_box(positions, vertices, eye, direction, limit)) return hit;
    for (int f = 0; f < count; f++)
    {
        const int* v = faces[f].v;
        const twVec3 x[3] = {point_at(positions, v[0]), point_at(positions, v[1]), point_at(positions, v[2])};
        if (meet_face(x, eye, direction, &hit)) hit.face = f;
    }
    return hit;
}

// ---- the shape's own surface ----

// shares of a point of a triangle, by areas
static void share(const twVec3 x[3], twVec3 at, double weight[3])
{
    twVec3 normal = tw_vec3_cross(tw_vec3_sub(x[1], x[0]), tw_vec3_sub(x[2], x[0]));
    double all = tw_vec3_dot(normal, normal);
    for (int i = 1; i < 3; i++)
    {
        twVec3 from = tw_vec3_sub(x[(i + 1) % 3], at), to = tw_vec3_sub(x[(i + 2) % 3], at);
        double part = all > 0 ? tw_vec3_dot(normal, tw_vec3_cross(from, to)) / all : 0;
        weight[i] = fmin(fmax(part, 0), 1);
    }
    double over = fmax(weight[1] + weight[2], 1);
    weight[1] /= over, weight[2] /= over;
    weight[0] = fmax(1 - weight[1] - weight[2], 0);
}

PickHit pick_nearest(const twVec3* vertices, const twTriangle* faces, int count, twVec3 place)
{
    PickHit hit = {.face = -1, .distance = INFINITY};
    twVec3 best = place;
    for (int f = 0; f < count; f++)
    {
        const int* v = faces[f].v;
        const twVec3 x[3] = {vertices[v[0]], vertices[v[1]], vertices[v[2]]};
        twVec3 foot = tw_triangle_nearest(x, place);
        double distance = tw_vec3_norm(tw_vec3_sub(foot, place));
        if (distance < hit.distance) hit.distance = distance, hit.face = f, best = foot;
    }
    if (hit.face < 0) return hit;
    const int* v = faces[hit.face].v;
    const twVec3 x[3] = {vertices[v[0]], vertices[v[1]], vertices[v[2]]};
    share(x, best, hit.weight);
    return hit;
}

// ---- bodies ----

static twVec3 mix(const float* positions, const int v[3], const double weight[3])
{
    twVec3 sum = tw_vec3(0, 0, 0);
    for (int i = 0; i < 3; i++) sum = tw_vec3_add_scaled(sum, point_at(positions, v[i]), weight[i]);
    return sum;
}

static void name(twSurfacePoint* point, const int v[3], const double weight[3])
{
    for (int i = 0; i < 3; i++) point->vertex[i] = v[i], point->weight[i] = weight[i];
}

// a cover of the same vertices and faces is the shape's own surface, if nothing hangs on tets
static bool is_own(const PickBody* body)
{
    return !body->cover->hangs && body->cover->vertex_count == body->vertex_count &&
           body->cover->face_count == body->face_count;
}

double pick_body(const PickBody* body, twVec3 eye, twVec3 direction, double limit, float* positions, float* scratch,
                 twSurfacePoint* point, twVec3* place)
{
    const twCover* cover = body->cover;
    twQuat back = tw_quat_conj(body->turn);
    twVec3 from = tw_quat_rotate(back, tw_vec3_sub(eye, body->position)), way = tw_quat_rotate(back, direction);
    tw_cover_bend(cover, body->amplitude, positions, NULL, scratch);
    PickHit hit = pick_ray(positions, cover->vertex_count, cover->faces, cover->face_count, from, way, limit);
    if (hit.face < 0) return INFINITY;
    const int* v = cover->faces[hit.face].v;
    *place = tw_vec3_add_scaled(eye, direction, hit.distance);
    name(point, v, hit.weight);
    if (is_own(body)) return hit.distance;
    twVec3 rest = tw_vec3_sub(mix(cover->rest, v, hit.weight), body->centre);
    PickHit own = pick_nearest(body->vertices, body->faces, body->face_count, rest);
    if (own.face < 0) return INFINITY;
    name(point, body->faces[own.face].v, own.weight);
    return hit.distance;
}
