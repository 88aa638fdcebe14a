// SPDX-License-Identifier: MIT
#pragma once
#include <stdatomic.h>
#include <stdlib.h>

/// @file
/// A program whose allocations are counted; include it in one file alone. Sanitizers have allocators of their own: then COUNTS is 0.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS 0
#elif defined(__has_feature)
#define COUNTS (!__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer))
#else
#define COUNTS 1
#endif

static atomic_long allocations;

#if COUNTS && defined(__GLIBC__)
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t bytes)
{
    allocations++;
    return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes)
{
    allocations++;
    return __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes)
{
    allocations++;
    return __libc_realloc(block, bytes);
}
void* aligned_alloc(size_t to, size_t bytes)
{
    allocations++;
    return __libc_memalign(to, bytes);
}
#endif
