// SPDX-License-Identifier: MIT
// What the command line says besides its results: errors, progress; and how it hears Ctrl-C.
#define _POSIX_C_SOURCE 200809L

#include "cli.h"
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- errors ----

int cli_fail(const char* command, int code, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, command ? "twang %s: " : "twang: ", command);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

int cli_fail_error(const char* command, const twError* err)
{
    int code = err->status == TW_BAD_INPUT ? CLI_USAGE : err->status == TW_INTERRUPTED ? CLI_INTERRUPTED : CLI_FAILED;
    return cli_fail(command, code, "%s", err->text);
}

// ---- interruption ----

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
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
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
}

bool cli_interrupted(void) { return interrupted != 0; }

// ---- progress ----

#define PROGRESS_WIDTH 30
#define PROGRESS_INTERVAL 0.1  // between two drawings [s]

CliProgress cli_progress(const char* label)
{
    const char* terminal = getenv("TERM");
    bool enabled = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    double now = tw_seconds();
    return (CliProgress){.label = label, .start = now, .last = now, .enabled = enabled};
}

static void print_time_left(double seconds)
{
    if (seconds < 90)
        fprintf(stderr, "  %.0f s left", seconds);
    else if (seconds < 5400)
        fprintf(stderr, "  %.0f min left", seconds / 60);
    else
        fprintf(stderr, "  %.1f h left", seconds / 3600);
}

void cli_progress_update(CliProgress* progress, double fraction)
{
    if (!progress->enabled) return;
    double now = tw_seconds();
    if (now - progress->last < PROGRESS_INTERVAL) return;
    progress->last = now;
    progress->shown = true;

    if (!(fraction > 0)) fraction = 0;
    if (fraction > 1) fraction = 1;
    int full = (int)(fraction * PROGRESS_WIDTH);
    fprintf(stderr, "\r\033[K%s [", progress->label);
    for (int i = 0; i < PROGRESS_WIDTH; i++) fputc(i < full ? '#' : '.', stderr);
    fprintf(stderr, "] %3.0f %%", 100 * fraction);
    if (fraction > 0) print_time_left((now - progress->start) * (1 - fraction) / fraction);
    fflush(stderr);
}

void cli_progress_end(CliProgress* progress)
{
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = false;
}
