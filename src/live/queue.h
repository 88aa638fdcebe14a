// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// @file
/// A queue between two threads (internal): one puts, one takes; neither ever waits. Items have one size and are copied.

typedef struct LiveQueue LiveQueue;

LiveQueue* live_queue_create(int room, size_t item_bytes);  ///< room for so many at least; NULL without memory
void live_queue_destroy(LiveQueue* queue);                  ///< NULL is fine
int live_queue_room(const LiveQueue* queue);                ///< items that fit at all

// the following are real-time safe

/// All of count items or none, seen by the other side at once. The putting thread. @return false: they do not fit
bool live_queue_put(LiveQueue* queue, const void* items, int count);
/// The oldest item. The taking thread. @return false: none is there
bool live_queue_take(LiveQueue* queue, void* item);
