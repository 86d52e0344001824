/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What GCC's crtstuff.c puts at the beginning of .text of nearly every binary, x86-64 only:
 * deregister_tm_clones, register_tm_clones, __do_global_dtors_aux and frame_dummy, in this order. The first
 * and the last instructions that a program executes are often there, and fetch pages.
 */
#include "unwind/unwind-known-private.h"

#include <string.h>

#define ALIGNMENT 16u
/* deregister_tm_clones and register_tm_clones together have a hundred bytes. */
#define CLONES_MAX 160

struct reader {
  struct unwind_bytes bytes; /* from the function's beginning on */
  size_t at;
};

static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}, move[] = {0x48, 0x89, 0xe5};

static bool known_crtstuff_take(struct reader *reader, const uint8_t *code, size_t size)
{
  if (reader->bytes.size - reader->at < size || memcmp(reader->bytes.bytes + reader->at, code, size) != 0)
    return false;
  reader->at += size;
  return true;
}

static bool known_crtstuff_skip(struct reader *reader, size_t size)
{
  bool fits = reader->bytes.size - reader->at >= size;

  reader->at += fits ? size : 0;
  return fits;
}

#define TAKE(reader, ...)                                                                                    \
  known_crtstuff_take(reader, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

/* cmp $0, something(%rip), of a byte or a word. */
static bool take_comparison(struct reader *reader)
{
  return (TAKE(reader, 0x80, 0x3d) || TAKE(reader, 0x48, 0x83, 0x3d)) && known_crtstuff_skip(reader, 4) &&
         TAKE(reader, 0);
}

/* Where a call or a jump by 32 bits leads to, from the function's beginning. */
static bool take_target(struct reader *reader, uint8_t code, int64_t *ret)
{
  int32_t distance;

  if (!TAKE(reader, code) || reader->bytes.size - reader->at < sizeof distance)
    return false;
  memcpy(&distance, reader->bytes.bytes + reader->at, sizeof distance);
  reader->at += sizeof distance;
  *ret = (int64_t)reader->at + distance;
  return true;
}

/* In static programs: __deregister_frame_info, where that is linked in. */
static bool take_deregistering(struct reader *reader)
{
  int64_t deregister;

  return TAKE(reader, 0xb8) && known_crtstuff_skip(reader, 4) &&
         TAKE(reader, 0x48, 0x85, 0xc0, 0x74, 0x0a, 0xbf) && known_crtstuff_skip(reader, 4) &&
         take_target(reader, 0xe8, &deregister);
}

struct destructors {
  size_t pushed; /* behind push %rbp */
  size_t moved;  /* behind mov %rsp, %rbp */
  size_t popped; /* behind pop %rbp */
  size_t end;
  int64_t clones; /* deregister_tm_clones, before this */
};

/* __do_global_dtors_aux: does nothing the second time; calls __cxa_finalize in libraries, and
 * deregister_tm_clones. */
static bool read_destructors(struct reader *reader, struct destructors *ret)
{
  size_t done;
  int64_t finalize;

  known_crtstuff_take(reader, landing, sizeof landing);
  if (!take_comparison(reader) || !TAKE(reader, 0x75) || !known_crtstuff_skip(reader, 1))
    return false;
  done = reader->at + reader->bytes.bytes[reader->at - 1];
  if (!TAKE(reader, 0x55))
    return false;
  ret->pushed = reader->at;
  bool is_library = take_comparison(reader);
  if (!known_crtstuff_take(reader, move, sizeof move))
    return false;
  ret->moved = reader->at;
  if (is_library && (!TAKE(reader, 0x74, 0x0c) || !TAKE(reader, 0x48, 0x8b, 0x3d) ||
                     !known_crtstuff_skip(reader, 4) || !take_target(reader, 0xe8, &finalize)))
    return false;
  if (!take_target(reader, 0xe8, &ret->clones))
    return false;
  size_t called = reader->at;
  if (!take_deregistering(reader))
    reader->at = called;
  if (!TAKE(reader, 0xc6, 0x05) || !known_crtstuff_skip(reader, 4) || !TAKE(reader, 0x01, 0x5d))
    return false;
  ret->popped = reader->at;
  if (!TAKE(reader, 0xc3) || done < reader->at || !known_crtstuff_skip(reader, done - reader->at) ||
      !TAKE(reader, 0xc3))
    return false;
  ret->end = reader->at;
  return ret->clones < 0 && ret->clones >= -CLONES_MAX;
}

/* frame_dummy comes next and does nothing but jump back to register_tm_clones. */
static void read_dummy(struct reader *reader, struct destructors *destructors)
{
  size_t start = (destructors->end + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  int64_t target;

  reader->at = start;
  if (start > reader->bytes.size)
    return;
  known_crtstuff_take(reader, landing, sizeof landing);
  if (TAKE(reader, 0xeb) && known_crtstuff_skip(reader, 1))
    target = (int64_t)reader->at + (int8_t)reader->bytes.bytes[reader->at - 1];
  else if (!take_target(reader, 0xe9, &target))
    return;
  if (target >= destructors->clones && target < 0)
    destructors->end = reader->at;
}

uint32_t unwind_known_find_crtstuff(const struct unwind_elf *elf, struct unwind_known *ret)
{
  struct unwind_rule called = unwind_known_called, pushed = called, moved;
  struct reader reader = {.at = 0};
  struct destructors destructors;
  struct unwind_bytes array;
  Elf64_Shdr section;
  uint64_t start;

  /* The first of those functions that a binary calls last. */
  if (!unwind_elf_find_section(elf, ".fini_array", &section) ||
      !unwind_elf_section_bytes(elf, &section, &array) || array.size < sizeof start)
    return 0;
  memcpy(&start, array.bytes, sizeof start);
  if (start % ALIGNMENT != 0 || start < CLONES_MAX || !unwind_elf_find_address(elf, start, &reader.bytes) ||
      !read_destructors(&reader, &destructors))
    return 0;
  read_dummy(&reader, &destructors);

  pushed.cfa_offset = 16;
  pushed.fp_at = -2;
  pushed.saved = UNWIND_SAVED(UNWIND_SAVED_AT_CFA, UNWIND_SAVED_SAME, UNWIND_SAVED_AT_CFA);
  moved = pushed;
  moved.cfa = UNWIND_CFA_FP;
  ret[0] = (struct unwind_known){{start + (uint64_t)destructors.clones, start + destructors.pushed},
                                 unwind_state_from_rule(called)};
  ret[1] = (struct unwind_known){{start + destructors.pushed, start + destructors.moved},
                                 unwind_state_from_rule(pushed)};
  ret[2] = (struct unwind_known){{start + destructors.moved, start + destructors.popped},
                                 unwind_state_from_rule(moved)};
  ret[3] = (struct unwind_known){{start + destructors.popped, start + destructors.end},
                                 unwind_state_from_rule(called)};
  return 4;
}
