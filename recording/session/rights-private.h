/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recorder of the caller's own could have, found out without starting one. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* FALSE when it certainly has none of the capabilities that BPF programs take. */
gboolean recording_rights_may_have_bpf(void);
/* FALSE when nobody can walk stacks in BPF on this kernel: then the service has nothing over a recorder that
 * is permitted. */
gboolean recording_rights_kernel_takes_bpf(void);
/* Whether the kernel refuses this process events on itself. */
gboolean recording_rights_are_refused(void);

G_END_DECLS
