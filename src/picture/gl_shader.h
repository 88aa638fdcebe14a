// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The programs that run per vertex and per pixel, in GLSL ES 3.00: pieces of text, then NULL.

extern const char *const gl_surface_vertex[], *const gl_surface_pixel[];  ///< what things look like
extern const char *const gl_fine_vertex[], *const gl_fine_pixel[];        ///< the same, lit at the vertices
extern const char *const gl_shadow_vertex[], *const gl_shadow_pixel[];    ///< depth seen from the light
extern const char *const gl_screen_vertex[], *const gl_cover_pixel[];     ///< where the shadow map is covered, coarsely
