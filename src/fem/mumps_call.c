// SPDX-License-Identifier: MIT
// The errors of MUMPS that a user can do something about; numbers as in its manual.
#include "fem/mumps_call.h"

twStatus fem_mumps_failure(int code, int detail, const char* what, double wanted, const FemMemory* memory, twError* err)
{
    switch (code)
    {
    case -5:
    case -7:
    case -13:
    case -19:
        return fem_no_memory(memory, wanted, what, err);
    case -10:
    case -40:
        return tw_fail(err, TW_NO_CONVERGE,
                       "%s: the matrix is singular or not positive definite to working precision; look for nearly flat "
                       "tets and for materials of very different stiffness",
                       what);
    default:
        return tw_fail(err, TW_NO_CONVERGE, "%s: MUMPS reports error %d (%d)", what, code, detail);
    }
}
