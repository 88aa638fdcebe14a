// SPDX-License-Identifier: MIT
// Collocation at the centres of the panels of Burton and Miller's combination of Green's equation and its normal
// derivative (1971, Proc. R. Soc. A 323), with p and q = dp/dn constant on each panel:
//
//   (D - 1/2 + alpha N) p = (S + alpha (T + 1/2)) q,   alpha = i/(4 max(k, 3))
//
// Green's equation has no unique solution at the resonances of an inside with p = 0, and cannot tell the two sides of a
// thin wall; its derivative has others. The first resonance lies above k = pi (that of the sphere that holds the body), so
// below k = 3 alpha need not grow any more, which keeps the equations as good at any low frequency.
#include "bem/bem.h"

static double coupling(double k) { return 0.25 / fmax(k, 3); }

static BemSpot spot_of(const Panel* panel, double k)
{
    return (BemSpot){
        .place = {(float)panel->centre.x, (float)panel->centre.y, (float)panel->centre.z},
        .normal = {(float)panel->normal.x, (float)panel->normal.y, (float)panel->normal.z},
        .k = (float)k,
        .beta = (float)coupling(k),
    };
}

static void set_pair(const BemSystem* system, int row, size_t i, float* out)
{
    const twBem* bem = system->bem;
    const Panel* at = &bem->panels[row];
    int j = bem->near_panel[i];
    size_t stride = (size_t)bem->far.stride;
    double beta = coupling(system->k), jump = j == row ? 0.5 : 0;
    Wave wave = bem_near_wave(bem->kernel, &bem->panels[j], bem->near_still[i], system->k, at->centre, at->normal);
    out += j;
    out[0] = (float)(creal(wave.d) - jump - beta * cimag(wave.n));
    out[stride] = (float)(cimag(wave.d) + beta * creal(wave.n));
    out[2 * stride] = (float)(creal(wave.s) - beta * cimag(wave.t));
    out[3 * stride] = (float)(cimag(wave.s) + beta * (creal(wave.t) + jump));
}

// what the far rule gets wrong: all of it close to a panel, else only the part at k = 0
static void mend_row(const BemSystem* system, int row, float* out)
{
    const twBem* bem = system->bem;
    size_t stride = (size_t)bem->far.stride;
    double beta = coupling(system->k);
    for (size_t i = bem->near_start[row]; i < bem->near_start[row + 1]; i++)
    {
        if (bem->near_close[i])
        {
            set_pair(system, row, i, out);
            continue;
        }
        const Still* more = &bem->near_still[i];
        float* to = out + bem->near_panel[i];
        to[0] += (float)more->d;
        to[stride] += (float)(beta * more->n);
        to[2 * stride] += (float)more->s;
        to[3 * stride] += (float)(beta * more->t);
    }
}

static Complex product(const float* re, const float* im, const Complex* x, int count)
{
    double real = 0, imag = 0;
    for (int i = 0; i < count; i++)
    {
        double p = (double)re[i], q = (double)im[i], u = creal(x[i]), v = cimag(x[i]);
        real += p * u - q * v;
        imag += p * v + q * u;
    }
    return real + I * imag;
}

twStatus bem_assemble(const BemSystem* system, int sides, float* row, twError* err)
{
    const twBem* bem = system->bem;
    size_t stride = (size_t)bem->far.stride;
    for (int i = 0; i < bem->count; i++)
    {
        if (i % 64 == 0 && bem_ask(bem, 0.7 * i / bem->count, err) != TW_OK) return TW_INTERRUPTED;
        BemSpot spot = spot_of(&bem->panels[i], system->k);
        bem->kernel->row(&bem->far, &spot, row);
        mend_row(system, i, row);
        float* to = system->matrix + 2 * (size_t)i * stride;
        for (size_t j = 0; j < 2 * stride; j++) to[j] = row[j];
        for (int side = 0; side < sides; side++)
        {
            size_t first = (size_t)side * (size_t)bem->count;
            system->right[first + (size_t)i] =
                product(row + 2 * stride, row + 3 * stride, system->flux + first, bem->count);
        }
    }
    return TW_OK;
}
