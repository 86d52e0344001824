/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells one recording of a command from another. */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

/* "12.3 s · 5.9 s CPU · 3 threads". Free it. */
char *viewer_subtitle_make(ProfileCapture *capture);

G_END_DECLS
