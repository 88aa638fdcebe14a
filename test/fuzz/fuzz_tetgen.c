// SPDX-License-Identifier: MIT
// Target: tetrahedra from the two files of TetGen, here one after the other with a line "----" between them.
#include "fuzz_tets.h"

bool fuzz_one(uint8_t* data, size_t size)
{
    static const char cut[] = "----\n";
    size_t nodes = 0;
    while (nodes < size && (size - nodes < 5 || memcmp(data + nodes, cut, 5) != 0)) nodes++;
    const size_t rest = nodes < size ? nodes + 5 : size;
    fuzz_file("body.node", data, nodes);
    const char* path = fuzz_file("body.ele", data + rest, size - rest);
    twTetMesh* tets;
    twError err = {0};
    const twStatus status = tw_tets_load(&tets, path, 1, &err);
    return tets_check(status, tets, &err);
}
