// SPDX-License-Identifier: MIT
// Table 1 of Zheng and James 2011: its five materials, which are built in.

#include "reproduce_contact.h"
#include "twang/modal.h"

typedef struct Row
{
    const char *theirs, *ours;
    double density, young, poisson, alpha, beta, gamma;
} Row;

static const Row rows[] = {
    {"Ceramic", "zheng-ceramic", 2700, 7.4e10, 0.19, 6, 1e-7, 3e-2},
    {"Polystyrene", "zheng-polystyrene", 1050, 3.5e9, 0.34, 30, 8e-7, 4e-4},
    {"Steel", "zheng-steel", 7850, 2e11, 0.29, 5, 3e-8, 3e-1},
    {"MDF", "zheng-mdf", 615, 4e9, 0.32, 35, 5e-6, 9e-3},
    {"Wood", "zheng-wood", 750, 1.1e10, 0.25, 60, 2e-6, 5e-4},
};

static void same(CliReport* report, double theirs, double ours, const char* name, const char* what)
{
    cli_report_row(report, theirs, ours, 1e-9 * theirs, "%s: %s", name, what);
}

twStatus contact_materials(CliReport* report, twError* err)
{
    cli_report_heading(report, "Table 1: materials, as they are built in");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    {
        const Row* r = &rows[i];
        const twMaterial* m = tw_material_find(r->ours);
        if (!m) return tw_fail(err, TW_BAD_INPUT, "the material '%s' is not built in", r->ours);
        same(report, r->density, m->density, r->theirs, "density [kg/m^3]");
        same(report, r->young, m->young, r->theirs, "Young's modulus [Pa]");
        if (i == 0) cli_report_why(report, "its head says GPa, its numbers are Pa");
        same(report, r->poisson, m->poisson, r->theirs, "Poisson's ratio");
        same(report, r->alpha, m->alpha, r->theirs, "alpha [1/s]");
        same(report, r->beta, m->beta, r->theirs, "beta [s]");
        same(report, r->gamma, m->contact_damping, r->theirs, "gamma [s/m]");
    }
    return TW_OK;
}
