// SPDX-License-Identifier: MIT
// Tests of units: what a size suggests, of files and of shapes.
#include "test.h"
#include "twang/mesh.h"
#include <math.h>
#include <string.h>

static int units_are_what_they_are_called(void)
{
    static const double metres[] = {1, 0.1, 0.01, 0.001, 0.0254, 0.3048};
    static const char* const names[] = {"m", "dm", "cm", "mm", "in", "ft"};
    int count;
    const twUnit* units = tw_units(&count);
    ENSURE(count == 6);
    for (int i = 0; i < count; i++) ENSURE(strcmp(units[i].name, names[i]) == 0 && units[i].metres == metres[i]);
    return 0;
}

static bool hints(const char* source, double scale, double size, bool scene, const char* wanted)
{
    char hint[512];
    tw_size_hint(hint, sizeof hint, source, scale, size, scene);
    const bool good = wanted[0] ? strstr(hint, wanted) != NULL : hint[0] == 0;
    if (!good) printf("%s, scale %g, %g m: '%s' lacks '%s'\n", source, scale, size, hint, wanted);
    return good;
}

static int usual_sizes_are_not_questioned(void)
{
    static const double sizes[] = {5e-3, 0.02, 0.3, 1, 2, 3};
    for (int i = 0; i < 6; i++)
        ENSURE(hints("cup.obj", 1, sizes[i], false, "") && hints("cup.obj", 0.001, sizes[i], true, "") &&
               hints("bar:", 1, sizes[i], false, ""));
    // a shape is given in metres: large tables and small beads are meant
    ENSURE(hints("sphere:5", 1, 10, true, "") && hints("sphere:0.0005", 1, 1e-3, true, ""));
    ENSURE(hints("cup.obj", 1, 0, false, "") && hints("cup.obj", 1, NAN, false, ""));
    return 0;
}

// among m, dm, cm, mm, in, ft; only of what is larger than is usual
static int a_large_body_has_a_likeliest_unit(void)
{
    ENSURE(tw_units_guess(1, 1000) == 3 && tw_units_guess(1, 10.4) == 2 && tw_units_guess(0.01, 12) == 3);
    ENSURE(tw_units_guess(1, 2) == -1 && tw_units_guess(1, 1e-4) == -1 && tw_units_guess(1, 1e7) == -1);
    return 0;
}

static int a_size_suggests_the_unit_of_the_file(void)
{
    // millimetres before centimetres, inches and decimetres, if the body is then 2 cm to 2 m long
    ENSURE(hints("cup.obj", 1, 120, false,
                 "the body is 120 m long: is cup.obj in millimetres? Then it is 12 cm long: --units mm (cm: 1.2 m)"));
    ENSURE(hints(
        "cup.obj", 1, 10.4, false,
        "the body is 10.4 m long: is cup.obj in centimetres? Then it is 10.4 cm long: --units cm (in: 26.4 cm, dm: "
        "1.04 m)"));
    ENSURE(hints("cup.obj", 1, 10.4, true, "'units: cm' (in: "));
    ENSURE(hints("cup.obj", 1, 5000, false, "5000 m long: is cup.obj in millimetres? Then it is 5 m long: --units mm"));
    // the unit that was given is not suggested again
    ENSURE(hints("cup.obj", 0.01, 12, false, "in millimetres? Then it is 1.2 m long: --units mm"));
    ENSURE(!hints("cup.obj", 0.01, 12, false, "cm: "));
    // too small: rather metres than what was given
    ENSURE(hints("cup.obj", 0.001, 3e-4, false, "0.3 mm long: is cup.obj in metres? Then it is 30 cm long: --units m"));
    // no unit helps
    ENSURE(hints("cup.obj", 1, 1e7, false, "--units or --scale") && hints("cup.obj", 1, 1e-8, true, "'scale'"));
    return 0;
}

static int shapes_are_in_metres_and_say_so(void)
{
    ENSURE(hints("sphere:8", 1, 16, false,
                 "lengths of shapes are in metres: sphere:8 measures 16 m; did you mean sphere:0.008 (1.6 cm) or "
                 "sphere:0.08 (16 cm)?"));
    ENSURE(hints("bar:300x20x10", 1, 300, true, "did you mean bar:0.3x0.02x0.01 (30 cm)?"));
    ENSURE(hints("fork:100x5x4,stem=5e1", 1, 150, false, "fork:0.1x0.005x0.004,stem=0.05 (15 cm)"));
    ENSURE(hints("sphere:1e-4", 1, 2e-4, false, "in metres: sphere:1e-4 measures 0.2 mm"));
    ENSURE(!hints("sphere:1e-4", 1, 2e-4, false, "did you mean"));
    return 0;
}

static int hints_fit_whatever_the_room(void)
{
    char out[400], source[3000];
    memset(source, 'a', sizeof source - 1);
    source[sizeof source - 1] = 0;
    for (size_t room = 1; room < sizeof out; room++)
        for (int i = 0; i < 3; i++)
        {
            memset(out, 1, sizeof out);
            tw_size_hint(out, room, i == 0 ? "bar:300x20x10" : i == 1 ? "cup.obj" : source, 1, 300, i == 1);
            ENSURE(memchr(out, 0, room) && out[room] == 1);
        }
    memcpy(source, "sphere:", 7);
    memset(source + 7, '9', 2000);
    source[2007] = 0;
    ENSURE(hints(source, 1, 1e9, false, "in metres: sphere:999"));
    return 0;
}

static int texts_without_a_colon_are_known_as_shapes(void)
{
    static const char* const pairs[][2] = {{"bowl", "bowl:"},
                                           {"bwol", "bowl:"},
                                           {"Sphere", "sphere:"},
                                           {"sphere0.05", "sphere:0.05"},
                                           {"sphere 0.05", "sphere:0.05"},
                                           {"bar=0.3x0.02x0.01", "bar:0.3x0.02x0.01"},
                                           {"mug", "mug:"},
                                           {"bowl.obj", ""},
                                           {"bowl/", ""},
                                           {"bar2", ""},
                                           {"cat", ""},
                                           {"", ""},
                                           {"b", ""},
                                           {"scene.yaml", ""},
                                           {"plates/one", ""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    {
        char out[300];
        if (strcmp(tw_shape_meant(out, sizeof out, pairs[i][0]), pairs[i][1]) != 0)
            printf("%s: '%s'\n", pairs[i][0], out);
        ENSURE(strcmp(out, pairs[i][1]) == 0);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(units_are_what_they_are_called)
    RUN(usual_sizes_are_not_questioned)
    RUN(a_large_body_has_a_likeliest_unit)
    RUN(a_size_suggests_the_unit_of_the_file)
    RUN(shapes_are_in_metres_and_say_so)
    RUN(hints_fit_whatever_the_room)
    RUN(texts_without_a_colon_are_known_as_shapes)
)
