/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and inlined functions in an ELF file that is all files at once, its own .dwo and its own alternate
 * file, if no other one follows: whatever it holds, the places hold what was asked for; and what another
 * process says is places. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf-find.h"
#include "dwarf/dwarf-object.h"

#define N_ADDRESSES 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned char sink;

static void read_text(const struct dwarf_places *places, const struct dwarf_text *text)
{
  for (uint32_t i = 0; i < text->length; i++)
    sink += ((const unsigned char *)places)[text->at + i];
}

static void read_all(const struct dwarf_places *places)
{
  const struct dwarf_place *place = dwarf_places_get(places);

  for (uint32_t i = 0; i < places->n_places; i++)
    for (uint32_t j = 0; j < place[i].n_frames; j++) {
      const struct dwarf_frame *frame = &dwarf_places_get_frames(places)[place[i].first_frame + j];

      read_text(places, &frame->function);
      read_text(places, &frame->file);
      read_text(places, &frame->declared_file);
    }
  for (uint32_t i = 0; i < places->n_missing; i++)
    read_text(places, &dwarf_places_get_missing(places)[i].path);
}

/* The second ELF file in the data, or all of it. */
static struct dwarf_bytes find_alternate(const uint8_t *data, size_t size)
{
  const uint8_t *second = size > SELFMAG ? memmem(data + 1, size - 1, ELFMAG, SELFMAG) : NULL;

  return second ? (struct dwarf_bytes){second, size - (size_t)(second - data)}
                : (struct dwarf_bytes){data, size};
}

static int is_asked_for(const struct dwarf_place *place, const uint64_t *addresses, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (place->start <= addresses[i] && addresses[i] < place->end)
      return 1;
  return 0;
}

static void check(const struct dwarf_places *places, const uint64_t *addresses, size_t n)
{
  if (!dwarf_places_are_valid(places, places->size) || dwarf_places_are_valid(places, places->size - 1))
    abort();
  for (uint32_t i = 0; i < places->n_places; i++)
    if (!is_asked_for(&dwarf_places_get(places)[i], addresses, n))
      abort();
  for (size_t i = 0; i < n; i++) {
    const struct dwarf_place *place = dwarf_places_find(places, addresses[i]);

    if (place && (addresses[i] < place->start || addresses[i] >= place->end))
      abort();
  }
  read_all(places);
}

static void ask(struct dwarf_reader *reader, const uint64_t *addresses, size_t n, size_t size)
{
  struct dwarf_places *places;

  if (dwarf_reader_find(reader, addresses, n, &places) < 0)
    return;
  check(places, addresses, n);
  ((unsigned char *)places)[size * 7919 % places->size] ^= 0x10;
  if (dwarf_places_are_valid(places, places->size))
    read_all(places);
  free(places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const struct dwarf_limits limits = {.processor_time = 500000000, .memory = (uint64_t)64 << 20};
  const struct dwarf_bytes bytes = {data, size};
  const struct dwarf_files files = {
      .main = bytes, .alternate = find_alternate(data, size), .package = bytes, .dwo = &bytes, .n_dwo = 1};
  uint64_t addresses[N_ADDRESSES];
  struct dwarf_reader *reader;

  for (uint32_t i = 0; i < N_ADDRESSES / 2; i++) {
    addresses[i] = 3 * i;
    addresses[N_ADDRESSES / 2 + i] = dwarf_object_address(1 + i / 50, i % 50 * 3);
  }
  addresses[N_ADDRESSES - 1] = UINT64_MAX;
  if (dwarf_reader_open(&files, &limits, &reader) == 0) {
    ask(reader, addresses, N_ADDRESSES, size);
    ask(reader, addresses + N_ADDRESSES / 2, N_ADDRESSES / 2, size);
    dwarf_reader_close(reader);
  }
  if (size >= sizeof(struct dwarf_places) && dwarf_places_are_valid(data, size))
    read_all((const struct dwarf_places *)data);
  return 0;
}
