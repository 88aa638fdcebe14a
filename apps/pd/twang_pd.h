// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"
#include <m_pd.h>
#include <stdbool.h>

#if defined(__GNUC__)
#define PD_EXPORT __attribute__((visibility("default")))
#else
#define PD_EXPORT
#endif

/// @file
/// What the externals share: inlets and outlets, numbers that are checked, errors that name the object, and rebuilding between
/// blocks. Messages come in the thread that sounds, between blocks; perform routines only call what is real-time safe.

enum
{
    PD_CHUNK = 64,     ///< samples a perform routine works on at a time
    PD_MAX_PORTS = 64  ///< inlets, and outlets
};

#define PD_ANY 1e39  ///< above all numbers of Pd: what the right ones are is said elsewhere

typedef struct PdObject PdObject;
/// Make anew what sounds, for x->rate_hz, and say so in x->built_hz.
typedef void (*PdBuild)(PdObject* x);
/// n samples from inlets to outlets; what came in may be overwritten.
typedef void (*PdProcess)(PdObject* x, double* const* in, double* const* out, int n);

/// What every object begins with.
struct PdObject
{
    t_object object;
    t_float main_float;  ///< what the first inlet says if no signal comes
    t_canvas* canvas;    ///< where files are looked for
    t_clock* clock;      ///< builds once the messages of this instant are all in
    int inlets, outlets;
    t_sample *in[PD_MAX_PORTS], *out[PD_MAX_PORTS];
    double rate_hz;     ///< of the signals; before DSP is on that of Pd
    double built_hz;    ///< of what sounds; 0: nothing does
    PdBuild build;      ///< called when the rate changes, and by pd_later()
    PdProcess process;  ///< called as soon as something sounds
};

/// A new object of size bytes, all 0 but what is above.
void* pd_make(t_class* class, size_t size, PdBuild build, PdProcess process);
void pd_ports(PdObject* x, int inlets, int outlets);  ///< all of signals; the first inlet is there already
void pd_end(PdObject* x);                             ///< free what pd_make() took
void pd_later(PdObject* x, double milliseconds);      ///< build; 0: as soon as the messages of this instant are all in
/// While one sound gives way to another a third would jump: build later then, unless the rate is another. @return true if so
bool pd_waits(PdObject* x, bool fading, double milliseconds);
/// A class of such objects: its first inlet takes signals. freeing as in class_new().
t_class* pd_class_of(const char* name, t_newmethod make, t_method freeing, size_t size);
/// One method for many selectors; it gets (x, selector, argc, argv). NULL ends the list.
void pd_methods(t_class* class, t_method method, const char* const* selectors);

/// Creation arguments are messages: "-freq 440 880 -point 1" sends "freq 440 880" and "point 1" to the object itself.
void pd_flags(PdObject* x, int argc, t_atom* argv);
void pd_defaults(PdObject* x, const char* text);  ///< the same, written as text
/// The whole number after a flag, taken in the constructor before anything is built; or fallback.
int pd_flag_count(PdObject* x, int argc, const t_atom* argv, const char* flag, int fallback, int most);

// ---- errors and numbers ----

void pd_fail(PdObject* x, const char* format, ...) TW_PRINTF(2, 3);  ///< to the console, with the object's name
/// Say what went wrong, if something did. @return true if nothing did
bool pd_ok(PdObject* x, twStatus status, const twError* err);
/// All arguments as finite numbers in a new block, free() it; NULL, and an error, if they are not or not least to most of them.
double* pd_numbers(PdObject* x, const char* what, int argc, const t_atom* argv, int least, int most);
/// One number in [low, high]; argc must be 1. @return false, and an error, if it is not
bool pd_number(PdObject* x, const char* what, int argc, const t_atom* argv, double low, double high, double* out);
/// Up to count numbers in [low, high] each; those that do not come stay. @return false, and an error, if they are not
bool pd_optional(PdObject* x, const char* what, int argc, const t_atom* argv, int count, const double* low,
                 const double* high, double* out);
/// As many finite numbers as count says. @return false, and an error, if they are not
bool pd_fill(PdObject* x, const char* what, int argc, const t_atom* argv, int count, double* out);
/// The first count arguments as words. @return false, and an error, if they are not
bool pd_words(PdObject* x, const char* what, int argc, const t_atom* argv, int count, const char** out);
bool pd_index(PdObject* x, const char* what, int argc, const t_atom* argv, int count, int* out);  ///< 0 .. count - 1

// ---- modes by messages (pd_modes.c) ----

/// "freq", "series", "load" ...: the selectors that pd_modes_message() knows; NULL ends them.
extern const char* const pd_modes_selectors[];
/// Change a draft by a message. @return true if it changed
bool pd_modes_message(PdObject* x, twDraft* draft, const char* selector, int argc, const t_atom* argv);
