// SPDX-License-Identifier: MIT
// Colours of materials: measured base colours of metals (as physically based renderers use them), plain guesses else.

#include "twang/picture.h"
#include <stdlib.h>
#include <string.h>

static const struct
{
    const char* name;
    twLook look;
} looks[] = {
    {"ceramic", {{0.78f, 0.74f, 0.68f}, 0, 0.35f}},   {"polystyrene", {{0.80f, 0.16f, 0.10f}, 0, 0.40f}},
    {"steel", {{0.56f, 0.57f, 0.58f}, 1, 0.30f}},     {"mdf", {{0.42f, 0.29f, 0.17f}, 0, 0.80f}},
    {"wood", {{0.40f, 0.22f, 0.10f}, 0, 0.65f}},      {"aluminium", {{0.91f, 0.92f, 0.92f}, 1, 0.35f}},
    {"brass", {{0.89f, 0.74f, 0.38f}, 1, 0.28f}},     {"bronze", {{0.72f, 0.49f, 0.25f}, 1, 0.35f}},
    {"copper", {{0.95f, 0.64f, 0.54f}, 1, 0.28f}},    {"iron", {{0.40f, 0.39f, 0.38f}, 1, 0.55f}},
    {"lead", {{0.40f, 0.41f, 0.44f}, 1, 0.60f}},      {"titanium", {{0.54f, 0.50f, 0.45f}, 1, 0.35f}},
    {"glass", {{0.55f, 0.75f, 0.78f}, 0, 0.08f}},     {"crystal", {{0.70f, 0.80f, 0.85f}, 0, 0.05f}},
    {"porcelain", {{0.86f, 0.86f, 0.84f}, 0, 0.15f}}, {"granite", {{0.32f, 0.30f, 0.30f}, 0, 0.60f}},
    {"marble", {{0.82f, 0.80f, 0.77f}, 0, 0.30f}},    {"concrete", {{0.45f, 0.44f, 0.42f}, 0, 0.90f}},
    {"ice", {{0.70f, 0.82f, 0.90f}, 0, 0.10f}},       {"oak", {{0.46f, 0.27f, 0.12f}, 0, 0.60f}},
    {"spruce", {{0.68f, 0.48f, 0.27f}, 0, 0.60f}},    {"rosewood", {{0.20f, 0.07f, 0.04f}, 0, 0.40f}},
    {"acrylic", {{0.20f, 0.45f, 0.75f}, 0, 0.15f}},   {"nylon", {{0.75f, 0.75f, 0.70f}, 0, 0.50f}},
    {"rubber", {{0.05f, 0.05f, 0.055f}, 0, 0.85f}},
};

// a hue of the name's own: red, green and blue a third of a circle apart
static twLook look_of_name(const char* name)
{
    const twHash hash = tw_hash(name, strlen(name), (twHash){0, 0});
    const double hue = (double)(hash.low % 360) / 360;
    twLook look = {.metallic = 0, .roughness = 0.5f};
    for (int k = 0; k < 3; k++)
    {
        const double c = 0.5 + 0.5 * cos(2 * TW_PI * (hue - k / 3.0));
        look.colour[k] = (float)(0.08 + 0.5 * c * c);
    }
    return look;
}

// a name that says what it is made of: "gong-steel" is steel
twLook tw_look(const char* material)
{
    size_t best = 0;
    twLook look = look_of_name(material);
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
    {
        const size_t length = strlen(looks[i].name);
        if (length <= best || !strstr(material, looks[i].name)) continue;
        best = length;
        look = looks[i].look;
    }
    return look;
}
