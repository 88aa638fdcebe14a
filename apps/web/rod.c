// SPDX-License-Identifier: MIT
// An elastic rod in space (twRod), clamped at one end or at both: bent, plucked and struck by hand, heard as the dipoles it is made of.
// It may bend as far as one likes. The rod is stepped at half the sample rate, since what it does above is not resolved by
// its points anyway, and its sound is interpolated.
//
// Actions: down takes a point and a place [m] (3) for it to be drawn to, move a place, up lets go; hit takes a point and a force [N] (3).
// Picture: held point or -1, force of the hand [N], energy [J], then the places of the points [m] (x 3).

#include "twang/rod.h"
#include "bench.h"
#include "twang/acoustics.h"
#include "twang/math.h"
#include <stdlib.h>
#include <string.h>

// three vectors of four. 15 points put the fourth tone 1 cent flat instead of 10, and take 1.4 times the work while it is loud
#define POINTS 12
#define EARS 2
#define COMPANY 1000     // as if it were one of many: solved in float, four numbers at a time
#define BLOW 3e-4        // how long a blow lasts [s]
#define STRONGEST 500.0  // of a blow [N]
#define HOLD 400.0       // of the hand's spring [N/m], times the stiffness of the rod
#define CLOSE 0.02       // time a hand takes to close [s]
#define OPEN 6e-4        // and to open
#define FOLLOW 0.015     // the hand is where it is told to be after this time [s]
#define STILL 1e-13      // kinetic energy of a rod that sleeps [J]
#define LOOKS 8          // it is looked at so often before
#define LOOK 250         // every so many steps
#define LONGEST 2.0      // of a rod under tension, over its length at rest
#define HALF 12          // taps on each side of the interpolation
#define HISTORY (2 * HALF)

enum
{
    ENDS,
    LENGTH,
    THICKNESS,
    WIDTH,
    YOUNG,
    DENSITY,
    DAMPING,
    LOSS,
    TENSION,
    PARAMETERS
};

typedef struct Rod
{
    twRod* rod;
    twRadiator* radiator;
    twListener* listeners[EARS];
    double rate_hz;                              // of steps
    double follow;                               // share of the way to its target that the hand goes in a step
    int last;                                    // point
    int held;                                    // point, or -1
    int steps, still;                            // since it was looked at; times it was found still
    bool holding;                                // not letting go
    double grip;                                 // 0 .. 1: hands close slowly and open fast, but not at once
    twVec3 target, hand;                         // where the hand is told to be, and where it is
    double stiffness, damping, strength, force;  // of the hand
    double past[2 * HISTORY][EARS];  // every row twice, HISTORY apart, so that the last ones are in one piece
    double taps[HALF];
    int at;      // newest in past
    bool fresh;  // the next sample is one between two steps
} Rod;

// ---- set-up ----

// a clamp holds a point and its edge, so points run from one clamp to the other
static twStatus make_rod(Rod* r, const BenchStart* start, const twSection* section, twError* err)
{
    const double* v = start->values;
    const bool both = v[ENDS] > 0.5;
    // it lies flat: its width along y
    twVec3 points[POINTS], directions[POINTS];
    for (int i = 0; i < POINTS; i++)
    {
        points[i] = tw_vec3(v[LENGTH] * i / (POINTS - 1), 0, 0);
        directions[i] = tw_vec3(0, 1, 0);
    }
    const twRodSupport supports[2] = {{.kind = TW_ROD_CLAMPED, .point = 0},
                                      {.kind = TW_ROD_CLAMPED, .point = POINTS - 1}};
    twRodDef def = tw_rod_def();
    def.point_count = POINTS;
    def.points = points;
    def.directions = directions;
    // what is too weak for the tension is drawn to twice its length, not more
    def.stretch = both ? fmin(1 + v[TENSION] / (v[YOUNG] * section->area), LONGEST) : 1;
    def.section_count = 1;
    def.sections = section;
    def.young = v[YOUNG];
    def.density = v[DENSITY];
    def.alpha = 2 * v[DAMPING];
    def.loss_factor = v[LOSS];
    def.air_radius = sqrt(fmax(section->dipole[0], section->dipole[1]) / (2 * TW_PI));
    def.rate_hz = r->rate_hz;
    def.company = COMPANY;
    def.support_count = both ? 2 : 1;
    def.supports = supports;
    r->last = both ? POINTS - 2 : POINTS - 1;
    return tw_rod_create(&r->rod, &def, err);
}

static twStatus make_sound(Rod* r, const twSection* section, double length, twError* err)
{
    double lengths[POINTS - 1];
    for (int i = 0; i < POINTS - 1; i++) lengths[i] = length / (POINTS - 1);
    twRadiatorDef def = tw_radiator_def();
    def.point_count = POINTS;
    def.section_count = 1;
    def.sections = section;
    def.lengths = lengths;
    twStatus status = tw_radiator_create(&r->radiator, &def, err);
    for (int ear = 0; ear < EARS && status == TW_OK; ear++)
    {
        twListenerDef listener = tw_listener_def();
        listener.rate_hz = r->rate_hz;
        listener.position = tw_vec3((ear ? 0.8 : 0.2) * length, -0.2, 0.25);
        listener.farthest = 4;
        status = tw_listener_create(&r->listeners[ear], &listener, err);
    }
    return status;
}

// half-band: between two samples, from HALF on each side
static void make_taps(double taps[HALF])
{
    for (int i = 0; i < HALF; i++)
    {
        const double t = i + 0.5, window = cos(0.5 * TW_PI * t / HALF);
        taps[i] = sin(TW_PI * t) / (TW_PI * t) * window * window;
    }
}

static twStatus create(void** out, const BenchStart* start, twError* err)
{
    Rod* r = *out = calloc(1, sizeof *r);
    if (!r) return tw_fail(err, TW_NO_MEMORY, "no memory for a bench");
    const double* v = start->values;
    r->rate_hz = 0.5 * start->rate_hz;
    r->follow = -expm1(-1 / (FOLLOW * r->rate_hz));
    r->held = -1;
    make_taps(r->taps);
    twSection section;
    const twSectionDef outline = tw_section_rectangle(v[WIDTH], v[THICKNESS]);
    twStatus status = tw_section_compute(&section, &outline, err);
    if (status == TW_OK) status = make_rod(r, start, &section, err);
    if (status == TW_OK) status = make_sound(r, &section, v[LENGTH], err);
    if (status != TW_OK) return status;
    // a hand that is stiffer than the rod, and takes its swing
    const double bending = v[YOUNG] * v[WIDTH] * pow(v[THICKNESS], 3) / 12 / pow(v[LENGTH], 3);
    r->strength = 4 * bending * v[LENGTH] + v[TENSION];
    r->stiffness = HOLD * bending + 20 * v[TENSION] / v[LENGTH];
    r->damping = sqrt(r->stiffness * v[DENSITY] * v[WIDTH] * v[THICKNESS] * v[LENGTH]);
    return TW_OK;
}

static void destroy(void* state)
{
    Rod* r = state;
    tw_rod_destroy(r->rod);
    tw_radiator_destroy(r->radiator);
    for (int i = 0; i < EARS; i++) tw_listener_destroy(r->listeners[i]);
    free(r);
}

static void set(void* state, const double* values) { (void)state, (void)values; }

// ---- hands ----

static twVec3 place_of(const twRodView* view, int point)
{
    return tw_vec3(view->position[0][point], view->position[1][point], view->position[2][point]);
}

static void act(void* state, PlayAction action, const double a[PLAY_ARGUMENTS])
{
    Rod* r = state;
    r->still = 0;
    if (action == PLAY_UP || action == PLAY_RESET) r->holding = false;
    if (action == PLAY_MOVE) r->target = tw_vec3(a[0], a[1], a[2]);
    if (action != PLAY_DOWN && action != PLAY_HIT) return;
    const twVec3 vector = tw_vec3(a[1], a[2], a[3]);
    if (!(a[0] >= 1 && a[0] <= r->last)) return;
    if (action == PLAY_DOWN)
    {
        const twRodView view = tw_rod_view(r->rod);
        r->held = (int)a[0];
        r->holding = true;
        r->grip = 0;
        r->target = vector;
        r->hand = place_of(&view, r->held);
    }
    else if (tw_vec3_norm(vector) <= STRONGEST)
        tw_rod_strike(r->rod, &(twRodPulse){(int)a[0], vector, tw_rod_view(r->rod).time, BLOW});
}

static void pull(Rod* r)
{
    r->grip = fmin(fmax(r->grip + (r->holding ? 1 / CLOSE : -1 / OPEN) / r->rate_hz, 0), 1);
    if (!r->holding && r->grip == 0) r->held = -1;
    if (r->held < 0) return;
    const twRodView view = tw_rod_view(r->rod);
    const double stiffness = r->grip * r->stiffness;
    // no farther ahead than its strength allows: the rod cannot be everywhere
    const twVec3 place = place_of(&view, r->held);
    r->hand = tw_vec3_add_scaled(r->hand, tw_vec3_sub(r->target, r->hand), r->follow);
    const twVec3 ahead = tw_vec3_sub(r->hand, place);
    const double most = r->strength / r->stiffness, far = tw_vec3_norm(ahead);
    if (far > most) r->hand = tw_vec3_add_scaled(place, ahead, most / far);
    const twVec3 force = tw_vec3_scale(tw_vec3_sub(r->hand, place), stiffness);
    const twMat3 unit = tw_mat3_identity(), spring = tw_mat3_scale(unit, stiffness),
                 damper = tw_mat3_scale(unit, r->grip * r->damping);
    tw_rod_push_spring(r->rod, r->held, force, &spring, &damper);
    r->force = tw_vec3_norm(force);
}

// ---- sound ----

// a rod that hardly moves is left alone until it is touched; so is one that is held, until the hand moves
static bool sleeps(Rod* r)
{
    if (r->still >= LOOKS) return true;
    if (++r->steps < LOOK) return false;
    r->steps = 0;
    r->still = tw_rod_energy(r->rod).kinetic < STILL ? r->still + 1 : 0;
    return false;
}

static void step(Rod* r)
{
    double now[EARS] = {0};
    if (!sleeps(r))
    {
        pull(r);
        tw_rod_step(r->rod);
        const twRodView view = tw_rod_view(r->rod);
        const twRadiatorMotion motion = tw_radiator_motion(&view);
        const twSources sources = tw_radiator_update(r->radiator, &motion);
        for (int ear = 0; ear < EARS; ear++)
        {
            tw_listener_add(r->listeners[ear], 0, &sources);
            now[ear] = tw_listener_step(r->listeners[ear]);
        }
    }
    r->at = (r->at + 1) % HISTORY;
    memcpy(r->past[r->at], now, sizeof now);
    memcpy(r->past[r->at + HISTORY], now, sizeof now);
}

// the samples HALF steps ago, or those between them and the next
static void hear(const Rod* r, bool middle, double out[EARS])
{
    const double(*past)[EARS] = (const double(*)[EARS])r->past[r->at + HISTORY - HALF];
    for (int ear = 0; ear < EARS; ear++) out[ear] = middle ? 0 : past[0][ear];
    for (int i = 0; middle && i < HALF; i++)
        for (int ear = 0; ear < EARS; ear++) out[ear] += r->taps[i] * (past[-i][ear] + past[1 + i][ear]);
}

static void process(void* state, double* left, double* right, int frames)
{
    Rod* r = state;
    for (int i = 0; i < frames; i++)
    {
        double heard[EARS];
        if (!r->fresh) step(r);
        hear(r, r->fresh, heard);
        left[i] = heard[0], right[i] = heard[1];
        r->fresh = !r->fresh;
    }
}

static int picture(void* state, float* out, int max)
{
    Rod* r = state;
    Pen pen = {out, 0, max};
    const twRodView view = tw_rod_view(r->rod);
    const twRodEnergy energy = tw_rod_energy(r->rod);
    pen_put(&pen, r->held);
    pen_put(&pen, r->held < 0 ? 0 : r->force);
    pen_put(&pen, energy.kinetic + energy.bending + energy.twisting + energy.stretching);
    for (int i = 0; i < view.point_count; i++)
        for (int k = 0; k < 3; k++) pen_put(&pen, view.position[k][i]);
    return pen.count;
}

static const PlayParameter sliders[PARAMETERS] = {
    {"ends", "Held", "at one end, like a ruler on a table, or at both", "", 0, 1, 0, false, true},
    {"length", "Length", "twice as long is two octaves lower", "m", 0.05, 1, 0.09, true, true},
    {"thickness", "Thickness", "twice as thick is an octave higher", "m", 2e-4, 1e-2, 1e-3, true, true},
    {"width", "Width", "wide ones are louder", "m", 5e-4, 5e-2, 8e-3, true, true},
    {"young", "Springiness", "Young's modulus: rubber, plastic, wood, steel", "Pa", 1e6, 2.2e11, 2e11, true, true},
    {"density", "Heaviness", "density", "kg/m^3", 200, 9000, 7800, true, true},
    {"damping", "Support", "what holds it takes from low and high partials alike", "1/s", 0.1, 100, 1.5, true, true},
    {"loss", "Dullness", "loss factor of the material: high partials die first", "", 1e-5, 0.3, 2e-4, true, true},
    {"tension", "Tension", "pull between two held ends: from bar to string", "N", 0, 200, 0, false, true},
};
const Bench bench_rod = {
    .name = "rod",
    .parameters = sliders,
    .parameter_count = PARAMETERS,
    .gain = 4,
    .create = create,
    .destroy = destroy,
    .set = set,
    .act = act,
    .process = process,
    .picture = picture,
};
