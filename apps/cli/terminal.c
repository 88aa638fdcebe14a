// SPDX-License-Identifier: MIT
// What the command line says besides its results: errors, progress; and how it hears Ctrl-C.
#define _POSIX_C_SOURCE 200809L

#include "cli.h"
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GRACE 1  // to stop by itself [s]
#define PROGRESS_CLEAR "\r\033[K"
#define PROGRESS_WIDTH 30
#define PROGRESS_INTERVAL 0.1  // between two drawings [s]
#define PROGRESS_TELLS 0.5     // from when on the time left means something [s]
#define LINE_INTERVAL 10       // between two plain lines [s]
#define NOTHING_KEPT "; nothing was written"

// ---- errors ----

int cli_fail(const char* command, int code, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    if (command)
        fprintf(stderr, "%s%s: ", cli_prefix, command);
    else
        fputs("twang: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

int cli_fail_error(const char* command, const twError* err)
{
    int code = err->status == TW_BAD_INPUT ? CLI_USAGE : err->status == TW_INTERRUPTED ? CLI_INTERRUPTED : CLI_FAILED;
    bool said = code != CLI_INTERRUPTED || strstr(err->text, NOTHING_KEPT);
    return cli_fail(command, code, "%s%s", err->text, said ? "" : NOTHING_KEPT);
}

// ---- interruption ----

static volatile sig_atomic_t interrupted, may_leave;
static char farewell[160];
static const char* volatile kept;  // what to say instead on stdout, with success

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
    alarm(GRACE);
}

// a library that cannot be interrupted is still at work: leave without it, or wait on if there is something to clean up
static void on_alarm(int number)
{
    (void)number;
    if (!may_leave)
    {
        alarm(GRACE);
        return;
    }
    ssize_t written = write(STDERR_FILENO, farewell, strlen(farewell));
    if (kept) written = write(STDOUT_FILENO, kept, strlen(kept));
    (void)written;  // nothing can be done about it
    _exit(kept ? CLI_OK : CLI_INTERRUPTED);
}

static void catch_signal(int number)
{
    // what the parent has us ignore (nohup) stays ignored; the handler resets, so that a second signal kills
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN) return;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    // a pipe that nobody reads and a limit of size are writes that fail, and what they leave is cleaned up
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

bool cli_interrupted(void) { return interrupted != 0; }

void cli_may_leave(const CliProgress* progress, const char* stage)
{
    may_leave = 0;
    if (!stage) return;
    snprintf(farewell, sizeof farewell, "%stwang: interrupted at stage \"%s\"%s\n",
             progress->shown ? PROGRESS_CLEAR : "", stage, kept ? "" : NOTHING_KEPT);
    may_leave = 1;
}

void cli_keep(const char* result)
{
    may_leave = 0;
    kept = result;
}

// ---- progress ----

CliProgress cli_progress(const char* label)
{
    const char* terminal = getenv("TERM");
    bool enabled = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    double now = tw_seconds();
    return (CliProgress){.label = label, .start = now, .last = now, .enabled = enabled};
}

static void time_left(char* text, size_t size, double seconds)
{
    if (seconds < 90)
        snprintf(text, size, "  %.0f s left", seconds);
    else if (seconds < 5400)
        snprintf(text, size, "  %.0f min left", seconds / 60);
    else
        snprintf(text, size, "  %.1f h left", seconds / 3600);
}

void cli_progress_stage(CliProgress* progress, const char* label)
{
    cli_progress_end(progress);
    progress->label = label;
    progress->start = tw_seconds();
    if (progress->enabled) progress->last = progress->start;  // plain lines do not begin anew
}

static void draw_bar(CliProgress* progress, double fraction, const char* left)
{
    char bar[PROGRESS_WIDTH + 1] = "";
    progress->shown = true;
    for (int i = 0; i < PROGRESS_WIDTH; i++) bar[i] = i < (int)(fraction * PROGRESS_WIDTH) ? '#' : '.';
    fprintf(stderr, PROGRESS_CLEAR "%s [%s] %3.0f %%%s", progress->label, bar, 100 * fraction, left);
    fflush(stderr);
}

void cli_progress_update(CliProgress* progress, double fraction)
{
    double now = tw_seconds(), passed = now - progress->start;
    if (progress->quiet && !progress->enabled) return;
    if (now - progress->last < (progress->enabled ? PROGRESS_INTERVAL : LINE_INTERVAL)) return;
    progress->last = now;
    if (!(fraction > 0)) fraction = 0;
    if (fraction > 1) fraction = 1;
    char left[32] = "";
    if (fraction > 0 && passed > PROGRESS_TELLS) time_left(left, sizeof left, passed * (1 - fraction) / fraction);
    if (progress->enabled)
        draw_bar(progress, fraction, left);
    else
        fprintf(stderr, "twang: %s, %.0f %%%s%s\n", progress->label, 100 * fraction, left[0] ? "," : "",
                left[0] ? left + 1 : "");
}

void cli_progress_end(CliProgress* progress)
{
    if (progress->shown) fputs(PROGRESS_CLEAR, stderr);
    progress->shown = false;
}
