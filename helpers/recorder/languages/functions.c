/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/languages/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/common/memory.h"
#include "helpers/recorder/languages/functions-private.h"
#include "helpers/recorder/languages/java-lines.h"
#include "helpers/recorder/languages/java-text.h"
#include "helpers/recorder/languages/python-lines.h"
#include "helpers/recorder/languages/text.h"
#include "helpers/recorder/languages/v8-functions.h"
#include "unwind/walk/walk-types.h"

#define SIZE_MAX_TOLD (UINT64_C(64) << 20)
#define NAME_MAX_TOLD 1024
#define EXPANDED_MAX  65536
#define NO_NAME       "(not named)"
#define ANONYMOUS     "(anonymous)"

/* Of space 4: see docs/format.md. */
#define IDENTIFIER_BASE (UINT64_C(0xe0) << 56)

/* What a word stands for. */
struct expanded {
  uint32_t count;
  uint64_t words[];
};

void recorder_functions_init(struct recorder_functions *functions)
{
  *functions = (struct recorder_functions){0};
  recorder_table_init(&functions->told);
  recorder_table_init(&functions->identifiers);
  recorder_table_init(&functions->expanded);
}

static void clear_expanded(struct recorder_functions *functions)
{
  for (size_t i = 0; i <= functions->expanded.mask; i++)
    free(functions->expanded.entries[i].value);
  recorder_table_clear(&functions->expanded);
}

void recorder_functions_clear(struct recorder_functions *functions)
{
  for (size_t i = 0; i <= functions->told.mask; i++)
    free(functions->told.entries[i].value);
  recorder_table_clear(&functions->told);
  recorder_table_clear(&functions->identifiers);
  clear_expanded(functions);
}

static size_t convert_text(char *to, const uint8_t *from, size_t size, uint8_t width, uint16_t kind,
                           bool is_name)
{
  const bool is_utf8 =
      kind == UNWIND_RUNTIME_HOTSPOT || kind == UNWIND_RUNTIME_PHP || kind == UNWIND_RUNTIME_RUBY;

  return is_utf8 && width != 0
             ? recorder_java_text(to, NAME_MAX_TOLD, from, size, is_name && kind == UNWIND_RUNTIME_HOTSPOT)
             : recorder_text_convert(to, NAME_MAX_TOLD, from, size, width);
}

static uint32_t find_line(const struct recorder_function *function, uint32_t at)
{
  const uint8_t *lines = (const uint8_t *)function->bytes;

  switch (function->kind) {
  case UNWIND_RUNTIME_PYTHON:
    return recorder_python_line(function->version, lines, function->lines_size, function->line, at);
  case UNWIND_RUNTIME_HOTSPOT:
    return recorder_java_line(function->version, lines, function->lines_size, at);
  default:
    return 0;
  }
}

/* Tables were read when the stack was expanded. */
static uint32_t line_of(const struct recorder_function *function, uint64_t word)
{
  if ((word & WALK_WORD_LINE) != 0)
    return WALK_WORD_AT(word);
  return WALK_WORD_AT(word) == 0 ? function->line : 0;
}

bool recorder_functions_add(struct recorder_functions *functions, const struct recorder_raw *raw,
                            uint32_t size)
{
  const struct recorder_raw_function *told = (const void *)(raw + 1);
  const uint8_t *name = (const uint8_t *)(told + 1), *file = name + RECORDER_RAW_FUNCTION_NAME,
                *lines = file + RECORDER_RAW_FUNCTION_FILE;
  const size_t least = sizeof *raw + sizeof *told + RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE;
  char text[2 * NAME_MAX_TOLD];

  if (size < least || told->lines_size > size - least || told->name_size > RECORDER_RAW_FUNCTION_NAME ||
      told->file_size > RECORDER_RAW_FUNCTION_FILE)
    return false;
  size_t name_size = convert_text(text, name, told->name_size, told->name_width, told->kind, true);
  size_t file_size =
      convert_text(text + name_size, file, told->file_size, told->file_width, told->kind, false);
  size_t whole = sizeof(struct recorder_function) + name_size + file_size + told->lines_size;
  if (whole > SIZE_MAX_TOLD - functions->size || recorder_table_find(&functions->told, told->number) != NULL)
    return true;
  struct recorder_function *function = recorder_allocate(1, whole);
  *function = (struct recorder_function){.line = told->line,
                                         .version = told->version,
                                         .kind = told->kind,
                                         .form = told->form,
                                         .lines_size = told->lines_size,
                                         .name_size = (uint16_t)name_size,
                                         .file_size = (uint16_t)file_size};
  memcpy(function->bytes, lines, told->lines_size);
  memcpy(function->bytes + told->lines_size, text, name_size + file_size);
  if (function->kind == UNWIND_RUNTIME_HOTSPOT && function->line == 0)
    function->line = find_line(function, 0);
  functions->size += whole;
  recorder_table_set(&functions->told, told->number, function);
  return true;
}

static int64_t functions_string(struct recorder_output *output, const char *bytes, size_t length)
{
  return length > 0 ? capture_writer_string(output->writer, bytes, length) : 0;
}

/* function: NULL where nothing was told. */
static int64_t define_function(struct recorder_output *output, const struct recorder_function *function)
{
  static const struct recorder_function none = {0};
  if (function == NULL)
    function = &none;
  const char *text = function->bytes + function->lines_size;
  const char *instead = function->file_size > 0 ? ANONYMOUS : NO_NAME;
  int64_t name = function->name_size > 0 ? functions_string(output, text, function->name_size)
                                         : functions_string(output, instead, strlen(instead));
  int64_t file = functions_string(output, text + function->name_size, function->file_size);
  if (name < 0 || file < 0)
    return name < 0 ? name : file;
  struct capture_record_function record = {
      .record = {.size = sizeof record, .type = CAPTURE_RECORD_FUNCTION},
      .id = capture_writer_next_id(output->writer, CAPTURE_RECORD_FUNCTION),
      .name = (uint32_t)name,
      .file = (uint32_t)file,
      .line = function->line,
  };
  int result = record.id == 0 ? -ENOSPC : capture_writer_define(output->writer, &record.record);
  return result < 0 ? result : (int64_t)record.id;
}

static int64_t define_line(struct recorder_output *output, uint32_t function, uint32_t line)
{
  struct capture_record_function_line record = {
      .record = {.size = sizeof record, .type = CAPTURE_RECORD_FUNCTION_LINE},
      .id = capture_writer_next_id(output->writer, CAPTURE_RECORD_FUNCTION_LINE),
      .function = function,
      .line = line,
  };
  int result = record.id == 0 ? -ENOSPC : capture_writer_define(output->writer, &record.record);
  return result < 0 ? result : (int64_t)record.id;
}

/* The identifier of a function, or of a line of it (0: none). */
static int64_t functions_identify(struct recorder_functions *functions, struct recorder_output *output,
                                  uint32_t number, uint32_t line)
{
  uint64_t key = (uint64_t)line << 32 | number;
  int64_t id = (int64_t)(uintptr_t)recorder_table_find(&functions->identifiers, key);
  if (id != 0)
    return id;
  if (line == 0) {
    id = define_function(output, recorder_table_find(&functions->told, number));
  } else {
    id = functions_identify(functions, output, number, 0);
    if (id > 0)
      id = define_line(output, (uint32_t)id, line);
  }
  if (id > 0)
    recorder_table_set(&functions->identifiers, key, (void *)(uintptr_t)id);
  return id;
}

int64_t recorder_functions_frame(struct recorder_functions *functions, struct recorder_output *output,
                                 const struct recorder_process *process, uint64_t word)
{
  uint32_t number = WALK_WORD_FUNCTION(word);
  const struct recorder_function *function = recorder_table_find(&functions->told, number);
  if (functions->epoch != output->epoch) {
    recorder_table_clear(&functions->identifiers);
    recorder_table_init(&functions->identifiers);
    functions->epoch = output->epoch;
  }
  functions->unnamed += function == NULL;
  uint32_t line = function != NULL ? line_of(function, word) : 0;
  int64_t id = functions_identify(functions, output, function != NULL ? number : 0, line);
  return id < 0 ? id
                : capture_writer_frame(output->writer, CAPTURE_SPACE_IDENTIFIERS, process->id,
                                       IDENTIFIER_BASE | (uint64_t)id);
}

bool recorder_functions_know(const struct recorder_functions *functions, uint64_t word)
{
  return WALK_WORD_FUNCTION(word) == 0 ||
         recorder_table_find(&functions->told, WALK_WORD_FUNCTION(word)) != NULL;
}

/* What the word stands for; 0: itself. */
static uint32_t functions_expand(const struct recorder_functions *functions, uint64_t word,
                                 uint64_t ret[RECORDER_V8_DEPTH])
{
  uint32_t number = WALK_WORD_FUNCTION(word), at = WALK_WORD_AT(word);
  const struct recorder_function *function = recorder_table_find(&functions->told, number);
  if (function == NULL ||
      (function->kind != UNWIND_RUNTIME_PYTHON && function->kind != UNWIND_RUNTIME_HOTSPOT))
    return recorder_v8_expand(functions, word, ret);
  if ((word & WALK_WORD_LINE) != 0 || at == 0 || at == WALK_WORD_AT_NONE)
    return 0;
  uint32_t line = find_line(function, at - 1);
  ret[0] = line != 0 && line < WALK_WORD_AT_NONE ? WALK_WORD(number, line) | WALK_WORD_LINE
                                                 : WALK_WORD(number, WALK_WORD_AT_NONE);
  return 1;
}

static const struct expanded *expand_word(struct recorder_functions *functions, uint64_t word)
{
  uint64_t words[RECORDER_V8_DEPTH];
  struct expanded *expanded = recorder_table_find(&functions->expanded, word);
  if (expanded != NULL || !recorder_functions_know(functions, word))
    return expanded;
  uint32_t n = functions_expand(functions, word, words);
  if (functions->expanded.count == EXPANDED_MAX) {
    clear_expanded(functions);
    recorder_table_init(&functions->expanded);
  }
  expanded = recorder_allocate(1, sizeof *expanded + n * sizeof words[0]);
  expanded->count = n;
  memcpy(expanded->words, words, n * sizeof words[0]);
  recorder_table_set(&functions->expanded, word, expanded);
  return expanded;
}

uint32_t recorder_functions_expand(struct recorder_functions *functions, const uint64_t *addresses,
                                   uint32_t count, uint64_t *ret, uint32_t room)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < count && n < room; i++) {
    const struct expanded *expanded =
        WALK_IS_WORD(addresses[i]) ? expand_word(functions, addresses[i]) : NULL;
    if (expanded == NULL || expanded->count == 0) {
      ret[n++] = addresses[i];
      continue;
    }
    /* The outer ones, where there is not room for all. */
    uint32_t left = room - n - (count - i - 1), fit = expanded->count < left ? expanded->count : left;
    memcpy(ret + n, expanded->words + expanded->count - fit, fit * sizeof ret[0]);
    n += fit;
  }
  return n;
}
