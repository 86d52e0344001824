/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The colour of a function, by the binary in which it is or by its kind. A binary has the same colour in
 * every capture and every view. Text on a colour has a contrast of at least 4.5 : 1, in high contrast 7 : 1.
 * Main thread only.
 */
#pragma once

#include <gdk/gdk.h>

#include "profile/views/kind.h"

G_BEGIN_DECLS

typedef enum {
  VIEWER_PALETTE_BINARY,
  VIEWER_PALETTE_KIND,
} ViewerPaletteMode;

typedef struct {
  gboolean dark, high_contrast;
} ViewerScheme;

typedef struct {
  GdkRGBA fill, text;
} ViewerColor;

typedef struct _ViewerPalette ViewerPalette;

/* The scheme that the user's desktop and settings ask for. */
ViewerScheme viewer_scheme_get_current(void);

/* For the functions of these stacks. */
ViewerPalette *viewer_palette_new(ProfileStacks *stacks, ViewerPaletteMode mode, ViewerScheme scheme);
void viewer_palette_free(ViewerPalette *self);
ViewerScheme viewer_palette_get_scheme(const ViewerPalette *self);

/* Of an index of the stacks' functions. Anything else: that of the root of all. Valid as long as the palette
 * is. */
const ViewerColor *viewer_palette_get(ViewerPalette *self, guint32 function);
/* In place of what is too small to be drawn. */
ViewerColor viewer_palette_get_rest(const ViewerPalette *self);
/* What a search has found; and the same colour stepping back for what it has not. */
ViewerColor viewer_palette_get_match(const ViewerPalette *self);
ViewerColor viewer_palette_dim(const ViewerPalette *self, const ViewerColor *color);

/* A fill with a share of its text's colour, of which lines on it are made. */
GdkRGBA viewer_color_mix(const ViewerColor *color, float share);

/* Without a capture: legends, other drawings. */
ViewerColor viewer_palette_of_root(ViewerScheme scheme);
ViewerColor viewer_palette_of_kind(ProfileKind kind, ViewerScheme scheme);
/* Of a binary, a process, a category of marks: of anything that has a name. */
ViewerColor viewer_palette_of_name(const char *name, ViewerScheme scheme);
/* A bit (1 << kind) for each kind that is in these stacks. */
guint viewer_palette_find_kinds(ProfileStacks *stacks);
/* In the user's language. Static. */
const char *viewer_kind_get_label(ProfileKind kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerPalette, viewer_palette_free)

G_END_DECLS
