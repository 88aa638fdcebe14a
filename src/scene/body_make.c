// SPDX-License-Identifier: MIT
// What a body is made from: its modes if it has any, the surface that touches, the one that sounds.
//
// A body that nothing is said of has the modes that can be heard. It is rigid if there are none, if they cannot be found, or if they
// are so many that none is heard by itself: a volume V has about (Weyl)
//
//     N = 4 pi/3 V f^3 (1/cp^3 + 2/cs^3),   cp^2 = E (1 - nu)/(rho (1 + nu) (1 - 2 nu)),   cs^2 = E/(2 rho (1 + nu))
//
// modes up to f, by the speeds of its pressure and shear waves.
//
// A body that weighs r times what its material does is of a material r times as dense: frequencies and shapes are divided by
// sqrt(r), so that modes have mass 1 kg again, and mass and inertia are multiplied by r.

#include "bodies.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONTACT_RADIUS 0.1      // of curvature where a body touches, over its size
#define FLEXIBLE_ACCURACY 0.01  // of the lowest frequencies, unless said otherwise
#define HEARING_HZ 20000.0      // modes up to here are looked for
#define AUTOMATIC_MODES 256     // of a body that nothing is said of: more are not told apart by ear
#define AUTOMATIC_MOST 4096     // modes up to HEARING_HZ by Weyl's law: a body with more is a room, or too soft to ring
#define PATCH_VERTICES 64  // of the surface that touches, between the nodal lines of the highest mode that acts back
#define COARSEST 500       // vertices that show how a body bends
#define FINEST 10000       // vertices that it touches with without need

// ---- modes ----

static twStatus body_find_modes(BodyMade* made, const twSceneShape* shape, const twBodiesDef* def, twError* err)
{
    twBakeReport report;
    twBakeDef bake = tw_bake_def();
    bake.source = shape->source;
    bake.mesh = shape->mesh;
    bake.scale = shape->scale;
    bake.material = shape->material;
    bake.damping = shape->damping;
    bake.fibre = shape->fibre;
    bake.count = shape->mode_count;
    if (shape->mode_count == 0) bake.max_freq_hz = HEARING_HZ;
    if (shape->automatic) bake.count = AUTOMATIC_MODES;
    bake.accuracy = shape->accuracy > 0 ? shape->accuracy : FLEXIBLE_ACCURACY;
    if (shape->budget > 0) bake.budget = shape->budget;
    bake.thickness = shape->thickness;
    bake.region_count = shape->region_count;
    bake.regions = shape->regions;
    bake.with_tets = shape->cover != NULL;
    bake.hold_count = shape->hold_count;
    bake.holds = shape->holds;
    bake.cache_folder = def->cache_folder;
    bake.keep_going = def->keep_going;
    bake.context = def->context;
    const twStatus status = tw_bake(&made->fine, &bake, &report, err);
    if (status != TW_OK) return status;
    made->tets = report.elements;
    made->error = report.error_estimate;
    made->error_known = report.error_known;
    made->unknown_modes = report.unknown_modes;
    made->one_sided = report.one_sided;
    snprintf(made->note, sizeof made->note, "%s", report.note);
    // what is an option there is a key here
    char* option = strstr(made->note, "--accuracy");
    if (option) memcpy(option, "'accuracy'", strlen("--accuracy"));
    // how far the analysis of a shape went is for who asked for it
    if (shape->automatic && tw_shape_looks_like(shape->source)) made->note[0] = 0;
    return TW_OK;
}

static double body_weyl(const twMaterial* m, double volume)
{
    const double cs = sqrt(m->young / (2 * m->density * (1 + m->poisson)));
    const double cp = cs * sqrt(2 * (1 - m->poisson) / (1 - 2 * m->poisson));
    return 4 * TW_PI / 3 * volume * pow(HEARING_HZ, 3) * (pow(cp, -3) + 2 * pow(cs, -3));
}

// the surface as a rigid body has it
static twStatus body_rigid_surface(twMesh** out, const twSceneShape* shape, char* note, size_t bytes, twError* err)
{
    twSceneShape rigid = *shape;
    rigid.flexible = false;
    return tw_scene_surface(out, &rigid, note, bytes, err);
}

bool tw_scene_is_rigid(const twSceneShape* shape, char* why, size_t bytes)
{
    char note[256];
    twMesh* mesh = NULL;
    if (bytes > 0) why[0] = 0;
    if (!shape->flexible)
        snprintf(why, bytes, "%s", shape->ball_radius > 0 ? "a sphere is an exact ball" : "'flexible' is false");
    if (!shape->flexible || !shape->automatic || shape->thickness > 0) return !shape->flexible;
    if (body_rigid_surface(&mesh, shape, note, sizeof note, NULL) != TW_OK) return false;
    const double modes = body_weyl(&shape->material, tw_mesh_mass(mesh, 1).mass);
    tw_mesh_destroy(mesh);
    if (!(modes > AUTOMATIC_MOST)) return false;
    snprintf(why, bytes, "it has about %.2g modes up to 20 kHz, more than %d", modes, AUTOMATIC_MOST);
    return true;
}

// a copy of the given mass
static twStatus body_weigh(twModeSet** set, double mass, twError* err)
{
    const twModeSet* old = *set;
    const double ratio = mass / old->mass.mass, root = sqrt(ratio);
    const size_t modes = (size_t)old->mode_count, numbers = 3 * modes * (size_t)old->vertex_count;
    const size_t inner = 3 * modes * (size_t)old->inner_count, materials = (size_t)old->material_count;
    double* freq_hz = calloc(modes + 1, sizeof *freq_hz);
    float* shape = calloc(numbers + inner + 1, sizeof *shape);
    twModeMaterial* of = calloc(materials + 1, sizeof *of);
    twModeSet def = *old, *out = NULL;
    twStatus status =
        freq_hz && shape && of ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", old->mode_count);
    for (size_t i = 0; i < modes && status == TW_OK; i++) freq_hz[i] = old->freq_hz[i] / root;
    for (size_t i = 0; i < numbers && status == TW_OK; i++) shape[i] = (float)(old->shape[i] / root);
    for (size_t i = 0; i < inner && status == TW_OK; i++) shape[numbers + i] = (float)(old->inner_shape[i] / root);
    for (size_t i = 0; i < materials && status == TW_OK; i++) of[i] = old->materials[i], of[i].density *= ratio;
    def.freq_hz = freq_hz;
    def.shape = shape;
    if (inner > 0) def.inner_shape = shape + numbers;
    def.materials = of;
    def.decay = NULL;  // by the damping at the new frequencies
    def.mass.mass = mass;
    def.mass.inertia = tw_mat3_scale(old->mass.inertia, ratio);
    if (status == TW_OK) status = tw_mode_set_create(&out, &def, err);
    if (status == TW_OK) tw_mode_set_destroy(*set), *set = out;
    free(freq_hz);
    free(shape);
    free(of);
    return status;
}

twStatus body_analyse(BodyMade* made, const twSceneShape* shape, const twBodiesDef* def, twError* err)
{
    if (tw_scene_is_rigid(shape, made->rigid, sizeof made->rigid)) return TW_OK;
    twStatus status = body_find_modes(made, shape, def, err);
    if (status == TW_OK && shape->mass > 0) status = body_weigh(&made->fine, shape->mass, err);
    if (!shape->automatic || status == TW_INTERRUPTED) return status;
    made->failed = status != TW_OK;
    if (made->failed)
        snprintf(made->rigid, sizeof made->rigid, "its modes could not be found: %.900s", err->text);
    else if (made->fine->mode_count == 0)
        snprintf(made->rigid, sizeof made->rigid, "it has no modes up to 20 kHz");
    if (!made->rigid[0]) return TW_OK;
    tw_mode_set_destroy(made->fine);
    made->fine = NULL;
    made->tets = 0;
    return TW_OK;
}

int body_slow_modes(const BodyMade* made, const twSceneShape* shape)
{
    int count = 0;
    while (made->fine && count < made->fine->mode_count && made->fine->freq_hz[count] <= shape->max_freq_hz) count++;
    return count;
}

// ---- surfaces ----

// whether a surface is as told, or coarser than that of the analysis and still fine enough to show how it bends
static bool body_is_better(const twMesh* mesh, const twModeSet* fine, const twSceneShape* shape)
{
    if (shape->edge > 0) return true;
    if (mesh->vertex_count >= fine->vertex_count) return false;
    return mesh->vertex_count >= COARSEST || fine->vertex_count > FINEST;
}

// the modes at a surface that shows how they bend; without one, at that of the analysis
static twStatus body_make_set(BodyMade* made, const twSceneShape* shape, twError* err)
{
    char note[1024];
    twMesh* mesh = NULL;
    twStatus status = TW_OK;
    const bool tets =
        !shape->mesh && !tw_shape_looks_like(shape->source) && tw_mesh_kind(shape->source) == TW_MESH_TETS;
    if (!tets && !shape->cover && tw_scene_surface(&mesh, shape, note, sizeof note, NULL) == TW_OK &&
        body_is_better(mesh, made->fine, shape))
        status = body_coarse_set(&made->set, made->fine, mesh, err);
    else
        made->set = made->fine, made->fine = NULL;
    tw_mesh_destroy(mesh);
    return status;
}

// how its modes sound, before the motion begins: they decay by it
static twStatus body_radiate(BodyMade* made, const twSceneSound* sound, const twBodiesDef* def, twError* err)
{
    twRadiationDef radiation = tw_radiation_def();
    radiation.quality = sound->radiation;
    radiation.sound_speed = sound->sound_speed;
    radiation.air_density = sound->air_density;
    radiation.cache_folder = def->cache_folder;
    radiation.keep_going = def->keep_going;
    radiation.context = def->context;
    return tw_radiate(&made->set, &radiation, &made->air, err);
}

// The lowest modes, on a surface of their own. A surface of area A has patches of A/N between the nodal lines of mode N, and each gets
// PATCH_VERTICES: eight a half-wave.
static twStatus body_make_acting(BodyMade* made, const twSceneShape* shape, twError* err)
{
    const int vertices = PATCH_VERTICES * made->acting > COARSEST ? PATCH_VERTICES * made->acting : COARSEST;
    const twModeSet* set = made->set;
    if (!shape->automatic || shape->edge > 0 || !tw_shape_looks_like(shape->source) || vertices >= set->vertex_count)
        return TW_OK;
    char note[256];
    twMesh* mesh = NULL;
    twSceneShape coarse = *shape;
    twModeSet lowest = made->fine ? *made->fine : *set;
    coarse.edge = sqrt(body_area(set->vertices, set->faces, set->face_count) / vertices);
    lowest.mode_count = made->acting;
    lowest.decay = set->decay;  // the air is in them
    lowest.transfer = NULL;
    twStatus status = tw_scene_surface(&mesh, &coarse, note, sizeof note, err);
    if (status == TW_OK) status = body_coarse_set(&made->touching, &lowest, mesh, err);
    tw_mesh_destroy(mesh);
    return status;
}

// The surface that touches, if it is not that of the set: forces on it are taken over to the set. What only rings touches with the
// surface of a rigid body.
static twStatus body_make_touching(BodyMade* made, const twSceneShape* shape, twError* err)
{
    char note[1024];
    twStatus status = TW_OK;
    if (made->acting > 0)
        status = body_make_acting(made, shape, err);
    else if (body_rigid_surface(&made->mesh, shape, note, sizeof note, NULL) != TW_OK)
        return TW_OK;  // a sheet
    if (status != TW_OK || !(made->mesh || made->touching)) return status;
    const twMesh surface = {.vertex_count = made->set->vertex_count,
                            .face_count = made->set->face_count,
                            .vertices = (twVec3*)made->set->vertices,
                            .faces = (twTriangle*)made->set->faces};
    return tw_winding_create(&made->winding, &surface, err);
}

// whether a body is its surface, filled with its material
static bool body_is_filled(const twSceneShape* shape) { return shape->region_count == 0 && shape->thickness == 0; }

// what of the decay of its modes is sound, of which the motion keeps an account; NULL without memory
static double* body_radiation(const twModeSet* set)
{
    double* decay = malloc(((size_t)set->mode_count + 1) * sizeof *decay);
    for (int k = 0; decay && k < set->mode_count; k++) decay[k] = tw_radiation_decay(set, k);
    return decay;
}

static twStatus body_make_shape(BodyMade* made, const twSceneShape* shape, bool radiates, twError* err)
{
    double* radiation = radiates ? body_radiation(made->set) : NULL;
    if (radiates && !radiation) return tw_fail(err, TW_NO_MEMORY, "no memory for %d modes", made->set->mode_count);
    twBodyShapeDef def = tw_body_shape_def();
    def.radiation = radiation;
    def.density = shape->material.density;
    def.ball_radius = shape->ball_radius;
    def.mesh = made->mesh;
    if (made->set && !(made->mesh && body_is_filled(shape)))
        def.modes = made->touching ? made->touching : made->set, def.max_modes = made->acting,
        def.max_freq_hz = shape->max_freq_hz;
    else
        def.mass = shape->mass;
    const twVec3* points = made->mesh ? made->mesh->vertices : made->set->vertices;
    const int count = made->mesh ? made->mesh->vertex_count : made->set->vertex_count;
    made->radius =
        shape->ball_radius > 0 ? shape->ball_radius : CONTACT_RADIUS * tw_vec3_max(body_sides(points, count));
    def.contact_radius = made->radius;
    const twStatus status = tw_body_shape_create(&made->shape, &def, err);
    free(radiation);
    return status;
}

twStatus body_make(BodyMade* made, const twSceneShape* shape, const twScene* scene, const twBodiesDef* def,
                   twError* err)
{
    twStatus status = TW_OK;
    const bool heard = made->fine != NULL;
    if (made->fine)
        status = body_make_set(made, shape, err);
    else
        status = body_rigid_surface(&made->mesh, shape, made->note, sizeof made->note, err);
    const size_t at = strlen(made->note);
    if (made->failed) snprintf(made->note + at, sizeof made->note - at, "%srigid: %s", at ? "; " : "", made->rigid);
    if (status == TW_OK && heard) status = body_radiate(made, &scene->sound, def, err);
    if (status == TW_OK && heard && shape->cover) status = bodies_make_cover(made, shape, err);
    if (status == TW_OK && heard) status = body_make_touching(made, shape, err);
    if (status == TW_OK)
        status = body_make_shape(made, shape, heard && scene->sound.radiation != TW_RADIATION_ESTIMATE, err);
    if (status != TW_OK || made->set) return status;
    const twMassProperties mass = tw_body_shape_mass(made->shape);
    return body_rigid_set(&made->set, made->mesh, &mass, &shape->material, err);
}

void body_take_over(const BodyMade* made, int vertex[3], float weight[3])
{
    twVec3 at = tw_vec3(0, 0, 0);
    if (!made->winding || vertex[0] < 0) return;
    const twVec3* vertices = made->touching ? made->touching->vertices : made->mesh->vertices;
    for (int i = 0; i < 3; i++)
        if (vertex[i] >= 0) at = tw_vec3_add_scaled(at, vertices[vertex[i]], weight[i]);
    body_surface_place(made->set, made->winding, at, vertex, weight);
}
