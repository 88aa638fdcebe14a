// SPDX-License-Identifier: MIT
// Tests of what is measured on a mass on a wall (run.c), and of its exact motion (bounce.c). Expected
// values: the closed forms of Papetti et al. 2009, energy balance, free fall.

#include "test.h"
#include "twang/contact.h"

// a contact of case 1 or 2 of the source under gravity g
static twWallDef wall_case(int number, double g)
{
    twWallDef def = tw_wall_def();
    def.gravity = g;
    if (number == 1) return def;
    def.law = (twImpactLaw){.stiffness = 1e9, .exponent = 1.5, .dissipation = 0.5};
    def.velocity = 1;
    return def;
}

static twWallRun run_for(const twWallDef* def, double x, int64_t steps)
{
    twWall start = tw_wall(def);
    start.x = x;
    twWallRun run = tw_wall_run(&start);
    while (run.steps < steps) tw_wall_run_step(&run);
    return run;
}

// ---- exact motion ----

static int phase_curve_ends_at_the_closed_forms(void)
{
    for (int number = 1; number <= 2; number++)
    {
        twWallDef def = wall_case(number, 0);
        twImpactExact exact = tw_impact_exact(&def.law, def.mass, def.velocity);
        double v_in = def.velocity;
        ENSURE_NEAR(tw_impact_compression(&def.law, def.mass, v_in, 0), exact.x_max, 1e-14 * exact.x_max);
        ENSURE(tw_impact_compression(&def.law, def.mass, v_in, v_in) == 0);
        // x ~ (v - v_out)^(1/(a+1)) there, so that round-off in v_out shows
        ENSURE_NEAR(tw_impact_compression(&def.law, def.mass, v_in, exact.v_out), 0, 1e-5 * exact.x_max);
    }
    return 0;
}

static int elastic_phase_curve_conserves_energy(void)
{
    twImpactLaw law = {.stiffness = 1e6, .exponent = 1.5, .dissipation = 0};
    double x = tw_impact_compression(&law, 0.02, 2, -1.2);
    ENSURE_NEAR(tw_impact_potential(&law, x) + 0.5 * 0.02 * 1.2 * 1.2, 0.5 * 0.02 * 4, 1e-15);
    return 0;
}

static int exact_contact_without_gravity_is_the_closed_form(void)
{
    for (int number = 1; number <= 2; number++)
    {
        twWallDef def = wall_case(number, 0);
        twImpactExact exact = tw_impact_exact(&def.law, def.mass, def.velocity);
        twWallEvent event;
        ENSURE(tw_wall_events(&def, INFINITY, &event, 1) == 1);
        ENSURE(event.touch == 0 && event.v_in == def.velocity);
        ENSURE_NEAR(event.v_out, exact.v_out, 1e-11);
        ENSURE_NEAR(event.release, exact.contact_time, 1e-11 * exact.contact_time);
    }
    return 0;
}

static int without_gravity_there_is_one_contact(void)
{
    twWallDef def = wall_case(1, 0);
    twWallEvent events[4];
    ENSURE(tw_wall_events(&def, INFINITY, events, 4) == 1);
    def.velocity = -1;
    ENSURE(tw_wall_events(&def, INFINITY, events, 4) == 0);
    return 0;
}

static int exact_flights_are_free_falls(void)
{
    twWallDef def = wall_case(1, 9.81);
    twWallEvent events[8];
    ENSURE(tw_wall_events(&def, INFINITY, events, 8) == 8);
    for (int i = 0; i < 7; i++)
    {
        double flight = events[i + 1].touch - events[i].release;
        ENSURE_NEAR(flight, -2 * events[i].v_out / 9.81, 1e-15);
        ENSURE(events[i + 1].v_in == -events[i].v_out && -events[i].v_out < events[i].v_in);
    }
    return 0;
}

static int thrown_upward_it_first_flies(void)
{
    twWallDef def = wall_case(1, 9.81);
    twWallEvent down, up;
    ENSURE(tw_wall_events(&def, INFINITY, &down, 1) == 1);
    def.velocity = -def.velocity;
    ENSURE(tw_wall_events(&def, INFINITY, &up, 1) == 1);
    ENSURE_NEAR(up.touch, 0.6 / 9.81, 1e-15);
    ENSURE_NEAR(up.v_out, down.v_out, 1e-15);
    return 0;
}

static int elastic_bouncing_never_loses_speed(void)
{
    twWallDef def = wall_case(1, 9.81);
    def.law.dissipation = 0;
    twWallEvent events[20];
    ENSURE(tw_wall_events(&def, INFINITY, events, 20) == 20);
    ENSURE_NEAR(events[19].v_out, -0.3, 1e-10);
    return 0;
}

static int bouncing_has_the_reference_times(void)
{
    twWallDef def = wall_case(1, 9.81);
    twWallEvent events[60];
    ENSURE(tw_wall_events(&def, INFINITY, events, 60) == 60);
    ENSURE_NEAR(events[9].touch, 0.502891874, 1e-9);
    ENSURE_NEAR(events[29].touch, 1.391309551, 1e-9);
    ENSURE_NEAR(events[59].touch, 2.372863989, 1e-9);
    ENSURE_NEAR(events[29].v_in, 0.189473272, 1e-9);
    ENSURE(tw_wall_events(&def, 2, events, 60) == 47);
    return 0;
}

// ---- measured motion ----

static int run_without_a_wall_is_a_free_fall(void)
{
    twWallDef def = wall_case(1, 9.81);
    def.velocity = -3;
    twWallRun run = run_for(&def, 0, 4410);
    ENSURE(run.contacts == 0 && !run.first.began && run.finite);
    ENSURE_NEAR(run.wall.v, -3 + 0.981, 1e-12);
    ENSURE_NEAR(run.wall.x, -0.3 + 0.5 * 9.81 * 0.01, 1e-12);
    ENSURE(run.gain_max <= 1e-14 * run.energy_start);
    return 0;
}

static int release_lies_between_its_samples(void)
{
    for (int m = TW_AM1; m <= TW_QI; m++)
    {
        twWallDef def = wall_case(2, 0);
        def.method = (twImpactMethod)m;
        twWallRun run = run_for(&def, 0, 20);
        ENSURE(run.contacts == 1 && run.first.over && run.first.start == 0);
        double samples = run.first.end * def.rate_hz;
        ENSURE(samples <= (double)run.first.samples && samples > (double)run.first.samples - 1);
    }
    return 0;
}

static int contact_time_converges_to_the_closed_form(void)
{
    // linear interpolation of the release: at least first order in the step
    twWallDef def = wall_case(2, 0);
    double exact = tw_impact_exact(&def.law, def.mass, def.velocity).contact_time, before = 1;
    for (double rate = 44100; rate < 1e8; rate *= 10)
    {
        def.rate_hz = rate;
        twWallRun run = run_for(&def, 0, (int64_t)(1.2 * exact * rate) + 2);
        double error = fabs(run.first.end / exact - 1);
        ENSURE(run.first.over && error < 0.1 * before);
        before = error;
    }
    return 0;
}

static int touch_is_found_between_samples(void)
{
    // 0.3 of a step away from the wall
    twWallDef def = wall_case(1, 0);
    twWallRun run = run_for(&def, -0.3 * def.velocity / def.rate_hz, 20);
    ENSURE(run.contacts == 1 && run.first.over);
    // the first step into the wall is already slowed a little
    ENSURE_NEAR(run.first.start * def.rate_hz, 0.3, 0.02);
    return 0;
}

static int first_contact_stays_as_it_was(void)
{
    twWallDef def = wall_case(1, 9.81);
    twWallRun one = run_for(&def, 0, 20), many = run_for(&def, 0, 44100);
    ENSURE(many.contacts > 10 && one.contacts == 1);
    ENSURE(many.first.x_max == one.first.x_max && many.first.v_out == one.first.v_out);
    ENSURE(many.first.end == one.first.end && many.last.start > many.first.end);
    return 0;
}

static int energy_gain_of_a_gaining_scheme_shows(void)
{
    twWallDef def = wall_case(1, 0);
    def.method = TW_VERLET;
    twWallRun run = run_for(&def, 0, 20);
    // its samples: total energy by hand, from the law
    twWall wall = tw_wall(&def);
    double before = 0.5 * def.mass * 0.09, most = 0;
    for (int i = 0; i < 20; i++)
    {
        tw_wall_step(&wall);
        double x = fmax(wall.x, 0), after = 0.5 * def.mass * wall.v * wall.v + 1e7 * pow(x, 2.1) / 2.1;
        most = fmax(most, after - before);
        before = after;
    }
    ENSURE(most > 0.01 * run.energy_start);
    ENSURE_NEAR(run.gain_max, most, 1e-15);
    return 0;
}

// forces that begin far below the round-off of the mass's own momentum must still add up
static int soft_contacts_rebound_exactly_too(void)
{
    const struct
    {
        double stiffness, exponent, mass, rate_hz;
    } cases[] = {{1e7, 4, 0.01, 44100},
                 {1e7, 10, 0.01, 44100},
                 {1e8, 2.5, 0.01, 1e6},
                 {1e3, 1.5, 1, 1e6},
                 {1, 1.5, 0.01, 44100}};
    for (int i = 0; i < 5; i++)
    {
        twWallDef def = tw_wall_def();
        def.law.stiffness = cases[i].stiffness;
        def.law.exponent = cases[i].exponent;
        def.mass = cases[i].mass;
        def.rate_hz = cases[i].rate_hz;
        twImpactExact exact = tw_impact_exact(&def.law, def.mass, def.velocity);
        twWall wall = tw_wall(&def);
        long limit = (long)(2 * exact.contact_time * def.rate_hz);
        do tw_wall_step(&wall);
        while (wall.closed && --limit > 0);
        ENSURE(limit > 0);
        ENSURE_NEAR(wall.v / exact.v_out, 1, 1e-9);
    }
    return 0;
}

// the closed form's integral against time stepped finely, up to impacts that hardly rebound
static int contact_time_agrees_with_fine_steps_for_any_dissipation(void)
{
    for (int i = 0; i < 5; i++)
    {
        twWallDef def = tw_wall_def();
        def.velocity = 1;
        def.law = (twImpactLaw){.stiffness = 1e7, .exponent = 1.5, .dissipation = (double[]){0.1, 2, 6, 12, 22}[i]};
        twImpactExact exact = tw_impact_exact(&def.law, def.mass, def.velocity);
        def.rate_hz = 40000 / exact.contact_time;
        twWall wall = tw_wall(&def);
        long steps = 0;
        do tw_wall_step(&wall), steps++;
        while (wall.closed && steps < 100000);
        ENSURE_NEAR(steps / def.rate_hz / exact.contact_time, 1, 3e-4);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(contact_time_agrees_with_fine_steps_for_any_dissipation)
    RUN(soft_contacts_rebound_exactly_too)
    RUN(phase_curve_ends_at_the_closed_forms)
    RUN(elastic_phase_curve_conserves_energy)
    RUN(exact_contact_without_gravity_is_the_closed_form)
    RUN(without_gravity_there_is_one_contact)
    RUN(exact_flights_are_free_falls)
    RUN(thrown_upward_it_first_flies)
    RUN(elastic_bouncing_never_loses_speed)
    RUN(bouncing_has_the_reference_times)
    RUN(run_without_a_wall_is_a_free_fall)
    RUN(release_lies_between_its_samples)
    RUN(contact_time_converges_to_the_closed_form)
    RUN(touch_is_found_between_samples)
    RUN(first_contact_stays_as_it_was)
    RUN(energy_gain_of_a_gaining_scheme_shows)
)
