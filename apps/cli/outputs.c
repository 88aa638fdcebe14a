// SPDX-License-Identifier: MIT
// What commands write: whether files can be written, asked before the work; numbers in tables.

#include "cli.h"
#include "twang/media.h"
#include <math.h>
#include <string.h>

static bool ends_with(const char* text, const char* ending)
{
    size_t n = strlen(text), m = strlen(ending);
    for (size_t i = 0; i < m; i++)
        if (n < m || (text[n - m + i] | 32) != (ending[i] | 32)) return false;
    return n > m;
}

twStatus cli_check_output(const char* option, const char* path, const char* ending, twError* err)
{
    twError inner;
    if (!path) return TW_OK;
    if (ending && !ends_with(path, ending))
        return tw_fail(err, TW_BAD_INPUT, "%s: '%s' must end with %s, which is what is written", option, path, ending);
    twStatus status = tw_file_check(path, &inner);
    return status == TW_OK ? TW_OK : tw_fail(err, status, "%s: %s", option, inner.text);
}

twStatus cli_check_plot(const char* option, const char* path, twError* err)
{
    twError inner;
    if (path && tw_plot_check(path, &inner) != TW_OK) return tw_fail(err, TW_BAD_INPUT, "%s: %s", option, inner.text);
    return cli_check_output(option, path, NULL, err);
}

twStatus cli_parse_level(const char* text, twLevelKind* kind, double* value, twError* err)
{
    static const struct
    {
        const char* name;
        twLevelKind kind;
        double low, high;
    } levels[] = {{"peak=", TW_LEVEL_PEAK, -120, 0},
                  {"loudness=", TW_LEVEL_LOUDNESS, -70, 0},
                  {"gain=", TW_LEVEL_GAIN, 1e-12, 1e12}};
    *kind = TW_LEVEL_GAIN;
    *value = 1 / TW_FULL_SCALE_PA;
    if (strcmp(text, "true") == 0) return TW_OK;
    for (int i = 0; i < 3; i++)
    {
        const size_t length = strlen(levels[i].name);
        if (strncmp(text, levels[i].name, length) != 0) continue;
        *kind = levels[i].kind;
        if (cli_parse_number(text + length, value) || !(*value >= levels[i].low && *value <= levels[i].high))
            return tw_fail(err, TW_BAD_INPUT, "--level '%s': a number from %g to %g must follow %s", text,
                           levels[i].low, levels[i].high, levels[i].name);
        return TW_OK;
    }
    return tw_fail(err, TW_BAD_INPUT, "--level '%s' must be true, peak=DBFS, loudness=LUFS or gain=FACTOR", text);
}

const char* cli_number(char out[CLI_NUMBER_BYTES], double value)
{
    bool plain = fabs(value) >= 0.01 && fabs(value) < 1e8;
    snprintf(out, CLI_NUMBER_BYTES, plain ? "%.3f" : "%.4g", value);
    return out;
}

double cli_tidy(double x, double size) { return fabs(x) < 1e-9 * size ? 0 : x; }
