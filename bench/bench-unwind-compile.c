/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: bench-unwind-compile [--rounds N] [FILE…]
 *
 * What compiling a binary's unwind information costs, as a multiple of reading the same bytes (.eh_frame)
 * once by volatile loads of 8 bytes; both warm, the best of the rounds. Then the same in two threads at once:
 * how long a round takes there.
 */
#include <fcntl.h>
#include <gelf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "unwind/unwind-compile.h"

struct file {
  const uint8_t *bytes;
  size_t size;
  const uint8_t *section;
  size_t section_size;
};

static const char *const default_files[] = {"/usr/lib/x86_64-linux-gnu/libc.so.6",
                                            "/usr/lib/x86_64-linux-gnu/libgtk-4.so.1",
                                            "/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1"};

static int rounds = 20;

static double now(void)
{
  struct timespec ts;

  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static bool find_section(struct file *file)
{
  Elf *elf = elf_memory((char *)file->bytes, file->size);
  Elf_Scn *section = NULL;
  size_t names;

  if (!elf || elf_getshdrstrndx(elf, &names) < 0)
    return false;
  while ((section = elf_nextscn(elf, section))) {
    GElf_Shdr header;

    if (gelf_getshdr(section, &header) && strcmp(elf_strptr(elf, names, header.sh_name), ".eh_frame") == 0) {
      file->section = file->bytes + header.sh_offset;
      file->section_size = header.sh_size;
    }
  }
  elf_end(elf);
  return file->section != NULL;
}

static bool open_file(const char *path, struct file *ret)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct file file = {0};
  struct stat st;

  if (fd < 0 || fstat(fd, &st) < 0)
    return false;
  file.size = (size_t)st.st_size;
  file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
  close(fd);
  if (file.bytes == MAP_FAILED || !find_section(&file))
    return false;
  *ret = file;
  return true;
}

static uint64_t read_once(const struct file *file)
{
  const volatile uint64_t *words = (const volatile uint64_t *)((uintptr_t)file->section & ~(uintptr_t)7);
  uint64_t sum = 0;

  for (size_t i = 0; i < file->section_size / 8; i++)
    sum += words[i];
  return sum;
}

static void compile_once(const struct file *file, struct unwind_workspace *workspace)
{
  const struct unwind_table *table;

  if (unwind_compile_into(workspace, file->bytes, file->size, false, &table) < 0)
    abort();
}

static double best_of_reading(const struct file *file, uint64_t *sum)
{
  double best = 1e9;

  for (int i = 0; i < rounds; i++) {
    double begin = now(), took;

    *sum += read_once(file);
    took = now() - begin;
    best = took < best ? took : best;
  }
  return best;
}

/* Into memory of earlier rounds, as an elf-reader does, or into fresh memory each time, which has to be
 * cleared and given back page by page. */
static double best_of_compiling(const struct file *file, bool fresh)
{
  struct unwind_workspace workspace = {0};
  double best = 1e9;

  for (int i = 0; i < rounds; i++) {
    double begin = now(), took;

    compile_once(file, &workspace);
    if (fresh)
      unwind_workspace_clear(&workspace);
    took = now() - begin;
    best = took < best ? took : best;
  }
  unwind_workspace_clear(&workspace);
  return best;
}

static void *compile_rounds(void *data)
{
  struct unwind_workspace workspace = {0};

  for (int i = 0; i < rounds; i++)
    compile_once(data, &workspace);
  unwind_workspace_clear(&workspace);
  return NULL;
}

/* How much more is compiled in the same time by two threads than by one. */
static double measure_scaling(struct file *file)
{
  double best_one = 1e9, best_two = 1e9;

  for (int i = 0; i < 5; i++) {
    pthread_t threads[2];
    double begin = now(), one, two;

    compile_rounds(file);
    one = now() - begin;
    begin = now();
    for (int k = 0; k < 2; k++)
      pthread_create(&threads[k], NULL, compile_rounds, file);
    for (int k = 0; k < 2; k++)
      pthread_join(threads[k], NULL);
    two = now() - begin;
    best_one = one < best_one ? one : best_one;
    best_two = two < best_two ? two : best_two;
  }
  return 2 * best_one / best_two;
}

static void measure(const char *path)
{
  struct unwind_image image = {0};
  struct file file;
  double reading, compiling, fresh;
  uint64_t sum = 0;

  if (!open_file(path, &file) || unwind_compile(file.bytes, file.size, &image) < 0) {
    fprintf(stderr, "%s could not be compiled.\n", path);
    return;
  }
  reading = best_of_reading(&file, &sum);
  compiling = best_of_compiling(&file, false);
  fresh = best_of_compiling(&file, true);
  printf("%s\n", path);
  printf("  .eh_frame       %10.1f KiB (%016llx)\n", (double)file.section_size / 1024,
         (unsigned long long)sum);
  printf("  reading         %10.3f ms %8.2f GB/s\n", reading, (double)file.section_size / reading / 1e6);
  printf("  compiling       %10.3f ms %8.2f GB/s %8.2f ns a row\n", compiling,
         (double)file.section_size / compiling / 1e6, compiling * 1e6 / image.table->n_rows);
  printf("  compiling / reading %6.1f (%.1f into fresh memory, %.3f ms)\n", compiling / reading,
         fresh / reading, fresh);
  printf("  two threads     %10.2f times as much as one\n", measure_scaling(&file));
  printf("  rows            %10u %8.2f bytes a row, %u rules\n", image.table->n_rows,
         (double)image.table->size / image.table->n_rows, image.table->n_rules);
  unwind_image_clear(&image);
  munmap((void *)file.bytes, file.size);
}

int main(int argc, char **argv)
{
  int first = 1;

  elf_version(EV_CURRENT);
  if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
    rounds = atoi(argv[2]);
    first = 3;
  }
  for (int i = first; i < argc; i++)
    measure(argv[i]);
  for (size_t i = 0; argc <= first && i < sizeof default_files / sizeof *default_files; i++)
    measure(default_files[i]);
  return 0;
}
