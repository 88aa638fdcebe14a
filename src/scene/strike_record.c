// SPDX-License-Identifier: MIT
// The motion of a struck body, out of the network that makes its sound.
//
// A frame between two samples: from the state q, v at the sample before, mode k rings freely for the rest s < 1/rate,
//   q(s) = exp(-c s) (q C + (v + c q) S),  C = cos(w s), S = sin(w s)/w,  w^2 = w0^2 - c^2; cosh, sinh if c > w0,
// which is exact without force and off by less than force/2 rate^2 under one.
//
// Recoil: the network knows it as the displacement x at the struck point of a mass m (strike.c), so that the impulse so far
// is m x'. The whole body of mass M and inertia I moves by m x n/M and turns by I^-1 (r x n) m x.

#include "strike.h"
#include <math.h>
#include <stdlib.h>

#define SMALL_TURN 1e-6  // [rad], whose cosine is 1 within rounding

struct StrikeRecorder
{
    twTraceWriter* writer;
    const twModeSet* set;
    const twModes* body;
    const twStrikeDef* def;
    bool recoil;
    double step;           // time of a frame in the model [s]
    int64_t taken, count;  // frames
    double *x, *v;         // (body's modes)
    double* amplitude;     // (set's modes)
    twTracePose pose;      // of the last frame taken, which is not written yet
    double force;          // the largest since it
};

twStrikeRecord tw_strike_record_def(void) { return (twStrikeRecord){.frame_rate_hz = 60, .slow = 1}; }

static twStatus check(const twStrikeDef* def, const twStrikeRecord* record, twError* err)
{
    if (!(record->frame_rate_hz > 0 && record->frame_rate_hz <= def->rate_hz))
        return tw_fail(err, TW_BAD_INPUT, "%g frames per second must be above 0, up to the rate, %g",
                       record->frame_rate_hz, def->rate_hz);
    const double most = def->rate_hz / record->frame_rate_hz;
    if (!(record->slow > 0 && record->slow <= most))
        return tw_fail(err, TW_BAD_INPUT,
                       "a film %g times slower must be above 0, up to %g times: one frame per sample", record->slow,
                       most);
    if (!(record->longest >= 0))
        return tw_fail(err, TW_BAD_INPUT, "a longest film of %g s must not be negative", record->longest);
    return TW_OK;
}

static twStatus start_writer(StrikeRecorder* r, const twStrikeRecord* record, twError* err)
{
    const twTraceBody body = {.name = record->name, .material = record->material, .set = r->set};
    const twTraceSeries force = {"force of the hammer", "N"};
    twTraceDef def = tw_trace_def();
    def.frame_rate_hz = record->frame_rate_hz;
    def.title = record->title;
    def.sound = record->slow == 1 ? record->sound : NULL;
    def.body_count = 1;
    def.bodies = &body;
    def.series_count = 1;
    def.series = &force;
    return tw_trace_create(&r->writer, record->path, &def, err);
}

twStatus strike_record_start(StrikeRecorder** out, const twModeSet* set, const twModes* body, const twStrikeDef* def,
                             const twStrikeRecord* record, twError* err)
{
    *out = NULL;
    twStatus status = check(def, record, err);
    if (status != TW_OK) return status;
    const size_t modes = (size_t)body->mode_count;
    StrikeRecorder* r = calloc(1, sizeof *r);
    double* block = calloc(2 * modes + (size_t)set->mode_count + 1, sizeof *block);
    if (!r || !block)
    {
        free(r);
        free(block);
        return tw_fail(err, TW_NO_MEMORY, "no memory for the motion of %d modes", set->mode_count);
    }
    r->x = block;
    r->v = block + modes;
    r->amplitude = block + 2 * modes;
    r->set = set;
    r->body = body;
    r->def = def;
    r->recoil = record->recoil && modes > 0 && body->freq_hz[modes - 1] == 0;
    r->step = 1 / (record->frame_rate_hz * record->slow);
    const double seconds = record->longest > 0 ? fmin(def->duration, record->longest / record->slow) : def->duration;
    r->count = (int64_t)fmax(1, ceil(seconds / r->step - 1e-9));
    status = start_writer(r, record, err);
    if (status == TW_OK)
        *out = r;
    else
        strike_record_destroy(r);
    return status;
}

void strike_record_destroy(StrikeRecorder* r)
{
    if (!r) return;
    tw_trace_abort(&r->writer);
    free(r->x);
    free(r);
}

// ---- frames ----

// the sample at or just before a frame
static int64_t sample_of(const StrikeRecorder* r, int64_t frame)
{
    return (int64_t)floor((double)frame * r->step * r->def->rate_hz + 1e-6);
}

int64_t strike_record_wait(const StrikeRecorder* r, int64_t sample)
{
    return r->taken < r->count ? sample_of(r, r->taken) - sample : INT64_MAX;
}

// displacement of a mode after s seconds of ringing
static double ring(const twModes* modes, int k, double x, double v, double s)
{
    const double c = modes->decay[k], w0 = 2 * TW_PI * modes->freq_hz[k], square = w0 * w0 - c * c;
    const double w = sqrt(fabs(square)), speed = v + c * x;
    if (w * s < SMALL_TURN) return exp(-c * s) * (x + speed * s);
    if (square > 0) return exp(-c * s) * (x * cos(w * s) + speed * sin(w * s) / w);
    return 0.5 * ((x + speed / w) * exp((w - c) * s) + (x - speed / w) * exp(-(w + c) * s));
}

// where the recoil takes the body, as a turn about its centre of mass and a move of that
static twTracePose recoil_pose(const StrikeRecorder* r, double x)
{
    const twMassProperties* m = &r->set->mass;
    const int last = r->body->mode_count - 1;
    const twVec3 n = strike_direction(r->set, r->def),
                 arm = tw_vec3_cross(tw_vec3_sub(r->set->vertices[r->def->vertex], m->centre), n);
    const double pushed = r->body->mass[last] * x;
    twMat3 inverse;
    twVec3 turn = {0, 0, 0};
    if (tw_mat3_inverse(&inverse, m->inertia)) turn = tw_vec3_scale(tw_mat3_mul_vec(inverse, arm), pushed);
    twTracePose pose = {.turn = tw_quat_from_axis_angle(turn, tw_vec3_norm(turn))};
    const twVec3 move = tw_vec3_scale(n, pushed / m->mass);
    pose.position = tw_vec3_add(tw_vec3_sub(m->centre, tw_quat_rotate(pose.turn, m->centre)), move);
    return pose;
}

// the frame that was taken, now that it is known what happened until the next
static twStatus put_frame(StrikeRecorder* r, twError* err)
{
    const twVec3 n = tw_quat_rotate(r->pose.turn, strike_direction(r->set, r->def)),
                 at = tw_vec3_add(r->pose.position, tw_quat_rotate(r->pose.turn, r->set->vertices[r->def->vertex]));
    const twTraceArrow arrow = {{(float)at.x, (float)at.y, (float)at.z},
                                {(float)(r->force * n.x), (float)(r->force * n.y), (float)(r->force * n.z)}};
    const twTraceFrame frame = {.bodies = &r->pose, .series = &r->force, .arrow_count = r->force > 0, .arrows = &arrow};
    return tw_trace_append(r->writer, &frame, err);
}

twStatus strike_record_take(StrikeRecorder* r, const twNet* net, int64_t sample, twError* err)
{
    twStatus status = r->taken > 0 ? put_frame(r, err) : TW_OK;
    if (status != TW_OK) return status;
    const double rest = fmax(0, (double)r->taken++ * r->step - (double)sample / r->def->rate_hz);
    tw_net_state(net, 1, r->x, r->v);
    int k = 0;
    for (int i = 0; i < r->set->mode_count; i++)
    {
        if (r->set->freq_hz[i] >= strike_limit(r->def)) continue;
        r->amplitude[i] = ring(r->body, k, r->x[k], r->v[k], rest);
        k++;
    }
    r->pose = (twTracePose){.turn = tw_quat_identity()};
    if (r->recoil) r->pose = recoil_pose(r, ring(r->body, k, r->x[k], r->v[k], rest));
    r->pose.amplitude = r->amplitude;
    r->force = 0;
    return TW_OK;
}

void strike_record_force(StrikeRecorder* r, const double* force, int count)
{
    for (int i = 0; i < count; i++) r->force = fmax(r->force, force[i]);
}

twStatus strike_record_end(StrikeRecorder* r, twTraceWriter** out, twError* err)
{
    twStatus status = r->taken > 0 ? put_frame(r, err) : TW_OK;
    if (status != TW_OK) return status;
    *out = r->writer;
    r->writer = NULL;
    return TW_OK;
}
