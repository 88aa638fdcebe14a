// SPDX-License-Identifier: MIT
// Animations (glTF 2.0, 3.11): keys of a node's translation, rotation and scale, as splines.
//
// LINEAR keys would give velocities that jump; they become the smoothest curve through them (spline.h). Rotations are taken
// as unit quaternions q, whose curve is that of their four numbers made unit again; neighbours are on one side, q or -q.
// CUBICSPLINE keys have slopes of their own on both sides, whose mean is taken. STEP keys are jumps, which nothing that
// touches can follow.
#include "import/import.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_KEYS = 1 << 22  // of a file
};

#define MAX_TIME 1e6  // [s]
#define MAX_VALUE 1e9

typedef enum Kind
{
    KIND_LINEAR,
    KIND_STEP,
    KIND_CUBIC,
    KIND_UNKNOWN
} Kind;

// keys as they are in the file
typedef struct Keys
{
    const ImportNode* node;
    Kind kind;
    ImportWay way;
    int count, width;
    double *times, *values, *slopes;
} Keys;

static const char* const ways[] = {"translation", "rotation", "scale"};

static twStatus bad_keys(const ImportReader* reader, const Keys* keys, const char* what, twError* err)
{
    return tw_fail(err, TW_BAD_INPUT, "%s: the keys of the %s of node '%s' %s", reader->glb->path, ways[keys->way],
                   keys->node->name, what);
}

static Kind kind_of(const twGlb* glb, int json)
{
    static const char* const names[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    if (json < 0) return KIND_LINEAR;
    for (int i = 0; i < 3; i++)
        if (import_is(glb, json, names[i])) return (Kind)i;
    return KIND_UNKNOWN;
}

// ---- numbers ----

static twStatus read_times(const ImportReader* reader, Keys* keys, const twGlbColumn* column, twError* err)
{
    for (int i = 0; i < keys->count; i++)
    {
        keys->times[i] = tw_glb_real(column, i, 0);
        if (!(fabs(keys->times[i]) <= MAX_TIME))
            return bad_keys(reader, keys, "have times that are not finite or beyond 1e6 s", err);
        if (i > 0 && !(keys->times[i] > keys->times[i - 1])) return bad_keys(reader, keys, "must rise in time", err);
    }
    return TW_OK;
}

static bool read_row(const twGlbColumn* column, int row, int width, double* out)
{
    bool fine = true;
    for (int k = 0; k < width; k++)
    {
        out[k] = tw_glb_real(column, row, k);
        fine = fine && fabs(out[k]) <= MAX_VALUE;
    }
    return fine;
}

// slopes of its own: the mean of those before and behind a key; behind the last it rests
static bool read_slopes(const ImportReader* reader, Keys* keys, const twGlbColumn* column)
{
    bool fine = true;
    for (int i = 0; i < keys->count && fine; i++)
    {
        double in[4], out[4];
        fine = read_row(column, 3 * i, keys->width, in) && read_row(column, 3 * i + 2, keys->width, out);
        const bool first = i == 0, rests = first && keys->times[0] > reader->def->start;
        for (int k = 0; k < keys->width && fine; k++)
            keys->slopes[i * keys->width + k] = rests || i + 1 == keys->count ? 0
                                                : first                       ? out[k]
                                                                              : 0.5 * (in[k] + out[k]);
    }
    return fine;
}

static twStatus read_values(const ImportReader* reader, Keys* keys, const twGlbColumn* column, twError* err)
{
    const bool cubic = keys->kind == KIND_CUBIC;
    bool fine = true;
    for (int i = 0; i < keys->count && fine; i++)
        fine = read_row(column, cubic ? 3 * i + 1 : i, keys->width, keys->values + (size_t)i * (size_t)keys->width);
    if (fine && cubic) fine = read_slopes(reader, keys, column);
    return fine ? TW_OK : bad_keys(reader, keys, "have values that are not finite or beyond 1e9", err);
}

// unit quaternions, each on the side of the one before
static twStatus align(const ImportReader* reader, Keys* keys, twError* err)
{
    for (int i = 0; i < keys->count; i++)
    {
        double *q = keys->values + 4 * (size_t)i, *m = keys->slopes + 4 * (size_t)i;
        const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(norm > 0)) return bad_keys(reader, keys, "have a quaternion of length 0", err);
        double side = 1;
        if (i > 0 && q[0] * q[-4] + q[1] * q[-3] + q[2] * q[-2] + q[3] * q[-1] < 0) side = -1;
        for (int k = 0; k < 4; k++) q[k] *= side / norm, m[k] *= side / norm;
    }
    return TW_OK;
}

static twStatus check_columns(const ImportReader* reader, const Keys* keys, const twGlbColumn* in,
                              const twGlbColumn* out, twError* err)
{
    const int64_t rows = (int64_t)in->count * (keys->kind == KIND_CUBIC ? 3 : 1);
    if (keys->kind == KIND_UNKNOWN)
        return bad_keys(reader, keys, "need an interpolation that is LINEAR, STEP or CUBICSPLINE", err);
    if (in->parts != 1 || in->type != 5126) return bad_keys(reader, keys, "need times that are SCALAR floats", err);
    if (out->parts != keys->width || out->count != rows)
        return bad_keys(reader, keys, "need one value for each time, three of CUBICSPLINE", err);
    return TW_OK;
}

static twStatus read_keys(ImportReader* reader, int sampler, Keys* keys, twError* err)
{
    const twGlb* glb = reader->glb;
    int64_t input, output;
    twGlbColumn in, out;
    bool fine = tw_glb_whole(glb, sampler, "input", -1, &input) && tw_glb_whole(glb, sampler, "output", -1, &output);
    if (!fine || input < 0 || output < 0 || input > INT_MAX || output > INT_MAX)
        return bad_keys(reader, keys, "need a sampler with 'input' and 'output'", err);
    twStatus status = tw_glb_column(glb, (int)input, &in, err);
    if (status == TW_OK) status = tw_glb_column(glb, (int)output, &out, err);
    keys->kind = kind_of(glb, tw_json_get(&glb->json, sampler, "interpolation"));
    if (status == TW_OK) status = check_columns(reader, keys, &in, &out, err);
    if (status != TW_OK) return status;
    keys->count = in.count;
    reader->keys += in.count;
    if (reader->keys > MAX_KEYS)
        return tw_fail(err, TW_BAD_INPUT, "%s: its animations have more than %d keys", glb->path, MAX_KEYS);
    const size_t numbers = (size_t)keys->count * (size_t)keys->width;
    keys->times = import_alloc(reader, (size_t)keys->count, sizeof(double));
    keys->values = import_alloc(reader, numbers, sizeof(double));
    keys->slopes = import_alloc(reader, numbers, sizeof(double));
    if (!keys->times || !keys->values || !keys->slopes) return import_no_memory(reader, err);
    status = read_times(reader, keys, &in, err);
    if (status == TW_OK) status = read_values(reader, keys, &out, err);
    return status == TW_OK && keys->way == IMPORT_ROTATION ? align(reader, keys, err) : status;
}

// ---- channels ----

// where a node stays if its keys are all alike
static void set_place(ImportNode* node, ImportWay way, const double* v)
{
    if (way == IMPORT_TRANSLATION) node->translation = tw_vec3(v[0], v[1], v[2]);
    if (way == IMPORT_ROTATION) node->rotation = tw_quat(v[3], v[0], v[1], v[2]);
    if (way == IMPORT_SCALE) node->scale = tw_vec3(v[0], v[1], v[2]);
}

static twStatus add_motion(ImportReader* reader, ImportNode* node, const Keys* keys, twError* err)
{
    if (spline_is_constant(keys->values, keys->count, keys->width))
    {
        set_place(node, keys->way, keys->values);
        return TW_OK;
    }
    if (node->has_matrix)
        return tw_fail(err, TW_BAD_INPUT, "%s: node '%s' is animated and has a matrix; it must have one or the other",
                       reader->glb->path, node->name);
    Spline* spline = import_alloc(reader, 1, sizeof *spline);
    double* scratch = malloc((size_t)keys->count * sizeof *scratch);
    if (spline && scratch && keys->kind != KIND_CUBIC)
        spline_fit(keys->slopes, keys->times, keys->values, keys->count, keys->width,
                   keys->times[0] > reader->def->start, scratch);
    free(scratch);
    if (!spline || !scratch) return import_no_memory(reader, err);
    *spline = (Spline){keys->count, keys->width, keys->times, keys->values, keys->slopes};
    node->way[keys->way] = spline;
    node->jumps = node->jumps || keys->kind == KIND_STEP;
    if (node->used) reader->import->end = fmax(reader->import->end, keys->times[keys->count - 1] - reader->def->start);
    return TW_OK;
}

// which of the three, -1: something else
static int way_of(const twGlb* glb, int json)
{
    for (int i = 0; i < IMPORT_WAYS; i++)
        if (import_is(glb, json, ways[i])) return i;
    return -1;
}

static twStatus clash(const ImportReader* reader, const ImportNode* node, int before, int now, twError* err)
{
    const char* const* names = reader->import->animations;
    if (before == now)
        return tw_fail(err, TW_BAD_INPUT, "%s: animation '%s' moves node '%s' twice", reader->glb->path, names[now],
                       node->name);
    return tw_fail(err, TW_BAD_INPUT,
                   "%s: the animations '%.60s' and '%.60s' both move node '%.60s'; choose by 'animation: %.60s'",
                   reader->glb->path, names[before], names[now], node->name, names[before]);
}

// one of the file's
typedef struct Animation
{
    int number, sampler_count;
    int* samplers;  // (samplers) JSON
} Animation;

static twStatus read_channel(ImportReader* reader, const Animation* from, int channel, twError* err)
{
    const int animation = from->number;
    const twGlb* glb = reader->glb;
    const int target = tw_json_get(&glb->json, channel, "target");
    int64_t index, sampler;
    if (!tw_glb_whole(glb, target, "node", -1, &index) || !tw_glb_whole(glb, channel, "sampler", -1, &sampler))
        return tw_fail(err, TW_BAD_INPUT, "%s: animation %d has a bad number", glb->path, animation);
    if (index < 0) return TW_OK;  // an extension's
    if (index >= reader->import->tree->node_count || sampler < 0 || sampler >= from->sampler_count)
        return tw_fail(err, TW_BAD_INPUT, "%s: animation %d needs a node and a sampler that exist", glb->path,
                       animation);
    ImportNode* node = &reader->import->tree->nodes[index];
    const int way = way_of(glb, tw_json_get(&glb->json, target, "path"));
    if (way < 0 && node->used) import_note(reader->import, "shape keys of '%.60s' do not move", node->name);
    if (way < 0) return TW_OK;
    if (node->animation[way] >= 0) return clash(reader, node, node->animation[way], animation, err);
    node->animation[way] = animation;
    Keys keys = {.node = node, .way = (ImportWay)way, .width = way == IMPORT_ROTATION ? 4 : 3};
    const twStatus status = read_keys(reader, from->samplers[sampler], &keys, err);
    return status == TW_OK ? add_motion(reader, node, &keys, err) : status;
}

static twStatus read_animation(ImportReader* reader, int number, twError* err)
{
    const twJsonTree* json = &reader->glb->json;
    const int node = reader->animations.at[number], list = tw_json_get(json, node, "samplers");
    Animation from = {.number = number, .sampler_count = tw_json_length(json, list)};
    from.samplers = malloc(((size_t)from.sampler_count + 1) * sizeof *from.samplers);
    if (!from.samplers) return import_no_memory(reader, err);
    int at = tw_json_first(list);
    for (int i = 0; i < from.sampler_count; i++, at = tw_json_next(json, at)) from.samplers[i] = at;

    const int channels = tw_json_get(json, node, "channels");
    twStatus status = TW_OK;
    at = tw_json_first(channels);
    for (int i = 0; i < tw_json_length(json, channels) && status == TW_OK; i++, at = tw_json_next(json, at))
        status = read_channel(reader, &from, at, err);
    free(from.samplers);
    return status;
}

// ---- which animations ----

static bool is_wanted(const twImportDef* def, const char* name)
{
    for (int i = 0; i < def->animation_count && def->animations; i++)
        if (strcmp(def->animations[i], name) == 0) return true;
    return def->animations == NULL;
}

static twStatus check_wanted(const ImportReader* reader, twError* err)
{
    const twImport* import = reader->import;
    for (int i = 0; i < reader->def->animation_count && reader->def->animations; i++)
    {
        bool found = false;
        for (int k = 0; k < import->animation_count; k++)
            found = found || strcmp(reader->def->animations[i], import->animations[k]) == 0;
        char names[256] = "";
        for (int k = 0; k < import->animation_count; k++)
        {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "", import->animations[k]);
        }
        if (!found)
            return tw_fail(err, TW_BAD_INPUT, "%s: there is no animation '%.60s'; it has %s", reader->glb->path,
                           reader->def->animations[i], names[0] ? names : "none");
    }
    return TW_OK;
}

static twStatus name_animations(ImportReader* reader, twError* err)
{
    twImport* import = reader->import;
    const char** names = import_alloc(reader, (size_t)reader->animations.count, sizeof *names);
    for (int i = 0; names && i < reader->animations.count; i++)
    {
        char number[32];
        snprintf(number, sizeof number, "%d", i);
        names[i] = import_text(reader, tw_json_get(&reader->glb->json, reader->animations.at[i], "name"));
        if (names[i] && !names[i][0]) names[i] = tw_arena_copy_text(import->arena, number);
        if (!names[i]) return import_no_memory(reader, err);
    }
    import->animations = names;
    import->animation_count = reader->animations.count;
    return names ? TW_OK : import_no_memory(reader, err);
}

twStatus import_keys(ImportReader* reader, twError* err)
{
    twStatus status = name_animations(reader, err);
    if (status == TW_OK) status = check_wanted(reader, err);
    for (int i = 0; i < reader->animations.count && status == TW_OK; i++)
        if (is_wanted(reader->def, reader->import->animations[i])) status = read_animation(reader, i, err);
    return status;
}
