// SPDX-License-Identifier: MIT
// How long everyday things ring, air included, beside what others measured (docs/truth.md); and whether steel rings longer than glass,
// glass than stone, stone than wood, on a bar, a plate and a bowl. Prints tables; fails if an order is wrong.
#include "bench.h"
#include "twang/bake.h"
#include <math.h>

#define FALL log(1000.0)  // 60 dB: T60 = FALL/c

static twModeSet* modes_of(const char* shape, const char* material, double max_freq_hz)
{
    twBakeDef def = tw_bake_def();
    const twRadiationDef air = tw_radiation_def();
    twModeSet* set = NULL;
    twError err;
    char folder[4096];
    def.source = shape;
    def.material = *tw_material_find(material);
    def.count = max_freq_hz > 0 ? 0 : 12;
    def.max_freq_hz = max_freq_hz;
    def.accuracy = 0.01;
    def.cache_folder = tw_cache_folder(folder, sizeof folder);
    twStatus status = tw_bake(&set, &def, NULL, &err);
    if (status == TW_OK) status = tw_radiate(&set, &air, NULL, &err);
    if (status == TW_OK) return set;
    fprintf(stderr, "%s of %s: %s\n", shape, material, err.text);
    exit(1);
}

static int mode_near(const twModeSet* set, double freq_hz)
{
    int best = 0;
    for (int k = 1; k < set->mode_count; k++)
        if (fabs(log(set->freq_hz[k] / freq_hz)) < fabs(log(set->freq_hz[best] / freq_hz))) best = k;
    return best;
}

// ---- everyday things ----

// A loss factor that somebody measured, from low to high; 0: nobody that we know of.
typedef struct Thing
{
    const char *name, *shape, *material;
    double freq_hz;  // the mode nearest to this; 0: the lowest
    double low, high;
    const char* source;
} Thing;

static const char* const cremer = "Cremer and Heckl, the solid alone";

static void print_thing(const Thing* thing)
{
    twModeSet* set = modes_of(thing->shape, thing->material, thing->freq_hz > 0 ? 1.2 * thing->freq_hz : 0);
    const int k = thing->freq_hz > 0 ? mode_near(set, thing->freq_hz) : 0;
    const double f = set->freq_hz[k], c = set->decay[k], solid = tw_material_decay(tw_material_find(thing->material), f);
    printf("| %s | `%s` %s | %.0f | %.2g | %.2g | %.2g | ", thing->name, thing->shape, thing->material, f, FALL / c,
           c / (TW_PI * f), solid / (TW_PI * f));
    if (thing->high > 0)
        printf("%.2g to %.2g | %.2g to %.2g | %s |\n", thing->low, thing->high, FALL / (TW_PI * f * thing->high),
               FALL / (TW_PI * f * thing->low), thing->source);
    else
        printf("no source | | |\n");
    fflush(stdout);
    tw_mode_set_destroy(set);
}

static void print_things(void)
{
    const Thing things[] = {
        {"bar", "bar:0.3x0.03x0.01", "steel", 0, 2e-5, 3e-4, cremer},
        {"bar of a xylophone", "bar:0.3x0.04x0.02", "rosewood", 0, 0, 0, ""},
        {"bowl", "bowl:0.06x0.004", "ceramic", 0, 0, 0, ""},
        {"mug", "mug:", "ceramic", 0, 1.4e-3, 1.4e-3, "recorded cup, all losses"},
        {"plate", "disc:0.13x0.005", "porcelain", 0, 0, 0, ""},
        {"pan", "bowl:0.13x0.004x0.05", "iron", 3000, 0.8e-3, 1.7e-3, "recorded skillet, 2.6 to 18 kHz, all losses"},
        {"bottle (open at both ends)", "tube:0.2x0.035x0.032", "glass", 0, 0, 0, ""},
        {"block", "box:0.12x0.06x0.04", "wood", 0, 7e-3, 2e-2, "recorded wooden piece, all losses"},
        {"bell", "bell:0.06x0.08x0.004", "bronze", 0, 0, 0, ""},
        {"ruler", "ruler:0.3x0.03x0.001", "steel", 0, 2e-5, 3e-4, cremer},
        {"ruler of plastic", "ruler:0.3x0.03x0.003", "polystyrene", 2500, 5e-3, 1.3e-2,
         "recorded scoop, 1.8 to 6.2 kHz, all losses"},
        {"tile", "plate:0.15x0.15x0.008", "ceramic", 0, 0, 0, ""},
        {"slab", "slab:0.3x0.2x0.03", "granite", 0, 1 / 150.0, 1 / 150.0, "Birch and Bancroft, 140 to 4500 Hz, the solid alone"},
        {"can (open at both ends)", "tube:0.11x0.033x0.0325", "aluminium", 0, 1e-4, 1e-4, cremer},
        {"side of a box", "plate:0.3x0.2x0.006", "mdf", 0, 1e-2, 4e-2, cremer},
    };
    printf("| thing | as | Hz | T60 [s] | loss factor | of the solid | measured | T60 by that [s] | by |\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof things / sizeof *things; i++) print_thing(&things[i]);
}

// ---- the order of materials ----

enum
{
    MATERIALS = 5,
    PITCHES = 3
};

static const double pitches[PITCHES] = {500, 2000, 8000};
static const char* const materials[MATERIALS] = {"steel", "ceramic", "glass", "granite", "wood"};

// a body, and how long it is expected to ring [s]: the law of docs/materials.md with radiation scaled from other bodies; 0: not known
typedef struct Body
{
    const char* shape;
    double expected[MATERIALS][PITCHES];
} Body;

// How long the mode nearest to a pitch would ring there, its loss factor being the same; 0: it is more than half an octave away.
static double rings_at(const twModeSet* set, double freq_hz)
{
    const int k = mode_near(set, freq_hz);
    if (fabs(log2(set->freq_hz[k] / freq_hz)) > 0.5) return 0;
    return FALL / set->decay[k] * set->freq_hz[k] / freq_hz;
}

static bool print_body(const Body* body, int* compared, int* within)
{
    double t60[MATERIALS][PITCHES];
    bool ordered = true;
    for (int m = 0; m < MATERIALS; m++)
    {
        twModeSet* set = modes_of(body->shape, materials[m], 1.1 * pitches[PITCHES - 1]);
        printf("| `%s` | %s |", body->shape, materials[m]);
        for (int i = 0; i < PITCHES; i++)
        {
            const double e = body->expected[m][i], t = rings_at(set, pitches[i]);
            t60[m][i] = t;
            *compared += e > 0 && t > 0;
            *within += e > 0 && t > 0.5 * e && t < 2 * e;
            if (t == 0) printf(" no mode |");
            if (t > 0) printf(" %.3g at %.0f Hz%s", t, set->freq_hz[mode_near(set, pitches[i])], e > 0 ? "" : " |");
            if (t > 0 && e > 0) printf(" (%.3g) |", e);
        }
        printf("\n");
        fflush(stdout);
        tw_mode_set_destroy(set);
    }
    // ceramics are as glass
    for (int m = 0; m < MATERIALS; m++)
        for (int i = 0; m != 1 && m + 1 < MATERIALS && i < PITCHES; i++)
        {
            const int next = m == 0 ? 2 : m + 1;
            if (t60[m][i] > 0 && t60[next][i] > 0) ordered = ordered && t60[m][i] > t60[next][i];
        }
    return ordered;
}

static bool print_order(void)
{
    static const Body bodies[] = {
        {"bar:0.3x0.03x0.01",
         {{12, 4.4, 0.808}, {5.43, 1.53, 0.265}, {4.58, 1.26, 0.226}, {0.827, 0.215, 0.0509}, {0.307, 0.0775, 0.0179}}},
        {"plate:0.2x0.2x0.003",
         {{11, 3.11, 0.327}, {5.07, 1.09, 0.11}, {4.3, 0.928, 0.0987}, {0.818, 0.204, 0.0401}, {0.303, 0.0722, 0.0133}}},
        {"bowl:0.06x0.004",
         {{12, 3.54, 0.587}, {5.3, 1.24, 0.195}, {4.48, 1.04, 0.17}, {0.824, 0.208, 0.0476}, {0.306, 0.0743, 0.0164}}},
        {"bowl:0.12x0.003", {{0}}},
    };
    int compared = 0, within = 0;
    bool ordered = true;
    printf("\n| body | material | T60 at 0.5 kHz [s] (expected) | 2 kHz | 8 kHz |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        ordered = print_body(&bodies[i], &compared, &within) && ordered;
    printf("\n%d of %d within a factor of 2 of what was expected; steel > glass > stone > wood %s\n", within, compared,
           ordered ? "everywhere" : "is broken");
    return ordered;
}

int main(int argc, char** argv)
{
    const BenchOptions options = bench_options(&argc, argv, "the same", "things or order");
    bench_check_only(&options, "bench_truth", "things order");
    if (argc > 1) return strcmp(argv[1], "--help") == 0 ? 0 : 2;
    if (bench_wants(&options, "things")) print_things();
    return bench_wants(&options, "order") && !print_order();
}
