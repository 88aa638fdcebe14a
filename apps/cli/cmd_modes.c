// SPDX-License-Identifier: MIT
// twang modes: from a mesh or shape to its modes.

#include "bake_options.h"
#include <math.h>
#include <string.h>

#define LN_1000 6.907755278982137

static void print_json(const twModeSet* set, const twBakeReport* r)
{
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_numbers(&j, "frequencies_hz", set->freq_hz, (size_t)set->mode_count);
    tw_json_numbers(&j, "decay_per_s", set->decay, (size_t)set->mode_count);
    tw_json_integer(&j, "rigid_modes", set->rigid_modes);
    tw_json_integer(&j, "nodes", r->nodes);
    tw_json_integer(&j, "elements", r->elements);
    tw_json_integer(&j, "surface_vertices", set->vertex_count);
    tw_json_number(&j, "mass_kg", set->mass.mass);
    tw_json_number(&j, "volume_m3", set->mass.volume);
    tw_json_number(&j, "error_estimate_percent", 100 * r->error_estimate);
    tw_json_integer(&j, "levels", r->levels);
    tw_json_bool(&j, "cached", r->cached);
    tw_json_object(&j, "seconds");
    tw_json_number(&j, "mesh", r->mesh_seconds);
    tw_json_number(&j, "assemble", r->assemble_seconds);
    tw_json_number(&j, "order", r->order_seconds);
    tw_json_number(&j, "factor", r->factor_seconds);
    tw_json_number(&j, "solve", r->solve_seconds);
    tw_json_number(&j, "total", r->total_seconds);
    tw_json_end(&j);
    tw_json_integer(&j, "peak_memory_bytes", (int64_t)r->peak_memory_bytes);
    tw_json_text(&j, "note", r->note);
    tw_json_end(&j);
    putchar('\n');
}

// largest shape value over the surface: how strongly a mode can be driven
static double reach(const twModeSet* set, int mode)
{
    const float* s = set->shape + 3 * (size_t)mode * (size_t)set->vertex_count;
    double most = 0;
    for (int i = 0; i < set->vertex_count; i++, s += 3)
        most = fmax(most, (double)s[0] * s[0] + (double)s[1] * s[1] + (double)s[2] * s[2]);
    return sqrt(most);
}

static void print_text(const twModeSet* set, const twBakeReport* r)
{
    printf("mode   frequency [Hz]   decay [1/s]   T60 [s]   largest shape [kg^-1/2]\n");
    for (int k = 0; k < set->mode_count; k++)
        printf("%4d   %14.3f   %11.3f   %7.3f   %.3f\n", k + 1, set->freq_hz[k], set->decay[k], LN_1000 / set->decay[k],
               reach(set, k));
    printf("%d rigid modes; mass %.4g kg, volume %.4g m^3\n", set->rigid_modes, set->mass.mass, set->mass.volume);
    if (r->cached)
        printf("from the cache, in %.2f s\n", r->total_seconds);
    else
        printf("%d nodes, %d elements, %d mesh(es), %.2f s, %.0f MB\n", r->nodes, r->elements, r->levels,
               r->total_seconds, (double)r->peak_memory_bytes * 1e-6);
    if (r->error_estimate > 0) printf("estimated error of the frequencies: %.2g %%\n", 100 * r->error_estimate);
    if (r->note[0]) printf("note: %s\n", r->note);
}

int cmd_modes(int argc, char** argv)
{
    BakeOptions o = bake_options();
    const char *output = NULL, *plot = NULL;
    CliOption options[BAKE_OPTION_COUNT + 3];
    bake_option_table(&o, options);
    options[BAKE_OPTION_COUNT] = (CliOption){.kind = CLI_TEXT,
                                             .name = "-o|--output",
                                             .value = "FILE.twmodes",
                                             .out = &output,
                                             .help = "write the modes with their shapes"};
    options[BAKE_OPTION_COUNT + 1] = (CliOption){
        .kind = CLI_TEXT, .name = "--plot", .value = "FILE.png", .out = &plot, .help = "draw the mode shapes"};
    options[BAKE_OPTION_COUNT + 2] =
        (CliOption){.kind = CLI_FLAG, .name = "--json", .out = &o.json, .help = "print the result as JSON"};
    const CliUsage usage = {"modes", "modal analysis of a mesh or shape", options, BAKE_OPTION_COUNT + 3,
                            "Meshes are refined until two of them agree to --accuracy, or the memory ends.\n"
                            "Example: twang modes bar:0.3048x0.0254x0.0127 --material aluminium --count 10"};
    int code;
    if (!cli_parse(&usage, argc, argv, &code)) return code;
    twError err;
    twBakeDef def;
    twModeSet* set = NULL;
    twBakeReport report;
    twStatus status = bake_options_def(&o, &def, &err);
    if (status == TW_OK) status = tw_bake(&set, &def, &report, &err);
    cli_progress_end(&o.progress);
    if (status == TW_OK && output) status = tw_mode_set_save(set, output, &err);
    if (status == TW_OK && plot) status = tw_mode_sheet_save(plot, set, 24, &err);
    code = CLI_OK;
    if (status != TW_OK)
        code = cli_fail_error("modes", &err);
    else if (o.json)
        print_json(set, &report);
    else
        print_text(set, &report);
    tw_mode_set_destroy(set);
    return code;
}
