/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lets polkit ask for a password on the terminal, where there is one and no desktop that asks: pkttyagent,
 * for as long as this lives. One thread at a time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RecordingAgent RecordingAgent;

/* Starts it; NULL where there is no terminal, or no such program. */
RecordingAgent *recording_agent_new(void);
/* Reads end of file as soon as it can ask. */
int recording_agent_get_fd(RecordingAgent *self);
/* Ends it. NULL is ignored. */
void recording_agent_free(RecordingAgent *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingAgent, recording_agent_free)

G_END_DECLS
