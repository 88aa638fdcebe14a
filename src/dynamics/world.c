// SPDX-License-Identifier: MIT
// A world from its description, and its time going on.
#include "dynamics/world.h"
#include "dynamics/group.h"
#include "dynamics/weave.h"
#include <float.h>
#include <stdlib.h>

#define MARGIN 5e-3           // around boxes [m]
#define JOINT_STIFF 4.0       // of 1/(h^2 W): one step could hold 10
#define FIXED_ITERATIONS 30   // of Newton's method in a fixed step: its work is bounded
#define FIXED_TOLERANCE 1e-8  // of impulses, at fixed steps: energy does not rise at any
#define FARTHEST 100.0        // joint from the mass centre of a body that moves, of the body's radius
#define MAX_PAIRS 65536
#define PAIR_POINTS 200000  // of all pairs, about 100 MB

twBodyDef tw_body_def(void) { return (twBodyDef){.motion.turn = {1, 0, 0, 0}, .grain = 1e-3}; }

twWorldDef tw_world_def(void)
{
    return (twWorldDef){.gravity = {0, 0, -9.81},
                        .max_step = 1e-3,
                        .steps_per_cycle = 6.5,
                        .steps_per_impact = 4,
                        .sleep_energy = 1e-7,
                        .cull_speed = 1e-8,
                        .cull_impulse = 1e-10,
                        .rod_rate_hz = 44100,
                        .threads = 1};
}

SolveOptions world_solve_options(const twWorldDef* def)
{
    static const SolveMethod methods[] = {SOLVE_NEWTON, SOLVE_HARD, SOLVE_STAGGERED};
    SolveOptions options = solve_options(methods[def->method]);
    if (def->fixed_step && def->method == TW_CONTACT_COMPLIANT)
        options.tolerance = FIXED_TOLERANCE, options.budget = FIXED_ITERATIONS;
    if (def->tolerance > 0) options.tolerance = def->tolerance;
    options.resolved = solve_resolved(def->steps_per_cycle);
    options.warm_start = !def->no_warm_start;
    options.only_approaching = def->only_approaching;
    options.keep_all = def->no_contact_reduction;
    options.redistribute = !def->no_redistribution;
    return options;
}

// ---- checks ----

static bool fine(twVec3 v) { return world_is_within(v, LOST_DISTANCE); }

twStatus world_check_body(const twWorldDef* def, const twBodyDef* b, int i, twError* err)
{
    const char* name = b->name ? b->name : "";
    const twBodyMotion* m = &b->motion;
    if (!b->shape) return tw_fail(err, TW_BAD_INPUT, "body %d '%s' has no shape", i, name);
    if (!fine(m->position) || !fine(m->velocity) || !fine(m->spin) ||
        !(tw_quat_norm(m->turn) > 0.5 && tw_quat_norm(m->turn) < 2))
        return tw_fail(err, TW_BAD_INPUT, "body '%s': its place, turn, velocity or spin is not finite", name);
    if (b->kind == TW_BODY_FREE && tw_vec3_max(m->spin) > TW_MAX_SPIN)
        return tw_fail(err, TW_BAD_INPUT, "body '%s' turns at %g rad/s; at most %g are followed", name,
                       tw_vec3_max(m->spin), TW_MAX_SPIN);
    if (b->material < 0 || b->material >= def->material_count)
        return tw_fail(err, TW_BAD_INPUT, "body '%s': material %d of %d", name, b->material, def->material_count);
    if ((int)b->kind < TW_BODY_FREE || b->kind > TW_BODY_MOVED)
        return tw_fail(err, TW_BAD_INPUT, "body '%s': kind %d is unknown", name, (int)b->kind);
    if (b->kind == TW_BODY_MOVED && !b->path)
        return tw_fail(err, TW_BAD_INPUT, "body '%s' is moved, but has no path", name);
    int modes = b->rigid ? 0 : b->shape->mode_count;
    if (b->kind == TW_BODY_FREE && modes > 0 && b->shape->rigid_modes < 6)
        return tw_fail(err, TW_BAD_INPUT, "body '%s' is free, but its modes are those of a body that is held", name);
    for (int j = 0; j < modes; j++)
        if ((b->amplitude && !(fabs(b->amplitude[j]) <= 1e9)) || (b->rate && !(fabs(b->rate[j]) <= 1e9)))
            return tw_fail(err, TW_BAD_INPUT, "body '%s': mode %d does not start finite", name, j);
    if (!(b->roughness >= 0 && b->roughness < 1) || !(b->grain > 0))
        return tw_fail(err, TW_BAD_INPUT, "body '%s': roughness %g rad, grain %g m; they must be 0 to 1, and above 0",
                       name, b->roughness, b->grain);
    return TW_OK;
}

static bool is_between(double x, double low, double high) { return x >= low && x <= high; }

static twStatus check_material(const twWorldDef* def, int i, twError* err)
{
    const twContactMaterial* m = def->materials + i;
    if (!(m->young > 0 && m->young <= 1e15) || !(m->poisson > -1 && m->poisson <= 0.5))
        return tw_fail(err, TW_BAD_INPUT, "material %d: Young's modulus %g Pa or Poisson's ratio %g is none", i,
                       m->young, m->poisson);
    if (!is_between(m->stick, 0, 1e3) || !is_between(m->slide, 0, 1e3) || !is_between(m->restitution, 0, 1))
        return tw_fail(err, TW_BAD_INPUT, "material %d: friction %g and %g must be 0 to 1000, restitution %g 0 to 1", i,
                       m->stick, m->slide, m->restitution);
    if (!is_between(m->loss_factor, 0, 0.9))
        return tw_fail(err, TW_BAD_INPUT, "material %d: a loss factor of %g; it must be 0 to 0.9", i, m->loss_factor);
    return TW_OK;
}

// as for objects, and without friction too
static twStatus check_friction(const twFrictionLaw* friction, int i, twError* err)
{
    twFrictionLaw law = *friction;
    twError why;
    if (law.static_friction == 0 && law.dynamic_friction == 0) law.static_friction = law.dynamic_friction = 1;
    if (tw_friction_law_check(&law, &why) != TW_OK) return tw_fail(err, TW_BAD_INPUT, "pair %d: %s", i, why.text);
    if (law.lugre || law.noise != 0)
        return tw_fail(err, TW_BAD_INPUT, "pair %d: the LuGre law and noise are for objects, not for bodies", i);
    return TW_OK;
}

static twStatus check_pair(const twWorldDef* def, int i, twError* err)
{
    const twContactPair* p = def->pairs + i;
    for (int side = 0; side < 2; side++)
        if (p->material[side] < 0 || p->material[side] >= def->material_count)
            return tw_fail(err, TW_BAD_INPUT, "pair %d: material %d of %d", i, p->material[side], def->material_count);
    const twStatus status = check_friction(&p->friction, i, err);
    if (status != TW_OK) return status;
    if (!is_between(p->rolling, 0, 1e3))
        return tw_fail(err, TW_BAD_INPUT, "pair %d: rolling resistance of %g m; it must be 0 to 1000", i, p->rolling);
    if (!is_between(p->loss_factor, 0, 0.9))
        return tw_fail(err, TW_BAD_INPUT, "pair %d: a loss factor of %g; it must be 0 to 0.9", i, p->loss_factor);
    return tw_impact_law_check(&p->impact, err);
}

static twStatus check_push(const twWorldDef* def, int i, twError* err)
{
    const twPushDef* p = def->pushes + i;
    if (p->body < 0 || p->body >= def->body_count || !p->force)
        return tw_fail(err, TW_BAD_INPUT, "push %d is on nothing, or has no force", i);
    if (p->begin != p->begin || p->end != p->end || !(p->shortest == 0 || p->shortest >= 1e-8))
        return tw_fail(err, TW_BAD_INPUT, "push %d: from %g to %g s in steps of %g s; steps must be 0 or above 1e-8", i,
                       p->begin, p->end, p->shortest);
    if (p->vertex < -1 || p->vertex >= def->bodies[p->body].shape->contact->vertex_count)
        return tw_fail(err, TW_BAD_INPUT, "push %d is at vertex %d, which body '%s' does not have", i, p->vertex,
                       def->bodies[p->body].name ? def->bodies[p->body].name : "");
    return TW_OK;
}

// a joint far away from its body: the arm would turn the body a thousand times more easily than move it, so nothing would hold; units or
// coordinates are wrong
static twStatus check_joint_place(const twWorldDef* def, int i, twError* err)
{
    const twJointDef* joint = def->joints + i;
    for (int side = 0; side < 2; side++)
    {
        const twBodyDef* body = joint->body[side] >= 0 ? def->bodies + joint->body[side] : NULL;
        if (!body || body->kind != TW_BODY_FREE) continue;
        twVec3 at = joint->kind == TW_JOINT_SPRING && side ? joint->to : joint->at;
        twVec3 arm = tw_quat_rotate(tw_quat_normalize(body->motion.turn), body->shape->mass.centre);
        double away = tw_vec3_norm(tw_vec3_sub(at, tw_vec3_add(body->motion.position, arm)));
        double radius = body->shape->contact->radius;
        if (away > FARTHEST * radius)
            return tw_fail(
                err, TW_BAD_INPUT,
                "joint '%s' is %.3g m from the middle of body '%s', whose radius is %.3g m; at most %g radii",
                joint->name ? joint->name : "", away, body->name ? body->name : "", radius, FARTHEST);
    }
    return TW_OK;
}

twStatus world_check_counts(const twWorldDef* def, twError* err)
{
    if (def->joint_count < 0 || def->push_count < 0 || def->material_count < 0 || def->pair_count < 0)
        return tw_fail(err, TW_BAD_INPUT, "%d joints, %d pushes, %d materials, %d pairs; none may be negative",
                       def->joint_count, def->push_count, def->material_count, def->pair_count);
    if (def->body_count < 0 || def->spare_bodies < 0 || def->spare_modes < 0 || def->spare_modes > TW_MAX_SPARE_MODES ||
        (int64_t)def->body_count + def->spare_bodies > TW_MAX_BODIES)
        return tw_fail(err, TW_BAD_INPUT,
                       "%d bodies and room for %d more with %d modes; there may be %d, with %d modes", def->body_count,
                       def->spare_bodies, def->spare_modes, TW_MAX_BODIES, TW_MAX_SPARE_MODES);
    if (def->rod_count < 0 || def->spare_rods < 0 || (def->spare_rods > 0 && def->spare_rod_points < 2) ||
        (int64_t)def->rod_count + def->spare_rods > TW_MAX_RODS ||
        (int64_t)def->spare_rods * def->spare_rod_points > TW_MAX_ROD_POINTS)
        return tw_fail(err, TW_BAD_INPUT,
                       "%d rods and room for %d more with %d points; there may be %d, with 2 points each and %d in all",
                       def->rod_count, def->spare_rods, def->spare_rod_points, TW_MAX_RODS, TW_MAX_ROD_POINTS);
    if (def->spare_rods > 0 && def->material_count < 1)
        return tw_fail(err, TW_BAD_INPUT, "room for %d rods, but no material of contacts", def->spare_rods);
    if (def->path_count < 0) return tw_fail(err, TW_BAD_INPUT, "%d paths of grabs", def->path_count);
    if (def->max_grabs < 0 || def->max_grabs > TW_MAX_GRABS)
        return tw_fail(err, TW_BAD_INPUT, "room for %d grabs; 0 to %d are possible", def->max_grabs, TW_MAX_GRABS);
    if (def->max_contacts < 0 || def->max_contacts > TW_MAX_CONTACTS)
        return tw_fail(err, TW_BAD_INPUT, "room for %d contacts; 0 to %d are possible", def->max_contacts,
                       TW_MAX_CONTACTS);
    return TW_OK;
}

static twStatus check(const twWorldDef* def, twError* err)
{
    twStatus status = world_check_counts(def, err);
    if (status != TW_OK) return status;
    if ((int)def->method < TW_CONTACT_COMPLIANT || def->method > TW_CONTACT_STAGGERED)
        return tw_fail(err, TW_BAD_INPUT, "contact method %d is unknown", (int)def->method);
    if (!fine(def->gravity)) return tw_fail(err, TW_BAD_INPUT, "gravity is not finite");
    if (!(def->max_step > 1e-8 && def->max_step <= 1))
        return tw_fail(err, TW_BAD_INPUT, "steps of at most %g s; it must be above 1e-8 and not above 1",
                       def->max_step);
    for (int i = 0; i < def->path_count; i++)
        if (!def->paths[i].at) return tw_fail(err, TW_BAD_INPUT, "path %d of grabs has no function", i);
    if (!(def->steps_per_cycle >= 2.5 && def->steps_per_cycle <= 1e6) || !is_between(def->steps_per_impact, 0, 1e4))
        return tw_fail(err, TW_BAD_INPUT, "%g steps per cycle, %g per impact; at least 2.5, and 0 to 10000",
                       def->steps_per_cycle, def->steps_per_impact);
    if (!(def->wake_force >= 0) || !(def->sleep_energy >= 0) || !(def->tolerance >= 0))
        return tw_fail(err, TW_BAD_INPUT, "wake_force, sleep_energy and tolerance must not be negative");
    for (int i = 0; i < def->material_count && status == TW_OK; i++) status = check_material(def, i, err);
    for (int i = 0; i < def->pair_count && status == TW_OK; i++) status = check_pair(def, i, err);
    for (int i = 0; i < def->body_count && status == TW_OK; i++)
        status = world_check_body(def, def->bodies + i, i, err);
    for (int i = 0; i < def->push_count && status == TW_OK; i++) status = check_push(def, i, err);
    for (int i = 0; i < def->joint_count && status == TW_OK; i++)
        status = tw_joint_check(def->joints + i, def->body_count, err);
    for (int i = 0; i < def->joint_count && status == TW_OK; i++) status = check_joint_place(def, i, err);
    return status;
}

// ---- making ----

static void* copy(twWorld* world, const void* from, int count, size_t size)
{
    void* to = tw_arena_alloc(world->arena, (size_t)count + 1, size);
    if (to && count > 0) memcpy(to, from, (size_t)count * size);
    return to;
}

static bool copy_def(twWorld* world, const twWorldDef* def)
{
    world->def = *def;
    world->def.rods = NULL;
    world->def.ties = NULL;
    if (def->fixed_step) world->def.no_mode_adaptation = true;
    if (def->rod_count + def->spare_rods > 0) world->def.no_private_clocks = world->def.no_mode_adaptation = true;
    const size_t places = (size_t)def->body_count + (size_t)def->spare_bodies + 1;
    twBodyDef* bodies = tw_arena_alloc(world->arena, places, sizeof *bodies);
    if (bodies && def->body_count > 0) memcpy(bodies, def->bodies, (size_t)def->body_count * sizeof *bodies);
    world->def.joints = copy(world, def->joints, def->joint_count, sizeof *def->joints);
    world->def.pushes = copy(world, def->pushes, def->push_count, sizeof *def->pushes);
    world->def.paths = copy(world, def->paths, def->path_count, sizeof *def->paths);
    world->def.materials = copy(world, def->materials, def->material_count, sizeof *def->materials);
    world->def.pairs = copy(world, def->pairs, def->pair_count, sizeof *def->pairs);
    world->def.bodies = world->body_defs = bodies;
    if (!bodies || !world->def.joints || !world->def.pushes || !world->def.paths) return false;
    if (!world->def.materials || !world->def.pairs) return false;
    for (int i = 0; i < def->body_count; i++)
    {
        bodies[i].name = tw_arena_copy_text(world->arena, def->bodies[i].name ? def->bodies[i].name : "");
        bodies[i].amplitude = bodies[i].rate = NULL;
        if (!bodies[i].name) return false;
    }
    return true;
}

static bool make_bodies(twWorld* world, const twWorldDef* def)
{
    const size_t places = (size_t)def->body_count + (size_t)def->spare_bodies;
    world->given_bodies = def->body_count;
    world->body_count = (int)places;
    world->mode_room = tw_arena_alloc(world->arena, places + 1, sizeof(int));
    world->bodies = calloc(places + 1, sizeof *world->bodies);
    world->solvers = calloc(places + 1, sizeof(Solver*));
    if (!world->mode_room || !world->bodies || !world->solvers) return false;
    for (int i = 0; i < world->body_count; i++)
    {
        const twBodyDef* body = def->bodies + i;
        world->mode_room[i] = i >= def->body_count ? def->spare_modes : body->rigid ? 0 : body->shape->mode_count;
        world->number_count += BODY_NUMBERS * (size_t)world->mode_room[i];
    }
    world->numbers = calloc(world->number_count + 1, sizeof *world->numbers);
    if (!world->numbers) return false;
    double* next = world->numbers;
    for (int i = 0; i < world->body_count; i++)
    {
        const twBodyDef nobody = i < def->body_count ? def->bodies[i] : pool_nobody(world, i);
        body_init(world->bodies + i, &nobody, next);
        if (i >= def->body_count) world->body_defs[i] = nobody;
        world->bodies[i].name = world->def.bodies[i].name;
        next += BODY_NUMBERS * (size_t)world->mode_room[i];
    }
    return true;
}

// what springs have stored where their bodies are
static void load_springs(twWorld* world)
{
    for (int i = 0; i < world->def.joint_count; i++)
    {
        WorldJoint* joint = world->joints + i;
        BodyPlace at[2];
        const BodyPlace* place[2] = {NULL, NULL};
        for (int side = 0; side < 2; side++)
        {
            int body = joint->body[side];
            if (body < 0) continue;
            at[side] = body_place(world->bodies + body, body, &world->bodies[body].now);
            place[side] = &at[side];
        }
        if (joint->joint.kind == TW_JOINT_SPRING) joint->memory[0].stored = tw_joint_energy(&joint->joint, place);
    }
}

// greatest eigenvalue of a symmetric, positive matrix, in closed form
double world_greatest_eigenvalue(twMat3 a)
{
    double mean = (a.m[0][0] + a.m[1][1] + a.m[2][2]) / 3, square = 0;
    for (int k = 0; k < 3; k++) a.m[k][k] -= mean;
    for (int k = 0; k < 9; k++) square += a.m[k / 3][k % 3] * a.m[k / 3][k % 3];
    double size = sqrt(square / 6);
    if (!(size > 0)) return mean;
    double part = tw_mat3_det(tw_mat3_scale(a, 1 / size)) / 2;
    return mean + 2 * size * cos(acos(fmin(fmax(part, -1), 1)) / 3);
}

// How easily the rows of a joint move, along whatever direction: the greatest eigenvalue of J M^-1 J^T. Rows along three axes turn
// with one of the bodies, but their eigenvalues are of either body alone, however it is turned.
static double mobility(const twWorld* world, const int body[2], const BodyPlace* const place[2], double* const row[2])
{
    double sum = 0;
    for (int side = 0; side < 2; side++)
    {
        const Body* b = body[side] >= 0 ? world->bodies + body[side] : NULL;
        if (!b || !row[side]) continue;
        int rigid = b->held ? 0 : 6, size = rigid + b->active;
        twMat3 a = {{{0}}};
        for (int r = 0; r < 9; r++)
        {
            const double *i = row[side] + r / 3 * size, *j = row[side] + r % 3 * size;
            double* to = &a.m[r / 3][r % 3];
            for (int k = rigid; k < size; k++) *to += i[k] * j[k];
            if (!rigid) continue;
            twQuat back = tw_quat_conj(place[side]->turn);
            twVec3 arm = tw_quat_rotate(back, tw_vec3(i[3], i[4], i[5]));
            twVec3 moment = tw_quat_rotate(back, tw_vec3(j[3], j[4], j[5]));
            *to += (i[0] * j[0] + i[1] * j[1] + i[2] * j[2]) / b->shape->mass.mass +
                   tw_vec3_dot(arm, tw_mat3_mul_vec(b->shape->inverse_inertia, moment));
        }
        sum += world_greatest_eigenvalue(a);
    }
    return sum;
}

// A joint is as stiff as the longest step allows, and stays so: with a stiffness that changed it would do work.
static bool set_stiffness(twWorld* world, WorldJoint* joint, const BodyPlace* const place[2])
{
    double* row[2] = {NULL, NULL};
    bool held[2] = {true, true}, fine = true;
    for (int side = 0; side < 2; side++)
    {
        const Body* b = joint->body[side] >= 0 ? world->bodies + joint->body[side] : NULL;
        if (b) held[side] = b->held;
        if (b && b->dynamic) row[side] = calloc(3 * (6 + (size_t)b->active), sizeof(double));
        fine = fine && (!b || !b->dynamic || row[side]);
    }
    for (int block = 0; fine && block < tw_joint_blocks(&joint->joint); block++)
    {
        double offset[3], wall[3] = {0};
        SolveBond bond = {.stiffness = {0}};
        tw_joint_block(&joint->joint, block, 0, place, held, row, offset, wall, &bond);
        double w = mobility(world, joint->body, place, row), h = world->def.max_step;
        joint->stiffness[block] = w > 0 ? JOINT_STIFF / (h * h * w) : 0;
    }
    free(row[0]);
    free(row[1]);
    return fine;
}

static bool make_joints(twWorld* world)
{
    const int n = world->joint_count = world->def.joint_count + world->def.max_grabs;
    world->joints = tw_arena_alloc(world->arena, (size_t)n + 1, sizeof *world->joints);
    world->grabs = tw_arena_alloc(world->arena, (size_t)world->def.max_grabs + 1, sizeof *world->grabs);
    world->joint_first = tw_arena_alloc(world->arena, (size_t)world->body_count + 2, sizeof(int));
    world->joint_of = tw_arena_alloc(world->arena, 2 * (size_t)n + 1, sizeof(int));
    if (!world->joints || !world->grabs || !world->joint_first || !world->joint_of) return false;
    for (int i = world->def.joint_count; i < n; i++)
    {
        Grab* grab = world->grabs + (i - world->def.joint_count);
        world->joints[i] = (WorldJoint){.grab = grab, .body = {TW_NOWHERE, TW_NOWHERE}, .seen = -1};
        *grab = (Grab){.def = tw_grab_def(), .ways = world->def.paths};
    }
    for (int i = 0; i < world->def.joint_count; i++)
    {
        WorldJoint* joint = world->joints + i;
        BodyPlace at[2];
        const BodyPlace* place[2] = {NULL, NULL};
        joint->seen = -1;
        for (int side = 0; side < 2; side++)
        {
            int body = joint->body[side] = world->def.joints[i].body[side];
            if (body < 0) continue;
            at[side] = body_place(world->bodies + body, body, &world->bodies[body].now);
            place[side] = &at[side];
        }
        tw_joint_make(&joint->joint, world->def.joints + i, place);
        if (!set_stiffness(world, joint, place)) return false;
    }
    world_list_joints(world);
    return true;
}

void world_list_joints(twWorld* world)
{
    int* first = world->joint_first;
    memset(first, 0, ((size_t)world->body_count + 2) * sizeof *first);
    for (int pass = 0; pass < 2; pass++)
    {
        for (int i = 0; i < world->joint_count; i++)
            for (int side = 0; side < 2; side++)
            {
                const int body = world->joints[i].body[side];
                if (body < 0) continue;
                if (pass == 0)
                    first[body + 1]++;
                else
                    world->joint_of[first[body]++] = i;
            }
        for (int i = 0; pass == 0 && i < world->body_count; i++) first[i + 1] += first[i];
    }
    for (int i = world->body_count; i > 0; i--) first[i] = first[i - 1];
    first[0] = 0;
}

static int most_pairs(int bodies)
{
    int64_t all = (int64_t)bodies * (bodies - 1) / 2, some = 16 * (int64_t)bodies + 64;
    int64_t most = all < some ? all : some;
    return most < MAX_PAIRS ? (int)most : MAX_PAIRS;
}

static PairDef pair_def(const twWorld* world)
{
    PairDef def = tw_pair_def();
    int modes = 0;
    for (int i = 0; i < world->body_count; i++)
        if (world->mode_room[i] > modes) modes = world->mode_room[i];
    def.max_modes = modes > 1 ? modes : 1;
    // as many points as memory for all pairs allows
    int points = PAIR_POINTS / (world->max_pairs + 1);
    def.max_candidates = points < 64 ? 64 : points > 2048 ? 2048 : points;
    def.max_edges = def.max_candidates / 2;
    return def;
}

static bool make_workers(twWorld* world, int room)
{
    world->worker_count = world->def.threads > 1 ? world->def.threads : 1;
    world->workers = calloc((size_t)world->worker_count, sizeof *world->workers);
    world->crew = crew_create(world->worker_count);
    if (!world->workers || !world->crew) return false;
    for (int i = 0; i < world->worker_count; i++)
    {
        world->workers[i].arena = tw_arena_create(1 << 20);
        world->workers[i].touches = malloc((size_t)room * sizeof(Touch));
        if (!world->workers[i].arena || !world->workers[i].touches) return false;
    }
    return true;
}

static bool make_lists(twWorld* world)
{
    size_t n = (size_t)world->body_count, pairs = (size_t)world->max_pairs;
    world->places = calloc(n + 1, sizeof *world->places);
    world->links = calloc(pairs + 1, sizeof *world->links);
    world->near_link = tw_arena_alloc(world->arena, pairs + 1, sizeof(int));
    world->link_first = tw_arena_alloc(world->arena, n + 2, sizeof(int));
    world->link_of = tw_arena_alloc(world->arena, 2 * pairs + 1, sizeof(int));
    world->parent = tw_arena_alloc(world->arena, n + 1, sizeof(int));
    world->members = tw_arena_alloc(world->arena, n + 1, sizeof(int));
    world->heap_at = tw_arena_alloc(world->arena, n + 1, sizeof(int));
    world->clusters = calloc(n + 1, sizeof *world->clusters);
    return world->places && world->links && world->near_link && world->link_first && world->link_of && world->parent &&
           world->members && world->heap_at && world->clusters;
}

static twStatus build(twWorld* world, const twWorldDef* def, twError* err)
{
    twStatus status = check(def, err);
    if (status != TW_OK) return status;
    world->arena = tw_arena_create(1 << 16);
    if (!world->arena || !copy_def(world, def))
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d bodies", def->body_count);
    status = pool_create(world, err);
    if (status != TW_OK) return status;
    if (!make_bodies(world, def) || !make_joints(world))
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d bodies", def->body_count);
    world->max_pairs = most_pairs(world->body_count);
    ColliderDef collider = tw_collider_def();
    collider.body_count = world->body_count;
    collider.max_pairs = world->max_pairs;
    collider.max_touches = 0;
    collider.margin = MARGIN;
    collider.pair = pair_def(world);
    world->collider_def = collider;
    status = tw_collider_create(&world->collider, &collider, err);
    if (status != TW_OK) return status;
    if (!make_lists(world) || !make_workers(world, TW_PAIR_ROOM(collider.pair)))
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d bodies", def->body_count);
    if (def->start) status = world_begin(world, def->start, false, err);
    if (status != TW_OK) return status;
    window_begin(world);
    status = overlap_check(world, def->start, err);
    if (status == TW_OK && def->rod_count + def->spare_rods > 0) status = weave_create(world, def, err);
    if (status == TW_OK && !world->weave && def->tie_count > 0)
        status = tw_fail(err, TW_BAD_INPUT, "tie 0: there are no rods");
    if (status == TW_OK && def->settle && !world_settle(world))
        status = tw_fail(err, TW_NO_MEMORY, "no memory for %d bodies", def->body_count);
    if (status != TW_OK) return status;
    load_springs(world);
    if (def->start) status = world_begin(world, def->start, true, err);
    world->def.start = NULL;
    if (status != TW_OK) return status;
    if (!world_reserve(world, def)) return tw_fail(err, TW_NO_MEMORY, "no memory for %d contacts", def->max_contacts);
    world->energy = tw_world_energy(world);
    world->energy.start = world->energy.kinetic + world->energy.elastic + world->energy.weight + world->energy.contacts;
    return TW_OK;
}

twStatus tw_world_create(twWorld** out, const twWorldDef* def, twError* err)
{
    *out = NULL;
    twWorld* world = calloc(1, sizeof *world);
    if (!world) return tw_fail(err, TW_NO_MEMORY, "no memory for a world");
    twStatus status = build(world, def, err);
    if (status == TW_OK)
        *out = world;
    else
        tw_world_destroy(world);
    return status;
}

void tw_world_destroy(twWorld* world)
{
    if (!world) return;
    for (int i = 0; world->solvers && i < world->body_count; i++) solve_destroy(world->solvers[i]);
    for (int i = 0; world->clusters && i < world->body_count; i++) free(world->clusters[i].forces);
    for (int i = 0; world->workers && i < world->worker_count; i++)
    {
        tw_arena_destroy(world->workers[i].arena);
        free(world->workers[i].touches);
        solve_destroy(world->workers[i].solver);
    }
    weave_destroy(world->weave);
    crew_destroy(world->crew);
    tw_collider_destroy(world->collider);
    free(world->ends.forces);
    free(world->workers);
    free(world->solvers);
    free(world->clusters);
    tw_body_shape_destroy(world->nothing);
    free(world->bodies);
    free(world->numbers);
    free(world->places);
    free(world->links);
    free(world->forces);
    free(world->sorted);
    tw_arena_destroy(world->arena);
    free(world);
}

// ---- time ----

typedef struct Run
{
    twWorld* world;
    double until;
} Run;

static void run_cluster(void* context, int index, int worker)
{
    Run* run = context;
    cluster_run(run->world, run->world->clusters + index, run->world->workers + worker, run->until);
}

static void add_stats(twWorldStats* sum, const twWorldStats* s)
{
    sum->steps += s->steps;
    sum->free_steps += s->free_steps;
    sum->body_steps += s->body_steps;
    sum->rollbacks += s->rollbacks;
    sum->tried_again += s->tried_again;
    sum->woken += s->woken;
    sum->put_to_sleep += s->put_to_sleep;
    sum->culled += s->culled;
    sum->failures += s->failures;
    sum->lost += s->lost;
    sum->dropped += s->dropped;
    sum->contacts += s->contacts;
    sum->iterations += s->iterations;
    sum->unknowns += s->unknowns;
    if (s->contacts_max > sum->contacts_max) sum->contacts_max = s->contacts_max;
    if (s->unknowns_max > sum->unknowns_max) sum->unknowns_max = s->unknowns_max;
    for (int i = 0; i < TW_STEP_BINS; i++) sum->step_bins[i] += s->step_bins[i];
    for (int i = 0; i < TW_ITERATION_BINS; i++) sum->iteration_bins[i] += s->iteration_bins[i];
    sum->collide_seconds += s->collide_seconds;
    sum->solve_seconds += s->solve_seconds;
    sum->rod_steps += s->rod_steps;
    sum->rod_contacts += s->rod_contacts;
    if (s->rod_contacts_max > sum->rod_contacts_max) sum->rod_contacts_max = s->rod_contacts_max;
    sum->refined += s->refined;
    sum->softened += s->softened;
    sum->rod_seconds += s->rod_seconds;
    sum->other_seconds += s->other_seconds - s->collide_seconds - s->solve_seconds - s->rod_seconds;
}

static void collect_cluster(twWorld* world, Cluster* c)
{
    add_stats(&world->stats, &c->stats);
    world->energy.work += c->account.work;
    for (int i = 0; i < TW_LOSS_COUNT; i++) world->energy.loss[i] += c->account.loss[i];
    world->energy.total_rise += c->total_rise;
    world->energy.largest_rise = fmax(world->energy.largest_rise, c->largest_rise);
    c->stats = (twWorldStats){0};
    c->account = (Account){0};
    c->total_rise = c->largest_rise = 0;
    record_collect(world, c);
}

// what clusters have counted, in their order
static void collect(twWorld* world)
{
    collect_cluster(world, &world->ends);
    for (int i = 0; i < world->cluster_count; i++) collect_cluster(world, world->clusters + i);
}

void tw_world_advance(twWorld* world, double time)
{
    world->force_count = 0;
    if (world->weave)
    {
        weave_advance(world, time);
        collect_cluster(world, &world->ends);
        collect_cluster(world, &world->weave->cluster);
    }
    while (world->time < time)
    {
        if (!(world->time < world->window_end)) window_begin(world);
        Run run = {world, world->window_end < time ? world->window_end : time};
        crew_run(world->crew, run_cluster, &run, world->cluster_count);
        collect(world);
        world->time = run.until;
    }
    record_sort(world);
}

double tw_world_time(const twWorld* world) { return world->time; }
