// SPDX-License-Identifier: MIT
// Commands, views and sound across threads: nothing is lost, torn, waited for or allocated.
#define _XOPEN_SOURCE 700
#include "live/queue.h"
#include "stage_live.h"
#include <pthread.h>
#include <stdatomic.h>

// ---- a program whose allocations are counted ----

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS 0
#elif defined(__has_feature)
#define COUNTS (!__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer))
#else
#define COUNTS 1
#endif

static atomic_long allocations;

#if COUNTS && defined(__GLIBC__)
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t bytes)
{
    allocations++;
    return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes)
{
    allocations++;
    return __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes)
{
    allocations++;
    return __libc_realloc(block, bytes);
}
void* aligned_alloc(size_t to, size_t bytes)
{
    allocations++;
    return __libc_memalign(to, bytes);
}
#endif

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
    ENSURE(live_queue_waiting(queue) == 3);
    ENSURE(!live_queue_put(queue, items, 5));
    ENSURE(live_queue_put(queue, items + 3, 1));
    for (int k = 1; k <= 4; k++) ENSURE(live_queue_take(queue, &item) && item == k);
    ENSURE(!live_queue_take(queue, &item));
    live_queue_destroy(queue);
    return 0;
}

// ---- commands ----

static twStageGrabDef some_grab(void)
{
    return (twStageGrabDef){
        .body = 1, .point = {{2, -1, -1}, {1, 0, 0}}, .other = TW_NOWHERE, .along = {true, true, true}};
}

static int commands_arrive_as_they_were_sent(void)
{
    LiveStage s;
    live_prepare(&s, 2);
    ENSURE(live_begin(&s));
    twStageGrabDef grab = some_grab();
    grab.target = tw_vec3(1, 2, 3);
    const twBodyMotion motion = {.position = {4, 5, 6}, .turn = {2, 0, 0, 0}, .velocity = {0, 0, 7}};
    ENSURE(tw_stage_grab(as_stage(&s), 3, &grab));
    ENSURE(tw_stage_move(as_stage(&s), 3, tw_vec3(7, 8, 9), 0.5));
    ENSURE(tw_stage_release(as_stage(&s), 3));
    ENSURE(tw_stage_strike(as_stage(&s), 0, grab.point, tw_vec3(0, -1, 0)));
    ENSURE(tw_stage_throw(as_stage(&s), 1, &motion));

    StageCommand c;
    ENSURE(live_take(s.live, &c) && c.kind == STAGE_GRAB && c.slot == 3 && c.grab.body == 1 && c.grab.target.y == 2);
    ENSURE(live_take(s.live, &c) && c.kind == STAGE_MOVE && c.move.target.z == 9 && c.move.seconds == 0.5);
    ENSURE(live_take(s.live, &c) && c.kind == STAGE_RELEASE && c.slot == 3);
    ENSURE(live_take(s.live, &c) && c.kind == STAGE_STRIKE && c.strike.point.vertex[0] == 2 &&
           c.strike.impulse.y == -1);
    ENSURE(live_take(s.live, &c) && c.kind == STAGE_THROW && c.body == 1 && c.motion.position.x == 4);
    ENSURE(c.motion.turn.w == 1);
    ENSURE(!live_take(s.live, &c) && live_refused(s.live) == 0);
    live_end(&s);
    return 0;
}

static int a_full_queue_refuses_and_counts(void)
{
    LiveStage s;
    live_prepare(&s, 2);
    ENSURE(live_begin(&s));
    for (int k = 0; k < 64; k++) ENSURE(tw_stage_release(as_stage(&s), k % 8));
    for (int k = 0; k < 5; k++) ENSURE(!tw_stage_release(as_stage(&s), 0));
    ENSURE(live_refused(s.live) == 5);
    StageCommand c;
    ENSURE(live_take(s.live, &c));
    ENSURE(tw_stage_release(as_stage(&s), 0));
    live_end(&s);
    return 0;
}

static int commands_that_make_no_sense_are_refused(void)
{
    LiveStage s;
    live_prepare(&s, 2);
    ENSURE(live_begin(&s));
    twStage* stage = as_stage(&s);
    twStageGrabDef grabs[12];
    for (int i = 0; i < 12; i++) grabs[i] = some_grab();
    grabs[0].body = 2;
    grabs[1].point.vertex[0] = 6;
    grabs[2].point.vertex[1] = -2;
    grabs[3].point.weight[0] = 0.9;
    grabs[4].point = (twStagePoint){{0, 1, -1}, {1.5, -0.5, 0}};
    grabs[5].target.x = NAN;
    grabs[6].other = 5;
    grabs[7].other = 0, grabs[7].other_point.vertex[0] = 99;
    grabs[8].push_count = TW_MAX_STAGE_PUSHES + 1;
    grabs[9].push_count = 1, grabs[9].push_body[0] = -1;
    grabs[10].ease = -1;
    grabs[11].max_force = NAN;
    int refused = 0;
    for (; refused < 12; refused++) ENSURE(!tw_stage_grab(stage, 0, &grabs[refused]));
    const twStageGrabDef fine = some_grab();
    const twStagePoint point = fine.point, none = {{-1, -1, -1}, {0, 0, 0}};
    ENSURE(!tw_stage_grab(stage, -1, &fine) && !tw_stage_grab(stage, 8, &fine));
    ENSURE(!tw_stage_move(stage, 8, tw_vec3(0, 0, 0), 0) && !tw_stage_move(stage, 0, tw_vec3(0, INFINITY, 0), 0));
    ENSURE(!tw_stage_move(stage, 0, tw_vec3(0, 0, 0), -1) && !tw_stage_release(stage, 100));
    ENSURE(!tw_stage_strike(stage, 2, point, tw_vec3(1, 0, 0)) && !tw_stage_strike(stage, 0, none, tw_vec3(1, 0, 0)));
    ENSURE(!tw_stage_strike(stage, 0, point, tw_vec3(0, 0, NAN)) &&
           !tw_stage_strike(stage, 0, point, tw_vec3(0, 1e160, 0)));
    const twBodyMotion flat = {.turn = {0, 0, 0, 0}}, lost = {.turn = {1, 0, 0, 0}, .spin = {NAN, 0, 0}};
    ENSURE(!tw_stage_throw(stage, 0, &flat) && !tw_stage_throw(stage, 0, &lost) && !tw_stage_throw(stage, -1, &flat));
    ENSURE(live_refused(s.live) == refused + 13);
    StageCommand c;
    ENSURE(!live_take(s.live, &c));
    live_end(&s);
    return 0;
}

// ---- views ----

#define VIEWS 30000

// every number of a view is its own
static void fill_view(StageFrame* f, double number)
{
    f->view.time = number;
    f->view.stats.steps = (int64_t)number;
    for (int i = 0; i < f->view.body_count; i++)
    {
        f->bodies[i].position = tw_vec3(number, number, number);
        for (int j = 0; j < f->bodies[i].mode_count; j++) f->amplitude[i][j] = number;
    }
    for (int i = 0; i < f->view.grab_count; i++) f->grabs[i].error = number;
}

static bool is_whole(const twStageView* v)
{
    bool whole = (double)v->stats.steps == v->time;
    for (int i = 0; i < v->body_count; i++)
    {
        whole = whole && v->bodies[i].position.z == v->time;
        for (int j = 0; j < v->bodies[i].mode_count; j++) whole = whole && v->bodies[i].amplitude[j] == v->time;
    }
    for (int i = 0; i < v->grab_count; i++) whole = whole && v->grabs[i].error == v->time;
    return whole;
}

static void* publish_views(void* context)
{
    LiveStage* s = context;
    for (int k = 1; k <= VIEWS; k++)
    {
        fill_view(live_begin_view(s->live), k);
        live_publish(s->live);
    }
    return NULL;
}

static int a_view_is_never_torn_nor_older_than_the_last(void)
{
    LiveStage s;
    live_prepare(&s, 3);
    ENSURE(live_begin(&s));
    const twStageView* view = tw_stage_view(as_stage(&s));
    ENSURE(view->body_count == 3 && view->grab_count == 8 && view->time == 0 && view->bodies[2].mode_count == 3);
    pthread_t publisher;
    ENSURE(pthread_create(&publisher, NULL, publish_views, &s) == 0);
    int torn = 0, back = 0;
    for (double last = 0; last < VIEWS; last = view->time)
    {
        view = tw_stage_view(as_stage(&s));
        torn += !is_whole(view);
        back += view->time < last;
    }
    pthread_join(publisher, NULL);
    ENSURE(torn == 0 && back == 0);
    live_end(&s);
    return 0;
}

static int a_view_stays_as_it_is_while_others_are_published(void)
{
    LiveStage s;
    live_prepare(&s, 1);
    ENSURE(live_begin(&s));
    fill_view(live_begin_view(s.live), 5);
    live_publish(s.live);
    const twStageView* view = tw_stage_view(as_stage(&s));
    for (int k = 6; k < 20; k++)
    {
        fill_view(live_begin_view(s.live), k);
        live_publish(s.live);
        ENSURE(view->time == 5 && is_whole(view));
    }
    ENSURE(tw_stage_view(as_stage(&s))->time == 19);
    live_end(&s);
    return 0;
}

// ---- all at once ----

#define RUN_STEPS 600

static void* simulate(void* context)
{
    LiveStage* s = context;
    for (int k = 0; k < RUN_STEPS; k++)
    {
        StageCommand command;
        StagePush pushes[2] = {bell_push(1e-3 * sin(0.1 * k), 0), bell_push(1e-3, 1e-4)};
        int count = 1;
        while (live_take(s->live, &command)) count = 2;
        fill_view(live_begin_view(s->live), k);
        live_publish(s->live);
        live_step(s, pushes, count);
    }
    return NULL;
}

static void* command_all(void* context)
{
    const twStagePoint point = {{0, -1, -1}, {1, 0, 0}};
    for (int k = 0; k < RUN_STEPS; k++) tw_stage_strike(context, 0, point, tw_vec3(1, 0, 0));
    return NULL;
}

static int four_threads_share_a_stage(void)
{
    LiveStage s;
    live_prepare(&s, 2);
    ENSURE(live_begin(&s));
    pthread_t simulating, commanding;
    ENSURE(pthread_create(&simulating, NULL, simulate, &s) == 0);
    ENSURE(pthread_create(&commanding, NULL, command_all, as_stage(&s)) == 0);
    float out[100];
    int torn = 0, bad = 0;
    for (int k = 0; k < 300; k++)
    {
        tw_stage_sound(as_stage(&s), out, 100);
        for (int n = 0; n < 100; n++) bad += !isfinite(out[n]);
        torn += !is_whole(tw_stage_view(as_stage(&s)));
    }
    pthread_join(simulating, NULL);
    pthread_join(commanding, NULL);
    ENSURE(torn == 0 && bad == 0);
    live_end(&s);
    return 0;
}

static int nothing_allocates_after_creation(void)
{
    LiveStage s;
    live_prepare(&s, 2);
    ENSURE(live_begin(&s));
    const long before = allocations;
    ENSURE(!COUNTS || before > 0);
    float out[100];
    for (int k = 0; k < 10; k++)
    {
        command_all(as_stage(&s));
        simulate(&s);
        for (int n = 0; n < 50; n++) tw_stage_sound(as_stage(&s), out, 100);
        ENSURE(tw_stage_view(as_stage(&s)));
    }
    ENSURE(allocations == before);
    live_end(&s);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(what_is_put_by_one_thread_is_taken_by_another_in_order)
    RUN(a_queue_takes_all_items_or_none)
    RUN(commands_arrive_as_they_were_sent)
    RUN(a_full_queue_refuses_and_counts)
    RUN(commands_that_make_no_sense_are_refused)
    RUN(a_view_is_never_torn_nor_older_than_the_last)
    RUN(a_view_stays_as_it_is_while_others_are_published)
    RUN(four_threads_share_a_stage)
    RUN(nothing_allocates_after_creation)
)
