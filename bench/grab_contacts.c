// SPDX-License-Identifier: MIT
// What contacts cost: two soft balls that meet, or lie on each other.
#define _POSIX_C_SOURCE 200809L
#include "grab.h"

typedef struct Meeting
{
    twLiveBodyDef bodies[3];
    twBodyShape* floor;
    twLive* live;
} Meeting;

twBodyShape* make_floor(void)
{
    twError err;
    twMesh* box = NULL;
    twShape* shape = NULL;
    twBodyShape* floor = NULL;
    check("floor", tw_shape_parse(&shape, "box:4x4x0.2", &err), &err);
    check("floor", tw_shape_surface(&box, shape, 0.5, &err), &err);
    twBodyShapeDef def = tw_body_shape_def();
    def.mesh = box;
    check("floor", tw_body_shape_create(&floor, &def, &err), &err);
    tw_shape_destroy(shape);
    tw_mesh_destroy(box);
    return floor;
}

// two balls that fly at each other, or lie on a floor, one on the other
static void make_meeting(Meeting* m, const Ball* ball, bool pile)
{
    twError err;
    m->floor = make_floor();
    for (int i = 0; i < 3; i++)
    {
        m->bodies[i] = tw_live_body_def();
        m->bodies[i].body.name = i < 2 ? "ball" : "floor";
        m->bodies[i].body.shape = i < 2 ? ball->shape : m->floor;
        m->bodies[i].modes = i < 2 ? ball->set : NULL;
        m->bodies[i].body.motion.position =
            pile ? tw_vec3(0, 0, 0.1 + 0.2 * i) : tw_vec3(i == 0 ? -0.12 : 0.12, 0, 0.02 * i);
        if (!pile) m->bodies[i].body.motion.velocity = tw_vec3(i == 0 ? 1 : -1, 0, 0);
    }
    m->bodies[2].body.kind = TW_BODY_FIXED;
    m->bodies[2].body.motion = (twBodyMotion){.position = {0, 0, -0.1}, .turn = {1, 0, 0, 0}};
    twLiveDef def = tw_live_def();
    def.bodies = m->bodies;
    def.body_count = pile ? 3 : 2;
    if (!pile) def.world.gravity = tw_vec3(0, 0, 0);
    def.world.materials = &jelly;
    def.world.material_count = 1;
    check("live world", tw_live_create(&m->live, &def, &err), &err);
}

static void report_meeting(BenchReport* report, const char* name, const Ball* ball, bool pile)
{
    Meeting m = {.floor = NULL};
    make_meeting(&m, ball, pile);
    double worst = 0, took = 0, most = 0, apart = 0;
    int in_contact = 0, alone = 0;
    const int steps = pile ? 600 : 120;
    for (int i = 0; i < steps; i++)
    {
        const int64_t before = tw_live_view(m.live)->stats.world.contacts;
        const double begin = bench_cpu_seconds();
        tw_live_advance(m.live, 1e-3);
        const double step = bench_cpu_seconds() - begin;
        const double contacts = (double)(tw_live_view(m.live)->stats.world.contacts - before);
        most = fmax(most, contacts);
        if (contacts > 0)
            took += step, worst = fmax(worst, step), in_contact++;
        else
            apart += step, alone++;
    }
    const twLiveStats s = tw_live_view(m.live)->stats;
    if (alone > 0) tell(report, name, "apart_us", 1e6 * apart / alone, "a step without contact");
    tell(report, name, "contact_us", 1e6 * took / fmax(1, in_contact), "a step with contact");
    tell(report, name, "worst_us", 1e6 * worst, "");
    tell(report, name, "contacts", most, "in a step at most");
    tell(report, name, "lost", (double)s.world.lost, "bodies");
    tell(report, name, "realtime", in_contact ? 1e-3 * in_contact / took : 0,
         "seconds simulated per second, in contact");
    tw_live_destroy(m.live);
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
        report_meeting(report, name, &ball, false);
        snprintf(name, sizeof name, "pile_%s", size->name);
        report_meeting(report, name, &ball, true);
        free_ball(&ball);
    }
}
