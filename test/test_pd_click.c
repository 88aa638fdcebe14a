// SPDX-License-Identifier: MIT
// No click on a change of anything that can change while an external sounds, in real Pd. A patch holds one instance that is left alone and
// one for each message, which comes to all of them at the same tick. Two measures over the 21 ms that follow, in which laws glide and
// sounds pass over:
//
//   step   the largest step from one sample to the next,
//   edge   the largest fourth difference over 16: what is near half the sample rate passes, 1 kHz is taken down by 95 dB,
//
// each against the largest that is usual: of the same sound before, of the instance left alone, of the new sound later on. An edge that is
// not usual counts only if it is not far below the sound itself.
#define _GNU_SOURCE
#include "pd.h"
#include "twang/modal.h"

enum
{
    N = 38400,
    AT = 9600,      // sample of the change, which comes at 200.5 ms
    PASSES = 1024,  // samples in which it passes
    BEFORE = 4800,
    RUNS = 64,
};
#define STEP 2.0       // of the usual one, at most
#define EDGE 2.0       // likewise,
#define EDGE_DB -40.0  // or below the loudest sample by as much

static float heard[RUNS * N];

typedef struct Sounding
{
    const char *object, *start;     // start: what it is told at first, "" for nothing
    const char* changes[RUNS + 1];  // NULL ends them
} Sounding;

// an instance, its recorder and a receiver for each run
static bool write_subject(const Sounding* s, int runs)
{
    patch_begin();
    patch_add("#N canvas 0 0 600 400 12;\n");
    for (int i = 0, k = 0; i < runs; i++, k += 5)
    {
        patch_add("#X obj 0 0 %s;\n#X obj 0 0 tabwrite~ t%d;\n#X obj 0 0 table t%d %d;\n", s->object, i, i, N);
        patch_add("#X obj 0 0 r m%d;\n#X obj 0 0 r go;\n", i);
        patch_add("#X connect %d 0 %d 0;\n#X connect %d 0 %d 0;\n", k, k + 1, k + 3, k);
        patch_add("#X connect %d 0 %d 0;\n", k + 4, k + 1);
    }
    return patch_save("subject.pd");
}

static bool write_driver(const Sounding* s, int runs)
{
    patch_begin();
    patch_add("#N canvas 0 0 600 400 12;\n#X obj 0 0 loadbang;\n#X obj 0 0 t b b b;\n#X msg 0 0 \\; go bang");
    for (int i = 0; i < runs && s->start[0]; i++) patch_add(" \\; m%d %s", i, s->start);
    patch_add(" \\; pd dsp 1;\n#X obj 0 0 del 200.5;\n#X msg 0 0");
    for (int i = 1; i < runs; i++) patch_add(" \\; m%d %s", i, s->changes[i - 1]);
    patch_add(";\n#X obj 0 0 del %g;\n#X obj 0 0 t b b;\n#X msg 0 0 write -wave -bytes 4 result.wav", N / 48.0 + 10);
    for (int i = 0; i < runs; i++) patch_add(" t%d", i);
    patch_add(";\n#X obj 0 0 soundfiler;\n#X msg 0 0 \\; pd quit;\n#X connect 0 0 1 0;\n#X connect 1 2 2 0;\n");
    patch_add("#X connect 1 1 3 0;\n#X connect 3 0 4 0;\n#X connect 1 0 5 0;\n#X connect 5 0 6 0;\n");
    patch_add("#X connect 6 1 7 0;\n#X connect 7 0 8 0;\n#X connect 6 0 9 0;\n");
    return patch_save("driver.pd");
}

// ---- measures ----

typedef struct Sound
{
    const float* at;
    int runs;
} Sound;

static double sample(Sound s, int i) { return s.at[(size_t)i * (size_t)s.runs]; }

static double loudest(Sound s, int from, int to)
{
    double most = 0;
    for (int i = from; i < to; i++) most = fmax(most, fabs(sample(s, i)));
    return most;
}

static double largest_step(Sound s, int from, int to)
{
    double most = 0;
    for (int i = from; i < to; i++) most = fmax(most, fabs(sample(s, i) - sample(s, i - 1)));
    return most;
}

static double largest_edge(Sound s, int from, int to)
{
    double most = 0;
    for (int i = from; i < to; i++)
        most = fmax(most, fabs(sample(s, i) - 4 * sample(s, i - 1) + 6 * sample(s, i - 2) - 4 * sample(s, i - 3) +
                               sample(s, i - 4)));
    return most / 16;
}

static double over_usual(Sound s, Sound alone, double (*largest)(Sound s, int from, int to))
{
    double usual = fmax(largest(s, AT - BEFORE, AT), fmax(largest(s, AT + PASSES, N), largest(alone, AT - BEFORE, N)));
    return largest(s, AT, AT + PASSES) / usual;
}

static bool clicks(const Sounding* s, int run, int runs)
{
    Sound alone = {heard, runs}, sound = {heard + run, runs};
    double step = over_usual(sound, alone, largest_step), edge = over_usual(sound, alone, largest_edge);
    double db = 20 * log10(largest_edge(sound, AT, AT + PASSES) / loudest(sound, AT - BEFORE, N));
    bool bad = !(step <= STEP) || !(edge <= EDGE || db <= EDGE_DB);
    if (bad || getenv("TEST_PD_LOG"))
        printf("%s%-24s step %.2f, edge %.2f of the usual, %.1f dB\n", bad ? "clicks: " : "", s->changes[run - 1], step,
               edge, db);
    return bad;
}

static int nothing_clicks(const Sounding* s)
{
    int runs = 1, bad = 0;
    while (s->changes[runs - 1]) runs++;
    ENSURE(runs <= RUNS && write_subject(s, runs) && write_driver(s, runs));
    int code = pd_run(48000, "", "subject.pd", "driver.pd");
    bool fine = code == 0 && !strstr(pd_log, "error") && !says_trouble();
    if (!fine || getenv("TEST_PD_LOG")) printf("%s\n%s\n", s->object, pd_log);
    ENSURE(fine && read_floats("result.wav", heard, RUNS * N) == runs * N);
    ENSURE(loudest((Sound){heard, runs}, AT - BEFORE, N) > 1e-4);
    for (int run = 1; run < runs; run++) bad += clicks(s, run, runs);
    if (bad) printf("%s\n", s->object);
    return bad > 0;
}

// a tetrahedron with three modes
static int write_modes(void)
{
    const twVec3 vertices[] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
    const twTriangle faces[] = {{{0, 2, 1}}, {{0, 1, 3}}, {{0, 3, 2}}, {{1, 2, 3}}};
    const double freq[] = {300, 800, 1700}, decay[] = {3, 5, 9};
    float shape[36];
    for (int i = 0; i < 36; i++) shape[i] = (float)cos(i);
    twModeSet* set;
    twModeSet def = {.mode_count = 3, .vertex_count = 4, .face_count = 4, .rigid_modes = 6};
    def.freq_hz = freq, def.decay = decay, def.shape = shape, def.vertices = vertices, def.faces = faces;
    def.mass = (twMassProperties){.mass = 1, .volume = 1, .inertia = tw_mat3_identity()};
    def.damping = tw_damping_rayleigh(1, 0);
    ENSURE(tw_mode_set_create(&set, &def, NULL) == TW_OK);
    ENSURE(tw_mode_set_save(set, in_folder("bell.twmodes"), NULL) == TW_OK);
    tw_mode_set_destroy(set);
    return 0;
}

// ---- every object, every message ----

#define MODES                                                                                                          \
    "freq 300 700 1500", "series bar 500 16", "series string 300 10", "series cantilever 440 3", "t60 0.1",            \
        "decay 100", "material wood", "mass 2", "shape 0 0.3", "pickup 0 0.3", "pitch 1.02", "pitch 1.5", "pitch 0.5", \
        "dampen 10", "load bell.twmodes"

static int modal_does_not_click(void)
{
    static const Sounding struck = {"twang_modal~", "bang", {MODES, "quantity displacement", NULL}};
    return write_modes() || nothing_clicks(&struck);
}

static int modal_under_a_steady_force_does_not_click(void)
{
    static const Sounding pushed = {"twang_modal~ -dampen 0.5", "5", {MODES, NULL}};
    return write_modes() || nothing_clicks(&pushed);
}

#define IMPACT "stiffness 1e+06", "stiffness 1e+10", "exponent 2.5", "exponent 1", "dissipation 0", "dissipation 5"

static int impact_does_not_click(void)
{
    static const Sounding rings = {
        "twang_impact~ -points 2",
        "strike 1",
        {MODES, IMPACT, "exciter mass 0.05", "gap 0.001", "point 1", "oversample 2", "reset", NULL}};
    // the hammer lies on what rings
    static const Sounding lies = {"twang_impact~ -points 2 -force 20",
                                  "strike 1",
                                  {MODES, IMPACT, "exciter mass 0.05", "exciter freq 0 300", "gap 0.001", "gap -0.001",
                                   "force 5", "force -5", "point 1", "oversample 2", "reset", NULL}};
    return write_modes() || nothing_clicks(&rings) || nothing_clicks(&lies);
}

#define FRICTION                                                                                                       \
    "sigma0 600", "sigma0 20000", "sigma1 0.1", "sigma1 5", "sigma2 1", "sigma2 0", "sigma3 0.05", "mud 0.1",          \
        "mud 0.25", "mus 0.35", "mus 1", "vs 0.01", "vs 0.5", "c 0.1", "c 0.9"

static int friction_does_not_click(void)
{
    static const Sounding rubbed = {"twang_friction~ -mass 0.005 -noise 0 -points 2",
                                    "",
                                    {MODES, FRICTION, "exciter mass 0.1", "exciter decay 40", "exciter freq 0 300",
                                     "model lugre", "point 1", "force 0", "force 3", "force -0.6", "normal 0.1",
                                     "normal 5", "oversample 2", "reset", NULL}};
    static const Sounding rough = {"twang_friction~ -mass 0.005 -noise 0.05", "", {"roughness 1", "seed 5", NULL}};
    return write_modes() || nothing_clicks(&rubbed) || nothing_clicks(&rough);
}

#define TRAVEL                                                                                                         \
    "speed 1", "speed 0", "speed -1", "force 0", "force 5", "rms 1e-05", "rms 1e-07", "beta 0", "longest 0.03",        \
        "shortest 0.001", "seed 3", "exciter mass 0.01", "oversample 2", "reset"

static int scrape_does_not_click(void)
{
    static const Sounding scraped = {"twang_scrape~", "", {MODES, IMPACT, TRAVEL, NULL}};
    return write_modes() || nothing_clicks(&scraped);
}

static int roll_does_not_click(void)
{
    static const Sounding rolls = {
        "twang_roll~",
        "",
        {MODES, IMPACT, TRAVEL, "radius 0.05", "asymmetry 0", "asymmetry 1", "weight 0.4", "weight 0", NULL}};
    return write_modes() || nothing_clicks(&rolls);
}

#define ROD                                                                                                            \
    "length 0.4", "length 0.34", "radius 0.0005", "stretch 1.003", "young 7e+10", "density 3000", "alpha 20",          \
        "beta 1e-05", "hold clamped", "hold free", "hold cantilever", "bowat 0.5", "bowat 0.2", "pushat 0.6",          \
        "pickup 0 0.7"

static int rod_does_not_click(void)
{
    static const Sounding struck = {"twang_rod~", "strike", {ROD, NULL}};
    static const Sounding bowed = {
        "twang_rod~ -speed 0.2 -normal 1",
        "",
        {ROD, FRICTION, "sigma0 1e+06", "speed 0", "speed 1", "speed -0.2", "normal 0", "normal 3", NULL}};
    return nothing_clicks(&struck) || nothing_clicks(&bowed);
}

// a plate that a hammer has struck, on which a ball lies and a finger rubs
#define NET                                                                                                            \
    "twang_net~ -object plate series bar 180 20 -object plate mass 0.4 -object hammer mass 0.02 -object ball mass "    \
    "0.005 -object finger mass 0.05 -contact hit hammer plate.0 -impact hit stiffness 1e+08 -contact rest ball "       \
    "plate.1 -impact rest stiffness 1e+07 -contact rub finger plate.2 -friction rub stiffness 6000 damping 1 -normal " \
    "rub 1 -in 0 force ball -in 1 force finger -out 0 velocity plate.0"

static int net_does_not_click(void)
{
    static const Sounding played = {NET,
                                    "strike hit 1",
                                    {"object plate series bar 200 20",
                                     "object plate mass 0.8",
                                     "object plate pitch 1.02",
                                     "object plate pitch 2",
                                     "object plate material wood",
                                     "object plate shape 0 0.3",
                                     "object plate pickup 0 0.4",
                                     "object ball mass 0.01",
                                     "object new mass 1",
                                     "contact rest ball plate.3",
                                     "contact more hammer wall",
                                     "impact rest stiffness 1e+09",
                                     "impact hit exponent 2",
                                     "impact rub stiffness 1e+05",
                                     "friction rub stiffness 600",
                                     "friction rub static 2",
                                     "friction rest damping 5",
                                     "gap rest 0.0001",
                                     "gap hit -0.0001",
                                     "normal rub 5",
                                     "in 0 force finger",
                                     "in 0 none",
                                     "out 0 velocity plate.1",
                                     "out 0 position plate",
                                     "out 0 none",
                                     "oversample 2",
                                     "clear",
                                     NULL}};
    return nothing_clicks(&played);
}

// clang-format off
TEST_MAIN(
    RUN(modal_does_not_click)
    RUN(modal_under_a_steady_force_does_not_click)
    RUN(impact_does_not_click)
    RUN(friction_does_not_click)
    RUN(scrape_does_not_click)
    RUN(roll_does_not_click)
    RUN(rod_does_not_click)
    RUN(net_does_not_click)
)
