// SPDX-License-Identifier: MIT
// Signals in a scene: a number, or a map with one of the keys ramp, keyframes, sine, noise, csv, wav.

#include "reader.h"
#include "twang/math.h"
#include <stdlib.h>
#include <string.h>

#define SIGNAL_MAX_BYTES ((size_t)256 << 20)
#define SIGNAL_MAX_POINTS 50000000

static const char* const interpolations[] = {"linear", "smooth", "step", NULL};

// ---- ramps and keyframes ----

static twSignal read_ramp(Reader* reader, const twNode* map, twRange range)
{
    yaml_keys(map, "ramp", "start", "end", "interpolate");
    int count;
    const double* ends = yaml_need_numbers(map, "ramp", range, 2, 2, &count);
    double start = yaml_number(map, "start", yaml_not_negative("s"), 0);
    double end = yaml_number(map, "end", yaml_not_negative("s"), reader->scene->duration);
    twSignal signal = {.kind = TW_SIGNAL_KEYFRAMES, .count = 2};
    signal.interpolation = (twInterpolation)yaml_choice(map, "interpolate", interpolations, TW_LINEAR);
    double *times = read_alloc(reader, 2, sizeof(double)), *values = read_alloc(reader, 2, sizeof(double));
    if (!yaml_ok(reader->doc) || reader->no_memory) return tw_signal_constant(0);
    if (!(end > start))
        yaml_fail(yaml_get(map, "end") ? yaml_get(map, "end") : map, "a ramp must end after its start (%g s)", start);
    times[0] = start;
    times[1] = end;
    memcpy(values, ends, 2 * sizeof(double));
    signal.times = times;
    signal.values = values;
    return signal;
}

int read_keyframe_count(const twNode* list)
{
    if (!list) return 0;
    if (list->count <= TW_MAX_KEYFRAMES) return list->count;
    yaml_fail(list, "%d keyframes; %d are the most, a longer signal is a 'wav'", list->count, TW_MAX_KEYFRAMES);
    return 0;
}

static twSignal read_keyframes(Reader* reader, const twNode* map, twRange range)
{
    yaml_keys(map, "keyframes", "interpolate");
    const twNode* list = yaml_need_list(map, "keyframes");
    twSignal signal = {.kind = TW_SIGNAL_KEYFRAMES, .count = read_keyframe_count(list)};
    signal.interpolation = (twInterpolation)yaml_choice(map, "interpolate", interpolations, TW_LINEAR);
    double* times = read_alloc(reader, (size_t)signal.count, sizeof(double));
    double* values = read_alloc(reader, (size_t)signal.count, sizeof(double));
    if (list && list->count == 0) yaml_fail(list, "'keyframes' is empty; write pairs like [0, 1.5]");
    if (!list || reader->no_memory || !yaml_ok(reader->doc)) return tw_signal_constant(0);
    int i = 0, two;
    YAML_EACH(pair, list)
    {
        const double* numbers = yaml_as_numbers(pair, yaml_any(NULL), 2, 2, &two);
        if (!yaml_ok(reader->doc)) return tw_signal_constant(0);
        times[i] = numbers[0];
        values[i] = yaml_as_number(pair->last, range);
        if (times[i] < 0) yaml_fail(pair->first, "a keyframe's time must not be negative");
        if (i > 0 && !(times[i] > times[i - 1]))
            yaml_fail(pair->first, "keyframe times must rise; this one is not after %g s", times[i - 1]);
        i++;
    }
    signal.times = times;
    signal.values = values;
    return signal;
}

// mean + amplitude sin(2 pi f t + phase); all of it must lie in the range
static twSignal read_sine(Reader* reader, const twNode* map, twRange range)
{
    yaml_keys(map, "sine", "frequency", "phase", "mean");
    const double nyquist = 0.5 * reader->scene->rate_hz * reader->scene->oversample;
    const twSignal signal = {
        .kind = TW_SIGNAL_SINE,
        .amount = yaml_need_number(map, "sine", yaml_not_negative(range.unit)),
        .value = yaml_number(map, "mean", range, 0),
        .freq_hz =
            yaml_need_number(map, "frequency",
                             (twRange){.low = 0, .high = nyquist, .above_low = true, .below_high = true, .unit = "Hz"}),
        .phase = yaml_number(map, "phase", yaml_any("degrees"), 0) * TW_PI / 180};
    if (signal.value - signal.amount < range.low || signal.value + signal.amount > range.high)
        yaml_fail(map, "the sine goes from %g to %g; it must stay between %g and %g: give it another 'mean'",
                  signal.value - signal.amount, signal.value + signal.amount, range.low, range.high);
    return signal;
}

static twSignal read_noise(const twNode* map, twRange range)
{
    yaml_keys(map, "noise", "mean", "beta", "seed");
    return (twSignal){.kind = TW_SIGNAL_NOISE,
                      .amount = yaml_need_number(map, "noise", yaml_not_negative(range.unit)),
                      .value = yaml_number(map, "mean", range, 0),
                      .beta = yaml_number(map, "beta", yaml_between(-2, 2, NULL), 0),
                      .seed = (uint64_t)yaml_integer(map, "seed", 0, INT64_MAX, 1)};
}

// ---- CSV: two columns of a table of numbers ----

// one line's numbers at two columns (from 1); false if the line has no number there
static bool csv_pick(const char* line, int time_column, int value_column, double* time, double* value)
{
    bool has_time = false, has_value = false;
    for (int column = 1; line; column++)
    {
        char* end;
        double number = strtod(line, &end);
        end += strspn(end, " \t\r");
        bool good = end != line && (*end == ',' || *end == ';' || *end == 0) && isfinite(number);
        if (column == time_column && good) *time = number, has_time = true;
        if (column == value_column && good) *value = number, has_value = true;
        line = strpbrk(line, ",;");
        if (line) line++;
    }
    return has_time && has_value;
}

typedef struct CsvTable
{
    double *times, *values;
    int count, size;
} CsvTable;

static bool csv_append(CsvTable* table, double time, double value)
{
    if (table->count == table->size)
    {
        int size = table->size ? 2 * table->size : 1024;
        double* times = realloc(table->times, (size_t)size * sizeof(double));
        if (times) table->times = times;
        double* values = realloc(table->values, (size_t)size * sizeof(double));
        if (values) table->values = values;
        if (!times || !values) return false;
        table->size = size;
    }
    table->times[table->count] = time;
    table->values[table->count++] = value;
    return true;
}

// parse text in place; a first line without numbers is a header
static void csv_parse(Reader* reader, const twNode* node, char* text, int time_column, int value_column,
                      CsvTable* table)
{
    int line_number = 0;
    for (char *line = text, *next; line && *line && yaml_ok(reader->doc); line = next)
    {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        line_number++;
        double time = 0, value = 0;
        if (line[strspn(line, " \t\r")] == 0) continue;
        if (!csv_pick(line, time_column, value_column, &time, &value))
        {
            if (line_number > 1)
                yaml_fail(node, "line %d of the file has no numbers in columns %d and %d", line_number, time_column,
                          value_column);
            continue;
        }
        if (table->count && !(time > table->times[table->count - 1]))
            yaml_fail(node, "line %d of the file: times must rise", line_number);
        else if (!csv_append(table, time, value))
            reader->no_memory = true;
    }
    if (yaml_ok(reader->doc) && table->count == 0) yaml_fail(node, "the file holds no rows of numbers");
}

static const double* keep_scaled(Reader* reader, const double* values, int count, double scale, double offset)
{
    double* kept = read_alloc(reader, (size_t)count, sizeof(double));
    for (int i = 0; kept && i < count; i++) kept[i] = offset + scale * values[i];
    return kept;
}

static twSignal read_csv(Reader* reader, const twNode* map)
{
    yaml_keys(map, "csv", "time_column", "column", "scale", "offset", "interpolate");
    const twNode* node = yaml_get(map, "csv");
    const char* path = read_path(reader, yaml_need_text(map, "csv"));
    int time_column = (int)yaml_integer(map, "time_column", 1, 1000, 1),
        column = (int)yaml_integer(map, "column", 1, 1000, 2);
    double scale = yaml_number(map, "scale", yaml_any(NULL), 1), offset = yaml_number(map, "offset", yaml_any(NULL), 0);
    twSignal signal = {.kind = TW_SIGNAL_KEYFRAMES};
    signal.interpolation = (twInterpolation)yaml_choice(map, "interpolate", interpolations, TW_LINEAR);
    char* text = NULL;
    size_t bytes;
    twError err;
    if (!yaml_ok(reader->doc) || reader->no_memory) return tw_signal_constant(0);
    if (tw_file_read(&text, &bytes, path, SIGNAL_MAX_BYTES, &err) != TW_OK)
    {
        yaml_fail(node, "%s", err.text);
        return tw_signal_constant(0);
    }
    CsvTable table = {0};
    csv_parse(reader, node, text, time_column, column, &table);
    signal.count = table.count;
    signal.times = keep_scaled(reader, table.times, table.count, 1, 0);
    signal.values = keep_scaled(reader, table.values, table.count, scale, offset);
    free(table.times);
    free(table.values);
    free(text);
    return signal;
}

// ---- WAV ----

static twSignal read_wav(Reader* reader, const twNode* map)
{
    yaml_keys(map, "wav", "channel", "scale", "offset");
    const twNode* node = yaml_get(map, "wav");
    const char* path = read_path(reader, yaml_need_text(map, "wav"));
    int channel = (int)yaml_integer(map, "channel", 1, TW_WAV_MAX_CHANNELS, 1);
    twSignal signal = {.kind = TW_SIGNAL_TABLE};
    signal.amount = yaml_number(map, "scale", yaml_any(NULL), 1);
    signal.value = yaml_number(map, "offset", yaml_any(NULL), 0);
    twWav* wav = NULL;
    twError err;
    if (!yaml_ok(reader->doc) || reader->no_memory) return tw_signal_constant(0);
    if (tw_wav_load(&wav, path, SIGNAL_MAX_POINTS, &err) != TW_OK)
    {
        yaml_fail(node, "%s", err.text);
        return tw_signal_constant(0);
    }
    if (channel > wav->channels) yaml_fail(yaml_get(map, "channel"), "the file has %d channel(s)", wav->channels);
    if (wav->frames == 0) yaml_fail(node, "the file is empty");
    double* values = read_alloc(reader, (size_t)wav->frames, sizeof(double));
    if (values && yaml_ok(reader->doc)) tw_wav_channel(wav, channel - 1, values);
    signal.values = values;
    signal.count = (int)wav->frames;
    signal.table_rate_hz = wav->rate_hz;
    tw_wav_destroy(wav);
    return signal;
}

twSignal read_signal(Reader* reader, const twNode* map, const char* key, twRange range, double fallback)
{
    const twNode* node = yaml_get(map, key);
    if (!node || node->kind != TW_NODE_MAP) return tw_signal_constant(yaml_number(map, key, range, fallback));
    if (yaml_has(node, "ramp")) return read_ramp(reader, node, range);
    if (yaml_has(node, "keyframes")) return read_keyframes(reader, node, range);
    if (yaml_has(node, "sine")) return read_sine(reader, node, range);
    if (yaml_has(node, "noise")) return read_noise(node, range);
    if (yaml_has(node, "csv")) return read_csv(reader, node);
    if (yaml_has(node, "wav")) return read_wav(reader, node);
    yaml_fail(node, "'%s' must be a number or a map with one of: ramp, keyframes, sine, noise, csv, wav", key);
    return tw_signal_constant(fallback);
}
