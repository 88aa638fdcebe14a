// SPDX-License-Identifier: MIT
// SOFA files (AES69) through libmysofa; no other file knows it. Such a file is HDF5 inside, anyone may have made it, and one in
// twenty damaged files brings libmysofa down. So it reads in a process of its own, which sends back what it found through a
// pipe: first a Report, then the arrays. If that process dies, the file is damaged.

#define _XOPEN_SOURCE 700
#include "sofa.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mysofa.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_BYTES ((size_t)1 << 30)
#define MAX_DIRECTIONS 16384u
#define MAX_TAPS 4096u
#define MOST_SECONDS 20  // of computing, for a file
#define MOST_FILES 4096

typedef struct MYSOFA_HRTF Sofa;
typedef struct MYSOFA_ARRAY Array;

// what the reading process says before the arrays; no text: all is well
typedef struct Report
{
    char text[200];
    uint32_t directions, taps, delays, left;
    double rate_hz;
} Report;

// ---- the reading process ----

static const char* reason(int code)
{
    switch (code)
    {
    case MYSOFA_NO_MEMORY:
        return "no memory to read it";
    case MYSOFA_INVALID_ATTRIBUTES:
        return "its attributes are not those of SOFA";
    case MYSOFA_INVALID_DIMENSIONS:
    case MYSOFA_INVALID_DIMENSION_LIST:
        return "its dimensions do not match";
    case MYSOFA_UNSUPPORTED_FORMAT:
        return "it has features that libmysofa does not know";
    case MYSOFA_INVALID_COORDINATE_TYPE:
        return "its coordinates are of an unknown type";
    default:
        return "it is damaged, or no SOFA file of free-field responses";
    }
}

static bool holds(const Array* array, uint64_t count) { return array->values && array->elements == count; }

// @return what is wrong, NULL if nothing
static const char* check_sizes(const Sofa* s)
{
    uint64_t responses = (uint64_t)2 * s->M, delays = s->DataDelay.elements;
    if (s->R != 2) return "a head has two receivers";
    if (s->M < 1 || s->M > MAX_DIRECTIONS) return "its number of directions is not 1 to 16384";
    if (s->N < 1 || s->N > MAX_TAPS) return "its responses are not of 1 to 4096 taps";
    bool good = holds(&s->DataIR, responses * s->N) && holds(&s->SourcePosition, (uint64_t)3 * s->M) &&
                s->DataSamplingRate.values && s->DataSamplingRate.elements >= 1 &&
                (delays == 0 || ((delays == 2 || delays == responses) && s->DataDelay.values));
    return good ? NULL : "its arrays do not have the sizes that it tells";
}

// receivers are left and right, unless their places say otherwise
static uint32_t left_of(const Sofa* s)
{
    const Array* p = &s->ReceiverPosition;
    return p->values && p->elements >= 6 && p->values[1] < 0 && p->values[4] > 0;
}

static bool send_all(int pipe_end, const void* from, size_t bytes)
{
    for (const char* at = from; bytes > 0;)
    {
        ssize_t sent = write(pipe_end, at, bytes);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

// what the other process has open is not to stay open, and locked, if it is killed before this one
static void close_others(int pipe_end)
{
    struct rlimit limit = {0, 0};
    getrlimit(RLIMIT_NOFILE, &limit);
    const int most = limit.rlim_cur < MOST_FILES ? (int)limit.rlim_cur : MOST_FILES;
    for (int file = STDERR_FILENO + 1; file < most; file++)
        if (file != pipe_end) close(file);
}

static void read_and_send(int pipe_end, const char* data, size_t bytes)
{
    close_others(pipe_end);
    // it talks to stderr when it dies
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &(struct rlimit){MOST_SECONDS, MOST_SECONDS});

    int code = MYSOFA_INVALID_FORMAT;
    Sofa* s = mysofa_load_data(data, bytes, &code);
    const char* wrong = s ? check_sizes(s) : reason(code);
    if (!wrong && (code = mysofa_check(s)) != MYSOFA_OK) wrong = reason(code);
    Report report = {{0}, 0, 0, 0, 0, 0};
    if (wrong)
        snprintf(report.text, sizeof report.text, "%s", wrong);
    else
    {
        mysofa_tocartesian(s);
        report = (Report){{0}, s->M, s->N, s->DataDelay.elements, left_of(s), s->DataSamplingRate.values[0]};
    }
    bool sent = send_all(pipe_end, &report, sizeof report);
    if (wrong || !sent) return;
    send_all(pipe_end, s->SourcePosition.values, (size_t)3 * s->M * sizeof(float));
    send_all(pipe_end, s->DataIR.values, (size_t)2 * s->M * s->N * sizeof(float));
    if (report.delays > 0) send_all(pipe_end, s->DataDelay.values, report.delays * sizeof(float));
}

// ---- the one that asked ----

static bool receive_all(int pipe_end, void* to, size_t bytes)
{
    for (char* at = to; bytes > 0;)
    {
        ssize_t got = read(pipe_end, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

static bool receive_array(int pipe_end, float** out, size_t count)
{
    *out = malloc((count + 1) * sizeof **out);
    return *out && receive_all(pipe_end, *out, count * sizeof **out);
}

static twStatus check_report(const Report* r, const char* path, twError* err)
{
    if (r->text[0]) return tw_fail(err, TW_BAD_INPUT, "%s: %.*s", path, (int)sizeof r->text - 1, r->text);
    bool sane = r->directions >= 1 && r->directions <= MAX_DIRECTIONS && r->taps >= 1 && r->taps <= MAX_TAPS &&
                (r->delays == 0 || r->delays == 2 || r->delays == 2 * r->directions) && r->left <= 1;
    if (!sane) return tw_fail(err, TW_BAD_INPUT, "%s: it is damaged", path);
    if (!(r->rate_hz >= 4000 && r->rate_hz <= 1e6))
        return tw_fail(err, TW_BAD_INPUT, "%s: a rate of %g Hz", path, r->rate_hz);
    return TW_OK;
}

static bool all_within(const float* x, size_t count, float most)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(x[i]) <= most)) return false;
    return true;
}

static twStatus receive(SofaData* out, int pipe_end, const char* path, twError* err)
{
    Report r;
    if (!receive_all(pipe_end, &r, sizeof r))
        return tw_fail(err, TW_BAD_INPUT, "%s: it is damaged: libmysofa cannot read it", path);
    twStatus status = check_report(&r, path, err);
    if (status != TW_OK) return status;
    *out = (SofaData){
        .direction_count = r.directions, .taps = r.taps, .delay_count = r.delays, .left = r.left, .rate_hz = r.rate_hz};
    size_t samples = (size_t)2 * r.directions * r.taps;
    if (!receive_array(pipe_end, &out->places, (size_t)3 * r.directions) ||
        !receive_array(pipe_end, &out->responses, samples) || !receive_array(pipe_end, &out->delays, r.delays))
        return tw_fail(err, TW_BAD_INPUT, "%s: it is damaged, or there is no memory for it", path);
    if (!all_within(out->places, (size_t)3 * r.directions, 1e6f) || !all_within(out->responses, samples, 1e6f) ||
        !all_within(out->delays, r.delays, 1e5f))
        return tw_fail(err, TW_BAD_INPUT, "%s: it holds values that cannot be", path);
    return TW_OK;
}

static twStatus read_apart(SofaData* out, const char* data, size_t bytes, const char* path, twError* err)
{
    int ends[2];
    if (pipe(ends) != 0) return tw_fail(err, TW_IO_ERROR, "%s: no pipe to read it: %s", path, strerror(errno));
    pid_t child = fork();
    if (child == 0)
    {
        close(ends[0]);
        read_and_send(ends[1], data, bytes);
        _exit(0);
    }
    close(ends[1]);
    twStatus status = child > 0 ? receive(out, ends[0], path, err)
                                : tw_fail(err, TW_IO_ERROR, "%s: no process to read it: %s", path, strerror(errno));
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    return status;
}

twStatus sofa_read(SofaData* out, const char* path, twError* err)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    *out = (SofaData){0};
    char* data;
    size_t bytes;
    twStatus status = tw_file_read(&data, &bytes, path, MAX_BYTES, err);
    if (status != TW_OK) return status;
    if (bytes <= sizeof signature || memcmp(data, signature, sizeof signature) != 0)
        status = tw_fail(err, TW_BAD_INPUT, "%s: no SOFA file: it does not start as HDF5 does", path);
    else
        status = read_apart(out, data, bytes, path, err);
    free(data);
    if (status != TW_OK) sofa_free(out);
    return status;
}

void sofa_free(SofaData* data)
{
    free(data->places);
    free(data->responses);
    free(data->delays);
    *data = (SofaData){0};
}
