// SPDX-License-Identifier: MIT
/// @file
/// The stage equations of the two-stage Gauss scheme (gauss.c) around the gradient, W nodes at a time, written against VW and V4.
///
/// The linear system is solved in the frames of the nodes, in which its matrix hardly changes while the rod turns: the residual
/// of each stage is turned into the frames of that stage, the solution back. With one set of frames for both, the iteration
/// would contract only by the turn between the stages times sqrt(stretching stiffness/mass) h; so it does by the turn's square.
/// The nodes' vectors y have 4 components each (8 with tilts).

// NaN stays, whichever has it
INLINE VW vw_max(VW a, VW b)
{
    typedef long long Mask __attribute__((vector_size(W * 8)));
    Mask keep = (b <= a) | (a != a);
    return (VW)(((Mask)a & keep) | ((Mask)b & ~keep));
}

// root of the largest number; NaN if there is one
INLINE double largest_root(VW a)
{
    double most = 0;
    for (int k = 0; k < W; k++) most = a[k] <= most || isnan(most) ? most : a[k];
    return sqrt(most);
}

INLINE double sum_of(VW a)
{
    double sum = 0;
    for (int k = 0; k < W; k++) sum += a[k];
    return sum;
}

// rows a, b, c, d become columns
INLINE void v4_transpose(V4* a, V4* b, V4* c, V4* d)
{
    V4 ab_low = __builtin_shufflevector(*a, *b, 0, 4, 2, 6), ab_high = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    V4 cd_low = __builtin_shufflevector(*c, *d, 0, 4, 2, 6), cd_high = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    *a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    *b = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    *c = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    *d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

typedef struct Axes
{
    VW d[3], e[3], t[3];
} Axes;

INLINE Axes axes_load(const RodTrial* trial, int i)
{
    Axes axes;
    for (int c = 0; c < 3; c++)
    {
        axes.d[c] = vw_load(trial->d1[c] + i);
        axes.e[c] = vw_load(trial->d2[c] + i);
        axes.t[c] = vw_load(trial->t[c] + i);
    }
    return axes;
}

// nodes' vectors from the world into their axes, and back; a turn stays
INLINE void into_axes(const Axes* axes, VW* w)
{
    VW a = w[0] * axes->d[0] + w[1] * axes->d[1] + w[2] * axes->d[2];
    VW b = w[0] * axes->e[0] + w[1] * axes->e[1] + w[2] * axes->e[2];
    w[2] = w[0] * axes->t[0] + w[1] * axes->t[1] + w[2] * axes->t[2];
    w[0] = a, w[1] = b;
}

INLINE void out_of_axes(const Axes* axes, VW* w)
{
    VW a = w[0], b = w[1], c = w[2];
    for (int k = 0; k < 3; k++) w[k] = a * axes->d[k] + b * axes->e[k] + c * axes->t[k];
}

// components of four nodes to node after node, stride doubles apart
INLINE void pack4(const V4* w, double* y, int stride)
{
    V4 a = w[0], b = w[1], c = w[2], d = w[3];
    v4_transpose(&a, &b, &c, &d);
    v4_store(y, a);
    v4_store(y + stride, b);
    v4_store(y + 2 * stride, c);
    v4_store(y + 3 * stride, d);
}

INLINE void unpack4(const double* y, int stride, V4* w)
{
    w[0] = v4_load(y), w[1] = v4_load(y + stride), w[2] = v4_load(y + 2 * stride), w[3] = v4_load(y + 3 * stride);
    v4_transpose(&w[0], &w[1], &w[2], &w[3]);
}

// the same for W nodes
INLINE void pack(const VW* w, double* y, int stride)
{
#if W == 8
    V4 part[2][4];
    for (int c = 0; c < 4; c++)
    {
        part[0][c] = __builtin_shufflevector(w[c], w[c], 0, 1, 2, 3);
        part[1][c] = __builtin_shufflevector(w[c], w[c], 4, 5, 6, 7);
    }
    pack4(part[0], y, stride);
    pack4(part[1], y + 4 * stride, stride);
#elif W == 4
    pack4(w, y, stride);
#else
    vw_store(y, __builtin_shufflevector(w[0], w[1], 0, 2));
    vw_store(y + 2, __builtin_shufflevector(w[2], w[3], 0, 2));
    vw_store(y + stride, __builtin_shufflevector(w[0], w[1], 1, 3));
    vw_store(y + stride + 2, __builtin_shufflevector(w[2], w[3], 1, 3));
#endif
}

INLINE void unpack(const double* y, int stride, VW* w)
{
#if W == 8
    V4 part[2][4];
    unpack4(y, stride, part[0]);
    unpack4(y + 4 * stride, stride, part[1]);
    for (int c = 0; c < 4; c++) w[c] = __builtin_shufflevector(part[0][c], part[1][c], 0, 1, 2, 3, 4, 5, 6, 7);
#elif W == 4
    unpack4(y, stride, w);
#else
    for (int c = 0; c < 4; c += 2)
    {
        VW a = vw_load(y + c), b = vw_load(y + stride + c);
        w[c] = __builtin_shufflevector(a, b, 0, 2);
        w[c + 1] = __builtin_shufflevector(a, b, 1, 3);
    }
#endif
}

// one number of each node
INLINE VW gather(const double* y, int stride)
{
    VW a = {0};
    for (int k = 0; k < W; k++) a[k] = y[k * stride];
    return a;
}

// those at the start of the step
INLINE RodTrial start_frames(const twRod* rod)
{
    return (RodTrial){{rod->t0[0], rod->t0[1], rod->t0[2]},
                      {rod->d0[0], rod->d0[1], rod->d0[2]},
                      {rod->e0[0], rod->e0[1], rod->e0[2]}};
}

// ---- before the iteration ----

INLINE VW dot3(const VW* a, const VW* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void kernel_turn(twRod* rod, bool fresh)
{
    const RodTrial frames = start_frames(rod);
    const bool brief = rod->band->use_short;
    for (int i = 0; i < rod->n; i += W)
    {
        // half the skew part of the turn's matrix
        Axes a = axes_load(&frames, i - 1), b = axes_load(&frames, i);
        VW w[4] = {0.5 * (dot3(b.t, a.e) - dot3(b.e, a.t)), 0.5 * (dot3(b.d, a.t) - dot3(b.t, a.d)),
                   0.5 * (dot3(b.e, a.d) - dot3(b.d, a.e)), (VW){0}};
        for (int c = 0; c < 3; c++)
        {
            if (fresh) vw_store(rod->joint[c] + i, w[c]);
            w[c] -= vw_load(rod->joint[c] + i);
        }
        const size_t at = 4 * (size_t)i;
        double packed[4 * W];
        pack(w, brief ? packed : rod->band->turn + at, 4);
        for (size_t k = 0; brief && k < 4 * W; k += 4)
            v4_store_short(rod->band->short_turn + at + k, v4_load(packed + k));
    }
}

// ---- residual ----

// z as it counts: with the share of damping by mass
INLINE VW counted(const twRod* rod, const RodScheme* s, int stage, int c, int i, const bool damped)
{
    VW z = vw_load(rod->z[stage][c] + i);
    return damped ? z + s->drag[stage] * vw_load(rod->v[c] + i) : z;
}

// mass times that, and gravity, for nodes i ..
INLINE VW mass_times(const twRod* rod, const RodScheme* s, int stage, int c, int i, const bool damped)
{
    const double *diagonal = c == ROD_TURN ? rod->spin_mass : rod->mass,
                 *off = c == ROD_TURN ? rod->spin_off : rod->mass_off;
    VW m = vw_load(diagonal + i), before = vw_load(off + i - 1), after = vw_load(off + i);
    VW sum = m * counted(rod, s, stage, c, i, damped) + before * counted(rod, s, stage, c, i - 1, damped) +
             after * counted(rod, s, stage, c, i + 1, damped);
    if (c == ROD_TURN) return sum;
    return sum - (m + before + after) * (s->fall[stage] * ((const double*)&rod->gravity)[c]);
}

INLINE VW gradient(const twRod* rod, const RodScheme* s, int stage, int c, int i, const bool damped)
{
    VW g = vw_load(rod->g[stage][c] + i);
    return damped ? g - s->memory[stage] * vw_load(rod->g0[c] + i) : g;
}

INLINE void residual(twRod* rod, const bool damped, const bool sheared)
{
    // its numbers stay at hand in a copy: what is stored below might be them, as far as a compiler knows
    const RodScheme copy = rod->scheme, *s = &copy;
    const int dofs = sheared ? 6 : 4, rows = sheared ? 8 : 4, stride = 2 * rows;
    for (int i = 0; i < rod->n; i += W)
    {
        VW r[2][6], re[6], im[6], free_x = vw_load(rod->free_x + i), free_t = vw_load(rod->free_t + i);
        for (int c = 0; c < dofs; c++)
        {
            VW m1 = sheared ? vw_load(rod->mz[0][c] + i) : mass_times(rod, s, 0, c, i, damped);
            VW m2 = sheared ? vw_load(rod->mz[1][c] + i) : mass_times(rod, s, 1, c, i, damped);
            VW g1 = gradient(rod, s, 0, c, i, damped), g2 = gradient(rod, s, 1, c, i, damped);
            VW held = c < ROD_TURN ? free_x : free_t;
            for (int k = 0; k < 2; k++)
            {
                VW mass = damped ? s->row_mass[k][0] * m1 + s->row_mass[k][1] * m2 : k == 0 ? m1 : m2;
                r[k][c] = held * (mass + s->row_stiff[k][0] * g1 + s->row_stiff[k][1] * g2);
            }
        }
        for (int k = 0; k < 2; k++)
        {
            Axes axes = axes_load(&rod->trial[k], i);
            into_axes(&axes, r[k]);
        }
        for (int c = 0; c < dofs; c++)
        {
            re[c] = s->left_re[0] * r[0][c] + s->left_re[1] * r[1][c];
            im[c] = s->left_im[0] * r[0][c] + s->left_im[1] * r[1][c];
        }
        double* y = rod->y + (size_t)i * (size_t)stride;
        pack(re, y, stride);
        pack(im, y + rows, stride);
        if (!sheared) continue;
        for (int k = 0; k < W; k++)
            for (int c = 4; c < 6; c++) y[k * stride + c] = re[c][k], y[k * stride + rows + c] = im[c][k];
    }
    // nothing in the room beyond the last node
    memset(rod->y + (size_t)rod->n * (size_t)stride, 0, (size_t)(8 * stride) * sizeof(double));
}

static void kernel_residual(twRod* rod)
{
    bool damped = rod->alpha > 0 || rod->beta > 0;
    if (rod->shear)
    {
        for (int k = 0; k < 2; k++) tw_rod_mass_times(rod, k);
        if (damped)
            residual(rod, true, true);
        else
            residual(rod, false, true);
    }
    else if (damped)
        residual(rod, true, false);
    else
        residual(rod, false, false);
}

// ---- update ----

// frames: that the solution is in, of both stages
INLINE double update(twRod* rod, const RodTrial frames[2], const bool sheared)
{
    const RodScheme copy = rod->scheme, *s = &copy;
    const int dofs = sheared ? 6 : 4, rows = sheared ? 8 : 4, stride = 2 * rows;
    VW largest = (VW){0}, turned = (VW){0}, sum[2][3] = {{{0}}};
    const double r1 = 2 * s->right_re[0], i1 = 2 * s->right_im[0], r2 = 2 * s->right_re[1], i2 = 2 * s->right_im[1];
    for (int i = 0; i < rod->n; i += W)
    {
        VW re[6], im[6], change[2][6];
        const double* y = rod->y + (size_t)i * (size_t)stride;
        unpack(y, stride, re);
        unpack(y + rows, stride, im);
        if (sheared)
            for (int c = 4; c < 6; c++) re[c] = gather(y + c, stride), im[c] = gather(y + rows + c, stride);
        for (int c = 0; c < dofs; c++)
        {
            change[0][c] = r1 * re[c] - i1 * im[c];
            change[1][c] = r2 * re[c] - i2 * im[c];
            VW size = change[0][c] * change[0][c] + change[1][c] * change[1][c];
            if (c < ROD_TURN)
                largest = vw_max(largest, size);
            else
                turned = vw_max(turned, size);
        }
        for (int k = 0; k < 2; k++)
        {
            Axes axes = axes_load(&frames[k], i);
            out_of_axes(&axes, change[k]);
            for (int c = 0; c < dofs; c++)
            {
                VW z = vw_load(rod->z[k][c] + i) - change[k][c];
                vw_store(rod->z[k][c] + i, z);
                if (c < 3) sum[k][c] += vw_load(rod->row_mass + i) * z;
                vw_store(rod->stage[k][c] + i, vw_load(rod->stage[k][c] + i) - change[k][c]);
            }
        }
    }
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 3; c++) rod->sum_z[k][c] = sum_of(sum[k][c]);
    largest = vw_max(largest, rod->turn_radius * rod->turn_radius * turned);
    return largest_root(largest);
}

static double kernel_update(twRod* rod)
{
    return rod->shear ? update(rod, rod->trial, true) : update(rod, rod->trial, false);
}

// ---- after the iteration ----

// accelerations that went on in a straight line from those of the step before, less those there are
INLINE VW off_line(const double line[2][2], int stage, VW o1, VW o2, VW now)
{
    return line[stage][0] * o1 + line[stage][1] * o2 - now;
}

// off: how far the largest is off if it is guessed by a line
static double kernel_finish(twRod* rod, const double weight[8], const double shift[2][3], double* off)
{
    const RodScheme copy = rod->scheme, *s = &copy;
    const double d = 2 * s->offset, line[2][2] = {{1 - 1 / d, 1 / d}, {-1 / d, 1 + 1 / d}};
    double mix[8] = {0};
    for (int k = 0; weight && k < 8; k++) mix[k] = weight[k];
    VW largest = (VW){0}, missed = (VW){0};
    for (int c = 0; c < rod->dofs; c++)
        for (int i = 0; i < rod->n; i += W)
        {
            VW z1 = vw_load(rod->z[0][c] + i), z2 = vw_load(rod->z[1][c] + i), v = vw_load(rod->v[c] + i);
            if (c < 3) z1 += shift[0][c], z2 += shift[1][c];
            vw_store(rod->q[c] + i, vw_load(rod->q[c] + i) + (s->h * v + (s->place[0] * z1 + s->place[1] * z2)));
            vw_store(rod->v[c] + i, v + (s->speed[0] * z1 + s->speed[1] * z2));
            if (c >= 3) continue;
            largest = vw_max(largest, z1 * z1 + z2 * z2);
            VW a1 = s->stage_acc[0][0] * z1 + s->stage_acc[0][1] * z2,
               a2 = s->stage_acc[1][0] * z1 + s->stage_acc[1][1] * z2;
            VW o1 = vw_load(rod->acc[0][c] + i), o2 = vw_load(rod->acc[1][c] + i);
            vw_store(rod->acc[0][c] + i, a1);
            vw_store(rod->acc[1][c] + i, a2);
            const VW l1 = off_line(line, 0, o1, o2, a1), l2 = off_line(line, 1, o1, o2, a2);
            const VW m1 = s->row_force[0][0] * l1 + s->row_force[0][1] * l2,
                     m2 = s->row_force[1][0] * l1 + s->row_force[1][1] * l2;
            missed = vw_max(missed, m1 * m1 + m2 * m2);
            if (!weight) continue;
            vw_store(rod->sound_acc[c] + i, mix[0] * o1 + mix[1] * o2 + mix[2] * a1 + mix[3] * a2);
            vw_store(rod->sound_jerk[c] + i, mix[4] * o1 + mix[5] * o2 + mix[6] * a1 + mix[7] * a2);
        }
    *off = largest_root(missed);
    return largest_root(largest);
}
