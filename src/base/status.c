// SPDX-License-Identifier: MIT
// Error text owned by the caller, and assertions with a replaceable handler. The handler is the library's only
// global: an assertion has no state at hand to take it from. It is atomic, so threads may race for it safely.
#include "twang/base.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// shorten text to at most its last whole UTF-8 character after vsnprintf cut it
static void drop_cut_character(char* text)
{
    size_t end = strlen(text);
    size_t start = end;
    while (start > 0 && end - start < 3 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) start--;
    if (start == 0) return;

    // length the lead byte promises against bytes there
    unsigned char lead = (unsigned char)text[start - 1];
    size_t wants = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (lead >= 0xC0 && end - start + 1 < wants) text[start - 1] = 0;
}

twStatus tw_fail(twError* err, twStatus status, const char* format, ...)
{
    if (!err) return status;

    // by way of a local buffer: the arguments may point into err->text
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0) text[0] = 0;
    if (length >= (int)sizeof text) drop_cut_character(text);

    err->status = status;
    memcpy(err->text, text, sizeof text);
    return status;
}

static void print_and_abort(const char* condition, const char* file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}

static _Atomic(twAssertHandler) assert_handler = print_and_abort;

twAssertHandler tw_set_assert_handler(twAssertHandler handler)
{
    return atomic_exchange(&assert_handler, handler ? handler : print_and_abort);
}

void tw_assert_failed(const char* condition, const char* file, int line)
{
    atomic_load (&assert_handler)(condition, file, line);
}
