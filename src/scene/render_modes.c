// SPDX-License-Identifier: MIT
// render_modes_: what a render says of the modes of its bodies, one entry for each shape of a scene that bodies have.

#include "bodies.h"
#include "render.h"
#include <math.h>
#include <stdlib.h>

static twRenderModes render_modes_of(const twScene* scene, const twBodies* bodies, int shape)
{
    const BodyMade* made = &bodies->made[shape];
    twRenderModes m = {.body = -1,
                       .count = made->set->mode_count,
                       .acting = made->acting,
                       .error = made->error,
                       .error_known = made->error_known,
                       .unknown_modes = made->unknown_modes,
                       .one_sided = made->one_sided,
                       .radiated = made->air.baked,
                       .radiation_left = made->air.left,
                       .radiation_left_db = made->air.left_db};
    snprintf(m.rigid, sizeof m.rigid, "%.255s", made->rigid);
    for (int i = 0; i < scene->body_count; i++)
    {
        if (scene->bodies[i].shape != shape) continue;
        if (m.body < 0) m.body = i;
        m.bodies++;
    }
    return m;
}

twStatus render_modes_fill(twRenderReport* report, const twScene* scene, const twBodies* bodies, twError* err)
{
    report->modes_count = 0;
    report->modes = calloc((size_t)scene->shape_count + 1, sizeof *report->modes);
    if (!report->modes) return tw_fail(err, TW_NO_MEMORY, "no memory for the modes of %d shapes", scene->shape_count);
    for (int i = 0; i < scene->shape_count; i++)
    {
        const twRenderModes m = render_modes_of(scene, bodies, i);
        if (m.bodies > 0) report->modes[report->modes_count++] = m;
    }
    return TW_OK;
}

static void render_modes_error(twJson* json, const twRenderModes* m)
{
    if (m->error > 0)
    {
        tw_json_number(json, "error_estimate_percent", 100 * m->error);
        tw_json_number(json, "error_cents", 1200 * log2(1 + m->error));
    }
    else
    {
        tw_json_null(json, "error_estimate_percent");
        tw_json_null(json, "error_cents");
    }
    tw_json_integer(json, "unknown_modes", m->unknown_modes);
    tw_json_bool(json, "one_sided", m->one_sided);
}

void render_modes_json(twJson* json, const twScene* scene, const twRenderReport* report)
{
    if (report->modes_count == 0) return;
    tw_json_array(json, "modes");
    for (int i = 0; i < report->modes_count; i++)
    {
        const twRenderModes* m = &report->modes[i];
        tw_json_object(json, NULL);
        tw_json_text(json, "body", scene->bodies[m->body].name);
        tw_json_integer(json, "bodies", m->bodies);
        tw_json_integer(json, "count", m->count);
        tw_json_integer(json, "acting_back", m->acting);
        if (m->rigid[0]) tw_json_text(json, "rigid", m->rigid);
        if (m->count > 0) render_modes_error(json, m);
        if (m->radiated > 0)
        {
            tw_json_integer(json, "radiation_computed", m->radiated);
            tw_json_integer(json, "radiation_estimated", m->radiation_left);
            if (m->radiation_left > 0) tw_json_number(json, "radiation_estimated_db", m->radiation_left_db);
        }
        tw_json_end(json);
    }
    tw_json_end(json);
}
