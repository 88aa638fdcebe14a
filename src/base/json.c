// SPDX-License-Identifier: MIT
// JSON writer (RFC 8259). Two spaces per depth, one value per line. Text must be UTF-8 (RFC 3629): the ranges of
// lead and second byte below exclude overlong forms, surrogates and code points above U+10FFFF.
#include "twang/base.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MAX_DEPTH = sizeof((twJson*)0)->kind - 1
};

twJson tw_json(FILE* stream)
{
    twJson json = {.stream = stream};
    return json;
}

// ---- text ----

// bytes of the UTF-8 character at s, 0 if there is none
static int utf8_length(const unsigned char* s)
{
    if (s[0] < 0x80) return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    int length = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;

    // the second byte's range depends on the lead
    unsigned char low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high) return 0;
    for (int i = 2; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    return length;
}

// the letter after the backslash in a short escape, or 0
static char short_escape(unsigned char c)
{
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char to[] = "\"\\bfnrt";
    const char* at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : 0;
}

static void write_text(FILE* stream, const char* text)
{
    fputc('"', stream);
    for (const unsigned char* s = (const unsigned char*)text; *s;)
    {
        int length = utf8_length(s);
        char escape = short_escape(*s);
        if (escape)
            fprintf(stream, "\\%c", escape);
        else if (*s < 0x20)
            fprintf(stream, "\\u%04x", *s);
        else if (length > 0)
            fwrite(s, 1, (size_t)length, stream);
        else
            fputs("\xEF\xBF\xBD", stream);
        s += length > 0 ? length : 1;
    }
    fputc('"', stream);
}

// ---- numbers ----

// the shortest of 15, 16 or 17 digits that reads back as the same double
static void write_number(FILE* stream, double value)
{
    if (!isfinite(value))
    {
        fputs("null", stream);
        return;
    }
    char text[64];
    for (int digits = 15; digits <= 17; digits++)
    {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }

    // whatever the locale calls a decimal point (perhaps several bytes) is one dot in JSON
    bool dotted = false;
    for (const char* s = text; *s; s++)
    {
        if (strchr("0123456789+-e", *s))
            fputc(*s, stream);
        else if (!dotted)
            dotted = fputc('.', stream) == '.';
    }
}

// ---- values ----

static void new_line(const twJson* json)
{
    fputc('\n', json->stream);
    for (int i = 0; i < json->depth; i++) fputs("  ", json->stream);
}

// comma, line and key before a value
static void before_value(twJson* json, const char* key)
{
    bool in_object = json->kind[json->depth] == '{';
    TW_ASSERT(in_object == (key != NULL));           // keys in objects only
    TW_ASSERT(json->depth > 0 || !json->filled[0]);  // one value at the top
    if (json->filled[json->depth]) fputc(',', json->stream);
    json->filled[json->depth] = true;
    if (json->depth > 0) new_line(json);
    if (!key) return;
    write_text(json->stream, key);
    fputs(": ", json->stream);
}

// a whole text at the top ends with its line
static void after_value(const twJson* json)
{
    if (json->depth == 0) fputc('\n', json->stream);
}

static void open_nested(twJson* json, const char* key, char kind)
{
    TW_ASSERT(json->depth < MAX_DEPTH);
    if (json->depth >= MAX_DEPTH) return;
    before_value(json, key);
    fputc(kind, json->stream);
    json->depth++;
    json->kind[json->depth] = kind;
    json->filled[json->depth] = false;
}

void tw_json_object(twJson* json, const char* key) { open_nested(json, key, '{'); }

void tw_json_array(twJson* json, const char* key) { open_nested(json, key, '['); }

void tw_json_end(twJson* json)
{
    TW_ASSERT(json->depth > 0);
    if (json->depth <= 0) return;
    bool filled = json->filled[json->depth];
    char kind = json->kind[json->depth];
    json->depth--;
    if (filled) new_line(json);
    fputc(kind == '{' ? '}' : ']', json->stream);
    after_value(json);
}

void tw_json_number(twJson* json, const char* key, double value)
{
    before_value(json, key);
    write_number(json->stream, value);
    after_value(json);
}

void tw_json_integer(twJson* json, const char* key, int64_t value)
{
    before_value(json, key);
    fprintf(json->stream, "%" PRId64, value);
    after_value(json);
}

void tw_json_text(twJson* json, const char* key, const char* value)
{
    if (!value)
    {
        tw_json_null(json, key);
        return;
    }
    before_value(json, key);
    write_text(json->stream, value);
    after_value(json);
}

void tw_json_bool(twJson* json, const char* key, bool value)
{
    before_value(json, key);
    fputs(value ? "true" : "false", json->stream);
    after_value(json);
}

void tw_json_null(twJson* json, const char* key)
{
    before_value(json, key);
    fputs("null", json->stream);
    after_value(json);
}

void tw_json_numbers(twJson* json, const char* key, const double* values, size_t count)
{
    before_value(json, key);
    fputc('[', json->stream);
    for (size_t i = 0; i < count; i++)
    {
        if (i > 0) fputs(", ", json->stream);
        write_number(json->stream, values[i]);
    }
    fputc(']', json->stream);
    after_value(json);
}
