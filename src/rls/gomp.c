/* Group orthogonal matching pursuit: the loop, and the path it leaves.
 * Called by rglue/gomp.c.
 * Mathematics: section 5. */
#include "gomp.h"

#include "base/memory.h"
#include "base/simd.h"
#include "dictionary.h"
#include "ridge.h"

#include <math.h>
#include <string.h>

#define LEAST 1e-13 /* share of the sum of squares that double precision tells from 0 */

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

typedef struct pursuit {
  const mk_gomp_problem *problem;
  const mk_control *control;
  mk_gomp_path *path;
  mk_dictionary *dictionary;
  mk_ridge *ridge;
  size_t kernels, values;
  char *taken;
  double *score, *residual;
} pursuit;

static mk_status prepare(pursuit *p) {
  p->taken = MK_NEW0(char, p->kernels + 1);
  p->score = MK_NEW(double, p->kernels + 1);
  p->residual = MK_NEW(double, p->values);
  if (p->taken == NULL || p->score == NULL || p->residual == NULL) return MK_NO_MEMORY;
  memcpy(p->residual, p->problem->y, p->values * sizeof *p->residual);
  MK_TRY(mk_dictionary_new(&p->dictionary, p->problem, p->control));
  p->ridge = mk_ridge_new(p->problem, p->dictionary, p->control);
  return p->ridge == NULL ? MK_NO_MEMORY : MK_OK;
}

static void note_memory(const pursuit *p) {
  size_t bytes = mk_dictionary_bytes(p->dictionary) + mk_ridge_bytes(p->ridge);
  bytes += p->path->steps * p->values * sizeof(double);
  if (bytes > p->path->bytes) p->path->bytes = bytes;
}

static void finish(pursuit *p) {
  if (p->ridge != NULL) note_memory(p);
  if (p->dictionary != NULL) {
    p->path->bad = mk_dictionary_bad(p->dictionary);
    p->path->kept = mk_dictionary_kept(p->dictionary);
  }
  mk_ridge_free(p->ridge);
  mk_dictionary_free(p->dictionary);
  mk_free(p->taken);
  mk_free(p->score);
  mk_free(p->residual);
}

/* The first of those whose improvement is the largest. */
static size_t best_kernel(const pursuit *p) {
  size_t best = p->kernels;
  double most = -1.0;
  for (size_t m = 0; m < p->kernels; m++)
    if (!p->taken[m]) most = fmax(most, p->score[m]);
  for (size_t m = p->kernels; m-- > 0;)
    if (!p->taken[m] && p->score[m] >= most * (1.0 - MK_GOMP_TIE)) best = m;
  return best;
}

/* Takes kernel m: all chosen ones are fitted anew. */
static mk_status take(pursuit *p, size_t m) {
  mk_gomp_path *path = p->path;
  double *alpha = MK_NEW(double, p->values), delta = mk_gomp_delta(p->problem);
  mk_status status = alpha == NULL ? MK_NO_MEMORY : mk_ridge_add(p->ridge, m);
  if (status == MK_OK) status = mk_ridge_solve(p->ridge, alpha);
  if (status != MK_OK) {
    mk_free(alpha);
    return status;
  }
  p->taken[m] = 1;
  for (size_t i = 0; i < p->values; i++) p->residual[i] = delta * alpha[i];
  path->kernel[path->steps] = (int)m;
  path->improvement[path->steps] = p->score[m];
  path->seconds[path->steps] = mk_seconds() - p->control->start;
  path->alpha[path->steps++] = alpha;
  note_memory(p);
  return MK_OK;
}

static void report(const pursuit *p) {
  const mk_gomp_path *path = p->path;
  size_t last = path->steps - 1;
  if (p->control->progress == NULL) return;
  double fitted = mk_simd_best()->dot(p->values, p->problem->y, path->alpha[last]);
  p->control->progress(p->control->data, (double)path->steps, path->seconds[last],
                       p->problem->lambda * fitted, path->improvement[last]);
}

static mk_status pursue(pursuit *p) {
  const mk_gomp_problem *problem = p->problem;
  double square = mk_simd_best()->dot(p->values, problem->y, problem->y);
  double least = fmax(problem->epsilon, LEAST * square);
  size_t most = mk_smaller(problem->max_kernels, p->kernels);
  while (p->path->steps < most) {
    MK_TRY(mk_check(p->control));
    MK_TRY(mk_dictionary_score(p->dictionary, p->residual, p->taken, p->score));
    size_t best = best_kernel(p);
    if (best == p->kernels || !(p->score[best] > least)) return MK_OK;
    MK_TRY(take(p, best));
    report(p);
  }
  return MK_OK;
}

mk_status mk_gomp(const mk_gomp_problem *problem, const mk_control *control, mk_gomp_path *path) {
  pursuit p = {.problem = problem, .control = control, .path = path};
  p.kernels = mk_set_kernels(problem->set);
  p.values = problem->n * problem->tasks;
  mk_status status = prepare(&p);
  if (status == MK_OK) status = pursue(&p);
  finish(&p);
  return status;
}
