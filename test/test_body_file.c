// SPDX-License-Identifier: MIT
// Bodies from files: what is mended, and what is said of files that cannot be bodies.

#define _XOPEN_SOURCE 700  // scratch.h
#include "scene.h"
#include "scene/bodies.h"
#include "scratch.h"

static const char* const cube[] = {"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                                   "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n",
                                   "f 4 1 5 8\n"};

static bool write_text(const char* name, const char* a, const char* b)
{
    FILE* file = fopen(in_folder(name), "w");
    return file && fputs(a, file) >= 0 && fputs(b, file) >= 0 && fclose(file) == 0;
}

static int files_are_mended_or_refused_with_their_place(void)
{
    char text[1024], inside_out[512];
    twBodies* bodies;
    twScene* scene;
    twError err;
    ENSURE(write_text("cube.obj", cube[0], cube[1]) && write_text("open.obj", cube[0], ""));
    snprintf(text, sizeof text, "bodies: {c: {shape: %s, scale: 0.1}}\n", in_folder("cube.obj"));
    ENSURE(create_bodies(&bodies, &scene, text, &err) == TW_OK);
    ENSURE_NEAR(tw_body_shape_mass(tw_bodies_shape(bodies, 0)).mass, 7850e-3, 1e-9);
    ENSURE(tw_bodies_set(bodies, 0)->mode_count == 0 && tw_bodies_set(bodies, 0)->vertex_count == 8);
    tw_bodies_destroy(bodies);
    tw_scene_destroy(scene);

    snprintf(text, sizeof text, "bodies:\n  c: {shape: %s}\n", in_folder("open.obj"));
    ENSURE(create_bodies(&bodies, &scene, text, &err) == TW_BAD_INPUT && !bodies);
    ENSURE(strstr(err.text, "test.yaml:2:3: ") == err.text && strstr(err.text, "the surface is open"));
    tw_scene_destroy(scene);

    // all faces the other way round
    snprintf(inside_out, sizeof inside_out, "%.*sf 1 2 3 4\nf 8 7 6 5\nf 5 6 2 1\nf 6 7 3 2\nf 7 8 4 3\nf 8 5 1 4\n",
             (int)(strchr(cube[0], 'f') - cube[0]), cube[0]);
    ENSURE(write_text("turned.obj", inside_out, ""));
    snprintf(text, sizeof text, "bodies: {c: {shape: %s}}\n", in_folder("turned.obj"));
    ENSURE(create_bodies(&bodies, &scene, text, &err) == TW_OK);
    ENSURE_NEAR(tw_body_shape_mass(tw_bodies_shape(bodies, 0)).mass, 7850, 1e-6);
    ENSURE(strstr(tw_bodies_note(bodies, 0), "flipped") != NULL);
    tw_bodies_destroy(bodies);
    tw_scene_destroy(scene);
    return 0;
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0.5\n"

// each with what is said; a rigid body, in the plane of nothing in particular
static int files_that_cannot_be_bodies_are_refused_in_plain_words(void)
{
    static const char* const cases[][3] = {
        {"", "", "is empty"},
        {"# words\n", "", "is no mesh"},
        {SQUARE "v 0.3 nan 2\n", "f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\nf 4 3 2 1\n",
         "wrong.obj, line 5: a coordinate is not a finite number; without its vertex the surface is"},
        {"v 0 0 0\nv 1 0 inf\nv 1 1 0\n", "f 1 2 3\n",
         "wrong.obj, line 2: a coordinate is not a finite number; without its vertex no face is left"},
        {SQUARE, "f 1 2 3 4\n", "the surface is flat"},
        {SQUARE, "f 1 2 3 4\nf 4 3 2 1\n", "the surface is flat"},
        {SQUARE SQUARE, "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n", "the surface is flat"},
        {SQUARE "v 0.5 0.5 2\n", "f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n", "the surface is open"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[1024];
        twBodies* bodies = NULL;
        twScene* scene = NULL;
        twError err = {0};
        ENSURE(write_text("wrong.obj", cases[i][0], cases[i][1]));
        snprintf(text, sizeof text, "bodies: {c: {shape: %s}}\n", in_folder("wrong.obj"));
        const twStatus status = create_bodies(&bodies, &scene, text, &err);
        if (!strstr(err.text, cases[i][2])) printf("case %zu: %s\n", i, err.text);
        ENSURE(status == TW_BAD_INPUT && !bodies && strstr(err.text, cases[i][2]) && strstr(err.text, "wrong.obj"));
        tw_scene_destroy(scene);
    }
    return 0;
}

// a cube of 50 mm, one of 50 m, and such a one that stands still, as rooms do
static int a_file_in_millimetres_is_guessed_at(void)
{
    for (int metres = 0; metres < 3; metres++)
    {
        char text[1024];
        twBodies* bodies;
        twScene* scene;
        twError err;
        ENSURE(write_text("cube.obj", cube[0], cube[1]));
        snprintf(text, sizeof text, "bodies: {c: {shape: %s, scale: %g%s}}\n", in_folder("cube.obj"),
                 metres ? 50 : 0.05, metres == 2 ? ", kind: fixed" : "");
        ENSURE(create_bodies(&bodies, &scene, text, &err) == TW_OK);
        const char* note = tw_bodies_note(bodies, 0);
        ENSURE(metres == 1 ? strstr(note, "50 m long") && strstr(note, "'units: in' (dm: 10 cm, ft: 30.5 cm, m: 1 m)")
                           : note[0] == 0);
        tw_bodies_destroy(bodies);
        tw_scene_destroy(scene);
    }
    return 0;
}

static int files_have_units(void)
{
    char text[1024];
    twBodies* bodies;
    twScene* scene;
    twError err;
    ENSURE(write_text("cube.obj", cube[0], cube[1]));
    snprintf(text, sizeof text, "bodies: {c: {shape: %s, units: in}}\n", in_folder("cube.obj"));
    ENSURE(create_bodies(&bodies, &scene, text, &err) == TW_OK);
    ENSURE(scene->shapes[0].scale == 0.0254 && tw_bodies_note(bodies, 0)[0] == 0);
    tw_bodies_destroy(bodies);
    tw_scene_destroy(scene);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(files_are_mended_or_refused_with_their_place)
    RUN(files_that_cannot_be_bodies_are_refused_in_plain_words)
    RUN(a_file_in_millimetres_is_guessed_at)
    RUN(files_have_units)
)
