// SPDX-License-Identifier: MIT
#pragma once
#include "scratch.h"
#include "test.h"
#include "twang/media.h"
#include <dirent.h>
#include <stdlib.h>

/// @file
/// Files that media write: how many there are, whether two are alike.

static twError error;

static inline int files_in_folder(void)
{
    int n = 0;
    DIR* dir = opendir(scratch_folder());
    for (struct dirent* entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
        n += entry->d_name[0] != '.' || entry->d_name[1] == 't';
    if (dir) closedir(dir);
    return n;
}

static inline bool same_bytes(const char* a, const char* b)
{
    char *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    tw_file_read(&x, &n, a, 1 << 24, NULL);
    tw_file_read(&y, &m, b, 1 << 24, NULL);
    bool same = x && y && n == m && memcmp(x, y, n) == 0;
    free(x);
    free(y);
    return same;
}

static inline void put_bytes(const char* path, const void* data, size_t n)
{
    FILE* f = fopen(path, "wb");
    if (!f) return;
    fwrite(data, 1, n, f);
    fclose(f);
}
