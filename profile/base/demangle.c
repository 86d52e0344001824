/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/demangle.h"

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else /* as Fedora's binutils-devel has it */
#include <demangle.h>
#endif
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LENGTH_MAX      8192
#define DEMANGLED_LENGTH_MAX (64 * 1024)
/* Of D, whose demangler says nothing before it is done. */
#define D_REFERENCES_MAX 48
#define D_LENGTH_MAX     ((gsize)64 * 1024 * 1024)
#define OPTIONS          (DMGL_PARAMS | DMGL_ANSI)

typedef struct {
  GString *text;
  jmp_buf too_long;
} Output;

/* A hundred bytes may stand for more text than anybody has time or memory for, and the demangler asks nobody
 * whether to go on: it is left in the midst, where it has nothing to free. (Rust's may leave one identifier
 * behind.) */
static void demangle_collect(const char *text, size_t length, void *data)
{
  Output *output = data;

  if (length > DEMANGLED_LENGTH_MAX - output->text->len)
    longjmp(output->too_long, 1);
  g_string_append_len(output->text, text, (gssize)length);
}

typedef int (*DemangleFunc)(const char *mangled, int options, demangle_callbackref callback, void *data);

static gboolean demangle_run(DemangleFunc demangle, const char *name, Output *output)
{
  if (setjmp(output->too_long))
    return FALSE;
  return demangle(name, OPTIONS, demangle_collect, output) != 0;
}

static char *demangle_with(DemangleFunc demangle, const char *name)
{
  Output output = {.text = g_string_new(NULL)};
  gboolean done = demangle_run(demangle, name, &output) && output.text->len > 0;

  return g_string_free(output.text, !done);
}

/* How long what a name stands for may become: each of its n references (and of the letters that look like
 * one) says again what stands before. Most comes of three to what has three itself, and so on: 3 to the n
 * / 3. */
static gboolean is_short_d(const char *name)
{
  gsize n = 0;

  for (const char *c = name; *c; c++)
    n += *c == 'Q';
  return n <= D_REFERENCES_MAX && strlen(name) << (n * 8 / 15) <= D_LENGTH_MAX;
}

static char *demangle_d(const char *name)
{
  char *text = is_short_d(name) ? dlang_demangle(name, OPTIONS) : NULL;
  char *copy = text && strlen(text) <= DEMANGLED_LENGTH_MAX ? g_strdup(text) : NULL;

  free(text);
  return copy;
}

static char *demangle_plain(const char *name)
{
  char *text = NULL;

  if (g_str_has_prefix(name, "_R") || g_str_has_prefix(name, "_ZN"))
    text = demangle_with(rust_demangle_callback, name);
  if (!text && (g_str_has_prefix(name, "_Z") || g_str_has_prefix(name, "_GLOBAL_")))
    text = demangle_with(cplus_demangle_v3_callback, name);
  if (!text && name[0] == '_' && name[1] == 'D' && (g_ascii_isdigit(name[2]) || g_str_equal(name, "_Dmain")))
    text = demangle_d(name);
  return text;
}

char *profile_demangle(const char *linkage_name)
{
  const char *version;
  g_autofree char *plain = NULL;
  g_autofree char *text = NULL;

  if (linkage_name[0] != '_' || strnlen(linkage_name, NAME_LENGTH_MAX + 1) > NAME_LENGTH_MAX)
    return NULL;
  version = strchr(linkage_name, '@');
  if (!version)
    return demangle_plain(linkage_name);
  plain = g_strndup(linkage_name, (gsize)(version - linkage_name));
  text = demangle_plain(plain);
  return text ? g_strconcat(text, version, NULL) : NULL;
}
