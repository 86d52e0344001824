/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-json.h"

#include <stdio.h>

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

void capturectl_json_print(JsonBuilder *builder)
{
  g_autoptr(JsonGenerator) generator = json_generator_new();
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  g_autofree char *text = NULL;
  gsize length;

  json_generator_set_root(generator, root);
  json_generator_set_pretty(generator, TRUE);
  text = json_generator_to_data(generator, &length);
  fwrite(text, 1, length, stdout);
  putchar('\n');
}
