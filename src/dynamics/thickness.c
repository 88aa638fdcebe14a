// SPDX-License-Identifier: MIT
// How thick a body is where it is thinnest: from the middle of faces straight inward until the other side. The way there is taken in
// steps of the distance to the surface, which none can pass.
#include "dynamics/shape.h"

#define SAMPLES 300  // faces that are asked, at most
#define LEAST 1e-4   // of the radius: thinner is that
#define STEPS 60

// from a face inward to where the body ends
static double depth_at(const ContactShape* shape, int face, double most)
{
    const int* v = shape->faces[face].v;
    twVec3 a = shape->vertices[v[0]], b = shape->vertices[v[1]], c = shape->vertices[v[2]];
    twVec3 normal = tw_vec3_cross(tw_vec3_sub(b, a), tw_vec3_sub(c, a));
    if (!(tw_vec3_norm(normal) > 0)) return most;
    normal = tw_vec3_normalize(normal);
    twVec3 middle = tw_vec3_scale(tw_vec3_add(a, tw_vec3_add(b, c)), 1.0 / 3);
    double least = LEAST * shape->radius, depth = least;
    for (int i = 0; i < STEPS && depth < most; i++)
    {
        twVec3 at = tw_vec3_add_scaled(tw_vec3_add(middle, shape->centre), normal, -depth);
        double inside = -tw_field_foot(shape->field, at).distance;
        if (!(inside > 0.01 * depth)) return depth;
        depth += inside;
    }
    return depth < most ? depth : most;
}

double tw_contact_thickness(const ContactShape* shape)
{
    double thin = 2 * shape->radius;
    int step = 1 + shape->face_count / SAMPLES;
    if (shape->ball > 0) return 2 * shape->ball;
    for (int face = 0; face < shape->face_count; face += step) thin = fmin(thin, depth_at(shape, face, thin));
    return thin;
}
