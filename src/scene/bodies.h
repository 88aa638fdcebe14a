// SPDX-License-Identifier: MIT
#pragma once
#include "bake.h"
#include "twang/bodies.h"

/// @file
/// Inside bodies of scenes (internal): their surfaces.

/// What bodies are made from.
typedef struct BodyMade
{
    twModeSet *fine, *set;  ///< as analysed, NULL: rigid, or the set itself; as it sounds
    twMesh* mesh;           ///< that touches if no mode acts back; NULL: see touching
    twModeSet* touching;    ///< modes that act back, on the surface that touches; NULL: mesh, or else the set touches
    twWinding* winding;     ///< the surface of a set that does not touch itself; NULL: it does
    twModeSet* drawn;       ///< what is drawn instead; NULL: the set
    twBodyShape* shape;
    double radius;   ///< of contact
    double outside;  ///< of what is drawn, from the tets [m]
    int tets;        ///< that its modes were found with
    double error,
        error_known;    ///< estimate for their frequencies, relative, of all and of those that are known; 0: none
    int unknown_modes;  ///< the others
    bool one_sided;     ///< they are too high, if anything
    twTransferBakeReport air;  ///< of its radiation
    int acting;                ///< modes that act back on the motion
    bool failed;               ///< its modes could not be found, so that it is rigid
    char rigid[1024];          ///< why it has no modes; "" if it has
    char note[1024];
} BodyMade;

/// A contact material of the world: bodies and rods of one surface and one radius.
typedef struct BodySkin
{
    int surface;
    double radius;
} BodySkin;

struct twBodies
{
    const twScene* scene;
    int made_count;  ///< the scene's shapes, and the ground
    BodyMade* made;
    int body_count, skin_count, pair_count;  ///< of the world
    twBodyDef* bodies;
    double** bent;  ///< amplitudes at the start (bodies); NULL: none
    BodySkin* skins;
    twContactMaterial* materials;  ///< (skins)
    twContactPair* pairs;
    twPushDef* pushes;
    twJointDef* joints;
    int rod_count, tie_count;
    twWorldRodDef* rods;
    twTieDef* ties;
    twWorld* world;
    struct Acts* acts;  ///< grabs and throws
    int* from;          ///< (bodies) of the world in the trace that it begins from, -1: not there; NULL: none
};

/// The surface that a shape says is to be drawn, behind the vertices of its set.
twStatus bodies_make_cover(BodyMade* made, const twSceneShape* shape, twError* err);
struct Acts* bodies_acts(const twBodies* bodies);  ///< what its hands do
/// An error that names a body, a joint or a rod, with its place in the file.
void bodies_name_place(const twScene* scene, const twError* inner, twError* err);
/// @return TW_BAD_INPUT if a place is farther away from the body, or from points of its surface (count), than this is long
twStatus place_check(const twScene* scene, int body, const char* what, twVec3 at, const twVec3* points, int count,
                     twError* err);
/// The same for all places of a scene on bodies of a shape, by its surface: before anything is known of its modes.
twStatus places_check(const twScene* scene, int shape, twError* err);
twStatus bodies_check_place(const twBodies* b, int body, const char* what, twVec3 at, twError* err);

/// Which bodies of a trace those of the world are, by name, into b->from. @return TW_BAD_INPUT naming one that is another
twStatus bodies_find_start(twBodies* b, const twTrace* trace, twError* err);
/// An error of what a scene begins from, with the place of that in the file.
void bodies_fail_start(const twScene* scene, const twError* inner, twError* err);

/// Thickness of a floor or table top of a material [m]; 0: a half space, as earth, stone and solid metal are.
double body_board_thickness(const char* material);
/// Mass per area of a body of the scene that answers as a board [kg/m^2], and the normal of its face as it lies; 0: it does not.
double body_board(const twBodies* b, int body, twVec3* normal);

/// Find the modes of a shape that is flexible, into made->fine; none if it is rigid, and why.
twStatus body_analyse(BodyMade* made, const twSceneShape* shape, const twBodiesDef* def, twError* err);
int body_slow_modes(const BodyMade* made, const twSceneShape* shape);  ///< of those found, that may act back
/// Surfaces, set and shape of the world, once it is known how many modes act back.
twStatus body_make(BodyMade* made, const twSceneShape* shape, const twScene* scene, const twBodiesDef* def,
                   twError* err);
/// A place given by vertices of the surface that touches, -1: none, as one of the set.
void body_take_over(const BodyMade* made, int vertex[3], float weight[3]);
/// The point of the surface that touches nearest to a place.
twSurfacePoint body_touching_place(const BodyMade* made, twVec3 at);
double body_area(const twVec3* vertices, const twTriangle* faces, int count);  ///< [m^2]
/// The point of a set's surface nearest to another, as weights of three vertices.
void body_surface_place(const twModeSet* set, const twWinding* winding, twVec3 at, int vertex[3], float weight[3]);

/// A set without modes.
twStatus body_rigid_set(twModeSet** out, const twMesh* mesh, const twMassProperties* mass, const twMaterial* material,
                        twError* err);
/// The modes of a set at the vertices of another surface of the same body.
twStatus body_coarse_set(twModeSet** out, const twModeSet* fine, const twMesh* coarse, twError* err);
/// Static friction of two bodies of the world, the ground behind those of the scene; twice the same: of it alone.
double bodies_friction(const twBodies* b, int body, int other);
const twPushDef* bodies_pushes(const twBodies* bodies);  ///< (pushes of the scene)
twVec3 body_sides(const twVec3* points, int count);      ///< of the box around points
