// SPDX-License-Identifier: MIT
// [twang_roll~]: a ball that rolls over a board, by micro-impacts (docs/pd.md).
#include "pd_travel.h"

PD_EXPORT void twang_roll_tilde_setup(void);

static t_class* roll_class;

// a wooden ball of 2 cm on a board
static const char roll_defaults[] =
    "-freq 92 187 251 396 522 748 1045 1490 2210 3380 -t60 0.25 0.22 0.18 0.15 0.12 0.1 0.08 0.06 0.04 0.03 -mass 1.05 "
    "-exciter mass 0.04 -weight 0.04 -stiffness 3e+07 -exponent 1.4 -dissipation 2 -radius 0.02 -asymmetry 0.35 "
    "-rms 2.5e-06 -beta -1.2 -longest 0.03 -shortest 0.0006 -seed 7 -speed 0.6";

static void* roll_new(t_symbol* selector, int argc, t_atom* argv)
{
    (void)selector;
    return travel_new(roll_class, roll_defaults, argc, argv);
}

void twang_roll_tilde_setup(void) { roll_class = travel_class("twang_roll~", (t_newmethod)roll_new, true); }
