/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The name that a person wrote, for a linkage name: C++ with parameters, Rust without its hash, and D as they
 * are read; without the symbol version behind '@', and without what compilers put behind parts and copies of
 * a function (".cold", ".constprop.0"). Newly allocated; NULL when the linkage name is that already. Hostile
 * names are bounded: more than 8 KiB in or 64 KiB out stay as they are, and so does what may stand for very
 * much more in D. Thread-safe. */
char *profile_demangle(const char *linkage_name);

G_END_DECLS
