// SPDX-License-Identifier: MIT
// Counted memory: each block carries its size in front, so that the sum in use and its peak are known and a limit holds
// before the system is asked. A factorisation that would get the whole machine stuck is refused instead.
#include "fem/memory.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef union Header
{
    size_t bytes;
    max_align_t align;
} Header;

// ---- what the machine has ----

// the number after a key such as "MemAvailable:" in a text file; without a key the first number; 0 if there is none
static double number_in_file(const char* path, const char* key)
{
    FILE* file = fopen(path, "r");
    if (!file) return 0;
    char line[256];
    double value = 0;
    while (value == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) value = strtod(line + strlen(key), NULL);
    fclose(file);
    return value > 0 && value < 1e18 ? value : 0;
}

// memory free for use, and no more than a container allows; a tenth stays for others
static size_t machine_memory(void)
{
    double bytes = 1024 * number_in_file("/proc/meminfo", "MemAvailable:");
    double box = number_in_file("/sys/fs/cgroup/memory.max", "");
    if (bytes == 0) bytes = 0.5 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (box > 0 && box < bytes) bytes = box;
    return bytes > 0 ? (size_t)(0.9 * bytes) : SIZE_MAX;
}

FemMemory fem_memory(size_t limit) { return (FemMemory){.limit = limit > 0 ? limit : machine_memory()}; }

// ---- blocks ----

size_t fem_memory_left(const FemMemory* memory)
{
    return memory->limit > memory->used ? memory->limit - memory->used : 0;
}

void fem_memory_add(FemMemory* memory, size_t bytes)
{
    memory->used += bytes;
    if (memory->used > memory->peak) memory->peak = memory->used;
}

void fem_memory_remove(FemMemory* memory, size_t bytes) { memory->used -= bytes; }

// bytes of count items and a header; 0 if that overflows
static size_t block_bytes(size_t count, size_t size)
{
    const size_t most = PTRDIFF_MAX - sizeof(Header);
    if (size > 0 && count > most / size) return 0;
    return count * size + sizeof(Header);
}

void* fem_alloc(FemMemory* memory, size_t count, size_t size)
{
    size_t bytes = block_bytes(count, size);
    if (bytes == 0 || bytes > fem_memory_left(memory)) return NULL;
    Header* header = calloc(1, bytes);
    if (!header) return NULL;
    header->bytes = bytes;
    fem_memory_add(memory, bytes);
    return header + 1;
}

void* fem_resize(FemMemory* memory, void* block, size_t count, size_t size)
{
    if (!block) return fem_alloc(memory, count, size);
    Header* header = (Header*)block - 1;
    size_t bytes = block_bytes(count, size), old = header->bytes;
    if (bytes == 0 || (bytes > old && bytes - old > fem_memory_left(memory))) return NULL;
    Header* larger = realloc(header, bytes);
    if (!larger) return NULL;
    larger->bytes = bytes;
    fem_memory_remove(memory, old);
    fem_memory_add(memory, bytes);
    return larger + 1;
}

void fem_free(FemMemory* memory, void* block)
{
    if (!block) return;
    Header* header = (Header*)block - 1;
    fem_memory_remove(memory, header->bytes);
    free(header);
}

twStatus fem_no_memory(const FemMemory* memory, double more, const char* what, twError* err)
{
    const double mega = 1e6;
    return tw_fail(
        err, TW_NO_MEMORY,
        "no memory for %s: needs %.0f MB, %.0f MB with what is in use, but the limit is %.0f MB; use a coarser "
        "mesh, linear elements or fewer modes, or allow more",
        what, more / mega, ((double)memory->used + more) / mega, (double)memory->limit / mega);
}
