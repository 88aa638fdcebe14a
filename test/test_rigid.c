// SPDX-License-Identifier: MIT
// What traces say of rigid contacts.
#include "sound/rigid.h"
#include "test.h"

static int a_trace_that_says_nothing_has_unique_forces(void)
{
    RigidContacts* rigid;
    const twTraceNumber other[] = {{"steps", 5}, {"hard contacts", 0}, {"friction of bodies", 3}};
    ENSURE(rigid_create(&rigid, 3, NULL) == TW_OK && !rigid_wanted(rigid));
    ENSURE(rigid_take(rigid, other, 3, NULL) == TW_OK && !rigid_wanted(rigid));
    ENSURE(rigid_friction(rigid, 0, TW_NOWHERE) == 0.5 && rigid_friction(rigid, 2, 1) == 0.5);
    rigid_destroy(rigid);
    rigid_destroy(NULL);
    return 0;
}

static int friction_is_the_geometric_mean_unless_a_pair_has_its_own(void)
{
    RigidContacts* rigid;
    const twTraceNumber said[] = {{"hard contacts", 1},
                                  {"friction of body 0", 0.2},
                                  {"friction of body 2", 0.8},
                                  {"friction of body -1", 0.05},
                                  {"friction of bodies 0 and -1", 0.9}};
    ENSURE(rigid_create(&rigid, 3, NULL) == TW_OK && rigid_take(rigid, said, 5, NULL) == TW_OK);
    ENSURE(rigid_wanted(rigid));
    ENSURE_NEAR(rigid_friction(rigid, 0, 2), 0.4, 1e-15);
    ENSURE_NEAR(rigid_friction(rigid, TW_NOWHERE, 2), 0.2, 1e-15);
    ENSURE(rigid_friction(rigid, TW_NOWHERE, 0) == 0.9 && rigid_friction(rigid, 0, TW_NOWHERE) == 0.9);

    // the last of a name counts; what was spread is not spread again
    const twTraceNumber more[] = {{"friction of bodies 0 and -1", 0.7}, {"hard contacts redistributed", 1}};
    ENSURE(rigid_take(rigid, more, 2, NULL) == TW_OK && rigid_friction(rigid, 0, TW_NOWHERE) == 0.7);
    ENSURE(!rigid_wanted(rigid));
    rigid_destroy(rigid);
    return 0;
}

static int what_is_said_of_no_body_is_skipped(void)
{
    RigidContacts* rigid;
    const twTraceNumber said[] = {{"friction of body 3", 0.1},         {"friction of body -2", 0.1},
                                  {"friction of body 0", -1},          {"friction of body 1", (double)NAN},
                                  {"friction of bodies 0 and 7", 0.1}, {"friction of body 99999999999", 0.1},
                                  {"friction of bodies 0 and", 0.1}};
    ENSURE(rigid_create(&rigid, 3, NULL) == TW_OK && rigid_take(rigid, said, 7, NULL) == TW_OK);
    for (int i = -1; i < 3; i++)
        for (int k = i + 1; k < 3; k++) ENSURE(rigid_friction(rigid, i, k) == 0.5);
    rigid_destroy(rigid);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(a_trace_that_says_nothing_has_unique_forces)
    RUN(friction_is_the_geometric_mean_unless_a_pair_has_its_own)
    RUN(what_is_said_of_no_body_is_skipped)
)
