// SPDX-License-Identifier: MIT
// dexel_part: balls and boxes of other materials, and held ones, where rays and cells meet them.
#include "fem/dexel_run.h"

double dexel_part_distance(const twCellsPart* part, twVec3 p)
{
    if (part->ball) return fmax(0, tw_vec3_norm(tw_vec3_sub(p, part->centre)) - part->radius);
    const twVec3 d = {fmax(0, fmax(part->low.x - p.x, p.x - part->high.x)),
                      fmax(0, fmax(part->low.y - p.y, p.y - part->high.y)),
                      fmax(0, fmax(part->low.z - p.z, p.z - part->high.z))};
    return tw_vec3_norm(d);
}

twVec3 dexel_to_body(const DexelBody* body, twVec3 grid)
{
    return tw_vec3_add_scaled(body->origin, tw_mat3_mul_vec(body->turn, grid), body->cell);
}

// planes of a box that stand along rays, as faces of the surface do
static void dexel_note_planes(const DexelBody* body, const Cell* cell, const twCellsPart* part, twVec3 middle,
                              double edge, DexelCell* out)
{
    const double facing = 0.98, area = 1;
    const double low[3] = {part->low.x, part->low.y, part->low.z}, high[3] = {part->high.x, part->high.y, part->high.z};
    const twVec3 place = dexel_to_body(body, middle);
    for (int x = 0; x < 3 && !part->ball; x++)
        for (int side = 0; side < 2; side++)
        {
            const double off = (side ? high[x] : low[x]) - dexel_axis_of(place, x);
            for (int a = 0; a < 3 && isfinite(off); a++)
            {
                const double cosine = body->turn.m[x][a];
                const double at = 0.5 + off / (cosine * body->cell * edge);
                if (fabs(cosine) < facing || at <= 0 || at >= 1) continue;
                double x3[3] = {0, 0, 0};
                x3[a] = cell->at[a] + at;
                const twVec3 point = {x3[0], x3[1], x3[2]};
                dexel_note_steep(out, cell->at, &point, 1, a, area);
            }
        }
}

void dexel_touch_parts(const DexelRun* run, const Cell* cell, DexelCell* out)
{
    const DexelBody* body = run->body;
    const double edge = 1 / run->scale;
    const twVec3 middle = {(cell->at[0] + 0.5) * edge, (cell->at[1] + 0.5) * edge, (cell->at[2] + 0.5) * edge};
    const twVec3 place = dexel_to_body(body, middle);
    const double reach = 0.5 * sqrt(3) * edge * body->cell;
    for (int i = 0; i < body->part_count; i++)
    {
        if (dexel_part_distance(&body->parts[i], place) > reach) continue;
        out->crossed = true;
        out->touches_held = out->touches_held || body->parts[i].material < 0;
        dexel_note_planes(body, cell, &body->parts[i], middle, edge, out);
    }
}

// Where the line origin + t direction is in a part: [from, to], empty if from >= to. Normals of the surface at both.
void dexel_line_part(const twCellsPart* part, twVec3 origin, twVec3 direction, double t[2], twVec3 normal[2])
{
    t[0] = -HUGE_VAL, t[1] = HUGE_VAL;
    if (part->ball)
    {
        const twVec3 o = tw_vec3_sub(origin, part->centre);
        const double a = tw_vec3_dot(direction, direction), b = tw_vec3_dot(o, direction);
        const double root = b * b - a * (tw_vec3_dot(o, o) - part->radius * part->radius);
        t[0] = root > 0 ? (-b - sqrt(root)) / a : 0;
        t[1] = root > 0 ? (-b + sqrt(root)) / a : 0;
        for (int i = 0; i < 2; i++) normal[i] = tw_vec3_scale(tw_vec3_add_scaled(o, direction, t[i]), 1 / part->radius);
        return;
    }
    for (int x = 0; x < 3; x++)
    {
        const double o = dexel_axis_of(origin, x), s = dexel_axis_of(direction, x);
        const double low = dexel_axis_of(part->low, x), high = dexel_axis_of(part->high, x);
        if (s == 0 && (o < low || o > high)) t[1] = t[0];
        if (s == 0) continue;
        const double enter = ((s > 0 ? low : high) - o) / s, leave = ((s > 0 ? high : low) - o) / s;
        const twVec3 axis = {x == 0, x == 1, x == 2};
        if (enter > t[0]) t[0] = enter, normal[0] = axis;
        if (leave < t[1]) t[1] = leave, normal[1] = axis;
    }
}
