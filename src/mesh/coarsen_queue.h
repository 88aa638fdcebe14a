// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

/// @file
/// A queue of edges, cheapest first; equal ones by their vertices, so that the order is always the same (internal).

typedef struct QueueItem
{
    double cost;
    int u, v;  ///< the edge
    int age;   ///< of both ends together when it was put in: later changes make it stale
} QueueItem;

typedef struct CoarsenQueue
{
    QueueItem* items;
    size_t count, room;
} CoarsenQueue;

bool coarsen_queue_put(CoarsenQueue* queue, QueueItem item);  ///< @return false if there is no memory
QueueItem coarsen_queue_take(CoarsenQueue* queue);            ///< the first; the queue must not be empty
void coarsen_queue_free(CoarsenQueue* queue);
