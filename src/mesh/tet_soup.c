// SPDX-License-Identifier: MIT
// From numbered nodes and tets to a mesh: checked, compact, positive.
#include "mesh/tet_soup.h"
#include "mesh/tets.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static twStatus no_memory(const twTetSoup* soup, twError* err)
{
    return tw_fail(err, TW_NO_MEMORY, "%s: no memory for more than %d nodes and %d tets", soup->path, soup->node_count,
                   soup->tet_count);
}

void tw_tet_soup_clear(twTetSoup* soup)
{
    tw_table_clear(&soup->index_of);
    free(soup->nodes);
    free(soup->numbers);
    free(soup->corners);
    free(soup->regions);
    free(soup->named);
    *soup = (twTetSoup){.path = soup->path};
}

// ---- gathering ----

// make two arrays longer together. @return false without memory
static bool grow_pair(void** a, size_t size_a, void** b, size_t size_b, int* capacity)
{
    if (*capacity > INT_MAX / 2 - 64) return false;
    size_t wanted = (size_t)*capacity + (size_t)*capacity / 2 + 64;
    void* larger_a = realloc(*a, wanted * size_a);
    if (larger_a) *a = larger_a;
    void* larger_b = realloc(*b, wanted * size_b);
    if (larger_b) *b = larger_b;
    if (!larger_a || !larger_b) return false;
    *capacity = (int)wanted;
    return true;
}

twStatus tw_tet_soup_node(twTetSoup* soup, int64_t number, twVec3 place, twError* err)
{
    if (soup->node_count == soup->node_capacity)
    {
        void *nodes = soup->nodes, *numbers = soup->numbers;
        bool fine = grow_pair(&nodes, sizeof *soup->nodes, &numbers, sizeof *soup->numbers, &soup->node_capacity);
        soup->nodes = nodes;
        soup->numbers = numbers;
        if (!fine) return no_memory(soup, err);
    }
    int* index =
        tw_table_put(&soup->index_of, (int)(number & INT_MAX), (int)(number >> 31 & INT_MAX), 0, soup->node_count);
    if (!index) return no_memory(soup, err);
    if (*index != soup->node_count)
        return tw_fail(err, TW_BAD_INPUT, "%s: node %lld is there twice", soup->path, (long long)number);
    soup->nodes[soup->node_count] = place;
    soup->numbers[soup->node_count++] = number;
    return TW_OK;
}

twStatus tw_tet_soup_tet(twTetSoup* soup, const int64_t* numbers, int count, int64_t region, int64_t tet, twError* err)
{
    if (soup->per_tet == 0) soup->per_tet = count;
    if (soup->per_tet != count)
        return tw_fail(err, TW_BAD_INPUT, "%s, tet %lld: tets of %d and of %d nodes are mixed; mesh in one order",
                       soup->path, (long long)tet, soup->per_tet, count);
    if (soup->tet_count == soup->tet_capacity)
    {
        void *corners = soup->corners, *regions = soup->regions;
        bool fine = grow_pair(&corners, (size_t)count * sizeof *soup->corners, &regions, sizeof *soup->regions,
                              &soup->tet_capacity);
        soup->corners = corners;
        soup->regions = regions;
        if (!fine) return no_memory(soup, err);
    }
    int* corners = soup->corners + (size_t)soup->tet_count * (size_t)count;
    for (int i = 0; i < count; i++)
    {
        const int* index =
            tw_table_get(&soup->index_of, (int)(numbers[i] & INT_MAX), (int)(numbers[i] >> 31 & INT_MAX), 0);
        if (!index || numbers[i] < 0)
            return tw_fail(err, TW_BAD_INPUT, "%s, tet %lld: it refers to node %lld, which is not there", soup->path,
                           (long long)tet, (long long)numbers[i]);
        corners[i] = *index;
        for (int k = 0; k < i; k++)
            if (corners[k] == corners[i])
                return tw_fail(err, TW_BAD_INPUT, "%s, tet %lld: node %lld is in it twice", soup->path, (long long)tet,
                               (long long)numbers[i]);
    }
    soup->regions[soup->tet_count++] = region;
    return TW_OK;
}

// ---- order of mid nodes ----

// which edge a mid node lies nearest to the middle of
static int nearest_edge(const twTetSoup* soup, const int* corners, int mid)
{
    int best = 0;
    double least = HUGE_VAL;
    for (int e = 0; e < 6; e++)
    {
        twVec3 a = soup->nodes[corners[tw_tet_edges[e][0]]], b = soup->nodes[corners[tw_tet_edges[e][1]]];
        twVec3 middle = tw_vec3_scale(tw_vec3_add(a, b), 0.5);
        double distance = tw_vec3_norm(tw_vec3_sub(soup->nodes[mid], middle));
        if (distance < least) best = e;
        if (distance < least) least = distance;
    }
    return best;
}

// bring the mid nodes to our order: each place votes for the edge it lies on
static twStatus order_mids(twTetSoup* soup, twError* err)
{
    int votes[6][6] = {{0}}, place_of[6], taken = 0;
    for (int t = 0; t < soup->tet_count && t < 1000; t++)
    {
        const int* corners = soup->corners + 10 * (size_t)t;
        for (int m = 0; m < 6; m++) votes[nearest_edge(soup, corners, corners[4 + m])][m]++;
    }
    for (int e = 0; e < 6; e++)
    {
        place_of[e] = 0;
        for (int m = 1; m < 6; m++)
            if (votes[e][m] > votes[e][place_of[e]]) place_of[e] = m;
        taken |= 1 << place_of[e];
    }
    if (taken != 63)
        return tw_fail(err, TW_BAD_INPUT, "%s: the mid-edge nodes do not lie on the edges of their tets", soup->path);
    for (int t = 0; t < soup->tet_count; t++)
    {
        int *mids = soup->corners + 10 * (size_t)t + 4, old[6];
        memcpy(old, mids, sizeof old);
        for (int e = 0; e < 6; e++) mids[e] = old[place_of[e]];
    }
    return TW_OK;
}

// ---- finishing ----

// nodes in use: corners get the first numbers, then mid nodes
static twStatus renumber(const twTetSoup* soup, int* new_of, int* count, twError* err)
{
    const size_t per = (size_t)soup->per_tet, total = (size_t)soup->tet_count * per;
    memset(new_of, 0, (size_t)soup->node_count * sizeof *new_of);
    for (size_t i = 0; i < total; i++) new_of[soup->corners[i]] |= i % per < 4 ? 1 : 2;
    *count = 0;
    for (int pass = 1; pass <= 2; pass++)
        for (int n = 0; n < soup->node_count; n++)
        {
            twVec3 p = soup->nodes[n];
            if (new_of[n] == 3 || (new_of[n] > 0 && !isfinite(p.x + p.y + p.z)))
                return tw_fail(err, TW_BAD_INPUT, "%s: node %lld %s", soup->path, (long long)soup->numbers[n],
                               new_of[n] == 3 ? "is a corner of one tet and on an edge of another"
                                              : "has coordinates that are not finite");
            if (new_of[n] == pass) new_of[n] = -1 - (*count)++;
        }
    for (int n = 0; n < soup->node_count; n++) new_of[n] = -1 - new_of[n];
    return TW_OK;
}

// make a tet positive by exchanging two corners and the mid nodes with them
static void turn_tet(twTet* tet, int* mid)
{
    static const int order[6] = {2, 1, 0, 3, 5, 4};
    int swap = tet->n[1], old[6];
    tet->n[1] = tet->n[2];
    tet->n[2] = swap;
    if (!mid) return;
    memcpy(old, mid, sizeof old);
    for (int e = 0; e < 6; e++) mid[e] = old[order[e]];
}

static twStatus fill_tets(twTetMesh* tets, const twTetSoup* soup, const int* new_of, twError* err)
{
    for (int t = 0; t < tets->tet_count; t++)
    {
        const int* from = soup->corners + (size_t)t * (size_t)soup->per_tet;
        for (int i = 0; i < 4; i++) tets->tets[t].n[i] = new_of[from[i]];
        for (int e = 0; e < 6 && tets->mid_nodes; e++) tets->mid_nodes[t][e] = new_of[from[4 + e]];
        double det = tw_tet_det(tets->nodes, &tets->tets[t]);
        if (!(fabs(det) > 0))
            return tw_fail(err, TW_BAD_INPUT, "%s: the tet on nodes %lld, %lld, %lld, %lld has no volume; mesh again",
                           soup->path, (long long)soup->numbers[from[0]], (long long)soup->numbers[from[1]],
                           (long long)soup->numbers[from[2]], (long long)soup->numbers[from[3]]);
        if (det < 0) turn_tet(&tets->tets[t], tets->mid_nodes ? tets->mid_nodes[t] : NULL);
    }
    return TW_OK;
}

// no face may have more than two tets
static twStatus check_overlap(const twTetMesh* tets, const char* path, twError* err)
{
    twTable table = {0};
    twStatus status = TW_OK;
    for (int i = 0; i / 4 < tets->tet_count && status == TW_OK; i++)
    {
        int v[3];
        for (int k = 0; k < 3; k++) v[k] = tets->tets[i / 4].n[tw_tet_faces[i % 4][k]];
        int low = v[0] < v[1] ? v[0] : v[1], high = v[0] > v[1] ? v[0] : v[1];
        if (v[2] < low) low = v[2];
        if (v[2] > high) high = v[2];
        int* count = tw_table_put(&table, low, v[0] ^ v[1] ^ v[2] ^ low ^ high, high, 0);
        if (!count)
            status = tw_fail(err, TW_NO_MEMORY, "%s: no memory for the faces of %d tets", path, tets->tet_count);
        else if (++*count > 2)
            status =
                tw_fail(err, TW_BAD_INPUT,
                        "%s: tets overlap: more than two have one face. Gmsh writes tets that are in several physical "
                        "groups several times in format 2.2; save as 4.1",
                        path);
    }
    tw_table_clear(&table);
    return status;
}

static int compare_numbers(const void* a, const void* b)
{
    int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
    return (x > y) - (x < y);
}

// what the file calls each region
static twStatus name_regions(twTetMesh* tets, const twTetSoup* soup, const int64_t* tags, size_t count, twError* err)
{
    tets->region_list = calloc(count + 1, sizeof *tets->region_list);
    if (!tets->region_list) return no_memory(soup, err);
    tets->region_count = (int)count;
    for (size_t i = 0; i < count; i++)
    {
        tets->region_list[i].tag = tags[i];
        for (int k = 0; k < soup->named_count; k++)
            if (soup->named[k].tag == tags[i]) tets->region_list[i] = soup->named[k];
    }
    return TW_OK;
}

// the file's region numbers in their order become 0, 1, ...; one alone is no region
static twStatus number_regions(twTetMesh* tets, const twTetSoup* soup, twError* err)
{
    size_t n = (size_t)tets->tet_count, count = 0;
    int64_t* sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted) return no_memory(soup, err);
    memcpy(sorted, soup->regions, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_numbers);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || sorted[i] != sorted[count - 1]) sorted[count++] = sorted[i];
    if (count > 1) tets->regions = malloc(n * sizeof *tets->regions);
    for (size_t i = 0; i < n && tets->regions; i++)
    {
        const int64_t* at = bsearch(&soup->regions[i], sorted, count, sizeof *sorted, compare_numbers);
        tets->regions[i] = (int)(at - sorted);
    }
    twStatus status = name_regions(tets, soup, sorted, count, err);
    free(sorted);
    return count > 1 && !tets->regions ? no_memory(soup, err) : status;
}

static twStatus make_mesh(twTetMesh* tets, const twTetSoup* soup, const int* new_of, double scale, twError* err)
{
    for (int n = 0; n < soup->node_count; n++)
        if (new_of[n] >= 0) tets->nodes[new_of[n]] = tw_vec3_scale(soup->nodes[n], scale);
    if (soup->per_tet == 10)
    {
        tets->mid_nodes = malloc(((size_t)tets->tet_count + 1) * sizeof *tets->mid_nodes);
        if (!tets->mid_nodes) return no_memory(soup, err);
    }
    twStatus status = fill_tets(tets, soup, new_of, err);
    if (status == TW_OK) status = check_overlap(tets, soup->path, err);
    return status == TW_OK ? number_regions(tets, soup, err) : status;
}

twStatus tw_tet_soup_finish(twTetMesh** out, twTetSoup* soup, double scale, twError* err)
{
    *out = NULL;
    if (soup->tet_count == 0) return tw_fail(err, TW_BAD_INPUT, "%s: there are no tetrahedra in it", soup->path);
    if (soup->tet_count > INT_MAX / 16) return no_memory(soup, err);
    int count = 0, *new_of = malloc(((size_t)soup->node_count + 1) * sizeof *new_of);
    twTetMesh* tets = NULL;
    twStatus status = new_of ? TW_OK : no_memory(soup, err);
    if (status == TW_OK && soup->guess_mids && soup->per_tet == 10) status = order_mids(soup, err);
    if (status == TW_OK) status = renumber(soup, new_of, &count, err);
    if (status == TW_OK) status = tw_tets_create(&tets, count, soup->tet_count, err);
    if (status == TW_OK) status = make_mesh(tets, soup, new_of, scale, err);
    free(new_of);
    if (status == TW_OK)
        *out = tets;
    else
        tw_tets_destroy(tets);
    return status;
}
