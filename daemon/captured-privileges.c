/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-privileges.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/captured-error.h"

#define USER     "captured"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

typedef struct {
  guint64 effective;
  guint64 permitted;
  guint64 inheritable;
} Sets;

static gboolean get_sets(Sets *sets)
{
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

  if (syscall(SYS_capget, &header, data) < 0)
    return FALSE;
  sets->effective = data[0].effective | (guint64)data[1].effective << 32;
  sets->permitted = data[0].permitted | (guint64)data[1].permitted << 32;
  sets->inheritable = data[0].inheritable | (guint64)data[1].inheritable << 32;
  return TRUE;
}

static gboolean set_sets(const Sets *sets)
{
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

  for (guint i = 0; i < G_N_ELEMENTS(data); i++) {
    data[i].effective = (guint32)(sets->effective >> 32 * i);
    data[i].permitted = (guint32)(sets->permitted >> 32 * i);
    data[i].inheritable = (guint32)(sets->inheritable >> 32 * i);
  }
  return syscall(SYS_capset, &header, data) == 0;
}

guint64 captured_privileges_open_event(void)
{
  g_autofree char *text = NULL;
  gboolean wanted = g_file_get_contents(PARANOID, &text, NULL, NULL) && g_ascii_strtoll(text, NULL, 10) > 2;

  return CAPTURED_RIGHT(CAP_PERFMON) | (wanted ? CAPTURED_RIGHT(CAP_SYS_ADMIN) : 0);
}

/* Takes CAP_SETPCAP; where that is missing the unit did it already, or no new privileges means the same. */
static void narrow_bounding_set(guint64 rights)
{
  for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
    if (!(rights & CAPTURED_RIGHT(capability)))
      prctl(PR_CAPBSET_DROP, capability);
}

static gboolean privileges_fail(GError **error, const char *what)
{
  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED, "%s: %s.", what, g_strerror(errno));
  return FALSE;
}

static gboolean become_user(GError **error)
{
  const struct passwd *user = getpwnam(USER);

  if (!user || user->pw_uid == 0 || user->pw_gid == 0) {
    g_set_error_literal(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED,
                        "There is no user " USER
                        ": “systemd-sysusers” makes it, from the file that was installed for that.");
    return FALSE;
  }
  if (prctl(PR_SET_KEEPCAPS, 1) < 0 || setgroups(0, NULL) < 0 ||
      setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
      setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0 || prctl(PR_SET_KEEPCAPS, 0) < 0)
    return privileges_fail(error, "This process cannot become the user " USER);
  return TRUE;
}

gboolean captured_privileges_settle(GError **error)
{
  const guint64 rights = CAPTURED_RIGHTS_SYSTEM | CAPTURED_RIGHTS_BECOME | CAPTURED_RIGHTS_LOOK |
                         captured_privileges_open_event();
  Sets sets;

  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
    return privileges_fail(error, "New privileges cannot be ruled out");
  narrow_bounding_set(rights);
  if (geteuid() == 0 && !become_user(error))
    return FALSE;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (!get_sets(&sets))
    return privileges_fail(error, "The capabilities of this process cannot be read");
  if (!set_sets(&(Sets){.permitted = sets.permitted & rights}))
    return privileges_fail(error, "Capabilities cannot be given up");
#ifndef __SANITIZE_ADDRESS__ /* whose leak detector attaches to its own process */
  if (prctl(PR_SET_DUMPABLE, 0) < 0)
    return privileges_fail(error, "This process cannot be hidden from others");
#endif
  return TRUE;
}

gboolean captured_privileges_use(guint64 rights)
{
  Sets sets;

  if (!get_sets(&sets))
    return FALSE;
  sets.effective = sets.permitted & rights;
  return set_sets(&sets) && sets.effective == rights;
}

gboolean captured_privileges_hand_on(guint64 rights)
{
  Sets sets;

  if (!get_sets(&sets))
    return FALSE;
  sets.permitted &= rights;
  sets.effective = sets.inheritable = sets.permitted;
  if (!set_sets(&sets))
    return FALSE;
  for (unsigned long capability = 0; capability < 64; capability++)
    if (sets.permitted & CAPTURED_RIGHT(capability) &&
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) < 0)
      return FALSE;
  return TRUE;
}
