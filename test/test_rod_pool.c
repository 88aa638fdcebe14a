// SPDX-License-Identifier: MIT
// Rods that come and go while a world runs.
#include "test.h"
#include "weave.h"
#include <stdlib.h>

#define RATE 44100.0
#define STEEL 7800.0

enum
{
    POINTS = 9
};

static void advance(Stage* s, int count)
{
    const int64_t to = llround(tw_world_time(s->world) * RATE) + count;
    while (llround(tw_world_time(s->world) * RATE) < to)
        tw_world_advance(s->world, ((double)llround(tw_world_time(s->world) * RATE) + 0.5) / RATE);
}

static int wire(Stage* s, double y, double z)
{
    const int rod = stage_line(s, tw_vec3(-0.1, y, z), tw_vec3(0.1, y, z), POINTS, tw_section_circle(0.002));
    s->rods[rod].rod.density = STEEL;
    s->rods[rod].rod.beta = 1e-5;
    return rod;
}

static twStatus come(Stage* s, int which, int* rod)
{
    twNewRod* made;
    twStatus status = tw_new_rod_create(&made, s->world, s->rods + which, &s->err);
    if (status == TW_OK) status = tw_world_add_rod(s->world, made, rod, &s->err);
    tw_new_rod_destroy(made);
    return status;
}

// two wires fall on a floor, crosswise on each other: both from the start, or the second one comes
static Stage* pile(bool comes)
{
    Stage* s = stage();
    stage_floor(s, 1, 1);
    wire(s, 0, 0.0025);
    const int second =
        stage_line(s, tw_vec3(0.02, -0.1, 0.007), tw_vec3(0.03, 0.1, 0.007), POINTS + 2, tw_section_circle(0.001));
    s->rods[second].rod.beta = 1e-5;
    stage_throw(s, second, tw_vec3(0, 0, -0.3));
    s->def.spare_rods = 1;
    s->def.spare_rod_points = POINTS + 2;
    s->def.rod_count = comes ? 1 : 2;
    must(stage_start(s), &s->err);
    int rod = 1;
    if (comes) must(come(s, second, &rod) == TW_OK && rod == 1, &s->err);
    return s;
}

static int a_rod_that_comes_moves_as_one_that_was_there(void)
{
    Stage *there = pile(false), *comes = pile(true);
    ENSURE_NEAR(stage_energy(comes), stage_energy(there) - tw_world_energy(comes->world).work, 1e-15);
    for (int i = 0; i < 20; i++)
    {
        advance(there, 50);
        advance(comes, 50);
        for (int k = 0; k < POINTS + 2; k++) ENSURE(away(rod_point(there, 1, k), rod_point(comes, 1, k)) < 1e-9);
        ENSURE(away(rod_centre(there, 0), rod_centre(comes, 0)) < 1e-9);
    }
    ENSURE(tw_world_stats(comes->world).rod_contacts > 100);
    ENSURE(is_sound(comes));
    stage_free(there);
    stage_free(comes);
    return 0;
}

// A wire that lies on another one falls to the floor when that goes; one that comes to its place hits it
static int what_lies_on_a_rod_that_goes_falls(void)
{
    Stage* s = stage();
    stage_floor(s, 1, 1);
    const int low = wire(s, 0, 0.0021),
              high = stage_line(s, tw_vec3(0, -0.1, 0.0062), tw_vec3(0, 0.1, 0.0062), POINTS, tw_section_circle(0.002)),
              late = wire(s, 0.01, 0.02);
    s->rods[high].rod.beta = 1e-5;
    s->def.spare_rods = 1;
    s->def.spare_rod_points = POINTS;
    s->def.max_grabs = 2;
    s->def.rod_count = 2;
    must(stage_start(s), &s->err);
    for (int k = 0; k < 2; k++)
    {
        twGrabDef def = tw_grab_def();
        def.at.rod = k;
        def.along[0] = k == 0;  // lies still, and does not tip
        def.here = true;
        must(tw_world_grab(s->world, k, &def, &s->err) == TW_OK, &s->err);
    }
    double highest = stage_energy(s);
    const double start = highest;
    for (int i = 0; i < 1000; i++) advance(s, 1), highest = fmax(highest, stage_energy(s));
    ENSURE(rod_point(s, high, POINTS / 2).z > 0.0055);
    must(tw_world_remove_rod(s->world, low, &s->err) == TW_OK, &s->err);
    ENSURE(!tw_world_has_rod(s->world, low) && tw_world_has_rod(s->world, high));
    ENSURE(!tw_world_grab_view(s->world, 0).active && tw_world_grab_view(s->world, 1).active);
    tw_world_release(s->world, 1);
    ENSURE(tw_world_remove_rod(s->world, low, &s->err) == TW_BAD_INPUT);
    for (int i = 0; i < 2000; i++) advance(s, 1), highest = fmax(highest, stage_energy(s));
    ENSURE_NEAR(rod_point(s, high, POINTS / 2).z, 0.002, 1e-4);
    int rod;
    must(come(s, late, &rod) == TW_OK, &s->err);
    ENSURE(rod == low && tw_world_has_rod(s->world, low));
    double least = 1;
    for (int i = 0; i < 4000; i++)
    {
        advance(s, 1);
        highest = fmax(highest, stage_energy(s));
        least = fmin(least, rod_centre(s, low).z);
    }
    ENSURE_NEAR(least, 0.006, 2e-4);
    ENSURE(highest - start < 1e-9 * 0.1 * 9.81 * 0.02);
    ENSURE(tw_world_stats(s->world).failures == 0 && tw_world_stats(s->world).lost == 0);
    stage_free(s);
    return 0;
}

// into a world in which the same rods came and went
static int a_world_whose_rods_changed_is_loaded_to_the_bit(void)
{
    Stage* worlds[2] = {pile(true), pile(true)};
    for (int k = 0; k < 2; k++)
    {
        int rod;
        must(tw_world_remove_rod(worlds[k]->world, 0, &worlds[k]->err) == TW_OK, &worlds[k]->err);
        must(come(worlds[k], 0, &rod) == TW_OK && rod == 0, &worlds[k]->err);
        must(tw_world_remove_rod(worlds[k]->world, 0, &worlds[k]->err) == TW_OK, &worlds[k]->err);
    }
    Stage* other = pile(true);
    advance(worlds[0], 300);
    size_t count;
    void* bytes = stage_save(worlds[0], &count);
    ENSURE(tw_world_load(other->world, bytes, count, &other->err) == TW_BAD_INPUT);
    must(tw_world_load(worlds[1]->world, bytes, count, &worlds[1]->err) == TW_OK, &worlds[1]->err);
    for (int k = 0; k < 2; k++) advance(worlds[k], 1200);
    for (int i = 0; i < POINTS + 2; i++) ENSURE(away(rod_point(worlds[0], 1, i), rod_point(worlds[1], 1, i)) == 0);
    ENSURE(tw_world_stats(worlds[0]->world).rod_contacts > 30);
    free(bytes);
    stage_free(other);
    for (int k = 0; k < 2; k++) stage_free(worlds[k]);
    return 0;
}

// rods that fall together into a world that had none
static int a_world_without_rods_takes_several_in_a_row(void)
{
    Stage *there = stage(), *comes = stage();
    Stage* both[2] = {there, comes};
    for (int k = 0; k < 2; k++)
    {
        stage_floor(both[k], 1, 1);
        for (int i = 0; i < 3; i++)
        {
            const double turn = 0.7 * i;
            const twVec3 half = tw_vec3(0.1 * cos(turn), 0.1 * sin(turn), 0), at = tw_vec3(0, 0, 0.003 + 0.005 * i);
            const int rod = stage_line(both[k], tw_vec3_sub(at, half), tw_vec3_add(at, half), POINTS + 2 * i,
                                       tw_section_circle(0.0015 + 0.0002 * i));
            both[k]->rods[rod].rod.beta = 1e-5;
        }
    }
    comes->def.rod_count = 0;
    comes->def.spare_rods = 4;
    comes->def.spare_rod_points = POINTS + 4;
    twNewRod* made[3];
    for (int k = 0; k < 2; k++) must(stage_start(both[k]), &both[k]->err);
    advance(comes, 7);  // of nothing
    ENSURE(!tw_world_has_rod(comes->world, 0) && tw_world_energy(comes->world).kinetic == 0);
    for (int i = 0; i < 3; i++)
        must(tw_new_rod_create(&made[i], comes->world, comes->rods + i, &comes->err) == TW_OK, &comes->err);
    for (int i = 0; i < 3; i++)
    {
        int rod;
        must(tw_world_add_rod(comes->world, made[i], &rod, &comes->err) == TW_OK && rod == i, &comes->err);
        tw_new_rod_destroy(made[i]);
    }
    ENSURE_NEAR(stage_energy(comes), stage_energy(there) - tw_world_energy(comes->world).work, 1e-15);
    for (int i = 0; i < 40; i++)
    {
        advance(there, 50);
        advance(comes, 50);
        for (int rod = 0; rod < 3; rod++)
            for (int k = 0; k < POINTS + 2 * rod; k++)
                ENSURE(away(rod_point(there, rod, k), rod_point(comes, rod, k)) < 1e-9);
    }
    ENSURE(tw_world_stats(comes->world).rod_contacts > 100 && !tw_world_has_rod(comes->world, 3));
    ENSURE(is_sound(comes));
    for (int k = 0; k < 2; k++) stage_free(both[k]);
    return 0;
}

static int rods_that_cannot_come_or_go_are_refused(void)
{
    Stage* s = stage();
    const int rod = wire(s, 0, 0.1), more = wire(s, 0.1, 0.1), bad = wire(s, 0.3, 0.1),
              longer = stage_line(s, tw_vec3(0, 0.2, 1), tw_vec3(0.2, 0.2, 1), POINTS + 1, tw_section_circle(0.002)),
              body = stage_body(s, stage_ball(s, 0.01, STEEL), 0.1, 0, 0.1);
    s->ties[s->def.tie_count++] = (twTieDef){.rod = rod, .point = POINTS - 1, .body = body};
    s->def.spare_rods = 2;
    s->def.spare_rod_points = POINTS;
    s->def.rod_count = 1;
    must(stage_start(s), &s->err);
    twNewRod* made[4] = {NULL};
    int number;
    ENSURE(tw_world_remove_rod(s->world, rod, &s->err) == TW_BAD_INPUT && strstr(s->err.text, "tied"));
    ENSURE(tw_world_remove_body(s->world, body, &s->err) == TW_BAD_INPUT && strstr(s->err.text, "tie 0 holds it"));
    ENSURE(tw_world_remove_rod(s->world, 1, &s->err) == TW_BAD_INPUT && strstr(s->err.text, "no rod 1"));
    s->rods[bad].rod.density = NAN;
    ENSURE(tw_new_rod_create(&made[3], s->world, s->rods + bad, &s->err) == TW_BAD_INPUT && !made[3]);
    s->rods[bad] = s->rods[more];
    s->rods[bad].material = 7;
    ENSURE(tw_new_rod_create(&made[3], s->world, s->rods + bad, &s->err) == TW_BAD_INPUT && !made[3]);
    must(tw_new_rod_create(&made[3], s->world, s->rods + longer, &s->err) == TW_OK, &s->err);
    ENSURE(tw_world_add_rod(s->world, made[3], &number, &s->err) == TW_BAD_INPUT &&
           strstr(s->err.text, "its 10 points"));
    for (int i = 0; i < 3; i++) must(tw_new_rod_create(&made[i], s->world, s->rods + more, &s->err) == TW_OK, &s->err);
    must(tw_world_add_rod_at(s->world, 2, made[0], &s->err) == TW_OK, &s->err);
    ENSURE(tw_world_add_rod(s->world, made[0], &number, &s->err) == TW_BAD_INPUT && strstr(s->err.text, "already"));
    ENSURE(tw_world_add_rod_at(s->world, 2, made[1], &s->err) == TW_BAD_INPUT && strstr(s->err.text, "not free"));
    must(tw_world_add_rod(s->world, made[1], &number, &s->err) == TW_OK && number == 1, &s->err);
    ENSURE(tw_world_add_rod(s->world, made[2], &number, &s->err) == TW_BAD_INPUT && strstr(s->err.text, "none of 3"));
    for (int i = 0; i < 4; i++) tw_new_rod_destroy(made[i]);
    stage_free(s);
    return 0;
}

static int a_world_without_room_takes_none(void)
{
    Stage* s = stage();
    const int rod = wire(s, 0, 0.1);
    twNewRod* made;
    s->def.spare_rods = 1;
    s->def.spare_rod_points = 1;
    ENSURE(!stage_start(s) && strstr(s->err.text, "2 points each"));
    s->def.spare_rods = 0;
    must(stage_start(s), &s->err);
    ENSURE(tw_new_rod_create(&made, s->world, s->rods + rod, &s->err) == TW_BAD_INPUT &&
           strstr(s->err.text, "no room"));
    stage_free(s);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_rod_that_comes_moves_as_one_that_was_there)
    RUN(what_lies_on_a_rod_that_goes_falls)
    RUN(a_world_whose_rods_changed_is_loaded_to_the_bit)
    RUN(a_world_without_rods_takes_several_in_a_row)
    RUN(rods_that_cannot_come_or_go_are_refused)
    RUN(a_world_without_room_takes_none)
)
