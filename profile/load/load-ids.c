/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What identifiers of an epoch stand for. */
#include "profile/load/loader-private.h"

gboolean load_is_defined(const LoadEpoch *epoch, enum load_kind kind, guint32 id)
{
  return id > 0 && id <= epoch->n[kind] && epoch->records[kind][id];
}

const char *load_get_string(const LoadEpoch *epoch, guint32 id)
{
  if (!load_is_defined(epoch, LOAD_STRING, id) ||
      epoch->records[LOAD_STRING][id]->type != CAPTURE_RECORD_STRING)
    return NULL;
  return ((const struct capture_record_string *)epoch->records[LOAD_STRING][id])->bytes;
}

const char *load_keep_string(Load *load, LoadEpoch *epoch, guint32 id)
{
  const char *string = load_get_string(epoch, id);

  if (!string)
    return NULL;
  if (!epoch->kept)
    epoch->kept = g_new0(const char *, (gsize)epoch->n[LOAD_STRING] + 1);
  if (!epoch->kept[id])
    epoch->kept[id] = g_string_chunk_insert_const(load->capture->strings, string);
  return epoch->kept[id];
}

guint32 load_get_index(const LoadEpoch *epoch, enum load_kind kind, guint32 id)
{
  return id <= epoch->n[kind] ? epoch->index[kind][id] : 0;
}
