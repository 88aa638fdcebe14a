// SPDX-License-Identifier: MIT
// Forces of contacts as they will be kept: one holds until the next of its contact, so that what rests costs nothing.
#include "dynamics/group.h"
#include <stdlib.h>

bool record_add(Cluster* cluster, const twContactForce* force)
{
    if (cluster->force_count == cluster->force_room)
    {
        int room = 2 * cluster->force_room + 256;
        twContactForce* more = realloc(cluster->forces, (size_t)room * sizeof *more);
        cluster->stats.dropped += !more;
        if (!more) return false;
        cluster->forces = more;
        cluster->force_room = room;
    }
    cluster->forces[cluster->force_count++] = *force;
    return true;
}

void record_hand(const twWorld* world, Cluster* cluster, RecordKind kind, uint64_t number, double time, int body,
                 const twSurfacePoint* on, twVec3 force, double impact_time)
{
    const BodyPlace place = body_place(world->bodies + body, body, &world->bodies[body].now);
    twContactForce f = {.id = (uint64_t)1 << 63 | (uint64_t)kind << 32 | (number & UINT32_MAX),
                        .time = time,
                        .body = {body, TW_NOWHERE},
                        .vertex = {{-1, -1, -1}, {-1, -1, -1}},
                        .point = grab_point(&place, on, NULL),
                        .normal = tw_vec3_max(force) > 0 ? tw_vec3_normalize(force) : tw_vec3(0, 0, 1),
                        .force = force,
                        .impact_time = impact_time};
    double weight[3];
    const int count = grab_vertices(on, f.vertex[0], weight);
    for (int i = 0; i < count; i++) f.weight[0][i] = (float)weight[i];
    record_add(cluster, &f);
}

// of a step that begins open, or in an impact that has not come to rest
static double record_impact(const Slot* slot)
{
    const bool is_impact = slot->before.impact || !(slot->before.compression > 0);
    return is_impact && slot->impact_speed > IMPACT_SPEED ? slot->impact_time : 0;
}

void record_force(Cluster* cluster, Slot* slot, double time, twVec3 force)
{
    const float f[3] = {(float)force.x, (float)force.y, (float)force.z};
    if (f[0] == slot->given[0] && f[1] == slot->given[1] && f[2] == slot->given[2]) return;
    const Touch* t = &slot->touch;
    twContactForce out = {.id = slot->id,
                          .time = time,
                          .body = {t->body[0], t->body[1]},
                          .vertex = {{-1, -1, -1}, {-1, -1, -1}},
                          .point = t->point,
                          .normal = t->normal,
                          .force = force,
                          .impact_time = record_impact(slot)};
    for (int i = 0; i < (t->edge ? 2 : 1); i++)
    {
        out.vertex[0][i] = t->vertex[i];
        out.weight[0][i] = (float)t->share[i];
    }
    for (int i = 0; i < (t->edge ? 2 : 3); i++)
    {
        out.vertex[1][i] = t->corner[i];
        out.weight[1][i] = (float)t->weight[i];
    }
    if (record_add(cluster, &out)) memcpy(slot->given, f, sizeof f);
}

void record_collect(twWorld* world, Cluster* cluster)
{
    int needed = world->force_count + cluster->force_count;
    if (needed > world->force_room)
    {
        twContactForce* more = realloc(world->forces, 2 * (size_t)needed * sizeof *more);
        if (more)
        {
            world->forces = more;
            world->force_room = 2 * needed;
        }
    }
    int count = needed <= world->force_room ? cluster->force_count : 0;
    world->stats.dropped += cluster->force_count - count;
    if (count > 0) memcpy(world->forces + world->force_count, cluster->forces, (size_t)count * sizeof *world->forces);
    world->force_count += count;
    cluster->force_count = 0;
}

// runs in order into one; equal times stay as they are
static void merge(twContactForce* to, const twContactForce* from, int middle, int end)
{
    int a = 0, b = middle;
    for (int i = 0; i < end; i++)
    {
        bool first = b >= end || (a < middle && from[a].time <= from[b].time);
        to[i] = first ? from[a++] : from[b++];
    }
}

void record_sort(twWorld* world)
{
    int n = world->force_count;
    bool sorted = true;
    for (int i = 1; i < n && sorted; i++) sorted = world->forces[i - 1].time <= world->forces[i].time;
    if (sorted) return;
    twContactForce* other = n <= world->sorted_room ? world->sorted : malloc((size_t)n * sizeof *other);
    if (!other) return;
    for (int width = 1; width < n; width *= 2)
    {
        for (int i = 0; i < n; i += 2 * width)
        {
            int end = n - i < 2 * width ? n - i : 2 * width;
            merge(other + i, world->forces + i, end < width ? end : width, end);
        }
        memcpy(world->forces, other, (size_t)n * sizeof *other);
    }
    if (other != world->sorted) free(other);
}

const twContactForce* tw_world_forces(twWorld* world, int* count)
{
    *count = world->force_count;
    return world->forces;
}
