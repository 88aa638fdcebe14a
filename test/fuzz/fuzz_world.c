// SPDX-License-Identifier: MIT
// Target: changes to a saved world, with its checksum made right. What is loaded must go on without harm.
#include "../world.h"
#include "fuzz.h"

// a ball and a beam above a floor, joined, and a wire on them
static Stage* scene(void)
{
    Stage* s = stage();
    stage_floor(s, 1, 1);
    const Beam beam = {.size = {0.2, 0.02, 0.01}, .density = 7800, .young = 2e11, .cells = 4, .modes = 2, .decay = 5};
    stage_body(s, stage_ball(s, 0.01, 7800), 0.12, 0, 0.01005);
    const int bar = stage_body(s, stage_beam(s, &beam), 0, 0, 0.006);
    s->bodies[bar].motion.velocity = tw_vec3(0, 0, -0.5);
    stage_joint(s, TW_JOINT_BALL, 0, bar, tw_vec3(-0.1, 0, 0.006));
    stage_line(s, tw_vec3(-0.05, 0.001, 0.0125), tw_vec3(0.05, 0.001, 0.0125), 5, tw_section_circle(0.001));
    must(stage_start(s), &s->err);
    return s;
}

bool fuzz_one(uint8_t* data, size_t size)
{
    static Stage* s;
    static void* start;
    static size_t start_size;
    if (!s)
    {
        s = scene();
        tw_world_advance(s->world, 2e-3);
        must(tw_world_save(s->world, &start, &start_size, &s->err) == TW_OK, &s->err);
    }
    uint8_t* changed = malloc(start_size);
    must(changed != NULL, &s->err);
    memcpy(changed, start, start_size);
    const size_t count = fuzz_change(changed, start_size, 4, data, size);
    fuzz_seal(changed, count);
    twError err = {0};
    const twStatus status = tw_world_load(s->world, changed, count, &err);
    fuzz_says(status, &err);
    free(changed);
    if (status != TW_OK) return false;
    for (int i = 0; i < 10; i++) tw_world_advance(s->world, tw_world_time(s->world) + 1e-4);
    FUZZ_ENSURE(tw_world_load(s->world, start, start_size, &err) == TW_OK);
    return true;
}
