// SPDX-License-Identifier: MIT
// What baking the sound of modes costs and how right it is, a part of bench_sound. Cost: processor seconds of a mode of a thin bowl against kR, also over those
// of a plain loop in this program that sums e^{ikr}/r of 1000 x 1000 pairs, so that machines and their moods compare. Accuracy: power and
// loudness of the default against 4000 panels, for shapes, and for meshes of others where TWANG_DATA names their folder.
#define _POSIX_C_SOURCE 200809L
#include "sound.h"
#include "twang/acoustics.h"
#include "twang/bake.h"
#include <math.h>

enum
{
    PAIRS = 1000,       // on each side of the plain loop
    COPIES = 5,         // modes that are timed
    MANY_PANELS = 4000  // of the reference
};

// ---- cost ----

static double time_pairs(void)
{
    static double place[PAIRS][3];
    twRng rng = tw_rng(1);
    for (int i = 0; i < 3 * PAIRS; i++) place[i / 3][i % 3] = tw_rng_between(&rng, -1, 1);
    double best = HUGE_VAL;
    for (int round = 0; round < 5; round++)
    {
        const double start = bench_cpu_seconds();
        double re = 0, im = 0;
        for (int i = 0; i < PAIRS; i++)
            for (int j = 0; j < PAIRS; j++)
            {
                const double x = place[i][0] - place[j][0], y = place[i][1] - place[j][1],
                             z = place[i][2] - place[j][2], r = sqrt(x * x + y * y + z * z + 1e-3);
                re += cos(5 * r) / r;
                im += sin(5 * r) / r;
            }
        bench_keep(re + im);
        best = fmin(best, bench_cpu_seconds() - start);
    }
    return best;
}

// a surface with modes of the same waves around and up the wall, at pitches 0.4 % apart, so that none share equations
typedef struct Waves
{
    twMesh* mesh;
    float* shape;
    double freq_hz[COPIES];
    twModeSet set;
} Waves;

static void make_waves(Waves* w, const char* text, double edge)
{
    twError err = {0};
    twShape* shape;
    check(tw_shape_parse(&shape, text, &err), &err);
    check(tw_shape_surface(&w->mesh, shape, edge, &err), &err);
    tw_shape_destroy(shape);
    const int count = w->mesh->vertex_count;
    w->shape = calloc(3 * COPIES * (size_t)count, sizeof *w->shape);
    if (!w->shape) exit(1);
    for (int i = 0; i < COPIES * count; i++)
    {
        const twVec3 v = w->mesh->vertices[i % count], n = tw_vec3_normalize(tw_vec3(v.x, v.y, 0.01));
        const double wave = cos(3 * atan2(v.y, v.x)) * v.z;
        w->shape[3 * i] = (float)(wave * n.x), w->shape[3 * i + 1] = (float)(wave * n.y);
        w->shape[3 * i + 2] = (float)(wave * n.z);
    }
    w->set = (twModeSet){.vertex_count = count,
                         .face_count = w->mesh->face_count,
                         .freq_hz = w->freq_hz,
                         .shape = w->shape,
                         .vertices = w->mesh->vertices,
                         .faces = w->mesh->faces};
}

static double bake_seconds(Waves* w, double freq_hz, int modes, bool fine)
{
    twError err = {0};
    double best = HUGE_VAL;
    for (int k = 0; k < modes; k++) w->freq_hz[k] = freq_hz * (1 + 0.004 * k);
    w->set.mode_count = modes;
    twTransferBakeDef def = fine ? tw_transfer_fine_def(&w->set) : tw_transfer_bake_def(&w->set);
    def.max_freq_hz = 1e6;
    def.threads = 1;
    for (int round = 0; round < 3; round++)
    {
        twTransfer* t;
        const double start = bench_cpu_seconds();
        check(tw_bake_transfer(&t, &def, NULL, &err), &err);
        best = fmin(best, bench_cpu_seconds() - start);
        tw_transfer_destroy(t);
    }
    return best;
}

void report_bake_cost(BenchReport* report)
{
    static const double at[] = {0.3, 1, 3, 10, 20, 40};
    const double plain = time_pairs();
    twVec3 centre;
    Waves w;
    make_waves(&w, "bowl:0.08x0.003", 0.004);
    const double radius = tw_points_ball(w.set.vertices, w.set.vertex_count, &centre);
    bench_figure(report, "plain_ms", 1e3 * plain, "plain loop over 1e6 pairs");
    for (int fine = 0; fine < 2; fine++)
        for (int i = 0; i < 6; i++)
        {
            char key[64];
            const double freq_hz = at[i] * 343.2 / (2 * TW_PI * radius), one = bake_seconds(&w, freq_hz, 1, fine);
            const double seconds = (bake_seconds(&w, freq_hz, COPIES, fine) - one) / (COPIES - 1);
            snprintf(key, sizeof key, "%skr_%g_ms", fine ? "fine_" : "", at[i]);
            bench_figure(report, key, 1e3 * seconds, "a mode at this kR");
            snprintf(key, sizeof key, "%skr_%g_ratio", fine ? "fine_" : "", at[i]);
            bench_figure(report, key, seconds / plain, "over the plain loop");
            if (i == 0)
                bench_figure(report, fine ? "fine_once_ms" : "once_ms", 1e3 * (one - seconds),
                             "once per surface and panel number");
        }
    tw_mesh_destroy(w.mesh);
    free(w.shape);
}

// ---- accuracy ----

// loudness of all modes [dB], and the power of the worst that has 1 % of it
static void compare_transfers(const twModeSet* set, const twTransfer* t, const twTransfer* right, double* all,
                              double* worst)
{
    double sum[2] = {0, 0};
    for (int k = 0; k < set->mode_count; k++)
    {
        if (right->order[k] < 0) continue;
        sum[0] += tw_transfer_loudness(t, set, k);
        sum[1] += tw_transfer_loudness(right, set, k);
    }
    *all = 10 * log10(sum[0] / sum[1]);
    *worst = 0;
    for (int k = 0; k < set->mode_count; k++)
    {
        if (right->order[k] < 0 || tw_transfer_loudness(right, set, k) < 0.01 * sum[1]) continue;
        const double off = 10 * log10(tw_transfer_power(t, k) / tw_transfer_power(right, k));
        if (fabs(off) > fabs(*worst)) *worst = off;
    }
}

static void report_body(BenchReport* report, const char* name, const char* source, double scale, const char* material)
{
    twError err = {0};
    twBakeDef def = tw_bake_def();
    def.source = source;
    def.scale = scale;
    def.material = *tw_material_find(material);
    def.damping = (twDamping){.kind = TW_DAMPING_MATERIALS};
    def.count = 12;
    def.accuracy = 0.05;
    twModeSet* set;
    check(tw_bake(&set, &def, NULL, &err), &err);
    twTransferBakeDef usual = tw_transfer_bake_def(set), many = tw_transfer_fine_def(set);
    usual.threads = many.threads = 1;
    many.min_panels = many.max_panels = MANY_PANELS;
    twTransfer *t, *right;
    twTransferBakeReport baked;
    const double start = bench_cpu_seconds();
    check(tw_bake_transfer(&t, &usual, &baked, &err), &err);
    const double seconds = bench_cpu_seconds() - start;
    check(tw_bake_transfer(&right, &many, NULL, &err), &err);
    double all, worst;
    char key[64];
    compare_transfers(set, t, right, &all, &worst);
    snprintf(key, sizeof key, "%s_loudness_db", name);
    bench_figure(report, key, all, "loudness of all modes against 4000 panels; 1 is wanted");
    snprintf(key, sizeof key, "%s_worst_db", name);
    bench_figure(report, key, worst, "power of the worst mode with 1 % of it; 3 is wanted");
    snprintf(key, sizeof key, "%s_time", name);
    bench_figure(report, key, seconds / (1 + 0.025 * baked.baked), "processor time over 1 s + 25 ms per mode");
    tw_transfer_destroy(t);
    tw_transfer_destroy(right);
    tw_mode_set_destroy(set);
}

static void report_file(BenchReport* report, const char* name, const char* path, double scale)
{
    char source[1024];
    const char* folder = getenv("TWANG_DATA");
    if (!folder) return;
    snprintf(source, sizeof source, "%s/%s", folder, path);
    FILE* file = fopen(source, "rb");
    if (!file) return;
    fclose(file);
    report_body(report, name, source, scale, "ceramic");
}

void report_bake_accuracy(BenchReport* report)
{
    report_body(report, "bar", "bar:0.3x0.03x0.01", 1, "steel");
    report_body(report, "plate", "plate:0.2x0.2x0.003", 1, "steel");
    report_body(report, "bowl", "bowl:0.08x0.003", 1, "ceramic");
    report_body(report, "mug", "mug:", 1, "ceramic");
    report_file(report, "other_bowl", "bowl/bowl.obj_.msh", 1);
    report_file(report, "other_spot", "meshes/spot.obj", 0.08);
    report_file(report, "other_cow", "meshes/cow.obj", 0.02);
}

// ---- modes that a budget leaves out ----

static int compare_factors(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// factor, above 1, between the decays of a mode, that of the solid included
static double decay_factor(const twModeSet* set, const twTransfer* t, const twTransfer* right, int mode)
{
    const double ratio =
        (set->decay[mode] + tw_transfer_power(t, mode)) / (set->decay[mode] + tw_transfer_power(right, mode));
    return fmax(ratio, 1 / ratio);
}

// factors of the modes that a random half of the baked ones does not have; @return how many
static int left_factors(const twModeSet* set, const twTransfer* right, double* factors)
{
    twError err = {0};
    twRng rng = tw_rng(1);
    twTransfer half = *right, *t;
    int *order = malloc(((size_t)set->mode_count + 1) * sizeof *order), count = 0;
    if (!order) exit(1);
    for (int k = 0; k < set->mode_count; k++) order[k] = tw_rng_between(&rng, 0, 1) < 0.5 ? -1 : right->order[k];
    half.order = order;
    check(tw_transfer_complete(&t, &half, set, 1e6, &err), &err);
    for (int k = 0; k < set->mode_count; k++)
        if (order[k] < 0 && right->order[k] >= 0) factors[count++] = decay_factor(set, t, right, k);
    qsort(factors, (size_t)count, sizeof *factors, compare_factors);
    tw_transfer_destroy(t);
    free(order);
    return count;
}

static void report_left_body(BenchReport* report, const char* name, const char* source, const char* material, int modes)
{
    twError err = {0};
    twBakeDef def = tw_bake_def();
    def.source = source;
    def.material = *tw_material_find(material);
    def.damping = (twDamping){.kind = TW_DAMPING_MATERIALS};
    def.count = modes;
    def.accuracy = 0.05;
    twModeSet* set;
    twTransfer* right;
    check(tw_bake(&set, &def, NULL, &err), &err);
    twTransferBakeDef bake = tw_transfer_bake_def(set);
    bake.max_freq_hz = 1e6;
    check(tw_bake_transfer(&right, &bake, NULL, &err), &err);
    double* factors = malloc(((size_t)set->mode_count + 1) * sizeof *factors);
    if (!factors) exit(1);
    const int count = left_factors(set, right, factors);
    char key[64];
    snprintf(key, sizeof key, "%s_left", name);
    bench_figure(report, key, count, "modes left out, a random half");
    snprintf(key, sizeof key, "%s_left_most", name);
    bench_figure(report, key, count > 0 ? factors[count - 1] : 0, "factor on their decay, at most");
    snprintf(key, sizeof key, "%s_left_90", name);
    bench_figure(report, key, count > 0 ? factors[(int)(0.9 * count)] : 0, "for 90 of 100");
    free(factors);
    tw_transfer_destroy(right);
    tw_mode_set_destroy(set);
}

void report_bake_left(BenchReport* report)
{
    report_left_body(report, "plate", "plate:0.2x0.2x0.003", "steel", 64);
    report_left_body(report, "large_plate", "plate:0.6x0.4x0.002", "steel", 300);
    report_left_body(report, "bowl", "bowl:0.06x0.003", "ceramic", 100);
    report_left_body(report, "bar", "bar:0.3x0.03x0.01", "glass", 21);
    report_left_body(report, "mug", "mug:", "ceramic", 37);
    report_left_body(report, "can", "tube:0.11x0.033x0.0325", "aluminium", 150);
}
