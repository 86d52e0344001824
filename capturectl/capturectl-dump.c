/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-reader.h"
#include "capturectl/capturectl-verbs.h"

#define BYTES_A_LINE 32

static const char *const kind_words[] = {NULL,   "dictionary", "samples", "records", "foreign",
                                         "meta", "names",      "index",   "footer"};

static void print_header(const capture_reader *reader)
{
  struct capture_file_header header;

  capture_reader_header(reader, &header);
  printf("header major=%u minor=%u time=%" PRIu64 " time_realtime=%" PRId64 " uuid=", header.major,
         header.minor, header.time, header.time_realtime);
  capturectl_dump_bytes(header.uuid, sizeof header.uuid);
  printf(" boot_id=");
  capturectl_dump_bytes(header.boot_id, sizeof header.boot_id);
  printf(" page_size=%" PRIu32 " machine=%u clock=%u\n", header.page_size, header.machine, header.clock);
  printf("ended reason=%" PRIu32 " status=%" PRId32 " time=%" PRIu64 "\n", header.ended.reason,
         header.ended.status, header.ended.time);
}

static void print_part_header(const struct capture_part *part)
{
  const struct capture_window_header *h = &part->header;

  printf("part offset=%" PRIu64 " crc=0x%" PRIx32 " kind=", part->offset, h->crc);
  if (h->kind < G_N_ELEMENTS(kind_words) && kind_words[h->kind])
    printf("%s", kind_words[h->kind]);
  else
    printf("%u", h->kind);
  printf(" flags=0x%x stream=%" PRIu32 " sequence=%" PRIu32 " epoch=%" PRIu32 " start=%" PRIu32
         " length=%" PRIu32 " stored=%" PRIu32 " event=%u entry_size=%u time_first=%" PRIu64
         " time_last=%" PRIu64 " weight=%" PRIu64 "\n",
         h->flags, h->stream, h->sequence, h->epoch, h->start, h->length, h->stored, h->event, h->entry_size,
         h->time_first, h->time_last, h->weight);
}

static void print_damaged(gsize position)
{
  printf("  damaged position=%zu\n", position);
}

static void print_samples(const struct capture_window_header *h, const guint8 *content, gsize length)
{
  gsize entry_size = h->entry_size;

  if ((entry_size != 16 && entry_size != 24 && entry_size != 32) || length % entry_size != 0) {
    print_damaged(0);
    return;
  }
  for (gsize at = 0; at < length; at += entry_size) {
    const struct capture_sample *s = (const struct capture_sample *)(content + at);

    printf("  sample time=%" PRIu64 " thread=%" PRIu32 " leaf=%" PRIu32
           " cpu=%u outcome=%u mode=%u weight=%" PRIu64,
           h->time_first + s->time, s->thread, s->leaf, s->cpu, s->outcome, s->mode,
           entry_size >= 24 ? s->weight : h->weight);
    if (entry_size >= 32)
      printf(" detail=0x%" PRIx64, s->detail);
    putchar('\n');
  }
}

static void print_records(const guint8 *content, gsize length)
{
  const struct capture_record *record;
  gsize position = 0;

  while ((record = capture_records_next(content, length, &position)))
    capturectl_dump_record(record);
  if (position < length)
    print_damaged(position);
}

static void print_index(const guint8 *content, gsize length)
{
  const struct capture_index_entry *entries = (const struct capture_index_entry *)content;

  if (length % sizeof *entries != 0) {
    print_damaged(0);
    return;
  }
  for (gsize i = 0; i < length / sizeof *entries; i++) {
    const struct capture_index_entry *e = &entries[i];

    printf("  entry offset=%" PRIu64 " time_first=%" PRIu64 " time_last=%" PRIu64 " stream=%" PRIu32
           " epoch=%" PRIu32 " length=%" PRIu32 " stored=%" PRIu32
           " kind=%u event=%u entry_size=%u flags=0x%x\n",
           e->offset, e->time_first, e->time_last, e->stream, e->epoch, e->length, e->stored, e->kind,
           e->event, e->entry_size, e->flags);
  }
}

static void print_foreign(const guint8 *content, gsize length)
{
  for (gsize at = 0; at < length; at += BYTES_A_LINE) {
    printf("  bytes ");
    capturectl_dump_bytes(content + at, MIN(BYTES_A_LINE, length - at));
    putchar('\n');
  }
}

static void print_content(const struct capture_window_header *h, const guint8 *content, gsize length)
{
  switch (h->kind) {
  case CAPTURE_WINDOW_SAMPLES:
    print_samples(h, content, length);
    break;
  case CAPTURE_WINDOW_DICTIONARY:
  case CAPTURE_WINDOW_RECORDS:
  case CAPTURE_WINDOW_META:
  case CAPTURE_WINDOW_NAMES:
    print_records(content, length);
    break;
  case CAPTURE_WINDOW_INDEX:
    print_index(content, length);
    break;
  case CAPTURE_WINDOW_FOOTER:
    break;
  default:
    print_foreign(content, length);
  }
}

/* 0, or -ENODATA when the file becomes shorter meanwhile. */
static int dump_capture(const capture_reader *reader)
{
  void *buffer = NULL;
  gsize buffer_size = 0;
  int result = 0;

  print_header(reader);
  for (gsize i = 0; i < capture_reader_n_parts(reader) && result != -ENODATA && !ferror(stdout); i++) {
    const struct capture_part *part = capture_reader_part(reader, i);
    const guint8 *content;
    gsize length;

    print_part_header(part);
    result = capture_reader_content(reader, i, &buffer, &buffer_size, &content, &length);
    if (result == 0)
      print_content(&part->header, content, length);
    else
      print_damaged(0);
  }
  printf("end offset=%" PRIu64 " size=%" PRIu64 "\n", capture_reader_end(reader),
         capture_reader_size(reader));
  free(buffer);
  return result == -ENODATA ? result : 0;
}

int capturectl_dump(int argc, char **argv)
{
  const GOptionEntry entries[] = {{NULL}};
  g_autoptr(capture_reader) reader = NULL;
  g_autoptr(GError) error = NULL;
  const char *path;
  int status =
      capturectl_parse_options(&argc, &argv, entries, "FILE",
                               _("Prints every part, record and entry of a capture as text (docs/dump.md)."));

  if (status >= 0)
    return status;
  path = capturectl_get_file(argc, argv);
  if (!path)
    return CAPTURECTL_USAGE;
  reader = capturectl_reader_open(path, NULL, &error);
  if (!reader)
    return capturectl_fail("%s", error->message);
  if (dump_capture(reader) < 0)
    return capturectl_fail(_("“%s” became shorter while it was read; read it again when it is complete."),
                           path);
  return CAPTURECTL_DONE;
}
