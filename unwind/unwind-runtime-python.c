/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPython, by the symbols that each build of it exports. */
#include <string.h>

#include "unwind/unwind-runtime-private.h"

/* In the order of enum unwind_python_field. Offsets of 3.8 to 3.12 on 64-bit machines, as the headers of
 * these versions give them (Include/internal/ pycore_runtime.h, pycore_interp.h, pycore_frame.h,
 * cpython/pystate.h, cpython/code.h, cpython/unicodeobject.h). */
struct version {
  uint32_t version;
  const char *symbol; /* that this version was the first to export; NULL: Py_Version says it */
  uint16_t fields[UNWIND_PYTHON_FIELDS];
};

/* bytes and str. */
#define TEXTS_BEFORE_3_12 16, 32, 16, 32, 48, 72, 2
#define TEXTS_3_12        16, 32, 16, 32, 40, 56, 2

static const struct version versions[] = {
    {0x030c, NULL, {40, 0,  72, 8, 144, 56, 0,   0,   8,   8,   0,
                    56, 70, 3,  0, 8,   68, 128, 112, 136, 192, TEXTS_3_12}},
    {0x030b, NULL, {40, 0,  16, 8, 160, 56, 0,   8,   16,  48,  32,
                    56, 68, 0,  0, 8,   72, 128, 112, 136, 184, TEXTS_BEFORE_3_12}},
    {0x030a, "PyAIter_Check", {32, 0, 8, 8, 176, 24, 48,  0,   8,   24, 32,
                               96, 0, 0, 0, 8,   40, 112, 104, 120, 0,  TEXTS_BEFORE_3_12}},
    {0x0309, "PyFrame_GetBack", {32,  0, 8, 8, 176, 24, 0,   0,   0,   24, 32,
                                 104, 0, 0, 0, 8,   40, 112, 104, 120, 0,  TEXTS_BEFORE_3_12}},
    {0x0308, "PyCode_NewWithPosOnlyArgs", {32,  0, 8, 8, 176, 24, 0,   0,   0,   24, 32,
                                           104, 0, 0, 0, 8,   40, 112, 104, 120, 0,  TEXTS_BEFORE_3_12}},
};

/* From 3.13 on the runtime begins with its own offsets (Include/internal/pycore_debug_offsets.h): a cookie,
 * its version, whether there is no global lock, then words. Which one each field is: */
#define WORD_FREE_THREADED 2
#define WORD_NONE          0xff
#define WORD_COUNT         128

struct layout {
  uint32_t version;
  uint8_t
      words[UNWIND_PYTHON_FIELDS]; /* counted from the cookie, which is word 0; WORD_NONE: no such field */
  uint16_t shim, tag;
};

#define NO_ENTRY WORD_NONE, WORD_NONE, WORD_NONE
#define SHIM_TAG WORD_NONE, WORD_NONE

static const struct layout layouts[] = {
    {0x030d,
     {5,  8,  9,  21, 25, 23, NO_ENTRY, 29, 30, 31, 33,        SHIM_TAG, 45,
      39, 37, 35, 38, 43, 65, 66,       69, 68, 70, WORD_NONE, WORD_NONE},
     3,
     0},
    {0x030e,
     {5,  8,  9,  24, 28, 26, NO_ENTRY, 32, 33, 34, 36,        SHIM_TAG, 51,
      44, 42, 40, 43, 48, 75, 76,       79, 78, 80, WORD_NONE, WORD_NONE},
     3,
     3},
    {0x030f,
     {5,  8,  9,  24, 31, 26, NO_ENTRY, 40, 41, 42, 44,        SHIM_TAG, 59,
      52, 50, 48, 51, 56, 87, 88,       91, 90, 92, WORD_NONE, WORD_NONE},
     3,
     3},
};

/* 3.11 and newer say it; before that what they export tells. */
static uint32_t python_version(const struct unwind_elf *elf)
{
  Elf64_Sym symbol;
  uint32_t version;

  if (unwind_runtime_find_symbol(elf, "Py_Version", &symbol))
    return unwind_runtime_read(elf, symbol.st_value, &version, sizeof version) ? version >> 16 : 0;
  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
    if (versions[i].symbol && unwind_runtime_find_symbol(elf, versions[i].symbol, &symbol))
      return versions[i].version;
  return 0;
}

static bool has_offsets_of_its_own(const struct unwind_elf *elf, const struct layout *layout,
                                   struct unwind_runtime *runtime)
{
  uint64_t words[WORD_COUNT];

  if (!unwind_runtime_read(elf, runtime->address, words, sizeof words) || memcmp(words, "xdebugpy", 8) != 0 ||
      words[1] >> 16 != layout->version)
    return false;
  for (uint32_t i = 0; i < UNWIND_PYTHON_FIELDS; i++) {
    if (layout->words[i] == WORD_NONE)
      continue;
    if (words[layout->words[i]] > UINT16_MAX)
      return false;
    runtime->fields[i] = (uint16_t)words[layout->words[i]];
  }
  runtime->fields[UNWIND_PYTHON_SHIM] = layout->shim;
  runtime->fields[UNWIND_PYTHON_TAG] = layout->tag;
  runtime->fields[UNWIND_PYTHON_TEXT_KIND] = words[WORD_FREE_THREADED] ? 8 : 2;
  /* PyCompactUnicodeObject is a PyASCIIObject, then the length and the address of its UTF-8. */
  runtime->fields[UNWIND_PYTHON_TEXT_OTHER] = runtime->fields[UNWIND_PYTHON_TEXT_ASCII] + 16;
  return true;
}

static bool set_fields(const struct unwind_elf *elf, struct unwind_runtime *runtime)
{
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
    if (layouts[i].version == runtime->version)
      return has_offsets_of_its_own(elf, &layouts[i], runtime);
  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
    if (versions[i].version != runtime->version)
      continue;
    memcpy(runtime->fields, versions[i].fields, sizeof versions[i].fields);
    return true;
  }
  return false;
}

bool unwind_runtime_find_python(const struct unwind_elf *elf, struct unwind_runtime *ret)
{
  Elf64_Sym symbol;

  if (!unwind_runtime_find_symbol(elf, "_PyRuntime", &symbol))
    return false;
  ret->kind = UNWIND_RUNTIME_PYTHON;
  ret->address = symbol.st_value;
  ret->version = python_version(elf);
  if (unwind_runtime_find_symbol(elf, "PyCode_Type", &symbol))
    ret->type = symbol.st_value;
  if (unwind_runtime_find_symbol(elf, "_PyEval_EvalFrameDefault", &symbol) &&
      symbol.st_size <= UINT64_MAX - symbol.st_value) {
    ret->code_start = symbol.st_value;
    ret->code_end = symbol.st_value + symbol.st_size;
  }
  return set_fields(elf, ret);
}
