// SPDX-License-Identifier: MIT
// The sources of a rod. A control point stands for half of each edge next to it, and its dipole is the sum of theirs, each
// with the edge's directors:  D v = sum l/2 (d1 (D11 d1.v + D12 d2.v) + d2 (D12 d1.v + D22 d2.v)).
//
// Lengthwise motion. With t the tangent and S the area, an end moves air as a piston: volume acceleration +-S a.t. An edge
// that is stretched by g = (a_1 - a_0).t per length gets thinner by Poisson's ratio nu, its volume acceleration is
// -2 nu S g. Both are monopoles. Without stretch the two ends make the dipole S L a of the air the rod displaces.
#include "kernel.h"
#include "saved.h"
#include "twang/acoustics.h"
#include <stdlib.h>
#include <string.h>

struct twRadiator
{
    int points, edges;
    bool closed, end_caps;
    const Kernel* kernel;
    double poisson, first_area, last_area;
    double *d11, *d12, *d22;  // times half the length, by edges [m^3]
    double* area;             // by edges [m^2]
    double *half[2], *angle,
        *radius;  // extent across along the principal axes, by edges [m], [rad]; radius 0: not round
    double *dipole[3], *rate[3], *volume;  // by points
    double block[];
};

// ---- creation ----

twRadiatorDef tw_radiator_def(void) { return (twRadiatorDef){.end_caps = true}; }

twRadiatorMotion tw_radiator_motion(const twRodView* rod)
{
    twRadiatorMotion motion;
    for (int k = 0; k < 3; k++)
    {
        motion.position[k] = rod->position[k];
        motion.acceleration[k] = rod->acceleration[k];
        motion.jerk[k] = rod->jerk[k];
        motion.director1[k] = rod->frame_d1[k];
        motion.director2[k] = rod->frame_d2[k];
    }
    return motion;
}

static int count_edges(const twRadiatorDef* def) { return def->closed ? def->point_count : def->point_count - 1; }

static twStatus check_def(const twRadiatorDef* def, twError* err)
{
    int least = def->closed ? 3 : 2;
    if (def->point_count < least || def->point_count > 1 << 24)
        return tw_fail(err, TW_BAD_INPUT, "radiator: %d points, must be %d to %d", def->point_count, least, 1 << 24);
    if (def->section_count != 1 && def->section_count != def->point_count)
        return tw_fail(err, TW_BAD_INPUT, "radiator: %d sections, must be 1 or one per point (%d)", def->section_count,
                       def->point_count);
    for (int i = 0; i < count_edges(def); i++)
        if (!(def->lengths[i] > 0 && def->lengths[i] <= 1e6))
            return tw_fail(err, TW_BAD_INPUT, "radiator: length %g of edge %d must be in (0, 1e6] m", def->lengths[i],
                           i);
    if (!(def->poisson > -1 && def->poisson <= 0.5))
        return tw_fail(err, TW_BAD_INPUT, "radiator: Poisson's ratio %g must be in (-1, 0.5]", def->poisson);
    return TW_OK;
}

static const twSection* section_at(const twRadiatorDef* def, int point)
{
    return &def->sections[def->section_count == 1 ? 0 : point % def->point_count];
}

// D in the axes of the outline
static void outline_dipole(const twSection* s, bool uniform, double out[3])
{
    double c = cos(s->angle), n = sin(s->angle), d11 = s->dipole[0], d22 = s->dipole[1], d12 = s->dipole[2];
    if (uniform) d11 = d22 = 0.5 * (d11 + d22), d12 = 0;
    out[0] = c * c * d11 + n * n * d22 - 2 * c * n * d12;
    out[1] = n * n * d11 + c * c * d22 + 2 * c * n * d12;
    out[2] = c * n * (d11 - d22) + (c * c - n * n) * d12;
}

static void fill_edges(twRadiator* r, const twRadiatorDef* def)
{
    for (int i = 0; i < r->edges; i++)
    {
        // an edge has the mean of its ends' sections
        const twSection *a = section_at(def, i), *b = section_at(def, i + 1);
        double da[3], db[3], quarter = 0.25 * def->lengths[i];
        outline_dipole(a, def->uniform, da);
        outline_dipole(b, def->uniform, db);
        r->d11[i] = quarter * (da[0] + db[0]);
        r->d22[i] = quarter * (da[1] + db[1]);
        r->d12[i] = quarter * (da[2] + db[2]);
        r->area[i] = 0.5 * (a->area + b->area);
        for (int k = 0; k < 2; k++) r->half[k][i] = fmax(a->half_size[k], b->half_size[k]);
        r->angle[i] = a->angle;
        r->radius[i] = a->radius > 0 && b->radius > 0 ? fmax(a->radius, b->radius) : 0;
    }
    r->first_area = section_at(def, 0)->area;
    r->last_area = section_at(def, def->point_count - 1)->area;
}

twStatus tw_radiator_create(twRadiator** out, const twRadiatorDef* def, twError* err)
{
    *out = NULL;
    twStatus status = check_def(def, err);
    if (status != TW_OK) return status;
    size_t edges = (size_t)count_edges(def), points = (size_t)def->point_count;
    twRadiator* r = calloc(1, sizeof *r + (8 * edges + 7 * points) * sizeof(double));
    if (!r) return tw_fail(err, TW_NO_MEMORY, "radiator: no memory for %zu points", points);
    *r = (twRadiator){.points = def->point_count,
                      .edges = count_edges(def),
                      .closed = def->closed,
                      .end_caps = def->end_caps && !def->closed,
                      .kernel = acoustics_kernel(NULL),
                      .poisson = def->poisson};
    double* next = r->block;
    double** by_edges[] = {&r->d11, &r->d12, &r->d22, &r->area, &r->half[0], &r->half[1], &r->angle, &r->radius};
    for (int i = 0; i < 8; i++, next += edges) *by_edges[i] = next;
    double** by_points[] = {&r->dipole[0], &r->dipole[1], &r->dipole[2], &r->rate[0],
                            &r->rate[1],   &r->rate[2],   &r->volume};
    for (int i = 0; i < 7; i++, next += points) *by_points[i] = next;
    fill_edges(r, def);
    *out = r;
    return TW_OK;
}

void tw_radiator_destroy(twRadiator* radiator) { free(radiator); }

// ---- a step ----

// dipoles of a vector field (acceleration, jerk) of the points: each edge acts on the point before it, then after it
static void turn_field(const twRadiator* r, const twRadiatorMotion* m, const double* const v[3], double* const out[3])
{
    Turn turn = {.d11 = r->d11, .d12 = r->d12, .d22 = r->d22, .count = r->edges};
    for (int k = 0; k < 3; k++)
    {
        turn.d1[k] = m->director1[k];
        turn.d2[k] = m->director2[k];
        turn.v[k] = v[k];
        turn.out[k] = out[k];
        out[k][r->points - 1] = 0;
    }
    r->kernel->turn(&turn, false);

    // the points after; the last edge of a closed rod ends at the first point
    int inner = r->closed ? r->edges - 1 : r->edges;
    turn.count = inner;
    for (int k = 0; k < 3; k++) turn.v[k]++, turn.out[k]++;
    r->kernel->turn(&turn, true);
    if (!r->closed) return;
    turn.d11 += inner, turn.d12 += inner, turn.d22 += inner;
    turn.count = 1;
    for (int k = 0; k < 3; k++)
    {
        turn.d1[k] += inner, turn.d2[k] += inner;
        turn.v[k] = v[k];
        turn.out[k] = out[k];
    }
    r->kernel->turn(&turn, true);
}

// a . t of point i along edge e
static double along(const twRadiatorMotion* m, int i, int e)
{
    twVec3 d1 = tw_vec3(m->director1[0][e], m->director1[1][e], m->director1[2][e]);
    twVec3 d2 = tw_vec3(m->director2[0][e], m->director2[1][e], m->director2[2][e]);
    twVec3 a = tw_vec3(m->acceleration[0][i], m->acceleration[1][i], m->acceleration[2][i]);
    return tw_vec3_dot(tw_vec3_cross(d1, d2), a);
}

static void fill_volume(const twRadiator* r, const twRadiatorMotion* m)
{
    memset(r->volume, 0, (size_t)r->points * sizeof *r->volume);
    for (int e = 0; r->poisson != 0 && e < r->edges; e++)
    {
        int next = e + 1 < r->points ? e + 1 : 0;
        double swell = -r->poisson * r->area[e] * (along(m, next, e) - along(m, e, e));
        r->volume[e] += swell;
        r->volume[next] += swell;
    }
    if (!r->end_caps) return;
    r->volume[0] -= r->first_area * along(m, 0, 0);
    r->volume[r->points - 1] += r->last_area * along(m, r->points - 1, r->edges - 1);
}

twSources tw_radiator_update(twRadiator* r, const twRadiatorMotion* motion)
{
    turn_field(r, motion, motion->acceleration, r->dipole);
    turn_field(r, motion, motion->jerk, r->rate);
    bool swells = r->end_caps || r->poisson != 0;
    if (swells) fill_volume(r, motion);
    twSources sources = {.count = r->points, .volume = swells ? r->volume : NULL};
    for (int k = 0; k < 3; k++)
    {
        sources.position[k] = motion->position[k];
        sources.dipole[k] = r->dipole[k];
        sources.dipole_rate[k] = r->rate[k];
    }
    return sources;
}

// ---- inside or outside ----

static twVec3 at(const double* const field[3], int i) { return tw_vec3(field[0][i], field[1][i], field[2][i]); }

// whether a place lies in the box, or the cylinder, about an edge. Where the rod goes on, what is beyond the end of the edge but
// not farther than the section reaches counts too; else bends would have gaps.
static bool is_in_edge(const twRadiator* r, const twRadiatorMotion* m, int e, twVec3 place)
{
    int next = e + 1 < r->points ? e + 1 : 0;
    twVec3 a = at(m->position, e), edge = tw_vec3_sub(at(m->position, next), a), to = tw_vec3_sub(place, a);
    double square = tw_vec3_dot(edge, edge), t = square > 0 ? tw_vec3_dot(to, edge) / square : 0;
    if (!r->closed && ((e == 0 && t < 0) || (e == r->edges - 1 && t > 1))) return false;
    twVec3 off = tw_vec3_add_scaled(to, edge, -fmin(fmax(t, 0), 1));
    double x = tw_vec3_dot(off, at(m->director1, e)), y = tw_vec3_dot(off, at(m->director2, e));
    double c = cos(r->angle[e]), s = sin(r->angle[e]), distance = tw_vec3_norm(off);
    if (r->radius[e] > 0) return distance <= r->radius[e];
    return distance <= hypot(r->half[0][e], r->half[1][e]) && fabs(c * x + s * y) <= r->half[0][e] &&
           fabs(c * y - s * x) <= r->half[1][e];
}

twStatus tw_radiator_check_place(const twRadiator* r, const twRadiatorMotion* motion, twVec3 place, twError* err)
{
    for (int e = 0; e < r->edges; e++)
        if (is_in_edge(r, motion, e, place))
            return tw_fail(
                err, TW_BAD_INPUT,
                "the listener at (%g, %g, %g) is inside the rod, whose section at edge %d is %g by %g m; move it away",
                place.x, place.y, place.z, e, 2 * r->half[0][e], 2 * r->half[1][e]);
    return TW_OK;
}

// ---- saving ----

#define MAGIC "TWRADTR1"

// the sources of the last motion: dipoles, their rates, volumes, in one piece
static size_t source_bytes(const twRadiator* r) { return 7 * (size_t)r->points * sizeof(double); }

static twHash identity(const twRadiator* r)
{
    const double scalars[] = {r->points, r->edges, r->closed, r->end_caps, r->poisson, r->first_area, r->last_area};
    return tw_hash(r->block, 8 * (size_t)r->edges * sizeof(double), tw_hash(scalars, sizeof scalars, (twHash){0, 0}));
}

size_t tw_radiator_state_bytes(const twRadiator* radiator) { return saved_bytes(source_bytes(radiator)); }

void tw_radiator_save(const twRadiator* r, void* bytes)
{
    char* at = saved_begin(bytes, MAGIC, identity(r), source_bytes(r));
    saved_put(&at, r->dipole[0], source_bytes(r));
    saved_end(bytes, source_bytes(r));
}

bool tw_radiator_load(twRadiator* r, const void* bytes, size_t count)
{
    const char* at = saved_content(bytes, count, MAGIC, identity(r), source_bytes(r));
    if (at) saved_take(&at, r->dipole[0], source_bytes(r));
    return at != NULL;
}
