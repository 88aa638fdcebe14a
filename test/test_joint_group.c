// SPDX-License-Identifier: MIT
// Joints among others: chains, contacts, sleep, rows, modes, and joints that are refused.
#include "joint.h"

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
    RUN(heavy_chain_holds)
    RUN(bonds_and_contacts_are_solved_together)
    RUN(impacts_wake_through_bonds)
    RUN(rows_are_the_rate_of_the_error)
    RUN(modes_move_the_anchor)
    RUN(bad_joints_are_named)
)
