// SPDX-License-Identifier: MIT
// What pairs of bodies did to each other, from the forces of a trace. A contact is known by its id, which its touches have; its
// force is constant until its next one, so that the impulse is a sum of |force| times time.

#include "trace_file.h"
#include <math.h>
#include <stdlib.h>

// a touch, to be sorted: by bodies, then by id
typedef struct Entry
{
    int body[2];
    uint64_t id;
    int64_t touch;
} Entry;

// a contact, while forces go by
typedef struct Contact
{
    int pair;
    bool pushed;
    double since, force;  // what acts now, and from when
} Contact;

static int compare_bodies(const Entry* a, const Entry* b)
{
    for (int k = 0; k < 2; k++)
        if (a->body[k] != b->body[k]) return a->body[k] < b->body[k] ? -1 : 1;
    return 0;
}

static int compare_entries(const void* left, const void* right)
{
    const Entry *a = left, *b = right;
    const int bodies = compare_bodies(a, b);
    if (bodies != 0) return bodies;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return a->touch < b->touch ? -1 : a->touch > b->touch;
}

static void sort_touches(const twTrace* trace, Entry* entries)
{
    for (int64_t i = 0; i < trace->touch_count; i++)
    {
        const twTraceTouch* t = &trace->touches[i];
        const int low = t->body[0] < t->body[1] ? 0 : 1;
        entries[i] = (Entry){{t->body[low], t->body[!low]}, t->id, i};
    }
    if (trace->touch_count > 0) qsort(entries, (size_t)trace->touch_count, sizeof *entries, compare_entries);
}

// which contact each touch is of, and which pair each contact. @return the number of pairs
static int number_contacts(const Entry* entries, int64_t count, int64_t* contact_of, Contact* contacts,
                           twTracePair* pairs)
{
    int pair = -1;
    int64_t contact = -1;
    for (int64_t i = 0; i < count; i++)
    {
        const bool other = i == 0 || compare_bodies(&entries[i], &entries[i - 1]) != 0;
        if (other) pairs[++pair] = (twTracePair){.body = {entries[i].body[0], entries[i].body[1]}, .first = HUGE_VAL};
        if (other || entries[i].id != entries[i - 1].id) contacts[++contact] = (Contact){.pair = pair};
        contact_of[entries[i].touch] = contact;
    }
    return pair + 1;
}

static void end_force(const Contact* c, twTracePair* pair, double time)
{
    pair->impulse += c->force * fmax(0, time - c->since);
}

static void add_force(const twTraceForce* f, Contact* c, twTracePair* pair)
{
    end_force(c, pair, f->time);
    const double force = hypot(hypot(f->force[0], f->force[1]), f->force[2]);
    if (force > 0 && c->force == 0)
    {
        pair->first = fmin(pair->first, f->time);
        pair->last = f->time;
    }
    pair->contacts += force > 0 && !c->pushed;
    c->pushed = c->pushed || force > 0;
    pair->largest = fmax(pair->largest, force);
    c->since = f->time;
    c->force = force;
}

// those that never pushed are left out. @return how many are left
static int drop_idle(twTracePair* pairs, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        if (pairs[i].contacts > 0) pairs[n++] = pairs[i];
    return n;
}

twStatus tw_trace_pairs(twTracePair** out, int* count, const twTrace* trace, twError* err)
{
    const size_t touches = (size_t)trace->touch_count + 1;
    Entry* entries = calloc(touches, sizeof *entries);
    int64_t* contact_of = calloc(touches, sizeof *contact_of);
    Contact* contacts = calloc(touches, sizeof *contacts);
    twTracePair* pairs = calloc(touches, sizeof *pairs);
    *out = NULL;
    *count = 0;
    if (entries && contact_of && contacts && pairs)
    {
        sort_touches(trace, entries);
        const int n = number_contacts(entries, trace->touch_count, contact_of, contacts, pairs);
        double end = trace->frame_count > 0 ? (double)(trace->frame_count - 1) / trace->frame_rate_hz : 0;
        for (int b = 0; b < trace->force_block_count; b++)
            for (int64_t i = 0; i < trace->force_blocks[b].count; i++)
            {
                const twTraceForce* f = &trace->force_blocks[b].forces[i];
                if (trace->touches[f->touch].id >= TW_TRACE_PUSH) continue;
                Contact* c = &contacts[contact_of[f->touch]];
                add_force(f, c, &pairs[c->pair]);
                end = fmax(end, f->time);
            }
        for (size_t i = 0; i < touches; i++) end_force(&contacts[i], &pairs[contacts[i].pair], end);
        *count = drop_idle(pairs, n);
        *out = pairs;
        pairs = NULL;
    }
    free(entries);
    free(contact_of);
    free(contacts);
    free(pairs);
    return *out ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the pairs of a trace");
}
