// SPDX-License-Identifier: MIT
#pragma once
#include "twang/rod.h"

/// @file
/// A step of a rod that others take part in (internal): forces that depend on where the rod goes are found while its own step
/// is.
///
///     tw_rod_open(rod, h, ...)                  // nothing of its state changes until it is closed
///     repeat: fill tw_rod_forces(rod); change = tw_rod_iterate(rod); tw_rod_way(rod, way); ...
///     tw_rod_close(rod), or tw_rod_cancel(rod) and open again with a shorter h
///
/// Forces are constant while the step lasts, so that their work is force times way, exactly. Components: x, y, z of the points
/// and the turn of edges about themselves, 4 arrays over the points. Both schemes, open and closed rods, with and without shear.

enum
{
    ROD_COUPLED = 4,  ///< components that forces act on
    ROD_LOCAL = 40    ///< points, at most, that a point's compliances reach
};

/// After both are made: if they are of the same size they use the same room for what does not last, and, if they are copies of each other,
/// the same constants. Then they must be used by one thread at a time, and none after with is gone. @return whether they are copies
bool tw_rod_share(twRod* rod, twRod* with);
/// Factors that copies of rods have in common. What is lent is gone when it is cleared: then let all rods borrow anew.
typedef struct RodLender RodLender;
RodLender* tw_rod_lender_create(void);  ///< @return NULL without memory
void tw_rod_lender_clear(RodLender* lender);
void tw_rod_lender_destroy(RodLender* lender);
/// From now on, between steps; its matrix is made anew.
void tw_rod_borrow_from(twRod* rod, RodLender* lender);
/// Begin a piece of length h, at start [s], of a step of 1/rate of which remaining are left; first: of its pieces. Forces become 0.
/// A step of 1/rate begins with the first piece after tw_rod_end_step().
void tw_rod_open(twRod* rod, double start, double h, double remaining, bool first);
/// Forces of others (points) [N], turning moments (edges) [N m], to be changed between iterations but not after the last. The
/// arrays stay where they are. Where a coordinate is held they act on what holds it: no work, no motion.
double* const* tw_rod_forces(twRod* rod);
/// Which rod will be iterated after this one, to be brought near in time; NULL: none.
void tw_rod_before(twRod* rod, const twRod* next);
/// One iteration with these. @return largest change of a place [m]; not finite if it does not converge
double tw_rod_iterate(twRod* rod);
/// Change below which a step is converged [m], by how changes shrink; after an iteration.
double tw_rod_enough(const twRod* rod);
/// After an iteration that converged: go along with what forces changed since, linearly, for less than half of what an iteration costs. @return
/// whether the step is still converged; if not, iterate
bool tw_rod_follow(twRod* rod);
/// How far everything goes in the step, by the last iteration: way (ROD_COUPLED arrays, points) [m], [rad].
void tw_rod_way(const twRod* rod, double* const* way);
/// The same of some points alone (count), which may be in the list more than once.
void tw_rod_way_at(const twRod* rod, const int* points, int count, double* const* way);
/// What a change of the forces makes of that: linear, symmetric, positive. force, way (ROD_COUPLED arrays, points); may be the
/// same.
void tw_rod_respond(twRod* rod, double* const* force, double* const* way);
/// How far along the rod, in points, a force is felt in the open piece by more than a few hundredths; 0: there are no compliances
/// of single points (closed rods, shear, too far).
int tw_rod_local_reach(const twRod* rod);
/// Find those of a point, if they are not there already; kept until the matrix is made anew. @return false without memory or reach
bool tw_rod_local_need(twRod* rod, int point);
bool tw_rod_local_reserve(twRod* rod);  ///< memory for those of all points now. @return false without memory
/// About tw_rod_respond(): ways of the points from this one on, as far as they reach, by forces on it. Blocks of 4 x 4 by columns,
/// in the axes d1, d2, t of each point's edge, and its turn; 0 where something is held.
const float* tw_rod_local(const twRod* rod, int point);
/// Make it so.
void tw_rod_close(twRod* rod);
void tw_rod_cancel(twRod* rod);  ///< as if it had not been opened; its matrix is made anew
/// If nothing converges: it stays where it is for the rest of the step, without velocity, unfolded. Nothing is open then.
void tw_rod_stop(twRod* rod);
/// After the last piece of a step of 1/rate: time goes on, energy is looked after. given: what contacts took from, or gave to,
/// the rod beyond the work of the forces; at most 0 [J].
void tw_rod_end_step(twRod* rod, double given);
/// Of its motion, without the rigid one of a rod that nothing holds [J].
double tw_rod_kinetic_energy(twRod* rod);
/// Before the first step: nothing of the rod itself bends or twists at an inner point any more, what holds the two edges there is
/// another's. moment: what it was bent (along d1, d2) and twisted with there, of the edge after the point on that before [N m].
void tw_rod_cut(twRod* rod, int point, double moment[3]);
/// Whether tw_rod_load() would take the bytes.
bool tw_rod_fits(const twRod* rod, const void* bytes, size_t count);
/// Damp what is not rigid motion (Schweickart 2017, section 5): wholly at rest, not at all where the root mean square of the
/// speed reaches threshold [m/s]. Between steps. A rod with pins or clamps has no rigid motion.
void tw_rod_calm(twRod* rod, double threshold);
/// After a step: what is not rigid motion loses a share, 0 to 1, of its velocity. Damping by mass that lets a rod fall freely.
void tw_rod_damp(twRod* rod, double share);
