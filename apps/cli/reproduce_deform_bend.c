// SPDX-License-Identifier: MIT
// Figures 2 and 4 of Hauser et al. 2003: what linear modes do to a bar that is bent far, and the modes of a bowl that is struck at
// its rim.

#include "reproduce_deform.h"

// ---- Fig. 2: the bar ----

#define BAR_LENGTH 0.4
#define BAR_HEIGHT 0.02
#define AMOUNTS 5

static const double amounts[AMOUNTS] = {0.02, 0.05, 0.1, 0.2, 0.4};  // of the length: how far the ends go

// The middle line: means of vertices above each other on one side of the bar, by x.
typedef struct Line
{
    int count;
    int (*pair)[2];  // (count) upper, lower
} Line;

static int find_below(const twModeSet* set, int upper)
{
    const twVec3 want = tw_vec3(set->vertices[upper].x, set->vertices[upper].y, -set->vertices[upper].z);
    const int below = tw_mode_set_nearest(set, want);
    return tw_vec3_norm(tw_vec3_sub(set->vertices[below], want)) < 1e-6 * BAR_LENGTH ? below : -1;
}

static Line middle_line(const twModeSet* set)
{
    Line line = {.count = 0, .pair = malloc((size_t)set->vertex_count * sizeof *line.pair)};
    double side = 0;
    for (int i = 0; i < set->vertex_count; i++) side = fmax(side, set->vertices[i].y);
    for (int i = 0; i < set->vertex_count && line.pair; i++)
    {
        const twVec3 p = set->vertices[i];
        const int below = p.z > 0.499 * BAR_HEIGHT && p.y > 0.999 * side ? find_below(set, i) : -1;
        if (below < 0) continue;
        // sorted by x
        int at = line.count++;
        for (; at > 0 && set->vertices[line.pair[at - 1][0]].x > p.x; at--)
            memcpy(line.pair[at], line.pair[at - 1], sizeof *line.pair);
        line.pair[at][0] = i;
        line.pair[at][1] = below;
    }
    return line;
}

static twVec3 line_point(const Line* line, const float* positions, int i)
{
    const float *a = positions + 3 * (size_t)line->pair[i][0], *b = positions + 3 * (size_t)line->pair[i][1];
    return tw_vec3(0.5 * (double)(a[0] + b[0]), 0.5 * (double)(a[1] + b[1]), 0.5 * (double)(a[2] + b[2]));
}

static double line_length(const Line* line, const float* positions)
{
    double sum = 0;
    for (int i = 1; i < line->count; i++)
        sum += tw_vec3_norm(tw_vec3_sub(line_point(line, positions, i), line_point(line, positions, i - 1)));
    return sum;
}

// what a surface encloses [m^3]
static double volume_of(const twModeSet* set, const float* positions)
{
    double sum = 0;
    for (int f = 0; f < set->face_count; f++)
    {
        twVec3 x[3];
        for (int i = 0; i < 3; i++)
        {
            const float* p = positions + 3 * (size_t)set->faces[f].v[i];
            x[i] = tw_vec3((double)p[0], (double)p[1], (double)p[2]);
        }
        sum += tw_vec3_dot(x[0], tw_vec3_cross(x[1], x[2])) / 6;
    }
    return sum;
}

// the second mode that bends along z; -1: none
static int second_bend(const twModeSet* set)
{
    int found = 0;
    for (int k = 0; k < set->mode_count; k++)
    {
        twVec3 sum = {0, 0, 0};
        for (int i = 0; i < set->vertex_count; i++)
        {
            const twVec3 u = tw_mode_set_shape(set, k, i);
            sum = tw_vec3_add(sum, tw_vec3(u.x * u.x, u.y * u.y, u.z * u.z));
        }
        if (sum.z > 4 * (sum.x + sum.y) && ++found == 2) return k;
    }
    return -1;
}

// of a free bar after Euler and Bernoulli, its ends moving by 1: half the integral of the square of the slope, times its length
static double euler_growth(void)
{
    const double b = 7.853204624095838, sigma = (cosh(b) - cos(b)) / (sinh(b) - sin(b));
    double sum = 0;
    const int n = 2000;
    for (int i = 0; i < n; i++)
    {
        const double x = b * (i + 0.5) / n;
        // ends of cosh x + cos x - sigma (sinh x + sin x) move by 2
        const double slope = 0.5 * b * (sinh(x) - sin(x) - sigma * (cosh(x) + cos(x)));
        sum += slope * slope / n;
    }
    return 0.5 * sum;
}

typedef struct Bends
{
    twCover* cover[2];  // linear, warped
    float *positions, *scratch;
    double* amplitude;
    int mode;
    double end;  // how far an end goes per amplitude [m]
} Bends;

static void bend(Bends* b, int warped, double amount)
{
    b->amplitude[b->mode] = amount * BAR_LENGTH / b->end;
    tw_cover_bend(b->cover[warped], b->amplitude, b->positions, NULL, b->scratch);
}

static twStatus make_bends(Bends* b, const twModeSet* set, const Line* line, twError* err)
{
    twStatus status = TW_OK;
    *b = (Bends){.mode = second_bend(set)};
    if (b->mode < 0) return tw_fail(err, TW_NO_CONVERGE, "the bar has no second transverse mode");
    for (int i = 0; i < 2 && status == TW_OK; i++)
    {
        twCoverDef def = tw_cover_def();
        def.set = set;
        def.warp = i == 1;
        status = tw_cover_create(&b->cover[i], &def, err);
    }
    if (status != TW_OK) return status;
    b->positions = calloc(3 * (size_t)set->vertex_count, sizeof *b->positions);
    b->scratch = calloc(tw_cover_scratch(b->cover[1]) + tw_cover_scratch(b->cover[0]), sizeof *b->scratch);
    b->amplitude = calloc((size_t)set->mode_count, sizeof *b->amplitude);
    if (!b->positions || !b->scratch || !b->amplitude) return tw_fail(err, TW_NO_MEMORY, "no memory for a bar");
    b->end = fabs(tw_mode_set_shape(set, b->mode, line->pair[0][0]).z);
    return TW_OK;
}

static void free_bends(Bends* b)
{
    for (int i = 0; i < 2; i++) tw_cover_destroy(b->cover[i]);
    free(b->positions);
    free(b->scratch);
    free(b->amplitude);
}

static twStatus draw_bar(const char* folder, Bends* b, const twModeSet* set, twError* err)
{
    static const char* const names[] = {"linear", "warped"};
    twPlot* plot =
        tw_plot_create("Fig. 2: a bar in its second transverse mode, ends at 0, 0.1, 0.2, 0.4 of its length", 2);
    tw_plot_size(plot, 1200, 900);
    for (int i = 0; i < 8; i++)
    {
        char title[64];
        static const double shown[] = {0, 0.1, 0.2, 0.4};
        snprintf(title, sizeof title, "%s, %g", names[i % 2], shown[i / 2]);
        bend(b, i % 2, shown[i / 2]);
        DeformWires wires = deform_wires(b->positions, set->faces, set->face_count);
        tw_plot_panel(plot, title, NULL, NULL);
        tw_plot_x_range(plot, -0.3, 0.3);
        tw_plot_y_range(plot, -0.2, 0.2);
        tw_plot_line(plot, wires.x, wires.z, wires.count, NULL);
        deform_wires_free(&wires);
    }
    return deform_save(plot, folder, "deform-fig2.png", err);
}

static void judge_bar(CliReport* report, double longer[2][AMOUNTS], double larger[2][AMOUNTS])
{
    const double theory = 100 * euler_growth() * amounts[0] * amounts[0];
    bool less = true;
    for (int i = 0; i < AMOUNTS; i++) less = less && longer[1][i] < longer[0][i];
    cli_report_row(report, theory, longer[0][0], 0.1 * theory, "ends at %g, linear; theory of a slender bar",
                   amounts[0]);
    cli_report_claim(report, longer[0][1] < 5, "small deformations are acceptable");
    cli_report_claim(report, longer[0][AMOUNTS - 1] > 20, "large ones are distorted");
    cli_report_claim(report, less && longer[1][2] < 0.5 * longer[0][2],
                     "warped it gets less long, half as much at 0.1");
    cli_report_claim(report, fabs(larger[1][AMOUNTS - 1]) < 0.2 * larger[0][AMOUNTS - 1],
                     "warped its volume grows by a fifth at most");
}

twStatus deform_bar(CliReport* report, twError* err)
{
    DeformBody body = {0};
    Line line = {0};
    Bends b = {.mode = 0};
    const DeformMatter matter = {.young = 1e6, .modes = 8};
    cli_report_heading(report, "Fig. 2: a bar in its second transverse mode, growth of its length and volume [%]");
    twStatus status = deform_body(&body, "bar:0.4x0.03x0.02", &matter, err);
    if (status == TW_OK) line = middle_line(body.set);
    if (status == TW_OK && line.count < 3) status = tw_fail(err, TW_NO_CONVERGE, "the bar has no middle line");
    if (status == TW_OK) status = make_bends(&b, body.set, &line, err);
    double longer[2][AMOUNTS], larger[2][AMOUNTS];
    for (int i = 0; i < AMOUNTS && status == TW_OK; i++)
        for (int warped = 0; warped < 2; warped++)
        {
            static const char* const names[] = {"linear", "warped"};
            bend(&b, warped, amounts[i]);
            longer[warped][i] = 100 * (line_length(&line, b.positions) / BAR_LENGTH - 1);
            larger[warped][i] = 100 * (volume_of(body.set, b.positions) / body.set->mass.volume - 1);
            cli_report_info(report, NAN, longer[warped][i], "length, ends at %g of it, %s", amounts[i], names[warped]);
            cli_report_info(report, NAN, larger[warped][i], "volume, ends at %g, %s", amounts[i], names[warped]);
        }
    if (status == TW_OK) judge_bar(report, longer, larger);
    if (status == TW_OK && report->folder) status = draw_bar(report->folder, &b, body.set, err);
    free_bends(&b);
    free(line.pair);
    deform_body_free(&body);
    return status;
}

// ---- Fig. 4: the bowl ----

enum
{
    RIM = 48,
    KINDS = 3
};

// how often the motion along the radius changes its sign round the rim
static int waves_around(const twModeSet* set, int mode, double radius, double height)
{
    int changes = 0;
    double first = 0, last = 0;
    for (int i = 0; i < RIM; i++)
    {
        const double turn = 2 * TW_PI * (i + 0.25) / RIM;
        const twVec3 out = tw_vec3(cos(turn), sin(turn), 0);
        const int v = tw_mode_set_nearest(set, tw_vec3(radius * out.x, radius * out.y, height));
        const double u = tw_vec3_dot(tw_mode_set_shape(set, mode, v), out);
        if (i == 0) first = u;
        if (i > 0 && (u > 0) != (last > 0)) changes++;
        last = u;
    }
    return (changes + ((first > 0) != (last > 0))) / 2;
}

// the modes of a set that are named, drawn
static twStatus draw_modes(const char* folder, const twModeSet* set, const int* modes, twError* err)
{
    const size_t values = 3 * (size_t)set->vertex_count;
    float* shape = malloc(KINDS * values * sizeof *shape);
    double freq_hz[KINDS], decay[KINDS] = {0};
    if (!shape) return tw_fail(err, TW_NO_MEMORY, "no memory for a bowl");
    for (int i = 0; i < KINDS; i++)
    {
        memcpy(shape + (size_t)i * values, set->shape + (size_t)modes[i] * values, values * sizeof *shape);
        freq_hz[i] = set->freq_hz[modes[i]];
    }
    const twModeSet few = {.mode_count = KINDS,
                           .vertex_count = set->vertex_count,
                           .face_count = set->face_count,
                           .rigid_modes = 6,
                           .freq_hz = freq_hz,
                           .decay = decay,
                           .shape = shape,
                           .vertices = set->vertices,
                           .faces = set->faces,
                           .mass = set->mass,
                           .damping = {.kind = TW_DAMPING_MODES}};
    char path[4096];
    snprintf(path, sizeof path, "%s/deform-fig4.png", folder);
    const twStatus status = tw_mode_sheet_save(path, &few, KINDS, err);
    free(shape);
    return status;
}

twStatus deform_bowl(CliReport* report, twError* err)
{
    static const double rayleigh[KINDS] = {1, 2.8102, 5.4316};  // The Theory of Sound, 235g: thin half spheres
    const double radius = 0.1;
    DeformBody body = {0};
    // thin enough for Rayleigh's theory, but for a few percent; thicker bowls are found sooner
    const DeformMatter matter = {.young = 1e6, .modes = 12, .accuracy = report->quick ? 0.1 : 0.02};
    cli_report_heading(report, "Fig. 4: modes of a bowl struck across at its rim");
    twStatus status = deform_body(&body, report->quick ? "bowl:0.1x0.01" : "bowl:0.1x0.002", &matter, err);
    if (status != TW_OK) return status;
    const twModeSet* set = body.set;
    const int struck = tw_mode_set_nearest(set, tw_vec3(radius, 0, radius));
    int found = 0, modes[KINDS] = {0};
    double strongest = 0;
    for (int k = 0; k < set->mode_count; k++) strongest = fmax(strongest, fabs(tw_mode_set_shape(set, k, struck).x));
    for (int k = 0; k < set->mode_count && found < KINDS; k++)
    {
        const bool distinct = found == 0 || set->freq_hz[k] > 1.02 * set->freq_hz[modes[found - 1]];
        if (distinct && fabs(tw_mode_set_shape(set, k, struck).x) > 1e-2 * strongest) modes[found++] = k;
    }
    for (int i = 0; i < found; i++)
    {
        cli_report_row(report, i + 2, waves_around(set, modes[i], radius, radius), 0, "mode %d: waves around the rim",
                       i + 1);
        const double ratio = set->freq_hz[modes[i]] / set->freq_hz[modes[0]];
        if (i > 0 && !report->quick)
            cli_report_row(report, rayleigh[i], ratio, 0.07 * rayleigh[i],
                           "mode %d: frequency over that of the first; infinitely thin ones by Rayleigh", i + 1);
    }
    cli_report_claim(report, found == KINDS, "three distinct ones are excited");
    if (found == KINDS && report->folder) status = draw_modes(report->folder, set, modes, err);
    deform_body_free(&body);
    return status;
}
