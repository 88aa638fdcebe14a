// SPDX-License-Identifier: MIT
// The programs that run per vertex and per pixel.
//
// Light is reckoned linearly and encoded as sRGB at the end of the surface program. Surfaces: Lambert's law for the
// share that is not metal, a GGX lobe (Walter et al. 2007) with Schlick's Fresnel term and the visibility term
// 1 / (4 (l.h)^2) of Kelemen for the key light; sky, floor and a large soft light are reflected as a smooth function of
// direction, blurred by roughness. Shadows: a point moved two texels out along its normal (so that surfaces do not
// shade themselves) is compared with the shadow map, smoothed over 2 x 2 texels by the sampler. The mix of what is in
// light and what is in shadow is made after the encoding.

#include "picture/gl_shader.h"

#include <stddef.h>

static const char head[] = "#version 300 es\nprecision highp float;\nprecision highp int;\n";

// light in the shade and what the key light adds, linear
static const char lighting[] =
    "uniform vec3 eye, light, colour;\n"
    "uniform vec2 finish;\n"  // metallic, roughness
    "const vec3 sky = vec3(0.86, 0.91, 1.0), earth = vec3(0.46, 0.43, 0.40), key = vec3(3.3, 3.2, 3.05);\n"
    // what comes from a direction; blurred by roughness
    "vec3 surroundings(vec3 r, float rough)\n"
    "{\n"
    "    float wide = 0.12 + 0.9 * rough;\n"
    "    vec3 c = mix(earth, sky, smoothstep(-wide, wide, r.z));\n"
    "    c += 0.35 * (1.0 - smoothstep(0.0, 0.25, abs(r.z - 0.05))) * (1.0 - rough);\n"
    "    float soft = dot(r, normalize(vec3(-light.y, light.x, 0.9)));\n"
    "    return c + 1.6 * smoothstep(0.72 - 0.6 * rough, 0.86 + 0.1 * rough, soft) * (1.0 - 0.75 * rough);\n"
    "}\n"
    "void reckon(vec3 world, vec3 normal, out vec3 shade, out vec3 added)\n"
    "{\n"
    "    vec3 to_eye = normalize(eye - world), h = normalize(light + to_eye);\n"
    "    float nl = max(dot(normal, light), 0.0), nv = max(dot(normal, to_eye), 0.0);\n"
    "    float nh = max(dot(normal, h), 0.0), lh = max(dot(light, h), 0.1);\n"
    "    float rough = finish.y, a = max(rough * rough, 0.01), aa = a * a;\n"
    "    vec3 base = colour * (1.0 - finish.x), mirror = mix(vec3(0.04), colour, finish.x);\n"
    "    float d = nh * nh * (aa - 1.0) + 1.0, fl = 1.0 - lh, fv = 1.0 - nv;\n"
    "    float lobe = min(aa / (12.566 * d * d * lh * lh), 12.0);\n"
    "    vec3 fresnel = mirror + (1.0 - mirror) * (fl * fl * fl * fl * fl);\n"
    "    added = (base * 0.3183 + fresnel * lobe) * key * nl;\n"
    "    shade = base * mix(earth, sky, 0.5 + 0.5 * normal.z) * 0.42;\n"
    "    float rim = fv * fv * fv * fv * fv * (1.0 - rough);\n"
    "    vec3 seen = mirror + (max(vec3(1.0 - rough), mirror) - mirror) * rim;\n"
    "    shade += seen * surroundings(reflect(-to_eye, normal), rough) * 0.7;\n"
    "}\n"
    // roll off what is too bright, then sRGB by square roots, right to 0.002
    "vec3 encoded(vec3 c)\n"
    "{\n"
    "    c = min(c * (1.0 + 0.1 * c) / (1.0 + 0.25 * c), vec3(1.0));\n"
    "    vec3 a = sqrt(c), b = sqrt(a);\n"
    "    return max(0.662002687 * a + 0.684122060 * b - 0.323583601 * sqrt(b) - 0.0225411470 * c, 0.0);\n"
    "}\n";

// wires are thickened to two pixels, and the thinner they are the more they are lit as if they were flat and faced the eye:
// light and dark sides within a pixel would break them up into dashes; and darker, to stand out
static const char placing[] =
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec3 normal;\n"
    "uniform mat4 clip, shadow;\n"
    "uniform float pixel, radius, texel;\n"
    "out vec3 in_map;\n"
    "vec3 place(vec3 from)\n"
    "{\n"
    "    vec3 p = position;\n"
    "    if (radius > 0.0) p += normal * max(0.0, pixel * distance(from, p) - radius);\n"
    "    gl_Position = clip * vec4(p, 1.0);\n"
    "    in_map = (shadow * vec4(p + 2.0 * texel * normal, 1.0)).xyz * 0.5 + 0.5;\n"
    "    return p;\n"
    "}\n"
    "float thinness(vec3 from)\n"
    "{\n"
    "    return radius == 0.0 ? 0.0 : clamp(1.6 - 0.6 * radius / (pixel * distance(from, position)), 0.0, 1.0);\n"
    "}\n";

static const char in_shadow[] = "precision highp sampler2DShadow;\n"
                                "uniform sampler2DShadow map;\n"
                                "uniform float shaded;\n"
                                "uniform vec2 unit;\n"  // 1 / size of the map
                                "in vec3 in_map;\n";

const char* const gl_surface_vertex[] = {head, placing,
                                         "uniform vec3 eye;\n"
                                         "out vec3 world, n;\n"
                                         "out float ink;\n"
                                         "void main()\n"
                                         "{\n"
                                         "    world = place(eye);\n"
                                         "    float thin = thinness(eye);\n"
                                         "    n = mix(normal, normalize(eye - world), 0.9 * thin);\n"
                                         "    ink = 1.0 - 0.7 * thin;\n"
                                         "}\n",
                                         NULL};

const char* const gl_surface_pixel[] = {
    head, lighting, in_shadow,
    "in vec3 world, n;\n"
    "in float ink;\n"
    "out vec4 pixel_colour;\n"
    "void main()\n"
    "{\n"
    "    vec3 shade, added;\n"
    "    reckon(world, normalize(n), shade, added);\n"
    "    vec2 a = 0.6 * unit;\n"
    "    float lit = 0.5 * (texture(map, vec3(in_map.xy + a, in_map.z)) + texture(map, vec3(in_map.xy - a, in_map.z)));\n"
    "    pixel_colour = vec4(encoded(ink * (shade + added * mix(1.0, lit, shaded))), 1.0);\n"
    "}\n",
    NULL};

const char* const gl_fine_vertex[] = {head, lighting, placing,
                                      "out vec3 dark, bright;\n"
                                      "void main()\n"
                                      "{\n"
                                      "    vec3 shade, added;\n"
                                      "    reckon(place(eye), normal, shade, added);\n"
                                      "    dark = encoded(shade);\n"
                                      "    bright = encoded(shade + added);\n"
                                      "}\n",
                                      NULL};

const char* const gl_fine_pixel[] = {
    head, in_shadow,
    "in vec3 dark, bright;\n"
    "out vec4 pixel_colour;\n"
    "void main()\n"
    "{\n"
    "    pixel_colour = vec4(mix(dark, bright, mix(1.0, texture(map, in_map), shaded)), 1.0);\n"
    "}\n",
    NULL};

// wires are thickened to a texel, so that their shadow does not break up
const char* const gl_shadow_vertex[] = {head,
                                        "layout(location = 0) in vec3 position;\n"
                                        "layout(location = 1) in vec3 normal;\n"
                                        "uniform mat4 shadow;\n"
                                        "uniform float texel, radius;\n"
                                        "void main()\n"
                                        "{\n"
                                        "    vec3 p = position;\n"
                                        "    if (radius > 0.0) p += normal * max(0.0, 0.6 * texel - radius);\n"
                                        "    gl_Position = shadow * vec4(p, 1.0);\n"
                                        "}\n",
                                        NULL};

const char* const gl_shadow_pixel[] = {head, "void main() {}\n", NULL};

const char* const gl_screen_vertex[] = {
    head,
    "void main()\n"
    "{\n"
    "    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);\n"
    "}\n",
    NULL};

// two comparisons with the far plane, each smoothed over 2 x 2 of the 4 x 4 texels
const char* const gl_cover_pixel[] = {
    head,
    "precision highp sampler2DShadow;\n"
    "uniform sampler2DShadow map;\n"
    "uniform vec2 unit;\n"
    "out vec4 cover;\n"
    "void main()\n"
    "{\n"
    "    vec2 at = gl_FragCoord.xy * 4.0;\n"
    "    float light = texture(map, vec3((at - 1.0) * unit, 0.9999)) + texture(map, vec3((at + 1.0) * unit, 0.9999));\n"
    "    cover = vec4(1.0 - 0.5 * light);\n"
    "}\n",
    NULL};
