// SPDX-License-Identifier: MIT
// spelling_: near misses, for messages that suggest what was meant.
//
// Nearness is the edit distance of Damerau and Levenshtein (insert, delete, replace, swap
// neighbours), by the usual table d[i][j] over prefixes, keeping three rows.
#include "twang/base.h"
#include <string.h>

#define SPELLING_LETTERS_MAX 40  // of words that are compared

static char spelling_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int spelling_min(int a, int b) { return a < b ? a : b; }

static int spelling_distance(const char* a, const char* b)
{
    int row[3][SPELLING_LETTERS_MAX + 1];
    const int n = (int)strlen(a), m = (int)strlen(b);
    for (int j = 0; j <= m; j++) row[0][j] = j;
    for (int i = 1; i <= n; i++)
    {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        const char c = spelling_lower(a[i - 1]);
        now[0] = i;
        for (int j = 1; j <= m; j++)
        {
            const char d = spelling_lower(b[j - 1]);
            now[j] = spelling_min(spelling_min(last[j], now[j - 1]) + 1, last[j - 1] + (c != d));
            const bool swapped =
                i > 1 && j > 1 && c == spelling_lower(b[j - 2]) && spelling_lower(a[i - 2]) == d && c != d;
            if (swapped) now[j] = spelling_min(now[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

const char* tw_nearest_name(const char* word, const char* const* names, int count)
{
    const char* best = NULL;
    const size_t length = strlen(word);
    if (length == 0 || length > SPELLING_LETTERS_MAX) return NULL;
    int least = 1 + ((int)length - 1) / 3;
    for (int i = 0; count < 0 ? names[i] != NULL : i < count; i++)
    {
        if (strlen(names[i]) > SPELLING_LETTERS_MAX) continue;
        int d = spelling_distance(word, names[i]);
        // the start of a name is as good as one wrong letter
        if (length >= 2 && d > 1 && strncmp(word, names[i], length) == 0) d = 1;
        if (d > least || (best && d == least) || d >= (int)length) continue;
        best = names[i];
        least = d;
    }
    return best;
}

// ---- decimal commas ----

static size_t spelling_digits(const char* text, size_t length)
{
    size_t n = 0;
    while (n < length && text[n] >= '0' && text[n] <= '9') n++;
    return n;
}

bool tw_decimal_comma(char* out, size_t bytes, const char* text, size_t length)
{
    size_t at = length > 0 && (text[0] == '-' || text[0] == '+');
    const size_t start = at, whole = spelling_digits(text + at, length - at);
    at += whole;
    if (whole == 0 || at == length || text[at] != ',' || length > SPELLING_LETTERS_MAX) return false;
    const size_t comma = at++, fraction = spelling_digits(text + at, length - at);
    at += fraction;
    if (fraction == 0) return false;
    const bool plain = at == length;
    if (!plain && (text[at] == 'e' || text[at] == 'E'))
    {
        at++;
        if (at < length && (text[at] == '-' || text[at] == '+')) at++;
        const size_t power = spelling_digits(text + at, length - at);
        at = power > 0 ? at + power : 0;
    }
    if (at != length) return false;
    const int left = (int)comma, right = (int)(length - comma - 1);
    snprintf(out, bytes, "%.*s.%.*s", left, text, right, text + comma + 1);

    // 7,850 may be as many thousands
    const size_t used = strlen(out);
    if (plain && fraction == 3 && whole <= 3 && text[start] != '0' && used < bytes)
        snprintf(out + used, bytes - used, " or %.*s%.*s", left, text, right, text + comma + 1);
    return true;
}
