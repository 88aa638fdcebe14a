// SPDX-License-Identifier: MIT
#pragma once
#include "twang/acoustics.h"
#include "twang/trace.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Sound: from a trace to what is heard (docs/sound.md). Every force of the trace rings all modes of the bodies it acts on, whether
/// or not they took part in the simulation; contacts damp them; each mode radiates by its acoustic transfer, and each body clicks
/// when it is accelerated as a whole; a ground that is a board answers; ears hear that where they are. Nothing is simulated again, so other damping, other places
/// and other ears take seconds. Memory does not grow with the length of the trace; the bits of the result do not depend on the
/// number of threads.

/// What is changed about a body of the trace.
typedef struct twSoundBody
{
    const twTransfer* transfer;  ///< of its modes; has to outlive the sound; NULL: that of its mode set, or an estimate
    const double* decay;         ///< (modes of its set) [1/s], copied; NULL: as in the set
    double contact_damping;      ///< gamma [s/m]; below 0: by its material
    double gain;                 ///< of all it sounds
    bool held;                   ///< forces do not move it: no click; what the trace says is held is so in any case
} twSoundBody;
twSoundBody tw_sound_body(void);                           ///< as it is in the trace
double tw_sound_contact_damping(const twTraceBody* body);  ///< gamma as the trace has it, or by its material [s/m]

/// One that listens.
typedef struct twSoundEar
{
    twEarDef def;  ///< its rate, air, source_count and max_block are set by the sound
    /// Where it is at a time, if it moves; may be NULL.
    void (*place)(void* context, double time, twVec3* position, twQuat* turn);
    void* context;
} twSoundEar;

typedef enum twRedistribution
{
    TW_REDISTRIBUTE_AUTO,  ///< for traces made by a hard solver, whose forces are not unique
    TW_REDISTRIBUTE_ON,
    TW_REDISTRIBUTE_OFF,
} twRedistribution;

/// Everything needed to make sound of a trace. Start from tw_sound_def().
typedef struct twSoundDef
{
    const char* path;  ///< of the trace, finished or not
    double rate_hz;
    twPrecision precision;
    int threads;
    double sound_speed;    ///< [m/s]
    double air_density;    ///< [kg/m^3]
    double max_freq_hz;    ///< modes above are not heard; at most 0.49 of the rate
    double highpass_hz;    ///< below: held forces and slow motion, no sound; 0: none
    double tail;           ///< how long sound goes on after the trace [s]
    double ring;           ///< and then at most so much longer, until it is 60 dB below its peak [s]
    bool clicks;           ///< of bodies that are accelerated as a whole
    bool board;            ///< the ground sounds, if the trace says that it is a board
    bool contact_damping;  ///< contacts damp the modes of what they touch
    bool
        full_damping;  ///< by the whole matrix, which couples modes, instead of its diagonal; for up to 512 modes a body
    double damping_slide;  ///< mu: damping along the surface over that towards it
    twRedistribution redistribution;
    int ear_count;
    const twSoundEar* ears;     ///< (ears)
    const twSoundBody* bodies;  ///< (bodies of the trace); NULL: all as they are
} twSoundDef;
/// 48 kHz, float, one thread, air at 20 degrees, up to 20 kHz, high-pass at 10 Hz, clicks, board, damping of contacts by the diagonal with
/// mu 0.5, ends with the trace, no ears
twSoundDef tw_sound_def(void);

/// A sound that is being made.
typedef struct twSound twSound;

/// Open a trace and make ready. On failure *out is NULL. @return TW_BAD_INPUT naming what is wrong, TW_NO_MEMORY
twStatus tw_sound_open(twSound** out, const twSoundDef* def, twError* err);
void tw_sound_close(twSound* sound);                  ///< NULL is fine
const twTrace* tw_sound_trace(const twSound* sound);  ///< what the trace has, without frames and forces

/// The next samples of every ear: sound[e] points to *frames x channels of it, interleaved [Pa], until the next call. *frames is 0 at
/// the end. The first sample is at the time of the first frame of the trace.
/// @return TW_IO_ERROR, TW_NO_MEMORY. A damaged trace is no failure: it sounds up to the damage, see the report
twStatus tw_sound_next(twSound* sound, const float* const** sounds, int* frames, twError* err);

/// How it went so far.
typedef struct twSoundReport
{
    int bodies;                             ///< that can be heard
    int modes;                              ///< of them
    int baked, estimated;                   ///< bodies by how their modes radiate
    int64_t frames;                         ///< given
    double share;                           ///< of the trace that is read, 0 to 1
    double duration;                        ///< of the trace [s]; below 0: not known yet
    double rang;                            ///< longer than trace and tail [s]
    bool faded;                             ///< its end, which was above -80 dB of its peak
    bool redistributed;                     ///< forces were
    double board;                           ///< mass per area of the ground that is heard [kg/m^2]; 0: it is silent
    int boards;                             ///< grounds and fixed bodies that are
    bool complete;                          ///< nothing of the trace is lost
    const char* lost;                       ///< what is; "" if complete
    int64_t too_near, too_far, bad_values;  ///< see twEarStats
} twSoundReport;
twSoundReport tw_sound_report(const twSound* sound);

#ifdef __cplusplus
}
#endif
