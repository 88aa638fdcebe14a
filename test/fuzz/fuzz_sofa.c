// SPDX-License-Identifier: MIT
// Target: SOFA files. Such files are large, so the input is a list of changes to the one that comes with libmysofa: places (4 bytes) and
// what is put there (1 byte); the first 2 bytes say what share of the file there is. Without that file, or with an input that
// begins as HDF5 does, the input is the file.
#define _XOPEN_SOURCE 700
#include "fuzz.h"
#include "media/sofa.h"
#include <pthread.h>
#include <signal.h>

#define BASE "/usr/share/libmysofa/default.sofa"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
void __sanitizer_set_death_callback(void (*callback)(void));
#define FORGET_SANITIZER() __sanitizer_set_death_callback(NULL)
#endif
#endif
#ifndef FORGET_SANITIZER
#define FORGET_SANITIZER() (void)0
#endif

// the process that reads may die: libFuzzer is not to take this for a find
static void die_quietly(void)
{
    static const int deaths[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGXFSZ, SIGALRM, SIGTERM, SIGINT};
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++) signal(deaths[i], SIG_DFL);
    FORGET_SANITIZER();
}

static bool try_file(const void* data, size_t size)
{
    SofaData sofa;
    twError err = {0};
    const twStatus status = sofa_read(&sofa, fuzz_file("a.sofa", data, size), &err);
    fuzz_says(status, &err);
    FUZZ_ENSURE(status == TW_OK || (!sofa.places && !sofa.responses && !sofa.delays));
    sofa_free(&sofa);
    return status == TW_OK;
}

bool fuzz_one(uint8_t* data, size_t size)
{
    static char *base, *changed;
    static size_t bytes;
    static bool started;
    if (!started)
    {
        started = true;
        pthread_atfork(NULL, NULL, die_quietly);
        if (tw_file_read(&base, &bytes, BASE, (size_t)1 << 28, NULL) == TW_OK) changed = malloc(bytes);
    }
    if (!changed || size < 2 || data[0] == 0x89) return try_file(data, size);
    const size_t share = data[0] | (size_t)data[1] << 8;
    memcpy(changed, base, bytes);
    for (size_t i = 2; i + 5 <= size; i += 5)
    {
        uint32_t at;
        memcpy(&at, data + i, 4);
        changed[at % bytes] = (char)data[i + 4];
    }
    return try_file(changed, bytes * share / 65535);
}
