// SPDX-License-Identifier: MIT
#pragma once
#include "twang/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Gallery: a folder of scenes, and what their sources say of them.

/// Where scenes of a gallery come from.
typedef struct twGallerySource
{
    const char *name, *title, *by;  ///< "zheng2011"; what it is called, who wrote it
    bool own;                       ///< not part of what a gallery shows unless it is asked for
} twGallerySource;

/// A scene of a gallery, and what its source says of it.
typedef struct twGalleryScene
{
    const char* name;           ///< of the file, without .yaml
    int source;                 ///< of the gallery's sources
    const char *title, *where;  ///< where in the source: "Fig. 13, Table 2"
    const char* note;           ///< "" if there is none
    int after;                  ///< it begins where this one ends; -1: none
    double theirs;              ///< what the source needs per second of the model [s/s]; 0: not told
    double minutes;             ///< it takes about, one core; 0: a few seconds
    double part;                ///< what a quick look renders of it [s]; 0: all
    bool rest;                  ///< all is at rest in the end, and must be silent
} twGalleryScene;

typedef struct twGallery
{
    const char *title, *folder;
    int source_count, scene_count;
    const twGallerySource* sources;
    const twGalleryScene* scenes;
    twArena* arena;
} twGallery;

/// The table folder/gallery.yml; where there is none, all scenes of the folder by name. docs/gallery.md is the reference.
/// @return TW_BAD_INPUT with file, line and column, or if there are no scenes; TW_IO_ERROR, TW_NO_MEMORY
twStatus tw_gallery_load(twGallery** out, const char* folder, twError* err);
void tw_gallery_destroy(twGallery* gallery);  ///< NULL is fine

#ifdef __cplusplus
}
#endif
