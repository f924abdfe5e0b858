/* The number of roundings that a kernel's value may have suffered; the files expansion-*.c add the
 * roundings of their sums. MATHEMATICS.md, section 1.5. */
#include "exact/expansion-rounding.h"

/* Returns the largest number of products in an inner product. */
static double longest_row(const mk_family *family) {
  const mk_view *view = family->view;
  size_t most = 0;
  if (view == NULL) return 0.0;
  if (view->x != NULL) return (double)family->feature_count;
  for (size_t i = 0; i < view->rows; i++) {
    size_t length = view->row_start[i + 1] - view->row_start[i];
    if (length > most) most = length;
  }
  return (double)mk_smaller(most, family->feature_count);
}

double mk_value_units(const mk_expansion_job *job, size_t m, double reach) {
  const mk_member *member = &job->set->member[m];
  const mk_family *family = &job->set->family[member->family];
  mk_part_roundings parts = {MK_SUM_UNITS, longest_row(family), reach, mk_tiles_suit(family)};
  return member->kind->units != NULL ? member->kind->units(&member->spec, &parts) : MK_SUM_UNITS;
}
