// SPDX-License-Identifier: MIT
// What is seen in films, and where.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "film.h"

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

// clang-format off
TEST_MAIN(
    RUN(triangles_are_seen_from_where_they_turn_counter_clockwise)
    RUN(things_fill_the_frame_and_stay_inside)
    RUN(what_moves_stays_inside_in_every_frame)
    RUN(what_bends_stays_inside_in_every_frame)
    RUN(forces_are_arrows_if_asked_for)
    RUN(a_wire_with_corners_is_seen_as_well_as_a_round_one)
    RUN(a_film_leaves_no_force_out)
    RUN(the_strip_shows_where_the_film_is)
)
