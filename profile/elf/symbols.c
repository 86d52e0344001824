/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/elf/symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/demangle.h"

#define PAGE 4096

typedef struct {
  ProfileSymbol symbol;
  guint64 reach; /* the largest end among this and those before it */
  gsize order;   /* in which it was added */
} Entry;

struct _ProfileSymbols {
  GArray *entries;
  GPtrArray *texts;
};

ProfileSymbols *profile_symbols_new(void)
{
  ProfileSymbols *self = g_new0(ProfileSymbols, 1);

  self->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
  self->texts = g_ptr_array_new_with_free_func(g_free);
  return self;
}

void profile_symbols_free(ProfileSymbols *self)
{
  g_array_unref(self->entries);
  g_ptr_array_unref(self->texts);
  g_free(self);
}

void profile_symbols_keep(ProfileSymbols *self, gpointer text)
{
  g_ptr_array_add(self->texts, text);
}

static guint64 add_saturated(guint64 a, guint64 b)
{
  return a + MIN(b, G_MAXUINT64 - a);
}

void profile_symbols_add(ProfileSymbols *self, guint64 start, guint64 length, guint8 binding,
                         const char *name)
{
  Entry entry = {.symbol = {start, add_saturated(start, length), name, binding, FALSE},
                 .order = self->entries->len};

  if (strnlen(name, PROFILE_SYMBOLS_NAME_MAX + 1) <= PROFILE_SYMBOLS_NAME_MAX)
    g_array_append_val(self->entries, entry);
}

static int symbols_compare(const void *a, const void *b)
{
  const Entry *x = a, *y = b;

  if (x->symbol.start != y->symbol.start)
    return x->symbol.start < y->symbol.start ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static void number_entries(ProfileSymbols *self)
{
  Entry *entries = (Entry *)(gpointer)self->entries->data;
  guint64 reach = 0;

  for (guint i = 0; i < self->entries->len; i++) {
    reach = MAX(reach, entries[i].symbol.end);
    entries[i].reach = reach;
    entries[i].order = i;
  }
}

void profile_symbols_sort(ProfileSymbols *self)
{
  if (self->entries->len > 0)
    qsort(self->entries->data, self->entries->len, sizeof(Entry), symbols_compare);
  number_entries(self);
}

static void set_ends(Entry *entries, guint n)
{
  for (guint i = 0; i < n; i++) {
    ProfileSymbol *symbol = &entries[i].symbol;

    if (symbol->end != symbol->start)
      continue;
    symbol->sizeless = TRUE;
    if (i + 1 < n)
      symbol->end = entries[i + 1].symbol.start;
    else
      symbol->end = add_saturated(symbol->start, PAGE + (PAGE - symbol->start % PAGE) % PAGE);
  }
}

static gsize count_underscores(const char *name)
{
  return strspn(name, "_");
}

/* Of two symbols with the same start, of which both or none has a size. */
static gboolean is_first_name_better(const ProfileSymbol *a, const ProfileSymbol *b)
{
  g_autofree char *demangled_a = profile_demangle(a->name);
  g_autofree char *demangled_b = profile_demangle(b->name);
  const char *name_a = demangled_a ? demangled_a : a->name;
  const char *name_b = demangled_b ? demangled_b : b->name;

  if (count_underscores(name_a) != count_underscores(name_b))
    return count_underscores(name_a) < count_underscores(name_b);
  if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
    return b->binding == STB_WEAK;
  if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
    return a->binding == STB_GLOBAL;
  return strlen(name_a) >= strlen(name_b);
}

/* Of two symbols with the same start. */
static gboolean is_first_better(const ProfileSymbol *a, const ProfileSymbol *b)
{
  if ((a->end == a->start) != (b->end == b->start))
    return b->end == b->start;
  return is_first_name_better(a, b);
}

static guint symbols_choose(Entry *entries, guint n)
{
  guint kept = 0;

  for (guint i = 0; i < n; i++) {
    if (kept > 0 && entries[kept - 1].symbol.start == entries[i].symbol.start) {
      if (!is_first_better(&entries[kept - 1].symbol, &entries[i].symbol))
        entries[kept - 1] = entries[i];
    } else {
      entries[kept++] = entries[i];
    }
  }
  return kept;
}

void profile_symbols_settle(ProfileSymbols *self)
{
  Entry *entries = (Entry *)(gpointer)self->entries->data;

  profile_symbols_sort(self);
  set_ends(entries, self->entries->len);
  g_array_set_size(self->entries, symbols_choose(entries, self->entries->len));
  number_entries(self);
}

gsize profile_symbols_get_n(const ProfileSymbols *self)
{
  return self->entries->len;
}

/* How many begin at or before offset. */
static guint count_until(const Entry *entries, guint n, guint64 offset)
{
  guint low = 0, high = n;

  while (low < high) {
    guint middle = low + (high - low) / 2;

    if (entries[middle].symbol.start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const ProfileSymbol *profile_symbols_lookup(const ProfileSymbols *self, guint64 offset, guint64 *ret_start,
                                            guint64 *ret_end)
{
  const Entry *entries = (const Entry *)(gconstpointer)self->entries->data;
  guint next = count_until(entries, self->entries->len, offset);
  guint64 inner_end = 0;

  for (guint i = next; i > 0 && entries[i - 1].reach > offset; i--) {
    const ProfileSymbol *symbol = &entries[i - 1].symbol;

    if (symbol->end > offset) {
      *ret_start = MAX(symbol->start, inner_end);
      *ret_end = next < self->entries->len ? MIN(symbol->end, entries[next].symbol.start) : symbol->end;
      return symbol;
    }
    inner_end = MAX(inner_end, symbol->end);
  }
  *ret_start = next > 0 ? entries[next - 1].reach : 0;
  *ret_end = next < self->entries->len ? entries[next].symbol.start : G_MAXUINT64;
  return NULL;
}
