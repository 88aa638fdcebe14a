// SPDX-License-Identifier: MIT
// Wall clock that never runs backwards.
#define _POSIX_C_SOURCE 200809L
#include "twang/base.h"
#include <time.h>

double tw_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
