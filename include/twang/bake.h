// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"
#include "twang/modal.h"
#include "twang/part.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Bake: from a mesh or shape to its modes, and to their sound in the air.

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
    const char* source;  ///< a shape ("bar:0.3x0.02x0.01"), a surface file, or a tet file (.msh, .node, .ele)
    const twMesh* mesh;  ///< a surface instead, which source is only the name of; NULL: none
    double scale;        ///< of a file's coordinates: 0.001 for mm
    double
        thickness;  ///< of a surface that is a shell: of the walls of a closed one, of an open sheet [m]; 0: a closed
                    ///< surface is solid, an open one a sheet of 1 % of its longest side
    twMaterial material;  ///< of all that no region claims
    twFibre fibre;        ///< how the grain of orthotropic materials lies, in the coordinates of the source
    int region_count;
    const twBakeRegion* regions;  ///< (regions) where they overlap the later one wins
    bool no_rest;                 ///< the regions must claim all of the body
    twDamping damping;
    int decay_count;      ///< one per mode that is found, for TW_DAMPING_MODES
    const double* decay;  ///< [1/s]
    bool linear;          ///< 4-node elements
    int count;            ///< elastic modes wanted; 0: all up to max_freq_hz
    double max_freq_hz;   ///< 0: no limit
    double accuracy;      ///< wanted relative error of the lowest ten frequencies, higher ones k/10 times that; 0: of
                          ///< shapes 0.1 %, with walls below a tenth of their size 0.2 %; of surfaces 0.3 %
    double budget;  ///< of surfaces: no round that would pass so many seconds at 2e9 operations per second, counted
                    ///< in operations, so that results do not depend on the machine; 0: no limit
    size_t max_memory_bytes;  ///< 0: what the machine has free
    int hold_count;
    const twPart* holds;                                                ///< (holds) where the body cannot move
    bool with_tets;                                                     ///< keep the tets and the motion inside
    const char* cache_folder;                                           ///< NULL: no cache
    size_t cache_max_bytes;                                             ///< what was not used for longest is removed
    bool (*keep_going)(const char* stage, double done, void* context);  ///< may be NULL
    /// The modes of a surface so far, before a better round; the report of tw_bake() has their errors. The set is for the
    /// call only. False interrupts. May be NULL.
    bool (*on_round)(const twModeSet* set, void* context);
    void* context;
} twBakeDef;
twBakeDef tw_bake_def(void);  ///< steel with its own damping, 32 modes, usual accuracy, budget of 40 s, cache of 4 GB
#define TW_BAKE_RATE 2e9      ///< operations per second of a budget
/// Errors from here on say that a frequency is not known: to first order its square would fall by all of it.
#define TW_BAKE_UNKNOWN 0.5

/// How an analysis went. From the cache it is the report of the analysis that made the result.
typedef struct twBakeReport
{
    bool cached;  ///< found in the cache
    int nodes, elements, rigid_modes,
        levels;             ///< of the last mesh or round: nodes or functions, tets or cells; how many
    int held_nodes;         ///< of the last mesh
    double size;            ///< longest side of the body's box; known even if the rest failed [m]
    double error_estimate;  ///< relative; 0: not estimated (a given tet mesh)
    double error_lowest;    ///< the same of the lowest ten modes
    double error_known;     ///< the same of all below TW_BAKE_UNKNOWN
    int unknown_modes;      ///< how many are not
    double error_weighted;  ///< the same with mode k counting 10/k times: what accuracy is about
    bool one_sided;         ///< frequencies are too high, if anything
    double operations;      ///< of surfaces: spent
    double foreseen_operations,
        next_operations;  ///< before the last round; with the next one, if the budget stopped it
    double mesh_seconds, assemble_seconds, order_seconds, factor_seconds, solve_seconds, total_seconds;
    double load_seconds;  ///< to get it from the cache
    size_t peak_memory_bytes;
    char note[1024];  ///< what was done to the surface, or what stopped the refinement; "" if nothing
} twBakeReport;

/// The modes of a body. Meshes are refined until two of them agree to the wanted accuracy or the memory ends.
/// @return TW_BAD_INPUT naming what is wrong, TW_NO_MEMORY, TW_INTERRUPTED. A cache that cannot be used is no failure.
twStatus tw_bake(twModeSet** out, const twBakeDef* def, twBakeReport* report, twError* err);
/// From "x", "0,1,0.5" or, with the radial direction, "x:y". @return TW_BAD_INPUT saying what to write
twStatus tw_fibre_parse(twFibre* out, const char* text, twError* err);
bool tw_fibre_given(const twFibre* fibre);  ///< false: by the box of the body
/// The user's cache folder for Twang, from the environment. @return out
const char* tw_cache_folder(char* out, size_t bytes);

// ---- the sound of modes in the air ----

/// How a mode went.
typedef struct twTransferModeReport
{
    bool baked;              ///< false: above the limit, left out, or it failed
    bool estimated;          ///< left out by the budget, or failed
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
    int min_panels, max_panels;  ///< in between as many as the wavelength needs; the most if most of the flux cancels
    double panels_per_wave;      ///< wavelength over the mean edge, between these limits
    int more_orders;  ///< of moments than ceil(k R): 4 keep power within 0.1 dB, 10 the field nearer than 2 R
    double
        budget;  ///< of modes [s], at TW_BAKE_RATE operations per second, counted in operations, so that results do not
                 ///< depend on the machine; octaves take turns, the loudest modes of each first; 0: no limit
    int threads;               ///< a mode each; results do not depend on it; 0: all processors
    size_t max_memory_bytes;   ///< of all threads together; 0: what the machine has free
    const char* cache_folder;  ///< results are kept mode by mode; NULL: no cache
    /// Modes done of all that are to be baked, and the fraction of the work. False interrupts: what is done stays in the
    /// cache. Called by the caller's thread, several times a second. May be NULL.
    bool (*keep_going)(int done, int count, double fraction, void* context);
    void* context;
    twTransferModeReport* modes;  ///< (modes of the set), filled; may be NULL
} twTransferBakeDef;
/// Air at 20 degrees, 20 kHz, 1000 panels, 4 more orders, no budget, no cache: loudness within 1 dB.
twTransferBakeDef tw_transfer_bake_def(const twModeSet* set);
/// The same with 1000 to 2000 panels, 10 per wave and 10 more orders: directions and the field near by, too.
twTransferBakeDef tw_transfer_fine_def(const twModeSet* set);

/// How it went.
typedef struct twTransferBakeReport
{
    int wanted, baked, cached, failed;  ///< modes below the limit; done, of them from the cache; that did not converge
    int left;                           ///< modes below the limit that are estimated, failed ones among them
    double left_db;                     ///< their share of the loudness of all [dB]; -HUGE_VAL if there are none
    double seconds;
    char note[512];  ///< what falls short; "" if nothing
} twTransferBakeReport;

/// The acoustic transfer of the modes of a body, by boundary elements on a coarse copy of its surface: each mode's flux
/// through a panel is that through the part of the surface that the panel stands for. Modes within 0.3 % share equations. Modes
/// that are left out are estimated, as by tw_transfer_complete(). On failure *out is NULL.
/// @return TW_BAD_INPUT if the surface is open or a limit is not usable; TW_NO_MEMORY, TW_INTERRUPTED
twStatus tw_bake_transfer(twTransfer** out, const twTransferBakeDef* def, twTransferBakeReport* report, twError* err);
// ---- radiation: that sound, and what it takes from the modes ----

typedef enum twRadiation
{
    TW_RADIATION_BAKED,     ///< by boundary elements, all modes that the budget allows
    TW_RADIATION_ESTIMATE,  ///< none baked
    TW_RADIATION_FINE,      ///< all modes, for near listeners and directions too
} twRadiation;
bool tw_radiation_parse(const char* name, twRadiation* out);  ///< "baked", "estimate", "fine"

typedef struct twRadiationDef
{
    twRadiation quality;
    double budget;  ///< of "baked" [s] at TW_BAKE_RATE operations per second; 0: 1 s and 25 ms per mode
    double sound_speed, air_density;  ///< [m/s], [kg/m^3]
    const char* cache_folder;         ///< NULL: no cache
    /// While it is baked: stage is "radiation". False interrupts: what is done stays in the cache. May be NULL.
    bool (*keep_going)(const char* stage, double done, void* context);
    void* context;
} twRadiationDef;
twRadiationDef tw_radiation_def(void);  ///< baked, air at 20 degrees, no cache

/// Give a set its acoustic transfer, and add what its modes radiate to their decays if these are of the solid alone: damping by
/// materials with a loss factor. A set that has a transfer keeps it; adding twice changes nothing. A surface that cannot be baked
/// stays estimated, and the note says why. report may be NULL. @return TW_NO_MEMORY, TW_INTERRUPTED
twStatus tw_radiate(twModeSet** set, const twRadiationDef* def, twTransferBakeReport* report, twError* err);
/// What the cache has of the modes of a set, in such air, baked with whatever settings; modes it does not have are of order
/// -1 (see tw_transfer_complete()). NULL if it has none. Free it with tw_transfer_destroy().
twTransfer* tw_transfer_find(const twModeSet* set, const char* cache_folder, double sound_speed, double air_density);

#ifdef __cplusplus
}
#endif
