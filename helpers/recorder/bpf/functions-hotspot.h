/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HotSpot's methods: what tells one from another, and its name, file and lines. Part of functions.h, which
 * includes it. */
#ifndef RECORDER_BPF_FUNCTIONS_HOTSPOT_H
#define RECORDER_BPF_FUNCTIONS_HOTSPOT_H

/* Of a name, what its class and what the method has at most. */
#define HOTSPOT_CLASS_MAX  191
#define HOTSPOT_METHOD_MAX 63

#define HOTSPOT_HAS_LINES 1 /* ConstMethod's flags */

/* Reads what tells a method from others. False: it is none. */
static __always_inline int hotspot_identify(struct walk *walk, uint64_t method, struct unnamed *ret)
{
  if ((method & WALK_HOTSPOT_BLOB) != 0) {
    ret->name = walk_hotspot_get(walk, method - WALK_HOTSPOT_BLOB, UNWIND_HOTSPOT_BLOB_NAME);
    ret->key.check = (uint32_t)ret->name;
    return ret->name != 0;
  }
  uint64_t parts = walk_hotspot_get(walk, method, UNWIND_HOTSPOT_METHOD_CONST);
  uint64_t pool = walk_hotspot_get(walk, parts, UNWIND_HOTSPOT_CONST_POOL);
  uint64_t holder = walk_hotspot_get(walk, pool, UNWIND_HOTSPOT_POOL_HOLDER);
  ret->name = walk_hotspot_get(walk, holder, UNWIND_HOTSPOT_CLASS_NAME);
  ret->file = parts;
  ret->lines = pool;
  ret->line = walk_hotspot_get(walk, parts, UNWIND_HOTSPOT_CONST_NAME) & 0xffff;
  ret->key.check = check_unnamed(ret);
  return ret->name != 0;
}

/* Copies a Symbol's bytes to told->bytes, at most `room` of them; says how many. */
__noinline uint32_t recorder_copy_symbol(struct walk *walk, struct told *told, uint64_t symbol, uint32_t at,
                                         uint32_t room)
{
  if (!WALK_RUNS(walk, HOTSPOT) || symbol == 0)
    return 0;
  uint64_t size = walk_hotspot_get(walk, symbol, UNWIND_HOTSPOT_TEXT_LENGTH) & 0xffff;
  return recorder_copy_text(told, symbol + walk->hotspot.fields[UNWIND_HOTSPOT_TEXT],
                            size < room ? size : room, at);
}

/* The Symbol of that number. */
static __always_inline uint64_t hotspot_item(struct walk *walk, uint64_t pool, uint32_t number)
{
  return number == 0 ? 0
                     : walk_hotspot_word(walk, pool + walk->runtime.fields[UNWIND_HOTSPOT_POOL_ITEMS] +
                                                   number * 8ull);
}

static __always_inline uint64_t hotspot_file(struct walk *walk, uint64_t pool)
{
  if (walk->hotspot.fields[UNWIND_HOTSPOT_POOL_FILE] != 0)
    return hotspot_item(walk, pool, walk_hotspot_get(walk, pool, UNWIND_HOTSPOT_POOL_FILE) & 0xffff);
  if (walk->hotspot.fields[UNWIND_HOTSPOT_CLASS_FILE] == 0)
    return 0;
  uint64_t holder = walk_hotspot_get(walk, pool, UNWIND_HOTSPOT_POOL_HOLDER);
  return hotspot_item(walk, pool, walk_hotspot_get(walk, holder, UNWIND_HOTSPOT_CLASS_FILE) & 0xffff);
}

/* The lines stand between the bytecodes and what else the ConstMethod ends with. */
__noinline uint32_t recorder_copy_lines(struct walk *walk, struct told *told, uint64_t parts)
{
  if (!WALK_RUNS(walk, HOTSPOT) || !told ||
      (walk_hotspot_get(walk, parts, UNWIND_HOTSPOT_CONST_FLAGS) & HOTSPOT_HAS_LINES) == 0)
    return 0;
  uint64_t before = walk->runtime.fields[UNWIND_HOTSPOT_CONST_CODE] +
                    (walk_hotspot_get(walk, parts, UNWIND_HOTSPOT_CONST_CODE_SIZE) & 0xffff);
  uint64_t size = walk_hotspot_int(walk, parts, UNWIND_HOTSPOT_CONST_SIZE) * 8ull - before;
  if (size > RECORDER_RAW_FUNCTION_LINES)
    size = RECORDER_RAW_FUNCTION_LINES;
  uint8_t *to = told->bytes + RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE;
  return bpf_probe_read_user(to, size, (const void *)(parts + before)) == 0 ? size : 0;
}

/* The name as it is in the class file: of the class, a dot, and the method's. */
static __always_inline void hotspot_tell(struct walk *walk, const struct unnamed *unnamed, struct told *told)
{
  struct recorder_raw_function *function = &told->function;
  function->line = 0;
  function->name_width = function->file_width = 1;
  function->name_size = function->file_size = function->lines_size = 0;
  if (unnamed->file == 0) {
    long size = bpf_probe_read_user_str(told->bytes, RECORDER_RAW_FUNCTION_NAME, (const void *)unnamed->name);
    function->name_size = size > 0 ? size - 1 : 0;
    function->name_width = 0;
    return;
  }
  uint64_t pool = unnamed->lines, method = hotspot_item(walk, pool, unnamed->line);
  uint32_t size = recorder_copy_symbol(walk, told, unnamed->name, 0, HOTSPOT_CLASS_MAX);
  if (size > HOTSPOT_CLASS_MAX)
    return;
  told->bytes[size++] = '.';
  function->name_size = size + recorder_copy_symbol(walk, told, method, size, HOTSPOT_METHOD_MAX);
  function->file_size = recorder_copy_symbol(walk, told, hotspot_file(walk, pool), RECORDER_RAW_FUNCTION_NAME,
                                             RECORDER_RAW_FUNCTION_FILE);
  function->lines_size = recorder_copy_lines(walk, told, unnamed->file);
}

#endif
