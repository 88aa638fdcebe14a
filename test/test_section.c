// SPDX-License-Identifier: MIT
// Sections against closed forms (series, conformal maps, Cowper's coefficients), finite differences and symmetry.
#include "test.h"
#include "twang/math.h"
#include "twang/section.h"

static twSection compute(twSectionDef def)
{
    twSection section;
    twError err;
    if (tw_section_compute(&section, &def, &err) == TW_OK) return section;
    printf("%s\n", err.text);
    return (twSection){.area = NAN};
}

static twSection polygon_of_box(double w, double h)
{
    double p[] = {0, 0, w, 0, w, h, 0, h};
    return compute(tw_section_polygon(p, 4));
}

// n points on an ellipse
static twSection polygon_on_ellipse(int n, double a, double b)
{
    double p[2 * TW_MAX_SECTION_POINTS];
    for (int i = 0; i < n; i++)
    {
        p[2 * i] = a * cos(2 * TW_PI * i / n);
        p[2 * i + 1] = b * sin(2 * TW_PI * i / n);
    }
    return compute(tw_section_polygon(p, n));
}

#define ENSURE_CLOSE(value, expected, relative) ENSURE_NEAR(value, expected, (relative)*fabs(expected))

static int same_section(twSection a, twSection b, double relative)
{
    ENSURE_CLOSE(a.area, b.area, relative);
    ENSURE_CLOSE(a.torsion, b.torsion, relative);
    for (int k = 0; k < 2; k++)
    {
        ENSURE_CLOSE(a.moment[k], b.moment[k], relative);
        ENSURE_CLOSE(a.shear[k], b.shear[k], relative);
        ENSURE_CLOSE(a.dipole[k], b.dipole[k], relative);
        ENSURE_CLOSE(a.half_size[k], b.half_size[k], relative);
    }
    ENSURE_NEAR(a.dipole[2], b.dipole[2], relative * (b.dipole[0] + b.dipole[1]));
    return 0;
}
#define ENSURE_SAME_SECTION(a, b, relative) ENSURE(same_section(a, b, relative) == 0)

// ---- closed forms ----

static int rectangle_has_the_published_dipoles_and_torsion(void)
{
    twSection bar = compute(tw_section_rectangle(25.4e-3, 12.7e-3)), flat = compute(tw_section_rectangle(33e-3, 7e-3));
    ENSURE_CLOSE(bar.dipole[0], 5.37364e-4, 1e-6);
    ENSURE_CLOSE(bar.dipole[1], 1.013567e-3, 1e-6);
    ENSURE_NEAR(bar.torsion / (bar.moment[0] + bar.moment[1]), 0.549, 5e-4);
    ENSURE_NEAR(flat.torsion / (flat.moment[0] + flat.moment[1]), 0.149, 5e-4);
    ENSURE_NEAR(bar.shear[0], 5.0 / 6, 1e-15);
    ENSURE_CLOSE(bar.moment[0], pow(25.4e-3, 3) * 12.7e-3 / 12, 1e-14);
    return 0;
}

static int square_has_the_published_added_area(void)
{
    twSection square = compute(tw_section_rectangle(2, 2));
    ENSURE_NEAR(square.dipole[0], 4 + 1.5132 * TW_PI, 0.00005 * TW_PI);
    ENSURE_NEAR(square.dipole[1], square.dipole[0], 1e-12);
    ENSURE_NEAR(square.torsion, 0.140577 * 16, 1e-5);
    return 0;
}

// a plate of no thickness displaces the air of a circle about it; and it twists as b t^3/3 (1 - 0.63 t/b)
static int thin_rectangle_is_a_plate(void)
{
    twSection plate = compute(tw_section_rectangle(1, 1e-5));
    ENSURE_CLOSE(plate.dipole[1], TW_PI / 4, 1e-4);
    ENSURE_CLOSE(plate.torsion, 1e-15 / 3 * (1 - 0.63025e-5), 1e-8);
    return 0;
}

static int solved_box_is_the_closed_form(void)
{
    const double sizes[][2] = {{25.4e-3, 12.7e-3}, {33e-3, 7e-3}, {1, 1}, {0.02, 1}, {100, 1}};
    for (int i = 0; i < 5; i++)
    {
        twSection solved = polygon_of_box(sizes[i][0], sizes[i][1]);
        twSection exact = compute(tw_section_rectangle(sizes[i][0], sizes[i][1]));
        ENSURE_SAME_SECTION(solved, exact, 1e-7);
    }
    return 0;
}

// of side 1, by conformal mapping: side = R 2^(1+2/n)/n B(1/n + 1/2, 1/2), D = 2 pi R^2 in all directions
static int regular_polygons_have_the_dipole_of_their_conformal_radius(void)
{
    for (int n = 3; n <= 8; n++)
    {
        double side = pow(2, 1 + 2.0 / n) / n * sqrt(TW_PI) * tgamma(1.0 / n + 0.5) / tgamma(1.0 / n + 1);
        double corner_radius = 0.5 / sin(TW_PI / n);
        twSection s = polygon_on_ellipse(n, corner_radius, corner_radius);
        ENSURE_CLOSE(s.dipole[0], 2 * TW_PI / (side * side), 1e-7);
        ENSURE_CLOSE(s.dipole[1], 2 * TW_PI / (side * side), 1e-7);
        ENSURE_NEAR(s.dipole[2], 0, 1e-7 * s.dipole[0]);
        ENSURE_NEAR(s.angle, 0, 0);
        if (n == 3) ENSURE_CLOSE(s.torsion, sqrt(3) / 80, 1e-7);
    }
    return 0;
}

static int ellipse_is_exact_and_polygons_in_it_converge_to_it(void)
{
    double a = 2, b = 1;
    twSection exact = compute(tw_section_ellipse(2 * a, 2 * b));
    ENSURE_CLOSE(exact.dipole[0], TW_PI * b * (a + b), 1e-15);
    ENSURE_CLOSE(exact.dipole[1], TW_PI * a * (a + b), 1e-15);
    ENSURE_CLOSE(exact.torsion, TW_PI * 8 / 5, 1e-15);
    twSection s16 = polygon_on_ellipse(16, a, b), s32 = polygon_on_ellipse(32, a, b),
              s64 = polygon_on_ellipse(64, a, b);
    ENSURE_NEAR((exact.area - s16.area) / (exact.area - s32.area), 4, 0.1);
    ENSURE_NEAR((exact.torsion - s32.torsion) / (exact.torsion - s64.torsion), 4, 0.1);
    ENSURE_NEAR((exact.dipole[1] - s16.dipole[1]) / (exact.dipole[1] - s32.dipole[1]), 4, 0.2);
    for (int k = 0; k < 2; k++) ENSURE_CLOSE(s64.shear[k], exact.shear[k], 2e-4);
    return 0;
}

static int most_points_make_the_ellipse(void)
{
    ENSURE_SAME_SECTION(polygon_on_ellipse(TW_MAX_SECTION_POINTS, 2, 1), compute(tw_section_ellipse(4, 2)), 2e-4);
    return 0;
}

static int tube_ends_at_circle_and_thin_ring(void)
{
    twSection rod = compute(tw_section_circle(0.5)), solid = compute(tw_section_tube(0.5, 0));
    ENSURE_SAME_SECTION(rod, solid, 1e-15);
    ENSURE_NEAR(rod.shear[0], 6.0 / 7, 1e-15);
    ENSURE_CLOSE(rod.dipole[0], TW_PI / 2, 1e-15);
    twSection ring = compute(tw_section_tube(0.5, 0.5 - 1e-6));
    ENSURE_CLOSE(ring.area, TW_PI * 1e-6, 1e-5);
    ENSURE_CLOSE(ring.torsion, TW_PI * 0.25 * 1e-6, 1e-5);
    ENSURE_NEAR(ring.shear[0], 0.5, 1e-5);
    ENSURE_CLOSE(ring.dipole[1], TW_PI / 2, 1e-15);
    ENSURE_NEAR(ring.radius, 0.5, 0);
    return 0;
}

// ---- rounded rectangles ----

static int rounded_rectangle_ends_at_rectangle_and_circle(void)
{
    ENSURE_SAME_SECTION(compute(tw_section_rounded(4, 2, 1e-4)), compute(tw_section_rectangle(4, 2)), 1e-5);
    ENSURE_SAME_SECTION(compute(tw_section_rounded(2, 2, 1 - 1e-9)), compute(tw_section_circle(1)), 1e-5);
    ENSURE_SAME_SECTION(compute(tw_section_rounded(4, 2, 0)), compute(tw_section_rectangle(4, 2)), 1e-15);
    ENSURE_NEAR(compute(tw_section_rounded(2, 2, 1)).radius, 1, 0);
    return 0;
}

static int rounded_rectangle_has_its_closed_area_and_moment(void)
{
    // a square of corner side r loses r^2 (1 - pi/4), with centroid at r (1 - (10 - 3 pi)/(3 (4 - pi))) from its inside
    double w = 4, h = 2, r = 0.3, lost = r * r * (1 - TW_PI / 4), off = w / 2 - r + r * (2 / (12 - 3 * TW_PI));
    double own = r * r * r * r * (1.0 / 3 - TW_PI / 16) - lost * pow(r * 2 / (12 - 3 * TW_PI), 2);
    twSection s = compute(tw_section_rounded(w, h, r));
    ENSURE_CLOSE(s.area, w * h - 4 * lost, 1e-13);
    ENSURE_CLOSE(s.moment[0], w * w * w * h / 12 - 4 * (own + lost * off * off), 1e-12);
    return 0;
}

// arcs as arcs, and arcs as many edges
static int rounded_rectangle_is_the_limit_of_polygons(void)
{
    enum
    {
        PER_ARC = 30
    };
    double p[8 * PER_ARC], w = 3, h = 2, r = 0.8;
    for (int i = 0; i < 4 * PER_ARC; i++)
    {
        int corner = i / PER_ARC;
        double angle = TW_PI / 2 * (corner + (i % PER_ARC) / (PER_ARC - 1.0));
        p[2 * i] = (corner == 0 || corner == 3 ? 1 : -1) * (w / 2 - r) + r * cos(angle);
        p[2 * i + 1] = (corner < 2 ? 1 : -1) * (h / 2 - r) + r * sin(angle);
    }
    ENSURE_SAME_SECTION(compute(tw_section_polygon(p, 4 * PER_ARC)), compute(tw_section_rounded(w, h, r)), 5e-4);
    return 0;
}

// ---- another method: finite differences for the stress function of an L ----

enum
{
    WIDE = 100  // most cells
};

// n cells per unit
static bool inside_l(int n, int i, int j) { return (i < 4 * n && j < n) || (i < n && j < 3 * n); }

// J = 2 int u, -laplace u = 2
static double torsion_by_differences(int n)
{
    static double u[WIDE][WIDE];
    double sum = 0, h = 1.0 / n;
    memset(u, 0, sizeof u);
    for (int sweep = 0; sweep < 20 * n; sweep++)
        for (int i = 1; i < 4 * n; i++)
            for (int j = 1; j < 3 * n; j++)
            {
                double mean = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] + 2 * h * h);
                if (inside_l(n, i, j)) u[i][j] += 1.8 * (mean - u[i][j]);
            }
    for (int i = 0; i < 4 * n; i++)
        for (int j = 0; j < 3 * n; j++) sum += u[i][j];
    return 2 * sum * h * h;
}

static int angle_section_twists_as_finite_differences_say(void)
{
    double p[] = {0, 0, 4, 0, 4, 1, 1, 1, 1, 3, 0, 3};
    twSection s = compute(tw_section_polygon(p, 6));
    // the error has parts of h^2 and, from the inner corner, of h^(4/3)
    double coarse = torsion_by_differences(12), fine = torsion_by_differences(24), gain = fine - coarse;
    ENSURE(s.torsion > fine + gain / 3 && s.torsion < fine + gain / (pow(2, 4.0 / 3) - 1));
    ENSURE_CLOSE(s.torsion, fine, 5e-3);
    // moments by hand: about the centroid (3/2, 1) they are 8.5, 4 and -3
    ENSURE_CLOSE(s.moment[0], 10.0, 1e-12);
    ENSURE_CLOSE(s.moment[1], 2.5, 1e-12);
    ENSURE_NEAR(s.angle, 0.5 * atan2(-6, 4.5), 1e-12);
    return 0;
}

// ---- invariance ----

static const double hook[] = {0, 0, 5, 0.3, 4.6, 1.2, 1.1, 1, 0.9, 3.1, -0.2, 2.7};

static int turning_and_moving_change_only_the_angle(void)
{
    twSection s = compute(tw_section_polygon(hook, 6));
    double angle = 0.2, p[12];
    for (int i = 0; i < 6; i++)
    {
        p[2 * i] = 7 + cos(angle) * hook[2 * i] - sin(angle) * hook[2 * i + 1];
        p[2 * i + 1] = -3 + sin(angle) * hook[2 * i] + cos(angle) * hook[2 * i + 1];
    }
    twSection turned = compute(tw_section_polygon(p, 6));
    ENSURE_SAME_SECTION(turned, s, 1e-9);
    ENSURE_NEAR(turned.angle - s.angle, angle, 1e-12);

    // by 90 degrees the axes change places
    for (int i = 0; i < 6; i++)
    {
        p[2 * i] = -hook[2 * i + 1];
        p[2 * i + 1] = hook[2 * i];
    }
    turned = compute(tw_section_polygon(p, 6));
    ENSURE_CLOSE(turned.moment[0], s.moment[1], 1e-9);
    ENSURE_CLOSE(turned.shear[1], s.shear[0], 1e-9);
    ENSURE_CLOSE(turned.dipole[0], s.dipole[1], 1e-9);
    ENSURE_CLOSE(turned.dipole[2], -s.dipole[2], 1e-7);
    ENSURE_NEAR(turned.angle, s.angle, 1e-12);
    return 0;
}

static int order_direction_and_needless_points_do_not_matter(void)
{
    twSection s = compute(tw_section_polygon(hook, 6));
    double p[2 * 13];
    for (int i = 0; i < 6; i++)
    {
        // backwards from the third point, with the middle of each edge, the first point again at the end
        int a = (8 - i) % 6, b = (7 - i) % 6;
        for (int k = 0; k < 2; k++)
        {
            p[4 * i + k] = hook[2 * a + k];
            p[4 * i + 2 + k] = 0.5 * (hook[2 * a + k] + hook[2 * b + k]);
        }
    }
    p[24] = p[0], p[25] = p[1];
    twSection other = compute(tw_section_polygon(p, 13));
    ENSURE_SAME_SECTION(other, s, 1e-7);
    ENSURE_NEAR(other.angle, s.angle, 1e-12);
    return 0;
}

static int sizes_scale(void)
{
    twSection s = compute(tw_section_polygon(hook, 6));
    double p[12], scale = 1e-4;
    for (int i = 0; i < 12; i++) p[i] = scale * hook[i];
    twSection small = compute(tw_section_polygon(p, 6));
    double s2 = scale * scale, s4 = s2 * s2;
    s.area *= s2, s.torsion *= s4, s.dipole[2] *= s2;
    for (int k = 0; k < 2; k++) s.moment[k] *= s4, s.dipole[k] *= s2, s.half_size[k] *= scale;
    ENSURE_SAME_SECTION(small, s, 1e-9);
    return 0;
}

// a needle, a comb and a star: finite, and within the bounds that every section obeys
static int strange_outlines_stay_sane(void)
{
    double needle[] = {0, 0, 1, 1e-3, 1, -1e-3}, comb[4 * 22], star[4 * 20];
    int points = 0;
    comb[points++] = 0, comb[points++] = 0, comb[points++] = 20, comb[points++] = 0;
    for (int i = 0; i < 10; i++)
    {
        double right = 20 - 2 * i, shape[] = {right, 5, right - 1, 5, right - 1, 1, right - 2, 1};
        for (int k = 0; k < 8; k++) comb[points++] = shape[k];
    }
    for (int i = 0; i < 40; i++)
    {
        double r = i % 2 ? 1 : 0.4;
        star[2 * i] = r * cos(TW_PI * i / 20);
        star[2 * i + 1] = r * sin(TW_PI * i / 20);
    }
    twSectionDef defs[] = {tw_section_polygon(needle, 3), tw_section_polygon(comb, points / 2),
                           tw_section_polygon(star, 40)};
    for (int i = 0; i < 3; i++)
    {
        twSection s = compute(defs[i]);
        double bound = 4 * s.moment[0] * s.moment[1] / (s.moment[0] + s.moment[1]);
        ENSURE(s.torsion > 0 && s.torsion <= bound * (1 + 1e-6));
        ENSURE(s.shear[0] > 0 && s.shear[0] < 1 && s.shear[1] > 0 && s.shear[1] < 1);
        // moving air at all takes more than carrying one's own volume
        ENSURE(s.dipole[0] > s.area && s.dipole[1] > s.area);
    }
    return 0;
}

// ---- wrong input ----

static int fails_with(twSectionDef def, const char* text)
{
    twSection section;
    twError err = {0};
    if (tw_section_compute(&section, &def, &err) != TW_BAD_INPUT) return 0;
    if (!strstr(err.text, text)) printf("message: %s\n", err.text);
    return strstr(err.text, text) != NULL;
}

static int bad_dimensions_are_named(void)
{
    ENSURE(fails_with(tw_section_circle(0), "radius of a circle is 0"));
    ENSURE(fails_with(tw_section_circle(NAN), "radius of a circle is"));
    ENSURE(fails_with(tw_section_circle(INFINITY), "radius of a circle is inf"));
    ENSURE(fails_with(tw_section_tube(1, 1), "inner radius 1 of a tube must be in [0, 1) m"));
    ENSURE(fails_with(tw_section_tube(1, NAN), "inner radius"));
    ENSURE(fails_with(tw_section_ellipse(-1, 1), "width of an ellipse is -1"));
    ENSURE(fails_with(tw_section_rectangle(1, 0), "height of a rectangle is 0"));
    ENSURE(fails_with(tw_section_rectangle(1e3, 1e-6), "too thin"));
    ENSURE(fails_with(tw_section_rounded(4, 2, 1.1), "corner radius 1.1 does not fit 4 x 2 m, must be in [0, 1] m"));
    ENSURE(fails_with(tw_section_rounded(4, 2, NAN), "corner radius"));
    return 0;
}

static int bad_polygons_are_named(void)
{
    double two[] = {0, 0, 1, 0}, bow[] = {0, 0, 1, 1, 1, 0, 0, 1}, line[] = {0, 0, 1, 1, 2, 2};
    double touching[] = {0, 0, 4, 0, 4, 4, 2, 0, 0, 4}, spike[] = {0, 0, 2, 0, 1, 0, 1, 1};
    double odd[] = {0, 0, 1, NAN, 1, 1}, dot[] = {3, 3, 3, 3, 3, 3}, flat[] = {0, 0, 1, 1e-12, 1, 0};
    ENSURE(fails_with(tw_section_polygon(two, 2), "2 points, a polygon needs 3"));
    ENSURE(fails_with(tw_section_polygon(NULL, 0), "0 points"));
    ENSURE(fails_with(tw_section_polygon(bow, 4), "edge from point 0 to 1 meets the edge from point 2 to 3"));
    ENSURE(fails_with(tw_section_polygon(touching, 5), "edge from point 0 to 1 meets the edge from point 2 to 3"));
    ENSURE(fails_with(tw_section_polygon(spike, 4), "edge from point 0 to 1 meets the edge from point 1 to 2"));
    ENSURE(fails_with(tw_section_polygon(line, 3), "no area"));
    ENSURE(fails_with(tw_section_polygon(odd, 3), "y of point 1"));
    ENSURE(fails_with(tw_section_polygon(dot, 3), "must span"));
    ENSURE(fails_with(tw_section_polygon(flat, 3), "no area"));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(rectangle_has_the_published_dipoles_and_torsion)
    RUN(square_has_the_published_added_area)
    RUN(thin_rectangle_is_a_plate)
    RUN(solved_box_is_the_closed_form)
    RUN(regular_polygons_have_the_dipole_of_their_conformal_radius)
    RUN(ellipse_is_exact_and_polygons_in_it_converge_to_it)
    RUN(most_points_make_the_ellipse)
    RUN(tube_ends_at_circle_and_thin_ring)
    RUN(rounded_rectangle_ends_at_rectangle_and_circle)
    RUN(rounded_rectangle_has_its_closed_area_and_moment)
    RUN(rounded_rectangle_is_the_limit_of_polygons)
    RUN(angle_section_twists_as_finite_differences_say)
    RUN(turning_and_moving_change_only_the_angle)
    RUN(order_direction_and_needless_points_do_not_matter)
    RUN(sizes_scale)
    RUN(strange_outlines_stay_sane)
    RUN(bad_dimensions_are_named)
    RUN(bad_polygons_are_named)
)
