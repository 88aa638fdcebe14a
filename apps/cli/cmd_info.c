// SPDX-License-Identifier: MIT
// twang info: what is in a file.

#define _POSIX_C_SOURCE 200809L
#include "bake_options.h"
#include "info_body.h"
#include <math.h>
#include <unistd.h>

#define LN_1000 6.907755278982137

// ---- sound files ----

static void print_wav(const char* path, const twWav* wav, const twLevel* level, bool json)
{
    double seconds = (double)wav->frames / wav->rate_hz;
    if (!json)
    {
        printf("%s: sound, %.3f s, %d Hz, %d channel(s)\n", path, seconds, wav->rate_hz, wav->channels);
        printf("peak %.2f dBFS, RMS %.2f dBFS, loudness %.1f LUFS\n", 20 * log10(level->peak), 20 * log10(level->rms),
               level->loudness_lufs);
        if (wav->comment[0]) printf("%s\n", wav->comment);
        return;
    }
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_text(&j, "kind", "sound");
    tw_json_number(&j, "duration", seconds);
    tw_json_integer(&j, "rate", wav->rate_hz);
    tw_json_integer(&j, "channels", wav->channels);
    tw_json_integer(&j, "frames", wav->frames);
    tw_json_number(&j, "peak_dbfs", 20 * log10(level->peak));
    tw_json_number(&j, "rms_dbfs", 20 * log10(level->rms));
    tw_json_number(&j, "loudness_lufs", level->loudness_lufs);
    tw_json_text(&j, "comment", wav->comment);
    tw_json_end(&j);
    putchar('\n');
}

static int info_wav(const char* path, bool json)
{
    twError err;
    twWav* wav;
    if (tw_wav_load(&wav, path, 0, &err) != TW_OK) return cli_fail_error("info", &err);
    twMeter* meter = tw_meter_create(wav->channels, wav->rate_hz);
    int code = CLI_OK;
    if (!meter || tw_meter_process(meter, wav->samples, wav->frames, &err) != TW_OK)
        code = cli_fail("info", CLI_FAILED, "no memory to measure %s", path);
    else
    {
        twLevel level = tw_meter_level(meter);
        print_wav(path, wav, &level, json);
    }
    tw_meter_destroy(meter);
    tw_wav_destroy(wav);
    return code;
}

// ---- scenes ----

static const char* object_name(const twScene* scene, int object)
{
    return object == TW_WALL ? "wall" : scene->objects[object].name;
}

static void print_objects(const twScene* scene)
{
    for (int i = 0; i < scene->object_count; i++)
    {
        const twSceneObject* o = &scene->objects[i];
        if (o->rigid)
            printf("  %-12s rigid, %g kg\n", o->name, o->modes->mass[0]);
        else
            printf("  %-12s %d mode(s), %d point(s), %d pickup(s)\n", o->name, o->modes->mode_count, o->point_count,
                   o->pickup_count);
        for (int k = 0; !o->rigid && k < o->modes->mode_count && k < 20; k++)
            printf("  %12s   %10.2f Hz  T60 %8.3f s  mass %g kg\n", "", o->modes->freq_hz[k],
                   LN_1000 / o->modes->decay[k], o->modes->mass[k]);
        if (!o->rigid && o->modes->mode_count > 20) printf("  %12s   and %d more\n", "", o->modes->mode_count - 20);
    }
}

static void print_contacts(const twScene* scene)
{
    static const char* const motions[] = {"", ", rolling", ", scraping", ", bouncing"};
    for (int i = 0; i < scene->contact_count; i++)
    {
        const twSceneContact* c = &scene->contacts[i];
        printf("  %s on %s: %s%s%s%s\n", object_name(scene, c->def.a), object_name(scene, c->def.b),
               c->def.has_impact ? "impact" : "", c->def.has_impact && c->def.has_friction ? " and " : "",
               c->def.has_friction ? "friction" : "", motions[c->motion.kind]);
    }
}

static void print_scene(const char* path, const twScene* scene)
{
    printf("%s: scene%s%s, %g s at %g Hz", path, scene->title[0] ? ", " : "", scene->title, scene->duration,
           scene->rate_hz);
    if (scene->body_count == 0 || scene->rods_touch) printf(", oversampling %d", scene->oversample);
    putchar('\n');
    if (scene->object_count) printf("objects\n");
    print_objects(scene);
    if (scene->contact_count) printf("interactions\n");
    print_contacts(scene);
    if (scene->object_count) printf("%d force(s), %d strike(s)\n", scene->force_count, scene->strike_count);
    print_bodies(scene);
    if (scene->import && scene->import->note[0]) printf("note: %s\n", scene->import->note);
    print_rods(scene);
    if (scene->output_count) printf("outputs\n");
    for (int i = 0; i < scene->output_count; i++)
        printf("  %s.wav, %d channel(s)\n", scene->outputs[i].name, scene->outputs[i].channels);
}

static void print_scene_json(const twScene* scene)
{
    twJson j = tw_json(stdout);
    tw_json_object(&j, NULL);
    tw_json_text(&j, "kind", "scene");
    tw_json_text(&j, "title", scene->title);
    tw_json_number(&j, "duration", scene->duration);
    tw_json_number(&j, "rate", scene->rate_hz);
    tw_json_array(&j, "objects");
    for (int i = 0; i < scene->object_count; i++)
    {
        const twSceneObject* o = &scene->objects[i];
        tw_json_object(&j, NULL);
        tw_json_text(&j, "name", o->name);
        tw_json_bool(&j, "rigid", o->rigid);
        tw_json_numbers(&j, "frequencies_hz", o->modes->freq_hz, (size_t)o->modes->mode_count);
        tw_json_numbers(&j, "decay_per_s", o->modes->decay, (size_t)o->modes->mode_count);
        tw_json_numbers(&j, "mass_kg", o->modes->mass, (size_t)o->modes->mode_count);
        tw_json_end(&j);
    }
    tw_json_end(&j);
    tw_json_array(&j, "interactions");
    for (int i = 0; i < scene->contact_count; i++)
    {
        const twContactDef* c = &scene->contacts[i].def;
        tw_json_object(&j, NULL);
        tw_json_text(&j, "exciter", object_name(scene, c->a));
        tw_json_text(&j, "resonator", object_name(scene, c->b));
        tw_json_bool(&j, "impact", c->has_impact);
        tw_json_bool(&j, "friction", c->has_friction);
        tw_json_end(&j);
    }
    tw_json_end(&j);
    json_bodies(&j, scene);
    json_rods(&j, scene);
    tw_json_array(&j, "outputs");
    for (int i = 0; i < scene->output_count; i++) tw_json_text(&j, NULL, scene->outputs[i].name);
    tw_json_end(&j);
    tw_json_end(&j);
    putchar('\n');
}

static int info_scene(const char* path, bool json)
{
    twError err;
    twScene* scene;
    if (tw_scene_load(&scene, path, &err) != TW_OK) return cli_fail_error("info", &err);
    if (json)
        print_scene_json(scene);
    else
        print_scene(path, scene);
    tw_scene_destroy(scene);
    return CLI_OK;
}

static bool looks_like_wav(const char* path)
{
    return body_begins(path, "RIFF") || body_begins(path, "RF64") || body_begins(path, "RIFX");
}

static int info_of_body(BodyKind kind, const char* path, int units, double factor, bool json)
{
    twError err;
    double size, scale;
    if (bake_scale(path, units, factor, &scale, &err) != TW_OK) return cli_fail_error("info", &err);
    if (info_body(kind, path, scale, json, &size, &err) != TW_OK) return cli_fail_error("info", &err);
    bake_hint(path, "info", scale, size);
    return CLI_OK;
}

int cmd_info(int argc, char** argv)
{
    const char* path = NULL;
    bool json = false;
    int units = 0;
    double scale = 1;
    const CliOption options[] = {
        {.kind = CLI_ARGUMENT,
         .name = "FILE",
         .out = &path,
         .help =
             "a scene (.yaml), a sound (.wav), a mesh (OBJ, STL, PLY, OFF, glTF), tets (.msh, .node), modes (.twmodes), "
             "motion (.twtrace), a checkpoint (.state), or a shape",
         .required = true},
        {.kind = CLI_CHOICE,
         .name = "--units",
         .value = "UNIT",
         .out = &units,
         .help = "of a mesh's coordinates",
         .choices = bake_unit_names},
        {.kind = CLI_NUMBER,
         .name = "--scale",
         .value = "X",
         .out = &scale,
         .help = "factor of a mesh's coordinates, instead of --units",
         .low = 0,
         .high = 1e12,
         .above = true},
        {.kind = CLI_FLAG, .name = "--json", .out = &json, .help = "print it as JSON"},
    };
    const CliUsage usage = {"info", "what is in a file", options, sizeof options / sizeof options[0], NULL};
    int code;
    if (!cli_parse(&usage, argc, argv, &code)) return code;
    BodyKind kind = looks_like_wav(path) ? BODY_NONE : body_kind(path);
    if ((units != 0 || scale != 1) && (kind == BODY_NONE || kind == BODY_MODES))
        return cli_fail("info", CLI_USAGE, "--units and --scale are for meshes; %s is none", path);
    if (kind != BODY_NONE) return info_of_body(kind, path, units, scale, json);
    twError err;
    char meant[300];
    if (access(path, F_OK) != 0 && tw_shape_meant(meant, sizeof meant, path)[0])
        return cli_fail("info", CLI_USAGE, "there is no file '%s'; the shape is written '%s'", path, meant);
    if (tw_mesh_is_foreign(path, &err)) return cli_fail_error("info", &err);
    return looks_like_wav(path) ? info_wav(path, json) : info_scene(path, json);
}
