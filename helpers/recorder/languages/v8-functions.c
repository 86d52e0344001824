/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/languages/v8-functions.h"

#include <string.h>

#include "helpers/recorder/languages/functions-private.h"
#include "helpers/recorder/languages/v8-places.h"
#include "unwind/walk/walk-types.h"

/* The function's line with that place. */
static uint64_t word_of_place(const struct recorder_functions *functions, uint32_t number, uint64_t place)
{
  const struct recorder_function *function = recorder_table_find(&functions->told, number);
  if (function == NULL || function->form != RECORDER_RAW_V8 ||
      function->lines_size < sizeof(struct recorder_raw_v8))
    return WALK_WORD(number, WALK_WORD_AT_NONE);
  const struct recorder_raw_v8 *lines = (const void *)function->bytes;
  uint32_t n = lines->n_lengths < RECORDER_RAW_V8_LENGTHS ? lines->n_lengths : RECORDER_RAW_V8_LENGTHS;
  uint32_t line =
      recorder_v8_line(lines->start, function->line, lines->lengths, n, recorder_v8_position(place));
  return line != 0 && line < WALK_WORD_AT_NONE ? WALK_WORD(number, line) | WALK_WORD_LINE
                                               : WALK_WORD(number, WALK_WORD_AT_NONE);
}

static uint64_t place_of(const struct recorder_function *function, size_t head, uint64_t word)
{
  uint32_t at = WALK_WORD_AT(word);
  return at == 0 || at == WALK_WORD_AT_NONE ? 0
                                            : recorder_v8_place((const uint8_t *)function->bytes + head,
                                                                function->lines_size - head, at - 1);
}

static uint32_t expand_code(const struct recorder_functions *functions,
                            const struct recorder_function *function, uint64_t word, uint64_t *ret)
{
  const struct recorder_raw_v8_code *code = (const void *)function->bytes;
  if (code->n_functions == 0 || code->n_functions > RECORDER_RAW_V8_FUNCTIONS)
    return 0;
  uint32_t own = code->functions[code->n_functions - 1], n = 0;
  uint64_t place = place_of(function, sizeof *code, word);
  /* A call stands behind the one that it is inlined in. */
  for (uint32_t i = recorder_v8_inlined(place), before = UINT32_MAX; i != 0 && i < before;) {
    if (i > code->n_inlined || i > RECORDER_RAW_V8_INLINED || n + 1 == RECORDER_V8_DEPTH)
      break;
    const struct recorder_raw_v8_inlined *inlined = &code->inlined[i - 1];
    uint32_t number =
        (uint32_t)inlined->function < code->n_functions ? code->functions[inlined->function] : own;
    ret[n++] = word_of_place(functions, number, place);
    place = inlined->place;
    before = i;
    i = recorder_v8_inlined(place);
  }
  ret[n++] = word_of_place(functions, own, place);
  return n;
}

static uint64_t expand_baseline(const struct recorder_functions *functions,
                                const struct recorder_function *function, uint64_t word)
{
  const struct recorder_raw_v8_baseline *baseline = (const void *)function->bytes;
  const struct recorder_function *own = recorder_table_find(&functions->told, baseline->function);
  const uint8_t *table = (const uint8_t *)(baseline + 1);
  size_t size = function->lines_size - sizeof *baseline;
  if (WALK_WORD_AT(word) == 0 || WALK_WORD_AT(word) == WALK_WORD_AT_NONE || own == NULL ||
      own->form != RECORDER_RAW_V8 || own->lines_size < sizeof(struct recorder_raw_v8) ||
      baseline->table_size > size || baseline->n_bytecodes > RECORDER_RAW_V8_LENGTHS_SIZE / 3)
    return WALK_WORD(baseline->function, WALK_WORD_AT_NONE);
  uint64_t at = recorder_v8_bytecode(table, baseline->table_size, table + baseline->table_size,
                                     size - baseline->table_size, baseline->lengths, baseline->n_bytecodes,
                                     WALK_WORD_AT(word) - 1);
  if (at >= WALK_WORD_AT_NONE - 1)
    return WALK_WORD(baseline->function, WALK_WORD_AT_NONE);
  uint64_t place = place_of(own, sizeof(struct recorder_raw_v8), WALK_WORD(0, at + 1));
  return word_of_place(functions, baseline->function, place);
}

uint32_t recorder_v8_expand(const struct recorder_functions *functions, uint64_t word,
                            uint64_t ret[RECORDER_V8_DEPTH])
{
  const struct recorder_function *function = recorder_table_find(&functions->told, WALK_WORD_FUNCTION(word));
  if (function == NULL || (word & WALK_WORD_LINE) != 0)
    return 0;
  if (function->form == RECORDER_RAW_V8_CODE && function->lines_size >= sizeof(struct recorder_raw_v8_code))
    return expand_code(functions, function, word, ret);
  if (function->form == RECORDER_RAW_V8_BASELINE &&
      function->lines_size >= sizeof(struct recorder_raw_v8_baseline)) {
    ret[0] = expand_baseline(functions, function, word);
    return 1;
  }
  if (function->form != RECORDER_RAW_V8 || WALK_WORD_AT(word) == 0)
    return 0;
  ret[0] = function->lines_size < sizeof(struct recorder_raw_v8)
               ? WALK_WORD(WALK_WORD_FUNCTION(word), WALK_WORD_AT_NONE)
               : word_of_place(functions, WALK_WORD_FUNCTION(word),
                               place_of(function, sizeof(struct recorder_raw_v8), word));
  return 1;
}
