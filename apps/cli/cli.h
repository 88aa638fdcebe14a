// SPDX-License-Identifier: MIT
#pragma once
#include "twang/scene.h"
#include <stdbool.h>

/// @file
/// The command line's frame: commands, options, errors, interruption, progress. No physics here.
///
/// A command is `int cmd_name(int argc, char** argv)`: argv[0] is the command's own name, the result is an exit code.
/// To add one: write apps/cli/cmd_name.c, declare it below, add a line to the table in main.c and the file to
/// CMakeLists.txt.

// ---- exit codes ----

enum
{
    CLI_OK = 0,
    CLI_FAILED = 1,         ///< failure at run time
    CLI_USAGE = 2,          ///< bad input or usage
    CLI_INTERRUPTED = 130,  ///< Ctrl-C
};

// ---- commands ----

/// What stands before the name of a command: "twang ". Each program has its own.
extern const char cli_prefix[];

int cmd_bake(int argc, char** argv);
int cmd_friction(int argc, char** argv);
int cmd_gallery(int argc, char** argv);
int cmd_impact(int argc, char** argv);
int cmd_info(int argc, char** argv);
int cmd_materials(int argc, char** argv);
int cmd_modes(int argc, char** argv);
int cmd_picture(int argc, char** argv);
int cmd_render(int argc, char** argv);
int cmd_reproduce(int argc, char** argv);
int cmd_sound(int argc, char** argv);
int cmd_strike(int argc, char** argv);

// ---- options ----

typedef enum CliKind
{
    CLI_FLAG,      ///< --name; out is bool*
    CLI_NUMBER,    ///< --name VALUE; out is double*
    CLI_INTEGER,   ///< --name VALUE; out is int*
    CLI_TEXT,      ///< --name VALUE; out is const char**
    CLI_LIST,      ///< --name VALUE, as often as wanted; out is CliList*
    CLI_CHOICE,    ///< --name VALUE, one of choices; out is int*, the index
    CLI_ARGUMENT,  ///< a positional argument, in the order of the table; out is const char**
} CliKind;

#define CLI_LIST_MAX 64

/// The values of an option that may be repeated.
typedef struct CliList
{
    const char* items[CLI_LIST_MAX];
    int count;
} CliList;

/// One option. What out holds before parsing is the default, and the help shows it.
typedef struct CliOption
{
    CliKind kind;
    const char* name;   ///< "--mass", "-o", or "-o|--output"; for an argument its name in the help: "SCENE.yaml"
    const char* value;  ///< name of the value in the help: "KG"; NULL for flags
    void* out;
    const char* help;            ///< what it means, in one line
    double low, high;            ///< range of a number, ends included; no check if both are 0
    bool above;                  ///< low itself is outside the range
    const char* unit;            ///< "kg", for messages; may be NULL
    const char* const* choices;  ///< ends with NULL
    bool* given;                 ///< becomes true if the option is there; may be NULL
    bool required;
} CliOption;

/// Everything the help of a command shows.
typedef struct CliUsage
{
    const char* command;  ///< "impact", or "reproduce impact"
    const char* summary;  ///< one line, no full stop
    const CliOption* options;
    int option_count;
    const char* notes;  ///< printed after the options: examples, meaning of the output; may be NULL
} CliUsage;

/// Parse argv[1] and on. @return true to go on; false if the command is over (help printed, or an error), with its exit
/// code in *code.
bool cli_parse(const CliUsage* usage, int argc, char** argv, int* code);

/// Parse a whole text as a finite number (decimal, no unit, no hexadecimal). @return NULL, or what is wrong with it
const char* cli_parse_number(const char* text, double* out);

// ---- errors ----

/// Print "twang COMMAND: message" to stderr. @return code
int cli_fail(const char* command, int code, const char* format, ...) TW_PRINTF(3, 4);
/// The same for an error of the library: its text, and the exit code that fits its status. An interrupted command has
/// written nothing, which is said.
int cli_fail_error(const char* command, const twError* err);

// ---- outputs ----

/// Whether a file that an option names can be written and has the right ending (NULL: any), to be asked before long work.
/// path may be NULL: not wanted. @return TW_BAD_INPUT for a wrong ending, TW_IO_ERROR if it cannot be written
twStatus cli_check_output(const char* option, const char* path, const char* ending, twError* err);
/// The same for a plot: the path must end with .svg or .png.
twStatus cli_check_plot(const char* option, const char* path, twError* err);

/// A level: true (1.0 = 20 Pa), peak=DBFS, loudness=LUFS or gain=FACTOR. @return TW_BAD_INPUT naming --level
twStatus cli_parse_level(const char* text, twLevelKind* kind, double* value, twError* err);

#define CLI_NUMBER_BYTES 32
/// A number for a table: three decimals, or four digits if it is very large or small. @return out
const char* cli_number(char out[CLI_NUMBER_BYTES], double value);
double cli_tidy(double x, double size);  ///< a coordinate of a body of that size, without the noise of rounding

// ---- interruption ----

void cli_catch_signals(void);  ///< SIGINT and SIGTERM set the flag; a second one kills at once
bool cli_interrupted(void);    ///< ask in long loops, then clean up and return CLI_INTERRUPTED

// ---- progress ----

/// A bar on stderr, with percentage and time left. Where stderr is no terminal: nothing for ten seconds, then a plain line
/// every ten seconds, unless quiet.
typedef struct CliProgress
{
    const char* label;
    double start, last;  ///< of the stage and of the last drawing or line [s]
    bool shown, enabled;
    bool quiet;  ///< no plain lines: a program reads the result (--json)
} CliProgress;

CliProgress cli_progress(const char* label);
void cli_progress_stage(CliProgress* progress, const char* label);  ///< the same work goes on, with another bar
void cli_progress_update(CliProgress* progress, double fraction);   ///< cheap: draws ten times a second at most
void cli_progress_end(CliProgress* progress);                       ///< clear the line

/// From here on nothing has to be cleaned up: if a signal has not ended the command a second later, because it waits for
/// a library that cannot be interrupted, leave at once, saying at which stage. NULL: not any more.
void cli_may_leave(const CliProgress* progress, const char* stage);
/// A result is complete and the command makes it better: it is told on stdout, with success, when a signal ends the command so.
/// Nothing has to be cleaned up from the next cli_may_leave() on. result stays the caller's; NULL: none any more.
void cli_keep(const char* result);

// ---- reproduce: theirs beside ours ----

/// One compared figure: ok if |ours - theirs| <= tolerance.
typedef struct CliRow
{
    char name[128];
    char detail[96];  ///< what was measured besides; "" if nothing
    char why[240];    ///< why ours is not theirs, or how it is meant; "" if there is nothing to say
    double theirs, ours, tolerance;
    bool claim;    ///< yes or no, as 1 and 0
    bool info;     ///< need not agree: a time, say
    bool least;    ///< ok if ours is not less than theirs by more than the tolerance
    bool purpose;  ///< ours differs on purpose, and why says so
    bool heading;  ///< starts a group
    bool skipped;  ///< a quick run leaves it out
} CliRow;

/// The figures of a run. Rows beyond the memory are counted and make the run fail.
typedef struct CliReport
{
    CliRow* rows;
    int count, capacity, lost;
    const char* folder;  ///< where figures go; NULL: none wanted
    bool quick;          ///< leave out what takes longer than a few seconds
} CliReport;

// Names are claims, and the same in every run: what is measured goes behind " | ", if not into a column.
void cli_report_heading(CliReport* report, const char* text);
void cli_report_row(CliReport* report, double theirs, double ours, double tolerance, const char* name, ...)
    TW_PRINTF(5, 6);
/// Ours must reach theirs, but for the tolerance.
void cli_report_least(CliReport* report, double theirs, double ours, double tolerance, const char* name, ...)
    TW_PRINTF(5, 6);
/// Two figures that need not agree; theirs may be NAN: not told.
void cli_report_info(CliReport* report, double theirs, double ours, const char* name, ...) TW_PRINTF(4, 5);
void cli_report_claim(CliReport* report, bool holds, const char* name, ...) TW_PRINTF(3, 4);  ///< theirs is yes
/// Two figures that differ on purpose: a misprint, a better method. why: one line.
void cli_report_differs(CliReport* report, double theirs, double ours, const char* why, const char* name, ...)
    TW_PRINTF(5, 6);
void cli_report_why(CliReport* report, const char* why);    ///< of the last row
void cli_report_skip(CliReport* report, const char* what);  ///< left out by a quick run

bool cli_row_ok(const CliRow* row);                ///< NaN is never ok
const char* cli_row_verdict(const CliRow* row);    ///< "agrees", "differs", "on purpose", "reached", "missed"; "": none
int cli_report_failures(const CliReport* report);  ///< rows that are not ok, and lost ones
int cli_report_compared(const CliReport* report);  ///< rows with a verdict

/// Add the rows of one source, and write its figures into report->folder. Asks cli_interrupted().
typedef twStatus (*CliReproduce)(CliReport* report, twError* err);
twStatus reproduce_contact(CliReport* report, twError* err);
twStatus reproduce_deform(CliReport* report, twError* err);
twStatus reproduce_friction(CliReport* report, twError* err);
twStatus reproduce_impact(CliReport* report, twError* err);
twStatus reproduce_rod_contact(CliReport* report, twError* err);
twStatus reproduce_rods(CliReport* report, twError* err);
