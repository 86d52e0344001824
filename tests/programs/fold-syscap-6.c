/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * As fold-syscap.c, with the library of Sysprof 45 and newer. That one says which allocations are blocks
 * given back; that those pair up with the others is counted here.
 *
 * usage: fold-syscap-6 FILE
 */
#include <stdio.h>
#include <sysprof.h>

#define LONGEST 10000

static void print_stack(SysprofDocument *document, gpointer traceable)
{
  SysprofSymbol *symbols[LONGEST];
  SysprofAddressContext context;
  guint n = sysprof_document_symbolize_traceable(document, traceable, symbols, LONGEST, &context);

  for (guint i = 0; i < n; i++)
    if (sysprof_symbol_get_kind(symbols[i]) != SYSPROF_SYMBOL_KIND_CONTEXT_SWITCH)
      printf("\t%s", sysprof_symbol_get_name(symbols[i]));
  printf("\n");
}

static void print_sample(SysprofDocument *document, gpointer sample)
{
  printf("sample %d %d", sysprof_document_frame_get_pid(sample),
         sysprof_document_traceable_get_thread_id(sample));
  print_stack(document, sample);
}

static void print_allocation(SysprofDocument *document, gpointer allocation)
{
  gboolean is_free = sysprof_document_allocation_is_free(allocation);

  printf("allocation %" G_GINT64_FORMAT " %d %#" G_GINT64_MODIFIER "x %" G_GINT64_FORMAT,
         sysprof_document_frame_get_time(allocation), sysprof_document_traceable_get_thread_id(allocation),
         sysprof_document_allocation_get_address(allocation),
         is_free ? 0 : sysprof_document_allocation_get_size(allocation));
  print_stack(document, allocation);
}

static void print_mark(SysprofDocument *document, gpointer mark)
{
  printf("mark %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s\t%s\t%s\n", sysprof_document_frame_get_time(mark),
         sysprof_document_mark_get_duration(mark), sysprof_document_mark_get_group(mark),
         sysprof_document_mark_get_name(mark), sysprof_document_mark_get_message(mark));
}

static void print_log(SysprofDocument *document, gpointer log)
{
  printf("log %" G_GINT64_FORMAT " %u %s\t%s\n", sysprof_document_frame_get_time(log),
         (guint)sysprof_document_log_get_severity(log), sysprof_document_log_get_domain(log),
         sysprof_document_log_get_message(log));
}

static void print_counter(SysprofDocument *document, gpointer counter)
{
  guint id = sysprof_document_counter_get_id(counter);

  printf("counter %u %s %s\t%s\t%s\n", id, g_type_name(sysprof_document_counter_get_value_type(counter)),
         sysprof_document_counter_get_category(counter), sysprof_document_counter_get_name(counter),
         sysprof_document_counter_get_description(counter));
  for (guint i = 0; i < g_list_model_get_n_items(counter); i++) {
    g_autoptr(SysprofDocumentCounterValue) value = g_list_model_get_item(counter, i);

    printf("value %" G_GINT64_FORMAT " %u %.17g\n", sysprof_document_counter_value_get_time(value), id,
           sysprof_document_counter_value_get_value_double(value));
  }
}

static void print_memory(GListModel *allocations)
{
  g_autoptr(GHashTable) kept = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint i = 0; i < g_list_model_get_n_items(allocations); i++) {
    g_autoptr(SysprofDocumentAllocation) allocation = g_list_model_get_item(allocations, i);
    guint64 address = sysprof_document_allocation_get_address(allocation);

    if (sysprof_document_allocation_is_free(allocation))
      g_hash_table_remove(kept, &address);
    else
      g_hash_table_add(kept, g_memdup2(&address, sizeof address));
  }
  printf("memory %u\n", g_hash_table_size(kept));
}

/* In the order of Sysprof 3's call graph: its own table comes first. */
static void set_symbolizers(SysprofDocumentLoader *loader)
{
  g_autoptr(SysprofMultiSymbolizer) all = sysprof_multi_symbolizer_new();

  sysprof_multi_symbolizer_take(all, sysprof_bundled_symbolizer_new());
  sysprof_multi_symbolizer_take(all, sysprof_kallsyms_symbolizer_new());
  sysprof_multi_symbolizer_take(all, sysprof_elf_symbolizer_new());
  sysprof_multi_symbolizer_take(all, sysprof_jitmap_symbolizer_new());
  sysprof_document_loader_set_symbolizer(loader, SYSPROF_SYMBOLIZER(all));
}

static void print_all(SysprofDocument *document, GListModel *list, void (*print)(SysprofDocument *, gpointer))
{
  for (guint i = 0; i < g_list_model_get_n_items(list); i++) {
    g_autoptr(GObject) item = g_list_model_get_item(list, i);

    print(document, item);
  }
}

int main(int argc, char **argv)
{
  g_autoptr(SysprofDocumentLoader) loader = argc == 2 ? sysprof_document_loader_new(argv[1]) : NULL;
  g_autoptr(SysprofDocument) document = NULL;
  g_autoptr(GError) error = NULL;
  const struct {
    GListModel *(*list)(SysprofDocument *);
    void (*print)(SysprofDocument *, gpointer);
  } kinds[] = {{sysprof_document_list_samples, print_sample},
               {sysprof_document_list_allocations, print_allocation},
               {sysprof_document_list_marks, print_mark},
               {sysprof_document_list_logs, print_log},
               {sysprof_document_list_counters, print_counter}};

  if (loader)
    set_symbolizers(loader);
  document = loader ? sysprof_document_loader_load(loader, NULL, &error) : NULL;
  if (!document) {
    fprintf(stderr, "%s\n", error ? error->message : "usage: fold-syscap-6 FILE");
    return 2;
  }
  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autoptr(GListModel) list = kinds[i].list(document);

    print_all(document, list, kinds[i].print);
    if (kinds[i].print == print_allocation)
      print_memory(list);
  }
  return 0;
}
