// SPDX-License-Identifier: MIT
// Of many touches a few: those given out in the last step stay, since a contact that comes or goes under load is heard; free
// places go to the ones farthest from all taken so far (Gonzalez: "Clustering to minimize the maximum intercluster
// distance", 1985), which spans the patch; touches at the same place with the same normal are one. One may be exchanged in a
// step: for a deeper one close by, or for one twice as far from all as the two closest are from each other.
#include "dynamics/pair_parts.h"

// square of the distance, or of what a turn of the normal is worth
static double away2(const Touch* a, const Touch* b, double radius)
{
    twVec3 way = tw_vec3_sub(a->point, b->point);
    double cosine = tw_vec3_dot(a->normal, b->normal), turn = 1 - (a->which == b->which ? cosine : -cosine);
    return tw_vec3_dot(way, way) + radius * radius * (turn > 1e-3 ? turn : 0);
}

typedef struct Choice
{
    const Touch* touches;
    PairMemory* memory;  // kept: chosen
    int* chosen;         // numbers of those
    int count, chosen_count, most;
    double radius, merge2;
} Choice;

// square of the distance to the nearest chosen one but itself, and its place among them
static double nearest_chosen(const Choice* choice, int i, int* place)
{
    double best = HUGE_VAL;
    *place = -1;
    for (int k = 0; k < choice->chosen_count; k++)
    {
        if (choice->chosen[k] == i) continue;
        double d = away2(&choice->touches[i], &choice->touches[choice->chosen[k]], choice->radius);
        if (d >= best) continue;
        best = d;
        *place = k;
    }
    return best;
}

static void choose(Choice* choice, int i)
{
    choice->memory[i].kept = true;
    choice->chosen[choice->chosen_count++] = i;
    for (int j = 0; j < choice->count; j++)
    {
        double d = away2(&choice->touches[i], &choice->touches[j], choice->radius);
        if (d < choice->memory[j].away2) choice->memory[j].away2 = d;
    }
}

static void keep_old(Choice* choice)
{
    for (int i = 0; i < choice->count; i++)
    {
        if (!choice->memory[i].kept) continue;
        if (choice->chosen_count < choice->most)
            choice->chosen[choice->chosen_count++] = i;
        else
            choice->memory[i].kept = false;
    }
}

static int deepest_left(const Choice* choice)
{
    int best = -1;
    for (int i = 0; i < choice->count; i++)
        if (!choice->memory[i].kept && (best < 0 || choice->touches[i].gap < choice->touches[best].gap)) best = i;
    return best;
}

// the one left out that is farthest from the chosen
static int farthest_left(const Choice* choice)
{
    int best = -1;
    for (int i = 0; i < choice->count; i++)
        if (!choice->memory[i].kept && (best < 0 || choice->memory[i].away2 > choice->memory[best].away2)) best = i;
    return best;
}

static void measure(Choice* choice)
{
    int place;
    for (int i = 0; i < choice->count; i++)
        choice->memory[i].away2 = choice->memory[i].kept ? 0 : nearest_chosen(choice, i, &place);
}

static void fill_up(Choice* choice)
{
    while (choice->chosen_count < choice->most && choice->chosen_count < choice->count)
    {
        int next = choice->chosen_count == 0 ? deepest_left(choice) : farthest_left(choice);
        if (next < 0 || choice->memory[next].away2 <= choice->merge2) return;
        choose(choice, next);
    }
}

static void exchange(Choice* choice, int place, int in)
{
    choice->memory[choice->chosen[place]].kept = false;
    choice->memory[in].kept = true;
    choice->chosen[place] = in;
}

// a deeper one for the one next to it. @return whether there was one
static bool deepen(Choice* choice)
{
    int deep = deepest_left(choice), place;
    if (deep < 0) return false;
    nearest_chosen(choice, deep, &place);
    double gap = choice->touches[choice->chosen[place]].gap;
    if (choice->touches[deep].gap >= gap - 0.5 * fabs(gap) - 1e-7 * choice->radius) return false;
    exchange(choice, place, deep);
    return true;
}

// one that is far from all for one of the two closest
static void widen(Choice* choice)
{
    int far = farthest_left(choice), first = -1, second = -1, other;
    double closest2 = HUGE_VAL;
    for (int k = 0; k < choice->chosen_count && far >= 0; k++)
    {
        double d = nearest_chosen(choice, choice->chosen[k], &other);
        if (d >= closest2) continue;
        closest2 = d;
        first = k;
        second = other;
    }
    if (first < 0 || second < 0 || choice->memory[far].away2 <= 4 * closest2) return;
    double gap = choice->touches[choice->chosen[first]].gap;
    exchange(choice, gap > choice->touches[choice->chosen[second]].gap ? first : second, far);
}

int tw_pair_reduce(Pair* pair, const PairView view[2], Touch* touches, int count, bool changed)
{
    if (count == 0) return 0;
    double ra = view[0].a->shape->radius, rb = view[0].b->shape->radius, radius = ra < rb ? ra : rb;
    double merge = pair->def.merge > 0 ? pair->def.merge : 0.002 * radius;
    Choice choice = {.touches = touches,
                     .memory = tw_pair_memory(pair, pair->now),
                     .chosen = tw_pair_chosen(pair),
                     .count = count,
                     .most = pair->def.max_touches,
                     .radius = radius,
                     .merge2 = merge * merge};
    keep_old(&choice);
    if (changed || (choice.chosen_count < choice.most && choice.chosen_count < count))
    {
        measure(&choice);
        fill_up(&choice);
    }
    if (choice.chosen_count < count && !deepen(&choice) && changed && choice.chosen_count == choice.most)
        widen(&choice);
    int left = 0;
    for (int i = 0; i < count; i++)
        if (choice.memory[i].kept) touches[left++] = touches[i];
    return left;
}
