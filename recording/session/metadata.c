/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/session/metadata-private.h"

#include <string.h>
#include <sys/utsname.h>

static char *find_cpu_model(void)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents("/proc/cpuinfo", &text, NULL, NULL))
    return NULL;
  const char *line = strstr(text, "model name");
  const char *colon = line ? strchr(line, ':') : NULL;
  return colon ? g_strstrip(g_strndup(colon + 1, strcspn(colon + 1, "\n"))) : NULL;
}

static int metadata_add(capture_file *file, int result, const char *key, const char *value)
{
  return result < 0 || !value ? result : capture_file_add_metadata(file, key, value);
}

static int add_machine(capture_file *file)
{
  g_autofree char *os = g_get_os_info(G_OS_INFO_KEY_PRETTY_NAME);
  g_autofree char *cpu = find_cpu_model();
  g_autofree char *cpus = g_strdup_printf("%u", g_get_num_processors());
  struct utsname name;
  int result = 0;

  if (uname(&name) == 0) {
    result = metadata_add(file, result, "hostname", name.nodename);
    result = metadata_add(file, result, "kernel", name.release);
    result = metadata_add(file, result, "architecture", name.machine);
  }
  result = metadata_add(file, result, "os", os);
  result = metadata_add(file, result, "cpu", cpu);
  return metadata_add(file, result, "cpus", cpus);
}

int recording_metadata_add(capture_file *file, const RecordingOptions *options, RecordingVia via,
                           RecordingUnwind unwind)
{
  g_autofree char *command =
      options->command && options->command_lines ? g_strjoinv(" ", options->command) : NULL;
  int result = add_machine(file);

  result = metadata_add(file, result, "recorder", options->version);
  result = metadata_add(file, result, "command", command);
  result = metadata_add(file, result, "via", recording_via_to_string(via));
  return metadata_add(file, result, "unwind", recording_unwind_to_string(unwind));
}
