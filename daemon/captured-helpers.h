/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the programs are that this service starts. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The path of helpers/NAME/capture-NAME in a build directory, else in the installation. Beside this program
 * first, so that a build and a moved installation find their own; the environment has no say. NULL with
 * CAPTURED_ERROR_FAILED. */
char *captured_helpers_find(const char *name, GError **error);

G_END_DECLS
