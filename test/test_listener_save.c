// SPDX-License-Identifier: MIT
// Listeners and radiators that are saved and loaded: they go on to the bit, and bytes that do not fit are refused.
#include "listener.h"

enum
{
    POINTS = 24,
    TRACKS = 3,
    STEPS = 6000  // more than a ring holds
};

// what hears two rods and a source that flies by
typedef struct Scene
{
    twRadiator* rods[2];
    twListener* listener;
} Scene;

static double length[POINTS], position[3][POINTS], acceleration[3][POINTS], jerk[3][POINTS], d1[3][POINTS],
    d2[3][POINTS];

static twListenerDef rich_def(void)
{
    static const double radius[TRACKS] = {0, 6.35e-3, 2e-3};
    twListenerDef def = tw_listener_def();
    def.position = tw_vec3(0, 0, 1.5);
    def.farthest = 20;
    def.ground = true;
    def.lowpass_hz = 15000;
    def.track_count = TRACKS;
    def.radius = radius;
    return def;
}

static twRadiatorDef rod_def(const twSection* section, bool closed)
{
    twRadiatorDef def = tw_radiator_def();
    for (int i = 0; i < POINTS; i++) length[i] = 0.02;
    def.point_count = POINTS;
    def.closed = closed;
    def.section_count = 1, def.sections = section;
    def.lengths = length;
    def.poisson = 0.3;
    return def;
}

static twRadiator* make_radiator(twSectionDef outline, bool closed)
{
    twSection section;
    twRadiator* radiator = NULL;
    if (tw_section_compute(&section, &outline, NULL) != TW_OK) return NULL;
    const twRadiatorDef def = rod_def(&section, closed);
    return tw_radiator_create(&radiator, &def, NULL) == TW_OK ? radiator : NULL;
}

static Scene make_scene(void)
{
    return (Scene){
        {make_radiator(tw_section_circle(6.35e-3), true), make_radiator(tw_section_rectangle(0.03, 2e-3), false)},
        create(rich_def())};
}

static void end_scene(Scene* s)
{
    for (int i = 0; i < 2; i++) tw_radiator_destroy(s->rods[i]);
    tw_listener_destroy(s->listener);
}

// motion of a rod that turns, flies and bends: any numbers will do, but all of them change
static twRadiatorMotion motion_at(int rod, int n)
{
    const double t = n / RATE, turn = 40 * t + rod;
    twRadiatorMotion m;
    for (int i = 0; i < POINTS; i++)
    {
        const double way = 0.02 * i, w = 2 * TW_PI * (900 + 50 * i + 300 * rod);
        position[0][i] = 3 + 5 * rod + 15 * t, position[1][i] = way * cos(turn), position[2][i] = 1 + way * sin(turn);
        for (int k = 0; k < 3; k++)
            acceleration[k][i] = 100 * cos(w * t + k), jerk[k][i] = -100 * w * sin(w * t + k), d1[k][i] = d2[k][i] = 0;
        d1[0][i] = 1, d2[1][i] = -sin(turn), d2[2][i] = cos(turn);
    }
    for (int k = 0; k < 3; k++)
    {
        m.position[k] = position[k], m.acceleration[k] = acceleration[k], m.jerk[k] = jerk[k];
        m.director1[k] = d1[k], m.director2[k] = d2[k];
    }
    return m;
}

static void add_all(Scene* s, int n)
{
    const double t = n / RATE;
    for (int i = 0; i < 2; i++)
    {
        const twRadiatorMotion m = motion_at(i, n);
        const twSources sources = tw_radiator_update(s->rods[i], &m);
        tw_listener_add(s->listener, 1 - i, &sources);
    }
    const Source fly = {.position = {10 - 30 * t, 1, 2}, .dipole = {0.1 * cos(5e3 * t)}, .volume = 1e-2 * sin(7e3 * t)};
    const twSources sources = view(&fly);
    tw_listener_add(s->listener, 2, &sources);
    tw_listener_add_signal(s->listener, 1e-3 * cos(2e3 * t));
}

static double step(Scene* s, int n)
{
    // it stands still for a while, then goes on
    if (n % 1000 < 700) tw_listener_move(s->listener, tw_vec3(2 * sin(3.0 * n / RATE), 0.1, 1.5));
    add_all(s, n);
    return tw_listener_step(s->listener);
}

// the bytes of a scene, one off any alignment
static char* save_listener(const twListener* l)
{
    char* bytes = malloc(tw_listener_state_bytes(l) + 1);
    if (bytes) tw_listener_save(l, bytes + 1);
    return bytes;
}

static bool hand_over(const Scene* from, Scene* to)
{
    char* bytes = save_listener(from->listener);
    bool fine = bytes && tw_listener_load(to->listener, bytes + 1, tw_listener_state_bytes(from->listener));
    free(bytes);
    for (int i = 0; i < 2 && fine; i++)
    {
        const size_t count = tw_radiator_state_bytes(from->rods[i]);
        bytes = malloc(count + 1);
        if (bytes) tw_radiator_save(from->rods[i], bytes + 1);
        fine = bytes && tw_radiator_load(to->rods[i], bytes + 1, count);
        free(bytes);
    }
    return fine;
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static int what_is_loaded_goes_on_to_the_bit(void)
{
    Scene whole = make_scene();
    double peak = 0;
    for (int n = 0; n < STEPS; n++) peak = fmax(peak, fabs(heard[n] = step(&whole, n)));
    ENSURE(peak > 1e-2);
    const int cuts[] = {0, 1, 699, 701, 2500, 4099, STEPS - 60};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
    {
        Scene first = make_scene(), second = make_scene();
        for (int n = 0; n < cuts[i]; n++) step(&first, n);
        // what it did before it was loaded does not count
        for (int n = 0; n < 77; n++) step(&second, 3 * n);
        ENSURE(hand_over(&first, &second));
        for (int n = cuts[i]; n < STEPS; n++)
        {
            ENSURE(same_bits(step(&second, n), heard[n]));
            // the one that was saved goes on too
            if (n < cuts[i] + 100) ENSURE(same_bits(step(&first, n), heard[n]));
        }
        const twListenerStats a = tw_listener_stats(whole.listener), b = tw_listener_stats(second.listener);
        ENSURE(a.too_near == b.too_near && a.too_far == b.too_far && a.bad_values == b.bad_values);
        end_scene(&first);
        end_scene(&second);
    }
    end_scene(&whole);
    return 0;
}

// moved and half heard: velocities and sound of this very step belong to the state
static int a_step_can_be_cut_in_the_middle(void)
{
    Scene first = make_scene(), second = make_scene();
    for (int n = 0; n < 300; n++) step(&first, n);
    tw_listener_move(first.listener, tw_vec3(2 * sin(3.0 * 300 / RATE), 0.1, 1.5));
    ENSURE(hand_over(&first, &second));
    for (int n = 300; n < 1500; n++)
    {
        if (n > 300) tw_listener_move(first.listener, tw_vec3(2 * sin(3.0 * n / RATE), 0.1, 1.5));
        if (n > 300) tw_listener_move(second.listener, tw_vec3(2 * sin(3.0 * n / RATE), 0.1, 1.5));
        add_all(&first, n);
        add_all(&second, n);
        ENSURE(same_bits(tw_listener_step(first.listener), tw_listener_step(second.listener)));
    }
    end_scene(&first);
    end_scene(&second);
    return 0;
}

static int counts_go_on(void)
{
    twListener *a = create(rich_def()), *b = create(rich_def());
    const Source far = {.position = {1000, 0, 0}, .volume = 1}, near = {.position = {0, 0, 1.5}, .volume = 1};
    twSources sources = view(&far);
    tw_listener_add(a, 0, &sources);
    sources = view(&near);
    tw_listener_add(a, 0, &sources);
    tw_listener_add_signal(a, NAN);
    char* bytes = save_listener(a);
    ENSURE(bytes && tw_listener_load(b, bytes + 1, tw_listener_state_bytes(a)));
    const twListenerStats stats = tw_listener_stats(b), of = tw_listener_stats(a);
    ENSURE(stats.too_far > 0 && stats.too_near > 0 && stats.bad_values == 1);
    ENSURE(memcmp(&stats, &of, sizeof of) == 0);
    free(bytes);
    tw_listener_destroy(a);
    tw_listener_destroy(b);
    return 0;
}

// ---- what does not fit ----

// whether a listener refuses bytes and is as before
static bool refuses(twListener* l, const char* bytes, size_t count)
{
    const size_t size = tw_listener_state_bytes(l);
    char *before = save_listener(l), *after;
    const bool loaded = tw_listener_load(l, bytes, count);
    after = save_listener(l);
    const bool same = before && after && memcmp(before + 1, after + 1, size) == 0;
    free(before);
    free(after);
    return !loaded && same;
}

static int damaged_listeners_are_refused(void)
{
    Scene first = make_scene(), second = make_scene();
    for (int n = 0; n < 500; n++) step(&first, n), step(&second, 2 * n);
    const size_t size = tw_listener_state_bytes(first.listener);
    char* bytes = save_listener(first.listener);
    ENSURE(bytes != NULL);
    // the head and the state byte by byte, then the rings here and there, then the checksum
    for (size_t i = 0; i < size; i += i < 320 || i + 24 > size ? 7 : size / 40)
    {
        bytes[1 + i] ^= 0x10;
        ENSURE(refuses(second.listener, bytes + 1, size));
        bytes[1 + i] ^= 0x10;
    }
    ENSURE(refuses(second.listener, bytes + 1, size - 1) && refuses(second.listener, bytes + 1, 8));
    ENSURE(refuses(second.listener, bytes + 1, 0));
    ENSURE(tw_listener_load(second.listener, bytes + 1, size));
    free(bytes);
    end_scene(&first);
    end_scene(&second);
    return 0;
}

static int states_of_other_listeners_are_refused(void)
{
    static const double radius[TRACKS] = {0, 6.35e-3, 3e-3};
    twListener* of = create(rich_def());
    const size_t size = tw_listener_state_bytes(of);
    char* bytes = save_listener(of);
    twListenerDef defs[8];
    for (int i = 0; i < 8; i++) defs[i] = rich_def();
    defs[0].rate_hz = 44000;
    defs[1].ground = false;
    defs[2].radius = radius;
    defs[3].track_count = 2;
    defs[4].reflection = 0.5;
    defs[5].lowpass_hz = 0;
    defs[6].farthest = 19;
    defs[7].instant = true;
    for (int i = 0; i < 8; i++)
    {
        twListener* other = create(defs[i]);
        ENSURE(bytes && other && refuses(other, bytes + 1, size));
        tw_listener_destroy(other);
    }
    // where it began does not matter: it is where the saved one is
    twListenerDef def = rich_def();
    def.position = tw_vec3(1, 2, 3);
    twListener* same = create(def);
    ENSURE(tw_listener_load(same, bytes + 1, size));
    tw_listener_destroy(same);
    tw_listener_destroy(of);
    free(bytes);
    return 0;
}

static int radiators_take_only_their_own(void)
{
    twRadiator *a = make_radiator(tw_section_circle(2e-3), false), *b = make_radiator(tw_section_circle(2e-3), false);
    twRadiator *thick = make_radiator(tw_section_circle(3e-3), false),
               *ring = make_radiator(tw_section_circle(2e-3), true);
    const size_t size = tw_radiator_state_bytes(a);
    char *bytes = malloc(size), *copy = malloc(size);
    ENSURE(a && b && thick && ring && bytes && copy);
    const twRadiatorMotion m = motion_at(0, 100);
    const twSources of = tw_radiator_update(a, &m);
    tw_radiator_save(a, bytes);
    ENSURE(!tw_radiator_load(thick, bytes, size) && !tw_radiator_load(ring, bytes, size));
    ENSURE(!tw_radiator_load(b, bytes, size - 1) && !tw_radiator_load(b, bytes, 3));
    for (size_t i = 0; i < size; i++)
    {
        bytes[i] ^= 1;
        ENSURE(!tw_radiator_load(b, bytes, size));
        bytes[i] ^= 1;
    }
    // nothing has changed: b has never moved
    tw_radiator_save(b, copy);
    ENSURE(memcmp(bytes, copy, size) != 0);
    ENSURE(tw_radiator_load(b, bytes, size));
    tw_radiator_save(b, copy);
    ENSURE(memcmp(bytes, copy, size) == 0 && fabs(of.dipole[0][5]) > 0);
    twListener* l = create(rich_def());
    ENSURE(refuses(l, bytes, size));
    tw_listener_destroy(l);
    free(bytes), free(copy);
    tw_radiator_destroy(a), tw_radiator_destroy(b), tw_radiator_destroy(thick), tw_radiator_destroy(ring);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(what_is_loaded_goes_on_to_the_bit)
    RUN(a_step_can_be_cut_in_the_middle)
    RUN(counts_go_on)
    RUN(damaged_listeners_are_refused)
    RUN(states_of_other_listeners_are_refused)
    RUN(radiators_take_only_their_own)
)
