/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/assembly/assembly-x86.h"

#include <stdbool.h>
#include <string.h>

#define LENGTH_MAX 15

/*
 * A letter an opcode:
 *
 *   -   not known, or no ordinary program's      .   no operand          a   likewise, writes rax and rdx
 *   m   ModRM                                    M   and one byte        N   and four bytes (two by 66)
 *   d   ModRM, its rm is written                 D   and one byte        E   and four bytes (two by 66)
 *   r   ModRM, its reg is written                R   and one byte        S   and four bytes (two by 66)
 *   x   ModRM, both are written                  b   one byte            z   four bytes (two by 66)
 *                                                A   and rax is written  Z   and rax is written
 *   s   a string's: rax, rcx, rsi and rdi are written
 *   *   decode_special knows
 */
static const char one_byte[] = "ddrrAZ--ddrrAZ--"
                               "ddrrAZ--ddrrAZ--"
                               "ddrrAZ--ddrrAZ--"
                               "ddrrAZ--mmmmbz--"
                               "----------------"
                               "****************"
                               "---r----*S*R----"
                               "****************"
                               "**-*mmxxd*r*d*m*"
                               ".*******aa-.**.a"
                               "****ssssbzssssss"
                               "****************"
                               "DD**--DE-*--*b--"
                               "dddd---ammmmmmmm"
                               "****----**-*----"
                               "----*.**..--..**";

/* Behind 0f. */
static const char two_bytes[] = "-m---*-----*-m--"
                                "mmmmmmmmmmmmmmmm"
                                "--------mmmmrrmm"
                                "-a-a------------"
                                "rrrrrrrrrrrrrrrr"
                                "rmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmmm"
                                "MMMMmmm.----mm*m"
                                "****************"
                                "dddddddddddddddd"
                                "***mDd--**-dDddr"
                                "dd-d--rrr-*drrrr"
                                "xxMmMRMd********"
                                "mmmmmmmrmmmmmmmm"
                                "mmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmm-";

struct decoder {
  const uint8_t *bytes;
  size_t size;
  size_t at;
  uint8_t rex;  /* 0x4x, or 0 */
  bool is_word; /* 66 */
  bool repeats; /* f3 */
  bool is_f2;
  bool has_segment;
  bool is_short_address; /* 67 */
  uint8_t opcode;
  /* ModRM: */
  uint8_t mode;
  uint8_t reg;
  uint8_t rm;       /* a register, where mode is 3 */
  uint8_t base;     /* ASSEMBLY_NO_REGISTER: another address than base + displacement */
  bool is_of_fixed; /* its address is one of the program's */
  bool is_of_rip;   /* likewise, as a distance */
  int32_t displacement;
};

static bool decoder_take(struct decoder *decoder, size_t n, int64_t *ret)
{
  uint64_t value = 0;

  if (decoder->size - decoder->at < n)
    return false;
  memcpy(&value, decoder->bytes + decoder->at, n);
  decoder->at += n;
  if (ret)
    *ret = n == 0 ? 0 : (int64_t)(value << (64 - 8 * n)) >> (64 - 8 * n);
  return true;
}

static bool decoder_take_byte(struct decoder *decoder, uint8_t *ret)
{
  if (decoder->at >= decoder->size)
    return false;
  *ret = decoder->bytes[decoder->at++];
  return true;
}

static bool take_operand(struct decoder *decoder)
{
  uint8_t byte, sib;
  int64_t displacement = 0;

  if (!decoder_take_byte(decoder, &byte))
    return false;
  decoder->mode = byte >> 6;
  decoder->reg = (uint8_t)((byte >> 3 & 7) | (decoder->rex << 1 & 8));
  decoder->rm = (uint8_t)((byte & 7) | (decoder->rex << 3 & 8));
  decoder->base = decoder->rm;
  if (decoder->mode == 3)
    return true;
  if ((byte & 7) == 4) {
    if (!decoder_take_byte(decoder, &sib))
      return false;
    bool has_index = (sib >> 3 & 7) != 4 || (decoder->rex & 2) != 0;
    bool has_base = (sib & 7) != 5 || decoder->mode != 0;
    decoder->base =
        (uint8_t)(has_index || !has_base ? ASSEMBLY_NO_REGISTER : (sib & 7) | (decoder->rex << 3 & 8));
    decoder->is_of_fixed = !has_index && !has_base;
    if (!has_base && !decoder_take(decoder, 4, &displacement))
      return false;
  } else if ((byte & 7) == 5 && decoder->mode == 0) {
    decoder->base = ASSEMBLY_NO_REGISTER;
    decoder->is_of_fixed = decoder->is_of_rip = true;
    if (!decoder_take(decoder, 4, &displacement))
      return false;
  }
  if (decoder->mode != 0 && !decoder_take(decoder, decoder->mode == 1 ? 1 : 4, &displacement))
    return false;
  decoder->displacement = (int32_t)displacement;
  if (decoder->has_segment || decoder->is_short_address)
    decoder->base = ASSEMBLY_NO_REGISTER;
  return true;
}

static uint16_t bit_of(unsigned int reg)
{
  return (uint16_t)(1u << (reg & 15));
}

/* The register that a number means to an instruction on bytes: without REX, 4 to 7 are the second bytes of
 * the first four. */
static uint16_t bit_of_byte(const struct decoder *decoder, unsigned int reg)
{
  return bit_of(decoder->rex == 0 && reg >= 4 && reg < 8 ? reg - 4 : reg);
}

static uint16_t written_rm(const struct decoder *decoder, bool is_byte)
{
  if (decoder->mode != 3)
    return 0;
  return is_byte ? bit_of_byte(decoder, decoder->rm) : bit_of(decoder->rm);
}

static uint16_t written_reg(const struct decoder *decoder, bool is_byte)
{
  return is_byte ? bit_of_byte(decoder, decoder->reg) : bit_of(decoder->reg);
}

static size_t size_of_immediate(const struct decoder *decoder)
{
  return decoder->is_word && (decoder->rex & 8) == 0 ? 2 : 4;
}

/* What a letter stands for. */
enum trait {
  TRAIT_OPERAND = 1 << 0,
  TRAIT_RM = 1 << 1,
  TRAIT_REG = 1 << 2,
  TRAIT_BYTE = 1 << 3,
  TRAIT_WORDS = 1 << 4
};

static unsigned int letter_traits(char letter)
{
  switch (letter) {
  case 'm':
    return TRAIT_OPERAND;
  case 'M':
    return TRAIT_OPERAND | TRAIT_BYTE;
  case 'N':
    return TRAIT_OPERAND | TRAIT_WORDS;
  case 'd':
    return TRAIT_OPERAND | TRAIT_RM;
  case 'D':
    return TRAIT_OPERAND | TRAIT_RM | TRAIT_BYTE;
  case 'E':
    return TRAIT_OPERAND | TRAIT_RM | TRAIT_WORDS;
  case 'r':
    return TRAIT_OPERAND | TRAIT_REG;
  case 'R':
    return TRAIT_OPERAND | TRAIT_REG | TRAIT_BYTE;
  case 'S':
    return TRAIT_OPERAND | TRAIT_REG | TRAIT_WORDS;
  case 'x':
    return TRAIT_OPERAND | TRAIT_RM | TRAIT_REG;
  case 'b':
  case 'A':
    return TRAIT_BYTE;
  case 'z':
  case 'Z':
    return TRAIT_WORDS;
  default:
    return 0;
  }
}

static uint16_t letter_writes(char letter)
{
  switch (letter) {
  case 'a':
    return 1 << ASSEMBLY_RAX | 1 << ASSEMBLY_RDX;
  case 'A':
  case 'Z':
    return 1 << ASSEMBLY_RAX;
  case 's':
    return 1 << ASSEMBLY_RAX | 1 << ASSEMBLY_RCX | 1 << ASSEMBLY_RSI | 1 << ASSEMBLY_RDI;
  default:
    return 0;
  }
}

static bool decode_letter(struct decoder *decoder, char letter, bool is_byte,
                          struct assembly_instruction *ret)
{
  unsigned int traits = letter_traits(letter);

  if (letter == '-' || ((traits & TRAIT_OPERAND) != 0 && !take_operand(decoder)))
    return false;
  ret->writes |= letter_writes(letter);
  if ((traits & TRAIT_RM) != 0)
    ret->writes |= written_rm(decoder, is_byte);
  if ((traits & TRAIT_REG) != 0)
    ret->writes |= written_reg(decoder, is_byte);
  if ((traits & TRAIT_BYTE) != 0)
    return decoder_take(decoder, 1, NULL);
  return (traits & TRAIT_WORDS) == 0 || decoder_take(decoder, size_of_immediate(decoder), NULL);
}

static bool decode_relative(struct decoder *decoder, enum assembly_kind kind, size_t size,
                            struct assembly_instruction *ret)
{
  ret->kind = (uint8_t)kind;
  if ((decoder->is_word && (decoder->rex & 8) == 0) || !decoder_take(decoder, size, &ret->value))
    return false;
  ret->value += (int64_t)decoder->at;
  return true;
}

static bool decode_stack(const struct decoder *decoder, enum assembly_kind kind, unsigned int reg,
                         struct assembly_instruction *ret)
{
  ret->kind = (uint8_t)kind;
  ret->reg = (uint8_t)reg;
  if (kind == ASSEMBLY_POP && reg != ASSEMBLY_NO_REGISTER)
    ret->writes = bit_of(reg);
  return !decoder->is_word;
}

/* add, or, adc, sbb, and, sub, xor, cmp of an immediate. */
static bool decode_arithmetic(struct decoder *decoder, struct assembly_instruction *ret)
{
  bool is_byte = decoder->opcode == 0x80;
  int64_t value;

  if (!take_operand(decoder) ||
      !decoder_take(decoder, decoder->opcode == 0x81 ? size_of_immediate(decoder) : 1, &value))
    return false;
  if ((decoder->reg & 7) == 7)
    return true;
  ret->writes = written_rm(decoder, is_byte);
  if (decoder->mode != 3 || is_byte || (decoder->rex & 8) == 0)
    return true;
  ret->reg = ret->base = decoder->rm;
  if ((decoder->reg & 7) == 0 || (decoder->reg & 7) == 5) {
    ret->kind = ASSEMBLY_MOVE;
    ret->value = (decoder->reg & 7) == 0 ? value : -value;
  } else if ((decoder->reg & 7) == 4 && decoder->rm == ASSEMBLY_RSP && value < 0) {
    ret->kind = ASSEMBLY_ALIGN;
  }
  return true;
}

/* mov between registers, or of 64 bits from or to memory; lea. */
static bool decode_move(struct decoder *decoder, struct assembly_instruction *ret)
{
  bool is_store = decoder->opcode == 0x89, is_address = decoder->opcode == 0x8d;

  if (!take_operand(decoder))
    return false;
  ret->writes = is_store ? written_rm(decoder, false) : bit_of(decoder->reg);
  if (is_address && decoder->is_of_rip) {
    ret->kind = ASSEMBLY_ADDRESS;
    ret->value = (int64_t)decoder->at + decoder->displacement;
    return true;
  }
  if ((decoder->rex & 8) == 0 || decoder->base == ASSEMBLY_NO_REGISTER)
    return !is_address || decoder->mode != 3;
  ret->reg = is_store && decoder->mode == 3 ? decoder->rm : decoder->reg;
  ret->base = is_store && decoder->mode == 3 ? decoder->reg : decoder->base;
  ret->value = decoder->displacement;
  ret->kind = decoder->mode == 3 || is_address ? ASSEMBLY_MOVE : is_store ? ASSEMBLY_STORE : ASSEMBLY_LOAD;
  return !is_address || decoder->mode != 3;
}

/* Groups that ModRM's reg divides: f6, f7, fe, ff. */
static bool decode_group(struct decoder *decoder, struct assembly_instruction *ret)
{
  bool is_byte = (decoder->opcode & 1) == 0, is_unary = decoder->opcode < 0xfe;
  unsigned int which;

  if (!take_operand(decoder))
    return false;
  which = decoder->reg & 7;
  if (is_unary && which < 2)
    return decoder_take(decoder, is_byte ? 1 : size_of_immediate(decoder), NULL);
  if (is_unary)
    ret->writes = which < 4 ? written_rm(decoder, is_byte) : bit_of(ASSEMBLY_RAX) | bit_of(ASSEMBLY_RDX);
  else if (which < 2)
    ret->writes = written_rm(decoder, is_byte);
  if (is_unary || which < 2)
    return true;
  if (is_byte || which == 3 || which == 5 || which == 7)
    return false;
  if (which == 6)
    return decode_stack(decoder, ASSEMBLY_PUSH, ASSEMBLY_NO_REGISTER, ret);
  ret->kind = which == 2                                   ? ASSEMBLY_CALL
              : decoder->mode != 3 && decoder->is_of_fixed ? ASSEMBLY_JUMP_BY_MEMORY
                                                           : ASSEMBLY_JUMP_BY_REGISTER;
  return true;
}

/* xor of a register with itself. */
static void notice_zero(const struct decoder *decoder, struct assembly_instruction *ret)
{
  if ((decoder->opcode != 0x31 && decoder->opcode != 0x33) || decoder->is_word || decoder->mode != 3 ||
      decoder->reg != decoder->rm)
    return;
  ret->kind = ASSEMBLY_ZERO;
  ret->reg = decoder->reg;
}

static bool decode_special(struct decoder *decoder, struct assembly_instruction *ret)
{
  unsigned int opcode = decoder->opcode, reg = (opcode & 7) | (decoder->rex << 3 & 8);

  switch (opcode) {
  case 0x50 ... 0x57:
    return decode_stack(decoder, ASSEMBLY_PUSH, reg, ret);
  case 0x58 ... 0x5f:
    return decode_stack(decoder, ASSEMBLY_POP, reg, ret);
  case 0x68:
  case 0x6a:
    return decode_stack(decoder, ASSEMBLY_PUSH, ASSEMBLY_NO_REGISTER, ret) &&
           decoder_take(decoder, opcode == 0x68 ? 4 : 1, NULL);
  case 0x70 ... 0x7f:
  case 0xe0 ... 0xe3:
    return decode_relative(decoder, ASSEMBLY_BRANCH, 1, ret);
  case 0x80:
  case 0x81:
  case 0x83:
    return decode_arithmetic(decoder, ret);
  case 0x89:
  case 0x8b:
  case 0x8d:
    return decode_move(decoder, ret);
  case 0x8f:
    return take_operand(decoder) && (decoder->reg & 7) == 0 &&
           decode_stack(decoder, ASSEMBLY_POP, decoder->mode == 3 ? decoder->rm : ASSEMBLY_NO_REGISTER, ret);
  case 0x91 ... 0x97:
    ret->writes = bit_of(reg) | bit_of(ASSEMBLY_RAX);
    return true;
  case 0x9c:
  case 0x9d:
    return decode_stack(decoder, opcode == 0x9c ? ASSEMBLY_PUSH : ASSEMBLY_POP, ASSEMBLY_NO_REGISTER, ret);
  case 0xa0 ... 0xa3:
    ret->writes = bit_of(ASSEMBLY_RAX);
    return decoder_take(decoder, decoder->is_short_address ? 4 : 8, NULL);
  case 0xb0 ... 0xb7:
    ret->writes = bit_of_byte(decoder, reg);
    return decoder_take(decoder, 1, NULL);
  case 0xb8 ... 0xbf:
    ret->writes = bit_of(reg);
    return decoder_take(decoder, (decoder->rex & 8) != 0 ? 8 : size_of_immediate(decoder), NULL);
  case 0xc2:
    ret->kind = ASSEMBLY_RETURN;
    return decoder_take(decoder, 2, NULL);
  case 0xc3:
    ret->kind = ASSEMBLY_RETURN;
    return true;
  case 0xc9:
    ret->kind = ASSEMBLY_LEAVE;
    ret->writes = bit_of(ASSEMBLY_RBP);
    return !decoder->is_word;
  case 0xcc:
  case 0xf4:
    ret->kind = ASSEMBLY_STOP;
    return true;
  case 0xe8:
    return decode_relative(decoder, ASSEMBLY_CALL, 4, ret);
  case 0xe9:
  case 0xeb:
    return decode_relative(decoder, ASSEMBLY_JUMP, opcode == 0xe9 ? 4 : 1, ret);
  case 0xf6:
  case 0xf7:
  case 0xfe:
  case 0xff:
    return decode_group(decoder, ret);
  default:
    return false;
  }
}

static bool decode_special_two(struct decoder *decoder, struct assembly_instruction *ret)
{
  unsigned int opcode = decoder->opcode;

  switch (opcode) {
  case 0x05: /* syscall */
    ret->writes = bit_of(ASSEMBLY_RAX) | bit_of(ASSEMBLY_RCX) | bit_of(ASSEMBLY_R11);
    return true;
  case 0x0b: /* ud2 */
    ret->kind = ASSEMBLY_STOP;
    return true;
  case 0x7e: /* movd, but with f3 movq between vectors */
    return decode_letter(decoder, decoder->repeats ? 'm' : 'd', false, ret);
  case 0x80 ... 0x8f:
    return decode_relative(decoder, ASSEMBLY_BRANCH, 4, ret);
  case 0xa0:
  case 0xa1:
  case 0xa8:
  case 0xa9:
    return decode_stack(decoder, (opcode & 1) == 0 ? ASSEMBLY_PUSH : ASSEMBLY_POP, ASSEMBLY_NO_REGISTER, ret);
  case 0xa2: /* cpuid */
    ret->writes = bit_of(ASSEMBLY_RAX) | bit_of(ASSEMBLY_RBX) | bit_of(ASSEMBLY_RCX) | bit_of(ASSEMBLY_RDX);
    return true;
  case 0xba: /* bt and its like */
    if (!take_operand(decoder) || !decoder_take(decoder, 1, NULL))
      return false;
    ret->writes = (decoder->reg & 7) == 4 ? 0 : written_rm(decoder, false);
    return true;
  case 0xc8 ... 0xcf: /* bswap */
    ret->writes = bit_of((opcode & 7) | (decoder->rex << 3 & 8));
    return true;
  default:
    return false;
  }
}

/* Behind 0f 38 and 0f 3a. */
static bool decode_three(struct decoder *decoder, bool has_immediate, struct assembly_instruction *ret)
{
  uint8_t opcode;

  if (!decoder_take_byte(decoder, &opcode))
    return false;
  if (has_immediate)
    return decode_letter(decoder, opcode >= 0x14 && opcode <= 0x17 ? 'D' : 'M', false, ret);
  if (opcode == 0xf0 || opcode == 0xf6 || (opcode == 0xf1 && decoder->is_f2)) /* movbe, adcx, crc32 */
    return decode_letter(decoder, 'r', false, ret);
  return decode_letter(decoder, 'm', false, ret);
}

static bool decode_two(struct decoder *decoder, struct assembly_instruction *ret)
{
  if (!decoder_take_byte(decoder, &decoder->opcode))
    return false;
  uint8_t opcode = decoder->opcode;
  char letter = two_bytes[opcode];

  if (opcode == 0x38 || opcode == 0x3a)
    return decode_three(decoder, opcode == 0x3a, ret);
  if (letter == '*')
    return decode_special_two(decoder, ret);
  if (opcode == 0x1f || (opcode == 0x1e && decoder->repeats))
    ret->kind = opcode == 0x1f ? ASSEMBLY_PAD : ASSEMBLY_OTHER;
  return decode_letter(decoder, letter, (opcode & 0xf0) == 0x90 || opcode == 0xb0 || opcode == 0xc0, ret);
}

/* The letter of an opcode behind VEX (vectors of 128 and 256 bits, and general registers), EVEX and AMD's
 * XOP, whose maps begin with 8. */
static char letter_of_vector(unsigned int map, uint8_t opcode, unsigned int prefix, bool is_evex)
{
  switch (map) {
  case 1:
  case 5:
    if (opcode == 0x2c || opcode == 0x2d || (is_evex && (opcode == 0x78 || opcode == 0x79)))
      return 'r';
    if (opcode == 0x7e)
      return prefix == 1 ? 'd' : 'm';
    if (map == 5)
      return opcode == 0xc2 ? 'M' : 'm';
    if (!is_evex && opcode == 0x77)
      return '.';
    if (!is_evex && (opcode == 0x50 || opcode == 0xd7 || opcode == 0x93))
      return 'r';
    return opcode == 0xc5                                                                             ? 'R'
           : (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 || opcode == 0xc4 || opcode == 0xc6 ? 'M'
                                                                                                      : 'm';
  case 2:
    return !is_evex && (opcode == 0xf2 || (opcode >= 0xf5 && opcode <= 0xf7)) ? 'r' : 'm';
  case 3:
    return opcode >= 0x14 && opcode <= 0x17 ? 'D' : !is_evex && opcode == 0xf0 ? 'R' : 'M';
  case 6:
    return 'm';
  case 8:
    return 'M';
  case 9:
    return 'm';
  case 10:
    return 'N';
  default:
    return '-';
  }
}

static bool decode_vector(struct decoder *decoder, uint8_t first, struct assembly_instruction *ret)
{
  uint8_t payload[3], opcode;
  unsigned int n = first == 0xc5 ? 1 : first == 0x62 ? 3 : 2, map = 1;
  bool is_evex = first == 0x62, is_xop = first == 0x8f;

  for (unsigned int i = 0; i < n; i++) {
    if (!decoder_take_byte(decoder, &payload[i]))
      return false;
  }
  if (!decoder_take_byte(decoder, &opcode))
    return false;
  /* R, X and B stand there inverted. */
  decoder->rex = (uint8_t)(0x40 | (~payload[0] >> 5 & (n == 1 ? 4 : 7)));
  if (n > 1)
    map = payload[0] & (is_evex ? 7 : 31);
  if (!is_evex && is_xop != (map >= 8))
    return false;
  if (!decode_letter(decoder, letter_of_vector(map, opcode, payload[n == 1 ? 0 : 1] & 3, is_evex), false,
                     ret))
    return false;
  /* blsr and its like, mulx, blcs and its like */
  if (!is_evex && ((map == 2 && (opcode == 0xf3 || opcode == 0xf6)) || (map == 9 && opcode < 3)))
    ret->writes |= bit_of(~payload[1] >> 3 & 15);
  return true;
}

/* Everything before the opcode. */
static bool take_prefixes(struct decoder *decoder)
{
  uint8_t byte;

  while (decoder_take_byte(decoder, &byte)) {
    bool is_rex = (byte & 0xf0) == 0x40;

    decoder->opcode = byte;
    if (byte == 0x66)
      decoder->is_word = true;
    else if (byte == 0xf2)
      decoder->is_f2 = true;
    else if (byte == 0xf3)
      decoder->repeats = true;
    else if (byte == 0x64 || byte == 0x65)
      decoder->has_segment = true;
    else if (byte == 0x67)
      decoder->is_short_address = true;
    else if (!is_rex && byte != 0xf0 && byte != 0x26 && byte != 0x2e && byte != 0x36 && byte != 0x3e)
      return true;
    decoder->rex = is_rex ? byte : 0;
  }
  return false;
}

static bool decode_one(struct decoder *decoder, struct assembly_instruction *ret)
{
  uint8_t opcode = decoder->opcode;
  bool is_byte = (opcode & 1) == 0 && (opcode < 0x40 || (opcode >= 0x84 && opcode <= 0x8a) ||
                                       opcode == 0xc0 || opcode == 0xc6 || opcode == 0xd0 || opcode == 0xd2);

  if (opcode == 0x0f)
    return decode_two(decoder, ret);
  /* Of pop, whose opcode XOP has, the next byte's low bits are below 8. */
  bool is_xop = opcode == 0x8f && decoder->at < decoder->size && (decoder->bytes[decoder->at] & 31) >= 8;
  if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62 || is_xop)
    return decode_vector(decoder, opcode, ret);
  if (opcode == 0x90)
    ret->kind = ASSEMBLY_PAD;
  if (one_byte[opcode] == '*')
    return decode_special(decoder, ret);
  if (!decode_letter(decoder, one_byte[opcode], is_byte && opcode != 0x8c && opcode != 0x8e, ret))
    return false;
  notice_zero(decoder, ret);
  return true;
}

bool assembly_decode(const uint8_t *bytes, size_t size, struct assembly_instruction *ret)
{
  struct decoder decoder = {.bytes = bytes, .size = size < LENGTH_MAX ? size : LENGTH_MAX};

  *ret = (struct assembly_instruction){.reg = ASSEMBLY_NO_REGISTER, .base = ASSEMBLY_NO_REGISTER};
  if (!take_prefixes(&decoder) || !decode_one(&decoder, ret))
    return false;
  ret->length = (uint8_t)decoder.at;
  return true;
}
