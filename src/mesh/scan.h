// SPDX-License-Identifier: MIT
#pragma once
#include "twang/mesh.h"

/// @file
/// Reading text: lines, words, numbers. Lines end with LF, CR LF or CR. Nothing is copied or changed, nothing read past
/// the end.

typedef struct twScan
{
    const char* path;  ///< for messages
    const char* at;
    const char* end;
    int line;  ///< of at, from 1
} twScan;

/// A part of the text.
typedef struct twWord
{
    const char* text;
    int length;
} twWord;

twScan tw_scan(const char* path, const char* data, size_t bytes);
/// Go to the start of the next line. @return false at the end of the text
bool tw_scan_line(twScan* scan);
/// The next word of this line. @return false at the end of the line
bool tw_scan_word(twScan* scan, twWord* word);
/// The next word of this line or a later one; lines that begin with comment (0: none do) are left out.
bool tw_scan_any_word(twScan* scan, twWord* word, char comment);
bool tw_word_is(twWord word, const char* text);     ///< upper and lower case are the same
bool tw_word_number(twWord word, double* value);    ///< inf and nan are numbers here; the locale does not matter
bool tw_word_integer(twWord word, int64_t* value);  ///< decimal, with or without sign
/// That a word is no number, naming file, line, what is wanted and what is there; a decimal comma
/// is known as one.
twStatus tw_scan_no_number(const twScan* scan, twWord word, const char* what, twError* err);
/// A number, or TW_BAD_INPUT as above.
twStatus tw_scan_need_number(twScan* scan, double* value, const char* what, twError* err);
/// Bytes of a word worth showing in a message.
static inline int tw_word_shown(twWord word) { return word.length < 40 ? word.length : 40; }
