// SPDX-License-Identifier: MIT
// What films cost: milliseconds per frame of 1280 x 720 against triangles, and where they go: drawing, reading back and
// encoding. A mug turns on the spot; the film has sound and goes to a file, as `twang picture` makes it.
//
// Wall time is what the machine does now, with all that runs beside; processor time (of this program with the driver's
// threads, and of the encoder) is steadier, and two cores can do no better than half of it.
#define _XOPEN_SOURCE 700
#include "../test/motion.h"
#include "../test/scratch.h"
#include "bench.h"

#define FRAMES 36

typedef struct Cost
{
    int faces;
    double wall, cpu;  // [s] per frame; the encoder's included
    twFilmReport report;
} Cost;

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char* save_sound(void)
{
    static float samples[48000 * FRAMES / 60];
    const int count = (int)(sizeof samples / sizeof *samples);
    for (int i = 0; i < count; i++) samples[i] = (float)(0.5 * exp(-5e-5 * i) * sin(0.1 * i));
    const twWavDef def = tw_wav_def();
    const char* path = in_folder("sound.wav");
    if (tw_wav_save(path, &def, samples, count, NULL, NULL) != TW_OK) exit(1);
    return path;
}

// without what it takes to start: a film of few frames is taken away
static Cost film_once(const twSkin* skin, const twFilmDef* def, const char* path)
{
    Cost cost = {.faces = 0};
    twFilmDef part = *def;
    for (int k = 0; k < 2; k++)
    {
        part.end = k == 0 ? 0.999 * 4 / 60.0 : 0;
        twError err = {0};
        const double wall = tw_seconds(), cpu = cpu_seconds();
        if (tw_film_save(path, skin, &part, &cost.report, &err) != TW_OK)
        {
            fprintf(stderr, "bench_picture: %s\n", err.text);
            exit(1);
        }
        const double sign = k == 0 ? -1 : 1;
        cost.wall += sign * (tw_seconds() - wall) / (FRAMES - 4);
        cost.cpu += sign * (cpu_seconds() - cpu + cost.report.encoder_cpu_seconds) / (FRAMES - 4);
    }
    return cost;
}

static Cost measure(double edge, int samples)
{
    Motion m = motion(60, FRAMES);
    motion_shape(&m, "ceramic", "mug:", edge);
    motion_ready(&m);
    for (int f = 0; f < FRAMES; f++)
        motion_pose(&m, f, 0, tw_vec3(0, 0, 0), tw_quat_from_axis_angle(tw_vec3(0, 0, 1), 0.02 * f));
    twSkin* skin = motion_skin(&m);
    twFilmDef def = tw_film_def();
    def.samples = samples;
    def.sound = save_sound();
    char path[300];
    snprintf(path, sizeof path, "%s", in_folder("film.mp4"));
    Cost cost = film_once(skin, &def, path);
    cost.faces = skin->parts[0].face_count;
    tw_skin_destroy(skin);
    motion_free(&m);
    return cost;
}

static void figure(BenchReport* report, const char* what, int faces, int samples, double value, const char* meaning)
{
    char key[64];
    snprintf(key, sizeof key, "%s_%dk_x%d", what, (faces + 500) / 1000, samples);
    bench_figure(report, key, value, meaning);
}

int main(int argc, char** argv)
{
    BenchReport report = bench_report(argc, argv, "bench_picture");
    static const double edges[] = {0.012, 0.0038, 0.00183, 0.0013};  // about 2, 12, 50 and 100 thousand triangles
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++)
        for (int samples = 1; samples <= 4; samples += 3)
        {
            const Cost c = measure(edges[k], samples);
            const double frames = (double)c.report.frames;
            if (k == 0 && samples == 1) bench_text(&report, "renderer", c.report.renderer, "what draws");
            figure(&report, "wall_ms", c.faces, samples, 1e3 * c.wall,
                   "per frame; thousands of triangles, samples per pixel");
            figure(&report, "cpu_ms", c.faces, samples, 1e3 * c.cpu, "per frame, of all processes");
            if (c.faces < 40000 || c.faces > 60000) continue;
            const twFilmReport* r = &c.report;
            const double all =
                r->draw_seconds + r->wait_seconds + r->read_seconds + r->show_seconds + r->encode_seconds;
            figure(&report, "frames_per_s", c.faces, samples, 1 / c.wall, "now");
            figure(&report, "frames_per_s_2_cores", c.faces, samples, 2 / c.cpu, "that the time of two cores allows");
            figure(&report, "draw_share", c.faces, samples, (r->draw_seconds + r->wait_seconds) / all,
                   "of the wall time");
            figure(&report, "read_share", c.faces, samples, r->read_seconds / all, "of the wall time");
            figure(&report, "backdrop_share", c.faces, samples, r->show_seconds / all, "of the wall time");
            figure(&report, "encode_share", c.faces, samples, r->encode_seconds / all, "of the wall time");
            figure(&report, "encoder_cpu_ms", c.faces, samples, 1e3 * c.report.encoder_cpu_seconds / frames,
                   "per frame");
        }
    bench_end(&report);
    return 0;
}
