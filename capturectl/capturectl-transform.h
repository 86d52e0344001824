/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --transform KIND:WHAT: functions are given by name, binaries by path or its last part, paths as names
 * joined by ";". */
#pragma once

#include "profile/capture/weights.h"

G_BEGIN_DECLS

/* Gives the filter stacks with one transform more. WHAT is looked for in its stacks as they are by now: of
 * several functions of one name the one with most samples is meant, of several paths the one with most at
 * each step. False, and an error whose message is a whole sentence, when it is not understood or not there.
 */
gboolean capturectl_transform_apply(ProfileFilter *filter, const char *text, GError **error);
/* Prints each KIND on a line if "help" is among the texts (NULL: there are none) and returns the exit status;
 * else -1. */
int capturectl_transform_help(char **texts);

G_END_DECLS
