/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small square in the colour of a kind of functions, for legends. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/kit/palette.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_SWATCH (viewer_swatch_get_type())
G_DECLARE_FINAL_TYPE(ViewerSwatch, viewer_swatch, VIEWER, SWATCH, GtkWidget)

GtkWidget *viewer_swatch_new(ProfileKind kind);

G_END_DECLS
