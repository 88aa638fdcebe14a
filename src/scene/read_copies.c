// SPDX-License-Identifier: MIT
// Several bodies alike: in a line that may bend, or in a grid, a little disordered if wanted.
//
//   line   x_{k+1} = x_k + T^k step,   R_k = T^k R_0
//   grid   x_ijk = x_0 + (i, j, k) * spacing

#include "reader.h"
#include <math.h>

static void read_grid(const twNode* map, Copies* copies)
{
    const twNode* grid = yaml_list(map, "grid");
    copies->grid = true;
    if (yaml_has(map, "count") || yaml_has(map, "step") || yaml_has(map, "turn"))
        yaml_fail(map, "copies are a line ('count', 'step', 'turn') or a 'grid' with a 'spacing', not both");
    if (!yaml_has(map, "spacing")) yaml_fail(map, "a grid needs a 'spacing': [x, y, z] in m");
    if (grid && grid->count != 3) yaml_fail(grid, "'grid' is three whole numbers, how many along x, y and z");
    YAML_EACH(node, grid)
    {
        if (node->index < 3) copies->count[node->index] = (int)yaml_as_integer(node, 1, TW_MAX_SCENE_BODIES);
    }
    copies->step = read_vec3(map, "spacing", "m", tw_vec3(0, 0, 0));
}

static void read_row(const twNode* map, Copies* copies)
{
    if (yaml_has(map, "spacing"))
        yaml_fail_key(yaml_get(map, "spacing"), "'spacing' is of a 'grid'; a line has a 'step'");
    copies->count[0] = (int)yaml_need_integer(map, "count", 1, TW_MAX_SCENE_BODIES);
    if (!yaml_has(map, "step")) yaml_fail(map, "copies need a 'step' from one to the next: [x, y, z] in m");
    copies->step = read_vec3(map, "step", "m", tw_vec3(0, 0, 0));
    copies->turn = read_turn(map, "turn");
}

Copies read_copies(Reader* reader, const twNode* body)
{
    const twNode* map = yaml_map(body, "copies");
    Copies copies = {.count = {1, 1, 1}, .turn = tw_quat_identity()};
    if (!map) return copies;
    yaml_keys(map, "count", "step", "turn", "grid", "spacing", "jitter", "tumble", "seed");
    copies.given = true;
    if (yaml_has(map, "grid"))
        read_grid(map, &copies);
    else
        read_row(map, &copies);
    copies.jitter = yaml_number(map, "jitter", yaml_not_negative("m"), 0);
    copies.tumble = yaml_number(map, "tumble", yaml_between(0, 180, "degrees"), 0) * TW_PI / 180;
    copies.seed = (uint64_t)yaml_integer(map, "seed", 0, INT64_MAX, 1);
    if (!yaml_ok(reader->doc)) copies.count[0] = copies.count[1] = copies.count[2] = 1;
    const double total = (double)copies.count[0] * copies.count[1] * copies.count[2];
    if (total > TW_MAX_SCENE_BODIES)
    {
        yaml_fail(map, "that makes %.0f bodies; %d are the most", total, TW_MAX_SCENE_BODIES);
        copies.count[0] = copies.count[1] = copies.count[2] = 1;
    }
    return copies;
}

int copies_total(const Copies* copies) { return copies->count[0] * copies->count[1] * copies->count[2]; }

static twVec3 jitter(twRng* rng, double most)
{
    const double x = tw_rng_between(rng, -most, most), y = tw_rng_between(rng, -most, most);
    return tw_vec3(x, y, tw_rng_between(rng, -most, most));
}

// about any axis, evenly, by up to an angle
static twQuat tumble(twRng* rng, double most)
{
    const double height = tw_rng_between(rng, -1, 1), around = tw_rng_between(rng, 0, 2 * TW_PI);
    const double wide = sqrt(1 - height * height);
    const twVec3 axis = tw_vec3(wide * cos(around), wide * sin(around), height);
    return tw_quat_from_axis_angle(axis, tw_rng_between(rng, 0, most));
}

void copies_place(const Copies* copies, const twBodyMotion* start, twBodyMotion* out)
{
    const int total = copies_total(copies);
    twBodyMotion next = *start;
    twQuat turned = tw_quat_identity();
    for (int n = 0; n < total; n++)
    {
        const int i = n % copies->count[0], j = n / copies->count[0] % copies->count[1];
        const int k = n / copies->count[0] / copies->count[1];
        out[n] = next;
        if (copies->grid)
            out[n].position =
                tw_vec3_add(start->position, tw_vec3(i * copies->step.x, j * copies->step.y, k * copies->step.z));
        next.position = tw_vec3_add(next.position, tw_quat_rotate(turned, copies->step));
        turned = tw_quat_normalize(tw_quat_mul(copies->turn, turned));
        next.turn = tw_quat_mul(turned, start->turn);
    }
    twRng rng = tw_rng(copies->seed);
    for (int n = 0; n < total && copies->jitter > 0; n++)
        out[n].position = tw_vec3_add(out[n].position, jitter(&rng, copies->jitter));
    for (int n = 0; n < total && copies->tumble > 0; n++)
        out[n].turn = tw_quat_normalize(tw_quat_mul(tumble(&rng, copies->tumble), out[n].turn));
}
