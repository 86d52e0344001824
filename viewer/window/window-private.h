/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the window and its actions share. */
#pragma once

#include "recording/common/options.h"
#include "viewer/document/page.h"
#include "viewer/document/progress.h"
#include "viewer/pages/health/health-badge.h"
#include "viewer/recents/save.h"
#include "viewer/record/record-page.h"
#include "viewer/time/overview.h"
#include "viewer/window/crumbs.h"
#include "viewer/window/failed-page.h"
#include "viewer/window/panes.h"
#include "viewer/window/search.h"
#include "viewer/window/sidebar.h"
#include "viewer/window/window.h"

G_BEGIN_DECLS

struct _ViewerWindow {
  AdwApplicationWindow parent;

  AdwToastOverlay *toasts;
  AdwWindowTitle *heading;
  GtkWidget *sidebar_button, *record;
  GtkStack *content;
  ViewerRecordPage *recording;
  AdwStatusPage *loading;
  ViewerProgress *loading_progress;
  ViewerFailedPage *failed;
  ViewerOverview *overview;
  ViewerCrumbs *crumbs;
  ViewerSearch *search;
  ViewerHealthBadge *badge;
  ViewerPanes *panes;
  ViewerSidebar *sidebar;
  AdwViewStack *pages;
  ViewerSave *save;
  GtkRevealer *working;
  ViewerProgress *working_progress;

  ViewerDocument *document;
  GSignalGroup *document_signals, *query_signals;
  guint working_delay;
  gboolean is_remembered;
  RecordingOptions *options; /* by which the document was recorded, or is being; NULL: it was not, here */
  const char *page;          /* the last that showed more than a selection; interned */
};

/* "win.open" and the others that window.h names, and their keys. */
void viewer_window_install_actions(GtkWidgetClass *class);

/* Whether that is in sight: "start", "recording", "loading", "failed" or "document". */
gboolean viewer_window_shows(ViewerWindow *self, const char *name);
/* The page in sight; NULL: none is. */
ViewerPage *viewer_window_get_page(ViewerWindow *self);
/* Gives the focus to what the page in sight says is its own. */
void viewer_window_focus_page(ViewerWindow *self);
void viewer_window_set_document(ViewerWindow *self, ViewerDocument *document);
void viewer_window_show_start(ViewerWindow *self);
/* options: const RecordingOptions *, copied. */
void viewer_window_begin_recording(ViewerWindow *self, gpointer options);
void viewer_window_open_file(ViewerWindow *self, GFile *file);

G_END_DECLS
