// SPDX-License-Identifier: MIT
#pragma once
#include "twang/fem.h"

// how to pass the time while something runs that cannot be asked how far it is
typedef struct FemWait
{
    const char* stage;
    double from;     // fraction of the stage when it begins
    double seconds;  // that it should take
    twFemProgress keep_going;
    void* context;
} FemWait;

typedef void (*FemWork)(void* context);

// Do the work, in a thread of its own if it takes long enough for the caller to be told. Ends when the work does, also
// if keep_going says no. @return whether it never did
bool fem_wait(const FemWait* wait, FemWork work, void* context);
