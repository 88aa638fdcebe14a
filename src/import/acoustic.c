// SPDX-License-Identifier: MIT
// How nodes sound by the draft extension KHR_audio_rigid_bodies: what they are made of, in numbers, how rough and how loud they are,
// and how many modes they have. Modes themselves are found anew, from the mesh.
//
// A surface of heights with deviation s and correlation length l (Gaussian) has slopes of deviation sqrt(2) s/l.
#include "import/import.h"
#include <math.h>

#define EXTENSION "KHR_audio_rigid_bodies"
#define MOST_ROUGH 0.9  // [rad]
enum
{
    MAX_SOLIDS = 256,  // and surfaces, and models
    MAX_MODES = 4096   // of a body
};

typedef struct Entries
{
    int count;
    int at[MAX_SOLIDS];  // in the JSON
} Entries;

static Entries entries_of(const twGlb* glb, const char* key)
{
    const int root = tw_json_get(&glb->json, tw_json_get(&glb->json, 0, "extensions"), EXTENSION);
    const int list = tw_json_get(&glb->json, root, key), length = tw_json_length(&glb->json, list);
    Entries found = {0};
    for (int item = tw_json_first(list); found.count < length && found.count < MAX_SOLIDS;
         item = tw_json_next(&glb->json, item))
        found.at[found.count++] = item;
    return found;
}

static double number(const twGlb* glb, int object, const char* key)
{
    const int at = tw_json_get(&glb->json, object, key);
    return tw_json_is(&glb->json, at, TW_JSON_NUMBER) ? glb->json.nodes[at].number : NAN;
}

// the entry that an object names by its number; -1: none
static int named(const twGlb* glb, int object, const char* key, int count)
{
    const double n = number(glb, object, key);
    return n >= 0 && n < count && n == floor(n) ? (int)n : -1;
}

// ---- what there is ----

static bool is_solid(const twImportSolid* s)
{
    return s->density > 0 && s->density < 1e6 && s->young > 0 && s->young < 1e15 && s->poisson > -1 &&
           s->poisson < 0.4999;
}

twStatus import_solids(ImportReader* reader, twError* err)
{
    const Entries found = entries_of(reader->glb, "acousticMaterials");
    if (found.count == 0) return TW_OK;
    twImportSolid* solids = import_alloc(reader, (size_t)found.count, sizeof *solids);
    if (!solids) return import_no_memory(reader, err);
    for (int i = 0; i < found.count; i++)
    {
        twImportSolid* s = &solids[i];
        const int name = tw_json_get(&reader->glb->json, found.at[i], "name");
        *s = (twImportSolid){.name = name >= 0 ? import_text(reader, name) : "",
                             .density = number(reader->glb, found.at[i], "density"),
                             .young = number(reader->glb, found.at[i], "youngsModulus"),
                             .poisson = number(reader->glb, found.at[i], "poissonRatio"),
                             .alpha = number(reader->glb, found.at[i], "alpha"),
                             .beta = number(reader->glb, found.at[i], "beta")};
        if (!s->name) return import_no_memory(reader, err);
        if (!(s->alpha >= 0 && s->alpha < 1e9)) s->alpha = NAN;
        if (!(s->beta >= 0 && s->beta < 1e9)) s->beta = NAN;
        s->usable = is_solid(s);
        if (!s->usable)
            import_note(reader->import, "the acoustic material '%.60s' (%d) has no usable density, modulus or ratio",
                        s->name, i);
    }
    reader->import->solids = solids;
    reader->import->solid_count = found.count;
    return TW_OK;
}

// ---- nodes ----

static int modes_of(const ImportReader* reader, int model)
{
    const twGlb* glb = reader->glb;
    const int accessor = named(glb, model, "frequencies", glb->accessors.count);
    const double count = accessor >= 0 ? number(glb, glb->accessors.at[accessor], "count") : 0;
    return count >= 1 ? (int)fmin(count, MAX_MODES) : 0;
}

// of a surface or a model, unless something better is known
static void take_solid(const ImportReader* reader, int object, ImportAcoustic* a)
{
    const int solid = named(reader->glb, object, "material", reader->import->solid_count);
    if (a->solid < 0 && solid >= 0 && reader->import->solids[solid].usable) a->solid = solid;
}

ImportAcoustic import_acoustic(const ImportReader* reader, int node)
{
    const twGlb* glb = reader->glb;
    const int own = tw_json_get(&glb->json, tw_json_get(&glb->json, node, "extensions"), EXTENSION);
    ImportAcoustic a = {.solid = -1, .gain = NAN};
    if (own < 0) return a;
    a.gain = number(glb, own, "gain");
    const Entries models = entries_of(glb, "modalModels"), surfaces = entries_of(glb, "acousticSurfaces");
    const int model = named(glb, own, "modalModel", models.count);
    const int surface = named(glb, own, "acousticSurface", surfaces.count);
    if (model >= 0) a.modes = modes_of(reader, models.at[model]);
    if (surface >= 0)
    {
        const double height = number(glb, surfaces.at[surface], "roughness");
        const double length = number(glb, surfaces.at[surface], "correlationLength");
        if (height > 0 && length > 0 && length < 1e3)
            a.roughness = fmin(atan(sqrt(2.0) * height / length), MOST_ROUGH), a.grain = length;
        take_solid(reader, surfaces.at[surface], &a);
    }
    if (model >= 0) take_solid(reader, models.at[model], &a);
    return a;
}
