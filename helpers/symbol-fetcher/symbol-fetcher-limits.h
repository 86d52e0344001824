/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a symbol-fetcher may not do: take more room or time than it was asked to, or write elsewhere. */
#ifndef SYMBOL_FETCHER_LIMITS_H
#define SYMBOL_FETCHER_LIMITS_H

#include <stdbool.h>

#include "helpers/symbol-fetcher-protocol.h"

/* For this process, for ever; it dies with its parent, and a second after the request's time. Where the
 * kernel has Landlock it writes below the request's directory only. 0 or -errno. */
int symbol_fetcher_limit(const struct symbol_fetcher_request *request);

/* Whether a file would have become larger than permitted. */
bool symbol_fetcher_was_too_large(void);

#endif
