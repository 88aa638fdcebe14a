// SPDX-License-Identifier: MIT
#pragma once
#include "twang/scene.h"
#include "yaml.h"

/// @file
/// From YAML nodes to a scene (internal). Errors are sticky in the document, see yaml.h; missing memory in the reader.

#define READ_MAX_MODES 100000    ///< per object
#define READ_MAX_DURATION 3600   ///< [s]
#define READ_MAX_RATE 768000     ///< [Hz]
#define READ_MAX_TAIL 600        ///< [s]
#define READ_MAX_POISSON 0.4999  ///< of all materials; 0.5 is incompressible

#define READ_LN_1000 6.907755278982137  ///< amplitudes fall by 60 dB in READ_LN_1000/decay
#define READ_GRAVITY 9.81               ///< of worlds, downward [m/s^2]
#define READ_GROUND 1e-9                ///< what is not farther below the ground lies on it [m]

/// A material of the scene whose decay is a curve over frequency.
typedef struct ReadCurve
{
    const char* material;
    twDamping damping;
} ReadCurve;

/// Whether bodies have modes.
typedef enum ReadFlexible
{
    READ_FLEXIBLE_AUTO,  ///< if they have any that can be heard
    READ_FLEXIBLE,
    READ_RIGID,
} ReadFlexible;

typedef struct Reader
{
    twScene* scene;
    twYaml* doc;
    const char* folder;     ///< of the scene file, "" for the present one
    twMaterial* materials;  ///< of the scene itself
    int material_count, curve_count;
    ReadCurve* curves;
    const char** solid_names;       ///< (solids of the import) of the materials they are
    const char* import_name;        ///< of the imported file, as the scene has it; NULL: none
    const twNode* import_map;       ///< 'bodies' with those of the file, which come first
    int import_count;               ///< of them
    const int* imported;            ///< (imports) their numbers in the file
    const char* default_material;   ///< of what names none; NULL: steel
    ReadFlexible default_flexible;  ///< of bodies that do not say
    const twNode** rod_nodes;       ///< (rods) where each is in the file; copies share one
    bool no_memory;
} Reader;

void* read_alloc(Reader* reader, size_t count, size_t size);  ///< from the scene's arena; never NULL for count 0
const char* read_copy(Reader* reader, const char* text);
/// Path of a file named in the scene, relative to the scene's folder.
const char* read_path(Reader* reader, const char* name);

/// A number, or a map that describes a signal.
int read_keyframe_count(
    const twNode* list);  ///< 0, and an error, if there are more than TW_MAX_KEYFRAMES; NULL is fine
twSignal read_signal(Reader* reader, const twNode* map, const char* key, twRange range, double fallback);

void read_materials(Reader* reader, const twNode* root);
void read_objects(Reader* reader, const twNode* root);
void read_contacts(Reader* reader, const twNode* root);
/// How something rubs, by the keys that contacts of objects and of bodies share; what is not given stays. least: of its coefficients
void read_friction_law(const twNode* map, double least, twFrictionLaw* law);
void read_outputs(Reader* reader, const twNode* root);
void read_tail(Reader* reader, const twNode* root);
void read_rods(Reader* reader, const twNode* root);
void read_collide(Reader* reader, const twNode* root);  ///< whether rods touch, by 'collide' and 'bodies'
void read_bodies(Reader* reader, const twNode* root);
void read_world(Reader* reader, const twNode* root);      ///< joints, pushes, touches, ground and settings of bodies
void read_hands(Reader* reader, const twNode* root);      ///< grabs and throws; after bodies, rods and the world
void read_no_stage(const twNode* root);                   ///< what the key `stage` said is said elsewhere now
void read_listeners(Reader* reader, const twNode* root);  ///< and what lies between them and the rods

const twMaterial* read_material(Reader* reader, const twNode* map);  ///< named by 'material'; NULL after an error
twDamping read_material_damping(const Reader* reader, const twMaterial* material);
bool read_has_damping(const twNode* node);  ///< whether it says how something decays
/// How a material or a body decays, by 'alpha', 'beta', 'loss_factor', 't60', 'damping_curve' and 'mounting', instead of what
/// material and damping say already.
void read_damping(const twNode* node, twMaterial* material, twDamping* damping);
double read_poisson(const twNode* map, double fallback);  ///< Poisson's ratio, 'poisson'
const char* read_default_material(const Reader* reader);  ///< its name
/// Whether a name is that of a copy of a body: base followed by -1, -2 ...
bool read_is_copy(const char* name, const char* base);
/// Three numbers.
twVec3 read_vec3(const twNode* map, const char* key, const char* unit, twVec3 fallback);
/// Where something is in time: signals 'x', 'y' and 'z' [m].
void read_line(Reader* reader, const twNode* map, twSignal along[3]);
twVec3 rods_place(const twSignal along[3], double time);  ///< on such a line
/// Lines that a rod may follow, in the order of RodPathKind.
#define READ_PATHS "straight", "helix", "spiral", "ring", "polyline", "knot", "zigzag", "arch"
/// The line of a rod, its shape at rest, and where its sections point.
void read_rod_shape(Reader* reader, const twNode* node, twRodDef* def);
/// A section of a rod, see docs/scene.md.
void read_sections(Reader* reader, const twNode* node, twSceneRod* rod);
/// Corners of a rod's outline, for pictures.
void read_outline(Reader* reader, twSceneRod* rod, const twSectionDef* def, const twSection* section);
/// Point of a rod: 'start', 'end' or a part of its length.
int read_rod_point(const twNode* map, const char* key, const twRodDef* rod);

/// Three numbers that are no zero vector, made unit.
twVec3 read_direction(const twNode* map, const char* key, twVec3 fallback);
/// How something is turned: [x, y, z] degrees about these axes, one after the other, or 'axis' and 'angle'.
twQuat read_turn(const twNode* map, const char* key);
const char* read_where(Reader* reader, const twNode* node);  ///< "file:line:column" of its key
/// Body of that name, or -1 after an error.
int read_body_name(Reader* reader, const twNode* node, const char* name);
/// By 'material', 'friction' and 'restitution'; one more of the scene's.
int read_surface(Reader* reader, const twNode* map);
/// The same of a solid that is what the map's material is, or nearly so.
int read_surface_of(Reader* reader, const twNode* map, const twMaterial* material);
void read_body_pickup(Reader* reader, const twNode* node, twSceneListener* listener);
/// How bodies sound: 'sound' and 'air'.
void read_sound(Reader* reader, const twNode* root);
/// Somebody who hears bodies.
void read_ear(Reader* reader, const twNode* root, const twNode* node, twSceneListener* listener);
/// One who listens if nobody else does.
void read_default_ear(Reader* reader, const twNode* root);
double read_reflection(const twNode* ground);  ///< pressure that comes back from it, by 'absorption'

/// How a rod touches, and which bodies hold it (read_rod_touch.c).
void read_rod_touch(Reader* reader, const twNode* root, const twNode* node, twSceneRod* rod);
/// Where a rod and its copies are and how they move at the start, from one that is not turned (read_rod_place.c). Rods are
/// added to the scene's.
void read_rod_places(Reader* reader, const twNode* node, const twSceneRod* first);
int read_rod_total(Reader* reader, const twNode* map);  ///< rods, with all copies
/// Name of a copy.
const char* read_copy_name(Reader* reader, const char* name, int number);

/// Where an ear that is not placed is and looks: where the camera is, or before a box of what there is, above the ground.
void ear_place(twSceneEar* ear, const twTraceCamera* camera, const twSceneGround* ground, twVec3 low, twVec3 high);
twQuat ear_turn(twVec3 from, twVec3 to);  ///< forward to what is looked at, the head upright

/// Several bodies alike (read_copies.c).
typedef struct Copies
{
    bool given, grid;
    int count[3];  ///< in a grid; of a line only the first
    twVec3 step;   ///< from one to the next; of a grid along x, y, z
    twQuat turn;   ///< of each against the one before, of a line
    double jitter;
    double tumble;  ///< angle by which each is turned at most [rad]
    uint64_t seed;
} Copies;
Copies read_copies(Reader* reader, const twNode* body);
int copies_total(const Copies* copies);
/// Where they are (total), the first at start.
void copies_place(const Copies* copies, const twBodyMotion* start, twBodyMotion* out);

// ---- imported files (read_import.c, read_import_material.c) ----

void read_import(Reader* reader, const twNode* root);  ///< load the file that 'import' names
/// Put its bodies, ground and camera where the scene does not say otherwise; after the materials.
void read_import_bodies(Reader* reader, const twNode* root);
/// Number of the imported body that a map of 'bodies' is about; -1: none
int read_imported(const Reader* reader, const twNode* body);
/// Number of the imported body whose mesh a shape such as room.glb#cup is; -1: none such
int read_import_shape(const Reader* reader, const char* shape);
/// The material that a file means by a name: of the scene, or a built-in one; NULL: none
const char* read_import_material(const Reader* reader, const char* name);
/// What the file gives the numbers of, as materials of the scene, and their names; those that the scene has itself are its own.
void read_import_solids(Reader* reader);

/// Index of the object and of the part after the dot, "object" or "object.part"; parts are its points or its pickups.
bool read_reference(Reader* reader, const twNode* node, const char* text, bool pickup, int* object, int* part);
