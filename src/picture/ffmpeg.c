// SPDX-License-Identifier: MIT
// Encoding by the ffmpeg program.
//
// It gets its arguments as a vector, without a shell, and the pictures through a socket rather than a pipe: writing to a
// program that has died then is an error and not a signal. Its messages come back through a second socket, read while
// pictures are written, so that neither side ever waits for the other. Bytes depend on the pictures, the sound and the
// version of ffmpeg alone: the number of threads is fixed, and nothing of time or version is written. Since some versions
// report success when the disk is full, the file's boxes are counted at the end.
//
// Pictures are converted here to BT.709, 8 bits, limited range, with colours at half the resolution:
//     Y = 16 + 219 (0.2126 R + 0.7152 G + 0.0722 B),   Cb = 128 + 224 (B - Y') / 1.8556,   Cr = 128 + 224 (R - Y') / 1.5748.

#define _GNU_SOURCE  // wait4, SOCK_CLOEXEC

#include "picture/ffmpeg.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ARGUMENTS 96
#define MAX_WORDS 512  // of its last line that are kept

extern char** environ;

struct Ffmpeg
{
    pid_t process;
    int input, words;  // sockets
    int width, height;
    uint8_t* yuv;
    size_t bytes;
    char* path;
    char line[MAX_WORDS], last[2 * MAX_WORDS];  // being read, and the last two that were not empty
    size_t line_length;
};

// ---- colours ----

static void convert_rows(const uint8_t* restrict rgb, int width, uint8_t* restrict y)
{
    for (int i = 0; i < width; i++)
    {
        const int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        y[i] = (uint8_t)((11966 * r + 40254 * g + 4064 * b + (16 << 16) + 32768) >> 16);
    }
}

// the mean of 2 x 2 pixels, times 4
static void convert_colours(const uint8_t* restrict a, const uint8_t* restrict b, int half, uint8_t* restrict cb,
                            uint8_t* restrict cr)
{
    for (int i = 0; i < half; i++)
    {
        int sum[3];
        for (int k = 0; k < 3; k++) sum[k] = a[6 * i + k] + a[6 * i + 3 + k] + b[6 * i + k] + b[6 * i + 3 + k];
        cb[i] = (uint8_t)((-6596 * sum[0] - 22188 * sum[1] + 28784 * sum[2] + (128 << 18) + (1 << 17)) >> 18);
        cr[i] = (uint8_t)((28784 * sum[0] - 26145 * sum[1] - 2639 * sum[2] + (128 << 18) + (1 << 17)) >> 18);
    }
}

static void convert(const Ffmpeg* f, const uint8_t* rgb)
{
    const size_t row = 3 * (size_t)f->width, pixels = (size_t)f->width * (size_t)f->height, half = (size_t)f->width / 2;
    for (int y = 0; y < f->height; y++)
        convert_rows(rgb + (size_t)y * row, f->width, f->yuv + (size_t)y * (size_t)f->width);
    for (int y = 0; y < f->height / 2; y++)
    {
        const uint8_t* from = rgb + 2 * (size_t)y * row;
        uint8_t* cb = f->yuv + pixels + (size_t)y * half;
        convert_colours(from, from + row, (int)half, cb, cb + pixels / 4);
    }
}

// ---- arguments ----

typedef struct Arguments
{
    const char* all[MAX_ARGUMENTS];
    int count;
    char size[32], rate[32], filter[128], channels[16];
    char *sound, *path;  // with "file:" in front, so that no name is taken for an option or an address
} Arguments;

static void add(Arguments* a, const char* const* words)
{
    for (; *words; words++) a->all[a->count++] = *words;
    TW_ASSERT(a->count < MAX_ARGUMENTS);
}
#define ADD(a, ...) add(a, (const char* const[]){__VA_ARGS__, NULL})

static char* file_name(const char* path)
{
    const size_t bytes = strlen(path) + sizeof "file:";
    char* name = malloc(bytes);
    if (name) snprintf(name, bytes, "file:%s", path);
    return name;
}

static bool set_arguments(Arguments* a, const FfmpegDef* def)
{
    a->path = file_name(def->path);
    a->sound = def->sound ? file_name(def->sound) : NULL;
    snprintf(a->size, sizeof a->size, "%dx%d", def->width, def->height);
    snprintf(a->rate, sizeof a->rate, "%.12g", def->rate_hz);
    ADD(a, def->program, "-hide_banner", "-nostdin", "-loglevel", "repeat+error", "-xerror", "-y");
    ADD(a, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", a->size, "-framerate", a->rate);
    ADD(a, "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709");
    ADD(a, "-i", "pipe:0");
    if (def->sound) ADD(a, "-i", a->sound ? a->sound : "");
    ADD(a, "-map", "0:v:0");
    ADD(a, "-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-pix_fmt", "yuv420p", "-threads:v", "2");
    ADD(a, "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709");
    if (def->sound)
    {
        if (def->sound_to > def->sound_from)
            snprintf(a->filter, sizeof a->filter, "atrim=start=%.9f:end=%.9f,asetpts=PTS-STARTPTS", def->sound_from,
                     def->sound_to);
        else
            snprintf(a->filter, sizeof a->filter, "atrim=start=%.9f,asetpts=PTS-STARTPTS", def->sound_from);
        snprintf(a->channels, sizeof a->channels, "%d", def->sound_channels > 1 ? 2 : 1);
        ADD(a, "-map", "1:a:0", "-af", a->filter, "-ac", a->channels, "-c:a", "aac", "-b:a", "192k", "-flags:a",
            "+bitexact");
    }
    ADD(a, "-flags:v", "+bitexact", "-fflags", "+bitexact", "-map_metadata", "-1", "-movflags", "+faststart");
    ADD(a, "-f", "mp4", a->path ? a->path : "");
    return a->path && (a->sound || !def->sound);
}

// ---- starting ----

static int spawn(pid_t* process, const Arguments* a, int input, int words)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    code = posix_spawnattr_init(&attributes);
    if (!code)
    {
        // a group of its own: an interrupt from the terminal is for the caller to judge
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &usual);
        posix_spawn_file_actions_adddup2(&actions, input, 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, words, 2);
        code = posix_spawnp(process, a->all[0], &actions, &attributes, (char* const*)(uintptr_t)a->all, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static twStatus start(Ffmpeg* f, const Arguments* a, bool* missing, twError* err)
{
    int input[2], words[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) != 0)
        return tw_fail(err, TW_IO_ERROR, "%s cannot be started: %s", a->all[0], strerror(errno));
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, words) != 0)
    {
        close(input[0]);
        close(input[1]);
        return tw_fail(err, TW_IO_ERROR, "%s cannot be started: %s", a->all[0], strerror(errno));
    }
    const int code = spawn(&f->process, a, input[1], words[1]);
    close(input[1]);
    close(words[1]);
    f->input = input[0];
    f->words = words[0];
    if (code == 0) return TW_OK;
    f->process = -1;
    *missing = code == ENOENT || code == EACCES || code == ENOTDIR;
    return tw_fail(err, TW_IO_ERROR, "%s cannot be started: %s", a->all[0], strerror(code));
}

twStatus ffmpeg_start(Ffmpeg** out, const FfmpegDef* def, bool* missing, twError* err)
{
    *out = NULL;
    *missing = false;
    Arguments arguments = {.count = 0};
    const bool named = set_arguments(&arguments, def);
    Ffmpeg* f = calloc(1, sizeof *f);
    const size_t bytes = (size_t)def->width * (size_t)def->height * 3 / 2;
    uint8_t* yuv = malloc(bytes);
    char* path = strdup(def->path);
    twStatus status = TW_OK;
    if (!named || !f || !yuv || !path)
    {
        free(f);
        free(yuv);
        free(path);
        status = tw_fail(err, TW_NO_MEMORY, "no memory to encode a film");
    }
    else
    {
        *f = (Ffmpeg){.process = -1, .input = -1, .words = -1, .width = def->width, .height = def->height};
        f->yuv = yuv;
        f->path = path;
        f->bytes = bytes;
        status = start(f, &arguments, missing, err);
        if (status == TW_OK)
            *out = f;
        else
            ffmpeg_abort(&f);
    }
    free(arguments.path);
    free(arguments.sound);
    return status;
}

// ---- its words ----

// behind the one before, since the reason is not always in the last
static void keep_line(Ffmpeg* f)
{
    const char* before = strrchr(f->last, '\n');
    before = before ? before + 1 : f->last;
    char both[sizeof f->last];
    snprintf(both, sizeof both, "%.*s%s%s", MAX_WORDS - 2, before, before[0] ? "\n" : "", f->line);
    memcpy(f->last, both, sizeof both);
}

static void hear(Ffmpeg* f, const char* text, size_t count)
{
    for (size_t i = 0; i < count; i++)
    {
        if (text[i] != '\n' && text[i] != '\r')
        {
            if (f->line_length < sizeof f->line - 1) f->line[f->line_length++] = text[i];
            continue;
        }
        f->line[f->line_length] = 0;
        if (f->line_length > 0) keep_line(f);
        f->line_length = 0;
    }
}

// read what is there; wait for the end if asked to
static void listen_to(Ffmpeg* f, bool to_the_end)
{
    char text[1024];
    for (;;)
    {
        const ssize_t got = recv(f->words, text, sizeof text, to_the_end ? 0 : MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        hear(f, text, (size_t)got);
    }
}

// ---- end ----

// wait for the program; how it ended
static int wait_for(Ffmpeg* f, double* cpu_seconds)
{
    struct rusage used = {0};
    int how = -1;
    pid_t done;
    do done = wait4(f->process, &how, 0, &used);
    while (done < 0 && errno == EINTR);
    f->process = -1;
    if (cpu_seconds)
        *cpu_seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    return done < 0 ? -1 : how;
}

static void drop(Ffmpeg** ffmpeg)
{
    Ffmpeg* f = *ffmpeg;
    *ffmpeg = NULL;
    if (f->input >= 0) close(f->input);
    if (f->words >= 0) close(f->words);
    free(f->yuv);
    free(f->path);
    free(f);
}

// its last words in one line
static const char* last_words(Ffmpeg* f)
{
    hear(f, "\n", 1);
    for (char* at = f->last; (at = strchr(at, '\n'));) *at = ' ';
    return f->last;
}

static twStatus say_how(Ffmpeg* f, int how, twError* err)
{
    if (how == 0) return TW_OK;
    last_words(f);
    if (how > 0 && WIFSIGNALED(how))
        return tw_fail(err, TW_IO_ERROR, "ffmpeg was ended by signal %d%s%s", WTERMSIG(how), f->last[0] ? ": " : "",
                       f->last);
    return tw_fail(err, TW_IO_ERROR, "ffmpeg failed: %s", f->last[0] ? f->last : "it does not say why");
}

// does an MP4 file have all its boxes? A box is its length in 4 bytes, its name in 4, and what is in it; length 1: another
// 8 bytes have it
static bool is_whole(const char* path)
{
    FILE* stream = fopen(path, "rb");
    if (!stream) return false;
    bool index = false, data = false;
    int64_t at = 0;
    fseeko(stream, 0, SEEK_END);
    const int64_t end = ftello(stream);
    uint8_t head[16];
    while (at + 16 <= end && fseeko(stream, at, SEEK_SET) == 0 && fread(head, 1, 16, stream) == 16)
    {
        uint64_t length = 0;
        const bool is_long = head[0] == 0 && head[1] == 0 && head[2] == 0 && head[3] == 1;
        for (int k = 0; k < (is_long ? 8 : 4); k++) length = length << 8 | head[(is_long ? 8 : 0) + k];
        index = index || memcmp(head + 4, "moov", 4) == 0;
        data = data || memcmp(head + 4, "mdat", 4) == 0;
        if (length < 8 || length > (uint64_t)(end - at)) break;
        at += (int64_t)length;
        if (at + 8 == end) at = end;  // an empty box
    }
    fclose(stream);
    return index && data && at == end;
}

twStatus ffmpeg_finish(Ffmpeg** ffmpeg, double* cpu_seconds, twError* err)
{
    Ffmpeg* f = *ffmpeg;
    close(f->input);
    f->input = -1;
    listen_to(f, true);
    twStatus status = say_how(f, wait_for(f, cpu_seconds), err);
    if (status == TW_OK && !is_whole(f->path))
    {
        last_words(f);
        status = tw_fail(err, TW_IO_ERROR, "ffmpeg left a film that is not whole%s%s", f->last[0] ? ": " : "", f->last);
    }
    drop(ffmpeg);
    return status;
}

void ffmpeg_abort(Ffmpeg** ffmpeg)
{
    if (!ffmpeg || !*ffmpeg) return;
    if ((*ffmpeg)->process > 0)
    {
        kill((*ffmpeg)->process, SIGKILL);
        wait_for(*ffmpeg, NULL);
    }
    drop(ffmpeg);
}

// ---- pictures ----

// it has stopped reading: wait for its last words
static twStatus gone(Ffmpeg* f, twError* err)
{
    shutdown(f->input, SHUT_WR);
    listen_to(f, true);
    const int how = wait_for(f, NULL);
    return how == 0 ? tw_fail(err, TW_IO_ERROR, "ffmpeg stopped before the end of the film") : say_how(f, how, err);
}

twStatus ffmpeg_write(Ffmpeg* f, const uint8_t* rgb, twError* err)
{
    convert(f, rgb);
    const uint8_t* from = f->yuv;
    size_t left = f->bytes;
    while (left > 0)
    {
        struct pollfd both[2] = {{.fd = f->input, .events = POLLOUT}, {.fd = f->words, .events = POLLIN}};
        if (poll(both, 2, -1) < 0 && errno != EINTR)
            return tw_fail(err, TW_IO_ERROR, "ffmpeg cannot be reached: %s", strerror(errno));
        if (both[1].revents & POLLIN) listen_to(f, false);
        if (!(both[0].revents & (POLLOUT | POLLERR | POLLHUP))) continue;
        const ssize_t sent = send(f->input, from, left, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0)
        {
            from += sent;
            left -= (size_t)sent;
        }
        else if (sent < 0 && errno != EINTR && errno != EAGAIN)
            return gone(f, err);
    }
    return TW_OK;
}
