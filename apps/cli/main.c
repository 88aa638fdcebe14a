// SPDX-License-Identifier: MIT
// twang: the command line. Finds the command, runs it, makes sure that its output arrived.

#include "cli.h"
#include <string.h>

const char cli_prefix[] = "twang ";

typedef struct Command
{
    const char* name;
    const char* summary;
    int (*run)(int argc, char** argv);
} Command;

static const Command commands[] = {
    {"render", "a scene to sound, spectrogram, report and film", cmd_render},
    {"sound", "hear recorded motion again: other places, ears, damping", cmd_sound},
    {"picture", "pictures and film of recorded motion", cmd_picture},
    {"modes", "modal analysis of a mesh or shape", cmd_modes},
    {"bake", "how modes sound in the air around a body", cmd_bake},
    {"strike", "strike a mesh or shape and hear it", cmd_strike},
    {"impact", "one impact under the microscope: numeric against exact", cmd_impact},
    {"friction", "one friction contact under the microscope", cmd_friction},
    {"reproduce", "the sources' tables and figures, ours beside theirs", cmd_reproduce},
    {"gallery", "all examples rendered, checked and shown on a page", cmd_gallery},
    {"materials", "the built-in materials", cmd_materials},
    {"info", "what is in a scene, sound, mesh, mode file or trace", cmd_info},
};
#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static void print_help(FILE* stream)
{
    fprintf(stream, "twang %s: objects that collide, rub, bend and ring, in sound and pictures\n\n", tw_version());
    fprintf(stream, "Usage: twang COMMAND [options] [arguments]\n\nCommands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++) fprintf(stream, "  %-10s  %s\n", commands[i].name, commands[i].summary);
    fprintf(stream, "\nOptions:\n  -h, --help  show this help\n  --version   show the version\n\n");
    fprintf(stream, "'twang COMMAND --help' and 'twang help COMMAND' explain a command.\n");
    fprintf(stream, "Exit status: 0 success, 1 failure at run time, 2 bad input or usage, 130 interrupted.\n");
}

static const Command* find_command(const char* name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

static int fail_unknown(const char* word)
{
    const char* names[COMMAND_COUNT + 3] = {"help", "--help", "--version"};
    for (int i = 0; i < COMMAND_COUNT; i++) names[3 + i] = commands[i].name;
    const char* near = tw_nearest_name(word, names, COMMAND_COUNT + 3);
    const char* what = word[0] == '-' ? "option" : "command";
    if (near) return cli_fail(NULL, CLI_USAGE, "unknown %s '%s'; did you mean '%s'?", what, word, near);
    return cli_fail(NULL, CLI_USAGE, "unknown %s '%s'; 'twang --help' lists what there is", what, word);
}

// twang help [COMMAND]
static int run_help(int argc, char** argv)
{
    if (argc < 2)
    {
        print_help(stdout);
        return CLI_OK;
    }
    const Command* command = find_command(argv[1]);
    if (!command) return fail_unknown(argv[1]);
    char flag[] = "--help";
    char* help_argv[] = {argv[1], flag, NULL};
    return command->run(2, help_argv);
}

static int run(int argc, char** argv)
{
    if (argc < 2)
    {
        print_help(stderr);
        return CLI_USAGE;
    }
    const char* word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return run_help(argc - 1, argv + 1);
    if (strcmp(word, "--version") == 0)
    {
        printf("twang %s\n", tw_version());
        return CLI_OK;
    }
    const Command* command = find_command(word);
    return command ? command->run(argc - 1, argv + 1) : fail_unknown(word);
}

int main(int argc, char** argv)
{
    cli_catch_signals();
    int code = run(argc, argv);

    // a full disk behind a redirection must not pass for success
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_OK)
        return cli_fail(NULL, CLI_FAILED, "standard output could not be written");
    return code != CLI_OK && cli_interrupted() ? CLI_INTERRUPTED : code;
}
