// SPDX-License-Identifier: MIT
// A long thin wire, like that of a slinky hung between two hands: high waves run ahead of low ones, so that a tap arrives as a chirp.
// Its bending waves are those of a straight rod, since its turns are much wider than it is thick. A bar on two hinges under
// tension T has the modes
//
//   shape sin(n pi s),  w^2 = (T/(rho A)) k^2 + (E I/(rho A)) k^4,  k = n pi/L,  modal mass half the mass,
//
// all of them below half the rate: from a slinky (T = 0) to a string (E I small) by one slider.
//
// Actions: hit takes a place along the wire (0 .. 1) and a speed [m/s] of the finger.
// Picture: modes that sound, then how far points along the wire are moved [m].

#include "bench.h"
#include "twang/math.h"
#include "twang/modal.h"
#include <stdlib.h>
#include <string.h>

#define MOST 1600     // modes that are heard
#define DRAWN 64      // and that are drawn, the lowest
#define SEEN 48       // points that are drawn
#define TAPS 8        // that wait
#define LOWEST 15.0   // what is heard [Hz]
#define HIGHEST 0.45  // of the rate
#define GONE 1e4      // decay of what is not heard any more [1/s]
#define STEEL_YOUNG 2.05e11
#define STEEL_DENSITY 7850.0
#define FINGER 0.002  // mass that taps [kg]
#define TAP 2.5e-5    // time the tap lasts [s]

enum
{
    LENGTH,
    THICKNESS,
    TENSION,
    DAMPING,
    EAR,
    PARAMETERS
};

typedef struct Tap
{
    double place, impulse;
} Tap;

typedef struct Wire
{
    twBank* bank;  // modes that are heard: from `first` on
    twBank* low;   // modes that are drawn: from 1 on
    double rate_hz, mass;
    int first, count, drawn;
    double freq_hz[MOST], decay[MOST], work[MOST];
    Tap taps[TAPS];
    int tap_count;
    bool aimed;  // the weights of the first tap are in place
    float out[PLAY_BLOCK];
} Wire;

// ---- modes ----

static double freq_of(int n, const double* values)
{
    const double k = n * TW_PI / values[LENGTH], radius = 0.5 * values[THICKNESS];
    const double area = TW_PI * radius * radius, moment = 0.25 * area * radius * radius, mass = STEEL_DENSITY * area;
    return sqrt(values[TENSION] / mass * k * k + STEEL_YOUNG * moment / mass * k * k * k * k) / (2 * TW_PI);
}

static double decay_of(double freq_hz, const double* values)
{
    return values[DAMPING] + TW_PI * freq_hz * tw_material_find("steel")->loss_factor;
}

static void tune(Wire* wire, const double* values)
{
    for (int i = 0; i < wire->count; i++)
    {
        const double freq_hz = freq_of(wire->first + i, values);
        const bool heard = freq_hz < HIGHEST * wire->rate_hz;
        wire->freq_hz[i] = heard ? freq_hz : HIGHEST * wire->rate_hz;
        wire->decay[i] = heard ? decay_of(freq_hz, values) : GONE;
    }
}

// what a tap of half a sine leaves of an impulse
static double softened(double freq_hz)
{
    const double t = freq_hz * TAP, down = 1 - 4 * t * t;
    return fabs(down) > 1e-9 ? cos(TW_PI * t) / down : 0.25 * TW_PI;
}

static const double* weights_at(Wire* wire, double place, bool tap)
{
    for (int i = 0; i < wire->count; i++)
        wire->work[i] = sin((wire->first + i) * TW_PI * place) * (tap ? softened(wire->freq_hz[i]) : 1);
    return wire->work;
}

static const double* low_weights_at(Wire* wire, double place)
{
    for (int k = 0; k < wire->drawn; k++) wire->work[k] = sin((k + 1) * TW_PI * place);
    return wire->work;
}

// ---- set-up ----

static void count_modes(Wire* wire, const double* values)
{
    wire->first = 1;
    while (freq_of(wire->first, values) < LOWEST) wire->first++;
    while (wire->count < MOST && freq_of(wire->first + wire->count, values) < HIGHEST * wire->rate_hz) wire->count++;
    while (wire->drawn < DRAWN && freq_of(wire->drawn + 1, values) < HIGHEST * wire->rate_hz) wire->drawn++;
}

static twStatus make_bank(twBank** out, const Wire* wire, twPrecision precision, twModesDef def, int outputs,
                          twError* err)
{
    double mass[MOST];
    for (int k = 0; k < def.mode_count; k++) mass[k] = 0.5 * wire->mass;
    def.mass = mass;
    twModes* modes = NULL;
    twStatus status = tw_modes_create(&modes, &def, err);
    if (status == TW_OK)
    {
        twBankObject object = tw_bank_object(modes);
        object.output_count = outputs;
        object.quantity = TW_VELOCITY;
        status = tw_bank_create(out, &(twBankDef){wire->rate_hz, precision, 1, &object}, err);
    }
    tw_modes_destroy(modes);
    return status;
}

static twStatus make_heard(Wire* wire, twError* err)
{
    const twModesDef def = {wire->count, wire->freq_hz, wire->decay, NULL, 1, NULL, 1, NULL};
    return make_bank(&wire->bank, wire, TW_FLOAT, def, 1, err);
}

static twStatus make_low(Wire* wire, const double* values, twError* err)
{
    double freq_hz[DRAWN], decay[DRAWN];
    for (int k = 0; k < wire->drawn; k++)
    {
        freq_hz[k] = freq_of(k + 1, values);
        decay[k] = decay_of(freq_hz[k], values);
    }
    const twModesDef def = {wire->drawn, freq_hz, decay, NULL, 1, NULL, 1, NULL};
    return make_bank(&wire->low, wire, TW_DOUBLE, def, 0, err);
}

static twStatus create(void** out, const BenchStart* start, twError* err)
{
    Wire* wire = *out = calloc(1, sizeof *wire);
    if (!wire) return tw_fail(err, TW_NO_MEMORY, "no memory for a bench");
    const double* values = start->values;
    wire->rate_hz = start->rate_hz;
    wire->mass = STEEL_DENSITY * 0.25 * TW_PI * values[THICKNESS] * values[THICKNESS] * values[LENGTH];
    count_modes(wire, values);
    tune(wire, values);
    twStatus status = make_heard(wire, err);
    if (status == TW_OK) status = make_low(wire, values, err);
    if (status == TW_OK) tw_bank_set_output_weights(wire->bank, 0, 0, weights_at(wire, values[EAR], false));
    return status;
}

static void destroy(void* state)
{
    Wire* wire = state;
    tw_bank_destroy(wire->bank);
    tw_bank_destroy(wire->low);
    free(wire);
}

static void set(void* state, const double* values)
{
    Wire* wire = state;
    tune(wire, values);
    tw_bank_set_modes(wire->bank, 0, wire->freq_hz, wire->decay);
    tw_bank_set_output_weights(wire->bank, 0, 0, weights_at(wire, values[EAR], false));
}

// ---- sound and picture ----

static void act(void* state, PlayAction action, const double arguments[PLAY_ARGUMENTS])
{
    Wire* wire = state;
    if (action != PLAY_HIT || wire->tap_count == TAPS) return;
    wire->taps[wire->tap_count++] = (Tap){fmin(fmax(arguments[0], 0), 1), FINGER * fmin(fmax(arguments[1], 0), 20)};
}

// weights of a tap take a block to change, then it falls
static void tap(Wire* wire)
{
    if (wire->aimed)
    {
        tw_bank_impulse(wire->bank, 0, 0, wire->taps[0].impulse);
        tw_bank_impulse(wire->low, 0, 0, wire->taps[0].impulse);
        wire->tap_count--;
        memmove(wire->taps, wire->taps + 1, (size_t)wire->tap_count * sizeof *wire->taps);
    }
    wire->aimed = wire->tap_count > 0;
    if (!wire->aimed) return;
    tw_bank_set_input_weights(wire->bank, 0, 0, weights_at(wire, wire->taps[0].place, true));
    tw_bank_set_input_weights(wire->low, 0, 0, low_weights_at(wire, wire->taps[0].place));
}

static void process(void* state, double* left, double* right, int frames)
{
    Wire* wire = state;
    memset(wire->out, 0, sizeof wire->out);
    tap(wire);
    tw_bank_process(wire->bank, NULL, (float*[]){wire->out}, frames);
    tw_bank_process(wire->low, NULL, NULL, frames);
    for (int i = 0; i < frames; i++) left[i] = right[i] = wire->out[i];
}

static int picture(void* state, float* out, int max)
{
    Wire* wire = state;
    Pen pen = {out, 0, max};
    double amplitude[DRAWN];
    tw_bank_state(wire->low, 0, amplitude, NULL);
    pen_put(&pen, wire->count);
    for (int i = 0; i < SEEN; i++)
    {
        double sum = 0;
        for (int k = 0; k < wire->drawn; k++) sum += amplitude[k] * sin((k + 1) * TW_PI * (i + 0.5) / SEEN);
        pen_put(&pen, sum);
    }
    return pen.count;
}

static const PlayParameter sliders[PARAMETERS] = {
    {"length", "Length", "of the wire: how long the chirp takes", "m", 1, 20, 8, true, true},
    {"thickness", "Thickness", "thin wires spread high and low farther apart", "m", 2e-4, 2e-3, 5e-4, true, true},
    {"tension", "Tension", "from a slinky to a string: waves keep together", "N", 0, 400, 0, false, true},
    {"damping", "Dullness", "what holds it takes, beside the loss of steel", "1/s", 0.2, 20, 1.5, true, false},
    {"ear", "Where you listen", "place along the wire", "", 0.02, 0.98, 0.97, false, false},
};
const Bench bench_wire = {
    .name = "wire",
    .parameters = sliders,
    .parameter_count = PARAMETERS,
    .gain = 0.02,
    .create = create,
    .destroy = destroy,
    .set = set,
    .act = act,
    .process = process,
    .picture = picture,
};
