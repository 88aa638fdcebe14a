// SPDX-License-Identifier: MIT
// Is a network what a description says?

#include "net.h"
#include <string.h>

static bool same_numbers(const double* a, const double* b, int count)
{
    return count == 0 || memcmp(a, b, (size_t)count * sizeof(double)) == 0;
}

static bool same_object(const Object* o, const twModes* modes)
{
    return o->modes == modes->mode_count && o->points == modes->point_count && o->pickups == modes->pickup_count &&
           same_numbers(o->mass, modes->mass, o->modes) && same_numbers(o->shape, modes->shape, o->modes * o->points) &&
           same_numbers(o->pickup, modes->pickup, o->modes * o->pickups);
}

static bool same_contact(const twContactDef* a, const twContactDef* b)
{
    return a->a == b->a && a->a_point == b->a_point && a->b == b->b && a->b_point == b->b_point &&
           a->has_impact == b->has_impact && a->method == b->method && a->gap == b->gap &&
           a->has_friction == b->has_friction && a->a_slide == b->a_slide && a->b_slide == b->b_slide &&
           a->normal_force == b->normal_force && a->roughness_beta == b->roughness_beta && a->seed == b->seed;
}

static bool same_input(const twNetInput* a, const twNetInput* b)
{
    return a->kind == b->kind && a->object == b->object && a->point == b->point && a->contact == b->contact;
}

static bool same_output(const twNetOutput* a, const twNetOutput* b)
{
    return a->kind == b->kind && a->object == b->object && a->index == b->index && a->contact == b->contact;
}

bool net_same_but_tuning(const twNet* net, const twNetDef* def)
{
    const twNetDef* own = &net->def;
    bool same = own->rate_hz == def->rate_hz && own->oversample == def->oversample &&
                own->unfiltered == def->unfiltered && own->scheme == def->scheme && own->audit == def->audit &&
                net->object_count == def->object_count && net->contact_count == def->contact_count &&
                own->input_count == def->input_count && own->output_count == def->output_count;
    for (int i = 0; same && i < def->object_count; i++) same = same_object(&net->objects[i], def->objects[i].modes);
    for (int i = 0; same && i < def->contact_count; i++) same = same_contact(&net->contacts[i].def, &def->contacts[i]);
    for (int i = 0; same && i < def->input_count; i++) same = same_input(&net->inputs[i], &def->inputs[i]);
    for (int i = 0; same && i < def->output_count; i++) same = same_output(&net->outputs[i], &def->outputs[i]);
    return same;
}
