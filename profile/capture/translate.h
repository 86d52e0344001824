/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same things in two captures of one recording, which have indices of their own: as it was loaded and
 * with names, or as far as it had come and further. A function of `from` is, in `to`, the one that holds a
 * frame that it held: an address without a name may have become a part of a function. Readable from any
 * thread.
 */
#pragma once

#include "profile/capture/transform.h"

G_BEGIN_DECLS

/* What they return where `to` does not have it: */
#define PROFILE_TRANSLATE_NOTHING G_MAXUINT32

/* Functions of stacks, those that binaries were collapsed into among them. Costs a pass over the frames, of
 * `to` as well unless both share theirs; so many at once cost no more than one. ret_functions has room for n
 * and may be `functions`. */
void profile_capture_translate_functions(ProfileCapture *from, ProfileCapture *to, const guint32 *functions,
                                         guint n, guint32 *ret_functions);
guint32 profile_capture_translate_function(ProfileCapture *from, ProfileCapture *to, guint32 function);

/* Indices. The kernel as a binary, G_MAXUINT32, is itself. */
guint32 profile_capture_translate_binary(ProfileCapture *from, ProfileCapture *to, guint32 binary);
guint32 profile_capture_translate_process(ProfileCapture *from, ProfileCapture *to, guint32 process);
guint32 profile_capture_translate_thread(ProfileCapture *from, ProfileCapture *to, guint32 thread);
guint32 profile_capture_translate_event(ProfileCapture *from, ProfileCapture *to, guint32 event);

/* NULL when a function or binary of it is not in `to`. */
ProfileTransform *profile_transform_translate(const ProfileTransform *self, ProfileCapture *from,
                                              ProfileCapture *to);

G_END_DECLS
