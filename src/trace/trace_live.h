// SPDX-License-Identifier: MIT
#pragma once
#include "trace_file.h"

/// @file
/// The touches of a trace that forces may still be at, while it is read piece by piece (internal). A force is at the last touch of
/// its contact, so a touch is needed until a force of its contact is at a later one, or ends it.

/// A touch that stays where it is.
typedef struct TraceLiveTouch
{
    twTraceTouch touch;
    uint64_t number;  ///< of all of the trace
    bool used;        ///< a force was at it
    struct TraceLiveTouch* next;
} TraceLiveTouch;

/// A table by key; those that collide go to the next place.
typedef struct TraceLivePlace
{
    uint64_t key;
    TraceLiveTouch* touch;  ///< NULL: free
} TraceLivePlace;

typedef struct TraceLiveTable
{
    TraceLivePlace* places;  ///< (capacity) a power of two, or none
    size_t capacity, used;   ///< at most half of it is used
} TraceLiveTable;

typedef struct TraceLiveBlock TraceLiveBlock;

typedef struct TraceLive
{
    TraceLiveTable by_number, by_contact;  ///< by contact: the one its last force was at
    TraceLiveTouch *unused, *left;         ///< left: to be forgotten by trace_live_forget()
    TraceLiveBlock* blocks;
    size_t bytes;  ///< of everything; it never falls
} TraceLive;

bool trace_live_add(TraceLive* live, const twTraceTouch* touch, uint64_t number);  ///< @return false without memory
/// A force at a touch; one that does not push ends the contact. @return where it is, or NULL: its contact has left it; *room:
/// false if there is no memory
const twTraceTouch* trace_live_use(TraceLive* live, uint64_t number, bool pushes, bool* room);
void trace_live_forget(TraceLive* live);  ///< touches that were left may be overwritten
void trace_live_free(TraceLive* live);
