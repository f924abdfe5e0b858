/* Group orthogonal matching pursuit: its loop and its path. Called by rglue/gomp.c. MATHEMATICS.md,
 * section 5. */
#include "gomp.h"

#include "base/memory.h"
#include "base/pool.h"
#include "base/simd.h"
#include "dictionary.h"
#include "ridge.h"

#include <math.h>
#include <string.h>

#define LEAST 1e-13 /* share of the sum of squares below which an improvement counts as 0 */

mk_status mk_gomp_path_new(mk_gomp_path *path, const mk_gomp_problem *problem) {
  size_t most = problem->max_kernels + 1;
  memset(path, 0, sizeof *path);
  path->bad = -1;
  path->kernel = MK_NEW(int, most);
  path->improvement = MK_NEW(double, most);
  path->seconds = MK_NEW(double, most);
  path->alpha = MK_NEW0(double *, most);
  if (path->kernel != NULL && path->improvement != NULL && path->seconds != NULL &&
      path->alpha != NULL)
    return MK_OK;
  mk_gomp_path_clear(path);
  return MK_NO_MEMORY;
}

void mk_gomp_path_clear(mk_gomp_path *path) {
  for (size_t s = 0; path->alpha != NULL && s < path->steps; s++) mk_free(path->alpha[s]);
  mk_free(path->kernel);
  mk_free(path->improvement);
  mk_free(path->seconds);
  mk_free(path->alpha);
  memset(path, 0, sizeof *path);
}

/* The tasks whose samples have the same weights, and which therefore share factors. */
typedef struct mk_gomp_part {
  mk_gomp_problem problem;
  mk_dictionary *dictionary;
  mk_ridge *ridge;
} mk_gomp_part;

typedef struct pursuit {
  const mk_gomp_problem *problem;
  mk_control control; /* control of each part, with its share of the memory */
  mk_gomp_path *path;
  mk_gomp_part *part;
  size_t parts, kernels, values;
  char *taken;
  char *skipped;             /* by kernel: 1 if taken or not a candidate of this step */
  double *score, *own_score; /* by kernel: score of all parts; of one part */
  double *target, *residual; /* D Y, D R */
  mk_pool memory;            /* owns the vectors above */
} pursuit;

static double root_of(const mk_gomp_problem *problem, size_t value) {
  if (problem->root == NULL) return 1.0;
  return problem->root[problem->own_roots ? value : value % problem->n];
}

static mk_status open_part(pursuit *p, size_t k) {
  mk_gomp_part *part = &p->part[k];
  const mk_gomp_problem *whole = p->problem;
  part->problem = *whole;
  part->problem.tasks = whole->tasks / p->parts;
  part->problem.y = p->target + k * part->problem.tasks * whole->n;
  if (whole->root != NULL) part->problem.root = whole->root + k * whole->n;
  MK_TRY(mk_dictionary_new(&part->dictionary, &part->problem, &p->control));
  part->ridge = mk_ridge_new(&part->problem, part->dictionary, &p->control);
  return part->ridge == NULL ? MK_NO_MEMORY : MK_OK;
}

static mk_status open_pursuit(pursuit *p) {
  p->part = MK_TAKE0(&p->memory, mk_gomp_part, p->parts);
  p->taken = MK_TAKE0(&p->memory, char, p->kernels + 1);
  p->skipped = MK_TAKE0(&p->memory, char, p->kernels + 1);
  p->score = MK_TAKE(&p->memory, double, p->kernels + 1);
  p->own_score = MK_TAKE(&p->memory, double, p->kernels + 1);
  p->target = MK_TAKE(&p->memory, double, p->values);
  p->residual = MK_TAKE(&p->memory, double, p->values);
  MK_TRY(mk_pool_status(&p->memory));
  for (size_t i = 0; i < p->values; i++) p->target[i] = root_of(p->problem, i) * p->problem->y[i];
  memcpy(p->residual, p->target, p->values * sizeof *p->residual);
  for (size_t k = 0; k < p->parts; k++) MK_TRY(open_part(p, k));
  return MK_OK;
}

static void note_memory(const pursuit *p) {
  size_t bytes = p->path->steps * p->values * sizeof(double);
  for (size_t k = 0; k < p->parts; k++)
    bytes += mk_dictionary_bytes(p->part[k].dictionary) + mk_ridge_bytes(p->part[k].ridge);
  if (bytes > p->path->bytes) p->path->bytes = bytes;
}

static void finish_path(pursuit *p) {
  int complete = p->part != NULL && p->part[p->parts - 1].ridge != NULL;
  if (complete) note_memory(p);
  p->path->kept = complete ? p->kernels : 0;
  for (size_t k = 0; p->part != NULL && k < p->parts; k++) {
    mk_gomp_part *part = &p->part[k];
    if (part->dictionary != NULL) {
      if (p->path->bad < 0) p->path->bad = mk_dictionary_bad(part->dictionary);
      p->path->kept = mk_smaller(p->path->kept, mk_dictionary_kept(part->dictionary));
    }
    mk_ridge_free(part->ridge);
    mk_dictionary_free(part->dictionary);
  }
  mk_pool_free(&p->memory);
}

static void choose_candidates(pursuit *p) {
  const mk_gomp_problem *problem = p->problem;
  memcpy(p->skipped, p->taken, p->kernels);
  if (problem->drawn == NULL) return;
  memset(p->skipped, 1, p->kernels);
  const int *row = problem->drawn + p->path->steps * problem->drawn_per_step;
  size_t count = 0;
  for (size_t k = 0; k < problem->drawn_per_step && count < problem->candidates; k++) {
    if (p->taken[row[k]]) continue;
    p->skipped[row[k]] = 0;
    count++;
  }
}

static mk_status score_kernels(pursuit *p) {
  for (size_t m = 0; m < p->kernels; m++) p->score[m] = 0.0;
  for (size_t k = 0; k < p->parts; k++) {
    const double *residual = p->residual + k * (p->values / p->parts);
    MK_TRY(mk_dictionary_score(p->part[k].dictionary, residual, p->skipped, p->own_score));
    for (size_t m = 0; m < p->kernels; m++)
      if (!p->skipped[m]) p->score[m] += p->own_score[m];
  }
  return MK_OK;
}

static mk_status refit_chosen(pursuit *p, size_t m, double *alpha) {
  for (size_t k = 0; k < p->parts; k++) {
    MK_TRY(mk_ridge_add(p->part[k].ridge, m));
    MK_TRY(mk_ridge_solve(p->part[k].ridge, alpha + k * (p->values / p->parts)));
  }
  return MK_OK;
}

/* Returns the first kernel whose improvement ties with the largest. */
static size_t best_kernel(const pursuit *p) {
  size_t best = p->kernels;
  double most = -1.0;
  for (size_t m = 0; m < p->kernels; m++)
    if (!p->skipped[m]) most = fmax(most, p->score[m]);
  for (size_t m = p->kernels; m-- > 0;)
    if (!p->skipped[m] && p->score[m] >= most * (1.0 - MK_GOMP_TIE)) best = m;
  return best;
}

/* Adds kernel m and refits all chosen kernels. */
static mk_status add_kernel(pursuit *p, size_t m) {
  mk_gomp_path *path = p->path;
  double *alpha = MK_NEW(double, p->values), delta = mk_gomp_delta(p->problem);
  mk_status status = alpha == NULL ? MK_NO_MEMORY : refit_chosen(p, m, alpha);
  if (status != MK_OK) {
    mk_free(alpha);
    return status;
  }
  p->taken[m] = 1;
  for (size_t i = 0; i < p->values; i++) {
    p->residual[i] = delta * alpha[i];
    alpha[i] *= root_of(p->problem, i);
  }
  path->kernel[path->steps] = (int)m;
  path->improvement[path->steps] = p->score[m];
  path->seconds[path->steps] = mk_seconds() - p->control.start;
  path->alpha[path->steps++] = alpha;
  note_memory(p);
  return MK_OK;
}

static void report_step(const pursuit *p) {
  const mk_gomp_path *path = p->path;
  size_t last = path->steps - 1;
  if (p->control.progress == NULL) return;
  double fitted = mk_simd_best()->dot(p->values, p->problem->y, path->alpha[last]);
  p->control.progress(p->control.data, (double)path->steps, path->seconds[last],
                      p->problem->lambda * fitted, path->improvement[last], 0.0);
}

static mk_status pursue(pursuit *p) {
  const mk_gomp_problem *problem = p->problem;
  double square = mk_simd_best()->dot(p->values, p->target, p->target);
  double least = fmax(problem->epsilon, LEAST * square);
  size_t most = mk_smaller(problem->max_kernels, p->kernels);
  while (p->path->steps < most) {
    MK_TRY(mk_check(&p->control));
    choose_candidates(p);
    MK_TRY(score_kernels(p));
    size_t best = best_kernel(p);
    if (best == p->kernels || !(p->score[best] > least)) return MK_OK;
    MK_TRY(add_kernel(p, best));
    report_step(p);
  }
  return MK_OK;
}

mk_status mk_gomp(const mk_gomp_problem *problem, const mk_control *control, mk_gomp_path *path) {
  pursuit p = {.problem = problem, .control = *control, .path = path};
  p.parts = problem->own_roots ? problem->tasks : 1;
  p.control.cache /= p.parts;
  p.kernels = mk_set_kernels(problem->set);
  p.values = problem->n * problem->tasks;
  mk_status status = open_pursuit(&p);
  if (status == MK_OK) status = pursue(&p);
  finish_path(&p);
  return status;
}
