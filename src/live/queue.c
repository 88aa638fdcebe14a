// SPDX-License-Identifier: MIT
// Two numbers that only grow, modulo 2^64: items put and items taken. Each is written by one side, with release, after the copy,
// and read by the other with acquire, before it. They lie in cache lines of their own.

#include "live/queue.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64

struct LiveQueue
{
    alignas(LINE) _Atomic uint64_t put;
    alignas(LINE) _Atomic uint64_t taken;
    alignas(LINE) uint64_t room;  // a power of two
    size_t item_bytes;
    char items[];
};

LiveQueue* live_queue_create(int room, size_t item_bytes)
{
    uint64_t size = 1;
    while (size < (uint64_t)(room > 0 ? room : 1)) size *= 2;
    if (item_bytes == 0 || size > (SIZE_MAX / 2 - sizeof(LiveQueue)) / item_bytes) return NULL;
    const size_t bytes = (sizeof(LiveQueue) + (size_t)size * item_bytes + LINE - 1) / LINE * LINE;
    LiveQueue* q = aligned_alloc(LINE, bytes);
    if (!q) return NULL;

    // touched here, so that no page is missing later
    memset(q, 0, bytes);
    q->room = size;
    q->item_bytes = item_bytes;
    return q;
}

void live_queue_destroy(LiveQueue* q) { free(q); }
int live_queue_room(const LiveQueue* q) { return (int)q->room; }

static char* item_at(LiveQueue* q, uint64_t number)
{
    return q->items + (size_t)(number & (q->room - 1)) * q->item_bytes;
}

bool live_queue_put(LiveQueue* q, const void* items, int count)
{
    const uint64_t put = atomic_load_explicit(&q->put, memory_order_relaxed);
    const uint64_t taken = atomic_load_explicit(&q->taken, memory_order_acquire);
    if (count < 0 || (uint64_t)count > q->room - (put - taken)) return false;
    for (int i = 0; i < count; i++)
        memcpy(item_at(q, put + (uint64_t)i), (const char*)items + (size_t)i * q->item_bytes, q->item_bytes);
    atomic_store_explicit(&q->put, put + (uint64_t)count, memory_order_release);
    return true;
}

bool live_queue_take(LiveQueue* q, void* item)
{
    const uint64_t taken = atomic_load_explicit(&q->taken, memory_order_relaxed);
    if (taken == atomic_load_explicit(&q->put, memory_order_acquire)) return false;
    memcpy(item, item_at(q, taken), q->item_bytes);
    atomic_store_explicit(&q->taken, taken + 1, memory_order_release);
    return true;
}
