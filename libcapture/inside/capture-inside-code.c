/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine code made at run time. */
#include <errno.h>

#include "libcapture/inside/capture-inside-private.h"

/* A code with more lines than a window is long becomes several that follow each other in memory. */
#define LINES_MAX 256u

static bool fill_ranges(capture *c, struct capture_windows *w, const struct capture_code_line *lines,
                        uint32_t n, uint32_t offset, struct capture_code_range *ranges)
{
  for (uint32_t i = 0; i < n; i++) {
    ranges[i] = (struct capture_code_range){.offset = lines[i].offset - offset, .line = lines[i].line};
    if (!capture_inside_text(c, w, lines[i].file, &ranges[i].file) ||
        !capture_inside_text(c, w, lines[i].function, &ranges[i].function))
      return false;
  }
  return true;
}

/* The code from offset to end, which those lines speak of. */
static bool write_piece(capture *c, struct capture_windows *w, const struct capture_code *code,
                        uint64_t offset, uint64_t end, const struct capture_code_line *lines, uint32_t n)
{
  const uint32_t size =
      (uint32_t)(sizeof(struct capture_record_code) + n * sizeof(struct capture_code_range));
  struct capture_code_range ranges[LINES_MAX];
  struct capture_record_code *record;
  struct capture_record_code fixed = {
      .record = {.size = size, .type = CAPTURE_RECORD_CODE, .count = (uint16_t)n},
      .process = capture_inside_process_id(c, w),
      .start = (uintptr_t)code->start + offset,
      .length = end - offset,
      .time = w->now,
      .line = code->line};

  if (fixed.process == 0 || !capture_inside_text(c, w, code->name, &fixed.name) ||
      !capture_inside_text(c, w, code->file, &fixed.file) ||
      !fill_ranges(c, w, lines, n, (uint32_t)offset, ranges))
    return false;
  record = capture_inside_dictionary(c, w, size);
  if (!record)
    return false;
  memcpy(record, &fixed, sizeof fixed);
  memcpy(record->ranges, ranges, n * sizeof ranges[0]);
  capture_inside_commit_dictionary(c, w);
  return true;
}

static bool write_code(capture *c, struct capture_windows *w, const struct capture_code *code)
{
  uint32_t at = 0;
  uint64_t offset = 0;

  do {
    uint32_t n = code->n_lines - at < LINES_MAX ? code->n_lines - at : LINES_MAX;
    uint64_t end = at + n < code->n_lines ? code->lines[at + n].offset : code->length;

    if (end > offset && !write_piece(c, w, code, offset, end, code->lines + at, n))
      return false;
    offset = end;
    at += n;
  } while (at < code->n_lines);
  return true;
}

static bool is_valid(const struct capture_code *code)
{
  uint32_t before = 0;

  if (code->length == 0 || code->n_lines > UINT16_MAX || (code->n_lines > 0 && !code->lines))
    return false;
  for (uint32_t i = 0; i < code->n_lines; i++) {
    if (code->lines[i].offset < before || code->lines[i].offset >= code->length)
      return false;
    before = code->lines[i].offset;
  }
  return true;
}

static bool write_code_end(capture *c, struct capture_windows *w, const struct capture_code *code)
{
  uint32_t process = capture_inside_process_id(c, w);
  struct capture_record_code_end *record = process ? capture_inside_dictionary(c, w, sizeof *record) : NULL;

  if (!record)
    return false;
  *record =
      (struct capture_record_code_end){.record = {.size = sizeof *record, .type = CAPTURE_RECORD_CODE_END},
                                       .process = process,
                                       .start = (uintptr_t)code->start,
                                       .length = code->length,
                                       .time = w->now};
  capture_inside_commit_dictionary(c, w);
  return true;
}

static int write_into_dictionary(capture *c, const struct capture_code *code,
                                 bool (*write)(capture *, struct capture_windows *,
                                               const struct capture_code *))
{
  bool lost, written;
  struct capture_windows *w = capture_inside_enter(c, capture_inside_thread(c), &lost);

  if (!w && !lost)
    return -ENOTCONN;
  written = w && write(c, w, code);
  if (!written)
    capture_inside_lost_record(c);
  if (w)
    capture_inside_leave(c, w);
  capture_inside_catch_up(c);
  return written ? 0 : -EAGAIN;
}

int capture_code_add(capture *c, const struct capture_code *code)
{
  if (!c)
    return 0;
  return is_valid(code) ? write_into_dictionary(c, code, write_code) : -EINVAL;
}

int capture_code_remove(capture *c, const void *start, size_t length)
{
  const struct capture_code code = {.start = start, .length = length};

  if (!c)
    return 0;
  return length > 0 ? write_into_dictionary(c, &code, write_code_end) : -EINVAL;
}
