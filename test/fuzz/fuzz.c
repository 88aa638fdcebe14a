// SPDX-License-Identifier: MIT
// What all fuzz targets share.
#define _XOPEN_SOURCE 700
#include "fuzz.h"
#include "../scratch.h"

bool fuzz_copy(const uint8_t* data, size_t size)
{
    uint8_t* copy = malloc(size ? size : 1);
    if (!copy) abort();
    if (size > 0) memcpy(copy, data, size);
    const bool taken = fuzz_one(copy, size);
    free(copy);
    return taken;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_copy(data, size);
    return 0;
}

const char* fuzz_file(const char* name, const void* data, size_t size)
{
    const char* path = in_folder(name);
    FILE* file = fopen(path, "wb");
    FUZZ_ENSURE(file && (size == 0 || fwrite(data, 1, size, file) == size));
    FUZZ_ENSURE(fclose(file) == 0);
    return path;
}
