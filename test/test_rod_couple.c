// SPDX-License-Identifier: MIT
// Tests of steps that others take part in. Expected values: closed forms of the scheme, differences of steps, conservation laws.
#include "wire.h"

// ---- how far forces move a rod ----

// a force in proportion to the mass moves all points by h^2/2 f/m
static int a_free_mass_goes_half_of_force_over_mass_times_h_squared(void)
{
    for (int shape = WIRE_STRAIGHT; shape <= WIRE_RING; shape++)
    {
        Wire wire;
        WireField force, way;
        wire_make(&wire, (WireShape)shape);
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        const double h = 1 / rod->rate_hz;
        tw_rod_open(rod, 0, h, h, true);
        wire_field(&force), wire_field(&way);
        for (int i = 0; i < WIRE_POINTS; i++) force.at[1][i] = rod->row_mass[i];
        tw_rod_respond(rod, force.part, way.part);
        for (int i = 0; i < WIRE_POINTS; i++)
        {
            ENSURE_NEAR(way.at[1][i], h * h / 2, 1e-9 * h * h);
            ENSURE_NEAR(way.at[0][i], 0, 1e-9 * h * h);
        }
        tw_rod_destroy(rod);
    }
    return 0;
}

// stages at 1/2 -+ s: (h^2/2)/(1 + (1/4 - 2 s^2) mu + s^4 mu^2), mu = (w h)^2; with Gauss's s 1 + mu/12 + mu^2/144
static int a_mode_goes_as_the_scheme_says(void)
{
    static const int modes[] = {7, 12, 30, 60, 100};
    static double square[WIRE_POINTS * 4], shape[WIRE_POINTS * 4];
    for (int m = 0; m < 5; m++)
    {
        Wire wire;
        WireField force, way;
        wire_make(&wire, WIRE_HELIX);
        twRod* rod = wire_create(&wire);
        ENSURE(rod && rod_modes(rod, square, modes[m], shape) > 0);
        wire_field(&force), wire_field(&way);
        for (int k = 0; k < 4 * WIRE_POINTS; k++) rod->scratch[k % 4][k / 4] = shape[k];
        tw_rod_mass_of(rod, rod->scratch, rod->mz[0]);
        for (int k = 0; k < 4 * WIRE_POINTS; k++) force.at[k % 4][k / 4] = rod->mz[0][k % 4][k / 4];
        const double h = 1 / rod->rate_hz, mu = square[modes[m]] * h * h, w0 = 2 * TW_PI * 10000 * h;
        const double s2 = 1. / 12 + 0.3 * w0 * w0 / 720;
        const double expected = h * h / 2 / (1 + (0.25 - 2 * s2) * mu + s2 * s2 * mu * mu);
        tw_rod_open(rod, 0, h, h, true);
        tw_rod_respond(rod, force.part, way.part);
        double largest = 0;
        for (int k = 0; k < 4 * WIRE_POINTS; k++) largest = fmax(largest, fabs(shape[k]));
        for (int k = 0; k < 4 * WIRE_POINTS; k++)
            ENSURE_NEAR(way.at[k % 4][k / 4], expected * shape[k], 1e-6 * expected * largest);
        tw_rod_destroy(rod);
    }
    return 0;
}

// also when the rod moved since the matrix was made
static int the_response_is_symmetric_and_positive(void)
{
    for (int kind = 0; kind < 4 * WIRE_SHAPES; kind++)
    {
        Wire wire;
        WireField f, g, of_f, of_g;
        wire_make(&wire, (WireShape)(kind / 4));
        wire.def.shear = kind % 2, wire.def.integrator = (twRodIntegrator)(kind / 2 % 2);
        wire.def.pulse_count = 1;
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        for (int k = 0; k < 200; k++) tw_rod_step(rod);
        tw_rod_open(rod, rod->time, 1 / rod->rate_hz, 1 / rod->rate_hz, true);
        for (int k = 0; k < 20; k++)
        {
            wire_noise(&f, 1, k), wire_noise(&g, 1, 2 * k + 0.5), wire_field(&of_f);
            tw_rod_respond(rod, f.part, of_f.part);
            // in place
            of_g = g;
            for (int c = 0; c < ROD_COUPLED; c++) of_g.part[c] = of_g.at[c];
            tw_rod_respond(rod, of_g.part, of_g.part);
            const double ff = wire_dot(&f, &of_f), gg = wire_dot(&g, &of_g);
            ENSURE(ff > 0 && gg > 0);
            ENSURE_NEAR(wire_dot(&f, &of_g), wire_dot(&g, &of_f), 1e-12 * sqrt(ff * gg));
        }
        tw_rod_destroy(rod);
    }
    return 0;
}

// the way of a point along one of its axes, or its turn
static double way_along(const twRod* rod, const WireField* way, int i, int axis)
{
    double* const* axes[3] = {rod->d0, rod->e0, rod->t0};
    if (axis == 3) return way->at[3][i];
    return way->at[0][i] * axes[axis][0][i] + way->at[1][i] * axes[axis][1][i] + way->at[2][i] * axes[axis][2][i];
}

// what is beyond their reach is missing, by a few hundredths of what the point itself goes
static int compliances_of_points_are_parts_of_the_response(void)
{
    for (int shape = WIRE_STRAIGHT; shape <= WIRE_HELIX; shape++)
    {
        Wire wire;
        WireField force, way;
        wire_make(&wire, (WireShape)shape);
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        double* const* axes[3] = {rod->d0, rod->e0, rod->t0};
        tw_rod_open(rod, 0, 1 / rod->rate_hz, 1 / rod->rate_hz, true);
        const int reach = tw_rod_local_reach(rod), middle = WIRE_POINTS / 2;
        const int points[] = {0,      1,          middle - 3,      middle - 2,     middle - 1,
                              middle, middle + 1, WIRE_POINTS - 3, WIRE_POINTS - 1};
        ENSURE(reach > 1);
        for (int k = 0; k < 4 * (int)(sizeof points / sizeof *points); k++)
        {
            const int i = points[k / 4], axis = k % 4;
            wire_field(&force), wire_field(&way);
            for (int c = 0; c < 3 && axis < 3; c++) force.at[c][i] = axes[axis][c][i];
            if (axis == 3) force.at[3][i] = 1;
            tw_rod_respond(rod, force.part, way.part);
            ENSURE(tw_rod_local_need(rod, i));
            const float* block = tw_rod_local(rod, i) + 4 * axis;
            const double own = way_along(rod, &way, i, axis);
            ENSURE_NEAR(block[axis], own, 0.05 * own);
            for (int j = i; j <= i + reach / 2 && j < WIRE_POINTS; j++)
                ENSURE_NEAR(block[16 * (j - i) + axis], way_along(rod, &way, j, axis), 0.1 * own);
        }
        tw_rod_destroy(rod);
    }
    return 0;
}

// a factor that is not theirs would let their steps diverge
static int held_rods_of_other_shapes_lend_each_other_nothing(void)
{
    RodLender* lender = tw_rod_lender_create();
    twRod* rods[3];
    for (int k = 0; k < 3; k++)
    {
        Wire wire;
        wire_make(&wire, k < 2 ? WIRE_HELIX : WIRE_STRAIGHT);
        for (int end = 0; end < 2; end++)
            wire.ends[end] = (twRodSupport){.point = end ? WIRE_POINTS - 1 : 0, .kind = TW_ROD_PINNED};
        wire.def.supports = wire.ends;
        wire.def.support_count = 2;
        rods[k] = wire_create(&wire);
        ENSURE(rods[k]);
        tw_rod_borrow_from(rods[k], lender);
        tw_rod_step(rods[k]);
    }
    ENSURE(rods[1]->band->down[0] == rods[0]->band->down[0]);
    ENSURE(rods[2]->band->down[0] != rods[0]->band->down[0]);
    for (int k = 0; k < 3; k++) tw_rod_destroy(rods[k]);
    tw_rod_lender_destroy(lender);
    return 0;
}

static int copies_that_share_move_as_one_alone_does(void)
{
    RodLender* lender = tw_rod_lender_create();
    twRod* rods[3];
    for (int k = 0; k < 3; k++)
    {
        Wire wire;
        wire_make(&wire, WIRE_HELIX);
        wire.def.pulse_count = 1;
        rods[k] = wire_create(&wire);
        ENSURE(rods[k]);
        if (k < 2) tw_rod_borrow_from(rods[k], lender);
    }
    ENSURE(tw_rod_share(rods[1], rods[0]) && rods[1]->b11 == rods[0]->b11);
    for (int n = 0; n < 300; n++)
        for (int k = 0; k < 3; k++) tw_rod_step(rods[k]);
    ENSURE(rods[1]->band->down[0] == rods[0]->band->down[0] && rods[1]->band->down[0] != rods[2]->band->down[0]);
    double size = 0;
    for (int i = 0; i < WIRE_POINTS; i++) size = fmax(size, fabs(rods[2]->v[2][i]));
    for (int i = 0; i < 3 * WIRE_POINTS; i++)
        for (int k = 0; k < 2; k++) ENSURE_NEAR(rods[k]->v[i % 3][i / 3], rods[2]->v[i % 3][i / 3], 1e-6 * size);
    for (int k = 1; k < 4; k++) tw_rod_destroy(rods[k % 3]);
    tw_rod_lender_destroy(lender);
    return 0;
}

// two steps with forces that differ a little; a rod under stress, as the helix is, moves in them, and its matrix with it
static int the_response_is_the_difference_of_two_steps(void)
{
    for (int kind = 0; kind < 4 * WIRE_SHAPES; kind++)
    {
        Wire wire;
        WireField force, more, change, ways[2], way, rest;
        wire_make(&wire, (WireShape)(kind / 4));
        wire.def.shear = kind % 2, wire.def.integrator = (twRodIntegrator)(kind / 2 % 2);
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        wire_noise(&force, 0.01, 1), wire_noise(&change, 0.01, 5), more = force;
        for (int c = 0; c < ROD_COUPLED; c++)
            for (int i = 0; i < WIRE_POINTS; i++) more.at[c][i] += change.at[c][i];
        for (int k = 0; k < 2; k++)
        {
            wire_open(rod, k ? &more : &force, true);
            tw_rod_way(rod, wire_field(&ways[k])->part);
            if (k == 0) tw_rod_cancel(rod);
        }
        tw_rod_respond(rod, change.part, wire_field(&way)->part);
        wire_field(&rest);
        const double fine = wire.shape == WIRE_HELIX ? 1e-3 : 1e-5;
        double most = 0;
        for (int c = 0; c < ROD_COUPLED; c++)
            for (int i = 0; i < WIRE_POINTS; i++)
            {
                rest.at[c][i] = ways[1].at[c][i] - ways[0].at[c][i] - way.at[c][i];
                if (c < 3) most = fmax(most, fabs(way.at[c][i]));
            }
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < WIRE_POINTS; i++) ENSURE_NEAR(rest.at[c][i], 0, fine * most);
        ENSURE_NEAR(wire_dot(&change, &rest), 0, fine * wire_dot(&change, &way));
        tw_rod_destroy(rod);
    }
    return 0;
}

// how far places are off when forces change from some to more and are followed, by iterating to the end; said: what the rod thinks of it
static double off_by_following(twRod* rod, WireField* some, WireField* more, double* said, bool* fine)
{
    WireField ways[2];
    double off = 0;
    wire_open(rod, some, true);
    for (int c = 0; c < ROD_COUPLED; c++) memcpy(tw_rod_forces(rod)[c], more->at[c], sizeof more->at[c]);
    *fine = tw_rod_follow(rod);
    *said = rod->piece.strayed;
    tw_rod_way(rod, wire_field(&ways[0])->part);
    for (int k = 0; k < 12; k++) tw_rod_iterate(rod);
    tw_rod_way(rod, wire_field(&ways[1])->part);
    tw_rod_cancel(rod);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < WIRE_POINTS; i++) off = fmax(off, fabs(ways[0].at[c][i] - ways[1].at[c][i]));
    return off;
}

// rods of all shapes that ring, also with shear and closed
static int rods_follow_a_small_change_of_forces(void)
{
    for (int kind = 0; kind < 2 * WIRE_SHAPES; kind++)
    {
        Wire wire;
        WireField force, more;
        double said;
        bool fine;
        wire_make(&wire, (WireShape)(kind / 2));
        wire.def.shear = kind % 2, wire.def.pulse_count = 1;
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        for (int k = 0; k < 100; k++) tw_rod_step(rod);
        wire_noise(&force, 0.1, 1), more = force;
        for (int i = 0; i < WIRE_POINTS; i++) more.at[1][i] *= 1 + 1e-6;
        const double off = off_by_following(rod, &force, &more, &said, &fine);
        ENSURE(fine && off < 2 * rod->enough);
        tw_rod_destroy(rod);
    }
    return 0;
}

// with these forces, to the tolerance
static void settle_with(twRod* rod, const WireField* force)
{
    bool done = false;
    for (int k = 0; k < 20 && !done; k++)
    {
        for (int c = 0; c < ROD_COUPLED; c++) memcpy(tw_rod_forces(rod)[c], force->at[c], sizeof force->at[c]);
        done = tw_rod_iterate(rod) < tw_rod_enough(rod);
    }
}

// how far the step is from where more iterations bring it, by the tolerance
static double off_by_settling(twRod* rod)
{
    const double enough = rod->enough;
    WireField ways[2];
    double off = 0;
    tw_rod_way(rod, wire_field(&ways[0])->part);
    for (int k = 0; k < 8; k++) tw_rod_iterate(rod);
    tw_rod_way(rod, wire_field(&ways[1])->part);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < WIRE_POINTS; i++) off = fmax(off, fabs(ways[0].at[c][i] - ways[1].at[c][i]));
    return off / enough;
}

// A wire that is bent more and more while others shake it: contractions get worse, and forces that never cease hide that.
static int rods_that_are_always_pushed_keep_their_tolerance(void)
{
    static const double sizes[] = {0.3, 8};
    for (int k = 0; k < 2; k++)
    {
        Wire wire;
        wire_make(&wire, WIRE_HELD);
        wire.def.support_count = 1, wire.def.beta = 1e-5;
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        const double h = 1 / rod->rate_hz;
        for (int step = 0; step < 4000; step++)
        {
            WireField force, first;
            const double size = sizes[k] * fmin(1, step / 2000.0);
            wire_field(&force);
            force.at[0][WIRE_POINTS - 1] = size * sin(0.9 * step);
            force.at[1][WIRE_POINTS - 1] = size, force.at[2][WIRE_POINTS / 2] = -size;
            first = force;
            for (int i = 0; i < ROD_COUPLED * WIRE_POINTS; i++) first.at[i / WIRE_POINTS][i % WIRE_POINTS] *= 0.98;
            tw_rod_open(rod, step * h, h, h, true);
            settle_with(rod, &first);
            for (int c = 0; c < ROD_COUPLED; c++) memcpy(tw_rod_forces(rod)[c], force.at[c], sizeof force.at[c]);
            if (!tw_rod_follow(rod)) settle_with(rod, &force);
            if (step % 37 == 36) ENSURE(off_by_settling(rod) < 5);
            tw_rod_close(rod);
            tw_rod_end_step(rod, 0);
        }
        tw_rod_destroy(rod);
    }
    return 0;
}

// a push out of sight, that ends: what it moves by then is nothing against where it has been, but no solution
static int rods_that_are_lost_stay_lost(void)
{
    for (int k = 0; k < 2; k++)
    {
        Wire wire;
        wire_make(&wire, k ? WIRE_RING : WIRE_STRAIGHT);
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        tw_rod_step(rod);
        const double h = 1 / rod->rate_hz;
        tw_rod_open(rod, h, h, h, true);
        for (int round = 0; round < 12; round++)
        {
            for (int c = 0; c < ROD_COUPLED; c++)
                for (int i = 0; i < WIRE_POINTS; i++) tw_rod_forces(rod)[c][i] = round == 0 ? 2200 : 0;
            const double change = tw_rod_iterate(rod);
            ENSURE(!(change < tw_rod_enough(rod)) && tw_rod_diverges(rod));
        }
        tw_rod_cancel(rod);
        tw_rod_destroy(rod);
    }
    return 0;
}

// frames are those of the start, which of one that spins is wrong: it knows
static int rods_know_how_far_they_stray(void)
{
    static const double spins[] = {0, 10, 300, 3000};
    for (int k = 0; k < 4; k++)
    {
        Wire wire;
        WireField force, more;
        twVec3 velocity[WIRE_POINTS];
        double said;
        bool fine;
        wire_make(&wire, WIRE_STRAIGHT);
        for (int i = 0; i < WIRE_POINTS; i++) velocity[i] = tw_vec3(0, spins[k] * (wire.points[i].x - 0.2), 0);
        wire.def.velocities = velocity, wire.def.pulse_count = 1;
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        for (int step = 0; step < 20; step++) tw_rod_step(rod);
        wire_noise(&force, 0.1, 1), more = force;
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < WIRE_POINTS; i++) more.at[c][i] *= 1.1;
        const double off = off_by_following(rod, &force, &more, &said, &fine);
        ENSURE(!fine && off > rod->enough && off < said && off > 1e-3 * said);
        tw_rod_destroy(rod);
    }
    return 0;
}

// the same of rods that spin about themselves, as thin ones do that roll
static int rods_that_roll_know_how_far_they_stray(void)
{
    for (int k = 0; k < 6; k++)
    {
        Wire wire;
        WireField force, more;
        double spins[WIRE_POINTS], said;
        bool fine;
        wire_make(&wire, k % 2 ? WIRE_RING : WIRE_HELD);
        for (int i = 0; i < WIRE_POINTS; i++) spins[i] = 5000 * (1 + k / 2);
        wire.def.spins = spins, wire.def.rate_hz = 176400, wire.def.pulse_count = 1;
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        for (int step = 0; step < 20; step++) tw_rod_step(rod);
        wire_noise(&force, 0.1, 1), more = force;
        for (int c = 0; c < ROD_COUPLED; c++)
            for (int i = 0; i < WIRE_POINTS; i++) more.at[c][i] *= 1.1;
        const double off = off_by_following(rod, &force, &more, &said, &fine);
        ENSURE(!fine && off > rod->enough && off < said && off > 1e-3 * said);
        tw_rod_destroy(rod);
    }
    return 0;
}

// forces and responses, on rows long enough to be solved in float too
static int all_kernels_respond_alike(void)
{
    enum
    {
        N = 750
    };
    static const char* const names[] = {"generic", "avx2", "avx512"};
    static twVec3 points[N];
    static double force[ROD_COUPLED][N], way[2][ROD_COUPLED][N];
    double *in[ROD_COUPLED], *out[2][ROD_COUPLED];
    for (int i = 0; i < N; i++) points[i] = tw_vec3(0.03 * cos(0.1 * i), 0.03 * sin(0.1 * i), 2e-4 * i);
    for (int c = 0; c < ROD_COUPLED; c++)
    {
        in[c] = force[c], out[0][c] = way[0][c], out[1][c] = way[1][c];
        force[c][N / 2] = c < 3 ? 0.01 : 1e-5, force[c][N - 1] = -2 * force[c][N / 2];
    }
    Wire wire;
    wire_make(&wire, WIRE_STRAIGHT);
    wire.def.point_count = N, wire.def.points = points;
    for (int k = 0; k < 6; k++)
    {
        twRod* rod = NULL;
        ENSURE(tw_rod_create(&rod, &wire.def, NULL) == TW_OK);
        const RodKernel* kernel = tw_rod_kernel(names[k % 3]);
        if (kernel) rod->kernel = kernel;
        const bool brief = k >= 3;
        rod->band->use_short = brief;
        tw_rod_open(rod, 0, 1 / rod->rate_hz, 1 / rod->rate_hz, true);
        for (int c = 0; c < ROD_COUPLED; c++) memcpy(tw_rod_forces(rod)[c], force[c], sizeof force[c]);
        for (int i = 0; i < 8; i++) tw_rod_iterate(rod);
        // what is solved roughly, the iteration mends
        tw_rod_way(rod, out[0]);
        tw_rod_respond(rod, in, out[1]);
        const double most = fabs(way[0][2][N - 1]), fine = brief ? 1e-3 : 1e-5;
        ENSURE(most > 0);
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < N; i++) ENSURE_NEAR(way[1][c][i], way[0][c][i], fine * most);
        tw_rod_destroy(rod);
    }
    return 0;
}

static int held_points_do_not_give_way(void)
{
    Wire wire;
    WireField force, way;
    wire_make(&wire, WIRE_HELD);
    twRod* rod = wire_create(&wire);
    ENSURE(rod);
    wire_field(&force), wire_field(&way);
    for (int c = 0; c < 3; c++) force.at[c][0] = force.at[c][WIRE_POINTS - 1] = 1;
    wire_open(rod, &force, true);
    tw_rod_respond(rod, force.part, way.part);
    for (int i = 0; i < WIRE_POINTS; i++)
        for (int c = 0; c < ROD_COUPLED; c++) ENSURE(way.at[c][i] == 0);
    tw_rod_way(rod, way.part);
    for (int i = 0; i < WIRE_POINTS; i++)
        for (int c = 0; c < ROD_COUPLED; c++) ENSURE_NEAR(way.at[c][i], 0, 1e-15);
    wire_noise(&force, 1, 3);
    tw_rod_respond(rod, force.part, way.part);
    for (int c = 0; c < 3; c++) ENSURE(way.at[c][0] == 0 && way.at[c][WIRE_POINTS - 1] == 0 && way.at[c][20] != 0);
    tw_rod_destroy(rod);
    return 0;
}

// ---- steps ----

static void fill(WireField* force, int step)
{
    wire_field(force);
    force->at[2][30] = step < 100 ? 2 * sin(0.03 * step) : 0, force->at[1][7] = step < 50 ? -1 : 0;
    force->at[3][12] = step < 60 ? 1e-3 : 0;
}

static int forces_of_others_act_like_pushes(void)
{
    for (int shape = 0; shape < 2 * WIRE_SHAPES; shape++)
    {
        Wire wire;
        WireField force;
        wire_make(&wire, (WireShape)(shape / 2));
        wire.def.tolerance = 1e-6, wire.def.integrator = (twRodIntegrator)(shape % 2);
        twRod *a = wire_create(&wire), *b = wire_create(&wire);
        ENSURE(a && b);
        for (int k = 0; k < 200; k++)
        {
            fill(&force, k);
            force.at[3][12] = 0;
            wire_step(a, &force, false);
            tw_rod_push(b, 30, tw_vec3(0, 0, force.at[2][30]));
            tw_rod_push(b, 7, tw_vec3(0, force.at[1][7], 0));
            tw_rod_step(b);
        }
        double most = 0;
        for (int i = 0; i < WIRE_POINTS; i++)
            for (int c = 0; c < 3; c++) most = fmax(most, fabs(b->q[c][i] - ((const double*)&wire.points[i])[c]));
        for (int i = 0; i < WIRE_POINTS; i++)
            for (int c = 0; c < 3; c++) ENSURE_NEAR(a->q[c][i], b->q[c][i], 1e-6 * most);
        ENSURE_NEAR(tw_rod_energy(a).work, tw_rod_energy(b).work, 1e-6 * tw_rod_energy(b).work);
        ENSURE(a->time == b->time && tw_rod_stats(a).steps == 200);
        tw_rod_destroy(a), tw_rod_destroy(b);
    }
    return 0;
}

static twVec3 momentum(twRod* rod)
{
    twVec3 sum = {0, 0, 0};
    for (int i = 0; i < rod->n; i++)
        for (int c = 0; c < 3; c++) ((double*)&sum)[c] += rod->row_mass[i] * rod->v[c][i];
    return sum;
}

// at the default tolerance: the iteration need not find it
static int momentum_is_the_sum_of_impulses(void)
{
    for (int shape = WIRE_STRAIGHT; shape <= WIRE_RING; shape++)
    {
        Wire wire;
        WireField force;
        wire_make(&wire, (WireShape)shape);
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        double impulse[3] = {0, 0, 0}, size = 0;
        for (int k = 0; k < 150; k++)
        {
            fill(&force, k);
            wire_step(rod, &force, false);
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < WIRE_POINTS; i++)
                    impulse[c] += force.at[c][i] / rod->rate_hz, size += fabs(force.at[c][i]) / rod->rate_hz;
        }
        const twVec3 p = momentum(rod);
        for (int c = 0; c < 3; c++) ENSURE_NEAR(((const double*)&p)[c], impulse[c], 1e-12 * size);
        tw_rod_destroy(rod);
    }
    return 0;
}

// of each step, by what tw_rod_way() tells before it is closed; without damping all of it is energy
static int work_is_force_times_way_and_becomes_energy(void)
{
    for (int kind = 0; kind < 4 * WIRE_SHAPES; kind++)
    {
        Wire wire;
        WireField force, way;
        wire_make(&wire, (WireShape)(kind / 4));
        wire.def.shear = kind % 2, wire.def.beta = kind / 2 % 2 ? 1e-6 : 0, wire.def.account = true;
        wire.def.tolerance = 1e-5;
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        const twRodEnergy first = tw_rod_energy(rod);
        double work = 0;
        for (int k = 0; k < 300; k++)
        {
            fill(&force, k);
            wire_open(rod, &force, false);
            tw_rod_way(rod, wire_field(&way)->part);
            double before[3], place = rod->q[1][7];
            for (int c = 0; c < 3; c++) before[c] = rod->q[c][30];
            tw_rod_close(rod);
            for (int c = 0; c < 3; c++) ENSURE_NEAR(rod->q[c][30] - before[c], way.at[c][30], 1e-16);
            ENSURE_NEAR(rod->q[1][7] - place, way.at[1][7], 1e-16);
            tw_rod_end_step(rod, 0);
            work += wire_dot(&force, &way);
        }
        const twRodEnergy e = tw_rod_energy(rod);
        ENSURE(work > 1e-5);
        ENSURE_NEAR(e.work, work, 1e-12 * work);
        const double gain = tw_rod_total(&e) + e.dissipated - tw_rod_total(&first);
        ENSURE_NEAR(gain, work, 1e-4 * work);
        tw_rod_destroy(rod);
    }
    return 0;
}

// what was iterated is forgotten; the same step again gives the same
static int a_cancelled_step_leaves_no_trace(void)
{
    for (int shape = 0; shape < WIRE_SHAPES; shape++)
    {
        Wire wire;
        WireField force;
        wire_make(&wire, (WireShape)shape);
        wire.def.pulse_count = 1, wire.def.tolerance = 1e-7;
        twRod *a = wire_create(&wire), *b = wire_create(&wire);
        ENSURE(a && b);
        for (int k = 0; k < 100; k++) tw_rod_step(a), tw_rod_step(b);
        wire_noise(&force, 5, 1);
        wire_open(a, &force, false);
        tw_rod_cancel(a);
        for (int c = 0; c < 3; c++)
            ENSURE(memcmp(a->q[c], b->q[c], WIRE_POINTS * sizeof(double)) == 0 &&
                   memcmp(a->v[c], b->v[c], WIRE_POINTS * sizeof(double)) == 0);
        // two halves with other forces, which are 0 when a piece is opened
        const double h = 0.5 / a->rate_hz;
        for (int k = 0; k < 2; k++)
        {
            tw_rod_open(a, a->time + k * h, h, 2 * h - k * h, k == 0);
            for (int c = 0; c < ROD_COUPLED; c++) ENSURE(tw_rod_forces(a)[c][20] == 0);
            for (int i = 0; i < 20 && !(tw_rod_iterate(a) < tw_rod_enough(a));) i++;
            tw_rod_close(a);
        }
        tw_rod_end_step(a, 0);
        tw_rod_step(b);
        ENSURE(a->time == b->time);
        double most = 0;
        for (int i = 0; i < WIRE_POINTS; i++)
            for (int c = 0; c < 3; c++) most = fmax(most, fabs(b->v[c][i]));
        for (int i = 0; i < WIRE_POINTS; i++)
            for (int c = 0; c < 3; c++) ENSURE_NEAR(a->q[c][i], b->q[c][i], 0.02 * most * h);
        tw_rod_destroy(a), tw_rod_destroy(b);
    }
    return 0;
}

// ---- damping near rest ----

static twVec3 spin_of(twRod* rod)
{
    twVec3 sum = {0, 0, 0};
    tw_rod_mass_of(rod, rod->v, rod->mz[0]);
    for (int i = 0; i < rod->n; i++)
    {
        const twVec3 x = {rod->q[0][i], rod->q[1][i], rod->q[2][i]};
        sum = tw_vec3_add(sum, tw_vec3_cross(x, tw_vec3(rod->mz[0][0][i], rod->mz[0][1][i], rod->mz[0][2][i])));
        const twVec3 t = {rod->t0[0][i], rod->t0[1][i], rod->t0[2][i]};
        if (i < rod->ne) sum = tw_vec3_add_scaled(sum, t, rod->mz[0][3][i]);
    }
    return sum;
}

static void shake(twRod* rod, double size, bool rigid)
{
    const twVec3 spin = {2 * size, -3 * size, 1.5 * size};
    for (int i = 0; i < rod->n; i++)
    {
        const twVec3 x = {rod->q[0][i], rod->q[1][i], rod->q[2][i]}, v = tw_vec3_cross(spin, x);
        const twVec3 t = {rod->t0[0][i], rod->t0[1][i], rod->t0[2][i]};
        for (int c = 0; c < 3; c++)
            rod->v[c][i] = rod->free_x[i] * (rigid ? ((const double*)&v)[c] : size * sin(i * i + c));
        rod->v[3][i] = rod->free_t[i] * (rigid ? tw_vec3_dot(spin, t) : 9 * size * cos(3 * i));
    }
    tw_rod_wrap(rod, rod->v, rod->dofs);
}

static int calming_keeps_momentum_and_takes_energy(void)
{
    for (int shape = 0; shape < WIRE_SHAPES; shape++)
        for (double speed = 0.01; speed < 20; speed *= 2)
        {
            Wire wire;
            wire_make(&wire, (WireShape)shape);
            twRod* rod = wire_create(&wire);
            ENSURE(rod);
            shake(rod, speed, false);
            const double before = tw_rod_kinetic(rod);
            const twVec3 p = momentum(rod), l = spin_of(rod);
            tw_rod_calm(rod, 1);
            const double after = tw_rod_kinetic(rod);
            const bool slow = sqrt(2 * before / rod->total_mass) < 1;
            ENSURE(slow ? after < before : after == before);
            if (shape != WIRE_HELD)
            {
                ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(momentum(rod), p)), 0, 1e-12 * speed * rod->total_mass);
                ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(spin_of(rod), l)), 0, 1e-12 * speed * rod->total_mass);
            }
            tw_rod_destroy(rod);
        }
    return 0;
}

static int calming_leaves_rigid_motion_and_ends_all_other(void)
{
    for (int shape = WIRE_STRAIGHT; shape <= WIRE_RING; shape++)
    {
        Wire wire;
        wire_make(&wire, (WireShape)shape);
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        // rigid, slow: as it was
        shake(rod, 1e-3, true);
        const double before = tw_rod_kinetic(rod);
        tw_rod_calm(rod, 1);
        ENSURE_NEAR(tw_rod_kinetic(rod), before, 1e-12 * before);
        // far below the threshold nothing but the rigid part is left
        shake(rod, 1e-6, false);
        const double first = tw_rod_kinetic(rod);
        tw_rod_calm(rod, 1);
        const double second = tw_rod_kinetic(rod);
        tw_rod_calm(rod, 1);
        ENSURE(second < 0.5 * first);
        ENSURE_NEAR(tw_rod_kinetic(rod), second, 1e-9 * second);
        tw_rod_destroy(rod);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_free_mass_goes_half_of_force_over_mass_times_h_squared)
    RUN(a_mode_goes_as_the_scheme_says)
    RUN(the_response_is_symmetric_and_positive)
    RUN(the_response_is_the_difference_of_two_steps)
    RUN(rods_follow_a_small_change_of_forces)
    RUN(rods_that_are_always_pushed_keep_their_tolerance)
    RUN(rods_that_are_lost_stay_lost)
    RUN(rods_know_how_far_they_stray)
    RUN(rods_that_roll_know_how_far_they_stray)
    RUN(all_kernels_respond_alike)
    RUN(compliances_of_points_are_parts_of_the_response)
    RUN(held_rods_of_other_shapes_lend_each_other_nothing)
    RUN(copies_that_share_move_as_one_alone_does)
    RUN(held_points_do_not_give_way)
    RUN(forces_of_others_act_like_pushes)
    RUN(momentum_is_the_sum_of_impulses)
    RUN(work_is_force_times_way_and_becomes_energy)
    RUN(a_cancelled_step_leaves_no_trace)
    RUN(calming_keeps_momentum_and_takes_energy)
    RUN(calming_leaves_rigid_motion_and_ends_all_other)
)
