// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Looks like CPython 3.11 to whoever records it, and lies. It spins in main → outer → _PyEval_EvalFrameDefault × DEPTH, with frames
 * that are forged as argv[1] says:
 *   honest     each frame runs function_0 to function_N of forged.py
 *   cycles     threads, and frames, lead to themselves
 *   wild       pointers into nowhere, into the kernel, and that no processor can follow
 *   lengths    texts of 4 GB, and of kinds that there are not
 *   controls   names of control characters, and of what is no character
 *   many       each frame's code object is another one each time: a million a second and more
 *   random     words anywhere in these structures change all the time, to words that may well be valid
 * Build with -rdynamic -pthread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 24, WORDS = 32, CODES = 1 << 16 };

/* _PyRuntimeState, PyInterpreterState, PyThreadState, _PyCFrame, _PyInterpreterFrame, PyCodeObject, str, bytes: where 3.11 has what. */
enum {
  RUNTIME_INTERPRETERS = 40,
  INTERPRETER_THREADS = 16,
  THREAD_NEXT = 8,
  THREAD_CFRAME = 56,
  THREAD_ID = 160,
  CFRAME_FRAME = 8,
  CFRAME_PREVIOUS = 16,
  FRAME_CODE = 32,
  FRAME_PREVIOUS = 48,
  FRAME_AT = 56,
  FRAME_IS_ENTRY = 68,
  OBJECT_TYPE = 8,
  CODE_LINE = 72,
  CODE_FILE = 112,
  CODE_NAME = 128,
  CODE_LINES = 136,
  CODE_FIRST = 184,
  TEXT_LENGTH = 16,
  TEXT_STATE = 32,
  TEXT_ASCII = 48,
  TEXT_OTHER = 72,
  BYTES_SIZE = 16,
};

#define COMPACT_ASCII (1u << 2 | 1u << 5 | 1u << 6)

struct object {
  _Alignas(16) uint64_t words[WORDS];
};

uint32_t Py_Version = 0x030b02f0;
struct object _PyRuntime, PyCode_Type;

static struct object interpreter, thread, frames[DEPTH], names[DEPTH], file, lines;
static struct object *codes; /* CODES, of which the first DEPTH are used but by "many" */
static volatile uint64_t work;
static const char *how;

static void set(struct object *object, unsigned int at, uint64_t value)
{
  memcpy((char *)object + at, &value, sizeof value);
}

static void point(struct object *object, unsigned int at, const void *to)
{
  set(object, at, (uintptr_t)to);
}

static void make_text(struct object *object, const char *text)
{
  set(object, TEXT_LENGTH, strlen(text));
  set(object, TEXT_STATE, COMPACT_ASCII);
  strcpy((char *)object + TEXT_ASCII, text);
}

static void make_code(struct object *code, unsigned int name)
{
  point(code, OBJECT_TYPE, &PyCode_Type);
  set(code, CODE_LINE, 10 * name);
  point(code, CODE_NAME, &names[name]);
  point(code, CODE_FILE, &file);
  point(code, CODE_LINES, &lines);
}

static void make_all(void)
{
  char name[] = "function_0";

  codes = mmap(NULL, CODES * sizeof *codes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  make_text(&file, "forged.py");
  for (unsigned int i = 0; i < CODES; i++)
    make_code(&codes[i], i % DEPTH);
  for (unsigned int i = 0; i < DEPTH; i++, name[sizeof name - 2]++) {
    make_text(&names[i], name);
    point(&frames[i], FRAME_CODE, &codes[i]);
    point(&frames[i], FRAME_PREVIOUS, i > 0 ? &frames[i - 1] : NULL);
    point(&frames[i], FRAME_AT, (char *)&codes[i] + CODE_FIRST);
    *((char *)&frames[i] + FRAME_IS_ENTRY) = 1;
  }
  point(&_PyRuntime, RUNTIME_INTERPRETERS, &interpreter);
  point(&interpreter, INTERPRETER_THREADS, &thread);
  set(&thread, THREAD_ID, (uint64_t)syscall(SYS_gettid));
}

static void forge(void)
{
  static const uint64_t wild[] = {1, 0xffffffff81000000, 0x8000000000000000, 0x7fffffffffff, 0xffffffffffffffff, 0x1000};

  if (strcmp(how, "cycles") == 0) {
    for (unsigned int i = 0; i < DEPTH; i++)
      point(&frames[i], FRAME_PREVIOUS, &frames[DEPTH - 1]);
    if (getpid() % 2)
      point(&thread, THREAD_NEXT, &thread);
  } else if (strcmp(how, "wild") == 0) {
    for (unsigned int i = 0; i < DEPTH; i++) {
      set(&codes[i], i % 2 ? CODE_NAME : CODE_FILE, wild[i % 6]);
      set(&codes[i], CODE_LINES, wild[(i + 1) % 6]);
    }
    set(&frames[DEPTH / 2], FRAME_PREVIOUS, wild[getpid() % 6]);
    set(&frames[DEPTH - 2], FRAME_CODE, wild[getpid() / 2 % 6]);
    set(&thread, THREAD_NEXT, wild[1]);
  } else if (strcmp(how, "lengths") == 0) {
    for (unsigned int i = 0; i < DEPTH; i++) {
      set(&names[i], TEXT_LENGTH, i % 2 ? UINT64_MAX : (uint64_t)1 << 32);
      set(&names[i], TEXT_STATE, i << 2 | (uint64_t)(i % 3) << 5);
    }
    set(&lines, BYTES_SIZE, UINT64_MAX);
    set(&file, TEXT_LENGTH, (uint64_t)INT64_MAX);
  } else if (strcmp(how, "controls") == 0) {
    for (unsigned int i = 0; i < DEPTH; i++)
      strcpy((char *)&names[i] + TEXT_ASCII, "a\033[31m\n\t\x7f\xff\x90;/");
    set(&file, TEXT_STATE, 4u << 2 | 1u << 5);
    memset((char *)&file + TEXT_OTHER, 0xd8, 32);
  }
}

static uint64_t next_random(void)
{
  static uint64_t state = 88172645463325252;

  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static void *scribble(void *data)
{
  struct object *all[] = {&interpreter, &thread, &frames[0], &frames[3], &frames[6], &codes[0], &codes[3], &codes[5], &names[0], &file, &lines, &_PyRuntime};
  const unsigned int n = sizeof all / sizeof all[0];

  (void)data;
  for (;;) {
    uint64_t random = next_random(), value = next_random();
    if (random & 1)
      value = (uintptr_t)all[value % n];
    else if (random & 2)
      value &= 0xfff;
    all[(random >> 8) % n]->words[(random >> 32) % WORDS] = value;
    if ((random >> 44) % 64 == 0)
      make_all();
  }
  return NULL;
}

void __attribute__((noinline)) _PyEval_EvalFrameDefault(unsigned int depth, struct object *cframe)
{
  struct object own = {0};

  point(&own, CFRAME_FRAME, &frames[depth]);
  point(&own, CFRAME_PREVIOUS, cframe);
  point(&thread, THREAD_CFRAME, &own);
  if (depth + 1 < DEPTH) {
    _PyEval_EvalFrameDefault(depth + 1, &own);
    work++;
    return;
  }
  for (;;) {
    work++;
    if (strcmp(how, "many") == 0)
      for (unsigned int i = 0; i < DEPTH; i++) {
        struct object *code = &codes[next_random() % CODES];
        set(code, CODE_LINE, next_random());
        point(&frames[i], FRAME_CODE, code);
        point(&frames[i], FRAME_AT, (char *)code + CODE_FIRST);
      }
  }
}

void __attribute__((noinline)) outer(void)
{
  _PyEval_EvalFrameDefault(0, NULL);
  work++;
}

int main(int argc, char **argv)
{
  pthread_t other;

  if (argc < 2)
    return 2;
  how = argv[1];
  make_all();
  forge();
  if (strcmp(how, "random") == 0)
    pthread_create(&other, NULL, scribble, NULL);
  outer();
  return 0;
}
