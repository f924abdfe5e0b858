/* Losses in the dual: conjugates, slopes, responses of alpha, best offsets. Called by the SVM
 * solvers and by the optimisers. MATHEMATICS.md, section 1.2. */
#include "loss.h"

#include "base/sum.h"
#include "offset.h"

#include <math.h>

/* halvings of a bracket, from any width down to neighbouring numbers */
#define ROOT_MAX_HALVINGS 200
/* doublings of a bracket, beyond 1e18 times the range of the gradients */
#define BRACKET_MAX_DOUBLINGS 60

static double tube(const mk_terms *terms) {
  return mk_loss_tube(&terms->loss);
}

/* ---- logistic loss, in u = y a / C and s = y t - 1, the margin's negative ---- */

static double width(const mk_terms *terms, size_t i) {
  return terms->upper[i] - terms->lower[i];
}

static double sigmoid(double s) {
  return s > 0.0 ? 1.0 / (1.0 + exp(-s)) : exp(s) / (1.0 + exp(s));
}

static double softplus(double s) {
  return s > 0.0 ? s + log1p(exp(-s)) : log1p(exp(s));
}

static double share(const mk_terms *terms, size_t i, double a) {
  double u = terms->linear[i] * a / width(terms, i);
  return fmin(fmax(u, 0.0), 1.0);
}

/* Returns u, apart from 0 and 1 by rounding at least. */
static double inner_share(double u) {
  return fmin(fmax(u, MK_VALUE_ROUNDING), 1.0 - MK_VALUE_ROUNDING);
}

static double logit(double u) {
  u = inner_share(u);
  return log(u) - log1p(-u);
}

static double entropy_part(double u, double of) {
  return u > 0.0 ? u * log(u / of) : 0.0;
}

/* ---- all losses ---- */

static double ridge(const mk_terms *terms, size_t i) {
  return terms->ridge != NULL ? terms->ridge[i] : 0.0;
}

static int is_entropy(const mk_terms *terms, size_t i) {
  return !mk_loss_is_quadratic(&terms->loss) && terms->loss.pieces == NULL && width(terms, i) > 0.0;
}

/* Returns 1 and the sample's table if the loss is given by pieces. psi(a) is then c times the
 * conjugate of the table at a / c, c = 1 / ridge. */
static int has_pieces(const mk_terms *terms, size_t i, mk_piece_table *table) {
  if (terms->loss.pieces == NULL || !(ridge(terms, i) > 0.0)) return 0;
  *table = mk_pieces_of(terms->loss.pieces, terms->linear[i]);
  return 1;
}

/* Returns Phi(t) + psi(u) - t u >= 0, the loss above its tangent of slope u. */
static double excess_of_pieces(const mk_piece_table *table, double t, double u) {
  double near = fmin(fmax(t, mk_piece_inverse(table, u, 0)), mk_piece_inverse(table, u, 1)), bend;
  double slope = mk_piece_slope(table, near, 0.0, &bend);
  if (mk_piece_slope(table, t, 0.0, &bend) == slope) return fmax(0.0, (slope - u) * (t - near));
  return fmax(0.0, mk_piece_value(table, t) - mk_piece_value(table, near) - u * (t - near));
}

/* Returns the distance of t from the tube with its sign; 0 inside. */
static double beyond_tube(double t, double tube) {
  return t > tube ? t - tube : t < -tube ? t + tube : 0.0;
}

static double clip_to_box(const mk_terms *terms, size_t i, double a) {
  a = a < terms->upper[i] ? a : terms->upper[i];
  return a > terms->lower[i] ? a : terms->lower[i];
}

/* Returns the a in the box that maximises z a - ridge/2 a^2. */
static double best_alpha(const mk_terms *terms, size_t i, double z) {
  if (ridge(terms, i) > 0.0) return clip_to_box(terms, i, z / ridge(terms, i));
  return z > 0.0 ? terms->upper[i] : z < 0.0 ? terms->lower[i] : 0.0;
}

double mk_loss_value(const mk_terms *terms, size_t i, double t) {
  mk_piece_table table;
  if (has_pieces(terms, i, &table)) return mk_piece_value(&table, t) / ridge(terms, i);
  if (is_entropy(terms, i)) return width(terms, i) * softplus(terms->linear[i] * t - 1.0);
  double z = beyond_tube(t, tube(terms)), a = best_alpha(terms, i, z);
  return a * (z - 0.5 * ridge(terms, i) * a);
}

double mk_loss_penalty(const mk_terms *terms, size_t i, double a) {
  mk_piece_table table;
  if (has_pieces(terms, i, &table))
    return mk_piece_conjugate(&table, ridge(terms, i) * a) / ridge(terms, i);
  if (is_entropy(terms, i)) {
    double u = share(terms, i, a);
    return width(terms, i) * (u + entropy_part(u, 1.0) + entropy_part(1.0 - u, 1.0));
  }
  return 0.5 * ridge(terms, i) * a * a + tube(terms) * fabs(a);
}

double mk_loss_excess(const mk_terms *terms, size_t i, double t, double a) {
  mk_piece_table table;
  if (has_pieces(terms, i, &table))
    return excess_of_pieces(&table, t, ridge(terms, i) * a) / ridge(terms, i);
  if (is_entropy(terms, i)) {
    double u = share(terms, i, a), s = terms->linear[i] * t - 1.0;
    double own = sigmoid(s), other = sigmoid(-s);
    double far = u * fmax(-s, 0.0) + (1.0 - u) * fmax(s, 0.0); /* for u or 1 - u that rounds to 0 */
    if (own <= 0.0 || other <= 0.0)
      return width(terms, i) * fmax(0.0, far + entropy_part(u, 1.0) + entropy_part(1.0 - u, 1.0));
    return width(terms, i) * fmax(0.0, entropy_part(u, own) + entropy_part(1.0 - u, other));
  }
  double z = beyond_tube(t, tube(terms)), best = best_alpha(terms, i, z);
  return (best - a) * (z - 0.5 * ridge(terms, i) * (best + a)) +
         (tube(terms) * fabs(a) - (t - z) * a);
}

void mk_loss_slopes(const mk_terms *terms, size_t i, double a, double *right, double *left) {
  mk_piece_table table;
  if (has_pieces(terms, i, &table)) {
    double u = ridge(terms, i) * a;
    *right = a < terms->upper[i] ? mk_piece_inverse(&table, u, 1) : INFINITY;
    *left = a > terms->lower[i] ? mk_piece_inverse(&table, u, 0) : -INFINITY;
    return;
  }
  if (is_entropy(terms, i)) {
    *right = *left = terms->linear[i] * (1.0 + logit(share(terms, i, a)));
    return;
  }
  double slope = ridge(terms, i) * a, e = tube(terms);
  *right = a < terms->upper[i] ? slope + (a >= 0.0 ? e : -e) : INFINITY;
  *left = a > terms->lower[i] ? slope + (a > 0.0 ? e : -e) : -INFINITY;
}

double mk_loss_curvature(const mk_terms *terms, size_t i, double a) {
  mk_piece_table table;
  if (has_pieces(terms, i, &table)) {
    double bend, t = mk_piece_inverse(&table, ridge(terms, i) * a, 1);
    mk_piece_slope(&table, t, 0.0, &bend);
    return bend > 0.0 ? ridge(terms, i) / bend : 0.0;
  }
  if (!is_entropy(terms, i)) return ridge(terms, i);
  double u = inner_share(share(terms, i, a));
  return 1.0 / (width(terms, i) * u * (1.0 - u));
}

double mk_loss_answer(const mk_terms *terms, size_t i, double t, double delta, double centre,
                      double *rate) {
  mk_piece_table table;
  if (has_pieces(terms, i, &table)) {
    double c = 1.0 / ridge(terms, i), bend;
    double slope = mk_piece_slope(&table, t + delta * centre, delta * c, &bend);
    *rate = c * bend / (1.0 + delta * c * bend);
    return clip_to_box(terms, i, c * slope);
  }
  if (is_entropy(terms, i)) {
    double s = terms->linear[i] * t - 1.0, u = sigmoid(s);
    *rate = width(terms, i) * u * sigmoid(-s);
    return terms->linear[i] * width(terms, i) * u;
  }
  double bend = ridge(terms, i) + delta;
  double z = beyond_tube(t + delta * centre, tube(terms)), a = clip_to_box(terms, i, z / bend);
  *rate = z != 0.0 && a > terms->lower[i] && a < terms->upper[i] ? 1.0 / bend : 0.0;
  return a;
}

/* ---- offsets ---- */

double mk_loss_root(mk_falling sum, const void *data, double low, double high) {
  double b = 0.5 * (low + high), rate, step = high - low;
  for (int k = 0; k < ROOT_MAX_HALVINGS && high > low; k++) {
    double value = sum(data, b, &rate), next = b + value / rate;
    if (value == 0.0) return b;
    *(value > 0.0 ? &low : &high) = b;
    /* Newton's point is used unless it leaves the bracket or narrows it too slowly */
    int newton = rate > 0.0 && next > low && next < high && fabs(next - b) < 0.5 * step;
    if (!newton) next = 0.5 * (low + high);
    step = fabs(next - b);
    if (next == b || !(next > low || next < high)) return b;
    b = next;
  }
  return b;
}

double mk_loss_offset(const mk_terms *terms, const double *gradient, mk_falling sum,
                      const void *data) {
  double low = INFINITY, high = -INFINITY, rate;
  if (terms->loss.no_offset) return 0.0;
  for (size_t i = 0; i < terms->n; i++) {
    if (!(width(terms, i) > 0.0)) continue;
    low = fmin(low, gradient[i]);
    high = fmax(high, gradient[i]);
  }
  if (low > high) return 0.0;
  double reach = fmax(high - low, 1.0);
  for (int k = 0; k < BRACKET_MAX_DOUBLINGS && sum(data, low, &rate) < 0.0; k++, reach *= 2.0)
    low -= reach;
  for (int k = 0; k < BRACKET_MAX_DOUBLINGS && sum(data, high, &rate) > 0.0; k++, reach *= 2.0)
    high += reach;
  return mk_loss_root(sum, data, low, high);
}

typedef struct offset_search {
  const mk_terms *terms;
  const double *gradient;
} offset_search;

/* Returns the sum of the alphas that maximise at offset b. At a kink of a loss without ridge, alpha
 * jumps, so the sum may change its sign without a root. */
static double alpha_sum(const void *data, double b, double *rate) {
  const offset_search *s = data;
  const mk_terms *terms = s->terms;
  double sum = 0.0;
  *rate = 0.0;
  for (size_t i = 0; i < terms->n; i++) {
    double t = s->gradient[i] - b, own;
    if (ridge(terms, i) > 0.0 || is_entropy(terms, i)) {
      sum += mk_loss_answer(terms, i, t, 0.0, 0.0, &own);
      *rate += own;
    } else {
      sum += best_alpha(terms, i, beyond_tube(t, tube(terms)));
    }
  }
  return sum;
}

double mk_loss_total(const mk_terms *terms, const double *gradient, int *order, double *offset) {
  if (mk_loss_is_linear(&terms->loss) && !terms->loss.no_offset)
    return mk_best_offset(terms->n, gradient, terms->lower, terms->upper, order, offset);
  double loss = 0.0;
  *offset = mk_loss_offset(terms, gradient, alpha_sum, &(offset_search){terms, gradient});
  for (size_t i = 0; i < terms->n; i++) loss += mk_loss_value(terms, i, gradient[i] - *offset);
  return loss;
}

double mk_loss_total_penalty(const mk_terms *terms, const double *alpha) {
  double sum = 0.0;
  if (mk_loss_is_linear(&terms->loss)) return 0.0;
  for (size_t i = 0; i < terms->n; i++) sum += mk_loss_penalty(terms, i, alpha[i]);
  return sum;
}
