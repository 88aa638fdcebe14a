// SPDX-License-Identifier: MIT
// Picking. A ray e + s d meets the triangle a, b, c where  s d = (1 - v - w) a + v b + w c - e  (Moeller and Trumbore 1997):
// with p = d x (c - a), t = e - a, q = t x (b - a) and D = p . (b - a),  v = p . t/D,  w = q . d/D,  s = q . (c - a)/D.
// Faces are asked in the body's axes, if the ray meets the box of them all. A ray meets a ball about c, or a cylinder about a line through
// c, where  |s d - o|^2 = r^2  with o = c - e, of a cylinder with the parts of d and o across its line.
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

// a point of a triangle that has v and w of two corners, up to rounding
static void pick_share(double weight[3], double v, double w)
{
    v = fmax(v, 0), w = fmax(w, 0);
    const double over = fmax(v + w, 1);
    weight[1] = v / over, weight[2] = w / over;
    weight[0] = fmax(1 - weight[1] - weight[2], 0);
}

// @return the distance along a ray; INFINITY: it does not meet
static double meet_face(const twVec3 x[3], twVec3 eye, twVec3 direction, double weight[3])
{
    const twVec3 ab = tw_vec3_sub(x[1], x[0]), ac = tw_vec3_sub(x[2], x[0]), p = tw_vec3_cross(direction, ac);
    const double determinant = tw_vec3_dot(p, ab);
    if (determinant == 0) return INFINITY;
    const twVec3 t = tw_vec3_sub(eye, x[0]), q = tw_vec3_cross(t, ab);
    const double v = tw_vec3_dot(p, t) / determinant, w = tw_vec3_dot(q, direction) / determinant;
    const double s = tw_vec3_dot(q, ac) / determinant;
    // edges belong to both faces, however rounding goes
    const double edge = -1e-12;
    if (!(v >= edge && w >= edge && v + w <= 1 - edge && s >= 0)) return INFINITY;
    pick_share(weight, v, w);
    return s;
}

// the face of a cover that a ray in the body's axes meets first, nearer than limit
static double pick_ray(const twCover* cover, const float* positions, twVec3 eye, twVec3 direction, double limit,
                       twSurfacePoint* point)
{
    double nearest = limit, weight[3] = {0};
    if (!meets_box(positions, cover->vertex_count, eye, direction, limit)) return INFINITY;
    for (int f = 0; f < cover->face_count; f++)
    {
        const int* v = cover->faces[f].v;
        const twVec3 x[3] = {point_at(positions, v[0]), point_at(positions, v[1]), point_at(positions, v[2])};
        const double s = meet_face(x, eye, direction, weight);
        if (!(s < nearest)) continue;
        nearest = s;
        *point = (twSurfacePoint){{v[0], v[1], v[2]}, {weight[0], weight[1], weight[2]}};
    }
    return nearest < limit ? nearest : INFINITY;
}

// ---- the shape's own surface ----

double pick_nearest(const ContactShape* shape, twVec3 place, twSurfacePoint* point)
{
    const twVec3 at = tw_vec3_sub(place, shape->centre);
    double nearest = INFINITY;
    for (int f = 0; f < shape->face_count; f++)
    {
        const int* v = shape->faces[f].v;
        const twVec3 x[3] = {shape->vertices[v[0]], shape->vertices[v[1]], shape->vertices[v[2]]};
        const twVec3 foot = tw_triangle_nearest(x, at);
        const double distance = tw_vec3_norm(tw_vec3_sub(foot, at));
        if (!(distance < nearest)) continue;
        nearest = distance;
        // shares by areas
        const twVec3 a = tw_vec3_sub(x[0], foot), b = tw_vec3_sub(x[1], foot), c = tw_vec3_sub(x[2], foot);
        const twVec3 normal = tw_vec3_cross(tw_vec3_sub(x[1], x[0]), tw_vec3_sub(x[2], x[0]));
        const double all = tw_vec3_dot(normal, normal), part = all > 0 ? 1 / all : 0;
        *point = (twSurfacePoint){.vertex = {v[0], v[1], v[2]}};
        pick_share(point->weight, part * tw_vec3_dot(normal, tw_vec3_cross(c, a)),
                   part * tw_vec3_dot(normal, tw_vec3_cross(a, b)));
    }
    return nearest;
}

double pick_body(const twCover* cover, const ContactShape* shape, const twLivePose* pose, twVec3 eye, twVec3 direction,
                 double limit, float* positions, float* scratch, twSurfacePoint* point, twVec3* place)
{
    const twQuat back = tw_quat_conj(pose->turn);
    const twVec3 from = tw_quat_rotate(back, tw_vec3_sub(eye, pose->position)), way = tw_quat_rotate(back, direction);
    tw_cover_bend(cover, pose->amplitude, positions, NULL, scratch);
    const double distance = pick_ray(cover, positions, from, way, limit, point);
    if (!(distance < INFINITY)) return INFINITY;
    *place = tw_vec3_add_scaled(eye, direction, distance);
    // a cover of the same vertices and faces is the shape's own surface, if nothing hangs on tets
    if (!cover->hangs && cover->vertex_count == shape->vertex_count && cover->face_count == shape->face_count)
        return distance;
    twVec3 rest = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        rest = tw_vec3_add_scaled(rest, point_at(cover->rest, point->vertex[i]), point->weight[i]);
    return pick_nearest(shape, rest, point) < INFINITY ? distance : INFINITY;
}

// ---- rods ----

static twVec3 pick_point(const twLiveRod* rod, int i)
{
    return tw_vec3(rod->position[3 * i], rod->position[3 * i + 1], rod->position[3 * i + 2]);
}

static double pick_radius(const twLiveRod* rod, int i)
{
    const twSection* s = rod->section + (rod->section_count > 1 ? i : 0);
    return s->radius > 0 ? s->radius : fmax(s->half_size[0], s->half_size[1]);
}

// both distances at which |s d - o| = r. @return false: none
static bool pick_round(twVec3 d, twVec3 o, double r, double s[2])
{
    const double a = tw_vec3_dot(d, d), b = tw_vec3_dot(d, o), root = b * b - a * (tw_vec3_dot(o, o) - r * r);
    if (!(root >= 0 && a > 0)) return false;
    s[0] = (b - sqrt(root)) / a;
    s[1] = (b + sqrt(root)) / a;
    return true;
}

static void pick_ball(const twLiveRod* rod, int i, twVec3 eye, twVec3 direction, double* nearest, int* node)
{
    double s[2];
    if (!pick_round(direction, tw_vec3_sub(pick_point(rod, i), eye), pick_radius(rod, i), s)) return;
    for (int k = 0; k < 2; k++)
        if (s[k] >= 0 && s[k] < *nearest) *nearest = s[k], *node = i;
}

static void pick_edge(const twLiveRod* rod, int i, int next, twVec3 eye, twVec3 direction, double* nearest, int* node)
{
    const twVec3 o = tw_vec3_sub(pick_point(rod, i), eye),
                 edge = tw_vec3_sub(pick_point(rod, next), pick_point(rod, i));
    const double square = tw_vec3_dot(edge, edge), way = tw_vec3_dot(direction, edge) / square,
                 start = tw_vec3_dot(o, edge) / square;
    double s[2];
    if (!pick_round(tw_vec3_add_scaled(direction, edge, -way), tw_vec3_add_scaled(o, edge, -start),
                    0.5 * (pick_radius(rod, i) + pick_radius(rod, next)), s))
        return;
    for (int k = 0; k < 2; k++)
    {
        const double share = s[k] * way - start;
        if (s[k] >= 0 && s[k] < *nearest && share >= 0 && share <= 1) *nearest = s[k], *node = share < 0.5 ? i : next;
    }
}

double pick_rod(const twLiveRod* rod, twVec3 eye, twVec3 direction, double limit, int* node)
{
    const int n = rod->point_count;
    double nearest = limit;
    for (int i = 0; i < n; i++) pick_ball(rod, i, eye, direction, &nearest, node);
    for (int i = 0; i < (rod->closed ? n : n - 1); i++) pick_edge(rod, i, (i + 1) % n, eye, direction, &nearest, node);
    return nearest < limit ? nearest : INFINITY;
}
