/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/kind.h"

static const struct {
  const char *path;
  ProfileKind kind;
} paths[] = {
    {"/home/user/work/slow", PROFILE_KIND_PROGRAM},
    {"/home/user/build/libwork.so.1", PROFILE_KIND_PROGRAM},
    {"/tmp/build/libc.so.6", PROFILE_KIND_PROGRAM},
    {"/usr/bin/xz", PROFILE_KIND_PROGRAM},
    {"/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus", PROFILE_KIND_PROGRAM},
    {"/usr/bin/python3.11", PROFILE_KIND_LANGUAGE},
    {"/usr/bin/node", PROFILE_KIND_LANGUAGE},
    {"/usr/bin/nodelist", PROFILE_KIND_PROGRAM},
    {"/usr/lib/x86_64-linux-gnu/libc.so.6", PROFILE_KIND_C_LIBRARY},
    {"/usr/lib/x86_64-linux-gnu/libcrypto.so.3", PROFILE_KIND_LIBRARY},
    {"/usr/lib/x86_64-linux-gnu/libm.so.6", PROFILE_KIND_C_LIBRARY},
    {"/usr/lib/x86_64-linux-gnu/libmagic.so.1", PROFILE_KIND_LIBRARY},
    {"/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", PROFILE_KIND_C_LIBRARY},
    {"/lib64/ld-linux-x86-64.so.2", PROFILE_KIND_C_LIBRARY},
    {"/usr/lib/x86_64-linux-gnu/libgtk-4.so.1.800.3", PROFILE_KIND_TOOLKIT},
    {"/usr/lib/x86_64-linux-gnu/libQt6Core.so.6.4.2", PROFILE_KIND_TOOLKIT},
    {"/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0.7400.6", PROFILE_KIND_TOOLKIT},
    {"/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0", PROFILE_KIND_LANGUAGE},
    {"/usr/lib/jvm/java-17/lib/server/libjvm.so", PROFILE_KIND_LANGUAGE},
    {"/nix/store/abc-glibc/lib/libc.so.6", PROFILE_KIND_C_LIBRARY},
    {"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1", PROFILE_KIND_LIBRARY},
    {"[kernel]", PROFILE_KIND_KERNEL},
    {"[vdso]", PROFILE_KIND_C_LIBRARY},
    {"[unknown]", PROFILE_KIND_UNKNOWN},
};

static void test_paths(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
    g_test_message("%s", paths[i].path);
    g_assert_cmpint(profile_kind_of_binary(paths[i].path), ==, paths[i].kind);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/kind/paths", test_paths);
  return g_test_run();
}
