// SPDX-License-Identifier: MIT
// Isosurface stuffing: F. Labelle, J. R. Shewchuk, "Isosurface stuffing: fast tetrahedral meshes with good dihedral
// angles", ACM Transactions on Graphics 26(3), 2007. What is left of a cut tet is a tet, a pyramid or a prism, divided
// into tets. Where a lattice face is cut to a quadrilateral both its tets must choose the same diagonal, so the choice
// depends on the face alone:
//   edges to the outer vertex of different kinds: the diagonal starts at the inner vertex of the long one
//   edges of equal kind: at the inner vertex of odd parity of lattice coordinates
// This orders the inner vertices of a tet, so the diagonals of a prism never run in a ring.
#include "fill.h"
#include <stdlib.h>

static const double LEAST_DEPTH = 0.1;  // of the middle of a tet with all vertices on the surface, in cells

typedef struct Stuffer
{
    FillLattice* lattice;
    FillCuts* cuts;
    const FillField* field;
    FillMesh* out;
    bool failed;  // no memory
} Stuffer;

// ---- nodes and tets of the result ----

static int add_node(Stuffer* s, twVec3 point)
{
    FillMesh* out = s->out;
    if (!fill_reserve((void**)&out->nodes, &out->node_capacity, out->node_count + 1, sizeof *out->nodes))
    {
        s->failed = true;
        return 0;
    }
    out->nodes[out->node_count] = point;
    return out->node_count++;
}

static int node_of(Stuffer* s, int vertex)
{
    FillVertex* v = &s->lattice->vertices[vertex];
    if (v->node < 0) v->node = add_node(s, v->position);
    return v->node;
}

static int cut_node(Stuffer* s, int in, int out)
{
    FillCut* cut = &s->cuts->cuts[*fill_cut_find(s->cuts, in, out)];
    if (cut->node < 0) cut->node = add_node(s, cut->point);
    return cut->node;
}

static void add_tet(Stuffer* s, int a, int b, int c, int d)
{
    FillMesh* out = s->out;
    if (s->failed || !fill_reserve((void**)&out->tets, &out->tet_capacity, out->tet_count + 1, sizeof *out->tets))
    {
        s->failed = true;
        return;
    }
    // orientation by volume: stencils need not keep track of it
    const twVec3* p = out->nodes;
    twVec3 ab = tw_vec3_sub(p[b], p[a]), ac = tw_vec3_sub(p[c], p[a]), ad = tw_vec3_sub(p[d], p[a]);
    bool positive = tw_vec3_dot(tw_vec3_cross(ab, ac), ad) > 0;
    out->tets[out->tet_count++] = positive ? (twTet){{a, b, c, d}} : (twTet){{a, b, d, c}};
}

// ---- stencils ----

// does the diagonal of the cut face (a, b inside, out outside) run from a to the cut of b? else from b to that of a
static bool first_of(const Stuffer* s, int a, int b, int out)
{
    const FillVertex* v = s->lattice->vertices;
    bool a_long = fill_is_long(&v[a], &v[out]), b_long = fill_is_long(&v[b], &v[out]);
    if (a_long != b_long) return a_long;
    int sum_a = (v[a].at[0] + v[a].at[1] + v[a].at[2]) / 2, sum_b = (v[b].at[0] + v[b].at[1] + v[b].at[2]) / 2;
    if ((sum_a ^ sum_b) & 1) return sum_a & 1;
    return a < b;
}

// Prism with ends p and q; cut[i] tells whether the diagonal of side (i, i + 1) runs from p[i], else from q[i]. Some
// vertex of p has both its diagonals or some vertex of q, unless the three run in a ring.
static void add_prism(Stuffer* s, const int p[3], const int q[3], const bool from_p[3])
{
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        // both diagonals at p[i]: side (i, j) from p[i], side (k, i) not from p[k]
        if (from_p[i] && !from_p[k])
        {
            add_tet(s, p[i], q[i], q[j], q[k]);
            add_tet(s, p[i], p[j], p[k], from_p[j] ? q[k] : q[j]);
            add_tet(s, p[i], q[j], q[k], from_p[j] ? p[j] : p[k]);
            return;
        }
    }
    s->failed = true;  // rules out rings
}

static void stuff_two_two(Stuffer* s, int a, int b, int c, int d)
{
    int p[3] = {node_of(s, a), cut_node(s, a, c), cut_node(s, a, d)};
    int q[3] = {node_of(s, b), cut_node(s, b, c), cut_node(s, b, d)};
    bool from_p[3] = {first_of(s, a, b, c), false, !first_of(s, a, b, d)};
    // the side on the surface is free: choose the shorter diagonal unless that makes a ring
    if (s->failed) return;
    const twVec3* n = s->out->nodes;
    from_p[1] = tw_vec3_norm(tw_vec3_sub(n[p[1]], n[q[2]])) < tw_vec3_norm(tw_vec3_sub(n[q[1]], n[p[2]]));
    if (from_p[0] == from_p[2]) from_p[1] = !from_p[0];
    add_prism(s, p, q, from_p);
}

// Four vertices on the surface: a wall about as thick as a cell, or nothing but a dent. Tell by the depth of the middle.
static bool spans_wall(const Stuffer* s, const int on[4])
{
    twVec3 middle = {0, 0, 0};
    for (int k = 0; k < 4; k++) middle = tw_vec3_add_scaled(middle, s->lattice->vertices[on[k]].position, 0.25);
    return fill_field_value(s->field, middle) > LEAST_DEPTH * s->field->cell;
}

static void stuff_tet(Stuffer* s, const twTet* tet)
{
    const FillVertex* v = s->lattice->vertices;
    int in[4], on[4], out[4], ins = 0, ons = 0, outs = 0;
    for (int k = 0; k < 4; k++)
    {
        int n = tet->n[k];
        if (v[n].sign > 0)
            in[ins++] = n;
        else if (v[n].sign < 0)
            out[outs++] = n;
        else
            on[ons++] = n;
    }
    if (ins == 0 && !(ons == 4 && spans_wall(s, on))) return;
    if (ins <= 1 || outs == 0)
    {
        int n[4], count = 0;
        for (int k = 0; k < ins; k++) n[count++] = node_of(s, in[k]);
        for (int k = 0; k < ons; k++) n[count++] = node_of(s, on[k]);
        for (int k = 0; k < outs; k++) n[count++] = cut_node(s, in[0], out[k]);
        add_tet(s, n[0], n[1], n[2], n[3]);
    }
    else if (ins == 2 && ons == 1)
    {
        int a = node_of(s, in[0]), b = node_of(s, in[1]), z = node_of(s, on[0]);
        int ca = cut_node(s, in[0], out[0]), cb = cut_node(s, in[1], out[0]);
        bool from_a = first_of(s, in[0], in[1], out[0]);
        add_tet(s, z, a, b, from_a ? cb : ca);
        add_tet(s, z, ca, cb, from_a ? a : b);
    }
    else if (ins == 2)
        stuff_two_two(s, in[0], in[1], out[0], out[1]);
    else
    {
        int p[3], q[3];
        bool from_p[3];
        for (int k = 0; k < 3; k++)
        {
            p[k] = node_of(s, in[k]);
            q[k] = cut_node(s, in[k], out[0]);
            from_p[k] = first_of(s, in[k], in[(k + 1) % 3], out[0]);
        }
        add_prism(s, p, q, from_p);
    }
}

twStatus fill_stuff(FillMesh* out, FillLattice* lattice, FillCuts* cuts, const FillField* field, twError* err)
{
    Stuffer s = {.lattice = lattice, .cuts = cuts, .field = field, .out = out};
    for (int i = 0; i < lattice->tet_count && !s.failed; i++) stuff_tet(&s, &lattice->tets[i]);
    return s.failed ? tw_fail(err, TW_NO_MEMORY, "fill: no memory to cut %d tets", lattice->tet_count) : TW_OK;
}

void fill_mesh_free(FillMesh* mesh)
{
    free(mesh->nodes);
    free(mesh->tets);
    *mesh = (FillMesh){0};
}
