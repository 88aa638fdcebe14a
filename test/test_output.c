// SPDX-License-Identifier: MIT
// Every command that writes, where it cannot: disks that are full, folders that are read-only or missing, names that are taken, pipes that
// nobody reads. Each ends with 1, says in one line which file it is, and leaves nothing.
#define _XOPEN_SOURCE 700
#include "cli.h"
#include <sys/stat.h>

#define BODIES                                                                                                         \
    "duration: 0.05\nframes: 100\nground: {material: wood}\n"                                                          \
    "bodies: {box: {shape: \"box:0.02x0.03x0.01\", material: wood, flexible: false, position: [0, 0, 0.02]}}\n"        \
    "listeners: {a: {pickup: {body: box, at: [0.01, 0, 0]}}}\n"

#define BELL                                                                                                           \
    "duration: 0.5\nobjects: {b: {modes: [{freq: 300, decay: 3}]}, h: {mass: 0.02}}\n"                                 \
    "interactions: [{between: [h, b], impact: {}}]\nstrikes: [{with: h, velocity: 1}]\n"

// a command that writes a file or a folder, and how it names it
typedef struct Writer
{
    const char *args, *names;
} Writer;

static const Writer writers[] = {
    {"render bell.yaml -o out", "out"},
    {"render box.yaml --no-picture -o out", "out"},
    {"strike bar.twmodes --duration 0.3 -o out/a.wav", "out/a.wav"},
    {"bake bar.twmodes --no-cache -o out/a.twmodes", "out/a.twmodes"},
    {"modes bar:0.1x0.02x0.01 --count 1 --accuracy 9 -o out/a.twmodes", "out/a.twmodes"},
    {"sound box.twtrace -o out", "out"},
    {"picture box.twtrace --no-video --no-glb --no-plots -o out", "out"},
    {"impact --plot out/a.png", "out/a.png"},
    {"impact --duration 0.1 --csv out/a.csv", "out/a.csv"},
    {"reproduce impact -o out", "out"},
};

enum
{
    WRITERS = sizeof writers / sizeof *writers
};

static bool prepare(void)
{
    remove_files();
    char cache[1024];
    snprintf(cache, sizeof cache, "%s", in_folder("cache"));
    setenv("XDG_CACHE_HOME", cache, 1);
    return write_text("bell.yaml", BELL) && write_text("box.yaml", BODIES) &&
           run("modes bar:0.1x0.02x0.01 --count 1 --accuracy 9 -o bar.twmodes 2>&1") == 0 &&
           run("render box.yaml -o r --no-picture 2>&1 && mv r/trace.twtrace box.twtrace && mv r/a.wav . && rm -r r") ==
               0;
}

// the shell's word for all files of the folder
static bool list_files(char* out, size_t bytes)
{
    char command[1200];
    snprintf(command, sizeof command, "cd '%s' && find . -path ./cache -prune -o -print | sort", scratch_folder());
    FILE* pipe = popen(command, "r");
    if (!pipe) return false;
    out[fread(out, 1, bytes - 1, pipe)] = 0;
    return pclose(pipe) == 0;
}

// one line that says what could not be written
static bool says_one_line(const char* names)
{
    const char* end = strchr(output, '\n');
    const bool good = end && !end[1] && strstr(output, "cannot ") && strstr(output, names);
    if (!good) printf("expected one line about %s: %s\n", names, output);
    return good;
}

// fails with 1 and one line, and leaves the files that there were
static bool fails_cleanly(const char* args, const char* before, const char* names)
{
    static char files[2][8192];
    char command[1024];
    list_files(files[0], sizeof files[0]);
    snprintf(command, sizeof command, "%s 2>&1 >/dev/null", args);
    // what is said before is done in the shell that runs the command
    char whole[2048];
    snprintf(whole, sizeof whole, "--version >/dev/null; %s '%s/twang' %s", before, TEST_BIN_DIR, command);
    const int code = run(whole);
    list_files(files[1], sizeof files[1]);
    const bool same = strcmp(files[0], files[1]) == 0;
    if (code != 1) printf("%s: exit code %d: %s\n", args, code, output);
    if (!same) printf("%s: before:\n%safter:\n%s", args, files[0], files[1]);
    return code == 1 && same && says_one_line(names);
}

static void make_out(void)
{
    if (mkdir(in_folder("out"), 0777) != 0) printf("no folder\n");
}

static int on_a_full_disk_every_command_fails_cleanly(void)
{
    ENSURE(prepare());
    make_out();
    for (int i = 0; i < WRITERS; i++)
    {
        // of bodies what was simulated is kept, which other tests look at
        if (strstr(writers[i].args, "box.yaml")) continue;
        ENSURE(fails_cleanly(writers[i].args, "ulimit -f 1;", writers[i].names));
    }
    return 0;
}

static int where_nothing_can_be_made_every_command_says_so(void)
{
    ENSURE(prepare());
    for (int i = 0; i < WRITERS; i++)
    {
        // no folder there, or a file where it should be
        const bool folder = !strchr(writers[i].names, '/');
        if (folder) ENSURE(write_text("out", "a file"));
        ENSURE(fails_cleanly(writers[i].args, "", writers[i].names));
        if (folder) unlink(in_folder("out"));
    }
    return 0;
}

// root may write to every folder
static int in_a_folder_that_is_read_only_every_command_says_so(void)
{
    if (getuid() == 0) return 0;
    ENSURE(prepare());
    make_out();
    ENSURE(chmod(in_folder("out"), 0555) == 0);
    for (int i = 0; i < WRITERS; i++) ENSURE(fails_cleanly(writers[i].args, "", writers[i].names));
    return chmod(in_folder("out"), 0755);
}

static int a_folder_where_a_file_should_be_stays(void)
{
    ENSURE(prepare());
    for (int i = 0; i < WRITERS; i++)
    {
        if (!strchr(writers[i].names, '/')) continue;
        make_out();
        ENSURE(mkdir(in_folder(writers[i].names), 0777) == 0);
        ENSURE(fails_cleanly(writers[i].args, "", writers[i].names));
        ENSURE(run("--version; rm -r out") == 0);
    }
    make_out();
    ENSURE(mkdir(in_folder("out/sound.wav"), 0777) == 0);
    ENSURE(fails_cleanly("render bell.yaml -o out", "", "out/sound.wav"));
    return 0;
}

// files are there all the same: what failed is the report
static int a_pipe_that_nobody_reads_is_a_failure(void)
{
    ENSURE(prepare());
    static const char* const talkers[] = {"info box.yaml --json", "info box.twtrace", "materials", "impact --json"};
    for (size_t i = 0; i < sizeof talkers / sizeof *talkers; i++)
    {
        char command[1024];
        snprintf(command, sizeof command, "--version >/dev/null; { { '%s/twang' %s 2>&3; echo $? >&3; } | true; } 3>&1",
                 TEST_BIN_DIR, talkers[i]);
        ENSURE(run(command) == 0);
        // it may have been quicker than the reader was gone
        ENSURE_TEXT(output[0] == '0' ? output : strchr(output, '\n') + 1, output[0] == '0' ? "0\n" : "1\n");
        ENSURE(output[0] == '0' || strncmp(output, "twang: standard output could not be written\n", 44) == 0);
    }
    ENSURE(run("render bell.yaml -o out 2>/dev/null | true; test -s out/report.json") == 0);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(on_a_full_disk_every_command_fails_cleanly)
    RUN(where_nothing_can_be_made_every_command_says_so)
    RUN(in_a_folder_that_is_read_only_every_command_says_so)
    RUN(a_folder_where_a_file_should_be_stays)
    RUN(a_pipe_that_nobody_reads_is_a_failure)
)
