/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/session/rights-private.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "helpers/kernel.h"
#include "recording/common/paths-private.h"

static gboolean has_capabilities(void)
{
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

  if (syscall(SYS_capget, &header, data) < 0)
    return TRUE;
  return (data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN)) ||
         (data[CAP_TO_INDEX(CAP_BPF)].effective & CAP_TO_MASK(CAP_BPF));
}

/* An administrator may have given the program what its callers lack. */
static gboolean recorder_has_capabilities(void)
{
  g_autofree char *path = recording_paths_find_recorder(NULL);
  struct stat status;

  if (!path || stat(path, &status) < 0)
    return FALSE;
  return (status.st_mode & S_ISUID) || getxattr(path, "security.capability", NULL, 0) > 0;
}

gboolean recording_rights_may_have_bpf(void)
{
  return geteuid() == 0 || has_capabilities() || recorder_has_capabilities();
}

gboolean recording_rights_kernel_takes_bpf(void)
{
  return kernel_get_obstacle() == KERNEL_NO_OBSTACLE;
}

gboolean recording_rights_are_refused(void)
{
  struct perf_event_attr attr = {
      .size = sizeof attr,
      .type = PERF_TYPE_SOFTWARE,
      .config = PERF_COUNT_SW_CPU_CLOCK,
      .sample_period = 1000000,
      .disabled = 1,
      .exclude_kernel = 1,
      .exclude_hv = 1,
  };
  int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

  if (fd < 0)
    return errno == EACCES || errno == EPERM;
  close(fd);
  return FALSE;
}
