/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What BPF programs tell of functions of languages, all of it copied from a program that may have made it up:
 * names, tables of lines, and V8's descriptions of its code. Whatever they say, what comes of it stays inside
 * of what was told.
 *
 * An input is a row of records: two bytes of a size, then struct recorder_raw_function and what follows it,
 * so much of each as the size says. Of each number a few positions are asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/recorder/languages/functions.h"
#include "helpers/recorder/languages/java-lines.h"
#include "helpers/recorder/languages/python-lines.h"
#include "helpers/recorder/languages/v8-functions.h"
#include "unwind/walk/walk-types.h"

#define NUMBERS 8
#define ROOM    600

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory of its own, so that reading beyond it is seen. */
static void tell(struct recorder_functions *functions, const uint8_t *data, size_t size)
{
  size_t whole = sizeof(struct recorder_raw) + size;
  struct recorder_raw *raw = calloc(1, whole + sizeof(struct recorder_raw_function));
  struct recorder_raw_function *function = (void *)(raw + 1);

  memcpy(function, data, size);
  function->number %= NUMBERS;
  struct recorder_raw *exact = malloc(whole);
  memcpy(exact, raw, whole);
  recorder_functions_add(functions, exact, (uint32_t)whole);
  free(exact);
  free(raw);
}

static void ask(struct recorder_functions *functions, uint32_t at)
{
  uint64_t words[NUMBERS + 1], expanded[ROOM];

  for (uint32_t i = 0; i < NUMBERS; i++)
    words[i] = WALK_WORD(i, at);
  words[NUMBERS] = 0x401000;
  uint32_t n = recorder_functions_expand(functions, words, NUMBERS + 1, expanded, ROOM);
  if (n < NUMBERS + 1 || n > ROOM)
    abort();
  n = recorder_functions_expand(functions, words, NUMBERS + 1, expanded, NUMBERS + 1);
  if (n != NUMBERS + 1 || expanded[n - 1] != 0x401000)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct recorder_functions functions;
  uint16_t length;

  recorder_functions_init(&functions);
  for (uint32_t version = 0x0307; version <= 0x0310; version++)
    recorder_python_line(version, data, size, (uint32_t)size, (uint32_t)size / 3);
  recorder_java_line(11, data, size, (uint32_t)size / 3);
  recorder_java_line(25, data, size, (uint32_t)size / 3);
  while (size >= sizeof length) {
    memcpy(&length, data, sizeof length);
    data += sizeof length;
    size -= sizeof length;
    size_t told = length < size ? length : size;
    tell(&functions, data, told);
    data += told;
    size -= told;
  }
  for (uint32_t at = 0; at < 16; at++)
    ask(&functions, at * at);
  ask(&functions, WALK_WORD_AT_NONE);
  recorder_functions_clear(&functions);
  return 0;
}
