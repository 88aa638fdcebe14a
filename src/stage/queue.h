// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// @file
/// A queue between two threads (internal): one puts, one takes; neither ever waits. Items have one size and are copied.

typedef struct StageQueue StageQueue;

StageQueue* stage_queue_create(int room, size_t item_bytes);  ///< room for so many at least; NULL without memory
void stage_queue_destroy(StageQueue* queue);                  ///< NULL is fine
int stage_queue_room(const StageQueue* queue);                ///< items that fit at all

// the following are real-time safe

/// All of count items or none, seen by the other side at once. The putting thread. @return false: they do not fit
bool stage_queue_put(StageQueue* queue, const void* items, int count);
/// The oldest item. The taking thread. @return false: none is there
bool stage_queue_take(StageQueue* queue, void* item);
int stage_queue_waiting(const StageQueue* queue);  ///< items to be taken at least; the taking thread
