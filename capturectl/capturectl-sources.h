/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The texts of source files that `annotate` shows, each read once: from the capture, from this machine, or
 * from debuginfod servers, where the person permits that. Main thread only. */
#pragma once

#include "profile/base/source-file.h"
#include "profile/views/annotation.h"

G_BEGIN_DECLS

typedef struct {
  ProfileSourceFile *file; /* never NULL: its status says what came of it */
  gboolean is_offered;     /* servers may have it, and were not asked */
  char *failure;           /* a sentence: why no server gave it; NULL: none was asked, or one did */
} CapturectlSource;

typedef struct _CapturectlSources CapturectlSources;

/* Of the annotation's function. download: servers are asked although the person did not say yes to them
 * before. maps: ProfilePathMap. Both outlive it. */
CapturectlSources *capturectl_sources_new(const ProfileAnnotation *annotation, const GArray *maps,
                                          gboolean download);
void capturectl_sources_free(CapturectlSources *self);

/* By the path that debug information has. All that is fetched has some seconds together. Blocking; runs the
 * default main context where it fetches. */
const CapturectlSource *capturectl_sources_get(CapturectlSources *self, const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CapturectlSources, capturectl_sources_free)

G_END_DECLS
