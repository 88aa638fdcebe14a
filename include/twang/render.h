// SPDX-License-Identifier: MIT
#pragma once
#include "twang/listen.h"
#include "twang/scene.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Render: from a scene to sound, spectrograms, motion and a report.

typedef struct twRenderDef
{
    const char* folder;  ///< made if missing
    bool no_picture;
    bool (*keep_going)(double done, void* context);  ///< called with the fraction done; false interrupts; may be NULL
    void* context;

    // of scenes with bodies
    bool resume;                ///< go on with a render to that folder that was interrupted
    double checkpoint_seconds;  ///< least time between two checkpoints, from which it could go on; 0: 1 s
    const char* cache_folder;   ///< of modes that were found before; NULL: none
    bool (*keep_baking)(const char* stage, double done, void* context);  ///< while modes are looked for; may be NULL
    bool (*keep_hearing)(double done, void* context);                    ///< while their sound is made; may be NULL
    int threads;                                                         ///< of the sound; 0: all processors
} twRenderDef;

typedef struct twRenderOutput
{
    char wav[512], png[512];  ///< paths; png empty without picture
    double gain;              ///< physical value to sample value
    bool faded;               ///< its end would have been a step
    twLevel level;            ///< of the file
} twRenderOutput;

typedef struct twRenderRod
{
    twRodStats stats;
    twRodEnergy start, end;
    double largest_energy;  ///< of what was looked at, some hundred times a second [J]
    double largest_rise;    ///< between two looks, of its energy beyond the work done on it; by itself only [J]
    double total_rise;      ///< all of them together [J]
    bool below_ground;      ///< a part of it was, for a time
} twRenderRod;

#define TW_DOF_BINS 24

/// How a grab went, as far as it was looked at, 500 times a second.
typedef struct twRenderGrab
{
    double error;             ///< largest distance from the target, of positions [m]
    double force;             ///< largest of a place [N]
    bool limited, powerless;  ///< it gave way; its places could not move its point, see twGrabView
} twRenderGrab;

/// How a world of bodies went.
typedef struct twRenderWorld
{
    bool given;
    twWorldStats stats;
    twWorldEnergy energy;           ///< at the end
    double largest_energy;          ///< kinetic, elastic and of contacts, of a frame [J]
    double mean_dof;                ///< active degrees of freedom, over all frames
    int64_t dof_bins[TW_DOF_BINS];  ///< frames with 0, 1, 2 to 3, 4 to 7 ... of them
    double resumed_at;              ///< in the model [s]; 0: it was not
    double make_seconds, seconds;   ///< to make bodies with their modes, to move them
    twRenderGrab* grabs;            ///< (grabs)
    double outside;                 ///< largest distance of an embedded surface from its tets, over the body's size
    char note[1024];                ///< what was done to a surface; "" if nothing
} twRenderWorld;

/// How a render stands up to what every one must hold, the same for all kinds of scenes.
typedef struct twRenderCheck
{
    bool given;
    double seconds;       ///< of the model
    double cost;          ///< time computed per second of the model, modes not counted [s/s]
    double energy_rise;   ///< largest in a step that no work explains; of rods alone in some steps [J]
    double energy_rises;  ///< all of them together [J]
    double energy_most;   ///< the most there was, or came in [J]
    int64_t failures;     ///< solves that missed their tolerance
    int64_t not_finite;   ///< bodies lost, objects reset, rods stopped, values left out
    double peak_dbfs;     ///< of all outputs; -INFINITY: silence, or none
    double
        rest_db;  ///< last 0.1 s against the loudest 10 ms (of pressure at least 60 dB SPL), most of the outputs; NAN: no sound
} twRenderCheck;
#define TW_CHECK_REST_DB (-60)                        ///< what rest_db must be below where all is at rest in the end
bool tw_check_passive(const twRenderCheck* check);    ///< rises together are below 1e-6 of the most there was
bool tw_check_finite(const twRenderCheck* check);     ///< nothing was infinite
bool tw_check_unclipped(const twRenderCheck* check);  ///< no sample beyond full scale
bool tw_check_silent(const twRenderCheck* check);     ///< at the end; to be asked where a scene ends at rest
/// From a report.json. @return TW_BAD_INPUT if it is none, or of an earlier version; TW_IO_ERROR
twStatus tw_render_check_load(twRenderCheck* out, const char* path, twError* err);

/// Modes of the bodies of one shape of a scene.
typedef struct twRenderModes
{
    int body, bodies;              ///< the first of them in the scene, and how many
    int count;                     ///< modes
    int acting;                    ///< those that act back on the motion
    char rigid[256];               ///< why there are none; "" if there are
    double error;                  ///< estimate for the frequencies, relative, the largest; 0: none
    double error_known;            ///< the largest of those that are known
    int unknown_modes;             ///< the others (TW_BAKE_UNKNOWN)
    bool one_sided;                ///< they are too high, if anything
    int radiated, radiation_left;  ///< modes whose radiation was computed, and estimated beside those
    double radiation_left_db;      ///< loudness of the latter over that of all [dB]
} twRenderModes;

typedef struct twRenderReport
{
    int output_count;
    twRenderOutput* outputs;
    char json[512];  ///< path of report.json
    int64_t frames;  ///< samples of a channel
    double tail;     ///< how much longer than the scene bodies ring [s]
    double sound_seconds, compute_seconds;
    twNetStats stats;
    twNetEnergy energy;
    int rod_count;
    twRenderRod* rods;           ///< (rods)
    twListenerStats* listeners;  ///< (listeners)
    double motion_seconds, radiation_seconds;
    twRenderWorld world;  ///< of bodies
    int modes_count;
    twRenderModes* modes;    ///< of bodies, by shape
    bool heard;              ///< somebody heard them:
    twListenReport hearing;  ///< how that went
    twRenderCheck check;     ///< what every render must hold
    char trace[512];         ///< path of the recorded motion; empty without
    char before[512];        ///< folder that the scene it begins from had to be rendered to first; empty: none
    twError trouble;         ///< why a spectrogram or the motion could not be written; TW_OK if they are there
} twRenderReport;

/// What tw_scene_start() finds.
typedef struct twStartTrace
{
    char path[512];
    twTrace* trace;  ///< to be destroyed; NULL: the scene begins as it says itself
    twHash hash;     ///< of its end; 0: none
} twStartTrace;
/// The trace that a scene begins from, if it is rendered to a folder, with everything in it that is needed.
/// @return TW_BAD_INPUT with the place in the scene and what is wrong: it is not there, not whole, or of another text of its scene
twStatus tw_scene_start(twStartTrace* out, const twScene* scene, const char* folder, twError* err);

/// Render every output to folder/<name>.wav and a spectrogram, and folder/report.json. Files appear whole or not at all, and
/// none before all sound is on the disk. A disk with room for the sound alone gets the sound: see report->trouble. The spectrograms and the trace of an earlier render to the folder go, even if this one makes none. report is
/// filled on success; free it with tw_render_report_free(). A scene with bodies may have no output. If its render is interrupted or fails, what was simulated stays
/// in folder/trace.twtrace.part, and a render with resume goes on from there and ends with the same files. A scene that begins where
/// another ends renders that one first, to the folder of its name beside this one, unless its trace is there (report->before).
/// @return TW_BAD_INPUT at once if another render writes to the folder
twStatus tw_render(const twScene* scene, const twRenderDef* def, twRenderReport* report, twError* err);
void tw_render_report_free(twRenderReport* report);

#ifdef __cplusplus
}
#endif
