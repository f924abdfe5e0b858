/* Responses and forms of feature blocks. The columns' products with alpha are
 * remembered: a new theta with the same alphas asks for no new ones. */
#include "base/memory.h"
#include "gram-internal.h"

#include <string.h>

/* ---- the projection ---- */

static void free_lists(double **list, size_t tasks) {
  for (size_t t = 0; list != NULL && t < tasks; t++) mk_free(list[t]);
  mk_free(list);
}

void mk_gram_free_projection(mk_gram *gram) {
  mk_projection *p = gram->projection;
  if (p == NULL) return;
  free_lists(p->alpha, p->tasks);
  free_lists(p->g, p->tasks);
  free_lists(p->old_alpha, p->tasks);
  free_lists(p->old_g, p->tasks);
  free_lists(p->response, p->tasks);
  mk_free(p);
  gram->projection = NULL;
}

static double **new_lists(size_t tasks, size_t length) {
  double **list = MK_NEW0(double *, tasks);
  for (size_t t = 0; list != NULL && t < tasks; t++)
    if ((list[t] = MK_NEW0(double, length)) == NULL) {
      free_lists(list, tasks);
      return NULL;
    }
  return list;
}

/* alpha = 0 has products 0: a new projection is a true one. */
static mk_status open_projection(mk_gram *gram, size_t tasks) {
  size_t n = mk_set_samples(gram->set), slots = mk_set_slots(gram->set);
  if (gram->projection != NULL && gram->projection->tasks == tasks) return MK_OK;
  mk_gram_free_projection(gram);
  mk_projection *p = gram->projection = MK_NEW0(mk_projection, 1);
  if (p == NULL) return MK_NO_MEMORY;
  p->tasks = tasks;
  p->alpha = new_lists(tasks, n);
  p->g = new_lists(tasks, slots);
  p->old_alpha = new_lists(tasks, n);
  p->old_g = new_lists(tasks, slots);
  p->response = new_lists(tasks, n);
  if (p->alpha == NULL || p->g == NULL || p->old_alpha == NULL || p->old_g == NULL ||
      p->response == NULL)
    return MK_NO_MEMORY;
  size_t bytes = tasks * (3 * n + 2 * slots) * sizeof(double);
  if (bytes > gram->projection_bytes) gram->projection_bytes = bytes;
  return MK_OK;
}

/* The alphas by sample; 1: they are those whose products are known. */
static int enter_alphas(mk_gram *gram, const mk_alphas *alphas) {
  mk_projection *p = gram->projection;
  size_t n = mk_set_samples(gram->set);
  int same = 1;
  for (size_t t = 0; t < p->tasks; t++) {
    double *scattered = p->response[t];
    memset(scattered, 0, n * sizeof(double));
    for (size_t i = 0; i < gram->count; i++) scattered[gram->sample[i]] = alphas->alpha[t][i];
    same &= memcmp(scattered, p->alpha[t], n * sizeof(double)) == 0;
    memcpy(p->alpha[t], scattered, n * sizeof(double));
  }
  return same;
}

static int any_alpha(const mk_gram *gram) {
  const mk_projection *p = gram->projection;
  for (size_t t = 0; t < p->tasks; t++)
    for (size_t i = 0; i < mk_set_samples(gram->set); i++)
      if (p->alpha[t][i] != 0.0) return 1;
  return 0;
}

static mk_pass plan(const mk_gram *gram, int known, const mk_slot_weights *weights) {
  const mk_projection *p = gram->projection;
  return (mk_pass){.tasks = p->tasks,
                   .alpha = p->alpha,
                   .g = p->g,
                   .known = known,
                   .weights = weights,
                   .response = p->response};
}

/* Products of these alphas, for forms and member responses. */
static mk_status project(mk_gram *gram, const mk_alphas *alphas) {
  MK_TRY(open_projection(gram, alphas->tasks));
  if (enter_alphas(gram, alphas)) return MK_OK;
  mk_pass pass = plan(gram, 0, NULL);
  return mk_features_pass(gram->set, &pass, gram->control);
}

/* ---- what the rows ask for ---- */

/* Responses of the feature blocks by these weights of columns, by sample. */
static mk_status respond(mk_gram *gram, const mk_alphas *alphas, const mk_slot_weights *weights) {
  MK_TRY(open_projection(gram, alphas->tasks));
  mk_pass pass = plan(gram, enter_alphas(gram, alphas), weights);
  if (!pass.known || any_alpha(gram)) return mk_features_pass(gram->set, &pass, gram->control);
  for (size_t t = 0; t < alphas->tasks; t++)
    memset(pass.response[t], 0, mk_set_samples(gram->set) * sizeof(double));
  return MK_OK;
}

mk_status mk_gram_add_features(mk_gram *gram, const mk_alphas *alphas, double **out) {
  if (!mk_set_explicit(gram->set)) return MK_OK;
  MK_TRY(respond(gram, alphas, mk_mixture_slot_weights(gram->mixture)));
  for (size_t t = 0; t < alphas->tasks; t++)
    for (size_t i = 0; i < mk_set_samples(gram->set); i++)
      out[t][i] += gram->projection->response[t][i];
  return MK_OK;
}

mk_status mk_gram_feature_response(mk_gram *gram, const mk_alphas *alphas, double **out) {
  MK_TRY(respond(gram, alphas, mk_mixture_slot_weights(gram->mixture)));
  for (size_t t = 0; t < alphas->tasks; t++)
    for (size_t i = 0; i < gram->count; i++)
      out[t][i] = gram->projection->response[t][gram->sample[i]];
  return MK_OK;
}

static double inner(const double *x, const double *y, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

mk_status mk_gram_correct(mk_gram *gram, const mk_alphas *alphas, double **out) {
  const double *model = mk_mixture_stored(gram->mixture);
  const mk_simd *simd = mk_simd_best();
  size_t a = gram->count;
  int learns = gram->learns;
  MK_TRY(respond(gram, alphas, mk_mixture_slot_weights(gram->mixture)));
  double *guess = MK_NEW0(double, a), *truth = MK_NEW(double, a);
  mk_status status = guess == NULL || truth == NULL ? MK_NO_MEMORY : MK_OK;
  for (size_t t = alphas->tasks; status == MK_OK && t-- > 0;) {
    const double *alpha = alphas->alpha[t];
    memset(guess, 0, a * sizeof *guess);
    for (size_t i = 0; i < a; i++)
      if (alpha[i] != 0.0) simd->axpy(a, alpha[i], model + i * a, guess);
    for (size_t i = 0; i < a; i++) {
      truth[i] = gram->projection->response[t][gram->sample[i]];
      out[t][i] += truth[i] - guess[i];
    }
  }
  /* of several tasks the first, which comes last: what is learned changes the model */
  if (status == MK_OK && learns) mk_gram_learn(gram, alphas->alpha[0], guess, truth);
  gram->learns = 0;
  mk_free(guess);
  mk_free(truth);
  return status;
}

mk_status mk_gram_feature_forms(mk_gram *gram, const mk_alphas *alphas, double *s) {
  if (!mk_set_explicit(gram->set)) return MK_OK;
  MK_TRY(project(gram, alphas));
  mk_pass pass = plan(gram, 1, NULL);
  mk_features_forms(gram->set, &pass, s);
  return MK_OK;
}

#define MOST_VALUES 1e8 /* to read for forms that pairs have given, if less well */

mk_status mk_gram_linear_forms(mk_gram *gram, const mk_alphas *alphas, double *s) {
  double values = (double)alphas->tasks * mk_linear_form_values(gram->set);
  if (values == 0.0 || values > MOST_VALUES) return MK_OK;
  double **scattered = new_lists(alphas->tasks, mk_set_samples(gram->set));
  if (scattered == NULL) return MK_NO_MEMORY;
  for (size_t t = 0; t < alphas->tasks; t++)
    for (size_t i = 0; i < gram->count; i++) scattered[t][gram->sample[i]] = alphas->alpha[t][i];
  mk_linear_ask ask = {gram->set, alphas->tasks, scattered, s};
  mk_linear_forms(&ask, mk_team_worth(gram->control->team, values));
  free_lists(scattered, alphas->tasks);
  return MK_OK;
}

/* Kernel by kernel, since columns are read from top to bottom. */
typedef struct member_reading {
  const mk_gram *gram;
  mk_pass pass;
  const int *positions;
  size_t count;
  int generators;
  double *work; /* threads x n */
  double *u;
} member_reading;

static mk_status read_member(void *data, size_t k, int thread) {
  const member_reading *to = data;
  const mk_gram *gram = to->gram;
  size_t width = to->generators ? mk_gram_generators(gram) : mk_set_kernels(gram->set);
  size_t first = to->generators ? mk_sums_first_slot(gram->sums[0], gram->families - 1) : 0;
  double *response = to->work + (size_t)thread * mk_set_samples(gram->set);
  size_t m = mk_features_member(gram->set, &to->pass, k, response);
  double *out = to->u + (to->generators ? first + k : m);
  for (size_t i = 0; i < to->count; i++) out[i * width] = response[gram->sample[to->positions[i]]];
  return MK_OK;
}

/* One task's alpha: a projection of its own. */
mk_status mk_gram_feature_member_responses(mk_gram *gram, const double *alpha, const int *positions,
                                           size_t count, int generators, double *u) {
  mk_alphas alphas = {1, (double **)&alpha};
  if (!mk_set_explicit(gram->set)) return MK_OK;
  mk_projection *own = gram->projection;
  gram->projection = own != NULL && own->tasks == 1 ? own : NULL;
  size_t n = mk_set_samples(gram->set);
  double *work = MK_NEW(double, (size_t)gram->threads *n);
  mk_status status = work == NULL ? MK_NO_MEMORY : project(gram, &alphas);
  if (status == MK_OK) {
    double values = (double)mk_features_columns(gram->set) * (double)n;
    member_reading to = {gram, plan(gram, 1, NULL), positions, count, generators, work, u};
    status = mk_deal_out(mk_features_count(gram->set), mk_team_worth(gram->control->team, values),
                         read_member, &to);
  }
  mk_free(work);
  if (own != NULL && own->tasks != 1) {
    mk_gram_free_projection(gram);
    gram->projection = own;
  }
  return status;
}

/* ---- the model ---- */

int mk_gram_is_model(const mk_gram *gram) {
  return mk_mixture_is_model(gram->mixture);
}

mk_status mk_gram_renew_model(mk_gram *gram, const double *theta) {
  mk_mixture_renew(gram->mixture);
  return mk_gram_mix(gram, theta);
}

/* K_m + scale v v' */
static void add_square(mk_gram *gram, const double *v, double scale) {
  double *model = mk_mixture_stored(gram->mixture);
  const mk_simd *simd = mk_simd_best();
  for (size_t i = 0; i < gram->count; i++) {
    simd->axpy(gram->count, scale * v[i], v, model + i * gram->count);
    gram->diagonal[i] += scale * v[i] * v[i];
  }
}

#define LEAST_CURVATURE 1e-6 /* of the guess; less is rounding */

void mk_gram_learn(mk_gram *gram, const double *x, const double *guess, const double *truth) {
  double guessed = inner(x, guess, gram->count), found = inner(x, truth, gram->count);
  if (!(guessed > 0.0) || !(found > LEAST_CURVATURE * guessed)) return;
  add_square(gram, guess, -1.0 / guessed);
  add_square(gram, truth, 1.0 / found);
  mk_cache_invalidate(gram->cache);
}

static void exchange(double **a, double **b, size_t tasks) {
  for (size_t t = 0; t < tasks; t++) {
    double *held = a[t];
    a[t] = b[t];
    b[t] = held;
  }
}

void mk_gram_keep(mk_gram *gram) {
  mk_projection *p = gram->projection;
  exchange(p->g, p->old_g, p->tasks);
  exchange(p->alpha, p->old_alpha, p->tasks);
}

void mk_gram_blend(mk_gram *gram, const double *kept, const double *present,
                   const mk_alphas *alphas) {
  mk_projection *p = gram->projection;
  size_t slots = mk_set_slots(gram->set);
  for (size_t t = 0; t < p->tasks; t++) {
    double *g = p->g[t], old = kept != NULL ? kept[t] : 0.0;
    for (size_t k = 0; present[t] != 1.0 && k < slots; k++) g[k] *= present[t];
    for (size_t k = 0; old != 0.0 && k < slots; k++) g[k] += old * p->old_g[t][k];
  }
  enter_alphas(gram, alphas);
}
