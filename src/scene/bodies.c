// SPDX-License-Identifier: MIT
// From the bodies and rods of a scene to a world: modes, shapes, how they touch, what pushes, holds and moves them.

#include "bodies.h"
#include "acts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUND "slab:100x100x10"  // its top is the plane
#define GROUND_DEPTH 5            // of its middle [m]
#define STEPS_PER_TAP 32

static twStatus no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for the bodies"); }

// ---- shapes ----

twBodiesDef tw_bodies_def(void) { return (twBodiesDef){0}; }

static int bodies_of(const twScene* scene, int shape)
{
    int count = 0;
    for (int i = 0; i < scene->body_count; i++) count += scene->bodies[i].shape == shape;
    return count;
}

// Modes that act back cost time in every step. Too many of them, and those of the stiffest bodies, which move least, are only heard.
static void bodies_couple(twBodies* b)
{
    const twScene* scene = b->scene;
    int64_t total = 0;
    for (int i = 0; i < scene->shape_count; i++)
    {
        BodyMade* made = &b->made[i];
        made->acting = scene->shapes[i].coupling == TW_COUPLING_ONE_WAY ? 0 : body_slow_modes(made, &scene->shapes[i]);
        if (made->acting > 0) total += (int64_t)made->acting * bodies_of(scene, i);
    }
    while (total > TW_MAX_ACTING_MODES)
    {
        int stiffest = -1;
        for (int i = 0; i < scene->shape_count; i++)
            if (b->made[i].acting > 0 && scene->shapes[i].coupling == TW_COUPLING_AUTO &&
                (stiffest < 0 || b->made[i].fine->freq_hz[0] > b->made[stiffest].fine->freq_hz[0]))
                stiffest = i;
        if (stiffest < 0) return;
        total -= (int64_t)b->made[stiffest].acting * bodies_of(scene, stiffest);
        b->made[stiffest].acting = 0;
    }
}

// Whether a size is worth a hint: not of what is imported as a whole, nor of what is rigid and
// stands still, such as a room.
static bool bodies_hint_size(const twBodies* b, int shape)
{
    const twScene* scene = b->scene;
    if (scene->shapes[shape].mesh) return false;
    for (int i = 0; i < scene->body_count; i++)
        if (scene->bodies[i].shape == shape && scene->bodies[i].kind != TW_BODY_FIXED) return true;
    return b->made[shape].set->mode_count > 0;
}

static void bodies_add_hint(BodyMade* made, const twSceneShape* shape)
{
    char hint[400];
    const double size = tw_vec3_max(body_sides(made->set->vertices, made->set->vertex_count));
    tw_size_hint(hint, sizeof hint, shape->source, shape->scale, size, true);
    const size_t at = strlen(made->note);
    if (hint[0]) snprintf(made->note + at, sizeof made->note - at, "%s%s", at ? "; " : "", hint);
}

static twStatus bodies_fail_shape(const twSceneShape* shape, const twError* inner, twError* err)
{
    const bool stopped = inner->status == TW_INTERRUPTED;
    return tw_fail(err, inner->status, "%s%s%s", stopped ? "" : shape->where, stopped ? "" : ": ", inner->text);
}

static twStatus make_all(twBodies* b, const twBodiesDef* def, twError* err)
{
    const twScene* scene = b->scene;
    twStatus status = TW_OK;
    twError inner;
    // modes may take minutes; what is wrong with places is said before
    for (int i = 0; i < scene->shape_count && status == TW_OK; i++)
        if (scene->shapes[i].flexible) status = places_check(scene, i, err);
    for (int i = 0; i < scene->shape_count && status == TW_OK; i++)
        if ((status = body_analyse(&b->made[i], &scene->shapes[i], def, &inner)) != TW_OK)
            bodies_fail_shape(&scene->shapes[i], &inner, err);
    if (status == TW_OK) bodies_couple(b);
    for (int i = 0; i < scene->shape_count && status == TW_OK; i++)
    {
        status = body_make(&b->made[i], &scene->shapes[i], scene, def, &inner);
        if (status != TW_OK)
            bodies_fail_shape(&scene->shapes[i], &inner, err);
        else if (bodies_hint_size(b, i))
            bodies_add_hint(&b->made[i], &scene->shapes[i]);
    }
    if (status != TW_OK || !scene->ground.given) return status;
    const twSceneShape ground = {.source = GROUND, .scale = 1, .material = *tw_material_find("steel")};
    return body_make(&b->made[scene->shape_count], &ground, scene, def, err);
}

// ---- how they touch ----

static int find_skin(twBodies* b, int surface, double radius)
{
    for (int i = 0; i < b->skin_count; i++)
        if (b->skins[i].surface == surface && b->skins[i].radius == radius) return i;
    b->skins[b->skin_count] = (BodySkin){surface, radius};
    b->materials[b->skin_count] = b->scene->surfaces[surface].contact;
    return b->skin_count++;
}

static void take(double* to, double value)
{
    if (!isnan(value)) *to = value;
}

static void take_friction(twFrictionLaw* to, const twFrictionLaw* from)
{
    // one coefficient alone holds the other to its side
    const double stick = from->static_friction, slide = from->dynamic_friction;
    if (!isnan(stick)) to->static_friction = stick, to->dynamic_friction = fmin(to->dynamic_friction, stick);
    if (!isnan(slide)) to->dynamic_friction = slide, to->static_friction = fmax(to->static_friction, slide);
    take(&to->stiffness, from->stiffness);
    take(&to->damping, from->damping);
    take(&to->viscosity, from->viscosity);
    take(&to->stribeck, from->stribeck);
    take(&to->breakaway, from->breakaway);
}

static twContactPair pair_of(const twBodies* b, const twSceneTouch* touch, int i, int k)
{
    twContactMaterial x = b->materials[i], y = b->materials[k];
    take(&x.restitution, touch->restitution);
    take(&y.restitution, touch->restitution);
    twContactPair pair = tw_contact_pair(&x, &y, b->skins[i].radius, b->skins[k].radius);
    pair.material[0] = i;
    pair.material[1] = k;
    take(&pair.impact.stiffness, touch->impact.stiffness);
    take(&pair.impact.exponent, touch->impact.exponent);
    take(&pair.impact.dissipation, touch->impact.dissipation);
    take_friction(&pair.friction, &touch->friction);
    take(&pair.loss_factor, touch->loss_factor);
    take(&pair.rolling, touch->rolling);
    return pair;
}

static bool is_of(const twBodies* b, int skin, const char* material)
{
    return strcmp(b->scene->surfaces[b->skins[skin].surface].material, material) == 0;
}

static const twSceneTouch* find_touch(const twBodies* b, int i, int k)
{
    const twSceneTouch* found = NULL;  // the last counts
    for (const twSceneTouch* t = b->scene->touches; t < b->scene->touches + b->scene->touch_count; t++)
        if ((is_of(b, i, t->material[0]) && is_of(b, k, t->material[1])) ||
            (is_of(b, k, t->material[0]) && is_of(b, i, t->material[1])))
            found = t;
    return found;
}

// all pairs that touch otherwise than follows from their materials
static twStatus make_pairs(twBodies* b, twError* err)
{
    size_t count = 0;
    for (int i = 0; i < b->skin_count && b->scene->touch_count > 0; i++)
        for (int k = i; k < b->skin_count; k++) count += find_touch(b, i, k) != NULL;
    b->pairs = calloc(count + 1, sizeof *b->pairs);
    if (!b->pairs) return no_memory(err);
    for (int i = 0; i < b->skin_count && count > 0; i++)
        for (int k = i; k < b->skin_count; k++)
        {
            const twSceneTouch* touch = find_touch(b, i, k);
            if (touch) b->pairs[b->pair_count++] = pair_of(b, touch, i, k);
        }
    return TW_OK;
}

// ---- bodies ----

static void follow(double time, twBodyMotion* out, void* context) { *out = tw_scene_drive(context, time); }

// what a force that is held bends a body to: q_j = U_j . F / w_j^2
static twStatus bend(double** out, const twModeSet* set, const twSceneBody* body, twError* err)
{
    const int vertex = tw_mode_set_nearest(set, body->bend_at);
    const twVec3 force = tw_quat_rotate(tw_quat_conj(body->motion.turn), body->bend_force);
    double* q = *out = calloc((size_t)set->mode_count + 1, sizeof *q);
    if (!q) return no_memory(err);
    for (int j = 0; j < set->mode_count; j++)
    {
        const double w = 2 * TW_PI * set->freq_hz[j];
        q[j] = tw_vec3_dot(tw_mode_set_shape(set, j, vertex), force) / (w * w);
    }
    return TW_OK;
}

static twStatus make_body(twBodies* b, int i, twError* err)
{
    const twSceneBody* body = &b->scene->bodies[i];
    const BodyMade* made = &b->made[body->shape];
    twBodyDef* def = &b->bodies[i];
    twVec3 normal;
    *def = tw_body_def();
    def->name = body->name;
    def->shape = made->shape;
    def->kind = body->kind;
    def->motion = body->motion;
    def->material = find_skin(b, body->surface, made->radius);
    def->roughness = body->roughness;
    def->grain = body->grain;
    def->ghost = body->ghost;
    def->heard = body_board(b, i, &normal) > 0;
    if (body->drive) def->path = follow, def->path_context = (void*)body->drive;
    if (!body->bent) return TW_OK;
    const twStatus status = bend(&b->bent[i], made->set, body, err);
    def->amplitude = b->bent[i];
    return status;
}

// turn from z to the ground's normal
static twQuat upright(twVec3 normal)
{
    const twVec3 z = tw_vec3(0, 0, 1), axis = tw_vec3_cross(z, normal);
    const double sine = tw_vec3_norm(axis);
    if (!(sine > 0)) return normal.z > 0 ? tw_quat_identity() : tw_quat_from_axis_angle(tw_vec3(1, 0, 0), TW_PI);
    return tw_quat_from_axis_angle(axis, atan2(sine, normal.z));
}

static void make_ground(twBodies* b)
{
    const twSceneGround* ground = &b->scene->ground;
    const BodyMade* made = &b->made[b->scene->shape_count];
    twBodyDef* def = &b->bodies[b->scene->body_count];
    *def = tw_body_def();
    def->name = "ground";
    def->shape = made->shape;
    def->kind = TW_BODY_FIXED;
    def->motion.position = tw_vec3_add_scaled(ground->point, ground->normal, -GROUND_DEPTH);
    def->motion.turn = upright(ground->normal);
    def->material = find_skin(b, ground->surface, made->radius);
    def->heard = ground->mass_per_area > 0;
}

// ---- rods ----

// of curvature where a rod touches: the mean of its sections, of those that are not round half the thickness
static double rod_radius(const twRodDef* def)
{
    double sum = 0;
    for (int i = 0; i < def->section_count; i++)
    {
        const twSection* s = &def->sections[i];
        sum += s->radius > 0 ? s->radius : fmin(s->half_size[0], s->half_size[1]);
    }
    return sum / def->section_count;
}

static void make_rod(twBodies* b, int i)
{
    const twSceneRod* rod = &b->scene->rods[i];
    twWorldRodDef* def = &b->rods[i];
    *def = (twWorldRodDef){.name = rod->name,
                           .rod = rod->def,
                           .material = find_skin(b, rod->surface, rod_radius(&rod->def)),
                           .ghost = rod->ghost,
                           .no_self = rod->no_self,
                           .calm_speed = rod->calm_speed};
    for (const twSceneTie* tie = rod->ties; tie < rod->ties + rod->tie_count; tie++)
        b->ties[b->tie_count++] = (twTieDef){
            .rod = i, .point = tie->point, .body = tie->body, .clamped = tie->clamped, .stiffness = tie->stiffness};
}

// a tie holds across any distance, but one longer than the body is a mistake
static twStatus check_tie(const twBodies* b, const twSceneRod* rod, const twSceneTie* tie, twError* err)
{
    const twSceneBody* body = &b->scene->bodies[tie->body];
    const twModeSet* set = tw_bodies_set(b, tie->body);
    const twVec3 point = rod->def.points[tie->point];
    const twVec3 at = tw_quat_rotate(tw_quat_conj(body->motion.turn), tw_vec3_sub(point, body->motion.position));
    const double away = tw_vec3_norm(tw_vec3_sub(at, set->vertices[tw_mode_set_nearest(set, at)]));
    if (away <= tw_vec3_norm(body_sides(set->vertices, set->vertex_count))) return TW_OK;
    return tw_fail(
        err, TW_BAD_INPUT,
        "%s: point %d of '%s' at %.4g,%.4g,%.4g is %.4g m away from '%s', which is to hold it; move the rod, "
        "or tie it elsewhere",
        tie->where, tie->point + 1, rod->name, point.x, point.y, point.z, away, body->name);
}

static twStatus make_rods(twBodies* b, twError* err)
{
    const twScene* scene = b->scene;
    twStatus status = TW_OK;
    for (int i = 0; i < b->rod_count; i++) make_rod(b, i);
    for (int i = 0; i < b->rod_count; i++)
        for (int k = 0; k < scene->rods[i].tie_count && status == TW_OK; k++)
            status = check_tie(b, &scene->rods[i], &scene->rods[i].ties[k], err);
    return status;
}

// ---- pushes ----

static twVec3 push(double time, void* context)
{
    const twScenePush* p = context;
    const double part = (time - p->begin) / (p->end - p->begin);
    const double value = p->tap ? sin(TW_PI * part) : tw_signal_value(&p->value, time, NULL);
    return tw_vec3_scale(p->force, p->tap && (part < 0 || part > 1) ? 0 : value);
}

static void make_push(twBodies* b, int i)
{
    const twScenePush* p = &b->scene->pushes[i];
    const twSignal* value = &p->value;
    twPushDef* def = &b->pushes[i];
    *def = (twPushDef){
        .body = p->body, .vertex = -1, .force = push, .context = (void*)p, .begin = p->begin, .end = p->end};
    if (!p->centre) def->vertex = tw_body_shape_nearest(b->bodies[p->body].shape, p->at);
    if (p->tap) def->shortest = (p->end - p->begin) / STEPS_PER_TAP;
    if (!p->tap && value->kind == TW_SIGNAL_TABLE) def->shortest = 1 / value->table_rate_hz;
    if (!p->tap && value->kind == TW_SIGNAL_SINE) def->shortest = 0.5 / value->freq_hz / STEPS_PER_TAP;
}

// ---- the world ----

// what an error may name
typedef struct Named
{
    const char *where, *first;  // of what is named first: in the file, in the text
} Named;

static void look_for(Named* found, const char* text, const char* name, const char* where)
{
    char quoted[TW_TRACE_NAME + 4];
    snprintf(quoted, sizeof quoted, "'%.*s'", TW_TRACE_NAME, name);
    const char* at = strstr(text, quoted);
    if (at && (!found->first || at < found->first)) *found = (Named){where, at};
}

// errors of the world name a body, a joint or a rod: say where it is
void bodies_name_place(const twScene* scene, const twError* inner, twError* err)
{
    Named found = {0};
    for (int i = 0; i < scene->body_count; i++)
        look_for(&found, inner->text, scene->bodies[i].name, scene->bodies[i].where);
    for (int i = 0; i < scene->joint_count; i++)
        look_for(&found, inner->text, scene->joints[i].def.name, scene->joints[i].where);
    for (int i = 0; i < scene->rod_count; i++) look_for(&found, inner->text, scene->rods[i].name, scene->rods[i].where);
    const char* where = found.where;
    tw_fail(err, inner->status, "%s%s%s", where ? where : "", where ? ": " : "", inner->text);
}

twStatus bodies_check_place(const twBodies* b, int body, const char* what, twVec3 at, twError* err)
{
    const twModeSet* set = tw_bodies_set(b, body);
    return place_check(b->scene, body, what, at, set->vertices, set->vertex_count, err);
}

static twStatus check_places(const twBodies* b, twError* err)
{
    const twScene* scene = b->scene;
    twStatus status = TW_OK;
    for (int i = 0; i < scene->body_count && status == TW_OK; i++)
        if (scene->bodies[i].bent) status = bodies_check_place(b, i, "'bend'", scene->bodies[i].bend_at, err);
    for (int i = 0; i < scene->push_count && status == TW_OK; i++)
        if (!scene->pushes[i].centre)
            status = bodies_check_place(b, scene->pushes[i].body, "a push", scene->pushes[i].at, err);
    for (int i = 0; i < scene->listener_count && status == TW_OK; i++)
        if (scene->listeners[i].pickup_body >= 0)
            status =
                bodies_check_place(b, scene->listeners[i].pickup_body, "a pickup", scene->listeners[i].pickup_at, err);
    return status;
}

// the scene's world, from where its trace ends
static twStatus make_world(twBodies* b, const twTrace* trace, twError* err)
{
    twWorldDef def = b->scene->world;
    if (!trace) return tw_bodies_another(&b->world, b, &def, err);
    twStatus status = bodies_find_start(b, trace, err);
    if (status != TW_OK) return status;
    const twWorldStart start = {trace->end.numbers, (size_t)trace->end.count, b->from};
    def.start = &start;
    twError inner = {0};
    status = tw_bodies_another(&b->world, b, &def, &inner);
    if (status == TW_OK) return TW_OK;
    // is it the start that is wrong, or the scene?
    twWorld* plain = NULL;
    if (status == TW_BAD_INPUT && tw_bodies_another(&plain, b, &b->scene->world, NULL) == TW_OK)
        bodies_fail_start(b->scene, &inner, err);
    else
        tw_fail(err, status, "%s", inner.text);
    tw_world_destroy(plain);
    return status;
}

twStatus tw_bodies_another(twWorld** out, const twBodies* b, const twWorldDef* settings, twError* err)
{
    const twScene* scene = b->scene;
    twWorldDef def = *settings;
    def.bodies = b->bodies;
    def.body_count = b->body_count;
    def.joints = b->joints;
    def.joint_count = scene->joint_count;
    def.pushes = b->pushes;
    def.push_count = scene->push_count;
    def.materials = b->materials;
    def.material_count = b->skin_count;
    def.pairs = b->pairs;
    def.pair_count = b->pair_count;
    def.rods = b->rods;
    def.rod_count = b->rod_count;
    def.ties = b->ties;
    def.tie_count = b->tie_count;
    def.rod_rate_hz = scene->world.rod_rate_hz;
    acts_fill_world(b->acts, &def);
    twError inner = {0};
    const twStatus status = tw_world_create(out, &def, &inner);
    if (status != TW_OK) bodies_name_place(scene, &inner, err);
    return status;
}

static bool alloc(twBodies* b)
{
    const twScene* scene = b->scene;
    b->made_count = scene->shape_count + scene->ground.given;
    b->body_count = scene->body_count + scene->ground.given;
    b->rod_count = scene->rods_touch ? scene->rod_count : 0;
    const size_t bodies = (size_t)b->body_count + 1, rods = (size_t)b->rod_count;
    size_t ties = 1;
    for (int i = 0; i < b->rod_count; i++) ties += (size_t)scene->rods[i].tie_count;
    b->made = calloc((size_t)b->made_count + 1, sizeof *b->made);
    b->bodies = calloc(bodies, sizeof *b->bodies);
    b->bent = calloc(bodies, sizeof *b->bent);
    b->skins = calloc(bodies + rods, sizeof *b->skins);
    b->materials = calloc(bodies + rods, sizeof *b->materials);
    b->rods = calloc(rods + 1, sizeof *b->rods);
    b->ties = calloc(ties, sizeof *b->ties);
    b->pushes = calloc((size_t)scene->push_count + 1, sizeof *b->pushes);
    b->joints = calloc((size_t)scene->joint_count + 1, sizeof *b->joints);
    return b->made && b->bodies && b->bent && b->skins && b->materials && b->pushes && b->joints && b->rods && b->ties;
}

twStatus tw_bodies_create(twBodies** out, const twScene* scene, const twBodiesDef* def, twError* err)
{
    *out = NULL;
    TW_ASSERT(tw_scene_has_world(scene));
    twBodies* b = calloc(1, sizeof *b);
    if (!b) return no_memory(err);
    b->scene = scene;
    twStatus status = alloc(b) ? make_all(b, def, err) : no_memory(err);
    for (int i = 0; i < scene->body_count && status == TW_OK; i++) status = make_body(b, i, err);
    if (status == TW_OK) status = check_places(b, err);
    if (status == TW_OK && scene->ground.given) make_ground(b);
    if (status == TW_OK) status = make_rods(b, err);
    if (status == TW_OK) status = make_pairs(b, err);
    for (int i = 0; i < scene->push_count && status == TW_OK; i++) make_push(b, i);
    for (int i = 0; i < scene->joint_count && status == TW_OK; i++) b->joints[i] = scene->joints[i].def;
    if (status == TW_OK) status = acts_create(&b->acts, b, err);
    if (status == TW_OK) status = make_world(b, def->start, err);
    if (status == TW_OK)
        *out = b;
    else
        tw_bodies_destroy(b);
    return status;
}

void tw_bodies_destroy(twBodies* b)
{
    if (!b) return;
    tw_world_destroy(b->world);
    acts_destroy(b->acts);
    for (int i = 0; b->made && i < b->made_count; i++)
    {
        tw_body_shape_destroy(b->made[i].shape);
        tw_mode_set_destroy(b->made[i].set);
        tw_mode_set_destroy(b->made[i].fine);
        tw_mode_set_destroy(b->made[i].drawn);
        tw_mode_set_destroy(b->made[i].touching);
        tw_mesh_destroy(b->made[i].mesh);
        tw_winding_destroy(b->made[i].winding);
    }
    for (int i = 0; b->bent && i < b->body_count; i++) free(b->bent[i]);
    free(b->made);
    free(b->bodies);
    free(b->bent);
    free(b->skins);
    free(b->materials);
    free(b->pairs);
    free(b->pushes);
    free(b->joints);
    free(b->rods);
    free(b->ties);
    free(b->from);
    free(b);
}

double bodies_friction(const twBodies* b, int body, int other)
{
    const int i = b->bodies[body].material, k = b->bodies[other].material;
    for (const twContactPair* p = b->pairs; p < b->pairs + b->pair_count && body != other; p++)
        if ((p->material[0] == i && p->material[1] == k) || (p->material[0] == k && p->material[1] == i))
            return p->friction.static_friction;
    const twContactPair pair =
        tw_contact_pair(&b->materials[i], &b->materials[k], b->skins[i].radius, b->skins[k].radius);
    return pair.friction.static_friction;
}

twWorld* tw_bodies_world(twBodies* bodies) { return bodies->world; }
struct Acts* bodies_acts(const twBodies* bodies) { return bodies->acts; }
const twPushDef* bodies_pushes(const twBodies* bodies) { return bodies->pushes; }

const twBodyShape* tw_bodies_shape(const twBodies* bodies, int body) { return bodies->bodies[body].shape; }

const twModeSet* tw_bodies_set(const twBodies* bodies, int body)
{
    return bodies->made[bodies->scene->bodies[body].shape].set;
}

const twModeSet* tw_bodies_drawn(const twBodies* bodies, int body)
{
    const BodyMade* made = &bodies->made[bodies->scene->bodies[body].shape];
    return made->drawn ? made->drawn : made->set;
}

twBodiesModes tw_bodies_modes(const twBodies* bodies, int shape)
{
    const BodyMade* made = &bodies->made[shape];
    return (twBodiesModes){made->set->mode_count, made->acting, made->rigid};
}

int tw_bodies_tets(const twBodies* bodies, int shape) { return bodies->made[shape].tets; }

const char* tw_bodies_note(const twBodies* bodies, int shape) { return bodies->made[shape].note; }
