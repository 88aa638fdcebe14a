// SPDX-License-Identifier: MIT
// Things that are struck: a body with its modes, hammers that fly against it, and its sound in front of it, left and right. Where it
// is struck decides which modes ring, as does how hard the hammer is and how heavy.
//
// The set was baked in one material and size. In another, shapes stay and pitch goes with sqrt(E/rho)/size; shapes, which are
// per sqrt(mass), with 1/sqrt(mass); decays are those of the material at the new pitch, with what heat takes from walls of that size and what the air
// takes, P/(density size) times as baked: exact for the baked material, as if others radiated as well at their pitch.
//
// Actions: hit takes a vertex of the set, a speed [m/s] and nothing else.
// Picture: hammers in contact, strength of the last blow [N]; then the amplitude of every mode [kg^1/2 m], and its frequency [Hz].

#include "bench.h"
#include "twang/acoustics.h"
#include "twang/contact.h"
#include "twang/math.h"
#include <stdlib.h>
#include <string.h>

#define HAMMERS 4
#define MODES 96
#define HIGHEST 0.45  // of the rate: modes above are not heard
#define GONE 2e4      // their decay [1/s]
#define EARS 2        // left and right
#define FASTEST 20.0  // of a hammer [m/s]
#define GLIDE 0.01    // time that takes [s]
#define LISTEN 5.0    // how far away the ears are, in radii

enum
{
    MATERIAL,
    SIZE,
    RING,
    HARDNESS,
    HAMMER,
    PARAMETERS
};

// what the material slider chooses from
static const char* const materials[] = {"porcelain", "glass", "bronze", "steel",
                                        "aluminium", "oak",   "ice",    "polystyrene"};
#define MATERIALS (int)(sizeof materials / sizeof materials[0])

typedef struct Strike
{
    const twModeSet* set;
    twNet* net;
    double rate_hz;
    double level;          // makes all bodies about as loud
    double wall;           // thickness as baked [m]
    int mode_count, next;  // the hammer that strikes next
    double freq_hz[MODES], decay[MODES], scale;
    double heard, glide;  // the scale that is heard follows the other one, by this share of the way in a sample
    double force, blow;
    double out[EARS + HAMMERS][PLAY_BLOCK];
} Strike;

// ---- the body ----

static const twMaterial* chosen(const double* values)
{
    int i = (int)(values[MATERIAL] + 0.5);
    i = i < 0 ? 0 : i >= MATERIALS ? MATERIALS - 1 : i;
    return tw_material_find(materials[i]);
}

// twice the volume over the surface
static double wall_of(const twModeSet* set)
{
    double area = 0;
    for (int i = 0; i < set->face_count; i++)
    {
        const twTriangle* f = set->faces + i;
        const twVec3 a = set->vertices[f->v[0]], b = tw_vec3_sub(set->vertices[f->v[1]], a),
                     c = tw_vec3_sub(set->vertices[f->v[2]], a);
        area += 0.5 * tw_vec3_norm(tw_vec3_cross(b, c));
    }
    return area > 0 ? 2 * set->mass.mass / set->materials[0].density / area : 0;
}

static void tune(Strike* s, const double* values)
{
    const twMaterial* now = chosen(values);
    const twModeMaterial* baked = &s->set->materials[0];
    const double pitch = sqrt(now->young / now->density / (baked->young / baked->density)) / values[SIZE];
    s->scale = 1 / sqrt(now->density / baked->density * values[SIZE] * values[SIZE] * values[SIZE]);
    const twRelaxation heat = tw_material_thermoelastic(now, s->wall * values[SIZE]);
    const double lighter = baked->density / now->density / values[SIZE];
    for (int k = 0; k < s->mode_count; k++)
    {
        const double freq_hz = s->set->freq_hz[k] * pitch;
        const bool heard = freq_hz < HIGHEST * s->rate_hz;
        s->freq_hz[k] = heard ? freq_hz : HIGHEST * s->rate_hz;
        const double solid = tw_material_decay(now, freq_hz) + TW_PI * freq_hz * tw_relaxation_loss(heat, freq_hz);
        const double air = s->set->transfer ? lighter * tw_transfer_decay(s->set->transfer, k) : 0;
        s->decay[k] = heard ? (solid + air) / values[RING] : GONE;
    }
}

// what a hammer is: from felt to steel
static twImpactLaw law_of(const double* values) { return (twImpactLaw){values[HARDNESS], 1.5, 0.3}; }

// shape values along the surface's inward normal
static void point_of(const Strike* s, int vertex, double* shape)
{
    const twVec3 normal = tw_mode_set_normal(s->set, vertex);
    for (int k = 0; k < s->mode_count; k++)
        shape[k] = -s->scale * tw_vec3_dot(tw_mode_set_shape(s->set, k, vertex), normal);
}

// how loud each mode is at two places in front of the body
static twStatus weigh(const Strike* s, double* pickup, twError* err)
{
    const twTransfer* transfer = s->set->transfer;
    if (!transfer) return tw_fail(err, TW_BAD_INPUT, "the modes do not say how they sound; bake them");
    float* weights = calloc(2 * (size_t)transfer->mode_count + tw_transfer_work(transfer) + 2, sizeof *weights);
    if (!weights) return tw_fail(err, TW_NO_MEMORY, "no memory for the sound of modes");
    for (int ear = 0; ear < EARS; ear++)
    {
        const twVec3 to = tw_vec3_normalize(tw_vec3(ear ? 0.5 : -0.5, -1, 0.6));
        const twVec3 place = tw_vec3_add_scaled(transfer->centre, to, LISTEN * transfer->radius);
        tw_transfer_weights(transfer, place, weights, weights + 2 * transfer->mode_count);
        // of the wave only its strength: modes of different pitch do not care for each other's phase
        for (int k = 0; k < s->mode_count; k++)
            pickup[ear * s->mode_count + k] = hypot(weights[2 * k], weights[2 * k + 1]);
    }
    free(weights);
    return TW_OK;
}

// over what a blow anywhere would make of it, in the mean; of a blow that rings the lowest modes best
static double level_of(const Strike* s, const double* pickup)
{
    double sum = 0;
    const int vertices = s->set->vertex_count;
    for (int k = 0; k < s->mode_count; k++)
    {
        const double octaves = s->set->freq_hz[k] / (2 * s->set->freq_hz[0]), high = 1 / (1 + octaves * octaves);
        for (int v = 0; v < vertices; v++)
        {
            const twVec3 shape = tw_mode_set_shape(s->set, k, v);
            sum += high * high * pickup[k] * pickup[k] * tw_vec3_dot(shape, shape) / vertices;
        }
    }
    return sum > 0 ? 1 / sqrt(sum) : 0;
}

// ---- set-up ----

static twStatus make_net(Strike* s, const twModes* body, const twModes* hammer, const double* values, twError* err)
{
    twNetObject objects[HAMMERS + 1] = {{.modes = body}};
    twContactDef contacts[HAMMERS];
    twNetOutput outputs[EARS + HAMMERS];
    for (int i = 0; i < HAMMERS; i++)
    {
        objects[i + 1].modes = hammer;
        contacts[i] = tw_contact_def();
        contacts[i].a = i + 1;
        contacts[i].b = 0;
        contacts[i].b_point = i;
        contacts[i].has_impact = true;
        contacts[i].impact = law_of(values);
        contacts[i].gap = 1;
        outputs[EARS + i] = (twNetOutput){.kind = TW_OUT_IMPACT_FORCE, .contact = i};
    }
    for (int i = 0; i < EARS; i++) outputs[i] = (twNetOutput){.kind = TW_OUT_VELOCITY, .object = 0, .index = i};
    twNetDef def = tw_net_def();
    def.rate_hz = s->rate_hz;
    def.object_count = HAMMERS + 1;
    def.objects = objects;
    def.contact_count = HAMMERS;
    def.contacts = contacts;
    def.output_count = EARS + HAMMERS;
    def.outputs = outputs;
    return tw_net_create(&s->net, &def, err);
}

static twStatus make_body(Strike* s, twModes** out, twError* err)
{
    const size_t count = (size_t)s->mode_count;
    double *shape = calloc(HAMMERS * count + 1, sizeof *shape), *pickup = calloc(EARS * count + 1, sizeof *pickup);
    twStatus status = shape && pickup ? weigh(s, pickup, err) : tw_fail(err, TW_NO_MEMORY, "no memory for a body");
    if (status == TW_OK) s->level = level_of(s, pickup);
    for (int i = 0; i < HAMMERS && status == TW_OK; i++) point_of(s, 0, shape + (size_t)i * count);
    if (status == TW_OK)
    {
        const twModesDef def = {s->mode_count, s->freq_hz, s->decay, NULL, HAMMERS, shape, EARS, pickup};
        status = tw_modes_create(out, &def, err);
    }
    free(shape);
    free(pickup);
    return status;
}

static twStatus create(void** out, const BenchStart* start, twError* err)
{
    Strike* s = *out = calloc(1, sizeof *s);
    if (!s) return tw_fail(err, TW_NO_MEMORY, "no memory for a bench");
    if (start->sets[0]->material_count < 1)
        return tw_fail(err, TW_BAD_INPUT, "the modes do not say of what material they are");
    s->set = start->sets[0];
    s->rate_hz = start->rate_hz;
    s->mode_count = start->sets[0]->mode_count < MODES ? start->sets[0]->mode_count : MODES;
    s->wall = wall_of(s->set);
    tune(s, start->values);
    s->heard = s->scale;
    s->glide = -expm1(-1 / (GLIDE * s->rate_hz));
    twModes *body = NULL, *hammer = NULL;
    twStatus status = make_body(s, &body, err);
    if (status == TW_OK) status = tw_modes_rigid(&hammer, start->values[HAMMER], err);
    if (status == TW_OK) status = make_net(s, body, hammer, start->values, err);
    tw_modes_destroy(body);
    tw_modes_destroy(hammer);
    return status;
}

static void destroy(void* state)
{
    Strike* s = state;
    tw_net_destroy(s->net);
    free(s);
}

static void set(void* state, const double* values)
{
    Strike* s = state;
    const twImpactLaw law = law_of(values);
    tune(s, values);
    tw_net_set_modes(s->net, 0, s->freq_hz, s->decay);
    for (int i = 0; i < HAMMERS; i++) tw_net_set_impact(s->net, i, &law);
}

// ---- sound ----

static void act(void* state, PlayAction action, const double arguments[PLAY_ARGUMENTS])
{
    Strike* s = state;
    if (action != PLAY_HIT) return;
    const int vertex = (int)arguments[0];
    if (!(vertex >= 0 && vertex < s->set->vertex_count)) return;
    // a hammer that is free
    for (int i = 0; i < HAMMERS && tw_net_closed(s->net, s->next); i++) s->next = (s->next + 1) % HAMMERS;
    double shape[MODES];
    point_of(s, vertex, shape);
    tw_net_set_point(s->net, 0, s->next, shape);
    tw_net_strike(s->net, s->next, fmin(fmax(arguments[1], 0), FASTEST));
    s->next = (s->next + 1) % HAMMERS;
    s->blow = 0;
}

static void process(void* state, double* left, double* right, int frames)
{
    Strike* s = state;
    double* out[EARS + HAMMERS];
    for (int i = 0; i < EARS + HAMMERS; i++) out[i] = s->out[i];
    tw_net_process(s->net, NULL, out, frames);
    for (int i = 0; i < frames; i++)
    {
        s->heard += s->glide * (s->scale - s->heard);
        left[i] = s->level * s->heard * s->out[0][i];
        right[i] = s->level * s->heard * s->out[1][i];
        for (int k = 0; k < HAMMERS; k++) s->blow = fmax(s->blow, s->out[EARS + k][i]);
    }
}

static int picture(void* state, float* out, int max)
{
    Strike* s = state;
    Pen pen = {out, 0, max};
    double displacement[MODES], velocity[MODES];
    int touching = 0;
    for (int i = 0; i < HAMMERS; i++) touching += tw_net_closed(s->net, i);
    tw_net_state(s->net, 0, displacement, velocity);
    pen_put(&pen, touching);
    pen_put(&pen, s->blow);
    for (int k = 0; k < s->mode_count; k++)
        pen_put(&pen, s->scale * hypot(displacement[k], velocity[k] / (2 * TW_PI * s->freq_hz[k])));
    for (int k = 0; k < s->mode_count; k++) pen_put(&pen, s->freq_hz[k]);
    return pen.count;
}

static const PlayParameter sliders[PARAMETERS] = {
    {"material", "Material", "pitch, weight and how long it rings", "", 0, MATERIALS - 1, 0, false, false},
    {"size", "Size", "all lengths: twice the size is an octave lower", "x", 0.25, 4, 1, true, false},
    {"ring", "Ring time", "less or more damping than the material has", "x", 0.05, 10, 1, true, false},
    {"hardness", "Brightness", "how stiff the hammer is: felt, rubber, wood, steel", "N/m^1.5", 1e5, 1e10, 2e7, true,
     false},
    {"hammer", "Weight of the blow", "mass of the hammer: heavy ones stay longer and sound darker", "kg", 0.001, 0.3,
     0.01, true, true},
};
const Bench bench_strike = {
    .name = "strike",
    .parameters = sliders,
    .parameter_count = PARAMETERS,
    .set_count = 1,
    .gain = 5,
    .create = create,
    .destroy = destroy,
    .set = set,
    .act = act,
    .process = process,
    .picture = picture,
};
