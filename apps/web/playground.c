// SPDX-License-Identifier: MIT
// The benches by name, their sliders, and what stands between a bench and a loudspeaker: a gain and a limit.
//
// The limit turns everything down at once when a sample would exceed the ceiling, and lets go slowly. It depends on the
// samples alone, so that blocks of any size give the same sound.

#include "bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LET_GO 0.25  // time constant of the limit [s]

static const Bench* const benches[] = {&bench_wineglass, &bench_door, &bench_wheel, &bench_strike,
                                       &bench_grab,      &bench_rod,  &bench_wire,  &bench_bounce};

struct Play
{
    const Bench* bench;
    void* state;
    twModeSet* sets[BENCH_SETS];
    double values[PLAY_PARAMETERS];
    double peak, keep;  // of the limit: the level it is set for, and what is left of it after a sample
    long bad_samples;
};

int play_bench_count(void) { return (int)(sizeof benches / sizeof benches[0]); }

const char* play_bench_name(int bench) { return benches[bench]->name; }

const PlayParameter* play_bench_parameters(int bench, int* count)
{
    *count = benches[bench]->parameter_count;
    return benches[bench]->parameters;
}

static const Bench* find_bench(const char* name)
{
    for (int i = 0; i < play_bench_count(); i++)
        if (strcmp(benches[i]->name, name) == 0) return benches[i];
    return NULL;
}

// ---- sliders ----

static double clamped(const PlayParameter* parameter, double value)
{
    return fmin(fmax(value, parameter->low), parameter->high);
}

static void start_values(Play* play, const double* values)
{
    for (int i = 0; i < play->bench->parameter_count; i++)
    {
        const PlayParameter* parameter = &play->bench->parameters[i];
        play->values[i] = values && !isnan(values[i]) ? clamped(parameter, values[i]) : parameter->start;
    }
}

void play_set(Play* play, int parameter, double value)
{
    if (parameter < 0 || parameter >= play->bench->parameter_count || isnan(value)) return;
    play->values[parameter] = clamped(&play->bench->parameters[parameter], value);
    if (!play->bench->parameters[parameter].rebuild) play->bench->set(play->state, play->values);
}

// ---- life ----

// the size of a .twmodes file stands in its header
static size_t size_of_set(const char* bytes, size_t left)
{
    uint64_t size = 0;
    if (left >= 24) memcpy(&size, bytes + 16, sizeof size);
    return size > 0 && size < left ? (size_t)size : left;
}

static twStatus view_sets(Play* play, const void* model, size_t bytes, twError* err)
{
    const char* at = model;
    size_t left = model ? bytes : 0;
    for (int i = 0; i < play->bench->set_count; i++)
    {
        const size_t size = size_of_set(at, left);
        if (size == 0)
            return tw_fail(err, TW_BAD_INPUT, "bench '%s' needs %d .twmodes files; %d given", play->bench->name,
                           play->bench->set_count, i);
        const twStatus status = tw_mode_set_view(&play->sets[i], at, size, err);
        if (status != TW_OK) return status;
        at += size;
        left -= size;
    }
    return TW_OK;
}

static twStatus build(Play* play, double rate_hz, const void* model, size_t bytes, twError* err)
{
    const twStatus status = view_sets(play, model, bytes, err);
    const BenchStart start = {rate_hz, (const twModeSet* const*)play->sets, play->values};
    return status == TW_OK ? play->bench->create(&play->state, &start, err) : status;
}

twStatus play_create(Play** out, const char* bench, double rate_hz, const void* model, size_t model_bytes,
                     const double* values, twError* err)
{
    *out = NULL;
    const Bench* found = find_bench(bench);
    if (!found) return tw_fail(err, TW_BAD_INPUT, "there is no bench '%s'", bench);
    if (!(rate_hz >= 8000 && rate_hz <= 384000))
        return tw_fail(err, TW_BAD_INPUT, "a rate of %g Hz is outside 8000 .. 384000", rate_hz);
    Play* play = calloc(1, sizeof *play);
    if (!play) return tw_fail(err, TW_NO_MEMORY, "no memory for bench '%s'", bench);
    play->bench = found;
    play->keep = exp(-1 / (LET_GO * rate_hz));
    start_values(play, values);
    const twStatus status = build(play, rate_hz, model, model_bytes, err);
    if (status == TW_OK)
        *out = play;
    else
        play_destroy(play);
    return status;
}

void play_destroy(Play* play)
{
    if (!play) return;
    if (play->state) play->bench->destroy(play->state);
    for (int i = 0; i < BENCH_SETS; i++) tw_mode_set_destroy(play->sets[i]);
    free(play);
}

// ---- sound and picture ----

void play_act(Play* play, PlayAction action, const double* arguments, int count)
{
    double all[PLAY_ARGUMENTS] = {0};
    for (int i = 0; i < count && i < PLAY_ARGUMENTS; i++)
    {
        if (!isfinite(arguments[i])) return;
        all[i] = arguments[i];
    }
    play->bench->act(play->state, action, all);
}

static double sane(Play* play, double sample)
{
    if (isfinite(sample)) return sample;
    play->bad_samples++;
    return 0;
}

void play_process(Play* play, float* left, float* right, int frames)
{
    double pair[2][PLAY_BLOCK];
    play->bench->process(play->state, pair[0], pair[1], frames);
    for (int i = 0; i < frames; i++)
    {
        const double l = play->bench->gain * sane(play, pair[0][i]), r = play->bench->gain * sane(play, pair[1][i]);
        play->peak = fmax(fmax(fabs(l), fabs(r)), play->peak * play->keep);
        const double limit = play->peak > PLAY_CEILING ? PLAY_CEILING / play->peak : 1;
        left[i] = (float)(limit * l);
        right[i] = (float)(limit * r);
    }
}

int play_picture(Play* play, float* out, int max) { return play->bench->picture(play->state, out, max); }

long play_bad_samples(const Play* play) { return play->bad_samples; }
