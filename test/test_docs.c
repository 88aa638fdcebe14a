// SPDX-License-Identifier: MIT
// The pages under docs/ and README.md: links lead somewhere, every page is reached, quoted code and scenes are those of the files.

#define _DEFAULT_SOURCE  // DT_*
#include "test.h"
#include "twang/base.h"
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_PAGES 128
#define MAX_BYTES (1 << 20)

typedef struct Page
{
    char name[280];  // from the folder of the sources
    char* text;
    bool reached;
} Page;

typedef struct Pages
{
    int count;
    Page page[MAX_PAGES];
} Pages;

// ---- pages ----

static char* read_text(const char* name)
{
    char path[1024], *text;
    snprintf(path, sizeof path, "%s/%s", TEST_SOURCE_DIR, name);
    return tw_file_read(&text, NULL, path, MAX_BYTES, NULL) == TW_OK ? text : NULL;
}

static bool ends_with(const char* text, const char* end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static int add_page(Pages* pages, const char* name)
{
    ENSURE(pages->count < MAX_PAGES);
    Page* page = &pages->page[pages->count];
    snprintf(page->name, sizeof page->name, "%s", name);
    ENSURE((page->text = read_text(name)) != NULL);
    pages->count++;
    return 0;
}

static int read_pages(Pages* pages)
{
    memset(pages, 0, sizeof *pages);
    if (add_page(pages, "README.md")) return 1;
    DIR* dir = opendir(TEST_SOURCE_DIR "/docs");
    ENSURE(dir != NULL);
    int failed = 0;
    for (struct dirent* entry; !failed && (entry = readdir(dir));)
    {
        char name[sizeof entry->d_name + 8];
        snprintf(name, sizeof name, "docs/%s", entry->d_name);
        if (ends_with(name, ".md")) failed = add_page(pages, name);
    }
    closedir(dir);
    return failed;
}

static void free_pages(Pages* pages)
{
    for (int i = 0; i < pages->count; i++) free(pages->page[i].text);
}

// ---- links ----

// the next target of a link from *at on, that is not to the web, without its anchor; "" leads to the page itself
static bool next_link(const char** at, char* target, size_t bytes)
{
    for (const char* link; (link = strstr(*at, "]("));)
    {
        const char* end = strchr(link, ')');
        if (!end) return false;
        *at = end;
        snprintf(target, bytes, "%.*s", (int)(end - link - 2), link + 2);
        if (strstr(target, "://") || strchr(target, ' ')) continue;
        target[strcspn(target, "#")] = 0;
        return true;
    }
    return false;
}

// from the folder of the sources: docs/ and ../ of a page there
static void resolve(char* out, size_t bytes, const Page* page, const char* target)
{
    const bool inside = strncmp(page->name, "docs/", 5) == 0;
    if (inside && strncmp(target, "../", 3) == 0)
        snprintf(out, bytes, "%s", target + 3);
    else
        snprintf(out, bytes, "%s%s", inside ? "docs/" : "", target);
}

static int check_links(const Page* page)
{
    char target[512], place[600], path[1700];
    for (const char* at = page->text; next_link(&at, target, sizeof target);)
    {
        if (!*target) continue;
        resolve(place, sizeof place, page, target);
        snprintf(path, sizeof path, "%s/%s", TEST_SOURCE_DIR, place);
        if (access(path, F_OK) != 0) printf("%s: no file '%s'\n", page->name, target);
        ENSURE(access(path, F_OK) == 0);
    }
    return 0;
}

static int links_lead_to_files(void)
{
    Pages pages;
    int failed = read_pages(&pages);
    for (int i = 0; i < pages.count; i++) failed |= check_links(&pages.page[i]);
    const int count = pages.count;
    free_pages(&pages);
    ENSURE(!failed && count > 30);
    return 0;
}

static Page* find_page(Pages* pages, const char* name)
{
    for (int i = 0; i < pages->count; i++)
        if (strcmp(pages->page[i].name, name) == 0) return &pages->page[i];
    return NULL;
}

static void reach(Pages* pages, Page* page)
{
    if (!page || page->reached) return;
    page->reached = true;
    char target[512], place[600];
    for (const char* at = page->text; next_link(&at, target, sizeof target);)
    {
        resolve(place, sizeof place, page, target);
        reach(pages, find_page(pages, place));
    }
}

static int every_page_is_reached_from_the_readme(void)
{
    Pages pages;
    int failed = read_pages(&pages);
    reach(&pages, find_page(&pages, "README.md"));
    for (int i = 0; i < pages.count; i++)
        if (!pages.page[i].reached) failed = printf("nothing leads to %s\n", pages.page[i].name);
    free_pages(&pages);
    ENSURE(!failed);
    return 0;
}

// ---- quotations ----

// the next block of code in a language from *at on, without its fences, as a new text
static char* next_block(const char** at, const char* language)
{
    char fence[32];
    snprintf(fence, sizeof fence, "```%s\n", language);
    const char* begin = strstr(*at, fence);
    const char* end = begin ? strstr(begin + strlen(fence), "```") : NULL;
    if (!end) return NULL;
    begin += strlen(fence);
    *at = end + 3;
    return strndup(begin, (size_t)(end - begin));
}

static bool stands_in_an_example(const char* block)
{
    DIR* dir = opendir(TEST_SOURCE_DIR "/examples");
    bool found = false;
    for (struct dirent* entry; dir && !found && (entry = readdir(dir));)
    {
        char name[sizeof entry->d_name + 16];
        snprintf(name, sizeof name, "examples/%s", entry->d_name);
        char* text = ends_with(name, ".c") ? read_text(name) : NULL;
        found = text && strstr(text, block);
        free(text);
    }
    if (dir) closedir(dir);
    return found;
}

static int code_of_the_guide_stands_in_the_examples(void)
{
    char* guide = read_text("docs/c-api.md");
    ENSURE(guide != NULL);
    int count = 0, failed = 0;
    const char* at = guide;
    for (char* block; (block = next_block(&at, "c")); count++)
    {
        if (!stands_in_an_example(block)) failed = printf("not in any example:\n%s", block);
        free(block);
    }
    free(guide);
    ENSURE(!failed && count >= 5);
    return 0;
}

static int the_tutorial_ends_with_its_scene(void)
{
    char *page = read_text("docs/tutorial.md"), *scene = read_text("scenes/tutorial.yaml");
    ENSURE(page && scene);
    const char* at = page;
    bool found = false;
    for (char* block; (block = next_block(&at, "yaml"));)
    {
        found = found || (strncmp(block, "title:", 6) == 0 && strcmp(strstr(scene, "title:"), block) == 0);
        free(block);
    }
    free(page);
    free(scene);
    ENSURE(found);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(links_lead_to_files)
    RUN(every_page_is_reached_from_the_readme)
    RUN(code_of_the_guide_stands_in_the_examples)
    RUN(the_tutorial_ends_with_its_scene)
)
