// SPDX-License-Identifier: MIT
// A soft ball that hands drag about, and what is drawn of it.
#define _POSIX_C_SOURCE 200809L
#include "grab.h"

// ---- the body ----

const twContactMaterial jelly = {.young = 1e6, .poisson = 0.45, .stick = 0.5, .slide = 0.5, .restitution = 0.5};

// jelly: 40 modes from 74 to 152 Hz
twModeSet* coarse_set(void)
{
    twError err;
    twModeSet* set = NULL;
    twBakeDef def = tw_bake_def();
    def.source = "sphere:0.1";
    def.material = (twMaterial){.name = "jelly", .density = 1000, .young = 1e6, .poisson = 0.45};
    def.damping = tw_damping_rayleigh(2, 1e-4);
    def.count = MODES;
    def.accuracy = 0.02;
    def.with_tets = true;
    check("modes", tw_bake(&set, &def, NULL, &err), &err);
    return set;
}

static twMesh* fine_mesh(double edge)
{
    twError err;
    twShape* shape = NULL;
    twMesh* mesh = NULL;
    check("shape", tw_shape_parse(&shape, "sphere:0.1", &err), &err);
    check("mesh", tw_shape_surface(&mesh, shape, edge, &err), &err);
    tw_shape_destroy(shape);
    return mesh;
}

Ball make_ball(const twModeSet* coarse, double edge, bool hung)
{
    twError err;
    Ball ball = {0};
    twMesh* mesh = fine_mesh(edge);
    check("embedding", tw_mode_set_embed(&ball.set, coarse, mesh, NULL, &err), &err);
    twBodyShapeDef def = tw_body_shape_def();
    def.modes = ball.set;
    def.field.cell = 0.005;
    check("shape", tw_body_shape_create(&ball.shape, &def, &err), &err);
    twCoverDef cover = tw_cover_def();
    cover.set = coarse;
    cover.mesh = mesh;
    if (hung) check("cover", tw_cover_create(&ball.hung, &cover, &err), &err);
    tw_mesh_destroy(mesh);
    return ball;
}

void free_ball(Ball* ball)
{
    tw_cover_destroy(ball->hung);
    tw_body_shape_destroy(ball->shape);
    tw_mode_set_destroy(ball->set);
}

// ---- dragging ----

// even over the ball
static twVec3 around(int i, int count)
{
    const double z = 1 - (2 * i + 1.0) / count, r = sqrt(1 - z * z), turn = 2.399963229728653 * i;
    return tw_vec3(RADIUS * r * cos(turn), RADIUS * r * sin(turn), RADIUS * z);
}

// the hands go in circles of 4 mm, each at its own pace, so that the body is bent all the time
static twVec3 hand_at(const Drag* d, int i)
{
    const double turn = 2 * TW_PI * (1 + 0.1 * i) * d->time + i;
    return tw_vec3_add(d->at[i], tw_vec3(0.004 * cos(turn), 0.004 * sin(turn), 0.002 * sin(2 * turn)));
}

Drag make_drag(const Ball* ball, int points, const twCover* cover, bool sound)
{
    twError err;
    twLiveBodyDef body = tw_live_body_def();
    body.body.name = "ball";
    body.body.shape = ball->shape;
    body.modes = ball->set;
    body.cover = cover;
    twLiveDef def = tw_live_def();
    def.bodies = &body;
    def.body_count = 1;
    def.world.materials = &jelly;
    def.world.material_count = 1;
    def.world.max_grabs = MOST_POINTS;
    def.sound_rate_hz = sound ? RATE : 0;
    def.ear = tw_ear_def();
    def.ear.position = tw_vec3(0.5, 0, 0);
    Drag d = {.points = points};
    check("live world", tw_live_create(&d.live, &def, &err), &err);
    for (int i = 0; i < points; i++)
    {
        twGrabDef grab = tw_grab_def();
        grab.at.body = 0;
        grab.at.point = tw_surface_vertex(tw_body_shape_nearest(ball->shape, around(i, points)));
        grab.here = true;
        d.at[i] = ball->set->vertices[grab.at.point.vertex[0]];
        if (!tw_live_grab(d.live, i, &grab)) bench_leave("grab", &(twError){.text = "refused"});
    }
    tw_live_advance(d.live, 0.1);
    return d;
}

static void move_hands(Drag* d)
{
    d->time += FRAME;
    for (int i = 0; i < d->points; i++) tw_live_move(d->live, i, hand_at(d, i), FRAME);
}

void drag_frame(Drag* d)
{
    move_hands(d);
    tw_live_advance(d->live, FRAME);
}

// seconds of a step that is handed out by itself, and of a frame of 1/60 s
void time_drag(Drag* d, int frames, double* step, double* frame)
{
    double begin = bench_cpu_seconds();
    const double steps = 16;
    for (int i = 0; i < frames; i++)
    {
        move_hands(d);
        for (int k = 0; k < steps; k++) tw_live_advance(d->live, 1e-3);
    }
    *step = smaller(*step, (bench_cpu_seconds() - begin) / (frames * steps));
    begin = bench_cpu_seconds();
    for (int i = 0; i < frames; i++) drag_frame(d);
    *frame = smaller(*frame, (bench_cpu_seconds() - begin) / frames);
}

// ---- vertices ----

Canvas make_canvas(Drag* d)
{
    const twLiveView* view = tw_live_view(d->live);
    Canvas c = {.drag = d, .view = view, .vertices = tw_cover_vertices(tw_live_cover(view, 0))};
    c.positions = room(3 * (size_t)c.vertices, sizeof *c.positions);
    c.normals = room(3 * (size_t)c.vertices, sizeof *c.normals);
    return c;
}

void free_canvas(Canvas* c)
{
    free(c->positions);
    free(c->normals);
}

void draw_places(void* context)
{
    Canvas* c = context;
    c->view = tw_live_view(c->drag->live);
    tw_live_vertices(c->view, 0, c->positions, NULL);
}

void draw_all(void* context)
{
    Canvas* c = context;
    c->view = tw_live_view(c->drag->live);
    tw_live_vertices(c->view, 0, c->positions, c->normals);
}
