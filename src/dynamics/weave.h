// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/group.h"
#include "dynamics/strand_body.h"
#include "dynamics/strand_pair.h"
#include "rod/couple.h"

/// @file
/// The rods of a world (internal), and the step in which rods, bodies and contacts find each other. docs/rod-contact.md has the
/// equations.
///
/// In a world with rods everything steps together. A contact has two sides, each an edge of a rod, a body, or nothing that moves
/// by itself. Impulses p (contacts x 3: normal, tangents) are what is solved for.

enum
{
    WEAVE_BASIS = 30,    ///< steps of a linear solve
    WEAVE_HALVINGS = 5,  ///< of a step, at most
    WEAVE_SOFTER = 3,    ///< times that contacts are made softer, if halves do not help
    WEAVE_ROW = 8        ///< numbers of a row on an edge: both points (3 + 3), its turn, nothing
};

/// How a contact moves an edge, and is moved by it: velocity along normal and tangents of what touches; signs included.
typedef struct WeaveSide
{
    int rod;       ///< -1: no rod
    int point[2];  ///< of the edge, which has the number of the first
    double row[3][WEAVE_ROW];
} WeaveSide;

typedef float WeaveFour __attribute__((vector_size(16)));

/// The same for the linear systems, in float: of both points of both sides, by rows; x, y, z, turn. Of local rods in the axes of the points.
typedef struct WeaveRows
{
    WeaveFour row[2][2][3];
    int node[2][2];  ///< of all rods' points, one after the other; -1: no rod, or a local one
} WeaveRows;

/// How impulses of one contact move another one on a local rod, and the other way round: columns of either.
typedef struct WeaveLink
{
    int from, to;
    WeaveFour there[3], back[3];
} WeaveLink;

/// What a contact that gives way is in a linear system, by columns.
typedef struct WeaveBlock
{
    WeaveFour slope[3];    ///< D
    WeaveFour inverse[3];  ///< of I + D W_own
    int contact;
} WeaveBlock;

/// A contact, or a part of a tie, in a step.
typedef struct WeaveContact
{
    WeaveSide* side;       ///< (2)
    int body[2];           ///< of the group; -1: none that moves by itself
    const double* row[2];  ///< (3 x velocities of the body)
    double wall[3];        ///< relative velocity that is prescribed
    double own[3];         ///< about the diagonal of J W J^T [1/kg]
    double of_bodies[3];   ///< of it
    double rod0[3];        ///< the rods' part of the relative velocity at the start
    LawStep step;
    LawEnd end;
    double u1[3];
    double last[3];    ///< of the normal, a round before: velocity, impulse of the law, what was left
    double low, high;  ///< pushes that were too little, too much
    bool has_low, has_high;
    twImpactLaw hard;  ///< what it is softer than in this piece, and so are its bristles
    double hard_kt;
    double gap;
    double rise;  ///< how much deeper it is than it knows, as far as it is to learn that now [m]
    int touch;    ///< of the rods' touches; -1: of the group; below: -2 less a tie or grab
    SolveMemory* memory;
    BondStep bond;
} WeaveContact;

/// What a contact of rods remembers while it is closed.
typedef struct WeaveSlot
{
    uint64_t id;
    SolveMemory memory;
    StrandTouch touch;
    double stored;   ///< energy [J]
    float given[3];  ///< the force that was listed last, of one with a body
    bool taken;      ///< by a contact of this step
} WeaveSlot;

/// Slots and where they are by id.
typedef struct WeaveTable
{
    int count, room;
    WeaveSlot* slots;
    int bucket_count;  ///< a power of 2
    int* buckets;      ///< slot; -1: none
} WeaveTable;

/// A rod and a body that are near.
typedef struct WeaveNear
{
    int rod, body;
    bool kept;  ///< still near
    StrandBody* touches;
    SolveLaw law;
} WeaveNear;

/// What holds a point of a rod: a tie in the axes of its body, or a grab in those of the world.
typedef struct WeaveTie
{
    int rod, body;  ///< of a grab -1: none
    int point;      ///< of the rod; of a turn: the edge
    twVec3 anchor;  ///< the point, in the body's axes, from its mass centre
    double stiffness;
    int vertex;  ///< of a flexible body, that it goes along with

    Grab* grab;            ///< NULL: a tie
    twSurfacePoint on;     ///< where the body is held, if there is one
    int to_rod, to_point;  ///< the other rod that is held, if there is one; else -1
    double sign;           ///< -1: what is held is the body

    bool turn;           ///< holds how an edge is turned, not a point
    twVec3 end, across;  ///< the edge's other point, and where d1 points; anchor is its first
    int end_vertex;      ///< of the other point
    double angle;        ///< of the section's first axis from d1
    double hold[3];      ///< what it is held with at most: twist, tilts along the section's axes [N m]
    double start[3];     ///< how far it is turned at the start
    double mobility
        [3];  ///< of the rod, in steps of mobility_h [s]: 1/inertia. Of a grab: of all it holds, along any direction
    double mobility_h;

    double credit;  ///< what it lost in the last piece, and may take again in the next [J]
    SolveMemory memory;
} WeaveTie;

typedef struct WeaveRod
{
    twRod* rod;
    StrandShape* shape;
    char name[POOL_NAME];
    bool ghost, no_self;
    bool gone;  ///< it stays as it was, until another one comes to its place
    int material;
    int kind;             ///< rods of a kind touch others alike
    double radius;        ///< of curvature, for the default stiffness [m]
    double edge_mass;     ///< mean [kg]
    double edge_inertia;  ///< of an edge about itself, mean [kg m^2]
    double* inverse;      ///< (points) 1/mass of their rows [1/kg]
    double calm_speed;
    double damping;              ///< of what is not rigid motion, by mass: what it loses in a step
    int first;                   ///< of its points among those of all places
    twVec3 low, high;            ///< box that it will not leave before the next look [m]
    double* middle[3];           ///< (points) in the middle of the step
    double* force[ROD_COUPLED];  ///< (points) of linear systems
    double* way[ROD_COUPLED];    ///< (points)
    bool pushed;                 ///< some contact may push it in this step
    bool gives;                  ///< some contact of it gives way
    int side_count;              ///< of contacts on it
    int at;                      ///< their points among those of all
    bool local;                  ///< its compliances are those of links (weave_local.c)
    double share;                ///< of the forces in a linear system
    bool converged;              ///< with the forces it has
    bool settled;                ///< with those it had when it was iterated last: it need only follow them
    bool owing;                  ///< some contact of it wants energy
    double spare;                ///< of its motion, for that [J]
    double owed;                 ///< what contacts gained by not being solved to the last, to be taken from it [J]
    double contact_work;         ///< done by contacts, since the start [J]
} WeaveRod;

typedef struct Weave
{
    int point_count;  ///< of all rods at the start, and of as many as may come
    int node_count;   ///< points of all places
    int rod_count;    ///< places
    int kind_count, near_count, near_room;
    int tie_count;             ///< ties, and grabs behind them up to the last slot that holds a rod
    int grab_first, tie_room;  ///< the first slot's place; with all slots
    double h, rate_hz;
    int64_t steps;
    int softer;       ///< contacts are in this step, by so much
    int level, easy;  ///< steps are cut in 2^level pieces; those since one was hard
    SolveOptions options;
    const BlockKernel* kernel;
    WeaveRod* rods;
    WeaveRod nothing;  ///< in places where no rod has been yet: a ghost that is not stepped
    int* room;         ///< (rods) points that each place has room for; NULL: none come
    StrandPlace* places;
    const StrandShape** shapes;
    StrandPairs* pairs;
    StrandWork* work;
    RodLender* lender;  ///< NULL: all memory is made at creation
    SolveLaw* laws;     ///< (kinds x kinds)
    WeaveNear* near;    ///< (near_room) by rod and body; those behind have touches to be used again
    WeaveTie* ties;
    double looked;  ///< when what is near was looked for [s]
    WeaveTable table, next;

    // of the piece that is being made
    Group group;
    Cluster cluster;
    int touch_count, touch_room;
    StrandTouch* touches;
    int contact_count, contact_room;
    WeaveContact* contacts;
    SolveMemory* memories;  ///< (touches)
    double* p;              ///< (contacts x 3) impulses
    double* r;              ///< (contacts x 3) residual
    double* before;         ///< (contacts x 6) impulses and velocities of the last round of rods
    WeaveSide* sides;       ///< (contacts x 2)
    int* at;                ///< (sides x 2) points of sides, rod by rod
    WeaveRows* rows;        ///< (contacts)
    int link_count, link_room;
    WeaveLink* links;   ///< of contacts on local rods
    WeaveFour* give;    ///< (contacts x 3) columns of how a contact moves itself, by local rods
    WeaveFour* spread;  ///< (contacts) impulses
    WeaveFour* rate;    ///< (contacts) what they make
    int* behind;        ///< (contacts x 2) the next side on the same point; -1: none
    int* head;          ///< (points of all rods) its first side; -1: none
    bool all_local;     ///< all rods that contacts push are
    int block_count;
    WeaveBlock* blocks;                ///< (contacts that give way or are to change)
    WeaveFour *basis, *x, *y;          ///< (WEAVE_BASIS + 1, 1, 1 vectors over blocks)
    WeaveFour *node_force, *node_way;  ///< (points of all rods)
    double* vector;                    ///< (velocities of bodies)
    twMat3* inverse_inertia;           ///< (bodies of the group)
    double h_piece, last_h, time;
    double tank;  ///< what contacts lost in the last piece, and may take again where they are deeper than they know [J]
    double forgotten;    ///< what contacts had that are no more, for the same [J]
    double wanted;       ///< by those, all of it [J]
    double borrowed;     ///< share of what the rods have to spare, for those
    double gained;       ///< by contacts that could not be solved, to be taken back [J]
    double rod_seconds;  ///< spent on rods
    int iterations;
} Weave;

// weave.c
twStatus weave_create(twWorld* world, const twWorldDef* def, twError* err);
void weave_destroy(Weave* weave);                 ///< NULL is fine
void weave_advance(twWorld* world, double time);  ///< until rods and bodies are not before it
void weave_forget(Weave* weave);                  ///< what only saves time
twStatus weave_make_rod(const twWorld* world, const twWorldRodDef* def, WeaveRod* rod, twError* err);
void weave_free_rod(WeaveRod* rod);
void weave_set_laws(const twWorld* world, int rod);  ///< how it touches all others and itself
void weave_set_place(Weave* weave, int rod);         ///< what collision detection knows of a place
/// How a rod touches a body.
void weave_law_of_body(const twWorld* world, int rod, int body, SolveLaw* out);
/// Kinetic, elastic, weight and contacts are added; work: from outside.
void weave_energy(const twWorld* world, twWorldEnergy* energy);

// weave_touch.c
void weave_look(twWorld* world);      ///< which bodies are near which rods
bool weave_find(twWorld* world);      ///< touches in the middle of the piece. @return false without memory
bool weave_contacts(twWorld* world);  ///< contacts of touches, ties and the group. @return false without memory
const SolveLaw* weave_law(const Weave* weave, const StrandTouch* touch);
void weave_remember(twWorld* world);  ///< after the piece
/// A rod or a body goes, or is elsewhere: what contacts knew of it. The other one is TW_NOWHERE.
void weave_forget_contacts(twWorld* world, int rod, int body);
void weave_harden(WeaveContact* contact);  ///< what it ends with, if it was made softer, as it is otherwise
/// What all contacts begin with: how easily they move and the velocity at the start, when sides and walls are set.
void weave_begin_contact(const Weave* weave, WeaveContact* contact);
/// The same of one side, as if points and edges were free: added to own.
void weave_side_own(const Weave* weave, const WeaveSide* side, double own[3]);

// weave_tie.c
/// Whether it is a bond in this step: a slot without a grab is not, and one that pushes is not either.
static inline bool weave_tie_holds(const WeaveTie* tie)
{
    return tie->rod >= 0 && (!tie->grab || grab_holds(tie->grab));
}
twStatus weave_make_ties(twWorld* world, const twWorldDef* def, twError* err);
bool weave_set_tie(twWorld* world, int tie, WeaveContact* contact);  ///< @return false without memory
void weave_stiffen_ties(Weave* weave);                               ///< how hard they hold, when rods are open
int weave_tie_of(const Weave* weave, int body);                      ///< that holds a body; -1: none
void weave_give_ties(twWorld* world);                                ///< list their forces on bodies that can be heard
bool weave_is_tied(const Weave* weave, const StrandTouch* touch);    ///< so near a tie that it does not count
/// A body as the other side, moved at a point along three axes, its modes those of what it is held by there. @return false without memory
bool weave_hold_body(twWorld* world, int body, const twSurfacePoint* on, twVec3 point, const twVec3 axes[3],
                     WeaveContact* contact);

// weave_grab.c
twStatus weave_check_grab(const twWorld* world, int rod, int node, twError* err);
twVec3 weave_grab_point(const twWorld* world, int rod, int node, twVec3* velocity);
void weave_bind_grab(twWorld* world, int slot);  ///< after a grab began, ended or was loaded
bool weave_set_grab(twWorld* world, const WeaveTie* tie, WeaveContact* contact,
                    double offset[3]);  ///< @return false without memory
/// How easily what it holds moves, along whatever direction; rods: their part [1/kg].
double weave_grab_mobility(const Weave* weave, const WeaveContact* contact, twMat3 rods);
void weave_stiffen_grab(const Weave* weave, const WeaveTie* tie, WeaveContact* contact);
void weave_push_rods(twWorld* world);    ///< by forces of grabs, for the next step
bool weave_push_bodies(twWorld* world);  ///< by the same, in a piece of it. @return false without memory
void weave_end_grabs(twWorld* world);    ///< after a piece: what they did

void weave_set_rows(Weave* weave);  ///< in float, for the linear systems; no rod is local

// weave_local.c
bool weave_local_build(Weave* weave);  ///< which rods are local, and their links. @return false without memory
void weave_local_add(Weave* weave);    ///< what spread makes on local rods, to rate

// weave_solve.c
bool weave_solve(Weave* weave);   ///< @return whether rods and contacts agree
void weave_settle(Weave* weave);  ///< contacts to their end, which gain nothing
/// What impulses do to the points of a side, and scale times how those move: both are added.
void weave_side_push(const WeaveSide* side, const double p[3], double* const* force);
void weave_side_rate(const WeaveSide* side, const double* const* x, double scale, double u[3]);

// weave_pool.c
/// Places where rods may come, at creation: how many points they have room for, and nothing in them.
twStatus weave_make_places(twWorld* world, const twWorldDef* def, twError* err);

// weave_room.c: memory for so many, if it is not there already. @return false without memory
bool weave_room_contacts(Weave* weave, int count);
bool weave_room_touches(Weave* weave, int count);
bool weave_room_links(Weave* weave, int count);
bool weave_room_near(Weave* weave, int count);
bool weave_room_all(const twWorld* world, int contacts);  ///< for so many contacts of all kinds: steps need no more

// weave_table.c
bool weave_table_room(WeaveTable* table, int count);             ///< @return false without memory
bool weave_table_add(WeaveTable* table, const WeaveSlot* slot);  ///< @return false without memory
WeaveSlot* weave_table_find(const WeaveTable* table, uint64_t id);
void weave_table_clear(WeaveTable* table);
void weave_table_free(WeaveTable* table);

// weave_save.c
size_t weave_bytes(const Weave* weave);
void weave_save(Weave* weave, char* bytes);
bool weave_check(const twWorld* world, double time, const char* bytes, size_t count);
bool weave_load(twWorld* world, const char* bytes);  ///< after a check. @return false without memory
