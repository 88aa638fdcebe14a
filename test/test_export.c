// SPDX-License-Identifier: MIT
// Files for other programs: glTF and point caches. With TEST_EXPORT_FOLDER set, they stay there for test/gltf to read with
// programs that are not ours.
#define _XOPEN_SOURCE 700
#include "bar.h"

#include "glb_doc.h"
#include "picture/glb.h"
#include "strands.h"
#include <sys/stat.h>

// ---- files ----

// path of a file that is kept if wanted; holds until the second next call
static const char* kept(const char* name)
{
    static char path[2][1024];
    static int next;
    const char* folder = getenv("TEST_EXPORT_FOLDER");
    next = !next;
    snprintf(path[next], sizeof path[next], "%s/%s", folder ? folder : scratch_folder(), name);
    return path[next];
}

// GLB and caches of a skin
static bool export(const twSkin* skin, const char* name)
{
    char file[64];
    snprintf(file, sizeof file, "%s.glb", name);
    const twGlbDef glb = tw_glb_def();
    const twPc2Def pc2 = tw_pc2_def();
    twError err = {0};
    const bool fine =
        tw_glb_save(kept(file), skin, &glb, &err) == TW_OK && tw_pc2_save(kept(name), skin, &pc2, &err) == TW_OK;
    if (!fine) printf("%s\n", err.text);
    return fine;
}

// ---- bodies ----

// in the bar's own axes, from base, targets and weights; the rest places are those of the skin
static int bar_bends_in(const Doc* doc, const twSkin* skin, double factor)
{
    char weights[64];
    ENSURE(output_of(doc, 1, "weights", weights));
    const twSkinPart* part = &skin->parts[0];
    for (int f = 0; f < BAR_FRAMES; f += 4)
        for (int i = 0; i < 3 * part->vertex_count; i++)
        {
            double got = value(doc, "meshes/0/primitives/0/attributes/POSITION", i), want = part->rest[i];
            for (int k = 0; k < BAR_MODES; k++)
            {
                char target[64];
                snprintf(target, sizeof target, "meshes/0/primitives/0/targets/%d/POSITION", k);
                const double w = value(doc, weights, BAR_MODES * f + k);
                ENSURE(w >= 0 && w <= 1);
                got += w * value(doc, target, i);
                const float* at = part->rest + i / 3 * 3;
                const twVec3 u = bar_shape(k, tw_vec3(at[0], at[1], at[2]));
                want += factor * bar_amplitude(k, f / BAR_RATE) * (i % 3 == 0 ? u.x : i % 3 == 1 ? u.y : u.z);
            }
            ENSURE_NEAR(got, want, 1e-5 * 0.0767);
        }
    return 0;
}

static int bar_in_glb_bends_as_theory_says(void)
{
    Recorded r;
    Doc doc;
    ENSURE(record_bar(&r, &bar_case));
    ENSURE(export(r.skin, "bar"));
    ENSURE(take_apart(&doc, kept("bar.glb")));
    ENSURE(length_of(&doc, "animations/0/channels") == 3);
    const int bad = bar_bends_in(&doc, r.skin, 1);
    drop(&doc);
    forget(&r);
    return bad;
}

// a thousandth of the amplitudes: 0.13 mm of a bar of 1 m, as it is or a thousand times as large
static int faint_bar_bends_as_little_unless_exaggerated(void)
{
    for (int i = 0; i < 2; i++)
    {
        Recorded r;
        Doc doc;
        BarCase faint = bar_case;
        for (int k = 0; k < BAR_MODES; k++) faint.factor[k] = 1e-3;
        faint.exaggeration = i == 0 ? tw_skin_def().exaggeration : 1000;
        ENSURE(record_bar(&r, &faint));
        ENSURE(export(r.skin, "faint"));
        ENSURE(take_apart(&doc, kept("faint.glb")));
        ENSURE(number(&doc, "asset/extras/exaggeration") == (i == 0 ? 1 : 1000));
        const int bad = bar_bends_in(&doc, r.skin, i == 0 ? 1e-3 : 1);
        drop(&doc);
        forget(&r);
        if (bad) return bad;
    }
    return 0;
}

// the normals that a viewer gets, base + weights times targets, against those of the bent surface: right to first order,
// and a 13 cm bend of a bar of 1 m is not small
static int normals_turn_with_the_bar(void)
{
    Recorded r;
    Doc doc;
    char weights[64];
    ENSURE(record_bar(&r, &bar_case));
    ENSURE(export(r.skin, "bar"));
    ENSURE(take_apart(&doc, kept("bar.glb")));
    ENSURE(output_of(&doc, 1, "weights", weights));
    const int count = r.skin->parts[0].vertex_count;
    float* rows = malloc(6 * (size_t)count * sizeof *rows);
    double worst = 1;
    for (int f = 0; f < BAR_FRAMES && rows; f += 5)
    {
        const twTracePose pose = bar_pose(f / BAR_RATE);
        tw_skin_vertices(r.skin, 0, f, rows, rows + 3 * count);
        for (int i = 0; i < count; i++)
        {
            double n[3];
            for (int c = 0; c < 3; c++)
            {
                n[c] = value(&doc, "meshes/0/primitives/0/attributes/NORMAL", 3 * i + c);
                for (int k = 0; k < BAR_MODES; k++)
                {
                    char target[64];
                    snprintf(target, sizeof target, "meshes/0/primitives/0/targets/%d/NORMAL", k);
                    n[c] += value(&doc, weights, BAR_MODES * f + k) * value(&doc, target, 3 * i + c);
                }
            }
            const float* at = rows + 3 * (count + i);
            const twVec3 got = tw_quat_rotate(pose.turn, tw_vec3_normalize(tw_vec3(n[0], n[1], n[2])));
            worst = fmin(worst, tw_vec3_dot(got, tw_vec3(at[0], at[1], at[2])));
        }
    }
    free(rows);
    drop(&doc);
    forget(&r);
    ENSURE(worst > cos(3 * TW_PI / 180));
    return 0;
}

static int modes_that_hardly_move_are_no_targets(void)
{
    Recorded r;
    Doc doc;
    BarCase uneven = bar_case;
    uneven.factor[1] = 1e-6;
    ENSURE(record_bar(&r, &uneven));
    twGlbDef def = tw_glb_def();
    ENSURE(tw_glb_save(in_folder("uneven.glb"), r.skin, &def, NULL) == TW_OK);
    ENSURE(take_apart(&doc, in_folder("uneven.glb")));
    ENSURE(length_of(&doc, "meshes/0/primitives/0/targets") == 2);
    ENSURE(length_of(&doc, "meshes/0/weights") == 2);
    ENSURE_NEAR(number(&doc, "meshes/0/extras/frequencies/1"), bar_freq[2], 1e-12);
    drop(&doc);

    // all that move, if nothing may be lost
    def.tolerance = 0;
    ENSURE(tw_glb_save(in_folder("uneven.glb"), r.skin, &def, NULL) == TW_OK);
    ENSURE(take_apart(&doc, in_folder("uneven.glb")));
    ENSURE(length_of(&doc, "meshes/0/primitives/0/targets") == 3);
    ENSURE(number(&doc, "meshes/0/extras/leftOut") == 0);
    drop(&doc);

    // the one that moves most; what is lost is said: the others' largest amplitudes times 2, the largest |Y|, or a little more
    // for how the section turns
    def.max_targets = 1;
    ENSURE(tw_glb_save(in_folder("uneven.glb"), r.skin, &def, NULL) == TW_OK);
    ENSURE(take_apart(&doc, in_folder("uneven.glb")));
    ENSURE(length_of(&doc, "meshes/0/primitives/0/targets") == 1);
    ENSURE_NEAR(number(&doc, "meshes/0/extras/frequencies/0"), bar_freq[0], 1e-12);
    double most = 0;
    for (int f = 0; f < BAR_FRAMES; f++) most = fmax(most, fabs(bar_amplitude(2, f / BAR_RATE)));
    ENSURE_NEAR(number(&doc, "meshes/0/extras/leftOut"), 2 * most, 0.05 * most);
    drop(&doc);
    forget(&r);
    return 0;
}

static int body_without_modes_only_moves(void)
{
    Recorded r;
    Doc doc;
    char turn[64];
    BarCase rigid = bar_case;
    rigid.rigid = true;
    ENSURE(record_bar(&r, &rigid));
    ENSURE(export(r.skin, "rigid"));
    ENSURE(take_apart(&doc, kept("rigid.glb")));
    ENSURE(find(&doc, "meshes/0/primitives/0/targets") < 0 && find(&doc, "meshes/0/weights") < 0);
    ENSURE(find(&doc, "extensions/KHR_audio_rigid_bodies") < 0 && length_of(&doc, "extensionsUsed") == 1);

    // 2 rad/s about (1, 2, 2)/3; sign and order of quaternions
    ENSURE(output_of(&doc, 1, "rotation", turn));
    for (int f = 0; f < BAR_FRAMES; f++)
    {
        const double angle = f / BAR_RATE,
                     want[4] = {sin(angle) / 3, sin(angle) * 2 / 3, sin(angle) * 2 / 3, cos(angle)};
        for (int k = 0; k < 4; k++) ENSURE_NEAR(value(&doc, turn, 4 * f + k), want[k], 1e-6);
    }
    drop(&doc);
    forget(&r);
    return 0;
}

// z is up in the bar's trace, y in the file
static int what_does_not_move_has_no_animation(void)
{
    Recorded r;
    Doc doc;
    BarCase still = bar_case;
    still.still = true;
    ENSURE(record_bar(&r, &still));
    ENSURE(export(r.skin, "still"));
    ENSURE(take_apart(&doc, kept("still.glb")));
    ENSURE(find(&doc, "animations") < 0 && find(&doc, "meshes/0/primitives/0/targets") < 0);
    ENSURE(length_of(&doc, "meshes") == 2);  // and the floor
    drop(&doc);

    twMesh* mesh;
    ENSURE(tw_mesh_load(&mesh, kept("still.glb"), 1, NULL) == TW_OK);
    twVec3 low = tw_vec3(1e9, 1e9, 1e9), high = tw_vec3(-1e9, -1e9, -1e9);
    for (int i = 0; i < r.skin->parts[0].vertex_count; i++)
    {
        const twVec3 v = mesh->vertices[i];
        low = tw_vec3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = tw_vec3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    const double want[6] = {0, 1 - BAR_HEIGHT / 2, -0.1 - BAR_WIDTH / 2, 1, 1 + BAR_HEIGHT / 2, -0.1 + BAR_WIDTH / 2};
    const double got[6] = {low.x, low.y, low.z, high.x, high.y, high.z};
    for (int i = 0; i < 6; i++) ENSURE_NEAR(got[i], want[i], 1e-6);

    // the floor's normal is up too
    const twVec3* f = mesh->vertices;
    const int* v = mesh->faces[mesh->face_count - 1].v;
    const twVec3 up = tw_vec3_cross(tw_vec3_sub(f[v[1]], f[v[0]]), tw_vec3_sub(f[v[2]], f[v[0]]));
    ENSURE(up.y > 0 && fabs(up.x) + fabs(up.z) < 1e-4 * up.y);
    tw_mesh_destroy(mesh);
    forget(&r);
    return 0;
}

// ---- the modes themselves ----

static int modal_data_is_that_of_the_set(void)
{
    Recorded r;
    Doc doc;
    BarCase own = bar_case;
    own.damping = tw_damping_rayleigh(1, 1e-3);

    // moments 1, 2, 3 about axes that are turned
    const twMat3 turn = tw_mat3_from_quat(tw_quat_from_axis_angle(tw_vec3(0.6, 0, 0.8), 1));
    const twMat3 inertia = tw_mat3_mul(turn, tw_mat3_mul(tw_mat3_diagonal(tw_vec3(1, 2, 3)), tw_mat3_transpose(turn)));
    own.inertia = &inertia;
    ENSURE(record_bar(&r, &own));
    ENSURE(export(r.skin, "modal"));
    ENSURE(take_apart(&doc, kept("modal.glb")));
    const char* model = "extensions/KHR_audio_rigid_bodies/modalModels/0";
    char path[128];
    ENSURE(number(&doc, "nodes/1/extensions/KHR_audio_rigid_bodies/modalModel") == 0);
    for (int k = 0; k < BAR_MODES; k++)
    {
        // q = exp(-c t) sin(w t) solves q'' + 2 c q' + w0^2 q = 0 with w^2 = w0^2 - c^2
        const double w0 = 2 * TW_PI * bar_freq[k], c = bar_decay[k], w = sqrt(w0 * w0 - c * c);
        snprintf(path, sizeof path, "%s/frequencies", model);
        ENSURE_NEAR(value(&doc, path, k), w / (2 * TW_PI), 1e-6 * w);
        snprintf(path, sizeof path, "%s/decayRates", model);
        ENSURE(value(&doc, path, k) == c);
        snprintf(path, sizeof path, "%s/shapes", model);
        for (int i = 0; i < r.set->vertex_count; i++)
        {
            const int at = 3 * (k * r.set->vertex_count + i);
            const twVec3 u = bar_shape(k, r.set->vertices[i]);
            ENSURE_NEAR(value(&doc, path, at), u.x, 1e-6);
            ENSURE_NEAR(value(&doc, path, at + 2), u.z, 1e-6);
        }
    }
    const char* material = "extensions/KHR_audio_rigid_bodies/acousticMaterials/0";
    const char* const keys[] = {"density", "youngsModulus", "poissonRatio", "alpha", "beta"};
    const double want[] = {1 / (BAR_WIDTH * BAR_HEIGHT), 1e5, 0.3, 1, 1e-3};
    for (int i = 0; i < 5; i++)
    {
        snprintf(path, sizeof path, "%s/%s", material, keys[i]);
        ENSURE(number(&doc, path) == want[i]);
    }

    // moments and quaternion give the inertia back
    double m[3], q[4];
    for (int k = 0; k < 4; k++)
    {
        snprintf(path, sizeof path, "%s/massProperties/inertiaOrientation/%d", model, k);
        q[k] = number(&doc, path);
        snprintf(path, sizeof path, "%s/massProperties/inertiaDiagonal/%d", model, k % 3);
        m[k % 3] = number(&doc, path);
    }
    const twMat3 axes = tw_mat3_from_quat(tw_quat(q[3], q[0], q[1], q[2]));
    const twMat3 back =
        tw_mat3_mul(axes, tw_mat3_mul(tw_mat3_diagonal(tw_vec3(m[0], m[1], m[2])), tw_mat3_transpose(axes)));
    for (int i = 0; i < 9; i++) ENSURE_NEAR(back.m[i / 3][i % 3], inertia.m[i / 3][i % 3], 1e-12);
    snprintf(path, sizeof path, "%s/massProperties/mass", model);
    ENSURE_NEAR(number(&doc, path), 1, 1e-12);
    snprintf(path, sizeof path, "%s/massProperties/centerOfMass/0", model);
    ENSURE_NEAR(number(&doc, path), 0.5, 1e-12);
    drop(&doc);
    forget(&r);
    return 0;
}

// decay given mode by mode has no alpha and beta
static int damping_without_counterpart_is_left_out(void)
{
    Recorded r;
    Doc doc;
    ENSURE(record_bar(&r, &bar_case));
    ENSURE(export(r.skin, "bar"));
    ENSURE(take_apart(&doc, kept("bar.glb")));
    ENSURE(number(&doc, "extensions/KHR_audio_rigid_bodies/acousticMaterials/0/youngsModulus") == 1e5);
    ENSURE(find(&doc, "extensions/KHR_audio_rigid_bodies/acousticMaterials/0/alpha") < 0);
    drop(&doc);

    // none at all, if it is not wanted
    twGlbDef def = tw_glb_def();
    def.modal_data = false;
    ENSURE(tw_glb_save(in_folder("plain.glb"), r.skin, &def, NULL) == TW_OK);
    ENSURE(take_apart(&doc, in_folder("plain.glb")));
    ENSURE(find(&doc, "extensions/KHR_audio_rigid_bodies") < 0);
    ENSURE(find(&doc, "nodes/1/extensions") < 0);
    drop(&doc);
    forget(&r);
    return 0;
}

// ---- rods ----

// the first frame, as programs without skins see it: volumes are prisms of 16 sides, Guldin's ring, a box
static int rods_in_glb_have_their_first_shape(void)
{
    Recorded r;
    Doc doc;
    ENSURE(record_rods(&r, false));
    ENSURE(export(r.skin, "rods"));
    ENSURE(take_apart(&doc, kept("rods.glb")));
    ENSURE(length_of(&doc, "skins") == RODS && length_of(&doc, "meshes") == RODS);
    ENSURE(length_of(&doc, "skins/0/joints") == POINTS);
    drop(&doc);
    twMesh* mesh;
    ENSURE(tw_mesh_load(&mesh, kept("rods.glb"), 1, NULL) == TW_OK);
    const double circle = 8 * sin(TW_PI / 8) * RADIUS * RADIUS;  // area of 16 sides
    const double horn = 8 * sin(TW_PI / 8) * (0.01 + 0.002 * (POINTS - 1) / 2.0) * 0.02;
    const double hoop = 2 * 24 * sin(TW_PI / 24) * 0.3 * circle;  // mean length of 24 edges, for the rings are across
    const double box = 0.04 * 0.01, got = tw_mesh_mass(mesh, 1).volume;
    ENSURE_NEAR(got, 0.5 * circle + hoop + box + horn, 0.01 * got);
    tw_mesh_destroy(mesh);
    forget(&r);
    return 0;
}

// inverse bind matrix times vertex is the vertex in its joint's axes
static int vertices_of_rods_follow_their_joints(void)
{
    Recorded r;
    Doc doc;
    ENSURE(record_rods(&r, false));
    ENSURE(export(r.skin, "rods"));
    ENSURE(take_apart(&doc, kept("rods.glb")));
    for (int p = 0; p < RODS; p++)
    {
        char position[64], bind[64];
        snprintf(position, sizeof position, "meshes/%d/primitives/0/attributes/POSITION", p);
        snprintf(bind, sizeof bind, "skins/%d/inverseBindMatrices", p);
        const twSkinPart* part = &r.skin->parts[p];
        for (int i = 0; i < part->vertex_count; i++)
            for (int k = 0; k < 3; k++)
            {
                double local = value(&doc, bind, 16 * part->joint[i] + 12 + k);
                for (int c = 0; c < 3; c++)
                    local += value(&doc, bind, 16 * part->joint[i] + 4 * c + k) * value(&doc, position, 3 * i + c);
                ENSURE_NEAR(local, part->rest[3 * i + k], 1e-6);
            }
    }
    drop(&doc);
    forget(&r);
    return 0;
}

static int rods_that_rest_need_no_skin(void)
{
    Recorded r;
    Doc doc;
    ENSURE(record_rods(&r, true));
    ENSURE(export(r.skin, "resting"));
    ENSURE(take_apart(&doc, kept("resting.glb")));
    ENSURE(find(&doc, "skins") < 0 && find(&doc, "animations") < 0);
    ENSURE(length_of(&doc, "meshes") == RODS);
    drop(&doc);
    forget(&r);
    return 0;
}

static int rod_with_too_many_points_is_refused(void)
{
    enum
    {
        COUNT = 65537
    };
    double* line = calloc(3 * COUNT, sizeof *line);
    double* ones = malloc(COUNT * sizeof *ones);
    ENSURE(line && ones);
    for (int i = 0; i < COUNT; i++) line[i] = 1e-3 * i, ones[i] = 1;
    const twTraceSection round = {.half_size = {RADIUS, RADIUS}, .radius = RADIUS};
    const twTraceRod rod = {
        .name = "hair", .material = "steel", .point_count = COUNT, .section_count = 1, .sections = &round};
    const twRodView view = {.point_count = COUNT,
                            .edge_count = COUNT - 1,
                            .position = {line, line + COUNT, line + COUNT},
                            .frame_d1 = {line + COUNT, ones, line + COUNT}};
    twTraceDef def = tw_trace_def();
    def.rod_count = 1;
    def.rods = &rod;
    Recorded r = {0};
    twTraceWriter* writer;
    twError err = {0};
    ENSURE(tw_trace_create(&writer, in_folder("hair.twtrace"), &def, NULL) == TW_OK);
    ENSURE(tw_trace_append(writer, &(twTraceFrame){.rods = &view}, NULL) == TW_OK);
    ENSURE(tw_trace_commit(&writer, NULL) == TW_OK && reload(&r, in_folder("hair.twtrace"), 1));
    const twGlbDef glb = tw_glb_def();
    ENSURE(tw_glb_save(in_folder("hair.glb"), r.skin, &glb, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "'hair' has 65537 points"));
    free(line);
    free(ones);
    forget(&r);
    return 0;
}

// ---- files as such ----

static int same_trace_gives_the_same_bytes(void)
{
    Recorded r;
    char* bytes[2];
    size_t count[2];
    const twGlbDef def = tw_glb_def();
    for (int i = 0; i < 2; i++)
    {
        ENSURE(record_bar(&r, &bar_case));
        ENSURE(tw_glb_save(in_folder("same.glb"), r.skin, &def, NULL) == TW_OK);
        ENSURE(tw_file_read(&bytes[i], &count[i], in_folder("same.glb"), 1 << 28, NULL) == TW_OK);
        forget(&r);
    }
    ENSURE(count[0] == count[1] && memcmp(bytes[0], bytes[1], count[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
    return 0;
}

static bool stop_half_way(double done, void* context)
{
    *(double*)context = done;
    return done < 0.25;
}

static int interrupted_files_do_not_appear(void)
{
    Recorded r;
    twError err = {0};
    struct stat info;
    double done = 0;
    ENSURE(record_bar(&r, &bar_case));
    twGlbDef glb = tw_glb_def();
    glb.keep_going = stop_half_way;
    glb.context = &done;
    ENSURE(tw_glb_save(in_folder("half.glb"), r.skin, &glb, &err) == TW_INTERRUPTED);
    ENSURE(done >= 0.25 && done <= 1 && stat(in_folder("half.glb"), &info) != 0);
    twPc2Def pc2 = {.keep_going = stop_half_way, .context = &done};
    ENSURE(tw_pc2_save(in_folder("half"), r.skin, &pc2, &err) == TW_INTERRUPTED);
    ENSURE(done >= 0.25 && done < 0.3 && stat(in_folder("half/bar.pc2"), &info) != 0);
    forget(&r);
    return 0;
}

static int bad_requests_are_refused_in_words(void)
{
    Recorded r;
    twError err = {0};
    ENSURE(record_bar(&r, &bar_case));
    twGlbDef def = tw_glb_def();
    ENSURE(tw_glb_save(in_folder("none/bar.glb"), r.skin, &def, &err) == TW_IO_ERROR);
    ENSURE(strstr(err.text, "its folder does not exist"));
    def.max_targets = -1;
    ENSURE(tw_glb_save(in_folder("bad.glb"), r.skin, &def, &err) == TW_BAD_INPUT &&
           strstr(err.text, "max_targets is -1"));
    def = tw_glb_def();
    def.tolerance = NAN;
    ENSURE(tw_glb_save(in_folder("bad.glb"), r.skin, &def, &err) == TW_BAD_INPUT && strstr(err.text, "tolerance is"));
    const twPc2Def pc2 = tw_pc2_def();
    ENSURE(tw_pc2_save(in_folder("bar.twtrace"), r.skin, &pc2, &err) == TW_IO_ERROR);  // a file, no folder
    forget(&r);
    return 0;
}

// nothing is read or allocated for what does not fit
static int more_than_2_gb_are_refused_at_once(void)
{
    Recorded r;
    twError err = {0};
    ENSURE(record_bar(&r, &bar_case));
    const twGlbDef def = tw_glb_def();
    const float some[4] = {1, 2, 3, 4};
    Glb glb = {.path = "big.glb", .skin = r.skin, .def = &def};
    int accessor;
    ENSURE(glb_open(&glb, &err) == TW_OK);
    glb_view(&glb, 0);
    ENSURE(glb_floats(&glb, &accessor, some, 4, 1, &err) == TW_OK);
    ENSURE(glb_floats(&glb, &accessor, some, (int64_t)1 << 29, 1, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "big.glb") && strstr(err.text, "more than 2 GB"));
    ENSURE(glb.accessor_count == 1 && glb.byte_count == 16);
    glb_close(&glb);
    forget(&r);
    return 0;
}

// ---- point caches ----

static int cache_holds_every_vertex_of_every_frame(void)
{
    Recorded r;
    ENSURE(record_bar(&r, &bar_case));
    ENSURE(export(r.skin, "bar"));
    char* bytes;
    size_t count;
    ENSURE(tw_file_read(&bytes, &count, kept("bar/bar.pc2"), 1 << 28, NULL) == TW_OK);
    const int points = r.skin->parts[0].vertex_count;
    ENSURE(count == 32 + 12 * (size_t)points * BAR_FRAMES && memcmp(bytes, "POINTCACHE2\0\1\0\0\0", 16) == 0);
    ENSURE(tw_bytes_unsigned(bytes + 16, 4, false) == (unsigned)points);
    ENSURE(tw_bytes_real(bytes + 20, 4, false) == 0 && tw_bytes_real(bytes + 24, 4, false) == 1);
    ENSURE(tw_bytes_unsigned(bytes + 28, 4, false) == BAR_FRAMES);

    // rest places, of which the first frame is a copy, are those of the mesh beside it
    twMesh* mesh;
    ENSURE(tw_mesh_load(&mesh, kept("bar/bar.obj"), 1, NULL) == TW_OK);
    ENSURE(mesh->vertex_count == points && mesh->face_count == r.skin->parts[0].face_count);
    for (int f = 0; f < BAR_FRAMES; f++)
        for (int i = 0; i < points; i++)
        {
            const char* at = bytes + 32 + 12 * ((size_t)f * (size_t)points + (size_t)i);
            const float* rest = r.skin->parts[0].rest + 3 * i;
            const twVec3 want = bar_place(tw_vec3(rest[0], rest[1], rest[2]), f / BAR_RATE, 1);
            const twVec3 got =
                tw_vec3(tw_bytes_real(at, 4, false), tw_bytes_real(at + 4, 4, false), tw_bytes_real(at + 8, 4, false));
            ENSURE_NEAR(tw_vec3_norm(tw_vec3_sub(got, want)), 0, 1e-5 * 0.0767);
            if (f == 0) ENSURE(tw_vec3_norm(tw_vec3_sub(got, mesh->vertices[i])) == 0);
        }
    tw_mesh_destroy(mesh);
    free(bytes);
    forget(&r);
    return 0;
}

static int names_of_caches_differ_and_stay_in_the_folder(void)
{
    const twSkinPart parts[5] = {{.name = "a/b"}, {.name = "A b"}, {.name = ""}, {.name = "../x"}, {.name = "bar-2"}};
    const twSkin skin = {.part_count = 5, .parts = parts};
    const char* const want[5] = {"a_b.0", "A_b.1", "part", "___x", "bar-2"};
    for (int i = 0; i < 5; i++)
    {
        char name[TW_TRACE_NAME + 16];
        tw_pc2_name(&skin, i, name);
        ENSURE_TEXT(name, want[i]);
    }
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(bar_in_glb_bends_as_theory_says)
    RUN(faint_bar_bends_as_little_unless_exaggerated)
    RUN(normals_turn_with_the_bar)
    RUN(modes_that_hardly_move_are_no_targets)
    RUN(body_without_modes_only_moves)
    RUN(what_does_not_move_has_no_animation)
    RUN(modal_data_is_that_of_the_set)
    RUN(damping_without_counterpart_is_left_out)
    RUN(rods_in_glb_have_their_first_shape)
    RUN(vertices_of_rods_follow_their_joints)
    RUN(rods_that_rest_need_no_skin)
    RUN(rod_with_too_many_points_is_refused)
    RUN(same_trace_gives_the_same_bytes)
    RUN(interrupted_files_do_not_appear)
    RUN(bad_requests_are_refused_in_words)
    RUN(more_than_2_gb_are_refused_at_once)
    RUN(cache_holds_every_vertex_of_every_frame)
    RUN(names_of_caches_differ_and_stay_in_the_folder)
)
