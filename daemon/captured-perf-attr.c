/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-perf-attr.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/captured-error.h"

#define PMUS      "/sys/bus/event_source/devices"
#define STACK_MAX 65528
#define SAMPLE_TYPE                                                                                          \
  (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_READ |               \
   PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID |   \
   PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |                   \
   PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_CGROUP |            \
   PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)
#define READ_FORMAT                                                                                          \
  (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID | PERF_FORMAT_GROUP)

typedef struct perf_event_attr Attr;

/* A number: its place, its size in bytes, and which bits it may have, or how large it may be. */
typedef struct {
  const char *name;
  guint16 offset;
  guint16 size;
  guint64 bits;
  guint64 most;
} Number;

#define NUMBER(field, bits, most)                                                                            \
  {                                                                                                          \
#field, G_STRUCT_OFFSET(Attr, field), sizeof(((Attr *)NULL)->field), bits, most                          \
  }

static const Number numbers[] = {
    NUMBER(type, G_MAXUINT64, G_MAXUINT32),
    NUMBER(config, G_MAXUINT64, G_MAXUINT64),
    NUMBER(config1, G_MAXUINT64, G_MAXUINT64),
    NUMBER(config2, G_MAXUINT64, G_MAXUINT64),
    NUMBER(sample_period, G_MAXUINT64, G_MAXINT64),
    NUMBER(sample_freq, G_MAXUINT64, G_MAXUINT32),
    NUMBER(sample_type, SAMPLE_TYPE, G_MAXUINT64),
    NUMBER(read_format, READ_FORMAT, G_MAXUINT64),
    NUMBER(wakeup_events, G_MAXUINT64, G_MAXUINT32),
    NUMBER(wakeup_watermark, G_MAXUINT64, G_MAXUINT32),
    NUMBER(sample_regs_user, G_MAXUINT64, G_MAXUINT64),
    NUMBER(sample_stack_user, ~G_GUINT64_CONSTANT(7), STACK_MAX),
    NUMBER(sample_max_stack, G_MAXUINT64, G_MAXUINT16),
    NUMBER(clockid, G_MAXUINT64, 11 /* CLOCK_TAI, the last */),
};

/* A flag, or another bit field, which takes a t. */
typedef struct {
  const char *name;
  void (*set)(Attr *attr, guint value);
  guint most;
} Bits;

#define SETTER(field)                                                                                        \
  static void set_##field(Attr *attr, guint value)                                                           \
  {                                                                                                          \
    attr->field = value & 3;                                                                                 \
  }
/* clang-format off */
#define FLAGS(X) \
  X(disabled) \
  X(inherit) \
  X(exclude_user) \
  X(exclude_kernel) \
  X(exclude_hv) \
  X(exclude_idle) \
  X(mmap) \
  X(comm) \
  X(freq) \
  X(inherit_stat) \
  X(enable_on_exec) \
  X(task) \
  X(watermark) \
  X(mmap_data) \
  X(sample_id_all) \
  X(exclude_host) \
  X(exclude_guest) \
  X(exclude_callchain_kernel) \
  X(exclude_callchain_user) \
  X(mmap2) \
  X(comm_exec) \
  X(use_clockid) \
  X(context_switch) \
  X(write_backward) \
  X(namespaces) \
  X(ksymbol) \
  X(bpf_event) \
  X(cgroup) \
  X(build_id) \
  X(inherit_thread) \
  X(remove_on_exec)
/* clang-format on */
#define FLAG(field) {#field, set_##field, 1},

FLAGS(SETTER)
SETTER(precise_ip)

static const Bits bits[] = {FLAGS(FLAG){"precise_ip", set_precise_ip, 3}};

/* A name that was cut in the middle of a letter would be no text. */
static gboolean perf_attr_refuse(GError **error, const char *name, const char *why)
{
  g_autofree char *shown = g_strescape(name, NULL);

  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_INVALID_OPTION, "The field “%.64s” of the event %s.",
              shown, why);
  return FALSE;
}

static gboolean perf_attr_forbid(GError **error, const char *what)
{
  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_NOT_PERMITTED, "The service does not open %s.", what);
  return FALSE;
}

static gboolean set_number(Attr *attr, const Number *number, GVariant *value, GError **error)
{
  if (!g_variant_is_of_type(value, G_VARIANT_TYPE_UINT64))
    return perf_attr_refuse(error, number->name, "takes the type t");
  guint64 wanted = g_variant_get_uint64(value);
  if (wanted & ~number->bits || wanted > number->most)
    return perf_attr_refuse(error, number->name, "has a value that is out of bounds");
  if (number->size == sizeof(guint64))
    G_STRUCT_MEMBER(guint64, attr, number->offset) = wanted;
  else if (number->size == sizeof(guint32))
    G_STRUCT_MEMBER(guint32, attr, number->offset) = (guint32)wanted;
  else
    G_STRUCT_MEMBER(guint16, attr, number->offset) = (guint16)wanted;
  return TRUE;
}

static gboolean set_bits(Attr *attr, const Bits *field, GVariant *value, GError **error)
{
  guint64 wanted;

  if (field->most == 1 && g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN))
    wanted = g_variant_get_boolean(value);
  else if (field->most > 1 && g_variant_is_of_type(value, G_VARIANT_TYPE_UINT64))
    wanted = g_variant_get_uint64(value);
  else
    return perf_attr_refuse(error, field->name, field->most == 1 ? "takes the type b" : "takes the type t");
  if (wanted > field->most)
    return perf_attr_refuse(error, field->name, "has a value that is out of bounds");
  field->set(attr, (guint)wanted);
  return TRUE;
}

static gboolean set_field(Attr *attr, const char *name, GVariant *value, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    if (strcmp(numbers[i].name, name) == 0)
      return set_number(attr, &numbers[i], value, error);
  for (guint i = 0; i < G_N_ELEMENTS(bits); i++)
    if (strcmp(bits[i].name, name) == 0)
      return set_bits(attr, &bits[i], value, error);
  return perf_attr_refuse(error, name, "is none that may be set");
}

static gboolean set_fields(Attr *attr, GVariant *fields, GError **error)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  GVariantIter iter;
  const char *name;
  GVariant *value;

  g_variant_iter_init(&iter, fields);
  while (g_variant_iter_next(&iter, "{&sv}", &name, &value)) {
    g_autoptr(GVariant) owned = value;

    if (!g_hash_table_add(seen, (gpointer)name))
      return perf_attr_refuse(error, name, "is there twice");
    if (!set_field(attr, name, owned, error))
      return FALSE;
  }
  if (!g_hash_table_contains(seen, "type"))
    return perf_attr_refuse(error, "type", "is missing");
  if (!g_hash_table_contains(seen, "sample_freq"))
    return !attr->freq || perf_attr_refuse(error, "freq", "goes with sample_freq");
  attr->freq = 1;
  return !g_hash_table_contains(seen, "sample_period") ||
         perf_attr_refuse(error, "sample_freq", "does not go with sample_period");
}

/* Those whose numbers differ from boot to boot: the processors' own counters and nothing else. */
static gboolean is_processor_pmu(guint32 type)
{
  g_autoptr(GDir) directory = g_dir_open(PMUS, 0, NULL);
  const char *name;

  while (directory && (name = g_dir_read_name(directory))) {
    g_autofree char *path = g_build_filename(PMUS, name, "type", NULL);
    g_autofree char *text = NULL;

    if (g_file_get_contents(path, &text, NULL, NULL) && g_ascii_strtoull(text, NULL, 10) == type)
      return strcmp(name, "cpu") == 0 || strcmp(name, "cpu_core") == 0 || strcmp(name, "cpu_atom") == 0 ||
             g_str_has_prefix(name, "armv8_");
  }
  return FALSE;
}

static gboolean check_software(const Attr *attr, GError **error)
{
  return (attr->config <= PERF_COUNT_SW_DUMMY || attr->config == PERF_COUNT_SW_CGROUP_SWITCHES) ||
         perf_attr_refuse(error, "config", "is no event of the software's");
}

/* The upper half may name another PMU. */
static gboolean check_generic(const Attr *attr, GError **error)
{
  guint64 pmu = attr->config >> PERF_PMU_TYPE_SHIFT;

  return pmu == 0 || is_processor_pmu((guint32)pmu) ||
         perf_attr_forbid(error, "events of a PMU that is not the processors'");
}

static gboolean check_kind(const Attr *attr, GError **error)
{
  switch (attr->type) {
  case PERF_TYPE_SOFTWARE:
    return check_software(attr, error);
  case PERF_TYPE_HARDWARE:
  case PERF_TYPE_HW_CACHE:
    return check_generic(attr, error);
  case PERF_TYPE_TRACEPOINT:
    return attr->config <= G_MAXUINT32 || perf_attr_refuse(error, "config", "is no tracepoint's number");
  case PERF_TYPE_RAW:
    return TRUE;
  case PERF_TYPE_BREAKPOINT:
    return perf_attr_forbid(error, "breakpoints");
  default:
    return is_processor_pmu(attr->type) ||
           perf_attr_forbid(error,
                            "probes, traces by AUX, or any events of a PMU that is not the processors'");
  }
}

gboolean captured_perf_attr_parse(GVariant *fields, struct perf_event_attr *ret_attr, GError **error)
{
  Attr attr = {.size = sizeof attr};

  if (!set_fields(&attr, fields, error) || !check_kind(&attr, error))
    return FALSE;
  *ret_attr = attr;
  return TRUE;
}
