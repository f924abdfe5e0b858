/* Bounds of the rounding errors of an expansion, to first order in u, the unit of rounding. Called
 * by expansion.c at its end; the certificate reads them. MATHEMATICS.md, section 1.5.
 *
 * Each kernel has magnitudes a_i such that |k(x_i, x_j)|, and whatever cancels on the way to it, is
 * at most a_i a_j: 1 for Gaussian and Tanimoto kernels, |x_i| for linear kernels and (scale |x_i|^2
 * + |offset|)^(degree/2) for polynomials by Cauchy and Schwarz, sqrt(k_ii) for matrices, which are
 * taken as they are. Errors have either sign: N roundings of size u add up to at most a few times
 * sqrt(N) u, and those of different terms to the root of the sum of their squares (Higham and Mary
 * 2019, Theorem 2.4). Let N be the roundings of a term on its way into a sum (the units; a
 * magnified rounding counts by the square), and |alpha a| the root of sum_j (alpha_j a_j)^2. Then
 * the error of f_i is at most MK_SURE sqrt(N) u a_i |alpha a|, and that of alpha'K alpha at most
 * MK_SURE sqrt(N) u |alpha a|^2. Linear kernels use their features w = X'alpha, computed with about
 * twice the working precision: their errors are at most a_i e and 2 |w| e + e^2 with e = MK_SURE
 * sqrt(N) u |w| + 2 n u^2 sum_j |alpha_j| a_j. If there is an offset, alpha sums to 0 but for
 * rounding, and the offset absorbs what all values share. So the means of centring are multiplied
 * by that small sum only, and values are those of alphas that sum to 0 exactly. */
#include "exact/expansion-rounding.h"

#include "base/memory.h"
#include "exact/exact-internal.h"
#include "exact/expansion-direct.h"
#include "kernel/local.h"

#include <math.h>
#include <string.h>

#define MEAN_PART 256.0 /* values that a mean adds up at a time (see means.c) */

/* ---- magnitudes ---- */

/* Computes |x_i - centre|^2 with the centres that mk_expand_features() subtracts, and returns
 * |centre|. */
static double centred_squares(const mk_family *family, const mk_simd *simd, double *out) {
  const mk_view *view = family->view;
  double square = 0.0;
  memset(out, 0, view->rows * sizeof *out);
  for (size_t k = 0; k < family->feature_count; k++) {
    size_t j = mk_family_feature(family, k);
    double centre = mk_dense_mean(view, j);
    simd->add_squares(view->rows, centre, view->x + j * view->rows, out);
    square += centre * centre;
  }
  return sqrt(square);
}

/* Computes magnitudes of locally linear kernels that are divided by roots, where the distances from
 * the anchor cancel. */
static void local_magnitudes(const mk_local *local, size_t slot, size_t n, double *a) {
  double most = 0.0;
  for (size_t i = 0; i < n; i++) {
    double h = local->h[i * local->padded + slot], u = local->u[i * local->padded + slot];
    a[i] = h > 0.0 ? 2.0 * u / h : 0.0;
    most = fmax(most, a[i]);
  }
  for (size_t i = 0; i < n; i++) a[i] = a[i] > 0.0 ? 2.0 * sqrt(most / a[i]) : 0.0;
}

/* Computes magnitudes and returns the length of the centre that features lose. */
static double plain_magnitudes(const mk_expansion_job *job, size_t m, double *a) {
  const mk_kernel_set *set = job->set;
  const mk_member *member = &set->member[m];
  const mk_family *family = &set->family[member->family];
  size_t n = set->n;
  double centre = 0.0;
  for (size_t i = 0; i < n; i++)
    a[i] = mk_member_is_matrix(member)     ? sqrt(fabs(member->diagonal[i]))
           : mk_member_is_function(member) ? sqrt(fmax(job->largest, member->spec.magnitude))
                                           : 1.0;
  if (member->kind->magnitude == NULL) return centre;
  int centred = job->ask->level && mk_member_is_linear(member) && mk_expands_by_features(job, m);
  if (centred && family->view->x != NULL)
    centre = centred_squares(family, set->simd, a);
  else
    mk_plain_squares(family, a);
  for (size_t i = 0; i < n; i++) a[i] = member->kind->magnitude(&member->spec, a[i]);
  return centre;
}

/* Computes magnitudes of kernels that are divided by roots; the errors of the roots are those of
 * k(x_i, x_i), centred or not. */
static void divide_magnitudes(const mk_expansion_job *job, size_t m, double mean, double *a) {
  const mk_member *member = &job->set->member[m];
  size_t n = job->set->n;
  if (mk_member_is_local(member)) {
    local_magnitudes(job->set->family[member->family].local, (size_t)member->slot, n, a);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    double own = (a[i] + mean) * member->root[i];
    a[i] = member->mean != NULL ? own * own : own;
  }
}

static double mean_of(const double *a, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i];
  return sum / (double)n;
}

/* ---- one kernel ---- */

/* Magnitudes of a kernel, and of what centring subtracts from it. */
typedef struct magnitudes {
  double *a, most, mean, centre;
} magnitudes;

typedef struct mass {
  double all, likely, alpha; /* sum_j |alpha_j| a_j; MK_SURE |alpha a|; sum_j |alpha_j| */
} mass;

static mass mass_of(const mk_expansion_job *job, size_t task, const double *a) {
  double all = 0.0, square = 0.0, sum = 0.0;
  for (size_t i = 0; i < job->set->n; i++) {
    double alpha = fabs(job->alpha[task * job->set->n + i]), term = alpha * a[i];
    sum += alpha;
    all += term;
    square += term * term;
  }
  return (mass){all, MK_SURE * sqrt(square), sum};
}

/* Returns the error, in units of rounding, that roundings of terms leave in the sum of a row. */
static double likely_error(const mk_expansion_job *job, size_t m, mass mass, double centre) {
  if (!mk_expands_by_features(job, m) || job->ask->forms == NULL)
    return sqrt(job->value_units[m]) * mass.likely;
  double scale = job->ask->raw ? 1.0 : job->set->member[m].scale;
  double length = sqrt(fmax(job->ask->forms[m] / scale, 0.0));
  return MK_SURE * sqrt(job->value_units[m]) * length +
         2.0 * (double)job->set->n * MK_UNIT * (mass.all + centre * mass.alpha);
}

static void add_value_slack(const mk_expansion_job *job, size_t m, size_t task, double sum,
                            double share, const magnitudes *size) {
  const mk_expansion *ask = job->ask;
  double unit = MK_UNIT * job->weight[m];
  double constant = job->ask->level ? 0.0 : size->mean * sum;
  double unbalanced = job->ask->level ? share * (size->most + size->mean + size->centre) : 0.0;
  share *= sqrt(job->value_units[m]);
  if (ask->value_slack == NULL || unit == 0.0) return;
  for (size_t k = 0; k < ask->count; k++) {
    double a = size->a[ask->sample[k]];
    ask->value_slack[task * ask->count + k] +=
        unit * (a * sum + constant + (a + size->mean) * size->mean * share) +
        job->weight[m] * a * unbalanced;
  }
}

static void add_form_slack(const mk_expansion_job *job, size_t m, mass mass, double share,
                           const magnitudes *size) {
  const mk_expansion *ask = job->ask;
  double scale = ask->raw ? 1.0 : job->set->member[m].scale;
  double unit = MK_UNIT * sqrt(job->value_units[m]), own;
  double e = MK_UNIT * likely_error(job, m, mass, size->centre);
  if (ask->form_slack == NULL || !mk_wants_form(job, m)) return;
  if (mk_expands_by_features(job, m))
    own = 2.0 * e * sqrt(fmax(ask->forms[m] / scale, 0.0)) + e * e;
  else
    own = MK_UNIT * sqrt(job->form_units[m]) * mass.likely * mass.likely / MK_SURE;
  own += unit * 3.0 * share * size->mean * (mass.all + share * size->mean);
  ask->form_slack[m] += scale * own;
  if (ask->reach != NULL)
    ask->reach[m] += sqrt(scale) * (mass.all + (size->mean + size->centre) * mass.alpha);
}

static void add_kernel(const mk_expansion_job *job, size_t m, double *a) {
  const mk_member *member = &job->set->member[m];
  int rooted = !job->ask->raw && member->root != NULL;
  int centred = !job->ask->raw && member->mean != NULL;
  magnitudes size = {.a = a};
  size.centre = plain_magnitudes(job, m, a);
  if (centred) {
    size.mean = mean_of(a, job->set->n);
    job->value_units[m] += (double)job->set->n / MEAN_PART;
  }
  if (rooted) {
    divide_magnitudes(job, m, size.mean, a);
    size.mean = 0.0;
  }
  for (size_t i = 0; i < job->set->n; i++) size.most = fmax(size.most, a[i]);
  for (size_t t = 0; t < job->ask->tasks; t++) {
    mass mass = mass_of(job, t, a);
    /* means are multiplied by this sum only */
    double share = job->ask->level ? fabs(mk_alpha_sum(job, t)) : mass.alpha;
    add_value_slack(job, m, t, likely_error(job, m, mass, size.centre), share, &size);
    add_form_slack(job, m, mass, share, &size);
  }
}

mk_status mk_expand_rounding(const mk_expansion_job *job) {
  const mk_kernel_set *set = job->set;
  if (job->ask->value_slack == NULL && job->ask->form_slack == NULL) return MK_OK;
  double *a = MK_NEW(double, set->n);
  if (a == NULL) return MK_NO_MEMORY;
  for (size_t m = 0; m < set->kernels; m++) {
    int elsewhere = mk_is_block(set, m) ||
                    (mk_member_is_local(&set->member[m]) && mk_expands_by_features(job, m));
    if (!elsewhere && !mk_is_idle(job, m)) add_kernel(job, m, a);
  }
  mk_free(a);
  return MK_OK;
}
