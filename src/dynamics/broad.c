// SPDX-License-Identifier: MIT
// Sweep and prune (Cohen, Lin, Manocha, Ponamgi: "I-COLLIDE", I3D 1995) along one axis: boxes are sorted by their low ends, by
// insertion, since they barely change places; then each is compared with those that begin before it ends. The axis is the one
// along which the boxes are spread most against their size.
#include "dynamics/broad.h"
#include <stdlib.h>
#include <string.h>

typedef struct Box
{
    double low[3], high[3];
} Box;

struct Broad
{
    int body_count, max_pairs, pair_count, axis;
    double margin;
    bool begun;
    BroadStats stats;
    Box* boxes;         // (bodies) with room
    int* order;         // (bodies) by the low end
    BroadPair* pairs;   // (max_pairs)
    BroadPair* before;  // (max_pairs) of the last sweep
};

twStatus tw_broad_create(Broad** out, int body_count, int max_pairs, double margin, twError* err)
{
    *out = NULL;
    TW_ASSERT(body_count >= 0 && max_pairs >= 0);
    Broad* broad = calloc(1, sizeof *broad);
    if (broad)
    {
        broad->boxes = calloc((size_t)body_count + 1, sizeof *broad->boxes);
        broad->order = calloc((size_t)body_count + 1, sizeof *broad->order);
        broad->pairs = calloc((size_t)max_pairs + 1, sizeof *broad->pairs);
        broad->before = calloc((size_t)max_pairs + 1, sizeof *broad->before);
    }
    if (!broad || !broad->boxes || !broad->order || !broad->pairs || !broad->before)
    {
        tw_broad_destroy(broad);
        return tw_fail(err, TW_NO_MEMORY, "no memory for %d bodies and %d pairs of them", body_count, max_pairs);
    }
    broad->body_count = body_count;
    broad->max_pairs = max_pairs;
    broad->margin = margin;
    for (int i = 0; i < body_count; i++) broad->order[i] = i;
    *out = broad;
    return TW_OK;
}

void tw_broad_destroy(Broad* broad)
{
    if (!broad) return;
    free(broad->boxes);
    free(broad->order);
    free(broad->pairs);
    free(broad->before);
    free(broad);
}

// ---- boxes ----

// box of a body, half the reach around it: two boxes that are nearer than the reach then meet
static Box tight_box(const BodyPlace* place, double reach)
{
    twVec3 low, high;
    tw_place_box(place, &low, &high);
    double r = 0.5 * reach + place->room;
    return (Box){{low.x - r, low.y - r, low.z - r}, {high.x + r, high.y + r, high.z + r}};
}

static bool is_inside(const Box* inner, const Box* outer)
{
    for (int d = 0; d < 3; d++)
        if (!(inner->low[d] >= outer->low[d] && inner->high[d] <= outer->high[d])) return false;
    return true;
}

// room all around, and as much again the way it flies as its room sideways lasts
static Box roomy_box(const Broad* broad, const BodyPlace* place, const Box* tight)
{
    const double v[3] = {place->velocity.x, place->velocity.y, place->velocity.z};
    double rest = tw_place_speed_bound(place) - tw_vec3_norm(place->velocity);
    double speed = tw_vec3_norm(place->velocity), ahead = 4 * broad->margin;
    if (rest * 4 > speed) ahead = speed > 0 ? broad->margin * speed / (rest > speed ? rest : speed) : 0;
    Box box = *tight;
    for (int d = 0; d < 3; d++)
    {
        double further = speed > 0 ? ahead * v[d] / speed : 0;
        box.low[d] -= broad->margin - (further < 0 ? further : 0);
        box.high[d] += broad->margin + (further > 0 ? further : 0);
    }
    return box;
}

// ---- sweep ----

static int widest_axis(const Broad* broad)
{
    int best = 0;
    double most = -1;
    for (int d = 0; d < 3; d++)
    {
        double sum = 0, squares = 0, sizes = 0, n = broad->body_count;
        for (int i = 0; i < broad->body_count; i++)
        {
            double middle = 0.5 * (broad->boxes[i].low[d] + broad->boxes[i].high[d]);
            sum += middle;
            squares += middle * middle;
            sizes += broad->boxes[i].high[d] - broad->boxes[i].low[d];
        }
        double spread = (squares / n - sum / n * (sum / n)) / (sizes / n * (sizes / n) + 1e-300);
        if (spread <= most) continue;
        most = spread;
        best = d;
    }
    return best;
}

static void sort_order(Broad* broad)
{
    int* order = broad->order;
    for (int i = 1; i < broad->body_count; i++)
    {
        int item = order[i], j = i;
        double low = broad->boxes[item].low[broad->axis];
        for (; j > 0 && broad->boxes[order[j - 1]].low[broad->axis] > low; j--) order[j] = order[j - 1];
        order[j] = item;
    }
}

static bool meet(const Box* a, const Box* b)
{
    for (int d = 0; d < 3; d++)
        if (a->low[d] > b->high[d] || b->low[d] > a->high[d]) return false;
    return true;
}

static int by_numbers(const void* a, const void* b)
{
    const BroadPair *x = a, *y = b;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

// by halving steps: qsort may allocate
static void sort_pairs(BroadPair* pairs, int count)
{
    for (int step = count / 2; step > 0; step /= 2)
        for (int i = step; i < count; i++)
        {
            BroadPair item = pairs[i];
            int j = i;
            for (; j >= step && by_numbers(&item, &pairs[j - step]) < 0; j -= step) pairs[j] = pairs[j - step];
            pairs[j] = item;
        }
}

// @return pairs there was no room for
static int sweep(Broad* broad, const BodyPlace* places)
{
    int axis = broad->axis, dropped = 0;
    broad->pair_count = 0;
    for (int i = 0; i < broad->body_count; i++)
    {
        int a = broad->order[i];
        for (int k = i + 1; k < broad->body_count; k++)
        {
            int b = broad->order[k];
            if (broad->boxes[b].low[axis] > broad->boxes[a].high[axis]) break;
            if ((places[a].still && places[b].still) || !meet(&broad->boxes[a], &broad->boxes[b])) continue;
            if (broad->pair_count == broad->max_pairs)
                dropped++;
            else
                broad->pairs[broad->pair_count++] = a < b ? (BroadPair){a, b} : (BroadPair){b, a};
        }
    }
    sort_pairs(broad->pairs, broad->pair_count);
    return dropped;
}

bool tw_broad_update(Broad* broad, const BodyPlace* places, double reach)
{
    bool moved = !broad->begun;
    broad->stats.steps++;
    for (int i = 0; i < broad->body_count; i++)
    {
        Box tight = tight_box(&places[i], reach);
        if (broad->begun && is_inside(&tight, &broad->boxes[i])) continue;
        broad->boxes[i] = roomy_box(broad, &places[i], &tight);
        moved = true;
    }
    if (!moved) return false;
    if (broad->stats.sweeps % 64 == 0) broad->axis = widest_axis(broad);
    broad->stats.sweeps++;
    broad->begun = true;
    int count = broad->pair_count;
    BroadPair* swap = broad->before;
    broad->before = broad->pairs;
    broad->pairs = swap;
    sort_order(broad);
    if (sweep(broad, places) > 0)
    {
        // room only saves time: without it there may be room for all pairs
        for (int i = 0; i < broad->body_count; i++) broad->boxes[i] = tight_box(&places[i], reach);
        sort_order(broad);
        broad->stats.dropped += sweep(broad, places);
    }
    return count != broad->pair_count || memcmp(broad->pairs, broad->before, (size_t)count * sizeof *broad->pairs) != 0;
}

const BroadPair* tw_broad_pairs(const Broad* broad, int* count)
{
    *count = broad->pair_count;
    return broad->pairs;
}

BroadStats tw_broad_stats(const Broad* broad) { return broad->stats; }
