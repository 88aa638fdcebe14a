// SPDX-License-Identifier: MIT
// Tests of saved rods: what was loaded goes on as what was saved, to the bit.
#include "wire.h"
#include <stdlib.h>

enum
{
    HISTORIES = 9
};

// what a rod goes through: 0 a struck helix, 1 moved supports, 2 a ring with shear, 3 the same with damping and pushes, 4 forces of
// others, 5 the trapezoidal rule, 6 guesses that keep lengths, 7 a ring with shear and a loss factor, 8 one by the trapezoidal rule
static void history_make(Wire* wire, int history)
{
    static const WireShape shapes[HISTORIES] = {WIRE_HELIX, WIRE_HELD,  WIRE_RING, WIRE_RING, WIRE_STRAIGHT,
                                                WIRE_HELIX, WIRE_HELIX, WIRE_RING, WIRE_HELD};
    wire_make(wire, shapes[history]);
    wire->def.pulse_count = 1;
    wire->def.shear = history == 2 || history == 3 || history == 7;
    if (history >= 7) wire->def.loss_factor = 0.01;
    if (history == 3) wire->def.alpha = 1, wire->def.beta = 1e-6, wire->def.account = true;
    if (history == 5 || history == 8) wire->def.integrator = TW_ROD_TRAPEZOID;
}

static void prepare(twRod* rod, int history, int k)
{
    const twRodPulse blow = {.point = 9, .force = {0, 2, 5}, .start = 7e-3, .duration = 3e-4};
    if (history == 0 && k == 200) tw_rod_strike(rod, &blow);
    if (history == 1)
        tw_rod_move(rod, 0, tw_vec3(0, 1e-3 * sin(0.02 * k), 0),
                    tw_quat_from_axis_angle(tw_vec3(0, 0, 1), 0.01 * sin(0.03 * k)));
    if (history == 3 && k % 7 == 0) tw_rod_push(rod, k % WIRE_POINTS, tw_vec3(0.1, -0.2, 0.3));
    if (history == 6) rod->by_lengths = true, rod->guess_steps = 100;
    const twMat3 stiffness = {{{100, 0, 0}, {0, 50, 0}, {0, 0, 20}}};
    if (history == 3 && k % 5 == 0) tw_rod_push_spring(rod, 11, tw_vec3(0, 0, 0.1), &stiffness, NULL);
}

static void go_on(twRod* rod, int history, int k)
{
    WireField force;
    wire_field(&force);
    force.at[1][5] = 0.3 * sin(0.1 * k), force.at[3][30] = 1e-4;
    if (history == 4)
        wire_step(rod, &force, false);
    else
        tw_rod_step(rod);
}

static bool is_same(twRod* a, twRod* b)
{
    const size_t size = WIRE_POINTS * sizeof(double);
    bool same = a->time == b->time && a->work == b->work && a->kept_energy == b->kept_energy;
    for (int c = 0; c < 3; c++)
        same = same && memcmp(a->q[c], b->q[c], size) == 0 && memcmp(a->v[c], b->v[c], size) == 0 &&
               memcmp(a->sound_jerk[c], b->sound_jerk[c], size) == 0 && memcmp(a->d0[c], b->d0[c], size) == 0;
    const twRodStats s = tw_rod_stats(a), t = tw_rod_stats(b);
    return same && memcmp(a->v[3], b->v[3], size) == 0 && memcmp(&s, &t, sizeof s) == 0;
}

static int a_loaded_rod_goes_on_to_the_bit(void)
{
    static const int moments[] = {0, 1, 77, 300};  // before the first step, in a blow, and after it
    for (int history = 0; history < HISTORIES; history++)
        for (int m = 0; m < 4; m++)
        {
            Wire wire;
            history_make(&wire, history);
            twRod *a = wire_create(&wire), *b = wire_create(&wire);
            ENSURE(a && b);
            int k = 0;
            for (; k < moments[m]; k++) prepare(a, history, k), go_on(a, history, k);
            // between what is asked for and the step that does it; the other one is somewhere else
            prepare(a, history, k);
            tw_rod_push(b, 3, tw_vec3(1, 2, 3));
            for (int i = 0; i < 3; i++) tw_rod_step(b);
            const size_t count = tw_rod_state_bytes(a);
            void* bytes = malloc(count);
            ENSURE(bytes);
            tw_rod_save(a, bytes);
            ENSURE(tw_rod_load(b, bytes, count));
            free(bytes);
            for (int i = 0; i < 500; i++, k++)
            {
                if (i > 0) prepare(a, history, k), prepare(b, history, k);
                go_on(a, history, k), go_on(b, history, k);
                ENSURE(is_same(a, b));
            }
            tw_rod_destroy(a), tw_rod_destroy(b);
        }
    return 0;
}

// what is saved again is the same
static int bytes_come_back_as_they_were(void)
{
    for (int history = 0; history < HISTORIES; history++)
    {
        Wire wire;
        history_make(&wire, history);
        twRod *a = wire_create(&wire), *b = wire_create(&wire);
        ENSURE(a && b);
        for (int k = 0; k < 100; k++) prepare(a, history, k), go_on(a, history, k);
        const size_t count = tw_rod_state_bytes(a);
        void *first = malloc(count), *second = malloc(count);
        ENSURE(first && second);
        tw_rod_save(a, first);
        ENSURE(tw_rod_load(b, first, count));
        tw_rod_save(b, second);
        ENSURE(memcmp(first, second, count) == 0);
        free(first), free(second);
        tw_rod_destroy(a), tw_rod_destroy(b);
    }
    return 0;
}

// saving costs a new matrix, nothing else: the motion is that of a rod that was not saved
static int saving_does_not_change_the_motion(void)
{
    Wire wire;
    wire_make(&wire, WIRE_HELIX);
    wire.def.pulse_count = 1, wire.def.tolerance = 1e-6;
    twRod *a = wire_create(&wire), *b = wire_create(&wire);
    void* bytes = malloc(tw_rod_state_bytes(a));
    ENSURE(a && b && bytes);
    for (int k = 0; k < 300; k++)
    {
        if (k % 50 == 49) tw_rod_save(a, bytes);
        tw_rod_step(a), tw_rod_step(b);
    }
    double most = 0;
    for (int i = 0; i < WIRE_POINTS; i++)
        for (int c = 0; c < 3; c++) most = fmax(most, fabs(b->q[c][i] - ((const double*)&wire.points[i])[c]));
    for (int i = 0; i < WIRE_POINTS; i++)
        for (int c = 0; c < 3; c++) ENSURE_NEAR(a->q[c][i], b->q[c][i], 1e-7 * most);
    ENSURE(tw_rod_stats(a).refactorisations >= tw_rod_stats(b).refactorisations + 6);
    free(bytes);
    tw_rod_destroy(a), tw_rod_destroy(b);
    return 0;
}

// any byte wrong, any missing: refused, and the rod is as it was
static int damaged_bytes_are_refused(void)
{
    Wire wire;
    wire_make(&wire, WIRE_HELD);
    twRod *a = wire_create(&wire), *b = wire_create(&wire), *c = wire_create(&wire);
    ENSURE(a && b && c);
    for (int k = 0; k < 20; k++) prepare(a, 1, k), tw_rod_step(a);
    const size_t count = tw_rod_state_bytes(a);
    char* bytes = malloc(count + 1);
    ENSURE(bytes);
    tw_rod_save(a, bytes);
    bytes[count] = 0;
    for (size_t at = 0; at < count; at += at < 64 ? 1 : 997)
    {
        bytes[at] ^= 4;
        ENSURE(!tw_rod_load(b, bytes, count));
        bytes[at] ^= 4;
    }
    ENSURE(!tw_rod_load(b, bytes, count - 1) && !tw_rod_load(b, bytes, count + 1));
    ENSURE(!tw_rod_load(b, bytes, 10) && !tw_rod_load(b, NULL, 0));
    ENSURE(is_same(b, c));
    ENSURE(tw_rod_load(b, bytes, count) && !is_same(b, c));
    free(bytes);
    tw_rod_destroy(a), tw_rod_destroy(b), tw_rod_destroy(c);
    return 0;
}

static int bytes_of_another_rod_are_refused(void)
{
    Wire wire;
    wire_make(&wire, WIRE_STRAIGHT);
    twRod* a = wire_create(&wire);
    ENSURE(a);
    const size_t count = tw_rod_state_bytes(a);
    void* bytes = malloc(count);
    ENSURE(bytes);
    tw_rod_save(a, bytes);
    for (int k = 0; k < 7; k++)
    {
        wire_make(&wire, k == 0 ? WIRE_RING : WIRE_STRAIGHT);
        if (k == 1) wire.def.young *= 1.01;
        if (k == 2) wire.def.density *= 1.01;
        if (k == 3) wire.def.point_count--;
        if (k == 4) wire.def.rate_hz = 48000;
        if (k == 5) wire.def.shear = true;
        if (k == 6) wire.def.loss_factor = 1e-3;
        twRod* b = wire_create(&wire);
        ENSURE(b);
        ENSURE(!tw_rod_load(b, bytes, count));
        tw_rod_destroy(b);
    }
    free(bytes);
    tw_rod_destroy(a);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_loaded_rod_goes_on_to_the_bit)
    RUN(bytes_come_back_as_they_were)
    RUN(saving_does_not_change_the_motion)
    RUN(damaged_bytes_are_refused)
    RUN(bytes_of_another_rod_are_refused)
)
