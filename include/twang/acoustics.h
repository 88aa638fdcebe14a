// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"
#include "twang/section.h"

/// @file
/// Acoustics: what rods radiate, and what listeners hear of it.
///
/// A point of a rod that moves as v radiates as a dipole of strength D (area and added area of its section, times its
/// length), and the ends, or what swells, as a monopole of volume acceleration Q. At distance r in direction e, r/c later,
///
///   p = rho/4pi (e . D v''/(c r) + e . D v'/r^2 + Q/r)
///
/// A radiator makes sources of a rod's motion, once per step; any number of listeners add them up, each sample written at
/// its own time of arrival, which makes Doppler shifts by itself. Equations, accuracy, limits: docs/acoustics.md.

#ifdef __cplusplus
extern "C"
{
#endif

// ---- spherical harmonics ----

/// Harmonics Y_nm of a unit direction up to an order: (order + 1)^2 values, Y_nm at n n + n + m. They are real and orthonormal
/// (the integral of Y^2 over the sphere is 1), with cos m phi for m > 0 and sin |m| phi for m < 0, without the sign (-1)^m.
/// Real-time safe.
void tw_harmonics(float* out, int order, twVec3 direction);
void tw_harmonics_double(double* out, int order, twVec3 direction);  ///< the same in double

// ---- the sound of modes ----

/// Floats of work that tw_transfer_weights() needs.
size_t tw_transfer_work(const twTransfer* transfer);
/// What every mode sounds like at a place x in the body's axes: out (modes x 2), complex weights a with
///     p(x) = z exp(ik (r - R)) (R/r) a,   r = max(|x - C|, R),
/// z the modal velocity v - i w y; the exponential is the delay (r - R)/c. a is smooth in x. Inside the sphere it is as on
/// it; within half its radius directions fade, and at its centre none is left. Modes that are not baked have 0. work
/// (tw_transfer_work()) may hold anything. Real-time safe.
void tw_transfer_weights(const twTransfer* transfer, twVec3 place, float* out, float* work);
/// Radiated power of a mode per squared modal velocity amplitude |z|^2 [W / (kg m^2/s^2)]; 0 if it is not baked.
double tw_transfer_power(const twTransfer* transfer, int mode);
/// A transfer without boundary elements: the normal motion of each mode is taken as that of a sphere of the same area,
/// moving at the direction d/R + n what the surface has at distance d from the centre with normal n. Exact for spheres;
/// the strength as a monopole is that of the mode. error_db is 0. @return TW_BAD_INPUT if air or surface are not usable
twStatus tw_transfer_estimate(twTransfer** out, const twModeSet* set, double sound_speed, double air_density,
                              twError* err);

// ---- sources ----

/// Sound sources of one step, as arrays over points. The arrays stay the owner's.
typedef struct twSources
{
    int count;
    const double* position[3];     ///< x, y, z (count) [m]
    const double* dipole[3];       ///< D v', v' acceleration (count) [m^4/s^2]
    const double* dipole_rate[3];  ///< D v'', v'' jerk (count) [m^4/s^3]
    const double* volume;          ///< volume acceleration (count) [m^3/s^2]; NULL: none
} twSources;

/// Turns the motion of one rod into sources.
typedef struct twRadiator twRadiator;

/// Everything needed to create a radiator. Start from tw_radiator_def(). Edges: points - 1, or as many as points if closed.
typedef struct twRadiatorDef
{
    int point_count;  ///< at least 2; 3 if closed
    bool closed;
    int section_count;          ///< 1, or one per point
    const twSection* sections;  ///< (section_count)
    const double* lengths;      ///< of the edges without stress (edges) [m]
    bool end_caps;              ///< lengthwise motion radiates from the ends of an open rod
    double poisson;             ///< and from the sides, which swell when the rod shortens; 0: they do not
    bool uniform;               ///< for comparison: the mean of D11 and D22 in all directions across the rod
} twRadiatorDef;
twRadiatorDef tw_radiator_def(void);  ///< no points; open, end caps, poisson 0

/// The motion at one time. Directors d1 and d2 are the x and y axes of the section's outline.
typedef struct twRadiatorMotion
{
    const double* position[3];                  ///< x, y, z (points) [m]
    const double* acceleration[3];              ///< (points) [m/s^2]
    const double* jerk[3];                      ///< (points) [m/s^3]
    const double *director1[3], *director2[3];  ///< unit (edges)
} twRadiatorMotion;

/// Create a radiator; def is copied. On failure *out is NULL. @return TW_BAD_INPUT naming what is wrong; TW_NO_MEMORY
twStatus tw_radiator_create(twRadiator** out, const twRadiatorDef* def, twError* err);
void tw_radiator_destroy(twRadiator* radiator);  ///< NULL is fine
/// Sources of a motion. They point into the radiator and to the motion's positions, until the next update. Real-time safe.
twSources tw_radiator_update(twRadiator* radiator, const twRadiatorMotion* motion);
/// @return TW_BAD_INPUT, naming the edge, if a place is inside the rod: in the box about its section, or in its circle.
/// Only the motion's positions and directors count.
twStatus tw_radiator_check_place(const twRadiator* radiator, const twRadiatorMotion* motion, twVec3 place,
                                 twError* err);

// ---- listeners ----

/// A point where sound is heard.
typedef struct twListener twListener;

enum
{
    TW_MAX_LISTENER_TRACKS = 64
};

/// Everything needed to create a listener. Start from tw_listener_def().
typedef struct twListenerDef
{
    double rate_hz;        ///< steps, and samples, per second
    double sound_speed;    ///< [m/s]
    double air_density;    ///< [kg/m^3]
    twVec3 position;       ///< [m]
    double nearest;        ///< sources nearer than this sound as if they were there [m]
    double farthest;       ///< sources farther than this are not heard [m]; memory grows with it
    bool ground;           ///< a plane reflects
    twVec3 ground_point;   ///< [m]
    twVec3 ground_normal;  ///< of any length but 0
    double reflection;     ///< pressure of the reflected sound over that of the incoming one, 0 to 1
    bool instant;          ///< for comparison: everything is heard at once
    double lowpass_hz;     ///< Butterworth of 6th order; 0: none
    int track_count;       ///< sources that share a filter share a track
    const double*
        radius;  ///< exact round cylinders of this radius instead of compact ones (tracks) [m]; 0 or NULL: compact
} twListenerDef;
twListenerDef
tw_listener_def(void);  ///< 44.1 kHz, air at 20 degrees, 1 mm to 100 m, no ground (else 0.96), one compact track

/// Create a listener; def is copied. On failure *out is NULL. @return TW_BAD_INPUT naming what is wrong; TW_NO_MEMORY
twStatus tw_listener_create(twListener** out, const twListenerDef* def, twError* err);
void tw_listener_destroy(twListener* listener);  ///< NULL is fine

// The following are real-time safe: they never allocate, print or fail. In a step: move, add, add ..., step.

/// Where the listener is at this step. Its velocity is what it moved since the last step, unless it jumped.
void tw_listener_move(twListener* listener, twVec3 position);
/// Hear sources at this step.
void tw_listener_add(twListener* listener, int track, const twSources* sources);
/// Hear a value [Pa] at once: a pickup at a point of the rod, say.
void tw_listener_add_signal(twListener* listener, double value);
/// End the step. @return the pressure [Pa] at the time tw_listener_latency() steps ago
double tw_listener_step(twListener* listener);
int tw_listener_latency(const twListener* listener);  ///< [steps]

typedef struct twListenerStats
{
    int64_t too_near, too_far;  ///< sources nearer than nearest, farther than farthest, over all steps
    int64_t bad_values;         ///< that were not finite, and were left out
} twListenerStats;
twListenerStats tw_listener_stats(const twListener* listener);

#ifdef __cplusplus
}
#endif
