// SPDX-License-Identifier: MIT
// Outlines. Area and moments are integrals along the outline (Green):
//
//   S = 1/2 int x dy - y dx,   int x dS = 1/2 int x^2 dy,   int x^2 dS = 1/3 int x^3 dy,   int x y dS = 1/2 int x^2 y dy
//
// The principal axes are turned by 1/2 atan2(2 Ixy, Ixx - Iyy) from x, or by a quarter turn less or more.
#include "outline.h"
#include "gauss.h"
#include "twang/math.h"

// ---- polygons ----

static double cross(Point a, Point b) { return creal(a) * cimag(b) - cimag(a) * creal(b); }
static double dot(Point a, Point b) { return creal(a) * creal(b) + cimag(a) * cimag(b); }

static twStatus read_points(Point* out, double* size, const double* points, int count, twError* err)
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
        {
            double x = points[2 * i + k];
            if (!(fabs(x) <= 1e6))
                return tw_fail(err, TW_BAD_INPUT, "section: %c of point %d is %g, must be within 1e6 m", 'x' + k, i, x);
            low[k] = fmin(low[k], x);
            high[k] = fmax(high[k], x);
        }
    *size = fmax(high[0] - low[0], high[1] - low[1]);
    for (int i = 0; i < count; i++)
        out[i] = point(points[2 * i] - 0.5 * (low[0] + high[0]), points[2 * i + 1] - 0.5 * (low[1] + high[1]));
    return TW_OK;
}

// Whether b adds nothing between a and c: it repeats a, or lies on the line from a to c.
static bool is_needless(Point a, Point b, Point c, double size)
{
    const double same = 1e-9 * size;
    if (cabs(b - a) <= same) return true;
    return fabs(cross(b - a, c - b)) <= same * cabs(c - a) && dot(b - a, c - b) > 0;
}

// leave needless points out, again and again: a point may become needless when its neighbour goes
static int thin_out(Point* p, int* number, int count, double size)
{
    for (bool changed = true; changed && count > 2;)
    {
        changed = false;
        for (int i = 0; i < count && count > 2; i++)
        {
            if (!is_needless(p[(i + count - 1) % count], p[i], p[(i + 1) % count], size)) continue;
            for (int k = i; k + 1 < count; k++)
            {
                p[k] = p[k + 1];
                number[k] = number[k + 1];
            }
            count--, i--;
            changed = true;
        }
    }
    return count;
}

static double distance_to_segment(Point p, Point a, Point b)
{
    double along = dot(p - a, b - a) / dot(b - a, b - a);
    return cabs(p - a - (b - a) * fmin(fmax(along, 0), 1));
}

// whether segments ab and cd have a point in common, or nearly so
static bool segments_meet(Point a, Point b, Point c, Point d, double near)
{
    bool splits = (cross(b - a, c - a) > 0) != (cross(b - a, d - a) > 0);
    bool is_split = (cross(d - c, a - c) > 0) != (cross(d - c, b - c) > 0);
    return (splits && is_split) || distance_to_segment(a, c, d) <= near || distance_to_segment(b, c, d) <= near ||
           distance_to_segment(c, a, b) <= near || distance_to_segment(d, a, b) <= near;
}

// neighbours share a point; they overlap if the outline turns straight back there
static bool edges_meet(const Point* p, int count, int i, int j, double near)
{
    Point a = p[i], b = p[(i + 1) % count], c = p[j], d = p[(j + 1) % count];
    if ((i + 1) % count == j) return dot(b - a, d - c) < 0 && distance_to_segment(d, a, b) <= near;
    if ((j + 1) % count == i) return dot(b - a, d - c) < 0 && distance_to_segment(c, a, b) <= near;
    return segments_meet(a, b, c, d, near);
}

static twStatus check_crossings(const Point* p, const int* number, int count, double size, twError* err)
{
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (edges_meet(p, count, i, j, 1e-10 * size))
                return tw_fail(err, TW_BAD_INPUT,
                               "section: the edge from point %d to %d meets the edge from point %d to %d; "
                               "an outline must not cross or touch itself",
                               number[i], number[(i + 1) % count], number[j], number[(j + 1) % count]);
    return TW_OK;
}

static double signed_area(const Point* p, int count)
{
    double twice = 0;
    for (int i = 0; i < count; i++) twice += cross(p[i], p[(i + 1) % count]);
    return 0.5 * twice;
}

twStatus outline_polygon(Outline* out, const double* points, int count, twError* err)
{
    if (count < 3 || count > TW_MAX_SECTION_POINTS)
        return tw_fail(err, TW_BAD_INPUT, "section: %d points, a polygon needs 3 to %d", count, TW_MAX_SECTION_POINTS);
    Point p[TW_MAX_SECTION_POINTS];
    int number[TW_MAX_SECTION_POINTS];
    double size = 0;
    twStatus status = read_points(p, &size, points, count, err);
    if (status != TW_OK) return status;
    if (size < 1e-9) return tw_fail(err, TW_BAD_INPUT, "section: the points lie within %g m, must span 1e-9 m", size);

    for (int i = 0; i < count; i++) number[i] = i;
    count = thin_out(p, number, count, size);
    if (count < 3) return tw_fail(err, TW_BAD_INPUT, "section: no area, all points lie on one line");
    status = check_crossings(p, number, count, size, err);
    if (status != TW_OK) return status;
    double area = signed_area(p, count);
    if (!(fabs(area) > 1e-9 * size * size))
        return tw_fail(err, TW_BAD_INPUT, "section: area %g m^2 is too small for an extent of %g m", fabs(area), size);

    out->count = count;
    for (int i = 0; i < count; i++)
    {
        int a = area > 0 ? i : count - 1 - i, b = area > 0 ? (i + 1) % count : (2 * count - 2 - i) % count;
        out->edges[i] = (Edge){.start = p[a], .end = p[b]};
    }
    return TW_OK;
}

// ---- rounded rectangles ----

static void add_edge(Outline* outline, Edge edge)
{
    if (edge.radius > 0 || cabs(edge.end - edge.start) > 0) outline->edges[outline->count++] = edge;
}

void outline_rounded(Outline* out, double width, double height, double corner_radius)
{
    const Point unit[] = {1, I, -1, -I};
    double r = corner_radius, x = width / 2 - r, y = height / 2 - r;
    Point centre[] = {point(x, y), point(-x, y), point(-x, -y), point(x, -y)};
    out->count = 0;
    for (int k = 0; k < 4; k++)
    {
        // the arc of corner k, then the side to the next one
        Point start = centre[k] + r * unit[k], end = centre[k] + r * unit[(k + 1) % 4];
        add_edge(out, (Edge){start, end, centre[k], r, k * TW_PI / 2, TW_PI / 2});
        add_edge(out, (Edge){.start = end, .end = centre[(k + 1) % 4] + r * unit[(k + 1) % 4]});
    }
}

// ---- moments ----

static Point edge_point(const Edge* edge, double t, Point* tangent)
{
    if (edge->radius > 0)
    {
        Point arm = edge->radius * cexp(I * (edge->from + edge->sweep * t));
        *tangent = I * edge->sweep * arm;
        return edge->centre + arm;
    }
    *tangent = edge->end - edge->start;
    return edge->start + t * *tangent;
}

static void add_edge_moments(Moments* m, const Edge* edge, const Gauss* gauss)
{
    for (int i = 0; i < gauss->order; i++)
    {
        Point d, z = edge_point(edge, 0.5 + 0.5 * gauss->node[i], &d);
        double weight = 0.5 * gauss->weight[i], x = creal(z), y = cimag(z);
        double dx = weight * creal(d), dy = weight * cimag(d);
        m->area += 0.5 * (x * dy - y * dx);
        m->centroid += point(0.5 * x * x * dy, -0.5 * y * y * dx);
        m->xx += x * x * x * dy / 3;
        m->yy -= y * y * y * dx / 3;
        m->xy += 0.5 * x * x * y * dy;
    }
}

Moments outline_moments(const Outline* outline)
{
    Gauss gauss = gauss_rule(GAUSS_MAX);
    Moments m = {0};
    for (int i = 0; i < outline->count; i++) add_edge_moments(&m, &outline->edges[i], &gauss);
    m.centroid /= m.area;
    m.xx -= m.area * creal(m.centroid) * creal(m.centroid);
    m.yy -= m.area * cimag(m.centroid) * cimag(m.centroid);
    m.xy -= m.area * creal(m.centroid) * cimag(m.centroid);
    return m;
}

// of the principal axis within 45 degrees of x; x itself if all axes are principal, to round-off
static double principal_angle(const Moments* m)
{
    double difference = m->xx - m->yy, twice = 2 * m->xy;
    if (hypot(difference, twice) <= 1e-9 * (m->xx + m->yy)) return 0;
    double angle = 0.5 * atan2(twice, difference);  // axis of the largest x^2
    if (angle > TW_PI / 4) angle -= TW_PI / 2;
    if (angle <= -TW_PI / 4) angle += TW_PI / 2;
    return angle;
}

double outline_normalize(Outline* outline, const Moments* moments, double scale)
{
    double angle = principal_angle(moments);
    Point turn = cexp(-I * angle) / scale;
    for (int i = 0; i < outline->count; i++)
    {
        Edge* edge = &outline->edges[i];
        edge->start = (edge->start - moments->centroid) * turn;
        edge->end = (edge->end - moments->centroid) * turn;
        edge->centre = (edge->centre - moments->centroid) * turn;
        edge->radius /= scale;
        edge->from -= angle;
    }
    return angle;
}

void outline_half_size(const Outline* outline, double half_size[2])
{
    // arcs are quarters that begin and end at the extremes
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < outline->count; i++)
    {
        double at[2] = {creal(outline->edges[i].start), cimag(outline->edges[i].start)};
        for (int k = 0; k < 2; k++)
        {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    for (int k = 0; k < 2; k++) half_size[k] = 0.5 * (high[k] - low[k]);
}
