// SPDX-License-Identifier: MIT
// What can be wrong with the description of a network.

#include "net.h"

#define NET_MAX_ITEMS 100000

static twStatus check_point(const twNetDef* def, int object, int point, const char* what, int which, twError* err)
{
    if (object < 0 || object >= def->object_count)
        return tw_fail(err, TW_BAD_INPUT, "%s %d: object %d does not exist (there are %d)", what, which, object,
                       def->object_count);
    int points = def->objects[object].modes->point_count;
    if (point < 0 || point >= points)
        return tw_fail(err, TW_BAD_INPUT, "%s %d: object %d has no point %d (it has %d)", what, which, object, point,
                       points);
    return TW_OK;
}

static twStatus check_object(const twNetDef* def, int i, twError* err)
{
    const twModes* modes = def->objects[i].modes;
    const double *x = def->objects[i].displacement, *v = def->objects[i].velocity;
    if (!modes) return tw_fail(err, TW_BAD_INPUT, "object %d has no modes", i);
    double nyquist = 0.5 * def->rate_hz * def->oversample;
    for (int k = 0; k < modes->mode_count; k++)
    {
        if (!(modes->freq_hz[k] < nyquist))
            return tw_fail(err, TW_BAD_INPUT, "object %d, mode %d: %g Hz is not below half the rate, %g Hz", i, k,
                           modes->freq_hz[k], nyquist);
        if ((x && !(fabs(x[k]) < 1e100)) || (v && !(fabs(v[k]) < 1e100)))
            return tw_fail(err, TW_BAD_INPUT, "object %d, mode %d: initial displacement and velocity must be finite", i,
                           k);
    }
    return TW_OK;
}

// a law's own message, with the contact's number in front
static twStatus check_laws(const twContactDef* c, int i, twError* err)
{
    twError own;
    twStatus status = c->has_impact ? tw_impact_law_check(&c->impact, &own) : TW_OK;
    if (status == TW_OK && c->has_friction) status = tw_friction_law_check(&c->friction, &own);
    return status == TW_OK ? TW_OK : tw_fail(err, status, "contact %d: %s", i, own.text);
}

static twStatus check_contact(const twNetDef* def, int i, twError* err)
{
    const twContactDef* c = &def->contacts[i];
    twStatus status = check_point(def, c->a, c->a_point, "contact", i, err);
    if (status == TW_OK && c->b != TW_WALL) status = check_point(def, c->b, c->b_point, "contact", i, err);
    if (status == TW_OK && c->a == c->b)
        status = tw_fail(err, TW_BAD_INPUT, "contact %d: object %d cannot touch itself", i, c->a);
    if (status == TW_OK) status = check_laws(c, i, err);
    if (status != TW_OK) return status;
    if (c->has_impact && c->method != TW_QI && c->method != TW_DG && c->method != TW_AM1)
        return tw_fail(err, TW_BAD_INPUT, "contact %d: method %s cannot step a network; use qi, dg or am1", i,
                       tw_impact_method_name(c->method));
    if (!isfinite(c->gap) || !isfinite(c->normal_force) || c->normal_force < 0)
        return tw_fail(err, TW_BAD_INPUT, "contact %d: gap and normal force must be finite, normal force not negative",
                       i);
    if (!isfinite(c->roughness_beta)) return tw_fail(err, TW_BAD_INPUT, "contact %d: roughness beta must be finite", i);
    if (c->has_impact && c->has_friction)
    {
        status = check_point(def, c->a, c->a_slide, "contact", i, err);
        if (status == TW_OK && c->b != TW_WALL) status = check_point(def, c->b, c->b_slide, "contact", i, err);
    }
    return status;
}

static twStatus check_input(const twNetDef* def, int i, twError* err)
{
    const twNetInput* in = &def->inputs[i];
    if (in->kind == TW_IN_NONE) return TW_OK;
    if (in->kind == TW_IN_FORCE) return check_point(def, in->object, in->point, "input", i, err);
    if (in->contact < 0 || in->contact >= def->contact_count)
        return tw_fail(err, TW_BAD_INPUT, "input %d: contact %d does not exist", i, in->contact);
    const twContactDef* c = &def->contacts[in->contact];
    if (in->kind == TW_IN_NORMAL_FORCE && (c->has_impact || !c->has_friction))
        return tw_fail(err, TW_BAD_INPUT,
                       "input %d: contact %d has no normal force to drive; it needs friction without impact", i,
                       in->contact);
    if (in->kind == TW_IN_OFFSET && !c->has_impact)
        return tw_fail(err, TW_BAD_INPUT, "input %d: contact %d has no impact for a profile to act on", i, in->contact);
    return TW_OK;
}

static twStatus check_output(const twNetDef* def, int i, twError* err)
{
    const twNetOutput* out = &def->outputs[i];
    if (out->kind == TW_OUT_NONE) return TW_OK;
    if (out->kind == TW_OUT_POINT_X || out->kind == TW_OUT_POINT_V)
        return check_point(def, out->object, out->index, "output", i, err);
    if (out->kind > TW_OUT_POINT_V)
        return out->contact >= 0 && out->contact < def->contact_count
                   ? TW_OK
                   : tw_fail(err, TW_BAD_INPUT, "output %d: contact %d does not exist", i, out->contact);
    twStatus status = check_point(def, out->object, 0, "output", i, err);
    if (status != TW_OK) return status;
    int pickups = def->objects[out->object].modes->pickup_count;
    if (out->index >= 0 && out->index < pickups) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "output %d: object %d has no pickup %d (it has %d)", i, out->object, out->index,
                   pickups);
}

static bool count_ok(int count, const void* items)
{
    return count >= 0 && count <= NET_MAX_ITEMS && (count == 0 || items);
}

twStatus net_check(const twNetDef* def, twError* err)
{
    if (!(def->rate_hz >= 1 && def->rate_hz <= 1e7))
        return tw_fail(err, TW_BAD_INPUT, "rate %g Hz must be in [1, 1e7]", def->rate_hz);
    if (def->oversample < 1 || def->oversample > 64)
        return tw_fail(err, TW_BAD_INPUT, "oversampling %d must be in [1, 64]", def->oversample);
    if (!count_ok(def->object_count, def->objects) || !count_ok(def->contact_count, def->contacts) ||
        !count_ok(def->input_count, def->inputs) || !count_ok(def->output_count, def->outputs))
        return tw_fail(err, TW_BAD_INPUT, "a network holds at most %d objects, contacts, inputs and outputs each",
                       NET_MAX_ITEMS);
    twStatus status = TW_OK;
    for (int i = 0; i < def->object_count && status == TW_OK; i++) status = check_object(def, i, err);
    for (int i = 0; i < def->contact_count && status == TW_OK; i++) status = check_contact(def, i, err);
    for (int i = 0; i < def->input_count && status == TW_OK; i++) status = check_input(def, i, err);
    for (int i = 0; i < def->output_count && status == TW_OK; i++) status = check_output(def, i, err);
    return status;
}
