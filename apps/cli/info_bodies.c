// SPDX-License-Identifier: MIT
// twang info: the bodies of a scene, their joints, who picks up their motion.

#include "info_body.h"
#include "twang/bodies.h"
#include <math.h>
#include <string.h>

// what is known of a shape without finding its modes
typedef struct ShapeInfo
{
    double mass;
    twVec3 size;
    int vertices, faces;
    twError err;  // why nothing is
} ShapeInfo;

static ShapeInfo shape_info(const twSceneShape* shape)
{
    ShapeInfo info = {0};
    twMesh* mesh;
    char note[256];
    if (tw_scene_surface(&mesh, shape, note, sizeof note, &info.err) != TW_OK) return info;
    twVec3 low = mesh->vertices[0], high = low;
    for (int i = 0; i < mesh->vertex_count; i++)
    {
        const twVec3 v = mesh->vertices[i];
        low = tw_vec3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = tw_vec3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    const double r = shape->ball_radius, density = shape->material.density;
    info.size = tw_vec3_sub(high, low);
    info.mass = r > 0 ? density * 4 / 3 * TW_PI * r * r * r : tw_mesh_mass(mesh, density).mass;
    if (shape->mass > 0) info.mass = shape->mass;
    info.vertices = mesh->vertex_count;
    info.faces = mesh->face_count;
    tw_mesh_destroy(mesh);
    return info;
}

// how many bodies in a row are one entry of the scene
static int count_alike(const twScene* scene, int first)
{
    int count = 1;
    while (first + count < scene->body_count &&
           strcmp(scene->bodies[first + count].where, scene->bodies[first].where) == 0)
        count++;
    return count;
}

static const char* const kinds[] = {"free", "fixed", "moved"};
static const char* const joint_kinds[] = {"ball", "hinge", "slider", "fixed", "spring"};

static const char* body_name(const twScene* scene, int body)
{
    return body == TW_NOWHERE ? "world" : scene->bodies[body].name;
}

static void print_ringing(const twSceneShape* shape)
{
    char why[256], modes[40] = "all modes up to 20 kHz";
    if (tw_scene_is_rigid(shape, why, sizeof why))
    {
        printf(", rigid: %s", why);
        return;
    }
    if (shape->mode_count > 0) snprintf(modes, sizeof modes, "%d modes", shape->mode_count);
    if (shape->automatic) snprintf(modes, sizeof modes, "at most 256 modes up to 20 kHz");
    printf(", flexible: %s", modes);
    if (shape->coupling == TW_COUPLING_ONE_WAY)
        printf(", none acts back on the motion");
    else
        printf(", those up to %g Hz act back on the motion", shape->max_freq_hz);
}

static void print_body(const twScene* scene, int first, int count)
{
    const twSceneBody* body = &scene->bodies[first];
    const twSceneShape* shape = &scene->shapes[body->shape];
    const ShapeInfo info = shape_info(shape);
    printf("  %-12s ", body->name);
    if (count > 1) printf("to %s, %d of them: ", scene->bodies[first + count - 1].name, count);
    printf("%s, %s, %s", kinds[body->kind], shape->material.name, shape->source);
    if (info.vertices == 0)
    {
        printf("; %s\n", info.err.text);
        return;
    }
    printf(", %.4g kg, %.4g x %.4g x %.4g m", info.mass, info.size.x, info.size.y, info.size.z);
    print_ringing(shape);
    if (shape->hold_count > 0) printf(", held at %d part(s)", shape->hold_count);
    if (shape->region_count > 0) printf(", %d part(s) of other materials", shape->region_count);
    if (shape->cover) printf(", drawn as %s", shape->cover);
    putchar('\n');
}

static const char* const grab_kinds[] = {"position", "velocity", "acceleration", "force"};
static void print_grabs(const twScene* scene)
{
    if (scene->grab_count > 0) printf("grabs\n");
    for (int i = 0; i < scene->grab_count; i++)
    {
        const twSceneGrab* g = &scene->grabs[i];
        printf("  %-12s %s of '%s' at %d place(s), from %g s", g->name[0] ? g->name : "-", grab_kinds[g->kind], g->on,
               g->place_count, g->begin);
        if (isfinite(g->end)) printf(" to %g s", g->end);
        if (g->aim == TW_AIM_BODY && g->other.body >= 0) printf(", joined to '%s'", scene->bodies[g->other.body].name);
        if (g->aim == TW_AIM_BODY && g->other.rod >= 0) printf(", joined to '%s'", scene->rods[g->other.rod].name);
        putchar('\n');
    }
    if (scene->throw_count > 0) printf("%d throw(s)\n", scene->throw_count);
}

void print_bodies(const twScene* scene)
{
    if (!tw_scene_has_world(scene)) return;
    print_grabs(scene);
    printf("bodies\n");
    for (int i = 0, count; i < scene->body_count; i += count) print_body(scene, i, count = count_alike(scene, i));
    if (scene->ground.given) printf("  %-12s %s\n", "ground", scene->surfaces[scene->ground.surface].material);
    if (scene->joint_count > 0) printf("joints\n");
    for (int i = 0; i < scene->joint_count; i++)
    {
        const twJointDef* def = &scene->joints[i].def;
        printf("  %-12s %s, %s to %s%s\n", def->name, joint_kinds[def->kind], body_name(scene, def->body[0]),
               body_name(scene, def->body[1]), def->motor ? ", with a motor" : "");
    }
    printf("%d push(es), %d pair(s) of materials that touch in their own way\n", scene->push_count, scene->touch_count);
}

static void json_grabs(twJson* json, const twScene* scene)
{
    tw_json_array(json, "grabs");
    for (int i = 0; i < scene->grab_count; i++)
    {
        const twSceneGrab* g = &scene->grabs[i];
        tw_json_object(json, NULL);
        tw_json_text(json, "name", g->name);
        tw_json_text(json, "kind", grab_kinds[g->kind]);
        tw_json_text(json, "on", g->on);
        tw_json_integer(json, "places", g->place_count);
        tw_json_number(json, "from", g->begin);
        tw_json_number(json, "until", g->end);
        tw_json_end(json);
    }
    tw_json_end(json);
    tw_json_integer(json, "throws", scene->throw_count);
}

static void json_ringing(twJson* json, const twSceneShape* shape)
{
    static const char* const couplings[] = {"auto", "two-way", "one-way"};
    char why[256];
    const bool rigid = tw_scene_is_rigid(shape, why, sizeof why);
    tw_json_text(json, "flexible", rigid ? "false" : shape->automatic ? "auto" : "true");
    if (rigid) tw_json_text(json, "rigid", why);
    tw_json_integer(json, "modes", shape->flexible ? shape->mode_count : 0);
    if (!rigid) tw_json_text(json, "coupling", couplings[shape->coupling]);
}

void json_bodies(twJson* json, const twScene* scene)
{
    if (scene->body_count == 0) return;
    tw_json_array(json, "bodies");
    for (int i = 0, count; i < scene->body_count; i += count)
    {
        const twSceneBody* body = &scene->bodies[i];
        const twSceneShape* shape = &scene->shapes[body->shape];
        const ShapeInfo info = shape_info(shape);
        count = count_alike(scene, i);
        tw_json_object(json, NULL);
        tw_json_text(json, "name", body->name);
        tw_json_integer(json, "count", count);
        tw_json_text(json, "kind", kinds[body->kind]);
        tw_json_text(json, "shape", shape->source);
        tw_json_text(json, "material", shape->material.name);
        tw_json_number(json, "mass_kg", info.vertices > 0 ? info.mass : NAN);
        const double size[3] = {info.size.x, info.size.y, info.size.z};
        tw_json_numbers(json, "size_m", size, 3);
        tw_json_integer(json, "vertices", info.vertices);
        json_ringing(json, shape);
        tw_json_end(json);
    }
    tw_json_end(json);
    json_grabs(json, scene);
    tw_json_array(json, "joints");
    for (int i = 0; i < scene->joint_count; i++)
    {
        const twJointDef* def = &scene->joints[i].def;
        tw_json_object(json, NULL);
        tw_json_text(json, "kind", joint_kinds[def->kind]);
        tw_json_text(json, "first", body_name(scene, def->body[0]));
        tw_json_text(json, "second", body_name(scene, def->body[1]));
        tw_json_end(json);
    }
    tw_json_end(json);
}
