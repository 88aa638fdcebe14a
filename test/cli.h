// SPDX-License-Identifier: MIT
#pragma once
// Runs the built program and looks at its output, files and exit code. _XOPEN_SOURCE 700 is needed.
#include "scratch.h"
#include "test.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- running ----

#define OUTPUT_MAX (1 << 18)

static char output[OUTPUT_MAX];

// run `twang args` by the shell; its output (and what else the shell is told) goes to output. @return exit code
static inline int run(const char* args)
{
    char command[4096];
    snprintf(command, sizeof command, "cd '%s' && '%s/twang' %s", scratch_folder(), TEST_BIN_DIR, args);
    FILE* pipe = popen(command, "r");
    if (!pipe) return -1;
    size_t used = fread(output, 1, OUTPUT_MAX - 1, pipe);
    output[used] = 0;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline int count_files(void)
{
    DIR* dir = opendir(scratch_folder());
    int count = 0;
    for (struct dirent* entry; dir && (entry = readdir(dir));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (dir) closedir(dir);
    return count;
}

static inline int remove_entry(const char* path, const struct stat* info, int type, struct FTW* where)
{
    (void)info;
    (void)type;
    return where->level > 0 ? remove(path) : 0;
}

// empty the folder
static inline void remove_files(void)
{
    if (nftw(scratch_folder(), remove_entry, 8, FTW_DEPTH | FTW_PHYS) != 0) printf("cannot empty the folder\n");
}

// ---- JSON ----

static inline const char* skip_space(const char* s) { return s + strspn(s, " \t\r\n"); }

static inline const char* skip_text(const char* s)
{
    if (*s++ != '"') return NULL;
    for (; *s != '"'; s++)
    {
        if ((unsigned char)*s < 0x20) return NULL;
        if (*s == '\\' && !*++s) return NULL;
    }
    return s + 1;
}

static inline const char* skip_value(const char* s);

// members of an object or an array after its opening bracket
static inline const char* skip_members(const char* s, bool object)
{
    char closing = object ? '}' : ']';
    s = skip_space(s);
    if (*s == closing) return s + 1;
    for (;;)
    {
        if (object)
        {
            s = skip_text(skip_space(s));
            if (!s || *(s = skip_space(s)) != ':') return NULL;
            s++;
        }
        s = skip_value(s);
        if (!s) return NULL;
        s = skip_space(s);
        if (*s == closing) return s + 1;
        if (*s != ',') return NULL;
        s++;
    }
}

// the end of the JSON value that begins at s; NULL if it is none
static inline const char* skip_value(const char* s)
{
    s = skip_space(s);
    if (*s == '{' || *s == '[') return skip_members(s + 1, *s == '{');
    if (*s == '"') return skip_text(s);
    static const char* const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++)
        if (strncmp(s, words[i], strlen(words[i])) == 0) return s + strlen(words[i]);
    if (!strchr("-0123456789", *s) || !*s) return NULL;
    char* end;
    strtod(s, &end);
    return end;
}

static inline bool is_json(const char* text)
{
    const char* end = skip_value(text);
    return end && !*skip_space(end);
}

// ---- files ----

static inline bool write_text(const char* name, const char* text)
{
    FILE* file = fopen(in_folder(name), "w");
    if (!file) return false;
    const bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written;
}

static inline bool write_scene(const char* text) { return write_text("s.yaml", text); }

static inline bool is_there(const char* name) { return access(in_folder(name), F_OK) == 0; }

static inline int starts_like(const char* name, const char* beginning)
{
    char text[64] = "";
    FILE* file = fopen(in_folder(name), "r");
    if (!file) return 0;
    size_t used = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[used] = 0;
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

// ---- interrupting ----

// a command in the scratch folder; what it says of errors can be read from *errors, the rest is thrown away
static inline pid_t start_quietly(char* const* args, int* errors)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    pid_t child = fork();
    *errors = ends[0];
    if (child != 0)
    {
        close(ends[1]);
        return child;
    }
    int null = open("/dev/null", O_WRONLY);
    if (null < 0 || dup2(ends[1], 2) < 0 || dup2(null, 1) < 0 || chdir(scratch_folder()) != 0) _exit(99);
    close(ends[0]);
    execv(TEST_BIN_DIR "/twang", args);
    _exit(98);
}

static inline bool says_nothing_was_written(int errors)
{
    ssize_t bytes = read(errors, output, OUTPUT_MAX - 1);
    close(errors);
    output[bytes > 0 ? bytes : 0] = 0;
    return strstr(output, "interrupted") && strstr(output, "; nothing was written\n");
}

// start, wait, interrupt: does it end within seconds, as it should, and leave nothing?
static inline int interrupt_after(char* const* args, struct timespec wait)
{
    remove_files();
    int errors;
    pid_t child = start_quietly(args, &errors);
    ENSURE(child > 0);
    nanosleep(&wait, NULL);
    kill(child, SIGINT);
    int status = 0, ended = 0;
    for (int i = 0; i < 1000 && ended == 0; i++)
    {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        ended = waitpid(child, &status, WNOHANG);
    }
    if (ended == 0) kill(child, SIGKILL);
    ENSURE(ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 130);
    ENSURE(count_files() == 0 && says_nothing_was_written(errors));
    return 0;
}
