#include "twins.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct suspect {
  size_t kernel;
  double strength, other; /* for alpha; for the other one */
  int twin;               /* of one before */
} suspect;

static int by_kernel(const void *a, const void *b) {
  const suspect *x = a, *y = b;
  return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static int by_strength(const void *a, const void *b) {
  const suspect *x = a, *y = b;
  if (x->strength != y->strength) return x->strength < y->strength ? 1 : -1;
  return by_kernel(a, b);
}

/* By falling strength, each number once. */
static size_t put_in_order(suspect *list, size_t count) {
  size_t kept = 0;
  qsort(list, count, sizeof *list, by_strength);
  for (size_t k = 0; k < count; k++)
    if (kept == 0 || list[k].kernel != list[kept - 1].kernel) list[kept++] = list[k];
  return kept;
}

static int any_alike(const suspect *list, size_t count) {
  for (size_t k = 1; k < count; k++)
    if (mk_as_strong(list[k - 1].strength, list[k].strength)) return 1;
  return 0;
}

/* Alphas times factors that follow no pattern of the rows: multiples of the golden ratio. */
static void vary(const double *alpha, size_t n, size_t tasks, double *out) {
  for (size_t i = 0; i < n * tasks; i++)
    out[i] = alpha[i] * (0.5 + fmod(0.6180339887498949 * (double)(i % n), 1.0));
}

static mk_status ask_again(const mk_stream *stream, const double *alpha, size_t tasks,
                           const mk_control *control, suspect *list, size_t count) {
  size_t n = stream->samples;
  double *strength = MK_NEW(double, count), *varied = MK_NEW(double, n *tasks);
  size_t *which = MK_NEW(size_t, count);
  int complete = strength != NULL && varied != NULL && which != NULL;
  mk_status status = complete ? MK_OK : MK_NO_MEMORY;
  if (complete) {
    qsort(list, count, sizeof *list, by_kernel);
    for (size_t k = 0; k < count; k++) which[k] = list[k].kernel;
    vary(alpha, n, tasks, varied);
    mk_scan scan = {
        .alpha = varied, .tasks = tasks, .which = which, .count = count, .strength = strength};
    status = stream->strengths(stream->self, &scan, control);
    for (size_t k = 0; k < count; k++) list[k].other = strength[k];
    qsort(list, count, sizeof *list, by_strength);
  }
  mk_free(strength);
  mk_free(varied);
  mk_free(which);
  return status;
}

static int is_twin(const suspect *list, size_t k) {
  for (size_t j = k; j-- > 0 && mk_as_strong(list[j].strength, list[k].strength);) {
    double x = fmax(list[j].other, list[k].other), y = fmin(list[j].other, list[k].other);
    if (!list[j].twin && mk_as_strong(x, y)) return 1;
  }
  return 0;
}

mk_status mk_part_twins(const mk_stream *stream, const double *alpha, size_t tasks,
                        const mk_control *control, size_t *kernel, double *strength,
                        size_t *count) {
  size_t kept = 0, all = *count;
  suspect *list = MK_NEW(suspect, all);
  if (list == NULL && all > 0) return MK_NO_MEMORY;
  for (size_t k = 0; k < all; k++) list[k] = (suspect){kernel[k], strength[k], 0.0, 0};
  all = put_in_order(list, all);
  mk_status status = MK_OK;
  if (any_alike(list, all)) status = ask_again(stream, alpha, tasks, control, list, all);
  for (size_t k = 0; status == MK_OK && k < all; k++) {
    list[k].twin = is_twin(list, k);
    if (list[k].twin) continue;
    kernel[kept] = list[k].kernel;
    strength[kept++] = list[k].strength;
  }
  mk_free(list);
  *count = kept;
  return status;
}
