/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The filters that verbs with a view of a profile share: --event, --time, --thread, --process, --binary,
 * --no-inline and --transform. */
#pragma once

#include "profile/capture/filter.h"

G_BEGIN_DECLS

/* What was given on the command line; all NULL to begin with. */
typedef struct {
  char *event;       /* its name */
  char *time;        /* "BEGIN,END", see below */
  char **threads;    /* tid or name */
  char **processes;  /* pid or name */
  char **binaries;   /* path, its last part, or "[kernel]" */
  char **transforms; /* "KIND:WHAT", see capturectl-transform.h */
  gboolean no_inline;
} CapturectlFilterOptions;

/* Entries for a GOptionEntry array of a verb; options is a CapturectlFilterOptions. */
#define CAPTURECTL_FILTER_ENTRIES(options)                                                                   \
  CAPTURECTL_SAMPLE_ENTRIES(options),                                                                        \
      {"binary",                                                                                             \
       0,                                                                                                    \
       0,                                                                                                    \
       G_OPTION_ARG_STRING_ARRAY,                                                                            \
       &(options).binaries,                                                                                  \
       N_("Count samples taken in this binary (repeatable)"),                                                \
       N_("PATH|NAME")},                                                                                     \
      {"no-inline",                                                                                          \
       0,                                                                                                    \
       0,                                                                                                    \
       G_OPTION_ARG_NONE,                                                                                    \
       &(options).no_inline,                                                                                 \
       N_("Count functions that were inlined as the function that holds them"),                              \
       NULL},                                                                                                \
      CAPTURECTL_TRANSFORM_ENTRY(options)

/* Of those the ones that choose samples by event, time and thread. */
#define CAPTURECTL_SAMPLE_ENTRIES(options)                                                                   \
  {"event", 'e', 0, G_OPTION_ARG_STRING, &(options).event, N_("Count samples of this event"), N_("EVENT")},  \
      {"time",                                                                                               \
       0,                                                                                                    \
       0,                                                                                                    \
       G_OPTION_ARG_STRING,                                                                                  \
       &(options).time,                                                                                      \
       N_("Count samples of this time: seconds since the recording began, or percent of it"),                \
       N_("BEGIN,END")},                                                                                     \
      {"thread",                                                                                             \
       0,                                                                                                    \
       0,                                                                                                    \
       G_OPTION_ARG_STRING_ARRAY,                                                                            \
       &(options).threads,                                                                                   \
       N_("Count samples of this thread (repeatable)"),                                                      \
       N_("TID|NAME")},                                                                                      \
  {                                                                                                          \
    "process", 0, 0, G_OPTION_ARG_STRING_ARRAY, &(options).processes,                                        \
        N_("Count samples of this process (repeatable)"), N_("PID|NAME")                                     \
  }

#define CAPTURECTL_TRANSFORM_ENTRY(options)                                                                  \
  {                                                                                                          \
    "transform", 0, 0, G_OPTION_ARG_STRING_ARRAY, &(options).transforms,                                     \
        N_("Change the stacks before they are counted, in this order (repeatable); “help” lists the kinds"), \
        N_("KIND:WHAT")                                                                                      \
  }

/*
 * Makes the filter that options ask for. NULL and an error whose message is a whole sentence when something
 * cannot be understood or nothing in the capture answers to it. time: "1.5,3" is from second 1.5 to
 * second 3 of the recording, "10%,20%" of its duration; either side may be left out.
 */
ProfileFilter *capturectl_filter_new(ProfileCapture *capture, const CapturectlFilterOptions *options,
                                     GError **error);
/* Whether a binary of that path is meant: by its path, or the last part of it. */
gboolean capturectl_is_binary(const char *wanted, const char *path);
/* Says why there is no filter; returns the exit status. */
int capturectl_filter_fail(const GError *error);
void capturectl_filter_options_clear(CapturectlFilterOptions *options);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CapturectlFilterOptions, capturectl_filter_options_clear)

/*
 * Loads a capture for a view; warns of damaged places and of lost samples on standard error. NULL after
 * having said why it cannot be loaded (return CAPTURECTL_FAILED).
 */
ProfileCapture *capturectl_load(const char *path);

/* A capture whose collector was killed has no names: they are looked up now, on this machine. */
void capturectl_name_functions(ProfileCapture *capture);

G_END_DECLS
