// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Modal: the modes of a sounding object (twModes, data) and the bank of resonators that sounds them (twBank, state).
///
/// Mode k of an object obeys   q'' + 2 c q' + w0^2 q = F / m,   with natural angular frequency w0 = 2 pi freq_hz,
/// amplitude decay c [1/s] and modal mass m [kg]. A force f at a point with shape value t gives F = t f; the
/// displacement there is the sum of t q over the modes, so coupling is reciprocal. A rigid mass is a mode at 0 Hz.
/// With w = sqrt(w0^2 - c^2) the response to an impulse J is  q(t) = J s exp(-c t) sin(w t) / (m w), s the shape value.

#define TW_MAX_MODES (1 << 24)       ///< modes of one object
#define TW_MAX_WEIGHTS (1 << 28)     ///< points x modes, and pickups x modes, of one object
#define TW_MAX_BANK_MODES (1 << 26)  ///< modes of one bank

// ---- the data ----

/// What the modes of one object are. Start from tw_modes_def().
typedef struct twModesDef
{
    int mode_count;
    const double* freq_hz;  ///< natural frequency w0/2pi (modes) [Hz]; 0 is a rigid mass
    const double* decay;    ///< amplitude decay c        (modes) [1/s]; NULL: none
    const double* mass;     ///< modal mass               (modes) [kg]; NULL: 1
    int point_count;        ///< contact points, at least 1
    const double* shape;    ///< shape value at each point (points x modes), row-major; NULL: all 1
    int pickup_count;       ///< pickups, at least 1
    const double* pickup;   ///< weight of each mode      (pickups x modes), row-major; NULL: the shape of point 0
} twModesDef;
twModesDef tw_modes_def(void);  ///< no modes, one point, one pickup

/// The modes of one object. Constant after creation; read the fields directly.
typedef struct twModes
{
    int mode_count, point_count, pickup_count;
    const double* freq_hz;
    const double* decay;
    const double* mass;
    const double* shape;
    const double* pickup;
} twModes;

/// Copy def into one block. @return TW_BAD_INPUT naming the mode if a frequency or decay is negative or not finite,
/// a mass is not positive, a weight is not finite, or a count is out of range.
twStatus tw_modes_create(twModes** out, const twModesDef* def, twError* err);
void tw_modes_destroy(twModes* modes);  ///< NULL is fine
/// A free rigid mass [kg]: one mode at 0 Hz.
twStatus tw_modes_rigid(twModes** out, double mass, twError* err);

// ---- series: families of modes in closed form ----

typedef enum twSeries
{
    TW_SERIES_STRING,      ///< ends held: harmonic
    TW_SERIES_BAR,         ///< both ends free, bending
    TW_SERIES_CANTILEVER,  ///< one end held, bending
} twSeries;
bool tw_series_parse(const char* name, twSeries* out);             ///< "string", "bar", "cantilever"
double tw_series_ratio(twSeries kind, int mode);                   ///< frequency over the first mode's; mode from 0
double tw_series_shape(twSeries kind, int mode, double position);  ///< at 0..1 along the length; 1 at most
double tw_series_mass_share(twSeries kind);                        ///< modal mass over whole mass

// ---- the bank ----

/// Sounding state of many objects in one pass: one resonator per mode, driven by known forces. Exact at the samples
/// (impulse invariance): a force sample f[n] is an impulse f[n]/rate at that instant, and the output sample n is
/// taken just after it (so it shows in the velocity at n, in the displacement from n + 1 on).
typedef struct twBank twBank;

typedef enum twPrecision
{
    TW_FLOAT,   ///< float coupled form: fastest
    TW_DOUBLE,  ///< double coupled form
} twPrecision;

typedef enum twQuantity
{
    TW_DISPLACEMENT,  ///< [m]
    TW_VELOCITY,      ///< [m/s]
} twQuantity;

/// One object of a bank.
typedef struct twBankObject
{
    const twModes* modes;      ///< copied
    int input_count;           ///< forces; input i acts at input_point[i]
    const int* input_point;    ///< (inputs) index into the modes' points; NULL: 0, 1, 2 ...
    int output_count;          ///< signals; output i reads output_pickup[i]
    const int* output_pickup;  ///< (outputs) index into the modes' pickups; NULL: 0, 1, 2 ...
    twQuantity quantity;       ///< what the outputs deliver
} twBankObject;
twBankObject tw_bank_object(const twModes* modes);  ///< one input, one output, displacement

typedef struct twBankDef
{
    double rate_hz;
    twPrecision precision;
    int object_count;
    const twBankObject* objects;
} twBankDef;
twBankDef tw_bank_def(void);  ///< 48 kHz, float, no objects

/// Create a bank at rest; def is copied. On failure *out is NULL.
/// @return TW_BAD_INPUT if a frequency is not below rate/2, naming object and mode, or an index or count is out of
/// range; TW_NO_MEMORY.
twStatus tw_bank_create(twBank** out, const twBankDef* def, twError* err);
void tw_bank_destroy(twBank* bank);  ///< NULL is fine
void tw_bank_reset(twBank* bank);    ///< silence; parameters stay. Real-time safe.

/// Add n samples of every output. in holds one pointer per input over all objects in order [N]; NULL is silence. out
/// likewise; several may be the same buffer (a mix), NULL is not wanted; no output may overlap an input. in and out
/// themselves may be NULL. Input samples that are not finite or beyond 1e15 count as 0. Objects at rest with silent
/// inputs cost next to nothing. Real-time safe.
void tw_bank_process(twBank* bank, const float* const* in, float* const* out, int n);
void tw_bank_process_double(twBank* bank, const double* const* in, double* const* out, int n);  ///< the same in double

/// Changes while sounding. All take effect with the next block, without a click: weights ramp over the block, or over
/// 64 samples if it is shorter; a new frequency or decay keeps displacement and amplitude, so that no sequence of
/// changes can make a mode grow. Real-time safe. Values are copied; values out of range are clamped into it, values
/// that are not finite leave the old one, and both are counted.
void tw_bank_set_modes(twBank* bank, int object, const double* freq_hz, const double* decay);  ///< (modes); NULL: keep
/// Multiply everything by exp(-extra t) from now on, until set again (modes) [1/s]; NULL: none.
void tw_bank_set_extra_decay(twBank* bank, int object, const double* extra);
void tw_bank_set_input_weights(twBank* bank, int object, int input, const double* shape);     ///< (modes)
void tw_bank_set_output_weights(twBank* bank, int object, int output, const double* weight);  ///< (modes)
/// Modal displacements and velocities of an object (modes each), as they are and as they shall be; either may be NULL. A mode
/// that no input can drive in a bank of one input and one output takes no state. Real-time safe.
void tw_bank_state(const twBank* bank, int object, double* displacement, double* velocity);
void tw_bank_set_state(twBank* bank, int object, const double* displacement, const double* velocity);
/// Strike: add an impulse [N s] at an input at the start of the next block.
void tw_bank_impulse(twBank* bank, int object, int input, double impulse);

typedef struct twBankStats
{
    long clamped_values;  ///< parameters clamped into range or, if not finite, ignored
    long nan_inputs;      ///< input samples and impulses replaced by 0 because they were not finite or absurd
    long nan_outputs;     ///< output samples replaced by 0 because weights too large made them overflow
} twBankStats;
twBankStats tw_bank_stats(const twBank* bank);  ///< counts since creation

// ---- oscillators ----

/// Modes that ring by themselves, q'' + 2 c q' + w0^2 q = f, each as its pair of complex exponentials about the place where a
/// constant force f holds it, so that a step of any length is exact; over-, under- and critically damped, and w0 = 0. The pair is
/// kept in a real form that is smooth where the two meet. What is left alone gathers no round-off from step to step.
typedef struct twOscillators twOscillators;

/// At rest. freq_hz natural frequencies, decay c [1/s] (count each). @return TW_BAD_INPUT naming the mode, TW_NO_MEMORY
twStatus tw_oscillators_create(twOscillators** out, int count, const double* freq_hz, const double* decay,
                               twError* err);
void tw_oscillators_destroy(twOscillators* oscillators);  ///< NULL is fine
/// Everything below is real-time safe. Arrays are (count). Factors of a step are kept: repeating it costs no transcendental function.
void tw_oscillators_set(twOscillators* oscillators, const double* amplitude, const double* rate);  ///< NULL: 0
void tw_oscillators_get(const twOscillators* oscillators, double* amplitude, double* rate);        ///< NULL: not wanted
void tw_oscillators_impulse(twOscillators* oscillators, const double* impulse);                    ///< rate += impulse
void tw_oscillators_hold(twOscillators* oscillators, const double* force);  ///< f from now on; nothing jumps; NULL: 0
void tw_oscillators_advance(twOscillators* oscillators, double time);       ///< by any time >= 0 [s]
/// Where they would be that time from now, left alone; only the factors change. NULL: not wanted.
void tw_oscillators_ahead(twOscillators* oscillators, double time, double* amplitude, double* rate);
/// Amplitude and rate a time after an impulse of 1 on each mode at rest: s(t), s'(t) (S of equation 16 is s/t). NULL: not wanted.
void tw_oscillators_response(const twOscillators* oscillators, double time, double* amplitude, double* rate);
/// Kinetic and elastic energy, sum of (q'^2 + w0^2 q^2)/2, without that of the force [J].
double tw_oscillators_energy(const twOscillators* oscillators);

// ---- chimes: a bank that is played ----

/// One object that rings while what it is made of changes, without a click: inputs are forces at its points, outputs its pickups.
typedef struct twChime twChime;

#define TW_CHIME_FADE 0.02  ///< how long other modes take to come in [s]

typedef struct twChimeDef
{
    const twModes* modes;  ///< copied
    double rate_hz;
    twQuantity quantity;
} twChimeDef;
twChimeDef tw_chime_def(const twModes* modes);  ///< 48 kHz, velocity

twStatus tw_chime_create(twChime** out, const twChimeDef* def, twError* err);
void tw_chime_destroy(twChime* chime);  ///< NULL is fine
/// Become that, with as many points and pickups. The same number of modes with the same masses is tuned in place; others start
/// silent while those before fade out; at another rate the state is taken over. On failure nothing changes. Not real-time safe.
twStatus tw_chime_change(twChime* chime, const twChimeDef* def, twError* err);
bool tw_chime_fading(const twChime* chime);  ///< a change to other modes now would cut what fades out off
/// As their namesakes of the bank. Real-time safe.
void tw_chime_impulse(twChime* chime, int point, double impulse);
void tw_chime_process(twChime* chime, const float* const* in, float* const* out, int n);

// ---- materials ----

/// What makes a solid orthotropic, as wood is: other constants across the grain than along it. L is along the grain (the
/// fibres), R radial (from the pith outward), T tangential (along the growth rings). All 0: isotropic.
typedef struct twOrthotropy
{
    double young[2];    ///< E_R, E_T [Pa]; one 0: as the other. E_L is twMaterial.young
    double shear[3];    ///< G_LR, G_LT, G_RT [Pa]; 0: 1/G_ij = (1 + nu_ij)/E_i + (1 + nu_ji)/E_j (Saint-Venant)
    double poisson[3];  ///< nu_LR, nu_LT, nu_RT: contraction along j when stretched along i, nu_ij/E_i = nu_ji/E_j;
                        ///< 0: twMaterial.poisson sqrt(E_i/E_j) (Huber)
} twOrthotropy;

/// What makes thin metal lose energy as heat when it bends. All 0: nothing.
typedef struct twThermal
{
    double expansion;      ///< linear [1/K]
    double conductivity;   ///< [W/(m K)]
    double heat_capacity;  ///< [J/(kg K)]
} twThermal;

/// A loss factor that is largest at one frequency: strength x/(1 + x^2), x = 2 pi f time.
typedef struct twRelaxation
{
    double strength;  ///< twice the largest loss factor
    double time;      ///< [s]
} twRelaxation;

/// What a solid is made of, and how its modes decay (Rayleigh damping, or a loss factor, or both).
typedef struct twMaterial
{
    const char* name;
    double density;  ///< [kg/m^3]
    double young;    ///< Young's modulus [Pa]; of an orthotropic solid E_L, along the grain
    double poisson;  ///< Poisson's ratio; of an orthotropic solid for contacts, and where it has no own
    double alpha;    ///< damping by mass [1/s]
    double beta;     ///< damping by stiffness [s]
    double
        loss_factor;  ///< eta: what a cycle loses, over 2 pi times the energy; above 0: decays are of the solid alone
    double contact_damping;  ///< gamma: decay by what touches, per force and squared shape (docs/sound.md) [s/m]
    twThermal thermal;
    const char* source;  ///< where the numbers are from
    const char* note;    ///< "" if there is nothing to add
    twOrthotropy orthotropy;
} twMaterial;

#define TW_CONTACT_DAMPING 1e-2  ///< gamma of materials that are not built in [s/m]

const twMaterial* tw_materials(int* count);            ///< the built-in ones
const twMaterial* tw_material_find(const char* name);  ///< NULL if it is not built in
const char* tw_material_nearest(const char* name);     ///< the built-in name most like this one, or NULL
/// Decay c = (alpha + eta w + beta w^2)/2 of the amplitude exp(-c t) of a mode at w = 2 pi freq_hz [1/s].
double tw_material_decay(const twMaterial* material, double freq_hz);
/// Thermoelastic loss of a bending wall [m] of the material (Zener 1937); none without thermal constants.
twRelaxation tw_material_thermoelastic(const twMaterial* material, double wall);
double tw_relaxation_loss(twRelaxation relaxation, double freq_hz);  ///< loss factor at a frequency

/// What a support adds to alpha [1/s]: "free" (on a thread) 0, "hand" 60, "cloth" 140. @return false if it is none of these
bool tw_mounting_parse(const char* name, double* alpha);

// ---- stiffness ----

bool tw_material_is_orthotropic(const twMaterial* material);
/// All constants, with those that are not given; of an isotropic solid the same in all directions.
twOrthotropy tw_material_orthotropy(const twMaterial* material);
/// Whether the elastic constants are those of a solid. @return TW_BAD_INPUT naming the one that is out of range, if the
/// stiffness is not positive definite
twStatus tw_material_check(const twMaterial* material, twError* err);
/// Stiffness C [Pa] in the axes 1, 2, 3 = L, R, T: stress = C strain, in the order 11, 22, 33, 23, 13, 12, with the shear
/// strains 2 e_23, 2 e_13, 2 e_12. Of constants that pass tw_material_check().
void tw_material_stiffness(double c[6][6], const twMaterial* material);
/// The same in other axes. The columns of axes are those of c, in the new ones. out may not be c.
void tw_stiffness_rotate(double out[6][6], double c[6][6], twMat3 axes);
/// A copy with all moduli in a unit [Pa].
twMaterial tw_material_in_units(const twMaterial* material, double unit);
/// An isotropic solid to estimate with: of the geometric means of Young's and of the shear moduli.
twMaterial tw_material_isotropic(const twMaterial* material);

/// How the grain of orthotropic materials lies in a body; need not be unit or perpendicular. 0: by the body's box.
typedef struct twFibre
{
    twVec3 along;   ///< L; 0: along the longest side of the box
    twVec3 radial;  ///< R; 0: so that T is along the shortest side, as in a quarter-sawn board
} twFibre;
/// L, R, T as columns, perpendicular unit vectors, for a body whose box has these sides [m]. Of equal sides x comes first, then y.
/// @return TW_BAD_INPUT if R is along L or a direction is not finite
twStatus tw_fibre_axes(twMat3* out, const twFibre* fibre, twVec3 size, twError* err);

// ---- damping ----

typedef enum twDampingKind
{
    TW_DAMPING_RAYLEIGH,     ///< decay = (alpha + beta w^2)/2
    TW_DAMPING_LOSS_FACTOR,  ///< decay = pi eta f
    TW_DAMPING_CURVE,        ///< decay interpolated between given frequencies, log-log
    TW_DAMPING_MODES,        ///< decay given mode by mode
    TW_DAMPING_MATERIALS,    ///< by the materials' own constants and their shares of each mode's energy
} twDampingKind;

#define TW_MAX_DAMPING_POINTS 32

/// How modes decay. Plain data.
typedef struct twDamping
{
    twDampingKind kind;
    double alpha, beta;                                                   ///< Rayleigh [1/s], [s]
    double loss_factor;                                                   ///< eta
    int count;                                                            ///< points of the curve
    double freq_hz[TW_MAX_DAMPING_POINTS], decay[TW_MAX_DAMPING_POINTS];  ///< curve, frequencies rising
} twDamping;
twDamping tw_damping_rayleigh(double alpha, double beta);
twDamping tw_damping_loss_factor(double eta);
twDamping tw_damping_materials(void);
/// @return TW_BAD_INPUT if a value is negative, not finite or out of order.
twStatus tw_damping_check(const twDamping* damping, twError* err);
/// Decay of a mode [1/s]; 0 for TW_DAMPING_MODES and TW_DAMPING_MATERIALS, which need more than a frequency.
double tw_damping_decay(const twDamping* damping, double freq_hz);

// ---- mode sets: the modes of a whole surface, in a .twmodes file ----

/// A material of a body, and how much of the body it is.
typedef struct twModeMaterial
{
    char name[64];
    double density, young, poisson;   ///< [kg/m^3], [Pa]
    double alpha, beta, loss_factor;  ///< its own damping, as in twMaterial
    double volume;                    ///< [m^3]
    twRelaxation thermoelastic;       ///< loss by heat as the body's walls bend
} twModeMaterial;

#define TW_MAX_TRANSFER_ORDER 512  ///< harmonics of one mode's sound

/// How the modes of a body sound in the air around it, in the body's own axes. With centre C and radius R of a sphere
/// that holds the body's surface and k = w/c, mode j moving with the complex modal velocity z (time factor exp(-iwt))
/// has at a place x, r = |x - C|, the pressure
///     p(x) = z sum_{n=0..order} sum_{m=-n..n} A_nm h_n(k r)/h_n(k R) Y_nm(direction)  [Pa],
/// h_n the spherical Hankel function of the first kind and Y_nm the real orthonormal harmonics of tw_harmonics(). A_nm
/// are the harmonics of the pressure on the sphere of radius R per modal velocity [Pa / (kg^1/2 m/s)]. Valid for
/// r >= R. Read the fields directly; constant after creation.
typedef struct twTransfer
{
    int mode_count;
    int64_t moment_count;   ///< of all modes
    twVec3 centre;          ///< C, in the coordinates of the surface [m]
    double radius;          ///< R [m]
    double sound_speed;     ///< c [m/s]
    double air_density;     ///< [kg/m^3]
    const double* freq_hz;  ///< (modes) [Hz]
    const int* order;       ///< (modes); -1: not baked
    const int64_t* first;   ///< (modes) which moment is A_00; A_nm is n n + n + m further on
    const float* moments;   ///< (moments x 2) A_nm, real and imaginary part
    const float* error_db;  ///< (modes) fit error, 95 % of directions, beyond one radius; 0: not known
} twTransfer;

/// Copy a description into one block. @return TW_BAD_INPUT naming the mode if a value is not usable.
twStatus tw_transfer_create(twTransfer** out, const twTransfer* def, twError* err);
void tw_transfer_destroy(twTransfer* transfer);  ///< NULL is fine; not for the transfer inside a mode set

/// The vibration of a body, seen at the vertices of its surface, and inside if its tets are kept. Mass-normalised: modal
/// mass 1 kg, so that a force f at a vertex in direction d drives mode k with shape . d * f. One block; read the fields
/// directly; constant after creation.
typedef struct twModeSet
{
    int mode_count, vertex_count, face_count;
    int rigid_modes;          ///< motions without energy, not listed: 6 for a free body, 0 for a held one
    const double* freq_hz;    ///< natural frequencies, rising, without rigid modes (modes) [Hz]
    const double* decay;      ///< (modes) [1/s]
    const float* shape;       ///< (modes x vertices x 3) [kg^-1/2]
    const twVec3* vertices;   ///< (vertices) [m]
    const twTriangle* faces;  ///< (faces)
    twMassProperties mass;    ///< of the whole body, held parts included
    twDamping damping;        ///< what decay comes from
    double error_estimate;    ///< relative, of the frequencies; 0: not estimated

    int material_count;               ///< 0: not known
    const twModeMaterial* materials;  ///< (materials)
    const double* kinetic;            ///< share of each material in a mode's kinetic energy (modes x materials)
    const double* elastic;            ///< and in its elastic energy; both NULL: all in the first material

    // the tets, optional. Node n is vertex n for n < vertex_count, then come the inner ones: no node is there twice
    int tet_count, nodes_per_tet;  ///< 0 and 0; else 4 or 10 nodes, in the order of twTetMesh
    int inner_count;
    const int* tets;           ///< (tets x nodes_per_tet)
    const int* tet_materials;  ///< (tets) index into materials; NULL: all of the first
    const twVec3* inner;       ///< (inner) places of the inner nodes [m]
    const float* inner_shape;  ///< (modes x inner x 3) [kg^-1/2]

    const twTransfer* transfer;  ///< how the modes sound in the air; NULL: not baked
} twModeSet;

/// Copy a description, transfer included; its pointers may leave scope. decay NULL: from damping. @return TW_BAD_INPUT naming what is wrong.
twStatus tw_mode_set_create(twModeSet** out, const twModeSet* def, twError* err);
void tw_mode_set_destroy(twModeSet* set);  ///< NULL is fine
/// A copy with other damping; decay (modes) is for TW_DAMPING_MODES, otherwise NULL.
twStatus tw_mode_set_damp(twModeSet** out, const twModeSet* set, const twDamping* damping, const double* decay,
                          twError* err);

/// Write a .twmodes file (docs/twmodes.md). Atomic; the bytes depend on the contents alone.
twStatus tw_mode_set_save(const twModeSet* set, const char* path, twError* err);
/// The bytes of such a file in a new block; free() it. On failure *out is NULL.
twStatus tw_mode_set_encode(char** out, size_t* bytes, const twModeSet* set, twError* err);
/// Read one, checking its structure, checksum and every value.
twStatus tw_mode_set_load(twModeSet** out, const char* path, twError* err);
/// The same for bytes in memory (a mapped file, aligned to 8), without copying: bytes must outlive the set.
twStatus tw_mode_set_view(twModeSet** out, const void* bytes, size_t count, twError* err);

/// The same modes on another surface, any one, also open or of loose triangles, that lies in the tets of the set: each vertex moves as
/// the tet around it, one outside goes on straight from the nearest tet. The result has no tets. *outside (may be NULL): the largest
/// distance of a vertex from the tets [m]; 0: all lie inside. @return TW_BAD_INPUT if the set has no tets, or the mesh is empty or
/// not finite.
twStatus tw_mode_set_embed(twModeSet** out, const twModeSet* set, const twMesh* mesh, double* outside, twError* err);

int tw_mode_set_nearest(const twModeSet* set, twVec3 point);  ///< vertex nearest to a point
twVec3 tw_mode_set_normal(const twModeSet* set, int vertex);  ///< outward unit normal at a vertex
/// The vertex where so many of the lowest modes move most along the normal, which is where a blow is answered most.
twStatus tw_mode_set_liveliest(int* out, const twModeSet* set, int lowest, twError* err);
/// Displacement of a node per modal amplitude; with tets nodes go on inside: vertex_count + inner_count.
twVec3 tw_mode_set_shape(const twModeSet* set, int mode, int node);
/// The most a held force of 1 N anywhere on the surface moves anything there through a mode: max|shape|^2/w^2 [m/N].
double tw_mode_set_give(const twModeSet* set, int mode);

/// A contact point or pickup on a set: vertex and direction.
typedef struct twModePoint
{
    int vertex;
    twVec3 direction;  ///< unit
} twModePoint;

/// Which modes are worth keeping.
typedef struct twCullDef
{
    double low_hz, high_hz;  ///< outside: not heard (or, for pictures, above half the frame rate)
    double largest_force;    ///< [N]; 0: no test of visibility
    double smallest_motion;  ///< [m]: a mode that this force, held, moves less anywhere is dropped
} twCullDef;
typedef struct twCullReport
{
    int kept, too_low, too_high, too_stiff;
} twCullReport;
typedef enum twCullReason
{
    TW_CULL_KEPT,
    TW_CULL_TOO_LOW,
    TW_CULL_TOO_HIGH,
    TW_CULL_TOO_STIFF,
} twCullReason;

/// A copy without the modes that are not worth keeping; why says so of each mode (modes). why and report may be NULL.
/// @return TW_BAD_INPUT if a limit is negative, not finite, or the band is empty
twStatus tw_mode_set_cull(twModeSet** out, const twModeSet* set, const twCullDef* cull, twCullReason* why,
                          twCullReport* report, twError* err);
/// Lumped modes for banks and networks: shape values at points, weights at pickups, modes culled (cull may be NULL).
twStatus tw_mode_set_modes(twModes** out, const twModeSet* set, const twModePoint* points, int point_count,
                           const twModePoint* pickups, int pickup_count, const twCullDef* cull, twCullReport* report,
                           twError* err);

// ---- drafts: modes while they are being described ----

#define TW_MAX_DRAFT_MODES 65536
#define TW_MAX_DRAFT_ROWS 256  ///< points, and pickups

/// Modes described piece by piece, as messages and knobs do it: frequencies by a list, a series or a mode set, the rest in any order
/// after them, each with a default. What makes no sense is refused and changes nothing. Not real-time safe.
typedef struct twDraft twDraft;

/// A free mass of 1 kg. @return TW_BAD_INPUT if a count is not in 1 .. TW_MAX_DRAFT_ROWS
twStatus tw_draft_create(twDraft** out, int point_count, int pickup_count, twError* err);
void tw_draft_destroy(twDraft* draft);  ///< NULL is fine

/// Where frequencies come from. What was said of the rest and no longer fits is forgotten.
twStatus tw_draft_list(twDraft* draft, const double* freq_hz, int count, twError* err);
twStatus tw_draft_series(twDraft* draft, twSeries kind, double freq_hz, int count, twError* err);
twStatus tw_draft_set(twDraft* draft, twModeSet* set, twError* err);  ///< owns the set from here on, also if it fails

/// Of each mode, or one for all. Decays [1/s]; default: those of the set, or of steel, and none at 0 Hz. Masses [kg]: modal ones
/// of a list (default 1), the whole one of a series (default 1); a set has its own.
twStatus tw_draft_decay(twDraft* draft, const double* decay, int count, twError* err);
twStatus tw_draft_material(twDraft* draft, const char* name, twError* err);  ///< decays of a built-in material
twStatus tw_draft_mounting(twDraft* draft, const char* name,
                           twError* err);  ///< tw_mounting_parse(); not of given decays
twStatus tw_draft_mass(twDraft* draft, const double* mass, int count, twError* err);
twStatus tw_draft_pitch(twDraft* draft, double factor, twError* err);    ///< on all frequencies; 1 at the start
twStatus tw_draft_damping(twDraft* draft, double factor, twError* err);  ///< on all decays; 1 at the start

/// A contact point or a pickup (from 0). Of a list: weights, one per mode or one for all (default 1). Of a series: its position, 0 to 1,
/// or weights. Of a set: a place x y z, moved to the nearest vertex, and the direction if it is not the normal there. Pickups
/// are the first point by default.
twStatus tw_draft_point(twDraft* draft, int point, const double* numbers, int count, twError* err);
twStatus tw_draft_pickup(twDraft* draft, int pickup, const double* numbers, int count, twError* err);

int tw_draft_count(const twDraft* draft);   ///< modes
int tw_draft_points(const twDraft* draft);  ///< points
/// The modes below a frequency: half the sample rate, say.
twStatus tw_draft_modes(twModes** out, const twDraft* draft, double below_hz, twError* err);

#ifdef __cplusplus
}
#endif
