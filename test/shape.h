// SPDX-License-Identifier: MIT
#pragma once
#include "mesh/shape.h"
#include "mesh/tets.h"
#include "test.h"
#include <stdlib.h>

/// @file
/// Meshes of shapes by their text.

static inline twTetMesh* cut_tets_of(const char* text, double edge, int cuts, int through)
{
    twError err = {0};
    twShape* shape;
    twTetMesh* tets = NULL;
    if (tw_shape_parse(&shape, text, &err) || tw_shape_tets_cut(&tets, shape, edge, cuts, through, &err))
        printf("%s\n", err.text);
    tw_shape_destroy(shape);
    return tets;
}

static inline twTetMesh* tets_of(const char* text, double edge, int through)
{
    return cut_tets_of(text, edge, 1, through);
}

static inline twMesh* surface_of(const char* text, double edge)
{
    twError err = {0};
    twShape* shape;
    twMesh* mesh = NULL;
    if (tw_shape_parse(&shape, text, &err) || tw_shape_surface(&mesh, shape, edge, &err)) printf("%s\n", err.text);
    tw_shape_destroy(shape);
    return mesh;
}

/// whether text is refused with all the words, separated by |, in the message
static inline int refused(const char* text, const char* words)
{
    twError err = {0};
    twShape* shape;
    if (tw_shape_parse(&shape, text, &err) != TW_BAD_INPUT || shape) return 0;
    char copy[256];
    snprintf(copy, sizeof copy, "%s", words);
    for (char* word = strtok(copy, "|"); word; word = strtok(NULL, "|"))
        if (!strstr(err.text, word))
        {
            printf("no '%s' in: %s\n", word, err.text);
            return 0;
        }
    return 1;
}

/// volume inside the curved tets: the determinant is a cubic, for which this rule is exact
static inline double volume_of(const twTetMesh* tets)
{
    double sum = 0;
    for (int t = 0; t < tets->tet_count; t++)
        for (int point = 0; point < 5; point++)
        {
            twVec3 slope[4];
            double L[4];
            for (int i = 0; i < 4; i++) L[i] = point == 4 ? 0.25 : point == i ? 0.5 : 1.0 / 6;
            for (int i = 0; i < 4; i++) slope[i] = tw_vec3_scale(tets->nodes[tets->tets[t].n[i]], 4 * L[i] - 1);
            for (int e = 0; e < 6; e++)
            {
                const int a = tw_tet_edges[e][0], b = tw_tet_edges[e][1];
                const twVec3 x = tets->nodes[tets->mid_nodes[t][e]];
                slope[a] = tw_vec3_add_scaled(slope[a], x, 4 * L[b]);
                slope[b] = tw_vec3_add_scaled(slope[b], x, 4 * L[a]);
            }
            const twVec3 u = tw_vec3_sub(slope[1], slope[0]), v = tw_vec3_sub(slope[2], slope[0]);
            sum += (point == 4 ? -0.8 : 0.45) * tw_vec3_dot(tw_vec3_cross(u, v), tw_vec3_sub(slope[3], slope[0])) / 6;
        }
    return sum;
}

/// integral of sqrt(r^2 - x^2) over |x| < h
static inline double under_arc(double r, double h) { return h * sqrt(r * r - h * h) + r * r * asin(h / r); }
