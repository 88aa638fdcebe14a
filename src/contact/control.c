// SPDX-License-Identifier: MIT
// Control layers: what moves the things that sound. Rolling (Rath 2003; Rath and Rocchesso 2005): the height under the
// ball's centre drives the contact as micro-impacts, and the ball's asymmetry modulates its weight once a turn. Scraping:
// the same without a ball. Bouncing: a weight factor drawn anew at each rebound. Pointer: Avanzini et al. 2005, VI.

#include "twang/contact.h"
#include "twang/math.h"

double tw_travel_next(twTravel* travel, double speed, double dt, double* weight_factor)
{
    travel->position += speed * dt;
    if (weight_factor) *weight_factor = 1;
    if (travel->radius > 0)
    {
        travel->angle = fmod(travel->angle + speed * dt / travel->radius, 2 * TW_PI);
        if (weight_factor) *weight_factor = 1 + travel->asymmetry * sin(travel->angle);
    }
    return travel->profile ? tw_profile_height(travel->profile, travel->position) : 0;
}

twBounce tw_bounce(double irregularity, uint64_t seed)
{
    return (twBounce){.rng = tw_rng(seed), .irregularity = fmin(fmax(irregularity, 0), 1), .factor = 1};
}

double tw_bounce_next(twBounce* bounce, long rebounds)
{
    if (rebounds != bounce->rebounds) bounce->factor = 1 + bounce->irregularity * tw_rng_between(&bounce->rng, -1, 1);
    bounce->rebounds = rebounds;
    return bounce->factor;
}

twPointer tw_pointer(double force_min, double force_max, double normal_min, double normal_max, double smooth)
{
    return (twPointer){.force_min = force_min,
                       .force_max = force_max,
                       .normal_min = normal_min,
                       .normal_max = normal_max,
                       .smooth = smooth,
                       .force = force_min,
                       .normal = normal_min};
}

// the unit interval; what is not a number counts as 0
static double unit(double x) { return x > 0 ? fmin(x, 1) : 0; }

void tw_pointer_next(twPointer* pointer, double x, double y, double dt)
{
    double force = pointer->force_min + (pointer->force_max - pointer->force_min) * unit(x);
    double normal = pointer->normal_min + (pointer->normal_max - pointer->normal_min) * unit(y);
    double step = pointer->smooth > 0 ? -expm1(-dt / pointer->smooth) : 1;
    pointer->force += step * (force - pointer->force);
    pointer->normal += step * (normal - pointer->normal);
}

// ---- ramps ----

twRamp tw_ramp(double value) { return (twRamp){.value = value, .target = value}; }

void tw_ramp_to(twRamp* ramp, double target, int samples)
{
    if (!isfinite(target)) return;
    ramp->target = target;
    ramp->left = samples > 0 ? samples : 0;
    if (ramp->left == 0) ramp->value = target;
}

double tw_ramp_next(twRamp* ramp)
{
    double value = ramp->value;
    if (ramp->left > 0)
    {
        ramp->value += (ramp->target - ramp->value) / ramp->left;
        if (--ramp->left == 0) ramp->value = ramp->target;
    }
    return value;
}
