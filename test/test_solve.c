// SPDX-License-Identifier: MIT
// Groups of bodies in contact. Expected values: closed forms, conservation laws, an ODE solver.
#include "dynamics/coulomb.h"
#include "dynamics/solver.h"
#include "group.h"
#include "ode.h"
#include "table.h"
#include "test.h"

// ---- rebound ----

// a ball against a wall, contact lasting a number of steps. @return its speed afterwards
static double bounce(double steps, double mu, double phase, double speed)
{
    SolveOptions options = newton();
    Rig* r = rig_create(1e-4, &options, 1, 1, 6, 18);
    int ball = rig_sphere(r, tw_vec3(0, 0, 0.01), 0.1, 0.01);
    r->law.impact = (twImpactLaw){1e6, 1.5, mu};
    // contact time ~ k^(-2/5)
    double time = tw_impact_exact(&r->law.impact, 0.1, speed).contact_time;
    r->law.impact.stiffness *= pow(time / (steps * r->group.step), 2.5);
    rig_contact(r, ball, -1, tw_vec3(0, 0, 0), tw_vec3(0, 0, 1), (3 + phase) * speed * r->group.step, NULL, NULL);
    r->v[2] = -speed;
    for (int i = 0; i < 20 + 3 * steps; i++) rig_step(r);
    double after = r->v[2];
    rig_destroy(r);
    return after;
}

static int rebound_is_exact_however_short_the_contact(void)
{
    static const double mus[] = {0, 0.1, 1, 5};
    for (int m = 0; m < 4; m++)
        for (double steps = 0.5; steps <= 8; steps *= 2)
            for (double phase = 0; phase < 1; phase += 0.23)
            {
                twImpactLaw law = {1e6, 1.5, mus[m]};
                double exact = -tw_impact_exact(&law, 0.1, 1.5).v_out;
                ENSURE_NEAR(bounce(steps, mus[m], phase, 1.5), exact, 1e-7);
            }
    return 0;
}

// two balls in flight: along the line of centres by the root, across it nothing but friction; momentum to round-off
static int oblique_spheres_rebound_by_the_root_and_keep_momentum(void)
{
    SolveOptions options = newton();
    for (int smooth = 0; smooth < 2; smooth++)
    {
        Rig* r = rig_create(2e-5, &options, 2, 1, 12, 36);
        r->law = (SolveLaw){{1e9, 1.5, 0.3}, coulomb_friction(smooth ? 0 : 0.1, smooth ? 0 : 0.1, 8e8), 0};
        int a = rig_sphere(r, tw_vec3(0, 0, 0.02), 0.2, 0.02), b = rig_sphere(r, tw_vec3(0, 0, -0.01), 0.05, 0.01);
        rig_contact(r, a, b, tw_vec3(0, 0, 0), tw_vec3(0, 0, 1), 0, NULL, NULL);
        r->v[0] = 1;
        r->v[2] = -1.2;
        r->v[6 + 2] = 0.3;
        double spin = 0.2 * 1 * 0.02;
        for (int i = 0; i < 100; i++) rig_step(r);
        // the reduced mass alone sees the contact
        double out = -tw_impact_exact(&r->law.impact, 0.2 * 0.05 / 0.25, 1.5).v_out;
        ENSURE_NEAR(r->v[2] - r->v[8], out, 1e-9);
        ENSURE_NEAR(0.2 * r->v[2] + 0.05 * r->v[8], -0.2 * 1.2 + 0.05 * 0.3, 1e-15);
        ENSURE_NEAR(0.2 * r->v[0] + 0.05 * r->v[6], 0.2, 1e-15);
        // Coulomb: it slides all the way, so that the impulse across is mu times the one along
        double along = 0.2 * (r->v[2] + 1.2), across = 0.2 * (1 - r->v[0]);
        ENSURE_NEAR(across, r->law.friction.dynamic_friction * along, smooth ? 1e-15 : 1e-4 * along);
        // angular momentum about the contact point
        double turned =
            0.2 * r->v[0] * 0.02 + 0.4 * 0.2 * 4e-4 * r->v[4] - 0.05 * r->v[6] * 0.01 + 0.4 * 0.05 * 1e-4 * r->v[10];
        ENSURE_NEAR(turned, spin, 1e-15);
        rig_destroy(r);
    }
    return 0;
}

// a box falls flat and obliquely on four contacts that are not around its centre. @return its speed afterwards
static double box_bounce(double contact_steps, int substeps)
{
    SolveOptions options = newton();
    double h = 1e-4;
    Rig* r = rig_create(h / substeps, &options, 1, 4, 6, 4 * 18);
    int box = rig_box(r, tw_vec3(0.004, 0.002, 0.02), 0.5, tw_vec3(0.1, 0.1, 0.04));
    r->law = (SolveLaw){{1e6, 1.5, 0.3}, coulomb_friction(0.3, 0.3, 1), 0};
    double time = tw_impact_exact(&r->law.impact, 0.125, 1).contact_time;
    r->law.impact.stiffness *= pow(time / (contact_steps * h), 2.5);
    r->law.friction.stiffness = r->law.impact.stiffness * sqrt(tw_impact_exact(&r->law.impact, 0.125, 1).x_max);
    for (int i = 0; i < 4; i++)
        rig_contact(r, box, -1, tw_vec3(i & 1 ? 0.05 : -0.05, i & 2 ? 0.05 : -0.05, 0), tw_vec3(0, 0, 1), 2e-4, NULL,
                    NULL);
    r->v[0] = 0.2;
    r->v[2] = -1;
    for (int i = 0; i < (12 + 4 * contact_steps) * substeps; i++) rig_step(r);
    double after = r->v[2];
    rig_destroy(r);
    return after;
}

static int impacts_at_several_contacts_agree_with_finer_steps(void)
{
    for (double steps = 0.5; steps <= 8; steps *= 2)
    {
        double fine = box_bounce(steps, 50);
        ENSURE_NEAR(box_bounce(steps, 1), fine, (steps < 4 ? 1e-2 : 2e-3) * fine);
    }
    return 0;
}

static int elastic_chain_hands_its_speed_on(void)
{
    SolveOptions options = newton();
    Rig* r = rig_create(1e-5, &options, 5, 4, 30, 4 * 36);
    r->law.impact = (twImpactLaw){1e9, 1.5, 0};
    for (int i = 0; i < 5; i++) rig_sphere(r, tw_vec3(0.02 * i, 0, 0), 0.03, 0.01);
    for (int i = 0; i < 4; i++)
        rig_contact(r, i + 1, i, tw_vec3(0.02 * i + 0.01, 0, 0), tw_vec3(1, 0, 0), 2e-4, NULL, NULL);
    r->v[0] = 1;
    for (int i = 0; i < 300; i++) rig_step(r);
    for (int i = 0; i < 5; i++) ENSURE_NEAR(r->v[6 * i], i == 4, 1e-9);
    rig_destroy(r);
    return 0;
}

// ---- friction ----

// tan 26.57 deg = 0.5, the coefficient
static int block_sticks_below_the_angle_of_friction_and_slides_above(void)
{
    for (int method = 0; method < 3; method++)
        for (double angle = 20; angle <= 35; angle += 5)
        {
            SolveOptions options = solve_options((SolveMethod)method);
            Rig* r = block_on_slope(&options, angle, 1e-4);
            for (int i = 0; i < 2000; i++) rig_step(r);
            double place = r->q[0], speed = r->v[0];
            for (int i = 0; i < 2000; i++) rig_step(r);
            double a = angle * TW_PI / 180, rate = 9.81 * (sin(a) - 0.5 * cos(a));
            if (rate < 0)
                ENSURE_NEAR(r->q[0], place, 1e-9);
            else
                ENSURE_NEAR(r->v[0] - speed, 0.2 * rate, 1e-3 * 0.2 * rate);
            ENSURE(solve_stats(r->solver)->failures == 0);
            rig_destroy(r);
        }
    return 0;
}

static int sliding_block_stops_where_coulomb_says(void)
{
    SolveOptions options = newton();
    Rig* r = block_on_slope(&options, 0, 1e-4);
    for (int i = 0; i < 500; i++) rig_step(r);
    double from = r->q[0];
    r->v[0] = 1;
    for (int i = 0; i < 4000; i++) rig_step(r);
    ENSURE_NEAR(r->v[0], 0, 1e-9);
    ENSURE_NEAR(r->q[0] - from, 1 / (2 * 0.5 * 9.81), 2e-3 * 0.1);
    rig_destroy(r);
    return 0;
}

// Stick and slip: a block on a belt, held by a spring. Sticking at belt speed until the spring pulls with the static friction,
// then m x'' = -k x + dynamic friction until it is as fast as the belt again.
typedef struct Belt
{
    double w2, pull;
} Belt;
static void slip_rate(const double* y, double* rate, const void* context)
{
    const Belt* belt = context;
    rate[0] = y[1];
    rate[1] = belt->pull - belt->w2 * y[0];
}

static double slip_time(double k, double mass, double load, double mu_s, double mu_d, double speed, double* end)
{
    Belt belt = {k / mass, mu_d * load / mass};
    double y[2] = {mu_s * load / k, speed}, scale[2] = {y[0], 10 * speed}, t = 0, dt = 1e-5;
    Ode ode = {slip_rate, &belt, 2, scale, 1e-12, 1e-5};
    bool slower = false;
    while (!slower || y[1] < speed)
    {
        ode_run(&ode, y, dt);
        t += dt;
        slower = slower || y[1] < speed - 1e-6;
    }
    // back to where it is as fast as the belt
    double late = (y[1] - speed) / (belt.pull - belt.w2 * y[0]);
    *end = y[0] - late * speed;
    return t - late;
}

static int stick_slip_period_is_that_of_the_ode(void)
{
    double mass = 0.1, k = 400, load = 2, mu_s = 0.6, mu_d = 0.3, speed = 0.05, end;
    SolveOptions options = newton();
    Rig* r = rig_create(2e-5, &options, 1, 1, 6, 18);
    r->law = (SolveLaw){{1e8, 1.5, 0.5}, coulomb_friction(mu_s, mu_d, 1e12), 0};
    int block = rig_sphere(r, tw_vec3(0, 0, 0), mass, 0.01);
    rig_contact(r, block, -1, tw_vec3(0, 0, 0), tw_vec3(0, 0, 1), 0, NULL, NULL);
    r->w2[0] = k / mass;
    r->push[2] = -load / mass;
    // tangent 1 is normal x (1, 0, 0) = (0, 1, 0), tangent 2 (-1, 0, 0)
    r->contacts[0].wall[2] = speed;
    double starts[4] = {0}, step = r->group.step;
    int count = 0;
    bool slid = true;
    for (int i = 0; i < 100000 && count < 4; i++)
    {
        rig_step(r);
        if (r->memory[0].slides && !slid) starts[count++] = i * step;
        slid = r->memory[0].slides;
    }
    ENSURE(count == 4);
    double slip = slip_time(k, mass, load, mu_s, mu_d, speed, &end), stick = (mu_s * load / k - end) / speed;
    ENSURE_NEAR(starts[3] - starts[2], slip + stick, 3e-4 * (slip + stick));
    rig_destroy(r);
    return 0;
}

// ---- squeaks ----

// what a squeak is from 0.5 to 1 s: pitch of the mode's velocity, its least and greatest value, the fastest slip, mean speed of the block
typedef struct Squeak
{
    double pitch, low, high, slip, mean;
} Squeak;

// the reference run of docs/friction.md, with a block that is drawn over a body with one mode
static Squeak squeak(const twFrictionLaw* friction)
{
    const double h = 1.0 / (16 * 44100), mode_mass = 1e-3, shape[3] = {1 / sqrt(mode_mass), 0, 0}, heavy = 1e9;
    const int steps = 16 * 44100;
    SolveOptions options = newton();
    Rig* r = rig_create(h, &options, 2, 1, 13, 39);
    r->law = (SolveLaw){{1e8, 1.5, 0.5}, *friction, 0};
    const int block = rig_sphere(r, tw_vec3(0, 0, 0), 0.1, 0.05);
    const int body = rig_body(r, tw_vec3(0, 0, 0), heavy, tw_vec3(heavy, heavy, heavy), 1);
    rig_contact(r, block, body, tw_vec3(0, 0, 0), tw_vec3(0, 0, 1), 0, NULL, shape);
    r->push[0] = 2.5 / 0.1, r->push[2] = -5 / 0.1, r->damping[0] = 100;
    r->w2[12] = pow(2 * TW_PI * 500, 2), r->damping[12] = 20;
    Squeak s = {.low = HUGE_VAL, .high = -HUGE_VAL};
    double first = 0, last = 0, before = 0;
    int crossings = 0;
    for (int i = 0; i < steps; i++)
    {
        rig_step(r);
        const double v = r->v[12] * shape[0], at = (i - v / (v - before)) * h;
        if (i >= steps / 2)
        {
            s.low = fmin(s.low, v), s.high = fmax(s.high, v), s.slip = fmax(s.slip, r->v[0] - v);
            s.mean += r->v[0] / (0.5 * steps);
            if (before < 0 && v >= 0) first = crossings++ ? first : at, last = at;
        }
        before = v;
    }
    s.pitch = crossings > 1 ? (crossings - 1) / (last - first) : 0;
    rig_destroy(r);
    return s;
}

// against the same run by an ODE solver
static int body_squeaks_as_an_object_does(void)
{
    const twFrictionLaw law = tw_friction_law();
    const Squeak s = squeak(&law);
    ENSURE_NEAR(s.pitch, 382.39, 0.015 * 382.39);
    ENSURE_NEAR(s.low, -0.363297, 0.02 * 0.363297);
    ENSURE_NEAR(s.high, 0.165385, 0.02 * 0.165385);
    ENSURE_NEAR(s.slip, 0.499696, 0.02 * 0.499696);
    ENSURE_NEAR(s.mean, 0.137165, 0.01 * 0.137165);

    // friction that does not fall with speed does not squeak
    twFrictionLaw flat = law;
    flat.static_friction = flat.dynamic_friction;
    const Squeak none = squeak(&flat);
    ENSURE(none.high - none.low < 0.01 * (s.high - s.low));
    return 0;
}

// ---- a mode that rings on a contact ----

// a mode of unit mass, of shape U where it is pressed against a wall by a steady force P: q'' = -w^2 q - P + U k x^a (1 + mu x'), x = -U q
typedef struct Pressed
{
    double w2, press, shape;
    twImpactLaw law;
} Pressed;

static void pressed_rate(const double* y, double* rate, const void* context)
{
    const Pressed* m = context;
    const double x = -m->shape * y[0], speed = -m->shape * y[1];
    rate[0] = y[1];
    rate[1] = -m->w2 * y[0] - m->press;
    if (x > 0)
        rate[1] += m->shape * m->law.stiffness * pow(x, m->law.exponent) * fmax(1 + m->law.dissipation * speed, 0);
}

static double pressed_energy(const Pressed* m, double q, double v)
{
    return 0.5 * v * v + 0.5 * m->w2 * q * q + m->press * q + tw_impact_potential(&m->law, -m->shape * q);
}

// the same by the solver. @return its energy after a time
static double pressed_run(const Pressed* m, const SolveOptions* options, double h, int steps)
{
    const double shape[3] = {0, 0, m->shape}, heavy = 1e9;
    Rig* r = rig_create(h, options, 1, 1, 7, 3 * 7);
    const int body = rig_body(r, tw_vec3(0, 0, 0), heavy, tw_vec3(heavy, heavy, heavy), 1);
    r->law.impact = m->law;
    r->w2[6] = m->w2;
    r->push[6] = -m->press;
    rig_contact(r, body, -1, tw_vec3(0, 0, 0), tw_vec3(0, 0, 1), 0, shape, NULL);
    for (int i = 0; i < steps; i++) rig_step(r);
    const double energy = pressed_energy(m, r->q[6], r->v[6]);
    rig_destroy(r);
    return energy;
}

// Pressed at once it swings about where it would rest. By the rule of rest it loses far more.
static int mode_on_a_resting_contact_loses_what_the_ode_says(void)
{
    static const double dissipation[] = {0, 2, 8};
    double lost[3];
    for (int i = 0; i < 3; i++)
    {
        const Pressed m = {pow(2 * TW_PI * 500, 2), 3, 3, {1e9, 1.5, dissipation[i]}};
        const double time = 0.02, scale[2] = {1e-7, 1e-4};
        double y[2] = {0, 0}, still[2] = {0, 0};
        Ode ode = {pressed_rate, &m, 2, scale, 1e-12, 1e-6};
        ode_run(&ode, y, time);
        // where it rests: the least energy
        double low = -m.press / m.w2, high = 0;
        for (int k = 0; k < 200; k++)
        {
            double rate[2];
            still[0] = 0.5 * (low + high);
            pressed_rate(still, rate, &m);
            if (rate[1] > 0)
                low = still[0];
            else
                high = still[0];
        }
        const double rest = pressed_energy(&m, still[0], 0), all = -rest, exact = pressed_energy(&m, y[0], y[1]);
        SolveOptions options = newton();
        for (int fine = 1; fine <= 4; fine *= 2)
            ENSURE_NEAR(pressed_run(&m, &options, 2e-5 / fine, 1000 * fine), exact, 0.02 / (fine * fine) * all);
        lost[i] = -exact / all;
        options.resolved = 0;
        ENSURE(pressed_run(&m, &options, 2e-5, 1000) - rest < 0.2 * all);
    }
    ENSURE(fabs(lost[0]) < 1e-9 && lost[1] > 0.1 && lost[2] > lost[1] && lost[2] < 0.8);
    return 0;
}

// ---- Coulomb's law at one contact ----

static void random_mobility(twRng* rng, double w[3][3])
{
    double a[3][3];
    for (int i = 0; i < 9; i++) a[i / 3][i % 3] = tw_rng_normal(rng) * pow(10, tw_rng_between(rng, -2, 2));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) w[i][j] = a[i][0] * a[j][0] + a[i][1] * a[j][1] + a[i][2] * a[j][2];
}

static int local_solver_obeys_coulomb_for_any_contact(void)
{
    twRng rng = tw_rng(5);
    int seen[3] = {0};
    for (int i = 0; i < 20000; i++)
    {
        double w[3][3], b[3], r[3], u[3], mu = tw_rng_between(&rng, 0.01, 2);
        random_mobility(&rng, w);
        for (int q = 0; q < 3; q++) b[q] = tw_rng_normal(&rng);
        if (i % 7 == 0)
            for (int q = 0; q < 3; q++) w[2][q] = w[q][2] = 0;
        CoulombState state = coulomb_solve((const double(*)[3])w, b, mu, r);
        double size = 0;
        for (int q = 0; q < 3; q++)
        {
            u[q] = b[q];
            for (int l = 0; l < 3; l++) u[q] += w[q][l] * r[l];
            for (int l = 0; l < 3; l++) size = fmax(size, fabs(w[q][l] * r[l]) + fabs(b[q]));
        }
        double t = sqrt(r[1] * r[1] + r[2] * r[2]), across = u[1] * r[2] - u[2] * r[1],
               along = u[1] * r[1] + u[2] * r[2];
        ENSURE(r[0] >= 0 && t <= mu * r[0] * (1 + 1e-9));
        ENSURE(u[0] >= -1e-10 * size);
        if (state != COULOMB_OPEN) ENSURE_NEAR(u[0], 0, 1e-10 * size);
        if (state == COULOMB_STICK) ENSURE(fabs(u[1]) + fabs(u[2]) <= 1e-7 * size);
        if (state == COULOMB_SLIDE) ENSURE(fabs(across) <= 1e-7 * size * t && along <= 1e-7 * size * t);
        if (state == COULOMB_SLIDE) ENSURE_NEAR(t, mu * r[0], 1e-9 * mu * r[0]);
        seen[state]++;
    }
    ENSURE(seen[0] > 5000 && seen[1] > 1000 && seen[2] > 3000);
    return 0;
}

// ---- silence ----

// a slab on a grid of contacts, slightly curved; pushed in from the side by noise of the given size (of its weight)
static double slab_jitter(const SolveOptions* options, double noise)
{
    Rig* r = rig_create(3e-5, options, 1, 40, 6, 40 * 18);
    int slab = rig_box(r, tw_vec3(0, 0, 0.01), 1.5, tw_vec3(0.4, 0.25, 0.02));
    for (int i = 0; i < 40; i++)
    {
        double x = -0.2 + 0.4 * (i % 8) / 7, y = -0.125 + 0.25 * (i / 8) / 4;
        rig_contact(r, slab, -1, tw_vec3(x, y, 0), tw_vec3(0, 0, 1), 1e-7 * (x * x + y * y) / 0.05, NULL, NULL);
    }
    rig_gravity(r, tw_vec3(0, 0, -9.81));
    for (int i = 0; i < 3000; i++) rig_step(r);
    twRng rng = tw_rng(6);
    double jitter = 0;
    if (noise == 0)
        jitter = rig_jitter(r, 300);
    else
    {
        double last[40], square = 0, sum = 0;
        for (int i = 0; i < 500; i++)
        {
            for (int q = 0; q < 6; q++) r->push[q] = (q == 2 ? -9.81 : 0) + 9.81 * noise * tw_rng_normal(&rng);
            rig_step(r);
            for (int c = 0; c < 40; c++)
            {
                if (i > 0) square += pow(r->impulse[3 * c] - last[c], 2);
                sum += r->impulse[3 * c];
                last[c] = r->impulse[3 * c];
            }
        }
        jitter = sqrt(square / (499 * 40)) / (sum / (500 * 40));
    }
    rig_destroy(r);
    return jitter;
}

static int slab_at_rest_is_silent(void)
{
    SolveOptions options = newton();
    ENSURE(slab_jitter(&options, 0) <= 1e-12);
    ENSURE(slab_jitter(&options, 1e-3) <= 1e-2);
    return 0;
}

static Rig* stack_of_boxes(const SolveOptions* options, int count, double h)
{
    Rig* r = rig_create(h, options, count, 4 * count, 6 * count, 8 * (size_t)count * 18);
    for (int i = 0; i < count; i++) rig_box(r, tw_vec3(0, 0, 0.05 + 0.1 * i), 1 + 0.1 * i, tw_vec3(0.1, 0.1, 0.1));
    for (int i = 0; i < 4 * count; i++)
    {
        double x = i & 1 ? 0.05 : -0.05, y = i & 2 ? 0.05 : -0.05, shift = 0.004 * sin(2.0 * (i / 4));
        rig_contact(r, i / 4, i / 4 - 1, tw_vec3(x + shift, y, 0.1 * (i / 4)), tw_vec3(0, 0, 1), 0, NULL, NULL);
    }
    rig_gravity(r, tw_vec3(0, 0, -9.81));
    return r;
}

static int ten_boxes_stand_and_are_silent(void)
{
    SolveOptions options = newton();
    Rig* r = stack_of_boxes(&options, 10, 1e-4);
    double energy = rig_energy(r), rise = 0, scale = 0.1 * 10 * 9.81;
    for (int i = 0; i < 6500; i++)
    {
        rig_step(r);
        double now = rig_energy(r);
        rise = fmax(rise, now - energy);
        energy = now;
    }
    double place = r->q[6 * 9 + 2], side = r->q[6 * 9];
    ENSURE(rig_jitter(r, 200) <= 1e-4);
    ENSURE(rise <= 1e-11 * scale);
    ENSURE_NEAR(r->q[6 * 9 + 2], place, 1e-7);
    // it sways a little, for long
    ENSURE_NEAR(r->q[6 * 9], side, 3e-5);
    // weights add up
    double floor = 0, weight = 0;
    for (int c = 0; c < 4; c++) floor += r->impulse[3 * c];
    for (int i = 0; i < 10; i++) weight += (1 + 0.1 * i) * 9.81;
    ENSURE_NEAR(floor / r->group.step, weight, 1e-4 * weight);
    ENSURE(solve_stats(r->solver)->failures == 0);
    rig_destroy(r);
    return 0;
}

// marbles side by side in a tilted tray, leaning on each other and on two walls
static int marbles_in_a_tray_are_silent(void)
{
    enum
    {
        SIDE = 5,
        COUNT = SIDE * SIDE
    };
    SolveOptions options = newton();
    Rig* r = rig_create(1 / 30000.0, &options, COUNT, 3 * COUNT, 6 * COUNT, 3 * COUNT * 36);
    double radius = 0.008;
    for (int i = 0; i < COUNT; i++)
        rig_sphere(r, tw_vec3(2 * radius * (i % SIDE), 2 * radius * (i / SIDE), radius), 0.005, radius);
    for (int i = 0; i < COUNT; i++)
    {
        twVec3 at = r->centre[i];
        rig_contact(r, i, -1, tw_vec3(at.x, at.y, 0), tw_vec3(0, 0, 1), 1e-6 * (i % 3), NULL, NULL);
        rig_contact(r, i, i % SIDE ? i - 1 : -1, tw_vec3(at.x - radius, at.y, radius), tw_vec3(1, 0, 0), 0, NULL, NULL);
        rig_contact(r, i, i >= SIDE ? i - SIDE : -1, tw_vec3(at.x, at.y - radius, radius), tw_vec3(0, 1, 0), 0, NULL,
                    NULL);
    }
    rig_gravity(r, tw_vec3(-0.5, -0.3, -9.7));
    for (int i = 0; i < 1500; i++) rig_step(r);
    ENSURE(rig_jitter(r, 100) <= 1e-9);
    ENSURE(solve_stats(r->solver)->failures == 0);
    rig_destroy(r);
    return 0;
}

// ---- a table ----

static int table_with_dishes_never_gains_energy(void)
{
    static const double stiffness[] = {1e7, 1e9, 1e11};
    for (int k = 0; k < 3; k++)
    {
        SolveOptions options = newton();
        Rig* r = rig_table(&options, 72, 100, 1 / 44100.0);
        r->law.impact.stiffness = stiffness[k];
        r->law.friction.stiffness = 1e-2 * stiffness[k];
        for (int i = 0; i < 200; i++) rig_step(r);
        // kick the table
        for (int j = 0; j < 72; j++) r->v[6 + j] += 0.5 * sin(1.0 + j);
        r->v[2] += 1;
        double start = rig_energy(r), energy = start, rise = 0, kick = 0;
        for (int i = 0; i < r->group.size; i++) kick += 0.5 * r->mass[i] * r->v[i] * r->v[i];
        for (int i = 0; i < 400; i++)
        {
            rig_step(r);
            double now = rig_energy(r);
            rise = fmax(rise, now - energy);
            energy = now;
        }
        ENSURE(rise <= 1e-11 * kick);
        ENSURE(solve_stats(r->solver)->failures == 0);
        ENSURE(energy < start);
        rig_destroy(r);
    }
    return 0;
}

// ---- whatever comes ----

// some bodies in a row, in contact with each other and the ground, moving about
static Rig* random_group(twRng* rng, const SolveOptions* options, double h, double low, double high)
{
    int bodies = 1 + (int)(tw_rng_next(rng) % 5), contacts = 1 + (int)(tw_rng_next(rng) % 20);
    int modes = tw_rng_next(rng) % 3 == 0 ? (int)(tw_rng_next(rng) % 20) : 0, size = bodies * (6 + modes);
    Rig* r = rig_create(h, options, bodies, contacts, size, (size_t)contacts * 6 * (size_t)(6 + modes));
    double speed = pow(10, tw_rng_between(rng, -3, 1)), *shape = calloc(6 * (size_t)modes + 1, sizeof(double));
    r->law = (SolveLaw){{pow(10, tw_rng_between(rng, 3, 12)), 1 + 0.5 * (double)(tw_rng_next(rng) % 3), 0},
                        random_friction(rng, speed),
                        0.5 * tw_rng_uniform(rng)};
    if (tw_rng_next(rng) % 3) r->law.impact.dissipation = pow(10, tw_rng_between(rng, -2, 1)) / speed;
    for (int b = 0; b < bodies; b++)
    {
        double mass = pow(10, tw_rng_between(rng, low, high));
        twVec3 inertia =
            tw_vec3(mass * tw_rng_between(rng, 2e-3, 4e-3), mass * 3e-3, mass * tw_rng_between(rng, 2e-3, 4e-3));
        int first = r->group.size;
        rig_body(r, tw_vec3(0.1 * b, 0, 0.05), mass, inertia, modes);
        for (int j = 0; j < modes; j++)
        {
            r->mass[first + 6 + j] = mass;
            r->w2[first + 6 + j] = pow(2 * TW_PI * pow(10, tw_rng_between(rng, 1.5, 4)), 2);
            r->damping[first + 6 + j] = pow(10, tw_rng_between(rng, 0, 3));
        }
        for (int i = 0; i < 6 + modes; i++) r->v[first + i] = speed * tw_rng_normal(rng);
    }
    for (int c = 0; c < contacts; c++)
    {
        int a = (int)(tw_rng_next(rng) % (unsigned)bodies), b = (int)(tw_rng_next(rng) % (unsigned)bodies);
        twVec3 at = tw_vec3(0.1 * a + tw_rng_between(rng, -0.05, 0.05), tw_rng_between(rng, -0.05, 0.05),
                            tw_rng_between(rng, 0, 0.1));
        twVec3 normal = tw_vec3(tw_rng_normal(rng), tw_rng_normal(rng), 2 * tw_rng_normal(rng));
        for (int j = 0; j < 6 * modes; j++) shape[j] = tw_rng_normal(rng);
        rig_contact(r, a, a == b ? -1 : b, at, tw_vec3_normalize(normal), h * speed * tw_rng_between(rng, -0.1, 2),
                    shape, shape + 3 * modes);
    }
    free(shape);
    return r;
}

static double kinetic(const Rig* r)
{
    double sum = 0;
    for (int i = 0; i < r->group.size; i++)
        sum += 0.5 * r->mass[i] * (r->v[i] * r->v[i] + r->w2[i] * r->q[i] * r->q[i]);
    return sum;
}

static int random_groups_never_gain_energy(void)
{
    twRng rng = tw_rng(7);
    int64_t steps = 0, failures = 0, pushed = 0;
    double worst = 0;
    for (int i = 0; i < 300; i++)
    {
        SolveOptions options = newton();
        Rig* r = random_group(&rng, &options, pow(10, tw_rng_between(&rng, -6, -3)), -2, 2);
        double energy = rig_energy(r), scale = kinetic(r);
        for (int step = 0; step < 20; step++)
        {
            rig_step(r);
            double now = rig_energy(r);
            worst = fmax(worst, (now - energy) / scale);
            energy = now;
            for (int c = 0; c < r->group.contact_count; c++) pushed += r->impulse[3 * c] > 0;
        }
        steps += solve_stats(r->solver)->solves;
        failures += solve_stats(r->solver)->failures;
        rig_destroy(r);
    }
    ENSURE(worst <= 1e-13);
    ENSURE(pushed > 5000);
    // contacts of up to 1e12 N/m that let go within rounding are not solved to 1e-7: measured 1 to 3 steps of 6000 by
    // the seed and the compiler
    ENSURE(steps == 6000 && failures <= steps / 1000);
    return 0;
}

static bool is_finite(const Rig* r)
{
    double sum = 0;
    for (int i = 0; i < r->group.size; i++) sum += 0 * r->next[i];
    for (int i = 0; i < 3 * r->group.contact_count; i++) sum += 0 * r->impulse[i];
    for (int c = 0; c < r->group.contact_count; c++)
        sum += 0 * (r->memory[c].compression + r->memory[c].bristle[0] + r->memory[c].bristle[1]);
    return sum == 0;
}

static int nothing_makes_it_infinite(void)
{
    twRng rng = tw_rng(8);
    static const double poison[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0, 1e-320};
    for (int method = 0; method < 3; method++)
        for (int i = 0; i < 60; i++)
        {
            SolveOptions options = solve_options((SolveMethod)method);
            options.max_iterations = options.max_iterations < 100 ? options.max_iterations : 100;
            Rig* r = random_group(&rng, &options, pow(10, tw_rng_between(&rng, -7, 0)), -12, 12);
            for (int step = 0; step < 4; step++)
            {
                rig_step(r);
                ENSURE(is_finite(r));
            }
            // one bad number anywhere
            double bad = poison[tw_rng_next(&rng) % 7], *places[] = {r->v, r->gap, r->rows, r->mass};
            places[i % 4][tw_rng_next(&rng) % (i % 4 == 1 ? 1 : 6)] = bad;
            rig_step(r);
            ENSURE(is_finite(r));
            rig_destroy(r);
        }
    return 0;
}

static int empty_groups_move_freely(void)
{
    SolveOptions options = newton();
    Rig* r = rig_create(1e-3, &options, 2, 1, 12, 36);
    rig_sphere(r, tw_vec3(0, 0, 0), 1, 0.1);
    rig_gravity(r, tw_vec3(0, 0, -9.81));
    rig_step(r);
    ENSURE_NEAR(r->v[2], -9.81e-3, 1e-17);
    rig_destroy(r);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(rebound_is_exact_however_short_the_contact)
    RUN(oblique_spheres_rebound_by_the_root_and_keep_momentum)
    RUN(impacts_at_several_contacts_agree_with_finer_steps)
    RUN(elastic_chain_hands_its_speed_on)
    RUN(block_sticks_below_the_angle_of_friction_and_slides_above)
    RUN(sliding_block_stops_where_coulomb_says)
    RUN(stick_slip_period_is_that_of_the_ode)
    RUN(body_squeaks_as_an_object_does)
    RUN(mode_on_a_resting_contact_loses_what_the_ode_says)
    RUN(local_solver_obeys_coulomb_for_any_contact)
    RUN(slab_at_rest_is_silent)
    RUN(ten_boxes_stand_and_are_silent)
    RUN(marbles_in_a_tray_are_silent)
    RUN(table_with_dishes_never_gains_energy)
    RUN(random_groups_never_gain_energy)
    RUN(nothing_makes_it_infinite)
    RUN(empty_groups_move_freely)
)
