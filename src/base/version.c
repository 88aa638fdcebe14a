// SPDX-License-Identifier: MIT
// The version of the library as compiled, to be compared with the header's TW_VERSION.
#include "twang/base.h"

const char* tw_version(void) { return TW_VERSION; }
