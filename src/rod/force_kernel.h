// SPDX-License-Identifier: MIT
/// @file
/// The elastic gradient, written against VW (W doubles), vw_load, vw_store (any alignment), vw_sqrt and vw_set.
///
/// With unit tangents t and frames d1, d2 of the two edges e, f of a node, chi = 1 + te.tf, and the rest values barred,
///
///     k1 = (tf.d1e - te.d1f)/chi,  k2 = (tf.d2e - te.d2f)/chi          bending, 2 tan(angle/2)
///     X = nu/s,  nu = d2e.d1f - d1e.d2f,  s = 1 + tr(Fe^T Ff)          tan(twist/2)
///     tau = 2 X (15 + 4 X^2)/(15 + 9 X^2),  dtau/dtwist = 1 + 4 X^6/(5 + 3 X^2)^2
///     E = 1/2 (k - kbar)^T B (k - kbar) + 1/2 C (tau - taubar)^2       per node
///     E = 1/2 EA l strain^2                                           per edge,
///
/// where tau is the twist itself up to 8 X^7/875 without any trigonometry, and infinite at half a turn as k is. With
/// consistent mass the strain energy lacks EA l/12 (change of strain)^2 per node, which makes stretching waves 4th order too.
/// The gradient with respect to an edge vector is that of its unit tangent, with the frame carried along without spin.
///
/// With branches (branch.c) strains count as e + mix e - sum of held y, where e are those of both stages: then both gradients are made
/// at once, for stretches and tilts after the frames of a chunk, for bends and twist in the nodes' elements themselves.

#define ROUND_UP(i) (((i) + W - 1) / W * W)

typedef struct VW3
{
    VW x, y, z;
} VW3;

INLINE VW3 vw3_load(double* const* p, int i)
{
    VW3 a = {vw_load(p[0] + i), vw_load(p[1] + i), vw_load(p[2] + i)};
    return a;
}
INLINE void vw3_store(double* const* p, int i, VW3 a)
{
    vw_store(p[0] + i, a.x);
    vw_store(p[1] + i, a.y);
    vw_store(p[2] + i, a.z);
}
INLINE VW vw3_dot(VW3 a, VW3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE VW3 vw3_cross(VW3 a, VW3 b)
{
    VW3 c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}
INLINE VW3 vw3_add(VW3 a, VW3 b)
{
    VW3 c = {a.x + b.x, a.y + b.y, a.z + b.z};
    return c;
}
INLINE VW3 vw3_sub(VW3 a, VW3 b)
{
    VW3 c = {a.x - b.x, a.y - b.y, a.z - b.z};
    return c;
}
INLINE VW3 vw3_scale(VW3 a, VW s)
{
    VW3 c = {a.x * s, a.y * s, a.z * s};
    return c;
}

// ---- edges: tangents and frames ----

typedef enum FramesKind
{
    FRAMES_TRIAL,  // with lengths and strains
    FRAMES_CLEAN,  // made orthonormal to round-off
} FramesKind;

#define NO_LENGTH 1e-60  // squared [m^2]
#define ROUND_OFF 1e-14

typedef struct Frames
{
    VW3 t, d1, d2;
    VW length, inv_length;
} Frames;

// frames (t0, d0) carried along to the edges of q and turned by q[ROD_TURN]
INLINE Frames frames_of(const twRod* rod, double* const* q, int j, const FramesKind kind)
{
    VW3 e = vw3_sub(vw3_load(q, j + 1), vw3_load(q, j)), t0 = vw3_load(rod->t0, j), d0 = vw3_load(rod->d0, j);
    // an edge of no length, or one that turned round, has some frame too
    VW length = vw_sqrt(vw3_dot(e, e) + NO_LENGTH), c = vw3_dot(t0, e), across = vw3_dot(d0, e);
    // tangent of half the turn
    VW u = vw_load(q[ROD_TURN] + j), u2 = u * u, x = 0.5 * u * (1 + u2 * (1. / 12 + u2 * (1. / 120))), x2 = x * x + 1;
    // one division for 1/length, length/(length + c) and 1/(1 + x^2)
    VW sum = (1 + ROUND_OFF) * length + c, inv = 1 / (length * sum * x2), inv_length = inv * sum * x2,
       half = inv * length * sum;
    VW3 tangent = vw3_scale(e, inv_length);
    VW3 d = vw3_sub(d0, vw3_scale(vw3_add(tangent, t0), across * inv * length * x2));
    if (kind == FRAMES_CLEAN)
    {
        d = vw3_sub(d, vw3_scale(tangent, vw3_dot(d, tangent)));
        d = vw3_scale(d, 1 / vw_sqrt(vw3_dot(d, d)));
    }
    VW3 side = vw3_cross(tangent, d);
    VW cosine = (2 - x2) * half, sine = 2 * x * half;
    return (Frames){.t = tangent,
                    .d1 = vw3_add(vw3_scale(d, cosine), vw3_scale(side, sine)),
                    .d2 = vw3_sub(vw3_scale(side, cosine), vw3_scale(d, sine)),
                    .length = length,
                    .inv_length = inv_length};
}

INLINE void edge_frames(twRod* rod, double* const* q, double* const* t, double* const* d1, double* const* d2, int begin,
                        int end, const FramesKind kind, const int stage)
{
    for (int j = begin; j < end; j += W)
    {
        const Frames f = frames_of(rod, q, j, kind);
        vw3_store(t, j, f.t);
        vw3_store(d1, j, f.d1);
        vw3_store(d2, j, f.d2);
        if (kind != FRAMES_TRIAL) continue;
        vw_store(rod->inv_length[stage] + j, f.inv_length);
        vw_store(rod->strain[stage] + j, f.length * vw_load(rod->inv_rest + j) - 1);
    }
}

// lengths and strains alone, where the frames are those of q
INLINE void edge_lengths(twRod* rod, double* const* q, const RodTrial* frames, int begin, int end, const int stage)
{
    for (int j = begin; j < end; j += W)
    {
        VW3 e = vw3_sub(vw3_load(q, j + 1), vw3_load(q, j));
        VW length = vw3_dot(e, vw3_load(frames->t, j)) + NO_LENGTH;
        vw_store(rod->inv_length[stage] + j, 1 / length);
        vw_store(rod->strain[stage] + j, length * vw_load(rod->inv_rest + j) - 1);
    }
}

// with shear: frames tilted, so that the section's normal is (t - tilt1 d1 - tilt2 d2)/|...|
INLINE void tilt_frame(Frames* f, VW g, VW h)
{
    VW c = 1 / vw_sqrt(1 + g * g + h * h), share = c / (1 + c);  // d.n = -tilt c, t.n = c
    VW3 n = vw3_scale(vw3_sub(f->t, vw3_add(vw3_scale(f->d1, g), vw3_scale(f->d2, h))), c), sum = vw3_add(n, f->t);
    f->d1 = vw3_add(f->d1, vw3_scale(sum, g * share));
    f->d2 = vw3_add(f->d2, vw3_scale(sum, h * share));
    f->t = n;
}

INLINE void tilt_frames(twRod* rod, double* const* q, const RodTrial* a, int begin, int end, const int stage)
{
    for (int j = begin; j < end; j += W)
    {
        Frames f = {.t = vw3_load(a->t, j), .d1 = vw3_load(a->d1, j), .d2 = vw3_load(a->d2, j)};
        vw3_store(rod->axis[stage], j, f.t);
        tilt_frame(&f, vw_load(q[ROD_TILT] + j), vw_load(q[ROD_TILT + 1] + j));
        vw3_store(a->t, j, f.t);
        vw3_store(a->d1, j, f.d1);
        vw3_store(a->d2, j, f.d2);
    }
}

// ---- nodes: bending and twist ----

// gradient of W nodes' elements with respect to their two edges and the turns of these
typedef struct OnEdges
{
    VW3 e, f;
    VW turn_e, turn_f;
} OnEdges;

// bends and twist of W nodes, and what their derivatives are made of
typedef struct Bends
{
    VW inv_chi, k1, k2, tau, slope;
} Bends;

// between edges e and f, with frames (t, p, s)
INLINE Bends bends_between(VW3 te, VW3 pe, VW3 se, VW3 tf, VW3 pf, VW3 sf)
{
    VW chi = 1 + vw3_dot(te, tf), a1 = vw3_dot(tf, pe), a2 = vw3_dot(tf, se), b1 = vw3_dot(te, pf),
       b2 = vw3_dot(te, sf);
    VW s = chi + vw3_dot(pe, pf) + vw3_dot(se, sf), nu = vw3_dot(se, pf) - vw3_dot(pe, sf);
    // one division for 1/chi, 1/s and 1/(5 s^2 + 3 nu^2)
    VW s2 = s * s, nu2 = nu * nu, den = 5 * s2 + 3 * nu2, inv = 1 / (chi * s * den), inv_chi = inv * s * den;
    VW inv_sd = inv * chi, inv_s = inv_sd * den, inv_d = inv_sd * s, six = nu2 * inv_s * inv_d;
    return (Bends){.inv_chi = inv_chi,
                   .k1 = (a1 - b1) * inv_chi,
                   .k2 = (a2 - b2) * inv_chi,
                   .tau = (2. / 3) * nu * (15 * s2 + 4 * nu2) * inv_sd,
                   .slope = 1 + 4 * nu2 * six * six};
}

INLINE Bends node_bends(const RodTrial* a, int i)
{
    return bends_between(vw3_load(a->t, i - 1), vw3_load(a->d1, i - 1), vw3_load(a->d2, i - 1), vw3_load(a->t, i),
                         vw3_load(a->d1, i), vw3_load(a->d2, i));
}

// at: the node's bends; e: strains as they count
INLINE OnEdges node_elements(const twRod* rod, const RodTrial* a, int i, const Bends* at, const VW e[3])
{
    VW3 te = vw3_load(a->t, i - 1), tf = vw3_load(a->t, i), pe = vw3_load(a->d1, i - 1), pf = vw3_load(a->d1, i);
    VW3 se = vw3_load(a->d2, i - 1), sf = vw3_load(a->d2, i);
    VW a1 = vw3_dot(tf, pe), a2 = vw3_dot(tf, se), b1 = vw3_dot(te, pf), b2 = vw3_dot(te, sf);
    // moments
    VW dk1 = e[0] - vw_load(rod->k1_rest + i), dk2 = e[1] - vw_load(rod->k2_rest + i), b12 = vw_load(rod->b12 + i);
    VW m1 = (vw_load(rod->b11 + i) * dk1 + b12 * dk2) * at->inv_chi,
       m2 = (vw_load(rod->b22 + i) * dk2 + b12 * dk1) * at->inv_chi;
    VW m3 = vw_load(rod->twist_b + i) * (e[2] - vw_load(rod->tau_rest + i)) * at->slope;
    // gradients with respect to the tangents, and to turns about them
    VW3 w = vw3_sub(vw3_scale(vw3_add(se, sf), m1), vw3_scale(vw3_add(pe, pf), m2));
    VW3 c = vw3_add(vw3_scale(vw3_add(te, tf), -(m1 * at->k1 + m2 * at->k2)),
                    vw3_scale(vw3_cross(te, tf), m3 * at->inv_chi));
    return (OnEdges){.e = vw3_add(c, vw3_cross(tf, w)),
                     .f = vw3_sub(c, vw3_cross(te, w)),
                     .turn_e = m1 * a2 - m2 * a1 - m3,
                     .turn_f = m2 * b1 - m1 * b2 + m3};
}

INLINE OnEdges node_plain(const twRod* rod, const RodTrial* a, int i)
{
    const Bends at = node_bends(a, i);
    const VW e[3] = {at.k1, at.k2, at.tau};
    return node_elements(rod, a, i, &at, e);
}

// ---- edges again: what pulls on them ----

INLINE VW edge_tension(const twRod* rod, int j, const int stage)
{
    const double* strain = rod->strain[stage];
    VW before = vw_load(strain + j - 1), here = vw_load(strain + j), after = vw_load(strain + j + 1);
    VW change = vw_load(rod->axial_node + j + 1) * (after - here) - vw_load(rod->axial_node + j) * (here - before);
    return vw_load(rod->axial + j) * here + vw_load(rod->inv_rest + j) * change;
}

// on: gradient with respect to the tangents and turns of edges j ..; @return that with respect to their vectors
INLINE VW3 edge_pulls(const twRod* rod, const RodTrial* a, double* const* g, int j, VW3 on, VW spin, const int stage)
{
    VW tension = edge_tension(rod, j, stage), inv_length = vw_load(rod->inv_length[stage] + j);
    vw_store(g[ROD_TURN] + j, spin);
    return vw3_add(vw3_scale(vw3_load(a->t, j), tension), vw3_scale(on, inv_length));
}

// with shear (tilt: as it counts): the torque on the section, about its normal n, acts on the edge's direction t, its turn and its tilts
INLINE VW3 edge_pulls_tilted(const twRod* rod, const RodTrial* trial, double* const* q, double* const* g, int j,
                             VW3 on_normal, VW spin, double* const* tilt, const int stage)
{
    VW3 n = vw3_load(trial->t, j), t = vw3_load(rod->axis[stage], j), p1 = vw3_load(trial->d1, j),
        p2 = vw3_load(trial->d2, j);
    VW a = vw_load(q[ROD_TILT] + j), b = vw_load(q[ROD_TILT + 1] + j), c2 = 1 / (1 + a * a + b * b), c = vw_sqrt(c2);
    VW3 torque = vw3_add(vw3_cross(n, on_normal), vw3_scale(n, spin));
    VW tension = edge_tension(rod, j, stage), inv_length = vw_load(rod->inv_length[stage] + j);
    vw_store(g[ROD_TURN] + j, vw3_dot(torque, t));
    // untilted d1, d2; dn/dtilt = -c d - tilt c^2 n; turn of the frame carried from t to n: (t + n) x dn/(1 + t.n)
    VW3 sum = vw3_add(n, t);
    VW share = c / (1 + c);
    VW3 d1 = vw3_sub(p1, vw3_scale(sum, a * share)), d2 = vw3_sub(p2, vw3_scale(sum, b * share));
    VW3 n1 = vw3_sub(vw3_scale(d1, -c), vw3_scale(n, a * c2)), n2 = vw3_sub(vw3_scale(d2, -c), vw3_scale(n, b * c2));
    VW inv = 1 / (1 + c), s12 = vw_load(rod->tilt12 + j);
    VW g1 = vw3_dot(torque, vw3_cross(sum, n1)) * inv, g2 = vw3_dot(torque, vw3_cross(sum, n2)) * inv;
    VW x = vw_load(tilt[0] + j), y = vw_load(tilt[1] + j);
    vw_store(g[ROD_TILT] + j, g1 + vw_load(rod->tilt11 + j) * x + s12 * y);
    vw_store(g[ROD_TILT + 1] + j, g2 + vw_load(rod->tilt22 + j) * y + s12 * x);
    return vw3_add(vw3_scale(t, tension), vw3_scale(vw3_cross(torque, t), inv_length));
}

// ---- ends ----

// place to, before the first edge or beyond the last: all arrays have room there
static void copy_frame(twRod* rod, const RodTrial* a, int stage, int from, int to)
{
    for (int c = 0; c < 3; c++)
    {
        double *t = a->t[c], *d1 = a->d1[c], *d2 = a->d2[c];
        t[to] = t[from];
        d1[to] = d1[from];
        d2[to] = d2[from];
    }
    double* strain = rod->strain[stage];
    strain[to] = strain[from];
}

static void ghost_frame(twRod* rod, const RodTrial* a, int stage, int end, int inside, int ghost)
{
    copy_frame(rod, a, stage, inside, ghost);
    double* strain = rod->strain[stage];
    strain[ghost] = 0;
    if (!rod->clamp[end]) return;
    for (int c = 0; c < 3; c++)
    {
        double *t = a->t[c], *d1 = a->d1[c], *d2 = a->d2[c];
        t[ghost] = rod->ghost[end][c];
        d1[ghost] = rod->ghost[end][3 + c];
        d2[ghost] = rod->ghost[end][6 + c];
    }
}

// beyond the last edge: the ghost, or the first edge of a closed rod; then, up to whole vectors, anything orthonormal
static void last_frames(twRod* rod, const RodTrial* a, int stage)
{
    if (rod->closed)
        copy_frame(rod, a, stage, 0, rod->ne);
    else
        ghost_frame(rod, a, stage, 1, rod->ne - 1, rod->ne);
    for (int j = rod->ne + 1; j < ROUND_UP(rod->n); j++) copy_frame(rod, a, stage, rod->ne, j);
}

// ---- the whole gradient ----

enum
{
    CHUNK = 128  // edges whose frames are made before those of the nodes, so that they stay in the first cache
};

// nodes are one vector ahead of edges, which need the next node, and these of the gradients of points
typedef struct Behind
{
    OnEdges on;       // of the vector of nodes before
    VW3 pull;         // of the vector of edges before that
    double first[4];  // of node 0: on its edge before, closed
} Behind;

// numbers 1 .. W of two vectors in a row, and W - 1 .. 2 W - 2
#if W == 8
#define vw_next(a, b) __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8)
#define vw_last(a, b) __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14)
#elif W == 2
#define vw_next(a, b) __builtin_shufflevector(a, b, 1, 2)
#define vw_last(a, b) __builtin_shufflevector(a, b, 1, 2)
#else
#define vw_next(a, b) __builtin_shufflevector(a, b, 1, 2, 3, 4)
#define vw_last(a, b) __builtin_shufflevector(a, b, 3, 4, 5, 6)
#endif
INLINE VW3 vw3_next(VW3 a, VW3 b) { return (VW3){vw_next(a.x, b.x), vw_next(a.y, b.y), vw_next(a.z, b.z)}; }
INLINE VW3 vw3_last(VW3 a, VW3 b) { return (VW3){vw_last(a.x, b.x), vw_last(a.y, b.y), vw_last(a.z, b.z)}; }

// what a gradient is made at, and goes to
typedef struct Place
{
    RodTrial frames;
    double *const *q, *const *tilt, *const *g;  // tilt: with shear, as they count
    int stage;
} Place;

// edges and points j .., from the elements of nodes j .. in behind and of those after; none: this edge pulls at nothing
INLINE void catch_up(const twRod* rod, const Place* at, Behind* behind, const OnEdges* after, int j, int none,
                     const bool shear)
{
    const OnEdges* on = &behind->on;
    VW3 sum = vw3_add(on->f, vw3_next(on->e, after->e));
    VW spin = on->turn_f + vw_next(on->turn_e, after->turn_e);
    VW3 pull = shear ? edge_pulls_tilted(rod, &at->frames, at->q, at->g, j, sum, spin, at->tilt, at->stage)
                     : edge_pulls(rod, &at->frames, at->g, j, sum, spin, at->stage);
    if (none >= 0) pull.x[none] = pull.y[none] = pull.z[none] = 0;
    vw3_store(at->g, j, vw3_sub(vw3_last(behind->pull, pull), pull));
    behind->pull = pull;
}

// on to nodes i ..
INLINE void gradient_go_on(const twRod* rod, const Place* at, Behind* behind, const OnEdges* on, int i,
                           const bool shear)
{
    if (i > 0)
        catch_up(rod, at, behind, on, i - W, -1, shear);
    else
        behind->first[0] = on->e.x[0], behind->first[1] = on->e.y[0], behind->first[2] = on->e.z[0],
        behind->first[3] = on->turn_e[0];
    behind->on = *on;
}

// the last edges; a closed rod goes on with its first node, an open one ends with an edge that is none
INLINE void finish_gradient(const twRod* rod, const Place* place, Behind* behind, const bool shear)
{
    const int n = rod->n, j = ROUND_UP(n) - W;
    double* const* g = place->g;
    OnEdges after = {{{0}, {0}, {0}}, {{0}, {0}, {0}}, {0}, {0}};
    if (rod->closed)
    {
        OnEdges* at = n - j < W ? &behind->on : &after;
        const int k = (n - j) % W;
        at->e.x[k] = behind->first[0], at->e.y[k] = behind->first[1], at->e.z[k] = behind->first[2];
        at->turn_e[k] = behind->first[3];
    }
    catch_up(rod, place, behind, &after, j, rod->closed ? -1 : n - 1 - j, shear);
    const int last = n - 1 - j;
    if (rod->closed)
        g[0][0] += behind->pull.x[last], g[1][0] += behind->pull.y[last], g[2][0] += behind->pull.z[last];
    else
        for (int c = ROD_TURN; c < rod->dofs; c++) g[c][n - 1] = 0;
}

typedef enum ForceKind
{
    FORCE_PLAIN,
    FORCE_SHEAR,
    FORCE_FRAMED,  // plain, with the frames there already
} ForceKind;

INLINE void force_edges(twRod* rod, const Place* at, int begin, int end, const ForceKind kind)
{
    const RodTrial* a = &at->frames;
    if (kind == FORCE_FRAMED)
        edge_lengths(rod, at->q, a, begin, end, at->stage);
    else
        edge_frames(rod, at->q, a->t, a->d1, a->d2, begin, end, FRAMES_TRIAL, at->stage);
    if (kind == FORCE_SHEAR) tilt_frames(rod, at->q, a, begin, end, at->stage);
}

// frames of a chunk and, at the ends of the rod, what lies beyond; of a closed one the last edge comes before the first
INLINE void force_chunk(twRod* rod, const Place* at, int begin, int end, const ForceKind kind)
{
    const int last = (rod->ne - 1) / W * W;
    if (begin == 0 && rod->closed)
    {
        force_edges(rod, at, last, last + W, kind);
        copy_frame(rod, &at->frames, at->stage, rod->ne - 1, -1);
    }
    force_edges(rod, at, begin, end, kind);
    if (begin == 0 && !rod->closed) ghost_frame(rod, &at->frames, at->stage, 0, 0, -1);
    if (end == ROUND_UP(rod->n)) last_frames(rod, &at->frames, at->stage);
}

// Of the rod that is iterated next, a cache line of each array that an iteration goes through: of many rods that take turns nothing
// is near any more, and what is asked for only when it is needed is waited for.
INLINE void fetch(const twRod* rod, int i, int stage)
{
    for (int c = 0; c < 4; c++)
    {
        __builtin_prefetch(rod->stage[stage][c] + i);
        __builtin_prefetch(rod->z[stage][c] + i);
        __builtin_prefetch((stage == 0 ? rod->v : rod->g0)[c] + i);
        if (c < 3) __builtin_prefetch((stage == 0 ? rod->t0 : rod->d0)[c] + i);
    }
}

INLINE void elastic_force(twRod* rod, const Place* at, const ForceKind kind)
{
    const int all = ROUND_UP(rod->n);
    const bool shear = kind == FORCE_SHEAR;
    const twRod* next = rod->next && rod->next->n == rod->n ? rod->next : NULL;
    Behind behind = {.pull = {{0}, {0}, {0}}};
    for (int begin = 0; begin < all; begin += CHUNK)
    {
        const int end = begin + CHUNK < all ? begin + CHUNK : all;
        force_chunk(rod, at, begin, end, kind);
        for (int i = begin; i < end; i += W)
        {
            const OnEdges on = node_plain(rod, &at->frames, i);
            if (kind == FORCE_PLAIN && next && i % 8 == 0) fetch(next, i, at->stage);
            gradient_go_on(rod, at, &behind, &on, i, shear);
        }
    }
    finish_gradient(rod, at, &behind, shear);
}

static void kernel_force(twRod* rod, double* const* q, double* const* g, int stage)
{
    const Place at = {rod->trial[stage], q, q + ROD_TILT, g, stage};
    if (rod->shear)
        elastic_force(rod, &at, FORCE_SHEAR);
    else
        elastic_force(rod, &at, FORCE_PLAIN);
}

static void kernel_start(twRod* rod)
{
    if (rod->shear)
    {
        kernel_force(rod, rod->q, rod->g0, 0);
        return;
    }
    const Place at = {{{rod->t0[0], rod->t0[1], rod->t0[2]},
                       {rod->d0[0], rod->d0[1], rod->d0[2]},
                       {rod->e0[0], rod->e0[1], rod->e0[2]}},
                      rod->q,
                      NULL,
                      rod->g0,
                      0};
    elastic_force(rod, &at, FORCE_FRAMED);
    // beyond the ends are ghosts now
    tw_rod_frame_edges(rod, rod->t0, rod->d0, rod->e0);
}

static void kernel_commit(twRod* rod)
{
    edge_frames(rod, rod->q, rod->t0, rod->d0, rod->e0, 0, ROUND_UP(rod->ne), FRAMES_CLEAN, 0);
    memset(rod->q[ROD_TURN], 0, (size_t)rod->n * sizeof(double));
    tw_rod_frame_edges(rod, rod->t0, rod->d0, rod->e0);
}
