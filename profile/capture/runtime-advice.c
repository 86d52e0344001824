/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/runtime-advice.h"

#include <glib/gi18n.h>

/* A runtime that makes machine code, by the names with which its binaries begin, and what makes that code
 * tell of itself: from each runtime's own documentation, and tried. A new runtime is a row here. */
typedef struct {
  const char *name;
  const char *binaries[3];
  const char *stacks; /* NULL: its code keeps frame pointers, or nothing makes it */
  const char *names;
} Runtime;

static const Runtime runtimes[] = {
    {"Java", {"libjvm.so"}, "java -XX:+PreserveFramePointer", "java -XX:+DumpPerfMapAtExit"},
    {"node", {"node", "libnode.so"}, NULL, "node --perf-basic-prof --interpreted-frames-native-stack"},
    {"Python", {"python3", "libpython3"}, NULL, "python3 -X perf"},
    {"Ruby", {"ruby", "libruby"}, "ruby --yjit-perf", "ruby --yjit-perf"},
    {"PHP", {"php", "libphp"}, "php -d opcache.jit=off", "php -d opcache.jit_debug=16"},
    {"LuaJIT", {"luajit", "libluajit"}, "luajit -joff", NULL},
    {".NET", {"libcoreclr.so"}, NULL, "DOTNET_PerfMapEnabled=1"},
};

static gboolean is_binary_of(const Runtime *runtime, const char *path)
{
  g_autofree char *name = g_path_get_basename(path);

  for (guint i = 0; i < G_N_ELEMENTS(runtime->binaries) && runtime->binaries[i]; i++)
    if (g_str_has_prefix(name, runtime->binaries[i]))
      return TRUE;
  return FALSE;
}

static gboolean was_recorded(ProfileCapture *capture, const Runtime *runtime)
{
  guint n;
  const ProfileBinary *binaries = profile_capture_get_binaries(capture, &n);

  for (guint i = 0; i < n; i++)
    if (binaries[i].path && is_binary_of(runtime, binaries[i].path))
      return TRUE;
  return FALSE;
}

static const Runtime *find_only_runtime(ProfileCapture *capture)
{
  const Runtime *found = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(runtimes); i++) {
    if (!was_recorded(capture, &runtimes[i]))
      continue;
    if (found)
      return NULL;
    found = &runtimes[i];
  }
  return found;
}

const char *profile_runtime_advise(ProfileCapture *capture, ProfileRuntimeLack lack)
{
  const Runtime *runtime = find_only_runtime(capture);
  const char *flag = !runtime                               ? NULL
                     : lack == PROFILE_RUNTIME_LACKS_STACKS ? runtime->stacks
                                                            : runtime->names;
  g_autofree char *advice = NULL;

  if (!flag)
    return NULL;
  advice = lack == PROFILE_RUNTIME_LACKS_STACKS
               ? g_strdup_printf(
                     _("%s made this machine code at run time, without frame pointers. Start it with “%s”."),
                     runtime->name, flag)
               : g_strdup_printf(_("%s made this machine code at run time. “%s” lets it tell the names."),
                                 runtime->name, flag);
  return g_intern_string(advice);
}
