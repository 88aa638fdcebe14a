// SPDX-License-Identifier: MIT
// Options of commands that bake a body.

#include "bake_options.h"
#include <stdlib.h>
#include <string.h>

static const char* const element_names[] = {"quadratic", "linear", NULL};

BakeOptions bake_options(void) { return (BakeOptions){.material = "steel", .scale = 1, .count = 32, .accuracy = 0.1}; }

void bake_option_table(BakeOptions* o, CliOption table[BAKE_OPTION_COUNT])
{
    const CliOption options[BAKE_OPTION_COUNT] = {
        {.kind = CLI_ARGUMENT,
         .name = "BODY",
         .out = &o->source,
         .help = "a shape like bar:0.3x0.02x0.01, a mesh (OBJ, STL, PLY, GLB), or tets (.msh, .node)",
         .required = true},
        {.kind = CLI_TEXT,
         .name = "--material",
         .value = "NAME",
         .out = &o->material,
         .help = "built-in material, see 'twang materials'"},
        {.kind = CLI_NUMBER,
         .name = "--density",
         .value = "KG_M3",
         .out = &o->density,
         .help = "instead of the material's",
         .low = 0,
         .high = 1e6,
         .above = true,
         .unit = "kg/m^3",
         .given = &o->density_given},
        {.kind = CLI_NUMBER,
         .name = "--young",
         .value = "PA",
         .out = &o->young,
         .help = "instead of the material's",
         .low = 0,
         .high = 1e15,
         .above = true,
         .unit = "Pa",
         .given = &o->young_given},
        {.kind = CLI_NUMBER,
         .name = "--poisson",
         .value = "NU",
         .out = &o->poisson,
         .help = "instead of the material's",
         .low = -0.99,
         .high = 0.499,
         .given = &o->poisson_given},
        {.kind = CLI_NUMBER,
         .name = "--alpha",
         .value = "1/S",
         .out = &o->alpha,
         .help = "Rayleigh damping by mass",
         .low = 0,
         .high = 1e9,
         .given = &o->rayleigh_given},
        {.kind = CLI_NUMBER,
         .name = "--beta",
         .value = "S",
         .out = &o->beta,
         .help = "Rayleigh damping by stiffness",
         .low = 0,
         .high = 1e3,
         .given = &o->rayleigh_given},
        {.kind = CLI_NUMBER,
         .name = "--loss-factor",
         .value = "ETA",
         .out = &o->loss_factor,
         .help = "one loss factor instead: decay = pi eta f",
         .low = 0,
         .high = 1.99,
         .given = &o->loss_given},
        {.kind = CLI_NUMBER,
         .name = "--scale",
         .value = "X",
         .out = &o->scale,
         .help = "of a file's coordinates: 0.001 for mm",
         .low = 0,
         .high = 1e12,
         .above = true},
        {.kind = CLI_INTEGER,
         .name = "--count",
         .value = "N",
         .out = &o->count,
         .help = "how many modes",
         .low = 1,
         .high = 100000,
         .given = &o->count_given},
        {.kind = CLI_NUMBER,
         .name = "--max-freq",
         .value = "HZ",
         .out = &o->max_freq,
         .help = "modes up to here; without --count, all of them",
         .low = 0,
         .high = 1e9,
         .above = true,
         .unit = "Hz",
         .given = &o->max_freq_given},
        {.kind = CLI_CHOICE,
         .name = "--elements",
         .value = "KIND",
         .out = &o->elements,
         .help = "quadratic (10 nodes) or linear (4 nodes, far too stiff for thin bodies)",
         .choices = element_names},
        {.kind = CLI_NUMBER,
         .name = "--accuracy",
         .value = "PERCENT",
         .out = &o->accuracy,
         .help = "wanted error of the frequencies",
         .low = 0,
         .high = 100,
         .above = true},
        {.kind = CLI_NUMBER,
         .name = "--max-memory",
         .value = "GB",
         .out = &o->max_memory_gb,
         .help = "refuse to use more (0: what is free)",
         .low = 0,
         .high = 1e6},
        {.kind = CLI_TEXT,
         .name = "--fix",
         .value = "X,Y,Z[,R];...",
         .out = &o->fix,
         .help = "hold the body at points, or in balls of radius R [m]"},
        {.kind = CLI_FLAG, .name = "--no-cache", .out = &o->no_cache, .help = "analyse even if the result is known"},
    };
    memcpy(table, options, sizeof options);
}

// "x,y,z" or "x,y,z,r", several separated by semicolons
static twStatus parse_holds(BakeOptions* o, int* count, twError* err)
{
    *count = 0;
    for (const char* at = o->fix; at && *at;)
    {
        double v[4] = {0};
        int n = 0;
        for (; n < 4; n++)
        {
            char* end;
            v[n] = strtod(at, &end);
            if (end == at)
                return tw_fail(err, TW_BAD_INPUT, "--fix: '%s' is not a number; write X,Y,Z or X,Y,Z,R in metres", at);
            at = end;
            if (*at != ',') break;
            at++;
        }
        if (n < 2 || n > 3 || (*at && *at != ';'))
            return tw_fail(err, TW_BAD_INPUT, "--fix: write X,Y,Z or X,Y,Z,R in metres, several separated by ';'");
        if (*count == BAKE_MAX_HOLDS) return tw_fail(err, TW_BAD_INPUT, "--fix: at most %d places", BAKE_MAX_HOLDS);
        if (v[3] < 0) return tw_fail(err, TW_BAD_INPUT, "--fix: the radius %g must not be negative", v[3]);
        o->holds[(*count)++] = (twHold){{v[0], v[1], v[2]}, v[3]};
        if (*at == ';') at++;
    }
    return TW_OK;
}

static bool keep_going(const char* stage, double done, void* context)
{
    BakeOptions* o = context;
    if (strcmp(stage, o->stage) != 0)
    {
        cli_progress_end(&o->progress);
        snprintf(o->stage, sizeof o->stage, "%s", stage);
        o->progress = cli_progress(o->stage);
    }
    cli_progress_update(&o->progress, done);
    return !cli_interrupted();
}

twStatus bake_options_def(BakeOptions* o, twBakeDef* def, twError* err)
{
    const twMaterial* material = tw_material_find(o->material);
    if (!material)
        return tw_fail(err, TW_BAD_INPUT, "--material: there is no '%s'; 'twang materials' lists them", o->material);
    *def = tw_bake_def();
    def->source = o->source;
    def->scale = o->scale;
    def->material = *material;
    if (o->density_given) def->material.density = o->density;
    if (o->young_given) def->material.young = o->young;
    if (o->poisson_given) def->material.poisson = o->poisson;
    def->damping = tw_damping_rayleigh(material->alpha, material->beta);
    if (o->rayleigh_given) def->damping = tw_damping_rayleigh(o->alpha, o->beta);
    if (o->loss_given) def->damping = tw_damping_loss_factor(o->loss_factor);
    def->linear = o->elements == 1;
    def->max_freq_hz = o->max_freq_given ? o->max_freq : 0;
    def->count = o->max_freq_given && !o->count_given ? 0 : o->count;
    def->accuracy = 0.01 * o->accuracy;
    def->max_memory_bytes = (size_t)(o->max_memory_gb * 1e9);
    def->cache_folder = o->no_cache ? NULL : tw_cache_folder(o->cache, sizeof o->cache);
    def->keep_going = keep_going;
    def->context = o;
    o->progress = cli_progress("");
    def->holds = o->holds;
    return parse_holds(o, &def->hold_count, err);
}
