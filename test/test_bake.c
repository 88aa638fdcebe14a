// SPDX-License-Identifier: MIT
// Baking and striking: from a shape or a file to modes and sound.

#define _XOPEN_SOURCE 700  // scratch.h
#include "bake.h"
#include "mesh.h"
#include "test.h"
#include "twang/math.h"
#include "twang/strike.h"
#include <stdlib.h>
#include <string.h>

static twBakeDef bar_def(void)
{
    twBakeDef def = tw_bake_def();
    def.source = "bar:0.3048x0.0254x0.0127";
    def.count = 5;
    def.accuracy = 0.01;
    return def;
}

// steel bar, first bending mode: Euler-Bernoulli less the few per mille of shear and rotation
static int a_bar_has_the_pitch_of_beam_theory(void)
{
    twBakeDef def = bar_def();
    twModeSet* set;
    twBakeReport report;
    twError err = {0};
    twStatus status = tw_bake(&set, &def, &report, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK);
    double speed = sqrt(def.material.young / def.material.density), length = 0.3048;
    double thin = pow(4.730040744862704, 2) / (2 * TW_PI) * speed * 0.0127 / sqrt(12) / (length * length);
    ENSURE(set->freq_hz[0] < thin && set->freq_hz[0] > 0.985 * thin);
    ENSURE(set->rigid_modes == 6 && report.rigid_modes == 6 && set->mode_count == 5);
    ENSURE_NEAR(set->mass.mass, 7850 * 0.3048 * 0.0254 * 0.0127, 1e-9);
    ENSURE(report.error_estimate > 0 && report.error_estimate <= def.accuracy && report.levels >= 1);
    tw_mode_set_destroy(set);
    return 0;
}

static int estimates_are_not_below_half_the_true_error(void)
{
    twBakeDef rough = bar_def(), fine = bar_def();
    twModeSet *a, *b;
    twBakeReport report;
    rough.accuracy = 0.1;
    fine.accuracy = 0.01;
    ENSURE(tw_bake(&a, &rough, &report, NULL) == TW_OK && tw_bake(&b, &fine, NULL, NULL) == TW_OK);
    for (int k = 0; k < 5; k++) ENSURE(fabs(a->freq_hz[k] / b->freq_hz[k] - 1) < 2 * report.error_estimate);
    tw_mode_set_destroy(a);
    tw_mode_set_destroy(b);
    return 0;
}

// a held end face: the lowest mode of a cantilever is 6.267 times lower than its second
static int a_held_bar_is_a_cantilever(void)
{
    twBakeDef def = bar_def();
    twModeSet* set;
    twPart hold;
    ENSURE(tw_part_parse(&hold, "x<-0.15239", NULL) == TW_OK);
    def.source = "bar:0.3048x0.01x0.01";
    def.accuracy = 0.05;
    def.holds = &hold;
    def.hold_count = 1;
    twError err = {0};
    twStatus status = tw_bake(&set, &def, NULL, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK);
    ENSURE(set->rigid_modes == 0);
    // bending in two planes: modes 0, 1 and 2, 3
    ENSURE_NEAR(set->freq_hz[2] / set->freq_hz[0], 6.2669, 0.05);
    tw_mode_set_destroy(set);
    return 0;
}

// ---- parts ----

static int parts_are_read_or_refused_with_the_syntax(void)
{
    twPart part;
    twError err;
    ENSURE(tw_part_parse(&part, "1,-2,3e-2", NULL) == TW_OK && part.kind == TW_PART_POINT);
    ENSURE_NEAR(tw_part_distance(&part, (twVec3){1, -2, 1.03}), 1, 1e-12);
    ENSURE(tw_part_parse(&part, "ball:1,2,3,0.5", NULL) == TW_OK && part.kind == TW_PART_BALL);
    ENSURE_NEAR(tw_part_distance(&part, (twVec3){1, 2, 4}), 0.5, 1e-12);
    ENSURE(tw_part_parse(&part, "box:1,0,0,-1,2,3", NULL) == TW_OK && tw_part_distance(&part, (twVec3){0, 1, 1}) == 0);
    ENSURE_NEAR(tw_part_distance(&part, (twVec3){4, 6, 3}), 5, 1e-12);
    ENSURE(tw_part_parse(&part, "y>0.5", NULL) == TW_OK && tw_part_distance(&part, (twVec3){9, 1, -9}) == 0);
    ENSURE_NEAR(tw_part_distance(&part, (twVec3){9, 0.25, -9}), 0.25, 1e-12);
    ENSURE(tw_part_parse(&part, "soft head", NULL) == TW_OK && strcmp(part.region, "soft head") == 0);
    ENSURE(tw_part_parse(&part, "region:x<3", NULL) == TW_OK && strcmp(part.region, "x<3") == 0);
    ENSURE(tw_part_parse(&part, "12", NULL) == TW_OK && part.kind == TW_PART_REGION);
    const char* const wrong[] = {"",          "1,2",  "1,2,3,4,5", "ball:1,2,3",     "ball:1,2,3,-4",
                                 "box:1,2,3", "x<",   "z>nan",     "ball:1,2,3,inf", "x<0x10",
                                 "region:",   "1,,2", "box:a,b,c"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ENSURE(tw_part_parse(&part, wrong[i], &err) == TW_BAD_INPUT && err.text[0]);
    return 0;
}

static int nearest_mode(const twModeSet* set, double freq_hz)
{
    int best = 0;
    for (int k = 1; k < set->mode_count; k++)
        if (fabs(set->freq_hz[k] - freq_hz) < fabs(set->freq_hz[best] - freq_hz)) best = k;
    return best;
}

// Free halves of Young's modulus E and 4 E stretch like cos(2 t s), cos(t s): tan(2 t) = -2 tan(t), t = atan(sqrt 2). The
// shares of the energy follow by integration.
static int regions_of_a_file_are_a_compound_bar(void)
{
    twMaterial soft = {.name = "soft", .density = 1000, .young = 1e9, .alpha = 40, .beta = 1e-6};
    twMaterial stiff = {.name = "stiff", .density = 1000, .young = 4e9, .loss_factor = 0.01};
    twBakeRegion regions[] = {region_of("handle", soft), region_of("8", stiff)};
    twBakeDef def = tw_bake_def();
    twModeSet* set;
    twBakeReport report;
    twError err = {0};
    def.source = write_bar(16);
    def.regions = regions;
    def.region_count = 2;
    def.no_rest = true;
    def.count = 24;
    twStatus status = tw_bake(&set, &def, &report, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK);
    double t = atan(sqrt(2)), f = t * 2000 / (TW_PI * 1);
    int k = nearest_mode(set, f);
    ENSURE_NEAR(set->freq_hz[k] / f, 1, 1e-4);
    ENSURE(set->material_count == 2 && strcmp(set->materials[1].name, "stiff") == 0);
    ENSURE_NEAR(set->materials[0].volume, 0.5 * 0.05 * 0.05, 1e-12);
    ENSURE_NEAR(set->mass.mass, 2.5, 1e-9);

    // amplitudes 1 and cos(2t)/cos(t); cos^2 and sin^2 integrate to 1/2 +- sin(2 k a)/(4 k a)
    double b = pow(cos(2 * t) / cos(t), 2), c1 = sin(4 * t) / (8 * t), c2 = sin(2 * t) / (4 * t);
    double t1 = 0.5 + c1, t2 = b * (0.5 + c2), v1 = 1e9 * 4 * (0.5 - c1), v2 = 4e9 * b * (0.5 - c2);
    ENSURE_NEAR(set->kinetic[2 * k], t1 / (t1 + t2), 1e-3);
    ENSURE_NEAR(set->elastic[2 * k + 1], v2 / (v1 + v2), 1e-3);
    double w = 2 * TW_PI * f;
    double decay = 0.5 * (t1 / (t1 + t2) * 40 + v1 / (v1 + v2) * 1e-6 * w * w + v2 / (v1 + v2) * 0.01 * w);
    ENSURE_NEAR(set->decay[k] / decay, 1, 1e-3);
    tw_mode_set_destroy(set);
    return 0;
}

static int regions_that_are_not_there_are_named(void)
{
    const twMaterial steel = *tw_material_find("steel");
    twBakeRegion one = region_of("handle", steel), wrong = region_of("hed", steel);
    twBakeDef def = tw_bake_def();
    twModeSet* set;
    twError err;
    def.source = write_bar(4);
    def.regions = &wrong;
    def.region_count = 1;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "'hed'") && strstr(err.text, "3 \"handle\", 8 \"soft head\""));
    def.regions = &one;
    def.no_rest = true;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "region 8 \"soft head\""));
    def.no_rest = false;
    def.holds = &wrong.part;
    def.hold_count = 1;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "'hed'"));
    def.source = "bar:1x0.05x0.05";
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "has no regions"));
    twBakeRegion far = region_of("ball:3,3,3,0.1", steel);
    def.hold_count = 0;
    def.regions = &far;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "no part of the body"));
    return 0;
}

// a held region of the file is half a bar: a cantilever of half the length
static int a_held_region_is_left_out(void)
{
    twBakeDef def = tw_bake_def();
    twModeSet *half, *bar;
    twPart hold;
    ENSURE(tw_part_parse(&hold, "handle", NULL) == TW_OK);
    def.source = write_bar(32);
    def.holds = &hold;
    def.hold_count = 1;
    def.count = 4;
    ENSURE(tw_bake(&half, &def, NULL, NULL) == TW_OK && half->rigid_modes == 0);
    ENSURE(tw_part_parse(&hold, "x<-0.2499", NULL) == TW_OK);
    def.source = "bar:0.5x0.05x0.05";
    def.accuracy = 0.02;
    ENSURE(tw_bake(&bar, &def, NULL, NULL) == TW_OK);
    for (int k = 0; k < 4; k++) ENSURE_NEAR(half->freq_hz[k] / bar->freq_hz[k], 1, 0.02);
    tw_mode_set_destroy(half);
    tw_mode_set_destroy(bar);
    return 0;
}

// frequencies of the free rest go with 1/length^2: a border a tenth of a cell off would show
static int a_part_that_is_held_is_cut_where_it_ends(void)
{
    twBakeDef def = bar_def();
    twModeSet *part, *face;
    twBakeReport report;
    twPart hold;
    def.source = "bar:0.2625x0.02x0.01";
    def.accuracy = 1e-3;
    def.count = 3;
    def.holds = &hold;
    def.hold_count = 1;
    // held by its end face, and by a part of a longer one
    ENSURE(tw_part_parse(&hold, "x>0.13124", NULL) == TW_OK && tw_bake(&face, &def, &report, NULL) == TW_OK);
    ENSURE(report.error_estimate < 2e-3 && !report.note[0]);
    def.source = "bar:0.3x0.02x0.01";
    ENSURE(tw_part_parse(&hold, "x>0.1125", NULL) == TW_OK && tw_bake(&part, &def, &report, NULL) == TW_OK);
    for (int k = 0; k < 3; k++) ENSURE_NEAR(part->freq_hz[k] / face->freq_hz[k], 1, 1e-3);
    tw_mode_set_destroy(part);
    tw_mode_set_destroy(face);
    return 0;
}

// in tets of a file a border runs along the elements, and the estimate has what that changes
static int parts_cut_along_elements_are_in_the_estimate(void)
{
    twBakeDef def = tw_bake_def();
    twModeSet* set;
    twBakeReport report;
    twPart hold;
    def.source = write_bar(16);
    def.count = 3;
    def.holds = &hold;
    def.hold_count = 1;
    ENSURE(tw_part_parse(&hold, "x>0.91", NULL) == TW_OK && tw_bake(&set, &def, &report, NULL) == TW_OK);
    ENSURE(strstr(report.note, "cut along the elements"));
    tw_mode_set_destroy(set);
    return 0;
}

// ---- tets ----

static twVec3 node_at(const twModeSet* s, int n)
{
    return n < s->vertex_count ? s->vertices[n] : s->inner[n - s->vertex_count];
}

// density |shape|^2 over a tet, by the four points of degree 2
static double tet_mass(const twModeSet* s, const int* tet, int mode, double density, double* volume)
{
    static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    twVec3 a = node_at(s, tet[0]), e[3];
    for (int i = 0; i < 3; i++) e[i] = tw_vec3_sub(node_at(s, tet[i + 1]), a);
    *volume = tw_vec3_dot(tw_vec3_cross(e[0], e[1]), e[2]) / 6;
    double sum = 0;
    for (int p = 0; p < 4; p++)
    {
        double l[4] = {0.1381966011250105, 0.1381966011250105, 0.1381966011250105, 0.1381966011250105};
        l[p] = 1 - 3 * l[p];
        twVec3 u = {0, 0, 0};
        for (int i = 0; i < 10; i++)
        {
            double n = i < 4 ? l[i] * (2 * l[i] - 1) : 4 * l[ends[i - 4][0]] * l[ends[i - 4][1]];
            u = tw_vec3_add(u, tw_vec3_scale(tw_mode_set_shape(s, mode, tet[i]), n));
        }
        sum += tw_vec3_dot(u, u) / 4;
    }
    return density * sum * *volume;
}

static int kept_tets_carry_the_motion_inside(void)
{
    twBakeDef def = bar_def();
    twModeSet *set, *plain;
    def.accuracy = 0.1;
    def.count = 3;
    ENSURE(tw_bake(&plain, &def, NULL, NULL) == TW_OK && plain->tet_count == 0);
    def.with_tets = true;
    ENSURE(tw_bake(&set, &def, NULL, NULL) == TW_OK);
    ENSURE(set->nodes_per_tet == 10 && set->inner_count > 0 && set->freq_hz[0] == plain->freq_hz[0]);
    // the tets fill the body, and every mode has unit mass in them
    for (int k = 0; k < 3; k++)
    {
        double mass = 0, volume = 0, part;
        for (int t = 0; t < set->tet_count; t++)
        {
            mass += tet_mass(set, set->tets + 10 * t, k, 7850, &part);
            ENSURE(part > 0);
            volume += part;
        }
        ENSURE_NEAR(volume / set->mass.volume, 1, 1e-9);
        ENSURE_NEAR(mass, 1, 0.01);
    }
    tw_mode_set_destroy(set);
    tw_mode_set_destroy(plain);
    return 0;
}

// ---- damping ----

static int damping_can_be_a_curve_or_given_mode_by_mode(void)
{
    const double decay[] = {5, 6, 7};
    twBakeDef def = tw_bake_def();
    twModeSet* set;
    twError err;
    def.source = write_bar(6);
    def.count = 3;
    def.damping = (twDamping){.kind = TW_DAMPING_CURVE, .count = 2, .freq_hz = {10, 10000}, .decay = {1, 1000}};
    ENSURE(tw_bake(&set, &def, NULL, NULL) == TW_OK);
    ENSURE_NEAR(set->decay[0] / (set->freq_hz[0] / 10), 1, 1e-9);
    tw_mode_set_destroy(set);
    def.damping = (twDamping){.kind = TW_DAMPING_MODES};
    def.decay = decay;
    def.decay_count = 3;
    ENSURE(tw_bake(&set, &def, NULL, NULL) == TW_OK && memcmp(set->decay, decay, sizeof decay) == 0);
    tw_mode_set_destroy(set);
    def.decay_count = 2;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "2 decays for 3 modes") && !set);
    return 0;
}

// ---- files, sound, errors ----

static int a_file_gives_the_modes_of_its_shape(void)
{
    twShape* shape;
    twMesh* surface;
    twModeSet *from_file, *from_shape;
    twError err = {0};
    ENSURE(tw_shape_parse(&shape, "box:0.1x0.08x0.06", NULL) == TW_OK);
    ENSURE(tw_shape_surface(&surface, shape, 0.02, NULL) == TW_OK);
    ENSURE(tw_mesh_save(surface, in_folder("box.obj"), &err) == TW_OK);
    twBakeDef def = tw_bake_def();
    def.count = 4;
    def.accuracy = 0.05;
    def.source = in_folder("box.obj");
    twStatus status = tw_bake(&from_file, &def, NULL, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK);
    def.source = "box:0.1x0.08x0.06";
    def.accuracy = 0.01;
    ENSURE(tw_bake(&from_shape, &def, NULL, &err) == TW_OK);
    for (int k = 0; k < 4; k++) ENSURE_NEAR(from_file->freq_hz[k] / from_shape->freq_hz[k], 1, 0.02);
    tw_mode_set_destroy(from_file);
    tw_mode_set_destroy(from_shape);
    tw_mesh_destroy(surface);
    tw_shape_destroy(shape);
    return 0;
}

static int a_strike_sounds_at_the_pitch_of_the_modes(void)
{
    twBakeDef def = bar_def();
    twModeSet* set;
    float* sound;
    int64_t frames;
    twError err = {0};
    def.count = 1;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_OK);
    twStrikeDef strike = tw_strike_def();
    strike.vertex = tw_mode_set_nearest(set, (twVec3){0.1524, 0, 0.00635});
    strike.duration = 1.5;
    twStatus status = tw_strike(&sound, &frames, set, &strike, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    ENSURE(status == TW_OK && frames == 72000);
    double *x = malloc((size_t)frames * sizeof(double)), early = 0, late = 0;
    ENSURE(x != NULL);
    for (int64_t i = 0; i < frames; i++) x[i] = sound[i];
    double pitch = tw_pitch(x + 4800, (int)frames - 4800, 48000);
    ENSURE_NEAR(1200 * log2(pitch / set->freq_hz[0]), 0, 1);
    for (int i = 0; i < 9600; i++)
    {
        early += x[9600 + i] * x[9600 + i];
        late += x[57600 + i] * x[57600 + i];
    }
    // one second lies between the windows
    ENSURE_NEAR(0.5 * log(early / late) / set->decay[0], 1, 0.02);
    free(x);
    free(sound);
    tw_mode_set_destroy(set);
    return 0;
}

// ---- rounds ----

typedef struct Shown
{
    int count, most;  // most: interrupts after so many
    double freq_hz[16], decay[16];
} Shown;

static bool keep_shown(const twModeSet* set, void* context)
{
    Shown* shown = context;
    shown->freq_hz[shown->count] = set->freq_hz[0];
    shown->decay[shown->count] = set->decay[0];
    return ++shown->count < shown->most;
}

static int rounds_before_the_last_are_shown_each_nearer_to_it(void)
{
    twModeSet* set;
    twBakeReport report;
    Shown shown = {.most = 16};
    twBakeDef def = bar_def();
    def.accuracy = 2e-4;
    def.count = 3;
    def.damping.kind = TW_DAMPING_MODES;
    def.decay_count = 3;
    def.decay = (double[]){7, 8, 9};
    def.on_round = keep_shown;
    def.context = &shown;
    ENSURE(tw_bake(&set, &def, &report, NULL) == TW_OK);
    ENSURE(report.levels >= 2 && shown.count >= report.levels - 1 && shown.count <= report.levels);
    const double last = set->freq_hz[0];
    ENSURE(shown.freq_hz[0] > last);
    for (int i = 1; i < shown.count; i++) ENSURE(fabs(shown.freq_hz[i] - last) < fabs(shown.freq_hz[i - 1] - last));
    for (int i = 0; i < shown.count; i++) ENSURE(shown.decay[i] == 7);
    tw_mode_set_destroy(set);

    shown = (Shown){.most = 1};
    ENSURE(tw_bake(&set, &def, &report, NULL) == TW_INTERRUPTED && !set && shown.count == 1);

    // where the first round is good enough, none is before the last
    shown = (Shown){.most = 16};
    def.accuracy = 0.9;
    ENSURE(tw_bake(&set, &def, &report, NULL) == TW_OK && report.levels == 1 && shown.count == 0);
    tw_mode_set_destroy(set);
    return 0;
}

// what is shown costs little; what is found is as if nothing had been shown
static int a_shell_is_shown_once_before_it_is_found(void)
{
    twModeSet *set, *plain;
    twBakeReport report, alone;
    Shown shown = {.most = 16};
    twVec3 corners[] = {{0, 0, 0}, {0.2, 0, 0}, {0.2, 0.13, 0}, {0, 0.13, 0}};
    twTriangle faces[] = {{{0, 1, 2}}, {{0, 2, 3}}};
    const twMesh sheet = {4, 2, corners, faces, NULL};
    twBakeDef def = bar_def();
    def.source = "sheet";
    def.mesh = &sheet;
    def.thickness = 0.002;
    def.count = 5;
    ENSURE(tw_bake(&plain, &def, &alone, NULL) == TW_OK);
    def.on_round = keep_shown;
    def.context = &shown;
    ENSURE(tw_bake(&set, &def, &report, NULL) == TW_OK && shown.count == 1);
    ENSURE(memcmp(plain->freq_hz, set->freq_hz, 5 * sizeof *set->freq_hz) == 0);
    ENSURE(strcmp(alone.note, report.note) == 0 && alone.operations == report.operations);
    ENSURE_NEAR(shown.freq_hz[0] / set->freq_hz[0], 1, 0.05);
    tw_mode_set_destroy(plain);
    tw_mode_set_destroy(set);
    return 0;
}

// a cross of two bars: a cube of 20 mm in both, which counts once
static int crossing_pieces_are_one_body_seen_at_their_own_surface(void)
{
    for (int tets = 0; tets < 2; tets++)
    {
        twModeSet* set;
        twMesh* cross = box_mesh(tw_vec3(-0.1, -0.01, -0.01), tw_vec3(0.2, 0.02, 0.02));
        twMesh* other = box_mesh(tw_vec3(-0.013, -0.1, -0.011), tw_vec3(0.026, 0.2, 0.022));
        join_mesh(cross, other);
        twBakeDef def = bar_def();
        def.source = "cross";
        def.mesh = cross;
        def.accuracy = 0.9;
        def.with_tets = tets == 1;
        ENSURE(tw_bake(&set, &def, NULL, NULL) == TW_OK);
        const double volume = 0.2 * 0.02 * 0.02 + 0.2 * 0.026 * 0.022 - 0.026 * 0.02 * 0.02;
        ENSURE_NEAR(set->mass.volume, volume, 1e-5 * volume);
        ENSURE_NEAR(set->materials[0].volume, set->mass.volume, 1e-12 * volume);
        ENSURE_NEAR(set->mass.mass, 7850 * volume, 1e-5 * 7850 * volume);
        for (int i = 0; i < cross->vertex_count && !tets; i++)
        {
            bool found = false;
            for (int j = 0; j < set->vertex_count && !found; j++)
                found = tw_vec3_norm(tw_vec3_sub(cross->vertices[i], set->vertices[j])) < 1e-12;
            ENSURE(found);
        }
        tw_mode_set_destroy(set);
        tw_mesh_destroy(cross);
    }
    return 0;
}

static int bad_bodies_are_refused_with_the_cure(void)
{
    twModeSet* set;
    twError err;
    twBakeDef def = bar_def();
    def.source = "bra:0.3x0.02x0.01";
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "bar"));
    def.source = "nowhere.obj";
    ENSURE(tw_bake(&set, &def, NULL, &err) != TW_OK && strstr(err.text, "nowhere.obj"));
    def = bar_def();
    def.material.poisson = 0.6;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT);
    def = bar_def();
    twPart far = {.kind = TW_PART_BALL, .centre = {5, 5, 5}, .radius = 0.1};
    def.holds = &far;
    def.hold_count = 1;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "within"));
    def = bar_def();
    def.max_memory_bytes = 100000;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_NO_MEMORY);
    return 0;
}

// the longest side is along the grain unless another direction is given; beam theory has the modulus along the bar
static int wood_is_stiff_along_its_fibres(void)
{
    twBakeDef def = bar_def();
    def.source = "bar:0.5x0.02x0.005";
    def.material = *tw_material_find("sitka-spruce");
    def.count = 1;
    const double e[3] = {def.material.young, def.material.young, def.material.orthotropy.young[0]};
    for (int i = 0; i < 3; i++)
    {
        twModeSet* set;
        if (i > 0) ENSURE(tw_fibre_parse(&def.fibre, i == 1 ? "x" : "0,1,0:x", NULL) == TW_OK);
        ENSURE(tw_bake(&set, &def, NULL, NULL) == TW_OK);
        const double speed = sqrt(e[i] / def.material.density);
        const double thin = pow(4.730040744862704, 2) / (2 * TW_PI) * speed * 0.005 / sqrt(12) / 0.25;
        ENSURE_NEAR(set->freq_hz[0] / thin, 1, 0.01);
        ENSURE(set->materials[0].young == def.material.young);
        tw_mode_set_destroy(set);
    }
    return 0;
}

static int directions_of_fibres_are_read_or_refused(void)
{
    static const char* const wrong[] = {"",   "w",   "x,y",     "1,2",     "1,2,3,4", "0,0,0",
                                        "x:", "x:x", "x:2,0,0", "nan,0,0", "x y"};
    twFibre fibre;
    twError err;
    ENSURE(tw_fibre_parse(&fibre, "y", &err) == TW_OK && fibre.along.y == 1 && tw_vec3_norm(fibre.radial) == 0);
    ENSURE(tw_fibre_parse(&fibre, "1,-2,0.5:z", &err) == TW_OK && fibre.along.y == -2 && fibre.radial.z == 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ENSURE(tw_fibre_parse(&fibre, wrong[i], &err) == TW_BAD_INPUT && err.text[0]);
    twModeSet* set;
    twBakeDef def = bar_def();
    ENSURE(tw_fibre_parse(&def.fibre, "x", &err) == TW_OK);
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "'steel', which is the same"));
    def.material = *tw_material_find("red-oak");
    def.material.orthotropy.poisson[2] = 2;
    ENSURE(tw_bake(&set, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "nu_RT = 2"));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_bar_has_the_pitch_of_beam_theory)
    RUN(estimates_are_not_below_half_the_true_error)
    RUN(a_held_bar_is_a_cantilever)
    RUN(parts_are_read_or_refused_with_the_syntax)
    RUN(regions_of_a_file_are_a_compound_bar)
    RUN(regions_that_are_not_there_are_named)
    RUN(a_held_region_is_left_out)
    RUN(a_part_that_is_held_is_cut_where_it_ends)
    RUN(parts_cut_along_elements_are_in_the_estimate)
    RUN(kept_tets_carry_the_motion_inside)
    RUN(damping_can_be_a_curve_or_given_mode_by_mode)
    RUN(a_file_gives_the_modes_of_its_shape)
    RUN(a_strike_sounds_at_the_pitch_of_the_modes)
    RUN(wood_is_stiff_along_its_fibres)
    RUN(directions_of_fibres_are_read_or_refused)
    RUN(rounds_before_the_last_are_shown_each_nearer_to_it)
    RUN(a_shell_is_shown_once_before_it_is_found)
    RUN(crossing_pieces_are_one_body_seen_at_their_own_surface)
    RUN(bad_bodies_are_refused_with_the_cure)
)
