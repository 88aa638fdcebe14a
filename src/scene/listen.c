// SPDX-License-Identifier: MIT
// Somebody listens to a trace: where ears are and look, what is changed about bodies, and the sound pass itself. Shared by
// rendering, which has just recorded the trace, and by whoever hears one again.
#define _POSIX_C_SOURCE 200809L

#include "twang/listen.h"
#include "reader.h"
#include "twang/media.h"
#include "twang/sound.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAST_AWAY 0.5    // of an ear that is placed by itself, from the middle of the bodies [m]
#define AWAY 2.5          // and in half diagonals of their box
#define LEAST_HEIGHT 0.1  // above the ground [m]
#define MOST_THREADS 256

typedef struct Listening
{
    const twListenDef* def;
    twListenReport* report;
    twSceneEar* ears;     // with what is not said found
    twSoundEar* sound;    // (ears)
    twHead** heads;       // (ears) NULL: none, or that of one before
    twSoundBody* bodies;  // (bodies of the trace)
    double** decays;      // (bodies of the trace)
    twTransfer** baked;   // (bodies of the trace) those of the first of copies
    int body_count;
} Listening;

twListenBody tw_listen_body(void) { return (twListenBody){.gain = 1, .damping = 1, .contact_damping = 1}; }

twListenDef tw_listen_def(void)
{
    twListenDef def = {.sound = tw_sound_def()};
    def.sound.threads = 0;
    return def;
}

static twStatus no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for the sound of a trace"); }

// ---- what is changed about bodies ----

// the name itself, or that of a copy: "marble-12"
static bool is_called(const char* body, const char* name)
{
    return strcmp(body, name) == 0 || read_is_copy(body, name);
}

static twStatus change_decay(Listening* l, const twTraceBody* body, int index, const twListenBody* change, twError* err)
{
    const twModeSet* set = body->set;
    if (set->mode_count == 0 || (change->damping == 1 && !change->rayleigh)) return TW_OK;
    if (!l->decays[index])
    {
        l->decays[index] = malloc((size_t)set->mode_count * sizeof(double));
        if (!l->decays[index]) return no_memory(err);
        memcpy(l->decays[index], set->decay, (size_t)set->mode_count * sizeof(double));
    }
    const twDamping damping = tw_damping_rayleigh(change->alpha, change->beta);
    for (int j = 0; j < set->mode_count; j++)
    {
        if (change->rayleigh) l->decays[index][j] = tw_damping_decay(&damping, set->freq_hz[j]);
        l->decays[index][j] *= change->damping;
    }
    l->bodies[index].decay = l->decays[index];
    return TW_OK;
}

static twStatus change_body(Listening* l, const twTraceBody* body, int index, const twListenBody* change, twError* err)
{
    twSoundBody* wish = &l->bodies[index];
    wish->gain *= change->gain;
    if (change->contact_damping != 1)
    {
        if (wish->contact_damping < 0) wish->contact_damping = tw_sound_contact_damping(body);
        wish->contact_damping *= change->contact_damping;
    }
    return change_decay(l, body, index, change, err);
}

static twStatus no_such_body(const twTrace* head, const char* name, twError* err)
{
    char names[300] = "";
    int used = 0;
    for (int i = 0; i < head->body_count && used < (int)sizeof names - 80; i++)
        used += snprintf(names + used, sizeof names - (size_t)used, "%s%s", i > 0 ? ", " : "", head->bodies[i].name);
    return tw_fail(err, TW_BAD_INPUT, "there is no body '%s' in the trace; it has: %s%s", name, names,
                   used >= (int)sizeof names - 80 ? " ..." : "");
}

static twStatus change_bodies(Listening* l, const twTrace* head, twError* err)
{
    for (const twListenBody* c = l->def->bodies; c < l->def->bodies + l->def->body_count; c++)
    {
        bool found = false;
        for (int i = 0; i < head->body_count; i++)
        {
            if (c->name && !is_called(head->bodies[i].name, c->name)) continue;
            found = true;
            const twStatus status = change_body(l, &head->bodies[i], i, c, err);
            if (status != TW_OK) return status;
        }
        if (!found && c->name) return no_such_body(head, c->name, err);
    }
    return TW_OK;
}

// What was baked for a body and is not in its set; modes that were not are estimated after those that were.
static twStatus find_transfer(Listening* l, const twTrace* head, int index, twError* err)
{
    const twListenDef* def = l->def;
    const twModeSet* set = head->bodies[index].set;
    const int first = head->set_first[index];
    if (set->mode_count == 0 || set->transfer) return TW_OK;
    twTransfer* part = first == index
                           ? tw_transfer_find(set, def->cache_folder, def->sound.sound_speed, def->sound.air_density)
                           : NULL;
    twStatus status = part ? tw_transfer_complete(&l->baked[index], part, set, def->sound.max_freq_hz, err) : TW_OK;
    tw_transfer_destroy(part);
    l->bodies[index].transfer = l->baked[first];
    return status;
}

static twStatus wish_bodies(Listening* l, const twTrace* head, twError* err)
{
    l->body_count = head->body_count;
    l->bodies = calloc((size_t)head->body_count + 1, sizeof *l->bodies);
    l->decays = calloc((size_t)head->body_count + 1, sizeof *l->decays);
    l->baked = calloc((size_t)head->body_count + 1, sizeof(twTransfer*));
    if (!l->bodies || !l->decays || !l->baked) return no_memory(err);
    twStatus status = TW_OK;
    for (int i = 0; i < head->body_count && status == TW_OK; i++)
    {
        l->bodies[i] = tw_sound_body();
        status = find_transfer(l, head, i, err);
    }
    return status == TW_OK ? change_bodies(l, head, err) : status;
}

// ---- where ears are ----

typedef struct Box
{
    twVec3 low, high;
} Box;

static void grow(Box* box, twVec3 x)
{
    box->low = tw_vec3(fmin(box->low.x, x.x), fmin(box->low.y, x.y), fmin(box->low.z, x.z));
    box->high = tw_vec3(fmax(box->high.x, x.x), fmax(box->high.y, x.y), fmax(box->high.z, x.z));
}

static void grow_by_bodies(Box* box, const twTrace* head, const twTraceItem* frame, bool held_too)
{
    for (int i = 0; i < head->body_count; i++)
    {
        const twModeSet* set = head->bodies[i].set;
        if (head->bodies[i].held && !held_too) continue;
        const float* p = tw_trace_item_pose(head, frame, i);
        const twVec3 position = tw_vec3((double)p[0], (double)p[1], (double)p[2]);
        const twQuat turn = tw_quat((double)p[3], (double)p[4], (double)p[5], (double)p[6]);
        for (int k = 0; k < set->vertex_count; k++)
            grow(box, tw_vec3_add(position, tw_quat_rotate(turn, set->vertices[k])));
    }
}

// the bodies at the first frame: those that are free, or all
static twStatus find_box(Box* box, twTraceStream* stream, twError* err)
{
    const twTrace* head = tw_trace_stream_head(stream);
    twTraceItem item;
    *box = (Box){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    do {
        const twStatus status = tw_trace_stream_next(stream, &item, err);
        if (status != TW_OK) return status;
    } while (item.kind != TW_TRACE_FRAME && item.kind != TW_TRACE_END);
    if (item.kind == TW_TRACE_FRAME) grow_by_bodies(box, head, &item, false);
    if (item.kind == TW_TRACE_FRAME && !(box->low.x <= box->high.x)) grow_by_bodies(box, head, &item, true);
    if (!(box->low.x <= box->high.x)) *box = (Box){{0, 0, 0}, {0, 0, 0}};
    return TW_OK;
}

static twVec3 above_ground(const twSceneGround* ground, twVec3 place)
{
    if (!ground->given) return place;
    const twVec3 up = tw_vec3_normalize(ground->normal);
    const double height = tw_vec3_dot(tw_vec3_sub(place, ground->point), up);
    return height < LEAST_HEIGHT ? tw_vec3_add_scaled(place, up, LEAST_HEIGHT - height) : place;
}

void ear_place(twSceneEar* ear, const twTraceCamera* camera, const twSceneGround* ground, twVec3 low, twVec3 high)
{
    const twVec3 middle = camera->given ? camera->target : tw_vec3_scale(tw_vec3_add(low, high), 0.5);
    const double half = 0.5 * tw_vec3_norm(tw_vec3_sub(high, low));
    const twVec3 away = tw_vec3_scale(tw_vec3_normalize(tw_vec3(0, -1, 0.5)), fmax(AWAY * half, LEAST_AWAY));
    if (!ear->placed) ear->def.position = above_ground(ground, camera->given ? camera->eye : tw_vec3_add(middle, away));
    if (!ear->looks) ear->look = middle;
}

twQuat ear_turn(twVec3 from, twVec3 to)
{
    const twVec3 way = tw_vec3_sub(to, from);
    if (!(tw_vec3_norm(way) > 0)) return tw_quat_identity();
    const twVec3 x = tw_vec3_normalize(way);
    const twVec3 side = tw_vec3_cross(tw_vec3(0, 0, 1), x);
    const twVec3 y = tw_vec3_norm(side) > 1e-6 ? tw_vec3_normalize(side) : tw_vec3(0, 1, 0);
    return tw_quat_from_axes(x, y, tw_vec3_cross(x, y));
}

static void go_along(void* context, double time, twVec3* position, twQuat* turn)
{
    const twSceneEar* ear = context;
    *position = rods_place(ear->along, time);
    *turn = ear_turn(*position, ear->look);
}

static twStatus place_ears(Listening* l, twTraceStream* stream, twError* err)
{
    const twListenDef* def = l->def;
    const twTrace* head = tw_trace_stream_head(stream);
    Box box;
    const twSceneGround ground = {.given = head->ground, .point = head->ground_point, .normal = head->ground_normal};
    const twStatus status = find_box(&box, stream, err);
    if (status != TW_OK) return status;
    for (int i = 0; i < def->ear_count; i++)
    {
        twSceneEar* ear = &l->ears[i];
        ear_place(ear, &head->camera, &ground, box.low, box.high);
        ear->def.turn = ear_turn(ear->def.position, ear->look);
        ear->def.ground = head->ground && !def->no_ground;
        ear->def.ground_point = head->ground_point;
        ear->def.ground_normal = head->ground_normal;
        const twVec3 p = ear->def.position;
        if (ear->def.ground && !ear->moves && tw_vec3_dot(tw_vec3_sub(p, head->ground_point), head->ground_normal) < 0)
            return tw_fail(err, TW_BAD_INPUT, "listener '%s' at (%g, %g, %g) is below the ground, where no sound is",
                           ear->name ? ear->name : "ear", p.x, p.y, p.z);
    }
    return TW_OK;
}

// ---- heads ----

static const char* head_name(const twSceneEar* ear) { return ear->hrtf ? ear->hrtf : ""; }

// the head of an ear: that of one before if it is the same
static twStatus find_head(Listening* l, int index, twError* err)
{
    twSceneEar* ear = &l->ears[index];
    for (int i = 0; i < index; i++)
        if (l->ears[i].def.kind == TW_EAR_BINAURAL && strcmp(head_name(&l->ears[i]), head_name(ear)) == 0)
        {
            ear->def.head = l->ears[i].def.head;
            return TW_OK;
        }
    twError inner = {0};
    const twStatus status = tw_head_load(&l->heads[index], ear->hrtf, l->def->sound.rate_hz, &inner);
    ear->def.head = l->heads[index];
    if (status == TW_OK) return TW_OK;
    if (!ear->may_be_stereo) return tw_fail(err, status, "'%s' is binaural: %s", ear->name, inner.text);
    ear->def.kind = TW_EAR_STEREO;
    snprintf(l->report->note, sizeof l->report->note, "'%s' is a stereo pair instead of a head: %.400s", ear->name,
             inner.text);
    return TW_OK;
}

static twStatus make_ears(Listening* l, twTraceStream* stream, twError* err)
{
    const twListenDef* def = l->def;
    const size_t count = (size_t)def->ear_count;
    l->ears = calloc(count + 1, sizeof *l->ears);
    l->sound = calloc(count + 1, sizeof *l->sound);
    l->heads = calloc(count + 1, sizeof(twHead*));
    if (!l->ears || !l->sound || !l->heads) return no_memory(err);
    if (count > 0) memcpy(l->ears, def->ears, count * sizeof *l->ears);
    twStatus status = place_ears(l, stream, err);
    for (int i = 0; i < def->ear_count && status == TW_OK; i++)
        if (l->ears[i].def.kind == TW_EAR_BINAURAL) status = find_head(l, i, err);
    for (int i = 0; i < def->ear_count && status == TW_OK; i++)
        l->sound[i] = (twSoundEar){l->ears[i].def, l->ears[i].moves ? go_along : NULL, &l->ears[i]};
    return status;
}

// ---- listening ----

bool tw_listen_board(const char* path)
{
    twTraceStream* stream;
    twTraceItem item;
    bool found = false;
    if (tw_trace_stream_open(&stream, path, NULL) != TW_OK) return false;
    while (!found && tw_trace_stream_next(stream, &item, NULL) == TW_OK && item.kind == TW_TRACE_NUMBERS)
        for (int64_t i = 0; i < item.count; i++)
        {
            int body;
            found |= sscanf(item.numbers[i].name, TW_TRACE_BOARD, &body) == 1 && item.numbers[i].value > 0;
        }
    tw_trace_stream_close(stream);
    return found;
}

// what can be said before the work: nothing of rods, unless the ground is a board, or of what does not move
static twStatus check_trace(const twTrace* head, const char* path, twError* err)
{
    if (head->body_count > 0 || tw_listen_board(path)) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%s has no bodies; %s", path,
                   head->rod_count > 0 ? "rods sound while they are simulated: render the scene" : "nothing can sound");
}

static twStatus prepare(Listening* l, twError* err)
{
    twTraceStream* stream;
    const char* path = l->def->sound.path;
    twStatus status = tw_trace_stream_open(&stream, path, err);
    if (status != TW_OK) return status;
    const twTrace* head = tw_trace_stream_head(stream);
    status = check_trace(head, path, err);
    if (status == TW_OK) status = wish_bodies(l, head, err);
    if (status == TW_OK) status = make_ears(l, stream, err);
    tw_trace_stream_close(stream);
    return status;
}

static int processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (int)count;
}

static double done(const twSound* sound, const twListenDef* def)
{
    const twSoundReport r = tw_sound_report(sound);
    const double whole = r.duration + def->sound.tail + def->sound.ring;
    if (!(r.duration >= 0 && whole > 0)) return fmin(r.share, 1);
    return fmin((double)r.frames / (def->sound.rate_hz * whole), 1);
}

static twStatus hear(const twListenDef* def, twSound* sound, twListenTake take, void* context, twError* err)
{
    twStatus status = TW_OK;
    int frames = 1;
    while (status == TW_OK && frames > 0)
    {
        const float* const* sounds;
        status = tw_sound_next(sound, &sounds, &frames, err);
        if (status == TW_OK && frames > 0) status = take(sounds, frames, context, err);
        if (status == TW_OK && def->keep_going && !def->keep_going(done(sound, def), def->context))
            status = tw_fail(err, TW_INTERRUPTED, "interrupted at %.0f %% of the sound", 100 * done(sound, def));
    }
    return status;
}

static void end_report(twListenReport* report, const twSound* sound, double start)
{
    report->sound = tw_sound_report(sound);
    snprintf(report->lost, sizeof report->lost, "%s", report->sound.lost);
    report->sound.lost = report->lost;
    report->seconds = tw_seconds() - start;
}

static void free_listening(Listening* l)
{
    for (int i = 0; l->heads && i < l->def->ear_count; i++) tw_head_destroy(l->heads[i]);
    for (int i = 0; l->decays && i < l->body_count; i++) free(l->decays[i]);
    for (int i = 0; l->baked && i < l->body_count; i++) tw_transfer_destroy(l->baked[i]);
    free(l->ears);
    free(l->sound);
    free(l->heads);
    free(l->bodies);
    free(l->decays);
    free(l->baked);
}

twStatus tw_listen(const twListenDef* def, twListenTake take, void* context, twListenReport* report, twError* err)
{
    Listening l = {.def = def, .report = report};
    const double start = tw_seconds();
    twSound* sound = NULL;
    *report = (twListenReport){0};
    twStatus status = prepare(&l, err);
    if (status == TW_OK)
    {
        twSoundDef wish = def->sound;
        if (wish.threads == 0) wish.threads = processors();
        wish.ear_count = def->ear_count;
        wish.ears = l.sound;
        wish.bodies = l.bodies;
        status = tw_sound_open(&sound, &wish, err);
    }
    if (status == TW_OK) status = hear(def, sound, take, context, err);
    if (sound) end_report(report, sound, start);
    tw_sound_close(sound);
    free_listening(&l);
    return status;
}
