// SPDX-License-Identifier: MIT
// Target: signals of a scene from files of numbers (CSV) and sounds (WAV).
#include "fuzz.h"
#include "twang/media.h"
#include "twang/scene.h"

#define OBJECT "objects: {o: {modes: [{freq: 100}]}}\nforces:\n"

static bool try_scene(const char* name, const char* text)
{
    twScene* scene;
    twError err = {0};
    const twStatus status = tw_scene_parse(&scene, name, text, strlen(text), &err);
    fuzz_says(status, &err);
    tw_scene_destroy(scene);
    return status == TW_OK;
}

bool fuzz_one(uint8_t* data, size_t size)
{
    const bool sound = size >= 4 && memcmp(data, "RIFF", 4) == 0;
    const char* path = fuzz_file(sound ? "a.wav" : "a.csv", data, size);
    const bool taken =
        try_scene(path, sound ? OBJECT "- {on: o, value: {wav: a.wav}}\n" : OBJECT "- {on: o, value: {csv: a.csv}}\n");
    if (!sound) return taken;
    twWav* wav;
    twError err = {0};
    const twStatus status = tw_wav_load(&wav, path, 1 << 20, &err);
    fuzz_says(status, &err);
    tw_wav_destroy(wav);
    return taken;
}
