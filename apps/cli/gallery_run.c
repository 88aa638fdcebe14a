// SPDX-License-Identifier: MIT
// Renders the scenes of a gallery, a process each: `twang render`, whose output goes to render.log in the scene's folder. A process
// that crashes takes nobody along, and what it wrote is there.
//
// Ctrl-C reaches this process alone (the others are in groups of their own), which passes it on once, so that each can leave a
// state from which it goes on.
#define _GNU_SOURCE  // SIGTERM for the children of a process that is killed

#include "gallery.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOG "render.log"
#define LOOK_SECONDS 0.05  // between two looks at the processes
#define MOST_JOBS 64
#define LOG_END 4096  // of a log that is looked at [bytes]

typedef struct Job
{
    GalleryItem* item;  // NULL: idle
    pid_t pid;
    bool resumed, film;  // goes on with a simulation; only pictures were missing
} Job;

typedef struct Runner
{
    Gallery* gallery;
    char program[GALLERY_PATH];
    Job jobs[MOST_JOBS];
    int job_count, running;
    bool stopping, quiet;
    CliProgress progress;
    char label[128];
} Runner;

// ---- starting ----

static void log_path(const GalleryItem* item, char out[GALLERY_PATH + 16])
{
    snprintf(out, GALLERY_PATH + 16, "%s/" LOG, item->folder);
}

// what an earlier render made: this one may make none of that name
static void clear_folder(const GalleryItem* item)
{
    static const char* const endings[] = {".wav", ".png", ".mp4", ".glb", "report.json"};
    DIR* dir = opendir(item->folder);
    for (struct dirent* entry; dir && (entry = readdir(dir));)
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        {
            const size_t n = strlen(entry->d_name), m = strlen(endings[i]);
            char path[2 * GALLERY_PATH];
            if (n < m || strcmp(entry->d_name + n - m, endings[i]) != 0) continue;
            snprintf(path, sizeof path, "%s/%.255s", item->folder, entry->d_name);
            unlink(path);
        }
    if (dir) closedir(dir);
}

// in the child: never returns
static void become_render(char* const* argv, const char* log)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGINT, SIG_DFL);
    const int in = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(127);
    execv(argv[0], argv);
    _exit(127);
}

// What is to be done: all of it, the rest of a simulation, or pictures of one that is there.
static twStatus start(Runner* r, Job* job, twError* err)
{
    GalleryItem* item = job->item;
    char seconds[32], log[GALLERY_PATH + 16], trace[GALLERY_PATH + 16];
    job->resumed = item->state == GALLERY_BEGUN && gallery_has(item, "trace.twtrace.state");
    job->film = item->state == GALLERY_BEGUN && !job->resumed && gallery_has(item, "report.json") &&
                gallery_has(item, "trace.twtrace");
    if (!job->resumed && !job->film) clear_folder(item);
    twStatus status = gallery_note(item, GALLERY_BEGUN, err);
    if (status != TW_OK) return status;
    log_path(item, log);
    snprintf(seconds, sizeof seconds, "%.17g", item->part);
    snprintf(trace, sizeof trace, "%s/trace.twtrace", item->folder);
    char* argv[14] = {r->program};
    int n = 1;
    argv[n++] = job->film ? "picture" : "render";
    argv[n++] = job->film ? trace : item->file;
    argv[n++] = "-o";
    argv[n++] = item->folder;
    if (job->resumed) argv[n++] = "--resume";
    if (item->part > 0 && !job->film) argv[n++] = "--seconds", argv[n++] = seconds;
    // to be listened to beside others, so each is raised to what can be heard well
    if (!job->film) argv[n++] = "--level", argv[n++] = "loudness=-23";
    if (item->no_video) argv[n++] = "--no-video";
    item->went_on = job->resumed || job->film;
    item->begun = tw_seconds();
    fflush(NULL);
    job->pid = fork();
    if (job->pid == 0) become_render(argv, log);
    if (job->pid < 0) return tw_fail(err, TW_IO_ERROR, "cannot start a process: %s", strerror(errno));
    r->running++;
    return TW_OK;
}

// ---- watching ----

// the end of a log, zero-terminated
static void read_end(const GalleryItem* item, char out[LOG_END + 1])
{
    char path[GALLERY_PATH + 16];
    log_path(item, path);
    out[0] = 0;
    FILE* file = fopen(path, "rb");
    if (!file) return;
    if (fseek(file, -LOG_END, SEEK_END) != 0) rewind(file);
    out[fread(out, 1, LOG_END, file)] = 0;
    fclose(file);
}

// "twang: rendering, 45 %, ..." of a log; 0 if it is not told
static double told_fraction(const GalleryItem* item)
{
    char text[LOG_END + 1], *last = text;
    read_end(item, text);
    for (char* at = strstr(text, " %"); at; at = strstr(at + 1, " %")) last = at;
    if (last == text) return 0;
    while (last > text && strchr("0123456789", last[-1])) last--;
    return fmin(1, 0.01 * atof(last));
}

// the last line that tells an error, or the last line
static void tell_trouble(GalleryItem* item, int status)
{
    char text[LOG_END + 1];
    read_end(item, text);
    const char *found = NULL, *last = NULL;
    for (char* line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
    {
        if (strncmp(line, "twang render:", 13) == 0 || strncmp(line, "twang picture:", 14) == 0) found = line;
        last = line;
    }
    if (WIFSIGNALED(status))
        snprintf(item->trouble, sizeof item->trouble, "the program was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(item->trouble, sizeof item->trouble, "%s", found ? found : last ? last : "it failed without a word");
}

static bool wants(const GalleryItem* item) { return item->wanted && item->state != GALLERY_READY && !item->rendered; }

static double expected(const GalleryItem* item)
{
    return item->part > 0 ? 20 : item->scene->minutes > 0 ? 60 * item->scene->minutes : 5;
}

static void show(Runner* r)
{
    double done = 0, all = 0;
    int left = 0;
    char names[80] = "";
    for (int i = 0; i < r->gallery->count; i++)
    {
        const GalleryItem* item = &r->gallery->items[i];
        if (!item->rendered && !wants(item)) continue;
        all += expected(item);
        done += item->rendered ? expected(item) : 0;
        left += !item->rendered;
    }
    for (int i = 0; i < r->job_count; i++)
    {
        GalleryItem* item = r->jobs[i].item;
        if (!item) continue;
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", item->scene->name);
        done += item->fraction * expected(item);
    }
    snprintf(r->label, sizeof r->label, "gallery, %d to go: %s", left, names);
    cli_progress_update(&r->progress, all > 0 ? done / all : 1);
}

// ---- ending ----

static void finish(Runner* r, Job* job, int status, twError* trouble)
{
    GalleryItem* item = job->item;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    char path[2 * GALLERY_PATH];
    twError err = {0};
    r->running--;
    job->item = NULL;
    if (r->stopping) return;
    if (code == CLI_USAGE && job->resumed)
    {
        // what was kept is of no use: from the start
        snprintf(path, sizeof path, "%s/trace.twtrace.state", item->folder);
        unlink(path);
        item->state = GALLERY_STALE;
        return;
    }
    item->rendered = true;
    item->seconds = tw_seconds() - item->begun;
    item->state = GALLERY_READY;
    snprintf(path, sizeof path, "%s/report.json", item->folder);
    if (code != 0)
    {
        item->state = GALLERY_FAILED;
        tell_trouble(item, status);
    }
    else if (tw_render_check_load(&item->check, path, &err) != TW_OK)
    {
        item->state = GALLERY_FAILED;
        snprintf(item->trouble, sizeof item->trouble, "%.500s", err.text);
    }
    if (gallery_note(item, item->state, &err) != TW_OK) *trouble = err;
    if (r->quiet) return;
    char took[32];
    gallery_time(took, sizeof took, item->seconds);
    cli_progress_end(&r->progress);
    if (item->state == GALLERY_READY)
        printf("%-20s rendered in %s%s\n", item->scene->name, took, gallery_holds(item) ? "" : ", but see the page");
    else
        printf("%-20s FAILED: %s\n", item->scene->name, item->trouble);
    fflush(stdout);
}

static void collect(Runner* r, twError* trouble)
{
    for (int i = 0; i < r->job_count; i++)
    {
        int status;
        if (!r->jobs[i].item) continue;
        if (waitpid(r->jobs[i].pid, &status, WNOHANG) == r->jobs[i].pid) finish(r, &r->jobs[i], status, trouble);
    }
}

static void stop(Runner* r)
{
    if (r->stopping) return;
    r->stopping = true;
    for (int i = 0; i < r->job_count; i++)
        if (r->jobs[i].item) kill(r->jobs[i].pid, SIGINT);
}

// ---- the whole ----

// of a scene and all that goes on from it [s]
static double seconds_from(const Runner* r, const GalleryItem* item)
{
    double longest = 0;
    for (int i = 0; i < r->gallery->count; i++)
    {
        const GalleryItem* next = &r->gallery->items[i];
        if (next->scene->after >= 0 && &r->gallery->items[next->scene->after] == item && wants(next))
            longest = fmax(longest, seconds_from(r, next));
    }
    return expected(item) + longest;
}

static bool is_busy(const Runner* r, const GalleryItem* item)
{
    for (int k = 0; k < r->job_count; k++)
        if (r->jobs[k].item == item) return true;
    return false;
}

// whether it can be begun; one that never will be fails
static bool can_begin(const Runner* r, GalleryItem* item)
{
    if (!wants(item) || is_busy(r, item)) return false;
    const GalleryItem* before = item->scene->after >= 0 ? &r->gallery->items[item->scene->after] : NULL;
    if (!before || before->state == GALLERY_READY) return true;
    if (wants(before)) return false;
    snprintf(item->trouble, sizeof item->trouble, "it goes on from '%s', which failed", before->scene->name);
    item->state = GALLERY_FAILED;
    item->rendered = true;
    return false;
}

// the next scene: the longest of those that can be begun, so that nothing waits for it in the end; NULL: none now
static GalleryItem* next_item(Runner* r)
{
    GalleryItem* best = NULL;
    for (int i = 0; i < r->gallery->count; i++)
    {
        GalleryItem* item = &r->gallery->items[i];
        if (can_begin(r, item) && (!best || seconds_from(r, item) > seconds_from(r, best))) best = item;
    }
    return best;
}

static twStatus fill(Runner* r, twError* err)
{
    for (int i = 0; i < r->job_count && !r->stopping; i++)
    {
        if (r->jobs[i].item) continue;
        r->jobs[i].item = next_item(r);
        if (!r->jobs[i].item) return TW_OK;
        const twStatus status = start(r, &r->jobs[i], err);
        if (status == TW_OK) continue;
        r->jobs[i].item = NULL;
        return status;
    }
    return TW_OK;
}

static void watch(Runner* r)
{
    const struct timespec pause = {0, (long)(LOOK_SECONDS * 1e9)};
    nanosleep(&pause, NULL);
    for (int i = 0; i < r->job_count; i++)
        if (r->jobs[i].item && r->progress.enabled) r->jobs[i].item->fraction = told_fraction(r->jobs[i].item);
    show(r);
}

twStatus gallery_run(Gallery* gallery, int jobs, bool quiet, twError* err)
{
    Runner* r = calloc(1, sizeof *r);
    if (!r) return tw_fail(err, TW_NO_MEMORY, "no memory to render a gallery");
    twError trouble = {0};
    *r = (Runner){.gallery = gallery, .job_count = jobs < MOST_JOBS ? jobs : MOST_JOBS, .quiet = quiet};
    r->progress = cli_progress(r->label);
    r->progress.quiet = quiet;
    twStatus status = gallery_program(r->program, err);
    if (status == TW_OK) status = fill(r, err);
    while (r->running > 0)
    {
        watch(r);
        if (cli_interrupted() || status != TW_OK || trouble.status != TW_OK) stop(r);
        collect(r, &trouble);
        if (status == TW_OK && !r->stopping) status = fill(r, err);
    }
    cli_progress_end(&r->progress);
    if (status == TW_OK && cli_interrupted())
        status = tw_fail(err, TW_INTERRUPTED, "interrupted; the same command goes on where it was");
    if (status == TW_OK && trouble.status != TW_OK) status = tw_fail(err, trouble.status, "%s", trouble.text);
    free(r);
    return status;
}
