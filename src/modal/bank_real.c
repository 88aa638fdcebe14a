// SPDX-License-Identifier: MIT
// Modes that do not ring: rigid masses (0 Hz), critically and overdamped modes, and modes so slow that float would
// spoil them. With A = [0 1; -w0^2 -2c], h = 1/rate and D = c^2 - w0^2 the exact step is
//
//     exp(A h) = C I + S (A + c I),   C = exp(-c h) cosh(h sqrt D),   S = exp(-c h) sinh(h sqrt D) / sqrt D,
//
// cos and sin for D < 0. A force sample f is the impulse f h: it adds t f h / m to the velocity.
#include "bank.h"
#include <math.h>
#include <string.h>

void tw_bank_real_tune(BankMode* mode, double rate_hz)
{
    const double pi = 3.14159265358979323846;
    double h = 1 / rate_hz, c = mode->decay, w0 = 2 * pi * mode->freq_hz, d = (c - w0) * (c + w0);
    double C = exp(-c * h), S = h * C;
    if (d < 0)
    {
        double w = sqrt(-d);
        S = C * sin(w * h) / w;
        C *= cos(w * h);
    }
    else if (d > 0)
    {
        // poles -w0^2/(c + b) and -(c + b): no cancellation
        double b = sqrt(d), slow = exp(-w0 * w0 / (c + b) * h), shrink = expm1(-2 * b * h);
        C = slow * (1 + 0.5 * shrink);
        S = -slow * shrink / (2 * b);
    }
    double extra = exp(-mode->extra * h);
    mode->a[0] = extra * (C + c * S);
    mode->a[1] = extra * S;
    mode->a[2] = extra * -w0 * w0 * S;
    mode->a[3] = extra * (C - c * S);
}

// weight at a ramp's share of the way
static double mix(double from, double to, double share) { return share < 1 ? from + share * (to - from) : to; }

static void run_mode(twBank* bank, BankItem* item, const BankGroup* group, int k, int len)
{
    BankMode* mode = &item->mode[k];
    double x = mode->x, v = mode->v, gain = 1 / (mode->mass * bank->rate_hz);
    size_t modes = (size_t)item->modes;
    for (int i = 0; i < len; i++)
    {
        double share = bank_ramp(group, i), f = 0, new_x = mode->a[0] * x + mode->a[1] * v;
        for (size_t j = 0, at = (size_t)k; j < (size_t)item->inputs; j++, at += modes)
            f += mix(item->old_shape[at], item->shape[at], share) * bank->real_in[j * BANK_BLOCK + (size_t)i];
        v = mode->a[2] * x + mode->a[3] * v + gain * f;
        x = new_x;
        for (size_t j = 0, at = (size_t)k; j < (size_t)item->outputs; j++, at += modes)
            bank->real_out[j * BANK_BLOCK + (size_t)i] +=
                mix(item->old_pickup[at], item->pickup[at], share) * (item->velocity ? v : x);
    }
    // faded out, or beyond all bounds: rest
    const double tiny = 1e-100, huge = 1e100;
    double size = fabs(x) + fabs(v);
    bool keep = size >= tiny && size <= huge;
    mode->x = keep ? x : 0;
    mode->v = keep ? v : 0;
}

void tw_bank_real_run(twBank* bank, BankItem* item, const BankGroup* group, int len)
{
    memset(bank->real_out, 0, (size_t)item->outputs * BANK_BLOCK * sizeof *bank->real_out);
    for (int i = 0; i < item->real_count; i++) run_mode(bank, item, group, item->real[i], len);
}
