/* Weighted degree kernels and their sums over support vectors against the plain definition. */
#include "base/memory.h"
#include "base/threads.h"
#include "check.h"
#include "data.h"
#include "exact/expansion.h"
#include "exact/means.h"
#include "string/weighted-degree.h"
#include "kernel/constants.h"
#include "string/degree-scorer.h"

#include <string.h>

#define COUNT 23

typedef struct text {
  mk_sequences sequences;
  unsigned char *code;
  size_t start[COUNT + 1];
} text;

static size_t pick(size_t below) {
  size_t k = (size_t)(fabs(data_next()) * 1e6);
  return k % below;
}

/* Copies of earlier ones in part, so that there are long matches; unknown letters here and there.
 */
static void text_new(text *t, int letters, size_t least, size_t most) {
  t->code = MK_NEW(unsigned char, COUNT *most);
  t->start[0] = 0;
  for (size_t i = 0; i < COUNT; i++) {
    size_t length = least + pick(most - least + 1), from = pick(length + 1);
    unsigned char *own = t->code + t->start[i];
    t->start[i + 1] = t->start[i] + length;
    for (size_t l = 0; l < length; l++) {
      own[l] = pick(40) == 0 ? 255 : (unsigned char)pick((size_t)letters);
      if (i > 0 && l >= from && l < t->start[i] - t->start[i - 1])
        own[l] = t->code[t->start[i - 1] + l];
    }
  }
  t->sequences = (mk_sequences){COUNT, t->code, t->start, letters};
}

/* Different letters of two d-mers; -1 where one of them is not there. */
static int mismatches(const mk_sequences *s, size_t i, size_t a, size_t j, size_t b, size_t d) {
  int count = 0;
  for (size_t k = 0; k < d; k++) {
    size_t x = s->start[i] + a + k, z = s->start[j] + b + k;
    if (x >= s->start[i + 1] || z >= s->start[j + 1] || s->code[x] == 255 || s->code[z] == 255)
      return -1;
    count += s->code[x] != s->code[z];
  }
  return count;
}

static double term(const mk_sequences *s, const mk_degree_spec *spec, size_t i, size_t a, size_t j,
                   size_t b) {
  double sum = 0.0;
  for (int d = 1; d <= spec->degree; d++) {
    int m = mismatches(s, i, a, j, b, (size_t)d);
    if (m >= 0 && m <= spec->mismatches) sum += spec->weight[m * spec->degree + d - 1];
  }
  return sum;
}

static double plain_value(const mk_sequences *s, const mk_degree_spec *spec, size_t i, size_t j) {
  double sum = 0.0;
  for (size_t by = 0; by <= (size_t)spec->shift; by++)
    for (size_t l = 0; l < 200; l++) {
      double w = spec->position_weight != NULL ? spec->position_weight[l] : 1.0;
      double part = term(s, spec, i, l + by, j, l);
      if (by > 0) part += term(s, spec, i, l, j, l + by);
      if (part != 0.0) sum += spec->shift_weight[by] * w * part;
    }
  return sum;
}

static void check_values(mk_weighted_degree *kernel, const mk_sequences *s,
                         const mk_degree_spec *spec) {
  int all[COUNT];
  double value[COUNT * COUNT], worst = 0.0, skew = 0.0;
  for (int i = 0; i < COUNT; i++) all[i] = i;
  CHECK(mk_weighted_degree_values(kernel, all, COUNT, all, COUNT, value) == 0);
  for (size_t i = 0; i < COUNT; i++)
    for (size_t j = 0; j < COUNT; j++) {
      double plain = plain_value(s, spec, i, j);
      worst = fmax(worst, fabs(value[j * COUNT + i] - plain) / (1.0 + fabs(plain)));
      skew = fmax(skew, fabs(value[j * COUNT + i] - value[i * COUNT + j]));
    }
  CHECK_NEAR(worst, 0.0, 1e-12); /* weights have either sign */
  CHECK(skew == 0.0 || spec->position_weight != NULL);
}

typedef struct summing {
  mk_weighted_degree *kernel;
  const double *alpha;
  mk_control control;
  double out[2 * COUNT];
} summing;

static mk_status sum(void *data) {
  summing *work = data;
  int support[COUNT], sample[2 * COUNT];
  for (int i = 0; i < COUNT; i++) support[i] = sample[i] = sample[COUNT + i] = (i * 7) % COUNT;
  return mk_weighted_degree_expand(work->kernel, support, COUNT, work->alpha, sample, 2 * COUNT,
                                   &work->control, work->out);
}

static void check_sums(mk_weighted_degree *kernel, const mk_sequences *s,
                       const mk_degree_spec *spec) {
  double alpha[COUNT], worst = 0.0;
  data_fill(COUNT, alpha);
  alpha[3] = 0.0;
  summing one = {.kernel = kernel, .alpha = alpha, .control = {.max_time = INFINITY}}, two = one;
  CHECK(mk_team_run(1, &one.control.team, sum, &one) == MK_OK);
  CHECK(mk_team_run(2, &two.control.team, sum, &two) == MK_OK);
  CHECK(memcmp(one.out, two.out, sizeof one.out) == 0);
  for (size_t k = 0; k < 2 * COUNT; k++) {
    double plain = 0.0;
    for (size_t j = 0; j < COUNT; j++)
      plain += alpha[j] * plain_value(s, spec, (j * 7) % COUNT, ((k % COUNT) * 7) % COUNT);
    worst = fmax(worst, fabs(one.out[k] - plain) / (1.0 + fabs(plain)));
  }
  CHECK_NEAR(worst, 0.0, 1e-12);
}

/* The profile by its definition: what matches the support vectors at each position. */
static void check_profile(mk_weighted_degree *kernel, const mk_sequences *s,
                          const mk_degree_spec *spec) {
  double alpha[COUNT], profile[200], plain[200] = {0}, worst = 0.0;
  int support[COUNT];
  mk_control control = {.max_time = INFINITY};
  data_fill(COUNT, alpha);
  for (int i = 0; i < COUNT; i++) support[i] = i;
  size_t length = mk_weighted_degree_length(kernel);
  CHECK(mk_weighted_degree_profile(kernel, support, COUNT, alpha, &control, profile) == MK_OK);
  for (size_t i = 0; i < COUNT; i++)
    for (size_t j = 0; j < COUNT; j++)
      for (size_t l = 0; l < length; l++)
        for (size_t k = 0; k < length; k++) {
          size_t by = l > k ? l - k : k - l, least = l < k ? l : k;
          if (by > (size_t)spec->shift) continue;
          double w = spec->position_weight != NULL ? spec->position_weight[least] : 1.0;
          plain[l] += alpha[i] * alpha[j] * spec->shift_weight[by] * w * term(s, spec, i, l, j, k);
        }
  for (size_t l = 0; l < length; l++)
    worst = fmax(worst, fabs(profile[l] - plain[l]) / (1.0 + fabs(plain[l])));
  CHECK_NEAR(worst, 0.0, 1e-11);
}

static void check_kernel(int letters, size_t least, size_t most, int degree, int shift,
                         int mismatches, int positions) {
  text t;
  double weight[4 * 80], shift_weight[200], position_weight[200];
  text_new(&t, letters, least, most);
  data_fill(4 * 80, weight);
  data_fill(200, shift_weight);
  data_fill(200, position_weight);
  if (shift > 2) shift_weight[1] = 0.0;
  mk_degree_spec spec = {degree, shift,        mismatches,
                         weight, shift_weight, positions ? position_weight : NULL};
  mk_weighted_degree *kernel;
  CHECK(mk_weighted_degree_new(&kernel, &t.sequences, &spec) == MK_OK);
  check_values(kernel, &t.sequences, &spec);
  if (mismatches == 0) check_sums(kernel, &t.sequences, &spec);
  if (mismatches == 0 && shift < 10) check_profile(kernel, &t.sequences, &spec);
  mk_weighted_degree_free(kernel);
  mk_free(t.code);
}

static void test_degrees(void) {
  check_kernel(4, 30, 30, 1, 0, 0, 0);
  check_kernel(4, 30, 30, 3, 0, 0, 0);
  check_kernel(4, 64, 64, 22, 0, 0, 0);
  check_kernel(4, 141, 141, 22, 0, 0, 0);
  check_kernel(20, 130, 130, 70, 0, 0, 0);
  check_kernel(2, 65, 65, 5, 0, 0, 0);
  check_kernel(1, 20, 20, 5, 0, 0, 0);
}

static void test_shifts(void) {
  check_kernel(4, 24, 24, 3, 2, 0, 0);
  check_kernel(4, 141, 141, 10, 7, 0, 0);
  check_kernel(20, 70, 70, 2, 69, 0, 0);
  check_kernel(4, 140, 140, 4, 80, 0, 0);
}

static void test_positions(void) {
  check_kernel(4, 70, 70, 4, 0, 0, 1);
  check_kernel(4, 70, 70, 4, 3, 0, 1);
}

static void test_lengths(void) {
  check_kernel(4, 0, 70, 4, 0, 0, 0);
  check_kernel(20, 0, 70, 4, 69, 0, 1);
  check_kernel(4, 0, 3, 5, 9, 0, 0);
}

static void test_mismatches(void) {
  check_kernel(4, 24, 24, 3, 0, 1, 0);
  check_kernel(4, 70, 70, 6, 0, 3, 0);
  check_kernel(4, 0, 70, 5, 4, 2, 1);
}

static void test_refusals(void) {
  text t;
  double weight[3] = {1.0, NAN, 1.0}, one = 1.0;
  text_new(&t, 4, 5, 5);
  mk_weighted_degree *kernel;
  mk_degree_spec good = {3, 0, 0, weight, &one, NULL}, bad = good;
  CHECK(mk_weighted_degree_new(&kernel, &t.sequences, &good) == MK_NOT_FINITE);
  weight[1] = 0.5;
  bad.degree = 0;
  CHECK(mk_weighted_degree_new(&kernel, &t.sequences, &bad) == MK_BAD_ARGUMENT);
  bad = good;
  bad.mismatches = 3;
  CHECK(mk_weighted_degree_new(&kernel, &t.sequences, &bad) == MK_BAD_ARGUMENT);
  t.sequences.letters = 100;
  CHECK(mk_weighted_degree_new(&kernel, &t.sequences, &good) == MK_BAD_ARGUMENT);
  mk_free(t.code);
}

/* ---- in a kernel set ---- */

#define SUPPORT 15
#define TASKS 2

/* One expansion of a set of three kernels, plain, centred and both centred and spherical, whose
 * values come from pairs or from tries. */
typedef struct expanding {
  mk_weighted_degree *kernel;
  int tries, raw;
  mk_control control;
  double mean[COUNT], value[TASKS * COUNT], forms[3], value_slack[TASKS * COUNT];
} expanding;

static mk_status expand_set(expanding *work, mk_kernel_set *set) {
  double theta[3] = {0.5, 0.7, 0.2}, root[COUNT], alpha[TASKS * SUPPORT];
  double *means[3] = {NULL, work->mean, NULL};
  int sample[COUNT];
  data_state = 77;
  data_fill(TASKS * SUPPORT, alpha);
  for (int i = 0; i < COUNT; i++) sample[i] = (i * 5) % COUNT;
  for (int i = 0; i < COUNT; i++) root[i] = 0.1 + 0.01 * i;
  MK_TRY(mk_exact_means(set, 0, COUNT, NULL, means, &work->control));
  MK_TRY(mk_set_normalization(set, 1, 1.5, work->mean, 0.3, NULL));
  MK_TRY(mk_set_normalization(set, 2, 1.0, work->mean, 0.3, root));
  mk_expansion ask = {.set = set,
                      .sample = sample,
                      .support = SUPPORT,
                      .count = COUNT,
                      .tasks = TASKS,
                      .alpha = alpha,
                      .theta = theta,
                      .raw = work->raw,
                      .value = work->value,
                      .forms = work->forms,
                      .value_slack = work->value_slack};
  return mk_expand(&ask, &work->control);
}

static mk_status expand(void *data) {
  expanding *work = data;
  mk_kernel_spec spec = {.type = MK_FUNCTION,
                         .view = -1,
                         .function = mk_weighted_degree_values,
                         .function_data = work->kernel,
                         .thread_safe = 1,
                         .expand = work->tries ? mk_weighted_degree_expand : NULL,
                         .expand_units = mk_weighted_degree_units(work->kernel)};
  mk_kernel_spec specs[3] = {spec, spec, spec};
  mk_kernel_set *set;
  mk_status status = mk_set_new(&set, COUNT, NULL, 0, specs, 3, NULL);
  if (status == MK_OK) status = expand_set(work, set);
  mk_set_free(set);
  return status;
}

static void test_expansion(void) {
  text t;
  double weight[4] = {0.4, 0.3, 0.2, 0.1}, shift_weight[3] = {1.0, 0.25, 0.2};
  mk_degree_spec spec = {4, 2, 0, weight, shift_weight, NULL};
  expanding pairs = {.control = {.max_time = INFINITY}}, tries;
  text_new(&t, 4, 50, 50);
  CHECK(mk_weighted_degree_new(&pairs.kernel, &t.sequences, &spec) == MK_OK);
  for (int raw = 0; raw < 2; raw++) {
    pairs.raw = raw;
    tries = pairs;
    tries.tries = 1;
    CHECK(mk_team_run(2, &pairs.control.team, expand, &pairs) == MK_OK);
    CHECK(mk_team_run(2, &tries.control.team, expand, &tries) == MK_OK);
    CHECK(data_distance(COUNT, pairs.mean, tries.mean) < 1e-13);
    CHECK(data_distance(TASKS * COUNT, pairs.value, tries.value) < 1e-11);
    CHECK(data_distance(3, pairs.forms, tries.forms) < 1e-10);
    for (size_t i = 0; i < TASKS * COUNT; i++)
      CHECK(fabs(pairs.value[i] - tries.value[i]) <= tries.value_slack[i]);
  }
  mk_weighted_degree_free(pairs.kernel);
  mk_free(t.code);
}

int main(void) {
  RUN(test_degrees);
  RUN(test_shifts);
  RUN(test_positions);
  RUN(test_lengths);
  RUN(test_mismatches);
  RUN(test_expansion);
  RUN(test_refusals);
  return REPORT();
}
