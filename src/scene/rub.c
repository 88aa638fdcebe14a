// SPDX-License-Identifier: MIT
// One friction contact under the microscope: the time series at the contact point, and what they say.

#include "twang/rub.h"
#include "twang/math.h"
#include "twang/play.h"
#include <stdlib.h>
#include <string.h>

#define RUB_CHUNK 1024
#define RUB_PROBES TW_RUB_COLUMNS  // all columns but the time, and the normal force

enum
{
    T,
    X_R,
    V_R,
    X_E,
    V_E,
    Z,
    F
};

typedef struct Run
{
    const twScene* scene;
    const twRubDef* def;
    twRub* rub;
    int64_t frames, half;  // half: where the statistics begin
    double chunk[RUB_PROBES][RUB_CHUNK];
    double last_z, last_slip;
    int64_t counted, stuck;
    double v_e_sum, normal_sum;
    int64_t gripping;
} Run;

static void probes_for(const twContactDef* c, int contact, twNetOutput probes[RUB_PROBES])
{
    int a = c->has_impact ? c->a_slide : c->a_point, b = c->has_impact ? c->b_slide : c->b_point;
    const twNetOutput made[RUB_PROBES] = {
        {.kind = TW_OUT_POINT_X, .object = c->b, .index = b}, {.kind = TW_OUT_POINT_V, .object = c->b, .index = b},
        {.kind = TW_OUT_POINT_X, .object = c->a, .index = a}, {.kind = TW_OUT_POINT_V, .object = c->a, .index = a},
        {.kind = TW_OUT_BRISTLE, .contact = contact},         {.kind = TW_OUT_FRICTION_FORCE, .contact = contact},
        {.kind = TW_OUT_NORMAL_FORCE, .contact = contact}};
    memcpy(probes, made, sizeof made);
}

// statistics of one sample; sticking: z moves by at least half of what the surfaces do
static void take_statistics(Run* run, int64_t frame, const double row[TW_RUB_COLUMNS], double normal_force)
{
    twRub* rub = run->rub;
    double slip = row[V_R] - row[V_E], dt = 1 / run->scene->rate_hz;
    if (frame >= run->half)
    {
        bool first = run->counted == 0;
        rub->v_r_min = first ? row[V_R] : fmin(rub->v_r_min, row[V_R]);
        rub->v_r_max = first ? row[V_R] : fmax(rub->v_r_max, row[V_R]);
        rub->slip_min = first ? slip : fmin(rub->slip_min, slip);
        rub->slip_max = first ? slip : fmax(rub->slip_max, slip);
        run->v_e_sum += row[V_E];
        run->gripping += normal_force > 0;
        run->normal_sum += normal_force;
        run->stuck += fabs(row[Z] - run->last_z) >= 0.25 * dt * fabs(slip + run->last_slip);
        run->counted++;
    }
    run->last_z = row[Z];
    run->last_slip = slip;
}

static void take_sample(Run* run, int64_t frame, int at)
{
    double row[TW_RUB_COLUMNS] = {(double)frame / run->scene->rate_hz};
    for (int k = 0; k < TW_RUB_COLUMNS - 1; k++) row[k + 1] = run->chunk[k][at];
    take_statistics(run, frame, row, run->chunk[RUB_PROBES - 1][at]);
    int64_t kept = frame - (run->frames - run->rub->tail);
    if (kept >= 0)
        for (int k = 0; k < TW_RUB_COLUMNS; k++) run->rub->column[k][kept] = row[k];
    if (run->def->csv)
        fprintf(run->def->csv, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", row[T], row[X_R], row[V_R], row[X_E],
                row[V_E], row[Z], row[F]);
}

static twStatus run_all(Run* run, twPlay* play, twError* err)
{
    double* probes[RUB_PROBES];
    for (int k = 0; k < RUB_PROBES; k++) probes[k] = run->chunk[k];
    if (run->def->csv) fprintf(run->def->csv, "t,x_r,v_r,x_e,v_e,z,f\n");
    for (int64_t frame = 0; frame < run->frames;)
    {
        int n = run->frames - frame < RUB_CHUNK ? (int)(run->frames - frame) : RUB_CHUNK;
        tw_play_process(play, NULL, probes, n);
        for (int i = 0; i < n; i++) take_sample(run, frame + i, i);
        frame += n;
        if (run->def->keep_going && !run->def->keep_going((double)frame / (double)run->frames, run->def->context))
            return tw_fail(err, TW_INTERRUPTED, "interrupted; nothing was written");
    }
    return TW_OK;
}

static twStatus alloc_tail(Run* run, twError* err)
{
    run->rub->tail = (int)(run->frames < run->def->tail ? run->frames : run->def->tail);
    for (int k = 0; k < TW_RUB_COLUMNS; k++)
    {
        run->rub->column[k] = calloc((size_t)run->rub->tail + 1, sizeof(double));
        if (!run->rub->column[k]) return tw_fail(err, TW_NO_MEMORY, "no memory for %d samples", run->rub->tail);
    }
    return TW_OK;
}

static void summarise(Run* run, const twPlay* play)
{
    twRub* rub = run->rub;
    const twSceneContact* contact = &run->scene->contacts[run->def->contact];
    rub->frames = run->frames;
    rub->energy = tw_net_energy(tw_play_net(play));
    rub->stats = tw_net_stats(tw_play_net(play));
    rub->v_e_mean = run->counted ? run->v_e_sum / (double)run->counted : 0;
    rub->stick_fraction = run->counted ? (double)run->stuck / (double)run->counted : 0;
    rub->normal_force = run->gripping ? run->normal_sum / (double)run->gripping : 0;
    rub->passive_speed = tw_friction_passive_speed(&contact->def.friction, rub->normal_force);
    // pitch from the second half, as far as it is kept
    int n = (int)fmin((double)(run->frames - run->half), rub->tail);
    rub->fundamental_hz = tw_pitch(rub->column[V_R] + rub->tail - n, n, run->scene->rate_hz);
}

twStatus tw_rub(twRub* out, const twScene* scene, const twRubDef* def, twError* err)
{
    TW_ASSERT(def->contact >= 0 && def->contact < scene->contact_count &&
              scene->contacts[def->contact].def.has_friction);
    *out = (twRub){0};
    if (scene->contacts[def->contact].def.b == TW_WALL)
        return tw_fail(err, TW_BAD_INPUT, "the friction contact rubs on 'wall', which does not move; name a resonator");
    Run* run = calloc(1, sizeof *run);
    if (!run) return tw_fail(err, TW_NO_MEMORY, "no memory for the run");
    run->scene = scene;
    run->def = def;
    run->rub = out;
    run->frames = (int64_t)llround(scene->duration * scene->rate_hz);
    run->half = run->frames / 2;
    twNetOutput probes[RUB_PROBES];
    probes_for(&scene->contacts[def->contact].def, def->contact, probes);
    twPlayDef play_def = {.audit = true, .unfiltered = true, .probe_count = RUB_PROBES, .probes = probes};
    twPlay* play = NULL;
    twStatus status = alloc_tail(run, err);
    if (status == TW_OK) status = tw_play_create(&play, scene, &play_def, err);
    if (status == TW_OK) status = run_all(run, play, err);
    if (status == TW_OK) summarise(run, play);
    tw_play_destroy(play);
    free(run);
    if (status != TW_OK) tw_rub_free(out);
    return status;
}

void tw_rub_free(twRub* rub)
{
    for (int k = 0; k < TW_RUB_COLUMNS; k++) free(rub->column[k]);
    *rub = (twRub){0};
}
