/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "profile/import/import.h"
#include "profile/import/syscap-convert.h"

G_BEGIN_DECLS

typedef enum {
  SYSCAP_SAMPLES,
  SYSCAP_ALLOCATIONS,
  SYSCAP_FREES,
  SYSCAP_ENTRIES,
  SYSCAP_EXITS,
  SYSCAP_N_EVENTS
} SyscapEvent;

typedef struct {
  guint32 id, epoch;
} SyscapDefined;

typedef struct {
  ProfileSyscapCounter counter;
  gint32 pid;
  SyscapDefined defined;
} SyscapCounter;

typedef struct {
  const ProfileSyscap *syscap;
  const ProfileSyscapOptions *options;
  ProfileSyscapResult *result;
  int status; /* of the writer, once it failed for good */
  ProfileImport import;
  ProfilePerfMachine *machine;
  GHashTable *names;       /* SyscapAddress → const char *, in the bytes */
  GHashTable *counters;    /* SyscapAddress, an identifier in place of the address → SyscapCounter */
  GPtrArray *all_counters; /* those */
  GHashTable *allocations; /* SyscapAddress → bytes */
  GByteArray *symbols;     /* the file of symbols that stands in the file */
  GArray *ranges;          /* what stands in that, ascending by pid and address; NULL until it is needed */
  SyscapDefined events[SYSCAP_N_EVENTS];
  guint32 kernel[PROFILE_SYSCAP_FRAME_MAX / 8], user[PROFILE_SYSCAP_FRAME_MAX / 8]; /* of the stack in work */
  guint n_kernel, n_user;
} SyscapConvert;

/* All below return 0, an identifier or a negative errno. */

/* Of one process; or, where it has none and others may speak for it, of anybody. */
gpointer syscap_find(const SyscapConvert *self, GHashTable *table, gint32 pid, guint64 address);
void syscap_set(GHashTable *table, gint32 pid, guint64 address, gconstpointer value);

void syscap_add_names(SyscapConvert *self, ProfileSyscapFrame *frame);
gint64 syscap_define_thread(SyscapConvert *self, const ProfileSyscapFrame *frame, gint32 tid);
/* SAMPLE, TRACE and ALLOCATION. */
int syscap_take_stack(SyscapConvert *self, ProfileSyscapFrame *frame);
GHashTable *syscap_new_addresses(void);

/* A piece of a file, before anything else; and at the end, when all mappings are known, what it says. */
void syscap_add_chunk(SyscapConvert *self, ProfileSyscapFrame *frame);
void syscap_write_symbols(SyscapConvert *self);
/* Where nobody takes the symbols: what they call an address that was sampled in a process; NULL: nothing. */
const char *syscap_find_symbol(SyscapConvert *self, gint32 pid, guint64 address);

/* What is told beside samples. */
int syscap_take_mark(SyscapConvert *self, ProfileSyscapFrame *frame);
int syscap_take_log(SyscapConvert *self, ProfileSyscapFrame *frame);
/* A line of a log that says something else of the frame's; severity as in CAPTURE_RECORD_LOG. */
int syscap_add_line(SyscapConvert *self, const ProfileSyscapFrame *frame, guint32 severity,
                    const char *domain, const char *text);
void syscap_add_counters(SyscapConvert *self, ProfileSyscapFrame *frame);
int syscap_take_values(SyscapConvert *self, ProfileSyscapFrame *frame);

G_END_DECLS
