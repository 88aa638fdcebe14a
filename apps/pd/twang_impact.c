// SPDX-License-Identifier: MIT
// [twang_impact~]: a resonator struck by an exciter that may bounce (docs/pd.md).
#include "pd_pair.h"

PD_EXPORT void twang_impact_tilde_setup(void);

static t_class* impact_class;

// force on the exciter, toward the resonator; force on the resonator
static void impact_fill(Pair* x, double* const* in, int n)
{
    for (int i = 0; i < n; i++) in[0][i] += tw_ramp_next(&x->base[0]);
}

static const PairKind impact_kind = {
    .impact = true,
    .input_count = 2,
    .inputs = {{.kind = TW_IN_FORCE, .object = PAIR_EXCITER}, {.kind = TW_IN_FORCE, .object = PAIR_RESONATOR}},
    .extra_count = 5,
    .extras = {{.kind = TW_OUT_POINT_X, .object = PAIR_RESONATOR},
               {.kind = TW_OUT_POINT_V, .object = PAIR_EXCITER},
               {.kind = TW_OUT_POINT_X, .object = PAIR_EXCITER},
               {.kind = TW_OUT_IMPACT_FORCE},
               {.kind = TW_OUT_COMPRESSION}},
    .bases = {"force", NULL},
    .fill = impact_fill,
    .away = 1e-3,
};

// a steel bar and a hammer of 10 g
static const char impact_defaults[] = "-series bar 440 12 -mass 0.5 -exciter mass 0.01 "
                                      "-stiffness 1e+08 -exponent 1.5 -dissipation 0.5";

// after a reset of the same instant, which would take the throw back; all modes may lie above half the sample rate
static bool can_throw(Pair* x)
{
    if (!pair_net(x)) return false;
    const char* why = NULL;
    if (!pair_silenced(x))
        why = "reset still waits for another change to fade: throw the exciter some 10 ms later";
    else if (tw_net_modes(pair_net(x), PAIR_EXCITER) == 0)
        why = "the exciter has no mode below half the sample rate that could be thrown";
    if (why) pd_fail(&x->pd, "%s", why);
    return !why;
}

static void impact_strike(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    double velocity;
    if (pd_number(&x->pd, selector->s_name, argc, argv, -1000, 1000, &velocity) && can_throw(x))
        tw_net_strike(pair_net(x), 0, velocity);
}

// at rest that far from the resonator; a force makes it fall
static void impact_drop(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    double height;
    if (pd_number(&x->pd, selector->s_name, argc, argv, 0, 1000, &height) && can_throw(x))
        tw_net_throw(pair_net(x), PAIR_EXCITER, 0, -height, 0);
}

static void impact_gap(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    if (pd_number(&x->pd, selector->s_name, argc, argv, -1, 1, &x->contact.gap)) pair_later(x);
}

static void impact_bang(Pair* x)
{
    if (can_throw(x)) tw_net_strike(pair_net(x), 0, 1);
}

static void* impact_new(t_symbol* selector, int argc, t_atom* argv)
{
    (void)selector;
    return pair_new(impact_class, &impact_kind, sizeof(Pair), impact_defaults, argc, argv);
}

void twang_impact_tilde_setup(void)
{
    t_class* class = pair_class("twang_impact~", (t_newmethod)impact_new, (t_method)pair_free, sizeof(Pair));
    pair_add_impact(class);
    class_addbang(class, impact_bang);
    pd_methods(class, (t_method)pair_base, impact_kind.bases);
    pd_methods(class, (t_method)impact_strike, (const char* const[]){"strike", NULL});
    pd_methods(class, (t_method)impact_drop, (const char* const[]){"drop", NULL});
    pd_methods(class, (t_method)impact_gap, (const char* const[]){"gap", NULL});
    impact_class = class;
}
