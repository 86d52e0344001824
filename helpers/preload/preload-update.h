/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps tables and mappings as the process has them. */
#ifndef PRELOAD_UPDATE_H
#define PRELOAD_UPDATE_H

#include "libcapture/capture.h"

/* The longest that a program is kept waiting for its tables, in all. */
#define PRELOAD_PATIENCE_NANOSECONDS UINT64_C(1000000000)

/* Looks at the process's mappings, asks for tables that are not known, waits for them as long as patience
 * lasts, and publishes what there is. Does nothing while another thread is at it. Not async-signal-safe. */
void preload_update(capture *c);
/* A walk came to an address in no known mapping: the next call that may update does it, unless that was done
 * just before. Async-signal-safe. */
void preload_update_wanted(void);
/* preload_update, if it is wanted. */
void preload_update_if_wanted(capture *c);
/* In a child of fork: the parent's tables and mappings hold; its other threads and its connection are gone.
 */
void preload_update_forked(void);

#endif
