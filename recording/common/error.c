/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/error.h"

G_DEFINE_QUARK(recording - error - quark, recording_error)
