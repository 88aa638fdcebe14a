// SPDX-License-Identifier: MIT
// The cache of baking: what is found in it, what is made again, several processes, a full disk.

#define _XOPEN_SOURCE 700  // scratch.h
#include "bake.h"
#include "test.h"
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

static twBakeDef cached_def(const char* folder)
{
    static char path[1024], source[1024];
    twBakeDef def = tw_bake_def();
    snprintf(path, sizeof path, "%s", in_folder(folder));
    snprintf(source, sizeof source, "%s", write_bar(6));
    def.source = source;
    def.cache_folder = path;
    def.count = 3;
    return def;
}

// the n-th file with an ending in a folder, in a static buffer; NULL if there are fewer
static const char* file_in(const char* folder, const char* ending, int n)
{
    static char path[1200];
    DIR* dir = opendir(folder);
    bool found = false;
    for (struct dirent* item; dir && !found && (item = readdir(dir));)
        if (strstr(item->d_name, ending) && n-- == 0)
        {
            snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
            found = true;
        }
    if (dir) closedir(dir);
    return found ? path : NULL;
}

static int a_cached_report_says_all_that_the_first_said(void)
{
    twBakeDef def = cached_def("report");
    twModeSet* set;
    twBakeReport first, second;
    ENSURE(tw_bake(&set, &def, &first, NULL) == TW_OK && !first.cached);
    tw_mode_set_destroy(set);
    ENSURE(tw_bake(&set, &def, &second, NULL) == TW_OK && second.cached);
    ENSURE(second.load_seconds > 0 && second.nodes > 0 && second.elements > 0 && second.levels > 0);
    second.cached = false;
    second.load_seconds = 0;
    ENSURE(memcmp(&first, &second, sizeof first) == 0);
    tw_mode_set_destroy(set);
    // damping is applied to what is cached
    def.damping = tw_damping_loss_factor(0.01);
    ENSURE(tw_bake(&set, &def, &second, NULL) == TW_OK && second.cached);
    ENSURE_NEAR(set->decay[0] / (TW_PI * 0.01 * set->freq_hz[0]), 1, 1e-12);
    tw_mode_set_destroy(set);
    return 0;
}

static int damaged_entries_are_made_again(void)
{
    twBakeDef def = cached_def("damaged");
    twModeSet* set;
    twBakeReport report;
    ENSURE(tw_bake(&set, &def, &report, NULL) == TW_OK);
    tw_mode_set_destroy(set);
    static const char* const endings[] = {".twmodes", ".report"};
    for (int i = 0; i < 2; i++)
    {
        FILE* file = fopen(file_in(def.cache_folder, endings[i], 0), "r+b");
        ENSURE(file && fseek(file, 300, SEEK_SET) == 0 && fputs("damage", file) >= 0 && fclose(file) == 0);
        ENSURE(tw_bake(&set, &def, &report, NULL) == TW_OK && !report.cached);
        tw_mode_set_destroy(set);
        ENSURE(tw_bake(&set, &def, &report, NULL) == TW_OK && report.cached);
        tw_mode_set_destroy(set);
    }
    ENSURE(!file_in(def.cache_folder, ".twmodes", 1));
    return 0;
}

// everything that matters is in the hash
static int other_questions_have_other_answers(void)
{
    twBakeDef def = cached_def("other"), other;
    twModeSet* set;
    twBakeReport report;
    twBakeRegion region = region_of("x>0.4", *tw_material_find("nylon"));
    twPart hold;
    ENSURE(tw_part_parse(&hold, "x<0.1", NULL) == TW_OK && tw_bake(&set, &def, &report, NULL) == TW_OK);
    tw_mode_set_destroy(set);
    for (int i = 0; i < 10; i++)
    {
        other = def;
        if (i == 0) other.count = 4;
        if (i == 1) other.linear = true;
        if (i == 2) other.with_tets = true;
        if (i == 3 || i == 4) other.regions = &region, other.region_count = 1;
        if (i == 4) region.material.name = "cork";
        if (i == 5 || i == 6) other.holds = &hold, other.hold_count = 1;
        if (i == 6) hold.high.x += 0.2;
        if (i >= 7) other.material = *tw_material_find("black-walnut");
        if (i == 8) other.fibre.along.y = 1;
        if (i == 9) other.material.orthotropy.shear[2] *= 2;
        ENSURE(tw_bake(&set, &other, &report, NULL) == TW_OK && !report.cached);
        tw_mode_set_destroy(set);
        ENSURE(tw_bake(&set, &other, &report, NULL) == TW_OK && report.cached);
        tw_mode_set_destroy(set);
    }
    // and the bytes of a file
    other = def;
    other.source = write_bar(8);
    ENSURE(tw_bake(&set, &other, &report, NULL) == TW_OK && !report.cached);
    tw_mode_set_destroy(set);
    return 0;
}

static bool write_bytes(const char* name, const void* bytes, size_t count)
{
    FILE* file = fopen(in_folder(name), "wb");
    return file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0;
}

// a tetrahedron whose corners are in a file beside the .gltf
static int files_that_a_file_names_count_too(void)
{
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"corners.bin\",\"byteLength\":60}],\"bufferViews\":[{"
        "\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12}],\"accessors\":[{\"bufferView\""
        ":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5121,\"count\":12,"
        "\"type\":\"SCALAR\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]}";
    struct
    {
        float corners[12];
        uint8_t faces[12];
    } buffer = {{0, 0, 0, 0.1f, 0, 0, 0, 0.1f, 0, 0, 0, 0.1f}, {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3}};
    twBakeDef def = cached_def("named");
    char source[1024];
    double freq_hz[2] = {0, 0};
    snprintf(source, sizeof source, "%s", in_folder("body.gltf"));
    def.source = source;
    def.count = 1;
    def.accuracy = 0.5;
    ENSURE(write_bytes("body.gltf", text, strlen(text)));
    for (int i = 0; i < 4; i++)
    {
        twModeSet* set;
        twBakeReport report;
        twError err;
        if (i == 2) buffer.corners[11] = 0.2f;
        ENSURE(write_bytes("corners.bin", &buffer, sizeof buffer));
        if (tw_bake(&set, &def, &report, &err) != TW_OK) printf("%s\n", err.text);
        ENSURE(set && report.cached == (i % 2 == 1));
        if (i % 2 == 0) freq_hz[i / 2] = set->freq_hz[0];
        ENSURE(set->freq_hz[0] == freq_hz[i / 2]);
        tw_mode_set_destroy(set);
    }
    ENSURE(freq_hz[1] < 0.9 * freq_hz[0]);
    return 0;
}

static int the_least_used_entries_go_when_the_cache_is_full(void)
{
    twBakeDef def = cached_def("small");
    twModeSet* set;
    twBakeReport report;
    def.cache_max_bytes = 1000;
    for (int i = 1; i <= 3; i++)
    {
        def.count = i;
        ENSURE(tw_bake(&set, &def, &report, NULL) == TW_OK && !report.cached);
        tw_mode_set_destroy(set);
        ENSURE(file_in(def.cache_folder, ".twmodes", 0) && !file_in(def.cache_folder, ".twmodes", 1));
        ENSURE(!file_in(def.cache_folder, ".report", 1));
    }
    // the last one is there
    ENSURE(tw_bake(&set, &def, &report, NULL) == TW_OK && report.cached);
    tw_mode_set_destroy(set);
    return 0;
}

// run in another process. @return its exit code
static int wait_for(pid_t child)
{
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int bake_in_child(const twBakeDef* def, double freq_hz)
{
    twModeSet* set;
    return tw_bake(&set, def, NULL, NULL) == TW_OK && fabs(set->freq_hz[0] / freq_hz - 1) < 1e-9 ? 0 : 1;
}

static int several_processes_share_a_cache(void)
{
    twBakeDef def = cached_def("shared");
    twModeSet* set;
    twBakeReport report;
    def.cache_folder = NULL;
    ENSURE(tw_bake(&set, &def, NULL, NULL) == TW_OK);
    double freq_hz = set->freq_hz[0];
    tw_mode_set_destroy(set);
    def = cached_def("shared");
    pid_t children[4];
    for (int i = 0; i < 4; i++)
    {
        fflush(stdout);
        children[i] = fork();
        ENSURE(children[i] >= 0);
        if (children[i] == 0) _exit(bake_in_child(&def, freq_hz));
    }
    for (int i = 0; i < 4; i++) ENSURE(wait_for(children[i]) == 0);
    ENSURE(tw_bake(&set, &def, &report, NULL) == TW_OK && report.cached && set->freq_hz[0] == freq_hz);
    ENSURE(!file_in(def.cache_folder, ".part", 0) && !file_in(def.cache_folder, ".twmodes", 1));
    tw_mode_set_destroy(set);
    return 0;
}

// a full disk, as far as a process can have its own: files may not grow beyond some bytes
static int a_cache_that_cannot_be_written_is_no_failure(void)
{
    twBakeDef def = cached_def("full");
    twModeSet* set;
    def.cache_folder = NULL;
    ENSURE(tw_bake(&set, &def, NULL, NULL) == TW_OK);
    double freq_hz = set->freq_hz[0];
    tw_mode_set_destroy(set);
    def = cached_def("full");
    fflush(stdout);
    pid_t child = fork();
    ENSURE(child >= 0);
    if (child == 0)
    {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit = {10000, 10000};
        _exit(setrlimit(RLIMIT_FSIZE, &limit) == 0 ? bake_in_child(&def, freq_hz) : 2);
    }
    ENSURE(wait_for(child) == 0);
    ENSURE(!file_in(def.cache_folder, ".twmodes", 0) && !file_in(def.cache_folder, ".part", 0));
    // a file where the folder should be
    FILE* file = fopen(in_folder("nofolder"), "w");
    ENSURE(file && fclose(file) == 0);
    def = cached_def("nofolder");
    ENSURE(tw_bake(&set, &def, NULL, NULL) == TW_OK);
    tw_mode_set_destroy(set);
    return 0;
}

static int the_second_time_comes_from_the_cache(void)
{
    twBakeDef def = cached_def("twice");
    twModeSet *first, *second;
    twBakeReport report;
    ENSURE(tw_bake(&first, &def, &report, NULL) == TW_OK && !report.cached);
    ENSURE(tw_bake(&second, &def, &report, NULL) == TW_OK && report.cached);
    ENSURE(memcmp(first->freq_hz, second->freq_hz, 3 * sizeof(double)) == 0);
    ENSURE(first->vertex_count == second->vertex_count);
    tw_mode_set_destroy(second);
    // anything else is another body
    def.material.young *= 1.01;
    ENSURE(tw_bake(&second, &def, &report, NULL) == TW_OK && !report.cached);
    ENSURE_NEAR(second->freq_hz[0] / first->freq_hz[0], sqrt(1.01), 1e-6);
    tw_mode_set_destroy(first);
    tw_mode_set_destroy(second);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(the_second_time_comes_from_the_cache)
    RUN(a_cached_report_says_all_that_the_first_said)
    RUN(damaged_entries_are_made_again)
    RUN(other_questions_have_other_answers)
    RUN(files_that_a_file_names_count_too)
    RUN(the_least_used_entries_go_when_the_cache_is_full)
    RUN(several_processes_share_a_cache)
    RUN(a_cache_that_cannot_be_written_is_no_failure)
)
