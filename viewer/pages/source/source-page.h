/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source of the selected function: what its lines cost, and its hottest ones. */
#pragma once

#include "viewer/document/page.h"

G_BEGIN_DECLS

GtkWidget *viewer_source_page_new(void);

G_END_DECLS
