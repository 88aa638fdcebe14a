// SPDX-License-Identifier: MIT
// The bank: creation, inner blocks, strikes, counters. Kernels are in bank_kernel.h, parameters in bank_change.c, the
// placing of objects in bank_layout.c. Symbols and data as in bank.h.
#include "bank.h"
#include <math.h>
#include <string.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

twBankObject tw_bank_object(const twModes* modes)
{
    return (twBankObject){.modes = modes, .input_count = 1, .output_count = 1};
}

twBankDef tw_bank_def(void) { return (twBankDef){.rate_hz = 48000, .precision = TW_FLOAT}; }

// ---- creation ----

// indices of inputs into points, or of outputs into pickups
static twStatus check_indices(int object, int count, const int* index, int limit, const char* stream, const char* place,
                              twError* err)
{
    if (count < 0 || count > 65536)
        return tw_fail(err, TW_BAD_INPUT, "object %d: %d %ss; the count must be between 0 and 65536", object, count,
                       stream);
    for (int i = 0; i < count; i++)
    {
        int at = index ? index[i] : i;
        if (at < 0 || at >= limit)
            return tw_fail(err, TW_BAD_INPUT, "object %d: %s %d uses %s %d, but the modes have %s 0 to %d", object,
                           stream, i, place, at, place, limit - 1);
    }
    return TW_OK;
}

static twStatus check_object(const twBankDef* def, int index, twError* err)
{
    const twBankObject* object = &def->objects[index];
    const twModes* modes = object->modes;
    if (!modes) return tw_fail(err, TW_BAD_INPUT, "object %d has no modes: set its modes", index);
    for (int k = 0; k < modes->mode_count; k++)
        if (!(modes->freq_hz[k] < 0.5 * def->rate_hz))
            return tw_fail(err, TW_BAD_INPUT, "object %d, mode %d: %g Hz must be below half the sample rate, %g Hz",
                           index, k, modes->freq_hz[k], 0.5 * def->rate_hz);
    twStatus status =
        check_indices(index, object->input_count, object->input_point, modes->point_count, "input", "point", err);
    if (status != TW_OK) return status;
    return check_indices(index, object->output_count, object->output_pickup, modes->pickup_count, "output", "pickup",
                         err);
}

static twStatus check_def(const twBankDef* def, twError* err)
{
    if (!(def->rate_hz > 0 && isfinite(def->rate_hz)))
        return tw_fail(err, TW_BAD_INPUT, "sample rate %g Hz must be positive and finite", def->rate_hz);
    if (def->object_count < 0 || def->object_count > TW_MAX_BANK_MODES || (def->object_count > 0 && !def->objects))
        return tw_fail(err, TW_BAD_INPUT, "%d objects: give between 0 and %d, and their array", def->object_count,
                       TW_MAX_BANK_MODES);
    int64_t modes = 0, inputs = 0, outputs = 0;
    for (int i = 0; i < def->object_count; i++)
    {
        twStatus status = check_object(def, i, err);
        if (status != TW_OK) return status;
        modes += def->objects[i].modes->mode_count;
        inputs += def->objects[i].input_count;
        outputs += def->objects[i].output_count;
    }
    if (modes > TW_MAX_BANK_MODES || inputs > TW_MAX_BANK_MODES || outputs > TW_MAX_BANK_MODES)
        return tw_fail(err, TW_BAD_INPUT, "%.0f modes, %.0f inputs, %.0f outputs: a bank holds at most %d of each",
                       (double)modes, (double)inputs, (double)outputs, TW_MAX_BANK_MODES);
    return TW_OK;
}

static double* alloc_doubles(twBank* bank, int rows, int columns)
{
    return tw_arena_alloc(bank->arena, (size_t)rows * (size_t)columns + 1, sizeof(double));
}

// one row of weights per stream
static void copy_weights(double* to, const double* from, const int* index, int rows, int modes)
{
    for (int row = 0; row < rows && modes > 0; row++)
        memcpy(to + (size_t)row * (size_t)modes, from + (size_t)(index ? index[row] : row) * (size_t)modes,
               (size_t)modes * sizeof *to);
}

static bool create_item(twBank* bank, BankItem* item, const twBankObject* object)
{
    const twModes* modes = object->modes;
    int n = modes->mode_count, inputs = object->input_count, outputs = object->output_count;
    *item = (BankItem){.modes = n,
                       .inputs = inputs,
                       .outputs = outputs,
                       .velocity = object->quantity == TW_VELOCITY,
                       .first_input = bank->input_count,
                       .first_output = bank->output_count,
                       .real = tw_arena_alloc(bank->arena, (size_t)n + 1, sizeof *item->real),
                       .mode = tw_arena_alloc(bank->arena, (size_t)n + 1, sizeof *item->mode),
                       .shape = alloc_doubles(bank, inputs, n),
                       .pickup = alloc_doubles(bank, outputs, n),
                       .old_shape = alloc_doubles(bank, inputs, n),
                       .old_pickup = alloc_doubles(bank, outputs, n)};
    bank->input_count += inputs;
    bank->output_count += outputs;
    if (!item->real || !item->mode || !item->shape || !item->pickup || !item->old_shape || !item->old_pickup)
        return false;
    copy_weights(item->shape, modes->shape, object->input_point, inputs, n);
    copy_weights(item->old_shape, modes->shape, object->input_point, inputs, n);
    copy_weights(item->pickup, modes->pickup, object->output_pickup, outputs, n);
    copy_weights(item->old_pickup, modes->pickup, object->output_pickup, outputs, n);
    return true;
}

static bool create_items(twBank* bank, const twBankDef* def)
{
    size_t n = (size_t)def->object_count + 1;
    bank->items = tw_arena_alloc(bank->arena, n, sizeof *bank->items);
    bank->groups = tw_arena_alloc(bank->arena, n, sizeof *bank->groups);
    bank->order = tw_arena_alloc(bank->arena, n, sizeof *bank->order);
    if (!bank->items || !bank->groups || !bank->order) return false;
    bank->item_count = def->object_count;
    for (int i = 0; i < def->object_count; i++)
        if (!create_item(bank, &bank->items[i], &def->objects[i])) return false;
    bank->impulse = tw_arena_alloc(bank->arena, (size_t)bank->input_count + 1, sizeof *bank->impulse);
    return bank->impulse != NULL;
}

// records and scratch, once the groups are known
static bool create_data(twBank* bank)
{
    size_t inputs = 1, outputs = 1, real = bank->precision == TW_FLOAT ? sizeof(float) : sizeof(double);
    for (int i = 0; i < bank->group_count; i++)
    {
        if ((size_t)bank->groups[i].inputs > inputs) inputs = (size_t)bank->groups[i].inputs;
        if ((size_t)bank->groups[i].outputs > outputs) outputs = (size_t)bank->groups[i].outputs;
    }
    size_t stream = BANK_BLOCK * (size_t)bank->variant->lanes * real;
    bank->data = tw_arena_alloc(bank->arena, bank->data_count + 1, real);
    bank->rows = tw_arena_alloc(bank->arena, inputs, stream);
    bank->drive = tw_arena_alloc(bank->arena, 2 * inputs, stream);
    bank->sum = tw_arena_alloc(bank->arena, 2 * outputs, stream);
    bank->history = tw_arena_alloc(bank->arena, 2 * BANK_UNROLL, stream);
    bank->real_in = tw_arena_alloc(bank->arena, inputs, BANK_BLOCK * sizeof(double));
    bank->real_out = tw_arena_alloc(bank->arena, outputs, BANK_BLOCK * sizeof(double));
    return bank->data && bank->rows && bank->drive && bank->sum && bank->history && bank->real_in && bank->real_out;
}

static void tune_items(twBank* bank, const twBankDef* def)
{
    for (int i = 0; i < def->object_count; i++)
    {
        const twModes* modes = def->objects[i].modes;
        for (int k = 0; k < modes->mode_count; k++)
        {
            bank->items[i].mode[k].mass = modes->mass[k];
            tw_bank_tune(bank, &bank->items[i], k, modes->freq_hz[k], modes->decay[k], 0);
        }
    }
    for (int i = 0; i < bank->group_count; i++)
    {
        tw_bank_recount(bank, &bank->groups[i]);
        bank->groups[i].awake = false;
    }
}

twStatus tw_bank_create_variant(twBank** out, const twBankDef* def, const char* variant, twError* err)
{
    TW_ASSERT(out && def);
    *out = NULL;
    twStatus status = check_def(def, err);
    if (status != TW_OK) return status;
    const BankVariant* kernel = tw_bank_variant(def->precision, variant);
    if (!kernel) return tw_fail(err, TW_BAD_INPUT, "this machine cannot run the bank variant \"%s\"", variant);

    // everything lives in one arena, the bank too
    twArena* arena = tw_arena_create(4096);
    twBank* bank = arena ? tw_arena_alloc(arena, 1, sizeof *bank) : NULL;
    bool ok = bank != NULL;
    if (ok)
    {
        *bank = (twBank){.arena = arena, .variant = kernel, .precision = def->precision, .rate_hz = def->rate_hz};
        ok = create_items(bank, def) && tw_bank_layout(bank, err) == TW_OK && create_data(bank);
    }
    if (!ok)
    {
        tw_arena_destroy(arena);
        return tw_fail(err, TW_NO_MEMORY, "no memory for a bank of %d objects", def->object_count);
    }
    tune_items(bank, def);
    *out = bank;
    return TW_OK;
}

twStatus tw_bank_create(twBank** out, const twBankDef* def, twError* err)
{
    return tw_bank_create_variant(out, def, NULL, err);
}

void tw_bank_destroy(twBank* bank)
{
    if (bank) tw_arena_destroy(bank->arena);
}

void tw_bank_reset(twBank* bank)
{
    TW_ASSERT(bank);
    size_t real = bank->precision == TW_FLOAT ? sizeof(float) : sizeof(double);
    size_t state = 2 * (size_t)bank->variant->lanes * real;
    for (int i = 0; i < bank->group_count; i++)
    {
        BankGroup* group = &bank->groups[i];
        char* record = (char*)bank->data + group->offset * real;
        for (int vector = 0; vector < group->vectors; vector++)
            memset(record + (size_t)vector * group->stride * real, 0, state);
        group->awake = group->ramping = false;
    }
    for (int i = 0; i < bank->item_count; i++)
        for (int k = 0; k < bank->items[i].modes; k++) bank->items[i].mode[k].x = bank->items[i].mode[k].v = 0;
    for (int i = 0; i < bank->input_count; i++) bank->impulse[i] = 0;
}

// ---- processing ----

// let the processor flush denormals to zero; returns its old setting
static unsigned flush_denormals(void)
{
#if defined(__SSE2__)
    unsigned old = _mm_getcsr();
    _mm_setcsr(old | 0x8040);  // FTZ, DAZ
    return old;
#else
    return 0;
#endif
}

static void restore_denormals(unsigned old)
{
#if defined(__SSE2__)
    _mm_setcsr(old);
#else
    (void)old;
#endif
}

static void run_group(twBank* bank, BankGroup* group, const BankIo* io, int n)
{
    // a ramp takes a block, a short block counts as a whole inner one
    if (group->ramping && group->ramp_length == 0) group->ramp_length = n > BANK_BLOCK ? n : BANK_BLOCK;
    for (int start = 0; start < n; start += BANK_BLOCK)
    {
        int len = n - start < BANK_BLOCK ? n - start : BANK_BLOCK;
        bank->variant->run(bank, group, io, start, len);
        group->ramp_done += len;
        if (group->ramping && group->ramp_done >= group->ramp_length) group->ramping = false;
    }
}

static void process(twBank* bank, const BankIo* io, int n)
{
    if (n <= 0) return;
    unsigned old = flush_denormals();
    for (int i = 0; i < bank->group_count; i++) run_group(bank, &bank->groups[i], io, n);
    for (int i = 0; i < bank->input_count; i++) bank->impulse[i] = 0;
    restore_denormals(old);
}

void tw_bank_process(twBank* bank, const float* const* in, float* const* out, int n)
{
    TW_ASSERT(bank && n >= 0);
    process(bank, &(BankIo){.is_double = false, .in_float = in, .out_float = out}, n);
}

void tw_bank_process_double(twBank* bank, const double* const* in, double* const* out, int n)
{
    TW_ASSERT(bank && n >= 0);
    process(bank, &(BankIo){.is_double = true, .in_double = in, .out_double = out}, n);
}

void tw_bank_impulse(twBank* bank, int object, int input, double impulse)
{
    TW_ASSERT(bank && object >= 0 && object < bank->item_count);
    TW_ASSERT(input >= 0 && input < bank->items[object].inputs);
    if (isfinite(impulse))
        bank->impulse[bank->items[object].first_input + input] += impulse;
    else
        bank->stats.nan_inputs++;
}

twBankStats tw_bank_stats(const twBank* bank)
{
    TW_ASSERT(bank);
    return bank->stats;
}
