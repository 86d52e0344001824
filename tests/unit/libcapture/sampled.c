/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampled.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcapture/file/capture-reader.h"

#define EPOCHS_MAX 256

struct values {
  uint64_t *at; /* by identifier; 0: none */
  size_t size;
};

struct epoch {
  struct values spaces;  /* base + 1 */
  struct values frames;  /* space << 32 | offset */
  struct values nodes;   /* parent << 32 | frame */
  struct values threads; /* tid */
};

struct decoder {
  struct sampled *sampled;
  struct epoch epochs[EPOCHS_MAX];
};

static void insist(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "Bail out! The capture is wrong: %s\n", what);
  abort();
}

static void set(struct values *values, uint32_t id, uint64_t value)
{
  if (id >= values->size) {
    size_t size = (size_t)id * 2 + 64;

    values->at = realloc(values->at, size * sizeof values->at[0]);
    insist(values->at != NULL, "no memory");
    memset(values->at + values->size, 0, (size - values->size) * sizeof values->at[0]);
    values->size = size;
  }
  insist(values->at[id] == 0, "an identifier is defined twice");
  values->at[id] = value;
}

static uint64_t get(const struct values *values, uint32_t id)
{
  insist(id < values->size && values->at[id] != 0, "an identifier is not defined");
  return values->at[id];
}

static void define_nodes(struct epoch *epoch, const struct capture_record_nodes *record)
{
  struct capture_nodes_position position = {0};
  struct capture_node node;

  while (capture_nodes_next(record, &position, &node)) {
    insist(!node.join && node.parent < node.id, "a node's parent does not come before it");
    set(&epoch->nodes, node.id, (uint64_t)node.parent << 32 | node.frame);
  }
}

static void take_message(struct sampled *sampled, const struct capture_record_message *message)
{
  size_t length = strlen(sampled->messages);

  snprintf(sampled->messages + length, sizeof sampled->messages - length, "%.*s\n", (int)message->length,
           message->text);
}

static void take_record(struct decoder *decoder, struct epoch *epoch, const struct capture_record *record)
{
  const struct capture_record_space *space = (const void *)record;
  const struct capture_record_frames *frames = (const void *)record;
  const struct capture_record_thread *thread = (const void *)record;
  const struct capture_record_lost *lost = (const void *)record;

  insist(capture_record_is_valid(record), "a record is not valid");
  if (record->type == CAPTURE_RECORD_SPACE)
    set(&epoch->spaces, space->id, space->base + 1);
  else if (record->type == CAPTURE_RECORD_NODES)
    define_nodes(epoch, (const void *)record);
  else if (record->type == CAPTURE_RECORD_THREAD)
    set(&epoch->threads, thread->id, (uint32_t)thread->tid);
  else if (record->type == CAPTURE_RECORD_LOST)
    decoder->sampled->lost += lost->samples;
  else if (record->type == CAPTURE_RECORD_MESSAGE)
    take_message(decoder->sampled, (const void *)record);
  else if (record->type == CAPTURE_RECORD_FRAMES)
    for (uint32_t i = 0; i < record->count; i++)
      set(&epoch->frames, frames->first + i,
          (uint64_t)frames->frames[i].space << 32 | frames->frames[i].offset);
}

static void find_stack(const struct epoch *epoch, uint32_t leaf, struct sampled_sample *ret)
{
  while (leaf != 0) {
    uint64_t node = get(&epoch->nodes, leaf), frame = get(&epoch->frames, (uint32_t)node);

    insist(ret->count < SAMPLED_FRAMES_MAX, "a stack is too deep");
    ret->frames[ret->count++] = get(&epoch->spaces, (uint32_t)(frame >> 32)) - 1 + (uint32_t)frame;
    leaf = (uint32_t)(node >> 32);
  }
}

static void take_samples(struct decoder *decoder, const struct epoch *epoch,
                         const struct capture_window_header *header, const uint8_t *content)
{
  struct sampled *sampled = decoder->sampled;
  size_t n = header->length / header->entry_size;

  if (n == 0)
    return;
  sampled->samples = realloc(sampled->samples, (sampled->count + n) * sizeof sampled->samples[0]);
  insist(sampled->samples != NULL, "no memory");
  for (size_t i = 0; i < n; i++) {
    const struct capture_sample *entry = (const void *)(content + i * header->entry_size);
    struct sampled_sample *sample = &sampled->samples[sampled->count++];

    sample->time = header->time_first + entry->time;
    sample->weight = header->entry_size > 16 ? entry->weight : header->weight;
    sample->detail = header->entry_size > 24 ? entry->detail : 0;
    sample->event = header->event;
    sample->outcome = entry->outcome;
    sample->tid = entry->thread ? (int32_t)get(&epoch->threads, entry->thread) : 0;
    sample->count = 0;
    find_stack(epoch, entry->leaf, sample);
    insist(sample->time <= header->time_last, "a sample is later than its window");
  }
}

static void take_part(struct decoder *decoder, const capture_reader *reader, size_t number, void **buffer,
                      size_t *buffer_size)
{
  const struct capture_window_header *header = &capture_reader_part(reader, number)->header;
  struct epoch *epoch = &decoder->epochs[header->epoch];
  const struct capture_record *record;
  const uint8_t *content;
  size_t length, position = 0;

  insist(capture_reader_content(reader, number, buffer, buffer_size, &content, &length) == 0,
         "a part is damaged");
  insist(header->epoch < EPOCHS_MAX, "too many epochs");
  if (header->kind == CAPTURE_WINDOW_SAMPLES)
    take_samples(decoder, epoch, header, content);
  if (header->kind != CAPTURE_WINDOW_DICTIONARY && header->kind != CAPTURE_WINDOW_RECORDS)
    return;
  while ((record = capture_records_next(content, length, &position)) != NULL)
    take_record(decoder, epoch, record);
  insist(position == length, "a record's size makes no sense");
}

static void complain(const struct capture_problem *problem, void *data)
{
  (void)data;
  insist(false, problem->message);
}

void sampled_read(struct sampled *ret, int fd)
{
  const struct capture_reader_options options = {.size = sizeof options, .problem = complain};
  struct decoder *decoder = calloc(1, sizeof *decoder);
  capture_reader *reader;
  size_t buffer_size = 0;
  void *buffer = NULL;

  memset(ret, 0, sizeof *ret);
  insist(decoder != NULL, "no memory");
  decoder->sampled = ret;
  insist(capture_reader_open(&reader, fd, &options) == 0, "it cannot be opened");
  for (size_t i = 0; i < capture_reader_n_parts(reader); i++)
    take_part(decoder, reader, i, &buffer, &buffer_size);
  capture_reader_close(reader);
  free(buffer);
  for (size_t i = 0; i < EPOCHS_MAX; i++) {
    free(decoder->epochs[i].spaces.at);
    free(decoder->epochs[i].frames.at);
    free(decoder->epochs[i].nodes.at);
    free(decoder->epochs[i].threads.at);
  }
  free(decoder);
}

void sampled_clear(struct sampled *sampled)
{
  free(sampled->samples);
  memset(sampled, 0, sizeof *sampled);
}

uint64_t sampled_weight(const struct sampled *sampled, int32_t tid)
{
  uint64_t weight = 0;

  for (size_t i = 0; i < sampled->count; i++) {
    if (tid == 0 || sampled->samples[i].tid == tid)
      weight += sampled->samples[i].weight;
  }
  return weight;
}
