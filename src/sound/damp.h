// SPDX-License-Identifier: MIT
#pragma once
#include "source_parts.h"

/// @file
/// Damping of vibration by contacts (internal), after Zheng and James 2011, section 5.3: at each contact k a damper proportional to
/// its normal force f_k, softer along the surface. With U_k the shapes of the modes there (3 x modes),
///
///   q'' + (C + gamma G) q' + w0^2 q = F,     G = sum_k f_k U_k^T (mu I + (1 - mu) n_k n_k^T) U_k
///
/// of which only the diagonal is used, so that modes stay apart; or all of it, to see what that leaves out.

enum
{
    DAMP_MAX_MODES = 512  ///< with the full matrix
};

double* damp_create(int modes);  ///< room for the full matrix; free() it; NULL without memory
/// The damping of the coming block: from the forces of the contacts in the one that ends.
void damp_voice(const Source* source, SourceVoice* voice, const Plan* plan);
/// The same for a voice that was at rest: what damped in the block before has done so all the time.
void damp_wake(const Source* source, SourceVoice* voice, const Plan* before);
/// voice_ring(), with the full matrix after every sample.
void damp_ring(SourceVoice* voice, int first, int last);
