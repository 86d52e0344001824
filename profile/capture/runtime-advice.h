/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to do about machine code that a language's runtime made while it ran. */
#ifndef PROFILE_RUNTIME_ADVICE_H
#define PROFILE_RUNTIME_ADVICE_H

#include "profile/capture/capture.h"

typedef enum {
  PROFILE_RUNTIME_LACKS_STACKS, /* it keeps no frame pointers */
  PROFILE_RUNTIME_LACKS_NAMES,
} ProfileRuntimeLack;

/* A sentence of advice for the runtime that was recorded; NULL where there was none that is known, or more
 * than one, or nothing helps. It stays for good. */
const char *profile_runtime_advise(ProfileCapture *capture, ProfileRuntimeLack lack);

#endif
