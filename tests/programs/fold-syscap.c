/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Sysprof's own library reads in a .syscap, as text: a line a sample with its pid and its functions, the
 * innermost first, resolved by the resolvers of Sysprof's call graph, in their order; allocations likewise;
 * then marks, counters' values and lines of logs. Samples are counted by whoever reads the lines. The last
 * line is what its memory profile comes to: how many blocks were not given back.
 *
 * usage: fold-syscap FILE
 */
#include <inttypes.h>
#include <stdio.h>
#include <sysprof.h>

static SysprofSymbolResolver *resolvers[4];

static void load_resolvers(SysprofCaptureReader *reader)
{
  resolvers[0] = sysprof_capture_symbol_resolver_new();
  resolvers[1] = sysprof_kernel_symbol_resolver_new();
  resolvers[2] = sysprof_elf_symbol_resolver_new();
  resolvers[3] = sysprof_jitmap_symbol_resolver_new();
  for (guint i = 0; i < G_N_ELEMENTS(resolvers); i++) {
    sysprof_capture_reader_reset(reader);
    sysprof_symbol_resolver_load(resolvers[i], reader);
  }
  sysprof_capture_reader_reset(reader);
}

static char *resolve(const SysprofCaptureFrame *frame, SysprofAddressContext context,
                     SysprofCaptureAddress address)
{
  for (guint i = 0; i < G_N_ELEMENTS(resolvers); i++) {
    GQuark tag = 0;
    char *name = sysprof_symbol_resolver_resolve_with_context(resolvers[i], frame->time, frame->pid, context,
                                                              address, &tag);

    if (name)
      return name;
  }
  return g_strdup_printf("%#" PRIx64, address);
}

static void print_stack(const SysprofCaptureFrame *frame, const SysprofCaptureAddress *addresses, guint n)
{
  SysprofAddressContext context = SYSPROF_ADDRESS_CONTEXT_NONE;

  for (guint i = 0; i < n; i++) {
    SysprofAddressContext next;
    g_autofree char *name = NULL;

    if (sysprof_address_is_context_switch(addresses[i], &next)) {
      context = next;
      continue;
    }
    name = resolve(frame, context == SYSPROF_ADDRESS_CONTEXT_NONE ? SYSPROF_ADDRESS_CONTEXT_USER : context,
                   addresses[i]);
    printf("\t%s", name);
  }
  printf("\n");
}

static void print_sample(const SysprofCaptureSample *sample)
{
  printf("sample %d %d", sample->frame.pid, sample->tid);
  print_stack(&sample->frame, sample->addrs, sample->n_addrs);
}

static void print_allocation(const SysprofCaptureAllocation *allocation)
{
  printf("allocation %" PRId64 " %d %#" PRIx64 " %" PRId64, allocation->frame.time, allocation->tid,
         allocation->alloc_addr, allocation->alloc_size);
  print_stack(&allocation->frame, allocation->addrs, allocation->n_addrs);
}

static void print_values(const SysprofCaptureCounterSet *set)
{
  for (guint i = 0; i < set->n_values; i++)
    for (guint j = 0; j < 8; j++)
      if (set->values[i].ids[j] != 0)
        printf("value %" PRId64 " %u %.17g\n", set->frame.time, set->values[i].ids[j],
               set->values[i].values[j].vdbl);
}

static void print_counters(const SysprofCaptureCounterDefine *define)
{
  for (guint i = 0; i < define->n_counters; i++)
    printf("counter %u %u %s\t%s\t%s\n", define->counters[i].id, define->counters[i].type,
           define->counters[i].category, define->counters[i].name, define->counters[i].description);
}

static gboolean print_frame(SysprofCaptureReader *reader, SysprofCaptureFrameType type)
{
  const SysprofCaptureSample *sample;
  const SysprofCaptureAllocation *allocation;
  const SysprofCaptureMark *mark;
  const SysprofCaptureLog *log;
  const SysprofCaptureCounterSet *set;
  const SysprofCaptureCounterDefine *define;

  if (type == SYSPROF_CAPTURE_FRAME_SAMPLE && (sample = sysprof_capture_reader_read_sample(reader)))
    print_sample(sample);
  else if (type == SYSPROF_CAPTURE_FRAME_ALLOCATION &&
           (allocation = sysprof_capture_reader_read_allocation(reader)))
    print_allocation(allocation);
  else if (type == SYSPROF_CAPTURE_FRAME_MARK && (mark = sysprof_capture_reader_read_mark(reader)))
    printf("mark %" PRId64 " %" PRId64 " %s\t%s\t%s\n", mark->frame.time, mark->duration, mark->group,
           mark->name, mark->message);
  else if (type == SYSPROF_CAPTURE_FRAME_LOG && (log = sysprof_capture_reader_read_log(reader)))
    printf("log %" PRId64 " %u %s\t%s\n", log->frame.time, log->severity, log->domain, log->message);
  else if (type == SYSPROF_CAPTURE_FRAME_CTRSET && (set = sysprof_capture_reader_read_counter_set(reader)))
    print_values(set);
  else if (type == SYSPROF_CAPTURE_FRAME_CTRDEF &&
           (define = sysprof_capture_reader_read_counter_define(reader)))
    print_counters(define);
  else
    return sysprof_capture_reader_skip(reader);
  return TRUE;
}

static void on_generated(GObject *profile, GAsyncResult *result, gpointer loop)
{
  g_autoptr(GError) error = NULL;

  if (!sysprof_profile_generate_finish(SYSPROF_PROFILE(profile), result, &error))
    g_error("%s", error->message);
  g_main_loop_quit(loop);
}

static void print_memory(SysprofCaptureReader *reader)
{
  g_autoptr(SysprofProfile) profile = sysprof_memprof_profile_new();
  g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
  SysprofMemprofStats stats;

  sysprof_capture_reader_reset(reader);
  sysprof_profile_set_reader(profile, reader);
  sysprof_memprof_profile_set_mode(SYSPROF_MEMPROF_PROFILE(profile), SYSPROF_MEMPROF_MODE_SUMMARY);
  sysprof_profile_generate(profile, NULL, on_generated, loop);
  g_main_loop_run(loop);
  sysprof_memprof_profile_get_stats(SYSPROF_MEMPROF_PROFILE(profile), &stats);
  printf("memory %" G_GINT64_FORMAT "\n", stats.leaked_allocs);
}

int main(int argc, char **argv)
{
  SysprofCaptureReader *reader = argc == 2 ? sysprof_capture_reader_new(argv[1]) : NULL;
  SysprofCaptureFrameType type;

  if (!reader) {
    fprintf(stderr, "usage: fold-syscap FILE\n");
    return 2;
  }
  load_resolvers(reader);
  while (sysprof_capture_reader_peek_type(reader, &type))
    if (!print_frame(reader, type))
      return 1;
  print_memory(reader);
  for (guint i = 0; i < G_N_ELEMENTS(resolvers); i++)
    g_object_unref(resolvers[i]);
  sysprof_capture_reader_unref(reader);
  return 0;
}
