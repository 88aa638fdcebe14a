// SPDX-License-Identifier: MIT
// twang friction: one friction contact of a scene under the microscope.

#include "cli.h"
#include "twang/rub.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAIL_SAMPLES (1 << 20)  // kept for pitch and plots
#define PLOT_SECONDS 0.03
#define STEADY_POINTS 400

static const char* const scheme_names[] = {"exact", "bilinear", NULL};

typedef struct Job
{
    const char *scene_path, *csv, *plot;
    int contact;  // from 1
    bool json, scheme_given;
    int scheme;
    CliProgress progress;
} Job;

static bool keep_going(double done, void* context)
{
    Job* job = context;
    cli_progress_update(&job->progress, done);
    return !cli_interrupted();
}

// the wanted contact's index among those with friction
static int find_contact(const twScene* scene, int wanted)
{
    for (int i = 0, seen = 0; i < scene->contact_count; i++)
        if (scene->contacts[i].def.has_friction && ++seen == wanted) return i;
    return -1;
}

// ---- output ----

static void print_json(const twScene* scene, const twRub* rub)
{
    const twNetEnergy* e = &rub->energy;
    twJson json = tw_json(stdout);
    tw_json_object(&json, NULL);
    tw_json_text(&json, "scheme", scheme_names[scene->scheme]);
    tw_json_number(&json, "rate", scene->rate_hz);
    tw_json_integer(&json, "oversample", scene->oversample);
    tw_json_integer(&json, "samples", rub->frames);
    tw_json_number(&json, "fundamental_hz", rub->fundamental_hz);
    tw_json_numbers(&json, "v_r_range", (double[]){rub->v_r_min, rub->v_r_max}, 2);
    tw_json_numbers(&json, "slip_range", (double[]){rub->slip_min, rub->slip_max}, 2);
    tw_json_number(&json, "v_e_mean", rub->v_e_mean);
    tw_json_number(&json, "stick_fraction", rub->stick_fraction);
    tw_json_number(&json, "normal_force_mean", rub->normal_force);
    tw_json_number(&json, "passive_speed", rub->passive_speed);
    tw_json_object(&json, "energy");
    tw_json_number(&json, "start", e->stored_start);
    tw_json_number(&json, "work_in", e->work_in);
    tw_json_number(&json, "noise_work", e->noise_work);
    tw_json_number(&json, "modal_loss", e->modal_loss);
    tw_json_number(&json, "impact_loss", e->impact_loss);
    tw_json_number(&json, "friction_loss", e->friction_loss);
    tw_json_number(&json, "stored", e->stored + e->springs);
    double turnover = e->stored_start + fabs(e->work_in) + fabs(e->noise_work);
    tw_json_number(&json, "balance_error", turnover > 0 ? e->balance_error / turnover : 0);
    tw_json_end(&json);
    tw_json_number(&json, "iterations_mean",
                   rub->stats.solves ? (double)rub->stats.iterations / (double)rub->stats.solves : 0);
    tw_json_integer(&json, "iterations_max", rub->stats.iterations_max);
    tw_json_integer(&json, "unconverged", rub->stats.unconverged);
    tw_json_integer(&json, "guarded", rub->stats.guarded);
    tw_json_end(&json);
    putchar('\n');
}

static void print_text(const twScene* scene, const twRub* rub)
{
    const twNetEnergy* e = &rub->energy;
    printf("scheme            %s, %g Hz, oversampling %d\n", scheme_names[scene->scheme], scene->rate_hz,
           scene->oversample);
    if (rub->fundamental_hz > 0)
        printf("fundamental       %.4f Hz\n", rub->fundamental_hz);
    else
        printf("fundamental       none: not periodic\n");
    printf("resonator         %.6f to %.6f m/s\n", rub->v_r_min, rub->v_r_max);
    printf("slip              %.6f to %.6f m/s, sticking %.1f %% of the time\n", rub->slip_min, rub->slip_max,
           100 * rub->stick_fraction);
    printf("exciter, mean     %.6f m/s\n", rub->v_e_mean);
    printf("energy in         %.9g J\n", e->work_in + e->noise_work + e->stored_start);
    printf("  lost in modes   %.9g J\n  in friction     %.9g J\n", e->modal_loss, e->friction_loss);
    if (e->impact_loss != 0) printf("  in impact       %.9g J\n", e->impact_loss);
    printf("  stored          %.9g J\n", e->stored + e->springs);
    printf("  unaccounted     %.2g J\n", e->balance_error);
    printf("solver            %.2f iterations on average, %d at most\n",
           rub->stats.solves ? (double)rub->stats.iterations / (double)rub->stats.solves : 0,
           rub->stats.iterations_max);
    double fastest = fmax(fabs(rub->slip_min), fabs(rub->slip_max));
    if (fastest > rub->passive_speed && rub->passive_speed > 0)
        printf("note              slip beyond %.3g m/s: there bristles may give back what they took a moment before\n",
               rub->passive_speed);
}

// ---- plot ----

static void plot_loop(twPlot* plot, const twSceneContact* contact, const twRub* rub, int from, int n)
{
    double *slip = malloc((size_t)n * sizeof(double)), x[STEADY_POINTS], y[STEADY_POINTS];
    if (!slip) return;
    for (int i = 0; i < n; i++) slip[i] = rub->column[2][from + i] - rub->column[4][from + i];
    tw_plot_panel(plot, "Force against slip", "slip v_r - v_e [m/s]", "friction [N]");
    tw_plot_line(plot, slip, rub->column[6] + from, (size_t)n, "run");
    double reach = fmax(fabs(rub->slip_min), fabs(rub->slip_max)), normal = rub->normal_force;
    for (int i = 0; i < STEADY_POINTS; i++)
    {
        x[i] = reach * (2.0 * i / (STEADY_POINTS - 1) - 1);
        y[i] = copysign(tw_friction_steady(&contact->def.friction, normal, fabs(x[i])), x[i]);
    }
    if (normal > 0) tw_plot_line(plot, x, y, STEADY_POINTS, "steady sliding");
    free(slip);
}

// where the window of n samples with the most resonator motion begins
static int loudest(const twRub* rub, int n)
{
    const double* v = rub->column[2];
    double sum = 0, most = -1;
    int best = 0;
    for (int i = 0; i < rub->tail; i++)
    {
        sum += v[i] * v[i];
        if (i >= n) sum -= v[i - n] * v[i - n];
        if (i >= n - 1 && sum > most * (1 + 1e-9)) most = sum, best = i - n + 1;
    }
    return best;
}

static twStatus save_plot(const char* path, const twScene* scene, const twSceneContact* contact, const twRub* rub,
                          twError* err)
{
    twPlot* plot = tw_plot_create(scene->title[0] ? scene->title : "Friction", 2);
    int n = (int)fmin(rub->tail, ceil(PLOT_SECONDS * scene->rate_hz)), from = loudest(rub, n);
    const double* t = rub->column[0] + from;
    tw_plot_panel(plot, "Velocities at the contact", "time [s]", "velocity [m/s]");
    tw_plot_line(plot, t, rub->column[2] + from, (size_t)n, "resonator");
    tw_plot_line(plot, t, rub->column[4] + from, (size_t)n, "exciter");
    tw_plot_panel(plot, "Bristle", "time [s]", "deflection z [m]");
    tw_plot_line(plot, t, rub->column[5] + from, (size_t)n, NULL);
    plot_loop(plot, contact, rub, from, n);
    tw_plot_panel(plot, "Resonator", "time [s]", "velocity [m/s]");
    tw_plot_line(plot, rub->column[0], rub->column[2], (size_t)rub->tail, NULL);
    twStatus status = tw_plot_save(plot, path, err);
    tw_plot_destroy(plot);
    return status;
}

// ---- the command ----

static twStatus rub_to_files(Job* job, const twScene* scene, twRub* rub, twError* err)
{
    int contact = find_contact(scene, job->contact);
    if (contact < 0)
        return tw_fail(err, TW_BAD_INPUT, "%s: there is no friction contact number %d", job->scene_path, job->contact);
    twFile* csv = NULL;
    twStatus status = cli_check_plot("--plot", job->plot, err);
    if (status == TW_OK && job->csv) status = tw_file_create(&csv, job->csv, err);
    if (status != TW_OK) return status;
    job->progress = cli_progress("rubbing");
    job->progress.quiet = job->json;
    twRubDef def = {.contact = contact,
                    .csv = csv ? tw_file_stream(csv) : NULL,
                    .tail = TAIL_SAMPLES,
                    .keep_going = keep_going,
                    .context = job};
    status = tw_rub(rub, scene, &def, err);
    cli_progress_end(&job->progress);
    if (status == TW_OK && job->plot) status = save_plot(job->plot, scene, &scene->contacts[contact], rub, err);
    if (status == TW_OK && csv) return tw_file_commit(&csv, err);
    tw_file_abort(&csv);
    return status;
}

static int run_job(Job* job)
{
    twError err;
    twScene* scene;
    if (tw_scene_load(&scene, job->scene_path, &err) != TW_OK) return cli_fail_error("friction", &err);
    if (job->scheme_given) scene->scheme = (twScheme)job->scheme;
    twRub rub = {0};
    int code = CLI_OK;
    if (rub_to_files(job, scene, &rub, &err) != TW_OK)
        code = cli_fail_error("friction", &err);
    else if (job->json)
        print_json(scene, &rub);
    else
        print_text(scene, &rub);
    tw_rub_free(&rub);
    tw_scene_destroy(scene);
    return code;
}

int cmd_friction(int argc, char** argv)
{
    Job job = {.contact = 1};
    const CliOption options[] = {
        {.kind = CLI_ARGUMENT,
         .name = "SCENE.yaml",
         .out = &job.scene_path,
         .help = "a scene with a friction interaction",
         .required = true},
        {.kind = CLI_INTEGER,
         .name = "--contact",
         .value = "N",
         .out = &job.contact,
         .help = "which friction interaction, from 1",
         .low = 1,
         .high = 100000},
        {.kind = CLI_CHOICE,
         .name = "--scheme",
         .value = "NAME",
         .out = &job.scheme,
         .help = "instead of the scene's; bilinear is the source's",
         .choices = scheme_names,
         .given = &job.scheme_given},
        {.kind = CLI_FLAG, .name = "--json", .out = &job.json, .help = "print the result as JSON"},
        {.kind = CLI_TEXT,
         .name = "--csv",
         .value = "FILE",
         .out = &job.csv,
         .help = "write t,x_r,v_r,x_e,v_e,z,f per sample"},
        {.kind = CLI_TEXT,
         .name = "--plot",
         .value = "FILE",
         .out = &job.plot,
         .help = "draw velocities, bristle, force against slip (.svg or .png)"},
    };
    const CliUsage usage = {
        "friction", "one friction contact under the microscope", options, sizeof options / sizeof options[0],
        "The plot's windows show the 30 ms in which the resonator moves most.\n"
        "Pitch, ranges and stick fraction are taken over the second half of the run. r is the resonator (second in\n"
        "'between'), e the exciter (first). Sample 0 is the initial state.\n"
        "Example: twang friction scenes/friction-reference.yaml --json"};
    int code;
    return cli_parse(&usage, argc, argv, &code) ? run_job(&job) : code;
}
