// SPDX-License-Identifier: MIT
// Rods that are rubbed. Expected values: Newton's law under a constant friction, the pitch of a string, energy that only falls or
// rises as with short steps.
#include "rod/rod.h"
#include "test.h"
#include "twang/math.h"

enum
{
    POINTS = 24
};

static const double RATE = 48000;

// a rod along x; held: pinned at its ends and stretched
static twRod* rod_of(double radius, double rate_hz, bool held, double alpha, double beta, double loss)
{
    static twVec3 points[POINTS];
    static twSection section;
    static const twRodSupport ends[2] = {{.kind = TW_ROD_PINNED, .point = 0},
                                         {.kind = TW_ROD_PINNED, .point = POINTS - 1}};
    for (int i = 0; i < POINTS; i++) points[i] = tw_vec3(0.33 * i / (POINTS - 1), 0, 0);
    twSectionDef circle = tw_section_circle(radius);
    if (tw_section_compute(&section, &circle, NULL) != TW_OK) return NULL;
    twRodDef def = tw_rod_def();
    def.point_count = POINTS, def.points = points;
    def.section_count = 1, def.sections = &section;
    def.rate_hz = rate_hz;
    def.alpha = alpha, def.beta = beta, def.loss_factor = loss;
    if (held) def.stretch = 1.0015, def.support_count = 2, def.supports = ends;
    twRod* rod = NULL;
    twError err;
    if (tw_rod_create(&rod, &def, &err) != TW_OK) printf("%s\n", err.text);
    return rod;
}

static twRod* wire(bool held, double alpha, double beta) { return rod_of(0.0004, RATE, held, alpha, beta, 0); }

// of the rod and of the bristles
static double total(twRod* rod)
{
    twRodEnergy e = tw_rod_energy(rod);
    const double bristles = 0.5 * rod->bow.law.stiffness * rod->bow.z * rod->bow.z;
    return bristles + e.kinetic + e.bending + e.twisting + e.stretching + e.shearing + e.springs + e.gravity;
}

static twFrictionLaw law_of(double stiffness, double stat, double dynamic)
{
    twFrictionLaw law = tw_friction_law();
    law.stiffness = stiffness, law.damping = 0.02 * sqrt(stiffness), law.viscosity = 0;
    law.static_friction = stat, law.dynamic_friction = dynamic;
    return law;
}

// pulled along itself by what slides past, it speeds up by f/m until it goes along
static int a_free_rod_is_dragged_along_by_newtons_law(void)
{
    twRod* rod = wire(false, 0, 1e-6);
    ENSURE(rod);
    twFrictionLaw law = law_of(1e5, 0.3, 0.3);
    const double mass = 7850 * TW_PI * 0.0004 * 0.0004 * 0.33, pull = 0.3 * 0.02, speed = 0.5;
    ENSURE(tw_rod_bow(rod, 0, tw_vec3(2, 0, 0), &law));
    int until = (int)(0.8 * speed * mass / pull * RATE);
    for (int i = 0; i < until; i++)
    {
        tw_rod_bow_move(rod, speed, 0.02);
        tw_rod_step(rod);
    }
    twRodView view = tw_rod_view(rod);
    double mean = 0;
    for (int i = 0; i < POINTS; i++) mean += view.velocity[0][i] / POINTS;
    ENSURE_NEAR(mean, pull / mass * until / RATE, 0.01 * speed);
    ENSURE_NEAR(tw_rod_bow_force(rod), pull, 0.01 * pull);
    for (int i = 0; i < until; i++) tw_rod_step(rod);
    mean = 0;
    for (int i = 0; i < POINTS; i++) mean += view.velocity[0][i] / POINTS;
    ENSURE_NEAR(mean, speed, 0.01 * speed);
    ENSURE(fabs(tw_rod_bow_force(rod)) < 0.5 * pull);
    tw_rod_destroy(rod);
    return 0;
}

static double sound[16384];

static int check_bowed_pitch(twRod* rod)
{
    ENSURE(rod);
    twFrictionLaw law = law_of(2e5, 0.8, 0.3);
    twRodView view = tw_rod_view(rod);
    ENSURE(tw_rod_bow(rod, 3, tw_vec3(0, 1, 0), &law));
    for (int i = 0; i < 8000 + 16384; i++)
    {
        tw_rod_bow_move(rod, 0.1, 1);
        tw_rod_step(rod);
        ENSURE(fabs(view.position[1][POINTS / 2]) < 0.02);
        if (i >= 8000) sound[i - 8000] = view.position[1][POINTS / 3];
    }
    // stiff string: f1 = c/2L sqrt(1 + pi^2 EI/(T L^2)), and a bow that presses moves it a little
    twRodDef steel = tw_rod_def();
    double area = TW_PI * 0.0004 * 0.0004, pull = steel.young * area * 0.0015;
    double bend = steel.young * area * 0.0004 * 0.0004 / 4;
    double first =
        sqrt(pull / (steel.density * area)) / (2 * 0.33) * sqrt(1 + TW_PI * TW_PI * bend / (pull * 0.33 * 0.33));
    ENSURE_NEAR(1200 * log2(tw_pitch(sound, 16384, RATE) / first), 0, 30);
    twRodStats stats = tw_rod_stats(rod);
    ENSURE(stats.stops == 0 && stats.halvings == 0);
    tw_rod_destroy(rod);
    return 0;
}

static int a_bowed_string_sounds_at_its_pitch(void)
{
    ENSURE(check_bowed_pitch(wire(true, 2, 1e-7)) == 0);
    ENSURE(check_bowed_pitch(rod_of(0.0004, RATE, true, 2, 0, 5e-3)) == 0);
    return 0;
}

// a finger that rests on a ringing wire, pressing more and less: what the wire has and what friction took never exceed what there was
static int a_finger_at_rest_only_takes(void)
{
    for (int kind = 0; kind < 4; kind++)
    {
        twRod* rod = wire(kind % 2, 0, 0);
        ENSURE(rod);
        twFrictionLaw law = law_of(kind < 2 ? 1e3 : 1e6, 0.9, 0.2);
        law.damping *= kind < 2 ? 1 : 20;
        tw_rod_strike(rod, &(twRodPulse){.point = 7, .force = tw_vec3(0, 2, 1), .duration = 5e-4});
        for (int i = 0; i < 40; i++) tw_rod_step(rod);
        ENSURE(tw_rod_bow(rod, 9, tw_vec3(0, 1, 0.5), &law));
        double start = total(rod);
        for (int i = 0; i < 4000; i++)
        {
            tw_rod_bow_move(rod, 0, i % 100 < 60 ? 0.2 + 0.15 * sin(0.01 * i) : 0);
            tw_rod_step(rod);
            ENSURE(total(rod) + rod->bow.tank <= 1.001 * start);
        }
        ENSURE(rod->bow.tank > 0 && total(rod) < start);
        tw_rod_destroy(rod);
    }
    return 0;
}

// a force below breakaway bends the bristles to and fro; the rod comes back to where it was
static int below_breakaway_nothing_slips(void)
{
    twRod* rod = wire(false, 20, 1e-6);
    ENSURE(rod);
    twFrictionLaw law = law_of(1e5, 0.6, 0.5);
    law.breakaway = 0.8, law.damping = 5;
    ENSURE(tw_rod_bow(rod, 0, tw_vec3(1, 0, 0), &law));
    tw_rod_bow_move(rod, 0, 1);
    twRodView view = tw_rod_view(rod);
    double place[3];
    for (int period = 0; period < 3; period++)
    {
        for (int i = 0; i < 4800; i++)
        {
            tw_rod_push(rod, 0, tw_vec3(0.1 + 0.1 * sin(2 * TW_PI * i / 4800.0), 0, 0));
            tw_rod_step(rod);
        }
        place[period] = view.position[0][0];
    }
    ENSURE(fabs(place[2]) > 1e-7);
    ENSURE_NEAR(place[2], place[1], 1e-12);
    tw_rod_destroy(rod);
    return 0;
}

// in one step they slide many times their bend: they come to rest at it and do not swing around it
static int bristles_that_slide_fast_do_not_overshoot(void)
{
    static const double speeds[] = {1.5, 5, 50};
    for (int i = 0; i < 3; i++)
    {
        // 3 kg, which hardly move
        twRod* rod = rod_of(0.02, RATE, false, 0, 0, 0);
        ENSURE(rod);
        const twFrictionLaw law = tw_friction_law();
        ENSURE(tw_rod_bow(rod, POINTS / 2, tw_vec3(1, 0, 0), &law));
        tw_rod_bow_move(rod, speeds[i], 5);
        for (int n = 0; n < 20; n++)
        {
            tw_rod_step(rod);
            // the first step begins with straight bristles that grip
            if (n == 0) ENSURE(rod->bow.z > 0.9e-5 && rod->bow.z < 1.4e-5);
            if (n > 0) ENSURE_NEAR(rod->bow.z, 1e-5, 1e-8);
            if (n > 1) ENSURE_NEAR(tw_rod_bow_force(rod), tw_friction_steady(&law, 5, speeds[i]), 1e-2);
        }
        tw_rod_destroy(rod);
    }
    return 0;
}

// the most that what a ringing wire and the bristles have rises above its least so far, of the first; a finger rests on it
static double rise_with(double damping, int finer)
{
    twRod* rod = rod_of(0.0004, RATE * finer, true, 0, 0, 0);
    if (!rod) return NAN;
    twFrictionLaw law = tw_friction_law();
    law.damping = damping;
    tw_rod_strike(rod, &(twRodPulse){.point = 10, .force = tw_vec3(0, 20, 0), .duration = 5e-4});
    for (int i = 0; i < 40 * finer; i++) tw_rod_step(rod);
    const bool bowed = tw_rod_bow(rod, 9, tw_vec3(0, 1, 0), &law);
    tw_rod_bow_move(rod, 0, 0.3);
    const double first = total(rod);
    double least = first, rise = 0;
    for (int i = 0; bowed && i < 480 * finer; i++)
    {
        tw_rod_step(rod);
        const double now = total(rod);
        rise = fmax(rise, now - least);
        least = fmin(least, now);
    }
    tw_rod_destroy(rod);
    return bowed ? rise / first : NAN;
}

// above its passive speed the law gives back for a moment; steps must not give back much more than ones that are eight times as short
static int what_a_rubbed_wire_has_rises_only_as_the_law_lets_it(void)
{
    static const double damping[] = {1, 10, 30, 100, 1000};
    for (int i = 0; i < 5; i++)
    {
        const double coarse = rise_with(damping[i], 1), fine = rise_with(damping[i], 8);
        ENSURE(coarse <= 6 * fine + 1e-7);
        ENSURE((fine > 1e-7) == (i > 0));
    }
    return 0;
}

static int bad_bows_are_refused_and_counted(void)
{
    twRod* rod = wire(true, 0, 0);
    twFrictionLaw law = tw_friction_law(), bad = law;
    bad.stiffness = NAN;
    ENSURE(!tw_rod_bow(rod, 3, tw_vec3(0, 1, 0), &bad) && !tw_rod_bow(rod, 3, tw_vec3(0, 0, 0), &law));
    ENSURE(!tw_rod_bow(rod, 3, tw_vec3(0, NAN, 0), &law));
    ENSURE(tw_rod_bow(rod, 3, tw_vec3(0, 1, 0), &law));
    tw_rod_bow_move(rod, NAN, 1), tw_rod_bow_move(rod, 1, INFINITY);
    ENSURE(tw_rod_stats(rod).bad_inputs == 5);
    for (int i = 0; i < 10; i++) tw_rod_step(rod);
    ENSURE(tw_rod_bow_force(rod) == 0 && tw_rod_energy(rod).kinetic < 1e-20);
    tw_rod_bow_move(rod, 1, -3);
    for (int i = 0; i < 10; i++) tw_rod_step(rod);
    ENSURE(tw_rod_bow_force(rod) == 0);
    tw_rod_destroy(rod);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_free_rod_is_dragged_along_by_newtons_law)
    RUN(a_bowed_string_sounds_at_its_pitch)
    RUN(a_finger_at_rest_only_takes)
    RUN(below_breakaway_nothing_slips)
    RUN(bristles_that_slide_fast_do_not_overshoot)
    RUN(what_a_rubbed_wire_has_rises_only_as_the_law_lets_it)
    RUN(bad_bows_are_refused_and_counted)
)
