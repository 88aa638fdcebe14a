// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// The picture of `twang bake`.

enum
{
    BAKE_PLOT_MODES = 6  ///< modes drawn at most
};

/// Where the first modes that are baked sound to: levels over all directions, far away, as SVG or PNG.
twStatus bake_plot_save(const char* path, const twTransfer* transfer, twError* err);
