// SPDX-License-Identifier: MIT
#pragma once
#include "twang/scene.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Listen: the sound of a trace.

/// How a body is to sound otherwise than it is in the trace. Start from tw_listen_body().
typedef struct twListenBody
{
    const char* name;        ///< of the body, or of all copies of one; NULL: every body
    double gain;             ///< of all it sounds
    double damping;          ///< factor of the decay of its modes
    bool rayleigh;           ///< which comes from alpha and beta instead of the trace
    double alpha, beta;      ///< [1/s], [s]
    double contact_damping;  ///< factor of its contact damping
} twListenBody;
twListenBody tw_listen_body(void);  ///< every body as it is

/// Who listens to a trace, and how. Start from tw_listen_def().
typedef struct twListenDef
{
    twSoundDef
        sound;  ///< the trace and what is heard of it; threads 0: all processors. Ears and bodies come from below
    int ear_count, body_count;
    const twSceneEar* ears;                          ///< (ears)
    const twListenBody* bodies;                      ///< (bodies) one on top of the other
    bool no_ground;                                  ///< the ground of the trace does not reflect
    const char* cache_folder;                        ///< of acoustic transfers that were baked before; NULL: none
    bool (*keep_going)(double done, void* context);  ///< with the fraction done; false interrupts; may be NULL
    void* context;
} twListenDef;
twListenDef tw_listen_def(void);  ///< as tw_sound_def(), nobody listens

/// How it went.
typedef struct twListenReport
{
    twSoundReport sound;  ///< its `lost` is the one below
    char lost[512];       ///< what of the trace is; "" if nothing
    char note[512];       ///< what is otherwise than it was wished; "" if nothing
    double seconds;       ///< it took
} twListenReport;

/// Whether something in a trace answers as a board (docs/sound.md), as its numbers before the first frame say.
bool tw_listen_board(const char* path);
/// What every ear hears next: sounds (ears) of (frames x channels) [Pa].
typedef twStatus (*twListenTake)(const float* const* sounds, int frames, void* context, twError* err);
/// Make sound of a trace and give it to take, piece by piece. A damaged trace sounds up to the damage: see the report.
/// @return TW_BAD_INPUT naming what is wrong, TW_IO_ERROR, TW_NO_MEMORY, TW_INTERRUPTED, or what take returns
twStatus tw_listen(const twListenDef* def, twListenTake take, void* context, twListenReport* report, twError* err);

/// Files of what is heard. Start from tw_listen_files().
typedef struct twListenFiles
{
    const char* folder;  ///< made if missing
    bool no_picture;
    twWavFormat format;
    twLevelKind level;
    double level_value;
} twListenFiles;
twListenFiles tw_listen_files(void);  ///< floats, 1.0 = 20 Pa, with pictures

/// What became of an ear.
typedef struct twListenFile
{
    char wav[512], png[512];  ///< paths; png empty without picture
    int channels;
    double peak;    ///< [Pa]
    double gain;    ///< pressure to sample value
    twLevel level;  ///< of the file
} twListenFile;
/// Sound of a trace as folder/<ear>.wav and <ear>-spectrogram.png; out (ears). Memory does not grow with its length: samples wait
/// in an unnamed file until their level is known. Files appear whole, all or none.
twStatus tw_listen_save(const twListenDef* def, const twListenFiles* files, twListenFile* out, twListenReport* report,
                        twError* err);

#ifdef __cplusplus
}
#endif
