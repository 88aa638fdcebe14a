// SPDX-License-Identifier: MIT
// A network described piece by piece, by names: what text and messages need to build any network.
//
// Objects and contacts are only ever added, or all cleared, so that an index keeps its meaning from one build to the next and states can
// be taken over by it.

#include "twang/contact.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_OBJECTS = 256,
    MAX_CONTACTS = 1024,
    MAX_PORTS = 256,
    ROWS = 8,  // points and pickups of an object
    NAME = 64
};

typedef struct SketchObject
{
    char name[NAME];
    twDraft* draft;
} SketchObject;

typedef struct SketchContact
{
    char name[NAME];
    twContactDef def;
} SketchContact;

struct twSketch
{
    int object_count, contact_count, input_count, output_count;
    int built_objects, built_contacts;  // of the last build; those beyond start afresh
    bool changed;                       // since the last build
    SketchObject objects[MAX_OBJECTS];
    SketchContact contacts[MAX_CONTACTS];
    twNetInput inputs[MAX_PORTS];
    twNetOutput outputs[MAX_PORTS];
};

twStatus tw_sketch_create(twSketch** out, int input_count, int output_count, twError* err)
{
    *out = NULL;
    if (input_count < 0 || input_count > MAX_PORTS || output_count < 0 || output_count > MAX_PORTS)
        return tw_fail(err, TW_BAD_INPUT, "%d inputs and %d outputs: at most %d of each", input_count, output_count,
                       MAX_PORTS);
    twSketch* s = calloc(1, sizeof *s);
    if (!s) return tw_fail(err, TW_NO_MEMORY, "no memory for a sketch");
    s->input_count = input_count;
    s->output_count = output_count;
    tw_sketch_clear(s);
    *out = s;
    return TW_OK;
}

void tw_sketch_clear(twSketch* s)
{
    for (int i = 0; i < s->object_count; i++) tw_draft_destroy(s->objects[i].draft);
    s->object_count = s->contact_count = s->built_objects = s->built_contacts = 0;
    s->changed = true;
    for (int i = 0; i < s->input_count; i++) s->inputs[i] = (twNetInput){.kind = TW_IN_NONE};
    for (int i = 0; i < s->output_count; i++) s->outputs[i] = (twNetOutput){.kind = TW_OUT_NONE};
}

void tw_sketch_destroy(twSketch* s)
{
    if (!s) return;
    tw_sketch_clear(s);
    free(s);
}

// ---- names ----

static twStatus check_name(const char* name, twError* err)
{
    size_t length = strlen(name);
    if (length == 0 || length >= NAME || strchr(name, '.') || strcmp(name, "wall") == 0)
        return tw_fail(err, TW_BAD_INPUT, "'%.80s' is no name: 1 to %d characters without a dot, and not 'wall'", name,
                       NAME - 1);
    return TW_OK;
}

int tw_sketch_find_object(const twSketch* s, const char* name)
{
    for (int i = 0; i < s->object_count; i++)
        if (strcmp(s->objects[i].name, name) == 0) return i;
    return -1;
}

int tw_sketch_find_contact(const twSketch* s, const char* name)
{
    for (int i = 0; i < s->contact_count; i++)
        if (strcmp(s->contacts[i].name, name) == 0) return i;
    return -1;
}

// "bell" or "bell.2": the object and its point or pickup
static twStatus find_place(const twSketch* s, const char* text, int* object, int* row, twError* err)
{
    char name[NAME] = "";
    const char* dot = strchr(text, '.');
    size_t length = dot ? (size_t)(dot - text) : strlen(text);
    if (length < NAME) memcpy(name, text, length);
    *object = tw_sketch_find_object(s, name);
    if (*object < 0)
        return tw_fail(err, TW_BAD_INPUT, "there is no object '%.*s'", (int)(length < 80 ? length : 80), text);
    *row = 0;
    if (!dot) return TW_OK;
    if (!isdigit((unsigned char)dot[1]) || dot[2] || dot[1] - '0' >= ROWS)
        return tw_fail(err, TW_BAD_INPUT, "'%.80s': after the dot comes a number from 0 to %d", text, ROWS - 1);
    *row = dot[1] - '0';
    return TW_OK;
}

// ---- objects and contacts ----

twStatus tw_sketch_object(twSketch* s, const char* name, twDraft** draft, twError* err)
{
    s->changed = true;
    int at = tw_sketch_find_object(s, name);
    *draft = at >= 0 ? s->objects[at].draft : NULL;
    if (*draft) return TW_OK;
    twStatus status = check_name(name, err);
    if (status == TW_OK && s->object_count == MAX_OBJECTS)
        status = tw_fail(err, TW_BAD_INPUT, "'%s' would be one object more than %d", name, MAX_OBJECTS);
    if (status == TW_OK) status = tw_draft_create(draft, ROWS, ROWS, err);
    if (status != TW_OK) return status;
    SketchObject* object = &s->objects[s->object_count++];
    object->draft = *draft;
    strcpy(object->name, name);
    return TW_OK;
}

twStatus tw_sketch_contact(twSketch* s, const char* name, const char* a, const char* b, twError* err)
{
    twContactDef def = tw_contact_def();
    int at = tw_sketch_find_contact(s, name);
    if (at >= 0) def = s->contacts[at].def;
    twStatus status = check_name(name, err);
    if (status == TW_OK) status = find_place(s, a, &def.a, &def.a_point, err);
    if (status == TW_OK && strcmp(b, "wall") == 0)
        def.b = TW_WALL, def.b_point = 0;
    else if (status == TW_OK)
        status = find_place(s, b, &def.b, &def.b_point, err);
    if (status == TW_OK && def.a == def.b)
        status = tw_fail(err, TW_BAD_INPUT, "contact '%s': an object cannot touch itself", name);
    if (status == TW_OK && at < 0 && s->contact_count == MAX_CONTACTS)
        status = tw_fail(err, TW_BAD_INPUT, "'%s' would be one contact more than %d", name, MAX_CONTACTS);
    if (status != TW_OK) return status;
    def.a_slide = def.a_point, def.b_slide = def.b_point;
    if (at < 0) at = s->contact_count++;
    strcpy(s->contacts[at].name, name);
    s->contacts[at].def = def;
    s->changed = true;
    return TW_OK;
}

static twStatus find_contact(const twSketch* s, const char* name, int* contact, twError* err)
{
    *contact = tw_sketch_find_contact(s, name);
    return *contact >= 0 ? TW_OK : tw_fail(err, TW_BAD_INPUT, "there is no contact '%.80s'", name);
}

// ---- laws ----

static twStatus set_impact(twImpactLaw* law, const char* name, double value, twError* err)
{
    double* number = tw_impact_law_find(law, name);
    if (!number)
        return tw_fail(err, TW_BAD_INPUT, "impact has no '%.80s', but stiffness, exponent and dissipation", name);
    *number = value;
    return TW_OK;
}

static twStatus set_friction(twFrictionLaw* law, const char* name, double value, twError* err)
{
    double* number = tw_friction_law_find(law, name);
    if (!number)
        return tw_fail(err, TW_BAD_INPUT,
                       "friction has no '%.80s', but stiffness, damping, viscosity, noise, static, dynamic, stribeck "
                       "and breakaway",
                       name);
    *number = value;
    return TW_OK;
}

twStatus tw_sketch_impact(twSketch* s, const char* contact, const char* const* names, const double* values, int count,
                          twError* err)
{
    int at;
    twStatus status = find_contact(s, contact, &at, err);
    if (status != TW_OK) return status;
    twImpactLaw law = s->contacts[at].def.impact;
    for (int i = 0; i < count && status == TW_OK; i++) status = set_impact(&law, names[i], values[i], err);
    if (status == TW_OK) status = tw_impact_law_check(&law, err);
    if (status != TW_OK) return status;
    s->contacts[at].def.has_impact = s->changed = true;
    s->contacts[at].def.impact = law;
    return TW_OK;
}

twStatus tw_sketch_friction(twSketch* s, const char* contact, const char* const* names, const double* values, int count,
                            twError* err)
{
    int at;
    twStatus status = find_contact(s, contact, &at, err);
    if (status != TW_OK) return status;
    twFrictionLaw law = s->contacts[at].def.friction;
    for (int i = 0; i < count && status == TW_OK; i++) status = set_friction(&law, names[i], values[i], err);
    if (status == TW_OK) status = tw_friction_law_check(&law, err);
    if (status != TW_OK) return status;
    s->contacts[at].def.has_friction = s->changed = true;
    s->contacts[at].def.friction = law;
    return TW_OK;
}

twStatus tw_sketch_gap(twSketch* s, const char* contact, double gap, twError* err)
{
    int at;
    twStatus status = find_contact(s, contact, &at, err);
    if (status != TW_OK) return status;
    if (!(gap >= -1 && gap <= 1)) return tw_fail(err, TW_BAD_INPUT, "gap %g must be in [-1, 1] m", gap);
    s->contacts[at].def.gap = gap;
    s->changed = true;
    return TW_OK;
}

twStatus tw_sketch_normal(twSketch* s, const char* contact, double force, twError* err)
{
    int at;
    twStatus status = find_contact(s, contact, &at, err);
    if (status != TW_OK) return status;
    if (!(force >= 0 && force <= 1e6)) return tw_fail(err, TW_BAD_INPUT, "normal %g must be in [0, 1e6] N", force);
    s->contacts[at].def.normal_force = force;
    s->changed = true;
    return TW_OK;
}

// ---- inputs and outputs ----

// which of the words; -1: none
static int find_word(const char* const* words, int count, const char* word)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0) return i;
    return -1;
}

twStatus tw_sketch_input(twSketch* s, int input, const char* kind, const char* of, twError* err)
{
    static const char* const words[] = {"force", "normal", "height", "none"};
    int word = find_word(words, 4, kind);
    if (input < 0 || input >= s->input_count)
        return tw_fail(err, TW_BAD_INPUT, "there is no input %d; there are %d, from 0 on", input, s->input_count);
    if (word < 0)
        return tw_fail(err, TW_BAD_INPUT,
                       "an input is force (of an object), normal or height (of a contact), not '%.80s'", kind);
    twNetInput in = {.kind = (twNetInputKind)word};
    twStatus status = TW_OK;
    if (in.kind == TW_IN_FORCE) status = find_place(s, of, &in.object, &in.point, err);
    if (in.kind == TW_IN_NORMAL_FORCE || in.kind == TW_IN_OFFSET) status = find_contact(s, of, &in.contact, err);
    if (status == TW_OK) s->inputs[input] = in, s->changed = true;
    return status;
}

twStatus tw_sketch_output(twSketch* s, int output, const char* kind, const char* of, twError* err)
{
    // in the order of twNetOutputKind
    static const char* const words[] = {"position",    "velocity", "pointposition", "pointvelocity",
                                        "compression", "impact",   "friction",      "bristle",
                                        "slip",        "normal",   "none"};
    int word = find_word(words, 11, kind);
    if (output < 0 || output >= s->output_count)
        return tw_fail(err, TW_BAD_INPUT, "there is no output %d; there are %d, from 0 on", output, s->output_count);
    if (word < 0)
        return tw_fail(
            err, TW_BAD_INPUT,
            "an output is velocity, position, pointvelocity or pointposition of an object, or compression, impact, "
            "friction, bristle, slip or normal of a contact, not '%.80s'",
            kind);
    twNetOutput out = {.kind = (twNetOutputKind)word};
    twStatus status = TW_OK;
    if (out.kind <= TW_OUT_POINT_V)
        status = find_place(s, of, &out.object, &out.index, err);
    else if (out.kind != TW_OUT_NONE)
        status = find_contact(s, of, &out.contact, err);
    if (status == TW_OK) s->outputs[output] = out, s->changed = true;
    return status;
}

// ---- building ----

// an input that its contact has no use for, or not yet, is silent
static void choose_inputs(const twSketch* s, twNetInput* inputs)
{
    memcpy(inputs, s->inputs, sizeof s->inputs);
    for (int i = 0; i < s->input_count; i++)
    {
        const twContactDef* c = &s->contacts[inputs[i].contact].def;
        bool useless = (inputs[i].kind == TW_IN_NORMAL_FORCE && (c->has_impact || !c->has_friction)) ||
                       (inputs[i].kind == TW_IN_OFFSET && !c->has_impact);
        if (useless) inputs[i] = (twNetInput){.kind = TW_IN_NONE};
    }
}

static twStatus build(twSketch* s, twInstrument** instrument, twNetDef* net, const twNetObject* objects,
                      twContactDef* contacts, int* from, twError* err)
{
    for (int i = 0; i < s->contact_count; i++) contacts[i] = s->contacts[i].def;
    net->object_count = s->object_count, net->objects = objects;
    net->contact_count = s->contact_count, net->contacts = contacts;
    twNetInput inputs[MAX_PORTS];
    choose_inputs(s, inputs);
    net->input_count = s->input_count, net->inputs = inputs;
    net->output_count = s->output_count, net->outputs = s->outputs;
    if (!*instrument) return tw_instrument_create(instrument, net, err);
    int* contact_from = from + s->object_count;
    for (int i = 0; i < s->object_count; i++) from[i] = i < s->built_objects ? i : -1;
    for (int i = 0; i < s->contact_count; i++) contact_from[i] = i < s->built_contacts ? i : -1;
    return tw_instrument_change(*instrument, net, from, contact_from, err);
}

twStatus tw_sketch_build(twSketch* s, twInstrument** instrument, double rate_hz, int oversample, twError* err)
{
    size_t objects = (size_t)s->object_count, contacts = (size_t)s->contact_count;
    twNetDef net = tw_net_def();
    net.rate_hz = rate_hz;
    net.oversample = oversample;
    twNetObject* made = calloc(objects + 1, sizeof *made);
    twContactDef* defs = calloc(contacts + 1, sizeof *defs);
    int* from = calloc(objects + contacts + 1, sizeof *from);
    twStatus status = made && defs && from ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for a network");
    twModes* modes;
    for (size_t i = 0; i < objects && status == TW_OK; i++)
    {
        twError own;
        status = tw_draft_modes(&modes, s->objects[i].draft, 0.5 * rate_hz, &own);
        if (status != TW_OK) tw_fail(err, status, "object '%s': %s", s->objects[i].name, own.text);
        made[i].modes = modes;
    }
    if (status == TW_OK) status = build(s, instrument, &net, made, defs, from, err);
    if (status == TW_OK) s->built_objects = s->object_count, s->built_contacts = s->contact_count;
    s->changed = false;
    for (size_t i = 0; made && i < objects; i++) tw_modes_destroy((twModes*)made[i].modes);
    free(made);
    free(defs);
    free(from);
    return status;
}

bool tw_sketch_changed(const twSketch* s) { return s->changed; }

// ---- playing ----

static bool is_speed(double value) { return fabs(value) <= 1000; }

twStatus tw_sketch_strike(const twSketch* s, twInstrument* instrument, const char* contact, double velocity,
                          twError* err)
{
    int at;
    twStatus status = find_contact(s, contact, &at, err);
    if (status != TW_OK) return status;
    if (!is_speed(velocity))
        return tw_fail(err, TW_BAD_INPUT, "strike: velocity %g must be in [-1000, 1000] m/s", velocity);
    if (!s->contacts[at].def.has_impact)
        return tw_fail(err, TW_BAD_INPUT, "strike: '%.80s' has no impact that could strike", contact);
    if (!instrument || at >= s->built_contacts || at >= tw_instrument_contacts(instrument))
        return tw_fail(err, TW_BAD_INPUT, "strike: '%.80s' is not built yet", contact);
    tw_net_strike(tw_instrument_net(instrument), at, velocity);
    return TW_OK;
}

twStatus tw_sketch_throw(const twSketch* s, twInstrument* instrument, const char* object, double place, double velocity,
                         twError* err)
{
    int at = tw_sketch_find_object(s, object);
    if (at < 0) return tw_fail(err, TW_BAD_INPUT, "there is no object '%.80s'", object);
    if (!is_speed(place) || !is_speed(velocity))
        return tw_fail(err, TW_BAD_INPUT, "throw: place %g m and velocity %g m/s must be in [-1000, 1000]", place,
                       velocity);
    if (!instrument || at >= s->built_objects || at >= tw_net_objects(tw_instrument_net(instrument)))
        return tw_fail(err, TW_BAD_INPUT, "throw: '%.80s' is not built yet", object);
    if (tw_net_modes(tw_instrument_net(instrument), at) == 0)
        return tw_fail(err, TW_BAD_INPUT, "throw: '%.80s' has no mode below half the sample rate", object);
    tw_net_throw(tw_instrument_net(instrument), at, 0, place, velocity);
    return TW_OK;
}
