/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A capture that is written into a memfd and decoded again, plainly. */
#ifndef TEST_HELPERS_H
#define TEST_HELPERS_H

#include <errno.h>
#include <glib.h>
#include <string.h>

#include "libcapture/file/capture-file.h"
#include "libcapture/file/capture-reader.h"
#include "libcapture/file/capture-writer.h"

typedef struct {
  uint64_t time;
  uint64_t weight;
  uint64_t detail;
  uint32_t epoch;
  uint32_t leaf;
  uint32_t thread;
} TestSample;

typedef struct {
  int fd;
  capture_file *file;
  capture_sink *sink;
  capture_writer *writer;
  capture_reader *reader;
  GArray *samples; /* TestSample, in file order */
  GArray *spaces;  /* uint64_t, the base by identifier */
  GPtrArray *strings;
  GHashTable *frames; /* epoch << 32 | identifier -> struct capture_frame */
  GHashTable *nodes;  /* likewise -> struct capture_pair-like {parent, frame} */
  GHashTable *joins;  /* likewise -> struct capture_join */
  unsigned n_records[128];
  unsigned sample_parts[33]; /* by entry size */
  uint64_t records_time_first;
  uint64_t records_time_last;
} TestCapture;

/* A writer over a file; window_size 0 for the default. */
TestCapture *test_capture_new(const struct capture_writer_options *options, uint32_t window_size);
/* Decodes what stands in fd into t. */
void test_decode(TestCapture *t, bool scan);
/* Destroys the writer and decodes. */
void test_capture_read(TestCapture *t);
void test_capture_free(TestCapture *t);

void test_sample(TestCapture *t, uint64_t time, uint32_t leaf, uint64_t weight);
const TestSample *test_get_sample(TestCapture *t, uint32_t i);
/* The stack of sample i has these offsets and bases added up, leaf first. */
void test_assert_leaf(TestCapture *t, uint32_t i, const uint64_t *addresses, uint32_t n);

/* "Compression" that any change of a byte is noticed by: runs of one byte are counted. */
size_t test_compress(void *out, size_t capacity, const void *in, size_t length, void *data);
bool test_decompress(void *out, size_t out_length, const void *in, size_t length, void *data);

int test_memfd(void);

#endif
