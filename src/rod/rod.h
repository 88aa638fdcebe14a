// SPDX-License-Identifier: MIT
#pragma once
#include "band.h"
#include "couple.h"
#include "twang/contact.h"
#include "twang/rod.h"
#include <complex.h>

/// @file
/// The rod's state and what its files share (internal).
///
/// Node i owns the coordinates (x, y, z) of point i, the turn of edge i about itself since the frames were last set,
/// and, with shear, the two tilts of the section of edge i. All are separate arrays with room before the first and after
/// the last node: index -1 and ne hold the ghost edges of clamps, or the far end of a closed rod.

#define ROD_GAUSS_OFFSET 0.28867513459481288  ///< sqrt(3)/6: Gauss's points are at 1/2 -+ this
#define ROD_PAD 16                            ///< doubles of room on either side of an array
#define ROD_LOOK_EVERY 16                     ///< pieces after which the contraction is measured again
#define ROD_STRIKES 64
#define ROD_PUSH_SPRINGS 64
#define ROD_BRANCHES 4
#define ROD_MOST_LEVEL 4  ///< steps that converge slowly are done in up to 2^4 pieces from the start

/// Components of a node: 4, with shear 6.
enum
{
    ROD_TURN = 3,
    ROD_TILT = 4,
    ROD_DOFS = 6
};

/// Strains: bends about d2 and d1 and twist of a node, stretch of an edge, with shear the tilts of its section.
enum
{
    ROD_BEND = 0,
    ROD_TWIST = 2,
    ROD_STRETCH = 3,
    ROD_SHEAR = 4,
    ROD_STRAINS = 6
};

/// The constants of a collocation method for one step length (gauss.c, newmark.c).
typedef struct RodScheme
{
    double h;       ///< [s] the factor is made for this step; 0: none
    double offset;  ///< the stages are at 1/2 -+ this
    // left and right eigenvectors of the stage matrix, for one of its eigenvalues; the other is the conjugate
    double left_re[2], left_im[2], right_re[2], right_im[2];
    double mass_re, mass_im;  ///< factor = mass M + stiff H + force (springs) + damp (dampers)
    double stiff_re, stiff_im;
    double force_re, force_im;               ///< what multiplies external forces
    double damp_re, damp_im;                 ///< what multiplies dampers
    double row_mass[2][2], row_stiff[2][2];  ///< 1 + alpha h A and h^2 A^2 + beta h A, by rows
    double row_force[2][2];                  ///< h^2 A^2
    double hold[2];                          ///< the same for a force that is constant: sums of its rows
    double respond_re, respond_im;           ///< way = real part of (factor)^-1 (this) force
    double drag[2];                          ///< damping by mass: z counts as z + drag v
    double fall[2];                          ///< gravity: z counts as z - fall g
    double push[2][2];                       ///< sum of z that a sum of forces at the stages makes, times the mass
    double memory[2];                        ///< damping by stiffness: the gradient counts as g - memory g0
    // what a step makes of z:  q += h v + place z,  v += speed z,  stage velocities v + stage_speed z, accelerations
    double place[2], speed[2], stage_speed[2][2], stage_acc[2][2];
    double extrapolate[2][2];  ///< z of the next step from that of the last
    // branches (branch.c), with e the strains at the stages and y those of a branch at the start
    double lag[2][ROD_BRANCHES][2][2];   ///< of bends, of the others: e - y at the stages = lag (e - y at the start)
    double mix[2][2][2];                 ///< e counts as e + mix e - sum of held y
    double held[2][2][ROD_BRANCHES];     ///< the same, by stages and branches
    double follow[2][ROD_BRANCHES][2];   ///< over the step: y += follow (e - y)
    double lose[2][ROD_BRANCHES][2][2];  ///< a step takes the energy that springs hold at lose (e - y), of both rows
    double others_re, others_im;         ///< what stiffness other than of bends counts in the factor, over that
    double still;                        ///< what forces without branches count there over stretching, about
} RodScheme;

/// A force on one point during a step: fixed at each stage, plus springs and dampers to be evaluated there.
typedef struct RodLoad
{
    int point;
    bool elastic;     ///< has stiffness or damping
    bool does_work;   ///< comes from outside; else it is a support's spring
    twVec3 force[2];  ///< at the stages
    twVec3 anchor;    ///< where the spring has no force
    twMat3 stiffness, damping;
} RodLoad;

/// The piece of a step that is open (couple.c).
typedef struct RodPiece
{
    bool first;           ///< of its step
    bool look;            ///< the contraction is to be measured
    bool look_later;      ///< and that of the second iteration, if there is a third
    bool pushed;          ///< others' forces act
    bool heard;           ///< and were heard; else what was heard is nothing
    int iterations;       ///< so far
    double change, last;  ///< of places, in the last iteration and the one before [m]
    double rate;          ///< contraction
    double strayed;       ///< about how far stages are off since, as they followed forces alone [m]
    double force[3];      ///< sum of the others' forces [N]
} RodPiece;

/// What rubs a point (bow.c).
typedef struct RodBow
{
    bool held;  ///< there is one
    bool rubs;  ///< in this step
    int point;
    double direction[3];
    twFrictionLaw law;
    double speed, normal_force;
    twNoise noise;
    double noise_value;
    double z, y;   ///< bend of the bristles and its rate [m], [m/s]
    double tank;   ///< energy that friction has taken and not given back [J]
    double force;  ///< on the point, mean over the last piece [N]
    // the open piece
    double response;  ///< way of the point per force [m/N]
    double pushed;    ///< force of the last iteration
    double y_open;
    double k2;     ///< the force is that of the bristles bent by z + k2 y [s]
    bool guarded;  ///< without bristle damping
} RodBow;

/// Compliances of points, as they have been asked for since the factor was made (local.c).
typedef struct RodLocal
{
    int reach;  ///< 0: none yet
    int* at;    ///< (points) which of the blocks; -1: none
    int count, room;
    float* blocks;  ///< (count x (ROD_LOCAL + 1) x 4 x 4)
} RodLocal;

/// Damping by a loss factor: springs in series with dashpots, on the strains (branch.c).
typedef struct RodBranches
{
    bool any;
    double pole[2][ROD_BRANCHES];    ///< w_j/2 pi: of bends, of the other strains [Hz]
    double weight[2][ROD_BRANCHES];  ///< g_j, of the elastic stiffness
    double* strain;                  ///< y, eight nodes at a time: (nodes/8 x strains x branches x 8)
    int strains;                     ///< of a node
    double* tilt[2][2];              ///< with shear: tilts as they count, of the stages
} RodBranches;

#define ROD_PAST 4

typedef struct RodSupport
{
    twRodSupport def;
    twVec3 anchor;  ///< where it holds
    int moving;     ///< towards target, for so many steps
    twVec3 target;
    twVec3 past[ROD_PAST];            ///< targets of the steps before, the last first
    twVec3 arrival;                   ///< velocity at the target
    twVec3 tangent, d1;               ///< frame of the clamp at the start
    double end_x[3][3], end_v[3][3];  ///< of the points it moves, at the end of a piece
} RodSupport;

/// Frames of all edges; with shear those of the sections.
typedef struct RodTrial
{
    double *t[3], *d1[3], *d2[3];
} RodTrial;

struct RodKernel;
struct RodFrame;

struct twRod
{
    int n, ne;  ///< points, edges
    bool closed, shear, account;
    int dofs;  ///< per node
    const struct RodKernel* kernel;
    double rate_hz, time, alpha, beta, density;
    twVec3 gravity;
    twRodIntegrator integrator;
    double tolerance;    ///< of z, in terms of the largest z of the last step
    double fastest;      ///< rate of stretching waves from node to node, at most [1/s]
    double finest;       ///< of z, at least [m]: above round-off
    double enough;       ///< of z, in this step [m]
    double reach;        ///< length of the rod [m]: nothing moves farther in a step
    double turn_radius;  ///< what makes a turn comparable with a displacement [m]

    // state
    double* q[ROD_DOFS];  ///< turns are zero between steps
    double* v[ROD_DOFS];
    double *t0[3], *d0[3],
        *e0[3];  ///< frames at q: tangent, d1, d2; node i uses those of edge i, the last its own copy

    // model: per edge, then per node (its two edges)
    double *rest_length, *inv_rest, *axial, *tilt11, *tilt22, *tilt12, *roll11, *roll22, *roll12;
    double *b11, *b22, *b12, *twist_b, *k1_rest, *k2_rest, *tau_rest, *axial_node;
    double *mass, *mass_off, *spin_mass, *spin_off;  ///< _off: between node i and i + 1
    double* row_mass;                                ///< sum of a row of the mass
    double total_mass;
    double *free_x, *free_t;  ///< 1, or 0 where held

    RodBranches branches;

    // trial configuration
    RodTrial trial[2];                  ///< frames, of the stages
    double *inv_length[2], *strain[2];  ///< of the edges, of the stages
    double* axis[2][3];                 ///< with shear: tangents, while t is the normal of the section

    // stages
    double *z[2][ROD_DOFS], *stage[2][ROD_DOFS], *g[2][ROD_DOFS];
    double* g0[ROD_DOFS];     ///< elastic gradient at q, if damped
    double* mz[2][ROD_DOFS];  ///< mass times z
    double* acc[2][3];        ///< stage accelerations of the last piece of a step
    double *sound_acc[3], *sound_jerk[3];
    double acc_h;  ///< step length they belong to; 0: none yet
    double sound_time;
    double sound_weight[8], sound_before,
        sound_after;               ///< what makes sound of stage accelerations, for these step lengths
    double sum_z[2][3], sum_v[3];  ///< of row_mass times z and v
    double* others[4];             ///< forces of others on points, moments on edges (couple.h)
    double* heard[4];              ///< what they were when the stages last followed them
    bool coupled;                  ///< somebody asked for those
    const twRod* next;             ///< that is iterated after it; NULL: none
    bool begun;                    ///< a step
    double work_before;            ///< at the start of the step [J]
    int64_t halvings_before;
    RodPiece piece;
    double* scratch[ROD_DOFS];
    double* y;  ///< right side and solution of the linear system, per node

    // linear system
    RodBand* band;
    double*
        h_blocks;  ///< Hessian: blocks (i, i), (i + 1, i), (i + 2, i) of node i, dofs x dofs by columns; twice, with branches
    double *m_blocks, *load_blocks;
    RodLocal local;
    bool fresh;        ///< factored at the present q
    double* joint[3];  ///< turn of a node against the one before when the factor was made, about its own axes
    RodScheme scheme;
    double rate_seen[2],
        change_seen[2];         ///< contraction of the first two iterations seen lately, and their changes then [m]
    double mean_iterations[2];  ///< lately, with the factor in double and in float
    int precision_steps;
    int since_look[2];           ///< steps since it was measured
    bool stale;                  ///< a step took long: refactor before the next
    bool slow;                   ///< that was why: by itself
    RodLender* lender;           ///< NULL: makes its own factors
    int since_factor;            ///< pieces done with this factor
    int usual;                   ///< iterations of the first step with this factor; 0: not known yet
    int wanted_level, level;     ///< steps are done in 2^level pieces
    bool stopped;                ///< in this step
    int last_iterations;         ///< of the last piece
    int easy;                    ///< pieces since one took more than a few iterations
    bool has_guess;              ///< z of the last step can be extrapolated
    bool by_line;                ///< that is better than none, if others push
    double guess_off[2];         ///< how far off it was lately, without and with it [m]
    bool by_lengths;             ///< so are the lengths of edges
    int guess_steps;             ///< since by_lengths was put to the test
    double guess_iterations[2];  ///< lately, without and with it

    // supports and forces
    int support_count, pulse_count, load_count, push_count, spring_count;
    RodSupport* supports;
    twRodPulse* pulses;  ///< those of the def, then ROD_STRIKES places
    bool* pulse_used;
    RodLoad* loads;
    int* pushed;  ///< points with a push
    bool* is_pushed;
    double* push[3];
    RodLoad springs[ROD_PUSH_SPRINGS];
    bool clamp[2];       ///< ghost edges at the ends are clamps
    double ghost[2][9];  ///< t, d1, d2

    RodBow bow;
    double work, dissipated;
    bool keeping;            ///< kept_energy is known
    double kept_energy;      ///< energy minus work, at most [J]
    bool lively;             ///< it changes notably: looked at in every step
    double highest, lowest;  ///< of it lately, beyond kept_energy [J]
    twRodStats stats;
    void* block;  ///< all arrays
};

/// What a step begins its iteration with (guess_kernel.h).
typedef enum RodGuess
{
    ROD_GUESS_NONE,     ///< z is zero
    ROD_GUESS_LINE,     ///< stage accelerations go on in a straight line
    ROD_GUESS_LENGTHS,  ///< and so do lengths of edges
} RodGuess;

/// Fast parts, one set per instruction set.
typedef struct RodKernel
{
    const char* name;
    /// Elastic gradient g at configuration q, whose frames are those at rod->q carried along and left in trial[stage].
    void (*force)(twRod* rod, double* const* q, double* const* g, int stage);
    void (*pair)(twRod* rod);  ///< the same at both stages, with branches
    /// The branches' strains to the end of the step, by those at the stages. @return what they take [J], if there is an account
    double (*follow_strains)(twRod* rod);
    void (*start)(twRod* rod);                 ///< g0, from the frames at q
    void (*commit)(twRod* rod);                ///< frames to rod->q; its turns become zero
    void (*turn)(twRod* rod, bool fresh);      ///< turns of the band's nodes since it was factored; fresh: that is now
    void (*guess)(twRod* rod, RodGuess kind);  ///< z of the stages and where they are
    void (*residual)(twRod* rod);  ///< y = residual of the stage equations without loads, in the nodes' frames
    double (*update)(twRod* rod);  ///< z and stages from the solution y; @return largest change [m]
    /// q and v after the step with z shifted, sound from old and new accelerations. off: largest z less what a line from the step before
    /// would have made it [m]. @return largest z [m]
    double (*finish)(twRod* rod, const double weight[8], const double shift[2][3], double* off);
    void (*factor)(RodBand* band);
    void (*solve)(const RodBand* band, double* y);
    void (*push)(twRod* rod);  ///< others' forces into the residual
    /// Stages go along with what others' forces changed since they were heard, by the frames at q. turn: the most that an edge turns
    /// until the second stage [rad]. @return largest change [m]
    double (*follow)(twRod* rod, double* turn);
    /// How far constant forces move points and edges in a step (4 arrays each, without room), by the frames at q.
    void (*respond)(twRod* rod, double* const* force, double* const* way);
    /// How forces on a node move it and reach nodes after it (local_kernel.h).
    void (*local)(const twRod* rod, int node, int reach, float* out);
} RodKernel;
extern const RodKernel tw_rod_kernel_generic, tw_rod_kernel_avx2, tw_rod_kernel_avx512;
/// The fastest this machine runs, or the one of that name; NULL if it does not run here.
const RodKernel* tw_rod_kernel(const char* name);

// check.c
twStatus tw_rod_check(const twRodDef* def, twError* err);
// rest.c, stiffness.c: frames, rest shape; stiffness and mass
void tw_rod_build_shape(twRod* rod, const twRodDef* def);
void tw_rod_set_frame(twRod* rod, int j, const struct RodFrame* f);  ///< of edge j, at q
void tw_rod_build_stiffness(twRod* rod, const twRodDef* def);
void tw_rod_turn_tensor(double a, double b, double angle, double out[3]);  ///< principal values to 11, 22, 12
// taper.c: moments 11, 22, 12 and torsion constant that a node bends and twists with
void tw_rod_node_section(const twRod* rod, const twRodDef* def, int i, double moment[3], double* torsion);
// branch.c
static inline size_t tw_rod_branch_size(const twRod* rod)  ///< of all y, with room for whole vectors
{
    return ((size_t)rod->n + 15) / 8 * (size_t)rod->dofs * 8 * ROD_BRANCHES;
}
/// Where y of a strain at a node is; those of the next branch are 8 further on.
static inline double* rod_branch_strain(const RodBranches* b, int c, int i)
{
    return b->strain + (size_t)(i / 8 * b->strains + c) * (8 * ROD_BRANCHES) + i % 8;
}
/// Weights of the branches; def with the moduli of springs without them.
twRodDef tw_rod_build_branches(twRod* rod, const twRodDef* def);
void tw_rod_soften_bends(twRod* rod);  ///< the rest of that, for those branches that only bends have
void tw_rod_gauss_branches(twRod* rod, const double a[2][2]);  ///< constants of the scheme, by its stage matrix
void tw_rod_newmark_branches(twRod* rod);
void tw_rod_mix_branches(twRod* rod);  ///< those that follow from these and the weights
/// What stiffness counts in the factor, of bends (kind 0) and other strains (1).
double complex tw_rod_branch_stiffness(const twRod* rod, int kind, double complex lambda_h);
void tw_rod_relax(twRod* rod);      ///< no branch has stress at q
void tw_rod_gradients(twRod* rod);  ///< elastic gradients at the stages, with branches
/// Energies in branches are added, at q, whose frames are those of trial[0].
void tw_rod_add_branches(const twRod* rod, double* const* q, twRodEnergy* out);
// tension.c: at the start
void tw_rod_find_pulls(const twRod* rod, double* pull);  ///< tension times length (edges) [N m]
/// Take from a node's bending stiffness (11, 22, 12) what makes tension 4th order. @return share of the masses off the diagonal, 0 to 1,
/// half of which goes back to the points for the same purpose
double tw_rod_soften(const twRod* rod, const double* pull, int i, double b[3]);
/// Of a clamped end, of bending along (x, y) in the frame. 0: as without tension
double tw_rod_clamp_stiffness(const twRod* rod, const twRodDef* def, const double* pull, int end, double x, double y);
// wrap.c: what lies beyond the ends of arrays
void tw_rod_wrap(const twRod* rod, double* const* components, int count);
void tw_rod_frame_edges(const twRod* rod, double* const* t, double* const* d, double* const* e);
// hessian.c
/// h_blocks at q, in world axes, with shares of bends and of other strains; also leaves the trial frames at q.
void tw_rod_hessian(twRod* rod, double bends, double others);
// factor.c
void tw_rod_refactor(twRod* rod);  ///< band from the Hessian at q and the scheme
// mass.c
void tw_rod_mass_of(const twRod* rod, double* const* x, double* const* out);  ///< out = M x
void tw_rod_mass_times(twRod* rod, int stage);                                ///< mz of a stage, damping and gravity in
void tw_rod_mass_blocks(const twRod* rod, double* blocks);                    ///< M, as h_blocks
// load.c
void tw_rod_gather_loads(twRod* rod, double start, double h);
void tw_rod_apply_loads(twRod* rod);
void tw_rod_load_blocks(const twRod* rod, double* springs, double* dampers);  ///< one block per node
void tw_rod_load_work(twRod* rod);
// support.c
void tw_rod_build_supports(twRod* rod, const twRodDef* def);
bool tw_rod_is_moved(const twRod* rod);          ///< some support is on its way
void tw_rod_aim_supports(twRod* rod, double h);  ///< once per step
void tw_rod_hold_stages(twRod* rod, double h, double remaining);
void tw_rod_hold_end(twRod* rod);
// lend.c
bool tw_rod_borrow(
    twRod* rod);  ///< a factor for the matrix at hand; else the band uses its own. @return whether there is one
// local.c
void tw_rod_local_clear(RodLocal* local);  ///< the factor is another
void tw_rod_local_free(RodLocal* local);
// gauss.c
double tw_rod_stage_offset(double h);  ///< where its stages are
// scheme.c
void tw_rod_forget(twRod* rod);                          ///< the last z: the next guess is none
double* const* tw_rod_start_gradient(const twRod* rod);  ///< elastic gradient at q, for the trapezoid
/// What the two schemes do in a piece of a step. All but close leave the state alone.
typedef struct RodMethod
{
    void (*scheme)(twRod* rod, double h);                                   ///< its constants
    void (*guess)(twRod* rod);                                              ///< where the stages are
    double (*iterate)(twRod* rod);                                          ///< @return largest change [m]
    void (*respond)(twRod* rod, double* const* force, double* const* way);  ///< as tw_rod_respond()
    void (*balance)(const twRod* rod, double shift[2][3]);                  ///< what z still lacks
    void (*close)(twRod* rod, const double shift[2][3]);                    ///< to the end of the piece
} RodMethod;
extern const RodMethod tw_rod_method_gauss, tw_rod_method_newmark;
const RodMethod* tw_rod_method(const twRod* rod);
// couple.c
void tw_rod_forget_rates(twRod* rod);    ///< contractions are to be measured anew
bool tw_rod_diverges(const twRod* rod);  ///< the iteration so far goes nowhere
// bow.c: once per step; then, if it rubs, in its pieces after open, after each iteration, and before close
void tw_rod_bow_begin(twRod* rod);
void tw_rod_bow_open(twRod* rod);
bool tw_rod_bow_follow(twRod* rod);  ///< @return whether its force is settled; else it changed
void tw_rod_bow_close(twRod* rod);
// step.c
void tw_rod_begin_step(twRod* rod);  ///< once, before its first piece
bool tw_rod_is_damped(const twRod* rod);
unsigned tw_rod_flush_tiny(void);  ///< numbers below the smallest normal ones count as zero until
void tw_rod_unflush_tiny(unsigned before);
// fold.c
void tw_rod_unfold(twRod* rod);  ///< move points where edges turned round or vanished; velocities must be zero
// keeper.c
void tw_rod_begin_keeping(twRod* rod);              ///< the present energy
void tw_rod_lower_kept(twRod* rod, double energy);  ///< to energy minus work, after a loss
void tw_rod_pay(twRod* rod, double energy);         ///< from its motion, without the rigid one if it is free [J]
void tw_rod_keep_energy(twRod* rod, bool damped,
                        bool settle);  ///< settle: also give back what got lost since the last time
// energy.c
double tw_rod_dot(const twRod* rod, double* const* a, double* const* b);  ///< over all coordinates
double tw_rod_total(const twRodEnergy* e);  ///< motion, elasticity, springs and gravity [J]
double tw_rod_elastic(twRod* rod, double* const* q,
                      double* const* g);  ///< elastic energy at q, also in branches, and its gradient without them
double tw_rod_spring_energy(const twRod* rod, const RodSupport* s);  ///< of a support; 0 if it is no spring
double tw_rod_kinetic(twRod* rod);                                   ///< [J]; M v is left in mz[0]
void tw_rod_account(twRod* rod);                                     ///< add what damping took in the last piece
void tw_rod_support_work(twRod* rod);                                ///< add what moved points did in it
