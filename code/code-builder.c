/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-builder-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_INSTRUCTIONS 256
#define FIRST_TEXT         8192

static int builder_reserve(void **memory, size_t *capacity, size_t needed, size_t first, size_t item)
{
  size_t most = *capacity > 0 ? 2 * *capacity : first;
  void *grown;

  if (needed <= *capacity)
    return 0;
  grown = realloc(*memory, most * item);
  if (!grown)
    return -ENOMEM;
  *memory = grown;
  *capacity = most;
  return 0;
}

int code_builder_add(struct code_builder *builder, const struct code_instruction *instruction,
                     const struct code_line *line)
{
  void *instructions = builder->instructions, *text = builder->text;
  int result = builder_reserve(&instructions, &builder->capacity, builder->n + 1, FIRST_INSTRUCTIONS,
                               sizeof *builder->instructions);

  builder->instructions = instructions;
  if (result == 0)
    result =
        builder_reserve(&text, &builder->text_capacity, builder->text_size + line->length, FIRST_TEXT, 1);
  builder->text = text;
  if (result < 0)
    return result;
  builder->instructions[builder->n] = *instruction;
  builder->instructions[builder->n].text = (uint32_t)builder->text_size;
  builder->instructions[builder->n++].text_length = line->length;
  memcpy(builder->text + builder->text_size, line->text, line->length);
  builder->text_size += line->length;
  return 0;
}

int code_builder_finish(const struct code_builder *builder, const struct code_instructions *head,
                        struct code_instructions **ret)
{
  size_t texts = sizeof *head + builder->n * sizeof *builder->instructions, size = texts + builder->text_size;
  struct code_instructions *made = malloc(size);
  struct code_instruction *instructions;

  if (!made)
    return -ENOMEM;
  *made = *head;
  made->size = (uint32_t)size;
  made->n_instructions = (uint32_t)builder->n;
  instructions = (struct code_instruction *)(made + 1);
  for (size_t i = 0; i < builder->n; i++) {
    instructions[i] = builder->instructions[i];
    instructions[i].text += (uint32_t)texts;
  }
  if (builder->text_size > 0)
    memcpy((char *)made + texts, builder->text, builder->text_size);
  *ret = made;
  return 0;
}

void code_builder_clear(struct code_builder *builder)
{
  free(builder->instructions);
  free(builder->text);
}
