/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/stream/kernel.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "helpers/common/memory.h"
#include "helpers/kernel.h"

/* Programs that load and unload kernel symbols in a loop must not make this grow for ever. */
#define SYMBOLS_MAX 65536

/* 0: not known. */
static uint64_t text_size;

void recorder_kernel_clear(struct recorder_kernel *kernel, struct recorder_binaries *binaries)
{
  recorder_frames_clear(&kernel->frames);
  recorder_mappings_release(kernel->mappings, binaries);
  for (uint32_t i = 0; i < kernel->n_symbols; i++)
    free(kernel->symbols[i].name);
  free(kernel->symbols);
}

void recorder_kernel_add_symbol(struct recorder_kernel *kernel,
                                const struct capture_record_kernel_symbol *record, const char *name)
{
  if (kernel->n_symbols == SYMBOLS_MAX)
    return;
  if (kernel->n_symbols == kernel->capacity) {
    kernel->capacity = kernel->capacity != 0 ? 2 * kernel->capacity : 64;
    kernel->symbols = recorder_reallocate(kernel->symbols, kernel->capacity, sizeof *kernel->symbols);
  }
  size_t size = strlen(name) + 1;
  kernel->symbols[kernel->n_symbols++] =
      (struct recorder_kernel_symbol){*record, memcpy(recorder_allocate(size, 1), name, size)};
}

static void add_mapping(struct recorder_kernel *kernel, struct recorder_binaries *binaries,
                        const struct recorder_binary_key *key, uint64_t start, uint64_t end)
{
  struct recorder_mapping mapping = {
      .start = start,
      .end = end,
      .binary = recorder_binaries_take(binaries, key),
      .protection = PROT_READ | PROT_EXEC,
  };
  recorder_mappings_add(&kernel->mappings, binaries, &mapping);
}

static void add_text(struct recorder_kernel *kernel, struct recorder_binaries *binaries, uint64_t start,
                     uint64_t end)
{
  struct recorder_binary_key key = {
      .path = "[kernel]", .path_length = strlen("[kernel]"), .flags = CAPTURE_BINARY_KERNEL};
  key.build_id_size = kernel_read_build_id(key.build_id, sizeof key.build_id);
  add_mapping(kernel, binaries, &key, start, end);
}

static void add_module(struct recorder_kernel *kernel, struct recorder_binaries *binaries, const char *name,
                       uint64_t start, uint64_t end)
{
  char path[160];
  int length = snprintf(path, sizeof path, "[%s]", name);
  struct recorder_binary_key key = {
      .path = path, .path_length = (size_t)length, .flags = CAPTURE_BINARY_KERNEL_MODULE};
  key.build_id_size = kernel_read_module_build_id(name, key.build_id, sizeof key.build_id);
  add_mapping(kernel, binaries, &key, start, end);
}

/* The value of scan's result for the first line that it takes, 0 for none or when the file is not readable.
 */
static uint64_t find_line(const char *path, uint64_t (*scan)(const char *line))
{
  FILE *file = fopen(path, "re");
  char line[512];
  uint64_t found = 0;
  while (file != NULL && found == 0 && fgets(line, sizeof line, file) != NULL)
    found = scan(line);
  if (file != NULL)
    fclose(file);
  return found;
}

static uint64_t scan_text_start(const char *line)
{
  unsigned long long address;
  char type, name[16];
  return sscanf(line, "%llx %c %15s", &address, &type, name) == 3 && strcmp(name, "_stext") == 0 ? address
                                                                                                 : 0;
}

static uint64_t scan_text_size(const char *line)
{
  unsigned long long first, last;
  char name[16];
  return sscanf(line, "%llx-%llx : %15[^\n]", &first, &last, name) == 3 && strcmp(name, "Kernel code") == 0 &&
                 last > first
             ? last - first + 1
             : 0;
}

static uint64_t scan_text_end(const char *line)
{
  unsigned long long address;
  char type, name[16];
  return sscanf(line, "%llx %c %15s", &address, &type, name) == 3 && strcmp(name, "_etext") == 0 ? address
                                                                                                 : 0;
}

void recorder_kernel_look_ahead(void)
{
  text_size = find_line("/proc/iomem", scan_text_size);
}

/* _stext is among the first of the kernel's symbols, while _etext means to read most of a long list. */
static void look_up_text(struct recorder_kernel *kernel, struct recorder_binaries *binaries)
{
  uint64_t start = find_line("/proc/kallsyms", scan_text_start), end = 0;
  if (start == 0)
    return;
  if (text_size == 0)
    end = find_line("/proc/kallsyms", scan_text_end);
  else if (__builtin_add_overflow(start, text_size, &end))
    return;
  if (end > start)
    add_text(kernel, binaries, start, end);
}

static void look_up_modules(struct recorder_kernel *kernel, struct recorder_binaries *binaries)
{
  FILE *file = fopen("/proc/modules", "re");
  char line[1024], name[128];
  unsigned long long size, address;
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    uint64_t end;
    if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &size, &address) != 3 || address == 0 ||
        size == 0 || __builtin_add_overflow(address, size, &end))
      continue;
    add_module(kernel, binaries, name, address, end);
  }
  if (file != NULL)
    fclose(file);
}

static int define_symbols(struct recorder_kernel *kernel, struct recorder_output *output)
{
  for (; kernel->n_defined < kernel->n_symbols; kernel->n_defined++) {
    struct recorder_kernel_symbol *symbol = &kernel->symbols[kernel->n_defined];
    int64_t name = capture_writer_string(output->writer, symbol->name, strlen(symbol->name));
    if (name < 0)
      return (int)name;
    symbol->record.name = (uint32_t)name;
    int result = capture_writer_define(output->writer, &symbol->record.record);
    if (result < 0)
      return result;
  }
  return 0;
}

int recorder_kernel_define(struct recorder_kernel *kernel, struct recorder_binaries *binaries,
                           struct recorder_output *output)
{
  if (kernel->epoch == output->epoch)
    return define_symbols(kernel, output);
  if (!kernel->known) {
    look_up_text(kernel, binaries);
    look_up_modules(kernel, binaries);
    kernel->known = true;
  }
  int result = 0;
  for (uint32_t i = 0; result == 0 && kernel->mappings != NULL && i < kernel->mappings->count; i++)
    result = recorder_output_mapping(output, NULL, &kernel->mappings->items[i]);
  if (result < 0)
    return result;
  kernel->n_defined = 0;
  kernel->epoch = output->epoch;
  return define_symbols(kernel, output);
}
