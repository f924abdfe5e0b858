/* Precomputed kernels: mixtures, responses, Gram rows and facts about matrices, against the plain
 * definition. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "matrix/inspect.h"
#include "rows/matrices.h"
#include "rows/gram.h"
#include "team.h"
#include "kernel/constants.h"

#include <string.h>

#define FORMS 5 /* ways of normalising, taken in turn */

typedef struct given {
  size_t n, kernels;
  double *matrix;      /* kernels x n x n */
  float *narrow;       /* the same, where a kernel's values are floats: every other one's */
  double *mean, *root; /* kernels x n */
  double *scale, *total;
  mk_kernel_set *set;
} given;

static int is_centred(size_t m) {
  return m % FORMS == 2 || m % FORMS == 4;
}
static int is_rooted(size_t m) {
  return m % FORMS >= 3;
}

static void given_new(given *g, size_t n, size_t kernels) {
  mk_kernel_spec *spec = MK_NEW0(mk_kernel_spec, kernels);
  *g = (given){.n = n, .kernels = kernels};
  g->matrix = MK_NEW(double, kernels *n *n);
  g->narrow = MK_NEW(float, kernels *n *n);
  g->mean = MK_NEW(double, kernels *n);
  g->root = MK_NEW(double, kernels *n);
  g->scale = MK_NEW(double, kernels);
  g->total = MK_NEW(double, kernels);
  data_fill(kernels * n, g->mean);
  for (size_t m = 0; m < kernels; m++) g->total[m] = is_centred(m) ? 0.1 * data_next() : 0.0;
  for (size_t m = 0; m < kernels; m++) {
    double *k = g->matrix + m * n * n;
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i <= j; i++) k[i * n + j] = k[j * n + i] = data_next() + 2.0 * (i == j);
    for (size_t i = 0; m % 2 == 1 && i < n * n; i++) k[i] = g->narrow[m * n * n + i] = (float)k[i];
    for (size_t i = 0; i < n; i++) { /* spherical kernels are 1 on the diagonal */
      double square = k[i * n + i];
      g->mean[m * n + i] *= 0.1;
      if (is_centred(m)) square += g->total[m] - 2.0 * g->mean[m * n + i];
      g->root[m * n + i] = 1.0 / sqrt(square);
    }
    g->scale[m] = m % FORMS == 0 ? 1.0 : 1.0 + fabs(data_next());
    spec[m] = (mk_kernel_spec){.type = MK_PRECOMPUTED, .view = -1, .matrix = k};
    if (m % 2 == 1) spec[m].matrix = g->narrow + m * n * n;
    spec[m].single = m % 2 == 1;
  }
  CHECK(mk_set_new(&g->set, n, NULL, 0, spec, kernels, NULL) == MK_OK);
  for (size_t m = 0; m < kernels; m++) {
    CHECK(mk_set_normalization(g->set, m, g->scale[m], is_centred(m) ? g->mean + m * n : NULL,
                               g->total[m], is_rooted(m) ? g->root + m * n : NULL) == MK_OK);
  }
  mk_free(spec);
}

static void given_free(given *g) {
  mk_set_free(g->set);
  mk_free(g->matrix);
  mk_free(g->narrow);
  mk_free(g->mean);
  mk_free(g->root);
  mk_free(g->scale);
  mk_free(g->total);
}

static double truth(const given *g, size_t m, size_t i, size_t j) {
  const double *mean = g->mean + m * g->n, *root = g->root + m * g->n;
  double value = g->matrix[(m * g->n + j) * g->n + i];
  if (is_centred(m)) value += g->total[m] - mean[i] - mean[j];
  if (is_rooted(m)) value *= root[i] * root[j];
  return g->scale[m] * value;
}

static double *random_vector(size_t n) {
  double *x = MK_NEW(double, n);
  data_fill(n, x);
  return x;
}

/* ---- passes over the matrices ---- */

static void check_responses(size_t n, size_t kernels, mk_team *some) {
  given g;
  given_new(&g, n, kernels);
  double *alpha = random_vector(n), *out = MK_NEW0(double, kernels *n), worst = 0.0;
  int *samples = MK_NEW(int, n);
  size_t count = 0;
  for (size_t i = n; i-- > 0;)
    if (i % 3 != 0) samples[count++] = (int)i;
  out[n - 1] = 7.0; /* responses are added */
  mk_matrices_respond(g.set, samples, alpha, count, some, out);
  out[n - 1] -= 7.0;
  for (size_t m = 0; m < kernels; m++) {
    CHECK(mk_matrices_member(g.set, m) == m);
    for (size_t i = 0; i < n; i += n / 50 + 1) {
      double sum = 0.0;
      for (size_t c = 0; c < count; c++) sum += alpha[c] * truth(&g, m, i, (size_t)samples[c]);
      worst = worse(worst, fabs(sum - out[m * n + i]));
    }
  }
  CHECK_NEAR(worst, 0.0, 1e-11);
  mk_free(alpha);
  mk_free(out);
  mk_free(samples);
  given_free(&g);
}

static void test_responses(void) {
  check_responses(1, 1, team);
  check_responses(70, 70, NULL);
  check_responses(1100, 2, team); /* several spans, and threads that share a kernel */
  check_responses(300, 5, team);
}

static void test_mixtures(void) {
  given g;
  given_new(&g, 75, 71);
  double *weight = random_vector(g.kernels), out[75], worst = 0.0;
  weight[3] = weight[70] = 0.0;
  for (int i = 0; i < 75; i += 7)
    for (size_t from = 0; from < 75; from += 13) {
      size_t count = 75 - from < 13 ? 75 - from : 13;
      for (size_t c = 0; c < count; c++) out[c] = 1.0;
      mk_matrices_mix(g.set, weight, i, from, count, out);
      for (size_t c = 0; c < count; c++) {
        double sum = 1.0; /* without what centring adds to the whole mixture */
        for (size_t m = 0; m < g.kernels; m++)
          sum += weight[m] * (is_rooted(m) ? truth(&g, m, (size_t)i, from + c) / g.scale[m]
                                           : g.matrix[(m * 75 + (size_t)i) * 75 + from + c]);
        worst = worse(worst, fabs(sum - out[c]));
      }
    }
  CHECK_NEAR(worst, 0.0, 1e-11);
  mk_free(weight);
  given_free(&g);
}

/* ---- Gram rows ---- */

static double mixed(const given *g, const double *theta, size_t i, size_t j) {
  double sum = 0.0;
  for (size_t m = 0; m < g->kernels; m++) sum += theta[m] * truth(g, m, i, j);
  return sum;
}

/* Everything the rows can be asked for at the alphas of two tasks. */
static void check_answers(const given *g, mk_gram *gram, const double *theta, double **alpha,
                          double within) {
  size_t a = mk_gram_count(gram), n = g->n;
  const int *sample = mk_gram_samples(gram);
  mk_alphas alphas = {2, alpha};
  double *first = MK_NEW(double, 2 * n), *out[2] = {first, first + n}, worst = 0.0;
  double *s = MK_NEW(double, g->kernels), *u = MK_NEW(double, g->kernels * 3);
  int positions[3] = {(int)a - 1, 0, (int)a / 2};
  mk_status status = MK_OK;
  CHECK(mk_gram_response(gram, &alphas, out) == MK_OK);
  for (size_t t = 0; t < 2; t++)
    for (size_t i = 0; i < a; i += 3) {
      double sum = 0.0;
      for (size_t j = 0; j < a; j++)
        sum += alpha[t][j] * mixed(g, theta, (size_t)sample[i], (size_t)sample[j]);
      worst = worse(worst, fabs(sum - out[t][i]));
    }
  CHECK(mk_gram_response_outside(gram, &alphas, out) == MK_OK); /* matrices: at all samples */
  for (size_t i = 0; i < n; i += 5) {
    double sum = 0.0;
    for (size_t j = 0; j < a; j++) sum += alpha[1][j] * mixed(g, theta, i, (size_t)sample[j]);
    worst = worse(worst, fabs(sum - out[1][i]));
  }
  CHECK(mk_gram_forms(gram, &alphas, s) == MK_OK);
  CHECK(mk_gram_member_responses(gram, alpha[1], positions, 3, u) == MK_OK);
  for (size_t m = 0; m < g->kernels; m++) {
    double form = 0.0, response[3] = {0.0};
    for (size_t j = 0; j < a; j++) {
      for (size_t i = 0; i < a; i++)
        form += (alpha[0][i] * alpha[0][j] + alpha[1][i] * alpha[1][j]) *
                truth(g, m, (size_t)sample[i], (size_t)sample[j]);
      for (size_t k = 0; k < 3; k++)
        response[k] += alpha[1][j] * truth(g, m, (size_t)sample[positions[k]], (size_t)sample[j]);
    }
    worst = worse(worst, fabs(form - s[m]));
    for (size_t k = 0; k < 3; k++) worst = worse(worst, fabs(response[k] - u[k * g->kernels + m]));
  }
  CHECK_NEAR(worst, 0.0, 1e-10);
  worst = 0.0;
  for (size_t i = 0; i < a; i += 7) {
    mk_row row = mk_gram_row(gram, i, &status);
    CHECK(row.at != NULL && status == MK_OK);
    for (size_t j = 0; row.at != NULL && j < a; j++) {
      double value = mixed(g, theta, (size_t)sample[i], (size_t)sample[j]);
      worst = worse(worst, fabs(mk_row_at(row, j) - value));
      if (i == j) worst = worse(worst, fabs(mk_gram_diagonal(gram)[i] - value));
    }
  }
  CHECK_NEAR(worst, 0.0, within);
  mk_free(first);
  mk_free(s);
  mk_free(u);
}

static void check_gram(size_t n, size_t first, int single, size_t cache) {
  given g;
  given_new(&g, n, 7);
  mk_control control = {
      .max_time = INFINITY, .team = team, .cache = cache, .start = mk_seconds(), .single = single};
  mk_gram *gram;
  double within = single ? 1e-4 : 1e-11, *theta = random_vector(7);
  double *alpha[2] = {random_vector(n), random_vector(n)};
  int *list = MK_NEW(int, n);
  for (size_t i = 0; i < n; i++) list[i] = (int)((i * 7 + 3) % n); /* n is no multiple of 7 */
  CHECK(mk_gram_new(&gram, g.set, single, 1, &control) == MK_OK);
  for (int round = 0; round < 3; round++) {
    if (round < 2) /* all alphas new, then some of more candidates */
      CHECK(mk_gram_extend(gram, list + (round > 0 ? first : 0),
                           round > 0 ? n - 5 - first : first) == MK_OK);
    for (size_t m = 0; m < 7; m++) theta[m] = fabs(data_next());
    CHECK(mk_gram_mix(gram, theta) == MK_OK);
    for (size_t i = 0; round > 0 && i < n; i += 4) alpha[round % 2][i] = round == 2 ? 0.0 : 1.5;
    for (size_t i = mk_gram_count(gram); i < n; i++) alpha[0][i] = alpha[1][i] = 0.0;
    check_answers(&g, gram, theta, alpha, within);
    check_answers(&g, gram, theta, alpha, within); /* nothing has changed */
    for (size_t i = 0; i < n; i++) alpha[0][i] = data_next();
  }
  if (single) {
    CHECK(mk_gram_sharpen(gram) == MK_OK);
    CHECK(mk_gram_mix(gram, theta) == MK_OK);
    check_answers(&g, gram, theta, alpha, 1e-11);
  }
  mk_gram_free(gram);
  mk_free(theta);
  mk_free(alpha[0]);
  mk_free(alpha[1]);
  mk_free(list);
  given_free(&g);
}

static void test_gram_rows(void) {
  check_gram(60, 30, 0, 1 << 20);
  check_gram(60, 30, 1, 1 << 20);
  check_gram(60, 55, 0, 0);        /* no memory to keep more than a few rows */
  check_gram(199, 20, 0, 1 << 20); /* few candidates: gathered, not read whole */
  check_gram(199, 20, 1, 1 << 20);
}

/* Rounding must not add up over many small changes of alpha. */
static void test_many_changes(void) {
  given g;
  given_new(&g, 40, 3);
  mk_control control = {.max_time = INFINITY, .cache = 1 << 20};
  double *alpha = random_vector(40), s[3], worst = 0.0;
  mk_alphas alphas = {1, &alpha};
  int list[40];
  mk_gram *gram;
  control.start = mk_seconds();
  for (int i = 0; i < 40; i++) list[i] = i;
  CHECK(mk_gram_new(&gram, g.set, 0, 1, &control) == MK_OK);
  CHECK(mk_gram_extend(gram, list, 40) == MK_OK);
  for (int round = 0; round < 60; round++) {
    alpha[round % 40] = round % 3 == 0 ? 0.0 : 1e6 * data_next();
    alpha[(round + 20) % 40] = data_next();
    CHECK(mk_gram_forms(gram, &alphas, s) == MK_OK);
  }
  for (size_t i = 0; i < 40; i++) alpha[i] = data_next();
  CHECK(mk_gram_forms(gram, &alphas, s) == MK_OK);
  for (size_t m = 0; m < 3; m++) {
    double form = 0.0;
    for (size_t i = 0; i < 40; i++)
      for (size_t j = 0; j < 40; j++) form += alpha[i] * alpha[j] * truth(&g, m, i, j);
    worst = worse(worst, fabs(form - s[m]));
  }
  CHECK_NEAR(worst, 0.0, 1e-11);
  mk_gram_free(gram);
  mk_free(alpha);
  given_free(&g);
}

/* ---- facts ---- */

static mk_matrix_facts inspect_as(const double *matrix, size_t n, size_t count, mk_team *some) {
  mk_control control = {.max_time = INFINITY, .team = some, .start = mk_seconds()};
  const double **matrices = MK_NEW(const double *, count);
  mk_matrix_facts *facts = MK_NEW0(mk_matrix_facts, count), first;
  for (size_t m = 0; m < count; m++) matrices[m] = matrix;
  CHECK(mk_inspect(matrices, n, count, &control, facts) == MK_OK);
  first = facts[0];
  if (isfinite(first.largest)) CHECK(memcmp(&first, &facts[count - 1], sizeof first) == 0);
  mk_free(matrices);
  mk_free(facts);
  return first;
}

static double *identity(size_t n) {
  double *a = MK_NEW0(double, n *n);
  for (size_t i = 0; i < n; i++) a[i * n + i] = 1.0;
  return a;
}

static void test_values_are_seen_wherever_they_are(void) {
  const size_t sizes[] = {1, 5, 32, 33, 101};
  const double odd[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 5; k++) {
    size_t n = sizes[k];
    double *a = identity(n);
    mk_matrix_facts facts = inspect_as(a, n, 1, team);
    CHECK(facts.largest == 1.0 && facts.asymmetry == 0.0);
    CHECK_NEAR(facts.smallest, 1.0, 1e-12);
    int wrong = 0;
    for (size_t at = 0; at<n * n; at += n> 40 ? 7 : 1) {
      double before = a[at];
      a[at] = odd[at % 3];
      wrong += isfinite(inspect_as(a, n, 1, team).largest) != 0;
      a[at] = before - 3.0;
      facts = inspect_as(a, n, 1, team);
      wrong += facts.largest != fabs(before - 3.0) && facts.largest + facts.asymmetry < 3.0;
      wrong += facts.asymmetry != (at % (n + 1) == 0 ? 0.0 : 3.0);
      a[at] = before;
    }
    CHECK(wrong == 0);
    mk_free(a);
  }
}

/* One pair of samples more alike than they are to themselves, in a matrix that is too large and
 * comes too often to be looked at whole; and a negative direction spread over all samples. */
static void test_negative_eigenvalues(void) {
  size_t n = 400;
  double *a = identity(n);
  a[17 * n + 301] = a[301 * n + 17] = 1.5;
  CHECK_NEAR(inspect_as(a, n, 1, NULL).smallest, -0.5, 1e-9);
  CHECK_NEAR(inspect_as(a, n, 300, team).smallest, -0.5, 1e-9);
  a[17 * n + 301] = a[301 * n + 17] = 0.999;
  CHECK(inspect_as(a, n, 300, team).smallest > 0.0);
  for (size_t i = 0; i < n * n; i++) a[i] -= 8.0 / (double)n;
  CHECK_NEAR(inspect_as(a, n, 1, team).smallest, 1.0 - 8.0, 0.1);
  CHECK(inspect_as(a, n, 300, team).smallest < -2.0);
  a[0] = -4.0;
  CHECK(inspect_as(a, n, 300, NULL).smallest <= -4.0);
  mk_free(a);
}

static int refuse(void *data) {
  (void)data;
  return 1;
}

static void test_inspection_can_be_interrupted(void) {
  double *a = identity(50);
  const double *matrices[] = {a};
  mk_matrix_facts facts;
  mk_control control = {.max_time = INFINITY, .poll = refuse, .start = mk_seconds()};
  CHECK(mk_inspect(matrices, 50, 1, &control, &facts) == MK_INTERRUPTED);
  mk_free(a);
}

int main(void) {
  RUN_TEAM(2, test_responses);
  RUN_TEAM(2, test_mixtures);
  RUN_TEAM(2, test_gram_rows);
  RUN_TEAM(2, test_many_changes);
  RUN_TEAM(2, test_values_are_seen_wherever_they_are);
  RUN_TEAM(2, test_negative_eigenvalues);
  RUN_TEAM(2, test_inspection_can_be_interrupted);
  return REPORT();
}
