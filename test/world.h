// SPDX-License-Identifier: MIT
#pragma once
#include "collide.h"
#include "twang/dynamics.h"

/// @file
/// Worlds put together piece by piece: shapes, flexible beams in closed form, bodies, joints. Exits if a piece is wrong; whether the
/// world itself is, is for the test to say. For tests and measurements.

enum
{
    STAGE_BODIES = 256,
    STAGE_SHAPES = 16,
    STAGE_JOINTS = 16,
    STAGE_MATERIALS = 8,
    STAGE_PAIRS = 8,
    STAGE_PUSHES = 8,
    STAGE_RODS = 64,
    STAGE_TIES = 16,
};

typedef struct Stage
{
    twWorldDef def;  ///< counts and pointers are set by stage_start()
    twBodyDef bodies[STAGE_BODIES];
    twJointDef joints[STAGE_JOINTS];
    twContactMaterial materials[STAGE_MATERIALS];
    twContactPair pairs[STAGE_PAIRS];
    twPushDef pushes[STAGE_PUSHES];
    twWorldRodDef rods[STAGE_RODS];
    twTieDef ties[STAGE_TIES];
    twVec3* rod_points[STAGE_RODS];
    twVec3* rod_velocities[STAGE_RODS];
    twSection rod_sections[STAGE_RODS];
    twBodyShape* shapes[STAGE_SHAPES];
    twModeSet* sets[STAGE_SHAPES];
    int shape_count;
    twWorld* world;
    twError err;
} Stage;

static inline void must(bool fine, const twError* err)
{
    if (fine) return;
    printf("%s\n", err->text);
    abort();
}

/// No bodies yet; material 0 is steel.
static inline Stage* stage(void)
{
    Stage* s = calloc(1, sizeof *s);
    if (!s) abort();
    s->def = tw_world_def();
    s->materials[0] = tw_contact_material(tw_material_find("steel"));
    s->def.material_count = 1;
    return s;
}

static inline void stage_free(Stage* s)
{
    tw_world_destroy(s->world);
    for (int i = 0; i < s->shape_count; i++) tw_body_shape_destroy(s->shapes[i]);
    for (int i = 0; i < STAGE_SHAPES; i++) tw_mode_set_destroy(s->sets[i]);
    for (int i = 0; i < STAGE_RODS; i++) free(s->rod_points[i]), free(s->rod_velocities[i]);
    free(s);
}

/// Make the world of what is there. @return whether it could be made; why not is in err
static inline bool stage_start(Stage* s)
{
    s->def.bodies = s->bodies;
    s->def.joints = s->joints;
    s->def.materials = s->materials;
    s->def.pairs = s->pairs;
    s->def.pushes = s->pushes;
    s->def.rods = s->rods;
    s->def.ties = s->ties;
    tw_world_destroy(s->world);
    return tw_world_create(&s->world, &s->def, &s->err) == TW_OK;
}

// ---- shapes ----

static inline const twBodyShape* stage_shape_of(Stage* s, const twBodyShapeDef* def)
{
    if (s->shape_count == STAGE_SHAPES) abort();
    must(tw_body_shape_create(&s->shapes[s->shape_count], def, &s->err) == TW_OK, &s->err);
    return s->shapes[s->shape_count++];
}

/// A rigid box about the origin.
static inline const twBodyShape* stage_box(Stage* s, double x, double y, double z, double density)
{
    twMesh* mesh = block_mesh(tw_vec3(x, y, z), 1, 1, 1);
    twBodyShapeDef def = tw_body_shape_def();
    def.mesh = mesh;
    def.density = density;
    def.contact_radius = 0.01;
    const twBodyShape* shape = stage_shape_of(s, &def);
    tw_mesh_destroy(mesh);
    return shape;
}

/// A rigid body of a procedural shape; ball: its radius, if it is to be an exact one.
static inline const twBodyShape* stage_text(Stage* s, const char* text, double edge, double density, double ball)
{
    twShape* shape = NULL;
    twMesh* mesh = NULL;
    must(tw_shape_parse(&shape, text, &s->err) == TW_OK && tw_shape_surface(&mesh, shape, edge, &s->err) == TW_OK,
         &s->err);
    twBodyShapeDef def = tw_body_shape_def();
    def.mesh = mesh;
    def.density = density;
    def.ball_radius = ball;
    const twBodyShape* made = stage_shape_of(s, &def);
    tw_mesh_destroy(mesh);
    tw_shape_destroy(shape);
    return made;
}

static inline const twBodyShape* stage_ball(Stage* s, double radius, double density)
{
    char text[64];
    snprintf(text, sizeof text, "sphere:%g", radius);
    return stage_text(s, text, radius, density, radius);
}

// ---- beams ----

/// A box that bends along z as Euler and Bernoulli say, along x about the origin. Clamped: its -x end is.
typedef struct Beam
{
    twVec3 size;
    double density, young;
    int cells, modes;  ///< along it
    bool clamped;
    bool both;     ///< bends along y too: modes come in pairs, and it is as broad as high
    double decay;  ///< of all modes [1/s]
} Beam;

/// b of mode k: cosh b cos b = -1 if clamped at one end, 1 if free
static inline double beam_root(bool clamped, int k)
{
    const double sign = clamped ? -1 : 1;
    double b = clamped ? (k + 0.5) * TW_PI : (k + 1.5) * TW_PI;
    // cos b = sign/cosh b
    for (int i = 0; i < 50; i++) b -= (cos(b) - sign / cosh(b)) / (-sin(b) + sign * sinh(b) / (cosh(b) * cosh(b)));
    return b;
}

/// Shape and slope of mode k at x from 0 to 1, of mean square 1
static inline double beam_shape(bool clamped, int k, double x, double* slope)
{
    const double b = beam_root(clamped, k), sign = clamped ? -1 : 1, y = b * x;
    const double s = (cosh(b) - sign * cos(b)) / (sinh(b) - sign * sin(b));
    if (clamped)
        *slope = b * (sinh(y) + sin(y) - s * (cosh(y) - cos(y)));
    else
        *slope = b * (sinh(y) - sin(y) - s * (cosh(y) + cos(y)));
    return cosh(y) + sign * cos(y) - s * (sinh(y) + sign * sin(y));
}

static inline double beam_mass(const Beam* beam) { return beam->density * beam->size.x * beam->size.y * beam->size.z; }

/// angular frequency of mode k: b^2/L^2 sqrt(EI/(density A)) [rad/s]
static inline double beam_frequency(const Beam* beam, int k)
{
    const double b = beam_root(beam->clamped, k) / beam->size.x;
    return b * b * beam->size.z * sqrt(beam->young / (12 * beam->density));
}

static inline twModeSet* beam_set(const Beam* beam)
{
    twMesh* mesh = block_mesh(beam->size, beam->cells, 2, 1);
    const size_t modes = (size_t)beam->modes, vertices = (size_t)mesh->vertex_count;
    double *freq = calloc(modes, sizeof *freq), *decay = calloc(modes, sizeof *decay);
    float* shape = calloc(3 * modes * vertices, sizeof *shape);
    if (!freq || !decay || !shape) abort();
    for (int k = 0; k < beam->modes; k++)
    {
        const int order = beam->both ? k / 2 : k, across = beam->both && k % 2 ? 1 : 2;
        freq[k] = beam_frequency(beam, order) / (2 * TW_PI);
        decay[k] = beam->decay;
        for (size_t v = 0; v < vertices; v++)
        {
            const twVec3 p = mesh->vertices[v];
            double slope, y = beam_shape(beam->clamped, order, p.x / beam->size.x + 0.5, &slope);
            float* out = shape + 3 * ((size_t)k * vertices + v);
            out[0] = (float)(-(across == 2 ? p.z : p.y) * slope / beam->size.x / sqrt(beam_mass(beam)));
            out[across] = (float)(y / sqrt(beam_mass(beam)));
        }
    }
    const twModeSet def = {.mode_count = beam->modes,
                           .vertex_count = mesh->vertex_count,
                           .face_count = mesh->face_count,
                           .rigid_modes = beam->clamped ? 0 : 6,
                           .freq_hz = freq,
                           .decay = decay,
                           .shape = shape,
                           .vertices = mesh->vertices,
                           .faces = mesh->faces,
                           .mass = tw_mesh_mass(mesh, beam->density),
                           .damping = {.kind = TW_DAMPING_MODES}};
    twModeSet* set = NULL;
    twError err = {0};
    must(tw_mode_set_create(&set, &def, &err) == TW_OK, &err);
    tw_mesh_destroy(mesh);
    free(freq);
    free(decay);
    free(shape);
    return set;
}

/// Its modes are all simulated.
static inline const twBodyShape* stage_beam(Stage* s, const Beam* beam)
{
    twBodyShapeDef def = tw_body_shape_def();
    s->sets[s->shape_count] = beam_set(beam);
    def.modes = s->sets[s->shape_count];
    def.max_freq_hz = 1e6;
    def.contact_radius = 0.01;
    return stage_shape_of(s, &def);
}

// ---- bodies ----

/// @return its index; the rest is for the caller to set in s->bodies
static inline int stage_body(Stage* s, const twBodyShape* shape, double x, double y, double z)
{
    if (s->def.body_count == STAGE_BODIES) abort();
    twBodyDef def = tw_body_def();
    def.shape = shape;
    def.motion.position = tw_vec3(x, y, z);
    s->bodies[s->def.body_count] = def;
    return s->def.body_count++;
}

/// A box that stands still, its top at z = 0. @return its index
static inline int stage_floor(Stage* s, double x, double y)
{
    const double thick = 0.05;
    const int floor = stage_body(s, stage_box(s, x, y, thick, 1000), 0, 0, -0.5 * thick);
    s->bodies[floor].kind = TW_BODY_FIXED;
    s->bodies[floor].name = "floor";
    return floor;
}

/// How materials a and b touch, from here on as the caller sets it.
static inline twContactPair* stage_pair(Stage* s, int a, int b)
{
    if (s->def.pair_count == STAGE_PAIRS) abort();
    twContactPair* pair = &s->pairs[s->def.pair_count++];
    *pair = tw_contact_pair(&s->materials[a], &s->materials[b], 0.01, 0.01);
    pair->material[0] = a;
    pair->material[1] = b;
    return pair;
}

static inline twJointDef* stage_joint(Stage* s, twJointKind kind, int a, int b, twVec3 at)
{
    if (s->def.joint_count == STAGE_JOINTS) abort();
    twJointDef* joint = &s->joints[s->def.joint_count++];
    *joint = tw_joint_def();
    joint->kind = kind;
    joint->body[0] = a;
    joint->body[1] = b;
    joint->at = joint->to = at;
    return joint;
}

/// Motion now: at the world's time.
static inline twBodyMotion stage_now(const Stage* s, int body)
{
    return tw_world_motion(s->world, body, tw_world_time(s->world), NULL, NULL);
}

/// of all bodies, modes and contacts, less what was put in
static inline double stage_energy(const Stage* s)
{
    const twWorldEnergy e = tw_world_energy(s->world);
    return e.kinetic + e.elastic + e.weight + e.contacts - e.work;
}

/// mass centre now
static inline twVec3 stage_centre(const Stage* s, int body)
{
    const twBodyMotion m = stage_now(s, body);
    return tw_vec3_add(m.position, tw_quat_rotate(m.turn, tw_body_shape_mass(s->bodies[body].shape).centre));
}

/// and its velocity
static inline twVec3 stage_velocity(const Stage* s, int body)
{
    const twBodyMotion m = stage_now(s, body);
    return tw_vec3_add(m.velocity, tw_vec3_cross(m.spin, tw_vec3_sub(stage_centre(s, body), m.position)));
}

/// angular momentum of a rigid body about its centre
static inline twVec3 stage_turning(const Stage* s, int body)
{
    const twBodyMotion m = stage_now(s, body);
    const twVec3 own = tw_quat_rotate(tw_quat_conj(m.turn), m.spin);
    return tw_quat_rotate(m.turn, tw_mat3_mul_vec(tw_body_shape_mass(s->bodies[body].shape).inertia, own));
}

/// momentum of rigid bodies
static inline twVec3 stage_momentum(const Stage* s)
{
    twVec3 sum = {0, 0, 0};
    for (int b = 0; b < s->def.body_count; b++)
        if (s->bodies[b].kind == TW_BODY_FREE)
            sum = tw_vec3_add_scaled(sum, stage_velocity(s, b), tw_body_shape_mass(s->bodies[b].shape).mass);
    return sum;
}

/// angular momentum of rigid bodies about the origin
static inline twVec3 stage_whole_turning(const Stage* s)
{
    twVec3 sum = {0, 0, 0};
    for (int b = 0; b < s->def.body_count; b++)
    {
        if (s->bodies[b].kind != TW_BODY_FREE) continue;
        const double mass = tw_body_shape_mass(s->bodies[b].shape).mass;
        sum = tw_vec3_add(sum, stage_turning(s, b));
        sum = tw_vec3_add_scaled(sum, tw_vec3_cross(stage_centre(s, b), stage_velocity(s, b)), mass);
    }
    return sum;
}

/// a hash of all motion now
static inline twHash stage_hash(const Stage* s)
{
    twHash hash = {0, 0};
    double q[2][64] = {{0}};
    for (int b = 0; b < s->def.body_count; b++)
    {
        const twBodyMotion m = tw_world_motion(s->world, b, tw_world_time(s->world), q[0], q[1]);
        hash = tw_hash(&m, sizeof m, hash);
        hash = tw_hash(q, sizeof q, hash);
    }
    return hash;
}

static inline bool same_hash(twHash a, twHash b) { return a.high == b.high && a.low == b.low; }

static inline double away(twVec3 a, twVec3 b) { return tw_vec3_norm(tw_vec3_sub(a, b)); }

/// complete elliptic integral of the first kind, by the arithmetic-geometric mean
static inline double elliptic(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 60 && fabs(a - b) > 1e-16; i++)
    {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 0.5 * TW_PI / a;
}

// ---- forces ----

enum
{
    JITTER_CONTACTS = 4096,
    JITTER_PAIRS = 512,
};

/// How much the force of each pair of bodies changes from step to step.
typedef struct Jitter
{
    struct
    {
        uint64_t id;
        int pair;
        twVec3 force;
    } contacts[JITTER_CONTACTS];
    struct
    {
        int body[2];
        twVec3 force, last;
        double square, sum;
        int64_t count;
    } pairs[JITTER_PAIRS];
    int contact_count, pair_count;
    double time;
} Jitter;

static inline int jitter_pair(Jitter* j, const twContactForce* f)
{
    const int low = f->body[0] < f->body[1] ? f->body[0] : f->body[1], high = f->body[0] + f->body[1] - low;
    for (int i = 0; i < j->pair_count; i++)
        if (j->pairs[i].body[0] == low && j->pairs[i].body[1] == high) return i;
    if (j->pair_count == JITTER_PAIRS) abort();
    j->pairs[j->pair_count].body[0] = low;
    j->pairs[j->pair_count].body[1] = high;
    return j->pair_count++;
}

static inline void jitter_step(Jitter* j)
{
    for (int i = 0; i < j->pair_count; i++)
    {
        if (j->pairs[i].count++ > 0) j->pairs[i].square += pow(away(j->pairs[i].force, j->pairs[i].last), 2);
        j->pairs[i].sum += tw_vec3_norm(j->pairs[i].force);
        j->pairs[i].last = j->pairs[i].force;
    }
}

/// Take in what the world has to say since the last time.
static inline void jitter_take(Jitter* j, twWorld* world)
{
    int count;
    const twContactForce* forces = tw_world_forces(world, &count);
    for (int k = 0; k < count; k++)
    {
        const twContactForce* f = forces + k;
        if (f->time > j->time) jitter_step(j);
        j->time = f->time;
        int c = 0;
        while (c < j->contact_count && j->contacts[c].id != f->id) c++;
        if (c == JITTER_CONTACTS) abort();
        if (c == j->contact_count)
        {
            j->contacts[c].id = f->id;
            j->contacts[c].pair = jitter_pair(j, f);
            j->contacts[c].force = tw_vec3(0, 0, 0);
            j->contact_count++;
        }
        const int p = j->contacts[c].pair;
        const twVec3 now = tw_vec3_scale(f->force, f->body[0] < f->body[1] ? 1 : -1);
        j->pairs[p].force = tw_vec3_add(j->pairs[p].force, tw_vec3_sub(now, j->contacts[c].force));
        j->contacts[c].force = now;
    }
}

/// From here on.
static inline void jitter_begin(Jitter* j)
{
    for (int i = 0; i < j->pair_count; i++)
    {
        j->pairs[i].square = j->pairs[i].sum = 0;
        j->pairs[i].count = 0;
    }
}

/// The largest RMS change of a pair's force, of its mean; only steps in which some force changed count.
static inline double jitter_worst(const Jitter* j)
{
    double worst = 0;
    for (int i = 0; i < j->pair_count; i++)
    {
        if (j->pairs[i].count < 2 || !(j->pairs[i].sum > 0)) continue;
        const double n = (double)j->pairs[i].count;
        worst = fmax(worst, sqrt(j->pairs[i].square / (n - 1)) / (j->pairs[i].sum / n));
    }
    return worst;
}

// ---- rods ----

/// A rod of steel through points, at rest; change what it says before the start. @return its number
static inline int stage_rod(Stage* s, const twVec3* points, int count, twSectionDef section)
{
    const int i = s->def.rod_count++;
    if (i >= STAGE_RODS) abort();
    must(tw_section_compute(&s->rod_sections[i], &section, &s->err) == TW_OK, &s->err);
    s->rod_points[i] = malloc((size_t)count * sizeof(twVec3));
    s->rod_velocities[i] = calloc((size_t)count, sizeof(twVec3));
    if (!s->rod_points[i] || !s->rod_velocities[i]) abort();
    memcpy(s->rod_points[i], points, (size_t)count * sizeof(twVec3));
    s->rods[i] = tw_world_rod_def();
    twRodDef* def = &s->rods[i].rod;
    def->point_count = count;
    def->points = s->rod_points[i];
    def->velocities = s->rod_velocities[i];
    def->section_count = 1;
    def->sections = &s->rod_sections[i];
    return i;
}

/// Straight from a to b.
static inline int stage_line(Stage* s, twVec3 a, twVec3 b, int count, twSectionDef section)
{
    twVec3* points = malloc((size_t)count * sizeof *points);
    if (!points) abort();
    for (int i = 0; i < count; i++) points[i] = tw_vec3_add_scaled(a, tw_vec3_sub(b, a), (double)i / (count - 1));
    const int rod = stage_rod(s, points, count, section);
    free(points);
    return rod;
}

/// All points of a rod begin with this velocity.
static inline void stage_throw(Stage* s, int rod, twVec3 velocity)
{
    for (int i = 0; i < s->rods[rod].rod.point_count; i++) s->rod_velocities[rod][i] = velocity;
}

// ---- what is wrong ----

/// Frees it. @return whether no world can be made of it, which is said in these words; also may be NULL
static inline bool stage_is_wrong(Stage* s, const char* what, const char* also)
{
    const bool made = stage_start(s);
    const bool fine = !made && !s->world && strstr(s->err.text, what) && (!also || strstr(s->err.text, also));
    if (!fine) printf("made %d, said '%s', expected '%s' and '%s'\n", made, s->err.text, what, also ? also : "");
    stage_free(s);
    return fine;
}

// ---- saved worlds ----

/// The world as bytes, which are to be freed.
static inline void* stage_save(Stage* s, size_t* count)
{
    void* bytes = NULL;
    must(tw_world_save(s->world, &bytes, count, &s->err) == TW_OK, &s->err);
    return bytes;
}

/// Load bytes of a world with bits changed and ends cut off, so many times. @return whether all are refused
static inline bool stage_refuses(Stage* s, void* bytes, size_t count, int times)
{
    twRng rng = tw_rng(3);
    bool refused = true;
    for (int i = 0; i < times; i++)
    {
        unsigned char* at = (unsigned char*)bytes + tw_rng_next(&rng) % count;
        const unsigned char was = *at;
        *at = (unsigned char)(was ^ (1 << tw_rng_next(&rng) % 8));
        refused = refused && tw_world_load(s->world, bytes, count, &s->err) == TW_BAD_INPUT;
        *at = was;
        refused = refused && tw_world_load(s->world, bytes, tw_rng_next(&rng) % count, &s->err) == TW_BAD_INPUT;
    }
    return refused;
}

/// Load bytes that are no world, though their hash is right: behind magic and identity one word of the first most bytes is another.
/// times: how often this was done, which says what it becomes
static inline twStatus stage_forge(Stage* s, const void* bytes, size_t count, size_t most, int times, twRng* rng)
{
    static const double values[] = {NAN, HUGE_VAL, -1e300, 1e-300, 1e300, -1};
    char* forged = malloc(count);
    if (!forged) abort();
    memcpy(forged, bytes, count);
    memcpy(forged + 24 + tw_rng_next(rng) % (most - 24) / 8 * 8, &values[times % 6], sizeof(double));
    const twHash hash = tw_hash(forged, count - sizeof hash, (twHash){0, 0});
    memcpy(forged + count - sizeof hash, &hash, sizeof hash);
    const twStatus status = tw_world_load(s->world, forged, count, &s->err);
    free(forged);
    return status;
}
