// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

// memory of one analysis, counted against a limit
typedef struct FemMemory
{
    size_t limit, used, peak;  // [bytes]
} FemMemory;

FemMemory fem_memory(size_t limit);  // 0: what the machine has free
// zeroed memory; NULL if there is none, count * size overflows or the limit would be passed
void* fem_alloc(FemMemory* memory, size_t count, size_t size);
// change the size; what is added is not zeroed. On failure NULL, and block stays.
void* fem_resize(FemMemory* memory, void* block, size_t count, size_t size);
void fem_free(FemMemory* memory, void* block);  // NULL is fine
// memory that others hold on our behalf
void fem_memory_add(FemMemory* memory, size_t bytes);
void fem_memory_remove(FemMemory* memory, size_t bytes);
size_t fem_memory_left(const FemMemory* memory);
twStatus fem_no_memory(const FemMemory* memory, double more, const char* what, twError* err);
