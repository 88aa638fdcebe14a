// SPDX-License-Identifier: MIT
// Places on bodies that are too far from them, looked at before modes are found, which may take minutes.

#include "bodies.h"
#include <math.h>

// A place farther from the body than this is long is most likely meant in the world's coordinates.
twStatus place_check(const twScene* scene, int body, const char* what, twVec3 at, const twVec3* points, int count,
                     twError* err)
{
    double away = INFINITY;
    for (int i = 0; i < count; i++) away = fmin(away, tw_vec3_norm(tw_vec3_sub(at, points[i])));
    if (away <= tw_vec3_norm(body_sides(points, count))) return TW_OK;
    twError inner = {0};
    const twStatus status = tw_fail(&inner, TW_BAD_INPUT,
                                    "%s at %.4g,%.4g,%.4g is %.4g m away from '%s'; places on a body are in its own "
                                    "coordinates, wherever it is",
                                    what, at.x, at.y, at.z, away, scene->bodies[body].name);
    bodies_name_place(scene, &inner, err);
    return status;
}

typedef struct Place
{
    int body;
    const char* what;
    twVec3 at;
} Place;

// the n-th place of a grab: where it holds, what it is joined to, where its forces act. @return false: there are fewer
static bool grab_place(const twSceneGrab* grab, int n, Place* out)
{
    const int joined = grab->aim == TW_AIM_BODY ? 1 : 0, push = n - grab->place_count - joined;
    if (n < grab->place_count)
        *out = (Place){grab->places[n].body, "a grab", grab->places[n].at};
    else if (push < 0)
        *out = (Place){grab->other.body, "a grab", grab->other.at};
    else if (push < grab->push_count)
        *out = (Place){grab->pushes[push].body, "'push' of a grab", grab->pushes[push].at};
    else
        return false;
    return true;
}

// the n-th place of a scene that is on a body
static bool scene_place(const twScene* scene, int n, Place* out)
{
    for (int i = 0; i < scene->body_count; i++)
    {
        *out = (Place){i, "'bend'", scene->bodies[i].bend_at};
        if (scene->bodies[i].bent && n-- == 0) return true;
    }
    for (int i = 0; i < scene->push_count; i++)
    {
        *out = (Place){scene->pushes[i].body, "a push", scene->pushes[i].at};
        if (!scene->pushes[i].centre && n-- == 0) return true;
    }
    for (int i = 0; i < scene->grab_count; i++)
        for (int k = 0; grab_place(&scene->grabs[i], k, out); k++)
            if (n-- == 0) return true;
    return false;
}

twStatus places_check(const twScene* scene, int shape, twError* err)
{
    twMesh* mesh = NULL;
    char note[1024];
    Place place;
    twStatus status = TW_OK;
    for (int n = 0; scene_place(scene, n, &place) && status == TW_OK; n++)
    {
        if (place.body == TW_NOWHERE || scene->bodies[place.body].shape != shape) continue;
        // a surface that cannot be had now is looked at when modes are found
        if (!mesh && tw_scene_surface(&mesh, &scene->shapes[shape], note, sizeof note, NULL) != TW_OK) return TW_OK;
        status = place_check(scene, place.body, place.what, place.at, mesh->vertices, mesh->vertex_count, err);
    }
    tw_mesh_destroy(mesh);
    return status;
}
