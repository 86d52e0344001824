/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/diagnosis/findings.h"

#include <elf.h>
#include <glib/gi18n.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define KPTR_RESTRICT "/proc/sys/kernel/kptr_restrict"
#define DEBUG_FILES   "/usr/lib/debug/.build-id"

/* The kernel prints zeroes instead of addresses to those who may not see them. */
static gboolean kernel_addresses_are_shown(void)
{
  g_autofree char *line = NULL;
  gsize size = 0;
  gboolean shown = FALSE;
  FILE *file = fopen("/proc/kallsyms", "re");

  if (!file)
    return FALSE;
  for (int i = 0; i < 64 && !shown && getline(&line, &size, file) > 0; i++)
    shown = g_ascii_strtoull(line, NULL, 16) != 0;
  fclose(file);
  return shown;
}

static void find_kernel_names(GPtrArray *findings)
{
  gint64 restrict_level = recording_read_setting(KPTR_RESTRICT, 0);

  if (kernel_addresses_are_shown()) {
    recording_findings_add(findings, "kernel-names", RECORDING_FINDING_OK,
                           g_strdup(_("Kernel functions can be named.")), NULL);
    return;
  }
  if (restrict_level > 0)
    recording_findings_add(
        findings, "kernel-names", RECORDING_FINDING_LIMITED,
        g_strdup_printf(_("Kernel functions stay addresses: kernel.kptr_restrict is %" PRId64 "."),
                        restrict_level),
        g_strdup("sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"));
  else
    recording_findings_add(findings, "kernel-names", RECORDING_FINDING_LIMITED,
                           g_strdup(_("Kernel functions stay addresses: the kernel hides them while "
                                      "kernel.perf_event_paranoid is above 1.")),
                           g_strdup("sudo sysctl kernel.perf_event_paranoid=1"));
}

typedef struct {
  char *build_id;
} LibcSearch;

static char *note_build_id(const char *notes, gsize size)
{
  gsize at = 0;

  while (at + sizeof(ElfW(Nhdr)) <= size) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + at);
    const char *name = (const char *)(note + 1);
    const guint8 *bytes = (const guint8 *)name + ((note->n_namesz + 3) & ~3u);
    GString *text;

    at += sizeof *note + ((note->n_namesz + 3) & ~3u) + ((note->n_descsz + 3) & ~3u);
    if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || memcmp(name, "GNU", 4) != 0)
      continue;
    text = g_string_new(NULL);
    for (guint i = 0; i < note->n_descsz; i++)
      g_string_append_printf(text, "%02x", bytes[i]);
    return g_string_free(text, FALSE);
  }
  return NULL;
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
  LibcSearch *search = data;

  if (!strstr(info->dlpi_name, "libc.so") && !strstr(info->dlpi_name, "libc-"))
    return 0;
  for (int i = 0; i < info->dlpi_phnum && !search->build_id; i++)
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      search->build_id = note_build_id((const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                                       info->dlpi_phdr[i].p_memsz);
  return 1;
}

static char *debug_install_command(void)
{
  g_autofree char *id = g_get_os_info("ID");
  g_autofree char *like = g_get_os_info("ID_LIKE");
  g_autofree char *both = g_strconcat(id ? id : "", " ", like ? like : "", NULL);

  if (strstr(both, "debian"))
    return g_strdup("sudo apt-get install libc6-dbg");
  if (strstr(both, "fedora") || strstr(both, "rhel"))
    return g_strdup("sudo dnf debuginfo-install glibc");
  return NULL;
}

/* The C library stands for all: it is in every process, and stripped everywhere. */
static void find_debug_files(GPtrArray *findings)
{
  LibcSearch search = {NULL};
  g_autofree char *path = NULL;
  g_autofree char *build_id = NULL;

  dl_iterate_phdr(look_at_object, &search);
  build_id = search.build_id;
  if (build_id && strlen(build_id) > 2)
    path = g_strdup_printf(DEBUG_FILES "/%.2s/%s.debug", build_id, build_id + 2);
  if (path && g_file_test(path, G_FILE_TEST_EXISTS))
    recording_findings_add(findings, "debug-files", RECORDING_FINDING_OK,
                           g_strdup(_("The debug file of the C library is installed.")), NULL);
  else
    recording_findings_add(
        findings, "debug-files", RECORDING_FINDING_LIMITED,
        g_strdup(_("The debug file of the C library is not installed: functions inside it that it does not "
                   "export stay offsets.")),
        debug_install_command());
}

void recording_find_names(GPtrArray *findings)
{
  find_kernel_names(findings);
  find_debug_files(findings);
}
