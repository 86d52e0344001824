/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captures for tests: random stacks in the kernel and in two binaries, written by the ordinary writer, and
 * beside them what was meant, sample by sample, so that every view can be counted by hand.
 */
#pragma once

#include "profile/capture/weights.h"
#include "tests/unit/profile/stream-fixture.h"

G_BEGIN_DECLS

enum { TEST_USER_FUNCTIONS = 12, TEST_KERNEL_FUNCTIONS = 6 };
/* When the recording began. */
#define TEST_BEGAN 1000

/* What was meant by one sample. */
typedef struct {
  guint64 time;
  guint64 weight;
  int pid, tid;
  guint n;                               /* functions, from the outermost */
  const char *functions[TEST_MAX_DEPTH]; /* names */
  const char *binary;                    /* of the innermost; "[kernel]" */
  const char *end;                       /* binary of the outermost in user space; NULL none */
  guint outcome;
} TestSample;

typedef struct {
  guint n_samples;
  guint n_streams;
  guint epochs;     /* a stream */
  guint late;       /* every so-many-th sample comes late, in a window that overlaps with others; 0: none */
  gboolean weights; /* varying */
  gboolean compress;
  guint32 seed;
  guint64 ended; /* as the file says; 0: before most samples, so it is not believed */
} TestPlan;

/* Writes a capture as planned to a new temporary file, whose name is returned; remove it. `samples`
 * gets a TestSample for each, ascending by time. */
char *test_capture_write(const TestPlan *plan, GArray *samples);
/* Loads it with tables that name the functions. */
ProfileCapture *test_capture_load(const char *path);

/* A capture that is loaded, and what it weighs in all: as it is, for g_test_add() with a TestPlan, or the
 * beginning of a fixture that has more. */
typedef struct {
  GArray *samples; /* TestSample, ascending by time */
  ProfileCapture *capture;
  ProfileWeights *weights;
} TestCapture;

void test_capture_set_up(TestCapture *self, gconstpointer plan);
/* Lets go of the capture, see below. */
void test_capture_tear_down(TestCapture *self, gconstpointer plan);
const TestSample *test_capture_get_sample(const TestCapture *self, guint i);

/* Gives up the reference in `*place` and waits until the object is gone, which sets `*place` to NULL: a
 * thread that has just done its work may hold what it worked for a little longer. An object that somebody
 * keeps lets the test run out of its time. */
void test_let_go(gpointer place);

G_END_DECLS
