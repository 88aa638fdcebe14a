// SPDX-License-Identifier: MIT
// Tests of imports of files that are wrong: each is refused with a word about what is wrong, or taken; none does harm.
#define _XOPEN_SOURCE 700
#include "import.h"
#include "test.h"

#define ONE "\"scenes\":[{\"nodes\":[0]}]"
#define NODE ",\"nodes\":[{\"mesh\":0,\"name\":\"box\"}]"
#define CHANNEL "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]"

typedef struct Case
{
    const char* rest;     // of the file, behind the accessors
    const char* message;  // part of it; NULL: it is taken
} Case;

// accessors: 0, 1 the box; 2 two times; 3 two places; 4 times that fall; 5 four NaN
static twImport* import_case(const char* rest, twError* err)
{
    static const double times[] = {0, 1}, places[] = {0, 0, 0, 1, 1, 1}, falling[] = {1, 0},
                        nan[] = {NAN, NAN, NAN, NAN};
    Model model = box_model(tw_vec3(1, 1, 1));
    add_floats(&model, times, 2, 1);
    add_floats(&model, places, 2, 3);
    add_floats(&model, falling, 2, 1);
    add_floats(&model, nan, 1, 4);
    return import_model(&model, rest, NULL, err);
}

static int files_that_are_wrong_are_refused(void)
{
    static const Case cases[] = {
        {BOX_MESH "," ONE NODE, NULL},
        {BOX_MESH NODE, NULL},
        {BOX_MESH ",\"scenes\":[]", NULL},
        {BOX_MESH ",\"scenes\":[{}],\"scene\":3" NODE, "the scene must be one of the 1 there"},
        {BOX_MESH ",\"scenes\":[{\"nodes\":[7]}]" NODE, "node 7 does not exist; there are 1"},
        {BOX_MESH ",\"scenes\":[{\"nodes\":[0.5]}]" NODE, "node 0.5 does not exist"},
        {BOX_MESH ",\"scenes\":[{\"nodes\":[0,0]}]" NODE, "'box' is in the scene twice"},
        {BOX_MESH "," ONE ",\"nodes\":[{\"children\":[0]}]", "'0' hangs on two others, or on itself"},
        {BOX_MESH "," ONE ",\"nodes\":[{\"children\":[1]},{\"children\":[0]}]", "'0' of the scene hangs on another"},
        {BOX_MESH ",\"nodes\":[{\"children\":[1]},{\"children\":[0]}]", NULL},
        {BOX_MESH "," ONE ",\"nodes\":[{\"children\":[2]},{\"children\":[2]},{}]", "'2' hangs on two others"},
        {BOX_MESH "," ONE ",\"nodes\":[{\"children\":[1e9]}]", "does not exist"},
        {BOX_MESH "," ONE ",\"nodes\":[{\"mesh\":4}]", "mesh 4 does not exist; there are 1"},
        {BOX_MESH "," ONE ",\"nodes\":[{\"mesh\":-1}]", "its mesh must be a number"},
        {BOX_MESH "," ONE ",\"nodes\":[{\"mesh\":0,\"translation\":[1e300,0,0]}]", "not finite or beyond"},
        {BOX_MESH "," ONE ",\"nodes\":[{\"mesh\":0,\"rotation\":[0,0,0,0]}]", "not finite or beyond"},
        {BOX_MESH "," ONE ",\"nodes\":[{\"mesh\":0,\"scale\":[0,1,1],\"name\":\"flat\"}]", NULL},
        {BOX_MESH "," ONE ",\"nodes\":[{\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{}}}]",
         "export them as nodes"},
        {"\"meshes\":[{\"primitives\":[{\"mode\":1,\"attributes\":{\"POSITION\":0}}]}]," ONE NODE, NULL},
        {"\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":99}}]}]," ONE NODE, "accessor 99 does not exist"},
        {"\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"extensions\":{\"KHR_draco_mesh_compression\":{}}}]}]," ONE
             NODE,
         "compressed (Draco); export it without compression"},
        {"\"meshes\":[{\"weights\":[1],\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":3}]}]}]," ONE
             NODE,
         "a morph target must be VEC3 with 8 rows"},
        {BOX_MESH "," ONE NODE ",\"animations\":[{" CHANNEL ",\"samplers\":[]}]",
         "needs a node and a sampler that exist"},
        {BOX_MESH "," ONE NODE ",\"animations\":[{" CHANNEL ",\"samplers\":[{\"input\":2}]}]", "'input' and 'output'"},
        {BOX_MESH "," ONE NODE ",\"animations\":[{" CHANNEL ",\"samplers\":[{\"input\":2,\"output\":77}]}]",
         "accessor 77"},
        {BOX_MESH "," ONE NODE ",\"animations\":[{" CHANNEL ",\"samplers\":[{\"input\":2,\"output\":0}]}]",
         "one value for each time"},
        {BOX_MESH "," ONE NODE ",\"animations\":[{" CHANNEL ",\"samplers\":[{\"input\":3,\"output\":3}]}]",
         "times that are SCALAR floats"},
        {BOX_MESH "," ONE NODE ",\"animations\":[{" CHANNEL ",\"samplers\":[{\"input\":4,\"output\":3}]}]",
         "'box' must rise in time"},
        {BOX_MESH "," ONE NODE ",\"animations\":[{" CHANNEL
                  ",\"samplers\":[{\"input\":2,\"output\":3,\"interpolation\":\"BOUNCE\"}]}]",
         "LINEAR, STEP or CUBICSPLINE"},
        {BOX_MESH "," ONE NODE ",\"animations\":[{" CHANNEL
                  ",\"samplers\":[{\"input\":2,\"output\":3,\"interpolation\":\"CUBICSPLINE\"}]}]",
         "three of CUBICSPLINE"},
        {BOX_MESH "," ONE NODE
                  ",\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":9,\"path\":\"scale\"}}],"
                  "\"samplers\":[{\"input\":2,\"output\":3}]}]",
         "needs a node and a sampler that exist"},
        {BOX_MESH
         "," ONE NODE ",\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}},"
         "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}],\"samplers\":[{\"input\":2,\"output\":3}]}]",
         "moves node 'box' twice"},
        {BOX_MESH "," ONE
                  ",\"nodes\":[{\"mesh\":0,\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],\"animations\":[{" CHANNEL
                  ",\"samplers\":[{\"input\":2,\"output\":3}]}]",
         "is animated and has a matrix"},
    };
    int missed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        twError err = {0};
        twImport* import = import_case(cases[i].rest, &err);
        const bool good = cases[i].message ? !import && strstr(err.text, cases[i].message) : import != NULL;
        if (!good) printf("case %zu: %s\n  gave %s\n", i, cases[i].rest, import ? "an import" : err.text);
        missed += !good;
        tw_import_destroy(import);
    }
    ENSURE(missed == 0);
    return 0;
}

static int keys_that_are_not_finite_are_refused(void)
{
    static const double times[] = {0, INFINITY}, places[] = {0, 0, 0, 1, NAN, 1}, turns[] = {0, 0, 0, 0};
    static const char text[] = BOX_MESH
        "," ONE NODE
        ",\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"%s\"}}],\"samplers\":[{\"input\":%d,"
        "\"output\":%d}]}]";
    static const struct
    {
        const char *path, *message;
        int input, output;
    } cases[] = {{"translation", "times that are not finite", 2, 3},
                 {"translation", "values that are not finite", 5, 3},
                 {"rotation", "a quaternion of length 0", 6, 4}};
    for (int i = 0; i < 3; i++)
    {
        static const double good[] = {0, 1};
        char rest[1024];
        twError err = {0};
        Model model = box_model(tw_vec3(1, 1, 1));
        add_floats(&model, times, 2, 1);
        add_floats(&model, places, 2, 3);
        add_floats(&model, turns, 1, 4);
        add_floats(&model, good, 2, 1);
        add_floats(&model, good, 1, 1);
        snprintf(rest, sizeof rest, text, cases[i].path, cases[i].input, cases[i].output);
        ENSURE(!import_model(&model, rest, NULL, &err));
        if (!strstr(err.text, cases[i].message)) printf("%s\n", err.text);
        ENSURE(strstr(err.text, cases[i].message));
    }
    return 0;
}

static int trees_that_are_too_deep_are_refused(void)
{
    enum
    {
        DEPTH = 400
    };
    Bytes nodes = {0};
    put_text(&nodes, BOX_MESH "," ONE ",\"nodes\":[");
    for (int i = 0; i < DEPTH; i++)
    {
        char text[64];
        snprintf(text, sizeof text, "{\"children\":[%d]},", i + 1);
        put_text(&nodes, text);
    }
    put(&nodes, "{\"mesh\":0}]", 12);
    twError err = {0};
    ENSURE(!import_case(nodes.data, &err) && strstr(err.text, "nested too deep"));
    free(nodes.data);
    return 0;
}

// every byte of a real file changed, and the file cut everywhere: nothing but an error, or a file that can be followed
static int damaged_files_do_no_harm(void)
{
    char* data;
    size_t bytes;
    const twImportDef def = tw_import_def();
    int taken = 0, refused = 0;
    ENSURE(tw_file_read(&data, &bytes, TEST_SOURCE_DIR "/test/data/blender.glb", 1 << 20, NULL) == TW_OK);
    for (size_t i = 0; i < bytes; i += 3)
    {
        twImport* import;
        twError err = {0};
        char* copy = malloc(bytes);
        if (!copy) abort();
        memcpy(copy, data, bytes);
        copy[i] = (char)(copy[i] ^ (1 << i % 8));
        const twStatus status = tw_import_read(&import, "damaged.glb", copy, bytes, &def, &err);
        free(copy);
        taken += status == TW_OK;
        refused += status != TW_OK;
        ENSURE((status == TW_OK) == (import != NULL) && (status == TW_OK || err.text[0]));
        for (int b = 0; import && b < import->body_count; b++)
        {
            tw_import_check(import, b, &err);
            const twBodyMotion m = tw_import_motion(import, b, 0.7);
            ENSURE(isfinite(m.position.x + m.turn.w + m.velocity.y + m.spin.z));
        }
        tw_import_destroy(import);
    }
    ENSURE(taken > 100 && refused > 100);
    for (size_t cut = 0; cut < bytes; cut += 37)
    {
        twImport* import;
        twError err = {0};
        // a copy of its own, so that reading beyond it is seen
        char* part = malloc(cut + 1);
        if (!part) abort();
        memcpy(part, data, cut);
        ENSURE(tw_import_read(&import, "cut.glb", part, cut, &def, &err) == TW_BAD_INPUT && !import && err.text[0]);
        free(part);
    }
    free(data);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(files_that_are_wrong_are_refused)
    RUN(keys_that_are_not_finite_are_refused)
    RUN(trees_that_are_too_deep_are_refused)
    RUN(damaged_files_do_no_harm)
)
