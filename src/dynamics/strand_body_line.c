// SPDX-License-Identifier: MIT
// Lines of a rod against a surface. At a point the nearest point f of the surface and the normal n there are looked up: for a
// round rod from its centre line c, gap n . (c - f) - r; else from a point below each corner k of the section, on the side of k
// that faces the surface; it stays outside as long as the overlap is less than it is deep, gap n . (k - f). So neither thin walls nor sharp edges make normals jump.
//
// Along a line, with the slope m = n . t of the distance, that is least in between where m rises through 0: at an edge or a
// corner of the body, since on a flat face m is constant. A line that lies on a face and reaches beyond its end is no nearer
// there, or there by rounding only; yet that is where it bears. So a rise from a to b counts anywhere around 0, and the
// point is where m is 0 or, if that is not inside, close to the nearer end: a + c (b - a) or b - c (b - a).
//
// Everything that comes or goes does so by its gap, lest forces jump:
//   - a rise below half of RISE, the next end just passes the edge;
//   - a point that is not least, where the edge before or behind rises as well and so has that same touch;
//   - a point of the line on top of an edge, where both neighbours rise: these have the touch.
#include "dynamics/strand_body_parts.h"

// c; a rise counts from LEAST_RISE on, in full from half of RISE; slopes in full up to SHALLOW, not from STEEP on; what gaps grow by
// meanwhile, in parts of the section's size; how deep below a corner it is looked up, of the lesser half size
static const double INTO = 1e-3, RISE = 0.2, LEAST_RISE = 0.01, SHALLOW = 0.02, STEEP = 0.2, FADE = 0.02, BELOW = 0.5;

static double limit(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// the first ones stay, for a closed rod comes back to them
static int slot_of(int i) { return i < STRAND_RING ? STRAND_RING + i : i % STRAND_RING; }

static int chunk_of(const StrandBody* pair, int node)
{
    int chunk = node / (pair->split * STRAND_CHUNK);
    return chunk < pair->chunk_count ? chunk : pair->chunk_count - 1;
}

// ---- a point of a line ----

// a point below the corner, as deep as size, the way that the surface with this normal faces it; without one in between
static void aim(StrandSample* s, const twVec3* normal)
{
    const double least = 0.02;
    double part[2] = {1, 1};
    for (int d = 0; d < 2 && normal; d++)
    {
        double facing = -tw_vec3_dot(*normal, s->out[d]);
        part[d] = least + (facing > 0 ? facing : 0);
    }
    double scale = s->size / sqrt(part[0] * part[0] + part[1] * part[1]);
    twVec3 tip = tw_vec3_add(s->at, s->corner);
    s->corner = tw_vec3_scale(tw_vec3_add_scaled(tw_vec3_scale(s->out[0], part[0]), s->out[1], part[1]), scale);
    s->at = tw_vec3_sub(tip, s->corner);
}

// the section at a point: the mean of the edges that meet there
static const StrandFrame* frame_at(const StrandView* view, int point)
{
    const StrandShape* rod = view->pair->rod;
    StrandFrame* frame = &view->work->frames[slot_of(point)];
    if (frame->point == point) return frame;
    int edge[2];
    strand_body_edges(rod, point, edge);
    *frame = (StrandFrame){.point = point};
    double part = edge[0] >= 0 && edge[1] >= 0 ? 0.5 : 1;
    for (int k = 0; k < 2; k++)
    {
        if (edge[k] < 0) continue;
        twVec3 axis[2];
        strand_body_axes(view, edge[k], axis);
        double half[2] = {strand_body_half(rod, 0, edge[k]), strand_body_half(rod, 1, edge[k])};
        frame->size += part * BELOW * (half[0] < half[1] ? half[0] : half[1]);
        for (int d = 0; d < 2; d++)
        {
            frame->axis[d] = tw_vec3_add_scaled(frame->axis[d], axis[d], part);
            frame->half[d] = tw_vec3_add_scaled(frame->half[d], axis[d], part * half[d]);
        }
    }
    return frame;
}

static double radius_at(const StrandShape* rod, int point)
{
    int edge[2];
    strand_body_edges(rod, point, edge);
    if (edge[0] < 0 || edge[1] < 0) return rod->radius[edge[0] < 0 ? edge[1] : edge[0]];
    return 0.5 * rod->radius[edge[0]] + 0.5 * rod->radius[edge[1]];
}

// where a point of a line is
static void place_sample(const StrandView* view, int line, int point, StrandSample* s)
{
    static const double sign[STRAND_FIBRES][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    const twVec3 none = {0, 0, 0};
    s->centre = s->at = strand_body_at(view->rod->x, point);
    s->corner = s->out[0] = s->out[1] = none;
    s->face = -1;
    s->looked = false;
    s->radius = 0;
    if (view->pair->line_count == 1)
    {
        s->radius = s->size = radius_at(view->pair->rod, point);
        return;
    }
    const StrandFrame* frame = frame_at(view, point);
    s->size = frame->size;
    for (int d = 0; d < 2; d++)
    {
        s->corner = tw_vec3_add_scaled(s->corner, frame->half[d], sign[line][d]);
        s->out[d] = tw_vec3_scale(frame->axis[d], sign[line][d]);
    }
}

static twVec3 bend_at(const StrandView* view, const twFieldFoot* foot)
{
    twVec3 bend = {0, 0, 0};
    const int* v = view->body->shape->faces[foot->face].v;
    for (int i = 0; i < 3; i++) bend = tw_vec3_add_scaled(bend, tw_place_bend(view->body, v[i]), foot->weight[i]);
    return bend;
}

// the nearest point of the surface, with the body's bending there taken away, as for points of bodies (pair.c)
static void look_up(const StrandView* view, int chunk, StrandSample* s)
{
    const ContactShape* shape = view->body->shape;
    twVec3 y = tw_mat3_mul_vec(view->to_body, tw_vec3_sub(s->at, view->body->position));
    y = tw_vec3_add(y, shape->centre);
    twFieldFoot foot = strand_body_foot(view, chunk, y), bent = foot;
    if (foot.face >= 0 && view->body->mode_count > 0)
        bent = strand_body_foot(view, chunk, tw_vec3_sub(y, bend_at(view, &foot)));
    s->face = foot.face;
    s->distance = bent.distance;
    s->normal = tw_mat3_mul_vec(view->to_world, bent.normal);
    for (int i = 0; i < 3; i++) s->weight[i] = foot.weight[i];
    s->gap = s->distance + tw_vec3_dot(s->normal, s->corner) - s->radius;
}

static void between(StrandSample* out, const StrandSample* a, const StrandSample* b, double s)
{
    *out = (StrandSample){.radius = a->radius + s * (b->radius - a->radius), .size = a->size + s * (b->size - a->size)};
    out->centre = tw_vec3_add_scaled(a->centre, tw_vec3_sub(b->centre, a->centre), s);
    out->at = tw_vec3_add_scaled(a->at, tw_vec3_sub(b->at, a->at), s);
    out->corner = tw_vec3_add_scaled(a->corner, tw_vec3_sub(b->corner, a->corner), s);
    for (int d = 0; d < 2; d++) out->out[d] = tw_vec3_add_scaled(a->out[d], tw_vec3_sub(b->out[d], a->out[d]), s);
}

// where a node is and how near at least
static StrandSample* placed_at(const StrandView* view, int line, int node)
{
    int split = view->pair->split, edge = node / split, part = node % split;
    StrandSample* s = &view->work->samples[line][slot_of(node)];
    if (s->node == node) return s;
    place_sample(view, line, edge, s);
    if (part > 0)
    {
        StrandSample a = *s, b;
        place_sample(view, line, strand_body_next(view->pair->rod, edge), &b);
        between(s, &a, &b, (double)part / split);
    }
    s->node = node;
    s->near = strand_body_bound(view, chunk_of(view->pair, node), tw_vec3_add(s->at, s->corner), &s->flat) - s->radius;
    return s;
}

static int next_node(const StrandBody* pair, int node)
{
    int edges = pair->split * pair->rod->edge_count;
    return pair->rod->closed && node + 1 == edges ? 0 : node + 1;
}

static const StrandSample* sample_at(const StrandView* view, int line, int node)
{
    StrandSample* s = placed_at(view, line, node);
    if (s->looked) return s;
    int chunk = chunk_of(view->pair, node);
    if (view->pair->line_count > 1)
    {
        aim(s, NULL);
        look_up(view, chunk, s);
        aim(s, &s->normal);
    }
    look_up(view, chunk, s);
    s->looked = true;
    return s;
}

// ---- slopes ----

static double slope_of(const StrandRise* r, twVec3 normal) { return tw_vec3_dot(normal, r->along) - r->taper; }

static void set_rise(StrandRise* r, const StrandSample* a, const StrandSample* b)
{
    twVec3 way = tw_vec3_sub(tw_vec3_add(b->at, b->corner), tw_vec3_add(a->at, a->corner));
    r->end[0] = a;
    r->end[1] = b;
    r->length = tw_vec3_norm(way);
    r->known = r->length > 0 && a->face >= 0 && b->face >= 0;
    if (!r->known) return;
    r->along = tw_vec3_scale(way, 1 / r->length);
    r->taper = (b->radius - a->radius) / r->length;
    for (int k = 0; k < 2; k++) r->slope[k] = slope_of(r, r->end[k]->normal);
    r->rise = r->slope[1] - r->slope[0];
}

// of a link, if there is one. @return NULL if nothing is known of it
static const StrandRise* rise_at(const StrandView* view, int line, int link)
{
    const StrandBody* pair = view->pair;
    int links = pair->split * pair->rod->edge_count;
    if (pair->rod->closed) link = link < 0 ? links - 1 : link == links ? 0 : link;
    if (link < 0 || link >= links) return NULL;
    StrandRise* r = &view->work->rises[line][slot_of(link)];
    const StrandSample *a = sample_at(view, line, link), *b = sample_at(view, line, next_node(pair, link));
    if (r->link == link) return r->known ? r : NULL;
    r->link = link;
    set_rise(r, a, b);
    return r->known ? r : NULL;
}

// ---- touches ----

static void give(const StrandView* view, const StrandSample* s, int link, int line, StrandKind kind, double share,
                 double fade)
{
    int split = view->pair->split, edge = link / split;
    StrandTouch* touch = strand_body_add(view, edge, link % split, line, kind);
    if (!touch) return;
    touch->share[0] = (link % split + share) / split;
    touch->normal = s->normal;
    touch->gap = s->gap + fade;
    // half way between both surfaces
    twVec3 skin = tw_vec3_add_scaled(tw_vec3_add(s->at, s->corner), s->normal, -s->radius);
    touch->point = tw_vec3_add_scaled(skin, s->normal, -0.5 * s->gap);
    touch->arm[0] = tw_vec3_sub(touch->point, s->centre);
    for (int i = 0; i < 3; i++)
    {
        touch->corner[i] = view->body->shape->faces[s->face].v[i];
        touch->weight[i] = s->weight[i];
    }
    strand_tangents(touch, strand_body_at(view->rod->t, edge));
}

static void blend(const StrandView* view, const StrandRise* r, double s, StrandSample* out)
{
    between(out, r->end[0], r->end[1], s);
    look_up(view, chunk_of(view->pair, r->link), out);
}

// Whether two links that rise do so for the same edge of the body, on which their node is: then slopes change right at it. Else it is on a
// face between two edges. 1 to 0
static double is_on_edge(const StrandView* view, const StrandRise* before, const StrandRise* behind)
{
    const double near = 0.05;
    if (!before || !behind || !(before->rise > 0 && behind->rise > 0)) return 0;
    double way = near * behind->end[0]->size;
    StrandSample s;
    blend(view, before, 1 - limit(way / before->length, 0, 1), &s);
    double change = before->slope[1] - slope_of(before, s.normal);
    blend(view, behind, limit(way / behind->length, 0, 1), &s);
    change += slope_of(behind, s.normal) - behind->slope[0];
    return limit(2 * change / near, 0, 1);
}

// a point on top of an edge of the body: both sides rise, and it is no corner of the rod that comes first
static double point_fade(const StrandView* view, int line, int node)
{
    const StrandRise *before = rise_at(view, line, node - 1), *behind = rise_at(view, line, node);
    if (!before || !behind) return 0;
    double corner = behind->slope[0] - before->slope[1],
           least = before->rise < behind->rise ? before->rise : behind->rise;
    least -= corner > 0 ? corner : 0;
    if (!(least > 0)) return 0;
    least *= is_on_edge(view, before, behind);
    return behind->end[0]->size * least * least;
}

static void touch_point(const StrandView* view, int line, int node, StrandKind kind)
{
    if (!(placed_at(view, line, node)->near < view->reach)) return;
    const StrandSample* s = sample_at(view, line, node);
    if (s->face < 0 || !(s->gap < view->reach)) return;
    double fade = point_fade(view, line, node);
    bool last = kind == STRAND_LAST;
    if (s->gap + fade < view->reach) give(view, s, last ? node - 1 : node, line, kind, last, fade);
}

static double tangent_of(double slope)
{
    const double steepest = 0.999999;
    slope = limit(slope, -steepest, steepest);
    return slope / sqrt(1 - slope * slope);
}

// how far along the line to where the slope has this tangent, if the nearest point of the surface stayed
static double way_to(const StrandSample* s, double slope, double tangent)
{
    double t = tangent_of(slope);
    return fabs(s->distance) * (tangent - t) / sqrt(1 + t * t);
}

// Share at which the slope is a given one, between those of the ends. Its tangent is linear along a line that passes an edge
// or a corner, and constant on a face: by secants, at first by where the nearest point is, by halves out of a face.
static double find_slope(const StrandView* view, const StrandRise* r, double slope, StrandSample* out)
{
    const double enough = 1e-11, level = 1e-6;
    double low = 0, high = 1, goal = tangent_of(slope), before = 0, before_off = 0;
    int first = fabs(r->slope[1]) > fabs(r->slope[0]) ? 1 : 0;
    double share = first, now = r->slope[first], off = tangent_of(now) - goal;
    bool flat = false;
    *out = *r->end[first];
    for (int i = 0; i < 60; i++)
    {
        double step = way_to(out, now, goal) / r->length;
        if (i > 0) step = -off * (share - before) / (off - before_off);
        if (!flat)
        {
            before = share;
            before_off = off;
        }
        share += step;
        if (flat || !(share > low && share < high) || i % 8 == 7) share = 0.5 * (low + high);
        blend(view, r, share, out);
        now = slope_of(r, out->normal);
        off = tangent_of(now) - goal;
        if (off > 0)
            high = share;
        else
            low = share;
        if (!(fabs(off) > enough) || !(high - low > enough)) break;
        flat = fabs(now - r->slope[1 - first]) < level;
    }
    return share;
}

// grows from 0 at 0 without bounds at 1: how much a gap does, in parts of FADE of the section's size
static double away(double x) { return x < 1 ? x > 0 ? x * x / (1 - x) : 0 : HUGE_VAL; }

// Slope of an edge at one of its ends, to tell which of two edges a touch is on: the mean of both, if both rise by much more than the rod
// turns there. It is theirs in turn then, never of both or none.
static double shared_slope(const StrandRise* r, int end, const StrandRise* beside)
{
    if (!beside) return r->slope[end];
    double turn = beside->slope[1 - end] - r->slope[end], least = r->rise < beside->rise ? r->rise : beside->rise;
    if (!(least > RISE / 2)) return r->slope[end];
    double share = limit(2 - 8 * fabs(turn) / least, 0, 1) * limit(2 * least / RISE - 1, 0, 1);
    return r->slope[end] + 0.5 * share * turn;
}

// whether both ends of a link are over the same plane: the slope is the same all along
static bool is_level(const StrandSample* a, const StrandSample* b)
{
    return a->flat && b->flat && a->looked && b->looked && a->normal.x == b->normal.x && a->normal.y == b->normal.y &&
           a->normal.z == b->normal.z;
}

static void touch_inside(const StrandView* view, int line, int link)
{
    const StrandSample *a = sample_at(view, line, link), *b = sample_at(view, line, next_node(view->pair, link));
    if (is_level(a, b)) return;
    const StrandRise* r = rise_at(view, line, link);
    if (!r || !(r->rise > LEAST_RISE) || r->slope[0] >= STEEP || r->slope[1] <= -STEEP) return;
    const StrandRise *last = rise_at(view, line, link - 1), *next = rise_at(view, line, link + 1);
    double before = last ? r->slope[0] - last->slope[0] : 0, behind = next ? next->slope[1] - r->slope[1] : 0;
    before = before < r->rise ? before : r->rise;
    behind = behind < r->rise ? behind : r->rise;
    if (before > LEAST_RISE) before *= is_on_edge(view, last, r);
    if (behind > LEAST_RISE) behind *= is_on_edge(view, r, next);
    double low = shared_slope(r, 0, last) + INTO * r->rise * limit(1 - before / RISE, 0, 1);
    double high = shared_slope(r, 1, next) - INTO * r->rise * limit(1 - behind / RISE, 0, 1);
    if ((before >= RISE && low >= 0) || (behind >= RISE && high < 0)) return;

    // not least by how far; then by how much the edge beside it rises the touch is there
    double slope = limit(0, low, high), beyond = fabs(slope), others = slope > 0 ? before : slope < 0 ? behind : 0;
    double fade = away((RISE / 2 - r->rise) / (RISE / 2 - LEAST_RISE)) + away((beyond - SHALLOW) / (STEEP - SHALLOW));
    if (beyond > 0) fade += limit(beyond / SHALLOW, 0, 1) * away(2 * others / RISE - 1);
    if (!(fade < HUGE_VAL)) return;
    StrandSample s;
    double share = find_slope(view, r, limit(slope, r->slope[0], r->slope[1]), &s);
    if (s.face < 0) return;
    fade *= FADE * s.size;
    if (s.gap + fade < view->reach) give(view, &s, link, line, STRAND_INSIDE, share, fade);
}

// whether a point of a link may be within reach
static bool is_near(const StrandView* view, int line, int link)
{
    const StrandSample *a = placed_at(view, line, link), *b = placed_at(view, line, next_node(view->pair, link));
    double radius = a->radius > b->radius ? a->radius : b->radius, near[2] = {a->near + a->radius, b->near + b->radius};
    twVec3 p = tw_vec3_add(a->at, a->corner), q = tw_vec3_add(b->at, b->corner);
    return strand_body_edge_bound(view, chunk_of(view->pair, link), p, q, near, a->flat && b->flat,
                                  view->reach + radius, STRAND_HALVINGS) -
               radius <
           view->reach;
}

void strand_body_lines(const StrandView* view, int edge)
{
    const StrandShape* rod = view->pair->rod;
    int split = view->pair->split, end = split * (edge + 1);
    for (int line = 0; line < view->pair->line_count; line++)
    {
        touch_point(view, line, split * edge, STRAND_POINT);
        for (int link = split * edge; link < end; link++)
            if (is_near(view, line, link)) touch_inside(view, line, link);
        if (!rod->closed && edge == rod->edge_count - 1) touch_point(view, line, end, STRAND_LAST);
    }
}
