// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// All of the core library. The host modules (media, scene) bring dependencies; include them by name.

#include "twang/acoustics.h"
#include "twang/base.h"
#include "twang/contact.h"
#include "twang/dynamics.h"
#include "twang/import.h"
#include "twang/live.h"
#include "twang/math.h"
#include "twang/mesh.h"
#include "twang/modal.h"
#include "twang/rod.h"
#include "twang/section.h"
#include "twang/sound.h"
#include "twang/trace.h"
