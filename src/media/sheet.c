// SPDX-License-Identifier: MIT
// A contact sheet of mode shapes: small flat-shaded pictures with a depth buffer, seen from above one corner.

#include "image.h"
#include "twang/media.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TILE 240
#define LABEL 26
#define MAX_TILES 64
#define BEND 0.12  // largest displacement shown, of the body's size

// one tile being drawn
typedef struct Tile
{
    Image* image;
    int left, top;
    float* depth;  // (TILE x TILE)
} Tile;

typedef struct Corner
{
    double x, y, z;  // pixels, depth toward the eye
    double heat;     // 0..1
} Corner;

// axes of the view: right, up, toward the eye
static const twVec3 view_x = {0.7071, 0.7071, 0}, view_y = {-0.4082, 0.4082, 0.8165},
                    view_z = {0.5774, -0.5774, 0.5774};

// displacement colour: cool when still, warm when moving
static uint32_t shade(double heat, double light)
{
    double r = 0.25 + 0.75 * heat, g = 0.45 + 0.25 * heat * (1 - heat) * 2 - 0.15 * heat, b = 0.85 - 0.7 * heat;
    double c[] = {r * light, g * light, b * light};
    uint32_t rgb = 0;
    for (int i = 0; i < 3; i++) rgb = rgb << 8 | (uint32_t)(255 * fmin(fmax(c[i], 0), 1));
    return rgb;
}

// signed double area of (a, b, p)
static double edge(const Corner* a, const Corner* b, double x, double y)
{
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

static void pixel(const Tile* tile, const Corner c[3], double area, double light, int x, int y)
{
    double w0 = edge(&c[1], &c[2], x + 0.5, y + 0.5) / area, w1 = edge(&c[2], &c[0], x + 0.5, y + 0.5) / area,
           w2 = 1 - w0 - w1;
    if (w0 < 0 || w1 < 0 || w2 < 0) return;
    float* depth = &tile->depth[y * TILE + x];
    float z = (float)(w0 * c[0].z + w1 * c[1].z + w2 * c[2].z);
    if (z <= *depth) return;
    *depth = z;
    image_blend(tile->image, tile->left + x, tile->top + y,
                shade(w0 * c[0].heat + w1 * c[1].heat + w2 * c[2].heat, light), 1);
}

static int clamp(double v) { return (int)fmin(fmax(v, 0), TILE - 1); }

static void triangle(const Tile* tile, const Corner c[3], double light)
{
    double area = edge(&c[0], &c[1], c[2].x, c[2].y);
    if (area == 0) return;
    int x0 = clamp(floor(fmin(c[0].x, fmin(c[1].x, c[2].x)))), x1 = clamp(ceil(fmax(c[0].x, fmax(c[1].x, c[2].x))));
    int y0 = clamp(floor(fmin(c[0].y, fmin(c[1].y, c[2].y)))), y1 = clamp(ceil(fmax(c[0].y, fmax(c[1].y, c[2].y))));
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) pixel(tile, c, area, light, x, y);
}

// ---- the body ----

typedef struct Body
{
    const twModeSet* set;
    twVec3 centre;
    double size;
    twVec3* bent;  // (vertices)
    double* heat;  // (vertices)
} Body;

static void bend(Body* body, int mode)
{
    const float* s = body->set->shape + 3 * (size_t)mode * (size_t)body->set->vertex_count;
    double most = 0;
    for (int i = 0; i < body->set->vertex_count; i++)
    {
        body->heat[i] = sqrt((double)s[3 * i] * s[3 * i] + (double)s[3 * i + 1] * s[3 * i + 1] +
                             (double)s[3 * i + 2] * s[3 * i + 2]);
        most = fmax(most, body->heat[i]);
    }
    double scale = most > 0 ? BEND * body->size / most : 0;
    for (int i = 0; i < body->set->vertex_count; i++)
    {
        twVec3 d = {s[3 * i], s[3 * i + 1], s[3 * i + 2]};
        body->bent[i] = tw_vec3_add(body->set->vertices[i], tw_vec3_scale(d, scale));
        if (most > 0) body->heat[i] /= most;
    }
}

static Corner project(const Body* body, int vertex)
{
    twVec3 p = tw_vec3_sub(body->bent[vertex], body->centre);
    double zoom = 0.78 * TILE / body->size;
    return (Corner){0.5 * TILE + zoom * tw_vec3_dot(p, view_x), 0.5 * TILE - zoom * tw_vec3_dot(p, view_y),
                    tw_vec3_dot(p, view_z), body->heat[vertex]};
}

static void draw_body(const Body* body, const Tile* tile)
{
    for (int i = 0; i < TILE * TILE; i++) tile->depth[i] = -INFINITY;
    for (int i = 0; i < body->set->face_count; i++)
    {
        const int* v = body->set->faces[i].v;
        twVec3 a = tw_vec3_sub(body->bent[v[1]], body->bent[v[0]]), b = tw_vec3_sub(body->bent[v[2]], body->bent[v[0]]);
        twVec3 n = tw_vec3_normalize(tw_vec3_cross(a, b));
        double light = 0.55 + 0.45 * fabs(0.35 * n.x - 0.25 * n.y + 0.9 * n.z);
        Corner c[3] = {project(body, v[0]), project(body, v[1]), project(body, v[2])};
        triangle(tile, c, light);
    }
}

static void measure(Body* body)
{
    twVec3 low = body->set->vertices[0], high = low;
    for (int i = 1; i < body->set->vertex_count; i++)
    {
        twVec3 p = body->set->vertices[i];
        low = (twVec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (twVec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    body->centre = tw_vec3_scale(tw_vec3_add(low, high), 0.5);
    body->size = tw_vec3_norm(tw_vec3_sub(high, low));
    if (!(body->size > 0)) body->size = 1;
}

static void label(Image* image, int left, int top, const twModeSet* set, int mode)
{
    char text[64];
    snprintf(text, sizeof text, "%d   %.1f Hz", mode + 1, set->freq_hz[mode]);
    image_text(image, left + 0.5 * TILE, top + TILE + 16,
               (TextStyle){.size = 10, .align = 0.5, .colour = 0xd0d4dc, .weight = 1}, text);
}

twStatus tw_mode_sheet_save(const char* path, const twModeSet* set, int count, twError* err)
{
    if (count <= 0 || count > set->mode_count) count = set->mode_count;
    if (count > MAX_TILES) count = MAX_TILES;
    if (count == 0) return tw_fail(err, TW_BAD_INPUT, "there are no modes to draw");
    int columns = (int)ceil(sqrt(1.5 * count)), rows = (count + columns - 1) / columns;
    Image image = {columns * TILE, rows * (TILE + LABEL), NULL};
    Body body = {.set = set};
    image.rgb = malloc(3 * (size_t)image.width * (size_t)image.height);
    float* depth = malloc((size_t)TILE * TILE * sizeof(float));
    body.bent = malloc((size_t)set->vertex_count * sizeof(twVec3));
    body.heat = malloc((size_t)set->vertex_count * sizeof(double));
    twStatus status = TW_OK;
    if (!image.rgb || !depth || !body.bent || !body.heat)
        status = tw_fail(err, TW_NO_MEMORY, "no memory for the mode sheet");
    else
    {
        memset(image.rgb, 0x12, 3 * (size_t)image.width * (size_t)image.height);
        measure(&body);
        for (int k = 0; k < count; k++)
        {
            Tile tile = {&image, k % columns * TILE, k / columns * (TILE + LABEL), depth};
            bend(&body, k);
            draw_body(&body, &tile);
            label(&image, tile.left, tile.top, set, k);
        }
        status = tw_png_save(path, image.rgb, image.width, image.height, err);
    }
    free(image.rgb);
    free(depth);
    free(body.bent);
    free(body.heat);
    return status;
}
