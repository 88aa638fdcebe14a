// SPDX-License-Identifier: MIT
// From a glTF file to bodies: its tree, then what moves it, then the meshes that hang in it.
#include "import/import.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)1 << 31)  // of a file

twImportDef tw_import_def(void) { return (twImportDef){.unit = 1}; }

// ---- small things ----

void* import_alloc(ImportReader* reader, size_t count, size_t size)
{
    return tw_arena_alloc(reader->import->arena, count ? count : 1, size);
}

twStatus import_no_memory(const ImportReader* reader, twError* err)
{
    return tw_fail(err, TW_NO_MEMORY, "%s: no memory to import it", reader->glb->path);
}

const char* import_text(ImportReader* reader, int json)
{
    char text[256];
    return tw_arena_copy_text(reader->import->arena, tw_json_plain(&reader->glb->json, json, text, sizeof text));
}

bool import_is(const twGlb* glb, int json, const char* text)
{
    char plain[64];
    return strcmp(tw_json_plain(&glb->json, json, plain, sizeof plain), text) == 0;
}

void import_note(twImport* import, const char* format, ...)
{
    char text[256], *note = import->note;
    const size_t used = strlen(note), room = sizeof import->note;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    // said once; what does not fit is not said
    if (strstr(note, text) || used + strlen(text) + 3 > room) return;
    snprintf(note + used, room - used, "%s%s", used ? "; " : "", text);
}

// ---- the whole ----

static twStatus check_def(const char* name, const twImportDef* def, twError* err)
{
    if (!(def->unit > 0 && def->unit < 1e9))
        return tw_fail(err, TW_BAD_INPUT, "%s: the unit %g must be positive, such as 0.001 for millimetres", name,
                       def->unit);
    if (!(fabs(def->start) <= 1e6))
        return tw_fail(err, TW_BAD_INPUT, "%s: the start %g s must be at most 1e6 s away", name, def->start);
    return TW_OK;
}

static twStatus read_all(ImportReader* reader, twError* err)
{
    if (!tw_glb_list(reader->glb, "materials", &reader->materials) ||
        !tw_glb_list(reader->glb, "animations", &reader->animations))
        return import_no_memory(reader, err);
    twStatus status = import_solids(reader, err);
    if (status == TW_OK) status = import_nodes(reader, err);
    if (status == TW_OK) status = import_keys(reader, err);
    if (status == TW_OK) status = import_bodies(reader, err);
    if (status == TW_OK) status = import_names(reader, err);
    return status == TW_OK ? import_camera(reader, err) : status;
}

static twImport* create(void)
{
    twArena* arena = tw_arena_create(1 << 14);
    twImport* import = arena ? tw_arena_alloc(arena, 1, sizeof *import) : NULL;
    if (import)
        import->arena = arena;
    else
        tw_arena_destroy(arena);
    return import;
}

twStatus tw_import_read(twImport** out, const char* name, const void* data, size_t bytes, const twImportDef* def,
                        twError* err)
{
    twGlb glb;
    *out = NULL;
    twStatus status = check_def(name, def, err);
    if (status != TW_OK) return status;
    twImport* import = create();
    if (!import) return tw_fail(err, TW_NO_MEMORY, "%s: no memory to import it", name);
    ImportReader reader = {.import = import, .glb = &glb, .def = def};
    status = tw_glb_open(&glb, name, data, bytes, err);
    if (status == TW_OK) status = read_all(&reader, err);
    import->hash = tw_hash(data, bytes, (twHash){0, 0});
    for (int i = 0; status == TW_OK && i < glb.buffers.count; i++)
        if (glb.buffer_data[i].file)
            import->hash = tw_hash(glb.buffer_data[i].data, (size_t)glb.buffer_data[i].bytes, import->hash);
    free(reader.materials.at);
    free(reader.animations.at);
    tw_glb_close(&glb);
    if (status == TW_OK)
        *out = import;
    else
        tw_import_destroy(import);
    return status;
}

twStatus tw_import_load(twImport** out, const char* path, const twImportDef* def, twError* err)
{
    char* data;
    size_t bytes;
    *out = NULL;
    twStatus status = tw_file_read(&data, &bytes, path, MAX_BYTES, err);
    if (status != TW_OK) return status;
    status = tw_import_read(out, path, data, bytes, def, err);
    free(data);
    return status;
}

void tw_import_destroy(twImport* import)
{
    if (!import) return;
    for (int i = 0; i < import->shape_count; i++) tw_mesh_destroy(import->shapes[i]);
    tw_arena_destroy(import->arena);
}
