// SPDX-License-Identifier: MIT
// Edges come in leaves of four. A binary tree of boxes over all leaves, made once, tells which leaves can be near; it is
// looked at again only after some leaf has moved, against the mean of all, by half of the margin its box had. Each pair of
// leaves keeps how far it can have moved against each other,
//
//     path += |c_a - c_b| + 4 (d_a + d_b)   (c: mean way of a leaf's nodes and the two beside, d: most that a node's
//                                                    way differs from it; bends change distances by less than 4 times that),
//
// and for each pair of edges the path before which nothing of them can be nearer than they were found to be apart. Paths are only
// brought up to date when they can matter: none grows faster in a step than the fastest two leaves could make it. The way from one
// time to another counts as a whole, so that to and fro is nothing.
#include "dynamics/strand_pair.h"
#include "dynamics/strand_leaf.h"
#include <float.h>

enum
{
    LEAF = STRAND_LEAF,
    PAIRS_OF_LEAF = 16  // memory that is made at once, for each leaf: with those beside, and with some of other rods
};

typedef struct Box
{
    double low[3], high[3];
} Box;

typedef struct LeafPair
{
    alignas(STRAND_CACHE) int a;
    int b;
    double path;
    double wake;  // least of the edges' wakes
    twVec3 way;   // of a against b, and both turned, as of path
    double turned;
} LeafPair;

typedef struct EdgeWakes
{
    alignas(STRAND_CACHE) float wake[LEAF * LEAF];  // path at which the gap may be 0
    int near[LEAF * LEAF];                          // of those that are near: their groups of features; -1: none
} EdgeWakes;

typedef struct Groups
{
    alignas(STRAND_CACHE) double wake[STRAND_GROUPS];
} Groups;

typedef struct PairList
{
    LeafPair* pairs;
    double* due;  // odometer before which a gap cannot be 0
    EdgeWakes* edges;
    int count, room;
    Groups* groups;
    int group_count, group_room;
} PairList;

struct StrandPairs
{
    int rod_count, tree_size;  // size: leaves of the tree, a power of 2
    const StrandShape** shapes;
    StrandLine* lines;
    StrandLeaves leaves;
    Box* tree;  // (2 x size)
    PairList list, old;
    double odometer;                    // no path grows by more than this does
    double margin, slack, near, reach;  // near: edges so near have groups; reach of the last look
    double ahead;                       // time in which gaps may close [s]
    bool begun;
    bool may_go_back;  // the sides of before the last call are still there
    StrandSink sink;
    StrandPairsStats stats;
};

// ---- creation ----

static int strand_tree_size(int leaves)
{
    int size = 1;
    while (size < leaves) size *= 2;
    return size;
}

static bool allocate(StrandPairs* p, const StrandShape* const* shapes, const int* room)
{
    if (!strand_leaves_create(&p->leaves, shapes, room, p->rod_count)) return false;
    p->shapes = calloc((size_t)p->rod_count + 1, sizeof *p->shapes);
    p->lines = calloc((size_t)p->rod_count + 1, sizeof *p->lines);
    p->tree = calloc(2 * (size_t)strand_tree_size(p->leaves.room), sizeof *p->tree);
    if (!p->shapes || !p->lines || !p->tree) return false;
    for (int r = 0; r < p->rod_count; r++)
        if (!strand_line_create(&p->lines[r], p->shapes[r] = shapes[r])) return false;
    return true;
}

// what depends on all rods
static void strand_pairs_measure(StrandPairs* p)
{
    double longest = 0, thinnest = INFINITY;
    for (int r = 0; r < p->rod_count; r++)
    {
        longest = fmax(longest, p->shapes[r]->longest);
        thinnest = fmin(thinnest, p->shapes[r]->thinnest);
    }
    p->tree_size = strand_tree_size(p->leaves.count);
    p->margin = fmax(0.5 * longest, thinnest);
    p->slack = 1e-6 * thinnest;
    p->near = 0.5 * thinnest;
}

StrandPairs* strand_pairs_create(const StrandShape* const* shapes, const int* room, int count)
{
    StrandPairs* p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->rod_count = count;
    if (!allocate(p, shapes, room))
    {
        strand_pairs_destroy(p);
        return NULL;
    }
    p->sink.shapes = p->shapes;
    strand_pairs_measure(p);
    return p;
}

void strand_pairs_exchange(StrandPairs* p, int rod, StrandLine* line)
{
    const StrandLine old = p->lines[rod];
    p->lines[rod] = *line;
    *line = old;
    p->shapes[rod] = p->lines[rod].shape;
    strand_leaves_cut(&p->leaves, p->shapes);
    strand_pairs_measure(p);
    strand_pairs_forget(p);
}

void strand_pairs_destroy(StrandPairs* p)
{
    if (!p) return;
    for (int r = 0; p->lines && r < p->rod_count; r++) strand_line_destroy(&p->lines[r]);
    free(p->shapes);
    free(p->lines);
    strand_leaves_destroy(&p->leaves);
    free(p->tree);
    free(p->list.pairs);
    free(p->list.due);
    free(p->list.edges);
    free(p->list.groups);
    free(p->old.pairs);
    free(p->old.due);
    free(p->old.edges);
    free(p->old.groups);
    free(p->sink.touches);
    free(p->sink.before.items);
    free(p->sink.now.items);
    free(p);
}

// ---- look ----

static void join(Box* box, const Box* other)
{
    for (int d = 0; d < 3; d++)
    {
        box->low[d] = other->low[d] < box->low[d] ? other->low[d] : box->low[d];
        box->high[d] = other->high[d] > box->high[d] ? other->high[d] : box->high[d];
    }
}

static Box no_box(void) { return (Box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static Box leaf_box(const StrandLine* line, const StrandPart* leaf, double room)
{
    Box box = no_box();
    if (line->place->ghost) return box;
    for (int fibre = 0; fibre < line->shape->fibre_count; fibre++)
        for (int k = 0; k <= leaf->count; k++)
        {
            const int i = strand_leaf_node(line->shape, leaf->first + k);
            const twVec3 x = line->node[(size_t)fibre * (size_t)line->shape->point_count + (size_t)i];
            const double r = line->radius[i] + room;
            join(&box, &(Box){{x.x - r, x.y - r, x.z - r}, {x.x + r, x.y + r, x.z + r}});
        }
    return box;
}

static void refit(StrandPairs* p, double room)
{
    for (int l = 0; l < p->tree_size; l++)
    {
        p->tree[p->tree_size + l] = no_box();
        if (l >= p->leaves.count) continue;
        const StrandPart* leaf = &p->leaves.parts[l];
        p->tree[p->tree_size + l] = leaf_box(&p->lines[leaf->rod], leaf, room);
    }
    strand_leaves_look(&p->leaves);
    for (int i = p->tree_size - 1; i > 0; i--)
    {
        p->tree[i] = p->tree[2 * i];
        join(&p->tree[i], &p->tree[2 * i + 1]);
    }
}

static bool meet(const Box* a, const Box* b)
{
    for (int d = 0; d < 3; d++)
        if (!(a->low[d] <= b->high[d] && b->low[d] <= a->high[d])) return false;
    return true;
}

// @return whether there is more of it now
static bool enlarge(void** block, size_t count, size_t room, size_t size)
{
    void* more = strand_lines(room, size);
    if (!more) return false;
    if (count > 0) memcpy(more, *block, count * size);
    free(*block);
    *block = more;
    return true;
}

static bool pair_list_room(PairList* list, size_t room)
{
    const size_t count = (size_t)list->count;
    void *pairs = list->pairs, *due = list->due, *edges = list->edges;
    const bool fine = enlarge(&pairs, count, room, sizeof *list->pairs) &&
                      enlarge(&due, count, room, sizeof *list->due) &&
                      enlarge(&edges, count, room, sizeof *list->edges);
    list->pairs = pairs;
    list->due = due;
    list->edges = edges;
    if (fine) list->room = (int)room;
    return fine;
}

static bool pair_list_room_groups(PairList* list, size_t room)
{
    void* groups = list->groups;
    if (!enlarge(&groups, (size_t)list->group_count, room, sizeof *list->groups)) return false;
    list->groups = groups;
    list->group_room = (int)room;
    return true;
}

bool strand_pairs_reserve(StrandPairs* p, int touches)
{
    const size_t room = (size_t)touches + PAIRS_OF_LEAF * (size_t)p->leaves.room;
    return pair_list_room(&p->list, room) && pair_list_room(&p->old, room) && pair_list_room_groups(&p->list, room) &&
           pair_list_room_groups(&p->old, room) && strand_sink_reserve(&p->sink, touches) &&
           strand_sides_reserve(&p->sink.before, touches) && strand_sides_reserve(&p->sink.now, touches);
}

// @return index; -1 without memory
static int new_groups(PairList* list)
{
    if (list->group_count == list->group_room && !pair_list_room_groups(list, 2 * (size_t)list->group_room + 256))
        return -1;
    return list->group_count++;
}

// never later than it is
static float earlier(double wake) { return (float)(fabs(wake) < INFINITY ? wake - FLT_EPSILON * fabs(wake) : wake); }

// groups that still matter; without memory they are just forgotten
static int copy_groups(StrandPairs* p, int from, double path)
{
    const int to = new_groups(&p->list);
    for (int k = 0; to >= 0 && k < STRAND_GROUPS; k++)
        p->list.groups[to].wake[k] = p->old.groups[from].wake[k] - path - p->slack;
    return to;
}

// paths begin again, lest wakes become too large to be told apart
static void copy_pair(StrandPairs* p, int from, int to)
{
    LeafPair* pair = &p->list.pairs[to];
    EdgeWakes* edges = &p->list.edges[to];
    *pair = p->old.pairs[from];
    *edges = p->old.edges[from];
    p->list.due[to] = p->old.due[from];
    for (int k = 0; k < LEAF * LEAF; k++)
    {
        edges->wake[k] = earlier(edges->wake[k] - pair->path);
        const bool near = edges->near[k] >= 0 && edges->wake[k] <= p->near;
        edges->near[k] = near ? copy_groups(p, edges->near[k], pair->path) : -1;
    }
    pair->wake -= pair->path;
    pair->path = 0;
}

// what is known of a pair goes on
static void copy_or_begin(StrandPairs* p, int a, int b, int* at)
{
    const PairList* old = &p->old;
    while (*at < old->count && (old->pairs[*at].a < a || (old->pairs[*at].a == a && old->pairs[*at].b < b))) ++*at;
    const int i = p->list.count++;
    if (*at < old->count && old->pairs[*at].a == a && old->pairs[*at].b == b)
    {
        copy_pair(p, *at, i);
        return;
    }
    p->list.pairs[i] = (LeafPair){.a = a, .b = b, .wake = -INFINITY};
    p->list.due[i] = -INFINITY;
    for (int k = 0; k < LEAF * LEAF; k++)
    {
        // what is not there never wakes
        const bool there = k / LEAF < p->leaves.parts[a].count && k % LEAF < p->leaves.parts[b].count;
        p->list.edges[i].wake[k] = there ? -INFINITY : INFINITY;
        p->list.edges[i].near[k] = -1;
    }
}

// all leaves from a on whose boxes meet its box, rising. @return false without memory
static bool query(StrandPairs* p, int a, int* at)
{
    const Box box = p->tree[p->tree_size + a];
    const StrandPart* leaf = &p->leaves.parts[a];
    int stack[64], depth = 0, low[64], size[64];
    stack[0] = 1;
    low[0] = 0;
    size[0] = p->tree_size;
    for (depth = 1; depth > 0;)
    {
        const int node = stack[--depth], first = low[depth], count = size[depth];
        if (first + count <= a || !meet(&box, &p->tree[node])) continue;
        if (count > 1)
        {
            for (int k = 1; k >= 0; k--, depth++)
            {
                stack[depth] = 2 * node + k;
                low[depth] = first + k * (count / 2);
                size[depth] = count / 2;
            }
            continue;
        }
        if (p->leaves.parts[first].rod == leaf->rod && p->lines[leaf->rod].place->no_self) continue;
        if (p->list.count == p->list.room && !pair_list_room(&p->list, 2 * (size_t)p->list.room + 256)) return false;
        copy_or_begin(p, a, first, at);
    }
    return true;
}

static bool look(StrandPairs* p, double reach)
{
    const PairList swap = p->old;
    p->old = p->list;
    p->list = swap;
    p->list.count = p->list.group_count = 0;
    if (!p->begun) p->old.count = 0;
    refit(p, 0.5 * (reach + p->margin));
    p->stats.refreshes++;
    p->reach = reach;
    int at = 0;
    for (int a = 0; a < p->leaves.count; a++)
        if (!query(p, a, &at)) return false;
    return true;
}

// ---- pairs ----

static double thickness(const StrandShape* shape, int e)
{
    return 2 *
           (shape->radius[e] + (shape->fibre_count == STRAND_FIBRES ? fmax(shape->core[0][e], shape->core[1][e]) : 0));
}

// edges of a rod so near along it that it cannot be bent so much
static bool is_beside(const StrandShape* shape, int e, int f)
{
    const int apart = f - e;
    if (apart <= 1 || (shape->closed && apart >= shape->edge_count - 1)) return true;
    double way = shape->arc[f] - shape->arc[e + 1];
    if (shape->closed) way = fmin(way, shape->arc[shape->edge_count] - shape->arc[f + 1] + shape->arc[e]);
    return way < TW_PI * fmax(thickness(shape, e), thickness(shape, f));
}

// one pair of edges. @return its wake
static double test_edges(StrandPairs* p, const LeafPair* pair, int e, int f, int* near, double reach)
{
    const int ra = p->leaves.parts[pair->a].rod, rb = p->leaves.parts[pair->b].rod;
    if (ra == rb && is_beside(p->shapes[ra], e, f)) return INFINITY;
    p->stats.tests++;
    StrandNear where;
    const double path = pair->path - p->slack, bound = strand_edge_bound(&p->lines[ra], e, &p->lines[rb], f, &where);
    if (bound >= reach) return path + bound;
    Groups fresh, *groups = *near < 0 ? &fresh : &p->list.groups[*near];
    if (*near < 0)
        for (int k = 0; k < STRAND_GROUPS; k++) fresh.wake[k] = -INFINITY;
    const double wake = strand_edge_pair(&p->sink, &p->lines[ra], e, &p->lines[rb], f, &where, reach, path,
                                         pair->path + reach, groups->wake);
    if (*near < 0 && wake < path + p->near)
    {
        *near = new_groups(&p->list);
        if (*near >= 0) p->list.groups[*near] = fresh;
    }
    return wake;
}

// how far a pair has gone till now
static void follow(StrandPairs* p, LeafPair* pair)
{
    const StrandLeaf *a = &p->leaves.motion[pair->a], *b = &p->leaves.motion[pair->b];
    const twVec3 way = tw_vec3_sub(a->way, b->way);
    const double turned = a->turned + b->turned;
    pair->path += tw_vec3_norm(tw_vec3_sub(way, pair->way)) + (turned - pair->turned);
    pair->way = way;
    pair->turned = turned;
}

// what closes in the time ahead counts as well
static double reach_of(const StrandPairs* p, const LeafPair* pair, double reach)
{
    if (!(p->ahead > 0)) return reach;
    const StrandLeaf *a = &p->leaves.motion[pair->a], *b = &p->leaves.motion[pair->b];
    return reach + p->ahead * (tw_vec3_norm(tw_vec3_sub(a->speed, b->speed)) + a->differ + b->differ);
}

// ---- those that are awake, a few at a time ----

enum
{
    BATCH = 16,  // pairs
    SOON = 24    // pairs until one is looked at
};

// a pair that is awake, and which of its edges are
typedef struct Awake
{
    int pair;
    unsigned edges;
    double reach;
} Awake;

static void fetch(const void* from, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += STRAND_CACHE) __builtin_prefetch((const char*)from + k);
}

// most pairs sleep, so that nobody but us knows which one comes next
static void fetch_pair(const StrandPairs* p, int i, double until)
{
    const PairList* list = &p->list;
    if (i + SOON < list->count && list->due[i + SOON] <= until) fetch(&list->pairs[i + SOON], sizeof *list->pairs);
    if (i + SOON / 2 < list->count && list->due[i + SOON / 2] <= until)
        fetch(&p->leaves.motion[list->pairs[i + SOON / 2].b], sizeof *p->leaves.motion);
}

// the next pairs from *next on that are awake. @return count
static int wake_up(StrandPairs* p, int* next, double reach, double most, Awake out[BATCH])
{
    PairList* list = &p->list;
    int count = 0;
    for (; *next < list->count && count < BATCH; ++*next)
    {
        const int i = *next;
        fetch_pair(p, i, p->odometer + most);
        if (list->due[i] > p->odometer + most) continue;
        LeafPair* pair = &list->pairs[i];
        const double here = reach_of(p, pair, reach);
        if (list->due[i] > p->odometer + here) continue;
        follow(p, pair);
        list->due[i] = p->odometer + (pair->wake - pair->path);
        if (!(pair->wake <= pair->path + here)) continue;
        fetch(&list->edges[i], sizeof *list->edges);
        out[count++] = (Awake){i, 0, here};
    }
    return count;
}

static void fetch_leaf(const StrandPairs* p, const StrandPart* leaf)
{
    const StrandLine* line = &p->lines[leaf->rod];
    fetch(&line->centre[leaf->first], (STRAND_LEAF + 1) * sizeof *line->centre);
    for (int c = 0; c < 3; c++) fetch(&line->place->t[c][leaf->first], 1);
}

// which edges are awake, and what they will need
static void wake_edges(const StrandPairs* p, Awake* awake)
{
    const LeafPair* pair = &p->list.pairs[awake->pair];
    const EdgeWakes* edges = &p->list.edges[awake->pair];
    const StrandPart *a = &p->leaves.parts[pair->a], *b = &p->leaves.parts[pair->b];
    const double until = pair->path + awake->reach;
    for (int k = 0; k < LEAF * LEAF; k++) awake->edges |= (unsigned)(edges->wake[k] <= until) << k;
    fetch_leaf(p, a);
    fetch_leaf(p, b);
    for (int k = 0; awake->edges >> k; k++)
        if (awake->edges >> k & 1 && edges->near[k] >= 0)
        {
            fetch(&p->lines[a->rod].edges[a->first + k / LEAF], sizeof(StrandEdge));
            fetch(&p->lines[b->rod].edges[b->first + k % LEAF], sizeof(StrandEdge));
            fetch(&p->list.groups[edges->near[k]], sizeof(Groups));
        }
}

static void test_pair(StrandPairs* p, const Awake* awake)
{
    LeafPair* pair = &p->list.pairs[awake->pair];
    EdgeWakes* edges = &p->list.edges[awake->pair];
    const int a = p->leaves.parts[pair->a].first, b = p->leaves.parts[pair->b].first;
    float* wake = edges->wake;
    for (int k = 0; awake->edges >> k; k++)
        if (awake->edges >> k & 1)
            wake[k] = earlier(test_edges(p, pair, a + k / LEAF, b + k % LEAF, &edges->near[k], awake->reach));
    float least = wake[0];
    for (int k = 1; k < LEAF * LEAF; k++) least = wake[k] < least ? wake[k] : least;
    pair->wake = least;
    p->list.due[awake->pair] = p->odometer + (least - pair->path);
}

// What pairs need is far from the processor, and nothing of it is where the last one was: it is asked for well before it is looked at.
static void go_through(StrandPairs* p, double reach, double most)
{
    Awake awake[BATCH];
    for (int next = 0, count; (count = wake_up(p, &next, reach, most, awake)) > 0;)
    {
        for (int k = 0; k < count; k++) wake_edges(p, &awake[k]);
        for (int k = 0; k < count; k++) test_pair(p, &awake[k]);
    }
    p->stats.candidates += p->list.count;
}

static void swap_sides(StrandPairs* p)
{
    const StrandSides swap = p->sink.before;
    p->sink.before = p->sink.now;
    p->sink.now = swap;
}

int strand_pairs_touches(StrandPairs* p, const StrandPlace* places, double reach, const StrandTouch** out)
{
    p->stats.steps++;
    p->may_go_back = false;
    for (int r = 0; r < p->rod_count; r++)
    {
        TW_ASSERT(places[r].shape == p->shapes[r] && places[r].rod == r);
        strand_line_update(&p->lines[r], &places[r]);
    }
    const double most = reach + (p->ahead > 0 ? 2 * p->ahead * strand_leaves_speed(&p->leaves, p->lines) : 0);
    strand_leaves_move(&p->leaves, p->lines, !p->begun);
    p->odometer += 2 * p->leaves.fastest;
    if (!p->begun || strand_leaves_left(&p->leaves, 0.5 * p->margin) || most > p->reach)
    {
        // farther than asked for: what falls asks for more in every step
        p->begun = look(p, 1.5 * most);
        if (!p->begun) return -1;
    }
    swap_sides(p);
    p->may_go_back = true;
    p->sink.now.count = p->sink.count = 0;
    p->sink.failed = false;
    go_through(p, reach, most);
    strand_sides_sort(&p->sink.now);
    *out = p->sink.touches;
    return p->sink.failed ? -1 : p->sink.count;
}

void strand_pairs_look_ahead(StrandPairs* p, double time) { p->ahead = time; }

void strand_pairs_back(StrandPairs* p)
{
    if (p->may_go_back) swap_sides(p);
    p->may_go_back = false;
}

void strand_pairs_forget(StrandPairs* p) { p->begun = false; }
StrandPairsStats strand_pairs_stats(const StrandPairs* p) { return p->stats; }

const void* strand_pairs_state(const StrandPairs* p, size_t* bytes)
{
    *bytes = (size_t)p->sink.now.count * sizeof *p->sink.now.items;
    return p->sink.now.items;
}

bool strand_pairs_fits(const void* state, size_t bytes)
{
    const size_t count = bytes / sizeof(StrandSide);
    if (count * sizeof(StrandSide) != bytes || count > INT32_MAX / 2) return false;
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++)
    {
        StrandSide side;
        memcpy(&side, (const char*)state + i * sizeof side, sizeof side);
        if ((i > 0 && side.id <= last) || !(fabs(tw_vec3_norm(side.normal) - 1) < 1e-6)) return false;
        last = side.id;
    }
    return true;
}

bool strand_pairs_load(StrandPairs* p, const void* state, size_t bytes)
{
    const size_t count = bytes / sizeof(StrandSide);
    if (!strand_pairs_fits(state, bytes)) return false;
    StrandSides* now = &p->sink.now;
    if ((int)count > now->room && !strand_sides_reserve(now, (int)count)) return false;
    now->count = (int)count;
    if (bytes) memcpy(now->items, state, bytes);
    p->may_go_back = false;
    strand_pairs_forget(p);
    return true;
}
