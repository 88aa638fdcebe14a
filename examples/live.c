// SPDX-License-Identifier: MIT
// A soft bar that is taken by one end, swung, plucked and let fall, live: one thread simulates, the other is hand, eye and ear.
//   cc live.c $(pkg-config --cflags --libs twang) -pthread -o live && ./live
// Takes three seconds, prints what goes on, and writes what was heard to live.wav. The modes are those of a free bar by theory (Euler and
// Bernoulli); those of any body come from a file: `twang modes MESH -o body.twmodes`, tw_mode_set_load().
#define _POSIX_C_SOURCE 200809L
#include "twang/twang.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define MODES 6
#define BLOCK 800   // of sound: 1/60 s
#define FRAMES 180  // 3 s
// a WAV header for floats, 3 s at 48 kHz
static const char header[44] =
    "RIFF\x24\xCA\x08\0WAVEfmt \x10\0\0\0\3\0\1\0\x80\xBB\0\0\0\xEE\2\0\4\0\x20\0data\0\xCA\x08";
static const double LENGTH = 0.4, HEIGHT = 0.02, DENSITY = 1000, YOUNG = 2e7;

static int fail(const twError* err) { return fprintf(stderr, "live: %s\n", err->text), 1; }

static twMesh* surface(const char* text, double edge, twError* err)
{
    twShape* shape = NULL;
    twMesh* mesh = NULL;
    if (tw_shape_parse(&shape, text, err) == TW_OK) tw_shape_surface(&mesh, shape, edge, err);
    tw_shape_destroy(shape);
    return mesh;
}

// mode k of a free bar: u = cosh bx + cos bx - s (sinh bx + sin bx) along z, -z u' along x, where cosh b cos b = 1
static twModeSet* make_modes(const twMesh* mesh, twError* err)
{
    static const double roots[MODES] = {4.730041, 7.853205, 10.995608, 14.137165, 17.278760, 20.420352};
    const int count = mesh->vertex_count;
    double freq_hz[MODES];
    float* shape = calloc((size_t)(MODES * count), 3 * sizeof *shape);
    twModeSet *set = NULL, def = {.mode_count = MODES, .vertex_count = count, .face_count = mesh->face_count};
    def.mass = tw_mesh_mass(mesh, DENSITY);
    for (int i = 0; i < MODES * count && shape; i++)
    {
        const twVec3 at = mesh->vertices[i % count];
        const double b = roots[i / count], s = (cosh(b) - cos(b)) / (sinh(b) - sin(b)), x = b * (at.x / LENGTH + 0.5);
        const double u = cosh(x) + cos(x) - s * (sinh(x) + sin(x));
        const double slope = b * (sinh(x) - sin(x) - s * (cosh(x) + cos(x)));
        shape[3 * i] = (float)(-at.z / LENGTH * slope / sqrt(def.mass.mass));
        shape[3 * i + 2] = (float)(u / sqrt(def.mass.mass));
        freq_hz[i / count] = pow(b / LENGTH, 2) * HEIGHT * sqrt(YOUNG / DENSITY / 12) / (2 * TW_PI);
    }
    def.rigid_modes = 6, def.damping = tw_damping_rayleigh(1, 1e-4);
    def.freq_hz = freq_hz, def.shape = shape, def.vertices = mesh->vertices, def.faces = mesh->faces;
    if (shape) tw_mode_set_create(&set, &def, err);
    free(shape);
    return set;
}

typedef struct Show
{
    twLive* live;
    atomic_bool over;
} Show;

static void rest(double seconds) { nanosleep(&(struct timespec){0, (long)(1e9 * seconds)}, NULL); }

// one thread simulates, in step with the clock
static void* simulate(void* context)
{
    Show* show = context;
    for (double last = tw_seconds(); !atomic_load(&show->over); rest(0.002))
    {
        const double now = tw_seconds();
        tw_live_advance(show->live, now - last);
        last = now;
    }
    return NULL;
}

// what the hand does in frame i of 60 per second: look for the bar from above, take it at one end, swing it, pluck it, let go
static const char* act(twLive* live, int i)
{
    static twVec3 taken;
    twGrabDef grab = tw_grab_def();
    const double time = i / 60.0;
    if (i == 12 && tw_live_pick(tw_live_view(live), tw_vec3(0.18, 0, 1), tw_vec3(0, 0, -1), &grab.at, &taken))
    {
        grab.here = true;
        return tw_live_grab(live, 0, &grab) ? "taken at one end" : "refused";
    }
    if (i >= 24 && i < 96)
        tw_live_move(live, 0, tw_vec3_add(taken, tw_vec3(0, 0.05 * sin(6 * time), 0.15 * (1 - cos(5 * (time - 0.4))))),
                     1 / 60.0);
    if (i == 24) return "swung";
    const twSurfacePoint other = tw_surface_vertex(0);
    if (i == 108) return tw_live_strike(live, 0, &other, tw_vec3(0, 0, 0.05)), "plucked at the other end";
    if (i == 132) return tw_live_release(live, 0), "let go";
    return NULL;
}

// the show: a frame of picture and sound 60 times a second
static void play(Show* show, int frames, float* sound)
{
    const double begin = tw_seconds();
    double loudest = 0;
    for (int i = 0; i < frames; i++)
    {
        while (tw_seconds() < begin + i / 60.0) rest(0.001);
        float* block = sound + (size_t)i * BLOCK;
        const char* what = act(show->live, i);
        tw_live_sound(show->live, block, BLOCK);
        for (int k = 0; k < BLOCK; k++) loudest = fmax(loudest, fabs((double)block[k]));
        if (!what && i % 12 != 0) continue;
        const twLiveView* view = tw_live_view(show->live);
        printf("%4.1f s  %.3f m high, bent by %.4f J, held with %5.2f N, up to %.3f Pa%s%s\n", view->time,
               view->bodies[0].position.z, view->energy.elastic, tw_vec3_norm(view->grabs[0].force), loudest,
               what ? ": " : "", what ? what : "");
        loudest = 0;
    }
}

int main(void)
{
    static float sound[FRAMES * BLOCK];
    twError err;
    twMesh *bar = surface("bar:0.4x0.04x0.02", 0.01, &err), *box = surface("box:2x2x0.2", 1, &err);
    twModeSet* set = bar && box ? make_modes(bar, &err) : NULL;
    twBodyShape *soft = NULL, *hard = NULL;
    twBodyShapeDef soft_def = tw_body_shape_def(), hard_def = tw_body_shape_def();
    if (!set) return fail(&err);
    soft_def.modes = set, hard_def.mesh = box;
    if (tw_body_shape_create(&soft, &soft_def, &err) != TW_OK || tw_body_shape_create(&hard, &hard_def, &err) != TW_OK)
        return fail(&err);

    twLiveBodyDef bodies[2] = {tw_live_body_def(), tw_live_body_def()};
    twBodyDef *soft_body = &bodies[0].body, *floor = &bodies[1].body;
    soft_body->name = "bar", soft_body->shape = soft, soft_body->motion.position.z = 0.05, bodies[0].modes = set;
    floor->name = "floor", floor->shape = hard, floor->kind = TW_BODY_FIXED, floor->motion.position.z = -0.1;
    const twContactMaterial wood = tw_contact_material(tw_material_find("wood"));
    twLiveDef def = tw_live_def();
    def.bodies = bodies, def.body_count = 2, def.world.materials = &wood, def.world.material_count = 1;
    def.sound_rate_hz = 60 * BLOCK, def.ear = tw_ear_def(), def.ear.position = tw_vec3(0, -0.5, 0.3), def.budget = 0.05;
    Show show = {.over = false};
    pthread_t thread;
    if (tw_live_create(&show.live, &def, &err) != TW_OK) return fail(&err);
    if (pthread_create(&thread, NULL, simulate, &show) != 0) return 1;
    play(&show, FRAMES, sound);
    atomic_store(&show.over, true);
    pthread_join(thread, NULL);
    const twLiveStats stats = tw_live_view(show.live)->stats;
    printf("%d steps, %d contacts, %d commands refused, %.2f s left out (more than the budget of %.2f s a frame)\n",
           (int)stats.steps, (int)stats.world.contacts, (int)stats.refused, stats.dropped_time, def.budget);

    FILE* file = fopen("live.wav", "wb");
    bool ok = file && fwrite(header, 1, 44, file) == 44 && fwrite(sound, 4, FRAMES * BLOCK, file) == FRAMES * BLOCK;
    if (file && fclose(file) != 0) ok = false;
    puts(ok ? "live.wav: what was heard" : "cannot write live.wav");
    tw_live_destroy(show.live);
    tw_body_shape_destroy(soft), tw_body_shape_destroy(hard);
    tw_mode_set_destroy(set);
    tw_mesh_destroy(bar), tw_mesh_destroy(box);
    return !ok;
}
