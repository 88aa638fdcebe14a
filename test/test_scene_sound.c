// SPDX-License-Identifier: MIT
// Listeners of bodies in scenes, and what is heard of a trace: by whom, where, and with what changed.
#define _XOPEN_SOURCE 700
#include "render.h"
#include "sound.h"

// ---- scenes ----

#define BALL "bodies: {a: {shape: \"sphere:0.01\", position: [0, 0, 0.05]}}\n"

static int a_listener_of_bodies_is_a_head_unless_said_otherwise(void)
{
    twScene* scene = read_scene(BALL "ground: {absorption: 0.36}\nlisteners:\n"
                                     "  ear: {at: [1, 2, 3]}\n"
                                     "  tip: {pickup: {body: a, at: [0, 0, 0.01]}}\n"
                                     "  pair: {at: [0, 0, 1], kind: stereo, spacing: 0.3, angle: 90, look: [1, 0, 1]}\n"
                                     "  walker: {path: {x: {ramp: [0, 2]}, y: 1, z: 1}, kind: ambix, farthest: 20}\n"
                                     "  dot: {at: [0, 1, 1], kind: mono}\n");
    ENSURE(scene && scene->listener_count == 5 && scene->ear_count == 4 && scene->pickup_count == 1);
    const twSceneEar* ear = scene->listeners[0].ear;
    ENSURE(ear && ear->def.kind == TW_EAR_BINAURAL && ear->placed && !ear->looks && !ear->hrtf && !ear->may_be_stereo);
    ENSURE(ear->def.position.x == 1 && ear->def.position.y == 2 && ear->def.position.z == 3);
    ENSURE(ear->def.ground && !ear->def.air_absorption);
    ENSURE_NEAR(ear->def.reflection, 0.8, 1e-12);
    ENSURE(!scene->listeners[1].ear && scene->listeners[1].track == 0 && scene->listeners[0].track == -1);
    const twSceneEar* pair = scene->listeners[2].ear;
    ENSURE(pair->def.kind == TW_EAR_STEREO && pair->looks && pair->look.x == 1);
    ENSURE_NEAR(pair->def.spacing, 0.3, 0);
    ENSURE_NEAR(pair->def.angle, TW_PI / 2, 1e-12);
    ENSURE(scene->listeners[3].ear->moves && scene->listeners[3].ear->def.farthest == 20);
    static const int channels[] = {2, 1, 2, 4, 1};
    for (int i = 0; i < 5; i++) ENSURE(scene->outputs[i].channels == channels[i]);
    ENSURE(scene->outputs[0].quantity == TW_SOUND_PRESSURE && scene->outputs[1].quantity == TW_SOUND_VELOCITY);
    tw_scene_destroy(scene);
    return 0;
}

static int bodies_that_nobody_hears_get_an_ear_unless_none_is_wanted(void)
{
    twScene* scene = read_scene(BALL);
    ENSURE(scene && scene->ear_count == 1 && scene->output_count == 1);
    ENSURE_TEXT(scene->outputs[0].name, "ear");
    ENSURE(!scene->listeners[0].ear->placed && scene->listeners[0].ear->may_be_stereo);
    tw_scene_destroy(scene);
    static const char* const without[] = {BALL "listeners: {}\n", BALL "frames: 0\n",
                                          BALL "listeners: {t: {pickup: {body: a, at: [0, 0, 0]}}}\n"};
    for (int i = 0; i < 3; i++)
    {
        scene = read_scene(without[i]);
        ENSURE(scene && scene->ear_count == 0);
        tw_scene_destroy(scene);
    }
    return 0;
}

static int sound_and_air_are_what_they_say(void)
{
    twScene* scene = read_scene(BALL);
    const twSoundDef usual = tw_sound_def();
    ENSURE(scene && scene->sound.clicks && scene->sound.contact_damping == 1 && !scene->sound.full_damping);
    ENSURE(scene->sound.sound_speed == usual.sound_speed && scene->sound.max_freq_hz == usual.max_freq_hz);
    ENSURE(scene->bodies[0].gain == 1 && scene->bodies[0].contact_damping == 0);
    tw_scene_destroy(scene);
    scene = read_scene("materials: {jelly: {alpha: 1, beta: 0, contact_damping: 0.5}}\nbodies:\n"
                       "  a: {shape: \"sphere:0.01\", gain: 0.25, contact_damping: 0.3}\n"
                       "  b: {shape: \"sphere:0.01\", position: [1, 0, 0], material: jelly}\n"
                       "sound: {clicks: false, contact_damping: 2.5, full_damping: true, max_freq: 9000, highpass: 0, "
                       "redistribute: off}\n"
                       "air: {temperature: 0, humidity: 30, absorption: true}\n");
    ENSURE(scene && !scene->sound.clicks && scene->sound.full_damping && scene->sound.contact_damping == 2.5);
    ENSURE(scene->sound.max_freq_hz == 9000 && scene->sound.highpass_hz == 0);
    ENSURE(scene->sound.redistribution == TW_REDISTRIBUTE_OFF);
    ENSURE(scene->bodies[0].gain == 0.25 && scene->bodies[0].contact_damping == 0.3);
    ENSURE(scene->bodies[1].contact_damping == 0.5);
    // air at 0 degrees: 331.3 m/s and 1.292 kg/m^3 in tables
    ENSURE_NEAR(scene->sound.sound_speed, 331.3, 0.1);
    ENSURE_NEAR(scene->sound.air_density, 1.292, 0.001);
    const twEarDef* ear = &scene->listeners[0].ear->def;
    ENSURE(ear->air_absorption && ear->temperature == 0 && ear->humidity == 30);
    tw_scene_destroy(scene);
    scene = read_scene(BALL "sound: {contact_damping: false}\n");
    ENSURE(scene && scene->sound.contact_damping == 0);
    tw_scene_destroy(scene);
    return 0;
}

#define L(map) BALL "listeners: {l: {" map "}}\n"

static const Wrong wrongs[] = {
    {L("at: [0, 0, 1], kind: quadro"), "2:", "mono, stereo, binaural, ambix"},
    {L("at: [0, 0, 1], knd: mono"), "2:32", "kind"},
    {L("at: [0, 1]"), "2:17", "3 numbers"},
    {L("at: [0, 0, 1], path: {x: 1}"), "2:", "one place"},
    {L("at: [0, 0, 1], kind: mono, look: [1, 0, 0]"), "2:44", "hear directions"},
    {L("at: [0, 0, 1], look: [0, 0, 1]"), "2:", "another place"},
    {L("at: [0, 0, 1], spacing: 0.2"), "2:32", "kind: stereo"},
    {L("at: [0, 0, 1], kind: stereo, spacing: -1"), "2:", "'spacing'"},
    {L("at: [0, 0, 1], kind: mono, hrtf: a.sofa"), "2:44", "kind: binaural"},
    {L("at: [0, 0, 1], hrtf: nowhere.sofa"), "2:", "no file nowhere.sofa"},
    {L("at: [0, 0, 1], instant: true"), "2:32", "listeners of rods"},
    {L("at: [0, 0, 1], farthest: 0"), "2:", "'farthest'"},
    {L("at: [0, 0, 1], pickup: {body: a, at: [0, 0, 0]}"), "2:", "nothing beside it"},
    {"frames: 0\n" L("at: [0, 0, 1]"), "3:", "'frames: 0' records nothing"},
    {"ground: {}\n" L("at: [0, 0, -1]"), "3:", "1 m below the ground"},
    {"ground: {}\nduration: 2\n" L("path: {x: 0, y: 0, z: {ramp: [1, -1]}}"), "4:", "below the ground"},
    {BALL "sound: {click: false}\n", "2:9", "clicks"},
    {BALL "sound: {contact_damping: much}\n", "2:", "contact_damping"},
    {BALL "sound: {redistribute: never}\n", "2:", "auto, on, off"},
    {BALL "sound: {max_freq: 0}\n", "2:", "'max_freq'"},
    {BALL "air: {humidity: 30}\n", "2:", "absorption: true"},
    {BALL "air: {wind: 3}\n", "2:7", "wind"},
    {"bodies: {a: {shape: \"sphere:0.01\", contact_damping: -1}}\n", "1:", "'contact_damping'"},
    {"bodies: {a: {shape: \"sphere:0.01\", gain: -1}}\n", "1:", "'gain'"},
    {"objects: {h: {mass: 1}, b: {modes: [{freq: 100}]}}\nsound: {}\n", "2:1", "for bodies"},
    {"rods: {r: {straight: 0.3, section: {circle: 0.003}}}\nlisteners: {l: {at: [0, 0, 1], kind: mono}}\n",
     "2:", "listeners of bodies"},
    {BALL "listeners: {l: {at: [0, 0, 1]}, m: {at: [0, 0, 1], kind: ambix}}\noutputs: [{name: x, from: [l, m]}]\n",
     "3:", "2 and 4 channels"},
    {BALL "listeners: {l: {at: [0, 0, 1]}}\noutputs: [{name: x, from: [{from: l, pan: 1}]}]\n", "3:", "kind: mono"},
};

static int every_mistake_is_named_with_its_place(void)
{
    return ensure_refused(wrongs, sizeof wrongs / sizeof wrongs[0]);
}

// ---- listening to a trace ----

typedef struct Heard
{
    float* samples;  // of the first ear
    int64_t frames;
    int channels;
    twListenReport report;
} Heard;

static twStatus take(const float* const* sounds, int frames, void* context, twError* err)
{
    Heard* h = context;
    const size_t frame = (size_t)h->channels * sizeof(float);
    float* more = realloc(h->samples, (size_t)(h->frames + frames) * frame);
    if (!more) return tw_fail(err, TW_NO_MEMORY, "no memory");
    h->samples = more;
    memcpy(more + h->frames * h->channels, sounds[0], (size_t)frames * frame);
    h->frames += frames;
    return TW_OK;
}

static twStatus hear(Heard* out, const twListenDef* def, twError* err)
{
    *out = (Heard){.channels = tw_ear_channels(def->ears[0].def.kind)};
    return tw_listen(def, take, out, &out->report, err);
}

static twSceneEar point(twVec3 place)
{
    twSceneEar ear = tw_scene_ear();
    ear.def.kind = TW_EAR_MONO;
    ear.def.position = place;
    ear.placed = true;
    return ear;
}

static twListenDef listen_def(const char* path, const twSceneEar* ears, int count)
{
    twListenDef def = tw_listen_def();
    def.sound.rate_hz = RATE;
    def.sound.path = path;
    def.sound.threads = 1;
    def.sound.clicks = false;
    def.ears = ears;
    def.ear_count = count;
    return def;
}

static bool strike_bell(const char* path, double seconds)
{
    Bell bell;
    twError err = {0};
    bell_make(&bell, 1);
    const Blow blow = {0.01, 0.0102, 20, 0};
    const twStatus status = bell_trace(path, &bell, seconds, &blow, 1, tw_vec3(0, 0, 0), &err);
    if (status != TW_OK) printf("%s\n", err.text);
    return status == TW_OK;
}

// amplitude of a partial about a time, through a window of 50 ms
static double partial(const Heard* h, double freq_hz, double time)
{
    const int64_t n = (int64_t)(0.05 * RATE), first = (int64_t)(time * RATE) - n / 2;
    double re = 0, im = 0;
    for (int64_t i = 0; i < n; i++)
    {
        const double w = 0.5 - 0.5 * cos(2 * TW_PI * ((double)i + 0.5) / (double)n);
        const double angle = 2 * TW_PI * freq_hz * (double)i / RATE, x = (double)h->samples[(first + i) * h->channels];
        re += w * x * cos(angle);
        im += w * x * sin(angle);
    }
    return hypot(re, im);
}

static double decay_of(const Heard* h, double freq_hz, double from, double to)
{
    return log(partial(h, freq_hz, from) / partial(h, freq_hz, to)) / (to - from);
}

static int other_damping_decays_as_it_says(void)
{
    const char* path = in_folder("decay.twtrace");
    twError err = {0};
    Heard h;
    ENSURE(strike_bell(path, 0.4));
    const twSceneEar ear = point(tw_vec3(0, 1, 0));
    twListenDef def = listen_def(path, &ear, 1);
    ENSURE(hear(&h, &def, &err) == TW_OK);
    for (int k = 0; k < 2; k++) ENSURE_NEAR(decay_of(&h, bell_freq[k], 0.1, 0.3), bell_decay[k], 0.01 * bell_decay[k]);
    free(h.samples);

    twListenBody change = tw_listen_body();
    change.damping = 3;
    def.bodies = &change;
    def.body_count = 1;
    ENSURE(hear(&h, &def, &err) == TW_OK);
    for (int k = 0; k < 2; k++)
        ENSURE_NEAR(decay_of(&h, bell_freq[k], 0.05, 0.2), 3 * bell_decay[k], 0.03 * bell_decay[k]);
    free(h.samples);

    // alpha and beta: (alpha + beta w^2)/2
    change = tw_listen_body();
    change.name = "bell";
    change.rayleigh = true;
    change.alpha = 10;
    change.beta = 2e-7;
    ENSURE(hear(&h, &def, &err) == TW_OK);
    for (int k = 0; k < 2; k++)
    {
        const double w = 2 * TW_PI * bell_freq[k], expected = 0.5 * (10 + 2e-7 * w * w);
        ENSURE_NEAR(decay_of(&h, bell_freq[k], 0.1, 0.25), expected, 0.01 * expected);
    }
    free(h.samples);
    return 0;
}

static int a_gain_of_a_body_is_a_factor_of_its_sound(void)
{
    const char* path = in_folder("gain.twtrace");
    twError err = {0};
    Heard one, half;
    ENSURE(strike_bell(path, 0.1));
    const twSceneEar ear = point(tw_vec3(0, 1, 0));
    twListenDef def = listen_def(path, &ear, 1);
    ENSURE(hear(&one, &def, &err) == TW_OK);
    twListenBody change = tw_listen_body();
    change.gain = 0.5;
    def.bodies = &change;
    def.body_count = 1;
    ENSURE(hear(&half, &def, &err) == TW_OK && half.frames == one.frames);
    double most = 0;
    for (int64_t i = 0; i < one.frames; i++)
    {
        most = fmax(most, fabs((double)one.samples[i]));
        ENSURE_NEAR((double)half.samples[i], 0.5 * (double)one.samples[i], 1e-6 * most);
    }
    ENSURE(most > 1e-3);
    change.name = "gong";
    Heard none;
    ENSURE(hear(&none, &def, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "no body 'gong'") && strstr(err.text, "bell"));
    free(one.samples);
    free(half.samples);
    return 0;
}

// without a camera: in front of the bodies, that is at -y, and it looks at them, so both ears hear the same
static int an_ear_that_is_not_placed_is_in_front_and_looks_at_the_bodies(void)
{
    const char* path = in_folder("front.twtrace");
    twError err = {0};
    Heard h;
    ENSURE(strike_bell(path, 0.1));
    twSceneEar ear = tw_scene_ear();
    ear.def.kind = TW_EAR_AMBIX;
    twListenDef def = listen_def(path, &ear, 1);
    ENSURE(hear(&h, &def, &err) == TW_OK && h.channels == 4);
    // W Y Z X: sound from the front is in W and X alike, and in no other
    double sums[4] = {0};
    for (int64_t i = 0; i < 4 * h.frames; i++) sums[i % 4] += (double)h.samples[i] * (double)h.samples[i];
    ENSURE(sums[0] > 0);
    ENSURE_NEAR(sums[3] / sums[0], 1, 1e-3);
    ENSURE(sums[1] < 1e-6 * sums[0] && sums[2] < 1e-6 * sums[0]);
    free(h.samples);
    return 0;
}

static bool stop(double done, void* context)
{
    int* calls = context;
    (void)done;
    return ++*calls < 3;
}

static int listening_can_be_interrupted(void)
{
    const char* path = in_folder("stop.twtrace");
    twError err = {0};
    Heard h;
    int calls = 0;
    ENSURE(strike_bell(path, 0.5));
    const twSceneEar ear = point(tw_vec3(0, 1, 0));
    twListenDef def = listen_def(path, &ear, 1);
    def.keep_going = stop;
    def.context = &calls;
    ENSURE(hear(&h, &def, &err) == TW_INTERRUPTED && calls == 3);
    free(h.samples);
    return 0;
}

// ---- rendering ----

static const char tapped[] =
    "duration: 0.12\nrate: 44100\ntail: 0\ngravity: [0, 0, 0]\n"
    "bodies: {b: {shape: \"box:0.05x0.05x0.05\", mass: 0.2}}\n"
    "pushes: [{on: b, at: [0.025, 0, 0], impulse: [-0.02, 0, 0], time: 0.02, duration: 0.0005}]\n"
    "listeners: {ear: {at: [0.4, 0, 0], kind: mono}, x: {pickup: {body: b, at: [0.025, 0, 0], direction: [1, 0, 0]}}}\n"
    "outputs: [{name: ear, from: [ear], format: float, level: {gain: 1}}, {name: x, from: [x]}]\n";

// Two points, the second twice as far as the first, of a bar that rings for long: 1.0 is 20 Pa for both, and the sound continues after the
// scene until it is quiet.
static int files_are_true_to_scale_and_ring_out(void)
{
    static const char scene[] =
        "duration: 0.1\nrate: 16000\ngravity: [0, 0, 0]\n"
        "bodies: {b: {shape: \"bar:0.3x0.03x0.01\", material: steel, flexible: {modes: 2, max_freq: 1, accuracy: 0.1}}}\n"
        "sound: {clicks: false}\n"
        "pushes: [{on: b, at: [0, 0, 0.005], impulse: [0, 0, -0.02], time: 0.01, duration: 0.0005}]\n"
        "listeners: {near: {at: [0, 0, 20], kind: mono}, far: {at: [0, 0, 40], kind: mono}, "
        "x: {pickup: {body: b, at: [0, 0, 0.005], direction: [0, 0, 1]}}}\n";
    twRenderReport report;
    twError err = {0};
    ENSURE(render_scene(scene, "true", (twRenderDef){.threads = 1}, &report, &err) == TW_OK);
    ENSURE(report.outputs[0].gain == 0.05 && report.outputs[1].gain == 0.05);
    ENSURE_NEAR(report.outputs[0].level.peak / report.outputs[1].level.peak, 2, 0.05);
    ENSURE(report.tail > 0.2 && report.tail <= 10 && report.outputs[0].faded);
    ENSURE_NEAR(report.tail, report.hearing.sound.rang, 1e-9);
    ENSURE_NEAR((double)report.frames, 1600 + 16000 * report.tail, 1e-6);
    twWav* wav = render_wav("true", "near.wav");
    ENSURE(wav && wav->frames == report.frames && strstr(wav->comment, "1.0 = 20 Pa") && wav->samples[0] == 0);
    tw_wav_destroy(wav);
    // what is picked up ends with the scene, by a fade, in a file as long
    wav = render_wav("true", "x.wav");
    ENSURE(wav && wav->frames == report.frames && report.outputs[2].faded);
    for (int64_t i = 1599; i < wav->frames; i++) ENSURE(wav->samples[i] == 0);
    tw_wav_destroy(wav);
    tw_render_report_free(&report);

    // exactly as long as it says, or no longer than the scene
    static const double tails[] = {0.5, 0};
    for (int i = 0; i < 2; i++)
    {
        char text[1200];
        snprintf(text, sizeof text, "tail: %g\n%s", tails[i], scene);
        ENSURE(render_scene(text, "told", (twRenderDef){.threads = 1}, &report, &err) == TW_OK);
        ENSURE(report.frames == 1600 + (int64_t)(16000 * tails[i]) && report.outputs[0].faded);
        tw_render_report_free(&report);
    }
    return 0;
}

static bool never(double done, void* context)
{
    (void)done, (void)context;
    return false;
}

static twStatus render(const char* folder, bool resume, bool stop_hearing, twRenderReport* report, twError* err)
{
    const twRenderDef def = {.resume = resume, .threads = 1, .keep_hearing = stop_hearing ? never : NULL};
    return render_scene(tapped, folder, def, report, err);
}

// a push is no contact, but it is heard: its impulse is in the trace, and not among the pairs that touch
static int pushes_are_recorded_with_their_impulse(void)
{
    twError err = {0};
    ENSURE(render("push", false, false, NULL, &err) == TW_OK);
    twTrace* trace = render_trace("push");
    twTracePair* pairs;
    int pair_count;
    ENSURE(trace && trace->force_count > 20);
    double impulse = 0, before = 0, force = 0, first = -1;
    for (int b = 0; b < trace->force_block_count; b++)
        for (int64_t i = 0; i < trace->force_blocks[b].count; i++)
        {
            const twTraceForce* f = &trace->force_blocks[b].forces[i];
            ENSURE(trace->touches[f->touch].id >= TW_TRACE_PUSH && f->time >= before);
            impulse += force * (f->time - before);
            force = (double)f->force[0];
            before = f->time;
            if (first < 0) first = f->time;
        }
    ENSURE_NEAR(force, 0, 0);
    ENSURE_NEAR(first, 0.02, 1e-9);
    ENSURE_NEAR(before, 0.0205, 1e-9);
    ENSURE_NEAR(impulse, -0.02, 2e-5);
    ENSURE(tw_trace_pairs(&pairs, &pair_count, trace, &err) == TW_OK && pair_count == 0);
    free(pairs);
    tw_trace_destroy(trace);
    return 0;
}

// sound is a WAV of pascals that begins when the blow's sound arrives
static int a_render_writes_what_its_listeners_hear(void)
{
    twRenderReport report;
    twError err = {0};
    ENSURE(render("heard", false, false, &report, &err) == TW_OK);
    ENSURE(report.heard && report.hearing.sound.bodies == 1 && report.hearing.sound.modes == 0);
    tw_render_report_free(&report);
    twWav* wav = render_wav("heard", "ear.wav");
    ENSURE(wav && wav->channels == 1 && wav->frames == 5292 && strstr(wav->comment, "1.0 = 1 Pa"));
    const double arrival = 44100 * (0.02 + 0.4 / 343.2);
    double before = 0, after = 0;
    for (int64_t i = 0; i < wav->frames; i++)
    {
        if ((double)i < arrival - 20) before = fmax(before, fabs((double)wav->samples[i]));
        if ((double)i >= arrival - 20 && (double)i < arrival + 60) after = fmax(after, fabs((double)wav->samples[i]));
    }
    ENSURE(after > 0.01 && before < 1e-3 * after);
    tw_wav_destroy(wav);
    return 0;
}

static int a_render_that_was_interrupted_while_listening_goes_on_from_there(void)
{
    twRenderReport report;
    twError err = {0};
    ENSURE(render("whole", false, false, NULL, &err) == TW_OK);
    ENSURE(render("cut", false, true, NULL, &err) == TW_INTERRUPTED);
    ENSURE(strstr(err.text, "of the sound"));
    ENSURE(render("cut", true, false, &report, &err) == TW_OK);
    ENSURE_NEAR(report.world.resumed_at, 0.12, 1e-9);
    tw_render_report_free(&report);
    ENSURE(same_file("whole", "cut", "trace.twtrace") && same_file("whole", "cut", "ear.wav") &&
           same_file("whole", "cut", "x.wav"));
    return 0;
}

// ---- files ----

static int files_are_the_same_for_any_number_of_threads(void)
{
    char path[1024], one[1024], three[1024];
    snprintf(path, sizeof path, "%s", in_folder("threads.twtrace"));
    twError err = {0};
    twListenFile out[2];
    twListenReport report;
    ENSURE(strike_bell(path, 0.2));
    twSceneEar ears[2] = {point(tw_vec3(0, 1, 0)), tw_scene_ear()};
    ears[0].name = "dot";
    ears[1].def.kind = TW_EAR_STEREO;
    twListenDef def = listen_def(path, ears, 2);
    def.sound.clicks = true;
    twListenFiles files = tw_listen_files();
    files.no_picture = true;
    snprintf(one, sizeof one, "%s", in_folder("one"));
    snprintf(three, sizeof three, "%s", in_folder("three"));
    files.folder = one;
    ENSURE(tw_listen_save(&def, &files, out, &report, &err) == TW_OK);
    ENSURE(out[0].channels == 1 && out[1].channels == 2 && !out[0].png[0]);
    ENSURE(out[0].gain == 0.05 && out[1].gain == 0.05);
    ENSURE_NEAR(out[0].peak * out[0].gain, out[0].level.peak, 1e-6);
    files.folder = three;
    def.sound.threads = 3;
    ENSURE(tw_listen_save(&def, &files, out, &report, &err) == TW_OK);
    ENSURE(same_file("one", "three", "dot.wav") && same_file("one", "three", "ear.wav"));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_listener_of_bodies_is_a_head_unless_said_otherwise)
    RUN(bodies_that_nobody_hears_get_an_ear_unless_none_is_wanted)
    RUN(sound_and_air_are_what_they_say)
    RUN(every_mistake_is_named_with_its_place)
    RUN(other_damping_decays_as_it_says)
    RUN(a_gain_of_a_body_is_a_factor_of_its_sound)
    RUN(an_ear_that_is_not_placed_is_in_front_and_looks_at_the_bodies)
    RUN(listening_can_be_interrupted)
    RUN(pushes_are_recorded_with_their_impulse)
    RUN(a_render_writes_what_its_listeners_hear)
    RUN(files_are_true_to_scale_and_ring_out)
    RUN(a_render_that_was_interrupted_while_listening_goes_on_from_there)
    RUN(files_are_the_same_for_any_number_of_threads)
)
