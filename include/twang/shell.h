// SPDX-License-Identifier: MIT
#pragma once
#include "twang/fem.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Shell: the free vibrations of a thin body, from its surface and a thickness. Part of the host
/// library.
///
/// Each triangle is a flat piece of shell that stretches, bends and shears; six unknowns at each
/// vertex. The surface is divided until the frequencies are as accurate as wanted. docs/shell.md
/// has the equations and how well they do.

/// What to analyse, and how well. Start from tw_shell_def().
typedef struct twShellDef
{
    const twMesh*
        surface;       ///< mended (tw_mesh_mend()); open, closed or of several parts; its regions choose the materials
    double thickness;  ///< [m]
    bool hollow;       ///< the surface is the outer face of a wall, not its middle: the middle lies thickness/2 inside
    int material_count;
    const twMaterial* materials;  ///< (materials), by region of the faces: density and elastic constants are used
    twMat3 fibre;                 ///< as in twFemDef
    const bool* held;             ///< (vertices) those that cannot move or rotate; NULL: none
    int count;                    ///< elastic modes wanted; 0: all up to max_freq_hz
    double max_freq_hz;           ///< no modes above; 0: no limit. With both, whichever is reached first
    double accuracy;              ///< relative error of frequencies by dividing into triangles; 0: 0.003
    double surface_error;         ///< relative error of frequencies that comes with the surface, see tw_shell_divide()
    double max_operations;        ///< floating-point operations in all; 0: any. The best round within it is the result
    size_t max_memory_bytes;      ///< refuse to use more; 0: what the machine has free
    int threads;                  ///< of the BLAS
    twFemProgress keep_going;     ///< may be NULL; its stages come again in each round
    void* context;                ///< for keep_going
} twShellDef;
twShellDef tw_shell_def(void);  ///< no surface, 32 modes, accuracy 0.003, one thread

/// The modes found. Constant after creation; read the fields directly.
typedef struct twShellModes
{
    int count;              ///< elastic modes, lowest first
    int rigid_modes;        ///< motions without energy, not listed: 6 for each free piece
    int pieces;             ///< that can move, after welding
    int welded;             ///< parts that share no vertex with the rest but touch it, and are joined
    int vertex_count;       ///< of the surface; rows of each shape
    const double* freq_hz;  ///< (modes) [Hz]
    const double* error;    ///< (modes) estimate of |f - true f| / f: triangles, theory and surface; either sign
    const double* shape;    ///< (modes x vertices x 3), displacement of the surface at unit modal mass [kg^-1/2]
    const double* kinetic;  ///< (modes x materials) shares of the materials in the kinetic energy
    const double* elastic;  ///< (modes x materials) and in the elastic energy
    int material_count;
    twMassProperties mass;  ///< of the shell, held parts included
    int rounds;             ///< solved, each finer than the one before
    int elements;           ///< triangles of the last
    double operations;      ///< floating-point operations of all rounds
    double seconds;
    size_t peak_memory_bytes;
    char note[512];  ///< what to know of this body: parts apart, a wall too thick for a shell; "" if there is nothing
} twShellModes;

/// Find the modes. On failure *out is NULL.
/// @return TW_BAD_INPUT if the surface has no face, no area or coordinates that are not finite, if
/// the thickness is not positive or larger than the body, or if a material is not one; TW_LIMIT if
/// not even a coarse surface can be solved within max_operations; TW_NO_MEMORY; TW_NO_CONVERGE;
/// TW_INTERRUPTED if keep_going returned false.
twStatus tw_shell_modes_create(twShellModes** out, const twShellDef* def, twError* err);
void tw_shell_modes_destroy(twShellModes* modes);  ///< NULL is fine

/// Estimate of what the theory of shells is off by in the highest mode wanted, relative, before anything is solved: at sharp edges walls
/// meet in blocks, where they are curved terms of order (thickness/radius)^2 are missing, and of short waves those of order
/// (thickness/wave)^2. Walls of any thickness.
twStatus tw_shell_theory_error(double* out, const twShellDef* def, twError* err);
/// A mended surface with no edge longer than this [m], new vertices on the curve that the given ones suggest; without regions. error:
/// how much the frequencies may be off because the curve is a guess, for twShellDef.surface_error. On failure *out is NULL.
twStatus tw_shell_divide(twMesh** out, double* error, const twMesh* surface, double longest, twError* err);

#ifdef __cplusplus
}
#endif
