// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"
#include "twang/modal.h"
#include "twang/trace.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Strike: one blow on a body whose modes are known.

/// A hammer on a body. Start from tw_strike_def().
typedef struct twStrikeDef
{
    int vertex;             ///< of the mode set
    double mass, velocity;  ///< of the hammer [kg], [m/s]
    twImpactLaw law;
    double distance;  ///< of the listener [m]
    double rate_hz, duration;
    bool (*keep_going)(double done, void* context);  ///< with the fraction done; false interrupts; may be NULL
    void* context;
} twStrikeDef;
twStrikeDef tw_strike_def(void);  ///< 20 g at 1 m/s, wooden, 1 m, 48 kHz, 3 s

/// Sound pressure [Pa] of the strike at the listener, in a new array of *frames samples; free() it. Modes above 20 kHz or
/// half the rate are left out; a free body recoils as a whole. Radiation is estimated per mode as that of a sphere of the same area: the mean normal
/// motion as a monopole, the rest as a dipole. @return TW_BAD_INPUT if nothing of the body is heard.
twStatus tw_strike(float** out, int64_t* frames, const twModeSet* set, const twStrikeDef* def, twError* err);

/// How the motion of a struck body is recorded. Start from tw_strike_record_def().
typedef struct twStrikeRecord
{
    const char* path;  ///< of the trace
    const char *name, *material, *title;
    const char* sound;  ///< name of the sound, from the trace's folder; not named if the film is slower
    double frame_rate_hz;
    double slow;     ///< how many times slower than it happens: frames are 1/(frame_rate_hz slow) apart in the model
    double longest;  ///< of the film [s]; 0: all
    bool recoil;     ///< a free body moves off as a whole; false: it is held in place, softly
} twStrikeRecord;
twStrikeRecord tw_strike_record_def(void);  ///< 60 frames per second, as fast as it happens, held in place

/// The same sound, and the motion of the same modes into a trace with one body; the hammer's force is a series and an arrow
/// (the largest until the next frame). *trace: to be committed or aborted by the caller. Amplitudes are those at the time
/// of the frame: modes above half of frame_rate_hz slow are seen at a lower frequency than they have.
twStatus tw_strike_record(float** out, int64_t* frames, twTraceWriter** trace, const twModeSet* set,
                          const twStrikeDef* def, const twStrikeRecord* record, twError* err);

#ifdef __cplusplus
}
#endif
