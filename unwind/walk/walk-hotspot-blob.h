/* SPDX-License-Identifier: BSD-2-Clause */
/* HotSpot's machine code: from an address to the blob that holds it, and to where what runs there is
 * described. Part of walk-hotspot.h, which includes it. */
#ifndef WALK_HOTSPOT_BLOB_H
#define WALK_HOTSPOT_BLOB_H

#define WALK_HOTSPOT_HEAPS_MAX 4
/* Steps back in the map of segments; each is as long as a byte can say. */
#define WALK_HOTSPOT_STEPS_MAX 64
/* Of the number of PcDescs: a power of two. */
#define WALK_HOTSPOT_PLACES_SHIFT 18
#define WALK_HOTSPOT_PLACE_SIZE   16
/* A stub's frame at most, if it has the form of a compiled method's; those of other forms say -1. */
#define WALK_HOTSPOT_FRAME_MAX 0xffff

/* The version from which on nmethods have offsets for addresses. */
#define WALK_HOTSPOT_OFFSETS 23

enum walk_hotspot_kind {
  WALK_HOTSPOT_NONE,
  WALK_HOTSPOT_NMETHOD,     /* a compiled method */
  WALK_HOTSPOT_INTERPRETER, /* its frames have a form of their own */
  WALK_HOTSPOT_FRAME,       /* a stub with a frame as a compiled method's */
  WALK_HOTSPOT_STUB         /* any other code: most has no frame, or one that rbp leads to */
};

/* What begins there: as many bytes as its word has from there on. 0 where nothing can be read. */
WALK_INLINE uint64_t walk_hotspot_word(struct walk *walk, uint64_t at)
{
  return WALK_PEEK(walk, at & ~7ull) >> (at & 7) * 8;
}

/* Eight bytes, wherever they begin. */
WALK_INLINE uint64_t walk_hotspot_bytes(struct walk *walk, uint64_t at)
{
  uint64_t low = WALK_PEEK(walk, at & ~7ull), high = WALK_PEEK(walk, (at + 7) & ~7ull);
  return low >> (at & 7) * 8 | high << (-at & 7) * 8;
}

/* A field of a structure: its low bits are what the field has. */
WALK_INLINE uint64_t walk_hotspot_get(struct walk *walk, uint64_t structure, uint32_t field)
{
  return walk_hotspot_word(walk, structure + walk->hotspot.fields[field]);
}

WALK_INLINE uint32_t walk_hotspot_int(struct walk *walk, uint64_t structure, uint32_t field)
{
  return (uint32_t)walk_hotspot_get(walk, structure, field);
}

/* Reads where the heaps are. They never move, but are made one after the other. */
WALK_FUNCTION int walk_hotspot_learn_heaps(struct walk *walk)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return 0;
  uint64_t array = walk_hotspot_word(walk, walk->runtime.address + walk->language.bias);
  uint32_t n = walk_hotspot_int(walk, array, UNWIND_HOTSPOT_ARRAY_LENGTH);
  uint64_t heaps = walk_hotspot_get(walk, array, UNWIND_HOTSPOT_ARRAY_DATA);
  for (uint32_t i = 0; i < WALK_HOTSPOT_HEAPS_MAX; i++) {
    walk->hotspot.heaps[i].low = walk->hotspot.heaps[i].high = 0;
    if (i >= n)
      continue;
    uint64_t heap = walk_hotspot_word(walk, heaps + i * 8);
    uint64_t memory = heap + walk->hotspot.fields[UNWIND_HOTSPOT_HEAP_MEMORY];
    walk->hotspot.heaps[i].segments = walk_hotspot_get(
        walk, heap + walk->hotspot.fields[UNWIND_HOTSPOT_HEAP_SEGMENTS], UNWIND_HOTSPOT_SPACE_LOW);
    walk->hotspot.heaps[i].shift = walk_hotspot_int(walk, heap, UNWIND_HOTSPOT_HEAP_SHIFT) & 31;
    walk->hotspot.heaps[i].low = walk_hotspot_get(walk, memory, UNWIND_HOTSPOT_SPACE_LOW);
    walk->hotspot.heaps[i].high = walk_hotspot_get(walk, memory, UNWIND_HOTSPOT_SPACE_HIGH);
  }
  return 1;
}

/* Reads what the process says of its fields, once. */
WALK_FUNCTION int walk_hotspot_learn(struct walk *walk)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return 0;
  walk->hotspot.generation = 0;
  walk->hotspot.interpreter_size = walk->hotspot.name = 0;
  uint64_t names = walk->runtime.names + walk->language.bias;
  for (uint32_t i = 0; i < UNWIND_HOTSPOT_READ; i++) {
    uint64_t entry = walk->runtime.fields[i];
    walk->hotspot.fields[i] = 0;
    if (entry != 0)
      walk->hotspot.fields[i] = (uint16_t)walk_hotspot_word(
          walk, names + (entry - 1) * UNWIND_HOTSPOT_ENTRY_SIZE + UNWIND_HOTSPOT_ENTRY_OFFSET);
  }
  if (walk->hotspot.fields[UNWIND_HOTSPOT_METHOD_CONST] == 0 ||
      walk->hotspot.fields[UNWIND_HOTSPOT_NMETHOD_COMPILE] == 0 ||
      walk->hotspot.fields[UNWIND_HOTSPOT_CLASS_NAME] == 0)
    return 0;
  walk->hotspot.low = walk_hotspot_word(walk, walk->runtime.code_start + walk->language.bias);
  walk->hotspot.high = walk_hotspot_word(walk, walk->runtime.code_end + walk->language.bias);
  walk->hotspot.call = walk_hotspot_word(walk, walk->runtime.type + walk->language.bias);
  if (walk->hotspot.low == 0 || walk->hotspot.call == 0)
    return 0;
  walk->hotspot.generation = walk->process.generation;
  return walk_hotspot_learn_heaps(walk);
}

/* The number of the heap that holds the address; WALK_HOTSPOT_HEAPS_MAX: none. */
WALK_INLINE uint32_t walk_hotspot_find_heap(const struct walk *walk, uint64_t address)
{
  for (uint32_t i = 0; i < WALK_HOTSPOT_HEAPS_MAX; i++)
    if (address >= walk->hotspot.heaps[i].low && address < walk->hotspot.heaps[i].high)
      return i;
  return WALK_HOTSPOT_HEAPS_MAX;
}

/* The blob that holds the address; 0: none. */
WALK_FUNCTION uint64_t walk_hotspot_find_blob(struct walk *walk, uint64_t address)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return 0;
  uint32_t heap = walk_hotspot_find_heap(walk, address);
  if (heap == WALK_HOTSPOT_HEAPS_MAX) {
    walk_hotspot_learn_heaps(walk);
    heap = walk_hotspot_find_heap(walk, address);
  }
  if (heap >= WALK_HOTSPOT_HEAPS_MAX)
    return 0;
  uint64_t low = walk->hotspot.heaps[heap].low, segments = walk->hotspot.heaps[heap].segments;
  uint32_t shift = walk->hotspot.heaps[heap].shift & 31;
  uint64_t segment = (address - low) >> shift;
  for (uint32_t i = 0; i < WALK_HOTSPOT_STEPS_MAX; i++) {
    uint64_t back = walk_hotspot_word(walk, segments + segment) & 0xff;
    if (back == 0xff || back > segment)
      return 0;
    if (back == 0) {
      uint64_t block = low + (segment << shift);
      return (walk_hotspot_get(walk, block, UNWIND_HOTSPOT_BLOCK_USED) & 0xff) != 0
                 ? block + walk->runtime.fields[UNWIND_HOTSPOT_BLOCK_SIZE]
                 : 0;
    }
    segment -= back;
  }
  return 0;
}

WALK_INLINE uint32_t walk_hotspot_kind(struct walk *walk, uint64_t blob, uint32_t frame_size)
{
  uint64_t at = walk_hotspot_get(walk, blob, UNWIND_HOTSPOT_BLOB_NAME);
  if (at == walk->hotspot.name)
    return WALK_HOTSPOT_NMETHOD;
  uint64_t name = walk_hotspot_bytes(walk, at);
  if (name == 0x646f6874656d6eull || name == 0x6e2065766974616eull) { /* "nmethod", "native n" */
    walk->hotspot.name = at;
    return WALK_HOTSPOT_NMETHOD;
  }
  if (name == 0x6572707265746e49ull) /* "Interpre" */
    return WALK_HOTSPOT_INTERPRETER;
  return frame_size - 1 < WALK_HOTSPOT_FRAME_MAX ? WALK_HOTSPOT_FRAME : WALK_HOTSPOT_STUB;
}

WALK_INLINE uint64_t walk_hotspot_code(struct walk *walk, uint64_t blob)
{
  return walk->runtime.version < WALK_HOTSPOT_OFFSETS
             ? walk_hotspot_get(walk, blob, UNWIND_HOTSPOT_BLOB_CODE)
             : blob + walk_hotspot_int(walk, blob, UNWIND_HOTSPOT_BLOB_CODE);
}

/* Where the frame that stands at that distance from the code's beginning is described, among the nmethod's
 * scopes; 0: nowhere. It is the first PcDesc's that is not before. */
WALK_FUNCTION uint32_t walk_hotspot_find_scope(struct walk *walk, uint64_t blob, uint32_t at)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return 0;
  uint64_t from = blob;
  uint32_t end = UNWIND_HOTSPOT_NMETHOD_PLACES_END;
  if (walk->runtime.version >= WALK_HOTSPOT_OFFSETS) {
    from = walk_hotspot_get(walk, blob, UNWIND_HOTSPOT_NMETHOD_FIXED);
    end = UNWIND_HOTSPOT_NMETHOD_SCOPES;
  }
  uint64_t first = from + walk_hotspot_int(walk, blob, UNWIND_HOTSPOT_NMETHOD_PLACES);
  uint64_t n = (from + walk_hotspot_int(walk, blob, end) - first) / WALK_HOTSPOT_PLACE_SIZE;
  /* The first one is before all; so `first` is the last that is known to be before. */
  for (uint32_t i = 0; i < WALK_HOTSPOT_PLACES_SHIFT && n > 1; i++) {
    uint64_t half = n / 2, middle = first + half * WALK_HOTSPOT_PLACE_SIZE;
    uint64_t place = (uint64_t)(int64_t)(int32_t)walk_hotspot_word(walk, middle);
    first += half * WALK_HOTSPOT_PLACE_SIZE & walk_is_above(at, place);
    n -= half;
  }
  return (uint32_t)walk_hotspot_word(walk, first + WALK_HOTSPOT_PLACE_SIZE + 4);
}

/* Where deoptimisation has put the handler in the place of the frame's return address, the address that was
 * there; else the address itself. */
WALK_INLINE uint64_t walk_hotspot_original(struct walk *walk, uint64_t blob, uint64_t ip)
{
  uint64_t handler = walk_hotspot_get(walk, blob, UNWIND_HOTSPOT_NMETHOD_DEOPT);
  if (walk->runtime.version >= WALK_HOTSPOT_OFFSETS)
    handler = blob + (uint32_t)handler;
  if (ip != handler)
    return ip;
  return walk_hotspot_word(walk, walk->registers.sp +
                                     walk_hotspot_int(walk, blob, UNWIND_HOTSPOT_NMETHOD_ORIGINAL));
}

/* What was found before of that, if it is of this process; NULL: nothing. */
WALK_INLINE struct walk_frame_memo *walk_hotspot_recall(struct walk *walk, uint64_t address)
{
  struct walk_frame_memo *memo = WALK_FRAME_MEMO(walk, address);
  return memo && memo->address == address && memo->generation == walk->process.generation ? memo : NULL;
}

/* Sets walk->hotspot to what was found before; 0: nothing was, or it holds no more. */
WALK_INLINE int walk_hotspot_recall_blob(struct walk *walk)
{
  const struct walk_frame_memo *memo = walk_hotspot_recall(walk, walk->registers.ip);
  if (!memo)
    return 0;
  walk->hotspot.blob = memo->code & (WALK_ADDRESS_MAX - 1);
  walk->hotspot.kind = (uint32_t)(memo->code >> 56);
  walk->hotspot.size = memo->size;
  walk->hotspot.scope = memo->scope;
  walk->hotspot.check = memo->check;
  return walk->hotspot.kind != WALK_HOTSPOT_NMETHOD ||
         walk_hotspot_int(walk, walk->hotspot.blob, UNWIND_HOTSPOT_NMETHOD_COMPILE) == memo->check;
}

WALK_INLINE void walk_hotspot_remember_blob(struct walk *walk)
{
  struct walk_frame_memo *memo = WALK_FRAME_MEMO(walk, walk->registers.ip);
  if (!memo)
    return;
  memo->address = walk->registers.ip;
  memo->code = walk->hotspot.blob | (uint64_t)walk->hotspot.kind << 56;
  memo->word = 0;
  memo->generation = walk->process.generation;
  memo->check = walk->hotspot.check;
  memo->size = walk->hotspot.size;
  memo->scope = walk->hotspot.scope;
}

/* Finds the blob of the frame, and sets walk->hotspot to it; 0: there is none. Remembers it by the address,
 * an nmethod's as long as it is the same compilation's; but not where threads are interrupted, which is at
 * another address each time. */
WALK_FUNCTION int walk_hotspot_find(struct walk *walk)
{
  if (!WALK_RUNS(walk, HOTSPOT))
    return 0;
  uint64_t ip = walk->registers.ip;
  int exact = (walk->flags & WALK_EXACT) != 0;
  if (walk_hotspot_recall_blob(walk))
    return 1;
  uint64_t blob = walk_hotspot_find_blob(walk, ip - (exact ? 0 : 1));
  if (blob == 0)
    return 0;
  walk->hotspot.blob = blob;
  walk->hotspot.size = walk_hotspot_int(walk, blob, UNWIND_HOTSPOT_BLOB_FRAME_SIZE);
  walk->hotspot.kind = walk_hotspot_kind(walk, blob, walk->hotspot.size);
  walk->hotspot.scope = walk->hotspot.check = 0;
  if (walk->hotspot.kind == WALK_HOTSPOT_NMETHOD) {
    uint64_t original = walk_hotspot_original(walk, blob, ip);
    walk->hotspot.check = walk_hotspot_int(walk, blob, UNWIND_HOTSPOT_NMETHOD_COMPILE);
    walk->hotspot.scope =
        walk_hotspot_find_scope(walk, blob, (uint32_t)(original - walk_hotspot_code(walk, blob)));
    if (original != ip)
      return 1;
  } else if (walk->hotspot.kind == WALK_HOTSPOT_INTERPRETER) {
    walk->hotspot.interpreter = blob;
    walk->hotspot.interpreter_size = walk_hotspot_int(walk, blob, UNWIND_HOTSPOT_BLOB_SIZE);
  }
  if (!exact)
    walk_hotspot_remember_blob(walk);
  return 1;
}

#endif
