/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a language's runtime keeps the stack of its own functions: what the compiler of tables finds in the
 * binary that holds the runtime, and what the walker (walk-language.h) reads a thread's frames by. It stands
 * in the binary's table. Free of dependencies, so that BPF programs include it.
 */
#ifndef UNWIND_RUNTIME_H
#define UNWIND_RUNTIME_H

#ifndef __bpf__
#include <stdint.h>
#endif

enum unwind_runtime_kind {
  UNWIND_RUNTIME_NONE = 0,
  UNWIND_RUNTIME_PYTHON = 1,
  UNWIND_RUNTIME_V8 = 2,
  UNWIND_RUNTIME_HOTSPOT = 3,
  UNWIND_RUNTIME_PHP = 4,
  UNWIND_RUNTIME_RUBY = 5,
  UNWIND_RUNTIMES
};

#define UNWIND_RUNTIME_FIELDS 44

struct unwind_runtime {
  uint32_t kind;       /* enum unwind_runtime_kind */
  uint32_t version;    /* major << 8 | minor */
  uint64_t address;    /* of the runtime's root, in the file, as the next ones */
  uint64_t type;       /* of what objects begin with that are functions; 0: not known. Of Ruby, where the
                          interpreter begins */
  uint64_t code_start; /* of the function that interprets; both 0: not known */
  uint64_t code_end;
  uint64_t names; /* of what the runtime itself says of its fields; 0: nothing. Of Ruby, where the interpreter
                     ends */
  uint16_t fields[UNWIND_RUNTIME_FIELDS]; /* bytes from the beginning of a structure, but where it says so */
};

/* Of CPython 3.8 and newer. Frames are PyFrameObjects before 3.11, each with a call of the interpreter of its
 * own, and _PyInterpreterFrames from then on: a call of the interpreter runs as many as Python functions call
 * each other. Its *entry* stands on the thread's native stack: a _PyCFrame in 3.10 and 3.11, from 3.12 on a
 * frame that is no function's. */
enum unwind_python_field {
  UNWIND_PYTHON_INTERPRETERS,     /* _PyRuntimeState: the first interpreter */
  UNWIND_PYTHON_NEXT_INTERPRETER, /* PyInterpreterState */
  UNWIND_PYTHON_THREADS,          /* PyInterpreterState: its first thread */
  UNWIND_PYTHON_NEXT_THREAD,      /* PyThreadState */
  UNWIND_PYTHON_THREAD_ID,        /* PyThreadState: the kernel's from 3.11 on, before it pthread_self() */
  UNWIND_PYTHON_TOP,              /* PyThreadState: the innermost frame; in 3.11 and 3.12 a _PyCFrame */
  UNWIND_PYTHON_ENTRY,            /* PyThreadState: the innermost entry, 3.10 */
  UNWIND_PYTHON_ENTRY_TOP,        /* _PyCFrame: its innermost frame, 3.11 and 3.12 */
  UNWIND_PYTHON_ENTRY_PREVIOUS,   /* _PyCFrame */
  UNWIND_PYTHON_PREVIOUS,         /* frame: the caller's */
  UNWIND_PYTHON_CODE,             /* frame: its code object */
  UNWIND_PYTHON_AT,               /* frame: the instruction; before 3.11 an index, else a pointer */
  UNWIND_PYTHON_OWNER,            /* frame: a byte, see SHIM; in 3.11 whether its caller is in another call */
  UNWIND_PYTHON_SHIM,             /* no offset: an owner of this or more has a frame that is no function's */
  UNWIND_PYTHON_TAG,              /* no offset: bits of CODE that are no address */
  UNWIND_PYTHON_TYPE,             /* each object's */
  UNWIND_PYTHON_FIRST_LINE,       /* code object, as the next ones; an int */
  UNWIND_PYTHON_NAME,
  UNWIND_PYTHON_FILE,
  UNWIND_PYTHON_LINES,
  UNWIND_PYTHON_INSTRUCTIONS, /* from 3.11 on: the first one */
  UNWIND_PYTHON_BYTES_SIZE,   /* bytes object */
  UNWIND_PYTHON_BYTES_DATA,   /* bytes object */
  UNWIND_PYTHON_TEXT_LENGTH,  /* str, as the next ones: its number of characters */
  UNWIND_PYTHON_TEXT_STATE,   /* bits that say of what kind it is */
  UNWIND_PYTHON_TEXT_ASCII,   /* its text, if it is ASCII */
  UNWIND_PYTHON_TEXT_OTHER,   /* its text, if not */
  UNWIND_PYTHON_TEXT_KIND,    /* no offset: the first of the bits of the state that say the kind */
  UNWIND_PYTHON_FIELDS
};

/* Of HotSpot 11 and newer, as its own vmStructs give them. All its machine code lies in blobs, these in the
 * blocks of a few heaps, the code cache: a map of a heap's segments leads from an address to its block. An
 * nmethod is the blob of a compiled method. `address` is where CodeCache::_heaps stands, `type` where
 * StubRoutines::_call_stub_return_address does, code_start and code_end where the bounds of the code cache
 * do, and `version` is major alone. Up to UNWIND_HOTSPOT_READ, fields are no offsets, but say where the
 * process has them, which sets them itself when it begins: in the entry of that number, counted from 1, of
 * the vmStructs at `names`; 0: it has none. */
#define UNWIND_HOTSPOT_ENTRY_SIZE   48
#define UNWIND_HOTSPOT_ENTRY_OFFSET 32

enum unwind_hotspot_field {
  UNWIND_HOTSPOT_ARRAY_LENGTH, /* GrowableArray */
  UNWIND_HOTSPOT_ARRAY_DATA,
  UNWIND_HOTSPOT_HEAP_MEMORY,   /* CodeHeap: a VirtualSpace, as the next one */
  UNWIND_HOTSPOT_HEAP_SEGMENTS, /* a byte a segment: how many back its block begins, or a step there */
  UNWIND_HOTSPOT_HEAP_SHIFT,    /* an int: of the size of a segment */
  UNWIND_HOTSPOT_SPACE_LOW,     /* VirtualSpace */
  UNWIND_HOTSPOT_SPACE_HIGH,
  UNWIND_HOTSPOT_BLOCK_USED, /* HeapBlock: a byte */
  UNWIND_HOTSPOT_BLOB_NAME,  /* CodeBlob */
  UNWIND_HOTSPOT_BLOB_SIZE,  /* an int, as the next one, which counts words */
  UNWIND_HOTSPOT_BLOB_FRAME_SIZE,
  UNWIND_HOTSPOT_BLOB_CODE,        /* an address; from 23 on an int, from the blob's beginning */
  UNWIND_HOTSPOT_BLOB_DATA,        /* an int, likewise */
  UNWIND_HOTSPOT_BLOB_APART,       /* from 25 on: the address of data of its own, first relocations */
  UNWIND_HOTSPOT_BLOB_RELOCATIONS, /* an int: their size */
  UNWIND_HOTSPOT_NMETHOD_METHOD,
  UNWIND_HOTSPOT_NMETHOD_ENTRY,    /* an address; from 23 on 16 bits, from the code's beginning */
  UNWIND_HOTSPOT_NMETHOD_COMPILE,  /* an int: each compilation has its own */
  UNWIND_HOTSPOT_NMETHOD_DEOPT,    /* an address; from 23 on an int, from the blob's beginning */
  UNWIND_HOTSPOT_NMETHOD_ORIGINAL, /* an int: where in a frame its return address is kept then */
  UNWIND_HOTSPOT_NMETHOD_METADATA, /* an int: from the blob's beginning; in 23 and 24 16 bits, its data's */
  UNWIND_HOTSPOT_NMETHOD_FIXED,    /* from 23 on: the address of what the next three are offsets in */
  UNWIND_HOTSPOT_NMETHOD_SCOPES,   /* an address; from 23 on an int */
  UNWIND_HOTSPOT_NMETHOD_PLACES,   /* an int: the PcDescs; before 23 from the blob's beginning */
  UNWIND_HOTSPOT_NMETHOD_PLACES_END,
  UNWIND_HOTSPOT_METHOD_CONST,
  UNWIND_HOTSPOT_CONST_POOL, /* ConstMethod */
  UNWIND_HOTSPOT_CONST_SIZE, /* an int: words */
  UNWIND_HOTSPOT_CONST_FLAGS,
  UNWIND_HOTSPOT_CONST_CODE_SIZE, /* 16 bits, as the next one */
  UNWIND_HOTSPOT_CONST_NAME,
  UNWIND_HOTSPOT_POOL_HOLDER, /* ConstantPool */
  UNWIND_HOTSPOT_POOL_FILE,   /* 16 bits, as the next one */
  UNWIND_HOTSPOT_CLASS_FILE,  /* InstanceKlass, before the pool had it */
  UNWIND_HOTSPOT_CLASS_NAME,
  UNWIND_HOTSPOT_TEXT_LENGTH, /* Symbol: 16 bits */
  UNWIND_HOTSPOT_TEXT,
  UNWIND_HOTSPOT_READ,
  UNWIND_HOTSPOT_BLOCK_SIZE =
      UNWIND_HOTSPOT_READ,     /* sizes of structures: of HeapBlock, then comes the blob */
  UNWIND_HOTSPOT_CONST_CODE,   /* of ConstMethod, then come the bytecodes */
  UNWIND_HOTSPOT_POOL_ITEMS,   /* of ConstantPool, then come its items */
  UNWIND_HOTSPOT_CONTINUATION, /* of ContinuationEntry; 0: there is none, or it is not told */
  UNWIND_HOTSPOT_FIELDS
};

/* Of V8 as node has it, 10.2 (node 18) and newer: pointers are words, and point one byte behind the beginning
 * of what lies in the heap. `address` is where the lengths of bytecodes stand, `type` how many bytecodes
 * there are, and code_start and code_end are of what calls the interpreter. Offsets are from the beginning of
 * an object, indices count the words of an array. */
enum unwind_v8_field {
  UNWIND_V8_MAP_TYPE,       /* Map: 16 bits, what the objects are that begin with this map */
  UNWIND_V8_FIRST_FUNCTION, /* of these types, as the next ones */
  UNWIND_V8_LAST_FUNCTION,
  UNWIND_V8_SHARED,
  UNWIND_V8_SCRIPT,
  UNWIND_V8_SCOPE,
  UNWIND_V8_BYTECODE,
  UNWIND_V8_CODE,
  UNWIND_V8_STREAM,          /* what instructions lie in: before 11 Code */
  UNWIND_V8_FUNCTION_SHARED, /* JSFunction */
  UNWIND_V8_FUNCTION_CODE,   /* 0: it has none, but an entry in a table of the process */
  UNWIND_V8_SHARED_DATA,     /* SharedFunctionInfo: its bytecode, or code that has it */
  UNWIND_V8_SHARED_NAME,     /* a string or a scope */
  UNWIND_V8_SHARED_SCRIPT,
  UNWIND_V8_SCRIPT_SOURCE,
  UNWIND_V8_SCRIPT_NAME,
  UNWIND_V8_SCOPE_LOCALS, /* ScopeInfo: how many locals */
  UNWIND_V8_SCOPE_PLACE,  /* where the function begins and ends; 0: behind its name */
  UNWIND_V8_SCOPE_FIRST,  /* what it has of its locals, then its name */
  UNWIND_V8_BYTECODE_PLACES,
  UNWIND_V8_BYTECODE_DATA,
  UNWIND_V8_CODE_DEOPT, /* of optimised code where functions are inlined, of baseline code the bytecode */
  UNWIND_V8_CODE_PLACES,
  UNWIND_V8_CODE_START, /* before 11 the instructions themselves, from then on their address */
  UNWIND_V8_CODE_SIZE,
  UNWIND_V8_CODE_FLAGS,
  UNWIND_V8_STREAM_CODE,     /* 0: it is the code */
  UNWIND_V8_STREAM_START,    /* the instructions */
  UNWIND_V8_KIND_MASK,       /* no offset: of the flags */
  UNWIND_V8_KIND_BASELINE,   /* no offset */
  UNWIND_V8_DEOPT_FUNCTIONS, /* indices: how many functions are inlined, */
  UNWIND_V8_DEOPT_LITERALS,  /* the array that begins with them, */
  UNWIND_V8_DEOPT_INLINING,  /* and where they are */
  UNWIND_V8_DEOPT_OWNER,     /* no index: the function itself, */
  UNWIND_V8_OWNER_WRAPPED,   /* or an object that has it there; 0: itself */
  UNWIND_V8_FIELDS
};

/* Of PHP 8 without threads: frames (zend_execute_data) lie apart from the native stack. A call of the
 * interpreter, whose code goes from code_start to code_end, runs frames up to one that is the first of its
 * call. `address` is that of executor_globals, and `version` is major << 8 | minor. */
enum unwind_php_field {
  UNWIND_PHP_TOP,      /* executor_globals: the innermost frame */
  UNWIND_PHP_OPLINE,   /* frame: its instruction, as of its last call */
  UNWIND_PHP_FUNCTION, /* frame; 0: it is no function's */
  UNWIND_PHP_INFO,     /* frame: an int, whose bits say whether it is the first of its call */
  UNWIND_PHP_PREVIOUS, /* frame: the caller's */
  UNWIND_PHP_TYPE,     /* function, as the next ones: a byte */
  UNWIND_PHP_NAME,     /* 0: it is a file's code */
  UNWIND_PHP_CLASS,    /* 0: it is none's */
  UNWIND_PHP_OPCODES,  /* its first instruction, as the rest not where the type is PHP's own */
  UNWIND_PHP_COUNT,    /* an int: how many they are */
  UNWIND_PHP_FILE,
  UNWIND_PHP_FIRST_LINE, /* an int */
  UNWIND_PHP_LINE,       /* instruction: an int */
  UNWIND_PHP_CLASS_NAME, /* class */
  UNWIND_PHP_TEXT_LENGTH,
  UNWIND_PHP_TEXT,
  UNWIND_PHP_FIELDS
};

/* Of Ruby 3.1 and 3.3. Threads are found by the kernel's number in the lists of the VM's ractors. Frames
 * (control frames) lie one behind the other on a stack of Ruby's own, the innermost first. A call of vm_exec,
 * whose code goes from code_start to code_end, runs frames up to one that is the last of its call; it calls
 * the interpreter, whose code goes from `type` to `names`. `address` is where the VM's address stands, and
 * `version` is major << 8 | minor. */
enum unwind_ruby_field {
  UNWIND_RUBY_RACTORS,         /* VM: their list */
  UNWIND_RUBY_NEXT_RACTOR,     /* ractor: its place in the list */
  UNWIND_RUBY_THREADS,         /* ractor: their list; a thread begins with its place in it */
  UNWIND_RUBY_CONTEXT,         /* thread: what it runs, as its fiber or itself */
  UNWIND_RUBY_NATIVE,          /* thread: the structure that has its number; 0: it has it itself */
  UNWIND_RUBY_THREAD_ID,       /* an int */
  UNWIND_RUBY_STACK,           /* context, as the next ones */
  UNWIND_RUBY_STACK_WORDS,     /* how large it is */
  UNWIND_RUBY_TOP,             /* the innermost frame */
  UNWIND_RUBY_FRAME_SIZE,      /* no offset */
  UNWIND_RUBY_AT,              /* frame: the next instruction */
  UNWIND_RUBY_CODE,            /* frame: its instruction sequence */
  UNWIND_RUBY_FLAGS,           /* frame: where its flags stand */
  UNWIND_RUBY_BODY,            /* instruction sequence */
  UNWIND_RUBY_INSTRUCTIONS,    /* body, as the next ones */
  UNWIND_RUBY_FILE,            /* a string, or an array that begins with it */
  UNWIND_RUBY_NAME,            /* a string */
  UNWIND_RUBY_FIRST_LINE,      /* an int */
  UNWIND_RUBY_FIRST_LINE_BITS, /* no offset: how many bits lower than the int it has */
  UNWIND_RUBY_LINES,           /* entries that begin with a line */
  UNWIND_RUBY_LINES_COUNT,     /* an int */
  UNWIND_RUBY_LINES_INDEX,     /* leads from an instruction to its entry */
  UNWIND_RUBY_TEXT_LENGTH,     /* string that does not hold its text itself */
  UNWIND_RUBY_TEXT_ADDRESS,
  UNWIND_RUBY_TEXT,          /* string that holds it; before 3.3 its length is among the flags */
  UNWIND_RUBY_ARRAY_ADDRESS, /* array that does not hold its items itself */
  UNWIND_RUBY_ARRAY,
  UNWIND_RUBY_FIELDS
};

#endif
