/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of what programs tell of themselves. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capturectl/capturectl-dump.h"

static void print_function(const struct capture_record_function *r)
{
  printf("function id=%" PRIu32 " name=%" PRIu32 " file=%" PRIu32 " line=%" PRIu32, r->id, r->name, r->file,
         r->line);
}

static void print_code(const struct capture_record_code *r)
{
  printf("code process=%" PRIu32 " name=%" PRIu32 " start=0x%" PRIx64 " length=%" PRIu64 " time=%" PRIu64
         " file=%" PRIu32 " line=%" PRIu32,
         r->process, r->name, r->start, r->length, r->time, r->file, r->line);
  for (guint i = 0; i < r->record.count; i++)
    printf("\n    range offset=0x%" PRIx32 " line=%" PRIu32 " file=%" PRIu32 " function=%" PRIu32,
           r->ranges[i].offset, r->ranges[i].line, r->ranges[i].file, r->ranges[i].function);
}

static void print_code_end(const struct capture_record_code_end *r)
{
  printf("code_end process=%" PRIu32 " start=0x%" PRIx64 " length=%" PRIu64 " time=%" PRIu64, r->process,
         r->start, r->length, r->time);
}

static void print_counter(const struct capture_record_counter *r)
{
  printf("counter id=%" PRIu32 " process=%" PRIu32 " category=%" PRIu32 " name=%" PRIu32
         " description=%" PRIu32 " unit=%" PRIu32 " flags=0x%" PRIx32,
         r->id, r->process, r->category, r->name, r->description, r->unit, r->flags);
}

static void print_mark(const struct capture_record_mark *r)
{
  printf("mark time=%" PRIu64 " duration=%" PRIu64 " thread=%" PRIu32 " kind=%" PRIu32 " category=%" PRIu32
         " name=%" PRIu32,
         r->time, r->duration, r->thread, r->kind, r->category, r->name);
  capturectl_dump_text("message", r->message, r->length);
}

/* Values as their bits, which every language writes the same way. */
static void print_counts(const struct capture_record_counts *r)
{
  printf("counts time=%" PRIu64 " values=%s", r->time, r->record.count == 0 ? "-" : "");
  for (guint i = 0; i < r->record.count; i++) {
    guint64 bits;

    memcpy(&bits, &r->values[i].value, sizeof bits);
    printf("%s%" PRIu32 ":0x%" PRIx64, i == 0 ? "" : ",", r->values[i].counter, bits);
  }
}

static void print_log(const struct capture_record_log *r)
{
  printf("log time=%" PRIu64 " thread=%" PRIu32 " severity=%" PRIu32 " domain=%" PRIu32, r->time, r->thread,
         r->severity, r->domain);
  capturectl_dump_text("text", r->text, r->length);
}

gboolean capturectl_dump_told(const struct capture_record *record)
{
  switch (record->type) {
  case CAPTURE_RECORD_FUNCTION:
    print_function((const struct capture_record_function *)record);
    return TRUE;
  case CAPTURE_RECORD_CODE:
    print_code((const struct capture_record_code *)record);
    return TRUE;
  case CAPTURE_RECORD_CODE_END:
    print_code_end((const struct capture_record_code_end *)record);
    return TRUE;
  case CAPTURE_RECORD_COUNTER:
    print_counter((const struct capture_record_counter *)record);
    return TRUE;
  case CAPTURE_RECORD_MARK:
    print_mark((const struct capture_record_mark *)record);
    return TRUE;
  case CAPTURE_RECORD_COUNTS:
    print_counts((const struct capture_record_counts *)record);
    return TRUE;
  case CAPTURE_RECORD_LOG:
    print_log((const struct capture_record_log *)record);
    return TRUE;
  default:
    return FALSE;
  }
}
