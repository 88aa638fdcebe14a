// SPDX-License-Identifier: MIT
// The figures of `twang reproduce contact`.

#include "reproduce_contact.h"
#include "twang/media.h"
#include <math.h>

static twStatus save(twPlot* plot, const char* folder, const char* name, twError* err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    twStatus status = tw_plot_save(plot, path, err);
    tw_plot_destroy(plot);
    return status;
}

twStatus contact_plot(const char* folder, const char* name, const char* title, const char* y_label,
                      const ContactCurve* curves, int count, bool log_y, twError* err)
{
    twPlot* plot = tw_plot_create(title, 1);
    tw_plot_panel(plot, NULL, "time [s]", y_label);
    tw_plot_log(plot, false, log_y);
    for (int i = 0; i < count; i++)
        tw_plot_steps(plot, curves[i].x, curves[i].y, (size_t)curves[i].count, curves[i].label);
    return save(plot, folder, name, err);
}

twStatus contact_plot_steps(const char* folder, const char* name, const char* title, const twWorldStats* stats,
                            const char* const* labels, int count, twError* err)
{
    double x[2 * TW_STEP_BINS], y[2 * TW_STEP_BINS];
    twPlot* plot = tw_plot_create(title, 1);
    tw_plot_panel(plot, NULL, "length of a step [s]", "number of steps");
    tw_plot_log(plot, true, true);
    for (int k = 0; k < count; k++)
    {
        // both ends of each class, from the shortest on
        for (int i = 0; i < TW_STEP_BINS; i++)
        {
            const int bin = TW_STEP_BINS - 1 - i;
            x[2 * i] = ldexp(1, -bin - 1);
            x[2 * i + 1] = ldexp(1, -bin);
            y[2 * i] = y[2 * i + 1] = stats[k].step_bins[bin] ? (double)stats[k].step_bins[bin] : NAN;
        }
        tw_plot_line(plot, x, y, sizeof x / sizeof x[0], labels[k]);
    }
    tw_plot_x_range(plot, 1e-6, 2e-3);
    return save(plot, folder, name, err);
}
