// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bodies.h"

/// @file
/// Recording of a scene's world (internal): frames of bodies and rods with arrows, forces on bodies, samples of the tracks.
///
/// An arrow is the largest force of a contact from its frame until the next, so a frame is written when the next one comes.
/// What is not written yet is part of a checkpoint.

typedef struct BodyRecord BodyRecord;

#define RECORD_DOF_BINS 24

/// What is counted frame by frame.
typedef struct RecordCounts
{
    int64_t rod_contacts, rod_steps;    ///< of rods until the last frame
    int64_t frames;                     ///< taken
    int64_t samples;                    ///< taken
    int64_t dof_bins[RECORD_DOF_BINS];  ///< frames with 0, 1, 2 to 3, 4 to 7 ... active degrees of freedom
    double dof_sum;
    double largest_energy;  ///< kinetic, elastic and of contacts, of a frame [J]
    int64_t body_steps;     ///< at the last frame
} RecordCounts;

/// Nothing recorded yet. On failure *out is NULL.
twStatus body_record_create(BodyRecord** out, const twScene* scene, twBodies* bodies, twError* err);
/// Write to a trace: a new one, or the one that was left, whose state was given to body_record_checkpoint(); free() it.
twStatus body_record_start(BodyRecord* record, const char* path, bool resume, void** state, size_t* bytes,
                           twError* err);
twTraceWriter* body_record_writer(BodyRecord* record);  ///< the trace, to say more in it; NULL: there is none
/// Close the trace and leave its part; frees the record. NULL is fine.
void body_record_destroy(BodyRecord* record);
twTraceWriter*
body_record_release(BodyRecord* record);  ///< the trace, to be committed by the caller; NULL: there is none

/// Keep forces that the world has just given.
twStatus body_record_forces(BodyRecord* record, const twContactForce* forces, int count, twError* err);
/// The motion at the time of the next frame, which is now; writes the frame before it.
twStatus body_record_frame(BodyRecord* record, double time, twError* err);
double record_sample_rate(const twScene* scene);  ///< of the tracks [Hz]
/// A sample of every track.
twStatus body_record_sample(BodyRecord* record, const float* values, twError* err);
/// Write all that waits, but the last frame, whose arrows are not known; with last also that.
twStatus body_record_flush(BodyRecord* record, bool last, twError* err);
RecordCounts body_record_counts(const BodyRecord* record);

/// Bring all that is written to the disk, with what is needed to go on from here.
twStatus body_record_checkpoint(BodyRecord* record, const void* state, size_t bytes, twError* err);
/// What waits and what was counted, in bytes, to go on from.
size_t body_record_size(const BodyRecord* record);
void body_record_save(const BodyRecord* record, char* out);
bool body_record_load(BodyRecord* record, const char* bytes, size_t count);  ///< false if they do not fit
