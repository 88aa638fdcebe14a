// SPDX-License-Identifier: MIT
// twang reproduce: the sources' tables and figures beside ours.

#include "reproduce.h"
#include <stdlib.h>
#include <string.h>

typedef struct Options
{
    const char *name, *folder, *markdown;
    bool json, quick, fresh;
} Options;

#define PART_COUNT 6

static const ReproducePart all_parts[PART_COUNT] = {
    {.name = "impact",
     .source = "Papetti, Avanzini and Rocchesso 2009",
     .title = "one impact: closed forms, schemes, energy, bouncing",
     .run = reproduce_impact},
    {.name = "friction",
     .source = "Avanzini, Serafin and Rocchesso 2005",
     .title = "a bristle model of friction between modal objects; wheel, wineglass, door",
     .run = reproduce_friction},
    {.name = "deform",
     .source = "Hauser, Shen and O'Brien 2003",
     .title = "soft bodies by modes: decomposition, collisions, constraints",
     .run = reproduce_deform},
    {.name = "contact",
     .source = "Zheng and James 2011",
     .title = "vibrating bodies in contact: materials, noise, adaptivity, times",
     .run = reproduce_contact},
    {.name = "rods",
     .source = "Schweickart, James and Marschner 2017",
     .title = "elastic rods: parameters, pitch, dipoles, dispersion, times",
     .run = reproduce_rods},
    {.name = "rod-contact",
     .source = "Schweickart, James and Marschner 2017",
     .title = "rods that touch: times, rest",
     .run = reproduce_rod_contact},
};

static bool is_asked(const Options* o, const ReproducePart* part)
{
    return !o->name || strcmp(o->name, "all") == 0 || strcmp(o->name, part->name) == 0;
}

static bool asks_for_all(const Options* o) { return !o->name || strcmp(o->name, "all") == 0; }

static int check_name(const char* name)
{
    const char* names[PART_COUNT + 1] = {"all"};
    char list[128] = "all";
    for (int i = 0; i < PART_COUNT; i++)
    {
        names[i + 1] = all_parts[i].name;
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, ", %s", names[i + 1]);
    }
    for (int i = 0; i <= PART_COUNT; i++)
        if (strcmp(name, names[i]) == 0) return CLI_OK;
    const char* near = tw_nearest_name(name, names, PART_COUNT + 1);
    if (near) return cli_fail("reproduce", CLI_USAGE, "nothing called '%s'; did you mean '%s'?", name, near);
    return cli_fail("reproduce", CLI_USAGE, "nothing called '%s'; there is: %s", name, list);
}

// one part, or what is kept of it: only where all are asked for, and no figures are
static twStatus run_part(ReproducePart* part, const Options* o, twError* err)
{
    if (asks_for_all(o) && !o->fresh && !o->folder && reproduce_recall(part, o->quick))
    {
        fprintf(stderr, "%s: from an earlier run of this program; --fresh runs it again\n", part->name);
        return TW_OK;
    }
    const double begin = tw_seconds();
    part->report = (CliReport){.folder = o->folder, .quick = o->quick};
    twStatus status = part->run(&part->report, err);
    if (status == TW_OK && part->report.lost)
        status = tw_fail(err, TW_NO_MEMORY, "no memory for %d rows", part->report.lost);
    if (status != TW_OK) return status;
    part->seconds = tw_seconds() - begin;
    part->done = true;
    reproduce_keep(part, o->quick);
    return TW_OK;
}

static int tell(const ReproducePart* parts, const Options* o)
{
    twError err;
    int failures = 0;
    if (o->json)
        reproduce_json(parts, PART_COUNT, o->quick);
    else
        reproduce_print(parts, PART_COUNT);
    if (o->markdown && reproduce_markdown(o->markdown, parts, PART_COUNT, o->quick, &err) != TW_OK)
        return cli_fail_error("reproduce", &err);
    for (int i = 0; i < PART_COUNT; i++) failures += cli_report_failures(&parts[i].report);
    return failures ? CLI_FAILED : CLI_OK;
}

static int run(const Options* o)
{
    twError err;
    ReproducePart parts[PART_COUNT];
    memcpy(parts, all_parts, sizeof parts);
    int code;
    twStatus status = cli_check_output("--markdown", o->markdown, ".md", &err);
    if (status == TW_OK && o->folder) status = tw_make_folder(o->folder, &err);
    for (int i = 0; i < PART_COUNT && status == TW_OK; i++)
        if (is_asked(o, &parts[i])) status = run_part(&parts[i], o, &err);
    if (status == TW_INTERRUPTED && o->folder)
        code =
            cli_fail("reproduce", CLI_INTERRUPTED, "interrupted; the figures that were finished are in %s", o->folder);
    else if (status == TW_INTERRUPTED && asks_for_all(o))
        code = cli_fail("reproduce", CLI_INTERRUPTED,
                        "interrupted; the same command goes on after the parts that are done");
    else
        code = status == TW_OK ? tell(parts, o) : cli_fail_error("reproduce", &err);
    for (int i = 0; i < PART_COUNT; i++) free(parts[i].report.rows);
    return code;
}

static const char notes[] =
    "Each line compares a number of the source with ours; 'agrees' means that they differ by the tolerance at most,\n"
    "'on purpose' that the line below says why they differ. Lines without a verdict are for information. Exit status 1\n"
    "if any line is not right. What is done of 'all' is kept, and used again by this very program.\n";

int cmd_reproduce(int argc, char** argv)
{
    Options o = {0};
    const CliOption options[] = {
        {CLI_ARGUMENT, .name = "NAME", .out = &o.name,
         .help = "what to reproduce: impact, friction, deform, contact, rods, rod-contact; all if left out"},
        {CLI_FLAG, .name = "--json", .out = &o.json,
         .help = "print one JSON object: parts with rows of {claim, theirs, ours, tolerance, verdict, why}"},
        {CLI_FLAG, .name = "--quick", .out = &o.quick, .help = "leave out what takes long: long rods, worlds, times"},
        {CLI_FLAG, .name = "--fresh", .out = &o.fresh, .help = "of all, run also what an earlier run has done"},
        {CLI_TEXT, .name = "--markdown", .value = "FILE.md", .out = &o.markdown, .help = "write it as a page, too"},
        {CLI_TEXT, .name = "-o|--output", .value = "DIR", .out = &o.folder,
         .help = "write the figures as SVG and PNG into this folder"},
    };
    const CliUsage usage = {"reproduce", "the sources' tables and figures, ours beside theirs", options,
                            (int)(sizeof options / sizeof *options), notes};
    int code;
    if (!cli_parse(&usage, argc, argv, &code)) return code;
    if (o.name && (code = check_name(o.name)) != CLI_OK) return code;
    return run(&o);
}
