/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much anybody may have at once. A claim is a place among the sessions, held from the moment that a
 * caller asks, so that those who wait for a password count too. Main thread only. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define CAPTURED_SESSIONS_PER_USER_MAX 4
#define CAPTURED_SESSIONS_MAX          16
/* The last places are for users who have none yet: four with as many as they may would have all. */
#define CAPTURED_SESSIONS_FIRST    4
#define CAPTURED_TARGETS_MAX       250
#define CAPTURED_OWN_FREQUENCY_MAX 10000

#define CAPTURED_TYPE_LIMITS (captured_limits_get_type())
G_DECLARE_FINAL_TYPE(CapturedLimits, captured_limits, CAPTURED, LIMITS, GObject)

typedef struct _CapturedClaim CapturedClaim;

CapturedLimits *captured_limits_new(void);
/* As the property Limits has them, a{st}; floating. */
GVariant *captured_limits_describe(void);

/* Claims a place for whoever has that name on the bus. His user is not known yet, so the name alone counts.
 * NULL with CAPTURED_ERROR_LIMIT_EXCEEDED when it has as many as a user may. */
CapturedClaim *captured_limits_claim(CapturedLimits *self, const char *sender, GError **error);
/* From now on the claim counts for that user and among all. May be refused, once, as above. */
gboolean captured_claim_assign(CapturedClaim *claim, uid_t user, GError **error);
/* Gives the place back. */
void captured_claim_free(CapturedClaim *claim);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CapturedClaim, captured_claim_free)

G_END_DECLS
