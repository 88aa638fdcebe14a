// SPDX-License-Identifier: MIT
// twang info on bodies: surfaces, shapes, tets, mode files; traces are in info_trace.c.
#define _POSIX_C_SOURCE 200809L

#include "info_body.h"
#include "twang/cells.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LN_1000 6.907755278982137
#define WATER 1000.0       // [kg/m^3]: so that masses can be scaled in the head
#define SHAPE_EDGES 100.0  // along the longest side of a shape's surface
#define SHOWN_MODES 20

BodyBox body_box(const twVec3* points, int count)
{
    BodyBox box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int i = 0; i < count; i++)
    {
        twVec3 p = points[i];
        if (!isfinite(p.x + p.y + p.z)) continue;
        box.low = (twVec3){fmin(box.low.x, p.x), fmin(box.low.y, p.y), fmin(box.low.z, p.z)};
        box.high = (twVec3){fmax(box.high.x, p.x), fmax(box.high.y, p.y), fmax(box.high.z, p.z)};
    }
    return box;
}

static double longest_side(const BodyBox* b)
{
    return fmax(b->high.x - b->low.x, fmax(b->high.y - b->low.y, b->high.z - b->low.z));
}

static void print_box(const BodyBox* b)
{
    double size = longest_side(b);
    const double v[6] = {b->low.x, b->low.y, b->low.z, b->high.x, b->high.y, b->high.z};
    double t[6];
    for (int i = 0; i < 6; i++) t[i] = cli_tidy(v[i], size);
    printf("size %.6g x %.6g x %.6g m, from %.6g,%.6g,%.6g to %.6g,%.6g,%.6g\n", cli_tidy(v[3] - v[0], size),
           cli_tidy(v[4] - v[1], size), cli_tidy(v[5] - v[2], size), t[0], t[1], t[2], t[3], t[4], t[5]);
}

static void json_box(twJson* j, const BodyBox* b)
{
    tw_json_numbers(j, "low_m", (double[]){b->low.x, b->low.y, b->low.z}, 3);
    tw_json_numbers(j, "high_m", (double[]){b->high.x, b->high.y, b->high.z}, 3);
}

// ---- surfaces ----

// what mending found, each with its name
typedef struct Finding
{
    const char *key, *one, *many;
    int count;
} Finding;

#define FINDINGS 9

static void list_findings(const twMeshReport* r, Finding out[FINDINGS])
{
    const Finding all[FINDINGS] = {
        {"merged_vertices", "duplicate vertex", "duplicate vertices", r->merged_vertices},
        {"isolated_vertices", "vertex of no face", "vertices of no face", r->isolated_vertices},
        {"bad_coordinates", "vertex that is not finite", "vertices that are not finite", r->bad_coordinates},
        {"degenerate_faces", "face without area", "faces without area", r->degenerate_faces},
        {"duplicate_faces", "duplicate face", "duplicate faces", r->duplicate_faces},
        {"flipped_faces", "face turned the wrong way", "faces turned the wrong way", r->flipped_faces},
        {"holes", "hole", "holes", r->holes},
        {"nonmanifold_edges", "edge of more than two faces", "edges of more than two faces", r->nonmanifold_edges},
        {"self_intersections", "pair of faces that cross", "pairs of faces that cross", r->self_intersections},
    };
    memcpy(out, all, sizeof all);
}

static int count_regions(const int* regions, int count)
{
    int most = 0;
    for (int i = 0; regions && i < count; i++) most = regions[i] > most ? regions[i] : most;
    return most + 1;
}

typedef struct Surface
{
    const char *path, *kind;
    int vertices, faces, regions;  // of the file
    BodyBox box;
    twMeshReport report;
    const twImport* import;  // what else a glTF file is; NULL: none
} Surface;

// pieces that overlap are one body: by cut cells, to about 1e-3
static twStatus unite_volume(double* volume, const twMesh* mesh, twError* err)
{
    twCells* cells;
    twCellsDef def = tw_cells_def();
    def.surface = mesh;
    def.material_count = 1;
    def.materials = tw_material_find("steel");
    const twStatus status = tw_cells_create(&cells, &def, err);
    if (status != TW_OK) return status;
    double all;
    *volume = tw_cells_mass(cells, &all).volume;
    tw_cells_destroy(cells);
    return TW_OK;
}

static bool is_open(const Surface* s) { return s->report.boundary_edges > 0; }

static bool is_tight(const Surface* s) { return !is_open(s) && s->report.nonmanifold_edges == 0; }

static void print_surface(const Surface* s)
{
    const twMeshReport* r = &s->report;
    Finding findings[FINDINGS];
    list_findings(r, findings);
    printf("%s: %s, %d vertices, %d faces, %d piece(s)", s->path, s->kind, s->vertices, s->faces, r->components);
    if (s->regions > 1) printf(", %d materials of faces (not of parts inside)", s->regions);
    putchar('\n');
    print_box(&s->box);
    if (is_open(s))
        printf("area %.6g m^2; open, so it has no volume ('twang modes' closes holes; a sheet needs a thickness)\n",
               r->area);
    else
        printf("area %.6g m^2, volume %.6g m^3: %.4g kg at 1000 kg/m^3\n", r->area, r->volume, WATER * r->volume);
    printf("watertight: %s\n", is_tight(s) ? "yes" : "no");
    for (int i = 0; i < FINDINGS; i++)
        if (findings[i].count > 0)
            printf("  %d %s\n", findings[i].count, findings[i].count == 1 ? findings[i].one : findings[i].many);
}

static void json_surface(const Surface* s)
{
    const twMeshReport* r = &s->report;
    Finding findings[FINDINGS];
    list_findings(r, findings);
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_text(&j, "kind", s->kind);
    tw_json_integer(&j, "vertices", s->vertices);
    tw_json_integer(&j, "faces", s->faces);
    tw_json_integer(&j, "pieces", r->components);
    tw_json_integer(&j, "face_materials", s->regions);
    json_box(&j, &s->box);
    tw_json_number(&j, "area_m2", r->area);
    // NAN becomes null
    tw_json_number(&j, "volume_m3", is_open(s) ? NAN : r->volume);
    tw_json_number(&j, "mass_kg_at_1000", is_open(s) ? NAN : WATER * r->volume);
    tw_json_bool(&j, "watertight", is_tight(s));
    tw_json_integer(&j, "boundary_edges", r->boundary_edges);
    for (int i = 0; i < FINDINGS; i++) tw_json_integer(&j, findings[i].key, findings[i].count);
    if (s->import) json_import(&j, s->import);
    tw_json_end(&j);
    putchar('\n');
}

// measured as mending would leave it
static twStatus info_surface(const char* path, const char* kind, twMesh* mesh, const twImport* import, bool json,
                             double* size, twError* err)
{
    Surface s = {.path = path, .kind = kind, .vertices = mesh->vertex_count, .faces = mesh->face_count};
    s.import = import;
    s.regions = count_regions(mesh->regions, mesh->face_count);
    twStatus status = tw_mesh_mend(mesh, 1e-9, &s.report, err);
    const bool overlap = s.report.components - s.report.cavities > 1 && s.report.self_intersections > 0;
    if (status == TW_OK && overlap && !is_open(&s)) status = unite_volume(&s.report.volume, mesh, err);
    if (status != TW_OK) return status;
    s.box = body_box(mesh->vertices, mesh->vertex_count);
    *size = longest_side(&s.box);
    if (json)
        json_surface(&s);
    else
        print_surface(&s);
    if (import && !json) print_import(import);
    return TW_OK;
}

static bool ends_with(const char* text, const char* ending)
{
    size_t n = strlen(text), m = strlen(ending);
    for (size_t i = 0; i < m; i++)
        if (n < m || (text[n - m + i] | 32) != (ending[i] | 32)) return false;
    return true;
}

static twStatus info_mesh(const char* path, double scale, bool json, double* size, twError* err)
{
    twMesh* mesh;
    twImport* import = NULL;
    twError trouble = {0};
    twImportDef def = tw_import_def();
    def.unit = scale;
    twStatus status = tw_mesh_load(&mesh, path, scale, err);
    const bool gltf = body_begins(path, "glTF") || ends_with(path, ".gltf");
    if (status == TW_OK && gltf) tw_import_load(&import, path, &def, &trouble);
    if (status == TW_OK) status = info_surface(path, "surface", mesh, import, json, size, err);
    if (status == TW_OK && gltf && !import && !json) printf("no scene can import it: %s\n", trouble.text);
    tw_import_destroy(import);
    tw_mesh_destroy(mesh);
    return status;
}

static twStatus info_shape(const char* text, bool json, double* size, twError* err)
{
    twShape* shape;
    twMesh *rough = NULL, *mesh = NULL;
    twStatus status = tw_shape_parse(&shape, text, err);
    if (status == TW_OK) status = tw_shape_surface(&rough, shape, 1e6 * tw_shape_thickness(shape), err);
    if (status == TW_OK)
    {
        BodyBox box = body_box(rough->vertices, rough->vertex_count);
        status = tw_shape_surface(&mesh, shape, longest_side(&box) / SHAPE_EDGES, err);
    }
    if (status == TW_OK) status = info_surface(text, "shape", mesh, NULL, json, size, err);
    tw_mesh_destroy(rough);
    tw_mesh_destroy(mesh);
    tw_shape_destroy(shape);
    return status;
}

// ---- tets ----

static void json_tets(const twTetMesh* tets, const BodyBox* box, double volume, const twTetQuality* q,
                      const double* volumes)
{
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_text(&j, "kind", "tets");
    tw_json_integer(&j, "nodes", tets->node_count);
    tw_json_integer(&j, "elements", tets->tet_count);
    tw_json_integer(&j, "nodes_per_element", tets->mid_nodes ? 10 : 4);
    json_box(&j, box);
    tw_json_number(&j, "volume_m3", volume);
    tw_json_number(&j, "mass_kg_at_1000", WATER * volume);
    tw_json_number(&j, "least_dihedral_deg", q->least_dihedral_deg);
    tw_json_number(&j, "worst_aspect", q->worst_aspect);
    tw_json_array(&j, "regions");
    for (int i = 0; i < tets->region_count; i++)
    {
        tw_json_object(&j, NULL);
        tw_json_integer(&j, "number", tets->region_list[i].tag);
        tw_json_text(&j, "name", tets->region_list[i].name);
        tw_json_number(&j, "volume_m3", volumes[i]);
        tw_json_end(&j);
    }
    tw_json_end(&j);
    tw_json_end(&j);
    putchar('\n');
}

static void print_tets(const char* path, const twTetMesh* tets, const BodyBox* box, double volume,
                       const twTetQuality* q, const double* volumes)
{
    printf("%s: tets, %d nodes, %d elements of %d nodes\n", path, tets->node_count, tets->tet_count,
           tets->mid_nodes ? 10 : 4);
    print_box(box);
    printf("volume %.6g m^3: %.4g kg at 1000 kg/m^3\n", volume, WATER * volume);
    printf("dihedral angles %.1f to %.1f degrees, worst aspect %.3g\n", q->least_dihedral_deg, q->greatest_dihedral_deg,
           q->worst_aspect);
    printf("regions\n");
    for (int i = 0; i < tets->region_count; i++)
        printf("  %lld%s%s%s: %.6g m^3\n", (long long)tets->region_list[i].tag,
               tets->region_list[i].name[0] ? " \"" : "", tets->region_list[i].name,
               tets->region_list[i].name[0] ? "\"" : "", volumes[i]);
}

static twStatus info_tets(const char* path, double scale, bool json, double* size, twError* err)
{
    twTetMesh* tets;
    twStatus status = tw_tets_load(&tets, path, scale, err);
    if (status != TW_OK) return status;
    size_t regions = (size_t)tets->region_count + 1;
    double *volumes = calloc(regions, sizeof *volumes), *density = calloc(regions, sizeof *density), volume = 0;
    for (int i = 0; volumes && density && i < tets->region_count; i++)
    {
        density[i] = 1;
        volume += volumes[i] = tw_tets_mass(tets, density).mass;
        density[i] = 0;
    }
    if (volumes && density)
    {
        BodyBox box = body_box(tets->nodes, tets->node_count);
        twTetQuality q = tw_tets_quality(tets);
        *size = longest_side(&box);
        if (json)
            json_tets(tets, &box, volume, &q, volumes);
        else
            print_tets(path, tets, &box, volume, &q, volumes);
    }
    else
        status = tw_fail(err, TW_NO_MEMORY, "%s: no memory", path);
    free(volumes);
    free(density);
    tw_tets_destroy(tets);
    return status;
}

// ---- modes ----

void json_mode_materials(twJson* j, const twModeSet* set)
{
    tw_json_array(j, "materials");
    for (int i = 0; i < set->material_count; i++)
    {
        const twModeMaterial* m = &set->materials[i];
        tw_json_object(j, NULL);
        tw_json_text(j, "name", m->name);
        tw_json_number(j, "density", m->density);
        tw_json_number(j, "young", m->young);
        tw_json_number(j, "poisson", m->poisson);
        tw_json_number(j, "alpha", m->alpha);
        tw_json_number(j, "beta", m->beta);
        tw_json_number(j, "loss_factor", m->loss_factor);
        tw_json_number(j, "volume_m3", m->volume);
        tw_json_number(j, "mass_kg", m->density * m->volume);
        tw_json_end(j);
    }
    tw_json_end(j);
}

static const char* const damping_names[] = {"rayleigh", "loss factor", "curve", "mode by mode", "materials"};

static int baked_modes(const twTransfer* t)
{
    int baked = 0;
    for (int k = 0; k < t->mode_count; k++) baked += t->order[k] >= 0;
    return baked;
}

static void print_transfer(const twTransfer* t)
{
    int highest = 0;
    double worst = 0;
    for (int k = 0; k < t->mode_count; k++)
    {
        highest = t->order[k] > highest ? t->order[k] : highest;
        worst = fmax(worst, t->error_db[k]);
    }
    printf(
        "acoustic transfer: %d modes, harmonics up to order %d on a sphere of %.4g m, sound speed %g m/s, air %g kg/m^3\n",
        baked_modes(t), highest, t->radius, t->sound_speed, t->air_density);
    if (worst > 0) printf("  fit error at most %.2g dB at 95 %% of the directions\n", worst);
}

static void json_transfer(twJson* j, const twTransfer* t)
{
    tw_json_object(j, "transfer");
    tw_json_integer(j, "baked_modes", baked_modes(t));
    tw_json_number(j, "radius_m", t->radius);
    tw_json_numbers(j, "centre_m", (double[]){t->centre.x, t->centre.y, t->centre.z}, 3);
    tw_json_number(j, "sound_speed", t->sound_speed);
    tw_json_number(j, "air_density", t->air_density);
    tw_json_array(j, "orders");
    for (int k = 0; k < t->mode_count; k++) tw_json_integer(j, NULL, t->order[k]);
    tw_json_end(j);
    tw_json_array(j, "fit_error_db");
    for (int k = 0; k < t->mode_count; k++) tw_json_number(j, NULL, t->error_db[k]);
    tw_json_end(j);
    tw_json_end(j);
}

static void print_modes(const char* path, const twModeSet* s)
{
    printf("%s: %d modes, %d rigid modes, %d vertices, %d faces\n", path, s->mode_count, s->rigid_modes,
           s->vertex_count, s->face_count);
    if (s->tet_count) printf("tets: %d of %d nodes, %d nodes inside\n", s->tet_count, s->nodes_per_tet, s->inner_count);
    BodyBox box = body_box(s->vertices, s->vertex_count);
    print_box(&box);
    printf("mass %.6g kg, volume %.6g m^3\n", s->mass.mass, s->mass.volume);
    for (int i = 0; i < s->material_count; i++)
        printf("  %s: %g kg/m^3, %.4g Pa, Poisson's ratio %g; %.4g m^3\n", s->materials[i].name,
               s->materials[i].density, s->materials[i].young, s->materials[i].poisson, s->materials[i].volume);
    printf("damping: %s", damping_names[s->damping.kind]);
    if (s->damping.kind == TW_DAMPING_RAYLEIGH) printf(", alpha %g 1/s, beta %g s", s->damping.alpha, s->damping.beta);
    if (s->damping.kind == TW_DAMPING_LOSS_FACTOR) printf(" %g", s->damping.loss_factor);
    putchar('\n');
    if (s->transfer) print_transfer(s->transfer);
    if (s->error_estimate > 0) printf("estimated error of the frequencies: %.2g %%\n", 100 * s->error_estimate);
    for (int k = 0; k < s->mode_count && k < SHOWN_MODES; k++)
    {
        char freq[CLI_NUMBER_BYTES], t60[CLI_NUMBER_BYTES];
        printf("  %12s Hz  T60 %8s s\n", cli_number(freq, s->freq_hz[k]), cli_number(t60, LN_1000 / s->decay[k]));
    }
    if (s->mode_count > SHOWN_MODES) printf("  and %d more\n", s->mode_count - SHOWN_MODES);
}

static void json_damping(twJson* j, const twDamping* d)
{
    tw_json_text(j, "damping", damping_names[d->kind]);
    if (d->kind == TW_DAMPING_RAYLEIGH)
    {
        tw_json_number(j, "damping_alpha_per_s", d->alpha);
        tw_json_number(j, "damping_beta_s", d->beta);
    }
    if (d->kind == TW_DAMPING_LOSS_FACTOR) tw_json_number(j, "damping_loss_factor", d->loss_factor);
    if (d->kind != TW_DAMPING_CURVE) return;
    tw_json_numbers(j, "damping_curve_hz", d->freq_hz, (size_t)d->count);
    tw_json_numbers(j, "damping_curve_per_s", d->decay, (size_t)d->count);
}

static void json_modes(const twModeSet* s)
{
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_text(&j, "kind", "modes");
    tw_json_numbers(&j, "frequencies_hz", s->freq_hz, (size_t)s->mode_count);
    tw_json_numbers(&j, "decay_per_s", s->decay, (size_t)s->mode_count);
    tw_json_integer(&j, "rigid_modes", s->rigid_modes);
    tw_json_integer(&j, "vertices", s->vertex_count);
    tw_json_integer(&j, "faces", s->face_count);
    tw_json_integer(&j, "elements", s->tet_count);
    tw_json_integer(&j, "nodes_per_element", s->nodes_per_tet);
    tw_json_integer(&j, "inner_nodes", s->inner_count);
    BodyBox box = body_box(s->vertices, s->vertex_count);
    json_box(&j, &box);
    tw_json_number(&j, "mass_kg", s->mass.mass);
    tw_json_number(&j, "volume_m3", s->mass.volume);
    json_mode_materials(&j, s);
    json_damping(&j, &s->damping);
    tw_json_number(&j, "error_estimate_percent", 100 * s->error_estimate);
    if (s->transfer) json_transfer(&j, s->transfer);
    tw_json_end(&j);
    putchar('\n');
}

static twStatus info_modes(const char* path, bool json, twError* err)
{
    twModeSet* set;
    twStatus status = tw_mode_set_load(&set, path, err);
    if (status != TW_OK) return status;
    if (json)
        json_modes(set);
    else
        print_modes(path, set);
    tw_mode_set_destroy(set);
    return TW_OK;
}

// ---- which ----

// what is no regular file can be read only once, and is not to be looked into
static bool is_regular(const char* path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool body_begins(const char* path, const char* magic)
{
    size_t bytes = strlen(magic);
    char head[8] = {0};
    FILE* file = is_regular(path) ? fopen(path, "rb") : NULL;
    if (!file) return false;
    size_t got = fread(head, 1, sizeof head, file);
    fclose(file);
    return got >= bytes && memcmp(head, magic, bytes) == 0;
}

BodyKind body_kind(const char* path)
{
    static const char* const surfaces[] = {".obj", ".stl", ".ply", ".off", ".glb", ".gltf"};
    if (ends_with(path, ".twmodes") || body_begins(path, "TWMODES\n")) return BODY_MODES;
    if (ends_with(path, ".twtrace") || body_begins(path, "TWTRACE\n")) return BODY_TRACE;
    if (body_begins(path, "TWSTATE\n")) return BODY_STATE;
    twMeshKind kind = is_regular(path) ? tw_mesh_kind(path) : TW_MESH_NONE;
    if (kind != TW_MESH_NONE) return kind == TW_MESH_TETS ? BODY_TETS : BODY_SURFACE;
    for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces; i++)
        if (ends_with(path, surfaces[i])) return BODY_SURFACE;
    if (ends_with(path, ".msh")) return BODY_TETS;
    return tw_shape_looks_like(path) ? BODY_SHAPE : BODY_NONE;
}

static twStatus shape_box(const char* text, BodyBox* box, twError* err)
{
    twShape* shape;
    twMesh* rough = NULL;
    twStatus status = tw_shape_parse(&shape, text, err);
    if (status == TW_OK) status = tw_shape_surface(&rough, shape, 1e6 * tw_shape_thickness(shape), err);
    if (status == TW_OK) *box = body_box(rough->vertices, rough->vertex_count);
    tw_mesh_destroy(rough);
    tw_shape_destroy(shape);
    return status;
}

twStatus body_find_box(BodyKind kind, const char* path, double scale, BodyBox* box, twError* err)
{
    twMesh* mesh = NULL;
    twTetMesh* tets = NULL;
    twStatus status = TW_OK;
    if (kind == BODY_SHAPE) return shape_box(path, box, err);
    if (kind == BODY_TETS)
        status = tw_tets_load(&tets, path, scale, err);
    else
        status = tw_mesh_load(&mesh, path, scale, err);
    if (tets) *box = body_box(tets->nodes, tets->node_count);
    if (mesh) *box = body_box(mesh->vertices, mesh->vertex_count);
    tw_tets_destroy(tets);
    tw_mesh_destroy(mesh);
    return status;
}

twStatus info_body(BodyKind kind, const char* path, double scale, bool json, double* size, twError* err)
{
    *size = 0;
    switch (kind)
    {
    case BODY_MODES:
        return info_modes(path, json, err);
    case BODY_TRACE:
        return info_trace(path, json, err);
    case BODY_STATE:
        return info_state(path, json, err);
    case BODY_TETS:
        return info_tets(path, scale, json, size, err);
    case BODY_SHAPE:
        return info_shape(path, json, size, err);
    default:
        return info_mesh(path, scale, json, size, err);
    }
}
