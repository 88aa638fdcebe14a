// SPDX-License-Identifier: MIT
#pragma once
#include "twang/bem.h"
#include "twang/modal.h"

/// @file
/// Panels for the surface of a mode set (internal): a coarse copy whose panels stand for parts of the surface.

/// The surface, subdivided until it is finer than all panels.
typedef struct PanelSurface
{
    twMesh* mesh;
    int own;            ///< vertices of the set; the others lie between two before them
    int (*parents)[2];  ///< (vertices - own)
    twMesh* coarse;     ///< what panels are made of, so that all numbers of panels share most of the coarsening
    int* stands;        ///< (vertices) which of its vertices stands for one; -1: none
    twVec3 centre;      ///< of the ball around it
    double radius;
    double area;
    int crossings;  ///< pairs of faces that cross
} PanelSurface;

/// The sphere of a body, in which it lies with all its panels. @return its radius
double panel_sphere(const twModeSet* set, twVec3* centre);

/// @return TW_BAD_INPUT if it has no area or is open
twStatus panel_surface_make(PanelSurface* surface, const twModeSet* set, int most_panels, twError* err);
void panel_surface_free(PanelSurface* surface);

/// One copy.
typedef struct Panels
{
    twMesh* mesh;
    double* areas;  ///< (panels)
    int* of_face;   ///< (faces of the surface) the panel that stands for it
} Panels;

twStatus panels_make(Panels* panels, const PanelSurface* surface, int count, twError* err);
void panels_free(Panels* panels);

/// Normal velocity of a mode at unit modal velocity: mean of each panel (panels x 2), complex. The flux of all together is
/// that of the mode, and so is that of each. work holds 3 doubles per vertex of the surface.
void panels_velocity(double* out, const Panels* panels, const PanelSurface* surface, const twModeSet* set, int mode,
                     double* work);
