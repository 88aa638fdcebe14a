// SPDX-License-Identifier: MIT
// Rods in a scene.

#include "reader.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STRIKES 100000
#define DEFAULT_FRAMES 60
#define COMPACT_KA 0.3      // up to this k a a dipole is compact: 0.3 dB
#define COMPACT_HZ 10000.0  // where that is asked
#define MAX_NUMBER 1e9      // beyond this squares and their differences say nothing any more

static twRange any(const char* unit) { return yaml_between(-MAX_NUMBER, MAX_NUMBER, unit); }

twVec3 read_vec3(const twNode* map, const char* key, const char* unit, twVec3 fallback)
{
    int count;
    const double* v = yaml_numbers(map, key, any(unit), 3, 3, &count);
    return v && count == 3 ? tw_vec3(v[0], v[1], v[2]) : fallback;
}

void read_line(Reader* reader, const twNode* map, twSignal along[3])
{
    static const char* const names[] = {"x", "y", "z"};
    yaml_keys(map, "x", "y", "z");
    for (int k = 0; k < 3; k++)
    {
        along[k] = read_signal(reader, map, names[k], yaml_any("m"), 0);
        if (along[k].kind == TW_SIGNAL_NOISE)
            yaml_fail(yaml_get(map, names[k]), "noise jumps from sample to sample: nothing can move like that");
    }
}

// ---- material ----

// Thickness of the rectangle that bends as easily, the thinner way: sqrt(12 I/A), of a circle 0.87 of its diameter. Mean over the sections.
static double bending_thickness(const twRodDef* def)
{
    double sum = 0;
    for (int i = 0; i < def->section_count; i++)
        sum += sqrt(12 * fmin(def->sections[i].moment[0], def->sections[i].moment[1]) / def->sections[i].area);
    return sum / def->section_count;
}

static void read_matter(Reader* reader, const twNode* node, twSceneRod* rod)
{
    const twMaterial* material = read_material(reader, node);
    if (!material) return;
    twRodDef* def = &rod->def;
    rod->material = read_copy(reader, material->name);
    def->young = yaml_number(node, "young", yaml_positive("Pa"), material->young);
    def->poisson = read_poisson(node, material->poisson);
    def->density = yaml_number(node, "density", yaml_positive("kg/m^3"), material->density);
    const bool own = read_has_damping(node);
    if (!own && read_material_damping(reader, material).kind == TW_DAMPING_CURVE)
        yaml_fail(yaml_get(node, "material"),
                  "a rod cannot follow the 'damping_curve' of '%s'; give it a 'loss_factor', or 'alpha' and 'beta'",
                  material->name);
    // a loss factor is all there is unless more is given; beta alone is Rayleigh's
    const bool lossy = yaml_has(node, "loss_factor");
    def->alpha = yaml_number(node, "alpha", yaml_not_negative("1/s"), lossy ? 0 : material->alpha);
    def->beta = yaml_number(node, "beta", yaml_not_negative("s"), lossy ? 0 : material->beta);
    def->loss_factor = yaml_number(node, "loss_factor", (twRange){.low = 0, .high = 1, .below_high = true},
                                   yaml_has(node, "beta") ? 0 : material->loss_factor);
    twMaterial matter = *material;
    matter.young = def->young, matter.density = def->density;
    if (def->loss_factor > 0) def->heat = tw_material_thermoelastic(&matter, bending_thickness(def));
}

// ---- supports and strikes ----

int read_rod_point(const twNode* map, const char* key, const twRodDef* rod)
{
    const twNode* node = yaml_get(map, key);
    const int n = rod->point_count;
    if (!node) yaml_fail(map, "'%s' is missing: 'start', 'end' or a part of the length from 0 to 1", key);
    if (node && node->kind == TW_NODE_SCALAR && strcmp(node->text, "start") == 0) return 0;
    if (node && node->kind == TW_NODE_SCALAR && strcmp(node->text, "end") == 0) return n - 1;
    const double part = node ? yaml_as_number(node, yaml_between(0, 1, NULL)) : 0;
    return rod->closed ? (int)lround(part * n) % n : (int)lround(part * (n - 1));
}

static void read_move(Reader* reader, const twNode* node, twSceneRod* rod, int support)
{
    const twNode* map = yaml_map(node, "move");
    if (!map) return;
    twSceneMove* move = &rod->moves[rod->move_count++];
    move->support = support;
    read_line(reader, map, move->along);
}

// whether a support holds a point: its own, or for a clamp inside the rod also the neighbours
static bool holds(const twRodDef* def, const twRodSupport* s, int point)
{
    const int n = def->point_count, apart = abs(point - s->point);
    const bool end = !def->closed && (s->point == 0 || s->point == n - 1);
    return apart == 0 || (s->kind == TW_ROD_CLAMPED && !end && (apart == 1 || (def->closed && apart == n - 1)));
}

static void check_support(const twNode* item, const twRodDef* def, const twRodSupport* s)
{
    for (const twRodSupport* other = def->supports; other < s; other++)
        if (holds(def, other, s->point) || holds(def, s, other->point))
            yaml_fail(
                yaml_get(item, "at"),
                "point %d of %d is held already, by item %d of 'supports'; keep one of them, move it, or give the "
                "rod more 'points'",
                s->point + 1, def->point_count, (int)(other - def->supports) + 1);
}

static void read_supports(Reader* reader, const twNode* node, twSceneRod* rod)
{
    static const char* const holds[] = {"pinned", "clamped", "spring", NULL};
    const twNode* list = yaml_list(node, "supports");
    const size_t count = list ? (size_t)list->count : 0;
    twRodSupport* supports = read_alloc(reader, count, sizeof *supports);
    rod->moves = read_alloc(reader, count, sizeof *rod->moves);
    rod->def.supports = supports;
    YAML_EACH(item, list)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory || !yaml_as_map(item)) return;
        yaml_keys(item, "at", "hold", "stiffness", "damping", "move");
        twRodSupport* s = &supports[rod->def.support_count];
        s->kind = (twRodHold)yaml_need_choice(item, "hold", holds);
        s->point = read_rod_point(item, "at", &rod->def);
        check_support(item, &rod->def, s);
        const bool spring = s->kind == TW_ROD_SPRING;
        if (spring)
        {
            const double k = yaml_need_number(item, "stiffness", yaml_not_negative("N/m"));
            s->stiffness = tw_vec3(k, k, k);
            s->damping = yaml_number(item, "damping", yaml_not_negative("N s/m"), 0);
        }
        else if (yaml_has(item, "stiffness") || yaml_has(item, "damping"))
            yaml_fail(item, "only 'hold: spring' has a stiffness and a damping");
        read_move(reader, item, rod, rod->def.support_count++);
    }
}

static int strike_hits(const Reader* reader, const twNode* item)
{
    const double every = yaml_number(item, "every", yaml_positive("s"), 0),
                 start = yaml_number(item, "time", yaml_not_negative("s"), 0);
    if (every <= 0) return 1;
    const double hits = floor((reader->scene->duration - start) / every) + 1;
    if (hits > MAX_STRIKES)
        yaml_fail(yaml_get(item, "every"), "that makes %.0f strikes; %d are the most", hits, MAX_STRIKES);
    return hits >= 1 && hits <= MAX_STRIKES ? (int)hits : 1;
}

static void read_blows(Reader* reader, const twNode* node, twRodDef* def)
{
    const twNode* list = yaml_list(node, "strikes");
    int total = 0;
    YAML_EACH(item, list)
    {
        if (!yaml_as_map(item)) return;
        total += strike_hits(reader, item);
    }
    twRodPulse* pulses = read_alloc(reader, (size_t)total, sizeof *pulses);
    def->pulses = pulses;
    YAML_EACH(item, list)
    {
        if (!yaml_ok(reader->doc) || reader->no_memory) return;
        yaml_keys(item, "at", "force", "time", "duration", "every");
        twRodPulse pulse = {.point = read_rod_point(item, "at", def)};
        pulse.force = read_vec3(item, "force", "N", tw_vec3(0, 0, 0));
        if (!yaml_has(item, "force")) yaml_fail(item, "a strike needs a 'force': [x, y, z] at its peak, in N");
        pulse.start = yaml_number(item, "time", yaml_not_negative("s"), 0);
        pulse.duration = yaml_number(item, "duration", yaml_positive("s"), 1e-3);
        const double every = yaml_number(item, "every", yaml_positive("s"), 0);
        for (int i = strike_hits(reader, item); i > 0; i--, pulse.start += every) pulses[def->pulse_count++] = pulse;
    }
}

// ---- sound ----

// Radius of the round rod that moves as much air, along the axis of its section that moves more: D = 2 pi a^2. Mean over the sections.
static double air_radius(const twRodDef* def)
{
    double sum = 0;
    for (int i = 0; i < def->section_count; i++)
    {
        const twSection* s = &def->sections[i];
        const double half = 0.5 * (s->dipole[0] - s->dipole[1]), more = hypot(half, s->dipole[2]);
        const double most = 0.5 * (s->dipole[0] + s->dipole[1]) + more;
        sum += s->radius > 0 ? s->radius : sqrt(most / (2 * TW_PI));
    }
    return sum / def->section_count;
}

static void read_radiation(const twNode* root, const twNode* node, twSceneRod* rod)
{
    const twNode* around = yaml_map(root, "air");
    const twListenerDef usual = tw_listener_def();
    twRodDef* def = &rod->def;
    def->air_radius = air_radius(def);
    def->air_density = yaml_number(around, "density", yaml_positive("kg/m^3"), usual.air_density);
    def->air_speed = yaml_number(around, "sound_speed", yaml_between(10, 1e4, "m/s"), usual.sound_speed);
    const twNode* sound = yaml_map(node, "radiation");
    if (sound) yaml_keys(sound, "exact_cylinder", "uniform_dipole", "ends", "sides");
    rod->uniform = yaml_bool(sound, "uniform_dipole", false);
    rod->silent_ends = !yaml_bool(sound, "ends", true);
    rod->stiff_sides = !yaml_bool(sound, "sides", true);
    const double ka = 2 * TW_PI * COMPACT_HZ * def->air_radius / def->air_speed;
    const double fattest = TW_FATTEST_CYLINDER * def->air_speed / def->rate_hz;
    if (yaml_bool(sound, "exact_cylinder", ka > COMPACT_KA)) rod->cylinder = fmin(def->air_radius, fattest);
}

// ---- the whole ----

static void read_scheme(const twNode* node, twSceneRod* rod)
{
    static const char* const integrators[] = {"gauss", "trapezoid", NULL};
    static const char* const masses[] = {"consistent", "lumped", NULL};
    rod->def.integrator = (twRodIntegrator)yaml_choice(node, "integrator", integrators, TW_ROD_GAUSS4);
    rod->def.mass = (twRodMass)yaml_choice(node, "mass", masses, TW_ROD_CONSISTENT);
    rod->def.shear = yaml_bool(node, "shear", false);
    rod->def.account = true;
}

// what the rod itself finds wrong is told at its name
static void try_rod(const twNode* node, const twRodDef* def)
{
    twRod* rod;
    twError err;
    if (tw_rod_create(&rod, def, &err) != TW_OK) yaml_fail_key(node, "%s", err.text);
    tw_rod_destroy(rod);
}

static void read_rod(Reader* reader, const twNode* root, const twNode* node, twVec3 gravity, twSceneRod* rod)
{
    rod->name = read_copy(reader, node->key);
    rod->where = read_where(reader, node);
    if (strlen(node->key) >= TW_TRACE_NAME)
        yaml_fail_key(node, "a rod's name has at most %d characters", TW_TRACE_NAME - 1);
    rod->def = tw_rod_def();
    if (!yaml_as_map(node)) return;
    yaml_keys(node, READ_PATHS, "axis", "at", "closed", "points", "rest", "section", "direction", "material", "young",
              "poisson", "density", "alpha", "beta", "loss_factor", "stretch", "velocity", "supports", "strikes",
              "integrator", "mass", "shear", "radiation", "turn", "spin", "copies", "collide", "self", "calm",
              "friction", "restitution", "ties");
    if (yaml_ok(reader->doc)) read_rod_shape(reader, node, &rod->def);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_sections(reader, node, rod);
    if (yaml_ok(reader->doc)) read_matter(reader, node, rod);
    if (yaml_ok(reader->doc)) rod->def.stretch = yaml_number(node, "stretch", yaml_positive(NULL), 1);
    if (yaml_ok(reader->doc)) read_supports(reader, node, rod);
    if (yaml_ok(reader->doc)) read_blows(reader, node, &rod->def);
    if (yaml_ok(reader->doc)) read_scheme(node, rod);
    if (yaml_ok(reader->doc) && !reader->no_memory) read_rod_touch(reader, root, node, rod);
    rod->def.gravity = gravity;
    rod->def.rate_hz = reader->scene->rate_hz * reader->scene->oversample;
    if (yaml_ok(reader->doc) && !reader->no_memory) read_radiation(root, node, rod);
    if (yaml_ok(reader->doc) && !reader->no_memory) try_rod(node, &rod->def);
}

void read_rods(Reader* reader, const twNode* root)
{
    const twNode* map = yaml_map(root, "rods");
    twScene* scene = reader->scene;
    const twVec3 gravity = read_vec3(root, "gravity", "m/s^2", tw_vec3(0, 0, scene->rods_touch ? -READ_GRAVITY : 0));
    scene->frame_rate_hz = yaml_number(
        root, "frames", (twRange){.low = 0, .high = fmin(10000, scene->rate_hz * scene->oversample), .unit = "Hz"},
        map || scene->body_count > 0 ? DEFAULT_FRAMES : 0);
    if (map && map->count == 0) yaml_fail(map, "'rods' is empty; name at least one");
    const size_t total = (size_t)read_rod_total(reader, map);
    scene->rods = read_alloc(reader, total, sizeof(twSceneRod));
    reader->rod_nodes = read_alloc(reader, total, sizeof(twNode*));
    YAML_EACH(node, map)
    {
        twSceneRod rod = {0};
        if (!yaml_ok(reader->doc) || reader->no_memory) return;
        read_rod(reader, root, node, gravity, &rod);
        if (yaml_ok(reader->doc) && !reader->no_memory) read_rod_places(reader, node, &rod);
    }
}
