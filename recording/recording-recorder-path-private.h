/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The recorder's executable: $CAPTURE_RECORDER, else beside this program in a build directory, else
 * where it was installed. NULL and an error that says where it was looked for. */
char *recording_recorder_find_path(GError **error);

G_END_DECLS
