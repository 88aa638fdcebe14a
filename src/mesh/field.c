// SPDX-License-Identifier: MIT
// Looking up a distance field. Near the surface: trilinear between the corners of a fine cell, with the gradient of just
// that, or the nearest of the faces in the cell's list. In coarse cells without a brick distances at the corners x_i with
// the weights w_i of trilinear interpolation give, since a distance changes by no more than the way,
//     |d(x)| >= |sum w_i d_i| - sum w_i |x - x_i| >= |sum w_i d_i| - H sqrt(t_x (1 - t_x) + t_y (1 - t_y) + t_z (1 - t_z))
// (Jensen), with t in [0, 1] along the edges H of the cell. Outside the grid, a box that holds the surface, with c the
// nearest point of the box:  d(x)^2 >= |x - c|^2 + d(c)^2, for the box is convex.
#include "mesh/field.h"

// where a point is in a grid of n cells along each axis: the cell and the place in it. false outside
typedef struct Place
{
    int i, j, k;
    double x, y, z;
} Place;

static inline bool find_place(const twField* field, twVec3 p, Place* at)
{
    double x = (p.x - field->origin.x) * field->per_coarse, y = (p.y - field->origin.y) * field->per_coarse,
           z = (p.z - field->origin.z) * field->per_coarse;
    if (!(x >= 0 && y >= 0 && z >= 0 && x < field->n[0] && y < field->n[1] && z < field->n[2])) return false;
    at->i = (int)x;
    at->j = (int)y;
    at->k = (int)z;
    at->x = x - at->i;
    at->y = y - at->j;
    at->z = z - at->k;
    return true;
}

// trilinear between eight values, v[0] that of the low corner; gradient per edge of the cell
static inline double trilinear(const float* v, size_t row, size_t layer, double x, double y, double z, twVec3* gradient)
{
    double a = (double)v[0], b = (double)v[1], c = (double)v[row], d = (double)v[row + 1];
    const float* u = v + layer;
    double e = (double)u[0], f = (double)u[1], g = (double)u[row], h = (double)u[row + 1];
    double ab = a + x * (b - a), cd = c + x * (d - c), ef = e + x * (f - e), gh = g + x * (h - g);
    double low = ab + y * (cd - ab), high = ef + y * (gh - ef);
    if (gradient)
    {
        double slope_low = (b - a) + y * ((d - c) - (b - a)), slope_high = (f - e) + y * ((h - g) - (f - e));
        gradient->x = slope_low + z * (slope_high - slope_low);
        gradient->y = (cd - ab) + z * ((gh - ef) - (cd - ab));
        gradient->z = high - low;
    }
    return low + z * (high - low);
}

// ---- far away ----

static double coarse_bound(const twField* field, const Place* at, twVec3* gradient)
{
    size_t row = (size_t)field->n[0] + 1, layer = row * ((size_t)field->n[1] + 1);
    const float* v = field->corner + (size_t)at->k * layer + (size_t)at->j * row + (size_t)at->i;
    double value = trilinear(v, row, layer, at->x, at->y, at->z, gradient);
    if (gradient) *gradient = tw_vec3_scale(*gradient, field->per_coarse);
    double spread = at->x * (1 - at->x) + at->y * (1 - at->y) + at->z * (1 - at->z);

    // 1e-6: the corners are in float
    double bound = fabs(value) * (1 - 1e-6) - field->coarse * sqrt(spread > 0 ? spread : 0);
    if (bound < field->band) bound = field->band;
    return v[0] < 0 ? -bound : bound;
}

static inline double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// at is set to the nearest place in the grid
static twVec3 clamp_place(const twField* field, twVec3 p, Place* at)
{
    const double most[3] = {field->n[0] * (1 - 1e-12), field->n[1] * (1 - 1e-12), field->n[2] * (1 - 1e-12)};
    twVec3 c =
        tw_vec3(field->origin.x + field->coarse * clamp((p.x - field->origin.x) * field->per_coarse, 0, most[0]),
                field->origin.y + field->coarse * clamp((p.y - field->origin.y) * field->per_coarse, 0, most[1]),
                field->origin.z + field->coarse * clamp((p.z - field->origin.z) * field->per_coarse, 0, most[2]));
    if (!find_place(field, c, at)) *at = (Place){0};
    return c;
}

// ---- near ----

static inline const twFieldCell* cell_at(const twFieldBrick* brick, const Place* at, Place* fine)
{
    double x = at->x * TW_BRICK_CELLS, y = at->y * TW_BRICK_CELLS, z = at->z * TW_BRICK_CELLS;
    fine->i = (int)x;
    fine->j = (int)y;
    fine->k = (int)z;
    fine->x = x - fine->i;
    fine->y = y - fine->j;
    fine->z = z - fine->k;
    return &brick->cell[(fine->k * TW_BRICK_CELLS + fine->j) * TW_BRICK_CELLS + fine->i];
}

static double from_middle(const twField* field, const Place* fine)
{
    double x = fine->x - 0.5, y = fine->y - 0.5, z = fine->z - 0.5;
    return field->cell * sqrt(x * x + y * y + z * z) * (1 + 1e-9);
}

static inline const twFieldBrick* brick_at(const twField* field, const Place* at)
{
    int brick =
        field->brick_of[((size_t)at->k * (size_t)field->n[1] + (size_t)at->j) * (size_t)field->n[0] + (size_t)at->i];
    return brick < 0 ? NULL : &field->bricks[brick];
}

static inline double inside_grid(const twField* field, const Place* at, twVec3 p, twVec3* gradient, bool exact)
{
    const twFieldBrick* brick = brick_at(field, at);
    if (!brick) return coarse_bound(field, at, gradient);
    Place fine;
    const twFieldCell* cell = cell_at(brick, at, &fine);
    if (exact && !cell->linear)
    {
        twNearest nearest =
            tw_field_nearest_in(field, field->near + cell->first, (int)cell->count, p, from_middle(field, &fine));
        return tw_field_signed(field, &nearest, p, gradient);
    }
    const float* v = brick->value + (fine.k * TW_BRICK_NODES + fine.j) * TW_BRICK_NODES + fine.i;
    double value =
        trilinear(v, TW_BRICK_NODES, (size_t)TW_BRICK_NODES * TW_BRICK_NODES, fine.x, fine.y, fine.z, gradient);
    if (gradient) *gradient = tw_vec3_scale(*gradient, TW_BRICK_CELLS * field->per_coarse);
    if (exact) return value;

    // a bound: less by what interpolation may be off
    double off = cell->linear ? (double)brick->slack + 1e-6 * fabs(value) : 0;
    if (!cell->linear)
        off = field->cell * sqrt(fine.x * (1 - fine.x) + fine.y * (1 - fine.y) + fine.z * (1 - fine.z)) +
              1e-6 * fabs(value);
    double bound = fabs(value) - off;
    return bound < 0 ? 0 : value < 0 ? -bound : bound;
}

static double outside_grid(const twField* field, twVec3 p, twVec3* gradient)
{
    Place at;
    twVec3 inner = {0, 0, 0}, c = clamp_place(field, p, &at), way = tw_vec3_sub(p, c);
    double there = inside_grid(field, &at, c, gradient ? &inner : NULL, false);
    double distance = sqrt(tw_vec3_dot(way, way) + there * there);
    if (gradient) *gradient = tw_vec3_normalize(tw_vec3_add_scaled(way, inner, there));
    return distance * (1 - 1e-9);
}

double tw_field_at(const twField* field, twVec3 point, twVec3* gradient)
{
    Place at;
    if (!find_place(field, point, &at)) return outside_grid(field, point, gradient);
    return inside_grid(field, &at, point, gradient, true);
}

double tw_field_bound(const twField* field, twVec3 point)
{
    Place at;
    if (!find_place(field, point, &at)) return outside_grid(field, point, NULL);
    return inside_grid(field, &at, point, NULL, false);
}

// ---- feet ----

twFieldFoot tw_field_foot_of(const twField* field, const twNearest* nearest, twVec3 p)
{
    const twFieldFace* t = &field->faces[nearest->face];
    twFieldFoot foot = {.face = nearest->face, .weight = {1 - nearest->v - nearest->w, nearest->v, nearest->w}};
    foot.point = tw_vec3_add(t->a, tw_vec3_add(tw_vec3_scale(t->ab, nearest->v), tw_vec3_scale(t->ac, nearest->w)));
    foot.distance = tw_field_signed(field, nearest, p, &foot.normal);
    return foot;
}

twFieldFoot tw_field_foot(const twField* field, twVec3 point)
{
    Place at, fine;
    const twFieldBrick* brick = find_place(field, point, &at) ? brick_at(field, &at) : NULL;
    const twFieldCell* cell = brick ? cell_at(brick, &at, &fine) : NULL;
    if (cell && cell->count > 0)
    {
        twNearest nearest =
            tw_field_nearest_in(field, field->near + cell->first, (int)cell->count, point, from_middle(field, &fine));
        return tw_field_foot_of(field, &nearest, point);
    }
    int face;
    tw_winding_nearest(field->winding, point, NULL, &face);
    if (face < 0) return (twFieldFoot){.distance = HUGE_VAL, .face = -1};
    twNearest nearest = tw_field_nearest_on(field, face, point);
    return tw_field_foot_of(field, &nearest, point);
}

// square of the distance of a box of the tree, in the tree's scale
static double box_away2(const twTreeNode* node, twVec3 q)
{
    twVec3 c = tw_vec3(clamp(q.x, node->low.x, node->high.x), clamp(q.y, node->low.y, node->high.y),
                       clamp(q.z, node->low.z, node->high.z));
    twVec3 way = tw_vec3_sub(q, c);
    return tw_vec3_dot(way, way);
}

// nearer faces that look along facing, from the tree
static void side_in_tree(const twField* field, twVec3 p, twVec3 facing, double least, twNearest* best)
{
    const twTree* tree = field->winding->tree;
    double scale = field->winding->scale;
    twVec3 q = tw_vec3_scale(p, scale);
    int stack[TW_TREE_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0)
    {
        int i = stack[--depth];
        const twTreeNode* node = &tree->nodes[i];
        if (!(box_away2(node, q) <= best->distance2 * scale * scale * (1 + 1e-9))) continue;
        for (int k = 0; node->right == 0 && k < node->count; k++)
        {
            int face = tree->order[node->first + k];
            if (tw_vec3_dot(field->faces[face].normal, facing) > least) tw_field_try(field, face, p, best);
        }
        if (node->right == 0) continue;
        stack[depth++] = node->right;
        stack[depth++] = i + 1;
    }
}

// From the list of the cell, which has all faces not farther than half its diagonal from any of its points. @return
// whether that settles it
static bool side_in_cell(const twField* field, twVec3 p, twVec3 facing, double least, twNearest* best)
{
    Place at, fine;
    const twFieldBrick* brick = find_place(field, p, &at) ? brick_at(field, &at) : NULL;
    const twFieldCell* cell = brick ? cell_at(brick, &at, &fine) : NULL;
    if (!cell || cell->count == 0) return false;
    double sure = 0.5 * sqrt(3.0) * field->cell * (1 - 1e-6), reach2 = best->distance2;
    for (unsigned k = 0; k < cell->count; k++)
    {
        int face = field->near[(unsigned)cell->first + k].face;
        if (tw_vec3_dot(field->faces[face].normal, facing) > least) tw_field_try(field, face, p, best);
    }
    return best->distance2 <= sure * sure || reach2 <= sure * sure;
}

twFieldFoot tw_field_side(const twField* field, twVec3 point, twVec3 facing, double least, double reach)
{
    twNearest best = {reach * reach, -1, 0, 0, 0};
    if (!side_in_cell(field, point, facing, least, &best)) side_in_tree(field, point, facing, least, &best);
    twFieldFoot foot = {.distance = HUGE_VAL, .face = -1};
    if (best.face < 0) return foot;
    foot = tw_field_foot_of(field, &best, point);
    foot.normal = field->faces[best.face].normal;
    foot.distance = tw_vec3_dot(foot.normal, tw_vec3_sub(point, foot.point));
    return foot;
}

int tw_field_within(const twField* field, twVec3 p, double radius, twFieldNear* out, int room, double* beyond)
{
    const twTree* tree = field->winding->tree;
    double scale = field->winding->scale, others2 = HUGE_VAL;
    twVec3 q = tw_vec3_scale(p, scale);
    int stack[TW_TREE_DEPTH], depth = 0, count = 0;
    stack[depth++] = 0;
    while (depth > 0)
    {
        int i = stack[--depth];
        const twTreeNode* node = &tree->nodes[i];
        double away2 = box_away2(node, q) / (scale * scale);
        if (away2 > radius * radius)
        {
            others2 = away2 < others2 ? away2 : others2;
            continue;
        }
        for (int k = 0; node->right == 0 && k < node->count; k++)
        {
            int face = tree->order[node->first + k];
            double face2 = tw_field_nearest_on(field, face, p).distance2;
            if (face2 > radius * radius)
            {
                others2 = face2 < others2 ? face2 : others2;
                continue;
            }
            if (count == room) return room + 1;

            // 1e-6: a float, rounded down
            out[count++] = (twFieldNear){face, (float)(sqrt(face2) * (1 - 1e-6))};
        }
        if (node->right == 0) continue;
        stack[depth++] = node->right;
        stack[depth++] = i + 1;
    }
    *beyond = sqrt(others2) * (1 - 1e-9);
    return count;
}

twFieldInfo tw_field_info(const twField* field)
{
    twFieldInfo info = {field->low, field->high, field->cell, field->band, field->brick_count, 0, 0, 0, 0, 0};
    double listed = 0;
    for (int b = 0; b < field->brick_count; b++)
        for (int c = 0; c < TW_BRICK_VOLUME; c++)
        {
            const twFieldCell* cell = &field->bricks[b].cell[c];
            info.linear += cell->linear == 1;
            info.exact += cell->linear == 0;
            if (!cell->linear) listed += cell->count;
            if ((int)cell->count > info.longest_list) info.longest_list = (int)cell->count;
        }
    info.mean_list = info.exact > 0 ? listed / info.exact : 0;
    size_t coarse = (size_t)field->n[0] * (size_t)field->n[1] * (size_t)field->n[2];
    info.bytes = sizeof *field + (size_t)field->face_count * (sizeof *field->faces + 9 * sizeof(twVec3)) +
                 coarse * 2 * sizeof(float) + (size_t)field->brick_capacity * sizeof *field->bricks +
                 field->near_capacity * sizeof *field->near;
    return info;
}
