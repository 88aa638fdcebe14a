// SPDX-License-Identifier: MIT
// Curved elements. The mid node of a boundary edge goes to the nearest point of the surface; if the edge runs along a
// sharp edge of the surface, to the nearest point of that one, because the middle of a chord of a flat disc's rim lies on
// the disc already. Elements whose Jacobian falls below a tenth of the straight one's get their mid nodes back.
#include "fill.h"
#include "tets.h"
#include <stdlib.h>

static const double LEAST_JACOBIAN = 0.1;
static const double FARTHEST = 0.25;  // move of a mid node, of its edge's length
static const double ON_CURVE = 1e-5;  // of the edge's length

typedef struct Curver
{
    twTetMesh* tets;
    FillFrame frame;
    FillFeatures features;
    twWinding* winding;
    int corner_nodes;
    char* state;       // of mid nodes, from corner_nodes: 0 inside, 1 on the boundary and straight, 2 moved, 3 given up
    twVec3* straight;  // (mid nodes)
} Curver;

// ---- where a mid node belongs ----

static bool is_on_curve(const Curver* c, twVec3 point, int curve, double length)
{
    twVec3 nearest;
    double distance;
    return fill_features_nearest(&c->features, point, (FillWanted){curve, -1, -1}, &nearest, &distance) >= 0 &&
           distance < ON_CURVE * length;
}

// in the frame's coordinates. @return false if the node should stay
static bool find_place(const Curver* c, twVec3 a, twVec3 b, twVec3* place)
{
    twVec3 middle = tw_vec3_scale(tw_vec3_add(a, b), 0.5);
    double length = tw_vec3_norm(tw_vec3_sub(b, a)), distance;
    int segment = fill_features_nearest(&c->features, middle, FILL_ANY, place, &distance), face;
    if (segment >= 0 && distance < FARTHEST * length)
    {
        int curve = c->features.segments[segment].curve;
        if (is_on_curve(c, a, curve, length) && is_on_curve(c, b, curve, length)) return distance > 1e-12 * length;
    }
    distance = tw_winding_nearest(c->winding, middle, place, &face);
    return face >= 0 && distance < FARTHEST * length && distance > 1e-12 * length;
}

static void curve_edge(Curver* c, int tet, int edge)
{
    int mid = c->tets->mid_nodes[tet][edge];
    char* state = &c->state[mid - c->corner_nodes];
    if (*state != 0) return;
    *state = 1;
    const int* n = c->tets->tets[tet].n;
    twVec3 a = fill_frame_in(&c->frame, c->tets->nodes[n[tw_tet_edges[edge][0]]]), place;
    twVec3 b = fill_frame_in(&c->frame, c->tets->nodes[n[tw_tet_edges[edge][1]]]);
    if (!find_place(c, a, b, &place)) return;
    c->straight[mid - c->corner_nodes] = c->tets->nodes[mid];
    c->tets->nodes[mid] = fill_frame_out(&c->frame, place);
    *state = 2;
}

static void curve_boundary(Curver* c, const unsigned char* mask)
{
    for (int i = 0; i < c->tets->tet_count; i++)
        for (int e = 0; e < 6; e++)
        {
            // the edge is in two faces of its tet: those opposite to the corners it does not have
            int faces = 15 & ~(1 << tw_tet_edges[e][0]) & ~(1 << tw_tet_edges[e][1]);
            if (mask[i] & faces) curve_edge(c, i, e);
        }
}

// ---- folded elements ----

// @return mid nodes given back
static int unfold(Curver* c)
{
    int given = 0, before = -1;
    while (given != before)
    {
        before = given;
        for (int i = 0; i < c->tets->tet_count; i++)
        {
            bool curved = false;
            for (int e = 0; e < 6; e++) curved |= c->state[c->tets->mid_nodes[i][e] - c->corner_nodes] == 2;
            if (!curved || tw_tet_least_jacobian(c->tets, i) >= LEAST_JACOBIAN) continue;
            for (int e = 0; e < 6; e++)
            {
                int k = c->tets->mid_nodes[i][e] - c->corner_nodes;
                if (c->state[k] != 2) continue;
                c->tets->nodes[c->corner_nodes + k] = c->straight[k];
                c->state[k] = 3;
                given++;
            }
        }
    }
    return given;
}

// ---- the whole ----

// features at the scale of the mesh: its mean boundary edge
static double boundary_edge(const Curver* c, const unsigned char* mask)
{
    double sum = 0, count = 0;
    for (int i = 0; i < c->tets->tet_count; i++)
        for (int k = 0; k < 4; k++)
            for (int j = 0; j < 3 && (mask[i] >> k & 1); j++, count++)
            {
                const int *n = c->tets->tets[i].n, *face = tw_tet_faces[k];
                twVec3 a = c->tets->nodes[n[face[j]]], b = c->tets->nodes[n[face[(j + 1) % 3]]];
                sum += tw_vec3_norm(tw_vec3_sub(b, a)) / c->frame.size;
            }
    return count > 0 ? fmax(sum / count, 1e-6) : 1;
}

static twStatus prepare(Curver* c, const twMesh* surface, twError* err)
{
    c->corner_nodes = c->tets->node_count;
    twStatus status = fill_frame_create(&c->frame, surface, err);
    if (status == TW_OK) status = tw_winding_create(&c->winding, c->frame.mesh, err);
    if (status == TW_OK) status = tw_tets_make_quadratic(c->tets, NULL, NULL, err);
    return status;
}

static twStatus curve(Curver* c, unsigned char* mask, int* straight, twError* err)
{
    twStatus status = tw_tets_boundary(mask, c->tets, err);
    if (status == TW_OK)
        status = fill_features_create(&c->features, c->frame.mesh, boundary_edge(c, mask), c->frame.area, err);
    if (status != TW_OK) return status;
    curve_boundary(c, mask);
    int given = unfold(c);
    if (straight) *straight = given;
    return TW_OK;
}

twStatus tw_tets_curve(twTetMesh* tets, const twMesh* surface, int* straight, twError* err)
{
    TW_ASSERT(tets && surface);
    Curver c = {.tets = tets};
    if (straight) *straight = 0;
    twStatus status = prepare(&c, surface, err);
    if (status == TW_OK)
    {
        size_t mids = (size_t)(tets->node_count - c.corner_nodes) + 1;
        unsigned char* mask = calloc((size_t)tets->tet_count + 1, sizeof *mask);
        c.state = calloc(mids, sizeof *c.state);
        c.straight = calloc(mids, sizeof *c.straight);
        if (mask && c.state && c.straight)
            status = curve(&c, mask, straight, err);
        else
            status = tw_fail(err, TW_NO_MEMORY, "no memory to curve %d tets", tets->tet_count);
        free(mask);
        free(c.state);
        free(c.straight);
    }
    fill_features_free(&c.features);
    tw_winding_destroy(c.winding);
    fill_frame_free(&c.frame);
    return status;
}
