/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processes and threads of the recorded machine while the records of a perf.data pass, under the rules of
 * perf (tools/perf/util/machine.c), so that every sample gets the command and the mappings that perf gives
 * it. One thread at a time.
 */
#pragma once

#include "profile/import/perf-data-maps.h"

#include "libcapture/format/capture-format.h"

G_BEGIN_DECLS

/* Versions of processes count from here; those below are the caller's. */
#define PROFILE_PERF_VERSION_FIRST 16

/* One generation of an address space; lives as long as the machine. */
typedef struct _ProfilePerfProcess ProfilePerfProcess;
struct _ProfilePerfProcess {
  ProfilePerfProcess *parent; /* forked from, or the generation before the exec; NULL not known */
  ProfilePerfMaps *maps;
  const char *name;         /* of its leader */
  const char *command_line; /* NULL not known */
  guint64 time;             /* when it began */
  guint64 changed;          /* the latest time of any of its mappings */
  gint32 pid;
  guint32 origin;  /* enum capture_process_origin */
  guint32 version; /* a number that no other process and no other state of its mappings has */
  guint32 id;      /* for the caller: identifier in `epoch` */
  guint32 epoch;
};

/* A thread under its present name; valid until the next call that changes the machine. */
typedef struct {
  ProfilePerfProcess *process;
  const char *name; /* ":TID" until it is known */
  guint64 since;    /* when it got its name */
  gint32 pid, tid;
  gboolean named;
  guint32 id; /* for the caller: identifier in `epoch`, forgotten when the name changes */
  guint32 epoch;
} ProfilePerfThread;

typedef struct _ProfilePerfMachine ProfilePerfMachine;

/* mappings_max: how many mappings are kept at most, of all processes together. */
ProfilePerfMachine *profile_perf_machine_new(gint64 mappings_max);
void profile_perf_machine_free(ProfilePerfMachine *self);

/* Never NULL: what is not known yet is made. */
ProfilePerfThread *profile_perf_machine_get_thread(ProfilePerfMachine *self, gint32 pid, gint32 tid);
/* A COMM record; exec begins a generation. The name is copied. */
void profile_perf_machine_rename(ProfilePerfMachine *self, gint32 pid, gint32 tid, const char *name,
                                 gboolean exec, guint64 time);
/* How the process was started. The text is copied. */
void profile_perf_machine_set_command_line(ProfilePerfMachine *self, gint32 pid, const char *text);
/* A FORK record. */
void profile_perf_machine_fork(ProfilePerfMachine *self, gint32 pid, gint32 tid, gint32 parent_pid,
                               gint32 parent_tid, gboolean clone_maps, guint64 time);
/* An MMAP record: the process that has it now, or NULL when there are more mappings than is possible. */
ProfilePerfProcess *profile_perf_machine_map(ProfilePerfMachine *self, gint32 pid, gint32 tid,
                                             const ProfilePerfMapping *mapping);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfilePerfMachine, profile_perf_machine_free)

G_END_DECLS
