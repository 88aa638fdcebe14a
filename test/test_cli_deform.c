// SPDX-License-Identifier: MIT
// Tests of `twang reproduce deform` on the command line.
#define _XOPEN_SOURCE 700
#include "cli.h"

// everything but what takes long; figures are there and whole
static int reproduced_deformables_agree(void)
{
    remove_files();
    ENSURE(run("reproduce deform --quick --json -o figures") == 0 && is_json(output));
    ENSURE(strstr(output, "\"ok\": true") && strstr(output, "\"ok\": null") && !strstr(output, "\"ok\": false"));
    ENSURE(strstr(output, "Brain: 40 modes") && strstr(output, "theory of a slender bar"));
    ENSURE(strstr(output, "waves around the rim") && strstr(output, "largest rise of energy in a step"));
    ENSURE(strstr(output, "block: 10 points off target") && strstr(output, "by weighted least squares"));
    ENSURE(strstr(output, "one step of 1 s beside 1000") && strstr(output, "one step: largest difference"));
    static const char* const figures[] = {"fig2", "fig4", "fig5", "fig6", "fig8"};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    {
        char path[64];
        snprintf(path, sizeof path, "figures/deform-%s.png", figures[i]);
        ENSURE(starts_like(path, "\x89PNG"));
    }
    return 0;
}

static int figures_need_a_folder_that_can_be_made(void)
{
    remove_files();
    ENSURE(write_scene("x"));
    ENSURE(run("reproduce deform --quick -o s.yaml/figures 2>&1") != 0 && strstr(output, "s.yaml"));
    return 0;
}

// clang-format off
TEST_MAIN(
    scratch_folder();  // before any child does
    RUN(reproduced_deformables_agree)
    RUN(figures_need_a_folder_that_can_be_made)
)
