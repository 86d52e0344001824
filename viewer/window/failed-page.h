/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shown in place of a file that could not be opened: what is wrong, and what one can do. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_FAILED_PAGE (viewer_failed_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerFailedPage, viewer_failed_page, VIEWER, FAILED_PAGE, AdwBin)

/* error: why file could not be opened; cancelled is one reason. */
void viewer_failed_page_explain(ViewerFailedPage *self, GFile *file, const GError *error);

G_END_DECLS
