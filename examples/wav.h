// SPDX-License-Identifier: MIT
// What the examples share: a WAV file of floats, one channel, as loud as fits.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void wav_number(unsigned char* at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * i);
}

// @return 0, or 1 with a message
static int wav_write(const char* path, float* sound, int frames, int rate)
{
    float peak = 0;
    for (int i = 0; i < frames; i++) peak = fmaxf(peak, fabsf(sound[i]));
    for (int i = 0; i < frames && peak > 0; i++) sound[i] *= 0.9f / peak;
    unsigned char header[44];
    memcpy(header, "RIFF....WAVEfmt \x10\0\0\0\3\0\1\0........\4\0\x20\0data....", sizeof header);
    const uint32_t bytes = 4 * (uint32_t)frames;
    wav_number(header + 4, 36 + bytes);
    wav_number(header + 24, (uint32_t)rate);
    wav_number(header + 28, 4 * (uint32_t)rate);
    wav_number(header + 40, bytes);
    FILE* file = fopen(path, "wb");
    bool ok = file && fwrite(header, 1, sizeof header, file) == sizeof header;
    ok = ok && fwrite(sound, 4, (size_t)frames, file) == (size_t)frames;
    if (file && fclose(file) != 0) ok = false;
    printf(ok ? "%s: %.1f s\n" : "cannot write %s\n", path, (double)frames / rate);
    return !ok;
}
