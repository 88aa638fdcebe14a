// SPDX-License-Identifier: MIT
// Things that are rubbed, after F. Avanzini, S. Serafin, D. Rocchesso 2005, VI: a wineglass, a door, a braking wheel. The pointer's
// x is the force on the exciters, its y the normal force of their friction, both linear. Scenes of the same names in scenes/.
//
// Actions: down and move take x, y in the unit square; up lets go.
// Picture: time that bristles stuck [0, 1], rolling speed [m/s] and angle [rad]; then for each pair bristles: least and greatest
// z over breakaway since the last picture, steady z over breakaway, slip [m/s], friction and normal force [N], exciter's place
// [m] and velocity [m/s], and the amplitudes of two modes [m].

#include "bench.h"
#include "twang/contact.h"
#include "twang/math.h"
#include <stdlib.h>

#define PAIRS 2
#define MODES 2
#define TRACK_MODES 5
#define SMOOTH 0.02   // of the hand [s]
#define BLOCKS 0.5    // a wheel that is braked more than this does not roll [N]
#define LIFTED 1e-3   // a hand that presses less does not touch [N]
#define GRAVITY 9.81  // [m/s^2]

// an exciter and what it rubs
typedef struct Pair
{
    double mass, decay;  // of the exciter
    double freq_hz[MODES], t60[MODES], modal_mass[MODES], shape[MODES];
    double stiffness;  // of its bristles, over that of the slider
    double pan;        // -1 .. 1
    double pull;       // force of the hand, over that of the first
} Pair;

typedef struct Kind
{
    int pair_count;
    Pair pairs[PAIRS];
    double roughness;  // spectrum
    bool rolls;
} Kind;

static const Kind wineglass = {
    .pair_count = 1,
    .pairs = {{0.05, 80, {653, 1487}, {5, 3}, {0.02, 0.02}, {1, 0.6}, 1, 0, 1}},
    .roughness = -1,
};
static const Kind door = {
    .pair_count = 2,
    .pairs = {{0.4, 15, {327, 1122}, {0.12, 0.09}, {0.01, 0.03}, {1, 0.8}, 1, -0.6, 1},
              {0.5, 17.5, {241, 893}, {0.15, 0.10}, {0.012, 0.03}, {1, -0.7}, 0.75, 0.6, 1.08}},
};
static const Kind wheel = {
    .pair_count = 1,
    .pairs = {{1.5, 0.35, {1260, 2893}, {0.9, 0.7}, {0.02, 0.03}, {1, 1}, 1, 0.2, 1}},
    .rolls = true,
};

// the track under the wheel, and the wheel as a mass on it
static const double track_freq[TRACK_MODES] = {118, 263, 505, 870, 1610};
static const double track_t60[TRACK_MODES] = {0.3, 0.25, 0.2, 0.12, 0.08};
static const double track_mass[TRACK_MODES] = {4, 3, 3, 3, 3};
#define WHEEL_RADIUS 0.15
#define WHEEL_MASS 1.5
#define TRACK_GAIN 25.0

enum
{
    STIFFNESS,
    DAMPING,
    VISCOSITY,
    NOISE,
    STATIC,
    DYNAMIC,
    STRIBECK,
    BREAKAWAY,
    PITCH,
    RING,
    PUSH,
    PRESS,
    PARAMETERS
};

enum
{
    IN_FORCE,
    IN_NORMAL,
    INPUTS_OF_PAIR,
    // behind those of the pairs
    IN_WEIGHT = 0,
    IN_HEIGHT,
    INPUTS_OF_WHEEL,
    INPUTS = PAIRS * INPUTS_OF_PAIR + INPUTS_OF_WHEEL
};

enum
{
    OUT_SOUND,
    OUT_BRISTLE,
    OUT_SLIP,
    OUT_FRICTION,
    OUTPUTS_OF_PAIR,
    OUTPUTS = PAIRS * OUTPUTS_OF_PAIR + 1  // the last is the track
};

// what is seen of the bristles of a pair
typedef struct Seen
{
    double low, high;  // z
    double slip, friction;
} Seen;

typedef struct Rub
{
    const Kind* kind;
    double rate_hz;
    twNet* net;
    twProfile* profile;
    twTravel travel;
    twPointer pointer;
    bool down;
    double x, y, speed, normal;
    twFrictionLaw law[PAIRS];
    Seen seen[PAIRS];
    double stuck, looked;  // samples
    double in[INPUTS][PLAY_BLOCK], out[OUTPUTS][PLAY_BLOCK];
} Rub;

// ---- set-up ----

static double decay_of(double t60) { return 3 * log(10) / t60; }

static twFrictionLaw law_of(const Pair* pair, const double* values)
{
    return (twFrictionLaw){.stiffness = values[STIFFNESS] * pair->stiffness,
                           .damping = values[DAMPING],
                           .viscosity = values[VISCOSITY],
                           .noise = values[NOISE],
                           .static_friction = fmax(values[STATIC], values[DYNAMIC]),
                           .dynamic_friction = values[DYNAMIC],
                           .stribeck = values[STRIBECK],
                           .breakaway = values[BREAKAWAY]};
}

static void modes_of(const Pair* pair, const double* values, double freq_hz[MODES], double decay[MODES])
{
    for (int k = 0; k < MODES; k++)
    {
        freq_hz[k] = pair->freq_hz[k] * values[PITCH];
        decay[k] = decay_of(pair->t60[k] * values[RING]);
    }
}

// objects: exciter and resonator of each pair, then the wheel's mass and the track
static twStatus make_objects(const Rub* rub, const double* values, twModes** objects, twError* err)
{
    twStatus status = TW_OK;
    int count = 0;
    for (int p = 0; p < rub->kind->pair_count && status == TW_OK; p++)
    {
        const Pair* pair = &rub->kind->pairs[p];
        double freq_hz[MODES], decay[MODES], none = 0;
        modes_of(pair, values, freq_hz, decay);
        const twModesDef exciter = {1, &none, &pair->decay, &pair->mass, 1, NULL, 1, NULL};
        const twModesDef resonator = {MODES, freq_hz, decay, pair->modal_mass, 1, pair->shape, 1, NULL};
        status = tw_modes_create(&objects[count++], &exciter, err);
        if (status == TW_OK) status = tw_modes_create(&objects[count++], &resonator, err);
    }
    if (!rub->kind->rolls || status != TW_OK) return status;
    double decay[TRACK_MODES];
    for (int k = 0; k < TRACK_MODES; k++) decay[k] = decay_of(track_t60[k]);
    const twModesDef track = {TRACK_MODES, track_freq, decay, track_mass, 1, NULL, 1, NULL};
    status = tw_modes_rigid(&objects[count++], WHEEL_MASS, err);
    return status == TW_OK ? tw_modes_create(&objects[count], &track, err) : status;
}

static twStatus make_profile(Rub* rub, twError* err)
{
    twProfileDef def = tw_profile_def();
    def.rms = 4e-6;
    def.beta = -1.2;
    def.longest = 0.05;
    def.shortest = 0.001;
    def.seed = 5;
    const twStatus status = tw_profile_create(&rub->profile, &def, err);
    rub->travel = (twTravel){.profile = rub->profile, .radius = WHEEL_RADIUS, .asymmetry = 0.2};
    return status;
}

// what make_net() tells the network
typedef struct Parts
{
    twNetObject objects[2 * PAIRS + 2];
    twContactDef contacts[PAIRS + 1];
    twNetInput inputs[INPUTS];
    twNetOutput outputs[OUTPUTS];
} Parts;

static void lay_pair(const Rub* rub, int p, Parts* parts)
{
    const int exciter = 2 * p, resonator = 2 * p + 1;
    twContactDef* contact = &parts->contacts[p];
    *contact = tw_contact_def();
    contact->a = exciter;
    contact->b = resonator;
    contact->has_friction = true;
    contact->friction = rub->law[p];
    contact->roughness_beta = rub->kind->roughness;
    contact->seed = 1 + (uint64_t)p;
    twNetInput* in = parts->inputs + p * INPUTS_OF_PAIR;
    in[IN_FORCE] = (twNetInput){.kind = TW_IN_FORCE, .object = exciter};
    in[IN_NORMAL] = (twNetInput){.kind = TW_IN_NORMAL_FORCE, .contact = p};
    twNetOutput* out = parts->outputs + p * OUTPUTS_OF_PAIR;
    out[OUT_SOUND] = (twNetOutput){.kind = TW_OUT_VELOCITY, .object = resonator};
    out[OUT_BRISTLE] = (twNetOutput){.kind = TW_OUT_BRISTLE, .contact = p};
    out[OUT_SLIP] = (twNetOutput){.kind = TW_OUT_SLIP, .contact = p};
    out[OUT_FRICTION] = (twNetOutput){.kind = TW_OUT_FRICTION_FORCE, .contact = p};
}

static void lay_wheel(const Rub* rub, Parts* parts)
{
    const int pairs = rub->kind->pair_count, mass = 2 * pairs, track = 2 * pairs + 1;
    twContactDef* contact = &parts->contacts[pairs];
    *contact = tw_contact_def();
    contact->a = mass;
    contact->b = track;
    contact->has_impact = true;
    contact->impact = (twImpactLaw){5e8, 1.4, 1};
    twNetInput* in = parts->inputs + pairs * INPUTS_OF_PAIR;
    in[IN_WEIGHT] = (twNetInput){.kind = TW_IN_FORCE, .object = mass};
    in[IN_HEIGHT] = (twNetInput){.kind = TW_IN_OFFSET, .contact = pairs};
    parts->outputs[pairs * OUTPUTS_OF_PAIR] = (twNetOutput){.kind = TW_OUT_VELOCITY, .object = track};
}

static twStatus make_net(Rub* rub, twModes* const* modes, twError* err)
{
    const int pairs = rub->kind->pair_count, rolls = rub->kind->rolls;
    Parts parts = {0};
    for (int p = 0; p < pairs; p++) lay_pair(rub, p, &parts);
    if (rolls) lay_wheel(rub, &parts);
    twNetDef def = tw_net_def();
    def.rate_hz = rub->rate_hz;
    def.object_count = 2 * (pairs + rolls);
    for (int i = 0; i < def.object_count; i++) parts.objects[i].modes = modes[i];
    def.objects = parts.objects;
    def.contact_count = pairs + rolls;
    def.contacts = parts.contacts;
    def.input_count = pairs * INPUTS_OF_PAIR + rolls * INPUTS_OF_WHEEL;
    def.inputs = parts.inputs;
    def.output_count = pairs * OUTPUTS_OF_PAIR + rolls;
    def.outputs = parts.outputs;
    return tw_net_create(&rub->net, &def, err);
}

static void set(void* state, const double* values)
{
    Rub* rub = state;
    for (int p = 0; p < rub->kind->pair_count; p++)
    {
        const Pair* pair = &rub->kind->pairs[p];
        double freq_hz[MODES], decay[MODES];
        modes_of(pair, values, freq_hz, decay);
        rub->law[p] = law_of(pair, values);
        if (!rub->net) continue;
        tw_net_set_friction(rub->net, p, &rub->law[p]);
        tw_net_set_modes(rub->net, 2 * p + 1, freq_hz, decay);
    }
    rub->pointer.force_max = values[PUSH];
    rub->pointer.normal_max = values[PRESS];
}

static twStatus create(void** out, const BenchStart* start, const Kind* kind, twError* err)
{
    Rub* rub = *out = calloc(1, sizeof *rub);
    if (!rub) return tw_fail(err, TW_NO_MEMORY, "no memory for a bench");
    rub->kind = kind;
    rub->rate_hz = start->rate_hz;
    rub->pointer = tw_pointer(0, 0, 0, 0, SMOOTH);
    set(rub, start->values);
    twModes* modes[2 * PAIRS + 2] = {0};
    twStatus status = make_objects(rub, start->values, modes, err);
    if (status == TW_OK && kind->rolls) status = make_profile(rub, err);
    if (status == TW_OK) status = make_net(rub, modes, err);
    for (int i = 0; i < 2 * PAIRS + 2; i++) tw_modes_destroy(modes[i]);
    return status;
}

static twStatus create_wineglass(void** out, const BenchStart* start, twError* err)
{
    return create(out, start, &wineglass, err);
}
static twStatus create_door(void** out, const BenchStart* start, twError* err)
{
    return create(out, start, &door, err);
}
static twStatus create_wheel(void** out, const BenchStart* start, twError* err)
{
    return create(out, start, &wheel, err);
}

static void destroy(void* state)
{
    Rub* rub = state;
    tw_net_destroy(rub->net);
    tw_profile_destroy(rub->profile);
    free(rub);
}

// ---- sound ----

static void act(void* state, PlayAction action, const double arguments[PLAY_ARGUMENTS])
{
    Rub* rub = state;
    if (action == PLAY_DOWN || action == PLAY_UP) rub->down = action == PLAY_DOWN;
    if (action != PLAY_DOWN && action != PLAY_MOVE) return;
    rub->x = arguments[0];
    rub->y = arguments[1];
}

// the wheel turns as fast as its axle moves, unless it is blocked
static void roll(Rub* rub, int i)
{
    const double free = fmax(0, 1 - rub->pointer.normal / BLOCKS);
    double factor, (*in)[PLAY_BLOCK] = rub->in + rub->kind->pair_count * INPUTS_OF_PAIR;
    in[IN_HEIGHT][i] = tw_travel_next(&rub->travel, free * rub->speed, 1 / rub->rate_hz, &factor);
    in[IN_WEIGHT][i] = WHEEL_MASS * GRAVITY * factor;
}

static void read_hand(Rub* rub, int frames)
{
    const double x = rub->down ? rub->x : 0, y = rub->down ? rub->y : 0;
    for (int i = 0; i < frames; i++)
    {
        tw_pointer_next(&rub->pointer, x, y, 1 / rub->rate_hz);
        if (!rub->down && rub->pointer.normal < LIFTED) rub->pointer.normal = 0;
        for (int p = 0; p < rub->kind->pair_count; p++)
        {
            rub->in[p * INPUTS_OF_PAIR + IN_FORCE][i] = rub->pointer.force * rub->kind->pairs[p].pull;
            rub->in[p * INPUTS_OF_PAIR + IN_NORMAL][i] = rub->pointer.normal;
        }
        if (rub->kind->rolls) roll(rub, i);
    }
    rub->normal = rub->pointer.normal;
}

static double breakaway_of(const Rub* rub, int pair)
{
    const twFrictionLaw* law = &rub->law[pair];
    return law->breakaway * law->dynamic_friction * rub->normal / law->stiffness;
}

static void look(Rub* rub, int pair, int frames)
{
    Seen* seen = &rub->seen[pair];
    const double* z = rub->out[pair * OUTPUTS_OF_PAIR + OUT_BRISTLE];
    const double breakaway = breakaway_of(rub, pair);
    for (int i = 0; i < frames; i++)
    {
        seen->low = fmin(seen->low, z[i]);
        seen->high = fmax(seen->high, z[i]);
        rub->stuck += fabs(z[i]) <= breakaway;
    }
    rub->looked += frames;
    seen->slip = rub->out[pair * OUTPUTS_OF_PAIR + OUT_SLIP][frames - 1];
    seen->friction = rub->out[pair * OUTPUTS_OF_PAIR + OUT_FRICTION][frames - 1];
}

static void mix(const double* from, double pan, double gain, double* left, double* right, int frames)
{
    const double angle = 0.25 * TW_PI * (1 + pan), l = gain * cos(angle), r = gain * sin(angle);
    for (int i = 0; i < frames; i++)
    {
        left[i] += l * from[i];
        right[i] += r * from[i];
    }
}

static void process(void* state, double* left, double* right, int frames)
{
    Rub* rub = state;
    const double* in[INPUTS];
    double* out[OUTPUTS];
    read_hand(rub, frames);
    const int pairs = rub->kind->pair_count;
    for (int i = 0; i < INPUTS; i++) in[i] = rub->in[i];
    for (int i = 0; i < OUTPUTS; i++) out[i] = rub->out[i];
    tw_net_process(rub->net, in, out, frames);
    for (int i = 0; i < frames; i++) left[i] = right[i] = 0;
    for (int p = 0; p < pairs; p++)
    {
        mix(rub->out[p * OUTPUTS_OF_PAIR], rub->kind->pairs[p].pan, 1, left, right, frames);
        look(rub, p, frames);
    }
    if (!rub->kind->rolls) return;
    mix(rub->out[pairs * OUTPUTS_OF_PAIR], -0.2, TRACK_GAIN, left, right, frames);
    tw_net_state(rub->net, 0, NULL, &rub->speed);
}

// ---- picture ----

static void draw_pair(Rub* rub, int p, Pen* pen)
{
    Seen* seen = &rub->seen[p];
    const double unit = fmax(breakaway_of(rub, p), 1e-12);
    const twFrictionLaw* law = &rub->law[p];
    double place, velocity, x[MODES], v[MODES], freq_hz[MODES];
    tw_net_state(rub->net, 2 * p, &place, &velocity);
    tw_net_state(rub->net, 2 * p + 1, x, v);
    pen_put(pen, seen->low / unit);
    pen_put(pen, seen->high / unit);
    pen_put(pen, tw_friction_steady(law, rub->normal, fabs(seen->slip)) / law->stiffness / unit);
    pen_put(pen, seen->slip);
    pen_put(pen, seen->friction);
    pen_put(pen, rub->normal);
    pen_put(pen, place);
    pen_put(pen, velocity);
    for (int k = 0; k < MODES; k++)
    {
        freq_hz[k] = 2 * TW_PI * rub->kind->pairs[p].freq_hz[k];
        pen_put(pen, hypot(x[k], v[k] / freq_hz[k]));
    }
    seen->low = HUGE_VAL;
    seen->high = -HUGE_VAL;
}

static int picture(void* state, float* out, int max)
{
    Rub* rub = state;
    Pen pen = {out, 0, max};
    pen_put(&pen, rub->looked > 0 ? rub->stuck / rub->looked : 1);
    pen_put(&pen, fmax(0, 1 - rub->normal / BLOCKS) * rub->speed);
    pen_put(&pen, rub->travel.angle);
    for (int p = 0; p < rub->kind->pair_count; p++) draw_pair(rub, p, &pen);
    rub->stuck = rub->looked = 0;
    return pen.count;
}

// ---- the benches ----

// Table I of the source says what the constants of friction do to the sound
#define SLIDERS(stiff, damp, visc, rough, sticks, slides, strib, brk, pushes, presses)                                 \
    {                                                                                                                  \
        {"stiffness", "Mode locking", "bristle stiffness", "N/m", 1e3, 1e6, stiff, true, false},                       \
            {"damping", "Bandwidth", "bristle damping", "N s/m", 0.05, 50, damp, true, false},                         \
            {"viscosity", "Speed of evolution", "viscous friction", "N s/m", 0, 2, visc, false, false},                \
            {"noise", "Surface roughness", "noise in the friction force", "N", 0, 0.2, rough, false, false},           \
            {"static", "Attack", "static friction: high bites", "", 0.05, 1.5, sticks, false, false},                  \
            {"dynamic", "Mellowness", "dynamic friction: high has less bandwidth", "", 0.05, 1, slides, false, false}, \
            {"stribeck", "Attack smoothness", "Stribeck velocity", "m/s", 0.01, 1, strib, true, false},                \
            {"breakaway", "Grip", "breakaway: share of the force below which nothing slips", "", 0.05, 0.95, brk,      \
             false,       false},                                                                                      \
            {"pitch", "Pitch", "all frequencies of the object", "x", 0.25, 4, 1, true, false},                         \
            {"ring", "Ring time", "decay times of the object", "x", 0.05, 4, 1, true, false},                          \
            {"push", "Push at the right edge", "greatest force on the exciter", "N", 0.1, 20, pushes, true, false},    \
            {"press",                                                                                                  \
             "Press at the top",                                                                                       \
             "greatest normal force: high is rougher and louder",                                                      \
             "N",                                                                                                      \
             0.1,                                                                                                      \
             20,                                                                                                       \
             presses,                                                                                                  \
             true,                                                                                                     \
             false},                                                                                                   \
    }

static const PlayParameter wineglass_sliders[PARAMETERS] = SLIDERS(6e3, 1.2, 0.05, 0.01, 0.45, 0.2, 0.1, 0.5, 1.2, 2);
static const PlayParameter door_sliders[PARAMETERS] = SLIDERS(4e4, 3, 0.1, 0.001, 0.6, 0.25, 0.1, 0.6, 6, 10);
static const PlayParameter wheel_sliders[PARAMETERS] = SLIDERS(2e5, 4, 0.1, 0.02, 0.6, 0.25, 0.35, 0.7, 5, 12);

#define RUBBED(id, full_scale)                                                                                         \
    {                                                                                                                  \
        .name = #id, .parameters = id##_sliders, .parameter_count = PARAMETERS, .gain = full_scale,                    \
        .create = create_##id, .destroy = destroy, .set = set, .act = act, .process = process, .picture = picture,     \
    }
const Bench bench_wineglass = RUBBED(wineglass, 4), bench_door = RUBBED(door, 1), bench_wheel = RUBBED(wheel, 0.5);
