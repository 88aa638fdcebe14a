// SPDX-License-Identifier: MIT
// Target: YAML scenes. Files that they name are looked for in a folder with a small mesh, a table of numbers and no more.
#include "fuzz.h"
#include "twang/scene.h"

static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
static const char table[] = "time,value\n0,1\n0.5,2\n1,0\n";

bool fuzz_one(uint8_t* data, size_t size)
{
    static char name[1024];
    if (!name[0])
    {
        fuzz_file("a.obj", mesh, sizeof mesh - 1);
        fuzz_file("a.csv", table, sizeof table - 1);
        snprintf(name, sizeof name, "%s", fuzz_file("s.yaml", "", 0));
    }
    // names of devices lead out of the folder
    for (size_t i = 0; i + 4 <= size; i++)
        if (memcmp(data + i, "/dev", 4) == 0 || memcmp(data + i, "/pro", 4) == 0) return false;
    twScene* scene;
    twError err = {0};
    const twStatus status = tw_scene_parse(&scene, name, (const char*)data, size, &err);
    fuzz_says(status, &err);
    FUZZ_ENSURE((status == TW_OK) == (scene != NULL));
    tw_scene_destroy(scene);
    return status == TW_OK;
}
