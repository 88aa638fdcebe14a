// SPDX-License-Identifier: MIT
// Parameters of a bank, at creation and while sounding. Symbols as in bank.h.
//
// The pole is rounded to the bank's precision, which would detune and damp a float mode by up to 6e-8 per sample: the
// rest, p / rounded p - 1, is kept beside it and applied once per inner block. A new frequency w' scales z by w'/w:
// q = u Im z stays, and so does the amplitude |z| u, whatever sequence of changes comes (no parametric pumping).
// The velocity u (w Re z - c Im z) would jump, so its weights ramp like any others.
#include "bank.h"
#include <math.h>
#include <string.h>

// weights beyond this would overflow float
static const double MAX_WEIGHT = 1e30;
static const double MAX_STATE = 1e15;

// ---- lanes ----

static double get(const twBank* bank, size_t index)
{
    return bank->precision == TW_FLOAT ? (double)((const float*)bank->data)[index] : ((const double*)bank->data)[index];
}

static void put(twBank* bank, size_t index, double value)
{
    if (bank->precision == TW_FLOAT)
        ((float*)bank->data)[index] = (float)value;
    else
        ((double*)bank->data)[index] = value;
}

static void put_weight(twBank* bank, size_t index, double value)
{
    put(bank, index, fabs(value) <= MAX_WEIGHT ? value : copysign(MAX_WEIGHT, value));
}

// index of field 0 of a mode's lane; field f is f * lanes further on
static size_t lane_of(const twBank* bank, const BankItem* item, int k)
{
    const BankGroup* group = &bank->groups[item->group];
    int lanes = bank->variant->lanes;
    int vector = group->count > 1 ? k : k / lanes, lane = group->count > 1 ? item->lane : k % lanes;
    return group->offset + (size_t)vector * group->stride + (size_t)lane;
}

static void clear_lane(twBank* bank, const BankGroup* group, size_t at)
{
    size_t lanes = (size_t)bank->variant->lanes;
    for (size_t field = 0; field < group->stride / lanes; field++) put(bank, at + field * lanes, 0);
}

// write a lane's current or old weights from those of the object
static void write_weights(twBank* bank, const BankItem* item, int k, bool old)
{
    const BankGroup* group = &bank->groups[item->group];
    const BankMode* mode = &item->mode[k];
    const double *shape = old ? item->old_shape : item->shape, *pickup = old ? item->old_pickup : item->pickup;
    size_t lanes = (size_t)bank->variant->lanes, modes = (size_t)item->modes;
    size_t at = lane_of(bank, item, k) + (size_t)(FIELD_WEIGHTS + (old ? group->weights : 0)) * lanes;
    double fold = group->folded ? item->shape[k] : 1, unit = fold / (mode->mass * mode->w * bank->rate_hz);
    for (size_t j = 0; j < (size_t)item->inputs; j++, at += lanes)
        put_weight(bank, at, group->folded ? 1 : shape[j * modes + (size_t)k]);
    for (size_t j = 0; j < (size_t)item->outputs; j++, at += lanes)
    {
        double weight = unit * pickup[j * modes + (size_t)k];
        put_weight(bank, at, item->velocity ? -weight * mode->decay : weight);
        if (item->velocity) put_weight(bank, at + (size_t)item->outputs * lanes, weight * mode->w);
    }
}

// factor on a lane's state and, inversely, on the weights a ramp starts from
static void scale_lane(twBank* bank, const BankItem* item, int k, double factor)
{
    const BankGroup* group = &bank->groups[item->group];
    size_t lanes = (size_t)bank->variant->lanes, at = lane_of(bank, item, k);
    put(bank, at + FIELD_RE * lanes, get(bank, at + FIELD_RE * lanes) * factor);
    put(bank, at + FIELD_IM * lanes, get(bank, at + FIELD_IM * lanes) * factor);
    for (int j = group->inputs; j < group->weights; j++)
    {
        size_t field = at + (size_t)(FIELD_WEIGHTS + group->weights + j) * lanes;
        put_weight(bank, field, get(bank, field) / factor);
    }
}

// ---- poles ----

typedef struct Pole
{
    long double re, im;
} Pole;

// exp((-c - extra + i w) / rate); a double bank wants digits beyond double
static Pole exact_pole(const twBank* bank, const BankMode* mode)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    if (bank->precision == TW_FLOAT)
    {
        double r = exp(-(mode->decay + mode->extra) / bank->rate_hz), angle = mode->w / bank->rate_hz;
        return (Pole){r * cos(angle), r * sin(angle)};
    }
    long double w0 = 2 * pi * mode->freq_hz, c = mode->decay, rate = bank->rate_hz;
    long double r = expl(-(c + mode->extra) / rate), angle = sqrtl((w0 - c) * (w0 + c)) / rate;
    return (Pole){r * cosl(angle), r * sinl(angle)};
}

static void write_pole(twBank* bank, const BankItem* item, int k)
{
    size_t lanes = (size_t)bank->variant->lanes, at = lane_of(bank, item, k);
    Pole p = exact_pole(bank, &item->mode[k]);
    put(bank, at + FIELD_C * lanes, (double)p.re);
    put(bank, at + FIELD_S * lanes, (double)p.im);
    // (p - r) / r of the rounded pole r
    long double re = get(bank, at + FIELD_C * lanes), im = get(bank, at + FIELD_S * lanes), size = re * re + im * im;
    long double d_re = p.re - re, d_im = p.im - im;
    bool gone = size < 1e-20L;
    put(bank, at + FIELD_DC * lanes, gone ? 0 : (double)((d_re * re + d_im * im) / size));
    put(bank, at + FIELD_DS * lanes, gone ? 0 : (double)((d_im * re - d_re * im) / size));
}

// damped angular frequency of a mode that rings in a lane, 0 of one that is left to bank_real.c
static double ringing_frequency(const twBank* bank, double freq_hz, double decay)
{
    // below this angle per sample the increments of float states get too coarse
    const double slowest = bank->precision == TW_FLOAT ? 1e-3 : 1e-6;
    double w0 = 2 * 3.14159265358979323846 * freq_hz;
    if (w0 <= decay) return 0;
    double w = sqrt((w0 - decay) * (w0 + decay));
    return w > slowest * bank->rate_hz ? w : 0;
}

// displacement and velocity of a mode, wherever its state is
static void lane_state(const twBank* bank, const BankItem* item, int k, double* x, double* v)
{
    const BankMode* mode = &item->mode[k];
    *x = mode->x, *v = mode->v;
    if (mode->w == 0) return;
    size_t lanes = (size_t)bank->variant->lanes, at = lane_of(bank, item, k);
    double fold = bank->groups[item->group].folded ? item->shape[k] : 1;
    double unit = fold / (mode->mass * mode->w * bank->rate_hz), re = get(bank, at), im = get(bank, at + lanes);
    *x = unit * im;
    *v = unit * (mode->w * re - mode->decay * im);
}

static void leave_lane(twBank* bank, BankItem* item, int k)
{
    BankMode* mode = &item->mode[k];
    lane_state(bank, item, k, &mode->x, &mode->v);
    clear_lane(bank, &bank->groups[item->group], lane_of(bank, item, k));
}

// the state of a mode becomes that of its lane
static void fill_lane(twBank* bank, BankItem* item, int k)
{
    BankMode* mode = &item->mode[k];
    size_t lanes = (size_t)bank->variant->lanes, at = lane_of(bank, item, k);
    double fold = bank->groups[item->group].folded ? item->shape[k] : 1;
    double scale = fold != 0 ? mode->mass * mode->w * bank->rate_hz / fold : 0;
    put(bank, at, scale * (mode->v + mode->decay * mode->x) / mode->w);
    put(bank, at + lanes, scale * mode->x);
    mode->x = mode->v = 0;
}

static void enter_lane(twBank* bank, BankItem* item, int k)
{
    fill_lane(bank, item, k);
    write_weights(bank, item, k, true);
}

void tw_bank_tune(twBank* bank, BankItem* item, int k, double freq_hz, double decay, double extra)
{
    BankMode* mode = &item->mode[k];
    double old_w = mode->w, w = ringing_frequency(bank, freq_hz, decay);
    if (old_w > 0 && w > 0) scale_lane(bank, item, k, w / old_w);
    if (old_w > 0 && w == 0) leave_lane(bank, item, k);
    mode->freq_hz = freq_hz;
    mode->decay = decay;
    mode->extra = extra;
    mode->w = w;
    if (old_w == 0 && w > 0) enter_lane(bank, item, k);
    if (w == 0)
    {
        tw_bank_real_tune(mode, bank->rate_hz);
        return;
    }
    write_pole(bank, item, k);
    write_weights(bank, item, k, false);
}

void tw_bank_recount(twBank* bank, BankGroup* group)
{
    group->ringing = group->real = 0;
    for (int i = 0; i < group->count; i++)
    {
        BankItem* item = &bank->items[bank->order[group->first + i]];
        item->real_count = 0;
        for (int k = 0; k < item->modes; k++)
            if (item->mode[k].w == 0) item->real[item->real_count++] = k;
        group->real += item->real_count;
        group->ringing += item->modes - item->real_count;
    }
    group->awake = true;
}

// ---- ramps ----

static void mix_into(double* from, const double* to, size_t count, double share)
{
    for (size_t i = 0; i < count; i++) from[i] += share * (to[i] - from[i]);
}

// let the weights of a group start from where they are now
static void begin_ramp(twBank* bank, BankGroup* group)
{
    size_t lanes = (size_t)bank->variant->lanes, count = (size_t)group->weights * lanes;
    double share = !group->ramping ? 1 : group->ramp_length > 0 ? bank_ramp(group, -1) : 0;
    for (int vector = 0; vector < group->vectors; vector++)
    {
        size_t now = group->offset + (size_t)vector * group->stride + FIELD_WEIGHTS * lanes, old = now + count;
        for (size_t i = 0; i < count; i++)
            put(bank, old + i,
                share == 1 ? get(bank, now + i)
                           : get(bank, old + i) + share * (get(bank, now + i) - get(bank, old + i)));
    }
    for (int i = 0; i < group->count; i++)
    {
        BankItem* item = &bank->items[bank->order[group->first + i]];
        mix_into(item->old_shape, item->shape, (size_t)item->inputs * (size_t)item->modes, share);
        mix_into(item->old_pickup, item->pickup, (size_t)item->outputs * (size_t)item->modes, share);
    }
    group->ramping = true;
    group->ramp_done = group->ramp_length = 0;
}

// undo the folding of input weights into output weights, before the input weights change
static void unfold(twBank* bank, BankGroup* group)
{
    if (!group->folded) return;
    size_t lanes = (size_t)bank->variant->lanes;
    group->folded = false;
    for (int i = 0; i < group->count; i++)
    {
        BankItem* item = &bank->items[bank->order[group->first + i]];
        for (int k = 0; k < item->modes; k++)
        {
            if (item->mode[k].w == 0) continue;
            double shape = item->shape[k];
            size_t at = lane_of(bank, item, k);
            // a mode that was never driven has no weights to divide back
            if (shape != 0)
                scale_lane(bank, item, k, shape);
            else
                put(bank, at + FIELD_RE * lanes, 0), put(bank, at + FIELD_IM * lanes, 0);
            if (shape == 0) write_weights(bank, item, k, true);
            put_weight(bank, at + (size_t)(FIELD_WEIGHTS + group->weights) * lanes, shape);
            write_weights(bank, item, k, false);
        }
    }
}

// ---- setters ----

// value inside [low, high]; the old one if it is not finite
static double checked(twBank* bank, double value, double old, double low, double high)
{
    double good = !isfinite(value) ? old : value < low ? low : value > high ? high : value;
    if (!(good == value)) bank->stats.clamped_values++;
    return good;
}

static BankItem* item_of(twBank* bank, int object)
{
    TW_ASSERT(bank && object >= 0 && object < bank->item_count);
    return &bank->items[object];
}

void tw_bank_set_modes(twBank* bank, int object, const double* freq_hz, const double* decay)
{
    BankItem* item = item_of(bank, object);
    BankGroup* group = &bank->groups[item->group];
    const double highest = 0.5 * bank->rate_hz * (1 - 1e-9), fastest = 1e3 * bank->rate_hz;
    if (item->modes == 0) return;
    // the velocity weights hold frequency and decay
    if (item->velocity) begin_ramp(bank, group);
    for (int k = 0; k < item->modes; k++)
    {
        const BankMode* mode = &item->mode[k];
        double f = freq_hz ? checked(bank, freq_hz[k], mode->freq_hz, 0, highest) : mode->freq_hz;
        double c = decay ? checked(bank, decay[k], mode->decay, 0, fastest) : mode->decay;
        if (f != mode->freq_hz || c != mode->decay) tw_bank_tune(bank, item, k, f, c, mode->extra);
    }
    tw_bank_recount(bank, group);
}

void tw_bank_set_extra_decay(twBank* bank, int object, const double* extra)
{
    BankItem* item = item_of(bank, object);
    const double fastest = 1e3 * bank->rate_hz;
    for (int k = 0; k < item->modes; k++)
    {
        BankMode* mode = &item->mode[k];
        double value = extra ? checked(bank, extra[k], mode->extra, 0, fastest) : 0;
        if (value == mode->extra) continue;
        mode->extra = value;
        if (mode->w > 0)
            write_pole(bank, item, k);
        else
            tw_bank_real_tune(mode, bank->rate_hz);
    }
}

static void set_weights(twBank* bank, BankItem* item, double* to, const double* from)
{
    for (int k = 0; k < item->modes; k++)
    {
        to[k] = checked(bank, from[k], to[k], -MAX_WEIGHT, MAX_WEIGHT);
        if (item->mode[k].w > 0) write_weights(bank, item, k, false);
    }
}

void tw_bank_set_input_weights(twBank* bank, int object, int input, const double* shape)
{
    BankItem* item = item_of(bank, object);
    TW_ASSERT(input >= 0 && input < item->inputs && (shape || item->modes == 0));
    unfold(bank, &bank->groups[item->group]);
    begin_ramp(bank, &bank->groups[item->group]);
    set_weights(bank, item, item->shape + (size_t)input * (size_t)item->modes, shape);
}

void tw_bank_set_output_weights(twBank* bank, int object, int output, const double* weight)
{
    BankItem* item = item_of(bank, object);
    TW_ASSERT(output >= 0 && output < item->outputs && (weight || item->modes == 0));
    begin_ramp(bank, &bank->groups[item->group]);
    set_weights(bank, item, item->pickup + (size_t)output * (size_t)item->modes, weight);
}

// ---- state ----

void tw_bank_state(const twBank* bank, int object, double* displacement, double* velocity)
{
    TW_ASSERT(bank && object >= 0 && object < bank->item_count);
    const BankItem* item = &bank->items[object];
    for (int k = 0; k < item->modes; k++)
    {
        double x, v;
        lane_state(bank, item, k, &x, &v);
        if (displacement) displacement[k] = x;
        if (velocity) velocity[k] = v;
    }
}

void tw_bank_set_state(twBank* bank, int object, const double* displacement, const double* velocity)
{
    BankItem* item = item_of(bank, object);
    for (int k = 0; k < item->modes; k++)
    {
        BankMode* mode = &item->mode[k];
        double x, v;
        lane_state(bank, item, k, &x, &v);
        mode->x = checked(bank, displacement ? displacement[k] : x, x, -MAX_STATE, MAX_STATE);
        mode->v = checked(bank, velocity ? velocity[k] : v, v, -MAX_STATE, MAX_STATE);
        if (mode->w > 0) fill_lane(bank, item, k);
    }
    bank->groups[item->group].awake = true;
}
