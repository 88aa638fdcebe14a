// SPDX-License-Identifier: MIT
// What the page calls in the WebAssembly module. One module is one bench; the page writes names and numbers into what room() gives.

#include "playground.h"
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define PICTURE 16384

static struct
{
    Play* play;
    twError err;
    char name[64];
    double values[PLAY_PARAMETERS], arguments[PLAY_ARGUMENTS];
    float left[PLAY_BLOCK], right[PLAY_BLOCK], picture[PICTURE];
} page;

EXPORT(room) void* room(size_t bytes);
EXPORT(name) char* name(void);
EXPORT(values) double* values(void);
EXPORT(arguments) double* arguments(void);
EXPORT(left) float* left(void);
EXPORT(right) float* right(void);
EXPORT(pixels) float* pixels(void);
EXPORT(complaint) const char* complaint(void);
EXPORT(create) int create(double rate_hz, const void* model, size_t bytes);
EXPORT(set) void set(int parameter, double value);
EXPORT(act) void act(int action, int count);
EXPORT(process) void process(int frames);
EXPORT(picture) int picture(void);
EXPORT(bad_samples) int bad_samples(void);

void* room(size_t bytes) { return aligned_alloc(8, (bytes + 7) / 8 * 8); }
char* name(void) { return page.name; }
double* values(void) { return page.values; }
double* arguments(void) { return page.arguments; }
float* left(void) { return page.left; }
float* right(void) { return page.right; }
float* pixels(void) { return page.picture; }
const char* complaint(void) { return page.err.text; }

int create(double rate_hz, const void* model, size_t bytes)
{
    play_destroy(page.play);
    return play_create(&page.play, page.name, rate_hz, model, bytes, page.values, &page.err);
}

void set(int parameter, double value) { play_set(page.play, parameter, value); }
void act(int action, int count) { play_act(page.play, (PlayAction)action, page.arguments, count); }
void process(int frames) { play_process(page.play, page.left, page.right, frames); }
int picture(void) { return play_picture(page.play, page.picture, PICTURE); }
int bad_samples(void) { return (int)play_bad_samples(page.play); }
