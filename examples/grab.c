// SPDX-License-Identifier: MIT
// A bar lies on the floor. A hand takes it at one end, lifts and swings it, and lets go.
//   cc grab.c $(pkg-config --cflags --libs twang) -o grab && ./grab
// The hand is a spring and a damper between a point and a target that moves (docs/grabs.md). It never gives more energy than its own work,
// which the account at the end shows. Soft bodies, threads and sound: live.c.
#include "twang/twang.h"

static int fail(const twError* err) { return fprintf(stderr, "grab: %s\n", err->text), 1; }

static twStatus make_body(twBodyShape** out, const char* text, double edge, twError* err)
{
    twShape* shape = NULL;
    twMesh* mesh = NULL;
    twBodyShapeDef def = tw_body_shape_def();
    twStatus status = tw_shape_parse(&shape, text, err);
    if (status == TW_OK) status = tw_shape_surface(&mesh, shape, edge, err);
    def.mesh = mesh, def.density = 700;
    if (status == TW_OK) status = tw_body_shape_create(out, &def, err);
    tw_shape_destroy(shape);
    tw_mesh_destroy(mesh);
    return status;
}

int main(void)
{
    twError err;
    twBodyShape *bar = NULL, *floor = NULL;
    if (make_body(&bar, "bar:0.4x0.04x0.02", 0.02, &err) != TW_OK || make_body(&floor, "box:2x2x0.2", 1, &err) != TW_OK)
        return fail(&err);

    twBodyDef bodies[2] = {tw_body_def(), tw_body_def()};
    bodies[0].name = "bar", bodies[0].shape = bar, bodies[0].motion.position.z = 0.011;
    bodies[1].name = "floor", bodies[1].shape = floor, bodies[1].kind = TW_BODY_FIXED;
    bodies[1].motion.position.z = -0.1;
    const twContactMaterial wood = tw_contact_material(tw_material_find("wood"));
    twWorldDef def = tw_world_def();
    def.bodies = bodies, def.body_count = 2, def.materials = &wood, def.material_count = 1, def.max_grabs = 1;
    twWorld* world;
    if (tw_world_create(&world, &def, &err) != TW_OK) return fail(&err);

    // a point of its surface, held where it is now, with 5 N at most
    twGrabDef grab = tw_grab_def();
    grab.at.body = 0, grab.at.point = tw_surface_vertex(tw_body_shape_nearest(bar, tw_vec3(0.2, 0, 0)));
    grab.here = true, grab.max_force = 5;
    for (int i = 0; i <= 20; i++)
    {
        const char* what = "";
        const twGrabView view = tw_world_grab_view(world, 0);
        if (i == 2 && tw_world_grab(world, 0, &grab, &err) != TW_OK) return fail(&err);
        if (i == 2) what = "taken at one end";
        if (i == 4) tw_world_move_grab(world, 0, tw_vec3(0.2, 0, 0.5), 0.5, &err), what = "lifted";
        if (i == 10) tw_world_move_grab(world, 0, tw_vec3(-0.2, 0.2, 0.5), 0.3, &err), what = "swung";
        if (i == 14) tw_world_release(world, 0), what = "let go";
        printf("%.1f s  bar %.3f m high, held with %.2f N, %.1e m off%s %s\n", 0.1 * i,
               tw_world_motion(world, 0, 0.1 * i, NULL, NULL).position.z, tw_vec3_norm(view.force), view.error,
               view.limited ? ", as hard as it may" : "", what);
        tw_world_advance(world, 0.1 * (i + 1));
    }
    const twWorldEnergy energy = tw_world_energy(world);
    printf("work of the hand %.4f J; largest gain of energy beyond it %.1e J\n", energy.work, energy.largest_rise);
    tw_world_destroy(world);
    tw_body_shape_destroy(bar), tw_body_shape_destroy(floor);
    return 0;
}
