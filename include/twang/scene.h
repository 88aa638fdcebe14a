// SPDX-License-Identifier: MIT
#pragma once
#include "twang/acoustics.h"
#include "twang/bake.h"
#include "twang/contact.h"
#include "twang/dynamics.h"
#include "twang/import.h"
#include "twang/media.h"
#include "twang/rod.h"
#include "twang/signal.h"
#include "twang/sound.h"
#include "twang/trace.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Scene: what a YAML file of objects, rods, bodies, controls and outputs says. docs/scene.md is the reference.
/// twang/render.h renders it; twang/play.h and twang/bodies.h perform it.

#define TW_MAX_SCENE_RODS 256
#define TW_MAX_SCENE_LISTENERS 64
#define TW_MAX_KEYFRAMES 100000                  ///< of one signal; a 'wav' may be longer
#define TW_MAX_SCENE_BODIES (TW_MAX_BODIES - 1)  ///< the ground is one too

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
    double cylinder;                ///< its sound is not compact, as that of a cylinder of this radius [m]; 0: compact

    // of rods that touch
    int surface;        ///< of the scene's surfaces
    bool ghost;         ///< touches nothing
    bool no_self;       ///< does not touch itself
    double calm_speed;  ///< slower motion that is not rigid is damped [m/s]; 0: none
    int tie_count;
    const twSceneTie* ties;
} twSceneRod;

/// Which modes of a flexible body act back on its motion.
typedef enum twCoupling
{
    TW_COUPLING_AUTO,     ///< two-way, or one-way where all bodies of the scene have too many such modes
    TW_COUPLING_TWO_WAY,  ///< those up to max_freq_hz
    TW_COUPLING_ONE_WAY,  ///< none: contact forces excite them, and they are heard
} twCoupling;

/// What bodies are made from; equal ones share it.
typedef struct twSceneShape
{
    const char* where;   ///< the body that has it first: "file:line:column"
    const char* source;  ///< a procedural shape, or the path of a mesh
    const twMesh* mesh;  ///< of an imported file, which source names then; NULL: none
    double scale;        ///< of a file's coordinates
    twMaterial material;
    twDamping damping;   ///< of its modes: by the material, or a curve
    twFibre fibre;       ///< of a flexible one, see twBakeDef
    double mass;         ///< [kg]; 0: by the material
    double edge;         ///< of the triangles of a rigid procedural shape [m]; 0: by its size
    double ball_radius;  ///< above 0: a rigid sphere [m]
    bool flexible;
    bool automatic;  ///< flexible because nothing says otherwise: rigid if it has no modes, or they cannot be found
    int mode_count;  ///< to be found, of a flexible one; 0: all up to 20 kHz, of an automatic one 256 at most
    twCoupling coupling;
    double max_freq_hz;  ///< modes above do not act back on the motion
    double accuracy;     ///< see twBakeDef
    double budget;       ///< of the analysis of a mesh [s at 2e9 operations per second]; 0: the usual one
    double thickness;    ///< of a mesh that is a shell [m]; 0: see twBakeDef
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
    bool warp;                  ///< in pictures bent parts turn instead of growing
    bool ghost;                 ///< touches nothing
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
    twImpactLaw impact;
    double restitution, loss_factor, rolling;
    twFrictionLaw friction;
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

// ---- hands ----

#define TW_MAX_GRAB_PLACES 64  ///< of one grab

/// A place on a body or a rod.
typedef struct twScenePlace
{
    int body;   ///< TW_NOWHERE: on a rod
    twVec3 at;  ///< near here, in the coordinates of the body's mesh [m]
    int rod, node;
} twScenePlace;

typedef enum twSceneAim
{
    TW_AIM_HERE,   ///< where (how fast) it is when it is grabbed
    TW_AIM_GIVEN,  ///< a place or value that may change in time
    TW_AIM_MOVE,   ///< from where it is grabbed by a displacement and a turn
    TW_AIM_BODY,   ///< a place on another body or rod
} twSceneAim;

/// Places of a body or a rod that are held for a time.
typedef struct twSceneGrab
{
    const char *name, *where;
    const char* on;  ///< name of the body or rod
    twGrabKind kind;
    int place_count;
    const twScenePlace* places;  ///< (places) each is held by itself
    double begin, end;           ///< [s]
    double ease, max_force;
    bool exact;
    bool along[3];
    twSceneAim aim;
    twSignal to[3];            ///< x, y, z, given
    const twSceneDrive* move;  ///< its start is not used
    bool about_here;           ///< the turn is about where the first place is when it is grabbed
    twScenePlace other;
    int push_count;
    twScenePlace pushes[TW_MAX_GRAB_PUSHES];  ///< where the forces of a servo act
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
    double mass_per_area;  ///< of a board, which is heard [kg/m^2]; 0: a half space, silent
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
    twRadiation radiation;
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
    bool own_level;  ///< of this output alone; else one gain for all such outputs of its quantity
} twSceneOutput;

/// Where the bodies of a scene begin instead: as another one ended.
typedef struct twSceneStart
{
    const char* trace;  ///< path of its trace; NULL: none, or
    const char* scene;  ///< path of the scene, whose trace is in a folder of its name beside this one's
    const char *where, *shown;
} twSceneStart;

#define TW_TAIL_AUTO (-1.0)
#define TW_TAIL_MOST 10.0  ///< of TW_TAIL_AUTO [s]

typedef struct twScene
{
    const char* title;
    double duration, rate_hz;
    double tail;  ///< how long bodies ring on after that [s]; TW_TAIL_AUTO: until they are quiet
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
bool tw_scene_has_sound(const twScene* scene);  ///< that is made of its trace: bodies, or a board under rods

#ifdef __cplusplus
}
#endif
