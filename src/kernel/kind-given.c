/* Kinds whose values are given: by a matrix, by a function (MATHEMATICS.md, section 4). */
#include "kernel/kind.h"
#include "kernel/structure.h"

static int valid_matrix(const mk_kernel_spec *spec, const mk_view *view) {
  (void)view;
  return spec->matrix != NULL;
}

static void matrix_values(const mk_value_parts *parts, double *out) {
  mk_row k = mk_matrix_row(parts->set, parts->spec, (size_t)parts->row, 0);
  for (size_t c = 0; c < parts->others->count; c++)
    out[c] = mk_row_at(k, mk_sample(parts->others, c));
}

const mk_kind mk_kind_precomputed = {.name = "precomputed",
                                     .base = MK_FAMILY_MATRICES,
                                     .products = 1,
                                     .valid = valid_matrix,
                                     .values = matrix_values};

static int valid_function(const mk_kernel_spec *spec, const mk_view *view) {
  (void)view;
  return spec->function != NULL;
}

static void read_function(mk_kernel_spec *spec, const double *parameter) {
  spec->zero_rows = parameter[0] != 0.0;
}

static void function_values(const mk_value_parts *parts, double *out) {
  if (out != parts->product) memcpy(out, parts->product, parts->others->count * sizeof *out);
}

static double function_units(const mk_kernel_spec *spec, const mk_part_roundings *parts) {
  return parts->units + spec->value_units;
}

const mk_kind mk_kind_function = {.name = "function",
                                  .base = MK_FAMILY_CALLBACK,
                                  .products = 1,
                                  .valid = valid_function,
                                  .read = read_function,
                                  .values = function_values,
                                  .units = function_units};
