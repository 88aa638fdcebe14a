// SPDX-License-Identifier: MIT
// The externals in real Pd, in batch mode: what they record is the library's own render, bit for bit; nothing that is sent to them
// breaks them. References are put together here from the library's networks, banks and rods, without the externals' sources.
#define _GNU_SOURCE  // memmem
#include "pd.h"
#include "twang/contact.h"
#include "twang/math.h"
#include "twang/rod.h"

enum
{
    N = 12000,
    MOST = 1 << 18
};
static float heard[MOST], wanted[MOST];

// ---- references ----

// modes of a list or a series, weights at one point and one pickup
static twModes* make_modes(int count, const double* freq, const double* decay, const double* mass, const double* shape,
                           const double* pickup)
{
    twModesDef def = tw_modes_def();
    def.mode_count = count, def.freq_hz = freq, def.decay = decay, def.mass = mass, def.shape = shape,
    def.pickup = pickup;
    twModes* modes = NULL;
    return tw_modes_create(&modes, &def, NULL) == TW_OK ? modes : NULL;
}

static twModes* make_mass(double mass, double decay) { return make_modes(1, &(double){0}, &decay, &mass, NULL, NULL); }

static twModes* make_bar(double first, int count, double mass, const char* material, double point, double pickup)
{
    double freq[64], decay[64], masses[64], shape[64], heard_at[64];
    for (int k = 0; k < count; k++)
    {
        freq[k] = first * tw_series_ratio(TW_SERIES_BAR, k);
        decay[k] = tw_material_decay(tw_material_find(material), freq[k]);
        masses[k] = mass * tw_series_mass_share(TW_SERIES_BAR);
        shape[k] = tw_series_shape(TW_SERIES_BAR, k, point), heard_at[k] = tw_series_shape(TW_SERIES_BAR, k, pickup);
    }
    while (count > 0 && freq[count - 1] >= 24000) count--;
    return make_modes(count, freq, decay, masses, shape, heard_at);
}

// a number as Pd holds it
static double f(double value) { return (float)value; }

typedef struct Reference
{
    twModes *a, *b;
    twNetObject objects[2];
    twContactDef contact;
    twNetInput inputs[2];
    twNetOutput output;
    twNetDef def;
} Reference;

// a pair: a against b, heard as b's velocity
static void refer(Reference* r, double rate_hz, twModes* a, twModes* b)
{
    *r = (Reference){
        .a = a, .b = b, .objects = {{.modes = a}, {.modes = b}}, .contact = tw_contact_def(), .def = tw_net_def()};
    r->output = (twNetOutput){.kind = TW_OUT_VELOCITY, .object = 1};
    r->inputs[0] = (twNetInput){.kind = TW_IN_FORCE, .object = 0};
    r->def.rate_hz = rate_hz;
    r->def.object_count = 2, r->def.objects = r->objects;
    r->def.contact_count = 1, r->def.contacts = &r->contact;
    r->def.input_count = 2, r->def.inputs = r->inputs;
    r->def.output_count = 1, r->def.outputs = &r->output;
}

static void refer_end(Reference* r) { tw_modes_destroy(r->a), tw_modes_destroy(r->b); }

static const double t60_log = 6.907755278982137;

// the rubbed glass that [twang_friction~] is by itself
static void refer_glass(Reference* r, double rate_hz, double second_shape)
{
    const double freq[] = {653, 1487}, decay[] = {t60_log / 5, t60_log / 3}, mass[] = {f(0.02), f(0.02)};
    const double shape[] = {1, f(second_shape)};
    refer(r, rate_hz, make_mass(f(0.05), 20), make_modes(2, freq, decay, mass, shape, NULL));
    r->contact.has_friction = true;
    r->contact.friction = (twFrictionLaw){6000, f(1.2), f(0.05), f(0.01), f(0.45), f(0.2), f(0.1), f(0.5), false};
    r->contact.roughness_beta = -1;
    r->inputs[1] = (twNetInput){.kind = TW_IN_NORMAL_FORCE};
}

static double forces[2][MOST], outs[MOST];

static void refer_play(Reference* r, twNet* net, int n)
{
    const double* in[] = {forces[0], forces[1]};
    double* out = outs;
    (void)r;
    tw_net_process(net, in, &out, n);
    for (int i = 0; i < n; i++) wanted[i] = (float)outs[i];
}

static int glass_render(double rate_hz, double second_shape, int n)
{
    Reference r;
    twNet* net;
    refer_glass(&r, rate_hz, second_shape);
    ENSURE(tw_net_create(&net, &r.def, NULL) == TW_OK);
    for (int i = 0; i < n; i++) forces[0][i] = f(0.6), forces[1][i] = 1;
    refer_play(&r, net, n);
    tw_net_destroy(net);
    refer_end(&r);
    return 0;
}

static int compare(int n)
{
    ENSURE(read_floats("result.wav", heard, MOST) >= n);
    double loudest = 0;
    for (int i = 0; i < n; i++) loudest = fmax(loudest, fabs(wanted[i]));
    ENSURE(loudest > 1e-6);
    for (int i = 0; i < n; i++)
        if (memcmp(&heard[i], &wanted[i], sizeof heard[i]) != 0)
        {
            printf("sample %d is %.9g, the library says %.9g\n", i, heard[i], wanted[i]);
            return 1;
        }
    return 0;
}

// ---- help patches ----

// objects of the top level are counted, for connections to them; @return how many there are, *found: the one of that name
static int count_objects(const char* text, const char* name, int* found)
{
    int depth = 0, count = 0;
    *found = -1;
    for (const char* at = text; at && *at; at = strstr(at, ";\n") ? strstr(at, ";\n") + 2 : NULL)
    {
        bool canvas = strncmp(at, "#N canvas", 9) == 0, restore = strncmp(at, "#X restore", 10) == 0;
        if (canvas) depth++;
        if (restore) depth--;
        bool object = strncmp(at, "#X obj", 6) == 0 || strncmp(at, "#X msg", 6) == 0 ||
                      strncmp(at, "#X text", 7) == 0 || strncmp(at, "#X floatatom", 12) == 0 || restore;
        if (depth != 1 || !object) continue;
        const char* end = strstr(at, ";\n");
        const char* there = strstr(at, name);
        if (strncmp(at, "#X obj", 6) == 0 && there && end && there < end && *found < 0 && there[-1] == ' ' &&
            !memmem(at, (size_t)(there - at), "cnv", 3))
            *found = count;
        count++;
    }
    return count;
}

// a patch of ours with a recorder at the first outlet of the first object of a name, run with a message
static int run_patch(const char* name, const char* object, const char* message)
{
    char path[1024], error[64];
    snprintf(path, sizeof path, "%s/%s.pd", TEST_PD_FOLDER, name);
    FILE* file = fopen(path, "r");
    ENSURE(file);
    patch_used = fread(patch, 1, PATCH_MAX - 4096, file);
    patch[patch_used] = 0;
    fclose(file);
    int found, count = count_objects(patch, object, &found);
    ENSURE(found >= 0);
    patch_add(
        "#X obj 0 0 tabwrite~ result;\n#X obj 0 0 table result %d;\n#X obj 0 0 r test-go;\n#X obj 0 0 r test-msg;\n",
        N);
    patch_add("#X connect %d 0 %d 0;\n#X connect %d 0 %d 0;\n#X connect %d 0 %d 0;\n", found, count, count + 2, count,
              count + 3, found);
    ENSURE(patch_save("help.pd"));
    driver(1000.0 * N / 48000 + 50, message, 0, "");
    snprintf(error, sizeof error, "error: %s", object);
    int code = pd_run(48000, "", "help.pd", "driver.pd");
    if (code != 0 || says_trouble() || strstr(pd_log, error)) printf("%s\n", pd_log);
    ENSURE(code == 0 && !says_trouble() && !strstr(pd_log, error));
    return 0;
}

static int run_help(const char* object, const char* message)
{
    char name[64];
    snprintf(name, sizeof name, "%s-help", object);
    return run_patch(name, object, message);
}

static int the_help_of_friction_renders_as_the_library(void)
{
    if (run_help("twang_friction~", "\\; test-nobody bang") || glass_render(48000, 0.6, N)) return 1;
    return compare(N);
}

static int the_help_of_impact_renders_as_the_library(void)
{
    Reference r;
    twNet* net;
    if (run_help("twang_impact~", "\\; test-msg strike 2")) return 1;
    refer(&r, 48000, make_mass(f(0.01), 0), make_bar(440, 12, f(0.5), "steel", 0.1, 0.1));
    r.contact.has_impact = true;
    r.contact.impact = (twImpactLaw){1e8, 1.5, 0.5};
    r.inputs[1] = (twNetInput){.kind = TW_IN_FORCE, .object = 1};
    ENSURE(tw_net_create(&net, &r.def, NULL) == TW_OK);
    tw_net_throw(net, 0, 0, -1e-3, 0);
    tw_net_strike(net, 0, 2);
    memset(forces, 0, sizeof forces);
    refer_play(&r, net, N);
    tw_net_destroy(net);
    refer_end(&r);
    return compare(N);
}

static int the_help_of_modal_renders_as_the_library(void)
{
    if (run_help("twang_modal~", "\\; test-msg strike 0.02")) return 1;
    twModes* bar = make_bar(440, 16, f(0.5), "steel", 0.1, 0.1);
    // two points and two pickups in the help; those of the reference are the first of each
    double shape[128];
    twModesDef two = tw_modes_def();
    int n = bar->mode_count;
    for (int k = 0; k < n; k++)
        shape[k] = bar->shape[k], shape[n + k] = tw_series_shape(TW_SERIES_BAR, k, 0.1 + 0.4 / 2);
    two.mode_count = n, two.freq_hz = bar->freq_hz, two.decay = bar->decay, two.mass = bar->mass;
    two.point_count = 2, two.shape = shape, two.pickup_count = 2;
    twModes* modes;
    twBank* bank;
    ENSURE(tw_modes_create(&modes, &two, NULL) == TW_OK);
    twBankObject object = tw_bank_object(modes);
    object.input_count = object.output_count = 2, object.quantity = TW_VELOCITY;
    twBankDef def = tw_bank_def();
    def.object_count = 1, def.objects = &object;
    ENSURE(tw_bank_create(&bank, &def, NULL) == TW_OK);
    tw_bank_impulse(bank, 0, 0, f(0.02));
    memset(wanted, 0, sizeof wanted);
    for (int at = 0; at < N; at += 64)
    {
        float* out[] = {wanted + at, NULL};
        tw_bank_process(bank, NULL, out, N - at < 64 ? N - at : 64);
    }
    tw_bank_destroy(bank);
    tw_modes_destroy(modes), tw_modes_destroy(bar);
    return compare(N);
}

// heights of a surface that passes by, and the weight of what lies on it
static int travel_render(Reference* r, twProfileDef surface, double asymmetry, double speed, double press,
                         double weight)
{
    twProfile* profile;
    twNet* net;
    ENSURE(tw_profile_create(&profile, &surface, NULL) == TW_OK);
    r->contact.has_impact = true;
    r->inputs[1] = r->inputs[0];
    r->inputs[0] = (twNetInput){.kind = TW_IN_OFFSET};
    ENSURE(tw_net_create(&net, &r->def, NULL) == TW_OK);
    twTravel travel = {.profile = profile, .radius = surface.ball_radius, .asymmetry = asymmetry};
    for (int i = 0; i < N; i++)
    {
        double factor;
        forces[0][i] = tw_travel_next(&travel, speed, 1.0 / 48000, &factor);
        forces[1][i] = press + factor * weight;
    }
    refer_play(r, net, N);
    tw_net_destroy(net);
    tw_profile_destroy(profile);
    refer_end(r);
    return compare(N);
}

static int the_help_of_scrape_renders_as_the_library(void)
{
    const double freq[] = {311, 472, 689, 933, 1288, 1727, 2260, 3142, 4105, 5630, 7411, 9870};
    const double t60[] = {2.5, 2.4, 2.1, 1.9, 1.6, 1.3, 1.1, 0.9, 0.8, 0.6, 0.5, 0.4};
    double decay[12], mass[12];
    Reference r;
    if (run_help("twang_scrape~", "\\; test-nobody bang")) return 1;
    for (int k = 0; k < 12; k++) decay[k] = t60_log / f(t60[k]), mass[k] = f(0.05);
    refer(&r, 48000, make_mass(f(0.002), 200), make_modes(12, freq, decay, mass, NULL, NULL));
    r.contact.impact = (twImpactLaw){2e6, f(1.3), 1};
    twProfileDef surface = {.beta = f(-0.8), .rms = f(8e-6), .longest = f(0.01), .shortest = f(0.0001), .seed = 11};
    return travel_render(&r, surface, 0, f(0.3), 1.5, 0);
}

static int the_help_of_roll_renders_as_the_library(void)
{
    const double freq[] = {92, 187, 251, 396, 522, 748, 1045, 1490, 2210, 3380};
    const double t60[] = {0.25, 0.22, 0.18, 0.15, 0.12, 0.1, 0.08, 0.06, 0.04, 0.03};
    double decay[10], mass[10];
    Reference r;
    if (run_help("twang_roll~", "\\; test-nobody bang")) return 1;
    for (int k = 0; k < 10; k++) decay[k] = t60_log / f(t60[k]), mass[k] = f(1.05);
    refer(&r, 48000, make_mass(f(0.04), 0), make_modes(10, freq, decay, mass, NULL, NULL));
    r.contact.impact = (twImpactLaw){3e7, f(1.4), 2};
    twProfileDef surface = {.beta = f(-1.2), .rms = f(2.5e-6), .longest = f(0.03), .shortest = f(0.0006), .seed = 7};
    surface.ball_radius = f(0.02);
    return travel_render(&r, surface, f(0.35), f(0.6), 0, f(0.04) * 9.81);
}

static int the_help_of_rod_renders_as_the_library(void)
{
    enum
    {
        POINTS = 24
    };
    twVec3 points[POINTS];
    twSection section;
    twRod* rod;
    if (run_help("twang_rod~", "\\; test-msg strike 3 0.2 1")) return 1;
    for (int i = 0; i < POINTS; i++) points[i] = tw_vec3(0.33 * i / (POINTS - 1), 0, 0);
    twSectionDef circle = tw_section_circle(0.0004);
    ENSURE(tw_section_compute(&section, &circle, NULL) == TW_OK);
    const twRodSupport ends[] = {{.kind = TW_ROD_PINNED, .point = 0}, {.kind = TW_ROD_PINNED, .point = POINTS - 1}};
    twRodDef def = tw_rod_def();
    def.rate_hz = 48000;
    def.point_count = POINTS, def.points = points;
    def.section_count = 1, def.sections = &section;
    def.stretch = 1.0015, def.alpha = 1.5, def.beta = 1e-7;
    def.support_count = 2, def.supports = ends;
    ENSURE(tw_rod_create(&rod, &def, NULL) == TW_OK);
    ENSURE(tw_rod_strike(rod, &(twRodPulse){.point = 5, .force = tw_vec3(0, 3, 0), .duration = 1e-3}));
    twRodView view = tw_rod_view(rod);
    for (int i = 0; i < N; i++)
    {
        // 30 % of the length
        double at = 0.3 * (POINTS - 1), share = at - 6;
        wanted[i] = (float)((1 - share) * view.velocity[1][6] + share * view.velocity[1][7]);
        tw_rod_step(rod);
    }
    tw_rod_destroy(rod);
    return compare(N);
}

static int the_help_of_net_renders_as_the_library(void)
{
    if (run_help("twang_net~", "\\; test-msg strike hit 1")) return 1;
    twModes *hammer = make_mass(f(0.02), 0), *ball = make_mass(f(0.005), 0), *finger = make_mass(f(0.05), 0);
    twModes* bar = make_bar(180, 20, f(0.4), "glass", 0.1, 0.1);
    double shape[3 * 64];
    int n = bar->mode_count;
    for (int p = 0; p < 3; p++)
        for (int k = 0; k < n; k++) shape[p * n + k] = tw_series_shape(TW_SERIES_BAR, k, 0.1 + (0.5 - 0.1) * p / 8);
    twModesDef three = {n, bar->freq_hz, bar->decay, bar->mass, 3, shape, 1, NULL};
    twModes* plate;
    ENSURE(tw_modes_create(&plate, &three, NULL) == TW_OK);
    twNetObject objects[] = {{.modes = hammer}, {.modes = plate}, {.modes = ball}, {.modes = finger}};
    twContactDef contacts[] = {tw_contact_def(), tw_contact_def(), tw_contact_def()};
    contacts[0].has_impact = contacts[1].has_impact = contacts[2].has_friction = true;
    contacts[0].impact.stiffness = 1e8;
    contacts[1].a = 2, contacts[1].b_point = 1;
    contacts[1].impact.stiffness = 1e7, contacts[1].impact.dissipation = f(0.2);
    contacts[2].a = 3, contacts[2].b_point = 2;
    contacts[2].friction.stiffness = 6000, contacts[2].friction.damping = 1;
    contacts[2].friction.dynamic_friction = f(0.2), contacts[2].friction.static_friction = 0.5;
    twNetInput inputs[] = {{.kind = TW_IN_FORCE, .object = 3}, {.kind = TW_IN_FORCE, .object = 2}};
    twNetOutput output = {.kind = TW_OUT_VELOCITY, .object = 1};
    twNetDef def = tw_net_def();
    def.object_count = 4, def.objects = objects, def.contact_count = 3, def.contacts = contacts;
    def.input_count = 2, def.inputs = inputs, def.output_count = 1, def.outputs = &output;
    twNet* net;
    ENSURE(tw_net_create(&net, &def, NULL) == TW_OK);
    tw_net_throw(net, 0, 0, f(-0.01), 0);
    tw_net_strike(net, 0, 1);
    for (int i = 0; i < N; i++) forces[0][i] = 0, forces[1][i] = f(0.05);
    refer_play(NULL, net, N);
    tw_net_destroy(net);
    twModes* all[] = {hammer, ball, finger, bar, plate};
    for (int i = 0; i < 5; i++) tw_modes_destroy(all[i]);
    return compare(N);
}

// the face of a help patch: a slider says its value to a number box, that to a message in a subpatch
static int a_slider_of_a_help_acts_as_its_message(void)
{
    if (run_help("twang_friction~", "\\; test-msg sigma0 20000")) return 1;
    ENSURE(read_floats("result.wav", wanted, MOST) >= N);
    if (run_help("twang_friction~", "\\; twang-friction-sigma0 20000") || compare(N)) return 1;
    // and changes what is heard
    if (glass_render(48000, 0.6, N)) return 1;
    ENSURE(memcmp(heard, wanted, N * sizeof *heard) != 0);
    return 0;
}

static int the_examples_load_and_run(void)
{
    static const char* const names[] = {"wineglass", "door", "braking-wheel"};
    for (int i = 0; i < 3; i++)
    {
        char path[1024];
        patch_begin();
        patch_add("#N canvas 0 0 600 400 12;\n#X obj 10 40 table result 64;\n");
        ENSURE(patch_save("subject.pd"));
        snprintf(path, sizeof path, "%s/examples/%s.pd", TEST_PD_FOLDER, names[i]);
        driver(300, "\\; test-nobody bang", 0, "");
        // they find the objects beside them by themselves
        pd_path = scratch_folder();
        int code = pd_run(48000, "", path, "driver.pd -open subject.pd");
        pd_path = TEST_PD_FOLDER;
        if (code != 0 || says_trouble()) printf("%s: %s\n", names[i], pd_log);
        ENSURE(code == 0 && !says_trouble());
    }
    return 0;
}

static int the_examples_sound_once_their_sliders_move(void)
{
    static const char* const examples[][2] = {
        {"examples/wineglass", "\\; twang-wineglass-pull 0.4 \\; twang-wineglass-press 0.3"},
        {"examples/door", "\\; twang-door-push 0.5 \\; twang-door-rust 0.2"},
        {"examples/braking-wheel", "\\; twang-wheel-drive 0.8 \\; twang-wheel-brake 0.2"},
    };
    for (int i = 0; i < 6; i++)
    {
        if (run_patch(examples[i / 2][0], "twang_friction~", i % 2 ? examples[i / 2][1] : "\\; test-nobody bang"))
            return 1;
        ENSURE(read_floats("result.wav", heard, MOST) >= N);
        double loudest = 0;
        for (int k = 0; k < N; k++) loudest = fmax(loudest, fabs(heard[k]));
        if (i % 2 ? loudest < 1e-3 : loudest > 1e-3) printf("%s: %g m/s\n", examples[i / 2][0], loudest);
        ENSURE(i % 2 ? loudest >= 1e-3 : loudest <= 1e-3);
    }
    return 0;
}

// ---- rates, blocks, changes ----

// a shape value is negative, as it may be
static int any_block_and_rate_renders_as_the_library(void)
{
    static const double rates[] = {44100, 48000, 96000};
    static const char* const blocks[] = {"1", "64", "4096"};
    for (int r = 0; r < 3; r++)
    {
        if (glass_render(rates[r], -0.6, N)) return 1;
        for (int b = 0; b < 3; b++)
        {
            subject("twang_friction~ -shape 0 1 -0.6", 0, blocks[b], N);
            driver(1000.0 * N / rates[r] + 400, "\\; test-nobody bang", 0, "");
            ENSURE(pd_run(rates[r], b == 1 ? "-blocksize 2048" : "", "subject.pd", "driver.pd") == 0 &&
                   !says_trouble());
            if (compare(N)) return 1;
        }
    }
    return 0;
}

// all but the float bank of [twang_modal~], which mends its poles once per block, to the bit
static int every_object_sounds_the_same_in_blocks_of_any_size(void)
{
    static const char* const objects[][2] = {
        {"twang_modal~ -material zheng-steel", "bang"},
        {"twang_impact~ -force 3", "bang"},
        {"twang_scrape~", "speed 0.3"},
        {"twang_roll~", "speed 0.6"},
        {"twang_rod~ -speed 0.2 -normal 1", "bang"},
        {"twang_net~ -object a mass 0.01 -object b series bar 300 9 -contact c a b -impact c -out 0 velocity b",
         "strike c 1"}};
    static const char* const blocks[] = {"64", "1", "16", "4096"};
    for (int i = 0; i < 6; i++)
        for (int b = 0; b < 4; b++)
        {
            char message[64];
            double most = 0, off = 0;
            snprintf(message, sizeof message, "\\; test-msg %s", objects[i][1]);
            subject(objects[i][0], 0, blocks[b], N);
            driver(1000.0 * N / 48000 + 100, message, 0, "");
            ENSURE(pd_run(48000, "", "subject.pd", "driver.pd") == 0 && !says_trouble());
            ENSURE(read_floats("result.wav", b == 0 ? wanted : heard, MOST) >= N);
            for (int k = 0; k < N && b > 0; k++)
                most = fmax(most, fabs(wanted[k])), off = fmax(off, fabs(heard[k] - wanted[k]));
            bool same = b == 0 || (most > 1e-4 && off <= (i == 0 ? 2e-5 * most : 0));
            if (!same) printf("%s in blocks of %s: %g of %g\n", objects[i][0], blocks[b], off, most);
            ENSURE(same);
        }
    return 0;
}

// a law set while it sounds, at the block of sample 4800
static int a_message_while_it_sounds_acts_as_the_librarys_call(void)
{
    Reference r;
    twInstrument* x;
    subject("twang_friction~ -shape 0 1 -0.6", 0, "64", N);
    driver(1000.0 * N / 48000 + 50, "\\; test-nobody bang", 100.5, "\\; test-msg sigma0 20000 \\; test-msg mus 0.8");
    ENSURE(pd_run(48000, "", "subject.pd", "driver.pd") == 0 && !says_trouble());
    refer_glass(&r, 48000, -0.6);
    ENSURE(tw_instrument_create(&x, &r.def, NULL) == TW_OK);
    for (int i = 0; i < N; i++) forces[0][i] = f(0.6), forces[1][i] = 1;
    const double *in[] = {forces[0], forces[1]}, *rest[] = {forces[0] + 4800, forces[1] + 4800};
    double *out = outs, *out_rest = outs + 4800;
    tw_instrument_process(x, in, &out, 4800);
    twFrictionLaw law = r.contact.friction;
    law.stiffness = 20000, law.static_friction = f(0.8);
    tw_instrument_set_friction(x, 0, &law);
    tw_instrument_process(x, rest, &out_rest, N - 4800);
    for (int i = 0; i < N; i++) wanted[i] = (float)outs[i];
    tw_instrument_destroy(x);
    refer_end(&r);
    return compare(N);
}

// clang-format off
TEST_MAIN(
    RUN(the_help_of_friction_renders_as_the_library)
    RUN(the_help_of_impact_renders_as_the_library)
    RUN(the_help_of_modal_renders_as_the_library)
    RUN(the_help_of_scrape_renders_as_the_library)
    RUN(the_help_of_roll_renders_as_the_library)
    RUN(the_help_of_rod_renders_as_the_library)
    RUN(the_help_of_net_renders_as_the_library)
    RUN(a_slider_of_a_help_acts_as_its_message)
    RUN(the_examples_load_and_run)
    RUN(the_examples_sound_once_their_sliders_move)
    RUN(any_block_and_rate_renders_as_the_library)
    RUN(every_object_sounds_the_same_in_blocks_of_any_size)
    RUN(a_message_while_it_sounds_acts_as_the_librarys_call)
)
