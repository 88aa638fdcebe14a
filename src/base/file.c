// SPDX-License-Identifier: MIT
// Files that appear whole or not at all. The bytes go to a temporary in the target's folder, reach the disk by fsync,
// and take the final name by rename, which POSIX makes atomic; then the folder itself is synced, so that the new name
// survives a power cut too.
#define _XOPEN_SOURCE 700
#include "base/leftovers.h"
#include "twang/base.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_ATTEMPTS 10  // 10 ms apart

struct twFile
{
    FILE* stream;
    char* path;       // final name, links resolved
    char* temporary;  // its name while it is written
    bool part;        // temporary is path.part and outlives failures
    int lock;         // of a temporary, as long as it has this name: it is not a leftover; -1: none
};

// ---- names ----

static char* copy_text(const char* text)
{
    size_t bytes = strlen(text) + 1;
    char* copy = malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

// bytes of path up to and with the last slash
static size_t folder_length(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// the path to write to: behind a link if path is one
static char* resolve(const char* path)
{
    char* target = realpath(path, NULL);
    if (target && strcmp(target, path) != 0)
    {
        struct stat info;
        if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) return target;
    }
    free(target);
    return copy_text(path);
}

// ---- writing ----

// the reason why path may not be replaced, or NULL
static const char* obstacle(const char* path)
{
    struct stat info;
    if (path[0] == 0) return "the name is empty";
    if (path[strlen(path) - 1] == '/') return "the name is that of a folder";
    if (stat(path, &info) != 0) return NULL;
    if (S_ISDIR(info.st_mode)) return "it is a folder";
    if (!S_ISREG(info.st_mode)) return "it is not a regular file";
    if (access(path, W_OK) != 0) return strerror(errno);
    return NULL;
}

// Lock a new temporary, whose writer is alive. @return false if it was taken for a leftover and removed just before
static bool lock_temporary(twFile* file, int descriptor)
{
    struct stat info;
    if (flock(descriptor, LOCK_EX) != 0) return true;  // no locks here: then nobody removes leftovers either
    if (fstat(descriptor, &info) == 0 && info.st_nlink == 0) return false;
    file->lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return true;
}

// open a new file with a random name beside file->path; its permissions follow the umask (mkstemp's would not)
static int open_temporary(twFile* file)
{
    size_t folder = folder_length(file->path);
    size_t bytes = folder + sizeof ".twang-0123456789abcdef.part";
    file->temporary = malloc(bytes);
    if (!file->temporary) return -1;

    // seeds differ by time, process and object; O_EXCL settles what is left
    uint64_t seed = (uint64_t)(tw_seconds() * 1e9) ^ ((uint64_t)getpid() << 32) ^ (uintptr_t)file;
    twRng rng = tw_rng(seed);
    for (int attempt = 0; attempt < 100; attempt++)
    {
        snprintf(file->temporary, bytes, "%.*s.twang-%016llx.part", (int)folder, file->path,
                 (unsigned long long)tw_rng_next(&rng));
        int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST) return -1;
        if (descriptor >= 0 && lock_temporary(file, descriptor)) return descriptor;
        if (descriptor >= 0) close(descriptor);
    }
    return -1;
}

// open path.part, new and empty or, to go on with it, as it is
static int open_part(twFile* file, bool again)
{
    const size_t bytes = strlen(file->path) + sizeof ".part";
    file->part = true;
    file->temporary = malloc(bytes);
    if (!file->temporary) return -1;
    snprintf(file->temporary, bytes, "%s.part", file->path);
    return open(file->temporary, again ? O_RDWR | O_CLOEXEC : O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

// close and free without touching the temporary's name
static void release(twFile** file)
{
    if ((*file)->stream) fclose((*file)->stream);
    if ((*file)->lock >= 0) close((*file)->lock);
    free((*file)->path);
    free((*file)->temporary);
    free(*file);
    *file = NULL;
}

// why a file could not be begun. Some folders (/proc) say "no such file" though they are there
static twStatus fail_create(const char* path, int code, twError* err)
{
    struct stat info;
    size_t length = folder_length(path);
    char* folder = code == ENOENT && length > 0 ? copy_text(path) : NULL;
    if (folder) folder[length > 1 ? length - 1 : 1] = 0;
    if (folder && stat(folder, &info) == 0)
        tw_fail(err, TW_IO_ERROR, "cannot write %s: no file can be made in %s", path, folder);
    else if (folder)
        tw_fail(err, TW_IO_ERROR, "cannot write %s: its folder does not exist; make it first: mkdir -p '%s'", path,
                folder);
    else
        tw_fail(err, code == ENOMEM ? TW_NO_MEMORY : TW_IO_ERROR, "cannot write %s: %s", path, strerror(code));
    free(folder);
    return code == ENOMEM ? TW_NO_MEMORY : TW_IO_ERROR;
}

typedef enum Manner
{
    HIDDEN,     // under a random name
    PART,       // under path.part
    PART_AGAIN  // which is there
} Manner;

static twStatus begin(twFile** out, const char* path, Manner manner, twError* err)
{
    *out = NULL;
    const char* why = obstacle(path);
    if (why) return tw_fail(err, TW_IO_ERROR, "cannot write %s: %s", path, why);

    twFile* file = calloc(1, sizeof *file);
    if (!file) return tw_fail(err, TW_NO_MEMORY, "cannot write %s: no memory", path);
    file->lock = -1;
    file->path = resolve(path);
    int descriptor = -1;
    if (file->path) descriptor = manner == HIDDEN ? open_temporary(file) : open_part(file, manner == PART_AGAIN);
    if (descriptor >= 0)
    {
        file->stream = fdopen(descriptor, manner == PART_AGAIN ? "r+b" : "wb");
        if (file->stream)
        {
            *out = file;
            return TW_OK;
        }
        close(descriptor);
        if (manner != PART_AGAIN) unlink(file->temporary);
    }
    int code = file->temporary ? errno : ENOMEM;
    release(&file);
    if (manner == PART_AGAIN && code == ENOENT)
        return tw_fail(err, TW_BAD_INPUT, "%s.part is not there: nothing to go on with", path);
    return fail_create(path, code, err);
}

twStatus tw_file_create(twFile** out, const char* path, twError* err) { return begin(out, path, HIDDEN, err); }

twStatus tw_file_check(const char* path, twError* err)
{
    // only trying tells: permissions, read-only disks and folders of the kernel all say no in their own way
    twFile* file;
    twStatus status = tw_file_create(&file, path, err);
    tw_file_abort(&file);
    return status;
}

FILE* tw_file_stream(twFile* file) { return file->stream; }

const char* tw_file_temporary(const twFile* file) { return file->temporary; }

// Why a write failed some time ago: more at the end fails alike, and tells. The first of two may still fit. @return an errno
static int write_error(FILE* stream)
{
    static const char more[4096];
    lseek(fileno(stream), 0, SEEK_END);
    for (int i = 0; i < 2; i++)
        if (write(fileno(stream), more, sizeof more) < 0) return errno;
    return EIO;
}

// bring everything written so far to the disk. @return 0 or an errno
static int flush_and_sync(FILE* stream)
{
    bool failed_before = ferror(stream) != 0;
    if (fflush(stream) != 0) return errno;
    if (failed_before) return write_error(stream);

    // some file systems cannot sync; that is no reason to fail
    if (fsync(fileno(stream)) != 0 && errno != EINVAL && errno != ENOSYS) return errno;
    return 0;
}

// bring a folder's list of names to the disk. @return 0 or EIO; folders that cannot be opened or synced are left alone
static int sync_folder(const char* path)
{
    size_t length = folder_length(path);
    char* folder = length > 0 ? copy_text(path) : copy_text("./");
    if (!folder) return 0;
    if (length > 0) folder[length] = 0;
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (descriptor < 0) return 0;
    int code = fsync(descriptor) != 0 && errno == EIO ? EIO : 0;
    close(descriptor);
    return code;
}

twStatus tw_file_commit(twFile** file, twError* err)
{
    TW_ASSERT(file && *file);
    twFile* f = *file;
    int code = flush_and_sync(f->stream);
    if (fclose(f->stream) != 0 && code == 0) code = errno;
    f->stream = NULL;
    if (code == 0 && rename(f->temporary, f->path) != 0) code = errno;

    twStatus status = TW_OK;
    if (code != 0)
    {
        status = tw_fail(err, TW_IO_ERROR, "cannot write %s: %s", f->path, strerror(code));
        if (!f->part) unlink(f->temporary);
    }
    else if (sync_folder(f->path) != 0)
        status = tw_fail(err, TW_IO_ERROR, "cannot sync the folder of %s: %s", f->path, strerror(EIO));
    release(file);
    return status;
}

twStatus tw_file_fail(const twFile* file, twError* err)
{
    return tw_fail(err, TW_IO_ERROR, "cannot write %s: %s", file->path, strerror(write_error(file->stream)));
}

void tw_file_abort(twFile** file)
{
    if (!file || !*file) return;
    unlink((*file)->temporary);
    release(file);
}

// ---- files that outlive an interruption ----

twStatus tw_file_create_part(twFile** out, const char* path, twError* err)
{
    twStatus status = begin(out, path, PART, err);
    if (status == TW_OK) sync_folder((*out)->path);
    return status;
}

twStatus tw_file_resume(twFile** out, const char* path, twError* err) { return begin(out, path, PART_AGAIN, err); }

twStatus tw_file_cut(twFile* file, uint64_t bytes, twError* err)
{
    struct stat info;
    if (fstat(fileno(file->stream), &info) != 0 || !S_ISREG(info.st_mode) || (uint64_t)info.st_size < bytes)
        return tw_fail(err, TW_BAD_INPUT, "%s holds less than %llu bytes", file->temporary, (unsigned long long)bytes);
    if (fflush(file->stream) != 0 || ftruncate(fileno(file->stream), (off_t)bytes) != 0 ||
        fseeko(file->stream, (off_t)bytes, SEEK_SET) != 0)
        return tw_fail(err, TW_IO_ERROR, "cannot write %s: %s", file->temporary, strerror(errno));
    return TW_OK;
}

twStatus tw_file_sync(twFile* file, twError* err)
{
    int code = flush_and_sync(file->stream);
    return code == 0 ? TW_OK : tw_fail(err, TW_IO_ERROR, "cannot write %s: %s", file->temporary, strerror(code));
}

void tw_file_leave(twFile** file)
{
    if (!file || !*file) return;
    if (!(*file)->part) unlink((*file)->temporary);
    release(file);
}

// ---- reading ----

// why a path given by the user is wrong, as against a file that fails while it is read
static twStatus open_status(int code)
{
    bool wrong_path = code == ENOENT || code == ENOTDIR || code == EISDIR || code == ENAMETOOLONG || code == ELOOP;
    return wrong_path ? TW_BAD_INPUT : TW_IO_ERROR;
}

// a first guess of the size to read: exact for regular files
static size_t first_capacity(const struct stat* info, size_t max_bytes)
{
    size_t guess = S_ISREG(info->st_mode) ? (size_t)info->st_size : 65536;
    return guess < max_bytes ? guess : max_bytes;
}

// make room for one more byte than max_bytes at most, so that a too big file shows; one byte is kept for the zero
static bool grow(char** data, size_t* capacity, size_t max_bytes)
{
    size_t wanted = *capacity < max_bytes / 2 ? 2 * *capacity + 1 : max_bytes + 1;
    char* larger = realloc(*data, wanted + 1);
    if (!larger) return false;
    *data = larger;
    *capacity = wanted;
    return true;
}

// read to the end of the file, pipe or device. @return 0, an errno, or EFBIG
static int read_all(int descriptor, char** data, size_t* bytes, size_t capacity, size_t max_bytes)
{
    *data = malloc(capacity + 1);
    if (!*data) return ENOMEM;
    for (;;)
    {
        if (*bytes == capacity && !grow(data, &capacity, max_bytes)) return ENOMEM;
        ssize_t got = read(descriptor, *data + *bytes, capacity - *bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) break;
        *bytes += (size_t)got;
        if (*bytes > max_bytes) return EFBIG;
    }
    (*data)[*bytes] = 0;
    return 0;
}

// read what is open as descriptor, which is closed; -1: it could not be opened
static twStatus file_read_open(char** out, size_t* bytes, int descriptor, const char* path, size_t max_bytes,
                               twError* err)
{
    *out = NULL;
    if (bytes) *bytes = 0;
    if (max_bytes > PTRDIFF_MAX - 16) max_bytes = PTRDIFF_MAX - 16;
    struct stat info;
    if (descriptor < 0 || fstat(descriptor, &info) != 0)
    {
        int code = errno;
        if (descriptor >= 0) close(descriptor);
        return tw_fail(err, open_status(code), "cannot read %s: %s", path, strerror(code));
    }

    // a folder opens but does not read; a big regular file is refused before anything is allocated
    char* data = NULL;
    size_t count = 0;
    int code = S_ISDIR(info.st_mode) ? EISDIR : 0;
    if (S_ISREG(info.st_mode) && (uintmax_t)info.st_size > max_bytes) code = EFBIG;
    if (code == 0) code = read_all(descriptor, &data, &count, first_capacity(&info, max_bytes), max_bytes);
    close(descriptor);
    if (code == 0)
    {
        *out = data;
        if (bytes) *bytes = count;
        return TW_OK;
    }
    free(data);
    if (code == EISDIR) return tw_fail(err, TW_BAD_INPUT, "cannot read %s: it is a folder", path);
    if (code == EFBIG)
        return tw_fail(err, TW_BAD_INPUT, "cannot read %s: it holds more than %zu bytes", path, max_bytes);
    return tw_fail(err, code == ENOMEM ? TW_NO_MEMORY : TW_IO_ERROR, "cannot read %s: %s", path, strerror(code));
}

twStatus tw_file_read(char** out, size_t* bytes, const char* path, size_t max_bytes, twError* err)
{
    return file_read_open(out, bytes, open(path, O_RDONLY | O_CLOEXEC), path, max_bytes, err);
}

// Open the next part of a name within a folder, which is closed; links are not followed, and
// nothing waits. @return -1 with errno
static int file_open_part(int folder, const char* name, size_t length, bool last)
{
    char part[256];
    if (length >= sizeof part) errno = ENAMETOOLONG;
    if (folder < 0 || length >= sizeof part)
    {
        if (folder >= 0) close(folder);
        return -1;
    }
    memcpy(part, name, length);
    part[length] = 0;
    const int kind = last ? O_NONBLOCK : O_DIRECTORY;
    const int descriptor = openat(folder, part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | kind);
    int code = errno;
    struct stat info;
    const bool link = descriptor < 0 && fstatat(folder, part, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
    close(folder);
    errno = link ? ELOOP : code;
    return descriptor;
}

// whether a name stays in its folder: not absolute, no part is ".."
static bool file_stays_below(const char* name)
{
    if (name[0] == '/' || name[0] == 0) return false;
    for (const char* at = name; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == 0)) return false;
    return true;
}

twStatus tw_file_read_beside(char** out, size_t* bytes, const char* beside, const char* name, size_t max_bytes,
                             twError* err)
{
    *out = NULL;
    if (bytes) *bytes = 0;
    if (!file_stays_below(name))
        return tw_fail(err, TW_BAD_INPUT, "cannot read %s: it must be in the folder of %s, or below it", name, beside);
    char* folder = copy_text(beside);
    if (!folder) return tw_fail(err, TW_NO_MEMORY, "cannot read %s: no memory", name);
    folder[folder_length(beside)] = 0;
    int descriptor = open(folder[0] ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    for (const char* at = name; descriptor >= 0 && *at;)
    {
        const size_t length = strcspn(at, "/");
        const bool last = at[length] == 0;
        if (length > 0 && !(length == 1 && at[0] == '.' && !last))
            descriptor = file_open_part(descriptor, at, length, last);
        at += length + !last;
    }
    struct stat info;
    if (descriptor < 0 && errno == ELOOP)
        return tw_fail(err, TW_BAD_INPUT, "cannot read %s: it is a symbolic link; put the file itself there", name);
    if (descriptor >= 0 && fstat(descriptor, &info) == 0 && !S_ISREG(info.st_mode))
    {
        close(descriptor);
        return tw_fail(err, TW_BAD_INPUT, "cannot read %s: it is not a regular file", name);
    }
    return file_read_open(out, bytes, descriptor, name, max_bytes, err);
}

// ---- folders ----

static bool is_temporary(const char* name)
{
    return strncmp(name, ".twang-", 7) == 0 && strspn(name + 7, "0123456789abcdef") == 16 &&
           strcmp(name + 23, ".part") == 0;
}

void tw_remove_leftovers(const char* path)
{
    DIR* folder = opendir(path);
    for (struct dirent* entry; folder && (entry = readdir(folder));)
    {
        if (!is_temporary(entry->d_name)) continue;
        int descriptor = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        // whoever writes it holds it locked
        if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlinkat(dirfd(folder), entry->d_name, 0);
        if (descriptor >= 0) close(descriptor);
    }
    if (folder) closedir(folder);
}

// make one folder unless it is there. @return 0 or an errno
static int make_one(const char* path)
{
    struct stat info;
    if (mkdir(path, 0777) == 0) return 0;
    int code = errno;
    if (stat(path, &info) != 0) return code;
    return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
}

twStatus tw_make_folder(const char* path, twError* err)
{
    if (path[0] == 0) return tw_fail(err, TW_BAD_INPUT, "cannot make a folder: the name is empty");
    char* name = copy_text(path);
    if (!name) return tw_fail(err, TW_NO_MEMORY, "cannot make the folder %s: no memory", path);

    // parents first: cut the name at each slash in turn
    int code = 0;
    for (char* slash = strchr(name + 1, '/'); slash && code == 0; slash = strchr(slash + 1, '/'))
    {
        *slash = 0;
        code = make_one(name);
        if (code == 0) *slash = '/';
    }
    if (code == 0) code = make_one(name);

    twStatus status = TW_OK;
    if (code == ENOTDIR)
        status = tw_fail(err, TW_IO_ERROR, "cannot make the folder %s: %s exists and is not a folder", path, name);
    else if (code == ENOENT)  // its parent is there by now
        status = tw_fail(err, TW_IO_ERROR, "cannot make the folder %s: nothing can be made there", path);
    else if (code != 0)
        status = tw_fail(err, TW_IO_ERROR, "cannot make the folder %s: %s", path, strerror(code));
    free(name);
    return status;
}

// by flock, since it belongs to this opening alone: other locks of POSIX go when anybody in the process closes the file. That of a
// program with threads which was just killed stays until the system has closed its files, so it is asked for again for a while.
twStatus tw_lock_folder(int* lock, const char* path, twError* err)
{
    const struct timespec pause = {0, 10 * 1000 * 1000};
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool taken = false;
    for (int attempt = 0; attempt < LOCK_ATTEMPTS; attempt++)
    {
        if (*lock < 0 || flock(*lock, LOCK_EX | LOCK_NB) == 0) return TW_OK;
        taken = errno == EWOULDBLOCK;
        if (!taken) break;
        nanosleep(&pause, NULL);
    }
    tw_unlock_folder(lock);
    if (!taken) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT,
                   "another program is writing to the folder %s: wait for it, or take another folder", path);
}

void tw_unlock_folder(int* lock)
{
    if (*lock >= 0) close(*lock);
    *lock = -1;
}
