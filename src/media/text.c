// SPDX-License-Identifier: MIT
// Characters of labels: UTF-8, superscripts, cutting to a width.

#include "media/text.h"

#include <stdio.h>
#include <string.h>

// bytes of the UTF-8 sequence at s, 0 if it is none that XML allows
static int length_of(const unsigned char* s)
{
    if (s[0] < 0x80) return s[0] >= 0x20 || s[0] == '\t' || s[0] == '\n' ? 1 : 0;
    int n = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    for (int k = 1; k < n; k++)
        if ((s[k] & 0xc0) != 0x80) return 0;
    // overlong forms, surrogates, beyond U+10FFFF, U+FFFE and U+FFFF
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90)) return 0;
    if ((s[0] == 0xf4 && s[1] > 0x8f) || (s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe)) return 0;
    return n;
}

uint32_t text_next(const char** text)
{
    const unsigned char* s = (const unsigned char*)*text;
    if (!*s) return 0;
    const int n = length_of(s);
    *text += n ? n : 1;
    if (n == 0) return TEXT_BAD;
    uint32_t c = n == 1 ? s[0] : n == 2 ? s[0] & 0x1fu : n == 3 ? s[0] & 0xfu : s[0] & 7u;
    for (int k = 1; k < n; k++) c = c << 6 | (s[k] & 0x3fu);
    return c;
}

char text_superscript(uint32_t c)
{
    if (c == 0xb9) return '1';
    if (c == 0xb2 || c == 0xb3) return (char)('2' + (c - 0xb2));
    if (c == 0x2070 || (c >= 0x2074 && c <= 0x2079)) return (char)('0' + (c - 0x2070));
    return c == 0x207a ? '+' : c == 0x207b ? '-' : 0;
}

void text_fit(char* out, size_t bytes, const char* text, double size, double room, double (*width)(double, const char*))
{
    snprintf(out, bytes, "%s", text);
    const size_t whole = strlen(text);
    size_t kept = strlen(out);
    if (kept == whole && width(size, out) <= room) return;
    while (kept > 0)
    {
        // whole characters, no blanks before the dots
        kept--;
        while (kept > 0 && ((text[kept] & 0xc0) == 0x80 || text[kept - 1] == ' ')) kept--;
        if (kept + 4 > bytes) continue;
        memcpy(out, text, kept);
        memcpy(out + kept, "...", 4);
        if (width(size, out) <= room) return;
    }
}
