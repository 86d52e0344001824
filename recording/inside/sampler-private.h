/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program that was let in to speak: its connection, from HELLO to its end. One thread at a time. */
#pragma once

#include <glib.h>

#include "recording/collect/collector.h"
#include "recording/inside/samplers.h"
#include "recording/inside/tables-private.h"

G_BEGIN_DECLS

typedef struct _RecordingSampler RecordingSampler;

typedef struct {
  RecordingCollector *collector;
  RecordingTables *tables;
  const RecordingSamplersSettings *settings;
  guint64 memory_max; /* bytes of windows that it may bring */
  gint n_joined;      /* atomic: programs that ever did */
  int epoll;          /* tells, with the program as its data, when it is to be served */
} RecordingSamplerHost;

typedef enum {
  RECORDING_SAMPLER_SILENT, /* it has not said HELLO yet */
  RECORDING_SAMPLER_JOINED, /* its windows are a stream */
  RECORDING_SAMPLER_OVER    /* it is gone, or is to go: free it */
} RecordingSamplerState;

/* Takes the socket, which must not block. The host must outlive it. */
RecordingSampler *recording_sampler_new(int socket, gint32 pid, RecordingSamplerHost *host);
/* Takes what the program says, and sends what waits for room. Does not block. */
RecordingSamplerState recording_sampler_serve(RecordingSampler *self);
RecordingSamplerState recording_sampler_get_state(RecordingSampler *self);
gint32 recording_sampler_get_pid(RecordingSampler *self);
/* Bytes of windows; 0 before it joined. */
guint64 recording_sampler_get_memory(RecordingSampler *self);
/* Ends the connection and gives its stream back to the collector. */
void recording_sampler_free(RecordingSampler *self);

G_END_DECLS
