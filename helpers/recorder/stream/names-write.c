/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names as records. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "helpers/recorder/stream/names-private.h"

#define FUNCTIONS_MAX 64 /* a record: it fits the smallest window */
#define STRING_MAX    UNWIND_NAME_MAX
#define PAUSE         2000000 /* nanoseconds */

union functions {
  struct capture_record_functions head;
  char bytes[sizeof(struct capture_record_functions) + FUNCTIONS_MAX * sizeof(struct capture_function)];
};

/* Waits for windows as long as the end may take. */
static int names_write_put(struct recorder_names *names, const struct capture_record *record)
{
  for (;;) {
    int result = capture_writer_name(names->output->writer, record);
    if (result != -EAGAIN)
      return result;
    recorder_output_commit(names->output, 0);
    if (!recorder_names_go_on(names))
      return -EAGAIN;
    nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
  }
}

/* The string's identifier, or 0. */
static uint32_t put_string(struct recorder_names *names, const char *text, size_t length)
{
  union {
    struct capture_record_string record;
    char bytes[sizeof(struct capture_record_string) + STRING_MAX + 8];
  } string;
  length = length < STRING_MAX ? length : STRING_MAX;
  size_t size = (sizeof string.record + length + 8) & ~(size_t)7;
  memset(string.bytes + size - 8, 0, 8);
  string.record =
      (struct capture_record_string){.record = {.size = (uint32_t)size, .type = CAPTURE_RECORD_STRING},
                                     .id = names->n_strings + 1,
                                     .length = (uint32_t)length};
  memcpy(string.bytes + sizeof string.record, text, length);
  return names_write_put(names, &string.record.record) == 0 ? ++names->n_strings : 0;
}

uint32_t recorder_names_write_binary(struct recorder_names *names, const struct recorder_binary *binary,
                                     enum capture_naming status)
{
  const char *path = binary != NULL ? binary->key.path : "[kernel]";
  struct capture_record_named_binary named = {
      .record = {.size = sizeof named, .type = CAPTURE_RECORD_NAMED_BINARY},
      .id = names->n_binaries + 1,
      .path = put_string(names, path, strlen(path)),
      .flags = binary != NULL ? binary->key.flags : CAPTURE_BINARY_KERNEL,
      .status = status,
  };
  if (binary != NULL) {
    named.device = binary->key.device;
    named.inode = binary->key.inode;
    named.build_id_size = binary->key.build_id_size;
    memcpy(named.build_id, binary->key.build_id, sizeof named.build_id);
  }
  return named.path != 0 && names_write_put(names, &named.record) == 0 ? ++names->n_binaries : 0;
}

static bool names_write_flush(struct recorder_names *names, union functions *functions)
{
  uint16_t n = functions->head.record.count;
  functions->head.record.size = (uint32_t)(sizeof functions->head + n * sizeof functions->head.functions[0]);
  functions->head.record.count = 0;
  if (n == 0)
    return true;
  functions->head.record.count = n;
  int result = names_write_put(names, &functions->head.record);
  functions->head.record.count = 0;
  return result == 0;
}

/* A name that fits no window is left out. False when the end has come. */
static bool names_write_add(struct recorder_names *names, union functions *functions,
                            const struct capture_function *function, const char *name, size_t length)
{
  struct capture_function *item = &functions->head.functions[functions->head.record.count];
  *item = *function;
  item->linkage_name = put_string(names, name, length);
  if (item->linkage_name == 0)
    return !names->is_over;
  return ++functions->head.record.count < FUNCTIONS_MAX || names_write_flush(names, functions);
}

static union functions names_write_begin(uint32_t binary)
{
  return (union functions){.head = {.record = {.type = CAPTURE_RECORD_FUNCTIONS}, .binary = binary}};
}

bool recorder_names_write_functions(struct recorder_names *names, struct recorder_named *named,
                                    const struct unwind_names *found)
{
  union functions functions = names_write_begin(named->id);
  bool goes_on = true;
  for (uint32_t i = 0; i < found->n && goes_on; i++) {
    const struct unwind_name *name = &found->names[i];
    const struct capture_function function = {
        .start = name->start, .end = name->end, .flags = name->nameless ? CAPTURE_FUNCTION_NAMELESS : 0};
    if (name->start < named->named_end)
      continue;
    named->named_end = name->end;
    goes_on = names_write_add(names, &functions, &function, (const char *)found + name->at, name->length);
  }
  return names_write_flush(names, &functions) && goes_on;
}

/* Modules come one after the other. */
struct module {
  const char *name;
  size_t length;
  uint32_t id;
};

static uint32_t put_module(struct recorder_names *names, struct module *last,
                           const struct recorder_kallsym *symbol)
{
  if (symbol->module_length == 0)
    return 0;
  if (last->id == 0 || last->length != symbol->module_length ||
      memcmp(last->name, symbol->module, last->length) != 0)
    *last = (struct module){symbol->module, symbol->module_length,
                            put_string(names, symbol->module, symbol->module_length)};
  return last->id;
}

void recorder_names_write_kernel(struct recorder_names *names, const struct recorder_kallsyms *kallsyms)
{
  uint32_t binary = recorder_names_write_binary(
      names, NULL, kallsyms->hidden ? CAPTURE_NAMING_HIDDEN : CAPTURE_NAMING_SYMBOLS);
  union functions functions = names_write_begin(binary);
  struct recorder_kallsym symbol = {.end = 0};
  struct module module = {.id = 0};
  bool goes_on = binary != 0;
  for (size_t i = 0; i < names->kernel.count && goes_on; i++) {
    uint64_t address = names->kernel.items[i];
    if (address < symbol.end || !recorder_kallsyms_find(kallsyms, address, &symbol))
      continue;
    const struct capture_function function = {
        .start = symbol.start, .end = symbol.end, .module = put_module(names, &module, &symbol)};
    goes_on = names_write_add(names, &functions, &function, symbol.name, symbol.name_length);
  }
  if (binary != 0)
    names_write_flush(names, &functions);
}
