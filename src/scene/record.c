// SPDX-License-Identifier: MIT
// The trace of a scene with rods: shapes, energies, and blows as arrows.

#include "record.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARROWS 256   // of a frame; what is beyond is not seen either
#define LEAST_PART 1e-6  // of the peak: less is rounding

enum
{
    KINETIC,
    ELASTIC,
    GRAVITY,
    DISSIPATED,
    WORK,
    STEP,
    SERIES
};
static const twTraceSeries series[SERIES] = {{"kinetic energy", "J"},   {"elastic energy", "J"},
                                             {"energy of height", "J"}, {"energy lost", "J"},
                                             {"work of blows", "J"},    {"step size", "s"}};

// ---- what is recorded ----

void record_tidy(char* out, size_t bytes, const char* text)
{
    size_t n = strlen(text);
    if (n >= bytes)
        for (n = bytes - 1; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;) n--;
    for (size_t i = 0; i < n; i++) out[i] = (unsigned char)text[i] < ' ' || text[i] == 127 ? ' ' : text[i];
    out[n] = 0;
}

typedef struct Names
{
    char name[TW_TRACE_NAME], material[TW_TRACE_NAME];
} Names;

twTraceRod* record_rods(const twScene* scene)
{
    const size_t rod_count = (size_t)scene->rod_count;
    size_t section_count = 0;
    for (int i = 0; i < scene->rod_count; i++) section_count += (size_t)scene->rods[i].def.section_count;
    // one block: rods, sections, names
    const size_t bytes = rod_count * (sizeof(twTraceRod) + sizeof(Names)) + section_count * sizeof(twTraceSection);
    twTraceRod* rods = calloc(bytes + 1, 1);
    if (!rods) return NULL;
    twTraceSection* sections = (twTraceSection*)(void*)(rods + rod_count);
    Names* names = (Names*)(void*)(sections + section_count);
    for (int i = 0; i < scene->rod_count; i++)
    {
        const twSceneRod* rod = &scene->rods[i];
        record_tidy(names[i].name, TW_TRACE_NAME, rod->name);
        record_tidy(names[i].material, TW_TRACE_NAME, rod->material);
        rods[i] = (twTraceRod){.name = names[i].name,
                               .material = names[i].material,
                               .point_count = rod->def.point_count,
                               .closed = rod->def.closed,
                               .section_count = rod->def.section_count,
                               .sections = sections,
                               .corner_count = rod->corner_count,
                               .corners = rod->corners};
        for (int k = 0; k < rod->def.section_count; k++) *sections++ = tw_trace_section(&rod->def.sections[k]);
    }
    return rods;
}

static void describe_scene(const twScene* scene, twTraceDef* def)
{
    def->frame_rate_hz = scene->frame_rate_hz;
    def->camera = scene->camera;
    def->rod_count = scene->rod_count;
    def->series_count = SERIES;
    def->series = series;
    if (scene->listener_count == 0 || !scene->listeners[0].def.ground) return;
    def->ground = true;
    def->ground_point = scene->listeners[0].def.ground_point;
    def->ground_normal = tw_vec3_normalize(scene->listeners[0].def.ground_normal);
}

twStatus record_start(twTraceWriter** out, const twScene* scene, const char* path, twError* err)
{
    twTraceRod* rods = record_rods(scene);
    twStatus status = rods ? TW_OK : tw_fail(err, TW_NO_MEMORY, "no memory for the trace");
    if (status == TW_OK)
    {
        // a sound file whose name does not fit is not named
        char title[TW_TRACE_TEXT], sound[TW_TRACE_TEXT];
        twTraceDef def = tw_trace_def();
        record_tidy(title, sizeof title, scene->title);
        if (snprintf(sound, sizeof sound, "%s.wav", scene->outputs[0].name) >= (int)sizeof sound) sound[0] = 0;
        describe_scene(scene, &def);
        def.title = title;
        def.sound = sound;
        def.rods = rods;
        status = tw_trace_create(out, path, &def, err);
    }
    free(rods);
    return status;
}

// ---- a frame ----

static void add_energy(double values[SERIES], twRod* rod)
{
    const twRodEnergy e = tw_rod_energy(rod);
    values[KINETIC] += e.kinetic;
    values[ELASTIC] += e.bending + e.twisting + e.stretching + e.shearing + e.springs;
    values[GRAVITY] += e.gravity;
    values[DISSIPATED] += e.dissipated;
    values[WORK] += e.work;
}

// the most of sin(pi x) for x in [a, b], 0 outside [0, 1]
static double largest_of_pulse(double a, double b)
{
    a = fmax(a, 0);
    b = fmin(b, 1);
    if (a >= b) return 0;
    return a <= 0.5 && b >= 0.5 ? 1 : sin(TW_PI * (b < 0.5 ? b : a));
}

int record_blows(twTraceArrow* arrows, int count, int most, const twRodDef* def, const twRodView* view, double from,
                 double to)
{
    for (int i = 0; i < def->pulse_count && count < most; i++)
    {
        const twRodPulse* p = &def->pulses[i];
        const double part = largest_of_pulse((from - p->start) / p->duration, (to - p->start) / p->duration);
        const double force[3] = {part * p->force.x, part * p->force.y, part * p->force.z};
        if (!(part > LEAST_PART)) continue;
        for (int k = 0; k < 3; k++)
        {
            arrows[count].at[k] = (float)view->position[k][p->point];
            arrows[count].force[k] = (float)force[k];
        }
        count++;
    }
    return count;
}

// mean length of the pieces that steps were cut to since the last frame
static double step_size(const twScene* scene, twRods* rods, RecordMark* mark)
{
    RecordMark now = {0, 0};
    for (int i = 0; i < scene->rod_count; i++)
    {
        const twRodStats stats = tw_rod_stats(tw_rods_rod(rods, i));
        now.steps += stats.steps;
        now.pieces += stats.substeps;
    }
    const double steps = (double)(now.steps - mark->steps), pieces = (double)(now.pieces - mark->pieces);
    *mark = now;
    return pieces > 0 ? steps / pieces / (scene->rate_hz * scene->oversample) : NAN;
}

twStatus record_frame(twTraceWriter* writer, const twScene* scene, twRods* rods, int64_t n, RecordMark* mark,
                      twError* err)
{
    twRodView views[TW_MAX_SCENE_RODS];
    twTraceArrow arrows[MAX_ARROWS];
    double values[SERIES] = {0};
    const double from = (double)n / scene->frame_rate_hz, to = (double)(n + 1) / scene->frame_rate_hz;
    int count = 0;
    for (int i = 0; i < scene->rod_count; i++)
    {
        twRod* rod = tw_rods_rod(rods, i);
        add_energy(values, rod);
        views[i] = tw_rod_view(rod);
        count = record_blows(arrows, count, MAX_ARROWS, &scene->rods[i].def, &views[i], from, to);
    }
    values[STEP] = step_size(scene, rods, mark);
    const twTraceFrame frame = {.rods = views, .series = values, .arrow_count = count, .arrows = arrows};
    return tw_trace_append(writer, &frame, err);
}
