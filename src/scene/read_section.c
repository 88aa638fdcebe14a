// SPDX-License-Identifier: MIT
// Cross sections in a scene: one for the whole rod, or several of one kind that it changes between.

#include "reader.h"
#include <string.h>

static const char* const kind_names[] = {"circle", "tube", "ellipse", "rectangle", "rounded", "polygon", NULL};
static const int dimension_counts[] = {1, 2, 2, 2, 3, 0};

// polygon corners as x, y, x, y
static const double* read_corners(Reader* reader, const twNode* list, int* count)
{
    *count = 0;
    if (!yaml_as_list(list)) return NULL;
    if (list->count < 3 || list->count > TW_MAX_SECTION_POINTS)
        yaml_fail(list, "a polygon has 3 to %d corners, this has %d", TW_MAX_SECTION_POINTS, list->count);
    double* points = read_alloc(reader, 2 * (size_t)list->count, sizeof *points);
    YAML_EACH(corner, list)
    {
        int two;
        const double* xy = yaml_as_numbers(corner, yaml_any("m"), 2, 2, &two);
        if (!xy || !points || !yaml_ok(reader->doc)) return NULL;
        memcpy(points + 2 * (*count)++, xy, 2 * sizeof *xy);
    }
    return points;
}

// kind and dimensions of one section; the map has one key
static bool read_one(Reader* reader, const twNode* map, twSectionDef* def, double d[3])
{
    if (!yaml_as_map(map)) return false;
    yaml_check_keys(map, kind_names);
    if (map->count != 1)
        yaml_fail(map,
                  "a section is one of: circle, tube, ellipse, rectangle, rounded, polygon; as in {circle: 0.002}");
    if (!yaml_ok(reader->doc)) return false;
    int kind = 0, count;
    while (kind_names[kind] && strcmp(kind_names[kind], map->first->key) != 0) kind++;
    *def = (twSectionDef){.kind = (twSectionKind)kind};
    if (kind == TW_SECTION_POLYGON)
        def->points = read_corners(reader, map->first, &def->count);
    else if (kind == TW_SECTION_CIRCLE)
        d[0] = yaml_as_number(map->first, yaml_positive("m"));
    else
    {
        const double* values =
            yaml_as_numbers(map->first, yaml_positive("m"), dimension_counts[kind], dimension_counts[kind], &count);
        if (values) memcpy(d, values, (size_t)dimension_counts[kind] * sizeof *d);
    }
    return yaml_ok(reader->doc) && !reader->no_memory;
}

static void set_dimensions(twSectionDef* def, const double d[3])
{
    if (def->kind == TW_SECTION_CIRCLE) *def = tw_section_circle(d[0]);
    if (def->kind == TW_SECTION_TUBE) *def = tw_section_tube(d[0], d[1]);
    if (def->kind == TW_SECTION_ELLIPSE) *def = tw_section_ellipse(d[0], d[1]);
    if (def->kind == TW_SECTION_RECTANGLE) *def = tw_section_rectangle(d[0], d[1]);
    if (def->kind == TW_SECTION_ROUNDED) *def = tw_section_rounded(d[0], d[1], d[2]);
}

static bool compute(const twNode* node, twSection* out, twSectionDef* def, const double d[3])
{
    twError err;
    set_dimensions(def, d);
    if (tw_section_compute(out, def, &err) == TW_OK) return true;
    yaml_fail(node, "%s", err.text);
    return false;
}

// sections at equal distances along the rod; dimensions change evenly between them. @return their kind
static twSectionKind read_taper(Reader* reader, const twNode* list, twSection* sections, int points)
{
    double(*d)[3] = read_alloc(reader, (size_t)list->count, sizeof *d);
    twSectionDef def = {0}, first = {0};
    if (list->count < 2) yaml_fail(list, "a list of sections has at least two; write one without the list");
    YAML_EACH(node, list)
    {
        if (!d || !yaml_ok(reader->doc) || !read_one(reader, node, &def, d[node->index])) return def.kind;
        if (node->index == 0) first = def;
        if (def.kind != first.kind || def.kind > TW_SECTION_RECTANGLE)
            yaml_fail(node, "sections that change along a rod are all circles, tubes, ellipses or rectangles");
    }
    for (int i = 0; i < points; i++)
    {
        const double x = (double)i * (list->count - 1) / (points - 1);
        const int k = x < list->count - 1 ? (int)x : list->count - 2;
        double mixed[3];
        for (int j = 0; j < 3; j++) mixed[j] = d[k][j] + (x - k) * (d[k + 1][j] - d[k][j]);
        if (!yaml_ok(reader->doc) || !compute(list, &sections[i], &def, mixed)) break;
    }
    return def.kind;
}

void read_sections(Reader* reader, const twNode* node, twSceneRod* rod)
{
    const twNode* what = yaml_get(node, "section");
    twRodDef* def = &rod->def;
    if (!what)
    {
        yaml_fail(node, "a rod needs a 'section', such as {circle: 0.002} or {rectangle: [0.02, 0.01]}, in metres");
        return;
    }
    def->section_count = what->kind == TW_NODE_LIST ? def->point_count : 1;
    twSection* sections = read_alloc(reader, (size_t)def->section_count, sizeof *sections);
    def->sections = sections;
    twSectionDef section = {0};
    double d[3] = {0};
    if (reader->no_memory) return;
    if (what->kind == TW_NODE_LIST)
        section.kind = read_taper(reader, what, sections, def->point_count);
    else if (read_one(reader, what, &section, d))
        compute(what->first, sections, &section, d);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_outline(reader, rod, &section, sections);
}
