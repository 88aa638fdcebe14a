// SPDX-License-Identifier: MIT
// The equations by LU in single precision, once for all sides, then a step of refinement with the residual.
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

// pressure of the system's first side
static twStatus solve(const BemSystem* system, const BemFactor* f, float* work, Complex* residual, Complex* pressure,
                      twBemReport* report, twError* err)
{
    int n = system->bem->count;
    double start = bem_norm(system->right, n);
    for (int i = 0; i < n; i++) pressure[i] = 0;
    for (int pass = 0; pass < 3; pass++)
    {
        bem_residual(system, pressure, work, residual);
        report->residual = bem_norm(residual, n) / start;
        if (pass < 2) refine(f->matrix, f->pivot, n, residual, work, pressure);
    }
    report->factored = true;
    if (report->residual <= system->bem->def.tolerance) return TW_OK;
    return tw_fail(err, TW_NO_CONVERGE, "a residual of %.2g is left, %.2g was wanted", report->residual,
                   system->bem->def.tolerance);
}

static twStatus make_factor(BemFactor* f, const BemSystem* system, FemMemory* memory, twError* err)
{
    size_t n = (size_t)system->bem->count, bytes = sizeof(float) * 2 * n * n + sizeof(int) * n;
    f->matrix = fem_alloc(memory, 1, bytes);
    if (!f->matrix) return bem_no_memory(memory, (double)bytes, err);
    f->pivot = (int*)(f->matrix + 2 * n * n);
    copy_matrix(system, f->matrix);
    if (bem_ask(system->bem, 0.75, err) != TW_OK) return TW_INTERRUPTED;
    if (fem_complex_factor((int)n, f->matrix, f->pivot)) return TW_OK;
    return tw_fail(err, TW_NO_CONVERGE, "the equations are singular");
}

twStatus bem_factor(const BemSystem* system, BemFactor* factor, Complex* pressure, twBemReport* report,
                    FemMemory* memory, twError* err)
{
    size_t n = (size_t)system->bem->count, stride = (size_t)system->bem->far.stride;
    twStatus status = factor->matrix ? TW_OK : make_factor(factor, system, memory, err);
    if (status != TW_OK) return status;
    size_t bytes = sizeof(Complex) * n + sizeof(float) * 2 * stride;
    Complex* residual = fem_alloc(memory, 1, bytes);
    if (!residual) return bem_no_memory(memory, (double)bytes, err);
    status = solve(system, factor, (float*)(residual + n), residual, pressure, report, err);
    fem_free(memory, residual);
    return status;
}
