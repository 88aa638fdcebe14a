// SPDX-License-Identifier: MIT
// Rods with a loss factor: decay and pitch of single tones, passivity, order, what does not decay.
#include "wire.h"
#include <complex.h>

enum
{
    TONE_POINTS = 24,
    TONE_MOST = 200000  // steps
};

typedef struct Tone
{
    twVec3 points[TONE_POINTS], velocities[TONE_POINTS], directions[TONE_POINTS];
    double spins[TONE_POINTS];
    twSection section;
    twRodSupport ends[2];
    twRodDef def;
    double series[TONE_MOST];
} Tone;

typedef enum ToneKind
{
    TONE_BEND,
    TONE_TWIST,
    TONE_STRETCH,
    TONE_STRING,
} ToneKind;

static Tone tone;

// A round aluminium rod, in its first mode, which is to sound at freq_hz: bending between pins, twisting and stretching free at both ends, or a
// string. The displacements are small.
static void tone_make(ToneKind kind, double freq_hz)
{
    const double a = 6.5e-3, young = 70e9, density = 2700, poisson = 0.33, area = TW_PI * a * a,
                 moment = area * a * a / 4;
    tone.section =
        (twSection){.area = area, .moment = {moment, moment}, .torsion = 2 * moment, .shear = {0.9, 0.9}, .radius = a};
    tone.def = tw_rod_def();
    const double strain = 4e-3;
    const double speed = kind == TONE_TWIST    ? sqrt(young / (2 * (1 + poisson)) / density)
                         : kind == TONE_STRING ? sqrt(young * strain / density)
                                               : sqrt(young / density);
    const double length =
        kind == TONE_BEND ? sqrt(TW_PI / 2 / freq_hz * sqrt(young * moment / (density * area))) : speed / (2 * freq_hz);
    if (kind == TONE_STRING)
        tone.section.moment[0] = tone.section.moment[1] = moment * 1e-4, tone.def.stretch = 1 + strain;
    for (int i = 0; i < TONE_POINTS; i++)
    {
        const double u = (double)i / (TONE_POINTS - 1), middle = (i + 0.5) / (TONE_POINTS - 1);
        tone.points[i] = tw_vec3(length * u, 0, 0);
        tone.directions[i] = tw_vec3(0, 0, 1);
        tone.velocities[i] = kind == TONE_TWIST     ? tw_vec3(0, 0, 0)
                             : kind == TONE_STRETCH ? tw_vec3(1e-4 * cos(TW_PI * u), 0, 0)
                                                    : tw_vec3(0, 0, 1e-4 * sin(TW_PI * u));
        tone.spins[i] = kind == TONE_TWIST ? 1e-2 * cos(TW_PI * middle) : 0;
    }
    tone.def.point_count = TONE_POINTS, tone.def.points = tone.points, tone.def.directions = tone.directions;
    tone.def.velocities = tone.velocities, tone.def.spins = tone.spins;
    tone.def.section_count = 1, tone.def.sections = &tone.section;
    tone.def.young = young, tone.def.density = density, tone.def.poisson = poisson;
    for (int k = 0; k < 2; k++) tone.ends[k] = (twRodSupport){.kind = TW_ROD_PINNED, .point = k * (TONE_POINTS - 1)};
    tone.def.supports = tone.ends;
    tone.def.support_count = kind == TONE_BEND || kind == TONE_STRING ? 2 : 0;
}

// what moves
static double tone_value(const twRod* rod, ToneKind kind)
{
    const int middle = TONE_POINTS / 2;
    if (kind == TONE_TWIST) return rod->v[ROD_TURN][0] - rod->v[ROD_TURN][TONE_POINTS - 2];
    return kind == TONE_STRETCH ? rod->v[0][0] - rod->v[0][TONE_POINTS - 1] : rod->v[2][middle];
}

// amplitude of exp(i w n) in steps from begin on, under a raised cosine
static double complex tone_amplitude(const double* x, int count, double turn)
{
    double complex sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * (1 - cos(2 * TW_PI * (i + 0.5) / count)) * cexp(-I * turn * i);
    return sum;
}

typedef struct Heard
{
    double freq_hz, loss;
} Heard;

// Pitch and loss factor by the tone's amplitudes in two windows.
static Heard tone_ring(ToneKind kind, double freq_hz, int periods)
{
    twError err;
    twRod* rod;
    Heard heard = {0, -1};
    if (tw_rod_create(&rod, &tone.def, &err) != TW_OK) return heard;
    const double rate = rod->rate_hz;
    int steps = (int)(2 * periods * rate / freq_hz);
    if (steps > TONE_MOST) steps = TONE_MOST;
    for (int k = 0; k < steps; k++)
    {
        tw_rod_step(rod);
        tone.series[k] = tone_value(rod, kind);
    }
    tw_rod_destroy(rod);
    const int half = steps / 2;
    double turn = 2 * TW_PI * freq_hz / rate;
    for (int pass = 0; pass < 4; pass++)
    {
        const double complex a = tone_amplitude(tone.series, half, turn),
                             b = tone_amplitude(tone.series + half, half, turn) * cexp(-I * turn * half), c = b / a;
        turn += carg(c) / half;
        heard.freq_hz = turn * rate / (2 * TW_PI);
        heard.loss = -2 * log(cabs(c)) / (half * turn);
    }
    return heard;
}

static const double pitches[] = {50, 90, 160, 300, 550, 1000, 1900, 3500, 6000, 10000, 15000};
#define PITCHES (int)(sizeof pitches / sizeof *pitches)

// ---- tones ----

static int loss_factor_is_the_same_at_all_pitches(void)
{
    static const double rates[] = {44100, 48000};
    for (int r = 0; r < 2; r++)
        for (int k = 0; k < PITCHES; k++)
        {
            tone_make(TONE_BEND, pitches[k]);
            tone.def.loss_factor = 0.01, tone.def.rate_hz = rates[r];
            ENSURE_NEAR(tone_ring(TONE_BEND, pitches[k], 20).loss, 0.01, 0.06 * 0.01);
        }
    return 0;
}

static int twist_and_stretch_have_the_same_loss(void)
{
    for (int kind = TONE_TWIST; kind <= TONE_STRETCH; kind++)
        for (int k = 5; k < PITCHES - 1; k++)
        {
            tone_make((ToneKind)kind, pitches[k]);
            tone.def.loss_factor = 2e-3;
            ENSURE_NEAR(tone_ring((ToneKind)kind, pitches[k], 50).loss, 2e-3, 0.06 * 2e-3);
        }
    return 0;
}

// sum g x/(1 + x^2)/(1 + sum g x^2/(1 + x^2)) of the branches; the trapezoid has its own weights
static int tones_decay_by_the_closed_form(void)
{
    for (int scheme = TW_ROD_GAUSS4; scheme <= TW_ROD_TRAPEZOID; scheme++)
        for (int k = 1; k < 8; k++)
        {
            double loss = 0, stiff = 1;
            tone_make(TONE_BEND, pitches[k]);
            tone.def.integrator = (twRodIntegrator)scheme, tone.def.rate_hz = 192000, tone.def.loss_factor = 0.02;
            twRod* rod = NULL;
            ENSURE(tw_rod_create(&rod, &tone.def, NULL) == TW_OK);
            for (int j = 0; j < ROD_BRANCHES; j++)
            {
                const double x = pitches[k] / rod->branches.pole[0][j], g = rod->branches.weight[0][j];
                loss += g * x / (1 + x * x), stiff += g * x * x / (1 + x * x);
            }
            tw_rod_destroy(rod);
            ENSURE_NEAR(tone_ring(TONE_BEND, pitches[k], 20).loss, loss / stiff, 0.01 * loss);
        }
    return 0;
}

// the modulus is that at 1 kHz, as is the tension of a string
static int pitch_is_that_without_damping(void)
{
    static const ToneKind kinds[] = {TONE_BEND, TONE_TWIST, TONE_STRETCH};
    for (int k = 0; k < 3; k++)
    {
        tone_make(kinds[k], 1000);
        const double plain = tone_ring(kinds[k], 1000, 50).freq_hz;
        tone.def.loss_factor = 0.01;
        ENSURE_NEAR(tone_ring(kinds[k], 1000, 50).freq_hz, plain, 2e-4 * plain);
    }
    tone_make(TONE_STRING, 200);
    const Heard plain = tone_ring(TONE_STRING, 200, 50);
    tone.def.loss_factor = 0.01;
    const Heard heard = tone_ring(TONE_STRING, 200, 50);
    ENSURE_NEAR(heard.freq_hz, plain.freq_hz, 2e-4 * plain.freq_hz);
    // what tension holds does not decay
    ENSURE(heard.loss > 0 && heard.loss < 0.1 * 0.01);
    return 0;
}

// the negative control: branches without weight
static int without_weights_nothing_decays(void)
{
    tone_make(TONE_BEND, 1000);
    tone.def.loss_factor = 1e-9;
    ENSURE(fabs(tone_ring(TONE_BEND, 1000, 50).loss) < 1e-7);
    tone.def.loss_factor = 1e-3;
    ENSURE(tone_ring(TONE_BEND, 1000, 50).loss > 9e-4);
    return 0;
}

static int beta_adds_what_grows_with_pitch(void)
{
    for (int k = 5; k < PITCHES - 1; k += 2)
    {
        const double beta = 1.5e-7, wanted = 0.01 + 2 * TW_PI * pitches[k] * beta;
        tone_make(TONE_BEND, pitches[k]);
        tone.def.loss_factor = 0.01, tone.def.beta = beta;
        ENSURE_NEAR(tone_ring(TONE_BEND, pitches[k], 20).loss, wanted, 0.1 * wanted);
    }
    return 0;
}

// (2/pi) (density of air/of the rod)/((k a)^2 |H1'(k a)|^2) beside the material's; at k a = 1 it is 0.739 of the ratio of densities.
// Twist moves no air.
static int a_thick_rod_loses_what_it_radiates(void)
{
    const double a = 6.5e-3, speed = 343, density = 1.2, freq_hz = speed / (2 * TW_PI * a);
    for (int kind = TONE_BEND; kind <= TONE_TWIST; kind++)
    {
        const double wanted = 1e-4 + (kind == TONE_BEND ? 0.739 * density / 2700 : 0);
        tone_make((ToneKind)kind, freq_hz);
        tone.def.loss_factor = 1e-4, tone.def.air_radius = a, tone.def.air_density = density,
        tone.def.air_speed = speed;
        ENSURE_NEAR(tone_ring((ToneKind)kind, freq_hz, 300).loss, wanted, 0.08 * wanted);
    }
    return 0;
}

// A struck tube whose bends alone have air: the factor counts bends and other strains by their own branches, so that steps take as few
// iterations as those of a tube whose strains all have the same.
static int tube_iterations(double air_radius)
{
    enum
    {
        POINTS = 31,
        STEPS = 16000
    };
    twVec3 points[POINTS];
    for (int i = 0; i < POINTS; i++) points[i] = tw_vec3(0, 0, -0.5 * i / (POINTS - 1));
    const twSectionDef outline = tw_section_tube(0.0125, 0.011);
    twSection section;
    twRodDef def = tw_rod_def();
    const twRodSupport thread = {.kind = TW_ROD_SPRING, .point = 14, .stiffness = {50, 50, 50}};
    const twRodPulse blow = {.point = POINTS - 1, .force = {0, 25, 0}, .duration = 5e-4};
    def.point_count = POINTS, def.points = points, def.section_count = 1, def.sections = &section;
    def.young = 69e9, def.poisson = 0.33, def.density = 2700, def.rate_hz = 48000;
    def.alpha = 0.5, def.loss_factor = 1e-4, def.air_radius = air_radius;
    def.support_count = 1, def.supports = &thread, def.pulse_count = 1, def.pulses = &blow;
    twRod* rod = NULL;
    if (tw_section_compute(&section, &outline, NULL) != TW_OK || tw_rod_create(&rod, &def, NULL) != TW_OK) return -1;
    for (int i = 0; i < STEPS; i++) tw_rod_step(rod);
    const int iterations = (int)tw_rod_stats(rod).iterations;
    tw_rod_destroy(rod);
    return iterations;
}

static int branches_of_bends_alone_take_no_iterations(void)
{
    const int without = tube_iterations(0), with = tube_iterations(0.0125);
    ENSURE(without > 0 && with > 0);
    ENSURE_NEAR((double)with / without, 1, 0.05);
    return 0;
}

// Zener: eta + D x/(1 + x^2), x = f/f0, f0 = pi chi/(2 h^2), of a ruler of aluminium 1 mm thick, and thinner and thicker ones. Without conductivity, and in
// twist, there is no peak.
static int thin_metal_loses_what_heat_takes(void)
{
    static const double thick[] = {1e-3, 0.3e-3, 3e-3}, tones[] = {60, 108, 300, 1000, 8000};
    const double chi = 6.9e-5, strength = 4.4e-3, eta = 1e-4;
    for (int h = 0; h < 3; h++)
        for (int k = 0; k < 5; k++)
        {
            const double f0 = TW_PI * chi / (2 * thick[h] * thick[h]), x = tones[k] / f0,
                         heat = strength * x / (1 + x * x);
            tone_make(TONE_BEND, tones[k]);
            tone.def.loss_factor = eta, tone.def.heat = (twRelaxation){strength, 1 / (2 * TW_PI * f0)};
            const int periods = tones[k] < 500 ? 60 : 200;
            ENSURE_NEAR(tone_ring(TONE_BEND, tones[k], periods).loss, eta + heat, 0.1 * (eta + heat));
            tone.def.heat.strength = 0;
            ENSURE_NEAR(tone_ring(TONE_BEND, tones[k], periods).loss, eta, 0.1 * eta);
        }
    tone_make(TONE_TWIST, 1000);
    tone.def.loss_factor = eta, tone.def.heat = (twRelaxation){strength, 1 / (2 * TW_PI * 1000)};
    ENSURE_NEAR(tone_ring(TONE_TWIST, 1000, 200).loss, eta, 0.1 * eta);
    return 0;
}

// loss factors of the table of materials: the same rod of steel rings longer than one of glass, and that longer than one of wood
static int steel_rings_longer_than_glass_and_glass_than_wood(void)
{
    static const struct
    {
        double young, density, loss;
    } matter[] = {{2.0e11, 7850, 2e-4}, {6.2e10, 2600, 8e-4}, {1.1e10, 750, 1.4e-2}};
    for (int k = 5; k < 10; k += 2)
    {
        double last = HUGE_VAL;
        for (int m = 0; m < 3; m++)
        {
            tone_make(TONE_BEND, pitches[k]);
            // of another matter it sounds elsewhere
            const double freq_hz = pitches[k] * sqrt(matter[m].young / matter[m].density / (70e9 / 2700));
            tone.def.young = matter[m].young, tone.def.density = matter[m].density;
            tone.def.loss_factor = matter[m].loss;
            tone.def.air_radius = 6.5e-3, tone.def.air_density = 1.2, tone.def.air_speed = 343;
            const Heard heard = tone_ring(TONE_BEND, freq_hz, 20);
            const double t60 = log(1000) / (TW_PI * heard.freq_hz * heard.loss);
            ENSURE(heard.loss > 0 && t60 < 0.6 * last);
            last = t60;
        }
    }
    return 0;
}

// ---- energy ----

static void stir(Wire* wire, twVec3* velocities, double speed)
{
    for (int i = 0; i < WIRE_POINTS; i++)
        velocities[i] = tw_vec3(speed * sin(12.9 * i), speed * sin(7.7 * i + 1), speed * cos(3.3 * i));
    wire->def.velocities = velocities;
}

// any motion, small and large: no step has more energy than the one before; round-off where there is hardly any damping
static int energy_falls_in_every_step(void)
{
    static const double speeds[] = {1e-3, 0.3, 3}, losses[] = {1e-3, 1e-2, 0.2};
    for (int shape = 0; shape < WIRE_SHAPES; shape++)
        for (int variant = 0; variant < 12; variant++)
        {
            Wire wire;
            twVec3 velocities[WIRE_POINTS];
            wire_make(&wire, (WireShape)shape);
            stir(&wire, velocities, speeds[variant % 3]);
            wire.def.loss_factor = losses[(shape + variant) % 3];
            wire.def.shear = variant / 3 % 2;
            wire.def.integrator = variant / 6 ? TW_ROD_TRAPEZOID : TW_ROD_GAUSS4;
            twRod* rod = wire_create(&wire);
            ENSURE(rod);
            twRodEnergy e = tw_rod_energy(rod);
            const double first = tw_rod_total(&e);
            double last = first;
            for (int k = 0; k < 300; k++)
            {
                tw_rod_step(rod);
                e = tw_rod_energy(rod);
                ENSURE(tw_rod_total(&e) <= last + 1e-14 * first);
                last = tw_rod_total(&e);
            }
            ENSURE(last < 0.99 * first && tw_rod_stats(rod).stops == 0);
            tw_rod_destroy(rod);
        }
    return 0;
}

// what is left and what branches took is what there was
static int what_is_lost_is_what_branches_take(void)
{
    for (int shape = 0; shape < WIRE_SHAPES; shape++)
        for (int variant = 0; variant < 4; variant++)
        {
            Wire wire;
            twVec3 velocities[WIRE_POINTS];
            wire_make(&wire, (WireShape)shape);
            stir(&wire, velocities, 1e-3);
            wire.def.loss_factor = 0.01, wire.def.account = true, wire.def.tolerance = 1e-6;
            wire.def.shear = variant % 2;
            wire.def.integrator = variant / 2 ? TW_ROD_TRAPEZOID : TW_ROD_GAUSS4;
            twRod* rod = wire_create(&wire);
            ENSURE(rod);
            twRodEnergy e = tw_rod_energy(rod);
            const double first = tw_rod_total(&e);
            for (int k = 0; k < 500; k++) tw_rod_step(rod);
            e = tw_rod_energy(rod);
            ENSURE(e.dissipated > 0.1 * first);
            ENSURE_NEAR(tw_rod_total(&e) + e.dissipated, first, 1e-3 * first);
            tw_rod_destroy(rod);
        }
    return 0;
}

// strains do not change while a rod flies and spins
static int rigid_motion_is_not_damped(void)
{
    Wire wire;
    twVec3 velocities[WIRE_POINTS];
    wire_make(&wire, WIRE_HELIX);
    for (int i = 0; i < WIRE_POINTS; i++)
        velocities[i] = tw_vec3_add(tw_vec3(1, 2, 3), tw_vec3_cross(tw_vec3(0, 0, 1), wire.points[i]));
    wire.def.velocities = velocities, wire.def.loss_factor = 0.1, wire.def.twists = NULL;
    twRod* rod = wire_create(&wire);
    ENSURE(rod);
    const double first = tw_rod_kinetic(rod);
    for (int k = 0; k < 4000; k++) tw_rod_step(rod);
    ENSURE_NEAR(tw_rod_kinetic(rod), first, 1e-6 * first);
    tw_rod_destroy(rod);
    return 0;
}

// ---- order, others ----

static double after(double rate_hz, const double weight[2][ROD_BRANCHES], double stiffness, double seconds)
{
    tone.def.rate_hz = rate_hz, tone.def.tolerance = 1e-10;
    twRod* rod = NULL;
    if (tw_rod_create(&rod, &tone.def, NULL) != TW_OK) return NAN;
    // poles, weights and the modulus go by the rate, and are to be the same here
    memcpy(rod->branches.weight, weight, sizeof rod->branches.weight);
    for (int j = 0; j < ROD_BRANCHES; j++) rod->branches.pole[0][j] = rod->branches.pole[1][j] = 60 * pow(12, j);
    for (int i = 0; i < rod->n; i++) rod->b11[i] = rod->b22[i] = i == 0 || i == rod->n - 1 ? 0 : stiffness;
    for (int k = 0; k < (int)lround(seconds * rate_hz); k++) tw_rod_step(rod);
    const double value = tone_value(rod, TONE_BEND);
    tw_rod_destroy(rod);
    return value;
}

// halving the step makes the error a sixteenth
static int the_scheme_stays_of_fourth_order(void)
{
    const double weight[2][ROD_BRANCHES] = {{0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}}, seconds = 1e-3;
    tone_make(TONE_BEND, 1500);
    tone.def.loss_factor = 0.05;
    const double edge = tone.points[1].x, stiffness = 70e9 * tone.section.moment[0] / edge;
    const double exact = after(640000, weight, stiffness, seconds),
                 coarse = after(40000, weight, stiffness, seconds) - exact,
                 fine = after(80000, weight, stiffness, seconds) - exact;
    ENSURE(fabs(coarse) > 1e-12);
    ENSURE(coarse / fine > 12 && coarse / fine < 20);
    return 0;
}

// gradients and branches of a bent rod in motion, by all instruction sets
static int all_kernels_do_the_same(void)
{
    static const char* const names[] = {"generic", "avx2", "avx512"};
    for (int variant = 0; variant < 2 * WIRE_SHAPES; variant++)
    {
        double g[ROD_DOFS][WIRE_POINTS], y[ROD_STRAINS][WIRE_POINTS];
        Wire wire;
        twVec3 velocities[WIRE_POINTS];
        wire_make(&wire, (WireShape)(variant / 2));
        stir(&wire, velocities, 3);
        wire.def.loss_factor = 0.1, wire.def.shear = variant % 2;
        twRod* rod = wire_create(&wire);
        ENSURE(rod);
        for (int k = 0; k < 5; k++) tw_rod_step(rod);
        const size_t bytes = tw_rod_branch_size(rod) * sizeof(double);
        double* before = malloc(bytes);
        ENSURE(before);
        memcpy(before, rod->branches.strain, bytes);
        for (int k = 0; k < 3; k++)
        {
            rod->kernel = tw_rod_kernel(names[k]);
            if (!rod->kernel) continue;
            rod->kernel->pair(rod);
            rod->kernel->follow_strains(rod);
            for (int c = 0; c < rod->dofs; c++)
            {
                double size = 0, large = 0;
                for (int i = 0; k == 0 && i < rod->n; i++)
                    g[c][i] = rod->g[1][c][i], y[c][i] = rod_branch_strain(&rod->branches, c, i)[16];
                for (int i = 0; i < rod->n; i++) size = fmax(size, fabs(g[c][i])), large = fmax(large, fabs(y[c][i]));
                for (int i = 0; i < rod->n; i++)
                {
                    ENSURE_NEAR(rod->g[1][c][i], g[c][i], 1e-9 * size);
                    ENSURE_NEAR(rod_branch_strain(&rod->branches, c, i)[16], y[c][i], 1e-9 * large);
                }
            }
            memcpy(rod->branches.strain, before, bytes);
        }
        free(before);
        tw_rod_destroy(rod);
    }
    return 0;
}

// what is thinner at one end loses as much
static int a_taper_has_the_same_loss(void)
{
    static twSection sections[TONE_POINTS];
    tone_make(TONE_BEND, 1000);
    for (int i = 0; i < TONE_POINTS; i++)
    {
        const double u = 1 - 0.3 * i / (TONE_POINTS - 1);
        sections[i] = tone.section;
        sections[i].area *= u * u, sections[i].torsion *= u * u * u * u;
        for (int k = 0; k < 2; k++) sections[i].moment[k] *= u * u * u * u;
    }
    tone.def.sections = sections, tone.def.section_count = TONE_POINTS;
    tone.def.loss_factor = 0.01;
    ENSURE_NEAR(tone_ring(TONE_BEND, 850, 20).loss, 0.01, 0.06 * 0.01);
    return 0;
}

static int wrong_losses_are_refused(void)
{
    static const double losses[] = {-1e-3, 1, 2, NAN};
    for (int k = 0; k < 4; k++)
    {
        twError err;
        twRod* rod;
        tone_make(TONE_BEND, 1000);
        tone.def.loss_factor = losses[k];
        ENSURE(tw_rod_create(&rod, &tone.def, &err) == TW_BAD_INPUT && strstr(err.text, "loss factor"));
        tone.def.loss_factor = 0.1, tone.def.air_radius = 1e-3, tone.def.air_speed = k - 3;
        ENSURE(tw_rod_create(&rod, &tone.def, &err) == TW_BAD_INPUT && strstr(err.text, "air"));
        tone.def.air_radius = 0, tone.def.heat.strength = losses[k];
        ENSURE(tw_rod_create(&rod, &tone.def, &err) == TW_BAD_INPUT && strstr(err.text, "thermoelastic"));
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(loss_factor_is_the_same_at_all_pitches)
    RUN(twist_and_stretch_have_the_same_loss)
    RUN(tones_decay_by_the_closed_form)
    RUN(pitch_is_that_without_damping)
    RUN(without_weights_nothing_decays)
    RUN(beta_adds_what_grows_with_pitch)
    RUN(a_thick_rod_loses_what_it_radiates)
    RUN(branches_of_bends_alone_take_no_iterations)
    RUN(thin_metal_loses_what_heat_takes)
    RUN(steel_rings_longer_than_glass_and_glass_than_wood)
    RUN(energy_falls_in_every_step)
    RUN(what_is_lost_is_what_branches_take)
    RUN(rigid_motion_is_not_damped)
    RUN(the_scheme_stays_of_fourth_order)
    RUN(all_kernels_do_the_same)
    RUN(a_taper_has_the_same_loss)
    RUN(wrong_losses_are_refused)
)
