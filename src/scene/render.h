// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bodies.h"
#include "twang/render.h"
#include <math.h>

/// @file
/// Inside rendering (internal).

/// Play the rods, and add what is heard to the outputs of listeners: sound (outputs) is (frames x channels) each.
/// *trace: the recorded motion, to be committed with the other files; NULL if none is, or it could not be written (see
/// render_beside). Fills report->rods and the seconds.
twStatus render_rods(const twScene* scene, const twRenderDef* def, int64_t frames, float* const* sound,
                     twTraceWriter** trace, twRenderReport* report, twError* err);
/// The rods' part of the report.
void render_rods_json(twJson* json, const twScene* scene, const twRenderReport* report);

/// The same for a world of bodies, and rods that touch. If it fails, the part of the trace stays, to be resumed.
twStatus render_bodies(const twScene* scene, const twRenderDef* def, int64_t frames, float* const* sound,
                       twTraceWriter** trace, twRenderReport* report, twError* err);
/// The modes of the bodies' shapes, for the report.
twStatus render_modes_fill(twRenderReport* report, const twScene* scene, const twBodies* bodies, twError* err);
void render_modes_json(twJson* json, const twScene* scene, const twRenderReport* report);
void render_bodies_json(twJson* json, const twScene* scene, const twRenderReport* report);

/// The last of a sound against the loudest of it, at least the amplitude least, see twRenderCheck; NAN if there is none.
double render_rest_db(const float* samples, int64_t frames, int channels, double rate_hz, double least);
/// Fill report->check, but for rest_db, which is there.
void render_check(twRenderReport* report, const twScene* scene);
void render_check_json(twJson* json, const twRenderCheck* check);
/// Render the scene that a scene begins from, unless that is there (start.c). Fills report->before.
twStatus start_prepare(const twScene* scene, const twRenderDef* def, twRenderReport* report, twError* err);

/// What listeners hear of bodies, in words.
void render_heard_json(twJson* json, const twRenderReport* report);
/// Whether the heads that a scene names can be used, to be asked before the motion is simulated.
twStatus render_check_heads(const twScene* scene, twError* err);
/// The most samples that sounds of a scene of so many can have, with their tail.
int64_t render_room(const twScene* scene, int64_t frames);
/// Whether an output is of listeners that hear bodies, which ring on.
bool render_rings(const twScene* scene, const twSceneOutput* output);
/// What the listeners hear of the bodies in a trace of so many frames, added to the outputs, which have room for their tail. Fills
/// report->hearing, frames and tail.
twStatus render_sound(const twScene* scene, const twRenderDef* render, const char* trace, int64_t recorded,
                      int64_t frames, float* const* sound, twRenderReport* report, twError* err);

/// What is asked of the level of a sound.
typedef enum RenderQuiet
{
    RENDER_ANY,       ///< raised to its level whatever it is
    RENDER_PRESSURE,  ///< pressure: round-off is no sound
    RENDER_HEARD,     ///< pressure of bodies: what cannot be heard stays low
} RenderQuiet;
/// Factor from physical values to samples.
double render_gain(const twMeter* meter, twLevelKind level, double value, RenderQuiet quiet);
/// What a file says of itself: the physical value of full scale.
void render_comment(char* out, size_t bytes, double gain, const char* unit);

/// What became of a file beside the sound. If it could not be written, the render goes on without it: its path becomes "", and
/// report->trouble says why. Other failures are passed on.
twStatus render_beside(twStatus status, const twError* why, char* path, twRenderReport* report, twError* err);

/// Gains of a term; equal-power pan.
static inline void render_pan(const twSceneTerm* term, int channels, double* left, double* right)
{
    const double angle = 0.25 * TW_PI * (1 + term->pan);
    *left = channels == 2 ? term->gain * cos(angle) : term->gain;
    *right = term->gain * sin(angle);
}
