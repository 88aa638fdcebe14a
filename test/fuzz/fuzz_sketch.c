// SPDX-License-Identifier: MIT
// Target: networks described by messages, as externals for Pure Data take them: lines of words.
#include "fuzz.h"
#include "twang/contact.h"

enum
{
    PORTS = 3,
    LINES = 64,
    WORDS = 6
};

// cut a line into words. @return how many
static int split(char* line, const char** words)
{
    int count = 0;
    for (char* at = line; count < WORDS;)
    {
        while (*at == ' ') at++;
        if (!*at) break;
        words[count++] = at;
        while (*at && *at != ' ') at++;
        if (*at) *at++ = 0;
    }
    for (int i = count; i < WORDS; i++) words[i] = "";
    return count;
}

static void set_draft(twDraft* draft, const char* const* words, twError* err)
{
    const double numbers[3] = {strtod(words[3], NULL), strtod(words[4], NULL), strtod(words[5], NULL)};
    twSeries kind;
    if (strcmp(words[2], "list") == 0)
        fuzz_says(tw_draft_list(draft, numbers, 3, err), err);
    else if (strcmp(words[2], "decay") == 0)
        fuzz_says(tw_draft_decay(draft, numbers, 3, err), err);
    else if (strcmp(words[2], "mass") == 0)
        fuzz_says(tw_draft_mass(draft, numbers, 3, err), err);
    else if (strcmp(words[2], "point") == 0)
        fuzz_says(tw_draft_point(draft, 0, numbers, 3, err), err);
    else if (tw_series_parse(words[2], &kind))
        fuzz_says(
            tw_draft_series(draft, kind, numbers[0], numbers[1] > 0 && numbers[1] < 50 ? (int)numbers[1] : 1, err),
            err);
    else
        fuzz_says(tw_draft_material(draft, words[2], err), err);
}

static void obey(twSketch* s, char* line)
{
    const char* w[WORDS];
    twDraft* draft;
    twError err = {0};
    if (split(line, w) == 0) return;
    const int port = (int)strlen(w[1]) % PORTS;
    switch (w[0][0])
    {
    case 'o':
        if (tw_sketch_object(s, w[1], &draft, &err) == TW_OK) set_draft(draft, w, &err);
        break;
    case 'c':
        fuzz_says(tw_sketch_contact(s, w[1], w[2], w[3], &err), &err);
        break;
    case 'i':
        fuzz_says(tw_sketch_input(s, port, w[2], w[3], &err), &err);
        break;
    case 'u':
        fuzz_says(tw_sketch_output(s, port, w[2], w[3], &err), &err);
        break;
    case 'x':
        tw_sketch_clear(s);
        break;
    default:
        break;
    }
}

bool fuzz_one(uint8_t* data, size_t size)
{
    char* text = fuzz_text(data, size);
    twSketch* s;
    twInstrument* instrument = NULL;
    twError err = {0};
    FUZZ_ENSURE(tw_sketch_create(&s, PORTS, PORTS, &err) == TW_OK);
    int lines = 0;
    for (char *line = text, *end; line && lines < LINES; line = end, lines++)
    {
        end = strchr(line, '\n');
        if (end) *end++ = 0;
        obey(s, line);
        if (lines % 16 == 15) fuzz_says(tw_sketch_build(s, &instrument, 44100, 1, &err), &err);
    }
    fuzz_says(tw_sketch_build(s, &instrument, 44100, 1, &err), &err);
    if (instrument)
    {
        double in[PORTS][16] = {{0}}, out[PORTS][16];
        const double* from[PORTS] = {in[0], in[1], in[2]};
        double* to[PORTS] = {out[0], out[1], out[2]};
        in[0][0] = 1;
        tw_instrument_process(instrument, from, to, 16);
    }
    const bool built = instrument != NULL;
    tw_instrument_destroy(instrument);
    tw_sketch_destroy(s);
    free(text);
    return built;
}
