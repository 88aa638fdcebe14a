// SPDX-License-Identifier: MIT
#pragma once
#include "air.h"
#include "kernel.h"

/// @file
/// The way from one source to one point of an ear: when and how strongly each sample of a block arrives (internal).

/// What all paths of an ear share.
typedef struct Course
{
    twEarDef def;
    const Kernel* kernel;
    int value_count, delay_count;  ///< streams of a path
    int capacity;                  ///< max_block rounded up
    int head_taps;                 ///< 0 without a head
    double head_shift;             ///< keeps delays above 0 [samples]
    double reach;                  ///< beyond it nothing is heard [m]
    Air air;
} Course;

/// A point of an ear in one block: at its first sample, and at that of the next block.
typedef struct Spot
{
    twVec3 place[2];
    twVec3 velocity[2];  ///< that it is expected to go on with until sound arrives
    twMat3 axes[2];      ///< rows: the ear's axes in the world, mirrored ones for an image
    twVec3 axis;         ///< of a microphone, in the ear's axes
    double gain;
} Spot;

typedef struct Path
{
    twEarStats stats;
    int count;    ///< samples to write; -1: not heard in this block
    int tail;     ///< samples until all filters have rung out
    bool runs;    ///< heard in the last block too: what is at its end holds
    twVec3 last;  ///< where the source was at the end of the last block
    twVec3 end;   ///< from there to the ear
    twVec3 pace;  ///< change of that in the last block [m per sample]
    bool is_paced;
    double lead;
    int hint;
    double head_delay[2];          ///< at the end of the last block
    twVec3 head_place;             ///< in the head's axes, in terms of its radius
    float *head_last, *head_next;  ///< responses there, and at the end of this one (2 x taps)
    float* head_input;
    double *input, *gain, *work[2];
    double *value[4], *delay[2];  ///< what is to be written
    bool still;                   ///< all of it arrives alike: the first delays hold, and instead of values
    const double* from[4];        ///< these
    double weight[4];             ///< times these
} Path;

int path_doubles(const Course* course);                           ///< memory that a path needs
void path_place(Path* path, const Course* course, double* from);  ///< use it
/// Hear a block; signal NULL: silence.
void path_hear(Path* path, const Course* course, const Spot* spot, const float* signal, int n, twVec3 from, twVec3 to,
               double lead);
