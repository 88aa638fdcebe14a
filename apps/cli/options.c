// SPDX-License-Identifier: MIT
// Options from a table: `--name VALUE`, `--name=VALUE`, flags, positional arguments; the help comes from the same table.

#include "cli.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- names ----

// whether word (length) is one of the names in "-o|--output"
static bool has_name(const CliOption* option, const char* word, size_t length)
{
    if (option->kind == CLI_ARGUMENT) return false;
    for (const char* name = option->name; name; name = strchr(name, '|') ? strchr(name, '|') + 1 : NULL)
    {
        size_t n = strcspn(name, "|");
        if (n == length && strncmp(name, word, n) == 0) return true;
    }
    return false;
}

static const CliOption* find_option(const CliUsage* usage, const char* word, size_t length)
{
    for (int i = 0; i < usage->option_count; i++)
        if (has_name(&usage->options[i], word, length)) return &usage->options[i];
    return NULL;
}

// the longest of an option's names, for messages
static const char* full_name(const CliOption* option)
{
    const char* bar = strrchr(option->name, '|');
    return bar ? bar + 1 : option->name;
}

// ---- help ----

// an option that tells whether it was given has no fixed default
static void print_default(const CliOption* option)
{
    if (option->given) return;
    if (option->kind == CLI_NUMBER) printf(" [default: %g]", *(const double*)option->out);
    if (option->kind == CLI_INTEGER) printf(" [default: %d]", *(const int*)option->out);
    if (option->kind == CLI_CHOICE) printf(" [default: %s]", option->choices[*(const int*)option->out]);
    if (option->kind == CLI_TEXT && *(const char* const*)option->out)
        printf(" [default: %s]", *(const char* const*)option->out);
}

// "-o, --output DIR" into text (size). @return its length
static int left_column(const CliOption* option, char* text, size_t size)
{
    const char* bar = strchr(option->name, '|');
    int first = bar ? (int)(bar - option->name) : (int)strlen(option->name);
    return snprintf(text, size, "%.*s%s%s%s%s", first, option->name, bar ? ", " : "", bar ? bar + 1 : "",
                    option->value ? " " : "", option->value ? option->value : "");
}

static void print_option(const CliOption* option, int width)
{
    char left[80];
    left_column(option, left, sizeof left);
    printf("  %-*s  %s", width, left, option->help);
    for (int i = 0; option->choices && option->choices[i]; i++) printf("%s%s", i ? ", " : ": ", option->choices[i]);
    if (option->required && option->kind != CLI_ARGUMENT) printf(" (required)");
    print_default(option);
    putchar('\n');
}

static const CliOption help_option = {.kind = CLI_FLAG, .name = "-h|--help", .help = "show this help"};

static void print_help(const CliUsage* usage)
{
    printf("%s%s: %s\n\nUsage: %s%s [options]", cli_prefix, usage->command, usage->summary, cli_prefix, usage->command);
    char left[80];
    int width = left_column(&help_option, left, sizeof left), arguments = 0;
    for (int i = 0; i < usage->option_count; i++)
    {
        const CliOption* option = &usage->options[i];
        int length = left_column(option, left, sizeof left);
        if (length > width) width = length;
        if (option->kind != CLI_ARGUMENT) continue;
        printf(option->required ? " %s" : " [%s]", option->name);
        arguments++;
    }
    if (arguments) printf("\n\nArguments:");
    putchar('\n');
    for (int i = 0; i < usage->option_count; i++)
        if (usage->options[i].kind == CLI_ARGUMENT) print_option(&usage->options[i], width);
    printf("\nOptions:\n");
    for (int i = 0; i < usage->option_count; i++)
        if (usage->options[i].kind != CLI_ARGUMENT) print_option(&usage->options[i], width);
    print_option(&help_option, width);
    if (!usage->notes) return;
    size_t length = strlen(usage->notes);
    printf("\n%s%s", usage->notes, length && usage->notes[length - 1] == '\n' ? "" : "\n");
}

// ---- values ----

const char* cli_parse_number(const char* text, double* out)
{
    // strtod would take spaces, hexadecimal, inf and nan
    char* end = NULL;
    if (!*text || text[strspn(text, "0123456789.eE+-")]) return "is not a number";
    double value = strtod(text, &end);
    if (end == text || *end) return "is not a number";
    if (!isfinite(value)) return "is too large";
    *out = value;
    return NULL;
}

// the cure after "is not a number"
static void print_cure(const CliOption* option, const char* text)
{
    char right[64];
    if (tw_decimal_comma(right, sizeof right, text, strlen(text)))
    {
        fprintf(stderr, ": decimal comma; write %s\n", right);
        return;
    }
    const char* what = option->kind == CLI_INTEGER ? "a whole number" : "it";
    if (option->unit)
        fprintf(stderr, "; write %s in %s without a unit\n", what, option->unit);
    else
        fprintf(stderr, "; write %s\n",
                option->kind == CLI_INTEGER ? "a whole number" : "a plain number such as 0.5 or 1e-3");
}

static bool in_range(const CliOption* option, double value)
{
    if (option->low == 0 && option->high == 0 && !option->above) return true;
    return (option->above ? value > option->low : value >= option->low) && value <= option->high;
}

// numbers are range checked; the message says what would be right
static int take_number(const CliUsage* usage, const CliOption* option, const char* text)
{
    double value = 0;
    const char* wrong = cli_parse_number(text, &value);
    if (!wrong && option->kind == CLI_INTEGER && (value != floor(value) || fabs(value) > INT_MAX))
        wrong = "is not a whole number";
    if (wrong)
    {
        fprintf(stderr, "%s%s: %s: '%s' %s", cli_prefix, usage->command, full_name(option), text, wrong);
        print_cure(option, text);
        return CLI_USAGE;
    }
    if (!in_range(option, value))
        return cli_fail(usage->command, CLI_USAGE, "%s: %g is out of range; it must be %s %g and at most %g%s%s",
                        full_name(option), value, option->above ? "above" : "at least", option->low, option->high,
                        option->unit ? " " : "", option->unit ? option->unit : "");
    if (option->kind == CLI_INTEGER)
        *(int*)option->out = (int)value;
    else
        *(double*)option->out = value;
    return CLI_OK;
}

static int take_choice(const CliUsage* usage, const CliOption* option, const char* text)
{
    char list[256] = "";
    int count = 0;
    for (; option->choices[count]; count++)
    {
        if (strcmp(option->choices[count], text) == 0)
        {
            *(int*)option->out = count;
            return CLI_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "", option->choices[count]);
    }
    const char* near = tw_nearest_name(text, option->choices, count);
    return cli_fail(usage->command, CLI_USAGE, "%s: '%s' is not one of %s%s%s%s", full_name(option), text, list,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int take_value(const CliUsage* usage, const CliOption* option, const char* text)
{
    if (option->kind == CLI_NUMBER || option->kind == CLI_INTEGER) return take_number(usage, option, text);
    if (option->kind == CLI_CHOICE) return take_choice(usage, option, text);
    if (!*text) return cli_fail(usage->command, CLI_USAGE, "%s: the value is empty", full_name(option));
    if (option->kind == CLI_LIST)
    {
        CliList* list = option->out;
        if (list->count == CLI_LIST_MAX)
            return cli_fail(usage->command, CLI_USAGE, "%s: at most %d times", full_name(option), CLI_LIST_MAX);
        list->items[list->count++] = text;
        return CLI_OK;
    }
    *(const char**)option->out = text;
    return CLI_OK;
}

// ---- parsing ----

static int fail_unknown(const CliUsage* usage, const char* word, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const char* names[64];
    int count = 0;
    for (int i = 0; i < usage->option_count && count < 63; i++)
        if (usage->options[i].kind != CLI_ARGUMENT) names[count++] = full_name(&usage->options[i]);
    names[count++] = "--help";
    const char* near = tw_nearest_name(name, names, count);
    if (near) return cli_fail(usage->command, CLI_USAGE, "unknown option '%s'; did you mean '%s'?", name, near);
    return cli_fail(usage->command, CLI_USAGE, "unknown option '%s'; see '%s%s --help'", name, cli_prefix,
                    usage->command);
}

// the option at argv[*at], and its value if that is the next word
static int parse_option(const CliUsage* usage, int argc, char** argv, int* at, bool* seen)
{
    const char* word = argv[*at];
    size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word, "=") : strlen(word);
    const char* value = word[length] ? word + length + 1 : NULL;
    const CliOption* option = find_option(usage, word, length);
    if (!option) return fail_unknown(usage, word, length);
    seen[option - usage->options] = true;
    if (option->given) *option->given = true;
    if (option->kind == CLI_FLAG)
    {
        if (value) return cli_fail(usage->command, CLI_USAGE, "%s takes no value", full_name(option));
        *(bool*)option->out = true;
        return CLI_OK;
    }

    // the next word is the value, unless it is an option itself
    if (!value && *at + 1 < argc && strncmp(argv[*at + 1], "--", 2) != 0) value = argv[++*at];
    if (!value)
        return cli_fail(usage->command, CLI_USAGE, "%s needs a value: %s %s", full_name(option), full_name(option),
                        option->value);
    return take_value(usage, option, value);
}

// the n-th positional argument
static int parse_argument(const CliUsage* usage, int n, const char* word)
{
    for (int i = 0; i < usage->option_count; i++)
    {
        const CliOption* option = &usage->options[i];
        if (option->kind != CLI_ARGUMENT || n-- > 0) continue;
        if (option->given) *option->given = true;
        return take_value(usage, option, word);
    }
    return cli_fail(usage->command, CLI_USAGE, "unexpected argument '%s'; see '%s%s --help'", word, cli_prefix,
                    usage->command);
}

static int fail_missing(const CliUsage* usage, const CliOption* option)
{
    return cli_fail(usage->command, CLI_USAGE, "%s is missing; see '%s%s --help'", full_name(option), cli_prefix,
                    usage->command);
}

static int check_required(const CliUsage* usage, int arguments, const bool* seen)
{
    for (int i = 0; i < usage->option_count; i++)
    {
        const CliOption* option = &usage->options[i];
        bool there = option->kind == CLI_ARGUMENT ? arguments-- > 0 : seen[i];
        if (option->required && !there) return fail_missing(usage, option);
    }
    return CLI_OK;
}

static bool wants_help(int argc, char** argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

#define OPTIONS_MAX 64

bool cli_parse(const CliUsage* usage, int argc, char** argv, int* code)
{
    TW_ASSERT(usage->option_count <= OPTIONS_MAX);
    *code = CLI_OK;
    if (wants_help(argc, argv))
    {
        print_help(usage);
        return false;
    }

    bool seen[OPTIONS_MAX] = {false}, options_over = false;
    int arguments = 0;
    for (int i = 1; i < argc && *code == CLI_OK; i++)
    {
        const char* word = argv[i];
        if (!options_over && strcmp(word, "--") == 0)
            options_over = true;
        else if (options_over || word[0] != '-' || !word[1])
            *code = parse_argument(usage, arguments++, word);
        else
            *code = parse_option(usage, argc, argv, &i, seen);
    }
    if (*code == CLI_OK) *code = check_required(usage, arguments, seen);
    return *code == CLI_OK;
}
