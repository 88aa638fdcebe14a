// SPDX-License-Identifier: MIT
#pragma once
#include "scene.h"
#include "scratch.h"
#include "twang/render.h"

/// @file
/// Scenes rendered to folders of a test's folder, and the files in them. Of scratch.h: the test defines _XOPEN_SOURCE 700.

/// def: all but the folder; nothing is drawn, all checkpoints are kept, bodies are rigid unless they say otherwise. report may be NULL.
static inline twStatus render_scene(const char* text, const char* folder, twRenderDef def, twRenderReport* report,
                                    twError* err)
{
    char path[1024];
    twRenderReport own;
    twScene* scene = read_scene(text);
    if (!scene) return TW_BAD_INPUT;
    keep_rigid(scene);
    snprintf(path, sizeof path, "%s", in_folder(folder));
    def.folder = path;
    def.no_picture = true;
    def.checkpoint_seconds = 1e-9;
    const twStatus status = tw_render(scene, &def, report ? report : &own, err);
    if (status == TW_OK && !report) tw_render_report_free(&own);
    tw_scene_destroy(scene);
    return status;
}

/// @return whether it went well; what did not is on the terminal
static inline bool render_all(const char* text, const char* folder)
{
    twError err = {0};
    const twStatus status = render_scene(text, folder, (twRenderDef){0}, NULL, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    return status == TW_OK;
}

/// Path of a file in such a folder; holds until the next call.
static inline const char* rendered(const char* folder, const char* name)
{
    static char path[1200];
    snprintf(path, sizeof path, "%s/%s", in_folder(folder), name);
    return path;
}

/// *out is to be freed. @return whether there is such a file
static inline bool render_read(char** out, size_t* bytes, const char* folder, const char* name)
{
    *out = NULL;
    return tw_file_read(out, bytes, rendered(folder, name), (size_t)1 << 28, NULL) == TW_OK;
}

static inline bool same_file(const char* folder, const char* other, const char* name)
{
    size_t n, m;
    char *a, *b = NULL;
    const bool same =
        render_read(&a, &n, folder, name) && render_read(&b, &m, other, name) && n == m && memcmp(a, b, n) == 0;
    free(a);
    free(b);
    return same;
}

static inline twWav* render_wav(const char* folder, const char* name)
{
    twWav* wav = NULL;
    twError err;
    if (tw_wav_load(&wav, rendered(folder, name), 1 << 24, &err) != TW_OK) printf("%s\n", err.text);
    return wav;
}

static inline twTrace* render_trace(const char* folder)
{
    twTrace* trace = NULL;
    twError err;
    if (tw_trace_load(&trace, rendered(folder, "trace.twtrace"), &err) != TW_OK) printf("%s\n", err.text);
    return trace;
}
