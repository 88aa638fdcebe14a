// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Contact: the forces between sounding objects, and networks of objects held together by them.
///
/// Impact is the Hunt-Crossley law, friction the elasto-plastic bristle law; both are plain data and couple any two
/// sets of modes. Closed forms and single contacts come first, then noise and profiles, then the network.

// ---- impact law ----

/// f(x, v) = k x^a (1 + mu v) for x > 0, else 0, with compression x [m] and its rate v [m/s].
typedef struct twImpactLaw
{
    double stiffness;    ///< k [N/m^a]
    double exponent;     ///< a, at least 1; 1.5 for two spheres
    double dissipation;  ///< mu [s/m]; 0 is elastic
} twImpactLaw;
twImpactLaw tw_impact_law(void);  ///< k = 1e8, a = 1.5, mu = 0.5: a hard hammer
/// @return TW_BAD_INPUT naming the parameter if the law makes no sense.
twStatus tw_impact_law_check(const twImpactLaw* law, twError* err);
/// Its parameter of that name, "stiffness" or "k" and so on, or NULL.
double* tw_impact_law_find(twImpactLaw* law, const char* name);

double tw_impact_force(const twImpactLaw* law, double x, double v);  ///< [N]
double tw_impact_potential(const twImpactLaw* law, double x);        ///< k x^(a+1)/(a+1) [J]

/// What a point mass does that hits a rigid wall at speed v_in with no other force acting: closed forms.
typedef struct twImpactExact
{
    double x_max;         ///< greatest compression [m]
    double v_out;         ///< velocity at release, negative [m/s]
    double v_out_approx;  ///< the same by the fit (7)-(8) of the source
    double contact_time;  ///< [s]
} twImpactExact;
twImpactExact tw_impact_exact(const twImpactLaw* law, double mass, double v_in);
/// The mu [s/m] with which it rebounds at restitution (0 to 1) times v_in, whatever mass, stiffness and exponent are. At most
/// 1000 / v_in: below a restitution of 1/1000 nothing is gained.
double tw_impact_dissipation(double restitution, double v_in);

// ---- one mass on a wall, six schemes ----

typedef enum twImpactMethod
{
    TW_AM1,     ///< one-step Adams-Moulton (trapezoidal, bilinear), implicit
    TW_VERLET,  ///< velocity Verlet with the predicted velocity in the force
    TW_HEUN,    ///< Heun (Euler predictor, trapezoidal corrector)
    TW_RK4,     ///< fourth-order Runge-Kutta
    TW_DG,      ///< discrete gradient: energy only goes down
    TW_QI,      ///< invariant preserving: v_out exact for any step; the default
} twImpactMethod;
const char* tw_impact_method_name(twImpactMethod method);
bool tw_impact_method_parse(const char* name, twImpactMethod* out);

/// A point mass against a rigid wall at x = 0; x > 0 is compression. Start from tw_wall_def().
typedef struct twWallDef
{
    twImpactLaw law;
    double mass;      ///< [kg]
    double velocity;  ///< at x = 0 at t = 0, toward the wall if positive [m/s]
    double gravity;   ///< acceleration toward the wall [m/s^2]
    double rate_hz;
    twImpactMethod method;
    bool correct;  ///< the source's corrections: clip x to x_max, force v_out at release
} twWallDef;
twWallDef tw_wall_def(void);  ///< case 1 of the source: 10 g at 0.3 m/s, k = 1e7, a = 1.1, mu = 0.1, 44.1 kHz, QI
twStatus tw_wall_def_check(const twWallDef* def, twError* err);

/// State of the mass; plain data, advanced by tw_wall_step().
typedef struct twWall
{
    twWallDef def;
    double x, v;          ///< position and velocity
    double f;             ///< contact force on the mass, against compression [N]
    double xc;            ///< compression as the law sees it (DG, QI), else max(x, 0)
    double x_max, v_out;  ///< targets of the corrections for the running contact
    bool closed;          ///< in contact
    int iterations;       ///< of the last step's solve
    long unconverged;     ///< steps whose solve missed its tolerance
} twWall;
twWall tw_wall(const twWallDef* def);
void tw_wall_step(twWall* wall);            ///< real-time safe
double tw_wall_energy(const twWall* wall);  ///< kinetic + elastic + in gravity [J]

// ---- what a mass on a wall does: measured, and exact ----

/// One contact as the samples show it.
typedef struct twWallContact
{
    double start, end;  ///< instants at which x crosses 0, linear between samples [s]
    double x_max;       ///< greatest compression at a sample [m]
    double v_out;       ///< velocity of the first open sample [m/s]
    int64_t samples;    ///< from the touch (included) to the first open sample (not included)
    bool began, over;
} twWallContact;

/// A mass on a wall and what has been seen of it.
typedef struct twWallRun
{
    twWall wall;          ///< state now
    int64_t steps;        ///< so far; the time is steps / rate
    double energy_start;  ///< [J]
    double energy_max;    ///< largest total energy at a sample [J]
    double gain_max;      ///< largest rise of the total energy in one step, at least 0 [J]
    int iterations_max;
    int64_t contacts;           ///< begun so far
    twWallContact first, last;  ///< contacts
    bool finite;                ///< false once the state has overflowed
} twWallRun;
/// Watch from here on. A mass at x = 0 that moves toward the wall touches it at t = 0.
twWallRun tw_wall_run(const twWall* start);
void tw_wall_run_step(twWallRun* run);  ///< real-time safe

/// Compression when the velocity is v, between v_in and v_out, in a contact without gravity: (3) of the source [m].
double tw_impact_compression(const twImpactLaw* law, double mass, double v_in, double v);

/// One contact of a bouncing mass, exact.
typedef struct twWallEvent
{
    double touch, release;  ///< instants [s]
    double v_in, v_out;     ///< velocities there [m/s]
} twWallEvent;
/// The first contacts, at most max, that begin before end [s], of a mass that starts at x = 0 under gravity: each contact
/// integrated finely, its ends found to round-off, flights in closed form; method, rate_hz and correct play no part.
/// Stops early if a contact does not end. @return how many
int tw_wall_events(const twWallDef* def, double end, twWallEvent* events, int max);

// ---- friction law ----

/// Elasto-plastic bristles: f = s0 z + s1 z' + s2 v + s3 w, z' = v - alpha(v, z) |v| z / g(v), where
/// g(v) = (fc + (fs - fc) exp(-(v/vs)^2)) / s0, fs = static * f_N, fc = dynamic * f_N, alpha = 0 below z_ba = c fc / s0.
typedef struct twFrictionLaw
{
    double stiffness;         ///< s0 [N/m]
    double damping;           ///< s1 [N s/m]
    double viscosity;         ///< s2 [N s/m]
    double noise;             ///< s3 [N], weight of the roughness w
    double static_friction;   ///< mu_s
    double dynamic_friction;  ///< mu_d, at most mu_s
    double stribeck;          ///< v_s [m/s]
    double breakaway;         ///< c in [0, 1): share of fc/s0 below which bristles are purely elastic
    bool lugre;               ///< the LuGre special case: alpha = 1 everywhere
} twFrictionLaw;
twFrictionLaw tw_friction_law(void);  ///< the reference run of docs/friction.md
twStatus tw_friction_law_check(const twFrictionLaw* law, twError* err);
/// Its parameter of that name, or of its symbol in the source ("stiffness" or "sigma0", "dynamic" or "mud"), or NULL.
double* tw_friction_law_find(twFrictionLaw* law, const char* name);

/// Bristle rate z'(v, z) under a normal force; its partial derivatives go to dv and dz unless NULL.
double tw_friction_rate(const twFrictionLaw* law, double normal_force, double v, double z, double* dv, double* dz);
/// Steady force against sliding at v > 0 without noise: s0 g(v) + s2 v.
double tw_friction_steady(const twFrictionLaw* law, double normal_force, double v);
/// Below this sliding speed bristles cannot give energy back under a constant normal force: fc r^2/(s1 (r - 1) - s2) with r = fs/fc, at
/// most 2 (s1 + s2)/s1; infinite if s1 (r - 1) <= s2. Above it they may, for a moment, out of what they took before.
double tw_friction_passive_speed(const twFrictionLaw* law, double normal_force);

typedef struct twFrictionRoot
{
    double y;        ///< z'
    int iterations;  ///< evaluations
    bool converged;
} twFrictionRoot;
/// Solve y = z'(v + k1 y, z + k2 y) with k1 <= 0 < k2 inside a bracket that always holds a root, starting from guess.
/// Real-time safe.
twFrictionRoot tw_friction_solve(const twFrictionLaw* law, double normal_force, double v, double z, double k1,
                                 double k2, double guess);

// ---- roughness ----

/// Endless noise with power spectrum ~ f^beta and power 1 between 20 Hz and 20 kHz, flat beyond, so that what it drives
/// does not depend on the rate. Plain data, real-time safe.
#define TW_NOISE_SECTIONS 12
typedef struct twNoise
{
    twRng rng;
    double b0[TW_NOISE_SECTIONS], b1[TW_NOISE_SECTIONS], a1[TW_NOISE_SECTIONS];
    double state[TW_NOISE_SECTIONS];
    double gain;
    int sections;
} twNoise;
twNoise tw_noise(double beta, double rate_hz, uint64_t seed);  ///< beta is clamped to [-2, 2]; 0 is white
double tw_noise_next(twNoise* noise);

/// A closed loop of surface height along its length: power spectrum ~ k^beta between two wavelengths, RMS height given.
typedef struct twProfile twProfile;
typedef struct twProfileDef
{
    double beta;         ///< exponent of the power spectrum, negative for natural surfaces
    double rms;          ///< height [m]
    double longest;      ///< longest wavelength; the loop is 256 of them, fewer (8 at least) with a wide range [m]
    double shortest;     ///< shortest wavelength [m]
    double ball_radius;  ///< > 0: the height a ball of this radius can reach (its centre's path less the radius)
    uint64_t seed;
} twProfileDef;
twProfileDef tw_profile_def(void);  ///< beta -2, 5 um, 20 mm .. 0.2 mm
twStatus tw_profile_create(twProfile** out, const twProfileDef* def, twError* err);
void tw_profile_destroy(twProfile* profile);
double tw_profile_length(const twProfile* profile);            ///< of the loop [m]
double tw_profile_height(const twProfile* profile, double s);  ///< at path length s, any sign [m]. Real-time safe.

// ---- control layers ----

/// Something moving along a profile: a ball that rolls (micro-impacts, modulated by its asymmetry) or a tip that
/// scrapes. Delivers the height under it and the factor on its weight, sample by sample. Real-time safe.
typedef struct twTravel
{
    const twProfile* profile;
    double radius;     ///< of the ball [m]; 0: no rotation, no modulation
    double asymmetry;  ///< 0..1: how far the centre of mass is off, as a share of the weight
    double position;   ///< path length [m]
    double angle;      ///< of the ball [rad]
} twTravel;
double tw_travel_next(twTravel* travel, double speed, double dt, double* weight_factor);

/// A bouncing thing that is not a perfect ball: each rebound scales its weight by 1 + irregularity * uniform(-1, 1).
typedef struct twBounce
{
    twRng rng;
    double irregularity;  ///< 0..1
    double factor;
    long rebounds;  ///< seen so far
} twBounce;
twBounce tw_bounce(double irregularity, uint64_t seed);
/// Weight factor, drawn anew when the number of rebounds (tw_net_rebounds()) has changed. Real-time safe.
double tw_bounce_next(twBounce* bounce, long rebounds);

/// Pointer in the unit square to the two hands of a rubbing player: x -> tangential force, y -> normal force, smoothed.
typedef struct twPointer
{
    double force_min, force_max;    ///< at x = 0 and x = 1 [N]
    double normal_min, normal_max;  ///< at y = 0 and y = 1 [N]
    double smooth;                  ///< time constant [s]
    double force, normal;           ///< present values
} twPointer;
twPointer tw_pointer(double force_min, double force_max, double normal_min, double normal_max, double smooth);
void tw_pointer_next(twPointer* pointer, double x, double y, double dt);  ///< updates force and normal. Real-time safe.

/// A number on its way to a target, in a straight line, so that knobs do not click. Plain data, real-time safe.
typedef struct twRamp
{
    double value, target;
    int left;  ///< samples
} twRamp;
twRamp tw_ramp(double value);
void tw_ramp_to(twRamp* ramp, double target, int samples);  ///< a target that is not finite is ignored; 0 samples: now
double tw_ramp_next(twRamp* ramp);                          ///< value now; then one sample further

// ---- network ----

/// Any number of objects and contacts between them, solved together per sample. Objects move by the trapezoidal rule,
/// which exchanges energy with the contacts exactly; by default each mode's constants are set so that it rings with its
/// exact pitch, decay and loudness at the sample rate (docs/contact.md says what is not exact).
typedef struct twNet twNet;

typedef enum twScheme
{
    TW_SCHEME_EXACT,     ///< exact modes, friction by the midpoint rule with an energy guard; the default
    TW_SCHEME_BILINEAR,  ///< the sources' own: plain bilinear transform of modes and friction
} twScheme;

typedef struct twNetObject
{
    const twModes* modes;        ///< copied
    const double* displacement;  ///< initial modal displacement (modes); NULL: 0
    const double* velocity;      ///< initial modal velocity     (modes); NULL: 0
} twNetObject;

#define TW_WALL (-1)  ///< in place of an object: an immovable wall

/// A contact between point a_point of object a (the exciter) and b_point of object b (the resonator).
/// Compression is x_a - x_b - gap; the friction velocity is v_b - v_a as in the source.
typedef struct twContactDef
{
    int a, a_point, b, b_point;  ///< normal direction; b may be TW_WALL
    bool has_impact;
    twImpactLaw impact;
    twImpactMethod method;  ///< TW_QI, TW_DG or TW_AM1
    double gap;             ///< distance at rest [m]; negative: already compressed
    bool has_friction;
    twFrictionLaw friction;
    int a_slide, b_slide;   ///< points for the sliding direction (with has_impact; else a_point, b_point)
    double normal_force;    ///< of friction without impact, unless an input drives it [N]
    double roughness_beta;  ///< spectrum of the noise w
    uint64_t seed;
} twContactDef;
twContactDef tw_contact_def(void);  ///< objects 0 and 1 at their points 0, nothing acting yet

typedef enum twNetInputKind
{
    TW_IN_FORCE,         ///< external force at object.point [N]
    TW_IN_NORMAL_FORCE,  ///< normal force of a contact's friction [N]; negative counts as 0
    TW_IN_OFFSET,        ///< height added to a contact's compression [m]: a profile moving underneath
    TW_IN_NONE,          ///< nothing: a place that is kept free
} twNetInputKind;
typedef struct twNetInput
{
    twNetInputKind kind;
    int object, point;  ///< TW_IN_FORCE
    int contact;        ///< the others
} twNetInput;

typedef enum twNetOutputKind
{
    TW_OUT_DISPLACEMENT,    ///< of object's pickup [m]
    TW_OUT_VELOCITY,        ///< of object's pickup [m/s]
    TW_OUT_POINT_X,         ///< displacement at object.point [m]
    TW_OUT_POINT_V,         ///< velocity at object.point [m/s]
    TW_OUT_COMPRESSION,     ///< of a contact, as its law sees it [m]
    TW_OUT_IMPACT_FORCE,    ///< of a contact, mean over the step just taken [N]
    TW_OUT_FRICTION_FORCE,  ///< likewise; at the sample in the bilinear scheme
    TW_OUT_BRISTLE,         ///< z of a contact [m]
    TW_OUT_SLIP,            ///< v_b - v_a of a contact, in the velocities of the step (docs/contact.md) [m/s]
    TW_OUT_NORMAL_FORCE,    ///< on a contact's friction in the step just taken [N]
    TW_OUT_NONE,            ///< 0: a place that is kept free
} twNetOutputKind;
typedef struct twNetOutput
{
    twNetOutputKind kind;
    int object;   ///< displacement, velocity, point
    int index;    ///< pickup or point of that object
    int contact;  ///< the others
} twNetOutput;

typedef struct twNetDef
{
    double rate_hz;
    int oversample;   ///< internal steps per sample, 1..64; outputs are low-passed before decimation
    bool unfiltered;  ///< with oversampling: deliver every n-th step as it is, without low-pass and delay
    twScheme scheme;
    bool audit;  ///< keep the energy budget (about twice the cost)
    int object_count;
    const twNetObject* objects;
    int contact_count;
    const twContactDef* contacts;
    int input_count;
    const twNetInput* inputs;
    int output_count;
    const twNetOutput* outputs;
} twNetDef;
twNetDef tw_net_def(void);  ///< 48 kHz, no oversampling, exact scheme, empty

/// @return TW_BAD_INPUT naming the item if an index, a law or a frequency (rate/2 or above) is wrong.
twStatus tw_net_create(twNet** out, const twNetDef* def, twError* err);
void tw_net_destroy(twNet* net);

/// Advance n samples. in: one buffer per input (NULL: no force, the contact's own normal force, the height as it is);
/// sample i acts from time i to i + 1. out: one buffer per output (NULL: not wanted), overwritten; sample i is the state at time i, so the first
/// is the initial state. With oversampling outputs lag by tw_net_delay() samples. Real-time safe.
void tw_net_process(twNet* net, const double* const* in, double* const* out, int n);
int tw_net_delay(const twNet* net);              ///< [samples]
int tw_net_objects(const twNet* net);            ///< how many
int tw_net_modes(const twNet* net, int object);  ///< how many an object has, 0 or more

/// Modal displacements and velocities of an object now (modes each); either may be NULL. Real-time safe.
void tw_net_state(const twNet* net, int object, double* displacement, double* velocity);

/// Go on from where another network is, which may have another rate. An object's modes take displacements and velocities by their
/// order, less if a mode would hold more energy than it had; then contacts take compression and bristles. Before the first
/// process call. Real-time safe.
void tw_net_take_object(twNet* net, int object, const twNet* from, int from_object);
void tw_net_take_contact(twNet* net, int contact, const twNet* from, int from_contact);

/// Changes while sounding, between process calls. Real-time safe; values out of range are ignored and counted.
void tw_net_set_impact(twNet* net, int contact, const twImpactLaw* law);
void tw_net_set_friction(twNet* net, int contact, const twFrictionLaw* law);
void tw_net_set_modes(twNet* net, int object, const double* freq_hz, const double* decay);  ///< (modes)
/// Put a point of an object elsewhere on it: shape values there (modes). What rings goes on; contacts at the point start afresh.
/// Refused while one of them presses or rubs.
void tw_net_set_point(twNet* net, int object, int point, const double* shape);
/// Put a rigid mode (0 Hz) of an object at a displacement and velocity: a hammer thrown again. Real-time safe.
void tw_net_throw(twNet* net, int object, int mode, double displacement, double velocity);
/// Throw the first mode of a contact's exciter from where the impact just touches, at a velocity toward the resonator.
void tw_net_strike(twNet* net, int contact, double velocity);
bool tw_net_closed(const twNet* net, int contact);    ///< is the impact pressing?
long tw_net_rebounds(const twNet* net, int contact);  ///< how often an impact has ended so far

/// Where the energy went since creation [J]; kept when def.audit is set. stored = modes + springs.
typedef struct twNetEnergy
{
    double stored_start;   ///< at creation (and what tw_net_throw put in)
    double stored;         ///< in the modes (kinetic and potential) now
    double springs;        ///< in compressed contacts and bent bristles
    double work_in;        ///< done by external forces and moving profiles
    double noise_work;     ///< done by the roughness noise
    double modal_loss;     ///< lost in the modes' damping
    double impact_loss;    ///< lost in impacts
    double friction_loss;  ///< lost in friction
    double gain_max;       ///< largest rise in one step that no external work explains
    double balance_error;  ///< stored + springs + losses - start - work, as it should be 0
} twNetEnergy;
twNetEnergy tw_net_energy(const twNet* net);

typedef struct twNetStats
{
    long steps;
    long solves;         ///< contact solves
    long iterations;     ///< of all solves
    int iterations_max;  ///< of one solve
    long unconverged;    ///< solves that missed their tolerance
    long guarded;        ///< friction steps in which the energy guard acted
    long bad_inputs;     ///< input samples that were not finite, taken as 0
    long resets;         ///< objects silenced because their state was not finite
    long rejected;       ///< changes refused
} twNetStats;
twNetStats tw_net_stats(const twNet* net);

// ---- instrument ----

/// A network that is played: laws glide to what they are set to, and another network takes its place without a click, going on
/// from where it is.
typedef struct twInstrument twInstrument;

#define TW_INSTRUMENT_GLIDE 0.02  ///< how long laws take to change [s]
#define TW_INSTRUMENT_FADE 0.01   ///< how long sound takes to pass from one network to the next [s]

twStatus tw_instrument_create(twInstrument** out, const twNetDef* def, twError* err);
void tw_instrument_destroy(twInstrument* instrument);  ///< NULL is fine
/// Another network in its place, with as many inputs and outputs. Object i goes on as object_from[i] of the network before (-1: as
/// def says), contacts likewise; NULL: those of the same index. On failure the network before goes on. Not real-time safe.
/// @return TW_BAD_INPUT if the def is wrong
twStatus tw_instrument_change(twInstrument* instrument, const twNetDef* def, const int* object_from,
                              const int* contact_from, twError* err);
/// Is sound still passing over? A change now would cut the oldest network off.
bool tw_instrument_fading(const twInstrument* instrument);

/// As their namesakes of the network; laws glide once a sample has been processed. The same input gives the same bits in blocks of
/// any size. Real-time safe.
void tw_instrument_set_impact(twInstrument* instrument, int contact, const twImpactLaw* law);
void tw_instrument_set_friction(twInstrument* instrument, int contact, const twFrictionLaw* law);
void tw_instrument_process(twInstrument* instrument, const double* const* in, double* const* out, int n);
twNet* tw_instrument_net(twInstrument* instrument);          ///< the network that sounds, until the next change
int tw_instrument_contacts(const twInstrument* instrument);  ///< how many

// ---- sketch ----

/// A network described piece by piece, by names, as messages do it: objects are drafts with 8 points and 8 pickups, "bell.2" is the
/// third of bell's, "wall" the immovable wall. What makes no sense is refused and changes nothing. Not real-time safe.
typedef struct twSketch twSketch;

twStatus tw_sketch_create(twSketch** out, int input_count, int output_count, twError* err);
void tw_sketch_destroy(twSketch* sketch);  ///< NULL is fine
void tw_sketch_clear(twSketch* sketch);    ///< of everything; inputs and outputs are free again
/// The draft of that name, made if it is new.
twStatus tw_sketch_object(twSketch* sketch, const char* name, twDraft** draft, twError* err);
/// A contact between an exciter and a resonator; one of that name goes on between these.
twStatus tw_sketch_contact(twSketch* sketch, const char* name, const char* a, const char* b, twError* err);
int tw_sketch_find_object(const twSketch* sketch, const char* name);   ///< -1: there is none
int tw_sketch_find_contact(const twSketch* sketch, const char* name);  ///< -1: there is none
/// Let the law of impact, or of friction, act at a contact, with parameters by name (tw_impact_law_find()) and their values (count); the
/// others stay as they were. gap [m]: distance at rest; normal [N]: force of friction without impact.
twStatus tw_sketch_impact(twSketch* sketch, const char* contact, const char* const* names, const double* values,
                          int count, twError* err);
twStatus tw_sketch_friction(twSketch* sketch, const char* contact, const char* const* names, const double* values,
                            int count, twError* err);
twStatus tw_sketch_gap(twSketch* sketch, const char* contact, double gap, twError* err);
twStatus tw_sketch_normal(twSketch* sketch, const char* contact, double force, twError* err);
/// kind: "force" of an object's point; "normal" or "height" of a contact, silent as long as its laws have no use for it; "none".
twStatus tw_sketch_input(twSketch* sketch, int input, const char* kind, const char* of, twError* err);
/// kind: "velocity" or "position" of an object's pickup, "pointvelocity" or "pointposition" of its point; "compression", "impact",
/// "friction", "bristle", "slip" or "normal" of a contact; "none".
twStatus tw_sketch_output(twSketch* sketch, int output, const char* kind, const char* of, twError* err);
/// Create the instrument, or change it: what it had before goes on. *instrument is NULL at first.
twStatus tw_sketch_build(twSketch* sketch, twInstrument** instrument, double rate_hz, int oversample, twError* err);
bool tw_sketch_changed(const twSketch* sketch);  ///< since the last build
/// As tw_net_strike() and tw_net_throw(), of what has been built.
twStatus tw_sketch_strike(const twSketch* sketch, twInstrument* instrument, const char* contact, double velocity,
                          twError* err);
twStatus tw_sketch_throw(const twSketch* sketch, twInstrument* instrument, const char* object, double place,
                         double velocity, twError* err);

#ifdef __cplusplus
}
#endif
