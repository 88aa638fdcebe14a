// SPDX-License-Identifier: MIT
#pragma once
#include "twang/scene.h"

#ifdef __cplusplus
extern "C"
{
#endif

/// @file
/// Bodies: those of a scene, and its rods if they touch, ready to move.

/// The surface of a shape as a rigid body has it, or coarse enough to touch with if it is flexible; files are mended, and note says
/// how ("" if they are well). On failure *out is NULL. @return TW_BAD_INPUT naming file and what is wrong
twStatus tw_scene_surface(twMesh** out, const twSceneShape* shape, char* note, size_t bytes, twError* err);

/// Whether a body of this shape is rigid, as far as that is known before its modes are looked for, and why.
bool tw_scene_is_rigid(const twSceneShape* shape, char* why, size_t bytes);

/// How the bodies of a scene are made. Start from tw_bodies_def().
typedef struct twBodiesDef
{
    const char* cache_folder;                                           ///< of modes that were found before; NULL: none
    bool (*keep_going)(const char* stage, double done, void* context);  ///< while modes are looked for; may be NULL
    void* context;
    const twTrace* start;  ///< bodies begin as they are at its end, see tw_scene_start(); NULL: as the scene says
} twBodiesDef;
twBodiesDef tw_bodies_def(void);  ///< no cache

/// The bodies of a scene, and its rods if they touch, ready to move.
typedef struct twBodies twBodies;

/// Find the modes of flexible bodies, make their shapes and the world. The scene must outlive it. On failure *out is NULL.
/// @return TW_BAD_INPUT with file and line of the body that is wrong; TW_NO_MEMORY, TW_INTERRUPTED
twStatus tw_bodies_create(twBodies** out, const twScene* scene, const twBodiesDef* def, twError* err);
void tw_bodies_destroy(twBodies* bodies);  ///< NULL is fine
/// The world: its bodies are the scene's in their order, then the ground if there is one; its rods are the scene's. Advance it at
/// will. What the scene grabs and throws is not grabbed and thrown by itself.
twWorld* tw_bodies_world(twBodies* bodies);
/// Another world of the same bodies from the start on, with other settings (gravity, steps, method ...; what is in it is the
/// scene's). The caller's; the bodies must outlive it.
twStatus tw_bodies_another(twWorld** out, const twBodies* bodies, const twWorldDef* settings, twError* err);
const twBodyShape* tw_bodies_shape(const twBodies* bodies, int body);
/// Surface, mass and modes of a body; without modes if it is rigid.
const twModeSet* tw_bodies_set(const twBodies* bodies, int body);
/// What is recorded of a body in a trace: its set, or, if another surface is drawn, that one behind the vertices of the set.
const twModeSet* tw_bodies_drawn(const twBodies* bodies, int body);
#define TW_MAX_ACTING_MODES                                                                                            \
    2000  ///< of all bodies of a scene; beyond, the stiffest are coupled one-way unless they say otherwise
/// How a shape of the scene vibrates.
typedef struct twBodiesModes
{
    int count, acting;  ///< modes; those that act back on the motion, the lowest
    const char* rigid;  ///< why there are none; "" if there are
} twBodiesModes;
twBodiesModes tw_bodies_modes(const twBodies* bodies, int shape);
int tw_bodies_tets(const twBodies* bodies,
                   int shape);  ///< that the modes of a shape of the scene were found with; 0: rigid
/// What was mended or estimated when a shape of the scene was made; "" if nothing.
const char* tw_bodies_note(const twBodies* bodies, int shape);

#ifdef __cplusplus
}
#endif
