// SPDX-License-Identifier: MIT
// Arena: a list of blocks, each twice as large as the last. Positions run through all blocks as if they were one
// (a block starts where the one before ends), so a mark is one number. Blocks stay allocated until destroy, or until
// one too small for a request stands in the way.
#include "twang/base.h"
#include <stdlib.h>
#include <string.h>

enum
{
    ALIGNMENT = 64,   // cache line and widest vector
    MIN_BLOCK = 1024  // [bytes]
};

typedef struct Block Block;
struct Block
{
    Block* next;
    Block* previous;
    size_t start;     // position of data[0]
    size_t capacity;  // multiple of ALIGNMENT
    _Alignas(ALIGNMENT) unsigned char data[];
};

struct twArena
{
    Block* first;
    Block* current;
    size_t used;  // bytes used in current
};

// round up to the alignment, or 0 on overflow
static size_t round_up(size_t bytes)
{
    if (bytes > SIZE_MAX - (ALIGNMENT - 1)) return 0;
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static Block* block_create(size_t bytes)
{
    size_t capacity = round_up(bytes < MIN_BLOCK ? MIN_BLOCK : bytes);
    if (capacity == 0 || capacity > PTRDIFF_MAX - sizeof(Block)) return NULL;
    Block* block = aligned_alloc(ALIGNMENT, sizeof(Block) + capacity);
    if (!block) return NULL;
    *block = (Block){.capacity = capacity};
    return block;
}

static void free_blocks(Block* block)
{
    while (block)
    {
        Block* next = block->next;
        free(block);
        block = next;
    }
}

twArena* tw_arena_create(size_t first_block_bytes)
{
    twArena* arena = calloc(1, sizeof *arena);
    if (!arena) return NULL;
    arena->first = arena->current = block_create(first_block_bytes);
    if (arena->first) return arena;
    free(arena);
    return NULL;
}

void tw_arena_destroy(twArena* arena)
{
    if (!arena) return;
    free_blocks(arena->first);
    free(arena);
}

// make current a block with room for bytes
static bool next_block(twArena* arena, size_t bytes)
{
    Block* current = arena->current;
    if (!current->next || current->next->capacity < bytes)
    {
        size_t twice = current->capacity <= SIZE_MAX / 4 ? 2 * current->capacity : current->capacity;
        Block* block = block_create(bytes > twice ? bytes : twice);
        if (!block) block = block_create(bytes);
        if (!block) return false;

        // blocks behind current hold nothing: all allocations lie at or before current
        free_blocks(current->next);
        current->next = block;
        block->previous = current;
        block->start = current->start + current->capacity;
    }
    arena->current = current->next;
    arena->used = 0;
    return true;
}

void* tw_arena_alloc(twArena* arena, size_t count, size_t size)
{
    TW_ASSERT(arena);
    if (size > 0 && count > SIZE_MAX / size) return NULL;

    // at least one byte, so that every allocation has its own address
    size_t bytes = round_up(count * size > 0 ? count * size : 1);
    if (bytes == 0) return NULL;
    if (arena->current->capacity - arena->used < bytes && !next_block(arena, bytes)) return NULL;

    void* memory = arena->current->data + arena->used;
    arena->used += bytes;
    return memset(memory, 0, bytes);
}

char* tw_arena_copy_text(twArena* arena, const char* text)
{
    size_t bytes = strlen(text) + 1;
    char* copy = tw_arena_alloc(arena, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

size_t tw_arena_mark(const twArena* arena) { return arena->current->start + arena->used; }

void tw_arena_reset(twArena* arena, size_t mark)
{
    TW_ASSERT(mark <= tw_arena_mark(arena));
    if (mark > tw_arena_mark(arena)) return;
    while (arena->current->start > mark) arena->current = arena->current->previous;

    // a mark taken before a jump to the next block may lie past this block's end by nothing: it fits
    arena->used = mark - arena->current->start;
}
