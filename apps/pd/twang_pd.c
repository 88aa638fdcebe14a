// SPDX-License-Identifier: MIT
// What the externals share.
#include "twang_pd.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- objects ----

void* pd_make(t_class* class, size_t size, PdBuild build, PdProcess process)
{
    PdObject* x = (PdObject*)pd_new(class);
    memset((char*)x + sizeof(t_object), 0, size - sizeof(t_object));
    x->canvas = canvas_getcurrent();
    x->clock = clock_new(x, (t_method)build);
    x->rate_hz = sys_getsr() > 0 ? sys_getsr() : 48000;
    x->build = build;
    x->process = process;
    return x;
}

void pd_ports(PdObject* x, int inlets, int outlets)
{
    x->inlets = inlets;
    x->outlets = outlets;
    for (int i = 1; i < inlets; i++) signalinlet_new(&x->object, 0);
    for (int i = 0; i < outlets; i++) outlet_new(&x->object, &s_signal);
}

void pd_end(PdObject* x) { clock_free(x->clock); }

void pd_later(PdObject* x, double milliseconds) { clock_delay(x->clock, milliseconds); }

bool pd_waits(PdObject* x, bool fading, double milliseconds)
{
    bool waits = fading && x->built_hz == x->rate_hz;
    if (waits) pd_later(x, milliseconds);
    return waits;
}

// ---- signals ----

static void perform_piece(PdObject* x, double* const* in, double* const* out, int at, int n)
{
    for (int i = 0; i < x->inlets; i++)
        for (int k = 0; k < n; k++) in[i][k] = x->in[i][at + k];
    x->process(x, in, out, n);
    for (int i = 0; i < x->outlets; i++)
        for (int k = 0; k < n; k++) x->out[i][at + k] = (t_sample)out[i][k];
}

// piece by piece, since what comes in and what goes out may be the same memory
static t_int* perform(t_int* w)
{
    PdObject* x = (PdObject*)w[1];
    int n = (int)w[2];
    double in_block[PD_MAX_PORTS][PD_CHUNK], out_block[PD_MAX_PORTS][PD_CHUNK];
    double *in[PD_MAX_PORTS], *out[PD_MAX_PORTS];
    for (int i = 0; i < x->inlets; i++) in[i] = in_block[i];
    for (int i = 0; i < x->outlets; i++) out[i] = out_block[i];
    if (!(x->built_hz > 0))
        for (int i = 0; i < x->outlets; i++) memset(x->out[i], 0, (size_t)n * sizeof(t_sample));
    for (int at = 0; at < n && x->built_hz > 0; at += PD_CHUNK)
        perform_piece(x, in, out, at, n - at < PD_CHUNK ? n - at : PD_CHUNK);
    return w + 3;
}

// remember signals and rate
static void dsp(PdObject* x, t_signal** signals)
{
    for (int i = 0; i < x->inlets; i++) x->in[i] = signals[i]->s_vec;
    for (int i = 0; i < x->outlets; i++) x->out[i] = signals[x->inlets + i]->s_vec;
    x->rate_hz = signals[0]->s_sr;
    dsp_add(perform, 2, x, (t_int)signals[0]->s_n);
    if (x->built_hz != x->rate_hz) x->build(x);
}

// ---- classes ----

t_class* pd_class_of(const char* name, t_newmethod make, t_method freeing, size_t size)
{
    t_class* class = class_new(gensym(name), make, freeing, size, CLASS_DEFAULT, A_GIMME, 0);
    class_domainsignalin(class, (int)offsetof(PdObject, main_float));
    class_addmethod(class, (t_method)dsp, gensym("dsp"), A_CANT, 0);
    return class;
}

void pd_methods(t_class* class, t_method method, const char* const* selectors)
{
    for (; *selectors; selectors++) class_addmethod(class, method, gensym(*selectors), A_GIMME, 0);
}

// ---- creation arguments ----

// "-word": the word; a negative number is no symbol
static const char* flag_of(const t_atom* atom)
{
    if (atom->a_type != A_SYMBOL || atom->a_w.w_symbol->s_name[0] != '-') return NULL;
    return atom->a_w.w_symbol->s_name + 1;
}

void pd_flags(PdObject* x, int argc, t_atom* argv)
{
    int at = 0;
    if (argc > 0 && !flag_of(argv)) pd_fail(x, "creation arguments are messages with a dash, like -freq 440 880");
    while (at < argc && !flag_of(&argv[at])) at++;
    while (at < argc)
    {
        const char* flag = flag_of(&argv[at++]);
        int first = at;
        while (at < argc && !flag_of(&argv[at])) at++;
        // counts are read before
        if (strcmp(flag, "points") != 0 && strcmp(flag, "pickups") != 0 && strcmp(flag, "ins") != 0 &&
            strcmp(flag, "outs") != 0)
            pd_typedmess(&x->object.ob_pd, gensym(flag), at - first, argv + first);
    }
}

void pd_defaults(PdObject* x, const char* text)
{
    t_binbuf* buffer = binbuf_new();
    binbuf_text(buffer, text, strlen(text));
    pd_flags(x, binbuf_getnatom(buffer), binbuf_getvec(buffer));
    binbuf_free(buffer);
}

int pd_flag_count(PdObject* x, int argc, const t_atom* argv, const char* flag, int fallback, int most)
{
    for (int i = 0; i < argc; i++)
    {
        const char* name = flag_of(&argv[i]);
        if (!name || strcmp(name, flag) != 0) continue;
        double count;
        if (!pd_number(x, flag, i + 1 < argc ? 1 : 0, argv + i + 1, 1, most, &count)) return fallback;
        return (int)count;
    }
    return fallback;
}

// ---- errors and numbers ----

void pd_fail(PdObject* x, const char* format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pd_error(x, "%s: %s", class_getname(pd_class(&x->object.ob_pd)), text);
}

bool pd_ok(PdObject* x, twStatus status, const twError* err)
{
    if (status != TW_OK) pd_fail(x, "%s", err->text);
    return status == TW_OK;
}

// what an argument is, for errors
static const char* atom_text(const t_atom* atom, char text[MAXPDSTRING])
{
    atom_string(atom, text, MAXPDSTRING);
    return text;
}

static bool is_finite(const t_atom* atom) { return atom->a_type == A_FLOAT && isfinite(atom->a_w.w_float); }

// all of them must be finite numbers
static bool check_numbers(PdObject* x, const char* what, int argc, const t_atom* argv)
{
    char text[MAXPDSTRING];
    for (int i = 0; i < argc; i++)
        if (!is_finite(&argv[i]))
        {
            pd_fail(x, "%s: argument %d is '%.80s' where a finite number should be", what, i + 1,
                    atom_text(&argv[i], text));
            return false;
        }
    return true;
}

static bool check_count(PdObject* x, const char* what, int argc, int least, int most)
{
    if (argc >= least && argc <= most) return true;
    const char* few = argc < least && least < most ? "at least " : argc > most && least < most ? "at most " : "";
    int wanted = argc < least ? least : most;
    pd_fail(x, "%s takes %s%d number%s, not %d", what, few, wanted, wanted == 1 ? "" : "s", argc < 0 ? 0 : argc);
    return false;
}

double* pd_numbers(PdObject* x, const char* what, int argc, const t_atom* argv, int least, int most)
{
    if (!check_count(x, what, argc, least, most) || !check_numbers(x, what, argc, argv)) return NULL;
    double* numbers = malloc((size_t)argc * sizeof *numbers + 1);
    for (int i = 0; numbers && i < argc; i++) numbers[i] = argv[i].a_w.w_float;
    if (!numbers) pd_fail(x, "%s: no memory for %d numbers", what, argc);
    return numbers;
}

bool pd_fill(PdObject* x, const char* what, int argc, const t_atom* argv, int count, double* out)
{
    if (!check_count(x, what, argc, count, count) || !check_numbers(x, what, argc, argv)) return false;
    for (int i = 0; i < count; i++) out[i] = argv[i].a_w.w_float;
    return true;
}

bool pd_number(PdObject* x, const char* what, int argc, const t_atom* argv, double low, double high, double* out)
{
    char text[MAXPDSTRING];
    if (!check_count(x, what, argc, 1, 1)) return false;
    bool fits = is_finite(argv) && argv->a_w.w_float >= low && argv->a_w.w_float <= high;
    if (fits)
        *out = argv->a_w.w_float;
    else if (is_finite(argv))
        pd_fail(x, "%s %g must be in [%g, %g]", what, argv->a_w.w_float, low, high);
    else if (low < -1e9 && high > 1e9)
        pd_fail(x, "%s: '%.80s' where a finite number should be", what, atom_text(argv, text));
    else
        pd_fail(x, "%s: '%.80s' where a number in [%g, %g] should be", what, atom_text(argv, text), low, high);
    return fits;
}

bool pd_optional(PdObject* x, const char* what, int argc, const t_atom* argv, int count, const double* low,
                 const double* high, double* out)
{
    if (!check_count(x, what, argc, 0, count)) return false;
    for (int i = 0; i < argc; i++)
        if (!pd_number(x, what, 1, argv + i, low[i], high[i], &out[i])) return false;
    return true;
}

bool pd_words(PdObject* x, const char* what, int argc, const t_atom* argv, int count, const char** out)
{
    char text[MAXPDSTRING] = "missing";
    for (int i = 0; i < count; i++)
    {
        if (i >= argc || argv[i].a_type != A_SYMBOL)
        {
            pd_fail(x, "%s: argument %d is %.80s where a word should be", what, i + 1,
                    i < argc ? atom_text(&argv[i], text) : text);
            return false;
        }
        out[i] = argv[i].a_w.w_symbol->s_name;
    }
    return true;
}

bool pd_index(PdObject* x, const char* what, int argc, const t_atom* argv, int count, int* out)
{
    double number;
    if (!pd_number(x, what, argc, argv, 0, count - 1, &number)) return false;
    *out = (int)number;
    return true;
}
