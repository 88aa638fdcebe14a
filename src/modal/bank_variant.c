// SPDX-License-Identifier: MIT
// Which kernel this machine runs.
#include "bank.h"
#include <string.h>

#if defined(__x86_64__)
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

// what the build may use in *_avx512.c
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

const BankVariant* tw_bank_variant(twPrecision precision, const char* name)
{
    bool is_float = precision == TW_FLOAT;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if ((!name || strcmp(name, "avx512") == 0) && has_avx512())
        return is_float ? &tw_bank_float_avx512 : &tw_bank_double_avx512;
    if ((!name || strcmp(name, "avx2") == 0) && has_avx2())
        return is_float ? &tw_bank_float_avx2 : &tw_bank_double_avx2;
#endif
    if (!name || strcmp(name, "generic") == 0) return is_float ? &tw_bank_float_generic : &tw_bank_double_generic;
    return NULL;
}
