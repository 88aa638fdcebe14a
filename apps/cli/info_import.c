// SPDX-License-Identifier: MIT
// twang info of a glTF file: what a scene would get that imports it.

#include "info_body.h"

static twVec3 size_of(const twMesh* mesh)
{
    const BodyBox box = body_box(mesh->vertices, mesh->vertex_count);
    return tw_vec3_sub(box.high, box.low);
}

static void print_body(const twImport* import, const twImportBody* body)
{
    const twVec3 s = size_of(import->shapes[body->shape]), p = body->motion.position;
    printf("  %-12s %s, %s%s%s", body->name, body->moves ? "animated" : "still",
           body->material[0] ? "of '" : "no material", body->material, body->material[0] ? "'" : "");
    if (body->others[0]) printf(" (and %s)", body->others);
    printf(", %.4g x %.4g x %.4g m at %.4g, %.4g, %.4g", s.x, s.y, s.z, p.x, p.y, p.z);
    if (body->flat) printf(", %s", body->ground ? "the ground" : "flat, made thick");
    for (int i = 0; i < body->property_count; i++)
        printf("%s%s: %s", i ? ", " : "; ", body->properties[i].key, body->properties[i].text);
    putchar('\n');
}

void print_import(const twImport* import)
{
    printf("for 'import' in a scene (z up): %d body(ies), %d shape(s)", import->body_count, import->shape_count);
    if (import->end > 0) printf(", motion up to %.4g s", import->end);
    putchar('\n');
    for (int i = 0; i < import->body_count; i++) print_body(import, &import->bodies[i]);
    if (import->animation_count > 0) printf("animations\n");
    for (int i = 0; i < import->animation_count; i++) printf("  %s\n", import->animations[i]);
    if (import->camera) printf("camera '%s'\n", import->camera);
    if (import->note[0]) printf("note: %s\n", import->note);
    for (int i = 0; i < import->body_count; i++)
    {
        twError err;
        if (tw_import_check(import, i, &err) != TW_OK) printf("note: %s\n", err.text);
    }
}

static void json_vector(twJson* json, const char* key, twVec3 v)
{
    const double numbers[3] = {v.x, v.y, v.z};
    tw_json_numbers(json, key, numbers, 3);
}

void json_import(twJson* json, const twImport* import)
{
    tw_json_object(json, "import");
    tw_json_integer(json, "shapes", import->shape_count);
    tw_json_number(json, "end_s", import->end);
    tw_json_array(json, "bodies");
    for (int i = 0; i < import->body_count; i++)
    {
        const twImportBody* body = &import->bodies[i];
        tw_json_object(json, NULL);
        tw_json_text(json, "name", body->name);
        tw_json_text(json, "material", body->material);
        tw_json_integer(json, "shape", body->shape);
        tw_json_bool(json, "animated", body->moves);
        tw_json_bool(json, "flat", body->flat);
        json_vector(json, "size_m", size_of(import->shapes[body->shape]));
        json_vector(json, "position_m", body->motion.position);
        tw_json_object(json, "properties");
        for (int k = 0; k < body->property_count; k++)
            tw_json_text(json, body->properties[k].key, body->properties[k].text);
        tw_json_end(json);
        tw_json_end(json);
    }
    tw_json_end(json);
    tw_json_array(json, "animations");
    for (int i = 0; i < import->animation_count; i++) tw_json_text(json, NULL, import->animations[i]);
    tw_json_end(json);
    tw_json_text(json, "camera", import->camera ? import->camera : "");
    tw_json_text(json, "note", import->note);
    tw_json_end(json);
}
