// SPDX-License-Identifier: MIT
// What can be recorded, asked by the writer and by the reader of traces.

#include "trace_file.h"
#include <math.h>

#define UNIT_TOLERANCE 1e-3    // of the lengths of turns and normals
#define CORNER_MAX (2 + 1e-6)  // the centroid is inside the extent, which is 2 half sizes

// texts are shown on terminals: no control characters
bool trace_good_text(const char* text, size_t max_bytes)
{
    for (size_t i = 0; i < max_bytes; i++)
    {
        if (text[i] == 0) return true;
        if ((unsigned char)text[i] < ' ' || text[i] == 127) return false;
    }
    return false;
}

bool trace_good_turn(double w, double x, double y, double z)
{
    return fabs(sqrt(w * w + x * x + y * y + z * z) - 1) <= UNIT_TOLERANCE;
}

static bool finite(twVec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

bool trace_good_chunk(const TraceChunk* head, const char* items, uint64_t padded, twHash* hash)
{
    const uint64_t bytes = head->count * head->item_bytes;
    for (uint64_t i = bytes; i < padded; i++)
        if (items[i] != 0) return false;
    *hash = trace_chain(head, items, (size_t)bytes, *hash);
    return trace_same_hash(*hash, head->hash);
}

twStatus trace_check_rate(double frame_rate_hz, twError* err)
{
    if (!(frame_rate_hz > 0 && isfinite(frame_rate_hz)))
        return tw_fail(err, TW_BAD_INPUT, "%g frames per second; it must be above 0", frame_rate_hz);
    return TW_OK;
}

twStatus trace_check_sample_rate(double sample_rate_hz, int track_count, twError* err)
{
    if (!(sample_rate_hz >= 0 && isfinite(sample_rate_hz)) || (sample_rate_hz > 0) != (track_count > 0))
        return tw_fail(err, TW_BAD_INPUT, "%g samples per second of %d tracks; it must be above 0, or 0 without tracks",
                       sample_rate_hz, track_count);
    return TW_OK;
}

twStatus trace_check_camera(const twTraceCamera* camera, twError* err)
{
    double distance = tw_vec3_norm(tw_vec3_sub(camera->eye, camera->target));
    if (!finite(camera->eye) || !finite(camera->target) || !(distance > 0 && isfinite(distance)))
        return tw_fail(err, TW_BAD_INPUT, "camera: its eye and its target must be finite and apart");
    if (!(camera->view_angle > 0 && camera->view_angle < TW_PI))
        return tw_fail(err, TW_BAD_INPUT, "camera: an angle of view of %g; it must be above 0 and below pi",
                       camera->view_angle);
    return TW_OK;
}

twStatus trace_check_ground(twVec3 point, twVec3 normal, twError* err)
{
    if (!finite(point)) return tw_fail(err, TW_BAD_INPUT, "ground: its point is not finite");
    if (!(fabs(tw_vec3_norm(normal) - 1) <= UNIT_TOLERANCE))
        return tw_fail(err, TW_BAD_INPUT, "ground: a normal of length %g; it must be 1", tw_vec3_norm(normal));
    return TW_OK;
}

twStatus trace_check_shape(const twTraceRod* rod, int index, twError* err)
{
    int least = rod->closed ? 3 : 2;
    if (rod->point_count < least || rod->point_count > TW_MAX_ROD_POINTS)
        return tw_fail(err, TW_BAD_INPUT, "rod %d: %d points; it must be %d to %d", index, rod->point_count, least,
                       TW_MAX_ROD_POINTS);
    if (rod->corner_count != 0 && (rod->corner_count < 3 || rod->corner_count > TRACE_MAX_CORNERS))
        return tw_fail(err, TW_BAD_INPUT, "rod %d: %d corners; it must be 0 or 3 to %d", index, rod->corner_count,
                       TRACE_MAX_CORNERS);
    return TW_OK;
}

twStatus trace_check_sections(const twTraceRod* rod, int index, twError* err)
{
    if (rod->section_count != 1 && rod->section_count != rod->point_count)
        return tw_fail(err, TW_BAD_INPUT, "rod %d: %d sections; it must be 1, or one for each of its %d points", index,
                       rod->section_count, rod->point_count);
    for (int i = 0; i < rod->section_count; i++)
    {
        const twTraceSection* s = &rod->sections[i];
        bool good = s->half_size[0] > 0 && s->half_size[1] > 0 && s->radius >= 0 &&
                    isfinite(s->half_size[0] + s->half_size[1] + s->radius + s->angle);
        if (!good)
            return tw_fail(err, TW_BAD_INPUT,
                           "rod %d: section %d has half sizes %g and %g m, radius %g m, angle %g; half sizes must be "
                           "above 0, the radius at least 0",
                           index, i, s->half_size[0], s->half_size[1], s->radius, s->angle);
    }
    return TW_OK;
}

// in range, and the area to the left of the outline is positive
twStatus trace_check_corners(const twTraceRod* rod, int index, twError* err)
{
    double twice_area = 0;
    for (int i = 0; i < rod->corner_count; i++)
    {
        const double *a = rod->corners + 2 * (ptrdiff_t)i,
                     *b = rod->corners + 2 * (ptrdiff_t)((i + 1) % rod->corner_count);
        if (!(fabs(a[0]) <= CORNER_MAX && fabs(a[1]) <= CORNER_MAX))
            return tw_fail(err, TW_BAD_INPUT, "rod %d: corner %d at %g, %g half sizes; these must be within 2", index,
                           i, a[0], a[1]);
        twice_area += a[0] * b[1] - b[0] * a[1];
    }
    if (rod->corner_count > 0 && !(twice_area > 0))
        return tw_fail(err, TW_BAD_INPUT, "rod %d: its corners must go round counter-clockwise", index);
    return TW_OK;
}

// one side: its body, its vertices and their weights
static twStatus check_side(const twTraceTouch* touch, int side, const twTraceBody* bodies, int body_count, twError* err)
{
    const int body = touch->body[side];
    if (body < TW_NOWHERE || body >= body_count)
        return tw_fail(err, TW_BAD_INPUT, "it is at body %d of %d", body, body_count);
    const int vertex_count = body >= 0 ? bodies[body].set->vertex_count : 0;
    for (int k = 0; k < 3; k++)
    {
        const int vertex = touch->vertex[side][k];
        if (vertex < -1 || vertex >= vertex_count)
            return tw_fail(err, TW_BAD_INPUT, "it is at vertex %d of %d of body %d", vertex, vertex_count, body);
        if (!isfinite(touch->weight[side][k])) return tw_fail(err, TW_BAD_INPUT, "a weight of it is not finite");
    }
    return TW_OK;
}

twStatus trace_check_touch(const twTraceTouch* touch, const twTraceBody* bodies, int body_count, twError* err)
{
    const float *p = touch->point, *n = touch->normal;
    twStatus status = check_side(touch, 0, bodies, body_count, err);
    if (status == TW_OK) status = check_side(touch, 1, bodies, body_count, err);
    if (status != TW_OK) return status;
    if (touch->body[0] == touch->body[1] && touch->body[0] != TW_NOWHERE)  // a rod on the ground has neither
        return tw_fail(err, TW_BAD_INPUT, "body %d touches itself", (int)touch->body[0]);
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
        return tw_fail(err, TW_BAD_INPUT, "its point is not finite");
    const double length = tw_vec3_norm(tw_vec3(n[0], n[1], n[2]));
    if (!(fabs(length - 1) <= UNIT_TOLERANCE))
        return tw_fail(err, TW_BAD_INPUT, "its normal is of length %g; it must be 1", length);
    return TW_OK;
}
