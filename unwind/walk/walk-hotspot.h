/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HotSpot's frames: see enum unwind_hotspot_field. Its machine code is described by no table but by its own
 * blobs, so this goes from frame to frame itself, and delivers in the place of each the methods that it runs:
 * of compiled code those that were inlined, too. x86-64 only. Part of walk-language.h, which includes it.
 */
#ifndef WALK_HOTSPOT_H
#define WALK_HOTSPOT_H

/* Not an end: the frame is none of HotSpot's machine code. */
#define WALK_NOT_OURS 127

/* What of a stub's frame is looked at, in words. */
#define WALK_HOTSPOT_STUB_MAX 24
/* Bytes of the instructions that make a frame. */
#define WALK_HOTSPOT_PROLOGUE 64

/* From here on numbers of scopes have no byte 0. */
#define WALK_HOTSPOT_NO_ZERO 20
/* From here on an nmethod's metadata lie apart. */
#define WALK_HOTSPOT_APART 25

/* An interpreted frame, in bytes from rbp (frame_x86.hpp). */
#define WALK_HOTSPOT_SENDER_SP -8
#define WALK_HOTSPOT_METHOD    -24
#define WALK_HOTSPOT_AT        -64
/* The frame of the stub that calls Java. */
#define WALK_HOTSPOT_SAVED_BASE -56

/* Of what is remembered, the addresses of scopes, and of methods and blobs. */
#define WALK_HOTSPOT_SCOPE    (1ull << 56)
#define WALK_HOTSPOT_FUNCTION (2ull << 56)

/* Says that what is to be named is a blob, not a method: both are aligned. */
#define WALK_HOTSPOT_BLOB 1

#include "unwind/walk/walk-hotspot-blob.h"

/* ── From a frame to its caller ───────────────────────────────────────────────────────────────────────── */

WALK_INLINE int walk_hotspot_is_inside(const struct walk *walk, uint64_t address)
{
  return address >= walk->hotspot.low && address < walk->hotspot.high;
}

/* Whether a frame may have this return address. */
WALK_INLINE int walk_hotspot_is_return(struct walk *walk, uint64_t address)
{
  return walk_is_code(address) &&
         (walk_hotspot_is_inside(walk, address) || walk_find_mapping(walk, address - 1));
}

/* Goes to the caller whose return address stands at `at`, and whose fp is at `fp_at`; 0: it was not saved. */
WALK_FUNCTION int walk_hotspot_return(struct walk *walk, uint64_t at, uint64_t fp_at)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return WALK_UNSUPPORTED;
  if (at < walk->registers.sp || (at & 7) != 0)
    return WALK_BAD_FRAME;
  uint64_t ip = walk_hotspot_word(walk, at);
  if (ip == 0)
    return WALK_UNREADABLE;
  if (!walk_hotspot_is_return(walk, ip))
    return WALK_NO_TABLE;
  walk->flags &= WALK_KNOWN_FP;
  if (fp_at != 0) {
    walk->registers.fp = walk_hotspot_word(walk, fp_at);
    walk->flags = WALK_KNOWN_FP;
  }
  walk->registers.ip = ip;
  walk->registers.sp = at + 8;
  return 0;
}

/* The instructions that make a frame, from `entry` up to ip: how many bytes they have put below the return
 * address, with bit 0 when fp is the first word of these. */
WALK_FUNCTION uint64_t walk_hotspot_prologue(struct walk *walk, uint64_t entry)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return 0;
  uint64_t size = 0, saved = 0, at = entry;
  for (uint32_t i = 0; i < 8 && at < walk->registers.ip; i++) {
    uint64_t bytes = walk_hotspot_bytes(walk, at);
    uint32_t one = bytes & 0xff, three = bytes & 0xffffff, four = (uint32_t)bytes;
    if (one == 0x55) { /* push rbp */
      size += 8;
      saved = 1;
      at += 1;
    } else if (three == 0xec8b48 || three == 0xe58948) { /* mov rbp, rsp */
      at += 3;
    } else if (three == 0xec8348) { /* sub rsp */
      size += bytes >> 24 & 0x7f;
      at += 4;
    } else if (three == 0xec8148) {
      size += bytes >> 24 & 0x7fffffff;
      at += 7;
    } else if (three == 0x248489) { /* mov of eax to far below rsp */
      at += 7;
    } else if (four == 0x246c8948) { /* mov of rbp to above rsp */
      saved = 1;
      at += 5;
    } else if (four == 0x24ac8948) {
      saved = 1;
      at += 8;
    } else if (four == 0x00441f0f) { /* nop */
      at += 5;
    } else {
      break;
    }
  }
  return size | saved;
}

/* The length of the instruction by which a method looks, at its end, whether it is to stop; 0: it is another.
 */
WALK_INLINE uint32_t walk_hotspot_poll(uint64_t bytes)
{
  uint32_t two = bytes & 0xffff, three = bytes & 0xffffff;
  if (three == 0xa73b49 || three == 0x978b4d) /* cmp rsp, [r15 + …]; mov r10, [r15 + …] */
    return 7;
  if (three == 0x673b49 || three == 0x578b4d)
    return 4;
  if (three == 0x028541) /* test [r10], eax */
    return 3;
  return two == 0x870f || two == 0x0585 ? 6 : 0; /* ja; test eax, [rip + …] */
}

/* Where the frame is being taken down already: goes to the caller; WALK_NOT_OURS where it is not. */
WALK_FUNCTION int walk_hotspot_epilogue(struct walk *walk)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return WALK_NOT_OURS;
  uint64_t at = walk->registers.ip, sp = walk->registers.sp, fp_at = 0;
  for (uint32_t i = 0; i < 6; i++) {
    uint64_t bytes = walk_hotspot_bytes(walk, at);
    uint32_t length = walk_hotspot_poll(bytes);
    if ((bytes & 0xff) == 0xc3)
      return walk_hotspot_return(walk, sp, fp_at);
    if ((bytes & 0xff) == 0x5d) {
      fp_at = sp;
      sp += 8;
      length = 1;
    } else if ((bytes & 0xffffff) == 0x77f8c5) { /* vzeroupper */
      length = 3;
    }
    if (length == 0)
      return WALK_NOT_OURS;
    at += length;
  }
  return WALK_NOT_OURS;
}

/* Whether the code cache has a call before the address, or the interpreter: it pushes the addresses to which
 * methods return. */
WALK_FUNCTION int walk_hotspot_is_called(struct walk *walk, uint64_t address)
{
  if (!WALK_RUNS(walk, HOTSPOT) || !walk_hotspot_is_inside(walk, address))
    return 0;
  if (address - walk->hotspot.interpreter < walk->hotspot.interpreter_size)
    return 1;
  uint64_t before = walk_hotspot_bytes(walk, address - 8);
  return (before >> 24 & 0xff) == 0xe8 ||     /* call */
         (before >> 48 & 0x38ff) == 0x10ff || /* call of a register, or of what it points to */
         (before >> 40 & 0x38ff) == 0x10ff || /* … with 8 bits */
         (before >> 16 & 0x38ff) == 0x10ff;   /* … with 32 bits */
}

/* Of a frame that has the form of a compiled method's and is interrupted, or has called a stub: where its
 * return address stands, and in bit 0 whether fp does below; 0: the frame is whole. */
WALK_FUNCTION uint64_t walk_hotspot_look(struct walk *walk, uint64_t top)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return 0;
  uint64_t blob = walk->hotspot.blob, ip = walk->registers.ip, sp = walk->registers.sp;
  uint64_t code = walk_hotspot_code(walk, blob), entry = code;
  if (walk->hotspot.kind == WALK_HOTSPOT_NMETHOD) {
    entry = walk_hotspot_get(walk, blob, UNWIND_HOTSPOT_NMETHOD_ENTRY);
    if (walk->runtime.version >= WALK_HOTSPOT_OFFSETS)
      entry = code + (entry & 0xffff);
  }
  if ((walk->flags & WALK_EXACT) != 0 && ip >= code && ip < entry + WALK_HOTSPOT_PROLOGUE) {
    uint64_t made = walk_hotspot_prologue(walk, entry);
    if (sp + (made & ~7ull) + 8 < top)
      return sp + made;
  }
  /* Some of what C2 puts together pushes a word, as C1 does two to call some stubs; and what is put behind a
   * method so that it can call others has no frame. */
  for (uint32_t i = 0; i < 3; i++)
    if (walk_hotspot_is_called(walk, walk_hotspot_word(walk, top - 8 + i * 8)))
      return (top - 8 + i * 8) | 1;
  return walk_hotspot_is_called(walk, walk_hotspot_word(walk, sp)) ? sp : 0;
}

/* Of a frame that has the form of a compiled method's. */
WALK_FUNCTION int walk_hotspot_apply_frame(struct walk *walk)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return WALK_UNSUPPORTED;
  uint64_t sp = walk->registers.sp;
  uint64_t top = sp + (uint64_t)walk->hotspot.size * 8;
  int end = WALK_NOT_OURS, exact = (walk->flags & WALK_EXACT) != 0;
  if (exact && (end = walk_hotspot_epilogue(walk)) != WALK_NOT_OURS)
    return end;
  if (exact || walk->hotspot.is_stub) {
    uint64_t at = walk_hotspot_look(walk, top);
    if (at != 0)
      return walk_hotspot_return(walk, at & ~1ull, (at & 1) != 0 ? (at & ~1ull) - 8 : 0);
  }
  return top < sp + 16 ? walk_hotspot_return(walk, sp, 0) : walk_hotspot_return(walk, top - 8, top - 16);
}

/* Of an interpreted frame: whose function is walk->language.frame then, `entry` units from its beginning.
 * WALK_NOT_OURS: it is not made yet, or not any more. */
WALK_FUNCTION int walk_hotspot_apply_interpreted(struct walk *walk)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return WALK_UNSUPPORTED;
  uint64_t fp = walk->registers.fp;
  if ((walk->flags & WALK_KNOWN_FP) == 0 || fp < walk->registers.sp || (fp & 7) != 0)
    return WALK_NOT_OURS;
  uint64_t method = walk_hotspot_word(walk, fp + (uint64_t)WALK_HOTSPOT_METHOD);
  uint64_t at = walk_hotspot_word(walk, fp + (uint64_t)WALK_HOTSPOT_AT);
  uint64_t sender = walk_hotspot_word(walk, fp + (uint64_t)WALK_HOTSPOT_SENDER_SP);
  uint64_t code = walk_hotspot_get(walk, method, UNWIND_HOTSPOT_METHOD_CONST);
  uint32_t size = walk_hotspot_get(walk, code, UNWIND_HOTSPOT_CONST_CODE_SIZE) & 0xffff;
  code += walk->runtime.fields[UNWIND_HOTSPOT_CONST_CODE];
  /* The innermost frame has it in r13, too, and newer. */
  if ((walk->flags & WALK_EXACT) != 0 && walk->registers.general[13] - code < size)
    at = walk->registers.general[13];
  if (sender <= fp || (size != 0 && at - code >= size))
    return WALK_NOT_OURS;
  int end = walk_hotspot_return(walk, fp + 8, fp);
  if (end != 0)
    return end;
  walk->registers.sp = sender;
  walk->language.frame = method;
  walk->language.entry = size != 0 ? at - code : WALK_WORD_AT_NONE;
  return 0;
}

/* Of the stub that calls Java, to the one who calls it. */
WALK_INLINE int walk_hotspot_apply_call(struct walk *walk)
{
  uint64_t fp = walk->registers.fp;
  if ((walk->flags & WALK_KNOWN_FP) == 0)
    return WALK_NO_TABLE;
  uint64_t base = walk_hotspot_word(walk, fp + (uint64_t)WALK_HOTSPOT_SAVED_BASE);
  int end = walk_hotspot_return(walk, fp + 8, fp);
  if (end != 0)
    return end;
  walk->registers.base = base;
  walk->flags |= WALK_KNOWN_BASE;
  return 0;
}

/* Of code whose frame nothing describes: fp leads to its frame, or it has not made one. */
WALK_FUNCTION int walk_hotspot_apply_stub(struct walk *walk)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return WALK_UNSUPPORTED;
  uint64_t sp = walk->registers.sp, fp = (walk->flags & WALK_KNOWN_FP) != 0 ? walk->registers.fp : 0;
  uint64_t above = sp + walk->runtime.fields[UNWIND_HOTSPOT_CONTINUATION];
  int exact = (walk->flags & WALK_EXACT) != 0, has_fp = fp >= sp && (fp & 7) == 0;
  /* What returns to a continuation's end finds its entry there. */
  if (!exact && above != sp && walk_hotspot_is_called(walk, walk_hotspot_word(walk, above + 8)))
    return walk_hotspot_return(walk, above + 8, above);
  if (!exact && has_fp && walk_hotspot_is_called(walk, walk_hotspot_word(walk, fp + 8)))
    return walk_hotspot_return(walk, fp + 8, fp);
  /* The one that every new method may call has a word more. */
  if (!exact && has_fp && walk_hotspot_is_called(walk, walk_hotspot_word(walk, fp + 16)))
    return walk_hotspot_return(walk, fp + 16, fp);
  for (uint32_t i = 0; i < WALK_HOTSPOT_STUB_MAX; i++)
    if (walk_hotspot_is_called(walk, walk_hotspot_word(walk, sp + i * 8)))
      return walk_hotspot_return(walk, sp + i * 8, fp + 8 == sp + i * 8 ? fp : 0);
  return has_fp ? walk_hotspot_return(walk, fp + 8, fp) : WALK_NO_TABLE;
}

/* ── What it runs ─────────────────────────────────────────────────────────────────────────────────────── */

/* A number of the scopes: its value, and in the upper half how many bytes it takes. */
WALK_FUNCTION uint64_t walk_hotspot_number(struct walk *walk, uint64_t at)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return 0;
  uint32_t value = 0, least = walk->runtime.version >= WALK_HOTSPOT_NO_ZERO;
  uint64_t bytes = walk_hotspot_bytes(walk, at);
  for (uint32_t i = 0; i < 5; i++) {
    uint32_t byte = bytes & 0xff;
    value += (byte - least) << 6 * i;
    if (byte < 192 || i == 4)
      return value | (uint64_t)(i + 1) << 32;
    bytes >>= 8;
  }
  return value;
}

WALK_INLINE uint64_t walk_hotspot_metadata(struct walk *walk, uint64_t blob)
{
  uint64_t at = walk_hotspot_get(walk, blob, UNWIND_HOTSPOT_NMETHOD_METADATA);
  if (walk->runtime.version < WALK_HOTSPOT_OFFSETS)
    return blob + (uint32_t)at;
  if (walk->runtime.version < WALK_HOTSPOT_APART)
    return blob + walk_hotspot_int(walk, blob, UNWIND_HOTSPOT_BLOB_DATA) + (at & 0xffff);
  at = walk_hotspot_int(walk, blob, UNWIND_HOTSPOT_BLOB_RELOCATIONS);
  return walk_hotspot_get(walk, blob, UNWIND_HOTSPOT_BLOB_APART) + ((at + 7) & ~7ull);
}

/* Sets language.word to the method of an nmethod's scope; says which scope has called it, 0: none has. */
WALK_FUNCTION uint32_t walk_hotspot_name(struct walk *walk, uint64_t scope)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return 0;
  uint64_t blob = walk->language.frame, scopes, method, at = WALK_WORD_AT_NONE;
  uint32_t next = 0;
  if (scope == 0) {
    method = walk_hotspot_get(walk, blob, UNWIND_HOTSPOT_NMETHOD_METHOD);
  } else {
    scopes = walk_hotspot_get(walk, blob, UNWIND_HOTSPOT_NMETHOD_SCOPES);
    if (walk->runtime.version >= WALK_HOTSPOT_OFFSETS)
      scopes = walk_hotspot_get(walk, blob, UNWIND_HOTSPOT_NMETHOD_FIXED) + (uint32_t)scopes;
    scopes += scope;
    uint64_t number = walk_hotspot_number(walk, scopes);
    next = (uint32_t)number;
    scopes += number >> 32;
    method = walk_hotspot_number(walk, scopes);
    scopes += method >> 32;
    at = walk_hotspot_number(walk, scopes) & 0xffffffff;
    if ((uint32_t)method != 0)
      method = walk_hotspot_word(walk, walk_hotspot_metadata(walk, blob) + ((uint32_t)method - 1) * 8ull);
  }
  walk->language.word = WALK_NAME(walk, method, (int64_t)(int32_t)at - 1);
  /* Callers are described before those whom they call. */
  return next < scope ? next : 0;
}

/* Sets language.word to the next method that the compiled code runs there: the innermost one first. What the
 * scope says is remembered as long as the nmethod is the same compilation's, which keeps its methods. */
WALK_FUNCTION int walk_hotspot_deliver(struct walk *walk)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return 0;
  uint32_t scope = (uint32_t)walk->language.entry, next;
  uint64_t address = walk->language.frame + scope + WALK_HOTSPOT_SCOPE;
  struct walk_frame_memo *memo = walk_hotspot_recall(walk, address);
  if (memo && memo->check == walk->hotspot.check && memo->scope == scope) {
    walk->language.word = memo->word;
    next = memo->next;
  } else {
    next = walk_hotspot_name(walk, scope);
    memo = WALK_FRAME_MEMO(walk, address);
    if (memo && WALK_WORD_FUNCTION(walk->language.word) != 0) {
      memo->address = address;
      memo->word = walk->language.word;
      memo->generation = walk->process.generation;
      memo->check = walk->hotspot.check;
      memo->scope = scope;
      memo->next = next;
    }
  }
  walk->language.entry = next;
  walk->language.state = next != 0 ? WALK_LANGUAGE_CALL : WALK_LANGUAGE_READY;
  return 0;
}

/* Goes to the caller; 0, or the enum walk_end for which the frame is the last one. */
WALK_INLINE int walk_hotspot_apply(struct walk *walk)
{
  uint32_t kind = walk->hotspot.kind;
  if (kind == WALK_HOTSPOT_INTERPRETER) {
    int end = walk_hotspot_apply_interpreted(walk);
    return end != WALK_NOT_OURS ? end : walk_hotspot_apply_stub(walk);
  }
  if (kind == WALK_HOTSPOT_NMETHOD || kind == WALK_HOTSPOT_FRAME) {
    int end = walk_hotspot_apply_frame(walk);
    return end != WALK_NO_TABLE || kind == WALK_HOTSPOT_NMETHOD ? end : walk_hotspot_apply_stub(walk);
  }
  return walk->registers.ip == walk->hotspot.call ? walk_hotspot_apply_call(walk)
                                                  : walk_hotspot_apply_stub(walk);
}

/* Sets language.word to a method that is interpreted, or to a blob, `at` units from its beginning. Its number
 * is remembered. */
WALK_INLINE void walk_hotspot_deliver_function(struct walk *walk, uint64_t function, uint64_t at)
{
  uint64_t address = function | WALK_HOTSPOT_FUNCTION;
  uint64_t parts =
      (function & WALK_HOTSPOT_BLOB) != 0 ? 0 : walk_hotspot_get(walk, function, UNWIND_HOTSPOT_METHOD_CONST);
  struct walk_frame_memo *memo = walk_hotspot_recall(walk, address);
  if (memo && memo->code == parts) {
    uint64_t place = at < WALK_WORD_AT_NONE - 1 ? at + 1 : WALK_WORD_AT_NONE;
    walk->language.word = WALK_WORD(WALK_WORD_FUNCTION(memo->word), place);
    return;
  }
  walk->language.word = WALK_NAME(walk, function, (int64_t)at);
  memo = WALK_FRAME_MEMO(walk, address);
  if (!memo || WALK_WORD_FUNCTION(walk->language.word) == 0)
    return;
  memo->address = address;
  memo->code = parts;
  memo->word = walk->language.word;
  memo->generation = walk->process.generation;
}

/* As walk_next, of a frame of HotSpot's machine code: delivers language.word. WALK_NOT_OURS: it is none. */
WALK_FUNCTION int walk_hotspot_step(struct walk *walk)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return WALK_UNSUPPORTED;
  if (walk->machine != WALK_X86_64 ||
      (walk->hotspot.generation != walk->process.generation && !walk_hotspot_learn(walk))) {
    walk->language.state = WALK_LANGUAGE_NONE;
    return WALK_NOT_OURS;
  }
  if (!walk_hotspot_is_inside(walk, walk->registers.ip) || !walk_hotspot_find(walk)) {
    walk->hotspot.is_stub = 0;
    return WALK_NOT_OURS;
  }
  walk->language.frame = 0;
  int end = walk_hotspot_apply(walk);
  walk->hotspot.is_stub = walk->hotspot.kind == WALK_HOTSPOT_STUB;
  if (walk->hotspot.kind == WALK_HOTSPOT_NMETHOD) {
    walk->language.end = end;
    walk->language.frame = walk->hotspot.blob;
    walk->language.entry = walk->hotspot.scope;
    walk_hotspot_deliver(walk);
    return walk->language.state == WALK_LANGUAGE_CALL ? 0 : end;
  }
  if (walk->language.frame != 0)
    walk_hotspot_deliver_function(walk, walk->language.frame, walk->language.entry);
  else
    walk_hotspot_deliver_function(walk, walk->hotspot.blob | WALK_HOTSPOT_BLOB, WALK_WORD_AT_NONE);
  return end;
}

#endif
