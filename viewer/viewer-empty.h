/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page shows in place of a table without rows: why there is nothing, and what to do. */
#pragma once

#include <adwaita.h>

#include "viewer/viewer-document.h"

G_BEGIN_DECLS

/* Whether no sample passes what is looked at; FALSE as long as nothing is known. */
gboolean viewer_empty_is(ViewerDocument *document);
/* Says so, with a button that takes back a step where there is one. */
void viewer_empty_explain(AdwStatusPage *page, ViewerDocument *document);

G_END_DECLS
