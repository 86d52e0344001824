/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A capture that a test writes into a file of its own. */
#ifndef OWN_FILE_H
#define OWN_FILE_H

#include <glib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcapture/capture.h"
#include "told.h"

typedef struct {
  capture *c;
  int fd;
} Fixture;

static inline void set_up(Fixture *f, const struct capture_options *options)
{
  f->fd = memfd_create("inside", MFD_CLOEXEC);
  g_assert_cmpint(capture_create(&f->c, f->fd, options), ==, 0);
  g_assert_nonnull(f->c);
}

static inline Told *finish(Fixture *f)
{
  Told *told;

  capture_close(f->c);
  told = told_read(f->fd);
  close(f->fd);
  return told;
}

static inline int sample(capture *c, uint32_t event, const uint64_t *frames, uint32_t n, uint64_t weight,
                         uint64_t detail)
{
  const struct capture_sample_options options = {
      .size = sizeof options, .event = event, .weight = weight, .detail = detail};
  struct capture_stack stack;
  int r = capture_sample_begin(c, &stack, &options);

  for (uint32_t i = 0; i < n; i++)
    capture_sample_frame(&stack, frames[i]);
  capture_sample_end(&stack);
  return r;
}

static inline uint32_t name(capture *c, const char *text)
{
  return capture_string(c, text, CAPTURE_NUL);
}

#endif
