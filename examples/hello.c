// SPDX-License-Identifier: MIT
// The smallest sound: strike a bell of three modes and write two seconds of it to hello.wav.
//   cc hello.c $(pkg-config --cflags --libs twang) -o hello && ./hello
#include "twang/twang.h"

#define FRAMES 96000  // 2 s at 48 kHz
static const char header[44] =
    "RIFF\x24\xEE\x02\0WAVEfmt \x10\0\0\0\1\0\1\0\x80\xBB\0\0\0\x77\1\0\2\0\x10\0data\0\xEE\2";

int main(void)
{
    // what rings: frequency [Hz], decay [1/s], modal mass [kg]
    twModesDef def = tw_modes_def();
    def.mode_count = 3;
    def.freq_hz = (const double[]){440, 1212, 2376};
    def.decay = (const double[]){2, 4, 7};
    def.mass = (const double[]){0.001, 0.0005, 0.0004};
    twModes* modes;
    if (tw_modes_create(&modes, &def, NULL) != TW_OK) return 1;

    // a bank that sounds it, and the strike
    twBankObject bell = tw_bank_object(modes);
    twBankDef bank_def = tw_bank_def();
    bank_def.object_count = 1;
    bank_def.objects = &bell;
    twBank* bank;
    if (tw_bank_create(&bank, &bank_def, NULL) != TW_OK) return 1;
    tw_bank_impulse(bank, 0, 0, 1);

    static float sound[FRAMES];
    tw_bank_process(bank, NULL, (float* const[]){sound}, FRAMES);

    // displacement [m] to 16 bits
    FILE* file = fopen("hello.wav", "wb");
    if (!file) return 1;
    fwrite(header, 1, sizeof header, file);
    for (int i = 0; i < FRAMES; i++)
    {
        int sample = (int)(40000 * sound[i]);
        fputc(sample & 255, file);
        fputc(sample >> 8 & 255, file);
    }
    fclose(file);
    printf("hello.wav: two seconds of a bell\n");
    tw_bank_destroy(bank);
    tw_modes_destroy(modes);
    return 0;
}
