/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of users and their rights share: a caller, a service's user, targets of theirs, openers. They
 * run as root. */
#pragma once

#include <glib.h>

#include "recorder-client.h"
#include "recorder-loaded.h"

#define TRUST_CALLER  64001u
#define TRUST_OTHER   64002u
#define TRUST_SERVICE 64003u

#define TRUST_OWN_RIGHTS    "perfmon,bpf,sys_ptrace,ipc_lock"
#define TRUST_SYSTEM_RIGHTS "perfmon,bpf,sys_ptrace,syslog,ipc_lock,checkpoint_restore,dac_read_search"

/* Starts recorder-target, or `program` (NULL: that), as a user; it does not wait at a gate. */
pid_t trust_target(guint user, const char *program, const char *word, const char *argument, const char *more);
/* Until it executes the program: its name is that. */
void trust_await_name(pid_t pid, const char *name);
/* Until it may not be looked into. */
void trust_await_hidden(pid_t pid);
/* Kills it, if it still runs, and takes note of its end. */
void trust_end(pid_t pid);
/* Starts capture-opener as a user with those capabilities, as captured does; *ret_socket is the other end. */
pid_t trust_opener(guint user, const char *capabilities, int *ret_socket);
/* A copy of a program in a new directory that everybody may enter; owner, mode. Freed with g_free, removed by
 * trust_remove. */
char *trust_copy(const char *source, guint owner, guint mode);
void trust_remove(const char *copy);
char *trust_target_program(void);
/* A recorder of the service's, for an own session of that target of the caller's: configured and begun. */
void trust_begin_own(struct recorder_client *client, struct recorder_configure *configure, pid_t target,
                     int opener);
/* Collects until the recorder has written that many samples: a busy machine gives few a second. */
void trust_collect(struct recorder_client *client, guint samples);
/* A field of /proc/PID/status as it stands there, "Uid"; freed with g_free. */
char *trust_status(pid_t pid, const char *field);
/* Words in the stream that look like addresses of the kernel's. */
guint trust_count_kernel_words(const struct loaded *loaded);
/* Whether the stream knows a binary whose path ends so. */
gboolean trust_knows_binary(const struct loaded *loaded, const char *suffix);
