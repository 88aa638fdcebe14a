// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// Inside mode sets (internal).

twStatus mode_set_check(const twModeSet* set, twError* err);  ///< every value is usable
