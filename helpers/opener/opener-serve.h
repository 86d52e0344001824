/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an opener does; helpers/opener-protocol.h is the protocol. */
#ifndef OPENER_SERVE_H
#define OPENER_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "helpers/opener-protocol.h"

struct opener_options {
  const char *cache; /* directory of tables; NULL: none */
  uint64_t cache_limit;
  /* The owner is another user, who believes nothing: tables go to him as sealed memory. */
  bool foreign;
  bool exposed; /* somebody may have had a hand in this process: what it proves is worth nothing */
};

/* Serves until the other end is closed, or breaks the rules. */
void opener_serve(int socket, const struct opener_options *options);

#endif
