// SPDX-License-Identifier: MIT
// Tests of `twang reproduce`: one form of rows for all parts, what is kept of a run, and that docs/reproduction.md is what the program
// compares. The figures themselves are tested where each part is.
#define _XOPEN_SOURCE 700
#include "cli.h"

#define OWN_CACHE "--version >/dev/null; XDG_CACHE_HOME=\"$PWD/cache\" '" TEST_BIN_DIR "/twang' "
#define PAGE_MAX (1 << 20)

static char page[PAGE_MAX], made[PAGE_MAX];

static bool read_text(char* out, const char* path)
{
    FILE* file = fopen(path, "rb");
    if (!file) return false;
    out[fread(out, 1, PAGE_MAX - 1, file)] = 0;
    fclose(file);
    return true;
}

// claim, theirs and tolerance of a row of a page; what is measured is left out. @return whether it is a row
static bool row_key(const char* line, char* out, size_t bytes)
{
    const char* cell[8];
    int count = 0, used = 0;
    const char* end = line + strcspn(line, "\n");
    for (const char* at = line; at < end && count < 8; at++)
        if (*at == '|' && (at == line || at[-1] != '\\')) cell[count++] = at + 1;
    if (line[0] != '|' || count < 7 || strncmp(line, "|---", 4) == 0 || strncmp(line, "| claim |", 9) == 0)
        return false;
    const int columns[] = {0, 1, 3};
    for (int i = 0; i < 3 && used < (int)bytes; i++)
    {
        const int c = columns[i];
        used += snprintf(out + used, bytes - (size_t)used, "%.*s|", (int)(cell[c + 1] - cell[c] - 1), cell[c]);
    }
    return true;
}

// the part of a page from "## name" to the next one
static const char* find_part(const char* text, const char* name)
{
    char head[64];
    snprintf(head, sizeof head, "\n## %s\n", name);
    return strstr(text, head);
}

static bool part_has(const char* part, const char* key)
{
    const char* end = strstr(part + 4, "\n## ");
    for (const char* line = part + 1; line && (!end || line < end); line = strchr(line, '\n'))
    {
        char other[512];
        if (*line == '\n') line++;
        if (row_key(line, other, sizeof other) && strcmp(other, key) == 0) return true;
    }
    return false;
}

static int count_rows(const char* part)
{
    const char* end = strstr(part + 4, "\n## ");
    int count = 0;
    char key[512];
    for (const char* line = part + 1; line && (!end || line < end); line = strchr(line, '\n'))
    {
        if (*line == '\n') line++;
        count += row_key(line, key, sizeof key);
    }
    return count;
}

// every row of one page's part is in the other's
static int compare_parts(const char* from, const char* to)
{
    const char* end = strstr(from + 4, "\n## ");
    for (const char* line = from + 1; line && (!end || line < end); line = strchr(line, '\n'))
    {
        char key[512];
        if (*line == '\n') line++;
        if (!row_key(line, key, sizeof key) || part_has(to, key)) continue;
        printf("not in docs/reproduction.md, or other there: %s\n", key);
        return 1;
    }
    return 0;
}

static int the_page_has_the_rows_of_the_program(void)
{
    static const char* const all[] = {"impact", "friction", "deform", "contact", "rods", "rod-contact"};
    remove_files();
    ENSURE(read_text(page, TEST_SOURCE_DIR "/docs/reproduction.md"));
    for (int i = 0; i < 6; i++) ENSURE(find_part(page, all[i]) && count_rows(find_part(page, all[i])) > 10);
    for (int i = 0; i < 2; i++)
    {
        char command[256];
        snprintf(command, sizeof command, OWN_CACHE "reproduce %s --markdown p.md", all[i]);
        ENSURE(run(command) == 0 && read_text(made, in_folder("p.md")));
        const char *ours = find_part(made, all[i]), *theirs = find_part(page, all[i]);
        ENSURE(ours && compare_parts(ours, theirs) == 0 && count_rows(ours) == count_rows(theirs));
    }
    return 0;
}

static int rows_have_one_form_and_come_as_one_object(void)
{
    remove_files();
    ENSURE(run(OWN_CACHE "reproduce impact --json") == 0 && is_json(output) && output[0] == '{');
    static const char* const keys[] = {"\"parts\": [",
                                       "\"claim\": ",
                                       "\"theirs\": ",
                                       "\"tolerance\": ",
                                       "\"why\": null",
                                       "\"verdict\": \"agrees\"",
                                       "\"verdict\": \"on purpose\"",
                                       "\"left_out\": ["};
    for (int i = 0; i < 8; i++) ENSURE(strstr(output, keys[i]));
    ENSURE(strstr(output, "exchanged between the two cases") && !strstr(output, "\"ok\": false"));
    return 0;
}

// what is done is kept, and 'all' goes on after it
static int all_goes_on_after_what_is_done(void)
{
    remove_files();
    ENSURE(run(OWN_CACHE "reproduce impact >/dev/null") == 0 && is_there("cache/twang/reproduce/impact.rows"));
    ENSURE(run(OWN_CACHE "reproduce impact --quick >/dev/null") == 0);
    // as soon as it says something, or after two seconds, it is stopped
    const char* command =
        OWN_CACHE "reproduce all --quick 2>err >/dev/null & pid=$!; i=0; while [ $i -lt 40 ] && ! [ -s err ]; do "
                  "sleep 0.05; i=$((i + 1)); done; kill -TERM $pid; wait $pid; cat err";
    ENSURE(run(command) == 0 && strstr(output, "impact: from an earlier run of this program"));
    ENSURE(remove(in_folder("err")) == 0 && write_text("cache/twang/reproduce/impact-quick.rows", "nonsense"));
    ENSURE(run(command) == 0 && !strstr(output, "from an earlier run"));
    return 0;
}

static int what_is_wrong_is_said(void)
{
    ENSURE(run("reproduce impakt 2>&1") == 2 && strstr(output, "did you mean 'impact'?"));
    ENSURE(run("reproduce al 2>&1") == 2 && strstr(output, "'all'"));
    ENSURE(run("reproduce impact --markdown p.txt 2>&1") == 2 && strstr(output, "must end with .md"));
    ENSURE(run("reproduce impact --markdown nowhere/p.md 2>&1") == 1 && strstr(output, "nowhere"));
    return 0;
}

// clang-format off
TEST_MAIN(
    scratch_folder();  // before any child does
    RUN(the_page_has_the_rows_of_the_program)
    RUN(rows_have_one_form_and_come_as_one_object)
    RUN(all_goes_on_after_what_is_done)
    RUN(what_is_wrong_is_said)
)
