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

// clang-format off
TEST_MAIN(
    RUN(box_on_the_floor_stands_on_its_corners)
    RUN(touches_near_each_other_become_one_at_their_mean)
)
