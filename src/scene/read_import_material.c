// SPDX-License-Identifier: MIT
// What a file means by the name of a material: "Steel.001", "oak wood" and "polished brass" are steel, oak and brass.
//
// A name is taken apart into words, without the number that modellers put behind. All of it may be the name of a material of
// the scene or a built-in one; else one of its words, the first that is not as general as "wood" or "metal", and these last.

#include "reader.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

#define MAX_WORDS 16
#define WORD_BYTES 32

typedef struct Words
{
    int count;
    char word[MAX_WORDS][WORD_BYTES];
} Words;

// what words that are no materials themselves stand for; docs/import.md has the same table
static const char* const others[][2] = {
    {"wooden", "wood"},
    {"timber", "wood"},
    {"plank", "wood"},
    {"beech", "wood"},
    {"birch", "wood"},
    {"maple", "wood"},
    {"ash", "wood"},
    {"walnut", "wood"},
    {"plywood", "wood"},
    {"chipboard", "mdf"},
    {"pine", "spruce"},
    {"fir", "spruce"},
    {"mahogany", "rosewood"},
    {"ebony", "rosewood"},
    {"metal", "steel"},
    {"stainless", "steel"},
    {"chrome", "steel"},
    {"aluminum", "aluminium"},
    {"alu", "aluminium"},
    {"plastic", "polystyrene"},
    {"abs", "polystyrene"},
    {"pvc", "polystyrene"},
    {"perspex", "acrylic"},
    {"plexiglass", "acrylic"},
    {"plexiglas", "acrylic"},
    {"pmma", "acrylic"},
    {"stone", "granite"},
    {"rock", "granite"},
    {"cement", "concrete"},
    {"clay", "ceramic"},
    {"earthenware", "ceramic"},
    {"stoneware", "ceramic"},
    {"terracotta", "ceramic"},
    {"pottery", "ceramic"},
    {"tile", "ceramic"},
    {"china", "porcelain"},
};
static const char* const general[] = {"wood", "wooden", "metal", "plastic", "stone", NULL};

// letters and digits in small letters; anything else parts words. A part of digits alone is a number
static void split(Words* words, const char* name)
{
    size_t length = 0;
    bool digits = true;
    words->count = 0;
    for (const char* c = name;; c++)
    {
        const bool letter = isalnum((unsigned char)*c) || (unsigned char)*c >= 0x80;
        if (letter && words->count < MAX_WORDS && length + 1 < WORD_BYTES)
        {
            words->word[words->count][length++] = (char)tolower((unsigned char)*c);
            digits = digits && isdigit((unsigned char)*c);
        }
        if (!letter && length > 0)
        {
            words->word[words->count][length] = 0;
            words->count += !digits;
            length = 0;
            digits = true;
        }
        if (!*c) return;
    }
}

static bool same_words(const Words* a, const Words* b)
{
    if (a->count != b->count || a->count == 0) return false;
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->word[i], b->word[i]) != 0) return false;
    return true;
}

// a material of the scene whose name is made of these words, or a built-in one
static const char* named(const Reader* reader, const Words* words)
{
    Words name;
    for (int i = 0; i < reader->material_count; i++)
    {
        split(&name, reader->materials[i].name);
        if (same_words(&name, words)) return reader->materials[i].name;
    }
    const twMaterial* found = words->count == 1 ? tw_material_find(words->word[0]) : NULL;
    return found ? found->name : NULL;
}

static const char* meant(const Reader* reader, const char* word)
{
    Words words = {.count = 1};
    snprintf(words.word[0], WORD_BYTES, "%s", word);
    const char* found = named(reader, &words);
    for (size_t i = 0; i < sizeof others / sizeof *others && !found; i++)
        if (strcmp(others[i][0], word) == 0) found = tw_material_find(others[i][1])->name;
    return found;
}

static bool is_general(const char* word)
{
    for (int i = 0; general[i]; i++)
        if (strcmp(general[i], word) == 0) return true;
    return false;
}

const char* read_import_material(const Reader* reader, const char* name)
{
    Words words;
    for (int i = 0; i < reader->material_count; i++)
        if (strcmp(reader->materials[i].name, name) == 0) return reader->materials[i].name;
    split(&words, name);
    const char* found = named(reader, &words);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < words.count && !found; i++)
            if (is_general(words.word[i]) == (pass == 1)) found = meant(reader, words.word[i]);
    return found;
}

// ---- by numbers ----

static bool is_own(const Reader* reader, int count, const char* name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(reader->materials[i].name, name) == 0) return true;
    return false;
}

// as in the file, but not as one that is built in or was before it in the file
static const char* solid_name(Reader* reader, const twImportSolid* solid, int index)
{
    char name[300];
    const bool taken = tw_material_find(solid->name) || is_own(reader, reader->material_count, solid->name);
    if (solid->name[0] && !taken) return read_copy(reader, solid->name);
    snprintf(name, sizeof name, "%.255s (%d of the file)", solid->name[0] ? solid->name : "material", index);
    return read_copy(reader, name);
}

// damping that is not told is that of what it is called after, or of steel
static twMaterial solid_material(const Reader* reader, const twImportSolid* solid, const char* name)
{
    const char* like = read_import_material(reader, solid->name);
    const twMaterial* base = like ? tw_material_find(like) : NULL;
    if (!base) base = tw_material_find("steel");
    twMaterial out = *base;
    out.name = name;
    out.density = solid->density;
    out.young = solid->young;
    out.poisson = solid->poisson;
    out.orthotropy = (twOrthotropy){0};
    if (isnan(solid->alpha) && isnan(solid->beta)) return out;
    out.alpha = isnan(solid->alpha) ? 0 : solid->alpha;
    out.beta = isnan(solid->beta) ? 0 : solid->beta;
    out.loss_factor = 0;
    return out;
}

void read_import_solids(Reader* reader)
{
    const twImport* file = reader->scene->import;
    const int count = file->solid_count, own = reader->material_count;
    if (count == 0) return;
    twMaterial* all = read_alloc(reader, (size_t)(own + count), sizeof *all);
    reader->solid_names = read_alloc(reader, (size_t)count, sizeof *reader->solid_names);
    if (reader->no_memory) return;
    if (own > 0) memcpy(all, reader->materials, (size_t)own * sizeof *all);
    reader->materials = all;
    for (int i = 0; i < count && !reader->no_memory; i++)
    {
        const twImportSolid* solid = &file->solids[i];
        if (!solid->usable) continue;
        if (is_own(reader, own, solid->name))
        {
            reader->solid_names[i] = solid->name;
            continue;
        }
        const char* name = solid_name(reader, solid, i);
        reader->solid_names[i] = name;
        if (reader->no_memory) return;
        // made before it is counted: it looks for its name among those that are
        all[reader->material_count] = solid_material(reader, solid, name);
        reader->material_count++;
    }
}
