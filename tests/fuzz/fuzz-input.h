/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A capture as a fuzz target's input. Its first byte says how the rest is read, a bit each: bit 0 puts the
 * checksums right, so that changes reach what is behind them; others are the target's.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_input {
  uint8_t how;
  uint8_t *bytes; /* behind it, with checksums put right */
  size_t size;
  int fd; /* an empty memfd */
};

/* False for no input at all. */
bool fuzz_input_open(struct fuzz_input *input, const uint8_t *data, size_t size);
void fuzz_input_close(struct fuzz_input *input);

#endif
