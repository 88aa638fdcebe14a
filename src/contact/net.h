// SPDX-License-Identifier: MIT
#pragma once
#include "bristle.h"
#include "decimate.h"
#include "hunt.h"
#include "pass.h"
#include "trapezoid.h"
#include "twang/contact.h"

/// @file
/// Inside a network (internal). Objects meet contacts at ports: one port per (object, point) that a force can act on.
/// A row is one scalar contact law: impact along the normal or friction along the slide. It sees the relative velocity
/// u = v(plus) - v(minus) and pushes plus with -F, minus with +F, F being the mean over the step. All rows that share
/// an object form an island and are solved together:  u1 = u_free - C F(u1).

// fmin and fmax are calls unless NaN may be ignored
static inline double lesser(double a, double b) { return a < b ? a : b; }
static inline double greater(double a, double b) { return a > b ? a : b; }

typedef struct Object
{
    int modes;                                          ///< as given
    Pass pass;                                          ///< padded arrays, see pass.h
    double *freq_hz, *decay, *mass;                     ///< as given (modes)
    double *step_mass, *step_stiffness, *step_damping;  ///< M, K, R of the trapezoidal rule (modes)
    double *speed, *tilt;                               ///< see Trapezoid (modes)
    int* port_point;                                    ///< point of each port
    double* port_force;                                 ///< total mean force of the step (ports)
    double* port_external;                              ///< the part from outside (ports)
    double* port_v;                                     ///< velocity (ports)
    double* port_reach;            ///< velocity at the end of the step without contact forces (ports)
    double* mobility;              ///< end velocity per mean force (ports x ports)
    int* pickup_index;             ///< pickup, or -1 - point, of each pickup slot
    bool* pickup_velocity;         ///< slot delivers velocity
    const double *shape, *pickup;  ///< copies of the modes' tables
    int points, pickups;           ///< their rows
} Object;

typedef struct Port
{
    int object;  ///< TW_WALL: immovable
    int index;
} Port;

/// Where one side of a row finds its numbers; zeros for a wall.
typedef struct Side
{
    const double *v, *reach, *x;  ///< velocity, velocity at the end of the step, displacement
} Side;

typedef enum RowKind
{
    ROW_IMPACT,
    ROW_FRICTION,
} RowKind;

typedef struct Contact
{
    twContactDef def;
    // impact
    double xc;             ///< compression as the law sees it
    double gap_x;          ///< geometric compression x_a - x_b - gap + offset
    double offset;         ///< height of the profile now
    double offset_target;  ///< where the input wants it at the end of this sample
    double offset_rate;    ///< its mean velocity over the step
    double force;          ///< mean impact force of the last step
    double force_last;     ///< of the step before it
    double force_sample;   ///< AM1: force at the sample
    double closing;        ///< rate of compression at the end of the last step
    bool closed;           ///< xc > 0
    long rebounds;         ///< times it has opened
    bool released;         ///< has begun to open since it closed
    bool sustained;        ///< has closed again before opening: not a lone impact, see net_solve.c
    // friction
    double normal_force;
    double z, y;      ///< bristle deflection and its rate (mean rate in the exact scheme)
    double y_last;    ///< y one step ago
    double friction;  ///< force: mean of the last step (exact), at the sample (bilinear)
    double tank;      ///< energy that friction has taken and not given back
    double noise_value;
    twNoise noise;
    int impact_row, friction_row;  ///< -1: none
} Contact;

typedef struct Row
{
    RowKind kind;
    int contact;
    int island;
    int place;  ///< index in its island
    Port plus, minus;
    Side at_plus, at_minus;
    double self;  ///< its own C
    // one step
    double u0, u_free, u1;
    double speed;      ///< of the two sides: u is their difference and no better known than they are
    double force;      ///< mean force over the step
    double slope;      ///< d force / d u1
    double by_normal;  ///< friction: d force / d normal force
    bool active;
    bool guarded;  ///< friction without bristle damping in this step
    bool solved;   ///< its scalar solve met the tolerance
    HuntStep hunt;
    HuntEnd end;  ///< impact: where the step ends
    Bristle bristle;
    double normal_force;      ///< that bristle was made for; NaN: none yet
    double z_known, v_known;  ///< friction: z and v without the unknown y
    double k2;                ///< friction: what the unknown y adds to z
    double y;
} Row;

typedef struct Island
{
    int first, count;  ///< rows
    double* coupling;  ///< C (count x count)
} Island;

struct twNet
{
    twNetDef def;
    double h;  ///< internal step [s]
    PassFunction pass;
    int object_count, contact_count, row_count, island_count;
    Object* objects;
    Contact* contacts;
    Row* rows;  ///< sorted by island
    Island* islands;
    twNetInput* inputs;
    double** input_force;  ///< where a force input adds up (inputs)
    twNetOutput* outputs;
    int* output_slot;       ///< pickup slot of the output's object (outputs)
    Decimator* decimators;  ///< (outputs), with oversampling
    double* scratch;        ///< Newton: (max island) x (max island + 4)
    int* pivot;
    double* v_before;              ///< audit: modal velocities before the step (largest object)
    double stored_before, passed;  ///< audit: energy before the step, and what outside has put in during it
    bool primed;                   ///< the initial sums are in place
    double nothing;                ///< 0: what a wall's side reads
    twNetEnergy energy;
    twNetStats stats;
    twArena* arena;  ///< owns everything above
};

/// Is the description sound? Names the item that is not.
twStatus net_check(const twNetDef* def, twError* err);

/// What another law makes of a compression x, or of a bristle's bend, so that neither force nor energy grows (net.c).
double net_impact_kept(const twImpactLaw* from, const twImpactLaw* to, double x);
double net_bristle_kept(const twFrictionLaw* from, const twFrictionLaw* to);  ///< a factor
/// Mode k goes on as that of another object, from a displacement; take: with at most its energy (net_take.c).
void net_move_mode(Object* to, const Object* from, int k, double displacement);
void net_take_mode(Object* to, const Object* from, int k, double displacement);
/// After objects and contacts have been taken over, by the same indices (NULL: their own): forces go on without letting go. (net_settle.c)
void net_settle(twNet* net, const twNet* from, const int* object_from, const int* contact_from);
/// Is it the same network as def says, but for frequencies, decays and the numbers of laws? (net_same.c)
bool net_same_but_tuning(const twNet* net, const twNetDef* def);

// the modes of one object (net_object.c)
void net_set_constants(const twNet* net, Object* object);  ///< from freq_hz, decay, mass
void net_set_shapes(Object* object);                       ///< padded shapes of the ports
void net_set_pickups(Object* object);                      ///< after net_set_constants()
void net_set_mobility(Object* object);                     ///< after the two above
void net_measure(Object* object);                          ///< sums at ports and pickups from the state as it is
void net_set_coupling(twNet* net);                         ///< C of every island, after net_set_mobility()

// the contacts of one step (net_solve.c)
void net_solve(twNet* net);   ///< fills force of every row
void net_commit(twNet* net);  ///< takes the rows' result into the contacts' states
double net_normal_force(const twNet* net, const Contact* contact);  ///< on a contact's friction in this step [N]

// energy (net_energy.c)
double net_object_energy(const Object* object);     ///< in the modes now [J]
double net_spring_energy(const twNet* net);         ///< in compressed contacts and bent bristles [J]
void net_audit_before(twNet* net);                  ///< rows solved, states still old
void net_audit_object(twNet* net, Object* object);  ///< steps the modes, adding up work and loss
void net_audit_after(twNet* net);                   ///< states new
