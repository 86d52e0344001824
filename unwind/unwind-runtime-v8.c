/* SPDX-License-Identifier: GPL-3.0-or-later */
/* V8 by the constants with which each build of node tells its layout to debuggers: v8dbg_*. */
#include <string.h>

#include "unwind/unwind-runtime-private.h"

#define PREFIX "v8dbg_"
#define ABSENT INT64_MIN

/* What a build tells. */
enum fact {
  MAJOR,
  MINOR,
  FRAME_FUNCTION,
  FRAME_CONTEXT,
  FRAME_BYTECODE,
  FRAME_AT,
  TAGGED_SIZE,
  MAP_TYPE,
  TYPE_FUNCTION,
  TYPE_LAST_FUNCTION,
  TYPE_SHARED,
  TYPE_SCRIPT,
  TYPE_SCOPE,
  TYPE_BYTECODE,
  TYPE_CODE,
  TYPE_CODE_WRAPPER,
  TYPE_STREAM,
  FUNCTION_SHARED,
  SHARED_NAME,
  SHARED_SCRIPT,
  SCRIPT_SOURCE,
  SCRIPT_NAME,
  SCOPE_LOCALS,
  SCOPE_FIRST,
  BYTECODE_DATA,
  CODE_PLACES,
  CODE_START,
  CODE_SIZE,
  CODE_FLAGS,
  STREAM_START,
  KIND_MASK,
  KIND_BASELINE,
  DEOPT_FUNCTIONS,
  DEOPT_LITERALS,
  DEOPT_INLINING,
  DEOPT_OWNER,
  DEOPT_WRAPPED_OWNER,
  FACTS
};

static const struct {
  const char *name;
  enum fact fact;
} names[] = {
    {"off_fp_function", FRAME_FUNCTION},
    {"off_fp_context", FRAME_CONTEXT},
    {"off_fp_bytecode_array", FRAME_BYTECODE},
    {"off_fp_bytecode_offset", FRAME_AT},
    {"TaggedSize", TAGGED_SIZE},
    {"class_Map__instance_type__uint16_t", MAP_TYPE},
    {"type_JSFunction__JS_FUNCTION_TYPE", TYPE_FUNCTION},
    {"LastJSFunctionType", TYPE_LAST_FUNCTION},
    {"type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", TYPE_SHARED},
    {"type_Script__SCRIPT_TYPE", TYPE_SCRIPT},
    {"type_ScopeInfo__SCOPE_INFO_TYPE", TYPE_SCOPE},
    {"type_BytecodeArray__BYTECODE_ARRAY_TYPE", TYPE_BYTECODE},
    {"type_Code__CODE_TYPE", TYPE_CODE},
    {"type_CodeWrapper__CODE_WRAPPER_TYPE", TYPE_CODE_WRAPPER},
    {"type_InstructionStream__INSTRUCTION_STREAM_TYPE", TYPE_STREAM},
    {"class_JSFunction__shared__SharedFunctionInfo", FUNCTION_SHARED},
    {"class_SharedFunctionInfo__name_or_scope_info__Object", SHARED_NAME},
    {"class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_", SHARED_NAME},
    {"class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_", SHARED_NAME},
    {"class_SharedFunctionInfo__script_or_debug_info__HeapObject", SHARED_SCRIPT},
    {"class_SharedFunctionInfo__script__Tagged_HeapObject_", SHARED_SCRIPT},
    {"class_Script__source__Object", SCRIPT_SOURCE},
    {"class_Script__name__Object", SCRIPT_NAME},
    {"scopeinfo_idx_ncontextlocals", SCOPE_LOCALS},
    {"scopeinfo_idx_first_vars", SCOPE_FIRST},
    {"class_BytecodeArray__data__uintptr_t", BYTECODE_DATA},
    {"class_Code__source_position_table__ByteArray", CODE_PLACES},
    {"class_Code__instruction_start__uintptr_t", CODE_START},
    {"class_Code__instruction_start__Address", CODE_START},
    {"class_Code__instruction_size__int", CODE_SIZE},
    {"class_Code__flags__uint32_t", CODE_FLAGS},
    {"class_InstructionStream__instruction_start__uintptr_t", STREAM_START},
    {"CodeKindFieldMask", KIND_MASK},
    {"CodeKindBaseline", KIND_BASELINE},
    {"DeoptimizationDataInlinedFunctionCountIndex", DEOPT_FUNCTIONS},
    {"DeoptimizationDataLiteralArrayIndex", DEOPT_LITERALS},
    {"DeoptimizationDataInliningPositionsIndex", DEOPT_INLINING},
    {"DeoptimizationDataSharedFunctionInfoIndex", DEOPT_OWNER},
    {"DeoptimizationDataWrappedSharedFunctionInfoIndex", DEOPT_WRAPPED_OWNER},
};

struct facts {
  const struct unwind_elf *elf;
  int64_t values[FACTS];
  Elf64_Sym lengths;     /* of bytecodes; st_size 0: not found */
  Elf64_Sym interpreter; /* st_size 0: not found */
};

/* A constant that is 0 is not stored. */
static int64_t read_int(const struct unwind_elf *elf, const Elf64_Sym *symbol)
{
  int32_t value = 0;

  unwind_runtime_read(elf, symbol->st_value, &value, sizeof value);
  return value;
}

static bool take_fact(const char *name, const Elf64_Sym *symbol, void *data)
{
  struct facts *facts = data;

  if (strncmp(name, PREFIX, sizeof PREFIX - 1) == 0) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
      if (strcmp(name + sizeof PREFIX - 1, names[i].name) == 0)
        facts->values[names[i].fact] = read_int(facts->elf, symbol);
  } else if (strcmp(name, "_ZN2v88internal7Version6major_E") == 0) {
    facts->values[MAJOR] = read_int(facts->elf, symbol);
  } else if (strcmp(name, "_ZN2v88internal7Version6minor_E") == 0) {
    facts->values[MINOR] = read_int(facts->elf, symbol);
  } else if (strcmp(name, "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE") == 0) {
    facts->lengths = *symbol;
  } else if (strcmp(name, "Builtins_InterpreterEntryTrampoline") == 0) {
    facts->interpreter = *symbol;
  }
  return false;
}

/* How the three rows of lengths begin, of operands of one, two and four bytes: Wide, ExtraWide, then what
 * stops for debuggers (src/interpreter/bytecodes.h). */
enum { ROWS = 3, KNOWN = 11, BYTECODES_MAX = 256 };
static const uint8_t rows[ROWS][KNOWN] = {{1, 1, 1, 1, 1, 2, 3, 4, 5, 5, 6},
                                          {1, 1, 1, 1, 1, 3, 5, 7, 9, 7, 9},
                                          {1, 1, 1, 1, 1, 5, 9, 13, 17, 11, 15}};

static bool are_lengths(const uint8_t *lengths, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (lengths[2 * n + i] - lengths[n + i] != 2 * (lengths[n + i] - lengths[i]))
      return false;
  return memcmp(lengths + 2 * n, rows[2], KNOWN) == 0;
}

/* How many bytecodes have their lengths there; 0: something else is there. */
static size_t count_bytecodes(const uint8_t *lengths, size_t size)
{
  size_t room = size / ROWS < BYTECODES_MAX ? size / ROWS : BYTECODES_MAX;
  const uint8_t *second = room < KNOWN ? NULL : memmem(lengths + KNOWN, room, rows[1], KNOWN);
  size_t n = second ? (size_t)(second - lengths) : 0;

  return n > 0 && n <= size / ROWS && are_lengths(lengths, n) ? n : 0;
}

/* Distributions' builds of newer versions keep the table to themselves. */
static void find_lengths(struct facts *facts)
{
  Elf64_Shdr section;
  struct unwind_bytes bytes;
  size_t n;

  if (!unwind_elf_find_section(facts->elf, ".rodata", &section) ||
      !unwind_elf_section_bytes(facts->elf, &section, &bytes))
    return;
  const uint8_t *end = bytes.bytes + bytes.size, *at = bytes.bytes;
  while ((at = memmem(at, (size_t)(end - at), rows[0], KNOWN))) {
    n = count_bytecodes(at, (size_t)(end - at));
    if (n > 0) {
      facts->lengths.st_value = section.sh_addr + (uint64_t)(at - bytes.bytes);
      facts->lengths.st_size = ROWS * n;
      return;
    }
    at++;
  }
}

/* What versions do not tell, or lost on the way, as their headers have it (src/objects/{js-function.tq,
 * instance-type.h, code.h, code.tq, bytecode-array.h, deoptimization-data.h}). */
static void complete_facts(int64_t *values)
{
  static const struct {
    enum fact fact;
    int64_t value;
  } before[] = {
      {KIND_MASK, 15}, {DEOPT_FUNCTIONS, 1}, {DEOPT_LITERALS, 2}, {DEOPT_INLINING, 7}, {DEOPT_OWNER, 6}};

  for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
    if (values[before[i].fact] == ABSENT)
      values[before[i].fact] = before[i].value;
  if (values[TYPE_LAST_FUNCTION] == ABSENT)
    values[TYPE_LAST_FUNCTION] = values[TYPE_FUNCTION] + 14;
  if (values[CODE_PLACES] == ABSENT)
    values[CODE_PLACES] = values[TYPE_CODE_WRAPPER] != ABSENT ? values[CODE_START] - 24 : 24;
  if (values[CODE_START] == ABSENT)
    values[CODE_START] = values[CODE_PLACES] + 16;
  if (values[TYPE_STREAM] == ABSENT) {
    values[TYPE_STREAM] = values[TYPE_CODE];
    values[STREAM_START] = values[CODE_START];
  }
  if (values[CODE_FLAGS] == ABSENT)
    values[CODE_FLAGS] = values[CODE_START] + 8;
  if (values[CODE_SIZE] == ABSENT)
    values[CODE_SIZE] = values[CODE_FLAGS] + 8;
}

/* In the order of enum unwind_v8_field. */
static void set_fields(const int64_t *values, int64_t *fields)
{
  int64_t function_code = 0;

  if (values[MAJOR] < 12)
    function_code = values[FUNCTION_SHARED] + 24;
  else if (values[MAJOR] == 12)
    function_code = values[FUNCTION_SHARED] - 8;
  const int64_t all[UNWIND_V8_FIELDS] = {
      [UNWIND_V8_MAP_TYPE] = values[MAP_TYPE],
      [UNWIND_V8_FIRST_FUNCTION] = values[TYPE_FUNCTION],
      [UNWIND_V8_LAST_FUNCTION] = values[TYPE_LAST_FUNCTION],
      [UNWIND_V8_SHARED] = values[TYPE_SHARED],
      [UNWIND_V8_SCRIPT] = values[TYPE_SCRIPT],
      [UNWIND_V8_SCOPE] = values[TYPE_SCOPE],
      [UNWIND_V8_BYTECODE] = values[TYPE_BYTECODE],
      [UNWIND_V8_CODE] = values[TYPE_CODE],
      [UNWIND_V8_FUNCTION_SHARED] = values[FUNCTION_SHARED],
      [UNWIND_V8_FUNCTION_CODE] = function_code,
      [UNWIND_V8_SHARED_DATA] = 8,
      [UNWIND_V8_SHARED_NAME] = values[SHARED_NAME],
      [UNWIND_V8_SHARED_SCRIPT] = values[SHARED_SCRIPT],
      [UNWIND_V8_SCRIPT_SOURCE] = values[SCRIPT_SOURCE],
      [UNWIND_V8_SCRIPT_NAME] = values[SCRIPT_NAME],
      [UNWIND_V8_SCOPE_LOCALS] = 8 + 8 * values[SCOPE_LOCALS],
      [UNWIND_V8_SCOPE_PLACE] = values[SCOPE_FIRST] == 5 ? 8 + 8 * 3 : 0,
      [UNWIND_V8_SCOPE_FIRST] = 8 + 8 * values[SCOPE_FIRST],
      [UNWIND_V8_BYTECODE_PLACES] = values[MAJOR] < 12 ? 32 : 24,
      [UNWIND_V8_BYTECODE_DATA] = values[BYTECODE_DATA],
      [UNWIND_V8_CODE_DEOPT] = values[CODE_PLACES] - 8,
      [UNWIND_V8_CODE_PLACES] = values[CODE_PLACES],
      [UNWIND_V8_CODE_START] = values[CODE_START],
      [UNWIND_V8_CODE_SIZE] = values[CODE_SIZE],
      [UNWIND_V8_STREAM] = values[TYPE_STREAM],
      [UNWIND_V8_STREAM_CODE] = values[TYPE_STREAM] == values[TYPE_CODE] ? 0 : 8,
      [UNWIND_V8_STREAM_START] = values[STREAM_START],
      [UNWIND_V8_CODE_FLAGS] = values[CODE_FLAGS],
      [UNWIND_V8_KIND_MASK] = values[KIND_MASK],
      [UNWIND_V8_KIND_BASELINE] = values[KIND_BASELINE],
      [UNWIND_V8_DEOPT_FUNCTIONS] = values[DEOPT_FUNCTIONS],
      [UNWIND_V8_DEOPT_LITERALS] = values[DEOPT_LITERALS],
      [UNWIND_V8_DEOPT_INLINING] = values[DEOPT_INLINING],
      [UNWIND_V8_DEOPT_OWNER] = 16 + 8 * (values[DEOPT_WRAPPED_OWNER] != ABSENT ? values[DEOPT_WRAPPED_OWNER]
                                                                                : values[DEOPT_OWNER]),
      [UNWIND_V8_OWNER_WRAPPED] = values[DEOPT_WRAPPED_OWNER] != ABSENT ? 8 : 0,
  };
  memcpy(fields, all, sizeof all);
}

/* Frames have been the same since 2021; what is different is not understood. */
static bool is_understood(const int64_t *values)
{
  for (size_t i = 0; i < FACTS; i++)
    if (values[i] == ABSENT && i != TYPE_CODE_WRAPPER && i != DEOPT_WRAPPED_OWNER)
      return false;
  return values[MAJOR] >= 10 && values[MAJOR] <= 255 && values[MINOR] <= 255 && values[TAGGED_SIZE] == 8 &&
         values[FRAME_CONTEXT] == -8 && values[FRAME_FUNCTION] == -16 && values[FRAME_BYTECODE] == -32 &&
         values[FRAME_AT] == -40;
}

bool unwind_runtime_find_v8(const struct unwind_elf *elf, struct unwind_runtime *ret)
{
  struct facts facts = {.elf = elf};
  int64_t fields[UNWIND_V8_FIELDS];

  for (size_t i = 0; i < FACTS; i++)
    facts.values[i] = ABSENT;
  unwind_runtime_each_symbol(elf, take_fact, &facts);
  if (facts.values[TAGGED_SIZE] == ABSENT)
    return false;
  complete_facts(facts.values);
  if (!is_understood(facts.values))
    return false;
  if (facts.lengths.st_size == 0)
    find_lengths(&facts);
  set_fields(facts.values, fields);
  for (size_t i = 0; i < UNWIND_V8_FIELDS; i++) {
    if (fields[i] < 0 || fields[i] > UINT16_MAX)
      return false;
    ret->fields[i] = (uint16_t)fields[i];
  }
  ret->kind = UNWIND_RUNTIME_V8;
  ret->version = (uint32_t)(facts.values[MAJOR] << 8 | facts.values[MINOR]);
  ret->address = facts.lengths.st_value;
  ret->type = facts.lengths.st_size / ROWS;
  if (facts.interpreter.st_size <= UINT64_MAX - facts.interpreter.st_value) {
    ret->code_start = facts.interpreter.st_value;
    ret->code_end = facts.interpreter.st_value + facts.interpreter.st_size;
  }
  return true;
}
