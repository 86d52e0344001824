/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine that is being recorded, which is this one. */
#ifndef RECORDER_MACHINE_H
#define RECORDER_MACHINE_H

#include "unwind/walk/walk-types.h"

#ifdef __aarch64__
#define RECORDER_MACHINE WALK_AARCH64
#else
#define RECORDER_MACHINE WALK_X86_64
#endif

#endif
