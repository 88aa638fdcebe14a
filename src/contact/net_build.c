// SPDX-License-Identifier: MIT
// Setting up a network: objects, ports, rows, islands, signals, all in one arena.

#include "net.h"
#include <string.h>

twContactDef tw_contact_def(void)
{
    return (twContactDef){
        .a = 0, .b = 1, .impact = tw_impact_law(), .method = TW_QI, .friction = tw_friction_law(), .seed = 1};
}

twNetDef tw_net_def(void) { return (twNetDef){.rate_hz = 48000, .oversample = 1, .scheme = TW_SCHEME_EXACT}; }

// ---- memory: everything from one arena; a failed piece is remembered ----

typedef struct Builder
{
    twNet* net;
    twArena* arena;
    bool failed;
} Builder;

static void* take(Builder* b, size_t count, size_t size)
{
    void* block = tw_arena_alloc(b->arena, count ? count : 1, size);
    if (!block) b->failed = true;
    return block;
}

static double* take_doubles(Builder* b, long count) { return take(b, (size_t)count, sizeof(double)); }

static double* copy_doubles(Builder* b, const double* values, long count)
{
    double* copy = take_doubles(b, count);
    if (copy && count) memcpy(copy, values, (size_t)count * sizeof(double));
    return copy;
}

// ---- objects ----

static void build_object(Builder* b, Object* object, const twModes* modes, int ports, int pickups)
{
    int n = modes->mode_count;
    long padded = (n + PASS_PAD - 1) / PASS_PAD * PASS_PAD;
    if (padded == 0) padded = PASS_PAD;
    object->modes = n;
    object->points = modes->point_count;
    object->pickups = modes->pickup_count;
    object->freq_hz = copy_doubles(b, modes->freq_hz, n);
    object->decay = copy_doubles(b, modes->decay, n);
    object->mass = copy_doubles(b, modes->mass, n);
    object->shape = copy_doubles(b, modes->shape, (long)n * modes->point_count);
    object->pickup = copy_doubles(b, modes->pickup, (long)n * modes->pickup_count);
    object->step_mass = take_doubles(b, n);
    object->step_stiffness = take_doubles(b, n);
    object->step_damping = take_doubles(b, n);
    object->speed = take_doubles(b, n);
    object->tilt = take_doubles(b, n);
    object->port_point = take(b, (size_t)ports, sizeof(int));
    object->port_force = take_doubles(b, ports);
    object->port_external = take_doubles(b, ports);
    object->port_v = take_doubles(b, ports);
    object->port_reach = take_doubles(b, ports);
    object->mobility = take_doubles(b, (long)ports * ports);
    object->pickup_index = take(b, (size_t)pickups, sizeof(int));
    object->pickup_velocity = take(b, (size_t)pickups, sizeof(bool));
    Pass* pass = &object->pass;
    pass->modes = (int)padded;
    pass->half_step = 0.5 * b->net->h;
    pass->x = take_doubles(b, padded);
    pass->v = take_doubles(b, padded);
    pass->keep = take_doubles(b, padded);
    pass->pull = take_doubles(b, padded);
    pass->push = take_doubles(b, padded);
    pass->shape = take_doubles(b, padded * ports);
    pass->force = object->port_force;
    pass->port_x = take_doubles(b, ports);
    pass->port_free = take_doubles(b, ports);
    pass->pick_x = take_doubles(b, padded * pickups);
    pass->pick_v = take_doubles(b, padded * pickups);
    pass->pickup = take_doubles(b, pickups);
}

// a port for (object, point), made if new
static Port add_port(twNet* net, int object, int point)
{
    if (object == TW_WALL) return (Port){TW_WALL, 0};
    Object* o = &net->objects[object];
    for (int p = 0; p < o->pass.ports; p++)
        if (o->port_point[p] == point) return (Port){object, p};
    o->port_point[o->pass.ports] = point;
    return (Port){object, o->pass.ports++};
}

static int add_pickup(twNet* net, const twNetOutput* output)
{
    Object* o = &net->objects[output->object];
    int slot = o->pass.pickups++;
    bool point = output->kind == TW_OUT_POINT_X || output->kind == TW_OUT_POINT_V;
    o->pickup_index[slot] = point ? -1 - output->index : output->index;
    o->pickup_velocity[slot] = output->kind == TW_OUT_VELOCITY || output->kind == TW_OUT_POINT_V;
    return slot;
}

static void start_object(Object* o, const twNetObject* def)
{
    for (int k = 0; k < o->modes; k++)
    {
        o->pass.x[k] = def->displacement ? def->displacement[k] : 0;
        o->pass.v[k] = o->speed[k] * (def->velocity ? def->velocity[k] : 0) + o->tilt[k] * o->pass.x[k];
    }
    net_measure(o);
}

// ---- rows and islands ----

static void build_rows(twNet* net)
{
    for (int i = 0; i < net->contact_count; i++)
    {
        Contact* c = &net->contacts[i];
        bool both = c->def.has_impact && c->def.has_friction;
        c->impact_row = c->friction_row = -1;
        if (c->def.has_impact)
        {
            c->impact_row = net->row_count;
            net->rows[net->row_count++] = (Row){.kind = ROW_IMPACT,
                                                .contact = i,
                                                .plus = add_port(net, c->def.a, c->def.a_point),
                                                .minus = add_port(net, c->def.b, c->def.b_point)};
        }
        if (!c->def.has_friction) continue;
        c->friction_row = net->row_count;
        net->rows[net->row_count++] = (Row){.kind = ROW_FRICTION,
                                            .normal_force = NAN,
                                            .contact = i,
                                            .plus = add_port(net, c->def.b, both ? c->def.b_slide : c->def.b_point),
                                            .minus = add_port(net, c->def.a, both ? c->def.a_slide : c->def.a_point)};
    }
}

// smallest object index reachable through rows, by passing labels until nothing changes
static void label_islands(twNet* net, int* label)
{
    for (int i = 0; i < net->object_count; i++) label[i] = i;
    for (bool changed = true; changed;)
    {
        changed = false;
        for (int i = 0; i < net->row_count; i++)
        {
            int a = net->rows[i].plus.object, b = net->rows[i].minus.object;
            if (a == TW_WALL || b == TW_WALL || label[a] == label[b]) continue;
            label[a] = label[b] = label[a] < label[b] ? label[a] : label[b];
            changed = true;
        }
    }
    for (int i = 0; i < net->row_count; i++)
    {
        Row* row = &net->rows[i];
        row->island = label[row->plus.object == TW_WALL ? row->minus.object : row->plus.object];
    }
}

// rows in order of island; contacts keep their row indices right
static void sort_rows(twNet* net, Row* sorted)
{
    int at = 0;
    for (int label = 0; label < net->object_count; label++)
        for (int i = 0; i < net->row_count; i++)
            if (net->rows[i].island == label) sorted[at++] = net->rows[i];
    for (int i = 0; i < net->row_count; i++)
    {
        Contact* c = &net->contacts[sorted[i].contact];
        if (sorted[i].kind == ROW_IMPACT)
            c->impact_row = i;
        else
            c->friction_row = i;
    }
    net->rows = sorted;
}

static void build_islands(Builder* b)
{
    twNet* net = b->net;
    int* label = take(b, (size_t)net->object_count, sizeof(int));
    Row* sorted = take(b, (size_t)net->row_count, sizeof(Row));
    net->islands = take(b, (size_t)net->row_count, sizeof(Island));
    if (b->failed) return;
    label_islands(net, label);
    sort_rows(net, sorted);
    int largest = 0;
    for (int i = 0; i < net->row_count; i++)
    {
        bool first = i == 0 || net->rows[i].island != net->rows[i - 1].island;
        if (first) net->islands[net->island_count++].first = i;
        Island* island = &net->islands[net->island_count - 1];
        net->rows[i].place = island->count++;
        if (island->count > largest) largest = island->count;
    }
    for (int i = 0; i < net->island_count; i++)
        net->islands[i].coupling = take_doubles(b, (long)net->islands[i].count * net->islands[i].count);
    net->scratch = take_doubles(b, (long)largest * (largest + 4));
    net->pivot = take(b, (size_t)largest, sizeof(int));
}

// ---- create and destroy ----

// how many ports each object may need, and how many pickups
static void count_uses(const twNetDef* def, int* ports, int* pickups)
{
    for (int i = 0; i < def->contact_count; i++)
    {
        ports[def->contacts[i].a] += 2;
        if (def->contacts[i].b != TW_WALL) ports[def->contacts[i].b] += 2;
    }
    for (int i = 0; i < def->input_count; i++)
        if (def->inputs[i].kind == TW_IN_FORCE) ports[def->inputs[i].object]++;
    for (int i = 0; i < def->output_count; i++)
        if (def->outputs[i].kind <= TW_OUT_POINT_V) pickups[def->outputs[i].object]++;
}

static void build_objects(Builder* b, const twNetDef* def)
{
    twNet* net = b->net;
    net->objects = take(b, (size_t)def->object_count, sizeof(Object));
    int *ports = take(b, (size_t)def->object_count, sizeof(int)),
        *pickups = take(b, (size_t)def->object_count, sizeof(int));
    if (b->failed) return;
    count_uses(def, ports, pickups);
    int largest = 0;
    for (int i = 0; i < def->object_count && !b->failed; i++)
    {
        // no more ports than points
        int points = def->objects[i].modes->point_count;
        build_object(b, &net->objects[i], def->objects[i].modes, ports[i] < points ? ports[i] : points, pickups[i]);
        if (net->objects[i].pass.modes > largest) largest = net->objects[i].pass.modes;
    }
    net->v_before = take_doubles(b, largest);
}

static void build_contacts(Builder* b, const twNetDef* def)
{
    twNet* net = b->net;
    net->contacts = take(b, (size_t)def->contact_count, sizeof(Contact));
    net->rows = take(b, 2 * (size_t)def->contact_count, sizeof(Row));
    if (b->failed) return;
    for (int i = 0; i < def->contact_count; i++)
    {
        Contact* c = &net->contacts[i];
        c->def = def->contacts[i];
        c->normal_force = c->def.normal_force;
        c->noise = tw_noise(c->def.roughness_beta, def->rate_hz * def->oversample, c->def.seed);
    }
    build_rows(net);
}

static void build_io(Builder* b, const twNetDef* def)
{
    twNet* net = b->net;
    net->inputs = take(b, (size_t)def->input_count, sizeof(twNetInput));
    net->input_force = take(b, (size_t)def->input_count, sizeof(double*));
    net->outputs = take(b, (size_t)def->output_count, sizeof(twNetOutput));
    net->output_slot = take(b, (size_t)def->output_count, sizeof(int));
    if (b->failed) return;
    for (int i = 0; i < def->input_count; i++)
    {
        net->inputs[i] = def->inputs[i];
        if (def->inputs[i].kind != TW_IN_FORCE) continue;
        Port port = add_port(net, def->inputs[i].object, def->inputs[i].point);
        net->input_force[i] = net->objects[port.object].port_external + port.index;
    }
    for (int i = 0; i < def->output_count; i++)
    {
        net->outputs[i] = def->outputs[i];
        if (def->outputs[i].kind <= TW_OUT_POINT_V) net->output_slot[i] = add_pickup(net, &def->outputs[i]);
    }
}

static void build_decimators(Builder* b, const twNetDef* def)
{
    twNet* net = b->net;
    if (def->oversample == 1 || def->unfiltered) return;
    int taps = decimator_taps(def->oversample);
    double* weight = take_doubles(b, taps);
    net->decimators = take(b, (size_t)def->output_count, sizeof(Decimator));
    if (b->failed) return;
    decimator_design(weight, def->oversample);
    for (int i = 0; i < def->output_count; i++)
        net->decimators[i] = (Decimator){def->oversample, taps, weight, take_doubles(b, taps), 0};
}

static Side side_of(const twNet* net, Port port)
{
    if (port.object == TW_WALL) return (Side){&net->nothing, &net->nothing, &net->nothing};
    const Object* o = &net->objects[port.object];
    return (Side){o->port_v + port.index, o->port_reach + port.index, o->pass.port_x + port.index};
}

static void start(twNet* net, const twNetDef* def)
{
    for (int i = 0; i < net->row_count; i++)
    {
        net->rows[i].at_plus = side_of(net, net->rows[i].plus);
        net->rows[i].at_minus = side_of(net, net->rows[i].minus);
    }
    for (int i = 0; i < net->object_count; i++)
    {
        Object* o = &net->objects[i];
        net_set_constants(net, o);
        net_set_shapes(o);
        net_set_pickups(o);
        net_set_mobility(o);
        start_object(o, &def->objects[i]);
        net->energy.stored_start += net_object_energy(o);
    }
    net_set_coupling(net);
    for (int i = 0; i < net->contact_count; i++)
    {
        Contact* c = &net->contacts[i];
        if (c->impact_row < 0) continue;
        const Row* row = &net->rows[c->impact_row];
        c->gap_x = *row->at_plus.x - *row->at_minus.x - c->def.gap;
        c->xc = c->gap_x;
        c->closed = c->xc > 0;
    }
    net->energy.stored_start += net_spring_energy(net);
}

twStatus tw_net_create(twNet** out, const twNetDef* def, twError* err)
{
    *out = NULL;
    twStatus status = net_check(def, err);
    if (status != TW_OK) return status;
    Builder b = {.arena = tw_arena_create(1 << 16)};
    if (b.arena) b.net = tw_arena_alloc(b.arena, 1, sizeof(twNet));
    if (!b.net)
    {
        tw_arena_destroy(b.arena);
        return tw_fail(err, TW_NO_MEMORY, "no memory for a network");
    }
    twNet* net = b.net;
    *net = (twNet){.def = *def, .arena = b.arena, .h = 1 / (def->rate_hz * def->oversample), .pass = pass_select()};
    net->object_count = def->object_count;
    net->contact_count = def->contact_count;
    build_objects(&b, def);
    if (!b.failed) build_contacts(&b, def);
    if (!b.failed) build_islands(&b);
    if (!b.failed) build_io(&b, def);
    if (!b.failed) build_decimators(&b, def);
    if (b.failed)
    {
        tw_arena_destroy(b.arena);
        return tw_fail(err, TW_NO_MEMORY, "no memory for a network of %d objects and %d contacts", def->object_count,
                       def->contact_count);
    }
    start(net, def);
    *out = net;
    return TW_OK;
}

void tw_net_destroy(twNet* net)
{
    if (net) tw_arena_destroy(net->arena);
}

int tw_net_delay(const twNet* net) { return net->decimators ? DECIMATE_DELAY : 0; }

int tw_net_objects(const twNet* net) { return net->object_count; }

int tw_net_modes(const twNet* net, int object)
{
    TW_ASSERT(object >= 0 && object < net->object_count);
    return net->objects[object].modes;
}
