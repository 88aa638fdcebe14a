// SPDX-License-Identifier: MIT
#pragma once
#include "twang/scene.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Rub: one friction contact under the microscope.

#define TW_RUB_COLUMNS 7

/// What a scene's friction contact does. Ranges, mean, stick fraction and pitch are over the second half of the run.
typedef struct twRub
{
    int64_t frames;
    double fundamental_hz;      ///< of the resonator's velocity; 0 if none is clear
    double v_r_min, v_r_max;    ///< resonator's velocity at the contact [m/s]
    double slip_min, slip_max;  ///< v_r - v_e [m/s]
    double v_e_mean;            ///< exciter's mean velocity at the contact [m/s]
    double stick_fraction;      ///< of the samples in which bristles take up at least half of the motion
    double normal_force;        ///< mean while gripping [N]
    double passive_speed;       ///< at that force, see tw_friction_passive_speed()
    twNetEnergy energy;
    twNetStats stats;
    int tail;                        ///< samples kept from the end of the run
    double* column[TW_RUB_COLUMNS];  ///< (tail) each: t, x_r, v_r, x_e, v_e, z, f
} twRub;

typedef struct twRubDef
{
    int contact;  ///< index of a contact with friction
    FILE* csv;    ///< NULL: none; one line per sample: t,x_r,v_r,x_e,v_e,z,f
    int tail;     ///< how many samples to keep at most
    bool (*keep_going)(double done, void* context);
    void* context;
} twRubDef;

twStatus tw_rub(twRub* out, const twScene* scene, const twRubDef* def, twError* err);
void tw_rub_free(twRub* rub);

#ifdef __cplusplus
}
#endif
