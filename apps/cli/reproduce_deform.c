// SPDX-License-Identifier: MIT
// twang reproduce deform: Hauser, Shen and O'Brien 2003, "Interactive deformation using modal analysis with constraints": its table,
// its figures and what its text claims.

#include "reproduce_deform.h"
#include "twang/bake.h"
#include <time.h>

#define DENSITY 1000  // of rubber [kg/m^3]

// ---- bodies ----

static bool keep_going(const char* stage, double done, void* context)
{
    (void)stage, (void)done, (void)context;
    return !cli_interrupted();
}

static twStatus make_shape(DeformBody* body, twError* err)
{
    twBodyShapeDef def = tw_body_shape_def();
    def.modes = body->set;
    return tw_body_shape_create(&body->shape, &def, err);
}

twStatus deform_body(DeformBody* out, const char* text, const DeformMatter* matter, twError* err)
{
    char cache[512];
    twPart held;
    twBakeDef def = tw_bake_def();
    *out = (DeformBody){0};
    def.source = text;
    def.material = (twMaterial){.name = "rubber", .density = DENSITY, .young = matter->young, .poisson = 0.4};
    def.damping = tw_damping_rayleigh(matter->alpha, matter->beta);
    def.count = matter->modes;
    def.accuracy = matter->accuracy;
    if (!(matter->accuracy > 0)) def.budget = 1;  // the first round
    def.with_tets = true;
    def.cache_folder = tw_cache_folder(cache, sizeof cache);
    def.keep_going = keep_going;
    if (matter->held)
    {
        const twStatus status = tw_part_parse(&held, matter->held, err);
        if (status != TW_OK) return status;
        def.holds = &held;
        def.hold_count = 1;
    }
    const twStatus status = tw_bake(&out->set, &def, NULL, err);
    return status == TW_OK ? make_shape(out, err) : status;
}

twStatus deform_rigid(DeformBody* out, const char* text, twError* err)
{
    twShape* shape = NULL;
    twMesh* mesh = NULL;
    *out = (DeformBody){0};
    twStatus status = tw_shape_parse(&shape, text, err);
    if (status == TW_OK) status = tw_shape_surface(&mesh, shape, 0.5, err);
    twBodyShapeDef def = tw_body_shape_def();
    def.mesh = mesh;
    if (status == TW_OK) status = tw_body_shape_create(&out->shape, &def, err);
    tw_shape_destroy(shape);
    tw_mesh_destroy(mesh);
    return status;
}

void deform_body_free(DeformBody* body)
{
    tw_body_shape_destroy(body->shape);
    tw_mode_set_destroy(body->set);
    *body = (DeformBody){0};
}

twLiveBodyDef deform_placed(const DeformBody* body, const char* name, twVec3 position)
{
    twLiveBodyDef def = tw_live_body_def();
    def.body.name = name;
    def.body.shape = body->shape;
    def.body.motion.position = position;
    def.modes = body->set;
    return def;
}

twLiveDef deform_world(const twLiveBodyDef* bodies, int count)
{
    static const twContactMaterial rubber = {
        .young = 1e6, .poisson = 0.4, .stick = 0.6, .slide = 0.6, .restitution = 0.5};
    twLiveDef def = tw_live_def();
    def.world.gravity = tw_vec3(0, 0, 0);
    def.world.materials = &rubber;
    def.world.material_count = 1;
    def.bodies = bodies;
    def.body_count = count;
    return def;
}

double deform_size(const twModeSet* set)
{
    twVec3 low = set->vertices[0], high = low;
    for (int i = 1; i < set->vertex_count; i++)
    {
        const twVec3 p = set->vertices[i];
        low = tw_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = tw_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return tw_vec3_norm(tw_vec3_sub(high, low));
}

double deform_energy(const twLiveView* view)
{
    const twWorldEnergy* e = &view->energy;
    return e->kinetic + e->elastic + e->weight + e->contacts;
}

double deform_cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

// ---- pictures ----

DeformWires deform_wires(const float* positions, const twTriangle* faces, int face_count)
{
    DeformWires w = {.count = 0};
    w.x = malloc(5 * (size_t)face_count * sizeof *w.x);
    w.z = malloc(5 * (size_t)face_count * sizeof *w.z);
    for (int f = 0; f < face_count && w.x && w.z; f++)
        for (int i = 0; i < 5; i++, w.count++)
        {
            const float* p = positions + 3 * (size_t)faces[f].v[i % 3];
            w.x[w.count] = i < 4 ? (double)p[0] : NAN;
            w.z[w.count] = i < 4 ? (double)p[2] : NAN;
        }
    return w;
}

void deform_wires_free(DeformWires* wires)
{
    free(wires->x);
    free(wires->z);
}

twStatus deform_save(twPlot* plot, const char* folder, const char* name, twError* err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const twStatus status = tw_plot_save(plot, path, err);
    tw_plot_destroy(plot);
    return status;
}

// ---- the whole ----

twStatus reproduce_deform(CliReport* report, twError* err)
{
    static twStatus (*const groups[])(CliReport*, twError*) = {
        deform_table, deform_bar, deform_bowl, deform_hits, deform_grabs, deform_claims, deform_full,
    };
    const int count = (int)(sizeof groups / sizeof *groups);
    CliProgress progress = cli_progress("deform");
    twStatus status = TW_OK;
    for (int i = 0; i < count && status == TW_OK; i++)
    {
        status = groups[i](report, err);
        cli_progress_update(&progress, (i + 1.0) / count);
        if (status == TW_OK && cli_interrupted()) status = tw_fail(err, TW_INTERRUPTED, "interrupted");
    }
    if (report->quick)
        cli_report_skip(report, "the bunny of Table 1, a thin bowl (Fig. 4), a second more of bouncing (Fig. 8)");
    cli_progress_end(&progress);
    return status;
}
