/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/code.h"

#include <glib/gi18n.h>
#include <string.h>

#include "profile/naming/disassembler.h"
#include "viewer/kit/format.h"

/* Longer jumps are not drawn: nobody sees both ends. */
enum { JUMP_ROWS_MAX = 5000 };

/* While rows are made. */
typedef struct {
  ViewerCode *code;
  const ViewerSourceRequest *request;
  GHashTable *sources; /* path → ProfileSourceFile */
  GArray *rows;
  guint32 *row_of; /* one an instruction */
} Making;

static ProfileSourceFile *get_source(const Making *making, const char *path)
{
  ProfileSourceFile *source = g_hash_table_lookup(making->sources, path);

  if (!source) {
    source = viewer_source_request_open(making->request, path);
    g_hash_table_insert(making->sources, g_strdup(path), source);
  }
  return source;
}

/* Whether it is of the file that the function itself is in. */
static gboolean is_own_file(const ProfileInstruction *instruction)
{
  return instruction->n_frames > 0 &&
         g_strcmp0(profile_instruction_get_frame(instruction, instruction->n_frames - 1)->file,
                   instruction->file) == 0;
}

/* "12  x = y;", or "mix.h:12 (inlined mix)  x = y;" */
static char *describe_place(const Making *making, const ProfileInstruction *instruction)
{
  g_autofree char *base = viewer_format_binary(instruction->file);
  g_autofree char *line =
      profile_source_file_get_line(get_source(making, instruction->file), instruction->line);
  g_autofree char *text = line ? viewer_format_name(g_strstrip(line), 0) : g_strdup("");
  const char *name = instruction->n_frames > 1 ? profile_instruction_get_frame(instruction, 0)->name : NULL;
  g_autofree char *shown = name ? viewer_format_short_name(name) : NULL;
  g_autofree char *inlined = shown ? g_strdup_printf(_(" (inlined %s)"), shown) : NULL;

  if (is_own_file(instruction) && !inlined && *text)
    return g_strdup_printf("%u  %s", instruction->line, text);
  return g_strdup_printf("%s:%u%s  %s", base, instruction->line, inlined ? inlined : "", text);
}

static void append_title(Making *making, guint32 instruction, char *title)
{
  ViewerCodeRow row = {.instruction = instruction, .title = title};

  g_array_append_val(making->rows, row);
}

static void append_instruction(Making *making, guint32 number)
{
  ViewerCodeRow row = {.instruction = number};

  making->row_of[number] = making->rows->len;
  g_array_append_val(making->rows, row);
}

static void append_part(Making *making, const ProfileDisassemblyPart *part)
{
  const ProfileInstruction *before = NULL;

  for (guint32 i = part->first; i < part->first + part->n; i++) {
    const ProfileInstruction *instruction = &making->code->instructions[i];
    if (instruction->file && instruction->line > 0 &&
        (!before || !profile_instruction_has_same_place(before, instruction)))
      append_title(making, i, describe_place(making, instruction));
    if (instruction->file)
      before = instruction;
    append_instruction(making, i);
  }
}

static void append_parts(Making *making)
{
  guint n;
  const ProfileDisassemblyPart *parts = profile_disassembly_get_parts(making->code->disassembly, &n);

  for (guint i = 0; i < n; i++) {
    g_autofree char *address = g_strdup_printf("%" G_GINT64_MODIFIER "x", parts[i].address);
    if (n > 1 && parts[i].n > 0)
      append_title(making, parts[i].first, g_strdup_printf(_("Part at 0x%s"), address));
    append_part(making, &parts[i]);
    if (parts[i].status != PROFILE_CODE_DECODED && !making->code->notice)
      making->code->notice = profile_disassembly_explain(making->code->disassembly, &parts[i]);
  }
  if (!making->code->notice && making->code->n_instructions == 0)
    making->code->notice = profile_disassembly_explain(making->code->disassembly, NULL);
}

/* Jumps. */

static guint8 get_lanes(const Making *making, guint32 first, guint32 last)
{
  guint8 used = 0;

  for (guint32 i = first; i <= last; i++) {
    const ViewerCodeLanes *lanes = &g_array_index(making->rows, ViewerCodeRow, i).lanes;
    used |= (guint8)(lanes->above | lanes->below);
  }
  return used;
}

/* In the free lane that is nearest to the instructions; where none is, not at all. */
static void place_jump(Making *making, const ProfileJump *jump)
{
  guint32 from = making->row_of[jump->from], to = making->row_of[jump->to];
  guint32 first = MIN(from, to), last = MAX(from, to);

  if (first == last || last - first > JUMP_ROWS_MAX)
    return;
  guint8 used = get_lanes(making, first, last), lane = 1;
  while (lane && used & lane)
    lane = (guint8)(lane << 1);
  for (guint32 i = first; i <= last; i++) {
    ViewerCodeLanes *lanes = &g_array_index(making->rows, ViewerCodeRow, i).lanes;
    lanes->above |= i > first ? lane : 0;
    lanes->below |= i < last ? lane : 0;
    lanes->leaving |= i == from ? lane : 0;
    lanes->arriving |= i == to ? lane : 0;
  }
}

static gint compare_lengths(gconstpointer a, gconstpointer b)
{
  const ProfileJump *left = a, *right = b;
  guint32 left_length = left->from > left->to ? left->from - left->to : left->to - left->from;
  guint32 right_length = right->from > right->to ? right->from - right->to : right->to - right->from;

  return left_length < right_length ? -1 : left_length > right_length;
}

/* The short ones first, so that they lie inside the long ones. */
static void place_jumps(Making *making)
{
  guint32 n;
  const ProfileJump *found = profile_disassembly_get_jumps(making->code->disassembly, &n);
  g_autofree ProfileJump *jumps = g_memdup2(found, n * sizeof *jumps);

  if (n > 0)
    qsort(jumps, n, sizeof *jumps, compare_lengths);
  for (guint32 i = 0; i < n; i++)
    place_jump(making, &jumps[i]);
}

static void make_rows(ViewerCode *self, const ViewerSourceRequest *request)
{
  Making making = {.code = self, .request = request};

  making.sources =
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)profile_source_file_free);
  making.rows = g_array_new(FALSE, FALSE, sizeof(ViewerCodeRow));
  making.row_of = g_new0(guint32, self->n_instructions + 1);
  append_parts(&making);
  place_jumps(&making);
  self->n_rows = making.rows->len;
  self->rows = (ViewerCodeRow *)(gpointer)g_array_free(making.rows, FALSE);
  g_free(making.row_of);
  g_hash_table_unref(making.sources);
}

void viewer_code_help(const ViewerCode *self, ViewerSourceRequest *request)
{
  if (self && self->function == request->function &&
      profile_stacks_get_capture(self->stacks) == profile_filter_get_capture(request->filter))
    request->code = profile_function_code_ref(self->code);
}

gpointer viewer_code_new(gpointer data)
{
  const ViewerSourceRequest *request = data;
  ViewerCode *self = g_new0(ViewerCode, 1);
  ProfileCapture *capture = profile_filter_get_capture(request->filter);

  self->code = request->code ? profile_function_code_ref(request->code)
                             : profile_disassembler_decode(capture, request->function, NULL, NULL);
  if (!self->code)
    self->code = profile_function_code_new(capture, request->function);
  self->stacks = profile_stacks_ref(profile_filter_get_stacks(request->filter));
  self->function = request->function;
  self->disassembly = profile_disassembly_new(request->filter, request->function, self->code);
  self->instructions = profile_disassembly_get_instructions(self->disassembly, &self->n_instructions);
  self->hottest = profile_disassembly_find_hottest(self->disassembly);
  make_rows(self, request);
  return self;
}

void viewer_code_free(gpointer data)
{
  ViewerCode *self = data;

  for (guint32 i = 0; i < self->n_rows; i++)
    g_free(self->rows[i].title);
  g_free(self->rows);
  g_free(self->notice);
  profile_disassembly_free(self->disassembly);
  profile_function_code_unref(self->code);
  profile_stacks_unref(self->stacks);
  g_free(self);
}

/* Asking. */

/* Rows of instructions ascend as they do. */
guint32 viewer_code_get_row(const ViewerCode *self, guint32 instruction)
{
  guint32 first = 0, end = self->n_rows;

  while (first < end) {
    guint32 middle = first + (end - first) / 2;
    const ViewerCodeRow *row = &self->rows[middle];
    if (row->instruction < instruction || (row->instruction == instruction && row->title))
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

guint32 viewer_code_get_line(const ViewerCode *self, guint32 number, const char *file)
{
  const ProfileInstruction *instruction = &self->instructions[number];

  for (guint32 i = 0; i < instruction->n_frames; i++)
    if (g_strcmp0(profile_instruction_get_frame(instruction, i)->file, file) == 0)
      return profile_instruction_get_frame(instruction, i)->line;
  return g_strcmp0(instruction->file, file) == 0 ? instruction->line : 0;
}

guint32 viewer_code_find(const ViewerCode *self, const char *file, guint32 line)
{
  guint32 found = PROFILE_DISASSEMBLY_NOWHERE;
  guint64 most = 0;

  for (guint32 i = 0; i < self->n_instructions; i++) {
    guint64 own = profile_disassembly_measure(self->disassembly, self->instructions[i].self);
    if (viewer_code_get_line(self, i, file) != line)
      continue;
    if (found == PROFILE_DISASSEMBLY_NOWHERE || own > most) {
      found = i;
      most = own;
    }
  }
  return found;
}

double viewer_code_get_heat(const ViewerCode *self, guint32 instruction)
{
  if (self->hottest == PROFILE_DISASSEMBLY_NOWHERE)
    return 0;
  guint64 most = profile_disassembly_measure(self->disassembly, self->instructions[self->hottest].self);
  guint64 own = profile_disassembly_measure(self->disassembly, self->instructions[instruction].self);
  return most > 0 ? (double)own / (double)most : 0;
}

char *viewer_code_format_share(const ViewerCode *self, ProfileWeight weight)
{
  if (weight.count == 0)
    return g_strdup("");
  return viewer_format_share(
      profile_disassembly_measure(self->disassembly, weight),
      profile_disassembly_measure(self->disassembly, profile_disassembly_get_sum(self->disassembly)));
}

char *viewer_code_format(const ViewerCode *self, guint32 number)
{
  const ProfileInstruction *instruction = &self->instructions[number];

  return instruction->target ? g_strdup_printf("%s <%s>", instruction->text, instruction->target)
                             : g_strdup(instruction->text);
}

guint32 viewer_code_find_target(const ViewerCode *self, guint32 number)
{
  const char *target = self->instructions[number].target;
  gsize n = profile_stacks_get_n_functions(self->stacks);

  if (!target)
    return G_MAXUINT32;
  g_autofree char *name = g_strdup(target);
  char *end = g_str_has_suffix(name, "@plt") ? name + strlen(name) - strlen("@plt") : strstr(name, "+0x");
  if (end)
    *end = '\0';
  for (guint32 i = 0; i < n; i++)
    if (strcmp(profile_stacks_get_function_name(self->stacks, i), name) == 0)
      return i;
  return G_MAXUINT32;
}
