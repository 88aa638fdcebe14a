// SPDX-License-Identifier: MIT
// Rods of a live world: seen, picked, held, led, heard by what they hit; they come and go while four threads run.
#define _XOPEN_SOURCE 700
#include "allocations.h"
#include "live.h"
#include "live/live.h"
#include "live/pick.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum
{
    POINTS = 25,
    SPARE = 3,
    SLOTS = 4
};

// a cable of rubber along x, its middle at a place
typedef struct Cable
{
    twVec3 points[POINTS];
    twSection section;
    twWorldRodDef def;
} Cable;

static const double LENGTH = 0.5, RADIUS = 0.004, DENSITY = 1200;

static double cable_mass(void) { return DENSITY * TW_PI * RADIUS * RADIUS * LENGTH; }

static void cable(Cable* c, twVec3 at)
{
    twSectionDef round = tw_section_circle(RADIUS);
    twError err;
    must(tw_section_compute(&c->section, &round, &err) == TW_OK, &err);
    for (int i = 0; i < POINTS; i++)
        c->points[i] = tw_vec3(at.x + LENGTH * ((double)i / (POINTS - 1) - 0.5), at.y, at.z);
    c->def = tw_world_rod_def();
    c->def.name = "cable";
    c->def.rod.point_count = POINTS, c->def.rod.points = c->points;
    c->def.rod.section_count = 1, c->def.rod.sections = &c->section;
    c->def.rod.young = 1e7, c->def.rod.density = DENSITY, c->def.rod.beta = 1e-3;
}

static const Beam bar = {
    .size = {0.25, 0.03, 0.01}, .density = 1000, .young = 2e7, .cells = 6, .modes = 3, .decay = 10};

// a floor, a bar on it, and room for rods
static void rod_case(LiveCase* g)
{
    live_case(g);
    live_floor(g);
    live_beam(g, &bar, tw_vec3(0, 0, 0.0055));
    g->def.world.spare_rods = SPARE;
    g->def.world.spare_rod_points = POINTS;
    g->def.world.max_grabs = SLOTS;
    g->def.queue = 64;
    g->def.sound_rate_hz = 48000;
    g->def.ear.position = tw_vec3(0, 0, 1);
}

static twGrabDef hold_rod(int rod, int node)
{
    twGrabDef def = tw_grab_def();
    def.at = (twGrabPoint){.body = TW_NOWHERE, .rod = rod, .node = node};
    def.here = true;
    return def;
}

static twVec3 seen_at(const twLiveView* view, int rod, int point)
{
    const double* x = view->rods[rod].position + 3 * point;
    return tw_vec3(x[0], x[1], x[2]);
}

static int add(LiveCase* g, double y, double z)
{
    Cable c;  // copied
    int rod = -1;
    cable(&c, tw_vec3(0, y, z));
    must(tw_live_add_rod(g->live, &c.def, &rod, &g->err) == TW_OK, &g->err);
    return rod;
}

// ---- picking ----

static int a_ray_meets_a_rod_where_its_surface_is(void)
{
    Cable c;
    cable(&c, tw_vec3(0, 0, 0));
    double position[3 * POINTS];
    for (int i = 0; i < POINTS; i++)
        position[3 * i] = c.points[i].x, position[3 * i + 1] = c.points[i].y, position[3 * i + 2] = c.points[i].z;
    twLiveRod rod = {
        .present = true, .point_count = POINTS, .position = position, .section_count = 1, .section = &c.section};
    const double edge = LENGTH / (POINTS - 1), aside = 0.6 * RADIUS, high = 0.8 * RADIUS;
    const twVec3 down = tw_vec3(0, 0, -2);  // distances are in its lengths
    int node = -1;
    ENSURE_NEAR(pick_rod(&rod, tw_vec3(3.4 * edge, aside, 1), down, INFINITY, &node), (1 - high) / 2, 1e-12);
    ENSURE(node == (POINTS - 1) / 2 + 3);
    // from below, of an end, beside it, beyond what is nearer
    ENSURE_NEAR(pick_rod(&rod, tw_vec3(3.6 * edge, 0, -1), tw_vec3(0, 0, 1), INFINITY, &node), 1 - RADIUS, 1e-12);
    ENSURE(node == (POINTS - 1) / 2 + 4);
    ENSURE_NEAR(pick_rod(&rod, tw_vec3(0.5 * LENGTH + aside, 0, 1), down, INFINITY, &node), (1 - high) / 2, 1e-12);
    ENSURE(node == POINTS - 1);
    ENSURE_NEAR(pick_rod(&rod, tw_vec3(-1, 0, 0), tw_vec3(1, 0, 0), INFINITY, &node), 0.75 - RADIUS, 1e-12);
    ENSURE(node == 0);
    ENSURE(isinf(pick_rod(&rod, tw_vec3(0.5 * LENGTH + 1.01 * RADIUS, 0, 1), down, INFINITY, &node)));
    ENSURE(isinf(pick_rod(&rod, tw_vec3(0, 1.01 * RADIUS, 1), down, INFINITY, &node)));
    ENSURE(isinf(pick_rod(&rod, tw_vec3(0, 0, -1), down, INFINITY, &node)));
    ENSURE(isinf(pick_rod(&rod, tw_vec3(0, 0, 1), down, 0.49, &node)));
    // the edge that closes a ring
    position[1] = 0.1, position[3 * POINTS - 2] = -0.1;
    position[3 * POINTS - 3] = position[0];
    ENSURE(isinf(pick_rod(&rod, tw_vec3(position[0], 0.02, 1), down, INFINITY, &node)));
    rod.closed = true;
    ENSURE_NEAR(pick_rod(&rod, tw_vec3(position[0], 0.02, 1), down, INFINITY, &node), (1 - RADIUS) / 2, 1e-12);
    ENSURE(node == 0);
    return 0;
}

// ---- one comes, is led, and goes ----

static int a_rod_that_is_added_falls_is_taken_and_led(void)
{
    LiveCase g;
    rod_case(&g);
    live_start(&g);
    ENSURE(live_view(&g)->rod_count == SPARE && !live_view(&g)->rods[0].present);
    const int rod = add(&g, 0.2, 0.3);
    ENSURE(rod == 0);
    live_steps(&g, 100);
    const twLiveView* view = live_view(&g);
    const twLiveRod* r = &view->rods[0];
    ENSURE(r->present && !view->rods[1].present && r->point_count == POINTS && !r->closed);
    ENSURE(r->section_count == 1 && r->section->radius == RADIUS);
    for (int i = 0; i < POINTS; i++)
    {
        ENSURE_NEAR(r->position[3 * i + 2], 0.3 - 0.5 * 9.81 * 0.01, 1e-9);
        ENSURE_NEAR(r->velocity[3 * i + 2], -0.981, 1e-9);
    }
    ENSURE_NEAR(tw_vec3_norm(tw_vec3(r->across[0], r->across[1], r->across[2])), 1, 1e-12);
    // its end is met from above, taken, and led elsewhere
    twGrabDef grab = tw_grab_def();
    twVec3 place;
    ENSURE(tw_live_pick(view, tw_vec3(0.245, 0.2, 1), tw_vec3(0, 0, -1), &grab.at, &place));
    ENSURE(grab.at.rod == 0 && grab.at.body == TW_NOWHERE && grab.at.node == POINTS - 1);
    ENSURE_NEAR(place.z, r->position[2] + RADIUS, 1e-9);
    grab.target = tw_vec3(0.15, 0.2, 0.4), grab.ease = 0.5;
    ENSURE(tw_live_grab(g.live, 2, &grab));
    live_steps(&g, 3000);
    view = live_view(&g);
    ENSURE(view->grabs[2].active && view->stats.refused == 0);
    // as far off as the spring gives way to what swings there
    const double error = tw_vec3_norm(view->grabs[2].force) / view->grabs[2].stiffness;
    ENSURE_NEAR(away(seen_at(view, 0, POINTS - 1), grab.target), error, 0.1 * error);
    ENSURE(error < 1e-3 * LENGTH && tw_vec3_norm(view->grabs[2].force) < 3 * 9.81 * cable_mass());
    ENSURE(tw_live_remove_rod(g.live, 0) && !tw_live_rod_is_free(g.live, 0));
    live_steps(&g, 1);
    view = live_view(&g);
    ENSURE(!view->rods[0].present && !view->grabs[2].active);
    ENSURE(tw_live_pick(view, tw_vec3(0.15, 0.2, 1), tw_vec3(0, 0, -1), &grab.at, &place) && grab.at.body == 0);
    ENSURE(tw_live_rod_is_free(g.live, 0));  // nothing ever sounded
    live_free(&g);
    return 0;
}

static int a_rod_that_is_added_moves_as_one_that_was_there(void)
{
    LiveCase cases[2];
    Cable cables[2];
    for (int i = 0; i < 2; i++) cable(&cables[i], tw_vec3(0, 0.02 * i, 0.02 + 0.02 * i));
    const twWorldRodDef defs[2] = {cables[0].def, cables[1].def};
    for (int k = 0; k < 2; k++)
    {
        rod_case(&cases[k]);
        cases[k].def.world.rods = defs;
        cases[k].def.world.rod_count = k == 0 ? 2 : 0;
        live_start(&cases[k]);
        int rod;
        for (int i = 0; i < 2 && k == 1; i++)
            ENSURE(tw_live_add_rod(cases[k].live, &defs[i], &rod, &cases[k].err) == TW_OK && rod == i);
    }
    for (int step = 0; step < 400; step += 10)
    {
        for (int k = 0; k < 2; k++) live_steps(&cases[k], 10);
        const twLiveView *there = live_view(&cases[0]), *comes = live_view(&cases[1]);
        for (int i = 0; i < 2 * POINTS; i++)
            ENSURE(away(seen_at(there, i / POINTS, i % POINTS), seen_at(comes, i / POINTS, i % POINTS)) < 1e-9);
        ENSURE(away(there->bodies[1].position, comes->bodies[1].position) < 1e-9);
    }
    ENSURE(live_view(&cases[0])->stats.world.rod_contacts > 1000);
    for (int k = 0; k < 2; k++) live_free(&cases[k]);
    return 0;
}

// ---- what makes no sense ----

static int rods_that_cannot_come_or_go_are_refused_and_counted(void)
{
    LiveCase g;
    Cable tied, c;
    rod_case(&g);
    cable(&tied, tw_vec3(0, 0.5, 0.5));
    const twTieDef tie = {.rod = 0, .point = 0, .body = 0};
    g.def.world.rods = &tied.def, g.def.world.rod_count = 1;
    g.def.world.ties = &tie, g.def.world.tie_count = 1;
    live_start(&g);
    int rod = -1, refused = 0;
    cable(&c, tw_vec3(0, 0, 0.3));
    twWorldRodDef bad[5] = {c.def, c.def, c.def, c.def, c.def};
    twVec3 longer[POINTS + 1];
    for (int i = 0; i <= POINTS; i++) longer[i] = tw_vec3(0.02 * i, 0, 1);
    bad[0].rod.point_count = POINTS + 1, bad[0].rod.points = longer;
    bad[1].rod.density = NAN;
    bad[2].material = 5;
    bad[3].rod.point_count = 1;
    c.points[3].y = NAN;
    const char* const says[5] = {"no place is free that has room for its 26 points", "density", "material 5", "1 point",
                                 "point 3"};
    for (; refused < 5; refused++)
        ENSURE(tw_live_add_rod(g.live, &bad[refused], &rod, &g.err) == TW_BAD_INPUT &&
               strstr(g.err.text, says[refused]));
    for (int i = 0; i < SPARE; i++) ENSURE(add(&g, 0.1 * i, 0.3) == 1 + i);
    cable(&c, tw_vec3(0, 0, 0.6));
    ENSURE(tw_live_add_rod(g.live, &c.def, &rod, &g.err) == TW_BAD_INPUT && strstr(g.err.text, "no place is free"));
    ENSURE(!tw_live_remove_rod(g.live, 0) && !tw_live_remove(g.live, 0));  // tied to each other
    ENSURE(!tw_live_remove_rod(g.live, -1) && !tw_live_remove_rod(g.live, 1 + SPARE));
    ENSURE(!tw_live_rod_is_free(g.live, -1) && !tw_live_rod_is_free(g.live, 1 + SPARE));
    refused += 5;
    // grabs
    twGrabDef grabs[8];
    for (int i = 0; i < 8; i++) grabs[i] = hold_rod(1, 0);
    grabs[0].at.node = POINTS;
    grabs[1].at.rod = 1 + SPARE;
    grabs[2].at.body = 1;
    grabs[3].to = grabs[3].at;
    grabs[4].max_force = -1;
    grabs[5].push_count = 1, grabs[5].max_force = 1, grabs[5].push[0] = grabs[5].at;
    grabs[6].target.y = NAN;
    grabs[7].at.rod = -2;
    for (int i = 0; i < 8; i++, refused++) ENSURE(!tw_live_grab(g.live, 0, &grabs[i]));
    // of two rods, and of one by two points
    twGrabDef fine = hold_rod(1, 3);
    fine.to = (twGrabPoint){.body = TW_NOWHERE, .rod = 2, .node = 3};
    ENSURE(tw_live_grab(g.live, 0, &fine));
    fine.to.rod = 1, fine.to.node = 20;
    ENSURE(tw_live_grab(g.live, 1, &fine));
    // they end with it
    ENSURE(tw_live_remove_rod(g.live, 2) && !tw_live_remove_rod(g.live, 2));
    fine.at.rod = 2;
    ENSURE(!tw_live_grab(g.live, 2, &fine) && !tw_live_move(g.live, 0, tw_vec3(0, 0, 0), 0));
    refused += 3;
    live_steps(&g, 5);
    const twLiveView* view = live_view(&g);
    ENSURE(!view->grabs[0].active && view->grabs[1].active && !view->rods[2].present && view->rods[3].present);
    ENSURE(view->stats.refused == refused);
    live_free(&g);
    return 0;
}

static int steps_of_rods_fit_into_those_of_the_world(void)
{
    const double rates[5] = {0, 1000, 8000, 1500, 500}, steps[3] = {1e-3, 5e-4, 4e-3};
    for (int i = 0; i < 5; i++)
    {
        LiveCase g;
        rod_case(&g);
        g.def.world.rod_rate_hz = rates[i];
        const twStatus status = tw_live_create(&g.live, &g.def, &g.err);
        ENSURE(i < 3 ? status == TW_OK : status == TW_BAD_INPUT && strstr(g.err.text, "not a whole number"));
        if (status == TW_OK) live_steps(&g, 10);
        if (status == TW_OK) ENSURE(live_view(&g)->stats.world.rod_steps == 10 * (int64_t)fmax(rates[i] / 1000, 1));
        live_free(&g);
    }
    for (int i = 0; i < 3; i++)
    {
        LiveCase g;
        rod_case(&g);
        g.def.world.max_step = steps[i];
        live_start(&g);
        live_steps(&g, 10);
        ENSURE(live_view(&g)->stats.world.rod_steps == (i == 2 ? 40 : 10));
        live_free(&g);
    }
    return 0;
}

// ---- what it hits ----

static int what_a_rod_presses_is_its_weight(void)
{
    LiveCase g;
    live_case(&g);
    live_floor(&g);
    g.bodies[0].body.heard = true;
    g.def.world.spare_rods = 1, g.def.world.spare_rod_points = POINTS;
    g.def.recorded = 4096;
    live_start(&g);
    add(&g, 0, RADIUS + 0.001);
    static double held[1 << 12];
    double impulse = 0;  // of the last second
    for (int k = -1000; k < 1000; k++)
    {
        live_steps(&g, 1);
        int count;
        const twContactForce* forces = tw_live_forces(g.live, &count);
        for (int i = 0; i < count; i++)
        {
            ENSURE(forces[i].body[0] == TW_NOWHERE && forces[i].body[1] == 0);
            held[forces[i].id % (1 << 12)] = forces[i].force.z;  // one for each place along the rod
        }
        for (int i = 0; i < 1 << 12 && k >= 0; i++) impulse += 1e-3 * held[i];
    }
    ENSURE_NEAR(impulse / (9.81 * cable_mass()), 1, 0.01);
    live_free(&g);
    return 0;
}

// @return the loudest sample of half a second in which a rod falls past a bar that rings, or onto it
static double fall(double y)
{
    static float out[480];
    LiveCase g;
    double most = 0;
    live_case(&g);
    Beam held = bar;
    held.young = 2e9, held.clamped = true;
    live_beam(&g, &held, tw_vec3(0, 0, 0));
    g.def.world.spare_rods = 1, g.def.world.spare_rod_points = POINTS;
    g.def.sound_rate_hz = 48000;
    g.def.ear.position = tw_vec3(0, 0, 1);
    live_start(&g);
    add(&g, y, 0.1);
    for (int k = 0; k < 50; k++)
    {
        live_steps(&g, 10);
        tw_live_sound(g.live, out, 480);
        for (int i = 0; i < 480; i++) most = isfinite(out[i]) ? fmax(most, fabs((double)out[i])) : HUGE_VAL;
    }
    live_free(&g);
    return most;
}

static int what_a_rod_hits_is_heard(void)
{
    const double hit = fall(0), passed = fall(0.1);
    ENSURE(passed == 0 && hit > 1e-4 && hit < 10);
    return 0;
}

// ---- energy ----

typedef struct Ledger
{
    double least, largest, rise;  // of all energy less work
    double before, coupled;       // rise in a step of that of bodies, hands and contacts, with what they do to rods
    bool finite;
} Ledger;

static void enter(Ledger* l, LiveCase* g)
{
    const twLiveView* view = live_view(g);
    const twWorldEnergy* e = &view->energy;
    const double all = e->kinetic + e->elastic + e->weight + e->contacts - e->work;
    double coupled = all;
    l->largest = fmax(l->largest, fmax(fabs(e->work), e->kinetic + e->elastic + e->contacts));
    l->rise = fmax(l->rise, all - l->least);
    l->least = fmin(l->least, all);
    l->finite = l->finite && isfinite(all);
    for (int i = 0; i < view->rod_count; i++)
    {
        if (!view->rods[i].present) continue;
        for (int k = 0; k < 3 * POINTS; k++) l->finite = l->finite && fabs(view->rods[i].position[k]) < 10;
        const twRodEnergy r = tw_rod_energy(tw_world_rod(g->live->world, i));
        coupled += r.work - r.kinetic - r.bending - r.twisting - r.stretching - r.shearing - r.springs - r.gravity;
    }
    l->coupled = fmax(l->coupled, coupled - l->before);
    l->before = coupled;
}

// taken at one end, lifted, swung, and dropped among bodies
static int a_cable_that_is_swung_and_dropped_makes_no_energy(void)
{
    LiveCase g;
    rod_case(&g);
    for (int i = 0; i < 3; i++) live_box(&g, tw_vec3(0.04, 0.04, 0.04), 500, tw_vec3(0.1 * i - 0.1, 0.1, 0.021));
    live_start(&g);
    const int rod = add(&g, 0, 0.02), other = add(&g, 0.05, 0.02);
    live_steps(&g, 1);
    twGrabDef grab = hold_rod(rod, POINTS - 1);
    ENSURE(rod == 0 && other == 1 && tw_live_grab(g.live, 0, &grab));
    const twVec3 start = seen_at(live_view(&g), rod, POINTS - 1);
    Ledger l = {.least = HUGE_VAL, .before = HUGE_VAL, .finite = true};
    for (int k = 0; k < 2200; k++)
    {
        const double t = 1e-3 * k, swing = fmax(t - 0.5, 0);
        const twVec3 to = tw_vec3(0.1 * sin(7 * swing), 0.08 * sin(5 * swing), 0.8 * fmin(t, 0.5));
        if (k < 1400) ENSURE(tw_live_move(g.live, 0, tw_vec3_add(start, to), 1e-3));
        if (k == 1400) ENSURE(tw_live_release(g.live, 0));
        live_steps(&g, 1);
        // what a grab still holds is lost when it is released
        if (k == 1400) l.least = l.before = HUGE_VAL;
        enter(&l, &g);
    }
    const twLiveStats stats = live_view(&g)->stats;
    // the energy of rods that bend much goes to and fro by itself, see docs/rod-contact.md
    ENSURE(l.finite && l.rise <= 1e-4 * l.largest && l.coupled <= 1e-9 * l.largest);
    ENSURE(stats.world.failures == 0 && stats.world.lost == 0 && stats.world.dropped == 0);
    ENSURE(stats.world.rod_contacts > 2000);
    // on the floor or on what lies there
    for (int i = 0; i < POINTS; i++) ENSURE(seen_at(live_view(&g), rod, i).z > 0.5 * RADIUS);
    live_free(&g);
    return 0;
}

// ---- all at once ----

enum
{
    RUN_STEPS = 20000,  // at most
    RUN_GUESTS = 6 * SPARE
};

static atomic_bool over;
static atomic_int steps, seen_steps;  // that are made, that are looked at

static void* simulate_all(void* context)
{
    LiveCase* g = context;
    for (int k = 0; k < RUN_STEPS && !atomic_load(&over); k++) live_steps(g, 1), atomic_store(&steps, k + 1);
    atomic_store(&over, true);
    return NULL;
}

static void* sound_all(void* context)
{
    const LiveCase* g = context;
    static _Thread_local float out[100];
    bool bad = false;
    while (!atomic_load(&over))
    {
        tw_live_sound(g->live, out, 100);
        for (int n = 0; n < 100; n++) bad |= !isfinite(out[n]);
    }
    return bad ? context : NULL;
}

// looks at all that is there. @return rods that were seen; below 0: something is no number
static int draw(LiveCase* g)
{
    const twLiveView* view = live_view(g);
    int seen = 0;
    double sum = 0;
    twGrabPoint picked;
    twVec3 place;
    for (int i = 0; i < view->rod_count; i++)
    {
        const twLiveRod* r = &view->rods[i];
        if (!r->present) continue;
        seen++;
        for (int k = 0; k < 3 * r->point_count; k++) sum += r->position[k] + r->velocity[k];
        for (int k = 0; k < r->section_count; k++) sum += r->section[k].radius;
    }
    tw_live_pick(view, tw_vec3(0.1, 0.1, 1), tw_vec3(0, 0, -1), &picked, &place);
    return isfinite(sum) ? seen : -1;
}

static void* draw_all(void* context)
{
    int most = 0;
    bool bad = false;
    while (!atomic_load(&over))
    {
        const int seen = draw(context);
        bad |= seen < 0;
        most = seen > most ? seen : most;
        atomic_fetch_add(&seen_steps, 1);
    }
    return most > 1 && !bad ? NULL : context;
}

// rods come, are held, and go. here: which are. @return how many came
static int host(LiveCase* g, bool here[SPARE], int turn)
{
    int came = 0, rod;
    for (int i = 0; i < SPARE; i++)
    {
        if (here[i] && (turn + i) % 3 == 0 && tw_live_remove_rod(g->live, i)) here[i] = false;
        if (here[i] || !tw_live_rod_is_free(g->live, i)) continue;
        Cable c;
        cable(&c, tw_vec3(0, 0.1 * i, 0.02));
        if (tw_live_add_rod(g->live, &c.def, &rod, &g->err) != TW_OK) continue;
        const twGrabDef grab = hold_rod(rod, turn % POINTS);
        tw_live_grab(g->live, rod, &grab);
        tw_live_move(g->live, rod, tw_vec3(0, 0.05, 0.1), 0.05);
        here[rod] = true;
        came++;
    }
    return came;
}

static int four_threads_share_a_world_whose_rods_come_and_go(void)
{
    LiveCase g;
    bool here[SPARE] = {false};
    rod_case(&g);
    live_start(&g);
    pthread_t threads[3];
    void* (*const works[3])(void*) = {simulate_all, sound_all, draw_all};
    atomic_store(&over, false);
    int came = host(&g, here, 1);
    for (int i = 0; i < 3; i++) ENSURE(pthread_create(&threads[i], NULL, works[i], &g) == 0);
    // something happens and is seen between two turns
    for (int k = 2; came < RUN_GUESTS && !atomic_load(&over); k++)
    {
        const int made = atomic_load(&steps), seen = atomic_load(&seen_steps);
        while (!atomic_load(&over) && (atomic_load(&steps) < made + 2 || atomic_load(&seen_steps) < seen + 2))
            sched_yield();
        came += host(&g, here, k);
    }
    atomic_store(&over, true);
    for (int i = 0; i < 3; i++)
    {
        void* wrong;
        pthread_join(threads[i], &wrong);
        ENSURE(!wrong);
    }
    ENSURE(came >= RUN_GUESTS);
    live_free(&g);
    return 0;
}

// @return allocations but those of adding, of one thread that does all
static long run_alone(int max_contacts)
{
    LiveCase g;
    bool here[SPARE] = {false};
    rod_case(&g);
    g.def.world.max_contacts = max_contacts;
    for (int i = 0; i < 3; i++) live_box(&g, tw_vec3(0.04, 0.04, 0.04), 500, tw_vec3(0.1 * i - 0.1, 0.1, 0.03));
    live_start(&g);
    long made = 0;
    float out[480];
    int came = 0;
    for (int k = 1; k < 40; k++)
    {
        came += host(&g, here, k / 6);
        const long before = allocations;
        live_steps(&g, 10);
        tw_live_sound(g.live, out, 480);
        draw(&g);
        made += allocations - before;
    }
    const twWorldStats stats = live_view(&g)->stats.world;
    live_free(&g);
    return came > SPARE && stats.rod_contacts > 1000 && stats.dropped == 0 ? made : -1;
}

static int one_thread_does_all_and_nothing_allocates_but_adding(void)
{
    ENSURE(run_alone(512) == 0);
    // a world that makes no room asks for it
    ENSURE(!COUNTS || run_alone(0) > 0);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_ray_meets_a_rod_where_its_surface_is)
    RUN(a_rod_that_is_added_falls_is_taken_and_led)
    RUN(a_rod_that_is_added_moves_as_one_that_was_there)
    RUN(rods_that_cannot_come_or_go_are_refused_and_counted)
    RUN(steps_of_rods_fit_into_those_of_the_world)
    RUN(what_a_rod_presses_is_its_weight)
    RUN(what_a_rod_hits_is_heard)
    RUN(a_cable_that_is_swung_and_dropped_makes_no_energy)
    RUN(four_threads_share_a_world_whose_rods_come_and_go)
    RUN(one_thread_does_all_and_nothing_allocates_but_adding)
)
