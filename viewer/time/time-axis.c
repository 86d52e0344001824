/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/time/time-axis.h"

#include <math.h>

#include "viewer/kit/format.h"

#define SECOND G_GUINT64_CONSTANT(1000000000)
#define MINUTE (60 * SECOND)

/* Nearer than this nothing is sampled. */
enum { SHORTEST = 1000 };

static guint64 get_shortest(const ViewerTimeAxis *self)
{
  return MIN(SHORTEST, self->high - self->low);
}

void viewer_time_axis_init(ViewerTimeAxis *self, guint64 low, guint64 high)
{
  self->low = self->first = MIN(low, G_MAXUINT64 - 1);
  self->high = self->end = MAX(high, self->low + 1);
  self->width = 1;
}

void viewer_time_axis_set_limits(ViewerTimeAxis *self, guint64 low, guint64 high)
{
  gboolean all = viewer_time_axis_shows_all(self);
  guint64 first = self->first, end = self->end;
  double width = self->width;

  viewer_time_axis_init(self, low, high);
  self->width = width;
  if (!all && first < self->high && end > self->low)
    viewer_time_axis_show(self, first, end);
}

void viewer_time_axis_set_width(ViewerTimeAxis *self, double width)
{
  self->width = MAX(width, 1);
}

double viewer_time_axis_get_scale(const ViewerTimeAxis *self)
{
  return (double)(self->end - self->first) / self->width;
}

gboolean viewer_time_axis_shows_all(const ViewerTimeAxis *self)
{
  return self->first == self->low && self->end == self->high;
}

double viewer_time_axis_get_x(const ViewerTimeAxis *self, guint64 time)
{
  double distance = time >= self->first ? (double)(time - self->first) : -(double)(self->first - time);

  return distance / viewer_time_axis_get_scale(self);
}

/* base + distance, no less than low and no more than high. */
static guint64 time_axis_add(guint64 base, double distance, guint64 low, guint64 high)
{
  if (distance >= 0)
    return distance >= (double)(high - base) ? high : MIN(base + (guint64)distance, high);
  return -distance >= (double)(base - low) ? low : MAX(base - (guint64)-distance, low);
}

guint64 viewer_time_axis_get_time(const ViewerTimeAxis *self, double x)
{
  return time_axis_add(self->first, round(x * viewer_time_axis_get_scale(self)), self->low, self->high);
}

gboolean viewer_time_axis_show(ViewerTimeAxis *self, guint64 first, guint64 end)
{
  ViewerTimeAxis old = *self;
  guint64 shortest = get_shortest(self);

  first = CLAMP(first, self->low, self->high - shortest);
  end = MIN(end, self->high);
  self->first = first;
  self->end = end > first && end - first >= shortest ? end : first + shortest;
  return self->first != old.first || self->end != old.end;
}

gboolean viewer_time_axis_zoom(ViewerTimeAxis *self, double factor, double x)
{
  double share = CLAMP(x / self->width, 0, 1), span = (double)(self->end - self->first);
  double wanted = CLAMP(span / factor, (double)get_shortest(self), (double)(self->high - self->low));
  guint64 first = time_axis_add(self->first, share * (span - wanted), self->low, self->high);

  if (wanted >= (double)(self->high - self->low))
    return viewer_time_axis_show(self, self->low, self->high);
  first = MIN(first, self->high - (guint64)wanted);
  return viewer_time_axis_show(self, first, first + (guint64)wanted);
}

gboolean viewer_time_axis_pan(ViewerTimeAxis *self, double pixels)
{
  guint64 span = self->end - self->first;
  guint64 first =
      time_axis_add(self->first, pixels * viewer_time_axis_get_scale(self), self->low, self->high);

  first = MIN(first, self->high - span);
  return viewer_time_axis_show(self, first, first + span);
}

/* 1, 2, 5, 10 … up to a second, then what clocks count in. */
guint64 viewer_time_axis_get_step(const ViewerTimeAxis *self, double distance)
{
  static const guint64 round_seconds[] = {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600};
  double wanted = MAX(viewer_time_axis_get_scale(self) * distance, 1);

  for (guint64 ten = 1; ten < SECOND; ten *= 10)
    for (guint i = 0; i < 3; i++)
      if ((double)(ten * round_seconds[i]) >= wanted)
        return ten * round_seconds[i];
  for (guint i = 0; i < G_N_ELEMENTS(round_seconds); i++)
    if ((double)(SECOND * round_seconds[i]) >= wanted)
      return SECOND * round_seconds[i];
  double hours = ceil(wanted / (double)(60 * MINUTE));
  return hours * (double)(60 * MINUTE) < (double)G_MAXINT64 ? (guint64)hours * 60 * MINUTE : G_MAXINT64;
}

guint64 viewer_time_axis_get_first_tick(const ViewerTimeAxis *self, guint64 step)
{
  guint64 rest = (self->first - self->low) % step, tick = self->first;

  if (rest > 0 && __builtin_add_overflow(tick, step - rest, &tick))
    return G_MAXUINT64;
  return tick;
}

char *viewer_time_axis_format(const ViewerTimeAxis *self, guint64 time, guint64 step)
{
  return viewer_format_time(time > self->low ? time - self->low : 0, step);
}

char *viewer_time_axis_format_exactly(const ViewerTimeAxis *self, guint64 time)
{
  return viewer_time_axis_format(self, time, (guint64)viewer_time_axis_get_scale(self));
}

char *viewer_time_axis_format_span(const ViewerTimeAxis *self, guint64 first, guint64 end)
{
  return viewer_format_span(MAX(first, self->low) - self->low, MAX(end, self->low) - self->low);
}
