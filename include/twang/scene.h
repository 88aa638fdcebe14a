// SPDX-License-Identifier: MIT
#pragma once
#include "twang/acoustics.h"
#include "twang/contact.h"
#include "twang/dynamics.h"
#include "twang/import.h"
#include "twang/media.h"
#include "twang/mesh.h"
#include "twang/picture.h"
#include "twang/rod.h"
#include "twang/sound.h"
#include "twang/stage.h"
#include "twang/trace.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Scene: a YAML file of objects, interactions, controls and outputs, and its rendering. docs/scene.md is the reference.

#define TW_RUB_COLUMNS 7
#define TW_MAX_SCENE_RODS 256
#define TW_MAX_SCENE_LISTENERS 64
#define TW_MAX_KEYFRAMES 100000                  ///< of one signal; a 'wav' may be longer
#define TW_MAX_SCENE_BODIES (TW_MAX_BODIES - 1)  ///< the ground is one too

// ---- parts of a body ----

typedef enum twPartKind
{
    TW_PART_POINT,   ///< what is nearest to centre
    TW_PART_BALL,    ///< within radius of centre
    TW_PART_BOX,     ///< from low to high, which may be infinite
    TW_PART_REGION,  ///< a region of a tet file, by name or number
} twPartKind;

/// Where on or in a body. Plain data; metres, after scaling.
typedef struct twPart
{
    twPartKind kind;
    twVec3 centre;
    double radius;
    twVec3 low, high;
    char region[64];
} twPart;

/// From text: "X,Y,Z" (a point), "ball:X,Y,Z,R" (or "X,Y,Z,R"), "box:X0,Y0,Z0,X1,Y1,Z1", "x<A", "x>A" (y, z), or
/// "region:NAME" (or NAME, if that is none of the others). @return TW_BAD_INPUT with the syntax
twStatus tw_part_parse(twPart* out, const char* text, twError* err);
const char* tw_part_text(char* out, size_t bytes, const twPart* part);  ///< as it can be parsed. @return out
double tw_part_distance(const twPart* part, twVec3 point);              ///< 0 inside; not for regions [m]

// ---- baking: from a mesh or shape to its modes ----

/// A part of a body that is made of something else. Elements belong to it whose centre lies in it; a part that no centre
/// lies in is the element nearest to it.
typedef struct twBakeRegion
{
    twPart part;
    twMaterial material;
} twBakeRegion;

/// What to analyse, and how well. Start from tw_bake_def().
typedef struct twBakeDef
{
    const char* source;   ///< a shape ("bar:0.3x0.02x0.01"), a surface file, or a tet file (.msh, .node, .ele)
    const twMesh* mesh;   ///< a surface instead, which source is only the name of; NULL: none
    double scale;         ///< of a file's coordinates: 0.001 for mm
    twMaterial material;  ///< of all that no region claims
    int region_count;
    const twBakeRegion* regions;  ///< (regions) where they overlap the later one wins
    bool no_rest;                 ///< the regions must claim all of the body
    twDamping damping;
    int decay_count;          ///< one per mode that is found, for TW_DAMPING_MODES
    const double* decay;      ///< [1/s]
    bool linear;              ///< 4-node elements
    int count;                ///< elastic modes wanted; 0: all up to max_freq_hz
    double max_freq_hz;       ///< 0: no limit
    double accuracy;          ///< wanted relative error of the lowest ten frequencies, higher ones k/10 times that;
                              ///< 0: 0.1 %, bodies with walls below a tenth of their size 0.2 %
    size_t max_memory_bytes;  ///< 0: what the machine has free
    int max_nodes;            ///< meshes with more are not made for the sake of accuracy; 0: no limit
    int hold_count;
    const twPart* holds;                                                ///< (holds) where the body cannot move
    bool with_tets;                                                     ///< keep the tets and the motion inside
    const char* cache_folder;                                           ///< NULL: no cache
    size_t cache_max_bytes;                                             ///< what was not used for longest is removed
    bool (*keep_going)(const char* stage, double done, void* context);  ///< may be NULL
    void* context;
} twBakeDef;
twBakeDef tw_bake_def(void);  ///< steel with its own damping, 32 modes, quadratic, usual accuracy, cache of 4 GB

/// How an analysis went. From the cache it is the report of the analysis that made the result.
typedef struct twBakeReport
{
    bool cached;                               ///< found in the cache
    int nodes, elements, rigid_modes, levels;  ///< of the last level; levels: meshes analysed
    int held_nodes;                            ///< of the last level
    double size;                               ///< longest side of the body's box; known even if the rest failed [m]
    double error_estimate;                     ///< relative; 0: not estimated (a given tet mesh)
    double mesh_seconds, assemble_seconds, order_seconds, factor_seconds, solve_seconds, total_seconds;
    double load_seconds;  ///< to get it from the cache
    size_t peak_memory_bytes;
    char note[1024];  ///< what was done to the surface, or what stopped the refinement; "" if nothing
} twBakeReport;

/// The modes of a body. Meshes are refined until two of them agree to the wanted accuracy or the memory ends.
/// @return TW_BAD_INPUT naming what is wrong, TW_NO_MEMORY, TW_INTERRUPTED. A cache that cannot be used is no failure.
twStatus tw_bake(twModeSet** out, const twBakeDef* def, twBakeReport* report, twError* err);
/// Whether a body whose longest side is size [m] is rather one in other units: over 30 m, or under 1 mm.
bool tw_bake_odd_size(double size);
/// The user's cache folder for Twang, from the environment. @return out
const char* tw_cache_folder(char* out, size_t bytes);

// ---- the sound of modes in the air ----

/// How a mode went.
typedef struct twTransferModeReport
{
    bool baked;              ///< false: above the limit, or it failed
    bool cached;             ///< found in the cache
    int panels;              ///< of the boundary elements
    double panels_per_wave;  ///< wavelength over the longest edge; below 6 details are lost, below 3 most of it
    double seconds;          ///< it took when it was made
    double efficiency;       ///< radiated power over that of as large a piston in a wall at high frequency, same motion
} twTransferModeReport;

/// What to bake, and how well. Start from tw_transfer_bake_def().
typedef struct twTransferBakeDef
{
    const twModeSet* set;             ///< its surface must be closed
    double sound_speed, air_density;  ///< [m/s], [kg/m^3]
    double max_freq_hz;               ///< modes above are not baked
    int min_panels, max_panels;       ///< in between as many as the wavelength needs
    int threads;                      ///< a mode each; results do not depend on it; 0: all processors
    size_t max_memory_bytes;          ///< of all threads together; 0: what the machine has free
    const char* cache_folder;         ///< results are kept mode by mode; NULL: no cache
    /// Modes done of all that are to be baked, and the fraction of the work. False interrupts: what is done stays in the
    /// cache. Called by the caller's thread, several times a second. May be NULL.
    bool (*keep_going)(int done, int count, double fraction, void* context);
    void* context;
    twTransferModeReport* modes;  ///< (modes of the set), filled; may be NULL
} twTransferBakeDef;
twTransferBakeDef
tw_transfer_bake_def(const twModeSet* set);  ///< air at 20 degrees, 20 kHz, 1000 to 2000 panels, no cache

/// How it went.
typedef struct twTransferBakeReport
{
    int wanted, baked, cached, failed;  ///< modes below the limit; done, of them from the cache; that did not converge
    double seconds;
    char note[512];  ///< what falls short; "" if nothing
} twTransferBakeReport;

/// The acoustic transfer of the modes of a body, by boundary elements on a coarse copy of its surface: each mode's flux
/// through a panel is that through the part of the surface that the panel stands for. On failure *out is NULL.
/// @return TW_BAD_INPUT if the surface is open or a limit is not usable; TW_NO_MEMORY, TW_INTERRUPTED
twStatus tw_bake_transfer(twTransfer** out, const twTransferBakeDef* def, twTransferBakeReport* report, twError* err);
/// What the cache has of the modes of a set, in such air, baked with whatever settings; modes it does not have are of order
/// -1. NULL if it has none. Free it with tw_transfer_destroy().
twTransfer* tw_transfer_find(const twModeSet* set, const char* cache_folder, double sound_speed, double air_density);

// ---- one strike on a baked body ----

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
twStrikeDef tw_strike_def(void);  ///< 20 g at 1 m/s, wooden, 1 m, 44.1 kHz, 3 s

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

// ---- signals: values that change in time ----

typedef enum twSignalKind
{
    TW_SIGNAL_CONSTANT,
    TW_SIGNAL_KEYFRAMES,  ///< values at times; a ramp is two of them
    TW_SIGNAL_NOISE,      ///< mean + amount * fractal noise
    TW_SIGNAL_TABLE,      ///< samples at a rate of their own (WAV)
    TW_SIGNAL_SINE,       ///< mean + amount * sin(2 pi freq_hz t + phase)
} twSignalKind;

typedef enum twInterpolation
{
    TW_LINEAR,
    TW_SMOOTH,  ///< level at every keyframe: 3 t^2 - 2 t^3
    TW_STEP,    ///< hold until the next keyframe
} twInterpolation;

/// What a value does in time. Plain data; arrays belong to the scene.
typedef struct twSignal
{
    twSignalKind kind;
    double value;   ///< constant; mean of noise or sine; added to a table
    double amount;  ///< RMS of noise; amplitude of a sine; factor of a table
    double beta;    ///< spectrum of noise
    uint64_t seed;
    twInterpolation interpolation;
    int count;
    const double* times;   ///< keyframes (count) [s], rising
    const double* values;  ///< keyframes or table (count)
    double table_rate_hz;
    double freq_hz, phase;  ///< of a sine [rad]
} twSignal;

twSignal tw_signal_constant(double value);
/// Value at time t; noise is drawn from the caller's generator (made by tw_noise(signal->beta, ...)). Real-time safe.
double tw_signal_value(const twSignal* signal, double t, twNoise* noise);
/// Its slope [1/s], to the right where it has a kink; 0 for noise and steps. Real-time safe.
double tw_signal_rate(const twSignal* signal, double t);

// ---- what a scene says ----

typedef struct twSceneObject
{
    const char* name;
    twModes* modes;
    int point_count, pickup_count;
    const char* const* point_names;
    const char* const* pickup_names;
    double* displacement;  ///< initial (modes)
    double* velocity;      ///< initial (modes) [m/s]
    bool rigid;            ///< all modes at 0 Hz: it makes no sound of its own
} twSceneObject;

typedef enum twMotionKind
{
    TW_MOTION_NONE,
    TW_MOTION_ROLLING,   ///< the exciter rolls over a profile
    TW_MOTION_SCRAPING,  ///< a profile is swept under the exciter
    TW_MOTION_BOUNCING,  ///< the exciter falls under its weight
} twMotionKind;

/// Control layer of one interaction.
typedef struct twSceneMotion
{
    twMotionKind kind;
    double gravity;  ///< weight of the exciter [m/s^2]
    double radius, asymmetry, irregularity;
    uint64_t seed;
    twSignal speed;  ///< along the profile [m/s]
    twSignal press;  ///< extra force on the exciter toward the resonator [N]
    twProfileDef profile;
} twSceneMotion;

typedef struct twSceneContact
{
    const char* name;
    twContactDef def;
    twSceneMotion motion;
    bool has_normal_force;
    twSignal normal_force;  ///< of friction without impact
    bool has_pointer;
    twSignal pointer_x, pointer_y;
    twPointer pointer;
} twSceneContact;

typedef struct twSceneForce
{
    int object, point;
    twSignal value;  ///< [N]
} twSceneForce;

/// A rigid object thrown at a time from where it just touches.
typedef struct twSceneStrike
{
    int object;
    double time, velocity;
} twSceneStrike;

/// A support of a rod that moves: its displacement from where it began.
typedef struct twSceneMove
{
    int support;
    twSignal along[3];  ///< x, y, z [m]
} twSceneMove;

/// A point of a rod that a body holds.
typedef struct twSceneTie
{
    const char* where;
    int point;
    int body;          ///< of the scene's
    bool clamped;      ///< it does not turn against the body either
    double stiffness;  ///< [N/m]; 0: as stiff as steps allow
} twSceneTie;

typedef struct twSceneRod
{
    const char *name, *where;
    const char* material;
    twRodDef def;  ///< its arrays belong to the scene
    int corner_count;
    const double* corners;  ///< of its outline, as in twTraceRod
    int move_count;
    twSceneMove* moves;
    bool silent_ends, stiff_sides;  ///< lengthwise motion makes no sound at the ends, the sides
    bool uniform;                   ///< one dipole for all directions across
    bool exact;                     ///< sound of an exact cylinder, for round sections

    // of rods that touch
    int surface;        ///< of the scene's surfaces
    bool ghost;         ///< touches nothing
    bool no_self;       ///< does not touch itself
    double calm_speed;  ///< slower motion that is not rigid is damped [m/s]; 0: none
    int tie_count;
    const twSceneTie* ties;
} twSceneRod;

/// What bodies are made from; equal ones share it.
typedef struct twSceneShape
{
    const char* where;   ///< the body that has it first: "file:line:column"
    const char* source;  ///< a procedural shape, or the path of a mesh
    const twMesh* mesh;  ///< of an imported file, which source names then; NULL: none
    double scale;        ///< of a file's coordinates
    twMaterial material;
    double mass;         ///< [kg]; 0: by the material
    double edge;         ///< of the triangles of a rigid procedural shape [m]; 0: by its size
    double ball_radius;  ///< above 0: a rigid sphere [m]
    bool flexible;
    int mode_count;      ///< to be found, of a flexible one; 0: all up to 20 kHz
    double max_freq_hz;  ///< modes above do not take part in the motion
    double accuracy;     ///< see twBakeDef
    int max_nodes;       ///< of the mesh of the analysis; 0: by accuracy
    int hold_count;
    const twPart* holds;  ///< (holds)
    int region_count;
    const twBakeRegion* regions;  ///< (regions) parts of another material
    const char* cover;            ///< path of the mesh that is drawn instead, embedded in the tets; NULL: none
} twSceneShape;

/// How a body is moved: from where it was put, by a displacement and a turn about an axis through a place.
typedef struct twSceneDrive
{
    twBodyMotion start;
    twSignal along[3];       ///< x, y, z [m]
    twVec3 axis, about;      ///< unit; [m]
    twSignal angle;          ///< [degrees]
    const twImport* import;  ///< whose body `imported` it follows instead of all that; NULL: none
    int imported;
} twSceneDrive;

/// Where a driven body is, and how it moves.
twBodyMotion tw_scene_drive(const twSceneDrive* drive, double time);

typedef struct twSceneBody
{
    const char *name, *where;
    int shape;    ///< of the scene's shapes
    int surface;  ///< of the scene's surfaces
    twBodyKind kind;
    twBodyMotion motion;        ///< at the start
    const twSceneDrive* drive;  ///< of a moved one
    bool bent;                  ///< by a force that lets go at the start
    twVec3 bend_at;             ///< in the mesh's coordinates [m]
    twVec3 bend_force;          ///< in the world [N]
    double roughness, grain;    ///< as in twBodyDef
    double gain;                ///< of all it sounds
    double contact_damping;     ///< gamma [s/m]; 0: by its material
    bool warp, ghost;           ///< on a stage: see twStageBodyDef
} twSceneBody;

/// What is felt where a body touches.
typedef struct twSceneSurface
{
    const char* material;
    twContactMaterial contact;
} twSceneSurface;

/// How two materials touch. NaN: as it follows from them.
typedef struct twSceneTouch
{
    const char *where, *material[2];
    double stiffness, exponent, dissipation, restitution, stick, slide, bristle_stiffness, bristle_damping, rolling;
} twSceneTouch;

typedef struct twSceneJoint
{
    const char* where;
    twJointDef def;  ///< bodies are the scene's
} twSceneJoint;

typedef struct twScenePush
{
    const char* where;
    int body;
    bool centre;     ///< at the mass centre
    twVec3 at;       ///< else near here, in the mesh's coordinates [m]
    twVec3 force;    ///< [N]; of a tap at its peak
    twSignal value;  ///< factor of the force
    bool tap;        ///< half a sine
    double begin, end;
} twScenePush;

// ---- what happens on a stage ----

#define TW_MAX_GRAB_PLACES 64  ///< of one grab

/// A place on a body, near here in the coordinates of its mesh [m].
typedef struct twScenePlace
{
    int body;
    twVec3 at;
} twScenePlace;

typedef enum twSceneAim
{
    TW_AIM_HERE,   ///< where (how fast) it is when it is grabbed
    TW_AIM_GIVEN,  ///< a place or value that may change in time
    TW_AIM_MOVE,   ///< from where it is grabbed by a displacement and a turn
    TW_AIM_BODY,   ///< a place on another body
} twSceneAim;

/// Places of a body that are held for a time.
typedef struct twSceneGrab
{
    const char *name, *where;
    twGrabKind kind;
    int body, place_count;
    const twVec3* places;  ///< (places) as in twScenePlace; each is held by itself
    double begin, end;     ///< [s]
    double ease, max_force;
    bool along[3];
    twSceneAim aim;
    twSignal to[3];            ///< x, y, z, given
    const twSceneDrive* move;  ///< its start is not used
    bool about_here;           ///< the turn is about where the first place is when it is grabbed
    twScenePlace other;
    int push_count;
    twScenePlace pushes[TW_MAX_GRAB_PUSHES];  ///< where the forces act, if not there
} twSceneGrab;

/// A body gets another velocity.
typedef struct twSceneThrow
{
    const char* where;
    int body;
    double time;
    bool has_velocity, has_spin;
    twVec3 velocity, spin;  ///< of the origin of its coordinates [m/s]; [rad/s]
} twSceneThrow;

/// A plane that bodies do not go through.
typedef struct twSceneGround
{
    bool given;
    twVec3 point, normal;  ///< unit
    int surface;           ///< of the scene's surfaces
} twSceneGround;

/// Somebody who hears bodies.
typedef struct twSceneEar
{
    const char* name;
    twEarDef def;  ///< its rate, speed of sound, sources and head are set when it listens
    bool placed;   ///< false: it is where the camera of the trace is, or in front of what there is, and looks there
    bool looks;    ///< at a place; false: at the camera's target, or the middle of what there is
    twVec3 look;   ///< that place [m]
    bool moves;    ///< it goes along
    twSignal along[3];   ///< x, y, z [m]
    const char* hrtf;    ///< SOFA file of a binaural one; NULL: the usual head
    bool may_be_stereo;  ///< if that cannot be had
} twSceneEar;
twSceneEar tw_scene_ear(void);  ///< binaural, not placed, of the usual head

/// How the bodies of a scene are made to sound; the rest of twSoundDef is as it is.
typedef struct twSceneSound
{
    bool clicks, full_damping;
    double contact_damping;  ///< factor of the materials' own; 0: none
    double max_freq_hz, highpass_hz;
    double sound_speed, air_density;  ///< [m/s], [kg/m^3]
    twRedistribution redistribution;
} twSceneSound;

/// Somebody who hears the rods or bodies, or picks up the motion of one.
typedef struct twSceneListener
{
    const char* name;
    twListenerDef def;      ///< of rods
    const twSceneEar* ear;  ///< in a world, see tw_scene_has_world(); NULL: a pickup
    bool moves;
    twSignal along[3];  ///< where it is if it moves: x, y, z [m]
    int pickup_rod;     ///< hears the velocity of one point instead of all sound; -1: does not
    int pickup_point;
    int pickup_body;          ///< the same of a body; -1: does not
    twVec3 pickup_at;         ///< near here, in the coordinates of the body's mesh [m]
    twVec3 pickup_direction;  ///< unit
    int track;                ///< the first of its tracks of the trace; -1: none
} twSceneListener;

typedef enum twSoundQuantity
{
    TW_SOUND_DISPLACEMENT,
    TW_SOUND_VELOCITY,
    TW_SOUND_ACCELERATION,
    TW_SOUND_PRESSURE,  ///< at a listener
} twSoundQuantity;

typedef enum twLevelKind
{
    TW_LEVEL_PEAK,      ///< scaled to a peak [dBFS]
    TW_LEVEL_LOUDNESS,  ///< scaled to a loudness [LUFS]
    TW_LEVEL_GAIN,      ///< physical value times a fixed factor
} twLevelKind;

typedef struct twSceneTerm
{
    int listener;  ///< -1: a pickup of an object
    int object, pickup;
    double gain, pan;  ///< pan -1 left .. 1 right
} twSceneTerm;

typedef struct twSceneOutput
{
    const char* name;  ///< of the file, without .wav
    twSoundQuantity quantity;
    bool heard;    ///< by listeners, not picked up at objects
    int channels;  ///< 2 if any term is panned; those of an ear that hears bodies
    int term_count;
    twSceneTerm* terms;
    twWavFormat format;
    twLevelKind level;
    double level_value;
} twSceneOutput;

/// Where the bodies of a scene begin instead: as another one ended.
typedef struct twSceneStart
{
    const char* trace;  ///< path of its trace; NULL: none, or
    const char* scene;  ///< path of the scene, whose trace is in a folder of its name beside this one's
    const char *where, *shown;
} twSceneStart;

typedef struct twScene
{
    const char* title;
    double duration, rate_hz;
    int oversample;
    twScheme scheme;
    double frame_rate_hz;  ///< of recorded motion; 0: none is recorded
    twTraceCamera camera;
    int object_count, contact_count, force_count, strike_count, output_count, rod_count, listener_count;
    twSceneObject* objects;
    twSceneContact* contacts;
    twSceneForce* forces;
    twSceneStrike* strikes;  ///< in order of time
    twSceneOutput* outputs;
    twSceneRod* rods;
    twSceneListener* listeners;
    int body_count, shape_count, surface_count, touch_count, joint_count, push_count;
    twSceneBody* bodies;
    twSceneShape* shapes;
    twSceneSurface* surfaces;
    twSceneTouch* touches;
    twSceneJoint* joints;
    twScenePush* pushes;
    twSceneGround ground;  ///< of bodies
    twSceneSound sound;    ///< of bodies
    bool rods_touch;       ///< rods are in the world, with the bodies if there are any
    int pickup_count;      ///< tracks of the trace: pickups of bodies, and all that rods_touch makes heard
    int ear_count;         ///< listeners that hear bodies
    twWorldDef world;      ///< gravity and settings; what is in it is above
    bool staged;           ///< bodies are played on a stage instead
    bool unsettled;        ///< and what is held begins straight, whatever it weighs
    twStageDef stage;      ///< its settings; gravity as above
    int grab_count, throw_count;
    twSceneGrab* grabs;
    twSceneThrow* throws;
    twSceneStart start;  ///< of bodies
    twImport* import;    ///< the file it takes bodies from; NULL: none
    twHash hash;         ///< of its text, and of what is imported
    twArena* arena;      ///< owns all but the modes and the import
} twScene;

/// @return TW_BAD_INPUT with file, line, column, cure and a caret, or TW_IO_ERROR.
twStatus tw_scene_load(twScene** out, const char* path, twError* err);
/// The same from memory; files named in the text are found from the folder of name.
twStatus tw_scene_parse(twScene** out, const char* name, const char* text, size_t bytes, twError* err);
void tw_scene_destroy(twScene* scene);
/// Whether something moves in a world: bodies, or rods that touch.
bool tw_scene_has_world(const twScene* scene);

// ---- performing it ----

/// A scene being played: the network, its controls and events.
typedef struct twPlay twPlay;

/// Extra probes beyond the scene's outputs, in the order given; see twNetOutput.
typedef struct twPlayDef
{
    bool audit;       ///< keep the energy budget
    bool unfiltered;  ///< see twNetDef
    int probe_count;
    const twNetOutput* probes;
} twPlayDef;

twStatus tw_play_create(twPlay** out, const twScene* scene, const twPlayDef* def, twError* err);
void tw_play_destroy(twPlay* play);
/// Advance n frames. sound: one buffer per output of the scene, interleaved, physical units (NULL: not wanted); probes
/// likewise. Real-time safe.
void tw_play_process(twPlay* play, float* const* sound, double* const* probes, int n);
int tw_play_delay(const twPlay* play);  ///< frames by which sound lags, see tw_net_delay()
const twNet* tw_play_net(const twPlay* play);

// ---- rods ----

/// The rods of a scene being played to its listeners.
typedef struct twRods twRods;

/// @return TW_BAD_INPUT naming rod or listener and what would be right, or if rods touch: then tw_bodies_create()
twStatus tw_rods_create(twRods** out, const twScene* scene, twError* err);
void tw_rods_destroy(twRods* rods);  ///< NULL is fine
/// Advance by one step (oversample per sample). sound (listeners): what each hears [Pa], or [m/s] of a pickup,
/// tw_rods_latency() steps late. Never allocates or fails.
void tw_rods_step(twRods* rods, double* sound);
int tw_rods_latency(const twRods* rods);  ///< [steps]
twRod* tw_rods_rod(twRods* rods, int index);
twListenerStats tw_rods_listener_stats(const twRods* rods, int index);
/// Time spent since creation on motion and on sound, from one step in 61 [s].
void tw_rods_seconds(const twRods* rods, double* motion, double* sound);

/// What sounds of a rod of a scene, as the scene says: its ends, its sides. view: that of the rod. On failure *out is NULL.
twStatus tw_scene_radiator(twRadiator** out, const twSceneRod* rod, const twRodView* view, twError* err);

// ---- bodies, and rods that touch ----

/// The surface of a shape as a rigid body has it, or coarse enough to touch with if it is flexible; files are mended, and note says
/// how ("" if they are well). On failure *out is NULL. @return TW_BAD_INPUT naming file and what is wrong
twStatus tw_scene_surface(twMesh** out, const twSceneShape* shape, char* note, size_t bytes, twError* err);

/// How the bodies of a scene are made. Start from tw_bodies_def().
typedef struct twBodiesDef
{
    const char* cache_folder;                                           ///< of modes that were found before; NULL: none
    bool (*keep_going)(const char* stage, double done, void* context);  ///< while modes are looked for; may be NULL
    void* context;
    const twTrace* start;  ///< bodies begin as they are at its end, see tw_scene_start(); NULL: as the scene says
} twBodiesDef;
twBodiesDef tw_bodies_def(void);  ///< no cache

/// The bodies of a scene, and its rods if they touch, ready to move.
typedef struct twBodies twBodies;

/// Find the modes of flexible bodies, make their shapes and the world. The scene must outlive it. On failure *out is NULL.
/// @return TW_BAD_INPUT with file and line of the body that is wrong; TW_NO_MEMORY, TW_INTERRUPTED
twStatus tw_bodies_create(twBodies** out, const twScene* scene, const twBodiesDef* def, twError* err);
void tw_bodies_destroy(twBodies* bodies);  ///< NULL is fine
/// The world: its bodies are the scene's in their order, then the ground if there is one; its rods are the scene's. Advance it at
/// will.
twWorld* tw_bodies_world(twBodies* bodies);
/// Another world of the same bodies from the start on, with other settings (gravity, steps, method ...; what is in it is the
/// scene's). The caller's; the bodies must outlive it.
twStatus tw_bodies_another(twWorld** out, const twBodies* bodies, const twWorldDef* settings, twError* err);
const twBodyShape* tw_bodies_shape(const twBodies* bodies, int body);
/// Surface, mass and modes of a body; without modes if it is rigid.
const twModeSet* tw_bodies_set(const twBodies* bodies, int body);
/// The stage instead of the world, of a scene that is played on one: its bodies are the same. NULL: there is none. What the scene
/// lets happen there does not happen by itself.
twStage* tw_bodies_stage(twBodies* bodies);
/// What is recorded of a body in a trace: its set, or, if another surface is drawn, that one behind the vertices of the set.
const twModeSet* tw_bodies_drawn(const twBodies* bodies, int body);
/// What was mended or estimated when a shape of the scene was made; "" if nothing.
const char* tw_bodies_note(const twBodies* bodies, int shape);

// ---- the sound of a trace ----

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
twListenFiles tw_listen_files(void);  ///< floats with a peak of -1 dBFS, with pictures

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

// ---- rendering ----

typedef struct twRenderDef
{
    const char* folder;  ///< made if missing
    bool no_picture;
    bool (*keep_going)(double done, void* context);  ///< called with the fraction done; false interrupts; may be NULL
    void* context;

    // of scenes with bodies
    bool resume;                ///< go on with a render to that folder that was interrupted; not of a stage
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
    char note[1024];                ///< what was done to a surface; "" if nothing
} twRenderWorld;

/// How a body or a grab of a stage went.
typedef struct twRenderGrab
{
    double error;  ///< largest distance from the target, of positions that are not on their way to it [m]
    double force;  ///< largest of a place [N]
} twRenderGrab;

/// How it went on a stage.
typedef struct twRenderStage
{
    bool given;
    double step;  ///< [s]
    twStageStats stats;
    twStageEnergy start, end;
    double largest_energy;         ///< kinetic, elastic and of springs, of a frame [J]
    double make_seconds, seconds;  ///< to make bodies with their modes, to move them
    twStageModes* modes;           ///< (bodies)
    twRenderGrab* grabs;           ///< (grabs)
    double outside;                ///< largest distance of an embedded surface from its tets, over the body's size
    char note[1024];               ///< what was done to a surface; "" if nothing
} twRenderStage;

/// How a render stands up to what every one must hold, the same for all kinds of scenes.
typedef struct twRenderCheck
{
    bool given;
    double seconds;  ///< of the model
    double cost;     ///< time computed per second of the model, modes not counted [s/s]
    double
        energy_rise;  ///< largest in a step that no work explains; of rods alone in some steps, of stages in all of them [J]
    double energy_rises;  ///< all of them together [J]
    double energy_most;   ///< the most there was, or came in [J]
    int64_t failures;     ///< solves that missed their tolerance
    int64_t not_finite;   ///< bodies lost, objects reset, rods stopped, values left out
    double peak_dbfs;     ///< of all outputs; -INFINITY: silence, or none
    double rest_db;       ///< the last 0.1 s against the loudest 10 ms, of the output where that is most; NAN: no sound
} twRenderCheck;
#define TW_CHECK_REST_DB (-60)                        ///< what rest_db must be below where all is at rest in the end
bool tw_check_passive(const twRenderCheck* check);    ///< rises together are below 1e-6 of the most there was
bool tw_check_finite(const twRenderCheck* check);     ///< nothing was infinite
bool tw_check_unclipped(const twRenderCheck* check);  ///< no sample beyond full scale
bool tw_check_silent(const twRenderCheck* check);     ///< at the end; to be asked where a scene ends at rest
/// From a report.json. @return TW_BAD_INPUT if it is none, or of an earlier version; TW_IO_ERROR
twStatus tw_render_check_load(twRenderCheck* out, const char* path, twError* err);

typedef struct twRenderReport
{
    int output_count;
    twRenderOutput* outputs;
    char json[512];  ///< path of report.json
    double sound_seconds, compute_seconds;
    twNetStats stats;
    twNetEnergy energy;
    int rod_count;
    twRenderRod* rods;           ///< (rods)
    twListenerStats* listeners;  ///< (listeners)
    double motion_seconds, radiation_seconds;
    twRenderWorld world;     ///< of bodies
    twRenderStage stage;     ///< of bodies on a stage
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

// ---- galleries: folders of scenes ----

/// Where scenes of a gallery come from.
typedef struct twGallerySource
{
    const char *name, *title, *by;  ///< "zheng2011"; what it is called, who wrote it
    bool own;                       ///< not part of what a gallery shows unless it is asked for
} twGallerySource;

/// A scene of a gallery, and what its source says of it.
typedef struct twGalleryScene
{
    const char* name;           ///< of the file, without .yaml
    int source;                 ///< of the gallery's sources
    const char *title, *where;  ///< where in the source: "Fig. 13, Table 2"
    const char* note;           ///< "" if there is none
    int after;                  ///< it begins where this one ends; -1: none
    double theirs;              ///< what the source needs per second of the model [s/s]; 0: not told
    double minutes;             ///< it takes about, one core; 0: a few seconds
    double part;                ///< what a quick look renders of it [s]; 0: all
    bool rest;                  ///< all is at rest in the end, and must be silent
} twGalleryScene;

typedef struct twGallery
{
    const char *title, *folder;
    int source_count, scene_count;
    const twGallerySource* sources;
    const twGalleryScene* scenes;
    twArena* arena;
} twGallery;

/// The table folder/gallery.yml; where there is none, all scenes of the folder by name. docs/gallery.md is the reference.
/// @return TW_BAD_INPUT with file, line and column, or if there are no scenes; TW_IO_ERROR, TW_NO_MEMORY
twStatus tw_gallery_load(twGallery** out, const char* folder, twError* err);
void tw_gallery_destroy(twGallery* gallery);  ///< NULL is fine

// ---- one friction contact under the microscope ----

/// What a scene's friction contact does. Ranges, mean, stick fraction and pitch are over the second half of the run.
typedef struct twRub
{
    int64_t frames;
    double fundamental_hz;      ///< of the resonator's velocity; 0 if none is clear
    double v_r_min, v_r_max;    ///< resonator's velocity at the contact [m/s]
    double slip_min, slip_max;  ///< v_r - v_e [m/s]
    double v_e_mean;            ///< exciter's mean velocity at the contact [m/s]
    double stick_fraction;      ///< of the samples in which bristles take up at least half of the motion
    double normal_force;        ///< mean while gripping [N]
    double passive_speed;       ///< at that force, see tw_friction_passive_speed()
    twNetEnergy energy;
    twNetStats stats;
    int tail;                        ///< samples kept from the end of the run
    double* column[TW_RUB_COLUMNS];  ///< (tail) each: t, x_r, v_r, x_e, v_e, z, f
} twRub;

typedef struct twRubDef
{
    int contact;  ///< index of a contact with friction
    FILE* csv;    ///< NULL: none; one line per sample: t,x_r,v_r,x_e,v_e,z,f
    int tail;     ///< how many samples to keep at most
    bool (*keep_going)(double done, void* context);
    void* context;
} twRubDef;

twStatus tw_rub(twRub* out, const twScene* scene, const twRubDef* def, twError* err);
void tw_rub_free(twRub* rub);

#ifdef __cplusplus
}
#endif
