// SPDX-License-Identifier: MIT
// twang info: the rods of a scene and who hears them.

#include "info_body.h"

static double length_of(const twRodDef* def)
{
    double sum = 0;
    const int n = def->point_count;
    for (int i = 0; i < (def->closed ? n : n - 1); i++)
        sum += tw_vec3_norm(tw_vec3_sub(def->points[(i + 1) % n], def->points[i]));
    return sum;
}

void print_rods(const twScene* scene)
{
    if (scene->rod_count > 0) printf("rods\n");
    for (int i = 0; i < scene->rod_count; i++)
    {
        const twSceneRod* rod = &scene->rods[i];
        const twRodDef* def = &rod->def;
        const twSection* s = def->sections;
        printf("  %-12s %s, %d points, %.6g m%s, section ", rod->name, rod->material, def->point_count, length_of(def),
               def->closed ? ", closed" : "");
        if (s->radius > 0)
            printf("of radius %.6g m", s->radius);
        else
            printf("%.6g x %.6g m", 2 * s->half_size[0], 2 * s->half_size[1]);
        printf("%s; %d support(s), %d blow(s)", def->section_count > 1 ? " at the start" : "", def->support_count,
               def->pulse_count);
        if (scene->rods_touch) printf(", %d tie(s)%s", rod->tie_count, rod->ghost ? ", touches nothing" : "");
        putchar('\n');
    }
    if (scene->listener_count > 0) printf("listeners\n");
    for (int i = 0; i < scene->listener_count; i++)
    {
        const twSceneListener* l = &scene->listeners[i];
        const twVec3 p = l->ear ? l->ear->def.position : l->def.position;
        static const char* const kinds[] = {"mono", "stereo", "binaural", "ambix"};
        if (l->pickup_body >= 0)
            printf("  %-12s pickup on '%s' at %g,%g,%g\n", l->name, scene->bodies[l->pickup_body].name, l->pickup_at.x,
                   l->pickup_at.y, l->pickup_at.z);
        else if (l->pickup_rod >= 0)
            printf("  %-12s pickup at point %d of '%s'\n", l->name, l->pickup_point + 1,
                   scene->rods[l->pickup_rod].name);
        else if (l->ear && !l->ear->placed)
            printf("  %-12s %s, where the camera is or in front of the bodies\n", l->name, kinds[l->ear->def.kind]);
        else if (l->ear)
            printf("  %-12s %s at (%g, %g, %g)%s\n", l->name, kinds[l->ear->def.kind], p.x, p.y, p.z,
                   l->ear->moves ? " at first" : "");
        else
            printf("  %-12s at (%g, %g, %g)%s\n", l->name, p.x, p.y, p.z, l->moves ? " at first" : "");
    }
}

void json_rods(twJson* json, const twScene* scene)
{
    tw_json_array(json, "rods");
    for (int i = 0; i < scene->rod_count; i++)
    {
        const twSceneRod* rod = &scene->rods[i];
        tw_json_object(json, NULL);
        tw_json_text(json, "name", rod->name);
        tw_json_text(json, "material", rod->material);
        tw_json_integer(json, "points", rod->def.point_count);
        tw_json_bool(json, "closed", rod->def.closed);
        tw_json_number(json, "length_m", length_of(&rod->def));
        tw_json_numbers(json, "half_size_m", rod->def.sections->half_size, 2);
        tw_json_integer(json, "supports", rod->def.support_count);
        tw_json_integer(json, "blows", rod->def.pulse_count);
        tw_json_integer(json, "ties", rod->tie_count);
        tw_json_bool(json, "touches", scene->rods_touch && !rod->ghost);
        tw_json_end(json);
    }
    tw_json_end(json);
    tw_json_array(json, "listeners");
    for (int i = 0; i < scene->listener_count; i++) tw_json_text(json, NULL, scene->listeners[i].name);
    tw_json_end(json);
}
