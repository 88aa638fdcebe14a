// SPDX-License-Identifier: MIT
#pragma once
#include "fem/shell_element.h"
#include "fem/system.h"
#include "fem/weyl.h"

enum
{
    SHELL_TIE_VERTICES = 5  // of an edge or a vertex, and of a face
};

// Two points that move together: sum of weight (u + theta x arm) = 0 and sum of weight theta = 0
// over its vertices.
typedef struct ShellTie
{
    int count;
    int vertex[SHELL_TIE_VERTICES];
    double weight[SHELL_TIE_VERTICES];  // sum to 0
    twVec3 arm[SHELL_TIE_VERTICES];     // [m]
} ShellTie;

// a surface of one round, and what it is made of
typedef struct ShellBody
{
    const twMesh* mesh;  // the middle surface
    const bool* held;    // (vertices) cannot move or rotate; NULL: none
    double thickness;    // [m]
    int material_count;
    const twMaterial* materials;  // by region of the faces
    twMat3 fibre;                 // as in twFemDef
    int tie_count;
    const ShellTie* ties;
} ShellBody;

static inline const twMaterial* shell_material(const ShellBody* body, int face)
{
    return &body->materials[body->mesh->regions ? body->mesh->regions[face] : 0];
}

// K and M of a shell as a system: vertex v that moves has the nodes 2 active[v], its displacement,
// and 2 active[v] + 1, its rotation times *rotation_length. *out is NULL on failure.
typedef struct ShellSystem
{
    FemSystem* fem;
    double rotation_length;  // without units
    double area;             // without units
    double* rigid;           // (3 nodes x rigid_count), orthonormal in the mass norm
    int rigid_count;
} ShellSystem;

twStatus shell_system_create(ShellSystem* out, const ShellBody* body, FemMemory* memory, twError* err);
void shell_system_destroy(ShellSystem* system, FemMemory* memory);
// Matrices of a face without units. free_edge: its sides that no other face has.
bool shell_system_element(ShellElement* element, const ShellSystem* system, const ShellBody* body, int face,
                          const bool free_edge[3]);
// sides of faces that belong to one face only and are not tied: (faces) bits 0 to 2; free with
// fem_free(). NULL: no memory
uint8_t* shell_free_edges(const ShellBody* body, FemMemory* memory);
// what a face is made of, without units
ShellPly shell_system_ply(const ShellSystem* system, const ShellBody* body, int face);
// how many modes to expect
FemWeyl shell_weyl(const ShellSystem* system, const ShellBody* body);
