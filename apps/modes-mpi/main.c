// SPDX-License-Identifier: MIT
// twang-modes-mpi: `twang modes` on several processes. Rank 0 is the command itself; whenever it analyses a mesh, the
// others help. They end together, with one exit code.

#include "cli.h"
#include "fem/ranks.h"
#include <string.h>

const char cli_prefix[] = "twang-";

static bool asks_for_help(int argc, char** argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

static int run(int argc, char** argv)
{
    static char name[] = "modes-mpi";
    if (argc > 0) argv[0] = name;
    cli_catch_signals();
    int code = cmd_modes(argc, argv);
    if (asks_for_help(argc, argv))
        printf("On several processors: mpirun -n 4 twang-modes-mpi BODY ...; --max-memory is for each of them.\n");

    // a full disk behind a redirection must not pass for success
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_OK)
        code = cli_fail("modes-mpi", CLI_FAILED, "standard output could not be written");
    return code != CLI_OK && cli_interrupted() ? CLI_INTERRUPTED : code;
}

int main(int argc, char** argv)
{
    int code;
    fem_ranks_start();
    if (fem_ranks_first())
        fem_ranks_finish(code = run(argc, argv));
    else
        code = fem_ranks_serve();
    fem_ranks_stop();
    return code;
}
