// SPDX-License-Identifier: MIT
// Numbers: up to 19 digits are gathered as an integer m and a power e of ten. If m < 2^53 and |e| <= 22, m 10^e is one
// rounding of two exact doubles and thus correct (Clinger: "How to read floating point numbers accurately", PLDI 1990);
// the rest goes through strtod, with the dot in the words of the locale.
#include "mesh/scan.h"
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum
{
    LONGEST_NUMBER = 400
};

twScan tw_scan(const char* path, const char* data, size_t bytes)
{
    // a byte order mark is no text
    size_t skip = bytes >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    twScan scan = {path, data + skip, data + bytes, 1};
    return scan;
}

bool tw_scan_line(twScan* scan)
{
    while (scan->at < scan->end && *scan->at != '\n' && *scan->at != '\r') scan->at++;
    bool pair = scan->end - scan->at >= 2 && scan->at[0] == '\r' && scan->at[1] == '\n';
    if (scan->at < scan->end) scan->at += pair ? 2 : 1;
    if (scan->line < INT_MAX) scan->line++;
    return scan->at < scan->end;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

static bool is_break(char c) { return c == '\n' || c == '\r'; }

bool tw_scan_word(twScan* scan, twWord* word)
{
    for (;;)
    {
        while (scan->at < scan->end && is_blank(*scan->at)) scan->at++;

        // a backslash at the end of a line continues it
        bool continued = scan->end - scan->at >= 2 && scan->at[0] == '\\' && is_break(scan->at[1]);
        if (!continued) break;
        tw_scan_line(scan);
    }
    const char* start = scan->at;
    while (scan->at < scan->end && !is_blank(*scan->at) && !is_break(*scan->at) && scan->at - start < INT_MAX)
        scan->at++;
    word->text = start;
    word->length = (int)(scan->at - start);
    return word->length > 0;
}

bool tw_scan_any_word(twScan* scan, twWord* word, char comment)
{
    for (;;)
    {
        bool found = tw_scan_word(scan, word);
        if (found && !(comment && word->text[0] == comment)) return true;
        if (!tw_scan_line(scan)) return false;
    }
}

bool tw_word_is(twWord word, const char* text)
{
    if ((size_t)word.length != strlen(text)) return false;
    for (int i = 0; i < word.length; i++)
    {
        char a = word.text[i], b = text[i];
        if (a >= 'A' && a <= 'Z') a = (char)(a - 'A' + 'a');
        if (b >= 'A' && b <= 'Z') b = (char)(b - 'A' + 'a');
        if (a != b) return false;
    }
    return true;
}

// ---- numbers ----

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// what is left of a word
typedef struct Digits
{
    const char* at;
    const char* end;
    uint64_t value;
    int kept, dropped;  // digits in value, and beyond
} Digits;

static int take_digits(Digits* digits)
{
    int count = 0;
    for (; digits->at < digits->end && is_digit(*digits->at); digits->at++, count++)
    {
        if (digits->kept >= 19)
            digits->dropped++;
        else
        {
            digits->value = 10 * digits->value + (uint64_t)(*digits->at - '0');
            digits->kept += digits->value > 0;
        }
    }
    return count;
}

static double by_strtod(twWord word)
{
    char copy[LONGEST_NUMBER + 16];
    const char* point = localeconv()->decimal_point;
    size_t length = 0;
    for (int i = 0; i < word.length && length < LONGEST_NUMBER; i++)
    {
        size_t bytes = word.text[i] == '.' ? strlen(point) : 1;
        if (bytes > 8) bytes = 8;
        memcpy(copy + length, word.text[i] == '.' ? point : word.text + i, bytes);
        length += bytes;
    }
    copy[length] = 0;
    return strtod(copy, NULL);
}

// nan, inf and their kin, in any spelling that printf has
static bool named_number(twWord word, double* value)
{
    bool minus = word.length > 0 && word.text[0] == '-';
    twWord name = word;
    if (minus || (word.length > 0 && word.text[0] == '+')) name = (twWord){word.text + 1, word.length - 1};
    if (tw_word_is(name, "inf") || tw_word_is(name, "infinity"))
        *value = minus ? -HUGE_VAL : HUGE_VAL;
    else if (name.length >= 3 && tw_word_is((twWord){name.text, 3}, "nan") && (name.length == 3 || name.text[3] == '('))
        *value = NAN;
    else
        return false;
    return true;
}

// read [+-]digits after an e. @return false if there are none
static bool take_exponent(Digits* digits, int* exponent)
{
    bool minus = digits->at < digits->end && *digits->at == '-';
    if (digits->at < digits->end && (*digits->at == '-' || *digits->at == '+')) digits->at++;
    int count = 0, value = 0;
    for (; digits->at < digits->end && is_digit(*digits->at); digits->at++, count++)
        if (value < 100000) value = 10 * value + (*digits->at - '0');
    *exponent = minus ? -value : value;
    return count > 0;
}

bool tw_word_number(twWord word, double* value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (named_number(word, value)) return true;
    if (word.length == 0 || word.length > LONGEST_NUMBER) return false;
    Digits digits = {word.text, word.text + word.length, 0, 0, 0};
    bool minus = *digits.at == '-';
    if (*digits.at == '-' || *digits.at == '+') digits.at++;
    int whole = take_digits(&digits), fraction = 0, exponent = 0;
    if (digits.at < digits.end && *digits.at == '.')
    {
        digits.at++;
        fraction = take_digits(&digits);
    }
    if (whole + fraction == 0) return false;
    if (digits.at < digits.end && (*digits.at == 'e' || *digits.at == 'E'))
    {
        digits.at++;
        if (!take_exponent(&digits, &exponent)) return false;
    }
    if (digits.at != digits.end) return false;

    int power = exponent - fraction;
    if (digits.dropped == 0 && digits.value < (uint64_t)1 << 53 && power >= -22 && power <= 22)
    {
        double m = (double)digits.value;
        m = power < 0 ? m / powers[-power] : m * powers[power];
        *value = minus ? -m : m;
    }
    else
        *value = by_strtod(word);
    return true;
}

bool tw_word_integer(twWord word, int64_t* value)
{
    Digits digits = {word.text, word.text + word.length, 0, 0, 0};
    if (word.length == 0) return false;
    bool minus = *digits.at == '-';
    if (*digits.at == '-' || *digits.at == '+') digits.at++;
    int count = take_digits(&digits);
    if (count == 0 || digits.dropped > 0 || digits.at != digits.end || digits.value > INT64_MAX) return false;
    *value = minus ? -(int64_t)digits.value : (int64_t)digits.value;
    return true;
}

twStatus tw_scan_no_number(const twScan* scan, twWord word, const char* what, twError* err)
{
    char right[64];
    if (tw_decimal_comma(right, sizeof right, word.text, (size_t)word.length))
        return tw_fail(err, TW_BAD_INPUT,
                       "%s, line %d: decimal comma: '%.*s' should be %s; export the file with decimal points",
                       scan->path, scan->line, tw_word_shown(word), word.text, right);
    return tw_fail(err, TW_BAD_INPUT, "%s, line %d: '%.*s' where %s should be; a number such as 0.25 is needed",
                   scan->path, scan->line, tw_word_shown(word), word.text, what);
}

twStatus tw_scan_need_number(twScan* scan, double* value, const char* what, twError* err)
{
    twWord word;
    if (!tw_scan_word(scan, &word))
        return tw_fail(err, TW_BAD_INPUT, "%s, line %d: the line ends where %s should be", scan->path, scan->line,
                       what);
    return tw_word_number(word, value) ? TW_OK : tw_scan_no_number(scan, word, what, err);
}
