// SPDX-License-Identifier: MIT
// Tests of base: files and folders, against what the system says of them.
#define _XOPEN_SOURCE 700
#include "test.h"
#include "twang/base.h"
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// a fresh folder for one test, removed by folder_remove(); paths inside by in()
static char folder[200];

static int folder_make(void)
{
    const char* base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/test_file.XXXXXX", base && *base && strlen(base) < 100 ? base : "/tmp");
    return mkdtemp(folder) != NULL;
}

static const char* in(const char* name)
{
    static char path[4][512];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

// number of entries, hidden ones too
static int entries(void)
{
    int count = 0;
    DIR* dir = opendir(folder);
    if (!dir) return -1;
    for (struct dirent* e = readdir(dir); e; e = readdir(dir))
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return count;
}

// remove the folder with all files and folders one level deep
static void folder_remove(void)
{
    DIR* dir = opendir(folder);
    if (!dir) return;
    for (struct dirent* e = readdir(dir); e; e = readdir(dir))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) remove(in(e->d_name));
    closedir(dir);
    rmdir(folder);
}

static int write_file(const char* path, const char* text)
{
    twFile* file;
    if (tw_file_create(&file, path, NULL) != TW_OK) return 0;
    fputs(text, tw_file_stream(file));
    return tw_file_commit(&file, NULL) == TW_OK && file == NULL;
}

static int holds(const char* path, const char* text)
{
    char* data;
    size_t bytes;
    if (tw_file_read(&data, &bytes, path, 1000, NULL) != TW_OK) return 0;
    int same = bytes == strlen(text) && strcmp(data, text) == 0;
    free(data);
    return same;
}

static int file_appears_only_at_commit(void)
{
    ENSURE(folder_make());
    twFile* file;
    twError err;
    ENSURE(tw_file_create(&file, in("a.txt"), &err) == TW_OK);
    fputs("hello", tw_file_stream(file));
    fflush(tw_file_stream(file));
    ENSURE(access(in("a.txt"), F_OK) != 0);
    ENSURE(strncmp(tw_file_temporary(file), folder, strlen(folder)) == 0);
    ENSURE(holds(tw_file_temporary(file), "hello"));
    ENSURE(tw_file_commit(&file, &err) == TW_OK);
    ENSURE(file == NULL);
    ENSURE(holds(in("a.txt"), "hello"));
    ENSURE(entries() == 1);
    folder_remove();
    return 0;
}

static int aborted_file_leaves_nothing(void)
{
    ENSURE(folder_make());
    ENSURE(write_file(in("a.txt"), "old"));
    twFile* file;
    ENSURE(tw_file_create(&file, in("a.txt"), NULL) == TW_OK);
    fputs("new", tw_file_stream(file));
    tw_file_abort(&file);
    ENSURE(file == NULL);
    tw_file_abort(&file);
    ENSURE(entries() == 1);
    ENSURE(holds(in("a.txt"), "old"));
    folder_remove();
    return 0;
}

static int commit_replaces_an_existing_file(void)
{
    ENSURE(folder_make());
    ENSURE(write_file(in("a.txt"), "old and longer"));
    ENSURE(write_file(in("a.txt"), "new"));
    ENSURE(holds(in("a.txt"), "new"));
    ENSURE(entries() == 1);
    folder_remove();
    return 0;
}

static int a_part_stays_and_can_be_gone_on_with(void)
{
    ENSURE(folder_make());
    twFile* file;
    twError err;
    ENSURE(tw_file_resume(&file, in("a.txt"), &err) == TW_BAD_INPUT && !file);
    ENSURE(strstr(err.text, "a.txt.part is not there"));
    ENSURE(tw_file_create_part(&file, in("a.txt"), NULL) == TW_OK && entries() == 1);
    fputs("one two", tw_file_stream(file));
    ENSURE(tw_file_sync(file, NULL) == TW_OK && holds(in("a.txt.part"), "one two"));
    tw_file_leave(&file);
    ENSURE(!file && access(in("a.txt"), F_OK) != 0);
    ENSURE(tw_file_resume(&file, in("a.txt"), NULL) == TW_OK);
    ENSURE(tw_file_cut(file, 8, &err) == TW_BAD_INPUT && strstr(err.text, "less than 8 bytes"));
    ENSURE(tw_file_cut(file, 4, NULL) == TW_OK);
    fputs("three", tw_file_stream(file));
    ENSURE(tw_file_commit(&file, NULL) == TW_OK && entries() == 1 && holds(in("a.txt"), "one three"));

    // a commit that fails leaves it; what is no part is left to nobody
    ENSURE(tw_file_create_part(&file, in("b.txt"), NULL) == TW_OK && mkdir(in("b.txt"), 0777) == 0);
    ENSURE(tw_file_commit(&file, NULL) == TW_IO_ERROR && access(in("b.txt.part"), F_OK) == 0);
    ENSURE(tw_file_create(&file, in("c.txt"), NULL) == TW_OK && entries() == 4);
    tw_file_leave(&file);
    ENSURE(entries() == 3);
    tw_file_leave(NULL);
    folder_remove();
    return 0;
}

static int file_written_by_name_is_committed_too(void)
{
    ENSURE(folder_make());
    twFile* file;
    ENSURE(tw_file_create(&file, in("a.txt"), NULL) == TW_OK);
    FILE* other = fopen(tw_file_temporary(file), "wb");
    ENSURE(other);
    fputs("by name", other);
    fclose(other);
    ENSURE(tw_file_commit(&file, NULL) == TW_OK);
    ENSURE(holds(in("a.txt"), "by name"));
    folder_remove();
    return 0;
}

static int two_writers_of_one_file_do_not_mix(void)
{
    ENSURE(folder_make());
    twFile *a, *b;
    ENSURE(tw_file_create(&a, in("a.txt"), NULL) == TW_OK);
    ENSURE(tw_file_create(&b, in("a.txt"), NULL) == TW_OK);
    fputs("first", tw_file_stream(a));
    fputs("second", tw_file_stream(b));
    ENSURE(tw_file_commit(&b, NULL) == TW_OK);
    ENSURE(holds(in("a.txt"), "second"));
    ENSURE(tw_file_commit(&a, NULL) == TW_OK);
    ENSURE(holds(in("a.txt"), "first"));
    ENSURE(entries() == 1);
    folder_remove();
    return 0;
}

static int permissions_follow_the_umask(void)
{
    ENSURE(folder_make());
    struct stat info;
    mode_t before = umask(027);
    int written = write_file(in("a.txt"), "x");
    umask(022);
    written += write_file(in("b.txt"), "x");
    umask(before);
    ENSURE(written == 2);
    ENSURE(stat(in("a.txt"), &info) == 0 && (info.st_mode & 0777) == 0640);
    ENSURE(stat(in("b.txt"), &info) == 0 && (info.st_mode & 0777) == 0644);
    folder_remove();
    return 0;
}

static int link_is_kept_and_its_target_replaced(void)
{
    ENSURE(folder_make());
    struct stat info;
    ENSURE(write_file(in("target.txt"), "old"));
    ENSURE(symlink("target.txt", in("link.txt")) == 0);
    ENSURE(write_file(in("link.txt"), "new"));
    ENSURE(lstat(in("link.txt"), &info) == 0 && S_ISLNK(info.st_mode));
    ENSURE(holds(in("target.txt"), "new"));
    ENSURE(entries() == 2);
    folder_remove();
    return 0;
}

static int file_with_the_longest_name_can_be_written(void)
{
    ENSURE(folder_make());
    char name[256];
    memset(name, 'n', 255);
    name[255] = 0;
    ENSURE(write_file(in(name), "x"));
    ENSURE(holds(in(name), "x"));
    folder_remove();
    return 0;
}

static int check_says_whether_a_file_could_be_written(void)
{
    ENSURE(folder_make());
    twError err;
    ENSURE(tw_file_check(in("a.txt"), &err) == TW_OK && entries() == 0);
    ENSURE(write_file(in("a.txt"), "old"));
    ENSURE(tw_file_check(in("a.txt"), &err) == TW_OK && entries() == 1 && holds(in("a.txt"), "old"));
    ENSURE(tw_file_check(in("no/a.txt"), &err) == TW_IO_ERROR && strstr(err.text, "mkdir -p"));
    ENSURE(tw_file_check(folder, NULL) == TW_IO_ERROR && entries() == 1);
    folder_remove();
    return 0;
}

static int create_refuses_with_path_and_reason(void)
{
    ENSURE(folder_make());
    twFile* file;
    twError err;
    const char* lost = in("no/such/a.wav");
    ENSURE(tw_file_create(&file, lost, &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, lost) && strstr(err.text, "folder does not exist"));
    ENSURE(tw_file_create(&file, folder, &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, folder) && strstr(err.text, "it is a folder"));
    ENSURE(tw_file_create(&file, "/dev/null", &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, "not a regular file"));
    ENSURE(tw_file_create(&file, "", &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, "empty"));
    ENSURE(tw_file_create(&file, in("a/"), NULL) == TW_IO_ERROR && file == NULL);

    // a file in place of a folder
    ENSURE(write_file(in("f"), "x"));
    ENSURE(tw_file_create(&file, in("f/a.wav"), &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, "Not a directory"));
    ENSURE(entries() == 1);
    folder_remove();
    return 0;
}

static int commit_fails_if_the_folder_is_gone(void)
{
    ENSURE(folder_make());
    twFile* file;
    twError err = {0};
    ENSURE(tw_make_folder(in("sub"), NULL) == TW_OK);
    ENSURE(tw_file_create(&file, in("sub/a.txt"), NULL) == TW_OK);
    ENSURE(unlink(tw_file_temporary(file)) == 0);
    ENSURE(rmdir(in("sub")) == 0);
    ENSURE(tw_file_commit(&file, &err) == TW_IO_ERROR);
    ENSURE(file == NULL);
    ENSURE(strstr(err.text, "sub/a.txt") && strstr(err.text, "No such file"));
    ENSURE(entries() == 0);
    folder_remove();
    return 0;
}

static int commit_reports_a_write_that_failed(void)
{
    // reading from a stream open for writing sets its error flag, as a full disk would
    ENSURE(folder_make());
    twFile* file;
    twError err = {0};
    ENSURE(tw_file_create(&file, in("a.txt"), NULL) == TW_OK);
    ENSURE(fgetc(tw_file_stream(file)) == EOF && ferror(tw_file_stream(file)));
    ENSURE(tw_file_commit(&file, &err) == TW_IO_ERROR && file == NULL);
    ENSURE(strstr(err.text, "a.txt"));
    ENSURE(entries() == 0);
    folder_remove();
    return 0;
}

static int read_returns_every_byte_up_to_the_limit(void)
{
    ENSURE(folder_make());
    twFile* file;
    ENSURE(tw_file_create(&file, in("a.bin"), NULL) == TW_OK);
    fwrite("a\0b\nc", 1, 5, tw_file_stream(file));
    ENSURE(tw_file_commit(&file, NULL) == TW_OK);

    char* data;
    size_t bytes;
    ENSURE(tw_file_read(&data, &bytes, in("a.bin"), 5, NULL) == TW_OK);
    int same = bytes == 5 && memcmp(data, "a\0b\nc", 6) == 0;
    free(data);
    ENSURE(same);

    twError err;
    ENSURE(tw_file_read(&data, &bytes, in("a.bin"), 4, &err) == TW_BAD_INPUT && data == NULL && bytes == 0);
    ENSURE(strstr(err.text, "a.bin") && strstr(err.text, "more than 4 bytes"));
    ENSURE(tw_file_read(&data, NULL, in("a.bin"), SIZE_MAX, NULL) == TW_OK);
    free(data);
    folder_remove();
    return 0;
}

static int read_of_an_empty_file_is_an_empty_text(void)
{
    ENSURE(folder_make());
    ENSURE(write_file(in("empty"), ""));
    char* data;
    size_t bytes = 9;
    ENSURE(tw_file_read(&data, &bytes, in("empty"), 0, NULL) == TW_OK);
    int empty = bytes == 0 && data[0] == 0;
    free(data);
    ENSURE(empty);
    folder_remove();
    return 0;
}

static int read_stops_on_an_endless_device(void)
{
    char* data;
    twError err;
    ENSURE(tw_file_read(&data, NULL, "/dev/zero", 300000, &err) == TW_BAD_INPUT && data == NULL);
    ENSURE(strstr(err.text, "more than 300000 bytes"));
    return 0;
}

static int read_refuses_with_path_and_reason(void)
{
    ENSURE(folder_make());
    char* data;
    twError err;
    ENSURE(tw_file_read(&data, NULL, in("missing.yaml"), 100, &err) == TW_BAD_INPUT && data == NULL);
    ENSURE(strstr(err.text, in("missing.yaml")) && strstr(err.text, "No such file"));
    ENSURE(tw_file_read(&data, NULL, folder, 100, &err) == TW_BAD_INPUT && data == NULL);
    ENSURE(strstr(err.text, folder) && strstr(err.text, "folder"));
    folder_remove();
    return 0;
}

static int make_folder_makes_parents_and_accepts_what_is_there(void)
{
    ENSURE(folder_make());
    struct stat info;
    ENSURE(tw_make_folder(in("a/b//c/"), NULL) == TW_OK);
    ENSURE(stat(in("a/b/c"), &info) == 0 && S_ISDIR(info.st_mode));
    ENSURE(tw_make_folder(in("a/b/c"), NULL) == TW_OK);
    ENSURE(tw_make_folder("/", NULL) == TW_OK);
    ENSURE(tw_make_folder(".", NULL) == TW_OK);
    rmdir(in("a/b/c"));
    rmdir(in("a/b"));
    folder_remove();
    return 0;
}

static int make_folder_names_what_is_in_the_way(void)
{
    ENSURE(folder_make());
    twError err;
    ENSURE(write_file(in("f"), "x"));
    ENSURE(tw_make_folder(in("f/sub"), &err) == TW_IO_ERROR);
    ENSURE(strstr(err.text, in("f/sub")) && strstr(err.text, "/f exists and is not a folder"));
    ENSURE(tw_make_folder(in("f"), &err) == TW_IO_ERROR);
    ENSURE(tw_make_folder("", &err) == TW_BAD_INPUT);
    folder_remove();
    return 0;
}

// a child that is killed keeps nobody out, one that lives does
static int a_locked_folder_is_free_when_its_owner_is_gone(void)
{
    int lock, second, ready[2];
    twError err = {0};
    ENSURE(folder_make() && pipe(ready) == 0);
    fflush(stdout);
    const pid_t child = fork();
    ENSURE(child >= 0);
    if (child == 0)
    {
        const bool locked = tw_lock_folder(&lock, folder, NULL) == TW_OK && write(ready[1], "!", 1) == 1;
        for (;;) locked ? (void)pause() : _exit(1);
    }
    char byte;
    ENSURE(read(ready[0], &byte, 1) == 1);
    ENSURE(tw_lock_folder(&lock, folder, &err) == TW_BAD_INPUT && lock == -1);
    ENSURE(strstr(err.text, "another program") && strstr(err.text, folder) && entries() == 0);
    int status;
    ENSURE(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
    ENSURE(tw_lock_folder(&lock, folder, &err) == TW_OK && lock >= 0);

    // the same process is another too, and the lock is of the folder, whatever is opened and closed in it
    ENSURE(tw_lock_folder(&second, folder, &err) == TW_BAD_INPUT);
    ENSURE(tw_lock_folder(&second, folder, &err) == TW_BAD_INPUT);
    tw_unlock_folder(&lock);
    tw_unlock_folder(&lock);
    ENSURE(lock == -1 && tw_lock_folder(&second, folder, &err) == TW_OK);
    tw_unlock_folder(&second);
    ENSURE(tw_lock_folder(&second, in("none"), &err) == TW_OK && second == -1);
    close(ready[0]);
    close(ready[1]);
    folder_remove();
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(file_appears_only_at_commit)
    RUN(aborted_file_leaves_nothing)
    RUN(commit_replaces_an_existing_file)
    RUN(a_part_stays_and_can_be_gone_on_with)
    RUN(file_written_by_name_is_committed_too)
    RUN(two_writers_of_one_file_do_not_mix)
    RUN(permissions_follow_the_umask)
    RUN(link_is_kept_and_its_target_replaced)
    RUN(file_with_the_longest_name_can_be_written)
    RUN(check_says_whether_a_file_could_be_written)
    RUN(create_refuses_with_path_and_reason)
    RUN(commit_fails_if_the_folder_is_gone)
    RUN(commit_reports_a_write_that_failed)
    RUN(read_returns_every_byte_up_to_the_limit)
    RUN(read_of_an_empty_file_is_an_empty_text)
    RUN(read_stops_on_an_endless_device)
    RUN(read_refuses_with_path_and_reason)
    RUN(make_folder_makes_parents_and_accepts_what_is_there)
    RUN(make_folder_names_what_is_in_the_way)
    RUN(a_locked_folder_is_free_when_its_owner_is_gone)
)
