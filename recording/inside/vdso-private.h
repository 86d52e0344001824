/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The vDSO, which is memory alone, as a file: all processes of a machine have the same. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A copy in a file of its own, the caller's; -1 when there is none. */
int recording_vdso_open(void);

G_END_DECLS
