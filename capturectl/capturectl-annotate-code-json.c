/* SPDX-License-Identifier: GPL-3.0-or-later */
/* docs/annotate-json.md describes what is printed. */
#include "capturectl/capturectl-annotate-private.h"
#include "capturectl/capturectl-json.h"

typedef struct {
  const ProfileDisassembly *disassembly;
  const ProfileInstruction *instructions;
  JsonBuilder *builder;
} CodeJson;

static const char *const kinds[] = {[PROFILE_INSTRUCTION_PLAIN] = "plain",
                                    [PROFILE_INSTRUCTION_JUMP] = "jump",
                                    [PROFILE_INSTRUCTION_CONDITIONAL_JUMP] = "conditional-jump",
                                    [PROFILE_INSTRUCTION_CALL] = "call",
                                    [PROFILE_INSTRUCTION_RETURN] = "return"};
static const char *const statuses[] = {
    [PROFILE_CODE_DECODED] = "decoded",     [PROFILE_CODE_NOT_SOUGHT] = "not-sought",
    [PROFILE_CODE_NO_FILE] = "no-file",     [PROFILE_CODE_NO_KERNEL] = "no-kernel",
    [PROFILE_CODE_NOT_TOLD] = "not-told",   [PROFILE_CODE_TOO_LARGE] = "too-large",
    [PROFILE_CODE_NO_READER] = "no-reader", [PROFILE_CODE_FAILED] = "failed"};

static void add_address(const CodeJson *json, const char *name, guint64 address)
{
  g_autofree char *text = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", address);

  capturectl_json_string(json->builder, name, text);
}

/* The functions that were inlined there, innermost first. */
static void add_inlined(const CodeJson *json, const ProfileInstruction *instruction)
{
  capturectl_json_array(json->builder, "inlined");
  for (guint32 i = 0; i + 1 < instruction->n_frames; i++)
    if (profile_instruction_get_frame(instruction, i)->name)
      capturectl_json_item(json->builder, profile_instruction_get_frame(instruction, i)->name);
  json_builder_end_array(json->builder);
}

static void add_instruction(const CodeJson *json, const ProfileInstruction *instruction)
{
  json_builder_begin_object(json->builder);
  add_address(json, "address", instruction->address);
  capturectl_json_int(json->builder, "size", instruction->size);
  capturectl_json_string(json->builder, "text", instruction->text);
  capturectl_json_string(json->builder, "kind", kinds[instruction->kind]);
  capturectl_json_int(json->builder, "self", (gint64)instruction->self.count);
  capturectl_json_int(json->builder, "total", (gint64)instruction->total.count);
  capturectl_json_int(json->builder, "self_weight", (gint64)instruction->self.weight);
  capturectl_json_int(json->builder, "total_weight", (gint64)instruction->total.weight);
  if (instruction->jump != PROFILE_DISASSEMBLY_NOWHERE)
    add_address(json, "jump", json->instructions[instruction->jump].address);
  else
    capturectl_json_string(json->builder, "jump", NULL);
  capturectl_json_string(json->builder, "target", instruction->target);
  capturectl_json_string(json->builder, "file", instruction->file);
  capturectl_json_int(json->builder, "line", instruction->line);
  add_inlined(json, instruction);
  json_builder_end_object(json->builder);
}

static void add_part(const CodeJson *json, const ProfileDisassemblyPart *part)
{
  g_autofree char *missing = profile_disassembly_explain(json->disassembly, part);

  json_builder_begin_object(json->builder);
  capturectl_json_string(json->builder, "binary", part->binary);
  add_address(json, "address", part->address);
  capturectl_json_int(json->builder, "length", (gint64)part->length);
  capturectl_json_int(json->builder, "time", (gint64)part->time);
  capturectl_json_string(json->builder, "status", statuses[part->status]);
  capturectl_json_string(json->builder, "missing", missing);
  capturectl_json_array(json->builder, "instructions");
  for (guint32 i = 0; i < part->n; i++)
    add_instruction(json, &json->instructions[part->first + i]);
  json_builder_end_array(json->builder);
  json_builder_end_object(json->builder);
}

void capturectl_annotate_code_json(const CapturectlAnnotate *self, JsonBuilder *builder)
{
  const ProfileDisassembly *disassembly = self->disassembly;
  CodeJson json = {.disassembly = disassembly, .builder = builder};
  g_autofree char *missing = profile_disassembly_explain(disassembly, NULL);
  guint32 n;
  guint n_parts;
  const ProfileDisassemblyPart *parts = profile_disassembly_get_parts(disassembly, &n_parts);

  json.instructions = profile_disassembly_get_instructions(disassembly, &n);
  capturectl_json_object(builder, "code");
  capturectl_json_int(builder, "self", (gint64)profile_disassembly_get_self(disassembly).count);
  capturectl_json_int(builder, "total", (gint64)profile_disassembly_get_total(disassembly).count);
  capturectl_json_int(builder, "self_elsewhere",
                      (gint64)profile_disassembly_get_self_elsewhere(disassembly).count);
  capturectl_json_string(builder, "missing", missing);
  capturectl_json_array(builder, "parts");
  for (guint i = 0; i < n_parts; i++)
    add_part(&json, &parts[i]);
  json_builder_end_array(builder);
  json_builder_end_object(builder);
}
