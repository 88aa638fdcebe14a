// SPDX-License-Identifier: MIT
// Baking the sound of modes: against closed forms, whatever the surface; cache, interruption, threads.

#define _XOPEN_SOURCE 700  // nftw, mkdtemp
#include "mesh.h"
#include "scene/transfer_plan.h"
#include "scratch.h"
#include "sphere.h"
#include "test.h"
#include "twang/bake.h"

// ---- a sphere with four modes: pulsating, moving along a direction, and two for the count; the last is not heard ----

enum
{
    MODES = 4
};
static const double radius = 0.05;
static const double freq[MODES] = {1000, 1500, 2000, 30000};
static const twVec3 along = {2.0 / 3, -1.0 / 3, 2.0 / 3};
static twMesh* mesh;
static float* shape;

static twModeSet sphere_def(double edge)
{
    twShape* sphere;
    if (tw_shape_parse(&sphere, "sphere:0.05", NULL) != TW_OK || tw_shape_surface(&mesh, sphere, edge, NULL) != TW_OK)
        exit(1);
    tw_shape_destroy(sphere);
    shape = malloc(3 * MODES * (size_t)mesh->vertex_count * sizeof *shape);
    for (int i = 0; i < mesh->vertex_count; i++)
    {
        twVec3 n = tw_vec3_scale(mesh->vertices[i], 1 / radius);
        const double rows[MODES][3] = {{n.x, n.y, n.z}, {along.x, along.y, along.z}, {n.z, 0, n.x}, {1, 0, 0}};
        for (int k = 0; k < MODES; k++)
            for (int j = 0; j < 3; j++) shape[3 * (k * mesh->vertex_count + i) + j] = (float)rows[k][j];
    }
    return (twModeSet){.mode_count = MODES,
                       .vertex_count = mesh->vertex_count,
                       .face_count = mesh->face_count,
                       .freq_hz = freq,
                       .shape = shape,
                       .vertices = mesh->vertices,
                       .faces = mesh->faces};
}

static void sphere_free(void)
{
    tw_mesh_destroy(mesh);
    free(shape);
}

static twTransferBakeDef quick_def(const twModeSet* set)
{
    twTransferBakeDef def = tw_transfer_bake_def(set);
    def.sound_speed = c0;
    def.air_density = rho0;
    def.min_panels = 200;
    def.max_panels = 300;
    def.threads = 1;
    return def;
}

// surfaces finer and coarser than the panels
static int baked_sphere_is_its_closed_form(void)
{
    const double edges[] = {0.003, 0.02};
    for (int i = 0; i < 2; i++)
    {
        twModeSet set = sphere_def(edges[i]);
        twTransferBakeDef def = quick_def(&set);
        twTransferModeReport modes[MODES];
        twTransferBakeReport report;
        twTransfer* t;
        def.modes = modes;
        ENSURE(tw_bake_transfer(&t, &def, &report, NULL) == TW_OK);
        ENSURE(report.wanted == 3 && report.baked == 3 && report.cached == 0 && report.failed == 0);
        ENSURE(t->order[3] == -1 && t->order[0] >= 0 && !modes[3].baked && modes[0].baked && !modes[0].cached);
        const twVec3 e = {0.48, -0.6, 0.64};
        for (int k = 0; k < 2; k++)
        {
            double number = 2 * TW_PI * freq[k] / c0, r = 0.12;
            double complex right =
                k == 0 ? pulsating(number, radius, r) : oscillating(number, radius, r, tw_vec3_dot(e, along));
            // the coarse sphere is a polyhedron of 4 % less area and 6 % less volume
            ENSURE(near_complex(pressure(t, k, tw_vec3_scale(e, r)), right, i == 0 ? 0.03 : 0.1));
            ENSURE(t->error_db[k] < 0.1);
        }
        // radiation of a pulsating sphere: x^2/(1 + x^2)
        double x = 2 * TW_PI * freq[0] / c0 * radius;
        ENSURE_NEAR(10 * log10(modes[0].efficiency * (1 + x * x) / (x * x)), 0, i == 0 ? 0.2 : 0.7);
        tw_transfer_destroy(t);
        sphere_free();
    }
    return 0;
}

// A copy of the sphere inside it, so much smaller, facing inward or outward; there each mode moves ten times as much.
static void add_inner(twModeSet* set, double scale, bool inward)
{
    const int n = set->vertex_count, sphere = mesh->vertex_count, faces = mesh->face_count;
    twVec3* vertices = malloc((size_t)(n + sphere) * sizeof *vertices);
    twTriangle* triangles = malloc((size_t)(set->face_count + faces) * sizeof *triangles);
    float* wild = malloc(3 * MODES * (size_t)(n + sphere) * sizeof *wild);
    if (!vertices || !triangles || !wild) abort();
    memcpy(vertices, set->vertices, (size_t)n * sizeof *vertices);
    memcpy(triangles, set->faces, (size_t)set->face_count * sizeof *triangles);
    for (int i = 0; i < sphere; i++) vertices[n + i] = tw_vec3_scale(mesh->vertices[i], scale);
    for (int f = 0; f < faces; f++)
        for (int k = 0; k < 3; k++) triangles[set->face_count + f].v[k] = n + mesh->faces[f].v[inward ? 2 - k : k];
    for (int k = 0; k < MODES; k++)
        for (int i = 0; i < 3 * (n + sphere); i++)
            wild[3 * k * (n + sphere) + i] =
                i < 3 * n ? set->shape[3 * k * n + i] : 10 * shape[3 * k * sphere + i - 3 * n];
    set->vertices = vertices;
    set->faces = triangles;
    set->shape = wild;
    set->vertex_count += sphere;
    set->face_count += faces;
}

// a cavity with a ball in it: neither is heard outside
static int what_is_inside_is_not_heard(void)
{
    twModeSet set = sphere_def(0.003), hollow = set;
    add_inner(&hollow, 0.8, true);
    const twModeSet empty = hollow;
    add_inner(&hollow, 0.5, false);
    twTransferBakeDef def = quick_def(&hollow);
    twTransfer* t;
    ENSURE(tw_bake_transfer(&t, &def, NULL, NULL) == TW_OK && t->order[0] >= 0);
    const double number = 2 * TW_PI * freq[0] / c0, r = 0.12;
    const twVec3 e = {0.48, -0.6, 0.64};
    ENSURE(near_complex(pressure(t, 0, tw_vec3_scale(e, r)), pulsating(number, radius, r), 0.03));
    tw_transfer_destroy(t);
    free((void*)hollow.vertices), free((void*)hollow.faces), free((void*)hollow.shape);
    free((void*)empty.vertices), free((void*)empty.faces), free((void*)empty.shape);
    sphere_free();
    return 0;
}

static bool same(const twTransfer* a, const twTransfer* b)
{
    return a->moment_count == b->moment_count &&
           memcmp(a->moments, b->moments, 2 * (size_t)a->moment_count * sizeof(float)) == 0;
}

// stops after some modes; done is said before and after each
typedef struct Stopper
{
    int after, seen;
} Stopper;

static bool stop_after(int done, int count, double fraction, void* context)
{
    Stopper* stopper = context;
    stopper->seen = done;
    return done < stopper->after && count == 3 && fraction >= 0 && fraction <= 1;
}

static int interrupted_bake_goes_on_where_it_was(void)
{
    twModeSet set = sphere_def(0.006);
    twTransferBakeDef def = quick_def(&set);
    twTransferBakeReport report;
    twTransfer *whole, *t;
    twError err;
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", in_folder("cache"));
    ENSURE(tw_bake_transfer(&whole, &def, NULL, NULL) == TW_OK);
    def.cache_folder = folder;
    ENSURE(!tw_transfer_find(&set, folder, c0, rho0));
    Stopper stopper = {.after = 2};
    def.keep_going = stop_after;
    def.context = &stopper;
    ENSURE(tw_bake_transfer(&t, &def, NULL, &err) == TW_INTERRUPTED && !t && strstr(err.text, "2 of 3"));
    // what is there is found already
    ENSURE((t = tw_transfer_find(&set, folder, c0, rho0)) != NULL);
    ENSURE(t->order[0] >= 0 && t->order[1] >= 0 && t->order[2] == -1 && t->order[3] == -1);
    tw_transfer_destroy(t);
    stopper.after = 100;
    ENSURE(tw_bake_transfer(&t, &def, &report, NULL) == TW_OK && report.cached == 2 && report.baked == 3);
    ENSURE(same(t, whole));
    tw_transfer_destroy(t);
    // and then all comes from the cache, the same with fewer modes of the body
    ENSURE(tw_bake_transfer(&t, &def, &report, NULL) == TW_OK && report.cached == 3 && same(t, whole));
    tw_transfer_destroy(t);
    twModeSet fewer = set;
    fewer.mode_count = 2;
    def.set = &fewer;
    stopper.after = 0;
    def.keep_going = NULL;
    ENSURE(tw_bake_transfer(&t, &def, &report, NULL) == TW_OK && report.cached == 2);
    tw_transfer_destroy(t);
    // other air and better settings are something else
    ENSURE(!tw_transfer_find(&set, folder, c0 + 1, rho0));
    def.max_panels = def.min_panels = 310;
    ENSURE(tw_bake_transfer(&t, &def, &report, NULL) == TW_OK && report.cached == 0);
    tw_transfer_destroy(t);
    tw_transfer_destroy(whole);
    sphere_free();
    return 0;
}

static int neighbours_in_pitch_share_equations(void)
{
    static const double near[] = {1500, 1502, 2000, 30000}, apart[] = {1500, 1510, 2000, 30000};
    twModeSet set = sphere_def(0.006);
    twTransferBakeDef def = quick_def(&set);
    TransferPlan plan;
    twTransfer* t;
    set.freq_hz = apart;
    ENSURE(transfer_plan_make(&plan, &def, NULL) == TW_OK && plan.count == 3 && plan.wanted == 3);
    transfer_plan_free(&plan);
    set.freq_hz = near;
    ENSURE(transfer_plan_make(&plan, &def, NULL) == TW_OK && plan.count == 2 && plan.wanted == 3);
    transfer_plan_free(&plan);
    ENSURE(tw_bake_transfer(&t, &def, NULL, NULL) == TW_OK);
    const twVec3 e = {0.48, -0.6, 0.64};
    for (int k = 0; k < 2; k++)
    {
        double number = 2 * TW_PI * near[k] / c0, r = 0.12;
        double complex right =
            k == 0 ? pulsating(number, radius, r) : oscillating(number, radius, r, tw_vec3_dot(e, along));
        ENSURE(near_complex(pressure(t, k, tw_vec3_scale(e, r)), right, 0.04));
    }
    tw_transfer_destroy(t);
    sphere_free();
    return 0;
}

// a pulsating sphere radiates x^2/(1 + x^2) of what a piston does
static int waves_shorter_than_panels_are_estimated(void)
{
    const int shortest = MODES - 1;  // 30 kHz: 11 mm, and panels of 16 mm
    twModeSet set = sphere_def(0.003);
    twTransferBakeDef def = quick_def(&set);
    def.max_freq_hz = 2 * freq[shortest];
    twTransferBakeReport report;
    twTransfer* t;
    ENSURE(tw_bake_transfer(&t, &def, &report, NULL) == TW_OK);
    ENSURE(report.baked == MODES - 1 && report.left == 1);
    ENSURE(tw_transfer_power(t, shortest) < 1.5 * tw_mode_piston(&set, shortest, c0, rho0));
    tw_transfer_destroy(t);
    sphere_free();
    return 0;
}

static int modes_that_radiate_weakly_have_the_most_panels(void)
{
    static const double pitches[] = {50, 4000, 15000, 30000};
    twModeSet set = sphere_def(0.006);
    const float* pulsating_only = shape;
    twTransferBakeDef def = tw_transfer_bake_def(&set);
    def.min_panels = 500;
    TransferPlan plan;
    for (int k = 1; k < MODES; k++)
        memcpy(shape + 3 * (size_t)(k * mesh->vertex_count), pulsating_only,
               3 * (size_t)mesh->vertex_count * sizeof *shape);
    set.freq_hz = pitches;
    ENSURE(transfer_plan_make(&plan, &def, NULL) == TW_OK && plan.count == 3);
    for (int i = 0; i < 3; i++)
    {
        // 4 kHz: waves of 86 mm, 88 panels would do; 15 kHz: 1240
        static const int panels[] = {1000, 500, 1000};
        const TransferGroup* g = &plan.groups[i];
        ENSURE(g->panels == panels[g->first]);
        ENSURE(g->order == (int)ceil(2 * TW_PI * g->freq_hz / def.sound_speed * 1.02 * radius) + 4);
    }
    transfer_plan_free(&plan);
    sphere_free();
    return 0;
}

// a budget for two takes one of each octave, though both of the upper one would be louder
static int octaves_take_turns(void)
{
    static const double pitches[] = {300, 1400, 1500, 30000};
    twModeSet set = sphere_def(0.006);
    twTransferBakeDef def = quick_def(&set);
    TransferPlan plan;
    set.freq_hz = pitches;
    ENSURE(transfer_plan_make(&plan, &def, NULL) == TW_OK && plan.count == 3);
    ENSURE(plan.groups[0].first > 0 && plan.groups[1].first == 0 && plan.groups[2].first > 0);
    ENSURE(plan.groups[2].loudness > plan.groups[1].loudness);
    transfer_plan_free(&plan);
    sphere_free();
    return 0;
}

static int budget_bakes_the_loudest_modes_and_says_what_it_leaves(void)
{
    static const double pitches[] = {500, 1500, 4000, 30000};
    twModeSet set = sphere_def(0.006);
    set.freq_hz = pitches;
    twTransferBakeDef def = quick_def(&set);
    twTransferModeReport modes[MODES];
    twTransferBakeReport report;
    TransferPlan plan;
    twTransfer *t, *again, *whole;
    ENSURE(transfer_plan_make(&plan, &def, NULL) == TW_OK && plan.count == 3);
    ENSURE(plan.groups[0].loudness >= plan.groups[1].loudness && plan.groups[1].loudness >= plan.groups[2].loudness);
    int loudest = plan.groups[0].first;
    ENSURE(tw_bake_transfer(&whole, &def, &report, NULL) == TW_OK);
    ENSURE(report.left == 0 && report.left_db == -HUGE_VAL);

    // enough for the first
    def.budget = 1.01 * plan.groups[0].cost / TW_BAKE_RATE;
    def.modes = modes;
    transfer_plan_free(&plan);
    ENSURE(tw_bake_transfer(&t, &def, &report, NULL) == TW_OK);
    ENSURE(report.wanted == 3 && report.baked == 1 && report.left == 2 && report.cached == 0);
    double left = 0, total = 0;
    for (int k = 0; k < 3; k++)
    {
        double loudness = tw_transfer_loudness(t, &set, k);
        ENSURE(modes[k].baked == (k == loudest) && modes[k].estimated == (k != loudest) && t->order[k] >= 0);
        total += loudness;
        left += k != loudest ? loudness : 0;
        // no neighbours; and estimates of spheres are right
        ENSURE_NEAR(tw_transfer_power(t, k) / tw_transfer_power(whole, k), 1, 0.1);
    }
    ENSURE(t->order[3] == -1 && !modes[3].estimated);
    ENSURE_NEAR(report.left_db, 10 * log10(left / total), 1e-9);
    ENSURE(!same(t, whole));

    // the same again, with threads, and with a cache that has it
    def.threads = 3;
    def.cache_folder = in_folder("budget");
    for (int i = 0; i < 2; i++)
    {
        ENSURE(tw_bake_transfer(&again, &def, &report, NULL) == TW_OK && same(t, again));
        ENSURE(report.cached == i && report.left == 2);
        tw_transfer_destroy(again);
    }
    // nothing is enough for nothing
    def.cache_folder = NULL;
    def.budget = 1e-9;
    ENSURE(tw_bake_transfer(&again, &def, &report, NULL) == TW_OK && report.baked == 0 && report.left_db == 0);
    tw_transfer_destroy(again);
    tw_transfer_destroy(whole);
    tw_transfer_destroy(t);
    sphere_free();
    return 0;
}

// a thin plate that bends in two halves, and in saddles
static twModeSet plate_def(const double* freq_hz)
{
    twShape* plate;
    if (tw_shape_parse(&plate, "plate:0.2x0.2x0.003", NULL) != TW_OK ||
        tw_shape_surface(&mesh, plate, 0.006, NULL) != TW_OK)
        exit(1);
    tw_shape_destroy(plate);
    shape = calloc(6 * (size_t)mesh->vertex_count, sizeof *shape);
    for (int i = 0; i < mesh->vertex_count; i++)
    {
        twVec3 v = tw_vec3_scale(mesh->vertices[i], 10);
        shape[3 * i + 2] = (float)(v.x * v.x - v.y * v.y);
        shape[3 * (mesh->vertex_count + i) + 2] = (float)(sin(4 * v.x) * sin(4 * v.y));
    }
    return (twModeSet){.mode_count = 2,
                       .vertex_count = mesh->vertex_count,
                       .face_count = mesh->face_count,
                       .freq_hz = freq_hz,
                       .shape = shape,
                       .vertices = mesh->vertices,
                       .faces = mesh->faces};
}

static int usual_panels_keep_power_where_flux_cancels(void)
{
    static const double pitches[] = {360, 1900};
    twModeSet set = plate_def(pitches);
    twTransfer* t[3];
    for (int i = 0; i < 3; i++)
    {
        // many, usual, too few
        twTransferBakeDef def = i == 0 ? tw_transfer_fine_def(&set) : tw_transfer_bake_def(&set);
        if (i == 0) def.min_panels = def.max_panels = 3000;
        if (i == 2) def.min_panels = def.max_panels = 100;
        ENSURE(tw_bake_transfer(&t[i], &def, NULL, NULL) == TW_OK);
    }
    double worst[3] = {0, 0, 0};
    for (int i = 1; i < 3; i++)
        for (int k = 0; k < 2; k++)
            worst[i] = fmax(worst[i], fabs(10 * log10(tw_transfer_power(t[i], k) / tw_transfer_power(t[0], k))));
    ENSURE(worst[1] < 2 && worst[2] > 4);
    for (int i = 0; i < 3; i++) tw_transfer_destroy(t[i]);
    sphere_free();
    return 0;
}

static int better_ones_in_the_cache_will_do(void)
{
    twModeSet set = sphere_def(0.01);
    twTransferBakeDef def = quick_def(&set), fine = def;
    twTransferBakeReport report;
    twTransfer* t;
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", in_folder("better"));
    def.cache_folder = fine.cache_folder = folder;
    fine.more_orders = 10;
    const twTransferBakeDef* rounds[] = {&def, &fine, &def};
    static const int cached[] = {0, 0, 3};
    for (int i = 0; i < 3; i++)
    {
        ENSURE(tw_bake_transfer(&t, rounds[i], &report, NULL) == TW_OK && report.cached == cached[i]);
        tw_transfer_destroy(t);
    }
    sphere_free();
    return 0;
}

static int results_do_not_depend_on_threads(void)
{
    twModeSet set = sphere_def(0.01);
    twTransferBakeDef def = quick_def(&set);
    twTransfer *one, *three;
    ENSURE(tw_bake_transfer(&one, &def, NULL, NULL) == TW_OK);
    def.threads = 3;
    ENSURE(tw_bake_transfer(&three, &def, NULL, NULL) == TW_OK && same(one, three));
    tw_transfer_destroy(one);
    tw_transfer_destroy(three);
    sphere_free();
    return 0;
}

// Three thin sheets through each other, which move like waves: iterations do not solve their equations, and factors take far
// more than is planned for a mode.
static int what_takes_longer_than_planned_ends_soon_after_the_budget(void)
{
    enum
    {
        WAVES = 24
    };
    twMesh* sheets = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.2, 0.2, 0.002));
    join_mesh(sheets, box_mesh(tw_vec3(0.1, -0.001, -0.1), tw_vec3(0.002, 0.202, 0.2)));
    join_mesh(sheets, box_mesh(tw_vec3(-0.001, 0.1, -0.1), tw_vec3(0.2, 0.002, 0.2)));
    double pitch[WAVES];
    float* waves = malloc(3 * WAVES * (size_t)sheets->vertex_count * sizeof *waves);
    for (int k = 0; k < WAVES; k++)
    {
        pitch[k] = 500 * pow(1.1, k);
        for (int i = 0; i < 3 * sheets->vertex_count; i++)
            waves[3 * k * sheets->vertex_count + i] = (float)cos(1 + i * (k + 1));
    }
    const twModeSet set = {.mode_count = WAVES,
                           .vertex_count = sheets->vertex_count,
                           .face_count = sheets->face_count,
                           .freq_hz = pitch,
                           .shape = waves,
                           .vertices = sheets->vertices,
                           .faces = sheets->faces};
    twTransferBakeDef def = quick_def(&set);
    twTransferBakeReport report;
    TransferPlan plan;
    twTransfer *t, *again;
    ENSURE(transfer_plan_make(&plan, &def, NULL) == TW_OK);
    double planned = 0;
    for (int i = 0; i < plan.count; i++) planned += plan.groups[i].cost;
    transfer_plan_free(&plan);

    // all of them, if it may take as long as it does
    ENSURE(tw_bake_transfer(&t, &def, &report, NULL) == TW_OK && report.left == 0);
    tw_transfer_destroy(t);
    def.budget = 1.01 * planned / TW_BAKE_RATE;
    ENSURE(tw_bake_transfer(&t, &def, &report, NULL) == TW_OK && report.baked > 0 && report.left > 0);
    def.threads = 3;
    ENSURE(tw_bake_transfer(&again, &def, NULL, NULL) == TW_OK && same(t, again));
    tw_transfer_destroy(again);
    tw_transfer_destroy(t);
    tw_mesh_destroy(sheets);
    free(waves);
    return 0;
}

static int wrong_input_is_refused(void)
{
    twModeSet set = sphere_def(0.02);
    twTransferBakeDef def = quick_def(&set);
    twTransfer* t;
    twError err;
    set.face_count--;
    ENSURE(tw_bake_transfer(&t, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "open") && !t);
    set.face_count++;
    def.max_panels = 100000;
    ENSURE(tw_bake_transfer(&t, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "panels"));
    def = quick_def(&set);
    def.sound_speed = -1;
    ENSURE(tw_bake_transfer(&t, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "speed"));
    def = quick_def(&set);
    def.max_freq_hz = NAN;
    ENSURE(tw_bake_transfer(&t, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "frequency"));
    def = quick_def(&set);
    def.budget = -1;
    ENSURE(tw_bake_transfer(&t, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "budget"));
    def = quick_def(&set);
    def.panels_per_wave = 0;
    ENSURE(tw_bake_transfer(&t, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "per wave"));
    // nothing to hear is nothing wrong
    def = quick_def(&set);
    def.max_freq_hz = 20;
    ENSURE(tw_bake_transfer(&t, &def, NULL, &err) == TW_OK && t->order[0] == -1);
    tw_transfer_destroy(t);
    sphere_free();
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(baked_sphere_is_its_closed_form)
    RUN(what_is_inside_is_not_heard)
    RUN(interrupted_bake_goes_on_where_it_was)
    RUN(neighbours_in_pitch_share_equations)
    RUN(waves_shorter_than_panels_are_estimated)
    RUN(modes_that_radiate_weakly_have_the_most_panels) RUN(octaves_take_turns)
    RUN(budget_bakes_the_loudest_modes_and_says_what_it_leaves)
    RUN(usual_panels_keep_power_where_flux_cancels)
    RUN(better_ones_in_the_cache_will_do)
    RUN(results_do_not_depend_on_threads)
    RUN(what_takes_longer_than_planned_ends_soon_after_the_budget)
    RUN(wrong_input_is_refused)
)
