// SPDX-License-Identifier: MIT
// twang info on bodies: surfaces, shapes, tets, mode files.

#include "info_body.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LN_1000 6.907755278982137
#define WATER 1000.0       // [kg/m^3]: so that masses can be scaled in the head
#define SHAPE_EDGES 100.0  // along the longest side of a shape's surface
#define SHOWN_MODES 20

typedef struct Box
{
    twVec3 low, high;
} Box;

static Box box_of(const twVec3* points, int count)
{
    Box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int i = 0; i < count; i++)
    {
        twVec3 p = points[i];
        if (!isfinite(p.x + p.y + p.z)) continue;
        box.low = (twVec3){fmin(box.low.x, p.x), fmin(box.low.y, p.y), fmin(box.low.z, p.z)};
        box.high = (twVec3){fmax(box.high.x, p.x), fmax(box.high.y, p.y), fmax(box.high.z, p.z)};
    }
    return box;
}

static void print_box(const Box* b)
{
    printf("size %.6g x %.6g x %.6g m, from %.6g,%.6g,%.6g to %.6g,%.6g,%.6g\n", b->high.x - b->low.x,
           b->high.y - b->low.y, b->high.z - b->low.z, b->low.x, b->low.y, b->low.z, b->high.x, b->high.y, b->high.z);
}

static void json_box(twJson* j, const Box* b)
{
    tw_json_numbers(j, "low_m", (double[]){b->low.x, b->low.y, b->low.z}, 3);
    tw_json_numbers(j, "high_m", (double[]){b->high.x, b->high.y, b->high.z}, 3);
}

// ---- surfaces ----

// what mending found, each with its name
typedef struct Finding
{
    const char *key, *text;
    int count;
} Finding;

#define FINDINGS 9

static void list_findings(const twMeshReport* r, Finding out[FINDINGS])
{
    const Finding all[FINDINGS] = {
        {"merged_vertices", "duplicate vertices", r->merged_vertices},
        {"isolated_vertices", "vertices of no face", r->isolated_vertices},
        {"bad_coordinates", "vertices that are not finite", r->bad_coordinates},
        {"degenerate_faces", "faces without area", r->degenerate_faces},
        {"duplicate_faces", "duplicate faces", r->duplicate_faces},
        {"flipped_faces", "faces turned the wrong way", r->flipped_faces},
        {"holes", "holes", r->holes},
        {"nonmanifold_edges", "edges of more than two faces", r->nonmanifold_edges},
        {"self_intersections", "pairs of faces that cross", r->self_intersections},
    };
    memcpy(out, all, sizeof all);
}

static int count_regions(const int* regions, int count)
{
    int most = 0;
    for (int i = 0; regions && i < count; i++) most = regions[i] > most ? regions[i] : most;
    return most + 1;
}

static void show_surface(const char* path, const char* kind, const twMesh* mesh, const twMeshReport* r, int vertices,
                         int faces, bool json)
{
    Box box = box_of(mesh->vertices, mesh->vertex_count);
    bool tight = r->boundary_edges == 0 && r->nonmanifold_edges == 0;
    int regions = count_regions(mesh->regions, mesh->face_count);
    Finding findings[FINDINGS];
    list_findings(r, findings);
    if (!json)
    {
        printf("%s: %s, %d vertices, %d faces, %d piece(s), %d region(s)\n", path, kind, vertices, faces, r->components,
               regions);
        print_box(&box);
        printf("area %.6g m^2, volume %.6g m^3: %.4g kg at 1000 kg/m^3\n", r->area, r->volume, WATER * r->volume);
        printf("watertight: %s\n", tight ? "yes" : "no");
        for (int i = 0; i < FINDINGS; i++)
            if (findings[i].count > 0) printf("  %d %s\n", findings[i].count, findings[i].text);
        return;
    }
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_text(&j, "kind", kind);
    tw_json_integer(&j, "vertices", vertices);
    tw_json_integer(&j, "faces", faces);
    tw_json_integer(&j, "pieces", r->components);
    tw_json_integer(&j, "regions", regions);
    json_box(&j, &box);
    tw_json_number(&j, "area_m2", r->area);
    tw_json_number(&j, "volume_m3", r->volume);
    tw_json_number(&j, "mass_kg_at_1000", WATER * r->volume);
    tw_json_bool(&j, "watertight", tight);
    tw_json_integer(&j, "boundary_edges", r->boundary_edges);
    for (int i = 0; i < FINDINGS; i++) tw_json_integer(&j, findings[i].key, findings[i].count);
    tw_json_end(&j);
    putchar('\n');
}

// measured as mending would leave it
static twStatus info_surface(const char* path, const char* kind, twMesh* mesh, bool json, double* size, twError* err)
{
    twMeshReport report;
    int vertices = mesh->vertex_count, faces = mesh->face_count;
    twStatus status = tw_mesh_mend(mesh, 1e-9, &report, err);
    if (status != TW_OK) return status;
    *size = report.size;
    show_surface(path, kind, mesh, &report, vertices, faces, json);
    return TW_OK;
}

static twStatus info_mesh(const char* path, double scale, bool json, double* size, twError* err)
{
    twMesh* mesh;
    twStatus status = tw_mesh_load(&mesh, path, scale, err);
    if (status == TW_OK) status = info_surface(path, "surface", mesh, json, size, err);
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
        Box box = box_of(rough->vertices, rough->vertex_count);
        double longest = fmax(box.high.x - box.low.x, fmax(box.high.y - box.low.y, box.high.z - box.low.z));
        status = tw_shape_surface(&mesh, shape, longest / SHAPE_EDGES, err);
    }
    if (status == TW_OK) status = info_surface(text, "shape", mesh, json, size, err);
    tw_mesh_destroy(rough);
    tw_mesh_destroy(mesh);
    tw_shape_destroy(shape);
    return status;
}

// ---- tets ----

static void json_tets(const twTetMesh* tets, const Box* box, double volume, const twTetQuality* q,
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

static void print_tets(const char* path, const twTetMesh* tets, const Box* box, double volume, const twTetQuality* q,
                       const double* volumes)
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
        Box box = box_of(tets->nodes, tets->node_count);
        twTetQuality q = tw_tets_quality(tets);
        *size = tw_vec3_norm(tw_vec3_sub(box.high, box.low));
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

static void print_modes(const char* path, const twModeSet* s)
{
    printf("%s: %d modes, %d rigid modes, %d vertices, %d faces\n", path, s->mode_count, s->rigid_modes,
           s->vertex_count, s->face_count);
    if (s->tet_count) printf("tets: %d of %d nodes, %d nodes inside\n", s->tet_count, s->nodes_per_tet, s->inner_count);
    Box box = box_of(s->vertices, s->vertex_count);
    print_box(&box);
    printf("mass %.6g kg, volume %.6g m^3\n", s->mass.mass, s->mass.volume);
    for (int i = 0; i < s->material_count; i++)
        printf("  %s: %g kg/m^3, %.4g Pa, Poisson's ratio %g; %.4g m^3\n", s->materials[i].name,
               s->materials[i].density, s->materials[i].young, s->materials[i].poisson, s->materials[i].volume);
    printf("damping: %s\n", damping_names[s->damping.kind]);
    if (s->error_estimate > 0) printf("estimated error of the frequencies: %.2g %%\n", 100 * s->error_estimate);
    for (int k = 0; k < s->mode_count && k < SHOWN_MODES; k++)
        printf("  %12.3f Hz  T60 %8.3f s\n", s->freq_hz[k], LN_1000 / s->decay[k]);
    if (s->mode_count > SHOWN_MODES) printf("  and %d more\n", s->mode_count - SHOWN_MODES);
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
    Box box = box_of(s->vertices, s->vertex_count);
    json_box(&j, &box);
    tw_json_number(&j, "mass_kg", s->mass.mass);
    tw_json_number(&j, "volume_m3", s->mass.volume);
    json_mode_materials(&j, s);
    tw_json_text(&j, "damping", damping_names[s->damping.kind]);
    tw_json_number(&j, "error_estimate_percent", 100 * s->error_estimate);
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

static bool ends_with(const char* text, const char* ending)
{
    size_t n = strlen(text), m = strlen(ending);
    for (size_t i = 0; i < m; i++)
        if (n < m || (text[n - m + i] | 32) != (ending[i] | 32)) return false;
    return true;
}

static bool begins_with(const char* path, const char* magic, size_t bytes)
{
    char head[8] = {0};
    FILE* file = fopen(path, "rb");
    if (!file) return false;
    size_t got = fread(head, 1, sizeof head, file);
    fclose(file);
    return got >= bytes && memcmp(head, magic, bytes) == 0;
}

BodyKind body_kind(const char* path)
{
    static const char* const surfaces[] = {".obj", ".stl", ".ply", ".glb"};
    static const char* const tets[] = {".msh", ".node", ".ele"};
    if (ends_with(path, ".twmodes") || begins_with(path, "TWMODES\n", 8)) return BODY_MODES;
    for (int i = 0; i < 4; i++)
        if (ends_with(path, surfaces[i])) return BODY_SURFACE;
    for (int i = 0; i < 3; i++)
        if (ends_with(path, tets[i])) return BODY_TETS;
    return tw_shape_looks_like(path) ? BODY_SHAPE : BODY_NONE;
}

twStatus info_body(BodyKind kind, const char* path, double scale, bool json, double* size, twError* err)
{
    *size = 0;
    switch (kind)
    {
    case BODY_MODES:
        return info_modes(path, json, err);
    case BODY_TETS:
        return info_tets(path, scale, json, size, err);
    case BODY_SHAPE:
        return info_shape(path, json, size, err);
    default:
        return info_mesh(path, scale, json, size, err);
    }
}
