/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Colours are chosen in OKLCH, where equal steps look equal: a scheme has one lightness, so that no function
 * looks more important than another, and hues stand apart from each other by equal angles.
 */
#include "viewer/kit/palette.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum { HUES = 14, SHADES = 2, COLORS = HUES * SHADES, KERNEL = COLORS, UNKNOWN, N_COLORS };

/* Functions of one colour differ a little, so that neighbours can be told apart. */
enum { TINTS = 3 };

struct _ViewerPalette {
  ProfileStacks *stacks;
  ViewerPaletteMode mode;
  ViewerScheme scheme;
  gsize n_functions;
  guint8 *chosen; /* one a function: 1 + index into colors and their tints; 0: not asked for yet */
  ViewerColor neutral;
  ViewerColor colors[N_COLORS * TINTS]; /* by binary the kernel's and that of unknown memory come last */
};

ViewerScheme viewer_scheme_get_current(void)
{
  AdwStyleManager *style = adw_style_manager_get_default();

  return (ViewerScheme){adw_style_manager_get_dark(style), adw_style_manager_get_high_contrast(style)};
}

static float palette_encode(double linear)
{
  linear = CLAMP(linear, 0, 1);
  return (float)(linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055);
}

/* FALSE: no screen has that colour; the nearest one is returned. */
static gboolean palette_convert(double lightness, double chroma, double hue, GdkRGBA *ret)
{
  double a = chroma * cos(hue * G_PI / 180), b = chroma * sin(hue * G_PI / 180);
  double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  double red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  double green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  double blue = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;

  *ret = (GdkRGBA){palette_encode(red), palette_encode(green), palette_encode(blue), 1};
  return MIN(red, MIN(green, blue)) >= -1e-4 && MAX(red, MAX(green, blue)) <= 1 + 1e-4;
}

static ViewerColor make_color(double lightness, double chroma, double hue, ViewerScheme scheme)
{
  float text = scheme.dark ? 1 : scheme.high_contrast ? 0 : 0.1f;
  ViewerColor color = {.text = {text, text, text, 1}};

  while (!palette_convert(lightness, chroma, hue, &color.fill) && chroma > 0)
    chroma -= 0.005;
  return color;
}

/* As far from the ground as the text on it lets it be. */
static double get_lightness(gboolean strong, ViewerScheme scheme)
{
  if (scheme.dark)
    return (scheme.high_contrast ? 0.41 : 0.50) + (strong ? 0.04 : 0);
  return (scheme.high_contrast ? 0.77 : 0.83) - (strong ? 0.07 : 0);
}

/* FNV-1a, and a last step that lets every bit count. */
static guint32 hash_text(const char *text, gsize length)
{
  guint32 hash = 2166136261u;

  for (gsize i = 0; i < length; i++)
    hash = (hash ^ (guchar)text[i]) * 16777619u;
  hash = (hash ^ hash >> 16) * 0x7feb352du;
  hash = (hash ^ hash >> 15) * 0x846ca68bu;
  return hash ^ hash >> 16;
}

/* A library keeps its colour when it moves or its version changes. */
static guint choose_color(const char *name)
{
  const char *slash = strrchr(name, '/'), *base = slash && slash[1] ? slash + 1 : name;
  const char *end = strstr(base, ".so");

  return hash_text(base, end ? (gsize)(end - base) : strlen(base)) % COLORS;
}

static ViewerColor make_name_color(guint index, ViewerScheme scheme)
{
  return make_color(get_lightness(index >= HUES, scheme), scheme.dark ? 0.085 : 0.095,
                    index % HUES * 360.0 / HUES + 10, scheme);
}

ViewerColor viewer_palette_of_name(const char *name, ViewerScheme scheme)
{
  return make_name_color(choose_color(name), scheme);
}

/* Those that stand beside each other most often differ in lightness too, for who sees hues badly. */
ViewerColor viewer_palette_of_kind(ProfileKind kind, ViewerScheme scheme)
{
  static const struct {
    double chroma, hue;
    gboolean strong;
  } kinds[PROFILE_KINDS] = {
      [PROFILE_KIND_PROGRAM] = {0.10, 250, FALSE},  [PROFILE_KIND_LIBRARY] = {0.09, 160, FALSE},
      [PROFILE_KIND_TOOLKIT] = {0.09, 195, TRUE},   [PROFILE_KIND_LANGUAGE] = {0.10, 300, TRUE},
      [PROFILE_KIND_C_LIBRARY] = {0.10, 100, TRUE}, [PROFILE_KIND_KERNEL] = {0.11, 35, FALSE},
      [PROFILE_KIND_RUN_TIME] = {0.10, 340, FALSE}, [PROFILE_KIND_UNKNOWN] = {0, 0, FALSE}};

  return make_color(get_lightness(kinds[kind].strong, scheme), kinds[kind].chroma, kinds[kind].hue, scheme);
}

/* A grey that unknown memory does not have, whatever its tint. */
ViewerColor viewer_palette_of_root(ViewerScheme scheme)
{
  double light = scheme.high_contrast ? 0.95 : 0.73, dark = scheme.high_contrast ? 0.25 : 0.37;

  return make_color(scheme.dark ? dark : light, 0, 0, scheme);
}

const char *viewer_kind_get_label(ProfileKind kind)
{
  static const char *const labels[PROFILE_KINDS] = {
      [PROFILE_KIND_PROGRAM] = N_("Program"),           [PROFILE_KIND_LIBRARY] = N_("Library"),
      [PROFILE_KIND_TOOLKIT] = N_("Toolkit"),           [PROFILE_KIND_LANGUAGE] = N_("Language"),
      [PROFILE_KIND_C_LIBRARY] = N_("C Library"),       [PROFILE_KIND_KERNEL] = N_("Kernel"),
      [PROFILE_KIND_RUN_TIME] = N_("Made at Run Time"), [PROFILE_KIND_UNKNOWN] = N_("Unknown")};

  return _(labels[kind]);
}

guint viewer_palette_find_kinds(ProfileStacks *stacks)
{
  const guint32 *functions = profile_stacks_get_functions(stacks);
  gsize n = profile_stacks_get_n_nodes(stacks);
  g_autofree guint8 *seen = g_new0(guint8, profile_stacks_get_n_functions(stacks));
  guint kinds = 0;

  for (gsize node = 1; node < n; node++) {
    if (!seen[functions[node]])
      kinds |= 1u << profile_kind_of_function(stacks, functions[node]);
    seen[functions[node]] = TRUE;
  }
  return kinds;
}

/* Tints go away from the text's colour, so that it is read no worse. */
static void set_color(ViewerPalette *self, guint index, ViewerColor color)
{
  float to = self->scheme.dark ? 0 : 1;

  for (guint tint = 0; tint < TINTS; tint++) {
    float part = (float)tint * (self->scheme.dark ? 0.07f : self->scheme.high_contrast ? 0.10f : 0.14f);
    ViewerColor *tinted = &self->colors[index * TINTS + tint];
    *tinted = color;
    tinted->fill.red += (to - color.fill.red) * part;
    tinted->fill.green += (to - color.fill.green) * part;
    tinted->fill.blue += (to - color.fill.blue) * part;
  }
}

ViewerPalette *viewer_palette_new(ProfileStacks *stacks, ViewerPaletteMode mode, ViewerScheme scheme)
{
  ViewerPalette *self = g_new0(ViewerPalette, 1);

  self->stacks = profile_stacks_ref(stacks);
  self->mode = mode;
  self->scheme = scheme;
  self->n_functions = profile_stacks_get_n_functions(stacks);
  self->chosen = g_new0(guint8, self->n_functions);
  self->neutral = viewer_palette_of_root(scheme);
  for (guint i = 0; mode == VIEWER_PALETTE_BINARY && i < COLORS; i++)
    set_color(self, i, make_name_color(i, scheme));
  set_color(self, KERNEL, viewer_palette_of_kind(PROFILE_KIND_KERNEL, scheme));
  set_color(self, UNKNOWN, viewer_palette_of_kind(PROFILE_KIND_UNKNOWN, scheme));
  for (guint i = 0; mode == VIEWER_PALETTE_KIND && i < PROFILE_KINDS; i++)
    set_color(self, i, viewer_palette_of_kind((ProfileKind)i, scheme));
  return self;
}

void viewer_palette_free(ViewerPalette *self)
{
  profile_stacks_unref(self->stacks);
  g_free(self->chosen);
  g_free(self);
}

ViewerScheme viewer_palette_get_scheme(const ViewerPalette *self)
{
  return self->scheme;
}

static guint palette_choose(const ViewerPalette *self, guint32 function)
{
  if (self->mode == VIEWER_PALETTE_KIND)
    return profile_kind_of_function(self->stacks, function);
  const char *binary = profile_stacks_get_function_binary(self->stacks, function);
  if (strcmp(binary, "[unknown]") == 0)
    return UNKNOWN;
  return strcmp(binary, "[kernel]") == 0 ? KERNEL : choose_color(binary);
}

const ViewerColor *viewer_palette_get(ViewerPalette *self, guint32 function)
{
  if (function >= self->n_functions)
    return &self->neutral;
  if (!self->chosen[function]) {
    const char *name = profile_stacks_get_function_name(self->stacks, function);
    guint tint = hash_text(name, strlen(name)) % TINTS;
    self->chosen[function] = (guint8)(1 + palette_choose(self, function) * TINTS + tint);
  }
  return &self->colors[self->chosen[function] - 1];
}

ViewerColor viewer_palette_get_match(const ViewerPalette *self)
{
  static const ViewerColor match = {.fill = {0.973f, 0.894f, 0.361f, 1}, .text = {0, 0, 0, 1}};

  return match;
}

ViewerColor viewer_palette_get_rest(const ViewerPalette *self)
{
  return make_color(self->scheme.dark ? 0.33 : 0.93, 0, 0, self->scheme);
}

GdkRGBA viewer_color_mix(const ViewerColor *color, float share)
{
  const GdkRGBA *fill = &color->fill, *text = &color->text;

  return (GdkRGBA){fill->red + (text->red - fill->red) * share,
                   fill->green + (text->green - fill->green) * share,
                   fill->blue + (text->blue - fill->blue) * share, 1};
}

ViewerColor viewer_palette_dim(const ViewerPalette *self, const ViewerColor *color)
{
  float ground = self->scheme.dark ? 0.14f : 1, text = self->scheme.dark ? 0.85f : 0.25f;
  float left = self->scheme.high_contrast ? 0.35f : 0.25f, rest = 1 - left;

  if (self->scheme.high_contrast)
    text = self->scheme.dark ? 1 : 0;
  return (ViewerColor){.fill = {color->fill.red * left + ground * rest,
                                color->fill.green * left + ground * rest,
                                color->fill.blue * left + ground * rest, 1},
                       .text = {text, text, text, 1}};
}
