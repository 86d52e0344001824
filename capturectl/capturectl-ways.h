/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells what each way of recording would give the calling user. */
#pragma once

#include <json-glib/json-glib.h>

#include "recording/diagnosis/ways.h"

G_BEGIN_DECLS

/* A table, for a person. */
void capturectl_ways_print(const RecordingWays *ways);
/* Members "ways" and "auto". */
void capturectl_ways_add_json(JsonBuilder *builder, const RecordingWays *ways);

G_END_DECLS
