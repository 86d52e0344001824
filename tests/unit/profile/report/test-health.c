/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is found of recordings of which it is known what is wrong with them. */
#include "profile/report/health.h"

#include <glib/gstdio.h>
#include <string.h>

#include "profile/base/share.h"
#include "tests/unit/profile/told-capture.h"

enum { SAMPLES = 100, ENDED = 5000 };

typedef struct {
  TestFile file;
  ToldStream stream;
} Recording;

static Recording begin(void)
{
  Recording recording = {.file = test_file_open(1, FALSE)};

  recording.stream = told_open_stream(&recording.file, CAPTURE_STREAM_RECORDER, "recorder");
  told_define_outside(&recording.stream);
  return recording;
}

/* The outermost frame lies in the library, which nobody has looked into for names. */
static void add_samples(Recording *recording, guint n, enum capture_outcome outcome)
{
  ToldStream *stream = &recording->stream;

  for (guint i = 0; i < n; i++) {
    struct capture_writer_sample sample = {.time = 1000 + i,
                                           .event = stream->event,
                                           .thread = stream->thread,
                                           .weight = 1000,
                                           .mode = CAPTURE_MODE_USER,
                                           .outcome = (guint8)outcome};
    guint32 frame = test_take_id(
        capture_writer_frame(stream->writer, CAPTURE_SPACE_PROCESS, stream->process, TOLD_LIBRARY + 0x10));
    sample.leaf = test_take_id(capture_writer_stack(stream->writer, 0, &frame, 1));
    g_assert_cmpint(capture_writer_sample(stream->writer, &sample), ==, 0);
  }
}

static void add_loss(Recording *recording, guint64 time, guint64 samples, guint64 records, guint32 reason)
{
  const struct capture_record_lost lost = {.record = {sizeof lost, CAPTURE_RECORD_LOST, 0},
                                           .time = time,
                                           .samples = samples,
                                           .records = records,
                                           .reason = reason};

  g_assert_cmpint(capture_writer_record(recording->stream.writer, &lost.record, time), ==, 0);
}

static ProfileHealth *end(Recording *recording)
{
  told_close_stream(&recording->stream);
  g_autoptr(ProfileCapture) capture = test_file_load(&recording->file, ENDED);
  return profile_health_new(capture);
}

static const ProfileHealthFinding *find(const ProfileHealth *health, ProfileHealthSubject subject,
                                        guint32 what)
{
  guint n;
  const ProfileHealthFinding *findings = profile_health_get_findings(health, &n);

  for (guint i = 0; i < n; i++)
    if (findings[i].subject == subject && findings[i].what == what)
      return &findings[i];
  return NULL;
}

static void test_sound(void)
{
  Recording recording = begin();
  guint n;
  guint64 first, last;

  add_samples(&recording, SAMPLES, CAPTURE_OUTCOME_COMPLETE);
  g_autoptr(ProfileHealth) health = end(&recording);
  g_assert_cmpint(profile_health_get_severity(health), ==, PROFILE_HEALTH_GOOD);
  g_assert_cmpstr(profile_health_get_summary(health), ==,
                  "100.0 % of stacks are complete, and no sample was lost.");
  g_assert_cmpuint(profile_health_get_n_samples(health), ==, SAMPLES);
  g_assert_null(profile_health_make_losses(health, 10, &first, &last));
  /* Only that names are still to be looked for. */
  profile_health_get_findings(health, &n);
  g_assert_cmpuint(n, ==, 1);
  g_assert_nonnull(find(health, PROFILE_HEALTH_NAMES, PROFILE_MISSING_NOT_SOUGHT));
}

static void test_losses(void)
{
  Recording recording = begin();
  guint64 first, last, sum = 0;

  add_samples(&recording, SAMPLES, CAPTURE_OUTCOME_COMPLETE);
  add_loss(&recording, 1001, 20, 0, CAPTURE_LOST_RING);
  add_loss(&recording, 1090, 3, 2, CAPTURE_LOST_WINDOWS);
  add_loss(&recording, 3000, 0, 4, CAPTURE_LOST_RING);
  add_loss(&recording, 3000, 1, 0, 77);
  g_autoptr(ProfileHealth) health = end(&recording);
  const ProfileHealthFinding *ring = find(health, PROFILE_HEALTH_LOSS, CAPTURE_LOST_RING);
  const ProfileHealthFinding *windows = find(health, PROFILE_HEALTH_LOSS, CAPTURE_LOST_WINDOWS);
  const ProfileHealthFinding *other = find(health, PROFILE_HEALTH_LOSS, CAPTURE_LOST_DAMAGED + 1);
  g_assert_cmpuint(ring->count, ==, 24);
  g_assert_cmpuint(ring->of, ==, SAMPLES + 30);
  g_assert_nonnull(strstr(ring->sentence, "24 samples were lost"));
  g_assert_nonnull(ring->advice);
  g_assert_cmpuint(windows->count, ==, 5);
  g_assert_cmpuint(other->count, ==, 1);
  g_assert_null(find(health, PROFILE_HEALTH_LOSS, CAPTURE_LOST_DAMAGED));
  g_assert_cmpint(profile_health_get_severity(health), ==, PROFILE_HEALTH_WARNING);
  /* Of the whole recording, as a time line has it, whenever there were samples. */
  g_autofree guint64 *bins = profile_health_make_losses(health, 20, &first, &last);
  g_assert_cmpuint(first, ==, 1);
  g_assert_cmpuint(last, ==, ENDED + 1);
  for (guint i = 0; i < 20; i++)
    sum += bins[i];
  g_assert_cmpuint(sum, ==, 30);
  g_assert_cmpuint(bins[4], ==, 25);
  g_assert_cmpuint(bins[11], ==, 5);
}

/* What is told of after the end was lost all the same. */
static void test_late_loss(void)
{
  Recording recording = begin();
  guint64 first, last;

  add_samples(&recording, SAMPLES, CAPTURE_OUTCOME_COMPLETE);
  add_loss(&recording, 1001, 3, 0, CAPTURE_LOST_RING);
  add_loss(&recording, ENDED + 100, 4, 0, CAPTURE_LOST_RING);
  g_autoptr(ProfileHealth) health = end(&recording);
  g_autofree guint64 *bins = profile_health_make_losses(health, 10, &first, &last);
  g_assert_cmpuint(first, ==, 1);
  g_assert_cmpuint(last, ==, ENDED + 101);
  g_assert_cmpuint(bins[1], ==, 3);
  g_assert_cmpuint(bins[9], ==, 4);
}

/* One in a thousand is worth a note, no warning. */
static void test_few_losses(void)
{
  Recording recording = begin();

  add_samples(&recording, 999, CAPTURE_OUTCOME_COMPLETE);
  add_loss(&recording, 1001, 1, 0, CAPTURE_LOST_RING);
  g_autoptr(ProfileHealth) health = end(&recording);
  g_assert_cmpint(profile_health_get_severity(health), ==, PROFILE_HEALTH_NOTE);
  g_assert_cmpstr(profile_health_get_summary(health), ==,
                  "100.0 % of stacks are complete, and 0.1 % of samples were lost.");
}

static void test_stacks(void)
{
  Recording recording = begin();

  add_samples(&recording, 80, CAPTURE_OUTCOME_COMPLETE);
  add_samples(&recording, 15, CAPTURE_OUTCOME_NO_TABLE);
  add_samples(&recording, 4, CAPTURE_OUTCOME_TRUNCATED);
  add_samples(&recording, 1, CAPTURE_OUTCOME_FRAME_POINTERS);
  g_autoptr(ProfileHealth) health = end(&recording);
  const ProfileHealthFinding *table = find(health, PROFILE_HEALTH_STACKS, CAPTURE_OUTCOME_NO_TABLE);
  const ProfileHealthFinding *deep = find(health, PROFILE_HEALTH_STACKS, CAPTURE_OUTCOME_TRUNCATED);
  g_assert_cmpuint(table->count, ==, 15);
  g_assert_cmpuint(table->of, ==, 100);
  g_assert_cmpint(table->severity, ==, PROFILE_HEALTH_WARNING);
  g_assert_cmpstr(table->sentence, ==, "15.0 % of stacks end in code without unwind tables, in runtime.so.");
  g_assert_nonnull(strstr(table->advice, "-fasynchronous-unwind-tables"));
  g_assert_cmpint(deep->severity, ==, PROFILE_HEALTH_NOTE);
  g_assert_cmpint(find(health, PROFILE_HEALTH_STACKS, CAPTURE_OUTCOME_FRAME_POINTERS)->severity, ==,
                  PROFILE_HEALTH_NOTE);
  g_assert_cmpstr(profile_health_get_summary(health), ==,
                  "80.0 % of stacks are complete, and no sample was lost.");
}

static void test_frame_pointers(void)
{
  Recording recording = begin();

  add_samples(&recording, SAMPLES, CAPTURE_OUTCOME_FRAME_POINTERS);
  g_autoptr(ProfileHealth) health = end(&recording);
  g_assert_cmpint(profile_health_get_severity(health), ==, PROFILE_HEALTH_NOTE);
  g_assert_nonnull(strstr(profile_health_get_summary(health), "follow frame pointers"));
}

static void test_empty(void)
{
  Recording recording = begin();

  g_autoptr(ProfileHealth) health = end(&recording);
  g_assert_cmpint(profile_health_get_severity(health), ==, PROFILE_HEALTH_NOTE);
  g_assert_cmpstr(profile_health_get_summary(health), ==, "The recording holds no samples.");
  g_assert_nonnull(find(health, PROFILE_HEALTH_EMPTY, 0)->advice);
}

static void test_messages(void)
{
  Recording recording = begin();

  add_samples(&recording, 1, CAPTURE_OUTCOME_COMPLETE);
  g_assert_cmpint(capture_file_add_message(recording.file.file, 1, 6, "the service took part"), ==, 0);
  g_assert_cmpint(capture_file_add_message(recording.file.file, 2, 3, "the recorder stumbled"), ==, 0);
  g_autoptr(ProfileHealth) health = end(&recording);
  g_assert_cmpstr(find(health, PROFILE_HEALTH_MESSAGE, 0)->sentence, ==, "the service took part");
  g_assert_cmpint(find(health, PROFILE_HEALTH_MESSAGE, 0)->severity, ==, PROFILE_HEALTH_GOOD);
  g_assert_cmpint(find(health, PROFILE_HEALTH_MESSAGE, 1)->severity, ==, PROFILE_HEALTH_WARNING);
  g_assert_cmpint(profile_health_get_severity(health), ==, PROFILE_HEALTH_WARNING);
}

static void test_many_messages(void)
{
  Recording recording = begin();

  add_samples(&recording, SAMPLES, CAPTURE_OUTCOME_COMPLETE);
  for (guint i = 0; i < 25; i++)
    g_assert_cmpint(capture_file_add_message(recording.file.file, i, i == 23 ? 3 : 6, "said again"), ==, 0);
  g_autoptr(ProfileHealth) health = end(&recording);
  g_assert_cmpstr(find(health, PROFILE_HEALTH_MESSAGE, 19)->sentence, ==, "said again");
  g_assert_cmpstr(find(health, PROFILE_HEALTH_MESSAGE, 20)->sentence, ==, "There are 25 messages in all.");
  g_assert_cmpint(find(health, PROFILE_HEALTH_MESSAGE, 20)->severity, ==, PROFILE_HEALTH_WARNING);
  g_assert_cmpint(profile_health_get_severity(health), ==, PROFILE_HEALTH_WARNING);
}

static void test_throttling(void)
{
  Recording recording = begin();
  struct capture_record_throttle throttle = {
      .record = {sizeof throttle, CAPTURE_RECORD_THROTTLE, 0}, .time = 1000, .on = 1};

  add_samples(&recording, 1, CAPTURE_OUTCOME_COMPLETE);
  g_assert_cmpint(capture_writer_record(recording.stream.writer, &throttle.record, 1000), ==, 0);
  throttle.on = 0;
  g_assert_cmpint(capture_writer_record(recording.stream.writer, &throttle.record, 1000), ==, 0);
  g_autoptr(ProfileHealth) health = end(&recording);
  g_assert_cmpuint(find(health, PROFILE_HEALTH_THROTTLED, 0)->count, ==, 1);
  g_assert_cmpint(profile_health_get_severity(health), ==, PROFILE_HEALTH_NOTE);
}

/* Parts never become the whole, nor nothing, by rounding. */
static void test_shares(void)
{
  static const struct {
    guint64 part, whole;
    const char *text;
  } cases[] = {{0, 0, "0.0 %"},
               {0, 7, "0.0 %"},
               {1, 3, "33.3 %"},
               {7, 7, "100.0 %"},
               {1, 1000000, "<0.1 %"},
               {5, 10000, "0.1 %"},
               {999999, 1000000, ">99.9 %"}};

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = profile_share_to_string(cases[i].part, cases[i].whole);
    g_assert_cmpstr(text, ==, cases[i].text);
  }
}

/* One sentence for each way in which the search for lines ended, which names the first file. */
static void test_lines(void)
{
  Recording recording = begin();
  g_autoptr(ProfilePlaces) places = profile_places_new();

  add_samples(&recording, SAMPLES, CAPTURE_OUTCOME_COMPLETE);
  told_close_stream(&recording.stream);
  g_autoptr(ProfileCapture) capture = test_file_load(&recording.file, ENDED);
  profile_places_seal(places);
  profile_capture_set_places(capture, 0, places);
  profile_capture_set_places(capture, G_MAXUINT32, places);
  for (guint outcome = CAPTURE_PLACES_COMPLETE; outcome <= CAPTURE_PLACES_LEFT; outcome++) {
    profile_places_set_outcome(places, outcome);
    g_autoptr(ProfileHealth) health = profile_health_new(capture);
    const ProfileHealthFinding *finding = find(health, PROFILE_HEALTH_LINES, outcome);

    g_assert_true((finding != NULL) == (outcome != CAPTURE_PLACES_COMPLETE));
    g_assert_true(!finding || strstr(finding->sentence, "1 other file has the same problem"));
    g_assert_true(!finding || (finding->advice != NULL) == (outcome == CAPTURE_PLACES_LEFT));
    g_assert_cmpint(profile_health_get_severity(health), ==,
                    finding ? PROFILE_HEALTH_NOTE : PROFILE_HEALTH_GOOD);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/health/sound", test_sound);
  g_test_add_func("/health/losses", test_losses);
  g_test_add_func("/health/late-loss", test_late_loss);
  g_test_add_func("/health/few-losses", test_few_losses);
  g_test_add_func("/health/stacks", test_stacks);
  g_test_add_func("/health/frame-pointers", test_frame_pointers);
  g_test_add_func("/health/empty", test_empty);
  g_test_add_func("/health/messages", test_messages);
  g_test_add_func("/health/many-messages", test_many_messages);
  g_test_add_func("/health/throttling", test_throttling);
  g_test_add_func("/health/shares", test_shares);
  g_test_add_func("/health/lines", test_lines);
  return g_test_run();
}
