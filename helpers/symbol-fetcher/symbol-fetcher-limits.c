/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/symbol-fetcher/symbol-fetcher-limits.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helpers/limit.h"

/* curl reads less than half of this at one time; then progress is looked at, and ends what is too large. A
 * write that the kernel cuts short would look like a server that broke off. */
#define SLACK (UINT64_C(4) << 20)

static volatile sig_atomic_t was_too_large;

static void on_too_large(int number)
{
  was_too_large = 1;
}

bool symbol_fetcher_was_too_large(void)
{
  return was_too_large != 0;
}

/* Execution, and all that changes files, but for rights that came with later kernels. */
#define WRITING                                                                                              \
  (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |              \
   LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |             \
   LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |               \
   LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

/* A kernel without Landlock permits what the user may do. */
static void write_below(const char *directory)
{
  struct landlock_ruleset_attr ruleset = {.handled_access_fs = WRITING};
  struct landlock_path_beneath_attr below = {.allowed_access = WRITING & ~LANDLOCK_ACCESS_FS_EXECUTE};
  int fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0);
  if (fd < 0)
    return;
  below.parent_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (below.parent_fd >= 0 && syscall(SYS_landlock_add_rule, fd, LANDLOCK_RULE_PATH_BENEATH, &below, 0) == 0)
    syscall(SYS_landlock_restrict_self, fd, 0);
  if (below.parent_fd >= 0)
    close(below.parent_fd);
  close(fd);
}

int symbol_fetcher_limit(const struct symbol_fetcher_request *request)
{
  struct sigaction action = {.sa_handler = on_too_large};
  int result = limit_lower(RLIMIT_CORE, 0);
  if (result == 0)
    result = limit_lower(RLIMIT_FSIZE, request->size_max + SLACK);
  if (result < 0)
    return result;
  if (sigaction(SIGXFSZ, &action, NULL) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
      prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
    return -errno;
  write_below(request->directory);
  alarm(request->seconds_max + 1);
  return 0;
}
