// SPDX-License-Identifier: MIT
// Exact motion of a mass on a wall: the phase curve of one contact, and bouncing event by event.
//
//   x(v)^(a+1) = m (a+1)/(k mu^2) (y_in - log(1 + y_in) - y + log(1 + y)),  y = mu v           (3) of Papetti et al. 2009
//
// In contact m x'' = m g - f(x, x') by classic Runge-Kutta in fine steps. x^a is not smooth at 0, which would spoil the
// order, so steps are as short as sqrt(x) near the wall. The release is found by Newton on the length of the last step.
// In flight x = v t + g t^2/2, back at the wall after 2 |v|/g with the speed of the release.

#include "hunt.h"
#include "twang/contact.h"

double tw_impact_compression(const twImpactLaw* law, double mass, double v_in, double v)
{
    double mu = law->dissipation, p = law->exponent + 1;
    double phi = mu > 0 ? (hunt_log_gap(mu * v_in) - hunt_log_gap(mu * v)) / (mu * mu) : 0.5 * (v_in * v_in - v * v);
    return pow(mass * p / law->stiffness * fmax(phi, 0), 1 / p);
}

// ---- one contact ----

typedef struct Motion
{
    double x, v;
} Motion;

static double acceleration(const twWallDef* def, double x, double v)
{
    return def->gravity - tw_impact_force(&def->law, x, v) / def->mass;
}

static Motion advance(const twWallDef* def, Motion s, double h)
{
    double v1 = s.v, a1 = acceleration(def, s.x, s.v);
    double v2 = s.v + 0.5 * h * a1, a2 = acceleration(def, s.x + 0.5 * h * v1, v2);
    double v3 = s.v + 0.5 * h * a2, a3 = acceleration(def, s.x + 0.5 * h * v2, v3);
    double v4 = s.v + h * a3, a4 = acceleration(def, s.x + h * v3, v4);
    return (Motion){s.x + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), s.v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)};
}

// the step (at most h) after which x = 0
static double release_step(const twWallDef* def, Motion from, double h)
{
    double step = h * from.x / (from.x - advance(def, from, h).x);
    for (int i = 0; i < 20; i++)
    {
        Motion to = advance(def, from, step);
        double change = -to.x / to.v;
        step = fmin(fmax(step + change, 0), h);
        if (fabs(change) <= 1e-15 * h) break;
    }
    return step;
}

#define STEPS_PER_CONTACT 1024
#define SHORTEST_STEP 0.015625  // of the longest
#define CONTACTS_LIMIT 8        // a contact that lasts this many times longer than without gravity does not end

// fill release and v_out from touch and v_in. @return false if the contact does not end
static bool pass_contact(const twWallDef* def, twWallEvent* event)
{
    twImpactExact exact = tw_impact_exact(&def->law, def->mass, event->v_in);
    double longest = exact.contact_time / STEPS_PER_CONTACT;
    Motion s = {0, event->v_in};
    for (double t = 0; t < CONTACTS_LIMIT * exact.contact_time;)
    {
        double h = longest * fmin(fmax(sqrt(s.x / exact.x_max), SHORTEST_STEP), 1);
        Motion next = advance(def, s, h);
        if (next.x <= 0)
        {
            double last = release_step(def, s, h);
            event->release = event->touch + t + last;
            event->v_out = advance(def, s, last).v;
            return event->v_out < 0;
        }
        s = next;
        t += h;
    }
    return false;
}

// ---- bouncing ----

int tw_wall_events(const twWallDef* def, double end, twWallEvent* events, int max)
{
    double g = def->gravity, touch = 0, v_in = def->velocity;
    int count = 0;
    // thrown away from the wall: back after a flight
    if (v_in < 0 && g > 0)
    {
        touch = -2 * v_in / g;
        v_in = -v_in;
    }
    while (count < max && v_in > 0 && touch < end)
    {
        twWallEvent* event = &events[count];
        *event = (twWallEvent){.touch = touch, .v_in = v_in};
        if (!pass_contact(def, event)) break;
        count++;
        if (!(g > 0)) break;
        touch = event->release - 2 * event->v_out / g;
        v_in = -event->v_out;
    }
    return count;
}
