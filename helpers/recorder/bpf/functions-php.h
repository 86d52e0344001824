/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PHP's functions: what tells one from another, and its name and file; lines are in its instructions. Part of
 * functions.h, which includes it. */
#ifndef RECORDER_BPF_FUNCTIONS_PHP_H
#define RECORDER_BPF_FUNCTIONS_PHP_H

/* Of a name, what its class has at most; "::" and the function's own name follow. */
#define PHP_CLASS_MAX 126

/* "{main}", as PHP itself calls a file's code. A literal would want a map of its own. */
#define PHP_MAIN      0x7d6e69616d7bull
#define PHP_MAIN_SIZE 6

/* Each object of a closure has a copy of the function: they are known by the instructions that they share. */
static __always_inline int php_identify(struct walk *walk, uint64_t function, struct unnamed *ret)
{
  ret->name = walk_language_word(walk, function, UNWIND_PHP_NAME);
  ret->lines = walk_language_word(walk, function, UNWIND_PHP_CLASS);
  if ((walk_language_word(walk, function, UNWIND_PHP_TYPE) & 0xff) != WALK_PHP_INTERNAL) {
    ret->file = walk_language_word(walk, function, UNWIND_PHP_FILE);
    ret->line = (uint32_t)walk_language_word(walk, function, UNWIND_PHP_FIRST_LINE);
    ret->key.code = walk_language_word(walk, function, UNWIND_PHP_OPCODES);
  }
  ret->key.check = check_unnamed(ret);
  return ret->name != 0 || ret->file != 0;
}

/* Copies a zend_string to told->bytes, at most `room` bytes; says how many. */
__noinline uint32_t recorder_copy_php(struct walk *walk, struct told *told, uint64_t text, uint32_t at,
                                      uint32_t room)
{
  if (!WALK_RUNS(walk, PHP) || text == 0)
    return 0;
  uint64_t size = walk_language_word(walk, text, UNWIND_PHP_TEXT_LENGTH);
  return recorder_copy_text(told, text + walk->runtime.fields[UNWIND_PHP_TEXT], size < room ? size : room,
                            at);
}

static __always_inline void php_tell(struct walk *walk, const struct unnamed *unnamed, struct told *told)
{
  struct recorder_raw_function *function = &told->function;
  uint64_t class = unnamed->lines == 0 ? 0 : walk_language_word(walk, unnamed->lines, UNWIND_PHP_CLASS_NAME);
  function->line = unnamed->line;
  function->name_width = function->file_width = 1;
  function->file_size =
      recorder_copy_php(walk, told, unnamed->file, RECORDER_RAW_FUNCTION_NAME, RECORDER_RAW_FUNCTION_FILE);
  uint32_t size = recorder_copy_php(walk, told, class, 0, PHP_CLASS_MAX);
  if (size > PHP_CLASS_MAX)
    return;
  if (size > 0) {
    told->bytes[size++] = ':';
    told->bytes[size++] = ':';
  }
  if (unnamed->name != 0) {
    function->name_size = size + recorder_copy_php(walk, told, unnamed->name, size,
                                                   RECORDER_RAW_FUNCTION_NAME - PHP_CLASS_MAX - 2);
  } else {
    const uint64_t text = PHP_MAIN;
    __builtin_memcpy(told->bytes, &text, PHP_MAIN_SIZE);
    function->name_size = PHP_MAIN_SIZE;
  }
}

#endif
