// SPDX-License-Identifier: MIT
// Worlds with rods: saved, loaded and refused.
#include "test.h"
#include "world.h"

#define RATE 44100.0

enum
{
    RING = 16,
    WIRE = 7,
    TIMES = 1940 + 8 * TW_ITERATION_BINS
};

// A ring falls on the floor and a wire on the ring, a ball on the wire; a bob swings on a rod and is about to hit the ring.
static Stage* scene(void)
{
    Stage* s = stage();
    s->materials[0].restitution = 0.2;
    s->def.gravity = tw_vec3(0, 0, -100);  // so that it does not take long
    stage_floor(s, 1, 1);
    const int ball = stage_body(s, stage_ball(s, 0.01, 7800), 0.021, 0, 0.0171);
    s->bodies[ball].motion.velocity = tw_vec3(0, 0, -2);
    const int bob = stage_body(s, stage_box(s, 0.02, 0.02, 0.02, 2000), 0.09, 0, 0.02);
    s->bodies[bob].motion.velocity = tw_vec3(-2, 0, 0);

    twVec3 points[RING];
    for (int i = 0; i < RING; i++)
        points[i] = tw_vec3(0.04 * cos(2 * TW_PI * i / RING), 0.04 * sin(2 * TW_PI * i / RING), 0.0011);
    const int ring = stage_rod(s, points, RING, tw_section_circle(0.001));
    s->rods[ring].rod.closed = true;
    s->rods[ring].name = "ring";
    stage_throw(s, ring, tw_vec3(0, 0, -1));

    const int wire = stage_line(s, tw_vec3(-0.03, 0.001, 0.0042), tw_vec3(0.05, 0.001, 0.0042), WIRE,
                                tw_section_rectangle(0.003, 0.002));
    s->rods[wire].name = "wire";
    stage_throw(s, wire, tw_vec3(0, 0.5, -1.5));

    static const twRodSupport pin = {.kind = TW_ROD_PINNED, .point = WIRE - 1};
    const int line = stage_line(s, tw_vec3(0.09, 0, 0.031), tw_vec3(0.09, 0, 0.1), WIRE, tw_section_circle(0.0005));
    s->rods[line].rod.support_count = 1;
    s->rods[line].rod.supports = &pin;
    s->rods[line].calm_speed = 1e-3;
    s->ties[s->def.tie_count++] = (twTieDef){.rod = line, .point = 0, .body = bob, .clamped = true};
    return s;
}

// all that can be seen: rods, bodies, forces, energies, what was counted
static twHash seen(Stage* s)
{
    twHash hash = stage_hash(s);
    for (int r = 0; r < s->def.rod_count; r++)
    {
        const twRodView v = tw_rod_view(tw_world_rod(s->world, r));
        const size_t points = (size_t)v.point_count * sizeof(double), edges = (size_t)v.edge_count * sizeof(double);
        for (int c = 0; c < 3; c++)
        {
            hash = tw_hash(v.position[c], points, hash);
            hash = tw_hash(v.velocity[c], points, hash);
            hash = tw_hash(v.acceleration[c], points, hash);
            hash = tw_hash(v.jerk[c], points, hash);
            hash = tw_hash(v.frame_d1[c], edges, hash);
        }
        hash = tw_hash(v.spin, edges, hash);
    }
    int count;
    const twContactForce* forces = tw_world_forces(s->world, &count);
    for (int i = 0; i < count; i++)
    {
        const twContactForce* f = forces + i;
        const double numbers[] = {f->time,     f->point.x, f->point.y, f->point.z, f->normal.x, f->normal.y,
                                  f->normal.z, f->force.x, f->force.y, f->force.z, f->body[0],  f->body[1]};
        hash = tw_hash(&f->id, sizeof f->id, hash);
        hash = tw_hash(numbers, sizeof numbers, hash);
    }
    const twWorldEnergy e = tw_world_energy(s->world);
    hash = tw_hash(&e, sizeof e, hash);
    twWorldStats stats = tw_world_stats(s->world);
    stats.collide_seconds = stats.solve_seconds = stats.other_seconds = stats.rod_seconds = 0;
    const int64_t counts[] = {stats.steps,     stats.failures,     stats.contacts,         stats.iterations,
                              stats.rod_steps, stats.rod_contacts, stats.rod_contacts_max, stats.refined};
    return tw_hash(counts, sizeof counts, hash);
}

static int64_t steps_of(const Stage* s) { return llround(tw_world_time(s->world) * RATE); }

static void steps(Stage* s, int count)
{
    const int64_t to = steps_of(s) + count;
    while (steps_of(s) < to) tw_world_advance(s->world, ((double)steps_of(s) + 0.5) / RATE);
}

// the scene after so many steps
static Stage* played(int count)
{
    Stage* s = scene();
    must(stage_start(s), &s->err);
    steps(s, count);
    return s;
}

// whether some contact of rods was closed in the last step
static bool is_closed(Stage* s)
{
    const int64_t before = tw_world_stats(s->world).rod_contacts;
    steps(s, 1);
    return tw_world_stats(s->world).rod_contacts > before;
}

static int a_loaded_world_goes_on_to_the_bit_as_the_one_that_was_saved(void)
{
    Stage *s = scene(), *other = scene();
    must(stage_start(s), &s->err);
    int closed = 0;
    for (int k = 0; k < 3; k++)
    {
        steps(s, 7 + 90 * k);
        // some in the middle of a blow
        bool now = false;
        for (int i = 0; k > 0 && i < 600 && !now; i++) now = is_closed(s);
        closed += now;
        size_t count;
        void* bytes = stage_save(s, &count);
        must(stage_start(other), &other->err);
        ENSURE(tw_world_load(other->world, bytes, count, &other->err) == TW_OK);
        for (int i = 0; i < 300; i++)
        {
            steps(s, 1);
            steps(other, 1);
            const twHash a = seen(s), b = seen(other);
            if (!same_hash(a, b)) printf("save %d, step %d\n", k, i);
            ENSURE(same_hash(a, b));
        }
        // what is saved later is the same too
        size_t later_count[2];
        void* later[] = {stage_save(s, &later_count[0]), stage_save(other, &later_count[1])};
        // but for how long it took and how steps are numbered, at the beginning, and the hash
        ENSURE(later_count[0] == later_count[1] && later_count[0] > TIMES + sizeof(twHash));
        ENSURE(memcmp((char*)later[0] + TIMES, (char*)later[1] + TIMES, later_count[0] - TIMES - sizeof(twHash)) == 0);
        for (int i = 0; i < 2; i++) free(later[i]);
        free(bytes);
    }
    ENSURE(closed >= 2);
    ENSURE(tw_world_stats(s->world).rod_contacts > 1000);
    stage_free(s);
    stage_free(other);
    return 0;
}

static int a_world_that_went_on_can_be_taken_back(void)
{
    Stage* s = played(150);
    size_t count;
    void* bytes = stage_save(s, &count);
    steps(s, 100);
    const twHash first = seen(s);
    steps(s, 300);
    ENSURE(tw_world_load(s->world, bytes, count, &s->err) == TW_OK);
    steps(s, 100);
    ENSURE(same_hash(first, seen(s)));
    free(bytes);
    stage_free(s);
    return 0;
}

static int damaged_bytes_are_refused_and_change_nothing(void)
{
    Stage* s = played(200);
    size_t count;
    void* bytes = stage_save(s, &count);
    const twHash before = seen(s);
    ENSURE(stage_refuses(s, bytes, count, 100));
    ENSURE(same_hash(before, seen(s)));
    ENSURE(tw_world_load(s->world, bytes, count, &s->err) == TW_OK);
    ENSURE(same_hash(before, seen(s)));
    free(bytes);
    stage_free(s);
    return 0;
}

// bytes that are no world, though their hash is right: refused as bad input, or it goes on and ends
static int forged_bytes_are_refused_or_the_world_goes_on(void)
{
    Stage* s = played(200);
    size_t count;
    void* bytes = stage_save(s, &count);
    twRng rng = tw_rng(5);
    int refused = 0;
    for (int i = 0; i < 120; i++)
    {
        const twStatus status = stage_forge(s, bytes, count, count - sizeof(twHash), i, &rng);
        ENSURE(status == TW_OK || status == TW_BAD_INPUT);
        refused += status == TW_BAD_INPUT;
        if (status == TW_OK) steps(s, 3);
        for (int r = 0; r < s->def.rod_count; r++)
        {
            const twRodView v = tw_rod_view(tw_world_rod(s->world, r));
            for (int p = 0; p < v.point_count; p++) ENSURE(v.position[2][p] - v.position[2][p] == 0);
        }
        ENSURE(tw_world_load(s->world, bytes, count, &s->err) == TW_OK);
    }
    ENSURE(refused > 60);
    free(bytes);
    stage_free(s);
    return 0;
}

typedef void (*Change)(Stage* s);
static void denser(Stage* s) { s->rods[0].rod.density *= 1.01; }
static void thinner(Stage* s)
{
    const twSectionDef def = tw_section_circle(0.00099);
    must(tw_section_compute(&s->rod_sections[0], &def, &s->err) == TW_OK, &s->err);
}
static void faster(Stage* s) { s->def.rod_rate_hz = 48000; }
static void fewer(Stage* s) { s->rods[1].rod.point_count--; }
static void none(Stage* s) { s->def.rod_count = s->def.tie_count = 0; }
static void tied_elsewhere(Stage* s) { s->ties[0].point = 1; }
static void untied(Stage* s) { s->def.tie_count = 0; }
static void unclamped(Stage* s) { s->ties[0].clamped = false; }
static void ghostly(Stage* s) { s->rods[1].ghost = true; }
static void restless(Stage* s) { s->rods[2].calm_speed = 0; }

static int the_bytes_of_another_world_are_refused_and_change_nothing(void)
{
    Stage* s = played(200);
    size_t count;
    void* bytes = stage_save(s, &count);
    static const Change changes[] = {denser,         thinner, faster,    fewer,   none,
                                     tied_elsewhere, untied,  unclamped, ghostly, restless};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    {
        Stage* other = scene();
        changes[i](other);
        must(stage_start(other), &other->err);
        tw_world_advance(other->world, 1e-3);
        const twHash before = seen(other);
        const twStatus status = tw_world_load(other->world, bytes, count, &other->err);
        if (status != TW_BAD_INPUT) printf("change %zu\n", i);
        ENSURE(status == TW_BAD_INPUT);
        ENSURE(same_hash(before, seen(other)));
        stage_free(other);
    }
    free(bytes);
    stage_free(s);
    return 0;
}

// ---- input ----

static int rods_that_make_no_sense_are_refused_by_name(void)
{
    Stage* s = scene();
    s->rods[0].material = 1;
    ENSURE(stage_is_wrong(s, "'ring': material 1", NULL));
    s = scene();
    s->rods[1].material = -1;
    ENSURE(stage_is_wrong(s, "'wire': material -1", NULL));
    s = scene();
    s->rods[1].rod.young = -1;
    ENSURE(stage_is_wrong(s, "'wire'", NULL));
    s = scene();
    s->rods[1].rod.density = NAN;
    ENSURE(stage_is_wrong(s, "'wire'", NULL));
    s = scene();
    s->rods[1].rod.integrator = TW_ROD_TRAPEZOID;
    ENSURE(stage_is_wrong(s, "'wire'", NULL));
    s = scene();
    s->rods[1].calm_speed = NAN;
    ENSURE(stage_is_wrong(s, "'wire': its calm speed", NULL));
    s = scene();
    s->rod_points[1][3].y = HUGE_VAL;
    ENSURE(stage_is_wrong(s, "'wire'", NULL));
    s = scene();
    s->rod_velocities[1][3].y = NAN;
    ENSURE(stage_is_wrong(s, "'wire'", NULL));
    return 0;
}

static int settings_that_do_not_suit_rods_are_refused(void)
{
    static const double rates[] = {999, 1.1e7, NAN};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    {
        Stage* s = scene();
        s->def.rod_rate_hz = rates[i];
        ENSURE(stage_is_wrong(s, "times a second", NULL));
    }
    static const twContactMethod methods[] = {TW_CONTACT_HARD, TW_CONTACT_STAGGERED};
    for (int i = 0; i < 2; i++)
    {
        Stage* s = scene();
        s->def.method = methods[i];
        ENSURE(stage_is_wrong(s, "compliant", NULL));
    }
    return 0;
}

static int ties_to_nothing_are_refused_by_number(void)
{
    static const struct
    {
        twTieDef tie;
        const char* word;
    } bad[] = {
        {{.rod = 3, .body = 1}, "tie 1: rod 3 of 3"},
        {{.rod = -1, .body = 1}, "tie 1: rod -1 of 3"},
        {{.rod = 0, .point = RING, .body = 1}, "tie 1: point 16 of rod 'ring'"},
        {{.rod = 0, .point = -1, .body = 1}, "tie 1: point -1 of rod 'ring'"},
        {{.rod = 0, .body = 3}, "tie 1: body 3 of 3"},
        {{.rod = 0, .body = TW_NOWHERE}, "tie 1: body -1 of 3"},
        {{.rod = 0, .body = 1, .stiffness = -1}, "tie 1: its stiffness"},
        {{.rod = 0, .body = 1, .stiffness = NAN}, "tie 1: its stiffness"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    {
        Stage* s = scene();
        s->ties[s->def.tie_count++] = bad[i].tie;
        ENSURE(stage_is_wrong(s, bad[i].word, NULL));
    }
    Stage* s = scene();
    s->def.rod_count = 0;
    ENSURE(stage_is_wrong(s, "tie 0", NULL));
    return 0;
}

static int rods_that_overlap_at_the_start_are_named(void)
{
    Stage* s = scene();
    for (int i = 0; i < WIRE; i++) s->rod_points[1][i].z -= 0.002;
    ENSURE(stage_is_wrong(s, "'ring' and 'wire' overlap", NULL));
    s = scene();
    for (int i = 0; i < RING; i++) s->rod_points[0][i].z -= 0.001;
    ENSURE(stage_is_wrong(s, "'ring' and 'floor' overlap", NULL));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_loaded_world_goes_on_to_the_bit_as_the_one_that_was_saved)
    RUN(a_world_that_went_on_can_be_taken_back)
    RUN(damaged_bytes_are_refused_and_change_nothing)
    RUN(forged_bytes_are_refused_or_the_world_goes_on)
    RUN(the_bytes_of_another_world_are_refused_and_change_nothing)
    RUN(rods_that_make_no_sense_are_refused_by_name)
    RUN(settings_that_do_not_suit_rods_are_refused)
    RUN(ties_to_nothing_are_refused_by_number)
    RUN(rods_that_overlap_at_the_start_are_named)
)
