/* The number of roundings that a kernel's value may have suffered; the files expansion-*.c add the
 * roundings of their sums. MATHEMATICS.md, section 1.5. */
#include "expansion-units.h"

#include "exact/expansion.h"
#include "exact/tiles.h"

/* Returns the largest number of products in an inner product. */
static double longest_row(const mk_kernel_set *set, size_t m) {
  const mk_family *family = &set->family[set->member[m].family];
  const mk_view *view = family->view;
  size_t most = 0;
  if (mk_family_has_blocks(family)) return (double)mk_member_columns(set, m);
  if (view == NULL) return 0.0;
  if (view->x != NULL) return (double)family->feature_count;
  for (size_t i = 0; i < view->rows; i++) {
    size_t length = view->row_start[i + 1] - view->row_start[i];
    if (length > most) most = length;
  }
  return (double)mk_smaller(most, family->feature_count);
}

static double kernel_units(const mk_kernel_set *set, size_t m, double reach, int near) {
  const mk_member *member = &set->member[m];
  mk_part_roundings parts = {MK_SUM_UNITS, longest_row(set, m), reach, near};
  return member->kind->units != NULL ? member->kind->units(&member->spec, &parts) : MK_SUM_UNITS;
}

double mk_value_units(const mk_kernel_set *set, size_t m, double reach) {
  return kernel_units(set, m, reach, mk_tiles_suit(&set->family[set->member[m].family]));
}

double mk_exact_units(const mk_kernel_set *set, size_t m, double reach) {
  return kernel_units(set, m, reach, 0);
}
