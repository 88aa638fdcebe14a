// SPDX-License-Identifier: MIT
// What every render must hold, the same for all kinds of scenes: energy only goes down, nothing is infinite, nothing is clipped, and
// what is at rest is silent.
//
// Each kind tells its energy otherwise. A network of objects and a world of bodies watch each step for a rise that no work
// explains, rods by themselves every so many.

#include "render.h"
#include "yaml.h"
#include <string.h>

#define RISE_PART 1e-6       // of the largest energy: what rounding and tolerances of solvers may do in a whole run
#define REST_SECONDS 0.1     // of the end
#define WINDOW_SECONDS 0.01  // of what is loudest

// ---- energy ----

static void add_energy(twRenderCheck* check, double rise, double rises, double most)
{
    check->energy_rise = fmax(check->energy_rise, rise);
    check->energy_rises += fmax(rises, 0);
    check->energy_most = fmax(check->energy_most, most);
}

// of rods by themselves
static void check_rods(twRenderCheck* check, const twRenderReport* report)
{
    for (int i = 0; i < report->rod_count; i++)
    {
        const twRenderRod* r = &report->rods[i];
        add_energy(check, r->largest_rise, r->total_rise, r->largest_energy);
    }
}

static void check_objects(twRenderCheck* check, const twRenderReport* report)
{
    const twNetEnergy* e = &report->energy;
    const double came = fabs(e->stored_start) + fabs(e->work_in) + fabs(e->noise_work);
    add_energy(check, e->gain_max, fmax(e->gain_max, e->balance_error), came);
    check->failures += report->stats.unconverged;
    check->not_finite += report->stats.resets + report->stats.bad_inputs;
}

static void check_world(twRenderCheck* check, const twRenderWorld* w)
{
    add_energy(check, w->energy.largest_rise, w->energy.total_rise,
               fmax(w->largest_energy, 1e-6 * fabs(w->energy.start)));
    check->failures += w->stats.failures;
    check->not_finite += w->stats.lost;
}

// ---- sound ----

// mean square of so many values
static double mean_square(const float* x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return n > 0 ? sum / (double)n : 0;
}

double render_rest_db(const float* samples, int64_t frames, int channels, double rate_hz, double least)
{
    const int64_t window = (int64_t)fmax(1, WINDOW_SECONDS * rate_hz), rest = (int64_t)fmax(1, REST_SECONDS * rate_hz);
    double loudest = 0;
    for (int64_t i = 0; i + window <= frames; i += window)
        loudest = fmax(loudest, mean_square(samples + i * channels, window * channels));
    if (!(loudest > 0) || frames < rest) return NAN;
    const double end = mean_square(samples + (frames - rest) * channels, rest * channels);
    return 10 * log10(fmax(end / fmax(loudest, least * least), 1e-20));
}

// ---- the whole ----

void render_check(twRenderReport* report, const twScene* scene)
{
    twRenderCheck* check = &report->check;
    const double spent = report->world.given ? report->world.seconds + (report->heard ? report->hearing.seconds : 0)
                                             : report->compute_seconds;
    const double rest_db = check->rest_db;  // the sound was looked at before
    *check = (twRenderCheck){.given = true, .seconds = scene->duration, .rest_db = rest_db, .peak_dbfs = -INFINITY};
    check->cost = spent / scene->duration;
    if (scene->object_count > 0) check_objects(check, report);
    if (report->world.given) check_world(check, &report->world);
    if (report->rod_count > 0 && !report->world.given) check_rods(check, report);
    for (int i = 0; i < report->rod_count; i++) check->not_finite += report->rods[i].stats.stops;
    for (int i = 0; report->listeners && i < scene->listener_count; i++)
        check->not_finite += report->listeners[i].bad_values;
    for (int i = 0; i < report->output_count; i++)
    {
        const double peak = report->outputs[i].level.peak;
        if (!isfinite(peak)) check->not_finite++;
        check->peak_dbfs = fmax(check->peak_dbfs, 20 * log10(peak));
    }
}

bool tw_check_passive(const twRenderCheck* check) { return check->energy_rises <= RISE_PART * check->energy_most; }

bool tw_check_finite(const twRenderCheck* check)
{
    return check->not_finite == 0 && isfinite(check->energy_rises) && !isnan(check->peak_dbfs);
}

bool tw_check_unclipped(const twRenderCheck* check) { return !(check->peak_dbfs > 0); }

bool tw_check_silent(const twRenderCheck* check) { return isnan(check->rest_db) || check->rest_db <= TW_CHECK_REST_DB; }

// ---- in words, and back ----

void render_check_json(twJson* json, const twRenderCheck* check)
{
    tw_json_object(json, "check");
    tw_json_number(json, "seconds", check->seconds);
    tw_json_number(json, "cost", check->cost);
    tw_json_number(json, "energy_rise", check->energy_rise);
    tw_json_number(json, "energy_rises", check->energy_rises);
    tw_json_number(json, "energy_most", check->energy_most);
    tw_json_integer(json, "failures", check->failures);
    tw_json_integer(json, "not_finite", check->not_finite);
    tw_json_number(json, "peak_dbfs", check->peak_dbfs);
    tw_json_number(json, "rest_db", check->rest_db);
    tw_json_bool(json, "no_energy_rise", tw_check_passive(check));
    tw_json_bool(json, "finite", tw_check_finite(check));
    tw_json_bool(json, "no_clipping", tw_check_unclipped(check));
    tw_json_end(json);
}

// a number, or what null stands for
static double number_or(const twNode* map, const char* key, double null)
{
    const twNode* node = yaml_get(map, key);
    if (!node || (node->kind == TW_NODE_SCALAR && strcmp(node->text, "null") == 0)) return null;
    return yaml_number(map, key, yaml_any(NULL), null);
}

static void read_check(twRenderCheck* out, const twNode* map)
{
    const double many = 1e15;
    *out = (twRenderCheck){.given = true};
    out->seconds = yaml_need_number(map, "seconds", yaml_not_negative("s"));
    out->cost = number_or(map, "cost", NAN);
    out->energy_rise = number_or(map, "energy_rise", NAN);
    out->energy_rises = number_or(map, "energy_rises", NAN);
    out->energy_most = number_or(map, "energy_most", NAN);
    out->failures = yaml_need_integer(map, "failures", 0, (int64_t)many);
    out->not_finite = yaml_need_integer(map, "not_finite", 0, (int64_t)many);
    out->peak_dbfs = number_or(map, "peak_dbfs", -INFINITY);
    out->rest_db = number_or(map, "rest_db", NAN);
}

twStatus tw_render_check_load(twRenderCheck* out, const char* path, twError* err)
{
    twYaml* doc;
    *out = (twRenderCheck){0};
    // JSON is YAML
    twStatus status = yaml_load(&doc, path, err);
    if (status != TW_OK) return status;
    const twNode* map = yaml_map(doc->root, "check");
    if (map) read_check(out, map);
    status = yaml_status(doc, err);
    if (status == TW_OK && !map)
        status = tw_fail(err, TW_BAD_INPUT, "%s: no 'check' in it: it is of an earlier version; render again", path);
    yaml_destroy(doc);
    return status;
}
