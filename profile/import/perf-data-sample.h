/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of a SAMPLE record. */
#pragma once

#include "profile/import/perf-data.h"

G_BEGIN_DECLS

typedef struct {
  guint64 ip;
  gint32 pid, tid; /* -1 not known */
  guint64 address;
  guint32 cpu; /* G_MAXUINT32 not known */
  guint64 period;
  const guint8 *chain; /* n_chain addresses and contexts, from the leaf on; may be misaligned */
  gsize n_chain;
  guint64 registers_abi, registers_mask;
  const guint8 *registers; /* n_registers u64 */
  guint n_registers;
  const guint8 *stack; /* stack_length bytes from the stack pointer upwards; NULL none */
  guint64 stack_length;
  gboolean stack_is_cut; /* more was asked for, but was not in memory */
} ProfilePerfSample;

/* False when the record is shorter than its event's fields ask for. */
gboolean profile_perf_sample_parse(const ProfilePerfRecord *record, ProfilePerfSample *ret);

G_END_DECLS
