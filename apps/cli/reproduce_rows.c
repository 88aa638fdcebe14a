// SPDX-License-Identifier: MIT
// Rows of `twang reproduce`: a claim of a source, theirs beside ours, and the verdict.

#include "cli.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static CliRow* new_row(CliReport* report)
{
    if (report->count == report->capacity)
    {
        int capacity = report->capacity ? 2 * report->capacity : 64;
        CliRow* rows = realloc(report->rows, (size_t)capacity * sizeof *rows);
        if (!rows)
        {
            report->lost++;
            return NULL;
        }
        report->rows = rows;
        report->capacity = capacity;
    }
    CliRow* row = &report->rows[report->count++];
    *row = (CliRow){.theirs = 0};
    return row;
}

// a row with its name, and what stands behind " | " as a detail
static void put_row(CliReport* report, CliRow row, const char* name, va_list args)
{
    static const char mark[] = " | ";
    char text[sizeof row.name + sizeof row.detail];
    vsnprintf(text, sizeof text, name, args);
    char* detail = strstr(text, mark);
    if (detail)
    {
        *detail = 0;
        snprintf(row.detail, sizeof row.detail, "%.95s", detail + strlen(mark));
    }
    snprintf(row.name, sizeof row.name, "%.127s", text);
    CliRow* to = new_row(report);
    if (to) *to = row;
}

void cli_report_heading(CliReport* report, const char* text)
{
    CliRow* row = new_row(report);
    if (!row) return;
    row->heading = true;
    snprintf(row->name, sizeof row->name, "%s", text);
}

void cli_report_skip(CliReport* report, const char* what)
{
    CliRow* row = new_row(report);
    if (!row) return;
    row->skipped = row->info = true;
    snprintf(row->name, sizeof row->name, "%s", what);
}

void cli_report_row(CliReport* report, double theirs, double ours, double tolerance, const char* name, ...)
{
    va_list args;
    va_start(args, name);
    put_row(report, (CliRow){.theirs = theirs, .ours = ours, .tolerance = tolerance}, name, args);
    va_end(args);
}

void cli_report_least(CliReport* report, double theirs, double ours, double tolerance, const char* name, ...)
{
    va_list args;
    va_start(args, name);
    put_row(report, (CliRow){.least = true, .theirs = theirs, .ours = ours, .tolerance = tolerance}, name, args);
    va_end(args);
}

void cli_report_info(CliReport* report, double theirs, double ours, const char* name, ...)
{
    va_list args;
    va_start(args, name);
    put_row(report, (CliRow){.info = true, .theirs = theirs, .ours = ours}, name, args);
    va_end(args);
}

void cli_report_claim(CliReport* report, bool holds, const char* name, ...)
{
    va_list args;
    va_start(args, name);
    put_row(report, (CliRow){.claim = true, .theirs = 1, .ours = holds}, name, args);
    va_end(args);
}

void cli_report_differs(CliReport* report, double theirs, double ours, const char* why, const char* name, ...)
{
    CliRow row = {.purpose = true, .theirs = theirs, .ours = ours};
    snprintf(row.why, sizeof row.why, "%s", why);
    va_list args;
    va_start(args, name);
    put_row(report, row, name, args);
    va_end(args);
}

void cli_report_why(CliReport* report, const char* why)
{
    if (report->count > 0 && report->lost == 0)
        snprintf(report->rows[report->count - 1].why, sizeof report->rows->why, "%s", why);
}

// ---- verdicts ----

bool cli_row_ok(const CliRow* row)
{
    if (row->heading || row->info) return true;
    if (row->purpose) return isfinite(row->ours);
    return row->least ? row->ours >= row->theirs - row->tolerance : fabs(row->ours - row->theirs) <= row->tolerance;
}

const char* cli_row_verdict(const CliRow* row)
{
    const bool ok = cli_row_ok(row);
    if (row->heading || row->info) return "";
    if (row->purpose) return ok ? "on purpose" : "differs";
    if (row->least) return ok ? "reached" : "missed";
    return ok ? "agrees" : "differs";
}

int cli_report_failures(const CliReport* report)
{
    int failures = report->lost;
    for (int i = 0; i < report->count; i++) failures += !cli_row_ok(&report->rows[i]);
    return failures;
}

int cli_report_compared(const CliReport* report)
{
    int rows = 0;
    for (int i = 0; i < report->count; i++) rows += !report->rows[i].heading && !report->rows[i].info;
    return rows;
}
