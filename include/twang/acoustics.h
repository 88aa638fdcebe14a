// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"
#include "twang/rod.h"
#include "twang/section.h"

/// @file
/// Acoustics: what rods radiate, and what listeners hear of it; how the modes of bodies sound (docs/transfer.md).
///
/// A point of a rod that moves as v radiates as a dipole of strength D (area and added area of its section, times its
/// length), and the ends, or what swells, as a monopole of volume acceleration Q. At distance r in direction e, r/c later,
///
///   p = rho/4pi (e . D v''/(c r) + e . D v'/r^2 + Q/r)
///
/// A radiator makes sources of a rod's motion, once per step; any number of listeners add them up, each sample written at
/// its own time of arrival, which makes Doppler shifts by itself. Equations, accuracy, limits: docs/acoustics.md.
///
/// Ears hear bodies: signals of moving sources in blocks, by one or two microphones, a head or in spherical harmonics. See
/// docs/ear.md.

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
/// Decay of a mode's amplitude by what it radiates [1/s]. Modes are mass-normalised, so that one that rings at z has the energy
/// |z|^2/2 and loses the power P |z|^2: the decay is P. 0 if it is not baked.
double tw_transfer_decay(const twTransfer* transfer, int mode);
/// Put a transfer, which may be the set's own, into a set whose modes then decay by what they radiate too, if their materials have a loss factor.
/// On failure *set is as before.
twStatus tw_transfer_damp(twModeSet** set, const twTransfer* transfer, twError* err);
/// The part of a mode's decay that is sound [1/s]: that of its transfer, if its decay has it.
double tw_radiation_decay(const twModeSet* set, int mode);
/// Power per |z|^2 of a mode whose surface were a large flat piston: rho c/2 times the integral of its squared normal motion. The
/// power of a mode over this is its radiation efficiency: about 1 above coincidence, more only where air resonates in a hollow.
double tw_mode_piston(const twModeSet* set, int mode, double sound_speed, double air_density);
/// How much a mode that radiates a power per |z|^2 counts in what is heard of a body struck anywhere: mean squared shape, times that power,
/// A-weighted, over the first second of its decay. Only ratios mean something.
double tw_mode_loudness(const twModeSet* set, int mode, double power);
/// The same with the power of the transfer.
double tw_transfer_loudness(const twTransfer* transfer, const twModeSet* set, int mode);
/// A transfer without boundary elements: the normal motion of each mode is taken as that of a sphere of the same area,
/// moving at the direction d/R + n what the surface has at distance d from the centre with normal n. Exact for spheres;
/// the strength as a monopole is that of the mode. error_db is 0. @return TW_BAD_INPUT if air or surface are not usable
twStatus tw_transfer_estimate(twTransfer** out, const twModeSet* set, double sound_speed, double air_density,
                              twError* err);
/// The same transfer with every mode up to a frequency: those of order -1 become their estimate, scaled to the power of a piston times the
/// median radiation efficiency of the baked modes within half an octave, if there are any. error_db of these is 0.
twStatus tw_transfer_complete(twTransfer** out, const twTransfer* baked, const twModeSet* set, double max_freq_hz,
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
twRadiatorMotion tw_radiator_motion(const twRodView* rod);  ///< of a rod; holds as long as the view

/// Create a radiator; def is copied. On failure *out is NULL. @return TW_BAD_INPUT naming what is wrong; TW_NO_MEMORY
twStatus tw_radiator_create(twRadiator** out, const twRadiatorDef* def, twError* err);
void tw_radiator_destroy(twRadiator* radiator);  ///< NULL is fine
/// Sources of a motion. They point into the radiator and to the motion's positions, until the next update. Real-time safe.
twSources tw_radiator_update(twRadiator* radiator, const twRadiatorMotion* motion);
/// @return TW_BAD_INPUT, naming the edge, if a place is inside the rod: in the box about its section, or in its circle.
/// Only the motion's positions and directors count.
twStatus tw_radiator_check_place(const twRadiator* radiator, const twRadiatorMotion* motion, twVec3 place,
                                 twError* err);

/// Everything that changes, as bytes at any address, and the same back into a radiator of the same def. What is heard
/// goes on to the bit. The bytes are for the kind of machine that made them.
size_t tw_radiator_state_bytes(const twRadiator* radiator);
void tw_radiator_save(const twRadiator* radiator, void* bytes);  ///< tw_radiator_state_bytes() of them
/// @return false if the bytes are damaged or of another radiator; then nothing has changed
bool tw_radiator_load(twRadiator* radiator, const void* bytes, size_t count);

// ---- listeners ----

/// A point where sound is heard.
typedef struct twListener twListener;

enum
{
    TW_MAX_LISTENER_TRACKS = 64
};
#define TW_FATTEST_CYLINDER 6.5  ///< radius of a track, in samples of the way of sound, that filters follow to 1.3 %

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

/// Everything that changes, as bytes at any address, and the same back into a listener of the same def (wherever it began):
/// sound on its way, places, filters, counts. It goes on to the bit. The bytes are for the kind of machine that made them.
size_t tw_listener_state_bytes(const twListener* listener);  ///< always the same for a def
void tw_listener_save(const twListener* listener, void* bytes);
/// @return false if the bytes are damaged or of another listener; then nothing has changed
bool tw_listener_load(twListener* listener, const void* bytes, size_t count);

// ---- air ----

/// What air takes from a tone on its way [dB/m], after ISO 9613-1: temperature [degrees C], relative humidity [%], pressure
/// [kPa].
double tw_air_absorption(double freq_hz, double temperature, double humidity, double pressure);

// ---- heads ----

/// What a head makes of sound from every direction: impulse responses of its two ears, with their delays apart. Constant
/// once created; any number of ears may share it.
typedef struct twHead twHead;

/// Everything needed to create a head. Start from tw_head_def(). Axes of the head: x forward, y left, z up.
typedef struct twHeadDef
{
    double rate_hz;
    int direction_count;       ///< at least 1
    const twVec3* directions;  ///< from the head's centre to the source, of any length but 0 (directions)
    int taps;                  ///< of each response
    const double* responses;   ///< left, then right, of each direction (directions x 2 x taps)
    const double* delays;      ///< of the responses [samples] (directions x 2); NULL: none
    bool equalize;             ///< divide by what all directions have in common: loudspeaker, ear canal
    bool calibrate;            ///< scale all responses so that a source in front has the level it has without the head
} twHeadDef;
twHeadDef tw_head_def(void);  ///< 48 kHz, nothing measured, as measured but calibrated

/// Create a head; def is copied. On failure *out is NULL. @return TW_BAD_INPUT naming what is wrong; TW_NO_MEMORY
twStatus tw_head_create(twHead** out, const twHeadDef* def, twError* err);
void tw_head_destroy(twHead* head);               ///< NULL is fine
double tw_head_rate(const twHead* head);          ///< [Hz]
int tw_head_taps(const twHead* head);             ///< of the responses kept: a multiple of 8
int tw_head_direction_count(const twHead* head);  ///< of those kept, and those that fill gaps
twVec3 tw_head_direction(const twHead* head, int i);

/// Between the three directions about one. place: in the head's axes, of any length; shorter than 1, it goes over to the
/// mean of all directions at 0. responses: left, right (2 x taps). delays: left, right [samples]; they may be below 0: together
/// with the responses, the middle of the energy of sound from the front is at 0. hint: any number, better the last one for a
/// place nearby. Real-time safe.
void tw_head_at(const twHead* head, twVec3 place, double* responses, double delays[2], int* hint);

// ---- ears ----

/// What hears bodies that move: their signals, block by block.
typedef struct twEar twEar;

typedef enum twEarKind
{
    TW_EAR_MONO,      ///< a point
    TW_EAR_STEREO,    ///< two microphones, left and right
    TW_EAR_BINAURAL,  ///< the two ears of a head
    TW_EAR_AMBIX,     ///< spherical harmonics of first order: W Y Z X (ACN), SN3D
    TW_EAR_KIND_COUNT
} twEarKind;

/// Everything needed to create an ear. Start from tw_ear_def(). Axes of the ear: x forward, y left, z up.
typedef struct twEarDef
{
    twEarKind kind;
    double rate_hz;        ///< samples per second
    double sound_speed;    ///< [m/s]
    twVec3 position;       ///< of the middle, at the start [m]
    twQuat turn;           ///< from the ear's axes to the world's
    double spacing;        ///< stereo: between the microphones [m]
    double angle;          ///< stereo: between their axes [rad]
    double omni;           ///< stereo: 1 hears all directions alike, 0.5 is a cardioid, 0 a figure of eight
    double nearest;        ///< level and direction of sources nearer than this bend smoothly [m]: twice the level at 0
    double farthest;       ///< sources farther than this fade away [m]; memory grows with it
    bool ground;           ///< a plane reflects
    twVec3 ground_point;   ///< [m]
    twVec3 ground_normal;  ///< of any length but 0
    double reflection;     ///< pressure of the reflected sound over that of the incoming one, 0 to 1
    bool air_absorption;   ///< air takes from high frequencies, after ISO 9613-1
    double temperature;    ///< [degrees C]; for absorption only
    double humidity;       ///< relative [%]
    double pressure;       ///< of the air [kPa]
    const twHead* head;    ///< binaural: has to outlive the ear, at the same rate
    int source_count;
    int max_block;  ///< samples in a block at most
} twEarDef;
/// mono at the origin, 48 kHz, air at 20 degrees, 50 % and 101.325 kPa without absorption, 1 cm to 100 m, no ground (else 0.96),
/// stereo: 17 cm and 110 degrees (ORTF), cardioids; one source, blocks of 1024
twEarDef tw_ear_def(void);

/// Create an ear; def is copied. On failure *out is NULL. @return TW_BAD_INPUT naming what is wrong; TW_NO_MEMORY
twStatus tw_ear_create(twEar** out, const twEarDef* def, twError* err);
void tw_ear_destroy(twEar* ear);       ///< NULL is fine
int tw_ear_channels(twEarKind kind);   ///< of what it hears: 1, 2, 2, 4
int tw_ear_latency(const twEar* ear);  ///< output comes this much later than it is heard [samples]
/// Until the last of the sound of a block is out: travel from farthest away, responses and latency [samples]
int tw_ear_tail(const twEar* ear);
/// Points where sound arrives: 1, or 2 of a stereo pair; twice as many with a ground, the mirrored ones last.
int tw_ear_point_count(const twEar* ear);

// The following are real-time safe: they never allocate, print or fail. In a block: move, hear each source at each point, mix.

/// Where the ear is at the end of the coming block. It goes there evenly, unless faster than half the speed of sound: then it
/// jumps. An ear that is not moved stands still.
void tw_ear_move(twEar* ear, twVec3 position, twQuat turn);
twVec3 tw_ear_point(const twEar* ear, int point);  ///< a point in the world at the end of the coming block [m]
/// Hear a block of a source at a point. signal (n) [Pa m]: the pressure it makes times the distance. Its centre goes from
/// `from` (at the first sample) to `to` (at that of the next block) [m]. Sound arrives after (r - lead)/c. A source and point
/// once per block at most; those that are not called are silent. Different sources or points may be called by different
/// threads at the same time, in any order: the result has the same bits.
void tw_ear_hear(twEar* ear, int source, int point, const float* signal, int n, twVec3 from, twVec3 to, double lead);
/// End the block: out (n x channels) becomes the pressure [Pa] tw_ear_latency() samples ago. n as in tw_ear_hear().
void tw_ear_mix(twEar* ear, float* out, int n);

typedef struct twEarStats
{
    int64_t too_near, too_far;  ///< samples of sources nearer than nearest or lead, farther than farthest
    int64_t bad_values;         ///< samples or places that were not finite, and were left out
    int64_t jumps;              ///< of the ear
} twEarStats;
twEarStats tw_ear_stats(const twEar* ear);

#ifdef __cplusplus
}
#endif
