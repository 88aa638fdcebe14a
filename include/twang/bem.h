// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Bem: the sound field around a vibrating body, by boundary elements. Part of the host library.
///
/// Solves   lap p + k^2 p = 0 outside a closed surface,   dp/dn = i w rho v   on it,   no sound from infinity,
/// with time as e^{-iwt}, k = w/c and v the velocity along the outward normal n. The field is given by its harmonics on a
/// sphere of radius R about C that holds the surface,
///
///   p(x) = sum over n = 0..order, m = -n..n of  A_nm h_n(k r)/h_n(k R) Y_nm((x - C)/r),   r = |x - C| >= R
///
/// with h_n Hankel's spherical function of the first kind and Y_nm as in tw_harmonics(). Equations, accuracy, limits:
/// docs/bem.md.

enum
{
    TW_MAX_BEM_PANELS = 8000,
    TW_MAX_BEM_ORDER = 100
};

/// The boundary elements of one surface. Constant after creation: any number of threads may solve at once.
typedef struct twBem twBem;

/// Everything needed to create one. Start from tw_bem_def().
typedef struct twBemDef
{
    const twMesh* surface;    ///< closed, outward, at most TW_MAX_BEM_PANELS faces: the panels
    double sound_speed;       ///< [m/s]
    double air_density;       ///< [kg/m^3]
    twVec3 centre;            ///< of the sphere [m]
    double radius;            ///< of the sphere [m]; 0: both are found from the surface
    double tolerance;         ///< of the residual, over that of no pressure at all
    int max_iterations;       ///< then the equations are factored instead
    size_t max_memory_bytes;  ///< of one solve; 0: what the machine has free
    /// Called by the thread that solves, several times a second, with the fraction done. False interrupts. May be NULL.
    bool (*keep_going)(double done, void* context);
    void* context;
} twBemDef;
twBemDef tw_bem_def(void);  ///< no surface; air at 20 degrees, sphere to be found, tolerance 1e-4, 150 iterations

/// One face of the surface.
typedef struct twBemPanel
{
    twVec3 centre;  ///< [m], where velocity and pressure are known
    twVec3 normal;  ///< unit, outward
    double area;    ///< [m^2]
} twBemPanel;

/// Create boundary elements; def is copied, and the surface may go. On failure *out is NULL.
/// @return TW_BAD_INPUT if the surface is open, inside out, degenerate, or outside the sphere, saying where; TW_NO_MEMORY
twStatus tw_bem_create(twBem** out, const twBemDef* def, twError* err);
void tw_bem_destroy(twBem* bem);                                  ///< NULL is fine
const twBemPanel* tw_bem_panels(const twBem* bem, int* count);    ///< (count), in the order of the faces
double tw_bem_sphere(const twBem* bem, twVec3* centre);           ///< @return radius; centre may be NULL
double tw_bem_panels_per_wave(const twBem* bem, double freq_hz);  ///< wavelength over the longest edge; 6 are enough
/// Order for a smooth field, ceil(k R) + 6. Bodies much longer than wide need up to 10 more near the sphere: see tw_bem_fit().
int tw_bem_order(const twBem* bem, double freq_hz);
size_t tw_bem_memory(const twBem* bem);  ///< bytes that one solve takes, without factoring

/// How a solve went.
typedef struct twBemReport
{
    int iterations;
    double residual;          ///< over that of no pressure
    bool factored;            ///< the iterations did not converge
    double power;             ///< sound power of the moments [W]
    double assemble_seconds;  ///< of all motions that share the equations
    double solve_seconds, moments_seconds;
    size_t memory_bytes;  ///< most held at once
} twBemReport;

/// The field of one motion at one frequency. normal_velocity (panels x 2): complex amplitudes [m/s], mean of each panel.
/// moments ((order + 1)^2 x 2): A_nm [Pa] at n n + n + m. pressure (panels x 2): on the surface [Pa]; may be NULL, as report.
/// @return TW_BAD_INPUT if the frequency is not above 0, a velocity is not finite, or the order is out of range;
/// TW_NO_MEMORY, found before it is used; TW_NO_CONVERGE; TW_INTERRUPTED
twStatus tw_bem_solve(const twBem* bem, double freq_hz, const double* normal_velocity, int order, double* moments,
                      double* pressure, twBemReport* report, twError* err);
/// Several motions at one frequency, which share the equations: velocities, moments, pressures and reports (count) one after the
/// other, each as above; pressure and reports may be NULL.
twStatus tw_bem_solve_many(const twBem* bem, double freq_hz, int count, const double* normal_velocity, int order,
                           double* moments, double* pressure, twBemReport* reports, twError* err);
/// Pressure at places outside the surface, near or far, straight from what is known on it: out (count x 2) [Pa]. In single
/// precision: right to 1e-6 of what would be there if the parts of the surface did not cancel.
void tw_bem_pressure(const twBem* bem, double freq_hz, const double* normal_velocity, const double* pressure, int count,
                     const twVec3* places, double* out);
/// Pressure [Pa] at places by the harmonics on the sphere: out (count x 2). Places inside the sphere are moved out to it.
void tw_bem_field(const twBem* bem, double freq_hz, int order, const double* moments, int count, const twVec3* places,
                  double* out);
/// How far moments may be cut: the lowest order, of at most the given one, with which the level at times the sphere's radius
/// (at least 1) is within goal_db of that from the surface in 95 of 100 directions; the given one if none is. *error_db (may
/// be NULL) is the error with it. Moments of a lower order are the first of those of a higher one.
int tw_bem_fit(const twBem* bem, double freq_hz, const double* normal_velocity, const double* pressure, int order,
               const double* moments, double times, double goal_db, double* error_db);

#ifdef __cplusplus
}
#endif
