/* SPDX-License-Identifier: GPL-3.0-or-later */
/* V8's functions: what tells one from another, and its name, file and lines. A function is known by its
 * SharedFunctionInfo, optimised code by its Code, which consists of such functions. Part of functions.h,
 * which includes it. */
#ifndef RECORDER_BPF_FUNCTIONS_V8_H
#define RECORDER_BPF_FUNCTIONS_V8_H

#define V8_HEAD       64 /* bytes of either that are looked at */
#define V8_TEXT_WORDS 16 /* of a text that are read at a time, where its lines are collected */

/* A word of what was read of either. */
static __always_inline uint64_t v8_field(struct walk *walk, uint32_t field)
{
  return walk->memory.piece[walk->runtime.fields[field] / 8u & (V8_HEAD / 8 - 1)];
}

/* Reads what tells one from others. False: it cannot be read. */
static __always_inline int v8_identify(struct walk *walk, uint64_t code, struct unnamed *ret)
{
  if (bpf_probe_read_user(walk->memory.piece, V8_HEAD, (const void *)(code & ~(uint64_t)WALK_V8_TAG_MASK)) !=
      0)
    return 0;
  uint64_t hash;
  if ((code & WALK_V8_TAG_OF_CODE) != 0) {
    ret->name = walk->language.anchor;
    ret->file = v8_field(walk, UNWIND_V8_CODE_PLACES);
    ret->lines = v8_field(walk, UNWIND_V8_CODE_DEOPT);
    hash = ret->lines;
  } else {
    ret->name = v8_field(walk, UNWIND_V8_SHARED_NAME);
    ret->file = v8_field(walk, UNWIND_V8_SHARED_SCRIPT);
    ret->lines = v8_field(walk, UNWIND_V8_SHARED_DATA);
    hash = 0;
  }
  hash = (hash ^ ret->name) * 0x9e3779b97f4a7c15ull;
  hash = (hash ^ ret->file) * 0x9e3779b97f4a7c15ull;
  ret->key.check = (uint32_t)(hash >> 32);
  return 1;
}

/* ── Strings ──────────────────────────────────────────────────────────────────────────────────────────── */

#define V8_STRING_LENGTH 12
#define V8_STRING_DATA   16 /* its characters, or the string that it is made of */
#define V8_STRING_OTHER  24 /* the next one, the first character's number, or where they are */
#define V8_STRING_STEPS  4
#define V8_STRING_PARTS  6

enum v8_string {
  V8_STRING_SEQUENTIAL = 0,
  V8_STRING_CONS = 1,
  V8_STRING_EXTERNAL = 2,
  V8_STRING_SLICED = 3,
  V8_STRING_THIN = 5,
  V8_STRING_REPRESENTATION = 7,
  V8_STRING_ONE_BYTE = 8,
  V8_STRING_UNCACHED = 16, /* of an external one: it does not say where its characters are */
  V8_NO_STRING = 128
};

static __always_inline uint64_t v8_peek(struct walk *walk, uint64_t object, uint32_t offset)
{
  return recorder_peek(walk, object - WALK_V8_TAG + offset);
}

static __always_inline uint32_t v8_length(struct walk *walk, uint64_t string)
{
  return v8_peek(walk, string, V8_STRING_LENGTH & ~7u) >> 32;
}

/* Finds the string's characters; memory.text.length is 0 where they do not lie in one place. */
__noinline int v8_find_text(struct walk *walk, uint64_t string)
{
  if (!WALK_RUNS(walk, V8))
    return 0;
  uint64_t skipped = 0;
  walk->memory.text.length = 0;
  uint32_t length = walk_v8_is_pointer(string) ? v8_length(walk, string) : 0;
  for (uint32_t i = 0; i < V8_STRING_STEPS; i++) {
    uint32_t type = walk_v8_type(walk, string);
    if (!walk_v8_is_pointer(string) || type >= V8_NO_STRING)
      return 0;
    uint32_t representation = type & V8_STRING_REPRESENTATION;
    uint64_t data = v8_peek(walk, string, V8_STRING_DATA), other = v8_peek(walk, string, V8_STRING_OTHER);
    if (representation == V8_STRING_SEQUENTIAL || representation == V8_STRING_EXTERNAL) {
      if (representation == V8_STRING_EXTERNAL && (type & V8_STRING_UNCACHED) != 0)
        return 0;
      walk->memory.text.width = (type & V8_STRING_ONE_BYTE) != 0 ? 1 : 2;
      walk->memory.text.address =
          (representation == V8_STRING_EXTERNAL ? other : string - WALK_V8_TAG + V8_STRING_DATA) +
          skipped * walk->memory.text.width;
      walk->memory.text.length = length;
      return 1;
    }
    if (representation == V8_STRING_SLICED)
      skipped += other >> WALK_V8_NUMBER_SHIFT;
    else if (representation != V8_STRING_THIN &&
             (representation != V8_STRING_CONS || v8_length(walk, other) != 0))
      return 0;
    string = data;
  }
  return 0;
}

/* Copies the string's characters as they are, behind the `n` bytes that are there already; how many bytes
 * there are then, `room` (a power of two) at most. */
static __always_inline uint32_t v8_copy_text(struct walk *walk, uint64_t string, uint8_t *to, uint32_t n,
                                             uint32_t room, uint8_t *width)
{
  v8_find_text(walk, string);
  uint32_t size = walk->memory.text.length;
  if (size == 0 || n >= room || (n != 0 && walk->memory.text.width != *width))
    return n;
  *width = walk->memory.text.width;
  size = size < room ? size * *width : room;
  if (size > room - n)
    size = room - n;
  size = mask(size, room * 2 - 1);
  n = mask(n, room - 1);
  return bpf_probe_read_user(to + n, size, (const void *)walk->memory.text.address) == 0 ? n + size : n;
}

/* The same of a string that may be made of several. */
static __always_inline uint32_t v8_copy_string(struct walk *walk, uint64_t string, uint8_t *to, uint32_t room,
                                               uint8_t *ret_width)
{
  uint32_t n = 0;
  *ret_width = 1;
  for (uint32_t i = 0; i < V8_STRING_PARTS; i++) {
    uint64_t part = string;
    int is_cons = (walk_v8_type(walk, string) & V8_STRING_REPRESENTATION) == V8_STRING_CONS;
    if (is_cons)
      part = v8_peek(walk, string, V8_STRING_DATA);
    n = v8_copy_text(walk, part, to, n, room, ret_width);
    if (!is_cons)
      break;
    string = v8_peek(walk, string, V8_STRING_OTHER);
  }
  return n;
}

/* ── What a scope says ────────────────────────────────────────────────────────────────────────────────── */

#define V8_SCOPE_FLAGS      8
#define V8_SCOPE_SAVED      (1u << 10) /* a word more before the name */
#define V8_SCOPE_NAME       (3u << 12)
#define V8_SCOPE_INFERRED   (1u << 14)
#define V8_SCOPE_MANY       75 /* locals: from so many on their names are in a table */
#define V8_SCOPE_LOCALS_MAX 100000

struct v8_scope {
  uint64_t name;
  uint64_t inferred;
  uint32_t start;
  uint32_t end; /* 0: not known */
};

static __always_inline uint32_t v8_number(uint64_t word)
{
  return (word & 1) == 0 ? word >> WALK_V8_NUMBER_SHIFT : 0;
}

static __always_inline uint64_t v8_scope_word(struct walk *walk, uint64_t scope, uint32_t field)
{
  return v8_peek(walk, scope, walk->runtime.fields[field] & ~7u);
}

static __always_inline void v8_read_scope(struct walk *walk, uint64_t scope, struct v8_scope *ret)
{
  uint64_t word = v8_peek(walk, scope, V8_SCOPE_FLAGS);
  uint32_t flags = word >> WALK_V8_NUMBER_SHIFT != 0 ? word >> WALK_V8_NUMBER_SHIFT : word;
  uint32_t locals = v8_number(v8_scope_word(walk, scope, UNWIND_V8_SCOPE_LOCALS));
  uint32_t at = walk->runtime.fields[UNWIND_V8_SCOPE_FIRST] & ~7u;
  if (locals > V8_SCOPE_LOCALS_MAX)
    return;
  /* Modules first say how many variables they have. */
  if ((v8_peek(walk, scope, at) & 1) == 0)
    at += 8;
  at += (locals < V8_SCOPE_MANY ? 2 * locals : locals + 1) * 8;
  if ((flags & V8_SCOPE_SAVED) != 0)
    at += 8;
  if ((flags & V8_SCOPE_NAME) != 0) {
    ret->name = v8_peek(walk, scope, at);
    at += 16;
  }
  if ((flags & V8_SCOPE_INFERRED) != 0) {
    ret->inferred = v8_peek(walk, scope, at);
    at += 8;
  }
  if (walk->runtime.fields[UNWIND_V8_SCOPE_PLACE] != 0)
    at = walk->runtime.fields[UNWIND_V8_SCOPE_PLACE] & ~7u;
  ret->start = v8_number(v8_peek(walk, scope, at));
  ret->end = v8_number(v8_peek(walk, scope, at + 8));
}

/* ── Lines ────────────────────────────────────────────────────────────────────────────────────────────── */

/* What is before a function in its script is read through, and what is in it: more than that is too much. */
#define V8_TEXT_MAX  (512 << 10)
#define V8_BODY_MAX  (64 << 10)
#define V8_TEXT_STEP 256

struct v8_lines {
  struct walk *walk;
  uint8_t *buffer; /* V8_TEXT_STEP and 8 bytes; where they are collected, struct recorder_raw_v8 */
  uint64_t address;
  uint64_t left;  /* bytes */
  uint64_t lines; /* of eight bytes, or the verifier does not see that its value decides nothing */
  uint64_t done;  /* bytes, where they are collected */
  uint32_t width; /* of a character */
  uint32_t since; /* characters of the last one, or before it */
  int32_t failed;
};

/* The word with such a number in the place of each character of two bytes; or of each of one byte. */
static __always_inline uint64_t v8_repeat(uint64_t number, uint32_t width)
{
  return number * (0x0001000100010001ull + (2 - width) * 0x0100010001000100ull);
}

/* In each character's place its highest bit, if it ends a line. Neither this nor the loops over words have a
 * branch, and compilers are kept from making one of what is 0 or 1: the verifier looks at each way through.
 */
static __always_inline uint64_t v8_line_ends(uint64_t characters, uint32_t width)
{
  uint64_t low = ~v8_repeat(0x80ull << ((width - 1) * 8 & 63), width);
  uint64_t other = characters ^ v8_repeat('\n', width);
  return ~(((other & low) + low) | other | low);
}

/* What goes on from step to step is `lines` alone: of a number that becomes less with each step and decides
 * how much is read, a verifier follows each value. */
static long v8_count_lines(uint32_t i, struct v8_lines *lines)
{
  uint64_t done = i * (uint64_t)V8_TEXT_STEP, size = lines->left - done;
  uint64_t *words = (uint64_t *)(void *)lines->buffer;
  uint32_t bits = (lines->width & 3) * 8;
  if (done >= lines->left)
    return 1;
  if (size > V8_TEXT_STEP)
    size = V8_TEXT_STEP;
  words[size / 8 & (V8_TEXT_STEP / 8 - 1)] = 0;
  lines->failed = bpf_probe_read_user(lines->buffer, size, (const void *)(lines->address + done)) != 0;
  if (lines->failed)
    return 1;
  for (uint32_t at = 0; at < V8_TEXT_STEP / 8; at++) {
    uint64_t is_read = (at * 8ull - size) >> 63, ends = v8_line_ends(words[at], lines->width);
    asm volatile("" : "+r"(is_read));
    ends = (ends >> ((bits - 1) & 63)) * is_read;
    lines->lines += ends * v8_repeat(1, lines->width) >> (-bits & 63);
  }
  return 0;
}

/* One word of text, without a branch that depends on it. */
static long v8_collect_lines(uint32_t i, struct v8_lines *lines)
{
  struct recorder_raw_v8 *kept = (struct recorder_raw_v8 *)(void *)lines->buffer;
  uint64_t *words = lines->walk->memory.piece;
  uint32_t at = i & (V8_TEXT_WORDS - 1), n = kept->n_lengths, since = lines->since;
  if (at == 0 &&
      bpf_probe_read_user(words, V8_TEXT_WORDS * 8, (const void *)(lines->address + i * 8ull)) != 0)
    return 1;
  uint64_t ends = v8_line_ends(words[at], lines->width);
  uint32_t bits = (lines->width & 3) * 8;
  ends >>= (bits - 1) & 63;
  for (uint32_t c = 0; c < 8; c++) {
    uint32_t bit = c * bits, is_one = (bit - 64) >> 31;
    uint32_t end = ends >> (bit & 63) & is_one;
    asm volatile("" : "+r"(end));
    since += is_one;
    kept->lengths[n & (RECORDER_RAW_V8_LENGTHS - 1)] = since;
    n += end;
    since &= end - 1;
  }
  lines->since = since;
  kept->n_lengths = n;
  lines->done = (i + 1) * 8ull;
  return lines->done >= lines->left || n >= RECORDER_RAW_V8_LENGTHS - 8;
}

/* Says in which line of the text a function begins, 0: not known, and how long its lines are. */
__noinline int v8_tell_lines(struct walk *walk, struct told *told, uint32_t start, uint32_t end)
{
  if (!WALK_RUNS(walk, V8) || !told)
    return 0;
  uint8_t *buffer = told->bytes + RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE;
  struct recorder_raw_v8 *kept = (struct recorder_raw_v8 *)(void *)buffer;
  struct text text = walk->memory.text;
  struct v8_lines lines = {.walk = walk, .buffer = buffer, .address = text.address, .width = text.width};
  lines.left = (uint64_t)start * text.width;
  uint64_t body = (uint64_t)(end - start) * text.width;
  if (body > V8_BODY_MAX)
    body = V8_BODY_MAX;
  if (end <= start || end > text.length || lines.left > V8_TEXT_MAX || !may_read(lines.left + body))
    return 0;
  if (lines.left != 0)
    bpf_loop(V8_TEXT_MAX / V8_TEXT_STEP, v8_count_lines, &lines, 0);
  if (lines.failed)
    return 0;
  uint32_t first = (uint32_t)lines.lines + 1;
  kept->start = start;
  kept->n_lengths = 0;
  lines.address += lines.left;
  lines.left = body;
  bpf_loop(V8_BODY_MAX / 8, v8_collect_lines, &lines, 0);
  uint32_t n = kept->n_lengths;
  if (lines.done >= body && body < V8_BODY_MAX && n < RECORDER_RAW_V8_LENGTHS) {
    kept->lengths[n & (RECORDER_RAW_V8_LENGTHS - 1)] = ~0u;
    kept->n_lengths = n + 1;
  }
  return first;
}

/* ── Telling ──────────────────────────────────────────────────────────────────────────────────────────── */

#define V8_ARRAY_LENGTH 8
#define V8_ARRAY_DATA   16

/* Copies an array of bytes behind the `n` that stand there; how many there are then. Nothing if there is no
 * room for it. */
static __always_inline uint32_t v8_copy_bytes(struct walk *walk, uint64_t array, uint32_t data, uint8_t *to,
                                              uint32_t n)
{
  uint32_t size = v8_number(v8_peek(walk, array, V8_ARRAY_LENGTH));
  if (!walk_v8_is_pointer(array) || size > RECORDER_RAW_FUNCTION_LINES - n)
    return n;
  size = mask(size, RECORDER_RAW_FUNCTION_LINES - 1);
  to += mask(n, RECORDER_RAW_FUNCTION_LINES - 1);
  return bpf_probe_read_user(to, size, (const void *)(array - WALK_V8_TAG + data)) == 0 ? n + size : n;
}

/* Of a function its data is bytecode, or code that has it. */
static __always_inline uint64_t v8_bytecode(struct walk *walk, uint64_t data)
{
  if (walk_v8_is(walk, data, UNWIND_V8_CODE))
    data = walk_v8_word(walk, data, UNWIND_V8_CODE_DEOPT);
  return walk_v8_is(walk, data, UNWIND_V8_BYTECODE) ? data : 0;
}

__noinline int v8_tell_function(struct walk *walk, struct told *told, uint32_t i)
{
  if (!WALK_RUNS(walk, V8) || !told)
    return 0;
  const struct unnamed *unnamed = &walk->memory.unnamed[i & (UNNAMED_MAX - 1)];
  uint8_t *lines = told->bytes + RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE;
  struct v8_scope scope = {.name = unnamed->name};
  uint64_t script = unnamed->file;
  if (walk_v8_is(walk, unnamed->name, UNWIND_V8_SCOPE))
    v8_read_scope(walk, unnamed->name, &scope);
  told->function.name_size =
      v8_copy_string(walk, scope.name, told->bytes, RECORDER_RAW_FUNCTION_NAME, &told->function.name_width);
  if (told->function.name_size == 0)
    told->function.name_size = v8_copy_string(walk, scope.inferred, told->bytes, RECORDER_RAW_FUNCTION_NAME,
                                              &told->function.name_width);
  if (!walk_v8_is(walk, script, UNWIND_V8_SCRIPT))
    return 0;
  told->function.file_size = v8_copy_string(walk, walk_v8_word(walk, script, UNWIND_V8_SCRIPT_NAME),
                                            told->bytes + RECORDER_RAW_FUNCTION_NAME,
                                            RECORDER_RAW_FUNCTION_FILE, &told->function.file_width);
  v8_find_text(walk, walk_v8_word(walk, script, UNWIND_V8_SCRIPT_SOURCE));
  told->function.line = v8_tell_lines(walk, told, scope.start, scope.end);
  told->function.form = RECORDER_RAW_V8;
  if (told->function.line == 0)
    return 0;
  uint64_t bytecode = v8_bytecode(walk, unnamed->lines);
  told->function.lines_size =
      v8_copy_bytes(walk, bytecode == 0 ? 0 : walk_v8_word(walk, bytecode, UNWIND_V8_BYTECODE_PLACES),
                    V8_ARRAY_DATA, lines, sizeof(struct recorder_raw_v8));
  return 0;
}

static __always_inline uint64_t v8_item(struct walk *walk, uint64_t array, uint32_t index)
{
  return v8_peek(walk, array, V8_ARRAY_DATA + index * 8);
}

/* The number of a function that is told with the next ones. If there is no room for it now, the code that it
 * is in is told another time. */
static __always_inline uint32_t v8_number_of(struct walk *walk, struct told *told, uint64_t shared)
{
  if (!walk_v8_is(walk, shared, UNWIND_V8_SHARED))
    return 0;
  uint32_t number = WALK_WORD_FUNCTION(recorder_name(walk, shared, WALK_WORD_AT_NONE));
  if (number == 0)
    told->function.number = 0;
  return number;
}

__noinline int v8_tell_baseline(struct walk *walk, struct told *told, uint32_t i)
{
  if (!WALK_RUNS(walk, V8) || !told)
    return 0;
  const struct unnamed *unnamed = &walk->memory.unnamed[i & (UNNAMED_MAX - 1)];
  uint64_t bytecode = unnamed->lines, table = unnamed->file;
  uint8_t *lines = told->bytes + RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE;
  struct recorder_raw_v8_baseline *baseline = (struct recorder_raw_v8_baseline *)(void *)lines;
  uint64_t n = walk->runtime.type;
  told->function.form = RECORDER_RAW_V8_BASELINE;
  baseline->function = v8_number_of(walk, told, unnamed->name);
  baseline->n_bytecodes = baseline->table_size = 0;
  told->function.lines_size = sizeof *baseline;
  if (n > RECORDER_RAW_V8_LENGTHS_SIZE / 3 || !walk_v8_is(walk, bytecode, UNWIND_V8_BYTECODE) ||
      bpf_probe_read_user(baseline->lengths, mask(n * 3, 1023),
                          (const void *)(walk->runtime.address + walk->language.bias)) != 0)
    return 0;
  uint32_t size = v8_copy_bytes(walk, table, V8_ARRAY_DATA, lines, sizeof *baseline);
  baseline->n_bytecodes = n;
  baseline->table_size = size - sizeof *baseline;
  told->function.lines_size =
      v8_copy_bytes(walk, bytecode, walk->runtime.fields[UNWIND_V8_BYTECODE_DATA], lines, size);
  return 0;
}

__noinline int v8_tell_code(struct walk *walk, struct told *told, uint32_t i)
{
  if (!WALK_RUNS(walk, V8) || !told)
    return 0;
  const struct unnamed *unnamed = &walk->memory.unnamed[i & (UNNAMED_MAX - 1)];
  uint64_t deopt = unnamed->lines, shared = unnamed->name, places = unnamed->file;
  uint8_t *lines = told->bytes + RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE;
  struct recorder_raw_v8_code *code = (struct recorder_raw_v8_code *)(void *)lines;
  uint32_t n = v8_number(v8_item(walk, deopt, walk->runtime.fields[UNWIND_V8_DEOPT_FUNCTIONS] & 63));
  uint64_t literals = v8_item(walk, deopt, walk->runtime.fields[UNWIND_V8_DEOPT_LITERALS] & 63);
  uint64_t inlining = v8_item(walk, deopt, walk->runtime.fields[UNWIND_V8_DEOPT_INLINING] & 63);
  told->function.form = RECORDER_RAW_V8_CODE;
  if (n > RECORDER_RAW_V8_FUNCTIONS - 1)
    n = RECORDER_RAW_V8_FUNCTIONS - 1;
  for (uint32_t f = 0; f < RECORDER_RAW_V8_FUNCTIONS - 1 && f < n; f++)
    code->functions[f] = v8_number_of(walk, told, v8_item(walk, literals, f));
  code->functions[n & (RECORDER_RAW_V8_FUNCTIONS - 1)] = v8_number_of(walk, told, shared);
  code->n_functions = n + 1;
  uint32_t size = n == 0 ? 0 : v8_number(v8_peek(walk, inlining, V8_ARRAY_LENGTH));
  if (size > sizeof code->inlined)
    size = sizeof code->inlined;
  code->n_inlined = size / sizeof code->inlined[0];
  if (size != 0 && bpf_probe_read_user(code->inlined, mask(size, 2047),
                                       (const void *)(inlining - WALK_V8_TAG + V8_ARRAY_DATA)) != 0)
    code->n_inlined = 0;
  told->function.lines_size = v8_copy_bytes(walk, places, V8_ARRAY_DATA, lines, sizeof *code);
  return 0;
}

static __always_inline void v8_tell(struct walk *walk, struct told *told, uint32_t i)
{
  uint64_t code = walk->memory.unnamed[i & (UNNAMED_MAX - 1)].key.code;
  if ((code & WALK_V8_TAG_OF_CODE) == 0)
    v8_tell_function(walk, told, i);
  else if (walk_v8_kind(walk, code & ~(uint64_t)WALK_V8_TAG_OF_CODE) ==
           walk->runtime.fields[UNWIND_V8_KIND_BASELINE])
    v8_tell_baseline(walk, told, i);
  else
    v8_tell_code(walk, told, i);
}

#endif
