/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/parallel.h"

enum { MAX_THREADS = 64 };

typedef struct {
  gsize n, piece;
  gsize next; /* atomic: the first item that nobody has taken */
  ProfileParallelFunc function;
  gpointer data;
} Loop;

static gpointer parallel_work(gpointer data)
{
  Loop *loop = data;

  for (;;) {
    gsize begin = __atomic_fetch_add(&loop->next, loop->piece, __ATOMIC_RELAXED);
    if (begin >= loop->n)
      return NULL;
    loop->function(begin, begin + MIN(loop->piece, loop->n - begin), loop->data);
  }
}

void profile_parallel(gsize n, gsize piece, ProfileParallelFunc function, gpointer data)
{
  Loop loop = {.n = n, .piece = MAX(piece, 1), .function = function, .data = data};
  gsize pieces = n / loop.piece + (n % loop.piece != 0);
  gsize n_threads = MIN(MIN(pieces, g_get_num_processors()), MAX_THREADS);
  GThread *threads[MAX_THREADS];
  gsize started = 0;

  for (; started + 1 < n_threads; started++) {
    threads[started] = g_thread_try_new("profile", parallel_work, &loop, NULL);
    if (!threads[started])
      break;
  }
  parallel_work(&loop);
  for (gsize i = 0; i < started; i++)
    g_thread_join(threads[i]);
}
