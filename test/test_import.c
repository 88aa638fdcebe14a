// SPDX-License-Identifier: MIT
// Tests of the import of glTF files: places, shapes, names, materials, what is written by hand, and a file that Blender wrote.
#define _XOPEN_SOURCE 700
#include "import.h"
#include "test.h"

#define ONE "\"scenes\":[{\"nodes\":[0]}]"

// ---- places ----

static int y_up_becomes_z_up(void)
{
    twImport* import = import_box(tw_vec3(1, 2, 3), BOX_MESH
                                  "," ONE ",\"nodes\":[{\"mesh\":0,\"name\":\"box\",\"translation\":[10,20,30]}]");
    ENSURE(import && import->body_count == 1 && import->shape_count == 1 && !import->note[0] && import->end == 0);
    const twImportBody* body = &import->bodies[0];
    const twMesh* mesh = import->shapes[0];
    ENSURE_TEXT(body->name, "box");
    ENSURE(!body->moves && !body->flat && body->material[0] == 0);
    // x stays, what was up (y, 2 high) is z, and z comes toward us: -y
    ENSURE(body->motion.position.x == 10 && body->motion.position.y == -30 && body->motion.position.z == 20);
    ENSURE(fabs(body->motion.turn.w) == 1);
    for (int v = 0; v < mesh->vertex_count; v++)
        ENSURE(mesh->vertices[v].x >= 0 && mesh->vertices[v].x <= 1 && mesh->vertices[v].y <= 0 &&
               mesh->vertices[v].y >= -3 && mesh->vertices[v].z >= 0 && mesh->vertices[v].z <= 2);
    ENSURE_NEAR(tw_mesh_mass(mesh, 1).volume, 6, 1e-12);
    tw_import_destroy(import);
    return 0;
}

static int files_in_mm_and_z_up_are_taken_so(void)
{
    Model model = box_model(tw_vec3(1, 2, 3));
    twImportDef def = tw_import_def();
    def.unit = 0.001;
    def.z_up = true;
    twImport* import =
        import_model(&model, BOX_MESH "," ONE ",\"nodes\":[{\"mesh\":0,\"translation\":[10,20,30]}]", &def, NULL);
    ENSURE(import);
    ENSURE_NEAR(import->bodies[0].motion.position.y, 0.02, 1e-15);
    ENSURE_NEAR(tw_mesh_mass(import->shapes[0], 1).volume, 6e-9, 1e-18);
    ENSURE_NEAR(import->shapes[0]->vertices[7].z, 0.003, 1e-15);
    tw_import_destroy(import);
    return 0;
}

// the parent's: quarter turn about y, stretched, moved; the child's: a matrix with a shear; mirrored twice or once
static int transforms_multiply_and_only_rotations_are_left(void)
{
    for (int mirrored = 0; mirrored < 2; mirrored++)
    {
        char rest[1024];
        snprintf(rest, sizeof rest,
                 BOX_MESH "," ONE ",\"nodes\":[{\"children\":[1],\"translation\":[1,2,3],\"rotation\":[0,0.6,0,0.8],"
                          "\"scale\":[2,3,%d]},{\"mesh\":0,\"matrix\":[1,0,0,0, 0.5,2,0,0, 0,0.25,1,0, 5,6,7,1]}]",
                 mirrored ? -4 : 4);
        twImport* import = import_box(tw_vec3(1, 2, 3), rest);
        ENSURE(import && import->body_count == 1);
        const twMesh* mesh = import->shapes[0];
        ENSURE_NEAR(tw_mesh_mass(mesh, 1).volume, 6 * 2 * 24, 1e-9);
        ENSURE_NEAR(tw_quat_norm(import->bodies[0].motion.turn), 1, 1e-14);
        for (int v = 0; v < 8; v++)
        {
            // by hand, in the file's axes
            const double x = v & 1, y = 2 * (v >> 1 & 1), z = 3 * (v >> 2);
            const twVec3 child = tw_vec3(x + 0.5 * y + 5, 2 * y + 0.25 * z + 6, z + 7);
            const double a = 2 * child.x, b = 3 * child.y, c = (mirrored ? -4 : 4) * child.z;
            const double cosine = 0.8 * 0.8 - 0.6 * 0.6, sine = 2 * 0.6 * 0.8;
            const twVec3 there = tw_vec3(cosine * a + sine * c + 1, b + 2, -sine * a + cosine * c + 3);
            const twVec3 here = world_vertex(import, 0, v, 0);
            ENSURE_NEAR(here.x, there.x, 1e-12);
            ENSURE_NEAR(here.y, -there.z, 1e-12);
            ENSURE_NEAR(here.z, there.y, 1e-12);
        }
        tw_import_destroy(import);
    }
    return 0;
}

// ---- shapes ----

static int bodies_alike_share_a_shape(void)
{
    // two nodes of one mesh, one turned; one of a mesh that is equal; one scaled, two alike; one mirrored
    twImport* import = import_box(
        tw_vec3(1, 2, 3),
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]},"
        "{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"scenes\":[{\"nodes\":[0,1,2,3,4,5]}],"
        "\"nodes\":[{\"mesh\":0},{\"mesh\":0,\"rotation\":[0.1,0.2,0.3,0.927361849549570]},{\"mesh\":1},"
        "{\"mesh\":1,\"scale\":[2,1,1]},{\"mesh\":0,\"scale\":[2.0000001,1,1],\"rotation\":[0,0,1,0]},"
        "{\"mesh\":0,\"scale\":[1,1,-1]}]");
    ENSURE(import && import->body_count == 6 && import->shape_count == 3);
    const int wanted[] = {0, 0, 0, 1, 1, 2};
    for (int i = 0; i < 6; i++) ENSURE(import->bodies[i].shape == wanted[i]);
    tw_import_destroy(import);
    return 0;
}

static int planes_are_given_a_thickness(void)
{
    // two triangles with corners of their own, as exporters write them; the front is up
    static const double corners[] = {0, 0, 0, 0, 0, 2, 3, 0, 2, 0, 0, 0, 3, 0, 2, 3, 0, 0};
    Model model = {0};
    add_floats(&model, corners, 6, 3);
    twImport* import = import_model(&model,
                                    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]," ONE
                                    ",\"nodes\":[{\"mesh\":0,\"name\":\"Ground\",\"translation\":[0,1,0]}]",
                                    NULL, NULL);
    ENSURE(import && import->body_count == 1);
    const twImportBody* body = &import->bodies[0];
    ENSURE(body->flat && body->ground && body->normal.z == 1);
    const twMeshReport report = tw_mesh_check(import->shapes[0]);
    ENSURE(report.boundary_edges == 0 && report.flipped_faces == 0 && report.components == 1);
    ENSURE_NEAR(tw_mesh_mass(import->shapes[0], 1).volume, 6 * 0.02 * sqrt(13), 1e-12);
    // all of it is behind the front
    for (int v = 0; v < import->shapes[0]->vertex_count; v++) ENSURE(import->shapes[0]->vertices[v].z <= 0);
    tw_import_destroy(import);
    return 0;
}

static int morph_targets_are_as_they_are_shown(void)
{
    // half of a target that moves all of the box by 2 along x, none of the other
    double by[24] = {0};
    for (int i = 0; i < 8; i++) by[3 * i] = 2;
    Model model = box_model(tw_vec3(1, 1, 1));
    add_floats(&model, by, 8, 3);
    twImport* import = import_model(
        &model,
        "\"meshes\":[{\"weights\":[0.5,0],\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"targets\":"
        "[{\"POSITION\":2},{\"POSITION\":2}]}]}],\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0},"
        "{\"mesh\":0,\"weights\":[0,3]}]",
        NULL, NULL);
    ENSURE(import && import->shape_count == 2);
    ENSURE_NEAR(tw_mesh_mass(import->shapes[0], 1).centre.x, 1.5, 1e-12);
    ENSURE_NEAR(tw_mesh_mass(import->shapes[1], 1).centre.x, 6.5, 1e-12);
    tw_import_destroy(import);
    return 0;
}

static int skinned_meshes_are_as_they_were_bound(void)
{
    twImport* import =
        import_box(tw_vec3(1, 1, 1), BOX_MESH "," ONE ",\"nodes\":[{\"mesh\":0,\"skin\":0,\"name\":\"arm\","
                                              "\"translation\":[9,9,9]}]");
    ENSURE(import && import->body_count == 1 && import->bodies[0].skinned && import->bodies[0].motion.position.x == 0);
    ENSURE(strstr(import->note, "'arm' is skinned"));
    tw_import_destroy(import);
    return 0;
}

// ---- names, materials, properties, cameras ----

static int names_are_all_different(void)
{
    twImport* import = import_box(
        tw_vec3(1, 1, 1), BOX_MESH
        ",\"scenes\":[{\"nodes\":[0,1,2,3,4,5,6,7]}],\"nodes\":[{\"mesh\":0,\"name\":\"cup\"},{\"mesh\":0,\"name\":"
        "\"cup\"},{\"mesh\":0,\"name\":\"cup-2\"},{\"mesh\":0},{\"mesh\":0,\"name\":\" cup \"},{\"mesh\":0,"
        "\"name\":\"world\"},{\"mesh\":0,\"name\":\"ground\"},{\"mesh\":0,\"name\":\"T\\u00e9\\nx\\ud83d\\ude00\"}]");
    static const char* const wanted[] = {"cup",   "cup-2",   "cup-2-2",     "3",
                                         "cup-3", "world-2", "ground body", "T\xc3\xa9_x\xf0\x9f\x98\x80"};
    ENSURE(import && import->body_count == 8);
    for (int i = 0; i < 8; i++) ENSURE_TEXT(import->bodies[i].name, wanted[i]);
    tw_import_destroy(import);
    return 0;
}

static int a_body_is_of_what_most_of_its_surface_is(void)
{
    // one face of a cube is of the first material, all of another cube of the second
    static const double face[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    Model model = box_model(tw_vec3(1, 1, 1));
    add_floats(&model, face, 3, 3);
    twImport* import = import_model(
        &model,
        "\"materials\":[{\"name\":\"gold\"},{\"name\":\"oak\"},{\"extras\":{\"twang_material\":\"ice\"}}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":2},\"material\":0},{\"attributes\":{"
        "\"POSITION\":0},\"indices\":1,\"material\":1}]},{\"primitives\":[{\"attributes\":{\"POSITION\":0},"
        "\"indices\":1,\"material\":2}]}],\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0},{\"mesh\":1}]",
        NULL, NULL);
    ENSURE(import && import->body_count == 2);
    ENSURE_TEXT(import->bodies[0].material, "oak");
    ENSURE_TEXT(import->bodies[0].others, "gold");
    ENSURE_TEXT(import->bodies[1].material, "ice");
    ENSURE_TEXT(import->bodies[1].others, "");
    tw_import_destroy(import);
    return 0;
}

static int properties_are_found(void)
{
    twImport* import = import_box(
        tw_vec3(1, 1, 1),
        "\"meshes\":[{\"extras\":{\"twang_modes\":40,\"twang_mass\":2},\"primitives\":[{\"attributes\":{\"POSITION\":0},"
        "\"indices\":1}]}],\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0,\"extras\":{\"twang_mass\":0.5,\"other\":1,"
        "\"twang_kind\":\"rigid\",\"twang_flexible\":true,\"twang_list\":[1]}},{\"mesh\":0,\"extensions\":{"
        "\"KHR_physics_rigid_bodies\":{\"motion\":{\"mass\":3}}}}]");
    ENSURE(import && import->body_count == 2);
    static const char* const wanted[2][4][2] = {
        {{"mass", "0.5"}, {"kind", "rigid"}, {"flexible", "true"}, {"modes", "40"}},
        {{"modes", "40"}, {"mass", "2"}, {"kind", "free"}}};
    for (int b = 0; b < 2; b++)
    {
        const twImportBody* body = &import->bodies[b];
        ENSURE(body->property_count == (b ? 3 : 4));
        for (int i = 0; i < body->property_count; i++)
        {
            ENSURE_TEXT(body->properties[i].key, wanted[b][i][0]);
            ENSURE_TEXT(body->properties[i].text, wanted[b][i][1]);
        }
    }
    tw_import_destroy(import);
    return 0;
}

// KHR_audio_rigid_bodies: one node rings and is free, one is rough glass and stands, one names what is not there
#define SOUNDING                                                                                                          \
    "\"extensions\":{\"KHR_audio_rigid_bodies\":{\"acousticMaterials\":[{\"name\":\"gong\",\"density\":8800,"             \
    "\"youngsModulus\":1.1e11,\"poissonRatio\":0.34,\"alpha\":2,\"beta\":3e-8},{\"density\":2500,\"youngsModulus\":7e10," \
    "\"poissonRatio\":0.2},{\"name\":\"air\",\"density\":-1}],\"acousticSurfaces\":[{\"roughness\":1e-6,"                 \
    "\"correlationLength\":1e-4,\"material\":1}],\"modalModels\":[{\"frequencies\":2,\"material\":0},"                    \
    "{\"frequencies\":9,\"material\":2}]}},"
#define SOUNDS(what) "\"extensions\":{\"KHR_audio_rigid_bodies\":{" what "}"

static int how_nodes_sound_by_the_draft_extension_is_read(void)
{
    static const double tones[] = {100, 200, 300, 400};
    Model model = box_model(tw_vec3(1, 1, 1));
    add_floats(&model, tones, 4, 1);
    // clang-format off
    twImport* import = import_model(
        &model,
        SOUNDING BOX_MESH ",\"scenes\":[{\"nodes\":[0,1,2]}],\"nodes\":["
        "{\"mesh\":0," SOUNDS("\"modalModel\":0,\"gain\":0.5") ",\"KHR_physics_rigid_bodies\":{\"motion\":{}}}},"
        "{\"mesh\":0," SOUNDS("\"modalModel\":0,\"acousticSurface\":0") "}},"
        "{\"mesh\":0," SOUNDS("\"modalModel\":1,\"acousticSurface\":7,\"gain\":\"loud\"") "}}]",
        NULL, NULL);
    // clang-format on
    ENSURE(import && import->body_count == 3 && import->solid_count == 3);
    ENSURE(import->solids[0].usable && import->solids[1].usable && !import->solids[2].usable);
    ENSURE(import->solids[0].young == 1.1e11 && import->solids[0].beta == 3e-8 && isnan(import->solids[1].alpha));
    const twImportBody* b = import->bodies;
    ENSURE(b[0].solid == 0 && b[1].solid == 1 && b[2].solid == -1);
    ENSURE(b[0].property_count == 3 && b[1].property_count == 2 && b[2].property_count == 0);
    ENSURE_TEXT(b[0].properties[1].key, "gain");
    ENSURE_TEXT(b[0].properties[1].text, "0.5");
    ENSURE_TEXT(b[0].properties[2].key, "modes");
    ENSURE_TEXT(b[0].properties[2].text, "4");
    // slopes of heights of 1 um that go on for 0.1 mm
    ENSURE_TEXT(b[1].properties[0].key, "roughness");
    ENSURE_NEAR(atof(b[1].properties[0].text), sqrt(2) * 1e-2, 1e-5);
    ENSURE_TEXT(b[1].properties[1].text, "0.0001");
    ENSURE(strstr(import->note, "'air' (2) has no usable density"));
    tw_import_destroy(import);
    return 0;
}

static int cameras_look_at_the_bodies(void)
{
    // 5 above and 12 in front of the box, turned down by atan(5/12): in the file about -x
    static const char rest[] = BOX_MESH
        ",\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":0.5}},{\"type\":\"orthographic\"}],"
        "\"scenes\":[{\"nodes\":[0,1,2]}],\"nodes\":[{\"mesh\":0,\"translation\":[-0.5,-0.5,-0.5]},{\"camera\":0,\"name\":"
        "\"first\",\"translation\":[0,5,12],\"rotation\":[-0.196116135138184,0,0,0.980580675690920]},{\"camera\":1,"
        "\"name\":\"second\"}]";
    twImport* import = import_box(tw_vec3(1, 1, 1), rest);
    ENSURE(import && import->camera);
    ENSURE_TEXT(import->camera, "first");
    ENSURE(import->eye.y == -12 && import->eye.z == 5 && import->view_angle == 0.5);
    ENSURE_NEAR(tw_vec3_norm(import->target), 0, 1e-12);
    tw_import_destroy(import);
    Model model = box_model(tw_vec3(1, 1, 1));
    twImportDef def = tw_import_def();
    def.camera = "second";
    import = import_model(&model, rest, &def, NULL);
    ENSURE(import && import->view_angle == 0 && import->target.y == 1);
    tw_import_destroy(import);
    return 0;
}

// ---- a file of Blender 3.4: an arm that turns, and a hammer on it; bars; a floor ----

// matrix_world of the hammer by Blender itself: frame, then three rows
static const double blender[][13] = {
    {1, 0.17598463594913483, -0.016378983855247498, 0.013765276409685612, 0.800000011920929, 0.07440511137247086,
     0.0462782084941864, -0.0028079813346266747, -0.10000000149011612, -0.05910404399037361, 0.009489803574979305,
     0.03745173290371895, 0.6000000238418579},
    {12, 0.11421623826026917, -0.03009199909865856, 0.022330421954393387, 0.7291545867919922, 0.1280430406332016,
     0.03760955110192299, 0.006239651702344418, 0.0035284608602523804, -0.10276006907224655, 0.01341615803539753,
     0.032594770193099976, 0.5221261382102966},
    {25, 0.011258304119110107, -0.041323188692331314, 0.022406747564673424, 0.5755783319473267, 0.13388465344905853,
     0.0223751962184906, 0.02371877431869507, 0.056113287806510925, -0.14814907312393188, 0.01708054356276989,
     0.023137789219617844, 0.43060725927352905},
    {31, 0.03961485996842384, -0.03891279548406601, 0.023835578933358192, 0.6214418411254883, 0.14019493758678436,
     0.02687009982764721, 0.018754566088318825, 0.05316053330898285, -0.13702569901943207, 0.01624167338013649,
     0.02607932686805725, 0.45452970266342163}};

static int a_file_of_blender_is_as_it_was_there(void)
{
    twImport* import;
    twError err = {0};
    const twImportDef def = tw_import_def();
    ENSURE(tw_import_load(&import, TEST_SOURCE_DIR "/test/data/blender.glb", &def, &err) == TW_OK);
    static const char* const names[] = {"Hammer", "Bar", "Bar.001", "Bar.002", "Floor"};
    ENSURE(import->body_count == 5 && import->shape_count == 3 && import->animation_count == 1);
    for (int i = 0; i < 5; i++) ENSURE_TEXT(import->bodies[i].name, names[i]);
    ENSURE_TEXT(import->animations[0], "ArmAction");
    ENSURE_TEXT(import->bodies[0].material, "oak wood");
    ENSURE_TEXT(import->bodies[0].others, "Steel.001");
    ENSURE_TEXT(import->bodies[0].properties[0].key, "friction");
    ENSURE(import->bodies[0].moves && !import->bodies[1].moves && import->bodies[4].flat);
    ENSURE_NEAR(import->end, 49 / 24.0, 1e-6);
    const twMat3 scale = tw_mat3_diagonal(tw_vec3(0.2, 0.05, 0.04));
    for (size_t i = 0; i < sizeof blender / sizeof *blender; i++)
    {
        const double* m = blender[i] + 1;
        const twBodyMotion motion = tw_import_motion(import, 0, blender[i][0] / 24);
        const twMat3 a = tw_mat3_mul(tw_mat3_from_quat(motion.turn), scale);
        const double at[3] = {motion.position.x, motion.position.y, motion.position.z};
        for (int row = 0; row < 3; row++)
        {
            for (int k = 0; k < 3; k++) ENSURE_NEAR(a.m[row][k], m[4 * row + k], 2e-7);
            ENSURE_NEAR(at[row], m[4 * row + 3], 2e-7);
        }
    }
    // the camera: the third column of its matrix, backwards
    const twVec3 ahead = tw_vec3_normalize(tw_vec3_sub(import->target, import->eye));
    ENSURE_NEAR(import->eye.y, -2, 1e-6);
    ENSURE_NEAR(ahead.x, -0.5132894515991211, 1e-6);
    ENSURE_NEAR(ahead.y, 0.7870438098907471, 1e-6);
    ENSURE_NEAR(ahead.z, -0.34219297766685486, 1e-6);
    tw_import_destroy(import);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(y_up_becomes_z_up)
    RUN(files_in_mm_and_z_up_are_taken_so)
    RUN(transforms_multiply_and_only_rotations_are_left)
    RUN(bodies_alike_share_a_shape)
    RUN(planes_are_given_a_thickness)
    RUN(morph_targets_are_as_they_are_shown)
    RUN(skinned_meshes_are_as_they_were_bound)
    RUN(names_are_all_different)
    RUN(a_body_is_of_what_most_of_its_surface_is)
    RUN(properties_are_found)
    RUN(how_nodes_sound_by_the_draft_extension_is_read)
    RUN(cameras_look_at_the_bodies)
    RUN(a_file_of_blender_is_as_it_was_there)
)
