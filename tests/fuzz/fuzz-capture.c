/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads any bytes (fuzz-input.h) as a capture and looks at all that came of it. Bit 1 walks instead of using
 * the index. */
#include <stdlib.h>
#include <unistd.h>

#include "code/code-disassemble.h"
#include "profile/views/annotation.h"
#include "profile/views/chart.h"
#include "profile/views/disassembly.h"
#include "profile/views/mark-rows.h"
#include "profile/views/tree.h"
#include "tests/fuzz/fuzz-input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(gboolean holds)
{
  if (!holds)
    abort();
}

static void check_siblings(const guint32 *parents, gsize n)
{
  g_autofree guint8 *ended = g_new0(guint8, n);

  for (gsize i = 2; i < n; i++) {
    ended[parents[i - 1]] |= parents[i] != parents[i - 1];
    expect(!ended[parents[i]]);
  }
}

/* Every index leads somewhere, parents come before children, and siblings stand side by side. */
static void check_nodes(ProfileCapture *capture)
{
  const guint32 *parents, *frames, *functions = profile_capture_get_node_functions(capture);
  gsize n, n_frames, n_functions;

  profile_capture_get_nodes(capture, &parents, &frames, &n);
  profile_capture_get_frames(capture, &n_frames);
  profile_capture_get_functions(capture, &n_functions);
  for (gsize i = 0; i < n; i++) {
    const char *file, *inlined;
    guint32 line;
    expect((i == 0 || parents[i] < i) && frames[i] < n_frames && functions[i] < n_functions);
    profile_capture_get_node_line(capture, (guint32)i, &file, &line, &inlined);
  }
  check_siblings(parents, n);
  for (gsize i = 0; i < n_functions; i++) {
    expect(profile_capture_get_function_name(capture, (guint32)i) != NULL);
    expect(profile_capture_get_function_binary(capture, (guint32)i) != NULL);
  }
}

/* In order, beside each other, with frames that have all of their names or none. */
static void check_places_of(const ProfilePlaces *places)
{
  gsize n;
  const ProfilePlace *all = profile_places_get(places, &n);

  for (gsize i = 0; i < n; i++) {
    expect(all[i].start < all[i].end && all[i].n_frames > 0 && (i == 0 || all[i - 1].end <= all[i].start));
    for (guint32 j = 0; j < all[i].n_frames; j++) {
      const ProfilePlaceFrame *frame = profile_places_get_frame(places, &all[i], j);

      expect(!frame->name == !frame->linkage_name);
    }
  }
}

static void check_places(ProfileCapture *capture)
{
  guint n;

  profile_capture_get_binaries(capture, &n);
  for (guint i = 0; i <= n; i++) {
    ProfilePlaces *places = profile_capture_get_places(capture, i < n ? i : G_MAXUINT32);

    if (places)
      check_places_of(places);
  }
}

static void check_event(ProfileCapture *capture, const ProfileEvent *event)
{
  const guint32 *parents, *frames;
  guint n_threads;
  gsize n;

  profile_capture_get_nodes(capture, &parents, &frames, &n);
  profile_capture_get_threads(capture, &n_threads);
  for (gsize i = 0; i < event->n_samples; i++)
    expect(event->leaf[i] < n && event->thread[i] < n_threads &&
           (i == 0 || event->time[i - 1] <= event->time[i]));
}

static void check_told(ProfileCapture *capture)
{
  gsize n_marks, n_code, n_log;
  guint n_threads, n_processes, n_counters;
  const ProfileMark *marks = profile_capture_get_marks(capture, &n_marks);
  const ProfileCode *code = profile_capture_get_code(capture, &n_code);
  const ProfileLogLine *lines = profile_capture_get_log(capture, &n_log);
  const ProfileCounter *counters = profile_capture_get_counters(capture, &n_counters);

  profile_capture_get_threads(capture, &n_threads);
  profile_capture_get_processes(capture, &n_processes);
  for (gsize i = 0; i < n_marks; i++)
    expect(marks[i].thread < n_threads && marks[i].name && (i == 0 || marks[i - 1].time <= marks[i].time));
  for (gsize i = 0; i < n_code; i++)
    expect(code[i].process < n_processes && (i == 0 || code[i - 1].time <= code[i].time));
  for (gsize i = 0; i < n_log; i++)
    expect(lines[i].thread < n_threads && lines[i].text);
  for (guint i = 0; i < n_counters; i++)
    for (gsize j = 1; j < counters[i].n; j++)
      expect(counters[i].time[j - 1] <= counters[i].time[j]);
}

/* A prefix tree by function, and every node of what was transformed leads into it. */
static void check_stacks(const ProfileStacks *before, const ProfileStacks *after)
{
  const guint32 *parents = profile_stacks_get_parents(after), *map = profile_stacks_get_map(after);
  const guint32 *functions = profile_stacks_get_functions(after);
  gsize n = profile_stacks_get_n_nodes(after);

  expect(n <= profile_stacks_get_n_nodes(before));
  for (gsize i = 1; i < n; i++)
    expect(parents[i] < i && functions[i] < profile_stacks_get_n_functions(after));
  check_siblings(parents, n);
  for (gsize i = 0; i < profile_stacks_get_n_nodes(before); i++)
    expect(map[i] < n || map[i] == PROFILE_STACKS_DROPPED);
}

/* Boxes lie in the span, those of one depth beside each other. */
static void check_chart(ProfileSequence *sequence, guint64 first, guint64 end, guint n_columns)
{
  g_autoptr(ProfileChart) chart = profile_chart_new(sequence, first, end, n_columns);
  guint n;
  const ProfileChartBox *boxes = profile_chart_get_boxes(chart, &n);

  for (guint i = 0; i < n; i++) {
    expect(first <= boxes[i].start && boxes[i].start < boxes[i].end && boxes[i].end <= end);
    expect(i == 0 || boxes[i - 1].depth < boxes[i].depth || boxes[i - 1].end <= boxes[i].start);
  }
}

/* Every kind, of what leads to the last sample. */
static void transform(ProfileFilter *filter)
{
  ProfileStacks *own = profile_filter_get_stacks(filter);
  const ProfileEvent *event = profile_capture_get_event(profile_stacks_get_capture(own), 0);
  const guint32 *parents = profile_stacks_get_parents(own), *functions = profile_stacks_get_functions(own);
  guint32 node = event->n_samples > 0 ? event->leaf[event->n_samples - 1] : 0, path[4] = {0};
  ProfileTransform wanted = {.function = functions[node], .path = path};

  for (; node && wanted.n_path < G_N_ELEMENTS(path); node = parents[node])
    path[wanted.n_path++] = functions[node];
  wanted.binary = profile_stacks_get_function(own, wanted.function)->binary;
  for (guint kind = 0; kind <= PROFILE_TRANSFORM_COLLAPSE_RECURSION; kind++) {
    wanted.kind = (ProfileTransformKind)kind;
    g_autoptr(ProfileStacks) stacks = profile_stacks_transform(own, &wanted);
    g_autoptr(ProfileFilter) changed = profile_filter_copy(filter);
    check_stacks(own, stacks);
    profile_filter_set_stacks(changed, stacks);
    g_autoptr(ProfileWeights) weights = profile_weights_new(changed);
    expect(profile_weights_get_sum(weights).count <= event->n_samples);
    g_autoptr(ProfileSequence) sequence = profile_sequence_new(changed, PROFILE_SEQUENCE_ALL);
    check_chart(sequence, 0, G_MAXUINT64, 100);
    check_chart(sequence, 1000, G_MAXUINT32, 10);
  }
}

/* What the lines of a function have is what it has, lines ascend, and nothing is more than its whole. */
static void check_annotation(const ProfileFilter *filter, guint32 function)
{
  g_autoptr(ProfileAnnotation) annotation = profile_annotation_new(filter, function);
  guint64 self = profile_annotation_get_self_without_line(annotation).count;
  guint64 total = profile_annotation_get_total(annotation).count;
  gsize n;
  const ProfileAnnotationFile *files = profile_annotation_get_files(annotation, &n);

  for (gsize i = 0; i < n; i++) {
    const ProfileAnnotationLine *lines = profile_annotation_get_lines(annotation, &files[i]);
    for (guint32 k = 0; k < files[i].n_lines; k++) {
      const ProfileAnnotationInlined *inlined = profile_annotation_get_inlined(annotation, &lines[k]);
      self += lines[k].self.count;
      expect(lines[k].line > (k > 0 ? lines[k - 1].line : 0) && lines[k].self.count <= lines[k].total.count &&
             lines[k].total.count <= total);
      for (guint32 j = 0; j < lines[k].n_inlined; j++)
        expect(inlined[j].name && inlined[j].total.count <= lines[k].total.count);
    }
  }
  expect(self == profile_annotation_get_self(annotation).count && self <= total);
  expect(total <= profile_annotation_get_sum(annotation).count);
}

/* From the capture's copies alone, as a code-reader would. */
static void decode(ProfileCapture *capture, ProfileFunctionCode *code)
{
  guint n;
  ProfileCodePart *parts = profile_function_code_get_parts(code, &n);

  for (guint i = 0; i < n; i++) {
    const ProfileMachineCode *kept =
        parts[i].code == G_MAXUINT32 ? profile_capture_get_machine_code(capture, parts[i].binary) : NULL;
    const ProfileCodeCopy *copy = kept ? profile_machine_code_lookup(kept, parts[i].start) : NULL;
    guint64 length = MIN(parts[i].end - parts[i].start, 1 << 12);

    if (copy && copy->end - parts[i].start >= length &&
        code_disassemble((const guint8 *)g_bytes_get_data(copy->bytes, NULL) + (parts[i].start - copy->start),
                         length, (uint16_t)copy->machine, copy->address + (parts[i].start - copy->start),
                         &parts[i].instructions) == 0)
      parts[i].status = PROFILE_CODE_DECODED;
  }
}

/* What the instructions of a function have is what it has, and jumps lead to instructions. */
static void check_disassembly(const ProfileFilter *filter, guint32 function)
{
  ProfileCapture *capture = profile_filter_get_capture(filter);
  g_autoptr(ProfileFunctionCode) code = profile_function_code_new(capture, function);
  decode(capture, code);
  g_autoptr(ProfileDisassembly) disassembly = profile_disassembly_new(filter, function, code);
  guint64 self = profile_disassembly_get_self_elsewhere(disassembly).count;
  guint64 total = profile_disassembly_get_total(disassembly).count;
  guint32 n, n_jumps;
  const ProfileInstruction *instructions = profile_disassembly_get_instructions(disassembly, &n);
  const ProfileJump *jumps = profile_disassembly_get_jumps(disassembly, &n_jumps);

  for (guint32 i = 0; i < n; i++) {
    self += instructions[i].self.count;
    expect(instructions[i].self.count <= instructions[i].total.count && instructions[i].total.count <= total);
  }
  for (guint32 i = 0; i < n_jumps; i++)
    expect(jumps[i].from < n && jumps[i].to < n && instructions[jumps[i].from].jump == jumps[i].to);
  expect(self == profile_disassembly_get_self(disassembly).count && self <= total);
}

/* Of the first functions: each costs a pass over the nodes. */
static void annotate(ProfileFilter *filter)
{
  gsize n;

  profile_capture_get_functions(profile_filter_get_capture(filter), &n);
  for (guint32 i = 0; i < MIN(n, 8); i++) {
    check_annotation(filter, i);
    check_disassembly(filter, i);
  }
  check_annotation(filter, G_MAXUINT32);
  check_disassembly(filter, G_MAXUINT32);
}

static void look(ProfileCapture *capture)
{
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileMarkRows) rows = profile_mark_rows_new(filter);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  g_autoptr(ProfileTree) tree = profile_tree_new(weights);
  guint n;
  const ProfileEvent *events = profile_capture_get_events(capture, &n);

  check_nodes(capture);
  check_told(capture);
  check_places(capture);
  transform(filter);
  annotate(filter);
  for (guint i = 0; i < n; i++)
    check_event(capture, &events[i]);
  profile_tree_expand_all(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *path = NULL;
  struct fuzz_input input;

  if (!fuzz_input_open(&input, data, size))
    return 0;
  path = g_strdup_printf("/proc/self/fd/%d", input.fd);
  if (write(input.fd, input.bytes, input.size) == (ssize_t)input.size) {
    g_autoptr(ProfileCapture) capture =
        profile_capture_load(path, input.how & 2 ? PROFILE_LOAD_SCAN : PROFILE_LOAD_DEFAULT, NULL, NULL);
    if (capture)
      look(capture);
  }
  fuzz_input_close(&input);
  return 0;
}
