/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What captures of tests are of: functions of equal size in a program, a library and the kernel, and threads
 * 100, 101 (of process 100) and 102 (of process 101) that run them. What cannot be written fails the test.
 */
#pragma once

#include "libcapture/file/capture-writer.h"
#include "tests/unit/profile/file-fixture.h"

G_BEGIN_DECLS

#define TEST_KERNEL_BASE G_GUINT64_CONSTANT(0xffffffff81000000)

typedef enum { TEST_PROGRAM, TEST_LIBRARY, TEST_KERNEL, TEST_N_PLACES } TestPlace;

enum { TEST_N_THREADS = 3, TEST_FUNCTION_SIZE = 64, TEST_MAX_DEPTH = 64 };

/* "[kernel]" for the kernel. */
extern const char *const test_place_paths[TEST_N_PLACES];

/* A recorder's. */
typedef struct {
  capture_sink *sink;
  capture_writer *writer;
  guint32 event, binaries[TEST_KERNEL], threads[TEST_N_THREADS];
} TestStream;

TestStream test_stream_open(TestFile *file);
/* In each epoch anew: the event, the binaries, processes and threads. The record says of the event what is
 * not usual; its identifier is filled in. */
void test_stream_define(TestStream *stream, struct capture_record_event event, const char *event_name);
/* A frame, at an offset from where the place's functions begin. */
guint32 test_stream_add_frame(TestStream *stream, TestPlace place, guint64 offset);
/* A sample in user space by a thread, 0 … 2, unless `sample` says otherwise; event and thread are filled in.
 */
void test_stream_add_sample(TestStream *stream, guint thread, struct capture_writer_sample sample);
void test_stream_close(TestStream *stream);

/* What a place's functions are called: names[i] is that of function `first` + i, NULL that of none. */
typedef struct {
  guint first, n;
  const char *const *names;
} TestNames;

/* Gives the functions of a capture, place by place, their names. */
void test_name_functions(ProfileCapture *capture, const TestNames names[TEST_N_PLACES]);

G_END_DECLS
