/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A flat list: a row for each function, binary, thread or process that occurs in the samples of a filter.
 * Immutable, readable from any thread.
 */
#pragma once

#include "profile/capture/weights.h"
#include "profile/views/wait.h"

G_BEGIN_DECLS

typedef enum {
  PROFILE_ROWS_FUNCTION, /* item: index of a function of the stacks; a sample without a stack counts for
                            function 0 */
  PROFILE_ROWS_BINARY,   /* item: index of a binary; PROFILE_ROWS_KERNEL, PROFILE_ROWS_NO_BINARY */
  PROFILE_ROWS_THREAD,   /* item: index of a thread; self and total are equal */
  PROFILE_ROWS_WAKER,    /* item: index of the thread that woke the one that was off the CPU, 0: none did, or
                            it is not known; self and total are equal */
  PROFILE_ROWS_WAIT,   /* item: PROFILE_ROWS_WAIT_ITEM, of time off the CPU only; self and total are equal */
  PROFILE_ROWS_PROCESS /* item: index of a process; self and total are equal */
} ProfileRowsBy;

#define PROFILE_ROWS_KERNEL    (G_MAXUINT32 - 1)
#define PROFILE_ROWS_NO_BINARY G_MAXUINT32

/* A reason (enum capture_off_cpu) and a ProfileWait. */
#define PROFILE_ROWS_WAIT_ITEM(reason, wait) ((guint32)((reason)*PROFILE_WAITS + (wait)))
#define PROFILE_ROWS_WAIT_REASON(item)       ((item) / PROFILE_WAITS)
#define PROFILE_ROWS_WAIT_WAIT(item)         ((ProfileWait)((item) % PROFILE_WAITS))

typedef struct {
  guint32 item;
  ProfileWeight self;  /* samples taken in it */
  ProfileWeight total; /* samples with it anywhere in the stack, each counted once */
} ProfileRow;

typedef struct _ProfileRows ProfileRows;

ProfileRows *profile_rows_new(ProfileWeights *weights, ProfileRowsBy by);
void profile_rows_free(ProfileRows *self);
gsize profile_rows_get_n(const ProfileRows *self);
/* A row below n: most self first (by profile_weights_measure), then most total, then by index. */
ProfileRow profile_rows_get(const ProfileRows *self, gsize row);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileRows, profile_rows_free)

G_END_DECLS
