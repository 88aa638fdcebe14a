// SPDX-License-Identifier: MIT
// An exciter against a resonator.
#include "pd_pair.h"
#include "pd_law.h"
#include <math.h>
#include <string.h>

#define PAIR_RAMP 0.02    // of bases [s]
#define PAIR_RETRY_MS 5.  // while sound passes over

twNet* pair_net(Pair* x) { return x->instrument ? tw_instrument_net(x->instrument) : NULL; }

// ---- building ----

static twStatus build_net(Pair* x, const twModes* exciter, const twModes* resonator, twError* err)
{
    static const int afresh[] = {-1, -1};
    const PairKind* kind = x->kind;
    twNetObject objects[] = {{.modes = exciter}, {.modes = resonator}};
    twNetInput inputs[PAIR_INPUTS];
    twNetOutput outputs[PD_MAX_PORTS];
    memcpy(inputs, kind->inputs, sizeof inputs);
    for (int i = 0; i < kind->input_count; i++)
        if (inputs[i].kind == TW_IN_FORCE && inputs[i].object == PAIR_RESONATOR) inputs[i].point = x->contact.b_point;
    for (int i = 0; i < x->pickups; i++)
        outputs[i] = (twNetOutput){.kind = TW_OUT_VELOCITY, .object = PAIR_RESONATOR, .index = i};
    for (int i = 0; i < kind->extra_count; i++)
    {
        outputs[x->pickups + i] = kind->extras[i];
        if (kind->extras[i].object == PAIR_RESONATOR) outputs[x->pickups + i].index = x->contact.b_point;
    }
    twNetDef def = tw_net_def();
    def.rate_hz = x->pd.rate_hz;
    def.oversample = x->oversample;
    def.object_count = 2, def.objects = objects;
    def.contact_count = 1, def.contacts = &x->contact;
    def.input_count = kind->input_count, def.inputs = inputs;
    def.output_count = x->pickups + kind->extra_count, def.outputs = outputs;
    if (!x->instrument) return tw_instrument_create(&x->instrument, &def, err);
    return tw_instrument_change(x->instrument, &def, x->fresh ? afresh : NULL, x->fresh ? afresh : NULL, err);
}

static void pair_build(Pair* x)
{
    clock_unset(x->pd.clock);
    if (pd_waits(&x->pd, x->instrument && tw_instrument_fading(x->instrument), PAIR_RETRY_MS)) return;
    twError err;
    twModes *exciter = NULL, *resonator = NULL;
    double below = 0.5 * x->pd.rate_hz;
    bool ok = pd_ok(&x->pd, tw_draft_modes(&exciter, x->exciter, below, &err), &err) &&
              pd_ok(&x->pd, tw_draft_modes(&resonator, x->resonator, below, &err), &err) &&
              pd_ok(&x->pd, build_net(x, exciter, resonator, &err), &err);
    if (ok)
    {
        // silence, and the hammer a little off
        if (x->fresh && x->kind->away > 0 && tw_net_modes(pair_net(x), PAIR_EXCITER) > 0)
            tw_net_throw(pair_net(x), PAIR_EXCITER, 0, -x->kind->away + fmin(x->contact.gap, 0), 0);
        x->pd.built_hz = x->pd.rate_hz;
        x->fresh = false;
        x->modes = resonator->mode_count;
    }
    tw_modes_destroy(exciter);
    tw_modes_destroy(resonator);
}

void pair_later(Pair* x)
{
    // while it is being made the constructor builds
    if (x->instrument) pd_later(&x->pd, 0);
}

bool pair_silenced(Pair* x)
{
    if (x->instrument && x->fresh) pair_build(x);
    return !x->fresh;
}

// ---- messages ----

static void pair_modes(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    if (pd_modes_message(&x->pd, x->resonator, selector->s_name, argc, argv)) pair_later(x);
}

static void pair_exciter(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    (void)selector;
    if (argc < 1 || argv[0].a_type != A_SYMBOL)
        pd_fail(&x->pd, "exciter takes a message for the exciter, like exciter mass 0.05");
    else if (pd_modes_message(&x->pd, x->exciter, argv[0].a_w.w_symbol->s_name, argc - 1, argv + 1))
        pair_later(x);
}

static void pair_point(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    if (pd_index(&x->pd, selector->s_name, argc, argv, tw_draft_points(x->resonator), &x->contact.b_point))
        pair_later(x);
}

static void pair_oversample(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    double count;
    if (!pd_number(&x->pd, selector->s_name, argc, argv, 1, 64, &count)) return;
    x->oversample = (int)count;
    pair_later(x);
}

static void pair_reset(Pair* x)
{
    x->fresh = true;
    pair_later(x);
}

static void pair_info(Pair* x)
{
    const char* name = class_getname(pd_class(&x->pd.object.ob_pd));
    if (!x->instrument) return;
    twNetStats stats = tw_net_stats(pair_net(x));
    post("%s: %d modes of %d, %d points, %d pickups, at %g Hz; %ld solves not met, %ld resets", name, x->modes,
         tw_draft_count(x->resonator), tw_draft_points(x->resonator), x->pickups, x->pd.built_hz, stats.unconverged,
         stats.resets);
}

void pair_base(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    double value;
    for (int i = 0; i < PAIR_BASES; i++)
        if (x->kind->bases[i] && strcmp(x->kind->bases[i], selector->s_name) == 0 &&
            pd_number(&x->pd, selector->s_name, argc, argv, -1e6, 1e6, &value))
            tw_ramp_to(&x->base[i], value, x->instrument ? (int)(PAIR_RAMP * x->pd.rate_hz) : 0);
}

static void pair_impact(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    if (pd_impact_message(&x->pd, &x->contact.impact, selector->s_name, argc, argv) && x->instrument)
        tw_instrument_set_impact(x->instrument, 0, &x->contact.impact);
}

static void pair_friction(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    if (pd_friction_message(&x->pd, &x->contact.friction, selector->s_name, argc, argv) && x->instrument)
        tw_instrument_set_friction(x->instrument, 0, &x->contact.friction);
}

// ---- classes ----

static void pair_process(Pair* x, double* const* in, double* const* out, int n)
{
    x->kind->fill(x, in, n);
    tw_instrument_process(x->instrument, (const double* const*)in, out, n);
}

void* pair_new(t_class* class, const PairKind* kind, size_t size, const char* defaults, int argc, t_atom* argv)
{
    Pair* x = pd_make(class, size, (PdBuild)pair_build, (PdProcess)pair_process);
    twError err;
    x->kind = kind;
    x->contact = tw_contact_def();
    x->contact.has_impact = kind->impact;
    x->contact.has_friction = kind->friction;
    x->oversample = 1;
    x->fresh = true;
    int points = pd_flag_count(&x->pd, argc, argv, "points", 1, TW_MAX_DRAFT_ROWS);
    x->pickups = pd_flag_count(&x->pd, argc, argv, "pickups", 1, 32);
    pd_ports(&x->pd, kind->input_count, x->pickups + kind->extra_count);
    if (!pd_ok(&x->pd, tw_draft_create(&x->exciter, 1, 1, &err), &err) ||
        !pd_ok(&x->pd, tw_draft_create(&x->resonator, points, x->pickups, &err), &err))
    {
        pd_free(&x->pd.object.ob_pd);
        return NULL;
    }
    pd_defaults(&x->pd, defaults);
    pd_flags(&x->pd, argc, argv);
    pair_build(x);
    return x;
}

void pair_free(Pair* x)
{
    pd_end(&x->pd);
    tw_instrument_destroy(x->instrument);
    tw_draft_destroy(x->exciter);
    tw_draft_destroy(x->resonator);
}

t_class* pair_class(const char* name, t_newmethod make, t_method freeing, size_t size)
{
    t_class* class = pd_class_of(name, make, freeing, size);
    pd_methods(class, (t_method)pair_modes, pd_modes_selectors);
    pd_methods(class, (t_method)pair_exciter, (const char* const[]){"exciter", NULL});
    pd_methods(class, (t_method)pair_point, (const char* const[]){"point", NULL});
    pd_methods(class, (t_method)pair_oversample, (const char* const[]){"oversample", NULL});
    class_addmethod(class, (t_method)pair_reset, gensym("reset"), A_NULL);
    class_addmethod(class, (t_method)pair_info, gensym("info"), A_NULL);
    return class;
}

void pair_add_impact(t_class* class) { pd_methods(class, (t_method)pair_impact, pd_impact_selectors); }

void pair_add_friction(t_class* class) { pd_methods(class, (t_method)pair_friction, pd_friction_selectors); }
