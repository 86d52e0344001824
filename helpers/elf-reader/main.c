/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture-elf-reader FD: see helpers/elf-reader-protocol.h. */
#include "helpers/elf-reader/elf-reader-questions.h"

int main(int argc, char **argv)
{
  return elf_reader_run(argc, argv, &elf_reader_questions);
}
