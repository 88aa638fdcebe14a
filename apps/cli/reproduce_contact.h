// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/bodies.h"

/// @file
/// The parts of `twang reproduce contact`: scenes, worlds side by side, what is measured; one function per group of rows.

// ---- scenes ----

/// A scene that is built in, and its bodies.
typedef struct ContactScene
{
    twScene* scene;
    twBodies* bodies;
} ContactScene;
/// change (may be NULL) may change what the scene says before its bodies are made.
twStatus contact_load(ContactScene* out, const char* name, void (*change)(twScene* scene), twError* err);
void contact_unload(ContactScene* scene);  ///< zeroed is fine
/// A new folder with all scenes that are built in, as files; and its end, with all that is in it.
twStatus contact_unpack(char* folder, size_t bytes, twError* err);
void contact_remove(const char* folder);

// ---- worlds side by side ----

#define CONTACT_POINTS 4096  ///< of a series

/// A world, and what was seen of it turn by turn.
typedef struct ContactRun
{
    twWorldDef settings;
    double until;       ///< simulated [s]
    double mark[2];     ///< times on the way [s]
    double seconds;     ///< processor time
    double at_mark[2];  ///< processor time until then
    twWorld* world;
    int dof_max, count;
    double *time, *dof;  ///< (count) active degrees of freedom
    void (*see)(struct ContactRun* run, double time, const twContactForce* forces,
                int count);  ///< after a turn; may be NULL
    void* context;
} ContactRun;

/// Runs worlds of one scene in turns, so that all see the same moods of the machine.
twStatus contact_race(const ContactScene* scene, ContactRun* runs, int count, double turn, twError* err);
void contact_run_free(ContactRun* run);
int contact_dof(const ContactScene* scene);                ///< of all bodies with all modes
twWorldDef contact_unadapted(const twWorldDef* settings);  ///< adaptivity off
double contact_solve_seconds(const ContactRun* run);  ///< processor time of the solver per step of bodies that touch

// ---- groups of rows ----

twStatus contact_materials(CliReport* report, twError* err);  ///< table 1
twStatus contact_noise(CliReport* report, twError* err);      ///< figures 7 and 10
twStatus contact_gains(CliReport* report, twError* err);      ///< sections 3.3, 4, figures 8, 15, 16
twStatus contact_table(CliReport* report, twError* err);      ///< table 2: sizes, time of motion and sound
twStatus contact_motion(CliReport* report, twError* err);     ///< figure 2, the ruler

// ---- figures ----

typedef struct ContactCurve
{
    const char* label;
    const double *x, *y;
    int count;
} ContactCurve;
twStatus contact_plot(const char* folder, const char* name, const char* title, const char* y_label,
                      const ContactCurve* curves, int count, bool log_y, twError* err);
twStatus contact_plot_steps(const char* folder, const char* name, const char* title, const twWorldStats* stats,
                            const char* const* labels, int count, twError* err);
