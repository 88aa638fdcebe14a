// SPDX-License-Identifier: MIT
// Joints, stepped as bonds by the contact solvers: half a step of free flight, impulses, half a step of flight. Bodies have round
// inertia, so that they keep their spin in flight. Expected values: closed forms, energy, momentum.
#include "dynamics/joint.h"
#include "dynamics/solve.h"
#include "test.h"
#include <stdlib.h>
#include <string.h>

enum
{
    BODIES = 24,
    JOINTS = 24,
    BLOCKS = 2 * JOINTS + BODIES  // bonds, and a contact of each body with the floor
};

typedef struct Scene
{
    Solver* solver;
    double h, gravity;
    int body_count, joint_count, block_count;
    BodyPlace place[BODIES];
    double mass[BODIES], inertia[BODIES], radius[BODIES];
    Joint joint[JOINTS];
    int joined[JOINTS][2];
    bool floor;  // at z = 0, under bodies with a radius
    SolveLaw law;
    SolveBody bodies[BODIES];
    SolveContact block[BLOCKS];
    SolveBond bond[BLOCKS];
    SolveMemory memory[BLOCKS];
    double rows[BLOCKS][2][18], impulse[3 * BLOCKS];
    double v[6 * BODIES], free[6 * BODIES], next[6 * BODIES];
} Scene;

static Scene* scene_with(double h, double gravity, SolveMethod method)
{
    Scene* s = calloc(1, sizeof *s);
    SolveOptions options = solve_options(method);
    s->solver = solve_create(&options);
    s->h = h;
    s->gravity = gravity;
    s->law = (SolveLaw){{1e7, 1.5, 0.5}, 0.5, 0.5, 8e5, 0.5};
    return s;
}

static void scene_destroy(Scene* s)
{
    solve_destroy(s->solver);
    free(s);
}

static int add_body(Scene* s, twVec3 at, double mass, double inertia)
{
    int b = s->body_count++;
    s->place[b] = (BodyPlace){.body = b, .position = at, .turn = tw_quat_identity()};
    s->mass[b] = mass;
    s->inertia[b] = inertia;
    return b;
}

static const BodyPlace* place_of(const Scene* s, int b) { return b == TW_NOWHERE ? NULL : s->place + b; }

static twJointDef joint_at(twJointKind kind, int a, int b, twVec3 at, twVec3 axis)
{
    twJointDef def = tw_joint_def();
    def.kind = kind;
    def.body[0] = a;
    def.body[1] = b;
    def.at = at;
    def.axis = axis;
    return def;
}

static void add_joint(Scene* s, const twJointDef* def)
{
    int j = s->joint_count++;
    const BodyPlace* place[2] = {place_of(s, def->body[0]), place_of(s, def->body[1])};
    tw_joint_make(s->joint + j, def, place);
    memcpy(s->joined[j], def->body, sizeof def->body);
}

static void drift(Scene* s, double time)
{
    for (int b = 0; b < s->body_count; b++)
    {
        BodyPlace* p = s->place + b;
        p->position = tw_vec3_add_scaled(p->position, p->velocity, time);
        p->turn = tw_quat_integrate(p->turn, p->spin, time);
    }
}

static SolveContact* next_block(Scene* s, int a, int b)
{
    int k = s->block_count++;
    s->block[k] =
        (SolveContact){.body = {a, b}, .row = {s->rows[k][0], s->rows[k][1]}, .memory = s->memory + k, .law = &s->law};
    return s->block + k;
}

static void make_bonds(Scene* s)
{
    for (int j = 0; j < s->joint_count; j++)
        for (int i = 0; i < tw_joint_blocks(s->joint + j); i++)
        {
            const BodyPlace* place[2] = {place_of(s, s->joined[j][0]), place_of(s, s->joined[j][1])};
            const bool held[2] = {false, false};
            int k = s->block_count;
            SolveContact* block = next_block(s, s->joined[j][0], s->joined[j][1]);
            double* const row[2] = {s->rows[k][0], s->rows[k][1]};
            tw_joint_block(s->joint + j, i, s->h, place, held, row, block->offset, block->wall, s->bond + k);
            block->bond = s->bond + k;
        }
}

// balls on the floor
static void make_contacts(Scene* s)
{
    static const twVec3 axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int b = 0; b < s->body_count && s->floor; b++)
    {
        if (!(s->radius[b] > 0)) continue;
        int k = s->block_count;
        SolveContact* block = next_block(s, b, -1);
        block->gap = s->place[b].position.z - s->radius[b];
        for (int q = 0; q < 3; q++)
        {
            twVec3 m = tw_vec3_cross(tw_vec3(0, 0, -s->radius[b]), axes[q]);
            const double row[6] = {axes[q].x, axes[q].y, axes[q].z, m.x, m.y, m.z};
            memcpy(s->rows[k][0] + 6 * q, row, sizeof row);
        }
    }
}

static void step(Scene* s)
{
    drift(s, 0.5 * s->h);
    for (int b = 0; b < s->body_count; b++)
    {
        const BodyPlace* p = s->place + b;
        const double v[6] = {p->velocity.x, p->velocity.y, p->velocity.z, p->spin.x, p->spin.y, p->spin.z};
        double i = s->inertia[b];
        s->bodies[b] = (SolveBody){6 * b, 6, false, s->mass[b], tw_mat3_diagonal(tw_vec3(i, i, i)), NULL};
        memcpy(s->v + 6 * b, v, sizeof v);
        memcpy(s->free + 6 * b, v, sizeof v);
        s->free[6 * b + 2] -= s->h * s->gravity;
    }
    s->block_count = 0;
    make_bonds(s);
    make_contacts(s);
    SolveGroup group = {.step = s->h,
                        .body_count = s->body_count,
                        .contact_count = s->block_count,
                        .size = 6 * s->body_count,
                        .bodies = s->bodies,
                        .contacts = s->block,
                        .velocity = s->v,
                        .free = s->free,
                        .result = s->next,
                        .impulse = s->impulse};
    solve_step(s->solver, &group);
    for (int b = 0; b < s->body_count; b++)
    {
        const double* v = s->next + 6 * b;
        s->place[b].velocity = tw_vec3(v[0], v[1], v[2]);
        s->place[b].spin = tw_vec3(v[3], v[4], v[5]);
    }
    drift(s, 0.5 * s->h);
}

// of bodies and weight
static double body_energy(const Scene* s)
{
    double sum = 0;
    for (int b = 0; b < s->body_count; b++)
    {
        const BodyPlace* p = s->place + b;
        sum += 0.5 * s->mass[b] * tw_vec3_dot(p->velocity, p->velocity) +
               0.5 * s->inertia[b] * tw_vec3_dot(p->spin, p->spin) + s->mass[b] * s->gravity * p->position.z;
    }
    return sum;
}

static double spring_energy(const Scene* s)
{
    double sum = 0;
    for (int j = 0; j < s->joint_count; j++)
    {
        const BodyPlace* place[2] = {place_of(s, s->joined[j][0]), place_of(s, s->joined[j][1])};
        sum += tw_joint_energy(s->joint + j, place);
    }
    return sum;
}

// how far a point of a body, given at the start relative to its centre, is from where it should be
static double away(const Scene* s, int b, twVec3 arm, twVec3 from)
{
    const BodyPlace* p = s->place + b;
    return tw_vec3_norm(tw_vec3_sub(tw_vec3_add(p->position, tw_quat_rotate(p->turn, arm)), from));
}

// ---- pendulum ----

// complete elliptic integral of the first kind, by the arithmetic-geometric mean
static double elliptic(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 40; i++)
    {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return TW_PI / (a + b);
}

typedef struct Swing
{
    double period, exact, loss, anchor;
} Swing;

// let go at an angle from below, in the x-z plane about y, a few swings. Loss of energy relative to what there is to swing with
static Swing swing(twJointKind kind, double h, double angle, int swings)
{
    Scene* s = scene_with(h, 9.81, SOLVE_NEWTON);
    double mass = 2, inertia = 0.01, length = 0.4;
    twVec3 arm = tw_vec3(-length * sin(angle), 0, length * cos(angle));
    int b = add_body(s, tw_vec3_scale(arm, -1), mass, inertia);
    twJointDef def = joint_at(kind, b, TW_NOWHERE, tw_vec3(0, 0, 0), tw_vec3(0, 1, 0));
    add_joint(s, &def);
    Swing swing = {.exact = 4 * sqrt((inertia + mass * length * length) / (mass * 9.81 * length)) *
                            elliptic(sin(0.5 * angle))};
    double start = body_energy(s), last = 0, time = 0, end = 0;
    for (int turns = 0; turns < 2 * swings && time < 4 * swings * swing.exact;)
    {
        step(s);
        double now = s->place[b].spin.y, at = time + h;
        // the spin changes its sign at the ends
        if (last * now < 0)
        {
            turns++;
            end = time + h * last / (last - now);
        }
        last = now;
        time = at;
        swing.anchor = fmax(swing.anchor, away(s, b, arm, tw_vec3(0, 0, 0)));
    }
    swing.period = end / swings;
    swing.loss = (start - body_energy(s)) / (mass * 9.81 * length * (1 - cos(angle)));
    scene_destroy(s);
    return swing;
}

static int pendulum_has_the_period_of_the_elliptic_integral(void)
{
    static const twJointKind kinds[] = {TW_JOINT_BALL, TW_JOINT_HINGE};
    for (int i = 0; i < 2; i++)
    {
        Swing wide = swing(kinds[i], 1e-3, 2.0, 5), fine = swing(kinds[i], 5e-4, 2.0, 5);
        ENSURE_NEAR(wide.period, wide.exact, 6e-5 * wide.exact);
        ENSURE_NEAR(fine.period, fine.exact, 1.5e-5 * fine.exact);
        ENSURE(fabs(wide.loss) < 1e-4 && fabs(fine.loss) < 2e-5);
        ENSURE(wide.anchor < 1e-4 && fine.anchor < 0.3 * wide.anchor);
    }
    return 0;
}

// a hinge leaves one way to turn, whatever one does
static int hinge_keeps_the_axis(void)
{
    Scene* s = scene_with(1e-3, 9.81, SOLVE_NEWTON);
    int b = add_body(s, tw_vec3(0.3, 0, 0), 1, 0.004);
    twJointDef def = joint_at(TW_JOINT_HINGE, b, TW_NOWHERE, tw_vec3(0, 0, 0), tw_vec3(0, 1, 0));
    add_joint(s, &def);
    s->place[b].spin = tw_vec3(0, 20, 0);
    s->place[b].velocity = tw_vec3(0, 0, -6);
    double worst = 0;
    for (int i = 0; i < 3000; i++)
    {
        // a kick across
        if (i == 500) s->place[b].spin.x += 5;
        step(s);
        twVec3 axis = tw_quat_rotate(s->place[b].turn, tw_vec3(0, 1, 0));
        if (i < 500 || i > 520) worst = fmax(worst, tw_vec3_norm(tw_vec3_sub(axis, tw_vec3(0, 1, 0))));
    }
    ENSURE(worst < 1e-4);
    // and lets it turn on about that axis, for it has speed enough to go over the top
    ENSURE(fabs(s->place[b].spin.y) > 10);
    scene_destroy(s);
    return 0;
}

// ---- springs ----

// frequency of a mass on a spring between the world and it. @return period
static double spring_period(double h, double* rise)
{
    Scene* s = scene_with(h, 0, SOLVE_NEWTON);
    int b = add_body(s, tw_vec3(1.1, 0, 0), 0.5, 0.01);
    twJointDef def = joint_at(TW_JOINT_SPRING, b, TW_NOWHERE, s->place[b].position, tw_vec3(0, 0, 0));
    def.to = tw_vec3(0, 0, 0);
    def.rest_length = 1;
    def.stiffness = 2000;
    add_joint(s, &def);
    double start = spring_energy(s), last = 0, time = 0, end = 0;
    *rise = 0;
    for (int turns = 0; turns < 40; time += h)
    {
        step(s);
        double now = s->place[b].velocity.x, energy = body_energy(s) + spring_energy(s);
        if (last * now < 0)
        {
            turns++;
            end = time + h * last / (last - now);
        }
        last = now;
        *rise = fmax(*rise, fabs(energy / start - 1));
    }
    scene_destroy(s);
    return end / 20;
}

static int spring_is_of_second_order_and_keeps_energy_to_round_off(void)
{
    double exact = 2 * TW_PI * sqrt(0.5 / 2000), rise[3], error[3];
    for (int i = 0; i < 3; i++) error[i] = spring_period(2e-3 / (1 << i), rise + i) / exact - 1;
    // trapezoidal: tan(w' h/2) = w h/2, so that the period is longer by (w h)^2/12
    double wh = 2e-3 * 2 * TW_PI / exact;
    ENSURE_NEAR(error[0], wh * wh / 12, 0.02 * wh * wh / 12);
    ENSURE_NEAR(error[0] / error[1], 4, 0.1);
    ENSURE_NEAR(error[1] / error[2], 4, 0.1);
    for (int i = 0; i < 3; i++) ENSURE(rise[i] < 1e-12);
    return 0;
}

// Two bodies fly about each other on a spring that is as long as nothing, and through each other: an ellipse
static int spring_of_no_length_goes_through_zero(void)
{
    for (int through = 0; through < 2; through++)
    {
        Scene* s = scene_with(1e-3, 0, SOLVE_NEWTON);
        int a = add_body(s, tw_vec3(1, 0, 0), 1, 0.01), b = add_body(s, tw_vec3(-1, 0, 0), 3, 0.01);
        twJointDef def = joint_at(TW_JOINT_SPRING, a, b, s->place[a].position, tw_vec3(0, 0, 0));
        def.to = s->place[b].position;
        def.rest_length = 0;
        def.stiffness = 100;
        add_joint(s, &def);
        if (!through) s->place[a].velocity = tw_vec3(0, 2, 0.5);
        double start = body_energy(s) + spring_energy(s), w = sqrt(100 * (1 + 1 / 3.0));
        int steps = (int)(10 * 2 * TW_PI / w / s->h + 0.5);
        for (int i = 0; i < steps; i++) step(s);
        // ten periods later it is where it was, up to the centre's motion and the period's error
        twVec3 apart = tw_vec3_sub(s->place[a].position, s->place[b].position);
        ENSURE_NEAR(apart.x, 2, 0.01);
        ENSURE_NEAR(apart.y, 0, 0.01);
        ENSURE_NEAR(body_energy(s) + spring_energy(s), start, 1e-9 * start);
        scene_destroy(s);
    }
    // and one of some length whose ends meet pulls somewhere, and stays finite
    Scene* s = scene_with(1e-3, 0, SOLVE_NEWTON);
    int a = add_body(s, tw_vec3(0, 0, 0), 1, 0.01);
    twJointDef def = joint_at(TW_JOINT_SPRING, a, TW_NOWHERE, tw_vec3(0, 0, 0), tw_vec3(0, 0, 0));
    def.rest_length = 0.5;
    def.stiffness = 100;
    add_joint(s, &def);
    for (int i = 0; i < 100; i++) step(s);
    ENSURE(tw_vec3_norm(s->place[a].position) > 0.1 && tw_vec3_norm(s->place[a].position) < 1.1);
    scene_destroy(s);
    return 0;
}

// ---- slider, fixed, motor ----

static int slider_slides_and_does_not_turn(void)
{
    double slope = 0.4, time = 0.5;
    Scene* s = scene_with(1e-3, 9.81, SOLVE_NEWTON);
    int b = add_body(s, tw_vec3(0, 0, 0), 2, 0.01);
    twVec3 axis = tw_vec3(cos(slope), 0, -sin(slope)), off = tw_vec3(0, 0, 0.2);
    // held above its centre: its weight would turn it
    twJointDef def = joint_at(TW_JOINT_SLIDER, b, TW_NOWHERE, off, axis);
    add_joint(s, &def);
    for (int i = 0; i < time / s->h - 0.5; i++) step(s);
    twVec3 expected = tw_vec3_scale(axis, 0.5 * 9.81 * sin(slope) * time * time);
    ENSURE(tw_vec3_norm(tw_vec3_sub(s->place[b].position, expected)) < 1e-4);
    ENSURE(fabs(s->place[b].turn.w) > 1 - 1e-8);
    scene_destroy(s);
    return 0;
}

// two bodies that are one, thrown with spin: momentum is kept, the distance too
static int fixed_joint_makes_one_body_of_two(void)
{
    Scene* s = scene_with(1e-3, 0, SOLVE_NEWTON);
    int a = add_body(s, tw_vec3(0.3, 0, 0), 2, 0.01), b = add_body(s, tw_vec3(-0.2, 0, 0), 3, 0.02);
    twJointDef def = joint_at(TW_JOINT_FIXED, a, b, tw_vec3(0.1, 0.05, 0), tw_vec3(0, 0, 0));
    add_joint(s, &def);
    // as one body about its centre (at x = 0) about z; products of inertia vanish
    double spin = 10;
    s->place[a].velocity = tw_vec3(1, 0.3 * spin, 0);
    s->place[b].velocity = tw_vec3(1, -0.2 * spin, 0);
    s->place[a].spin = s->place[b].spin = tw_vec3(0, 0, spin);
    double momentum = 2 * 0.3 * 0.3 * spin + 3 * 0.2 * 0.2 * spin + 0.03 * spin, start = body_energy(s);
    for (int i = 0; i < 2000; i++) step(s);
    const BodyPlace *p = s->place + a, *q = s->place + b;
    double now = 0.01 * p->spin.z + 0.02 * q->spin.z + 2 * tw_vec3_cross(p->position, p->velocity).z +
                 3 * tw_vec3_cross(q->position, q->velocity).z;
    ENSURE_NEAR(now, momentum, 1e-11);
    ENSURE_NEAR(2 * p->velocity.x + 3 * q->velocity.x, 5, 1e-12);
    // the spin stretches it by 18 N over k = 10/(h^2 W), and no more
    ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(p->position, q->position)), 0.5, 1e-3);
    twQuat apart = tw_quat_mul(p->turn, tw_quat_conj(q->turn));
    ENSURE(fabs(apart.w) > 1 - 1e-6);
    ENSURE(body_energy(s) <= start * (1 + 1e-9) && body_energy(s) > 0.99 * start);
    scene_destroy(s);
    return 0;
}

// Turned at rest, it comes back the short way from any turn below half of one
static int fixed_joint_turns_back_from_large_turns(void)
{
    for (double angle = -3; angle < 3.1; angle += 0.75)
    {
        Scene* s = scene_with(1e-3, 0, SOLVE_NEWTON);
        int b = add_body(s, tw_vec3(0, 0, 0), 1, 0.01);
        twJointDef def = joint_at(TW_JOINT_FIXED, b, TW_NOWHERE, tw_vec3(0, 0, 0), tw_vec3(0, 0, 0));
        add_joint(s, &def);
        twVec3 axis = tw_vec3(0.6, 0, 0.8);
        s->place[b].turn = tw_quat_from_axis_angle(axis, angle);
        step(s);
        ENSURE(tw_vec3_dot(s->place[b].spin, axis) * angle < 0 || angle == 0);
        for (int i = 0; i < 100; i++) step(s);
        ENSURE(fabs(s->place[b].turn.w) > 1 - 1e-9);
        scene_destroy(s);
    }
    return 0;
}

// against a load: by T = J w' up to its speed; and if the load is heavier than the motor is strong, it gives way by the difference
static int motor_reaches_its_speed_and_stalls_at_its_force(void)
{
    for (int slide = 0; slide < 2; slide++)
        for (int heavy = 0; heavy < 2; heavy++)
        {
            double gravity = 9.81, strength = heavy ? 15 : 30, mass = 2;
            Scene* s = scene_with(1e-3, gravity, SOLVE_NEWTON);
            int b = add_body(s, tw_vec3(0, 0, 0), mass, 0.5);
            twJointDef def =
                joint_at(slide ? TW_JOINT_SLIDER : TW_JOINT_HINGE, b, TW_NOWHERE, tw_vec3(0, 0, 0), tw_vec3(0, 0, 1));
            def.motor = true;
            def.speed = 3;
            def.max_force = strength;
            add_joint(s, &def);
            double load = slide ? mass * gravity : 0, inert = slide ? mass : 0.5;
            double rate = (strength - load) / inert, time = 0.02;
            for (int i = 0; i < 20; i++) step(s);
            double now = slide ? s->place[b].velocity.z : s->place[b].spin.z;
            ENSURE_NEAR(now, rate * time, 1e-9);
            for (int i = 0; i < 980; i++) step(s);
            now = slide ? s->place[b].velocity.z : s->place[b].spin.z;
            // it falls behind by what the load does in half a step
            if (rate > 0)
                ENSURE_NEAR(now, 3 - 0.5 * s->h * load / inert, 1e-9);
            else
                ENSURE_NEAR(now, rate, 1e-9);
            scene_destroy(s);
        }
    return 0;
}

// ---- many ----

// twenty links of 0.1 kg hung up, with 100 kg at the end, let go from the side
static int heavy_chain_holds(void)
{
    enum
    {
        LINKS = 20
    };
    double length = 0.05, h = 1e-4, mass = 0.1, heavy = 100;
    Scene* s = scene_with(h, 9.81, SOLVE_NEWTON);
    for (int i = 0; i <= LINKS; i++)
    {
        bool end = i == LINKS;
        int b = add_body(s, tw_vec3((i + (end ? 0 : 0.5)) * length, 0, 0), end ? heavy : mass,
                         end ? 0.1 : mass * length * length / 12);
        twJointDef def = joint_at(TW_JOINT_BALL, b, b - 1, tw_vec3(i * length, 0, 0), tw_vec3(0, 0, 0));
        add_joint(s, &def);
    }
    double start = body_energy(s), highest = start, longest = 0;
    for (int i = 0; i < 6000; i++)
    {
        step(s);
        double stored = 0;
        for (int k = 0; k < s->block_count; k++) stored += s->memory[k].stored;
        highest = fmax(highest, body_energy(s) + stored);
        longest = fmax(longest, tw_vec3_norm(s->place[LINKS].position));
    }
    const SolveStats* stats = solve_stats(s->solver);
    double scale = heavy * 9.81 * LINKS * length;
    ENSURE(stats->failures == 0);
    // 3 m g at the bottom of a swing, over k = 10/(h^2 W), W = 8/m, at each of the joints
    double stretch = 3 * heavy * 9.81 * h * h * 8 / mass / 10 * LINKS;
    ENSURE(longest < LINKS * length + 1.5 * stretch);
    ENSURE(highest - start < 1e-3 * scale);
    ENSURE(body_energy(s) - start > -0.05 * scale);
    scene_destroy(s);
    return 0;
}

// a dumbbell dropped on the floor: joint and contacts in one group, by all methods
static int bonds_and_contacts_are_solved_together(void)
{
    static const SolveMethod methods[] = {SOLVE_NEWTON, SOLVE_HARD, SOLVE_STAGGERED};
    for (int m = 0; m < 3; m++)
    {
        Scene* s = scene_with(2e-4, 9.81, methods[m]);
        s->floor = true;
        int a = add_body(s, tw_vec3(0, 0, 0.05), 1, 0.001), b = add_body(s, tw_vec3(0.3, 0, 0.06), 2, 0.002);
        s->radius[a] = s->radius[b] = 0.04;
        twJointDef def = joint_at(TW_JOINT_FIXED, a, b, tw_vec3(0.15, 0, 0.05), tw_vec3(0, 0, 0));
        add_joint(s, &def);
        for (int i = 0; i < 10000; i++) step(s);
        const SolveStats* stats = solve_stats(s->solver);
        ENSURE(stats->failures == 0);
        double push = 0;
        for (int k = 0; k < s->block_count; k++)
            if (!s->block[k].bond) push += s->impulse[3 * k];
        // it lies there, and the floor carries its weight
        ENSURE_NEAR(push / s->h, 3 * 9.81, 1e-3 * 3 * 9.81);
        ENSURE_NEAR(s->place[a].position.z, 0.04, 1e-3);
        ENSURE_NEAR(s->place[b].position.z, 0.04, 1e-3);
        ENSURE(fabs(s->place[a].velocity.z) < 1e-4 && fabs(s->place[b].velocity.z) < 1e-4);
        scene_destroy(s);
    }
    return 0;
}

// An impact at one end wakes the resting contact at the other, through the bond
static int impacts_wake_through_bonds(void)
{
    Scene* s = scene_with(1e-4, 9.81, SOLVE_NEWTON);
    s->floor = true;
    int a = add_body(s, tw_vec3(0, 0, 0.04), 1, 0.001), b = add_body(s, tw_vec3(0.3, 0, 0.04), 1, 0.001);
    s->radius[a] = s->radius[b] = 0.04;
    for (int i = 0; i < 8000; i++) step(s);
    ENSURE(!s->memory[0].impact && s->memory[0].closed_steps > 100);
    // now joined; the order of blocks changes, so that memories start anew
    twJointDef def = joint_at(TW_JOINT_BALL, a, b, tw_vec3(0.15, 0, 0.04), tw_vec3(0, 0, 0));
    add_joint(s, &def);
    memset(s->memory, 0, sizeof s->memory);
    for (int i = 0; i < 8000; i++) step(s);
    ENSURE(!s->memory[1].impact && s->memory[1].closed_steps > 100);
    s->place[b].velocity.z = -0.2;
    step(s);
    ENSURE(s->memory[2].impact && s->memory[1].impact);
    ENSURE(!s->memory[0].impact);
    scene_destroy(s);
    return 0;
}

// rows are the slope of the error: by differences, with both bodies anywhere
static int rows_are_the_rate_of_the_error(void)
{
    twRng rng = tw_rng(3);
    static const twJointKind kinds[] = {TW_JOINT_BALL, TW_JOINT_HINGE, TW_JOINT_SLIDER, TW_JOINT_FIXED,
                                        TW_JOINT_SPRING};
    for (int i = 0; i < 500; i++)
    {
        BodyPlace body[2] = {{0}};
        for (int b = 0; b < 2; b++)
        {
            double r[10];
            for (int q = 0; q < 10; q++) r[q] = tw_rng_between(&rng, -1, 1);
            body[b] = (BodyPlace){.position = tw_vec3(r[0], r[1], r[2]),
                                  .turn = tw_quat_normalize(tw_quat(r[3], r[4], r[5], r[6])),
                                  .velocity = tw_vec3(r[7], r[8], r[9]),
                                  .spin = tw_vec3(r[1], r[4], r[8])};
        }
        twJointDef def = joint_at(kinds[i % 5], 0, 1, tw_vec3(0.1, 0.2, -0.3), tw_vec3(1, 2, -1));
        def.to = tw_vec3(0.5, 0, 0);
        def.stiffness = 5;
        const BodyPlace* place[2] = {body, body + 1};
        Joint joint;
        tw_joint_make(&joint, &def, place);
        // turns stay together, for rates are exact where there is no error; points may be anywhere
        body[0].position = tw_vec3_add(body[0].position, tw_vec3(0.3, -0.2, 0.5));
        for (int block = 0; block < tw_joint_blocks(&joint); block++)
        {
            const bool held[2] = {i % 3 == 1, i % 3 == 2};
            double rows[2][18], *const row[2] = {rows[0], rows[1]}, wall[3], z[3][3], eps = 1e-5;
            SolveBond bond;
            for (int e = 0; e < 3; e++)
            {
                BodyPlace moved[2] = {body[0], body[1]};
                const BodyPlace* at[2] = {moved, moved + 1};
                for (int b = 0; b < 2; b++)
                {
                    moved[b].position = tw_vec3_add_scaled(body[b].position, body[b].velocity, (e - 1) * eps);
                    moved[b].turn = tw_quat_integrate(body[b].turn, body[b].spin, (e - 1) * eps);
                }
                tw_joint_block(&joint, block, 0, at, held, row, z[e], wall, &bond);
            }
            tw_joint_block(&joint, block, 0, place, held, row, z[1], wall, &bond);
            for (int r = 0; r < 3; r++)
            {
                double rate = wall[r], back[3], none[3];
                for (int b = 0; b < 2; b++)
                {
                    const double v[6] = {body[b].velocity.x, body[b].velocity.y, body[b].velocity.z,
                                         body[b].spin.x,     body[b].spin.y,     body[b].spin.z};
                    for (int q = 0; q < 6 && !held[b]; q++) rate += rows[b][6 * r + q] * v[q];
                }
                if (bond.stiffness[r] == 0 && !bond.stiff[r])
                {
                    ENSURE(rate == 0 && z[1][r] == 0);
                    continue;
                }
                ENSURE_NEAR(rate, (z[2][r] - z[0][r]) / (2 * eps), 1e-6);
                tw_joint_block(&joint, block, 0.1, place, held, row, back, none, &bond);
                ENSURE_NEAR(back[r], z[1][r] - 0.05 * rate, 1e-12);
                tw_joint_block(&joint, block, 0, place, held, row, z[1], wall, &bond);
            }
        }
    }
    return 0;
}

// by differences in the amplitudes: of the vertex that is nearest, along the axes of body 1; held or not
static int modes_move_the_anchor(void)
{
    twVec3 vertices[2] = {{0.1, 0, 0}, {-0.1, 0, 0}};
    float bends[2 * 3 * 2] = {1, 2, -1, 0.5F, 0.3F, 0.7F, 5, 5, 5, 5, 5, 5};
    ContactShape shape = {
        .vertex_count = 2, .mode_count = 2, .vertices = vertices, .shape = bends, .kernel = tw_block_kernel(NULL)};
    for (int side = 0; side < 2; side++)
        for (int hold = 0; hold < 2; hold++)
        {
            double q[2] = {1e-3, -2e-3}, rate[2] = {0.3, -0.4}, rows[2][3 * 8], z[2][3],
                   wall[3], *const row[2] = {rows[0], rows[1]};
            BodyPlace body = {.shape = &shape,
                              .position = {0.2, 0.1, 0},
                              .turn = tw_quat_from_axis_angle(tw_vec3(1, 2, 3), 1.2),
                              .velocity = {hold, 2, 3},
                              .spin = {0.1, 0.2, 0.3},
                              .mode_count = 2,
                              .amplitude = q,
                              .rate = rate};
            const BodyPlace* place[2] = {side ? NULL : &body, side ? &body : NULL};
            const bool held[2] = {hold, hold};
            twVec3 at = tw_vec3_add(body.position, tw_quat_rotate(body.turn, tw_vec3(0.12, 0.01, 0)));
            twJointDef def =
                joint_at(TW_JOINT_BALL, side ? TW_NOWHERE : 0, side ? 0 : TW_NOWHERE, at, tw_vec3(0, 0, 0));
            Joint joint;
            SolveBond bond;
            tw_joint_make(&joint, &def, place);
            ENSURE(joint.vertex[side] == 0 && joint.vertex[!side] == -1);
            int n = tw_touch_size(&body, hold);
            for (int j = 0; j < 2; j++)
            {
                tw_joint_block(&joint, 0, 0, place, held, row, z[0], wall, &bond);
                for (int r = 0; r < 3; r++) ENSURE_NEAR(z[0][r], 0, 1e-15);
                q[j] += 1e-3;
                tw_joint_block(&joint, 0, 0, place, held, row, z[1], wall, &bond);
                q[j] -= 1e-3;
                for (int r = 0; r < 3; r++)
                    ENSURE_NEAR(rows[side][r * n + n - 2 + j], (z[1][r] - z[0][r]) / 1e-3, 1e-12);
            }
            // all velocities count, whether by rows or by the wall
            double rates[3];
            twVec3 moves =
                tw_vec3_add(tw_vec3_add(body.velocity, tw_vec3_cross(body.spin, tw_vec3_sub(at, body.position))),
                            tw_quat_rotate(body.turn, tw_vec3(0.3 - 0.8, -0.3 - 0.2, 0.09 - 0.28)));
            tw_joint_block(&joint, 0, 2, place, held, row, rates, wall, &bond);
            double sum = rates[0] * rates[0] + rates[1] * rates[1] + rates[2] * rates[2];
            ENSURE_NEAR(sqrt(sum), tw_vec3_norm(moves), 1e-7);
        }
    return 0;
}

static int bad_joints_are_named(void)
{
    twError err;
    twJointDef good = joint_at(TW_JOINT_HINGE, 0, 1, tw_vec3(0, 0, 0), tw_vec3(0, 0, 1));
    good.name = "elbow";
    ENSURE(tw_joint_check(&good, 2, &err) == TW_OK);
    twJointDef bad[12];
    for (int i = 0; i < 12; i++) bad[i] = good;
    bad[0].body[1] = 0;
    bad[1].body[0] = bad[1].body[1] = TW_NOWHERE;
    bad[2].body[1] = 2;
    bad[3].axis = tw_vec3(0, 0, 0);
    bad[4].stiffness = -1;
    bad[5].stiffness = NAN;
    bad[6].kind = TW_JOINT_SPRING;
    bad[7].motor = true;
    bad[8].at.x = INFINITY;
    bad[9].body[0] = -2;
    bad[10].kind = TW_JOINT_BALL, bad[10].motor = true, bad[10].max_force = 1;
    bad[11].kind = (twJointKind)9;
    for (int i = 0; i < 12; i++)
    {
        ENSURE(tw_joint_check(&bad[i], 2, &err) == TW_BAD_INPUT);
        ENSURE(strstr(err.text, "elbow"));
    }
    bad[0].name = NULL;
    ENSURE(tw_joint_check(&bad[0], 2, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "hinge"));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(pendulum_has_the_period_of_the_elliptic_integral)
    RUN(hinge_keeps_the_axis)
    RUN(spring_is_of_second_order_and_keeps_energy_to_round_off)
    RUN(spring_of_no_length_goes_through_zero)
    RUN(slider_slides_and_does_not_turn)
    RUN(fixed_joint_makes_one_body_of_two)
    RUN(fixed_joint_turns_back_from_large_turns)
    RUN(motor_reaches_its_speed_and_stalls_at_its_force)
    RUN(heavy_chain_holds)
    RUN(bonds_and_contacts_are_solved_together)
    RUN(impacts_wake_through_bonds)
    RUN(rows_are_the_rate_of_the_error)
    RUN(modes_move_the_anchor)
    RUN(bad_joints_are_named)
)
