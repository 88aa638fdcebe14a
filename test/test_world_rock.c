// SPDX-License-Identifier: MIT
// Bodies that rock on their contacts: pitch and decay are those of the linearised contacts, whose roots are found here by themselves.
#include "world.h"
#include <complex.h>

enum
{
    ROCK_CONTACTS = 3,
    ROCK_MODES = 3 + 8,
    ROCK_SAMPLES = 6000
};

static const double rock_rate = 20000;  // [Hz]
static const double rock_at[ROCK_CONTACTS][2] = {{-0.1, -0.01}, {-0.1, 0.01}, {0.11, 0}};
// one that bends with its contacts, and one so stiff that it rocks as if it were rigid
static const Beam rock_bar = {
    .size = {0.3, 0.03, 0.01}, .density = 7850, .young = 2e11, .cells = 30, .modes = 8, .decay = 2};
static const Beam rock_box = {
    .size = {0.24, 0.06, 0.05}, .density = 2000, .young = 2e11, .cells = 24, .modes = 1, .decay = 2};

// What it stands on: the law of the contacts, and the modes there, the first three of which are rigid.
typedef struct Rock
{
    twContactPair pair;
    int modes;
    double shape[ROCK_CONTACTS][ROCK_MODES];  // [kg^-1/2]
    double freq[ROCK_MODES], decay[ROCK_MODES];
    double load[ROCK_CONTACTS];  // [N]
} Rock;

static Rock rock_of(twContactPair pair, const Beam* beam)
{
    Rock r = {.pair = pair, .modes = 3 + beam->modes};
    const twVec3 d = beam->size;
    const double m = beam_mass(beam), roll = m * (d.y * d.y + d.z * d.z) / 12, pitch = m * (d.x * d.x + d.z * d.z) / 12;
    // two at x0 and one at x2 carry it
    const double x0 = rock_at[0][0], x2 = rock_at[2][0], weight = 9.81 * m, at_x2 = -x0 / (x2 - x0) * weight;
    for (int i = 0; i < ROCK_CONTACTS; i++)
    {
        r.load[i] = i == 2 ? at_x2 : 0.5 * (weight - at_x2);
        r.shape[i][0] = 1 / sqrt(m), r.shape[i][1] = rock_at[i][1] / sqrt(roll),
        r.shape[i][2] = rock_at[i][0] / sqrt(pitch);
        for (int k = 3; k < r.modes; k++)
        {
            double slope;
            r.shape[i][k] = beam_shape(false, k - 3, rock_at[i][0] / d.x + 0.5, &slope) / sqrt(m);
            r.freq[k] = beam_frequency(beam, k - 3), r.decay[k] = beam->decay;
        }
    }
    return r;
}

// force per compression of a contact at exp(s t): a spring, the dashpot mu F0, and the branch
static double complex rock_contact(const Rock* r, int i, double complex s)
{
    const twImpactLaw* law = &r->pair.impact;
    const double x = pow(r->load[i] / law->stiffness, 1 / law->exponent), k = law->exponent * r->load[i] / x;
    const double eta = r->pair.loss_factor, branch = 2 * eta / (1 - eta) * k;
    double own = 0;
    for (int j = 0; j < r->modes; j++) own += r->shape[i][j] * r->shape[i][j];
    return k + law->dissipation * r->load[i] * s + branch * s / (s + sqrt(k * own));
}

// det(1 + Y Z), 0 where it swings by itself; Y: mobility of the body between its contacts, Z: that they answer
static double complex rock_determinant(const Rock* r, double complex s)
{
    double complex a[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            double complex y = 0;
            for (int k = 0; k < r->modes; k++)
                y += r->shape[i][k] * r->shape[j][k] / (s * s + 2 * r->decay[k] * s + r->freq[k] * r->freq[k]);
            a[i][j] = (i == j) + y * rock_contact(r, j, s);
        }
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

// the root near a pitch, by secants
static double complex rock_root(const Rock* r, double freq_hz)
{
    double complex s = 2 * TW_PI * freq_hz * I, old = s * (1 + 1e-3), f = rock_determinant(r, s),
                   before = rock_determinant(r, old);
    for (int i = 0; i < 60 && cabs(s - old) > 1e-9 * cabs(s); i++)
    {
        const double complex next = s - f * (s - old) / (f - before);
        old = s, before = f, s = next, f = rock_determinant(r, s);
    }
    return s;
}

// ---- the world ----

static double rock_tap = 0.02;  // [N], of what weighs 7 and 14 N

static twVec3 rock_push(double time, void* context)
{
    return tw_vec3(0, 0, -*(const double*)context * sin(TW_PI * (time - 1e-3) / 5e-4));
}

static Stage* rock_stage(const Beam* beam, double dissipation, double loss_factor, twContactPair* law)
{
    Stage* s = stage();
    const twBodyShape *ball = stage_ball(s, 0.005, 7800), *shape = stage_beam(s, beam);
    const int body = stage_body(s, shape, 0, 0, 0.5 * beam->size.z);
    for (int i = 0; i < ROCK_CONTACTS; i++)
        s->bodies[stage_body(s, ball, rock_at[i][0], rock_at[i][1], -0.005)].kind = TW_BODY_FIXED;
    twContactPair* pair = stage_pair(s, 0, 0);
    pair->impact = (twImpactLaw){1e8, 1.5, dissipation};
    pair->friction.static_friction = pair->friction.dynamic_friction = 0;
    pair->loss_factor = loss_factor;
    *law = *pair;
    // a corner
    const int corner = tw_body_shape_nearest(shape, tw_vec3(1, 1, 1));
    s->pushes[0] = (twPushDef){.body = body,
                               .vertex = corner,
                               .force = rock_push,
                               .context = &rock_tap,
                               .begin = 1e-3,
                               .end = 1.5e-3,
                               .shortest = 1e-5};
    s->def.push_count = 1;
    s->def.settle = s->def.no_mode_adaptation = true;
    s->def.max_step = 2e-5;
    must(stage_start(s), &s->err);
    return s;
}

static double rock_series[ROCK_SAMPLES];

// rolling only, or how fast an end goes up and down
static void rock_listen(Stage* s, bool rolls)
{
    for (int i = 0; i < ROCK_SAMPLES; i++)
    {
        const double time = 2e-3 + i / rock_rate;
        twVec3 v;
        tw_world_advance(s->world, time);
        tw_world_point(s->world, 0, tw_body_shape_nearest(s->bodies[0].shape, tw_vec3(1, 0, 0)), time, &v);
        rock_series[i] = rolls ? tw_world_motion(s->world, 0, time, NULL, NULL).spin.x : v.z;
    }
}

static double complex rock_amplitude(int begin, int count, double turn)
{
    double complex sum = 0;
    for (int i = 0; i < count; i++)
        sum += rock_series[begin + i] * (1 - cos(2 * TW_PI * (i + 0.5) / count)) * cexp(-I * turn * (begin + i));
    return sum;
}

// the loudest tone: -decay + i w
static double complex rock_tone(void)
{
    const int window = ROCK_SAMPLES / 2;
    double turn = 0, loudest = 0;
    for (double f = 60; f < 3000; f += 2)
    {
        const double x = 2 * TW_PI * f / rock_rate, size = cabs(rock_amplitude(0, window, x));
        if (size > loudest) loudest = size, turn = x;
    }
    double complex change = 1;
    for (int pass = 0; pass < 3; pass++)
    {
        change = rock_amplitude(window, window, turn) / rock_amplitude(0, window, turn);
        turn += carg(change) / window;
    }
    return rock_rate * (log(cabs(change)) / window + I * turn);
}

// pitch within 1 %, decay within 2 % of the linearised contacts'
static int rock_as_linearised(const Beam* beam, bool rolls, double dissipation, double loss_factor)
{
    twContactPair law;
    Stage* s = rock_stage(beam, dissipation, loss_factor, &law);
    rock_listen(s, rolls);
    const double rise = tw_world_energy(s->world).largest_rise / tw_world_energy(s->world).start;
    stage_free(s);
    const double complex heard = rock_tone();
    const Rock rock = rock_of(law, beam);
    const double complex root = rock_root(&rock, cimag(heard) / (2 * TW_PI));
    ENSURE_NEAR(cimag(heard), cimag(root), 0.01 * cimag(root));
    ENSURE_NEAR(creal(heard), creal(root), 0.01 - 0.02 * creal(root));
    ENSURE(rise < 1e-12);
    return 0;
}

// dissipation alone, loss factor alone, both, and the control: nothing but the body's own
static int rock_with_all_losses(const Beam* beam)
{
    static const double losses[][2] = {{1, 0}, {0, 0.02}, {1.4, 0.012}, {0, 0}};
    for (int i = 0; i < 4; i++)
        for (int rolls = 0; rolls < 2; rolls++)
            if (rock_as_linearised(beam, rolls, losses[i][0], losses[i][1])) return 1;
    return 0;
}

static int box_tapped_at_a_corner_rocks_as_its_contacts_say(void) { return rock_with_all_losses(&rock_box); }

static int flexible_bar_on_three_contacts_rocks_as_they_say(void) { return rock_with_all_losses(&rock_bar); }

// clang-format off
TEST_MAIN(
    RUN(box_tapped_at_a_corner_rocks_as_its_contacts_say)
    RUN(flexible_bar_on_three_contacts_rocks_as_they_say))
