// SPDX-License-Identifier: MIT
// Heads from SOFA files. Responses come to the rate asked for by tw_resample(); as filters they are scaled by the ratio of the
// rates. Loudspeaker and ear canal are taken out: headphones bring an ear canal of their own.

#define _XOPEN_SOURCE 700
#include "sofa.h"
#include "twang/media.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAR 0.9  // of the largest distance: what is measured nearer is left out
enum
{
    PAD = 32,  // silence on both sides of a response, for what resampling rings
    PATH_BYTES = 4096
};

// ---- the default ----

// the first readable libmysofa/<name> in a list of folders. @return whether there is one
static bool find_in(char* out, const char* folders, const char* name)
{
    while (*folders)
    {
        int length = (int)strcspn(folders, ":");
        int written = snprintf(out, PATH_BYTES, "%.*s/libmysofa/%s", length, folders, name);
        if (length > 0 && written < PATH_BYTES && access(out, R_OK) == 0) return true;
        folders += length;
        if (*folders) folders++;
    }
    return false;
}

static twStatus find_default(char* out, twError* err)
{
    const char *names[] = {"default.sofa", "MIT_KEMAR_normal_pinna.sofa"}, *list = getenv("XDG_DATA_DIRS");
    if (!list || !list[0]) list = "/usr/local/share:/usr/share";
    for (int i = 0; i < 2; i++)
        if (find_in(out, list, names[i])) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT,
                   "no default head: there is no libmysofa/default.sofa in %s (XDG_DATA_DIRS); install the package "
                   "libmysofa1, or name a SOFA file",
                   list);
}

// ---- from a file ----

// arrays of a head under construction
typedef struct Parts
{
    twVec3* directions;
    double *responses, *delays, *padded;
} Parts;

static bool create_parts(Parts* p, const SofaData* s, int taps)
{
    size_t n = s->direction_count;
    *p = (Parts){malloc(n * sizeof *p->directions), malloc(2 * n * (size_t)taps * sizeof *p->responses),
                 malloc(2 * n * sizeof *p->delays), calloc(s->taps + 2 * (size_t)PAD, sizeof *p->padded)};
    return p->directions && p->responses && p->delays && p->padded;
}

static void free_parts(Parts* p)
{
    free(p->directions);
    free(p->responses);
    free(p->delays);
    free(p->padded);
}

static twVec3 place_of(const SofaData* s, uint32_t i)
{
    const float* v = s->places + 3 * (size_t)i;
    return tw_vec3(v[0], v[1], v[2]);
}

// both responses of a direction, at the new rate
static twStatus carry(const SofaData* s, Parts* p, const twHeadDef* def, uint32_t from, int to, twError* err)
{
    double ratio = def->rate_hz / s->rate_hz;
    for (uint32_t side = 0; side < 2; side++)
    {
        size_t row = 2 * (size_t)from + (side ^ s->left), out = 2 * (size_t)to + side;
        const float* x = s->responses + row * s->taps;
        for (uint32_t k = 0; k < s->taps; k++) p->padded[PAD + k] = x[k] / ratio;
        twStatus status = tw_resample(p->responses + out * (size_t)def->taps, def->taps, p->padded, s->taps + 2 * PAD,
                                      s->rate_hz, def->rate_hz, err);
        if (status != TW_OK) return status;
        double delay = s->delay_count == 0 ? 0 : s->delays[s->delay_count == 2 ? row % 2 : row];
        p->delays[out] = (delay - PAD) * ratio;
    }
    return TW_OK;
}

static twStatus make_head(twHead** out, const SofaData* s, Parts* p, twHeadDef* def, twError* err)
{
    double farthest = 0;
    for (uint32_t i = 0; i < s->direction_count; i++) farthest = fmax(farthest, tw_vec3_norm(place_of(s, i)));
    for (uint32_t i = 0; i < s->direction_count; i++)
    {
        if (!(tw_vec3_norm(place_of(s, i)) >= FAR * farthest)) continue;
        p->directions[def->direction_count] = place_of(s, i);
        twStatus status = carry(s, p, def, i, def->direction_count++, err);
        if (status != TW_OK) return status;
    }
    def->directions = p->directions;
    def->responses = p->responses;
    def->delays = p->delays;
    return tw_head_create(out, def, err);
}

static twStatus load(twHead** out, const char* path, double rate_hz, twError* err)
{
    SofaData sofa;
    twStatus status = sofa_read(&sofa, path, err);
    if (status != TW_OK) return status;
    twHeadDef def = tw_head_def();
    def.rate_hz = rate_hz;
    def.equalize = true;
    def.taps = (int)ceil((sofa.taps + 2.0 * PAD) * rate_hz / sofa.rate_hz);
    Parts parts;
    twError reported = {0};
    if (create_parts(&parts, &sofa, def.taps))
        status = make_head(out, &sofa, &parts, &def, &reported);
    else
        status = tw_fail(&reported, TW_NO_MEMORY, "no memory for %u directions", sofa.direction_count);
    free_parts(&parts);
    sofa_free(&sofa);
    return status == TW_OK ? status : tw_fail(err, status, "%s: %s", path, reported.text);
}

twStatus tw_head_load(twHead** out, const char* path, double rate_hz, twError* err)
{
    *out = NULL;
    char found[PATH_BYTES];
    if (!(rate_hz >= 4000 && rate_hz <= 1e6))
        return tw_fail(err, TW_BAD_INPUT, "head: rate %g must be in [4000, 1e6] Hz", rate_hz);
    twStatus status = path ? TW_OK : find_default(found, err);
    return status == TW_OK ? load(out, path ? path : found, rate_hz, err) : status;
}
