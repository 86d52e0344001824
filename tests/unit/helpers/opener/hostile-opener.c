/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An opener that does what the name of the process in question says, instead of what its protocol says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/opener-protocol.h"
#include "tests/unit/helpers/peer.h"

static void read_name(int32_t pid, char name[32])
{
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/comm", pid);
  FILE *file = fopen(path, "r");
  if (file == NULL || fgets(name, 32, file) == NULL)
    _exit(3);
  name[strcspn(name, "\n")] = '\0';
  fclose(file);
}

int main(int argc, char **argv)
{
  struct opener_request request;
  char name[32] = "";
  int socket = argc == 2 ? atoi(argv[1]) : -1;
  for (;;) {
    struct opener_answer answer = {.type = OPENER_PROVE, .size = sizeof answer};
    size_t size = sizeof answer;
    unsigned n = 0;
    peer_receive(socket, &request, sizeof request);
    answer.type = request.type;
    read_name(request.pid, name);
    if (strcmp(name, "dies") == 0)
      return 1;
    if (strcmp(name, "short") == 0)
      size = 5;
    else if (strcmp(name, "lies") == 0)
      answer.size = 4000000000u;
    else if (strcmp(name, "type") == 0)
      answer.type = OPENER_OPEN;
    else if (strcmp(name, "kind") == 0)
      answer.kind = OPENER_FILE;
    else if (strcmp(name, "descriptors") == 0)
      n = 100;
    else if (strcmp(name, "error") == 0)
      answer.error = 2000000000;
    else if (strcmp(name, "negative") == 0)
      answer.error = -1;
    peer_send(socket, &answer, size, n);
  }
}
