// SPDX-License-Identifier: MIT
// Built-in scenes with their meshes in files, and worlds of one scene that run in turns.
#define _XOPEN_SOURCE 700
#include "reproduce_contact.h"
#include "scenes_data.h"
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---- a folder of them: scenes find meshes, and each other, in files ----

static void text_path(char* out, size_t bytes, const char* folder, const SceneText* s)
{
    const bool mesh = strchr(s->name, '.') != NULL;
    snprintf(out, bytes, mesh ? "%s/meshes/%s" : "%s/%s.yaml", folder, s->name);
}

static int remove_one(const char* path, const struct stat* info, int kind, struct FTW* walk)
{
    (void)info, (void)kind, (void)walk;
    remove(path);
    return 0;
}

void contact_remove(const char* folder) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

twStatus contact_unpack(char* folder, size_t bytes, twError* err)
{
    const char* parent = getenv("TMPDIR");
    char path[600];
    snprintf(folder, bytes, "%s/twang_XXXXXX", parent && parent[0] ? parent : "/tmp");
    if (!mkdtemp(folder)) return tw_fail(err, TW_IO_ERROR, "no folder for meshes can be made: %s", folder);
    snprintf(path, sizeof path, "%s/meshes", folder);
    twStatus status = tw_make_folder(path, err);
    for (const SceneText* s = scene_texts; s->name && status == TW_OK; s++)
    {
        twFile* file;
        text_path(path, sizeof path, folder, s);
        status = tw_file_create(&file, path, err);
        if (status != TW_OK) break;
        fputs(s->text, tw_file_stream(file));
        status = tw_file_commit(&file, err);
    }
    if (status != TW_OK) contact_remove(folder);
    return status;
}

// ---- scenes ----

static bool keep_going(const char* stage, double done, void* context)
{
    (void)stage, (void)done, (void)context;
    return !cli_interrupted();
}

static twStatus make(ContactScene* out, void (*change)(twScene* scene), twError* err)
{
    char cache[512];
    if (change) change(out->scene);
    twBodiesDef def = tw_bodies_def();
    def.cache_folder = tw_cache_folder(cache, sizeof cache);
    def.keep_going = keep_going;
    return tw_bodies_create(&out->bodies, out->scene, &def, err);
}

twStatus contact_load(ContactScene* out, const char* name, void (*change)(twScene* scene), twError* err)
{
    char folder[512], path[600];
    *out = (ContactScene){NULL, NULL};
    twStatus status = contact_unpack(folder, sizeof folder, err);
    if (status != TW_OK) return status;
    snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
    status = tw_scene_load(&out->scene, path, err);
    if (status == TW_OK) status = make(out, change, err);
    contact_remove(folder);
    if (status != TW_OK) contact_unload(out);
    return status;
}

void contact_unload(ContactScene* scene)
{
    tw_bodies_destroy(scene->bodies);
    if (scene->scene) tw_scene_destroy(scene->scene);
    *scene = (ContactScene){NULL, NULL};
}

// ---- worlds ----

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int free_dof(const ContactScene* s, int body) { return s->scene->bodies[body].kind == TW_BODY_FREE ? 6 : 0; }

int contact_dof(const ContactScene* s)
{
    int dof = 0;
    for (int i = 0; i < s->scene->body_count; i++)
        dof += free_dof(s, i) + tw_body_shape_modes(tw_bodies_shape(s->bodies, i));
    return dof;
}

twWorldDef contact_unadapted(const twWorldDef* settings)
{
    twWorldDef def = *settings;
    def.no_private_clocks = def.no_mode_adaptation = def.no_friction_culling = true;
    return def;
}

double contact_solve_seconds(const ContactRun* run)
{
    const twWorldStats s = tw_world_stats(run->world);
    const double all = s.collide_seconds + s.solve_seconds + s.other_seconds;
    return all > 0 && s.steps > 0 ? run->seconds * s.solve_seconds / all / (double)s.steps : 0;
}

static void take_turn(const ContactScene* s, ContactRun* run, double time, double turn)
{
    int count, dof = 0;
    const double begin = cpu_seconds();
    tw_world_advance(run->world, time);
    const twContactForce* forces = tw_world_forces(run->world, &count);
    run->seconds += cpu_seconds() - begin;
    for (int i = 0; i < 2; i++)
        if (time < run->mark[i] + 0.5 * turn) run->at_mark[i] = run->seconds;
    for (int i = 0; i < s->scene->body_count; i++) dof += free_dof(s, i) + tw_world_active_modes(run->world, i);
    if (dof > run->dof_max) run->dof_max = dof;
    if (run->count < CONTACT_POINTS)
    {
        run->time[run->count] = time;
        run->dof[run->count++] = dof;
    }
    if (run->see) run->see(run, time, forces, count);
}

static twStatus begin(const ContactScene* s, ContactRun* run, twError* err)
{
    run->time = calloc(2 * CONTACT_POINTS, sizeof(double));
    run->dof = run->time ? run->time + CONTACT_POINTS : NULL;
    if (!run->time) return tw_fail(err, TW_NO_MEMORY, "no memory for a run");
    return tw_bodies_another(&run->world, s->bodies, &run->settings, err);
}

twStatus contact_race(const ContactScene* s, ContactRun* runs, int count, double turn, twError* err)
{
    double end = 0;
    for (int i = 0; i < count; i++)
    {
        twStatus status = begin(s, &runs[i], err);
        if (status != TW_OK) return status;
        end = runs[i].until > end ? runs[i].until : end;
    }
    for (int k = 1; (k - 0.5) * turn < end; k++)
    {
        if (cli_interrupted()) return tw_fail(err, TW_INTERRUPTED, "interrupted");
        for (int i = 0; i < count; i++)
            if ((k - 0.5) * turn < runs[i].until) take_turn(s, &runs[i], k * turn, turn);
    }
    return TW_OK;
}

void contact_run_free(ContactRun* run)
{
    tw_world_destroy(run->world);
    free(run->time);
    run->world = NULL;
    run->time = run->dof = NULL;
}
