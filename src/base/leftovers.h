// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What killed programs leave (internal).

/// Remove the temporaries of files (twFile) whose writers were killed; those that are being written stay. Never fails.
void tw_remove_leftovers(const char* folder);
