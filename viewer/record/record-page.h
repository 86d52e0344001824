/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a window shows while something is recorded: for how long, how much, and what it looks like so far.
 *
 * Signals:
 *   "finished" (GFile *)  the recording has ended, this is its capture
 *   "discarded"           there is none; when a recording failed, after its error was read
 *
 * Actions: "recording.stop" (Escape), "recording.discard" (asks).
 */
#pragma once

#include <adwaita.h>

#include "recording/common/options.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_RECORD_PAGE (viewer_record_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerRecordPage, viewer_record_page, VIEWER, RECORD_PAGE, AdwBin)

GtkWidget *viewer_record_page_new(void);
/* Begins to record; not while it does. options are copied. */
void viewer_record_page_start(ViewerRecordPage *self, const RecordingOptions *options);
/* What is being recorded, for the window's title; NULL when nothing is, or not any more. */
const char *viewer_record_page_get_title(ViewerRecordPage *self);

G_END_DECLS
