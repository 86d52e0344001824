/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Captures for tests whose stacks are written down. A function is one letter: a small one lies in the
 * program of test-stream.h, a capital in its library, a digit in the kernel. Equal stacks are reached
 * through different addresses, as in life.
 */
#pragma once

#include "profile/capture/weights.h"
#include "tests/unit/profile/stream-fixture.h"

G_BEGIN_DECLS

typedef struct {
  guint64 time;     /* ascending; 0: one after the sample before */
  guint thread;     /* 0 … 2: tid 100 …, the first two of process 100, the third of 101 */
  const char *path; /* functions, the outermost first; those of the kernel come last. "": no stack */
  guint64 weight;   /* 0: 1 */
} MadeSample;

typedef struct {
  const MadeSample *samples;
  guint n;
  guint64 frequency; /* 0: not asked for */
  gboolean off_cpu;  /* weights are how long threads were off the CPU */
  gboolean unnamed;  /* functions have no names yet */
} MadePlan;

/* Loaded, and named unless it should not be. */
ProfileCapture *made_capture_new(const MadePlan *plan);
/* Gives functions of the capture their names. */
void made_capture_name(ProfileCapture *capture);
/* The function of that name; fails the test when there is none. */
guint32 made_capture_find(const ProfileStacks *stacks, const char *name);
/* "a;b;c 3" for each path in which samples end, by name, lines joined by ", "; no stack is "-". */
char *made_capture_fold(ProfileWeights *weights);

G_END_DECLS
