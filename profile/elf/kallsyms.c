/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/elf/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "profile/base/cache-path.h"
#include "profile/elf/kallsyms-private.h"

#define TEXT_MAX       ((gsize)256 << 20)
#define LINE_MIN       20 /* 16 digits, blank, type, blank, one letter */
#define BYTES_A_SYMBOL 24 /* about half of the average line, so that columns rarely grow */
#define PAGE           G_GUINT64_CONSTANT(4096)

/* Whether a symbol of that type names code or data of the kernel. */
static const gboolean is_wanted[256] = {
    ['T'] = 1, ['t'] = 1, ['W'] = 1, ['w'] = 1, ['D'] = 1, ['d'] = 1, ['B'] = 1, ['b'] = 1};

/* Eight hexadecimal digits at once: each byte becomes its nibble, then neighbours are joined. */
G_ALWAYS_INLINE static inline guint64 parse_eight(const char *digits)
{
  guint64 x;

  memcpy(&x, digits, sizeof x);
  x = GUINT64_FROM_LE(x);
  x = (x & 0x0f0f0f0f0f0f0f0fu) + 9 * ((x >> 6) & 0x0101010101010101u);
  x = ((x << 4) | (x >> 8)) & 0x00ff00ff00ff00ffu;
  x = (x | (x >> 8)) & 0x0000ffff0000ffffu;
  return GUINT32_SWAP_LE_BE((guint32)(x | (x >> 16)));
}

/* Any other line, as 32-bit kernels have: the length of "ADDRESS T ", 0 when it is none. */
G_NO_INLINE static gsize parse_short_line(const char *line, gsize length, guint64 *ret_address,
                                          guchar *ret_type)
{
  gsize digits = 0;
  guint64 address = 0;

  while (digits < length && digits < 16 && g_ascii_isxdigit(line[digits]))
    address = address << 4 | (guint64)g_ascii_xdigit_value(line[digits++]);
  if (digits == 0 || length < digits + 4 || line[digits] != ' ' || line[digits + 2] != ' ')
    return 0;
  *ret_address = address;
  *ret_type = (guchar)line[digits + 1];
  return digits + 3;
}

G_ALWAYS_INLINE static inline gsize parse_line(const char *line, gsize length, guint64 *ret_address,
                                               guchar *ret_type)
{
  if (length < LINE_MIN || line[16] != ' ' || line[18] != ' ')
    return parse_short_line(line, length, ret_address, ret_type);
  *ret_address = parse_eight(line) << 32 | parse_eight(line + 8);
  *ret_type = (guchar)line[17];
  return 19;
}

/* Nearly every line ends within 64 bytes: looking at them at once is cheaper than a call of memchr. */
G_ALWAYS_INLINE static inline const char *find_line_end(const char *line, const char *end)
{
  const char *from = line, *stop;

#ifdef __SSE2__
  if (end - line >= 64) {
    const __m128i newline = _mm_set1_epi8('\n');
    guint64 found = 0;

    for (guint i = 0; i < 4; i++) {
      __m128i bytes = _mm_loadu_si128((const __m128i *)(gconstpointer)(line + 16 * i));
      found |= (guint64)(guint32)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, newline)) << (16 * i);
    }
    if (found)
      return line + __builtin_ctzll(found);
    from += 64;
  }
#endif
  stop = memchr(from, '\n', (gsize)(end - from));
  return stop ? stop : end;
}

/* Columns that grow together: addresses first, then names. */
typedef struct {
  guint64 *addresses;
  guint32 *names;
  gsize n, room;
  gboolean sorted;
  guint64 any; /* all addresses, of symbols of any type, or-ed */
} Columns;

static void columns_grow(Columns *self, gsize room)
{
  self->addresses = g_renew(guint64, self->addresses, room);
  self->names = g_renew(guint32, self->names, room);
  self->room = room;
}

static void kallsyms_parse(Columns *self, const char *text, gsize length)
{
  const char *end = text + length;
  guint64 last = 0;

  for (const char *line = text; line < end;) {
    const char *stop = find_line_end(line, end);
    guint64 address = 0;
    guchar type = 0;
    gsize name;

    name = parse_line(line, (gsize)(stop - line), &address, &type);
    self->any |= name ? address : 0;
    if (name && is_wanted[type]) {
      if (self->n == self->room)
        columns_grow(self, self->room * 2);
      self->sorted &= address >= last;
      last = address;
      self->addresses[self->n] = address;
      self->names[self->n++] = (guint32)(line + name - text);
    }
    line = stop + 1;
  }
}

typedef struct {
  guint64 address;
  guint32 name;
} Pair;

static int kallsyms_compare(const void *a, const void *b)
{
  const Pair *x = a, *y = b;

  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  return x->name < y->name ? -1 : x->name > y->name;
}

static void columns_sort(Columns *self)
{
  g_autofree Pair *pairs = g_new(Pair, self->n);

  for (gsize i = 0; i < self->n; i++)
    pairs[i] = (Pair){self->addresses[i], self->names[i]};
  qsort(pairs, self->n, sizeof *pairs, kallsyms_compare);
  for (gsize i = 0; i < self->n; i++) {
    self->addresses[i] = pairs[i].address;
    self->names[i] = pairs[i].name;
  }
}

ProfileKallsyms *profile_kallsyms_new(char *text, gsize length)
{
  ProfileKallsyms *self = g_new0(ProfileKallsyms, 1);
  Columns columns = {.sorted = TRUE};

  length = MIN(length, TEXT_MAX);
  columns_grow(&columns, length / BYTES_A_SYMBOL + 16);
  kallsyms_parse(&columns, text, length);
  if (!columns.sorted)
    columns_sort(&columns);
  self->addresses = self->owned = columns.addresses;
  self->names = columns.names;
  self->owned_names = columns.names;
  self->n = columns.n;
  self->text = self->owned_text = text;
  self->text_length = length;
  self->hidden = columns.any == 0;
  return self;
}

void profile_kallsyms_free(ProfileKallsyms *self)
{
  g_clear_pointer(&self->map, g_mapped_file_unref);
  g_free(self->owned);
  g_free(self->owned_names);
  g_free(self->owned_text);
  g_free(self);
}

gboolean profile_kallsyms_is_hidden(const ProfileKallsyms *self)
{
  return self->hidden;
}

gsize profile_kallsyms_get_n(const ProfileKallsyms *self)
{
  return self->n;
}

/* How many begin at or before address. */
static gsize count_until(const ProfileKallsyms *self, guint64 address)
{
  gsize low = 0, high = self->n;

  while (low < high) {
    gsize middle = low + (high - low) / 2;

    if (self->addresses[middle] <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* "name" or "name\t[module]", up to the end of the line; trusts no offset, as it may come from the cache. */
static void read_name(const ProfileKallsyms *self, gsize number, ProfileKallsym *ret)
{
  gsize at = MIN(self->names[number], self->text_length);
  const char *name = self->text + at;
  const char *stop = memchr(name, '\n', self->text_length - at);
  gsize length = stop ? (gsize)(stop - name) : self->text_length - at;
  const char *tab = memchr(name, '\t', length);

  ret->name = name;
  ret->name_length = tab ? (gsize)(tab - name) : length;
  ret->module = NULL;
  ret->module_length = 0;
  if (tab && length - ret->name_length >= 3 && tab[1] == '[' && name[length - 1] == ']') {
    ret->module = tab + 2;
    ret->module_length = length - ret->name_length - 3;
  }
}

static gboolean is_same_module(const ProfileKallsym *a, const ProfileKallsym *b)
{
  return a->module_length == b->module_length && memcmp(a->name + a->name_length, b->name + b->name_length,
                                                        a->module ? a->module_length + 3 : 0) == 0;
}

static guint64 get_end(const ProfileKallsyms *self, gsize next, const ProfileKallsym *symbol)
{
  guint64 page_end = (symbol->start + PAGE + PAGE - 1) & ~(PAGE - 1);
  ProfileKallsym other;

  page_end = page_end > symbol->start ? page_end : G_MAXUINT64;
  if (next == self->n)
    return page_end;
  read_name(self, next, &other);
  return is_same_module(symbol, &other) ? self->addresses[next] : MIN(page_end, self->addresses[next]);
}

gboolean profile_kallsyms_lookup(const ProfileKallsyms *self, guint64 address, ProfileKallsym *ret)
{
  gsize next = self->hidden ? 0 : count_until(self, address);
  ProfileKallsym symbol;

  if (next == 0)
    return FALSE;
  symbol.start = self->addresses[next - 1];
  read_name(self, next - 1, &symbol);
  symbol.end = get_end(self, next, &symbol);
  if (address < symbol.start || address >= symbol.end || symbol.name_length == 0)
    return FALSE;
  *ret = symbol;
  return TRUE;
}

gboolean profile_kallsyms_find(const ProfileKallsyms *self, const char *name, guint64 *ret_address)
{
  gsize length = strlen(name);

  for (gsize i = 0; i < self->n; i++) {
    ProfileKallsym symbol;

    read_name(self, i, &symbol);
    if (!symbol.module && symbol.name_length == length && memcmp(symbol.name, name, length) == 0) {
      *ret_address = self->addresses[i];
      return TRUE;
    }
  }
  return FALSE;
}

/* /proc/kallsyms does not say how long it is. */
static char *read_text(gsize *ret_length, GError **error)
{
  int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
  gsize length = 0, room = 8 << 20;
  g_autofree char *text = NULL;
  gssize got = fd < 0 ? -1 : 1;

  text = g_malloc(room);
  while (got > 0 && length < TEXT_MAX) {
    if (length == room)
      text = g_realloc(text, room *= 2);
    got = read(fd, text + length, room - length);
    length += got > 0 ? (gsize)got : 0;
  }
  if (got < 0) {
    int saved = errno;
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(saved), "/proc/kallsyms: %s", g_strerror(saved));
  }
  if (fd >= 0)
    close(fd);
  if (got < 0)
    return NULL;
  *ret_length = length;
  return g_steal_pointer(&text);
}

ProfileKallsyms *profile_kallsyms_new_running(gboolean use_cache, GError **error)
{
  g_autofree char *path = profile_cache_path("kallsyms");
  guint8 key[32];
  gboolean cached = use_cache && profile_kallsyms_get_key(key);
  ProfileKallsyms *self = cached ? profile_kallsyms_load(path, key) : NULL;
  gsize length;
  char *text;

  if (self)
    return self;
  text = read_text(&length, error);
  if (!text)
    return NULL;
  self = profile_kallsyms_new(text, length);
  if (cached && !self->hidden)
    profile_kallsyms_save(self, path, key, NULL); /* without a cache it is only slower */
  return self;
}
