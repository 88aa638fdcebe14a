// SPDX-License-Identifier: MIT
// Scenes that import a file: what becomes of its bodies, what the scene says otherwise, and mistakes.
#define _XOPEN_SOURCE 700
#include "import.h"
#include "scene.h"

// a hammer that moves, on an arm; two cups alike; a floor; a camera
#define FILE_REST                                                                                                        \
    "\"materials\":[{\"name\":\"Steel.001\"},{\"name\":\"Material\"},{\"name\":\"oak wood\"}],\"cameras\":[{\"type\":"   \
    "\"perspective\",\"perspective\":{\"yfov\":0.5}}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"    \
    "\"indices\":1,\"material\":0}]},{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"material\":%d}]}" \
    ",{\"primitives\":[{\"attributes\":{\"POSITION\":4},\"material\":2}]}],\"scenes\":[{\"nodes\":[0,2,3,4,5]}],"        \
    "\"nodes\":[{\"children\":[1],\"name\":\"arm\"},{\"mesh\":0,\"name\":\"hammer\",\"translation\":[0,0.5,0]},"         \
    "{\"mesh\":1,\"name\":\"cup\",\"translation\":[0.3,0.1,0],\"extras\":{%s}},{\"mesh\":1,\"name\":\"cup\","            \
    "\"translation\":[0.6,0.1,0]},{\"mesh\":2,\"name\":\"%s\",\"translation\":[0,-0.5,0]},{\"camera\":0,\"name\":"       \
    "\"eye\",\"translation\":[0,0.2,2]}],\"animations\":[{\"name\":\"swing\",\"channels\":[{\"sampler\":0,\"target\":"   \
    "{\"node\":0,\"path\":\"%s\"}}],\"samplers\":[{\"input\":2,\"output\":3,\"interpolation\":\"%s\"}]}]"

typedef struct File
{
    int material;
    const char *extras, *floor, *path, *kind;
} File;

static const File USUAL = {0, "", "floor", "translation", "LINEAR"};

// write room.glb to the folder of the tests
static void write_room(File file)
{
    static const double times[] = {0.5, 1, 1.5}, places[] = {0, 0, 0, 1, 0, 0, 0, 0, 0};
    static const double floor_corners[] = {-1, 0, -1, -1, 0, 1, 1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0, -1};
    char rest[4096];
    Model model = box_model(tw_vec3(0.05, 0.05, 0.05));
    add_floats(&model, times, 3, 1);
    add_floats(&model, places, 3, 3);
    add_floats(&model, floor_corners, 6, 3);
    snprintf(rest, sizeof rest, FILE_REST, file.material, file.extras, file.floor, file.path, file.kind);
    Bytes bytes = glb_model(&model, rest);
    write_file("room.glb", bytes.data, bytes.count);
    free(bytes.data);
}

static twStatus parse_here(twScene** scene, const char* text, twError* err)
{
    return tw_scene_parse(scene, in_folder("room.yaml"), text, strlen(text), err);
}

static twScene* read_here(const char* text)
{
    twScene* scene;
    twError err = {0};
    if (parse_here(&scene, text, &err) != TW_OK) printf("%s\n", err.text);
    return scene;
}

static const twSceneBody* body_of(const twScene* scene, const char* name)
{
    for (int i = 0; i < scene->body_count; i++)
        if (strcmp(scene->bodies[i].name, name) == 0) return &scene->bodies[i];
    printf("there is no body %s\n", name);
    abort();
}

static const twSceneShape* shape_of(const twScene* scene, const char* name)
{
    return &scene->shapes[body_of(scene, name)->shape];
}

// ---- what is read ----

static int one_line_makes_a_scene(void)
{
    write_room(USUAL);
    twScene* scene = read_here("import: room.glb\n");
    ENSURE(scene && scene->body_count == 4 && scene->shape_count == 2);
    const twSceneBody *hammer = body_of(scene, "hammer"), *cup = body_of(scene, "cup"),
                      *floor = body_of(scene, "floor");
    ENSURE(hammer->kind == TW_BODY_MOVED && hammer->drive && cup->kind == TW_BODY_FIXED &&
           floor->kind == TW_BODY_FIXED);
    ENSURE(hammer->shape == cup->shape && cup->shape == body_of(scene, "cup-2")->shape);
    ENSURE_TEXT(shape_of(scene, "cup")->material.name, "steel");
    ENSURE_TEXT(shape_of(scene, "floor")->material.name, "oak");
    ENSURE_NEAR(cup->motion.position.x, 0.3, 1e-7);
    ENSURE_NEAR(cup->motion.position.z, 0.1, 1e-7);
    ENSURE(strstr(cup->where, "room.yaml:1:1, imported 'cup'"));
    ENSURE(strstr(scene->import->note, "'floor' is flat, and was given a thickness"));
    // the hammer follows: half way at 0.75 s, there at 1 s
    ENSURE_NEAR(tw_scene_drive(hammer->drive, 0.75).position.x, 0.5, 1e-12);
    ENSURE(tw_scene_drive(hammer->drive, 0.75).velocity.x > 1 && tw_scene_drive(hammer->drive, 1).position.x == 1);
    ENSURE_NEAR(scene->duration, 2.5, 1e-7);
    ENSURE(scene->camera.given && scene->camera.eye.y == -2);
    ENSURE_NEAR(scene->camera.view_angle, 0.5, 1e-12);
    tw_scene_destroy(scene);
    return 0;
}

static int the_scene_refines_what_is_imported(void)
{
    write_room(USUAL);
    twScene* scene = read_here("import: {file: room.glb, skip: [floor]}\n"
                               "duration: 3\n"
                               "materials: {clay: {density: 2000, young: 3.0e+10, alpha: 3, beta: 1.0e-6}}\n"
                               "bodies:\n"
                               "  cup: {material: clay, flexible: {modes: 7}, friction: 0.3}\n"
                               "  hammer: {kind: fixed, position: [0, 0, 2]}\n"
                               "  cup-2: {velocity: [1, 0, 0], shape: \"sphere:0.02\"}\n"
                               "  third: {shape: \"room.glb#cup\", position: [1, 0, 0]}\n"
                               "camera: {eye: [1, 1, 1], target: [0, 0, 0]}\n");
    ENSURE(scene && scene->body_count == 4 && scene->duration == 3 && scene->camera.eye.x == 1);
    const twSceneBody *cup = body_of(scene, "cup"), *hammer = body_of(scene, "hammer"),
                      *second = body_of(scene, "cup-2");
    // what vibrates and is not held is free
    ENSURE(cup->kind == TW_BODY_FREE && shape_of(scene, "cup")->flexible && shape_of(scene, "cup")->mode_count == 7);
    ENSURE(shape_of(scene, "cup")->material.density == 2000 && shape_of(scene, "cup")->mesh);
    ENSURE_NEAR(cup->motion.position.x, 0.3, 1e-7);
    ENSURE(hammer->kind == TW_BODY_FIXED && !hammer->drive && hammer->motion.position.z == 2);
    ENSURE(second->kind == TW_BODY_FREE && second->motion.velocity.x == 1 && shape_of(scene, "cup-2")->ball_radius > 0);
    ENSURE(body_of(scene, "third")->kind == TW_BODY_FREE &&
           shape_of(scene, "third")->mesh == shape_of(scene, "cup")->mesh);
    tw_scene_destroy(scene);
    return 0;
}

// what stands there rings there: to have modes, or none, sets nothing free
static int what_rings_by_itself_stays_where_it_is(void)
{
    static const char* const texts[] = {"import: room.glb\n", "import: room.glb\nbodies: {cup: {flexible: false}}\n",
                                        "import: room.glb\nbodies: {cup: {flexible: auto}}\n"};
    for (int i = 0; i < 3; i++)
    {
        write_room(USUAL);
        twScene* scene = read_here(texts[i]);
        ENSURE(scene && body_of(scene, "cup")->kind == TW_BODY_FIXED);
        ENSURE(shape_of(scene, "cup")->flexible == (i != 1) && shape_of(scene, "cup")->automatic == (i != 1));
        tw_scene_destroy(scene);
    }
    return 0;
}

static int properties_of_the_file_count_unless_the_scene_speaks(void)
{
    File file = USUAL;
    file.extras = "\"twang_kind\":\"flexible\",\"twang_material\":\"brass\",\"twang_modes\":9,\"twang_friction\":0.5";
    write_room(file);
    twScene* scene = read_here("import: room.glb\n");
    ENSURE(scene && body_of(scene, "cup")->kind == TW_BODY_FREE && shape_of(scene, "cup")->mode_count == 9);
    ENSURE_TEXT(shape_of(scene, "cup")->material.name, "brass");
    ENSURE(scene->surfaces[body_of(scene, "cup")->surface].contact.stick == 0.5);
    tw_scene_destroy(scene);
    scene =
        read_here("import: room.glb\nbodies: {cup: {material: glass, flexible: false, kind: fixed, friction: 0.1}}\n");
    ENSURE(scene && body_of(scene, "cup")->kind == TW_BODY_FIXED && !shape_of(scene, "cup")->flexible);
    ENSURE_TEXT(shape_of(scene, "cup")->material.name, "glass");
    ENSURE(scene->surfaces[body_of(scene, "cup")->surface].contact.stick == 0.1);
    tw_scene_destroy(scene);
    return 0;
}

static int a_plane_called_ground_is_the_ground(void)
{
    File file = USUAL;
    file.floor = "Ground";
    write_room(file);
    twScene* scene = read_here("import: room.glb\n");
    ENSURE(scene && scene->body_count == 3 && scene->ground.given);
    ENSURE(scene->ground.point.z == -0.5 && scene->ground.normal.z == 1);
    ENSURE_TEXT(scene->surfaces[scene->ground.surface].material, "oak");
    tw_scene_destroy(scene);
    scene = read_here("import: room.glb\nground: {material: concrete, point: [0, 0, -1]}\n");
    ENSURE(scene && scene->body_count == 3 && scene->ground.point.z == -1);
    tw_scene_destroy(scene);
    return 0;
}

static int names_of_materials_are_understood(void)
{
    static const char* const names[][2] = {{"steel", "steel"},
                                           {"Steel.001", "steel"},
                                           {"Brushed_Steel-dark.012", "steel"},
                                           {"oak wood", "oak"},
                                           {"Wood Oak", "oak"},
                                           {"WOOD", "wood"},
                                           {"old wooden plank", "wood"},
                                           {"Aluminum", "aluminium"},
                                           {"Plastic (red)", "polystyrene"},
                                           {"my metal", "tin"},
                                           {"Tin.003", "tin"},
                                           {"Bell Metal", "Bell Metal"},
                                           {"bell_metal.001", "Bell Metal"},
                                           {"China", "porcelain"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        char extras[128], wanted[64];
        File file = USUAL;
        snprintf(extras, sizeof extras, "\"twang_material\":\"%s\"", names[i][0]);
        file.extras = extras;
        write_room(file);
        twScene* scene =
            read_here("import: room.glb\nmaterials: {tin: {alpha: 1, beta: 1.0e-7}, metal: {alpha: 1, beta: 1.0e-7}, "
                      "Bell Metal: {alpha: 1, beta: 1.0e-7}}\n");
        // what the scene calls metal comes before what we think of it
        snprintf(wanted, sizeof wanted, "%s", strcmp(names[i][0], "my metal") == 0 ? "metal" : names[i][1]);
        ENSURE(scene);
        ENSURE_TEXT(shape_of(scene, "cup")->material.name, wanted);
        tw_scene_destroy(scene);
    }
    return 0;
}

static int numbers_of_the_file_make_materials(void)
{
    Model model = box_model(tw_vec3(0.05, 0.05, 0.05));
    Bytes bytes = glb_model(
        &model,
        "\"extensions\":{\"KHR_audio_rigid_bodies\":{\"acousticMaterials\":[{\"name\":\"steel\",\"density\":7000,"
        "\"youngsModulus\":1.5e11,\"poissonRatio\":0.3},{\"name\":\"resin\",\"density\":1200,\"youngsModulus\":3e9,"
        "\"poissonRatio\":0.35,\"alpha\":9,\"beta\":1e-6}],\"acousticSurfaces\":[{\"material\":0},{\"material\":1}]}},"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"nodes\":["
        "{\"mesh\":0,\"name\":\"a\",\"extensions\":{\"KHR_audio_rigid_bodies\":{\"acousticSurface\":0,\"gain\":0.25}}},"
        "{\"mesh\":0,\"name\":\"b\",\"translation\":[1,0,0],\"extensions\":{\"KHR_audio_rigid_bodies\":"
        "{\"acousticSurface\":1}}},{\"mesh\":0,\"name\":\"c\",\"translation\":[2,0,0]}]");
    write_file("room.glb", bytes.data, bytes.count);
    free(bytes.data);
    const twMaterial* steel = tw_material_find("steel");
    twScene* scene = read_here("import: room.glb\n");
    ENSURE(scene && body_of(scene, "a")->gain == 0.25);
    ENSURE(shape_of(scene, "a")->material.density == 7000 && shape_of(scene, "a")->material.young == 1.5e11);
    ENSURE(shape_of(scene, "a")->material.alpha == steel->alpha);
    ENSURE(shape_of(scene, "b")->material.density == 1200 && shape_of(scene, "b")->material.beta == 1e-6);
    ENSURE(shape_of(scene, "c")->material.density == steel->density);
    tw_scene_destroy(scene);
    // what the scene says counts
    scene = read_here(
        "import: room.glb\nmaterials: {resin: {density: 1300, young: 2.0e+9, poisson: 0.3, alpha: 1, beta: 0}}\n"
        "bodies: {a: {material: glass}}\n");
    ENSURE(scene && shape_of(scene, "b")->material.density == 1300);
    ENSURE(shape_of(scene, "a")->material.density == tw_material_find("glass")->density);
    tw_scene_destroy(scene);
    return 0;
}

static int a_default_material_is_of_what_names_none(void)
{
    File file = USUAL;
    file.material = 1;
    write_room(file);
    twScene* scene = read_here(
        "import: room.glb\ndefault_material: glass\nbodies: {other: {shape: \"sphere:0.1\", position: [9, 0, 0]}}\n");
    ENSURE(scene);
    ENSURE_TEXT(shape_of(scene, "cup")->material.name, "glass");
    ENSURE_TEXT(shape_of(scene, "other")->material.name, "glass");
    tw_scene_destroy(scene);
    return 0;
}

static int other_bytes_are_another_scene(void)
{
    File file = USUAL;
    write_room(file);
    twScene* first = read_here("import: room.glb\n");
    file.floor = "Floor";
    write_room(file);
    twScene* second = read_here("import: room.glb\n");
    ENSURE(first && second && (first->hash.low != second->hash.low || first->hash.high != second->hash.high));
    tw_scene_destroy(first);
    tw_scene_destroy(second);
    return 0;
}

// room.glb as room.gltf, with its numbers in room.bin
static bool split_room(void)
{
    static const char mark[] = "\"buffers\":[{";
    char* bytes;
    size_t count;
    if (tw_file_read(&bytes, &count, in_folder("room.glb"), 1 << 20, NULL) != TW_OK) return false;
    uint32_t json_bytes;
    memcpy(&json_bytes, bytes + 12, 4);
    const char *json = bytes + 20, *binary = json + json_bytes + 8, *at = strstr(json, mark);
    Bytes text = {0};
    if (at)
    {
        put(&text, json, (size_t)(at - json) + strlen(mark));
        put_text(&text, "\"uri\":\"room.bin\",");
        put(&text, at + strlen(mark), json_bytes - (size_t)(at - json) - strlen(mark));
        write_file("room.gltf", text.data, text.count);
        write_file("room.bin", binary, (size_t)(bytes + count - binary));
    }
    free(text.data);
    free(bytes);
    return at != NULL;
}

static int numbers_may_be_in_a_file_beside_it(void)
{
    File file = USUAL;
    write_room(file);
    ENSURE(split_room());
    twScene* whole = read_here("import: room.glb\n");
    twScene* split = read_here("import: room.gltf\n");
    ENSURE(whole && split && split->body_count == whole->body_count && split->shape_count == whole->shape_count);
    for (int i = 0; i < whole->shape_count; i++)
        ENSURE(tw_mesh_mass(split->shapes[i].mesh, 1).volume == tw_mesh_mass(whole->shapes[i].mesh, 1).volume);

    // other numbers are another scene, though the .gltf is the same
    FILE* binary = fopen(in_folder("room.bin"), "r+b");
    ENSURE(binary && fputc(1, binary) == 1 && fclose(binary) == 0);
    twScene* other = read_here("import: room.gltf\n");
    ENSURE(other && memcmp(&other->hash, &split->hash, sizeof other->hash) != 0);
    tw_scene_destroy(whole);
    tw_scene_destroy(split);
    tw_scene_destroy(other);
    ENSURE(remove(in_folder("room.bin")) == 0);
    twError err;
    ENSURE(parse_here(&other, "import: room.gltf\n", &err) == TW_BAD_INPUT && strstr(err.text, "room.bin"));
    return 0;
}

static int units_of_a_file_have_names(void)
{
    write_room(USUAL);
    twScene* named = read_here("import: {file: room.glb, unit: in}\n");
    twScene* number = read_here("import: {file: room.glb, unit: 0.0254}\n");
    ENSURE(named && number && shape_of(named, "cup")->mesh);
    ENSURE(tw_mesh_mass(shape_of(named, "cup")->mesh, 1).volume ==
           tw_mesh_mass(shape_of(number, "cup")->mesh, 1).volume);
    ENSURE_NEAR(tw_mesh_mass(shape_of(named, "cup")->mesh, 1).volume, pow(0.05 * 0.0254, 3), 1e-15);
    tw_scene_destroy(named);
    tw_scene_destroy(number);
    return 0;
}

// ---- mistakes ----

typedef struct Mistake
{
    File file;
    Wrong wrong;
} Mistake;

static int mistakes_are_named_with_their_place(void)
{
    static const Mistake mistakes[] = {
        {{0, "", "floor", "translation", "LINEAR"}, {"import: rom.glb\n", "1:9", "rom.glb"}},
        {{0, "", "floor", "translation", "LINEAR"}, {"import: {fil: room.glb}\n", "1:10", "'fil'"}},
        {{0, "", "floor", "translation", "LINEAR"}, {"import: {file: room.glb, up: x}\n", "1:30", "'up'"}},
        {{0, "", "floor", "translation", "LINEAR"}, {"import: {file: room.glb, unit: 0}\n", "1:32", "'unit'"}},
        {{0, "", "floor", "translation", "LINEAR"},
         {"import: {file: room.glb, skip: [flor]}\n", "1:26", "did you mean 'floor'?"}},
        {{0, "", "floor", "translation", "LINEAR"},
         {"import: {file: room.glb, camera: me}\n", "1:16", "no camera 'me'"}},
        {{0, "", "floor", "translation", "LINEAR"},
         {"import: {file: room.glb, animation: jump}\n", "1:16", "it has 'swing'"}},
        {{0, "", "floor", "translation", "LINEAR"},
         {"import: room.glb\nbodies: {cap: {material: steel}}\n", "2:10", "has no body 'cap'; did you mean 'cup'?"}},
        {{0, "", "floor", "translation", "LINEAR"},
         {"import: room.glb\nbodies: {cup: {materiel: steel}}\n", "2:16", "'materiel'"}},
        {{0, "", "floor", "translation", "LINEAR"},
         {"import: room.glb\nbodies: {hammer: {position: [0, 0, 1]}}\n", "2:19", "'hammer' follows the animation"}},
        {{0, "", "floor", "translation", "LINEAR"},
         {"import: room.glb\nbodies: {cup: {scale: 2}}\n", "2:16", "has a 'unit' for all"}},
        {{0, "", "floor", "translation", "LINEAR"},
         {"import: room.glb\nbodies: {a: {shape: \"room.glb#b\"}}\n", "2:21", "'twang info' lists"}},
        {{0, "", "floor", "translation", "LINEAR"},
         {"import: room.glb\ndefault_material: cheese\n", "2:19", "no material 'cheese'"}},
        {{0, "", "floor", "translation", "LINEAR"}, {"import: room.glb\nbodies: {cup: 3}\n", "2:15", "cup"}},
        {{1, "", "floor", "translation", "LINEAR"},
         {"import: room.glb\n", "1:9", "'cup' is made of 'Material', which is no material"}},
        {{0, "\"twang_knd\":1", "floor", "translation", "LINEAR"},
         {"import: room.glb\n", "1:9", "property 'twang_knd'"}},
        {{0, "\"twang_kind\":\"soft\"", "floor", "translation", "LINEAR"},
         {"import: room.glb\n", "1:9", "a twang_kind 'soft'"}},
        {{0, "\"twang_mass\":-1", "floor", "translation", "LINEAR"}, {"import: room.glb\n", "1:1", "'mass' must be"}},
        {{0, "", "floor", "translation", "STEP"}, {"import: room.glb\n", "1:1", "{\"hammer\": {kind: fixed}}"}},
    };
    int missed = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    {
        const Wrong* wrong = &mistakes[i].wrong;
        twScene* scene;
        twError err = {0};
        char place[64];
        write_room(mistakes[i].file);
        const twStatus status = parse_here(&scene, wrong->text, &err);
        snprintf(place, sizeof place, "room.yaml:%s:", wrong->place);
        const bool good = status == TW_BAD_INPUT && strstr(err.text, wrong->message) && strstr(err.text, place);
        if (!good) printf("case %zu: %s\n  gave (%d) %s\n", i, wrong->text, (int)status, err.text);
        missed += !good;
        tw_scene_destroy(scene);
    }
    ENSURE(missed == 0);
    return 0;
}

// ---- what is made of it ----

static int imported_bodies_make_a_world(void)
{
    write_room(USUAL);
    twScene* scene = read_here("import: room.glb\nbodies: {cup: {kind: free, position: [0.3, 0, 0.1]}}\n");
    twBodies* bodies;
    twError err = {0};
    const twBodiesDef def = tw_bodies_def();
    ENSURE(scene);
    keep_rigid(scene);
    if (tw_bodies_create(&bodies, scene, &def, &err) != TW_OK) printf("%s\n", err.text);
    ENSURE(bodies);
    twWorld* world = tw_bodies_world(bodies);
    tw_world_advance(world, 0.75);
    // the hammer is where its keys say, the cup falls to the floor, half a metre below
    ENSURE_NEAR(tw_world_motion(world, 0, 0.75, NULL, NULL).position.x, 0.5, 1e-3);
    ENSURE_NEAR(tw_world_motion(world, 1, 0.75, NULL, NULL).position.z, -0.5, 0.02);
    ENSURE(tw_world_motion(world, 2, 0.75, NULL, NULL).position.x == scene->bodies[2].motion.position.x);
    tw_bodies_destroy(bodies);
    tw_scene_destroy(scene);
    return 0;
}

static int an_open_mesh_is_told_by_its_name(void)
{
    // a corner of a box: three faces
    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0};
    Model model = {0};
    add_floats(&model, corners, 9, 3);
    Bytes bytes =
        glb_model(&model, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0,"
                          "\"name\":\"bowl\"}]");
    write_file("room.glb", bytes.data, bytes.count);
    free(bytes.data);
    twScene* scene = read_here("import: room.glb\ndefault_flexible: false\n");
    twBodies* bodies;
    twError err = {0};
    const twBodiesDef def = tw_bodies_def();
    ENSURE(scene && tw_bodies_create(&bodies, scene, &def, &err) == TW_BAD_INPUT && !bodies);
    ENSURE(strstr(err.text, "imported 'bowl'") && strstr(err.text, "room.glb#bowl: the surface is open"));
    ENSURE(strstr(scene->import->note, "'bowl' has no material and is of steel"));
    tw_scene_destroy(scene);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(one_line_makes_a_scene)
    RUN(the_scene_refines_what_is_imported)
    RUN(what_rings_by_itself_stays_where_it_is)
    RUN(properties_of_the_file_count_unless_the_scene_speaks)
    RUN(a_plane_called_ground_is_the_ground)
    RUN(names_of_materials_are_understood)
    RUN(numbers_of_the_file_make_materials)
    RUN(a_default_material_is_of_what_names_none)
    RUN(other_bytes_are_another_scene)
    RUN(numbers_may_be_in_a_file_beside_it)
    RUN(units_of_a_file_have_names)
    RUN(mistakes_are_named_with_their_place)
    RUN(imported_bodies_make_a_world)
    RUN(an_open_mesh_is_told_by_its_name)
)
