// SPDX-License-Identifier: MIT
// Lines of rods that touch: knots, zigzags, arches.

#include "scene.h"
#include "scene/rod_path.h"
#include "twang/rod.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double apart(twVec3 a, twVec3 b) { return tw_vec3_norm(tw_vec3_sub(a, b)); }

// distance of two edges, by going to and fro between the nearest points of each
static double edges_apart(const twVec3* a, const twVec3* b)
{
    const twVec3 u = tw_vec3_sub(a[1], a[0]), v = tw_vec3_sub(b[1], b[0]);
    double least = INFINITY;
    for (int k = 0; k < 3; k++)
    {
        double s = 0.5 * k, t = 0;
        for (int i = 0; i < 60; i++)
        {
            const twVec3 on_a = tw_vec3_add_scaled(a[0], u, s);
            t = fmin(fmax(tw_vec3_dot(tw_vec3_sub(on_a, b[0]), v) / tw_vec3_dot(v, v), 0), 1);
            const twVec3 on_b = tw_vec3_add_scaled(b[0], v, t);
            s = fmin(fmax(tw_vec3_dot(tw_vec3_sub(on_b, a[0]), u) / tw_vec3_dot(u, u), 0), 1);
        }
        least = fmin(least, apart(tw_vec3_add_scaled(a[0], u, s), tw_vec3_add_scaled(b[0], v, t)));
    }
    return least;
}

// least distance of edges at least so many edges away from each other
static double strands_apart(const twVec3* a, int edges_a, const twVec3* b, int edges_b, int away)
{
    double least = INFINITY;
    for (int i = 0; i < edges_a; i++)
        for (int j = a == b ? i + away : 0; j < edges_b; j++)
        {
            const double reach = apart(a[i], a[i + 1]) + apart(b[j], b[j + 1]);
            if (apart(a[i], b[j]) - reach < least) least = fmin(least, edges_apart(&a[i], &b[j]));
        }
    return least;
}

// ---- knot ----

typedef struct Crossing
{
    double first, second;  // places along the line
    bool over;             // the first passes over the second
    int sign;
} Crossing;

// where a line crosses itself seen along z
static int crossings(const twVec3* p, int edges, Crossing* out, int most)
{
    int count = 0;
    for (int i = 0; i < edges; i++)
        for (int j = i + 2; j < edges; j++)
        {
            const twVec3 u = tw_vec3_sub(p[i + 1], p[i]), v = tw_vec3_sub(p[j + 1], p[j]), w = tw_vec3_sub(p[j], p[i]);
            const double det = u.x * v.y - u.y * v.x;
            const double s = (w.x * v.y - w.y * v.x) / det, t = (w.x * u.y - w.y * u.x) / det;
            if (!(s >= 0 && s < 1 && t >= 0 && t < 1) || count == most) continue;
            const bool over = p[i].z + s * u.z > p[j].z + t * v.z;
            out[count++] = (Crossing){i + s, j + t, over, (det > 0) == over ? 1 : -1};
        }
    return count;
}

// Vassiliev's invariant of order 2 by the formula of Polyak and Viro: 0 of what can be pulled straight, 1 of a trefoil
static int vassiliev(const Crossing* c, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            if (c[i].first < c[j].first && c[j].first < c[i].second && c[i].second < c[j].second && !c[i].over &&
                c[j].over)
                sum += c[i].sign * c[j].sign;
    return sum;
}

static int knot_is_a_trefoil_with_room_between_its_strands(void)
{
    const RodPath knot = {.kind = PATH_KNOT, .length = 0.4, .spacing = 0.01, .axis = {1, 0, 0}};
    const int n = 601;
    twVec3 p[601];
    Crossing c[32];
    rod_path(&knot, p, n);
    const int count = crossings(p, n - 1, c, 32);
    ENSURE(count >= 3 && count < 32);
    ENSURE(vassiliev(c, count) == 1);
    // with the other hand over it could be pulled straight
    for (int i = 0; i < count; i++) c[i].sign = c[i].over ? c[i].sign : -c[i].sign, c[i].over = true;
    ENSURE(vassiliev(c, count) == 0);
    // bends have a radius of 0.63 spacings: what is farther along than half a turn is another strand
    ENSURE(strands_apart(p, n - 1, p, n - 1, (int)(0.0063 * TW_PI / (0.4 / 600))) > 0.01);
    return 0;
}

static int knot_is_as_long_as_a_straight_rod_and_ends_on_its_axis(void)
{
    const RodPath knot = {.kind = PATH_KNOT, .length = 0.4, .spacing = 0.01, .axis = {0, 0, 1}, .at = {1, 2, 3}};
    const int n = 81;  // coarse: chords of bends are short
    twVec3 p[81];
    rod_path(&knot, p, n);
    for (int i = 0; i + 1 < n; i++) ENSURE_NEAR(apart(p[i], p[i + 1]), 0.4 / 80, 1e-12);
    ENSURE_NEAR(p[0].x, 1, 1e-12);
    ENSURE_NEAR(p[n - 1].x, 1, 1e-12);
    ENSURE_NEAR(p[n - 1].y, 2, 1e-12);
    ENSURE_NEAR(p[n - 1].z - p[0].z, 0.4 - 12.6 * 0.01, 0.004);
    return 0;
}

// ---- zigzag ----

static const RodPath wire = {
    .kind = PATH_ZIGZAG, .width = 0.038, .pitch = 0.072, .turns = 3, .bend = 0.005, .depth = 0.006, .axis = {0, 0, 1}};

static int zigzag_has_its_width_pitch_and_bends(void)
{
    const int n = 6001;
    static twVec3 p[6001];
    rod_path(&wire, p, n);
    double left = 0, right = 0, front = 0, sharpest = INFINITY;
    const double ds = apart(p[0], p[1]);
    for (int i = 1; i + 1 < n; i++)
    {
        left = fmin(left, p[i].x);
        right = fmax(right, p[i].x);
        front = fmax(front, p[i].y);
        ENSURE_NEAR(apart(p[i], p[i + 1]), ds, 1e-3 * ds);
        const twVec3 turned = tw_vec3_sub(tw_vec3_add(p[i - 1], p[i + 1]), tw_vec3_scale(p[i], 2));
        sharpest = fmin(sharpest, ds * ds / tw_vec3_norm(turned));
    }
    ENSURE_NEAR(right, 0.019, 1e-6);
    ENSURE_NEAR(left, -0.019, 1e-6);
    ENSURE_NEAR(front, 0.003, 1e-9);
    ENSURE_NEAR(tw_vec3_norm(p[0]), 0.003, 1e-9);  // it begins in the middle of a leg
    ENSURE_NEAR(p[n - 1].z, 3 * 0.072, 1e-9);
    // a bend that also swings across is less sharp at the tip, by the square of how much slower it turns; where it leaves the
    // swing a little more bends
    ENSURE(sharpest > 0.9 * 0.005 && sharpest < 1.5 * 0.005);
    return 0;
}

static int neighbour_half_a_turn_later_hooks_in_and_does_not_overlap(void)
{
    const int n = 79;
    const double step = 0.0348;
    twVec3 a[79], b[79];
    RodPath later = wire;
    later.phase = 0.5;
    later.at.x = step;
    rod_path(&wire, a, n);
    rod_path(&later, b, n);
    // half a turn about the axis
    for (int i = 0; i < n; i++) ENSURE(apart(b[i], tw_vec3(step - a[i].x, -a[i].y, a[i].z)) < 1e-9);
    // its tips are behind those of the first, and go across them: pulled apart they catch
    double right = -1, left = 1;
    for (int i = 0; i < n; i++)
    {
        right = fmax(right, a[i].x);
        left = fmin(left, b[i].x);
    }
    ENSURE(left < right - 0.0025);
    ENSURE(strands_apart(a, n - 1, b, n - 1, 0) > 0.0025);
    return 0;
}

// ---- arch ----

static const RodPath slinky = {.kind = PATH_ARCH,
                               .radius = 0.03,
                               .pitch = 0.0005,
                               .turns = 40,
                               .stack = {12, 6},
                               .span = 0.12,
                               .drop = 0.06,
                               .axis = {0, 0, 1}};

static int arch_stands_on_two_steps_and_its_turns_do_not_cut_into_each_other(void)
{
    const int n = 40 * 48 + 1;
    static twVec3 p[1921], axes[1921];
    rod_path(&slinky, p, n);
    rod_path_axes(&slinky, axes, n);
    const double step = hypot(0.06 * sin(TW_PI / 48), 0.0005 / 48);
    for (int i = 0; i + 1 < n; i++) ENSURE_NEAR(apart(p[i], p[i + 1]), step, 1e-9);
    // turns that lie on each other
    for (int i = 0; i < 11 * 48; i++) ENSURE_NEAR(p[i + 48].z - p[i].z, 0.0005, 1e-6);
    for (int i = n - 1; i > n - 5 * 48; i--) ENSURE_NEAR(p[i - 48].z - p[i].z, 0.0005, 1e-6);
    for (int i = 0; i + 50 < n; i++) ENSURE(strands_apart(&p[i], 1, &p[i + 46], 4, 0) > 0.0005 - 5e-6);
    // the last turn: its mean is half a pitch above the end
    twVec3 mean = tw_vec3(0, 0, 0);
    for (int i = n - 48; i < n; i++) mean = tw_vec3_add_scaled(mean, p[i], 1.0 / 48);
    ENSURE_NEAR(mean.x, 0.12, 1e-4);
    ENSURE_NEAR(mean.y, 0, 1e-4);
    ENSURE_NEAR(mean.z, -0.06 + 0.00025, 3e-5);
    ENSURE_NEAR(axes[0].z, 1, 1e-12);
    ENSURE_NEAR(axes[n - 1].z, -1, 1e-9);
    return 0;
}

// A spring whose turns are spread by e and lean by a each holds, per turn, GJ e^2/(4 pi R^3) and (GJ + EI)/2 a^2/(4 pi R), I for
// bending toward its axis.
static int arch_holds_the_energy_of_a_spring(void)
{
    const char text[] =
        "rods:\n  s: {arch: {radius: 0.03, pitch: 0.0005, turns: 90, stacked: [12, 6], span: 0.12, drop: 0.06},\n"
        "      rest: {helix: {radius: 0.03, pitch: 0.0005, turns: 90}}, points: 4321, direction: axis,\n"
        "      section: {rectangle: [0.0004, 0.001]}}\n"
        "listeners: {ear: {at: [0, 0, 1]}}\n";
    twScene* scene;
    twRod* rod;
    ENSURE(tw_scene_parse(&scene, "arch.yaml", text, strlen(text), NULL) == TW_OK);
    const twRodDef* def = &scene->rods[0].def;
    ENSURE(tw_rod_create(&rod, def, NULL) == TW_OK);
    const twRodEnergy e = tw_rod_energy(rod);
    static twVec3 axes[4321];
    RodPath path = slinky;
    path.turns = 90;
    rod_path_axes(&path, axes, 4321);
    const double gj = def->young / (2 + 2 * def->poisson) * def->sections[0].torsion;
    const double ei = def->young * 0.001 * pow(0.0004, 3) / 12;
    double sum = 0;
    for (int i = 48; i + 48 < 4321; i++)
    {
        // centres of the turns half a turn before and behind
        twVec3 a = tw_vec3(0, 0, 0), b = a;
        for (int k = 0; k < 48; k++)
        {
            a = tw_vec3_add_scaled(a, def->points[i - 48 + k], 1.0 / 48);
            b = tw_vec3_add_scaled(b, def->points[i + k], 1.0 / 48);
        }
        const double spread = apart(a, b) - 0.0005;
        const double lean = acos(fmin(tw_vec3_dot(axes[i - 24], axes[i + 24]), 1));
        sum += (gj * spread * spread / (2.7e-5) + 0.5 * (gj + ei) * lean * lean / 0.03) / (4 * TW_PI) / 48;
    }
    ENSURE_NEAR((e.bending + e.twisting) / sum, 1, 0.03);
    ENSURE(e.stretching < 1e-4 * sum);
    tw_rod_destroy(rod);
    tw_scene_destroy(scene);
    return 0;
}

// ---- in scenes ----

static int sections_of_a_coil_point_along_its_axis(void)
{
    const char text[] =
        "rods: {s: {helix: {radius: 0.03, pitch: 0.01, turns: 3}, axis: [0, 1, 0], points: 145, direction: axis,\n"
        "           section: {rectangle: [0.0004, 0.001]}}}\nlisteners: {ear: {at: [0, 0, 1]}}\n";
    twScene* scene;
    twRod* rod;
    ENSURE(tw_scene_parse(&scene, "coil.yaml", text, strlen(text), NULL) == TW_OK);
    ENSURE(tw_rod_create(&rod, &scene->rods[0].def, NULL) == TW_OK);
    const twRodView view = tw_rod_view(rod);
    const double slope = atan2(0.01, 2 * TW_PI * 0.03);
    for (int i = 0; i < view.edge_count; i++) ENSURE_NEAR(view.frame_d1[1][i], cos(slope), 1e-4);
    tw_rod_destroy(rod);
    tw_scene_destroy(scene);
    return 0;
}

static int lines_that_cannot_be_are_refused_with_a_cure(void)
{
    const struct
    {
        const char *shape, *message;
    } cases[] = {
        {"knot: {length: 0.1, spacing: 0.01}", "at least 21 times"},
        {"knot: {length: 0.1}", "'spacing'"},
        {"zigzag: {width: 0.04, pitch: 0.02, turns: 3, bend: 0.006}", "four times the radius"},
        {"zigzag: {width: 0.02, pitch: 0.03, turns: 3, bend: 0.007}", "a smaller 'bend'"},
        {"arch: {radius: 0.03, pitch: 0.001, turns: 20, span: 0.04}", "a wider 'span'"},
        {"arch: {radius: 0.03, pitch: 0.001, turns: 20, span: 0.1, stacked: [10, 10]}", "no turn for the arch"},
        {"arch: {radius: 0.03, pitch: 0.001, turns: 30, span: 0.1, stacked: [1, 15]}", "'drop' is too small"},
        {"direction: axis, polyline: [[0, 0, 0], [1, 0, 0]]", "no axis"},
        {"ring: 0.1, knot: {length: 1, spacing: 0.01}", "both shapes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[512];
        twScene* scene;
        twError err = {0};
        snprintf(text, sizeof text, "rods: {r: {%s, section: {circle: 0.001}}}\nlisteners: {ear: {at: [0, 0, 9]}}\n",
                 cases[i].shape);
        const twStatus status = tw_scene_parse(&scene, "r.yaml", text, strlen(text), &err);
        if (status != TW_BAD_INPUT) printf("%s is taken\n", cases[i].shape);
        ENSURE(status == TW_BAD_INPUT);
        if (!strstr(err.text, cases[i].message)) printf("%s: %s\n", cases[i].shape, err.text);
        ENSURE(strstr(err.text, cases[i].message) != NULL);
    }
    return 0;
}

// surfaces of two round rods of a scene
static double rods_apart(const twScene* scene, int a, int b)
{
    const twRodDef *p = &scene->rods[a].def, *q = &scene->rods[b].def;
    return strands_apart(p->points, p->point_count - 1, q->points, q->point_count - 1, 0) - p->sections[0].radius -
           q->sections[0].radius;
}

static int rods_of_scenes_leave_room_at_the_start(void)
{
    static const char* const names[] = {"chain", "chain-link-fence", "nails"};
    for (int k = 0; k < 3; k++)
    {
        char path[1024];
        twScene* scene;
        twError err = {0};
        snprintf(path, sizeof path, "%s/scenes/%s.yaml", TEST_SOURCE_DIR, names[k]);
        if (tw_scene_load(&scene, path, &err) != TW_OK) printf("%s\n", err.text);
        ENSURE(scene != NULL);
        // all wires of a fence are alike: the first two, then what holds them
        const int step = k == 1 ? 18 : 1;
        double least = INFINITY;
        for (int i = 0; i < scene->rod_count; i += step)
            for (int j = i + step; j < scene->rod_count; j += step) least = fmin(least, rods_apart(scene, i, j));
        if (k == 1) least = fmin(least, fmin(rods_apart(scene, 35, 37), rods_apart(scene, 0, 37)));
        if (!(least > 1e-4 && least < 4e-3)) printf("%s: %g m\n", names[k], least);
        ENSURE(least > 1e-4 && least < 4e-3);
        tw_scene_destroy(scene);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(knot_is_a_trefoil_with_room_between_its_strands)
    RUN(knot_is_as_long_as_a_straight_rod_and_ends_on_its_axis)
    RUN(zigzag_has_its_width_pitch_and_bends)
    RUN(neighbour_half_a_turn_later_hooks_in_and_does_not_overlap)
    RUN(arch_stands_on_two_steps_and_its_turns_do_not_cut_into_each_other)
    RUN(arch_holds_the_energy_of_a_spring)
    RUN(sections_of_a_coil_point_along_its_axis)
    RUN(lines_that_cannot_be_are_refused_with_a_cure)
    RUN(rods_of_scenes_leave_room_at_the_start)
)
