// SPDX-License-Identifier: MIT
// [twang_friction~]: a resonator rubbed by an exciter through elasto-plastic bristles (docs/pd.md).
#include "pd_pair.h"

PD_EXPORT void twang_friction_tilde_setup(void);

static t_class* friction_class;

// force on the exciter, normal force, force on the resonator
static void friction_fill(Pair* x, double* const* in, int n)
{
    for (int i = 0; i < n; i++) in[0][i] += tw_ramp_next(&x->base[0]), in[1][i] += tw_ramp_next(&x->base[1]);
}

static const PairKind friction_kind = {
    .friction = true,
    .input_count = 3,
    .inputs = {{.kind = TW_IN_FORCE, .object = PAIR_EXCITER},
               {.kind = TW_IN_NORMAL_FORCE, .contact = 0},
               {.kind = TW_IN_FORCE, .object = PAIR_RESONATOR}},
    .extra_count = 5,
    .extras = {{.kind = TW_OUT_POINT_X, .object = PAIR_RESONATOR},
               {.kind = TW_OUT_POINT_V, .object = PAIR_EXCITER},
               {.kind = TW_OUT_POINT_X, .object = PAIR_EXCITER},
               {.kind = TW_OUT_FRICTION_FORCE},
               {.kind = TW_OUT_BRISTLE}},
    .bases = {"force", "normal"},
    .fill = friction_fill,
};

// a rubbed wineglass, so that it sounds at once
static const char friction_defaults[] =
    "-freq 653 1487 -t60 5 3 -mass 0.02 -shape 0 1 0.6 -exciter mass 0.05 -exciter decay 20 -stiffness 6000 -damping 1.2 "
    "-viscosity 0.05 -noise 0.01 -dynamic 0.2 -static 0.45 -stribeck 0.1 -breakaway 0.5 -roughness -1 -force 0.6 -normal 1";

static void friction_roughness(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    if (pd_number(&x->pd, selector->s_name, argc, argv, -2, 2, &x->contact.roughness_beta)) pair_later(x);
}

static void friction_seed(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    double seed;
    if (!pd_number(&x->pd, selector->s_name, argc, argv, 0, 1 << 24, &seed)) return;
    x->contact.seed = (uint64_t)seed;
    pair_later(x);
}

static void friction_model(Pair* x, t_symbol* selector, int argc, t_atom* argv)
{
    t_symbol* name = argc == 1 && argv[0].a_type == A_SYMBOL ? argv[0].a_w.w_symbol : selector;
    if (name != gensym("lugre") && name != gensym("elastoplastic"))
    {
        pd_fail(&x->pd, "model takes elastoplastic or lugre");
        return;
    }
    x->contact.friction.lugre = name == gensym("lugre");
    if (x->instrument) tw_instrument_set_friction(x->instrument, 0, &x->contact.friction);
}

static void* friction_new(t_symbol* selector, int argc, t_atom* argv)
{
    (void)selector;
    return pair_new(friction_class, &friction_kind, sizeof(Pair), friction_defaults, argc, argv);
}

void twang_friction_tilde_setup(void)
{
    t_class* class = pair_class("twang_friction~", (t_newmethod)friction_new, (t_method)pair_free, sizeof(Pair));
    pair_add_friction(class);
    pd_methods(class, (t_method)pair_base, friction_kind.bases);
    pd_methods(class, (t_method)friction_roughness, (const char* const[]){"roughness", NULL});
    pd_methods(class, (t_method)friction_seed, (const char* const[]){"seed", NULL});
    pd_methods(class, (t_method)friction_model, (const char* const[]){"model", NULL});
    friction_class = class;
}
