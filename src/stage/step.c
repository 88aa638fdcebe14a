// SPDX-License-Identifier: MIT
// One step: impulses at its beginning bring points to their places at its end, everything goes freely, impulses at its end bring them
// to their velocities (the order of RATTLE, with the exact flow of the oscillators in between). See parts.h for the equations.
//
// Where places are not found, or more energy is there than can be (ledger.c), all is put back and done in 4 parts, then in 16, but in
// none that is too short; then with fewer of the directions that hardly give; then what asks for it lets go for a moment.
#include "stage/step.h"
#include <math.h>
#include <string.h>

#define RECOVERY 0.1      // share of an overlap that is mended in a step
#define OVERLAP 1e-3      // of a body's radius: overlap that is left alone
#define OUT_OF_REACH 1e6  // [m]
#define FINEST 2e-5       // [s] parts of a step are no shorter
#define PATIENCE 30       // steps that go well before larger parts are tried

static bool is_held(const twStage* s, int body)
{
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].active && (s->holds[i].def.body == body || s->holds[i].def.other == body)) return true;
    return false;
}

// to be moved without a push: what is grabbed is where it should be
static double give_of(const twStage* s, const StageBody* body)
{
    return is_held(s, body->index) ? 0 : body->inverse_mass;
}

// what overlaps is moved apart a little, without velocity, and up only as far as contacts have taken energy for it
static void part_bodies(twStage* s)
{
    for (int i = 0; i < s->contact_count && s->def.contact == TW_STAGE_CONSTRAINT; i++)
    {
        const Touch* touch = &s->contacts[i].touch;
        StageBody *a = &s->bodies[touch->body[0]], *b = &s->bodies[touch->body[1]];
        const double slack = OVERLAP * fmin(a->contact->radius, b->contact->radius);
        const double give_a = give_of(s, a), give_b = give_of(s, b), give = give_a + give_b;
        const double deep = -touch->gap - slack;
        if (!(deep > 0) || !(give > 0)) continue;
        double *saved_a = &s->accounts[a->index].saved, *saved_b = &s->accounts[b->index].saved;
        const double up = -tw_vec3_dot(touch->normal, s->def.gravity);
        // by way along the normal, masses being 1/give: lift = way up (1 - 1) if both move, as their mass centre stays
        const double lift_rate = up * ((give_a > 0) - (give_b > 0)), all = *saved_a + *saved_b;
        double way = RECOVERY * deep / (s->contact_count * give);
        if (lift_rate > 0) way = fmin(way, all / lift_rate);
        const double lift = way * lift_rate;
        a->position = tw_vec3_add_scaled(a->position, touch->normal, way * give_a);
        b->position = tw_vec3_add_scaled(b->position, touch->normal, -way * give_b);
        if (lift > 0) *saved_a -= lift * (*saved_a / all), *saved_b = all - lift - *saved_a;
        s->energy.dissipated -= lift;
    }
}

static void find_contacts(twStage* s)
{
    s->contact_count = 0;
    if (!s->touches) return;
    double fastest = 0;
    for (int i = 0; i < s->body_count; i++) fastest = fmax(fastest, tw_place_speed_bound(&s->places[i]));
    const double h = s->h, reach = 2 * h * (fastest + h * tw_vec3_norm(s->def.gravity)) + 1e-4 * step_scale(s);
    s->contact_count = stage_touches_find(s->touches, s->places, reach, &s->contacts);
    for (int i = 0; i < s->contact_count; i++)
    {
        const Touch* touch = &s->contacts[i].touch;
        double u[3];
        tw_touch_velocity(u, touch, &s->places[touch->body[0]], &s->places[touch->body[1]]);
        s->approach[i] = -u[0];
    }
    s->stats.contacts += s->contact_count;
    if (s->contact_count > s->stats.contacts_max) s->stats.contacts_max = s->contact_count;
}

static bool holds_body(const Hold* hold, int body)
{
    bool any = hold->def.body == body || hold->def.other == body;
    for (int k = 0; k < hold->def.push_count; k++) any = any || hold->def.push_body[k] == body;
    return hold->active && any;
}

void stage_jumped(twStage* s, int body)
{
    s->accounts[body].owed = 0;
    if (s->touches) stage_touches_forget(s->touches, body);
    for (int k = 0; k < s->def.max_grabs; k++)
        if (holds_body(&s->holds[k], body)) hold_again(&s->holds[k], s->bodies, s->time, s->def.step);
}

static void reset_lost(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        if (stage_body_finite(&s->bodies[i])) continue;
        stage_body_reset(&s->bodies[i]);
        s->accounts[i].owed = 0;
        stage_body_weigh(&s->bodies[i], s->def.gravity);
        for (int k = 0; k < s->def.max_grabs; k++)
            if (holds_body(&s->holds[k], i)) s->holds[k].active = false;
        if (s->touches) stage_touches_forget(s->touches, i);
        s->stats.resets++;
    }
}

// everything goes by itself
static void flow(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        StageBody* body = &s->bodies[i];
        const double before = step_energy(body), weight = stage_body_weight(body, s->def.gravity);
        stage_body_flow(body, s->def.gravity, s->h);
        const double own = step_energy(body) - before, lost = weight - stage_body_weight(body, s->def.gravity) - own;
        s->accounts[i].own += own;
        s->energy.dissipated += lost;
        s->accounts[i].lost = lost;
    }
}

// ---- parts ----

void step_keep(twStage* s, StageKept* kept)
{
    for (int i = 0; i < s->body_count; i++)
    {
        const StageBody* body = &s->bodies[i];
        const size_t bytes = (size_t)body->mode_count * sizeof *body->q;
        kept[i].position = body->position, kept[i].turn = body->turn;
        kept[i].velocity = body->velocity, kept[i].spin = body->spin;
        kept[i].owed = s->accounts[i].owed, kept[i].saved = s->accounts[i].saved;
        kept[i].sprung = s->accounts[i].sprung, kept[i].unpaid = s->accounts[i].unpaid;
        memcpy(kept[i].q, body->q, bytes);
        memcpy(kept[i].rate, body->rate, bytes);
    }
}

void step_put_back(twStage* s, const StageKept* kept)
{
    for (int i = 0; i < s->body_count; i++)
    {
        StageBody* body = &s->bodies[i];
        body->position = kept[i].position, body->turn = kept[i].turn;
        body->velocity = kept[i].velocity, body->spin = kept[i].spin;
        s->accounts[i].owed = kept[i].owed, s->accounts[i].saved = kept[i].saved;
        s->accounts[i].sprung = kept[i].sprung, s->accounts[i].unpaid = kept[i].unpaid;
        tw_oscillators_set(body->oscillators, kept[i].q, kept[i].rate);
        tw_oscillators_get(body->oscillators, body->q, body->rate);
    }
}

// the length of parts, and what modes do in it
static void divide(twStage* s, int parts)
{
    size_t finer = 0;
    for (int n = parts; n > 1; n /= STAGE_PARTS) finer++;
    s->parts = parts;
    s->h = s->system.h = s->def.step / parts;
    for (int i = 0; i < s->body_count; i++)
        s->bodies[i].s = s->bodies[i].responses + finer * (size_t)s->bodies[i].mode_count;
}

static bool may_divide(const twStage* s)
{
    return s->hopeless == 0 && s->parts < STAGE_PARTS * STAGE_PARTS && s->def.step / s->parts > 2 * FINEST;
}

// a part of a step, bodies and contacts being where they are. @return whether there is sense in it
static bool go_once(twStage* s)
{
    for (int i = 0; i < s->def.max_grabs; i++) s->holds[i].limited = false;
    s->missed = false;
    ledger_open(s);
    step_begin(s);
    if (!ledger_check(s)) return false;
    flow(s);
    const bool mended = step_mend(s);
    step_end(s);
    if (mended) step_stop_mended(s);
    part_bodies(s);
    return ledger_close(s);
}

static void look_ahead(twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
    {
        stage_body_predict(&s->bodies[i], s->h);
        s->places[i] = stage_body_place(&s->bodies[i]);
    }
}

// springs of groups that cannot pay for what they do are as if there were nothing to touch
static bool slacken(twStage* s)
{
    bool any = false;
    for (int c = 0; c < s->contact_count && s->def.contact == TW_STAGE_PENALTY; c++)
    {
        Touch* touch = &s->contacts[c].touch;
        for (int side = 0; side < 2; side++)
        {
            const int group = s->group[touch->body[side]];
            if (group < 0 || !(s->accounts[group].lacking > 0) || touch->gap == OUT_OF_REACH) continue;
            touch->gap = OUT_OF_REACH;
            any = true;
        }
    }
    return any;
}

static bool lacks(const twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
        if (s->accounts[i].lacking > 0) return true;
    return false;
}

static bool lacks_more(const twStage* s)
{
    for (int i = 0; i < s->body_count; i++)
        if (s->accounts[i].more) return true;
    return false;
}

// What a group cannot pay after a part of a step, because nothing moves any more, it pays before, and goes anew; then without springs
// that bend it for nothing.
static bool go(twStage* s)
{
    const twStageEnergy energy = s->energy;
    for (int i = 0; i < s->body_count; i++) s->accounts[i].ahead = s->accounts[i].advance = 0;
    bool more = true, fine = go_once(s);
    for (int try = 0; try < MOST_TRIES && more && lacks(s); try++)
    {
        step_put_back(s, s->kept[1]);
        s->energy = energy;
        more = ledger_pay_ahead(s);
        if (try > 0 || !more) more = slacken(s) || more;
        look_ahead(s);
        fine = go_once(s);
    }
    return fine;
}

// those of groups that owe too much
static bool let_go(twStage* s)
{
    bool any = false;
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        const int group = hold->active ? s->group[hold->def.body] : -1;
        if (group < 0 || !s->accounts[group].refused || hold->slack) continue;
        hold->slack = any = true;
    }
    return any;
}

// whatever it takes
static void go_somehow(twStage* s)
{
    const twStageEnergy energy = s->energy;
    for (s->softness = s->def.softness; !go(s); s->softness = fmax(1e-4, 100 * s->softness))
    {
        // once without them they owe no more than before, and it ends
        if (s->softness >= SOFTEST && !let_go(s)) break;
        // parts of steps have not helped
        s->hopeless = PATIENCE;
        step_put_back(s, s->kept[1]);
        look_ahead(s);
        s->energy = energy;
    }
    ledger_slow(s);
}

// those that gave way come back
static void come_back(twStage* s)
{
    for (int i = 0; i < s->def.max_grabs; i++)
    {
        Hold* hold = &s->holds[i];
        hold->purse = hold->next;
        if (hold->active && (hold->limited || hold->slack))
            hold_yield(hold, s->bodies, s->time, step_own_speed(s, hold->def.body));
        hold->slack = hold->fresh = false;
    }
}

// @return false: it has to be divided
static bool do_part(twStage* s, bool last)
{
    look_ahead(s);
    find_contacts(s);
    step_keep(s, s->kept[1]);
    for (int i = 0; i < s->def.max_grabs; i++) s->holds[i].limited = false;
    step_concede(s);
    s->softness = s->def.softness;
    if (!last && (!go(s) || s->missed || lacks_more(s))) return false;
    if (last) go_somehow(s);
    return true;
}

static bool any_limited(const twStage* s)
{
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].active && s->holds[i].limited) return true;
    return false;
}

static void do_parts(twStage* s)
{
    const double begin = s->time;
    const twStageEnergy energy = s->energy;
    step_keep(s, s->kept[0]);
    for (int k = 0; k < s->def.max_grabs; k++) s->holds[k].kept = s->holds[k].purse;
    for (int i = 0; i < s->parts;)
    {
        const bool done = do_part(s, !may_divide(s));
        step_recant(s);
        if (!done)
        {
            step_put_back(s, s->kept[0]);
            for (int k = 0; k < s->def.max_grabs; k++) s->holds[k].purse = s->holds[k].kept;
            s->energy = energy;
            s->time = begin;
            divide(s, s->parts * STAGE_PARTS);
            s->well = i = 0;
            step_forget(s);
            continue;
        }
        ledger_look_back(s);
        s->time = begin + ++i * s->h;
        s->stats.missed += s->missed;
        s->stats.limited += any_limited(s);
        for (int k = 0; k < s->def.max_grabs; k++)
            if (s->holds[k].slack)
            {
                s->stats.let_go++;
                break;
            }
        s->stats.parts += s->parts > 1;
        come_back(s);
        step_gather(s);
    }
}

void stage_step(twStage* s)
{
    if (s->parts > 1 && s->hopeless > 0) divide(s, 1);
    if (s->hopeless > 0) s->hopeless--;
    if (s->parts > 1 && ++s->well > PATIENCE) divide(s, s->parts / STAGE_PARTS), s->well = 0;
    s->began = (double)(s->step + 1) * s->def.step - s->def.step;
    s->strike_count = s->push_count;
    if (s->recording) stage_record_begin(s);
    step_forget(s);
    do_parts(s);
    s->time = (double)++s->step * s->def.step;
    reset_lost(s);
    step_look(s);
    for (int i = 0; i < s->def.max_grabs; i++)
        if (s->holds[i].active && s->holds[i].def.kind == TW_STAGE_GRAB_POSITION)
            s->holds[i].error = tw_vec3_norm(hold_error(&s->holds[i], s->bodies, s->after, s->time));
    if (s->recording) stage_record_step(s);
    step_hear(s);
    s->stats.steps++;
}
