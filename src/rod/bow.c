// SPDX-License-Identifier: MIT
// Something that rubs a point of a rod: elasto-plastic friction, found together with the step.
//
// In a piece of a step of length h the point goes way = way_free + G f, by couple.h. With means over the piece, as in net_solve.c,
//
//     v = speed - way/h = v_free - b f,  b = G/h,     f = s0 (z + h y/2) + s1 y + s2 v + s3 w,     y = z'(v, z + h y/2)
//
// is one equation in y (bristle.h). Friction takes h f v - d(s0 z^2/2), without the noise; it can be negative only through s1. What was
// taken before pays for that, and if it does not, the piece is done with s1 = 0. Bristles that would swing around their steady bend get a k2
// larger than h/2, as in a network.
#include "contact/bristle.h"
#include "couple.h"
#include "rod.h"
#include <math.h>
#include <string.h>

#define BOW_LIMIT 1e6       // of speed [m/s] and normal force [N]
#define BOW_SETTLED 0.3     // of what the iteration leaves: a force may move the point so far
#define BOW_ROUND_OFF 1e-9  // of the way of the point in a piece

bool tw_rod_bow(twRod* rod, int point, twVec3 direction, const twFrictionLaw* law)
{
    TW_ASSERT(rod && law && point >= 0 && point < rod->n);
    const double length = sqrt(tw_vec3_dot(direction, direction));
    if (tw_friction_law_check(law, NULL) != TW_OK || !(length > 1e-100 && length < 1e100))
    {
        rod->stats.bad_inputs++;
        return false;
    }
    RodBow* b = &rod->bow;
    // elsewhere, or another way round, its bristles are straight
    const double d[3] = {direction.x / length, direction.y / length, direction.z / length};
    if (!b->held || b->point != point || memcmp(d, b->direction, sizeof d) != 0) b->z = b->y = b->force = 0;
    if (!b->held) b->noise = tw_noise(-1, rod->rate_hz, 1);
    memcpy(b->direction, d, sizeof d);
    b->held = true;
    b->point = point;
    b->law = *law;
    return true;
}

void tw_rod_bow_move(twRod* rod, double speed, double normal_force)
{
    TW_ASSERT(rod);
    if (!(fabs(speed) < BOW_LIMIT && normal_force < BOW_LIMIT))
    {
        rod->stats.bad_inputs++;
        return;
    }
    rod->bow.speed = speed;
    rod->bow.normal_force = normal_force;
}

double tw_rod_bow_force(const twRod* rod) { return rod->bow.force; }

void tw_rod_bow_begin(twRod* rod)
{
    RodBow* b = &rod->bow;
    b->rubs = b->held && b->normal_force > 0;
    if (!b->rubs)
    {
        b->z = b->y = b->force = 0;
        return;
    }
    b->noise_value = b->law.noise > 0 ? tw_noise_next(&b->noise) : 0;
}

static void push(twRod* rod, double force)
{
    double* const* f = tw_rod_forces(rod);
    rod->bow.pushed = force;
    for (int c = 0; c < 3; c++) f[c][rod->bow.point] = force * rod->bow.direction[c];
}

static double along(const twRod* rod, double* const* field)
{
    double sum = 0;
    for (int c = 0; c < 3; c++) sum += rod->bow.direction[c] * field[c][rod->bow.point];
    return sum;
}

static double way_of_point(const twRod* rod)
{
    tw_rod_way(rod, rod->scratch);
    return along(rod, rod->scratch);
}

void tw_rod_bow_open(twRod* rod)
{
    RodBow* b = &rod->bow;
    for (int c = 0; c < ROD_COUPLED; c++) memset(rod->scratch[c], 0, (size_t)rod->n * sizeof(double));
    for (int c = 0; c < 3; c++) rod->scratch[c][b->point] = b->direction[c];
    tw_rod_respond(rod, rod->scratch, rod->scratch);
    b->response = fmax(along(rod, rod->scratch), 0);
    b->guarded = false;
    b->k2 = 0.5 * rod->scheme.h;
    b->y_open = b->y;
    push(rod, b->force);
}

// the force of a solution y, and what friction takes with it
static double force_of(const RodBow* b, const Bristle* law, double s1, double h, double v, double y, double* taken)
{
    const double z1 = b->z + h * y, force = law->s0 * (b->z + b->k2 * y) + s1 * y + law->s2 * v;
    *taken = h * force * v - 0.5 * law->s0 * (z1 * z1 - b->z * b->z);
    return force + law->s3 * b->noise_value;
}

static double solve_with(RodBow* b, const Bristle* law, double h, double v_free, double* v, double* taken)
{
    const double mobility = b->response / h, s1 = b->guarded ? 0 : law->s1, k2 = b->k2;
    const double relief = 1 / (1 + law->s2 * mobility), k1 = -mobility * (law->s0 * k2 + s1) * relief;
    const double v_known = (v_free - mobility * (law->s0 * b->z + law->s3 * b->noise_value)) * relief;
    b->y_open = bristle_solve(law, v_known, b->z, k1, k2, b->y_open).y;
    *v = v_known + k1 * b->y_open;
    return force_of(b, law, s1, h, *v, b->y_open, taken);
}

static double solve(RodBow* b, const Bristle* law, double h, double v_free, double* taken)
{
    double v, force = solve_with(b, law, h, v_free, &v, taken);
    const bool settled = b->k2 > 0.5 * h;
    if (!settled && bristle_overshoots(law, v, b->z, b->y_open, h, &b->k2))
        force = solve_with(b, law, h, v_free, &v, taken);
    return force;
}

bool tw_rod_bow_follow(twRod* rod)
{
    RodBow* b = &rod->bow;
    const Bristle law = bristle(&b->law, b->normal_force);
    const double h = rod->scheme.h, way = way_of_point(rod), v_free = b->speed - (way - b->response * b->pushed) / h;
    double taken, force = solve(b, &law, h, v_free, &taken);
    if (!b->guarded && b->tank + taken < 0)
    {
        b->guarded = true;
        force = solve(b, &law, h, v_free, &taken);
    }
    const double change = fabs(b->response * (force - b->pushed));
    // the force of the step before is no answer, however near: what it misses would add up
    const bool near = change <= BOW_SETTLED * tw_rod_enough(rod) || change <= BOW_ROUND_OFF * fabs(way);
    if (near && rod->piece.iterations > 1) return true;
    push(rod, force);
    return false;
}

void tw_rod_bow_close(twRod* rod)
{
    RodBow* b = &rod->bow;
    const double way = way_of_point(rod);
    const double h = rod->scheme.h, s0 = b->law.stiffness, z1 = b->z + h * b->y_open;
    const double force = b->pushed - b->law.noise * b->noise_value, v = b->speed - way / h;
    b->tank = fmax(0, b->tank + h * force * v - 0.5 * s0 * (z1 * z1 - b->z * b->z));
    b->z = z1;
    b->y = b->y_open;
    b->force = b->pushed;
}
