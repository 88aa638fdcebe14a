// SPDX-License-Identifier: MIT
// twang render: a scene to sound, spectrogram and report.
#define _POSIX_C_SOURCE 200809L

#include "bake_options.h"
#include "pictures.h"
#include "twang/render.h"
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEARING_PA 2e-5
#define HEARING_SPEED 5e-8  // of a wall that makes as much in the air before it [m/s]

#define RISE_TOLD 1e-6     // of the largest energy
#define ROUND_OFF 1e-12    // of all energy, that of height too
#define OUTSIDE_TOLD 0.02  // of a body's size

typedef struct Watch
{
    CliProgress progress;
    char stage[80];  // while modes are looked for
    bool begun;
    double first;  // part that was done before, of a render that goes on
} Watch;

static bool keep_going(double done, void* context)
{
    Watch* watch = context;
    if (watch->stage[0])
    {
        watch->stage[0] = 0;
        cli_may_leave(&watch->progress, NULL);
        cli_progress_stage(&watch->progress, "rendering");
    }
    if (!watch->begun) watch->first = done;
    watch->begun = true;
    cli_progress_update(&watch->progress, watch->first < 1 ? (done - watch->first) / (1 - watch->first) : 1);
    return !cli_interrupted();
}

// the motion is there, its sound is made
static bool keep_hearing(double done, void* context)
{
    Watch* watch = context;
    if (strcmp(watch->stage, "listening") != 0)
    {
        snprintf(watch->stage, sizeof watch->stage, "listening");
        cli_may_leave(&watch->progress, NULL);
        cli_progress_stage(&watch->progress, "listening");
    }
    cli_progress_update(&watch->progress, done);
    return !cli_interrupted();
}

static bool keep_baking(const char* stage, double done, void* context)
{
    Watch* watch = context;
    if (strcmp(stage, watch->stage) != 0)
    {
        snprintf(watch->stage, sizeof watch->stage, "%s", stage);
        cli_progress_stage(&watch->progress, watch->stage);
    }
    cli_progress_update(&watch->progress, done);
    cli_may_leave(&watch->progress, done < 1 ? watch->stage : NULL);  // files are written only between stages
    return !cli_interrupted();
}

static const char* base_name(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// out/<scene's name without folder and ending>
static void default_folder(const char* scene, char* out, size_t bytes)
{
    const char* base = base_name(scene);
    const char* dot = strrchr(base, '.');
    int length = (int)(dot && dot != base ? (size_t)(dot - base) : strlen(base));
    snprintf(out, bytes, "out/%.*s", length, base);
}

// a render leaves the sounds of an earlier one alone if it has none of that name; that they are there is said
static void print_others(const char* folder, const twRenderReport* report)
{
    char first[256] = "";
    int count = 0;
    DIR* dir = opendir(folder);
    for (struct dirent* entry; dir && (entry = readdir(dir));)
    {
        const char* dot = strrchr(entry->d_name, '.');
        bool ours = !dot || strcmp(dot, ".wav") != 0;
        for (int i = 0; i < report->output_count && !ours; i++)
            ours = strcmp(base_name(report->outputs[i].wav), entry->d_name) == 0;
        if (ours || (count++ > 0 && strcmp(entry->d_name, first) > 0)) continue;
        snprintf(first, sizeof first, "%s", entry->d_name);
    }
    if (dir) closedir(dir);
    if (count == 1) printf("note     %s in that folder is not of this render\n", first);
    if (count > 1)
        printf("note     %s and %d other sound(s) in that folder are not of this render\n", first, count - 1);
}

// What cannot be heard: pressure, or velocity of a body (objects have no size, and no level of their own); 0: not known.
static double hearing(const twScene* scene, const twSceneOutput* output)
{
    if (output->quantity == TW_SOUND_PRESSURE) return HEARING_PA;
    return tw_scene_has_world(scene) && output->quantity == TW_SOUND_VELOCITY ? HEARING_SPEED : 0;
}

static bool is_inaudible(const twScene* scene, const twSceneOutput* output, const twRenderOutput* out)
{
    return out->level.peak < hearing(scene, output) * out->gain;
}

static void print_heard(const twScene* scene, const twListenReport* r)
{
    printf("         heard in %.2f s of that: %d bod%s with %d modes; they radiate as baked: %d, as estimated: %d\n",
           r->seconds, r->sound.bodies, r->sound.bodies == 1 ? "y" : "ies", r->sound.modes, r->sound.baked,
           r->sound.estimated);
    if (r->sound.board > 0)
        printf("         the ground is a board of %.3g kg/m^2 and heard\n", r->sound.board);
    else if (scene->ground.given)
        printf("         the ground is silent; 'thickness' makes it a board\n");
    if (r->sound.bodies > 0 && r->sound.modes == 0)
        printf("note     no modes are heard, only clicks: no body has modes below 20 kHz; report.json says why\n");
    if (r->note[0]) printf("note     %s\n", r->note);
    if (r->sound.too_near > 0)
        printf("note     a body was around a listener or nearly touched it; it sounds as from its rim\n");
    if (r->sound.too_far > 0) printf("note     a body was farther from a listener than 'farthest', and not heard\n");
    if (r->sound.bad_values > 0)
        printf("note     %ld values of sound were not finite and left out\n", (long)r->sound.bad_values);
}

static void print_touches(const twScene* scene, const twRenderReport* report)
{
    const twWorldStats* s = &report->world.stats;
    const double steps = (double)s->rod_steps;
    printf("         %d rod%s: %.3g contacts in a step, %d at most; motion %.2f s, their sound %.2f s\n",
           scene->rod_count, scene->rod_count == 1 ? "" : "s", steps > 0 ? (double)s->rod_contacts / steps : 0,
           s->rod_contacts_max, report->motion_seconds, report->radiation_seconds);
    if (s->refined > 0)
        printf("note     %ld of %.0f steps had to be cut in halves to find where rods go\n", (long)s->refined, steps);
    if (s->softened > 0)
        printf("note     in %ld pieces of steps contacts of rods were softer than told: too hard to be solved\n",
               (long)s->softened);
}

// where the energy of bodies went: what took a hundredth of it or more, the most first
static void print_losses(const twWorldEnergy* e)
{
    double sum = 0, last = HUGE_VAL;
    for (int i = 0; i < TW_LOSS_COUNT; i++) sum += e->loss[i];
    if (!(sum > 0)) return;
    printf("         %.3g J were lost", sum);
    for (int k = 0; k < TW_LOSS_COUNT; k++)
    {
        int most = -1;
        for (int i = 0; i < TW_LOSS_COUNT; i++)
            if (e->loss[i] < last && (most < 0 || e->loss[i] > e->loss[most])) most = i;
        if (most < 0 || e->loss[most] < 0.01 * sum) break;
        last = e->loss[most];
        printf("%s %.0f %% %s", k == 0 ? ":" : ",", 100 * last / sum, tw_loss_name((twLoss)most));
    }
    printf("\n");
}

// of an output in pascals
static void print_pressure(const twSceneOutput* output, const twRenderOutput* out)
{
    const double peak = out->gain > 0 ? out->level.peak / out->gain : 0;
    if (output->quantity != TW_SOUND_PRESSURE || !(peak > 0)) return;
    printf("         peak %.3g Pa, %.1f dB SPL\n", peak, 20 * log10(peak / HEARING_PA));
}

static void print_report(const twScene* scene, const twRenderReport* report)
{
    for (int i = 0; i < report->output_count; i++)
    {
        const twRenderOutput* out = &report->outputs[i];
        printf("sound    %s  (%.2f s, peak %.1f dBFS, %.1f LUFS)\n", out->wav, (double)report->frames / scene->rate_hz,
               20 * log10(out->level.peak), out->level.loudness_lufs);
        if (out->png[0]) printf("picture  %s\n", out->png);
        if (report->heard || scene->rods_touch) print_pressure(&scene->outputs[i], out);
    }
    if (report->before[0]) printf("before   %s: rendered first, as this begins where that ends\n", report->before);
    if (report->trace[0]) printf("motion   %s\n", report->trace);
    printf("report   %s\n", report->json);
    const char* what = tw_scene_has_world(scene) ? "motion" : "sound";
    printf("         %.1f s of %s in %.2f s, %.3g times real time\n", report->sound_seconds, what,
           report->compute_seconds, report->sound_seconds / report->compute_seconds);
    if (scene->rods_touch) print_touches(scene, report);
    if (report->world.given && !scene->rods_touch) print_losses(&report->world.energy);
    if (report->heard) print_heard(scene, &report->hearing);
    if (report->tail >= 0.005) printf("         bodies ring on for %.2f s after the scene\n", report->tail);
    if (scene->body_count > 0 && scene->output_count == 0 && !(scene->frame_rate_hz > 0))
        printf("note     no sound: 'frames: 0' keeps no motion that could be heard\n");
    for (int i = 0; i < report->output_count; i++)
        if (report->outputs[i].level.peak == 0)
            printf("note     '%s' is silent: does anything strike or rub?\n", scene->outputs[i].name);
        else if (is_inaudible(scene, &scene->outputs[i], &report->outputs[i]))
            printf("note     '%s' peaks at %.1e %s, less than can be heard: does anything strike?\n",
                   scene->outputs[i].name, report->outputs[i].level.peak / report->outputs[i].gain,
                   scene->outputs[i].quantity == TW_SOUND_PRESSURE ? "Pa" : "m/s");
    for (int i = 0; i < report->output_count; i++)
        if (scene->outputs[i].level == TW_LEVEL_LOUDNESS &&
            report->outputs[i].level.loudness_lufs < scene->outputs[i].level_value - 0.1)
            printf("note     '%s' reaches %.1f of %.1f LUFS: its peak allows no more\n", scene->outputs[i].name,
                   report->outputs[i].level.loudness_lufs, scene->outputs[i].level_value);
    if (report->stats.unconverged > 0)
        printf("note     %ld contact solves missed their tolerance; raise 'oversample' or soften the contact\n",
               report->stats.unconverged);
    if (report->stats.bad_inputs > 0)
        printf("note     %ld control values were not finite or absurd and counted as 0\n", report->stats.bad_inputs);
    if (report->stats.resets > 0)
        printf("note     %ld objects were silenced because they were no longer finite\n", report->stats.resets);
}

// how good frequencies and radiation of the bodies are, shape by shape
static void print_modes(const twScene* scene, const twRenderReport* report)
{
    for (int i = 0; i < report->modes_count; i++)
    {
        const twRenderModes* m = &report->modes[i];
        const twBakeReport bake = {.error_estimate = m->error,
                                   .error_known = m->error_known,
                                   .unknown_modes = m->unknown_modes,
                                   .one_sided = m->one_sided};
        char error[200], more[60] = "";
        if (m->bodies > 1) snprintf(more, sizeof more, " and %d more", m->bodies - 1);
        if (m->count > 0 && bake_error_text(error, sizeof error, &bake)[0])
            printf("modes    '%s'%s: %d, frequencies are %s\n", scene->bodies[m->body].name, more, m->count, error);
        if (m->radiation_left > 0)
            printf("         radiation of %d of them is estimated: %.1f dB of their loudness\n", m->radiation_left,
                   m->radiation_left_db);
    }
}

static void print_rod_notes(const twScene* scene, const twRenderReport* report)
{
    for (int i = 0; i < report->rod_count; i++)
        if (report->rods[i].stats.stops > 0)
            printf("note     rod '%s' was stopped %ld times where no step would do: it moves too violently; raise "
                   "'oversample', add damping or points, or strike it less hard\n",
                   scene->rods[i].name, (long)report->rods[i].stats.stops);
    for (int i = 0; i < report->rod_count; i++)
        if (report->rods[i].below_ground)
            printf("note     rod '%s' went through the ground, which is no obstacle; its reflection is wrong then\n",
                   scene->rods[i].name);
    for (int i = 0; i < scene->listener_count && report->listeners; i++)
    {
        const twListenerStats* s = &report->listeners[i];
        if (s->too_far > 0)
            printf("note     parts of the rods are farther from '%s' than 'farthest', %g m, and are not heard\n",
                   scene->listeners[i].name, scene->listeners[i].def.farthest);
        if (s->too_near > 0)
            printf("note     '%s' came within %g m of a rod; it sounds as from there\n", scene->listeners[i].name,
                   scene->listeners[i].def.nearest);
        if (s->bad_values > 0)
            printf("note     %ld values at '%s' were not finite and left out\n", (long)s->bad_values,
                   scene->listeners[i].name);
    }
}

// what went wrong while bodies moved, on stderr, where a program that reads the result does not see it
static void print_world_notes(const twRenderWorld* w)
{
    if (w->note[0]) fprintf(stderr, "note     %s\n", w->note);
    if (w->outside > OUTSIDE_TOLD)
        fprintf(stderr, "note     a surface reaches %.1f %% of its body's size out of the tets it is embedded in\n",
                100 * w->outside);
    if (w->stats.lost > 0)
        fprintf(stderr,
                "note     %ld bodies were lost: they went beyond 1e9 m, or were no longer finite, and stopped\n",
                (long)w->stats.lost);
    if (w->stats.failures > 0)
        fprintf(stderr, "note     %ld of %ld steps missed the tolerance of the contact solver\n",
                (long)w->stats.failures, (long)(w->stats.rod_steps > 0 ? w->stats.rod_steps : w->stats.steps));
    if (w->stats.dropped > 0)
        fprintf(stderr, "note     %ld times there was no room for all that may touch: touches may be missing\n",
                (long)w->stats.dropped);
    if (w->energy.total_rise > fmax(RISE_TOLD * w->largest_energy, ROUND_OFF * fabs(w->energy.start)))
        fprintf(stderr,
                "note     energy rose by %.2g J in all, by %.2g J at most in a step; %.3g J were the most there was\n",
                w->energy.total_rise, w->energy.largest_rise, w->largest_energy);
}

static void print_grabs(const twScene* scene, const twRenderWorld* w)
{
    for (int i = 0; i < scene->grab_count; i++)
        printf("         grab %s%son '%s': at most %.3g N, %.2g m off%s%s\n", scene->grabs[i].name,
               scene->grabs[i].name[0] ? " " : "", scene->grabs[i].on, w->grabs[i].force, w->grabs[i].error,
               w->grabs[i].limited ? "; it gave way" : "",
               w->grabs[i].powerless ? "; from where it pushes its point cannot be moved" : "");
}

// a folder that is there already must be one that can be written to; one that is not will be made
static twStatus check_folder(const char* folder, bool* used, twError* err)
{
    char file[512];
    struct stat info;
    *used = false;
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) return TW_OK;
    if (snprintf(file, sizeof file, "%s/report.json", folder) >= (int)sizeof file) return TW_OK;
    *used = access(file, F_OK) == 0;
    return cli_check_output("--output", file, NULL, err);
}

// scene.glb, or scene-x100.glb
static bool render_is_picture(const char* file)
{
    static const char* const names[][2] = {
        {"preview", ".mp4"}, {"still", ".png"}, {"scene", ".glb"}, {"series", ".png"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        const size_t length = strlen(names[i][0]);
        if (strncmp(file, names[i][0], length) != 0) continue;
        const char* rest = file + length;
        if (strncmp(rest, "-x", 2) == 0) rest += 2 + strspn(rest + 2, "0123456789.e-");
        if (rest > file + length && rest[-1] == '.') rest--;  // the ending's
        if (strcmp(rest, names[i][1]) == 0) return true;
    }
    return false;
}

// what an earlier render showed is not what this one sounds
static void remove_pictures(const char* folder)
{
    char path[512];
    DIR* dir = opendir(folder);
    for (struct dirent* entry; dir && (entry = readdir(dir));)
        if (render_is_picture(entry->d_name) &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            remove(path);
    if (dir) closedir(dir);
}

// pictures of what was recorded. The sound is there already: whatever fails here, it stays
static int make_pictures(const twScene* scene, const twRenderReport* report, const char* folder,
                         const CliPictures* pictures, bool json)
{
    twError err;
    twPictureReport made;
    CliPictures wanted = *pictures;
    const CliPictureJob job = {"render", report->trace, folder, NULL, json};
    // hands are not seen, but what they do
    wanted.arrows |= scene->grab_count > 0;
    twStatus status = cli_picture_save(&made, &job, &wanted, &err);
    if (!json) cli_picture_print(&made);
    if (status == TW_OK) return CLI_OK;
    return cli_fail(job.command, status == TW_INTERRUPTED ? CLI_INTERRUPTED : CLI_FAILED,
                    "%s; sound, motion and report are there", err.text);
}

// a render that was not finished is replaced only with a word
static void tell_part(const twScene* scene, const char* folder, bool resume)
{
    char part[512];
    int lock;
    if (!tw_scene_has_world(scene) || resume || tw_lock_folder(&lock, folder, NULL) != TW_OK) return;
    tw_unlock_folder(&lock);
    if (snprintf(part, sizeof part, "%s/trace.twtrace.part", folder) >= (int)sizeof part || access(part, F_OK) != 0)
        return;
    fprintf(stderr,
            "note     %s was left by a render that did not end, and is replaced; --resume would have gone on with it\n",
            part);
}

typedef struct RenderOptions
{
    const char *scene, *folder;
    const char* level;  // of all outputs; NULL: as the scene says
    double seconds;     // only the first of it; 0: all
    bool no_picture, json, resume;
    CliPictures pictures;
} RenderOptions;

// a part of a scene is another scene, also for what is resumed
static void cut_scene(twScene* scene, double seconds)
{
    if (!(seconds > 0 && seconds < scene->duration)) return;
    scene->duration = seconds;
    scene->hash = tw_hash(&seconds, sizeof seconds, scene->hash);
}

// one gain for all outputs, whatever the scene says
static twStatus render_set_level(twScene* scene, const char* text, twError* err)
{
    twLevelKind kind;
    double value;
    const twStatus status = cli_parse_level(text, &kind, &value, err);
    const bool true_scale = strcmp(text, "true") == 0;
    for (int i = 0; i < scene->output_count && status == TW_OK; i++)
    {
        // which only pressure has
        if (true_scale && scene->outputs[i].quantity != TW_SOUND_PRESSURE) continue;
        scene->outputs[i].level = kind;
        scene->outputs[i].level_value = value;
        scene->outputs[i].own_level = false;
    }
    return status;
}

// how a render ended that did not
static int fail_render(const twScene* scene, const RenderOptions* o, const twError* err)
{
    char state[512], seconds[64] = "";
    snprintf(state, sizeof state, "%.400s/trace.twtrace.state", o->folder);
    if (!tw_scene_has_world(scene) || access(state, F_OK) != 0) return cli_fail_error("render", err);
    const int code = err->status == TW_INTERRUPTED ? CLI_INTERRUPTED
                     : err->status == TW_BAD_INPUT ? CLI_USAGE
                                                   : CLI_FAILED;
    if (code == CLI_USAGE) return cli_fail("render", code, "%s", err->text);
    if (o->seconds > 0) snprintf(seconds, sizeof seconds, " --seconds %.9g", o->seconds);
    return cli_fail("render", code,
                    "%s; what was simulated is kept: 'twang render --resume' goes on with it"
                    " (twang render %s -o %s%s --resume)",
                    err->text, o->scene, o->folder, seconds);
}

static int render(const RenderOptions* o)
{
    const char* folder = o->folder;
    const CliPictures* pictures = &o->pictures;
    const bool no_picture = o->no_picture, json = o->json;
    char cache[400];
    twError err;
    twScene* scene;
    bool used;  // by an earlier render
    if (cli_picture_check(pictures, &err) != TW_OK) return cli_fail_error("render", &err);
    if (check_folder(folder, &used, &err) != TW_OK) return cli_fail_error("render", &err);
    if (tw_scene_load(&scene, o->scene, &err) != TW_OK) return cli_fail_error("render", &err);
    cut_scene(scene, o->seconds);
    if (o->level && render_set_level(scene, o->level, &err) != TW_OK)
    {
        tw_scene_destroy(scene);
        return cli_fail_error("render", &err);
    }
    if (o->resume && !tw_scene_has_world(scene))
    {
        tw_scene_destroy(scene);
        return cli_fail("render", CLI_USAGE,
                        "--resume: only renders of scenes with bodies, or rods that touch, can go on; leave it out");
    }
    tell_part(scene, folder, o->resume);
    if (scene->import && scene->import->note[0]) fprintf(stderr, "note     import: %s\n", scene->import->note);
    Watch watch = {.progress = cli_progress("rendering")};
    watch.progress.quiet = json;
    twRenderDef def = {.folder = folder,
                       .no_picture = no_picture,
                       .keep_going = keep_going,
                       .context = &watch,
                       .resume = o->resume,
                       .cache_folder = tw_cache_folder(cache, sizeof cache),
                       .keep_baking = keep_baking,
                       .keep_hearing = keep_hearing};
    twRenderReport report;
    twStatus status = tw_render(scene, &def, &report, &err);
    cli_progress_end(&watch.progress);
    int code = CLI_OK;
    if (status == TW_OK && report.world.given) print_world_notes(&report.world);
    if (status != TW_OK)
        code = fail_render(scene, o, &err);
    else if (json)
    {
        // what is in report.json, on stdout
        char* text;
        size_t bytes;
        if (tw_file_read(&text, &bytes, report.json, (size_t)1 << 26, &err) != TW_OK)
            code = cli_fail_error("render", &err);
        else
            fwrite(text, 1, bytes, stdout), free(text);
    }
    else
    {
        print_report(scene, &report);
        print_modes(scene, &report);
        if (report.world.given) print_grabs(scene, &report.world);
        print_rod_notes(scene, &report);
        if (used) print_others(folder, &report);
    }
    if (status == TW_OK && used) remove_pictures(folder);
    if (status == TW_OK && code == CLI_OK && report.trace[0] && !no_picture)
        code = make_pictures(scene, &report, folder, pictures, json);
    const bool asked =
        pictures->exaggerate != 1 || pictures->strip || pictures->arrows || pictures->cache || pictures->eye;
    if (status == TW_OK && asked && !report.trace[0] && !json)
        printf(
            "note     nothing of this scene is recorded, so there is nothing to be filmed: only rods and bodies are, "
            "unless 'frames' is 0\n");
    if (status == TW_OK && report.trouble.status != TW_OK)
    {
        const int told = cli_fail("render", CLI_FAILED, "%s; the sound is there", report.trouble.text);
        if (code == CLI_OK) code = told;
    }
    if (status == TW_OK) tw_render_report_free(&report);
    tw_scene_destroy(scene);
    return code;
}

int cmd_render(int argc, char** argv)
{
    RenderOptions o = {0};
    bool cut;
    CliOption options[7 + CLI_PICTURE_OPTIONS] = {
        {.kind = CLI_ARGUMENT, .name = "SCENE.yaml", .out = &o.scene, .help = "the scene", .required = true},
        {.kind = CLI_TEXT,
         .name = "-o|--output",
         .value = "DIR",
         .out = &o.folder,
         .help = "folder for the files (default: out/SCENE)"},
        {.kind = CLI_FLAG,
         .name = "--no-picture",
         .out = &o.no_picture,
         .help = "write no spectrogram and nothing to be seen"},
        {.kind = CLI_FLAG, .name = "--json", .out = &o.json, .help = "print the report as JSON"},
        {.kind = CLI_FLAG,
         .name = "--resume",
         .out = &o.resume,
         .help = "go on with a render of bodies that was interrupted"},
        {.kind = CLI_NUMBER,
         .name = "--seconds",
         .value = "S",
         .out = &o.seconds,
         .help = "only the first S seconds of the scene",
         .low = 0,
         .high = 1e6,
         .above = true,
         .unit = "s",
         .given = &cut},
        {.kind = CLI_TEXT,
         .name = "--level",
         .value = "LEVEL",
         .out = &o.level,
         .help =
             "of all sounds: true (1.0 = 20 Pa), peak=DBFS, loudness=LUFS, gain=FACTOR [default: as the scene says]"},
    };
    const int count = 7 + cli_picture_options(options + 7, &o.pictures);
    const CliUsage usage = {
        "render", "render a scene: sound, spectrogram, report, pictures of what moves", options, count,
        "Writes DIR/<output>.wav (floats; of listeners 1.0 is 20 Pa), DIR/spectrogram.png, DIR/report.json and, of rods and bodies, DIR/trace.twtrace;\n"
        "then DIR/preview.mp4, DIR/still.png, DIR/scene.glb and DIR/series.png of what moved, as 'twang picture' does.\n"
        "The scene format is described in docs/scene.md; examples are in scenes/.\n"
        "Example: twang render scenes/wineglass.yaml -o out/wineglass"};
    int code;
    if (!cli_parse(&usage, argc, argv, &code)) return code;
    char fallback[400];
    default_folder(o.scene, fallback, sizeof fallback);
    if (!o.folder) o.folder = fallback;
    return render(&o);
}
