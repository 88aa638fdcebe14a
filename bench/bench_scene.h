// SPDX-License-Identifier: MIT
#pragma once
#include "bench.h"
#include "twang/bodies.h"
#include <unistd.h>

/// @file
/// Scenes of the folder scenes/ and their worlds, for benchmarks. Modes come from the cache of `twang`, and are found first if they
/// are not in it. What goes wrong ends the program.

typedef struct BenchScene
{
    twScene* scene;
    twBodies* bodies;
} BenchScene;

static inline void bench_leave(const char* what, const twError* err)
{
    fprintf(stderr, "bench: %s: %s\n", what, err->text);
    exit(1);
}

static inline bool bench_keep_baking(const char* stage, double done, void* context)
{
    (void)stage, (void)done, (void)context;
    return true;
}

/// Takes the scene. name: what it is called if something is wrong.
static inline BenchScene bench_bodies(twScene* scene, const char* name)
{
    char cache[512];
    twError err;
    BenchScene s = {scene, NULL};
    twBodiesDef def = tw_bodies_def();
    def.cache_folder = tw_cache_folder(cache, sizeof cache);
    def.keep_going = bench_keep_baking;
    if (tw_bodies_create(&s.bodies, scene, &def, &err) != TW_OK) bench_leave(name, &err);
    return s;
}

static inline BenchScene bench_load(const char* name)
{
    char path[600];
    twError err;
    twScene* scene = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", BENCH_SCENES, name);
    if (tw_scene_load(&scene, path, &err) != TW_OK) bench_leave(name, &err);
    return bench_bodies(scene, name);
}

static inline void bench_unload(BenchScene* s)
{
    tw_bodies_destroy(s->bodies);
    tw_scene_destroy(s->scene);
}

/// How far a long part has come, for whoever looks on: done of all seconds simulated, to less than that.
static inline void bench_progress(double done, double all, double fine)
{
    if (!isatty(STDERR_FILENO)) return;
    if (done < all - fine)
        fprintf(stderr, "\r%.3f of %g s ", done, all);
    else
        fprintf(stderr, "\r%24s\r", "");
}
