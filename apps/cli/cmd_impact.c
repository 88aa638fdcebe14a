// SPDX-License-Identifier: MIT
// twang impact: one mass against a rigid wall, numeric beside exact.

#include "impact.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Request
{
    twWallDef def;
    double duration;  // [s]
    bool timed;       // runs for the duration, else until the release
    bool json;
    const char *csv, *plot;
} Request;

// ---- limits ----

#define STEPS_MAX 1000000000    // about a minute
#define REBOUNDS_MAX (1 << 20)  // instants kept; further ones are only counted

// how many steps to take at most; the last one is a limit for runs that end by themselves
static twStatus count_steps(const Request* request, int64_t* steps, twError* err)
{
    const twWallDef* def = &request->def;
    double samples = request->duration * def->rate_hz;
    if (!request->timed)
    {
        double lasting = tw_impact_exact(&def->law, def->mass, def->velocity).contact_time * def->rate_hz;
        samples = 10 * lasting + 1000;
        if (!(samples <= STEPS_MAX))
            return tw_fail(err, TW_BAD_INPUT,
                           "the contact lasts about %.3g samples, too many to step; lower --rate or raise --stiffness",
                           lasting);
    }
    if (!(samples <= STEPS_MAX))
        return tw_fail(err, TW_BAD_INPUT, "--duration times --rate is %.3g samples; at most %d can be stepped", samples,
                       STEPS_MAX);
    *steps = (int64_t)floor(samples * (1 + 1e-12));
    return TW_OK;
}

// the mass must meet the wall at all
static twStatus check_meeting(const twWallDef* def, twError* err)
{
    if (def->velocity > 0 || def->gravity > 0) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT,
                   "--velocity: at %g m/s the mass never meets the wall; it must be above 0, or --gravity must",
                   def->velocity);
}

// ---- the run ----

// what a run leaves behind
typedef struct Result
{
    twWallRun run;
    double* rebounds;  // instants [s]
    int rebound_count, rebound_capacity;
    twFile* csv;
    Trace *contact, *all;  // NULL without a plot
    bool contact_over;     // the sample of the release is in contact too
} Result;

static void destroy_result(Result* result)
{
    tw_file_abort(&result->csv);
    free(result->rebounds);
    free(result->contact);
    free(result->all);
}

static twStatus note_rebound(Result* result, twError* err)
{
    if (result->rebound_count == REBOUNDS_MAX) return TW_OK;
    if (result->rebound_count == result->rebound_capacity)
    {
        int capacity = result->rebound_capacity ? 2 * result->rebound_capacity : 256;
        double* grown = realloc(result->rebounds, (size_t)capacity * sizeof *grown);
        if (!grown) return tw_fail(err, TW_NO_MEMORY, "no memory for %d rebounds", capacity);
        result->rebounds = grown;
        result->rebound_capacity = capacity;
    }
    result->rebounds[result->rebound_count++] = result->run.last.start;
    return TW_OK;
}

static void note_sample(Result* result)
{
    const twWallRun* run = &result->run;
    const twWall* wall = &run->wall;
    if (result->csv)
        fprintf(tw_file_stream(result->csv), "%.17g,%.17g,%.17g,%.17g,%.17g\n", (double)run->steps / wall->def.rate_hz,
                wall->xc, wall->v, sample_force(wall), tw_wall_energy(wall));
    if (!result->all) return;
    trace_add(result->all, run);
    if (!result->contact_over) trace_add(result->contact, run);
    result->contact_over = run->first.over;
}

static twStatus open_outputs(const Request* request, Result* result, twError* err)
{
    twStatus status = cli_check_plot("--plot", request->plot, err);
    if (status != TW_OK) return status;
    if (request->plot)
    {
        result->contact = calloc(1, sizeof *result->contact);
        result->all = calloc(1, sizeof *result->all);
        if (!result->contact || !result->all) return tw_fail(err, TW_NO_MEMORY, "no memory for the plot");
    }
    if (!request->csv) return TW_OK;
    status = tw_file_create(&result->csv, request->csv, err);
    if (status == TW_OK) fputs("t,x,v,f,H\n", tw_file_stream(result->csv));
    return status;
}

// why a run cannot go on, every now and then
static twStatus check_run(const twWallRun* run, twError* err)
{
    if (cli_interrupted()) return tw_fail(err, TW_INTERRUPTED, "interrupted");
    if (run->finite) return TW_OK;
    return tw_fail(err, TW_NO_CONVERGE, "the run has overflowed by t = %g s; raise --rate, or use --method qi",
                   (double)run->steps / run->wall.def.rate_hz);
}

static twStatus step_all(const Request* request, Result* result, int64_t steps, twError* err)
{
    twWallRun* run = &result->run;
    CliProgress progress = cli_progress("impact");
    progress.quiet = request->json;
    twStatus status = run->contacts ? note_rebound(result, err) : TW_OK;
    note_sample(result);
    while (status == TW_OK && run->steps < steps && (request->timed || !run->first.over))
    {
        int64_t contacts = run->contacts;
        tw_wall_run_step(run);
        if (run->contacts > contacts) status = note_rebound(result, err);
        note_sample(result);
        if (status == TW_OK && (run->steps % 1024 == 0 || !run->finite)) status = check_run(run, err);
        if (run->steps % 1024 == 0) cli_progress_update(&progress, (double)run->steps / (double)steps);
    }
    cli_progress_end(&progress);
    if (status == TW_OK && !request->timed && !run->first.over)
        return tw_fail(err, TW_NO_CONVERGE,
                       "the contact has not ended after %lld samples; another --method or --rate may help",
                       (long long)run->steps);
    return status;
}

static twStatus run_impact(const Request* request, Result* result, twError* err)
{
    int64_t steps = 0;
    twStatus status = tw_wall_def_check(&request->def, err);
    if (status == TW_OK) status = check_meeting(&request->def, err);
    if (status == TW_OK) status = count_steps(request, &steps, err);
    if (status == TW_OK) status = open_outputs(request, result, err);
    if (status != TW_OK) return status;
    twWall start = tw_wall(&request->def);
    result->run = tw_wall_run(&start);
    status = step_all(request, result, steps, err);
    if (status == TW_OK && result->csv) status = tw_file_commit(&result->csv, err);
    if (status == TW_OK && request->plot)
        status = impact_plot(request->plot, &result->run, result->contact, result->all, request->timed, err);
    return status;
}

// ---- figures ----

// the figures of a contact, numeric or exact; NaN where there is none
typedef struct Figures
{
    double x_max, v_out, energy_out, contact_time, samples;
} Figures;

static Figures numeric_figures(const twWallRun* run)
{
    const twWallContact* contact = &run->first;
    Figures figures = {NAN, NAN, NAN, NAN, NAN};
    if (contact->began) figures.x_max = contact->x_max;
    if (!contact->over) return figures;
    figures.v_out = contact->v_out;
    figures.energy_out = 0.5 * run->wall.def.mass * contact->v_out * contact->v_out;
    figures.contact_time = contact->end - contact->start;
    figures.samples = (double)contact->samples;
    return figures;
}

static Figures exact_figures(const twWallDef* def, bool approximate)
{
    twImpactExact exact = tw_impact_exact(&def->law, def->mass, fabs(def->velocity));
    double v_out = approximate ? exact.v_out_approx : exact.v_out;
    return (Figures){exact.x_max, v_out, 0.5 * def->mass * v_out * v_out, exact.contact_time,
                     exact.contact_time * def->rate_hz};
}

static double percent(double value, double reference) { return reference != 0 ? 100 * (value / reference - 1) : NAN; }

// ---- output ----

static void print_figures(twJson* json, const Figures* figures)
{
    tw_json_number(json, "x_max", figures->x_max);
    tw_json_number(json, "v_out", figures->v_out);
    tw_json_number(json, "energy_out", figures->energy_out);
    tw_json_number(json, "contact_time", figures->contact_time);
    tw_json_number(json, "samples_in_contact", figures->samples);
}

static void print_errors(twJson* json, const char* key, const Figures* numeric, const Figures* reference)
{
    tw_json_object(json, key);
    tw_json_number(json, "x_max", percent(numeric->x_max, reference->x_max));
    tw_json_number(json, "v_out", percent(numeric->v_out, reference->v_out));
    tw_json_number(json, "energy", percent(numeric->energy_out, reference->energy_out));
    tw_json_end(json);
}

static void print_parameters(twJson* json, const Request* request)
{
    const twWallDef* def = &request->def;
    tw_json_object(json, "parameters");
    tw_json_number(json, "mass", def->mass);
    tw_json_number(json, "stiffness", def->law.stiffness);
    tw_json_number(json, "mu", def->law.dissipation);
    tw_json_number(json, "exponent", def->law.exponent);
    tw_json_number(json, "velocity", def->velocity);
    tw_json_number(json, "rate", def->rate_hz);
    tw_json_number(json, "gravity", def->gravity);
    if (request->timed) tw_json_number(json, "duration", request->duration);
    tw_json_bool(json, "correct", def->correct);
    tw_json_end(json);
}

static double relative_gain(const twWallRun* run)
{
    return run->energy_start > 0 ? run->gain_max / run->energy_start : NAN;
}

static void print_json(const Request* request, const Result* result)
{
    const twWallRun* run = &result->run;
    Figures numeric = numeric_figures(run), exact = exact_figures(&request->def, false),
            approx = exact_figures(&request->def, true);
    twJson json = tw_json(stdout);
    tw_json_object(&json, NULL);
    tw_json_text(&json, "method", tw_impact_method_name(request->def.method));
    print_parameters(&json, request);
    print_figures(&json, &numeric);
    tw_json_object(&json, "exact");
    print_figures(&json, &exact);
    tw_json_end(&json);
    print_errors(&json, "error_percent", &numeric, &exact);
    print_errors(&json, "error_percent_approx", &numeric, &approx);
    tw_json_number(&json, "energy_gain_max", relative_gain(run));
    tw_json_integer(&json, "iterations_max", run->iterations_max);
    tw_json_integer(&json, "unconverged", run->wall.unconverged);
    if (request->timed)
    {
        tw_json_integer(&json, "rebounds", run->contacts);
        tw_json_numbers(&json, "rebound_times", result->rebounds, (size_t)result->rebound_count);
    }
    tw_json_end(&json);
}

static void print_line(const char* name, double numeric, double exact)
{
    printf("  %-20s  %14.8g  %14.8g  ", name, numeric, exact);
    if (isfinite(percent(numeric, exact)))
        printf("%+9.3g %%\n", percent(numeric, exact));
    else
        printf("%9s\n", "-");
}

static void print_table(const Request* request, const Result* result)
{
    const twWallDef* def = &request->def;
    const twWallRun* run = &result->run;
    Figures numeric = numeric_figures(run), exact = exact_figures(def, false);
    printf("%g kg at %g m/s, k = %g N/m^%g, mu = %g s/m; %s%s at %g Hz\n\n", def->mass, def->velocity,
           def->law.stiffness, def->law.exponent, def->law.dissipation, tw_impact_method_name(def->method),
           def->correct ? " corrected" : "", def->rate_hz);
    printf("  %-20s  %14s  %14s  %9s\n", "", "numeric", "exact", "error");
    print_line("x_max [m]", numeric.x_max, exact.x_max);
    print_line("v_out [m/s]", numeric.v_out, exact.v_out);
    print_line("energy out [J]", numeric.energy_out, exact.energy_out);
    print_line("contact time [s]", numeric.contact_time, exact.contact_time);
    print_line("samples in contact", numeric.samples, exact.samples);
    printf("\nlargest energy gain in one step: %.3g of the initial energy; iterations per step: at most %d\n",
           relative_gain(run), run->iterations_max);
    if (!run->first.began)
        printf("no contact within %g s\n", request->duration);
    else if (!run->first.over)
        printf("the first contact has not ended within %g s\n", request->duration);
    if (!request->timed) return;
    printf("contacts within %g s: %lld", request->duration, (long long)run->contacts);
    if (def->gravity != 0) printf(" under %g m/s^2 (the exact values are those without gravity)", def->gravity);
    putchar('\n');
}

// ---- the command ----

static const char notes[] =
    "The exact values are closed forms for one contact without gravity. With --gravity or --duration the run lasts\n"
    "for the duration and counts contacts; the figures describe the first one. The CSV holds t, x, v, f, H per sample,\n"
    "x being the compression the law sees (negative when open).\n"
    "\n"
    "Examples:\n"
    "  twang impact --method am1                                  case 1 of Papetti et al. 2009\n"
    "  twang impact --stiffness 1e9 --mu 0.5 --exponent 1.5 --velocity 1 --json\n"
    "  twang impact --gravity 9.81 --duration 2 --plot bounce.svg\n";

int cmd_impact(int argc, char** argv)
{
    Request request = {.def = tw_wall_def(), .duration = 2};
    twWallDef* def = &request.def;
    const char* methods[TW_QI + 2] = {NULL};
    for (int i = TW_AM1; i <= TW_QI; i++) methods[i] = tw_impact_method_name((twImpactMethod)i);
    int method = (int)def->method, code;
    bool has_duration = false;
    // clang-format off
    const CliOption options[] = {
        {CLI_NUMBER, "--mass", "KG", &def->mass, .high = 1e12, .above = true, .unit = "kg",
         .help = "mass"},
        {CLI_NUMBER, "--stiffness", "K", &def->law.stiffness, .high = 1e30, .above = true, .unit = "N/m^a",
         .help = "k of the force k x^a (1 + mu v) [N/m^a]"},
        {CLI_NUMBER, "--mu", "MU", &def->law.dissipation, .high = 1e6, .unit = "s/m",
         .help = "dissipation mu [s/m]"},
        {CLI_NUMBER, "--exponent", "A", &def->law.exponent, .low = 1, .high = 10,
         .help = "exponent a"},
        {CLI_NUMBER, "--velocity", "V", &def->velocity, .low = -1e6, .high = 1e6, .unit = "m/s",
         .help = "velocity toward the wall at t = 0, x = 0 [m/s]"},
        {CLI_NUMBER, "--rate", "HZ", &def->rate_hz, .high = 1e9, .above = true, .unit = "Hz",
         .help = "samples per second"},
        {CLI_CHOICE, "--method", "NAME", &method, .choices = methods,
         .help = "scheme"},
        {CLI_FLAG, "--correct", NULL, &def->correct,
         .help = "the source's corrections: clip x to x_max, set v_out at the release"},
        {CLI_NUMBER, "--gravity", "G", &def->gravity, .low = -1e6, .high = 1e6, .unit = "m/s^2",
         .help = "acceleration toward the wall [m/s^2]"},
        {CLI_NUMBER, "--duration", "T", &request.duration, .high = 1e6, .above = true, .unit = "s",
         .given = &has_duration, .help = "length of a run with gravity [s]"},
        {CLI_FLAG, "--json", NULL, &request.json,
         .help = "print one JSON object"},
        {CLI_TEXT, "--csv", "FILE", &request.csv,
         .help = "write t,x,v,f,H of every sample"},
        {CLI_TEXT, "--plot", "FILE", &request.plot,
         .help = "draw phase portrait, force and energy (.svg or .png); with gravity also the height"},
    };
    // clang-format on
    CliUsage usage = {"impact", "one impact under the microscope: numeric against exact", options,
                      sizeof options / sizeof options[0], notes};
    if (!cli_parse(&usage, argc, argv, &code)) return code;
    def->method = (twImpactMethod)method;
    request.timed = has_duration || def->gravity != 0;

    twError err;
    Result result = {.csv = NULL};
    if (run_impact(&request, &result, &err) != TW_OK)
        code = cli_fail_error("impact", &err);
    else if (request.json)
        print_json(&request, &result);
    else
        print_table(&request, &result);
    destroy_result(&result);
    return code;
}
