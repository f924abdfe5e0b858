/* The dictionary of anchors, sums of its kernels and the explicit model against the definition. */
#include "data.h"
#include "rows/local-sums.h"
#include "kernels.h"
#include "sequential/local-model.h"
#include "team.h"
#include "sequential/anchor-sums.h"

#define TASKS 2
#define MAPS 5
#define ANCHORS 37

static const mk_anchor_map maps[MAPS] = {{MK_MAP_EXPONENTIAL, 0.3, 0},
                                         {MK_MAP_GAUSSIAN, 0.1, 0},
                                         {MK_MAP_LINEAR, 0.2, 0},
                                         {MK_MAP_SQUARED, 0.05, 0},
                                         {MK_MAP_GAUSSIAN, 0.7, 1}};

/* phi of one sample, by the definition. */
static void plain_features(const mk_anchor_map *map, size_t cols, const double *x, const double *c,
                           double *phi) {
  mk_kernel_spec spec = {.map = map->map, .gamma = map->gamma};
  double far = 0.0;
  for (size_t j = 0; j < cols; j++) far += (x[j] - c[j]) * (x[j] - c[j]);
  for (size_t j = 0; j < cols; j++)
    phi[j] = plain_map(&spec, map->componentwise ? fabs(x[j] - c[j]) : sqrt(far)) * (x[j] - c[j]);
}

/* sum_j alpha_j phi(x_j) of kernel m; `dense` is the view filled up, by columns. */
static void plain_vector(const mk_anchors *anchors, size_t m, const double *dense,
                         const double *alpha, double *v) {
  size_t cols = anchors->view.cols, each = anchors->maps;
  double x[LARGE_COLS], phi[LARGE_COLS];
  memset(v, 0, cols * sizeof *v);
  for (size_t i = 0; i < SAMPLES; i++) {
    for (size_t j = 0; j < cols; j++) x[j] = dense[j * SAMPLES + i];
    plain_features(&anchors->map[m % each], cols, x, anchors->point + m / each * cols, phi);
    for (size_t j = 0; j < cols; j++) v[j] += alpha[i] * phi[j];
  }
}

static double plain_strength(const mk_anchors *anchors, size_t m, const double *dense,
                             const double *alpha, size_t tasks) {
  double v[LARGE_COLS], sum = 0.0;
  for (size_t t = 0; t < tasks; t++) {
    plain_vector(anchors, m, dense, alpha + t * SAMPLES, v);
    for (size_t j = 0; j < anchors->view.cols; j++) sum += v[j] * v[j];
  }
  return sum;
}

static void fill_alpha(double *alpha) {
  for (size_t i = 0; i < TASKS * SAMPLES; i++) alpha[i] = data_next() > 0.2 ? data_next() : 0.0;
}

static mk_view view_of(fixture *fx, int sparse) {
  return sparse ? (mk_view){.rows = SAMPLES,
                            .cols = SPARSE_COLS,
                            .start = fx->start,
                            .row = fx->row,
                            .value = fx->value}
                : (mk_view){.rows = SAMPLES, .cols = LARGE_COLS, .x = fx->large};
}

/* Kernels of a stretch, and some out of order, of all samples or given points. */
static void check_strengths(int sparse, int given) {
  fixture *fx = fixture_new();
  mk_view view = view_of(fx, sparse);
  const double *dense = sparse ? fx->sparse : fx->large;
  static double points[ANCHORS * LARGE_COLS], alpha[TASKS * SAMPLES], s[SAMPLES * MAPS];
  data_fill(ANCHORS * view.cols, points);
  fill_alpha(alpha);
  mk_anchors anchors;
  size_t count = given ? ANCHORS : SAMPLES;
  CHECK(mk_anchors_new(&anchors, &view, given ? points : NULL, count, maps, MAPS, team) == MK_OK);
  mk_stream stream = mk_anchors_stream(&anchors);
  mk_control control = {.max_time = INFINITY, .team = team};
  CHECK(stream.size == count * MAPS && stream.samples == SAMPLES);
  for (size_t from = 0; from < 8; from += 3) {
    mk_scan scan = {.alpha = alpha, .tasks = TASKS, .from = from, .strength = s};
    scan.count = stream.size - from;
    CHECK(stream.strengths(stream.self, &scan, &control) == MK_OK);
    for (size_t k = 0; k < scan.count; k += 7)
      CHECK_NEAR(s[k], plain_strength(&anchors, from + k, dense, alpha, TASKS), 1e-9);
  }
  const size_t which[] = {11, 3, stream.size - 1, 3, 0, 12, 13, 50, 49};
  mk_scan scan = {.alpha = alpha, .tasks = 1, .which = which, .count = 9, .strength = s};
  CHECK(stream.strengths(stream.self, &scan, &control) == MK_OK);
  for (size_t k = 0; k < 9; k++)
    CHECK_NEAR(s[k], plain_strength(&anchors, which[k], dense, alpha, 1), 1e-9);
  static double vectors[9 * LARGE_COLS];
  CHECK(mk_anchors_vectors(&anchors, which, 9, alpha, &control, vectors) == MK_OK);
  for (size_t k = 0; k < 9; k++) {
    double v[LARGE_COLS];
    plain_vector(&anchors, which[k], dense, alpha, v);
    CHECK_NEAR(data_distance(view.cols, v, vectors + k * view.cols), 0.0, 1e-11);
  }
  memset(alpha, 0, sizeof alpha); /* no support vectors */
  CHECK(stream.strengths(stream.self, &scan, &control) == MK_OK && s[0] == 0.0);
  mk_anchors_clear(&anchors);
  fixture_free(fx);
}

static void test_strengths(void) {
  for (int sparse = 0; sparse < 2; sparse++)
    for (int given = 0; given < 2; given++) check_strengths(sparse, given);
}

static int count_polls(void *data) {
  ++*(int *)data;
  return 0;
}

#define MANY 5000 /* maps */

/* Anchors have more kernels than are done between looks at the limits. */
static void test_many_maps(void) {
  fixture *fx = fixture_new();
  mk_view view = view_of(fx, 0);
  static double points[3 * LARGE_COLS], alpha[TASKS * SAMPLES], s[3 * MANY];
  static mk_anchor_map many[MANY];
  int polls = 0;
  for (size_t g = 0; g < MANY; g++)
    many[g] = (mk_anchor_map){g % 2 ? MK_MAP_GAUSSIAN : MK_MAP_LINEAR, 0.01 + 2e-4 * (double)g,
                              g % 11 == 0};
  data_fill(3 * view.cols, points);
  fill_alpha(alpha);
  mk_anchors anchors;
  CHECK(mk_anchors_new(&anchors, &view, points, 3, many, MANY, team) == MK_OK);
  mk_stream stream = mk_anchors_stream(&anchors);
  mk_control control = {.max_time = INFINITY, .team = team, .poll = count_polls, .data = &polls};
  mk_scan scan = {.alpha = alpha, .tasks = TASKS, .from = 1, .count = 3 * MANY - 1, .strength = s};
  CHECK(stream.strengths(stream.self, &scan, &control) == MK_OK);
  CHECK(polls >= 1);
  for (size_t k = 0; k < scan.count; k += 37)
    CHECK_NEAR(s[k], plain_strength(&anchors, k + 1, fx->large, alpha, TASKS), 1e-9);
  static size_t which[2 * MANY];
  for (size_t k = 0; k < 2 * MANY; k++) which[k] = 3 * MANY - 1 - k; /* falling */
  scan.which = which;
  scan.count = 2 * MANY;
  CHECK(stream.strengths(stream.self, &scan, &control) == MK_OK);
  for (size_t k = 0; k < scan.count; k += 37)
    CHECK_NEAR(s[k], plain_strength(&anchors, which[k], fx->large, alpha, TASKS), 1e-9);
  mk_anchors_clear(&anchors);
  fixture_free(fx);
}

/* The selected set's kernels are those of the dictionary: forms by local.h and by exact values. */
static void test_selected_sets(void) {
  fixture *fx = fixture_new();
  mk_view view = view_of(fx, 0);
  mk_anchors anchors;
  double alpha[TASKS * SAMPLES], s[4], x[LARGE_COLS], phi[2][LARGE_COLS];
  fill_alpha(alpha);
  CHECK(mk_anchors_new(&anchors, &view, NULL, SAMPLES, maps, MAPS, team) == MK_OK);
  mk_stream stream = mk_anchors_stream(&anchors);
  mk_control control = {.max_time = INFINITY, .team = team};
  const size_t which[] = {1, 2, 33, 100};
  mk_kernel_set *set;
  CHECK(stream.select(stream.self, which, 4, &control, &set) == MK_OK);
  CHECK(mk_set_kernels(set) == 4 && mk_set_families(set) == 1 && mk_family_all_local(set, 0));
  CHECK(mk_family_locals(set, 0) == 4 && mk_set_bytes(set) > 0);
  int sample[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) sample[i] = i;
  mk_local_ask ask = {set, 0, sample, SAMPLES, TASKS, alpha};
  CHECK(mk_local_forms(&ask, team, s) == MK_OK);
  for (size_t k = 0; k < 4; k++)
    CHECK_NEAR(s[k], plain_strength(&anchors, which[k], fx->large, alpha, TASKS), 1e-9);
  ask.tasks = 1;
  const int rows[] = {5, 69, 0, 12, 13};
  double response[5 * 4], v[LARGE_COLS];
  CHECK(mk_local_responses(&ask, rows, 5, team, response) == MK_OK);
  for (size_t i = 0; i < 5; i++)
    for (size_t k = 0; k < 4; k++) {
      for (size_t j = 0; j < LARGE_COLS; j++) x[j] = fx->large[j * SAMPLES + (size_t)rows[i]];
      plain_features(&maps[which[k] % MAPS], LARGE_COLS, x,
                     anchors.point + which[k] / MAPS * LARGE_COLS, phi[0]);
      plain_vector(&anchors, which[k], fx->large, alpha, v);
      double truth = 0.0;
      for (size_t j = 0; j < LARGE_COLS; j++) truth += v[j] * phi[0][j];
      CHECK_NEAR(response[i * 4 + k], truth, 1e-9);
    }
  stream.release(stream.self, set);
  mk_anchors_clear(&anchors);
  fixture_free(fx);
}

static void test_decisions(void) {
  for (int sparse = 0; sparse < 2; sparse++)
    for (size_t count = 0; count <= ANCHORS; count += count < 3 ? 1 : 17) {
      fixture *fx = fixture_new();
      mk_view view = view_of(fx, sparse);
      const double *dense = sparse ? fx->sparse : fx->large;
      static double anchor[(ANCHORS + 1) * LARGE_COLS], w[(ANCHORS + 1) * LARGE_COLS];
      mk_anchor_map map[ANCHORS + 1];
      double out[SAMPLES], x[LARGE_COLS], phi[LARGE_COLS];
      data_fill(count * view.cols, anchor);
      data_fill(count * view.cols, w);
      for (size_t j = 0; j < view.cols && count > 0; j++) anchor[j] = dense[j * SAMPLES + 3];
      for (size_t k = 0; k < count; k++) map[k] = maps[k % MAPS];
      mk_local_model model = {count, view.cols, anchor, w, map, 0.75};
      mk_control control = {.max_time = INFINITY, .team = team};
      CHECK(mk_view_prepare(&view, NULL) == MK_OK);
      CHECK(mk_local_decide(&model, &view, &control, out) == MK_OK);
      for (size_t i = 0; i < SAMPLES; i++) {
        double f = 0.75;
        for (size_t j = 0; j < view.cols; j++) x[j] = dense[j * SAMPLES + i];
        for (size_t k = 0; k < count; k++) {
          plain_features(&map[k], view.cols, x, anchor + k * view.cols, phi);
          for (size_t j = 0; j < view.cols; j++) f += w[k * view.cols + j] * phi[j];
        }
        CHECK_NEAR(out[i], f, 1e-11);
      }
      model.cols--;
      CHECK(mk_local_decide(&model, &view, &control, out) == MK_BAD_ARGUMENT);
      mk_view_clear(&view);
      fixture_free(fx);
    }
}

static void test_hostile_arguments(void) {
  fixture *fx = fixture_new();
  mk_view view = view_of(fx, 0);
  mk_anchors anchors;
  CHECK(mk_anchors_new(&anchors, &view, NULL, SAMPLES - 1, maps, MAPS, NULL) == MK_BAD_ARGUMENT);
  mk_anchors_clear(&anchors);
  CHECK(mk_anchors_new(&anchors, &view, NULL, SAMPLES, maps, 0, NULL) == MK_BAD_ARGUMENT);
  mk_anchors_clear(&anchors);
  mk_kernel_spec good = fx->spec[12], spec;
  mk_kernel_set *set;
  const double bad[] = {0.0, -1.0, NAN, INFINITY};
  for (int k = 0; k < 4; k++) {
    spec = good;
    spec.gamma = bad[k];
    CHECK(mk_set_new(&set, SAMPLES, &view, 1, &spec, 1, NULL) == MK_BAD_ARGUMENT);
    mk_set_free(set);
  }
  spec = good;
  spec.map = (mk_local_map)9;
  CHECK(mk_set_new(&set, SAMPLES, &view, 1, &spec, 1, NULL) == MK_BAD_ARGUMENT);
  mk_set_free(set);
  spec = good;
  spec.anchor = NULL;
  CHECK(mk_set_new(&set, SAMPLES, &view, 1, &spec, 1, NULL) == MK_BAD_ARGUMENT);
  mk_set_free(set);
  fx->anchor[1] = NAN;
  CHECK(mk_set_new(&set, SAMPLES, &view, 1, &good, 1, NULL) == MK_BAD_ARGUMENT);
  mk_set_free(set);
  fixture_free(fx);
}

int main(void) {
  for (int threads = 1; threads <= 2; threads++) {
    RUN_TEAM(threads, test_strengths);
    RUN_TEAM(threads, test_many_maps);
    RUN_TEAM(threads, test_selected_sets);
    RUN_TEAM(threads, test_decisions);
  }
  RUN_TEAM(1, test_hostile_arguments);
  return REPORT();
}
