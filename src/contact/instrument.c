// SPDX-License-Identifier: MIT
// A network that is played. Laws glide in steps on a grid of samples counted from the start, so that blocks of any size give the same
// bits; a network that was replaced sounds on beside its successor while one fades into the other.

#include "law_names.h"
#include <stdlib.h>

enum
{
    GRID = 16,  // samples between two steps of a glide
    BLOCK = 64
};

// a law on its way
typedef struct Glide
{
    twImpactLaw impact, impact_target;
    twFrictionLaw friction, friction_target;
    int impact_left, friction_left;  // steps on the grid
} Glide;

struct twInstrument
{
    twNet *net,
        *before;  // before fades out; NULL if there is none, kept for change() or destroy() to free after the fade
    double rate_hz;
    int input_count, output_count, contact_count;
    Glide* glides;  // (contacts)
    bool gliding;
    int fade_left, fade_length;  // samples
    int64_t clock;               // samples processed
    const double** in;           // (inputs)
    double **out, **out_before;  // (outputs)
    double* block;               // of the network before (outputs x BLOCK)
};

// ---- create and destroy ----

static Glide* make_glides(const twNetDef* def)
{
    Glide* glides = calloc((size_t)def->contact_count + 1, sizeof *glides);
    for (int i = 0; glides && i < def->contact_count; i++)
    {
        glides[i].impact = glides[i].impact_target = def->contacts[i].impact;
        glides[i].friction = glides[i].friction_target = def->contacts[i].friction;
    }
    return glides;
}

twStatus tw_instrument_create(twInstrument** out, const twNetDef* def, twError* err)
{
    *out = NULL;
    twNet* net;
    twStatus status = tw_net_create(&net, def, err);
    if (status != TW_OK) return status;
    twInstrument* x = calloc(1, sizeof *x);
    if (x)
    {
        size_t inputs = (size_t)def->input_count + 1, outputs = (size_t)def->output_count + 1;
        *x = (twInstrument){.net = net, .rate_hz = def->rate_hz};
        x->input_count = def->input_count;
        x->output_count = def->output_count;
        x->contact_count = def->contact_count;
        x->glides = make_glides(def);
        x->in = calloc(inputs, sizeof *x->in);
        x->out = calloc(2 * outputs, sizeof *x->out);
        x->block = calloc(outputs * BLOCK, sizeof *x->block);
    }
    if (!x || !x->glides || !x->in || !x->out || !x->block)
    {
        if (!x) tw_net_destroy(net);
        tw_instrument_destroy(x);
        return tw_fail(err, TW_NO_MEMORY, "no memory for an instrument");
    }
    x->out_before = x->out + def->output_count + 1;
    for (int i = 0; i < def->output_count; i++) x->out_before[i] = x->block + (size_t)i * BLOCK;
    *out = x;
    return TW_OK;
}

void tw_instrument_destroy(twInstrument* x)
{
    if (!x) return;
    tw_net_destroy(x->net);
    tw_net_destroy(x->before);
    free(x->glides);
    free(x->in);
    free(x->out);
    free(x->block);
    free(x);
}

twNet* tw_instrument_net(twInstrument* x) { return x->net; }
int tw_instrument_contacts(const twInstrument* x) { return x->contact_count; }

// ---- another network ----

bool tw_instrument_fading(const twInstrument* x) { return x->fade_left > 0; }

static void take_over(const twInstrument* x, twNet* net, const twNetDef* def, const int* object_from,
                      const int* contact_from, int objects)
{
    for (int i = 0; i < def->object_count; i++)
    {
        int from = object_from ? object_from[i] : i;
        if (from >= 0 && from < objects) tw_net_take_object(net, i, x->net, from);
    }
    for (int i = 0; i < def->contact_count; i++)
    {
        int from = contact_from ? contact_from[i] : i;
        if (from >= 0 && from < x->contact_count) tw_net_take_contact(net, i, x->net, from);
    }
}

twStatus tw_instrument_change(twInstrument* x, const twNetDef* def, const int* object_from, const int* contact_from,
                              twError* err)
{
    if (def->input_count != x->input_count || def->output_count != x->output_count)
        return tw_fail(err, TW_BAD_INPUT, "%d inputs and %d outputs in place of %d and %d: they must stay as many",
                       def->input_count, def->output_count, x->input_count, x->output_count);
    twNet* net;
    twStatus status = tw_net_create(&net, def, err);
    if (status != TW_OK) return status;
    Glide* glides = make_glides(def);
    if (!glides)
    {
        tw_net_destroy(net);
        return tw_fail(err, TW_NO_MEMORY, "no memory for an instrument");
    }
    take_over(x, net, def, object_from, contact_from, tw_net_objects(x->net));
    free(x->glides);
    x->glides = glides;
    x->gliding = false;
    x->contact_count = def->contact_count;
    tw_net_destroy(x->before);
    x->before = x->net;
    x->net = net;
    // at another rate, or before the first sample, there is nothing to fade from
    bool fades = def->rate_hz == x->rate_hz && x->clock > 0;
    x->fade_length = x->fade_left = fades ? (int)(TW_INSTRUMENT_FADE * def->rate_hz) : 0;
    x->rate_hz = def->rate_hz;
    return TW_OK;
}

// ---- gliding laws ----

static int glide_steps(const twInstrument* x)
{
    return x->clock > 0 ? 1 + (int)(TW_INSTRUMENT_GLIDE * x->rate_hz / GRID) : 1;
}

static double closer(double from, double to, int left) { return from + (to - from) / left; }

static void glide_impact(twInstrument* x, int contact)
{
    Glide* g = &x->glides[contact];
    for (int i = 0; i < IMPACT_PARAMETERS; i++)
    {
        double *now = impact_parameter(&g->impact, i), target = *impact_parameter(&g->impact_target, i);
        *now = g->impact_left > 1 ? closer(*now, target, g->impact_left) : target;
    }
    g->impact_left--;
    tw_net_set_impact(x->net, contact, &g->impact);
}

static void glide_friction(twInstrument* x, int contact)
{
    Glide* g = &x->glides[contact];
    for (int i = 0; i < FRICTION_PARAMETERS; i++)
    {
        double *now = friction_parameter(&g->friction, i), target = *friction_parameter(&g->friction_target, i);
        *now = g->friction_left > 1 ? closer(*now, target, g->friction_left) : target;
    }
    g->friction.lugre = g->friction_target.lugre;
    g->friction_left--;
    tw_net_set_friction(x->net, contact, &g->friction);
}

// a step of all glides
static void glide(twInstrument* x)
{
    x->gliding = false;
    for (int i = 0; i < x->contact_count; i++)
    {
        const Glide* g = &x->glides[i];
        if (g->impact_left > 0) glide_impact(x, i);
        if (g->friction_left > 0) glide_friction(x, i);
        x->gliding = x->gliding || g->impact_left > 0 || g->friction_left > 0;
    }
}

void tw_instrument_set_impact(twInstrument* x, int contact, const twImpactLaw* law)
{
    TW_ASSERT(contact >= 0 && contact < x->contact_count);
    if (tw_impact_law_check(law, NULL) != TW_OK) return;
    x->glides[contact].impact_target = *law;
    x->glides[contact].impact_left = glide_steps(x);
    x->gliding = true;
    if (x->clock == 0) glide(x);
}

void tw_instrument_set_friction(twInstrument* x, int contact, const twFrictionLaw* law)
{
    TW_ASSERT(contact >= 0 && contact < x->contact_count);
    if (tw_friction_law_check(law, NULL) != TW_OK) return;
    x->glides[contact].friction_target = *law;
    x->glides[contact].friction_left = glide_steps(x);
    x->gliding = true;
    if (x->clock == 0) glide(x);
}

// ---- processing ----

// mix what the network before says into the outputs
static void fade(twInstrument* x, int n)
{
    tw_net_process(x->before, x->in, x->out_before, n);
    for (int i = 0; i < x->output_count; i++)
        for (int k = 0; k < n && x->out[i]; k++)
        {
            double share = k < x->fade_left ? (double)(x->fade_left - k) / x->fade_length : 0;
            x->out[i][k] += share * (x->out_before[i][k] - x->out[i][k]);
        }
    x->fade_left = n < x->fade_left ? x->fade_left - n : 0;
}

void tw_instrument_process(twInstrument* x, const double* const* in, double* const* out, int n)
{
    for (int at = 0; at < n;)
    {
        if (x->gliding && x->clock % GRID == 0) glide(x);
        int piece = n - at < BLOCK ? n - at : BLOCK, to_grid = GRID - (int)(x->clock % GRID);
        if (x->gliding && piece > to_grid) piece = to_grid;
        for (int i = 0; i < x->input_count; i++) x->in[i] = in && in[i] ? in[i] + at : NULL;
        for (int i = 0; i < x->output_count; i++) x->out[i] = out && out[i] ? out[i] + at : NULL;
        tw_net_process(x->net, x->in, x->out, piece);
        if (x->fade_left > 0) fade(x, piece);
        x->clock += piece;
        at += piece;
    }
}
