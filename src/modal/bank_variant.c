// SPDX-License-Identifier: MIT
// Which kernel this machine runs.
#include "bank.h"
#include "base/processor.h"
#include <string.h>

const BankVariant* tw_bank_variant(twPrecision precision, const char* name)
{
    bool is_float = precision == TW_FLOAT;
#if defined(__x86_64__)
    if (tw_processor_runs("avx512", name)) return is_float ? &tw_bank_float_avx512 : &tw_bank_double_avx512;
    if (tw_processor_runs("avx2", name)) return is_float ? &tw_bank_float_avx2 : &tw_bank_double_avx2;
#endif
    if (!name || strcmp(name, "generic") == 0) return is_float ? &tw_bank_float_generic : &tw_bank_double_generic;
    return NULL;
}
