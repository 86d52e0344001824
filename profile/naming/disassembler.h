/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code of functions as text. */
#pragma once

#include "profile/capture/function-code.h"

G_BEGIN_DECLS

/* Finds the bytes of each part of a function of the capture's (in the capture; else in the file, if it is the
 * one that was mapped, or in this machine's kernel, if it is the one that was recorded) and has them decoded
 * by a confined process. Also names what they call, where the file is here. A part of which there are no
 * bytes says so; NULL only when cancelled. Any thread; blocking. */
ProfileFunctionCode *profile_disassembler_decode(ProfileCapture *capture, guint32 function,
                                                 GCancellable *cancellable, GError **error);

G_END_DECLS
