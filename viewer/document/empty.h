/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page shows where it has nothing to show: why there is nothing, and what to do. Main thread only. */
#pragma once

#include <adwaita.h>

#include "viewer/document/document.h"

G_BEGIN_DECLS

/* Whether no sample passes what is looked at; FALSE as long as nothing is known. */
gboolean viewer_empty_is(ViewerDocument *document);
/* Says so, with a button that takes back a step where there is one. */
void viewer_empty_explain(AdwStatusPage *page, ViewerDocument *document);
/* The same for anything else there is nothing of. document NULL: without the button. */
void viewer_empty_say(AdwStatusPage *page, const char *title, const char *why, ViewerDocument *document);

G_END_DECLS
