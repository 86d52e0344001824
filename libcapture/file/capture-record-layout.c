/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/file/capture-record-layout.h"

#include <stddef.h>
#include <string.h>

#include "libcapture/file/capture-reader.h"

/* Fields of struct capture_OF. */
#define NUMBER(of, field, as, sort)                                                                          \
  {                                                                                                          \
    .name = #field, .form = CAPTURE_FIELD_##as, .refers = CAPTURE_SORT_##sort,                               \
    .offset = offsetof(struct capture_##of, field), .size = sizeof((struct capture_##of *)0)->field          \
  }
#define U(of, field)               NUMBER(of, field, UNSIGNED, NONE)
#define S(of, field)               NUMBER(of, field, SIGNED, NONE)
#define X(of, field)               NUMBER(of, field, HEXADECIMAL, NONE)
#define REFERENCE(of, field, sort) NUMBER(of, field, UNSIGNED, sort)
/* A field whose length another one tells. */
#define MEASURED(of, word, field, as, length)                                                                \
  {                                                                                                          \
    .name = word, .form = CAPTURE_FIELD_##as, .offset = offsetof(struct capture_##of, field),                \
    .length_offset = offsetof(struct capture_##of, length),                                                  \
    .length_size = sizeof((struct capture_##of *)0)->length                                                  \
  }
#define ITEMS(of, field)                                                                                     \
  {                                                                                                          \
    .name = #field, .form = CAPTURE_FIELD_ITEMS, .offset = offsetof(struct capture_##of, field)              \
  }
/* An item that is nothing but a number. */
#define ITEM(as, type, sort)                                                                                 \
  {                                                                                                          \
    .name = "item", .form = CAPTURE_FIELD_##as, .refers = CAPTURE_SORT_##sort, .size = sizeof(type)          \
  }
#define FIELDS(...)                                                                                          \
  (const struct capture_field[])                                                                             \
  {                                                                                                          \
    __VA_ARGS__,                                                                                             \
    {                                                                                                        \
      0                                                                                                      \
    }                                                                                                        \
  }
#define TYPE(word, of, ...)                                                                                  \
  {                                                                                                          \
    .name = word, .fixed = sizeof(struct capture_record_##of), __VA_ARGS__                                   \
  }

static const struct capture_record_layout layouts[] = {
    [CAPTURE_RECORD_STRING] =
        TYPE("string", string, .defines = CAPTURE_SORT_STRING,
             .fields = FIELDS(U(record_string, id), MEASURED(record_string, "value", bytes, TEXT, length))),
    [CAPTURE_RECORD_SPACE] = TYPE("space", space, .defines = CAPTURE_SORT_SPACE,
                                  .fields = FIELDS(U(record_space, id), U(record_space, kind),
                                                   U(record_space, owner), X(record_space, base))),
    [CAPTURE_RECORD_FRAMES] = TYPE("frames", frames, .item = sizeof(struct capture_frame),
                                   .fields = FIELDS(U(record_frames, first), ITEMS(record_frames, frames)),
                                   .items = FIELDS(REFERENCE(frame, space, SPACE), X(frame, offset))),
    [CAPTURE_RECORD_NODES] =
        TYPE("nodes", nodes, .item = sizeof(uint32_t),
             .fields = FIELDS(U(record_nodes, first), U(record_nodes, nodes), ITEMS(record_nodes, items)),
             .items = FIELDS(ITEM(NODE, uint32_t, NONE))),
    [CAPTURE_RECORD_BINARY] =
        TYPE("binary", binary, .defines = CAPTURE_SORT_BINARY,
             .fields = FIELDS(
                 U(record_binary, id), REFERENCE(record_binary, path, STRING), X(record_binary, device),
                 U(record_binary, inode), U(record_binary, inode_generation), X(record_binary, mapped_start),
                 X(record_binary, mapped_end), S(record_binary, mapped_pid), X(record_binary, flags),
                 MEASURED(record_binary, "build_id", build_id, BUILD_ID, build_id_size))),
    [CAPTURE_RECORD_PROCESS] =
        TYPE("process", process, .defines = CAPTURE_SORT_PROCESS,
             .fields = FIELDS(U(record_process, id), S(record_process, pid), U(record_process, parent),
                              U(record_process, origin), REFERENCE(record_process, name, STRING),
                              REFERENCE(record_process, command_line, STRING), U(record_process, time))),
    [CAPTURE_RECORD_MAPPING] =
        TYPE("mapping", mapping,
             .fields = FIELDS(REFERENCE(record_mapping, process, PROCESS),
                              REFERENCE(record_mapping, binary, BINARY), X(record_mapping, start),
                              X(record_mapping, end), X(record_mapping, offset), U(record_mapping, time),
                              X(record_mapping, protection), X(record_mapping, flags))),
    [CAPTURE_RECORD_THREAD] =
        TYPE("thread", thread, .defines = CAPTURE_SORT_THREAD,
             .fields = FIELDS(U(record_thread, id), REFERENCE(record_thread, process, PROCESS),
                              S(record_thread, tid), REFERENCE(record_thread, name, STRING),
                              U(record_thread, time))),
    [CAPTURE_RECORD_EVENT] =
        TYPE("event", event, .defines = CAPTURE_SORT_EVENT,
             .fields = FIELDS(U(record_event, id), REFERENCE(record_event, name, STRING),
                              U(record_event, unit), U(record_event, detail), U(record_event, type),
                              X(record_event, config), X(record_event, config1), X(record_event, config2),
                              U(record_event, period), U(record_event, frequency))),
    [CAPTURE_RECORD_KERNEL_SYMBOL] =
        TYPE("kernel_symbol", kernel_symbol,
             .fields = FIELDS(X(record_kernel_symbol, address), U(record_kernel_symbol, time),
                              U(record_kernel_symbol, length), REFERENCE(record_kernel_symbol, name, STRING),
                              U(record_kernel_symbol, type), X(record_kernel_symbol, flags))),
    [CAPTURE_RECORD_FUNCTION] =
        TYPE("function", function, .defines = CAPTURE_SORT_STRING,
             .fields = FIELDS(U(record_function, id), REFERENCE(record_function, name, STRING),
                              REFERENCE(record_function, file, STRING), U(record_function, line))),
    [CAPTURE_RECORD_FUNCTION_LINE] =
        TYPE("function_line", function_line, .defines = CAPTURE_SORT_STRING,
             .fields = FIELDS(U(record_function_line, id), REFERENCE(record_function_line, function, STRING),
                              U(record_function_line, line))),
    [CAPTURE_RECORD_CODE] =
        TYPE("code", code, .item = sizeof(struct capture_code_range),
             .fields = FIELDS(REFERENCE(record_code, process, PROCESS), REFERENCE(record_code, name, STRING),
                              X(record_code, start), U(record_code, length), U(record_code, time),
                              REFERENCE(record_code, file, STRING), U(record_code, line),
                              ITEMS(record_code, ranges)),
             .items = FIELDS(X(code_range, offset), U(code_range, line), REFERENCE(code_range, file, STRING),
                             REFERENCE(code_range, function, STRING)),
             .item_name = "range"),
    [CAPTURE_RECORD_CODE_END] =
        TYPE("code_end", code_end,
             .fields = FIELDS(REFERENCE(record_code_end, process, PROCESS), X(record_code_end, start),
                              U(record_code_end, length), U(record_code_end, time))),
    [CAPTURE_RECORD_COUNTER] = TYPE(
        "counter", counter, .defines = CAPTURE_SORT_COUNTER,
        .fields = FIELDS(U(record_counter, id), REFERENCE(record_counter, process, PROCESS),
                         REFERENCE(record_counter, category, STRING), REFERENCE(record_counter, name, STRING),
                         REFERENCE(record_counter, description, STRING),
                         REFERENCE(record_counter, unit, STRING), X(record_counter, flags))),
    [CAPTURE_RECORD_LOST] = TYPE("lost", lost,
                                 .fields = FIELDS(U(record_lost, time), U(record_lost, samples),
                                                  U(record_lost, records), U(record_lost, reason),
                                                  U(record_lost, cpu), REFERENCE(record_lost, event, EVENT))),
    [CAPTURE_RECORD_THROTTLE] =
        TYPE("throttle", throttle,
             .fields = FIELDS(U(record_throttle, time), REFERENCE(record_throttle, event, EVENT),
                              U(record_throttle, cpu), U(record_throttle, on))),
    [CAPTURE_RECORD_FORK] =
        TYPE("fork", task,
             .fields = FIELDS(U(record_task, time), S(record_task, pid), S(record_task, tid),
                              S(record_task, parent_pid), S(record_task, parent_tid))),
    [CAPTURE_RECORD_EXIT] =
        TYPE("exit", task,
             .fields = FIELDS(U(record_task, time), S(record_task, pid), S(record_task, tid),
                              S(record_task, parent_pid), S(record_task, parent_tid))),
    [CAPTURE_RECORD_CPU] =
        TYPE("cpu", cpu, .fields = FIELDS(U(record_cpu, time), U(record_cpu, cpu), U(record_cpu, online))),
    [CAPTURE_RECORD_USER_STACK] =
        TYPE("user_stack", user_stack, .item = sizeof(uint64_t),
             .fields = FIELDS(U(record_user_stack, time), REFERENCE(record_user_stack, event, EVENT),
                              REFERENCE(record_user_stack, thread, THREAD), U(record_user_stack, abi),
                              X(record_user_stack, mask), ITEMS(record_user_stack, registers),
                              MEASURED(record_user_stack, "stack", registers, BYTES, stack_length)),
             .items = FIELDS(ITEM(HEXADECIMAL, uint64_t, NONE))),
    [CAPTURE_RECORD_MARK] =
        TYPE("mark", mark,
             .fields = FIELDS(U(record_mark, time), U(record_mark, duration),
                              REFERENCE(record_mark, thread, THREAD), U(record_mark, kind),
                              REFERENCE(record_mark, category, STRING), REFERENCE(record_mark, name, STRING),
                              MEASURED(record_mark, "message", message, TEXT, length))),
    [CAPTURE_RECORD_COUNTS] = TYPE("counts", counts, .item = sizeof(struct capture_count),
                                   .fields = FIELDS(U(record_counts, time), ITEMS(record_counts, values)),
                                   .items = FIELDS(REFERENCE(count, counter, COUNTER), X(count, value))),
    [CAPTURE_RECORD_LOG] =
        TYPE("log", log,
             .fields = FIELDS(U(record_log, time), REFERENCE(record_log, thread, THREAD),
                              U(record_log, severity), REFERENCE(record_log, domain, STRING),
                              MEASURED(record_log, "text", text, TEXT, length))),
    [CAPTURE_RECORD_STREAM] =
        TYPE("stream", stream,
             .fields = FIELDS(U(record_stream, id), U(record_stream, kind), S(record_stream, pid),
                              MEASURED(record_stream, "name", name, TEXT, length))),
    [CAPTURE_RECORD_METADATA] =
        TYPE("metadata", metadata,
             .fields = FIELDS(MEASURED(record_metadata, "key", bytes, TEXT, key_length),
                              MEASURED(record_metadata, "value", bytes, NEXT_TEXT, value_length))),
    [CAPTURE_RECORD_MESSAGE] = TYPE("message", message,
                                    .fields = FIELDS(U(record_message, time), U(record_message, severity),
                                                     MEASURED(record_message, "text", text, TEXT, length))),
    [CAPTURE_RECORD_NAMED_BINARY] =
        TYPE("named_binary", named_binary, .defines = CAPTURE_SORT_BINARY,
             .fields = FIELDS(U(record_named_binary, id), REFERENCE(record_named_binary, path, STRING),
                              X(record_named_binary, device), U(record_named_binary, inode),
                              X(record_named_binary, flags),
                              MEASURED(record_named_binary, "build_id", build_id, BUILD_ID, build_id_size),
                              U(record_named_binary, status))),
    [CAPTURE_RECORD_FUNCTIONS] = TYPE(
        "functions", functions, .item = sizeof(struct capture_function),
        .fields = FIELDS(REFERENCE(record_functions, binary, BINARY), ITEMS(record_functions, functions)),
        .items = FIELDS(X(function, start), X(function, end), REFERENCE(function, name, STRING),
                        REFERENCE(function, linkage_name, STRING), REFERENCE(function, file, STRING),
                        U(function, line), REFERENCE(function, module, STRING), X(function, flags)),
        .item_name = "function"),
    [CAPTURE_RECORD_PLACE_FRAMES] = TYPE(
        "place_frames", place_frames, .item = sizeof(struct capture_place_frame),
        .fields = FIELDS(U(record_place_frames, first), ITEMS(record_place_frames, frames)),
        .items = FIELDS(REFERENCE(place_frame, name, STRING), REFERENCE(place_frame, linkage_name, STRING),
                        REFERENCE(place_frame, file, STRING), U(place_frame, line), U(place_frame, column),
                        REFERENCE(place_frame, declared_file, STRING), U(place_frame, declared_line),
                        X(place_frame, flags)),
        .item_name = "place_frame"),
    [CAPTURE_RECORD_PLACE] =
        TYPE("place", place, .item = sizeof(uint32_t),
             .fields = FIELDS(REFERENCE(record_place, binary, BINARY), X(record_place, start),
                              X(record_place, end), ITEMS(record_place, frames)),
             .items = FIELDS(ITEM(UNSIGNED, uint32_t, PLACE_FRAME))),
    [CAPTURE_RECORD_MACHINE_CODE] =
        TYPE("machine_code", machine_code,
             .fields = FIELDS(REFERENCE(record_machine_code, binary, BINARY), U(record_machine_code, machine),
                              X(record_machine_code, start), X(record_machine_code, address),
                              X(record_machine_code, flags),
                              MEASURED(record_machine_code, "code", code, BYTES, length))),
    [CAPTURE_RECORD_SOURCE_TEXT] =
        TYPE("source_text", source_text,
             .fields = FIELDS(REFERENCE(record_source_text, path, STRING), X(record_source_text, offset),
                              MEASURED(record_source_text, "content", text, BYTES, length))),
    [CAPTURE_RECORD_PLACES_OUTCOME] = TYPE("places_outcome", places_outcome,
                                           .fields = FIELDS(REFERENCE(record_places_outcome, binary, BINARY),
                                                            U(record_places_outcome, outcome))),
};

const struct capture_record_layout *capture_record_layout_find(uint16_t type)
{
  return type < sizeof layouts / sizeof layouts[0] && layouts[type].name ? &layouts[type] : NULL;
}

uint64_t capture_field_number(const struct capture_field *field, const void *bytes)
{
  const uint8_t *at = (const uint8_t *)bytes + field->offset;
  uint64_t number;
  uint32_t half;

  if (field->size == sizeof number) {
    memcpy(&number, at, sizeof number);
    return number;
  }
  memcpy(&half, at, sizeof half);
  return half;
}

uint64_t capture_field_length(const struct capture_field *field, const void *bytes)
{
  struct capture_field length = {.offset = field->length_offset, .size = field->length_size};

  return capture_field_number(&length, bytes);
}

uint64_t capture_field_position(const struct capture_field *field, const struct capture_record *record)
{
  switch (field->form) {
  case CAPTURE_FIELD_NEXT_TEXT:
    return capture_field_position(field - 1, record) + capture_field_length(field - 1, record) + 1;
  case CAPTURE_FIELD_BYTES:
    return field->offset + (uint64_t)record->count * layouts[record->type].item;
  default:
    return field->offset;
  }
}

/* Whether a field that may be of any length lies within a record whose fixed part and items do. */
static bool field_is_valid(const struct capture_field *field, const struct capture_record *record)
{
  uint64_t length = capture_field_length(field, record);
  uint64_t position = capture_field_position(field, record);

  switch (field->form) {
  case CAPTURE_FIELD_BUILD_ID:
    return length <= CAPTURE_BUILD_ID_MAX;
  case CAPTURE_FIELD_BYTES:
    return length <= record->size - position;
  case CAPTURE_FIELD_TEXT:
  case CAPTURE_FIELD_NEXT_TEXT:
    return position + length < record->size && ((const char *)record)[position + length] == '\0';
  default:
    return true;
  }
}

bool capture_record_is_valid(const struct capture_record *record)
{
  const struct capture_record_layout *layout = capture_record_layout_find(record->type);

  if (record->size % 8 != 0 || !layout ||
      layout->fixed + (uint64_t)record->count * layout->item > record->size)
    return false;
  for (const struct capture_field *field = layout->fields; field->form; field++)
    if (field->length_size != 0 && !field_is_valid(field, record))
      return false;
  return true;
}
