/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "pmu/term=value,…/" and the events that a PMU names in sysfs. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/recorder/events/event.h"
#include "helpers/text-file.h"
#include "libcapture/format/capture-format.h"

#define DEVICES   "/sys/bus/event_source/devices"
#define WORD_MAX  64
#define TERMS_MAX 256

/* Keeps names inside of sysfs. */
static bool is_word(const char *text)
{
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  size_t length = strlen(text);
  return length != 0 && length < WORD_MAX && text[0] != '.' && strspn(text, allowed) == length;
}

static uint64_t *config_word(struct recorder_event_type *event, const char *name, size_t length)
{
  static const char *const names[] = {"config", "config1", "config2"};
  uint64_t *words[] = {&event->config, &event->config1, &event->config2};
  for (size_t i = 0; i < 3; i++)
    if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
      return words[i];
  return NULL;
}

/* Spreads value over the bits that a format file lists, as in "config:0-7,32-35"; false when it does not fit.
 */
static bool place_bits(struct recorder_event_type *event, const char *format, uint64_t value)
{
  const char *colon = strchr(format, ':');
  uint64_t *word = colon != NULL ? config_word(event, format, (size_t)(colon - format)) : NULL;
  if (word == NULL)
    return false;
  for (const char *at = colon + 1; *at != '\0' && *at != '\n';) {
    char *end;
    unsigned long first = strtoul(at, &end, 10), last = first;
    if (end == at)
      return false;
    if (*end == '-')
      last = strtoul(end + 1, &end, 10);
    if (first > last || last > 63)
      return false;
    unsigned width = (unsigned)(last - first) + 1;
    uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    *word = (*word & ~(mask << first)) | (value & mask) << first;
    value = width == 64 ? 0 : value >> width;
    at = *end == ',' ? end + 1 : end;
    if (*end != ',' && *end != '\0' && *end != '\n')
      return false;
  }
  return value == 0;
}

static int set_term(struct recorder_event_type *event, const char *pmu, const char *name, uint64_t value)
{
  uint64_t *word = config_word(event, name, strlen(name));
  if (word != NULL) {
    *word = value;
    return 0;
  }
  char path[512], format[256];
  snprintf(path, sizeof path, DEVICES "/%s/format/%s", pmu, name);
  if (text_file_read(path, format, sizeof format) < 0)
    return -ENOENT;
  return place_bits(event, format, value) ? 0 : -ERANGE;
}

static int set_terms(struct recorder_event_type *event, const char *pmu, const char *text, bool named,
                     char *ret_bad);

/* A word alone: an event that the PMU names, or a flag of its format. */
static int set_word(struct recorder_event_type *event, const char *pmu, const char *word, bool named,
                    char *ret_bad)
{
  char path[512], terms[TERMS_MAX];
  snprintf(path, sizeof path, DEVICES "/%s/events/%s", pmu, word);
  if (named && text_file_read(path, terms, sizeof terms) > 0)
    return set_terms(event, pmu, terms, false, ret_bad);
  return set_term(event, pmu, word, 1);
}

/* Sets terms separated by commas. `named`: names of events may stand there. The one that is wrong is left in
 * ret_bad. */
static int set_terms(struct recorder_event_type *event, const char *pmu, const char *text, bool named,
                     char *ret_bad)
{
  char copy[TERMS_MAX], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *term = strtok_r(copy, ",\n", &rest); term != NULL; term = strtok_r(NULL, ",\n", &rest)) {
    char *value = strchr(term, '='), *end = NULL;
    uint64_t number = 0;
    snprintf(ret_bad, WORD_MAX, "%s", term);
    if (value != NULL) {
      *value++ = '\0';
      errno = 0;
      number = strtoull(value, &end, 0);
      if (end == value || *end != '\0' || errno != 0)
        return -EINVAL;
    }
    if (!is_word(term))
      return -EINVAL;
    int result =
        value != NULL ? set_term(event, pmu, term, number) : set_word(event, pmu, term, named, ret_bad);
    if (result < 0)
      return result;
  }
  return 0;
}

static int pmu_type(struct recorder_event_type *ret, const char *pmu)
{
  char path[512];
  snprintf(path, sizeof path, DEVICES "/%s/type", pmu);
  int64_t type = text_file_number(path, -1);
  if (type < 0)
    return -ENOENT;
  ret->type = (uint32_t)type;
  ret->unit = CAPTURE_UNIT_COUNT;
  return 0;
}

/* The first PMU that names an event so. */
static int named_event(struct recorder_event_type *ret, const char *name)
{
  DIR *directory = is_word(name) ? opendir(DEVICES) : NULL;
  if (directory == NULL)
    return -ENOENT;
  int result = -ENOENT;
  for (struct dirent *entry; result < 0 && (entry = readdir(directory)) != NULL;) {
    char path[512], terms[TERMS_MAX], bad[WORD_MAX];
    if (!is_word(entry->d_name))
      continue;
    snprintf(path, sizeof path, DEVICES "/%s/events/%s", entry->d_name, name);
    if (text_file_read(path, terms, sizeof terms) > 0 && pmu_type(ret, entry->d_name) == 0)
      result = set_terms(ret, entry->d_name, terms, false, bad);
  }
  closedir(directory);
  return result;
}

int recorder_event_pmu(struct recorder_event_type *ret, const char *name, struct recorder_error *error)
{
  const char *slash = strchr(name, '/');
  if (slash == NULL)
    return named_event(ret, name);
  char pmu[RECORDER_EVENT_NAME_MAX], terms[RECORDER_EVENT_NAME_MAX], bad[WORD_MAX] = "";
  snprintf(pmu, sizeof pmu, "%.*s", (int)(slash - name), name);
  size_t length = strlen(slash + 1);
  if (!is_word(pmu) || length == 0 || slash[length] != '/')
    return -ENOENT;
  snprintf(terms, sizeof terms, "%.*s", (int)(length - 1), slash + 1);
  if (pmu_type(ret, pmu) < 0)
    return recorder_error_set(error, ENOENT,
                              "There is no PMU “%s”: " DEVICES "/ lists those of this machine.", pmu);
  if (set_terms(ret, pmu, terms, true, bad) < 0)
    return recorder_error_set(
        error, EINVAL, "The PMU “%s” does not take “%s”: " DEVICES "/%s/events and format say what it takes.",
        pmu, bad, pmu);
  return 0;
}
