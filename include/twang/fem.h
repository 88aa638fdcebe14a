// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"
#include "twang/modal.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Fem: the free vibrations of an elastic solid, from its tetrahedra. Part of the host library.
///
/// Solves   K x = w^2 M x   for the lowest modes: linear elasticity, isotropic or orthotropic, 4- or 10-node tetrahedra,
/// consistent mass. Rigid motions (w = 0) are counted but not listed.

/// The stages, in order, as they are named to keep_going: assemble, order, factor, modes, check.
/// Called from the caller's thread, also while a factorisation runs, which ends before a stop takes effect.
/// @return false to stop; done is the fraction of the stage, 0 to 1
typedef bool (*twFemProgress)(const char* stage, double done, void* context);

/// What to analyse, and how well. Start from tw_fem_def().
typedef struct twFemDef
{
    const twTetMesh* tets;
    bool linear;  ///< 4-node elements even if the mesh has mid nodes; false: 10-node elements, which need mid nodes
    int material_count;
    const twMaterial* materials;  ///< (materials), by region of the tets: density and elastic constants are used
    twMat3 fibre;  ///< of orthotropic ones: the axes L, R, T as columns, see tw_fibre_axes(); all 0: x, y, z
    int fixed_count;
    const int* fixed_nodes;    ///< (fixed) nodes that cannot move; repeats are fine
    int count;                 ///< elastic modes wanted; 0: all up to max_freq_hz
    double max_freq_hz;        ///< no modes above; 0: no limit. With both, whichever is reached first
    double tolerance;          ///< relative residual of the shifted and inverted problem, see twFemModes.residual
    size_t max_memory_bytes;   ///< refuse to use more; 0: what the machine has free
    bool verify_count;         ///< prove, if need be by a second factorisation (Sturm count), that no mode was missed
    int threads;               ///< of the BLAS
    twFemProgress keep_going;  ///< may be NULL
    void* context;             ///< for keep_going
} twFemDef;
twFemDef tw_fem_def(void);  ///< no mesh, 10-node elements, 32 modes, tolerance 1e-6, one thread

/// Time used by each stage [s].
typedef struct twFemSeconds
{
    double assemble, order, factor, modes, check, total;
} twFemSeconds;

/// The modes found. Constant after creation; read the fields directly.
typedef struct twFemModes
{
    int count;              ///< elastic modes, lowest first; fewer than wanted if the mesh has no more
    int rigid_modes;        ///< motions without energy, not listed: 6 for each free piece
    int pieces;             ///< connected pieces that can move
    int node_count;         ///< of the mesh; rows of each shape
    int active_nodes;       ///< nodes that move: used by an element and not fixed
    int element_count;      ///< tets
    const double* freq_hz;  ///< (modes) [Hz]
    const double*
        residual;  ///< (modes) |A x - t x| / t in the mass norm, A = (K - s M)^-1 M: bounds the relative error
                   ///< of w^2 - s; its square over the gap to the next mode estimates it
    /// (modes x nodes x 3), x^T M x = 1 [kg^-1/2]. Zero at fixed nodes and at nodes no element uses; with linear
    /// elements mid nodes get the mean of their corners.
    const double* shape;
    double mass;           ///< of the whole body, fixed parts included [kg]
    double rigid_freq_hz;  ///< largest frequency a rigid motion has by round-off [Hz]
    bool verified;         ///< the count was proved
    twFemSeconds seconds;
    size_t peak_memory_bytes;    ///< held at once by this analysis, the factor included
    size_t factor_memory_bytes;  ///< by the sparse factor alone
} twFemModes;

/// Find the modes. On failure *out is NULL.
/// @return TW_BAD_INPUT naming the tet, node, region or parameter; TW_NO_MEMORY if max_memory_bytes does not suffice,
/// found before the memory is used; TW_NO_CONVERGE; TW_INTERRUPTED if keep_going returned false.
twStatus tw_fem_modes_create(twFemModes** out, const twFemDef* def, twError* err);
void tw_fem_modes_destroy(twFemModes* modes);  ///< NULL is fine

/// Shares of each material in the kinetic and the elastic energy of every mode, (modes x materials) each; the shares of
/// a mode sum to 1. def is what the modes were found with.
twStatus tw_fem_energy(const twFemModes* modes, const twFemDef* def, double* kinetic, double* elastic, twError* err);
/// Shares of one tet in both energies (modes).
void tw_fem_tet_energy(const twFemModes* modes, const twFemDef* def, int tet, double* kinetic, double* elastic);

#ifdef __cplusplus
}
#endif
