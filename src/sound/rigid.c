// SPDX-License-Identifier: MIT
// Rigid contacts of a trace, from its numbers.

#include "rigid.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_FRICTION 0.5

typedef struct Pair
{
    int body[2];
    double friction;
} Pair;

struct RigidContacts
{
    bool hard, spread;
    int body_count;
    int64_t pair_count, pair_room;
    Pair* pairs;
    double friction[];  // (bodies + 1) the ground first
};

twStatus rigid_create(RigidContacts** out, int body_count, twError* err)
{
    TW_ASSERT(body_count >= 0);
    RigidContacts* r = *out = calloc(1, sizeof *r + ((size_t)body_count + 1) * sizeof *r->friction);
    if (!r) return tw_fail(err, TW_NO_MEMORY, "no memory for the friction of %d bodies", body_count);
    r->body_count = body_count;
    for (int i = 0; i <= body_count; i++) r->friction[i] = USUAL_FRICTION;
    return TW_OK;
}

void rigid_destroy(RigidContacts* r)
{
    if (!r) return;
    free(r->pairs);
    free(r);
}

static bool is_body(const RigidContacts* r, int body) { return body >= TW_NOWHERE && body < r->body_count; }

static Pair* find(const RigidContacts* r, int a, int b)
{
    for (int64_t i = 0; i < r->pair_count; i++)
    {
        Pair* p = &r->pairs[i];
        if ((p->body[0] == a && p->body[1] == b) || (p->body[0] == b && p->body[1] == a)) return p;
    }
    return NULL;
}

static bool add_pair(RigidContacts* r, int a, int b, double friction)
{
    Pair* pair = find(r, a, b);
    if (!pair && r->pair_count == r->pair_room)
    {
        const int64_t room = 2 * r->pair_room + 16;
        Pair* larger = realloc(r->pairs, (size_t)room * sizeof *larger);
        if (!larger) return false;
        r->pairs = larger;
        r->pair_room = room;
    }
    if (!pair) pair = &r->pairs[r->pair_count++];
    *pair = (Pair){{a, b}, friction};
    return true;
}

static bool skip(const char** at, const char* text)
{
    const size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0) return false;
    *at += length;
    return true;
}

static bool read_body(const RigidContacts* r, const char** at, int* body)
{
    char* end;
    const long value = strtol(*at, &end, 10);
    const bool good = end != *at && value >= TW_NOWHERE && value < r->body_count;
    *body = good ? (int)value : 0;
    *at = end;
    return good;
}

// names as TW_TRACE_FRICTION and TW_TRACE_FRICTION_PAIR make them. @return false without memory
static bool take_friction(RigidContacts* r, const char* name, double friction)
{
    int a, b;
    const char* at = name;
    if (!(friction >= 0 && isfinite(friction))) return true;
    if (skip(&at, "friction of body ") && read_body(r, &at, &a) && !*at) r->friction[a + 1] = friction;
    at = name;
    if (!skip(&at, "friction of bodies ") || !read_body(r, &at, &a) || !skip(&at, " and ")) return true;
    return !read_body(r, &at, &b) || *at || add_pair(r, a, b, friction);
}

// @return false without memory
static bool take(RigidContacts* r, const twTraceNumber* number)
{
    if (strcmp(number->name, TW_TRACE_HARD) == 0) r->hard = number->value == 1;
    if (strcmp(number->name, TW_TRACE_SPREAD) == 0) r->spread = number->value == 1;
    return take_friction(r, number->name, number->value);
}

twStatus rigid_take(RigidContacts* r, const twTraceNumber* numbers, int64_t count, twError* err)
{
    for (int64_t i = 0; i < count; i++)
        if (!take(r, &numbers[i])) return tw_fail(err, TW_NO_MEMORY, "no memory for the friction of bodies");
    return TW_OK;
}

bool rigid_wanted(const RigidContacts* r) { return r->hard && !r->spread; }

double rigid_friction(const RigidContacts* r, int a, int b)
{
    TW_ASSERT(is_body(r, a) && is_body(r, b));
    const Pair* pair = find(r, a, b);
    return pair ? pair->friction : sqrt(r->friction[a + 1] * r->friction[b + 1]);
}
