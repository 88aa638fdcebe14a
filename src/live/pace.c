// SPDX-License-Identifier: MIT
#include "live/pace.h"
#include <math.h>

#define WINDOW 0.25  // in which it is seen how many steps wait; and how much they may be late at all [s]
#define HASTE 0.1    // faster by this at most
#define AGILITY 4    // velocity changes by so much in a step at most

Pace pace_make(double rate_hz, double step, int block)
{
    Pace p = {.per_sample = 1 / (rate_hz * step), .u = 1, .speed = 1};
    const double block_steps = block * p.per_sample;
    p.allowed = (int)ceil(block_steps) + 3;
    p.most = (int)fmax(ceil(WINDOW / step), 2 * p.allowed);
    p.window = (int)ceil(WINDOW * rate_hz);

    // a block is made at once, a step may just not be finished, and the one after it is needed too
    p.wait = (int)ceil((block_steps + 2) / p.per_sample);
    p.left = p.window;
    p.least = p.most;
    return p;
}

bool pace_due(const Pace* p) { return p->wait == 0 && p->u >= 1; }

bool pace_slowed(const Pace* p) { return p->wait == 0 && p->velocity < 0.99; }

double pace_take(Pace* p)
{
    p->u = fmin(p->u - 1, 1);
    const double ago = p->velocity > 0 ? p->u / (p->velocity * p->per_sample) : 0;
    return fmin(fmax(ago, 0), 1);
}

static void weigh(double u, float weight[3])
{
    weight[0] = (float)(0.5 * (1 - u) * (1 - u));
    weight[2] = (float)(0.5 * u * u);
    weight[1] = (float)(0.5 + u * (1 - u));
}

int pace_run(Pace* p, int room, bool more, float (*weight)[3])
{
    const double slew = AGILITY * p->per_sample;
    int n = 0;
    for (; n < room; n++)
    {
        if (p->wait > 0)
            p->wait--;
        else if (p->u >= 1 && more)
            break;
        else if (p->u < 1)
        {
            const double target = more ? p->speed : fmin(p->speed, 2 * (1 - p->u));
            p->velocity += fmin(fmax(target - p->velocity, -slew), slew);
        }
        else
            p->u = 1, p->velocity = 0;
        const double way = p->u < 1 ? p->velocity * p->per_sample : 0;
        weigh(fmin(p->u + 0.5 * way, 1), weight[n]);
        p->u += way;
    }
    return n;
}

void pace_watch(Pace* p, int samples, int waiting)
{
    if (waiting < p->least) p->least = waiting;
    p->left -= samples;
    if (p->left > 0) return;
    const double excess = (p->least - p->allowed) / (p->window * p->per_sample);
    p->speed = 1 + fmin(fmax(excess, 0), HASTE);
    p->left = p->window;
    p->least = p->most;
}
