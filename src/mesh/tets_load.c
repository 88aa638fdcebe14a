// SPDX-License-Identifier: MIT
// Tetrahedra from files: Gmsh by its first words, TetGen by its names.
#include "mesh/tet_soup.h"
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)1 << 31)  // of a file

static bool ends_with(const char* text, const char* ending)
{
    size_t length = strlen(text), wanted = strlen(ending);
    return length > wanted && strcmp(text + length - wanted, ending) == 0;
}

twStatus tw_tets_load(twTetMesh** out, const char* path, double scale, twError* err)
{
    *out = NULL;
    if (!(scale > 0 && scale < 1e100))
        return tw_fail(err, TW_BAD_INPUT, "%s: the scale %g must be positive, such as 0.001 for millimetres", path,
                       scale);
    if (ends_with(path, ".node") || ends_with(path, ".ele")) return tw_read_tetgen(out, path, scale, err);
    char* data;
    size_t bytes;
    twStatus status = tw_file_read(&data, &bytes, path, MAX_BYTES, err);
    if (status != TW_OK) return status;
    if (bytes >= 11 && memcmp(data, "$MeshFormat", 11) == 0)
        status = tw_read_gmsh(out, path, data, bytes, scale, err);
    else if (bytes >= 4 && memcmp(data, "$NOD", 4) == 0)
        status = tw_fail(err, TW_BAD_INPUT, "%s: this is Gmsh's format 1; save the mesh in format 2.2 or 4.1", path);
    else
        status = tw_fail(err, TW_BAD_INPUT,
                         "%s: this is no Gmsh file ($MeshFormat); TetGen's must end with .node or .ele", path);
    free(data);
    return status;
}
