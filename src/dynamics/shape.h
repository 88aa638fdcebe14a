// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/block_kernel.h"
#include "dynamics/rounding.h"
#include "mesh/tree.h"
#include "twang/modal.h"

/// @file
/// What of a body can touch (internal): its surface at rest, how its modes move it, and where it is now.
///
/// A point x of the surface at rest is at  position + R (x - centre + sum of q_j U_j(x))  in the world, with the mass centre
/// of the surface at rest, the rotation R of the body, the amplitudes q_j and shapes U_j of its modes.
///
/// A ball is exact: a radius about the centre of mass, rigid. Its mesh, if it has one, is a picture of it.

enum
{
    TW_SHAPE_ITEMS = 1 << 20  ///< most vertices and faces of a shape: half of what an id has room for
};

/// A convex edge: where two edges can touch, if one of them is sharp at least.
typedef struct ContactEdge
{
    int v[2];          ///< its ends
    twVec3 normal[2];  ///< of the faces on either side, outward
    bool sharp;
} ContactEdge;

/// Constant after creation, may be shared by bodies and threads; read the fields directly.
typedef struct ContactShape
{
    double
        ball;  ///< radius of a ball [m], which has nothing of what follows but vertices, if there is a mesh, and size; 0: a surface
    int vertex_count, face_count, edge_count, mode_count;
    twVec3* vertices;    ///< (vertices) less the centre [m]
    twVec3* normals;     ///< (vertices) outward, angle-weighted
    twTriangle* faces;   ///< (faces)
    ContactEdge* edges;  ///< (edges) convex, without those of flat faces
    int* fan_start;      ///< (vertices + 1) where a vertex's neighbours begin
    int* fan;            ///< neighbours of each vertex, by edges
    float* shape;        ///< U (vertices x 3 x modes) [kg^-1/2]: x of all modes, then y, then z
    const BlockKernel* kernel;
    double* motion;       ///< greatest |U_j| of the surface (modes)
    twVec3 centre;        ///< of mass, in the coordinates of the mesh and the field [m]
    twVec3 low, high;     ///< box of the vertices [m]
    double radius;        ///< greatest distance of a vertex from the centre; of a ball its own [m]
    double thickness;     ///< where it is thinnest, about [m]
    twField* field;       ///< distance to the surface at rest
    twTree* vertex_tree;  ///< of the vertices that count as points
    twTree* edge_tree;    ///< of the edges
    Rounding* rounding;   ///< the surface that balls roll on
} ContactShape;

/// How to make one. Start from tw_contact_shape_def().
typedef struct ContactShapeDef
{
    const twMesh* mesh;      ///< closed and outward; NULL: the surface of modes
    const twModeSet* modes;  ///< NULL: rigid. With both, mesh must have the vertices of the set
    int mode_count;          ///< the first so many; -1: all
    double ball;    ///< above 0: a rigid ball of this radius about the centre [m]; mesh may be NULL, modes are not used
    twVec3 centre;  ///< of mass [m]
    double sharp_deg;  ///< edges that turn by more are sharp
    /// Of vertices inside flat faces and along straight edges [m]: one in each cube of it counts as a point. 0: all;
    /// -1: none if rigid, else an eighth of the radius. All other vertices count.
    double spacing;
    twFieldDef field;
} ContactShapeDef;
ContactShapeDef tw_contact_shape_def(void);  ///< all modes, 30 degrees, automatic spacing

/// @return TW_BAD_INPUT if the surface is open, inside out or flat, if mesh and modes differ, or if a ball is not finite
twStatus tw_contact_shape_create(ContactShape** out, const ContactShapeDef* def, twError* err);
void tw_contact_shape_destroy(ContactShape* shape);  ///< NULL is fine
/// From the faces (300 of them at most) straight inward to the other side, the least; of a ball its diameter [m].
double tw_contact_thickness(const ContactShape* shape);

// ---- a body, as collision detection sees it ----

typedef struct BodyPlace
{
    const ContactShape* shape;
    int body;                 ///< number in the world, below TW_TOUCH_BODIES
    bool still;               ///< never moves: no pairs among these
    twVec3 position;          ///< of the centre of mass, in the world [m]
    twQuat turn;              ///< unit
    twVec3 velocity, spin;    ///< in the world [m/s], [rad/s]
    int mode_count;           ///< active: the first so many
    const double* amplitude;  ///< q  (modes) [m kg^1/2]
    const double* rate;       ///< q' (modes)
    double room;              ///< to be kept free around its box, for what comes [m]
} BodyPlace;

/// Whether a vertex can be what touches something with the unit normal n, given in the body's axes: no neighbour lies before
/// it by more than a sine of tolerance.
bool tw_contact_shape_leads(const ContactShape* shape, int vertex, twVec3 n, double tolerance);

/// Displacement of a vertex by the modes, in the body's axes [m].
twVec3 tw_place_bend(const BodyPlace* place, int vertex);
/// No point of the body is displaced by more: sum of |U_j| |q_j| [m]
double tw_place_bend_bound(const BodyPlace* place);
/// No point of the body is faster: |v| + |w| R + sum of |U_j| |q_j'| [m/s], R with the modes' displacement. Of a ball only
/// |v|: turning does not move its surface as a whole, and nothing else is asked of this bound
double tw_place_speed_bound(const BodyPlace* place);
/// Box in the world that holds the body as it is bent now.
void tw_place_box(const BodyPlace* place, twVec3* low, twVec3* high);
