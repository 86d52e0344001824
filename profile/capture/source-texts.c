/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/source-texts.h"

struct _ProfileSourceTexts {
  gint references;
  GHashTable *texts; /* path → GByteArray */
};

ProfileSourceTexts *profile_source_texts_new(void)
{
  ProfileSourceTexts *self = g_new0(ProfileSourceTexts, 1);

  self->references = 1;
  self->texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_byte_array_unref);
  return self;
}

void profile_source_texts_add(ProfileSourceTexts *self, const char *path, guint64 offset, const guint8 *bytes,
                              gsize length)
{
  GByteArray *text = g_hash_table_lookup(self->texts, path);

  if (offset == 0) {
    text = g_byte_array_new();
    g_hash_table_replace(self->texts, g_strdup(path), text);
  }
  if (text && offset == text->len && length <= G_MAXUINT32 - text->len)
    g_byte_array_append(text, bytes, (guint)length);
}

ProfileSourceTexts *profile_source_texts_ref(ProfileSourceTexts *self)
{
  g_atomic_int_inc(&self->references);
  return self;
}

void profile_source_texts_unref(ProfileSourceTexts *self)
{
  if (!g_atomic_int_dec_and_test(&self->references))
    return;
  g_hash_table_unref(self->texts);
  g_free(self);
}

const GByteArray *profile_source_texts_lookup(const ProfileSourceTexts *self, const char *path)
{
  return g_hash_table_lookup(self->texts, path);
}

void profile_source_texts_foreach(const ProfileSourceTexts *self, GHFunc func, gpointer data)
{
  g_hash_table_foreach(self->texts, func, data);
}
