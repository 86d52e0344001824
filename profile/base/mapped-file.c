/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/mapped-file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct _ProfileMappedFile {
  int fd;
  guint8 *bytes;
  gsize size;
  gsize page_size;
  gint cut_off; /* atomic */
};

/* What the handler looks through: written under the lock, read at any moment. */
static ProfileMappedFile *files[PROFILE_MAPPED_FILES_MAX];
static GMutex lock;
static struct sigaction before; /* of SIGBUS */
static gboolean is_handled;

static gboolean mapped_file_holds(const ProfileMappedFile *self, guintptr address)
{
  return self && address - (guintptr)self->bytes < self->size;
}

/* Zeroes from the page of the address to the end. */
static gboolean mapped_file_replace(ProfileMappedFile *self, guintptr address)
{
  guintptr page = address & ~(guintptr)(self->page_size - 1);
  gsize length = (guintptr)self->bytes + self->size - page;

  g_atomic_int_set(&self->cut_off, TRUE);
  return mmap((void *)page, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* Somebody else's comes again, to whoever was there before. */
static void mapped_file_handle(int number, siginfo_t *info, void *context)
{
  int saved = errno;

  for (guint i = 0; i < PROFILE_MAPPED_FILES_MAX; i++) {
    ProfileMappedFile *file = g_atomic_pointer_get(&files[i]);
    if (mapped_file_holds(file, (guintptr)info->si_addr) &&
        mapped_file_replace(file, (guintptr)info->si_addr)) {
      errno = saved;
      return;
    }
  }
  sigaction(number, &before, NULL);
}

static void begin_to_handle(void)
{
  struct sigaction action = {.sa_sigaction = mapped_file_handle, .sa_flags = SA_SIGINFO};

  if (!is_handled)
    sigaction(SIGBUS, &action, &before);
  is_handled = TRUE;
}

/* FALSE: there are as many already as there may be. */
static gboolean mapped_file_enter(ProfileMappedFile *self)
{
  gboolean entered = FALSE;

  g_mutex_lock(&lock);
  begin_to_handle();
  for (guint i = 0; i < PROFILE_MAPPED_FILES_MAX && !entered; i++) {
    entered = !files[i];
    if (entered)
      g_atomic_pointer_set(&files[i], self);
  }
  g_mutex_unlock(&lock);
  return entered;
}

static void mapped_file_leave(ProfileMappedFile *self)
{
  g_mutex_lock(&lock);
  for (guint i = 0; i < PROFILE_MAPPED_FILES_MAX; i++)
    if (files[i] == self)
      g_atomic_pointer_set(&files[i], NULL);
  g_mutex_unlock(&lock);
}

static void mapped_file_clear(gpointer data)
{
  ProfileMappedFile *self = data;

  mapped_file_leave(self);
  if (self->bytes)
    munmap(self->bytes, self->size);
  if (self->fd >= 0)
    close(self->fd);
}

/* 0 or an errno. */
static int mapped_file_map(ProfileMappedFile *self, int fd)
{
  struct stat status;

  self->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (self->fd < 0 || fstat(self->fd, &status) < 0)
    return errno;
  if (status.st_size == 0)
    return 0;
  void *bytes = mmap(NULL, (gsize)status.st_size, PROT_READ, MAP_PRIVATE, self->fd, 0);
  if (bytes == MAP_FAILED)
    return errno;
  self->bytes = bytes;
  self->size = (gsize)status.st_size;
  return mapped_file_enter(self) ? 0 : ENFILE;
}

ProfileMappedFile *profile_mapped_file_new(int fd, GError **error)
{
  ProfileMappedFile *self = g_atomic_rc_box_new0(ProfileMappedFile);

  self->fd = -1;
  self->page_size = (gsize)sysconf(_SC_PAGESIZE);
  int code = mapped_file_map(self, fd);
  if (code == 0)
    return self;
  g_set_error_literal(error, G_IO_ERROR, g_io_error_from_errno(code), g_strerror(code));
  profile_mapped_file_unref(self);
  return NULL;
}

ProfileMappedFile *profile_mapped_file_ref(ProfileMappedFile *self)
{
  return g_atomic_rc_box_acquire(self);
}

void profile_mapped_file_unref(ProfileMappedFile *self)
{
  g_atomic_rc_box_release_full(self, mapped_file_clear);
}

const guint8 *profile_mapped_file_get_bytes(const ProfileMappedFile *self)
{
  return self->bytes;
}

gsize profile_mapped_file_get_size(const ProfileMappedFile *self)
{
  return self->size;
}

/* Less than a page raises no signal. */
gboolean profile_mapped_file_is_cut_off(const ProfileMappedFile *self)
{
  struct stat status;

  return g_atomic_int_get(&self->cut_off) || fstat(self->fd, &status) < 0 ||
         (gsize)status.st_size < self->size;
}
