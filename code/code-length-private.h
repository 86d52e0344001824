/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long an x86 instruction is that the decoder does not know. */
#ifndef CODE_LENGTH_PRIVATE_H
#define CODE_LENGTH_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

/* Of one with a VEX or EVEX prefix (AVX, AVX-512), in code of 64 bits: these prefixes say how long what
 * follows is, whatever it does. Also of rdpkru and wrpkru. 0: not known, or not all there. */
size_t code_length_find(const uint8_t *bytes, size_t size);

#endif
