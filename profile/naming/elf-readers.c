/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/elf-readers.h"

#include <stdlib.h>
#include <unistd.h>

#include "helpers/program-path.h"

struct _ProfileElfReaders {
  char *program; /* free() */
  GMutex lock;
  GQueue idle; /* ProfileElfReader */
};

ProfileElfReaders *profile_elf_readers_new(void)
{
  static const struct program_path place =
      PROGRAM_PATH("CAPTURE_ELF_READER", "elf-reader", "capture-elf-reader", PROFILE_LIBEXECDIR);
  char *program = program_path_find(&place, X_OK, NULL);
  ProfileElfReaders *self;

  if (!program)
    return NULL;
  self = g_new0(ProfileElfReaders, 1);
  self->program = program;
  g_mutex_init(&self->lock);
  g_queue_init(&self->idle);
  return self;
}

void profile_elf_readers_free(ProfileElfReaders *self)
{
  g_queue_clear_full(&self->idle, (GDestroyNotify)profile_elf_reader_free);
  g_mutex_clear(&self->lock);
  free(self->program);
  g_free(self);
}

ProfileElfReader *profile_elf_readers_take(ProfileElfReaders *self)
{
  ProfileElfReader *reader;

  g_mutex_lock(&self->lock);
  reader = g_queue_pop_head(&self->idle);
  g_mutex_unlock(&self->lock);
  return reader ? reader : profile_elf_reader_new(self->program);
}

void profile_elf_readers_give_back(ProfileElfReaders *self, ProfileElfReader *reader)
{
  g_mutex_lock(&self->lock);
  g_queue_push_head(&self->idle, reader);
  g_mutex_unlock(&self->lock);
}
