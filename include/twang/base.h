// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// @file
/// Base: status and error text, assertions, arena, random numbers, JSON writer, atomic files, version.
///
/// Three kinds of trouble, three answers. A caller's bug (NULL, index out of range) trips TW_ASSERT. The
/// world's fault (file, scene, memory) returns a twStatus and writes a message into the caller's twError.
/// While sounding nothing fails: trouble is counted in the state and the output stays finite.

#ifdef __cplusplus
extern "C"
{
#endif

#define TW_VERSION "0.1.0"
const char* tw_version(void);  ///< version of the library linked, "major.minor.patch"

#if defined(__GNUC__)
#define TW_PRINTF(format_index, args_index) __attribute__((format(printf, format_index, args_index)))
#else
#define TW_PRINTF(format_index, args_index)
#endif

// ---- status and error text ----

typedef enum twStatus
{
    TW_OK = 0,
    TW_BAD_INPUT,    ///< the input is wrong: a file's content, a parameter out of range
    TW_NO_MEMORY,    ///< an allocation failed or would be absurd
    TW_IO_ERROR,     ///< a file could not be read or written
    TW_NO_CONVERGE,  ///< an iteration did not reach its tolerance
    TW_INTERRUPTED,  ///< the caller asked to stop
    TW_LIMIT,        ///< it would take more than the caller allows
} twStatus;

/// Where a failing call writes its message. Owned by the caller; every function accepts NULL.
typedef struct twError
{
    twStatus status;
    char text[1024];
} twError;

/// Write a message (printf style) into err, which may be NULL; arguments may point into err->text. @return status
twStatus tw_fail(twError* err, twStatus status, const char* format, ...) TW_PRINTF(3, 4);

// ---- assertions: the caller's bug ----

typedef void (*twAssertHandler)(const char* condition, const char* file, int line);

/// Replace what happens when TW_ASSERT fails (default: write to stderr and abort). @return the old handler
twAssertHandler tw_set_assert_handler(twAssertHandler handler);
void tw_assert_failed(const char* condition, const char* file, int line);
#define TW_ASSERT(condition) ((condition) ? (void)0 : tw_assert_failed(#condition, __FILE__, __LINE__))

// ---- arena: scratch memory freed all at once ----

/// A growing stack of memory. Allocation is a pointer bump; reset returns to a mark.
typedef struct twArena twArena;

twArena* tw_arena_create(size_t first_block_bytes);  ///< NULL if there is no memory
void tw_arena_destroy(twArena* arena);               ///< NULL is fine
/// Zeroed memory aligned to 64 bytes; 0 bytes is fine too. @return NULL without memory or if count * size overflows.
void* tw_arena_alloc(twArena* arena, size_t count, size_t size);
char* tw_arena_copy_text(twArena* arena, const char* text);  ///< a copy of text, or NULL without memory
size_t tw_arena_mark(const twArena* arena);
/// Forget everything allocated after mark. Keeps the memory: the same allocations again are real-time safe.
void tw_arena_reset(twArena* arena, size_t mark);

// ---- random numbers ----

/// A seeded generator (xoshiro256++). Plain data: copy it to fork the sequence. Real-time safe.
typedef struct twRng
{
    uint64_t s[4];
    double spare;  ///< second normal number of a pair
    bool has_spare;
} twRng;

twRng tw_rng(uint64_t seed);                                 ///< any seed is good, 0 too
uint64_t tw_rng_next(twRng* rng);                            ///< 64 random bits
double tw_rng_uniform(twRng* rng);                           ///< uniform in [0, 1)
double tw_rng_between(twRng* rng, double low, double high);  ///< uniform in [low, high)
double tw_rng_normal(twRng* rng);                            ///< mean 0, variance 1

// ---- JSON writer ----

/// Writes one JSON value to a stream, indented. Keys are NULL inside arrays and at the top. Nests 63 deep. Numbers
/// round-trip (17 digits at most, fewer when they suffice); NaN and infinity become null. Text is escaped; bytes that
/// are not UTF-8 become U+FFFD. Write errors show in ferror(stream).
typedef struct twJson
{
    FILE* stream;
    int depth;
    char kind[64];    ///< '{' or '[' per depth
    bool filled[64];  ///< whether a value was written at this depth
} twJson;

twJson tw_json(FILE* stream);
void tw_json_object(twJson* json, const char* key);
void tw_json_array(twJson* json, const char* key);
void tw_json_end(twJson* json);  ///< close the innermost object or array
void tw_json_number(twJson* json, const char* key, double value);
void tw_json_integer(twJson* json, const char* key, int64_t value);
void tw_json_text(twJson* json, const char* key, const char* value);  ///< NULL writes null
void tw_json_bool(twJson* json, const char* key, bool value);
void tw_json_null(twJson* json, const char* key);
/// A flat array on one line.
void tw_json_numbers(twJson* json, const char* key, const double* values, size_t count);

// ---- atomic files ----

/// A file that appears whole or not at all: written under a temporary name in the same folder, then flushed,
/// synced and renamed by commit. Permissions follow the umask. A link is followed, so its target is replaced.
typedef struct twFile twFile;

/// Start a file. On failure *out is NULL. @return TW_IO_ERROR if the folder is missing or not writable, or if path
/// exists and is no regular file (a folder, a device) or not writable.
twStatus tw_file_create(twFile** out, const char* path, twError* err);
/// Whether tw_file_create() would succeed: to be asked before long work. Nothing is left behind, nothing changed.
twStatus tw_file_check(const char* path, twError* err);
FILE* tw_file_stream(twFile* file);                    ///< write here; binary
const char* tw_file_temporary(const twFile* file);     ///< the temporary's path, for libraries that want a name
twStatus tw_file_commit(twFile** file, twError* err);  ///< make it appear; *file becomes NULL either way
/// Say why a write failed just now (the disk is full, say); the file can only be aborted then. @return TW_IO_ERROR
twStatus tw_file_fail(const twFile* file, twError* err);
void tw_file_abort(twFile** file);  ///< remove the temporary; *file becomes NULL; NULL is fine

/// Start a file that outlives an interruption: its temporary is path.part, replaced if it is there, and stays when the program
/// ends or a commit fails.
twStatus tw_file_create_part(twFile** out, const char* path, twError* err);
/// Open path.part as it is, to read it, cut it and write on. @return TW_BAD_INPUT if there is none, TW_IO_ERROR
twStatus tw_file_resume(twFile** out, const char* path, twError* err);
/// Cut off what is behind the first bytes, and write on there. @return TW_BAD_INPUT if there are less, TW_IO_ERROR
twStatus tw_file_cut(twFile* file, uint64_t bytes, twError* err);
twStatus tw_file_sync(twFile* file, twError* err);  ///< what is written so far reaches the disk
void tw_file_leave(twFile** file);                  ///< close; a part stays as it is. *file becomes NULL; NULL is fine

/// Read a whole file into a new block (free it with free()), zero-terminated; bytes (may be NULL) does not count
/// the zero. On failure *out is NULL. @return TW_BAD_INPUT if path is missing, a folder or holds more than max_bytes,
/// TW_IO_ERROR if it cannot be read.
twStatus tw_file_read(char** out, size_t* bytes, const char* path, size_t max_bytes, twError* err);
/// The same for a file that another one names: relative to the folder of beside, in it or below,
/// with slashes. Absolute names, "..", symbolic links on the way and what is no regular file are
/// refused: TW_BAD_INPUT. Messages have name alone.
twStatus tw_file_read_beside(char** out, size_t* bytes, const char* beside, const char* name, size_t max_bytes,
                             twError* err);
twStatus tw_make_folder(const char* path, twError* err);  ///< with its parents; fine if it exists
/// Keep others that ask for the same out of a folder, until tw_unlock_folder() or the end of the process, however it ends;
/// nothing is written. *lock is -1 on failure, and where locks or the folder are not to be had, which is no failure.
/// @return TW_BAD_INPUT if another has it
twStatus tw_lock_folder(int* lock, const char* path, twError* err);
void tw_unlock_folder(int* lock);  ///< *lock becomes -1; -1 is fine

// ---- hashing ----

/// 128-bit hash of bytes, for checksums and caches; not for secrets. Chain with seed = an earlier result.
typedef struct twHash
{
    uint64_t high, low;
} twHash;
twHash tw_hash(const void* bytes, size_t count, twHash seed);
void tw_hash_text(twHash hash, char out[33]);  ///< 32 hexadecimal digits

// ---- spelling: what was meant ----

/// The name most like a word, by letters left out, added, replaced or swapped, or with the word as
/// its start; upper and lower case are alike. NULL if none is near. count -1: names ends with NULL.
const char* tw_nearest_name(const char* word, const char* const* names, int count);
/// Whether text (length) is a number with a decimal comma, such as 0,5. out gets what it should be,
/// for messages: "0.5", or "7.850 or 7850" where thousands may be meant.
bool tw_decimal_comma(char* out, size_t bytes, const char* text, size_t length);

// ---- time ----

double tw_seconds(void);  ///< monotonic wall clock [s]

#ifdef __cplusplus
}
#endif
