// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// @file
/// Small numbers for large ids (internal): slot 0, 1, 2 ... for each id that is there, the lowest free one first.

typedef struct Ids Ids;

Ids* ids_create(void);                      ///< empty; NULL without memory
void ids_destroy(Ids* ids);                 ///< NULL is fine
int ids_find(const Ids* ids, uint64_t id);  ///< slot; -1: not there
int ids_add(Ids* ids, uint64_t id);         ///< its slot, new or not; -1 without memory
void ids_remove(Ids* ids, uint64_t id);     ///< its slot is free; not there is fine
int ids_slots(const Ids* ids);              ///< one more than the largest slot that ever was
