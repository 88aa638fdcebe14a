// SPDX-License-Identifier: MIT
// [twang_net~]: a network of objects and contacts, declared by messages (docs/pd.md). What they are: pd_sketch.c. And
//
//   strike CONTACT V, throw OBJECT X V, oversample N
#include "pd_sketch.h"

PD_EXPORT void twang_net_tilde_setup(void);

typedef struct Net
{
    PdObject pd;
    twSketch* sketch;
    twInstrument* instrument;  // NULL until the first is built
    int oversample;
} Net;

static t_class* net_class;

static void net_build(Net* x)
{
    twError err;
    if (pd_waits(&x->pd, x->instrument && tw_instrument_fading(x->instrument), 5)) return;
    if (pd_ok(&x->pd, tw_sketch_build(x->sketch, &x->instrument, x->pd.rate_hz, x->oversample, &err), &err))
        x->pd.built_hz = x->pd.rate_hz;
}

static void net_process(Net* x, double* const* in, double* const* out, int n)
{
    tw_instrument_process(x->instrument, (const double* const*)in, out, n);
}

// ---- messages ----

static void net_edit(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    if (pd_sketch_message(&x->pd, x->sketch, selector->s_name, argc, argv)) pd_later(&x->pd, 0);
}

static void net_oversample(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    double count;
    if (!pd_number(&x->pd, selector->s_name, argc, argv, 1, 64, &count)) return;
    x->oversample = (int)count;
    pd_later(&x->pd, 0);
}

// strike CONTACT V, throw OBJECT X V: what was declared in this instant is there before
static void net_play(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    twError err;
    const char* name;
    double numbers[2] = {0, 0};
    bool strike = selector == gensym("strike");
    if (!pd_words(&x->pd, selector->s_name, argc, argv, 1, &name) ||
        !pd_fill(&x->pd, selector->s_name, argc - 1, argv + 1, strike ? 1 : 2, numbers))
        return;
    if (tw_sketch_changed(x->sketch)) net_build(x);
    pd_ok(&x->pd,
          strike ? tw_sketch_strike(x->sketch, x->instrument, name, numbers[0], &err)
                 : tw_sketch_throw(x->sketch, x->instrument, name, numbers[0], numbers[1], &err),
          &err);
}

// ---- class ----

static void net_free(Net* x)
{
    pd_end(&x->pd);
    tw_instrument_destroy(x->instrument);
    tw_sketch_destroy(x->sketch);
}

static void* net_new(t_symbol* selector, int argc, t_atom* argv)
{
    (void)selector;
    twError err;
    Net* x = pd_make(net_class, sizeof *x, (PdBuild)net_build, (PdProcess)net_process);
    int ins = pd_flag_count(&x->pd, argc, argv, "ins", 2, PD_MAX_PORTS);
    int outs = pd_flag_count(&x->pd, argc, argv, "outs", 2, PD_MAX_PORTS);
    pd_ports(&x->pd, ins, outs);
    x->oversample = 1;
    if (!pd_ok(&x->pd, tw_sketch_create(&x->sketch, ins, outs, &err), &err))
    {
        pd_free(&x->pd.object.ob_pd);
        return NULL;
    }
    pd_flags(&x->pd, argc, argv);
    net_build(x);
    return x;
}

void twang_net_tilde_setup(void)
{
    net_class = pd_class_of("twang_net~", (t_newmethod)net_new, (t_method)net_free, sizeof(Net));
    pd_methods(net_class, (t_method)net_edit, pd_sketch_selectors);
    pd_methods(net_class, (t_method)net_play, (const char* const[]){"strike", "throw", NULL});
    pd_methods(net_class, (t_method)net_oversample, (const char* const[]){"oversample", NULL});
}
