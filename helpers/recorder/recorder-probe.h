/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel lets this recorder open, by trying. */
#ifndef RECORDER_PROBE_H
#define RECORDER_PROBE_H

#include "helpers/recorder-protocol.h"

/* Opens each event and closes it again; *ret has an errno per event, 0 where it could be opened. */
void recorder_probe(const struct recorder_probe *probe, struct recorder_probed *ret);

#endif
