// SPDX-License-Identifier: MIT
// Six ways to compute one bounce, side by side, after S. Papetti, F. Avanzini, D. Rocchesso 2009: a ball that falls on a wall by the
// Hunt-Crossley law, by six integrators. Some of them gain energy when contacts last few samples: their balls bounce higher than they
// fell from. Each contact force rings a chime of its own; one of them, or all, can be heard.
//
// Actions: reset drops all balls; hit takes which one is heard (0 .. 5, or -1 for all).
// Picture: for each method height [m], velocity [m/s], energy over that at the start, highest energy over it, contacts, and whether the ball
// is gone (1).

#include "bench.h"
#include "twang/contact.h"
#include "twang/math.h"
#include <stdlib.h>

#define METHODS 6
#define MODES 3
#define LOST 1e3  // a ball with so many times its energy is gone

enum
{
    HEIGHT,
    MASS,
    STIFFNESS,
    EXPONENT,
    DISSIPATION,
    GRAVITY,
    RATE,
    PARAMETERS
};

static const twImpactMethod methods[METHODS] = {TW_VERLET, TW_HEUN, TW_RK4, TW_AM1, TW_DG, TW_QI};

typedef struct Bounce
{
    twWallRun runs[METHODS];
    twWallDef def;
    twBank* bank;
    bool gone[METHODS];
    int heard;
    double rate_hz, share, due;  // steps per sample, and how much of one is due
    double height, energy;
    float in[METHODS][PLAY_BLOCK], out[2][PLAY_BLOCK];
} Bounce;

static void drop(Bounce* b)
{
    for (int i = 0; i < METHODS; i++)
    {
        twWallDef def = b->def;
        def.method = methods[i];
        twWall wall = tw_wall(&def);
        wall.x = -b->height;
        wall.v = 0;
        wall.closed = false;
        b->runs[i] = tw_wall_run(&wall);
        b->gone[i] = false;
    }
    b->energy = tw_wall_energy(&b->runs[0].wall);
    b->due = 0;
}

static void set(void* state, const double* values)
{
    Bounce* b = state;
    b->def = tw_wall_def();
    b->def.law = (twImpactLaw){values[STIFFNESS], values[EXPONENT], values[DISSIPATION]};
    b->def.mass = values[MASS];
    b->def.velocity = 0;
    b->def.gravity = values[GRAVITY];
    b->def.rate_hz = values[RATE];
    b->height = values[HEIGHT];
    b->share = values[RATE] / b->rate_hz;
    drop(b);
}

// a chime for each ball, higher from left to right
static twStatus make_bank(Bounce* b, twError* err)
{
    const double scale[METHODS] = {1, 9.0 / 8, 5.0 / 4, 3.0 / 2, 5.0 / 3, 2}, partials[MODES] = {1, 2.756, 5.404};
    twModes* modes[METHODS] = {0};
    twBankObject objects[METHODS];
    twStatus status = TW_OK;
    for (int i = 0; i < METHODS && status == TW_OK; i++)
    {
        double freq_hz[MODES], decay[MODES], pan[2 * MODES];
        const double angle = 0.5 * TW_PI * (i + 1) / (METHODS + 1);
        for (int k = 0; k < MODES; k++)
        {
            freq_hz[k] = 523.25 * scale[i] * partials[k];
            decay[k] = 4 + 1e-3 * freq_hz[k];
            pan[k] = cos(angle);
            pan[MODES + k] = sin(angle);
        }
        const twModesDef def = {MODES, freq_hz, decay, NULL, 1, NULL, 2, pan};
        status = tw_modes_create(&modes[i], &def, err);
        objects[i] = tw_bank_object(modes[i]);
        objects[i].output_count = 2;
        objects[i].quantity = TW_VELOCITY;
    }
    if (status == TW_OK) status = tw_bank_create(&b->bank, &(twBankDef){b->rate_hz, TW_FLOAT, METHODS, objects}, err);
    for (int i = 0; i < METHODS; i++) tw_modes_destroy(modes[i]);
    return status;
}

static twStatus create(void** out, const BenchStart* start, twError* err)
{
    Bounce* b = *out = calloc(1, sizeof *b);
    if (!b) return tw_fail(err, TW_NO_MEMORY, "no memory for a bench");
    b->rate_hz = start->rate_hz;
    b->heard = -1;
    set(b, start->values);
    return make_bank(b, err);
}

static void destroy(void* state)
{
    Bounce* b = state;
    tw_bank_destroy(b->bank);
    free(b);
}

static void act(void* state, PlayAction action, const double arguments[PLAY_ARGUMENTS])
{
    Bounce* b = state;
    if (action == PLAY_RESET) drop(b);
    if (action == PLAY_HIT) b->heard = (int)arguments[0];
}

// steps of a sample; @return the mean force [N]
static double advance(Bounce* b, int i, int steps)
{
    double force = 0;
    for (int k = 0; k < steps && !b->gone[i]; k++)
    {
        tw_wall_run_step(&b->runs[i]);
        force += b->runs[i].wall.f / b->share;
        b->gone[i] = !b->runs[i].finite || tw_wall_energy(&b->runs[i].wall) > LOST * b->energy;
    }
    return b->gone[i] ? 0 : force;
}

static void process(void* state, double* left, double* right, int frames)
{
    Bounce* b = state;
    for (int n = 0; n < frames; n++)
    {
        b->due += b->share;
        const int steps = (int)b->due;
        b->due -= steps;
        for (int i = 0; i < METHODS; i++)
        {
            const double force = advance(b, i, steps);
            b->in[i][n] = b->heard < 0 || b->heard == i ? (float)force : 0;
        }
    }
    const float* in[METHODS];
    float* out[2 * METHODS];
    for (int i = 0; i < METHODS; i++)
    {
        in[i] = b->in[i];
        out[2 * i] = b->out[0];
        out[2 * i + 1] = b->out[1];
    }
    for (int n = 0; n < frames; n++) b->out[0][n] = b->out[1][n] = 0;
    tw_bank_process(b->bank, in, out, frames);
    for (int n = 0; n < frames; n++)
    {
        left[n] = b->out[0][n];
        right[n] = b->out[1][n];
    }
}

static int picture(void* state, float* out, int max)
{
    Bounce* b = state;
    Pen pen = {out, 0, max};
    for (int i = 0; i < METHODS; i++)
    {
        const twWallRun* run = &b->runs[i];
        pen_put(&pen, b->gone[i] ? 0 : -run->wall.x);
        pen_put(&pen, b->gone[i] ? 0 : -run->wall.v);
        pen_put(&pen, b->gone[i] ? LOST : tw_wall_energy(&run->wall) / b->energy);
        pen_put(&pen, b->gone[i] ? LOST : run->energy_max / b->energy);
        pen_put(&pen, (double)run->contacts);
        pen_put(&pen, b->gone[i]);
    }
    return pen.count;
}

static const PlayParameter sliders[PARAMETERS] = {
    {"height", "Height", "from which the balls fall", "m", 0.02, 1, 0.3, true, false},
    {"mass", "Weight", "mass of a ball: heavy ones stay longer and sound darker", "kg", 0.001, 0.5, 0.01, true, false},
    {"stiffness", "Hardness", "stiffness of the contact: hard ones last few samples", "N/m^a", 1e4, 1e12, 2e9, true,
     false},
    {"exponent", "Shape", "exponent of the contact force: 1.5 is a sphere", "", 1, 3.5, 1.5, false, false},
    {"dissipation", "Deadness", "what a contact takes: 0 bounces for ever", "s/m", 0, 1, 0.02, false, false},
    {"gravity", "Gravity", "acceleration downwards", "m/s^2", 1, 30, 9.81, false, false},
    {"rate", "Steps", "per second: few make methods differ", "Hz", 4000, 192000, 44100, true, false},
};
const Bench bench_bounce = {
    .name = "bounce",
    .parameters = sliders,
    .parameter_count = PARAMETERS,
    .gain = 0.4,
    .create = create,
    .destroy = destroy,
    .set = set,
    .act = act,
    .process = process,
    .picture = picture,
};
