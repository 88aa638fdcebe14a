// SPDX-License-Identifier: MIT
// Reports in words, for people who did not make the mesh. What was done comes first, then what is left.
#include "twang/mesh.h"
#include <stdarg.h>

// shares of the surface worth a word
static const double SHARE = 0.02;

typedef struct Words
{
    char* out;
    size_t bytes, length;
} Words;

TW_PRINTF(2, 3) static void say(Words* words, const char* format, ...)
{
    // what does not fit is cut off, never half a letter beyond the end
    va_list list;
    if (words->length + 1 >= words->bytes) return;
    int n = words->length > 0 ? snprintf(words->out + words->length, words->bytes - words->length, "; ") : 0;
    words->length += n > 0 ? (size_t)n : 0;
    if (words->length + 1 >= words->bytes) return;
    va_start(list, format);
    n = vsnprintf(words->out + words->length, words->bytes - words->length, format, list);
    va_end(list);
    words->length += n > 0 ? (size_t)n : 0;
}

// "1 hole", "2 holes"
static void say_count(Words* words, int count, const char* one, const char* many)
{
    if (count > 0) say(words, "%d %s", count, count == 1 ? one : many);
}

static void say_holes(Words* words, const twMeshReport* r)
{
    double share = r->area > 0 ? 100 * r->hole_area / (r->hole_area + r->area) : 0;
    if (r->holes == 0) return;
    say(words, "%d %s over %.2g %% of the surface", r->holes, r->holes == 1 ? "hole" : "holes", share);
}

static void say_crossings(Words* words, const twMeshReport* r)
{
    if (r->self_intersections > 0)
        say(words, "%s%d pairs of faces cross", r->more_crossings ? "at least " : "", r->self_intersections);
}

const char* tw_mesh_describe(char* out, size_t bytes, const twMeshReport* r)
{
    Words words = {out, bytes, 0};
    if (bytes > 0) out[0] = 0;
    say_count(&words, r->bad_coordinates, "vertex that is not finite dropped", "vertices that are not finite dropped");
    say_count(&words, r->degenerate_faces, "face without area dropped", "faces without area dropped");
    say_count(&words, r->duplicate_faces, "duplicate face dropped", "duplicate faces dropped");
    say_count(&words, r->split_faces, "face split to close a crack", "faces split to close cracks");
    say_count(&words, r->flipped_faces, "face flipped", "faces flipped");
    say_count(&words, r->cavities, "shell inside another, taken as a cavity",
              "shells inside others, taken as cavities");
    if (r->components - r->cavities > 1)
        say(&words, "%d shells that share no vertices, united where they overlap", r->components - r->cavities);
    say_holes(&words, r);
    say_count(&words, r->nonmanifold_edges, "edge of more than two faces", "edges of more than two faces");
    say_crossings(&words, r);
    return out;
}

const char* tw_fill_describe(char* out, size_t bytes, const twFillReport* r)
{
    Words words = {out, bytes, 0};
    if (bytes > 0) out[0] = 0;
    if (r->pieces > 1) say(&words, "%d separate pieces, each of which vibrates by itself", r->pieces);
    say_count(&words, r->dropped_pieces, "piece smaller than 1 % of the largest left out",
              "pieces smaller than 1 % of the largest left out");
    if (r->open_share > SHARE) say(&words, "%.2g %% of its outside is a guess over holes", 100 * r->open_share);
    if (r->unused_share > SHARE)
        say(&words, "%.2g %% of the surface lies inside it or encloses nothing", 100 * r->unused_share);
    if (r->elements_through > 0 && r->elements_through < 0.999)
        say(&words, "walls of %.3g m are thinner than the cells of %.3g m", r->thinnest, r->spacing);
    return out;
}
