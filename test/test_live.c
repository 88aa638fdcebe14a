// SPDX-License-Identifier: MIT
// Commands, views, bodies and sound across threads: nothing is lost, torn, waited for or allocated, and nothing is used that is gone.
#define _XOPEN_SOURCE 700
#include "allocations.h"
#include "live.h"
#include "live/live.h"
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

// ---- queues ----

#define ITEMS 200000

typedef struct Item
{
    uint64_t number, square;
} Item;

static void* put_items(void* context)
{
    LiveQueue* queue = context;
    for (uint64_t k = 0; k < ITEMS;)
    {
        // some at a time, all or none
        Item items[3];
        const int count = 1 + (int)(k % 3);
        for (int i = 0; i < count; i++) items[i] = (Item){k + (uint64_t)i, (k + (uint64_t)i) * (k + (uint64_t)i)};
        if (live_queue_put(queue, items, count)) k += (uint64_t)count;
    }
    return NULL;
}

static int what_is_put_by_one_thread_is_taken_by_another_in_order(void)
{
    LiveQueue* queue = live_queue_create(50, sizeof(Item));
    pthread_t putter;
    ENSURE(queue && live_queue_room(queue) == 64);
    ENSURE(pthread_create(&putter, NULL, put_items, queue) == 0);
    uint64_t next = 0, wrong = 0;
    while (next < ITEMS)
    {
        Item item;
        if (!live_queue_take(queue, &item)) continue;
        wrong += item.number != next || item.square != next * next;
        next++;
    }
    pthread_join(putter, NULL);
    ENSURE(wrong == 0);
    live_queue_destroy(queue);
    return 0;
}

static int a_queue_takes_all_items_or_none(void)
{
    LiveQueue* queue = live_queue_create(4, sizeof(int));
    const int items[5] = {1, 2, 3, 4, 5};
    int item;
    ENSURE(live_queue_put(queue, items, 3));
    ENSURE(!live_queue_put(queue, items, 2));
    ENSURE(!live_queue_put(queue, items, 5));
    ENSURE(live_queue_put(queue, items + 3, 1));
    for (int k = 1; k <= 4; k++) ENSURE(live_queue_take(queue, &item) && item == k);
    ENSURE(!live_queue_take(queue, &item));
    live_queue_destroy(queue);
    return 0;
}

// ---- a bar above a floor, and room for more ----

static const Beam bar = {
    .size = {0.25, 0.03, 0.01}, .density = 1000, .young = 2e7, .cells = 6, .modes = 3, .decay = 10};

enum
{
    SPARE = 3,
    SLOTS = 4
};

static void bar_case(LiveCase* g)
{
    live_case(g);
    live_beam(g, &bar, tw_vec3(0, 0, 0.1));
    live_floor(g);
    g->def.world.spare_bodies = SPARE;
    g->def.world.spare_modes = 3;
    g->def.world.max_grabs = SLOTS;
    g->def.queue = 64;
    g->def.sound_rate_hz = 48000;
    g->def.ear.position = tw_vec3(0, 0, 1);
    live_start(g);
}

static twLiveBodyDef another(const LiveCase* g, double x)
{
    return live_body_of(g->bodies[0].body.shape, g->bodies[0].modes, tw_vec3(x, 0, 0.3));
}

// ---- commands ----

static int commands_act_before_the_next_step(void)
{
    LiveCase g;
    bar_case(&g);
    twGrabDef grab = live_hold(0, 2, 0);
    const twBodyMotion motion = {.position = {0, 0, 0.5}, .turn = {1.5, 0, 0, 0}, .velocity = {0, 0, 7}};
    ENSURE(tw_live_throw(g.live, 0, &motion));
    ENSURE(tw_live_grab(g.live, 3, &grab));
    live_steps(&g, 1);
    const twLiveView* view = live_view(&g);
    ENSURE(view->body_count == 2 + SPARE && view->grab_count == SLOTS && view->stats.steps == 1);
    ENSURE(view->grabs[3].active && !view->grabs[0].active && view->bodies[0].position.z > 0.45);
    ENSURE(view->bodies[0].present && view->bodies[1].present && !view->bodies[2].present);
    ENSURE(tw_live_release(g.live, 3));
    live_steps(&g, 1);
    ENSURE(!live_view(&g)->grabs[3].active && live_view(&g)->stats.refused == 0);
    live_free(&g);
    return 0;
}

static int a_full_queue_refuses_and_counts_and_loses_nothing(void)
{
    LiveCase g;
    bar_case(&g);
    const twSurfacePoint point = tw_surface_vertex(0);
    // in free flight, so that the momentum of all that was taken is there
    const double mass = beam_mass(&bar);
    for (int k = 0; k < 64; k++) ENSURE(tw_live_strike(g.live, 0, &point, tw_vec3(1e-3 * mass, 0, 0)));
    for (int k = 0; k < 5; k++) ENSURE(!tw_live_strike(g.live, 0, &point, tw_vec3(1, 0, 0)));
    live_steps(&g, 1);
    const twLiveView* view = live_view(&g);
    ENSURE(view->stats.refused == 5);
    const twLivePose* pose = &view->bodies[0];
    const twVec3 arm = tw_quat_rotate(pose->turn, g.bodies[0].modes->mass.centre);
    ENSURE_NEAR(tw_vec3_add(pose->velocity, tw_vec3_cross(pose->spin, arm)).x, 64e-3, 1e-9);
    ENSURE(tw_live_strike(g.live, 0, &point, tw_vec3(1, 0, 0)));
    live_free(&g);
    return 0;
}

static int commands_that_make_no_sense_are_refused_and_counted(void)
{
    LiveCase g;
    bar_case(&g);
    twLive* live = g.live;
    const twGrabDef fine = live_hold(0, 2, 0.05);
    twGrabDef grabs[17];
    for (int i = 0; i < 17; i++) grabs[i] = fine;
    grabs[0].at.body = 2;
    grabs[1].at.point.vertex[0] = 1 << 20;
    grabs[2].at.point.vertex[1] = -2;
    grabs[3].at.point.weight[0] = 0.9;
    grabs[4].at.point = (twSurfacePoint){{0, 1, -1}, {1.5, -0.5, 0}};
    grabs[5].target.x = NAN;
    grabs[6].to.body = 5;
    grabs[7].to.body = 1, grabs[7].to.point.vertex[0] = 1 << 20;
    grabs[8].push_count = TW_MAX_GRAB_PUSHES + 1;
    grabs[9].push_count = 1, grabs[9].max_force = 1, grabs[9].push[0].body = -1;
    grabs[10].ease = -1;
    grabs[11].max_force = NAN;
    grabs[12].max_force = -1;
    grabs[13].kind = (twGrabKind)7;
    grabs[14].at.rod = 0, grabs[14].at.body = TW_NOWHERE;
    grabs[15].push_count = 1, grabs[15].push[0] = fine.at;  // a servo without a largest force
    grabs[16].at.body = TW_NOWHERE;
    int refused = 0;
    for (; refused < 17; refused++) ENSURE(!tw_live_grab(live, 0, &grabs[refused]));
    const twSurfacePoint point = fine.at.point, heavy = {{0, -1, -1}, {2, 0, 0}};
    ENSURE(!tw_live_grab(live, -1, &fine) && !tw_live_grab(live, SLOTS, &fine));
    ENSURE(!tw_live_move(live, 8, tw_vec3(0, 0, 0), 0) && !tw_live_move(live, 0, tw_vec3(0, 0, 0), 0));
    ENSURE(!tw_live_release(live, 100) && !tw_live_release(live, 0));
    ENSURE(!tw_live_strike(live, 2, &point, tw_vec3(1, 0, 0)) && !tw_live_strike(live, 0, &heavy, tw_vec3(1, 0, 0)));
    ENSURE(!tw_live_strike(live, 0, &point, tw_vec3(0, 0, NAN)) &&
           !tw_live_strike(live, 0, &point, tw_vec3(0, 1e160, 0)));
    const twBodyMotion flat = {.turn = {0, 0, 0, 0}}, lost = {.turn = {1, 0, 0, 0}, .spin = {NAN, 0, 0}};
    const twBodyMotion still = {.turn = {1, 0, 0, 0}};
    ENSURE(!tw_live_throw(live, 0, &flat) && !tw_live_throw(live, 0, &lost) && !tw_live_throw(live, -1, &still));
    ENSURE(!tw_live_throw(live, 1, &still));  // the floor is fixed
    ENSURE(!tw_live_listen(live, tw_vec3(NAN, 0, 0), tw_quat_identity(), 0));
    ENSURE(!tw_live_listen(live, tw_vec3(0, 0, 0), flat.turn, 0));
    ENSURE(!tw_live_listen(live, tw_vec3(0, 0, 0), tw_quat_identity(), -1));
    ENSURE(!tw_live_remove(live, 2) && !tw_live_remove(live, -1) && !tw_live_remove(live, 2 + SPARE));
    refused += 6 + 4 + 4 + 3 + 3;
    live_steps(&g, 1);
    ENSURE(live_view(&g)->stats.refused == refused);
    ENSURE(live_view(&g)->energy.work == 0);
    live_free(&g);
    return 0;
}

static int a_slot_in_use_refuses_another_grab(void)
{
    LiveCase g;
    bar_case(&g);
    const twGrabDef first = live_hold(0, 0, 0.05), second = live_hold(0, 7, 0.05);
    ENSURE(tw_live_grab(g.live, 1, &first) && !tw_live_grab(g.live, 1, &second));
    ENSURE(tw_live_move(g.live, 1, tw_vec3(0, 0, 0.2), 0.1));
    ENSURE(!tw_live_move(g.live, 1, tw_vec3(0, INFINITY, 0), 0) && !tw_live_move(g.live, 1, tw_vec3(0, 0, 0), -1));
    live_steps(&g, 2);
    ENSURE(live_view(&g)->stats.refused == 3 && live_view(&g)->grabs[1].active);
    ENSURE(tw_live_release(g.live, 1) && tw_live_grab(g.live, 1, &second));
    live_steps(&g, 1);
    ENSURE(live_view(&g)->stats.refused == 3 && live_view(&g)->grabs[1].active);
    live_free(&g);
    return 0;
}

// ---- places and forces ----

// where a point of a body is, and how it moves
static twVec3 place_now(const twLive* live, int body, const twSurfacePoint* point, twVec3* velocity)
{
    twVec3 place = {0, 0, 0}, v;
    *velocity = place;
    for (int i = 0; i < 3; i++)
    {
        const twVec3 at = tw_world_point(tw_live_world(live), body, point->vertex[i], tw_live_time(live), &v);
        place = tw_vec3_add_scaled(place, at, point->weight[i]);
        *velocity = tw_vec3_add_scaled(*velocity, v, point->weight[i]);
    }
    return place;
}

static int the_nearest_point_is_where_its_place_says(void)
{
    LiveCase g;
    bar_case(&g);
    const twVec3 at = {0.05, 0.01, 0.02};  // 15 mm above the bar
    twSurfacePoint point;
    ENSURE_NEAR(tw_live_nearest(g.live, 0, at, &point), 0.015, 1e-9);
    twVec3 velocity;
    twVec3 place = place_now(g.live, 0, &point, &velocity);
    ENSURE(away(place, tw_vec3(0.05, 0.01, 0.105)) < 1e-8);
    const twBodyMotion motion = {.position = {1, 0, 0.5}, .turn = {1, 0, 0, 0}, .spin = {0, 0, 2}};
    ENSURE(tw_live_throw(g.live, 0, &motion));
    live_steps(&g, 1);
    place = place_now(g.live, 0, &point, &velocity);
    // spin x arm, and a step of falling
    ENSURE(away(velocity, tw_vec3(-0.02, 0.1, -9.81e-3)) < 1e-3);
    ENSURE(isinf(tw_live_nearest(g.live, 3, at, &point)));
    live_free(&g);
    return 0;
}

static int recorded_forces_of_what_rests_are_its_weight(void)
{
    LiveCase g;
    live_case(&g);
    live_beam(&g, &bar, tw_vec3(0, 0, 0.0051));
    live_floor(&g);
    g.def.recorded = 4096;
    live_start(&g);
    static double held[1 << 10];
    double impulse = 0;  // of the last half second
    for (int k = -2500; k < 500; k++)
    {
        live_steps(&g, 1);
        int count;
        const twContactForce* forces = tw_live_forces(g.live, &count);
        for (int i = 0; i < count; i++) held[forces[i].id % (1 << 10)] = forces[i].force.z;
        for (int i = 0; i < 1 << 10 && k >= 0; i++) impulse += 1e-3 * held[i];
    }
    ENSURE_NEAR(impulse / (0.5 * 9.81 * beam_mass(&bar)), 1, 0.01);
    ENSURE(live_view(&g)->stats.dropped_forces == 0);
    live_free(&g);
    return 0;
}

// ---- a rigid body of a flexible shape ----

// the last body of a view lies before the first one of another
static int a_rigid_body_of_a_flexible_shape_has_no_amplitudes(void)
{
    LiveCase g;
    live_case(&g);
    live_beam(&g, &bar, tw_vec3(0, 0, 0.1));
    g.bodies[g.def.body_count++] = another(&g, 1);
    g.bodies[1].body.rigid = true;
    live_start(&g);
    for (int i = 0; i < 6; i++)
    {
        live_steps(&g, 1);
        const twLiveView* view = live_view(&g);
        const twLivePose first = view->bodies[0];
        ENSURE(first.mode_count == 3 && view->bodies[1].mode_count == 0);
        live_steps(&g, 1);
        live_steps(&g, 1);
        ENSURE(first.present && view->bodies[0].present && view->bodies[0].position.z == first.position.z);
        ENSURE(view->bodies[0].mode_count == 3 && first.position.z > 0.09);
    }
    live_free(&g);
    return 0;
}

// ---- bodies that come and go ----

static void a_while(LiveCase* g)
{
    float out[800];
    live_steps(g, 16);
    tw_live_sound(g->live, out, 800);
    live_view(g);
}

static int a_body_that_is_added_falls_and_is_seen_and_picked(void)
{
    LiveCase g;
    bar_case(&g);
    int body = -1;
    twGrabPoint picked;
    const twLiveBodyDef def = another(&g, 0.5);
    ENSURE(tw_live_add(g.live, &def, &body, &g.err) == TW_OK && body == 2);
    live_steps(&g, 100);
    const twLiveView* view = live_view(&g);
    ENSURE(view->bodies[2].present && tw_live_cover(view, 2) && !tw_live_cover(view, 3));
    ENSURE_NEAR(view->bodies[2].position.z, 0.3 - 0.5 * 9.81 * 0.01, 1e-3);
    twVec3 place;
    ENSURE(tw_live_pick(view, tw_vec3(0.5, 0, 1), tw_vec3(0, 0, -1), &picked, &place) && picked.body == 2);
    ENSURE(tw_live_remove(g.live, 2));
    live_steps(&g, 1);
    view = live_view(&g);
    ENSURE(!view->bodies[2].present && !tw_live_cover(view, 2));
    ENSURE(tw_live_pick(view, tw_vec3(0.5, 0, 1), tw_vec3(0, 0, -1), &picked, &place) && picked.body == 1);
    live_free(&g);
    return 0;
}

static int a_full_pool_refuses_and_a_removed_body_makes_room(void)
{
    LiveCase g;
    bar_case(&g);
    int body = -1;
    for (int i = 0; i < SPARE; i++)
    {
        const twLiveBodyDef def = another(&g, 0.5 * (i + 1));
        ENSURE(tw_live_add(g.live, &def, &body, &g.err) == TW_OK && body == 2 + i);
    }
    const twLiveBodyDef def = another(&g, 3);
    ENSURE(tw_live_add(g.live, &def, &body, &g.err) == TW_BAD_INPUT && strstr(g.err.text, "no place is free"));
    a_while(&g);
    ENSURE(live_view(&g)->stats.refused == 1);
    ENSURE(tw_live_remove(g.live, 3) && !tw_live_remove(g.live, 3));
    // not before it was done, a view was taken and a block was made
    ENSURE(!tw_live_is_free(g.live, 3));
    ENSURE(tw_live_add(g.live, &def, &body, &g.err) == TW_BAD_INPUT);
    live_steps(&g, 1);
    ENSURE(!tw_live_is_free(g.live, 3));
    a_while(&g);
    ENSURE(tw_live_is_free(g.live, 3) && !tw_live_is_free(g.live, 2));
    ENSURE(tw_live_add(g.live, &def, &body, &g.err) == TW_OK && body == 3);
    a_while(&g);
    ENSURE_NEAR(live_view(&g)->bodies[3].position.x, 3, 1e-9);
    ENSURE(live_view(&g)->stats.refused == 3);
    live_free(&g);
    return 0;
}

static twVec3 steady_push(double time, void* context)
{
    (void)time, (void)context;
    return tw_vec3(0, 0, 1);
}

static int a_body_that_is_pushed_for_good_stays(void)
{
    LiveCase g;
    live_case(&g);
    live_box(&g, tw_vec3(0.1, 0.1, 0.1), 1000, tw_vec3(0, 0, 0));
    const twPushDef push = {.body = 0, .vertex = -1, .force = steady_push, .end = 1};
    g.def.world.pushes = &push;
    g.def.world.push_count = 1;
    live_start(&g);
    live_steps(&g, 2);
    ENSURE(!tw_live_remove(g.live, 0));
    a_while(&g);
    ENSURE(!tw_live_is_free(g.live, 0) && live_view(&g)->bodies[0].present);
    ENSURE(live_view(&g)->stats.refused == 1);
    live_free(&g);
    return 0;
}

static int a_lost_body_can_be_removed_and_makes_room(void)
{
    LiveCase g;
    live_case(&g);
    live_box(&g, tw_vec3(0.1, 0.1, 0.1), 1000, tw_vec3(0, 0, 0));
    live_start(&g);
    const twBodyMotion far = {
        .position = {9.9999e8, 0, 0}, .turn = {1, 0, 0, 0}, .velocity = {9.99e8, 0, 0}, .spin = {0, 0, 0}};
    ENSURE(tw_live_throw(g.live, 0, &far));
    live_steps(&g, 100);
    ENSURE(live_view(&g)->stats.world.lost == 1);
    ENSURE(tw_live_remove(g.live, 0));
    a_while(&g);
    ENSURE(tw_live_is_free(g.live, 0) && !live_view(&g)->bodies[0].present);
    int body = -1;
    const twLiveBodyDef def = g.bodies[0];
    ENSURE(tw_live_add(g.live, &def, &body, &g.err) == TW_OK && body == 0);
    a_while(&g);
    ENSURE(live_view(&g)->bodies[0].present && fabs(live_view(&g)->bodies[0].position.x) < 1e-9);
    ENSURE(live_view(&g)->stats.refused == 0);
    live_free(&g);
    return 0;
}

static int capacities_that_make_no_sense_are_refused_by_name(void)
{
    LiveCase g;
    live_case(&g);
    const twWorldDef fine = g.def.world;
    struct
    {
        int *value, bad;
        const char* says;
    } const cases[] = {
        {&g.def.world.max_contacts, -1, "room for -1 contacts"},
        {&g.def.world.max_contacts, 1 << 30, "contacts"},
        {&g.def.world.max_grabs, 1 << 28, "grabs"},
        {&g.def.world.spare_bodies, -1, "bodies"},
        {&g.def.world.spare_bodies, INT_MAX, "bodies"},
        {&g.def.world.spare_modes, INT_MAX, "modes"},
        {&g.def.world.spare_rods, -3, "rods"},
        {&g.def.body_count, -1, "bodies"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        *cases[i].value = cases[i].bad;
        ENSURE(tw_live_create(&g.live, &g.def, &g.err) == TW_BAD_INPUT && !g.live);
        ENSURE(strstr(g.err.text, cases[i].says));
        g.def.world = fine;
        g.def.body_count = 0;
    }
    stage_free(g.shapes);
    return 0;
}

// what is not kept as numbers of the caller: a body whose modes move it, and are neither drawn nor heard
static int a_body_without_a_cover_of_modes_starts_as_its_def_said(void)
{
    LiveCase g;
    live_case(&g);
    const Beam beam = {{0.3, 0.03, 0.02}, 1000, 1e7, 12, 8, false, false, 0};
    const twBodyShape* shape = stage_beam(g.shapes, &beam);
    g.def.world.spare_bodies = 1, g.def.world.spare_modes = 8;
    g.def.world.gravity = tw_vec3(0, 0, 0);
    live_start(&g);
    double amplitude[8] = {1e-4};
    twLiveBodyDef def = live_body_of(shape, NULL, tw_vec3(0, 0, 0));
    def.body.amplitude = amplitude;
    int body;
    ENSURE(tw_live_add(g.live, &def, &body, &g.err) == TW_OK);
    amplitude[0] = 1;
    a_while(&g);
    const twWorldEnergy e = live_view(&g)->energy;
    ENSURE(e.kinetic + e.elastic > 0 && e.kinetic + e.elastic < 1);
    live_free(&g);
    return 0;
}

static int grabs_end_with_their_body_and_their_slots_are_free(void)
{
    LiveCase g;
    bar_case(&g);
    int body = -1;
    const twLiveBodyDef def = another(&g, 0.5);
    ENSURE(tw_live_add(g.live, &def, &body, &g.err) == TW_OK);
    const twGrabDef grab = live_hold(body, 0, 0), mine = live_hold(0, 0, 0);
    ENSURE(tw_live_grab(g.live, 0, &grab) && tw_live_grab(g.live, 1, &mine));
    a_while(&g);
    ENSURE(live_view(&g)->grabs[0].active && live_view(&g)->grabs[1].active);
    ENSURE(tw_live_remove(g.live, body) && !tw_live_grab(g.live, 0, &grab) && !tw_live_release(g.live, 0));
    ENSURE(tw_live_release(g.live, 1) && tw_live_grab(g.live, 0, &mine));
    a_while(&g);
    ENSURE(live_view(&g)->grabs[0].active && !live_view(&g)->grabs[1].active);
    live_free(&g);
    return 0;
}

static int a_body_with_more_modes_than_there_is_room_for_is_refused(void)
{
    LiveCase g;
    bar_case(&g);
    Beam rich = bar;
    rich.modes = 5;
    int body = -1;
    const twBodyShape* shape = stage_beam(g.shapes, &rich);
    const twLiveBodyDef def = live_body_of(shape, g.shapes->sets[g.shapes->shape_count - 1], tw_vec3(1, 0, 1));
    ENSURE(tw_live_add(g.live, &def, &body, &g.err) == TW_BAD_INPUT && strstr(g.err.text, "modes"));
    twLiveBodyDef lost = another(&g, 1);
    lost.body.motion.velocity.y = NAN;
    ENSURE(tw_live_add(g.live, &lost, &body, &g.err) == TW_BAD_INPUT);
    lost = another(&g, 1);
    lost.body.material = 4;
    ENSURE(tw_live_add(g.live, &lost, &body, &g.err) == TW_BAD_INPUT);
    live_steps(&g, 1);
    ENSURE(live_view(&g)->stats.refused == 3);
    live_free(&g);
    return 0;
}

// ---- views ----

#define VIEWS 30000

// every number of a view is its own
static void fill_view(LiveFrame* f, double number)
{
    f->view.time = number;
    f->view.stats.steps = (int64_t)number;
    for (int i = 0; i < f->view.body_count; i++)
    {
        f->bodies[i].position = tw_vec3(number, number, number);
        for (int j = 0; j < 3; j++) f->amplitude[i][j] = number;
    }
    for (int i = 0; i < f->view.grab_count; i++) f->grabs[i].error = number;
}

static bool is_whole(const twLiveView* v)
{
    bool whole = (double)v->stats.steps == v->time;
    for (int i = 0; i < v->body_count; i++)
    {
        whole = whole && v->bodies[i].position.z == v->time;
        for (int j = 0; j < 3; j++) whole = whole && v->bodies[i].amplitude[j] == v->time;
    }
    for (int i = 0; i < v->grab_count; i++) whole = whole && v->grabs[i].error == v->time;
    return whole;
}

static const LiveRoom three = {.body_count = 3, .grab_count = 8, .modes = (const int[3]){3, 3, 3}};

static void* publish_views(void* context)
{
    LiveSnapshot* s = context;
    for (int k = 1; k <= VIEWS; k++)
    {
        fill_view(live_snapshot_begin(s), k);
        live_snapshot_publish(s);
    }
    return NULL;
}

static int a_view_is_never_torn_nor_older_than_the_last(void)
{
    LiveSnapshot* s = live_snapshot_create(&three);
    ENSURE(s);
    pthread_t publisher;
    ENSURE(pthread_create(&publisher, NULL, publish_views, s) == 0);
    int torn = 0, back = 0;
    for (double last = 0; last < VIEWS;)
    {
        const twLiveView* view = &live_snapshot_latest(s)->view;
        torn += !is_whole(view);
        back += view->time < last;
        last = view->time;
    }
    pthread_join(publisher, NULL);
    ENSURE(torn == 0 && back == 0);
    live_snapshot_destroy(s);
    return 0;
}

static int a_view_stays_as_it_is_while_others_are_published(void)
{
    LiveSnapshot* s = live_snapshot_create(&three);
    fill_view(live_snapshot_begin(s), 5);
    live_snapshot_publish(s);
    const twLiveView* view = &live_snapshot_latest(s)->view;
    for (int k = 6; k < 20; k++)
    {
        fill_view(live_snapshot_begin(s), k);
        live_snapshot_publish(s);
        ENSURE(view->time == 5 && is_whole(view));
    }
    ENSURE(live_snapshot_latest(s)->view.time == 19);
    live_snapshot_destroy(s);
    return 0;
}

// ---- all at once ----

enum
{
    RUN_STEPS = 20000,  // at most
    RUN_GUESTS = 6 * SPARE
};

static atomic_bool over;

static void* simulate_all(void* context)
{
    LiveCase* g = context;
    for (int k = 0; k < RUN_STEPS && !atomic_load(&over); k++) live_steps(g, 1);
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

static float positions[3 * 4096], normals[3 * 4096];

// looks at all that is there. @return bodies that were seen
static int draw(LiveCase* g)
{
    const twLiveView* view = live_view(g);
    int seen = 0;
    twGrabPoint picked;
    twVec3 place;
    for (int i = 0; i < view->body_count; i++)
    {
        if (!view->bodies[i].present) continue;
        seen++;
        if (tw_live_cover(view, i)) tw_live_vertices(view, i, positions, normals);
    }
    tw_live_pick(view, tw_vec3(0.5, 0, 1), tw_vec3(0, 0, -1), &picked, &place);
    return seen;
}

static void* draw_all(void* context)
{
    int most = 0;
    while (!atomic_load(&over))
    {
        const int seen = draw(context);
        most = seen > most ? seen : most;
    }
    return most > 2 ? NULL : context;
}

// a shape and a set of its own for every body: they are destroyed once their place is free
typedef struct Guest
{
    twModeSet* set;
    twBodyShape* shape;
    int body;  // below 0: none
} Guest;

static bool invite(LiveCase* g, Guest* guest, double x)
{
    twBodyShapeDef def = tw_body_shape_def();
    guest->body = -1;
    guest->set = beam_set(&bar);
    def.modes = guest->set;
    def.field.cell = 5e-3;  // half its thickness: made in no time
    must(tw_body_shape_create(&guest->shape, &def, &g->err) == TW_OK, &g->err);
    const twLiveBodyDef body = live_body_of(guest->shape, guest->set, tw_vec3(x, 0, 0.05));
    return tw_live_add(g->live, &body, &guest->body, &g->err) == TW_OK;
}

static void dismiss(Guest* guest)
{
    tw_body_shape_destroy(guest->shape);
    tw_mode_set_destroy(guest->set);
    *guest = (Guest){.body = -1};
}

static bool has_room(LiveCase* g)
{
    bool room = false;
    for (int i = 0; i < SPARE; i++) room |= tw_live_is_free(g->live, 2 + i);
    return room;
}

// bodies come, are struck and grabbed, and go. @return how often one came
static int host(LiveCase* g, Guest guests[SPARE], int turn)
{
    int came = 0;
    const twSurfacePoint point = tw_surface_vertex(0);
    for (int i = 0; i < SPARE; i++)
    {
        Guest* guest = &guests[i];
        if (guest->body >= 0 && (turn + i) % 3 == 0 && tw_live_remove(g->live, guest->body)) continue;
        if (guest->body >= 0 && tw_live_is_free(g->live, guest->body)) dismiss(guest);
        if (guest->body < 0 && has_room(g) && invite(g, guest, 0.5 * (i + 1)))
        {
            const twGrabDef grab = live_hold(guest->body, 0, 0.01);
            tw_live_strike(g->live, guest->body, &point, tw_vec3(0, 0, 1e-3));
            tw_live_grab(g->live, i, &grab);
            came++;
        }
        else if (guest->body < 0)
            dismiss(guest);  // what the queue had no room for
    }
    tw_live_listen(g->live, tw_vec3(0, 0, 1 + 0.1 * (turn % 2)), tw_quat_identity(), 0.01);
    return came;
}

static void end_guests(LiveCase* g, Guest guests[SPARE])
{
    tw_live_destroy(g->live);
    for (int i = 0; i < SPARE; i++) dismiss(&guests[i]);
    stage_free(g->shapes);
}

static int four_threads_share_a_world_whose_bodies_come_and_go(void)
{
    LiveCase g;
    bar_case(&g);
    Guest guests[SPARE] = {{.body = -1}, {.body = -1}, {.body = -1}};
    pthread_t threads[3];
    void* (*const works[3])(void*) = {simulate_all, sound_all, draw_all};
    atomic_store(&over, false);
    int came = host(&g, guests, 1);
    for (int i = 0; i < 3; i++) ENSURE(pthread_create(&threads[i], NULL, works[i], &g) == 0);
    for (int k = 2; came < RUN_GUESTS && !atomic_load(&over); k++) came += host(&g, guests, k);
    atomic_store(&over, true);
    for (int i = 0; i < 3; i++)
    {
        void* wrong;
        pthread_join(threads[i], &wrong);
        ENSURE(!wrong);
    }
    ENSURE(came >= RUN_GUESTS);
    end_guests(&g, guests);
    return 0;
}

static int one_thread_does_all_and_nothing_allocates_but_adding(void)
{
    LiveCase g;
    bar_case(&g);
    Guest guests[SPARE] = {{.body = -1}, {.body = -1}, {.body = -1}};
    long made = 0;
    float out[100];
    int came = 0;
    for (int k = 1; k < 60; k++)
    {
        came += host(&g, guests, k / 2);
        const long before = allocations;
        live_steps(&g, 2);
        tw_live_sound(g.live, out, 100);
        draw(&g);
        made += allocations - before;
    }
    ENSURE(came > SPARE && (!COUNTS || allocations > 0));
    ENSURE(made == 0);
    end_guests(&g, guests);
    return 0;
}

// @return allocations while bars fall onto each other
static long fall_together(LiveCase* g, int max_contacts)
{
    live_case(g);
    live_floor(g);
    g->def.world.max_contacts = max_contacts;
    const twBodyShape* shape = stage_beam(g->shapes, &bar);
    for (int i = 0; i < 6; i++)
    {
        const twModeSet* set = g->shapes->sets[g->shapes->shape_count - 1];
        const int body = live_body(g, shape, set, tw_vec3(0, 0, 0.02 + 0.03 * i));
        g->bodies[body].body.motion.turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), 0.7 * i);
    }
    live_start(g);
    const long before = allocations;
    live_steps(g, 300);
    return allocations - before;
}

static int a_heap_that_falls_together_allocates_nothing(void)
{
    LiveCase g;
    ENSURE(fall_together(&g, 512) == 0);
    const twWorldStats stats = live_view(&g)->stats.world;
    ENSURE(live_view(&g)->stats.dropped_forces == 0 && stats.dropped == 0 && stats.failures == 0);
    ENSURE(stats.contacts_max > 20 && stats.contacts_max < 512);
    live_free(&g);
    // a world that makes no room asks for it
    ENSURE(!COUNTS || fall_together(&g, 0) > 0);
    if (COUNTS) live_free(&g);
    return 0;
}

static int what_takes_longer_than_its_budget_is_dropped_and_counted(void)
{
    LiveCase g;
    live_case(&g);
    live_beam(&g, &bar, tw_vec3(0, 0, 0.1));
    g.def.budget = 1e-9;
    live_start(&g);
    tw_live_advance(g.live, 0.01);
    const twLiveView* view = live_view(&g);
    ENSURE(view->stats.steps == 1);
    ENSURE_NEAR(view->stats.dropped_time, 0.009, 1e-12);
    ENSURE_NEAR(view->time, 0.001, 1e-12);
    live_free(&g);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(what_is_put_by_one_thread_is_taken_by_another_in_order)
    RUN(a_queue_takes_all_items_or_none)
    RUN(commands_act_before_the_next_step)
    RUN(a_full_queue_refuses_and_counts_and_loses_nothing)
    RUN(commands_that_make_no_sense_are_refused_and_counted)
    RUN(a_slot_in_use_refuses_another_grab)
    RUN(the_nearest_point_is_where_its_place_says)
    RUN(recorded_forces_of_what_rests_are_its_weight)
    RUN(a_rigid_body_of_a_flexible_shape_has_no_amplitudes)
    RUN(a_body_that_is_added_falls_and_is_seen_and_picked)
    RUN(a_full_pool_refuses_and_a_removed_body_makes_room)
    RUN(a_body_that_is_pushed_for_good_stays)
    RUN(a_lost_body_can_be_removed_and_makes_room)
    RUN(capacities_that_make_no_sense_are_refused_by_name)
    RUN(a_body_without_a_cover_of_modes_starts_as_its_def_said)
    RUN(grabs_end_with_their_body_and_their_slots_are_free)
    RUN(a_body_with_more_modes_than_there_is_room_for_is_refused)
    RUN(a_view_is_never_torn_nor_older_than_the_last)
    RUN(a_view_stays_as_it_is_while_others_are_published)
    RUN(four_threads_share_a_world_whose_bodies_come_and_go)
    RUN(one_thread_does_all_and_nothing_allocates_but_adding)
    RUN(a_heap_that_falls_together_allocates_nothing)
    RUN(what_takes_longer_than_its_budget_is_dropped_and_counted)
)
