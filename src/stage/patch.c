// SPDX-License-Identifier: MIT
// Clusters of touches. The deepest goes first and takes those around it, so that no gap of a cluster is less than its own; corners count as
// deeper by little, for a flat face must stand on its corners, and so do those that were seeds before, by less, for round-off must not
// choose.
#include "stage/patch.h"

#define COSINE 0.9063      // of 25 degrees
#define CORNER_DEPTH 3e-3  // what a corner counts as deeper, of the distance within which touches are one
#define SEED_DEPTH 1e-3    // and a seed of the last step
#define STRAIGHT 0.1       // sine of the angle by which a corner turns at least
#define LEAST_WEIGHT 1e-6  // of a touch that is about to go, of the reach

// towards the first body of the pair
static twVec3 normal_of(const Touch* touch)
{
    return touch->which == 0 ? touch->normal : tw_vec3_scale(touch->normal, -1);
}

static bool is_beside(const Touch* a, const Touch* b) { return tw_vec3_dot(normal_of(a), normal_of(b)) > COSINE; }

static double away2(const Touch* a, const Touch* b)
{
    twVec3 way = tw_vec3_sub(a->point, b->point);
    return tw_vec3_dot(way, way);
}

// ---- corners ----

// a direction in the plane of a touch
typedef struct Ray
{
    double x, y;
} Ray;

static double cross(Ray a, Ray b) { return a.x * b.y - a.y * b.x; }

// whether left is so little left of right that there is a corner between them
static bool is_wedge(Ray right, Ray left)
{
    double sine = cross(right, left), cosine = right.x * left.x + right.y * left.y;
    double size2 = (right.x * right.x + right.y * right.y) * (left.x * left.x + left.y * left.y);
    return sine >= 0 && (cosine >= 0 || sine * sine > STRAIGHT * STRAIGHT * size2);
}

// widen a wedge until it holds a ray. @return false: no corner does
static bool widen(Ray* right, Ray* left, Ray ray)
{
    bool left_of_right = cross(*right, ray) >= 0, right_of_left = cross(ray, *left) >= 0;
    if (left_of_right && right_of_left) return is_wedge(*right, ray) || is_wedge(ray, *left);
    if (left_of_right)
        *left = ray;
    else
        *right = ray;
    return is_wedge(*right, *left);
}

// whether all others beside it lie within a wedge
static bool is_corner(const PatchTouch* touches, int count, int i, double distance)
{
    const Touch* own = touches[i].touch;
    Ray right = {0, 0}, left = {0, 0};
    bool any = false;
    for (int k = 0; k < count; k++)
    {
        const Touch* other = touches[k].touch;
        if (k == i || !is_beside(own, other)) continue;
        twVec3 way = tw_vec3_sub(other->point, own->point);
        Ray ray = {tw_vec3_dot(way, own->tangent[0]), tw_vec3_dot(way, own->tangent[1])};
        if (ray.x * ray.x + ray.y * ray.y <= CORNER_DEPTH * CORNER_DEPTH * distance * distance) continue;
        if (!any) right = left = ray;
        if (any && !widen(&right, &left, ray)) return false;
        any = true;
    }
    return any;
}

// ---- seeds ----

static bool is_before(const PatchTouch* a, const PatchTouch* b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->touch->id < b->touch->id;
}

static void sort(const PatchTouch* touches, int count, int* order)
{
    for (int i = 0; i < count; i++)
    {
        int k = i;
        for (; k > 0 && is_before(touches + i, touches + order[k - 1]); k--) order[k] = order[k - 1];
        order[k] = i;
    }
}

// the nearest seed that takes it; -1: none
static int taker(const PatchTouch* touches, const int* seeds, int seed_count, int i, double distance)
{
    int best = -1;
    double least = distance * distance;
    for (int s = 0; s < seed_count; s++)
    {
        const Touch* seed = touches[seeds[s]].touch;
        double d = away2(seed, touches[i].touch);
        if (d >= least || !is_beside(seed, touches[i].touch)) continue;
        least = d;
        best = s;
    }
    return best;
}

// a corner stays where it is only if there are others to span something with
static void forget_lone_corner(PatchTouch* touches, const int* seeds, int seed_count, int s)
{
    PatchTouch* seed = touches + seeds[s];
    for (int k = 0; k < seed_count; k++)
        if (k != s && is_beside(touches[seeds[k]].touch, seed->touch)) return;
    seed->rim = false;
}

int patch_split(PatchTouch* touches, int count, double distance)
{
    int order[PATCH_MAX], seeds[PATCH_MAX], seed_count = 0;
    TW_ASSERT(count <= PATCH_MAX);
    for (int i = 0; i < count; i++)
    {
        PatchTouch* t = touches + i;
        t->rim = is_corner(touches, count, i, distance);
        t->seed = false;
        t->rank = t->touch->gap - distance * ((t->rim ? CORNER_DEPTH : 0) + (t->was_seed ? SEED_DEPTH : 0));
    }
    sort(touches, count, order);
    for (int k = 0; k < count; k++)
    {
        if (taker(touches, seeds, seed_count, order[k], distance) >= 0) continue;
        touches[order[k]].seed = true;
        touches[order[k]].cluster = seed_count;
        seeds[seed_count++] = order[k];
    }
    for (int i = 0; i < count; i++)
        if (!touches[i].seed) touches[i].cluster = taker(touches, seeds, seed_count, i, distance);
    for (int s = 0; s < seed_count; s++) forget_lone_corner(touches, seeds, seed_count, s);
    return seed_count;
}

// ---- one for all ----

typedef struct Mean
{
    twVec3 point, normal;
    double weight, gap;
    int count;
    const PatchTouch* seed;
} Mean;

static Mean mean_of(const PatchTouch* touches, int count, int cluster, double reach)
{
    Mean mean = {.gap = HUGE_VAL};
    for (int i = 0; i < count; i++)
    {
        const Touch* touch = touches[i].touch;
        if (touches[i].cluster != cluster) continue;
        if (touches[i].seed) mean.seed = touches + i;
        double weight = fmax(reach - touch->gap, LEAST_WEIGHT * fabs(reach)) + 1e-300;
        mean.point = tw_vec3_add_scaled(mean.point, touch->point, weight);
        mean.normal = tw_vec3_add_scaled(mean.normal, normal_of(touch), weight);
        mean.weight += weight;
        mean.gap = fmin(mean.gap, touch->gap);
        mean.count++;
    }
    mean.point = tw_vec3_scale(mean.point, 1 / mean.weight);
    mean.normal = tw_vec3_normalize(mean.normal);
    return mean;
}

static const Touch* nearest_to(const PatchTouch* touches, int count, int cluster, twVec3 point)
{
    const Touch* best = NULL;
    double least = HUGE_VAL;
    for (int i = 0; i < count; i++)
    {
        if (touches[i].cluster != cluster) continue;
        twVec3 way = tw_vec3_sub(touches[i].touch->point, point);
        double d = tw_vec3_dot(way, way);
        if (best && (d > least || (d == least && touches[i].touch->id > best->id))) continue;
        least = d;
        best = touches[i].touch;
    }
    return best;
}

int patch_join(const PatchTouch* touches, int count, int cluster, double reach, Touch* out)
{
    Mean mean = mean_of(touches, count, cluster, reach);
    *out = *mean.seed->touch;
    if (mean.count == 1 || mean.seed->rim) return mean.count;
    *out = *nearest_to(touches, count, cluster, mean.point);
    out->point = mean.point;
    out->normal = out->which == 0 ? mean.normal : tw_vec3_scale(mean.normal, -1);
    twVec3 side = tw_vec3_add_scaled(out->tangent[0], out->normal, -tw_vec3_dot(out->tangent[0], out->normal));
    out->tangent[0] = tw_vec3_normalize(side);
    out->tangent[1] = tw_vec3_cross(out->normal, out->tangent[0]);
    out->gap = mean.gap;
    return mean.count;
}
