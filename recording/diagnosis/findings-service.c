/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "recording/common/error.h"
#include "recording/diagnosis/findings.h"

#define INSTALL "sudo meson install -C build && sudo systemd-sysusers && sudo systemctl daemon-reload"

static void add_right(GPtrArray *findings, const char *id, RecordingRight right, const char *problem,
                      const char *const texts[3])
{
  recording_findings_add(findings, id,
                         right == RECORDING_RIGHT_YES ? RECORDING_FINDING_OK : RECORDING_FINDING_LIMITED,
                         g_strdup(problem ? problem : texts[right]), problem ? g_strdup(INSTALL) : NULL);
}

/* The service believes uid and gid of nobody who may do less than his user. */
static const char *describe_confinement(enum confinement confinement)
{
  switch (confinement) {
  case CONFINEMENT_NO_NEW_PRIVILEGES:
    return _("Your own processes cannot be recorded through the system service from here: this process has "
             "given up new privileges (no_new_privs), as sandboxes do. Record from outside of it.");
  case CONFINEMENT_USER_NAMESPACE:
    return _("Your own processes cannot be recorded through the system service from here: this is a user "
             "namespace, as containers have. Record from outside of it.");
  case CONFINEMENT_LABEL:
    return _("Your own processes cannot be recorded through the system service from here: a security module "
             "confines this process (/proc/self/attr/current). Record from outside of it.");
  default:
    return NULL;
  }
}

static void add_rights(GPtrArray *findings, const RecordingServiceFacts *facts)
{
  const char *own[] = {
      _("Your own processes cannot be recorded through the system service: polkit refuses it."),
      _("Your own processes can be recorded through the system service after a password; in an active local "
        "session none "
        "is asked for."),
      _("Your own processes can be recorded through the system service, without a password."),
  };
  const char *system[] = {
      _("Others’ processes and the kernel cannot be recorded through the system service: polkit refuses it."),
      _("Every process, and the kernel, can be recorded through the system service after an administrator’s "
        "password."),
      _("Every process, and the kernel, can be recorded through the system service, without a password."),
  };

  const char *confined = describe_confinement(facts->confinement);

  if (confined)
    recording_findings_add(findings, "service-own", RECORDING_FINDING_LIMITED, g_strdup(confined), NULL);
  else
    add_right(findings, "service-own", facts->own, facts->own_problem, own);
  add_right(findings, "service-system", facts->system, facts->system_problem, system);
}

static const char *find_fix(const GError *error)
{
  if (g_error_matches(error, RECORDING_ERROR, RECORDING_ERROR_FAILED))
    return NULL;
  if (g_error_matches(error, RECORDING_ERROR, RECORDING_ERROR_RECORDER))
    return "journalctl -u captured";
  return INSTALL;
}

gboolean recording_find_service(GPtrArray *findings, RecordingServiceFacts *ret)
{
  g_autoptr(GError) error = NULL;

  if (!recording_service_probe(ret, &error)) {
    recording_findings_add(findings, "service", RECORDING_FINDING_LIMITED, g_strdup(error->message),
                           g_strdup(find_fix(error)));
    return FALSE;
  }
  recording_findings_add(findings, "service", RECORDING_FINDING_OK,
                         g_strdup_printf(_("The system service captured %s answers."), ret->version), NULL);
  add_rights(findings, ret);
  return TRUE;
}
