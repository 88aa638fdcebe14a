// SPDX-License-Identifier: MIT
// Random scenes of grabs, of contacts, and of both: whatever the tolerance of the solver, energy rises by no more
// than the work of hands, pushes and gravity, nothing is released by itself, no step needs many iterations.
// GRAB_SCENES=N in the environment tries N scenes, GRAB_FIRST=N those from N on.
#include "test.h"
#include "twang/base.h"
#include "world.h"
#include <stdlib.h>

#define HAND_SPEED 100.0  // [m/s]
#define PASSIVE 1e-12     // of the largest energy or work so far

enum
{
    SCENES = 300,
    SLOTS = 16,
    STEPS = 50,
    ITERATIONS_MAX = 30,
    ITERATIONS_MEDIAN = 6,
    MOST_BODIES = 4
};

// What a scene is of, by its seed.
typedef enum SceneKind
{
    SCENE_OF_GRABS,
    SCENE_OF_CONTACTS,
    SCENE_OF_BOTH,
    SCENE_KINDS
} SceneKind;

typedef struct Scene
{
    Stage* s;
    twRng rng;
    SceneKind kind;
    int bodies, modes[MOST_BODIES];  ///< that move; modes of each
    bool held[SLOTS];                ///< slots that should be active
} Scene;

static double between(twRng* rng, double from, double to) { return from + (to - from) * tw_rng_uniform(rng); }
static double scaled(twRng* rng, double from, double to) { return from * pow(to / from, tw_rng_uniform(rng)); }
static int below(twRng* rng, int count) { return (int)(tw_rng_uniform(rng) * count); }
static bool chance(twRng* rng, double share) { return tw_rng_uniform(rng) < share; }

static twVec3 any_vector(twRng* rng, double size)
{
    const double x = tw_rng_normal(rng), y = tw_rng_normal(rng), z = tw_rng_normal(rng);
    return tw_vec3(size * x, size * y, size * z);
}

// ---- bodies ----

// any_mass: from a milligram to a thousand tonnes
static void add_body(Scene* scene, int index, bool any_mass)
{
    twRng* rng = &scene->rng;
    Stage* s = scene->s;
    const twVec3 size = {scaled(rng, 0.1, 0.4), scaled(rng, 0.02, 0.1), scaled(rng, 0.02, 0.1)};
    const double mass = any_mass ? scaled(rng, 1e-6, 1e6) : scaled(rng, 0.01, 10);
    const double density = fmin(mass / (size.x * size.y * size.z), 9e8);
    const twBodyShape* shape;
    if (chance(rng, 0.4))
        shape = stage_box(s, size.x, size.y, size.z, density);
    else
    {
        Beam beam = {.size = size, .density = density, .young = density * scaled(rng, 10, 1e5)};
        beam.cells = 4 + below(rng, 8);
        beam.modes = scene->modes[index] = chance(rng, 0.3) ? 8 : 1 + below(rng, 12);
        beam.decay = chance(rng, 0.5) ? 0 : scaled(rng, 0.1, 50);
        shape = stage_beam(s, &beam);
    }
    // in contacts just above the floor
    const twVec3 at = any_vector(rng, 0.02);
    const double height = scene->kind == SCENE_OF_GRABS ? 0.3 + at.z : 0.5 * tw_vec3_norm(size) + 2e-3;
    const int body = stage_body(s, shape, 0.5 * index + at.x, at.y, height);
    s->bodies[body].name = "body";
    twBodyMotion* motion = &s->bodies[body].motion;
    motion->turn = tw_quat_from_axis_angle(tw_vec3_normalize(any_vector(rng, 1)), between(rng, 0, 3));
    motion->velocity = any_vector(rng, scaled(rng, 0.1, 3));
    // toward each other and the floor
    if (scene->kind != SCENE_OF_GRABS) motion->velocity = tw_vec3_add(motion->velocity, tw_vec3(-2 * index, 0, -3));
    motion->spin = any_vector(rng, scaled(rng, 0.3, 10));
}

static void make_scene(Scene* scene, uint64_t seed)
{
    *scene = (Scene){.s = stage(), .rng = tw_rng(seed), .kind = (SceneKind)(seed % SCENE_KINDS)};
    twRng* rng = &scene->rng;
    Stage* s = scene->s;
    const bool contacts = scene->kind != SCENE_OF_GRABS;
    s->def.max_step = chance(rng, 0.3) ? 1.0 / 60 : scaled(rng, 1e-4, 1.0 / 60);
    s->def.fixed_step = chance(rng, 0.7);
    s->def.max_grabs = SLOTS;
    s->def.tolerance = scaled(rng, 1e-12, 1);
    if (chance(rng, 0.3)) s->def.gravity = tw_vec3(0, 0, 0);
    scene->bodies = 1 + below(rng, MOST_BODIES);
    const bool any_mass = chance(rng, 0.5);
    for (int i = 0; i < scene->bodies; i++) add_body(scene, i, any_mass);
    if (contacts) stage_floor(s, 4, 4);
    for (int i = 0; i < s->def.body_count; i++) s->bodies[i].ghost = !contacts;
    must(stage_start(s), &s->err);
}

// ---- grabs ----

static twSurfacePoint any_point(twRng* rng)
{
    twSurfacePoint p = tw_surface_vertex(below(rng, 8));
    if (chance(rng, 0.3))
        for (int i = 0; i < 3; i++) p.vertex[i] = below(rng, 8), p.weight[i] = i < 2 ? 0.25 : 0.5;
    if (chance(rng, 0.1)) p = (twSurfacePoint){{-1, -1, -1}, {0}};
    return p;
}

static void add_servo(twRng* rng, twGrabDef* def)
{
    def->push_count = 1 + below(rng, 3);
    for (int i = 0; i < def->push_count; i++) def->push[i] = (twGrabPoint){def->at.body, any_point(rng), TW_NOWHERE, 0};
}

// In one go, or smoothly; as fast as hands are
static twVec3 any_target(Scene* scene, double* seconds)
{
    twRng* rng = &scene->rng;
    const double size = scaled(rng, 0.01, 3);
    *seconds = chance(rng, 0.3) ? 0 : scaled(rng, 1e-3, 0.2);
    return any_vector(rng, fmin(size, HAND_SPEED * fmax(*seconds, scene->s->def.max_step)));
}

// of the lighter one of a grab's bodies
static double weight_of(const Scene* scene, const twGrabDef* def)
{
    const twBodyDef* bodies = scene->s->bodies;
    const double mass = tw_body_shape_mass(bodies[def->at.body].shape).mass;
    return 9.81 * (def->to.body < 0 ? mass : fmin(mass, tw_body_shape_mass(bodies[def->to.body].shape).mass));
}

static twGrabDef any_grab(Scene* scene)
{
    twRng* rng = &scene->rng;
    twGrabDef def = tw_grab_def();
    def.kind = chance(rng, 0.7) ? TW_GRAB_POSITION : (twGrabKind)below(rng, 4);
    def.at.body = below(rng, scene->bodies);
    def.at.point = any_point(rng);
    if (scene->bodies > 1 && chance(rng, 0.3))
    {
        def.to.body = (def.at.body + 1 + below(rng, scene->bodies - 1)) % scene->bodies;
        def.to.point = any_point(rng);
    }
    for (int i = 0; i < 3; i++) def.along[i] = chance(rng, 0.8);
    def.along[below(rng, 3)] = true;
    def.here = chance(rng, 0.3);
    def.target = any_target(scene, &def.ease);
    const double weight = weight_of(scene, &def);
    if (def.kind == TW_GRAB_FORCE) def.target = tw_vec3_scale(def.target, weight);
    if (chance(rng, 0.5)) def.max_force = weight * scaled(rng, 1e-3, 100);
    const bool limited = def.kind == TW_GRAB_POSITION && def.max_force > 0;
    def.exact = limited && chance(rng, 0.3);
    if (limited && !def.exact && chance(rng, 0.2)) add_servo(rng, &def);
    return def;
}

static void grab(Scene* scene, int slot, const twGrabDef* def)
{
    twError err = {0};
    must(tw_world_grab(scene->s->world, slot, def, &err) == TW_OK, &err);
    scene->held[slot] = true;
}

// one point that is to be in several places, or three points of a face and one between them, which hold more than a
// rigid body can give
static void grab_too_much(Scene* scene)
{
    twRng* rng = &scene->rng;
    twGrabDef def = tw_grab_def();
    def.at.body = below(rng, scene->bodies);
    const bool face = chance(rng, 0.5);
    for (int i = 0; i < 4; i++)
    {
        if (face) def.at.point = tw_surface_vertex(i);
        if (face && i == 3) def.at.point = (twSurfacePoint){{0, 1, 2}, {0.2, 0.3, 0.5}};
        def.here = face && chance(rng, 0.5);
        def.target = any_target(scene, &def.ease);
        grab(scene, i, &def);
    }
}

// ten points of a body, of eight modes if there is one
static void grab_ten(Scene* scene)
{
    int body = 0;
    for (int i = 0; i < scene->bodies; i++) body = scene->modes[i] == 8 ? i : body;
    for (int i = 0; i < 10; i++)
    {
        twGrabDef def = any_grab(scene);
        def.at.body = body;
        def.to.body = TW_NOWHERE;
        def.push_count = 0;
        grab(scene, i, &def);
    }
}

static void begin_grabs(Scene* scene)
{
    const double what = tw_rng_uniform(&scene->rng);
    if (what < 0.2)
        grab_too_much(scene);
    else if (what < 0.5)
        grab_ten(scene);
    else
        for (int i = 1 + below(&scene->rng, 10); i > 0; i--)
        {
            const twGrabDef def = any_grab(scene);
            grab(scene, i, &def);
        }
}

// another grab, another target, the end of one, or a blow
static void command(Scene* scene)
{
    twRng* rng = &scene->rng;
    twWorld* world = scene->s->world;
    const int slot = below(rng, SLOTS);
    const double what = tw_rng_uniform(rng);
    twError err = {0};
    if (scene->kind == SCENE_OF_CONTACTS || what < 0.1)
    {
        const int body = below(rng, scene->bodies);
        const twSurfacePoint point = any_point(rng);
        const double mass = tw_body_shape_mass(scene->s->bodies[body].shape).mass;
        must(tw_world_strike(world, body, &point, any_vector(rng, mass), &err) == TW_OK, &err);
    }
    else if (what < 0.5)
    {
        const twGrabDef def = any_grab(scene);
        grab(scene, slot, &def);
    }
    else if (what < 0.85)
    {
        double seconds;
        const twVec3 target = any_target(scene, &seconds);
        must((tw_world_move_grab(world, slot, target, seconds, &err) == TW_OK) == scene->held[slot], &err);
    }
    else
    {
        tw_world_release(world, slot);
        scene->held[slot] = false;
    }
}

// ---- what is claimed ----

typedef struct Found
{
    double rise;  ///< largest in a step, of the largest energy or work so far
    bool finite;  ///< and normals of forces are of length 1
    bool held, fixed;
    int64_t bins[TW_ITERATION_BINS];  ///< solves by their iterations
} Found;

static void look(const Scene* scene, Found* found)
{
    for (int b = 0; b < scene->s->def.body_count; b++)
    {
        const twBodyMotion m = stage_now(scene->s, b);
        const double sum = m.position.x + m.position.y + m.position.z + m.velocity.x + m.velocity.y + m.velocity.z;
        found->finite = found->finite && sum - sum == 0;
    }
    int count;
    const twContactForce* forces = tw_world_forces(scene->s->world, &count);
    for (int i = 0; i < count; i++) found->finite = found->finite && fabs(tw_vec3_norm(forces[i].normal) - 1) < 1e-6;
    for (int i = 0; i < SLOTS; i++)
        found->held = found->held && tw_world_grab_view(scene->s->world, i).active == scene->held[i];
}

static Found play(uint64_t seed)
{
    Scene scene;
    Found found = {.finite = true, .held = true};
    make_scene(&scene, seed);
    Stage* s = scene.s;
    if (scene.kind != SCENE_OF_CONTACTS) begin_grabs(&scene);
    double before = stage_energy(s), largest = 0, lifted = 0;
    for (int i = 1; i <= STEPS; i++)
    {
        tw_world_advance(s->world, i * s->def.max_step);
        const twWorldEnergy e = tw_world_energy(s->world);
        const double now = stage_energy(s);
        lifted = fmax(lifted, fabs(e.weight));
        largest = fmax(largest, fmax(fmax(e.kinetic, e.elastic), fmax(fmax(fabs(e.work), e.contacts), lifted)));
        found.finite = found.finite && now - now == 0;
        // with private clocks bodies go back in time, and what they lost since is there again: steps are counted by
        // the world
        const double rise = s->def.fixed_step ? now - before : e.largest_rise;
        found.rise = fmax(found.rise, rise / largest);
        look(&scene, &found);
        before = now;
        if (tw_world_stats(s->world).lost > 0) break;
        if (!chance(&scene.rng, 0.1)) continue;
        command(&scene);
        before = stage_energy(s);
    }
    const twWorldStats stats = tw_world_stats(s->world);
    found.held = found.held && stats.lost == 0;
    found.fixed = s->def.fixed_step;
    memcpy(found.bins, stats.iteration_bins, sizeof found.bins);
    stage_free(s);
    return found;
}

static int median_of(const int64_t* bins)
{
    int64_t all = 0, sum = 0;
    for (int i = 0; i < TW_ITERATION_BINS; i++) all += bins[i];
    for (int i = 0; i < TW_ITERATION_BINS; i++)
        if (2 * (sum += bins[i]) >= all) return i;
    return 0;
}

static int wanted(const char* name, int usual)
{
    const char* text = getenv(name);
    return text ? atoi(text) : usual;
}

static int most_of(const int64_t* bins)
{
    int most = 0;
    for (int i = 0; i < TW_ITERATION_BINS; i++) most = bins[i] > 0 ? i : most;
    return most;
}

static int random_scenes_gain_nothing_let_nothing_go_and_take_few_iterations(void)
{
    const int first = wanted("GRAB_FIRST", 1), count = wanted("GRAB_SCENES", SCENES);
    int64_t bins[2][SCENE_KINDS][TW_ITERATION_BINS] = {{{0}}};
    int wrong = 0;
    for (int seed = first; seed < first + count; seed++)
    {
        const Found f = play((uint64_t)seed);
        for (int i = 0; i < TW_ITERATION_BINS; i++) bins[f.fixed][seed % SCENE_KINDS][i] += f.bins[i];
        // with private clocks steps may be as dear as they are: nobody waits
        const int most = f.fixed ? most_of(f.bins) : 0;
        if (f.finite && f.held && f.rise <= PASSIVE && most <= ITERATIONS_MAX) continue;
        printf(" seed %d: rise %.2e, finite %d, held %d, %d iterations\n", seed, f.rise, f.finite, f.held, most);
        wrong++;
    }
    for (int k = 0; k < 2 * SCENE_KINDS; k++)
        ENSURE(median_of(bins[k / SCENE_KINDS][k % SCENE_KINDS]) <= ITERATIONS_MEDIAN);
    ENSURE(wrong == 0);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(random_scenes_gain_nothing_let_nothing_go_and_take_few_iterations)
)
