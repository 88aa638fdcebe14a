// SPDX-License-Identifier: MIT
// What bodies are called: as their nodes are, with a number behind it if that is taken, empty, or kept for something else.
#include "import/import.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// names that are given, in order
typedef struct Names
{
    int count;
    const char** names;
    int* numbers;  // (names) the last one tried behind each
} Names;

// where a name is or belongs
static int find(const Names* names, const char* name, bool* found)
{
    int low = 0, high = names->count;
    *found = false;
    while (low < high)
    {
        const int middle = low + (high - low) / 2, order = strcmp(names->names[middle], name);
        if (order == 0)
        {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(Names* names, const char* name)
{
    bool found;
    const int at = find(names, name, &found);
    const size_t rest = (size_t)(names->count - at);
    memmove(names->names + at + 1, names->names + at, rest * sizeof *names->names);
    memmove(names->numbers + at + 1, names->numbers + at, rest * sizeof *names->numbers);
    names->names[at] = name;
    names->numbers[at] = 1;
    names->count++;
}

// at most bytes - 1, whole characters, no blanks around
static void shorten(char* out, size_t bytes, const char* name)
{
    while (*name == ' ') name++;
    size_t length = strlen(name);
    if (length >= bytes) length = bytes - 1;
    while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80) length--;
    while (length > 0 && name[length - 1] == ' ') length--;
    memcpy(out, name, length);
    out[length] = 0;
}

static bool is_ground(const char* name)
{
    static const char ground[] = "ground";
    for (int i = 0; i < (int)sizeof ground; i++)
        if (tolower((unsigned char)name[i]) != ground[i]) return false;
    return true;
}

static twStatus choose(ImportReader* reader, Names* names, twImportBody* body, twError* err)
{
    char base[IMPORT_NAME - 12], name[IMPORT_NAME];
    bool found;
    shorten(base, sizeof base, body->name);
    if (!base[0]) snprintf(base, sizeof base, "body");
    body->ground = body->flat && !body->moves && is_ground(base);
    // scenes keep that for the ground itself
    if (!body->ground && strcmp(base, "ground") == 0) snprintf(base, sizeof base, "ground body");
    snprintf(name, sizeof name, "%s", base);
    const int at = find(names, base, &found);
    int number = found ? names->numbers[at] : 1;
    for (bool taken = found; taken;)
    {
        snprintf(name, sizeof name, "%s-%d", base, ++number);
        find(names, name, &taken);
    }
    if (found) names->numbers[at] = number;
    body->name = tw_arena_copy_text(reader->import->arena, name);
    if (!body->name) return import_no_memory(reader, err);
    insert(names, body->name);
    return TW_OK;
}

twStatus import_names(ImportReader* reader, twError* err)
{
    twImport* import = reader->import;
    Names names = {0};
    names.names = malloc(((size_t)import->body_count + 1) * sizeof *names.names);
    names.numbers = malloc(((size_t)import->body_count + 1) * sizeof *names.numbers);
    twStatus status = names.names && names.numbers ? TW_OK : import_no_memory(reader, err);
    if (status == TW_OK) insert(&names, "world");
    for (int i = 0; i < import->body_count && status == TW_OK; i++)
        status = choose(reader, &names, &import->bodies[i], err);
    free(names.names);
    free(names.numbers);
    return status;
}
