// SPDX-License-Identifier: MIT
#pragma once
#include "twang/modal.h"

/// @file
/// Baked transfers in the cache (internal): a folder per body and air, a file per mode.

#define TRANSFER_PATH_BYTES 1024

/// One mode as it is kept.
typedef struct TransferEntry
{
    int order, panels;
    int min_panels, max_panels, more_orders;  ///< settings it was made with
    double wanted_per_wave;
    double panels_per_wave, seconds, error_db;
    float* moments;  ///< ((order + 1)^2 x 2); free() it
} TransferEntry;

/// Folder of a body in such air. @return false if the path is too long
bool transfer_folder(char* out, size_t bytes, const twModeSet* set, const char* cache_folder, double sound_speed,
                     double air_density);
/// @return false if the mode is not there, or damaged
bool transfer_load(TransferEntry* entry, const char* folder, const twModeSet* set, int mode);
/// A cache that cannot be written is no failure.
void transfer_save(const TransferEntry* entry, const char* folder, const twModeSet* set, int mode);

/// Put entries (modes; order -1: none) together.
twStatus transfer_join(twTransfer** out, const twModeSet* set, const TransferEntry* entries, double sound_speed,
                       double air_density, twError* err);
