// SPDX-License-Identifier: MIT
// Gives the files of folders, in the order of their names, to a fuzz target: what libFuzzer does with its corpus, without it. Files
// whose names begin with "good" must be taken, so that the others are damaged ones of what is read today.
#define _XOPEN_SOURCE 700
#include "fuzz.h"
#include <dirent.h>

static int not_hidden(const struct dirent* entry) { return entry->d_name[0] != '.'; }

static int replay_file(const char* path)
{
    char* bytes;
    size_t count;
    twError err = {0};
    if (tw_file_read(&bytes, &count, path, (size_t)1 << 28, &err) != TW_OK)
    {
        printf("%s\n", err.text);
        return 1;
    }
    // said before, for those that do not come back
    printf("%s\n", path);
    fflush(stdout);
    const bool taken = fuzz_copy((const uint8_t*)bytes, count);
    free(bytes);
    const char* slash = strrchr(path, '/');
    const bool wrong = !taken && strncmp(slash ? slash + 1 : path, "good", 4) == 0;
    if (wrong) printf("it should be taken\n");
    return wrong;
}

static int replay_folder(const char* folder, int* files)
{
    struct dirent** names;
    const int count = scandir(folder, &names, not_hidden, alphasort);
    int failed = count < 0;
    if (failed) printf("%s: no such folder\n", folder);
    for (int i = 0; i < count; i++)
    {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        failed += replay_file(path);
        *files += 1;
        free(names[i]);
    }
    if (count >= 0) free(names);
    return failed;
}

int main(int argc, char** argv)
{
    int files = 0, failed = 0;
    for (int i = 1; i < argc; i++) failed += replay_folder(argv[i], &files);
    printf("%d files\n", files);
    return failed > 0 || files == 0;
}
