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
    twRadiationDef air = tw_radiation_def();
    twModeSet* set = NULL;
    twError err;
    char folder[4096];
    def.source = shape;
    def.material = *tw_material_find(material);
    def.count = max_freq_hz > 0 ? 0 : 12;
    def.max_freq_hz = max_freq_hz;
    def.accuracy = 0.01;
    def.cache_folder = air.cache_folder = tw_cache_folder(folder, sizeof folder);
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

static void print_thing(const Thing* thing)
{
    twModeSet* set = modes_of(thing->shape, thing->material, thing->freq_hz > 0 ? 1.2 * thing->freq_hz : 0);
    const int k = thing->freq_hz > 0 ? mode_near(set, thing->freq_hz) : 0;
    const double f = set->freq_hz[k], c = set->decay[k];
    printf("| %s | `%s` %s | %.0f | %.2g | %.2g | %.2g | ", thing->name, thing->shape, thing->material, f, FALL / c,
           c / (TW_PI * f), tw_material_find(thing->material)->loss_factor);
    if (thing->high > thing->low)
        printf("%.2g to %.2g | %s |\n", thing->low, thing->high, thing->source);
    else if (thing->high > 0)
        printf("%.2g | %s |\n", thing->high, thing->source);
    else
        printf("| no source |\n");
    fflush(stdout);
    tw_mode_set_destroy(set);
}

static void print_things(void)
{
    const Thing things[] = {
        {"bar", "bar:0.3x0.03x0.01", "steel", 0, 2e-5, 3e-4, "handbook, the solid alone"},
        {"bar of a xylophone", "bar:0.3x0.04x0.02", "rosewood", 0, 0, 0, ""},
        {"bowl", "bowl:0.06x0.004", "ceramic", 0, 0, 0, ""},
        {"mug", "mug:", "ceramic", 0, 1.4e-3, 1.4e-3, "recorded cup"},
        {"plate", "disc:0.13x0.005", "porcelain", 0, 0, 0, ""},
        {"pan", "bowl:0.13x0.004x0.05", "iron", 3000, 0.8e-3, 1.7e-3, "recorded skillet, 2.6 to 18 kHz"},
        {"bottle (open at both ends)", "tube:0.2x0.035x0.032", "glass", 0, 0, 0, ""},
        {"block", "box:0.12x0.06x0.04", "wood", 0, 1.4e-2, 1.4e-2, "recorded wooden piece"},
        {"bell", "bell:0.06x0.08x0.004", "bronze", 0, 0, 0, ""},
        {"ruler", "ruler:0.3x0.03x0.001", "steel", 0, 0, 0, ""},
        {"ruler of plastic", "ruler:0.3x0.03x0.003", "polystyrene", 2500, 5e-3, 1.3e-2,
         "recorded scoop, 1.8 to 6.2 kHz"},
        {"tile", "plate:0.15x0.15x0.008", "ceramic", 0, 0, 0, ""},
        {"slab", "slab:0.3x0.2x0.03", "granite", 0, 1 / 150.0, 1 / 150.0,
         "Birch and Bancroft, 140 to 4500 Hz, the solid alone"},
        {"can (open at both ends)", "tube:0.11x0.033x0.0325", "aluminium", 0, 0, 0, ""},
        {"side of a box", "plate:0.3x0.2x0.006", "mdf", 0, 1e-2, 4e-2, "handbook, the solid alone"},
    };
    printf(
        "| thing | as | mode [Hz] | T60 [s] | loss factor, air and support included | of the table | measured | by |\n|---|---|---|---|---|---|---|---|\n");
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

// how long a mode would ring at a pitch [s], its loss factor being the same
static double rings_at(const twModeSet* set, int mode, double freq_hz)
{
    return FALL / set->decay[mode] * set->freq_hz[mode] / freq_hz;
}

static int truth_compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// the median of that over the modes in a third of an octave around the pitch; 0: there are none
static double band_rings(const twModeSet* set, double freq_hz)
{
    double *t60 = calloc((size_t)set->mode_count + 1, sizeof *t60), median = 0;
    size_t count = 0;
    for (int k = 0; k < set->mode_count; k++)
        if (fabs(log2(set->freq_hz[k] / freq_hz)) < 1.0 / 6) t60[count++] = rings_at(set, k, freq_hz);
    qsort(t60, count, sizeof *t60, truth_compare);
    if (count > 0) median = 0.5 * (t60[(count - 1) / 2] + t60[count / 2]);
    free(t60);
    return median;
}

// of one kind of reading: how many were compared and within a factor of 2, and whether all were in order
typedef struct Tally
{
    int compared, within;
    bool ordered;
    double before[PITCHES];  // what the last material that counts for the order had; 0: nothing yet
} Tally;

static void tally(Tally* t, int pitch, double t60, double expected, bool counts)
{
    t->compared += t60 > 0 && expected > 0;
    t->within += t60 > 0.5 * expected && t60 < 2 * expected;
    if (!counts || t60 == 0) return;
    if (t->before[pitch] > 0 && t60 >= t->before[pitch]) t->ordered = false;
    t->before[pitch] = t60;
}

static void print_material(const Body* body, int m, Tally* nearest, Tally* band)
{
    twModeSet* set = modes_of(body->shape, materials[m], 1.1 * pitches[PITCHES - 1]);
    const bool counts = strcmp(materials[m], "ceramic") != 0;  // which is as glass
    printf("| `%s` | %s |", body->shape, materials[m]);
    for (int i = 0; i < PITCHES; i++)
    {
        const int k = mode_near(set, pitches[i]);
        const bool near = fabs(log2(set->freq_hz[k] / pitches[i])) < 0.5;
        const double one = near ? rings_at(set, k, pitches[i]) : 0, many = band_rings(set, pitches[i]);
        tally(nearest, i, one, body->expected[m][i], counts);
        tally(band, i, many, body->expected[m][i], counts);
        if (!near) printf(" no mode |");
        if (near) printf(" %.3g (%.0f Hz)", one, set->freq_hz[k]);
        if (near && many > 0) printf(", %.3g", many);
        if (near && body->expected[m][i] > 0) printf("; %.3g", body->expected[m][i]);
        if (near) printf(" |");
    }
    printf("\n");
    fflush(stdout);
    tw_mode_set_destroy(set);
}

static bool print_order(void)
{
    static const Body bodies[] = {
        {"bar:0.3x0.03x0.01",
         {{12, 4.4, 0.808}, {5.43, 1.53, 0.265}, {4.58, 1.26, 0.226}, {0.827, 0.215, 0.0509}, {0.307, 0.0775, 0.0179}}},
        {"plate:0.2x0.2x0.003",
         {{11, 3.11, 0.327},
          {5.07, 1.09, 0.11},
          {4.3, 0.928, 0.0987},
          {0.818, 0.204, 0.0401},
          {0.303, 0.0722, 0.0133}}},
        {"bowl:0.06x0.004",
         {{12, 3.54, 0.587}, {5.3, 1.24, 0.195}, {4.48, 1.04, 0.17}, {0.824, 0.208, 0.0476}, {0.306, 0.0743, 0.0164}}},
        {"bowl:0.12x0.003", {{0}}},
    };
    Tally nearest = {.ordered = true}, band = {.ordered = true};
    printf("\n| body | material | T60 at 0.5 kHz [s] | at 2 kHz | at 8 kHz |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
    {
        memset(nearest.before, 0, sizeof nearest.before);
        memset(band.before, 0, sizeof band.before);
        for (int m = 0; m < MATERIALS; m++) print_material(&bodies[i], m, &nearest, &band);
    }
    const Tally* const tallies[] = {&nearest, &band};
    printf("\n");
    for (int i = 0; i < 2; i++)
        printf("%s: %d of %d within a factor of 2; steel > glass > granite > wood %s\n",
               i == 0 ? "nearest mode" : "third of an octave", tallies[i]->within, tallies[i]->compared,
               tallies[i]->ordered ? "everywhere" : "is broken");
    return nearest.ordered && band.ordered;
}

int main(int argc, char** argv)
{
    const BenchOptions options = bench_options(&argc, argv, "the same", "things or order");
    bench_check_only(&options, "bench_truth", "things order");
    if (argc > 1) return strcmp(argv[1], "--help") == 0 ? 0 : 2;
    if (bench_wants(&options, "things")) print_things();
    return bench_wants(&options, "order") && !print_order();
}
