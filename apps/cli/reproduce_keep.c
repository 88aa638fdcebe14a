// SPDX-License-Identifier: MIT
// What `twang reproduce` keeps of each part, so that a run that was interrupted goes on: the rows as they are in memory, which
// only the very same program reads again. A file: hash of the program, hash of the rest, seconds, rows.

#include "reproduce.h"
#include "twang/bake.h"
#include <stdlib.h>
#include <string.h>

#define PROGRAM_MAX_BYTES ((size_t)1 << 30)
#define KEPT_MAX_BYTES ((size_t)1 << 26)

typedef struct Head
{
    twHash program, rows;
    double seconds;
    int64_t count;
} Head;

// the program's own bytes; zero if they cannot be read
static twHash hash_program(void)
{
    char* bytes;
    size_t count;
    if (tw_file_read(&bytes, &count, "/proc/self/exe", PROGRAM_MAX_BYTES, NULL) != TW_OK) return (twHash){0, 0};
    const twHash hash = tw_hash(bytes, count, (twHash){0, 0});
    free(bytes);
    return hash;
}

static bool kept_path(char* out, size_t bytes, const ReproducePart* part, bool quick)
{
    char cache[512];
    return snprintf(out, bytes, "%s/reproduce/%s%s.rows", tw_cache_folder(cache, sizeof cache), part->name,
                    quick ? "-quick" : "") < (int)bytes;
}

static twHash hash_rows(const CliRow* rows, int64_t count, double seconds)
{
    const twHash hash = tw_hash(&seconds, sizeof seconds, (twHash){0, 0});
    return tw_hash(rows, (size_t)count * sizeof *rows, hash);
}

void reproduce_keep(const ReproducePart* part, bool quick)
{
    char path[640], folder[640];
    twFile* file;
    const CliReport* report = &part->report;
    Head head = {.program = hash_program(), .seconds = part->seconds, .count = report->count};
    if (head.program.low == 0 || !kept_path(path, sizeof path, part, quick)) return;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    head.rows = hash_rows(report->rows, head.count, head.seconds);
    if (tw_make_folder(folder, NULL) != TW_OK || tw_file_create(&file, path, NULL) != TW_OK) return;
    fwrite(&head, sizeof head, 1, tw_file_stream(file));
    fwrite(report->rows, sizeof *report->rows, (size_t)report->count, tw_file_stream(file));
    (void)tw_file_commit(&file, NULL);
}

static bool take_rows(ReproducePart* part, const char* bytes, size_t count)
{
    Head head;
    if (count < sizeof head) return false;
    memcpy(&head, bytes, sizeof head);
    const twHash program = hash_program();
    if (head.program.high != program.high || head.program.low != program.low || program.low == 0) return false;
    if (head.count < 1 || (uint64_t)head.count != (count - sizeof head) / sizeof(CliRow) ||
        sizeof head + (size_t)head.count * sizeof(CliRow) != count)
        return false;
    CliRow* rows = malloc((size_t)head.count * sizeof *rows);
    if (!rows) return false;
    memcpy(rows, bytes + sizeof head, (size_t)head.count * sizeof *rows);
    const twHash hash = hash_rows(rows, head.count, head.seconds);
    if (hash.high != head.rows.high || hash.low != head.rows.low)
    {
        free(rows);
        return false;
    }
    free(part->report.rows);
    part->report.rows = rows;
    part->report.count = part->report.capacity = (int)head.count;
    part->seconds = head.seconds;
    return true;
}

bool reproduce_recall(ReproducePart* part, bool quick)
{
    char path[640], *bytes;
    size_t count;
    if (!kept_path(path, sizeof path, part, quick)) return false;
    if (tw_file_read(&bytes, &count, path, KEPT_MAX_BYTES, NULL) != TW_OK) return false;
    part->kept = part->done = take_rows(part, bytes, count);
    free(bytes);
    return part->kept;
}
