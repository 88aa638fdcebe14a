// SPDX-License-Identifier: MIT
// The force of a contact is its mean over the block, so that short blows count for what they are. The full matrix acts after every
// sample on all velocities at once, v <- (1 + A + A^2/2)^-1 v with A = gamma G/rate: exact to second order, and never more than
// v had, as A is positive. (Less often would not do: modes that differ by a multiple of how often would seem to be in tune.)

#include "damp.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1e5  // damping of a sample by the full matrix

double* damp_create(int modes)
{
    const size_t n = (size_t)modes;
    return calloc(2 * n * n + n + 1, sizeof(double));
}

static void add_diagonal(const Source* s, SourceVoice* v, const Damper* c)
{
    const int padded = voice_padded(v->voice);
    const float *x = voice_shape(v->voice, c->contact), *y = x + padded, *z = y + padded;
    const float along = (float)(c->strength * s->def.damping_slide), towards = (float)c->strength - along;
    const float nx = (float)c->normal[0], ny = (float)c->normal[1], nz = (float)c->normal[2];
    for (int j = 0; j < padded; j++)
    {
        const float normal = nx * x[j] + ny * y[j] + nz * z[j];
        v->extra[j] += along * (x[j] * x[j] + y[j] * y[j] + z[j] * z[j]) + towards * normal * normal;
    }
}

static void add_full(const Source* s, SourceVoice* v, const Damper* c)
{
    const int padded = voice_padded(v->voice), n = v->count;
    const float *x = voice_shape(v->voice, c->contact), *y = x + padded, *z = y + padded;
    const double along = s->def.damping_slide, towards = 1 - along;
    for (int i = 0; i < n; i++)
    {
        const double xi = (double)x[i], yi = (double)y[i], zi = (double)z[i];
        const double ni = c->normal[0] * xi + c->normal[1] * yi + c->normal[2] * zi;
        for (int j = 0; j < n; j++)
        {
            const double xj = (double)x[j], yj = (double)y[j], zj = (double)z[j];
            const double nj = c->normal[0] * xj + c->normal[1] * yj + c->normal[2] * zj;
            v->matrix[i * n + j] += c->strength * (along * (xi * xj + yi * yj + zi * zj) + towards * ni * nj);
        }
    }
}

// L of 1 + A + A^2/2 = L L^T, in the lower half of the second matrix. A is held below MOST: what it damps is gone at once, and
// what it does not is not lost in the digits of the square
static void factorise(SourceVoice* v, double step)
{
    const int n = v->count;
    const double* g = v->matrix;
    double trace = 0;
    for (int i = 0; i < n; i++) trace += g[i * n + i];
    step = fmin(step, MOST / trace);
    double* l = v->matrix + (size_t)n * (size_t)n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
        {
            double square = 0;
            for (int k = 0; k < n; k++) square += g[i * n + k] * g[k * n + j];
            double sum = (i == j) + step * g[i * n + j] + 0.5 * step * step * square;
            for (int k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
}

static void damp_fully(SourceVoice* v)
{
    const int n = v->count;
    const double* l = v->matrix + (size_t)n * (size_t)n;
    double *x = v->matrix + 2 * (size_t)n * (size_t)n, bend;
    for (int i = 0; i < n; i++)
    {
        voice_state(v->voice, i, &x[i], &bend);
        for (int k = 0; k < i; k++) x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--)
    {
        for (int k = i + 1; k < n; k++) x[i] -= l[k * n + i] * x[k];
        x[i] /= l[i * n + i];
    }
    for (int i = 0; i < n; i++) voice_set_velocity(v->voice, i, x[i]);
}

void damp_voice(const Source* s, SourceVoice* v, const Plan* plan)
{
    if (!(s->def.contact_damping > 0)) return;
    const size_t padded = (size_t)voice_padded(v->voice), n = (size_t)v->count;
    memset(v->extra, 0, padded * sizeof *v->extra);
    if (v->matrix) memset(v->matrix, 0, n * n * sizeof *v->matrix);
    for (int i = 0; i < plan->damper_count; i++)
    {
        const Damper* damper = &s->dampers[plan->damper_first + i];
        if (v->matrix)
            add_full(s, v, damper);
        else
            add_diagonal(s, v, damper);
    }
    v->damped = plan->damper_count > 0;
    if (!v->matrix)
        voice_damp(v->voice, v->extra);
    else if (v->damped)
        factorise(v, 1 / s->def.rate_hz);
}

void damp_wake(const Source* s, SourceVoice* v, const Plan* before)
{
    damp_voice(s, v, before);
    for (int k = 0; k < 2 && !v->matrix && v->damped; k++) voice_damp(v->voice, v->extra);
}

void damp_ring(SourceVoice* v, int first, int last)
{
    for (; v->matrix && v->damped && first < last; first++)
    {
        voice_ring(v->voice, first, first + 1, v->signal);
        damp_fully(v);
    }
    if (first < last) voice_ring(v->voice, first, last, v->signal);
}
