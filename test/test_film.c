// SPDX-License-Identifier: MIT
// Films: what is seen is what is there, it is heard when it is seen, and what fails leaves nothing behind.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "motion.h"
#include "picture/film.h"
#include "scratch.h"
#include "test.h"
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

// ---- helpers ----

static twFilmDef small_def(void)
{
    twFilmDef def = tw_film_def();
    def.width = 192;
    def.height = 128;
    def.samples = 1;
    return def;
}

// a cube of 10 cm that stands still, then from a frame on is somewhere else
static void jumping(Motion* m, double rate_hz, int64_t frames, int64_t jump)
{
    *m = motion(rate_hz, frames);
    motion_shape(m, "polystyrene", "bar:0.1x0.1x0.1", 0.1);
    motion_ready(m);
    for (int64_t f = 0; f < frames; f++) motion_pose(m, f, 0, tw_vec3(f < jump ? 0 : 0.4, 0, 0), tw_quat_identity());
}

static void save_click(const char* path, int rate_hz, double seconds, double at)
{
    const int64_t frames = (int64_t)(seconds * rate_hz), place = (int64_t)(at * rate_hz + 0.5);
    float* samples = motion_must(calloc((size_t)frames, sizeof *samples));
    for (int k = 0; k < 12 && place + k < frames; k++)
        samples[place + k] = (float)(k % 2 ? -0.9 : 0.9) * (float)exp(-0.3 * k);
    twWavDef def = tw_wav_def();
    def.rate_hz = rate_hz;
    if (tw_wav_save(path, &def, samples, frames, NULL, NULL) != TW_OK) abort();
    free(samples);
}

// what a command prints; free() it
static uint8_t* output_of(const char* command, size_t* count)
{
    FILE* pipe = popen(command, "r");
    size_t room = 1 << 16;
    uint8_t* bytes = motion_must(malloc(room));
    *count = 0;
    for (size_t got; pipe && (got = fread(bytes + *count, 1, room - *count, pipe)) > 0;)
        if ((*count += got) == room) bytes = motion_must(realloc(bytes, room *= 2));
    if (!pipe || pclose(pipe) != 0) *count = 0;
    return bytes;
}

// time of the first picture that differs much from the one before; by timestamps [s]
static double seen_at(const char* path, const twFilmDef* def, double rate_hz)
{
    char command[2048];
    size_t count, frame = (size_t)def->width * (size_t)def->height;
    snprintf(command, sizeof command, "ffmpeg -v error -i '%s' -vf fps=fps=%g:start_time=0 -f rawvideo -pix_fmt gray -",
             path, rate_hz);
    uint8_t* pixels = output_of(command, &count);
    double at = NAN;
    for (size_t n = 1; n < count / frame && isnan(at); n++)
    {
        double change = 0;
        for (size_t i = 0; i < frame; i++) change += abs(pixels[n * frame + i] - pixels[(n - 1) * frame + i]);
        if (change > 2.0 * (double)frame) at = (double)n / rate_hz;
    }
    free(pixels);
    return at;
}

// time of the loudest sample, by timestamps [s]
static double heard_at(const char* path, double rate_hz)
{
    char command[2048];
    size_t count;
    snprintf(command, sizeof command, "ffmpeg -v error -i '%s' -af aresample=async=1:first_pts=0 -f f32le -ac 1 -",
             path);
    uint8_t* bytes = output_of(command, &count);
    double most = 0, at = NAN;
    for (size_t i = 0; i < count / sizeof(float); i++)
    {
        float value;
        memcpy(&value, bytes + i * sizeof value, sizeof value);
        if (fabsf(value) <= most) continue;
        most = fabsf(value);
        at = (double)i / rate_hz;
    }
    free(bytes);
    return most > 0.1 ? at : NAN;
}

static int files_in(const char* folder)
{
    DIR* d = opendir(folder);
    int count = 0;
    for (struct dirent* e; d && (e = readdir(d));) count += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    if (d) closedir(d);
    return count;
}

static const char* new_folder(const char* name)
{
    const char* folder = in_folder(name);
    if (tw_make_folder(folder, NULL) != TW_OK) abort();
    return folder;
}

// ---- what is seen ----

typedef struct Look
{
    int count, left, right, top, bottom;
    int other;  // pixels that are not as the backdrop
} Look;

// where a picture is red
static Look red_in(const Image* image, const uint8_t* backdrop)
{
    Look look = {0, image->width, -1, image->height, -1, 0};
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++)
        {
            const uint8_t* p = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
            look.other += memcmp(p, backdrop + (p - image->rgb), 3) != 0;
            if (p[0] < p[1] + 45 || p[0] < p[2] + 45) continue;
            look.count++;
            look.left = x < look.left ? x : look.left;
            look.right = x > look.right ? x : look.right;
            look.top = y < look.top ? y : look.top;
            look.bottom = y > look.bottom ? y : look.bottom;
        }
    return look;
}

// red in every frame of the motion; count -1 if it cannot be drawn
static void look_at_frames(Look* out, const Motion* m, const StageDef* def)
{
    twSkin* skin = motion_skin(m);
    twError err = {0};
    Stage* stage = NULL;
    Image image = {def->width, def->height, motion_must(malloc((size_t)def->width * (size_t)def->height * 3))};
    uint8_t* backdrop = motion_must(malloc((size_t)def->width * (size_t)def->height * 3));
    const Camera camera = camera_of(skin, (double)def->width / def->height);
    const Floor floor = floor_of(skin, &camera);
    stage_backdrop(backdrop, def->width, def->height, skin, &camera, &floor);
    if (stage_create(&stage, skin, def, &err) != TW_OK) printf("%s\n", err.text);
    for (int64_t f = 0; f < m->trace.frame_count; f++, out++)
    {
        *out = (Look){-1, 0, 0, 0, 0, 0};
        if (!stage) continue;
        stage_draw(stage, f, f);
        if (stage_read(stage, &err) != TW_OK) continue;
        stage_show(stage, &image);
        *out = red_in(&image, backdrop);
    }
    stage_destroy(stage);
    tw_skin_destroy(skin);
    free(backdrop);
    free(image.rgb);
}

static Look look_at(const Motion* m, int width, int height, bool arrows)
{
    Look look = {0};
    look_at_frames(&look, m, &(StageDef){width, height, 4, arrows});
    return look;
}

static Look look_at_triangle(const twTriangle* face)
{
    // seen from -y, x is to the right and z up
    const twVec3 corners[3] = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}};
    Motion m = motion(60, 1);
    motion_mesh(&m, "polystyrene", corners, 3, face, 1);
    motion_ready(&m);
    m.trace.camera = (twTraceCamera){true, {0, -5, 0}, {0, 0, 0}, 0.8};
    const Look look = look_at(&m, 256, 256, false);
    motion_free(&m);
    return look;
}

static int triangles_are_seen_from_where_they_turn_counter_clockwise(void)
{
    // a triangle of base and height 2 at distance 5: its area on a picture that spans 10 tan 0.4
    const double pixel = 10 * tan(0.4) / 256;
    const Look front = look_at_triangle(&(twTriangle){{0, 1, 2}}), back = look_at_triangle(&(twTriangle){{0, 2, 1}});
    ENSURE_NEAR(front.count, 2 / (pixel * pixel), 0.03 * 2 / (pixel * pixel));
    ENSURE(front.other >= front.count && back.other == 0);
    return 0;
}

static int things_fill_the_frame_and_stay_inside(void)
{
    static const struct
    {
        const char* shape;
        bool upright;
        int width, height;
    } cases[] = {
        {"bar:0.1x0.1x0.1", false, 320, 180},   {"bar:0.3x0.03x0.01", false, 320, 180},
        {"bar:0.2x0.2x0.004", false, 320, 180}, {"bar:0.5x0.02x0.02", true, 320, 180},
        {"bar:20x2x1", false, 180, 320},        {"bar:0.001x0.0005x0.0005", false, 200, 200},
        {"bar:0.03x0.5x0.02", false, 320, 180},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    {
        Motion m = motion(60, 1);
        motion_shape(&m, "polystyrene", cases[k].shape, 1);
        motion_ready(&m);
        const twQuat turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), TW_PI / 2);
        motion_pose(&m, 0, 0, tw_vec3(3, -2, 7), cases[k].upright ? turn : tw_quat_identity());
        const int w = cases[k].width, h = cases[k].height;
        const Look look = look_at(&m, w, h, false);
        motion_free(&m);
        const double across = (look.right - look.left + 1.0) / w, down = (look.bottom - look.top + 1.0) / h;
        ENSURE(look.count > 0 && fmax(across, down) > 0.85);
        ENSURE(look.left > 0 && look.top > 0 && look.right < w - 1 && look.bottom < h - 1);
    }
    return 0;
}

static int what_moves_stays_inside_in_every_frame(void)
{
    Motion m = motion(60, 50);
    motion_shape(&m, "polystyrene", "bar:0.1x0.05x0.02", 1);
    motion_ready(&m);
    double across = 0;
    for (int64_t f = 0; f < 50; f++)
    {
        const double t = (double)f / 49;
        motion_pose(&m, f, 0, tw_vec3(cos(6 * t), sin(9 * t), t * (1 - t)),
                    tw_quat_from_axis_angle(tw_vec3(1, 2, 3), 20 * t));
    }
    Look looks[50] = {{0}};
    look_at_frames(looks, &m, &(StageDef){240, 160, 4, false});
    for (int f = 0; f < 50; f++)
    {
        const Look look = looks[f];
        ENSURE(look.count > 0 && look.left > 0 && look.top > 0 && look.right < 239 && look.bottom < 159);
        across = fmax(across, (look.right - look.left) / 240.0);
    }
    motion_free(&m);
    ENSURE(across < 0.5);  // the camera stands still
    return 0;
}

static twVec3 arch(twVec3 at) { return tw_vec3(0, 0, cos(TW_PI * at.x)); }

// a bar of 1 m that swings to and fro every five frames, bent least in every fifth
static int what_bends_stays_inside_in_every_frame(void)
{
    enum
    {
        FRAMES = 120
    };
    Motion m = motion(60, FRAMES);
    motion_shape(&m, "polystyrene", "bar:1x0.1x0.04", 0.05);
    motion_bends(&m, arch);
    motion_ready(&m);
    for (int f = 0; f < FRAMES; f++) motion_bend(&m, f, 0, 0.3 * sin(2 * TW_PI * f / 5));
    static Look looks[FRAMES];
    look_at_frames(looks, &m, &(StageDef){240, 160, 4, false});
    motion_free(&m);
    for (int f = 0; f < FRAMES; f++)
    {
        const Look look = looks[f];
        ENSURE(look.count > 0 && look.left > 0 && look.top > 0 && look.right < 239 && look.bottom < 159);
    }
    return 0;
}

static int forces_are_arrows_if_asked_for(void)
{
    Motion m = motion(60, 1);
    motion_shape(&m, "steel", "bar:0.2x0.1x0.1", 1);
    motion_ready(&m);
    twTraceArrow force = {{0, 0, 0.05f}, {0, 0, 12}};
    m.arrow_count[0] = 1;
    m.arrows[0] = &force;
    const Look without = look_at(&m, 320, 240, false), with = look_at(&m, 320, 240, true);
    force = (twTraceArrow){{0.1f, 0, 0}, {12, 0, 0}};
    const Look aside = look_at(&m, 320, 240, true);
    motion_free(&m);
    ENSURE(without.count == 0);
    ENSURE(with.count > 100 && with.bottom - with.top > 2 * (with.right - with.left));
    ENSURE(with.top > 0 && aside.count > 100 && aside.right < 319);
    return 0;
}

// how much of the picture a straight wire of this section darkens or brightens, in whole pixels of full contrast
static double ink_of_wire(const twTraceRod* rod)
{
    const double x[2] = {-0.5, 0.5}, y[2] = {0, 0.1}, z[2] = {0, 0.3}, none[1] = {0}, one[1] = {1};
    const twRodView view = {.point_count = 2, .edge_count = 1, .position = {x, y, z}, .frame_d1 = {none, one, none}};
    const twTraceFrame frame = {.rods = &view};
    const StageDef def = {320, 180, 4, false};
    static uint8_t rgb[3 * 320 * 180], backdrop[3 * 320 * 180];
    Image image = {320, 180, rgb};
    twTraceDef trace_def = tw_trace_def();
    trace_def.rod_count = 1;
    trace_def.rods = rod;
    twTraceWriter* writer = NULL;
    twTrace* trace = NULL;
    twSkin* skin = NULL;
    Stage* stage = NULL;
    const twSkinDef skin_def = tw_skin_def();
    const char* path = in_folder("wire.twtrace");
    if (tw_trace_create(&writer, path, &trace_def, NULL) != TW_OK || tw_trace_append(writer, &frame, NULL) != TW_OK ||
        tw_trace_commit(&writer, NULL) != TW_OK || tw_trace_load(&trace, path, NULL) != TW_OK)
        return NAN;
    trace->camera = (twTraceCamera){true, {0, -2, 0.1}, {0, 0, 0.15}, 0.5};
    if (tw_skin_create(&skin, trace, &skin_def, NULL) != TW_OK || stage_create(&stage, skin, &def, NULL) != TW_OK)
        return NAN;
    const Camera camera = camera_of(skin, 320.0 / 180);
    const Floor floor = floor_of(skin, &camera);
    stage_backdrop(backdrop, 320, 180, skin, &camera, &floor);
    stage_draw(stage, 0, 0);
    if (stage_read(stage, NULL) != TW_OK) return NAN;
    stage_show(stage, &image);
    double sum = 0;
    for (size_t i = 0; i < sizeof rgb; i++) sum += abs(rgb[i] - backdrop[i]);
    stage_destroy(stage);
    tw_skin_destroy(skin);
    tw_trace_destroy(trace);
    return sum / (3 * 255);
}

// a hundredth of a pixel thick: both are drawn two pixels thick, and neither falls apart
static int a_wire_with_corners_is_seen_as_well_as_a_round_one(void)
{
    const double corners[] = {1, -1, 1, 1, -1, 1, -1, -1};
    const twTraceSection thin = {.half_size = {2e-5, 2e-5}, .radius = 2e-5}, flat = {.half_size = {2e-5, 2e-5}};
    const twTraceRod round = {"wire", "steel", 2, false, 1, &thin, 0, NULL};
    const twTraceRod cornered = {"wire", "steel", 2, false, 1, &flat, 4, corners};
    const double want = ink_of_wire(&round), ink = ink_of_wire(&cornered);
    ENSURE(want > 100 && ink > 0.8 * want && ink < 1.25 * want);
    return 0;
}

// a blow is shorter than a frame, and in one frame of the trace, of which a film shows every other one
static int a_film_leaves_no_force_out(void)
{
    twTraceArrow forces[25];
    for (int k = 0; k < 25; k++)
        forces[k] = (twTraceArrow){{0.02f * (float)(k % 5) - 0.04f, 0.02f * (float)(k / 5) - 0.04f, 0}, {0, 0, 12}};
    for (int blow = 10; blow < 12; blow++)
    {
        Motion m = motion(60, 20);
        motion_shape(&m, "polystyrene", "bar:0.1x0.1x0.1", 0.1);
        motion_ready(&m);
        m.arrow_count[blow] = 25;
        m.arrows[blow] = forces;
        twSkin* skin = motion_skin(&m);
        twFilmDef def = small_def();
        def.frame_rate_hz = 30;
        def.arrows = true;
        const char* path = in_folder("blow.mp4");
        ENSURE(tw_film_save(path, skin, &def, NULL, NULL) == TW_OK);
        ENSURE_NEAR(seen_at(path, &def, 30), 5 / 30.0, 1e-3);
        tw_skin_destroy(skin);
        motion_free(&m);
    }
    return 0;
}

static int the_strip_shows_where_the_film_is(void)
{
    Motion m;
    jumping(&m, 10, 10, 5);
    save_click(in_folder("strip.wav"), 48000, 1, 0.5);
    twSkin* skin = motion_skin(&m);
    twFilmDef def = small_def();
    def.width = 640;
    def.height = 360;
    def.strip = true;
    def.sound = in_folder("strip.wav");
    Screen screen;
    ENSURE(screen_create(&screen, skin, &def, 0, 1, NULL) == TW_OK);
    ENSURE(screen.stage_height < 340 && screen.stage_height > 280);
    int cursor[2] = {0, 0};
    for (int k = 0; k < 2; k++)
    {
        stage_draw(screen.stage, 2 + 5 * k, 0);
        ENSURE(stage_read(screen.stage, NULL) == TW_OK);
        screen_show(&screen, 0.2 + 0.5 * k, 2 + 5 * k);
        // the brightest place in the middle of the strip
        int most = 0;
        const uint8_t* row = screen.image.rgb + 3 * (size_t)640 * (size_t)(screen.stage_height + 6);
        for (int x = 20; x < 580; x++)
            if (row[3 * x] > most) most = row[3 * x], cursor[k] = x;
        ENSURE(most > 200);
    }
    ENSURE_NEAR((cursor[1] - cursor[0]) / 640.0, 0.5 * 0.85, 0.06);
    screen_destroy(&screen);
    tw_skin_destroy(skin);
    motion_free(&m);
    return 0;
}

// ---- sound ----

// what is seen minus what is heard [frames], of a jump in a frame of the trace; NaN if either is missing
static double lag(double trace_hz, double film_hz, int rate_hz, double start, int64_t jump)
{
    const int64_t frames = (int64_t)trace_hz;
    Motion m;
    jumping(&m, trace_hz, frames, jump);
    twSkin* skin = motion_skin(&m);
    save_click(in_folder("click.wav"), rate_hz, 1, (double)jump / trace_hz);
    const char *sound = in_folder("click.wav"), *path = in_folder("film.mp4");
    twFilmDef def = small_def();
    def.frame_rate_hz = film_hz;
    def.sound = sound;
    def.start = start;
    twError err = {0};
    double result = NAN;
    if (tw_film_save(path, skin, &def, NULL, &err) == TW_OK)
    {
        const double seen = seen_at(path, &def, film_hz), heard = heard_at(path, rate_hz);
        result = (seen - heard) * film_hz;
        // and both are where they were put
        if (fabs(heard - ((double)jump / trace_hz - start)) > 2e-3) result = NAN;
    }
    else
        printf("%s\n", err.text);
    tw_skin_destroy(skin);
    motion_free(&m);
    return result;
}

// the strip of a cube's first frame, if a series is first this and then 1 J
static void strip_of(uint8_t* out, size_t bytes, double first)
{
    Motion m = motion(10, 2);
    motion_shape(&m, "steel", "bar:0.1x0.1x0.1", 0.1);
    motion_series(&m, "energy", "J");
    motion_ready(&m);
    motion_value(&m, 0, 0, first);
    motion_value(&m, 1, 0, 1);
    twSkin* skin = motion_skin(&m);
    twFilmDef def = small_def();
    def.strip = true;
    Screen screen;
    if (screen_create(&screen, skin, &def, 0, 0.2, NULL) != TW_OK) abort();
    stage_draw(screen.stage, 0, 0);
    if (stage_read(screen.stage, NULL) != TW_OK) abort();
    screen_show(&screen, 0, 0);
    memcpy(out, screen.image.rgb, bytes);
    screen_destroy(&screen);
    tw_skin_destroy(skin);
    motion_free(&m);
}

static int rounding_errors_are_shown_as_0(void)
{
    static uint8_t shown[3][192 * 128 * 3];
    strip_of(shown[0], sizeof shown[0], 0);
    strip_of(shown[1], sizeof shown[1], 5.57e-27);
    strip_of(shown[2], sizeof shown[2], 1e-6);
    ENSURE(memcmp(shown[0], shown[1], sizeof shown[0]) == 0 && memcmp(shown[0], shown[2], sizeof shown[0]) != 0);
    return 0;
}

static int an_impact_is_heard_within_half_a_frame_of_where_it_is_seen(void)
{
    ENSURE_NEAR(lag(24, 24, 48000, 0, 14), 0, 0.5);
    ENSURE_NEAR(lag(30, 30, 44100, 0, 18), 0, 0.5);
    ENSURE_NEAR(lag(60, 60, 48000, 0, 37), 0, 0.5);
    ENSURE_NEAR(lag(60, 60, 44100, 0, 38), 0, 0.5);
    return 0;
}

static int it_is_so_at_other_rates_and_from_the_middle_too(void)
{
    for (int k = 0; k < 4; k++) ENSURE_NEAR(lag(240, 60, 48000, 0, 148 + k), 0, 0.51);
    for (int k = 0; k < 2; k++) ENSURE_NEAR(lag(60, 30, 48000, 0.3, 37 + k), 0, 0.51);
    for (int k = 0; k < 2; k++) ENSURE_NEAR(lag(24, 60, 48000, 0, 14 + k), 0, 0.51);
    return 0;
}

// ---- files ----

static int the_same_film_is_the_same_bytes(void)
{
    Motion m;
    jumping(&m, 30, 12, 6);
    twSkin* skin = motion_skin(&m);
    save_click(in_folder("same.wav"), 48000, 0.4, 0.2);
    twFilmDef def = small_def();
    def.samples = 4;
    def.strip = true;
    char* bytes[2];
    size_t count[2];
    twFilmReport report;
    for (int k = 0; k < 2; k++)
    {
        const char *sound = in_folder("same.wav"), *path = in_folder("same.mp4");
        def.sound = sound;
        ENSURE(tw_film_save(path, skin, &def, &report, NULL) == TW_OK);
        ENSURE(tw_file_read(&bytes[k], &count[k], path, 1 << 24, NULL) == TW_OK);
    }
    ENSURE(count[0] == count[1] && memcmp(bytes[0], bytes[1], count[0]) == 0);
    ENSURE(report.frames == 12 && report.frame_rate_hz == 30 && report.renderer[0] && !report.folder[0]);
    free(bytes[0]);
    free(bytes[1]);
    tw_skin_destroy(skin);
    motion_free(&m);
    return 0;
}

static int a_still_is_a_picture_of_the_right_size(void)
{
    Motion m;
    jumping(&m, 30, 2, 1);
    twSkin* skin = motion_skin(&m);
    const twFilmDef def = small_def();
    const char* path = in_folder("still.png");
    ENSURE(tw_still_save(path, skin, 1, &def, NULL) == TW_OK);
    char* bytes;
    size_t count;
    ENSURE(tw_file_read(&bytes, &count, path, 1 << 24, NULL) == TW_OK);
    ENSURE(count > 24 && memcmp(bytes, "\x89PNG", 4) == 0 && (uint8_t)bytes[19] == 192 && (uint8_t)bytes[23] == 128);
    free(bytes);
    ENSURE(tw_still_save(path, skin, 2, &def, NULL) == TW_BAD_INPUT);
    tw_skin_destroy(skin);
    motion_free(&m);
    return 0;
}

// ---- what goes wrong ----

static int without_ffmpeg_there_are_pictures_and_a_message(void)
{
    Motion m;
    jumping(&m, 30, 5, 2);
    twSkin* skin = motion_skin(&m);
    const twFilmDef def = small_def();
    twFilmReport report;
    twError err = {0};
    char path[1200], *search = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s/no.ffmpeg.mp4", new_folder("without"));
    setenv("PATH", "", 1);
    const twStatus status = tw_film_save(path, skin, &def, &report, &err);
    setenv("PATH", search, 1);
    free(search);
    ENSURE(status == TW_IO_ERROR);
    ENSURE(strstr(err.text, "ffmpeg") && strstr(err.text, report.folder));
    ENSURE(strcmp(strrchr(report.folder, '/'), "/no.ffmpeg_frames") == 0);
    ENSURE(files_in(report.folder) == 5 && files_in(in_folder("without")) == 1);
    tw_skin_destroy(skin);
    motion_free(&m);
    return 0;
}

static bool stop_at_half(double done, void* context)
{
    (void)context;
    return done < 0.5;
}

static int an_interrupted_film_leaves_nothing(void)
{
    Motion m;
    jumping(&m, 30, 8, 2);
    twSkin* skin = motion_skin(&m);
    twFilmDef def = small_def();
    def.keep_going = stop_at_half;
    char path[1200];
    snprintf(path, sizeof path, "%s/film.mp4", new_folder("interrupted"));
    ENSURE(tw_film_save(path, skin, &def, NULL, NULL) == TW_INTERRUPTED);
    ENSURE(files_in(in_folder("interrupted")) == 0);
    def.encoder = "no-such-program";
    ENSURE(tw_film_save(path, skin, &def, NULL, NULL) == TW_INTERRUPTED);
    ENSURE(files_in(in_folder("interrupted")) == 0);
    tw_skin_destroy(skin);
    motion_free(&m);
    return 0;
}

// a limit on the size of files stands for a full disk
static twStatus save_limited(const char* path, const twSkin* skin, const twFilmDef* def, rlim_t bytes, twError* err)
{
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = bytes;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const twStatus status = tw_film_save(path, skin, def, NULL, err);
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, before);
    return status;
}

static int a_full_disk_is_said_in_the_encoders_words_and_leaves_nothing(void)
{
    Motion m;
    jumping(&m, 30, 20, 10);
    twSkin* skin = motion_skin(&m);
    const twFilmDef def = small_def();
    char path[1200];
    snprintf(path, sizeof path, "%s/film.mp4", new_folder("full"));
    for (rlim_t bytes = 0; bytes < 2000; bytes += 900)
    {
        twError err = {0};
        ENSURE(save_limited(path, skin, &def, bytes, &err) == TW_IO_ERROR);
        ENSURE(strstr(err.text, "film.mp4") && strstr(err.text, "too large"));
        ENSURE(files_in(in_folder("full")) == 0);
    }
    tw_skin_destroy(skin);
    motion_free(&m);
    return 0;
}

static int an_encoder_that_fails_or_dies_is_an_error_and_no_signal(void)
{
    Motion m;
    jumping(&m, 30, 30, 2);
    twSkin* skin = motion_skin(&m);
    twFilmDef def = small_def();
    twError err = {0};
    char path[1200];
    snprintf(path, sizeof path, "%s/film.mp4", new_folder("failing"));
    def.encoder = "false";
    ENSURE(tw_film_save(path, skin, &def, NULL, &err) == TW_IO_ERROR);
    ENSURE(strstr(err.text, "ffmpeg failed"));
    def.encoder = "true";
    ENSURE(tw_film_save(path, skin, &def, NULL, &err) == TW_IO_ERROR);
    ENSURE(files_in(in_folder("failing")) == 0);
    tw_skin_destroy(skin);
    motion_free(&m);
    return 0;
}

static int wrong_input_is_named(void)
{
    Motion m;
    jumping(&m, 30, 30, 2);
    twSkin* skin = motion_skin(&m);
    twError err = {0};
    char path[1200];
    snprintf(path, sizeof path, "%s/film.mp4", new_folder("wrong"));
    twFilmDef def = small_def();
    def.width = 321;
    ENSURE(tw_film_save(path, skin, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "321"));
    def = small_def();
    def.samples = 0;
    ENSURE(tw_film_save(path, skin, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "samples"));
    def = small_def();
    def.frame_rate_hz = 0.25;
    ENSURE(tw_film_save(path, skin, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "0.25"));
    def = small_def();
    def.start = 1;
    ENSURE(tw_film_save(path, skin, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "0 to 1 s"));
    def = small_def();
    def.start = 0.5;
    def.end = 0.25;
    ENSURE(tw_film_save(path, skin, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "0.25"));
    def = small_def();
    def.frame_rate_hz = 30;
    for (int k = 0; k < 2; k++)
    {
        m.trace.frame_rate_hz = k ? 1e-305 : 1e-9;
        ENSURE(tw_film_save(path, skin, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "would have"));
    }
    m.trace.frame_rate_hz = 30;
    def = small_def();
    def.sound = in_folder("no-such.wav");
    ENSURE(tw_film_save(path, skin, &def, NULL, &err) == TW_BAD_INPUT && strstr(err.text, "no-such.wav"));
    def = small_def();
    ENSURE(tw_film_save(in_folder("no-such-folder/film.mp4"), skin, &def, NULL, &err) == TW_IO_ERROR);
    ENSURE(files_in(in_folder("wrong")) == 0);
    tw_skin_destroy(skin);
    motion_free(&m);
    return 0;
}

// in a process of its own, before EGL was ever used in it
static int no_display(void)
{
    setenv("__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent", 1);
    setenv("LIBGL_DRIVERS_PATH", "/nonexistent", 1);
    Motion m;
    jumping(&m, 30, 3, 2);
    twSkin* skin = motion_skin(&m);
    const twFilmDef def = small_def();
    twError err = {0};
    const twStatus status = tw_film_save(in_folder("dark.mp4"), skin, &def, NULL, &err);
    const bool good = status == TW_IO_ERROR && strstr(err.text, "EGL") && strstr(err.text, "libgl1-mesa-dri");
    if (!good) printf("%d: %s\n", status, err.text);
    tw_skin_destroy(skin);
    motion_free(&m);
    return !good;
}

static int a_machine_without_egl_is_told_what_it_lacks(void)
{
    const char* folder = scratch_folder();
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
    {
        const int bad = no_display();
        fflush(stdout);
        _exit(bad);
    }
    int how = -1;
    waitpid(child, &how, 0);
    ENSURE(how == 0 && files_in(folder) == 0);
    return 0;
}

TEST_MAIN(RUN(a_machine_without_egl_is_told_what_it_lacks)                   //
          RUN(triangles_are_seen_from_where_they_turn_counter_clockwise)     //
          RUN(things_fill_the_frame_and_stay_inside)                         //
          RUN(what_moves_stays_inside_in_every_frame)                        //
          RUN(what_bends_stays_inside_in_every_frame)                        //
          RUN(forces_are_arrows_if_asked_for)                                //
          RUN(a_wire_with_corners_is_seen_as_well_as_a_round_one)            //
          RUN(a_film_leaves_no_force_out)                                    //
          RUN(the_strip_shows_where_the_film_is)                             //
          RUN(rounding_errors_are_shown_as_0)                                //
          RUN(an_impact_is_heard_within_half_a_frame_of_where_it_is_seen)    //
          RUN(it_is_so_at_other_rates_and_from_the_middle_too)               //
          RUN(the_same_film_is_the_same_bytes)                               //
          RUN(a_still_is_a_picture_of_the_right_size)                        //
          RUN(without_ffmpeg_there_are_pictures_and_a_message)               //
          RUN(an_interrupted_film_leaves_nothing)                            //
          RUN(a_full_disk_is_said_in_the_encoders_words_and_leaves_nothing)  //
          RUN(an_encoder_that_fails_or_dies_is_an_error_and_no_signal)       //
          RUN(wrong_input_is_named))
