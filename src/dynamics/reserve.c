// SPDX-License-Identifier: MIT
// Memory that a world with fixed steps will need, made at creation: for groups of any of its bodies with as many contacts as its def
// gives. A thread then has one solver for all groups that it steps, which forgets one before the next, so that it does not
// matter which thread steps which group.
#include "dynamics/group.h"
#include "dynamics/weave.h"
#include <stdlib.h>

enum
{
    RESERVE_SPARE = 2,  // of the memory of a group, for what is aligned and for lists that grow by copies
    RESERVE_PARTS = 4   // lists of the forces of a step: steps are cut in parts where something is thin, and forces end
};

static SolveRoom reserve_room(const twWorldDef* def)
{
    SolveRoom room = {.bodies = def->body_count + def->spare_bodies,
                      .contacts = def->max_contacts + 2 * (def->joint_count + def->max_grabs),
                      .size = def->spare_bodies * (6 + def->spare_modes),
                      .largest = 6 + def->spare_modes};
    for (int i = 0; i < def->body_count; i++)
    {
        const int size = 6 + (def->bodies[i].rigid ? 0 : tw_body_shape_modes(def->bodies[i].shape));
        room.size += size;
        room.largest = size > room.largest ? size : room.largest;
    }
    return room;
}

// of a group with all bodies and contacts: what group_build.c and gather.c make
static size_t reserve_bytes(const SolveRoom* room)
{
    const size_t number = sizeof(double), rows = 2 * (3 * (size_t)room->largest * number + 64);
    const size_t contact = rows + 4 * sizeof(Touch) + sizeof(SolveContact) + sizeof(SolveBond) +
                           2 * sizeof(SolveMemory) + sizeof(SolveSpent) + sizeof(Slot) + 4 * sizeof(GroupLink) +
                           8 * number;
    const size_t body = sizeof(SolveBody) + 4 * sizeof(twPushDef) + 16 * 64;
    return RESERVE_SPARE *
           ((size_t)room->contacts * contact + (size_t)room->bodies * body + 16 * (size_t)room->size * number);
}

static bool reserve_worker(twWorld* world, Worker* worker, const SolveRoom* room)
{
    const SolveOptions options = world_solve_options(&world->def);
    tw_arena_destroy(worker->arena);
    worker->arena = tw_arena_create(reserve_bytes(room));
    worker->solver = solve_create(&options);
    return worker->arena && worker->solver && solve_room(worker->solver, room);
}

static bool reserve_forces(twContactForce** forces, int* room, int count)
{
    twContactForce* more = realloc(*forces, (size_t)count * sizeof *more);
    if (!more) return false;
    *forces = more;
    *room = count;
    return true;
}

bool world_is_reserved(const twWorldDef* def) { return def->fixed_step && def->max_contacts > 0; }

bool world_reserve(twWorld* world, const twWorldDef* def)
{
    if (!world_is_reserved(def)) return true;
    const SolveRoom room = reserve_room(def);
    const int forces = RESERVE_PARTS * room.contacts;
    bool fine = reserve_forces(&world->ends.forces, &world->ends.force_room, forces);
    Weave* w = world->weave;
    if (w)
        fine = fine && reserve_forces(&w->cluster.forces, &w->cluster.force_room, forces) &&
               weave_room_all(world, room.contacts);
    for (int i = 0; i < world->body_count && fine && !w; i++)
        fine = reserve_forces(&world->clusters[i].forces, &world->clusters[i].force_room, forces);
    for (int i = 0; i < world->worker_count && fine; i++) fine = reserve_worker(world, &world->workers[i], &room);
    return fine && reserve_forces(&world->forces, &world->force_room, forces) &&
           reserve_forces(&world->sorted, &world->sorted_room, forces);
}
