// SPDX-License-Identifier: MIT
// A folder of broken meshes. Each becomes modes that are right, or an error that names the file and what is wrong.
// What "right" means: a defect that leaves no doubt about the body must not change its mass and its frequencies; one that
// does must be told in the note; where there is no body, no modes come out.

#define _XOPEN_SOURCE 700  // scratch.h
#include "broken.h"
#include "mesh_files.h"
#include "test.h"
#include "twang/bake.h"

// ---- what can be wrong ----

static void one_face_missing(twMesh* mesh) { drop_face(mesh, mesh->face_count / 3); }

static void some_faces_missing(twMesh* mesh)
{
    for (int f = mesh->face_count - 1; f >= 0; f -= 41) drop_face(mesh, f);
}

static void end_missing(twMesh* mesh) { cut_off(mesh, 0.9); }

static void half_missing(twMesh* mesh) { cut_off(mesh, 0.5); }

static void one_face_flipped(twMesh* mesh) { flip_face(mesh, mesh->face_count / 2); }

static void many_faces_flipped(twMesh* mesh)
{
    for (int f = 0; f < mesh->face_count; f += 3) flip_face(mesh, f);
}

static void inside_out(twMesh* mesh)
{
    for (int f = 0; f < mesh->face_count; f++) flip_face(mesh, f);
}

static void all_faces_twice(twMesh* mesh)
{
    for (int f = mesh->face_count - 1; f >= 0; f--)
        add_face(mesh, mesh->faces[f].v[0], mesh->faces[f].v[1], mesh->faces[f].v[2]);
}

static void both_sides(twMesh* mesh)
{
    for (int f = mesh->face_count - 1; f >= 0; f--)
        add_face(mesh, mesh->faces[f].v[0], mesh->faces[f].v[2], mesh->faces[f].v[1]);
}

static void second_copy(twMesh* mesh) { join_mesh(mesh, copy_of(mesh)); }

static void hairline_cracks(twMesh* mesh)
{
    unshare(mesh);
    shake(mesh, 2e-9);
}

static void wide_cracks(twMesh* mesh)
{
    unshare(mesh);
    shake(mesh, 1e-5);
}

static void stray_vertices(twMesh* mesh)
{
    for (int i = 0; i < 20; i++) add_vertex(mesh, tw_vec3(100 * i, -1e4, 3));
}

static void faces_without_area(twMesh* mesh)
{
    int count = mesh->face_count;
    for (int f = 0; f < count; f += 5)
    {
        const int* v = mesh->faces[f].v;
        int a = v[0], b = v[1];
        add_face(mesh, a, b, b);
        int middle = add_vertex(mesh, tw_vec3_scale(tw_vec3_add(mesh->vertices[a], mesh->vertices[b]), 0.5));
        add_face(mesh, a, b, middle);
    }
}

static void not_a_number(twMesh* mesh) { mesh->vertices[mesh->vertex_count / 2].y = NAN; }

static void infinite(twMesh* mesh) { mesh->vertices[mesh->vertex_count / 3].z = -INFINITY; }

static void far_too_large(twMesh* mesh) { mesh->vertices[mesh->vertex_count / 4].x = 1e30; }

static void all_not_a_number(twMesh* mesh)
{
    for (int v = 0; v < mesh->vertex_count; v++) mesh->vertices[v].x = NAN;
}

static void fin(twMesh* mesh)
{
    const int* v = mesh->faces[0].v;
    int a = v[0], b = v[1];
    twVec3 p = mesh->vertices[a], out = tw_vec3_sub(p, middle_of(mesh));
    add_face(mesh, a, b, add_vertex(mesh, tw_vec3_add_scaled(p, out, 0.3)));
}

static void wall_inside(twMesh* mesh)
{
    // two triangles that hang in the middle, on no vertex of the rest
    twVec3 m = middle_of(mesh);
    int a = add_vertex(mesh, tw_vec3_add(m, tw_vec3(-0.01, -0.01, 0.001)));
    int b = add_vertex(mesh, tw_vec3_add(m, tw_vec3(0.01, -0.01, 0)));
    int c = add_vertex(mesh, tw_vec3_add(m, tw_vec3(0.01, 0.01, 0.002)));
    add_face(mesh, a, b, c);
}

static void split_on_one_side(twMesh* mesh)
{
    // a T-junction at every seventh face
    int count = mesh->face_count;
    for (int f = 0; f < count; f += 7)
    {
        int a = mesh->faces[f].v[0], b = mesh->faces[f].v[1], c = mesh->faces[f].v[2];
        int middle = add_vertex(mesh, tw_vec3_scale(tw_vec3_add(mesh->vertices[a], mesh->vertices[b]), 0.5));
        mesh->faces[f] = (twTriangle){{a, middle, c}};
        add_face(mesh, middle, b, c);
    }
}

static void overlapping_copy(twMesh* mesh)
{
    twMesh* copy = copy_of(mesh);
    shift(copy, tw_vec3(0.013, 0.007, 0.003));
    join_mesh(mesh, copy);
}

static void pulled_through(twMesh* mesh)
{
    twVec3 m = middle_of(mesh), p = mesh->vertices[0];
    mesh->vertices[0] = tw_vec3_add_scaled(p, tw_vec3_sub(m, p), 2.4);
}

static void copy_apart(twMesh* mesh)
{
    twMesh* copy = copy_of(mesh);
    shift(copy, tw_vec3(0.3, 0, 0));
    join_mesh(mesh, copy);
}

static void crumbs(twMesh* mesh)
{
    for (int i = 0; i < 5; i++) join_mesh(mesh, box_mesh(tw_vec3(0.3 + 0.02 * i, 0, 0), tw_vec3(0.002, 0.002, 0.002)));
}

static void hollow(twMesh* mesh) { add_shell(mesh, 0.5); }

static void crumpled(twMesh* mesh) { shake(mesh, 0.004); }

static void destroyed(twMesh* mesh) { shake(mesh, 0.1); }

static void tiny(twMesh* mesh) { stretch(mesh, 1e-8, 1e-8, 1e-8); }
static void huge(twMesh* mesh) { stretch(mesh, 1e10, 1e10, 1e10); }
static void vanishing(twMesh* mesh) { stretch(mesh, 1e-29, 1e-29, 1e-29); }
static void cosmic(twMesh* mesh) { stretch(mesh, 1e31, 1e31, 1e31); }
static void far_away(twMesh* mesh) { shift(mesh, tw_vec3(1000, -2000, 500)); }
static void flat(twMesh* mesh) { stretch(mesh, 1, 1, 0); }
static void paper(twMesh* mesh) { stretch(mesh, 1, 1, 1e-4); }
static void a_line(twMesh* mesh) { stretch(mesh, 1, 0, 0); }
static void a_point(twMesh* mesh) { stretch(mesh, 0, 0, 0); }
static void one_triangle(twMesh* mesh) { mesh->face_count = 1; }
static void two_triangles(twMesh* mesh) { mesh->face_count = 2; }
static void no_faces(twMesh* mesh) { mesh->face_count = 0; }

// several at once
static void soup_of_flipped(twMesh* mesh)
{
    many_faces_flipped(mesh);
    unshare(mesh);
}

static void worn(twMesh* mesh)
{
    one_face_missing(mesh);
    faces_without_area(mesh);
    many_faces_flipped(mesh);
    stray_vertices(mesh);
    all_faces_twice(mesh);
}

static void cracked_inside_out(twMesh* mesh)
{
    inside_out(mesh);
    hairline_cracks(mesh);
}

static void tiny_and_open(twMesh* mesh)
{
    tiny(mesh);
    one_face_missing(mesh);
}

static void hollow_with_hole(twMesh* mesh)
{
    hollow(mesh);
    one_face_missing(mesh);
}

// ---- what must come of it ----

typedef enum Outcome
{
    SAME,     // modes as of the sound body
    TOLD,     // modes of something else, and the note says so
    REFUSED,  // an error
    OTHER,    // modes of the body as it is now: nothing is wrong with it
    EITHER,   // one of these, but not without a word
} Outcome;

enum
{
    ON_ALL = (1 << BODIES) - 1,
    ON_CONVEX = 1 << BOX | 1 << SPHERE,
    ON_BOX = 1 << BOX,
    COUNT = 4  // modes
};

typedef struct Case
{
    const char* name;
    void (*damage)(twMesh* mesh);
    int bodies;  // bits
    Outcome outcome;
    const char* told;  // words of the note or the error; NULL: none need be there
    double size;       // over the sound body's; 0: 1
    double mass;       // over the sound body's of that size; 0: 1, or anything if it is not the same body
    int pieces;        // 0: 1
} Case;

// union of a box of 100 x 80 x 60 mm with its copy moved by 13, 7, 3 mm
#define UNION_MASS (2 - 0.087 * 0.073 * 0.057 / (0.1 * 0.08 * 0.06))

static const Case CASES[] = {
    {"one_face_missing", one_face_missing, ON_ALL, SAME, "1 hole ", 0, 0, 0},
    {"some_faces_missing", some_faces_missing, ON_ALL, SAME, "holes over", 0, 0, 0},
    {"end_missing", end_missing, ON_ALL, TOLD, "1 hole ", 0, 0, 0},
    {"half_missing", half_missing, ON_ALL, EITHER, NULL, 0, 0, 0},
    {"half_a_sphere", half_missing, 1 << SPHERE, TOLD, "surface is open", 0, 0, 0},
    {"one_face_flipped", one_face_flipped, ON_ALL, SAME, "1 face flipped", 0, 0, 0},
    {"many_faces_flipped", many_faces_flipped, ON_ALL, SAME, "flipped", 0, 0, 0},
    {"inside_out", inside_out, ON_ALL, SAME, "flipped", 0, 0, 0},
    {"all_faces_twice", all_faces_twice, ON_ALL, SAME, "duplicate", 0, 0, 0},
    {"both_sides", both_sides, ON_ALL, SAME, "duplicate", 0, 0, 0},
    {"second_copy", second_copy, ON_ALL, SAME, "duplicate", 0, 0, 0},
    {"hairline_cracks", hairline_cracks, ON_ALL, SAME, NULL, 0, 0, 0},
    {"wide_cracks", wide_cracks, ON_CONVEX, SAME, NULL, 0, 0, 0},
    {"stray_vertices", stray_vertices, ON_ALL, SAME, NULL, 0, 0, 0},
    {"faces_without_area", faces_without_area, ON_ALL, SAME, "without area", 0, 0, 0},
    {"not_a_number", not_a_number, ON_ALL, SAME, "not finite", 0, 0, 0},
    {"infinite", infinite, ON_CONVEX, SAME, "not finite", 0, 0, 0},
    {"far_too_large", far_too_large, ON_CONVEX, REFUSED, "1e+30 m across", 0, 0, 0},
    {"all_not_a_number", all_not_a_number, ON_CONVEX, REFUSED, "not finite", 0, 0, 0},
    {"fin", fin, ON_ALL, SAME, "more than two", 0, 0, 0},
    {"wall_inside", wall_inside, ON_CONVEX, SAME, "2 shells", 0, 0, 0},
    {"split_on_one_side", split_on_one_side, ON_ALL, SAME, "split", 0, 0, 0},
    {"overlapping_copy", overlapping_copy, ON_ALL & ~ON_BOX, TOLD, "cross", 0, 0, 0},
    {"overlapping_boxes", overlapping_copy, ON_BOX, TOLD, "cross", 0, UNION_MASS, 0},
    {"pulled_through", pulled_through, ON_CONVEX, TOLD, "cross", 0, 0, 0},
    {"copy_apart", copy_apart, ON_CONVEX, TOLD, "2 separate pieces", 0, 2, 2},
    {"crumbs", crumbs, ON_CONVEX, SAME, "6 shells", 0, 0, 0},
    {"hollow", hollow, ON_CONVEX, TOLD, "cavity", 0, 1 - 0.125, 0},
    {"crumpled", crumpled, ON_ALL & ~(1 << SPHERE), OTHER, NULL, 0, 0, 0},
    {"destroyed", destroyed, 1 << CUP | 1 << TORUS, EITHER, "cross", 0, 0, 0},
    {"tiny", tiny, ON_ALL, SAME, NULL, 1e-8, 0, 0},
    {"huge", huge, ON_ALL, SAME, NULL, 1e10, 0, 0},
    {"vanishing", vanishing, ON_CONVEX, REFUSED, "absurd size", 0, 0, 0},
    {"cosmic", cosmic, ON_CONVEX, REFUSED, "absurd size", 0, 0, 0},
    {"far_away", far_away, ON_CONVEX, SAME, NULL, 0, 0, 0},
    {"flat", flat, ON_ALL, TOLD, "say how thick it is", 0, 0, 0},
    {"paper", paper, ON_BOX | 1 << PLATE, OTHER, NULL, 0, 1e-4, 0},
    {"a_line", a_line, ON_CONVEX, REFUSED, "without area", 0, 0, 0},
    {"a_point", a_point, ON_CONVEX, REFUSED, "without area", 0, 0, 0},
    {"one_triangle", one_triangle, ON_CONVEX, TOLD, "say how thick it is", 0, 0, 0},
    {"two_triangles", two_triangles, ON_BOX, TOLD, "say how thick it is", 0, 0, 0},
    {"no_faces", no_faces, ON_BOX, REFUSED, "no faces|count from 1", 0, 0, 0},
    {"soup_of_flipped", soup_of_flipped, ON_ALL, SAME, "flipped", 0, 0, 0},
    {"worn", worn, ON_ALL, TOLD, "1 hole |holes", 0, 0, 0},
    {"cracked_inside_out", cracked_inside_out, ON_CONVEX, SAME, "flipped", 0, 0, 0},
    {"tiny_and_open", tiny_and_open, ON_CONVEX, SAME, "1 hole ", 1e-8, 0, 0},
    {"hollow_with_hole", hollow_with_hole, ON_CONVEX, TOLD, "cavity", 0, 1 - 0.125, 0},
};

// ---- baking a file ----

typedef struct Baked
{
    twStatus status;
    twError err;
    twBakeReport report;
    twModeSet* set;
} Baked;

static Baked bake_to(const char* path, double accuracy, double budget)
{
    Baked baked = {.set = NULL};
    twBakeDef def = tw_bake_def();
    def.source = path;
    def.count = COUNT;
    def.accuracy = accuracy;
    def.budget = budget;
    def.max_memory_bytes = 1000000000;
    baked.status = tw_bake(&baked.set, &def, &baked.report, &baked.err);
    return baked;
}

// the first round
static Baked bake_within(const char* path, double budget) { return bake_to(path, 0.9, budget); }

static Baked bake(const char* path) { return bake_within(path, 0.5); }

// one of the words between bars
static bool says(const char* text, const char* words)
{
    while (words && *words)
    {
        size_t length = strcspn(words, "|");
        for (const char* at = text; strlen(at) >= length; at++)
            if (memcmp(at, words, length) == 0) return true;
        words += length + (words[length] == '|');
    }
    return words == NULL;
}

static bool is_sane(const Baked* baked, int pieces)
{
    const twModeSet* set = baked->set;
    if (set->rigid_modes != 6 * pieces || baked->report.rigid_modes != 6 * pieces || set->mode_count < 1) return false;
    if (!(set->mass.mass > 0 && isfinite(set->mass.mass)) || set->vertex_count < 4) return false;
    for (int k = 0; k < set->mode_count; k++)
        if (!(set->freq_hz[k] > 0 && isfinite(set->freq_hz[k]) && (k == 0 || set->freq_hz[k] >= set->freq_hz[k - 1])))
            return false;
    for (size_t i = 0; i < 3 * (size_t)set->mode_count * (size_t)set->vertex_count; i++)
        if (!isfinite(set->shape[i])) return false;
    return true;
}

static bool names_file(const Baked* baked, const char* path)
{
    // too many elements are no fault of the file, but are told with its name as well
    bool told = baked->status == TW_BAD_INPUT || baked->status == TW_NO_MEMORY;
    return told && strstr(baked->err.text, path) && !baked->set;
}

// greatest change of a frequency against the sound body of that size
static double change_of(const Baked* baked, const Baked* sound, double size)
{
    double most = baked->set->mode_count == COUNT ? 0 : 1;
    for (int k = 0; k < baked->set->mode_count && k < COUNT; k++)
        most = fmax(most, fabs(baked->set->freq_hz[k] * size / sound->set->freq_hz[k] - 1));
    return most;
}

// ---- the folder ----

// against the sound body
#define MASS 0.005
#define FREQUENCY 0.015

// where the first rounds differ by more than that, both in better ones
static double change_in_better_rounds(const char* path, Body body, double size)
{
    const double accuracy = 0.005, budget = 40;
    twMesh* mesh = body_mesh(body);
    Bytes bytes = as_obj(mesh);
    Baked sound = bake_to(write_file("sound.obj", bytes.data, bytes.count), accuracy, budget);
    Baked baked = bake_to(path, accuracy, budget);
    const double change = sound.set && baked.set ? change_of(&baked, &sound, size) : 1;
    tw_mode_set_destroy(sound.set);
    tw_mode_set_destroy(baked.set);
    tw_mesh_destroy(mesh);
    free(bytes.data);
    return change;
}

static bool is_right(const Case* c, Body body, const Baked* baked, const Baked* sound, const char* path)
{
    if (baked->status != TW_OK)
        return (c->outcome == REFUSED || c->outcome == EITHER) && names_file(baked, path) &&
               says(baked->err.text, c->told);
    if (c->outcome == REFUSED || !is_sane(baked, c->pieces ? c->pieces : 1)) return false;
    if (!says(baked->report.note, c->told) || (c->outcome != SAME && c->outcome != OTHER && !baked->report.note[0]))
        return false;
    double size = c->size > 0 ? c->size : 1, mass = c->mass > 0 ? c->mass : c->outcome == SAME ? 1 : 0;
    double ratio = baked->set->mass.mass / sound->set->mass.mass / size / size / size;
    if (mass > 0 && !(fabs(ratio / mass - 1) < MASS)) return false;
    return c->outcome != SAME || change_of(baked, sound, size) < FREQUENCY ||
           change_in_better_rounds(path, body, size) < FREQUENCY;
}

static bool try_case(const Case* c, Body body, int format, const Baked* sound)
{
    static const char* const endings[FORMATS] = {"obj",     "txt.stl", "stl", "txt.ply", "ply",
                                                 "big.ply", "glb",     "glb", "glb"};
    char name[100];
    twMesh* mesh = body_mesh(body);
    c->damage(mesh);
    // indices of one byte are not enough for all
    if (format == 6 && mesh->vertex_count > 255) format = 8;
    Bytes bytes = as_format(mesh, format);
    snprintf(name, sizeof name, "%s_%s_%d.%s", BODY_NAMES[body], c->name, format, endings[format]);
    const char* path = write_file(name, bytes.data, bytes.count);
    Baked baked = bake(path);
    bool right = is_right(c, body, &baked, sound, path);
    if (!right && baked.set)
        printf("%s: %d rigid modes, mass %+.2f %%, frequencies off by %.2f %%, note: %s\n", name,
               baked.set->rigid_modes, 100 * (baked.set->mass.mass / sound->set->mass.mass - 1),
               100 * change_of(&baked, sound, 1), baked.report.note);
    if (!right && !baked.set) printf("%s: %s\n", name, baked.err.text);
    remove(path);
    tw_mode_set_destroy(baked.set);
    tw_mesh_destroy(mesh);
    free(bytes.data);
    return right;
}

static int broken_surfaces_give_right_modes_or_a_reason(void)
{
    Baked sound[BODIES] = {0};
    for (int body = 0; body < BODIES; body++)
    {
        twMesh* mesh = body_mesh((Body)body);
        Bytes bytes = as_obj(mesh);
        sound[body] = bake(write_file("sound.obj", bytes.data, bytes.count));
        ENSURE(sound[body].set && is_sane(&sound[body], 1));
        ENSURE_TEXT(sound[body].report.note, "");
        tw_mesh_destroy(mesh);
        free(bytes.data);
    }

    // of all six bodies every third one, or all of them if BROKEN_ALL is set, in all formats in turn
    const int step = getenv("BROKEN_ALL") ? 1 : 3;
    int files = 0, wrong = 0;
    for (int c = 0; c < (int)(sizeof CASES / sizeof *CASES); c++)
        for (int body = 0; body < BODIES; body++)
        {
            bool every = CASES[c].bodies != ON_ALL;
            if (!(CASES[c].bodies >> body & 1) || (!every && (body + c) % step)) continue;
            wrong += !try_case(&CASES[c], (Body)body, files % FORMATS, &sound[body]);
            files++;
        }
    for (int body = 0; body < BODIES; body++) tw_mode_set_destroy(sound[body].set);
    printf("%d files\n", files);
    ENSURE(files >= 80 && wrong == 0);
    return 0;
}

// ---- files that are cut or overwritten ----

// content of a file, spoiled in one of several ways
static void spoil(Bytes* bytes, int way)
{
    twRng rng = tw_rng((uint64_t)way);
    size_t n = bytes->count;
    if (way < 4) bytes->count = n * (size_t)(way + 1) / 5;
    if (way == 4) bytes->count = n - 1;
    for (size_t i = n / 2; way == 5 && i < n; i++) bytes->data[i] = 0;
    for (size_t i = 0; way == 6 && i < n; i++) bytes->data[i] = (char)(tw_rng_next(&rng) >> 32);
    for (int i = 0; way == 7 && i < 40; i++) bytes->data[tw_rng_next(&rng) % n] = (char)(tw_rng_next(&rng) >> 32);
    if (way == 8) bytes->count = 0;
}

static int spoiled_files_give_modes_or_a_reason(void)
{
    int files = 0;
    for (int format = 0; format < FORMATS; format++)
        for (int way = 0; way < 9; way++, files++)
        {
            twMesh* mesh = cube_mesh();
            Bytes bytes = as_format(mesh, format);
            spoil(&bytes, way);
            const char* path = write_file("spoiled", bytes.data, bytes.count);
            Baked baked = bake(path);
            bool right =
                baked.status == TW_OK ? is_sane(&baked, baked.report.rigid_modes / 6) : names_file(&baked, path);

            // what is left of a cut file is no whole body, unless only the last, empty line is missing
            if (baked.status == TW_OK && way < 4) right = right && baked.report.note[0];
            if (!right) printf("format %d spoiled in way %d: %s%s\n", format, way, baked.err.text, baked.report.note);
            ENSURE(right);
            tw_mode_set_destroy(baked.set);
            tw_mesh_destroy(mesh);
            free(bytes.data);
        }
    ENSURE(files == 9 * FORMATS);
    return 0;
}

// ---- surfaces without an inside, and with more than one ----

// one side of a band of n quads whose ends are joined after half a turn
static twMesh* moebius_mesh(int n)
{
    twMesh* mesh;
    if (tw_mesh_create(&mesh, 2 * n, 0, NULL) != TW_OK) abort();
    for (int i = 0; i < n; i++)
    {
        double u = 2 * TW_PI * i / n;
        for (int k = 0; k < 2; k++)
        {
            double w = (k ? 0.015 : -0.015), r = 0.05 + w * cos(u / 2);
            mesh->vertices[2 * i + k] = tw_vec3(r * cos(u), r * sin(u), w * sin(u / 2));
        }
        int a = 2 * i, b = 2 * i + 1, c = i + 1 < n ? 2 * i + 2 : 1, d = i + 1 < n ? 2 * i + 3 : 0;
        add_face(mesh, a, c, b);
        add_face(mesh, b, c, d);
    }
    return mesh;
}

// triangles anywhere
static twMesh* random_mesh(int n)
{
    twMesh* mesh;
    twRng rng = tw_rng(11);
    if (tw_mesh_create(&mesh, 3 * n, n, NULL) != TW_OK) abort();
    for (int i = 0; i < 3 * n; i++)
    {
        double x = tw_rng_uniform(&rng), y = tw_rng_uniform(&rng), z = tw_rng_uniform(&rng);
        mesh->vertices[i] = tw_vec3(0.1 * x, 0.1 * y, 0.1 * z);
        mesh->faces[i / 3].v[i % 3] = i;
    }
    return mesh;
}

// whether a mesh is taken as a sheet, and the note says how to say otherwise
static bool is_a_sheet(twMesh* mesh)
{
    Bytes bytes = as_obj(mesh);
    Baked baked = bake_within(write_file("sheet.obj", bytes.data, bytes.count), 30);
    bool sheet = baked.set && says(baked.report.note, "say how thick it is") && baked.set->mass.mass > 0;
    if (!sheet) printf("%s%s\n", baked.err.text, baked.report.note);
    tw_mode_set_destroy(baked.set);
    tw_mesh_destroy(mesh);
    free(bytes.data);
    return sheet;
}

static int what_has_no_inside_is_a_sheet(void)
{
    ENSURE(is_a_sheet(moebius_mesh(60)));
    ENSURE(is_a_sheet(random_mesh(100)));

    // a bowl and a bag drawn without a thickness
    twMesh* bowl = sphere_mesh(tw_vec3(0, 0, 0), 0.05, 8);
    cut_off(bowl, 0.6);
    ENSURE(is_a_sheet(bowl));
    twMesh* bag = body_mesh(BOX);
    cut_off(bag, 0.4);
    ENSURE(is_a_sheet(bag));
    return 0;
}

// two boxes that meet across a face are one; along an edge or at a point they are two, or joined by a neck of the grid's size
static int boxes_that_touch_are_as_many_as_hold_together(void)
{
    const twVec3 places[3] = {{0.1, 0, 0}, {0.1, 0.1, 0}, {0.1, 0.1, 0.1}};
    for (int i = 0; i < 3; i++)
    {
        twMesh* mesh = box_mesh(tw_vec3(0, 0, 0), tw_vec3(0.1, 0.1, 0.1));
        join_mesh(mesh, box_mesh(places[i], tw_vec3(0.1, 0.1, 0.1)));
        Bytes bytes = as_obj(mesh);
        Baked baked = bake(write_file("pair.obj", bytes.data, bytes.count));
        if (!baked.set) printf("%s\n", baked.err.text);
        ENSURE(baked.set && (is_sane(&baked, 1) || (i > 0 && is_sane(&baked, 2))));
        ENSURE_NEAR(baked.set->mass.mass, 7850 * 0.002, 0.02);
        tw_mode_set_destroy(baked.set);
        tw_mesh_destroy(mesh);
        free(bytes.data);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(broken_surfaces_give_right_modes_or_a_reason)
    RUN(spoiled_files_give_modes_or_a_reason)
    RUN(what_has_no_inside_is_a_sheet)
    RUN(boxes_that_touch_are_as_many_as_hold_together)
)
