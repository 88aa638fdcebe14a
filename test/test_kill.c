// SPDX-License-Identifier: MIT
// Renders that are killed at any moment, many times: what has its name is whole, and what goes on ends with the same bytes. TWANG_KILLS
// says how often (10); a hundred take a minute.
#define _XOPEN_SOURCE 700
#include "render.h"
#include "test.h"
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

// one body is flexible, so that modes are looked for and kept in a cache too
#define SCENE                                                                                                          \
    "duration: 0.05\nframes: 200\nground: {material: wood}\ndefault_flexible: false\nbodies:\n"                        \
    "  bar: {shape: \"bar:0.12x0.02x0.005\", material: steel, position: [0, 0, 0.05], turn: [20, 30, 0],\n"            \
    "        flexible: {modes: 5, accuracy: 0.2}}\n"                                                                   \
    "  brick: {shape: \"box:0.02x0.03x0.01\", material: wood, position: [0.03, 0, 0.12], spin: [0, 9, 0]}\n"           \
    "listeners: {ear: {at: [0.3, 0, 0.3]}, a: {pickup: {body: brick, at: [0.01, 0, 0]}}}\n"                            \
    "outputs: [{name: ear, from: [ear]}, {name: brick, from: [a], format: float, level: {gain: 1}}]\n"

static const char* const whole_files[] = {"trace.twtrace", "ear.wav", "brick.wav"};

enum
{
    WHOLE_FILES = 3
};

static int kill_count(void)
{
    const char* wanted = getenv("TWANG_KILLS");
    const int count = wanted ? atoi(wanted) : 0;
    return count > 0 ? count : 10;
}

static bool in_render(const char* folder, const char* name) { return access(rendered(folder, name), F_OK) == 0; }

// a process that renders; every checkpoint is kept
static pid_t start(const char* folder, bool resume)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child != 0) return child;
    char cache[1024];
    twError err = {0};
    snprintf(cache, sizeof cache, "%s", in_folder("cache"));
    const twRenderDef def = {.resume = resume, .cache_folder = cache};
    const twStatus status = render_scene(SCENE, folder, def, NULL, &err);
    if (status != TW_OK) printf("%s\n", err.text);
    fflush(stdout);
    _exit(status == TW_OK ? 0 : 1);
}

static void wait_seconds(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))}, NULL);
}

// kill it after so many seconds, unless it ends before. @return its exit code, -1 if it was killed
static int kill_after(pid_t child, double seconds)
{
    int how = 0;
    if (child <= 0) return 1;
    const double end = tw_seconds() + seconds;
    pid_t ended = 0;
    while (ended == 0 && tw_seconds() < end)
    {
        wait_seconds(fmin(1e-3, fmax(0, end - tw_seconds())));
        ended = waitpid(child, &how, WNOHANG);
    }
    if (ended == 0)
    {
        kill(child, SIGKILL);
        waitpid(child, &how, 0);
    }
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static bool ends_with(const char* text, const char* ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

// a report that ends is whole
static bool whole_report(const char* folder)
{
    char* text;
    size_t bytes;
    if (!render_read(&text, &bytes, folder, "report.json")) return false;
    while (bytes > 0 && text[bytes - 1] == '\n') bytes--;
    const bool whole = bytes > 100 && text[0] == '{' && text[bytes - 1] == '}' && text[bytes - 2] == '\n';
    free(text);
    return whole;
}

// whether every file that has its name is as that of a render that nobody killed
static bool all_whole(const char* folder, const char* model)
{
    bool good = true;
    DIR* dir = opendir(in_folder(folder));
    for (struct dirent* entry; dir && (entry = readdir(dir));)
    {
        const char* name = entry->d_name;
        if (name[0] == '.' || ends_with(name, ".part") || ends_with(name, ".state")) continue;
        const bool whole = strcmp(name, "report.json") == 0 ? whole_report(folder) : same_file(folder, model, name);
        if (!whole) printf("%s/%s is not whole\n", folder, name);
        good = good && whole;
    }
    if (dir) closedir(dir);
    return good;
}

// temporaries of those that were killed go when the next one begins
static bool no_leftovers(const char* folder)
{
    bool none = true;
    DIR* dir = opendir(in_folder(folder));
    for (struct dirent* entry; dir && (entry = readdir(dir));) none = none && !ends_with(entry->d_name, ".part");
    if (dir) closedir(dir);
    return none;
}

static int remove_all(const char* path, const struct stat* info, int kind, struct FTW* place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(const char* name) { nftw(in_folder(name), remove_all, 8, FTW_DEPTH | FTW_PHYS); }

static int killed_at_any_moment_nothing_is_lost_or_half_written(void)
{
    const double begin = tw_seconds();
    ENSURE(kill_after(start("model", false), 1000) == 0);
    double whole = tw_seconds() - begin;
    const int wanted = kill_count();
    twRng rng = tw_rng(12);
    int ended = 0, resumed = 0, kills = 0;
    remove_folder("cache");
    while (kills < wanted || ended == 0)
    {
        // what was simulated goes on if there is a checkpoint; a first one may not have been made
        const bool resume = in_render("killed", "trace.twtrace.state");
        ENSURE(!resume || in_render("killed", "trace.twtrace.part"));
        resumed += resume;
        const double until = kills < wanted ? tw_rng_between(&rng, 0, resume ? 0.5 * whole : 1.2 * whole) : 1000;
        const double from = tw_seconds();
        const int code = kill_after(start("killed", resume), until);
        ENSURE(code == 0 || code == -1);
        kills += code == -1;
        ENSURE(all_whole("killed", "model"));
        if (code != 0) continue;
        ended++;
        if (!resume) whole = fmin(whole, tw_seconds() - from);
        for (int i = 0; i < WHOLE_FILES; i++) ENSURE(same_file("killed", "model", whole_files[i]));
        ENSURE(whole_report("killed") && !in_render("killed", "trace.twtrace.part") &&
               !in_render("killed", "trace.twtrace.state"));
        ENSURE(no_leftovers("killed"));
        remove_folder("killed");
        remove_folder("cache");
    }
    printf("%d kills in renders of %.2f s, %d times gone on, %d times to the end\n", kills, whole, resumed, ended);
    ENSURE(kills >= wanted && resumed > 0);
    return 0;
}

// each finds what the other keeps, or keeps it itself
static int two_renders_share_a_cache(void)
{
    for (int round = 0; round < 1; round++)
    {
        remove_folder("cache");
        remove_folder("one");
        remove_folder("two");
        const pid_t one = start("one", false), two = start("two", false);
        ENSURE(kill_after(one, 1000) == 0 && kill_after(two, 1000) == 0);
        for (int i = 0; i < WHOLE_FILES; i++)
            ENSURE(same_file("one", "model", whole_files[i]) && same_file("two", "model", whole_files[i]));
    }
    return 0;
}

// of two into one folder one has it, and the other says so; the folder is then as if there had been one
static int two_renders_into_one_folder_do_not_mix(void)
{
    remove_folder("one");
    const pid_t one = start("one", false), two = start("one", false);
    const int first = kill_after(one, 1000), second = kill_after(two, 1000);
    ENSURE(first == 0 || second == 0);
    ENSURE(first >= 0 && first <= 1 && second >= 0 && second <= 1);
    for (int i = 0; i < WHOLE_FILES; i++) ENSURE(same_file("one", "model", whole_files[i]));
    ENSURE(all_whole("one", "model") && whole_report("one"));
    return 0;
}

// clang-format off
TEST_MAIN(
    scratch_folder();  // before any child does
    RUN(killed_at_any_moment_nothing_is_lost_or_half_written)
    RUN(two_renders_share_a_cache)
    RUN(two_renders_into_one_folder_do_not_mix)
)
