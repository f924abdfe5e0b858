/* Gram rows of Gaussians on each view and a linear kernel on all of its columns but one, over a
 * growing working set, whether their values are stored or not, against the plain definition. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "rows/gram-provider.h"
#include "team.h"

#include <string.h>

#define N 700
#define MB ((size_t)1 << 20)
#define VIEWS 4
#define WIDTHS 4
#define KERNELS (VIEWS * WIDTHS)
#define LINEAR 0.0 /* in place of a width */
#define MOST_COLUMNS 60

static const size_t cols[VIEWS] = {5, 12, 60, 50}; /* few, not many, many, whose bases are stored */
static const double width[WIDTHS] = {LINEAR, 9.0, 30.0, 200.0};
static const int extension[] = {90, 130, 1, 7, 22, 228, 222}; /* all samples in the end */
#define EXTENSIONS (sizeof extension / sizeof *extension)

typedef struct world {
  size_t kernels;
  double *x[VIEWS], theta[KERNELS];
  mk_kernel_set *set;
  int order[N]; /* in which samples join the working set */
} world;

/* Makes kernels of the first `views` views. */
static void world_new(world *w, size_t views) {
  mk_view view[VIEWS];
  mk_kernel_spec spec[KERNELS];
  int columns[MOST_COLUMNS];
  memset(view, 0, sizeof view);
  memset(spec, 0, sizeof spec);
  for (int k = 0; k < MOST_COLUMNS; k++) columns[k] = k;
  w->kernels = views * WIDTHS;
  for (size_t v = 0; v < views; v++) {
    w->x[v] = MK_NEW(double, N *cols[v]);
    data_fill(N * cols[v], w->x[v]);
    view[v] = (mk_view){.rows = N, .cols = cols[v], .x = w->x[v]};
    for (size_t k = 0; k < WIDTHS; k++)
      spec[v * WIDTHS + k] =
          width[k] == LINEAR
              ? (mk_kernel_spec){.type = MK_LINEAR,
                                 .view = (int)v,
                                 .features = columns,
                                 .feature_count = cols[v] - 1}
              : (mk_kernel_spec){.type = MK_GAUSSIAN, .view = (int)v, .width = width[k]};
  }
  for (size_t m = 0; m < KERNELS; m++) w->theta[m] = 0.1 + fabs(data_next());
  for (int i = 0; i < N; i++) w->order[i] = (i * 337 + 11) % N;
  CHECK(mk_set_new(&w->set, N, view, views, spec, w->kernels, NULL) == MK_OK);
}

static void world_free(world *w) {
  mk_set_free(w->set);
  for (size_t m = 0; m < w->kernels; m += WIDTHS) mk_free(w->x[m / WIDTHS]);
}

static double kernel(const world *w, size_t m, int i, int j) {
  const double *x = w->x[m / WIDTHS];
  double d = 0.0, product = 0.0;
  for (size_t k = 0; k < cols[m / WIDTHS]; k++) {
    double own = x[k * N + (size_t)i], other = x[k * N + (size_t)j];
    d += (own - other) * (own - other);
    if (k + 1 < cols[m / WIDTHS]) product += own * other;
  }
  return width[m % WIDTHS] == LINEAR ? product : exp(-d / width[m % WIDTHS]);
}

static double mixture(const world *w, int i, int j) {
  double sum = 0.0;
  for (size_t m = 0; m < w->kernels; m++) sum += w->theta[m] * kernel(w, m, i, j);
  return sum;
}

/* K x over the working set at sample i. */
static double response(const world *w, const mk_gram *gram, const double *alpha, int i) {
  double sum = 0.0;
  for (size_t k = 0; k < mk_gram_count(gram); k++)
    if (alpha[k] != 0.0) sum += alpha[k] * mixture(w, i, mk_gram_samples(gram)[k]);
  return sum;
}

static void check_rows(const world *w, mk_gram *gram, double within) {
  size_t a = mk_gram_count(gram);
  const int *sample = mk_gram_samples(gram);
  double worst = 0.0;
  mk_status status = MK_OK;
  for (size_t i = 0; i < a; i += a / 7 + 1) {
    mk_row row = mk_gram_row(gram, i, &status);
    CHECK(status == MK_OK && row.at != NULL);
    for (size_t j = 0; row.at != NULL && j < a; j += 3)
      worst = worse(worst, fabs(mk_row_at(row, j) - mixture(w, sample[i], sample[j])));
  }
  CHECK_NEAR(worst, 0.0, within);
}

/* Some positions among each other. */
static void check_square(const world *w, mk_gram *gram, double within) {
  size_t a = mk_gram_count(gram), count = 0;
  int position[N], single = mk_gram_is_single(gram);
  for (size_t i = a; i-- > 0;)
    if (i % 9 == 4) position[count++] = (int)i;
  size_t apart = mk_padded(count);
  double *values = MK_NEW(double, count *apart);
  mk_row row[N];
  for (size_t r = 0; r < count; r++) row[r] = mk_row_from((mk_row){values, single}, r * apart);
  CHECK(mk_gram_square(gram, position, count, row) == MK_OK);
  double worst = 0.0;
  for (size_t r = 0; r < count; r++)
    for (size_t c = 0; c < count; c += 3) {
      const int *sample = mk_gram_samples(gram);
      double truth = mixture(w, sample[position[r]], sample[position[c]]);
      worst = worse(worst, fabs(mk_row_at(row[r], c) - truth));
    }
  CHECK_NEAR(worst, 0.0, within);
  mk_free(values);
}

static void check_sums(const world *w, mk_gram *gram, double within) {
  size_t a = mk_gram_count(gram);
  double alpha[N], out[N], all[N], s[KERNELS], u[2 * KERNELS], worst = 0.0;
  double *alphas[] = {alpha}, *outs[] = {out}, *alls[] = {all};
  mk_alphas one = {1, alphas};
  int positions[2] = {(int)a - 1, 0};
  data_fill(a, alpha);
  for (size_t k = 0; k < a; k += 4) alpha[k] = 0.0;
  CHECK(mk_gram_response(gram, &one, outs) == MK_OK);
  CHECK(mk_gram_response_outside(gram, &one, alls) == MK_OK);
  for (size_t k = 0; k < a; k++) all[mk_gram_samples(gram)[k]] = out[k];
  for (size_t i = 0; i < a; i += a / 5 + 1) {
    double truth = response(w, gram, alpha, mk_gram_samples(gram)[i]);
    worst = worse(worst, fabs(out[i] - truth));
  }
  for (int i = 0; i < N; i += 97) worst = worse(worst, fabs(all[i] - response(w, gram, alpha, i)));
  CHECK(mk_gram_response_everywhere(gram, &one, alls) == MK_OK);
  for (int i = 0; i < N; i += 53) worst = worse(worst, fabs(all[i] - response(w, gram, alpha, i)));
  CHECK_NEAR(worst, 0.0, 10.0 * within);
  CHECK(mk_gram_forms(gram, &one, s) == MK_OK);
  CHECK(mk_gram_member_responses(gram, alpha, positions, 2, u) == MK_OK);
  worst = 0.0;
  for (size_t m = 0; m < w->kernels; m += 5) {
    double form = 0.0, first = 0.0;
    for (size_t i = 0; i < a; i++) {
      double sum = 0.0;
      for (size_t j = 0; j < a && alpha[i] != 0.0; j++)
        sum += alpha[j] * kernel(w, m, mk_gram_samples(gram)[i], mk_gram_samples(gram)[j]);
      form += alpha[i] * sum;
      first += alpha[i] * kernel(w, m, mk_gram_samples(gram)[a - 1], mk_gram_samples(gram)[i]);
    }
    worst = worse(worst, fabs(s[m] - form) / (1.0 + fabs(form)));
    worst = worse(worst, fabs(u[m] - first));
  }
  CHECK_NEAR(worst, 0.0, 10.0 * within);
}

/* What threads beyond the first take besides the budget. */
static size_t other_scratch(const world *w) {
  mk_scratch *scratch = mk_scratch_new(w->set);
  size_t bytes = (size_t)(mk_team_size(team) - 1) * mk_scratch_bytes(scratch);
  mk_scratch_free(scratch);
  return bytes;
}

static void check_all(size_t cache, int single, size_t views) {
  world w;
  mk_gram *gram = NULL;
  mk_control control = {.max_time = INFINITY, .cache = cache, .team = team};
  double within = single ? 2e-5 : 1e-11;
  int from = 0;
  world_new(&w, views);
  CHECK(mk_gram_new(&gram, w.set, single, 1, &control) == MK_OK);
  for (size_t e = 0; e < EXTENSIONS; e++) {
    CHECK(mk_gram_extend(gram, w.order + from, (size_t)extension[e]) == MK_OK);
    from += extension[e];
    CHECK(mk_gram_mix(gram, w.theta) == MK_OK);
    CHECK(!memcmp(mk_gram_samples(gram), w.order, (size_t)from * sizeof(int)));
    check_rows(&w, gram, within);
    check_square(&w, gram, within);
    if (e % 2 == 0 || e + 1 == EXTENSIONS) check_sums(&w, gram, within);
    if (cache >= MB) CHECK(mk_gram_bytes(gram) <= cache + other_scratch(&w));
  }
  CHECK(from == N);
  mk_gram_free(gram);
  world_free(&w);
}

static void test_rows_in_doubles(void) {
  check_all(256 * MB, 0, VIEWS);
  check_all(27 * MB / 2, 0, VIEWS);
  check_all(6 * MB, 0, VIEWS);
  check_all(3 * MB / 4, 0, VIEWS);
  check_all(256 * MB, 0, 1);
}

static void test_rows_in_floats(void) {
  check_all(256 * MB, 1, VIEWS);
  check_all(27 * MB / 4, 1, VIEWS);
  check_all(3 * MB, 1, VIEWS);
  check_all(3 * MB / 4, 1, 2);
  check_all(256 * MB, 1, 1);
}

/* Whether bases are stored over a working set that grows, a bit for each answer. */
static int stored(size_t budget, int single, size_t views) {
  world w;
  mk_control control = {.max_time = INFINITY, .team = team};
  int answers = 0, place[N];
  void *own = NULL;
  world_new(&w, views);
  for (int i = 0; i < N; i++) place[w.order[i]] = i;
  mk_scratch *scratch = mk_scratch_new(w.set), *all[] = {scratch, scratch, scratch};
  mk_gram_context at = {.set = w.set,
                        .control = &control,
                        .threads = mk_team_size(team),
                        .scratch = all,
                        .single = single,
                        .sample = w.order,
                        .place = place,
                        .n = N};
  CHECK(mk_base_provider.open(&at, &own) == MK_OK && own != NULL);
  for (size_t e = 0; e < EXTENSIONS; e++) {
    at.count += (size_t)extension[e];
    CHECK(mk_base_provider.grow(own, budget) == MK_OK);
    answers |= mk_base_provider.prefers_blocks(own) ? 1 : 2;
    CHECK(mk_base_provider.prefers_blocks(own) || mk_base_provider.bytes(own) <= budget);
  }
  mk_base_provider.close(own);
  mk_scratch_free(scratch);
  world_free(&w);
  return answers;
}

/* Bases that are dear to make are stored while the budget has room for them. */
static void test_bases_are_stored_within_the_budget(void) {
  CHECK(stored(256 * MB, 0, VIEWS) == 2);
  CHECK(stored(256 * MB, 1, VIEWS) == 2);
  CHECK(stored(6 * MB, 0, VIEWS) == 3);
  CHECK(stored(3 * MB, 1, VIEWS) == 3);
  CHECK(stored(256 * MB, 0, 1) == 1);
  CHECK(stored(256 * MB, 1, 1) == 1);
}

/* Rows grow in the memory they have where bases are stored, too: to touch other memory is dear. */
static void test_rows_stay_where_they_are(void) {
  world w;
  mk_gram *gram = NULL;
  mk_control control = {.max_time = INFINITY, .cache = 256 * MB};
  mk_status status = MK_OK;
  world_new(&w, VIEWS);
  CHECK(mk_gram_new(&gram, w.set, 1, 1, &control) == MK_OK);
  CHECK(mk_gram_extend(gram, w.order, 300) == MK_OK);
  CHECK(mk_gram_mix(gram, w.theta) == MK_OK);
  const void *before = mk_gram_row(gram, 0, &status).at;
  CHECK(before != NULL && status == MK_OK);
  CHECK(mk_gram_extend(gram, w.order + 300, N - 300) == MK_OK);
  CHECK(mk_gram_mix(gram, w.theta) == MK_OK);
  CHECK(mk_gram_row(gram, 0, &status).at == before);
  mk_gram_free(gram);
  world_free(&w);
}

/* Fits ask before any sample has joined. */
static void test_few_columns_are_told_from_the_start(void) {
  static const int column[] = {0, 1, 2};
  mk_kernel_spec linear[3];
  size_t rows = 10 * N;
  double *x = MK_NEW(double, 3 * rows);
  data_fill(3 * rows, x);
  mk_view view = {.rows = rows, .cols = 3, .x = x};
  for (int m = 0; m < 3; m++)
    linear[m] = (mk_kernel_spec){.type = MK_LINEAR, .features = &column[m], .feature_count = 1};
  mk_kernel_set *set;
  CHECK(mk_set_new(&set, rows, &view, 1, linear, 3, NULL) == MK_OK);
  mk_control control = {.max_time = INFINITY, .cache = 100 * MB, .team = team};
  mk_gram *gram;
  CHECK(mk_gram_new(&gram, set, 0, 1, &control) == MK_OK);
  CHECK(mk_gram_thin(gram) != NULL);
  mk_gram_free(gram);
  mk_set_free(set);
  mk_free(x);
}

int main(void) {
  RUN(test_rows_in_doubles);
  RUN(test_rows_in_floats);
  RUN(test_bases_are_stored_within_the_budget);
  RUN(test_rows_stay_where_they_are);
  RUN(test_few_columns_are_told_from_the_start);
  RUN_TEAM(2, test_rows_in_floats);
  RUN_TEAM(3, test_rows_in_doubles);
  return REPORT();
}
