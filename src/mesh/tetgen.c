// SPDX-License-Identifier: MIT
// TetGen .node and .ele (Si: "TetGen, a Delaunay-based quality tetrahedral mesh generator", ACM TOMS 41, 2015; manual,
// file formats). .node: a line  points 3 attributes markers,  then per point  number x y z ... ; .ele: a line
// tets 4|10 attributes,  then per tet  number, nodes, attributes.  The first attribute is the region. Lines from # on are
// comments. The six mid nodes of -o2 are those of edges 23, 03, 01, 12, 13, 02 (TetGen 1.5); as no document promises it,
// the order is found out from where they lie.
#include "mesh/scan.h"
#include "mesh/tet_soup.h"
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)1 << 31)  // of a file

static twStatus need_whole(twScan* scan, int64_t* value, const char* what, twError* err)
{
    twWord word;
    if (!tw_scan_word(scan, &word) || word.text[0] == '#')
        return tw_fail(err, TW_BAD_INPUT, "%s, line %d: the line ends where %s should be", scan->path, scan->line,
                       what);
    if (tw_word_integer(word, value)) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%s, line %d: '%.*s' where %s should be", scan->path, scan->line,
                   tw_word_shown(word), word.text, what);
}

// go to the next line that says something; the cursor is put before its first word
static bool next_line(twScan* scan)
{
    twWord word;
    if (!tw_scan_any_word(scan, &word, '#')) return false;
    scan->at = word.text;
    return true;
}

// the first line: how many, and a second number. @return with the cursor on the next line
static twStatus read_head(twScan* scan, int64_t* count, int64_t* second, const char* what, twError* err)
{
    if (!next_line(scan)) return tw_fail(err, TW_BAD_INPUT, "%s: the file is empty", scan->path);
    twStatus status = need_whole(scan, count, what, err);
    if (status == TW_OK) status = need_whole(scan, second, "the second number of the first line", err);
    if (status == TW_OK && (*count < 0 || *count > scan->end - scan->at))
        status = tw_fail(err, TW_BAD_INPUT, "%s, line %d: %lld %s are more than the file has room for", scan->path,
                         scan->line, (long long)*count, what);
    tw_scan_line(scan);
    return status;
}

static twStatus cut_short(const twScan* scan, int64_t at, int64_t count, const char* what, twError* err)
{
    return tw_fail(err, TW_BAD_INPUT, "%s: the file ends after %lld of %lld %s", scan->path, (long long)at,
                   (long long)count, what);
}

static twStatus read_nodes(twScan* scan, twTetSoup* soup, twError* err)
{
    int64_t count, dimension;
    twStatus status = read_head(scan, &count, &dimension, "nodes", err);
    if (status == TW_OK && dimension != 3)
        return tw_fail(err, TW_BAD_INPUT, "%s: nodes of dimension %lld; 3 is needed", scan->path, (long long)dimension);
    for (int64_t i = 0; i < count && status == TW_OK; i++)
    {
        int64_t number;
        double x[3] = {0, 0, 0};
        if (!next_line(scan)) return cut_short(scan, i, count, "nodes", err);
        status = need_whole(scan, &number, "the number of a node", err);
        for (int k = 0; k < 3 && status == TW_OK; k++) status = tw_scan_need_number(scan, &x[k], "a coordinate", err);
        if (status == TW_OK) status = tw_tet_soup_node(soup, number, tw_vec3(x[0], x[1], x[2]), err);
        tw_scan_line(scan);
    }
    return status;
}

static twStatus read_tets(twScan* scan, twTetSoup* soup, twError* err)
{
    int64_t count, per_tet;
    twStatus status = read_head(scan, &count, &per_tet, "tets", err);
    if (status == TW_OK && per_tet != 4 && per_tet != 10)
        return tw_fail(err, TW_BAD_INPUT, "%s: tets of %lld nodes; 4 or 10 are needed", scan->path, (long long)per_tet);
    for (int64_t i = 0; i < count && status == TW_OK; i++)
    {
        int64_t number, nodes[10];
        double region = 0;
        twWord word;
        if (!next_line(scan)) return cut_short(scan, i, count, "tets", err);
        status = need_whole(scan, &number, "the number of a tet", err);
        for (int k = 0; k < per_tet && status == TW_OK; k++) status = need_whole(scan, &nodes[k], "a node", err);
        if (status != TW_OK) break;
        bool known = tw_scan_word(scan, &word) && tw_word_number(word, &region) && fabs(region) < 1e15;
        status = tw_tet_soup_tet(soup, nodes, (int)per_tet, known ? (int64_t)region : 0, number, err);
        tw_scan_line(scan);
    }
    return status;
}

// read one of the two files
static twStatus read_part(twTetSoup* soup, const char* path, twStatus (*reader)(twScan*, twTetSoup*, twError*),
                          twError* err)
{
    char* data;
    size_t bytes;
    twStatus status = tw_file_read(&data, &bytes, path, MAX_BYTES, err);
    if (status != TW_OK) return status;
    twScan scan = tw_scan(path, data, bytes);
    status = reader(&scan, soup, err);
    free(data);
    return status;
}

twStatus tw_read_tetgen(twTetMesh** out, const char* path, double scale, twError* err)
{
    *out = NULL;
    size_t length = strlen(path), stem = (size_t)(strrchr(path, '.') - path);
    char *nodes = malloc(length + 8), *tets = malloc(length + 8);
    twTetSoup soup = {.path = path, .guess_mids = true};
    twStatus status = nodes && tets ? TW_OK : tw_fail(err, TW_NO_MEMORY, "%s: no memory", path);
    if (status == TW_OK)
    {
        snprintf(nodes, length + 8, "%.*s.node", (int)stem, path);
        snprintf(tets, length + 8, "%.*s.ele", (int)stem, path);
        status = read_part(&soup, nodes, read_nodes, err);
    }
    if (status == TW_OK) status = read_part(&soup, tets, read_tets, err);
    if (status == TW_OK) status = tw_tet_soup_finish(out, &soup, scale, err);
    tw_tet_soup_clear(&soup);
    free(nodes);
    free(tets);
    return status;
}
