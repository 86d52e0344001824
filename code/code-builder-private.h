/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions while they are found. */
#ifndef CODE_BUILDER_PRIVATE_H
#define CODE_BUILDER_PRIVATE_H

#include "code/code-line-private.h"

struct code_builder {
  struct code_instruction *instructions; /* texts count from 0 until all are there */
  size_t n;
  size_t capacity;
  char *text;
  size_t text_size;
  size_t text_capacity;
};

/* One more, with its text, which is not empty. 0 or -ENOMEM. */
int code_builder_add(struct code_builder *builder, const struct code_instruction *instruction,
                     const struct code_line *line);

/* All of them behind a copy of `head`, whose sizes are filled in. 0 or -ENOMEM. */
int code_builder_finish(const struct code_builder *builder, const struct code_instructions *head,
                        struct code_instructions **ret);

void code_builder_clear(struct code_builder *builder);

#endif
