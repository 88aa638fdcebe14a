// SPDX-License-Identifier: MIT
// [twang_rod~]: an elastic rod that is struck, plucked, pushed and bowed (docs/pd.md). Inlets: force [N], speed of the bow [m/s], its
// normal force [N]. Outlets: velocity of each pickup, place of each pickup, force of the bow.
#include "pd_law.h"
#include "twang/rod.h"

PD_EXPORT void twang_rod_tilde_setup(void);

typedef struct Rod
{
    PdObject pd;
    twWireDef def, working;  // as asked for, and the last one that could be made
    twWire* wire;
    twRamp speed, normal;  // constant parts of the bow's
} Rod;

static t_class* rod_class;

static void rod_build(Rod* x)
{
    twError err;
    if (pd_waits(&x->pd, x->wire && tw_wire_fading(x->wire), 1000 * TW_WIRE_FADE)) return;
    twWireDef def = x->def;
    def.rate_hz = x->pd.rate_hz;
    twStatus status = x->wire ? tw_wire_change(x->wire, &def, &err) : tw_wire_create(&x->wire, &def, &err);
    bool ok = pd_ok(&x->pd, status, &err);
    if (ok) x->pd.built_hz = def.rate_hz;
    x->def = x->working = ok ? def : x->working;
}

static void rod_process(Rod* x, double* const* in, double* const* out, int n)
{
    for (int i = 0; i < n; i++) in[1][i] += tw_ramp_next(&x->speed), in[2][i] += tw_ramp_next(&x->normal);
    tw_wire_process(x->wire, in[0], in[1], in[2], out, n);
}

// ---- messages ----

// what it is made of
static void rod_shape(Rod* x, t_symbol* selector, int argc, t_atom* argv)
{
    twError err;
    twWireDef def = x->def;
    if (!pd_number(&x->pd, selector->s_name, argc, argv, -PD_ANY, PD_ANY, tw_wire_def_find(&def, selector->s_name)) ||
        !pd_ok(&x->pd, tw_wire_def_check(&def, &err), &err))
        return;
    x->def = def;
    pd_later(&x->pd, 0);
}

static void rod_material(Rod* x, t_symbol* selector, int argc, t_atom* argv)
{
    (void)selector;
    const twMaterial* material =
        argc == 1 && argv[0].a_type == A_SYMBOL ? tw_material_find(argv[0].a_w.w_symbol->s_name) : NULL;
    if (!material)
    {
        pd_fail(&x->pd, "material takes the name of a built-in material, like glass");
        return;
    }
    tw_wire_def_material(&x->def, material);
    pd_later(&x->pd, 0);
}

static void rod_hold(Rod* x, t_symbol* selector, int argc, t_atom* argv)
{
    (void)selector;
    if (argc != 1 || argv[0].a_type != A_SYMBOL || !tw_wire_hold_parse(argv[0].a_w.w_symbol->s_name, &x->def.hold))
        pd_fail(&x->pd, "hold takes free, pinned, clamped or cantilever");
    else
        pd_later(&x->pd, 0);
}

// strike or pluck [force [place [milliseconds]]]
static void rod_excite(Rod* x, t_symbol* selector, int argc, t_atom* argv)
{
    bool pluck = selector == gensym("pluck");
    double values[] = {pluck ? 1 : 5, 0.2, pluck ? 20 : 1};
    const double low[] = {-1e5, 0, 1e-3}, high[] = {1e5, 1, 1e4};
    if (!pd_optional(&x->pd, selector->s_name, argc, argv, 3, low, high, values) || !x->wire) return;
    if (!(pluck ? tw_wire_pluck : tw_wire_strike)(x->wire, values[1], values[0], 1e-3 * values[2]))
        pd_fail(&x->pd, "too many blows at once");
}

static void rod_bang(Rod* x) { rod_excite(x, gensym("strike"), 0, NULL); }

// bowat, pushat PLACE
static void rod_place(Rod* x, t_symbol* selector, int argc, t_atom* argv)
{
    double place;
    if (!pd_number(&x->pd, selector->s_name, argc, argv, 0, 1, &place) || !x->wire) return;
    (selector == gensym("bowat") ? tw_wire_place_bow : tw_wire_place_push)(x->wire, place);
}

// pickup I PLACE
static void rod_pickup(Rod* x, t_symbol* selector, int argc, t_atom* argv)
{
    int pickup;
    double place;
    if (pd_index(&x->pd, selector->s_name, argc > 0, argv, x->def.pickups, &pickup) &&
        pd_number(&x->pd, "pickup: place", argc - 1, argv + 1, 0, 1, &place) && x->wire)
        tw_wire_place_pickup(x->wire, pickup, place);
}

static void rod_friction(Rod* x, t_symbol* selector, int argc, t_atom* argv)
{
    if (!x->wire) return;
    twFrictionLaw law = tw_wire_friction(x->wire);
    if (pd_friction_message(&x->pd, &law, selector->s_name, argc, argv)) tw_wire_set_friction(x->wire, &law);
}

// the bow's speed and normal force, where no signal comes
static void rod_bow(Rod* x, t_symbol* selector, int argc, t_atom* argv)
{
    double value;
    if (pd_number(&x->pd, selector->s_name, argc, argv, -1e3, 1e3, &value))
        tw_ramp_to(selector == gensym("speed") ? &x->speed : &x->normal, value, (int)(0.02 * x->pd.rate_hz));
}

// ---- class ----

static void rod_free(Rod* x)
{
    pd_end(&x->pd);
    tw_wire_destroy(x->wire);
}

static void* rod_new(t_symbol* selector, int argc, t_atom* argv)
{
    (void)selector;
    Rod* x = pd_make(rod_class, sizeof *x, (PdBuild)rod_build, (PdProcess)rod_process);
    x->def = tw_wire_def();
    x->def.pickups = pd_flag_count(&x->pd, argc, argv, "pickups", 1, TW_MAX_WIRE_PICKUPS);
    x->working = x->def;
    x->def.points = pd_flag_count(&x->pd, argc, argv, "points", x->def.points, TW_MAX_WIRE_POINTS);
    pd_ports(&x->pd, 3, 2 * x->def.pickups + 1);
    rod_build(x);
    if (!x->wire) rod_build(x);
    pd_flags(&x->pd, argc, argv);
    rod_build(x);
    return x;
}

void twang_rod_tilde_setup(void)
{
    t_class* class = pd_class_of("twang_rod~", (t_newmethod)rod_new, (t_method)rod_free, sizeof(Rod));
    pd_methods(
        class, (t_method)rod_shape,
        (const char* const[]){"length", "radius", "stretch", "young", "density", "alpha", "beta", "loss_factor", NULL});
    pd_methods(class, (t_method)rod_material, (const char* const[]){"material", NULL});
    pd_methods(class, (t_method)rod_hold, (const char* const[]){"hold", NULL});
    pd_methods(class, (t_method)rod_excite, (const char* const[]){"strike", "pluck", NULL});
    pd_methods(class, (t_method)rod_place, (const char* const[]){"bowat", "pushat", NULL});
    pd_methods(class, (t_method)rod_pickup, (const char* const[]){"pickup", NULL});
    pd_methods(class, (t_method)rod_bow, (const char* const[]){"speed", "normal", NULL});
    pd_methods(class, (t_method)rod_friction, pd_friction_selectors);
    class_addbang(class, rod_bang);
    rod_class = class;
}
