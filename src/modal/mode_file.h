// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// Inside mode sets (internal).

twStatus mode_set_check(const twModeSet* set, twError* err);  ///< every value is usable
twStatus transfer_check(const twTransfer* transfer, twError* err);
/// Only the modes kept (count), with their moments and no others; tw_transfer_destroy() it. NULL if there is no memory.
twTransfer* transfer_keep(const twTransfer* transfer, const int* kept, int count);
