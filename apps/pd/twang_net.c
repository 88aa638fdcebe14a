// SPDX-License-Identifier: MIT
// [twang_net~]: a network of objects and contacts, declared by messages (docs/pd.md).
//
//   object NAME MODES...          what it is made of, as in [twang_modal~]: object bell series bar 440 8
//   contact NAME A B              between points, like hammer and bell.2, or wall
//   impact NAME [PARAMETER X]...  friction NAME [PARAMETER X]...  gap NAME X  normal NAME X
//   in I KIND OF, out I KIND OF   what an inlet drives and what an outlet hears
//   strike NAME V, throw OBJECT X V, clear, oversample N
#include "twang/contact.h"
#include "twang_pd.h"
#include <string.h>

PD_EXPORT void twang_net_tilde_setup(void);

typedef struct Net
{
    PdObject pd;
    twSketch* sketch;
    twInstrument* instrument;  // NULL until the first object
    double built_hz;
    int oversample;
} Net;

static t_class* net_class;

static void net_build(Net* x)
{
    twError err;
    if (x->instrument && tw_instrument_fading(x->instrument) && x->built_hz == x->pd.rate_hz)
        pd_later(&x->pd, 5);
    else if (pd_ok(&x->pd, tw_sketch_build(x->sketch, &x->instrument, x->pd.rate_hz, x->oversample, &err), &err))
        x->built_hz = x->pd.rate_hz;
}

// what an edit came to; a network follows
static void net_edited(Net* x, twStatus status, const twError* err)
{
    if (pd_ok(&x->pd, status, err)) pd_later(&x->pd, 0);
}

// ---- what there is ----

static void net_object(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    twError err;
    twDraft* draft;
    const char* words[2];
    if (pd_words(&x->pd, selector->s_name, argc, argv, 2, words) &&
        pd_ok(&x->pd, tw_sketch_object(x->sketch, words[0], &draft, &err), &err) &&
        pd_modes_message(&x->pd, draft, words[1], argc - 2, argv + 2))
        pd_later(&x->pd, 0);
}

static void net_contact(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    twError err;
    const char* words[3];
    if (pd_words(&x->pd, selector->s_name, argc, argv, 3, words))
        net_edited(x, tw_sketch_contact(x->sketch, words[0], words[1], words[2], &err), &err);
}

// impact or friction, with parameters and values in turn
static void net_law(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    enum
    {
        MOST = 16
    };
    twError err;
    const char *contact, *names[MOST];
    double values[MOST];
    int count = 0;
    if (!pd_words(&x->pd, selector->s_name, argc, argv, 1, &contact)) return;
    for (int i = 1; i < argc && count < MOST; i += 2, count++)
        if (!pd_words(&x->pd, selector->s_name, argc - i, argv + i, 1, &names[count]) ||
            !pd_number(&x->pd, names[count], i + 1 < argc, argv + i + 1, -1e30, 1e30, &values[count]))
            return;
    bool impact = selector == gensym("impact");
    net_edited(x, (impact ? tw_sketch_impact : tw_sketch_friction)(x->sketch, contact, names, values, count, &err),
               &err);
}

// gap or normal of a contact
static void net_number(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    twError err;
    const char* contact;
    double value;
    bool gap = selector == gensym("gap");
    if (pd_words(&x->pd, selector->s_name, argc, argv, 1, &contact) &&
        pd_number(&x->pd, selector->s_name, argc - 1, argv + 1, -1e30, 1e30, &value))
        net_edited(x, (gap ? tw_sketch_gap : tw_sketch_normal)(x->sketch, contact, value, &err), &err);
}

// in I KIND OF, out I KIND OF; none is of nothing
static void net_port(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    twError err;
    int port;
    const char* words[] = {"", ""};
    bool in = selector == gensym("in"),
         none = argc == 2 && argv[1].a_type == A_SYMBOL && argv[1].a_w.w_symbol == gensym("none");
    if (!pd_index(&x->pd, selector->s_name, argc > 0, argv, in ? x->pd.inlets : x->pd.outlets, &port) ||
        !pd_words(&x->pd, selector->s_name, argc - 1, argv + 1, none ? 1 : 2, words))
        return;
    net_edited(x, (in ? tw_sketch_input : tw_sketch_output)(x->sketch, port, words[0], words[1], &err), &err);
}

static void net_clear(Net* x)
{
    tw_sketch_clear(x->sketch);
    pd_later(&x->pd, 0);
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
    int count = selector == gensym("strike") ? 1 : 2;
    if (!pd_words(&x->pd, selector->s_name, argc, argv, 1, &name) ||
        !pd_fill(&x->pd, selector->s_name, argc - 1, argv + 1, count, numbers))
        return;
    if (tw_sketch_changed(x->sketch)) net_build(x);
    pd_ok(&x->pd,
          count == 1 ? tw_sketch_strike(x->sketch, x->instrument, name, numbers[0], &err)
                     : tw_sketch_throw(x->sketch, x->instrument, name, numbers[0], numbers[1], &err),
          &err);
}

// ---- sound ----

static void net_process(PdObject* x, double* const* in, double* const* out, int n)
{
    tw_instrument_process(((Net*)x)->instrument, (const double* const*)in, out, n);
}

static t_int* net_perform(t_int* w)
{
    Net* x = (Net*)w[1];
    pd_perform(&x->pd, x->instrument ? net_process : NULL, (int)w[2]);
    return w + 3;
}

static void net_dsp(Net* x, t_signal** signals)
{
    pd_dsp(&x->pd, signals, net_perform);
    if (x->built_hz != x->pd.rate_hz) net_build(x);
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
    Net* x = (Net*)pd_new(net_class);
    memset((char*)x + sizeof(t_object), 0, sizeof *x - sizeof(t_object));
    pd_begin(&x->pd, (t_method)net_build);
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
    t_class* class =
        pd_class_of("twang_net~", (t_newmethod)net_new, (t_method)net_free, sizeof(Net), (t_method)net_dsp);
    pd_methods(class, (t_method)net_object, (const char* const[]){"object", NULL});
    pd_methods(class, (t_method)net_contact, (const char* const[]){"contact", NULL});
    pd_methods(class, (t_method)net_law, (const char* const[]){"impact", "friction", NULL});
    pd_methods(class, (t_method)net_number, (const char* const[]){"gap", "normal", NULL});
    pd_methods(class, (t_method)net_port, (const char* const[]){"in", "out", NULL});
    pd_methods(class, (t_method)net_play, (const char* const[]){"strike", "throw", NULL});
    pd_methods(class, (t_method)net_oversample, (const char* const[]){"oversample", NULL});
    class_addmethod(class, (t_method)net_clear, gensym("clear"), A_NULL);
    net_class = class;
}
