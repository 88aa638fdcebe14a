// SPDX-License-Identifier: MIT
// Many flexible bodies: thin bars that lie apart, each an island of its own, and a heap of them. The heap's contact
// forces at steps of 1 ms are compared with those of the asynchronous world, whose steps resolve impacts and modes.
#define _POSIX_C_SOURCE 200809L
#include "grab.h"

enum
{
    BARS = 20,
    BODIES = BARS + 1,  // and the floor
    BAR_MODES = 6,      // simulated
    HEAP_FRAMES = 180,  // of 1/60 s
    HEAP_STEPS = 3000,
    REST_STEPS = 2000,  // of these the last 2 s, for the weight
    MOST_FORCES = 1 << 16,
    MOST_CONTACTS = 4096
};
#define STEP 1e-3  // [s]
static const double length = 0.3, width = 0.03, thickness = 0.004;

typedef struct Bars
{
    twModeSet* set;
    twBodyShape *shape, *floor;
    twContactMaterial materials[2];  // steel, wood
    twLiveBodyDef bodies[BODIES];    // the floor first
} Bars;

static Bars make_bars(void)
{
    twError err;
    char cache[512];
    Bars bars = {.floor = make_floor()};
    twBakeDef def = tw_bake_def();
    def.source = "bar:0.3x0.03x0.004";
    def.material = *tw_material_find("steel");
    def.damping = tw_damping_rayleigh(5, 1e-6);
    def.count = BAR_MODES;
    def.accuracy = 0.02;
    def.cache_folder = tw_cache_folder(cache, sizeof cache);
    check("bar", tw_bake(&bars.set, &def, NULL, &err), &err);
    twBodyShapeDef shape = tw_body_shape_def();
    shape.modes = bars.set;
    check("bar", tw_body_shape_create(&bars.shape, &shape, &err), &err);
    bars.materials[0] = tw_contact_material(tw_material_find("steel"));
    bars.materials[1] = tw_contact_material(tw_material_find("wood"));
    for (int i = 0; i < BODIES; i++)
    {
        twLiveBodyDef* b = &bars.bodies[i];
        *b = tw_live_body_def();
        b->body.name = i == 0 ? "floor" : "bar";
        b->body.shape = i == 0 ? bars.floor : bars.shape;
        b->modes = i == 0 ? NULL : bars.set;
        b->body.kind = i == 0 ? TW_BODY_FIXED : TW_BODY_FREE;
        b->body.material = i == 0;
        b->body.motion.position = tw_vec3(0, 0, -0.1);
    }
    return bars;
}

static void free_bars(Bars* bars)
{
    tw_body_shape_destroy(bars->shape);
    tw_body_shape_destroy(bars->floor);
    tw_mode_set_destroy(bars->set);
}

static twLive* make_live(const Bars* bars, int count)
{
    twError err;
    twLive* live;
    twLiveDef def = tw_live_def();
    def.bodies = bars->bodies;
    def.body_count = 1 + count;
    def.world.materials = bars->materials;
    def.world.material_count = 2;
    def.world.max_contacts = MOST_CONTACTS;
    def.recorded = MOST_FORCES;
    check("live world", tw_live_create(&live, &def, &err), &err);
    return live;
}

// ---- apart ----

// processor time of a second of bars that fall 1 cm and lie [s]
static double time_apart(Bars* bars, int count)
{
    for (int i = 0; i < count; i++)
        bars->bodies[1 + i].body.motion.position = tw_vec3(0.4 * (i % 5) - 0.8, 0.1 * (i / 5) - 0.2, 0.012);
    double best = 0;
    for (int round = 0; round < 3; round++)
    {
        twLive* live = make_live(bars, count);
        const double begin = bench_cpu_seconds();
        for (int i = 0; i < 60; i++) tw_live_advance(live, FRAME);
        best = smaller(best, bench_cpu_seconds() - begin);
        tw_live_destroy(live);
    }
    return best;
}

// ---- forces over time ----

// contact forces that last, and the impulses that they have given
typedef struct Forces
{
    int count;
    twContactForce force[MOST_CONTACTS];
    double frame[HEAP_FRAMES];  // sum of the sizes of all impulses in each frame [N s]
    double support;             // upward impulse of the floor in the last REST_STEPS [N s]
} Forces;

// what a force gives from its time to another
static void add_impulse(Forces* f, const twContactForce* force, double to)
{
    const double size = tw_vec3_norm(force->force), end = HEAP_FRAMES * FRAME;
    for (double t = force->time; t < fmin(to, end);)
    {
        int i = (int)(t / FRAME * (1 + 1e-12));
        const double until = fmin(fmin(to, end), (i + 1) * FRAME);
        if (i < HEAP_FRAMES) f->frame[i] += size * (until - t);
        t = fmax(until, nextafter(t, HUGE_VAL));
    }
    const double rest = fmax(to - fmax(force->time, (HEAP_STEPS - REST_STEPS) * STEP), 0);
    if (force->body[0] == 0) f->support -= force->force.z * rest;
    if (force->body[1] == 0) f->support += force->force.z * rest;
}

static void take_forces(Forces* f, const twContactForce* forces, int count)
{
    for (int i = 0; i < count; i++)
    {
        int at = 0;
        while (at < f->count && f->force[at].id != forces[i].id) at++;
        if (at < f->count) add_impulse(f, &f->force[at], forces[i].time);
        if (at == MOST_CONTACTS) bench_leave("heap", &(twError){.text = "too many contacts"});
        if (at == f->count) f->count++;
        f->force[at] = forces[i];
        if (tw_vec3_max(forces[i].force) == 0) f->force[at] = f->force[--f->count];
    }
}

static void end_forces(Forces* f)
{
    for (int i = 0; i < f->count; i++) add_impulse(f, &f->force[i], HEAP_FRAMES * FRAME);
}

static int by_value(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double percentile95(const double* values, int count)
{
    double sorted[HEAP_STEPS];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    return sorted[count * 95 / 100];
}

// ---- who is inside whom ----

// Vertices of all bars in a step, and how far each is from where it would be without bending, in its bar's axes
typedef struct Shown
{
    int count;            // of vertices of a bar
    float* positions;     // (BODIES x count x 3)
    twVec3* bend;         // (BODIES x count)
    double most[BODIES];  // of a bar's bends [m]
} Shown;

static Shown make_shown(const twModeSet* set)
{
    const size_t all = (size_t)(BODIES * set->vertex_count);
    return (Shown){
        .count = set->vertex_count, .positions = room(3 * all, sizeof(float)), .bend = room(all, sizeof(twVec3))};
}

static twVec3 shown_at(const Shown* shown, int bar, int v)
{
    const float* p = shown->positions + 3 * (size_t)(bar * shown->count + v);
    return tw_vec3((double)p[0], (double)p[1], (double)p[2]);
}

static void show(Shown* shown, const Bars* bars, const twLiveView* view)
{
    for (int i = 1; i < BODIES; i++)
    {
        const twLivePose* pose = &view->bodies[i];
        tw_live_vertices(view, i, shown->positions + 3 * (size_t)(i * shown->count), NULL);
        shown->most[i] = 0;
        for (int v = 0; v < shown->count; v++)
        {
            const twVec3 at =
                tw_quat_rotate(tw_quat_conj(pose->turn), tw_vec3_sub(shown_at(shown, i, v), pose->position));
            const twVec3 bend = tw_vec3_sub(at, bars->set->vertices[v]);
            shown->bend[i * shown->count + v] = bend;
            shown->most[i] = fmax(shown->most[i], tw_vec3_norm(bend));
        }
    }
}

static double depth_at(twVec3 at)
{
    const double x = 0.5 * length - fabs(at.x), y = 0.5 * width - fabs(at.y), z = 0.5 * thickness - fabs(at.z);
    return fmin(fmin(x, y), z);
}

// A place in the axes of a bent bar as if it were straight. It bends as its nearest vertex does.
static twVec3 straight(const Shown* shown, const Bars* bars, int bar, twVec3 at)
{
    return tw_vec3_sub(at, shown->bend[bar * shown->count + tw_mode_set_nearest(bars->set, at)]);
}

static twVec3 in_axes(const twLivePose* pose, twVec3 place)
{
    return tw_quat_rotate(tw_quat_conj(pose->turn), tw_vec3_sub(place, pose->position));
}

// How deep a place lies in a bent bar, if deeper than that [m].
static double depth_in(const Shown* shown, const Bars* bars, const twLivePose* pose, int bar, twVec3 place,
                       double least)
{
    const twVec3 at = in_axes(pose, place);
    if (!(depth_at(at) + shown->most[bar] > least)) return least;
    return fmax(depth_at(straight(shown, bars, bar, at)), least);
}

// On which side of a bent bar a place is: 1 or -1 above or below its faces, 0 beside it, nearer to its sides than half
// its thickness, or far; if inside, as before
static signed char side_of(const Shown* shown, const Bars* bars, const twLivePose* pose, int bar, twVec3 place,
                           signed char before)
{
    twVec3 at = in_axes(pose, place);
    const double near = 0.5 * thickness + shown->most[bar];
    if (fabs(at.x) > 0.5 * length + near || fabs(at.y) > 0.5 * width + near || fabs(at.z) > 2 * near) return 0;
    at = straight(shown, bars, bar, at);
    if (fabs(at.x) > 0.5 * (length - thickness) || fabs(at.y) > 0.5 * (width - thickness)) return 0;
    if (fabs(at.z) < 0.5 * thickness) return before;
    return at.z > 0 ? 1 : -1;
}

// Vertices that have come into a bar by one face and out by the other since the last time
static int passed(const Shown* shown, const Bars* bars, const twLiveView* view, signed char* sides)
{
    int count = 0;
    for (int i = 1; i < BODIES; i++)
        for (int k = 1; k < BODIES; k++)
            for (int v = 0; v < shown->count && k != i; v++)
            {
                signed char* side = &sides[(i * BODIES + k) * shown->count + v];
                const signed char now = side_of(shown, bars, &view->bodies[k], k, shown_at(shown, i, v), *side);
                count += now * *side < 0;
                *side = now;
            }
    return count;
}

// The deepest vertex of a bar in another one, over the thickness. Half: it has reached the middle, and would come out
// on the other side.
static double deepest(Shown* shown, const Bars* bars, const twLiveView* view)
{
    double most = 0;
    show(shown, bars, view);
    for (int i = 1; i < BODIES; i++)
        for (int k = 1; k < BODIES; k++)
            for (int v = 0; v < shown->count && k != i; v++)
                most = depth_in(shown, bars, &view->bodies[k], k, shown_at(shown, i, v), most);
    return most / thickness;
}

// ---- the heap ----

// dropped one after the other on one place, turned at random
static void drop_bars(Bars* bars)
{
    twRng rng = tw_rng(28);
    for (int i = 0; i < BARS; i++)
    {
        twBodyMotion* m = &bars->bodies[1 + i].body.motion;
        m->position =
            tw_vec3(0.02 * (tw_rng_uniform(&rng) - 0.5), 0.02 * (tw_rng_uniform(&rng) - 0.5), 0.02 + 0.015 * i);
        m->turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), TW_PI * tw_rng_uniform(&rng));
    }
}

typedef struct Heap
{
    Forces forces;
    double seconds;              // of processor time
    double deepest[HEAP_STEPS];  // over the thickness, of some steps
    int shown;                   // of these
    int passed;                  // vertices
    twWorldStats stats;
    double change;  // of the momentum upwards of all in the last REST_STEPS [N s]
} Heap;

static double momentum(const Bars* bars, const twWorld* world, double time)
{
    double sum = 0;
    for (int i = 1; i < BODIES; i++)
    {
        const twMassProperties mass = tw_body_shape_mass(bars->shape);
        const twBodyMotion m = tw_world_motion(world, i, time, NULL, NULL);
        const twVec3 arm = tw_quat_rotate(m.turn, mass.centre);
        sum += mass.mass * tw_vec3_add(m.velocity, tw_vec3_cross(m.spin, arm)).z;
    }
    return sum;
}

static Heap* heap_live(const Bars* bars)
{
    Heap* heap = room(1, sizeof *heap);
    Shown shown = make_shown(bars->set);
    signed char* sides = room((size_t)(BODIES * BODIES * shown.count), 1);
    twLive* live = make_live(bars, BARS);
    for (int i = 0; i < HEAP_STEPS; i++)
    {
        int count;
        if (i == HEAP_STEPS - REST_STEPS) heap->change = -momentum(bars, tw_live_world(live), tw_live_time(live));
        const double begin = bench_cpu_seconds();
        tw_live_advance(live, STEP);
        heap->seconds += bench_cpu_seconds() - begin;
        const twContactForce* forces = tw_live_forces(live, &count);
        take_forces(&heap->forces, forces, count);
        if (i >= HEAP_STEPS - REST_STEPS && i % 16 != 0) continue;
        const twLiveView* view = tw_live_view(live);
        heap->deepest[heap->shown++] = deepest(&shown, bars, view);
        heap->passed += passed(&shown, bars, view, sides);
    }
    heap->change += momentum(bars, tw_live_world(live), tw_live_time(live));
    if (tw_live_view(live)->stats.dropped_forces > 0) bench_leave("heap", &(twError){.text = "forces were dropped"});
    heap->stats = tw_live_view(live)->stats.world;
    end_forces(&heap->forces);
    tw_live_destroy(live);
    free(shown.positions);
    free(shown.bend);
    free(sides);
    return heap;
}

static Heap* heap_asynchronous(const Bars* bars)
{
    twError err;
    twWorld* world;
    twBodyDef bodies[BODIES];
    Heap* heap = room(1, sizeof *heap);
    for (int i = 0; i < BODIES; i++) bodies[i] = bars->bodies[i].body;
    twWorldDef def = tw_world_def();
    def.bodies = bodies;
    def.body_count = BODIES;
    def.materials = bars->materials;
    def.material_count = 2;
    check("world", tw_world_create(&world, &def, &err), &err);
    const double begin = bench_cpu_seconds();
    for (int i = 0; i < HEAP_FRAMES; i++)
    {
        int count;
        tw_world_advance(world, (i + 1) * FRAME);
        const twContactForce* forces = tw_world_forces(world, &count);
        take_forces(&heap->forces, forces, count);
    }
    heap->seconds = bench_cpu_seconds() - begin;
    heap->stats = tw_world_stats(world);
    end_forces(&heap->forces);
    tw_world_destroy(world);
    return heap;
}

static void report_heap(BenchReport* report, Bars* bars)
{
    drop_bars(bars);
    Heap *live = heap_live(bars), *right = heap_asynchronous(bars);
    const double weight = BARS * tw_body_shape_mass(bars->shape).mass * 9.81;
    bench_figure(report, "heap_20_seconds", live->seconds, "of processor time for 3 s of a heap of 20 thin bars");
    bench_figure(report, "heap_20_async_seconds", right->seconds, "the same by the asynchronous world");
    bench_figure(report, "heap_20_impulse", percentile95(live->forces.frame, HEAP_FRAMES),
                 "contact impulse per frame, 95th percentile [N s]");
    bench_figure(report, "heap_20_async_impulse", percentile95(right->forces.frame, HEAP_FRAMES),
                 "of the asynchronous world");
    bench_figure(report, "heap_20_impulse_ratio",
                 percentile95(live->forces.frame, HEAP_FRAMES) / percentile95(right->forces.frame, HEAP_FRAMES), "");
    bench_figure(report, "heap_20_support", live->forces.support / (weight * REST_STEPS * STEP + live->change),
                 "impulse of the floor over 2 s, over that of the weight");
    bench_figure(report, "heap_20_deepest", percentile95(live->deepest, live->shown),
                 "of a bar in another, over its thickness, 95th percentile; at most 0.5");
    bench_figure(report, "heap_20_passed", live->passed, "vertices that came through another bar");
    bench_figure(report, "heap_20_contacts", (double)live->stats.contacts / HEAP_STEPS, "per ms");
    bench_figure(report, "heap_20_failures", (double)live->stats.failures, "steps that were not solved");
    bench_figure(report, "heap_20_lost", (double)(live->stats.lost + right->stats.lost), "bodies");
    free(live);
    free(right);
}

void report_heaps(BenchReport* report)
{
    Bars bars = make_bars();
    const double one = time_apart(&bars, 1), many = time_apart(&bars, BARS);
    bench_figure(report, "apart_1_us", 1e6 * one / 60, "a frame of 1/60 s of a bar that falls and lies on a floor");
    bench_figure(report, "apart_20_us", 1e6 * many / 60, "of 20 bars that lie apart");
    bench_figure(report, "apart_20_over_1", many / one, "");
    report_heap(report, &bars);
    free_bars(&bars);
}
