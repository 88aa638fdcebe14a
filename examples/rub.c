// SPDX-License-Identifier: MIT
// A finger rubs the rim of a wineglass: two objects, a friction between them, and a hand that moves while it sounds.
//   cc rub.c $(pkg-config --cflags --libs twang) -o rub && ./rub
#include "twang/twang.h"
#include "wav.h"

#define RATE 48000
#define BLOCK 64
#define BLOCKS 2250  // 3 s

static float sound[BLOCKS * BLOCK];

static twStatus make(twInstrument** out, const twModes* finger, const twModes* glass, twError* err)
{
    const twNetObject objects[] = {{.modes = finger}, {.modes = glass}};
    twContactDef rub = tw_contact_def();  // object 0 on object 1
    rub.has_friction = true;
    rub.friction.stiffness = 3000, rub.friction.damping = 1.2;
    rub.friction.static_friction = 0.45, rub.friction.dynamic_friction = 0.2;
    const twNetInput inputs[] = {{.kind = TW_IN_FORCE, .object = 0}, {.kind = TW_IN_NORMAL_FORCE, .contact = 0}};
    const twNetOutput output = {.kind = TW_OUT_VELOCITY, .object = 1};
    twNetDef def = tw_net_def();
    def.rate_hz = RATE;
    def.object_count = 2, def.objects = objects;
    def.contact_count = 1, def.contacts = &rub;
    def.input_count = 2, def.inputs = inputs;
    def.output_count = 1, def.outputs = &output;
    return tw_instrument_create(out, &def, err);
}

// what an audio callback does: hands move once a sample, the network sounds, nothing is allocated
static void play(twInstrument* instrument, twPointer* hand, double x, double y, float* out)
{
    double force[BLOCK], normal[BLOCK], velocity[BLOCK];
    for (int i = 0; i < BLOCK; i++)
    {
        tw_pointer_next(hand, x, y, 1.0 / RATE);
        force[i] = hand->force, normal[i] = hand->normal;
    }
    tw_instrument_process(instrument, (const double*[]){force, normal}, (double*[]){velocity}, BLOCK);
    for (int i = 0; i < BLOCK; i++) out[i] = (float)velocity[i];
}

int main(void)
{
    twError err;
    const double freq_hz[] = {653, 1487}, decay[] = {1.4, 2.3}, mass[] = {0.02, 0.02};
    const twModesDef glass_def = {2, freq_hz, decay, mass, 1, NULL, 1, NULL};
    const double still = 0, slow = 40, weight = 0.05;  // the finger: a mass that the arm brakes
    const twModesDef finger_def = {1, &still, &slow, &weight, 1, NULL, 1, NULL};
    twModes *glass = NULL, *finger = NULL;
    twInstrument* instrument = NULL;
    int failed = 1;
    if (tw_modes_create(&glass, &glass_def, &err) != TW_OK || tw_modes_create(&finger, &finger_def, &err) != TW_OK ||
        make(&instrument, finger, glass, &err) != TW_OK)
        fprintf(stderr, "rub: %s\n", err.text);
    else
    {
        twPointer hand = tw_pointer(0, 1, 0, 2, 0.01);  // x: 0 to 1 N along the rim, y: 0 to 2 N on it
        for (int n = 0; n < BLOCKS; n++) play(instrument, &hand, 0.8, n < 0.8 * BLOCKS ? 0.6 : 0, sound + n * BLOCK);
        failed = wav_write("rub.wav", sound, BLOCKS * BLOCK, RATE);
    }
    tw_instrument_destroy(instrument);
    tw_modes_destroy(finger);
    tw_modes_destroy(glass);
    return failed;
}
