// SPDX-License-Identifier: MIT
// Options of twang sound.

#include "sound_options.h"
#include <math.h>
#include <string.h>

#define MOST_TAIL 600.0  // [s]

static const char* const ways[] = {"auto", "on", "off", NULL};
static const char* const formats[] = {"16", "24", "float", NULL};
static const char* const kinds[] = {"mono", "stereo", "binaural", "ambix"};

int sound_options(CliOption* out, SoundOptions* o)
{
    const twSoundDef usual = tw_sound_def();
    const CliOption options[] = {
        {.kind = CLI_ARGUMENT,
         .name = "TRACE",
         .out = &o->trace,
         .help = "recorded motion: trace.twtrace, or a .part",
         .required = true},
        {.kind = CLI_TEXT,
         .name = "-o|--output",
         .value = "DIR",
         .out = &o->folder,
         .help = "folder for the files (default: sound, beside the trace)"},
        {.kind = CLI_LIST,
         .name = "--listener",
         .value = "NAME=KIND:X,Y,Z@X,Y,Z",
         .out = &o->listeners,
         .help = "one who listens at X,Y,Z and looks at X,Y,Z; mono, stereo, binaural or ambix; repeatable"},
        {.kind = CLI_TEXT,
         .name = "--hrtf",
         .value = "FILE",
         .out = &o->hrtf,
         .help = "SOFA file of binaural listeners"},
        {.kind = CLI_LIST,
         .name = "--damping",
         .value = "[BODY=]SPEC",
         .out = &o->dampings,
         .help = "decay of modes: ALPHA,BETA in 1/s and s, or a factor such as x2; repeatable"},
        {.kind = CLI_TEXT,
         .name = "--contact-damping",
         .value = "FACTOR|off",
         .out = &o->contact_damping,
         .help = "of modes by what touches"},
        {.kind = CLI_FLAG,
         .name = "--full-damping",
         .out = &o->full_damping,
         .help = "contacts couple modes: slow, to compare"},
        {.kind = CLI_FLAG,
         .name = "--no-clicks",
         .out = &o->no_clicks,
         .help = "no sound of bodies that are accelerated as a whole"},
        {.kind = CLI_CHOICE,
         .name = "--redistribute",
         .value = "WHEN",
         .out = &o->redistribute,
         .choices = ways,
         .help = "share out forces of rigid contacts"},
        {.kind = CLI_LIST,
         .name = "--body-gain",
         .value = "BODY=DB",
         .out = &o->gains,
         .help = "louder or softer; repeatable"},
        {.kind = CLI_NUMBER,
         .name = "--rate",
         .value = "HZ",
         .out = &o->rate_hz,
         .help = "samples per second",
         .low = 1000,
         .high = 768000,
         .unit = "Hz"},
        {.kind = CLI_NUMBER,
         .name = "--max-freq",
         .value = "HZ",
         .out = &o->max_freq_hz,
         .help = "modes above are left out",
         .low = 1,
         .high = 1e6,
         .unit = "Hz"},
        {.kind = CLI_NUMBER,
         .name = "--highpass",
         .value = "HZ",
         .out = &o->highpass_hz,
         .help = "what is below is no sound; 0: none",
         .high = 1000,
         .unit = "Hz"},
        {.kind = CLI_TEXT,
         .name = "--tail",
         .value = "S|auto",
         .out = &o->tail,
         .help = "ring on after the trace: S seconds, or until 60 dB below the peak, at most 10 s"},
        {.kind = CLI_FLAG,
         .name = "--air-absorption",
         .out = &o->air_absorption,
         .help = "air takes from high frequencies"},
        {.kind = CLI_FLAG,
         .name = "--no-board",
         .out = &o->no_board,
         .help = "a ground that is a board does not sound"},
        {.kind = CLI_FLAG, .name = "--no-ground", .out = &o->no_ground, .help = "the ground does not reflect"},
        {.kind = CLI_TEXT,
         .name = "--level",
         .value = "LEVEL",
         .out = &o->level,
         .help = "true: 1.0 = 20 Pa; peak=DBFS, loudness=LUFS, or gain=FACTOR from Pa"},
        {.kind = CLI_CHOICE,
         .name = "--format",
         .value = "FORMAT",
         .out = &o->format,
         .choices = formats,
         .help = "of the samples"},
        {.kind = CLI_INTEGER,
         .name = "--threads",
         .value = "N",
         .out = &o->threads,
         .help = "0: all processors",
         .high = 256},
        {.kind = CLI_FLAG, .name = "--no-picture", .out = &o->no_picture, .help = "draw no spectrograms"},
        {.kind = CLI_FLAG, .name = "--json", .out = &o->json, .help = "print the report as JSON"},
    };
    _Static_assert(sizeof options / sizeof *options == SOUND_OPTIONS, "the count that callers make room for");
    o->rate_hz = usual.rate_hz;
    o->max_freq_hz = usual.max_freq_hz;
    o->highpass_hz = usual.highpass_hz;
    o->format = TW_WAV_FLOAT;
    o->level = "true";
    o->tail = "auto";
    memcpy(out, options, sizeof options);
    return SOUND_OPTIONS;
}

// ---- pieces ----

// numbers with commas between; text has no more of them than count
static bool parse_numbers(const char* text, size_t bytes, double* out, int count)
{
    for (int k = 0; k < count; k++)
    {
        char part[64];
        const char* comma = memchr(text, ',', bytes);
        const size_t length = comma ? (size_t)(comma - text) : bytes;
        if (length >= sizeof part || (k + 1 < count) != (comma != NULL)) return false;
        memcpy(part, text, length);
        part[length] = 0;
        if (cli_parse_number(part, &out[k])) return false;
        text += length + 1;
        bytes -= length + (comma != NULL);
    }
    return true;
}

static bool parse_place(const char* text, size_t bytes, twVec3* out)
{
    double x[3];
    if (!parse_numbers(text, bytes, x, 3)) return false;
    *out = tw_vec3(x[0], x[1], x[2]);
    return fabs(x[0]) < 1e6 && fabs(x[1]) < 1e6 && fabs(x[2]) < 1e6;
}

// ---- listeners ----

static bool parse_name(SoundOptions* o, const char* text, size_t length)
{
    char* name = o->names[o->def.ear_count];
    if (length == 0 || length >= sizeof o->names[0] || text[0] == '.') return false;
    memcpy(name, text, length);
    name[length] = 0;
    return strpbrk(name, "/\\:*?\"<>|") == NULL;
}

static twStatus parse_listener(SoundOptions* o, const char* text, twError* err)
{
    static const char form[] = "NAME=KIND:X,Y,Z@X,Y,Z such as ear=binaural:0,-1,0.5@0,0,0; the places may be left out";
    twSceneEar* ear = &o->ears[o->def.ear_count];
    const char* equals = strchr(text, '=');
    *ear = tw_scene_ear();
    if (!equals || !parse_name(o, text, (size_t)(equals - text)))
        return tw_fail(err, TW_BAD_INPUT, "--listener '%s' must be %s; the name becomes that of a file", text, form);
    ear->name = o->names[o->def.ear_count];
    for (int i = 0; i < o->def.ear_count; i++)
        if (strcmp(o->ears[i].name, ear->name) == 0)
            return tw_fail(err, TW_BAD_INPUT, "--listener: there are two called '%s'", ear->name);
    const char* kind = equals + 1;
    const size_t length = strcspn(kind, ":@");
    int k = 0;
    while (k < TW_EAR_KIND_COUNT && (strlen(kinds[k]) != length || strncmp(kinds[k], kind, length) != 0)) k++;
    if (k == TW_EAR_KIND_COUNT)
        return tw_fail(err, TW_BAD_INPUT, "--listener '%s': '%.*s' is none of mono, stereo, binaural, ambix", text,
                       (int)length, kind);
    ear->def.kind = (twEarKind)k;
    const char *colon = kind[length] == ':' ? kind + length : NULL, *at = strchr(kind, '@');
    if (colon) ear->placed = parse_place(colon + 1, strcspn(colon + 1, "@"), &ear->def.position);
    if (at) ear->looks = parse_place(at + 1, strlen(at + 1), &ear->look);
    if ((colon && !ear->placed) || (at && !ear->looks))
        return tw_fail(err, TW_BAD_INPUT, "--listener '%s' must be %s; metres, less than 1e6", text, form);
    if (ear->placed && ear->looks && tw_vec3_norm(tw_vec3_sub(ear->look, ear->def.position)) < 1e-6)
        return tw_fail(err, TW_BAD_INPUT, "--listener '%s' looks at the place where it is", text);
    o->def.ear_count++;
    return TW_OK;
}

static twStatus parse_listeners(SoundOptions* o, twError* err)
{
    twStatus status = TW_OK;
    for (int i = 0; i < o->listeners.count && status == TW_OK; i++)
        status = parse_listener(o, o->listeners.items[i], err);
    if (status != TW_OK) return status;
    bool binaural = o->def.ear_count == 0;
    if (o->def.ear_count == 0)
    {
        o->ears[0] = tw_scene_ear();
        o->ears[0].may_be_stereo = !o->hrtf;
        o->def.ear_count = 1;
    }
    for (int i = 0; i < o->def.ear_count; i++)
    {
        binaural |= o->ears[i].def.kind == TW_EAR_BINAURAL;
        o->ears[i].hrtf = o->hrtf;
        o->ears[i].def.air_absorption = o->air_absorption;
    }
    if (o->hrtf && !binaural) return tw_fail(err, TW_BAD_INPUT, "--hrtf: no listener is binaural");
    o->def.ears = o->ears;
    return TW_OK;
}

// ---- bodies ----

// a change of the body named before the last '='; *rest is what is behind it
static twListenBody* new_change(SoundOptions* o, const char* text, const char** rest)
{
    const char* equals = strrchr(text, '=');
    const int i = o->def.body_count;
    *rest = equals ? equals + 1 : text;
    o->bodies[i] = tw_listen_body();
    if (!equals) return &o->bodies[o->def.body_count++];
    if (equals == text || (size_t)(equals - text) >= sizeof o->body_names[i]) return NULL;
    snprintf(o->body_names[i], sizeof o->body_names[i], "%.*s", (int)(equals - text), text);
    o->bodies[i].name = o->body_names[i];
    return &o->bodies[o->def.body_count++];
}

static twStatus parse_damping(SoundOptions* o, const char* text, twError* err)
{
    const char* spec;
    double x[2];
    twListenBody* change = new_change(o, text, &spec);
    if (change && spec[0] == 'x' && !cli_parse_number(spec + 1, &change->damping) && change->damping >= 0) return TW_OK;
    if (change && spec[0] != 'x' && parse_numbers(spec, strlen(spec), x, 2) && x[0] >= 0 && x[1] >= 0)
    {
        change->rayleigh = true;
        change->damping = 1;
        change->alpha = x[0];
        change->beta = x[1];
        return TW_OK;
    }
    return tw_fail(
        err, TW_BAD_INPUT,
        "--damping '%s' must be ALPHA,BETA (1/s and s) or a factor such as x2, with BODY= before it for one body",
        text);
}

static twStatus parse_gain(SoundOptions* o, const char* text, twError* err)
{
    const char* spec;
    double db;
    twListenBody* change = new_change(o, text, &spec);
    if (!change || !change->name || cli_parse_number(spec, &db) || !(db >= -300 && db <= 300))
        return tw_fail(err, TW_BAD_INPUT, "--body-gain '%s' must be BODY=DB, such as mug=-6, from -300 to 300", text);
    change->gain = pow(10, db / 20);
    return TW_OK;
}

static twStatus parse_contact_damping(SoundOptions* o, twError* err)
{
    double factor;
    if (!o->contact_damping) return TW_OK;
    if (strcmp(o->contact_damping, "off") == 0)
    {
        o->def.sound.contact_damping = false;
        return TW_OK;
    }
    if (cli_parse_number(o->contact_damping, &factor) || !(factor >= 0 && factor <= 1e6))
        return tw_fail(err, TW_BAD_INPUT, "--contact-damping '%s' must be a factor from 0 to 1e6, or off",
                       o->contact_damping);
    twListenBody* change = &o->bodies[o->def.body_count++];
    *change = tw_listen_body();
    change->contact_damping = factor;
    return TW_OK;
}

// ---- tail ----

static twStatus sound_parse_tail(SoundOptions* o, twError* err)
{
    twSoundDef* s = &o->def.sound;
    s->ring = strcmp(o->tail, "auto") == 0 ? TW_TAIL_MOST : 0;
    if (s->ring > 0) return TW_OK;
    if (cli_parse_number(o->tail, &s->tail) || !(s->tail >= 0 && s->tail <= MOST_TAIL))
        return tw_fail(err, TW_BAD_INPUT, "--tail '%s' must be seconds from 0 to %g, or auto", o->tail, MOST_TAIL);
    return TW_OK;
}

twStatus sound_parse(SoundOptions* o, twError* err)
{
    o->def = tw_listen_def();
    o->files = tw_listen_files();
    twSoundDef* s = &o->def.sound;
    s->path = o->trace;
    s->rate_hz = round(o->rate_hz);
    s->threads = o->threads;
    s->max_freq_hz = o->max_freq_hz;
    s->highpass_hz = o->highpass_hz;
    s->clicks = !o->no_clicks;
    s->board = !o->no_board;
    s->full_damping = o->full_damping;
    s->redistribution = (twRedistribution)o->redistribute;
    o->def.no_ground = o->no_ground;
    o->def.bodies = o->bodies;
    o->files.format = (twWavFormat)o->format;
    o->files.no_picture = o->no_picture;
    twStatus status = parse_listeners(o, err);
    for (int i = 0; i < o->dampings.count && status == TW_OK; i++) status = parse_damping(o, o->dampings.items[i], err);
    for (int i = 0; i < o->gains.count && status == TW_OK; i++) status = parse_gain(o, o->gains.items[i], err);
    if (status == TW_OK) status = parse_contact_damping(o, err);
    if (status == TW_OK) status = sound_parse_tail(o, err);
    return status == TW_OK ? cli_parse_level(o->level, &o->files.level, &o->files.level_value, err) : status;
}
