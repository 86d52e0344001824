/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What capture-elf-reader answers: COMPILE, NAME and RESOLVE. */
#ifndef ELF_READER_QUESTIONS_H
#define ELF_READER_QUESTIONS_H

#include "helpers/elf-reader/elf-reader-serve.h"

extern const struct elf_reader_service elf_reader_questions;

#endif
