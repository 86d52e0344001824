/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verbs of capturectl. To add one: a line here, capturectl-VERB.c with capturectl_VERB(), the file in
 * meson.build.
 *
 * A verb gets its own arguments: argv[0] is "capturectl VERB", argv[argc] is NULL. It returns the exit
 * status: 0 done, 1 something failed (after one sentence on standard error, see capturectl-command.h),
 * 2 wrong usage; `record` passes on the recorded command's own. main flushes standard output
 * and reports what could not be written there, so a verb need not look at each printf.
 */
#pragma once

#include <glib/gi18n.h>

/* In the order in which --help lists them: VERB(name, one line of help). */
/* clang-format off */
#define CAPTURECTL_VERBS(VERB) \
  VERB(record, N_("Record a command, processes or everything")) \
  VERB(report, N_("Show where the time of a capture went")) \
  VERB(annotate, N_("Show the source of a function, with what each line costs")) \
  VERB(symbols, N_("List the files whose functions have no names, and get the names from servers")) \
  VERB(export, N_("Write a capture in a format of other programs")) \
  VERB(import, N_("Convert a perf.data or .syscap file into a capture")) \
  VERB(info, N_("Summarize a capture: what it holds, and how it ended")) \
  VERB(check, N_("Verify a capture, and recover one that was cut off or damaged")) \
  VERB(dump, N_("Print every record of a capture as text")) \
  VERB(doctor, N_("Say what this machine permits, and the command that fixes what it does not"))
/* clang-format on */

#define CAPTURECTL_DECLARE_VERB(name, help) int capturectl_##name(int argc, char **argv);
CAPTURECTL_VERBS(CAPTURECTL_DECLARE_VERB)
#undef CAPTURECTL_DECLARE_VERB
