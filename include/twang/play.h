// SPDX-License-Identifier: MIT
#pragma once
#include "twang/scene.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Play: a scene of objects, or of rods, performed sample by sample.

/// A scene being played: the network, its controls and events.
typedef struct twPlay twPlay;

/// Extra probes beyond the scene's outputs, in the order given; see twNetOutput.
typedef struct twPlayDef
{
    bool audit;       ///< keep the energy budget
    bool unfiltered;  ///< see twNetDef
    int probe_count;
    const twNetOutput* probes;
} twPlayDef;

twStatus tw_play_create(twPlay** out, const twScene* scene, const twPlayDef* def, twError* err);
void tw_play_destroy(twPlay* play);
/// Advance n frames. sound: one buffer per output of the scene, interleaved, physical units (NULL: not wanted); probes
/// likewise. Real-time safe.
void tw_play_process(twPlay* play, float* const* sound, double* const* probes, int n);
int tw_play_delay(const twPlay* play);  ///< frames by which sound lags, see tw_net_delay()
const twNet* tw_play_net(const twPlay* play);

// ---- rods ----

/// The rods of a scene being played to its listeners.
typedef struct twRods twRods;

/// @return TW_BAD_INPUT naming rod or listener and what would be right, or if rods touch: then tw_bodies_create()
twStatus tw_rods_create(twRods** out, const twScene* scene, twError* err);
void tw_rods_destroy(twRods* rods);  ///< NULL is fine
/// Advance by one step (oversample per sample). sound (listeners): what each hears [Pa], or [m/s] of a pickup,
/// tw_rods_latency() steps late. Never allocates or fails.
void tw_rods_step(twRods* rods, double* sound);
int tw_rods_latency(const twRods* rods);  ///< [steps]
twRod* tw_rods_rod(twRods* rods, int index);
twListenerStats tw_rods_listener_stats(const twRods* rods, int index);
/// Time spent since creation on motion and on sound, from one step in 61 [s].
void tw_rods_seconds(const twRods* rods, double* motion, double* sound);

/// What sounds of a rod of a scene, as the scene says: its ends, its sides. view: that of the rod. On failure *out is NULL.
twStatus tw_scene_radiator(twRadiator** out, const twSceneRod* rod, const twRodView* view, twError* err);

#ifdef __cplusplus
}
#endif
