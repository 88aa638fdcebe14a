// SPDX-License-Identifier: MIT
// A steel string that is plucked, struck and then bowed: an elastic rod in space, live.
//   cc pluck.c $(pkg-config --cflags --libs twang) -o pluck && ./pluck
#include "twang/twang.h"
#include "wav.h"

#define RATE 48000
#define BLOCK 48  // 1 ms
#define BLOCKS 4000

static float sound[BLOCKS * BLOCK];

int main(void)
{
    twError err;
    twWireDef def = tw_wire_def();
    def.rate_hz = RATE, def.points = 41;
    twWire* wire;
    if (tw_wire_create(&wire, &def, &err) != TW_OK) return fprintf(stderr, "pluck: %s\n", err.text), 1;
    tw_wire_place_pickup(wire, 0, 0.9);
    tw_wire_place_bow(wire, 0.12);
    for (int n = 0; n < BLOCKS; n++)
    {
        if (n == 0) tw_wire_pluck(wire, 0.2, 1, 0.005);
        if (n == 1000) tw_wire_strike(wire, 0.13, 10, 0.001);
        double bow_speed[BLOCK], bow_force[BLOCK], velocity[BLOCK];
        const bool bowed = n >= 2000 && n < 3600;
        for (int i = 0; i < BLOCK; i++)
        {
            const double begun = fmin(1, (n - 2000 + (double)i / BLOCK) / 100);
            bow_speed[i] = bowed ? 0.2 * begun : 0;
            bow_force[i] = bowed ? 0.5 * begun : 0;
        }
        tw_wire_process(wire, NULL, bow_speed, bow_force, (double*[]){velocity, NULL, NULL}, BLOCK);
        for (int i = 0; i < BLOCK; i++) sound[n * BLOCK + i] = (float)velocity[i];
    }
    tw_wire_destroy(wire);
    return wav_write("pluck.wav", sound, BLOCKS * BLOCK, RATE);
}
