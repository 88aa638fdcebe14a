// SPDX-License-Identifier: MIT
#include "heard.h"
#include "record_bodies.h"
#include "render.h"
#include <math.h>
#include <stdlib.h>

struct Heard
{
    const twScene* scene;
    int64_t frames, room;
    float** tracks;  // (tracks) of (room)
};

Heard* heard_create(const twScene* scene, int64_t frames)
{
    Heard* h = calloc(1, sizeof *h);
    if (!h) return NULL;
    h->scene = scene;
    h->frames = frames;
    h->room = scene->rods_touch ? frames * scene->oversample : frames;
    h->tracks = calloc((size_t)scene->pickup_count + 1, sizeof *h->tracks);
    bool good = h->tracks != NULL;
    for (int i = 0; i < scene->pickup_count && good; i++)
    {
        h->tracks[i] = calloc((size_t)h->room, sizeof **h->tracks);
        good = h->tracks[i] != NULL;
    }
    if (good) return h;
    heard_destroy(h);
    return NULL;
}

void heard_destroy(Heard* h)
{
    if (!h) return;
    for (int i = 0; h->tracks && i < h->scene->pickup_count; i++) free(h->tracks[i]);
    free(h->tracks);
    free(h);
}

int64_t heard_room(const Heard* h) { return h->room; }

void heard_keep(Heard* h, int64_t sample, const float* values)
{
    for (int i = 0; i < h->scene->pickup_count; i++) h->tracks[i][sample] = values[i];
}

twStatus heard_again(Heard* h, const char* path, int64_t samples, twError* err)
{
    char part[600];
    twTrace* trace;
    if (h->scene->pickup_count == 0) return TW_OK;
    snprintf(part, sizeof part, "%s.part", path);
    twStatus status = tw_trace_load(&trace, part, err);
    if (status != TW_OK) return status;
    if (samples > h->room || trace->sample_count < samples || trace->track_count != h->scene->pickup_count)
        status = tw_fail(err, TW_BAD_INPUT, "%s: the samples of its tracks are not all there", part);
    for (int i = 0; i < h->scene->pickup_count && status == TW_OK; i++)
        tw_trace_track(trace, i, 0, samples, h->tracks[i]);
    tw_trace_destroy(trace);
    return status;
}

// ---- to the outputs ----

// a track at the rate of the sound
static twStatus to_rate(Heard* h, int track, twError* err)
{
    double* fast = malloc((size_t)h->room * sizeof *fast);
    double* slow = malloc((size_t)h->frames * sizeof *slow);
    twStatus status = fast && slow ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the sound");
    for (int64_t i = 0; i < h->room && status == TW_OK; i++) fast[i] = (double)h->tracks[track][i];
    if (status == TW_OK)
        status = tw_resample(slow, h->frames, fast, h->room, record_sample_rate(h->scene), h->scene->rate_hz, err);
    for (int64_t i = 0; i < h->frames && status == TW_OK; i++) h->tracks[track][i] = (float)slow[i];
    free(fast);
    free(slow);
    return status;
}

// of what has one channel by its pan, else each channel to its own
static void add_term(const Heard* h, const twSceneOutput* output, const twSceneTerm* term, float* out)
{
    const twSceneListener* l = &h->scene->listeners[term->listener];
    const int own = l->ear ? tw_ear_channels(l->ear->def.kind) : 1;
    double left, right;
    render_pan(term, own == 1 ? output->channels : 1, &left, &right);
    for (int c = 0; c < output->channels; c++)
    {
        const float* heard = h->tracks[l->track + (own > 1 ? c : 0)];
        const double gain = own == 1 && c == 1 ? right : left;
        for (int64_t i = 0; i < h->frames; i++) out[i * output->channels + c] += (float)(gain * (double)heard[i]);
    }
}

twStatus heard_mix(Heard* h, float* const* sound, twError* err)
{
    const twScene* scene = h->scene;
    twStatus status = TW_OK;
    for (int i = 0; i < scene->pickup_count && h->room != h->frames && status == TW_OK; i++)
        status = to_rate(h, i, err);
    for (int o = 0; o < scene->output_count && status == TW_OK; o++)
    {
        const twSceneOutput* output = &scene->outputs[o];
        for (int k = 0; k < output->term_count; k++)
            if (scene->listeners[output->terms[k].listener].track >= 0)
                add_term(h, output, &output->terms[k], sound[o]);
    }
    return status;
}
