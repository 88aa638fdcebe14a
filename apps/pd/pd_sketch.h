// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"
#include "twang_pd.h"

/// @file
/// A network declared by messages.

/// "object", "contact" ...: the selectors that pd_sketch_message() knows; NULL ends them.
extern const char* const pd_sketch_selectors[];
/// Change a sketch by a message. @return true if it changed
bool pd_sketch_message(PdObject* x, twSketch* sketch, const char* selector, int argc, const t_atom* argv);
