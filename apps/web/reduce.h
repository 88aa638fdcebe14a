// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// Read a .twmodes file with tets and write one for the page: at most so many modes, about so many faces, no tets, the sound of
/// its modes estimated.
twStatus reduce_modes(const char* from, const char* to, int faces, int modes, twError* err);
