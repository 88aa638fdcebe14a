// SPDX-License-Identifier: MIT
// The surface of a rod: at every point a ring, the section's outline; between rings strips; at the ends caps. The ring of a
// point stands across the mean of its edges' directions and is turned as the mean of their material frames.
//
// Where a closed rod closes, the frames of its last and first edge differ, since frames that do not twist come back turned
// by an angle (its writhe, and what twist it was made with). A round rod looks the same at any angle: its last ring is joined to
// the first so many vertices further, and nothing of this angle, the seam, is seen.

#include "mesh/soup.h"
#include "skin.h"
#include <stdlib.h>

#define CREASE_COS 0.77  // 40 degrees

// the outline as a ring of vertices; at an edge of the surface there are two at one place
typedef struct Ring
{
    int count;
    double* at;         // (count x 2) in units of the half sizes
    double* normal;     // (count x 2) of a section with equal half sizes
    int segment_count;  // of the outline
    int* from;          // (segments) ring vertex where each begins
    int* to;            // and ends
} Ring;

static void free_ring(Ring* ring)
{
    free(ring->at);
    free(ring->normal);
    free(ring->from);
    free(ring->to);
}

static bool alloc_ring(Ring* ring, int segments)
{
    const size_t n = (size_t)segments;
    *ring = (Ring){.segment_count = segments,
                   .at = calloc(4 * n, sizeof(double)),
                   .normal = calloc(4 * n, sizeof(double)),
                   .from = calloc(n, sizeof(int)),
                   .to = calloc(n, sizeof(int))};
    return ring->at && ring->normal && ring->from && ring->to;
}

static void add(Ring* ring, double x, double y, double nx, double ny)
{
    const double size = hypot(nx, ny) > 0 ? hypot(nx, ny) : 1;
    ring->at[2 * ring->count] = x;
    ring->at[2 * ring->count + 1] = y;
    ring->normal[2 * ring->count] = nx / size;
    ring->normal[2 * ring->count + 1] = ny / size;
    ring->count++;
}

static bool round_ring(Ring* ring, int sides)
{
    if (!alloc_ring(ring, sides)) return false;
    for (int i = 0; i < sides; i++)
    {
        const double angle = 2 * TW_PI * i / sides;
        add(ring, cos(angle), sin(angle), cos(angle), sin(angle));
        ring->from[i] = i;
        ring->to[i] = (i + 1) % sides;
    }
    return true;
}

// outward normal of the side from corner i, for half sizes a, b: scaled so that it can be used with equal ones
static void side_normal(const twTraceRod* rod, int i, double* nx, double* ny)
{
    const double *p = rod->corners + 2 * i, *q = rod->corners + 2 * ((i + 1) % rod->corner_count);
    const double a = rod->sections[0].half_size[0], b = rod->sections[0].half_size[1];
    const double x = b * (q[1] - p[1]), y = -a * (q[0] - p[0]), size = hypot(x, y);
    *nx = size > 0 ? x / size : 0;
    *ny = size > 0 ? y / size : 0;
}

static bool cornered_ring(Ring* ring, const twTraceRod* rod)
{
    const int n = rod->corner_count;
    if (!alloc_ring(ring, n)) return false;
    for (int i = 0; i < n; i++)
    {
        double ax, ay, bx, by;
        side_normal(rod, (i + n - 1) % n, &ax, &ay);
        side_normal(rod, i, &bx, &by);
        const bool sharp = ax * bx + ay * by < CREASE_COS;
        const double x = rod->corners[2 * i], y = rod->corners[2 * i + 1];
        ring->to[(i + n - 1) % n] = ring->count;
        if (sharp) add(ring, x, y, ax, ay);
        ring->from[i] = ring->count;
        if (sharp)
            add(ring, x, y, bx, by);
        else
            add(ring, x, y, ax + bx, ay + by);
    }
    return true;
}

// ---- the tube ----

static const twTraceSection* section_at(const twTraceRod* rod, int point)
{
    return &rod->sections[rod->section_count == 1 ? 0 : point];
}

// vertices of one ring, in the axes of its joint; normals of ellipses are those of the ellipse
static void put_ring(const Ring* ring, const twTraceRod* rod, int point, float* rest, float* normal, int* joint)
{
    const twTraceSection* s = section_at(rod, point);
    const bool round = rod->corner_count == 0;
    for (int i = 0; i < ring->count; i++)
    {
        const double *at = ring->at + 2 * i, *n = ring->normal + 2 * i;
        skin_put(rest + 3 * i, tw_vec3(s->half_size[0] * at[0], s->half_size[1] * at[1], 0));
        const twVec3 out = round ? tw_vec3(n[0] * s->half_size[1], n[1] * s->half_size[0], 0) : tw_vec3(n[0], n[1], 0);
        skin_put(normal + 3 * i, tw_vec3_normalize(out));
        joint[i] = point;
    }
}

// shift: how many segments the first ring is turned against the last at the seam of a closed rod
static void put_strips(const Ring* ring, int points, bool closed, int shift, twTriangle* faces)
{
    const int edges = closed ? points : points - 1, count = ring->segment_count;
    for (int e = 0; e < edges; e++)
        for (int k = 0; k < count; k++)
        {
            const int here = e * ring->count, next = (e + 1) % points * ring->count;
            const int over = e + 1 < points ? k : (k - shift + count) % count;
            const int a = here + ring->from[k], b = here + ring->to[k];
            const int c = next + ring->to[over], d = next + ring->from[over];
            *faces++ = (twTriangle){{a, b, c}};
            *faces++ = (twTriangle){{a, c, d}};
        }
}

// the flat end at a point; sign is -1 at the start
static bool put_cap(const Ring* ring, const twTraceRod* rod, int point, double sign, int first, float* rest,
                    float* normal, int* joint, twTriangle* faces)
{
    const int n = ring->segment_count;
    const twTraceSection* s = section_at(rod, point);
    twVec3* x = malloc((size_t)n * sizeof *x);
    int* corners = malloc(2 * (size_t)n * sizeof *corners);
    for (int i = 0; x && corners && i < n; i++)
    {
        const double* at = ring->at + 2 * ring->from[i];
        x[i] = tw_vec3(s->half_size[0] * at[0], s->half_size[1] * at[1], 0);
        corners[i] = i;
        skin_put(rest + 3 * i, x[i]);
        skin_put(normal + 3 * i, tw_vec3(0, 0, sign));
        joint[i] = point;
    }
    const bool good = x && corners;
    if (good) tw_polygon_split(faces, x, corners, n, corners + n);
    for (int f = 0; good && f < n - 2; f++)
    {
        int* v = faces[f].v;
        const int b = v[1], c = v[2];
        v[0] += first;
        v[1] = first + (sign > 0 ? b : c);
        v[2] = first + (sign > 0 ? c : b);
    }
    free(x);
    free(corners);
    return good;
}

static bool fill(twSkinPart* part, const Ring* ring, const twTraceRod* rod, double seam, twArena* arena)
{
    const int n = rod->point_count, m = ring->count, corners = ring->segment_count;
    float *rest = tw_arena_alloc(arena, 3 * (size_t)part->vertex_count, sizeof *rest),
          *normal = tw_arena_alloc(arena, 3 * (size_t)part->vertex_count, sizeof *normal);
    int* joint = tw_arena_alloc(arena, (size_t)part->vertex_count, sizeof *joint);
    twTriangle* faces = tw_arena_alloc(arena, (size_t)part->face_count, sizeof *faces);
    if (!rest || !normal || !joint || !faces) return false;
    for (int i = 0; i < n; i++)
        put_ring(ring, rod, i, rest + 3 * (size_t)i * (size_t)m, normal + 3 * (size_t)i * (size_t)m,
                 joint + (size_t)i * (size_t)m);
    put_strips(ring, n, rod->closed, (int)lround(seam / (2 * TW_PI) * corners), faces);
    bool good = true;
    for (int end = 0; end < 2 && !rod->closed && good; end++)
    {
        const int first = n * m + end * corners;
        const size_t at = (size_t)first, face = 2 * (size_t)(n - 1) * (size_t)corners + (size_t)(end * (corners - 2));
        good = put_cap(ring, rod, end * (n - 1), end ? 1 : -1, first, rest + 3 * at, normal + 3 * at, joint + at,
                       faces + face);
    }
    part->rest = rest;
    part->rest_normal = normal;
    part->joint = joint;
    part->faces = faces;
    return good;
}

twStatus skin_rod(twSkinPart* part, const twTraceRod* rod, double seam, int sides, twArena* arena, twError* err)
{
    Ring ring = {0};
    bool good = rod->corner_count > 0 ? cornered_ring(&ring, rod) : round_ring(&ring, sides);
    const int64_t edges = rod->closed ? rod->point_count : rod->point_count - 1;
    const int64_t vertices = (int64_t)rod->point_count * ring.count + (rod->closed ? 0 : 2 * ring.segment_count);
    const int64_t faces = 2 * edges * ring.segment_count + (rod->closed ? 0 : 2 * (ring.segment_count - 2));
    if (good && (vertices > INT32_MAX / 8 || faces > INT32_MAX / 8))
    {
        free_ring(&ring);
        return tw_fail(err, TW_BAD_INPUT, "rod '%s': its surface would have %lld triangles; take fewer sides",
                       rod->name, (long long)faces);
    }
    part->joint_count = rod->point_count;
    part->vertex_count = (int)vertices;
    part->face_count = (int)faces;
    good = good && fill(part, &ring, rod, seam, arena);
    free_ring(&ring);
    return good ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the surface of '%s'", rod->name);
}

// ---- joints ----

twVec3 skin_rod_point(const SkinRod* r, int point)
{
    const twVec3 first = skin_vec3(r->x0 + 3 * point), to = skin_vec3(r->x + 3 * point);
    twVec3 from = first;
    if (r->fit) from = tw_vec3_add(r->fit->to, tw_quat_rotate(r->fit->turn, tw_vec3_sub(first, r->fit->from)));
    return tw_vec3_add_scaled(from, tw_vec3_sub(to, from), r->exaggeration);
}

static twVec3 edge_along(const SkinRod* r, int edge)
{
    const int next = (edge + 1) % r->rod->point_count;
    return tw_vec3_normalize(tw_vec3_sub(skin_rod_point(r, next), skin_rod_point(r, edge)));
}

// any direction across t
static twVec3 across(twVec3 t)
{
    const twVec3 least = fabs(t.x) < fabs(t.y) ? tw_vec3(1, 0, 0) : tw_vec3(0, 1, 0);
    return tw_vec3_normalize(tw_vec3_cross(t, least));
}

static twVec3 orthogonal(twVec3 v, twVec3 t)
{
    const twVec3 u = tw_vec3_add_scaled(v, t, -tw_vec3_dot(v, t));
    return tw_vec3_norm(u) > 1e-6 * tw_vec3_norm(v) ? tw_vec3_normalize(u) : across(t);
}

// v turned about a unit axis that it is square to
static twVec3 turned(twVec3 v, twVec3 axis, double angle)
{
    return tw_vec3_add(tw_vec3_scale(v, cos(angle)), tw_vec3_scale(tw_vec3_cross(axis, v), sin(angle)));
}

static bool is_round(const twTraceRod* rod)
{
    if (rod->corner_count > 0) return false;
    for (int i = 0; i < rod->section_count; i++)
        if (rod->sections[i].half_size[0] != rod->sections[i].half_size[1]) return false;
    return true;
}

double skin_rod_seam(const twTrace* trace, int index)
{
    const twTraceRod* rod = &trace->rods[index];
    if (!rod->closed || !is_round(rod)) return 0;
    const int last = rod->point_count - 1;
    const float *x = tw_trace_positions(trace, 0, index), *d1 = tw_trace_directors(trace, 0, index);
    const twVec3 a = tw_vec3_normalize(tw_vec3_sub(skin_vec3(x), skin_vec3(x + 3 * last)));
    const twVec3 b = tw_vec3_normalize(tw_vec3_sub(skin_vec3(x + 3), skin_vec3(x)));

    // the last frame, carried over the bend by two reflections: a to -b, -b to b
    const twVec3 from = orthogonal(skin_vec3(d1 + 3 * last), a), to = orthogonal(skin_vec3(d1), b);
    const twVec3 sum = tw_vec3_add(a, b);
    const double square = tw_vec3_dot(sum, sum);
    const twVec3 over = square > 0 ? tw_vec3_add_scaled(from, sum, -2 * tw_vec3_dot(sum, from) / square) : from;
    return atan2(tw_vec3_dot(b, tw_vec3_cross(over, to)), tw_vec3_dot(over, to));
}

static twQuat joint_turn(const SkinRod* r, int i)
{
    const twTraceRod* rod = r->rod;
    const int n = rod->point_count, edges = rod->closed ? n : n - 1;
    int before = i - 1, after = i;  // its edges
    if (rod->closed) before = (before + n) % n;
    if (before < 0) before = after;
    if (after >= edges) after = before;
    const twVec3 a = edge_along(r, before), b = edge_along(r, after);
    twVec3 t = tw_vec3_normalize(tw_vec3_add(a, b));
    if (!(tw_vec3_max(t) > 0)) t = tw_vec3_max(b) > 0 ? b : tw_vec3(0, 0, 1);
    const double seam = i == 0 ? r->seam : 0;
    const twVec3 d_before = turned(orthogonal(skin_vec3(r->d1 + 3 * before), a), a, seam);
    const twVec3 d = orthogonal(tw_vec3_add(d_before, orthogonal(skin_vec3(r->d1 + 3 * after), b)), t);
    const twVec3 axis = turned(d, t, section_at(rod, i)->angle);
    return tw_quat_from_axes(axis, tw_vec3_cross(t, axis), t);
}

void skin_rod_joint(const SkinRod* r, int point, twSkinJoint* out)
{
    const twQuat q = joint_turn(r, point);
    skin_put(out->position, skin_rod_point(r, point));
    out->turn[0] = (float)q.w;
    out->turn[1] = (float)q.x;
    out->turn[2] = (float)q.y;
    out->turn[3] = (float)q.z;
}
