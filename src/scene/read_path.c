// SPDX-License-Identifier: MIT
// The lines that rods follow, and where their sections point, in a scene.

#include "reader.h"
#include "rod_path.h"
#include <math.h>
#include <string.h>

#define DEFAULT_POINTS 50
#define POINTS_PER_TURN 48
#define POINTS_PER_BENDS 24  // of a turn of a zigzag
#define MAX_POINTS 100000
#define MAX_NUMBER 1e9   // beyond this squares and their differences say nothing any more
#define LEAST_EDGE 1e-9  // over the largest coordinate, as of rods themselves

static twRange any(const char* unit) { return yaml_between(-MAX_NUMBER, MAX_NUMBER, unit); }

static twRange length(void) { return (twRange){.low = 0, .high = MAX_NUMBER, .above_low = true, .unit = "m"}; }

static twRange turns(void) { return (twRange){.low = 0, .high = 10000, .above_low = true}; }

static const char* const path_names[] = {READ_PATHS, NULL};

static void read_corners(Reader* reader, const twNode* list, RodPath* path)
{
    if (!yaml_as_list(list)) return;
    if (list->count < 2 || list->count > MAX_POINTS)
        yaml_fail(list, "a polyline has 2 to %d corners, this has %d", MAX_POINTS, list->count);
    twVec3* corners = read_alloc(reader, (size_t)list->count, sizeof *corners);
    YAML_EACH(node, list)
    {
        int count;
        const double* v = yaml_as_numbers(node, any("m"), 3, 3, &count);
        if (!v || !corners || !yaml_ok(reader->doc)) return;
        corners[path->corner_count++] = tw_vec3(v[0], v[1], v[2]);
    }
    path->corners = corners;
}

// Points may be laid along the line so that they miss what is wrong with its corners: so these are looked at themselves.
static void check_corners(const twNode* list, const RodPath* path)
{
    const twVec3* c = path->corners;
    const int n = path->corner_count;
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, tw_vec3_max(c[i]));
    YAML_EACH(node, list)
    {
        const int i = node->index, before = (i + n - 1) % n;
        if (i == 0 && !path->closed) continue;
        if (tw_vec3_norm(tw_vec3_sub(c[i], c[before])) > LEAST_EDGE * size) continue;
        if (i > 0)
            yaml_fail(
                node,
                "this corner lies on the one before it, so that the edge between them has no length; leave one out");
        else
            yaml_fail(list->last, "the last corner lies on the first; 'closed' joins them anyway, leave it out");
        return;
    }
    YAML_EACH(node, list)
    {
        const int i = node->index, before = (i + n - 1) % n, after = (i + 1) % n;
        if (!path->closed && (i == 0 || i == n - 1)) continue;
        const twVec3 a = tw_vec3_normalize(tw_vec3_sub(c[i], c[before]));
        const twVec3 b = tw_vec3_normalize(tw_vec3_sub(c[after], c[i]));
        if (!(1 + tw_vec3_dot(a, b) > 1e-6))
            yaml_fail(node, "the line folds back on itself at this corner; a turn must be below 180 degrees");
    }
}

static void read_coil(const twNode* map, RodPath* path)
{
    if (!yaml_as_map(map)) return;
    if (path->kind == PATH_HELIX)
    {
        yaml_keys(map, "radius", "pitch", "turns");
        path->radius = yaml_need_number(map, "radius", length());
        path->pitch = yaml_need_number(map, "pitch", any("m"));
        path->turns = yaml_need_number(map, "turns", turns());
    }
    else
    {
        yaml_keys(map, "outer", "inner", "turns", "rise");
        path->radius = yaml_need_number(map, "outer", length());
        path->inner = yaml_need_number(map, "inner", length());
        path->turns = yaml_need_number(map, "turns", turns());
        path->rise = yaml_number(map, "rise", any("m"), 0);
    }
}

static void read_knot(const twNode* map, RodPath* path)
{
    if (!yaml_as_map(map)) return;
    yaml_keys(map, "length", "spacing");
    path->length = yaml_need_number(map, "length", length());
    path->spacing = yaml_need_number(map, "spacing", length());
}

static void read_zigzag(const twNode* map, RodPath* path)
{
    if (!yaml_as_map(map)) return;
    yaml_keys(map, "width", "pitch", "turns", "bend", "depth", "phase");
    path->width = yaml_need_number(map, "width", length());
    path->pitch = yaml_need_number(map, "pitch", length());
    path->turns = yaml_need_number(map, "turns", turns());
    path->bend = yaml_need_number(map, "bend", length());
    path->depth = yaml_number(map, "depth", any("m"), 0);
    path->phase = yaml_number(map, "phase", yaml_between(0, 1, "turns"), 0);
}

static void read_arch(const twNode* map, RodPath* path)
{
    int count;
    if (!yaml_as_map(map)) return;
    yaml_keys(map, "radius", "pitch", "turns", "stacked", "span", "drop");
    path->radius = yaml_need_number(map, "radius", length());
    path->pitch = yaml_need_number(map, "pitch", length());
    path->turns = yaml_need_number(map, "turns", turns());
    path->span = yaml_need_number(map, "span", length());
    path->drop = yaml_number(map, "drop", yaml_not_negative("m"), 0);
    const double* stacked = yaml_numbers(map, "stacked", yaml_between(0, 10000, "turns"), 2, 2, &count);
    for (int i = 0; stacked && i < 2; i++) path->stack[i] = stacked[i];
}

static void read_line_of(Reader* reader, const twNode* shape, RodPath* path)
{
    switch (path->kind)
    {
    case PATH_STRAIGHT:
        path->length = yaml_as_number(shape, length());
        break;
    case PATH_RING:
        path->radius = yaml_as_number(shape, length());
        break;
    case PATH_POLYLINE:
        read_corners(reader, shape, path);
        break;
    case PATH_HELIX:
    case PATH_SPIRAL:
        read_coil(shape, path);
        break;
    case PATH_KNOT:
        read_knot(shape, path);
        break;
    case PATH_ZIGZAG:
        read_zigzag(shape, path);
        break;
    case PATH_ARCH:
        read_arch(shape, path);
        break;
    }
    const char* fault = yaml_ok(reader->doc) ? rod_path_fault(path) : NULL;
    if (fault) yaml_fail_key(shape, "%s", fault);
}

// one of the shapes, and where it lies
static void read_rod_path(Reader* reader, const twNode* map, RodPath* path)
{
    const twNode* shape = NULL;
    *path = (RodPath){.turns = 1};
    for (int i = 0; path_names[i]; i++)
    {
        const twNode* node = yaml_get(map, path_names[i]);
        if (node && shape) yaml_fail_key(node, "'%s' and '%s' are both shapes; keep one", shape->key, node->key);
        if (node) shape = node, path->kind = (RodPathKind)i;
    }
    if (!shape) yaml_fail(map, "a rod needs one of: straight, helix, spiral, ring, polyline, knot, zigzag, arch");
    if (!yaml_ok(reader->doc)) return;
    read_line_of(reader, shape, path);
    const bool along_x = path->kind == PATH_STRAIGHT || path->kind == PATH_KNOT;
    path->axis = read_vec3(map, "axis", NULL, along_x ? tw_vec3(1, 0, 0) : tw_vec3(0, 0, 1));
    path->at = read_vec3(map, "at", "m", tw_vec3(0, 0, 0));
    path->closed = path->kind == PATH_RING || yaml_bool(map, "closed", false);
    if (!(tw_vec3_norm(path->axis) > 0)) yaml_fail(yaml_get(map, "axis"), "'axis' has no direction");
    if (path->closed && path->kind != PATH_RING && path->kind != PATH_POLYLINE)
        yaml_fail(yaml_get(map, "closed"), "only a ring and a polyline can be closed");
    if (path->kind == PATH_POLYLINE && yaml_has(map, "axis"))
        yaml_fail_key(yaml_get(map, "axis"), "a polyline has no axis; turn its corners");
    if (path->kind == PATH_POLYLINE && yaml_ok(reader->doc) && !reader->no_memory) check_corners(shape, path);
}

static int default_points(const RodPath* path)
{
    if (path->kind == PATH_HELIX || path->kind == PATH_SPIRAL || path->kind == PATH_ARCH)
        return (int)fmin(MAX_POINTS, fmax(DEFAULT_POINTS, ceil(POINTS_PER_TURN * path->turns)));
    if (path->kind == PATH_ZIGZAG)
        return (int)fmin(MAX_POINTS, fmax(DEFAULT_POINTS, ceil(POINTS_PER_BENDS * path->turns)));
    return path->kind == PATH_POLYLINE && path->corner_count > DEFAULT_POINTS ? path->corner_count : DEFAULT_POINTS;
}

static twVec3* read_points(Reader* reader, const RodPath* path, int count)
{
    twVec3* points = read_alloc(reader, (size_t)count, sizeof *points);
    if (points && yaml_ok(reader->doc)) rod_path(path, points, count);
    return points;
}

// whether sections point along the axis that the line winds about
static bool along_axis(const twNode* map)
{
    const twNode* node = yaml_get(map, "direction");
    return node && node->kind == TW_NODE_SCALAR && strcmp(node->text, "axis") == 0;
}

// where sections point at the edges: one direction for all, or the axis halfway along each
static const twVec3* read_directions(Reader* reader, const twNode* map, const RodPath* path, int count, bool axis)
{
    twVec3* all = read_alloc(reader, (size_t)count, sizeof *all);
    if (!all || !yaml_ok(reader->doc)) return all;
    if (axis && path->kind == PATH_POLYLINE)
        yaml_fail(yaml_get(map, "direction"), "a polyline has no axis; write a direction: [x, y, z]");
    if (axis)
    {
        rod_path_axes(path, all, count);
        for (int i = 0; i + 1 < count; i++) all[i] = tw_vec3_add(all[i], all[i + 1]);
        return all;
    }
    const twVec3 one = read_vec3(map, "direction", NULL, tw_vec3(0, 0, 1));
    for (int i = 0; i < count; i++) all[i] = one;
    return all;
}

static void read_rest(Reader* reader, const twNode* node, const RodPath* path, twRodDef* def)
{
    RodPath rest;
    const twNode* map = yaml_map(node, "rest");
    if (!map) return;
    yaml_keys(map, READ_PATHS, "axis", "at", "closed", "direction");
    read_rod_path(reader, map, &rest);
    if (yaml_ok(reader->doc) && rest.closed != path->closed)
        yaml_fail(map, "the rod and its shape at rest must both be closed, or both open");
    if (!yaml_ok(reader->doc)) return;
    def->rest_points = read_points(reader, &rest, def->point_count);
    const bool axis =
        along_axis(map) || (!yaml_has(map, "direction") && along_axis(node) && rest.kind != PATH_POLYLINE);
    if (axis || yaml_has(map, "direction"))
        def->rest_directions = read_directions(reader, map, &rest, def->point_count, axis);
}

void read_rod_shape(Reader* reader, const twNode* node, twRodDef* def)
{
    RodPath path;
    read_rod_path(reader, node, &path);
    const int least = path.closed ? TW_MIN_CLOSED_ROD_POINTS : 2;
    if (!yaml_ok(reader->doc)) return;
    def->point_count = (int)yaml_integer(node, "points", least, MAX_POINTS, default_points(&path));
    def->closed = path.closed;
    def->points = read_points(reader, &path, def->point_count);
    if (yaml_has(node, "direction"))
        def->directions = read_directions(reader, node, &path, def->point_count, along_axis(node));
    read_rest(reader, node, &path, def);
}
