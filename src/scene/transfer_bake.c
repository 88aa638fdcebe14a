// SPDX-License-Identifier: MIT
// Baking the acoustic transfer of modes: a plan, panels, a boundary-element solve per group of modes, one group per thread, each
// result in the cache as soon as it is there (docs/transfer.md).

#define _POSIX_C_SOURCE 200809L
#include "base/crew.h"
#include "panels.h"
#include "transfer_cache.h"
#include "transfer_plan.h"
#include "twang/acoustics.h"
#include "twang/sound.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LEVELS 32
#define MAX_THREADS 256
#define CHECK_DIRECTIONS 100
#define CHECK_RADIUS 2.0   // of the sphere, where the fit is compared
#define CHECK_FLOOR 0.1    // of the root mean square: what is quieter is not compared with itself
#define LEAST_DEGREE 1e-3  // degrees at the end that are less than this, all together, are cut
#define FEW_PER_WAVE 1.0
#define OVER_BUDGET 2.0  // times it, where equations take longer than planned: then the rest is estimated

// panels of one number
typedef struct Level
{
    int wanted;
    Panels panels;
    twBem* bem;
} Level;

typedef struct Job
{
    const twTransferBakeDef* def;
    TransferPlan plan;
    PanelSurface surface;
    char folder[TRANSFER_PATH_BYTES];  // "": no cache
    Level levels[MAX_LEVELS];
    int level_count;
    const TransferGroup** groups;  // (todo) those with modes that are to be baked
    int todo, wanted, cached;      // groups; modes
    TransferEntry* entries;        // (modes)
    bool* from_cache;              // (modes)
    double total;                  // cost of all groups
    pthread_t caller;
    atomic_int done, failed;
    atomic_bool stop;
    _Atomic double spent;  // cost of what is done
    _Atomic double* took;  // (todo) operations of groups that are done
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
                               .max_panels = 1000,
                               .panels_per_wave = 3,
                               .more_orders = 4};
}

twTransferBakeDef tw_transfer_fine_def(const twModeSet* set)
{
    twTransferBakeDef def = tw_transfer_bake_def(set);
    def.max_panels = 2000;
    def.panels_per_wave = 10;
    def.more_orders = 10;
    return def;
}

static twStatus transfer_check_def(const twTransferBakeDef* d, twError* err)
{
    if (!(d->sound_speed > 0 && isfinite(d->sound_speed) && d->air_density > 0 && isfinite(d->air_density)))
        return tw_fail(err, TW_BAD_INPUT, "sound speed %g m/s and air density %g kg/m^3 must be positive",
                       d->sound_speed, d->air_density);
    if (!(d->max_freq_hz > 0))
        return tw_fail(err, TW_BAD_INPUT, "the highest frequency %g Hz must be positive", d->max_freq_hz);
    if (d->min_panels < 16 || d->max_panels < d->min_panels || d->max_panels > TW_MAX_BEM_PANELS)
        return tw_fail(err, TW_BAD_INPUT, "%d to %d panels: there can be 16 to %d", d->min_panels, d->max_panels,
                       TW_MAX_BEM_PANELS);
    if (!(d->panels_per_wave > 0 && d->panels_per_wave <= 100) || d->more_orders < 0 ||
        d->more_orders > TW_MAX_BEM_ORDER)
        return tw_fail(err, TW_BAD_INPUT, "%g panels per wave and %d more orders: there can be 0 to 100, and 0 to %d",
                       d->panels_per_wave, d->more_orders, TW_MAX_BEM_ORDER);
    if (!(d->budget >= 0)) return tw_fail(err, TW_BAD_INPUT, "a budget of %g s must be at least 0", d->budget);
    if (d->threads < 0 || d->threads > MAX_THREADS)
        return tw_fail(err, TW_BAD_INPUT, "%d threads: there can be 0 (all processors) to %d", d->threads, MAX_THREADS);
    return TW_OK;
}

// ---- one mode ----

// asks the caller only in its own thread
static bool job_keep_going(double part, void* context)
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

static void job_fail(Job* job, twStatus status, const twError* err)
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

static int compare_errors(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// even directions: a fit_direction by the golden angle
static twVec3 fit_direction(int i, int count)
{
    double z = 1 - (2 * i + 1.0) / count, turn = i * TW_PI * (3 - sqrt(5)), side = sqrt(1 - z * z);
    return (twVec3){side * cos(turn), side * sin(turn), z};
}

// how far the harmonics are from the field of the panels at 95 % of the directions [dB], phase included
static double transfer_fit_error(const twBem* bem, double freq_hz, const double* velocity, const double* pressure,
                                 int order, const double* moments)
{
    twVec3 centre, places[CHECK_DIRECTIONS];
    double direct[2 * CHECK_DIRECTIONS], fitted[2 * CHECK_DIRECTIONS], error[CHECK_DIRECTIONS], mean = 0;
    double radius = CHECK_RADIUS * tw_bem_sphere(bem, &centre);
    for (int i = 0; i < CHECK_DIRECTIONS; i++)
        places[i] = tw_vec3_add(centre, tw_vec3_scale(fit_direction(i, CHECK_DIRECTIONS), radius));
    tw_bem_pressure(bem, freq_hz, velocity, pressure, CHECK_DIRECTIONS, places, direct);
    tw_bem_field(bem, freq_hz, order, moments, CHECK_DIRECTIONS, places, fitted);
    for (int i = 0; i < 2 * CHECK_DIRECTIONS; i++) mean += direct[i] * direct[i] / CHECK_DIRECTIONS;
    for (int i = 0; i < CHECK_DIRECTIONS; i++)
    {
        double size = fmax(hypot(direct[2 * i], direct[2 * i + 1]), CHECK_FLOOR * sqrt(mean));
        double off = hypot(fitted[2 * i] - direct[2 * i], fitted[2 * i + 1] - direct[2 * i + 1]);
        error[i] = size > 0 ? 20 * log10(1 + off / size) : 0;
    }
    qsort(error, CHECK_DIRECTIONS, sizeof *error, compare_errors);
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

// NULL if there is none yet
static Level* level_of(Job* job, int wanted)
{
    for (int i = 0; i < job->level_count; i++)
        if (job->levels[i].wanted == wanted) return &job->levels[i];
    return NULL;
}

// room of one solve: velocities, pressures and moments of motions one after the other
typedef struct Scratch
{
    double *velocity, *pressure, *moments, *work;
    twBemReport* reports;
} Scratch;

static bool scratch_make(Scratch* s, const Job* job, int motions, int panels, int order)
{
    size_t count = (size_t)motions;
    s->velocity = malloc(2 * count * (size_t)panels * sizeof(double));
    s->pressure = malloc(2 * count * (size_t)panels * sizeof(double));
    s->moments = malloc(2 * count * (size_t)(order + 1) * (size_t)(order + 1) * sizeof(double));
    s->work = malloc(3 * (size_t)job->surface.mesh->vertex_count * sizeof(double));
    s->reports = malloc(count * sizeof *s->reports);
    return s->velocity && s->pressure && s->moments && s->work && s->reports;
}

static void scratch_free(Scratch* s)
{
    free(s->velocity);
    free(s->pressure);
    free(s->moments);
    free(s->work);
    free(s->reports);
}

static twStatus make_entry(TransferEntry* entry, const Job* job, const Level* level, const TransferGroup* group,
                           const double* velocity, const double* pressure, const double* moments, twError* err)
{
    int kept = trim_order(moments, group->order);
    size_t values = 2 * (size_t)(kept + 1) * (size_t)(kept + 1);
    *entry =
        (TransferEntry){.order = kept,
                        .panels = level->panels.mesh->face_count,
                        .min_panels = job->def->min_panels,
                        .max_panels = job->def->max_panels,
                        .more_orders = job->def->more_orders,
                        .wanted_per_wave = job->def->panels_per_wave,
                        .panels_per_wave = tw_bem_panels_per_wave(level->bem, group->freq_hz),
                        .error_db = transfer_fit_error(level->bem, group->freq_hz, velocity, pressure, kept, moments),
                        .moments = malloc(values * sizeof(float))};
    if (!entry->moments) return tw_fail(err, TW_NO_MEMORY, "no memory for %zu moments", values);
    for (size_t i = 0; i < values; i++) entry->moments[i] = (float)moments[i];
    return TW_OK;
}

static double took_by(const twBemReport* reports, int count, int panels)
{
    int iterations = 0;
    bool factored = false;
    for (int i = 0; i < count; i++)
    {
        iterations += reports[i].iterations;
        factored = factored || reports[i].factored;
    }
    return transfer_plan_took(panels, iterations, factored);
}

// modes of a group, which were not in the cache
static twStatus solve_modes(Job* job, const TransferGroup* group, const int* modes, int count, Scratch* s, double* took,
                            twError* err)
{
    const Level* level = level_of(job, group->panels);
    size_t row = 2 * (size_t)level->panels.mesh->face_count;
    size_t values = 2 * (size_t)(group->order + 1) * (size_t)(group->order + 1);
    double start = tw_seconds();
    for (int i = 0; i < count; i++)
        panels_velocity(s->velocity + row * (size_t)i, &level->panels, &job->surface, job->def->set, modes[i], s->work);
    twStatus status = tw_bem_solve_many(level->bem, group->freq_hz, count, s->velocity, group->order, s->moments,
                                        s->pressure, s->reports, err);
    *took = took_by(s->reports, count, level->panels.mesh->face_count);
    for (int i = 0; i < count && status == TW_OK; i++)
        status = make_entry(&job->entries[modes[i]], job, level, group, s->velocity + row * (size_t)i,
                            s->pressure + row * (size_t)i, s->moments + values * (size_t)i, err);
    for (int i = 0; i < count && status == TW_OK; i++)
    {
        TransferEntry* entry = &job->entries[modes[i]];
        entry->seconds = (tw_seconds() - start) / count;
        if (job->folder[0]) transfer_save(entry, job->folder, job->def->set, modes[i]);
    }
    return status;
}

static twStatus bake_modes(Job* job, const TransferGroup* group, const int* modes, int count, double* took,
                           twError* err)
{
    Scratch s = {0};
    twStatus status = TW_OK;
    if (scratch_make(&s, job, count, level_of(job, group->panels)->panels.mesh->face_count, group->order))
        status = solve_modes(job, group, modes, count, &s, took, err);
    else
        status = tw_fail(err, TW_NO_MEMORY, "no memory for mode %d", modes[0]);
    scratch_free(&s);
    return status;
}

// whether the groups before one, as far as they are done, took more than the budget allows
static bool job_is_over(const Job* job, int index)
{
    double sum = 0;
    for (int i = 0; i < index; i++) sum += atomic_load(&job->took[i]);
    return job->def->budget > 0 && sum > OVER_BUDGET * job->def->budget * TW_BAKE_RATE;
}

// what was begun before that was known is left out, so that the result does not depend on the number of threads
static void job_drop_late(Job* job)
{
    for (int i = 0; i < job->todo; i++)
        for (int k = job->groups[i]->first; k < job->groups[i]->first + job->groups[i]->count; k++)
            if (!job->from_cache[k] && job_is_over(job, i)) job->entries[k].order = -1;
}

static void bake_group(void* context, int index, int worker)
{
    Job* job = context;
    const TransferGroup* group = job->groups[index];
    (void)worker;
    if (!job_keep_going(0, job) || job_is_over(job, index)) return;
    double took = 0;
    int* modes = malloc((size_t)group->count * sizeof *modes);
    int count = 0;
    twError err = {0};
    twStatus status = modes ? TW_OK : tw_fail(&err, TW_NO_MEMORY, "no memory for mode %d", group->first);
    for (int k = group->first; modes && k < group->first + group->count; k++)
        if (!job->from_cache[k]) modes[count++] = k;
    if (status == TW_OK) status = bake_modes(job, group, modes, count, &took, &err);
    atomic_store(&job->took[index], took);
    free(modes);
    if (status == TW_NO_CONVERGE)
        atomic_fetch_add(&job->failed, count);
    else if (status != TW_OK)
    {
        if (status != TW_INTERRUPTED) job_fail(job, status, &err);
        return;
    }
    atomic_fetch_add(&job->done, count);
    double before = atomic_load(&job->spent);
    while (!atomic_compare_exchange_weak(&job->spent, &before, before + group->cost)) continue;
    job_keep_going(1, job);
}

// ---- all modes ----

// what the cache has, as good as wanted
static bool job_find_mode(Job* job, int mode)
{
    TransferEntry entry;
    const twTransferBakeDef* d = job->def;
    if (!job->folder[0] || !transfer_load(&entry, job->folder, d->set, mode)) return false;
    if (entry.min_panels >= d->min_panels && entry.max_panels >= d->max_panels && entry.more_orders >= d->more_orders &&
        entry.wanted_per_wave >= d->panels_per_wave)
    {
        job->entries[mode] = entry;
        return true;
    }
    free(entry.moments);
    return false;
}

// groups with modes to bake; what is left out may still be in the cache
static void job_find_modes(Job* job)
{
    for (int k = 0; k < job->def->set->mode_count; k++) job->entries[k] = (TransferEntry){.order = -1};
    for (int i = 0; i < job->plan.count; i++)
    {
        const TransferGroup* group = &job->plan.groups[i];
        int found = 0;
        for (int k = group->first; k < group->first + group->count; k++)
            found += job->from_cache[k] = job_find_mode(job, k);
        job->cached += found;
        if (!group->left || found > 0) job->wanted += group->left ? found : group->count;
        if (group->left || found == group->count) continue;
        job->groups[job->todo++] = group;
        job->total += group->cost;
    }
}

static twStatus make_level(Job* job, int wanted, size_t memory, twError* err)
{
    if (level_of(job, wanted)) return TW_OK;
    Level* l = &job->levels[job->level_count++];
    TW_ASSERT(job->level_count <= MAX_LEVELS);
    l->wanted = wanted;
    twStatus status = panels_make(&l->panels, &job->surface, wanted, err);
    if (status != TW_OK) return status;
    twBemDef bem = tw_bem_def();
    bem.surface = l->panels.mesh;
    bem.sound_speed = job->def->sound_speed;
    bem.air_density = job->def->air_density;
    bem.centre = job->surface.centre;
    bem.radius = job->surface.radius;
    bem.max_memory_bytes = memory;
    bem.keep_going = job_keep_going;
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
    for (int i = 0; i < job->level_count; i++)
        if (tw_bem_memory(job->levels[i].bem) > most) most = tw_bem_memory(job->levels[i].bem);
    while (job->def->max_memory_bytes && threads > 1 && most > job->def->max_memory_bytes / (size_t)threads) threads--;
    return threads;
}

static twStatus prepare_levels(Job* job, int threads, twError* err)
{
    twStatus status = panel_surface_make(&job->surface, job->def->set, job->plan.most_panels, err);
    size_t memory = job->def->max_memory_bytes / (size_t)threads;
    for (int i = 0; i < job->todo && status == TW_OK; i++)
    {
        status = make_level(job, job->groups[i]->panels, memory, err);
        if (status == TW_OK && !job_keep_going(0, job)) status = TW_INTERRUPTED;
    }
    return status;
}

static twStatus job_run(Job* job, twError* err)
{
    int threads = thread_count(job);
    twStatus status = job->todo > 0 ? prepare_levels(job, threads, err) : TW_OK;
    if (status == TW_OK && job->todo > 0)
    {
        Crew* crew = crew_create(threads_that_fit(job, threads));
        if (!crew) return tw_fail(err, TW_NO_MEMORY, "no memory for %d threads", threads);
        crew_run(crew, bake_group, job, job->todo);
        crew_destroy(crew);
        job_drop_late(job);
        status = job->status;
        if (status != TW_OK && err) *err = job->err;
    }
    if (status == TW_INTERRUPTED || (status == TW_OK && atomic_load(&job->stop)))
        return tw_fail(err, TW_INTERRUPTED, "interrupted; %d of %d modes are done%s",
                       job->cached + atomic_load(&job->done), job->wanted, job->folder[0] ? " and kept" : "");
    return status;
}

// ---- the result ----

static void report_mode(const Job* job, const twTransfer* t, int mode, twTransferModeReport* out)
{
    const twTransferBakeDef* d = job->def;
    const TransferEntry* e = &job->entries[mode];
    const double piston = tw_mode_piston(d->set, mode, d->sound_speed, d->air_density);
    *out = (twTransferModeReport){.baked = e->order >= 0,
                                  .estimated = e->order < 0 && t->order[mode] >= 0,
                                  .cached = job->from_cache[mode],
                                  .panels = e->panels,
                                  .panels_per_wave = e->panels_per_wave,
                                  .seconds = e->seconds,
                                  .efficiency = piston > 0 ? tw_transfer_power(t, mode) / piston : 0};
}

static void fill_report(const Job* job, const twTransfer* t, twTransferBakeReport* report)
{
    const twTransferBakeDef* d = job->def;
    int coarse = 0;
    double fine = 0, left = 0, total = 0;
    *report =
        (twTransferBakeReport){.wanted = job->plan.wanted, .cached = job->cached, .failed = atomic_load(&job->failed)};
    for (int k = 0; k < d->set->mode_count; k++)
    {
        const TransferEntry* e = &job->entries[k];
        if (d->modes) report_mode(job, t, k, &d->modes[k]);
        if (t->order[k] < 0) continue;
        double loudness = tw_transfer_loudness(t, d->set, k);
        total += loudness;
        left += e->order < 0 ? loudness : 0;
        report->baked += e->order >= 0;
        report->left += e->order < 0;
        if (e->order < 0) continue;
        if (e->panels_per_wave < FEW_PER_WAVE)
            coarse++;
        else
            fine = fmax(fine, d->set->freq_hz[k]);
    }
    report->left_db = total > 0 ? 10 * log10(left / total) : -HUGE_VAL;
    if (coarse > 0)
        snprintf(report->note, sizeof report->note,
                 "%d of %d modes, above %.0f Hz, have less than %g panels per wave at %d panels: their directions are "
                 "rough; more panels help",
                 coarse, report->wanted, fine, FEW_PER_WAVE, d->max_panels);
}

static void job_free(Job* job)
{
    panel_surface_free(&job->surface);
    for (int i = 0; i < job->level_count; i++)
    {
        tw_bem_destroy(job->levels[i].bem);
        panels_free(&job->levels[i].panels);
    }
    for (int k = 0; job->entries && k < job->def->set->mode_count; k++) free(job->entries[k].moments);
    free(job->groups);
    free(job->entries);
    free(job->from_cache);
    free(job->took);
    transfer_plan_free(&job->plan);
    pthread_mutex_destroy(&job->lock);
}

static twStatus job_make(Job* job, twError* err)
{
    const twTransferBakeDef* d = job->def;
    size_t modes = (size_t)d->set->mode_count + 1;
    job->caller = pthread_self();
    pthread_mutex_init(&job->lock, NULL);
    twStatus status = transfer_plan_make(&job->plan, d, err);
    if (status != TW_OK) return status;
    job->groups = calloc(modes, sizeof *job->groups);
    job->entries = calloc(modes, sizeof *job->entries);
    job->from_cache = calloc(modes, sizeof *job->from_cache);
    job->took = calloc(modes, sizeof *job->took);
    if (!job->groups || !job->entries || !job->from_cache || !job->took)
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", d->set->mode_count);
    if (d->cache_folder &&
        !transfer_folder(job->folder, sizeof job->folder, d->set, d->cache_folder, d->sound_speed, d->air_density))
        job->folder[0] = 0;
    job_find_modes(job);
    return TW_OK;
}

// what is baked, and the rest as estimated
static twStatus join_modes(twTransfer** out, const Job* job, twError* err)
{
    const twTransferBakeDef* d = job->def;
    twTransfer* baked;
    twStatus status = transfer_join(&baked, d->set, job->entries, d->sound_speed, d->air_density, err);
    if (status != TW_OK) return status;
    status = tw_transfer_complete(out, baked, d->set, d->max_freq_hz, err);
    tw_transfer_destroy(baked);
    return status;
}

twStatus tw_bake_transfer(twTransfer** out, const twTransferBakeDef* def, twTransferBakeReport* report, twError* err)
{
    *out = NULL;
    twTransferBakeReport unused;
    if (!report) report = &unused;
    memset(report, 0, sizeof *report);
    double start = tw_seconds();
    twStatus status = transfer_check_def(def, err);
    if (status != TW_OK) return status;
    Job* job = calloc(1, sizeof *job);
    if (!job) return tw_fail(err, TW_NO_MEMORY, "no memory to bake");
    job->def = def;
    status = job_make(job, err);
    if (status == TW_OK) status = job_run(job, err);
    if (status == TW_OK) status = join_modes(out, job, err);
    if (status == TW_OK) fill_report(job, *out, report);
    report->seconds = tw_seconds() - start;
    job_free(job);
    free(job);
    return status;
}
