// SPDX-License-Identifier: MIT
// A pair whose contact moves along a rough surface.
#include "pd_travel.h"
#include <string.h>

#define TRAVEL_GRAVITY 9.81
#define TRAVEL_FADE 0.05  // from one profile to another [s]
#define TRAVEL_RAMP 0.02  // of weight and asymmetry [s]

// height of the surface and weight of what moves on it
static void travel_fill(Pair* pair, double* const* in, int n)
{
    Travel* x = (Travel*)pair;
    double dt = 1 / pair->pd.rate_hz;
    for (int i = 0; i < n; i++)
    {
        double factor, speed = in[0][i] + tw_ramp_next(&pair->base[0]), share = tw_ramp_next(&x->share);
        x->travel.asymmetry = tw_ramp_next(&x->asymmetry);
        double height = tw_travel_next(&x->travel, speed > -1e3 && speed < 1e3 ? speed : 0, dt, &factor);
        if (share < 1 && x->before)
            height = share * height + (1 - share) * tw_profile_height(x->before, x->travel.position);
        in[0][i] = height;
        in[1][i] += tw_ramp_next(&pair->base[1]) + factor * tw_ramp_next(&x->weight);
    }
}

const PairKind travel_kind = {
    .impact = true,
    .input_count = 2,
    .inputs = {{.kind = TW_IN_OFFSET, .contact = 0}, {.kind = TW_IN_FORCE, .object = PAIR_EXCITER}},
    .extra_count = 4,
    .extras = {{.kind = TW_OUT_POINT_X, .object = PAIR_RESONATOR},
               {.kind = TW_OUT_POINT_V, .object = PAIR_EXCITER},
               {.kind = TW_OUT_POINT_X, .object = PAIR_EXCITER},
               {.kind = TW_OUT_IMPACT_FORCE}},
    .bases = {"speed", "force"},
    .fill = travel_fill,
};

// ---- the surface ----

static void travel_build(Travel* x)
{
    twError err;
    twProfile* profile;
    // while one surface gives way to another a third would jump
    if (x->share.left > 0)
    {
        clock_delay(x->clock, 1000 * TRAVEL_FADE);
        return;
    }
    if (!pd_ok(&x->pair.pd, tw_profile_create(&profile, &x->surface, &err), &err))
    {
        x->surface = x->working;
        return;
    }
    tw_profile_destroy(x->before);
    x->before = x->profile;
    x->profile = profile;
    x->working = x->surface;
    x->travel.profile = profile;
    x->travel.radius = x->surface.ball_radius;
    x->share = tw_ramp(x->before ? 0 : 1);
    tw_ramp_to(&x->share, 1, x->before ? (int)(TRAVEL_FADE * x->pair.pd.rate_hz) : 0);
}

// rms, beta, longest, shortest, seed, radius
static void travel_surface(Travel* x, t_symbol* selector, int argc, t_atom* argv)
{
    double value;
    const char* name = selector->s_name;
    if (!pd_number(&x->pair.pd, name, argc, argv, -4, 1 << 24, &value)) return;
    if (strcmp(name, "rms") == 0) x->surface.rms = value;
    if (strcmp(name, "beta") == 0) x->surface.beta = value;
    if (strcmp(name, "longest") == 0) x->surface.longest = value;
    if (strcmp(name, "shortest") == 0) x->surface.shortest = value;
    if (strcmp(name, "seed") == 0) x->surface.seed = value > 0 ? (uint64_t)value : 0;
    if (strcmp(name, "radius") == 0) x->surface.ball_radius = value;
    // in the constructor it is made once, at the end
    if (x->clock) clock_delay(x->clock, 0);
}

static void travel_ramp(Travel* x, twRamp* ramp, double value)
{
    tw_ramp_to(ramp, value, x->pair.instrument ? (int)(TRAVEL_RAMP * x->pair.pd.rate_hz) : 0);
}

static void travel_asymmetry(Travel* x, t_symbol* selector, int argc, t_atom* argv)
{
    double value;
    if (pd_number(&x->pair.pd, selector->s_name, argc, argv, 0, 1, &value)) travel_ramp(x, &x->asymmetry, value);
}

// weight [kg] of the ball: its mass is the exciter's
static void travel_weight(Travel* x, t_symbol* selector, int argc, t_atom* argv)
{
    double value;
    if (pd_number(&x->pair.pd, selector->s_name, argc, argv, 0, 1e4, &value))
        travel_ramp(x, &x->weight, value * TRAVEL_GRAVITY);
}

// ---- classes ----

void* travel_new(t_class* class, const char* defaults, int argc, t_atom* argv)
{
    Travel* x = pair_new(class, &travel_kind, sizeof(Travel), defaults, argc, argv);
    if (!x) return NULL;
    x->clock = clock_new(x, (t_method)travel_build);
    x->working = tw_profile_def();
    travel_build(x);
    if (!x->profile) travel_build(x);
    return x;
}

void travel_free(Travel* x)
{
    if (x->clock) clock_free(x->clock);
    pair_free(&x->pair);
    tw_profile_destroy(x->profile);
    tw_profile_destroy(x->before);
}

t_class* travel_class(const char* name, t_newmethod make, bool ball)
{
    t_class* class = pair_class(name, make, (t_method)travel_free, sizeof(Travel));
    pair_add_impact(class);
    pd_methods(class, (t_method)pair_base, (const char* const[]){"speed", "force", NULL});
    pd_methods(class, (t_method)travel_surface,
               (const char* const[]){"rms", "beta", "longest", "shortest", "seed", ball ? "radius" : NULL, NULL});
    if (!ball) return class;
    pd_methods(class, (t_method)travel_asymmetry, (const char* const[]){"asymmetry", NULL});
    pd_methods(class, (t_method)travel_weight, (const char* const[]){"weight", NULL});
    return class;
}
