// SPDX-License-Identifier: MIT
// Sounds beside recordings that others made, in the folder TWANG_DATA (docs/truth.md); where it is not set or lacks them, claims
// are skipped.

#include "recording.h"
#include "test.h"
#include "twang/acoustics.h"
#include "twang/bake.h"

enum
{
    TAKES = 4,    // recordings of the bowl
    ENOUGH = 3,   // of them that must have a partial
    FEWEST = 10,  // partials, or the recordings were read wrongly
    MOST = 40,    // peaks of one recording
    MODES = 40    // of the bowl: beyond 17 kHz
};

#define MATCH 0.015      // how far the mode of a partial may be from it
#define CLOSE 0.25       // decays as alike as this are alike
#define LEAST_LOSS 4e-4  // spread of the loss factor of ceramics ...
#define MOST_LOSS 4e-3   // ... (docs/materials.md)

// ---- partials of the recordings ----

// how recordings are read
typedef struct Reading
{
    const char* name;
    double window;  // of the band-pass around a partial [s]
    double clear;   // a peak is this much above what is around it [log of power]: 4.6 are 20 dB
    double same;    // peaks within this part of their pitch are one partial
} Reading;

// what counts comes first
static const Reading readings[] = {{"as it is", 0.03, 4.6, 0.006},        {"window of 20 ms", 0.02, 4.6, 0.006},
                                   {"window of 40 ms", 0.04, 4.6, 0.006}, {"peaks of 14 dB", 0.03, 3.22, 0.006},
                                   {"peaks of 26 dB", 0.03, 5.99, 0.006}, {"one within 0.4 %", 0.03, 4.6, 0.004}};

typedef struct Partial
{
    double freq_hz;
    int count;            // recordings
    double decay[TAKES];  // rising [1/s]
} Partial;

// numbers, or what begins with one
static int truth_compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// one peak of one recording
typedef struct Peak
{
    double freq_hz, decay;
    int take;
} Peak;

// peaks of a recording whose decay can be read; -1: there is no such recording
static int read_take(Peak* out, int take, const Reading* reading)
{
    char name[40];
    double *power = calloc(RECORDING_HIGHEST, sizeof *power), freq_hz[MOST];
    Recording recording;
    int count = 0, found = 0;
    snprintf(name, sizeof name, "bowl/mic%d.wav", 2 * take);
    const char* path = data_file(name);
    if (path)
    {
        recording_load(&recording, path);
        recording.window = reading->window;
        recording_spectrum(power, &recording);
        found = recording_peaks(freq_hz, MOST, power, reading->same, reading->clear);
        for (int i = 0; i < found; i++)
        {
            const double decay = recording_decay(&recording, freq_hz[i]);
            if (decay > 0) out[count++] = (Peak){freq_hz[i], decay, take};
        }
        recording_free(&recording);
    }
    free(power);
    return path ? count : -1;
}

// peaks from one on that are the same partial; of each recording the first counts
static int join_peaks(Partial* out, const Peak* peaks, int count, double same)
{
    bool taken[TAKES] = {false};
    double sum = 0;
    int used = 0;
    *out = (Partial){.count = 0};
    for (; used < count && peaks[used].freq_hz < (1 + same) * peaks[0].freq_hz; used++)
    {
        if (taken[peaks[used].take]) continue;
        taken[peaks[used].take] = true;
        sum += peaks[used].freq_hz;
        out->decay[out->count++] = peaks[used].decay;
    }
    out->freq_hz = sum / out->count;
    qsort(out->decay, (size_t)out->count, sizeof *out->decay, truth_compare);
    return used;
}

// partials that enough recordings have, by pitch
static int join_takes(Partial* out, const Peak* peaks, int count, double same)
{
    int joined = 0;
    for (int i = 0; i < count;)
    {
        const int used = join_peaks(&out[joined], peaks + i, count - i, same);
        const bool enough = out[joined].count >= ENOUGH;
        joined += enough;
        i += enough ? used : 1;
    }
    return joined;
}

// @return how many (TAKES * MOST + 1); -1: recordings are missing
static int read_partials(Partial* out, const Reading* reading)
{
    Peak peaks[TAKES * MOST];
    int count = 0;
    for (int i = 0; i < TAKES; i++)
    {
        const int more = read_take(peaks + count, i, reading);
        if (more < 0) return -1;
        count += more;
    }
    qsort(peaks, (size_t)count, sizeof *peaks, truth_compare);
    return join_takes(out, peaks, count, reading->same);
}

static double median_decay(const Partial* p) { return 0.5 * (p->decay[(p->count - 1) / 2] + p->decay[p->count / 2]); }

// ---- modes of the mesh ----

// of the table's ceramic, sounding in the air; once, for all claims; NULL: there is no mesh
static const twModeSet* bowl_modes(void)
{
    static twModeSet* set = NULL;
    if (set) return set;
    twBakeDef def = tw_bake_def();
    const twRadiationDef air = tw_radiation_def();
    twError err;
    def.source = data_file("bowl/bowl.obj_.msh");
    if (!def.source) return NULL;
    def.material = *tw_material_find("ceramic");
    def.count = MODES;
    if (tw_bake(&set, &def, NULL, &err) != TW_OK || tw_radiate(&set, &air, NULL, &err) != TW_OK)
    {
        printf("%s\n", err.text);
        abort();
    }
    return set;
}

// false: data are missing, which was said
static bool bowl_data(const Partial** partials, int* count, const twModeSet** set)
{
    static Partial once[TAKES * MOST + 1];  // for all claims
    static int joined = 0;
    if (joined == 0) joined = read_partials(once, &readings[0]);
    *partials = once, *count = joined;
    *set = *count >= 0 ? bowl_modes() : NULL;
    return *set != NULL;
}

static int mode_nearest(const twModeSet* set, double freq_hz)
{
    int best = 0;
    for (int k = 1; k < set->mode_count; k++)
        if (fabs(set->freq_hz[k] - freq_hz) < fabs(set->freq_hz[best] - freq_hz)) best = k;
    return best;
}

// ---- pitch ----

// root of the mean square distance of partials from their nearest modes, as if these were higher by a factor, and partials stretched
static double pitch_misfit(const twModeSet* set, const Partial* partials, int count, double scale, double stretch)
{
    double sum = 0;
    for (int p = 0; p < count; p++)
    {
        const double wanted = partials[p].freq_hz / scale * pow(partials[p].freq_hz / partials[0].freq_hz, stretch);
        sum += pow(set->freq_hz[mode_nearest(set, wanted)] / wanted - 1, 2);
    }
    return sqrt(sum / count);
}

static int a_struck_bowl_has_the_pitches_of_its_recordings(void)
{
    const Partial* partials;
    const twModeSet* set;
    int count;
    if (!bowl_data(&partials, &count, &set)) return 0;
    ENSURE(count >= FEWEST);
    const double off = pitch_misfit(set, partials, count, 1, 0);
    printf("%d partials: %.3f %% rms from the modes of the table's ceramic\n", count, 100 * off);
    ENSURE(off <= 0.0075);
    // neither other stiffness nor other proportions do
    ENSURE(pitch_misfit(set, partials, count, sqrt(0.9), 0) > 0.02);
    ENSURE(pitch_misfit(set, partials, count, sqrt(1.1), 0) > 0.02);
    ENSURE(pitch_misfit(set, partials, count, 1, 0.07) > 0.02);
    return 0;
}

// ---- decay ----

typedef struct Score
{
    int near, within;  // decays as near as CLOSE to the median of the recordings; these, and those inside their spread
    double factor;     // median of the factors between
} Score;

// decays (modes) beside those of the recordings, told if they have a name; partials without a mode fit nothing
static Score score_decays(const char* name, const double* decay, const twModeSet* set, const Partial* partials,
                          int count)
{
    Score score = {0};
    double factor[TAKES * MOST];
    if (name) printf("%s\n      Hz   recorded 1/s (from, to)        mode Hz      1/s\n", name);
    for (int p = 0; p < count; p++)
    {
        const Partial* partial = &partials[p];
        const int k = mode_nearest(set, partial->freq_hz);
        const bool match = fabs(set->freq_hz[k] / partial->freq_hz - 1) < MATCH;
        const double ratio = decay[k] / median_decay(partial);
        const bool near = match && fabs(ratio - 1) < CLOSE;
        const bool inside = match && decay[k] >= partial->decay[0] && decay[k] <= partial->decay[partial->count - 1];
        factor[p] = match ? fmax(ratio, 1 / ratio) : HUGE_VAL;
        score.near += near;
        score.within += near || inside;
        if (!name) continue;
        printf("%8.1f %8.2f (%6.2f, %6.2f) of %d %10.1f %8.2f %s\n", partial->freq_hz, median_decay(partial),
               partial->decay[0], partial->decay[partial->count - 1], partial->count, set->freq_hz[k], decay[k],
               near     ? ""
               : inside ? "inside the spread"
                        : "off");
    }
    qsort(factor, (size_t)count, sizeof *factor, truth_compare);
    score.factor = 0.5 * (factor[(count - 1) / 2] + factor[count / 2]);
    if (name)
        printf("%d of %d within 25 %%, %d with those inside the spread, median factor %.2f\n", score.near, count,
               score.within, score.factor);
    return score;
}

// the decays of a material alone
static void material_decays(double* out, const twMaterial* material, const twModeSet* set)
{
    for (int k = 0; k < set->mode_count; k++) out[k] = tw_material_decay(material, set->freq_hz[k]);
}

// The median of the loss factors in c = alpha/2 + pi f eta + P, from a partial on, `step` by `step`; without air P is 0.
static double fit_loss(const twModeSet* set, const Partial* partials, int count, int first, int step, bool air)
{
    double eta[TAKES * MOST];
    int used = 0;
    for (int p = first; p < count; p += step)
    {
        const int k = mode_nearest(set, partials[p].freq_hz);
        const double solid = median_decay(&partials[p]) - (air ? tw_transfer_decay(set->transfer, k) : 0);
        eta[used++] = (solid - 0.5 * tw_material_find("ceramic")->alpha) / (TW_PI * set->freq_hz[k]);
    }
    qsort(eta, (size_t)used, sizeof *eta, truth_compare);
    return 0.5 * (eta[(used - 1) / 2] + eta[used / 2]);
}

static int a_struck_bowl_has_the_decays_of_its_recordings(void)
{
    const Partial* partials;
    const twModeSet* set;
    int count;
    double dry[MODES], old[MODES];
    twMaterial plain = *tw_material_find("ceramic");
    if (!bowl_data(&partials, &count, &set)) return 0;
    material_decays(dry, &plain, set);
    material_decays(old, tw_material_find("zheng-ceramic"), set);
    const Score all = score_decays("ceramic and its radiation", set->decay, set, partials, count);
    ENSURE(count >= FEWEST && all.within >= 0.8 * count && all.factor <= 1.1);
    // neither the solid alone nor the constants of before do
    ENSURE(score_decays("ceramic without radiation", dry, set, partials, count).within < all.within);
    ENSURE(score_decays("zheng-ceramic", old, set, partials, count).within <= 1);
    // no claim: what the best loss factor would do without the air
    plain.loss_factor = fit_loss(set, partials, count, 0, 1, false);
    material_decays(dry, &plain, set);
    printf("no radiation, and %.2g instead: ", plain.loss_factor);
    score_decays("one loss factor for all", dry, set, partials, count);
    return 0;
}

static int another_reading_of_the_recordings_finds_the_same(void)
{
    const Partial* unused;
    const twModeSet* set;
    int count;
    if (!bowl_data(&unused, &count, &set)) return 0;
    printf("| | partials | pitch [%% rms] | within 25 %% | with those inside the spread | median factor |\n");
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
    {
        static Partial partials[TAKES * MOST + 1];
        count = read_partials(partials, &readings[i]);
        const double off = pitch_misfit(set, partials, count, 1, 0);
        const Score score = score_decays(NULL, set->decay, set, partials, count);
        printf("| %s | %d | %.2f | %d | %d | %.2f |\n", readings[i].name, count, 100 * off, score.near, score.within,
               score.factor);
        ENSURE(count >= FEWEST && off <= 0.0075 && score.within >= 0.8 * count);
    }
    return 0;
}

// ---- one number for a thing ----

// how many of every second partial have a decay within a factor of 2
static int count_double(const twModeSet* set, const double* decay, const Partial* partials, int count, int first)
{
    int fitting = 0;
    for (int p = first; p < count; p += 2)
    {
        const double ratio = decay[mode_nearest(set, partials[p].freq_hz)] / median_decay(&partials[p]);
        fitting += ratio > 0.5 && ratio < 2;
    }
    return fitting;
}

// decays scaled by the median of what every second partial asks for
static void scale_decays(double* out, const double* decay, const twModeSet* set, const Partial* partials, int count,
                         int first)
{
    double factor[TAKES * MOST];
    int used = 0;
    for (int p = first; p < count; p += 2)
        factor[used++] = median_decay(&partials[p]) / decay[mode_nearest(set, partials[p].freq_hz)];
    qsort(factor, (size_t)used, sizeof *factor, truth_compare);
    for (int k = 0; k < set->mode_count; k++) out[k] = decay[k] * 0.5 * (factor[(used - 1) / 2] + factor[used / 2]);
}

static int one_loss_factor_of_half_the_partials_predicts_the_others(void)
{
    const Partial* partials;
    const twModeSet* set;
    int count;
    double decay[MODES], old[MODES], scaled[MODES];
    if (!bowl_data(&partials, &count, &set)) return 0;
    material_decays(old, tw_material_find("zheng-ceramic"), set);
    for (int half = 0; half < 2; half++)
    {
        twMaterial fitted = *tw_material_find("ceramic");
        fitted.loss_factor = fit_loss(set, partials, count, half, 2, true);
        for (int k = 0; k < set->mode_count; k++)
            decay[k] = tw_material_decay(&fitted, set->freq_hz[k]) + tw_transfer_decay(set->transfer, k);
        const int others = (count + half) / 2, with = count_double(set, decay, partials, count, 1 - half),
                  before = count_double(set, old, partials, count, 1 - half);
        scale_decays(scaled, old, set, partials, count, half);
        printf(
            "loss factor %.2g of one half: %d of %d others within a factor of 2; zheng-ceramic: %d, scaled to fit: %d\n",
            fitted.loss_factor, with, others, before, count_double(set, scaled, partials, count, 1 - half));
        ENSURE(fitted.loss_factor > LEAST_LOSS && fitted.loss_factor < MOST_LOSS);
        ENSURE(with >= 0.8 * others && before < 0.8 * others);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_struck_bowl_has_the_pitches_of_its_recordings)
    RUN(a_struck_bowl_has_the_decays_of_its_recordings)
    RUN(another_reading_of_the_recordings_finds_the_same)
    RUN(one_loss_factor_of_half_the_partials_predicts_the_others)
)
