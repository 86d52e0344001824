/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The content of NAMES windows: function tables, places and machine code as records, and back. Identifiers
 * (of strings, named binaries and place frames) are local to the names windows of one epoch; whoever names a
 * capture anew takes another epoch, and what is named later replaces what was named before.
 */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

/* Encodes tables into contents of at most 1 MiB each, which stand in a file in this order. */
typedef struct _ProfileNamesEncoder ProfileNamesEncoder;
/* Given every content when it is full, and the last one by finish. False stops (nothing more is given). */
typedef gboolean (*ProfileNamesWriteFunc)(const guint8 *content, gsize length, gpointer data);

ProfileNamesEncoder *profile_names_encoder_new(ProfileNamesWriteFunc write, gpointer data);
/* Adds the whole table as that of binary (NULL: the kernel), its places and its machine code (NULL: none). Of
 * copies that are longer than PROFILE_MACHINE_CODE_MAX it takes so much. */
void profile_names_encoder_add(ProfileNamesEncoder *self, const ProfileBinary *binary,
                               const ProfileFunctionTable *table, const ProfilePlaces *places,
                               const ProfileMachineCode *code);
/* Adds the text of source files. */
void profile_names_encoder_add_sources(ProfileNamesEncoder *self, const ProfileSourceTexts *texts);
/* Writes what is left and frees. False when a write failed. */
gboolean profile_names_encoder_finish(ProfileNamesEncoder *self);

/* Decodes the contents of one epoch, in file order. Hostile bytes lead to names that are missing or
 * wrong, never to anything worse; memory is bounded by the bytes given. */
typedef struct _ProfileNamesDecoder ProfileNamesDecoder;
/* binary carries path, device, inode, flags and build-id (valid during the call); binaries of the capture
 * that profile_names_binary_matches() are meant. flags has CAPTURE_BINARY_KERNEL for the kernel. Table,
 * places and machine code (NULL: none) are sealed; take references to keep them. */
typedef void (*ProfileNamesFoundFunc)(const ProfileBinary *binary, ProfileFunctionTable *table,
                                      ProfilePlaces *places, ProfileMachineCode *code, gpointer data);

/* served: they were written by a recorder. */
ProfileNamesDecoder *profile_names_decoder_new(gboolean served);
/* False when a record makes no sense; what stood before it is kept. */
gboolean profile_names_decoder_add(ProfileNamesDecoder *self, const guint8 *content, gsize length);
/* Gives the text of source files to `texts`; before it is finished. */
void profile_names_decoder_take_sources(ProfileNamesDecoder *self, ProfileSourceTexts *texts);
/* Hands out every named binary in file order and frees. */
void profile_names_decoder_finish(ProfileNamesDecoder *self, ProfileNamesFoundFunc found, gpointer data);

/* By build-id where both have one, else by path, device and inode. The kernel matches the kernel. */
gboolean profile_names_binary_matches(const ProfileBinary *a, const ProfileBinary *b);

G_END_DECLS
