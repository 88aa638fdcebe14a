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

// the word at an argument, or NULL and an error
static const char* word_at(Net* x, const char* what, int at, int argc, const t_atom* argv)
{
    if (at < argc && argv[at].a_type == A_SYMBOL) return argv[at].a_w.w_symbol->s_name;
    pd_fail(&x->pd, "%s: argument %d should be a word", what, at + 1);
    return NULL;
}

static int contact_at(Net* x, const char* what, int argc, const t_atom* argv)
{
    const char* name = word_at(x, what, 0, argc, argv);
    int contact = name ? tw_sketch_find_contact(x->sketch, name) : -1;
    if (name && contact < 0) pd_fail(&x->pd, "%s: there is no contact '%s'", what, name);
    return contact;
}

// ---- what there is ----

static void net_object(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    twError err;
    twDraft* draft;
    const char *name = word_at(x, selector->s_name, 0, argc, argv), *what;
    if (!name || !(what = word_at(x, selector->s_name, 1, argc, argv))) return;
    if (pd_ok(&x->pd, tw_sketch_object(x->sketch, name, &draft, &err), &err) &&
        pd_modes_message(&x->pd, draft, what, argc - 2, argv + 2))
        pd_later(&x->pd, 0);
}

static void net_contact(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    twError err;
    const char* words[3];
    for (int i = 0; i < 3; i++)
        if (!(words[i] = word_at(x, selector->s_name, i, argc, argv))) return;
    if (pd_ok(&x->pd, tw_sketch_contact(x->sketch, words[0], words[1], words[2], &err), &err)) pd_later(&x->pd, 0);
}

// parameters and values of a law, checked together before they are taken
static bool read_law(Net* x, bool impact, twContactDef* def, int argc, const t_atom* argv)
{
    twError err;
    for (int i = 1; i < argc; i += 2)
    {
        const char* name = word_at(x, impact ? "impact" : "friction", i, argc, argv);
        if (!name) return false;
        double* value = impact ? tw_impact_law_find(&def->impact, name) : tw_friction_law_find(&def->friction, name);
        if (!value) pd_fail(&x->pd, "%s has no parameter '%s'", impact ? "impact" : "friction", name);
        if (!value || !pd_number(&x->pd, name, i + 1 < argc, argv + i + 1, -1e30, 1e30, value)) return false;
    }
    return pd_ok(&x->pd, impact ? tw_impact_law_check(&def->impact, &err) : tw_friction_law_check(&def->friction, &err),
                 &err);
}

static void net_law(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    bool impact = selector == gensym("impact");
    int contact = contact_at(x, selector->s_name, argc, argv);
    if (contact < 0) return;
    twContactDef def = *tw_sketch_contact_def(x->sketch, contact);
    if (!read_law(x, impact, &def, argc, argv)) return;
    bool *on = impact ? &def.has_impact : &def.has_friction, has = *on;
    *on = true;
    *tw_sketch_contact_def(x->sketch, contact) = def;
    // a law that is there glides; a new one needs another network
    if (!has || !x->instrument || contact >= tw_instrument_contacts(x->instrument))
        pd_later(&x->pd, 0);
    else if (impact)
        tw_instrument_set_impact(x->instrument, contact, &def.impact);
    else
        tw_instrument_set_friction(x->instrument, contact, &def.friction);
}

// gap or normal of a contact
static void net_number(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    int contact = contact_at(x, selector->s_name, argc, argv);
    bool gap = selector == gensym("gap");
    if (contact < 0) return;
    twContactDef* def = tw_sketch_contact_def(x->sketch, contact);
    if (pd_number(&x->pd, selector->s_name, argc - 1, argv + 1, gap ? -1 : 0, gap ? 1 : 1e6,
                  gap ? &def->gap : &def->normal_force))
        pd_later(&x->pd, 0);
}

// in I KIND OF, out I KIND OF
static void net_port(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    twError err;
    int port;
    bool in = selector == gensym("in");
    if (argc < 2 || !pd_index(&x->pd, selector->s_name, 1, argv, in ? x->pd.inlets : x->pd.outlets, &port))
    {
        if (argc < 2) pd_fail(&x->pd, "%s takes a number, what it is, and of what", selector->s_name);
        return;
    }
    const char *kind = word_at(x, selector->s_name, 1, argc, argv), *of = NULL;
    if (!kind || (strcmp(kind, "none") != 0 && !(of = word_at(x, selector->s_name, 2, argc, argv)))) return;
    twStatus status = in ? tw_sketch_input(x->sketch, port, kind, of ? of : "", &err)
                         : tw_sketch_output(x->sketch, port, kind, of ? of : "", &err);
    if (pd_ok(&x->pd, status, &err)) pd_later(&x->pd, 0);
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

// ---- playing ----

// what was declared in this instant is there before it is struck
static bool is_built(Net* x, int objects, int contacts)
{
    if (!x->instrument || objects >= tw_net_objects(tw_instrument_net(x->instrument)) ||
        contacts >= tw_instrument_contacts(x->instrument))
        net_build(x);
    return x->instrument && objects < tw_net_objects(tw_instrument_net(x->instrument)) &&
           contacts < tw_instrument_contacts(x->instrument);
}

static void net_strike(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    double velocity;
    int contact = contact_at(x, selector->s_name, argc, argv);
    if (contact >= 0 && pd_number(&x->pd, selector->s_name, argc - 1, argv + 1, -1000, 1000, &velocity) &&
        is_built(x, -1, contact))
        tw_net_strike(tw_instrument_net(x->instrument), contact, velocity);
}

static void net_throw(Net* x, t_symbol* selector, int argc, t_atom* argv)
{
    double place, velocity;
    const char* name = word_at(x, selector->s_name, 0, argc, argv);
    int object = name ? tw_sketch_find_object(x->sketch, name) : -1;
    if (name && object < 0) pd_fail(&x->pd, "throw: there is no object '%s'", name);
    if (object >= 0 && argc != 3) pd_fail(&x->pd, "throw takes an object, a place and a velocity");
    if (object < 0 || argc != 3 || !pd_number(&x->pd, "throw", 1, argv + 1, -1000, 1000, &place) ||
        !pd_number(&x->pd, "throw", 1, argv + 2, -1000, 1000, &velocity) || !is_built(x, object, -1))
        return;
    tw_net_throw(tw_instrument_net(x->instrument), object, 0, place, velocity);
}

// ---- sound ----

static t_int* net_perform(t_int* w)
{
    Net* x = (Net*)w[1];
    int n = (int)w[2];
    double in_block[PD_MAX_PORTS][PD_CHUNK], out_block[PD_MAX_PORTS][PD_CHUNK], *out[PD_MAX_PORTS];
    const double* in[PD_MAX_PORTS];
    if (!x->instrument) pd_silence(&x->pd, n);
    for (int i = 0; i < x->pd.inlets; i++) in[i] = in_block[i];
    for (int i = 0; i < x->pd.outlets; i++) out[i] = out_block[i];
    for (int at = 0; at < n && x->instrument; at += PD_CHUNK)
    {
        int piece = n - at < PD_CHUNK ? n - at : PD_CHUNK;
        for (int i = 0; i < x->pd.inlets; i++) pd_read(&x->pd, i, at, in_block[i], piece);
        tw_instrument_process(x->instrument, in, out, piece);
        for (int i = 0; i < x->pd.outlets; i++) pd_write(&x->pd, i, at, out_block[i], piece);
    }
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
    pd_methods(class, (t_method)net_strike, (const char* const[]){"strike", NULL});
    pd_methods(class, (t_method)net_throw, (const char* const[]){"throw", NULL});
    pd_methods(class, (t_method)net_oversample, (const char* const[]){"oversample", NULL});
    class_addmethod(class, (t_method)net_clear, gensym("clear"), A_NULL);
    net_class = class;
}
