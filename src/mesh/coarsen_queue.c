// SPDX-License-Identifier: MIT
// A binary heap.
#include "coarsen_queue.h"
#include <stdlib.h>

static bool before(const QueueItem* a, const QueueItem* b)
{
    if (a->cost != b->cost) return a->cost < b->cost;
    return a->u != b->u ? a->u < b->u : a->v < b->v;
}

bool coarsen_queue_put(CoarsenQueue* q, QueueItem item)
{
    if (q->count == q->room)
    {
        size_t room = q->room ? 2 * q->room : 1024;
        QueueItem* items = realloc(q->items, room * sizeof *items);
        if (!items) return false;
        q->items = items;
        q->room = room;
    }
    size_t at = q->count++;
    for (; at > 0 && before(&item, &q->items[(at - 1) / 2]); at = (at - 1) / 2) q->items[at] = q->items[(at - 1) / 2];
    q->items[at] = item;
    return true;
}

QueueItem coarsen_queue_take(CoarsenQueue* q)
{
    QueueItem first = q->items[0], last = q->items[--q->count];
    size_t at = 0;
    for (;;)
    {
        size_t child = 2 * at + 1;
        if (child >= q->count) break;
        if (child + 1 < q->count && before(&q->items[child + 1], &q->items[child])) child++;
        if (!before(&q->items[child], &last)) break;
        q->items[at] = q->items[child];
        at = child;
    }
    q->items[at] = last;
    return first;
}

void coarsen_queue_free(CoarsenQueue* q) { free(q->items); }
