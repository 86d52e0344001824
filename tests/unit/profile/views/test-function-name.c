/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/function-name.h"

static void assert_folded(const char *name, const char *expected)
{
  g_autofree char *folded = profile_function_name_fold(name);

  g_assert_cmpstr(folded, ==, expected);
}

static void test_cplusplus(void)
{
  assert_folded("main", NULL);
  assert_folded("std::_Map_base<int, std::pair<int const, int>, true>::at(int const&)",
                "std::_Map_base<…>::at(int const&)");
  assert_folded("void f<int>(std::vector<int, std::allocator<int> >&)", "void f<…>(std::vector<…>&)");
  assert_folded("A<(E)1>::b()", "A<…>::b()");
  assert_folded("A<(1>0)>::b()", "A<…>::b()");
  assert_folded("A<&B::operator->>::b()", "A<…>::b()");
}

/* What looks like a bracket and is a name. */
static void test_operators(void)
{
  assert_folded("A::operator<(A const&) const", NULL);
  assert_folded("A::operator<<(int)", NULL);
  assert_folded("A::operator<=(A const&)", NULL);
  assert_folded("A::operator->()", NULL);
  assert_folded("std::operator<< <std::char_traits<char> >(char)", "std::operator<< <…>(char)");
  assert_folded("std::operator>><char>(char&)", "std::operator>><…>(char&)");
  assert_folded("A<int>::operator()<B<int> >(int)", "A<…>::operator()<…>(int)");
}

static void test_rust(void)
{
  assert_folded("<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
                "<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop");
  assert_folded("core::fmt::num::<impl core::fmt::Display for u32>::fmt", NULL);
  assert_folded("core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place::<…>");
}

static void test_damaged(void)
{
  g_autofree char *open = g_strnfill(60000, '<');
  g_autoptr(GString) opened = g_string_new(NULL);

  assert_folded("", NULL);
  assert_folded("a<b", NULL);
  assert_folded("a>b<c>", "a>b<…>");
  assert_folded("<lambda>", NULL);
  assert_folded(open, NULL);
  for (guint i = 0; i < 20000; i++) /* costs one look, not one a bracket */
    g_string_append(opened, "a<(");
  assert_folded(opened->str, NULL);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/function-name/cplusplus", test_cplusplus);
  g_test_add_func("/function-name/operators", test_operators);
  g_test_add_func("/function-name/rust", test_rust);
  g_test_add_func("/function-name/damaged", test_damaged);
  return g_test_run();
}
