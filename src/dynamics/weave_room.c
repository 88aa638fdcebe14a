// SPDX-License-Identifier: MIT
// Memory of the rods of a world: more than is needed now, so that it grows seldom, or at creation for as many contacts as the def of
// the world gives.
#include "dynamics/weave.h"
#include <stdlib.h>

static bool weave_room_blocks(void** block, int* room, int count, size_t size)
{
    if (count <= *room) return true;
    void* more = realloc(*block, (2 * (size_t)count + 64) * size);
    if (!more) return false;
    *block = more;
    *room = 2 * count + 64;
    return true;
}

bool weave_room_touches(Weave* w, int count)
{
    void* touches = w->touches;
    const bool fine = weave_room_blocks(&touches, &w->touch_room, count, sizeof *w->touches);
    w->touches = touches;
    return fine;
}

bool weave_room_links(Weave* w, int count)
{
    void* links = w->links;
    const bool fine = weave_room_blocks(&links, &w->link_room, count, sizeof *w->links);
    w->links = links;
    return fine;
}

bool weave_room_near(Weave* w, int count)
{
    void* near = w->near;
    int room = w->near_room;
    if (!weave_room_blocks(&near, &room, count, sizeof *w->near)) return false;
    w->near = near;
    for (; w->near_room < room; w->near_room++)
    {
        StrandBody* touches = strand_body_create();
        if (!touches) return false;
        w->near[w->near_room] = (WeaveNear){.touches = touches};
    }
    return true;
}

bool weave_room_contacts(Weave* w, int count)
{
    if (count <= w->contact_room) return true;
    const size_t room = 2 * (size_t)count + 64;
    free(w->contacts), free(w->memories), free(w->p), free(w->sides), free(w->rows), free(w->blocks), free(w->basis);
    free(w->give), free(w->behind), free(w->at);
    w->contacts = malloc(room * sizeof *w->contacts);
    w->memories = malloc(room * sizeof *w->memories);
    w->p = malloc(12 * room * sizeof *w->p);
    w->sides = malloc(2 * room * sizeof *w->sides);
    w->rows = malloc(room * sizeof *w->rows);
    w->blocks = malloc(room * sizeof *w->blocks);
    w->basis = malloc((WEAVE_BASIS + 3) * room * sizeof *w->basis);
    w->give = malloc(5 * room * sizeof *w->give);
    w->behind = malloc(2 * room * sizeof *w->behind);
    w->at = malloc(4 * room * sizeof *w->at);
    const bool fine = w->contacts && w->memories && w->p && w->sides && w->rows && w->blocks && w->basis && w->give &&
                      w->behind && w->at;
    w->contact_room = fine ? (int)room : 0;
    if (!fine) return false;
    w->r = w->p + 3 * room;
    w->before = w->p + 6 * room;
    w->x = w->basis + (WEAVE_BASIS + 1) * room;
    w->y = w->x + room;
    w->spread = w->give + 3 * room;
    w->rate = w->spread + room;
    return true;
}

// of any rod with any body, of which so many are near at a time
static bool weave_room_all_near(const twWorld* world, int count)
{
    Weave* w = world->weave;
    int edges = 0, modes = 0;
    for (int i = 0; i < w->rod_count; i++)
    {
        const int most = w->room ? w->room[i] : w->shapes[i]->edge_count;
        edges = most > edges ? most : edges;
    }
    for (int i = 0; i < world->body_count; i++) modes = world->mode_room[i] > modes ? world->mode_room[i] : modes;
    bool fine = weave_room_near(w, count);
    for (int i = 0; i < w->near_room && fine; i++) fine = strand_body_reserve(w->near[i].touches, edges, modes);
    return fine;
}

bool weave_room_all(const twWorld* world, int contacts)
{
    Weave* w = world->weave;
    const int64_t pairs = (int64_t)w->rod_count * world->body_count;
    return weave_room_all_near(world, pairs < contacts ? (int)pairs : contacts) && weave_room_contacts(w, contacts) &&
           weave_room_touches(w, contacts) && weave_room_links(w, contacts + w->node_count) &&
           weave_table_room(&w->table, contacts) && weave_table_room(&w->next, contacts) &&
           strand_work_reserve(w->work, contacts) && strand_pairs_reserve(w->pairs, contacts);
}
