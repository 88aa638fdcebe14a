// SPDX-License-Identifier: MIT
// Listeners. A step writes each source's contribution, a bump of WRITE_TAPS samples, into the rings of its track at its
// time of arrival (kernel_body.h). When a step ends, the sample WRITE_BEFORE steps ago is complete; it enters the history
// of its track, over which the filter of spread.c runs, centred FILTER_HALF samples before. A plane ground is a second
// ear at the mirror image of the first: p at the image is what the mirror image of the rod sends to the ear.
#include "listener.h"
#include "kernel.h"
#include "lowpass.h"
#include "saved.h"
#include "spread.h"
#include "twang/acoustics.h"
#include <stdlib.h>
#include <string.h>

typedef struct Track
{
    double* rings;                 // WRITE_COPIES of them
    double filter[FILTER_PADDED];  // oldest sample first
    // the last FILTER_TAPS samples, twice, so that they are always in one piece; the filter's zero needs one more
    double history[2 * FILTER_TAPS + 1];
} Track;

struct twListener
{
    twListenerDef def;
    twListenerStats stats;
    const Kernel* kernel;
    Ear ears[2];
    int ear_count;
    twVec3 normal;   // of the ground, unit
    bool is_placed;  // a position has been given before, so that velocities make sense
    Lowpass lowpass;
    int64_t step, mask, stride;
    int newest;      // place of the newest sample in the histories
    double* table;   // on a cache line
    Track tracks[];  // then the rings
};

// ---- creation ----

twListenerDef tw_listener_def(void)
{
    return (twListenerDef){.rate_hz = 44100,
                           .sound_speed = 343.2,
                           .air_density = 1.204,
                           .nearest = 1e-3,
                           .farthest = 100,
                           .ground_normal = {0, 0, 1},
                           .reflection = 0.96,
                           .track_count = 1};
}

static twStatus check_place(const twListenerDef* def, twError* err)
{
    if (!is_place(def->position))
        return tw_fail(err, TW_BAD_INPUT, "listener: position (%g, %g, %g) must be within 1e6 m", def->position.x,
                       def->position.y, def->position.z);
    if (!(def->nearest >= 1e-6 && def->nearest < def->farthest && def->farthest <= 1e5))
        return tw_fail(err, TW_BAD_INPUT, "listener: distances from %g to %g m, must be rising within 1e-6 to 1e5 m",
                       def->nearest, def->farthest);
    if (def->farthest / def->sound_speed * def->rate_hz > 1e8)
        return tw_fail(err, TW_BAD_INPUT, "listener: %g m are more than 1e8 samples of delay at %g Hz", def->farthest,
                       def->rate_hz);
    if (!def->ground) return TW_OK;
    if (!is_place(def->ground_point) || !is_place(def->ground_normal) || !(tw_vec3_max(def->ground_normal) > 0))
        return tw_fail(err, TW_BAD_INPUT, "listener: the ground needs a finite point and a normal other than 0");
    if (!(def->reflection >= 0 && def->reflection <= 1))
        return tw_fail(err, TW_BAD_INPUT, "listener: reflection %g must be in [0, 1]", def->reflection);
    if (tw_vec3_dot(tw_vec3_sub(def->position, def->ground_point), tw_vec3_normalize(def->ground_normal)) < 0)
        return tw_fail(err, TW_BAD_INPUT,
                       "listener: position (%g, %g, %g) is below the ground; move it, or turn the ground's normal",
                       def->position.x, def->position.y, def->position.z);
    return TW_OK;
}

twStatus listener_check(const twListenerDef* def, twError* err)
{
    if (!(def->rate_hz >= 1 && def->rate_hz <= 1e9))
        return tw_fail(err, TW_BAD_INPUT, "listener: rate %g must be in [1, 1e9] Hz", def->rate_hz);
    if (!(def->sound_speed >= 1 && def->sound_speed <= 1e5))
        return tw_fail(err, TW_BAD_INPUT, "listener: speed of sound %g must be in [1, 1e5] m/s", def->sound_speed);
    if (!(def->air_density > 0 && def->air_density <= 1e5))
        return tw_fail(err, TW_BAD_INPUT, "listener: density of air %g must be in (0, 1e5] kg/m^3", def->air_density);
    if (!(def->lowpass_hz >= 0 && def->lowpass_hz < 0.5 * def->rate_hz))
        return tw_fail(err, TW_BAD_INPUT, "listener: low-pass at %g Hz must be in [0, %g)", def->lowpass_hz,
                       0.5 * def->rate_hz);
    if (def->track_count < 1 || def->track_count > TW_MAX_LISTENER_TRACKS)
        return tw_fail(err, TW_BAD_INPUT, "listener: %d tracks, must be 1 to %d", def->track_count,
                       TW_MAX_LISTENER_TRACKS);
    return check_place(def, err);
}

static twStatus design_filters(twListener* listener, const double* radius, twError* err)
{
    const twListenerDef* def = &listener->def;
    for (int i = 0; i < def->track_count; i++)
    {
        double r = radius ? radius[i] : 0, samples = r * def->rate_hz / def->sound_speed, h[FILTER_TAPS] = {0};
        if (!(r >= 0 && r <= 1e3))
            return tw_fail(err, TW_BAD_INPUT, "listener: radius %g of track %d must be in [0, 1000] m", r, i);
        double error = spread_filter(h, samples);
        if (error == HUGE_VAL) return tw_fail(err, TW_NO_MEMORY, "listener: no memory to design a filter");
        if (error > 0.02)
            return tw_fail(err, TW_BAD_INPUT,
                           "listener: a cylinder of radius %g m (track %d) is too fat for the filter at %g Hz; use 0",
                           r, i, def->rate_hz);
        // the history has the oldest sample first
        for (int k = 0; k < FILTER_TAPS; k++) listener->tracks[i].filter[k] = h[FILTER_TAPS - 1 - k];
    }
    return TW_OK;
}

static void set_ears(twListener* listener)
{
    const twListenerDef* def = &listener->def;
    listener->ear_count = def->ground && def->reflection > 0 ? 2 : 1;
    for (int i = 0; i < 2; i++)
    {
        double gain = def->air_density / (4 * TW_PI) * (i == 1 ? def->reflection : 1);
        listener->ears[i] = (Ear){.near2 = def->nearest * def->nearest,
                                  .far = def->farthest,
                                  .speed = def->sound_speed,
                                  .rate = def->rate_hz,
                                  .gain = gain,
                                  .rate_gain = gain / def->sound_speed,
                                  .instant = def->instant};
    }
}

twStatus tw_listener_create(twListener** out, const twListenerDef* def, twError* err)
{
    *out = NULL;
    twStatus status = listener_check(def, err);
    if (status != TW_OK) return status;
    size_t length = 64, tracks = (size_t)def->track_count;
    while ((double)length < def->farthest / def->sound_speed * def->rate_hz + 4 * WRITE_TAPS) length *= 2;
    // rings end with the part of bumps that goes round; not a power of two apart, or caches would mix them up
    size_t stride = length + 9 * WRITE_TAPS, ring_bytes = tracks * WRITE_COPIES * stride * sizeof(double);
    size_t table_bytes = (WRITE_PHASES * 2 * WRITE_TAPS + 8) * sizeof(double);
    twListener* l = calloc(1, sizeof *l + tracks * sizeof *l->tracks + ring_bytes + table_bytes);
    if (!l) return tw_fail(err, TW_NO_MEMORY, "listener: no memory for %zu bytes of delay", ring_bytes);
    l->def = *def;
    l->def.radius = NULL;
    l->kernel = acoustics_kernel(NULL);
    l->mask = (int64_t)length - 1;
    l->stride = (int64_t)stride;
    l->normal = tw_vec3_normalize(def->ground_normal);
    double* rings = (double*)(l->tracks + tracks);
    for (size_t i = 0; i < tracks; i++) l->tracks[i].rings = rings + i * WRITE_COPIES * stride;
    uintptr_t end = (uintptr_t)(rings + tracks * WRITE_COPIES * stride);
    l->table = (double*)(end + (64 - end % 64) % 64);
    spread_table(l->table);
    if (def->lowpass_hz > 0) l->lowpass = lowpass(def->lowpass_hz, def->rate_hz);
    set_ears(l);
    tw_listener_move(l, def->position);
    l->is_placed = false;
    status = design_filters(l, def->radius, err);
    if (status == TW_OK)
        *out = l;
    else
        free(l);
    return status;
}

void tw_listener_destroy(twListener* listener) { free(listener); }

// ---- a step ----

static void place_ear(Ear* ear, twVec3 place, twVec3 velocity)
{
    ear->place[0] = place.x, ear->place[1] = place.y, ear->place[2] = place.z;
    ear->velocity[0] = velocity.x, ear->velocity[1] = velocity.y, ear->velocity[2] = velocity.z;
    ear->moves = tw_vec3_max(velocity) > 0;
}

void tw_listener_move(twListener* l, twVec3 position)
{
    if (!is_place(position))
    {
        l->stats.bad_values++;
        return;
    }
    const Ear* ear = &l->ears[0];
    twVec3 last = tw_vec3(ear->place[0], ear->place[1], ear->place[2]);
    twVec3 velocity = tw_vec3_scale(tw_vec3_sub(position, last), l->def.rate_hz);
    // faster than half the speed of sound is no motion but a jump
    bool jumped = !l->is_placed || tw_vec3_norm(velocity) > 0.5 * l->def.sound_speed;
    if (jumped) velocity = tw_vec3(0, 0, 0);
    l->is_placed = true;
    place_ear(&l->ears[0], position, velocity);

    // the mirror image
    place_ear(&l->ears[1], mirror_place(position, l->def.ground_point, l->normal), mirror_vector(velocity, l->normal));
}

static Ring ring_of(const twListener* l, int track)
{
    return (Ring){l->tracks[track].rings, l->stride, l->mask, l->step, l->table};
}

void tw_listener_add(twListener* l, int track, const twSources* sources)
{
    TW_ASSERT(track >= 0 && track < l->def.track_count);
    Ring ring = ring_of(l, track);
    for (int i = 0; i < l->ear_count; i++) l->kernel->write(&l->ears[i], &ring, sources, &l->stats);
}

void tw_listener_add_signal(twListener* l, double value)
{
    if (!(fabs(value) < 1e100))
    {
        l->stats.bad_values++;
        return;
    }
    double* at = l->tracks[0].rings + ((l->step - WRITE_BEFORE) & l->mask);
    for (int k = 0; k < WRITE_TAPS; k++) at[k] += value * l->table[k];
}

double tw_listener_step(twListener* l)
{
    double sum = 0;
    l->newest = (l->newest + 1) % FILTER_TAPS;
    for (int i = 0; i < l->def.track_count; i++)
    {
        Track* track = &l->tracks[i];
        Ring ring = ring_of(l, i);
        double sample = ring_take(&ring, l->step - WRITE_BEFORE);
        track->history[l->newest] = track->history[l->newest + FILTER_TAPS] = sample;
        sum += l->kernel->filter(track->filter, track->history + l->newest + 1, FILTER_PADDED);
    }
    l->step++;
    // a listener that is not moved stands still
    for (int i = 0; i < 2; i++) l->ears[i].moves = false;
    if (l->def.lowpass_hz > 0) sum = lowpass_step(&l->lowpass, sum);
    return sum;
}

int tw_listener_latency(const twListener* listener)
{
    (void)listener;
    return FILTER_HALF + WRITE_BEFORE;
}

twListenerStats tw_listener_stats(const twListener* listener) { return listener->stats; }

// ---- saving ----

#define MAGIC "TWLISTN1"

#define LARGEST_SAVED 1e100

// then the rings of all tracks, then their histories
typedef struct SavedListener
{
    double place[2][3], velocity[2][3];
    double lowpass[2][LOWPASS_SECTIONS];
    int64_t moves[2], is_placed, step;
    twListenerStats stats;
} SavedListener;

static size_t ring_bytes_of(const twListener* l)
{
    return (size_t)l->def.track_count * WRITE_COPIES * (size_t)l->stride * sizeof(double);
}

static size_t content_bytes(const twListener* l)
{
    return sizeof(SavedListener) + ring_bytes_of(l) + (size_t)l->def.track_count * sizeof l->tracks->history;
}

// all that makes a listener what it is, but for where it began
static twHash identity(const twListener* l)
{
    const twListenerDef* d = &l->def;
    const double scalars[] = {d->rate_hz,     d->sound_speed,       d->air_density,    d->nearest,        d->farthest,
                              d->ground,      d->ground_point.x,    d->ground_point.y, d->ground_point.z, l->normal.x,
                              l->normal.y,    l->normal.z,          d->reflection,     d->instant,        d->lowpass_hz,
                              d->track_count, (double)(l->mask + 1)};
    twHash hash = tw_hash(scalars, sizeof scalars, (twHash){0, 0});
    for (int i = 0; i < d->track_count; i++) hash = tw_hash(l->tracks[i].filter, sizeof l->tracks[i].filter, hash);
    return hash;
}

size_t tw_listener_state_bytes(const twListener* listener) { return saved_bytes(content_bytes(listener)); }

void tw_listener_save(const twListener* l, void* bytes)
{
    SavedListener saved = {.is_placed = l->is_placed, .step = l->step, .stats = l->stats};
    for (int i = 0; i < 2; i++)
    {
        memcpy(saved.place[i], l->ears[i].place, sizeof saved.place[i]);
        memcpy(saved.velocity[i], l->ears[i].velocity, sizeof saved.velocity[i]);
        saved.moves[i] = l->ears[i].moves;
    }
    memcpy(saved.lowpass[0], l->lowpass.s1, sizeof saved.lowpass[0]);
    memcpy(saved.lowpass[1], l->lowpass.s2, sizeof saved.lowpass[1]);
    char* at = saved_begin(bytes, MAGIC, identity(l), content_bytes(l));
    saved_put(&at, &saved, sizeof saved);
    saved_put(&at, l->tracks->rings, ring_bytes_of(l));
    for (int i = 0; i < l->def.track_count; i++) saved_put(&at, l->tracks[i].history, sizeof l->tracks[i].history);
    saved_end(bytes, content_bytes(l));
}

static void set_state(twListener* l, const SavedListener* saved)
{
    for (int i = 0; i < 2; i++)
    {
        memcpy(l->ears[i].place, saved->place[i], sizeof saved->place[i]);
        memcpy(l->ears[i].velocity, saved->velocity[i], sizeof saved->velocity[i]);
        l->ears[i].moves = saved->moves[i] != 0;
    }
    memcpy(l->lowpass.s1, saved->lowpass[0], sizeof saved->lowpass[0]);
    memcpy(l->lowpass.s2, saved->lowpass[1], sizeof saved->lowpass[1]);
    l->is_placed = saved->is_placed != 0;
    l->stats = saved->stats;
    l->step = saved->step;
    l->newest = (int)(saved->step % FILTER_TAPS);
}

// numbers that sound can be made of; the checksum tells accidents, not what somebody made up
static bool are_sane(const char* at, size_t bytes)
{
    bool sane = true;
    for (size_t i = 0; i + sizeof(double) <= bytes && sane; i += sizeof(double))
    {
        double x;
        memcpy(&x, at + i, sizeof x);
        sane = fabs(x) <= LARGEST_SAVED;
    }
    return sane;
}

static bool are_counts(const twListenerStats* s)
{
    const int64_t most = INT64_MAX / 2;
    return s->too_near >= 0 && s->too_near <= most && s->too_far >= 0 && s->too_far <= most && s->bad_values >= 0 &&
           s->bad_values <= most;
}

bool tw_listener_load(twListener* l, const void* bytes, size_t count)
{
    const char* at = saved_content(bytes, count, MAGIC, identity(l), content_bytes(l));
    SavedListener saved;
    if (!at) return false;
    saved_take(&at, &saved, sizeof saved);
    if (saved.step < 0 || saved.step > INT64_MAX / 2 || !are_counts(&saved.stats) ||
        !is_place(tw_vec3(saved.place[0][0], saved.place[0][1], saved.place[0][2])))
        return false;
    // places, velocities and filters are at the beginning, then counts; rings and histories follow
    if (!are_sane((const char*)&saved, offsetof(SavedListener, moves)) ||
        !are_sane(at, content_bytes(l) - sizeof saved))
        return false;
    set_state(l, &saved);
    saved_take(&at, l->tracks->rings, ring_bytes_of(l));
    for (int i = 0; i < l->def.track_count; i++) saved_take(&at, l->tracks[i].history, sizeof l->tracks[i].history);
    return true;
}
