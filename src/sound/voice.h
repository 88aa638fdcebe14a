// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// A voice: some modes of one body, rung by forces that are constant between the times they change (internal).
///
/// Mode j obeys q'' + 2 c q' + w0^2 q = F. About the place where the force of the moment would hold it, y = q - F/w0^2, it rings
/// freely, so with w = sqrt(w0^2 - c^2) the complex state
///
///   s = (y' + c y) + i w y,     s(t + tau) = s(t) e^{(-c + iw) tau}
///
/// only turns and decays, and a force that changes by dF adds -(c + iw) dF/w0^2. That is exact at any time of the change:
/// what comes tau before a sample has turned by e^{(-c + iw) tau} there.

#define VOICE_STILL 1e-4  ///< of its distance: who listens and has moved less is where he was

enum
{
    VOICE_MODES = 128,  ///< at most, of one voice
    VOICE_BLOCK = 128,  ///< samples of a block
    VOICE_TICK = 16,    ///< samples for which the damping of contacts is constant
    VOICE_PARTS = 16,   ///< parts of a sample for which e^{(-c + iw) tau} is in a table
    VOICE_LANES = 16,   ///< arrays are padded to a multiple of these
};

typedef struct Voice Voice;

typedef struct VoiceDef
{
    double rate_hz;
    twPrecision precision;
    const char* variant;  ///< of the loops, by name; NULL: the fastest
    int mode_count;
    const double* freq_hz;  ///< (modes)
    const double* decay;    ///< (modes) [1/s]
    int rows;               ///< signals
} VoiceDef;

Voice* voice_create(const VoiceDef* def);  ///< at rest; NULL without memory
void voice_destroy(Voice* voice);          ///< NULL is fine
int voice_padded(const Voice* voice);      ///< modes with padding

// ---- what pushes ----

/// Room for contacts 0 to count - 1, at rest where they are new. @return false without memory
bool voice_reserve(Voice* voice, int contacts);
/// Where a contact pushes from now on: the shape of each mode there, to be filled in (3 x padded: x of all, then y, z).
float* voice_shape(Voice* voice, int contact);
/// The force of a contact [N], in the body's axes. It acts with the next voice_change().
void voice_push(Voice* voice, int contact, const double force[3]);
/// What was pushed acts since tau samples, 0 to 1, before the sample that is next.
void voice_change(Voice* voice, double tau);
/// Begin: what was pushed holds the modes where they are, but for those with an amplitude (modes), which are there.
void voice_start(Voice* voice, const float* amplitude);

// ---- what is heard ----

/// The weight of the modes in a signal: it is scale times the sum of re y' + im w0 y (weight: modes x 2). Reached at the end of
/// the coming block; the first one holds from the start.
void voice_gain(Voice* voice, int row, const float* weight, double scale);
/// Extra decay of y' [1/s] of a mode over the coming block, by a cubic from the value of the block before to this one (padded);
/// NULL: none.
void voice_damp(Voice* voice, const float* extra);
/// Samples first to last - 1 of a block, added to the signals out (rows) of (VOICE_BLOCK), and on to sample last.
void voice_ring(Voice* voice, int first, int last, double* const* out);
/// After a block: makes good what rounding did to the poles, lets go what is too faint. @return whether anything rings
bool voice_rest(Voice* voice);

/// y' and w0 y of a mode.
void voice_state(const Voice* voice, int mode, double* velocity, double* bend);
void voice_set_velocity(Voice* voice, int mode, double velocity);
