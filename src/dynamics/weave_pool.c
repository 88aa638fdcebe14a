// SPDX-License-Identifier: MIT
// Rods that come and go while a world runs. One that is to come is made with all that its coming changes in size: where rods touch, how
// they touch, points of all of them. Linking it exchanges these for those there are, which are freed with it later. One that went stays
// where it is, a ghost that is not stepped, until another one comes to its place.
#include "dynamics/weave.h"
#include <stdlib.h>

struct twNewRod
{
    const twWorld* world;
    int64_t set;  // of rods that it was made for
    int place, rod_count, kind_count, node_count;
    WeaveRod rod;
    int* kinds;  // (rods) of all of them
    StrandPairs* pairs;
    SolveLaw* laws;
    WeaveFour* nodes;  // (2 x nodes)
    int* head;         // (nodes)
};

static int weave_pool_place(const Weave* w)
{
    for (int i = 0; i < w->rod_count; i++)
        if (w->rods[i].gone) return i;
    return w->rod_count < w->rod_room ? w->rod_count : -1;
}

// what its coming changes
static bool weave_pool_make(const twWorld* world, twNewRod* n)
{
    const Weave* w = world->weave;
    const size_t count = (size_t)n->rod_count;
    WeaveRod* rods = calloc(count, sizeof *rods);
    const StrandShape** shapes = calloc(count, sizeof *shapes);
    n->kinds = calloc(count, sizeof *n->kinds);
    if (rods && shapes && n->kinds)
    {
        memcpy(rods, w->rods, (size_t)w->rod_count * sizeof *rods);
        rods[n->place] = n->rod;
        for (size_t i = 0; i < count; i++) shapes[i] = rods[i].shape, n->node_count += rods[i].shape->point_count;
        n->pairs = strand_pairs_create(shapes, n->rod_count);
        n->laws = weave_make_laws(world, rods, n->rod_count, &n->kind_count);
        n->nodes = calloc(2 * (size_t)n->node_count, sizeof *n->nodes);
        n->head = malloc((size_t)n->node_count * sizeof *n->head);
        for (size_t i = 0; i < count; i++) n->kinds[i] = rods[i].kind;
    }
    free(rods);
    free(shapes);
    return n->kinds && n->pairs && n->laws && n->nodes && n->head;
}

twStatus tw_new_rod_create(twNewRod** out, const twWorld* world, const twWorldRodDef* def, twError* err)
{
    *out = NULL;
    const Weave* w = world->weave;
    const int place = w ? weave_pool_place(w) : -1;
    if (place < 0) return tw_fail(err, TW_BAD_INPUT, "all %d places for rods are taken", w ? w->rod_room : 0);
    twNewRod* n = calloc(1, sizeof *n);
    if (!n) return tw_fail(err, TW_NO_MEMORY, "no memory for a rod");
    n->world = world;
    n->set = w->set;
    n->place = place;
    n->rod_count = place < w->rod_count ? w->rod_count : place + 1;
    twStatus status = weave_make_rod(world, def, &n->rod, err);
    if (status == TW_OK && !weave_pool_make(world, n)) status = tw_fail(err, TW_NO_MEMORY, "no memory for a rod");
    if (status == TW_OK)
        *out = n;
    else
        tw_new_rod_destroy(n);
    return status;
}

void tw_new_rod_destroy(twNewRod* n)
{
    if (!n) return;
    weave_free_rod(&n->rod);
    strand_pairs_destroy(n->pairs);
    free(n->kinds);
    free(n->laws);
    free(n->nodes);
    free(n->head);
    free(n);
}

// with what contacts of rods it has, and what was done to it [J]
static double weave_pool_energy(WeaveRod* r)
{
    const twRodEnergy e = tw_rod_energy(r->rod);
    return e.kinetic + e.bending + e.twisting + e.stretching + e.shearing + e.springs + e.gravity -
           (e.work - r->contact_work);
}

static void weave_pool_exchange(Weave* w, twNewRod* n)
{
    const WeaveRod rod = w->rods[n->place];
    StrandPairs* pairs = w->pairs;
    SolveLaw* laws = w->laws;
    WeaveFour* nodes = w->node_force;
    int* head = w->head;
    w->rods[n->place] = n->rod;
    w->rod_count = n->rod_count;
    w->kind_count = n->kind_count;
    w->node_count = n->node_count;
    w->pairs = n->pairs;
    w->laws = n->laws;
    w->node_force = n->nodes;
    w->node_way = n->nodes + n->node_count;
    w->head = n->head;
    for (int i = 0; i < w->rod_count; i++) w->rods[i].kind = n->kinds[i];
    n->rod = rod;
    n->pairs = pairs;
    n->laws = laws;
    n->nodes = nodes;
    n->head = head;
    n->world = NULL;
}

twStatus tw_world_add_rod(twWorld* world, twNewRod* n, int* rod, twError* err)
{
    Weave* w = world->weave;
    if (n->world != world) return tw_fail(err, TW_BAD_INPUT, "a rod was made for another world, or was added already");
    if (n->set != w->set)
        return tw_fail(err, TW_BAD_INPUT, "rods came or went since rod '%s' was made: make it anew", n->rod.name);
    size_t bytes;
    const void* state = strand_pairs_state(w->pairs, &bytes);
    if (!strand_pairs_load(n->pairs, state, bytes)) return tw_fail(err, TW_NO_MEMORY, "no memory for a rod");
    weave_pool_exchange(w, n);
    weave_line_up(w);
    weave_forget(w);
    w->set++;
    *rod = n->place;
    world->energy.work += weave_pool_energy(w->rods + *rod);
    return TW_OK;
}

bool tw_world_has_rod(const twWorld* world, int rod)
{
    const Weave* w = world->weave;
    return w && rod >= 0 && rod < w->rod_count && !w->rods[rod].gone;
}

twStatus tw_world_remove_rod(twWorld* world, int rod, twError* err)
{
    Weave* w = world->weave;
    if (!tw_world_has_rod(world, rod)) return tw_fail(err, TW_BAD_INPUT, "there is no rod %d", rod);
    WeaveRod* r = w->rods + rod;
    for (int i = 0; i < w->grab_first; i++)
        if (w->ties[i].rod == rod) return tw_fail(err, TW_BAD_INPUT, "rod '%s' cannot go: it is tied", r->name);
    for (int i = 0; i < world->def.max_grabs; i++)
    {
        const Grab* g = world->grabs + i;
        if (g->active && (g->def.at.rod == rod || g->def.to.rod == rod)) tw_world_release(world, i);
    }
    world->energy.work -= weave_pool_energy(r);
    weave_forget_rod(world, rod);
    r->gone = r->converged = w->places[rod].ghost = r->ghost = true;
    r->pushed = r->gives = r->local = false;
    w->set++;
    return TW_OK;
}
