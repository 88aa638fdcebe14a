// SPDX-License-Identifier: MIT
// Messages about YAML: place, source line with caret.

#include "scene/yaml.h"

#include <stdarg.h>
#include <string.h>

#define MAX_MESSAGE 560  // bytes of the sentence
#define MAX_NAME 160     // bytes of the file's name
#define WINDOW 90        // characters of the source line shown

// ---- source lines ----

static bool is_break(char c) { return c == '\n' || c == '\r'; }

static const char* find_line(const twYaml* doc, int line)
{
    const char* s = doc->source;
    const char* end = s + doc->bytes;
    for (int k = 1; k < line && s < end;)
    {
        if (*s == '\n' || (*s == '\r' && s[1] != '\n')) k++;
        s++;
    }
    return s;
}

int yaml_character(const char* text, size_t left)
{
    const unsigned char* s = (const unsigned char*)text;
    if (left == 0) return 0;
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    if (n == 0 || n > left) return 0;
    for (size_t k = 1; k < n; k++)
        if ((s[k] & 0xc0) != 0x80) return 0;
    // overlong forms, surrogates, beyond U+10FFFF
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return (int)n;
}

// one character that is safe to show
static size_t put_character(char* out, const char* s, int length)
{
    const unsigned char c = (unsigned char)*s;
    if (length != 0 && c >= 0x20 && c != 0x7f)
    {
        memcpy(out, s, (size_t)length);
        return (size_t)length;
    }
    *out = c == '\t' ? ' ' : '?';
    return 1;
}

// "\n  12 | source\n     | ^~~~", the line cut to a window around the place
static void put_source(char* out, size_t bytes, const twYaml* doc, twPlace place)
{
    char shown[4 * WINDOW + 1], marks[WINDOW + 8];
    const char *s = find_line(doc, place.line), *end = doc->source + doc->bytes;
    const int first = place.column > WINDOW * 2 / 3 ? place.column - WINDOW / 2 : 1;
    size_t used = 0;
    int column = 1, marked = 0;
    for (; s < end && !is_break(*s) && column < first + WINDOW; column++)
    {
        int length = yaml_character(s, (size_t)(end - s));
        if (column >= first) used += put_character(shown + used, s, length);
        s += length ? length : 1;
    }
    shown[used] = 0;
    // the caret may stand one behind the end
    for (int k = first; k <= place.column && k < first + WINDOW; k++) marks[marked++] = k == place.column ? '^' : ' ';
    for (int k = 1; k < place.length && place.column + k < column; k++) marks[marked++] = '~';
    marks[marked] = 0;
    const int digits = snprintf(NULL, 0, "%4d", place.line);
    snprintf(out, bytes, "\n%4d | %s\n%*s | %s", place.line, shown, digits, "", marks);
}

void yaml_show_key(char* out, size_t bytes, const twNode* node)
{
    put_source(out, bytes, node->doc, node->key ? node->key_place : node->place);
}

// ---- failing ----

// cut a text that may end inside a character
static void trim_utf8(char* text)
{
    size_t n = strlen(text), k = n;
    while (k > 0 && ((unsigned char)text[k - 1] & 0xc0) == 0x80) k--;
    if (k == 0) return;
    unsigned char lead = (unsigned char)text[k - 1];
    size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (n - (k - 1) < want) text[k - 1] = 0;
}

static void fail(twYaml* doc, twPlace place, const char* format, va_list args)
{
    if (doc->error.status != TW_OK) return;
    char message[MAX_MESSAGE], source[5 * WINDOW + 64] = "";
    vsnprintf(message, sizeof message, format, args);
    trim_utf8(message);
    // a message shows on one line
    for (char* c = message; *c; c++)
        if ((unsigned char)*c < 0x20) *c = ' ';
    if (place.line > 0 && doc->source) put_source(source, sizeof source, doc, place);
    // of a long path the end tells more
    size_t length = strlen(doc->name);
    const char* name = length > MAX_NAME ? doc->name + length - MAX_NAME : doc->name;
    if (place.line > 0)
        tw_fail(&doc->error, TW_BAD_INPUT, "%s:%d:%d: %s%s", name, place.line, place.column, message, source);
    else
        tw_fail(&doc->error, TW_BAD_INPUT, "%s: %s", name, message);
}

void yaml_fail_at(twYaml* doc, twPlace place, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    fail(doc, place, format, args);
    va_end(args);
}

void yaml_fail(const twNode* node, const char* format, ...)
{
    if (!node) return;
    bool at_key = node->key && node->kind != TW_NODE_SCALAR;
    va_list args;
    va_start(args, format);
    fail(node->doc, at_key ? node->key_place : node->place, format, args);
    va_end(args);
}

void yaml_fail_key(const twNode* node, const char* format, ...)
{
    if (!node) return;
    va_list args;
    va_start(args, format);
    fail(node->doc, node->key ? node->key_place : node->place, format, args);
    va_end(args);
}

const char* yaml_name(const twNode* node, char* out, size_t bytes)
{
    if (node->key)
        snprintf(out, bytes, "'%.60s'", node->key);
    else if (node->parent && node->parent->key)
        snprintf(out, bytes, "item %d of '%.60s'", node->index + 1, node->parent->key);
    else if (node->parent)
        snprintf(out, bytes, "item %d", node->index + 1);
    else
        snprintf(out, bytes, "the file");
    trim_utf8(out);
    return out;
}
