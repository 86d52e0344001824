/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What debug information says of the sampled addresses of one binary, or of the kernel: lines, and functions
 * that the compiler put in others. Built once, then immutable and readable from any thread. Reference
 * counted.
 */
#pragma once

#include <glib.h>

#include "libcapture/format/capture-format.h"

G_BEGIN_DECLS

typedef struct {
  const char *name;          /* demangled; NULL: not known */
  const char *linkage_name;  /* the same pointer as name when equal */
  const char *file;          /* NULL: not known */
  guint32 line, column;      /* 0: not known */
  const char *declared_file; /* where the function begins; NULL: not known */
  guint32 declared_line;     /* 0: not known */
} ProfilePlaceFrame;

/* A stretch in which all is the same. Its frames stand innermost first: the line of the first is where the
 * instruction comes from, the line of each other one is where it calls the one before. The last one is the
 * function that holds the others, which were inlined. */
typedef struct {
  guint64 start, end;      /* file offsets; kernel addresses for the kernel */
  guint32 chain, n_frames; /* where the numbers of its frames are */
} ProfilePlace;

typedef struct _ProfilePlaces ProfilePlaces;

ProfilePlaces *profile_places_new(void);
/* No compiler puts more functions in one another. Each node of a stack that has a place takes as many. */
#define PROFILE_PLACE_FRAMES_MAX 256

/* Adds a stretch with copies of its n_frames frames, one at least, in any order; equal strings, frames and
 * chains of frames are kept once, so that a place takes a number of its own for each frame at most. Of more
 * than PROFILE_PLACE_FRAMES_MAX those before the last are left out. A stretch that is empty is left out. */
void profile_places_add(ProfilePlaces *self, guint64 start, guint64 end, const ProfilePlaceFrame *frames,
                        guint32 n_frames);
/* Sorts; where two overlap the earlier one ends where the later one begins. Call once, before any lookup. */
void profile_places_seal(ProfilePlaces *self);

/* Adds `by` to all offsets, modulo 2^64, before others look at them. */
void profile_places_move(ProfilePlaces *self, guint64 by);

/* Why they are not all there. COMPLETE until it is set, before others look at them. */
void profile_places_set_outcome(ProfilePlaces *self, enum capture_places_outcome outcome);
enum capture_places_outcome profile_places_get_outcome(const ProfilePlaces *self);

/* New sealed places of all that both say, where they differ what `places` says; both are sealed.
 * The greater outcome is theirs. */
ProfilePlaces *profile_places_join(const ProfilePlaces *old, const ProfilePlaces *places);
/* The same where either may be NULL, which says nothing. Takes both references. */
ProfilePlaces *profile_places_merge(ProfilePlaces *old, ProfilePlaces *places);

ProfilePlaces *profile_places_ref(ProfilePlaces *self);
void profile_places_unref(ProfilePlaces *self);

const ProfilePlace *profile_places_get(const ProfilePlaces *self, gsize *n);
/* Frame i < n_frames of a place, the innermost first. */
const ProfilePlaceFrame *profile_places_get_frame(const ProfilePlaces *self, const ProfilePlace *place,
                                                  guint32 i);
/* All frames, by number, and the numbers of a place's. */
const ProfilePlaceFrame *profile_places_get_frames(const ProfilePlaces *self, guint32 *n);
const guint32 *profile_places_get_numbers(const ProfilePlaces *self, const ProfilePlace *place);
/* The first place that ends behind offset, or NULL. */
const ProfilePlace *profile_places_find_from(const ProfilePlaces *self, guint64 offset);
/* The place that holds offset, or NULL. */
const ProfilePlace *profile_places_lookup(const ProfilePlaces *self, guint64 offset);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfilePlaces, profile_places_unref)

G_END_DECLS
