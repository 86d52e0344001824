/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes what a filter and its transforms left of a capture in formats of other programs. Each function
 * writes to a stream that it neither buffers nor closes, blocks, and may be called from any thread (of a
 * loaded capture). What it writes depends on the capture, the filter and the options alone. On failure a part
 * may have been written; the error is the stream's or G_IO_ERROR_CANCELLED.
 */
#pragma once

#include "profile/capture/weights.h"

G_BEGIN_DECLS

/* Of pictures; what other formats leave alone. */
typedef struct {
  const char *title; /* NULL: the recorded command */
  double min_share;  /* functions under this share of the samples are left out, 0 … 1 */
} ProfileExportOptions;

#define PROFILE_EXPORT_MIN_SHARE 0.0005

/*
 * Folded stacks: a line a path of functions, outermost first, "main;read;vfs_read_[k] 12". The number is the
 * count of samples, of time off the CPU the nanoseconds. `;` in names becomes `:`, control characters become
 * spaces, kernel functions end in _[k], functions of code made at run time in _[j]. Samples without a stack
 * are the line "[no stack]".
 */
gboolean profile_export_folded(ProfileWeights *weights, const ProfileExportOptions *options,
                               GOutputStream *stream, GCancellable *cancellable, GError **error);

/*
 * pprof's profile.proto, compressed with gzip. Sample types are "samples/count" (the default one) and the
 * event with its unit, which is the default one of time off the CPU. Each stack node that was sampled is a
 * sample; each address is a location, with a line for what was inlined there, where a program told of it.
 * Binaries are laid side by side in an address space of their own, so that address - start is the offset in
 * the file; kernel addresses are real. Transformed stacks consist of functions: each of these is a location
 * without an address then, in the mapping of its binary.
 */
gboolean profile_export_pprof(ProfileWeights *weights, const ProfileExportOptions *options,
                              GOutputStream *stream, GCancellable *cancellable, GError **error);

/*
 * .syscap, Sysprof's format. Every sample that passes is one of Sysprof's, whatever its event. These have no
 * weight. So samples of an event in bytes, as of allocations, are allocations of Sysprof's with their size;
 * where both events tell addresses, its frees are among them. Time off the CPU has a mark for each sample
 * beside it. Frames that have an address keep it, with the mappings and symbols that name it; functions that
 * programs named, and addresses that stood for several functions at different times, are addresses of their
 * own (0xE0…) with a JITMAP. Names are as here, whatever Sysprof would find itself. Marks, counters and lines
 * of logs come with it; times are the capture's. Stacks that do not fit a frame of 65,528 bytes lose their
 * outermost frames. Transformed stacks consist of functions: all of them are addresses of their own then.
 */
gboolean profile_export_syscap(ProfileWeights *weights, const ProfileExportOptions *options,
                               GOutputStream *stream, GCancellable *cancellable, GError **error);

/*
 * A flame graph as one file that needs nothing else: readable as a picture, and with a script in it
 * for zoom, search and the keyboard where scripts run.
 */
gboolean profile_export_svg(ProfileWeights *weights, const ProfileExportOptions *options,
                            GOutputStream *stream, GCancellable *cancellable, GError **error);

G_END_DECLS
