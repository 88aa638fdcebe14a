// SPDX-License-Identifier: MIT
#pragma once
#include "stage/stage.h"

/// @file
/// The parts of a step (internal).

#define SLOW_BOUNCE 0.05  // [m/s]: what comes slower does not rebound
#define MOST_TRIES 3      // with grabs that give way
#define SOFTEST 0.01      // largest share of directions left alone where there would be no sense in it

void step_begin(twStage* stage);
void step_end(twStage* stage, double dissipated);  ///< dissipated: before the step
void step_hear(twStage* stage);

// lines.c

bool step_acts(const Hold* hold, bool way);  ///< whether a grab acts by rows, on places (way) or velocities
void step_push_point(twStage* stage, int body, const twStagePoint* point, twVec3 impulse);  ///< adds to the kicks
void step_push_given(twStage* stage, double time);  ///< half a step of the forces that are given
void step_contact_lines(twStage* stage, const StageContact* contact, bool way);
void step_grab_lines(twStage* stage, const BodyPlace* places, bool way);
void step_count_grabs(twStage* stage, const double* p, bool way);  ///< impulses of grabs' columns, per grab
double step_kinetic(const twStage* stage);
void step_kick(twStage* stage, bool way);  ///< the kicks act; what contacts do is dissipated, the rest is work
double step_contact_work(twStage* stage, const double* pc);  ///< of contacts' impulses times half the velocity now
double step_kicked(const twStage* stage);                    ///< energy of the kicks, by themselves
double step_most_energy(twStage* stage);                     ///< that they may have
double step_scale(const twStage* stage);                     ///< size of things, for what is near enough

// calm.c

void step_count_surplus(twStage* stage, bool way);  ///< half of it, before kicks and after
void step_calm(twStage* stage);                     ///< after the end of a step
