/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's symbols, as /proc/kallsyms lists them for this process: functions and data, modules' too. Of
 * several at one address the last one listed names it, and a symbol ends where the next begins (at the end of
 * its page or the next when that is another module's): perf's rules, and those of profile/elf/kallsyms.h.
 */
#ifndef RECORDER_KALLSYMS_H
#define RECORDER_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder_kallsyms_entry;

struct recorder_kallsyms {
  char *text;
  size_t length;
  struct recorder_kallsyms_entry *entries;
  size_t n;
  size_t capacity;
  bool hidden; /* the kernel lists them without their addresses (kernel.kptr_restrict) */
};

struct recorder_kallsym {
  uint64_t start;
  uint64_t end;
  const char *name; /* not terminated, as the next */
  size_t name_length;
  const char *module; /* NULL: the kernel itself */
  size_t module_length;
};

/* Reads the list of that file ("/proc/kallsyms"), some fifty milliseconds. 0 or -errno. */
int recorder_kallsyms_read(struct recorder_kallsyms *ret, const char *path);
void recorder_kallsyms_clear(struct recorder_kallsyms *kallsyms);
/* The symbol that holds an address. False when none does. */
bool recorder_kallsyms_find(const struct recorder_kallsyms *kallsyms, uint64_t address,
                            struct recorder_kallsym *ret);

#endif
