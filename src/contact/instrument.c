// SPDX-License-Identifier: MIT
// A network that is played. Laws glide sample by sample, tunings in steps on a grid of samples counted from the start, so that blocks of
// any size give the same bits; a network that was replaced sounds on beside its successor while one fades into the other, along
//
//   s(t) = (1 + cos(pi t))/2,  t = 0 .. 1,
//
// which leaves and arrives without a kink.

#include "glide.h"
#include "law_names.h"
#include "net.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    GRID = 16,      // samples between two steps of a tuning,
    FINE_GRID = 4,  // or, of FEW modes,
    FEW = 64,
    BLOCK = 64
};
#define BEND 1.06  // frequencies that change by less are tuned in place

// laws of a contact on their way
typedef struct LawGlide
{
    Glide impact, friction;
    bool lugre;
} LawGlide;

// frequencies and decays of an object on their way, now and then (modes each)
typedef struct Tuning
{
    int modes, left;  // steps on the grid
    double *freq_hz, *decay, *freq_to, *decay_to;
} Tuning;

struct twInstrument
{
    twNet *net,
        *before;  // before fades out; NULL if there is none, kept for change() or destroy() to free after the fade
    double rate_hz;
    int input_count, output_count, contact_count, object_count;
    int grid;          // of tunings [samples]
    LawGlide* glides;  // (contacts)
    Tuning* tunings;   // (objects)
    bool gliding, tuning;
    int fade_left, fade_length;  // samples
    int64_t clock;               // samples processed
    const double** in;           // (inputs)
    double **out, **out_before;  // (outputs)
    double* block;               // of the network before (outputs x BLOCK)
};

// ---- laws as numbers ----

static void impact_numbers(const twImpactLaw* law, double* numbers)
{
    twImpactLaw copy = *law;
    for (int i = 0; i < IMPACT_PARAMETERS; i++) numbers[i] = *impact_parameter(&copy, i);
}

static void friction_numbers(const twFrictionLaw* law, double* numbers)
{
    twFrictionLaw copy = *law;
    for (int i = 0; i < FRICTION_PARAMETERS; i++) numbers[i] = *friction_parameter(&copy, i);
}

// ---- create and destroy ----

static LawGlide* make_glides(const twNetDef* def)
{
    double numbers[GLIDE_NUMBERS];
    LawGlide* glides = calloc((size_t)def->contact_count + 1, sizeof *glides);
    for (int i = 0; glides && i < def->contact_count; i++)
    {
        impact_numbers(&def->contacts[i].impact, numbers);
        glide_start(&glides[i].impact, numbers, IMPACT_PARAMETERS);
        friction_numbers(&def->contacts[i].friction, numbers);
        glide_start(&glides[i].friction, numbers, FRICTION_PARAMETERS);
        glides[i].lugre = def->contacts[i].friction.lugre;
    }
    return glides;
}

static int choose_grid(const twNetDef* def)
{
    int modes = 0;
    for (int i = 0; i < def->object_count; i++) modes += def->objects[i].modes->mode_count;
    return modes > FEW ? GRID : FINE_GRID;
}

// one block: the tunings, then the numbers of all
static Tuning* make_tunings(const twNetDef* def)
{
    size_t modes = 0;
    for (int i = 0; i < def->object_count; i++) modes += (size_t)def->objects[i].modes->mode_count;
    Tuning* tunings = calloc(1, ((size_t)def->object_count + 1) * sizeof *tunings + 4 * modes * sizeof(double));
    double* numbers = tunings ? (double*)(tunings + def->object_count + 1) : NULL;
    for (int i = 0; tunings && i < def->object_count; i++)
    {
        Tuning* t = &tunings[i];
        t->modes = def->objects[i].modes->mode_count;
        t->freq_hz = numbers, t->decay = numbers + t->modes;
        t->freq_to = numbers + 2 * t->modes, t->decay_to = numbers + 3 * t->modes;
        numbers += 4 * t->modes;
        memcpy(t->freq_hz, def->objects[i].modes->freq_hz, (size_t)t->modes * sizeof(double));
        memcpy(t->decay, def->objects[i].modes->decay, (size_t)t->modes * sizeof(double));
    }
    return tunings;
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
        x->object_count = def->object_count;
        x->grid = choose_grid(def);
        x->glides = make_glides(def);
        x->tunings = make_tunings(def);
        x->in = calloc(inputs, sizeof *x->in);
        x->out = calloc(2 * outputs, sizeof *x->out);
        x->block = calloc(outputs * BLOCK, sizeof *x->block);
    }
    if (!x || !x->glides || !x->tunings || !x->in || !x->out || !x->block)
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
    free(x->tunings);
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

static bool in_place(const int* from, int count)
{
    for (int i = 0; from && i < count; i++)
        if (from[i] != i) return false;
    return true;
}

// nothing but tunings, by little, and laws differ from what sounds
static bool only_bends(const twInstrument* x, const twNetDef* def)
{
    if (!net_same_but_tuning(x->net, def)) return false;
    for (int i = 0; i < def->object_count; i++)
        for (int k = 0; k < x->tunings[i].modes; k++)
        {
            double now = x->tunings[i].freq_hz[k], then = def->objects[i].modes->freq_hz[k];
            if (!(now <= BEND * then && then <= BEND * now)) return false;
        }
    return true;
}

static void bend(twInstrument* x, const twNetDef* def)
{
    for (int i = 0; i < def->object_count; i++)
    {
        Tuning* t = &x->tunings[i];
        const twModes* modes = def->objects[i].modes;
        size_t size = (size_t)t->modes * sizeof(double);
        if (memcmp(t->freq_hz, modes->freq_hz, size) == 0 && memcmp(t->decay, modes->decay, size) == 0 && t->left == 0)
            continue;
        memcpy(t->freq_to, modes->freq_hz, size);
        memcpy(t->decay_to, modes->decay, size);
        t->left = x->clock > 0 ? 1 + (int)(TW_INSTRUMENT_GLIDE * x->rate_hz / x->grid) : 1;
        x->tuning = true;
    }
    for (int i = 0; i < def->contact_count; i++)
    {
        tw_instrument_set_impact(x, i, &def->contacts[i].impact);
        tw_instrument_set_friction(x, i, &def->contacts[i].friction);
    }
}

twStatus tw_instrument_change(twInstrument* x, const twNetDef* def, const int* object_from, const int* contact_from,
                              twError* err)
{
    if (def->input_count != x->input_count || def->output_count != x->output_count)
        return tw_fail(err, TW_BAD_INPUT, "%d inputs and %d outputs in place of %d and %d: they must stay as many",
                       def->input_count, def->output_count, x->input_count, x->output_count);
    twStatus status = net_check(def, err);
    if (status != TW_OK) return status;
    if (in_place(object_from, def->object_count) && in_place(contact_from, def->contact_count) && only_bends(x, def))
    {
        bend(x, def);
        return TW_OK;
    }
    twNet* net;
    status = tw_net_create(&net, def, err);
    if (status != TW_OK) return status;
    LawGlide* glides = make_glides(def);
    Tuning* tunings = make_tunings(def);
    if (!glides || !tunings)
    {
        tw_net_destroy(net);
        free(glides);
        free(tunings);
        return tw_fail(err, TW_NO_MEMORY, "no memory for an instrument");
    }
    take_over(x, net, def, object_from, contact_from, tw_net_objects(x->net));
    if (x->clock > 0) net_settle(net, x->net, object_from, contact_from);
    free(x->glides);
    free(x->tunings);
    x->glides = glides;
    x->tunings = tunings;
    x->gliding = x->tuning = false;
    x->contact_count = def->contact_count;
    x->object_count = def->object_count;
    x->grid = choose_grid(def);
    tw_net_destroy(x->before);
    x->before = x->net;
    x->net = net;
    // at another rate, or before the first sample, there is nothing to fade from
    bool fades = def->rate_hz == x->rate_hz && x->clock > 0;
    x->fade_length = x->fade_left = fades ? (int)(TW_INSTRUMENT_FADE * def->rate_hz) : 0;
    x->rate_hz = def->rate_hz;
    return TW_OK;
}

// ---- gliding ----

static void glide_impact(twInstrument* x, int contact)
{
    Glide* g = &x->glides[contact].impact;
    twImpactLaw law;
    glide_next(g);
    for (int i = 0; i < IMPACT_PARAMETERS; i++) *impact_parameter(&law, i) = g->now[i];
    tw_net_set_impact(x->net, contact, &law);
}

static void glide_friction(twInstrument* x, int contact)
{
    Glide* g = &x->glides[contact].friction;
    twFrictionLaw law = {.lugre = x->glides[contact].lugre};
    glide_next(g);
    for (int i = 0; i < FRICTION_PARAMETERS; i++) *friction_parameter(&law, i) = g->now[i];
    tw_net_set_friction(x->net, contact, &law);
}

// a step of all laws
static void glide_laws(twInstrument* x)
{
    x->gliding = false;
    for (int i = 0; i < x->contact_count; i++)
    {
        const LawGlide* g = &x->glides[i];
        if (g->impact.left > 0) glide_impact(x, i);
        if (g->friction.left > 0) glide_friction(x, i);
        x->gliding = x->gliding || g->impact.left > 0 || g->friction.left > 0;
    }
}

static double closer(double from, double to, int left) { return from + (to - from) / left; }

// a step of all tunings
static void glide_tunings(twInstrument* x)
{
    x->tuning = false;
    for (int i = 0; i < x->object_count; i++)
    {
        Tuning* t = &x->tunings[i];
        if (t->left == 0) continue;
        for (int k = 0; k < t->modes; k++)
        {
            t->freq_hz[k] = t->left > 1 ? closer(t->freq_hz[k], t->freq_to[k], t->left) : t->freq_to[k];
            t->decay[k] = t->left > 1 ? closer(t->decay[k], t->decay_to[k], t->left) : t->decay_to[k];
        }
        tw_net_set_modes(x->net, i, t->freq_hz, t->decay);
        x->tuning = x->tuning || --t->left > 0;
    }
}

// from the next sample on; before the first sample at once
static void glide_start_to(twInstrument* x, Glide* g, const double* target)
{
    glide_to(g, target, x->clock > 0 ? 1 + (int)(TW_INSTRUMENT_GLIDE * x->rate_hz) : 1);
    x->gliding = true;
    if (x->clock == 0) glide_laws(x);
}

void tw_instrument_set_impact(twInstrument* x, int contact, const twImpactLaw* law)
{
    double target[GLIDE_NUMBERS];
    TW_ASSERT(contact >= 0 && contact < x->contact_count);
    Glide* g = &x->glides[contact].impact;
    impact_numbers(law, target);
    if (tw_impact_law_check(law, NULL) != TW_OK || memcmp(target, g->target, IMPACT_PARAMETERS * sizeof(double)) == 0)
        return;
    glide_start_to(x, g, target);
}

void tw_instrument_set_friction(twInstrument* x, int contact, const twFrictionLaw* law)
{
    double target[GLIDE_NUMBERS];
    TW_ASSERT(contact >= 0 && contact < x->contact_count);
    LawGlide* g = &x->glides[contact];
    friction_numbers(law, target);
    if (tw_friction_law_check(law, NULL) != TW_OK ||
        (law->lugre == g->lugre && memcmp(target, g->friction.target, FRICTION_PARAMETERS * sizeof(double)) == 0))
        return;
    g->lugre = law->lugre;
    glide_start_to(x, &g->friction, target);
}

// ---- processing ----

// mix what the network before says into the outputs
static void fade(twInstrument* x, int n)
{
    tw_net_process(x->before, x->in, x->out_before, n);
    for (int k = 0; k < n && k < x->fade_left; k++)
    {
        double share = 0.5 - 0.5 * cos(TW_PI * (x->fade_left - k) / x->fade_length);
        for (int i = 0; i < x->output_count; i++)
            if (x->out[i]) x->out[i][k] += share * (x->out_before[i][k] - x->out[i][k]);
    }
    x->fade_left = n < x->fade_left ? x->fade_left - n : 0;
}

void tw_instrument_process(twInstrument* x, const double* const* in, double* const* out, int n)
{
    for (int at = 0; at < n;)
    {
        int to_grid = x->grid - (int)(x->clock % x->grid);
        if (x->tuning && to_grid == x->grid) glide_tunings(x);
        if (x->gliding) glide_laws(x);
        int most = x->gliding ? 1 : x->tuning ? to_grid : BLOCK, piece = n - at < most ? n - at : most;
        for (int i = 0; i < x->input_count; i++) x->in[i] = in && in[i] ? in[i] + at : NULL;
        for (int i = 0; i < x->output_count; i++) x->out[i] = out && out[i] ? out[i] + at : NULL;
        tw_net_process(x->net, x->in, x->out, piece);
        if (x->fade_left > 0) fade(x, piece);
        x->clock += piece;
        at += piece;
    }
}
