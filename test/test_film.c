// SPDX-License-Identifier: MIT
// Films: it is heard when it is seen, and what fails leaves nothing behind. What is seen is in test_film_look.c.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "film.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

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

// the first frame of the cube's film as it is seen, or NULL; to be freed
static uint8_t* shown(const Motion* m, double exaggeration, const twFilmDef* def)
{
    twSkinDef how = tw_skin_def();
    how.exaggeration = exaggeration;
    twSkin* skin = NULL;
    Screen screen = {0};
    uint8_t* rgb = NULL;
    if (tw_skin_create(&skin, &m->trace, &how, NULL) == TW_OK && screen_create(&screen, skin, def, 0, 1, NULL) == TW_OK)
    {
        stage_draw(screen.stage, 0, 0);
        if (stage_read(screen.stage, NULL) == TW_OK)
        {
            screen_show(&screen, 0, 0);
            rgb = screen.image.rgb;
            screen.image.rgb = NULL;
        }
        screen_destroy(&screen);
    }
    tw_skin_destroy(skin);
    return rgb;
}

// a rigid cube looks the same at any factor, but for the words in the lower left corner
static int an_exaggerated_film_says_so(void)
{
    Motion m;
    jumping(&m, 30, 2, 1);
    twFilmDef def = small_def();
    def.width = 384, def.height = 256;
    uint8_t *plain = shown(&m, tw_skin_def().exaggeration, &def), *twice = shown(&m, 100, &def);
    ENSURE(plain && twice);
    int words = 0, elsewhere = 0;
    for (int i = 0; i < def.width * def.height; i++)
    {
        const bool corner = i % def.width < def.width / 3 && i / def.width > def.height * 7 / 8;
        const bool same = memcmp(plain + 3 * i, twice + 3 * i, 3) == 0;
        words += !same && corner;
        elsewhere += !same && !corner;
    }
    ENSURE(words > 50 && elsewhere == 0);
    free(plain);
    free(twice);
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

// clang-format off
TEST_MAIN(
    RUN(a_machine_without_egl_is_told_what_it_lacks)
    RUN(rounding_errors_are_shown_as_0)
    RUN(an_impact_is_heard_within_half_a_frame_of_where_it_is_seen)
    RUN(it_is_so_at_other_rates_and_from_the_middle_too)
    RUN(the_same_film_is_the_same_bytes)
    RUN(a_still_is_a_picture_of_the_right_size)
    RUN(an_exaggerated_film_says_so)
    RUN(without_ffmpeg_there_are_pictures_and_a_message)
    RUN(an_interrupted_film_leaves_nothing)
    RUN(a_full_disk_is_said_in_the_encoders_words_and_leaves_nothing)
    RUN(an_encoder_that_fails_or_dies_is_an_error_and_no_signal)
    RUN(wrong_input_is_named)
)
