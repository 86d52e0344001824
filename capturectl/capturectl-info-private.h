/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of `info` share. */
#pragma once

#include <json-glib/json-glib.h>

#include "profile/capture/capture.h"

G_BEGIN_DECLS

/* A line of text. Text of the file may hold anything; a terminal gets only what can be printed. */
void capturectl_info_print(const char *label, const char *value);
void capturectl_info_print_formatted(const char *label, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* What programs told of themselves: samplers, code, marks, counters, log; nothing where they told nothing. */
void capturectl_info_print_told(ProfileCapture *capture);
/* Adds the same as members. */
void capturectl_info_add_told(JsonBuilder *builder, ProfileCapture *capture);

G_END_DECLS
