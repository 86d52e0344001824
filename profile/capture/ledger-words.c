/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How good stacks are, in words. */
#include <glib/gi18n.h>
#include <math.h>

#include "profile/capture/ledger.h"
#include "profile/capture/runtime-advice.h"

const char *profile_ledger_get_binary(ProfileCapture *capture, const ProfileLedgerEntry *entry)
{
  guint n;

  if (entry->binary == PROFILE_LEDGER_NO_FRAME)
    return NULL;
  if (entry->binary == PROFILE_LEDGER_NO_FILE)
    return "[unknown]";
  return profile_capture_get_binaries(capture, &n)[entry->binary].path;
}

static gboolean is_by(ProfileCapture *capture, const char *way)
{
  return g_strcmp0(profile_capture_get_metadata(capture, "unwind"), way) == 0;
}

static gboolean is_via(ProfileCapture *capture, const char *way)
{
  return g_strcmp0(profile_capture_get_metadata(capture, "via"), way) == 0;
}

static gboolean is_imported(ProfileCapture *capture)
{
  return is_via(capture, "import");
}

/* Whether programs sampled themselves: those of their stacks that have no tables follow frame pointers. */
static gboolean has_samplers(ProfileCapture *capture)
{
  guint n;
  const ProfileStream *streams = profile_capture_get_streams(capture, &n);

  for (guint i = 0; i < n; i++) {
    if (streams[i].kind == CAPTURE_STREAM_SAMPLER)
      return TRUE;
  }
  return FALSE;
}

static const char *advise_code_made(ProfileCapture *capture, const char *otherwise)
{
  const char *advice = profile_runtime_advise(capture, PROFILE_RUNTIME_LACKS_STACKS);

  return advice ? advice : otherwise;
}

static const char *advise_frame_pointers(ProfileCapture *capture, gboolean no_file)
{
  if (is_by(capture, "fp"))
    return is_imported(capture)
               ? _("Record with “capturectl record”, or with “perf record --call-graph dwarf”.")
               : _("Record with --unwind auto, which proves the end by unwind tables.");
  if (no_file)
    return advise_code_made(capture,
                            _("Machine code made at run time: let its compiler keep frame pointers."));
  if (has_samplers(capture))
    return _("A program that samples itself follows frame pointers, which prove no end; where it is the "
             "recorder’s stacks that end so, build it with -fasynchronous-unwind-tables.");
  return _("Build it with -fasynchronous-unwind-tables: without them, the end of a stack cannot be proven.");
}

static const char *advise_no_table(ProfileCapture *capture, gboolean no_file)
{
  if (no_file && is_via(capture, "direct"))
    return advise_code_made(
        capture, _("Machine code made at run time without frame pointers: let its compiler keep them. Or a "
                   "process that "
                   "this user may not look into: record it as root, or through the system service."));
  if (no_file)
    return advise_code_made(
        capture, _("Machine code made at run time without frame pointers: let its compiler keep them."));
  if (is_imported(capture))
    return _(
        "Import where the very files are that were recorded, or build it with -fasynchronous-unwind-tables.");
  return _(
      "Record as root where the file cannot be opened; else build it with -fasynchronous-unwind-tables.");
}

static const char *advise_bad_frame(gboolean no_file)
{
  if (no_file)
    return _("Machine code made at run time that uses the frame pointer for something else: see "
             "docs/frame-pointers.md.");
  return _("Its unwind tables do not describe what it does with its stack, as hand-written assembly may: "
           "compare with --unwind fp.");
}

static const char *advise_unreadable(ProfileCapture *capture)
{
  if (is_via(capture, "preload"))
    return _("It runs on a stack that it made itself, as coroutines do, of which the preloaded sampler knows "
             "no bounds: record it with --via direct or --via daemon.");
  if (is_by(capture, "bpf"))
    return _("Sampled before its tables were there, with too short a piece of the stack: record it again, "
             "tables are kept.");
  if (!is_by(capture, "dwarf"))
    return _("The program moved its stack elsewhere, or it is damaged.");
  return is_imported(capture)
             ? _("The copy of the stack was too short: “perf record --call-graph dwarf,65528”.")
             : _("The copy of the stack was too short: --unwind dwarf,65528.");
}

const char *profile_ledger_get_advice(ProfileCapture *capture, const ProfileLedgerEntry *entry)
{
  gboolean no_file = entry->binary == PROFILE_LEDGER_NO_FILE;

  switch (entry->outcome) {
  case CAPTURE_OUTCOME_FRAME_POINTERS:
    return advise_frame_pointers(capture, no_file);
  case CAPTURE_OUTCOME_TRUNCATED:
    return is_imported(capture) ? _("Record deeper stacks: “perf record --max-stack”.")
                                : _("Record deeper stacks with --max-stack, up to 512.");
  case CAPTURE_OUTCOME_NO_TABLE:
    return advise_no_table(capture, no_file);
  case CAPTURE_OUTCOME_UNREADABLE:
    return advise_unreadable(capture);
  case CAPTURE_OUTCOME_NOT_RESIDENT:
    return _("Parts of the stack were not in memory, and sampling cannot fetch them: record while memory is "
             "less short.");
  case CAPTURE_OUTCOME_BAD_FRAME:
    return advise_bad_frame(no_file);
  case CAPTURE_OUTCOME_UNSUPPORTED:
    return _(
        "A rule that is not evaluated, or a 32-bit program: build it with frame pointers and record with "
        "--unwind fp.");
  case CAPTURE_OUTCOME_LOST:
    return _(
        "Lower the frequency with -F, or allow larger rings with “sysctl kernel.perf_event_mlock_kb=2048”.");
  case CAPTURE_OUTCOME_LATE:
    return _("Its unwind table was not there in time: record it again, tables are kept.");
  default:
    return _("Record it anew with this version.");
  }
}

double profile_ledger_get_percent(guint64 part, guint64 stacks)
{
  double percent = stacks > 0 ? 100 * (double)part / (double)stacks : 0;

  return part < stacks ? MIN(floor(percent * 100 + 0.5) / 100, 99.99) : percent;
}

char *profile_ledger_summarize(const ProfileLedger *ledger)
{
  guint64 stacks = profile_ledger_get_stacks(ledger);
  guint64 unproven = profile_ledger_get_samples(ledger, CAPTURE_OUTCOME_FRAME_POINTERS);
  guint64 partly = profile_ledger_get_by_frame_pointers(ledger);
  double complete =
      profile_ledger_get_percent(profile_ledger_get_samples(ledger, CAPTURE_OUTCOME_COMPLETE), stacks);

  if (unproven == 0 && partly == 0)
    return g_strdup_printf(_("%.2f %% complete"), complete);
  if (unproven == 0)
    return g_strdup_printf(_("%.2f %% complete (%.2f %% partly without tables)"), complete,
                           profile_ledger_get_percent(partly, stacks));
  return g_strdup_printf(_("%.2f %% complete, %.2f %% by frame pointers (unproven)"), complete,
                         profile_ledger_get_percent(unproven, stacks));
}
