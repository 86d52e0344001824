/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/kind.h"

#include <string.h>

/* Where systems install, and nobody builds. */
static const char *const installed[] = {"/app/",   "/bin/",   "/gnu/store/", "/lib/",
                                        "/lib32/", "/lib64/", "/nix/store/", "/opt/",
                                        "/sbin/",  "/snap/",  "/usr/",       "/var/lib/"};

/* What file names begin with; where the rest is a version or an ending, see is_named(). */
typedef struct {
  const char *name;
  ProfileKind kind;
} Named;

static const Named libraries[] = {
    {"ld-linux", PROFILE_KIND_C_LIBRARY},
    {"ld-musl", PROFILE_KIND_C_LIBRARY},
    {"libasan", PROFILE_KIND_C_LIBRARY},
    {"libatomic", PROFILE_KIND_C_LIBRARY},
    {"libc++", PROFILE_KIND_C_LIBRARY},
    {"libc++abi", PROFILE_KIND_C_LIBRARY},
    {"libc", PROFILE_KIND_C_LIBRARY},
    {"libdl", PROFILE_KIND_C_LIBRARY},
    {"libgcc_s", PROFILE_KIND_C_LIBRARY},
    {"libjemalloc", PROFILE_KIND_C_LIBRARY},
    {"libm", PROFILE_KIND_C_LIBRARY},
    {"libmimalloc", PROFILE_KIND_C_LIBRARY},
    {"libmvec", PROFILE_KIND_C_LIBRARY},
    {"libpthread", PROFILE_KIND_C_LIBRARY},
    {"libresolv", PROFILE_KIND_C_LIBRARY},
    {"librt", PROFILE_KIND_C_LIBRARY},
    {"libstdc++", PROFILE_KIND_C_LIBRARY},
    {"libtcmalloc", PROFILE_KIND_C_LIBRARY},
    {"libtcmalloc_minimal", PROFILE_KIND_C_LIBRARY},
    {"libtsan", PROFILE_KIND_C_LIBRARY},
    {"libubsan", PROFILE_KIND_C_LIBRARY},
    {"libunwind", PROFILE_KIND_C_LIBRARY},
    {"libclrjit", PROFILE_KIND_LANGUAGE},
    {"libcoreclr", PROFILE_KIND_LANGUAGE},
    {"libgirepository", PROFILE_KIND_LANGUAGE},
    {"libgjs", PROFILE_KIND_LANGUAGE},
    {"libguile", PROFILE_KIND_LANGUAGE},
    {"libjava", PROFILE_KIND_LANGUAGE},
    {"libjavascriptcoregtk", PROFILE_KIND_LANGUAGE},
    {"libjli", PROFILE_KIND_LANGUAGE},
    {"libjvm", PROFILE_KIND_LANGUAGE},
    {"liblua", PROFILE_KIND_LANGUAGE},
    {"libluajit", PROFILE_KIND_LANGUAGE},
    {"libmono", PROFILE_KIND_LANGUAGE},
    {"libmozjs", PROFILE_KIND_LANGUAGE},
    {"libnode", PROFILE_KIND_LANGUAGE},
    {"libperl", PROFILE_KIND_LANGUAGE},
    {"libphp", PROFILE_KIND_LANGUAGE},
    {"libpython", PROFILE_KIND_LANGUAGE},
    {"libruby", PROFILE_KIND_LANGUAGE},
    {"libtcl", PROFILE_KIND_LANGUAGE},
    {"libEGL", PROFILE_KIND_TOOLKIT},
    {"libGL", PROFILE_KIND_TOOLKIT},
    {"libGLX", PROFILE_KIND_TOOLKIT},
    {"libKF", PROFILE_KIND_TOOLKIT},
    {"libQt", PROFILE_KIND_TOOLKIT},
    {"libSDL", PROFILE_KIND_TOOLKIT},
    {"libX11", PROFILE_KIND_TOOLKIT},
    {"libadwaita", PROFILE_KIND_TOOLKIT},
    {"libatk", PROFILE_KIND_TOOLKIT},
    {"libcairo", PROFILE_KIND_TOOLKIT},
    {"libepoxy", PROFILE_KIND_TOOLKIT},
    {"libfontconfig", PROFILE_KIND_TOOLKIT},
    {"libfreetype", PROFILE_KIND_TOOLKIT},
    {"libgallium", PROFILE_KIND_TOOLKIT},
    {"libgdk", PROFILE_KIND_TOOLKIT},
    {"libgio", PROFILE_KIND_TOOLKIT},
    {"libglib", PROFILE_KIND_TOOLKIT},
    {"libgobject", PROFILE_KIND_TOOLKIT},
    {"libgraphene", PROFILE_KIND_TOOLKIT},
    {"libgtk", PROFILE_KIND_TOOLKIT},
    {"libgtksourceview", PROFILE_KIND_TOOLKIT},
    {"libharfbuzz", PROFILE_KIND_TOOLKIT},
    {"libpango", PROFILE_KIND_TOOLKIT},
    {"libpixman", PROFILE_KIND_TOOLKIT},
    {"librsvg", PROFILE_KIND_TOOLKIT},
    {"libvulkan", PROFILE_KIND_TOOLKIT},
    {"libwayland", PROFILE_KIND_TOOLKIT},
    {"libxcb", PROFILE_KIND_TOOLKIT},
};

/* Programs that run what people write. */
static const char *const interpreters[] = {"deno",   "dotnet",  "gjs",  "java",   "lua",
                                           "luajit", "mono",    "node", "nodejs", "perl",
                                           "php",    "php-fpm", "pypy", "python", "ruby"};

static gboolean is_installed(const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS(installed); i++)
    if (g_str_has_prefix(path, installed[i]))
      return TRUE;
  return FALSE;
}

/* "libgtk" of "libgtk-4.so.1", "libQt" of "libQt6Core.so.6", but not "libc" of "libcrypto.so.3": behind a
 * name that ends in a small letter none may follow. */
static gboolean is_named(const char *file, const char *name)
{
  gsize length = strlen(name);

  return strncmp(file, name, length) == 0 &&
         !(g_ascii_islower(file[length]) && g_ascii_islower(name[length - 1]));
}

static ProfileKind kind_of_library(const char *file)
{
  ProfileKind kind = PROFILE_KIND_LIBRARY;
  gsize most = 0;

  for (guint i = 0; i < G_N_ELEMENTS(libraries); i++)
    if (strlen(libraries[i].name) > most && is_named(file, libraries[i].name)) {
      most = strlen(libraries[i].name);
      kind = libraries[i].kind;
    }
  return kind;
}

static gboolean is_interpreter(const char *file)
{
  for (guint i = 0; i < G_N_ELEMENTS(interpreters); i++) {
    const char *rest = g_str_has_prefix(file, interpreters[i]) ? file + strlen(interpreters[i]) : NULL;
    if (rest && rest[strspn(rest, G_CSET_DIGITS ".")] == '\0')
      return TRUE;
  }
  return FALSE;
}

static gboolean is_library(const char *file)
{
  const char *extension = strstr(file, ".so");

  return extension && (extension[3] == '\0' || extension[3] == '.');
}

ProfileKind profile_kind_of_binary(const char *path)
{
  const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

  if (strcmp(path, "[kernel]") == 0)
    return PROFILE_KIND_KERNEL;
  if (strcmp(path, "[vdso]") == 0)
    return PROFILE_KIND_C_LIBRARY;
  if (*path == '[')
    return PROFILE_KIND_UNKNOWN;
  if (!is_installed(path))
    return PROFILE_KIND_PROGRAM;
  if (is_library(file))
    return kind_of_library(file);
  return is_interpreter(file) ? PROFILE_KIND_LANGUAGE : PROFILE_KIND_PROGRAM;
}

/* A language's own functions are installed with it, or are in no file ("<frozen importlib>", "node:fs"). */
static ProfileKind kind_of_told(const ProfileFunction *function)
{
  const char *file = function->range ? function->range->file : NULL;

  if (!file || *file == '\0')
    return PROFILE_KIND_RUN_TIME;
  return *file == '<' || g_str_has_prefix(file, "node:") || is_installed(file) ? PROFILE_KIND_LANGUAGE
                                                                               : PROFILE_KIND_PROGRAM;
}

ProfileKind profile_kind_of_function(const ProfileStacks *stacks, guint32 function)
{
  ProfileCapture *capture = profile_stacks_get_capture(stacks);
  gsize n;

  profile_capture_get_functions(capture, &n);
  if (function < n && profile_capture_function_is_told(capture, function))
    return kind_of_told(profile_stacks_get_function(stacks, function));
  if (profile_stacks_function_is_kernel(stacks, function))
    return PROFILE_KIND_KERNEL;
  return profile_kind_of_binary(profile_stacks_get_function_binary(stacks, function));
}
