/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/tables/own.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/common/proc.h"

/* The caller can stop his opener: then there is no proof. */
#define PROOF_PATIENCE UINT64_C(2000000000)
/* It opens no more than a file of /proc. Rings fill meanwhile, but who lets them is the caller. */
#define LOOK_PATIENCE UINT64_C(1000000000)

static int own_look(int32_t pid, int32_t tid, enum opener_proc file, void *data)
{
  return recorder_opener_look(data, pid, tid, file, LOOK_PATIENCE);
}

int recorder_own_adopt(struct recorder_opener *opener, int socket, struct recorder_error *error)
{
  int type = 0, domain = 0;
  socklen_t size = sizeof type;
  if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_SEQPACKET ||
      getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0 || domain != AF_UNIX) {
    close(socket);
    return recorder_error_set(error, EPROTO, "The recorder was sent no opener for a session of one's own.");
  }
  recorder_opener_adopt(opener, socket);
  recorder_proc_set_proxy(own_look, opener);
  return 0;
}

static int own_explain(int32_t pid, int result, struct recorder_error *error)
{
  switch (-result) {
  case EACCES:
    return recorder_error_set(error, EACCES,
                              "Process %d is not the caller's to record: it is somebody else's, has more "
                              "rights than he, or hides its "
                              "memory; record it with an administrator's authorisation.",
                              pid);
  case ESRCH:
    return recorder_error_set(error, ESRCH, "Process %d does not exist any more.", pid);
  case ENOKEY:
    return recorder_error_set(error, ENOKEY,
                              "What the opener says proves nothing: it was started so that the caller could "
                              "have changed it.");
  default:
    return recorder_error_set(error, -result, "It could not be proven that process %d is the caller's: %s.",
                              pid, strerror(-result));
  }
}

int recorder_own_prove(struct recorder_opener *opener, const int *pidfds, const int32_t *pids, uint32_t count,
                       struct recorder_error *error)
{
  for (uint32_t i = 0; i < count; i++) {
    int result = recorder_opener_prove(opener, pids[i], pidfds[i], PROOF_PATIENCE);
    if (result < 0)
      return own_explain(pids[i], result, error);
  }
  return 0;
}
