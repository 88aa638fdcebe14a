// SPDX-License-Identifier: MIT
// Drafts: modes described piece by piece. A draft keeps what was said; tw_draft_modes() works it out.
//
// Lists of numbers (decays, masses, rows of points and pickups) are kept as they came: as many as modes, or fewer where the source
// gives them another meaning. Every list is checked when it is said and looked at again when the source changes.
#include "twang/modal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Source
{
    SOURCE_LIST,
    SOURCE_SERIES,
    SOURCE_SET,
} Source;

// numbers as said; none: the default
typedef struct Numbers
{
    double* at;
    int count;
} Numbers;

struct twDraft
{
    Source source;
    int modes, points, pickups;
    Numbers freq_hz;  // of a list
    twSeries series;
    double first_hz;  // of a series
    twModeSet* set;
    Numbers decay, mass;
    const twMaterial* material;
    double pitch, damping;
    double mounting;  // alpha [1/s]
    Numbers rows[];   // points, then pickups
};

// ---- numbers ----

static twStatus numbers_copy(Numbers* to, const double* from, int count, twError* err)
{
    double* copy = malloc((size_t)count * sizeof *copy + 1);
    if (!copy) return tw_fail(err, TW_NO_MEMORY, "no memory for %d numbers", count);
    if (count > 0) memcpy(copy, from, (size_t)count * sizeof *copy);
    free(to->at);
    to->at = copy;
    to->count = count;
    return TW_OK;
}

static void numbers_forget(Numbers* numbers)
{
    free(numbers->at);
    *numbers = (Numbers){NULL, 0};
}

// of mode k: its own, or the one for all
static double numbers_of(const Numbers* numbers, int k) { return numbers->at[numbers->count > 1 ? k : 0]; }

static bool one_or_each(const twDraft* draft, int count) { return count == 1 || count == draft->modes; }

// each in [low, high], or above low if it is open
static twStatus check_range(const char* what, const double* values, int count, double low, double high, bool open,
                            twError* err)
{
    for (int i = 0; i < count; i++)
        if (!(values[i] >= low && values[i] <= high) || (open && values[i] == low))
            return tw_fail(err, TW_BAD_INPUT, "%s %g of mode %d must be in %c%g, %g]", what, values[i], i,
                           open ? '(' : '[', low, high);
    return TW_OK;
}

static twStatus check_count(const twDraft* draft, const char* what, int count, twError* err)
{
    if (one_or_each(draft, count)) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%d numbers for %s: give one, or %d, one per mode", count, what, draft->modes);
}

// ---- create and destroy ----

twStatus tw_draft_create(twDraft** out, int point_count, int pickup_count, twError* err)
{
    *out = NULL;
    if (point_count < 1 || point_count > TW_MAX_DRAFT_ROWS || pickup_count < 1 || pickup_count > TW_MAX_DRAFT_ROWS)
        return tw_fail(err, TW_BAD_INPUT, "%d points and %d pickups: give 1 to %d of each", point_count, pickup_count,
                       TW_MAX_DRAFT_ROWS);
    twDraft* draft = calloc(1, sizeof *draft + (size_t)(point_count + pickup_count) * sizeof(Numbers));
    if (!draft) return tw_fail(err, TW_NO_MEMORY, "no memory for a draft of modes");
    draft->points = point_count;
    draft->pickups = pickup_count;
    draft->pitch = draft->damping = 1;
    twStatus status = tw_draft_list(draft, &(double){0}, 1, err);
    if (status != TW_OK)
        tw_draft_destroy(draft);
    else
        *out = draft;
    return status;
}

void tw_draft_destroy(twDraft* draft)
{
    if (!draft) return;
    for (int i = 0; i < draft->points + draft->pickups; i++) free(draft->rows[i].at);
    free(draft->freq_hz.at);
    free(draft->decay.at);
    free(draft->mass.at);
    tw_mode_set_destroy(draft->set);
    free(draft);
}

int tw_draft_count(const twDraft* draft) { return draft->modes; }
int tw_draft_points(const twDraft* draft) { return draft->points; }

// ---- where frequencies come from ----

// whether a row of so many numbers means something
static bool row_fits(const twDraft* draft, int count)
{
    return draft->source == SOURCE_SET ? count == 3 || count == 6 : one_or_each(draft, count);
}

// a new source: forget what does not fit it
static void change_source(twDraft* draft, Source source, int modes)
{
    bool same = draft->source == source && source != SOURCE_SET;
    draft->source = source;
    draft->modes = modes;
    if (source != SOURCE_SET)
    {
        tw_mode_set_destroy(draft->set);
        draft->set = NULL;
    }
    if (!one_or_each(draft, draft->decay.count)) numbers_forget(&draft->decay);
    if (!same || !one_or_each(draft, draft->mass.count)) numbers_forget(&draft->mass);
    for (int i = 0; i < draft->points + draft->pickups; i++)
        if (!same || !row_fits(draft, draft->rows[i].count)) numbers_forget(&draft->rows[i]);
}

static twStatus check_modes(int count, twError* err)
{
    if (count >= 1 && count <= TW_MAX_DRAFT_MODES) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%d modes: give 1 to %d", count, TW_MAX_DRAFT_MODES);
}

twStatus tw_draft_list(twDraft* draft, const double* freq_hz, int count, twError* err)
{
    twStatus status = check_modes(count, err);
    if (status == TW_OK) status = check_range("frequency", freq_hz, count, 0, 1e6, false, err);
    if (status == TW_OK) status = numbers_copy(&draft->freq_hz, freq_hz, count, err);
    if (status == TW_OK) change_source(draft, SOURCE_LIST, count);
    return status;
}

twStatus tw_draft_series(twDraft* draft, twSeries kind, double freq_hz, int count, twError* err)
{
    twStatus status = check_modes(count, err);
    if (status == TW_OK) status = check_range("frequency", &freq_hz, 1, 0, 1e6, true, err);
    if (status != TW_OK) return status;
    draft->series = kind;
    draft->first_hz = freq_hz;
    change_source(draft, SOURCE_SERIES, count);
    return TW_OK;
}

twStatus tw_draft_set(twDraft* draft, twModeSet* set, twError* err)
{
    twStatus status = check_modes(set->mode_count, err);
    if (status == TW_OK && set->vertex_count < 1)
        status = tw_fail(err, TW_BAD_INPUT, "the mode set has no surface to put points on");
    if (status != TW_OK)
    {
        tw_mode_set_destroy(set);
        return status;
    }
    tw_mode_set_destroy(draft->set);
    draft->set = set;
    change_source(draft, SOURCE_SET, set->mode_count);
    return TW_OK;
}

// ---- the rest ----

twStatus tw_draft_decay(twDraft* draft, const double* decay, int count, twError* err)
{
    twStatus status = check_count(draft, "decay", count, err);
    if (status == TW_OK) status = check_range("decay", decay, count, 0, 1e6, false, err);
    if (status == TW_OK) status = numbers_copy(&draft->decay, decay, count, err);
    return status;
}

twStatus tw_draft_material(twDraft* draft, const char* name, twError* err)
{
    const twMaterial* material = tw_material_find(name);
    const char* near = material ? NULL : tw_material_nearest(name);
    if (near) return tw_fail(err, TW_BAD_INPUT, "there is no material '%.100s'; did you mean '%s'?", name, near);
    if (!material)
        return tw_fail(err, TW_BAD_INPUT, "there is no material '%.100s'; `twang materials` lists them", name);
    draft->material = material;
    numbers_forget(&draft->decay);
    return TW_OK;
}

twStatus tw_draft_mounting(twDraft* draft, const char* name, twError* err)
{
    if (tw_mounting_parse(name, &draft->mounting)) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "there is no mounting '%.100s', but free, hand and cloth", name);
}

twStatus tw_draft_mass(twDraft* draft, const double* mass, int count, twError* err)
{
    if (draft->source == SOURCE_SET) return tw_fail(err, TW_BAD_INPUT, "a mode set has its own masses");
    twStatus status = draft->source == SOURCE_SERIES && count != 1
                          ? tw_fail(err, TW_BAD_INPUT, "%d masses: a series has one, that of the whole", count)
                          : check_count(draft, "mass", count, err);
    if (status == TW_OK) status = check_range("mass", mass, count, 1e-9, 1e9, false, err);
    if (status == TW_OK) status = numbers_copy(&draft->mass, mass, count, err);
    return status;
}

twStatus tw_draft_pitch(twDraft* draft, double factor, twError* err)
{
    if (!(factor >= 1e-3 && factor <= 1e3))
        return tw_fail(err, TW_BAD_INPUT, "pitch factor %g must be in [0.001, 1000]", factor);
    draft->pitch = factor;
    return TW_OK;
}

twStatus tw_draft_damping(twDraft* draft, double factor, twError* err)
{
    if (!(factor >= 0 && factor <= 1e6))
        return tw_fail(err, TW_BAD_INPUT, "damping factor %g must be in [0, 1e6]", factor);
    draft->damping = factor;
    return TW_OK;
}

// ---- rows ----

static const char* row_help(const twDraft* draft)
{
    switch (draft->source)
    {
    case SOURCE_SERIES:
        return "give its position, 0 to 1, or a weight per mode";
    case SOURCE_SET:
        return "give a place, x y z, and if need be a direction, dx dy dz";
    default:
        return "give one weight, or one per mode";
    }
}

static twStatus set_row(twDraft* draft, const char* what, int row, int rows, int first, const double* numbers,
                        int count, twError* err)
{
    if (row < 0 || row >= rows)
        return tw_fail(err, TW_BAD_INPUT, "there is no %s %d; there are %d, from 0 on", what, row, rows);
    if (!row_fits(draft, count))
        return tw_fail(err, TW_BAD_INPUT, "%d numbers for %s %d of %d modes: %s", count, what, row, draft->modes,
                       row_help(draft));
    for (int i = 0; i < count; i++)
        if (!(fabs(numbers[i]) <= 1e6))
            return tw_fail(err, TW_BAD_INPUT, "number %d of %s %d, %g, must be in [-1e6, 1e6]", i, what, row,
                           numbers[i]);
    if (draft->source == SOURCE_SERIES && count == 1 && !(numbers[0] >= 0 && numbers[0] <= 1))
        return tw_fail(err, TW_BAD_INPUT, "position %g of %s %d must be in [0, 1]", numbers[0], what, row);
    return numbers_copy(&draft->rows[first + row], numbers, count, err);
}

twStatus tw_draft_point(twDraft* draft, int point, const double* numbers, int count, twError* err)
{
    return set_row(draft, "point", point, draft->points, 0, numbers, count, err);
}

twStatus tw_draft_pickup(twDraft* draft, int pickup, const double* numbers, int count, twError* err)
{
    return set_row(draft, "pickup", pickup, draft->pickups, draft->points, numbers, count, err);
}

// where points of a series are if nobody says: near an end, and further on
static double default_position(const twDraft* draft, int row)
{
    double first = draft->series == TW_SERIES_CANTILEVER ? 1 : 0.1;
    return first + (0.5 - first) * row / draft->points;
}

static twModePoint set_point(const twDraft* draft, int row, const Numbers* numbers)
{
    const double* at = numbers->at;
    twModePoint point = {.vertex = (int)((double)row / draft->points * draft->set->vertex_count)};
    if (at) point.vertex = tw_mode_set_nearest(draft->set, (twVec3){at[0], at[1], at[2]});
    point.direction = tw_mode_set_normal(draft->set, point.vertex);
    if (numbers->count < 6) return point;
    double length = sqrt(at[3] * at[3] + at[4] * at[4] + at[5] * at[5]);
    if (length > 0) point.direction = (twVec3){at[3] / length, at[4] / length, at[5] / length};
    return point;
}

// the weights of a row (modes)
static void fill_row(const twDraft* draft, int row, double* weights)
{
    const Numbers* numbers = &draft->rows[row];
    // a pickup nobody placed is the first point
    if (row >= draft->points && !numbers->at) numbers = &draft->rows[row = 0];
    twModePoint place = {0};
    if (draft->source == SOURCE_SET) place = set_point(draft, row, numbers);
    double position = numbers->count == 1 ? numbers->at[0] : default_position(draft, row);
    for (int k = 0; k < draft->modes; k++)
    {
        if (draft->source == SOURCE_SET)
        {
            twVec3 s = tw_mode_set_shape(draft->set, k, place.vertex), d = place.direction;
            weights[k] = s.x * d.x + s.y * d.y + s.z * d.z;
        }
        else if (draft->source == SOURCE_SERIES && (numbers->count == 1 || !numbers->at) && draft->modes > 0)
            weights[k] = tw_series_shape(draft->series, k, position);
        else
            weights[k] = numbers->at ? numbers_of(numbers, k) : 1;
    }
}

// ---- working it out ----

static double draft_freq(const twDraft* draft, int k)
{
    double freq = draft->source == SOURCE_LIST     ? draft->freq_hz.at[k]
                  : draft->source == SOURCE_SERIES ? draft->first_hz * tw_series_ratio(draft->series, k)
                                                   : draft->set->freq_hz[k];
    return draft->pitch * freq;
}

static double draft_decay(const twDraft* draft, int k, double freq_hz)
{
    double decay = 0;
    if (draft->decay.at) return draft->damping * numbers_of(&draft->decay, k);
    if (draft->source == SOURCE_SET && !draft->material)
        decay = draft->set->decay[k];
    else if (freq_hz > 0)
        decay = tw_material_decay(draft->material ? draft->material : tw_material_find("steel"), freq_hz);
    return draft->damping * (decay + (freq_hz > 0 ? 0.5 * draft->mounting : 0));
}

static double draft_mass(const twDraft* draft, int k)
{
    double mass = draft->mass.at ? numbers_of(&draft->mass, k) : 1;
    return draft->source == SOURCE_SERIES ? mass * tw_series_mass_share(draft->series) : mass;
}

// close the gaps of modes that are not kept
static int keep_below(double below_hz, int modes, int rows, double* freq_hz, double* decay, double* mass,
                      double* weights)
{
    int kept = 0;
    for (int k = 0; k < modes; k++)
    {
        if (!(freq_hz[k] < below_hz)) continue;
        freq_hz[kept] = freq_hz[k], decay[kept] = decay[k], mass[kept] = mass[k];
        for (int r = 0; r < rows; r++)
            weights[(size_t)r * (size_t)modes + (size_t)kept] = weights[(size_t)r * (size_t)modes + (size_t)k];
        kept++;
    }
    // rows closer together
    for (int r = 1; r < rows; r++)
        memmove(weights + (size_t)r * (size_t)kept, weights + (size_t)r * (size_t)modes,
                (size_t)kept * sizeof *weights);
    return kept;
}

twStatus tw_draft_modes(twModes** out, const twDraft* draft, double below_hz, twError* err)
{
    *out = NULL;
    size_t n = (size_t)draft->modes, rows = (size_t)(draft->points + draft->pickups);
    double* freq_hz = malloc(n * (rows + 3) * sizeof *freq_hz);
    if (!freq_hz) return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", draft->modes);
    double *decay = freq_hz + n, *mass = decay + n, *weights = mass + n;
    for (int k = 0; k < draft->modes; k++)
    {
        freq_hz[k] = draft_freq(draft, k);
        decay[k] = draft_decay(draft, k, freq_hz[k]);
        mass[k] = draft_mass(draft, k);
    }
    for (size_t row = 0; row < rows; row++) fill_row(draft, (int)row, weights + row * n);
    twModesDef def = tw_modes_def();
    def.mode_count = keep_below(below_hz, draft->modes, (int)rows, freq_hz, decay, mass, weights);
    def.freq_hz = freq_hz, def.decay = decay, def.mass = mass;
    def.point_count = draft->points, def.shape = weights;
    def.pickup_count = draft->pickups, def.pickup = weights + (size_t)draft->points * (size_t)def.mode_count;
    twStatus status = tw_modes_create(out, &def, err);
    free(freq_hz);
    return status;
}
