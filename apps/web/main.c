// SPDX-License-Identifier: MIT
// The playground without a page: `playground describe` prints benches and sliders as JSON for the page; `playground render BENCH
// RATE FRAMES [MODEL...]` reads a script of controls, as the page's tests send them, and writes left and right samples as floats;
// `playground time ...` does the same and prints the processor time per second of sound instead. `playground reduce FROM TO FACES
// MODES` makes a .twmodes file small enough for the page.
//
// A script is lines "FRAME set PARAMETER VALUE" or "FRAME act ACTION NUMBER ...", by rising frames. They act before the block of
// 128 samples that holds their frame, as in an audio worklet; those of frame -1 are what the bench is made with.

#include "playground.h"
#include "reduce.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINE 512  // characters of a line of a script at most

static int fail(const char* text)
{
    fprintf(stderr, "playground: %s\n", text);
    return 2;
}

// ---- describe ----

static void describe_parameter(twJson* json, const PlayParameter* p)
{
    tw_json_object(json, NULL);
    tw_json_text(json, "name", p->name);
    tw_json_text(json, "label", p->label);
    tw_json_text(json, "hint", p->hint);
    tw_json_text(json, "unit", p->unit);
    tw_json_number(json, "low", p->low);
    tw_json_number(json, "high", p->high);
    tw_json_number(json, "start", p->start);
    tw_json_bool(json, "log", p->log);
    tw_json_bool(json, "rebuild", p->rebuild);
    tw_json_end(json);
}

static int describe(void)
{
    twJson json = tw_json(stdout);
    tw_json_object(&json, NULL);
    tw_json_text(&json, "version", TW_VERSION);
    tw_json_object(&json, "benches");
    for (int b = 0; b < play_bench_count(); b++)
    {
        int count;
        const PlayParameter* parameters = play_bench_parameters(b, &count);
        tw_json_array(&json, play_bench_name(b));
        for (int i = 0; i < count; i++) describe_parameter(&json, &parameters[i]);
        tw_json_end(&json);
    }
    tw_json_end(&json);
    tw_json_end(&json);
    return 0;
}

// ---- render ----

#define OVER LONG_MAX  // no further line

static long next_frame(char line[LINE]) { return fgets(line, LINE, stdin) ? strtol(line, NULL, 10) : OVER; }

// what is said before the first frame: where sliders begin
static long read_start(char line[LINE], double values[PLAY_PARAMETERS])
{
    long due;
    for (int i = 0; i < PLAY_PARAMETERS; i++) values[i] = NAN;
    while ((due = next_frame(line)) < 0)
    {
        int parameter;
        double value;
        if (sscanf(line, "%*d set %d %lf", &parameter, &value) == 2 && parameter >= 0 && parameter < PLAY_PARAMETERS)
            values[parameter] = value;
    }
    return due;
}

static void do_line(Play* play, char* line)
{
    char verb[8] = "";
    int first, at;
    if (sscanf(line, "%*d %7s %d%n", verb, &first, &at) < 2) return;
    double numbers[PLAY_ARGUMENTS];
    int count = 0;
    for (char *from = line + at, *end; count < PLAY_ARGUMENTS; from = end)
    {
        numbers[count] = strtod(from, &end);
        if (end == from) break;
        count++;
    }
    if (strcmp(verb, "act") == 0) play_act(play, (PlayAction)first, numbers, count);
    if (strcmp(verb, "set") == 0 && count == 1) play_set(play, first, numbers[0]);
}

static void render(Play* play, long frames, long due, char line[LINE], FILE* out)
{
    for (long frame = 0; frame < frames; frame += PLAY_BLOCK)
    {
        for (; due < frame + PLAY_BLOCK; due = next_frame(line)) do_line(play, line);
        float pair[2][PLAY_BLOCK];
        play_process(play, pair[0], pair[1], PLAY_BLOCK);
        for (int i = 0; out && i < PLAY_BLOCK && frame + i < frames; i++)
            fwrite((float[]){pair[0][i], pair[1][i]}, sizeof(float), 2, out);
    }
}

// the files one after the other; NULL if there are none
static twStatus read_models(char** out, size_t* bytes, char** files, int count, twError* err)
{
    for (int i = 0; i < count; i++)
    {
        char *one = NULL, *both = NULL;
        size_t size;
        const twStatus status = tw_file_read(&one, &size, files[i], (size_t)1 << 30, err);
        if (status == TW_OK) both = realloc(*out, *bytes + size);
        if (both) memcpy((*out = both) + *bytes, one, size);
        free(one);
        if (!both) return status != TW_OK ? status : tw_fail(err, TW_NO_MEMORY, "no memory for %s", files[i]);
        *bytes += size;
    }
    return TW_OK;
}

static int run(int argc, char** argv, bool timed)
{
    if (argc < 5) return fail("usage: playground render|time BENCH RATE FRAMES [MODEL.twmodes...] < script");
    twError err;
    char* model = NULL;
    size_t bytes = 0;
    Play* play;
    char line[LINE];
    double values[PLAY_PARAMETERS];
    const double rate = atof(argv[3]);
    const long frames = atol(argv[4]);
    if (read_models(&model, &bytes, argv + 5, argc - 5, &err) != TW_OK) return free(model), fail(err.text);
    const long due = read_start(line, values);
    if (play_create(&play, argv[2], rate, model, bytes, values, &err) != TW_OK) return free(model), fail(err.text);
    const clock_t begin = clock();
    render(play, frames, due, line, timed ? NULL : stdout);
    if (timed) printf("%.6f\n", (double)(clock() - begin) / CLOCKS_PER_SEC / ((double)frames / rate));
    if (play_bad_samples(play)) fprintf(stderr, "playground: %ld bad samples\n", play_bad_samples(play));
    const bool bad = play_bad_samples(play) > 0;
    play_destroy(play);
    free(model);
    return bad;
}

static int reduce(char** argv)
{
    twError err;
    if (reduce_modes(argv[2], argv[3], atoi(argv[4]), atoi(argv[5]), &err) != TW_OK) return fail(err.text);
    return 0;
}

int main(int argc, char** argv)
{
    if (argc == 2 && strcmp(argv[1], "describe") == 0) return describe();
    if (argc > 1 && strcmp(argv[1], "render") == 0) return run(argc, argv, false);
    if (argc > 1 && strcmp(argv[1], "time") == 0) return run(argc, argv, true);
    if (argc == 6 && strcmp(argv[1], "reduce") == 0) return reduce(argv);
    return fail(
        "usage: playground describe, playground reduce FROM TO FACES MODES, or playground render|time BENCH RATE FRAMES [MODEL.twmodes...] < script");
}
