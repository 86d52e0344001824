/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON on standard output. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* A member of the object that is being built. value may be NULL: null. Text that is not UTF-8 is made valid.
 */
void capturectl_json_string(JsonBuilder *builder, const char *name, const char *value);
void capturectl_json_int(JsonBuilder *builder, const char *name, gint64 value);
void capturectl_json_bool(JsonBuilder *builder, const char *name, gboolean value);
/* Begins a member that is an array or an object; ended by json_builder_end_array, json_builder_end_object. */
void capturectl_json_array(JsonBuilder *builder, const char *name);
void capturectl_json_object(JsonBuilder *builder, const char *name);
/* A string of the array that is being built. */
void capturectl_json_item(JsonBuilder *builder, const char *value);
/* Prints what was built, indented, with a line feed. */
void capturectl_json_print(JsonBuilder *builder);

/* For a text that has no quotes, backslashes or ASCII controls (any more): what a terminal might obey is
 * escaped, which JSON's readers do not notice. */
void capturectl_json_append_character(GString *out, gunichar c);

G_END_DECLS
