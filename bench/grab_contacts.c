// SPDX-License-Identifier: MIT
// What contacts cost: two balls that meet, or lie on each other.
#define _POSIX_C_SOURCE 200809L
#include "grab.h"

typedef struct Meeting
{
    twStageBodyDef bodies[3];
    twBodyShape* floor;
    twStage* stage;
} Meeting;

// two balls that fly at each other, or lie on a floor, one on the other
static void make_meeting(Meeting* m, const Ball* ball, bool pile, twStageContact contact)
{
    twError err;
    twMesh* box = NULL;
    twShape* shape = NULL;
    check("floor", tw_shape_parse(&shape, "box:2x2x0.2", &err), &err);
    check("floor", tw_shape_surface(&box, shape, 0.5, &err), &err);
    twBodyShapeDef floor = tw_body_shape_def();
    floor.mesh = box;
    check("floor", tw_body_shape_create(&m->floor, &floor, &err), &err);
    for (int i = 0; i < 3; i++)
    {
        m->bodies[i] = tw_stage_body_def();
        m->bodies[i].name = i < 2 ? "ball" : "floor";
        m->bodies[i].shape = i < 2 ? ball->shape : m->floor;
        m->bodies[i].modes = i < 2 ? ball->set : NULL;
        m->bodies[i].motion.position =
            pile ? tw_vec3(0, 0, 0.1 + 0.2 * i) : tw_vec3(i == 0 ? -0.12 : 0.12, 0, 0.02 * i);
        if (!pile) m->bodies[i].motion.velocity = tw_vec3(i == 0 ? 1 : -1, 0, 0);
    }
    m->bodies[2].kind = TW_BODY_FIXED;
    m->bodies[2].motion = (twBodyMotion){.position = {0, 0, -0.1}, .turn = {1, 0, 0, 0}};
    twContactMaterial material = {.young = 1e6, .poisson = 0.45, .stick = 0.5, .slide = 0.5, .restitution = 0.5};
    twStageDef def = tw_stage_def();
    def.bodies = m->bodies;
    def.body_count = pile ? 3 : 2;
    if (!pile) def.gravity = tw_vec3(0, 0, 0);
    def.materials = &material;
    def.material_count = 1;
    def.contact = contact;
    check("stage", tw_stage_create(&m->stage, &def, &err), &err);
    tw_shape_destroy(shape);
    tw_mesh_destroy(box);
}

static void report_meeting(BenchReport* report, const char* name, const Ball* ball, bool pile, twStageContact contact)
{
    Meeting m = {.floor = NULL};
    make_meeting(&m, ball, pile, contact);
    double worst = 0, took = 0, most = 0, free_way = 0;
    int touching = 0, alone = 0;
    const int steps = pile ? 600 : 120;
    for (int i = 0; i < steps; i++)
    {
        const int64_t before = tw_stage_view(m.stage)->stats.contacts;
        const double begin = bench_cpu_seconds();
        tw_stage_advance(m.stage, 1e-3);
        const double step = bench_cpu_seconds() - begin;
        const double contacts = (double)(tw_stage_view(m.stage)->stats.contacts - before);
        most = fmax(most, contacts);
        if (contacts > 0)
            took += step, worst = fmax(worst, step), touching++;
        else
            free_way += step, alone++;
    }
    const twStageStats s = tw_stage_view(m.stage)->stats;
    if (alone > 0) tell(report, name, "apart_us", 1e6 * free_way / alone, "a step without contact");
    tell(report, name, "touching_us", 1e6 * took / fmax(1, touching), "a step with contact");
    tell(report, name, "worst_us", 1e6 * worst, "");
    tell(report, name, "contacts", most, "in a step at most");
    tell(report, name, "dropped", (double)s.dropped_contacts, "contacts there was no room for");
    tell(report, name, "lost", (double)s.resets, "bodies");
    tell(report, name, "realtime", touching ? 1e-3 * touching / took : 0, "seconds simulated per second, in contact");
    tw_stage_destroy(m.stage);
    tw_body_shape_destroy(m.floor);
}

void report_contacts(BenchReport* report, const twModeSet* coarse, const BenchOptions* options)
{
    for (int i = 0; i < (options->quick ? 1 : 3); i++)
    {
        static const int which[] = {0, 2, 3};
        const Size* size = &grab_sizes[which[i]];
        char name[48];
        Ball ball = make_ball(coarse, edge_of(size), false);
        snprintf(name, sizeof name, "collide_%s", size->name);
        report_meeting(report, name, &ball, false, TW_STAGE_CONSTRAINT);
        snprintf(name, sizeof name, "collide_penalty_%s", size->name);
        report_meeting(report, name, &ball, false, TW_STAGE_PENALTY);
        snprintf(name, sizeof name, "pile_%s", size->name);
        report_meeting(report, name, &ball, true, TW_STAGE_CONSTRAINT);
        free_ball(&ball);
    }
}
