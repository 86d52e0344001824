/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The name that a person wrote, for a linkage name of C++ (with parameters), Rust (without its hash) or D;
 * newly allocated, NULL when it is none of them. A symbol version behind '@' is kept. Hostile names are
 * bounded: more than 8 KiB in or 64 KiB out stay as they are, and so does what may stand for very much more
 * in D. Thread-safe. */
char *profile_demangle(const char *linkage_name);

G_END_DECLS
