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
    twQuantity quantity;
} Modal;

static t_class* modal_class;

// a bar, of steel as modes of no material are
static const char modal_defaults[] = "-series bar 440 16 -mass 0.5";

static void modal_build(Modal* x)
{
    if (pd_waits(&x->pd, x->chime && tw_chime_fading(x->chime), 1000 * TW_CHIME_FADE)) return;
    twError err;
    twModes* modes;
    if (!pd_ok(&x->pd, tw_draft_modes(&modes, x->draft, 0.5 * x->pd.rate_hz, &err), &err)) return;
    twChimeDef def = tw_chime_def(modes);
    def.rate_hz = x->pd.rate_hz;
    def.quantity = x->quantity;
    twStatus status = x->chime ? tw_chime_change(x->chime, &def, &err) : tw_chime_create(&x->chime, &def, &err);
    if (pd_ok(&x->pd, status, &err)) x->pd.built_hz = x->pd.rate_hz;
    tw_modes_destroy(modes);
}

// chimes are made of floats
static void modal_process(Modal* x, double* const* in, double* const* out, int n)
{
    float forces[PD_MAX_PORTS][PD_CHUNK], heard[PD_MAX_PORTS][PD_CHUNK], *to[PD_MAX_PORTS];
    const float* from[PD_MAX_PORTS];
    for (int i = 0; i < x->pd.inlets; from[i] = forces[i], i++)
        for (int k = 0; k < n; k++) forces[i][k] = (float)in[i][k];
    for (int i = 0; i < x->pd.outlets; to[i] = heard[i], i++) memset(heard[i], 0, (size_t)n * sizeof(float));
    tw_chime_process(x->chime, from, to, n);
    for (int i = 0; i < x->pd.outlets; i++)
        for (int k = 0; k < n; k++) out[i][k] = heard[i][k];
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
    Modal* x = pd_make(modal_class, sizeof *x, (PdBuild)modal_build, (PdProcess)modal_process);
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
    t_class* class = pd_class_of("twang_modal~", (t_newmethod)modal_new, (t_method)modal_free, sizeof(Modal));
    pd_methods(class, (t_method)modal_modes, pd_modes_selectors);
    pd_methods(class, (t_method)modal_strike, (const char* const[]){"strike", NULL});
    pd_methods(class, (t_method)modal_quantity, (const char* const[]){"quantity", NULL});
    class_addbang(class, modal_bang);
    modal_class = class;
}
