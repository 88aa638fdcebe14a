// SPDX-License-Identifier: MIT
// How objects share vectors. Objects of the same kind (inputs, outputs, quantity) are sorted by their number of modes,
// most first. Cutting that row into groups is a shortest path: best[i] is the least cost of all objects from i on,
//
//     best[i] = min over n of  cost(i .. i + n) + best[i + n],
//
// where a group of one object has its modes side by side, and a group of several has the objects side by side with
// as many vectors as its first object has modes. Costs are cycles per sample, estimated from latencies and operation
// counts with AVX-512; only their ratio matters.
#include "bank.h"
#include <stdlib.h>

// what decides the place of an object
typedef struct Entry
{
    int inputs, outputs, velocity, modes, item;
} Entry;

static int compare(const void* a, const void* b)
{
    const Entry *x = a, *y = b;
    if (x->inputs != y->inputs) return x->inputs < y->inputs ? -1 : 1;
    if (x->outputs != y->outputs) return x->outputs < y->outputs ? -1 : 1;
    if (x->velocity != y->velocity) return x->velocity - y->velocity;
    if (x->modes != y->modes) return x->modes > y->modes ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

static bool same_kind(const Entry* a, const Entry* b)
{
    return a->inputs == b->inputs && a->outputs == b->outputs && a->velocity == b->velocity;
}

static double group_cost(const Entry* first, int count, int lanes)
{
    const double least = 8, per_vector = 2.7, fixed = 5, per_object = 1.2;
    int vectors = count > 1 ? first->modes : (first->modes + lanes - 1) / lanes;
    double ring = per_vector * vectors;
    return fixed + (count > 1 ? per_object * count : 0) + (ring > least ? ring : least);
}

// cut[i] becomes the size of the group that starts at i on the cheapest path
static void find_cuts(const Entry* entry, int entries, int lanes, double* best, int* cut)
{
    best[entries] = 0;
    for (int i = entries - 1; i >= 0; i--)
    {
        cut[i] = 1;
        best[i] = group_cost(entry + i, 1, lanes) + best[i + 1];
        for (int n = 2; n <= lanes && i + n <= entries && same_kind(entry + i, entry + i + n - 1); n++)
        {
            double cost = group_cost(entry + i, n, lanes) + best[i + n];
            if (cost < best[i]) best[i] = cost, cut[i] = n;
        }
    }
}

static void place_group(twBank* bank, const Entry* entry, int first, int count)
{
    int lanes = bank->variant->lanes, index = bank->group_count++;
    BankGroup* group = &bank->groups[index];
    *group = (BankGroup){.first = first,
                         .count = count,
                         .inputs = entry->inputs,
                         .outputs = entry->outputs,
                         .velocity = entry->velocity != 0,
                         .vectors = count > 1 ? entry->modes : (entry->modes + lanes - 1) / lanes,
                         .weights = entry->inputs + entry->outputs * (entry->velocity ? 2 : 1),
                         .folded = entry->inputs == 1 && entry->outputs == 1,
                         .offset = bank->data_count};
    group->stride = (FIELD_WEIGHTS + 2 * (size_t)group->weights) * (size_t)lanes;
    bank->data_count += group->stride * (size_t)group->vectors;
    for (int i = 0; i < count; i++)
    {
        BankItem* item = &bank->items[entry[i].item];
        item->group = index;
        item->lane = i;
        bank->order[first + i] = entry[i].item;
    }
}

twStatus tw_bank_layout(twBank* bank, twError* err)
{
    int n = bank->item_count;
    Entry* entry = malloc(((size_t)n + 1) * sizeof *entry);
    double* best = malloc(((size_t)n + 1) * sizeof *best);
    int* cut = malloc(((size_t)n + 1) * sizeof *cut);
    bool have_memory = entry && best && cut;
    if (have_memory)
    {
        for (int i = 0; i < n; i++)
        {
            const BankItem* item = &bank->items[i];
            entry[i] = (Entry){item->inputs, item->outputs, item->velocity, item->modes, i};
        }
        qsort(entry, (size_t)n, sizeof *entry, compare);
        find_cuts(entry, n, bank->variant->lanes, best, cut);
        for (int i = 0; i < n; i += cut[i]) place_group(bank, entry + i, i, cut[i]);
    }
    free(entry);
    free(best);
    free(cut);
    return have_memory ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory to lay out a bank of %d objects", n);
}
