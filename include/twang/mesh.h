// SPDX-License-Identifier: MIT
#pragma once
#include "twang/math.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Mesh: triangle surfaces and tetrahedral volumes; reading, writing, mending, measuring, distances, shapes, filling.
///
/// Metres inside. Faces wind counterclockwise seen from outside; tets are positive: det(b - a, c - a, d - a) > 0.

// ---- surfaces ----

typedef struct twTriangle
{
    int v[3];
} twTriangle;

/// A triangle surface. Make it with a call below, change it before sharing, free it with tw_mesh_destroy().
typedef struct twMesh
{
    int vertex_count, face_count;
    twVec3* vertices;   ///< (vertices) [m]
    twTriangle* faces;  ///< (faces)
    int* regions;       ///< material region of each face (faces), from 0; NULL: all 0
} twMesh;

/// A mesh with room for the counts; contents are zero. @return TW_NO_MEMORY or TW_BAD_INPUT
twStatus tw_mesh_create(twMesh** out, int vertex_count, int face_count, twError* err);
void tw_mesh_destroy(twMesh* mesh);  ///< NULL is fine

typedef enum twMeshKind
{
    TW_MESH_NONE,  ///< something else, or no regular file
    TW_MESH_SURFACE,
    TW_MESH_TETS,
} twMeshKind;
/// What is in a file, by its content; TetGen's .node and .ele, which have no mark, by their names.
twMeshKind tw_mesh_kind(const char* path);
/// Whether a file is one of another program that is not read (Blender, FBX, USD, STEP, Collada,
/// 3MF, an archive); err says so, and what to export instead.
bool tw_mesh_is_foreign(const char* path, twError* err);

/// Read OBJ, STL (text or binary), PLY (text or binary), OFF (text) or glTF (.glb, or .gltf with
/// buffers inside or in files beside it), told apart by content. Polygons are split into triangles,
/// materials become regions. scale multiplies all coordinates: 0.001 for files in mm. Survives any
/// input; a mesh that comes back has faces, and all their indices are valid; coordinates may still
/// be NaN (mend it). *out is NULL on failure. @return TW_BAD_INPUT naming file and line or offset,
/// what is wrong and what would be right.
twStatus tw_mesh_load(twMesh** out, const char* path, double scale, twError* err);

/// A unit of the lengths in a file.
typedef struct twUnit
{
    const char* name;    ///< "cm"
    const char* plural;  ///< "centimetres"
    double metres;       ///< scale for tw_mesh_load()
} twUnit;
const twUnit* tw_units(int* count);  ///< m, which is the first, dm, cm, mm, in, ft
/// The likeliest unit of a file, by its number among tw_units(), whose body is larger [m], read with a scale, than what is
/// usually meant; -1: it is not, or there is none.
int tw_units_guess(double scale, double size);
/// Whether a body from a file or a shape, read with a scale, has a size (its longest side [m]) that
/// hardly was meant: from a file over 3 m or under 5 mm, by a shape over 10 m or under 1 mm. out
/// gets a guess of the unit, and how to give it in a scene or to a command; "" if the size is a
/// usual one. @return out
const char* tw_size_hint(char* out, size_t bytes, const char* source, double scale, double size, bool scene);

int tw_obj_bad_line(const char* path);  ///< of an OBJ, with the first coordinate that is not finite; 0: there is none
/// Write OBJ or PLY (binary), by the name's ending; read back, it is the same to the bit. Atomic.
twStatus tw_mesh_save(const twMesh* mesh, const char* path, twError* err);

/// What is wrong with a surface, and what mending did about it.
typedef struct twMeshReport
{
    int merged_vertices;     ///< duplicates joined
    int isolated_vertices;   ///< used by no face: dropped
    int degenerate_faces;    ///< of zero area or repeated vertices: dropped
    int duplicate_faces;     ///< dropped
    int split_faces;         ///< where a vertex lay on their edge (T-junctions)
    int bad_coordinates;     ///< vertices that are not finite, or beyond 1e100 m: their faces dropped
    int flipped_faces;       ///< turned to agree with their neighbours or to face outward
    int components;          ///< pieces joined by edges; -1: no memory to tell (tw_mesh_check)
    int cavities;            ///< pieces that lie inside others and face inward
    int boundary_edges;      ///< edges of one face: the surface is open there
    int holes;               ///< loops of boundary edges; loops that touch are one
    int nonmanifold_edges;   ///< edges of more than two faces
    int self_intersections;  ///< pairs of faces that cross
    bool more_crossings;     ///< the search ended at 1000 pairs, or at its limit of time: there may be more
    double size;             ///< diagonal of the bounding box [m]
    double area, volume;     ///< volume as enclosed, signed sum [m^2], [m^3]
    double hole_area;        ///< of the flattest patches over the holes [m^2]
} twMeshReport;

/// Merge duplicate vertices (closer than tolerance * size, at most 0.1; 0 merges equal ones and leaves cracks), drop what is
/// degenerate, close cracks, orient each piece outward (a shell inside another faces the other way, as a cavity) and report
/// (may be NULL). mesh is replaced in place. Holes and self-intersections stay. @return TW_BAD_INPUT if no face is left
twStatus tw_mesh_mend(twMesh* mesh, double tolerance, twMeshReport* report, twError* err);
/// What was found and done, in words, such as "12 faces flipped; 1 hole over 3 % of the surface, taken as closed"; "" if all
/// was well. @return out
const char* tw_mesh_describe(char* out, size_t bytes, const twMeshReport* report);
/// What mending with tolerance 0 would do, and the edges and crossings of the mesh as it is. Nothing is changed.
twMeshReport tw_mesh_check(const twMesh* mesh);

/// A copy whose edges are at most so long [m]: longer ones are split at their middles, faces along these. The first vertices are
/// those of the mesh; regions are dropped. Ends at four million faces.
twStatus tw_mesh_split_edges(twMesh** out, const twMesh* mesh, double longest, twError* err);
/// A copy whose holes are closed: each loop of open edges gets a fan of triangles about where the faces around it point. Vertices and
/// faces of the mesh come first, as they are; regions are dropped. *closed (may be NULL): how many loops. Mend it first.
twStatus tw_mesh_close(twMesh** out, const twMesh* mesh, int* closed, twError* err);

/// Mass properties of the volume a surface encloses, or of a tet mesh.
typedef struct twMassProperties
{
    double volume;   ///< [m^3]
    double mass;     ///< [kg]
    twVec3 centre;   ///< [m]
    twMat3 inertia;  ///< about the centre, in mesh axes [kg m^2]
} twMassProperties;
twMassProperties tw_mesh_mass(const twMesh* mesh, double density);

/// A ball that holds all points, at most about 2 % larger than the smallest one. @return its radius [m]
double tw_points_ball(const twVec3* points, int count, twVec3* centre);

/// The point of a triangle nearest to a place.
twVec3 tw_triangle_nearest(const twVec3 corners[3], twVec3 place);

/// The same surface with about face_count triangles, of even size as far as its form allows: edges are collapsed. Closed
/// stays closed and as it is connected, no face turns over, and sharp edges and both sides of thin walls stay where they
/// are; what cannot be coarsened further is left with more faces. stands (vertices of mesh; may be NULL) says which vertex
/// of *out each vertex has become, -1 if it had no face. Regions are dropped; open edges and edges of more than two faces
/// stay as they are. The result is the same on every run.
/// @return TW_BAD_INPUT if an index, a coordinate or the count is not usable
twStatus tw_mesh_coarsen(twMesh** out, const twMesh* mesh, int face_count, int* stands, twError* err);
/// Each triangle in four: those of face f are 4 f to 4 f + 3, and vertices stay, with the middles of edges after them.
/// *ends (new vertices; free() it; may be NULL) tells between which two each of these lies.
twStatus tw_mesh_subdivide(twMesh** out, const twMesh* mesh, int (**ends)[2], twError* err);

/// Inside-ness of a point: the generalised winding number, 1 inside, 0 outside, in between near holes; to about 1e-3. Build
/// once, ask often, from several threads if wanted; the mesh may go. TW_BAD_INPUT for wrong indices or NaN.
typedef struct twWinding twWinding;
twStatus tw_winding_create(twWinding** out, const twMesh* mesh, twError* err);
void tw_winding_destroy(twWinding* winding);
double tw_winding_at(const twWinding* winding, twVec3 point);
/// Distance to the surface, the nearest point on it and its face (each may be NULL). Without faces: HUGE_VAL, face -1.
double tw_winding_nearest(const twWinding* winding, twVec3 point, twVec3* nearest, int* face);

// ---- distance fields ----

/// Signed distance to a closed surface at rest, negative inside: a lookup of a few ns near the surface. Constant after
/// creation, may be shared by threads; the mesh may go. docs/dynamics.md tells how it is made and how good it is.
typedef struct twField twField;

/// How to make one. Start from tw_field_def().
typedef struct twFieldDef
{
    double cell;       ///< edge of the fine cells near the surface [m]; 0: by area and size, see tw_field_info()
    double band;       ///< how far fine cells reach from the surface, at least [m]; 0: two cells
    double tolerance;  ///< how far interpolation may be off at the surface, in cells; where it is, distances are exact
} twFieldDef;
twFieldDef tw_field_def(void);  ///< automatic cell and band, tolerance 1e-3

/// Walls may be thinner than a cell. On failure *out is NULL.
/// @return TW_BAD_INPUT if the surface is empty, open, inside out, flat, not finite or of faces that disagree on what is
/// outside, saying which; or if the cells are too small to count
twStatus tw_field_create(twField** out, const twMesh* mesh, const twFieldDef* def, twError* err);
void tw_field_destroy(twField* field);  ///< NULL is fine
/// Distance at a point and its gradient (may be NULL). Inside the band it is right to the tolerance at the surface, and to
/// 2 % of the distance away from it. Outside it is a lower bound of the right sign, nowhere larger than the distance, and
/// the gradient a hint. Real-time safe.
double tw_field_at(const twField* field, twVec3 point, twVec3* gradient);
/// The same without the exact parts: never farther from 0 than the distance, and cheap everywhere. Real-time safe.
double tw_field_bound(const twField* field, twVec3 point);

/// The point of the surface nearest to another.
typedef struct twFieldFoot
{
    double distance;   ///< signed [m]
    twVec3 point;      ///< on the surface
    twVec3 normal;     ///< gradient of the distance: unit, outward
    int face;          ///< of the mesh; -1: none
    double weight[3];  ///< of the face's corners
} twFieldFoot;
/// Exact, from some 10 ns close to the surface to microseconds far from it. Real-time safe.
twFieldFoot tw_field_foot(const twField* field, twVec3 point);
/// The nearest of the faces that look along the unit vector facing (normal . facing > least) and are not farther away than
/// reach: one side of a thin wall. normal is the face's, distance along it. face is -1 if there is none. From some 10 ns
/// close to the surface to microseconds. Real-time safe.
twFieldFoot tw_field_side(const twField* field, twVec3 point, twVec3 facing, double least, double reach);

typedef struct twFieldInfo
{
    twVec3 low, high;   ///< box of the surface [m]
    double cell, band;  ///< as used [m]
    int bricks;         ///< blocks of 4 x 4 x 4 fine cells
    int linear, exact;  ///< fine cells that are interpolated, and that look at their faces
    int longest_list;   ///< faces of a cell
    double mean_list;   ///< faces of an exact cell
    size_t bytes;       ///< memory in all
} twFieldInfo;
twFieldInfo tw_field_info(const twField* field);

// ---- tetrahedra ----

typedef struct twTet
{
    int n[4];
} twTet;

/// What a file calls a region.
typedef struct twTetRegion
{
    int64_t tag;    ///< its number in the file
    char name[64];  ///< "" if it has none
} twTetRegion;

/// A tetrahedral mesh. mid_nodes, if present, makes it quadratic: node of edge 01, 12, 20, 03, 13, 23 of each tet.
typedef struct twTetMesh
{
    int node_count, tet_count;
    twVec3* nodes;             ///< (nodes) corners first, then mid-edge nodes [m]
    twTet* tets;               ///< (tets)
    int (*mid_nodes)[6];       ///< (tets) or NULL
    int* regions;              ///< (tets), from 0; NULL: all 0
    int region_count;          ///< of a file; 0: not from a file
    twTetRegion* region_list;  ///< (regions), tags rising; NULL if there are none
} twTetMesh;

twStatus tw_tets_create(twTetMesh** out, int node_count, int tet_count, twError* err);
void tw_tets_destroy(twTetMesh* tets);
/// Read Gmsh .msh (2.2 and 4.1, text and binary) or TetGen .node/.ele (either name). Tets come back positive, nodes of no
/// tet are dropped; physical groups (volumes, if there are no groups) or attributes are regions, numbered from 0 in the
/// order of their values, which region_list keeps.
twStatus tw_tets_load(twTetMesh** out, const char* path, double scale, twError* err);
twMassProperties tw_tets_mass(const twTetMesh* tets, const double* density);  ///< density per region [kg/m^3]
/// Boundary triangles, outward, with the node index of every vertex in *node_of (vertices; free() it). Quadratic meshes
/// give four triangles per face.
twStatus tw_tets_surface(twMesh** out, int** node_of, const twTetMesh* tets, twError* err);
/// Add straight mid-edge nodes to a linear mesh. snap (may be NULL) moves a mid node that lies on the boundary to where it
/// belongs on the true surface; elements that this would fold are made straight again.
twStatus tw_tets_make_quadratic(twTetMesh* tets, twVec3 (*snap)(twVec3 point, void* context), void* context,
                                twError* err);

typedef struct twTetQuality
{
    double least_dihedral_deg, greatest_dihedral_deg;
    double least_volume, mean_edge, least_edge;
    double worst_aspect;  ///< circumradius over three times the inradius; 1 is regular
    int inverted;         ///< tets of no or negative volume
} twTetQuality;
twTetQuality tw_tets_quality(const twTetMesh* tets);

// ---- filling ----

/// How to fill a surface with tetrahedra (isosurface stuffing). Start from tw_fill_def(). See docs/fill.md.
typedef struct twFillDef
{
    double spacing;  ///< lattice edge near the surface, across thin walls [m]; 0: from the thickness and max_tets
    double interior_growth;  ///< >= 1: how much coarser inside (2: doubles per layer); 1: uniform
    double stretch;          ///< 1 to 10: how much longer cells may be along plates, bars and tubes; 1: cubes
    int max_tets;            ///< refuse more
    bool (*keep_going)(double done,
                       void* context);  ///< told the part done; false stops with TW_INTERRUPTED; may be NULL
    void* context;
} twFillDef;
twFillDef tw_fill_def(void);  ///< automatic spacing, uniform, at most 200000 tets

typedef struct twFillReport
{
    double spacing;           ///< longest lattice edge used [m]
    double thinnest;          ///< estimated wall thickness, 5th percentile over the surface [m]
    double elements_through;  ///< lattice cells through the thinnest wall; a cell is two elements or more
    double volume_error;      ///< filled volume over the surface's own, less 1
    double open_share;        ///< part of the result's outside that is not on the surface: over holes
    double unused_share;      ///< part of the surface that is not on the result's outside: inside it, or around nothing
    int pieces;               ///< of the result, joined by faces of tets
    int dropped_pieces;       ///< pieces with less than 1 % of the volume of the largest, which are left out
    twTetQuality quality;
} twFillReport;
/// What is remarkable about it, in words; "" if nothing is. @return out
const char* tw_fill_describe(char* out, size_t bytes, const twFillReport* report);

/// Fill a surface with linear tets. Inside is where the winding number exceeds 1/2, so holes and overlaps are tolerated; a
/// surface inside out as a whole is turned; mend it first if only parts are. report may be NULL. On failure *out is NULL.
/// @return TW_BAD_INPUT if the surface is empty, not finite, smaller than 1e-12 m or larger than 1e+12 m, encloses nothing
/// or is open over more than a quarter of what it would enclose; TW_NO_MEMORY if it would take more than max_tets, with one
/// cell through its walls or the given spacing; TW_INTERRUPTED.
twStatus tw_tets_fill(twTetMesh** out, const twMesh* surface, const twFillDef* def, twFillReport* report, twError* err);
/// How thick the walls of a body are, by rays from 240 points of its surface [m]: thinnest is the 5th percentile, usual the
/// median. @return TW_BAD_INPUT if it encloses nothing
twStatus tw_mesh_thickness(double* thinnest, double* usual, const twMesh* surface, twError* err);
/// Make a filled mesh quadratic, with mid nodes of boundary edges on the surface, and of those along its sharp edges on
/// these. Elements that would fold keep straight edges; *straight (may be NULL) counts these mid nodes.
twStatus tw_tets_curve(twTetMesh* tets, const twMesh* surface, int* straight, twError* err);

// ---- shapes ----

/// A procedural shape of exact dimensions, from text: a name, a colon, lengths in metres in order or by name, such as
/// "bar:0.3048x0.0254x0.0127", "sphere:0.045", "mug:", "fork:prong=0.09,width=0.004". All of them: docs/shapes.md.
typedef struct twShape twShape;
/// @return TW_BAD_INPUT saying what is wrong and what the shape's syntax is.
twStatus tw_shape_parse(twShape** out, const char* text, twError* err);
void tw_shape_destroy(twShape* shape);       ///< NULL is fine
bool tw_shape_looks_like(const char* text);  ///< does text begin with the name of a shape, or nearly, and a colon?
/// What a text that names no file was probably meant to be, such as "bowl:" for "bowl"; "" if that
/// is not to be told. @return out
const char* tw_shape_meant(char* out, size_t bytes, const char* text);
const char* tw_shape_syntax(int index);  ///< "bar:LENGTHxWIDTHxTHICKNESS" and so on, NULL past the last
/// Its surface, closed and outward, with edges of about the given length [m].
twStatus tw_shape_surface(twMesh** out, const twShape* shape, double edge, twError* err);
/// The same with at least so many edges around slender round shapes: tubes, cylinders, rings, chutes.
twStatus tw_shape_surface_round(twMesh** out, const twShape* shape, double edge, int round, twError* err);
/// A structured volume mesh, quadratic with mid nodes on the true surface. edge is the wanted element size along the
/// shape [m], through_thickness the least number of elements across its thinnest wall, 1 to 256.
/// @return TW_BAD_INPUT if that makes more than 20 million nodes.
twStatus tw_shape_tets(twTetMesh** out, const twShape* shape, double edge, int through_thickness, twError* err);
/// The same with each element cut into so many along the shape, 1 to 1024; walls thinner than an edge are cut once the
/// pieces are shorter than they are thick, into 2, 4, 8. Unlike with shorter edges, the sizes of elements of two such
/// meshes are exactly as the cuts, and errors can be compared.
twStatus tw_shape_tets_cut(twTetMesh** out, const twShape* shape, double edge, int cuts, int through_thickness,
                           twError* err);
double tw_shape_thickness(const twShape* shape);  ///< smallest wall [m]

#ifdef __cplusplus
}
#endif
