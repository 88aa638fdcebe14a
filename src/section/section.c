// SPDX-License-Identifier: MIT
// Sections. Closed forms for circle, tube and ellipse with semi-axes a, b along x, y (shear at Poisson's ratio 0, Cowper
// 1966; m = inner/outer radius):
//
//   ellipse  J = pi a^3 b^3/(a^2 + b^2),  D11 = pi b (a + b),  k1 = (9 a^2 + 3 b^2)/(10 a^2 + 4 b^2)
//   tube     J = I1 + I2,  D = 2 pi r^2 (the air inside moves along),  k = 6 (1 + m^2)^2/(7 (1 + m^2)^2 + 20 m^2)
//
// the rectangle's are in rectangle.c, everything else is solved in boundary.c.
#include "twang/section.h"
#include "boundary.h"
#include "rectangle.h"
#include "twang/math.h"

static const double SMALLEST = 1e-9, LARGEST = 1e6;  // [m]

twSectionDef tw_section_circle(double radius) { return (twSectionDef){.kind = TW_SECTION_CIRCLE, .radius = radius}; }
twSectionDef tw_section_tube(double radius, double inner_radius)
{
    return (twSectionDef){.kind = TW_SECTION_TUBE, .radius = radius, .inner_radius = inner_radius};
}
twSectionDef tw_section_ellipse(double width, double height)
{
    return (twSectionDef){.kind = TW_SECTION_ELLIPSE, .width = width, .height = height};
}
twSectionDef tw_section_rectangle(double width, double height)
{
    return (twSectionDef){.kind = TW_SECTION_RECTANGLE, .width = width, .height = height};
}
twSectionDef tw_section_rounded(double width, double height, double corner_radius)
{
    return (twSectionDef){.kind = TW_SECTION_ROUNDED, .width = width, .height = height, .corner_radius = corner_radius};
}
twSectionDef tw_section_polygon(const double* points, int count)
{
    return (twSectionDef){.kind = TW_SECTION_POLYGON, .points = points, .count = count};
}

// ---- checks ----

static twStatus check_length(const char* kind, const char* name, double value, twError* err)
{
    if (value >= SMALLEST && value <= LARGEST) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "section: %s of %s is %g, must be in [%g, %g] m", name, kind, value, SMALLEST,
                   LARGEST);
}

static twStatus check_box(const char* kind, double width, double height, twError* err)
{
    twStatus status = check_length(kind, "width", width, err);
    if (status == TW_OK) status = check_length(kind, "height", height, err);
    if (status != TW_OK) return status;
    double ratio = width / height, most = 1e6;
    if (ratio > most || ratio < 1 / most)
        return tw_fail(err, TW_BAD_INPUT, "section: %s of %g x %g m is too thin, at most %g to 1", kind, width, height,
                       most);
    return TW_OK;
}

// ---- closed forms ----

static void fill_ring(twSection* out, double r, double inner)
{
    double m = inner / r, q = (1 + m * m) * (1 + m * m), r4 = r * r * r * r;
    double moment = TW_PI / 4 * r4 * (1 - m) * (1 + m) * (1 + m * m), k = 6 * q / (7 * q + 20 * m * m);
    *out = (twSection){.area = TW_PI * (r - inner) * (r + inner),
                       .moment = {moment, moment},
                       .torsion = 2 * moment,
                       .shear = {k, k},
                       .dipole = {2 * TW_PI * r * r, 2 * TW_PI * r * r, 0},
                       .half_size = {r, r},
                       .radius = r};
}

static void fill_ellipse(twSection* out, double a, double b)
{
    double a2 = a * a, b2 = b * b;
    *out = (twSection){.area = TW_PI * a * b,
                       .moment = {TW_PI / 4 * a2 * a * b, TW_PI / 4 * a * b2 * b},
                       .torsion = TW_PI * a2 * a * b2 * b / (a2 + b2),
                       .shear = {(9 * a2 + 3 * b2) / (10 * a2 + 4 * b2), (9 * b2 + 3 * a2) / (10 * b2 + 4 * a2)},
                       .dipole = {TW_PI * b * (a + b), TW_PI * a * (a + b), 0},
                       .half_size = {a, b},
                       .radius = a == b ? a : 0};
}

static void fill_rectangle(twSection* out, double w, double h)
{
    *out = (twSection){.area = w * h,
                       .moment = {w * w * w * h / 12, w * h * h * h / 12},
                       .torsion = rectangle_torsion(w, h),
                       .shear = {5.0 / 6, 5.0 / 6},
                       .half_size = {w / 2, h / 2}};
    rectangle_dipole(w, h, out->dipole);
}

// ---- solved ones ----

static twStatus solve_outline(twSection* out, Outline* outline, twError* err)
{
    Moments m = outline_moments(outline);
    double scale = sqrt(m.area), scale2 = m.area, scale4 = m.area * m.area;
    twSection section = {.area = m.area, .angle = outline_normalize(outline, &m, scale)};
    Moments unit = outline_moments(outline);
    Flow flow;
    twStatus status = boundary_solve(&flow, outline, err);
    if (status != TW_OK) return status;

    section.moment[0] = unit.xx * scale4;
    section.moment[1] = unit.yy * scale4;
    section.torsion = flow.torsion * scale4;
    outline_half_size(outline, section.half_size);
    for (int k = 0; k < 2; k++)
    {
        section.shear[k] = flow.shear[k];
        section.half_size[k] *= scale;
    }
    for (int k = 0; k < 3; k++) section.dipole[k] = flow.dipole[k] * scale2;
    *out = section;
    return TW_OK;
}

static twStatus compute_rounded(twSection* out, const twSectionDef* def, twError* err)
{
    double w = def->width, h = def->height, r = def->corner_radius, most = 0.5 * fmin(w, h);
    if (!(r >= 0 && r <= most))
        return tw_fail(err, TW_BAD_INPUT, "section: corner radius %g does not fit %g x %g m, must be in [0, %g] m", r,
                       w, h, most);
    // corners that hardly are: the rectangle is nearer than the boundary elements
    if (r < 1e-6 * most)
    {
        fill_rectangle(out, w, h);
        return TW_OK;
    }
    if (w == h && r == most)
    {
        fill_ring(out, r, 0);
        return TW_OK;
    }
    Outline outline;
    outline_rounded(&outline, w, h, r);
    return solve_outline(out, &outline, err);
}

static twStatus compute_tube(twSection* out, const twSectionDef* def, twError* err)
{
    double r = def->radius, inner = def->inner_radius;
    if (!(inner >= 0 && inner < r))
        return tw_fail(err, TW_BAD_INPUT, "section: inner radius %g of a tube must be in [0, %g) m", inner, r);
    fill_ring(out, r, inner);
    return TW_OK;
}

static twStatus compute_polygon(twSection* out, const twSectionDef* def, twError* err)
{
    TW_ASSERT(def->points || def->count <= 0);
    Outline outline;
    twStatus status = outline_polygon(&outline, def->points, def->count, err);
    return status == TW_OK ? solve_outline(out, &outline, err) : status;
}

twStatus tw_section_compute(twSection* out, const twSectionDef* def, twError* err)
{
    static const char* const names[] = {"a circle", "a tube", "an ellipse", "a rectangle", "a rounded rectangle"};
    twSectionKind kind = def->kind;
    TW_ASSERT(kind >= TW_SECTION_CIRCLE && kind <= TW_SECTION_POLYGON);
    *out = (twSection){0};
    if (kind == TW_SECTION_POLYGON) return compute_polygon(out, def, err);

    bool is_round = kind == TW_SECTION_CIRCLE || kind == TW_SECTION_TUBE;
    twStatus status = is_round ? check_length(names[kind], "radius", def->radius, err)
                               : check_box(names[kind], def->width, def->height, err);
    if (status != TW_OK) return status;
    if (kind == TW_SECTION_TUBE) return compute_tube(out, def, err);
    if (kind == TW_SECTION_ROUNDED) return compute_rounded(out, def, err);
    if (kind == TW_SECTION_CIRCLE) fill_ring(out, def->radius, 0);
    if (kind == TW_SECTION_ELLIPSE) fill_ellipse(out, 0.5 * def->width, 0.5 * def->height);
    if (kind == TW_SECTION_RECTANGLE) fill_rectangle(out, def->width, def->height);
    return TW_OK;
}
