// SPDX-License-Identifier: MIT
// A stage: what is on it, commands, time, views. The step is in step.c.
#include "stage/stage.h"
#include "live/pick.h"
#include "stage/cone.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- defs ----

twStageBodyDef tw_stage_body_def(void) { return (twStageBodyDef){.name = "", .motion = {.turn = {1, 0, 0, 0}}}; }

twStagePoint tw_stage_vertex(int vertex) { return (twStagePoint){{vertex, -1, -1}, {1, 0, 0}}; }

twStageGrabDef tw_stage_grab_def(void)
{
    return (twStageGrabDef){.point = tw_stage_vertex(0),
                            .other = TW_NOWHERE,
                            .other_point = tw_stage_vertex(0),
                            .along = {true, true, true},
                            .ease = 0.05};
}

twStageDef tw_stage_def(void)
{
    return (twStageDef){.gravity = {0, 0, -9.81},
                        .step = 1e-3,
                        .cluster = 0.1,
                        .max_contacts = 64,
                        .max_grabs = 64,
                        .softness = 1e-10,
                        .queue = 256};
}

// ---- making ----

static twStatus check(const twStageDef* def, twError* err)
{
    if (!(def->step >= 1e-6 && def->step <= 0.1))
        return tw_fail(err, TW_BAD_INPUT, "a step of %g s is outside 1e-6 to 0.1", def->step);
    if (!isfinite(def->gravity.x + def->gravity.y + def->gravity.z))
        return tw_fail(err, TW_BAD_INPUT, "gravity is not finite");
    if (def->body_count < 0 || def->body_count > TW_MAX_BODIES || (def->body_count > 0 && !def->bodies))
        return tw_fail(err, TW_BAD_INPUT, "%d bodies; 0 to %d are possible", def->body_count, TW_MAX_BODIES);
    if (def->max_grabs < 0 || def->max_grabs > TW_MAX_STAGE_GRABS)
        return tw_fail(err, TW_BAD_INPUT, "room for %d grabs; 0 to %d is possible", def->max_grabs, TW_MAX_STAGE_GRABS);
    if (def->max_contacts < 1 || def->max_contacts > CONE_MAX)
        return tw_fail(err, TW_BAD_INPUT, "room for %d contacts; 1 to %d is possible", def->max_contacts, CONE_MAX);
    if (!(def->softness >= 0 && def->softness < 1))
        return tw_fail(err, TW_BAD_INPUT, "a softness of %g is outside 0 to 1", def->softness);
    if (!(def->cluster >= 0 && def->cluster <= 1))
        return tw_fail(err, TW_BAD_INPUT, "clusters of %g radii are outside 0 to 1", def->cluster);
    if (def->queue < 1 || def->queue > 1 << 20)
        return tw_fail(err, TW_BAD_INPUT, "a queue of %d commands; 1 to 1048576 are possible", def->queue);
    if (!(def->budget >= 0) || !(def->largest_force >= 0) || !(def->smallest_motion >= 0))
        return tw_fail(err, TW_BAD_INPUT, "budget, largest_force and smallest_motion must not be negative");
    return TW_OK;
}

static twStatus make_bodies(twStage* s, const twStageDef* def, twError* err)
{
    for (int i = 0; i < def->body_count; i++)
    {
        s->body_count = i + 1;
        const twStatus status = stage_body_make(&s->bodies[i], def, i, &s->modes[i], err);
        if (status != TW_OK) return status;
        s->restitution[i] = def->materials ? def->materials[def->bodies[i].material].restitution : 0;
    }
    return TW_OK;
}

// of a rigid body its surface, if it has one
static twStatus rigid_cover(twCover** out, const ContactShape* shape, twError* err)
{
    if (shape->vertex_count == 0 || shape->face_count == 0) return TW_OK;
    twMesh* mesh = NULL;
    twStatus status = tw_mesh_create(&mesh, shape->vertex_count, shape->face_count, err);
    if (status != TW_OK) return status;
    for (int v = 0; v < shape->vertex_count; v++) mesh->vertices[v] = tw_vec3_add(shape->vertices[v], shape->centre);
    memcpy(mesh->faces, shape->faces, (size_t)shape->face_count * sizeof *mesh->faces);
    twCoverDef def = tw_cover_def();
    def.mesh = mesh;
    status = tw_cover_create(out, &def, err);
    tw_mesh_destroy(mesh);
    return status;
}

static twStatus make_cover(twStage* s, const twStageBodyDef* body, int index, twError* err)
{
    if (!body->modes) return rigid_cover(&s->own_covers[index], s->bodies[index].contact, err);
    twCoverDef cover = tw_cover_def();
    cover.set = body->modes;
    cover.mode_count = s->bodies[index].mode_count;
    cover.warp = body->warp;
    return tw_cover_create(&s->own_covers[index], &cover, err);
}

static twStatus make_covers(twStage* s, const twStageDef* def, twError* err)
{
    size_t scratch = 1, vertices = 1;
    for (int i = 0; i < def->body_count; i++)
    {
        const twStageBodyDef* body = &def->bodies[i];
        const twStatus status = body->cover ? TW_OK : make_cover(s, body, i, err);
        if (status != TW_OK) return status;
        s->covers[i] = body->cover ? body->cover : s->own_covers[i];
        if (!s->covers[i]) continue;
        if (tw_cover_modes(s->covers[i]) > s->bodies[i].mode_count)
            return tw_fail(err, TW_BAD_INPUT, "body %s: its cover has %d modes, and %d move", body->name,
                           tw_cover_modes(s->covers[i]), s->bodies[i].mode_count);
        const size_t size = tw_cover_scratch(s->covers[i]), count = (size_t)tw_cover_vertices(s->covers[i]);
        scratch = size > scratch ? size : scratch;
        vertices = count > vertices ? count : vertices;
    }
    s->scratch = malloc(scratch * sizeof *s->scratch);
    s->picked = malloc(3 * vertices * sizeof *s->picked);
    return s->scratch && s->picked ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for covers");
}

static bool make_room(twStage* s, const twStageDef* def)
{
    const size_t n = (size_t)def->body_count + 1, contacts = (size_t)def->max_contacts;
    s->push_room = 2 * def->max_contacts + TW_MAX_STAGE_PUSHES * def->max_grabs + def->queue;
    s->force_room = 2 * (def->max_contacts + s->push_room) + 1;
    s->bodies = calloc(n, sizeof *s->bodies);
    s->modes = calloc(n, sizeof *s->modes);
    s->covers = calloc(n, sizeof *s->covers);
    s->own_covers = calloc(n, sizeof *s->own_covers);
    s->restitution = calloc(n, sizeof *s->restitution);
    s->holds = calloc((size_t)def->max_grabs + 1, sizeof *s->holds);
    s->places = calloc(2 * n, sizeof *s->places);
    s->after = s->places + n;
    s->after_q = calloc(n, sizeof *s->after_q);
    s->accounts = calloc(n, sizeof *s->accounts);
    s->group = calloc(n, sizeof *s->group);
    s->newton = calloc(3 * (size_t)def->max_grabs * TW_MAX_STAGE_PUSHES + 1, sizeof *s->newton);
    s->turning = calloc(n, sizeof *s->turning);
    s->approach = calloc(contacts, sizeof *s->approach);
    s->felt = calloc(contacts, sizeof *s->felt);
    s->lined = calloc(contacts, sizeof *s->lined);
    s->kept[0] = calloc(4 * n, sizeof *s->kept[0]);
    for (size_t k = 1; k < 4; k++) s->kept[k] = s->kept[0] + k * n;
    s->pushes = calloc((size_t)s->push_room, sizeof *s->pushes);
    s->forces = calloc((size_t)s->force_room, sizeof *s->forces);
    s->before = calloc((size_t)s->force_room, sizeof *s->before);
    return s->bodies && s->modes && s->covers && s->own_covers && s->restitution && s->holds && s->places &&
           s->after_q && s->accounts && s->group && s->newton && s->turning && s->approach && s->felt && s->lined &&
           s->kept[0] && s->pushes && s->forces && s->before;
}

static bool make_kept(twStage* s)
{
    size_t modes = 0;
    for (int i = 0; i < s->body_count; i++) modes += (size_t)s->bodies[i].mode_count;
    s->kept_block = malloc((8 * modes + 1) * sizeof *s->kept_block);
    double* from = s->kept_block;
    for (int k = 0; k < 4 && from; k++)
        for (int i = 0; i < s->body_count; i++)
        {
            s->kept[k][i].q = from, from += s->bodies[i].mode_count;
            s->kept[k][i].rate = from, from += s->bodies[i].mode_count;
        }
    return from;
}

// velocities that all grabs know together, at most: each knows two bodies
static int most_known(const twStage* s)
{
    int all = 0, largest = 0;
    for (int i = 0; i < s->body_count; i++)
    {
        all += s->bodies[i].size;
        largest = s->bodies[i].size > largest ? s->bodies[i].size : largest;
    }
    const int most = 2 * s->def.max_grabs * largest;
    return all < most ? all : most;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

// rows over velocities, or over what frames do, right sides, an answer, and what finding it needs
static bool make_mending(twStage* s)
{
    const int rows = 3 * s->def.max_grabs, n = most_known(s), frames = 12 * s->def.max_grabs;
    const size_t most = larger((size_t)n, (size_t)frames), normal = 2 * (size_t)n * (size_t)(n + 1);
    const size_t scratch = larger(tw_least_squares_scratch(rows, n), tw_least_squares_scratch(frames, rows));
    s->mending = malloc(((size_t)rows * (most + 1) + most + larger(normal, scratch)) * sizeof *s->mending);
    return s->mending;
}

static bool make_after(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        s->after_q[i] = calloc((size_t)s->bodies[i].mode_count + 1, sizeof **s->after_q);
        if (!s->after_q[i]) return false;
        s->places[i] = s->after[i] = stage_body_place(&s->bodies[i]);
    }
    return make_kept(s) && make_mending(s);
}

static void publish(twStage* s);

static twStatus make(twStage* s, const twStageDef* def, twError* err)
{
    twStatus status = make_bodies(s, def, err);
    if (status == TW_OK) status = make_covers(s, def, err);
    if (status == TW_OK && !make_after(s)) status = tw_fail(err, TW_NO_MEMORY, "no memory for a stage");
    if (status == TW_OK) status = system_make(&s->system, def, s->bodies, err);
    if (status == TW_OK && def->contact != TW_STAGE_NO_CONTACT)
        status = stage_touches_create(&s->touches, def, s->bodies, err);
    if (status == TW_OK) status = stage_live_create(&s->live, def, s->bodies, err);
    if (status == TW_OK) status = doubt_create(&s->doubt, def, s->bodies, err);
    if (status != TW_OK) return status;
    for (int i = 0; i < s->body_count; i++) s->modes[i].heard = live_heard(s->live, i);
    publish(s);
    return TW_OK;
}

twStatus tw_stage_create(twStage** out, const twStageDef* def, twError* err)
{
    *out = NULL;
    twStatus status = check(def, err);
    if (status != TW_OK) return status;
    twStage* s = calloc(1, sizeof *s);
    if (!s) return tw_fail(err, TW_NO_MEMORY, "no memory for a stage");
    s->def = *def;
    s->h = def->step;
    s->parts = 1;
    status = make_room(s, def) ? make(s, def, err) : tw_fail(err, TW_NO_MEMORY, "no memory for a stage");
    if (status != TW_OK)
        tw_stage_destroy(s);
    else
        *out = s;
    return status;
}

void tw_stage_destroy(twStage* s)
{
    if (!s) return;
    for (int i = 0; i < s->body_count; i++)
    {
        stage_body_free(&s->bodies[i]);
        if (s->own_covers) tw_cover_destroy(s->own_covers[i]);
        if (s->after_q) free(s->after_q[i]);
    }
    stage_touches_destroy(s->touches);
    system_free(&s->system);
    stage_live_destroy(s->live);
    doubt_destroy(s->doubt);
    void* const blocks[] = {s->bodies, s->modes,   s->covers,   s->own_covers, s->restitution, s->holds,
                            s->places, s->after_q, s->approach, s->felt,       s->pushes,      s->forces,
                            s->before, s->scratch, s->picked,   s->turning,    s->newton,      s->accounts,
                            s->group,  s->lined,   s->kept[0],  s->kept_block, s->mending};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    free(s);
}

StageLive* stage_live(const twStage* stage) { return stage->live; }

// ---- time ----

static void throw_body(twStage* s, int index, const twBodyMotion* motion)
{
    StageBody* body = &s->bodies[index];
    const double before = stage_body_kinetic(body) + stage_body_weight(body, s->def.gravity);
    stage_body_throw(body, motion);
    stage_body_weigh(body, s->def.gravity);
    s->energy.work += stage_body_kinetic(body) + stage_body_weight(body, s->def.gravity) - before;
    stage_jumped(s, index);
}

static void act(twStage* s, const StageCommand* command)
{
    Hold* hold = &s->holds[command->slot];
    switch (command->kind)
    {
    case STAGE_GRAB:
        hold_begin(hold, &command->grab, s->bodies, s->time, s->def.step);
        break;
    case STAGE_MOVE:
        if (hold->active) hold_move(hold, command->move.target, command->move.seconds, s->time, s->def.step);
        break;
    case STAGE_RELEASE:
        hold->active = false;
        break;
    case STAGE_STRIKE:
        stage_strike_now(s, command->body, &command->strike.point, command->strike.impulse);
        break;
    case STAGE_THROW:
        throw_body(s, command->body, &command->motion);
        break;
    }
}

static void add_energy(const twStage* s, twStageEnergy* out)
{
    out->kinetic = out->elastic = out->weight = 0;
    for (int i = 0; i < s->body_count; i++)
    {
        out->kinetic += stage_body_kinetic(&s->bodies[i]);
        out->elastic += stage_body_elastic(&s->bodies[i]);
        out->weight += stage_body_weight(&s->bodies[i], s->def.gravity);
    }
}

static void put_grip(const twStage* s, int slot, twStageGrip* out)
{
    const Hold* hold = &s->holds[slot];
    *out = (twStageGrip){.active = hold->active, .body = hold->def.body};
    if (!hold->active) return;
    const StageBody* body = &s->bodies[hold->def.body];
    const BodyPlace place = stage_body_place(body);
    out->point = stage_point_place(body, &place, &hold->def.point);
    const bool is_place = hold->def.kind == TW_STAGE_GRAB_POSITION;
    const twVec3 off = is_place ? hold_off(hold, s->bodies, s->after, s->time) : tw_vec3(0, 0, 0);
    out->target = tw_vec3_add(out->point, off);
    out->force = tw_vec3_scale(hold->whole, 1 / s->def.step);
    out->error = tw_vec3_norm(off);
}

static void publish(twStage* s)
{
    StageFrame* frame = live_begin_view(s->live);
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        const twBodyMotion motion = stage_body_motion(body);
        twStagePose* pose = &frame->bodies[i];
        pose->position = motion.position;
        pose->turn = motion.turn;
        pose->velocity = motion.velocity;
        pose->spin = motion.spin;
        memcpy(frame->amplitude[i], body->q, (size_t)body->mode_count * sizeof *body->q);
    }
    for (int i = 0; i < s->def.max_grabs; i++) put_grip(s, i, &frame->grabs[i]);
    add_energy(s, &s->energy);
    s->stats.refused = live_refused(s->live);
    const StageVoicesStats sound = live_sound_stats(s->live);
    s->stats.lost_hits = sound.lost_hits;
    s->stats.late = sound.late;
    if (s->touches)
    {
        const StageTouchStats touches = stage_touches_stats(s->touches);
        s->stats.clustered = touches.clustered;
        s->stats.dropped_contacts = touches.dropped;
    }
    frame->view.time = s->time;
    frame->view.energy = s->energy;
    frame->view.stats = s->stats;
    live_publish(s->live);
}

void tw_stage_advance(twStage* s, double seconds)
{
    TW_ASSERT(s);
    const double begin = s->def.budget > 0 ? tw_seconds() : 0;
    if (seconds > 0 && isfinite(seconds)) s->left += seconds;
    // half a step of rounding in a million is no reason to be late
    for (int64_t i = 0; s->left >= s->def.step * (1 - 1e-6); i++)
    {
        if (i > 0 && s->def.budget > 0 && tw_seconds() - begin > s->def.budget)
        {
            s->stats.dropped_time += s->left;
            s->left = 0;
            break;
        }
        StageCommand command;
        while (live_take(s->live, &command)) act(s, &command);
        stage_step(s);
        s->left -= s->def.step;
    }
    publish(s);
}

double tw_stage_time(const twStage* s) { return s->time; }

twStageModes tw_stage_modes(const twStage* s, int body)
{
    TW_ASSERT(body >= 0 && body < s->body_count);
    return s->modes[body];
}

double tw_stage_doubt(const twStage* s, int body, const twStagePoint* point)
{
    TW_ASSERT(stage_is_point(s->live, body, point));
    return doubt_at(s->doubt, body, point);
}

// ---- looking ----

const twCover* tw_stage_cover(const twStage* s, int body)
{
    TW_ASSERT(body >= 0 && body < s->body_count);
    return s->covers[body];
}

void tw_stage_vertices(twStage* s, const twStageView* view, int body, float* positions, float* normals)
{
    TW_ASSERT(body >= 0 && body < s->body_count);
    const twStagePose* pose = &view->bodies[body];
    const int count = tw_cover_vertices(s->covers[body]);
    tw_cover_bend(s->covers[body], pose->amplitude, positions, normals, s->scratch);
    cover_place(positions, normals, count, pose->position, pose->turn);
}

bool tw_stage_pick(twStage* s, const twStageView* view, twVec3 eye, twVec3 direction, int* body, twStagePoint* point,
                   twVec3* place)
{
    double nearest = HUGE_VAL;
    for (int i = 0; i < s->body_count; i++)
    {
        const twStagePose* pose = &view->bodies[i];
        const ContactShape* shape = s->bodies[i].contact;
        const PickBody from = {.cover = s->covers[i],
                               .position = pose->position,
                               .turn = pose->turn,
                               .amplitude = pose->amplitude,
                               .vertex_count = shape->vertex_count,
                               .face_count = shape->face_count,
                               .vertices = shape->vertices,
                               .faces = shape->faces,
                               .centre = shape->centre};
        twStagePoint at;
        twVec3 where;
        if (!from.cover || !(shape->vertex_count > 0)) continue;
        const double distance = pick_body(&from, eye, direction, nearest, s->picked, s->scratch, &at, &where);
        if (!(distance < nearest)) continue;
        nearest = distance;
        *body = i;
        *point = at;
        *place = where;
    }
    return nearest < HUGE_VAL;
}

// ---- recording ----

void tw_stage_record(twStage* s, bool on) { s->recording = on; }

const twContactForce* tw_stage_forces(const twStage* s, int* count)
{
    *count = s->force_count;
    return s->forces;
}
