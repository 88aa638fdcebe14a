// SPDX-License-Identifier: MIT
// A glTF file in one piece (GLB): a header of 12 bytes, a chunk of JSON, a chunk of bytes; lengths are filled in when they
// are known. All of it is made in memory before the file is begun.
#include "picture/glb.h"

enum
{
    HEADER = 12,
    CHUNK = 8,
};

twGlbDef tw_glb_def(void) { return (twGlbDef){.max_targets = 64, .tolerance = 1e-5, .modal_data = true}; }

static twStatus check_def(const twGlbDef* def, twError* err)
{
    if (def->max_targets < 0)
        return tw_fail(err, TW_BAD_INPUT, "max_targets is %d; 0 or more modes can bend a body", def->max_targets);
    if (!(def->tolerance >= 0 && def->tolerance < 1))
        return tw_fail(err, TW_BAD_INPUT, "tolerance is %g; it is a share of the motion, from 0 to below 1",
                       def->tolerance);
    return TW_OK;
}

// the node below which z is up: a quarter turn that takes z to y
static void add_root(Glb* glb)
{
    const char* title = glb->skin->trace->title;
    const twQuat turn = tw_quat(sqrt(0.5), -sqrt(0.5), 0, 0);
    GlbNode* root = glb_node(glb, "", -1);
    snprintf(root->name, sizeof root->name, "%.*s", TW_TRACE_NAME - 1, title[0] ? title : "scene");
    glb_place(&root->place, tw_vec3(0, 0, 0), turn);
}

static twStatus fill(Glb* glb, twError* err)
{
    add_root(glb);
    twStatus status = TW_OK;
    for (int p = 0; p < glb->skin->part_count && status == TW_OK; p++)
    {
        status = glb_ask(glb, p, 0, err);
        if (status != TW_OK) return status;
        status = glb->skin->parts[p].rod >= 0 ? glb_rod(glb, p, err) : glb_body(glb, p, err);
    }
    if (status == TW_OK) status = glb_stage(glb, err);
    if (glb->views[glb->view_count - 1].bytes == 0) glb->view_count--;
    return status;
}

static void put_u32(FILE* stream, uint32_t value)
{
    for (int i = 0; i < 4; i++) fputc((int)(value >> 8 * i & 255), stream);
}

static void write_chunk_head(FILE* stream, uint32_t bytes, const char* kind)
{
    put_u32(stream, bytes);
    fwrite(kind, 1, 4, stream);
}

static twStatus write_file(const Glb* glb, twError* err)
{
    twFile* file;
    twStatus status = tw_file_create(&file, glb->path, err);
    if (status != TW_OK) return status;
    FILE* stream = tw_file_stream(file);

    // JSON, filled up with spaces, behind heads that are written last
    for (int i = 0; i < HEADER + CHUNK; i++) fputc(0, stream);
    glb_json(glb, stream);
    long end = ftell(stream);
    for (; end > 0 && end % 4 != 0; end++) fputc(' ', stream);
    write_chunk_head(stream, (uint32_t)glb->byte_count, "BIN");
    fwrite(glb->bytes, 1, glb->byte_count, stream);

    const uint64_t total = (uint64_t)end + CHUNK + glb->byte_count;
    if (end <= 0 || ferror(stream) || fseek(stream, 0, SEEK_SET) != 0)
    {
        status = tw_file_fail(file, err);
        tw_file_abort(&file);
        return status;
    }
    if (total > UINT32_MAX)
    {
        tw_file_abort(&file);
        return tw_fail(err, TW_BAD_INPUT, "cannot write %s: it would hold more than 4 GB, the most of a GLB file",
                       glb->path);
    }
    fwrite("glTF", 1, 4, stream);
    put_u32(stream, 2);
    put_u32(stream, (uint32_t)total);
    write_chunk_head(stream, (uint32_t)(end - HEADER - CHUNK), "JSON");
    return tw_file_commit(&file, err);
}

twStatus tw_glb_save(const char* path, const twSkin* skin, const twGlbDef* def, twError* err)
{
    TW_ASSERT(path && skin && def);
    Glb glb = {.path = path, .skin = skin, .def = def};
    twStatus status = check_def(def, err);
    if (status == TW_OK) status = tw_file_check(path, err);
    if (status == TW_OK) status = glb_open(&glb, err);
    if (status == TW_OK) status = fill(&glb, err);
    if (status == TW_OK) status = write_file(&glb, err);
    glb_close(&glb);
    return status;
}
