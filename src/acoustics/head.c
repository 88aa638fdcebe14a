// SPDX-License-Identifier: MIT
// Heads. Responses of neighbouring directions differ most in their delays: a mean of them as they are is a comb. So delays are
// taken out (align.c) and interpolated apart. Between directions both go straight over the triangle that a direction passes
// (hull.c): exact where it was measured, and without jumps anywhere.
//
// Where a grid has a gap, below the feet most often, a direction is added: the mean of those about the gap. Nearer to the
// centre than 1 a place has less and less of a direction, and at 0 the mean of all.
#include "head.h"
#include "align.h"
#include "hull.h"
#include <stdlib.h>
#include <string.h>

enum
{
    BEFORE = 16,       // samples before the response of minimum phase would start: room for what shifting rings
    FADE = 16,         // samples over which a response that is cut ends
    MAX_TAPS = 16384,  // of measured responses
    MAX_DIRECTIONS = 16384,
    GAPS = 6  // directions that may be added
};

#define SAME 0.9999985  // cosine of 0.1 degrees: the same direction
#define CLOSE 0.82      // cosine of 35 degrees: with a direction so close to each of six axes, they surround the head
#define CUT 1e-4        // part of the energy of a response that is cut off at most
#define LOW_HZ 200.0    // a head is small for sound up to here and above, and loudspeakers work from here on
#define HIGH_HZ 800.0

struct twHead
{
    double rate_hz;
    int taps, count, facet_count;
    double least_delay, most_delay;
    double mean_delay[2];
    double* responses;  // (count + 1 x 2 x taps): the last is the mean of all
    double* delays;     // (count x 2)
    twVec3* directions;
    Facet* facets;
};

// what is under construction: full responses
typedef struct Draft
{
    const twHeadDef* def;
    Align align;
    int count, taps;
    int* from;           // measured direction of each, (count)
    twVec3* directions;  // (count + GAPS)
    double* delays;      // (count + GAPS x 2)
    double* responses;   // (count + GAPS x 2 x taps)
    Facet* facets;
    Offset* offsets;
    const double** rows;
    double *lags, *sums;
    int facet_count, *work;
} Draft;

// ---- checks ----

twHeadDef tw_head_def(void) { return (twHeadDef){.rate_hz = 48000, .calibrate = true}; }

static twStatus check_response(const twHeadDef* def, int i, twError* err)
{
    const double* x = def->responses + (int64_t)i * def->taps;
    double energy = 0;
    for (int k = 0; k < def->taps; k++) energy += x[k] * x[k];
    if (!(energy > 1e-30 && energy < 1e30))
        return tw_fail(err, TW_BAD_INPUT, "head: the %s response of direction %d is %s", i % 2 ? "right" : "left",
                       i / 2, energy <= 1e-30 ? "silent" : "not finite");
    if (def->delays && !(fabs(def->delays[i]) <= 1e5))
        return tw_fail(err, TW_BAD_INPUT, "head: delay %g of direction %d must be within 1e5 samples", def->delays[i],
                       i / 2);
    return TW_OK;
}

static twStatus check_def(const twHeadDef* def, twError* err)
{
    if (!(def->rate_hz >= 1000 && def->rate_hz <= 1e6))
        return tw_fail(err, TW_BAD_INPUT, "head: rate %g must be in [1000, 1e6] Hz", def->rate_hz);
    if (def->direction_count < 1 || def->direction_count > MAX_DIRECTIONS)
        return tw_fail(err, TW_BAD_INPUT, "head: %d directions, must be 1 to %d", def->direction_count, MAX_DIRECTIONS);
    if (def->taps < 1 || def->taps > MAX_TAPS)
        return tw_fail(err, TW_BAD_INPUT, "head: responses of %d taps, must be 1 to %d", def->taps, MAX_TAPS);
    for (int i = 0; i < def->direction_count; i++)
    {
        double size = tw_vec3_norm(def->directions[i]);
        if (!(size > 1e-9 && size < 1e9)) return tw_fail(err, TW_BAD_INPUT, "head: direction %d has no length", i);
    }
    for (int i = 0; i < 2 * def->direction_count; i++)
    {
        twStatus status = check_response(def, i, err);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

// ---- directions ----

static double* draft_response(const Draft* d, int i, int side)
{
    return d->responses + ((int64_t)2 * i + side) * d->taps;
}

// those that differ, the first of each
static void pick_directions(Draft* d)
{
    for (int i = 0; i < d->def->direction_count; i++)
    {
        twVec3 e = tw_vec3_normalize(d->def->directions[i]);
        bool known = false;
        for (int k = 0; k < d->count && !known; k++) known = tw_vec3_dot(e, d->directions[k]) > SAME;
        if (known) continue;
        d->from[d->count] = i;
        d->directions[d->count++] = e;
    }
}

// @return how many of them were measured
static int add_gaps(Draft* d)
{
    int count = d->count;
    for (int k = 0; k < GAPS; k++)
    {
        double sign = k % 2 ? -1 : 1;
        twVec3 e = tw_vec3(k / 2 == 0 ? sign : 0, k / 2 == 1 ? sign : 0, k / 2 == 2 ? sign : 0);
        bool close = false;
        for (int i = 0; i < count && !close; i++) close = tw_vec3_dot(e, d->directions[i]) > CLOSE;
        if (!close) d->directions[d->count++] = e;
    }
    return count;
}

// the response of a direction that was not measured: the mean of those within 10 degrees more than the closest
static void fill_gap(Draft* d, int gap, int count)
{
    twVec3 e = d->directions[gap];
    double closest = -1, total = 0, *delays = d->delays + 2 * gap, *sum = draft_response(d, gap, 0);
    for (int i = 0; i < count; i++) closest = fmax(closest, tw_vec3_dot(e, d->directions[i]));
    double bound = cos(fmin(acos(fmin(closest, 1)) + TW_PI / 18, TW_PI)) - 1e-9;
    memset(sum, 0, 2 * (size_t)d->taps * sizeof *sum);
    delays[0] = delays[1] = 0;
    for (int i = 0; i < count; i++)
    {
        if (tw_vec3_dot(e, d->directions[i]) < bound) continue;
        const double* x = draft_response(d, i, 0);
        for (int k = 0; k < 2 * d->taps; k++) sum[k] += x[k];
        for (int side = 0; side < 2; side++) delays[side] += d->delays[2 * i + side];
        total++;
    }
    for (int k = 0; k < 2 * d->taps; k++) sum[k] /= total;
    for (int side = 0; side < 2; side++) delays[side] /= total;
}

// ---- responses ----

static const double* measured(const Draft* d, int i, int side)
{
    return d->def->responses + ((int64_t)2 * d->from[i] + side) * d->def->taps;
}

static void align_side(Draft* d, int side, int count)
{
    const twHeadDef* def = d->def;
    for (int i = 0; i < count; i++) d->rows[i] = measured(d, i, side);
    align_delays(d->lags, d->rows, count, def->taps, d->facets, d->facet_count, d->offsets, d->sums);
    for (int i = 0; i < count; i++)
    {
        double shift = d->lags[i] - BEFORE;
        align_shift(&d->align, draft_response(d, i, side), d->taps, d->rows[i], def->taps, shift);
        d->delays[2 * i + side] = shift + (def->delays ? def->delays[2 * d->from[i] + side] : 0);
    }
}

static void align_all(Draft* d, int count)
{
    for (int i = 0; d->def->equalize && i < count; i++)
        for (int side = 0; side < 2; side++) align_add_power(&d->align, measured(d, i, side), d->def->taps);
    if (d->def->equalize) align_set_common(&d->align);
    for (int side = 0; side < 2; side++) align_side(d, side, count);
}

// how many taps hold all but a trace of each response
static int taps_needed(const Draft* d)
{
    int needed = FADE;
    for (int i = 0; i < 2 * d->count; i++)
    {
        const double* x = draft_response(d, 0, 0) + (int64_t)i * d->taps;
        double energy = 0, rest = 0;
        for (int k = 0; k < d->taps; k++) energy += x[k] * x[k];
        for (int k = d->taps - 1; k >= needed; k--)
            if ((rest += x[k] * x[k]) > CUT * energy) needed = k + 1;
    }
    needed = (needed + FADE + 7) / 8 * 8;
    return needed < d->taps ? needed : d->taps;
}

// power of a response at a frequency
static double power_at(const double* x, int taps, double freq)
{
    double re = 0, im = 0;
    for (int k = 0; k < taps; k++)
    {
        re += x[k] * cos(2 * TW_PI * freq * k);
        im += x[k] * sin(2 * TW_PI * freq * k);
    }
    return re * re + im * im;
}

// what comes from the front at both ears
typedef struct Front
{
    double power;  // mean over the logarithm of frequency, where a head is small
    double delay;  // of the middle of the energy [samples]
} Front;

static Front measure_front(const twHead* head, double* work)
{
    enum
    {
        TONES = 32
    };
    double delays[2], energy = 0, moment = 0, power = 0;
    int hint = 0;
    tw_head_at(head, tw_vec3(1, 0, 0), work, delays, &hint);
    for (int side = 0; side < 2; side++)
    {
        const double* x = work + side * head->taps;
        for (int k = 0; k < head->taps; k++)
        {
            energy += x[k] * x[k];
            moment += x[k] * x[k] * (k + delays[side]);
        }
        for (int i = 0; i < TONES; i++)
        {
            double f = fmin(LOW_HZ * pow(HIGH_HZ / LOW_HZ, (i + 0.5) / TONES), 0.45 * head->rate_hz);
            power += power_at(x, head->taps, f / head->rate_hz) / (2 * TONES);
        }
    }
    return (Front){power, energy > 0 ? moment / energy : 0};
}

// ---- creation ----

static void copy_responses(twHead* head, const Draft* d)
{
    int taps = head->taps;
    for (int i = 0; i < 2 * d->count; i++)
    {
        double *to = head->responses + (int64_t)i * taps,
               *mean = head->responses + (2 * d->count + i % 2) * (int64_t)taps;
        memcpy(to, d->responses + (int64_t)i * d->taps, (size_t)taps * sizeof *to);
        for (int k = 0; k < FADE && taps < d->taps; k++) to[taps - 1 - k] *= 0.5 - 0.5 * cos(TW_PI * (k + 0.5) / FADE);
        for (int k = 0; k < taps; k++) mean[k] += to[k] / d->count;
    }
}

// delays so that sound from the front comes at its time
static void set_delays(twHead* head, double front)
{
    head->least_delay = HUGE_VAL;
    head->most_delay = -HUGE_VAL;
    for (int i = 0; i < 2 * head->count; i++)
    {
        double delay = head->delays[i] -= front;
        head->mean_delay[i % 2] += delay / head->count;
        head->least_delay = fmin(head->least_delay, delay);
        head->most_delay = fmax(head->most_delay, delay);
    }
}

static twHead* finish(const Draft* d)
{
    int taps = taps_needed(d);
    size_t n = (size_t)d->count, doubles = (n + 2) * 2 * (size_t)taps + 2 * n;
    twHead* head = calloc(1, sizeof *head + doubles * sizeof(double) + n * sizeof(twVec3) +
                                 (size_t)d->facet_count * sizeof(Facet));
    if (!head) return NULL;
    *head = (twHead){.rate_hz = d->def->rate_hz, .taps = taps, .count = d->count, .facet_count = d->facet_count};
    head->responses = (double*)(head + 1);
    double* work = head->responses + (n + 1) * 2 * (size_t)taps;
    head->delays = work + 2 * taps;
    head->directions = (twVec3*)(head->delays + 2 * n);
    head->facets = (Facet*)(head->directions + n);
    memcpy(head->directions, d->directions, n * sizeof(twVec3));
    memcpy(head->facets, d->facets, (size_t)d->facet_count * sizeof(Facet));
    copy_responses(head, d);
    memcpy(head->delays, d->delays, 2 * n * sizeof *head->delays);
    const Front front = measure_front(head, work);
    set_delays(head, front.delay);
    double gain = d->def->calibrate && front.power > 1e-30 ? 1 / sqrt(front.power) : 1;
    for (size_t i = 0; i < (n + 1) * 2 * (size_t)taps; i++) head->responses[i] *= gain;
    return head;
}

static void destroy_draft(Draft* d)
{
    align_destroy(&d->align);
    free(d->from);
    free(d->directions);
    free(d->delays);
    free(d->responses);
    free(d->facets);
    free(d->offsets);
    free(d->rows);
    free(d->lags);
    free(d->sums);
    free(d->work);
}

static bool create_draft(Draft* d, const twHeadDef* def)
{
    size_t n = (size_t)def->direction_count + GAPS;
    *d = (Draft){.def = def, .taps = (def->taps + BEFORE + FADE + 7) / 8 * 8};
    bool aligned = align_create(&d->align, d->taps);
    d->from = malloc(n * sizeof *d->from);
    d->directions = malloc(n * sizeof *d->directions);
    d->delays = malloc(2 * n * sizeof *d->delays);
    d->responses = malloc(2 * n * (size_t)d->taps * sizeof *d->responses);
    d->facets = malloc(2 * n * sizeof *d->facets);
    d->offsets = malloc(6 * n * sizeof *d->offsets);
    d->rows = malloc(n * sizeof *d->rows);
    d->lags = malloc(n * sizeof *d->lags);
    d->sums = malloc(2 * n * sizeof *d->sums);
    d->work = malloc(7 * n * sizeof *d->work);
    return aligned && d->from && d->directions && d->delays && d->responses && d->facets && d->offsets && d->rows &&
           d->lags && d->sums && d->work;
}

twStatus tw_head_create(twHead** out, const twHeadDef* def, twError* err)
{
    *out = NULL;
    twStatus status = check_def(def, err);
    if (status != TW_OK) return status;
    Draft d;
    if (!create_draft(&d, def))
        status = tw_fail(err, TW_NO_MEMORY, "head: no memory for %d directions", def->direction_count);
    else
    {
        pick_directions(&d);
        int count = add_gaps(&d);
        d.facet_count = hull_span(d.facets, d.work, d.directions, d.count);
        align_all(&d, count);
        for (int i = count; i < d.count; i++) fill_gap(&d, i, count);
        if (d.facet_count == 0)
            status = tw_fail(err, TW_BAD_INPUT, "head: no triangles between its %d directions", d.count);
        else if (!(*out = finish(&d)))
            status = tw_fail(err, TW_NO_MEMORY, "head: no memory for %d directions", d.count);
    }
    destroy_draft(&d);
    return status;
}

void tw_head_destroy(twHead* head) { free(head); }

// ---- use ----

double tw_head_rate(const twHead* head) { return head->rate_hz; }
int tw_head_taps(const twHead* head) { return head->taps; }
int tw_head_direction_count(const twHead* head) { return head->count; }

twVec3 tw_head_direction(const twHead* head, int i)
{
    TW_ASSERT(i >= 0 && i < head->count);
    return head->directions[i];
}

double head_least_delay(const twHead* head) { return head->least_delay; }
double head_most_delay(const twHead* head) { return head->most_delay; }

void head_find(const twHead* head, twVec3 place, const double* rows[HEAD_ROWS], double weights[HEAD_ROWS],
               double delays[2], int* hint)
{
    double size = tw_vec3_norm(place), inside[3];
    twVec3 e = size > 0 && size < HUGE_VAL ? tw_vec3_scale(place, 1 / size) : tw_vec3(1, 0, 0);
    double share = size > 1 ? 1 : size > 0 ? 0.5 * size * (3 - size * size) : 0;
    *hint = hull_find(head->facets, head->facet_count, head->directions, e, *hint, inside);
    const int* corner = head->facets[*hint].corner;
    for (int k = 0; k < 3; k++)
    {
        rows[k] = head->responses + (int64_t)2 * head->taps * corner[k];
        weights[k] = share * inside[k];
    }
    rows[3] = head->responses + (int64_t)2 * head->taps * head->count;
    weights[3] = 1 - share;
    for (int side = 0; side < 2; side++)
    {
        delays[side] = weights[3] * head->mean_delay[side];
        for (int k = 0; k < 3; k++) delays[side] += weights[k] * head->delays[2 * corner[k] + side];
    }
}

void tw_head_at(const twHead* head, twVec3 place, double* responses, double delays[2], int* hint)
{
    const double* x[HEAD_ROWS];
    double w[HEAD_ROWS];
    head_find(head, place, x, w, delays, hint);
    for (int i = 0; i < 2 * head->taps; i++)
        responses[i] = w[0] * x[0][i] + w[1] * x[1][i] + w[2] * x[2][i] + w[3] * x[3][i];
}
