/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-limits.h"

#include "daemon/captured-error.h"
#include "daemon/captured-ledger.h"

struct _CapturedLimits {
  GObject parent_instance;
  GHashTable *senders; /* bus name to number of claims */
  GHashTable *users;   /* uid to number of claims */
  guint assigned;
};

struct _CapturedClaim {
  CapturedLimits *limits;
  char *sender;
  uid_t user;
  gboolean assigned;
};

G_DEFINE_FINAL_TYPE(CapturedLimits, captured_limits, G_TYPE_OBJECT)

static void captured_limits_finalize(GObject *object)
{
  CapturedLimits *self = CAPTURED_LIMITS(object);

  g_hash_table_unref(self->senders);
  g_hash_table_unref(self->users);
  G_OBJECT_CLASS(captured_limits_parent_class)->finalize(object);
}

static void captured_limits_class_init(CapturedLimitsClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = captured_limits_finalize;
}

static void captured_limits_init(CapturedLimits *self)
{
  self->senders = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  self->users = g_hash_table_new(NULL, NULL);
}

CapturedLimits *captured_limits_new(void)
{
  return g_object_new(CAPTURED_TYPE_LIMITS, NULL);
}

GVariant *captured_limits_describe(void)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a{st}"));
  g_variant_builder_add(&builder, "{st}", "sessions-per-user", (guint64)CAPTURED_SESSIONS_PER_USER_MAX);
  g_variant_builder_add(&builder, "{st}", "sessions", (guint64)CAPTURED_SESSIONS_MAX);
  g_variant_builder_add(&builder, "{st}", "targets", (guint64)CAPTURED_TARGETS_MAX);
  g_variant_builder_add(&builder, "{st}", "window-bytes", CAPTURED_WINDOW_BYTES_PER_USER_MAX);
  g_variant_builder_add(&builder, "{st}", "window-bytes-in-all", CAPTURED_WINDOW_BYTES_MAX);
  g_variant_builder_add(&builder, "{st}", "frequency", (guint64)CAPTURED_OWN_FREQUENCY_MAX);
  return g_variant_builder_end(&builder);
}

static gboolean limits_refuse(GError **error, const char *who, guint most)
{
  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_LIMIT_EXCEEDED,
              "There are %u sessions %s already, which is as many as are allowed; end one first.", most, who);
  return FALSE;
}

static guint count_sender(CapturedLimits *self, const char *sender)
{
  return GPOINTER_TO_UINT(g_hash_table_lookup(self->senders, sender));
}

static void set_sender(CapturedLimits *self, const char *sender, guint count)
{
  if (count > 0)
    g_hash_table_replace(self->senders, g_strdup(sender), GUINT_TO_POINTER(count));
  else
    g_hash_table_remove(self->senders, sender);
}

static guint count_user(CapturedLimits *self, uid_t user)
{
  return GPOINTER_TO_UINT(g_hash_table_lookup(self->users, GUINT_TO_POINTER(user)));
}

static void set_user(CapturedLimits *self, uid_t user, guint count)
{
  if (count > 0)
    g_hash_table_insert(self->users, GUINT_TO_POINTER(user), GUINT_TO_POINTER(count));
  else
    g_hash_table_remove(self->users, GUINT_TO_POINTER(user));
}

CapturedClaim *captured_limits_claim(CapturedLimits *self, const char *sender, GError **error)
{
  guint count = count_sender(self, sender);

  if (count >= CAPTURED_SESSIONS_PER_USER_MAX) {
    limits_refuse(error, "of yours", CAPTURED_SESSIONS_PER_USER_MAX);
    return NULL;
  }
  CapturedClaim *claim = g_new0(CapturedClaim, 1);
  claim->limits = g_object_ref(self);
  claim->sender = g_strdup(sender);
  set_sender(self, sender, count + 1);
  return claim;
}

gboolean captured_claim_assign(CapturedClaim *claim, uid_t user, GError **error)
{
  CapturedLimits *limits = claim->limits;
  guint count = count_user(limits, user);

  g_return_val_if_fail(!claim->assigned, FALSE);
  if (count >= CAPTURED_SESSIONS_PER_USER_MAX)
    return limits_refuse(error, "of yours", CAPTURED_SESSIONS_PER_USER_MAX);
  if (limits->assigned >= CAPTURED_SESSIONS_MAX)
    return limits_refuse(error, "in all", CAPTURED_SESSIONS_MAX);
  if (count > 0 && limits->assigned >= CAPTURED_SESSIONS_MAX - CAPTURED_SESSIONS_FIRST)
    return limits_refuse(error, "in all, but for those who have none,",
                         CAPTURED_SESSIONS_MAX - CAPTURED_SESSIONS_FIRST);
  set_user(limits, user, count + 1);
  limits->assigned++;
  claim->user = user;
  claim->assigned = TRUE;
  return TRUE;
}

void captured_claim_free(CapturedClaim *claim)
{
  CapturedLimits *limits = claim->limits;

  set_sender(limits, claim->sender, count_sender(limits, claim->sender) - 1);
  if (claim->assigned) {
    set_user(limits, claim->user, count_user(limits, claim->user) - 1);
    limits->assigned--;
  }
  g_free(claim->sender);
  g_object_unref(limits);
  g_free(claim);
}
