/* Feature blocks of few columns: instead of rows, the SVMs get the columns of all candidates,
 * weighted by theta. */
#include "gram-internal.h"

int mk_gram_wants_thin(const mk_gram *gram) {
  if (!mk_set_is_thin(gram->set)) return 0;
  size_t system = mk_thin_work_bytes(mk_features_width(gram->set), 1);
  return mk_features_thin_bytes(gram->set) <= mk_row_budget(gram->control) / 2 &&
         (double)system <= mk_system_budget(gram->control);
}

mk_status mk_gram_fill_thin(mk_gram *gram) {
  if (!gram->is_thin) return MK_OK;
  mk_thin_clear(&gram->thin);
  return mk_features_thin(gram->set, gram->sample, gram->count, &gram->thin);
}

const mk_thin *mk_gram_columns(const mk_gram *gram) {
  return gram->is_thin ? &gram->thin : NULL;
}
