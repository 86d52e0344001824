/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-json.h"

#include <stdio.h>

#include "profile/base/printable.h"

void capturectl_json_item(JsonBuilder *builder, const char *value)
{
  g_autofree char *valid = NULL;

  if (!value) {
    json_builder_add_null_value(builder);
    return;
  }
  valid = g_utf8_make_valid(value, -1);
  json_builder_add_string_value(builder, valid);
}

void capturectl_json_string(JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name(builder, name);
  capturectl_json_item(builder, value);
}

void capturectl_json_int(JsonBuilder *builder, const char *name, gint64 value)
{
  json_builder_set_member_name(builder, name);
  json_builder_add_int_value(builder, value);
}

void capturectl_json_bool(JsonBuilder *builder, const char *name, gboolean value)
{
  json_builder_set_member_name(builder, name);
  json_builder_add_boolean_value(builder, value);
}

void capturectl_json_array(JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name(builder, name);
  json_builder_begin_array(builder);
}

void capturectl_json_object(JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name(builder, name);
  json_builder_begin_object(builder);
}

void capturectl_json_append_character(GString *out, gunichar c)
{
  if (c < 0x7f || profile_is_printable(c))
    g_string_append_unichar(out, c);
  else if (c < 0x10000)
    g_string_append_printf(out, "\\u%04x", c);
  else
    g_string_append_printf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
}

void capturectl_json_print(JsonBuilder *builder)
{
  g_autoptr(JsonGenerator) generator = json_generator_new();
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  g_autoptr(GString) out = g_string_new(NULL);
  g_autofree char *text = NULL;

  json_generator_set_root(generator, root);
  json_generator_set_pretty(generator, TRUE);
  text = json_generator_to_data(generator, NULL);
  for (const char *c = text; *c != '\0'; c = g_utf8_next_char(c))
    capturectl_json_append_character(out, g_utf8_get_char(c));
  puts(out->str);
}
