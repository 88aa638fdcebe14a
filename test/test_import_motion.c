// SPDX-License-Identifier: MIT
// Tests of the motion of imported bodies: exact at the keys, smooth between them, down the tree, and what cannot be followed.
#define _XOPEN_SOURCE 700
#include "import.h"
#include "test.h"

#define ONE "\"scenes\":[{\"nodes\":[0]}]"
#define ALONE BOX_MESH "," ONE ",\"nodes\":[{\"mesh\":0,\"name\":\"box\"}],"

// an animation of a node by accessors 2 (times) and 3 (values)
static const char* animation(int node, const char* path, const char* kind)
{
    static char text[512];
    snprintf(text, sizeof text,
             "\"animations\":[{\"name\":\"it\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"%s\"}}],"
             "\"samplers\":[{\"input\":2,\"output\":3,\"interpolation\":\"%s\"}]}]",
             node, path, kind);
    return text;
}

// a box with keys; rest: its nodes, with a comma behind
static twImport* animate(const double* times, const double* values, int keys, int parts, const char* rest,
                         const char* path, const char* kind, const twImportDef* def, twError* err)
{
    char text[2048];
    Model model = box_model(tw_vec3(1, 1, 1));
    add_floats(&model, times, keys, 1);
    add_floats(&model, values, strcmp(kind, "CUBICSPLINE") == 0 ? 3 * keys : keys, parts);
    snprintf(text, sizeof text, "%s%s", rest, animation(0, path, kind));
    return import_model(&model, text, def, err);
}

static twImport* slide(const double* times, const double* values, int keys)
{
    return animate(times, values, keys, 3, ALONE, "translation", "LINEAR", NULL, NULL);
}

// ---- translations ----

static int curves_go_through_their_keys_and_are_smooth(void)
{
    static const double times[] = {0.25, 0.5, 0.875, 1, 1.5, 2};
    static const double values[] = {0, 0, 0, 1, 2, -1, 3, -2, 0, 0, 0, 4, 1, 1, 1, -2, 5, 1};
    twImport* import = slide(times, values, 6);
    ENSURE(import && import->bodies[0].moves && tw_import_check(import, 0, NULL) == TW_OK);
    ENSURE_NEAR(import->end, 2, 1e-15);
    for (int i = 0; i < 6; i++)
    {
        const twVec3 p = tw_import_motion(import, 0, times[i]).position;
        ENSURE(p.x == values[3 * i] && p.y == -values[3 * i + 2] && p.z == values[3 * i + 1]);
    }
    // velocities are slopes, everywhere, and do not jump
    const double h = 1e-5;
    for (double t = -0.1; t < 2.2; t += 0.00731)
    {
        const twVec3 v = tw_import_motion(import, 0, t).velocity;
        const twVec3 slope = tw_vec3_scale(
            tw_vec3_sub(tw_import_motion(import, 0, t + h).position, tw_import_motion(import, 0, t - h).position),
            0.5 / h);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(v, slope)), 0, 1e-3);
    }
    for (int i = 0; i < 6; i++)
    {
        const twVec3 before = tw_import_motion(import, 0, times[i] - h).velocity;
        const twVec3 after = tw_import_motion(import, 0, times[i] + h).velocity;
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(after, before)), 0, 3e-2);
    }
    // held before and behind
    ENSURE(tw_vec3_norm(tw_import_motion(import, 0, 0.2).velocity) == 0);
    ENSURE(tw_vec3_norm(tw_import_motion(import, 0, 5).velocity) == 0 &&
           tw_import_motion(import, 0, 5).position.z == 5);
    tw_import_destroy(import);
    return 0;
}

static int what_rests_rests_until_it_moves(void)
{
    static const double times[] = {0, 0.5, 1, 1.125, 1.25, 1.5, 2};
    static const double values[] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 4, 0, 0, 5, 0, 0, 5, 0, 0, 5, 0, 0};
    twImport* import = slide(times, values, 7);
    ENSURE(import);
    for (double t = 0; t <= 1; t += 0.01)
    {
        const twBodyMotion m = tw_import_motion(import, 0, t);
        ENSURE(m.position.x == 1 && m.velocity.x == 0);
    }
    for (double t = 1.25; t <= 3; t += 0.01)
    {
        ENSURE_NEAR(tw_import_motion(import, 0, t).position.x, 5, 1e-14);
        ENSURE_NEAR(tw_import_motion(import, 0, t).velocity.x, 0, 1e-12);
    }
    tw_import_destroy(import);
    return 0;
}

// x = (1 - cos 2 pi t)/2 at n keys: the curve between them is right to the fourth order, its slope to the third
static double worst_error(int n, double* slope)
{
    double times[65], values[3 * 65] = {0}, worst = 0;
    for (int i = 0; i <= n; i++) times[i] = (double)i / n, values[3 * i] = 0.5 * (1 - cos(2 * TW_PI * times[i]));
    twImport* import = slide(times, values, n + 1);
    *slope = 0;
    for (double t = 0; t <= 1; t += 0.0017)
    {
        const twBodyMotion m = tw_import_motion(import, 0, t);
        worst = fmax(worst, fabs(m.position.x - 0.5 * (1 - cos(2 * TW_PI * t))));
        *slope = fmax(*slope, fabs(m.velocity.x - TW_PI * sin(2 * TW_PI * t)));
    }
    tw_import_destroy(import);
    return worst;
}

static int curves_converge_with_the_fourth_power(void)
{
    double rough_slope, fine_slope;
    // clamped at its end, in motion at its beginning: rests there, so the ends are right
    const double rough = worst_error(16, &rough_slope), fine = worst_error(32, &fine_slope);
    ENSURE(rough < 2e-3 && rough / fine > 7);
    ENSURE(rough_slope / fine_slope > 3.5);
    return 0;
}

// smooth keys, and a step between two of them: the curve does not leave the range of its keys
static int curves_do_not_overshoot(void)
{
    static const double times[] = {0, 1, 2, 3, 3.125, 4, 5},
                        values[] = {0, 0, 0, 0.5, 0, 0, 1, 0, 0, 1.5, 0, 0, 9, 0, 0, 9.25, 0, 0, 9.5, 0, 0};
    twImport* import = slide(times, values, 7);
    ENSURE(import);
    double last = 0;
    for (double t = 0; t < 6; t += 0.003)
    {
        const double x = tw_import_motion(import, 0, t).position.x;
        ENSURE(x >= last - 1e-12 && x <= 9.5 + 1e-12);
        last = x;
    }
    tw_import_destroy(import);
    return 0;
}

static int accelerations_of_smooth_motion_do_not_jump(void)
{
    double times[17], values[51] = {0};
    for (int i = 0; i <= 16; i++) times[i] = i / 16.0, values[3 * i] = sin(5 * times[i]);
    twImport* import = slide(times, values, 17);
    ENSURE(import);
    const double h = 1e-5;
    for (int i = 1; i < 16; i++)
    {
        const double v = tw_import_motion(import, 0, times[i]).velocity.x;
        const double before = (v - tw_import_motion(import, 0, times[i] - h).velocity.x) / h;
        const double after = (tw_import_motion(import, 0, times[i] + h).velocity.x - v) / h;
        ENSURE_NEAR(after - before, 0, 0.05);
    }
    tw_import_destroy(import);
    return 0;
}

static int cubic_keys_keep_their_slopes(void)
{
    // x = t^3 - t, y = 0, z = 2 t; the last slope is 0, since it rests behind it
    static const double times[] = {0, 1, 2};
    double values[27] = {0};
    for (int i = 0; i < 3; i++)
    {
        const double t = times[i], at[3] = {t * t * t - t, 0, 2 * t}, slope[3] = {3 * t * t - 1, 0, 2};
        for (int k = 0; k < 3; k++) values[9 * i + k] = values[9 * i + 6 + k] = slope[k], values[9 * i + 3 + k] = at[k];
    }
    twImport* import = animate(times, values, 3, 3, ALONE, "translation", "CUBICSPLINE", NULL, NULL);
    ENSURE(import);
    for (double t = 0; t <= 1; t += 0.05)
    {
        const twBodyMotion m = tw_import_motion(import, 0, t);
        ENSURE_NEAR(m.position.x, t * t * t - t, 1e-12);
        ENSURE_NEAR(m.position.y, -2 * t, 1e-12);
        ENSURE_NEAR(m.velocity.x, 3 * t * t - 1, 1e-12);
    }
    ENSURE(tw_import_motion(import, 0, 2).position.x == 6 && tw_import_motion(import, 0, 2).velocity.x == 0);
    tw_import_destroy(import);
    return 0;
}

static int a_scene_may_begin_in_the_middle(void)
{
    static const double times[] = {1, 2, 3, 4}, values[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
    twImportDef def = tw_import_def();
    def.start = 2;
    twImport* import = animate(times, values, 4, 3, ALONE, "translation", "LINEAR", &def, NULL);
    ENSURE(import && import->end == 2 && import->bodies[0].motion.position.x == 1);
    ENSURE(import->bodies[0].motion.velocity.x > 0.9);
    ENSURE(tw_import_motion(import, 0, 1).position.x == 2);
    tw_import_destroy(import);
    return 0;
}

// ---- rotations, and the tree ----

static int rotations_go_through_their_keys_on_the_short_way(void)
{
    // about the file's y, our z: 0, 60, 180 and 200 degrees, two of them written the other way round
    static const double angles[] = {0, 60, 180, 200}, times[] = {0, 0.5, 1, 2};
    double values[16] = {0};
    for (int i = 0; i < 4; i++)
    {
        const double half = angles[i] * TW_PI / 360, side = i % 2 ? -1 : 1;
        values[4 * i + 1] = side * sin(half);
        values[4 * i + 3] = side * cos(half);
    }
    twImport* import = animate(times, values, 4, 4, ALONE, "rotation", "LINEAR", NULL, NULL);
    ENSURE(import && tw_import_check(import, 0, NULL) == TW_OK);
    double last = -1e-9;
    for (double t = 0; t <= 2; t += 0.01)
    {
        const twBodyMotion m = tw_import_motion(import, 0, t);
        double angle = 2 * atan2(m.turn.z, m.turn.w) * 180 / TW_PI;
        angle -= 360 * floor((angle + 10) / 360);
        ENSURE(angle >= last - 1e-6 && angle < 201);
        last = angle;
        ENSURE(m.spin.x == 0 && fabs(m.spin.y) < 1e-12 && tw_vec3_norm(m.velocity) == 0);
    }
    for (int i = 0; i < 4; i++)
    {
        const twQuat q = tw_import_motion(import, 0, times[i]).turn;
        const double half = angles[i] * TW_PI / 360;
        ENSURE_NEAR(fabs(q.w * cos(half) + q.z * sin(half)), 1, 1e-13);
    }
    tw_import_destroy(import);
    return 0;
}

// an arm that turns evenly about the file's y, scaled by 2, and a box one away on it: its place and velocity in closed form
static int a_parent_that_moves_moves_its_children(void)
{
    enum
    {
        KEYS = 61
    };
    double times[KEYS], values[4 * KEYS] = {0};
    const double rate = 1.5;
    for (int i = 0; i < KEYS; i++)
    {
        times[i] = (float)(i / 20.0);
        values[4 * i + 1] = sin(0.5 * rate * times[i]);
        values[4 * i + 3] = cos(0.5 * rate * times[i]);
    }
    twImport* import =
        animate(times, values, KEYS, 4,
                BOX_MESH "," ONE ",\"nodes\":[{\"children\":[1],\"scale\":[2,2,2],\"translation\":[0,7,0]},"
                         "{\"mesh\":0,\"translation\":[1,0,0],\"name\":\"hand\"}],",
                "rotation", "LINEAR", NULL, NULL);
    ENSURE(import && import->body_count == 1 && import->bodies[0].moves && tw_import_check(import, 0, NULL) == TW_OK);
    ENSURE_NEAR(tw_mesh_mass(import->shapes[0], 1).volume, 8, 1e-12);
    // away from the end, where it has to stop
    for (double t = 0.3; t < 2; t += 0.013)
    {
        const twBodyMotion m = tw_import_motion(import, 0, t);
        ENSURE_NEAR(m.position.x, 2 * cos(rate * t), 1e-6);
        ENSURE_NEAR(m.position.y, 2 * sin(rate * t), 1e-6);
        ENSURE_NEAR(m.position.z, 7, 1e-12);
        ENSURE_NEAR(m.velocity.x, -2 * rate * sin(rate * t), 1e-4);
        ENSURE_NEAR(m.velocity.y, 2 * rate * cos(rate * t), 1e-4);
        ENSURE_NEAR(m.spin.z, rate, 1e-4);
        ENSURE_NEAR(tw_quat_norm(m.turn), 1, 1e-14);
    }
    tw_import_destroy(import);
    return 0;
}

static int spins_are_what_turns_a_body(void)
{
    // any turns, under a parent that is turned, stretched and mirrored
    static const double times[] = {0, 1, 2}, values[] = {0.5, 0.5, 0.5, 0.5, 0.1, 0.7, -0.1, 0.7, 0, 0, 1, 0};
    twImport* import =
        animate(times, values, 3, 4,
                BOX_MESH ",\"scenes\":[{\"nodes\":[1]}],\"nodes\":[{\"mesh\":0,\"scale\":[1,2,3]},{\"children\":"
                         "[0],\"scale\":[2,2,-2],\"rotation\":[0.6,0,0,0.8]}],",
                "rotation", "LINEAR", NULL, NULL);
    ENSURE(import && import->body_count == 1);
    const double h = 1e-6;
    for (double t = 0.01; t < 2; t += 0.0137)
    {
        const twQuat a = tw_import_motion(import, 0, t - h).turn, b = tw_import_motion(import, 0, t + h).turn;
        const twQuat d = tw_quat_mul(b, tw_quat_conj(a));
        const twVec3 w = tw_vec3_scale(tw_vec3(d.x, d.y, d.z), (d.w < 0 ? -1 : 1) / h);
        ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(w, tw_import_motion(import, 0, t).spin)), 0, 1e-6);
    }
    tw_import_destroy(import);
    return 0;
}

// ---- what does not move, and what cannot be followed ----

static int keys_that_are_all_alike_are_no_motion(void)
{
    static const double times[] = {0, 1, 2}, values[] = {3, 4, 5, 3, 4, 5.0000001, 3, 4, 5};
    twImport* import = animate(times, values, 3, 3, ALONE, "translation", "STEP", NULL, NULL);
    ENSURE(import && !import->bodies[0].moves && import->bodies[0].motion.position.z == 4 && import->end == 0);
    tw_import_destroy(import);
    return 0;
}

static int jumps_and_growth_cannot_be_followed(void)
{
    static const double times[] = {0, 1, 2}, values[] = {1, 1, 1, 2, 1, 1, 1, 1, 3};
    twError err = {0};
    twImport* import = animate(times, values, 3, 3, ALONE, "translation", "STEP", NULL, NULL);
    ENSURE(import && tw_import_check(import, 0, &err) == TW_BAD_INPUT && strstr(err.text, "'box' are jumps (STEP"));
    tw_import_destroy(import);
    import = animate(times, values, 3, 3, ALONE, "scale", "LINEAR", NULL, NULL);
    ENSURE(import && tw_import_check(import, 0, &err) == TW_BAD_INPUT &&
           strstr(err.text, "changes the size or form of 'box'"));
    tw_import_destroy(import);
    return 0;
}

static int animations_are_chosen_by_name(void)
{
    static const double times[] = {0, 1}, left[] = {0, 0, 0, 1, 0, 0}, right[] = {0, 0, 0, 2, 0, 0};
    static const char both[] = ALONE
        "\"animations\":[{\"name\":\"left\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}],"
        "\"samplers\":[{\"input\":2,\"output\":3}]},{\"name\":\"right\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
        "\"path\":\"translation\"}}],\"samplers\":[{\"input\":2,\"output\":4}]}]";
    static const char* const names[] = {"right", "wrong"};
    for (int i = 0; i < 4; i++)
    {
        twError err = {0};
        twImportDef def = tw_import_def();
        Model model = box_model(tw_vec3(1, 1, 1));
        add_floats(&model, times, 2, 1);
        add_floats(&model, left, 2, 3);
        add_floats(&model, right, 2, 3);
        // all, one, one that is not there, none
        if (i > 0) def.animations = names + (i == 2);
        def.animation_count = i == 1 || i == 2;
        twImport* import = import_model(&model, both, &def, &err);
        if (i == 0) ENSURE(!import && strstr(err.text, "'left' and 'right' both move node 'box'"));
        if (i == 1) ENSURE(import && tw_import_motion(import, 0, 1).position.x == 2);
        if (i == 2) ENSURE(!import && strstr(err.text, "there is no animation 'wrong'; it has 'left', 'right'"));
        if (i == 3) ENSURE(import && !import->bodies[0].moves);
        tw_import_destroy(import);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(curves_go_through_their_keys_and_are_smooth)
    RUN(what_rests_rests_until_it_moves)
    RUN(curves_converge_with_the_fourth_power)
    RUN(curves_do_not_overshoot)
    RUN(accelerations_of_smooth_motion_do_not_jump)
    RUN(cubic_keys_keep_their_slopes)
    RUN(a_scene_may_begin_in_the_middle)
    RUN(rotations_go_through_their_keys_on_the_short_way)
    RUN(a_parent_that_moves_moves_its_children)
    RUN(spins_are_what_turns_a_body)
    RUN(keys_that_are_all_alike_are_no_motion)
    RUN(jumps_and_growth_cannot_be_followed)
    RUN(animations_are_chosen_by_name)
)
