/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which way a recording goes: who opens the events. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  RECORDING_VIA_AUTO,   /* directly where BPF programs are permitted, else through the service, else directly;
                         * a command by the preloaded sampler where neither is permitted */
  RECORDING_VIA_DIRECT, /* a recorder that the caller starts, with the caller's rights */
  RECORDING_VIA_SERVICE, /* the system service captured, docs/dbus.md */
  RECORDING_VIA_PRELOAD  /* from inside a command, by a library that it is started with, docs/inside.md */
} RecordingVia;

/* As `--via` and captures' metadata "via" name it: auto, direct, daemon, preload. */
const char *recording_via_to_string(RecordingVia via);

G_END_DECLS
