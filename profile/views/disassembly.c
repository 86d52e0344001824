/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/disassembly.h"

#include <glib/gi18n.h>

#include "code/code-instructions.h"
#include "profile/base/memory.h"
#include "profile/capture/capture-private.h"
#include "profile/capture/machine-code.h"
#include "profile/capture/measure.h"
#include "profile/views/recorded-nodes.h"

G_STATIC_ASSERT((int)PROFILE_INSTRUCTION_CALL == CODE_CALL && (int)PROFILE_INSTRUCTION_RETURN == CODE_RETURN);

struct _ProfileDisassembly {
  ProfileCapture *capture; /* whose texts and places instructions refer to */
  guint32 function;
  enum capture_unit unit;
  ProfileWeight sum, self, total, self_elsewhere;
  GArray *instructions; /* ProfileInstruction */
  GArray *parts;        /* ProfileDisassemblyPart */
  GArray *jumps;        /* ProfileJump */
  GStringChunk *texts;
};

/* What is needed while samples are counted. */
typedef struct {
  ProfileDisassembly *shown;
  const ProfileCodePart *parts;
  guint n_parts;
  ProfileRecordedNodes nodes;
  guint32 *open; /* one an instruction, and behind them of the function: how often it is on the path to the
                    node in hand */
  GArray *path;  /* Step */
} Counting;

/* An instruction on that path; of the function itself: their number. */
typedef struct {
  guint32 node, instruction;
} Step;

static ProfileInstruction *get_instruction(const ProfileDisassembly *self, guint32 number)
{
  return &g_array_index(self->instructions, ProfileInstruction, number);
}

/* The part with instructions that holds an address as frames have it; or NULL. code: of which it is, or
 * NOWHERE. */
static const ProfileCodePart *find_part(const ProfileCodePart *parts, guint n, guint32 code, guint64 address)
{
  for (guint i = 0; i < n; i++)
    if (parts[i].code == code && parts[i].start <= address && address < parts[i].end && parts[i].instructions)
      return &parts[i];
  return NULL;
}

/* The number of the instruction that holds an address, or begins there; or NOWHERE. */
static guint32 find_instruction(const ProfileDisassembly *self, const ProfileCodePart *parts, guint n,
                                guint32 code, guint64 address, gboolean begins)
{
  const ProfileCodePart *part = find_part(parts, n, code, address);
  guint64 there = part ? part->instructions->address + (address - part->start) : 0;
  const struct code_instruction *found = part ? code_instructions_find(part->instructions, there) : NULL;

  if (!found || (begins && found->address != there))
    return PROFILE_DISASSEMBLY_NOWHERE;
  return g_array_index(self->parts, ProfileDisassemblyPart, part - parts).first +
         (guint32)(found - code_instructions_get(part->instructions));
}

static void set_source(ProfileDisassembly *self, const ProfileCodePart *part, guint64 address,
                       ProfileInstruction *instruction)
{
  ProfilePlaces *places = profile_capture_get_places(self->capture, part->binary);
  const ProfilePlace *place = NULL;
  const char *inlined;
  guint32 n_all;

  if (part->code != G_MAXUINT32) {
    profile_code_get_line(&g_array_index(self->capture->code, ProfileCode, part->code), address,
                          &instruction->file, &instruction->line, &inlined);
    return;
  }
  if (places)
    place = profile_places_lookup(places, address);
  if (places && !place) /* a caller's is known at the last byte of its call */
    place = profile_places_lookup(places, address + instruction->size - 1);
  if (!place)
    return;
  instruction->frames = profile_places_get_frames(places, &n_all);
  instruction->numbers = profile_places_get_numbers(places, place);
  instruction->n_frames = place->n_frames;
  instruction->file = profile_instruction_get_frame(instruction, 0)->file;
  instruction->line = instruction->file ? profile_instruction_get_frame(instruction, 0)->line : 0;
}

/* "memcpy@plt", "mix+0x10", or NULL. */
static const char *make_target(ProfileDisassembly *self, const ProfileCodePart *part, guint64 address)
{
  const ProfileFunctionTable *tables[] = {
      part->code == G_MAXUINT32 ? profile_capture_get_table(self->capture, part->binary) : NULL,
      part->targets};
  const ProfileFunctionRange *range = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(tables) && !range; i++)
    range = tables[i] ? profile_function_table_lookup(tables[i], address) : NULL;
  if (!range)
    return NULL;
  if (range->start == address)
    return g_string_chunk_insert(self->texts, range->name);
  g_autofree char *name =
      g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", range->name, address - range->start);
  return g_string_chunk_insert(self->texts, name);
}

static void add_instruction(ProfileDisassembly *self, const ProfileCodePart *part,
                            const struct code_instruction *decoded)
{
  const char *text = (const char *)part->instructions + decoded->text;
  ProfileInstruction instruction = {
      .address = decoded->address,
      .text = g_string_chunk_insert_len(self->texts, text, decoded->text_length),
      .size = decoded->size,
      .kind = (ProfileInstructionKind)decoded->kind,
      .jump = PROFILE_DISASSEMBLY_NOWHERE,
  };

  set_source(self, part, part->start + (decoded->address - part->instructions->address), &instruction);
  g_array_append_val(self->instructions, instruction);
}

static void add_part(ProfileDisassembly *self, const ProfileCodePart *part)
{
  const struct code_instructions *instructions = part->instructions;
  ProfileDisassemblyPart shown = {.address = instructions ? instructions->address : part->start,
                                  .length = part->end - part->start,
                                  .status = part->status,
                                  .first = self->instructions->len,
                                  .n = instructions ? instructions->n_instructions : 0};

  if (part->code != G_MAXUINT32)
    shown.time = g_array_index(self->capture->code, ProfileCode, part->code).time;
  else if (part->binary != G_MAXUINT32)
    shown.binary = g_array_index(self->capture->binaries, ProfileBinary, part->binary).path;
  for (guint32 i = 0; i < shown.n; i++)
    add_instruction(self, part, &code_instructions_get(instructions)[i]);
  g_array_append_val(self->parts, shown);
}

static gboolean is_jump(const ProfileInstruction *instruction)
{
  return instruction->kind == PROFILE_INSTRUCTION_JUMP ||
         instruction->kind == PROFILE_INSTRUCTION_CONDITIONAL_JUMP;
}

/* Where direct jumps and calls of a part lead to. */
static void link_part(ProfileDisassembly *self, const ProfileCodePart *parts, guint n, guint number)
{
  const ProfileCodePart *part = &parts[number];
  const ProfileDisassemblyPart *shown = &g_array_index(self->parts, ProfileDisassemblyPart, number);

  for (guint32 i = 0; i < shown->n; i++) {
    const struct code_instruction *decoded = &code_instructions_get(part->instructions)[i];
    guint64 target = decoded->target - part->instructions->address + part->start;
    ProfileInstruction *instruction = get_instruction(self, shown->first + i);

    if (decoded->target == 0)
      continue;
    if (is_jump(instruction))
      instruction->jump = find_instruction(self, parts, n, part->code, target, TRUE);
    if (instruction->jump == PROFILE_DISASSEMBLY_NOWHERE) {
      instruction->target = make_target(self, part, target);
    } else {
      const ProfileJump jump = {shown->first + i, instruction->jump};
      g_array_append_val(self->jumps, jump);
    }
  }
}

/* The instruction that a node of the function stands for. */
static guint32 find_node(const Counting *self, guint32 node)
{
  const ProfileCapture *capture = self->shown->capture;
  const ProfileFrame *frame = &capture->frames[capture->frame[node]];
  guint32 code = frame->kind == PROFILE_SPACE_CODE ? frame->owner : G_MAXUINT32;
  guint64 address = capture->exact[node] ? frame->address : frame->address - 1;

  return find_instruction(self->shown, self->parts, self->n_parts, code, address, FALSE);
}

static void take_step(Counting *self, guint32 node, guint32 instruction, ProfileWeight *total)
{
  const Step step = {node, instruction};

  if (self->open[instruction]++ == 0)
    profile_weight_add(total, self->nodes.totals[node]);
  g_array_append_val(self->path, step);
}

static void disassembly_enter(guint32 node, gpointer data)
{
  Counting *self = data;
  ProfileDisassembly *shown = self->shown;
  ProfileWeight taken = self->nodes.selfs[node];
  guint32 instruction;

  if (shown->capture->names.of_node[node] != shown->function)
    return;
  profile_weight_add(&shown->self, taken);
  take_step(self, node, shown->instructions->len, &shown->total);
  instruction = find_node(self, node);
  if (instruction == PROFILE_DISASSEMBLY_NOWHERE) {
    profile_weight_add(&shown->self_elsewhere, taken);
    return;
  }
  profile_weight_add(&get_instruction(shown, instruction)->self, taken);
  take_step(self, node, instruction, &get_instruction(shown, instruction)->total);
}

static void disassembly_leave(guint32 node, gpointer data)
{
  Counting *self = data;
  GArray *path = self->path;

  while (path->len > 0 && g_array_index(path, Step, path->len - 1).node == node) {
    self->open[g_array_index(path, Step, path->len - 1).instruction]--;
    g_array_set_size(path, path->len - 1);
  }
}

static void disassembly_count(ProfileDisassembly *self, const ProfileFilter *filter,
                              const ProfileCodePart *parts, guint n)
{
  Counting counting = {.shown = self, .parts = parts, .n_parts = n};

  counting.open = profile_new0(guint32, self->instructions->len + 1);
  counting.path = g_array_new(FALSE, FALSE, sizeof(Step));
  profile_recorded_nodes_init(&counting.nodes, filter);
  self->sum = counting.nodes.totals[0];
  profile_recorded_nodes_walk(&counting.nodes, disassembly_enter, disassembly_leave, &counting);
  profile_recorded_nodes_clear(&counting.nodes);
  g_array_unref(counting.path);
  g_free(counting.open);
}

ProfileDisassembly *profile_disassembly_new(const ProfileFilter *filter, guint32 function,
                                            ProfileFunctionCode *code)
{
  ProfileDisassembly *self = g_new0(ProfileDisassembly, 1);
  guint n;
  const ProfileCodePart *parts = profile_function_code_get_parts(code, &n);

  self->capture = g_object_ref(profile_filter_get_capture(filter));
  self->function = function;
  self->unit =
      profile_measure_get_unit(profile_capture_get_event(self->capture, profile_filter_get_event(filter)));
  self->instructions = g_array_new(FALSE, FALSE, sizeof(ProfileInstruction));
  self->parts = g_array_new(FALSE, FALSE, sizeof(ProfileDisassemblyPart));
  self->jumps = g_array_new(FALSE, FALSE, sizeof(ProfileJump));
  self->texts = g_string_chunk_new(1 << 14);
  for (guint i = 0; i < n; i++)
    add_part(self, &parts[i]);
  for (guint i = 0; i < n; i++)
    link_part(self, parts, n, i);
  disassembly_count(self, filter, parts, n);
  return self;
}

void profile_disassembly_free(ProfileDisassembly *self)
{
  g_object_unref(self->capture);
  g_array_unref(self->instructions);
  g_array_unref(self->parts);
  g_array_unref(self->jumps);
  g_string_chunk_free(self->texts);
  g_free(self);
}

const ProfileInstruction *profile_disassembly_get_instructions(const ProfileDisassembly *self, guint32 *n)
{
  *n = self->instructions->len;
  return (const ProfileInstruction *)(gconstpointer)self->instructions->data;
}

const ProfileDisassemblyPart *profile_disassembly_get_parts(const ProfileDisassembly *self, guint *n)
{
  *n = self->parts->len;
  return (const ProfileDisassemblyPart *)(gconstpointer)self->parts->data;
}

const ProfileJump *profile_disassembly_get_jumps(const ProfileDisassembly *self, guint32 *n)
{
  *n = self->jumps->len;
  return (const ProfileJump *)(gconstpointer)self->jumps->data;
}

static gint disassembly_compare_heat(const ProfileDisassembly *self, const ProfileInstruction *a,
                                     const ProfileInstruction *b)
{
  gint order = profile_weight_compare(self->unit, &a->self, &b->self);

  return order ? order : profile_weight_compare(self->unit, &a->total, &b->total);
}

gboolean profile_instruction_has_same_place(const ProfileInstruction *a, const ProfileInstruction *b)
{
  return a->line == b->line && g_strcmp0(a->file, b->file) == 0 && a->n_frames == b->n_frames &&
         (a->n_frames == 0 || g_strcmp0(profile_instruction_get_frame(a, 0)->name,
                                        profile_instruction_get_frame(b, 0)->name) == 0);
}

guint32 profile_disassembly_find_hottest(const ProfileDisassembly *self)
{
  guint32 n;
  const ProfileInstruction *all = profile_disassembly_get_instructions(self, &n);
  guint32 hottest = PROFILE_DISASSEMBLY_NOWHERE;

  for (guint32 i = 0; i < n; i++)
    if (all[i].total.count > 0 && (hottest == PROFILE_DISASSEMBLY_NOWHERE ||
                                   disassembly_compare_heat(self, &all[i], &all[hottest]) < 0))
      hottest = i;
  return hottest;
}

ProfileWeight profile_disassembly_get_sum(const ProfileDisassembly *self)
{
  return self->sum;
}

ProfileWeight profile_disassembly_get_self(const ProfileDisassembly *self)
{
  return self->self;
}

ProfileWeight profile_disassembly_get_total(const ProfileDisassembly *self)
{
  return self->total;
}

ProfileWeight profile_disassembly_get_self_elsewhere(const ProfileDisassembly *self)
{
  return self->self_elsewhere;
}

guint64 profile_disassembly_measure(const ProfileDisassembly *self, ProfileWeight weight)
{
  return profile_weight_measure(self->unit, weight);
}

/* Why there is no part. */
static const char *explain_nothing(const ProfileDisassembly *self)
{
  const ProfileNames *names = &self->capture->names;
  const ProfileFunction *function =
      self->function < names->n_functions ? &names->functions[self->function] : NULL;

  if (!function)
    return _("A transform made this function of others; it has no machine code of its own.");
  if (function->kind == CAPTURE_SPACE_IDENTIFIERS)
    return _("This function is known by name alone: it is interpreted, or nothing tells where its machine "
             "code is.");
  if (function->range)
    return _("This function was inlined wherever it was sampled: its instructions stand among those of the "
             "functions that hold it.");
  return _("Nothing says where this code begins and ends: it has no symbol and no unwind information.");
}

static char *explain_no_file(const ProfileDisassemblyPart *part)
{
  if (part->length > PROFILE_MACHINE_CODE_MAX)
    return g_strdup_printf(_("No capture has a copy of more than 256 KiB of machine code of one function, "
                             "and “%s” is not here as "
                             "it was mapped, or cannot be read: look at the capture where it was recorded."),
                           part->binary);
  return g_strdup_printf(
      _("The capture has no copy of this machine code, and “%s” is not here as it was mapped, or cannot be "
        "read: look at the capture where it was recorded, or record again with a larger --code."),
      part->binary);
}

char *profile_disassembly_explain(const ProfileDisassembly *self, const ProfileDisassemblyPart *part)
{
  if (!part)
    return self->parts->len == 0 ? g_strdup(explain_nothing(self)) : NULL;
  switch (part->status) {
  case PROFILE_CODE_NO_FILE:
    return explain_no_file(part);
  case PROFILE_CODE_NO_KERNEL:
    return g_strdup(
        _("The capture has no copy of this machine code of the kernel, and it cannot be read here: "
          "record as root, on a kernel that shows its memory (/proc/kcore)."));
  case PROFILE_CODE_NOT_TOLD:
    return g_strdup(_("The program made this machine code at run time and left no copy: have its runtime "
                      "write a jitdump (“--perf-prof” of Node.js), and record again."));
  case PROFILE_CODE_TOO_LARGE:
    return g_strdup(_("This is more than 1 MiB of machine code, which is not decoded."));
  case PROFILE_CODE_NO_READER:
    return g_strdup(_("The program capture-code-reader is not installed, which decodes machine code."));
  case PROFILE_CODE_FAILED:
    return g_strdup(_("The process that decodes machine code failed at this."));
  default:
    return NULL;
  }
}
