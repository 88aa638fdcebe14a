// SPDX-License-Identifier: MIT
// What a world refuses, and says; and what it survives.
#include "world.h"

static bool says(const char* text, const char* what) { return strstr(text, what) != NULL; }

// two boxes on a floor, all well
static Stage* plain_stage(void)
{
    Stage* s = stage();
    stage_floor(s, 1, 1);
    const twBodyShape* box = stage_box(s, 0.1, 0.1, 0.1, 1000);
    s->bodies[stage_body(s, box, 0, 0, 0.06)].name = "anna";
    s->bodies[stage_body(s, box, 0.3, 0, 0.06)].name = "bert";
    return s;
}

static int motion_that_is_no_number_is_refused_by_name(void)
{
    for (int i = 0; i < 6; i++)
    {
        Stage* s = plain_stage();
        twBodyMotion* m = &s->bodies[2].motion;
        double* parts[] = {&m->position.y, &m->turn.x, &m->velocity.z, &m->spin.x, &m->position.x, &m->turn.w};
        *parts[i] = i < 4 ? NAN : HUGE_VAL;
        ENSURE(stage_is_wrong(s, "bert", NULL));
    }
    Stage* s = plain_stage();
    s->bodies[1].motion.turn = tw_quat(0, 0, 0, 0);
    ENSURE(stage_is_wrong(s, "anna", NULL));
    return 0;
}

static int absurd_spin_is_refused_by_name_with_the_limit(void)
{
    Stage* s = plain_stage();
    s->bodies[2].motion.spin = tw_vec3(0, -1e8, 0);
    ENSURE(stage_is_wrong(s, "bert", "1e+06"));
    Stage* fast = plain_stage();
    fast->bodies[2].motion.spin = tw_vec3(0, -TW_MAX_SPIN, 0);
    fast->bodies[2].motion.position.z = 0.5;
    must(stage_start(fast), &fast->err);
    tw_world_advance(fast->world, 0.002);
    ENSURE(tw_world_stats(fast->world).lost == 0);
    ENSURE_NEAR(tw_vec3_norm(stage_now(fast, 2).spin), TW_MAX_SPIN, 1e-6 * TW_MAX_SPIN);
    stage_free(fast);
    return 0;
}

static int settings_that_make_no_sense_are_refused(void)
{
    for (int i = 0; i < 7; i++)
    {
        Stage* s = plain_stage();
        if (i == 5) s->def.steps_per_impact = HUGE_VAL;
        if (i == 6) s->def.method = (twContactMethod)7;
        if (i == 0) s->def.max_step = 0;
        if (i == 1) s->def.max_step = NAN;
        if (i == 2) s->def.gravity.x = HUGE_VAL;
        if (i == 3) s->def.steps_per_cycle = -1;
        if (i == 4) s->def.steps_per_impact = NAN;
        const bool made = stage_start(s);
        stage_free(s);
        ENSURE(!made);
    }
    return 0;
}

static int contacts_that_make_no_sense_are_refused(void)
{
    for (int i = 0; i < 18; i++)
    {
        Stage* s = plain_stage();
        twContactMaterial* m = &s->materials[0];
        twContactPair* p = stage_pair(s, 0, 0);
        double* parts[] = {&m->young,
                           &m->poisson,
                           &m->stick,
                           &m->slide,
                           &m->restitution,
                           &m->loss_factor,
                           &p->impact.stiffness,
                           &p->impact.exponent,
                           &p->impact.dissipation,
                           &p->friction.static_friction,
                           &p->friction.dynamic_friction,
                           &p->friction.stiffness,
                           &p->friction.damping,
                           &p->friction.viscosity,
                           &p->friction.stribeck,
                           &p->friction.breakaway,
                           &p->loss_factor,
                           &p->rolling};
        *parts[i] = i % 2 ? -2 : NAN;
        const bool made = stage_start(s);
        stage_free(s);
        ENSURE(!made);
    }
    Stage* s = plain_stage();
    stage_pair(s, 0, 0)->material[1] = 3;
    ENSURE(stage_is_wrong(s, "material 3", NULL));
    return 0;
}

static int shapes_without_mass_or_inside_are_refused(void)
{
    twBodyShape* shape;
    twError err;
    twBodyShapeDef def = tw_body_shape_def();
    twMesh* mesh = block_mesh(tw_vec3(0.1, 0.1, 0.1), 1, 1, 1);
    def.mesh = mesh;
    def.density = 0;
    ENSURE(tw_body_shape_create(&shape, &def, &err) == TW_BAD_INPUT && !shape);
    def.density = NAN;
    ENSURE(tw_body_shape_create(&shape, &def, &err) == TW_BAD_INPUT && !shape);
    def = tw_body_shape_def();
    def.mesh = mesh;
    def.mass = -1;
    ENSURE(tw_body_shape_create(&shape, &def, &err) == TW_BAD_INPUT && !shape);

    // inside out, open, flat, nothing
    def = tw_body_shape_def();
    def.mesh = mesh;
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int v = mesh->faces[f].v[0];
        mesh->faces[f].v[0] = mesh->faces[f].v[1];
        mesh->faces[f].v[1] = v;
    }
    ENSURE(tw_body_shape_create(&shape, &def, &err) == TW_BAD_INPUT && says(err.text, "inside out"));
    for (int f = 0; f < mesh->face_count; f++)
    {
        const int v = mesh->faces[f].v[0];
        mesh->faces[f].v[0] = mesh->faces[f].v[1];
        mesh->faces[f].v[1] = v;
    }
    mesh->face_count--;
    ENSURE(tw_body_shape_create(&shape, &def, &err) == TW_BAD_INPUT && says(err.text, "open"));
    mesh->face_count++;
    for (int v = 0; v < mesh->vertex_count; v++) mesh->vertices[v].z = 0;
    ENSURE(tw_body_shape_create(&shape, &def, &err) == TW_BAD_INPUT && !shape);
    tw_mesh_destroy(mesh);
    def.mesh = NULL;
    ENSURE(tw_body_shape_create(&shape, &def, &err) == TW_BAD_INPUT && !shape);
    return 0;
}

static int joint_to_nothing_is_refused_by_name(void)
{
    for (int i = 0; i < 4; i++)
    {
        Stage* s = plain_stage();
        twJointDef* joint = stage_joint(s, TW_JOINT_HINGE, 1, i == 0 ? 99 : TW_NOWHERE, tw_vec3(0, 0, 0));
        joint->name = "knee";
        joint->axis = tw_vec3(0, 0, 1);
        if (i == 1) joint->body[0] = TW_NOWHERE;
        if (i == 2) joint->axis = tw_vec3(0, 0, 0);
        if (i == 3) joint->at.x = NAN;
        ENSURE(stage_is_wrong(s, "knee", NULL));
    }
    return 0;
}

// 100 m away from a body of centimetres is a mistake; a long arm is not, and what stands still may be anywhere
static int joint_far_from_its_body_is_refused_by_name(void)
{
    for (int i = 0; i < 2; i++)
    {
        Stage* s = plain_stage();
        twJointDef* joint = stage_joint(s, i ? TW_JOINT_SPRING : TW_JOINT_BALL, 1, TW_NOWHERE, tw_vec3(0, 0, 100));
        joint->name = "knee";
        joint->stiffness = 1;
        s->bodies[1].name = "shin";
        ENSURE(stage_is_wrong(s, "knee", "shin"));
    }
    Stage* s = plain_stage();
    stage_joint(s, TW_JOINT_BALL, 1, 0, tw_vec3(0, 0, 1));
    ENSURE(stage_start(s));
    stage_free(s);
    return 0;
}

static twVec3 rocket(double time, void* context)
{
    (void)context;
    return tw_vec3(0, 0, time > 0.05 ? 1e15 : 0);
}

static int wrong_material_push_or_path_is_refused(void)
{
    Stage* s = plain_stage();
    s->bodies[1].material = 7;
    ENSURE(stage_is_wrong(s, "anna", NULL));
    s = plain_stage();
    s->bodies[1].kind = TW_BODY_MOVED;
    ENSURE(stage_is_wrong(s, "anna", NULL));
    s = plain_stage();
    s->bodies[2].shape = NULL;
    ENSURE(stage_is_wrong(s, "bert", NULL));
    s = plain_stage();
    s->def.push_count = 1;
    s->pushes[0] = (twPushDef){.body = 12, .vertex = -1};
    const bool made = stage_start(s);
    stage_free(s);
    ENSURE(!made);
    s = plain_stage();
    s->def.push_count = 1;
    s->pushes[0] = (twPushDef){.body = 1, .vertex = -1, .force = rocket, .end = 1, .shortest = 1e-300};
    ENSURE(stage_is_wrong(s, "push 0", NULL));
    s = plain_stage();
    s->def.push_count = 1;
    s->pushes[0] = (twPushDef){.body = 1, .vertex = -1, .force = rocket, .begin = NAN, .end = 1};
    ENSURE(stage_is_wrong(s, "push 0", NULL));
    return 0;
}

static int overlapping_bodies_are_named_or_pushed_apart(void)
{
    Stage* s = plain_stage();
    s->bodies[2].motion.position = tw_vec3(0.02, 0.01, 0.07);
    ENSURE(stage_is_wrong(s, "anna", "bert"));

    // of boxes with flush sides no corner is inside the other
    s = plain_stage();
    s->bodies[2].motion.position = tw_vec3_add(s->bodies[1].motion.position, tw_vec3(0.03, 0, 0));
    ENSURE(stage_is_wrong(s, "anna", "bert"));

    // a little overlap is mended, and nothing flies off
    s = plain_stage();
    s->bodies[1].motion.position.z = 0.05 - 1e-5;
    s->bodies[2].motion.position.z = 0.05 - 1e-5;
    must(stage_start(s), &s->err);
    double fastest = 0;
    for (int i = 1; i <= 100; i++)
    {
        tw_world_advance(s->world, 0.002 * i);
        for (int b = 1; b < 3; b++) fastest = fmax(fastest, tw_vec3_norm(stage_velocity(s, b)));
    }
    ENSURE(fastest < 0.05);
    for (int b = 1; b < 3; b++) ENSURE_NEAR(stage_centre(s, b).z, 0.05, 2e-5);
    stage_free(s);
    return 0;
}

static int body_flung_to_infinity_leaves_the_rest_going(void)
{
    Stage *s = plain_stage(), *calm = plain_stage();
    s->pushes[0] = (twPushDef){.body = 2, .vertex = -1, .force = rocket, .begin = 0, .end = 1};
    s->def.push_count = 1;
    must(stage_start(s), &s->err);
    must(stage_start(calm), &calm->err);
    tw_world_advance(s->world, 0.2);
    tw_world_advance(calm->world, 0.2);
    ENSURE(tw_world_stats(s->world).lost == 1);
    const twBodyMotion a = tw_world_motion(s->world, 1, 0.2, NULL, NULL),
                       b = tw_world_motion(calm->world, 1, 0.2, NULL, NULL);
    ENSURE(away(a.position, b.position) < 1e-6);
    const twBodyMotion lost = stage_now(s, 2);
    ENSURE(isfinite(lost.position.z) && isfinite(lost.velocity.z));
    const twWorldEnergy energy = tw_world_energy(s->world);
    ENSURE(isfinite(energy.kinetic) && isfinite(energy.contacts));
    stage_free(s);
    stage_free(calm);
    return 0;
}

static twVec3 whip(double time, void* context)
{
    (void)context;
    return tw_vec3(0, 0, time > 0.05 ? 1e9 : 0);
}

// by a blow on a corner
static int body_spun_beyond_all_measure_is_lost_and_costs_no_minutes(void)
{
    Stage* s = plain_stage();
    s->pushes[0] = (twPushDef){.body = 2, .vertex = 0, .force = whip, .begin = 0, .end = 1};
    s->def.push_count = 1;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.2);
    ENSURE(tw_world_stats(s->world).lost == 1);
    ENSURE(tw_vec3_norm(stage_now(s, 2).spin) == 0 && isfinite(stage_now(s, 2).position.z));
    stage_free(s);
    return 0;
}

static twVec3 broken(double time, void* context)
{
    (void)context;
    return tw_vec3(time > 0.02 ? NAN : 0, 0, 0);
}

static int push_that_is_no_number_costs_its_body_only(void)
{
    Stage* s = plain_stage();
    s->pushes[0] = (twPushDef){.body = 1, .vertex = -1, .force = broken, .begin = 0, .end = 1};
    s->def.push_count = 1;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.3);
    ENSURE(tw_world_stats(s->world).lost == 1);
    ENSURE_NEAR(stage_energy(s) - stage_energy(s), 0, 0);
    ENSURE(stage_now(s, 2).position.z > 0.049);
    stage_free(s);

    // alone, nothing is left to be stepped
    s = plain_stage();
    s->def.body_count = 2;
    s->pushes[0] = (twPushDef){.body = 1, .vertex = -1, .force = broken, .begin = 0, .end = 1};
    s->def.push_count = 1;
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.1);
    const int64_t steps = tw_world_stats(s->world).body_steps;
    tw_world_advance(s->world, 0.2);
    ENSURE(tw_world_stats(s->world).lost == 1 && tw_world_stats(s->world).body_steps == steps);
    stage_free(s);
    return 0;
}

static int world_of_nothing_goes_on(void)
{
    Stage* s = stage();
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.1);
    ENSURE(tw_world_time(s->world) >= 0.1 && tw_world_stats(s->world).steps == 0);
    int count;
    tw_world_forces(s->world, &count);
    ENSURE(count == 0);
    stage_free(s);
    return 0;
}

static int damaged_save_is_refused_and_changes_nothing(void)
{
    Stage* s = plain_stage();
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.03);
    size_t count;
    void* bytes = stage_save(s, &count);
    const twHash before = stage_hash(s);
    ENSURE(stage_refuses(s, bytes, count, 200));
    ENSURE(same_hash(before, stage_hash(s)));
    ENSURE(tw_world_load(s->world, bytes, count, &s->err) == TW_OK);
    ENSURE(same_hash(before, stage_hash(s)));

    // of another world
    Stage* other = plain_stage();
    other->def.body_count = 2;
    must(stage_start(other), &other->err);
    ENSURE(tw_world_load(other->world, bytes, count, &other->err) == TW_BAD_INPUT);
    stage_free(other);
    free(bytes);
    stage_free(s);
    return 0;
}

// bytes that are no world, though their hash is right: refused, or it goes on and ends
static int forged_save_is_refused_or_goes_on(void)
{
    Stage* s = plain_stage();
    must(stage_start(s), &s->err);
    tw_world_advance(s->world, 0.12);
    size_t count;
    void* bytes = stage_save(s, &count);
    twRng rng = tw_rng(5);
    int refused = 0;
    for (int i = 0; i < 400; i++)
    {
        // the first thousand bytes more often
        const size_t most = i % 2 ? count - 2 * sizeof(twHash) : 1500;
        if (stage_forge(s, bytes, count, most, i, &rng) != TW_OK)
            refused++;
        else
            tw_world_advance(s->world, tw_world_time(s->world) + 0.002);
        for (int b = 0; b < s->def.body_count; b++)
        {
            const twVec3 at = stage_now(s, b).position;
            ENSURE(at.x - at.x == 0 && at.y - at.y == 0 && at.z - at.z == 0);
        }
        ENSURE(tw_world_load(s->world, bytes, count, &s->err) == TW_OK);
    }
    ENSURE(refused > 100);
    free(bytes);
    stage_free(s);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(motion_that_is_no_number_is_refused_by_name)
    RUN(absurd_spin_is_refused_by_name_with_the_limit)
    RUN(settings_that_make_no_sense_are_refused)
    RUN(contacts_that_make_no_sense_are_refused)
    RUN(shapes_without_mass_or_inside_are_refused)
    RUN(joint_to_nothing_is_refused_by_name)
    RUN(joint_far_from_its_body_is_refused_by_name)
    RUN(wrong_material_push_or_path_is_refused)
    RUN(overlapping_bodies_are_named_or_pushed_apart)
    RUN(body_flung_to_infinity_leaves_the_rest_going)
    RUN(body_spun_beyond_all_measure_is_lost_and_costs_no_minutes)
    RUN(push_that_is_no_number_costs_its_body_only)
    RUN(world_of_nothing_goes_on)
    RUN(damaged_save_is_refused_and_changes_nothing)
    RUN(forged_save_is_refused_or_goes_on)
)
