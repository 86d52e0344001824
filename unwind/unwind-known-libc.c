/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where threads and coroutines begin in the C library, x86-64 only. */
#include "unwind/unwind-known-private.h"

#include <string.h>

/* Of clone's and clone3's code, from the system call on: who made it goes on, or gives up when the result is
 * negative, and the new thread goes to what comes next. Their descriptions leave it out because the stack is
 * the one of one thread here and of another there. */
static const uint8_t call[] = {0x0f, 0x05, 0x48, 0x85, 0xc0}, /* syscall; test %rax, %rax */
    near[] = {0x7c}, far[] = {0x0f, 0x8c},                    /* jl */
    back[] = {0x74, 0x01, 0xc3};                              /* je; ret */

/* __start_context: mov %rbx, %rsp; mov (%rsp), %rdi; test %rdi, %rdi; je */
static const uint8_t coroutine[] = {0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff, 0x74};

/* No makecontext is longer: what a damaged file says of it costs no more. */
#define MAKECONTEXT_MAX 4096

static bool is_call(const uint8_t *code, const uint8_t *jump, size_t jump_size, size_t distance_size)
{
  return memcmp(code, call, sizeof call) == 0 && memcmp(code + sizeof call, jump, jump_size) == 0 &&
         memcmp(code + sizeof call + jump_size + distance_size, back, sizeof back) == 0;
}

uint32_t unwind_known_clone(const struct unwind_elf *elf, uint64_t start)
{
  const uint32_t short_size = sizeof call + sizeof near + 1 + sizeof back,
                 long_size = sizeof call + sizeof far + 4 + sizeof back;
  struct unwind_bytes code;

  if (elf->machine != EM_X86_64 || start < long_size ||
      !unwind_elf_find_address(elf, start - long_size, &code) || code.size < long_size)
    return 0;
  if (is_call(code.bytes, far, sizeof far, 4))
    return long_size;
  return is_call(code.bytes + long_size - short_size, near, sizeof near, 1) ? short_size : 0;
}

struct unwind_state unwind_known_clone_state(void)
{
  struct unwind_rule rule = unwind_known_called;

  rule.cfa = UNWIND_CFA_CLONE;
  return unwind_state_from_rule(rule); /* operand: 0, which is rax */
}

static bool is_name(const struct unwind_bytes *names, uint32_t at, const char *name)
{
  size_t size = strlen(name) + 1;

  return at < names->size && names->size - at >= size && memcmp(names->bytes + at, name, size) == 0;
}

static bool find_bytes(const struct unwind_elf *elf, const char *section_name, struct unwind_bytes *ret)
{
  Elf64_Shdr section;

  return unwind_elf_find_section(elf, section_name, &section) && unwind_elf_section_bytes(elf, &section, ret);
}

static bool is_libc(const struct unwind_elf *elf, const struct unwind_bytes *names)
{
  struct unwind_bytes dynamic;
  Elf64_Dyn entry;

  if (!find_bytes(elf, ".dynamic", &dynamic))
    return false;
  for (size_t at = 0; dynamic.size - at >= sizeof entry; at += sizeof entry) {
    memcpy(&entry, dynamic.bytes + at, sizeof entry);
    if (entry.d_tag == DT_SONAME)
      return entry.d_un.d_val <= UINT32_MAX && is_name(names, (uint32_t)entry.d_un.d_val, "libc.so.6");
  }
  return false;
}

static bool find_function(const struct unwind_bytes *symbols, const struct unwind_bytes *names,
                          const char *name, Elf64_Sym *ret)
{
  for (size_t at = 0; symbols->size - at >= sizeof *ret; at += sizeof *ret) {
    memcpy(ret, symbols->bytes + at, sizeof *ret);
    if (ELF64_ST_TYPE(ret->st_info) == STT_FUNC && is_name(names, ret->st_name, name))
      return true;
  }
  return false;
}

/* The function whose address is taken there and that is the coroutines' root; 0: it is none. */
static uint64_t find_root(const struct unwind_elf *elf, const struct unwind_bytes *code, uint64_t address)
{
  const size_t size = 7; /* lea distance(%rip), register */
  struct unwind_bytes target;
  int32_t distance;

  for (size_t at = 0; code->size - at >= size; at++) {
    const uint8_t *here = code->bytes + at;

    if ((here[0] & 0xfb) != 0x48 || here[1] != 0x8d || (here[2] & 0xc7) != 0x05)
      continue;
    memcpy(&distance, here + 3, sizeof distance);
    uint64_t root = address + at + size + (uint64_t)(int64_t)distance;
    if (unwind_elf_find_address(elf, root, &target) && target.size >= sizeof coroutine &&
        memcmp(target.bytes, coroutine, sizeof coroutine) == 0)
      return root;
  }
  return 0;
}

/* makecontext takes its address. */
uint32_t unwind_known_find_coroutine(const struct unwind_elf *elf, struct unwind_known *ret)
{
  struct unwind_bytes names, symbols, code;
  Elf64_Sym function;

  if (!find_bytes(elf, ".dynstr", &names) || !is_libc(elf, &names) || !find_bytes(elf, ".dynsym", &symbols) ||
      !find_function(&symbols, &names, "makecontext", &function) ||
      !unwind_elf_find_address(elf, function.st_value, &code))
    return 0;
  if (code.size > MAKECONTEXT_MAX)
    code.size = MAKECONTEXT_MAX;
  if (code.size > function.st_size)
    code.size = function.st_size;
  uint64_t root = find_root(elf, &code, function.st_value);
  if (root == 0)
    return 0;
  *ret = (struct unwind_known){{root - 1, root}, unwind_state_from_rule(unwind_known_root)};
  return 1;
}
