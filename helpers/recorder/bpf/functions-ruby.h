/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ruby's functions: what tells one from another, and its name and file; lines are in the walk. A function is
 * known by its instruction sequence. Part of functions.h, which includes it. */
#ifndef RECORDER_BPF_FUNCTIONS_RUBY_H
#define RECORDER_BPF_FUNCTIONS_RUBY_H

#define RUBY_TYPE        0x1f /* of an object's flags, which it begins with */
#define RUBY_STRING      5
#define RUBY_ARRAY       7
#define RUBY_BIT         (1u << 13) /* of strings: they do not hold their text; of arrays: they do */
#define RUBY_LENGTH      14         /* of strings that do, before 3.3: its lowest bit */
#define RUBY_LENGTH_MASK 31

static __always_inline int ruby_identify(struct walk *walk, uint64_t code, struct unnamed *ret)
{
  uint64_t body = walk_language_word(walk, code, UNWIND_RUBY_BODY);
  ret->name = walk_language_word(walk, body, UNWIND_RUBY_NAME);
  ret->file = walk_language_word(walk, body, UNWIND_RUBY_FILE);
  ret->line = (uint32_t)walk_language_word(walk, body, UNWIND_RUBY_FIRST_LINE) >>
              (walk->runtime.fields[UNWIND_RUBY_FIRST_LINE_BITS] & 31);
  ret->lines = walk_language_word(walk, body, UNWIND_RUBY_LINES);
  ret->key.check = check_unnamed(ret);
  return ret->name != 0;
}

static __always_inline uint64_t ruby_flags(struct walk *walk, uint64_t object)
{
  return object < WALK_ADDRESS_MIN || (object & 7) != 0 ? 0 : WALK_PEEK(walk, object);
}

/* Copies a string's text to told->bytes, at most `room` bytes; says how many. */
__noinline uint32_t recorder_copy_ruby(struct walk *walk, struct told *told, uint64_t text, uint32_t at,
                                       uint32_t room)
{
  if (!WALK_RUNS(walk, RUBY))
    return 0;
  uint64_t flags = ruby_flags(walk, text);
  if ((flags & RUBY_TYPE) != RUBY_STRING)
    return 0;
  uint32_t own = walk->runtime.fields[UNWIND_RUBY_TEXT];
  uint64_t size = walk_language_word(walk, text, UNWIND_RUBY_TEXT_LENGTH);
  if ((flags & RUBY_BIT) == 0 && own == walk->runtime.fields[UNWIND_RUBY_TEXT_LENGTH])
    size = flags >> RUBY_LENGTH & RUBY_LENGTH_MASK;
  text = (flags & RUBY_BIT) != 0 ? walk_language_word(walk, text, UNWIND_RUBY_TEXT_ADDRESS) : text + own;
  return recorder_copy_text(told, text, size < room ? size : room, at);
}

/* The path by which the file was loaded, which is followed by the real one. */
static __always_inline uint64_t ruby_path(struct walk *walk, uint64_t file)
{
  uint64_t flags = ruby_flags(walk, file);
  if ((flags & RUBY_TYPE) != RUBY_ARRAY)
    return file;
  uint64_t items = (flags & RUBY_BIT) != 0 ? file + walk->runtime.fields[UNWIND_RUBY_ARRAY]
                                           : walk_language_word(walk, file, UNWIND_RUBY_ARRAY_ADDRESS);
  return items < WALK_ADDRESS_MIN ? 0 : WALK_PEEK(walk, items & ~7ull);
}

static __always_inline void ruby_tell(struct walk *walk, const struct unnamed *unnamed, struct told *told)
{
  struct recorder_raw_function *function = &told->function;
  function->line = unnamed->line;
  function->name_width = function->file_width = 1;
  function->name_size = recorder_copy_ruby(walk, told, unnamed->name, 0, RECORDER_RAW_FUNCTION_NAME);
  function->file_size = recorder_copy_ruby(walk, told, ruby_path(walk, unnamed->file),
                                           RECORDER_RAW_FUNCTION_NAME, RECORDER_RAW_FUNCTION_FILE);
}

#endif
