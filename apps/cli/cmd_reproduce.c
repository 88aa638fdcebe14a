// SPDX-License-Identifier: MIT
// twang reproduce: the sources' tables and figures beside ours.

#include "cli.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct Source
{
    const char* name;
    CliReproduce run;
} Source;

static const Source sources[] = {
    {"impact", reproduce_impact},   {"friction", reproduce_friction},       {"rods", reproduce_rods},
    {"contact", reproduce_contact}, {"rod-contact", reproduce_rod_contact}, {"deform", reproduce_deform},
};
#define SOURCE_COUNT ((int)(sizeof sources / sizeof sources[0]))

// ---- rows ----

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

void cli_report_heading(CliReport* report, const char* text)
{
    CliRow* row = new_row(report);
    if (!row) return;
    row->heading = true;
    snprintf(row->name, sizeof row->name, "%s", text);
}

// a row with its name; a row that is lost goes nowhere
static CliRow named_row(CliRow row, const char* name, va_list args)
{
    vsnprintf(row.name, sizeof row.name, name, args);
    return row;
}

static void put_row(CliReport* report, CliRow row)
{
    CliRow* to = new_row(report);
    if (to) *to = row;
}

void cli_report_row(CliReport* report, double theirs, double ours, double tolerance, const char* name, ...)
{
    va_list args;
    va_start(args, name);
    put_row(report, named_row((CliRow){.theirs = theirs, .ours = ours, .tolerance = tolerance}, name, args));
    va_end(args);
}

void cli_report_least(CliReport* report, double theirs, double ours, double tolerance, const char* name, ...)
{
    va_list args;
    va_start(args, name);
    put_row(report,
            named_row((CliRow){.least = true, .theirs = theirs, .ours = ours, .tolerance = tolerance}, name, args));
    va_end(args);
}

void cli_report_info(CliReport* report, double theirs, double ours, const char* name, ...)
{
    va_list args;
    va_start(args, name);
    put_row(report, named_row((CliRow){.info = true, .theirs = theirs, .ours = ours}, name, args));
    va_end(args);
}

void cli_report_claim(CliReport* report, bool holds, const char* name, ...)
{
    va_list args;
    va_start(args, name);
    put_row(report, named_row((CliRow){.claim = true, .theirs = 1, .ours = holds}, name, args));
    va_end(args);
}

// NaN is never ok
static bool row_ok(const CliRow* row)
{
    if (row->heading || row->info) return true;
    return row->least ? row->ours >= row->theirs - row->tolerance : fabs(row->ours - row->theirs) <= row->tolerance;
}

static int count_failures(const CliReport* report)
{
    int failures = report->lost;
    for (int i = 0; i < report->count; i++) failures += !row_ok(&report->rows[i]);
    return failures;
}

// ---- output ----

static void print_json(const CliReport* report)
{
    twJson json = tw_json(stdout);
    tw_json_array(&json, NULL);
    for (int i = 0; i < report->count; i++)
    {
        const CliRow* row = &report->rows[i];
        if (row->heading) continue;
        tw_json_object(&json, NULL);
        tw_json_text(&json, "name", row->name);
        tw_json_number(&json, "theirs", row->theirs);
        tw_json_number(&json, "ours", row->ours);
        if (row->info)
            tw_json_null(&json, "tolerance"), tw_json_null(&json, "ok");
        else
            tw_json_number(&json, "tolerance", row->tolerance), tw_json_bool(&json, "ok", row_ok(row));
        tw_json_end(&json);
    }
    tw_json_end(&json);
}

// how far ours is off theirs [%], or nothing
static const char* deviation(const CliRow* row, char* text, size_t bytes)
{
    text[0] = 0;
    if (row->theirs != 0 && !row->info) snprintf(text, bytes, "%+.2g", 100 * (row->ours / row->theirs - 1));
    return text;
}

static void print_row(const CliRow* row, int width)
{
    const char* verdict = row_ok(row) ? "ok" : "DIFFERS";
    char off[32];
    if (row->heading)
        printf("\n%s\n", row->name);
    else if (row->claim)
        printf("  %-*s  %16s  %16s  %9s  %9s  %s\n", width, row->name, "yes", row->ours != 0 ? "yes" : "no", "", "",
               verdict);
    else if (row->info && isnan(row->theirs))
        printf("  %-*s  %16s  %16.5g\n", width, row->name, "", row->ours);
    else if (row->info)
        printf("  %-*s  %16.5g  %16.5g\n", width, row->name, row->theirs, row->ours);
    else
        printf("  %-*s  %16.10g  %16.10g  %9s  %9.3g  %s\n", width, row->name, row->theirs, row->ours,
               deviation(row, off, sizeof off), row->tolerance, verdict);
}

static void print_table(const CliReport* report)
{
    int width = 0, rows = 0, failures = count_failures(report);
    for (int i = 0; i < report->count; i++)
    {
        int length = (int)strlen(report->rows[i].name);
        rows += !report->rows[i].heading && !report->rows[i].info;
        if (!report->rows[i].heading && length > width) width = length;
    }
    printf("  %-*s  %16s  %16s  %9s  %9s\n", width, "", "theirs", "ours", "off [%]", "tolerance");
    for (int i = 0; i < report->count; i++) print_row(&report->rows[i], width);
    printf("\n%d of %d agree\n", rows - failures, rows);
}

// ---- the command ----

static twStatus run_sources(CliReport* report, const char* name, twError* err)
{
    twStatus status = report->folder ? tw_make_folder(report->folder, err) : TW_OK;
    for (int i = 0; i < SOURCE_COUNT && status == TW_OK; i++)
        if (!name || strcmp(name, sources[i].name) == 0) status = sources[i].run(report, err);
    if (status == TW_OK && report->lost) status = tw_fail(err, TW_NO_MEMORY, "no memory for %d rows", report->lost);
    return status;
}

static int check_name(const char* name)
{
    const char* names[SOURCE_COUNT];
    char list[128] = "";
    for (int i = 0; i < SOURCE_COUNT; i++)
    {
        names[i] = sources[i].name;
        if (strcmp(name, names[i]) == 0) return CLI_OK;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    const char* near = cli_nearest(name, names, SOURCE_COUNT);
    if (near) return cli_fail("reproduce", CLI_USAGE, "nothing called '%s'; did you mean '%s'?", name, near);
    return cli_fail("reproduce", CLI_USAGE, "nothing called '%s'; there is: %s", name, list);
}

static const char notes[] =
    "Each line compares a number of the source with ours; 'ok' means that they differ by the tolerance at\n"
    "most. Lines without a verdict are for information. Exit status 1 if any line is not ok.\n";

int cmd_reproduce(int argc, char** argv)
{
    const char *name = NULL, *folder = NULL;
    bool as_json = false, quick = false;
    const CliOption options[] = {
        {CLI_ARGUMENT, .name = "NAME", .out = &name,
         .help = "what to reproduce: impact, friction, rods, contact, rod-contact, deform; all if left out"},
        {CLI_FLAG, .name = "--json", .out = &as_json,
         .help = "print one JSON array of {name, theirs, ours, tolerance, ok}"},
        {CLI_FLAG, .name = "--quick", .out = &quick, .help = "leave out what takes long: long rods, worlds, times"},
        {CLI_TEXT, .name = "-o|--output", .value = "DIR", .out = &folder,
         .help = "write the figures as SVG and PNG into this folder"},
    };
    CliUsage usage = {"reproduce", "the sources' tables and figures, ours beside theirs", options, 4, notes};
    int code;
    if (!cli_parse(&usage, argc, argv, &code)) return code;
    if (name && (code = check_name(name)) != CLI_OK) return code;

    twError err;
    CliReport report = {.folder = folder, .quick = quick};
    twStatus status = run_sources(&report, name, &err);
    if (status == TW_INTERRUPTED && folder)
        code = cli_fail("reproduce", CLI_INTERRUPTED, "interrupted; the figures that were finished are in %s", folder);
    else if (status != TW_OK)
        code = cli_fail_error("reproduce", &err);
    else
    {
        if (as_json)
            print_json(&report);
        else
            print_table(&report);
        code = count_failures(&report) ? CLI_FAILED : CLI_OK;
    }
    free(report.rows);
    return code;
}
