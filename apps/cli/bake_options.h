// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/bake.h"

/// @file
/// What `twang modes` and `twang strike` have in common: body, materials, damping, analysis.

#define BAKE_OPTION_COUNT 25

/// For the notes of a command: what --material and --fix take.
#define BAKE_NOTES                                                                                                     \
    "MATERIAL is the NAME of a built-in one ('twang materials'), NAME,LOSS_FACTOR, or its constants:\n"                \
    "DENSITY,YOUNG,POISSON,LOSS_FACTOR or DENSITY,YOUNG,POISSON,ALPHA,BETA. WHERE=MATERIAL is for a part of the\n"     \
    "body, and can be repeated; a plain one is for all the rest.\n"                                                    \
    "WHERE is ball:X,Y,Z,R, box:X0,Y0,Z0,X1,Y1,Z1, x<A or x>A (also y, z; quote these), X,Y,Z (the nearest point),\n"  \
    "in metres; or a region of a .msh or .ele file, by name or number.\n"

/// The options' values. Start from bake_options(), end with bake_options_free().
typedef struct BakeOptions
{
    const char *source, *damping_curve, *decay, *fibre, *mounting;
    CliList material, fix;
    double density, young, poisson, alpha, beta, loss_factor, t60, scale, max_freq, accuracy, max_memory_gb, thickness,
        budget;
    bool accuracy_given, density_given, young_given, poisson_given, alpha_given, beta_given, loss_given, t60_given,
        count_given, max_freq_given;
    int count, elements, units;
    double usual_accuracy;
    bool no_cache, json, draft, thickness_given, units_given;
    twBakeRegion regions[CLI_LIST_MAX];
    twPart holds[CLI_LIST_MAX];
    double* decays;  ///< of --decay
    int decay_count;
    char cache[512];
    CliProgress progress;
    int mesh;                    ///< that is being analysed, from 1
    const twBakeReport* report;  ///< of the analysis: rounds that were in the cache count
    char stage[32], label[64];
} BakeOptions;

BakeOptions bake_options(void);
void bake_options_free(BakeOptions* o);
/// Their table, for a command's own options to follow.
void bake_option_table(BakeOptions* o, CliOption table[BAKE_OPTION_COUNT]);
/// Another help for one of them.
void bake_option_help(CliOption table[BAKE_OPTION_COUNT], const char* name, const char* help);
/// The analysis they ask for. def points into o.
twStatus bake_options_def(BakeOptions* o, twBakeDef* def, twError* err);
/// Analyse, showing progress, and hint at units if the size is odd. @return TW_BAD_INPUT if there is no mode below
/// --max-freq, naming the lowest one
twStatus bake_options_run(BakeOptions* o, const char* command, const twBakeDef* def, twModeSet** set,
                          twBakeReport* report, twError* err);
/// How far frequencies may be off, in percent and cents: "at most 0.8 % (14 cents) too high"; "" if that is not known. @return out
const char* bake_error_text(char* out, size_t bytes, const twBakeReport* report);
/// The same for JSON: error_estimate_percent, error_cents, one_sided.
void bake_error_json(twJson* json, const twBakeReport* report);
/// For modes that are made already: the damping asked for, if any. @return TW_BAD_INPUT if an option of the analysis is
/// given, which would come too late
twStatus bake_options_damp(BakeOptions* o, twModeSet** set, twError* err);

/// Names of the units of length, ending with NULL, in the order of tw_units().
extern const char* const bake_unit_names[];
/// The factor of a file's coordinates from --units (an index of the names) and --scale. @return TW_BAD_INPUT if both are
/// given, or if source has no coordinates of its own
twStatus bake_scale(const char* source, int units, double scale, double* factor, twError* err);
/// Say on stderr that a body whose longest side is size [m] was probably meant in other units.
void bake_hint(const char* source, const char* command, double scale, double size);

// ---- their parts (bake_damping.c, bake_materials.c) ----

/// What --damping-curve and --decay say, or the constants. TW_DAMPING_MATERIALS if nothing is said.
bool bake_damping_given(const BakeOptions* o);  ///< whether any option says how modes decay
/// Change the damping of materials (count) to what the options say, and tell what decays come from.
twStatus bake_parse_damping(BakeOptions* o, twMaterial* materials, int count, twDamping* damping, twError* err);
/// [WHERE=]MATERIAL, as often as given.
twStatus bake_parse_materials(BakeOptions* o, twBakeDef* def, twError* err);
