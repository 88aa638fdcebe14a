// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// Inside of the resonator bank (internal; tests include it to force a variant).
///
/// A ringing mode is the complex one-pole  z[n] = p z[n-1] + t f[n],  p = exp((-c - extra + i w) / rate),  with
///
///     q = u Im z,   v = u (w Re z - c Im z),   u = 1 / (m w rate),
///
/// kept in one lane of a vector. Vectors that share their inputs and outputs form a group: either one object with its
/// modes side by side, or several objects side by side with their k-th modes in the k-th vector. Each vector has a
/// record of LANES values per field: state, pole, drift of the rounded pole, weights, the weights a ramp starts from.
/// Modes with real poles, and modes too slow for float, are stepped one by one in double.

enum
{
    BANK_BLOCK = 64,  ///< samples per inner block
    BANK_UNROLL = 4   ///< vectors stepped together with any number of inputs and outputs
};

/// Fields of a record; weights: inputs, outputs of Im z, outputs of Re z (velocity only), then all of them once more
/// as they were when the ramp began.
enum
{
    FIELD_RE,
    FIELD_IM,
    FIELD_C,   ///< Re p, rounded
    FIELD_S,   ///< Im p, rounded
    FIELD_DC,  ///< Re (p / rounded p - 1)
    FIELD_DS,  ///< Im (p / rounded p - 1)
    FIELD_WEIGHTS
};

/// One mode, as the setters know it, and its state if its poles are real.
typedef struct BankMode
{
    double freq_hz, decay, extra, mass;
    double w;     ///< damped angular frequency [rad/s]; 0: not ringing in a lane
    double x, v;  ///< state of a mode with real poles
    double a[4];  ///< its step: x' = a0 x + a1 v, v' = a2 x + a3 v
} BankMode;

/// One object.
typedef struct BankItem
{
    int modes, inputs, outputs;
    bool velocity;
    int first_input, first_output;  ///< among the streams of the bank
    int group, lane;
    int real_count;
    int* real;                       ///< modes with real poles (real_count of modes)
    BankMode* mode;                  ///< (modes)
    double *shape, *pickup;          ///< (inputs x modes), (outputs x modes)
    double *old_shape, *old_pickup;  ///< where the ramp began
} BankItem;

/// Objects processed together.
typedef struct BankGroup
{
    int first, count;  ///< objects order[first .. first + count); 1: lanes are modes, more: lanes are objects
    int vectors;
    int inputs, outputs;  ///< of each object
    bool velocity;
    int weights;        ///< fields of weights: inputs + outputs (+ outputs)
    size_t stride;      ///< record size [reals]
    size_t offset;      ///< first record in the bank's data [reals]
    int ringing, real;  ///< modes in lanes, modes with real poles
    bool folded;        ///< one input and one output: the input weight sits in the output weight
    bool awake;         ///< some state is not zero
    bool ramping;
    int ramp_done, ramp_length;  ///< samples; length 0: decided at the next block
} BankGroup;

/// Streams of one process call; either the float or the double pointers are used.
typedef struct BankIo
{
    bool is_double;
    const float* const* in_float;
    float* const* out_float;
    const double* const* in_double;
    double* const* out_double;
} BankIo;

/// The kernel for one instruction set and precision. run() adds len <= BANK_BLOCK samples from start on.
typedef struct BankVariant
{
    const char* name;
    int lanes;
    void (*run)(twBank* bank, BankGroup* group, const BankIo* io, int start, int len);
} BankVariant;

extern const BankVariant tw_bank_float_generic, tw_bank_double_generic;
#if defined(__x86_64__)
extern const BankVariant tw_bank_float_avx2, tw_bank_double_avx2;
extern const BankVariant tw_bank_float_avx512, tw_bank_double_avx512;
#endif

/// The variant called name, or the fastest if name is NULL. NULL if this machine does not have it.
const BankVariant* tw_bank_variant(twPrecision precision, const char* name);

struct twBank
{
    twArena* arena;
    const BankVariant* variant;
    twPrecision precision;
    double rate_hz;
    int item_count, group_count, input_count, output_count;
    BankItem* items;
    BankGroup* groups;
    int* order;         ///< objects by group
    void* data;         ///< records, float or double
    size_t data_count;  ///< [reals]
    double* impulse;    ///< waiting strikes (inputs) [N s]
    twBankStats stats;
    // scratch of one inner block, float or double except the last two; inputs and outputs of the largest group
    void* rows;        ///< clean inputs        (inputs x lanes x BLOCK)
    void* drive;       ///< the same transposed (2 x inputs x BLOCK x lanes), the second half for ramps
    void* sum;         ///< outputs             (2 x outputs x BLOCK x lanes)
    void* history;     ///< states              (2 x UNROLL x BLOCK x lanes)
    double* real_in;   ///< (inputs x BLOCK)
    double* real_out;  ///< (outputs x BLOCK)
};

/// tw_bank_create with a named variant; NULL: the fastest. TW_BAD_INPUT if this machine does not have it.
twStatus tw_bank_create_variant(twBank** out, const twBankDef* def, const char* variant, twError* err);

/// Divide the items into groups and place them: fills order, groups, and group and lane of the items.
twStatus tw_bank_layout(twBank* bank, twError* err);

/// Give a mode its parameters and carry its state over.
void tw_bank_tune(twBank* bank, BankItem* item, int k, double freq_hz, double decay, double extra);
/// Count ringing and real modes of a group anew after tuning.
void tw_bank_recount(twBank* bank, BankGroup* group);

/// Step of a mode with real poles over one sample.
void tw_bank_real_tune(BankMode* mode, double rate_hz);
/// Run the real modes of an item from real_in to real_out.
void tw_bank_real_run(twBank* bank, BankItem* item, const BankGroup* group, int len);

/// Share of the new weights at sample i of an inner block.
static inline double bank_ramp(const BankGroup* group, int i)
{
    if (!group->ramping) return 1;
    double share = (group->ramp_done + i + 1) / (double)group->ramp_length;
    return share < 1 ? share : 1;
}
