// SPDX-License-Identifier: MIT
// A guess at the number of modes below a frequency w, before anything is solved. A body of volume V and surface S is
// taken for a plate of area S/2 and thickness h = 2 V / S, and three families of waves are counted by Weyl's law, as
// many as cells of the size of a wave have room (Courant and Hilbert, Methods of Mathematical Physics, 1, ch. 6):
//     bending         S/2 / (4 pi)     sqrt(12 (1 - nu^2)) / (h c)      w     c  = sqrt(E/rho)
//     in the plane    S/2 / (4 pi)     (1/ct^2 + 1/cp^2)                w^2   cp = c / sqrt(1 - nu^2)
//     through space   V / (6 pi^2)     (2/ct^3 + 1/cl^3)                w^3   ct, cl: shear and pressure waves
// The law counts the six rigid motions too. They are taken off for compact bodies; for thin ones, where V^2 / S^3 is far
// below the 1/216 of a cube, the free edges that it does not see make up for them.
// Measured on bars, plates, shells, rings, forks, tables and solids: right within a factor of three or so for ten modes,
// of two for a hundred. That is enough to place a shift, which decides on speed, not on results.
#include "fem/weyl.h"

// The surface, without looking for it: around a node inside, the faces opposite to it in its tets close to a polyhedron
// and their area vectors add up to zero; around one on the surface, to minus those of its outer faces. Sharp edges lose
// some.
static double surface(const FemSystem* system, const twFemDef* def, FemMemory* memory)
{
    // corners opposite to each corner, turning outward
    static const int opposite[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    twVec3* sum = fem_alloc(memory, (size_t)system->mesh_nodes, sizeof *sum);
    if (!sum) return 0;
    for (int e = 0; e < def->tets->tet_count; e++)
    {
        const int* node = def->tets->tets[e].n;
        for (int i = 0; i < 4; i++)
        {
            twVec3 a = system->x[node[opposite[i][0]]];
            twVec3 b = tw_vec3_sub(system->x[node[opposite[i][1]]], a);
            twVec3 c = tw_vec3_sub(system->x[node[opposite[i][2]]], a);
            sum[node[i]] = tw_vec3_add_scaled(sum[node[i]], tw_vec3_cross(b, c), 0.5);
        }
    }
    double area = 0;
    for (int i = 0; i < system->mesh_nodes; i++) area += tw_vec3_norm(sum[i]) / 3;
    fem_free(memory, sum);
    return area;
}

static double tet_volume(const FemSystem* system, const int* node)
{
    twVec3 a = system->x[node[0]], b = tw_vec3_sub(system->x[node[1]], a);
    twVec3 c = tw_vec3_sub(system->x[node[2]], a), d = tw_vec3_sub(system->x[node[3]], a);
    return tw_vec3_dot(b, tw_vec3_cross(c, d)) / 6;
}

void fem_weyl_add(FemWeyl* weyl, double volume, const FemSystem* system, const twMaterial* stuff)
{
    const twMaterial mean = tw_material_isotropic(stuff), *material = &mean;
    const double young = material->young / system->young, density = material->density / system->density;
    const double nu = material->poisson, slow = sqrt(density / young), ct = 1 / (slow * sqrt(2 * (1 + nu)));
    const double cl = 1 / (slow * sqrt((1 + nu) * (1 - 2 * nu) / (1 - nu)));
    weyl->line += volume * slow * sqrt(12 * (1 - nu * nu)) / (4 * TW_PI);
    weyl->area += volume * (1 / (ct * ct) + slow * slow * (1 - nu * nu)) / (4 * TW_PI);
    weyl->volume += volume * (2 / (ct * ct * ct) + 1 / (cl * cl * cl)) / (6 * TW_PI * TW_PI);
}

void fem_weyl_end(FemWeyl* weyl, double volume, double area)
{
    const double half = 0.5 * area;
    // V^2 / S^3, for a cube 1
    const double cube = 27 * volume * volume / fmax(half * half * half, volume * volume);
    weyl->line *= half * half / (volume * volume);
    weyl->area *= half / volume;
    weyl->rigid = 6 * fmin(1, cube * cube);
}

FemWeyl fem_weyl(const FemSystem* system, const twFemDef* def, FemMemory* memory)
{
    FemWeyl weyl = {0, 0, 0, 0};
    double volume = 0;
    for (int e = 0; e < def->tets->tet_count; e++)
    {
        const double part = tet_volume(system, def->tets->tets[e].n);
        fem_weyl_add(&weyl, part, system, &def->materials[def->tets->regions ? def->tets->regions[e] : 0]);
        volume += part;
    }
    fem_weyl_end(&weyl, volume, surface(system, def, memory));
    return weyl;
}

static double count_at(const FemWeyl* weyl, double w)
{
    return w * (weyl->line + w * (weyl->area + w * weyl->volume)) - weyl->rigid;
}

double fem_weyl_count(const FemWeyl* weyl, double lambda)
{
    return lambda > 0 ? fmax(0, count_at(weyl, sqrt(lambda))) : 0;
}

double fem_weyl_lambda(const FemWeyl* weyl, double count)
{
    double low = 0, high = 1;
    while (count_at(weyl, high) < count && high < 1e100) high *= 2;
    for (int i = 0; i < 60; i++)
    {
        double middle = 0.5 * (low + high);
        *(count_at(weyl, middle) < count ? &low : &high) = middle;
    }
    return low * low;
}
