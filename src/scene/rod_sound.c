// SPDX-License-Identifier: MIT
// Each rod radiates, and is heard by every listener at its points.
//
// An ear's directions are those of the middle of all points of the rods, m, seen from the ear at x, in its axes:
//
//   e = turn^-1 (m - x)/|m - x|
//   stereo    at +-spacing/2 along y, times omni + (1 - omni) e . (cos angle/2, +-sin angle/2, 0)
//   binaural  at +-HEAD/2 along y
//   ambix     W = p, (Y, Z, X) = p (e_y, e_z, e_x)   (SN3D)

#include "rod_sound.h"
#include "reader.h"
#include "twang/play.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD 0.175  // between the ears [m]

// one rod and its sound
typedef struct Voice
{
    const twSceneRod* scene;
    twRod* rod;
    twRadiator* radiator;
    twVec3* anchors;  // where moved supports began (moves)
    int track;
} Voice;

enum
{
    MOST_POINTS = 2
};

typedef struct Hearer
{
    const twSceneListener* scene;
    int points, channels, first;
    twListener* listener[MOST_POINTS];
    double picked;  // velocity of a pickup's point when the step began
} Hearer;

struct RodSound
{
    const twScene* scene;
    int latency, channels;
    double step_seconds;
    Voice* voices;
    Hearer* hearers;
    bool radiates;  // somebody hears more than pickups
    bool directed;  // some ear wants to know where rods are
};

// ---- radiators ----

twStatus tw_scene_radiator(twRadiator** out, const twSceneRod* rod, const twRodView* view, twError* err)
{
    twRadiatorDef def = tw_radiator_def();
    def.point_count = rod->def.point_count;
    def.closed = rod->def.closed;
    def.section_count = rod->def.section_count;
    def.sections = rod->def.sections;
    def.lengths = view->rest_length;
    def.end_caps = !rod->silent_ends;
    def.poisson = rod->stiff_sides ? 0 : rod->def.poisson;
    def.uniform = rod->uniform;
    return tw_radiator_create(out, &def, err);
}

static twStatus check_inside(const twSceneRod* rod, twVec3 place, twError* err)
{
    twRod* made;
    twRadiator* radiator = NULL;
    twStatus status = tw_rod_create(&made, &rod->def, err);
    if (status == TW_OK)
    {
        const twRodView view = tw_rod_view(made);
        status = tw_scene_radiator(&radiator, rod, &view, err);
    }
    if (status == TW_OK)
    {
        const twRodView view = tw_rod_view(made);
        const twRadiatorMotion motion = tw_radiator_motion(&view);
        status = tw_radiator_check_place(radiator, &motion, place, err);
    }
    tw_radiator_destroy(radiator);
    tw_rod_destroy(made);
    return status;
}

twStatus rods_check_place(const twScene* scene, twVec3 place, twError* err)
{
    twStatus status = TW_OK;
    twError inner;
    for (int i = 0; i < scene->rod_count && status == TW_OK; i++)
    {
        status = check_inside(&scene->rods[i], place, &inner);
        if (status != TW_OK) tw_fail(err, status, "rod '%s': %s", scene->rods[i].name, inner.text);
    }
    return status;
}

// ---- creating ----

static twStatus create_voice(Voice* voice, const twSceneRod* rod, twRod* made, int track, twError* err)
{
    voice->scene = rod;
    voice->rod = made;
    voice->track = track;
    voice->anchors = calloc((size_t)rod->move_count + 1, sizeof *voice->anchors);
    if (!voice->anchors) return tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    const twRodView view = tw_rod_view(voice->rod);
    for (int i = 0; i < rod->move_count; i++)
    {
        const int p = rod->def.supports[rod->moves[i].support].point;
        voice->anchors[i] = tw_vec3(view.position[0][p], view.position[1][p], view.position[2][p]);
    }
    return tw_scene_radiator(&voice->radiator, rod, &view, err);
}

// cylinders of one radius share a track, which all listeners number alike; 0 is for compact sources. Beyond the last track: the nearest radius
static int track_of(const twScene* scene, const twSceneRod* rod)
{
    const twListenerDef* def = scene->listener_count > 0 ? &scene->listeners[0].def : NULL;
    int best = 0;
    for (int i = 1; def && rod->cylinder > 0 && i < def->track_count; i++)
        if (best == 0 || fabs(def->radius[i] - rod->cylinder) < fabs(def->radius[best] - rod->cylinder)) best = i;
    return best;
}

static double spacing_of(const twSceneEar* ear)
{
    return ear->def.kind == TW_EAR_STEREO ? ear->def.spacing : ear->def.kind == TW_EAR_BINAURAL ? HEAD : 0;
}

// where the points of an ear are
static twVec3 point_of(const twSceneEar* ear, twVec3 place, twQuat turn, int point)
{
    const double half = 0.5 * spacing_of(ear);
    return tw_vec3_add(place, tw_quat_rotate(turn, tw_vec3(0, point == 0 ? half : -half, 0)));
}

static twStatus create_hearer(Hearer* h, const twSceneListener* scene, twError* err)
{
    const twSceneEar* ear = scene->ear;
    twStatus status = TW_OK;
    h->scene = scene;
    h->channels = ear ? tw_ear_channels(ear->def.kind) : 1;
    h->points = h->channels == 2 ? 2 : 1;
    for (int i = 0; i < h->points && status == TW_OK; i++)
    {
        twListenerDef def = scene->def;
        if (ear) def.position = point_of(ear, def.position, ear_turn(def.position, ear->look), i);
        status = tw_listener_create(&h->listener[i], &def, err);
    }
    return status;
}

static bool is_pickup(const twSceneListener* l) { return l->pickup_rod >= 0 || l->pickup_body >= 0; }

static twStatus create_all(RodSound* s, twRod* const* rods, twError* err)
{
    const twScene* scene = s->scene;
    twStatus status = TW_OK;
    twError inner;
    for (int i = 0; status == TW_OK && i < scene->rod_count; i++)
    {
        status = create_voice(&s->voices[i], &scene->rods[i], rods[i], track_of(scene, &scene->rods[i]), &inner);
        if (status != TW_OK) tw_fail(err, status, "rod '%s': %s", scene->rods[i].name, inner.text);
    }
    for (int i = 0; status == TW_OK && i < scene->listener_count; i++)
    {
        Hearer* h = &s->hearers[i];
        const twSceneEar* ear = scene->listeners[i].ear;
        status = create_hearer(h, &scene->listeners[i], &inner);
        if (status != TW_OK) return tw_fail(err, status, "listener '%s': %s", scene->listeners[i].name, inner.text);
        h->first = s->channels;
        s->channels += h->channels;
        s->latency = tw_listener_latency(h->listener[0]);
        s->radiates |= !is_pickup(&scene->listeners[i]);
        s->directed |= ear && (ear->def.kind == TW_EAR_STEREO || ear->def.kind == TW_EAR_AMBIX);
    }
    return status;
}

twStatus rod_sound_create(RodSound** out, const twScene* scene, twRod* const* rods, twError* err)
{
    *out = NULL;
    RodSound* s = calloc(1, sizeof *s);
    if (!s) return tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    s->scene = scene;
    s->step_seconds = 1 / (scene->rate_hz * scene->oversample);
    s->voices = calloc((size_t)scene->rod_count + 1, sizeof *s->voices);
    s->hearers = calloc((size_t)scene->listener_count + 1, sizeof *s->hearers);
    twStatus status =
        s->voices && s->hearers ? create_all(s, rods, err) : tw_fail(err, TW_NO_MEMORY, "no memory for the rods");
    if (status == TW_OK)
        *out = s;
    else
        rod_sound_destroy(s);
    return status;
}

void rod_sound_destroy(RodSound* s)
{
    if (!s) return;
    for (int i = 0; s->voices && i < s->scene->rod_count; i++)
    {
        tw_radiator_destroy(s->voices[i].radiator);
        free(s->voices[i].anchors);
    }
    for (int i = 0; s->hearers && i < s->scene->listener_count; i++)
        for (int k = 0; k < MOST_POINTS; k++) tw_listener_destroy(s->hearers[i].listener[k]);
    free(s->voices);
    free(s->hearers);
    free(s);
}

int rod_sound_channels(const RodSound* s) { return s->channels; }
int rod_sound_first(const RodSound* s, int listener) { return s->hearers[listener].first; }
int rod_sound_latency(const RodSound* s) { return s->latency; }

twListenerStats rod_sound_stats(const RodSound* s, int listener)
{
    const Hearer* h = &s->hearers[listener];
    twListenerStats sum = tw_listener_stats(h->listener[0]);
    for (int i = 1; i < h->points; i++)
    {
        const twListenerStats more = tw_listener_stats(h->listener[i]);
        sum.too_near += more.too_near;
        sum.too_far += more.too_far;
        sum.bad_values += more.bad_values;
    }
    return sum;
}

// ---- before a step ----

twVec3 rods_place(const twSignal along[3], double time)
{
    return tw_vec3(tw_signal_value(&along[0], time, NULL), tw_signal_value(&along[1], time, NULL),
                   tw_signal_value(&along[2], time, NULL));
}

static void move_supports(const Voice* voice, double t)
{
    for (int i = 0; i < voice->scene->move_count; i++)
    {
        const twSceneMove* move = &voice->scene->moves[i];
        const twVec3 to = tw_vec3_add(voice->anchors[i], rods_place(move->along, t));
        tw_rod_move(voice->rod, move->support, to, tw_quat_identity());
    }
}

// sound is that of the start of a step, and so is what a pickup takes
static void pick_up(const RodSound* s, Hearer* h)
{
    const twSceneListener* scene = h->scene;
    if (scene->pickup_rod < 0) return;
    const twRodView view = tw_rod_view(s->voices[scene->pickup_rod].rod);
    const int p = scene->pickup_point;
    const twVec3 v = tw_vec3(view.velocity[0][p], view.velocity[1][p], view.velocity[2][p]);
    h->picked = tw_vec3_dot(v, scene->pickup_direction);
}

void rod_sound_before(RodSound* s, double time)
{
    for (int i = 0; i < s->scene->listener_count; i++) pick_up(s, &s->hearers[i]);
    for (int i = 0; i < s->scene->rod_count; i++) move_supports(&s->voices[i], time + s->step_seconds);
}

void rod_sound_pick(RodSound* s, int listener, double value) { s->hearers[listener].picked = value; }

// ---- after it ----

static twVec3 middle_of(const RodSound* s)
{
    double sum[3] = {0};
    double count = 0;
    for (int i = 0; i < s->scene->rod_count; i++)
    {
        const twRodView v = tw_rod_view(s->voices[i].rod);
        for (int k = 0; k < 3; k++)
            for (int p = 0; p < v.point_count; p++) sum[k] += v.position[k][p];
        count += v.point_count;
    }
    return tw_vec3(sum[0] / count, sum[1] / count, sum[2] / count);
}

// a pickup hears one point's velocity, everybody else all sources
static double hear_point(const RodSound* s, const Hearer* h, twListener* listener, const twSources* sources)
{
    if (is_pickup(h->scene))
        tw_listener_add_signal(listener, h->picked);
    else
        for (int i = 0; i < s->scene->rod_count; i++) tw_listener_add(listener, s->voices[i].track, &sources[i]);
    return tw_listener_step(listener);
}

static double cardioid(const twEarDef* def, twVec3 e, int point)
{
    const double half = 0.5 * def->angle * (point == 0 ? 1 : -1);
    return def->omni + (1 - def->omni) * (e.x * cos(half) + e.y * sin(half));
}

// by where the rods are, in the ear's axes
static void direct(const twEarDef* def, twVec3 e, double* values)
{
    if (def->kind == TW_EAR_STEREO)
        for (int i = 0; i < 2; i++) values[i] *= cardioid(def, e, i);
    if (def->kind != TW_EAR_AMBIX) return;
    values[1] = values[0] * e.y;
    values[2] = values[0] * e.z;
    values[3] = values[0] * e.x;
}

static void hear(const RodSound* s, const Hearer* h, const twSources* sources, twVec3 middle, double t, double* values)
{
    const twSceneListener* scene = h->scene;
    const twSceneEar* ear = scene->ear;
    const twVec3 place = scene->moves ? rods_place(scene->along, t) : scene->def.position;
    const twQuat turn = ear ? ear_turn(place, ear->look) : tw_quat_identity();
    for (int i = 0; i < h->points; i++)
    {
        if (scene->moves) tw_listener_move(h->listener[i], ear ? point_of(ear, place, turn, i) : place);
        values[i] = hear_point(s, h, h->listener[i], sources);
    }
    if (!ear) return;
    const twVec3 way = tw_quat_rotate(tw_quat_conj(turn), tw_vec3_sub(middle, place));
    const double away = tw_vec3_norm(way);
    direct(&ear->def, away > 0 ? tw_vec3_scale(way, 1 / away) : tw_vec3(0, 0, 0), values);
}

void rod_sound_after(RodSound* s, double time, double* values)
{
    twSources sources[TW_MAX_SCENE_RODS];
    for (int i = 0; i < s->scene->rod_count && s->radiates; i++)
    {
        const twRodView view = tw_rod_view(s->voices[i].rod);
        const twRadiatorMotion motion = tw_radiator_motion(&view);
        sources[i] = tw_radiator_update(s->voices[i].radiator, &motion);
    }
    const twVec3 middle = s->directed ? middle_of(s) : tw_vec3(0, 0, 0);
    for (int i = 0; i < s->scene->listener_count; i++)
        hear(s, &s->hearers[i], sources, middle, time, values + s->hearers[i].first);
}

// ---- saving ----

size_t rod_sound_state_bytes(const RodSound* s)
{
    size_t bytes = 0;
    for (int i = 0; i < s->scene->rod_count; i++) bytes += tw_radiator_state_bytes(s->voices[i].radiator);
    for (int i = 0; i < s->scene->listener_count; i++)
        for (int k = 0; k < s->hearers[i].points; k++) bytes += tw_listener_state_bytes(s->hearers[i].listener[k]);
    return bytes;
}

void rod_sound_save(const RodSound* s, char* out)
{
    for (int i = 0; i < s->scene->rod_count; i++)
    {
        tw_radiator_save(s->voices[i].radiator, out);
        out += tw_radiator_state_bytes(s->voices[i].radiator);
    }
    for (int i = 0; i < s->scene->listener_count; i++)
        for (int k = 0; k < s->hearers[i].points; k++)
        {
            tw_listener_save(s->hearers[i].listener[k], out);
            out += tw_listener_state_bytes(s->hearers[i].listener[k]);
        }
}

bool rod_sound_load(RodSound* s, const char* bytes, size_t count)
{
    bool good = count == rod_sound_state_bytes(s);
    for (int i = 0; i < s->scene->rod_count && good; i++)
    {
        const size_t own = tw_radiator_state_bytes(s->voices[i].radiator);
        good = tw_radiator_load(s->voices[i].radiator, bytes, own);
        bytes += own;
    }
    for (int i = 0; i < s->scene->listener_count && good; i++)
        for (int k = 0; k < s->hearers[i].points && good; k++)
        {
            const size_t own = tw_listener_state_bytes(s->hearers[i].listener[k]);
            good = tw_listener_load(s->hearers[i].listener[k], bytes, own);
            bytes += own;
        }
    return good;
}
