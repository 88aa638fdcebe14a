// SPDX-License-Identifier: MIT
// Modes by messages: what an object is made of.
//
//   freq F ...          frequencies [Hz]; 0 is a free mass       decay C ...   [1/s], one for all or one per mode
//   series KIND F N     string, bar or cantilever                 t60 S ...     the same as times to fall by 60 dB
//   load FILE           a baked .twmodes                          mass M ...    [kg]
//   material NAME       decays of a built-in material             pitch, dampen: factors
//   mounting NAME       what holds it: free, hand, cloth
//   shape P W ...       point P: weights, a position, a place     pickup P W ...
#include "twang/acoustics.h"
#include "twang_pd.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char* const pd_modes_selectors[] = {"freq",   "series", "load",   "decay",    "t60",      "mass", "shape",
                                          "pickup", "pitch",  "dampen", "material", "mounting", NULL};

// ---- where frequencies come from ----

static bool message_series(PdObject* x, twDraft* draft, int argc, const t_atom* argv)
{
    twSeries kind;
    if (argc < 1 || argv[0].a_type != A_SYMBOL || !tw_series_parse(argv[0].a_w.w_symbol->s_name, &kind))
    {
        pd_fail(x, "series takes string, bar or cantilever, the first frequency, and how many modes");
        return false;
    }
    double* numbers = pd_numbers(x, "series", argc - 1, argv + 1, 2, 2);
    if (!numbers) return false;
    twError err;
    int count = (int)fmin(fmax(numbers[1], -1e9), 1e9);
    bool ok = pd_ok(x, tw_draft_series(draft, kind, numbers[0], count, &err), &err);
    free(numbers);
    return ok;
}

// as Pd finds files: beside the patch, then along its paths
static bool find_file(const PdObject* x, const char* name, char path[2 * MAXPDSTRING])
{
    char folder[MAXPDSTRING], *found;
    int file = canvas_open(x->canvas, name, "", folder, &found, sizeof folder, 1);
    if (file < 0) return false;
    sys_close(file);
    snprintf(path, 2 * MAXPDSTRING, "%s/%s", folder, found);
    return true;
}

static bool message_load(PdObject* x, twDraft* draft, int argc, const t_atom* argv)
{
    char path[2 * MAXPDSTRING];
    if (argc != 1 || argv[0].a_type != A_SYMBOL)
    {
        pd_fail(x, "load takes the name of a .twmodes file");
        return false;
    }
    const char* name = argv[0].a_w.w_symbol->s_name;
    if (!find_file(x, name, path))
    {
        pd_fail(x, "load: there is no %s beside the patch or along Pd's paths", name);
        return false;
    }
    twModeSet* set;
    twError err;
    if (!pd_ok(x, tw_mode_set_load(&set, path, &err), &err)) return false;
    if (set->transfer && !pd_ok(x, tw_transfer_damp(&set, set->transfer, &err), &err))
    {
        tw_mode_set_destroy(set);
        return false;
    }
    return pd_ok(x, tw_draft_set(draft, set, &err), &err);
}

// ---- numbers ----

typedef twStatus (*DraftNumbers)(twDraft* draft, const double* numbers, int count, twError* err);
typedef twStatus (*DraftRow)(twDraft* draft, int row, const double* numbers, int count, twError* err);

static twStatus draft_t60(twDraft* draft, const double* seconds, int count, twError* err)
{
    for (int i = 0; i < count; i++)
        if (!(seconds[i] >= 1e-5)) return tw_fail(err, TW_BAD_INPUT, "t60 %g must be at least 1e-05 s", seconds[i]);
    double* decay = malloc((size_t)count * sizeof *decay);
    if (!decay) return tw_fail(err, TW_NO_MEMORY, "no memory for %d numbers", count);
    for (int i = 0; i < count; i++) decay[i] = 6.907755278982137 / seconds[i];  // log 1000
    twStatus status = tw_draft_decay(draft, decay, count, err);
    free(decay);
    return status;
}

static bool message_numbers(PdObject* x, twDraft* draft, const char* what, DraftNumbers call, int argc,
                            const t_atom* argv)
{
    twError err;
    double* numbers = pd_numbers(x, what, argc, argv, 1, TW_MAX_DRAFT_MODES);
    bool ok = numbers && pd_ok(x, call(draft, numbers, argc, &err), &err);
    free(numbers);
    return ok;
}

static bool message_row(PdObject* x, twDraft* draft, const char* what, DraftRow call, int argc, const t_atom* argv)
{
    twError err;
    double* numbers = pd_numbers(x, what, argc, argv, 2, TW_MAX_DRAFT_MODES);
    if (!numbers) return false;
    int row = numbers[0] >= 0 && numbers[0] < TW_MAX_DRAFT_ROWS ? (int)numbers[0] : -1;
    bool ok = pd_ok(x, call(draft, row, numbers + 1, argc - 1, &err), &err);
    free(numbers);
    return ok;
}

static bool message_factor(PdObject* x, twDraft* draft, bool pitch, int argc, const t_atom* argv)
{
    twError err;
    double factor;
    if (!pd_number(x, pitch ? "pitch" : "dampen", argc, argv, pitch ? 1e-3 : 0, pitch ? 1e3 : 1e6, &factor))
        return false;
    return pd_ok(x, pitch ? tw_draft_pitch(draft, factor, &err) : tw_draft_damping(draft, factor, &err), &err);
}

static bool message_mounting(PdObject* x, twDraft* draft, int argc, const t_atom* argv)
{
    twError err;
    if (argc == 1 && argv[0].a_type == A_SYMBOL)
        return pd_ok(x, tw_draft_mounting(draft, argv[0].a_w.w_symbol->s_name, &err), &err);
    pd_fail(x, "mounting takes free, hand or cloth");
    return false;
}

static bool message_material(PdObject* x, twDraft* draft, int argc, const t_atom* argv)
{
    twError err;
    if (argc == 1 && argv[0].a_type == A_SYMBOL)
        return pd_ok(x, tw_draft_material(draft, argv[0].a_w.w_symbol->s_name, &err), &err);
    pd_fail(x, "material takes the name of a built-in material, like glass");
    return false;
}

bool pd_modes_message(PdObject* x, twDraft* draft, const char* selector, int argc, const t_atom* argv)
{
    if (strcmp(selector, "series") == 0) return message_series(x, draft, argc, argv);
    if (strcmp(selector, "load") == 0) return message_load(x, draft, argc, argv);
    if (strcmp(selector, "material") == 0) return message_material(x, draft, argc, argv);
    if (strcmp(selector, "mounting") == 0) return message_mounting(x, draft, argc, argv);
    if (strcmp(selector, "freq") == 0) return message_numbers(x, draft, selector, tw_draft_list, argc, argv);
    if (strcmp(selector, "decay") == 0) return message_numbers(x, draft, selector, tw_draft_decay, argc, argv);
    if (strcmp(selector, "t60") == 0) return message_numbers(x, draft, selector, draft_t60, argc, argv);
    if (strcmp(selector, "mass") == 0) return message_numbers(x, draft, selector, tw_draft_mass, argc, argv);
    if (strcmp(selector, "shape") == 0) return message_row(x, draft, selector, tw_draft_point, argc, argv);
    if (strcmp(selector, "pickup") == 0) return message_row(x, draft, selector, tw_draft_pickup, argc, argv);
    if (strcmp(selector, "pitch") == 0 || strcmp(selector, "dampen") == 0)
        return message_factor(x, draft, selector[0] == 'p', argc, argv);
    pd_fail(x, "there is no '%s' of modes; freq, series, load, decay, t60, mass, shape, pickup, material ... are known",
            selector);
    return false;
}
