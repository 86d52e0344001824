/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Libraries that come and go: tables and mappings follow.
 *
 * The dynamic linker looks at who calls dlopen: libraries without a slash in their names are searched for
 * where the calling object says (DT_RUNPATH, DT_RPATH), $ORIGIN is its directory, and what is loaded belongs
 * to its namespace. So where that matters the call is handed on as a jump, with the caller's return address,
 * and what was loaded is found when something of it is sampled.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "helpers/preload/preload-private.h"
#include "helpers/preload/preload-update.h"

typedef void *(*dlopen_fn)(const char *, int);
typedef void *(*dlmopen_fn)(Lmid_t, const char *, int);
typedef int (*dlclose_fn)(void *);

static _Atomic(dlopen_fn) next_dlopen;
static _Atomic(dlmopen_fn) next_dlmopen;
static _Atomic(dlclose_fn) next_dlclose;

static bool names_directories(const struct link_map *object)
{
  for (const ElfW(Dyn) *entry = object->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_RUNPATH || entry->d_tag == DT_RPATH)
      return true;
  }
  return false;
}

/* Whether the linker would do something else for this library than for whoever calls it. */
static bool does_caller_matter(const char *name, const void *caller)
{
  struct link_map *object = NULL;
  Dl_info info;
  if (!name)
    return false;
  if (strchr(name, '/'))
    return strchr(name, '$') != NULL;
  return dladdr1(caller, &info, (void **)&object, RTLD_DL_LINKMAP) == 0 || !object ||
         names_directories(object);
}

static void *open_and_update(dlopen_fn open, capture *c, const char *name, int flags)
{
  void *opened = open(name, flags);
  preload_update(c);
  return opened;
}

PRELOAD_EXPORT void *dlopen(const char *name, int flags)
{
  dlopen_fn open = atomic_load(&next_dlopen);
  capture *c = atomic_load(&preload_capture);
  if (!open)
    atomic_store(&next_dlopen, open = (dlopen_fn)preload_next("dlopen"));
  if (c && preload_self.inside == 0 && !does_caller_matter(name, __builtin_return_address(0)))
    return open_and_update(open, c, name, flags);
  preload_update_wanted();
  return open(name, flags);
}

PRELOAD_EXPORT void *dlmopen(Lmid_t space, const char *name, int flags)
{
  dlmopen_fn open = atomic_load(&next_dlmopen);
  if (!open)
    atomic_store(&next_dlmopen, open = (dlmopen_fn)preload_next("dlmopen"));
  preload_update_wanted();
  return open(space, name, flags);
}

PRELOAD_EXPORT int dlclose(void *opened)
{
  dlclose_fn close = atomic_load(&next_dlclose);
  capture *c = atomic_load(&preload_capture);
  if (!close)
    atomic_store(&next_dlclose, close = (dlclose_fn)preload_next("dlclose"));
  if (!c || preload_self.inside != 0)
    return close(opened);
  int error = close(opened);
  preload_update(c);
  return error;
}
