/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of a window: which there are, in which order, how they are called. One is added in the table of
 * pages.c. */
#pragma once

#include <adwaita.h>

#include "viewer/document/document.h"

G_BEGIN_DECLS

/* So many have a key of their own, 1 to 9, then 0. */
#define VIEWER_PAGES 10

void viewer_pages_add(AdwViewStack *stack);
/* Hides those that have nothing to show of it, as marks where there are none. */
void viewer_pages_set_capture(AdwViewStack *stack, ProfileCapture *capture);
void viewer_pages_set_document(AdwViewStack *stack, ViewerDocument *document);
/* The page of that name; where there is none, or it has nothing to show, the one that is shown stays. */
void viewer_pages_show(AdwViewStack *stack, const char *name);
/* The page in that place, from 0. */
void viewer_pages_show_nth(AdwViewStack *stack, guint n);

G_END_DECLS
