// SPDX-License-Identifier: MIT
// Friction of rods in a world: Coulomb's law, rolling, belts. Expected values: closed forms.
#include "test.h"
#include "weave.h"

static const double g = 9.81;

// gravity of a floor that is a slope down x
static void tilt(Stage* s, double angle) { s->def.gravity = tw_vec3(g * sin(angle), 0, -g * cos(angle)); }

static void rub(Stage* s, double mu) { s->materials[0].stick = s->materials[0].slide = mu; }

// ---- a ring on a rod ----

// A ring that slides along a rod, hanging as it does while it slows down by mu g: its centre is in line with weight and friction.
static Stage* hang_ring(double mu, double v)
{
    enum
    {
        N = 16
    };
    const double axle = 0.002, wire = 0.0008, big = 0.01;
    Stage* s = stage();
    rub(s, mu);
    s->def.gravity = tw_vec3(0, 0, -g);
    const int rod = stage_line(s, tw_vec3(-0.02, 0, 0), tw_vec3(0.08, 0, 0), 4, tw_section_circle(axle));
    static const twRodSupport held[] = {{.kind = TW_ROD_CLAMPED, .point = 0},
                                        {.kind = TW_ROD_CLAMPED, .point = 3},
                                        {.kind = TW_ROD_CLAMPED, .point = 1},
                                        {.kind = TW_ROD_CLAMPED, .point = 2}};
    s->rods[rod].rod.supports = held;
    s->rods[rod].rod.support_count = 4;
    // the centre is below the point of touch by (mu, -1) way
    const double a = 1 + mu * mu, b = wire, c = wire * wire - big * big, way = (-b + sqrt(b * b - a * c)) / a;
    const twVec3 down = tw_vec3_scale(tw_vec3(mu * way, 0, -wire - way), 1 / big);
    twVec3 p[N];
    for (int i = 0; i < N; i++)
    {
        const double angle = 2 * TW_PI * i / N;
        p[i] = tw_vec3_scale(down, big - big * cos(angle));
        p[i].y = big * sin(angle);
        p[i].z += axle + wire;
    }
    const int ring = stage_rod(s, p, N, tw_section_circle(wire));
    s->rods[ring].rod.closed = true;
    stage_throw(s, ring, tw_vec3(v, 0, 0));
    return s;
}

static int ring_slides_along_a_rod_and_stops_by_coulombs_law(void)
{
    const double mus[] = {0.2, 0.5};
    for (int i = 0; i < 2; i++)
    {
        const double mu = mus[i], v = 0.4, time = v / (mu * g), way = v * v / (2 * mu * g);
        Stage* s = hang_ring(mu, v);
        must(stage_start(s), &s->err);
        const double first = rod_centre(s, 1).x;
        for (int k = 1; k <= 3; k++)
        {
            tw_world_advance(s->world, 0.25 * k * time);
            ENSURE_NEAR(rod_speed(s, 1).x, v * (1 - 0.25 * k), 0.005 * v);
        }
        tw_world_advance(s->world, time);
        ENSURE_NEAR(rod_centre(s, 1).x - first, way, 0.005 * way);
        ENSURE(is_sound(s));
        stage_free(s);
    }
    return 0;
}

// ---- slopes ----

static int bar_sticks_on_a_slope_below_the_angle_of_friction_and_slides_above(void)
{
    const double mu = 0.4, angles[] = {0.36, 0.40, 0.6};
    for (int along = 0; along < 2; along++)
        for (int i = 0; i < 3; i++)
        {
            Stage* s = stage();
            rub(s, mu);
            tilt(s, angles[i]);
            stage_floor(s, 1, 1);
            const twVec3 half = along ? tw_vec3(0.03, 0, 0) : tw_vec3(0, 0.03, 0);
            const int bar = stage_line(s, tw_vec3(-half.x, -half.y, 0.0015), tw_vec3(half.x, half.y, 0.0015), 4,
                                       tw_section_rectangle(0.01, 0.003));
            twVec3 d[3];
            for (int k = 0; k < 3; k++) d[k] = along ? tw_vec3(0, 1, 0) : tw_vec3(1, 0, 0);
            s->rods[bar].rod.directions = d;
            must(stage_start(s), &s->err);
            const double a = fmax(0, g * (sin(angles[i]) - mu * cos(angles[i])));
            const double time = 0.07;
            tw_world_advance(s->world, time);
            // bristles of a contact that holds give way a little; one that slides does so from the start
            ENSURE_NEAR(rod_centre(s, bar).x, 0.5 * a * time * time, 1e-3 * 0.5 * a * time * time + 1e-7);
            ENSURE_NEAR(rod_speed(s, bar).x, a * time, 1e-3 * a * time + 1e-9);
            ENSURE(is_sound(s));
            stage_free(s);
        }
    return 0;
}

// a round rod across a slope. Rolling: m a = m g sine - f, m r^2/2 W' = f r, a = r W'. Sliding if that takes more than mu m g cosine.
static int round_rod_rolls_down_a_slope_and_slides_down_a_steep_one(void)
{
    const double mu = 0.2, angles[] = {0.1, 0.4, 0.8}, radius = 0.003, time = 0.07;
    for (int i = 0; i < 3; i++)
    {
        Stage* s = stage();
        rub(s, mu);
        tilt(s, angles[i]);
        stage_floor(s, 1, 1);
        const int rod =
            stage_line(s, tw_vec3(0, -0.03, radius), tw_vec3(0, 0.03, radius), 4, tw_section_circle(radius));
        must(stage_start(s), &s->err);
        const bool rolls = tan(angles[i]) < 3 * mu;
        const double a = rolls ? 2.0 / 3 * g * sin(angles[i]) : g * (sin(angles[i]) - mu * cos(angles[i]));
        const double turn = rolls ? a / radius : 2 * mu * g * cos(angles[i]) / radius;
        tw_world_advance(s->world, time);
        const double way = 0.5 * a * time * time;
        ENSURE_NEAR(rod_centre(s, rod).x, way, 1e-3 * way);
        for (int k = 0; k < 3; k++)
            ENSURE_NEAR(tw_rod_view(tw_world_rod(s->world, rod)).spin[k], turn * time, 2e-3 * turn * time);
        ENSURE(is_sound(s));
        stage_free(s);
    }
    return 0;
}

// ---- a belt on a drum ----

enum
{
    TAIL = 3,
    MOST_BELT = 64
};

/// A belt around a drum that stands still, as far as angle, with straight tails that springs pull at.
typedef struct Belt
{
    Stage* s;
    int count;  ///< points
    twVec3 anchor[2], out[2];
    double drum, radius, spring, mu, angle;
} Belt;

static twRodSupport belt_held[2];

static Belt make_belt(double mu, double angle, int arc)
{
    Belt b = {.s = stage(),
              .count = arc + 1 + 2 * TAIL,
              .drum = 0.02,
              .radius = 1e-4,
              .spring = 2000,
              .mu = mu,
              .angle = angle};
    Stage* s = b.s;
    static const twRodSupport ends[] = {{.kind = TW_ROD_CLAMPED, .point = 0}, {.kind = TW_ROD_CLAMPED, .point = 1}};
    rub(s, mu);
    s->def.gravity = tw_vec3(0, 0, 0);
    const int drum = stage_line(s, tw_vec3(0, -0.02, 0), tw_vec3(0, 0.02, 0), 2, tw_section_circle(b.drum));
    s->rods[drum].rod.supports = ends;
    s->rods[drum].rod.support_count = 2;
    twVec3 p[MOST_BELT];
    const double reach = b.drum + b.radius, step = angle / (arc + 1), edge = 2 * reach * tan(0.5 * step);
    // edges touch the drum in their middles: points are a little outside
    for (int i = 0; i <= arc; i++)
    {
        const double a = 0.5 * TW_PI + 0.5 * angle - (i + 0.5) * step, r = reach / cos(0.5 * step);
        p[TAIL + i] = tw_vec3(r * cos(a), 0, r * sin(a));
    }
    for (int side = 0; side < 2; side++)
    {
        const double a = 0.5 * TW_PI + (side ? -1 : 1) * 0.5 * angle;
        b.out[side] = tw_vec3_scale(tw_vec3(-sin(a), 0, cos(a)), side ? -1 : 1);
        for (int k = 1; k <= TAIL; k++)
            p[side ? TAIL + arc + k : TAIL - k] =
                tw_vec3_add_scaled(p[side ? TAIL + arc : TAIL], b.out[side], k * edge);
    }
    const int belt = stage_rod(s, p, b.count, tw_section_circle(b.radius));
    for (int side = 0; side < 2; side++)
    {
        belt_held[side] = (twRodSupport){.kind = TW_ROD_SPRING,
                                         .point = side ? b.count - 1 : 0,
                                         .stiffness = {b.spring, b.spring, b.spring},
                                         .damping = 0.1};
        b.anchor[side] = p[belt_held[side].point];
    }
    s->rods[belt].rod.supports = belt_held;
    s->rods[belt].rod.support_count = 2;
    s->rods[belt].rod.young = 2e10;
    s->rods[belt].rod.alpha = 300;
    s->rods[belt].rod.beta = 1e-6;
    s->rods[belt].no_self = true;
    return b;
}

// pull of a spring and its damper, whose anchor is a way out
static double pull(const Belt* b, int side, double way)
{
    const int end = belt_held[side].point;
    const twRodView v = tw_rod_view(tw_world_rod(b->s->world, 1));
    const twVec3 speed_of = {v.velocity[0][end], v.velocity[1][end], v.velocity[2][end]};
    const twVec3 to = tw_vec3_add_scaled(b->anchor[side], b->out[side], way);
    return b->spring * tw_vec3_dot(tw_vec3_sub(to, rod_point(b->s, 1, end)), b->out[side]) -
           belt_held[side].damping * tw_vec3_dot(speed_of, b->out[side]);
}

// The belt is pulled tight, then more and more on one side, until it slips: T' = mu p R, p = T/(R + r) in terms of the angle, of a
// belt whose middle is r above a drum of radius R.
static int belt_slips_when_the_ratio_of_its_pulls_is_exp_mu_theta(void)
{
    const double mus[] = {0.2, 0.4, 0.3}, angles[] = {TW_PI / 2, TW_PI / 2, TW_PI};
    for (int i = 0; i < 3; i++)
    {
        Belt b = make_belt(mus[i], angles[i], 16);
        must(stage_start(b.s), &b.s->err);
        twRod* rod = tw_world_rod(b.s->world, 1);
        const int steps = 600;
        double way[2] = {0, 0}, ratio = 0;
        for (int k = 0; k < 4 * steps; k++)
        {
            way[0] = 0.002 * fmin(1, (double)k / steps);
            way[1] = way[0] + 0.003 * fmax(0, (double)k / steps - 1);
            for (int side = 0; side < 2; side++)
                tw_rod_move(rod, side, tw_vec3_add_scaled(b.anchor[side], b.out[side], way[side]), tw_quat_identity());
            tw_world_advance(b.s->world, (k + 0.5) / b.s->def.rod_rate_hz);
            if (k >= 3 * steps) ratio += pull(&b, 1, way[1]) / pull(&b, 0, way[0]) / steps;
        }
        ENSURE_NEAR(ratio / exp(mus[i] * angles[i]), 1, 0.015);
        ENSURE_NEAR(ratio / exp(mus[i] * angles[i] * b.drum / (b.drum + b.radius)), 1, 0.015);
        ENSURE(is_sound(b.s));
        stage_free(b.s);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(ring_slides_along_a_rod_and_stops_by_coulombs_law)
    RUN(bar_sticks_on_a_slope_below_the_angle_of_friction_and_slides_above)
    RUN(round_rod_rolls_down_a_slope_and_slides_down_a_steep_one)
    RUN(belt_slips_when_the_ratio_of_its_pulls_is_exp_mu_theta)
)
