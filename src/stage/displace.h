// SPDX-License-Identifier: MIT
#pragma once
#include "stage/stage.h"

/// @file
/// Bodies displaced so that the points that are grabbed come to where they should be (internal): with J L x = target - place and
/// L L^T = M^-1, bodies are displaced by L x, and |x| is how far that is in the norm of the mass.

/// @return how far the grabs of a group that act are from their places at the end of a part of a step, bodies being where they are, at
/// most [m]; after becomes where bodies are
double displace_look(twStage* stage, int group);
/// Rows of a group anew, of no other, bodies being where they are; kicks become the least displacement that should bring its points to
/// their places, as far as slopes are more than a share (faintest) of the largest. @return |x| [m sqrt(kg)]
double displace_aim(twStage* stage, int group, double faintest);
/// The same for what is to be no longer than most; ways that bring points nearer by less than a share (least) of the sum of squares of
/// slopes are hardly gone. Points are held by springs of a stiffness, in those of a body in its fastest mode, and bending counts.
double displace_aim_within(twStage* stage, int group, double most, double least, double stiffness);
double displace_cost(twStage* stage, int group, double stiffness);     ///< that it makes less [m^2]
void displace_go(twStage* stage, double share);                        ///< of the kicks
void displace_undo(twStage* stage, int group, const StageKept* kept);  ///< of bodies of a group
/// Brings points of a group to their places even where slopes vanish, left being how far they are. close, of the size of things: near
/// enough; met: so near they have to be. @return whether they are
bool displace_bring(twStage* stage, int group, double left, double close, double met);
/// Speeds become the ways from where bodies were.
void displace_measure(twStage* stage, const StageKept* kept);
