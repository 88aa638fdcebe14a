// SPDX-License-Identifier: MIT
// The smallest sound: strike a bell of three modes and write two seconds of it to hello.wav.
//   cc hello.c $(pkg-config --cflags --libs twang) -o hello && ./hello
#include "twang/twang.h"

static float sound[96000];  // 2 s at 48 kHz, behind a WAV header for floats
static const char header[44] =
    "RIFF\x24\xDC\x05\0WAVEfmt \x10\0\0\0\3\0\1\0\x80\xBB\0\0\0\xEE\2\0\4\0\x20\0data\0\xDC\5";

int main(void)
{
    const double freq_hz[] = {440, 1212, 2376}, decay[] = {2, 4, 7}, mass[] = {0.001, 0.0005, 0.0004};
    const twModesDef def = {3, freq_hz, decay, mass, 1, NULL, 1, NULL};
    twModes* modes;
    if (tw_modes_create(&modes, &def, NULL) != TW_OK) return 1;
    const twBankObject object = tw_bank_object(modes);
    twBank* bell;
    if (tw_bank_create(&bell, &(twBankDef){48000, TW_FLOAT, 1, &object}, NULL) != TW_OK) return 1;
    tw_bank_impulse(bell, 0, 0, 1);
    tw_bank_process(bell, NULL, (float* const[]){sound}, 96000);
    FILE* file = fopen("hello.wav", "wb");
    bool ok = file && fwrite(header, 1, 44, file) == 44 && fwrite(sound, 4, 96000, file) == 96000 && fclose(file) == 0;
    puts(ok ? "hello.wav: two seconds of a bell" : "cannot write hello.wav");
    tw_bank_destroy(bell);
    tw_modes_destroy(modes);
    return !ok;
}
