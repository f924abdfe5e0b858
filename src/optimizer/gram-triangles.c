/* Rows of some kernels whose values are all there (triangles.h), over all samples: the mixture is
 * made whole, and K_m alpha of the kernels, once for each alpha, give the quadratic forms and what
 * theta's Newton step asks for. */
#include "base/memory.h"
#include "gram-internal.h"
#include "optimizer/triangles.h"

#include <string.h>

struct mk_gram_part {
  const mk_some_kernels *kernels;
  size_t n, ld, tasks;
  double *row;   /* n x ld: the mixture */
  double *alpha; /* tasks x n: as last looked at, ... */
  double *u;     /* ... and tasks x count x n: the kernels' responses to them, ... */
  char *whole;   /* ... tasks: 1: all of these, not only where alpha is not 0 */
};

mk_status mk_gram_of_part(mk_gram **out, const mk_some_kernels *kernels, size_t tasks,
                          const mk_control *control) {
  mk_gram *gram = *out = MK_NEW0(mk_gram, 1);
  if (gram == NULL) return MK_NO_MEMORY;
  size_t n = mk_set_samples(kernels->set), ld = mk_padded(n);
  mk_gram_part *part = gram->part = MK_NEW0(mk_gram_part, 1);
  gram->set = kernels->set;
  gram->control = control;
  gram->sample = MK_NEW(int, n);
  gram->diagonal = MK_NEW0(double, ld);
  if (part == NULL || gram->sample == NULL || gram->diagonal == NULL) return MK_NO_MEMORY;
  part->kernels = kernels;
  part->n = n;
  part->ld = ld;
  part->tasks = tasks;
  part->row = MK_NEW(double, n *ld);
  part->alpha = MK_NEW0(double, tasks *n);
  part->u = MK_NEW0(double, tasks * kernels->count * n);
  part->whole = MK_NEW0(char, tasks);
  if (part->whole == NULL || part->row == NULL || part->alpha == NULL || part->u == NULL)
    return MK_NO_MEMORY;
  gram->most_bytes = sizeof(double) * (n * ld + tasks * n * (kernels->count + 1));
  return MK_OK;
}

size_t mk_gram_part_kernels(const mk_gram_part *part) {
  return part->kernels->count;
}

void mk_gram_part_free(mk_gram_part *part) {
  if (part == NULL) return;
  mk_free(part->row);
  mk_free(part->alpha);
  mk_free(part->u);
  mk_free(part->whole);
  mk_free(part);
}

/* All samples, in their order. */
mk_status mk_gram_part_extend(mk_gram *gram, const int *samples, size_t count) {
  if (gram->count != 0 || count != gram->part->n) return MK_BAD_ARGUMENT;
  memcpy(gram->sample, samples, count * sizeof *samples);
  gram->count = count;
  return MK_OK;
}

mk_status mk_gram_part_mix(mk_gram *gram, const double *theta) {
  mk_gram_part *part = gram->part;
  const mk_some_kernels *kernels = part->kernels;
  mk_triangles_mix(kernels->triangles, kernels->list, kernels->count, theta, gram->control->team,
                   part->row, part->ld);
  for (size_t i = 0; i < part->n; i++) gram->diagonal[i] = part->row[i * part->ld + i];
  return MK_OK;
}

mk_row mk_gram_part_row(const mk_gram *gram, size_t i) {
  return (mk_row){gram->part->row + i * gram->part->ld, 0};
}

/* The kernels' responses to one task's alpha, at least where it is not 0. */
static const double *respond(mk_gram *gram, size_t task, const double *alpha, int whole) {
  mk_gram_part *part = gram->part;
  const mk_some_kernels *kernels = part->kernels;
  double *u = part->u + task * kernels->count * part->n, *known = part->alpha + task * part->n;
  int same = memcmp(known, alpha, part->n * sizeof *alpha) == 0;
  if (same && part->whole[task] >= whole) return u;
  memcpy(known, alpha, part->n * sizeof *alpha);
  part->whole[task] = (char)whole;
  mk_triangles_respond(kernels->triangles, kernels->list, kernels->count, alpha, whole,
                       gram->control->team, u);
  return u;
}

mk_status mk_gram_part_response(mk_gram *gram, const mk_alphas *alphas, double **out) {
  const mk_gram_part *part = gram->part;
  for (size_t t = 0; t < alphas->tasks; t++) {
    memset(out[t], 0, part->n * sizeof(double));
    for (size_t i = 0; i < part->n; i++)
      if (alphas->alpha[t][i] != 0.0)
        mk_simd_best()->axpy(part->n, alphas->alpha[t][i], part->row + i * part->ld, out[t]);
  }
  return MK_OK;
}

mk_status mk_gram_part_forms(mk_gram *gram, const mk_alphas *alphas, double *s) {
  const mk_gram_part *part = gram->part;
  memset(s, 0, part->kernels->count * sizeof *s);
  for (size_t t = 0; t < alphas->tasks; t++) {
    const double *u = respond(gram, t, alphas->alpha[t], 0);
    for (size_t k = 0; k < part->kernels->count; k++)
      s[k] += mk_simd_best()->dot(part->n, u + k * part->n, alphas->alpha[t]);
  }
  return MK_OK;
}

/* The task whose alpha this most likely is: its responses are there. */
static size_t task_of(const mk_gram_part *part, const double *alpha) {
  for (size_t t = 0; t < part->tasks; t++)
    if (memcmp(part->alpha + t * part->n, alpha, part->n * sizeof *alpha) == 0) return t;
  return 0;
}

mk_status mk_gram_part_member_responses(mk_gram *gram, const double *alpha, const int *positions,
                                        size_t count, double *u) {
  const mk_gram_part *part = gram->part;
  size_t kernels = part->kernels->count;
  int whole = 0;
  for (size_t i = 0; i < count; i++) whole |= alpha[positions[i]] == 0.0;
  const double *all = respond(gram, task_of(part, alpha), alpha, whole);
  for (size_t k = 0; k < kernels; k++)
    for (size_t i = 0; i < count; i++) u[i * kernels + k] = all[k * part->n + (size_t)positions[i]];
  return MK_OK;
}
