/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where functions of a capture have no names, why not, and how many samples that touches. Of all events.
 * Immutable, readable from any thread.
 */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

typedef enum {
  PROFILE_MISSING_STRIPPED,   /* the file names only what it exports */
  PROFILE_MISSING_SYMBOLS,    /* the file has no symbols at all */
  PROFILE_MISSING_UNREADABLE, /* the file could not be opened, or was another one by then */
  PROFILE_MISSING_HIDDEN,     /* the kernel hid its addresses from whoever recorded */
  PROFILE_MISSING_RUN_TIME,   /* machine code without a file, of which its program told no names */
  PROFILE_MISSING_UNCOVERED,  /* the file's symbols do not cover these addresses */
  PROFILE_MISSING_NOT_SOUGHT, /* nobody has looked for names yet */
  PROFILE_MISSING_LINES,      /* the file has no debug information; of profile_missing_lines_new only */
  PROFILE_MISSING_REASONS
} ProfileMissingReason;

/* In place of a binary's index: */
#define PROFILE_MISSING_KERNEL  G_MAXUINT32
#define PROFILE_MISSING_NO_FILE (G_MAXUINT32 - 1)

typedef struct {
  guint32 binary; /* the first one of its path */
  ProfileMissingReason reason;
  guint64 samples; /* whose stack leads through a function without a name there, each counted once */
} ProfileMissingEntry;

typedef struct _ProfileMissingNames ProfileMissingNames;

/* One pass over the samples of all events and one over the nodes. */
ProfileMissingNames *profile_missing_names_new(ProfileCapture *capture);
/* The same of lines and inlined functions: samples whose stack leads through a file of which none is known.
 * What has no names for lack of a debug file is among them. */
ProfileMissingNames *profile_missing_lines_new(ProfileCapture *capture);
void profile_missing_names_free(ProfileMissingNames *self);
/* Most samples first; those without any are not among them. */
const ProfileMissingEntry *profile_missing_names_get_entries(const ProfileMissingNames *self, guint *n);
/* The path of an entry's binary, "[kernel]", or "[unknown]" for memory without a file. */
const char *profile_missing_names_get_binary(ProfileCapture *capture, const ProfileMissingEntry *entry);

/* For people, translated: "No symbols". Static. */
const char *profile_missing_reason_get_label(ProfileMissingReason reason);
/* For programs: "no-symbols". Static. */
const char *profile_missing_reason_get_word(ProfileMissingReason reason);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileMissingNames, profile_missing_names_free)

G_END_DECLS
