// SPDX-License-Identifier: MIT
// [twang_scrape~]: a tip drawn over a rough surface that resonates (docs/pd.md).
#include "pd_travel.h"

PD_EXPORT void twang_scrape_tilde_setup(void);

static t_class* scrape_class;

// a metal tip on a cymbal
static const char scrape_defaults[] =
    "-freq 311 472 689 933 1288 1727 2260 3142 4105 5630 7411 9870 -t60 2.5 2.4 2.1 1.9 1.6 1.3 1.1 0.9 0.8 0.6 0.5 0.4 "
    "-mass 0.05 -exciter mass 0.002 -exciter decay 200 -stiffness 2e+06 -exponent 1.3 -dissipation 1 "
    "-rms 8e-06 -beta -0.8 -longest 0.01 -shortest 0.0001 -seed 11 -speed 0.3 -force 1.5";

static void* scrape_new(t_symbol* selector, int argc, t_atom* argv)
{
    (void)selector;
    return travel_new(scrape_class, scrape_defaults, argc, argv);
}

void twang_scrape_tilde_setup(void) { scrape_class = travel_class("twang_scrape~", (t_newmethod)scrape_new, false); }
