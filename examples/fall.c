// SPDX-License-Identifier: MIT
// Five steel bars fall on a wooden floor and ring, as a game does it: the world is advanced frame by frame, its contact forces drive a bank.
//   cc fall.c $(pkg-config --cflags --libs twang) -o fall && ./fall
// The modes are those of free bars by theory; of any body: `twang modes MESH -o body.twmodes`, tw_mode_set_load(), tw_mode_set_modes().
#include "twang/twang.h"
#include "wav.h"
#include <stdlib.h>

#define RATE 48000
#define FRAME 800  // samples: 1/60 s
#define FRAMES 120
#define BARS 5
#define MODES 8
#define CONTACTS 64

static float sound[FRAMES * FRAME];

// ---- what there is ----

static twBodyShape* make_shape(const char* text, double density, twError* err)
{
    twShape* shape = NULL;
    twMesh* mesh = NULL;
    twBodyShape* out = NULL;
    twBodyShapeDef def = tw_body_shape_def();
    if (tw_shape_parse(&shape, text, err) == TW_OK && tw_shape_surface(&mesh, shape, 0.05, err) == TW_OK)
    {
        def.mesh = mesh, def.density = density;
        tw_body_shape_create(&out, &def, err);
    }
    tw_mesh_destroy(mesh);
    tw_shape_destroy(shape);
    return out;
}

static twWorld* make_world(const twBodyShape* bar, const twBodyShape* floor, twError* err)
{
    const twContactMaterial materials[] = {tw_contact_material(tw_material_find("steel")),
                                           tw_contact_material(tw_material_find("wood"))};
    twBodyDef bodies[BARS + 1];
    for (int i = 0; i < BARS; i++)
    {
        bodies[i] = tw_body_def();
        bodies[i].name = "bar", bodies[i].shape = bar;
        bodies[i].motion.position = tw_vec3(0, 0.05 * i, 0.1 + 0.06 * i);
        bodies[i].motion.turn = tw_quat_from_axis_angle(tw_vec3(0, 1, 0), 0.2 + 0.1 * i);
    }
    bodies[BARS] = tw_body_def();
    bodies[BARS].name = "floor", bodies[BARS].shape = floor, bodies[BARS].kind = TW_BODY_FIXED;
    bodies[BARS].material = 1, bodies[BARS].motion.position = tw_vec3(0, 0, -0.02);
    twWorldDef def = tw_world_def();
    def.body_count = BARS + 1, def.bodies = bodies;
    def.material_count = 2, def.materials = materials;
    twWorld* world;
    tw_world_create(&world, &def, err);
    return world;
}

static twBank* make_bank(twError* err)
{
    twBankObject objects[BARS];
    twModes* modes[BARS] = {NULL};
    twBank* bank = NULL;
    bool ok = true;
    for (int i = 0; i < BARS && ok; i++)
    {
        double freq_hz[MODES], decay[MODES], mass[MODES];
        for (int k = 0; k < MODES; k++)
        {
            freq_hz[k] = 520 * pow(2, i / 6.0) * tw_series_ratio(TW_SERIES_BAR, k);
            decay[k] = tw_material_decay(tw_material_find("steel"), freq_hz[k]);
            mass[k] = 0.05;
        }
        twModesDef def = {MODES, freq_hz, decay, mass, 1, NULL, 1, NULL};
        while (def.mode_count > 1 && freq_hz[def.mode_count - 1] > 0.45 * RATE) def.mode_count--;
        ok = tw_modes_create(&modes[i], &def, err) == TW_OK;
        if (ok) objects[i] = tw_bank_object(modes[i]), objects[i].quantity = TW_VELOCITY;
    }
    if (ok) tw_bank_create(&bank, &(twBankDef){RATE, TW_FLOAT, BARS, objects}, err);
    for (int i = 0; i < BARS; i++) tw_modes_destroy(modes[i]);
    return bank;
}

// ---- from contacts to forces ----

// contacts that push, each until it is told otherwise
typedef struct Pushes
{
    int count;
    uint64_t id[CONTACTS];
    double force[CONTACTS];
} Pushes;

// @return by how much the force of a contact changes
static double change(Pushes* p, uint64_t id, double force)
{
    int i = 0;
    while (i < p->count && p->id[i] != id) i++;
    if (i == CONTACTS) return 0;
    const double before = i < p->count ? p->force[i] : 0;
    if (i == p->count) p->count++;
    p->id[i] = id, p->force[i] = force;
    if (force == 0) p->count--, p->id[i] = p->id[p->count], p->force[i] = p->force[p->count];
    return force - before;
}

// forces on the bars in a frame that began at a time; total: what acts at its end
static void gather(twWorld* world, double begin, Pushes* pushes, float force[BARS][FRAME], double total[BARS])
{
    int count;
    const twContactForce* f = tw_world_forces(world, &count);
    memset(force, 0, BARS * sizeof *force);
    for (int i = 0; i < count; i++)
    {
        const int at = (int)fmin(FRAME - 1, fmax(0, (f[i].time - begin) * RATE));
        const double by = change(pushes, f[i].id, tw_vec3_dot(f[i].force, f[i].normal));
        for (int side = 0; side < 2; side++)
            if (f[i].body[side] >= 0 && f[i].body[side] < BARS) force[f[i].body[side]][at] += (float)by;
    }
    for (int b = 0; b < BARS; b++)
        for (int i = 0; i < FRAME; i++) force[b][i] = (float)(total[b] += (double)force[b][i]);
}

int main(void)
{
    twError err = {.text = ""};
    twBodyShape* bar = make_shape("bar:0.12x0.02x0.006", 7850, &err);
    twBodyShape* floor = bar ? make_shape("box:1x1x0.04", 750, &err) : NULL;
    twWorld* world = floor ? make_world(bar, floor, &err) : NULL;
    twBank* bank = world ? make_bank(&err) : NULL;
    int failed = 1;
    if (!bank)
        fprintf(stderr, "fall: %s\n", err.text);
    else
    {
        static float force[BARS][FRAME];
        Pushes pushes = {.count = 0};
        double total[BARS] = {0};
        for (int n = 0; n < FRAMES; n++)
        {
            tw_world_advance(world, (n + 1) / 60.0);
            gather(world, n / 60.0, &pushes, force, total);
            const float* in[BARS];
            float* out[BARS];
            for (int b = 0; b < BARS; b++) in[b] = force[b], out[b] = sound + n * FRAME;  // all into one mix
            tw_bank_process(bank, in, out, FRAME);
        }
        const twWorldEnergy energy = tw_world_energy(world);
        printf("%lld steps, largest rise of energy in one: %.1g J\n", (long long)tw_world_stats(world).steps,
               energy.largest_rise);
        failed = wav_write("fall.wav", sound, FRAMES * FRAME, RATE);
    }
    tw_bank_destroy(bank);
    tw_world_destroy(world);
    tw_body_shape_destroy(floor);
    tw_body_shape_destroy(bar);
    return failed;
}
