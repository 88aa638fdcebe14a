// SPDX-License-Identifier: MIT
// Assembly: element matrices added into the blocks of K and m, whose pattern the graph gave. Fixed nodes are left out
// from the start. With lengths in units of L, moduli of E and densities of rho an eigenvalue w^2 has the unit
// E / (rho L^2) and a mode of unit mass (rho L^3)^(-1/2).
#include "fem/system.h"
#include "fem/check.h"
#include "fem/element.h"
#include "fem/graph.h"
#include <float.h>
#include <string.h>

double fem_system_freq_hz(const FemSystem* system, double lambda)
{
    double speed = sqrt(system->young) / sqrt(system->density);
    return sqrt(lambda > 0 ? lambda : 0) * speed / (2 * TW_PI * system->length);
}

double fem_system_lambda(const FemSystem* system, double freq_hz)
{
    double speed = sqrt(system->young) / sqrt(system->density);
    double w = 2 * TW_PI * freq_hz * system->length / speed;
    return w * w;
}

// ---- units ----

static void widen(twVec3* low, twVec3* high, twVec3 x)
{
    *low = tw_vec3(fmin(low->x, x.x), fmin(low->y, x.y), fmin(low->z, x.z));
    *high = tw_vec3(fmax(high->x, x.x), fmax(high->y, x.y), fmax(high->z, x.z));
}

// the units, and the places of the nodes in them
static twStatus set_units(FemSystem* system, const twFemDef* def, twError* err)
{
    twVec3 low = tw_vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = tw_vec3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
    int node[10];
    for (int e = 0; e < def->tets->tet_count; e++)
        for (int i = fem_tet_nodes(def, e, node) - 1; i >= 0; i--) widen(&low, &high, def->tets->nodes[node[i]]);
    twVec3 size = tw_vec3_sub(high, low);
    double largest = tw_vec3_max(size);
    system->length = largest * tw_vec3_norm(tw_vec3_scale(size, 1 / largest));
    if (!(system->length > 1e-100 && system->length < 1e100))
        return tw_fail(err, TW_BAD_INPUT, "the body is %g m across: no such size can be handled", system->length);
    for (int i = 0; i < def->material_count; i++)
    {
        system->young = fmax(system->young, def->materials[i].young);
        system->density = fmax(system->density, def->materials[i].density);
    }

    // from the middle, so that a body far from the origin loses no digits in the rigid motions
    twVec3 middle = tw_vec3_add_scaled(low, size, 0.5);
    for (int i = 0; i < system->mesh_nodes; i++)
        if (system->active[i] > -2)
            system->x[i] = tw_vec3_scale(tw_vec3_sub(def->tets->nodes[i], middle), 1 / system->length);
    return TW_OK;
}

// ---- assembly ----

int64_t fem_system_entry(const FemSystem* system, int row, int column)
{
    int64_t low = system->start[row], high = system->start[row + 1] - 1;
    while (low < high)
    {
        int64_t middle = (low + high) / 2;
        if (system->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_block(FemSystem* system, int a, int b, const double* block, double mass)
{
    int64_t entry = fem_system_entry(system, a > b ? a : b, a > b ? b : a);
    double* k = system->k + 9 * entry;
    system->m[entry] += mass;
    if (a >= b)
        for (int i = 0; i < 9; i++) k[i] += block[i];
    else
        for (int i = 0; i < 9; i++) k[i] += block[3 * (i % 3) + i / 3];
}

static void add_element(FemSystem* system, const FemElement* element, const int* node, int count)
{
    for (int p = 0; p < count; p++)
        for (int q = 0; q <= p; q++)
        {
            int a = system->active[node[p]], b = system->active[node[q]];
            if (a >= 0 && b >= 0) add_block(system, a, b, element->k[p][q], element->m[p][q]);
        }
}

static double longest_edge(const twVec3* x)
{
    double longest = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) longest = fmax(longest, tw_vec3_norm(tw_vec3_sub(x[i], x[j])));
    return longest;
}

static twStatus bad_tet(const FemSystem* system, int tet, double det, bool straight, twError* err)
{
    double volume = det / 6 * system->length * system->length * system->length;
    return tw_fail(
        err, TW_BAD_INPUT,
        "tet %d is inverted or flat%s (volume %g m^3): order its nodes so that det(b - a, c - a, d - a) > 0, or "
        "remesh",
        system->tet_name ? system->tet_name[tet] : tet,
        straight ? "" : " at a point inside, because of where its mid nodes are", volume);
}

static twStatus add_elements(FemSystem* system, const twFemDef* def, twError* err)
{
    const double flat = 1e-10;  // Jacobian over longest edge cubed; 1/sqrt(2) for a regular tet
    FemRule rule = fem_rule(def->linear ? 4 : 10);
    FemElement element;
    FemStiffness stiffness;
    const twMaterial* last = NULL;
    int node[10];
    twVec3 x[10];
    for (int e = 0; e < def->tets->tet_count; e++)
    {
        const twMaterial* material = &def->materials[def->tets->regions ? def->tets->regions[e] : 0];
        if (material != last)
        {
            const twMaterial scaled = tw_material_in_units(material, system->young);
            stiffness = fem_stiffness(&scaled, def->fibre);
            last = material;
        }
        double rho = material->density / system->density;

        int count = fem_tet_nodes(def, e, node);
        for (int i = 0; i < count; i++) x[i] = system->x[node[i]];
        double edge = longest_edge(x);
        bool good = fem_element(&element, &rule, x, &stiffness, rho);
        if (!good || !(element.least_det > flat * edge * edge * edge))
        {
            double det =
                tw_mat3_det(tw_mat3_rows(tw_vec3_sub(x[1], x[0]), tw_vec3_sub(x[2], x[0]), tw_vec3_sub(x[3], x[0])));
            bool straight = !(det > flat * edge * edge * edge);
            return bad_tet(system, e, straight ? det : element.least_det, straight, err);
        }
        add_element(system, &element, node, count);
        system->mass += rho * element.volume;
    }
    return TW_OK;
}

twStatus fem_system_prepare(FemSystem** out, const twFemDef* def, FemMemory* memory, twError* err)
{
    *out = NULL;
    twStatus status = fem_check(def, err);
    if (status != TW_OK) return status;
    FemSystem* system = fem_alloc(memory, 1, sizeof *system);
    if (!system) return fem_no_memory(memory, sizeof *system, "the system", err);
    size_t mesh_nodes = (size_t)def->tets->node_count;
    system->mesh_nodes = def->tets->node_count;
    system->active = fem_alloc(memory, mesh_nodes, sizeof *system->active);
    system->x = fem_alloc(memory, mesh_nodes, sizeof *system->x);
    if (!system->active || !system->x) status = fem_no_memory(memory, 28.0 * (double)mesh_nodes, "the nodes", err);

    if (status == TW_OK) status = fem_graph(system, def, memory, err);
    if (status == TW_OK) status = set_units(system, def, err);
    if (status == TW_OK)
        *out = system;
    else
        fem_system_destroy(system, memory);
    return status;
}

twStatus fem_system_assemble(FemSystem* system, const twFemDef* def, FemMemory* memory, twError* err)
{
    size_t entries = (size_t)system->start[system->nodes];
    system->m = fem_alloc(memory, entries, sizeof *system->m);
    system->k = fem_alloc(memory, entries, 9 * sizeof *system->k);
    if (!system->m || !system->k) return fem_no_memory(memory, 80.0 * (double)entries, "the matrices", err);
    return add_elements(system, def, err);
}

twStatus fem_system_create(FemSystem** out, const twFemDef* def, FemMemory* memory, twError* err)
{
    twStatus status = fem_system_prepare(out, def, memory, err);
    if (status == TW_OK) status = fem_system_assemble(*out, def, memory, err);
    if (status == TW_OK || !*out) return status;
    fem_system_destroy(*out, memory);
    *out = NULL;
    return status;
}

void fem_system_destroy(FemSystem* system, FemMemory* memory)
{
    if (!system) return;
    void* const blocks[] = {system->node, system->active, system->start, system->column,
                            system->m,    system->k,      system->x,     system->piece};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) fem_free(memory, blocks[i]);
    fem_free(memory, system);
}
