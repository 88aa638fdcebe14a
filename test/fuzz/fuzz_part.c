// SPDX-License-Identifier: MIT
// Target: parts of bodies in words, such as "ball:0,0,0,0.01" or "x<0.1". What is said of one can be read again.
#include "fuzz.h"
#include "twang/part.h"

bool fuzz_one(uint8_t* data, size_t size)
{
    char *text = fuzz_text(data, size), said[512], again[512];
    twPart part, other;
    twError err = {0};
    const twStatus status = tw_part_parse(&part, text, &err);
    fuzz_says(status, &err);
    if (status == TW_OK)
    {
        tw_part_text(said, sizeof said, &part);
        FUZZ_ENSURE(tw_part_parse(&other, said, &err) == TW_OK);
        FUZZ_ENSURE(strcmp(tw_part_text(again, sizeof again, &other), said) == 0);
    }
    free(text);
    return status == TW_OK;
}
