// SPDX-License-Identifier: MIT
// Rods that are linked, hooked or knotted stay so.
#include "knots.h"
#include "test.h"
#include "world.h"

#define RATE 44100.0
#define THICK 0.003  // of wires
#define BOUNCE 0.9   // restitution of steel

static Curve curve_of(Stage* s, int rod)
{
    const twRodView v = tw_rod_view(tw_world_rod(s->world, rod));
    Curve c = {.closed = s->rods[rod].rod.closed};
    for (int i = 0; i < v.point_count; i++)
        curve_add(&c, tw_vec3(v.position[0][i], v.position[1][i], v.position[2][i]));
    return c;
}

// of the centre lines, which are not straight between points
static double rods_apart(Stage* s, int a, int b)
{
    const Curve coarse[2] = {curve_of(s, a), curve_of(s, b)},
                once[2] = {curve_fine(&coarse[0]), curve_fine(&coarse[1])},
                twice[2] = {curve_fine(&once[0]), curve_fine(&once[1])};
    return curve_distance(&twice[0], &twice[1]);
}

static twSectionDef wire(bool flat)
{
    return flat ? tw_section_rectangle(1.2 * THICK, 0.8 * THICK) : tw_section_circle(0.5 * THICK);
}

// a ring about a centre, its plane by two axes
static int ring(Stage* s, int points, double radius, twVec3 centre, twVec3 a, twVec3 b, twSectionDef section)
{
    twVec3 at[64];
    for (int i = 0; i < points; i++)
    {
        const double angle = 2 * TW_PI * (i + 0.5) / points;
        at[i] = tw_vec3_add_scaled(tw_vec3_add_scaled(centre, a, radius * cos(angle)), b, radius * sin(angle));
    }
    const int rod = stage_rod(s, at, points, section);
    s->rods[rod].rod.closed = true;
    return rod;
}

static const twVec3 ex = {1, 0, 0}, ey = {0, 1, 0}, ez = {0, 0, 1};

static int the_yardsticks_know_links_and_knots(void)
{
    Curve a = {.closed = true}, b = {.closed = true}, trefoil = {.closed = true}, eight = {.closed = true};
    for (int i = 0; i < 40; i++)
    {
        const double t = 2 * TW_PI * i / 40;
        curve_add(&a, tw_vec3(cos(t), sin(t), 0));
        curve_add(&b, tw_vec3(1.3 + cos(t), 0.1, sin(t)));
        curve_add(&trefoil, tw_vec3(sin(t) + 2 * sin(2 * t), cos(t) - 2 * cos(2 * t), -sin(3 * t)));
        curve_add(&eight, tw_vec3((2 + cos(2 * t)) * cos(3 * t), (2 + cos(2 * t)) * sin(3 * t), sin(4 * t)));
    }
    ENSURE_NEAR(fabs(linking(&a, &b)), 1, 1e-9);
    for (int i = 0; i < 40; i++) b.points[i].x += 1;
    ENSURE_NEAR(linking(&a, &b), 0, 1e-9);
    ENSURE_NEAR(curve_distance(&a, &b), 0.3, 0.01);
    ENSURE_NEAR(knot_determinant(&a), 1, 0);
    ENSURE_NEAR(knot_determinant(&trefoil), 3, 1e-9);
    ENSURE_NEAR(knot_determinant(&eight), 5, 1e-9);
    return 0;
}

// ---- rings ----

static int throw_rings(double speed, bool flat, double stiffness, double restitution, double nearest)
{
    const double radius = 0.03;
    Stage* s = stage();
    s->def.gravity = tw_vec3(0, 0, 0);
    s->materials[0].restitution = restitution;
    if (stiffness > 0) stage_pair(s, 0, 0)->impact.stiffness = stiffness;
    const int a = ring(s, 20, radius, tw_vec3(0, 0, 0), ex, ey, wire(flat));
    const int b = ring(s, 20, radius, tw_vec3(1.7 * radius, 0.001, 0), ex, ez, wire(flat));
    stage_throw(s, a, tw_vec3(-0.5 * speed, 0, 0));
    stage_throw(s, b, tw_vec3(0.5 * speed, 0, 0));
    must(stage_start(s), &s->err);
    const Curve first[2] = {curve_of(s, a), curve_of(s, b)};
    const double links = linking(&first[0], &first[1]), start = stage_energy(s);
    ENSURE_NEAR(fabs(links), 1, 1e-6);
    double least = 1, time = 0, highest = start;
    const double end = 0.012 / speed + 0.002;
    while (time < end)
    {
        tw_world_advance(s->world, time += 4 / RATE);
        const Curve now[2] = {curve_of(s, a), curve_of(s, b)};
        ENSURE_NEAR(linking(&now[0], &now[1]), links, 1e-6);
        least = fmin(least, rods_apart(s, a, b));
        highest = fmax(highest, stage_energy(s));
    }
    const twWorldStats stats = tw_world_stats(s->world);
    ENSURE(stats.rod_contacts > 0 && stats.failures == 0);
    ENSURE(least > nearest * THICK);
    if (speed > 30) ENSURE(stats.refined > 0);
    if (stiffness > 1e13) ENSURE(stats.softened > 0);
    ENSURE(highest - start < 1e-9 * start);
    stage_free(s);
    return 0;
}

static int linked_rings_thrown_apart_stay_linked(void)
{
    static const double speeds[] = {1, 5, 20};
    for (int flat = 0; flat < 2; flat++)
        for (int i = 0; i < 3; i++)
            if (throw_rings(speeds[i], flat, 0, BOUNCE, 0.7)) return 1;
    return 0;
}

static int faster_than_steel_stands_they_stay_linked_too(void)
{
    return throw_rings(50, false, 0, BOUNCE, 0.4) || throw_rings(100, false, 0, BOUNCE, 0.4) ||
           throw_rings(100, true, 0, BOUNCE, 0.4);
}

// blows of some microseconds
static int contacts_too_hard_for_a_step_are_solved_in_halves(void)
{
    return throw_rings(20, false, 1e12, BOUNCE, 0.9) || throw_rings(50, false, 1e10, BOUNCE, 0.7);
}

// which in the shortest pieces of steps cannot be solved as told
static int rings_as_hard_as_nothing_is_stay_linked(void)
{
    for (int flat = 0; flat < 2; flat++)
        if (throw_rings(20, flat, 1e14, 0, 0.8) || throw_rings(20, flat, 1e12, 0.1, 0.8) ||
            throw_rings(4, flat, 1e11, 0, 0.8))
            return 1;
    return 0;
}

// ---- hooked helices ----

// flattened, about an axis along z
static int helix(Stage* s, double x, double z, double wide, double deep, double pitch, int turns, int per_turn,
                 double begin, twSectionDef section)
{
    static twVec3 at[128];
    const int points = turns * per_turn + 1;
    for (int i = 0; i < points; i++)
    {
        const double angle = begin + 2 * TW_PI * i / per_turn;
        at[i] = tw_vec3(x + wide * cos(angle), deep * sin(angle), z + pitch * angle / (2 * TW_PI));
    }
    return stage_rod(s, at, points, section);
}

// closed far out at one side
static Curve closed_at(Stage* s, int rod, double x)
{
    Curve c = curve_of(s, rod);
    const twVec3 first = c.points[0], last = c.points[c.count - 1];
    c.closed = true;
    curve_add(&c, tw_vec3(x, last.y, last.z + 0.05));
    curve_add(&c, tw_vec3(x, first.y, first.z - 0.05));
    return c;
}

static int wires_of_a_fence_hit_by_a_ball_stay_hooked(void)
{
    enum
    {
        TURNS = 3,
        PER_TURN = 12,
        POINTS = TURNS * PER_TURN + 1
    };
    static const twRodSupport pins[] = {{.kind = TW_ROD_PINNED, .point = 0},
                                        {.kind = TW_ROD_PINNED, .point = POINTS - 1}};
    for (int flat = 0; flat < 2; flat++)
    {
        Stage* s = stage();
        const double wide = 0.015, deep = 0.006, pitch = 0.035, apart = 0.024, ball = 0.012;
        const int body =
            stage_body(s, stage_ball(s, ball, 7800), 0.5 * apart, -deep - 0.5 * THICK - ball - 0.002, 0.9 * pitch);
        s->bodies[body].motion.velocity = tw_vec3(0, 20, 0);
        for (int i = 0; i < 2; i++)
        {
            const int rod =
                helix(s, i * apart, i ? -0.5 * pitch : 0, wide, deep, pitch, TURNS, PER_TURN, 0.5 * TW_PI, wire(flat));
            s->rods[rod].rod.support_count = 2;
            s->rods[rod].rod.supports = pins;
        }
        must(stage_start(s), &s->err);
        const Curve first[2] = {closed_at(s, 0, -1), closed_at(s, 1, 1)};
        const double links = linking(&first[0], &first[1]), start = stage_energy(s);
        ENSURE(fabs(links) > 1.5);
        ENSURE_NEAR(links, round(links), 1e-6);
        double least = 1, highest = start;
        for (int i = 1; i <= 60; i++)
        {
            tw_world_advance(s->world, i * 5 / RATE);
            const Curve all[2] = {closed_at(s, 0, -1), closed_at(s, 1, 1)};
            least = fmin(least, rods_apart(s, 0, 1));
            ENSURE_NEAR(linking(&all[0], &all[1]), links, 1e-6);
            highest = fmax(highest, stage_energy(s));
        }
        const twWorldStats stats = tw_world_stats(s->world);
        ENSURE(least > 0.4 * THICK && least < 1.3 * THICK);
        ENSURE(highest - start < 1e-9 * start);
        ENSURE(stats.failures == 0);
        stage_free(s);
    }
    return 0;
}

// screwed into each other along their common axis
static int helices_screwed_together_and_pulled_apart_hold(void)
{
    const double radius = 0.02, pitch = 0.016, speed = 10;
    Stage* s = stage();
    s->def.gravity = tw_vec3(0, 0, 0);
    const int a = helix(s, 0, 0, radius, radius, pitch, 4, 14, 0, wire(false));
    const int b = helix(s, 0, 2.5 * pitch, radius, radius, pitch, 4, 14, 0, wire(false));
    stage_throw(s, a, tw_vec3(0, 0, -0.5 * speed));
    stage_throw(s, b, tw_vec3(0, 0, 0.5 * speed));
    must(stage_start(s), &s->err);
    const double start = stage_energy(s);
    double least = 1, highest = start;
    for (int i = 1; i <= 60; i++)
    {
        tw_world_advance(s->world, i * 4 / RATE);
        least = fmin(least, rods_apart(s, a, b));
        highest = fmax(highest, stage_energy(s));
    }
    const twWorldStats stats = tw_world_stats(s->world);
    ENSURE(stats.rod_contacts > 0 && stats.failures == 0);
    ENSURE(least > 0.8 * THICK && least < 1.1 * THICK);
    ENSURE(highest - start < 1e-9 * start);
    stage_free(s);
    return 0;
}

// ---- a chain ----

enum
{
    LINKS = 7,
    LINK_POINTS = 16
};
#define LINK 0.012  // radius of the centre line
#define LINK_THICK 0.002

// Bars that hang from both ends, of lengths a, the outer ones b with their weight at out from the support: slopes (vertical force)/pull.
// @return how far the ends are apart with this pull; places of the ends of bars
static double hang(double pull, const double* length, const double* centre, twVec3* at)
{
    // what bears down beyond the middle of each bar; the weight of one is 1
    double span = 0, down = 0.5 * LINKS, fall = 0;
    at[0] = tw_vec3(0, 0, 0);
    for (int i = 0; i < LINKS; i++)
    {
        // moments about its far end: down at its near end, 1 at its centre
        const double slope = (down - 1 + centre[i] / length[i]) / pull;
        span += length[i] / hypot(1, slope);
        fall -= length[i] * slope / hypot(1, slope);
        at[i + 1] = tw_vec3(span, 0, fall);
        down -= 1;
    }
    return span;
}

static void shape_chain(double span, twVec3* at)
{
    // rings pull at each other's inner sides; the outer ones hang from points of their centre lines
    double length[LINKS], centre[LINKS], low = 1e-3, high = 1e4;
    for (int i = 0; i < LINKS; i++)
    {
        length[i] = 2 * LINK - LINK_THICK + (i == 0 || i == LINKS - 1 ? 0.5 * LINK_THICK : 0);
        centre[i] = i == 0 ? LINK : LINK - 0.5 * LINK_THICK;
    }
    for (int k = 0; k < 100; k++)
    {
        const double pull = sqrt(low * high);
        *(hang(pull, length, centre, at) < span ? &low : &high) = pull;
    }
}

static int a_chain_of_links_takes_its_catenary(void)
{
    static const twRodSupport pin = {.kind = TW_ROD_PINNED, .point = 0};
    const double whole = LINKS * (2 * LINK - LINK_THICK) + LINK_THICK, from = 0.9 * whole, to = 0.7 * whole;
    twVec3 at[LINKS + 1], end[LINKS + 1];
    shape_chain(from, at);
    shape_chain(to, end);
    Stage* s = stage();
    for (int i = 0; i < LINKS; i++)
    {
        // along, and across: upright and level by turns; a point at the beginning, or end, of it
        const twVec3 along = tw_vec3_normalize(tw_vec3_sub(at[i + 1], at[i]));
        const double from_end = i == 0 ? LINK : LINK - 0.5 * LINK_THICK;
        const twVec3 c = tw_vec3_add_scaled(at[i], along, from_end), u = tw_vec3_scale(along, i == LINKS - 1 ? 1 : -1);
        const twVec3 v = i % 2 ? ey : tw_vec3_cross(ey, along);
        twVec3 points[LINK_POINTS];
        for (int k = 0; k < LINK_POINTS; k++)
        {
            const double angle = 2 * TW_PI * k / LINK_POINTS;
            points[k] = tw_vec3_add_scaled(tw_vec3_add_scaled(c, u, LINK * cos(angle)), v, LINK * sin(angle));
        }
        const int rod = stage_rod(s, points, LINK_POINTS, tw_section_circle(0.5 * LINK_THICK));
        s->rods[rod].rod.closed = true;
        s->rods[rod].rod.alpha = 90;
        s->rods[rod].rod.support_count = i == 0 || i == LINKS - 1;
        s->rods[rod].rod.supports = &pin;
    }
    s->materials[0].stick = s->materials[0].slide = 0.2;
    s->def.gravity.z *= 10;  // the same shape, sooner
    must(stage_start(s), &s->err);
    const double moving = 0.05, still = 0.15;
    int step = 0;
    while (step < moving * RATE)
    {
        const double part = fmin(1, ++step / (moving * RATE)), x = from + (to - from) * part * part * (3 - 2 * part);
        tw_rod_move(tw_world_rod(s->world, 0), 0, tw_vec3(0.5 * (from - x), 0, 0), tw_quat_identity());
        tw_rod_move(tw_world_rod(s->world, LINKS - 1), 0, tw_vec3(0.5 * (from + x), 0, 0), tw_quat_identity());
        tw_world_advance(s->world, (step - 0.5) / RATE);
    }
    tw_world_advance(s->world, moving + still);
    const Curve middle = curve_of(s, LINKS / 2);
    twVec3 centre = {0};
    for (int k = 0; k < LINK_POINTS; k++) centre = tw_vec3_add_scaled(centre, middle.points[k], 1.0 / LINK_POINTS);
    const double sag = -centre.z, expected = -0.5 * (end[LINKS / 2].z + end[LINKS / 2 + 1].z);
    ENSURE(tw_world_stats(s->world).failures == 0);
    ENSURE_NEAR(sag, expected, 0.03 * expected);
    ENSURE_NEAR(centre.x, 0.5 * from, 0.01 * from);
    for (int i = 0; i + 1 < LINKS; i++)
    {
        const Curve a = curve_of(s, i), b = curve_of(s, i + 1);
        ENSURE_NEAR(fabs(linking(&a, &b)), 1, 1e-6);
    }
    stage_free(s);
    return 0;
}

// ---- a knot ----

enum
{
    KNOT_POINTS = 64
};

// joined far beyond the ends
static Curve closed_knot(Stage* s)
{
    Curve c = curve_of(s, 0);
    const twVec3 first = c.points[0], last = c.points[c.count - 1];
    const double out = last.x > first.x ? 1 : -1;
    c.closed = true;
    curve_add(&c, tw_vec3(last.x + out, last.y, last.z));
    curve_add(&c, tw_vec3(last.x + out, 2, last.z));
    curve_add(&c, tw_vec3(first.x - out, 2, first.z));
    curve_add(&c, tw_vec3(first.x - out, first.y, first.z));
    return c;
}

static int a_knot_pulled_tight_stays_a_knot(void)
{
    static const twRodSupport pins[] = {{.kind = TW_ROD_PINNED, .point = 0},
                                        {.kind = TW_ROD_PINNED, .point = KNOT_POINTS - 1}};
    for (int flat = 0; flat < 2; flat++)
    {
        Stage* s = stage();
        s->def.gravity = tw_vec3(0, 0, 0);
        s->materials[0].stick = s->materials[0].slide = 0.1;
        twVec3 points[KNOT_POINTS];
        for (int i = 0; i < KNOT_POINTS; i++)
        {
            // Shastri's trefoil; evenly enough
            const double r = 2.0 * i / (KNOT_POINTS - 1) - 1, t = 2.12 * r * (1.25 - 0.25 * r * r);
            points[i] = tw_vec3_scale(
                tw_vec3(t * t * t - 3 * t, t * t * t * t - 4 * t * t, 0.12 * (pow(t, 5) - 10 * t)), 0.012);
        }
        const int rod = stage_rod(s, points, KNOT_POINTS, wire(flat));
        s->rods[rod].rod.young = 1e8;
        s->rods[rod].rod.density = 1100;
        s->rods[rod].rod.alpha = 20;
        s->rods[rod].rod.beta = 2e-5;
        s->rods[rod].rod.support_count = 2;
        s->rods[rod].rod.supports = pins;
        must(stage_start(s), &s->err);
        Curve c = closed_knot(s);
        ENSURE_NEAR(knot_determinant(&c), 3, 1e-9);
        double length = 0;
        for (int i = 0; i + 1 < KNOT_POINTS; i++) length += away(points[i], points[i + 1]);
        const twVec3 a = points[0], b = points[KNOT_POINTS - 1];
        const double time = 0.05, pull = 0.75, out = 0.5 * pull * length * (b.x > a.x ? 1 : -1);
        double least = 1;
        for (int step = 1; step <= time * RATE; step++)
        {
            const double part = step / (time * RATE), go = part * part * (3 - 2 * part);
            const twVec3 ends[2] = {tw_vec3(-out, a.y, a.z), tw_vec3(out, b.y, b.z)};
            for (int k = 0; k < 2; k++)
            {
                const twVec3 start = k ? b : a;
                tw_rod_move(tw_world_rod(s->world, rod), k, tw_vec3_add_scaled(start, tw_vec3_sub(ends[k], start), go),
                            tw_quat_identity());
            }
            tw_world_advance(s->world, (step - 0.5) / RATE);
            if (step % 50) continue;
            c = closed_knot(s);
            ENSURE_NEAR(knot_determinant(&c), 3, 1e-6);
            c = curve_of(s, rod);
            const Curve fine = curve_fine(&c);
            least = fmin(least, self_distance(&fine, 9));
        }
        c = curve_of(s, rod);
        double now = 0;
        for (int i = 0; i + 1 < KNOT_POINTS; i++) now += away(c.points[i], c.points[i + 1]);
        const twWorldStats stats = tw_world_stats(s->world);
        ENSURE(stats.rod_contacts_max >= 4 && stats.failures == 0);
        // it does not give way by stretching, nor by going into itself
        ENSURE_NEAR(now, length, 0.02 * length);
        ENSURE(least > 0.7 * THICK && least < 1.2 * THICK);
        stage_free(s);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(the_yardsticks_know_links_and_knots)
    RUN(linked_rings_thrown_apart_stay_linked)
    RUN(faster_than_steel_stands_they_stay_linked_too)
    RUN(contacts_too_hard_for_a_step_are_solved_in_halves)
    RUN(rings_as_hard_as_nothing_is_stay_linked)
    RUN(wires_of_a_fence_hit_by_a_ball_stay_hooked)
    RUN(helices_screwed_together_and_pulled_apart_hold)
    RUN(a_chain_of_links_takes_its_catenary)
    RUN(a_knot_pulled_tight_stays_a_knot)
)
