// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"
#include "twang/bodies.h"
#include <stdlib.h>
#include <string.h>

/// @file
/// Scenes from texts, and tables of what is wrong with them.

static inline twStatus parse_scene(twScene** scene, const char* text, twError* err)
{
    return tw_scene_parse(scene, "test.yaml", text, strlen(text), err);
}

/// The scene, or NULL and what is wrong with it on the terminal.
static inline twScene* read_scene(const char* text)
{
    twScene* scene;
    twError err = {0};
    if (parse_scene(&scene, text, &err) != TW_OK) printf("%s\n", err.text);
    return scene;
}

/// What was not asked to ring is rigid: to find modes takes time.
static inline void keep_rigid(twScene* scene)
{
    for (int i = 0; i < scene->shape_count; i++)
        if (scene->shapes[i].automatic) scene->shapes[i].flexible = scene->shapes[i].automatic = false;
}

/// The bodies of a scene, rigid unless they say otherwise; what is wrong with either is in err. *scene is to be destroyed behind them.
static inline twStatus create_bodies(twBodies** bodies, twScene** scene, const char* text, twError* err)
{
    const twBodiesDef def = tw_bodies_def();
    *bodies = NULL;
    const twStatus status = parse_scene(scene, text, err);
    if (status == TW_OK) keep_rigid(*scene);
    return status == TW_OK ? tw_bodies_create(bodies, *scene, &def, err) : status;
}

/// A scene that is refused.
typedef struct Wrong
{
    const char* text;
    const char* place;    ///< "line:column" in the message
    const char* message;  ///< part of it
} Wrong;

/// All are refused with these messages; those that are not are shown.
static inline int ensure_refused(const Wrong* wrongs, size_t count)
{
    int missed = 0;
    for (size_t i = 0; i < count; i++)
    {
        twScene* scene;
        twError err = {0};
        char place[64];
        const twStatus status = parse_scene(&scene, wrongs[i].text, &err);
        snprintf(place, sizeof place, "test.yaml:%s", wrongs[i].place);
        const bool good =
            status == TW_BAD_INPUT && scene == NULL && strstr(err.text, wrongs[i].message) && strstr(err.text, place);
        if (!good) printf("case %zu: %s\n  gave (%d) %s\n", i, wrongs[i].text, (int)status, err.text);
        missed += !good;
        tw_scene_destroy(scene);
    }
    ENSURE(missed == 0);
    return 0;
}

/// A text with characters changed and lines cut, so many times: a scene, or an error that says where. @return how many are scenes; -1 if one is
/// neither
static inline int scene_mutations(const char* sample, size_t n, int rounds)
{
    twRng rng = tw_rng(7);
    char* text = malloc(n + 1);
    int good = text ? 0 : -1;
    for (int round = 0; round < rounds && good >= 0; round++)
    {
        twScene* scene;
        twError err = {0};
        memcpy(text, sample, n + 1);
        for (int k = 0; k < round % 6; k++) text[tw_rng_next(&rng) % n] = sample[tw_rng_next(&rng) % n];
        const size_t bytes = round % 7 == 3 ? tw_rng_next(&rng) % n : n;
        const twStatus status = tw_scene_parse(&scene, "test.yaml", text, bytes, &err);
        const bool right = status == TW_OK ? scene != NULL : scene == NULL && strstr(err.text, "test.yaml");
        good = right ? good + (status == TW_OK) : -1;
        tw_scene_destroy(scene);
    }
    free(text);
    return good;
}
