// SPDX-License-Identifier: MIT
// Rods that come and go while a world runs. A place where none has been yet has the rod of nothing: a ghost that is not stepped. One that
// went stays where it is, a ghost too, until another one comes, which takes its place and leaves it to be freed.
#include "dynamics/weave.h"
#include <stdlib.h>

struct twNewRod
{
    const twWorld* world;  // NULL: it was added
    WeaveRod rod;
    StrandLine line;
};

// ---- places ----

static twStatus weave_pool_make_nothing(twWorld* world, twError* err)
{
    Weave* w = world->weave;
    const twVec3 points[2] = {{0, 0, 0}, {1, 0, 0}};
    const twSection section = {
        .area = 1, .moment = {1, 1}, .torsion = 1, .shear = {1, 1}, .half_size = {1, 1}, .radius = 1};
    twWorldRodDef def = tw_world_rod_def();
    def.name = "none";
    def.rod.point_count = 2, def.rod.points = points;
    def.rod.section_count = 1, def.rod.sections = &section;
    const twStatus status = weave_make_rod(world, &def, &w->nothing, err);
    if (status != TW_OK) return status;
    w->nothing.gone = w->nothing.ghost = w->nothing.converged = true;
    // nothing is measured by it
    w->nothing.shape->thinnest = INFINITY;
    w->nothing.shape->longest = 0;
    return TW_OK;
}

twStatus weave_make_places(twWorld* world, const twWorldDef* def, twError* err)
{
    Weave* w = world->weave;
    const twStatus status = weave_pool_make_nothing(world, err);
    for (int i = 0; i < w->rod_count && status == TW_OK; i++)
    {
        w->room[i] = i < def->rod_count ? w->rods[i].shape->point_count : def->spare_rod_points;
        if (i >= def->rod_count) w->rods[i] = w->nothing;
    }
    return status;
}

bool tw_world_has_rod(const twWorld* world, int rod)
{
    const Weave* w = world->weave;
    return w && rod >= 0 && rod < w->rod_count && !w->rods[rod].gone;
}

// ---- come ----

twStatus tw_new_rod_create(twNewRod** out, const twWorld* world, const twWorldRodDef* def, twError* err)
{
    *out = NULL;
    if (!world->weave || !world->weave->room)
        return tw_fail(err, TW_BAD_INPUT, "the world has no room for rods that are added (spare_rods)");
    twNewRod* n = calloc(1, sizeof *n);
    if (!n) return tw_fail(err, TW_NO_MEMORY, "no memory for a rod");
    n->world = world;
    twStatus status = weave_make_rod(world, def, &n->rod, err);
    if (status == TW_OK && !strand_line_create(&n->line, n->rod.shape))
        status = tw_fail(err, TW_NO_MEMORY, "no memory for a rod");
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
    strand_line_destroy(&n->line);
    free(n);
}

static bool weave_pool_fits(const Weave* w, const twNewRod* n, int place)
{
    return place >= 0 && place < w->rod_count && w->rods[place].gone && n->rod.shape->point_count <= w->room[place];
}

// with what contacts of rods it has, and what was done to it [J]
static double weave_pool_energy(WeaveRod* r)
{
    const twRodEnergy e = tw_rod_energy(r->rod);
    return e.kinetic + e.bending + e.twisting + e.stretching + e.shearing + e.springs + e.gravity -
           (e.work - r->contact_work);
}

static void weave_pool_put(twWorld* world, twNewRod* n, int place)
{
    Weave* w = world->weave;
    const WeaveRod old = w->rods[place];
    w->rods[place] = n->rod;
    w->rods[place].kind = old.kind;
    w->rods[place].first = old.first;
    n->rod = old;
    if (old.rod == w->nothing.rod) n->rod = (WeaveRod){.rod = NULL};
    n->world = NULL;
    weave_set_place(w, place);
    weave_set_laws(world, place);
    strand_pairs_exchange(w->pairs, place, &n->line);
    tw_rod_borrow_from(w->rods[place].rod, w->lender);
    w->looked = -1;
    world->energy.work += weave_pool_energy(w->rods + place);
}

static twStatus weave_pool_check(const twWorld* world, const twNewRod* n, twError* err)
{
    if (n->world == world) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "a rod was made for another world, or was added already");
}

twStatus tw_world_add_rod_at(twWorld* world, int rod, twNewRod* n, twError* err)
{
    const twStatus status = weave_pool_check(world, n, err);
    if (status != TW_OK) return status;
    if (!weave_pool_fits(world->weave, n, rod))
        return tw_fail(err, TW_BAD_INPUT, "rod '%s': place %d is not free, or has no room for %d points", n->rod.name,
                       rod, n->rod.shape->point_count);
    weave_pool_put(world, n, rod);
    return TW_OK;
}

twStatus tw_world_add_rod(twWorld* world, twNewRod* n, int* rod, twError* err)
{
    const twStatus status = weave_pool_check(world, n, err);
    if (status != TW_OK) return status;
    const int count = world->weave->rod_count;
    int place = 0;
    while (place < count && !weave_pool_fits(world->weave, n, place)) place++;
    if (place == count)
        return tw_fail(err, TW_BAD_INPUT, "rod '%s': none of %d places is free and has room for its %d points",
                       n->rod.name, count, n->rod.shape->point_count);
    weave_pool_put(world, n, *rod = place);
    return TW_OK;
}

// ---- go ----

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
    weave_forget_contacts(world, rod, TW_NOWHERE);
    strand_pairs_forget(w->pairs);
    r->gone = r->converged = w->places[rod].ghost = r->ghost = true;
    r->pushed = r->gives = r->local = false;
    return TW_OK;
}
