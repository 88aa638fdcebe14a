// SPDX-License-Identifier: MIT
// A voice's data, and what its loops do not do. A mode that does not ring (decay above its frequency) is taken as one that just
// does. In float a pole is off by up to 4e-8, which after a second would be 2e-3 in phase and level: what is missing is kept, and
// multiplied in after every block.

#include "base/processor.h"
#include "voice_loops.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_RINGING 1e-3  // w over w0
#define SAME_DECAY 1e-4     // of a mode over a block: dampings that differ by less are one
#define FAINT 1e-22         // of the largest square of a state so far: what is fainter is let go

typedef struct Contact
{
    float* shape;  // (3 x padded)
    void* force;   // on each mode (padded)
} Contact;

struct Voice
{
    VoiceLoop loop;
    const VoiceKernel* kernel;
    int mode_count, rows, contact_count;
    double rate_hz, largest;
    double *c, *w, *w0;   // (modes)
    char *gains, *ramps;  // now, and at the end of the block (rows x LOOP_STEP x 2 x padded)
    bool *has_gain, *ramping;
    bool *fresh, *fresh_ramp;                              // gains of a step are there (rows)
    int turned, turned4;                                   // samples and steps since the last rest
    float *damping, *damping_before, *damping_to, *extra;  // (padded)
    bool damping_changes;                                  // in this block
    void* saved;                                           // states (2 x padded)
    Contact* contacts;
    char* block;
};

const VoiceKernel* voice_kernel(twPrecision precision, const char* name)
{
    const bool is_float = precision == TW_FLOAT;
#if defined(__x86_64__)
    if (tw_processor_runs("avx512", name)) return is_float ? &voice_float_avx512 : &voice_double_avx512;
    if (tw_processor_runs("avx2", name)) return is_float ? &voice_float_avx2 : &voice_double_avx2;
#endif
    if (!name || strcmp(name, "generic") == 0) return is_float ? &voice_float_generic : &voice_double_generic;
    return NULL;
}

// ---- numbers of the kernel's kind ----

static void put(const Voice* v, void* array, int index, double value)
{
    if (v->kernel->bytes == sizeof(float))
        ((float*)array)[index] = (float)value;
    else
        ((double*)array)[index] = value;
}

static double get(const Voice* v, const void* array, int index)
{
    return v->kernel->bytes == sizeof(float) ? (double)((const float*)array)[index] : ((const double*)array)[index];
}

// ---- making ----

static void* carve(char** at, size_t bytes)
{
    void* here = *at;
    *at += (bytes + 63) / 64 * 64;
    return here;
}

// bytes of the gains of a row
static size_t stride_of(const Voice* v) { return 2 * LOOP_STEP * (size_t)v->loop.padded * v->kernel->bytes; }

// the arrays of a voice in one block. @return its size; at NULL: only that
static size_t lay_out(Voice* v, char* at)
{
    char* start = at;
    const size_t padded = (size_t)v->loop.padded, row = padded * v->kernel->bytes, rows = (size_t)v->rows;
    VoiceLoop* l = &v->loop;
    l->re = carve(&at, row), l->im = carve(&at, row), l->change = carve(&at, row);
    l->cosine = carve(&at, row), l->sine = carve(&at, row);
    l->cosine4 = carve(&at, row), l->sine4 = carve(&at, row);
    l->pole_re = carve(&at, row), l->pole_im = carve(&at, row);
    l->pole4_re = carve(&at, row), l->pole4_im = carve(&at, row);
    l->error_re = carve(&at, row), l->error_im = carve(&at, row);
    l->error4_re = carve(&at, row), l->error4_im = carve(&at, row);
    l->lambda_re = carve(&at, row), l->lambda_im = carve(&at, row);
    l->table = carve(&at, 2 * row * (VOICE_PARTS + 1));
    v->gains = carve(&at, rows * stride_of(v)), v->ramps = carve(&at, rows * stride_of(v));
    v->fresh = carve(&at, rows), v->fresh_ramp = carve(&at, rows);
    v->saved = carve(&at, 2 * row);
    v->has_gain = carve(&at, rows), v->ramping = carve(&at, rows);
    v->c = carve(&at, padded * sizeof(double)), v->w = carve(&at, padded * sizeof(double));
    v->w0 = carve(&at, padded * sizeof(double));
    v->damping = carve(&at, padded * sizeof(float)), v->damping_before = carve(&at, padded * sizeof(float));
    v->damping_to = carve(&at, padded * sizeof(float)), v->extra = carve(&at, padded * sizeof(float));
    return (size_t)(at - start);
}

// a pole, and what its rounding leaves out
static void put_pole(const Voice* v, int j, double complex pole, void* re, void* im, void* error_re, void* error_im)
{
    put(v, re, j, creal(pole)), put(v, im, j, cimag(pole));
    const double complex error = pole / (get(v, re, j) + I * get(v, im, j)) - 1;
    put(v, error_re, j, creal(error)), put(v, error_im, j, cimag(error));
}

static void set_pole(Voice* v, int j, double freq_hz, double decay)
{
    VoiceLoop* l = &v->loop;
    v->w0[j] = 2 * TW_PI * freq_hz;
    v->c[j] = fmin(decay, v->w0[j]);
    v->w[j] = fmax(sqrt(fmax(v->w0[j] * v->w0[j] - v->c[j] * v->c[j], 0)), LEAST_RINGING * v->w0[j]);
    const double complex lambda = (-v->c[j] + I * v->w[j]) / v->rate_hz;
    put(v, l->lambda_re, j, creal(lambda)), put(v, l->lambda_im, j, cimag(lambda));
    put_pole(v, j, cexp(lambda), l->pole_re, l->pole_im, l->error_re, l->error_im);
    put_pole(v, j, cexp(LOOP_STEP * lambda), l->pole4_re, l->pole4_im, l->error4_re, l->error4_im);
    for (int k = 0; k <= VOICE_PARTS; k++)
    {
        const double complex push = -(v->c[j] + I * v->w[j]) / (v->w0[j] * v->w0[j]) * cexp(lambda * k / VOICE_PARTS);
        put(v, l->table, 2 * k * l->padded + j, creal(push));
        put(v, l->table, (2 * k + 1) * l->padded + j, cimag(push));
    }
}

// decay that is added; gains of a step are of other poles then
static void set_damping(Voice* v, const float* extra)
{
    v->kernel->damp(&v->loop, extra, 1 / v->rate_hz);
    memset(v->fresh, 0, (size_t)v->rows);
    memset(v->fresh_ramp, 0, (size_t)v->rows);
}

Voice* voice_create(const VoiceDef* def)
{
    Voice* v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->kernel = voice_kernel(def->precision, def->variant);
    v->mode_count = def->mode_count;
    v->rows = def->rows;
    v->rate_hz = def->rate_hz;
    v->loop.padded = (def->mode_count + VOICE_LANES - 1) / VOICE_LANES * VOICE_LANES;
    const size_t bytes = v->kernel ? lay_out(v, NULL) : 0;
    v->block = bytes > 0 ? aligned_alloc(64, bytes) : NULL;
    if (!v->block)
    {
        free(v);
        return NULL;
    }
    memset(v->block, 0, bytes);
    lay_out(v, v->block);
    for (int j = 0; j < v->mode_count; j++) set_pole(v, j, def->freq_hz[j], def->decay[j]);
    set_damping(v, v->extra);
    return v;
}

void voice_destroy(Voice* v)
{
    if (!v) return;
    for (int i = 0; i < v->contact_count; i++) free(v->contacts[i].shape);
    free(v->contacts);
    free(v->block);
    free(v);
}

int voice_padded(const Voice* v) { return v->loop.padded; }

// ---- what pushes ----

bool voice_reserve(Voice* v, int count)
{
    if (count <= v->contact_count) return true;
    Contact* contacts = realloc(v->contacts, (size_t)count * sizeof *contacts);
    if (!contacts) return false;
    v->contacts = contacts;
    const size_t shape = 3 * (size_t)v->loop.padded * sizeof(float), force = (size_t)v->loop.padded * v->kernel->bytes;
    while (v->contact_count < count)
    {
        char* block = aligned_alloc(64, (shape + force + 63) / 64 * 64);
        if (!block) return false;
        memset(block, 0, shape + force);
        contacts[v->contact_count++] = (Contact){(float*)(void*)block, block + shape};
    }
    return true;
}

float* voice_shape(Voice* v, int contact) { return v->contacts[contact].shape; }

void voice_push(Voice* v, int contact, const double force[3])
{
    v->kernel->push(&v->loop, v->contacts[contact].shape, v->contacts[contact].force, force);
}

void voice_change(Voice* v, double tau) { v->kernel->change(&v->loop, tau < 0 ? 0 : tau > 1 ? 1 : tau); }

void voice_start(Voice* v, const float* amplitude)
{
    for (int j = 0; j < v->mode_count; j++)
    {
        const double force = get(v, v->loop.change, j);
        const double y = amplitude && amplitude[j] != 0 ? (double)amplitude[j] - force / (v->w0[j] * v->w0[j]) : 0;
        put(v, v->loop.re, j, v->c[j] * y);
        put(v, v->loop.im, j, v->w[j] * y);
        put(v, v->loop.change, j, 0);
    }
}

// ---- what is heard ----

void voice_gain(Voice* v, int row, const float* weight, double scale)
{
    char* gain = (v->has_gain[row] ? v->ramps : v->gains) + (size_t)row * stride_of(v);
    for (int j = 0; j < v->mode_count; j++)
    {
        const double velocity = scale * (double)weight[2 * j], bend = scale * (double)weight[2 * j + 1];
        put(v, gain, j, velocity);
        put(v, gain, v->loop.padded + j, (bend * v->w0[j] - velocity * v->c[j]) / v->w[j]);
    }
    *(v->has_gain[row] ? &v->fresh_ramp[row] : &v->fresh[row]) = false;
    v->ramping[row] = v->has_gain[row];
    v->has_gain[row] = true;
}

// whether two dampings are the same to the ear, over a block
static bool alike(const Voice* v, const float* a, const float* b)
{
    const float near = (float)(SAME_DECAY * v->rate_hz / VOICE_BLOCK);
    for (int j = 0; j < v->mode_count; j++)
        if (fabsf(a[j] - b[j]) > near) return false;
    return true;
}

void voice_damp(Voice* v, const float* extra)
{
    const size_t bytes = (size_t)v->loop.padded * sizeof *extra;
    memcpy(v->damping_before, v->damping, bytes);
    memcpy(v->damping, v->damping_to, bytes);
    if (extra)
        memcpy(v->damping_to, extra, bytes);
    else
        memset(v->damping_to, 0, bytes);
    v->damping_changes = !alike(v, v->damping, v->damping_to) || !alike(v, v->damping, v->damping_before);
    if (v->damping_changes || alike(v, v->damping_to, v->extra)) return;
    memcpy(v->extra, v->damping_to, bytes);
    set_damping(v, v->extra);
}

static void forget_damping(Voice* v)
{
    for (int k = 0; k < 3; k++) voice_damp(v, NULL);
}

// Hermite's cubic from the value at the start of the block to that at its end; slopes such that it does not overshoot
static void damp_tick(Voice* v, int tick)
{
    const float t = ((float)tick + 0.5f) * VOICE_TICK / VOICE_BLOCK, u = 1 - t;
    for (int j = 0; j < v->loop.padded; j++)
    {
        const float a = v->damping[j], b = v->damping_to[j], step = b - a, last = a - v->damping_before[j];
        const float slope = step * last > 0 ? 2 * step * last / (step + last) : 0;
        v->extra[j] = a * u * u * (1 + 2 * t) + b * t * t * (3 - 2 * t) + slope * t * u * u - step * t * t * u;
        if (!(v->extra[j] > 0)) v->extra[j] = 0;
    }
    set_damping(v, v->extra);
}

static void save_states(Voice* v, bool back)
{
    const size_t row = (size_t)v->loop.padded * v->kernel->bytes;
    char* saved = v->saved;
    memcpy(back ? v->loop.re : saved, back ? saved : v->loop.re, row);
    memcpy(back ? v->loop.im : (void*)(saved + row), back ? (const void*)(saved + row) : v->loop.im, row);
}

// one signal, from what the loop gave for its gain, and for that at the end of the block if it is another
static void take(bool ramping, const double* now, const double* then, int first, int count, double* out)
{
    const double step = 1.0 / VOICE_BLOCK;
    for (int n = 0; n < count && !ramping; n++) out[first + n] += now[n];
    for (int n = 0; n < count && ramping; n++) out[first + n] += now[n] + (then[n] - now[n]) * (step * (first + n));
}

// the gains of a row, for steps too if there are some
static const void* gains_of(Voice* v, int row, bool ramp, bool steps)
{
    char* gain = (ramp ? v->ramps : v->gains) + (size_t)row * stride_of(v);
    bool* fresh = ramp ? &v->fresh_ramp[row] : &v->fresh[row];
    if (steps && !*fresh) v->kernel->expand(&v->loop, gain);
    *fresh |= steps;
    return gain;
}

static void ring_some(Voice* v, int first, int count, double* const* out)
{
    const bool steps = count >= LOOP_STEP;
    if (v->rows * 2 > LOOP_ROWS) save_states(v, false);
    for (int row = 0; row == 0 || row < v->rows;)
    {
        // as many rows as fit
        int begin = row, used = 0;
        for (; row < v->rows && used + 1 + v->ramping[row] <= LOOP_ROWS; row++)
        {
            v->loop.gain[used++] = gains_of(v, row, false, steps);
            if (v->ramping[row]) v->loop.gain[used++] = gains_of(v, row, true, steps);
        }
        if (begin > 0) save_states(v, true);
        v->kernel->ring(&v->loop, count, used);
        for (int r = begin, k = 0; r < row; k += 1 + v->ramping[r], r++)
            take(v->ramping[r], v->loop.out[k], v->loop.out[v->ramping[r] ? k + 1 : k], first, count, out[r]);
        if (v->rows == 0) break;
    }
    v->turned += count % LOOP_STEP;
    v->turned4 += count / LOOP_STEP;
}

void voice_ring(Voice* v, int first, int last, double* const* out)
{
    while (first < last)
    {
        const int tick = first / VOICE_TICK, end = (tick + 1) * VOICE_TICK < last ? (tick + 1) * VOICE_TICK : last;
        if (v->damping_changes && first % VOICE_TICK == 0) damp_tick(v, tick);
        ring_some(v, first, end - first, out);
        first = end;
    }
}

bool voice_rest(Voice* v)
{
    const size_t stride = stride_of(v);
    for (int row = 0; row < v->rows; row++)
        if (v->ramping[row])
        {
            memcpy(v->gains + (size_t)row * stride, v->ramps + (size_t)row * stride, stride);
            v->fresh[row] = v->fresh_ramp[row];
            v->ramping[row] = false;
        }
    const double largest = v->kernel->rest(&v->loop, v->turned, v->turned4, fmax(FAINT * v->largest, 1e-30));
    v->turned = v->turned4 = 0;
    v->largest = fmax(v->largest, largest);
    if (largest == 0) forget_damping(v);
    return largest > 0;
}

void voice_state(const Voice* v, int j, double* velocity, double* bend)
{
    const double re = get(v, v->loop.re, j), im = get(v, v->loop.im, j);
    *velocity = re - v->c[j] / v->w[j] * im;
    *bend = v->w0[j] / v->w[j] * im;
}

void voice_set_velocity(Voice* v, int j, double velocity)
{
    put(v, v->loop.re, j, velocity + v->c[j] / v->w[j] * get(v, v->loop.im, j));
}
