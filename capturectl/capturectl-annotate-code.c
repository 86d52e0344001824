/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code of a function as text. */
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

#include "capturectl/capturectl-annotate-private.h"
#include "profile/base/printable.h"

enum { CONTEXT = 3 }; /* instructions before and behind one with samples */

typedef struct {
  const CapturectlAnnotate *shown;
  const ProfileDisassembly *disassembly;
  const ProfileInstruction *instructions;
  guint32 n;
  guint32 hottest;
  guint8 *wanted;    /* one an instruction: whether it is shown */
  guint8 *is_target; /* likewise: whether something jumps there */
  guint64 whole;     /* 100 % */
  glong address_width;
  GString *out;
} AnnotateCode;

static void annotate_code_clear(AnnotateCode *self)
{
  g_free(self->wanted);
  g_free(self->is_target);
  g_string_free(self->out, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AnnotateCode, annotate_code_clear)

static void append_share(const AnnotateCode *self, ProfileWeight weight)
{
  profile_report_append_share(self->out, profile_disassembly_measure(self->disassembly, weight), self->whole);
}

static void append_sentence(const AnnotateCode *self, const char *sentence)
{
  profile_printable_append(self->out, sentence);
  g_string_append_c(self->out, '\n');
}

/* Where the function was inlined into others it has no machine code of its own. */
static void append_inlined_elsewhere(const AnnotateCode *self)
{
  const ProfileAnnotation *annotation = self->shown->annotation;
  guint64 all = profile_annotation_get_total(annotation).count;
  guint64 own = profile_disassembly_get_total(self->disassembly).count;

  if (own > 0 && own < all)
    append_sentence(self,
                    _("Where the function was inlined into others its instructions are theirs, and are not "
                      "shown here."));
}

/* Instructions with samples, and those around them. */
static void choose_instructions(AnnotateCode *self)
{
  for (guint32 i = 0; i < self->n; i++)
    if (self->shown->all || self->instructions[i].total.count > 0)
      for (guint32 k = i > CONTEXT ? i - CONTEXT : 0; k < MIN(self->n, i + CONTEXT + 1); k++)
        self->wanted[k] = TRUE;
}

static void find_targets(AnnotateCode *self)
{
  guint32 n;
  const ProfileJump *jumps = profile_disassembly_get_jumps(self->disassembly, &n);

  for (guint32 i = 0; i < n; i++)
    self->is_target[jumps[i].to] = TRUE;
}

/* "mix.c:12 in inner, inlined   x = y;" above the instructions that come from there. */
static void append_source(const AnnotateCode *self, const ProfileInstruction *instruction)
{
  g_autofree char *base = NULL, *text = NULL;

  if (!instruction->file || instruction->line == 0)
    return;
  base = g_path_get_basename(instruction->file);
  text = profile_source_file_get_printable_line(
      capturectl_sources_get(self->shown->sources, instruction->file)->file, instruction->line);
  g_string_append_printf(self->out, "%*s", 2 * PROFILE_REPORT_SHARE_WIDTH + 2, "");
  profile_printable_append(self->out, base);
  g_string_append_printf(self->out, ":%u", instruction->line);
  if (instruction->n_frames > 1 && profile_instruction_get_frame(instruction, 0)->name) {
    g_autofree char *inlined =
        g_strdup_printf(_("inlined %s"), profile_instruction_get_frame(instruction, 0)->name);
    g_string_append(self->out, ", ");
    profile_printable_append(self->out, inlined);
  }
  if (text && *text)
    g_string_append_printf(self->out, "   %s", text);
  g_string_append_c(self->out, '\n');
}

/* Where it leads: "↑" or "↓" inside the function, else what is there. */
static void append_target(const AnnotateCode *self, guint32 number)
{
  const ProfileInstruction *instruction = &self->instructions[number];

  if (instruction->jump != PROFILE_DISASSEMBLY_NOWHERE)
    g_string_append(self->out, instruction->jump > number ? "  ↓" : "  ↑");
  if (!instruction->target)
    return;
  g_string_append(self->out, "  <");
  profile_printable_append(self->out, instruction->target);
  g_string_append_c(self->out, '>');
}

static void append_instruction(const AnnotateCode *self, guint32 number)
{
  const ProfileInstruction *instruction = &self->instructions[number];
  g_autofree char *address = g_strdup_printf("%" G_GINT64_MODIFIER "x", instruction->address);

  if (instruction->total.count > 0) {
    append_share(self, instruction->self);
    append_share(self, instruction->total);
  } else {
    g_string_append_printf(self->out, "%*s", 2 * PROFILE_REPORT_SHARE_WIDTH, "");
  }
  g_string_append(self->out, number == self->hottest ? " >" : "  ");
  profile_report_append_cell(self->out, address, self->address_width);
  g_string_append_printf(self->out, " %s %s", self->is_target[number] ? "•" : " ", instruction->text);
  append_target(self, number);
  g_string_append_c(self->out, '\n');
}

static void append_titles(const AnnotateCode *self)
{
  profile_report_append_cell(self->out, _("Self"), PROFILE_REPORT_SHARE_WIDTH);
  profile_report_append_cell(self->out, _("Total"), PROFILE_REPORT_SHARE_WIDTH);
  g_string_append(self->out, "  ");
  profile_report_append_cell(self->out, _("Address"), self->address_width);
  g_string_append_printf(self->out, "   %s\n", _("Instruction"));
}

static void append_instructions(const AnnotateCode *self, const ProfileDisassemblyPart *part)
{
  const ProfileInstruction *before = NULL;

  for (guint32 i = part->first; i < part->first + part->n; i++) {
    const ProfileInstruction *instruction = &self->instructions[i];
    if (!self->wanted[i])
      continue;
    if (before && before != instruction - 1) {
      g_string_append_printf(self->out, "%*s", 2 * PROFILE_REPORT_SHARE_WIDTH + 2, "");
      profile_report_append_cell(self->out, "…", self->address_width);
      g_string_append_c(self->out, '\n');
    }
    if (self->shown->source && (!before || !profile_instruction_has_same_place(before, instruction)))
      append_source(self, instruction);
    append_instruction(self, i);
    before = instruction;
    fwrite(self->out->str, 1, self->out->len, stdout);
    g_string_truncate(self->out, 0);
  }
}

static void append_part(AnnotateCode *self, const ProfileDisassemblyPart *part)
{
  g_autofree char *missing = profile_disassembly_explain(self->disassembly, part);
  g_autofree char *last = g_strdup_printf("%" G_GINT64_MODIFIER "x", part->address + part->length);
  g_autofree char *where = NULL;

  self->address_width = MAX((glong)strlen(last), g_utf8_strlen(_("Address"), -1)) + 1;
  where =
      part->binary
          ? g_strdup_printf(
                _("Machine code in “%s”, %" G_GUINT64_FORMAT " bytes from 0x%" G_GINT64_MODIFIER "x on"),
                part->binary, part->length, part->address)
          : g_strdup_printf(_("Machine code, %" G_GUINT64_FORMAT " bytes from 0x%" G_GINT64_MODIFIER "x on"),
                            part->length, part->address);
  g_string_append_c(self->out, '\n');
  append_sentence(self, where);
  if (missing)
    append_sentence(self, missing);
  if (part->n == 0)
    return;
  append_titles(self);
  append_instructions(self, part);
}

static void append_elsewhere(const AnnotateCode *self)
{
  ProfileWeight elsewhere = profile_disassembly_get_self_elsewhere(self->disassembly);

  if (elsewhere.count == 0 || self->n == 0)
    return;
  g_string_append_c(self->out, '\n');
  append_share(self, elsewhere);
  g_string_append_printf(self->out, "%*s  %s\n", PROFILE_REPORT_SHARE_WIDTH, "",
                         _("in machine code that is not shown"));
}

void capturectl_annotate_code(const CapturectlAnnotate *shown)
{
  const ProfileDisassembly *disassembly = shown->disassembly;
  g_auto(AnnotateCode)
      self = {.shown = shown,
              .disassembly = disassembly,
              .hottest = profile_disassembly_find_hottest(disassembly),
              .whole = profile_disassembly_measure(disassembly, profile_disassembly_get_sum(disassembly)),
              .out = g_string_new(NULL)};
  g_autofree char *nothing = profile_disassembly_explain(disassembly, NULL);
  guint n_parts;
  const ProfileDisassemblyPart *parts = profile_disassembly_get_parts(disassembly, &n_parts);

  self.instructions = profile_disassembly_get_instructions(disassembly, &self.n);
  self.wanted = g_new0(guint8, self.n + 1);
  self.is_target = g_new0(guint8, self.n + 1);
  choose_instructions(&self);
  find_targets(&self);
  g_string_append_c(self.out, '\n');
  append_sentence(&self, nothing
                             ? nothing
                             : _("A processor says a little late where it was: the time may belong to the "
                                 "instruction before."));
  append_inlined_elsewhere(&self);
  for (guint i = 0; i < n_parts; i++)
    append_part(&self, &parts[i]);
  append_elsewhere(&self);
  fwrite(self.out->str, 1, self.out->len, stdout);
}
