/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/names/unwind-symbols-private.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#define PAGE         4096u
#define CAPACITY_MIN 1024u

void unwind_symbols_clear(struct unwind_symbols *symbols)
{
  free(symbols->items);
  *symbols = (struct unwind_symbols){0};
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
  uint64_t sum;

  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static int symbols_grow(struct unwind_symbols *symbols)
{
  size_t capacity = symbols->capacity ? 2 * symbols->capacity : CAPACITY_MIN;
  struct unwind_symbol *items =
      capacity <= UINT32_MAX ? reallocarray(symbols->items, capacity, sizeof *symbols->items) : NULL;

  if (!items)
    return -ENOMEM;
  symbols->items = items;
  symbols->capacity = capacity;
  return 0;
}

int unwind_symbols_add(struct unwind_symbols *symbols, uint64_t start, uint64_t size, uint8_t binding,
                       const char *name, uint32_t length)
{
  if (symbols->n == symbols->capacity) {
    int error = symbols_grow(symbols);

    if (error < 0)
      return error;
  }
  symbols->items[symbols->n] = (struct unwind_symbol){.start = start,
                                                      .end = add_saturated(start, size),
                                                      .name = name,
                                                      .length = length,
                                                      .order = (uint32_t)symbols->n,
                                                      .binding = binding};
  symbols->n++;
  return 0;
}

static int symbols_compare(const void *a, const void *b)
{
  const struct unwind_symbol *x = a, *y = b;

  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static void symbols_number(struct unwind_symbols *symbols)
{
  uint64_t reach = 0;

  for (size_t i = 0; i < symbols->n; i++) {
    if (symbols->items[i].end > reach)
      reach = symbols->items[i].end;
    symbols->items[i].reach = reach;
    symbols->items[i].order = (uint32_t)i;
  }
}

void unwind_symbols_sort(struct unwind_symbols *symbols)
{
  if (symbols->n > 0)
    qsort(symbols->items, symbols->n, sizeof *symbols->items, symbols_compare);
  symbols_number(symbols);
}

static void set_ends(struct unwind_symbols *symbols)
{
  for (size_t i = 0; i < symbols->n; i++) {
    struct unwind_symbol *symbol = &symbols->items[i];

    if (symbol->end != symbol->start)
      continue;
    symbol->sizeless = true;
    if (i + 1 < symbols->n)
      symbol->end = symbols->items[i + 1].start;
    else
      symbol->end = add_saturated(symbol->start, PAGE + (PAGE - symbol->start % PAGE) % PAGE);
  }
}

/* Where the name that a person wrote begins: behind what C++ and Rust put before it. */
static uint32_t find_written(const struct unwind_symbol *symbol)
{
  uint32_t at = 2;

  if (symbol->length < 3 || symbol->name[0] != '_' || (symbol->name[1] != 'Z' && symbol->name[1] != 'R'))
    return 0;
  while (at < symbol->length && (symbol->name[at] < '0' || symbol->name[at] > '9'))
    at++;
  while (at < symbol->length && symbol->name[at] >= '0' && symbol->name[at] <= '9')
    at++;
  return at;
}

static uint32_t count_underscores(const struct unwind_symbol *symbol)
{
  uint32_t first = find_written(symbol), at = first;

  while (at < symbol->length && symbol->name[at] == '_')
    at++;
  return at - first;
}

/* C1 and C2, or D1 and D2: constructors, and destructors, of one body. */
static bool is_variant(const char *name, uint32_t at)
{
  return at > 0 && (name[at - 1] == 'C' || name[at - 1] == 'D') && name[at] >= '0' && name[at] <= '4';
}

/* Whether a is b with the constraints of its template, which stand behind a Q. GCC names such a function in
 * the older way, too; demanglers read that alone, so profile/ takes it. */
static bool has_constraints(const struct unwind_symbol *a, const struct unwind_symbol *b)
{
  uint32_t same = 0;

  while (same < a->length && same < b->length &&
         (a->name[same] == b->name[same] || (is_variant(a->name, same) && is_variant(b->name, same))))
    same++;
  return same > 2 && a->name[0] == '_' && a->name[1] == 'Z' && same < a->length && a->name[same] == 'Q';
}

/* Of two with the same start. */
static bool is_first_better(const struct unwind_symbol *a, const struct unwind_symbol *b)
{
  if ((a->end == a->start) != (b->end == b->start))
    return b->end == b->start;
  if (count_underscores(a) != count_underscores(b))
    return count_underscores(a) < count_underscores(b);
  if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
    return b->binding == STB_WEAK;
  if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
    return a->binding == STB_GLOBAL;
  if (has_constraints(a, b) || has_constraints(b, a))
    return has_constraints(b, a);
  return a->length >= b->length;
}

static void symbols_choose(struct unwind_symbols *symbols)
{
  struct unwind_symbol *items = symbols->items;
  size_t kept = 0;

  for (size_t i = 0; i < symbols->n; i++) {
    if (kept == 0 || items[kept - 1].start != items[i].start)
      items[kept++] = items[i];
    else if (!is_first_better(&items[kept - 1], &items[i]))
      items[kept - 1] = items[i];
  }
  symbols->n = kept;
}

void unwind_symbols_settle(struct unwind_symbols *symbols)
{
  unwind_symbols_sort(symbols);
  set_ends(symbols);
  symbols_choose(symbols);
  symbols_number(symbols);
}

/* How many begin at or before offset. */
static size_t count_until(const struct unwind_symbols *symbols, uint64_t offset)
{
  size_t low = 0, high = symbols->n;

  while (low < high) {
    size_t middle = low + (high - low) / 2;

    if (symbols->items[middle].start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct unwind_symbol *unwind_symbols_find(const struct unwind_symbols *symbols, uint64_t offset,
                                                uint64_t *ret_start, uint64_t *ret_end)
{
  const struct unwind_symbol *items = symbols->items;
  size_t next = count_until(symbols, offset);
  uint64_t bound = next < symbols->n ? items[next].start : UINT64_MAX, inner_end = 0;

  for (size_t i = next; i > 0 && items[i - 1].reach > offset; i--) {
    const struct unwind_symbol *symbol = &items[i - 1];

    if (symbol->end > offset) {
      *ret_start = symbol->start > inner_end ? symbol->start : inner_end;
      *ret_end = symbol->end < bound ? symbol->end : bound;
      return symbol;
    }
    if (symbol->end > inner_end)
      inner_end = symbol->end;
  }
  *ret_start = next > 0 ? items[next - 1].reach : 0;
  *ret_end = bound;
  return NULL;
}
