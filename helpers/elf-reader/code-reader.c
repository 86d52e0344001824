/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture-code-reader FD: the elf-reader that answers DISASSEMBLE, see helpers/elf-reader-protocol.h. A
 * program of its own, because Capstone takes longer to start with than all else. */
#include <stdlib.h>
#include <sys/mman.h>

#include "code/code-disassemble.h"
#include "helpers/elf-reader/elf-reader-file.h"
#include "helpers/elf-reader/elf-reader-serve.h"

static int code_reader_disassemble(const void *bytes, size_t size, const struct elf_reader_code *code,
                                   uint64_t *ret_length)
{
  struct code_instructions *instructions;
  int result = code_disassemble(bytes, size, (uint16_t)code->machine, code->address, &instructions);
  if (result < 0)
    return result;
  *ret_length = instructions->size;
  result = elf_reader_file_seal(instructions, instructions->size);
  free(instructions);
  return result;
}

static int code_reader_answer(const struct elf_reader_request *request, uint64_t *ret_length)
{
  const void *file;
  size_t size;
  int result = elf_reader_file_map(request->files[0], CODE_BYTES_MAX, &file, &size);
  if (result < 0)
    return result;
  result = code_reader_disassemble(file, size, &request->code.code, ret_length);
  munmap((void *)file, size);
  return result;
}

static bool code_reader_is_sound(const struct elf_reader_request *request)
{
  const struct elf_reader_code_question *question = &request->code;
  const struct elf_reader_message *message = &question->message;
  return message->type == ELF_READER_DISASSEMBLE && message->size == sizeof *question &&
         request->n_files == 1 && message->flags == 0 && message->n_offsets == 0 &&
         question->code.machine <= UINT16_MAX && question->code.reserved == 0;
}

int main(int argc, char **argv)
{
  static const struct elf_reader_service service = {"capture-code-reader", code_reader_is_sound,
                                                    code_reader_answer};
  return elf_reader_run(argc, argv, &service);
}
