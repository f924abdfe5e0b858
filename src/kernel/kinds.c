/* The table of kinds. A row is the name of an mk_kind, which a file kind-*.c defines. Types are
 * places in the table; set.h names those that C code needs. */
#include "kernel/kinds.h"

#define KINDS(row)                                                                                 \
  row(linear) row(polynomial) row(gaussian) row(precomputed) row(function) row(locally_linear)     \
      row(tanimoto) row(laplace) row(arc_cosine)

#define DECLARE(name) extern const mk_kind mk_kind_##name;
KINDS(DECLARE)

#define POINT(name) &mk_kind_##name,
static const mk_kind *const kinds[] = {KINDS(POINT)};

int mk_kind_count(void) {
  return (int)(sizeof kinds / sizeof *kinds);
}

const mk_kind *mk_kind_of(mk_kernel_type type) {
  return (int)type >= 1 && (int)type <= mk_kind_count() ? kinds[(int)type - 1] : NULL;
}
