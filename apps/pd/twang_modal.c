// SPDX-License-Identifier: MIT
// [twang_modal~]: an object made of modes, pushed at points and heard at pickups (docs/pd.md). Inlets are forces at the points [N],
// outlets the pickups.
#include "twang_pd.h"
#include <string.h>

PD_EXPORT void twang_modal_tilde_setup(void);

typedef struct Modal
{
    PdObject pd;
    twDraft* draft;
    twChime* chime;  // NULL while it cannot be built
    double built_hz;
    twQuantity quantity;
} Modal;

static t_class* modal_class;

// a steel bar
static const char modal_defaults[] = "-series bar 440 16 -mass 0.5 -material steel";

static void modal_build(Modal* x)
{
    if (x->chime && tw_chime_fading(x->chime) && x->built_hz == x->pd.rate_hz)
    {
        pd_later(&x->pd, 1000 * TW_CHIME_FADE);
        return;
    }
    twError err;
    twModes* modes;
    if (!pd_ok(&x->pd, tw_draft_modes(&modes, x->draft, 0.5 * x->pd.rate_hz, &err), &err)) return;
    twChimeDef def = tw_chime_def(modes);
    def.rate_hz = x->pd.rate_hz;
    def.quantity = x->quantity;
    twStatus status = x->chime ? tw_chime_change(x->chime, &def, &err) : tw_chime_create(&x->chime, &def, &err);
    if (pd_ok(&x->pd, status, &err)) x->built_hz = x->pd.rate_hz;
    tw_modes_destroy(modes);
}

// ---- messages ----

static void modal_modes(Modal* x, t_symbol* selector, int argc, t_atom* argv)
{
    if (pd_modes_message(&x->pd, x->draft, selector->s_name, argc, argv) && x->chime) pd_later(&x->pd, 0);
}

// strike [impulse [point]]
static void modal_strike(Modal* x, t_symbol* selector, int argc, t_atom* argv)
{
    double impulse = 0.01;
    int point = 0;
    (void)selector;
    if (argc > 0 && !pd_number(&x->pd, "strike: impulse", 1, argv, -1e6, 1e6, &impulse)) return;
    if (argc > 1 && !pd_index(&x->pd, "strike: point", argc - 1, argv + 1, x->pd.inlets, &point)) return;
    if (x->chime) tw_chime_impulse(x->chime, point, impulse);
}

static void modal_bang(Modal* x) { modal_strike(x, NULL, 0, NULL); }

static void modal_quantity(Modal* x, t_symbol* selector, int argc, t_atom* argv)
{
    t_symbol* name = argc == 1 && argv[0].a_type == A_SYMBOL ? argv[0].a_w.w_symbol : selector;
    if (name != gensym("velocity") && name != gensym("displacement"))
    {
        pd_fail(&x->pd, "quantity takes velocity or displacement");
        return;
    }
    x->quantity = name == gensym("velocity") ? TW_VELOCITY : TW_DISPLACEMENT;
    if (x->chime) pd_later(&x->pd, 0);
}

// ---- sound ----

static t_int* modal_perform(t_int* w)
{
    Modal* x = (Modal*)w[1];
    int n = (int)w[2];
    float in_block[PD_MAX_PORTS][PD_CHUNK], out_block[PD_MAX_PORTS][PD_CHUNK], *out[PD_MAX_PORTS];
    const float* in[PD_MAX_PORTS];
    if (!x->chime) pd_silence(&x->pd, n);
    for (int at = 0; at < n && x->chime; at += PD_CHUNK)
    {
        int piece = n - at < PD_CHUNK ? n - at : PD_CHUNK;
        for (int i = 0; i < x->pd.inlets; in[i] = in_block[i], i++)
            for (int k = 0; k < piece; k++) in_block[i][k] = (float)x->pd.in[i][at + k];
        for (int i = 0; i < x->pd.outlets; out[i] = out_block[i], i++)
            memset(out_block[i], 0, (size_t)piece * sizeof(float));
        tw_chime_process(x->chime, in, out, piece);
        for (int i = 0; i < x->pd.outlets; i++)
            for (int k = 0; k < piece; k++) x->pd.out[i][at + k] = out_block[i][k];
    }
    return w + 3;
}

static void modal_dsp(Modal* x, t_signal** signals)
{
    pd_dsp(&x->pd, signals, modal_perform);
    if (x->built_hz != x->pd.rate_hz) modal_build(x);
}

// ---- class ----

static void modal_free(Modal* x)
{
    pd_end(&x->pd);
    tw_chime_destroy(x->chime);
    tw_draft_destroy(x->draft);
}

static void* modal_new(t_symbol* selector, int argc, t_atom* argv)
{
    (void)selector;
    twError err;
    Modal* x = (Modal*)pd_new(modal_class);
    memset((char*)x + sizeof(t_object), 0, sizeof *x - sizeof(t_object));
    pd_begin(&x->pd, (t_method)modal_build);
    int points = pd_flag_count(&x->pd, argc, argv, "points", 1, PD_MAX_PORTS);
    int pickups = pd_flag_count(&x->pd, argc, argv, "pickups", 1, PD_MAX_PORTS);
    pd_ports(&x->pd, points, pickups);
    x->quantity = TW_VELOCITY;
    if (!pd_ok(&x->pd, tw_draft_create(&x->draft, points, pickups, &err), &err))
    {
        pd_free(&x->pd.object.ob_pd);
        return NULL;
    }
    pd_defaults(&x->pd, modal_defaults);
    pd_flags(&x->pd, argc, argv);
    modal_build(x);
    return x;
}

void twang_modal_tilde_setup(void)
{
    t_class* class =
        pd_class_of("twang_modal~", (t_newmethod)modal_new, (t_method)modal_free, sizeof(Modal), (t_method)modal_dsp);
    pd_methods(class, (t_method)modal_modes, pd_modes_selectors);
    pd_methods(class, (t_method)modal_strike, (const char* const[]){"strike", NULL});
    pd_methods(class, (t_method)modal_quantity, (const char* const[]){"quantity", NULL});
    class_addbang(class, modal_bang);
    modal_class = class;
}
