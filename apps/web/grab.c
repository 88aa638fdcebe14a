// SPDX-License-Identifier: MIT
// A body that is dragged by any point, thrown and dropped on a board: soft as jelly or stiff as bronze, with the same modes. Both it and
// the board are heard. A live world moves it; one thread commands, simulates, draws and sounds.
//
// The first set is the body, the second the board. The body is made of what the sliders say: shapes stay, frequencies go with
// sqrt(E/rho), and shapes, which are per sqrt(mass), with 1/sqrt(rho).
//
// Actions: down takes three vertices of the body and their weights; move a place [m] for the point to go to; up lets go; hit takes
// a vertex and an impulse [N s]; reset puts the body back.
// Picture: held or not, force of the hand [N], place of the held point [m] (3) and of its target [m] (3), energy [J], contacts; then the
// places of the body's vertices [m] (x 3).

#include "bench.h"
#include "twang/live.h"
#include "twang/math.h"
#include <stdlib.h>
#include <string.h>

#define STEP 2e-3         // [s]
#define RESOLVED 0.38     // of the rate of steps: steps would slow down modes above, which are heard, but do not move
#define LIFT 0.02         // how high above the board it begins [m]
#define LEAD 0.03         // a hand is followed in this time [s]
#define HEAVIEST 100.0    // impulse of a poke at most [N s]
#define FAR 5.0           // a body farther away than this comes back [m]
#define REST 0.3          // after this time without motion and sound it sleeps [s]
#define SLOW 1e-3         // root mean square over the mass: less than half a pixel of the picture in REST [m/s]
#define SILENT 1e-5       // of full scale
#define LARGEST_LOSS 0.9  // loss factor of a contact material

enum
{
    YOUNG,
    LOSS,
    DENSITY,
    BOUNCE,
    FRICTION,
    GRAVITY,
    GRIP,
    PARAMETERS
};

// the flexible body first: collision detection takes its points as they are bent, and bounds how the second one may be
enum
{
    BODY,
    BOARD,
    BODIES
};

typedef struct Grab
{
    twLive* live;
    twModeSet* soft;
    twBodyShape* shapes[BODIES];
    twBodyMotion start;
    double rate_hz, grip;
    double rest;  // time without motion and sound [s]
    int64_t contacts;
    bool held;
    int vertices;
    float* places;
    float pair[2 * PLAY_BLOCK];
} Grab;

// ---- what it is made of ----

static twStatus make_soft(twModeSet** out, const twModeSet* set, const double* values, twError* err)
{
    if (set->material_count < 1) return tw_fail(err, TW_BAD_INPUT, "the modes do not say of what material they are");
    const double heavier = values[DENSITY] / set->materials[0].density;
    const double faster = sqrt(values[YOUNG] / set->materials[0].young / heavier);
    const size_t modes = (size_t)set->mode_count, numbers = modes * (size_t)set->vertex_count * 3;
    double* freq_hz = malloc((modes + 1) * sizeof *freq_hz);
    float* shape = malloc((numbers + 1) * sizeof *shape);
    if (!freq_hz || !shape) return free(freq_hz), free(shape), tw_fail(err, TW_NO_MEMORY, "no memory for a body");
    for (size_t k = 0; k < modes; k++) freq_hz[k] = set->freq_hz[k] * faster;
    for (size_t i = 0; i < numbers; i++) shape[i] = (float)(set->shape[i] / sqrt(heavier));
    twModeMaterial material = set->materials[0];
    material.density = values[DENSITY];
    material.young = values[YOUNG];
    twModeSet def = *set;
    def.freq_hz = freq_hz;
    def.shape = shape;
    def.decay = NULL;
    def.damping = tw_damping_loss_factor(values[LOSS]);
    def.materials = &material;
    def.mass.mass *= heavier;
    def.mass.inertia = tw_mat3_scale(def.mass.inertia, heavier);
    def.transfer = NULL;
    const twStatus status = tw_mode_set_create(out, &def, err);
    free(freq_hz);
    free(shape);
    return status;
}

static twStatus make_shape(twBodyShape** out, const twModeSet* set, twError* err)
{
    twBodyShapeDef def = tw_body_shape_def();
    def.modes = set;
    def.max_freq_hz = RESOLVED / STEP;
    return tw_body_shape_create(out, &def, err);
}

static double height(const twModeSet* set, double sign)
{
    double most = -HUGE_VAL;
    for (int v = 0; v < set->vertex_count; v++) most = fmax(most, sign * set->vertices[v].z);
    return sign * most;
}

// ---- set-up ----

static void def_bodies(twLiveBodyDef* bodies, const Grab* g, const BenchStart* start)
{
    for (int i = 0; i < BODIES; i++)
    {
        bodies[i] = tw_live_body_def();
        bodies[i].body.name = i == BOARD ? "board" : "body";
        bodies[i].body.shape = g->shapes[i];
        bodies[i].body.material = i;
        bodies[i].modes = i == BOARD ? start->sets[1] : g->soft;
    }
    bodies[BOARD].body.kind = TW_BODY_FIXED;
    bodies[BOARD].body.rigid = true;
    bodies[BODY].warp = true;
    bodies[BODY].body.motion.position.z = height(start->sets[1], 1) - height(g->soft, -1) + LIFT;
}

static twStatus make_live(Grab* g, const BenchStart* start, twError* err)
{
    const double* values = start->values;
    twContactMaterial materials[BODIES] = {
        [BOARD] = tw_contact_material(tw_material_find("oak")),
        [BODY] = {.young = values[YOUNG],
                  .poisson = 0.35,
                  .stick = values[FRICTION],
                  .slide = 0.8 * values[FRICTION],
                  .restitution = values[BOUNCE],
                  .loss_factor = fmin(values[LOSS], LARGEST_LOSS)},
    };
    materials[BOARD].restitution = 1;
    materials[BOARD].stick = materials[BOARD].slide = values[FRICTION];
    twLiveBodyDef bodies[BODIES];
    def_bodies(bodies, g, start);
    g->start = bodies[BODY].body.motion;

    twLiveDef def = tw_live_def();
    def.bodies = bodies;
    def.body_count = BODIES;
    def.world.gravity = tw_vec3(0, 0, -values[GRAVITY]);
    def.world.materials = materials;
    def.world.material_count = BODIES;
    def.world.max_step = STEP;
    def.world.max_grabs = 1;
    def.world.max_contacts = 64;
    def.sound_rate_hz = g->rate_hz;
    def.ear = tw_ear_def();
    def.ear.kind = TW_EAR_STEREO;
    def.ear.position = tw_vec3(0, -0.7, 0.35);
    def.ear.turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), 0.5 * TW_PI);
    return tw_live_create(&g->live, &def, err);
}

static twStatus create(void** out, const BenchStart* start, twError* err)
{
    Grab* g = *out = calloc(1, sizeof *g);
    if (!g) return tw_fail(err, TW_NO_MEMORY, "no memory for a bench");
    g->rate_hz = start->rate_hz;
    g->grip = start->values[GRIP];
    twStatus status = make_soft(&g->soft, start->sets[0], start->values, err);
    if (status == TW_OK) status = make_shape(&g->shapes[BODY], g->soft, err);
    if (status == TW_OK) status = make_shape(&g->shapes[BOARD], start->sets[1], err);
    if (status == TW_OK) status = make_live(g, start, err);
    if (status != TW_OK) return status;
    g->vertices = tw_cover_vertices(tw_live_cover(tw_live_view(g->live), BODY));
    g->places = calloc(3 * (size_t)g->vertices + 1, sizeof *g->places);
    return g->places ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for a picture");
}

static void destroy(void* state)
{
    Grab* g = state;
    tw_live_destroy(g->live);
    for (int i = 0; i < BODIES; i++) tw_body_shape_destroy(g->shapes[i]);
    tw_mode_set_destroy(g->soft);
    free(g->places);
    free(g);
}

static void set(void* state, const double* values) { ((Grab*)state)->grip = values[GRIP]; }

// ---- hands ----

static bool vertex_of(const Grab* g, double number, int* out)
{
    *out = (int)number;
    return number >= 0 && number < g->vertices;
}

static void let_go(Grab* g)
{
    if (g->held) tw_live_release(g->live, 0);
    g->held = false;
}

static void take(Grab* g, const double* a)
{
    twGrabDef grab = tw_grab_def();
    double sum = 0;
    grab.at.body = BODY;
    grab.here = true;
    grab.max_force = g->grip;
    for (int i = 0; i < 3; i++)
    {
        if (!vertex_of(g, a[i], &grab.at.point.vertex[i]) || !(a[3 + i] >= 0)) return;
        grab.at.point.weight[i] = a[3 + i];
        sum += a[3 + i];
    }
    if (!(sum > 0)) return;
    for (int i = 0; i < 3; i++) grab.at.point.weight[i] /= sum;
    let_go(g);
    g->held = tw_live_grab(g->live, 0, &grab);
}

static void act(void* state, PlayAction action, const double a[PLAY_ARGUMENTS])
{
    Grab* g = state;
    int vertex;
    g->rest = 0;
    switch (action)
    {
    case PLAY_DOWN:
        take(g, a);
        break;
    case PLAY_MOVE:
        if (g->held) tw_live_move(g->live, 0, tw_vec3(a[0], a[1], a[2]), LEAD);
        break;
    case PLAY_UP:
        let_go(g);
        break;
    case PLAY_HIT:
    {
        const twVec3 impulse = tw_vec3(a[1], a[2], a[3]);
        if (!vertex_of(g, a[0], &vertex) || !(tw_vec3_norm(impulse) < HEAVIEST)) break;
        const twSurfacePoint point = tw_surface_vertex(vertex);
        tw_live_strike(g->live, BODY, &point, impulse);
        break;
    }
    case PLAY_RESET:
        let_go(g);
        tw_live_throw(g->live, BODY, &g->start);
        break;
    }
}

// ---- sound and picture ----

static double loudest(const float* samples, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(samples[i]));
    return most;
}

// What lies still is left alone until it is touched: its contacts would be solved for as long as it lies there.
static void sound(Grab* g, int frames)
{
    memset(g->pair, 0, sizeof g->pair);
    if (g->rest > REST) return;
    tw_live_advance(g->live, frames / g->rate_hz);
    tw_live_sound(g->live, g->pair, frames);
    const double slow = 0.5 * tw_body_shape_mass(g->shapes[BODY]).mass * SLOW * SLOW;
    const bool moves = g->held || tw_live_view(g->live)->energy.kinetic > slow;
    const bool lies = !moves && loudest(g->pair, 2 * frames) < SILENT;
    g->rest = lies ? g->rest + frames / g->rate_hz : 0;
}

static void process(void* state, double* left, double* right, int frames)
{
    Grab* g = state;
    sound(g, frames);
    for (int i = 0; i < frames; i++)
    {
        left[i] = g->pair[2 * i];
        right[i] = g->pair[2 * i + 1];
    }
}

static void put_vec3(Pen* pen, twVec3 v)
{
    pen_put(pen, v.x);
    pen_put(pen, v.y);
    pen_put(pen, v.z);
}

static int picture(void* state, float* out, int max)
{
    Grab* g = state;
    Pen pen = {out, 0, max};
    const twLiveView* view = tw_live_view(g->live);
    const twGrabView* grip = &view->grabs[0];
    if (tw_vec3_norm(view->bodies[BODY].position) > FAR) tw_live_throw(g->live, BODY, &g->start);
    pen_put(&pen, grip->active);
    pen_put(&pen, tw_vec3_norm(grip->force));
    put_vec3(&pen, grip->point);
    put_vec3(&pen, grip->target);
    pen_put(&pen, view->energy.kinetic + view->energy.elastic);
    pen_put(&pen, (double)(view->stats.world.contacts - g->contacts));
    g->contacts = view->stats.world.contacts;
    tw_live_vertices(view, BODY, g->places, NULL);
    for (int i = 0; i < 3 * g->vertices; i++) pen_put(&pen, g->places[i]);
    return pen.count;
}

static const PlayParameter sliders[PARAMETERS] = {
    {"young", "Stiffness", "Young's modulus: jelly wobbles, bronze rings", "Pa", 1e4, 1e11, 6e4, true, true},
    {"loss", "Damping", "loss factor: how soon it comes to rest", "", 1e-4, 1, 0.12, true, true},
    {"density", "Heaviness", "density", "kg/m^3", 200, 9000, 1000, true, true},
    {"bounce", "Bounce", "restitution of its contacts", "", 0, 1, 0.5, false, true},
    {"friction", "Grip on the board", "friction coefficient", "", 0, 1.5, 0.5, false, true},
    {"gravity", "Gravity", "acceleration downwards", "m/s^2", 0, 25, 9.81, false, true},
    {"grip", "Strength of the hand", "it lets the point slip from its place beyond this force", "N", 1, 2000, 200, true,
     false},
};
const Bench bench_grab = {
    .name = "grab",
    .parameters = sliders,
    .parameter_count = PARAMETERS,
    .set_count = 2,
    .gain = 0.5,
    .create = create,
    .destroy = destroy,
    .set = set,
    .act = act,
    .process = process,
    .picture = picture,
};
