/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the table of layouts says of records is what docs/format.md says. */
#include <glib.h>

#include "libcapture/file/capture-record-layout.h"

static char *read_format(void)
{
  g_autofree char *path = g_build_filename(g_getenv("G_TEST_SRCDIR"), "..", "docs", "format.md", NULL);
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;

  g_file_get_contents(path, &text, NULL, &error);
  g_assert_no_error(error);
  /* Lines are broken anywhere; two line ends are a paragraph. */
  g_autoptr(GRegex) broken = g_regex_new("(?<!\n)\n(?!\n)", 0, 0, &error);
  g_assert_no_error(error);
  return g_regex_replace_literal(broken, text, -1, 0, " ", 0, &error);
}

/* The text from "type N" to the next type's. */
static char *find_type(const char *format, guint type)
{
  g_autofree char *pattern =
      g_strdup_printf("\\*\\*[A-Z_, andtype0-9]*, type %u\\b.*?(?=\n\n\\*\\*|\n#)", type);
  g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_DOTALL, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;

  return g_regex_match(regex, format, 0, &match) ? g_match_info_fetch(match, 0) : NULL;
}

static void check_field(const char *text, const struct capture_field *field)
{
  g_autofree char *said =
      g_strdup_printf("\\b%u %c%u %s\\b", field->offset, field->form == CAPTURE_FIELD_SIGNED ? 'i' : 'u',
                      field->size * 8, field->name);

  if (field->size != 0 && !g_regex_match_simple(said, text, 0, 0))
    g_error("docs/format.md does not say “%s” in: %s", said, text);
}

static void test_fields(void)
{
  g_autofree char *format = read_format();

  for (guint type = 0; type <= G_MAXUINT8; type++) {
    const struct capture_record_layout *layout = capture_record_layout_find((guint16)type);
    g_autofree char *text = find_type(format, type);

    if (!!layout != !!text)
      g_error("Type %u is not both in docs/format.md and in the table of layouts.", type);
    for (const struct capture_field *field = layout ? layout->fields : NULL; field && field->form; field++)
      check_field(text, field);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/record-layout/fields", test_fields);
  return g_test_run();
}
