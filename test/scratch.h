// SPDX-License-Identifier: MIT
#pragma once
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// @file
/// A folder for a test's files: made on first use, removed with all in it when the program ends. The test defines
/// _XOPEN_SOURCE 700 or _DEFAULT_SOURCE before its first include.

static char scratch_path[256];

static inline int scratch_remove_entry(const char* path, const struct stat* info, int kind, struct FTW* place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

static inline void scratch_remove(void) { nftw(scratch_path, scratch_remove_entry, 8, FTW_DEPTH | FTW_PHYS); }

static inline const char* scratch_folder(void)
{
    if (scratch_path[0]) return scratch_path;
    const char* parent = getenv("TMPDIR");
    snprintf(scratch_path, sizeof scratch_path, "%s/twang_test_XXXXXX", parent && parent[0] ? parent : P_tmpdir);
    if (!mkdtemp(scratch_path)) abort();
    atexit(scratch_remove);
    return scratch_path;
}

/// Path of a file in the folder; holds until the second next call.
static inline const char* in_folder(const char* name)
{
    static char path[2][1024];
    static int next;
    next = !next;
    snprintf(path[next], sizeof path[next], "%s/%s", scratch_folder(), name);
    return path[next];
}
