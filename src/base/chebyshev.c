#include "chebyshev.h"

#include <math.h>

#define PI 3.14159265358979323846

void mk_chebyshev_init(mk_chebyshev *rule, int count) {
  rule->count = count;
  for (int j = 0; j < count; j++) {
    double angle = PI * (j + 0.5) / count;
    rule->node[j] = cos(angle);
    rule->weight[j] = (j % 2 ? -1.0 : 1.0) * sin(angle);
  }
}

void mk_chebyshev_shares(const mk_chebyshev *rule, double z, double *share) {
  double sum = 0.0;
  for (int j = 0; j < rule->count; j++) {
    double away = z - rule->node[j];
    if (away == 0.0) {
      for (int i = 0; i < rule->count; i++) share[i] = i == j;
      return;
    }
    share[j] = rule->weight[j] / away;
    sum += share[j];
  }
  for (int j = 0; j < rule->count; j++) share[j] /= sum;
}
