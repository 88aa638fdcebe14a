// SPDX-License-Identifier: MIT
// Tests of the command line: runs the built program and looks at its output, files and exit code. Expected numbers are
// those of docs/impact.md: the published table, the closed forms, an event-exact bounce.
#define _XOPEN_SOURCE 700
#include "cli.h"

// ---- JSON ----

// the number after "key" (searched from "inside" on, if not NULL); NaN if there is none
static double number(const char* inside, const char* key)
{
    char quoted[80];
    const char* at = output;
    if (inside)
    {
        snprintf(quoted, sizeof quoted, "\"%s\":", inside);
        at = strstr(at, quoted);
        if (!at) return NAN;
    }
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    at = strstr(at, quoted);
    if (!at) return NAN;
    at = skip_space(at + strlen(quoted));
    char* end;
    double value = strtod(at, &end);
    return end > at ? value : NAN;
}

// the n-th number of an array, from 0
static double element(const char* key, int n)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\": [", key);
    const char* at = strstr(output, quoted);
    if (!at) return NAN;
    at += strlen(quoted);
    for (int i = 0; i < n; i++)
    {
        at = strpbrk(at, ",]");
        if (!at || *at == ']') return NAN;
        at++;
    }
    return strtod(at, NULL);
}

// ---- frame ----

static int every_command_explains_itself(void)
{
    ENSURE(run("--help") == 0);
    static char help[OUTPUT_MAX];
    strcpy(help, output);
    int commands = 0;
    const char* at = strstr(help, "Commands:\n");
    ENSURE(at != NULL);
    for (at = strchr(at, '\n') + 1; strncmp(at, "  ", 2) == 0; at = strchr(at, '\n') + 1)
    {
        char name[32], args[64], expected[64];
        ENSURE(sscanf(at, "%31s", name) == 1);
        snprintf(expected, sizeof expected, "Usage: twang %s", name);
        snprintf(args, sizeof args, "%s --help", name);
        ENSURE(run(args) == 0 && strstr(output, expected));
        snprintf(args, sizeof args, "help %s", name);
        ENSURE(run(args) == 0 && strstr(output, expected));
        commands++;
    }
    ENSURE(commands >= 3);
    return 0;
}

static int version_is_the_first_line(void)
{
    ENSURE(run("--version") == 0);
    int major, minor, patch;
    ENSURE(sscanf(output, "twang %d.%d.%d", &major, &minor, &patch) == 3);
    return 0;
}

static int no_command_is_a_usage_error(void)
{
    ENSURE(run("2>/dev/null") == 2 && output[0] == 0);
    ENSURE(run("2>&1") == 2 && strstr(output, "Commands:"));
    return 0;
}

static int help_shows_the_defaults(void)
{
    ENSURE(run("impact --help") == 0);
    ENSURE(strstr(output, "--mass KG") && strstr(output, "[default: 0.01]"));
    ENSURE(strstr(output, "am1, verlet, heun, rk4, dg, qi [default: qi]"));
    ENSURE(run("strike --help") == 0 && strstr(output, ": felt, rubber, wood, plastic, metal [default: wood]"));
    ENSURE(run("modes --help") == 0 && strstr(output, "[default: 32, or all up to --max-freq]"));
    return 0;
}

// no mode can be heard, and so there are no errors of modes to be found
static int a_body_without_modes_is_told_in_one_line(void)
{
    ENSURE(run("modes box:0.01x0.01x0.01 --max-freq 20000 --no-cache 2>&1") != 0);
    ENSURE(strncmp(output, "twang modes: there is no mode up to 20000 Hz", 44) == 0);
    ENSURE(strchr(output, '\n') == output + strlen(output) - 1);
    return 0;
}

static int bad_usage_is_named_with_its_cure(void)
{
    static const char* const cases[][2] = {
        {"impct", "twang: unknown command 'impct'; did you mean 'impact'?"},
        {"xyzzy", "twang: unknown command 'xyzzy'; 'twang --help' lists what there is"},
        {"--hlep", "did you mean '--help'?"},
        {"help impct", "did you mean 'impact'?"},
        {"impact --mass 7kg", "twang impact: --mass: '7kg' is not a number; write it in kg without a unit"},
        {"impact --mass=7kg", "--mass: '7kg' is not a number"},
        {"impact --mass nan", "--mass: 'nan' is not a number"},
        {"impact --mass inf", "--mass: 'inf' is not a number"},
        {"impact --mass 0x1", "--mass: '0x1' is not a number"},
        {"impact --mass ' 1'", "--mass: ' 1' is not a number"},
        {"impact --mass 1e999", "--mass: '1e999' is too large"},
        {"impact --mass -1", "--mass: -1 is out of range; it must be above 0 and at most 1e+12 kg"},
        {"impact --mass 0", "--mass: 0 is out of range"},
        {"impact --exponent 0.5", "--exponent: 0.5 is out of range; it must be at least 1 and at most 10"},
        {"impact --duration 0 --gravity 9.81", "--duration: 0 is out of range; it must be above 0"},
        {"impact --mass", "--mass needs a value: --mass KG"},
        {"impact --csv --json", "--csv needs a value: --csv FILE"},
        {"impact --csv=", "--csv: the value is empty"},
        {"impact --json=1", "--json takes no value"},
        {"impact --methd qi", "unknown option '--methd'; did you mean '--method'?"},
        {"impact --method rk5", "--method: 'rk5' is not one of am1, verlet, heun, rk4, dg, qi; did you mean 'rk4'?"},
        {"impact wall", "unexpected argument 'wall'"},
        {"impact --velocity -1", "--velocity: at -1 m/s the mass never meets the wall"},
        {"impact --velocity 0", "the mass never meets the wall"},
        {"impact --gravity 9.81 --duration 1e6", "at most 1000000000 can be stepped"},
        {"impact --stiffness 1e-300 --mass 1e12", "too many to step; lower --rate or raise --stiffness"},
        {"materials stel", "no material 'stel'; did you mean 'steel'?"},
        {"modes bar: --material red-oak --fibre w", "--fibre: 'w' is no direction of fibres; write x, y, z or X,Y,Z"},
        {"materials maple", "did you mean 'sugar-maple'?"},
        {"modes bar: --fibre x", "'steel', which is the same in all directions; 'twang materials' lists woods"},
        {"reproduce impakt", "did you mean 'impact'?"},
        {"impact --velocity 1,5", "--velocity: '1,5' is not a number: decimal comma; write 1.5"},
        {"modes bar: --density 7,850", "decimal comma; write 7.850 or 7850"},
        {"modes bar: --material glas", "did you mean 'glass'?"},
        {"modes bar:0,3x0,02x0,01", "decimal comma: write bar:0.3x0.02x0.01"},
        {"modes bowl", "there is no file 'bowl'; the shape is written 'bowl:'"},
        {"info bwol", "there is no file 'bwol'; the shape is written 'bowl:'"},
        {"info no-such.obj --units yd", "is not one of m, dm, cm, mm, in, ft"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        char args[256];
        snprintf(args, sizeof args, "%s 2>/dev/null", cases[i][0]);
        ENSURE(run(args) == 2 && output[0] == 0);
        snprintf(args, sizeof args, "%s 2>&1", cases[i][0]);
        int code = run(args);
        if (code != 2 || !strstr(output, cases[i][1])) printf("%s: %d, %s", cases[i][0], code, output);
        ENSURE(code == 2 && strstr(output, cases[i][1]));
    }
    return 0;
}

static int bad_usage_writes_nothing(void)
{
    remove_files();
    ENSURE(run("impact --mass -1 --csv a.csv --plot a.svg 2>&1") == 2);
    ENSURE(run("impact --velocity 0 --csv a.csv --plot a.svg 2>&1") == 2);
    ENSURE(run("impact --csv a.csv --plot missing/a.svg 2>&1") == 1);
    ENSURE(strstr(output, "missing"));
    // runs that fail on the way
    ENSURE(run("impact --stiffness 1e30 --rate 1 --method rk4 --csv a.csv --plot a.svg 2>&1") == 1);
    ENSURE(strstr(output, "overflowed"));
    ENSURE(count_files() == 0);
    return 0;
}

// bodies that do not exist: were they looked at first, the messages would be about them
static int outputs_are_checked_before_the_work(void)
{
    static const struct
    {
        const char *args, *cure;
        int code;
    } cases[] = {
        {"modes none.obj -o a.wav", "--output: 'a.wav' must end with .twmodes", 2},
        {"modes none.obj --plot a.svg", "--plot: 'a.svg' must end with .png", 2},
        {"modes none.obj -o missing/a.twmodes", "mkdir -p 'missing'", 1},
        {"modes none.obj --plot missing/deep/a.png", "mkdir -p 'missing/deep'", 1},
        {"modes none.obj -o /proc/a.twmodes", "no file can be made in /proc", 1},
        {"modes none.obj --with-tets", "-o FILE.twmodes", 2},
        {"modes none.obj --count 3 --decay 1,2", "2 decays for 3 modes", 2},
        {"modes none.obj --count 3 --max-freq 9 --decay 1,2,3,4", "4 decays for at most 3 modes", 2},
        {"strike none.obj -o a.png", "--output: 'a.png' must end with .wav", 2},
        {"strike none.obj -o .wav", "must end with .wav", 2},
        {"strike none.obj -o missing/a.wav", "mkdir -p 'missing'", 1},
        {"strike none.obj --at 1,2 -o a.wav", "--at: '1,2' must be X,Y,Z in metres", 2},
        {"impact --plot a.gif", "--plot: 'a.gif' must end with .svg or .png", 2},
        {"friction " TEST_SOURCE_DIR "/scenes/friction-reference.yaml --plot a.gif", "must end with .svg or .png", 2},
    };
    remove_files();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        char args[256];
        snprintf(args, sizeof args, "%s 2>&1", cases[i].args);
        int code = run(args);
        if (code != cases[i].code || !strstr(output, cases[i].cure)) printf("%s: %d, %s", args, code, output);
        ENSURE(code == cases[i].code && strstr(output, cases[i].cure));
    }
    ENSURE(count_files() == 0);
    return 0;
}

// a limit of 4 KiB for files is as good as a full disk
static int commands_say_alike_that_a_file_could_not_be_written(void)
{
    static const char* const cases[][2] = {
        {"modes box:0.1x0.1x0.1 --count 6 --accuracy 99 --no-cache -o a.twmodes", "a.twmodes"},
        {"modes box:0.1x0.1x0.1 --count 6 --accuracy 99 --no-cache --plot a.png", "a.png"},
        {"strike box:0.5x0.5x0.5 --count 1 --accuracy 99 --no-cache -o a.wav", "a.wav"},
        {"impact --gravity 9.81 --csv a.csv", "a.csv"},
        {"impact --gravity 9.81 --plot a.svg", "a.svg"},
    };
    remove_files();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        char args[512], expected[64];
        snprintf(args, sizeof args, "--version >/dev/null; trap '' XFSZ; ulimit -f 8; '%s/twang' %s 2>&1 >/dev/null",
                 TEST_BIN_DIR, cases[i][0]);
        snprintf(expected, sizeof expected, ": cannot write %s: File too large\n", cases[i][1]);
        int code = run(args);
        if (code != 1 || !strstr(output, expected)) printf("%s: %d, %s", cases[i][0], code, output);
        ENSURE(code == 1 && strstr(output, expected));
    }
    ENSURE(count_files() == 0);
    return 0;
}

static int full_disk_is_a_failure(void)
{
    if (access("/dev/full", W_OK) != 0) return 0;
    ENSURE(run("materials 2>&1 >/dev/full") == 1);
    ENSURE(strstr(output, "standard output could not be written"));
    return 0;
}

// a run under way is one that has begun its temporary file
static bool wait_for_file(void)
{
    for (int i = 0; i < 2000 && count_files() == 0; i++) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    return count_files() > 0;
}

static int interrupted_run_leaves_nothing(void)
{
    remove_files();
    char* args[] = {"twang", "impact", "--gravity", "9.81", "--duration", "10000", "--csv", "a.csv", NULL};
    int errors;
    pid_t child = start_quietly(args, &errors);
    ENSURE(child > 0);
    bool begun = wait_for_file();
    kill(child, SIGINT);
    int status = 0;
    ENSURE(waitpid(child, &status, 0) == child);
    ENSURE(begun && WIFEXITED(status) && WEXITSTATUS(status) == 130);
    ENSURE(count_files() == 0 && says_nothing_was_written(errors));
    return 0;
}

// also in the midst of work that cannot be interrupted, which here would last for many seconds
static int interrupted_analysis_ends_soon_and_leaves_nothing(void)
{
    char* args[] = {"twang", "modes", "box:0.2x0.2x0.2", "--accuracy", "0.0001", "--no-cache", "-o", "a.twmodes", NULL};
    return interrupt_after(args, (struct timespec){.tv_sec = 1, .tv_nsec = 500000000});
}

static int interrupted_strike_ends_soon_and_leaves_nothing(void)
{
    char* args[] = {"twang",  "strike", "bar:0.3x0.02x0.02", "--count", "3",  "--accuracy", "2", "--no-cache",
                    "--rate", "192000", "--duration",        "3600",    "-o", "a.wav",      NULL};
    return interrupt_after(args, (struct timespec){.tv_sec = 2});
}

// ---- impact ----

#define CASE_2 " --stiffness 1e9 --mu 0.5 --exponent 1.5 --velocity 1"

static int impact_prints_the_published_table(void)
{
    // percentage errors of x_max, v_out, H against (7)-(8)
    static const struct
    {
        const char* args;
        double x_max, v_out, energy;
    } cases[] = {
        {"--method am1", -0.4856, 1.2935, 2.6037},           {"--method verlet", 1.1224, 1.6603, 3.3481},
        {"--method heun", 1.2537, 1.4665, 2.9546},           {"--method rk4", -0.3409, -0.1253, -0.2504},
        {"--method am1" CASE_2, -1.6393, 2.5506, 5.1663},    {"--method verlet" CASE_2, -4.8877, 0.8392, 1.6854},
        {"--method heun" CASE_2, -4.4685, -4.6922, -9.1642}, {"--method rk4" CASE_2, -1.9699, -0.1055, -0.2108},
    };
    for (int i = 0; i < 8; i++)
    {
        char args[256];
        snprintf(args, sizeof args, "impact --json %s", cases[i].args);
        ENSURE(run(args) == 0 && is_json(output));
        ENSURE_NEAR(number("error_percent_approx", "x_max"), cases[i].x_max, 1e-4);
        ENSURE_NEAR(number("error_percent_approx", "v_out"), cases[i].v_out, 1e-4);
        ENSURE_NEAR(number("error_percent_approx", "energy"), cases[i].energy, 1e-4);
        ENSURE(number(NULL, "samples_in_contact") == (i < 4 ? 8 : 6));
    }
    return 0;
}

static int impact_prints_the_closed_forms(void)
{
    ENSURE(run("impact --json" CASE_2) == 0 && is_json(output));
    ENSURE_NEAR(number("exact", "x_max"), 3.8925737782e-05, 1e-15);
    ENSURE_NEAR(number("exact", "v_out"), -0.748434931597, 1e-12);
    ENSURE_NEAR(number("exact", "contact_time"), 1.328982359259e-04, 1e-16);
    ENSURE_NEAR(number("exact", "energy_out"), 0.5 * 0.01 * 0.748434931597 * 0.748434931597, 1e-14);
    ENSURE_NEAR(number("exact", "samples_in_contact"), 1.328982359259e-04 * 44100, 1e-9);
    // QI: exact v_out, no gain
    ENSURE_NEAR(number("error_percent", "v_out"), 0, 1e-10);
    ENSURE_NEAR(number("error_percent", "energy"), 0, 1e-10);
    ENSURE_NEAR(number(NULL, "energy_gain_max"), 0, 1e-14);
    ENSURE(number(NULL, "iterations_max") >= 1 && number(NULL, "iterations_max") <= 10);
    ENSURE(number(NULL, "unconverged") == 0);
    return 0;
}

static int impact_numbers_hang_together(void)
{
    ENSURE(run("impact --json --method dg --mass 0.02 --velocity=0.5") == 0 && is_json(output));
    double v = number(NULL, "v_out"), energy = number(NULL, "energy_out");
    ENSURE_NEAR(energy, 0.5 * 0.02 * v * v, 1e-16);
    ENSURE_NEAR(number("error_percent", "v_out"), 100 * (v / number("exact", "v_out") - 1), 1e-12);
    ENSURE(number("parameters", "mass") == 0.02 && number("parameters", "velocity") == 0.5);
    ENSURE(number(NULL, "contact_time") * 44100 <= number(NULL, "samples_in_contact"));
    return 0;
}

static int corrections_end_at_the_fit_by_a_jump(void)
{
    ENSURE(run("impact --json --correct --method heun" CASE_2) == 0 && is_json(output));
    ENSURE_NEAR(number("error_percent_approx", "v_out"), 0, 1e-12);
    ENSURE_NEAR(100 * number(NULL, "energy_gain_max"), 4.96, 0.005);
    return 0;
}

static int bouncing_counts_its_rebounds(void)
{
    ENSURE(run("impact --json --gravity 9.81 --duration 2") == 0 && is_json(output));
    ENSURE(number(NULL, "rebounds") == 47);
    ENSURE(element("rebound_times", 0) == 0);
    ENSURE_NEAR(element("rebound_times", 9), 0.502891874, 3e-5);
    ENSURE_NEAR(element("rebound_times", 29), 1.391309551 + 0.09e-3, 0.02e-3);
    ENSURE(isnan(element("rebound_times", 47)));
    return 0;
}

static int thrown_upward_it_comes_back(void)
{
    ENSURE(run("impact --json --gravity 9.81 --velocity -0.3 --duration 0.1") == 0 && is_json(output));
    ENSURE(number(NULL, "rebounds") == 1);
    ENSURE_NEAR(element("rebound_times", 0), 0.6 / 9.81, 1e-6);
    // too short to come back: null, not a made-up number
    ENSURE(run("impact --json --gravity 9.81 --velocity -0.3 --duration 0.01") == 0 && is_json(output));
    ENSURE(number(NULL, "rebounds") == 0 && strstr(output, "\"v_out\": null"));
    return 0;
}

static int absurd_parameters_stay_finite(void)
{
    ENSURE(run("impact --json --stiffness 1e30 --rate 1") == 0 && is_json(output));
    ENSURE_NEAR(number("error_percent", "v_out"), 0, 1e-9);
    ENSURE(run("impact --json --stiffness 1e30 --rate 1 --method verlet") == 0 && is_json(output));
    ENSURE(isfinite(number(NULL, "v_out")));
    return 0;
}

static int csv_holds_every_sample(void)
{
    remove_files();
    ENSURE(run("impact --method am1 --csv a.csv") == 0 && count_files() == 1);
    FILE* file = fopen(in_folder("a.csv"), "r");
    ENSURE(file != NULL);
    char line[256];
    bool header = fgets(line, sizeof line, file) && strcmp(line, "t,x,v,f,H\n") == 0;
    int rows = 0, bad = 0;
    double t, x, v, f, h, k = 1e7;
    for (; fscanf(file, "%lf,%lf,%lf,%lf,%lf", &t, &x, &v, &f, &h) == 5; rows++)
    {
        double c = fmax(x, 0);
        bad += fabs(t - rows / 44100.0) > 1e-15 || fabs(f - k * pow(c, 1.1) * (1 + 0.1 * v)) > 1e-12;
        bad += fabs(h - 0.5 * 0.01 * v * v - k * pow(c, 2.1) / 2.1) > 1e-17;
    }
    fclose(file);
    ENSURE(header && rows == 9 && bad == 0 && x <= 0);
    return 0;
}

static int plots_are_svg_or_png(void)
{
    remove_files();
    ENSURE(run("impact --plot a.svg") == 0);
    ENSURE(run("impact --gravity 9.81 --plot b.svg --json") == 0 && is_json(output));
    ENSURE(run("impact --plot c.png") == 0 && starts_like("c.png", "\x89PNG"));
    ENSURE(count_files() == 3);
    ENSURE(starts_like("a.svg", "<svg") || starts_like("a.svg", "<?xml"));
    ENSURE(starts_like("b.svg", "<svg") || starts_like("b.svg", "<?xml"));
    return 0;
}

// ---- reproduce, materials ----

static int reproduced_impact_agrees(void)
{
    remove_files();
    ENSURE(run("reproduce impact --json -o figures") == 0 && is_json(output));
    ENSURE(strstr(output, "\"ok\": true") && !strstr(output, "\"ok\": false"));
    ENSURE(starts_like("figures/impact_fig3.svg", "<") && starts_like("figures/impact_fig7.svg", "<"));
    ENSURE(starts_like("figures/impact_fig8.svg", "<"));
    return 0;
}

// the slab's noise and the rulers; nothing timed
static int reproduced_contact_agrees(void)
{
    remove_files();
    ENSURE(run("reproduce contact --quick --json -o figures") == 0 && is_json(output));
    ENSURE(strstr(output, "\"ok\": true") && strstr(output, "\"ok\": null") && !strstr(output, "\"ok\": false"));
    ENSURE(strstr(output, "velocity-level contacts are noisy") && strstr(output, "the pitch rises"));
    ENSURE(starts_like("figures/contact-slab.svg", "<") && starts_like("figures/contact-steps-ruler.svg", "<"));
    return 0;
}

static int materials_come_as_a_table_and_as_json(void)
{
    ENSURE(run("materials") == 0 && strstr(output, "steel") && strstr(output, "ceramic"));
    ENSURE(run("materials --json") == 0 && is_json(output) && output[0] == '[');
    ENSURE(run("materials steel --json") == 0 && is_json(output) && output[0] == '{');
    ENSURE(number(NULL, "young") == 2e11 && number(NULL, "loss_factor") == 2e-4 && number(NULL, "expansion") == 12e-6 &&
           !strstr(output, "young_r"));
    ENSURE(run("materials zheng-steel --json") == 0 && number(NULL, "beta") == 3e-8);
    ENSURE(run("materials steel --plot steel.svg") == 0 && starts_like("steel.svg", "<"));
    ENSURE(run("materials --plot steel.doc 2>&1") == 2 && strstr(output, "--plot"));
    ENSURE(run("materials sitka-spruce") == 0 && strstr(output, "radial") && strstr(output, "tangential"));
    ENSURE(run("materials sitka-spruce --json") == 0 && is_json(output));
    ENSURE_NEAR(number(NULL, "young_t") / number(NULL, "young"), 0.043, 1e-9);
    ENSURE_NEAR(number(NULL, "shear_rt") / number(NULL, "young"), 0.003, 1e-9);
    ENSURE(number(NULL, "poisson_lt") == 0.467);
    return 0;
}

// clang-format off
#define ALL_TESTS                                   \
    RUN(every_command_explains_itself)              \
    RUN(version_is_the_first_line)                  \
    RUN(no_command_is_a_usage_error)                \
    RUN(help_shows_the_defaults)                    \
    RUN(a_body_without_modes_is_told_in_one_line)   \
    RUN(bad_usage_is_named_with_its_cure)           \
    RUN(bad_usage_writes_nothing)                   \
    RUN(outputs_are_checked_before_the_work)        \
    RUN(commands_say_alike_that_a_file_could_not_be_written) \
    RUN(full_disk_is_a_failure)                     \
    RUN(interrupted_run_leaves_nothing)             \
    RUN(interrupted_analysis_ends_soon_and_leaves_nothing) \
    RUN(interrupted_strike_ends_soon_and_leaves_nothing) \
    RUN(impact_prints_the_published_table)          \
    RUN(impact_prints_the_closed_forms)             \
    RUN(impact_numbers_hang_together)               \
    RUN(corrections_end_at_the_fit_by_a_jump)       \
    RUN(bouncing_counts_its_rebounds)               \
    RUN(thrown_upward_it_comes_back)                \
    RUN(absurd_parameters_stay_finite)              \
    RUN(csv_holds_every_sample)                     \
    RUN(plots_are_svg_or_png)                              \
    RUN(reproduced_impact_agrees)                   \
    RUN(reproduced_contact_agrees)                  \
    RUN(materials_come_as_a_table_and_as_json)
// clang-format on

int main(int argc, char** argv)
{
    scratch_folder();  // before any child does
    int ran = 0, failed = 0;
    ALL_TESTS
    printf("%d of %d claims hold\n", ran - failed, ran);
    return failed > 0 || ran == 0;
}
