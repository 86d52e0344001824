/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture-opener FD: see helpers/opener-protocol.h. */
#include <fcntl.h>
#include <linux/capability.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helpers/opener/opener-serve.h"
#include "helpers/packet.h"

/* True when somebody of the same user could have attached to this process since its exec. */
static bool was_exposed(void)
{
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct had[_LINUX_CAPABILITY_U32S_3] = {0};
  if (prctl(PR_GET_DUMPABLE) != 1)
    return false;
  return syscall(SYS_capget, &header, had) < 0 || (had[0].permitted | had[1].permitted) == 0;
}

/* In this order, see helpers/opener-protocol.h. What stays is what programs of a user at the seat have:
 * without it the kernel would not let this user look into them. */
static bool give_up_rights(void)
{
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3] = {0}, had[_LINUX_CAPABILITY_U32S_3] = {0};
  const uint32_t word = CAP_TO_INDEX(CAP_WAKE_ALARM);
  if (syscall(SYS_capget, &header, had) < 0)
    return false;
  kept[word].permitted = kept[word].effective = had[word].permitted & CAP_TO_MASK(CAP_WAKE_ALARM);
  return prctl(PR_SET_DUMPABLE, 0) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 &&
         syscall(SYS_capset, &header, kept) == 0 && setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}) == 0;
}

static bool belongs_to_user(const char *directory)
{
  struct stat status;
  return stat(directory, &status) == 0 && status.st_uid == geteuid();
}

static bool find_cache(char *path, size_t size)
{
  const char *cache = secure_getenv("XDG_CACHE_HOME");
  const struct passwd *user;
  int length = 0;
  if (cache != NULL && cache[0] == '/' && belongs_to_user(cache))
    length = snprintf(path, size, "%s/capture/unwind", cache);
  else if ((user = getpwuid(geteuid())) != NULL && belongs_to_user(user->pw_dir))
    length = snprintf(path, size, "%s/.cache/capture/unwind", user->pw_dir);
  return length > 0 && (size_t)length < size;
}

static void reset_signals(void)
{
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; number++)
    signal(number, number == SIGINT || number == SIGXFSZ ? SIG_IGN : SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

int main(int argc, char **argv)
{
  struct opener_options options = {.foreign = true, .exposed = was_exposed()};
  if (!give_up_rights())
    return EXIT_FAILURE;
  char cache[OPENER_PATH_MAX];
  int fd = packet_find_socket(argc, argv);
  if (fd < 0) {
    fputs("capture-opener is started by captured, with its end of a socket pair: capture-opener FD.\n",
          stderr);
    return 2;
  }
  reset_signals();
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (find_cache(cache, sizeof cache))
    options.cache = cache;
  opener_serve(fd, &options);
  return EXIT_SUCCESS;
}
