// SPDX-License-Identifier: MIT
#pragma once
#include "fem/shell_system.h"

// what joins the parts of a surface that share no vertex
typedef struct ShellWeld
{
    int parts;  // joined by vertices
    int tie_count;
    ShellTie* ties;  // (tie_count); free()
} ShellWeld;

// Where parts are nearer than the thickness, or cross.
twStatus shell_weld(ShellWeld* out, const twMesh* mesh, double thickness, twError* err);
