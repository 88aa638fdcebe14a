// SPDX-License-Identifier: MIT
// BLAS and LAPACK behind plain names. Fortran passes the length of each text argument at the end.
#define _POSIX_C_SOURCE 200809L

#include "fem/lapack.h"
#include <stdlib.h>
#include <string.h>

void dgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc, size_t ta_length, size_t tb_length);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, size_t uplo_length);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb, size_t side_length,
            size_t uplo_length, size_t trans_length, size_t diag_length);
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info, size_t jobz_length, size_t uplo_length);
void dsygvd_(const int* itype, const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* b,
             const int* ldb, double* w, double* work, const int* lwork, int* iwork, const int* liwork, int* info,
             size_t jobz_length, size_t uplo_length);
void cgetrf_(const int* m, const int* n, float* a, const int* lda, int* pivot, int* info);
void cgetrs_(const char* trans, const int* n, const int* columns, const float* a, const int* lda, const int* pivot,
             float* b, const int* ldb, int* info, size_t trans_length);

// there only in OpenBLAS
#if defined(__GNUC__)
void openblas_set_num_threads(int threads) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));
char* openblas_get_corename(void) __attribute__((weak));
void gotoblas_dynamic_init(void) __attribute__((weak));
void gotoblas_dynamic_quit(void) __attribute__((weak));
#endif

#if defined(__GNUC__) && defined(__x86_64__)
// OpenBLAS knows processors by their numbers; on one made after it, it falls back to its oldest kernels, which take two
// to three times as long. So name it a processor it knows with the same instructions, as a newer release would. Done
// before main(), as long as there is only one thread; what the user has set stays.
__attribute__((constructor)) static void choose_kernels(void)
{
    static const char name[] = "OPENBLAS_CORETYPE";
    if (!openblas_get_corename || !gotoblas_dynamic_init || !gotoblas_dynamic_quit || getenv(name)) return;
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
    if (!avx2 || strcmp(openblas_get_corename(), "Prescott") != 0) return;
    if (setenv(name, avx512 ? "SkylakeX" : "Haswell", 0) != 0) return;
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    unsetenv(name);
}
#endif

void fem_gemm(char ta, char tb, int m, int n, int k, double alpha, const double* a, int lda, const double* b, int ldb,
              double beta, double* c, int ldc)
{
    dgemm_(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}

double fem_gemm_rate(void)
{
    enum
    {
        SIZE = 256,
        RUNS = 3
    };
    double* a = calloc(3 * SIZE * SIZE, sizeof *a);
    double best = 1e-2;
    for (int i = 0; a && i < RUNS; i++)
    {
        double start = tw_seconds();
        fem_gemm('N', 'N', SIZE, SIZE, SIZE, 1, a, SIZE, a + SIZE * SIZE, SIZE, 0, a + 2 * SIZE * SIZE, SIZE);
        double took = tw_seconds() - start;
        if (took > 0 && took < best) best = took;
    }
    free(a);
    return 2.0 * SIZE * SIZE * SIZE / best;
}

bool fem_cholesky(int n, double* a, int lda)
{
    int info = 0;
    dpotrf_("U", &n, a, &lda, &info, 1);
    return info == 0;
}

void fem_solve_right(int m, int n, const double* r, int ldr, double* x, int ldx)
{
    const double one = 1;
    dtrsm_("R", "U", "N", "N", &m, &n, &one, r, &ldr, x, &ldx, 1, 1, 1, 1);
}

// what dsyevd and dsygvd ask for: 1 + 6 n + 2 n^2 doubles and 3 + 5 n ints
static size_t real_work(int n) { return 1 + 6 * (size_t)n + 2 * (size_t)n * (size_t)n; }
size_t fem_eigen_work(int n) { return real_work(n) + (3 + 5 * (size_t)n + 1) / 2 + 1; }

bool fem_eigen(int n, double* a, double* values, double* work)
{
    int info = 0, real = (int)real_work(n), whole = 3 + 5 * n;
    dsyevd_("V", "U", &n, a, &n, values, work, &real, (int*)(work + real_work(n)), &whole, &info, 1, 1);
    return info == 0;
}

bool fem_eigen_general(int n, double* a, double* b, double* values, double* work)
{
    const int kind = 1;
    int info = 0, real = (int)real_work(n), whole = 3 + 5 * n;
    dsygvd_(&kind, "V", "U", &n, a, &n, b, &n, values, work, &real, (int*)(work + real_work(n)), &whole, &info, 1, 1);
    return info == 0;
}

bool fem_complex_factor(int n, float* a, int* pivot)
{
    int info = 0;
    cgetrf_(&n, &n, a, &n, pivot, &info);
    return info == 0;
}

void fem_complex_solve(int n, const float* factor, const int* pivot, float* b)
{
    const int one = 1;
    int info = 0;
    cgetrs_("N", &n, &one, factor, &n, pivot, b, &n, &info, 1);
}

int fem_blas_threads(int threads)
{
    int before = 0;
#if defined(__GNUC__)
    if (!openblas_set_num_threads || !openblas_get_num_threads) return 0;
    before = openblas_get_num_threads();
    if (threads > 0 && threads != before) openblas_set_num_threads(threads);
#endif
    return before;
}
