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

/* What compilers put behind the name of a part or a copy of a function. Without a number most are words that
 * stand behind a dot in Go's own names. */
static const struct {
  const char *word;
  gboolean stands_alone;
} part_suffixes[] = {{"cold", TRUE},   {"localalias", TRUE}, {"abi0", TRUE},   {"abiinternal", TRUE},
                     {"part", FALSE},  {"constprop", FALSE}, {"isra", FALSE},  {"llvm", FALSE},
                     {"clone", FALSE}, {"lto_priv", FALSE},  {"__uniq", FALSE}};

static gboolean is_part_suffix(const char *text, gsize length, gboolean numbered)
{
  for (gsize i = 0; i < G_N_ELEMENTS(part_suffixes); i++)
    if (strlen(part_suffixes[i].word) == length && strncmp(part_suffixes[i].word, text, length) == 0)
      return numbered || part_suffixes[i].stands_alone;
  return FALSE;
}

/* Where the last word behind a dot begins, its dot left out; 0: there is none, or nothing before it. */
static gsize find_last_word(const char *name, gsize length)
{
  gsize at = length;

  while (at > 0 && name[at - 1] != '.')
    at--;
  return at > 1 ? at : 0;
}

/* The length of a name without its last suffix; the same length when it has none. */
static gsize cut_suffix(const char *name, gsize length)
{
  gsize at = find_last_word(name, length), end = length;
  gboolean numbered = at > 0 && strspn(name + at, "0123456789") >= length - at;

  if (numbered) {
    end = at - 1;
    at = find_last_word(name, end);
  }
  return at > 0 && is_part_suffix(name + at, end - at, numbered) ? at - 1 : length;
}

/* The length of a name without symbol version and suffixes. "NAME@plt" is the linker's stub, and no version.
 */
static gsize find_written(const char *name)
{
  const char *version = strchr(name, '@');
  gsize length =
      version && version > name && !g_str_equal(version, "@plt") ? (gsize)(version - name) : strlen(name);
  gsize shorter;

  while ((shorter = cut_suffix(name, length)) < length)
    length = shorter;
  return length;
}

/* Of the stub as of its function. */
static char *demangle_stub(const char *name)
{
  g_autofree char *function = g_strndup(name, strlen(name) - strlen("@plt"));
  g_autofree char *text = demangle_plain(function);

  return text ? g_strconcat(text, "@plt", NULL) : NULL;
}

char *profile_demangle(const char *linkage_name)
{
  g_autofree char *written = NULL;
  gsize length = strnlen(linkage_name, NAME_LENGTH_MAX + 1);
  char *text;

  if (length > NAME_LENGTH_MAX)
    return NULL;
  if (g_str_has_suffix(linkage_name, "@plt"))
    return demangle_stub(linkage_name);
  written = g_strndup(linkage_name, find_written(linkage_name));
  text = written[0] == '_' ? demangle_plain(written) : NULL;
  return text || strlen(written) == length ? text : g_steal_pointer(&written);
}
