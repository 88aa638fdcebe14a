// SPDX-License-Identifier: MIT
// Contacts of a stage: which there are, how they cluster, what they are called, and what bodies do on them.
#include "stage.h"

static twVec3 down(double g) { return tw_vec3(0, 0, -g); }

// ---- clusters ----

static int box_on_the_floor_stands_on_its_corners(void)
{
    // however finely its face is divided and however wide clusters are; turned, shifted and sunk in
    for (int cells = 1; cells <= 6; cells++)
    {
        Troupe t = troupe(0.5);
        troupe_box(&t, tw_vec3(2, 2, 0.2), 1, 0, tw_vec3(0, 0, -0.1));
        int box = troupe_box(&t, tw_vec3(0.2, 0.3, 0.1), cells, 1, tw_vec3(0.05, 0.02, 0.05 - 1e-6));
        t.places[box].turn = tw_quat_from_axis_angle(tw_vec3(0, 0, 1), 0.3);
        StageTouches* touches = troupe_touches(&t, 0.3, 64);
        StageContact* contacts;
        int count = stage_touches_find(touches, t.places, 1e-3, &contacts), corners = 0;
        ENSURE(count >= 4);
        for (int i = 0; i < count; i++)
        {
            twVec3 from = tw_vec3_sub(contacts[i].touch.point, t.places[box].position);
            twVec3 place = tw_quat_rotate(tw_quat_conj(t.places[box].turn), from);
            corners += fabs(fabs(place.x) - 0.1) < 1e-9 && fabs(fabs(place.y) - 0.15) < 1e-9;
            ENSURE_NEAR(fabs(contacts[i].touch.normal.z), 1, 1e-9);
            ENSURE_NEAR(contacts[i].touch.gap, -1e-6, 1e-9);
        }
        ENSURE(corners == 4);
        stage_touches_destroy(touches);
        troupe_end(&t);
    }
    return 0;
}

static int touches_near_each_other_become_one_at_their_mean(void)
{
    // a fine ball: its lowest vertices all touch
    Troupe t = troupe(0.5);
    troupe_box(&t, tw_vec3(2, 2, 0.2), 1, 0, tw_vec3(0, 0, -0.1));
    twMesh* ball = sphere_mesh(tw_vec3(0, 0, 0), 0.1, 24);
    tw_mesh_mend(ball, 1e-9, NULL, NULL);
    int body = troupe_mesh(&t, ball, 1, tw_vec3(0, 0, 0.1 - 2e-4));
    StageTouches *fine = troupe_touches(&t, 0.001, 64), *one = troupe_touches(&t, 0.4, 64);
    twRng rng = tw_rng(3);
    for (int i = 0; i < 50; i++)
    {
        t.places[body].turn = random_turn(&rng);
        StageContact *many, *few;
        int count = stage_touches_find(fine, t.places, 5e-4, &many);
        ENSURE(stage_touches_find(one, t.places, 5e-4, &few) == 1);
        ENSURE(count > 2 && few->share == count);
        double least = HUGE_VAL;
        for (int k = 0; k < count; k++) least = fmin(least, many[k].touch.gap);
        ENSURE_NEAR(few->touch.gap, least, 1e-12);
        // a vertex of the ball is 7 mm from the next; their mean is under the centre
        ENSURE(hypot(few->touch.point.x, few->touch.point.y) < 2.5e-3);
        ENSURE_NEAR(fabs(few->touch.normal.z), 1, 1e-6);
    }
    stage_touches_destroy(fine);
    stage_touches_destroy(one);
    troupe_end(&t);
    return 0;
}

// ---- names, and what is done on them ----

static int box_comes_to_rest_and_its_contacts_keep_their_names(void)
{
    Troupe t = troupe(0.5);
    troupe_box(&t, tw_vec3(2, 2, 0.2), 1, 0, tw_vec3(0, 0, -0.1));
    int box = troupe_box(&t, tw_vec3(0.2, 0.3, 0.1), 3, 1, tw_vec3(0, 0, 0.06));
    t.places[box].velocity = tw_vec3(0.3, 0, 0);
    StageTouches* touches = troupe_touches(&t, 0.3, 64);
    for (int i = 0; i < 500; i++) troupe_step(&t, touches, down(9.81), 1e-3, 1e-3);
    ENSURE_NEAR(tw_vec3_norm(t.places[box].velocity), 0, 1e-9);
    ENSURE_NEAR(t.places[box].position.z, 0.05, 1e-4);

    // four, the same in every step, which carry it together
    uint64_t names[4] = {0};
    for (int i = 0; i < 20; i++)
    {
        StageContact* contacts;
        troupe_step(&t, touches, down(9.81), 1e-3, 1e-3);
        int count = stage_touches_find(touches, t.places, 1e-3, &contacts), same = 0;
        double sum = 0;
        ENSURE(count == 4);
        for (int k = 0; k < 4; k++)
        {
            for (int n = 0; n < 4; n++) same += contacts[k].touch.id == names[n];
            sum += contacts[k].impulse[0];
        }
        ENSURE(i == 0 || same == 4);
        ENSURE_NEAR(sum, 9.81e-3, 1e-9);
        for (int k = 0; k < 4; k++) names[k] = contacts[k].touch.id;
    }

    // what jumps away is not remembered
    stage_touches_forget(touches, box);
    StageContact* contacts;
    ENSURE(stage_touches_find(touches, t.places, 1e-3, &contacts) == 4);
    for (int k = 0; k < 4; k++) ENSURE(contacts[k].impulse[0] == 0 && contacts[k].touch.fresh);
    stage_touches_destroy(touches);
    troupe_end(&t);
    return 0;
}

static int deepest_contacts_are_kept_where_there_is_no_room(void)
{
    Troupe t = troupe(0.5);
    troupe_box(&t, tw_vec3(2, 2, 0.2), 1, 0, tw_vec3(0, 0, -0.1));
    for (int i = 0; i < 5; i++) troupe_ball(&t, 0.05, 1, tw_vec3(0.2 * i - 0.4, 0, 0.05 - 1e-5 * (1 + (i * 2) % 5)));
    StageTouches* touches = troupe_touches(&t, 0.1, 3);
    StageContact* contacts;
    ENSURE(stage_touches_find(touches, t.places, 1e-3, &contacts) == 3);
    for (int k = 0; k < 3; k++) ENSURE(contacts[k].touch.gap < -2.5e-5);
    ENSURE(stage_touches_stats(touches).dropped == 2);
    stage_touches_destroy(touches);
    troupe_end(&t);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(box_on_the_floor_stands_on_its_corners)
    RUN(touches_near_each_other_become_one_at_their_mean)
    RUN(box_comes_to_rest_and_its_contacts_keep_their_names)
    RUN(deepest_contacts_are_kept_where_there_is_no_room)
)
