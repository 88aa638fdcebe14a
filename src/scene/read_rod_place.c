// SPDX-License-Identifier: MIT
// Where rods of a scene and their copies are, and how they move at the start.
//
//   points       x = at + T (x_line - at), T the turn
//   velocities   v + w x (x - c), c the mass centre;   spins   w . t

#include "reader.h"
#include <stdio.h>
#include <string.h>

#define MAX_SPEED 1e6  // [m/s], [rad/s]

int read_rod_total(Reader* reader, const twNode* map)
{
    double total = 0;
    YAML_EACH(node, map)
    {
        if (!yaml_as_map(node)) return 0;
        const Copies copies = read_copies(reader, node);
        total += copies_total(&copies);
    }
    if (total > TW_MAX_SCENE_RODS) yaml_fail(map, "%.0f rods are more than %d", total, TW_MAX_SCENE_RODS);
    return total <= TW_MAX_SCENE_RODS ? (int)total : 0;
}

static twVec3 read_speed(const twNode* node, const char* key, const char* unit)
{
    int count;
    const double* v = yaml_numbers(node, key, yaml_between(-MAX_SPEED, MAX_SPEED, unit), 3, 3, &count);
    return v && count == 3 ? tw_vec3(v[0], v[1], v[2]) : tw_vec3(0, 0, 0);
}

static const twSection* section_at(const twRodDef* def, int point)
{
    return &def->sections[def->section_count > 1 ? point : 0];
}

static twVec3 mass_centre(const twRodDef* def)
{
    const int n = def->point_count, edges = def->closed ? n : n - 1;
    twVec3 sum = tw_vec3(0, 0, 0);
    double mass = 0;
    for (int i = 0; i < edges; i++)
    {
        const int k = (i + 1) % n;
        const double half = 0.5 * tw_vec3_norm(tw_vec3_sub(def->points[k], def->points[i]));
        const double a = half * section_at(def, i)->area, b = half * section_at(def, k)->area;
        sum = tw_vec3_add_scaled(tw_vec3_add_scaled(sum, def->points[i], a), def->points[k], b);
        mass += a + b;
    }
    return tw_vec3_scale(sum, 1 / mass);
}

// as a rigid body
static void set_going(Reader* reader, twVec3 velocity, twVec3 spin, twRodDef* def)
{
    const int n = def->point_count, edges = def->closed ? n : n - 1;
    const twVec3 centre = mass_centre(def);
    twVec3* velocities = read_alloc(reader, (size_t)n, sizeof *velocities);
    double* spins = read_alloc(reader, (size_t)n, sizeof *spins);
    if (reader->no_memory) return;
    for (int i = 0; i < n; i++)
        velocities[i] = tw_vec3_add(velocity, tw_vec3_cross(spin, tw_vec3_sub(def->points[i], centre)));
    for (int i = 0; i < edges; i++)
        spins[i] = tw_vec3_dot(spin, tw_vec3_normalize(tw_vec3_sub(def->points[(i + 1) % n], def->points[i])));
    def->velocities = velocities;
    def->spins = spins;
}

static const twVec3* turned(Reader* reader, const twVec3* from, int count, const twBodyMotion* place, twVec3 at)
{
    twVec3* to = read_alloc(reader, (size_t)count, sizeof *to);
    for (int i = 0; to && i < count; i++)
        to[i] = tw_vec3_add(place->position, tw_quat_rotate(place->turn, tw_vec3_sub(from[i], at)));
    return to;
}

static void place_rod(Reader* reader, const twNode* node, const twBodyMotion* place, twVec3 at, twSceneRod* rod)
{
    twRodDef* def = &rod->def;
    const twBodyMotion turn = {.turn = place->turn};
    if (yaml_has(node, "turn") || yaml_has(node, "copies"))
    {
        def->points = turned(reader, def->points, def->point_count, place, at);
        const int edges = def->closed ? def->point_count : def->point_count - 1;
        if (def->directions) def->directions = turned(reader, def->directions, edges, &turn, tw_vec3(0, 0, 0));
    }
    const twVec3 velocity = read_speed(node, "velocity", "m/s"), spin = read_speed(node, "spin", "rad/s");
    if (!reader->no_memory && (yaml_has(node, "velocity") || yaml_has(node, "spin")))
        set_going(reader, velocity, spin, def);
}

static void check_name(const Reader* reader, const twNode* node, const twSceneRod* rod)
{
    if (strlen(rod->name) >= TW_TRACE_NAME)
        yaml_fail_key(node, "a rod's name has at most %d characters, with the number of a copy", TW_TRACE_NAME - 1);
    for (const twSceneRod* other = reader->scene->rods; other < rod; other++)
        if (strcmp(other->name, rod->name) == 0)
            yaml_fail_key(node, "two rods are called '%s', one of them by 'copies'; rename one", rod->name);
}

void read_rod_places(Reader* reader, const twNode* node, const twSceneRod* first)
{
    twScene* scene = reader->scene;
    const Copies copies = read_copies(reader, node);
    const int total = copies_total(&copies);
    const twVec3 at = read_vec3(node, "at", "m", tw_vec3(0, 0, 0));
    const twBodyMotion start = {.position = at, .turn = read_turn(node, "turn")};
    twBodyMotion* places = read_alloc(reader, (size_t)total, sizeof *places);
    if (!yaml_ok(reader->doc) || reader->no_memory) return;
    copies_place(&copies, &start, places);
    for (int i = 0; i < total && yaml_ok(reader->doc) && !reader->no_memory; i++)
    {
        reader->rod_nodes[scene->rod_count] = node;
        twSceneRod* rod = &scene->rods[scene->rod_count++];
        *rod = *first;
        if (copies.given) rod->name = read_copy_name(reader, node->key, i + 1);
        check_name(reader, node, rod);
        place_rod(reader, node, &places[i], at, rod);
    }
}
