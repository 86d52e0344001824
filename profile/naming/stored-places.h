/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What elf-readers said of places in one binary, by file offset: lines, inlined functions, and where nothing
 * is known. It is kept in the form in which it was said, so that keeping costs next to nothing; functions are
 * demangled when ProfilePlaces are made of it. Built by one thread, then readable from any.
 */
#pragma once

#include "dwarf/dwarf-places.h"
#include "profile/capture/places.h"

G_BEGIN_DECLS

/* Bytes of one answer that is kept for later runs, and how many there are of one binary. */
#define PROFILE_STORED_PLACES_BYTES_MAX   (64 * 1024 * 1024)
#define PROFILE_STORED_PLACES_ANSWERS_MAX 64

/* File offsets. */
typedef struct {
  guint64 start, end;
} ProfileStretch;

/* An answer: places, by file offset, and n stretches about which nothing is known, ascending. */
typedef struct {
  const struct dwarf_places *places;
  const ProfileStretch *nothing;
  gsize n_nothing;
  gboolean is_final; /* nothing was missing: it may be kept for later runs */
} ProfilePlacesAnswer;

typedef struct _ProfileStoredPlaces ProfileStoredPlaces;

ProfileStoredPlaces *profile_stored_places_new(void);
void profile_stored_places_free(ProfileStoredPlaces *self);

/* Adds an answer, places and stretches of which become this object's (g_free). False, and they are freed,
 * when it makes no sense: what is no valid dwarf_places of that size, or stretches that do not ascend. */
gboolean profile_stored_places_take(ProfileStoredPlaces *self, struct dwarf_places *places, gsize size,
                                    ProfileStretch *nothing, gsize n_nothing, gboolean is_final);

const ProfilePlacesAnswer *profile_stored_places_get(const ProfileStoredPlaces *self, guint *ret_n);

/* The place that holds offset, and the answer it is in; NULL: none. */
const struct dwarf_place *profile_stored_places_find(const ProfileStoredPlaces *self, guint64 offset,
                                                     const struct dwarf_places **ret_places);
/* Whether it is known which place, or that none, holds offset. */
gboolean profile_stored_places_cover(const ProfileStoredPlaces *self, guint64 offset);

/* The sealed places of n offsets, which ascend, from the one or the other (NULL: none). Their outcome is that
 * of the search, or what the answers say if it is greater. NULL when there are none, and that is all there
 * is. */
ProfilePlaces *profile_stored_places_make(const ProfileStoredPlaces *first, const ProfileStoredPlaces *second,
                                          const guint64 *offsets, gsize n,
                                          enum capture_places_outcome outcome);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileStoredPlaces, profile_stored_places_free)

G_END_DECLS
