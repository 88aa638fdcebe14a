// SPDX-License-Identifier: MIT
// Where modes sound to: for each a map of the level over azimuth and elevation, far away, below the loudest direction.

#include "bake_plot.h"
#include "twang/acoustics.h"
#include "twang/media.h"
#include <math.h>
#include <stdlib.h>

enum
{
    COLUMNS = 72,
    ROWS = 36,
    PANEL_COLUMNS = 3
};
static const double FAR = 100;        // radii
static const double LOWEST_DB = -30;  // below the loudest direction

typedef struct Room
{
    float *weights, *work;
} Room;

static twVec3 direction(int column, int row)
{
    double azimuth = 2 * TW_PI * ((column + 0.5) / COLUMNS - 0.5), elevation = TW_PI * ((row + 0.5) / ROWS - 0.5);
    return (twVec3){cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)};
}

static void add_mode(twPlot* plot, const twTransfer* t, int mode, const Room* room, float* levels)
{
    double most = 0;
    for (int i = 0; i < COLUMNS * ROWS; i++)
    {
        twVec3 d = tw_vec3_scale(direction(i / ROWS, i % ROWS), FAR * t->radius);
        tw_transfer_weights(t, tw_vec3_add(t->centre, d), room->weights, room->work);
        levels[i] = hypotf(room->weights[2 * mode], room->weights[2 * mode + 1]);
        most = fmax(most, levels[i]);
    }
    for (int i = 0; i < COLUMNS * ROWS; i++)
        levels[i] = (float)fmax(LOWEST_DB, most > 0 ? 20 * log10(levels[i] / most) : LOWEST_DB);
    char title[64];
    snprintf(title, sizeof title, "mode %d, %.0f Hz", mode + 1, t->freq_hz[mode]);
    tw_plot_panel(plot, title, "azimuth [degrees]", "elevation [degrees]");
    const twPlotHeat heat = {levels, COLUMNS, ROWS, {-180, 180}, {-90, 90}, LOWEST_DB, 0, "level [dB]"};
    tw_plot_heat(plot, &heat);
}

twStatus bake_plot_save(const char* path, const twTransfer* t, twError* err)
{
    float* levels = malloc(COLUMNS * ROWS * sizeof *levels);
    Room room = {malloc(2 * ((size_t)t->mode_count + 1) * sizeof(float)), malloc(tw_transfer_work(t) * sizeof(float))};
    twPlot* plot = tw_plot_create("Where modes sound to, far away", PANEL_COLUMNS);
    twStatus status = TW_OK;
    if (levels && room.weights && room.work)
    {
        for (int k = 0, drawn = 0; k < t->mode_count && drawn < BAKE_PLOT_MODES; k++)
            if (t->order[k] >= 0) add_mode(plot, t, k, &room, levels), drawn++;
        status = tw_plot_save(plot, path, err);
    }
    else
        status = tw_fail(err, TW_NO_MEMORY, "no memory for a picture of %d modes", t->mode_count);
    tw_plot_destroy(plot);
    free(levels);
    free(room.weights);
    free(room.work);
    return status;
}
