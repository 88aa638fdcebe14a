// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// @file
/// A queue between two threads (internal): one puts, one takes; neither ever waits. Items have one size and are copied.

typedef struct Queue Queue;

Queue* queue_create(int room, size_t item_bytes);  ///< room for so many at least; NULL without memory
void queue_destroy(Queue* queue);                  ///< NULL is fine
int queue_room(const Queue* queue);                ///< items that fit at all

// the following are real-time safe

/// All of count items or none, seen by the other side at once. The putting thread. @return false: they do not fit
bool queue_put(Queue* queue, const void* items, int count);
/// The oldest item. The taking thread. @return false: none is there
bool queue_take(Queue* queue, void* item);
int queue_waiting(const Queue* queue);  ///< items to be taken at least; the taking thread
