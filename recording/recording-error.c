/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recording-error.h"

G_DEFINE_QUARK(recording - error - quark, recording_error)
