// SPDX-License-Identifier: MIT
#pragma once
#include "cli.h"
#include "twang/gallery.h"
#include "twang/render.h"

/// @file
/// The parts of `twang gallery`: which scenes are there and how far they are, the processes that render them, the page.

typedef enum GalleryState
{
    GALLERY_MISSING,  ///< never rendered
    GALLERY_STALE,    ///< of another version of the scene, its files or the program
    GALLERY_BEGUN,    ///< interrupted; it can go on
    GALLERY_FAILED,
    GALLERY_READY,
} GalleryState;

#define GALLERY_PATH 1024

/// A scene and what is there of it.
typedef struct GalleryItem
{
    const twGalleryScene* scene;
    const twGallerySource* source;
    char file[GALLERY_PATH];    ///< of the scene
    char folder[GALLERY_PATH];  ///< of what is rendered
    bool wanted;                ///< to be rendered if it is not ready
    bool shown;                 ///< on the page
    double part;                ///< seconds to be rendered; 0: all
    bool no_video;              ///< without films
    twHash hash;                ///< of the scene, the files it names, the program's version and the part
    GalleryState state;
    bool rendered;           ///< in this run
    bool went_on;            ///< with what an earlier run had begun
    double seconds;          ///< it took
    twRenderCheck check;     ///< if it is ready
    char trouble[512];       ///< why it failed
    double begun, fraction;  ///< while it is rendered
} GalleryItem;

typedef struct Gallery
{
    twGallery* table;
    GalleryItem* items;  ///< (scenes of the table), in their order
    int count;
    char folder[GALLERY_PATH];  ///< where it goes
    double seconds;             ///< this run took
} Gallery;

/// A verdict that the page and the list give.
typedef struct GalleryVerdict
{
    const char* claim;  ///< "no energy rise"
    bool asked;         ///< it applies to this scene
    bool holds;
} GalleryVerdict;
#define GALLERY_VERDICTS 4

/// All that is shown, added up.
typedef struct GallerySum
{
    int shown, ready, failed, violated;
    int checks, held;  ///< verdicts that were asked for, and those that hold
    double seconds;    ///< of the model
    double cost;       ///< of computing it [s]
    double rendering;  ///< of all of it, modes and films too; scenes that were rendered at a time count one by one [s]
    int compared;      ///< scenes whose source tells its cost:
    double theirs, ours;  ///< of computing as many seconds of these as we did [s]
} GallerySum;

// ---- what is there (gallery_state.c) ----

/// Where the scenes are that came with the program. @return TW_BAD_INPUT if they are not found
twStatus gallery_scenes(char out[GALLERY_PATH], twError* err);
/// The program itself. @return TW_IO_ERROR if it cannot be told
twStatus gallery_program(char out[GALLERY_PATH], twError* err);
/// Look at an item's scene and folder. before: the one it goes on from, looked at already; NULL: none. Its part and whether it has films are known.
void gallery_look(GalleryItem* item, const GalleryItem* before);
/// Remember how far it is: GALLERY_BEGUN before, GALLERY_READY or GALLERY_FAILED after.
twStatus gallery_note(const GalleryItem* item, GalleryState state, twError* err);
bool gallery_has(const GalleryItem* item, const char* name);  ///< a file in its folder
/// Paths from the gallery's folder of all sounds in an item's folder, in order, the first count of them.
int gallery_sounds(const GalleryItem* item, char (*out)[GALLERY_PATH], int count);
void gallery_verdicts(const GalleryItem* item, GalleryVerdict out[GALLERY_VERDICTS]);
bool gallery_holds(const GalleryItem* item);  ///< ready, and all that is asked holds
GallerySum gallery_sum(const Gallery* gallery);

// ---- rendering (gallery_run.c) ----

/// Render what is wanted and not ready, jobs at a time, each in a process of its own. A scene that fails is told in its item; the
/// others go on. @return TW_INTERRUPTED; TW_IO_ERROR if no process can be started
twStatus gallery_run(Gallery* gallery, int jobs, bool quiet, twError* err);

// ---- the page (gallery_page.c) ----

/// folder/index.html.
twStatus gallery_page(const Gallery* gallery, twError* err);
extern const char* const gallery_style[];  ///< its CSS; ends with NULL

void gallery_time(char* out, size_t bytes, double seconds);  ///< "4.2 s", "3 min", "1.5 h"
