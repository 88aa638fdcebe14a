// SPDX-License-Identifier: MIT
// Ears. Hearing a source only notes when and how strongly its samples arrive (path.c); each source and point has a place of
// its own for that, so that threads do not meet. Mixing writes all of it into the rings of the channels, in the order of
// sources and points, as listeners do (spread.c), and undoes the bump once per channel.
//
// Sound that is sent now is heard where the ear will be. The velocity to get there is that of the ear, smoothed: when an ear
// starts or stops within a block, a guess that changed as fast would bend the pitch of all that is on its way.
#include "head.h"
#include "listener.h"
#include "path.h"
#include "spread.h"
#include <stdlib.h>
#include <string.h>

#define SMOOTHING 0.1  // time constant of the ear's velocity [s]
#define FADE 1.1       // sources have faded away at this many times the farthest distance

typedef struct Channel
{
    double* rings;  // WRITE_COPIES of them
    double* mixed;  // what came out of the rings: FILTER_TAPS - 1 before this block, and this block
} Channel;

struct twEar
{
    Course course;
    twEarStats stats;
    int channels, points, spots;  // points without images, with them
    twVec3 normal;                // of the ground
    twVec3 place[2];              // at the start and the end of the block
    twQuat turn[2];
    twVec3 velocity;  // smoothed, at the start of the block
    int64_t step, mask, stride;
    double filter[FILTER_TAPS];
    double *table, *filtered;
    Channel channel[4];
    Path* paths;  // (sources x points)
};

// ---- creation ----

twEarDef tw_ear_def(void)
{
    return (twEarDef){.rate_hz = 48000,
                      .sound_speed = 343.2,
                      .turn = {1, 0, 0, 0},
                      .spacing = 0.17,
                      .angle = 110 * TW_PI / 180,
                      .omni = 0.5,
                      .nearest = 1e-2,
                      .farthest = 100,
                      .ground_normal = {0, 0, 1},
                      .reflection = 0.96,
                      .temperature = 20,
                      .humidity = 50,
                      .pressure = 101.325,
                      .source_count = 1,
                      .max_block = 1024};
}

static bool is_turn(twQuat q) { return tw_quat_norm(q) > 1e-6 && tw_quat_norm(q) < 1e6; }

static twStatus check_kind(const twEarDef* def, twError* err)
{
    if (def->kind < 0 || def->kind >= TW_EAR_KIND_COUNT)
        return tw_fail(err, TW_BAD_INPUT, "listener: no such kind: %d", (int)def->kind);
    if (def->kind == TW_EAR_STEREO && !(def->spacing >= 0 && def->spacing <= 100))
        return tw_fail(err, TW_BAD_INPUT, "listener: spacing %g of the pair must be in [0, 100] m", def->spacing);
    if (def->kind == TW_EAR_STEREO && !(fabs(def->angle) <= 2 * TW_PI))
        return tw_fail(err, TW_BAD_INPUT, "listener: angle %g of the pair must be within 2 pi", def->angle);
    if (def->kind == TW_EAR_STEREO && !(def->omni >= 0 && def->omni <= 1))
        return tw_fail(err, TW_BAD_INPUT, "listener: omni %g must be in [0, 1]", def->omni);
    if (def->kind != TW_EAR_BINAURAL) return TW_OK;
    if (!def->head) return tw_fail(err, TW_BAD_INPUT, "listener: a binaural one needs a head");
    if (tw_head_rate(def->head) != def->rate_hz)
        return tw_fail(err, TW_BAD_INPUT, "listener: the head is at %g Hz, the listener at %g Hz",
                       tw_head_rate(def->head), def->rate_hz);
    return TW_OK;
}

static twStatus check_def(const twEarDef* def, twError* err)
{
    // what listeners of rods have too
    twListenerDef plain = tw_listener_def();
    plain.rate_hz = def->rate_hz;
    plain.sound_speed = def->sound_speed;
    plain.position = def->position;
    plain.nearest = def->nearest;
    plain.farthest = def->farthest;
    plain.ground = def->ground;
    plain.ground_point = def->ground_point;
    plain.ground_normal = def->ground_normal;
    plain.reflection = def->reflection;
    twStatus status = listener_check(&plain, err);
    if (status != TW_OK) return status;
    if (!is_turn(def->turn)) return tw_fail(err, TW_BAD_INPUT, "listener: its turn is no rotation");
    if (def->source_count < 1 || def->source_count > 1 << 20)
        return tw_fail(err, TW_BAD_INPUT, "listener: %d sources, must be 1 to %d", def->source_count, 1 << 20);
    if (def->max_block < 1 || def->max_block > 1 << 20)
        return tw_fail(err, TW_BAD_INPUT, "listener: blocks of %d, must be 1 to %d", def->max_block, 1 << 20);
    bool fine = fabs(def->temperature) <= 60 && def->humidity >= 0 && def->humidity <= 100 && def->pressure >= 10 &&
                def->pressure <= 200;
    if (def->air_absorption && !fine)
        return tw_fail(
            err, TW_BAD_INPUT,
            "listener: air at %g degrees, %g %%, %g kPa; must be within 60 degrees, 0 to 100 %%, 10 to 200 kPa",
            def->temperature, def->humidity, def->pressure);
    return check_kind(def, err);
}

static Course course_of(const twEarDef* def)
{
    Course c = {.def = *def, .kernel = acoustics_kernel(NULL), .value_count = 1, .delay_count = 1};
    c.capacity = (def->max_block + CONVOLVE_BLOCK - 1) / CONVOLVE_BLOCK * CONVOLVE_BLOCK;
    c.reach = FADE * def->farthest;
    if (def->kind == TW_EAR_AMBIX) c.value_count = 4;
    if (def->kind != TW_EAR_BINAURAL) return c;
    c.value_count = c.delay_count = 2;
    c.head_taps = tw_head_taps(def->head);
    c.head_shift = ceil(-head_least_delay(def->head));
    return c;
}

static double most_delay(const Course* c)
{
    double head = c->head_taps > 0 ? c->head_shift + head_most_delay(c->def.head) : 0;
    return c->reach / c->def.sound_speed * c->def.rate_hz + fmax(head, 0);
}

int tw_ear_channels(twEarKind kind)
{
    TW_ASSERT(kind >= 0 && kind < TW_EAR_KIND_COUNT);
    return kind == TW_EAR_MONO ? 1 : kind == TW_EAR_AMBIX ? 4 : 2;
}

// parts of the ear's memory, one after another; all are whole numbers of cache lines
typedef struct Layout
{
    size_t ring_length, ring, mixed, filtered, table, air, path, total;  // [doubles]
} Layout;

static size_t whole_lines(size_t doubles) { return (doubles + 7) / 8 * 8; }

static Layout layout_of(const Course* c, size_t channels, size_t spots)
{
    Layout l = {.ring_length = 64};
    while ((double)l.ring_length < most_delay(c) + c->capacity + 4 * WRITE_TAPS) l.ring_length *= 2;
    // rings end with the part of bumps that goes round; not a power of two apart, or caches would mix them up
    l.ring = l.ring_length + 9 * WRITE_TAPS;
    l.mixed = whole_lines((size_t)c->capacity + FILTER_TAPS - 1);
    l.filtered = (size_t)c->capacity;
    l.table = WRITE_PHASES * 2 * WRITE_TAPS;
    l.air = c->def.air_absorption ? whole_lines((size_t)(air_steps(c->reach) + 1) * AIR_TAPS) : 0;
    l.path = whole_lines((size_t)path_doubles(c));
    l.total = channels * (WRITE_COPIES * l.ring + l.mixed) + l.filtered + l.table + l.air +
              (size_t)c->def.source_count * spots * l.path;
    return l;
}

static double* cut(double** from, size_t count)
{
    double* part = *from;
    *from += count;
    return part;
}

static void place_parts(twEar* ear, const Layout* l, double* from)
{
    ear->mask = (int64_t)l->ring_length - 1;
    ear->stride = (int64_t)l->ring;
    ear->table = cut(&from, l->table);
    ear->filtered = cut(&from, l->filtered);
    ear->course.air.filters = cut(&from, l->air);
    for (int i = 0; i < ear->channels; i++)
    {
        ear->channel[i].rings = cut(&from, WRITE_COPIES * l->ring);
        ear->channel[i].mixed = cut(&from, l->mixed) + FILTER_TAPS - 1;
    }
    for (int i = 0; i < ear->course.def.source_count * ear->spots; i++)
        path_place(&ear->paths[i], &ear->course, cut(&from, l->path));
}

static twStatus design(twEar* ear, twError* err)
{
    Course* c = &ear->course;
    spread_table(ear->table);
    bool good = spread_filter(ear->filter, 0) < 0.01;
    if (good && c->def.air_absorption) good = air_design(&c->air, c->reach, &c->def);
    return good ? TW_OK : tw_fail(err, TW_NO_MEMORY, "listener: no memory to design filters");
}

twStatus tw_ear_create(twEar** out, const twEarDef* def, twError* err)
{
    *out = NULL;
    twStatus status = check_def(def, err);
    if (status != TW_OK) return status;
    const Course course = course_of(def);
    int channels = tw_ear_channels(def->kind), points = def->kind == TW_EAR_STEREO ? 2 : 1;
    int spots = def->ground ? 2 * points : points;
    const Layout layout = layout_of(&course, (size_t)channels, (size_t)spots);
    size_t path_count = (size_t)(def->source_count * spots);
    twEar* ear = layout.total < SIZE_MAX / 16
                     ? calloc(1, sizeof *ear + path_count * sizeof(Path) + layout.total * sizeof(double) + 64)
                     : NULL;
    if (!ear)
        return tw_fail(err, TW_NO_MEMORY, "listener: no memory for %d sources, blocks of %d, %g m", def->source_count,
                       def->max_block, def->farthest);
    *ear = (twEar){.course = course, .channels = channels, .points = points, .spots = spots};
    ear->normal = tw_vec3_normalize(def->ground_normal);
    ear->place[0] = ear->place[1] = def->position;
    ear->turn[0] = ear->turn[1] = tw_quat_normalize(def->turn);
    ear->paths = (Path*)(ear + 1);
    uintptr_t end = (uintptr_t)(ear->paths + path_count);
    place_parts(ear, &layout, (double*)(end + (64 - end % 64) % 64));
    status = design(ear, err);
    if (status == TW_OK)
        *out = ear;
    else
        free(ear);
    return status;
}

void tw_ear_destroy(twEar* ear) { free(ear); }

int tw_ear_latency(const twEar* ear)
{
    const Course* c = &ear->course;
    return WRITE_BEFORE + FILTER_HALF + (c->def.air_absorption ? AIR_HALF : 0) + (int)c->head_shift;
}

int tw_ear_tail(const twEar* ear)
{
    const Course* c = &ear->course;
    return (int)ceil(most_delay(c)) + 2 * (WRITE_TAPS + FILTER_TAPS) + (c->def.air_absorption ? AIR_TAPS : 0) +
           c->head_taps;
}

int tw_ear_point_count(const twEar* ear) { return ear->spots; }

// ---- where it is ----

void tw_ear_move(twEar* ear, twVec3 position, twQuat turn)
{
    if (!is_place(position) || !is_turn(turn))
    {
        ear->stats.bad_values++;
        return;
    }
    ear->place[1] = position;
    ear->turn[1] = tw_quat_normalize(turn);
}

// where a point is from the middle, in the ear's axes
static twVec3 offset_of(const twEar* ear, int point)
{
    double half = ear->points == 2 ? 0.5 * ear->course.def.spacing : 0;
    return tw_vec3(0, point % ear->points == 0 ? half : -half, 0);
}

static twVec3 world_point(const twEar* ear, int point, twVec3 place, twQuat turn)
{
    twVec3 at = tw_vec3_add(place, tw_quat_rotate(turn, offset_of(ear, point)));
    return point < ear->points ? at : mirror_place(at, ear->course.def.ground_point, ear->normal);
}

twVec3 tw_ear_point(const twEar* ear, int point)
{
    TW_ASSERT(point >= 0 && point < ear->spots);
    return world_point(ear, point, ear->place[1], ear->turn[1]);
}

// how the ear moves through a block
typedef struct Motion
{
    twVec3 place[2], velocity[2];
    twQuat turn[2];
    bool jumps;
} Motion;

static Motion motion_of(const twEar* ear, int n)
{
    const twEarDef* def = &ear->course.def;
    Motion m = {.place = {ear->place[0], ear->place[1]},
                .turn = {ear->turn[0], ear->turn[1]},
                .velocity = {ear->velocity, ear->velocity}};
    twVec3 v = tw_vec3_scale(tw_vec3_sub(m.place[1], m.place[0]), def->rate_hz / n);
    m.jumps = tw_vec3_norm(v) > 0.5 * def->sound_speed;
    if (m.jumps)
    {
        m.place[0] = m.place[1];
        m.turn[0] = m.turn[1];
        m.velocity[0] = m.velocity[1] = tw_vec3(0, 0, 0);
    }
    else
    {
        double share = 1 - exp(-n / (SMOOTHING * def->rate_hz));
        m.velocity[1] = tw_vec3_add_scaled(m.velocity[0], tw_vec3_sub(v, m.velocity[0]), share);
        // so that an ear at rest is not in motion for ever
        if (tw_vec3_max(m.velocity[1]) < 1e-9 * def->sound_speed) m.velocity[1] = tw_vec3(0, 0, 0);
    }
    return m;
}

static Spot spot_of(const twEar* ear, int point, const Motion* m)
{
    const twEarDef* def = &ear->course.def;
    bool image = point >= ear->points;
    double half = 0.5 * def->angle * (point % ear->points == 0 ? 1 : -1);
    Spot spot = {.axis = tw_vec3(cos(half), sin(half), 0), .gain = image ? def->reflection : 1};
    for (int i = 0; i < 2; i++)
    {
        spot.place[i] = world_point(ear, point, m->place[i], m->turn[i]);
        spot.velocity[i] = image ? mirror_vector(m->velocity[i], ear->normal) : m->velocity[i];
        twMat3 axes = tw_mat3_transpose(tw_mat3_from_quat(m->turn[i]));
        for (int k = 0; image && k < 3; k++)
        {
            twVec3 row = mirror_vector(tw_mat3_row(axes, k), ear->normal);
            axes.m[k][0] = row.x, axes.m[k][1] = row.y, axes.m[k][2] = row.z;
        }
        spot.axes[i] = axes;
    }
    return spot;
}

// ---- a block ----

static Path* path_of(const twEar* ear, int source, int point) { return &ear->paths[source * ear->spots + point]; }

void tw_ear_hear(twEar* ear, int source, int point, const float* signal, int n, twVec3 from, twVec3 to, double lead)
{
    TW_ASSERT(source >= 0 && source < ear->course.def.source_count);
    TW_ASSERT(point >= 0 && point < ear->spots);
    TW_ASSERT(n >= 1 && n <= ear->course.def.max_block);
    const Motion motion = motion_of(ear, n);
    const Spot spot = spot_of(ear, point, &motion);
    path_hear(path_of(ear, source, point), &ear->course, &spot, signal, n, from, to, lead);
}

static Ring ring_of(const twEar* ear, int channel)
{
    return (Ring){ear->channel[channel].rings, ear->stride, ear->mask, ear->step, ear->table};
}

static void write_path(const twEar* ear, const Path* path, int point)
{
    const Course* c = &ear->course;
    for (int i = 0; i < c->value_count; i++)
    {
        Ring ring = ring_of(ear, ear->points == 2 ? point % 2 : i);
        const double* delay = path->delay[c->delay_count == 2 ? i : 0];
        if (path->still)
            c->kernel->scatter_even(&ring, path->from[i], path->weight[i], delay[0], path->count);
        else
            c->kernel->scatter(&ring, path->value[i], delay, path->count);
    }
}

static void write_all(twEar* ear, const Motion* motion, int n)
{
    for (int source = 0; source < ear->course.def.source_count; source++)
        for (int point = 0; point < ear->spots; point++)
        {
            Path* path = path_of(ear, source, point);
            // what was not heard rings out
            if (path->count < 0 && path->tail > 0)
            {
                const Spot spot = spot_of(ear, point, motion);
                path_hear(path, &ear->course, &spot, NULL, n, path->last, path->last, path->lead);
            }
            TW_ASSERT(path->count <= 0 || path->count == n);
            if (path->count > 0) write_path(ear, path, point);
            if (path->count < 0) path->runs = path->is_paced = false;
            path->count = -1;
        }
}

static void read_channel(const twEar* ear, int channel, float* out, int n)
{
    const Ring ring = ring_of(ear, channel);
    double* mixed = ear->channel[channel].mixed;
    for (int i = 0; i < n; i++) mixed[i] = ring_take(&ring, ear->step + i - WRITE_BEFORE);
    int rounded = (n + CONVOLVE_BLOCK - 1) / CONVOLVE_BLOCK * CONVOLVE_BLOCK;
    ear->course.kernel->convolve(ear->filtered, ear->filter, FILTER_TAPS, mixed, rounded);
    for (int i = 0; i < n; i++) out[i * ear->channels + channel] = (float)ear->filtered[i];
    memmove(mixed - (FILTER_TAPS - 1), mixed - (FILTER_TAPS - 1) + n, (FILTER_TAPS - 1) * sizeof *mixed);
}

void tw_ear_mix(twEar* ear, float* out, int n)
{
    TW_ASSERT(n >= 1 && n <= ear->course.def.max_block);
    const Motion motion = motion_of(ear, n);
    write_all(ear, &motion, n);
    for (int i = 0; i < ear->channels; i++) read_channel(ear, i, out, n);
    ear->step += n;
    ear->stats.jumps += motion.jumps;
    ear->velocity = motion.velocity[1];
    ear->place[0] = ear->place[1];
    ear->turn[0] = ear->turn[1];
}

twEarStats tw_ear_stats(const twEar* ear)
{
    twEarStats sum = ear->stats;
    for (int i = 0; i < ear->course.def.source_count * ear->spots; i++)
    {
        const twEarStats* s = &ear->paths[i].stats;
        sum.too_near += s->too_near;
        sum.too_far += s->too_far;
        sum.bad_values += s->bad_values;
    }
    return sum;
}
