// SPDX-License-Identifier: MIT
// The trace of a scene with bodies, and rods that touch.

#include "record_bodies.h"
#include "bodies.h"
#include "record.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARROWS 256     // of a frame
#define BATCH_FORCES 1024  // written at once
#define BATCH_SAMPLES 4096

enum
{
    KINETIC,
    ELASTIC,
    WEIGHT,
    CONTACT,
    WORK,
    DOF,
    STEP,
    CONTACTS,
    SERIES
};
static const twTraceSeries series[SERIES] = {{"kinetic energy", "J"},
                                             {"elastic energy", "J"},
                                             {"energy of height", "J"},
                                             {"energy of contacts and joints", "J"},
                                             {"work of pushes and hands", "J"},
                                             {"degrees of freedom", "active"},
                                             {"step size", "s"},
                                             {"contacts", "pushing"}};

// a contact that pushes, or did since the last frame
typedef struct Contact
{
    uint64_t id;
    twTraceArrow now, largest;
    double most;  // square of the largest force
} Contact;

// the state that a checkpoint keeps, with what follows it: poses, amplitudes and rods of the frame that waits, contacts
typedef struct Waiting
{
    RecordCounts counts;
    bool frame;
    double values[SERIES];
    int64_t contact_count;
} Waiting;

struct BodyRecord
{
    const twScene* scene;
    twBodies* bodies;
    twTraceWriter* writer;
    Waiting waiting;
    int64_t mode_count;   // of all bodies
    int64_t point_count;  // of all rods
    int rod_count;
    int moving;  // bodies with a step of their own
    double*
        numbers;  // amplitudes (modes), position and turn (bodies x 7), positions and directors of rods (points x 6)
    twTracePose* poses;
    twRodView* views;  // of the rods, in the numbers
    Contact* contacts;
    int64_t contact_room;
    int64_t* table;  // indices of contacts by id, -1: none
    size_t table_size;
    twContactForce* forces;  // batch
    float* samples;
    int force_count, sample_count;
};

static twStatus no_memory(twError* err) { return tw_fail(err, TW_NO_MEMORY, "no memory for the trace"); }

// ---- making ----

static void lay_out(BodyRecord* r)
{
    double* at = r->numbers;
    for (int i = 0; i < r->scene->body_count; i++)
    {
        r->poses[i].amplitude = at;
        at += tw_bodies_drawn(r->bodies, i)->mode_count;
    }
    at += 7 * (ptrdiff_t)r->scene->body_count;
    for (int i = 0; i < r->rod_count; i++)
    {
        const twRodDef* def = &r->scene->rods[i].def;
        r->views[i].point_count = def->point_count;
        r->views[i].edge_count = def->closed ? def->point_count : def->point_count - 1;
        for (int k = 0; k < 3; k++, at += def->point_count) r->views[i].position[k] = at;
        for (int k = 0; k < 3; k++, at += def->point_count) r->views[i].frame_d1[k] = at;
    }
}

static size_t number_count(const BodyRecord* r)
{
    return (size_t)r->mode_count + 7 * (size_t)r->scene->body_count + 6 * (size_t)r->point_count;
}

twStatus body_record_create(BodyRecord** out, const twScene* scene, twBodies* bodies, twError* err)
{
    BodyRecord* r = *out = calloc(1, sizeof *r);
    if (!r) return no_memory(err);
    r->scene = scene;
    r->bodies = bodies;
    for (int i = 0; i < scene->body_count; i++)
    {
        r->mode_count += tw_bodies_drawn(bodies, i)->mode_count;
        r->moving += scene->bodies[i].kind == TW_BODY_FREE || tw_body_shape_modes(tw_bodies_shape(bodies, i)) > 0;
    }
    r->rod_count = scene->rods_touch ? scene->rod_count : 0;
    for (int i = 0; i < r->rod_count; i++) r->point_count += scene->rods[i].def.point_count;
    r->numbers = calloc(number_count(r) + 1, sizeof *r->numbers);
    r->poses = calloc((size_t)scene->body_count + 1, sizeof *r->poses);
    r->views = calloc((size_t)r->rod_count + 1, sizeof *r->views);
    r->forces = calloc(BATCH_FORCES, sizeof *r->forces);
    r->samples = calloc(BATCH_SAMPLES * ((size_t)scene->pickup_count + 1), sizeof *r->samples);
    if (!r->numbers || !r->poses || !r->views || !r->forces || !r->samples)
    {
        body_record_destroy(r);
        *out = NULL;
        return no_memory(err);
    }
    lay_out(r);
    return TW_OK;
}

void body_record_destroy(BodyRecord* r)
{
    if (!r) return;
    tw_trace_leave(&r->writer);
    free(r->numbers);
    free(r->poses);
    free(r->views);
    free(r->contacts);
    free(r->table);
    free(r->forces);
    free(r->samples);
    free(r);
}

twTraceWriter* body_record_writer(BodyRecord* r) { return r->writer; }

twTraceWriter* body_record_release(BodyRecord* r)
{
    twTraceWriter* writer = r->writer;
    r->writer = NULL;
    return writer;
}

// ---- the trace ----

typedef struct Names
{
    char name[TW_TRACE_NAME], material[TW_TRACE_NAME];
} Names;

static void describe_bodies(const BodyRecord* r, twTraceBody* bodies, Names* names)
{
    for (int i = 0; i < r->scene->body_count; i++)
    {
        const twSceneBody* body = &r->scene->bodies[i];
        record_tidy(names[i].name, TW_TRACE_NAME, body->name);
        record_tidy(names[i].material, TW_TRACE_NAME, r->scene->shapes[body->shape].material.name);
        bodies[i] = (twTraceBody){.name = names[i].name,
                                  .material = names[i].material,
                                  .set = tw_bodies_drawn(r->bodies, i),
                                  .held = body->kind != TW_BODY_FREE,
                                  .contact_damping = (float)body->contact_damping};
    }
}

double record_sample_rate(const twScene* scene)
{
    return scene->rods_touch ? scene->world.rod_rate_hz : scene->rate_hz;
}

// tracks of a listener: a pickup, or what an ear hears of the rods
static void describe_tracks(const twSceneListener* l, twTraceTrack* tracks, Names* names)
{
    static const char* const sides[] = {" left", " right"};
    static const char* const harmonics[] = {" W", " Y", " Z", " X"};
    const int count = l->ear ? tw_ear_channels(l->ear->def.kind) : 1;
    for (int i = 0; i < count && l->track >= 0; i++)
    {
        char text[2 * TW_TRACE_NAME];
        const char* part = count == 2 ? sides[i] : count == 4 ? harmonics[i] : "";
        snprintf(text, sizeof text, "%.*s%s", TW_TRACE_NAME - 8, l->name, part);
        record_tidy(names[l->track + i].name, TW_TRACE_NAME, l->ear ? text : l->name);
        tracks[l->track + i] = (twTraceTrack){names[l->track + i].name, l->ear ? "Pa" : "m/s"};
    }
}

static void describe_scene(const BodyRecord* r, twTraceDef* def)
{
    const twScene* scene = r->scene;
    def->frame_rate_hz = scene->frame_rate_hz;
    def->camera = scene->camera;
    def->body_count = scene->body_count;
    def->series_count = SERIES;
    def->series = series;
    def->resumable = true;
    def->track_count = scene->pickup_count;
    def->sample_rate_hz = scene->pickup_count > 0 ? record_sample_rate(scene) : 0;
    def->rod_count = r->rod_count;
    def->ground = scene->ground.given;
    if (!def->ground) return;
    def->ground_point = scene->ground.point;
    def->ground_normal = scene->ground.normal;
}

twStatus body_record_start(BodyRecord* r, const char* path, bool resume, void** state, size_t* bytes, twError* err)
{
    const twScene* scene = r->scene;
    twTraceBody* bodies = calloc((size_t)scene->body_count + 1, sizeof *bodies);
    Names* names = calloc((size_t)scene->body_count + (size_t)scene->pickup_count + 1, sizeof *names);
    twTraceTrack* tracks = calloc((size_t)scene->pickup_count + 1, sizeof *tracks);
    twTraceRod* rods = record_rods(scene);
    twStatus status = bodies && names && tracks && rods ? TW_OK : no_memory(err);
    if (status == TW_OK)
    {
        char title[TW_TRACE_TEXT], sound[TW_TRACE_TEXT] = "";
        twTraceDef def = tw_trace_def();
        record_tidy(title, sizeof title, scene->title);
        const bool heard = scene->output_count > 0;
        if (heard && snprintf(sound, sizeof sound, "%s.wav", scene->outputs[0].name) >= (int)sizeof sound) sound[0] = 0;
        describe_bodies(r, bodies, names);
        describe_scene(r, &def);
        for (int i = 0; i < scene->listener_count; i++)
            describe_tracks(&scene->listeners[i], tracks, names + scene->body_count);
        def.title = title;
        def.sound = sound;
        def.bodies = bodies;
        def.rods = rods;
        def.tracks = tracks;
        status = resume ? tw_trace_resume(&r->writer, path, &def, state, bytes, err)
                        : tw_trace_create(&r->writer, path, &def, err);
        if (status == TW_OK && !resume) status = record_rigid(r->writer, scene, r->bodies, err);
    }
    free(rods);
    free(tracks);
    free(names);
    free(bodies);
    return status;
}

// ---- contacts ----

static size_t slot_of(const BodyRecord* r, uint64_t id)
{
    size_t slot = (size_t)((id * 0x9e3779b97f4a7c15u) >> 20) & (r->table_size - 1);
    while (r->table[slot] >= 0 && r->contacts[r->table[slot]].id != id) slot = (slot + 1) & (r->table_size - 1);
    return slot;
}

static void fill_table(BodyRecord* r)
{
    for (size_t i = 0; i < r->table_size; i++) r->table[i] = -1;
    for (int64_t i = 0; i < r->waiting.contact_count; i++) r->table[slot_of(r, r->contacts[i].id)] = i;
}

static bool grow_contacts(BodyRecord* r, int64_t room)
{
    size_t size = 64;
    while (size < 2 * (size_t)room) size *= 2;
    Contact* contacts = realloc(r->contacts, (size_t)room * sizeof *contacts);
    if (contacts) r->contacts = contacts;
    int64_t* table = realloc(r->table, size * sizeof *table);
    if (table) r->table = table;
    if (!contacts || !table) return false;
    r->contact_room = room;
    r->table_size = size;
    fill_table(r);
    return true;
}

static Contact* find_contact(BodyRecord* r, uint64_t id)
{
    int64_t* count = &r->waiting.contact_count;
    if (*count >= r->contact_room && !grow_contacts(r, 2 * r->contact_room + 64)) return NULL;
    const size_t slot = slot_of(r, id);
    if (r->table[slot] < 0)
    {
        r->contacts[*count] = (Contact){.id = id};
        r->table[slot] = (*count)++;
    }
    return &r->contacts[r->table[slot]];
}

static twStatus keep_arrow(BodyRecord* r, const twContactForce* f, twError* err)
{
    Contact* contact = find_contact(r, f->id);
    if (!contact) return no_memory(err);
    contact->now = (twTraceArrow){{(float)f->point.x, (float)f->point.y, (float)f->point.z},
                                  {(float)f->force.x, (float)f->force.y, (float)f->force.z}};
    const double square = tw_vec3_dot(f->force, f->force);
    if (square <= contact->most) return TW_OK;
    contact->most = square;
    contact->largest = contact->now;
    return TW_OK;
}

static int compare_contacts(const void* a, const void* b)
{
    const Contact *x = a, *y = b;
    if (x->most != y->most) return x->most < y->most ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

static double square_of(const twTraceArrow* arrow)
{
    const float* f = arrow->force;
    return (double)f[0] * f[0] + (double)f[1] * f[1] + (double)f[2] * f[2];
}

// those that have ended go, the others begin anew
static void next_interval(BodyRecord* r)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < r->waiting.contact_count; i++)
    {
        Contact* c = &r->contacts[i];
        const double square = square_of(&c->now);
        if (!(square > 0)) continue;
        c->largest = c->now;
        c->most = square;
        r->contacts[kept++] = *c;
    }
    r->waiting.contact_count = kept;
    if (r->table) fill_table(r);
}

// ---- forces and samples ----

static twStatus flush_forces(BodyRecord* r, twError* err)
{
    const int count = r->force_count;
    r->force_count = 0;
    return r->writer && count > 0 ? tw_trace_append_forces(r->writer, r->forces, count, err) : TW_OK;
}

// the ground is no body of the trace
static void hide_ground(const BodyRecord* r, twContactForce* f)
{
    for (int side = 0; side < 2; side++)
    {
        if (f->body[side] != r->scene->body_count) continue;
        f->body[side] = TW_NOWHERE;
        for (int i = 0; i < 3; i++) f->vertex[side][i] = -1, f->weight[side][i] = 0;
    }
}

// forces act on the surface that touches, and are heard by the set
static void hear_touch(const BodyRecord* r, twContactForce* f)
{
    for (int side = 0; side < 2; side++)
        if (f->body[side] >= 0 && f->body[side] < r->scene->body_count)
            body_take_over(&r->bodies->made[r->scene->bodies[f->body[side]].shape], f->vertex[side], f->weight[side]);
}

twStatus body_record_forces(BodyRecord* r, const twContactForce* forces, int count, twError* err)
{
    twStatus status = TW_OK;
    for (int i = 0; i < count && status == TW_OK; i++)
    {
        if (r->force_count == BATCH_FORCES) status = flush_forces(r, err);
        if (status != TW_OK) break;
        twContactForce* f = &r->forces[r->force_count];
        *f = forces[i];
        // rods are no bodies: what neither a body nor the ground feels is only seen
        r->force_count += f->body[0] != TW_NOWHERE || f->body[1] != TW_NOWHERE;
        hide_ground(r, f);
        hear_touch(r, f);
        status = keep_arrow(r, &forces[i], err);
    }
    return status;
}

static twStatus flush_samples(BodyRecord* r, twError* err)
{
    const int count = r->sample_count;
    r->sample_count = 0;
    return r->writer && count > 0 ? tw_trace_append_samples(r->writer, r->samples, count, err) : TW_OK;
}

twStatus body_record_sample(BodyRecord* r, const float* values, twError* err)
{
    const twStatus status = r->sample_count == BATCH_SAMPLES ? flush_samples(r, err) : TW_OK;
    const int tracks = r->scene->pickup_count;
    memcpy(r->samples + (size_t)r->sample_count++ * (size_t)tracks, values, (size_t)tracks * sizeof *values);
    r->waiting.counts.samples++;
    return status;
}

// ---- frames ----

static twStatus flush_frame(BodyRecord* r, twError* err)
{
    static const int most = MAX_ARROWS;
    twTraceArrow arrows[MAX_ARROWS];
    int count = 0;
    if (r->waiting.contact_count > most)
    {
        qsort(r->contacts, (size_t)r->waiting.contact_count, sizeof *r->contacts, compare_contacts);
        fill_table(r);
    }
    for (int64_t i = 0; i < r->waiting.contact_count && count < most; i++)
        if (r->contacts[i].most > 0) arrows[count++] = r->contacts[i].largest;
    const double next = (double)r->waiting.counts.frames / r->scene->frame_rate_hz;
    for (int i = 0; i < r->rod_count && r->waiting.frame; i++)
        count = record_blows(arrows, count, most, &r->scene->rods[i].def, &r->views[i],
                             next - 1 / r->scene->frame_rate_hz, next);
    const twTraceFrame frame = {
        .rods = r->views, .bodies = r->poses, .series = r->waiting.values, .arrow_count = count, .arrows = arrows};
    const bool wanted = r->waiting.frame && r->writer;
    r->waiting.frame = false;
    next_interval(r);
    return wanted ? tw_trace_append(r->writer, &frame, err) : TW_OK;
}

static void take_pose(BodyRecord* r, int body, double time)
{
    twTracePose* pose = &r->poses[body];
    double* q = (double*)pose->amplitude;
    const twBodyMotion motion = tw_world_motion(tw_bodies_world(r->bodies), body, time, q, NULL);
    const int simulated = tw_body_shape_modes(tw_bodies_shape(r->bodies, body));
    for (int j = simulated; j < tw_bodies_set(r->bodies, body)->mode_count; j++) q[j] = 0;
    pose->position = motion.position;
    pose->turn = motion.turn;
    const double numbers[7] = {motion.position.x, motion.position.y, motion.position.z, motion.turn.w,
                               motion.turn.x,     motion.turn.y,     motion.turn.z};
    memcpy(r->numbers + r->mode_count + 7 * (size_t)body, numbers, sizeof numbers);
}

static void take_rod(BodyRecord* r, int rod)
{
    const twRodView now = tw_rod_view(tw_world_rod(tw_bodies_world(r->bodies), rod));
    const twRodView* kept = &r->views[rod];
    for (int k = 0; k < 3; k++)
    {
        memcpy((double*)kept->position[k], now.position[k], (size_t)now.point_count * sizeof(double));
        memcpy((double*)kept->frame_d1[k], now.frame_d1[k], (size_t)now.edge_count * sizeof(double));
    }
}

static int active_dof(const BodyRecord* r)
{
    int sum = 0;
    for (int i = 0; i < r->rod_count; i++) sum += 3 * r->views[i].point_count + r->views[i].edge_count;
    for (int i = 0; i < r->scene->body_count; i++)
        sum += tw_world_active_modes(tw_bodies_world(r->bodies), i) + 6 * (r->scene->bodies[i].kind == TW_BODY_FREE);
    return sum;
}

// contacts of bodies that push now; grabs and other pushes from outside are none
static double pushing(const BodyRecord* r)
{
    int count = 0;
    for (int64_t i = 0; i < r->waiting.contact_count; i++) count += r->contacts[i].id < TW_TRACE_PUSH;
    return count;
}

// of rods, in a step on the average since the last frame
static double touching(BodyRecord* r, const twWorldStats* stats)
{
    RecordCounts* counts = &r->waiting.counts;
    const int64_t contacts = stats->rod_contacts - counts->rod_contacts, steps = stats->rod_steps - counts->rod_steps;
    counts->rod_contacts = stats->rod_contacts;
    counts->rod_steps = stats->rod_steps;
    return steps > 0 ? (double)contacts / (double)steps : 0;
}

static void take_values(BodyRecord* r)
{
    const twWorld* world = tw_bodies_world(r->bodies);
    const twWorldEnergy e = tw_world_energy(world);
    RecordCounts* counts = &r->waiting.counts;
    double* v = r->waiting.values;
    const twWorldStats stats = tw_world_stats(world);
    const int64_t steps = stats.body_steps;
    const int dof = active_dof(r);
    v[KINETIC] = e.kinetic;
    v[ELASTIC] = e.elastic;
    v[WEIGHT] = e.weight;
    v[CONTACT] = e.contacts;
    v[WORK] = e.work;
    v[DOF] = dof;
    v[CONTACTS] = pushing(r) + touching(r, &stats);
    v[STEP] =
        steps > counts->body_steps ? r->moving / r->scene->frame_rate_hz / (double)(steps - counts->body_steps) : NAN;
    if (r->rod_count > 0) v[STEP] = 1 / r->scene->world.rod_rate_hz;
    counts->body_steps = steps;
    counts->largest_energy = fmax(counts->largest_energy, e.kinetic + e.elastic + e.contacts);
    counts->dof_sum += dof;
    int bin = 0;
    while (bin < RECORD_DOF_BINS - 1 && dof >> bin) bin++;
    counts->dof_bins[bin]++;
    counts->frames++;
}

twStatus body_record_frame(BodyRecord* r, double time, twError* err)
{
    const twStatus status = body_record_flush(r, true, err);
    if (status != TW_OK) return status;
    for (int i = 0; i < r->scene->body_count; i++) take_pose(r, i, time);
    for (int i = 0; i < r->rod_count; i++) take_rod(r, i);
    take_values(r);
    r->waiting.frame = true;
    return TW_OK;
}

twStatus body_record_flush(BodyRecord* r, bool last, twError* err)
{
    twStatus status = flush_forces(r, err);
    if (status == TW_OK) status = flush_samples(r, err);
    return status == TW_OK && last ? flush_frame(r, err) : status;
}

RecordCounts body_record_counts(const BodyRecord* r) { return r->waiting.counts; }

// ---- checkpoints ----

twStatus body_record_checkpoint(BodyRecord* r, const void* state, size_t bytes, twError* err)
{
    return r->writer ? tw_trace_checkpoint(r->writer, state, bytes, err) : TW_OK;
}

static size_t number_bytes(const BodyRecord* r) { return number_count(r) * sizeof(double); }

size_t body_record_size(const BodyRecord* r)
{
    return sizeof r->waiting + number_bytes(r) + (size_t)r->waiting.contact_count * sizeof(Contact);
}

void body_record_save(const BodyRecord* r, char* out)
{
    memcpy(out, &r->waiting, sizeof r->waiting);
    out += sizeof r->waiting;
    memcpy(out, r->numbers, number_bytes(r));
    out += number_bytes(r);
    if (r->waiting.contact_count > 0) memcpy(out, r->contacts, (size_t)r->waiting.contact_count * sizeof(Contact));
}

bool body_record_load(BodyRecord* r, const char* bytes, size_t count)
{
    Waiting waiting;
    if (count < sizeof waiting + number_bytes(r)) return false;
    memcpy(&waiting, bytes, sizeof waiting);
    const size_t rest = count - sizeof waiting - number_bytes(r), contacts = rest / sizeof(Contact);
    if (waiting.contact_count < 0 || contacts * sizeof(Contact) != rest || (size_t)waiting.contact_count != contacts)
        return false;
    if (!grow_contacts(r, waiting.contact_count + 64)) return false;
    r->waiting = waiting;
    bytes += sizeof waiting;
    memcpy(r->numbers, bytes, number_bytes(r));
    memcpy(r->contacts, bytes + number_bytes(r), contacts * sizeof(Contact));
    fill_table(r);
    for (int i = 0; i < r->scene->body_count; i++)
    {
        const double* n = r->numbers + r->mode_count + 7 * (size_t)i;
        r->poses[i].position = tw_vec3(n[0], n[1], n[2]);
        r->poses[i].turn = tw_quat(n[3], n[4], n[5], n[6]);
    }
    return true;
}
