// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

/// @file
/// Section: what bending, twisting, shearing and sounding need to know of the cross section of a rod.
///
/// Everything is about the centroid and in principal axes 1 and 2. Equations and accuracy: docs/section.md.

#ifdef __cplusplus
extern "C"
{
#endif

enum
{
    TW_MAX_SECTION_POINTS = 400  ///< most points of a polygon: its cost grows as their third power
};

typedef enum twSectionKind
{
    TW_SECTION_CIRCLE,     ///< radius
    TW_SECTION_TUBE,       ///< radius, inner_radius
    TW_SECTION_ELLIPSE,    ///< width, height
    TW_SECTION_RECTANGLE,  ///< width, height
    TW_SECTION_ROUNDED,    ///< width, height, corner_radius: a rectangle with round corners
    TW_SECTION_POLYGON,    ///< points
} twSectionKind;

/// An outline. Start from one of the functions below.
typedef struct twSectionDef
{
    twSectionKind kind;
    double radius, inner_radius;  ///< [m]
    double width, height;         ///< whole extent along x, y [m]
    double corner_radius;         ///< at most half of width and height [m]
    const double* points;         ///< corners, either way round, wherever the origin is (count x 2: x, y) [m]
    int count;                    ///< 3 to TW_MAX_SECTION_POINTS
} twSectionDef;
twSectionDef tw_section_circle(double radius);
twSectionDef tw_section_tube(double radius, double inner_radius);
twSectionDef tw_section_ellipse(double width, double height);
twSectionDef tw_section_rectangle(double width, double height);
twSectionDef tw_section_rounded(double width, double height, double corner_radius);
twSectionDef tw_section_polygon(const double* points, int count);

/// Of one cross section, in its principal axes 1 and 2. Axis 1 is the one nearer to x (within 45 degrees; x itself if
/// the moments are equal), axis 2 is 90 degrees to the left of it.
typedef struct twSection
{
    double area;          ///< [m^2]
    double moment[2];     ///< integral of x1^2, x2^2 [m^4]: against bending that moves the centre line along axis 1, 2
    double torsion;       ///< St Venant constant J [m^4]
    double shear[2];      ///< shear coefficients (Timoshenko's k) for shear along axis 1, 2, at Poisson's ratio 0
    double dipole[3];     ///< D11, D22, D12 [m^2]: area of the outline + added area, per unit length
    double angle;         ///< of axis 1 from the x axis of the outline as given [rad]
    double half_size[2];  ///< half the extent along axis 1, 2 [m]
    double radius;        ///< outer radius of a circular section or tube, 0 if not circular [m]
} twSection;

/// Not real-time safe: polygons and rounded rectangles allocate and solve a boundary-element system.
/// @return TW_BAD_INPUT, naming what is wrong, if a dimension is not finite and positive, a wall or corner does not fit,
/// or a polygon has too few or too many points, crosses or touches itself or has no area.
twStatus tw_section_compute(twSection* out, const twSectionDef* def, twError* err);

#ifdef __cplusplus
}
#endif
