// SPDX-License-Identifier: MIT
#pragma once
// Runs patches in Pure Data, in batch mode, and reads what they recorded. TEST_PD, TEST_PD_FOLDER and _XOPEN_SOURCE 700 are needed.
#include "scratch.h"
#include "test.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>

#define PATCH_MAX (1 << 20)
#define LOG_MAX (1 << 16)

static char patch[PATCH_MAX];
static size_t patch_used;
static char pd_log[LOG_MAX];

static inline void patch_begin(void) { patch_used = 0; }

__attribute__((format(printf, 1, 2))) static inline void patch_add(const char* format, ...)
{
    va_list args;
    va_start(args, format);
    patch_used += (size_t)vsnprintf(patch + patch_used, PATCH_MAX - patch_used, format, args);
    va_end(args);
    if (patch_used >= PATCH_MAX) patch_used = PATCH_MAX - 1;
}

static inline bool patch_save(const char* name)
{
    FILE* file = fopen(in_folder(name), "w");
    bool ok = file && fwrite(patch, 1, patch_used, file) == patch_used;
    if (file) ok = fclose(file) == 0 && ok;
    return ok;
}

// Pd is not built with sanitizers; what it loads may be
#if defined(__SANITIZE_ADDRESS__)
#define PD_SANITIZER "$(gcc -print-file-name=libasan.so)"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PD_SANITIZER "$(clang -print-file-name=libclang_rt.asan-$(uname -m).so)"
#endif
#endif
#ifdef PD_SANITIZER
#define PD_PRELOAD                                                                                                     \
    "LSAN_OPTIONS=suppressions=" TEST_SOURCE_DIR "/test/data/pd.supp:print_suppressions=0 "                            \
    "LD_PRELOAD=" PD_SANITIZER " ASAN_OPTIONS=detect_leaks=1 "
#else
#define PD_PRELOAD ""
#endif

// where Pd looks for objects
static const char* pd_path = TEST_PD_FOLDER;

// run patches of the scratch folder to their end; what Pd says goes to pd_log. @return exit code, -1 if it crashed
static inline int pd_run(double rate_hz, const char* options, const char* first, const char* second)
{
    char command[4096];
    snprintf(command, sizeof command,
             "cd '%s' && " PD_PRELOAD
             "timeout 120 '%s' -nogui -noprefs -nosound -batch -r %g %s -path '%s' -open '%s' %s%s 2>&1",
             scratch_folder(), TEST_PD, rate_hz, options, pd_path, first, second ? "-open " : "", second ? second : "");
    FILE* pipe = popen(command, "r");
    if (!pipe) return -1;
    size_t used = fread(pd_log, 1, LOG_MAX - 1, pipe);
    pd_log[used] = 0;
    // the rest must be read, or Pd waits
    char rest[4096];
    while (fread(rest, 1, sizeof rest, pipe) > 0) continue;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// what was recorded, from a WAV of floats with one channel. @return samples
static inline int read_floats(const char* name, float* out, int most)
{
    static unsigned char bytes[1 << 24];
    FILE* file = fopen(in_folder(name), "rb");
    if (!file) return 0;
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t at = 12; at + 8 <= count;)
    {
        uint32_t size = bytes[at + 4] | (uint32_t)bytes[at + 5] << 8 | (uint32_t)bytes[at + 6] << 16 |
                        (uint32_t)bytes[at + 7] << 24;
        if (memcmp(bytes + at, "data", 4) == 0)
        {
            int n = (int)(size / 4) < most ? (int)(size / 4) : most;
            memcpy(out, bytes + at + 8, (size_t)n * 4);
            return n;
        }
        at += 8 + size + (size & 1);
    }
    return 0;
}

// A patch that starts everything and ends it: sends messages (each "; receiver message", ready to be part of a message box) at once and
// later, turns DSP on, waits, writes the array "result" to result.wav and quits.
static inline void driver(double wait_ms, const char* at_once, double later_ms, const char* later)
{
    patch_begin();
    patch_add("#N canvas 0 0 600 400 12;\n#X obj 10 10 loadbang;\n#X obj 10 40 t b b b b;\n");
    patch_add("#X msg 10 70 %s \\; test-go bang;\n#X msg 60 70 \\; pd dsp 1;\n", at_once);
    patch_add("#X obj 10 100 del %g;\n#X obj 60 100 del %g;\n", wait_ms, later_ms > 0 ? later_ms : 1);
    patch_add("#X msg 60 130 %s;\n", later_ms > 0 ? later : "\\; test-nobody bang");
    patch_add(
        "#X obj 10 130 t b b;\n#X msg 10 160 \\; pd quit;\n#X msg 60 160 write -wave -bytes 4 result.wav result;\n");
    patch_add("#X obj 60 190 soundfiler;\n");
    patch_add(
        "#X connect 0 0 1 0;\n#X connect 1 3 2 0;\n#X connect 1 2 3 0;\n#X connect 1 1 5 0;\n#X connect 1 0 4 0;\n");
    patch_add(
        "#X connect 5 0 6 0;\n#X connect 4 0 7 0;\n#X connect 7 1 9 0;\n#X connect 7 0 8 0;\n#X connect 9 0 10 0;\n");
    patch_save("driver.pd");
}

// one object in a subpatch of a block size, its outlet recorded; messages to it go to "test-msg", its first
// inlet gets what "test-sig" says as a signal
static inline void subject(const char* object, int outlet, const char* block, int samples)
{
    patch_begin();
    patch_add(
        "#N canvas 0 0 600 400 12;\n#N canvas 0 0 450 300 sub 0;\n#X obj 10 10 %s;\n#X obj 10 50 tabwrite~ result;\n",
        object);
    patch_add(
        "#X obj 10 80 r test-go;\n#X obj 10 110 r test-msg;\n#X obj 200 10 block~ %s;\n#X obj 200 40 r test-block;\n",
        block);
    patch_add("#X connect 0 %d 1 0;\n#X connect 2 0 1 0;\n#X connect 3 0 0 0;\n#X connect 5 0 4 0;\n"
              "#X obj 200 80 r test-sig;\n#X obj 200 110 sig~;\n#X connect 6 0 7 0;\n#X connect 7 0 0 0;\n",
              outlet);
    patch_add("#X restore 10 10 pd sub;\n#X obj 10 40 table result %d;\n", samples);
    patch_save("subject.pd");
}

static inline bool says_trouble(void)
{
    return strstr(pd_log, "couldn't create") || strstr(pd_log, "connection failed") || strstr(pd_log, "no method");
}
