// SPDX-License-Identifier: MIT
// Recorded motion: what is written comes back, and what is not a trace is refused.
#define _XOPEN_SOURCE 700
#include "test.h"

#include "trace_sample.h"
#include "twang/rod.h"
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

#define OUTPUT_MAX 8192

static int files_in_folder(void)
{
    int n = 0;
    DIR* dir = opendir(scratch_folder());
    for (struct dirent* entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (dir) closedir(dir);
    return n;
}

// ---- what is good ----

static int rods_come_back(void)
{
    twTrace* trace;
    ENSURE(record(in_folder("a.twtrace"), FRAMES) == TW_OK);
    ENSURE(tw_trace_load(&trace, in_folder("a.twtrace"), NULL) == TW_OK);
    ENSURE(trace->frame_rate_hz == 24 && trace->frame_count == FRAMES && trace->rod_count == 2);
    for (int r = 0; r < 2; r++)
    {
        const twTraceRod* rod = &trace->rods[r];
        ENSURE_TEXT(rod->name, rods[r].name);
        ENSURE_TEXT(rod->material, rods[r].material);
        ENSURE(rod->point_count == rods[r].point_count && rod->closed == rods[r].closed);
        ENSURE(rod->section_count == rods[r].section_count && rod->corner_count == rods[r].corner_count);
        ENSURE(memcmp(rod->sections, rods[r].sections, (size_t)rod->section_count * sizeof *rod->sections) == 0);
        for (int i = 0; i < 2 * rod->corner_count; i++) ENSURE(rod->corners[i] == rods[r].corners[i]);
        for (int f = 0; f < FRAMES; f++)
            for (int k = 0; k < 3; k++)
            {
                int edges = rod->closed ? rod->point_count : rod->point_count - 1;
                const float *x = tw_trace_positions(trace, f, r), *d1 = tw_trace_directors(trace, f, r);
                for (int i = 0; i < rod->point_count; i++) ENSURE(x[3 * i + k] == (float)value(f, r, k, i));
                for (int i = 0; i < edges; i++) ENSURE(d1[3 * i + k] == (float)value(f, r, 3 + k, i));
            }
    }
    tw_trace_destroy(trace);
    return 0;
}

static int bodies_come_back_with_their_surfaces_and_modes(void)
{
    twTrace* trace;
    Sample s;
    ENSURE(record(in_folder("b.twtrace"), FRAMES) == TW_OK);
    ENSURE(tw_trace_load(&trace, in_folder("b.twtrace"), NULL) == TW_OK && trace->body_count == 2);
    ENSURE_TEXT(trace->bodies[0].name, "bell");
    ENSURE_TEXT(trace->bodies[0].material, "bronze");
    ENSURE_TEXT(trace->bodies[1].material, "");
    ENSURE(!trace->bodies[0].held && trace->bodies[0].contact_damping == 0.25f);
    ENSURE(trace->bodies[1].held && trace->bodies[1].contact_damping == 0);
    const twModeSet* set = trace->bodies[0].set;
    ENSURE(set->mode_count == MODES && set->vertex_count == 4 && set->face_count == 4 && set->mass.mass == 2);
    ENSURE(memcmp(set->shape, shapes, sizeof shapes) == 0 && memcmp(set->vertices, corners3d, sizeof corners3d) == 0);
    ENSURE(memcmp(set->faces, sides, sizeof sides) == 0 && set->freq_hz[1] == 20 && set->decay[1] == 2);
    ENSURE(set->tet_count == 0 && trace->bodies[1].set->mode_count == 0);  // nobody sees inside
    for (int f = 0; f < FRAMES; f++)
    {
        fill_sample(&s, f);
        const float *pose = tw_trace_pose(trace, f, 0), *still = tw_trace_pose(trace, f, 1);
        const float expected[7] = {(float)f, 2, 3, (float)s.poses[0].turn.w, 0, 0, (float)s.poses[0].turn.z};
        ENSURE(memcmp(pose, expected, sizeof expected) == 0);
        ENSURE(still[0] == 0 && still[4] == 1 && still[6] == 0);
        for (int k = 0; k < MODES; k++) ENSURE(tw_trace_amplitudes(trace, f, 0)[k] == (float)s.amplitude[k]);
    }
    tw_trace_destroy(trace);
    return 0;
}

#define COPIES 500

// leaf, bell, leaf, bell, ...: each set is there once, and a copy costs a record of 144 bytes and up to 63 behind all
static int copies_share_one_set_in_the_file(void)
{
    twTraceBody copies[COPIES];
    twTraceWriter* writer;
    twTrace* trace;
    size_t bytes[2];
    for (int i = 0; i < COPIES; i++)
        copies[i] = i % 2 ? (twTraceBody){.name = "bell", .material = "bronze", .set = &bell}
                          : (twTraceBody){.name = "leaf", .set = &leaf};
    for (int many = 0; many < 2; many++)
    {
        twTraceDef def = tw_trace_def();
        def.body_count = many ? COPIES : 2;
        def.bodies = copies;
        ENSURE(tw_trace_create(&writer, in_folder("c.twtrace"), &def, NULL) == TW_OK);
        ENSURE(tw_trace_commit(&writer, NULL) == TW_OK);
        char* file;
        ENSURE(tw_file_read(&file, &bytes[many], in_folder("c.twtrace"), 1 << 20, NULL) == TW_OK);
        free(file);
    }
    ENSURE(bytes[1] - bytes[0] <= 144 * (COPIES - 2) + 63 && bytes[1] - bytes[0] + 63 >= 144 * (COPIES - 2));
    ENSURE(tw_trace_load(&trace, in_folder("c.twtrace"), NULL) == TW_OK && trace->body_count == COPIES);
    for (int i = 0; i < COPIES; i++)
    {
        ENSURE(trace->bodies[i].set == trace->bodies[i % 2].set && trace->set_first[i] == i % 2);
        ENSURE(trace->bodies[i].set->mode_count == (i % 2 ? MODES : 0));
        ENSURE_TEXT(trace->bodies[i].name, copies[i].name);
    }
    ENSURE(memcmp(trace->bodies[COPIES - 1].set->shape, shapes, sizeof shapes) == 0);
    tw_trace_destroy(trace);
    return 0;
}

static int amplitudes_not_given_are_zero_even_after_others(void)
{
    twTraceWriter* writer;
    twTrace* trace;
    Sample s;
    const twTraceDef def = sample_def();
    ENSURE(tw_trace_create(&writer, in_folder("zero.twtrace"), &def, NULL) == TW_OK);
    ENSURE(tw_trace_append(writer, fill_sample(&s, 3), NULL) == TW_OK);
    s.poses[0].amplitude = NULL;
    ENSURE(tw_trace_append(writer, &s.frame, NULL) == TW_OK && tw_trace_commit(&writer, NULL) == TW_OK);
    ENSURE(tw_trace_load(&trace, in_folder("zero.twtrace"), NULL) == TW_OK);
    ENSURE(tw_trace_amplitudes(trace, 0, 0)[1] != 0 && tw_trace_amplitudes(trace, 1, 0)[1] == 0);
    tw_trace_destroy(trace);
    return 0;
}

static int series_arrows_and_what_is_said_of_the_whole_come_back(void)
{
    twTrace* trace;
    ENSURE(record(in_folder("c.twtrace"), FRAMES) == TW_OK);
    ENSURE(tw_trace_load(&trace, in_folder("c.twtrace"), NULL) == TW_OK && trace->series_count == 3);
    ENSURE_TEXT(trace->title, "Two rods, a bell and a leaf");
    ENSURE_TEXT(trace->sound, "all.wav");
    ENSURE(trace->camera.given && trace->camera.eye.y == 2 && trace->camera.target.z == 0.5);
    ENSURE(trace->camera.view_angle == 0.7);
    ENSURE(trace->ground && trace->ground_point.z == -1 && trace->ground_normal.z == 1);
    ENSURE_TEXT(trace->series[0].name, "energy");
    ENSURE_TEXT(trace->series[1].unit, "s");
    for (int f = 0; f < FRAMES; f++)
    {
        const float* values = tw_trace_values(trace, f);
        ENSURE(values[0] == (float)(1e6 + f) && values[2] == 7);
        ENSURE(f % 2 ? isnan(values[1]) : values[1] == (float)f);
        ENSURE(trace->arrow_count[f] == (f == 1 ? 2 : f == 3 ? 1 : 0));
        for (int i = 0; i < trace->arrow_count[f]; i++)
            ENSURE(memcmp(&trace->arrows[f][i], &arrows[i], sizeof *arrows) == 0);
    }
    tw_trace_destroy(trace);
    return 0;
}

static int the_bytes_depend_on_the_contents_alone_and_are_aligned(void)
{
    size_t count, again;
    char *bytes = good_bytes(&count), *other = good_bytes(&again);
    ENSURE(bytes && other && count == again && memcmp(bytes, other, count) == 0);
    ENSURE(memcmp(bytes, "TWTRACE\n", 8) == 0 && count % 64 == 0 && chunk_at(bytes, CHUNKS) == count);
    const size_t done = chunk_at(bytes, DONE) + 64;
    ENSURE(u64_at(bytes, done) == count && u64_at(bytes, done + 8) == CHUNKS && u64_at(bytes, done + 16) == FRAMES);
    ENSURE(u64_at(bytes, done + 24) == 3 && u64_at(bytes, done + 32) == 6 && u64_at(bytes, done + 40) == SAMPLES);
    ENSURE(memcmp(bytes + chunk_at(bytes, MODE1), "MODE", 4) == 0 && u64_at(bytes, chunk_at(bytes, MODE1) + 16) == 1);
    ENSURE(memcmp(bytes + chunk_at(bytes, MODE1) + 64, "TWMODES\n", 8) == 0);

    // the checksums are what the page says
    sign(other, bytes, CHUNKS);
    ENSURE(memcmp(bytes, other, count) == 0);
    free(bytes);
    free(other);
    return 0;
}

static int no_frames_and_nothing_that_moves_are_fine(void)
{
    twTrace* trace;
    twTraceWriter* writer;
    twTraceDef none = tw_trace_def();
    const twTraceFrame nothing = {0};
    ENSURE(record(in_folder("still.twtrace"), 0) == TW_OK);
    ENSURE(tw_trace_load(&trace, in_folder("still.twtrace"), NULL) == TW_OK);
    ENSURE(trace->frame_count == 0 && trace->rod_count == 2 && trace->body_count == 2);
    tw_trace_destroy(trace);
    ENSURE(tw_trace_create(&writer, in_folder("empty.twtrace"), &none, NULL) == TW_OK);
    ENSURE(tw_trace_append(writer, &nothing, NULL) == TW_OK && tw_trace_commit(&writer, NULL) == TW_OK && !writer);
    ENSURE(tw_trace_load(&trace, in_folder("empty.twtrace"), NULL) == TW_OK);
    ENSURE(trace->frame_count == 1 && trace->rod_count == 0 && trace->body_count == 0 && trace->series_count == 0);
    ENSURE(!trace->camera.given && !trace->ground && trace->title[0] == 0 && trace->sound[0] == 0);
    tw_trace_destroy(trace);
    tw_trace_destroy(NULL);
    tw_trace_abort(NULL);
    return 0;
}

static int a_simulated_rod_is_recorded_as_it_moves(void)
{
    const twVec3 points[] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}, {0.3, 0, 0}};
    const twSectionDef round = {.kind = TW_SECTION_CIRCLE, .radius = 0.002};
    const twRodPulse blow = {.point = 3, .force = {0, 5, 0}, .duration = 1e-3};
    twSection section;
    twRod* rod;
    twTrace* trace;
    twTraceWriter* writer;
    ENSURE(tw_section_compute(&section, &round, NULL) == TW_OK);
    const twTraceSection drawn = tw_trace_section(&section);
    ENSURE_NEAR(drawn.radius, 0.002, 1e-12);
    ENSURE_NEAR(drawn.half_size[1], 0.002, 1e-12);
    twRodDef def = tw_rod_def();
    def.point_count = 4;
    def.points = points;
    def.section_count = 1;
    def.sections = &section;
    def.pulse_count = 1;
    def.pulses = &blow;
    ENSURE(tw_rod_create(&rod, &def, NULL) == TW_OK);
    const twTraceRod described = {
        .name = "rod", .material = "steel", .point_count = 4, .section_count = 1, .sections = &drawn};
    const twTraceDef recorded = {.frame_rate_hz = def.rate_hz / 100, .rod_count = 1, .rods = &described};
    ENSURE(tw_trace_create(&writer, in_folder("rod.twtrace"), &recorded, NULL) == TW_OK);
    twRodView view = tw_rod_view(rod);
    ENSURE(tw_trace_append(writer, &(twTraceFrame){.rods = &view}, NULL) == TW_OK);
    for (int i = 0; i < 100; i++) tw_rod_step(rod);
    view = tw_rod_view(rod);
    ENSURE(tw_trace_append(writer, &(twTraceFrame){.rods = &view}, NULL) == TW_OK &&
           tw_trace_commit(&writer, NULL) == TW_OK);
    ENSURE(tw_trace_load(&trace, in_folder("rod.twtrace"), NULL) == TW_OK && trace->frame_count == 2);
    ENSURE(tw_trace_positions(trace, 0, 0)[3 * 3 + 1] == 0);
    ENSURE(tw_trace_positions(trace, 1, 0)[3 * 3 + 1] == (float)view.position[1][3] && view.position[1][3] > 1e-6);
    for (int k = 0; k < 3; k++) ENSURE(tw_trace_directors(trace, 1, 0)[3 * 2 + k] == (float)view.frame_d1[k][2]);
    tw_trace_destroy(trace);
    tw_rod_destroy(rod);
    return 0;
}

// of later versions: a chunk that is not known, between those that are
static int chunks_that_are_not_known_are_skipped(void)
{
    size_t count;
    char *good = good_bytes(&count), *more = good ? malloc(count + 192) : NULL;
    ENSURE(more);
    size_t at = chunk_at(good, FRAM1);
    memcpy(more, good, at);
    memset(more + at, 0, 192);
    memcpy(more + at, "IMPL", 4);
    memcpy(more + at + 4, &(uint32_t){100}, 4);
    put_u64(more, at + 8, 1);
    memcpy(more + at + 192, good + at, count - at);
    put_u64(more, count + 128, count + 192);  // in the last chunk, at 64 of 128 bytes
    put_u64(more, count + 136, CHUNKS + 1);
    sign(more, more, CHUNKS + 1);
    twTrace* trace;
    ENSURE(tw_trace_view(&trace, more, count + 192, NULL) == TW_OK && trace->frame_count == FRAMES);
    ENSURE(tw_trace_positions(trace, 3, 1)[4] == (float)value(3, 1, 1, 1));
    tw_trace_destroy(trace);
    free(good);
    free(more);
    return 0;
}

// ---- writing that fails ----

static int an_aborted_trace_leaves_nothing(void)
{
    int before = files_in_folder();
    twTraceWriter* writer;
    const twTraceDef def = sample_def();
    Sample s;
    ENSURE(tw_trace_create(&writer, in_folder("gone.twtrace"), &def, NULL) == TW_OK);
    ENSURE(tw_trace_append(writer, fill_sample(&s, 0), NULL) == TW_OK);
    ENSURE(access(in_folder("gone.twtrace"), F_OK) != 0 && files_in_folder() == before + 1);
    tw_trace_abort(&writer);
    ENSURE(!writer && files_in_folder() == before);
    return 0;
}

static int a_full_disk_leaves_what_was_there(void)
{
    ENSURE(record(in_folder("full.twtrace"), 1) == TW_OK);
    int before = files_in_folder();
    struct rlimit old, tight;
    ENSURE(getrlimit(RLIMIT_FSIZE, &old) == 0);
    tight = old;
    tight.rlim_cur = 20000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    twTraceWriter* writer;
    const twTraceDef def = sample_def();
    Sample s;
    twError err;
    twStatus appended = TW_OK, created = tw_trace_create(&writer, in_folder("full.twtrace"), &def, NULL);
    fill_sample(&s, 0);
    for (int i = 0; i < 1000 && created == TW_OK && appended == TW_OK; i++)
        appended = tw_trace_append(writer, &s.frame, &err);
    twStatus committed = created == TW_OK ? tw_trace_commit(&writer, NULL) : TW_OK;
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    ENSURE(created == TW_OK && appended == TW_IO_ERROR && committed == TW_IO_ERROR && !writer);
    ENSURE(strstr(err.text, "full.twtrace") && files_in_folder() == before);
    twTrace* trace;
    ENSURE(tw_trace_load(&trace, in_folder("full.twtrace"), NULL) == TW_OK && trace->frame_count == 1);
    tw_trace_destroy(trace);
    return 0;
}

static int rods_that_cannot_be_recorded_are_refused_by_name(void)
{
    twError err;
    twTraceWriter* writer;
    const char* path = in_folder("bad.twtrace");
    char longest[80];
    memset(longest, 'x', sizeof longest);
    longest[64] = 0;
    const struct
    {
        double rate_hz;
        int count;
        const char *name, *text;
        int points, sections;
        bool closed;
        double half_size;
    } bad[] = {{0, 1, "a", "0 frames per second", 2, 1, false, 1},
               {NAN, 1, "a", "frames per second", 2, 1, false, 1},
               {1, -1, "a", "-1 rods", 2, 1, false, 1},
               {1, 1, "a", "rod 0: 1 points; it must be 2", 1, 1, false, 1},
               {1, 1, "a", "rod 0: 2 points; it must be 3", 2, 1, true, 1},
               {1, 1, "a", "rod 0: 2 sections", 3, 2, false, 1},
               {1, 1, "a", "rod 0: section 0 has half sizes 0 and", 2, 1, false, 0},
               {1, 1, longest, "longer than 63 bytes", 2, 1, false, 1},
               {1, 1, "a\nb", "control characters", 2, 1, false, 1}};
    int before = files_in_folder();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    {
        const twTraceSection section[2] = {{{bad[i].half_size, 1}, 0, 0}, {{1, 1}, 0, 0}};
        const twTraceRod rod = {.name = bad[i].name,
                                .point_count = bad[i].points,
                                .closed = bad[i].closed,
                                .section_count = bad[i].sections,
                                .sections = section};
        const twTraceDef def = {.frame_rate_hz = bad[i].rate_hz, .rod_count = bad[i].count, .rods = &rod};
        ENSURE(tw_trace_create(&writer, path, &def, &err) == TW_BAD_INPUT && !writer);
        ENSURE(strstr(err.text, bad[i].text) && strstr(err.text, path));
    }
    longest[63] = 0;
    const twTraceRod good = {.name = longest, .point_count = 2, .section_count = 1, .sections = &wire};
    const twTraceDef def = {.frame_rate_hz = 1, .rod_count = 1, .rods = &good};
    ENSURE(tw_trace_create(&writer, path, &def, NULL) == TW_OK);
    tw_trace_abort(&writer);
    ENSURE(tw_trace_create(&writer, in_folder("no/where.twtrace"), &def, &err) == TW_IO_ERROR && !writer);
    ENSURE(strstr(err.text, "folder") && files_in_folder() == before);
    return 0;
}

// a good def with one thing wrong: @return whether it is refused with such a text
static bool def_refused(const twTraceDef* def, const char* text)
{
    twError err = {0};
    twTraceWriter* writer;
    twStatus status = tw_trace_create(&writer, in_folder("bad.twtrace"), def, &err);
    if (status != TW_BAD_INPUT || !strstr(err.text, text)) printf("%s, expected: %s\n", err.text, text);
    tw_trace_abort(&writer);
    return status == TW_BAD_INPUT && strstr(err.text, text) && strstr(err.text, "bad.twtrace");
}

static int other_things_that_cannot_be_recorded_are_refused_by_name(void)
{
    char text[300];
    memset(text, 'x', sizeof text);
    text[256] = 0;
    int before = files_in_folder();
    twTraceDef def = sample_def();
    def.title = text;
    ENSURE(def_refused(&def, "title or sound is longer than 255 bytes"));
    def = sample_def();
    def.sound = "a\033";
    ENSURE(def_refused(&def, "control characters"));
    def = sample_def();
    def.camera.view_angle = 4;
    ENSURE(def_refused(&def, "camera: an angle of view of 4"));
    def = sample_def();
    def.camera.eye = def.camera.target;
    ENSURE(def_refused(&def, "apart"));
    def = sample_def();
    def.ground_normal.z = 2;
    ENSURE(def_refused(&def, "ground: a normal of length 2"));
    def = sample_def();
    twTraceRod rod = rods[0];
    def.rod_count = 1;
    def.rods = &rod;
    rod.corner_count = 2;
    ENSURE(def_refused(&def, "rod 0: 2 corners; it must be 0 or 3"));
    const double clockwise[] = {0, 0, 0, 1, 1, 0};
    rod.corner_count = 3;
    rod.corners = clockwise;
    ENSURE(def_refused(&def, "rod 0: its corners must go round counter-clockwise"));
    def = sample_def();
    twModeSet odd = bell;
    twTraceBody body = {.name = "a\n", .material = "", .set = &odd};
    def.body_count = 1;
    def.bodies = &body;
    ENSURE(def_refused(&def, "body 0: name or material"));
    body.name = "a";
    const twTriangle lost = {{0, 1, 4}};
    odd.face_count = 1;
    odd.faces = &lost;
    ENSURE(def_refused(&def, "body 0: face 0 names vertex 4 of 4"));
    def = sample_def();
    def.series_count = -1;
    ENSURE(def_refused(&def, "-1 series"));
    def.series_count = 1;
    def.series = &(twTraceSeries){"a", "\t"};
    ENSURE(def_refused(&def, "series 0: name or unit"));
    ENSURE(files_in_folder() == before);
    return 0;
}

// whether a frame is refused with such a text; the trace is as it was
static bool frame_refused(twTraceWriter* writer, const Sample* s, const char* text)
{
    twError err = {0};
    return tw_trace_append(writer, &s->frame, &err) == TW_BAD_INPUT && strstr(err.text, text);
}

static int frames_that_do_not_fit_are_refused_by_name(void)
{
    twTraceWriter* writer;
    const twTraceDef def = sample_def();
    Sample s;
    ENSURE(tw_trace_create(&writer, in_folder("bad.twtrace"), &def, NULL) == TW_OK);
    fill_sample(&s, 0);
    s.numbers[1][2][1] = NAN;
    ENSURE(frame_refused(writer, &s, "frame 0, rod 1: the place of point 1"));
    fill_sample(&s, 0);
    s.numbers[0][3][3] = 1e39;  // beyond floats
    ENSURE(frame_refused(writer, &s, "frame 0, rod 0: d1 of edge 3"));
    fill_sample(&s, 0);
    s.views[1].edge_count = 2;
    ENSURE(frame_refused(writer, &s, "the trace has 3 and 3"));
    fill_sample(&s, 0);
    s.poses[1].position.y = INFINITY;
    ENSURE(frame_refused(writer, &s, "frame 0, body 1: its place or turn"));
    fill_sample(&s, 0);
    s.poses[0].turn.x = 0.1;
    ENSURE(frame_refused(writer, &s, "frame 0, body 0: the turn 1, 0.1, 0, 0 is not of length 1"));
    fill_sample(&s, 0);
    s.amplitude[1] = NAN;
    ENSURE(frame_refused(writer, &s, "body 0: the amplitude of mode 1"));
    fill_sample(&s, 0);
    s.values[2] = -1e39;
    ENSURE(frame_refused(writer, &s, "series 2: -1e+39"));
    fill_sample(&s, 0);
    s.frame.arrow_count = 1;
    s.frame.arrows = &(twTraceArrow){{0, NAN, 0}, {0, 0, 0}};
    ENSURE(frame_refused(writer, &s, "arrow 0 is not finite"));
    tw_trace_abort(&writer);
    return 0;
}

// ---- the command ----

static char output[OUTPUT_MAX];

// @return exit code of twang info
static int info(const char* options, const char* path)
{
    char command[1600];
    snprintf(command, sizeof command, "%s/twang info %s '%s' 2>&1", TEST_BIN_DIR, options, path);
    FILE* pipe = popen(command, "r");
    if (!pipe) return -1;
    output[fread(output, 1, sizeof output - 1, pipe)] = 0;
    int code = pclose(pipe);
    return code < 0 ? code : code >> 8;
}

static int info_tells_what_is_in_a_trace(void)
{
    ENSURE(record(in_folder("shown.twtrace"), FRAMES) == TW_OK);
    ENSURE(info("", in_folder("shown.twtrace")) == 0);
    ENSURE(strstr(output, "trace, 4 frame(s) at 24 per second, 0.125 s"));
    ENSURE(strstr(output, "gong: 5 points, steel, section 0.004 x 0.002 m at its first point"));
    ENSURE(strstr(output, "seau: 3 points, closed, round, diameter 0.001 m"));
    ENSURE(strstr(output, "title: Two rods, a bell and a leaf") && strstr(output, "sound: all.wav"));
    ENSURE(strstr(output, "bell: 4 vertices, 4 faces, bronze, 2 modes from 10 to 20 Hz"));
    // 3 m in 3 frames; 1.5 kg^1/2 m of the first mode, whose last vertex moves by |(1, 1.1, 1.2)|; the second has no shape
    ENSURE(strstr(output, "moves by up to 3 m, bends by less than 2.866 m, most at 10 Hz"));
    ENSURE(strstr(output, "leaf: 3 vertices, 1 faces, rigid"));
    ENSURE(strstr(output, "energy: 1e+06 to 1e+06 J") && strstr(output, "step: 0 to 2 s"));
    ENSURE(strstr(output, "arrows: 3 in 2 frame(s), up to 8.775 N"));  // |(4, 5, 6)|
    ENSURE(strstr(output, "camera: at 1,2,3 looking at 0,0,0.5, 40.11 degrees high"));
    ENSURE(strstr(output, "ground: through 0,0,-1, up is 0,0,1"));
    ENSURE(info("--json", in_folder("shown.twtrace")) == 0);
    ENSURE(strstr(output, "\"arrows\": 3") && strstr(output, "\"moves_by_m\": 3") && strstr(output, "\"corners\": 4"));
    ENSURE(strstr(output, "\"frames\": 4") && strstr(output, "\"radius_m\": 0.0005"));

    // the first rod's largest move, by hand
    double farthest = 0;
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < POINTS; i++)
        {
            double square = 0;
            for (int k = 0; k < 3; k++) square += pow(value(f, 0, k, i) - value(0, 0, k, i), 2);
            farthest = fmax(farthest, sqrt(square));
        }
    const char* told = strstr(output, "\"moves_by_m\": ");
    ENSURE(told);
    ENSURE_NEAR(atof(told + 14), farthest, 1e-6);

    // what pushed: test_trace_forces.c has the sums by hand
    ENSURE(strstr(output, "\"complete\": true") && strstr(output, "\"largest_force_n\": 5,"));
    ENSURE(strstr(output, "\"peak\": 50") && strstr(output, "\"steps\": 250"));
    ENSURE(info("", in_folder("shown.twtrace")) == 0 && !strstr(output, "unfinished"));
    ENSURE(strstr(output, "forces: 6 of 2 contact(s) at 3 place(s), from 0.001 to 0.006 s"));
    ENSURE(strstr(output, "bell, leaf: 2 contact(s), up to 5 N, impulse 0.023 N s"));
    ENSURE(strstr(output, "tracks: 5 sample(s) at 8000 per second, 0.001 s") && strstr(output, "rim: up to 5 m/s"));
    ENSURE(strstr(output, "numbers\n  steps: 250\n  rollbacks: 3\n"));

    // by its first bytes, whatever its name
    ENSURE(rename(in_folder("shown.twtrace"), in_folder("shown.bin")) == 0);
    ENSURE(info("", in_folder("shown.bin")) == 0 && strstr(output, "trace, 4 frame(s)"));
    FILE* file = fopen(in_folder("text.twtrace"), "w");
    ENSURE(file && fputs("duration: 1\n", file) >= 0 && fclose(file) == 0);
    ENSURE(info("", in_folder("text.twtrace")) == 2 && strstr(output, "not a trace"));
    ENSURE(info("", in_folder("missing.twtrace")) == 2);
    return 0;
}

static int info_tells_how_far_an_unfinished_trace_is(void)
{
    twTraceWriter* writer;
    twTraceDef def = sample_def();
    def.resumable = true;
    ENSURE(tw_trace_create(&writer, in_folder("left.twtrace"), &def, NULL) == TW_OK);
    for (int f = 0; f < 3; f++) ENSURE(record_frame_of(writer, f) == TW_OK);
    tw_trace_leave(&writer);
    ENSURE(info("", in_folder("left.twtrace.part")) == 0);
    ENSURE(strstr(output, "trace, 3 frame(s)") && strstr(output, "unfinished: recorded up to 0.0833333 s\n"));
    FILE* file = fopen(in_folder("left.twtrace.part"), "ab");
    ENSURE(file && fputs("FRAM", file) >= 0 && fclose(file) == 0);
    ENSURE(info("", in_folder("left.twtrace.part")) == 0);
    ENSURE(strstr(output, "recorded up to 0.0833333 s; the last 4 byte(s) are not whole"));
    ENSURE(info("--json", in_folder("left.twtrace.part")) == 0);
    ENSURE(strstr(output, "\"complete\": false") && strstr(output, "\"lost_bytes\": 4"));
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(rods_come_back)
    RUN(bodies_come_back_with_their_surfaces_and_modes)
    RUN(copies_share_one_set_in_the_file)
    RUN(amplitudes_not_given_are_zero_even_after_others)
    RUN(series_arrows_and_what_is_said_of_the_whole_come_back)
    RUN(the_bytes_depend_on_the_contents_alone_and_are_aligned)
    RUN(no_frames_and_nothing_that_moves_are_fine)
    RUN(a_simulated_rod_is_recorded_as_it_moves)
    RUN(chunks_that_are_not_known_are_skipped)
    RUN(an_aborted_trace_leaves_nothing)
    RUN(a_full_disk_leaves_what_was_there)
    RUN(rods_that_cannot_be_recorded_are_refused_by_name)
    RUN(other_things_that_cannot_be_recorded_are_refused_by_name)
    RUN(frames_that_do_not_fit_are_refused_by_name)
    RUN(info_tells_what_is_in_a_trace)
    RUN(info_tells_how_far_an_unfinished_trace_is)
)
