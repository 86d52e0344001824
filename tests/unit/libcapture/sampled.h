/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The samples of a capture with their stacks, read plainly. Needs libc and libcapture alone. Ends the program
 * when the capture is not as docs/format.md says. */
#ifndef SAMPLED_H
#define SAMPLED_H

#include <stddef.h>
#include <stdint.h>

#define SAMPLED_FRAMES_MAX 512

struct sampled_sample {
  uint64_t time;
  uint64_t weight;
  uint64_t detail;
  uint32_t event;
  int32_t tid;
  uint8_t outcome;
  uint32_t count;
  uint64_t frames[SAMPLED_FRAMES_MAX]; /* the innermost first */
};

struct sampled {
  struct sampled_sample *samples;
  size_t count;
  uint64_t lost;       /* samples, by LOST records */
  char messages[4096]; /* one a line */
};

void sampled_read(struct sampled *ret, int fd);
void sampled_clear(struct sampled *sampled);
/* Of all samples, or of one thread's when tid is not 0. */
uint64_t sampled_weight(const struct sampled *sampled, int32_t tid);

#endif
