/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places as the names windows of one epoch have them, kept until all that they refer to is known. Of hostile
 * records no more is kept than they have bytes; places that refer to what is not defined are left out. */
#pragma once

#include "libcapture/format/capture-format.h"
#include "profile/capture/places.h"

G_BEGIN_DECLS

typedef struct _DecodedPlaces DecodedPlaces;

DecodedPlaces *decoded_places_new(void);
/* Both take records that are valid, in any order. */
void decoded_places_add_frames(DecodedPlaces *self, const struct capture_record_place_frames *record);
void decoded_places_add(DecodedPlaces *self, const struct capture_record_place *record);

/* binary: identifier of the named binary. place->n_frames frames are given, with what they point to during
 * the call alone. */
typedef void (*DecodedPlaceFunc)(guint32 binary, const ProfilePlace *place, const ProfilePlaceFrame *frames,
                                 gpointer data);
/* Hands out every place and frees. strings: identifier → text. */
void decoded_places_finish(DecodedPlaces *self, GHashTable *strings, DecodedPlaceFunc func, gpointer data);

G_END_DECLS
