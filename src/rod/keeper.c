// SPDX-License-Identifier: MIT
// Keeps the energy of a rod without damping, and lets that of a damped one only fall.
//
// The Gauss scheme conserves the energy of linear motion; in large motion it gains or loses some, most of it in stretching
// vibrations too fast for the step. What energy minus work has more than at the start is taken from the velocities, without those of
// the rigid motion of a free rod (a projection: Hairer, Lubich, Wanner 2006, IV.4), so that it never rises. Most of what comes goes
// again by itself: therefore the highest of some steps is what is brought back to the start, not every one. Momentum and angular
// momentum do not change. A rod whose energy hardly changes is looked at now and then. With damping, energy minus work may be at
// most what it was when looked at last.
#include "couple.h"
#include "rod.h"
#include <math.h>

// velocity of the centre, and spin; mass-weighted over the nodes with the mass of their rows
typedef struct Rigid
{
    twVec3 centre, velocity, spin;
} Rigid;

static twVec3 at(double* const* a, int i) { return tw_vec3(a[0][i], a[1][i], a[2][i]); }

// the velocity field w x r of a turn about an axis through the centre, of points and edges
static void turn_field(const twRod* rod, twVec3 centre, twVec3 spin, double* const* out)
{
    for (int i = 0; i < rod->n; i++)
    {
        twVec3 v = tw_vec3_cross(spin, tw_vec3_sub(at(rod->q, i), centre));
        out[0][i] = v.x, out[1][i] = v.y, out[2][i] = v.z;
        out[ROD_TURN][i] = i < rod->ne ? tw_vec3_dot(spin, at(rod->t0, i)) : 0;
        for (int c = ROD_TILT; c < rod->dofs; c++) out[c][i] = 0;
    }
    tw_rod_wrap(rod, out, rod->dofs);
}

// the rigid motion that has the momentum and angular momentum of the velocities; M v is in mz[0]
static Rigid rigid_motion(twRod* rod)
{
    Rigid r = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double mass = 0;
    for (int i = 0; i < rod->n; i++)
    {
        double m = rod->mass[i] + rod->mass_off[i - 1] + rod->mass_off[i];
        mass += m;
        r.centre = tw_vec3_add_scaled(r.centre, at(rod->q, i), m);
        r.velocity = tw_vec3_add(r.velocity, at(rod->mz[0], i));
    }
    r.centre = tw_vec3_scale(r.centre, 1 / mass);
    r.velocity = tw_vec3_scale(r.velocity, 1 / mass);
    // inertia and angular momentum by the fields of turns about the three axes
    double inertia[9], momentum[3];
    for (int a = 0; a < 3; a++)
    {
        twVec3 axis = tw_vec3(a == 0, a == 1, a == 2);
        turn_field(rod, r.centre, axis, rod->scratch);
        momentum[a] = tw_rod_dot(rod, rod->scratch, rod->mz[0]);
        tw_rod_mass_of(rod, rod->scratch, rod->mz[1]);
        for (int b = 0; b < 3; b++)
        {
            turn_field(rod, r.centre, tw_vec3(b == 0, b == 1, b == 2), rod->scratch);
            inertia[b * 3 + a] = tw_rod_dot(rod, rod->scratch, rod->mz[1]);
        }
    }
    if (!tw_cholesky_factor(inertia, 3)) return r;
    tw_cholesky_solve(inertia, 3, momentum);
    r.spin = tw_vec3(momentum[0], momentum[1], momentum[2]);
    return r;
}

// its velocities into scratch. @return its energy [J]
static double rigid_part(twRod* rod)
{
    Rigid rigid = rigid_motion(rod);
    turn_field(rod, rigid.centre, rigid.spin, rod->scratch);
    for (int i = 0; i < rod->n; i++)
        for (int c = 0; c < 3; c++) rod->scratch[c][i] += ((const double*)&rigid.velocity)[c];
    // M v is orthogonal to the rest: its product with the rigid part is twice the rigid energy
    return 0.5 * tw_rod_dot(rod, rod->scratch, rod->mz[0]);
}

// v = base + scale (v - base); base in scratch, or 0
static void scale_about(twRod* rod, bool based, double scale)
{
    for (int c = 0; c < rod->dofs; c++)
        for (int i = 0; i < rod->n; i++)
        {
            double base = based ? rod->scratch[c][i] : 0;
            rod->v[c][i] = base + scale * (rod->v[c][i] - base);
        }
    tw_rod_wrap(rod, rod->v, rod->dofs);
}

static bool is_free(const twRod* rod) { return rod->support_count == 0; }

// all motion, but for the rigid one of a free rod
static void scale_motion(twRod* rod, double surplus, double kinetic)
{
    const double most_added = 1e-3, most_taken = 0.5;
    bool free = is_free(rod);
    if (free) kinetic -= rigid_part(rod);
    if (!(kinetic > 0)) return;
    double share = fmax(-most_added, fmin(most_taken, surplus / kinetic)), scale = sqrt(1 - share);
    scale_about(rod, free, scale);
}

// v += s change, with s so that the kinetic energy falls by the surplus, or by as much as it can:
//     T(s) = T + s v.M change + s^2/2 change.M change
// It never grows, whatever the change is. @return what was taken
static double take_along(twRod* rod, double** change, double surplus)
{
    tw_rod_mass_of(rod, change, rod->mz[1]);
    const double slope = tw_rod_dot(rod, rod->v, rod->mz[1]), curve = tw_rod_dot(rod, change, rod->mz[1]);
    if (!(slope < 0 && curve > 0)) return 0;
    const double root = slope * slope - 2 * curve * surplus, s = (-slope - sqrt(fmax(root, 0))) / curve;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < rod->n; i++) rod->v[c][i] += s * change[c][i];
    tw_rod_wrap(rod, rod->v, 3);
    return -s * (slope + 0.5 * s * curve);
}

// impulses along the edges against their rate of stretching: x = M^-1 J by Jacobi steps, since M is close to its diagonal.
// they neither push nor turn the whole. @return what was taken
static double calm_stretching(twRod* rod, double surplus)
{
    double **impulse = rod->mz[0], **change = rod->scratch;
    for (int c = 0; c < rod->dofs; c++)
        for (int i = -1; i <= rod->n; i++) impulse[c][i] = change[c][i] = 0;
    for (int j = 0; j < rod->ne; j++)
    {
        int k = (j + 1) % rod->n;
        twVec3 t = at(rod->t0, j);
        double rate = tw_vec3_dot(t, tw_vec3_sub(at(rod->v, k), at(rod->v, j)));
        double a = rod->free_x[j] / rod->mass[j], b = rod->free_x[k] / rod->mass[k],
               push = a + b > 0 ? rate / (a + b) : 0;
        for (int c = 0; c < 3; c++)
        {
            impulse[c][j] += push * ((const double*)&t)[c];
            impulse[c][k] -= push * ((const double*)&t)[c];
        }
    }
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < rod->n; i++)
            if (rod->free_x[i] == 0) impulse[c][i] = 0;
    for (int round = 0; round < 30; round++)
    {
        tw_rod_mass_of(rod, change, rod->mz[1]);
        for (int c = 0; c < 3; c++)
        {
            const double* restrict wanted = impulse[c], * restrict has = rod->mz[1][c], * restrict free = rod->free_x, * restrict mass = rod->mass;
            double* restrict to = change[c];
            for (int i = 0; i < rod->n; i++) to[i] += free[i] * (wanted[i] - has[i]) / mass[i];
        }
        tw_rod_wrap(rod, change, 3);
    }
    return take_along(rod, change, surplus);
}

// the kinetic energy falls by the surplus: by stretching if that is much, then by all motion
static void take(twRod* rod, double surplus, double kinetic)
{
    const double notable = 1e-7;  // of the kinetic energy: then it is stretching that grows
    if (surplus > notable * kinetic)
    {
        const double taken = calm_stretching(rod, surplus);
        surplus -= taken, kinetic -= taken;
        tw_rod_mass_of(rod, rod->v, rod->mz[0]);
    }
    scale_motion(rod, surplus, kinetic);
}

static void forget_range(twRod* rod) { rod->highest = -INFINITY, rod->lowest = 0; }

void tw_rod_begin_keeping(twRod* rod)
{
    const twRodEnergy now = tw_rod_energy(rod);
    rod->kept_energy = tw_rod_total(&now) - now.work;
    rod->keeping = rod->lively = true;
    forget_range(rod);
}

void tw_rod_lower_kept(twRod* rod, double energy)
{
    rod->kept_energy = fmin(rod->kept_energy, energy);
    forget_range(rod);
}

// what is little is left to those that keep the energy
void tw_rod_pay(twRod* rod, double energy)
{
    const double notable = 1e-10, kinetic = tw_rod_kinetic(rod);
    rod->kept_energy -= energy;
    if (energy > notable * kinetic) scale_motion(rod, energy, kinetic);
}

double tw_rod_kinetic_energy(twRod* rod)
{
    const double all = tw_rod_kinetic(rod);
    return is_free(rod) ? fmax(0, all - rigid_part(rod)) : all;
}

void tw_rod_keep_energy(twRod* rod, bool damped, bool settle)
{
    const twRodEnergy now = tw_rod_energy(rod);
    const double surplus = tw_rod_total(&now) - now.work - rod->kept_energy;
    if (surplus > 0) take(rod, surplus, now.kinetic);
    rod->highest = fmax(rod->highest, surplus), rod->lowest = fmin(rod->lowest, surplus);
    if (damped) rod->kept_energy += fmin(surplus, 0);
    if (!settle) return;
    const double notable = 1e-11, scale = tw_rod_total(&now) - now.gravity + fabs(now.gravity);
    rod->lively = rod->highest > notable * scale || (!damped && rod->lowest < -notable * scale);
    if (!damped && rod->highest < 0) scale_motion(rod, rod->highest, now.kinetic);
    forget_range(rod);
}

// what is not rigid motion becomes 1 - share of what it is; kinetic: of all
static void damp(twRod* rod, double share, double kinetic)
{
    bool held = false;
    for (int k = 0; k < rod->support_count; k++) held = held || rod->supports[k].def.kind != TW_ROD_SPRING;
    if (!held) kinetic -= rigid_part(rod);
    if (!(kinetic > 0)) return;
    scale_about(rod, !held, 1 - share);
    const double taken = (1 - (1 - share) * (1 - share)) * kinetic;
    if (rod->keeping) rod->kept_energy -= taken;
    if (rod->account) rod->dissipated += taken;
}

void tw_rod_damp(twRod* rod, double share)
{
    TW_ASSERT(rod && share >= 0 && share <= 1);
    const double kinetic = tw_rod_kinetic(rod);
    if (kinetic > 0) damp(rod, share, kinetic);
}

// Schweickart et al. 2017, section 5. The rigid motion is the projection of the velocities by the mass, with the inertia of the
// edges about themselves, so that a straight rod has one about its axis too; what is left has the rest of the energy.
void tw_rod_calm(twRod* rod, double threshold)
{
    TW_ASSERT(rod && threshold > 0);
    const double kinetic = tw_rod_kinetic(rod);
    const double speed = sqrt(2 * kinetic / rod->total_mass), weight = 1 - speed / threshold;
    if (weight > 0 && kinetic > 0) damp(rod, weight, kinetic);
}
