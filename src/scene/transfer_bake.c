// SPDX-License-Identifier: MIT
// Baking the acoustic transfer of modes: panels by wavelength, a boundary-element solve per mode, one mode per thread, each
// result in the cache as soon as it is there (docs/transfer.md).
//
// Panels of edge e cover an area S with S/(0.433 e^2) triangles; e = wavelength/10, because the longest edges are nearly
// twice the mean. Numbers of panels come in steps of sqrt(2), so that neighbouring modes share a mesh.

#define _POSIX_C_SOURCE 200809L
#include "base/crew.h"
#include "panels.h"
#include "transfer_cache.h"
#include "twang/acoustics.h"
#include "twang/bake.h"
#include "twang/sound.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PANELS_PER_WAVE 10.0
#define TRIANGLE 0.4330127018922193  // area of one of edge 1
#define MAX_LEVELS 16
#define MAX_THREADS 256
#define CHECK_DIRECTIONS 100
#define CHECK_RADIUS 1.5   // of the sphere, where the fit is compared
#define CHECK_FLOOR 0.1    // of the root mean square: what is quieter is not compared with itself
#define LEAST_DEGREE 1e-3  // degrees at the end that are less than this, all together, are cut
#define MORE_ORDERS 4      // than the far field needs: thin bodies reach out to the sphere with short waves
#define FEW_PER_WAVE 3.0

typedef struct Level
{
    Panels panels;
    twBem* bem;
} Level;

typedef struct Job
{
    const twTransferBakeDef* def;
    PanelSurface surface;
    char folder[TRANSFER_PATH_BYTES];  // "": no cache
    Level levels[MAX_LEVELS];
    int level_count;
    int* mode;  // (todo) modes that are to be baked
    int todo, wanted, cached;
    TransferEntry* entries;  // (modes)
    double *cost, total;     // (modes) of baking each, of all
    pthread_t caller;
    atomic_int done, failed;
    atomic_bool stop;
    _Atomic double spent;  // cost of what is done
    pthread_mutex_t lock;  // of err and status
    twStatus status;
    twError err;
} Job;

twTransferBakeDef tw_transfer_bake_def(const twModeSet* set)
{
    const twSoundDef air = tw_sound_def();  // what is baked for other air is not found again
    return (twTransferBakeDef){.set = set,
                               .sound_speed = air.sound_speed,
                               .air_density = air.air_density,
                               .max_freq_hz = 20000,
                               .min_panels = 1000,
                               .max_panels = 2000};
}

static twStatus check_def(const twTransferBakeDef* d, twError* err)
{
    if (!(d->sound_speed > 0 && isfinite(d->sound_speed) && d->air_density > 0 && isfinite(d->air_density)))
        return tw_fail(err, TW_BAD_INPUT, "sound speed %g m/s and air density %g kg/m^3 must be positive",
                       d->sound_speed, d->air_density);
    if (!(d->max_freq_hz > 0))
        return tw_fail(err, TW_BAD_INPUT, "the highest frequency %g Hz must be positive", d->max_freq_hz);
    if (d->min_panels < 16 || d->max_panels < d->min_panels || d->max_panels > TW_MAX_BEM_PANELS)
        return tw_fail(err, TW_BAD_INPUT, "%d to %d panels: there can be 16 to %d", d->min_panels, d->max_panels,
                       TW_MAX_BEM_PANELS);
    if (d->threads < 0 || d->threads > MAX_THREADS)
        return tw_fail(err, TW_BAD_INPUT, "%d threads: there can be 0 (all processors) to %d", d->threads, MAX_THREADS);
    return TW_OK;
}

// ---- how many panels ----

static int level_panels(const twTransferBakeDef* d, int level)
{
    double panels = d->min_panels * pow(2, 0.5 * level);
    return panels < d->max_panels ? (int)panels : d->max_panels;
}

static int level_for(const Job* job, double freq_hz)
{
    const twTransferBakeDef* d = job->def;
    double edge = d->sound_speed / freq_hz / PANELS_PER_WAVE, wanted = job->surface.area / (TRIANGLE * edge * edge);
    int level = 0;
    while (level_panels(d, level) < wanted && level_panels(d, level) < d->max_panels && level + 1 < MAX_LEVELS) level++;
    return level;
}

// ---- one mode ----

// asks the caller only in its own thread
static bool keep_going(double part, void* context)
{
    Job* job = context;
    const twTransferBakeDef* d = job->def;
    (void)part;
    if (d->keep_going && pthread_equal(pthread_self(), job->caller))
    {
        double fraction = job->total > 0 ? atomic_load(&job->spent) / job->total : 1;
        if (!d->keep_going(job->cached + atomic_load(&job->done), job->wanted, fmin(fraction, 1), d->context))
            atomic_store(&job->stop, true);
    }
    return !atomic_load(&job->stop);
}

static void fail(Job* job, twStatus status, const twError* err)
{
    pthread_mutex_lock(&job->lock);
    if (job->status == TW_OK)
    {
        job->status = status;
        job->err = *err;
    }
    pthread_mutex_unlock(&job->lock);
    atomic_store(&job->stop, true);
}

static int compare(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// even directions: a spiral by the golden angle
static twVec3 spiral(int i, int count)
{
    double z = 1 - (2 * i + 1.0) / count, turn = i * TW_PI * (3 - sqrt(5)), side = sqrt(1 - z * z);
    return (twVec3){side * cos(turn), side * sin(turn), z};
}

// how far the harmonics are from the field of the panels at 95 % of the directions [dB], phase included
static double fit_error(const twBem* bem, double freq_hz, const double* velocity, const double* pressure, int order,
                        const double* moments)
{
    twVec3 centre, places[CHECK_DIRECTIONS];
    double direct[2 * CHECK_DIRECTIONS], fitted[2 * CHECK_DIRECTIONS], error[CHECK_DIRECTIONS], mean = 0;
    double radius = CHECK_RADIUS * tw_bem_sphere(bem, &centre);
    for (int i = 0; i < CHECK_DIRECTIONS; i++)
        places[i] = tw_vec3_add(centre, tw_vec3_scale(spiral(i, CHECK_DIRECTIONS), radius));
    tw_bem_pressure(bem, freq_hz, velocity, pressure, CHECK_DIRECTIONS, places, direct);
    tw_bem_field(bem, freq_hz, order, moments, CHECK_DIRECTIONS, places, fitted);
    for (int i = 0; i < 2 * CHECK_DIRECTIONS; i++) mean += direct[i] * direct[i] / CHECK_DIRECTIONS;
    for (int i = 0; i < CHECK_DIRECTIONS; i++)
    {
        double size = fmax(hypot(direct[2 * i], direct[2 * i + 1]), CHECK_FLOOR * sqrt(mean));
        double off = hypot(fitted[2 * i] - direct[2 * i], fitted[2 * i + 1] - direct[2 * i + 1]);
        error[i] = size > 0 ? 20 * log10(1 + off / size) : 0;
    }
    qsort(error, CHECK_DIRECTIONS, sizeof *error, compare);
    return error[CHECK_DIRECTIONS * 95 / 100 - 1];
}

// the order that is worth keeping
static int trim_order(const double* moments, int order)
{
    double total = 0, tail = 0;
    for (int i = 0; i < 2 * (order + 1) * (order + 1); i++) total += moments[i] * moments[i];
    for (; order > 0; order--)
    {
        for (int i = 2 * order * order; i < 2 * (order + 1) * (order + 1); i++) tail += moments[i] * moments[i];
        if (tail > LEAST_DEGREE * LEAST_DEGREE * total) break;
    }
    return order;
}

// room of one solve
typedef struct Scratch
{
    double *velocity, *pressure, *moments, *work;
} Scratch;

static bool scratch_make(Scratch* s, const Job* job, int panels, int order)
{
    s->velocity = malloc(2 * (size_t)panels * sizeof(double));
    s->pressure = malloc(2 * (size_t)panels * sizeof(double));
    s->moments = malloc(2 * (size_t)(order + 1) * (size_t)(order + 1) * sizeof(double));
    s->work = malloc(3 * (size_t)job->surface.mesh->vertex_count * sizeof(double));
    return s->velocity && s->pressure && s->moments && s->work;
}

static void scratch_free(Scratch* s)
{
    free(s->velocity);
    free(s->pressure);
    free(s->moments);
    free(s->work);
}

static twStatus solve_mode(Job* job, const Level* level, int mode, Scratch* s, int order, TransferEntry* entry,
                           twError* err)
{
    double freq = job->def->set->freq_hz[mode], start = tw_seconds();
    panels_velocity(s->velocity, &level->panels, &job->surface, job->def->set, mode, s->work);
    twStatus status = tw_bem_solve(level->bem, freq, s->velocity, order, s->moments, s->pressure, NULL, err);
    if (status != TW_OK) return status;
    int kept = trim_order(s->moments, order);
    size_t values = 2 * (size_t)(kept + 1) * (size_t)(kept + 1);
    *entry = (TransferEntry){.order = kept,
                             .panels = level->panels.mesh->face_count,
                             .min_panels = job->def->min_panels,
                             .max_panels = job->def->max_panels,
                             .panels_per_wave = tw_bem_panels_per_wave(level->bem, freq),
                             .error_db = fit_error(level->bem, freq, s->velocity, s->pressure, kept, s->moments),
                             .moments = malloc(values * sizeof(float))};
    if (!entry->moments) return tw_fail(err, TW_NO_MEMORY, "no memory for mode %d", mode);
    for (size_t i = 0; i < values; i++) entry->moments[i] = (float)s->moments[i];
    entry->seconds = tw_seconds() - start;
    return TW_OK;
}

static void bake_mode(void* context, int index, int worker)
{
    Job* job = context;
    int mode = job->mode[index];
    (void)worker;
    if (!keep_going(0, job)) return;
    const Level* level = &job->levels[level_for(job, job->def->set->freq_hz[mode])];
    int order = tw_bem_order(level->bem, job->def->set->freq_hz[mode]) + MORE_ORDERS;
    if (order > TW_MAX_BEM_ORDER) order = TW_MAX_BEM_ORDER;
    TransferEntry entry = {.order = -1};
    Scratch s = {0};
    twError err = {0};
    twStatus status = TW_OK;
    if (scratch_make(&s, job, level->panels.mesh->face_count, order))
        status = solve_mode(job, level, mode, &s, order, &entry, &err);
    else
        status = tw_fail(&err, TW_NO_MEMORY, "no memory for mode %d", mode);
    scratch_free(&s);
    if (status == TW_NO_CONVERGE)
        atomic_fetch_add(&job->failed, 1);
    else if (status != TW_OK)
    {
        if (status != TW_INTERRUPTED) fail(job, status, &err);
        return;
    }
    job->entries[mode] = entry;
    if (status == TW_OK && job->folder[0]) transfer_save(&entry, job->folder, job->def->set, mode);
    atomic_fetch_add(&job->done, 1);
    double before = atomic_load(&job->spent);
    while (!atomic_compare_exchange_weak(&job->spent, &before, before + job->cost[mode])) continue;
    keep_going(1, job);
}

// ---- all modes ----

// what the cache has, as good as wanted
static bool find_mode(Job* job, int mode)
{
    TransferEntry entry;
    if (!job->folder[0] || !transfer_load(&entry, job->folder, job->def->set, mode)) return false;
    if (entry.min_panels >= job->def->min_panels && entry.max_panels >= job->def->max_panels)
    {
        job->entries[mode] = entry;
        return true;
    }
    free(entry.moments);
    return false;
}

static void find_modes(Job* job)
{
    const twTransferBakeDef* d = job->def;
    for (int k = 0; k < d->set->mode_count; k++)
    {
        job->entries[k] = (TransferEntry){.order = -1};
        if (d->set->freq_hz[k] > d->max_freq_hz) continue;
        job->wanted++;
        if (find_mode(job, k))
            job->cached++;
        else
            job->mode[job->todo++] = k;
    }
}

static twStatus make_level(Job* job, int level, size_t memory, twError* err)
{
    Level* l = &job->levels[level];
    if (l->bem) return TW_OK;
    twStatus status = panels_make(&l->panels, &job->surface, level_panels(job->def, level), err);
    if (status != TW_OK) return status;
    twBemDef bem = tw_bem_def();
    bem.surface = l->panels.mesh;
    bem.sound_speed = job->def->sound_speed;
    bem.air_density = job->def->air_density;
    bem.centre = job->surface.centre;
    bem.radius = job->surface.radius;
    bem.max_memory_bytes = memory;
    bem.keep_going = keep_going;
    bem.context = job;
    return tw_bem_create(&l->bem, &bem, err);
}

static int thread_count(const Job* job)
{
    long threads = job->def->threads ? job->def->threads : sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    if (threads > job->todo) threads = job->todo;
    return threads < 1 ? 1 : (int)threads;
}

// fewer threads if they would need too much at once
static int threads_that_fit(const Job* job, int threads)
{
    size_t most = 0;
    for (int i = 0; i < MAX_LEVELS; i++)
        if (job->levels[i].bem && tw_bem_memory(job->levels[i].bem) > most) most = tw_bem_memory(job->levels[i].bem);
    while (job->def->max_memory_bytes && threads > 1 && most > job->def->max_memory_bytes / (size_t)threads) threads--;
    return threads;
}

static twStatus prepare_levels(Job* job, int threads, twError* err)
{
    twStatus status = panel_surface_make(&job->surface, job->def->set, job->def->max_panels, err);
    size_t memory = job->def->max_memory_bytes / (size_t)threads;
    for (int i = 0; i < job->todo && status == TW_OK; i++)
    {
        int mode = job->mode[i], level = level_for(job, job->def->set->freq_hz[mode]);
        status = make_level(job, level, memory, err);
        if (status == TW_OK && !keep_going(0, job)) status = TW_INTERRUPTED;
        // assembling and solving take the square of the panels
        job->cost[mode] = status == TW_OK ? pow(job->levels[level].panels.mesh->face_count, 2) : 0;
        job->total += job->cost[mode];
    }
    return status;
}

static twStatus run(Job* job, twError* err)
{
    int threads = thread_count(job);
    twStatus status = job->todo > 0 ? prepare_levels(job, threads, err) : TW_OK;
    if (status == TW_OK && job->todo > 0)
    {
        Crew* crew = crew_create(threads_that_fit(job, threads));
        if (!crew) return tw_fail(err, TW_NO_MEMORY, "no memory for %d threads", threads);
        crew_run(crew, bake_mode, job, job->todo);
        crew_destroy(crew);
        status = job->status;
        if (status != TW_OK && err) *err = job->err;
    }
    if (status == TW_INTERRUPTED || (status == TW_OK && atomic_load(&job->stop)))
        return tw_fail(err, TW_INTERRUPTED, "interrupted; %d of %d modes are done%s",
                       job->cached + atomic_load(&job->done), job->wanted, job->folder[0] ? " and kept" : "");
    return status;
}

// ---- the result ----

static void fill_report(const Job* job, const twTransfer* t, twTransferBakeReport* report)
{
    const twTransferBakeDef* d = job->def;
    int coarse = 0;
    double highest = 0;
    for (int k = 0; k < d->set->mode_count; k++)
    {
        const TransferEntry* e = &job->entries[k];
        if (e->order >= 0 && e->panels_per_wave < FEW_PER_WAVE) coarse++;
        if (e->order >= 0 && e->panels_per_wave >= FEW_PER_WAVE) highest = fmax(highest, d->set->freq_hz[k]);
        if (!d->modes) continue;
        double motion = 0.5 * d->air_density * d->sound_speed * panel_square(d->set, k);
        d->modes[k] = (twTransferModeReport){.baked = e->order >= 0,
                                             .panels = e->panels,
                                             .panels_per_wave = e->panels_per_wave,
                                             .seconds = e->seconds,
                                             .efficiency = motion > 0 ? tw_transfer_power(t, k) / motion : 0};
    }
    for (int k = 0; d->modes && k < d->set->mode_count; k++) d->modes[k].cached = d->modes[k].baked;
    for (int i = 0; d->modes && i < job->todo; i++) d->modes[job->mode[i]].cached = false;
    *report = (twTransferBakeReport){.wanted = job->wanted, .cached = job->cached, .failed = atomic_load(&job->failed)};
    report->baked = job->wanted - report->failed;
    if (coarse > 0)
        snprintf(report->note, sizeof report->note,
                 "%d of %d modes, above %.0f Hz, have less than %g panels per wave at %d panels: their directions are "
                 "rough; more panels help",
                 coarse, job->wanted, highest, FEW_PER_WAVE, d->max_panels);
}

static void job_free(Job* job)
{
    panel_surface_free(&job->surface);
    for (int i = 0; i < MAX_LEVELS; i++)
    {
        tw_bem_destroy(job->levels[i].bem);
        panels_free(&job->levels[i].panels);
    }
    for (int k = 0; job->entries && k < job->def->set->mode_count; k++) free(job->entries[k].moments);
    free(job->mode);
    free(job->entries);
    free(job->cost);
    pthread_mutex_destroy(&job->lock);
}

static twStatus job_make(Job* job, twError* err)
{
    const twTransferBakeDef* d = job->def;
    size_t modes = (size_t)d->set->mode_count + 1;
    job->caller = pthread_self();
    pthread_mutex_init(&job->lock, NULL);
    job->mode = calloc(modes, sizeof *job->mode);
    job->entries = calloc(modes, sizeof *job->entries);
    job->cost = calloc(modes, sizeof *job->cost);
    if (!job->mode || !job->entries || !job->cost)
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", d->set->mode_count);
    if (d->cache_folder &&
        !transfer_folder(job->folder, sizeof job->folder, d->set, d->cache_folder, d->sound_speed, d->air_density))
        job->folder[0] = 0;
    find_modes(job);
    return TW_OK;
}

twStatus tw_bake_transfer(twTransfer** out, const twTransferBakeDef* def, twTransferBakeReport* report, twError* err)
{
    *out = NULL;
    twTransferBakeReport unused;
    if (!report) report = &unused;
    memset(report, 0, sizeof *report);
    double start = tw_seconds();
    twStatus status = check_def(def, err);
    if (status != TW_OK) return status;
    Job* job = calloc(1, sizeof *job);
    if (!job) return tw_fail(err, TW_NO_MEMORY, "no memory to bake");
    job->def = def;
    status = job_make(job, err);
    if (status == TW_OK) status = run(job, err);
    if (status == TW_OK) status = transfer_join(out, def->set, job->entries, def->sound_speed, def->air_density, err);
    if (status == TW_OK) fill_report(job, *out, report);
    report->seconds = tw_seconds() - start;
    job_free(job);
    free(job);
    return status;
}
