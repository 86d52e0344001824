/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captures for tests of what programs tell of themselves: one process, its thread, an event a stream, seen by
 * a recorder from outside and by samplers from inside. Everything fails the test that cannot be done.
 */
#pragma once

#include "libcapture/file/capture-writer.h"
#include "tests/unit/profile/file-fixture.h"

G_BEGIN_DECLS

enum { TOLD_PID = 500, TOLD_TID = 501, TOLD_MAX_DEPTH = 5 };
#define TOLD_CODE    G_GUINT64_CONSTANT(0x7f0000001000)
#define TOLD_LIBRARY G_GUINT64_CONSTANT(0x7e0000000000)

typedef struct {
  capture_sink *sink;
  capture_writer *writer;
  guint32 process, thread, event, binary;
} ToldStream;

guint32 told_add_string(ToldStream *stream, const char *text);
void told_define(ToldStream *stream, gconstpointer record);
/* A stream, from its beginning to its end. */
ToldStream told_open_stream(TestFile *file, enum capture_stream_kind kind, const char *name);
void told_close_stream(ToldStream *stream);
/* Definitions, each of which the stream keeps the identifier of. */
void told_define_process(ToldStream *stream, guint64 time, enum capture_process_origin origin,
                         const char *name);
void told_define_thread(ToldStream *stream, guint64 time, const char *name);
void told_define_event(ToldStream *stream, const char *name);
void told_define_library(ToldStream *stream, const char *path, guint64 start, guint64 time);
/* All of them: an existing process "runtime" with a library, and the event cpu-clock or cpu-time. */
void told_define_outside(ToldStream *stream);
void told_define_inside(ToldStream *stream, guint64 time);
/* Code of that name in program.lua, line 7. */
void told_add_code(ToldStream *stream, guint64 start, guint64 length, guint64 time, const char *name);
void told_end_code(ToldStream *stream, guint64 start, guint64 length, guint64 time);
/* A sample in user space, its addresses from the leaf to the root. */
void told_add_sample(ToldStream *stream, guint64 time, const guint64 *addresses, guint n);

G_END_DECLS
