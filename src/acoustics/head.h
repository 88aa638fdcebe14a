// SPDX-License-Identifier: MIT
#pragma once
#include "twang/acoustics.h"

/// @file
/// What ears ask of heads (internal).

double head_least_delay(const twHead* head);  ///< of all directions [samples]
double head_most_delay(const twHead* head);
