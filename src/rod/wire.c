// SPDX-License-Identifier: MIT
// A wire that is played: a straight rod along x that is struck, plucked, pushed and bowed across itself, along y, and picked up there.
//
// Places are shares of the length, 0 to 1. Pushes and pickups lie between two points and slide to a new place; blows and the bow are at the
// nearest point that moves. A wire that was exchanged sounds on, untouched, while it fades out; at another rate the same wire goes on.
#include "twang/math.h"
#include "twang/rod.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIRE_SLIDE 0.02  // to a new place [s]
#define WIRE_LIMIT 1e5   // of forces [N] and speeds [m/s]

struct twWire
{
    twWireDef def;
    twRod *rod, *before;
    int fade_left, fade_length;
    twFrictionLaw law;
    double bow_at;
    twRamp push_at;
    twRamp pickup_at[TW_MAX_WIRE_PICKUPS];
    double pluck_at, pluck_force;  // [N]
    int pluck_left, pluck_length;  // steps
};

twWireDef tw_wire_def(void)
{
    const twRodDef rod = tw_rod_def();
    return (twWireDef){.rate_hz = 48000,
                       .points = 24,
                       .pickups = 1,
                       .length = 0.33,
                       .radius = 0.0004,
                       .stretch = 1.0015,
                       .young = rod.young,
                       .density = rod.density,
                       .alpha = 1.5,
                       .beta = 1e-7,
                       .hold = TW_WIRE_PINNED};
}

bool tw_wire_hold_parse(const char* name, twWireHold* out)
{
    static const char* const names[] = {"free", "pinned", "clamped", "cantilever"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0)
        {
            *out = (twWireHold)i;
            return true;
        }
    return false;
}

double* tw_wire_def_find(twWireDef* def, const char* name)
{
    const struct
    {
        const char* name;
        double* at;
    } numbers[] = {{"length", &def->length}, {"radius", &def->radius},          {"stretch", &def->stretch},
                   {"young", &def->young},   {"density", &def->density},        {"alpha", &def->alpha},
                   {"beta", &def->beta},     {"loss_factor", &def->loss_factor}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i].name) == 0) return numbers[i].at;
    return NULL;
}

void tw_wire_def_material(twWireDef* def, const twMaterial* material)
{
    def->young = material->young, def->density = material->density;
    def->alpha = material->alpha, def->beta = material->beta, def->loss_factor = material->loss_factor;
    def->matter = material;
}

// ---- the rod ----

static int make_supports(const twWireDef* def, twRodSupport supports[2])
{
    const twRodHold kind = def->hold == TW_WIRE_PINNED ? TW_ROD_PINNED : TW_ROD_CLAMPED;
    supports[0] = (twRodSupport){.kind = kind, .point = 0};
    supports[1] = (twRodSupport){.kind = kind, .point = def->points - 1};
    return def->hold == TW_WIRE_FREE ? 0 : def->hold == TW_WIRE_CANTILEVER ? 1 : 2;
}

twStatus tw_wire_def_check(const twWireDef* def, twError* err)
{
    const struct
    {
        const char* name;
        double value, low, high;
    } ranges[] = {{"points", def->points, 4, TW_MAX_WIRE_POINTS},
                  {"pickups", def->pickups, 1, TW_MAX_WIRE_PICKUPS},
                  {"length [m]", def->length, 1e-3, 100},
                  {"radius [m]", def->radius, 1e-6, 0.1},
                  {"stretch", def->stretch, 1, 2},
                  {"Young's modulus [Pa]", def->young, 1e3, 1e13},
                  {"density [kg/m^3]", def->density, 1, 1e5},
                  {"alpha [1/s]", def->alpha, 0, 1e5},
                  {"beta [s]", def->beta, 0, 1},
                  {"loss factor", def->loss_factor, 0, 0.999}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high))
            return tw_fail(err, TW_BAD_INPUT, "%s %g of a wire must be in [%g, %g]", ranges[i].name, ranges[i].value,
                           ranges[i].low, ranges[i].high);
    return TW_OK;
}

// what the air and heat take
static void wire_surround(twRodDef* rod, const twWireDef* def, const twSection* section)
{
    rod->air_radius = def->radius;
    if (!def->matter) return;
    twMaterial matter = *def->matter;
    matter.young = def->young, matter.density = def->density;
    rod->heat = tw_material_thermoelastic(&matter, sqrt(12 * section->moment[0] / section->area));
}

// now: the positions and velocities of the same wire at another rate; NULL: at rest
static twStatus make_rod(const twWireDef* def, const twRod* now, twRod** out, twError* err)
{
    twVec3 rest[TW_MAX_WIRE_POINTS], places[TW_MAX_WIRE_POINTS], velocities[TW_MAX_WIRE_POINTS];
    twStatus status = tw_wire_def_check(def, err);
    if (status != TW_OK) return status;
    for (int i = 0; i < def->points; i++) rest[i] = tw_vec3(def->length * i / (def->points - 1), 0, 0);
    twSection section;
    const twSectionDef circle = tw_section_circle(def->radius);
    status = tw_section_compute(&section, &circle, err);
    if (status != TW_OK) return status;
    twRodSupport supports[2];
    twRodDef rod = tw_rod_def();
    rod.rate_hz = def->rate_hz;
    rod.point_count = def->points, rod.points = rest;
    rod.section_count = 1, rod.sections = &section;
    rod.stretch = def->hold == TW_WIRE_PINNED || def->hold == TW_WIRE_CLAMPED ? def->stretch : 1;
    rod.young = def->young, rod.density = def->density;
    rod.alpha = def->alpha, rod.beta = def->beta, rod.loss_factor = def->loss_factor;
    if (def->loss_factor > 0) wire_surround(&rod, def, &section);
    rod.support_count = make_supports(def, supports), rod.supports = supports;
    const twRodView view = now ? tw_rod_view(now) : (twRodView){0};
    for (int i = 0; now && i < def->points; i++)
    {
        places[i] = tw_vec3(view.position[0][i], view.position[1][i], view.position[2][i]);
        velocities[i] = tw_vec3(view.velocity[0][i], view.velocity[1][i], view.velocity[2][i]);
    }
    if (now) rod.points = places, rod.rest_points = rest, rod.velocities = velocities;
    return tw_rod_create(out, &rod, err);
}

// nearest point that moves
static int nearest(const twWire* x, double place)
{
    const int first = x->def.hold == TW_WIRE_FREE ? 0 : 1;
    const int last =
        x->def.hold == TW_WIRE_FREE || x->def.hold == TW_WIRE_CANTILEVER ? x->def.points - 1 : x->def.points - 2;
    const int at = (int)lrint(place * (x->def.points - 1));
    return at < first ? first : at > last ? last : at;
}

static void hold_bow(twWire* x) { tw_rod_bow(x->rod, nearest(x, x->bow_at), tw_vec3(0, 1, 0), &x->law); }

// ---- create and change ----

twStatus tw_wire_create(twWire** out, const twWireDef* def, twError* err)
{
    *out = NULL;
    twWire* x = calloc(1, sizeof *x);
    if (!x) return tw_fail(err, TW_NO_MEMORY, "no memory for a wire");
    x->law = tw_friction_law();
    x->law.stiffness = 2e5, x->law.damping = 10, x->law.viscosity = 0;
    x->law.static_friction = 0.8, x->law.dynamic_friction = 0.3;
    x->bow_at = 0.13;
    x->push_at = tw_ramp(0.2);
    for (int i = 0; i < TW_MAX_WIRE_PICKUPS; i++) x->pickup_at[i] = tw_ramp(0.3 + 0.05 * i);
    twStatus status = tw_wire_change(x, def, err);
    if (status == TW_OK)
        *out = x;
    else
        tw_wire_destroy(x);
    return status;
}

void tw_wire_destroy(twWire* x)
{
    if (!x) return;
    tw_rod_destroy(x->rod);
    tw_rod_destroy(x->before);
    free(x);
}

static bool same_but_rate(const twWireDef* a, const twWireDef* b)
{
    return a->points == b->points && a->length == b->length && a->radius == b->radius && a->stretch == b->stretch &&
           a->young == b->young && a->density == b->density && a->hold == b->hold;
}

static bool same_damping(const twWireDef* a, const twWireDef* b)
{
    return a->alpha == b->alpha && a->beta == b->beta && a->loss_factor == b->loss_factor && a->matter == b->matter;
}

twStatus tw_wire_change(twWire* x, const twWireDef* def, twError* err)
{
    if (x->rod && def->pickups != x->def.pickups)
        return tw_fail(err, TW_BAD_INPUT, "a wire keeps its %d pickups", x->def.pickups);
    const bool goes_on = x->rod && same_but_rate(&x->def, def);
    if (goes_on && def->rate_hz == x->def.rate_hz && same_damping(&x->def, def)) return TW_OK;
    twRod* rod;
    twStatus status = make_rod(def, goes_on ? x->rod : NULL, &rod, err);
    if (status != TW_OK) return status;
    const bool fades = x->rod && def->rate_hz == x->def.rate_hz && !goes_on && tw_rod_view(x->rod).time > 0;
    tw_rod_destroy(x->before);
    x->before = x->rod;
    x->rod = rod;
    x->fade_left = x->fade_length = fades ? (int)(TW_WIRE_FADE * def->rate_hz) : 0;
    x->def = *def;
    x->pluck_left = 0;
    hold_bow(x);
    return TW_OK;
}

bool tw_wire_fading(const twWire* x) { return x->fade_left > 0; }
const twRod* tw_wire_rod(const twWire* x) { return x->rod; }

// ---- playing ----

static bool is_place(double place) { return place >= 0 && place <= 1; }

bool tw_wire_strike(twWire* x, double place, double force, double duration)
{
    if (!is_place(place) || !(fabs(force) <= WIRE_LIMIT && duration > 0 && duration <= 10)) return false;
    return tw_rod_strike(x->rod, &(twRodPulse){.point = nearest(x, place),
                                               .force = tw_vec3(0, force, 0),
                                               .start = tw_rod_view(x->rod).time,
                                               .duration = duration});
}

bool tw_wire_pluck(twWire* x, double place, double force, double duration)
{
    if (!is_place(place) || !(fabs(force) <= WIRE_LIMIT && duration > 0 && duration <= 10)) return false;
    x->pluck_at = place;
    x->pluck_force = force;
    x->pluck_left = x->pluck_length = 1 + (int)(duration * x->def.rate_hz);
    return true;
}

bool tw_wire_place_bow(twWire* x, double place)
{
    if (!is_place(place)) return false;
    x->bow_at = place;
    hold_bow(x);
    return true;
}

bool tw_wire_set_friction(twWire* x, const twFrictionLaw* law)
{
    if (tw_friction_law_check(law, NULL) != TW_OK) return false;
    x->law = *law;
    hold_bow(x);
    return true;
}

twFrictionLaw tw_wire_friction(const twWire* x) { return x->law; }

bool tw_wire_place_push(twWire* x, double place)
{
    if (is_place(place)) tw_ramp_to(&x->push_at, place, (int)(WIRE_SLIDE * x->def.rate_hz));
    return is_place(place);
}

bool tw_wire_place_pickup(twWire* x, int pickup, double place)
{
    if (pickup < 0 || pickup >= x->def.pickups || !is_place(place)) return false;
    tw_ramp_to(&x->pickup_at[pickup], place, (int)(WIRE_SLIDE * x->def.rate_hz));
    return true;
}

// ---- sound ----

// where a place lies: the point before it and the share of the one after
static int between(int points, double place, double* share)
{
    const double at = place * (points - 1);
    const int before = at < points - 2 ? (int)at : points - 2;
    *share = at - before;
    return before;
}

static void push(twWire* x, double place, double force)
{
    double share;
    const int at = between(x->def.points, place, &share);
    if (force == 0) return;
    tw_rod_push(x->rod, at, tw_vec3(0, (1 - share) * force, 0));
    tw_rod_push(x->rod, at + 1, tw_vec3(0, share * force, 0));
}

static double read(const double* values, int points, double place)
{
    double share;
    const int at = between(points, place, &share);
    return (1 - share) * values[at] + share * values[at + 1];
}

static double clean(const double* buffer, int i) { return buffer && fabs(buffer[i]) < WIRE_LIMIT ? buffer[i] : 0; }

// the wire before fades out, without a kink
static double share_of_before(const twWire* x)
{
    return x->fade_left > 0 ? 0.5 - 0.5 * cos(TW_PI * x->fade_left / x->fade_length) : 0;
}

static void pick_up(twWire* x, double* const* out, int i)
{
    const twRodView view = tw_rod_view(x->rod), before = x->fade_left > 0 ? tw_rod_view(x->before) : view;
    const double share = share_of_before(x);
    for (int k = 0; k < x->def.pickups; k++)
    {
        const double place = tw_ramp_next(&x->pickup_at[k]);
        double v = read(view.velocity[1], view.point_count, place), y = read(view.position[1], view.point_count, place);
        if (share > 0)
        {
            v += share * (read(before.velocity[1], before.point_count, place) - v);
            y += share * (read(before.position[1], before.point_count, place) - y);
        }
        if (out[k]) out[k][i] = v;
        if (out[x->def.pickups + k]) out[x->def.pickups + k][i] = y;
    }
    if (out[2 * x->def.pickups]) out[2 * x->def.pickups][i] = tw_rod_bow_force(x->rod);
}

void tw_wire_process(twWire* x, const double* force, const double* bow_speed, const double* bow_force,
                     double* const* out, int n)
{
    for (int i = 0; i < n; i++)
    {
        push(x, tw_ramp_next(&x->push_at), clean(force, i));
        if (x->pluck_left > 0)
        {
            push(x, x->pluck_at, x->pluck_force * (x->pluck_length - x->pluck_left) / x->pluck_length);
            x->pluck_left--;
        }
        tw_rod_bow_move(x->rod, clean(bow_speed, i), clean(bow_force, i));
        pick_up(x, out, i);
        tw_rod_step(x->rod);
        if (x->fade_left == 0) continue;
        tw_rod_step(x->before);
        x->fade_left--;
    }
}
