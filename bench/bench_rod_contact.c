// SPDX-License-Identifier: MIT
// What rods that touch cost: the examples of Schweickart et al. 2017 with contact on one core, beside that paper's seconds per
// second of sound on 8 cores (its Fig. 7), some scenes of our own, and how cost grows with the number of contacts: stacks
// of more and more loops on the ground.
//
// Times are processor time of the thread. Sound is that of one listener and its image in the ground, as in the paper; it costs
// the same whatever rods do, and is measured on rods that stay where they came to. Parts of the motion are told apart by wall
// time, and scaled to the processor time of all of it. The paper's times are means over whole examples: so are those here, but for
// the walking slinky, of which each second costs about the same. How dear the beginning is, with the blow, is told beside.
#define _POSIX_C_SOURCE 200809L
#include "bench_scene.h"
#include "twang/play.h"
#include <math.h>

#define TURN 1e-3         // simulated at a time [s]
#define FIRST 0.1         // the beginning [s]
#define SOUND_POINTS 1e6  // points times steps of sound that are timed

// ---- scenes ----

typedef struct Example
{
    const char* scene;
    double paper;     // seconds per second of sound, 8 cores; 0: not in the paper
    double share[3];  // the paper's, of motion, contact, sound
    double seconds;   // simulated here
    double quick;     // in a quick run
} Example;

static const Example examples[] = {
    {"circular-rod", 42, {0.675, 0.304, 0.017}, 1, 0.1},
    {"oak-ruler", 47, {0.473, 0.507, 0.016}, 1, 0.1},
    {"strapping", 91, {0.75, 0.229, 0.018}, 1, 0.1},
    {"chain-link-fence", 5296, {0.568, 0.333, 0.099}, 2, 0.005},
    {"slinky-walk", 16527, {0.333, 0.655, 0.011}, 0.2, 0.01},
    {"slinky-rest", 0, {0}, 1, 0.05},
    {"knot", 0, {0}, 0.2, 0.02},
    {"nails", 0, {0}, 0.3, 0.02},
    {"fret", 0, {0}, 0.3, 0.05},
    {"clapper", 0, {0}, 0.3, 0.02},
    {"strings", 0, {0}, 0.3, 0.02},
};
#define EXAMPLE_COUNT ((int)(sizeof examples / sizeof *examples))

// loops of the paper's slinky that lie on each other, let go a little above the ground; the first and last are not closed
static const char stack_text[] =
    "duration: 1\n"
    "oversample: 2\n"
    "collide: true\n"
    "materials:\n"
    "  spring-steel: {density: 7850, young: 205.0e+9, poisson: 0.29, alpha: 3, beta: 3.0e-9}\n"
    "ground: {material: concrete}\n"
    "rods:\n"
    "  slinky:\n"
    "    helix: {radius: 0.0325, pitch: 0.0004, turns: %d}\n"
    "    axis: [0, 0, 1]\n"
    "    at: [0, 0, 0.0005]\n"
    "    points: %d\n"
    "    section: {rectangle: [0.00038, 0.00095]}\n"
    "    direction: [0, 0, 1]\n"
    "    material: spring-steel\n"
    "listeners: {ear: {at: [0.3, 0.4, 0.5]}}\n";

static BenchScene stack(int turns)
{
    char text[2048];
    twError err;
    twScene* scene = NULL;
    snprintf(text, sizeof text, stack_text, turns, 48 * turns);
    if (tw_scene_parse(&scene, "stack", text, strlen(text), &err) != TW_OK) bench_leave("stack", &err);
    return bench_bodies(scene, "stack");
}

// ---- sound ----

static twListener* listener_at(double rate_hz)
{
    twError err;
    twListener* listener = NULL;
    twListenerDef def = tw_listener_def();
    def.rate_hz = rate_hz;
    def.position = tw_vec3(0.3, 0.4, 1.5);
    def.ground = true;
    if (tw_listener_create(&listener, &def, &err) != TW_OK) bench_leave("listener", &err);
    return listener;
}

static int point_count(const twScene* scene)
{
    int points = 0;
    for (int i = 0; i < scene->rod_count; i++) points += scene->rods[i].def.point_count;
    return points;
}

// one step of all rods of a scene, again and again [s]
static double sound_step_seconds(const BenchScene* b)
{
    twError err;
    const twScene* scene = b->scene;
    const int count = scene->rod_count, steps = (int)fmax(100, SOUND_POINTS / point_count(scene));
    twRadiator** radiators = calloc((size_t)count, sizeof(twRadiator*));
    twRadiatorMotion* motions = calloc((size_t)count, sizeof *motions);
    twListener* listener = listener_at(scene->rods[0].def.rate_hz);
    if (!radiators || !motions) bench_leave("sound", &(twError){.text = "no memory"});
    for (int i = 0; i < count; i++)
    {
        const twRodView v = tw_rod_view(tw_world_rod(tw_bodies_world(b->bodies), i));
        if (tw_scene_radiator(&radiators[i], &scene->rods[i], &v, &err) != TW_OK)
            bench_leave(scene->rods[i].name, &err);
        motions[i] = tw_radiator_motion(&v);
    }
    const double begin = bench_cpu_seconds();
    for (int n = 0; n < steps; n++)
    {
        for (int i = 0; i < count; i++)
        {
            const twSources sources = tw_radiator_update(radiators[i], &motions[i]);
            tw_listener_add(listener, 0, &sources);
        }
        bench_keep(tw_listener_step(listener));
    }
    const double took = bench_cpu_seconds() - begin;
    for (int i = 0; i < count; i++) tw_radiator_destroy(radiators[i]);
    tw_listener_destroy(listener);
    free(radiators);
    free(motions);
    return took / steps;
}

// ---- cost ----

typedef struct Cost
{
    double simulated;             // [s]
    double world, sound;          // processor time per second simulated
    double first;                 // the same of the beginning of the world
    double motion, find, solve;   // the parts of world: rods and bodies, looking for contacts, their forces
    double contacts, contact_ns;  // per step; per contact and step
    twWorldStats stats;
    twWorldEnergy energy;
} Cost;

static void advance(twWorld* world, double from, double to)
{
    int count;
    for (int k = 1; from + (k - 0.5) * TURN < to; k++)
    {
        tw_world_advance(world, from + k * TURN);
        bench_keep(tw_world_forces(world, &count) ? count : 0);
        bench_progress(from + k * TURN, to, 0.5 * TURN);
    }
}

// what happened since
static twWorldStats since(const twWorldStats* before, twWorldStats s)
{
    s.rod_steps -= before->rod_steps, s.rod_contacts -= before->rod_contacts, s.iterations -= before->iterations;
    s.collide_seconds -= before->collide_seconds, s.solve_seconds -= before->solve_seconds;
    s.rod_seconds -= before->rod_seconds, s.other_seconds -= before->other_seconds;
    return s;
}

// from a time on until another one, as fresh bodies come there
static Cost measure(const BenchScene* b, double from, double to)
{
    twWorld* world = tw_bodies_world(b->bodies);
    advance(world, 0, from);
    const twWorldStats before = tw_world_stats(world);
    const double start = tw_world_time(world), begin = bench_cpu_seconds();
    const double middle = fmin(to, from + FIRST);
    advance(world, from, middle);
    const double first = (bench_cpu_seconds() - begin) / (tw_world_time(world) - start);
    advance(world, middle, to);
    const double took = bench_cpu_seconds() - begin;
    Cost cost = {.simulated = tw_world_time(world) - start,
                 .first = first,
                 .stats = since(&before, tw_world_stats(world)),
                 .energy = tw_world_energy(world)};
    const twWorldStats* s = &cost.stats;
    const double all = fmax(1e-12, s->collide_seconds + s->solve_seconds + s->rod_seconds + s->other_seconds);
    cost.world = took / cost.simulated;
    cost.find = cost.world * s->collide_seconds / all;
    cost.solve = cost.world * s->solve_seconds / all;
    cost.motion = cost.world - cost.find - cost.solve;
    cost.contacts = (double)s->rod_contacts / fmax(1, (double)s->rod_steps);
    cost.contact_ns = 1e9 * (cost.find + cost.solve) * cost.simulated / fmax(1, (double)s->rod_contacts);
    cost.sound = sound_step_seconds(b) * b->scene->rods[0].def.rate_hz;
    return cost;
}

// ---- report ----

static void tell(BenchReport* report, const char* scene, const char* what, double value, const char* note)
{
    char key[96];
    snprintf(key, sizeof key, "%s_%s", scene, what);
    for (char* c = key; *c; c++)
        if (*c == '-') *c = '_';
    bench_figure(report, key, value, note);
}

static void tell_contacts(BenchReport* report, const char* name, const Cost* cost)
{
    const twWorldStats* s = &cost->stats;
    const double steps = fmax(1, (double)s->rod_steps);
    tell(report, name, "contacts", cost->contacts, "per step");
    tell(report, name, "contacts_max", s->rod_contacts_max, "in a step");
    tell(report, name, "contact_ns", cost->contact_ns, "per contact and step");
    tell(report, name, "find_us", 1e6 * cost->find * cost->simulated / steps, "per step, looking where rods touch");
    tell(report, name, "solve_us", 1e6 * cost->solve * cost->simulated / steps, "per step, contact solver");
    tell(report, name, "motion_us", 1e6 * cost->motion * cost->simulated / steps, "per step, the rest of the motion");
    tell(report, name, "iterations", (double)s->iterations / steps, "per step");
    tell(report, name, "refined", (double)s->refined, "steps that had to be cut in halves");
    tell(report, name, "failures", (double)(s->failures + s->lost), "solves that failed, bodies lost");
    tell(report, name, "dropped", (double)s->dropped, "touches and pairs there was no room for");
    tell(report, name, "largest_rise", cost->energy.largest_rise, "of energy in a step [J]");
}

static double simulated(const twScene* scene, double seconds, double quick, const BenchOptions* options)
{
    const double most = fmin(scene->duration, options->quick ? quick : seconds);
    return options->seconds > 0 ? fmin(most, options->seconds) : most;
}

static void report_example(BenchReport* report, const Example* e, const BenchOptions* options)
{
    BenchScene b = bench_load(e->scene);
    const Cost cost = measure(&b, 0, simulated(b.scene, e->seconds, e->quick, options));
    const double seconds = cost.world + cost.sound;
    tell(report, e->scene, "points", point_count(b.scene), "");
    tell(report, e->scene, "simulated", cost.simulated, "seconds");
    tell(report, e->scene, "seconds", seconds, "of computing per second of sound, one core");
    if (e->paper > 0) tell(report, e->scene, "paper", e->paper, "the paper's, 8 cores");
    if (e->paper > 0) tell(report, e->scene, "speedup", e->paper / seconds, "");
    if (e->paper > 0)
        tell(report, e->scene, "first_speedup", e->paper / (cost.first + cost.sound), "of its first 0.1 s");
    tell(report, e->scene, "motion_share", cost.motion / seconds, "of the time");
    tell(report, e->scene, "contact_share", (cost.find + cost.solve) / seconds, "of the time");
    tell(report, e->scene, "sound_share", cost.sound / seconds, "of the time");
    if (e->paper > 0) tell(report, e->scene, "paper_motion_share", e->share[0], "");
    if (e->paper > 0) tell(report, e->scene, "paper_contact_share", e->share[1], "");
    if (e->paper > 0) tell(report, e->scene, "paper_sound_share", e->share[2], "");
    tell_contacts(report, e->scene, &cost);
    bench_unload(&b);
}

static void tell_growth(BenchReport* report, const char* name, const BenchScene* b, const Cost* cost, const Cost* last)
{
    const double steps = fmax(1, (double)cost->stats.rod_steps), contact = cost->find + cost->solve;
    tell(report, name, "contacts", cost->contacts, "per step");
    tell(report, name, "contact_ns", cost->contact_ns, "per contact and step");
    tell(report, name, "motion_ns", 1e9 * cost->motion / (b->scene->rods[0].def.rate_hz * point_count(b->scene)),
         "per point and step");
    tell(report, name, "iterations", (double)cost->stats.iterations / steps, "per step");
    if (last->contacts > 0 && cost->contacts > last->contacts)
        tell(report, name, "exponent", log(contact / (last->find + last->solve)) / log(cost->contacts / last->contacts),
             "of the time for contact over the number of contacts, from the stack before");
}

// in the second half of the time the loops lie on each other and on the ground
static void report_growth(BenchReport* report, const BenchOptions* options)
{
    static const int turns[] = {2, 4, 8, 16, 32, 64};
    const int count = options->quick ? 3 : (int)(sizeof turns / sizeof *turns);
    Cost last = {0};
    for (int i = 0; i < count; i++)
    {
        char name[32];
        snprintf(name, sizeof name, "stack_%d", turns[i]);
        BenchScene b = stack(turns[i]);
        const double seconds = simulated(b.scene, fmax(0.03, fmin(0.2, 1.6 / turns[i])), 0.02, options);
        const Cost cost = measure(&b, 0.5 * seconds, seconds);
        tell_growth(report, name, &b, &cost, &last);
        last = cost;
        bench_unload(&b);
    }
}

int main(int argc, char** argv)
{
    const BenchOptions options =
        bench_options(&argc, argv, "the first hundredths of a second of each scene", "one scene, or growth");
    bool any = false;
    BenchReport report = bench_report(argc, argv, "bench_rod_contact");
    for (int i = 0; i < EXAMPLE_COUNT; i++)
        if (bench_wants(&options, examples[i].scene)) report_example(&report, &examples[i], &options), any = true;
    if (bench_wants(&options, "growth")) report_growth(&report, &options), any = true;
    bench_end(&report);
    if (!any) fprintf(stderr, "bench_rod_contact: nothing called '%s'\n", options.only);
    return any ? 0 : 2;
}
