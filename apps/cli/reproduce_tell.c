// SPDX-License-Identifier: MIT
// How `twang reproduce` tells what it found: a table, one JSON object, a page.

#include "reproduce.h"
#include <math.h>
#include <string.h>

// ---- a table ----

// how far ours is off theirs [%], or nothing
static const char* deviation(const CliRow* row, char* text, size_t bytes)
{
    text[0] = 0;
    if (row->theirs != 0 && !row->info) snprintf(text, bytes, "%+.2g", 100 * (row->ours / row->theirs - 1));
    return text;
}

static void print_row(const CliRow* row, int width)
{
    char off[32], name[256];
    const char* verdict = cli_row_ok(row) ? cli_row_verdict(row) : "DIFFERS";
    snprintf(name, sizeof name, "%s%s%s%s", row->name, row->detail[0] ? " (" : "", row->detail,
             row->detail[0] ? ")" : "");
    if (row->heading)
        printf("\n%s\n", row->name);
    else if (row->skipped)
        printf("  left out: %s\n", row->name);
    else if (row->claim)
        printf("  %-*s  %16s  %16s  %9s  %9s  %s\n", width, name, "yes", row->ours != 0 ? "yes" : "no", "", "",
               verdict);
    else if (row->info && isnan(row->theirs))
        printf("  %-*s  %16s  %16.5g\n", width, name, "", row->ours);
    else if (row->info)
        printf("  %-*s  %16.5g  %16.5g\n", width, name, row->theirs, row->ours);
    else if (row->purpose)
        printf("  %-*s  %16.10g  %16.10g  %9s  %9s  %s\n", width, name, row->theirs, row->ours,
               deviation(row, off, sizeof off), "", verdict);
    else
        printf("  %-*s  %16.10g  %16.10g  %9s  %9.3g  %s\n", width, name, row->theirs, row->ours,
               deviation(row, off, sizeof off), row->tolerance, verdict);
    if (row->why[0]) printf("      %s\n", row->why);
}

void reproduce_print(const ReproducePart* parts, int count)
{
    int width = 0, compared = 0, failures = 0, asked = 0;
    for (int p = 0; p < count; p++)
    {
        asked += parts[p].done;
        for (int i = 0; i < parts[p].report.count; i++)
        {
            const CliRow* row = &parts[p].report.rows[i];
            const int length = (int)(strlen(row->name) + (row->detail[0] ? strlen(row->detail) + 3 : 0));
            if (!row->heading && !row->skipped && length > width) width = length;
        }
    }
    printf("  %-*s  %16s  %16s  %9s  %9s\n", width, "", "theirs", "ours", "off [%]", "tolerance");
    for (int p = 0; p < count; p++)
    {
        if (!parts[p].done) continue;
        if (asked > 1) printf("\n==== %s: %s\n", parts[p].name, parts[p].source);
        for (int i = 0; i < parts[p].report.count; i++) print_row(&parts[p].report.rows[i], width);
        compared += cli_report_compared(&parts[p].report);
        failures += cli_report_failures(&parts[p].report);
    }
    printf("\n%d of %d agree\n", compared - failures, compared);
}

// ---- JSON ----

static void json_row(twJson* json, const CliRow* row, const char* group)
{
    tw_json_object(json, NULL);
    tw_json_text(json, "group", group);
    tw_json_text(json, "claim", row->name);
    if (row->claim)
        tw_json_bool(json, "theirs", true), tw_json_bool(json, "ours", row->ours != 0);
    else
        tw_json_number(json, "theirs", row->theirs), tw_json_number(json, "ours", row->ours);
    if (row->info || row->purpose || row->claim)
        tw_json_null(json, "tolerance");
    else
        tw_json_number(json, "tolerance", row->tolerance);
    if (row->info)
        tw_json_null(json, "verdict"), tw_json_null(json, "ok");
    else
        tw_json_text(json, "verdict", cli_row_verdict(row)), tw_json_bool(json, "ok", cli_row_ok(row));
    tw_json_text(json, "why", row->why[0] ? row->why : NULL);
    tw_json_text(json, "detail", row->detail[0] ? row->detail : NULL);
    tw_json_end(json);
}

static void json_part(twJson* json, const ReproducePart* part)
{
    const char* group = NULL;
    tw_json_object(json, NULL);
    tw_json_text(json, "name", part->name);
    tw_json_text(json, "source", part->source);
    tw_json_text(json, "title", part->title);
    tw_json_number(json, "seconds", part->seconds);
    tw_json_bool(json, "from_an_earlier_run", part->kept);
    tw_json_array(json, "rows");
    for (int i = 0; i < part->report.count; i++)
    {
        const CliRow* row = &part->report.rows[i];
        if (row->heading) group = row->name;
        if (!row->heading && !row->skipped) json_row(json, row, group);
    }
    tw_json_end(json);
    tw_json_array(json, "left_out");
    for (int i = 0; i < part->report.count; i++)
        if (part->report.rows[i].skipped) tw_json_text(json, NULL, part->report.rows[i].name);
    tw_json_end(json);
    tw_json_end(json);
}

void reproduce_json(const ReproducePart* parts, int count, bool quick)
{
    int compared = 0, failures = 0;
    twJson json = tw_json(stdout);
    tw_json_object(&json, NULL);
    tw_json_text(&json, "version", tw_version());
    tw_json_bool(&json, "quick", quick);
    tw_json_array(&json, "parts");
    for (int p = 0; p < count; p++)
    {
        if (!parts[p].done) continue;
        json_part(&json, &parts[p]);
        compared += cli_report_compared(&parts[p].report);
        failures += cli_report_failures(&parts[p].report);
    }
    tw_json_end(&json);
    tw_json_integer(&json, "compared", compared);
    tw_json_integer(&json, "agree", compared - failures);
    tw_json_end(&json);
}

// ---- a page ----

// a cell: no bars, no line ends
static void put_cell(FILE* out, const char* text)
{
    for (; *text; text++)
        if (*text == '|')
            fputs("\\|", out);
        else
            fputc(*text == '\n' ? ' ' : *text, out);
}

static void put_number(FILE* out, const CliRow* row, double value)
{
    if (row->claim)
        fputs(value != 0 ? "yes" : "no", out);
    else if (!isnan(value))
        fprintf(out, "%.6g", value);
}

static void put_row(FILE* out, const CliRow* row)
{
    fputs("| ", out);
    put_cell(out, row->name);
    fputs(" | ", out);
    put_number(out, row, row->theirs);
    fputs(" | ", out);
    put_number(out, row, row->ours);
    fputs(" | ", out);
    if (!row->info && !row->claim && !row->purpose) fprintf(out, "%.3g", row->tolerance);
    fprintf(out, " | %s | ", row->info ? "" : cli_row_verdict(row));
    put_cell(out, row->detail);
    if (row->detail[0] && row->why[0]) fputs("; ", out);
    put_cell(out, row->why);
    fputs(" |\n", out);
}

static void put_part(FILE* out, const ReproducePart* part)
{
    bool table = false;
    fprintf(out, "\n## %s\n\n%s: %s. %d of %d agree; `twang reproduce %s`, %.0f s.\n", part->name, part->source,
            part->title, cli_report_compared(&part->report) - cli_report_failures(&part->report),
            cli_report_compared(&part->report), part->name, part->seconds);
    for (int i = 0; i < part->report.count; i++)
    {
        const CliRow* row = &part->report.rows[i];
        if (row->heading)
        {
            fprintf(out, "\n### %s\n", row->name);
            table = false;
            continue;
        }
        if (row->skipped)
        {
            fprintf(out, "\nLeft out: %s.\n", row->name);
            table = false;
            continue;
        }
        if (!table) fputs("\n| claim | theirs | ours | tolerance | verdict | why |\n|---|---|---|---|---|---|\n", out);
        table = true;
        put_row(out, row);
    }
}

static void put_page(FILE* out, const ReproducePart* parts, int count, bool quick)
{
    int compared = 0, failures = 0, purpose = 0;
    for (int p = 0; p < count; p++)
    {
        compared += cli_report_compared(&parts[p].report);
        failures += cli_report_failures(&parts[p].report);
        for (int i = 0; i < parts[p].report.count; i++) purpose += parts[p].report.rows[i].purpose;
    }
    fprintf(
        out,
        "# reproduction\n\nEvery table and claim with a number in the five papers, theirs beside ours. Made by `twang "
        "reproduce all --markdown docs/reproduction.md%s`; do not edit. Twang %s: %d of %d agree, of which %d differ "
        "on purpose, and say why.\n\nA row agrees if ours is off theirs by the tolerance at most; what must be reached "
        "may be more. Rows without a verdict are told for information: times depend on the machine. What the papers do not "
        "print is from theory or from an independent computation, as the headings say. More on each: "
        "[impact](impact.md), [friction](friction.md), [rods](reproduce-rods.md), [contact](reproduce-contact.md), "
        "[rod-contact](reproduce-rod-contact.md), [deform](reproduce-deform.md).\n",
        quick ? " --quick" : "", tw_version(), compared - failures, compared, purpose);
    for (int p = 0; p < count; p++)
        if (parts[p].done) put_part(out, &parts[p]);
}

twStatus reproduce_markdown(const char* path, const ReproducePart* parts, int count, bool quick, twError* err)
{
    twFile* file;
    const twStatus status = tw_file_create(&file, path, err);
    if (status != TW_OK) return status;
    put_page(tw_file_stream(file), parts, count, quick);
    return tw_file_commit(&file, err);
}
