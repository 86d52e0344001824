/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPython's code objects: what tells one from another, and its name, file and lines. Part of functions.h,
 * which includes it. */
#ifndef RECORDER_BPF_FUNCTIONS_PYTHON_H
#define RECORDER_BPF_FUNCTIONS_PYTHON_H

/* A word of the code object. */
static __always_inline uint64_t python_field(struct walk *walk, uint32_t field)
{
  uint32_t index = (uint32_t)(walk->runtime.fields[field] - walk->runtime.fields[UNWIND_PYTHON_TYPE]) / 8;
  return index < PIECE_WORDS ? walk->memory.piece[index] : 0;
}

/* Reads what tells a code object from others. False: it is none, or one of those that CPython runs around
 * others, whose file has the function's name. */
static __always_inline int python_identify(struct walk *walk, uint64_t code, struct unnamed *ret)
{
  uint64_t from = code + walk->runtime.fields[UNWIND_PYTHON_TYPE];
  if (bpf_probe_read_user(walk->memory.piece, sizeof walk->memory.piece, (const void *)from) != 0 ||
      (walk->runtime.type != 0 && walk->memory.piece[0] != walk->runtime.type + walk->language.bias))
    return 0;
  ret->line = (uint32_t)(python_field(walk, UNWIND_PYTHON_FIRST_LINE) >>
                         (walk->runtime.fields[UNWIND_PYTHON_FIRST_LINE] & 7) * 8);
  ret->name = python_field(walk, UNWIND_PYTHON_NAME);
  ret->file = python_field(walk, UNWIND_PYTHON_FILE);
  ret->lines = python_field(walk, UNWIND_PYTHON_LINES);
  ret->key.check = check_unnamed(ret);
  return ret->name != ret->file;
}

static __always_inline uint64_t python_word(struct walk *walk, uint64_t object, uint32_t field)
{
  uint64_t word = 0;
  bpf_probe_read_user(&word, sizeof word, (const void *)(object + walk->runtime.fields[field]));
  return word;
}

#define KIND_BITS  7
#define IS_COMPACT 8
#define IS_ASCII   16

/* Copies a str's characters as they are, at most `room` bytes (a power of two); says how many bytes, and in
 * *ret_width how many each has. */
static __always_inline uint32_t python_copy_str(struct walk *walk, uint64_t address, uint8_t *to,
                                                uint32_t room, uint8_t *ret_width)
{
  uint64_t state = python_word(walk, address, UNWIND_PYTHON_TEXT_STATE) >>
                   (walk->runtime.fields[UNWIND_PYTHON_TEXT_KIND] & 31);
  uint64_t length = python_word(walk, address, UNWIND_PYTHON_TEXT_LENGTH);
  *ret_width = 1;
  uint32_t width = state & KIND_BITS;
  if ((state & IS_COMPACT) == 0 || (width != 1 && width != 2 && width != 4))
    return 0;
  uint32_t from =
      walk->runtime.fields[(state & IS_ASCII) != 0 ? UNWIND_PYTHON_TEXT_ASCII : UNWIND_PYTHON_TEXT_OTHER];
  uint64_t size = length < room ? length * width : room;
  if (size > room)
    size = room;
  *ret_width = (state & IS_ASCII) != 0 ? 0 : width;
  return bpf_probe_read_user(to, size, (const void *)(address + from)) == 0 ? size : 0;
}

/* A bytes object's; nothing if it is larger than `room`. */
static __always_inline uint32_t python_copy_bytes(struct walk *walk, uint64_t address, uint8_t *to,
                                                  uint32_t room)
{
  uint64_t size = python_word(walk, address, UNWIND_PYTHON_BYTES_SIZE);
  const void *from = (const void *)(address + walk->runtime.fields[UNWIND_PYTHON_BYTES_DATA]);
  return size <= room && bpf_probe_read_user(to, size, from) == 0 ? size : 0;
}

static __always_inline void python_tell(struct walk *walk, const struct unnamed *unnamed, struct told *told)
{
  told->function.line = unnamed->line;
  told->function.name_size = python_copy_str(walk, unnamed->name, told->bytes, RECORDER_RAW_FUNCTION_NAME,
                                             &told->function.name_width);
  told->function.file_size = python_copy_str(walk, unnamed->file, told->bytes + RECORDER_RAW_FUNCTION_NAME,
                                             RECORDER_RAW_FUNCTION_FILE, &told->function.file_width);
  told->function.lines_size = python_copy_bytes(
      walk, unnamed->lines, told->bytes + RECORDER_RAW_FUNCTION_NAME + RECORDER_RAW_FUNCTION_FILE,
      RECORDER_RAW_FUNCTION_LINES);
}

#endif
