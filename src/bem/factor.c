// SPDX-License-Identifier: MIT
// The equations by LU in single precision, then a step of refinement with the residual.
#include "bem/bem.h"
#include "fem/lapack.h"

// by columns, as complex numbers
static void copy_matrix(const BemSystem* system, float* out)
{
    size_t n = (size_t)system->bem->count, stride = (size_t)system->bem->far.stride;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
        {
            out[2 * (j * n + i)] = system->matrix[2 * i * stride + j];
            out[2 * (j * n + i) + 1] = system->matrix[(2 * i + 1) * stride + j];
        }
}

// x = x - A^-1 residual
static void refine(const float* factor, const int* pivot, int n, const Complex* residual, float* work, Complex* x)
{
    for (int i = 0; i < n; i++)
    {
        work[2 * i] = (float)creal(residual[i]);
        work[2 * i + 1] = (float)cimag(residual[i]);
    }
    fem_complex_solve(n, factor, pivot, work);
    for (int i = 0; i < n; i++) x[i] -= (double)work[2 * i] + I * (double)work[2 * i + 1];
}

static twStatus solve(const BemSystem* system, float* factor, int* pivot, float* work, Complex* residual,
                      Complex* pressure, twBemReport* report, twError* err)
{
    int n = system->bem->count;
    double start = bem_norm(system->right, n);
    copy_matrix(system, factor);
    if (bem_ask(system->bem, 0.75, err) != TW_OK) return TW_INTERRUPTED;
    if (!fem_complex_factor(n, factor, pivot)) return tw_fail(err, TW_NO_CONVERGE, "the equations are singular");
    for (int i = 0; i < n; i++) pressure[i] = 0;
    for (int pass = 0; pass < 3; pass++)
    {
        bem_residual(system, pressure, work, residual);
        report->residual = bem_norm(residual, n) / start;
        if (pass < 2) refine(factor, pivot, n, residual, work, pressure);
    }
    report->factored = true;
    if (report->residual <= system->bem->def.tolerance) return TW_OK;
    return tw_fail(err, TW_NO_CONVERGE, "a residual of %.2g is left, %.2g was wanted", report->residual,
                   system->bem->def.tolerance);
}

twStatus bem_factor(const BemSystem* system, Complex* pressure, twBemReport* report, FemMemory* memory, twError* err)
{
    size_t n = (size_t)system->bem->count, stride = (size_t)system->bem->far.stride;
    size_t bytes = sizeof(Complex) * n + sizeof(float) * (2 * n * n + 2 * stride) + sizeof(int) * n;
    Complex* residual = fem_alloc(memory, 1, bytes);
    if (!residual) return bem_no_memory(memory, (double)bytes, err);
    float* factor = (float*)(residual + n);
    float* work = factor + 2 * n * n;
    twStatus status = solve(system, factor, (int*)(work + 2 * stride), work, residual, pressure, report, err);
    fem_free(memory, residual);
    return status;
}
