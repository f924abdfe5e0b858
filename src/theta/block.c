/* Block norms beyond q = 2 (JMLR section 4.5): the regulariser (sum ||w_m||^q)^(2/q)/2 has the dual
 * term (sum s_m^a)^(1/a)/2, a = q/(2(q - 1)) in [1/2, 1), which is concave in s: the least of sum
 * theta_m s_m over sum theta_m^-r <= 1, r = q/(q - 2). With t_m = 1/theta_m, on the lr ball, alpha
 * and t maximise a jointly concave function. For large q some t_m are nearly 0: w_m of these
 * kernels is hardly penalised, and alpha is orthogonal to their features. Weights must stay finite,
 * so t_m has a least value. A larger least value conditions the SVMs better and leaves less of s_m
 * to rounding; mk_norm_adapt() bounds its cost. Called by norm.c. MATHEMATICS.md, section 2.3. */
#include "members.h"
#include "theta/lp.h"

#include <math.h>

mk_place mk_block_place(const mk_norm *norm, double t) {
  t = fmax(t, norm->least);
  return (mk_place){1.0 / t, 1.0 / (t * t), 1.0 / (t * t * t)};
}

double mk_block_coordinate(const mk_norm *norm, double theta) {
  return theta > norm->least ? fmax(1.0 / theta, norm->least) : 1.0 / norm->least;
}

/* Scales t onto the sphere. Coordinates at the least value stay there, others are scaled. */
void mk_block_normalize(const mk_norm *norm, size_t count, double *t) {
  double p = norm->p;
  mk_lp_normalize(count, p, t);
  for (size_t held = 0, last = count + 1; held != last;) {
    double sum = 0.0;
    last = held;
    held = 0;
    for (size_t m = 0; m < count; m++) {
      if (t[m] <= norm->least) {
        t[m] = norm->least;
        held++;
      } else {
        sum += pow(t[m], p);
      }
    }
    double room = 1.0 - (double)held * pow(norm->least, p);
    if (!(sum > 0.0) || !(room > 0.0)) return;
    double factor = pow(room / sum, 1.0 / p);
    for (size_t m = 0; m < count; m++)
      if (t[m] > norm->least) t[m] *= factor;
  }
}
