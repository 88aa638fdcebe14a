// SPDX-License-Identifier: MIT
// GMRES (Saad and Schultz 1986) with the diagonal as preconditioner, from the right, so that the residual is the true one.
// Vectors in double, products with the matrix in single precision.
#include "bem/bem.h"
#include <math.h>
#include <string.h>

#define FIRST_LOOK 25  // iterations, as many as usual bodies take: then the next ones are foreseen

typedef struct Krylov
{
    const BemSystem* system;
    int size, steps;    // unknowns; most iterations
    Complex* basis;     // ((steps + 1) x size)
    Complex* hessian;   // (steps x (steps + 1)), triangular after rotation
    Complex *sine, *g;  // (steps), (steps + 1)
    double* cosine;     // (steps)
    Complex* diagonal;  // (size) inverse
    Complex* vector;    // (size)
    float* parts;       // (2 stride)
} Krylov;

// out = A x
static void multiply(const BemSystem* system, const Complex* x, float* parts, Complex* out)
{
    const twBem* bem = system->bem;
    int stride = bem->far.stride;
    for (int i = 0; i < stride; i++)
    {
        parts[i] = i < bem->count ? (float)creal(x[i]) : 0;
        parts[stride + i] = i < bem->count ? (float)cimag(x[i]) : 0;
    }
    bem->kernel->multiply(system->matrix, bem->count, stride, parts, (double*)out);
}

void bem_residual(const BemSystem* system, const Complex* x, float* work, Complex* out)
{
    multiply(system, x, work, out);
    for (int i = 0; i < system->bem->count; i++) out[i] -= system->right[i];
}

double bem_norm(const Complex* x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    return sqrt(sum);
}

// sum of conj(a) b
static Complex inner(const Complex* a, const Complex* b, int count)
{
    double real = 0, imag = 0;
    for (int i = 0; i < count; i++)
    {
        real += creal(a[i]) * creal(b[i]) + cimag(a[i]) * cimag(b[i]);
        imag += creal(a[i]) * cimag(b[i]) - cimag(a[i]) * creal(b[i]);
    }
    return real + I * imag;
}

// y += s x
static void add_scaled(Complex* y, const Complex* x, Complex s, int count)
{
    double u = creal(s), v = cimag(s);
    for (int i = 0; i < count; i++)
        y[i] += (u * creal(x[i]) - v * cimag(x[i])) + I * (u * cimag(x[i]) + v * creal(x[i]));
}

// next vector of the basis, and column of the hessian
static void extend(Krylov* krylov, int step)
{
    int n = krylov->size;
    Complex* from = krylov->basis + (size_t)step * (size_t)n;
    Complex* to = from + n;
    Complex* column = krylov->hessian + (size_t)step * (size_t)(krylov->steps + 1);
    for (int i = 0; i < n; i++) krylov->vector[i] = krylov->diagonal[i] * from[i];
    multiply(krylov->system, krylov->vector, krylov->parts, to);
    for (int i = 0; i <= step; i++)
    {
        const Complex* other = krylov->basis + (size_t)i * (size_t)n;
        column[i] = inner(other, to, n);
        add_scaled(to, other, -column[i], n);
    }
    double length = bem_norm(to, n);
    column[step + 1] = length;
    for (int i = 0; i < n && length > 0; i++) to[i] /= length;
}

// rotate the new column to a triangular one. @return the residual that is left
static double rotate(Krylov* krylov, int step)
{
    Complex* column = krylov->hessian + (size_t)step * (size_t)(krylov->steps + 1);
    for (int i = 0; i < step; i++)
    {
        Complex turned = krylov->cosine[i] * column[i] + krylov->sine[i] * column[i + 1];
        column[i + 1] = krylov->cosine[i] * column[i + 1] - conj(krylov->sine[i]) * column[i];
        column[i] = turned;
    }
    double a = cabs(column[step]), b = cabs(column[step + 1]), length = hypot(a, b);
    krylov->cosine[step] = length > 0 ? a / length : 1;
    Complex unit = a > 0 ? column[step] / a : 1;
    krylov->sine[step] = length > 0 ? unit * conj(column[step + 1]) / length : 0;
    column[step] = unit * length;
    column[step + 1] = 0;
    krylov->g[step + 1] = -conj(krylov->sine[step]) * krylov->g[step];
    krylov->g[step] *= krylov->cosine[step];
    return cabs(krylov->g[step + 1]);
}

// pressure from the first steps vectors
static void combine(Krylov* krylov, int steps, Complex* pressure)
{
    int n = krylov->size, rows = krylov->steps + 1;
    Complex* g = krylov->g;
    for (int i = steps - 1; i >= 0; i--)
    {
        for (int j = i + 1; j < steps; j++) g[i] -= krylov->hessian[(size_t)j * (size_t)rows + (size_t)i] * g[j];
        Complex pivot = krylov->hessian[(size_t)i * (size_t)rows + (size_t)i];
        g[i] = cabs(pivot) > 0 ? g[i] / pivot : 0;
    }
    memset(pressure, 0, (size_t)n * sizeof *pressure);
    for (int i = 0; i < steps; i++) add_scaled(pressure, krylov->basis + (size_t)i * (size_t)n, g[i], n);
    for (int i = 0; i < n; i++) pressure[i] *= krylov->diagonal[i];
}

// whether the residual falls so slowly that it will take more than all iterations, and as many again since it may fall faster
static bool stands_still(const Krylov* krylov, int step, double left)
{
    if (step < FIRST_LOOK || step % FIRST_LOOK != 0) return false;
    const double foreseen = step * log(krylov->system->bem->def.tolerance) / log(left);
    return !(foreseen < 2 * krylov->steps);
}

static twStatus run(Krylov* krylov, Complex* pressure, twBemReport* report, twError* err)
{
    const twBem* bem = krylov->system->bem;
    int n = krylov->size, step = 0;
    double start = bem_norm(krylov->system->right, n), left = start;
    for (int i = 0; i < n; i++) krylov->basis[i] = krylov->system->right[i] / start;
    krylov->g[0] = start;
    while (step < krylov->steps && left > bem->def.tolerance * start)
    {
        if (bem_ask(bem, 0.7 + 0.25 * step / krylov->steps, err) != TW_OK) return TW_INTERRUPTED;
        extend(krylov, step);
        left = rotate(krylov, step++);
        if (stands_still(krylov, step, left / start)) break;
    }
    report->iterations = step;
    report->residual = left / start;
    combine(krylov, step, pressure);
    return left <= bem->def.tolerance * start ? TW_OK : TW_NO_CONVERGE;
}

size_t bem_iterate_bytes(const twBem* bem)
{
    size_t n = (size_t)bem->count, steps = (size_t)bem->def.max_iterations, stride = (size_t)bem->far.stride;
    return sizeof(Complex) * ((steps + 1) * n + steps * (steps + 1) + 2 * steps + 1 + 2 * n) + sizeof(double) * steps +
           2 * sizeof(float) * stride;
}

twStatus bem_iterate(const BemSystem* system, Complex* pressure, twBemReport* report, FemMemory* memory, twError* err)
{
    const twBem* bem = system->bem;
    size_t n = (size_t)bem->count, steps = (size_t)bem->def.max_iterations, stride = (size_t)bem->far.stride;
    Complex* block = fem_alloc(memory, 1, bem_iterate_bytes(bem));
    if (!block) return bem_no_memory(memory, (double)bem_iterate_bytes(bem), err);
    Krylov krylov = {.system = system, .size = bem->count, .steps = bem->def.max_iterations, .basis = block};
    krylov.hessian = krylov.basis + (steps + 1) * n;
    krylov.sine = krylov.hessian + steps * (steps + 1);
    krylov.g = krylov.sine + steps;
    krylov.diagonal = krylov.g + steps + 1;
    krylov.vector = krylov.diagonal + n;
    krylov.cosine = (double*)(krylov.vector + n);
    krylov.parts = (float*)(krylov.cosine + steps);
    for (size_t i = 0; i < n; i++)
    {
        const float* row = system->matrix + 2 * i * stride;
        krylov.diagonal[i] = 1 / ((double)row[i] + I * (double)row[stride + i]);
    }
    twStatus status = run(&krylov, pressure, report, err);
    fem_free(memory, block);
    return status;
}
