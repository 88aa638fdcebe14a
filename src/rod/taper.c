// SPDX-License-Identifier: MIT
// Sections of nodes where the taper of a rod has a kink.
//
// Where the taper is smooth, I at a node serves: the sum over the nodes is a trapezoidal rule. Where the slope of I jumps by J, so does
// that of the curvature u'', and the sum of 1/2 E I (turn)^2 is short by l^2/12 J u''^2 (beyond what the mass makes good in smooth
// rods too). With
//
//     I + (l- (I- - I) + l+ (I+ - I))/(6 (l- + l+))
//
// it is not. How much of a second difference is a kink: what sticks out of those of the two neighbours. J, for twist, likewise.
#include "rod.h"
#include <math.h>

static const twSection* around(const twRod* rod, const twRodDef* def, int i)
{
    return &def->sections[(i + rod->n) % rod->n];
}

static double bending(const twSection* s) { return s->moment[0] + s->moment[1]; }
static double twisting(const twSection* s) { return s->torsion; }

// second derivative along the rod at a node
static double second(const twRod* rod, const twRodDef* def, int i, double (*f)(const twSection*))
{
    double a = rod->rest_length[(i + rod->n - 1) % rod->n], b = rod->rest_length[(i + rod->n) % rod->n];
    double here = f(around(rod, def, i)), after = (f(around(rod, def, i + 1)) - here) / b;
    return 2 * (after - (here - f(around(rod, def, i - 1))) / a) / (a + b);
}

// how much of it is a kink, in terms of itself; 0: it is smooth
static double kink(const twRod* rod, const twRodDef* def, int i, double (*f)(const twSection*))
{
    const double most = 3;  // at 6 nothing might be left of the node's own section
    double a = second(rod, def, i - 1, f), b = second(rod, def, i, f), c = second(rod, def, i + 1, f);
    double middle = fmax(fmin(a, c), fmin(fmax(a, c), b));
    return b != 0 ? fmax(0, fmin(most, 1 - middle / b)) : 0;
}

void tw_rod_node_section(const twRod* rod, const twRodDef* def, int i, double moment[3], double* torsion)
{
    const twSection* own = &def->sections[def->section_count == 1 ? 0 : i];
    tw_rod_turn_tensor(own->moment[0], own->moment[1], own->angle, moment);
    *torsion = own->torsion;
    if (def->section_count == 1 || (!rod->closed && (i < 2 || i > rod->n - 3))) return;
    const double l[2] = {rod->rest_length[(i + rod->n - 1) % rod->n], rod->rest_length[i]},
                 mean = 1 / (6 * (l[0] + l[1]));
    const double bend = mean * kink(rod, def, i, bending), twist = mean * kink(rod, def, i, twisting);
    const double plain[3] = {moment[0], moment[1], moment[2]};
    for (int k = 0; k < 2; k++)
    {
        const twSection* s = around(rod, def, i + 2 * k - 1);
        double other[3];
        tw_rod_turn_tensor(s->moment[0], s->moment[1], s->angle, other);
        for (int c = 0; c < 3; c++) moment[c] += bend * l[k] * (other[c] - plain[c]);
        *torsion += twist * l[k] * (s->torsion - own->torsion);
    }
}
