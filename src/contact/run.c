// SPDX-License-Identifier: MIT
// A mass on a wall, measured while it is stepped: contacts, rebounds, energy. The compression is xc, which is what the
// law sees (DG and QI keep it beside the position).

#include "twang/contact.h"
#include "twang/math.h"

static void contact_begin(twWallRun* run, double start)
{
    run->contacts++;
    run->last = (twWallContact){.start = start, .began = true};
}

twWallRun tw_wall_run(const twWall* start)
{
    twWallRun run = {.wall = *start, .finite = true};
    run.energy_start = run.energy_max = tw_wall_energy(start);
    if (start->x == 0 && start->v > 0) contact_begin(&run, 0);
    run.first = run.last;
    return run;
}

// the instant at which a straight line from x0 (one sample ago) to x1 crosses 0
static double crossing(const twWallRun* run, double x0, double x1)
{
    double share = x1 != x0 ? fmin(fmax(x0 / (x0 - x1), 0), 1) : 0;
    return ((double)(run->steps - 1) + share) / run->wall.def.rate_hz;
}

static void watch_contact(twWallRun* run, double x0)
{
    const twWall* wall = &run->wall;
    twWallContact* contact = &run->last;
    bool touching = contact->began && !contact->over;
    if (wall->closed && !touching)
        contact_begin(run, crossing(run, fmin(x0, 0), wall->xc));
    else if (touching)
        contact->samples++;
    contact->x_max = fmax(contact->x_max, wall->closed ? wall->xc : 0);
    if (!wall->closed && touching)
    {
        contact->over = true;
        contact->end = crossing(run, fmax(x0, 0), fmin(wall->xc, 0));
        contact->v_out = wall->v;
    }
    if (run->contacts == 1) run->first = *contact;
}

void tw_wall_run_step(twWallRun* run)
{
    double x0 = run->wall.closed ? run->wall.xc : run->wall.x, before = tw_wall_energy(&run->wall);
    tw_wall_step(&run->wall);
    run->steps++;
    watch_contact(run, x0);

    double after = tw_wall_energy(&run->wall);
    run->gain_max = fmax(run->gain_max, after - before);
    run->energy_max = fmax(run->energy_max, after);
    if (run->wall.iterations > run->iterations_max) run->iterations_max = run->wall.iterations;
    if (!isfinite(after) || !isfinite(run->wall.x)) run->finite = false;
}
