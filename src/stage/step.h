// SPDX-License-Identifier: MIT
#pragma once
#include "stage/stage.h"

/// @file
/// The parts of a step (internal).

#define SLOW_BOUNCE 0.05  // [m/s]: what comes slower does not rebound
#define MOST_TRIES 3      // with grabs that give way
#define SOFTEST 0.01      // largest share of directions left alone where there would be no sense in it

enum
{
    STEP_ALL = -1  ///< groups
};

void step_begin(twStage* stage);
void step_end(twStage* stage);

void step_keep(twStage* stage, StageKept* kept);  ///< how bodies move, and what they owe
void step_put_back(twStage* stage, const StageKept* kept);

// mend.c

/// Between the beginning of a step and its end. @return whether bodies were displaced; then step_stop_mended() is due after its end
bool step_mend(twStage* stage);
void step_stop_mended(twStage* stage);

// limit.c

/// Grabs whose impulses so far are more than their largest force may do in a time give way: they push with a force in this half of the
/// step instead. @return whether any does
bool step_limit(twStage* stage, double seconds);

// concede.c

/// Before a part of a step: grabs of groups that contradict each other make do with what is to be had.
void step_concede(twStage* stage);
bool step_concedes(const twStage* stage, int group);  ///< whether any of its grabs does
void step_recant(twStage* stage);                     ///< after it

// heard.c

void step_forget(twStage* stage);  ///< what a step did so far, but for strikes
void step_gather(twStage* stage);  ///< what a part of a step does
void step_hear(twStage* stage);    ///< after a step

// lines.c

bool step_acts(const Hold* hold);  ///< whether a grab acts by rows
void step_push_point(twStage* stage, int body, const twStagePoint* point, twVec3 impulse);  ///< adds to the kicks
void step_push_given(twStage* stage, double time);  ///< half a step of the forces that are given
void step_contact_lines(twStage* stage, const StageContact* contact, bool way);
void step_grab_lines(twStage* stage, const BodyPlace* places, bool way);
void step_count_grabs(twStage* stage, const double* p);  ///< impulses of grabs' columns, per grab
double step_kinetic(const twStage* stage);
void step_kick(twStage* stage);  ///< the kicks act; what contacts do is dissipated, the rest is work
void step_look(twStage* stage);  ///< after becomes where bodies are
bool step_in_place(const twStage* stage, int group);  ///< whether its grabs that act do so where they hold
double step_scale(const twStage* stage);              ///< size of things, for what is near enough

// ledger.c

double step_own_speed(const twStage* stage, int body);  ///< that is no haste for a body of its size
double step_energy(const StageBody* body);              ///< of motion and bending
void ledger_groups(twStage* stage);                     ///< bodies that hang together by grabs, or push each other
double ledger_haste(const twStage* stage,
                    int group);  ///< that hands may bring it to: root of twice the energy of motion
double ledger_level(const twStage* stage, int group);  ///< energy that hands may bring it to
bool ledger_is_led(const twStage* stage, int group);   ///< whether its targets go anywhere now, or push elsewhere
void ledger_look_back(twStage* stage);  ///< after a part of a step: which accelerations are not to be had
void ledger_open(twStage* stage);       ///< before a part of a step
void ledger_count(twStage* stage);      ///< half of what impulses do, before kicks and after
bool ledger_check(twStage* stage);      ///< between its beginning and its end. @return whether there is sense in it
bool ledger_close(
    twStage* stage);  ///< after it; what is owed is paid. @return whether it is in order; else accounts tell
void ledger_slow(twStage* stage);  ///< what is faster than hands can be nevertheless, whatever grabs ask for
/// Before it is done anew, bodies being where they were: what groups lacked is taken from the motion they have now. @return whether any is
bool ledger_pay_ahead(twStage* stage);
