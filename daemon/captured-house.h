/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all callers of the service share. Main thread only. */
#pragma once

#include "daemon/captured-authority.h"
#include "daemon/captured-callers.h"
#include "daemon/captured-cgroups.h"
#include "daemon/captured-idle.h"
#include "daemon/captured-ledger.h"
#include "daemon/captured-limits.h"
#include "daemon/captured-sessions.h"

G_BEGIN_DECLS

typedef struct {
  CapturedIdle *idle;
  CapturedCallers *callers;
  CapturedLimits *limits;
  CapturedLedger *ledger;
  CapturedCgroups *cgroups;
  CapturedAuthority *authority;
  CapturedSessions *sessions;
} CapturedHouse;

G_END_DECLS
