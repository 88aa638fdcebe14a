// SPDX-License-Identifier: MIT
#pragma once
#include "twang/scene.h"

/// @file
/// Recording of a scene's rods (internal).

/// Start the trace of a scene. @return TW_IO_ERROR, TW_NO_MEMORY
twStatus record_start(twTraceWriter** out, const twScene* scene, const char* path, twError* err);
/// Append what the rods do now, at frame n of the trace.
twStatus record_frame(twTraceWriter* writer, const twScene* scene, twRods* rods, int64_t n, twError* err);
