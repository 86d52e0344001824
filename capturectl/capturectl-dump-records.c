/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "capturectl/capturectl-dump.h"
#include "capturectl/capturectl-reader.h"

void capturectl_dump_bytes(const void *bytes, gsize length)
{
  static const char digits[] = "0123456789abcdef";
  const guint8 *byte = bytes;

  if (length == 0)
    putchar('-');
  for (gsize i = 0; i < length; i++) {
    putchar(digits[byte[i] >> 4]);
    putchar(digits[byte[i] & 15]);
  }
}

void capturectl_dump_text(const char *field, const char *text, gsize length)
{
  printf(" %s=\"", field);
  for (gsize i = 0; i < length; i++) {
    guint8 byte = text[i];

    if (byte == '"' || byte == '\\')
      printf("\\%c", byte);
    else if (byte >= 0x20 && byte <= 0x7e)
      putchar(byte);
    else
      printf("\\x%02x", byte);
  }
  putchar('"');
}

static void print_build_id(const guint8 *build_id, guint32 size)
{
  printf(" build_id=");
  capturectl_dump_bytes(build_id, MIN(size, CAPTURE_BUILD_ID_MAX));
}

static void print_string(const struct capture_record_string *r)
{
  printf("string id=%" PRIu32, r->id);
  capturectl_dump_text("value", r->bytes, r->length);
}

static void print_space(const struct capture_record_space *r)
{
  printf("space id=%" PRIu32 " kind=%" PRIu32 " owner=%" PRIu32 " base=0x%" PRIx64, r->id, r->kind, r->owner,
         r->base);
}

static const char *dump_records_separator(guint i)
{
  return i == 0 ? "" : ",";
}

static void print_frames(const struct capture_record_frames *r)
{
  printf("frames first=%" PRIu32 " frames=%s", r->first, r->record.count == 0 ? "-" : "");
  for (guint i = 0; i < r->record.count; i++)
    printf("%s%" PRIu32 ":0x%" PRIx32, dump_records_separator(i), r->frames[i].space, r->frames[i].offset);
}

/* Items as they stand there: FRAME, ^PARENT, +JOIN, and ?… for what has no meaning. */
static void print_node_item(guint32 item)
{
  static const char *const marks[] = {"", "?", "^", "+"};

  printf("%s%" PRIu32, marks[item >> 30], item & ~CAPTURE_NODE_TAG);
}

static void print_nodes(const struct capture_record_nodes *r)
{
  printf("nodes first=%" PRIu32 " nodes=%" PRIu32 " items=%s", r->first, r->nodes,
         r->record.count == 0 ? "-" : "");
  for (guint i = 0; i < r->record.count; i++) {
    printf("%s", dump_records_separator(i));
    print_node_item(r->items[i]);
  }
}

static void print_binary(const struct capture_record_binary *r)
{
  printf("binary id=%" PRIu32 " path=%" PRIu32 " device=0x%" PRIx64 " inode=%" PRIu64
         " inode_generation=%" PRIu64 " mapped_start=0x%" PRIx64 " mapped_end=0x%" PRIx64
         " mapped_pid=%" PRId32 " flags=0x%" PRIx32,
         r->id, r->path, r->device, r->inode, r->inode_generation, r->mapped_start, r->mapped_end,
         r->mapped_pid, r->flags);
  print_build_id(r->build_id, r->build_id_size);
}

static void print_process(const struct capture_record_process *r)
{
  printf("process id=%" PRIu32 " pid=%" PRId32 " parent=%" PRIu32 " origin=%" PRIu32 " name=%" PRIu32
         " command_line=%" PRIu32 " time=%" PRIu64,
         r->id, r->pid, r->parent, r->origin, r->name, r->command_line, r->time);
}

static void print_mapping(const struct capture_record_mapping *r)
{
  printf("mapping process=%" PRIu32 " binary=%" PRIu32 " start=0x%" PRIx64 " end=0x%" PRIx64
         " offset=0x%" PRIx64 " time=%" PRIu64 " protection=0x%" PRIx32 " flags=0x%" PRIx32,
         r->process, r->binary, r->start, r->end, r->offset, r->time, r->protection, r->flags);
}

static void print_thread(const struct capture_record_thread *r)
{
  printf("thread id=%" PRIu32 " process=%" PRIu32 " tid=%" PRId32 " name=%" PRIu32 " time=%" PRIu64, r->id,
         r->process, r->tid, r->name, r->time);
}

static void print_event(const struct capture_record_event *r)
{
  printf("event id=%" PRIu32 " name=%" PRIu32 " unit=%" PRIu32 " detail=%" PRIu32 " type=%" PRIu32
         " config=0x%" PRIx64 " config1=0x%" PRIx64 " config2=0x%" PRIx64 " period=%" PRIu64
         " frequency=%" PRIu64,
         r->id, r->name, r->unit, r->detail, r->type, r->config, r->config1, r->config2, r->period,
         r->frequency);
}

static void print_kernel_symbol(const struct capture_record_kernel_symbol *r)
{
  printf("kernel_symbol address=0x%" PRIx64 " time=%" PRIu64 " length=%" PRIu32 " name=%" PRIu32
         " type=%" PRIu32 " flags=0x%" PRIx32,
         r->address, r->time, r->length, r->name, r->type, r->flags);
}

static void print_lost(const struct capture_record_lost *r)
{
  printf("lost time=%" PRIu64 " samples=%" PRIu64 " records=%" PRIu64 " reason=%" PRIu32 " cpu=%" PRIu32
         " event=%" PRIu32,
         r->time, r->samples, r->records, r->reason, r->cpu, r->event);
}

static void print_throttle(const struct capture_record_throttle *r)
{
  printf("throttle time=%" PRIu64 " event=%" PRIu32 " cpu=%" PRIu32 " on=%" PRIu32, r->time, r->event, r->cpu,
         r->on);
}

static void print_task(const char *word, const struct capture_record_task *r)
{
  printf("%s time=%" PRIu64 " pid=%" PRId32 " tid=%" PRId32 " parent_pid=%" PRId32 " parent_tid=%" PRId32,
         word, r->time, r->pid, r->tid, r->parent_pid, r->parent_tid);
}

static void print_cpu(const struct capture_record_cpu *r)
{
  printf("cpu time=%" PRIu64 " cpu=%" PRIu32 " online=%" PRIu32, r->time, r->cpu, r->online);
}

static void print_user_stack(const struct capture_record_user_stack *r)
{
  printf("user_stack time=%" PRIu64 " event=%" PRIu32 " thread=%" PRIu32 " abi=%" PRIu64 " mask=0x%" PRIx64
         " registers=%s",
         r->time, r->event, r->thread, r->abi, r->mask, r->record.count == 0 ? "-" : "");
  for (guint i = 0; i < r->record.count; i++)
    printf("%s0x%" PRIx64, dump_records_separator(i), r->registers[i]);
  printf(" stack=");
  capturectl_dump_bytes(r->registers + r->record.count, r->stack_length);
}

static void print_stream(const struct capture_record_stream *r)
{
  printf("stream id=%" PRIu32 " kind=%" PRIu32 " pid=%" PRId32, r->id, r->kind, r->pid);
  capturectl_dump_text("name", r->name, r->length);
}

static void print_metadata(const struct capture_record_metadata *r)
{
  printf("metadata");
  capturectl_dump_text("key", r->bytes, r->key_length);
  capturectl_dump_text("value", r->bytes + r->key_length + 1, r->value_length);
}

static void print_message(const struct capture_record_message *r)
{
  printf("message time=%" PRIu64 " severity=%" PRIu32, r->time, r->severity);
  capturectl_dump_text("text", r->text, r->length);
}

static void print_named_binary(const struct capture_record_named_binary *r)
{
  printf("named_binary id=%" PRIu32 " path=%" PRIu32 " device=0x%" PRIx64 " inode=%" PRIu64
         " flags=0x%" PRIx32,
         r->id, r->path, r->device, r->inode, r->flags);
  print_build_id(r->build_id, r->build_id_size);
  printf(" status=%" PRIu32, r->status);
}

static void print_functions(const struct capture_record_functions *r)
{
  printf("functions binary=%" PRIu32, r->binary);
  for (guint i = 0; i < r->record.count; i++) {
    const struct capture_function *f = &r->functions[i];

    printf("\n    function start=0x%" PRIx64 " end=0x%" PRIx64 " name=%" PRIu32 " linkage_name=%" PRIu32
           " file=%" PRIu32 " line=%" PRIu32 " module=%" PRIu32,
           f->start, f->end, f->name, f->linkage_name, f->file, f->line, f->module);
  }
}

static void print_other(const struct capture_record *record, const char *word)
{
  printf("%s type=%u count=%u bytes=", word, record->type, record->count);
  capturectl_dump_bytes(record + 1, record->size - sizeof *record);
}

static void print_definition(const struct capture_record *record)
{
  switch (record->type) {
  case CAPTURE_RECORD_STRING:
    print_string((const struct capture_record_string *)record);
    break;
  case CAPTURE_RECORD_SPACE:
    print_space((const struct capture_record_space *)record);
    break;
  case CAPTURE_RECORD_FRAMES:
    print_frames((const struct capture_record_frames *)record);
    break;
  case CAPTURE_RECORD_NODES:
    print_nodes((const struct capture_record_nodes *)record);
    break;
  case CAPTURE_RECORD_BINARY:
    print_binary((const struct capture_record_binary *)record);
    break;
  case CAPTURE_RECORD_PROCESS:
    print_process((const struct capture_record_process *)record);
    break;
  case CAPTURE_RECORD_MAPPING:
    print_mapping((const struct capture_record_mapping *)record);
    break;
  case CAPTURE_RECORD_THREAD:
    print_thread((const struct capture_record_thread *)record);
    break;
  case CAPTURE_RECORD_EVENT:
    print_event((const struct capture_record_event *)record);
    break;
  case CAPTURE_RECORD_KERNEL_SYMBOL:
    print_kernel_symbol((const struct capture_record_kernel_symbol *)record);
    break;
  default:
    g_assert_not_reached();
  }
}

static void print_happening(const struct capture_record *record)
{
  switch (record->type) {
  case CAPTURE_RECORD_LOST:
    print_lost((const struct capture_record_lost *)record);
    break;
  case CAPTURE_RECORD_THROTTLE:
    print_throttle((const struct capture_record_throttle *)record);
    break;
  case CAPTURE_RECORD_FORK:
    print_task("fork", (const struct capture_record_task *)record);
    break;
  case CAPTURE_RECORD_EXIT:
    print_task("exit", (const struct capture_record_task *)record);
    break;
  case CAPTURE_RECORD_CPU:
    print_cpu((const struct capture_record_cpu *)record);
    break;
  case CAPTURE_RECORD_USER_STACK:
    print_user_stack((const struct capture_record_user_stack *)record);
    break;
  case CAPTURE_RECORD_STREAM:
    print_stream((const struct capture_record_stream *)record);
    break;
  case CAPTURE_RECORD_METADATA:
    print_metadata((const struct capture_record_metadata *)record);
    break;
  case CAPTURE_RECORD_MESSAGE:
    print_message((const struct capture_record_message *)record);
    break;
  case CAPTURE_RECORD_NAMED_BINARY:
    print_named_binary((const struct capture_record_named_binary *)record);
    break;
  case CAPTURE_RECORD_FUNCTIONS:
    print_functions((const struct capture_record_functions *)record);
    break;
  default:
    g_assert_not_reached();
  }
}

void capturectl_dump_record(const struct capture_record *record)
{
  printf("  ");
  if (!capturectl_record_is_known(record))
    print_other(record, "record");
  else if (!capture_record_is_valid(record))
    print_other(record, "invalid");
  else if (capturectl_dump_told(record))
    ;
  else if (record->type <= CAPTURE_RECORD_KERNEL_SYMBOL)
    print_definition(record);
  else
    print_happening(record);
  putchar('\n');
}
